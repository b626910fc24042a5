//! What can be written in `antifreeze.toml`, and in the table `[tool.antifreeze]` of `pyproject.toml`.

use std::collections::BTreeMap;
use std::ops::Range;
use std::path::{Path, PathBuf};
use std::sync::Arc;

use serde::de::{Deserializer, Visitor};
use serde::{Deserialize, Serialize, Serializer};
use toml::Spanned;

use super::error::ConfigError;
use super::rules::PerFile;
use super::suggest::did_you_mean;
use super::{Callable, Config, Known, LevelSetting, Pattern, Selector, find, parse_target};
use crate::limits::{Limits, parse_duration, parse_size};

/// No more mistakes than these are shown of one configuration.
const MOST_ERRORS: usize = 20;

/// A word with its place.
pub type Word = Spanned<String>;

/// A configuration as it is written. What is absent leaves as it is what weaker sources said.
#[derive(Debug, Clone, Default, PartialEq, Serialize, Deserialize)]
#[serde(default, deny_unknown_fields, rename_all = "kebab-case")]
pub struct File {
    /// The versions of Python the claims must hold for.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub target_version: Option<Word>,
    /// Rules that count, in place of all.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub select: Option<Vec<Word>>,
    /// Rules that count beside these.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub extend_select: Option<Vec<Word>>,
    /// Rules that do not count.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub ignore: Option<Vec<Word>>,
    /// What rejects beside errors.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub deny: Option<Vec<Deny>>,
    /// Files and folders that are left out, in place of the default.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub exclude: Option<Vec<Word>>,
    /// Files and folders that are left out beside these.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub extend_exclude: Option<Vec<Word>>,
    /// Whether files named on the command line are left out too.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub force_exclude: Option<bool>,
    /// Whether what git ignores is left out.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub respect_gitignore: Option<bool>,
    /// Findings that are known already.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub baseline: Option<PathBuf>,
    /// Where verdicts are kept for the next run.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub cache_dir: Option<PathBuf>,
    /// The limits to judge by.
    #[serde(skip_serializing_if = "LimitsFile::is_empty")]
    pub limits: LimitsFile,
    /// Levels by rule.
    #[serde(skip_serializing_if = "BTreeMap::is_empty")]
    pub level: BTreeMap<Word, Spanned<LevelSetting>>,
    /// Rules that do not count in some files.
    #[serde(skip_serializing_if = "BTreeMap::is_empty")]
    pub per_file_ignores: BTreeMap<Word, Vec<Word>>,
    /// Levels in some files.
    #[serde(skip_serializing_if = "BTreeMap::is_empty")]
    pub per_file_levels: BTreeMap<Word, BTreeMap<Word, Spanned<LevelSetting>>>,
    /// What single rules know.
    #[serde(skip_serializing_if = "BTreeMap::is_empty")]
    pub rule: BTreeMap<Word, RuleFile>,
}

impl File {
    /// Whether any rule is named.
    pub fn names_rules(&self) -> bool {
        let lists = [&self.select, &self.extend_select, &self.ignore];
        lists.iter().any(|list| list.is_some())
            || !(self.level.is_empty() && self.per_file_ignores.is_empty() && self.per_file_levels.is_empty() && self.rule.is_empty())
    }
}

/// What can be written of a rule.
#[derive(Debug, Clone, Default, PartialEq, Serialize, Deserialize)]
#[serde(default, deny_unknown_fields)]
pub struct RuleFile {
    /// Own callables, as in the rule's card.
    pub callable: Vec<Spanned<Callable>>,
}

/// What rejects beside errors.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Serialize, Deserialize)]
#[serde(rename_all = "lowercase")]
pub enum Deny {
    /// Warnings do.
    Warnings,
}

/// Limits as they are written.
#[derive(Debug, Clone, Copy, Default, PartialEq, Serialize, Deserialize)]
#[serde(default, deny_unknown_fields, rename_all = "kebab-case")]
pub struct LimitsFile {
    /// [`crate::limits::Limits::int_bits`].
    #[serde(alias = "int_bits", skip_serializing_if = "Option::is_none")]
    pub int_bits: Option<u64>,
    /// [`crate::limits::Limits::timeout`].
    #[serde(skip_serializing_if = "Option::is_none")]
    pub timeout: Option<Duration>,
    /// [`crate::limits::Limits::memory`].
    #[serde(skip_serializing_if = "Option::is_none")]
    pub memory: Option<Size>,
    /// [`crate::limits::Limits::output`].
    #[serde(skip_serializing_if = "Option::is_none")]
    pub output: Option<Size>,
    /// [`crate::limits::Limits::processes`].
    #[serde(skip_serializing_if = "Option::is_none")]
    pub processes: Option<u32>,
}

