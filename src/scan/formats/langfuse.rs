//! Traces of Langfuse, and rows of its exports, whose input and output may be JSON in a string.

use super::Format;
use super::langsmith::{repeated, tag};
use crate::scan::extract::Extractor;
use crate::scan::extract::{Event, flat};
use crate::scan::json::Json;
use crate::scan::observed;
use crate::scan::path::At;

pub(super) const FORMAT: Format = Format { name: "langfuse", detect, extract, across: false };

fn detect(value: &Json) -> bool {
    value.array_at("observations").is_some_and(|list| list.first().is_none_or(is_observation)) && value.get("id").is_some()
        || is_observation(value)
}

fn is_observation(value: &Json) -> bool {
    (value.get("traceId").is_some() || value.get("trace_id").is_some())
        && ["GENERATION", "TOOL", "SPAN", "EVENT", "AGENT", "CHAIN"].iter().any(|kind| value.has("type", kind))
}

fn extract(out: &mut Extractor, at: &At, trace: &Json) {
    let Some(list) = trace.array_at("observations") else { return observation(out, at, trace) };
    let observations = at.key("observations");
    for (index, value) in list.iter().enumerate() {
        observation(out, &observations.index(index), value);
    }
}

fn observation(out: &mut Extractor, at: &At, value: &Json) {
    out.session = value.get("traceId").or_else(|| value.get("trace_id")).and_then(Json::name);
    out.time = value.get("startTime").or_else(|| value.get("start_time")).and_then(Json::name);
    if value.has("type", "GENERATION") {
        out.model = value.text_at("model").or_else(|| value.text_at("provided_model_name")).map(std::borrow::Cow::into_owned);
        out.events.push(Event::Turn);
        let from = out.events.len();
        let place = at.key("output");
        match value.get("output") {
            Some(Json::Text(text)) => {
                let text = text.get();
                if !out.within(&place, &text, 0) {
                    out.prose(&place, &text);
                }
            }
            Some(output) => out.walk(&place, output, 1),
            None => {}
        }
        tag(out, from);
    } else if value.has("type", "TOOL") {
        let from = out.events.len();
        let name = value.text_at("name").unwrap_or_default();
        if let Some(input) = value.get("input") {
            out.call(&at.key("input"), &name, input, None);
        }
        let ended = match value.text_at("level").as_deref() {
            Some("ERROR") => Some(observed::of_error(&value.text_at("statusMessage").unwrap_or_default())),
            _ => value.get("output").and_then(flat).map(|output| observed::of_output(&output)),
        };
        repeated(out, from, ended);
    }
}
