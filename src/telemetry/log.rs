//! Structured logs of every verdict and outcome, as events of `tracing`, and where they are written: JSON, one object a line.

use std::fs::File;
use std::io;
use std::path::Path;
use std::sync::Mutex;

use tracing::Level;

use crate::outcome::{Outcome, OutcomeKind};
use crate::rules::{self, Finding};
use crate::verdict::Verdict;

/// Writes logs from here on, of a level and above: to a file, or to standard error.
pub fn write(level: Level, file: Option<&Path>) -> io::Result<()> {
    // A line that cannot be written is not worth the program it tells of.
    let builder = tracing_subscriber::fmt()
        .json()
        .log_internal_errors(false)
        .flatten_event(true)
        .with_current_span(false)
        .with_span_list(false)
        .with_max_level(level);
    // A subscriber that is there already is the host's, and its to keep.
    let _ = match file {
        Some(path) => builder.with_writer(Mutex::new(File::options().create(true).append(true).open(path)?)).try_init(),
        None => builder.with_writer(io::stderr).try_init(),
    };
    Ok(())
}

/// What the gate decided on a step.
pub fn verdict(name: &str, verdict: &Verdict) {
    findings(name, &verdict.findings);
}

/// The same of what was found in a file.
pub fn findings(name: &str, findings: &[Finding]) {
    match findings.iter().find(|finding| finding.level == rules::Level::Error) {
        Some(first) => {
            let (code, rule) = (first.code.as_str(), first.name.as_str());
            tracing::warn!(target: "antifreeze", event = "verdict", name, verdict = "reject", findings = findings.len(), code, rule);
        }
        None => tracing::debug!(target: "antifreeze", event = "verdict", name, verdict = "bound", findings = findings.len()),
    }
}

/// What became of a program.
pub fn outcome(outcome: &Outcome) {
    let kind = outcome.outcome.name();
    let limit = outcome.limit.as_ref().map(|limit| limit.name.as_str());
    let place =
        outcome.stack.as_ref().and_then(|stack| stack.last()).map(|frame| format!("{}:{} in {}", frame.file, frame.line, frame.function));
    let place = place.as_deref();
    let (duration_ms, exit_status, state) = (outcome.duration_ms, outcome.exit_status, outcome.state.as_deref());
    let error = outcome.error.as_ref().map(|error| error.kind.as_str());
    macro_rules! say {
        ($level:expr) => {
            tracing::event!(target: "antifreeze", $level, event = "outcome", outcome = kind, duration_ms, exit_status, limit, frame = place, state, error)
        };
    }
    match outcome.outcome {
        OutcomeKind::Finished => say!(Level::INFO),
        OutcomeKind::Raised | OutcomeKind::Crashed | OutcomeKind::Rejected | OutcomeKind::Guarded => say!(Level::WARN),
        _ => say!(Level::ERROR),
    }
}
