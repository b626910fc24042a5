//! From a record to what happened in it, in order: snippets, and what is told of them later.
//!
//! Formats say where messages, tool calls and texts are; what of those is Python is decided here, for all formats alike.

use std::borrow::Cow;
use std::hash::{BuildHasher, Hasher};

use foldhash::fast::FixedState;

use super::consoles;
use super::fences::{self, Kind};
use super::formats;
use super::frames::newlines;
use super::json::{Json, quoted};
use super::observed;
use super::patch;
use super::path::At;
use super::shell::{is_python_file, python_in};
use super::spoken;
use super::{Found, Observed};

/// Something a record says.
#[derive(Debug, Clone)]
pub enum Event {
    /// A snippet.
    Snippet(Box<Found>),
    /// How the call ended that has this key.
    Outcome(u64, Observed),
    /// How what the last turn ran ended.
    Reply(Observed),
    /// A file that was written before is run by the call that has this key.
    Ran(String, u64),
    /// The model speaks.
    Turn,
    /// Which model speaks from here on.
    Model(String),
    /// What the messages from here on are of.
    Format(&'static str),
    /// Which session it is from here on.
    Session(String),
    /// A snippet begins whose text comes in pieces.
    Begin(Box<Found>),
    /// A piece of it.
    More(String),
    /// It is complete.
    End,
    /// A conversation up to here, as a hash of all that was said in it.
    Said(u64),
    /// A piece of a streamed answer.
    Piece(String),
}

/// Members that repeat what was said before, describe tools, or hold what is not the agent's.
const ASIDE: [&str; 24] = [
    "input",
    "inputs",
    "prompt",
    "prompts",
    "request",
    "model_input_messages",
    "raw_input",
    "events",
    "attachments",
    "tools",
    "functions",
    "tool_call_metadata",
    "few_shot",
    "examples",
    "demonstrations",
    "system",
    "instructions",
    "reference",
    "metadata",
    "expected_output",
    "target",
    "environment_setup",
    "replay_config",
    "parentUuid",
];

/// Members of which a text is what a model said, where no format is known.
const SAID: [&str; 10] =
    ["completion", "completions", "response", "output", "generation", "generations", "answer", "model_output", "text", "solution"];

/// Who speaks.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum Role {
    /// The model.
    Assistant,
    /// What a tool says.
    Tool,
    /// Anybody else.
    Other,
}

/// Collects what one record says.
#[derive(Debug, Default)]
pub struct Extractor {
    /// The format that was recognised.
    pub format: &'static str,
    /// The format of what holds it.
    outer: Option<&'static str>,
    /// What was found.
    pub events: Vec<Event>,
    /// Parts of programs that were passed over.
    pub fragments: u64,
    /// Whether later records go on with what this one says.
    pub across: bool,
    /// The session.
    pub session: Option<String>,
    /// The model.
    pub model: Option<String>,
    /// The time.
    pub time: Option<String>,
    /// The turn, where the format counts.
    pub turn: Option<u64>,
    /// The tool that is called.
    tool: Option<String>,
    /// Of all messages so far.
    chain: u64,
    /// The file that a snippet is written to.
    file: Option<String>,
    /// A file that was created and is still empty.
    pub created: Option<String>,
}

/// A hash that is the same in each run.
pub fn hash(parts: &[&str]) -> u64 {
    let mut hasher = FixedState::with_seed(0x5ca_0001).build_hasher();
    for part in parts {
        hasher.write(part.as_bytes());
        hasher.write_u8(0xff);
    }
    hasher.finish() | 1
}

/// The id of a call, where it is one of its own: short ones count the calls of an answer.
fn named(id: Option<&str>) -> Option<&str> {
    id.filter(|id| id.len() > 5)
}

/// The key of a call; zero where it has no id of its own.
fn call_key(id: Option<&str>) -> u64 {
    named(id).map_or(0, |id| hash(&[id]))
}

fn hash_value(value: &Json, hasher: &mut impl Hasher) {
    match value {
        Json::Null => hasher.write_u8(0),
        Json::Bool(value) => hasher.write_u8(1 + u8::from(*value)),
        Json::Number(text) => hasher.write(text.as_bytes()),
        Json::Text(text) => hasher.write(text.raw().as_bytes()),
        Json::Array(elements) => elements.iter().for_each(|element| hash_value(element, hasher)),
        Json::Object(members) => members.iter().for_each(|(_, member)| hash_value(member, hasher)),
    }
    hasher.write_u8(0xfe);
}

