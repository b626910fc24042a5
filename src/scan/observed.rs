//! How a snippet ended, as far as the log says.

use std::borrow::Cow;

use super::Observed;
use super::json::Json;

/// Messages of those who stop code that takes too long.
const STOPPED: [&str; 21] = [
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
];

const TRACEBACK: &str = "Traceback (most recent call last)";

/// What antifreeze says of what it does not run.
const REJECTED: &str = "The code was rejected before it ran";

/// What the output of a snippet says of how it ended.
pub fn of_output(output: &str) -> Observed {
    if output.contains(REJECTED) {
        return Observed::NotRun;
    }
    if let Some(error) = named_error(output) {
        return of_error(&error);
    }
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
        None if stopped(&tail.to_ascii_lowercase()) => Observed::TimedOut,
        // A shell says so of what was sent SIGKILL.
        None if output.contains(TRACEBACK) || output.trim_end().rsplit('\n').next() == Some("Killed") => Observed::Raised,
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

/// The error in what a tool gives as an object: `{"error": "timeout"}`.
fn named_error(output: &str) -> Option<String> {
    let text = output.trim();
    if !(text.starts_with('{') && text.ends_with('}')) {
        return None;
    }
    let object = Json::parse(text).ok()?;
    object.text_at("error").filter(|error| !error.trim().is_empty()).map(Cow::into_owned)
}

/// What is said to be the output of a snippet in a message of the user's.
pub fn of_reply(reply: &str) -> Option<Observed> {
    let start: String = reply.trim_start().chars().take(40).collect::<String>().to_ascii_lowercase();
    let is_observation =
        ["observation", "<returncode>", "execution", "exitcode", "out[", "output", "[output", "<output>", "result:", "stdout"]
            .iter()
            .any(|word| start.starts_with(word));
    if !is_observation || start.starts_with("observation:\nyour answer is wrong") {
        return None;
    }
    let ended = of_output(reply);
    let failed = start.starts_with("exitcode: 1") || start.strip_prefix("<returncode>").is_some_and(|code| !code.starts_with('0'));
    Some(if failed && ended == Observed::Finished { Observed::Raised } else { ended })
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
