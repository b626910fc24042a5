//! Cuts a stream into records: lines, values of JSON, elements of a top-level array, exchanges of a cassette, or all of it as one.

use std::io::{self, Read};
use std::ops::Range;

use memchr::{memchr, memchr2};

/// What the shape of a stream is told by.
const HEAD: usize = 64 << 10;

/// About as much is handed to a thread at once.
const BATCH: usize = 256 << 10;

/// No record is longer.
pub const LONGEST: usize = 256 << 20;

/// How a stream is cut.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum Shape {
    /// A value of JSON in each line.
    Lines,
    /// Values of JSON, one behind the other; of arrays, the elements.
    Values,
    /// A cassette in YAML.
    Cassette,
    /// A cassette whose requests and responses are lists of their own.
    Exchanges,
    /// Server-sent events.
    Stream,
    /// Text: Markdown, Python, prose.
    Text,
    /// A cell of a table: JSON, text or code.
    Cell,
    /// Neither text nor a format that is known.
    Binary,
}

/// A record's place.
#[derive(Debug, Clone, Default)]
pub struct Place {
    /// From 1. In lines it is the number of the line.
    pub record: u64,
    /// The line it begins on, from 1.
    pub line: u64,
    /// Its first byte.
    pub offset: u64,
    /// The path to it, for an element.
    pub root: String,
}

/// Records that lie behind each other in some bytes.
#[derive(Debug, Default)]
pub struct Batch {
    /// The bytes.
    pub bytes: Vec<u8>,
    /// Where the records are, or nothing where each line is one.
    pub records: Vec<(Range<usize>, Place)>,
    /// The place of the first line, where each line is a record.
    pub first: Place,
    /// The last line has no end yet.
    pub open_end: bool,
}

/// Something that is no record.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Broken {
    /// The record's number.
    pub record: u64,
    /// The line.
    pub line: u64,
    /// The byte.
    pub offset: u64,
    /// What is wrong.
    pub message: String,
}

/// Cuts a stream.
pub struct Frames {
    input: Box<dyn Read + Send>,
    buffer: Vec<u8>,
    /// Where in the stream the buffer begins.
    offset: u64,
    line: u64,
    record: u64,
    ended: bool,
    /// How it is cut.
    pub shape: Shape,
    /// In a top-level array: the number of the next element.
    element: Option<usize>,
    value: usize,
    scanner: Scanner,
    /// What could not be read.
    pub broken: Vec<Broken>,
    /// Whether an open last line waits for its end.
    pub follow: bool,
}

impl Frames {
    /// Looks at the beginning of a stream.
    ///
    /// # Errors
    /// When reading fails.
    pub fn new(input: Box<dyn Read + Send>, follow: bool) -> io::Result<Frames> {
        let mut frames = Frames {
            input,
            buffer: Vec::new(),
            offset: 0,
            line: 1,
            record: 1,
            ended: false,
            shape: Shape::Text,
            element: None,
            value: 0,
            scanner: Scanner::default(),
            broken: Vec::new(),
            follow,
        };
        frames.fill(HEAD)?;
        if frames.buffer.starts_with(b"\xef\xbb\xbf") {
            frames.buffer.drain(..3);
            frames.offset = 3;
        }
        frames.shape = shape(&frames.buffer);
        Ok(frames)
    }

    /// Reads until the buffer has so many bytes. A stream that breaks off is at its end, and says why.
    fn fill(&mut self, length: usize) -> io::Result<()> {
        while self.buffer.len() < length && !self.ended {
            let from = self.buffer.len();
            let step = (length - from).clamp(64 << 10, 1 << 20);
            self.buffer.resize(from + step, 0);
            match self.input.read(&mut self.buffer[from..]) {
                Ok(read) => {
                    self.buffer.truncate(from + read);
                    self.ended = read == 0;
                }
                Err(error) if error.kind() == io::ErrorKind::Interrupted => self.buffer.truncate(from),
                Err(error) => {
                    self.buffer.truncate(from);
                    self.ended = true;
                    let offset = self.offset + from as u64;
                    if from == 0 && self.offset == 0 {
                        return Err(error);
                    }
                    self.broken.push(Broken {
                        record: self.record,
                        line: self.line,
                        offset,
                        message: format!("reading stops here: {error}"),
                    });
                }
            }
        }
        Ok(())
    }