/// Text, or a list of lines or of parts that have a text.
pub fn flat<'j>(value: &'j Json<'_>) -> Option<Cow<'j, str>> {
    match value {
        Json::Text(text) => Some(text.get()),
        Json::Array(parts) => {
            let texts = parts.iter().filter_map(|part| part.text().or_else(|| part.text_at("text")).or_else(|| flat(part.get("content")?)));
            Some(Cow::Owned(texts.collect::<String>()))
        }
        Json::Object(_) => ["text", "content", "stdout", "output"].iter().find_map(|key| flat(value.get(key)?)),
        _ => None,
    }
}

/// Whether a tool runs Python.
fn runs_python(tool: &str) -> bool {
    let tool = tool.to_ascii_lowercase();
    ["python", "ipython", "jupyter", "notebook", "repl", "interpreter", "code_execution", "execute_code", "run_code", "sandbox"]
        .iter()
        .any(|word| tool.contains(word))
        || ["code", "execute", "exec", "run"].contains(&tool.as_str())
}

/// Whether a tool runs another language.
fn runs_other(tool: &str) -> bool {
    let tool = tool.to_ascii_lowercase();
    ["javascript", "typescript", "node", "sql", "ruby", "rust", "java", "golang", "php", "latex", "html", "mermaid"]
        .iter()
        .any(|word| tool.contains(word))
}

impl Extractor {
    /// Looks at a value: in the format it is recognised as, else at what it holds.
    pub fn walk(&mut self, at: &At, value: &Json, depth: usize) {
        if depth > 64 {
            return;
        }
        match value {
            Json::Object(members) => {
                if let Some(format) = formats::of(value) {
                    let (before, outer) = (self.format, self.outer);
                    self.format = format.name;
                    self.across |= format.across;
                    // Within a format of its own, messages are no other.
                    if outer.is_none() && format.name != formats::MESSAGES {
                        self.outer = Some(format.name);
                    }
                    (format.extract)(self, at, value);
                    self.outer = outer;
                    if !before.is_empty() {
                        self.format = before;
                    }
                    return;
                }
                for (key, member) in members {
                    let key = key.get();
                    if ASIDE.contains(&&*key) {
                        continue;
                    }
                    let at = at.key(&key);
                    match member {
                        Json::Object(_) | Json::Array(_) => self.walk(&at, member, depth + 1),
                        Json::Text(text) if text.raw().len() > 12 => {
                            let start = text.raw().as_bytes()[0];
                            if matches!(start, b'{' | b'[') {
                                self.within(&at, &text.get(), depth);
                            } else if SAID.contains(&&*key) && self.format.is_empty() {
                                self.format = "json";
                                self.prose(&at, &text.get());
                                self.format = "";
                            }
                        }
                        _ => {}
                    }
                }
            }
            Json::Array(elements) => {
                if elements.first().is_some_and(is_message) {
                    let format = self.format;
                    if self.format.is_empty() {
                        self.format = formats::of_messages(elements);
                    }
                    self.conversation(at, elements);
                    self.format = format;
                    return;
                }
                for (index, element) in elements.iter().enumerate() {
                    self.walk(&at.index(index), element, depth + 1);
                }
            }
            _ => {}
        }
    }

    /// What is found in a text that something else holds is of another format than that.
    pub fn as_format<T>(&mut self, name: &'static str, look: impl FnOnce(&mut Extractor) -> T) -> T {
        let (format, outer) = (std::mem::replace(&mut self.format, name), self.outer.replace(name));
        let seen = look(self);
        (self.format, self.outer) = (format, outer);
        seen
    }

    /// Code that smolagents shows in boxes. Gives whether there is any.
    pub fn boxes(&mut self, at: &At, text: &str) -> bool {
        let boxes = consoles::boxes(text);
        let any = !boxes.is_empty();
        for boxed in boxes {
            self.events.push(Event::Turn);
            let mut found = self.found(at, &boxed.code, boxed.start, true, None);
            found.line_in_text = newlines(&text.as_bytes()[..boxed.start]) + 1;
            if !found.code.trim().is_empty() {
                self.events.push(Event::Snippet(Box::new(found)));
                self.events.extend(boxed.ended.map(Event::Reply));
            }
        }
        any
    }

