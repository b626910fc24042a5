//! Claude Code: a line for each message, results by the id of the call. Sub-agents speak in `progress` records.

use super::Format;
use crate::scan::extract::Event;
use crate::scan::extract::Extractor;
use crate::scan::json::Json;
use crate::scan::path::At;

pub(super) const FORMAT: Format = Format { name: "claude-code", detect, extract, across: true };

fn detect(value: &Json) -> bool {
    let message = value.get("message").or_else(|| value.at(&["data", "message", "message"]));
    let speaks = message.is_some_and(|message| message.get("role").is_some());
    speaks
        && ["user", "assistant", "progress"].iter().any(|kind| value.has("type", kind))
        && value.get("timestamp").or(value.get("uuid")).or(value.get("session_id")).is_some()
        || value.get("sessionId").is_some() && value.get("type").is_some() && value.get("uuid").or(value.get("leafUuid")).is_some()
}

fn extract(out: &mut Extractor, at: &At, record: &Json) {
    if let Some(session) = record.text_at("sessionId").or_else(|| record.text_at("session_id")) {
        out.events.push(Event::Session(session.into_owned()));
    }
    let (data, inner) = (at.key("data"), record.at(&["data", "message", "message"]));
    let agent = data.key("message");
    let (place, message) = match (record.get("message"), inner) {
        (Some(message), _) => (at.key("message"), message),
        (None, Some(message)) => (agent.key("message"), message),
        _ => return,
    };
    out.time = record.text_at("timestamp").map(std::borrow::Cow::into_owned);
    let from = out.events.len();
    out.message(&place, message);
    out.shown(from);
}