impl LimitsFile {
    /// The limits that are written, on top of `base`.
    pub fn over(&self, base: Limits) -> Limits {
        Limits {
            int_bits: self.int_bits.unwrap_or(base.int_bits),
            timeout: self.timeout.map_or(base.timeout, |duration| duration.0),
            memory: self.memory.map_or(base.memory, |size| size.0),
            output: self.output.map_or(base.output, |size| size.0),
            processes: self.processes.unwrap_or(base.processes),
        }
    }

    fn is_empty(&self) -> bool {
        *self == LimitsFile::default()
    }
}

/// Seconds: a number, or a text such as `250ms`.
#[derive(Debug, Clone, Copy, PartialEq)]
pub struct Duration(pub f64);

/// Bytes: a number, or a text such as `64KiB`.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub struct Size(pub u64);

impl Serialize for Duration {
    fn serialize<S: Serializer>(&self, serializer: S) -> Result<S::Ok, S::Error> {
        serializer.serialize_f64(self.0)
    }
}

impl Serialize for Size {
    fn serialize<S: Serializer>(&self, serializer: S) -> Result<S::Ok, S::Error> {
        serializer.serialize_u64(self.0)
    }
}

impl<'de> Deserialize<'de> for Duration {
    fn deserialize<D: Deserializer<'de>>(deserializer: D) -> Result<Duration, D::Error> {
        deserializer
            .deserialize_any(Quantity { what: "a duration (seconds, or `\"250ms\"`, `\"2s\"`, `\"1m\"`)", parse: parse_duration })
            .map(Duration)
    }
}

impl<'de> Deserialize<'de> for Size {
    fn deserialize<D: Deserializer<'de>>(deserializer: D) -> Result<Size, D::Error> {
        let parse = |text: &str| parse_size(text).map(|bytes| bytes as f64);
        deserializer
            .deserialize_any(Quantity { what: "a size (bytes, or `\"64KiB\"`, `\"512MiB\"`, `\"1GiB\"`)", parse })
            .map(|bytes| Size(bytes as u64))
    }
}

/// A number, or a text with a unit.
struct Quantity {
    what: &'static str,
    parse: fn(&str) -> Result<f64, String>,
}

impl Visitor<'_> for Quantity {
    type Value = f64;

    fn expecting(&self, f: &mut std::fmt::Formatter<'_>) -> std::fmt::Result {
        f.write_str(self.what)
    }

    fn visit_i64<E: serde::de::Error>(self, value: i64) -> Result<f64, E> {
        (self.parse)(&value.to_string()).map_err(E::custom)
    }

    fn visit_u64<E: serde::de::Error>(self, value: u64) -> Result<f64, E> {
        (self.parse)(&value.to_string()).map_err(E::custom)
    }

    fn visit_f64<E: serde::de::Error>(self, value: f64) -> Result<f64, E> {
        (self.parse)(&value.to_string()).map_err(E::custom)
    }

    fn visit_str<E: serde::de::Error>(self, value: &str) -> Result<f64, E> {
        (self.parse)(value).map_err(E::custom)
    }
}

/// As much of `pyproject.toml` as concerns us.
#[derive(Debug, Default, Deserialize)]
#[serde(default)]
struct Project {
    tool: Tool,
}

#[derive(Debug, Default, Deserialize)]
#[serde(default)]
struct Tool {
    antifreeze: Option<File>,
}

/// Whether a `pyproject.toml` has the table. One that is broken has it if it names us at all.
///
/// # Errors
/// What is no TOML, and names us nowhere.
pub fn has_table(text: &str, origin: &Origin) -> Result<bool, ConfigError> {
    match text.parse::<toml::Table>() {
        Ok(table) => Ok(table.get("tool").and_then(|tool| tool.get("antifreeze")).is_some()),
        Err(_) if text.contains("antifreeze") => Ok(true),
        Err(error) => Err(mistake(&error, origin)),
    }
}

/// Where a configuration was written, for its errors.
#[derive(Debug, Clone)]
pub struct Origin {
    /// A path, a flag, a variable.
    pub name: String,
    /// The text, where it is a file's.
    pub text: Option<Arc<str>>,
}

