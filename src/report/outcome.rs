//! What became of a run, for people and models.

use std::fmt::Write;

use miette::{Diagnostic, GraphicalReportHandler, GraphicalTheme, LabeledSpan, NamedSource, SourceCode};
use serde_json::Value;

use crate::outcome::{Frame, LimitHit, Outcome, OutcomeKind};
use crate::source::Source;
use crate::verdict::Verdict;

/// The gate's findings with the shape they have in `check --format json`.
pub fn findings(source: &Source, verdict: &Verdict) -> Vec<Value> {
    let _ = source;
    verdict
        .findings
        .iter()
        .map(|finding| serde_json::json!({"code": finding.code, "name": finding.name, "level": finding.level, "message": finding.message, "help": finding.help}))
        .collect()
}

/// The report on stderr: nothing where there is nothing to say.
pub fn text(outcome: &Outcome, source: &Source, color: bool) -> String {
    let mut out = String::new();
    let place = place(outcome, source);
    if let Some(message) = headline(outcome, place.as_ref()) {
        let help = help(outcome);
        render(&mut out, &message, place.as_ref(), help.as_deref(), source, color);
        if let Some(stack) = &outcome.stack
            && stack.len() > 1
        {
            out.push_str("  stack, outermost first:\n");
            for frame in stack.iter().rev().take(12).rev() {
                let _ = writeln!(out, "    {}:{} in {}", plain(&frame.file), frame.line, plain(&frame.function));
            }
        }
        if let Some(reason) = outcome.stack_reason.as_ref().filter(|_| outcome.outcome == OutcomeKind::TimedOut) {
            let _ = writeln!(out, "  no stack: {reason}");
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
    let text = source.text.lines().nth(line as usize - 1).map(|line| line.trim().to_owned());
    Some(Frame { file: source.name.clone(), line, function: String::new(), source: text })
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
        OutcomeKind::Rejected => "rejected, nothing was run".into(),
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
        OutcomeKind::TimedOut => format!("the limit is {} s (--timeout)", outcome.limit.as_ref()?.value),
        OutcomeKind::TooMuchOutput => "write less, or to a file (--output raises the limit)".into(),
        OutcomeKind::OutOfMemory => "hold less at once, or raise the limit (--memory)".into(),
        _ => return None,
    })
}

#[derive(Debug)]
struct Shown {
    message: String,
    help: Option<String>,
    label: Option<LabeledSpan>,
    code: NamedSource<String>,
}

impl std::fmt::Display for Shown {
    fn fmt(&self, f: &mut std::fmt::Formatter<'_>) -> std::fmt::Result {
        f.write_str(&self.message)
    }
}

impl std::error::Error for Shown {}

impl Diagnostic for Shown {
    fn help<'a>(&'a self) -> Option<Box<dyn std::fmt::Display + 'a>> {
        self.help.as_ref().map(|help| Box::new(help) as Box<dyn std::fmt::Display>)
    }

    fn labels(&self) -> Option<Box<dyn Iterator<Item = LabeledSpan> + '_>> {
        self.label.clone().map(|label| Box::new(std::iter::once(label)) as Box<dyn Iterator<Item = LabeledSpan>>)
    }

    fn source_code(&self) -> Option<&dyn SourceCode> {
        self.label.is_some().then_some(&self.code as &dyn SourceCode)
    }
}

fn render(out: &mut String, message: &str, place: Option<&Frame>, help: Option<&str>, source: &Source, color: bool) {
    let label = place.and_then(|frame| {
        let mut start = 0;
        for (i, line) in source.text.split_inclusive('\n').enumerate() {
            if i + 1 == frame.line as usize {
                let indent = line.len() - line.trim_start().len();
                // Very long lines are named by the headline alone.
                return (line.len() < 400 && !line.trim().is_empty())
                    .then(|| LabeledSpan::new(Some("here".into()), start + indent, line.trim().len()));
            }
            start += line.len();
        }
        None
    });
    let shown = Shown {
        message: message.to_owned(),
        help: help.map(str::to_owned),
        label,
        code: NamedSource::new(plain(&source.name), plain_text(&source.text)),
    };
    let theme = if color { GraphicalTheme::unicode() } else { GraphicalTheme::unicode_nocolor() };
    if GraphicalReportHandler::new_themed(theme).with_links(false).with_width(140).render_report(out, &shown).is_err() {
        let _ = writeln!(out, "antifreeze: {message}");
    }
}

fn shorten(text: &str) -> String {
    if text.chars().count() <= 120 { text.to_owned() } else { text.chars().take(119).chain(['…']).collect() }
}

/// Text of the program's, without anything a terminal would obey.
fn plain(text: &str) -> String {
    text.chars().map(|c| if c.is_control() { '\u{fffd}' } else { c }).collect()
}

/// The same for several lines, with every byte kept in its place: offsets are counted in it.
fn plain_text(text: &str) -> String {
    text.chars().map(|c| if c.is_ascii_control() && !matches!(c, '\n' | '\r' | '\t') { '?' } else { c }).collect()
}
