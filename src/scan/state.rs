//! How far a scan came, so that the next one goes on from there.
//!
//! Of each file the number of rows that were written is kept. The next scan reads the file again, which makes it know what came
//! before, and leaves out as many rows: the same file gives the same rows in the same order.

use std::collections::BTreeMap;
use std::fs;
use std::io::Write;
use std::path::{Path, PathBuf};
use std::time::UNIX_EPOCH;

use serde::{Deserialize, Serialize};

use super::extract::hash;
use crate::report::replacement::Replacement;

/// The state of a scan.
#[derive(Debug, Clone, Default, PartialEq, Eq, Serialize, Deserialize)]
#[serde(deny_unknown_fields)]
pub struct State {
    /// The version of this format.
    pub version: u32,
    /// What verdicts and rows depend on.
    pub settings: String,
    /// How long the report was when this was written.
    pub output_bytes: u64,
    /// By path.
    pub files: BTreeMap<String, FileState>,
}

/// How far a file was read.
#[derive(Debug, Clone, Default, PartialEq, Eq, Serialize, Deserialize)]
#[serde(deny_unknown_fields)]
pub struct FileState {
    /// Rows that were written.
    pub rows: u64,
    /// Its size when it was read to the end; 0 where it was not.
    pub size: u64,
    /// When it was last changed then, in nanoseconds.
    pub changed: u64,
    /// What it begins with, to tell it from another of this name.
    pub head: String,
}

/// The version this antifreeze writes.
pub const VERSION: u32 = 1;

impl State {
    /// Reads a state; a new one where there is none yet.
    ///
    /// # Errors
    /// What is no state, or one of other settings.
    pub fn read(path: &Path, settings: &str) -> Result<State, String> {
        let shown = path.display();
        let text = match fs::read_to_string(path) {
            Ok(text) => text,
            Err(error) if error.kind() == std::io::ErrorKind::NotFound => {
                return Ok(State { version: VERSION, settings: settings.to_owned(), ..State::default() });
            }
            Err(error) => return Err(format!("cannot read the state {shown}: {error}")),
        };
        let state: State = serde_json::from_str(&text)
            .map_err(|error| format!("{shown} is no state of a scan ({error}); delete it, or name another file after --state"))?;
        if state.version != VERSION || state.settings != settings {
            return Err(format!("{shown} was written by a scan with other settings; delete it, or name another file after --state"));
        }
        Ok(state)
    }
}

/// Writes a state whole or not at all.
///
/// # Errors
/// When it cannot be written.
pub fn write(path: &Path, state: &State) -> std::io::Result<()> {
    let (mut file, replacement) = Replacement::begin(path)?;
    file.write_all(serde_json::to_string(state)?.as_bytes())?;
    file.sync_data()?;
    replacement.finish()
}

/// What tells a file from another of its name: its first bytes.
pub fn head(path: &Path) -> String {
    use std::io::Read;
    let mut start = Vec::new();
    let read = fs::File::open(path).and_then(|file| file.take(256).read_to_end(&mut start));
    if read.is_err() || start.is_empty() {
        return String::new();
    }
    // A file that grew past its first line has the same one still.
    let line = memchr::memchr(b'\n', &start).unwrap_or(start.len());
    format!("{:016x}", hash(&[&String::from_utf8_lossy(&start[..line])]))
}

/// Size and time of the last change.
pub fn stamp(path: &Path) -> (u64, u64) {
    let Ok(metadata) = fs::metadata(path) else { return (0, 0) };
    let changed = metadata.modified().ok().and_then(|time| time.duration_since(UNIX_EPOCH).ok());
    (metadata.len(), changed.map_or(0, |time| u64::try_from(time.as_nanos()).unwrap_or(u64::MAX)))
}

/// A path as the state names it: the same from every folder.
pub fn key(path: &Path) -> String {
    fs::canonicalize(path).unwrap_or_else(|_| PathBuf::from(path)).to_string_lossy().into_owned()
}
