//! Messages of LangChain as they are dumped: `{"type": "ai", "data": {…}}`, `{"lc": 1, "id": […], "kwargs": {…}}`, `{"type": "ai", …}`.

use super::Format;
use crate::scan::extract::Extractor;
use crate::scan::extract::{Role, role};
use crate::scan::json::Json;
use crate::scan::path::At;

pub(super) const FORMAT: Format = Format { name: "langchain", detect, extract, across: false };

fn detect(value: &Json) -> bool {
    value.array_at("messages").is_some_and(|list| list.iter().take(3).any(|message| inner(message).is_some()))
}

/// The message in a dump, and what it is in.
fn inner<'j, 'a>(message: &'j Json<'a>) -> Option<(Option<&'static str>, &'j Json<'a>)> {
    let speaks = |message: &Json| ["human", "ai", "tool", "system", "function"].iter().any(|kind| message.has("type", kind));
    let of = |key| message.get(key).filter(|inner| inner.get("content").is_some()).map(|inner| (Some(key), inner));
    if message.get("lc").is_some() {
        return of("kwargs");
    }
    if !speaks(message) || message.get("role").is_some() {
        return None;
    }
    of("data").or_else(|| message.get("content").is_some().then_some((None, message)))
}

fn extract(out: &mut Extractor, at: &At, value: &Json) {
    let messages = at.key("messages");
    let mut turn = 0;
    for (index, message) in value.array_at("messages").unwrap_or_default().iter().enumerate() {
        let Some((key, inner)) = inner(message) else { continue };
        let place = messages.index(index);
        turn += u64::from(role(inner) == Role::Assistant);
        out.turn = Some(turn);
        out.model = inner.at(&["response_metadata", "model_name"]).and_then(Json::name).or(out.model.take());
        match key {
            Some(key) => out.message(&place.key(key), inner),
            None => out.message(&place, inner),
        }
        out.said_so_far();
    }
    out.turn = None;
}
