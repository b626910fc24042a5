//! Rollouts of Codex: items of the Responses of OpenAI, each in a line.

use super::Format;
use super::openai_responses::item;
use crate::scan::extract::Event;
use crate::scan::extract::Extractor;
use crate::scan::json::Json;
use crate::scan::path::At;

pub(super) const FORMAT: Format = Format { name: "codex-rollout", detect, extract, across: true };

fn detect(value: &Json) -> bool {
    value.get("payload").is_some_and(|payload| payload.object().is_some())
        && ["session_meta", "response_item", "turn_context", "event_msg", "compacted"].iter().any(|kind| value.has("type", kind))
}

fn extract(out: &mut Extractor, at: &At, record: &Json) {
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
