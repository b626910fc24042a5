//! Spans of OpenInference and OpenTelemetry: attributes as an object, as a list of keys and values (OTLP), or in TRAIL's trees.
//! Only what a model put out counts; its input repeats what came before.

use std::borrow::Cow;

use super::Format;
use crate::scan::extract::Extractor;
use crate::scan::json::Json;
use crate::scan::path::At;

pub(super) const FORMAT: Format = Format { name: "openinference", detect, extract, across: false };

fn detect(value: &Json) -> bool {
    ["attributes", "span_attributes"].iter().any(|key| match value.get(key) {
        Some(Json::Object(_)) => value.get("name").is_some() || value.get("span_name").is_some() || value.get("span_id").is_some(),
        Some(Json::Array(list)) => value.get("spanId").is_some() && list.iter().all(|pair| pair.get("key").is_some()),
        _ => false,
    })
}

/// The attributes, however they are written: name and text.
fn attributes<'j>(list: &'j Json<'_>) -> Vec<(Cow<'j, str>, Cow<'j, str>)> {
    match list {
        Json::Object(members) => members.iter().filter_map(|(key, value)| Some((key.get(), value.text()?))).collect(),
        Json::Array(pairs) => {
            pairs.iter().filter_map(|pair| Some((pair.text_at("key")?, pair.at(&["value", "stringValue"])?.text()?))).collect()
        }
        _ => Vec::new(),
    }
}

fn extract(out: &mut Extractor, at: &At, span: &Json) {
    let member = if span.get("attributes").is_some() { "attributes" } else { "span_attributes" };
    let Some(list) = span.get(member) else { return };
    let all = attributes(list);
    let find = |name: &str| all.iter().find(|(key, _)| key == name).map(|(_, text)| text);
    let session = span.at(&["context", "trace_id"]).or_else(|| span.get("trace_id")).or_else(|| span.get("traceId"));
    out.session = session.and_then(Json::name).or(out.session.take());
    out.model = find("llm.model_name").or_else(|| find("gen_ai.request.model")).map(ToString::to_string).or(out.model.take());
    out.time = ["start_time", "startTimeUnixNano", "timestamp"].iter().find_map(|key| span.get(key)?.name());
    let attributes = at.key(member);
    let mut seen = false;
    let mut tool = String::new();
    for (key, text) in &all {
        let place = attributes.key(key);
        let output = key.starts_with("llm.output_messages.") || key.starts_with("gen_ai.completion.");
        if !output {
            continue;
        }
        if key.ends_with(".tool_call.function.name") || key.ends_with(".name") {
            tool = text.to_string();
        } else if key.ends_with("arguments") {
            seen = true;
            let raw = crate::scan::json::quoted(text);
            if let Ok(arguments) = Json::parse(&raw) {
                out.call(&place, &tool, &arguments, None);
            }
        } else if key.ends_with(".content") || key.ends_with(".text") {
            seen = true;
            out.prose(&place, text);
        }
    }
    if let Some(text) = find("gen_ai.output.messages").filter(|_| !seen) {
        seen = true;
        out.within(&attributes.key("gen_ai.output.messages"), text, 0);
    }
    let is_model = find("openinference.span.kind").is_some_and(|kind| kind == "LLM");
    if let Some(text) = find("output.value").filter(|_| is_model && !seen) {
        let place = attributes.key("output.value");
        if !out.within(&place, text, 0) {
            out.prose(&place, text);
        }
    }
    out.time = None;
    let children = at.key("child_spans");
    for (index, child) in span.array_at("child_spans").unwrap_or_default().iter().enumerate() {
        out.walk(&children.index(index), child, 1);
    }
}
