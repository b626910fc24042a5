//! The memory of smolagents: a list of steps. `tool_calls` and `model_output` repeat the code.

use super::Format;
use crate::scan::Observed;
use crate::scan::extract::Event;
use crate::scan::extract::Extractor;
use crate::scan::json::Json;
use crate::scan::observed;
use crate::scan::path::At;

pub(super) const FORMAT: Format = Format { name: "smolagents", detect, extract, across: true };

fn detect(value: &Json) -> bool {
    is_old(value)
        || value.get("step_number").is_some() && ["code_action", "model_output", "tool_calls"].iter().any(|key| value.get(key).is_some())
}

/// Whether it is a step as the agents of Transformers kept it.
fn is_old(value: &Json) -> bool {
    value.get("llm_output").is_some() && value.at(&["tool_call", "tool_name"]).is_some()
}

fn old(out: &mut Extractor, at: &At, step: &Json) {
    out.turn = step.get("step").and_then(Json::integer);
    out.events.push(Event::Turn);
    let call = at.key("tool_call");
    if let Some(arguments) = step.at(&["tool_call", "tool_arguments"]) {
        let name = step.at(&["tool_call", "tool_name"]).and_then(Json::text).unwrap_or_default();
        out.call(&call.key("tool_arguments"), &name, arguments, None);
    }
    let error = step.get("error").filter(|error| !error.is_null());
    let error = error.map(|error| observed::of_error(&error.text_at("message").or_else(|| error.text()).unwrap_or_default()));
    out.events.extend(error.or(step.get("observation").map(|_| Observed::Finished)).map(Event::Reply));
    out.turn = None;
}

fn extract(out: &mut Extractor, at: &At, step: &Json) {
    if is_old(step) {
        return old(out, at, step);
    }
    out.turn = step.get("step_number").and_then(Json::integer);
    out.time = step.at(&["timing", "start_time"]).and_then(Json::name);
    let raw = step.at(&["model_output_message", "raw", "model"]).and_then(Json::text);
    out.model = raw.map(std::borrow::Cow::into_owned);
    out.events.push(Event::Turn);
    let calls = at.key("tool_calls");
    if let Some(code) = step.text_at("code_action") {
        out.snippet(&at.key("code_action"), &code, 0, true, None);
    } else if let Some(list) = step.array_at("tool_calls").filter(|list| !list.is_empty()) {
        for (index, call) in list.iter().enumerate() {
            out.tool_call(&calls.index(index), call);
        }
    } else if let Some(text) = step.text_at("model_output") {
        out.prose(&at.key("model_output"), &text);
    }
    let ended = match step.get("error") {
        Some(Json::Null) => Some(Observed::Finished),
        Some(error) => {
            let message = error.text_at("message").or_else(|| error.text()).unwrap_or_default();
            // The interpreter of smolagents says with other exceptions that it stopped a loop.
            Some(match observed::of_error(&message) {
                ended @ (Observed::TimedOut | Observed::NotRun) => ended,
                _ => Observed::Raised,
            })
        }
        None => None,
    };
    out.events.extend(ended.map(Event::Reply));
    (out.turn, out.time) = (None, None);
}
