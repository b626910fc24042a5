//! AutoGen: events, recorded sessions, in which `messages` repeat what was said, results of chats, and saved states.

use super::Format;
use crate::scan::Observed;
use crate::scan::extract::Extractor;
use crate::scan::extract::{Event, flat};
use crate::scan::json::Json;
use crate::scan::observed;
use crate::scan::path::At;

pub(super) const FORMAT: Format = Format { name: "autogen", detect, extract, across: true };

/// Kinds of messages since version 0.4.
const KINDS: [&str; 5] = ["TextMessage", "ToolCallRequestEvent", "ToolCallExecutionEvent", "CodeGenerationEvent", "CodeExecutionEvent"];

/// Words in the names of those who speak for a model in a group, where all have the role of a user.
const AGENTS: [&str; 8] = ["assistant", "coder", "engineer", "programmer", "developer", "scientist", "planner", "agent"];

fn detect(value: &Json) -> bool {
    value.get("response").is_some_and(|response| response.get("finish_reason").is_some()) && value.get("mode").is_some()
        || value.text_at("source").is_some() && KINDS.iter().any(|kind| value.has("type", kind))
        || is_result(value)
        || states(value).is_some()
        || is_in_group(value)
}

/// What a chat came to: the roles in it are those that the one who asks sees.
fn is_result(value: &Json) -> bool {
    value.array_at("chat_history").is_some() && value.get("summary").is_some() && value.get("cost").is_some()
}

/// The messages of a state that was saved.
fn states<'j, 'a>(value: &'j Json<'a>) -> Option<&'j [Json<'a>]> {
    value.at(&["llm_context", "messages"]).and_then(Json::array)
}

/// Whether a message is one of a group chat, of a model by its name.
fn is_in_group(value: &Json) -> bool {
    let name = value.text_at("name").unwrap_or_default().to_ascii_lowercase();
    value.has("role", "user")
        && !name.contains("user")
        && !name.contains("proxy")
        && AGENTS.iter().any(|word| name.contains(word))
        && matches!(value.get("content"), Some(Json::Text(_)))
}

fn extract(out: &mut Extractor, at: &At, event: &Json) {
    if is_result(event) {
        return result(out, &at.key("chat_history"), event.array_at("chat_history").unwrap_or_default());
    }
    if let Some(messages) = states(event) {
        let context = at.key("llm_context");
        let place = context.key("messages");
        messages.iter().enumerate().for_each(|(index, message)| self::event(out, &place.index(index), message));
        return;
    }
    match event.get("response") {
        Some(response) => said(out, &at.key("response"), response),
        None => self::event(out, at, event),
    }
}

/// A chat of two. Who speaks first asks, and answers with what came of the code.
fn result(out: &mut Extractor, at: &At, messages: &[Json]) {
    let name = |message: &Json| message.text_at("name").or_else(|| message.text_at("role")).map(std::borrow::Cow::into_owned);
    let asks = messages.first().and_then(name);
    for (index, message) in messages.iter().enumerate() {
        let at = at.index(index);
        if name(message) != asks {
            said(out, &at, message);
        } else if let Some(text) = message.text_at("content") {
            out.events.extend(observed::of_reply(&text).map(Event::Reply));
        }
    }
}

/// What a model says: text, or calls.
fn said(out: &mut Extractor, at: &At, message: &Json) {
    let content = at.key("content");
    let calls = at.key("tool_calls");
    out.events.push(Event::Turn);
    for (index, call) in message.array_at("tool_calls").unwrap_or_default().iter().enumerate() {
        out.tool_call(&calls.index(index), call);
    }
    match message.get("content") {
        Some(Json::Text(text)) => out.spoken(&content, &text.get()),
        Some(Json::Array(calls)) => calls.iter().enumerate().for_each(|(index, call)| out.tool_call(&content.index(index), call)),
        _ => {}
    }
}

fn event(out: &mut Extractor, at: &At, event: &Json) {
    let text = event.text_at("content").unwrap_or_default();
    match event.text_at("type").as_deref() {
        Some("CodeExecutionEvent") => {
            let output = event.at(&["result", "output"]).and_then(Json::text).unwrap_or_default();
            let code = event.at(&["result", "exit_code"]).and_then(Json::signed);
            out.events.push(Event::Reply(observed::with_exit_code(observed::of_output(&output), code)));
        }
        Some("ToolCallExecutionEvent" | "FunctionExecutionResultMessage") => {
            for result in event.array_at("content").unwrap_or_default() {
                let ended = observed::of_output(&result.get("content").and_then(flat).unwrap_or_default());
                let failed = ended == Observed::Finished && result.get("is_error").is_some_and(Json::is_true);
                out.ended(result.text_at("call_id").as_deref(), if failed { Observed::Raised } else { ended });
            }
        }
        Some("UserMessage" | "SystemMessage") => {}
        _ if event.has("source", "user") => {}
        _ => match observed::of_reply(&text) {
            Some(ended) => out.events.push(Event::Reply(ended)),
            None => said(out, at, event),
        },
    }
}
