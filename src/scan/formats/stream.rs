//! Streamed answers, their pieces joined: server-sent events or a piece a line, of Anthropic, OpenAI and Google.

use std::collections::BTreeMap;

use super::{google_genai, openai_responses};
use crate::scan::extract::{Event, Extractor};
use crate::scan::json::{Json, quoted};
use crate::scan::path::At;

/// A part of an answer that is being streamed.
#[derive(Debug, Default)]
struct Part {
    tool: String,
    id: String,
    text: String,
    arguments: String,
}

/// Whether a text is a stream of events.
pub fn is_stream(text: &str) -> bool {
    let start = text.trim_start();
    ["event:", "data:", "id:", ": "].iter().any(|word| start.starts_with(word)) && text.contains("data:") && text.contains('{')
}

/// Whether a record is a piece of a stream.
pub fn is_piece(value: &Json) -> bool {
    value.text_at("type").is_some_and(|kind| kind.starts_with("content_block_") || kind == "message_start" || kind.starts_with("response."))
        || value.has("object", "chat.completion.chunk")
}

/// Joins a stream and looks at what it says.
pub fn extract(out: &mut Extractor, at: &At, text: &str) {
    let mut parts: BTreeMap<u64, Part> = BTreeMap::new();
    // Items that are complete, of an answer that is not.
    let mut done: Vec<&str> = Vec::new();
    out.events.push(Event::Turn);
    for line in text.lines() {
        let line = line.trim();
        let data = line.strip_prefix("data:").unwrap_or(line).trim();
        if !data.starts_with('{') {
            continue;
        }
        let Ok(event) = Json::parse(data) else { continue };
        match event.text_at("type").as_deref() {
            Some("response.output_item.done") => {
                done.push(data);
                parts.remove(&index(&event));
            }
            Some("response.created") => items(out, at, &std::mem::take(&mut done)),
            Some("response.completed" | "response.incomplete" | "response.failed") => done.clear(),
            _ => {}
        }
        piece(out, at, &event, &mut parts);
    }
    items(out, at, &done);
    finish(out, at, parts);
}

/// The items of an answer that broke off.
fn items(out: &mut Extractor, at: &At, done: &[&str]) {
    let output = at.key("output");
    for data in done {
        if let Ok(event) = Json::parse(data)
            && let Some(item) = event.get("item")
        {
            out.format = "openai-responses";
            openai_responses::item(out, &output.index(index(&event) as usize), item);
        }
    }
}

/// Which part of an answer an event is about.
fn index(event: &Json) -> u64 {
    event.get("index").or_else(|| event.get("output_index")).and_then(Json::integer).unwrap_or(0)
}

fn piece(out: &mut Extractor, at: &At, event: &Json, parts: &mut BTreeMap<u64, Part>) {
    let index = index(event);
    match event.text_at("type").as_deref() {
        Some("message_start") => {
            finish(out, at, std::mem::take(parts));
            out.format = "anthropic-messages";
            out.model = event.at(&["message", "model"]).and_then(Json::name).or(out.model.take());
        }
        Some("content_block_start") => {
            out.format = "anthropic-messages";
            let block = event.get("content_block");
            let member = |key: &str| block.and_then(|block| block.text_at(key)).unwrap_or_default().into_owned();
            if let Some(block) = block.filter(|block| block.get("tool_use_id").is_some()) {
                finish(out, at, std::mem::take(parts));
                out.part(at, block, false);
                return;
            }
            let part = Part { tool: member("name"), id: member("id"), text: member("text"), arguments: String::new() };
            parts.insert(index, part);
        }
        Some("content_block_delta") => {
            let part = parts.entry(index).or_default();
            part.arguments.push_str(&event.at(&["delta", "partial_json"]).and_then(Json::text).unwrap_or_default());
            part.text.push_str(&event.at(&["delta", "text"]).and_then(Json::text).unwrap_or_default());
        }
        Some("message_stop") => finish(out, at, std::mem::take(parts)),
        Some("response.completed" | "response.incomplete" | "response.failed") => {
            parts.clear();
            if let Some(response) = event.get("response") {
                out.walk(&at.key("response"), response, 1);
            }
        }
        Some("response.code_interpreter_call_code.delta") => {
            let part = parts.entry(index).or_default();
            out.format = "openai-responses";
            part.tool = "code_interpreter".into();
            part.text.push_str(&event.text_at("delta").unwrap_or_default());
        }
        _ => {}
    }
    if event.has("object", "chat.completion.chunk") {
        out.format = "openai-chat";
        out.model = event.text_at("model").map(std::borrow::Cow::into_owned).or(out.model.take());
        let delta = event.array_at("choices").and_then(|choices| choices.first()).and_then(|choice| choice.get("delta"));
        let Some(delta) = delta else { return };
        if let Some(text) = delta.text_at("content") {
            parts.entry(0).or_default().text.push_str(&text);
        }
        for call in delta.array_at("tool_calls").unwrap_or_default() {
            let index = call.get("index").and_then(Json::integer).unwrap_or(0) + 1;
            let part = parts.entry(index).or_default();
            part.id.push_str(&call.text_at("id").unwrap_or_default());
            part.tool.push_str(&call.at(&["function", "name"]).and_then(Json::text).unwrap_or_default());
            part.arguments.push_str(&call.at(&["function", "arguments"]).and_then(Json::text).unwrap_or_default());
        }
    } else if let Some(candidate) = event.array_at("candidates").and_then(|list| list.first()) {
        out.format = "google-genai";
        out.model = event.text_at("modelVersion").map(std::borrow::Cow::into_owned).or(out.model.take());
        google(out, at, candidate, parts);
    }
}

/// A chunk of an answer of Google's: text goes on in the next, what is no text is whole.
fn google(out: &mut Extractor, at: &At, candidate: &Json, parts: &mut BTreeMap<u64, Part>) {
    let content = at.key("content");
    for (index, part) in candidate.at(&["content", "parts"]).and_then(Json::array).unwrap_or_default().iter().enumerate() {
        match part.text_at("text") {
            Some(_) if part.get("thought").is_some_and(Json::is_true) => {}
            Some(text) => parts.entry(0).or_default().text.push_str(&text),
            None => {
                finish(out, at, std::mem::take(parts));
                google_genai::part(out, &content.key("parts").index(index), part);
            }
        }
    }
}

/// What the joined parts say. Their paths are those of the answer had it come whole.
fn finish(out: &mut Extractor, at: &At, parts: BTreeMap<u64, Part>) {
    let content = at.key("content");
    for (index, part) in parts {
        let at = content.index(index as usize);
        if part.tool == "code_interpreter" && part.arguments.is_empty() {
            out.snippet(&at.key("code"), &part.text, 0, true, None);
        } else if part.tool.is_empty() {
            let from = out.events.len();
            out.spoken(&at.key("text"), &part.text);
            if out.format == "google-genai" {
                out.shown(from);
            }
        } else if let Ok(arguments) = Json::parse(&part.arguments).or_else(|_| Json::parse("{}"))
            && arguments.object().is_some_and(|members| !members.is_empty())
        {
            out.call(&at.key("input"), &part.tool, &arguments, Some(&part.id));
        } else if let Ok(text) = Json::parse(&quoted(&part.arguments)) {
            out.call(&at.key("input"), &part.tool, &text, Some(&part.id));
        }
    }
}
