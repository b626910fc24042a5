//! Where code comes from: bytes, files, standard input, later notebook cells and log records.

use std::sync::Arc;

/// One snippet: its canonical text, and the way back to where the text came from.
#[derive(Debug, Clone)]
pub struct Source {
    /// How the user named it: a path exactly as given, `<stdin>`, `<command>`.
    pub name: String,
    /// The one text that is analysed and executed.
    pub text: Arc<str>,
}

/// A place in the original text.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub struct Position {
    /// 1-based line.
    pub line: u32,
    /// 1-based column in characters.
    pub column: u32,
    /// Byte offset.
    pub offset: u32,
}
