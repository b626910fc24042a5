//! The formats, one module each. A value is recognised by its members, never by the name of its file.

mod autogen;
pub mod autogen_chat;
mod claude_code;
mod code_mode;
mod codex;
mod conversation;
mod google_genai;
mod inspect;
mod langchain;
mod langfuse;
mod langsmith;
mod llamaindex;
mod notebook;
mod open_interpreter;
mod openai_chat;
mod openai_responses;
mod openhands;
mod openinference;
mod raw_completion;
mod smolagents;
pub mod stream;
mod swe_agent;
mod tora;
pub mod vcr;

use super::extract::Extractor;
use super::json::Json;
use super::path::At;

/// A format: how a value of it is recognised, and what it says.
#[derive(Clone, Copy)]
pub struct Format {
    /// Its name in reports.
    pub name: &'static str,
    /// Whether a value is of this format.
    pub detect: fn(&Json) -> bool,
    /// Takes out what a value says.
    pub extract: fn(&mut Extractor, &At, &Json),
    /// Whether a record goes on with what records before it said.
    pub across: bool,
}

/// The most particular first.
const FORMATS: [Format; 21] = [
    notebook::FORMAT,
    claude_code::FORMAT,
    codex::FORMAT,
    smolagents::FORMAT,
    openinference::FORMAT,
    langchain::FORMAT,
    langsmith::FORMAT,
    langfuse::FORMAT,
    swe_agent::FORMAT,
    openhands::FORMAT,
    inspect::FORMAT,
    google_genai::FORMAT,
    openai_responses::FORMAT,
    openai_chat::FORMAT,
    llamaindex::FORMAT,
    open_interpreter::FORMAT,
    autogen::FORMAT,
    tora::FORMAT,
    raw_completion::FORMAT,
    conversation::OF_MESSAGES,
    conversation::MESSAGE,
];

/// What lists of messages are called before it is looked at what they are of.
pub const MESSAGES: &str = conversation::OF_MESSAGES.name;

/// The format of a value.
pub fn of(value: &Json) -> Option<&'static Format> {
    FORMATS.iter().find(|format| (format.detect)(value))
}

/// What a list of messages is called that nothing else is known of.
pub fn of_messages(messages: &[Json]) -> &'static str {
    conversation::name(messages)
}

/// Words of which a record has at least one if there is code in it, or a turn, or what became of one.
pub const MARKS: [&str; 25] = [
    "code",
    "execute",
    "```",
    "~~~",
    "arguments",
    "tool_",
    "python",
    ".py",
    "partial_json",
    "apply_patch",
    "command",
    "cmd",
    "generated",
    "cell",
    "replacement_text",
    "query",
    "actions",
    "source",
    "bservation",
    "console",
    "\"tool\"",
    "assistant",
    "call_output",
    "text_delta",
    "chat.completion.chunk",
];
