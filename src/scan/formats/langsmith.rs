//! Runs of LangSmith. A tool's run repeats the call of the model's run before it, and says how that ended.

use super::Format;
use crate::scan::Observed;
use crate::scan::extract::Extractor;
use crate::scan::extract::{Event, flat, hash};
use crate::scan::json::Json;
use crate::scan::observed;
use crate::scan::path::At;

pub(super) const FORMAT: Format = Format { name: "langsmith", detect, extract, across: false };

fn detect(value: &Json) -> bool {
    value.text_at("run_type").is_some() && (value.get("inputs").is_some() || value.get("outputs").is_some())
}

fn extract(out: &mut Extractor, at: &At, run: &Json) {
    out.session = run.get("trace_id").and_then(Json::name).or(out.session.take());
    out.time = run.get("start_time").and_then(Json::name);
    if run.has("run_type", "llm") {
        let parameters = run.at(&["extra", "invocation_params"]);
        let named = parameters.and_then(|given| given.get("model").or_else(|| given.get("model_name")));
        let named = named.or_else(|| run.at(&["extra", "metadata", "ls_model_name"]));
        out.model = named.or_else(|| run.at(&["outputs", "llm_output", "model_name"])).and_then(Json::name);
        let outputs = at.key("outputs");
        let generations = outputs.key("generations");
        for (index, generation) in run.at(&["outputs", "generations"]).and_then(Json::array).unwrap_or_default().iter().enumerate() {
            let at = generations.index(index);
            match generation {
                Json::Array(list) => list.iter().enumerate().for_each(|(index, generation)| said(out, &at.index(index), generation)),
                generation => said(out, &at, generation),
            }
        }
        if let Some(output) = run.get("outputs").filter(|output| output.get("generations").is_none()) {
            out.walk(&outputs, output, 1);
        }
    } else if run.has("run_type", "tool") {
        let name = run.text_at("name").unwrap_or_default();
        let inputs = at.key("inputs");
        let error = run.get("error").filter(|error| !error.is_null()).and_then(flat).filter(|error| !error.is_empty());
        let output = run.get("outputs").and_then(flat);
        let ended = match (error, output) {
            (Some(error), _) => Some(observed::of_error(&error)),
            (None, Some(output)) => Some(observed::of_output(&output)),
            _ => None,
        };
        if let Some(arguments) = run.get("inputs") {
            let inner = arguments.get("input").filter(|input| input.text().is_some());
            let from = out.events.len();
            match inner {
                Some(input) => out.call(&inputs.key("input"), &name, input, None),
                None => out.call(&inputs, &name, arguments, None),
            }
            repeated(out, from, ended);
        }
    }
    let children = at.key("child_runs");
    for (index, child) in run.array_at("child_runs").unwrap_or_default().iter().enumerate() {
        out.walk(&children.index(index), child, 1);
    }
}

fn said(out: &mut Extractor, at: &At, generation: &Json) {
    out.events.push(Event::Turn);
    let from = out.events.len();
    let message = generation.get("message").unwrap_or(generation);
    let (place, kwargs) = (at.key("message"), message.get("kwargs").unwrap_or(message));
    let place = if message.get("kwargs").is_some() { place.key("kwargs") } else { place };
    let calls = kwargs.array_at("tool_calls").unwrap_or_default();
    for (index, call) in calls.iter().enumerate() {
        out.tool_call(&place.key("tool_calls").index(index), call);
    }
    if let Some(text) = generation.text_at("text").filter(|text| calls.is_empty() && !text.is_empty()) {
        out.prose(&at.key("text"), &text);
    } else if let Some(text) = kwargs.text_at("content").filter(|_| calls.is_empty()) {
        out.prose(&place.key("content"), &text);
    }
    tag(out, from);
}

/// Gives what a model called a key by its text, so that the tool's run is known as the same.
pub(super) fn tag(out: &mut Extractor, from: usize) {
    let session = out.session.clone().unwrap_or_default();
    for event in &mut out.events[from..] {
        if let Event::Snippet(found) = event {
            found.call = hash(&[&session, &found.code]);
        }
    }
}

/// What a tool was given since `from`: left out where a model's call with this text has been seen and not been answered.
pub(super) fn repeated(out: &mut Extractor, from: usize, ended: Option<Observed>) {
    let session = out.session.clone().unwrap_or_default();
    for event in out.events.split_off(from) {
        let Event::Snippet(mut found) = event else {
            out.events.push(event);
            continue;
        };
        let key = hash(&[&session, &found.code]);
        let told = |event: &&Event| matches!(event, Event::Snippet(before) if before.call == key);
        let answered = |event: &&Event| matches!(event, Event::Outcome(call, _) if *call == key);
        if out.events.iter().filter(told).count() <= out.events.iter().filter(answered).count() {
            found.call = key;
            out.events.push(Event::Snippet(found));
        }
        out.events.extend(ended.map(|ended| Event::Outcome(key, ended)));
    }
}
