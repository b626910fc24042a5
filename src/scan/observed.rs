//! How a snippet ended, as far as the log says.

use std::borrow::Cow;

use super::Observed;
use super::json::Json;

/// Messages of those who stop code that takes too long.
const STOPPED: [&str; 24] = [
    "execution exceeded",
    "exceeded the time limit",
    "timeout exceeded",
    "timeout expired",
    "process timed out",
    "execution timed out",
    "timed out after",
    "command timed out",
    "code execution exceeded the maximum execution time",
    "exceeded the timeout",
    "timeouterror: timed out",
    "timeouterror: execution",
    "timeouterror: time limit",
    "cell execution timed out",
    "maximum number of iterations",
    "iterations in while loop exceeded",
    "maximum number of operations",
    "timeout: timed out",
    "execution timeout",
    "time limit exceeded",
    "outcome_deadline_exceeded",
    "was cancelled because it took more than",
    "timed out and has been killed",
    "[the command has no new output after",
];

/// What comes before an exit code where a line begins.
const CODES: [&str; 6] = ["exit code: ", "exit code ", "process exited with code ", "exitcode: ", "<returncode>", "returncode: "];

/// What comes before an exit code where a line in brackets ends an output.
const ENDS: [&str; 2] = ["[command finished with exit code ", "[the command completed with exit code "];

/// What the first line begins with where a tool failed before or while it ran the code.
const FAILED: [&str; 6] =
    ["error executing ", "error running ", "error calling ", "execution failed:", "tool execution failed", "code execution failed"];

const TRACEBACK: &str = "Traceback (most recent call last)";

/// What antifreeze says of what it does not run.
const REJECTED: &str = "The code was rejected before it ran";

/// What the output of a snippet says of how it ended.
pub fn of_output(output: &str) -> Observed {
    if output.contains(REJECTED) {
        return Observed::NotRun;
    }
    match Json::parse(output.trim()) {
        Ok(object @ Json::Object(_)) => of_object(&object).unwrap_or_else(|| of_text(output)),
        _ => with_exit_code(of_text(output), exit_code(output)),
    }
}

/// What is known of how it ended, with its exit code.
pub fn with_exit_code(ended: Observed, code: Option<i64>) -> Observed {
    match (ended, code) {
        // So `timeout` says that it stopped what it ran.
        (Observed::Finished | Observed::Raised, Some(124)) => Observed::TimedOut,
        (Observed::Finished, Some(code)) if code != 0 => Observed::Raised,
        _ => ended,
    }
}

/// What the text of an output says.
fn of_text(output: &str) -> Observed {
    // The end is where an exception is named; a program may print anything before it.
    let tail = tail(output, 64 << 10);
    let header = tail.rfind(TRACEBACK).map_or(0, |at| tail[..at].rfind('\n').map_or(0, |newline| newline + 1));
    let last = tail[header..].lines().rev().find_map(exception).or_else(|| header_kind(&tail[header..]).map(|kind| (kind, "")));
    match last {
        Some((kind, message)) => {
            let said = format!("{}: {}", kind.to_ascii_lowercase(), message.to_ascii_lowercase());
            let is_timeout = kind.ends_with("TimeoutError") || kind.ends_with("TimeoutException") || kind == "CellTimeoutError";
            // Of a connection that did not answer a program is told in time.
            let is_network = ["errno", "connection", "read timed out", "pool", "http"].iter().any(|word| said.contains(word));
            if stopped(&said) || is_timeout && !is_network { Observed::TimedOut } else { Observed::Raised }
        }
        None if stopped(&tail.to_ascii_lowercase()) || is_word(output) => Observed::TimedOut,
        // A shell says so of what was sent SIGKILL.
        None if output.contains(TRACEBACK) || output.trim_end().rsplit('\n').next() == Some("Killed") => Observed::Raised,
        None if failed(output) => of_error(output.trim().lines().next().unwrap_or_default()),
        None => Observed::Finished,
    }
}

/// What an error that a log names by itself says.
pub fn of_error(error: &str) -> Observed {
    if error.contains(REJECTED) {
        return Observed::NotRun;
    }
    let said = error.to_ascii_lowercase();
    if stopped(&said) || said.contains("timeout") || said.contains("timed out") { Observed::TimedOut } else { Observed::Raised }
}

