//! Which rules count, and how gravely.
//!
//! A rule is named by its code (`AF401`), by the beginning of codes (`AF4`, a family), by its name (`endless-loop`), or with all
//! others by `ALL`. Where several name the same rule the longest beginning counts, as in ruff; of two of one length, `ignore` before
//! `select`, and a later file pattern before an earlier one.

use std::fmt;

use super::suggest::did_you_mean;
use super::{Known, Level, LevelSetting, Pattern};

/// Names one rule or several: a beginning of codes.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Selector(String);

impl Selector {
    /// Reads a selector. The error has what is wrong, and what to do.
    pub fn parse(text: &str, known: &Known) -> Result<Selector, (String, String)> {
        if text == "ALL" {
            return Ok(Selector("AF".into()));
        }
        if text.starts_with("AF") && known.rules.iter().any(|(code, _)| code.starts_with(text)) {
            return Ok(Selector(text.to_owned()));
        }
        if let Some((code, _)) = known.rules.iter().find(|(_, name)| name == text) {
            return Ok(Selector(code.clone()));
        }
        let words = known.rules.iter().flat_map(|(code, name)| [code.as_str(), name.as_str()]);
        let shown: String = text.chars().take(60).collect();
        Err((
            format!("`{shown}` names no rule{}", did_you_mean(text, words).trim_end_matches('?')),
            "Write a code (`AF401`), the beginning of codes (`AF4`), a name (`endless-loop`) or `ALL`; `antifreeze rule` lists them."
                .into(),
        ))
    }

    /// How closely it names a code; none where it does not.
    fn closeness(&self, code: &str) -> Option<usize> {
        code.starts_with(&self.0).then_some(self.0.len())
    }
}

impl fmt::Display for Selector {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.write_str(if self.0 == "AF" { "ALL" } else { &self.0 })
    }
}

/// What counts in some files only.
#[derive(Debug, Clone, PartialEq)]
pub struct PerFile {
    /// The files.
    pub pattern: Pattern,
    /// Levels there; ignored rules are off.
    pub levels: Vec<(Selector, LevelSetting)>,
}

/// Which rules count, and how gravely.
#[derive(Debug, Clone, PartialEq, Default)]
pub struct RuleSettings {
    /// Rules that count; none means all.
    pub select: Vec<Selector>,
    /// Rules that do not.
    pub ignore: Vec<Selector>,
    /// Levels in place of those that follow from reach and proof.
    pub levels: Vec<(Selector, LevelSetting)>,
    /// In order.
    pub per_file: Vec<PerFile>,
}

impl RuleSettings {
    /// The level of a finding that has `level` by itself; none where it is dropped. `per_file` are the settings whose pattern fits
    /// the file, in order.
    pub fn level(&self, code: &str, level: Level, per_file: &[&PerFile]) -> Option<Level> {
        let closest = |selectors: &[Selector]| selectors.iter().filter_map(|selector| selector.closeness(code)).max();
        let selected = if self.select.is_empty() { Some(0) } else { closest(&self.select) };
        if selected.is_none() || closest(&self.ignore) >= selected && closest(&self.ignore).is_some() {
            return None;
        }
        let set = |levels: &[(Selector, LevelSetting)]| {
            levels.iter().filter_map(|(selector, set)| Some((selector.closeness(code)?, *set))).max_by_key(|(close, _)| *close)
        };
        // What is said of a file is closer than anything that is said of all.
        let here = per_file.iter().filter_map(|per_file| set(&per_file.levels)).max_by_key(|(close, _)| *close);
        match here.or_else(|| set(&self.levels)) {
            Some((_, set)) => set.level(),
            None => Some(level),
        }
    }

    /// Whether every finding is as it would be without settings.
    pub fn is_default(&self) -> bool {
        *self == RuleSettings::default()
    }
}
