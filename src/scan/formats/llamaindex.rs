//! LlamaIndex: a chat history of messages in blocks, and tool calls by themselves.

use super::Format;
use crate::scan::extract::Extractor;
use crate::scan::json::Json;
use crate::scan::path::At;

pub(super) const FORMAT: Format = Format { name: "llamaindex", detect, extract, across: false };

fn detect(value: &Json) -> bool {
    let blocks = |message: &Json| message.array_at("blocks").is_some();
    value.array_at("chat_history").is_some_and(|list| list.iter().any(blocks))
        || value.get("tool_kwargs").is_some() && value.get("tool_name").is_some()
}

fn extract(out: &mut Extractor, at: &At, value: &Json) {
    match value.array_at("chat_history") {
        Some(messages) => out.conversation(&at.key("chat_history"), messages),
        None => out.tool_call(at, value),
    }
}
