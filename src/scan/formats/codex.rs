//! Rollouts of Codex: items of the Responses of OpenAI, each in a line.

use super::Format;
use super::openai_responses::item;
use crate::scan::extract::Event;
use crate::scan::extract::Extractor;
use crate::scan::json::Json;
use crate::scan::observed;
use crate::scan::path::At;

pub(super) const FORMAT: Format = Format { name: "codex-rollout", detect, extract, across: true };

fn detect(value: &Json) -> bool {
    is_executed(value)
        || value.get("payload").is_some_and(|payload| payload.object().is_some())
            && ["session_meta", "response_item", "turn_context", "event_msg", "compacted"].iter().any(|kind| value.has("type", kind))
}

/// Whether it is a command that `codex exec --json` tells of when it is over.
fn is_executed(value: &Json) -> bool {
    value.has("type", "item.completed") && value.get("item").is_some_and(|item| item.has("type", "command_execution"))
        || value.has("type", "thread.started") && value.get("thread_id").is_some()
}

fn extract(out: &mut Extractor, at: &At, record: &Json) {
    if record.has("type", "thread.started") {
        return out.events.extend(record.text_at("thread_id").map(|id| Event::Session(id.into_owned())));
    }
    if let Some(item) = record.get("item") {
        out.events.push(Event::Turn);
        out.shell(&at.key("item").key("command"), &item.text_at("command").unwrap_or_default(), None);
        let ended = observed::of_output(&item.text_at("aggregated_output").unwrap_or_default());
        out.events.push(Event::Reply(observed::with_exit_code(ended, item.get("exit_code").and_then(Json::signed))));
        return;
    }
    let Some(payload) = record.get("payload") else { return };
    match record.text_at("type").as_deref() {
        Some("session_meta") => {
            out.events.extend(payload.text_at("id").map(|id| Event::Session(id.into_owned())));
            out.events.extend(payload.text_at("model").map(|model| Event::Model(model.into_owned())));
        }
        Some("turn_context") => {
            out.events.push(Event::Turn);
            out.events.extend(payload.text_at("model").map(|model| Event::Model(model.into_owned())));
        }
        Some("response_item") => {
            out.time = record.text_at("timestamp").map(std::borrow::Cow::into_owned);
            item(out, &at.key("payload"), payload);
        }
        _ => {}
    }
}
