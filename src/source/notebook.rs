//! Jupyter notebooks: the text of their Python cells.

use serde::Deserialize;

use super::{Cell, SourceError};

#[derive(Debug, Deserialize)]
struct Notebook {
    #[serde(default)]
    cells: Option<Vec<WrittenCell>>,
    #[serde(default)]
    metadata: Metadata,
}

#[derive(Debug, Default, Deserialize)]
#[serde(default)]
struct Metadata {
    kernelspec: Option<Kernel>,
    language_info: Option<Language>,
}

impl Metadata {
    /// The language, if it is not Python.
    fn foreign(self) -> Option<String> {
        let language = self.language_info.and_then(|info| info.name);
        let language = language.or(self.kernelspec.and_then(|kernel| kernel.language))?.to_lowercase();
        (!matches!(language.as_str(), "python" | "python3" | "ipython" | "sage")).then_some(language)
    }
}

/// Whether bytes are a notebook of another language.
pub(super) fn is_foreign(bytes: &[u8]) -> bool {
    let body = bytes.strip_prefix(b"\xef\xbb\xbf").unwrap_or(bytes);
    serde_json::from_slice::<Notebook>(body).is_ok_and(|notebook| notebook.metadata.foreign().is_some())
}

#[derive(Debug, Deserialize)]
struct Kernel {
    language: Option<String>,
}

#[derive(Debug, Deserialize)]
struct Language {
    name: Option<String>,
}

#[derive(Debug, Deserialize)]
struct WrittenCell {
    cell_type: String,
    #[serde(default)]
    source: Text,
}

/// Whole, or a list of lines.
#[derive(Debug, Deserialize)]
#[serde(untagged)]
enum Text {
    Whole(String),
    Lines(Vec<String>),
}

impl Default for Text {
    fn default() -> Text {
        Text::Whole(String::new())
    }
}

/// Cell magics after which a cell is Python all the same.
const PYTHON_MAGICS: [&str; 6] = ["%%time", "%%timeit", "%%capture", "%%prun", "%%memit", "%%pypy"];

/// What a notebook's cells say.
pub(super) struct Cells {
    /// The text of all Python cells, each from the beginning of a line.
    pub written: String,
    /// The same, as long, with Python in place of what only IPython understands.
    pub python: String,
    /// Where each begins.
    pub starts: Vec<Cell>,
}

/// Reads the cells of a notebook.
pub(super) fn cells(name: &str, bytes: &[u8]) -> Result<Cells, SourceError> {
    let error = |message: String, help: &str| SourceError { name: name.to_owned(), place: None, message, help: help.to_owned() };
    let body = bytes.strip_prefix(b"\xef\xbb\xbf").unwrap_or(bytes);
    let notebook: Notebook = serde_json::from_slice(body)
        .map_err(|why| error(format!("it is no notebook ({why})"), "Save it from Jupyter again, or leave it out (`--exclude`)"))?;
    let Some(written) = notebook.cells else {
        return Err(error("it has no cells, as notebooks have since format 4".into(), "Convert it: `jupyter nbconvert --to notebook`"));
    };
    if let Some(other) = notebook.metadata.foreign() {
        let other: String = other.chars().take(40).collect();
        return Err(error(format!("it is a notebook of `{other}`, not of Python"), "Leave it out (`--exclude`)"));
    }
    let (mut written_text, mut python_text) = (String::new(), String::new());
    let mut cells = Vec::new();
    for (number, cell) in (1..).zip(written) {
        if cell.cell_type != "code" {
            continue;
        }
        let source = match cell.source {
            Text::Whole(text) => text,
            Text::Lines(lines) => lines.concat(),
        };
        let source = source.replace("\r\n", "\n").replace('\r', "\n");
        let first = source.trim_start();
        if first.starts_with("%%") && !PYTHON_MAGICS.contains(&first.split_whitespace().next().unwrap_or("")) {
            continue;
        }
        cells.push(Cell { number, start: written_text.len() as u32 });
        written_text.push_str(&source);
        if !source.ends_with('\n') {
            written_text.push('\n');
        }
        let mut continued = false;
        for line in written_text[python_text.len()..].split_inclusive('\n') {
            let (text, ended) = line.strip_suffix('\n').map_or((line, ""), |text| (text, "\n"));
            let understood = if continued { Some(hidden(text, 0, "#")) } else { without_magic(text) };
            continued = understood.is_some() && text.ends_with('\\');
            python_text.push_str(understood.as_deref().unwrap_or(text));
            python_text.push_str(ended);
        }
    }
    Ok(Cells { written: written_text, python: python_text, starts: cells })
}

/// A line of IPython as a line of Python as long, which does nothing; none where it is Python already.
fn without_magic(line: &str) -> Option<String> {
    let indent = line.len() - line.trim_start().len();
    let words = &line[indent..];
    let is_magic = |words: &str| {
        let mut chars = words.chars();
        match (chars.next(), chars.next()) {
            // `% b` and `!= b` go on with an expression of the line before.
            (Some('%'), Some(next)) => next.is_ascii_alphabetic() || next == '%',
            (Some('!'), Some(next)) => next != '=',
            _ => false,
        }
    };
    let asks = words.strip_prefix('?').is_some()
        || words.trim_end().strip_suffix('?').is_some_and(|name| name.chars().all(|c| c.is_alphanumeric() || matches!(c, '_' | '.' | '?')));
    if is_magic(words) || asks {
        return Some(hidden(line, indent, "0#"));
    }
    // `files = !ls`: the last result, of which nothing is known.
    let (name, command) = words.split_once('=')?;
    let command = command.trim_start();
    let is_name = !name.trim().is_empty() && name.trim().chars().all(|c| c.is_alphanumeric() || c == '_');
    (is_name && is_magic(command)).then(|| hidden(line, line.len() - command.len(), "_#"))
}

/// A line as long of which all from a place on is replaced: its first characters by these, the rest as it is behind a `#`.
fn hidden(line: &str, from: usize, by: &str) -> String {
    let mut end = (from + by.len()).min(line.len());
    while !line.is_char_boundary(end) {
        end += 1;
    }
    let mut out = format!("{}{}", &line[..from], &by[..by.len().min(end - from)]);
    out.extend(std::iter::repeat_n('#', end - out.len()));
    out.push_str(&line[end..]);
    out
}
