//! Lists of messages: MINT and CodeAct, ShareGPT, mini-swe-agent, messages of Anthropic, and chats of any kind.

use super::Format;
use crate::scan::extract::Extractor;
use crate::scan::extract::{Event, Role, is_message, role};
use crate::scan::json::Json;
use crate::scan::path::At;

/// An object with a list of messages.
pub(super) const OF_MESSAGES: Format = Format { name: "openai-chat", detect: |value| list(value).is_some(), extract, across: false };

/// A message that is a record of its own.
pub(super) const MESSAGE: Format = Format { name: "openai-chat", detect: is_message, extract: one, across: true };

/// Where lists of messages are.
const LISTS: [&[&str]; 9] = [
    &["messages"],
    &["conversations"],
    &["conversation"],
    &["state", "history"],
    &["history"],
    &["traj"],
    &["chat_history"],
    &["trajectory"],
    &["intermediate_steps"],
];

fn list<'j, 'a>(value: &'j Json<'a>) -> Option<(&'static [&'static str], &'j [Json<'a>])> {
    LISTS.into_iter().find_map(|keys| {
        let list = value.at(keys)?.array()?;
        (list.iter().take(3).any(is_message)).then_some((keys, list))
    })
}

/// What messages are of.
pub(super) fn name(messages: &[Json]) -> &'static str {
    let some = |test: &dyn Fn(&Json) -> bool| messages.iter().take(12).any(test);
    if some(&|message| message.get("from").is_some()) {
        "sharegpt"
    } else if some(&|message| {
        message.at(&["extra", "actions"]).is_some()
            || said(message, "mswea_bash_command")
            || said(message, ONE_COMMAND)
            || is_thought(message)
    }) {
        "mini-swe-agent"
    } else if some(&|message| parts(message).iter().any(|part| part.has("type", "tool_use") || part.has("type", "server_tool_use"))) {
        "anthropic-messages"
    } else {
        "openai-chat"
    }
}

/// What mini-swe-agent tells models.
const ONE_COMMAND: &str = "Your response must contain exactly ONE bash code block";

/// Whether a message is such as mini-swe-agent asks for: a thought, then one command.
fn is_thought(message: &Json) -> bool {
    role(message) == Role::Assistant
        && message.text_at("content").is_some_and(|text| text.trim_start().starts_with("THOUGHT") && text.contains("```bash\n"))
}

fn said(message: &Json, word: &str) -> bool {
    matches!(message.get("content"), Some(Json::Text(text)) if text.raw().contains(word))
}

fn parts<'j, 'a>(message: &'j Json<'a>) -> &'j [Json<'a>] {
    message.array_at("content").unwrap_or_default()
}

fn extract(out: &mut Extractor, at: &At, value: &Json) {
    let Some((keys, messages)) = list(value) else { return };
    out.format = match keys {
        ["state", "history"] => "codeact-mint",
        ["intermediate_steps"] => "smolagents",
        _ if value.text_at("trajectory_format").is_some_and(|name| name.starts_with("mini-swe")) => "mini-swe-agent",
        _ => name(messages),
    };
    for key in ["session_id", "conversation_id", "thread_id"] {
        out.session = value.get(key).and_then(Json::name).or(out.session.take());
    }
    let model = value.text_at("model").or_else(|| value.text_at("model_id"));
    out.model = model.map(std::borrow::Cow::into_owned).or(out.model.take());
    let model = value.at(&["info", "config", "model", "model_name"]).and_then(Json::name);
    out.model = model.or(out.model.take());
    let first = at.key(keys[0]);
    match keys.get(1) {
        Some(second) => out.conversation(&first.key(second), messages),
        None => out.conversation(&first, messages),
    }
    if let Some(choices) = value.array_at("choices").filter(|choices| !choices.is_empty()) {
        out.walk(&at.key("choices"), &Json::Array(choices.to_vec()), 1);
    }
    for key in ["response", "completion"] {
        if let Some(answer) = value.get(key) {
            out.walk(&at.key(key), answer, 1);
        }
    }
}

fn one(out: &mut Extractor, at: &At, message: &Json) {
    out.format = name(std::slice::from_ref(message));
    if said(message, ONE_COMMAND) {
        out.events.push(Event::Format(out.format));
    }
    // An answer by itself has no place among others.
    let single = message.has("type", "message") && message.get("stop_reason").is_some()
        || role(message) == Role::Assistant && message.get("id").is_some();
    if single && message.get("model").is_some() {
        out.format = "anthropic-messages";
        out.across = false;
    }
    out.message(at, message);
}
