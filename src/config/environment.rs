//! What the environment says: `ANTIFREEZE_…`, between the file and the flags.

use super::error::ConfigError;
use super::file::{Duration, File, LimitsFile, Size, Word};

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

/// What the environment configures, in the form of a file.
///
/// # Errors
/// A value that cannot be read; the error names the variable.
pub fn read(variable: impl Fn(&str) -> Option<String>) -> Result<File, ConfigError> {
    let error = |name: &str, message: String| ConfigError {
        origin: name.to_owned(),
        place: None,
        message,
        help: "Change the variable or unset it.".to_owned(),
    };
    let word = |text: &str| Word::new(0..0, text.trim().to_owned());
    let list = |name: &str| variable(name).map(|value| value.split(',').map(word).collect());
    let number = |name: &str| {
        let Some(value) = variable(name) else { return Ok(None) };
        value.parse::<u64>().map(Some).map_err(|_| error(name, format!("`{value}` is no whole number")))
    };
    let size = |name: &str| variable(name).map(|value| crate::limits::parse_size(&value).map_err(|why| error(name, why))).transpose();
    let timeout = variable("ANTIFREEZE_TIMEOUT")
        .map(|value| crate::limits::parse_duration(&value).map_err(|why| error("ANTIFREEZE_TIMEOUT", why)))
        .transpose()?;
    let processes = number("ANTIFREEZE_PROCESSES")?
        .map(|n| u32::try_from(n).map_err(|_| error("ANTIFREEZE_PROCESSES", format!("{n} is more than {}", u32::MAX))))
        .transpose()?;
    Ok(File {
        select: list("ANTIFREEZE_SELECT"),
        ignore: list("ANTIFREEZE_IGNORE"),
        target_version: variable("ANTIFREEZE_TARGET_VERSION").map(|text| word(&text)),
        cache_dir: variable("ANTIFREEZE_CACHE_DIR").map(Into::into),
        limits: LimitsFile {
            int_bits: number("ANTIFREEZE_INT_BITS")?,
            timeout: timeout.map(Duration),
            memory: size("ANTIFREEZE_MEMORY")?.map(Size),
            output: size("ANTIFREEZE_OUTPUT")?.map(Size),
            processes,
        },
        ..File::default()
    })
}
