//! Events of OpenHands: actions and observations in turn. `tool_call_metadata` repeats the call.

use super::Format;
use crate::scan::Observed;
use crate::scan::extract::Extractor;
use crate::scan::extract::{Event, flat};
use crate::scan::json::Json;
use crate::scan::observed;
use crate::scan::path::At;
use crate::scan::shell::is_python_file;

pub(super) const FORMAT: Format = Format { name: "openhands", detect, extract, across: false };

fn detect(value: &Json) -> bool {
    let events = |value: &Json| {
        value.array_at("history").is_some_and(|events| events.iter().take(6).any(|event| is_event(event) || is_later(event)))
    };
    events(value) || is_event(value) || is_later(value)
}

/// Whether a value is an event of version 1.
fn is_later(value: &Json) -> bool {
    value.get("source").is_some() && ["ActionEvent", "ObservationEvent", "AgentErrorEvent"].iter().any(|kind| value.has("kind", kind))
}

fn is_event(value: &Json) -> bool {
    let speaks = value.get("source").is_some() || value.get("args").is_some() || value.get("thought").is_some();
    value.text_at("action").is_some()
        && speaks
        && value.get("role").is_none()
        && value.get("observation").is_none_or(|seen| seen.text().is_none_or(|seen| seen.is_empty()))
        || value.text_at("observation").is_some() && value.get("content").is_some() && value.get("action").is_none()
}

fn extract(out: &mut Extractor, at: &At, record: &Json) {
    let Some(events) = record.array_at("history") else {
        out.across = true;
        return event(out, at, record);
    };
    out.model = record.at(&["metadata", "llm_config", "model"]).or_else(|| record.at(&["metadata", "llm", "model"])).and_then(Json::name);
    out.session = record.get("instance_id").and_then(Json::name).or(out.session.take());
    let history = at.key("history");
    for (index, value) in events.iter().enumerate() {
        if value.get("action").is_some() && !value.has("source", "user") {
            out.turn = Some(out.turn.unwrap_or(0) + 1);
        }
        event(out, &history.index(index), value);
    }
}

/// An event of version 1: an action is a call of a tool, an observation names it.
fn later(out: &mut Extractor, at: &At, event: &Json) {
    out.time = event.text_at("timestamp").map(std::borrow::Cow::into_owned);
    let id = event.text_at("tool_call_id");
    let id = id.as_deref();
    if let Some(action) = event.get("action").filter(|_| event.has("kind", "ActionEvent")) {
        out.events.push(Event::Turn);
        match event.get("tool_call").filter(|call| call.object().is_some()) {
            Some(call) => out.tool_call(&at.key("tool_call"), call),
            None => out.call(&at.key("action"), &event.text_at("tool_name").unwrap_or_default(), action, id),
        }
    } else if let Some(error) = event.text_at("error").filter(|_| event.has("kind", "AgentErrorEvent")) {
        out.ended(id, observed::of_error(&error));
    } else if let Some(seen) = event.get("observation") {
        let said = ["content", "output"].iter().find_map(|key| flat(seen.get(key)?)).unwrap_or_default();
        let ended = observed::with_exit_code(observed::of_output(&said), exit_code(seen));
        out.ended(
            id,
            match ended {
                _ if seen.get("timeout").is_some_and(Json::is_true) => Observed::TimedOut,
                Observed::Finished if seen.get("is_error").is_some_and(Json::is_true) => Observed::Raised,
                ended => ended,
            },
        );
    }
}

/// The exit code of a command; of one that was not waited for, there is none.
fn exit_code(seen: &Json) -> Option<i64> {
    let places: [&[&str]; 4] = [&["exit_code"], &["metadata", "exit_code"], &["extras", "exit_code"], &["extras", "metadata", "exit_code"]];
    places.into_iter().find_map(|keys| seen.at(keys)?.signed()).filter(|code| *code != -1)
}

fn event(out: &mut Extractor, at: &At, event: &Json) {
    if is_later(event) {
        return later(out, at, event);
    }
    let arguments = event.get("args").unwrap_or(event);
    let inner = at.key("args");
    let place = if event.get("args").is_some() { &inner } else { at };
    out.time = event.text_at("timestamp").map(std::borrow::Cow::into_owned);
    match event.text_at("action").as_deref() {
        Some("run_ipython") => {
            out.events.push(Event::Turn);
            if let Some(code) = arguments.text_at("code") {
                out.snippet(&place.key("code"), &code, 0, true, None);
            }
        }
        Some("run") => {
            out.events.push(Event::Turn);
            if let Some(command) = arguments.text_at("command") {
                out.shell(&place.key("command"), &command, None);
            }
        }
        Some("write" | "edit") => {
            let path = arguments.text_at("path").unwrap_or_default();
            for key in ["file_text", "content"] {
                if let Some(text) = arguments.text_at(key).filter(|text| !text.is_empty() && is_python_file(&path)) {
                    out.written(&place.key(key), &text, 0, &path);
                    break;
                }
            }
            out.fragments += u64::from(arguments.text_at("new_str").is_some_and(|text| !text.is_empty() && is_python_file(&path)));
        }
        Some(_) => {}
        None => {
            let kind = event.text_at("observation").unwrap_or_default();
            if let Some(output) = event.text_at("content").filter(|_| kind.starts_with("run") || kind == "error") {
                let ended = observed::of_output(&output);
                let ended = observed::with_exit_code(ended, exit_code(event));
                out.events.push(Event::Reply(if kind == "error" && ended == Observed::Finished { Observed::Raised } else { ended }));
            }
        }
    }
}