    /// Looks at JSON in a string.
    pub fn within(&mut self, at: &At, text: &str, depth: usize) -> bool {
        match Json::parse(text) {
            Ok(value @ (Json::Object(_) | Json::Array(_))) => {
                self.walk(&at.within(), &value, depth + 1);
                true
            }
            _ => false,
        }
    }

    /// A list of messages, from its beginning.
    pub fn conversation(&mut self, at: &At, messages: &[Json]) {
        let counts = self.turn.is_none();
        let mut turn = 0;
        for (index, message) in messages.iter().enumerate() {
            let at = at.index(index);
            if role(message) == Role::Assistant {
                turn += 1;
                if counts {
                    self.turn = Some(turn);
                }
            }
            self.message(&at, message);
            self.said_so_far();
        }
        if counts {
            self.turn = None;
        }
    }

    /// What is said from here on is one thing with this before it: the beginning of a record is as good as its place in a copy.
    pub fn chained(&mut self, value: &Json) {
        let mut hasher = FixedState::with_seed(self.chain).build_hasher();
        hash_value(value, &mut hasher);
        self.chain = hasher.finish() | 1;
    }

    /// Marks how far the conversation has come.
    pub fn said_so_far(&mut self) {
        self.events.push(Event::Said(self.chain));
    }

    /// One message.
    pub fn message(&mut self, at: &At, message: &Json) {
        let content = message.get("content").or_else(|| message.get("value")).or_else(|| message.get("blocks"));
        match content {
            Some(content) => self.chained(content),
            None => self.chained(message),
        }
        match role(message) {
            Role::Assistant => {
                self.events.push(Event::Turn);
                if let Some(model) = message.text_at("model") {
                    self.model = Some(model.into_owned());
                }
                self.said(at, message);
            }
            Role::Tool => {
                let id = ["tool_call_id", "call_id", "id"].iter().find_map(|key| message.text_at(key));
                let output = content.and_then(flat).unwrap_or_default();
                let error = message.get("error").filter(|error| !error.is_null());
                let failed = message.has("status", "error") || message.get("is_error").is_some_and(Json::is_true);
                let ended = match (error, observed::of_output(&output)) {
                    (Some(error), _) => error_of(error),
                    (None, Observed::Finished) if failed => Observed::Raised,
                    (None, ended) => ended,
                };
                self.ended(id.as_deref(), ended);
            }
            Role::Other => match content {
                Some(Json::Array(parts)) => self.results(parts),
                Some(Json::Text(text)) => self.events.extend(observed::of_reply(&text.get()).map(Event::Reply)),
                _ => {}
            },
        }
    }

    /// A call is over.
    pub fn ended(&mut self, id: Option<&str>, ended: Observed) {
        self.events.push(match call_key(id) {
            0 => Event::Reply(ended),
            key => Event::Outcome(key, ended),
        });
    }

    /// Results among the parts of a message.
    fn results(&mut self, parts: &[Json]) {
        for part in parts {
            let id = part.text_at("tool_use_id").or_else(|| part.text_at("tool_call_id"));
            let Some(id) = id else {
                if let Some(text) = part.text_at("text") {
                    self.events.extend(observed::of_reply(&text).map(Event::Reply));
                }
                continue;
            };
            let content = part.get("content");
            let output = content.and_then(flat).unwrap_or_default();
            let mut ended = observed::of_output(&output);
            let return_code = content.and_then(|content| content.get("return_code")).and_then(Json::integer);
            let is_error = matches!(part.get("is_error"), Some(Json::Bool(true))) || return_code.is_some_and(|code| code != 0);
            let stderr = content.and_then(|content| content.text_at("stderr")).unwrap_or_default();
            if ended == Observed::Finished && !stderr.is_empty() && is_error {
                ended = observed::of_output(&stderr);
            }
            if let Some(code) = content.and_then(|content| content.text_at("error_code")) {
                ended = observed::of_error(&code);
            }
            let ended = if is_error && ended == Observed::Finished { Observed::Raised } else { ended };
            self.ended(Some(&id), ended);
        }
    }

