//! How grave findings can be, and what code is judged for.

use serde::{Deserialize, Serialize};

/// How grave a finding is. Only errors reject.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Hash, PartialOrd, Ord, Serialize, Deserialize)]
#[serde(rename_all = "lowercase")]
pub enum Level {
    /// Shown with `--verbose` only.
    Note,
    /// Shown.
    Warning,
    /// Rejects.
    Error,
}

/// Which use the code is judged for.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Hash, Serialize, Deserialize)]
#[serde(rename_all = "lowercase")]
pub enum Profile {
    /// A script about to run.
    Agent,
    /// A file in a repository.
    Library,
}

/// A level that was configured.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Hash, Serialize, Deserialize)]
#[serde(rename_all = "lowercase")]
pub enum LevelSetting {
    /// The finding is dropped.
    Off,
    /// Shown with `--verbose` only.
    Note,
    /// Shown.
    Warning,
    /// Rejects.
    Error,
}

impl LevelSetting {
    /// Every setting, as it is written.
    pub const NAMES: [&'static str; 4] = ["off", "note", "warning", "error"];

    /// Reads a setting.
    pub fn parse(text: &str) -> Option<LevelSetting> {
        Some(match text {
            "off" => LevelSetting::Off,
            "note" => LevelSetting::Note,
            "warning" => LevelSetting::Warning,
            "error" => LevelSetting::Error,
            _ => return None,
        })
    }

    /// The level; none where the finding is dropped.
    pub fn level(self) -> Option<Level> {
        match self {
            LevelSetting::Off => None,
            LevelSetting::Note => Some(Level::Note),
            LevelSetting::Warning => Some(Level::Warning),
            LevelSetting::Error => Some(Level::Error),
        }
    }
}
