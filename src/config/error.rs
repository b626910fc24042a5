//! What is wrong with a configuration, and where.

use std::fmt;
use std::ops::Range;
use std::sync::Arc;

/// A mistake in a configuration.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct ConfigError {
    /// Where it was written: a file's path, a flag, a variable of the environment.
    pub origin: String,
    /// The text and the bytes of it that are meant, where it was written in a text.
    pub place: Option<(Arc<str>, Range<usize>)>,
    /// What is wrong, as a sentence without a full stop.
    pub message: String,
    /// What to do about it, a sentence.
    pub help: String,
}

impl fmt::Display for ConfigError {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        write!(f, "{}", self.origin)?;
        if let Some((text, span)) = &self.place {
            let lines = text.char_indices().take_while(|(at, _)| *at < span.start).filter(|(_, char)| *char == '\n').count();
            write!(f, ", line {}", lines + 1)?;
        }
        write!(f, ": {}. {}", self.message, self.help)
    }
}

impl std::error::Error for ConfigError {}
