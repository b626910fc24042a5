//! Makes an [`Outcome`] of what a helper reports. What the program says of itself in it is untrusted: only its shape counts.

use serde_json::Value;

use super::Request;
use super::frames::WORKER_FILE;
use super::lines::Lines;
use super::wire::{Ending, Stop};
use crate::limits::Limits;
use crate::outcome::{Display, ErrorInfo, Frame, LimitHit, Outcome, OutcomeKind};

/// What became of a program, but for its output.
pub fn outcome(request: &Request, file: &str, lines: &Lines, ending: &Ending) -> Outcome {
    let limits = &request.limits;
    let report = ending.report.as_ref();
    let text = |value: Option<&Value>, key: &str| value.and_then(|value| value.get(key)).and_then(Value::as_str).map(str::to_owned);
    let hit = |name: &str, value: f64, observed: Option<f64>| Some(LimitHit { name: name.into(), value, observed });
    let mut out = Outcome::new(OutcomeKind::Internal);
    // Known where it ended by itself, which is too late where a limit had been passed.
    out.exit_status = ending.status;
    match ending.stop {
        Stop::Exited => exited(&mut out, ending, report, limits),
        Stop::Done => done(&mut out, report, limits),
        Stop::TimedOut => {
            out.outcome = OutcomeKind::TimedOut;
            out.limit = hit("timeout", limits.timeout, Some(ending.seconds));
        }
        Stop::Output => {
            out.outcome = OutcomeKind::TooMuchOutput;
            out.limit = hit("output", limits.output as f64, Some(ending.written as f64));
        }
        Stop::Memory => {
            out.outcome = OutcomeKind::OutOfMemory;
            out.limit = hit("memory", limits.memory as f64, Some(ending.peak_memory as f64));
        }
        Stop::Processes => {
            out.outcome = OutcomeKind::TooManyProcesses;
            out.limit = hit("processes", f64::from(limits.processes), Some(f64::from(ending.peak_processes)));
        }
        Stop::Guarded => guarded(&mut out, ending, file, limits, lines),
        Stop::Interrupted => {
            out.outcome = OutcomeKind::Crashed;
        }
        Stop::StartTimedOut => return Outcome::internal(format!("`{}` was not ready within 10 s", request.python.display())),
        Stop::NoPython | Stop::Failed => return Outcome::internal(ending.detail.clone().unwrap_or_else(|| "the helper failed".into())),
    }
    if out.outcome == OutcomeKind::Finished && report.is_some() {
        out.result = report.and_then(|report| report.get("result")).cloned().unwrap_or(Value::Null);
        out.result_repr = text(report, "repr");
    }
    if matches!(ending.stop, Stop::Done | Stop::Guarded | Stop::Exited) {
        out.displays = displays(report);
    }
    out.state.clone_from(&ending.state);
    out.state_reason.clone_from(&ending.state_reason);
    out.threads_lost = ending.threads_lost;
    out.tool.clone_from(&ending.tool);
    out.restored_ms = ending.restored_ms;
    out.truncated_bytes = ending.truncated;
    out.mechanisms = ending.mechanisms.clone();
    out.killed_processes = ending.killed;
    out.duration_ms = (ending.seconds * 1e6).round() / 1e3;
    out.threads.clone_from(&ending.threads);
    for thread in &mut out.threads {
        own_frames(&mut thread.frames, file, &request.name, lines);
    }
    if let Some(stack) = &mut out.stack {
        own_frames(stack, file, &request.name, lines);
    } else if let Some(main) = out.threads.first().filter(|main| !main.frames.is_empty()) {
        out.stack = Some(main.frames.clone());
    } else if ending.mechanisms.stack.is_some() {
        out.stack_reason = Some("the main thread was not running Python code".into());
    } else if out.limit.is_some() {
        out.stack_reason =
            Some(ending.stack_reason.clone().unwrap_or_else(|| "the limit was met by a failure, not at a point in time".into()));
    } else {
        out.stack_reason = Some("not stopped at a limit".into());
    }
    out
}

/// A step of a session ended, and its process goes on.
fn done(out: &mut Outcome, report: Option<&Value>, limits: &Limits) {
    let field = |key: &str| report.and_then(|report| report.get(key));
    out.exit_status = field("status").and_then(Value::as_i64).map(|status| status as i32);
    if field("kind").and_then(Value::as_str) != Some("error") {
        out.outcome = OutcomeKind::Finished;
        return;
    }
    out.outcome = OutcomeKind::Raised;
    out.error = error(report);
    if field("memory").and_then(Value::as_bool) == Some(true) {
        out.outcome = OutcomeKind::OutOfMemory;
        out.limit = Some(LimitHit { name: "memory".into(), value: limits.memory as f64, observed: None });
    }
}

fn error(report: Option<&Value>) -> Option<ErrorInfo> {
    let text = |key: &str| report.and_then(|report| report.get(key)).and_then(Value::as_str).map(str::to_owned);
    Some(ErrorInfo {
        kind: text("type").unwrap_or_default(),
        message: text("message").unwrap_or_default(),
        line: report.and_then(|report| report.get("line")).and_then(Value::as_u64).map(|line| line as u32),
        traceback: text("traceback"),
    })
}

/// What a step has shown.
fn displays(report: Option<&Value>) -> Vec<Display> {
    let list = report.and_then(|report| report.get("displays")).and_then(Value::as_array);
    let one = |value: &Value| {
        Some(Display {
            mime: value.get("mime")?.as_str()?.to_owned(),
            data: value.get("data")?.as_str()?.to_owned(),
            truncated_bytes: value.get("truncated_bytes")?.as_u64()?,
        })
    };
    list.into_iter().flatten().take(100).filter_map(one).collect()
}

