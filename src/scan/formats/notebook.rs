//! Jupyter notebooks: their cells of Python, and what agents said in what the cells printed.

use super::Format;
use crate::scan::Observed;
use crate::scan::extract::Extractor;
use crate::scan::extract::{Event, flat};
use crate::scan::json::Json;
use crate::scan::observed;
use crate::scan::path::At;

pub(super) const FORMAT: Format = Format { name: "notebook", detect, extract, across: false };

fn detect(value: &Json) -> bool {
    value.array_at("cells").is_some_and(|cells| cells.iter().take(3).any(|cell| cell.get("cell_type").is_some()))
        && (value.get("nbformat").is_some() || value.get("metadata").is_some())
}

fn extract(out: &mut Extractor, at: &At, notebook: &Json) {
    let metadata = notebook.get("metadata");
    let language = metadata.and_then(|data| data.at(&["language_info", "name"]).or_else(|| data.at(&["kernelspec", "language"])));
    if language.and_then(Json::text).is_some_and(|name| !name.to_ascii_lowercase().contains("python") && name != "sage") {
        return;
    }
    let cells = at.key("cells");
    for (index, cell) in notebook.array_at("cells").unwrap_or_default().iter().enumerate() {
        if !cell.has("cell_type", "code") {
            continue;
        }
        let at = cells.index(index);
        let Some(source) = cell.get("source").and_then(flat) else { continue };
        out.turn = cell.get("execution_count").and_then(Json::integer);
        let mut found = out.found(&at.key("source"), &source, 0, true, None);
        found.notebook = true;
        if !found.code.trim().is_empty() {
            out.events.push(Event::Turn);
            out.events.push(Event::Snippet(Box::new(found)));
        }
        let outputs = cell.array_at("outputs").unwrap_or_default();
        let error = outputs.iter().find(|output| output.has("output_type", "error"));
        let ended = match error {
            Some(error) => {
                let said = ["ename", "evalue"].map(|key| error.text_at(key).unwrap_or_default()).join(": ");
                Some(if observed::of_output(&said) == Observed::TimedOut { Observed::TimedOut } else { Observed::Raised })
            }
            None => out.turn.map(|_| Observed::Finished),
        };
        out.events.extend(ended.map(Event::Reply));
        for (number, output) in outputs.iter().enumerate() {
            if let Some(text) = output.get("text").and_then(flat).filter(|text| text.contains("```")) {
                out.events.push(Event::Turn);
                out.prose(&at.key("outputs").index(number).key("text"), &text);
            }
        }
    }
    out.turn = None;
}
