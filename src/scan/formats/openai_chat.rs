//! Answers of the chat completions of OpenAI, and of the many services that speak like it.

use super::Format;
use crate::scan::extract::Extractor;
use crate::scan::json::Json;
use crate::scan::path::At;

pub(super) const FORMAT: Format = Format { name: "openai-chat", detect, extract, across: false };

fn detect(value: &Json) -> bool {
    let choices = value.array_at("choices").and_then(|choices| choices.first());
    choices.is_some_and(|choice| choice.at(&["message", "role"]).is_some() || choice.at(&["message", "content"]).is_some())
}

fn extract(out: &mut Extractor, at: &At, answer: &Json) {
    out.model = answer.text_at("model").map(std::borrow::Cow::into_owned).or(out.model.take());
    out.time = answer.get("created").and_then(Json::name).or(out.time.take());
    // What was sent with it are the messages before.
    if let Some(messages) = answer.array_at("messages") {
        out.conversation(&at.key("messages"), messages);
    }
    let choices = at.key("choices");
    for (index, choice) in answer.array_at("choices").unwrap_or_default().iter().enumerate() {
        if let Some(message) = choice.get("message") {
            out.message(&choices.index(index).key("message"), message);
            out.said_so_far();
        }
    }
}