/// The program's process ended by itself.
fn exited(out: &mut Outcome, ending: &Ending, report: Option<&Value>, limits: &Limits) {
    let field = |key: &str| report.and_then(|report| report.get(key));
    if field("kind").and_then(Value::as_str) == Some("error") {
        out.error = error(report);
    }
    let memory_limit = |observed: Option<f64>| Some(LimitHit { name: "memory".into(), value: limits.memory as f64, observed });
    if ending.signal.is_some() {
        // A SIGKILL by the kernel itself: it ran out of memory before the limit was reached.
        if ending.kernel_killed {
            out.outcome = OutcomeKind::OutOfMemory;
            out.limit = memory_limit(Some(ending.peak_memory as f64));
        } else {
            out.outcome = OutcomeKind::Crashed;
        }
    } else if field("memory").and_then(Value::as_bool) == Some(true) {
        out.outcome = OutcomeKind::OutOfMemory;
        // The allocation was refused: how much it would have been, nobody knows.
        out.limit = memory_limit(None);
    } else if ending.status == Some(0) {
        out.outcome = OutcomeKind::Finished;
        out.error = None;
    } else if ending.status.is_some() {
        out.outcome = OutcomeKind::Raised;
    } else {
        *out = Outcome { error: Outcome::internal("the program's process disappeared").error, ..Outcome::new(OutcomeKind::Crashed) };
    }
}

/// A guard refused an operation. Its report is the program's own word, so only its shape is trusted.
fn guarded(out: &mut Outcome, ending: &Ending, file: &str, limits: &Limits, lines: &Lines) {
    let field = |key: &str| ending.guard.as_ref().and_then(|guard| guard.get(key));
    let frames = field("frames").and_then(Value::as_array).cloned().unwrap_or_default();
    let frames = frames
        .iter()
        .take(100)
        .filter_map(|frame| {
            Some(Frame {
                file: frame.get(0)?.as_str()?.to_owned(),
                line: frame.get(1)?.as_u64()? as u32,
                function: frame.get(2)?.as_str()?.to_owned(),
                source: None,
            })
        })
        .filter(|frame| frame.file != WORKER_FILE)
        .collect::<Vec<_>>();
    let message = field("message").and_then(Value::as_str).unwrap_or_default().to_owned();
    let mut traceback = String::from("Traceback (most recent call last):\n");
    for frame in &frames {
        use std::fmt::Write;
        let _ = writeln!(traceback, "  File \"{}\", line {}, in {}", frame.file, frame.line, frame.function);
        if frame.file == file
            && let Some(source) = lines.text(frame.line)
        {
            let _ = writeln!(traceback, "    {}", source.trim());
        }
    }
    let _ = std::fmt::Write::write_fmt(&mut traceback, format_args!("antifreeze.LimitError: {message}\n"));
    out.outcome = OutcomeKind::Guarded;
    let (name, value) = match field("limit").and_then(Value::as_str) {
        Some("timeout") => ("timeout", limits.timeout),
        Some("memory") => ("memory", limits.memory as f64),
        _ => ("int_bits", limits.int_bits as f64),
    };
    out.limit = Some(LimitHit { name: name.into(), value, observed: field("observed").and_then(Value::as_f64) });
    out.error = Some(ErrorInfo {
        kind: "antifreeze.LimitError".into(),
        message,
        line: frames.iter().rev().find(|frame| frame.file == file).map(|frame| frame.line),
        traceback: Some(traceback),
    });
    out.stack = Some(frames);
}

/// The program's own frames are named as the user named it, and show their line.
fn own_frames(frames: &mut [Frame], file: &str, name: &str, lines: &Lines) {
    // The dump writes non-ASCII characters as escapes.
    let escaped = file.chars().map(escape).collect::<String>();
    for frame in frames.iter_mut().filter(|frame| frame.file == file || frame.file == escaped) {
        name.clone_into(&mut frame.file);
        frame.source = lines.text(frame.line).map(|line| line.trim().to_owned());
    }
}

fn escape(c: char) -> String {
    match c as u32 {
        0x20..=0x7e => c.to_string(),
        code @ 0..=0xff => format!("\\x{code:02x}"),
        code @ 0x100..=0xffff => format!("\\u{code:04x}"),
        code => format!("\\U{code:08x}"),
    }
}

/// Output as text, and as base64 where that loses something.
pub fn decode(bytes: &[u8]) -> (String, Option<String>) {
    match std::str::from_utf8(bytes) {
        Ok(text) => (text.to_owned(), None),
        Err(_) => (String::from_utf8_lossy(bytes).into_owned(), Some(base64(bytes))),
    }
}

fn base64(bytes: &[u8]) -> String {
    const ALPHABET: &[u8; 64] = b"ABCDEFGHIJKLMNOPQRSTUVWXYZabcdefghijklmnopqrstuvwxyz0123456789+/";
    let mut out = String::with_capacity(bytes.len().div_ceil(3) * 4);
    for chunk in bytes.chunks(3) {
        let word = chunk.iter().fold(0_u32, |word, byte| word << 8 | u32::from(*byte)) << (8 * (3 - chunk.len()));
        for i in 0..4 {
            out.push(if i <= chunk.len() { ALPHABET[(word >> (18 - 6 * i)) as usize & 63] as char } else { '=' });
        }
    }
    out
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn base64_of_all_remainders() {
        assert_eq!(["", "f", "fo", "foo", "foob"].map(|text| base64(text.as_bytes())), ["", "Zg==", "Zm8=", "Zm9v", "Zm9vYg=="]);
    }
}