impl Origin {
    fn error(&self, span: Range<usize>, message: String, help: impl Into<String>) -> ConfigError {
        ConfigError { origin: self.name.clone(), place: self.text.clone().map(|text| (text, span)), message, help: help.into() }
    }
}

/// Reads a configuration file, over `base`. What is relative in it is so to its folder if it was `found`; to the current one if it was
/// named, wherever it is.
///
/// # Errors
/// Everything that is wrong with it.
pub fn load(path: &Path, found: bool, base: Config, known: &Known) -> Result<Config, Vec<ConfigError>> {
    let text = find::read(path, found).map_err(|error| vec![error])?;
    let origin = Origin { name: path.to_string_lossy().into_owned(), text: Some(text.as_str().into()) };
    let file = parse(&text, path.file_name().is_some_and(|name| name == find::PYPROJECT), &origin).map_err(|error| vec![error])?;
    let mut config = base;
    config.file = Some(path.to_owned());
    config.root = match path.parent() {
        Some(parent) if found && !parent.as_os_str().is_empty() => parent.to_owned(),
        _ => PathBuf::from("."),
    };
    apply(&mut config, &file, &origin, known)?;
    for relative in [config.baseline.as_mut(), Some(&mut config.cache_dir)].into_iter().flatten() {
        *relative = config.root.join(&*relative);
    }
    Ok(config)
}

/// Parses a configuration.
///
/// # Errors
/// The first thing that TOML or the form of the file does not allow.
pub fn parse(text: &str, project: bool, origin: &Origin) -> Result<File, ConfigError> {
    let parsed = if project {
        toml::from_str::<Project>(text).map(|project| project.tool.antifreeze.unwrap_or_default())
    } else {
        toml::from_str::<File>(text)
    };
    parsed.map_err(|error| mistake(&error, origin))
}

fn mistake(error: &toml::de::Error, origin: &Origin) -> ConfigError {
    let (message, help) = explain(error.message());
    origin.error(error.span().unwrap_or(0..0), message, help)
}

/// What the parser said, with what to do.
fn explain(said: &str) -> (String, String) {
    let said = said.lines().map(str::trim).filter(|line| !line.is_empty()).collect::<Vec<_>>().join(", ");
    let quoted: Vec<&str> = said.split('`').skip(1).step_by(2).collect();
    for (kind, what) in [("unknown field", "key"), ("unknown variant", "value")] {
        if said.starts_with(kind)
            && let Some((typed, known)) = quoted.split_first()
        {
            let shown: String = typed.chars().take(60).collect();
            let meant = did_you_mean(typed, known.iter().copied()).trim_end_matches('?').to_owned();
            if *typed == "tool" && known.contains(&"limits") {
                let help =
                    "In a file of its own the keys stand at the top, without `[tool.antifreeze]`; tables are `[limits]`, `[level]` …";
                return ("`[tool.antifreeze]` is for a pyproject.toml".into(), help.into());
            }
            if known.contains(&"limits") && Limits::NAMES.contains(&typed.replace('-', "_").as_str()) {
                return (format!("`{shown}` does not stand here"), format!("It is a limit: write it under `[limits]`, as `{typed} = …`."));
            }
            let list = known.iter().map(|word| format!("`{word}`")).collect::<Vec<_>>().join(", ");
            return (format!("there is no {what} `{shown}` here{meant}"), format!("Known here: {list}."));
        }
    }
    if let Some(field) = said.strip_prefix("missing field ") {
        return (format!("the key {field} is missing"), "Add it.".into());
    }
    if said.starts_with("invalid type") || said.starts_with("invalid value") {
        // What Rust calls by its own names.
        let words = [
            ("floating point", "the number"),
            ("sequence", "list"),
            ("map", "table"),
            ("u64", "a whole number that is not negative"),
            ("u32", "a whole number up to 4294967295"),
            ("u16", "a whole number up to 65535"),
            ("f64", "a number"),
            ("struct File", "a table"),
            ("struct LimitsFile", "a table"),
            ("struct RuleFile", "a table"),
            ("struct Callable", "a table"),
            ("struct Tool", "a table"),
        ];
        if said.contains("expected a sequence")
            && let Some(word) = said.strip_prefix("invalid type: string ").and_then(|rest| rest.split(", expected").next())
        {
            return (said.replace("sequence", "list"), format!("Write a list: `[{word}]`."));
        }
        let said = words.iter().fold(said, |said, (rust, ours)| said.replace(rust, ours));
        return (said, "Write a value of the type that is expected.".into());
    }
    if said.starts_with("wanted string or table") {
        return ("a text is expected here".into(), "Write one of the known words, in quotes.".into());
    }
    if said.contains("is not a duration") || said.contains("is not a size") {
        return (said, "Write a number above 0, or a text with a unit.".into());
    }
    (said, "Correct the TOML here (https://toml.io).".into())
}

