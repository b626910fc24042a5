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

impl Source {
    /// A source whose text is already decoded.
    pub fn new(name: impl Into<String>, text: impl Into<Arc<str>>) -> Source {
        Source { name: name.into(), text: text.into() }
    }

    /// Where a byte offset of the canonical text lies in the original text. Offsets past the end, or inside a character,
    /// give the nearest place before.
    pub fn position(&self, offset: u32) -> Position {
        let mut end = (offset as usize).min(self.text.len());
        while !self.text.is_char_boundary(end) {
            end -= 1;
        }
        let before = &self.text[..end];
        let line_start = before.rfind('\n').map_or(0, |at| at + 1);
        Position {
            line: 1 + before.bytes().filter(|byte| *byte == b'\n').count() as u32,
            column: 1 + before[line_start..].chars().count() as u32,
            offset: end as u32,
        }
    }
}
