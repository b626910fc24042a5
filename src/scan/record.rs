//! Reads the records of a batch.

use std::borrow::Cow;
use std::sync::{Arc, LazyLock};

use aho_corasick::AhoCorasick;

use super::extract::{Event, Extractor};
use super::fences;
use super::formats::{self, stream, vcr};
use super::frames::{Batch, Broken, Place, Shape, is_balanced, newlines};
use super::json::Json;
use super::judge::{Judge, Judged};
use super::path::At;
use crate::source::Source;
use crate::syntax;

/// What a record says.
#[derive(Debug)]
pub struct Said {
    /// Where it is.
    pub place: Place,
    /// What happened, in order.
    pub events: Vec<(Event, Option<Arc<Judged>>)>,
    /// Whether later records go on with it.
    pub across: bool,
}

/// What a batch says.
#[derive(Debug, Default)]
pub struct Read {
    /// The records in which something happened.
    pub said: Vec<Said>,
    /// How many records there were.
    pub records: u64,
    /// Parts of programs.
    pub fragments: u64,
    /// What could not be read.
    pub broken: Vec<Broken>,
    /// A text in which no code was seen.
    pub unrecognised: bool,
}

/// What to do with snippets.
#[derive(Debug, Clone, Copy)]
pub struct Reader<'a> {
    /// The gate; none where verdicts come later.
    pub judge: Option<&'a Judge>,
    /// The name of the file.
    pub file: &'a str,
    /// How it was cut.
    pub shape: Shape,
}

static MARKS: LazyLock<Option<AhoCorasick>> = LazyLock::new(|| AhoCorasick::new(formats::MARKS).ok());