/// Lets what is written count over what `config` says.
///
/// # Errors
/// Everything that is wrong with it: unknown rules, levels, patterns, targets, limits out of bounds.
pub fn apply(config: &mut Config, file: &File, origin: &Origin, known: &Known) -> Result<(), Vec<ConfigError>> {
    let mut errors = Vec::new();
    let mut selector = |word: &Word| {
        // Of a file that is wrong all over, enough is said.
        if errors.len() >= MOST_ERRORS {
            return None;
        }
        let parsed = Selector::parse(word.get_ref(), known);
        parsed.map_err(|(message, help)| errors.push(origin.error(word.span(), message, help))).ok()
    };
    if let Some(select) = &file.select {
        // Whoever selects anew did not mean what a weaker source ignores.
        config.rules.ignore.clear();
        config.rules.select = select.iter().filter_map(&mut selector).collect();
        if select.is_empty() {
            // Nothing was selected, which is not the same as everything.
            config.rules.ignore = Selector::parse("ALL", known).into_iter().collect();
        }
    }
    let more: Vec<Selector> = file.extend_select.iter().flatten().filter_map(&mut selector).collect();
    if !config.rules.select.is_empty() {
        config.rules.select.extend(more);
    }
    config.rules.ignore.extend(file.ignore.iter().flatten().filter_map(&mut selector));
    let mut levels = |table: &BTreeMap<Word, Spanned<LevelSetting>>| -> Vec<(Selector, LevelSetting)> {
        table.iter().filter_map(|(word, level)| Some((selector(word)?, *level.get_ref()))).collect()
    };
    config.rules.levels.extend(levels(&file.level));
    // What is typed is relative to where it is typed.
    let folder = if origin.text.is_some() { config.root.clone() } else { PathBuf::from(".") };
    let pattern = |word: &Word| Pattern::new(word.get_ref(), &folder);
    for (files, table) in &file.per_file_levels {
        config.rules.per_file.push(PerFile { pattern: pattern(files), levels: levels(table) });
    }
    for (files, ignored) in &file.per_file_ignores {
        let levels = ignored.iter().filter_map(|word| Some((selector(word)?, LevelSetting::Off))).collect();
        config.rules.per_file.push(PerFile { pattern: pattern(files), levels });
    }
    for (word, rule) in &file.rule {
        let code = known.rules.iter().find(|(code, name)| code == word.get_ref() || name == word.get_ref()).map(|(code, _)| code.clone());
        let Some(code) = code else {
            let words = known.rules.iter().flat_map(|(code, name)| [code.as_str(), name.as_str()]);
            let message = format!("`{}` names no rule{}", word.get_ref(), did_you_mean(word.get_ref(), words).trim_end_matches('?'));
            errors.push(origin.error(word.span(), message, "Write the code of one rule; `antifreeze rule` lists them."));
            continue;
        };
        if !known.with_callables.contains(&code) {
            let help = format!("Own callables can be given to {}.", known.with_callables.join(", "));
            errors.push(origin.error(word.span(), format!("{code} takes no callables"), help));
            continue;
        }
        for callable in &rule.callable {
            match wrong_callable(callable.get_ref()) {
                Some((message, help)) => errors.push(origin.error(callable.span(), message, help)),
                None => config.callables.push((code.clone(), callable.get_ref().clone())),
            }
        }
    }
    if let Some(target) = &file.target_version {
        match parse_target(target.get_ref()) {
            Ok(target) => config.target = target,
            Err(why) => {
                let (message, help) = why.split_once("; ").unwrap_or((&why, "write it as `3.9-3.14`"));
                let help: String = help[..1].to_uppercase() + &help[1..] + ".";
                errors.push(origin.error(target.span(), message.to_owned(), help));
            }
        }
    }
    for pattern in
        file.exclude.iter().chain(&file.extend_exclude).flatten().chain(file.per_file_ignores.keys()).chain(file.per_file_levels.keys())
    {
        if let Err(why) = Pattern::check(pattern.get_ref()) {
            let help = "Write it as in a `.gitignore`: names anywhere (`tests/`, `*_pb2.py`), or paths below this file's folder (`legacy/**/old_*.py`).";
            errors.push(origin.error(pattern.span(), why, help));
        }
    }
    if let Some(exclude) = &file.exclude {
        config.exclude = exclude.iter().map(pattern).collect();
    }
    config.exclude.extend(file.extend_exclude.iter().flatten().map(pattern));
    config.force_exclude = file.force_exclude.unwrap_or(config.force_exclude);
    config.respect_gitignore = file.respect_gitignore.unwrap_or(config.respect_gitignore);
    config.deny_warnings = file.deny.as_ref().map_or(config.deny_warnings, |deny| deny.contains(&Deny::Warnings));
    if let Some(baseline) = &file.baseline {
        config.baseline = Some(baseline.clone());
    }
    if let Some(folder) = &file.cache_dir {
        config.cache_dir.clone_from(folder);
    }
    config.limits = file.limits.over(config.limits);
    errors.truncate(MOST_ERRORS);
    if errors.is_empty() { Ok(()) } else { Err(errors) }
}