    /// What a model said: text, parts and calls.
    fn said(&mut self, at: &At, message: &Json) {
        let calls = message.array_at("tool_calls").filter(|calls| !calls.is_empty());
        for key in ["content", "value", "blocks"] {
            let at = at.key(key);
            match message.get(key) {
                Some(Json::Text(text)) if calls.is_none() => self.spoken(&at, &text.get()),
                Some(Json::Array(parts)) => {
                    for (index, part) in parts.iter().enumerate() {
                        self.part(&at.index(index), part, calls.is_some());
                    }
                }
                _ => {}
            }
        }
        for (index, call) in calls.unwrap_or_default().iter().enumerate() {
            self.tool_call(&at.key("tool_calls").index(index), call);
        }
        if let Some(call) = message.get("function_call").filter(|call| call.object().is_some()) {
            let name = call.text_at("name").unwrap_or_default();
            if let Some(arguments) = call.get("arguments") {
                self.call(&at.key("function_call").key("arguments"), &name, arguments, None);
            }
        }
        // mini-swe-agent keeps the commands it took from the text.
        let actions = message.at(&["extra", "actions"]).and_then(Json::array);
        let spoken = message.get("content").and_then(flat).is_some_and(|text| text.contains("```"));
        if let Some(actions) = actions.filter(|_| calls.is_none() && !spoken) {
            let extra = at.key("extra");
            let at = extra.key("actions");
            for (index, action) in actions.iter().enumerate() {
                let at = at.index(index);
                let (at, command) = if action.text().is_some() { (at, Some(action)) } else { (at, action.get("command")) };
                if let Some(command) = command.and_then(Json::text) {
                    self.shell(&at, &command, None);
                }
            }
        }
    }

    /// A part of what a model said.
    pub fn part(&mut self, at: &At, part: &Json, has_calls: bool) {
        let kind = part.text_at("type").or_else(|| part.text_at("block_type")).unwrap_or_default();
        match &*kind {
            "tool_use" | "server_tool_use" | "mcp_tool_use" | "tool_call" if !has_calls => {
                let name = part.text_at("name").or_else(|| part.text_at("tool_name")).unwrap_or_default();
                let id = part.text_at("id");
                for key in ["input", "arguments", "args", "tool_kwargs"] {
                    if let Some(input) = part.get(key) {
                        self.call(&at.key(key), &name, input, id.as_deref());
                        break;
                    }
                }
            }
            "text" | "output_text" | "" if !has_calls => {
                if let Some(text) = part.get("text").or_else(|| part.get("content")).and_then(Json::text) {
                    let key = if part.get("text").is_some() { "text" } else { "content" };
                    self.spoken(&at.key(key), &text);
                }
            }
            kind if kind.ends_with("_tool_result") => self.results(std::slice::from_ref(part)),
            _ => {}
        }
    }

    /// A tool call in one of its usual forms.
    pub fn tool_call(&mut self, at: &At, call: &Json) {
        let id = call.text_at("id").or_else(|| call.text_at("tool_call_id"));
        let id = id.as_deref();
        match call.get("function") {
            Some(function @ Json::Object(_)) => {
                let name = function.text_at("name").unwrap_or_default();
                if let Some(arguments) = function.get("arguments") {
                    self.call(&at.key("function").key("arguments"), &name, arguments, id);
                }
            }
            function => {
                let name = function.and_then(Json::text).or_else(|| call.text_at("name")).or_else(|| call.text_at("tool_name"));
                for key in ["arguments", "args", "tool_kwargs", "input"] {
                    if let Some(arguments) = call.get(key) {
                        self.call(&at.key(key), &name.unwrap_or_default(), arguments, id);
                        break;
                    }
                }
            }
        }
    }

