//! What became of a run, for people and models.

use std::fmt::Write;

use super::text::{Note, Style, plain};
use crate::outcome::{Frame, LimitHit, Outcome, OutcomeKind};
use crate::rules::Level;
use crate::source::Source;
use crate::syntax::Span;

/// The report on stderr: nothing where there is nothing to say. Lines of the program in the outcome are the original text's.
/// `source` is what was run, where there was anything.
pub fn text(outcome: &Outcome, source: Option<&Source>, style: Style) -> String {
    let mut out = String::new();
    let place = source.and_then(|source| place(outcome, source));
    if let Some(message) = headline(outcome, place.as_ref()) {
        let span = place.as_ref().zip(source).and_then(|(frame, source)| Some((span_of_line(source, frame.line)?, source)));
        out.push_str(&render(outcome, &message, span, style));
        if let Some(stack) = &outcome.stack
            && (stack.len() > 1 || source.is_none())
        {
            out.push_str("  stack, outermost first:\n");
            for frame in stack.iter().rev().take(12).rev() {
                let _ = writeln!(out, "    {}:{} in {}", plain(&frame.file), frame.line, plain(&frame.function));
            }
        }
        if let Some(reason) = outcome.stack_reason.as_ref().filter(|_| outcome.outcome == OutcomeKind::TimedOut) {
            let _ = writeln!(out, "  no stack: {}", plain(reason));
        }
    }
    if outcome.truncated_bytes > 0 {
        let _ = writeln!(out, "antifreeze: {} more bytes of output were dropped", outcome.truncated_bytes);
    }
    if outcome.killed_processes > 0 && matches!(outcome.outcome, OutcomeKind::Finished | OutcomeKind::Raised) {
        let _ = writeln!(out, "antifreeze: {} process(es) were still running at the end and were killed", outcome.killed_processes);
    }
    out
}

/// The innermost line of the program itself.
fn place(outcome: &Outcome, source: &Source) -> Option<Frame> {
    if let Some(stack) = &outcome.stack {
        return stack.iter().rev().find(|frame| frame.file == source.name).cloned();
    }
    let line = outcome.error.as_ref()?.line?;
    let text = source.original_text().lines().nth(line as usize - 1).map(|line| line.trim().to_owned());
    Some(Frame { file: source.name.clone(), line, function: String::new(), source: text })
}

/// What stands on a line of the original text, as a span of the canonical one.
fn span_of_line(source: &Source, line: u32) -> Option<Span> {
    let mut start = 0;
    for (index, text) in source.text.split_inclusive('\n').enumerate() {
        let here = if source.is_rescued() { source.position(start).line } else { index as u32 + 1 };
        let words = text.trim();
        if here == line && !words.is_empty() {
            let indent = (text.len() - text.trim_start().len()) as u32;
            return Some(Span { start: start + indent, end: start + indent + words.len() as u32 });
        }
        start += text.len() as u32;
    }
    None
}

/// The headline over the line it happened on.
fn render(outcome: &Outcome, message: &str, place: Option<(Span, &Source)>, style: Style) -> String {
    let title = outcome.outcome.name().to_owned();
    let help = help(outcome);
    let Some((span, source)) = place else {
        let help = help.map_or_else(String::new, |help| format!("  help: {help}\n"));
        return format!("{title}\n\n  × {message}\n{help}");
    };
    Note { title, level: Level::Error, message: message.to_owned(), help, label: "here".into(), span }.render(source, style.color)
}

fn headline(outcome: &Outcome, place: Option<&Frame>) -> Option<String> {
    let at = place.map_or_else(String::new, |frame| match &frame.source {
        Some(text) => format!(" at line {}: {}", frame.line, plain(&shorten(text))),
        None => format!(" at line {}", frame.line),
    });
    let seconds = outcome.duration_ms / 1000.0;
    let limit = |words: &str| outcome.limit.as_ref().map_or_else(String::new, |limit| limit_words(limit, words));
    Some(match outcome.outcome {
        OutcomeKind::Finished => return None,
        OutcomeKind::Rejected => "nothing was run".into(),
        OutcomeKind::TimedOut => format!("stopped after {seconds:.1} s{at}"),
        OutcomeKind::Guarded => outcome.error.as_ref().map(|error| plain(&error.message)).unwrap_or_default(),
        OutcomeKind::OutOfMemory => format!("out of memory after {seconds:.1} s{}{at}", limit("bytes")),
        OutcomeKind::TooMuchOutput => format!("too much output after {seconds:.1} s{}", limit("bytes")),
        OutcomeKind::TooManyProcesses => format!("too many processes after {seconds:.1} s{}", limit("processes and threads")),
        OutcomeKind::Raised => match &outcome.error {
            Some(error) if error.kind == "SystemExit" => format!("the code exited with status {}", outcome.exit_status.unwrap_or(1)),
            Some(error) => format!("the code raised {}{at}", plain(&error.kind)),
            None => format!("the code exited with status {}", outcome.exit_status.unwrap_or(1)),
        },
        OutcomeKind::Crashed => match (outcome.interrupted, outcome.exit_status) {
            (Some(signal), _) => format!("interrupted by signal {signal}"),
            (None, Some(status)) => format!("the code crashed: signal {}", status - 128),
            (None, None) => "the code crashed".into(),
        },
        OutcomeKind::Internal => {
            format!("antifreeze itself failed: {}", outcome.error.as_ref().map(|error| plain(&error.message)).unwrap_or_default())
        }
    })
}

fn limit_words(limit: &LimitHit, unit: &str) -> String {
    match limit.observed {
        Some(observed) => format!(" ({observed} {unit}, the limit is {})", limit.value),
        None => format!(" (the limit is {} {unit})", limit.value),
    }
}

fn help(outcome: &Outcome) -> Option<String> {
    Some(match outcome.outcome {
        OutcomeKind::TimedOut => {
            let limit = outcome.limit.as_ref()?;
            format!("the limit is {} s (--{})", limit.value, limit.name)
        }
        OutcomeKind::TooMuchOutput => "write less, or to a file (--output raises the limit)".into(),
        OutcomeKind::OutOfMemory => "hold less at once, or raise the limit (--memory)".into(),
        _ => return None,
    })
}

fn shorten(text: &str) -> String {
    if text.chars().count() <= 120 { text.to_owned() } else { text.chars().take(119).chain(['…']).collect() }
}