    /// After the end of a file that grows: tries again.
    pub fn again(&mut self) {
        self.ended = false;
    }

    /// How far has been read.
    pub fn position(&self) -> u64 {
        self.offset + self.buffer.len() as u64
    }

    /// Whether all that there is now has been given out.
    pub fn is_empty(&self) -> bool {
        self.buffer.is_empty()
    }

    fn take(&mut self, length: usize) -> Vec<u8> {
        let rest = self.buffer.split_off(length);
        self.offset += length as u64;
        std::mem::replace(&mut self.buffer, rest)
    }

    /// The next records, none at the end.
    ///
    /// # Errors
    /// When reading fails at once.
    pub fn batch(&mut self) -> io::Result<Option<Batch>> {
        match self.shape {
            Shape::Lines => self.lines(),
            Shape::Values => self.values(),
            Shape::Cassette => self.exchanges(),
            Shape::Exchanges | Shape::Stream | Shape::Text | Shape::Cell | Shape::Binary => self.whole(),
        }
    }

    fn lines(&mut self) -> io::Result<Option<Batch>> {
        let mut wanted = BATCH;
        loop {
            self.fill(wanted)?;
            if self.buffer.is_empty() {
                return Ok(None);
            }
            let end = memchr::memrchr(b'\n', &self.buffer).map(|at| at + 1);
            let (end, open) = match end {
                Some(end) if !self.ended || end == self.buffer.len() || self.follow => (end, false),
                None if self.follow && self.ended => return Ok(None),
                _ if self.ended => (self.buffer.len(), true),
                _ if self.buffer.len() > LONGEST => {
                    self.skip_line()?;
                    continue;
                }
                _ => {
                    wanted = self.buffer.len() * 2;
                    continue;
                }
            };
            let first = Place { record: self.line, line: self.line, offset: self.offset, root: "$".into() };
            let bytes = self.take(end);
            self.line += newlines(&bytes);
            self.record = self.line;
            return Ok(Some(Batch { bytes, records: Vec::new(), first, open_end: open }));
        }
    }

    /// Passes over a line that is too long.
    fn skip_line(&mut self) -> io::Result<()> {
        let place = (self.record.max(self.line), self.line, self.offset);
        loop {
            if let Some(at) = memchr(b'\n', &self.buffer) {
                self.take(at + 1);
                break;
            }
            let length = self.buffer.len();
            self.take(length);
            self.fill(1 << 20)?;
            if self.buffer.is_empty() {
                break;
            }
        }
        let message = format!("it is longer than {} MiB and is passed over", LONGEST >> 20);
        self.broken.push(Broken { record: place.0, line: place.1, offset: place.2, message });
        self.line += 1;
        Ok(())
    }

    /// All that is left, as one record.
    fn whole(&mut self) -> io::Result<Option<Batch>> {
        if self.shape != Shape::Binary {
            self.fill(LONGEST + 1)?;
        }
        if self.buffer.is_empty() {
            return Ok(None);
        }
        if self.buffer.len() > LONGEST {
            self.skip_line()?;
            self.broken.truncate(16);
            return self.whole();
        }
        let place = Place { record: self.record, line: self.line, offset: self.offset, root: "$".into() };
        let length = self.buffer.len();
        let bytes = self.take(length);
        self.ended |= self.shape == Shape::Binary;
        self.line += newlines(&bytes);
        self.record += 1;
        Ok(Some(Batch { records: vec![(0..length, place)], bytes, ..Batch::default() }))
    }