impl Reader<'_> {
    /// Reads a batch.
    pub fn read(&self, batch: &Batch) -> Read {
        let mut read = Read::default();
        if !batch.records.is_empty() {
            for (range, place) in &batch.records {
                self.record(&mut read, &batch.bytes[range.clone()], place.clone(), false);
            }
            return read;
        }
        let mut at = 0;
        let mut place = batch.first.clone();
        for end in memchr::memchr_iter(b'\n', &batch.bytes).map(|at| at + 1).chain([batch.bytes.len()]) {
            if end == at {
                continue;
            }
            place.offset = batch.first.offset + at as u64;
            let is_last = end == batch.bytes.len() && batch.open_end;
            self.record(&mut read, &batch.bytes[at..end], place.clone(), is_last);
            place.record += 1;
            place.line += 1;
            at = end;
        }
        read
    }

    fn record(&self, read: &mut Read, bytes: &[u8], place: Place, is_open: bool) {
        let trimmed = bytes.trim_ascii();
        if trimmed.is_empty() {
            return;
        }
        read.records += 1;
        let is_json = matches!(self.shape, Shape::Lines | Shape::Values);
        // What could hold no code is not read, as long as it looks whole.
        if is_json && MARKS.as_ref().is_some_and(|marks| !marks.is_match(trimmed)) && is_balanced(trimmed) {
            return;
        }
        let mut complain = |offset: usize, message: String| {
            let line = place.line + newlines(&bytes[..offset.min(bytes.len())]);
            read.broken.push(Broken { record: place.record, line, offset: place.offset + offset as u64, message });
        };
        if self.shape == Shape::Binary {
            let utf16 = trimmed.starts_with(b"\xff\xfe") || trimmed.starts_with(b"\xfe\xff");
            let message = if utf16 { "it is UTF-16; save it as UTF-8" } else { "it is no text, and no archive that is known" };
            return complain(0, message.into());
        }
        let text = match std::str::from_utf8(bytes) {
            Ok(text) => Cow::Borrowed(text),
            Err(error) => {
                let at = error.valid_up_to();
                complain(at, format!("the byte 0x{:02x} is not valid UTF-8; it is read as `\u{fffd}`", bytes[at]));
                String::from_utf8_lossy(bytes)
            }
        };
        let mut out = Extractor::default();
        let at = At::root(&place.root);
        match self.shape {
            Shape::Lines | Shape::Values => match Json::parse(&text) {
                Ok(value) if stream::is_piece(&value) => {
                    out.across = true;
                    out.events.push(Event::Piece(text.trim().to_owned()));
                }
                Ok(value) => out.walk(&at, &value, 0),
                Err(error) => {
                    let cut = if is_open { " (the last line has no end: it may still be written)" } else { "" };
                    complain(error.at, format!("it is no JSON: {error}{cut}"));
                    return;
                }
            },
            Shape::Cassette | Shape::Exchanges => match vcr::to_json(&text) {
                Ok(json) => match Json::parse(&json) {
                    Ok(Json::Array(exchanges)) => exchanges.first().into_iter().for_each(|exchange| vcr::extract(&mut out, &at, exchange)),
                    Ok(cassette) => vcr::lists(&mut out, &at, &cassette),
                    Err(error) => complain(0, format!("it is no exchange: {error}")),
                },
                Err((line, message)) => complain(0, format!("it is no YAML: {message} (its line {line})")),
            },
            Shape::Stream => stream::extract(&mut out, &at, &text),
            Shape::Cell => {
                let is_json = matches!(trimmed[0], b'{' | b'[') && out.within(&at, &text, 0);
                if !is_json {
                    self.text(&mut out, &at, &text, &mut false);
                }
            }
            Shape::Text | Shape::Binary => self.text(&mut out, &at, &text, &mut read.unrecognised),
        }
        read.fragments += out.fragments;
        if !out.across && !out.events.iter().any(|event| matches!(event, Event::Snippet(_) | Event::Said(_))) || out.events.is_empty() {
            return;
        }
        let events = out.events.into_iter().map(|event| {
            let judged = match (&event, self.judge) {
                (Event::Snippet(found), Some(judge)) => Some(judge.judge(&found.code, found.notebook)),
                _ => None,
            };
            (event, judged)
        });
        read.said.push(Said { place, events: events.collect(), across: out.across });
    }

    /// Markdown, prose with tags, or a program.
    fn text(&self, out: &mut Extractor, at: &At, text: &str, unrecognised: &mut bool) {
        if formats::autogen_chat::is_chat(text) {
            return out.as_format("autogen", |out| formats::autogen_chat::extract(out, at, text));
        }
        if out.as_format("smolagents", |out| out.boxes(at, text)) {
            return;
        }
        let named = self.shape != Shape::Cell && super::shell::is_python_file(self.file);
        let blocks = if named { Vec::new() } else { fences::blocks(text) };
        let is_code = named || self.shape == Shape::Cell && ["code", "python", "program"].iter().any(|word| at.to_string().contains(word));
        if blocks.iter().any(|block| block.kind != fences::Kind::Output) {
            out.format = if text.contains("```") || text.contains("~~~") { "markdown" } else { "text" };
            out.prose(at, text);
        } else if is_code || is_program(text) {
            out.format = if self.shape == Shape::Cell { "table" } else { "python" };
            out.snippet(at, text, 0, true, None);
        } else {
            *unrecognised = true;
        }
    }
}

/// Programs longer than this are told by their names alone.
const PROGRAM: usize = 256 << 10;

/// Whether a text is Python, and not prose that happens to parse.
fn is_program(text: &str) -> bool {
    if text.len() > PROGRAM {
        return false;
    }
    let is_statement = |line: &str| {
        let starts = ["def ", "class ", "import ", "from ", "for ", "while ", "if ", "print(", "with ", "@", "async ", "try:", "return "];
        let name = line.find(|c: char| !(c.is_alphanumeric() || c == '_')).unwrap_or(line.len());
        let rest = line[name..].trim_start();
        starts.iter().any(|start| line.starts_with(start))
            || name > 0 && (rest.starts_with('=') || rest.starts_with('(') || rest.starts_with('.'))
    };
    let shebang = text.starts_with("#!") && text.lines().next().is_some_and(|line| line.contains("python"));
    if !shebang && !text.lines().any(is_statement) {
        return false;
    }
    shebang || Source::from_text("", text).is_ok_and(|source| syntax::parse(source).1.errors.is_empty())
}
