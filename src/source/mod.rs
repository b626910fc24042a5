//! Where code comes from: bytes, files, standard input, later notebook cells and log records.
//!
//! A [`Source`] holds one canonical text: decoded, without byte order mark, with `\n` as its only line end (CPython's
//! universal newlines), and possibly without indentation or code fences that kept it from parsing. The executor compiles
//! this very text, so the bytes cannot mean one thing to the gate and another to CPython. A compact map leads from its
//! byte offsets back to the original.

mod decode;
mod notebook;
mod pieces;

use std::fmt;
use std::io::Read;
use std::path::Path;
use std::sync::{Arc, OnceLock};

pub use pieces::Pieces;

/// One snippet: its canonical text, and the way back to where the text came from.
#[derive(Debug, Clone)]
pub struct Source {
    /// How the user named it: a path exactly as given, `<stdin>`, `<command>`.
    pub name: String,
    /// The one text that is analysed and executed.
    pub text: Arc<str>,
    origin: Arc<Origin>,
    /// From the canonical text to the decoded one, where they differ.
    rescue: Option<Arc<Pieces>>,
    /// The cells of a notebook, in order; their lines are counted in each.
    cells: Option<Arc<[Cell]>>,
}

/// A cell of a notebook that holds Python.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub struct Cell {
    /// Its number among all cells, from 1.
    pub number: u32,
    /// Where it begins in the decoded text.
    pub start: u32,
}

/// The text as decoded, before any rescue.
#[derive(Debug)]
struct Origin {
    text: Arc<str>,
    /// From the decoded text to the original bytes.
    pieces: Pieces,
    line_starts: OnceLock<Vec<u32>>,
}

/// A place in the original text.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub struct Position {
    /// 1-based line.
    pub line: u32,
    /// 1-based column in characters.
    pub column: u32,
    /// Byte offset; in a notebook from the beginning of the cell's text.
    pub offset: u32,
    /// The notebook's cell, from 1.
    pub cell: Option<u32>,
}

/// Why there is no text to look at.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct SourceError {
    /// How the user named the source.
    pub name: String,
    /// 1-based line and byte offset, where the error has a place.
    pub place: Option<(u32, u32)>,
    /// What is wrong, as a sentence without the place.
    pub message: String,
    /// What to do about it.
    pub help: String,
}

impl fmt::Display for SourceError {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        write!(f, "{}", self.name)?;
        if let Some((line, offset)) = self.place {
            write!(f, ", line {line}, byte {offset}")?;
        }
        write!(f, ": {}. {}", self.message, self.help)
    }
}

impl std::error::Error for SourceError {}

impl Source {
    /// The most bytes a source may have. Offsets are 32 bits wide, and no program is this large.
    pub const MAX_BYTES: usize = 1 << 29;

    /// Decodes bytes as CPython does a source file: UTF-8, or what a PEP 263 cookie says.
    ///
    /// # Errors
    /// NUL bytes, bytes that do not decode, encodings that only Python itself knows, more than [`Source::MAX_BYTES`].
    pub fn from_bytes(name: &str, bytes: &[u8]) -> Result<Source, SourceError> {
        let decoded = decode::decode(name, bytes)?;
        Ok(Source::with_pieces(name, decoded.text, decoded.pieces))
    }

    /// Reads and decodes a file.
    ///
    /// # Errors
    /// As [`Source::from_bytes`], and when the file cannot be read.
    pub fn from_path(path: &Path) -> Result<Source, SourceError> {
        let name = path.to_string_lossy();
        let read = std::fs::File::open(path).and_then(read_bounded);
        match read {
            Ok(bytes) => Source::from_bytes(&name, &bytes),
            Err(error) => Err(unreadable(&name, &error)),
        }
    }

    /// Reads and decodes all of a stream, standard input for one.
    ///
    /// # Errors
    /// As [`Source::from_bytes`], and when reading fails.
    pub fn from_reader(name: &str, reader: impl Read) -> Result<Source, SourceError> {
        match read_bounded(reader) {
            Ok(bytes) => Source::from_bytes(name, &bytes),
            Err(error) => Err(unreadable(name, &error)),
        }
    }

    /// Takes text that is decoded already (`-c CODE`, a cell, a record): a cookie in it means nothing.
    ///
    /// # Errors
    /// NUL characters, more than [`Source::MAX_BYTES`].
    pub fn from_text(name: &str, text: &str) -> Result<Source, SourceError> {
        let decoded = decode::normalise(name, text, 0)?;
        Ok(Source::with_pieces(name, decoded.text, decoded.pieces))
    }

    fn with_pieces(name: &str, text: String, pieces: Pieces) -> Source {
        let text: Arc<str> = text.into();
        let origin = Arc::new(Origin { text: Arc::clone(&text), pieces, line_starts: OnceLock::new() });
        Source { name: name.to_owned(), text, origin, rescue: None, cells: None }
    }