    /// The exchanges of a cassette: what begins with a dash at the beginning of a line.
    fn exchanges(&mut self) -> io::Result<Option<Batch>> {
        let mut wanted = BATCH;
        loop {
            self.fill(wanted)?;
            if self.buffer.is_empty() {
                return Ok(None);
            }
            if self.line > 1 && !self.buffer.starts_with(b"- ") && self.ended && find(&self.buffer, b"\n- ").is_none() {
                let length = self.buffer.len();
                self.take(length);
                return Ok(None);
            }
            let start = if self.buffer.starts_with(b"- ") { Some(0) } else { find(&self.buffer, b"\n- ").map(|at| at + 1) };
            let after = start.map_or(0, |start| start + 1);
            // A line that begins with neither a blank nor a dash ends the list.
            let mut after_newlines = memchr::memchr_iter(b'\n', &self.buffer[after..]).map(|at| after + at + 1);
            let end = after_newlines.find(|next| !matches!(self.buffer.get(*next), None | Some(b' ' | b'\n' | b'\r' | b'#')));
            let end = match end {
                Some(end) => end,
                None if self.ended => self.buffer.len(),
                None if self.buffer.len() > LONGEST => {
                    self.skip_line()?;
                    continue;
                }
                None => {
                    wanted = self.buffer.len() * 2;
                    continue;
                }
            };
            let start = start.unwrap_or(end);
            let before = newlines(&self.buffer[..start]);
            let root = format!("$.interactions[{}]", self.record - 1);
            let place = Place { record: self.record, line: self.line + before, offset: self.offset + start as u64, root };
            let bytes = self.take(end);
            self.line += newlines(&bytes);
            if start == end {
                continue;
            }
            self.record += 1;
            return Ok(Some(Batch { records: vec![(start..end, place)], bytes, ..Batch::default() }));
        }
    }

    /// Values of JSON, until there are enough of them.
    fn values(&mut self) -> io::Result<Option<Batch>> {
        let mut records: Vec<(Range<usize>, Place)> = Vec::new();
        let mut at = 0;
        let mut lines_until = 0;
        loop {
            // Between values: blanks, commas, the brackets of a top-level array.
            loop {
                if at == self.buffer.len() {
                    let length = self.buffer.len() + BATCH;
                    self.fill(length)?;
                    if at == self.buffer.len() {
                        break;
                    }
                }
                match self.buffer[at] {
                    b' ' | b'\t' | b'\r' | b'\n' => at += 1,
                    b',' if self.element.is_some() => at += 1,
                    b'[' if self.element.is_none() => {
                        self.element = Some(0);
                        at += 1;
                    }
                    b']' if self.element.is_some() => {
                        self.element = None;
                        self.value += 1;
                        at += 1;
                    }
                    _ => break,
                }
            }
            if at == self.buffer.len() {
                if let Some(count) = self.element.take() {
                    let message = "it ends in the middle of an array".to_owned();
                    let offset = self.offset + at as u64;
                    self.broken.push(Broken { record: self.record, line: self.line, offset, message });
                    self.value += usize::from(count > 0);
                }
                break;
            }
            self.line += newlines(&self.buffer[lines_until..at]);
            lines_until = at;
            self.scanner.restart(at);
            let end = loop {
                match self.scanner.end(&self.buffer) {
                    Some(end) => break end,
                    None if self.ended => break self.buffer.len(),
                    None if self.buffer.len() - at > LONGEST => break at,
                    None => {
                        let length = (self.buffer.len() + BATCH).max(self.buffer.len() + (self.buffer.len() - at));
                        self.fill(length)?;
                    }
                }
            };
            if end == at {
                // Too long, or nothing that begins a value: on to a line that looks like one.
                let offset = self.offset + at as u64;
                let message = if self.buffer.len() - at > LONGEST { "it is too long and is passed over" } else { "a value is expected" };
                self.broken.push(Broken { record: self.record, line: self.line, offset, message: message.into() });
                self.record += 1;
                at = self.resume(at + 1)?;
                continue;
            }
            let root = match self.element {
                Some(index) if self.value == 0 => format!("$[{index}]"),
                Some(index) => format!("$#{}[{index}]", self.value),
                None => "$".into(),
            };
            let place = Place { record: self.record, line: self.line, offset: self.offset + at as u64, root };
            records.push((at..end, place));
            self.record += 1;
            match &mut self.element {
                Some(index) => *index += 1,
                None => self.value += 1,
            }
            at = end;
            if at >= BATCH {
                break;
            }
        }
        self.line += newlines(&self.buffer[lines_until..at]);
        if records.is_empty() && at == 0 {
            return Ok(None);
        }
        let bytes = self.take(at);
        Ok(Some(Batch { bytes, records, ..Batch::default() }))
    }

