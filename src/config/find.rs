//! Where configuration is found.

use std::collections::HashMap;
use std::io::Read;
use std::path::{Path, PathBuf};

use ignore::gitignore::{Gitignore, GitignoreBuilder};

use super::error::ConfigError;

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
}

impl Finder {
    /// The configuration nearest to a path: in its folder (itself, if it is one) or in the nearest above that has one.
    /// `antifreeze.toml` counts before a `pyproject.toml` beside it, and a `pyproject.toml` only if it speaks of antifreeze.
    pub fn find(&mut self, path: &Path) -> Option<PathBuf> {
        let absolute = std::path::absolute(path).unwrap_or_else(|_| path.to_owned());
        // `a/../b` is beside what `a` is in, whatever `a` is a link to.
        let absolute = std::fs::canonicalize(&absolute).unwrap_or(absolute);
        let start = if absolute.is_dir() { absolute.as_path() } else { absolute.parent()? };
        let mut passed = Vec::new();
        let mut found = None;
        for folder in start.ancestors() {
            if let Some(known) = self.known.get(folder) {
                found = known.clone();
                break;
            }
            passed.push(folder.to_owned());
            found = in_folder(folder);
            if found.is_some() {
                break;
            }
        }
        self.known.extend(passed.into_iter().map(|folder| (folder, found.clone())));
        found
    }
}

fn in_folder(folder: &Path) -> Option<PathBuf> {
    let own = folder.join(FILE);
    // Whatever is there under this name was meant: what cannot be read is an error, not overlooked.
    if own.symlink_metadata().is_ok() {
        return Some(own);
    }
    let project = folder.join(PYPROJECT);
    let speaks = || {
        let text = read(&project, true).ok()?;
        // Cheap, and errs on the side of looking closer.
        text.contains("antifreeze").then(|| super::file::has_table(&text))
    };
    (project.is_file() && speaks() == Some(true)).then_some(project)
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

/// Reads a pattern in the form of `.gitignore`.
///
/// # Errors
/// What is wrong with it.
pub fn pattern(text: &str) -> Result<(), String> {
    matcher([text]).map(|_| ())
}

/// What fits one of some patterns in the form of `.gitignore`; it takes paths relative to the folder they are written for.
///
/// # Errors
/// What is wrong with the first that is no pattern.
pub fn matcher<'a>(patterns: impl IntoIterator<Item = &'a str>) -> Result<Gitignore, String> {
    let mut builder = GitignoreBuilder::new("");
    for pattern in patterns {
        let shown: String = pattern.chars().take(60).collect();
        // In `.gitignore` these say nothing; written as a pattern each is a slip.
        if pattern.trim().is_empty() || pattern.starts_with('#') {
            return Err(format!("the pattern `{shown}` fits nothing"));
        }
        builder.add_line(None, pattern).map_err(|why| format!("`{shown}` is no pattern ({why})"))?;
    }
    builder.build().map_err(|why| format!("the patterns cannot be used together ({why})"))
}
