//! Configuration: from files, the environment and flags to one [`Config`].
//!
//! What counts is, from weak to strong: the defaults, one file (`antifreeze.toml`, or `[tool.antifreeze]` in `pyproject.toml`), the
//! environment (`ANTIFREEZE_…`), flags. Which file is found where is the business of [`find`]; that a script about to run has no say
//! in how it is judged, so that no file near it is read, is the business of who calls it.
//!
//! Rules are known here by their codes and names only ([`Known`]); nothing is configured per rule but its level and its table of
//! callables.

pub mod callable;
pub mod environment;
pub mod error;
pub mod file;
pub mod find;
pub mod level;
pub mod pattern;
pub mod rules;
pub mod suggest;

use std::path::{Path, PathBuf};

pub use callable::Callable;
pub use error::ConfigError;
pub use level::{Level, LevelSetting, Profile};
pub use pattern::{Matcher, Pattern};
pub use rules::{RuleSettings, Selector};

use crate::limits::Limits;

/// The JSON Schema of `antifreeze.toml`, for editors.
pub const SCHEMA: &str = include_str!("antifreeze.schema.json");

/// What `antifreeze init` writes.
pub const TEMPLATE: &str = include_str!("template.toml");

/// The rules there are, as far as a configuration names them.
#[derive(Debug, Clone, Default)]
pub struct Known {
    /// Codes and names, in order of code.
    pub rules: Vec<(String, String)>,
    /// The codes of those that take callables of the user's.
    pub with_callables: Vec<String>,
}

/// Everything that is configured.
#[derive(Debug, Clone, PartialEq)]
pub struct Config {
    /// The file it came from.
    pub file: Option<PathBuf>,
    /// What patterns and relative paths are relative to: the folder of a file that was found, else the current one.
    pub root: PathBuf,
    /// The limits to judge by.
    pub limits: Limits,
    /// The oldest and newest minor version of Python 3 the claims must hold for.
    pub target: (u8, u8),
    /// Which rules count, and how gravely.
    pub rules: RuleSettings,
    /// Files and folders that are left out, in the form of `.gitignore`.
    pub exclude: Vec<Pattern>,
    /// Whether files named on the command line are left out too.
    pub force_exclude: bool,
    /// Whether what git ignores is left out.
    pub respect_gitignore: bool,
    /// Whether warnings reject.
    pub deny_warnings: bool,
    /// Findings that are known already.
    pub baseline: Option<PathBuf>,
    /// Where verdicts are kept for the next run.
    pub cache_dir: PathBuf,
    /// Own callables, each with the code of its rule.
    pub callables: Vec<(String, Callable)>,
}

impl Config {
    /// Folders that hold nobody's own code, beside the hidden ones.
    pub const EXCLUDED: [&'static str; 8] =
        ["__pypackages__/", "_build/", "buck-out/", "build/", "dist/", "node_modules/", "site-packages/", "venv/"];

    /// The oldest and newest minor versions of Python 3 that can be targets.
    pub const TARGETS: (u8, u8) = (9, 14);
}

impl Default for Config {
    fn default() -> Config {
        Config {
            file: None,
            root: PathBuf::from("."),
            limits: Limits::default(),
            target: Config::TARGETS,
            rules: RuleSettings::default(),
            exclude: Config::EXCLUDED.map(|name| Pattern::new(name, Path::new("."))).into(),
            force_exclude: false,
            respect_gitignore: true,
            deny_warnings: false,
            baseline: None,
            cache_dir: PathBuf::from(".antifreeze_cache"),
            callables: Vec::new(),
        }
    }
}

/// Reads target versions: `3.12`, or the oldest and the newest, `3.9-3.14`. Gives the minor versions.
pub fn parse_target(text: &str) -> Result<(u8, u8), String> {
    let (oldest, newest) = Config::TARGETS;
    let bad = || format!("`{text}` is no target version; write `3.12`, or the oldest and the newest: `3.{oldest}-3.{newest}`");
    let minor = |part: &str| part.trim().strip_prefix("3.")?.parse::<u8>().ok();
    let (low, high) = match text.split_once('-') {
        Some((low, high)) => (minor(low).ok_or_else(bad)?, minor(high).ok_or_else(bad)?),
        None => minor(text).map(|one| (one, one)).ok_or_else(bad)?,
    };
    if low > high {
        return Err(format!("the target versions `{text}` run backwards; write the oldest first"));
    }
    if low < oldest || high > newest {
        return Err(format!("the target versions `{text}` are not all known; known are 3.{oldest} to 3.{newest}"));
    }
    Ok((low, high))
}

/// Target versions as [`parse_target`] reads them.
pub fn target_text((low, high): (u8, u8)) -> String {
    if low == high { format!("3.{low}") } else { format!("3.{low}-3.{high}") }
}