    /// The beginning of the next line that looks like a value.
    fn resume(&mut self, from: usize) -> io::Result<usize> {
        let mut at = from;
        loop {
            while let Some(newline) = memchr(b'\n', &self.buffer[at..]) {
                at += newline + 1;
                let rest = self.buffer[at..].trim_ascii_start();
                if matches!(rest.first(), Some(b'{' | b'[')) {
                    return Ok(at);
                }
            }
            at = self.buffer.len();
            self.fill(at + BATCH)?;
            if self.buffer.len() == at {
                return Ok(at);
            }
            if at > LONGEST {
                return Ok(at);
            }
        }
    }
}

/// How many lines end in it.
pub fn newlines(bytes: &[u8]) -> u64 {
    memchr::memchr_iter(b'\n', bytes).count() as u64
}

fn find(bytes: &[u8], needle: &[u8]) -> Option<usize> {
    memchr::memmem::find(bytes, needle)
}

/// Finds where a value of JSON ends, in a buffer that grows.
#[derive(Debug, Default)]
struct Scanner {
    at: usize,
    start: usize,
    depth: usize,
    in_string: bool,
}

impl Scanner {
    fn restart(&mut self, at: usize) {
        *self = Scanner { at, start: at, depth: 0, in_string: false };
    }

    /// The end of the value; none where more is needed; the start where there is no value.
    fn end(&mut self, bytes: &[u8]) -> Option<usize> {
        while self.at < bytes.len() {
            if self.in_string {
                let Some(next) = memchr2(b'"', b'\\', &bytes[self.at..]) else {
                    self.at = bytes.len();
                    return None;
                };
                self.at += next;
                if bytes[self.at] == b'\\' {
                    if self.at + 1 >= bytes.len() {
                        return None;
                    }
                    self.at += 2;
                    continue;
                }
                self.at += 1;
                self.in_string = false;
                if self.depth == 0 {
                    return Some(self.at);
                }
                continue;
            }
            match bytes[self.at] {
                b'"' => self.in_string = true,
                b'{' | b'[' => self.depth += 1,
                b'}' | b']' if self.depth == 0 => return Some(self.at),
                b'}' | b']' => {
                    self.depth -= 1;
                    if self.depth == 0 {
                        return Some(self.at + 1);
                    }
                }
                b',' | b' ' | b'\n' | b'\r' | b'\t' if self.depth == 0 => return Some(self.at),
                byte if self.depth == 0 && self.at == self.start && !(byte.is_ascii_alphanumeric() || byte == b'-') => {
                    return Some(self.at);
                }
                _ => {}
            }
            self.at += 1;
        }
        None
    }
}