    /// The arguments of a call: an object, one in a string, or the code itself.
    pub fn call(&mut self, at: &At, tool: &str, arguments: &Json, id: Option<&str>) {
        self.tool = Some(tool.to_owned()).filter(|tool| !tool.is_empty());
        match arguments {
            Json::Text(text) => {
                let text = text.get();
                let value = if text.trim_start().starts_with('{') { Json::parse(&text).ok() } else { None };
                match value {
                    Some(value @ Json::Object(_)) => self.arguments(&at.within(), tool, &value, id),
                    _ if tool == "apply_patch" => self.patch(at, &text, id),
                    _ => {
                        if let Some(code) = repr_member(&text) {
                            self.snippet(at, &code, 0, true, id);
                        } else if runs_python(tool) {
                            self.snippet(at, &text, 0, true, id);
                        } else if is_shell(tool) {
                            self.shell(at, &text, id);
                        }
                    }
                }
            }
            Json::Object(_) => self.arguments(at, tool, arguments, id),
            _ => {}
        }
        self.tool = None;
    }

    fn arguments(&mut self, at: &At, tool: &str, arguments: &Json, id: Option<&str>) {
        let path = ["file_path", "path", "filename", "filepath", "notebook_path", "file"].iter().find_map(|key| arguments.text_at(key));
        if let Some(path) = &path {
            if tool == "create" && arguments.object().is_some_and(|members| members.len() == 1) {
                self.created = Some(path.clone().into_owned());
                return;
            }
            for key in ["content", "file_text", "contents", "text"] {
                if let Some(text) = arguments.text_at(key).filter(|_| is_python_file(path)) {
                    self.written(&at.key(key), &text, 0, path);
                    return;
                }
            }
            if let Some(text) = arguments.text_at("new_source").filter(|_| !arguments.has("cell_type", "markdown")) {
                self.snippet(&at.key("new_source"), &text, 0, false, id);
                return;
            }
        }
        let is_python = path.as_deref().is_none_or(is_python_file);
        let edits = at.key("edits");
        let list = arguments.array_at("edits").unwrap_or_default().iter().enumerate().map(|(index, edit)| (Some(index), edit));
        let mut edited = false;
        for (index, edit) in list.chain([(None, arguments)]) {
            let at = index.map_or(*at, |index| edits.index(index));
            for (new, old) in [("new_string", "old_string"), ("new_str", "old_str"), ("replacement_text", "")] {
                let Some(text) = edit.text_at(new) else { continue };
                edited = true;
                let whole = edit.text_at(old).is_some_and(|old| old.is_empty())
                    || old.is_empty() && self.created.take().is_some_and(|file| is_python_file(&file));
                if whole && is_python {
                    self.written(&at.key(new), &text, 0, path.as_deref().unwrap_or("a.py"));
                } else if is_python && !text.trim().is_empty() {
                    self.fragments += 1;
                }
            }
        }
        if edited || tool == "str_replace_editor" {
            return;
        }
        if let Some(patch) = ["patch", "input"].iter().find_map(|key| Some((key, arguments.text_at(key)?)))
            && patch.1.starts_with("*** Begin Patch")
        {
            self.patch(&at.key(patch.0), &patch.1, id);
            return;
        }
        let language = arguments.text_at("language").or_else(|| arguments.text_at("lang")).map(|name| name.to_ascii_lowercase());
        let shell_language = language.as_deref().is_some_and(|name| ["bash", "sh", "shell"].contains(&name));
        let foreign = language.as_deref().is_some_and(|name| !name.contains("python") && !shell_language);
        if foreign || runs_other(tool) {
            return;
        }
        for key in ["command", "cmd", "commands", "bash"] {
            let at = at.key(key);
            match arguments.get(key) {
                Some(Json::Text(text)) => self.shell(&at, &text.get(), id),
                Some(Json::Array(words)) => {
                    let words: Vec<String> = words.iter().filter_map(|word| Some(word.text()?.into_owned())).collect();
                    self.words(&at, &words, id);
                }
                _ => {}
            }
        }
        let python = runs_python(tool) || language.is_some();
        let shell = shell_language || is_shell(tool) && !python;
        for key in ["code", "python_code", "python", "source", "script", "program", "query", "input", "text", "__arg1", "cell", "statement"]
        {
            if !python && !shell && !["code", "python_code"].contains(&key) {
                continue;
            }
            let Some(code) = arguments.get(key).and_then(flat) else { continue };
            if shell {
                self.shell(&at.key(key), &code, id);
            } else {
                self.snippet(&at.key(key), &code, 0, true, id);
            }
            break;
        }
    }

