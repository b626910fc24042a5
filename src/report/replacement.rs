//! Files that are written whole or not at all.

use std::fs::{self, File};
use std::io;
use std::path::{Path, PathBuf};

/// A file that is replaced once all of its new content is written.
#[derive(Debug)]
pub struct Replacement(Option<(PathBuf, PathBuf)>);

impl Replacement {
    /// What to write to. A link stays a link: replaced is what it leads to. Into a folder that takes no new file, one that is there
    /// may still be written.
    pub fn begin(path: &Path) -> io::Result<(File, Replacement)> {
        let there = fs::metadata(path);
        if there.as_ref().is_ok_and(|there| !there.is_file()) {
            return Ok((File::options().write(true).open(path)?, Replacement(None)));
        }
        let target = fs::canonicalize(path).unwrap_or_else(|_| path.to_owned());
        match create_beside(&target) {
            Ok((beside, file)) => {
                if let Ok(there) = &there {
                    let _ = file.set_permissions(there.permissions());
                }
                Ok((file, Replacement(Some((beside, target)))))
            }
            Err(error) if error.kind() == io::ErrorKind::PermissionDenied && there.is_ok() => {
                Ok((File::create(&target)?, Replacement(None)))
            }
            Err(error) => Err(error),
        }
    }

    /// All is written.
    pub fn finish(mut self) -> io::Result<()> {
        self.0.take().map_or(Ok(()), |(beside, target)| {
            fs::rename(&beside, &target).inspect_err(|_| {
                let _ = fs::remove_file(&beside);
            })
        })
    }
}

impl Drop for Replacement {
    fn drop(&mut self) {
        if let Some((beside, _)) = self.0.take() {
            let _ = fs::remove_file(beside);
        }
    }
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
    Err(io::Error::new(io::ErrorKind::AlreadyExists, "there are too many unfinished files beside it"))
}
