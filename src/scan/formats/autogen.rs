//! Events of AutoGen, and its recorded sessions, in which `messages` repeat what was said.

use super::Format;
use crate::scan::extract::Event;
use crate::scan::extract::Extractor;
use crate::scan::json::Json;
use crate::scan::observed;
use crate::scan::path::At;

pub(super) const FORMAT: Format = Format { name: "autogen", detect, extract, across: true };

fn detect(value: &Json) -> bool {
    value.get("response").is_some_and(|response| response.get("finish_reason").is_some()) && value.get("mode").is_some()
        || value.text_at("source").is_some()
            && ["TextMessage", "ToolCallRequestEvent", "CodeGenerationEvent", "CodeExecutionEvent"]
                .iter()
                .any(|kind| value.has("type", kind))
}

fn extract(out: &mut Extractor, at: &At, event: &Json) {
    if let Some(response) = event.get("response") {
        out.events.push(Event::Turn);
        let place = at.key("response");
        let content = place.key("content");
        match response.get("content") {
            Some(Json::Text(text)) => out.prose(&content, &text.get()),
            Some(Json::Array(calls)) => calls.iter().enumerate().for_each(|(index, call)| out.tool_call(&content.index(index), call)),
            _ => {}
        }
        return;
    }
    let content = at.key("content");
    match event.text_at("type").as_deref() {
        Some("CodeExecutionEvent") => {
            let output = event.at(&["result", "output"]).and_then(Json::text).unwrap_or_default();
            out.events.push(Event::Reply(observed::of_output(&output)));
        }
        Some(_) if !event.has("source", "user") => {
            out.events.push(Event::Turn);
            match event.get("content") {
                Some(Json::Text(text)) => out.prose(&content, &text.get()),
                Some(Json::Array(calls)) => calls.iter().enumerate().for_each(|(index, call)| out.tool_call(&content.index(index), call)),
                _ => {}
            }
        }
        _ => {}
    }
}