/// Tells how a stream is cut by its beginning.
fn shape(head: &[u8]) -> Shape {
    let text = head.trim_ascii_start();
    let line_end = memchr(b'\n', text);
    let first = text[..line_end.unwrap_or(text.len())].trim_ascii_end();
    let second = line_end.map_or(&[][..], |end| &text[end + 1..]);
    match text.first() {
        Some(b'{') => {
            let whole = line_end.is_none() || first.len() > 1 && first.ends_with(b"}");
            let next_is = second.starts_with(b"{\"") || second.starts_with(b"{ \"");
            // A line that was cut has another one like it behind it.
            if whole && !is_key_of_object(first) || next_is { Shape::Lines } else { Shape::Values }
        }
        Some(b'[') => {
            let inner = text[1..].trim_ascii_start().first();
            let lines = first.len() > 1 && first.ends_with(b"]") && second.trim_ascii_start().starts_with(b"[");
            match inner {
                Some(b'{' | b'[' | b'"' | b']') if lines => Shape::Lines,
                Some(b'{' | b'[' | b'"' | b']') | None => Shape::Values,
                _ => Shape::Text,
            }
        }
        _ if text.starts_with(b"interactions:") || find(&text[..text.len().min(4096)], b"\ninteractions:").is_some() => Shape::Cassette,
        _ if text.starts_with(b"requests:\n- ") => Shape::Exchanges,
        _ if text.starts_with(b"event:") || text.starts_with(b"data:") => Shape::Stream,
        _ if memchr(0, text).is_some() => Shape::Binary,
        _ => {
            // A log of JSON whose first line was cut in front.
            let mut lines = second.split(|byte| *byte == b'\n').map(<[u8]>::trim_ascii);
            let is_json = lines.next().is_some_and(|line| line.starts_with(b"{\"") && line.ends_with(b"}"));
            if is_json { Shape::Lines } else { Shape::Text }
        }
    }
}

/// Whether some bytes are as many brackets closed as opened, none before the last.
pub fn is_balanced(bytes: &[u8]) -> bool {
    Scanner::default().end(bytes) == Some(bytes.len())
}

/// `{"a": {}` closes less than it opens.
fn is_key_of_object(line: &[u8]) -> bool {
    let mut scanner = Scanner::default();
    scanner.end(line).is_none()
}

#[cfg(test)]
mod tests {
    use super::{Frames, Shape, shape};

    fn records(text: &str) -> (Vec<String>, usize) {
        let mut frames = Frames::new(Box::new(std::io::Cursor::new(text.as_bytes().to_vec())), false).expect("it is read");
        let mut found = Vec::new();
        while let Some(batch) = frames.batch().expect("it is read") {
            let text = |range: &std::ops::Range<usize>| String::from_utf8_lossy(&batch.bytes[range.clone()]).into_owned();
            found.extend(batch.records.iter().map(|(range, place)| format!("{} {}", place.root, text(range).trim())));
            if batch.records.is_empty() {
                found.extend(String::from_utf8_lossy(&batch.bytes).lines().map(str::to_owned));
            }
        }
        (found, frames.broken.len())
    }

    #[test]
    fn shapes() {
        assert_eq!(shape(b"{\"a\": 1}\n{\"b\""), Shape::Lines);
        assert_eq!(shape(b"{\n \"a\": 1}"), Shape::Values);
        assert_eq!(shape(b"{\"a\": {}\n, \"b\": 1}"), Shape::Values);
        assert_eq!(shape(b"{\"a\": 1, \"b\n{\"a\": 1}\n"), Shape::Lines);
        assert_eq!(shape(b"[{\"a\": 1},"), Shape::Values);
        assert_eq!(shape(b"[link](x)"), Shape::Text);
        assert_eq!(shape(b"interactions:\n- request:"), Shape::Cassette);
        assert_eq!(shape(b"requests:\n- body: ''\n"), Shape::Exchanges);
        assert_eq!(shape(b"\x00\x01"), Shape::Binary);
        assert_eq!(shape(b"# Title"), Shape::Text);
    }

    #[test]
    fn elements_of_arrays_are_records() {
        assert_eq!(
            records("[\n {\"a\": \"]\\\"\"},\n [1], 2]"),
            (vec!["$[0] {\"a\": \"]\\\"\"}".into(), "$[1] [1]".into(), "$[2] 2".into()], 0)
        );
        assert_eq!(records("{\n}\n{\n\"a\": 1}"), (vec!["$ {\n}".into(), "$ {\n\"a\": 1}".into()], 0));
        assert_eq!(records("[{\"a\": 1}, {\"b").1, 1);
        assert_eq!(records("[{\"a\": 1}, ?\n{\"b\": 1}]").0.len(), 2);
    }
}
