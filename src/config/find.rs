//! Where configuration is found.

use std::collections::HashMap;
use std::io::Read;
use std::path::{Path, PathBuf};

use super::error::ConfigError;
use super::file::{Origin, has_table};

/// The name of a file that holds nothing else.
pub const FILE: &str = "antifreeze.toml";

/// The file of a Python project, whose table `[tool.antifreeze]` counts.
pub const PYPROJECT: &str = "pyproject.toml";

/// The most bytes a configuration may have.
pub const MAX_BYTES: u64 = 1 << 20;

/// Finds the configuration nearest above folders, each folder looked at once.
#[derive(Debug, Default)]
pub struct Finder {
    known: HashMap<PathBuf, Option<PathBuf>>,
    /// What was passed over on the way, and why.
    pub warnings: Vec<ConfigError>,
}

impl Finder {
    /// The configuration nearest to a path: in its folder (itself, if it is one) or in the nearest above that has one.
    /// `antifreeze.toml` counts before a `pyproject.toml` beside it, and a `pyproject.toml` only if it speaks of antifreeze.
    pub fn find(&mut self, path: &Path) -> Option<PathBuf> {
        let absolute = std::path::absolute(path).unwrap_or_else(|_| path.to_owned());
        // A link to a file is where it is, and `a/../b` is beside what `a` is in, whatever `a` is a link to.
        let folder = if absolute.is_dir() { absolute.as_path() } else { absolute.parent()? };
        let start = std::fs::canonicalize(folder).unwrap_or_else(|_| folder.to_owned());
        let mut passed = Vec::new();
        let mut found = None;
        for folder in start.ancestors() {
            if let Some(known) = self.known.get(folder) {
                found = known.clone();
                break;
            }
            passed.push(folder.to_owned());
            found = self.in_folder(folder);
            if found.is_some() {
                break;
            }
        }
        self.known.extend(passed.into_iter().map(|folder| (folder, found.clone())));
        found
    }

    fn in_folder(&mut self, folder: &Path) -> Option<PathBuf> {
        let project = project(folder).unwrap_or_else(|unusable| {
            self.warnings.push(unusable);
            None
        });
        let own = folder.join(FILE);
        // Whatever is there under this name was meant: what cannot be read is an error, not overlooked.
        if own.symlink_metadata().is_err() {
            return project;
        }
        self.warnings.extend(project.map(|project| ConfigError {
            origin: project.to_string_lossy().into_owned(),
            place: None,
            message: format!("`[tool.antifreeze]` does not count beside the {FILE} in the same folder"),
            help: "Keep the one or the other.".to_owned(),
        }));
        Some(own)
    }
}

/// The `pyproject.toml` of a folder, if it speaks of antifreeze.
///
/// # Errors
/// Why that cannot be known.
pub fn project(folder: &Path) -> Result<Option<PathBuf>, ConfigError> {
    let file = folder.join(PYPROJECT);
    if file.symlink_metadata().is_err() {
        return Ok(None);
    }
    let passed_over = |error: ConfigError| ConfigError { message: format!("it is passed over, as {}", error.message), ..error };
    let text = match read(&file, true) {
        Ok(text) => text,
        // What is meant for us is read again, and is an error then.
        Err(_) if speaks_all_the_same(&file) => return Ok(Some(file)),
        Err(error) => return Err(passed_over(error)),
    };
    let origin = Origin { name: file.to_string_lossy().into_owned(), text: Some(text.as_str().into()) };
    Ok(has_table(&text, &origin).map_err(passed_over)?.then_some(file))
}

/// Whether a file that is no text has our name in it.
fn speaks_all_the_same(file: &Path) -> bool {
    let mut bytes = Vec::new();
    let opened = file.is_file().then(|| std::fs::File::open(file).and_then(|file| file.take(MAX_BYTES).read_to_end(&mut bytes)));
    opened.is_some_and(|read| read.is_ok()) && bytes.windows(10).any(|word| word == b"antifreeze")
}

/// Reads a configuration's text, with `\n` as its only line end. One that was found, not named, has to be a regular file: reading
/// another kind may wait for ever.
///
/// # Errors
/// What cannot be read, is no regular file, is too large, or is not UTF-8.
pub fn read(path: &Path, found: bool) -> Result<String, ConfigError> {
    let error = |message: String, help: &str| ConfigError {
        origin: path.to_string_lossy().into_owned(),
        place: None,
        message,
        help: help.to_owned(),
    };
    let unreadable = |why: std::io::Error| {
        error(format!("the configuration cannot be read ({why})"), "Check the path and its permissions, or pass `--isolated`.")
    };
    let metadata = std::fs::metadata(path).map_err(unreadable)?;
    if metadata.is_dir() || found && !metadata.is_file() {
        return Err(error("the configuration is no regular file".into(), "Move it out of the way, or pass `--isolated`."));
    }
    let mut bytes = Vec::new();
    std::fs::File::open(path).and_then(|file| file.take(MAX_BYTES + 1).read_to_end(&mut bytes)).map_err(unreadable)?;
    if bytes.len() as u64 > MAX_BYTES {
        return Err(error(format!("the configuration has more than {MAX_BYTES} bytes"), "Shorten it, or pass `--isolated`."));
    }
    let text = String::from_utf8(bytes)
        .map_err(|why| error(format!("the configuration is not UTF-8 at byte {}", why.utf8_error().valid_up_to()), "Save it as UTF-8."))?;
    Ok(text.strip_prefix('\u{feff}').unwrap_or(&text).replace("\r\n", "\n"))
}
