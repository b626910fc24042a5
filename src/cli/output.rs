//! Writes a report to a file: whole or not at all.

use std::fs::{self, File};
use std::io::{self, BufWriter, Write};
use std::path::{Path, PathBuf};

/// Writes to a file through `write`. What was there stays until all of the new is written; what is no regular file (a pipe, a
/// device) is written to as it is.
pub fn write(path: &Path, write: impl FnOnce(&mut dyn Write) -> io::Result<()>) -> io::Result<()> {
    let through = |file: File| {
        let mut out = BufWriter::new(file);
        write(&mut out)?;
        out.flush()
    };
    let there = fs::metadata(path);
    if there.as_ref().is_ok_and(|there| !there.is_file()) {
        return through(File::options().write(true).open(path)?);
    }
    // A link stays a link: replaced is what it leads to.
    let target = fs::canonicalize(path).unwrap_or_else(|_| path.to_owned());
    let (beside, file) = match create_beside(&target) {
        Ok(created) => created,
        // Into a folder that takes no new file, one that is there may still be written.
        Err(error) if error.kind() == io::ErrorKind::PermissionDenied && there.is_ok() => return through(File::create(&target)?),
        Err(error) => return Err(error),
    };
    if let Ok(there) = &there {
        let _ = file.set_permissions(there.permissions());
    }
    let written = through(file).and_then(|()| fs::rename(&beside, &target));
    if written.is_err() {
        let _ = fs::remove_file(&beside);
    }
    written
}

fn create_beside(target: &Path) -> io::Result<(PathBuf, File)> {
    let name = target.file_name().ok_or_else(|| io::Error::new(io::ErrorKind::InvalidInput, "it names no file"))?;
    for attempt in 0..100 {
        let mut beside = std::ffi::OsString::from(".");
        // Names have a longest length, and this one must not pass it.
        let kept: String = name.to_string_lossy().chars().take(40).collect();
        beside.push(format!("{kept}.{}-{attempt}.tmp", std::process::id()));
        let beside = target.with_file_name(beside);
        match File::options().write(true).create_new(true).open(&beside) {
            Ok(file) => return Ok((beside, file)),
            Err(error) if error.kind() == io::ErrorKind::AlreadyExists => {}
            Err(error) => return Err(error),
        }
    }
    Err(io::Error::new(io::ErrorKind::AlreadyExists, "there are too many unfinished reports beside it"))
}