    /// A patch.
    pub fn patch(&mut self, at: &At, text: &str, id: Option<&str>) {
        let patched = patch::read(text);
        self.fragments += patched.changed;
        for (file, code) in patched.added {
            self.file = Some(file);
            self.snippet(at, &code, 0, false, id);
            self.file = None;
        }
    }

    /// What a model said: calls written as text, else code in it.
    pub fn spoken(&mut self, at: &At, text: &str) {
        let calls = spoken::calls(text);
        if calls.is_empty() {
            return self.prose(at, text);
        }
        for call in calls {
            let from = self.events.len();
            if let Ok(arguments) = Json::parse(&quoted(&call.arguments)) {
                self.call(at, &call.tool, &arguments, None);
            }
            for event in &mut self.events[from..] {
                if let Event::Snippet(found) = event {
                    let first = found.code.lines().find(|line| !line.trim().is_empty()).unwrap_or_default();
                    let start = call.start + text[call.start..].find(first).unwrap_or(0);
                    found.json_path = at.to_string();
                    found.start = u32::try_from(start).unwrap_or(u32::MAX);
                    found.line_in_text = newlines(&text.as_bytes()[..start]) + 1;
                }
            }
        }
    }

    /// Text in which there may be code.
    pub fn prose(&mut self, at: &At, text: &str) {
        for block in fences::blocks(text) {
            match block.kind {
                Kind::Python => {
                    let mut found = self.found(at, &block.code, block.start, true, None);
                    found.line_in_text = newlines(&text.as_bytes()[..block.start]) + 1;
                    if !found.code.trim().is_empty() {
                        self.events.push(Event::Snippet(Box::new(found)));
                    }
                }
                Kind::Shell => self.shell_at(at, &block.code, block.start, None),
                Kind::Output => self.events.push(Event::Reply(observed::of_output(&block.code))),
            }
        }
    }

    /// A command as a list of words.
    pub fn words(&mut self, at: &At, words: &[String], id: Option<&str>) {
        match words {
            [tool, patch, ..] if tool == "apply_patch" => self.patch(at, patch, id),
            words => self.shell(at, &joined(words), id),
        }
    }

    /// The tool that what comes is given to.
    pub fn tool(&mut self, name: Option<&str>) {
        self.tool = name.map(str::to_owned);
    }

    /// What was said since then is shown, not run, but for calls.
    pub fn shown(&mut self, from: usize) {
        for event in &mut self.events[from..] {
            if let Event::Snippet(found) = event {
                found.ran &= found.tool.is_some();
            }
        }
    }

    /// A shell command.
    pub fn shell(&mut self, at: &At, command: &str, id: Option<&str>) {
        self.shell_at(at, command, 0, id);
    }

    /// A shell command that begins somewhere in the text at the path.
    pub fn shell_at(&mut self, at: &At, command: &str, start: usize, id: Option<&str>) {
        let (pieces, run) = python_in(command);
        // What the shell's quoting changed is found by its first line, or not.
        let begins = |code: &str| {
            let first = code.lines().find(|line| !line.trim().is_empty()).unwrap_or_default();
            start + command.find(code).or_else(|| command.find(first)).unwrap_or(0)
        };
        for piece in pieces {
            let Some(file) = piece.file else {
                self.snippet(at, &piece.code, begins(&piece.code), true, id);
                continue;
            };
            self.written(at, &piece.code, begins(&piece.code), &file);
        }
        for file in run {
            self.events.push(Event::Ran(file, call_key(id)));
        }
    }

    /// A program that is written to a file.
    pub fn written(&mut self, at: &At, code: &str, start: usize, file: &str) {
        self.file = Some(file.to_owned());
        self.snippet(at, code, start, false, None);
        self.file = None;
    }

    /// A snippet. `start` is where it begins in the text at the path.
    pub fn snippet(&mut self, at: &At, code: &str, start: usize, ran: bool, id: Option<&str>) {
        let found = self.found(at, code, start, ran, id);
        if !found.code.trim().is_empty() {
            self.events.push(Event::Snippet(Box::new(found)));
        }
    }