/// What a tool says that gives an object: `{"error": "timeout"}`, `{"output": "", "exit_code": 2}`.
pub fn of_object(object: &Json) -> Option<Observed> {
    if object.get("timed_out").is_some_and(Json::is_true) {
        return Some(Observed::TimedOut);
    }
    if let Some(error) = object.text_at("error").filter(|error| !error.trim().is_empty()) {
        return Some(of_error(&error));
    }
    let code = ["exit_code", "returncode", "return_code", "exitCode"].iter().find_map(|key| object.get(key)?.signed())?;
    let said: Vec<Cow<str>> = ["stdout", "output", "stderr"].iter().filter_map(|key| object.text_at(key)).collect();
    Some(with_exit_code(of_text(&said.join("\n")), Some(code)))
}

/// The exit code that an output names at its beginning or in brackets at its end.
pub fn exit_code(output: &str) -> Option<i64> {
    let head = output.trim_start().lines().take(4).enumerate().find_map(|(index, line)| {
        let line = line.trim_start().to_ascii_lowercase();
        // A shell of Codex says other things first.
        let known = if index == 0 { &CODES[..] } else { &CODES[2..3] };
        let after = known.iter().find_map(|words| line.strip_prefix(words));
        number(after.or_else(|| line.split_once("(posix exit code: ").map(|(_, after)| after))?)
    });
    head.or_else(|| {
        let mut last = output.trim_end().lines().rev().take(3).map(|line| line.trim_start().to_ascii_lowercase());
        last.find_map(|line| number(ENDS.iter().find_map(|words| line.strip_prefix(words))?))
    })
}

/// The number a text begins with, where no sentence goes on behind it.
fn number(text: &str) -> Option<i64> {
    let end = text.char_indices().find(|(at, char)| !(char.is_ascii_digit() || *at == 0 && *char == '-')).map_or(text.len(), |(at, _)| at);
    let rest = &text[end..];
    let ends = rest.trim().is_empty() || rest.starts_with([')', '<', ']', '.']) || rest.starts_with(" (");
    text[..end].parse().ok().filter(|_| ends)
}

/// Whether an output is nothing but the name of what stopped it, as ToRA has it.
fn is_word(output: &str) -> bool {
    ["timeout", "timeout error"].iter().any(|word| output.trim().eq_ignore_ascii_case(word))
}

/// Whether a tool says in the first line that it failed, or gives an exception as it is written: `NameError('x')`.
fn failed(output: &str) -> bool {
    let text = output.trim();
    let first = text.lines().next().unwrap_or_default();
    let said = first.to_ascii_lowercase();
    let written = text == first
        && text.strip_suffix(')').and_then(|text| text.split_once('(')).is_some_and(|(kind, rest)| {
            rest.starts_with(['\'', '"']) && exception(&format!("{kind}:")).is_some_and(|(kind, _)| kind != "Error")
        });
    written || FAILED.iter().any(|words| said.starts_with(words))
}

/// What is said to be the output of a snippet in a message of the user's.
pub fn of_reply(reply: &str) -> Option<Observed> {
    let start: String = reply.trim_start().chars().take(40).collect::<String>().to_ascii_lowercase();
    let is_observation =
        ["observation", "<returncode>", "execution", "exitcode", "out[", "output", "[output", "<output>", "result:", "stdout"]
            .iter()
            .any(|word| start.starts_with(word))
            || start.starts_with("the last command ") && reply.contains("timed out and has been killed")
            || start.starts_with("the script ran") && reply.contains("exit code");
    if !is_observation || start.starts_with("observation:\nyour answer is wrong") {
        return None;
    }
    Some(of_output(reply))
}

fn stopped(said: &str) -> bool {
    STOPPED.iter().any(|known| said.contains(known))
}

/// `ValueError: …` at the beginning of a line.
fn exception(line: &str) -> Option<(&str, &str)> {
    let line = line.trim_end();
    let end = line.find(|c: char| !(c.is_alphanumeric() || c == '_' || c == '.')).unwrap_or(line.len());
    let (kind, rest) = line.split_at(end);
    let last = kind.rsplit('.').next().unwrap_or(kind);
    let is_kind = ["Error", "Exception", "Interrupt", "Exit", "Expired"].iter().any(|ending| last.ends_with(ending));
    let begins = last.chars().next().is_some_and(char::is_uppercase);
    match rest.strip_prefix(':') {
        Some(message) if is_kind && begins => Some((kind, message.trim())),
        None if is_kind && begins && rest.is_empty() && last.len() > 9 => Some((kind, "")),
        _ => None,
    }
}

