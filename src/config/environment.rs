//! What the environment says: `ANTIFREEZE_…`, between the file and the flags.

use super::error::ConfigError;
use super::file::{Duration, File, LimitsFile, Size, Word};
use crate::limits::{parse_duration, parse_size};

/// The variables, each with the key it stands for.
pub const VARIABLES: [(&str, &str); 12] = [
    ("ANTIFREEZE_CONFIG", "the configuration file, as `--config`"),
    ("ANTIFREEZE_PROFILE", "`agent` or `library`, as `--profile`"),
    ("ANTIFREEZE_SELECT", "codes, separated by commas"),
    ("ANTIFREEZE_IGNORE", "codes, separated by commas"),
    ("ANTIFREEZE_TARGET_VERSION", "`3.12`, or `3.9-3.14`"),
    ("ANTIFREEZE_CACHE_DIR", "where verdicts are kept"),
    ("ANTIFREEZE_NO_CACHE", "not empty and not `0`: as `--no-cache`"),
    ("ANTIFREEZE_INT_BITS", "the most bits an integer may have"),
    ("ANTIFREEZE_TIMEOUT", "a duration"),
    ("ANTIFREEZE_MEMORY", "a size"),
    ("ANTIFREEZE_OUTPUT", "a size"),
    ("ANTIFREEZE_PROCESSES", "a number"),
];

/// The value of a variable, if it is set and not empty.
pub fn variable(name: &str) -> Option<String> {
    std::env::var_os(name).map(|value| value.to_string_lossy().into_owned()).filter(|value| !value.is_empty())
}

fn error(name: &str, message: String) -> ConfigError {
    ConfigError { origin: name.to_owned(), place: None, message, help: "Change the variable or unset it.".to_owned() }
}

/// What the environment configures, each variable in the form of a file.
///
/// # Errors
/// A value that cannot be read; the error names the variable.
pub fn read(variable: impl Fn(&str) -> Option<String>) -> Result<Vec<(&'static str, File)>, ConfigError> {
    let word = |text: &str| Word::new(0..0, text.trim().to_owned());
    let list = |value: &str| Some(value.split(',').map(word).collect());
    let mut said = vec![("the environment", File { limits: limits(&variable)?, ..File::default() })];
    for (name, _) in VARIABLES {
        let Some(value) = variable(name) else { continue };
        let file = match name {
            "ANTIFREEZE_SELECT" => File { select: list(&value), ..File::default() },
            "ANTIFREEZE_IGNORE" => File { ignore: list(&value), ..File::default() },
            "ANTIFREEZE_TARGET_VERSION" => File { target_version: Some(word(&value)), ..File::default() },
            "ANTIFREEZE_CACHE_DIR" => File { cache_dir: Some(value.into()), ..File::default() },
            _ => continue,
        };
        said.push((name, file));
    }
    Ok(said)
}

/// The limits that the environment sets.
///
/// # Errors
/// As [`read`].
pub fn limits(variable: impl Fn(&str) -> Option<String>) -> Result<LimitsFile, ConfigError> {
    fn read<T>(name: &str, value: Option<String>, parse: impl Fn(&str) -> Result<T, String>) -> Result<Option<T>, ConfigError> {
        value.map(|value| parse(&value).map_err(|why| error(name, why))).transpose()
    }
    let number = |value: &str| value.parse::<u64>().map_err(|_| format!("`{value}` is no whole number"));
    let count = |value: &str| u32::try_from(number(value)?).map_err(|_| format!("{value} is more than {}", u32::MAX));
    let size = |name: &str| read(name, variable(name), parse_size).map(|size| size.map(Size));
    Ok(LimitsFile {
        int_bits: read("ANTIFREEZE_INT_BITS", variable("ANTIFREEZE_INT_BITS"), number)?,
        timeout: read("ANTIFREEZE_TIMEOUT", variable("ANTIFREEZE_TIMEOUT"), parse_duration)?.map(Duration),
        memory: size("ANTIFREEZE_MEMORY")?,
        output: size("ANTIFREEZE_OUTPUT")?,
        processes: read("ANTIFREEZE_PROCESSES", variable("ANTIFREEZE_PROCESSES"), count)?,
    })
}