    /// The same source with another canonical text, whose offsets `pieces` leads back to the decoded text.
    pub fn rescued(self, text: Arc<str>, pieces: Pieces) -> Source {
        Source { text, rescue: Some(Arc::new(pieces)), ..self }
    }

    /// Takes the Python cells of a Jupyter notebook, as one text: names of one cell are known in the next.
    ///
    /// # Errors
    /// What is no notebook, or one of another language, and as [`Source::from_text`].
    pub fn from_notebook(name: &str, bytes: &[u8]) -> Result<Source, SourceError> {
        let notebook::Cells { written, python, starts: cells } = notebook::cells(name, bytes)?;
        let source = Source { cells: Some(cells.into()), ..Source::from_text(name, &written)? };
        // Python and what was written are as long as each other, and shown is what was written.
        if written == python { Ok(source) } else { Ok(source.rescued(python.into(), Pieces::default())) }
    }

    /// Whether bytes are a notebook of another language than Python.
    pub fn is_foreign_notebook(bytes: &[u8]) -> bool {
        notebook::is_foreign(bytes)
    }

    /// Whether it is a notebook.
    pub fn is_notebook(&self) -> bool {
        self.cells.is_some()
    }

    /// The bytes of [`Source::original_text`] that belong together with an offset into it: its cell, or all.
    pub fn unit(&self, offset: u32) -> std::ops::Range<usize> {
        let Some(cells) = &self.cells else { return 0..self.origin.text.len() };
        let next = cells.partition_point(|cell| cell.start <= offset);
        let start = next.checked_sub(1).map_or(0, |at| cells[at].start as usize);
        start..cells.get(next).map_or(self.origin.text.len(), |cell| cell.start as usize)
    }

    /// Whether indentation or code fences were removed.
    pub fn is_rescued(&self) -> bool {
        self.rescue.is_some()
    }

    /// The text as it was decoded, before indentation or code fences were removed: what [`Position::line`] and
    /// [`Position::column`] count in.
    pub fn original_text(&self) -> &str {
        &self.origin.text
    }

    /// The offset in [`Source::original_text`] of an offset into the canonical text.
    pub fn original_offset(&self, offset: u32) -> u32 {
        let offset = offset.min(self.text.len() as u32);
        let offset = self.rescue.as_ref().map_or(offset, |pieces| pieces.original(offset));
        offset.min(self.origin.text.len() as u32)
    }

    /// Where a byte offset into the canonical text lies in the original.
    pub fn position(&self, offset: u32) -> Position {
        let text = &self.origin.text;
        let mut at = self.original_offset(offset) as usize;
        while !text.is_char_boundary(at) {
            at -= 1;
        }
        let starts = self.origin.line_starts.get_or_init(|| {
            let newlines = text.bytes().enumerate().filter(|(_, byte)| *byte == b'\n');
            std::iter::once(0).chain(newlines.map(|(i, _)| i as u32 + 1)).collect()
        });
        let line = starts.partition_point(|start| *start as usize <= at).max(1);
        let column = text[starts[line - 1] as usize..at].chars().count();
        let offset = self.origin.pieces.original(at as u32);
        let Some(cells) = &self.cells else { return Position { line: line as u32, column: column as u32 + 1, offset, cell: None } };
        let cell = cells[..cells.partition_point(|cell| cell.start as usize <= at)].last();
        let Some(Cell { number, start }) = cell.or(cells.first()).copied() else {
            return Position { line: line as u32, column: column as u32 + 1, offset, cell: None };
        };
        let before = starts.partition_point(|line_start| *line_start < start);
        Position {
            line: line.saturating_sub(before).max(1) as u32,
            column: column as u32 + 1,
            offset: (at as u32).saturating_sub(start),
            cell: Some(number),
        }
    }
}

/// All of a stream.
///
/// # Errors
/// When reading fails.
pub fn read_all(name: &str, reader: impl Read) -> Result<Vec<u8>, SourceError> {
    read_bounded(reader).map_err(|error| unreadable(name, &error))
}

/// All of a file.
///
/// # Errors
/// When it cannot be read.
pub fn read_file(path: &Path) -> Result<Vec<u8>, SourceError> {
    std::fs::File::open(path).and_then(read_bounded).map_err(|error| unreadable(&path.to_string_lossy(), &error))
}

fn read_bounded(reader: impl Read) -> std::io::Result<Vec<u8>> {
    let mut bytes = Vec::new();
    reader.take(Source::MAX_BYTES as u64 + 1).read_to_end(&mut bytes)?;
    Ok(bytes)
}

fn unreadable(name: &str, error: &std::io::Error) -> SourceError {
    SourceError {
        name: name.to_owned(),
        place: None,
        message: format!("it cannot be read ({error})"),
        help: "Check the path and its permissions".to_owned(),
    }
}
