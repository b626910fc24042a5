//! Trajectories of SWE-agent: actions in its command language, in which a file is created, then edited. `history` says the same again.

use super::Format;
use crate::scan::extract::Event;
use crate::scan::extract::Extractor;
use crate::scan::json::Json;
use crate::scan::observed;
use crate::scan::path::At;
use crate::scan::shell::{is_python_file, words};

pub(super) const FORMAT: Format = Format { name: "swe-agent", detect, extract, across: false };

fn detect(value: &Json) -> bool {
    value.array_at("trajectory").and_then(|steps| steps.first()).is_some_and(|step| step.get("action").is_some())
}

fn extract(out: &mut Extractor, at: &At, run: &Json) {
    let trajectory = at.key("trajectory");
    let mut created: Option<String> = None;
    out.model = model(run);
    for (index, step) in run.array_at("trajectory").unwrap_or_default().iter().enumerate() {
        let place = trajectory.index(index);
        let at = place.key("action");
        out.turn = Some(index as u64 + 1);
        out.events.push(Event::Turn);
        let Some(action) = step.text_at("action") else { continue };
        let action = action.trim_start();
        if let Some(file) = action.strip_prefix("create ") {
            created = Some(file.trim().to_owned());
        } else if action.starts_with("edit ") || action.starts_with("edit\n") {
            edit(out, &at, action, created.take());
        } else if action.starts_with("insert ") {
            match (created.take().filter(|file| is_python_file(file)), words(action).get(1)) {
                (Some(file), Some(text)) => out.written(&at, text, 0, &file),
                _ => out.fragments += 1,
            }
        } else if action.starts_with("str_replace_editor create ") {
            let words = words(action);
            let text = words.iter().position(|word| word == "--file_text").and_then(|at| words.get(at + 1));
            if let (Some(file), Some(text)) = (words.get(2).filter(|file| is_python_file(file)), text) {
                out.written(&at, text, 0, file);
            }
        } else {
            out.shell(&at, action, None);
        }
        if let Some(output) = step.text_at("observation") {
            out.events.push(Event::Reply(observed::of_output(&output)));
        }
    }
}

/// The model, in a configuration that may be JSON in a string.
fn model(run: &Json) -> Option<String> {
    let text = run.text_at("replay_config").unwrap_or_default();
    let parsed = Json::parse(&text).ok();
    let config = parsed.as_ref().or_else(|| run.get("replay_config"));
    let name = config.and_then(|config| config.at(&["agent", "model", "name"]));
    run.at(&["info", "model"]).or(name).and_then(Json::name)
}

/// `edit 1:1` or `edit`, the new lines, `end_of_edit`: a program where it fills a file that was just created.
fn edit(out: &mut Extractor, at: &At, action: &str, created: Option<String>) {
    let Some((head, body)) = action.split_once('\n') else { return };
    let body = body.trim_end();
    let body = body.strip_suffix("end_of_edit").unwrap_or(body);
    let from_first = head.split_whitespace().nth(1).is_none_or(|range| range.starts_with("1:"));
    match created.filter(|file| is_python_file(file) && from_first) {
        Some(file) => out.written(at, body, 0, &file),
        None => out.fragments += 1,
    }
}