/// What is wrong with a callable, and what to do.
fn wrong_callable(callable: &Callable) -> Option<(String, String)> {
    const MEASURES: [&str; 1] = ["seconds"];
    let is_name = |part: &str| {
        !part.is_empty() && part.chars().all(|c| c.is_alphanumeric() || c == '_') && !part.starts_with(|c: char| c.is_ascii_digit())
    };
    let shown: String = callable.name.chars().take(60).collect();
    if !callable.name.contains('.') || !callable.name.split('.').all(is_name) {
        let help = "Write the module and the name, as they are imported: `company.client.wait`.";
        return Some((format!("`{shown}` is no qualified name"), help.into()));
    }
    if let Some(measures) = callable.measures.as_deref()
        && !MEASURES.contains(&measures)
    {
        let message = format!("a callable of your own cannot measure `{measures}`");
        return Some((message, "Write `measures = \"seconds\"`, or leave it out.".into()));
    }
    if callable.operator.is_some() {
        return Some(("a callable of your own stands for no operator".into(), "Leave `operator` out.".into()));
    }
    if callable.measures.is_some() && callable.argument.is_none() && callable.keyword.is_none() {
        let message = format!("it is not said which argument of `{shown}` has the seconds");
        return Some((message, "Add `argument = 0` (the first), `keyword = \"timeout\"`, or both.".into()));
    }
    None
}

/// A configuration as a file that means the same.
pub fn write(config: &Config) -> Result<String, String> {
    let word = |text: &dyn std::fmt::Display| Word::new(0..0, text.to_string());
    let words = |list: &[Selector]| list.iter().map(|selector| word(selector)).collect::<Vec<_>>();
    let levels = |list: &[(Selector, LevelSetting)]| {
        list.iter().map(|(selector, level)| (word(selector), Spanned::new(0..0, *level))).collect::<BTreeMap<_, _>>()
    };
    let rules = &config.rules;
    let mut rule: BTreeMap<Word, RuleFile> = BTreeMap::new();
    for (code, callable) in &config.callables {
        rule.entry(word(code)).or_default().callable.push(Spanned::new(0..0, callable.clone()));
    }
    let file = File {
        target_version: Some(word(&super::target_text(config.target))),
        select: Some(if rules.select.is_empty() { vec![word(&"ALL")] } else { words(&rules.select) }),
        extend_select: None,
        ignore: Some(words(&rules.ignore)),
        deny: Some(if config.deny_warnings { vec![Deny::Warnings] } else { Vec::new() }),
        exclude: Some(config.exclude.iter().map(|pattern| word(pattern)).collect()),
        extend_exclude: None,
        force_exclude: Some(config.force_exclude),
        respect_gitignore: Some(config.respect_gitignore),
        baseline: config.baseline.clone(),
        cache_dir: Some(config.cache_dir.clone()),
        limits: LimitsFile {
            int_bits: Some(config.limits.int_bits),
            timeout: Some(Duration(config.limits.timeout)),
            memory: Some(Size(config.limits.memory)),
            output: Some(Size(config.limits.output)),
            processes: Some(config.limits.processes),
        },
        level: levels(&rules.levels),
        per_file_ignores: BTreeMap::new(),
        per_file_levels: rules.per_file.iter().map(|per_file| (word(&per_file.pattern), levels(&per_file.levels))).collect(),
        rule,
    };
    toml::to_string(&file).map_err(|error| error.to_string())
}