    /// A snippet, not yet told of.
    pub fn found(&mut self, at: &At, code: &str, start: usize, ran: bool, id: Option<&str>) -> Found {
        Found {
            format: self.outer.unwrap_or(self.format),
            json_path: at.to_string(),
            start: u32::try_from(start).unwrap_or(u32::MAX),
            line_in_text: 1,
            code: code.into(),
            turn: self.turn,
            model: self.model.clone(),
            time: self.time.clone(),
            tool: self.tool.clone(),
            observed: None,
            session: self.session.clone(),
            identity: named(id).map_or(0, |id| hash(&[id, code])),
            call: call_key(id),
            ran,
            file: self.file.clone(),
            notebook: false,
        }
    }
}

/// Whether a tool runs shell commands.
fn is_shell(tool: &str) -> bool {
    let tool = tool.to_ascii_lowercase();
    ["bash", "shell", "terminal", "exec_command", "run_command", "execute_command"].iter().any(|word| tool.contains(word))
}

/// Words as a shell would have to be given them.
fn joined(words: &[String]) -> String {
    let quoted = words.iter().map(|word| format!("'{}'", word.replace('\'', "'\\''")));
    quoted.collect::<Vec<_>>().join(" ")
}

fn error_of(error: &Json) -> Observed {
    let said = ["type", "kind", "error_class", "message"].iter().filter_map(|key| error.text_at(key)).collect::<Vec<_>>().join(" ");
    let said = error.text().map_or(said, Cow::into_owned);
    observed::of_error(&said)
}

/// Whether a value is a message of a conversation.
pub fn is_message(value: &Json) -> bool {
    let content = value.get("content").is_some() || value.get("tool_calls").is_some() || value.get("blocks").is_some();
    value.text_at("role").is_some() && content && value.get("step_number").is_none() && value.get("format").is_none()
        || value.text_at("from").is_some() && value.get("value").is_some()
}

/// Who speaks in a message.
pub fn role(message: &Json) -> Role {
    let role = message.text_at("role").or_else(|| message.text_at("from")).or_else(|| message.text_at("type")).unwrap_or_default();
    let role = role.rsplit('.').next().unwrap_or_default().to_ascii_lowercase();
    match role.as_str() {
        "assistant" | "gpt" | "ai" | "model" | "bot" | "agent" | "chatgpt" | "aimessage" => Role::Assistant,
        "tool" | "function" | "ipython" | "computer" | "tool_response" | "tool-response" | "observation" | "toolmessage" => Role::Tool,
        _ => Role::Other,
    }
}

/// The code in the `repr` of a Python dict with one: `{'query': 'print(1)'}`.
fn repr_member(text: &str) -> Option<String> {
    let inner = text.trim().strip_prefix('{')?;
    let key =
        ["'code': ", "'query': ", "'source': ", "'input': ", "'script': ", "'__arg1': "].into_iter().find(|key| inner.contains(key))?;
    let value = &inner[inner.find(key)? + key.len()..];
    let quote = value.chars().next().filter(|c| matches!(c, '\'' | '"'))?;
    let mut out = String::new();
    let mut chars = value[1..].chars();
    loop {
        match chars.next()? {
            '\\' => match chars.next()? {
                'n' => out.push('\n'),
                't' => out.push('\t'),
                'r' => out.push('\r'),
                code @ ('x' | 'u' | 'U') => {
                    let length = match code {
                        'x' => 2,
                        'u' => 4,
                        _ => 8,
                    };
                    let digits: String = chars.by_ref().take(length).collect();
                    out.push(u32::from_str_radix(&digits, 16).ok().and_then(char::from_u32).unwrap_or('\u{fffd}'));
                }
                other @ ('\\' | '\'' | '"') => out.push(other),
                other => out.extend(['\\', other]),
            },
            char if char == quote => return Some(out),
            char => out.push(char),
        }
    }
}

#[cfg(test)]
mod tests {
    use super::repr_member;

    #[test]
    fn a_dict_of_python_is_read() {
        assert_eq!(repr_member(r"{'query': 'a = \'x\'\nprint(a)'}").as_deref(), Some("a = 'x'\nprint(a)"));
        assert_eq!(repr_member(r#"{'id': 1, 'code': "it's"}"#).as_deref(), Some("it's"));
        assert_eq!(repr_member("{'query': 'a"), None);
        assert_eq!(repr_member("{x}"), None);
    }
}
