//! Events of OpenHands: actions and observations in turn. `tool_call_metadata` repeats the call.

use super::Format;
use crate::scan::Observed;
use crate::scan::extract::Event;
use crate::scan::extract::Extractor;
use crate::scan::json::Json;
use crate::scan::observed;
use crate::scan::path::At;
use crate::scan::shell::is_python_file;

pub(super) const FORMAT: Format = Format { name: "openhands", detect, extract, across: false };

fn detect(value: &Json) -> bool {
    let events = |value: &Json| value.array_at("history").is_some_and(|events| events.iter().take(6).any(is_event));
    events(value) || is_event(value)
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
    out.model = record.at(&["metadata", "llm_config", "model"]).and_then(Json::name);
    out.session = record.get("instance_id").and_then(Json::name).or(out.session.take());
    let history = at.key("history");
    for (index, value) in events.iter().enumerate() {
        if value.get("action").is_some() && !value.has("source", "user") {
            out.turn = Some(out.turn.unwrap_or(0) + 1);
        }
        event(out, &history.index(index), value);
    }
}

fn event(out: &mut Extractor, at: &At, event: &Json) {
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
                let codes = [event.get("exit_code"), event.at(&["extras", "exit_code"]), event.at(&["extras", "metadata", "exit_code"])];
                // Of a command that was not waited for, there is none.
                let code = codes.into_iter().flatten().find_map(Json::signed).filter(|code| *code != -1);
                let ended = observed::with_exit_code(ended, code);
                out.events.push(Event::Reply(if kind == "error" && ended == Observed::Finished { Observed::Raised } else { ended }));
            }
        }
    }
}
