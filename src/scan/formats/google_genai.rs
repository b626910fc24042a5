//! Answers of Google's GenAI: parts with executable code, its result in the part behind it.

use super::Format;
use crate::scan::Observed;
use crate::scan::extract::Extractor;
use crate::scan::extract::{Event, Role, flat, role};
use crate::scan::json::Json;
use crate::scan::observed;
use crate::scan::path::At;

pub(super) const FORMAT: Format = Format { name: "google-genai", detect, extract, across: false };

fn detect(value: &Json) -> bool {
    value.array_at("parts").is_some() && value.text_at("role").is_some()
        || value.array_at("candidates").is_some_and(|list| list.iter().any(|candidate| candidate.at(&["content", "parts"]).is_some()))
        || value.array_at("parts").is_some_and(|parts| parts.iter().any(|part| member(part, "executableCode", "executable_code").is_some()))
}

fn member<'j, 'a>(value: &'j Json<'a>, name: &str, other: &str) -> Option<&'j Json<'a>> {
    value.get(name).or_else(|| value.get(other)).filter(|value| !value.is_null())
}

fn extract(out: &mut Extractor, at: &At, answer: &Json) {
    out.model =
        answer.text_at("modelVersion").or_else(|| answer.text_at("model_version")).map(std::borrow::Cow::into_owned).or(out.model.take());
    if let Some(list) = answer.array_at("parts") {
        let at = at.key("parts");
        return if role(answer) == Role::Other && answer.get("role").is_some() { results(out, list) } else { parts(out, &at, list) };
    }
    let candidates = at.key("candidates");
    for (index, candidate) in answer.array_at("candidates").unwrap_or_default().iter().enumerate() {
        if let Some(list) = candidate.at(&["content", "parts"]).and_then(Json::array) {
            parts(out, &candidates.index(index).key("content").key("parts"), list);
        }
    }
}

/// What the client says of the calls it ran.
fn results(out: &mut Extractor, parts: &[Json]) {
    for part in parts {
        if let Some(response) = member(part, "functionResponse", "function_response").and_then(|result| result.get("response")) {
            let said = ["result", "output", "error"].iter().find_map(|key| flat(response.get(key)?)).unwrap_or_default();
            let failed = response.get("error").is_some_and(|error| !error.is_null());
            let ended = observed::of_object(response).unwrap_or_else(|| observed::of_output(&said));
            out.events.push(Event::Reply(if failed && ended == Observed::Finished { Observed::Raised } else { ended }));
        }
    }
}

fn parts(out: &mut Extractor, at: &At, parts: &[Json]) {
    out.events.push(Event::Turn);
    for (index, part) in parts.iter().enumerate() {
        self::part(out, &at.index(index), part);
    }
}

/// A part: code, its result, a call, or text.
pub(super) fn part(out: &mut Extractor, at: &At, part: &Json) {
    if let Some(code) = member(part, "executableCode", "executable_code") {
        let python = code.text_at("language").is_none_or(|name| name.eq_ignore_ascii_case("python"));
        let name = if part.get("executableCode").is_some() { "executableCode" } else { "executable_code" };
        if let Some(text) = code.text_at("code").filter(|_| python) {
            out.snippet(&at.key(name).key("code"), &text, 0, true, None);
        }
    }
    if let Some(result) = member(part, "codeExecutionResult", "code_execution_result") {
        let ended = match result.text_at("outcome").as_deref() {
            Some("OUTCOME_OK") => Some(Observed::Finished),
            Some("OUTCOME_FAILED") => Some(Observed::Raised),
            Some("OUTCOME_DEADLINE_EXCEEDED") => Some(Observed::TimedOut),
            _ => None,
        };
        out.events.extend(ended.map(Event::Reply));
    }
    if let Some(call) = member(part, "functionCall", "function_call")
        && let Some(arguments) = call.get("args")
    {
        let key = if part.get("functionCall").is_some() { "functionCall" } else { "function_call" };
        out.call(&at.key(key).key("args"), &call.text_at("name").unwrap_or_default(), arguments, None);
    }
    if part.get("type").is_some() {
        out.part(at, part, false);
    } else if let Some(text) = part.text_at("text") {
        let from = out.events.len();
        out.spoken(&at.key("text"), &text);
        out.shown(from);
    }
}
