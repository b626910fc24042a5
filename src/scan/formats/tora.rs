//! ToRA: texts with a fence of Python and one of what it printed.

use super::Format;
use crate::scan::extract::Extractor;
use crate::scan::json::Json;
use crate::scan::path::At;

pub(super) const FORMAT: Format = Format { name: "tora", detect, extract, across: false };

fn detect(value: &Json) -> bool {
    value.array_at("code").and_then(|code| code.first()).is_some_and(|code| code.text().is_some())
        && (value.get("pred").is_some() || value.get("report").is_some() || value.get("gt").is_some())
}

fn extract(out: &mut Extractor, at: &At, record: &Json) {
    let code = at.key("code");
    for (index, text) in record.array_at("code").unwrap_or_default().iter().enumerate() {
        if let Some(text) = text.text() {
            out.prose(&code.index(index), &text);
        }
    }
}
