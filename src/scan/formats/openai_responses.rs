//! Answers of the Responses of OpenAI: a list of items.

use super::{Format, code_mode};
use crate::scan::Observed;
use crate::scan::extract::Extractor;
use crate::scan::extract::flat;
use crate::scan::json::Json;
use crate::scan::observed;
use crate::scan::path::At;

pub(super) const FORMAT: Format = Format { name: "openai-responses", detect, extract, across: false };

fn detect(value: &Json) -> bool {
    value.has("object", "response") && value.get("output").is_some()
        || value.array_at("output").and_then(|items| items.first()).is_some_and(is_item)
        || is_item(value)
}

/// What items with code, or with what became of it, are called.
const ITEMS: [&str; 10] = [
    "code_interpreter_call",
    "function_call",
    "custom_tool_call",
    "local_shell_call",
    "shell_call",
    "apply_patch_call",
    "function_call_output",
    "custom_tool_call_output",
    "local_shell_call_output",
    "shell_call_output",
];

/// Whether a value is an item of a response, by itself.
pub(super) fn is_item(value: &Json) -> bool {
    ITEMS.iter().any(|kind| value.has("type", kind))
        || value.has("type", "message")
            && value.array_at("content").and_then(|parts| parts.first()).is_some_and(|part| part.has("type", "output_text"))
}

fn extract(out: &mut Extractor, at: &At, response: &Json) {
    let Some(items) = response.array_at("output").filter(|_| !is_item(response)) else {
        // Codex kept its sessions so before it had rollouts.
        out.across |= at.is_root();
        return item(out, at, response);
    };
    out.model = response.text_at("model").map(std::borrow::Cow::into_owned).or(out.model.take());
    out.time = response.get("created_at").and_then(Json::name).or(out.time.take());
    let output = at.key("output");
    for (index, value) in items.iter().enumerate() {
        item(out, &output.index(index), value);
    }
}

/// One item.
pub(super) fn item(out: &mut Extractor, at: &At, item: &Json) {
    let id = item.text_at("call_id").or_else(|| item.text_at("id"));
    let id = id.as_deref();
    let kind = item.text_at("type").unwrap_or_default();
    match &*kind {
        "code_interpreter_call" => {
            if let Some(code) = item.text_at("code") {
                out.snippet(&at.key("code"), &code, 0, true, id);
                let logs: String = item.array_at("outputs").unwrap_or_default().iter().filter_map(|log| log.text_at("logs")).collect();
                let ended = match item.text_at("status").as_deref() {
                    Some("completed") => Some(observed::of_output(&logs)),
                    Some("failed" | "incomplete") => Some(Observed::Raised),
                    _ => None,
                };
                if let Some(ended) = ended {
                    out.ended(id, ended);
                }
            }
        }
        "function_call" | "custom_tool_call" => {
            let name = item.text_at("name").unwrap_or_default();
            if kind == "custom_tool_call"
                && name == "exec"
                && let Some(script) = item.text_at("input")
            {
                return code_mode::extract(out, &at.key("input"), &script, id);
            }
            for key in ["arguments", "input"] {
                if let Some(arguments) = item.get(key) {
                    out.call(&at.key(key), &name, arguments, id);
                }
            }
        }
        "local_shell_call" => {
            if let Some(action) = item.get("action") {
                out.call(&at.key("action"), "shell", action, id);
            }
        }
        "shell_call" => {
            let (action, commands) = (at.key("action"), item.at(&["action", "commands"]).and_then(Json::array));
            let commands_at = action.key("commands");
            for (index, command) in commands.unwrap_or_default().iter().enumerate() {
                if let Some(text) = command.text() {
                    out.shell(&commands_at.index(index), &text, id.map(|id| format!("{id}#{index}")).as_deref());
                }
            }
        }
        "shell_call_output" => shell_outcomes(out, item, id),
        "apply_patch_call" => patch(out, &at.key("operation"), item, id),
        "function_call_output" | "custom_tool_call_output" | "local_shell_call_output" => {
            let output = item.get("output").and_then(flat).unwrap_or_default();
            // Codex puts the output and how it ended in an object in the string.
            let inner = Json::parse(&output).ok();
            let said = inner.as_ref().and_then(|inner| inner.at(&["metadata", "exit_code"]).and(inner.text_at("output")));
            let code = inner.as_ref().and_then(|inner| inner.at(&["metadata", "exit_code"])?.signed());
            out.ended(id, observed::with_exit_code(observed::of_output(said.as_ref().unwrap_or(&output)), code));
        }
        "message" if item.has("role", "assistant") => out.message(at, item),
        _ => {}
    }
}

/// How the commands of a shell ended, in their order.
fn shell_outcomes(out: &mut Extractor, item: &Json, id: Option<&str>) {
    for (index, output) in item.array_at("output").unwrap_or_default().iter().enumerate() {
        let said = ["stdout", "stderr"].map(|key| output.text_at(key).unwrap_or_default()).join("\n");
        let ended = match output.get("outcome") {
            Some(outcome) if outcome.has("type", "timeout") => Observed::TimedOut,
            outcome => {
                let code = outcome.and_then(|outcome| outcome.get("exit_code")?.signed());
                observed::with_exit_code(observed::of_output(&said), code)
            }
        };
        out.ended(id.map(|id| format!("{id}#{index}")).as_deref(), ended);
    }
}

/// A file that is created is a program, a change is part of one.
fn patch(out: &mut Extractor, at: &At, item: &Json, id: Option<&str>) {
    let Some(operation) = item.get("operation") else { return };
    let path = operation.text_at("path").unwrap_or_default();
    let kind = if operation.has("type", "create_file") { "Add" } else { "Update" };
    if let Some(diff) = operation.text_at("diff") {
        out.patch(&at.key("diff"), &format!("*** {kind} File: {path}\n{diff}"), id);
    }
}
