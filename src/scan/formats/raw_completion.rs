//! Completions that are nothing but code, as in Program of Thoughts.

use super::Format;
use crate::scan::extract::Extractor;
use crate::scan::json::Json;
use crate::scan::path::At;

pub(super) const FORMAT: Format = Format { name: "raw-completion", detect, extract, across: false };

fn detect(value: &Json) -> bool {
    value.get("generated").is_some()
        && (value.get("executed").is_some() || value.get("answer").is_some() || value.get("question").is_some())
}

fn extract(out: &mut Extractor, at: &At, record: &Json) {
    let generated = at.key("generated");
    let one = |out: &mut Extractor, at: &At, text: &str| {
        if text.contains("```") { out.prose(at, text) } else { out.snippet(at, text, 0, true, None) }
    };
    match record.get("generated") {
        Some(Json::Text(text)) => one(out, &generated, &text.get()),
        Some(Json::Array(list)) => {
            for (index, text) in list.iter().enumerate() {
                if let Some(text) = text.text() {
                    one(out, &generated.index(index), &text);
                }
            }
        }
        _ => {}
    }
}
