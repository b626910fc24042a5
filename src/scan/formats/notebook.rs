//! Jupyter notebooks: their cells of Python, and what agents said in what the cells printed.

use super::{Format, autogen_chat};
use crate::scan::Observed;
use crate::scan::extract::Extractor;
use crate::scan::extract::{Event, flat};
use crate::scan::json::Json;
use crate::scan::observed;
use crate::scan::path::At;
use crate::scan::shell::is_python_file;

pub(super) const FORMAT: Format = Format { name: "notebook", detect, extract, across: false };

/// Magics whose cells are Python all the same.
const PYTHON: [&str; 12] =
    ["time", "timeit", "capture", "prun", "python", "python3", "pypy", "py", "memit", "mprun", "snakeviz", "ipytest"];

fn detect(value: &Json) -> bool {
    let cells =
        |value: &Json| value.array_at("cells").is_some_and(|cells| cells.iter().take(3).any(|cell| cell.get("cell_type").is_some()));
    cells(value) && (value.get("nbformat").is_some() || value.get("metadata").is_some())
        || value.get("nbformat").is_some() && value.array_at("worksheets").is_some_and(|sheets| sheets.iter().any(cells))
}

fn extract(out: &mut Extractor, at: &At, notebook: &Json) {
    let metadata = notebook.get("metadata");
    let language = metadata.and_then(|data| data.at(&["language_info", "name"]).or_else(|| data.at(&["kernelspec", "language"])));
    if language.and_then(Json::text).is_some_and(|name| is_foreign(&name)) {
        return;
    }
    // Before version 4 the cells were on sheets.
    let worksheets = at.key("worksheets");
    for (index, sheet) in notebook.array_at("worksheets").unwrap_or_default().iter().enumerate() {
        cells(out, &worksheets.index(index), sheet);
    }
    cells(out, at, notebook);
    out.turn = None;
}

fn is_foreign(language: &str) -> bool {
    !language.to_ascii_lowercase().contains("python") && language != "sage"
}

fn cells(out: &mut Extractor, at: &At, sheet: &Json) {
    let at = at.key("cells");
    for (index, cell) in sheet.array_at("cells").unwrap_or_default().iter().enumerate() {
        if cell.has("cell_type", "code") && !cell.text_at("language").is_some_and(|name| is_foreign(&name)) {
            self::cell(out, &at.index(index), cell);
        }
    }
}

fn cell(out: &mut Extractor, at: &At, cell: &Json) {
    let Some((key, source)) = ["source", "input"].iter().find_map(|key| Some((*key, flat(cell.get(key)?)?))) else { return };
    out.turn = cell.get("execution_count").or_else(|| cell.get("prompt_number")).and_then(Json::integer);
    code(out, &at.key(key), &source);
    let outputs = cell.array_at("outputs").unwrap_or_default();
    let error = outputs.iter().find(|output| output.has("output_type", "error") || output.has("output_type", "pyerr"));
    let ended = match error {
        Some(error) => {
            let said = ["ename", "evalue"].map(|key| error.text_at(key).unwrap_or_default()).join(": ");
            Some(if observed::of_output(&said) == Observed::TimedOut { Observed::TimedOut } else { Observed::Raised })
        }
        None => out.turn.map(|_| Observed::Finished),
    };
    out.events.extend(ended.map(Event::Reply));
    let place = at.key("outputs");
    for (number, output) in outputs.iter().enumerate() {
        if let Some(text) = output.get("text").and_then(flat) {
            printed(out, &place.index(number).key("text"), &text);
        }
    }
}

/// The code of a cell. The first line may say that it is of another language, or a file.
fn code(out: &mut Extractor, at: &At, source: &str) {
    let first = source.trim_start().lines().next().unwrap_or_default();
    let mut words = first.strip_prefix("%%").unwrap_or_default().split_whitespace();
    let body = source.trim_start().split_once('\n').map_or("", |(_, body)| body);
    match words.next() {
        Some("bash" | "sh" | "script" | "system" | "shell") => {
            out.events.push(Event::Turn);
            out.shell(at, body, None);
        }
        Some("writefile" | "file") => {
            if let Some(file) = words.next().filter(|file| is_python_file(file)) {
                out.events.push(Event::Turn);
                out.written(at, body, source.len() - body.len(), file);
            }
        }
        Some(magic) if !PYTHON.contains(&magic) => {}
        _ => {
            let mut found = out.found(at, source, 0, true, None);
            found.notebook = true;
            if !found.code.trim().is_empty() {
                out.events.push(Event::Turn);
                out.events.push(Event::Snippet(Box::new(found)));
            }
        }
    }
}

/// What a cell printed: the chat of agents, boxes, code in fences and tags.
fn printed(out: &mut Extractor, at: &At, text: &str) {
    if autogen_chat::is_chat(text) {
        out.as_format("autogen", |out| autogen_chat::extract(out, at, text));
    } else if !out.as_format("smolagents", |out| out.boxes(at, text)) && ["```", "<execute>"].iter().any(|mark| text.contains(mark)) {
        out.events.push(Event::Turn);
        out.prose(at, text);
    }
}
