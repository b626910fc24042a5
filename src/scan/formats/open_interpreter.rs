//! Messages of Open Interpreter, whole or streamed between a start and an end.

use super::Format;
use crate::scan::extract::Event;
use crate::scan::extract::Extractor;
use crate::scan::json::Json;
use crate::scan::observed;
use crate::scan::path::At;

pub(super) const FORMAT: Format = Format { name: "open-interpreter", detect, extract, across: true };

fn detect(value: &Json) -> bool {
    is_old(value) || value.text_at("role").is_some() && (value.has("type", "code") || value.has("type", "console"))
}

/// Whether it is a message as they were before version 0.2, with code and output beside the text.
fn is_old(value: &Json) -> bool {
    value.text_at("role").is_some() && value.text_at("code").is_some() && value.text_at("language").is_some()
}

fn old(out: &mut Extractor, at: &At, message: &Json) {
    let code = message.text_at("code").unwrap_or_default();
    out.events.push(Event::Turn);
    if message.has("language", "python") {
        out.snippet(&at.key("code"), &code, 0, true, None);
    } else if message.has("language", "shell") || message.has("language", "bash") {
        out.shell(&at.key("code"), &code, None);
    }
    out.events.extend(message.text_at("output").map(|output| Event::Reply(observed::of_output(&output))));
}

fn extract(out: &mut Extractor, at: &At, message: &Json) {
    if is_old(message) {
        return old(out, at, message);
    }
    if message.has("type", "console") {
        if let Some(output) = message.text_at("content").filter(|_| message.has("format", "output")) {
            out.events.push(Event::Reply(observed::of_output(&output)));
        }
        return;
    }
    if !message.has("role", "assistant") {
        return;
    }
    let content = message.text_at("content");
    let place = at.key("content");
    let python = message.has("format", "python");
    let set = |key: &str| matches!(message.get(key), Some(Json::Bool(true)));
    if set("start") && python {
        out.events.push(Event::Turn);
        let begun = out.found(&place, content.as_deref().unwrap_or(""), 0, true, None);
        out.events.push(Event::Begin(Box::new(begun)));
    } else if set("end") {
        out.events.push(Event::End);
    } else if let Some(content) = content {
        if message.get("chunk").is_some() || message.get("format").is_none() {
            out.events.push(Event::More(content.into_owned()));
        } else if python {
            // A piece, where one has begun; the collector knows.
            let found = out.found(&place, &content, 0, true, None);
            out.events.push(Event::Turn);
            out.events.push(Event::Snippet(Box::new(found)));
        } else if message.has("format", "shell") || message.has("format", "bash") {
            out.events.push(Event::Turn);
            out.shell(&place, &content, None);
        }
    }
}
