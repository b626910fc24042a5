//! Spans of OpenInference and OpenTelemetry: attributes as an object, as a list of keys and values (OTLP), or in TRAIL's trees.
//! Only what a model put out counts; its input repeats what came before.

use super::Format;
use crate::scan::extract::Extractor;
use crate::scan::json::{Json, quoted};
use crate::scan::path::At;

pub(super) const FORMAT: Format = Format { name: "openinference", detect, extract, across: false };

/// What a span may keep its attributes in.
const MEMBERS: [&str; 2] = ["attributes", "span_attributes"];

fn detect(value: &Json) -> bool {
    let named = value.get("name").is_some() || value.get("span_name").is_some() || value.get("span_id").is_some();
    MEMBERS.iter().any(|key| match value.get(key) {
        Some(Json::Object(_)) => named,
        Some(Json::Array(list)) => value.get("spanId").is_some() && list.iter().all(|pair| pair.get("key").is_some()),
        _ => false,
    }) || is_flat(value)
}

/// Whether attributes are members of the span itself, as in tables of Phoenix.
fn is_flat(value: &Json) -> bool {
    value.get("context.trace_id").is_some() && value.get("context.span_id").is_some()
}

/// An attribute, however it is written.
struct Attribute {
    /// Its name, with all that it is in.
    name: String,
    /// Its path.
    path: String,
    /// Its value.
    text: String,
}

/// The attributes of a span: members, objects in objects, or a list of keys and values.
fn attributes(at: &At, name: &str, value: &Json, found: &mut Vec<Attribute>) {
    // Only these are asked for.
    let asked = |name: &str| {
        ["llm.", "gen_ai.", "output.", "openinference."].iter().any(|start| name.starts_with(start) || start.starts_with(name))
    };
    let inside = |key: &str| if name.is_empty() { key.to_owned() } else { format!("{name}.{key}") };
    match value {
        Json::Text(text) => found.push(Attribute { name: name.to_owned(), path: at.to_string(), text: text.get().into_owned() }),
        Json::Object(members) => {
            for (key, member) in members {
                let key = key.get();
                let name = inside(key.strip_prefix("attributes.").unwrap_or(&key));
                if asked(&name) && !name.starts_with("llm.input_messages") {
                    attributes(&at.key(&key), &name, member, found);
                }
            }
        }
        Json::Array(elements) => {
            for (index, element) in elements.iter().enumerate() {
                match (element.text_at("key"), element.at(&["value", "stringValue"])) {
                    (Some(key), Some(text)) if asked(&key) => attributes(&at.key(&key), &key, text, found),
                    (Some(_), _) if name.is_empty() => {}
                    _ => attributes(&at.index(index), &inside(&index.to_string()), element, found),
                }
            }
        }
        _ => {}
    }
}

fn extract(out: &mut Extractor, at: &At, span: &Json) {
    let mut all = Vec::new();
    match MEMBERS.iter().find_map(|member| Some((member, span.get(member)?))) {
        Some((member, list)) => attributes(&at.key(member), "", list, &mut all),
        None => attributes(at, "", span, &mut all),
    }
    let find = |name: &str| all.iter().find(|attribute| attribute.name == name);
    let session =
        span.at(&["context", "trace_id"]).or_else(|| ["trace_id", "traceId", "context.trace_id"].iter().find_map(|key| span.get(key)));
    out.session = session.and_then(Json::name).or(out.session.take());
    let model = ["llm.model_name", "gen_ai.response.model", "gen_ai.request.model"].iter().find_map(|name| find(name));
    out.model = model.map(|model| model.text.clone()).or(out.model.take());
    out.time = ["start_time", "startTimeUnixNano", "timestamp"].iter().find_map(|key| span.get(key)?.name());
    let mut seen = false;
    for Attribute { name, path, text } in &all {
        if !name.starts_with("llm.output_messages.") && !name.starts_with("gen_ai.completion.") {
            continue;
        }
        let place = At::root(path);
        if let Some(call) = name.strip_suffix("arguments") {
            seen = true;
            let tool = find(&format!("{call}name")).map_or("", |tool| &tool.text);
            if let Ok(arguments) = Json::parse(&quoted(text)) {
                out.call(&place, tool, &arguments, None);
            }
        } else if matches!(name.rsplit('.').next(), Some("content" | "text")) {
            seen = true;
            out.spoken(&place, text);
        }
    }
    if let Some(messages) = find("gen_ai.output.messages").filter(|_| !seen) {
        seen = true;
        out.within(&At::root(&messages.path), &messages.text, 0);
    }
    let is_model = find("openinference.span.kind").is_some_and(|kind| kind.text == "LLM");
    if let Some(output) = find("output.value").filter(|_| is_model && !seen) {
        let place = At::root(&output.path);
        if !out.within(&place, &output.text, 0) {
            out.spoken(&place, &output.text);
        }
    }
    out.time = None;
    let children = at.key("child_spans");
    for (index, child) in span.array_at("child_spans").unwrap_or_default().iter().enumerate() {
        out.walk(&children.index(index), child, 1);
    }
}