/// The exception that IPython names before its traceback: all there is where the traceback was cut short.
fn header_kind(text: &str) -> Option<&str> {
    let kind = text.lines().next()?.split(TRACEBACK).next()?.trim();
    exception(kind).map(|_| kind)
}

fn tail(text: &str, bytes: usize) -> &str {
    let mut from = text.len().saturating_sub(bytes);
    while !text.is_char_boundary(from) {
        from += 1;
    }
    &text[from..]
}

#[cfg(test)]
mod tests {
    use super::{of_error, of_output, of_reply};
    use crate::scan::Observed::{Finished, NotRun, Raised, TimedOut};

    #[test]
    fn exit_codes() {
        assert_eq!(of_output("Exit code: 3\nWall time: 0.1 seconds\nOutput:\n"), Raised);
        assert_eq!(of_output("Exit code: 0\nOutput:\n1"), Finished);
        assert_eq!(of_output("Exit code 124"), TimedOut);
        assert_eq!(of_output("Chunk ID: ab12\nWall time: 0.05 seconds\nProcess exited with code 1\nOutput:\n"), Raised);
        assert_eq!(of_output("a\nb\nexit code: 1\n"), Finished);
        assert_eq!(of_output("Exit code 1 is what it says"), Finished);
        assert_eq!(of_output("1\n[Command finished with exit code 2]"), Raised);
        assert_eq!(of_output("{\"output\": \"\", \"exit_code\": 2}"), Raised);
        assert_eq!(of_output("{\"stdout\": \"\", \"returncode\": -9}"), Raised);
        assert_eq!(of_output("{\"stdout\": \"4\", \"return_code\": 0, \"timed_out\": false}"), Finished);
        assert_eq!(of_output("{\"timed_out\": true}"), TimedOut);
        assert_eq!(of_reply("exitcode: 124 (execution failed)\nCode output: \nTimeout"), Some(TimedOut));
        assert_eq!(of_reply("exitcode: 2 (execution failed)"), Some(Raised));
        assert_eq!(of_reply("The script ran, then exited with an error (POSIX exit code: 1)\nIts output was:\n"), Some(Raised));
        assert_eq!(of_reply("The last command <command>x</command> timed out and has been killed."), Some(TimedOut));
    }

    #[test]
    fn outcomes() {
        assert_eq!(of_output("16\n"), Finished);
        assert_eq!(of_output("Traceback (most recent call last):\n  File \"a\", line 1\nValueError: no"), Raised);
        assert_eq!(
            of_output("----\nTimeoutError   Traceback (most recent call last)\nTimeoutError: Timed out after 30 seconds."),
            TimedOut
        );
        assert_eq!(of_output("Traceback (most recent call last)\nTimeoutError: [Errno 110] Connection timed out"), Raised);
        let cut =
            "KeyError   Traceback (most recent call last)\nKeyError: 1\n\nTimeoutError   Traceback (most recent call last)\nCell 1...";
        assert_eq!(of_output(cut), TimedOut);
        assert_eq!(of_output("\nEXECUTION TIMED OUT"), TimedOut);
        assert_eq!(of_error("timeout"), TimedOut);
        assert_eq!(of_output("Timeout Error\n"), TimedOut);
        assert_eq!(of_output("Execution failed: timeout after 30s"), TimedOut);
        assert_eq!(of_output("Error executing tool python: NameError: name 'f' is not defined"), Raised);
        assert_eq!(of_output("NameError(\"name 'f' is not defined\")"), Raised);
        assert_eq!(of_output("Error('a') is what it prints\n"), Finished);
        assert_eq!(of_reply("Observation:\n3"), Some(Finished));
        assert_eq!(of_reply("<returncode>1</returncode>\n<output>x"), Some(Raised));
        assert_eq!(of_reply("Try again."), None);
        assert_eq!(of_output("Timeout: execution exceeded 30 seconds"), TimedOut);
        assert_eq!(of_output("bash: line 1: 7 Killed"), Finished);
        assert_eq!(of_output("working\nKilled\n"), Raised);
        assert_eq!(of_output("{\"error\": \"timeout\"}"), TimedOut);
        assert_eq!(of_output("{\"error\": \"no such file\"}"), Raised);
        assert_eq!(of_output("{\"error\": null, \"timeout\": 3}"), Finished);
        assert_eq!(of_error("InterpreterError: The code was rejected before it ran; nothing of it was run."), NotRun);
    }
}
