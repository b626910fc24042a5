//! Sentry's event of what became of a program.

use std::borrow::Cow;
use std::collections::BTreeMap;
use std::fmt::Write;

use sentry_types::protocol::v7::{
    ClientSdkInfo, Context, Event, Exception, Frame as SentryFrame, Level, Map, Mechanism, Stacktrace, Thread, ThreadId, Values,
};
use serde_json::{Value, json};

use super::scrub::scrub;
use super::settings::Settings;
use crate::cards;
use crate::limits::Limits;
use crate::outcome::{Frame, Outcome, OutcomeKind, ThreadInfo};

/// The longest event, in bytes.
const MOST_EVENT: usize = 100 << 10;
/// The most code that is sent, in bytes.
const MOST_CODE: usize = 32 << 10;
/// The most frames of a thread, threads, and characters of a line that are sent: an event must fit the way it takes.
const MOST_FRAMES: usize = 60;
const MOST_THREADS: usize = 12;
const MOST_TEXT: usize = 300;

/// From here on an amount in JSON is the greatest there is.
const ENDLESS: f64 = 9e15;

/// What happened, and what is known of it besides.
#[derive(Debug, Clone, Copy)]
pub struct About<'a> {
    /// How it ended.
    pub outcome: &'a Outcome,
    /// What it was held to; none for a program that was only watched.
    pub limits: Option<&'a Limits>,
    /// The program's text, where there is one.
    pub code: Option<&'a str>,
    /// How the program is called; its own frames have this as their file.
    pub name: &'a str,
}

/// The event, if this is worth one: what was refused, and what was stopped.
pub fn event(about: &About<'_>, settings: &Settings) -> Option<Event<'static>> {
    let outcome = about.outcome;
    let level = match outcome.outcome {
        OutcomeKind::Rejected | OutcomeKind::Guarded => Level::Warning,
        OutcomeKind::TimedOut | OutcomeKind::OutOfMemory | OutcomeKind::TooMuchOutput | OutcomeKind::TooManyProcesses => Level::Error,
        OutcomeKind::Finished | OutcomeKind::Raised | OutcomeKind::Crashed | OutcomeKind::Internal => return None,
    };
    let kind = outcome.outcome.name();
    let finding = rejecting(outcome);
    let limit = outcome.limit.as_ref().map(|limit| limit.name.clone());
    let rule = match finding {
        Some(finding) => finding["code"].as_str().unwrap_or_default().to_owned(),
        None if outcome.outcome == OutcomeKind::Rejected => "imports".into(),
        None => limit.clone().unwrap_or_else(|| kind.into()),
    };
    let message = message(about, finding, settings.send_code);
    let stack = stack(about, finding);
    let mut tags = Map::from_iter([("outcome".to_owned(), kind.to_owned()), ("rule".to_owned(), rule.clone())]);
    tags.extend(limit.map(|limit| ("limit".to_owned(), limit)));
    let mut extra = Map::new();
    if outcome.threads.iter().any(|thread| !thread.frames.is_empty()) || outcome.stack.is_some() {
        extra.insert("worker_faulthandler_stack".into(), faulthandler(outcome).into());
    }
    if let Some(text) = &outcome.stack_reason {
        extra.insert("stack_reason".into(), json!(reason(text, settings.send_code)));
    }
    if let Some(code) = about.code.filter(|_| settings.send_code) {
        let mut end = code.len().min(MOST_CODE);
        while !code.is_char_boundary(end) {
            end -= 1;
        }
        extra.insert("code".into(), scrub(&code[..end]).into());
    }
    let processes = outcome.threads.iter().filter_map(|thread| command(thread, settings.send_code)).take(MOST_THREADS).collect::<Vec<_>>();
    if !processes.is_empty() {
        extra.insert("processes".into(), json!(processes));
    }
    let trace = |frames: &[Frame]| Stacktrace { frames: frames_of(frames, about.name, settings.send_code), ..Stacktrace::default() };
    let main = outcome.threads.first().filter(|thread| thread.thread.is_some());
    let thread_id = main.map(|thread| ThreadId::String(thread.thread.clone().unwrap_or_default()));
    let exception = Exception {
        ty: kind.into(),
        value: Some(message.clone()),
        stacktrace: stack.as_deref().map(trace),
        thread_id: thread_id.clone(),
        mechanism: Some(Mechanism { ty: "antifreeze".into(), handled: Some(true), ..Mechanism::default() }),
        ..Exception::default()
    };
    let others =
        outcome.threads.iter().filter(|thread| thread.thread.is_some()).take(MOST_THREADS).enumerate().map(|(at, thread)| Thread {
            id: thread.thread.clone().map(ThreadId::String),
            name: Some(if at == 0 { "main".into() } else { format!("pid {}", thread.pid) }),
            // The main thread's frames are the exception's.
            stacktrace: (at > 0).then(|| trace(&thread.frames)),
            current: at == 0,
            crashed: at == 0,
            ..Thread::default()
        });
    Some(fitted(Event {
        level,
        platform: "python".into(),
        logger: Some("antifreeze".into()),
        fingerprint: vec!["antifreeze".into(), kind.into(), rule.into(), frozen_line(stack.as_deref()).into()].into(),
        culprit: stack.as_deref().and_then(|stack| stack.last()).map(place),
        message: Some(message),
        release: settings.release.clone().map(Cow::Owned),
        environment: Some(settings.environment.clone().into()),
        server_name: server_name().map(Cow::Owned),
        exception: Values { values: vec![exception] },
        threads: Values { values: others.collect() },
        tags,
        extra,
        contexts: Map::from_iter([("antifreeze".to_owned(), Context::Other(context(about)))]),
        sdk: Some(Cow::Owned(ClientSdkInfo {
            name: "antifreeze".into(),
            version: env!("CARGO_PKG_VERSION").into(),
            integrations: Vec::new(),
            packages: Vec::new(),
        })),
        ..Event::default()
    }))
}

/// The event without what makes it too long for its way, the least of it first.
fn fitted(mut event: Event<'static>) -> Event<'static> {
    let fits = |event: &Event<'_>| serde_json::to_vec(event).is_ok_and(|bytes| bytes.len() <= MOST_EVENT);
    let shorter: [fn(&mut Event<'static>); 4] = [
        |event| event.threads = Values::new(),
        |event| drop(event.extra.remove("processes")),
        |event| drop(event.extra.remove("code")),
        |event| {
            drop(event.extra.remove("worker_faulthandler_stack"));
            for trace in event.exception.values.iter_mut().filter_map(|exception| exception.stacktrace.as_mut()) {
                trace.frames.drain(..trace.frames.len().saturating_sub(10));
            }
        },
    ];
    for shorten in shorter {
        if fits(&event) {
            break;
        }
        shorten(&mut event);
    }
    event
}

/// The first finding that rejects.
fn rejecting(outcome: &Outcome) -> Option<&Value> {
    outcome.findings.iter().find(|finding| finding["level"] == "error").filter(|_| outcome.outcome == OutcomeKind::Rejected)
}

/// What is said of it. A finding's own words only where they are made of nothing but amounts, or code may leave.
fn message(about: &About<'_>, finding: Option<&Value>, send_code: bool) -> String {
    let outcome = about.outcome;
    if let Some(finding) = finding {
        let text = finding["message"].as_str().unwrap_or_default();
        let code = finding["code"].as_str().unwrap_or_default();
        if send_code {
            return scrub(text);
        }
        if cards::find(code).is_some_and(|card| is_plain(&card.meta.message)) {
            return text.to_owned();
        }
        let measure = &finding["measure"];
        let unit = measure["unit"].as_str().unwrap_or_default();
        let amount = match measure["low"].as_f64() {
            Some(low) if low >= ENDLESS => format!(": without end, the limit is {} {unit}", measure["limit"]),
            Some(low) => format!(": at least {low} {unit}, the limit is {}", measure["limit"]),
            None => String::new(),
        };
        return format!("{code} {}{amount}", finding["name"].as_str().unwrap_or_default());
    }
    let seconds = outcome.duration_ms / 1000.0;
    let limit = outcome.limit.as_ref().map_or_else(String::new, |limit| match limit.observed {
        Some(observed) if outcome.outcome != OutcomeKind::TimedOut => format!(" ({} {observed}, the limit is {})", limit.name, limit.value),
        _ => format!(" ({} {})", limit.name, limit.value),
    });
    match outcome.outcome {
        OutcomeKind::Rejected => match &outcome.error {
            Some(error) if send_code => scrub(&error.message),
            _ => "an import that is not allowed".into(),
        },
        OutcomeKind::Guarded => outcome.error.as_ref().map(|error| error.message.clone()).unwrap_or_default(),
        OutcomeKind::TimedOut => match stack(about, None).as_deref().and_then(|stack| stack.last()) {
            Some(frame) => format!("frozen: stopped after {seconds:.1} s{limit} in {}", place(frame)),
            None => format!("frozen: stopped after {seconds:.1} s{limit}"),
        },
        OutcomeKind::OutOfMemory => format!("out of memory after {seconds:.1} s{limit}"),
        OutcomeKind::TooMuchOutput => format!("too much output after {seconds:.1} s{limit}"),
        _ => format!("too many processes after {seconds:.1} s{limit}"),
    }
}

/// Whether a card's message is made of amounts and operators alone, none of the program's words.
fn is_plain(template: &str) -> bool {
    let words = template.split('{').skip(1).filter_map(|rest| rest.split_once('}'));
    words.into_iter().all(|(word, _)| matches!(word, "op" | "bits" | "bytes" | "seconds" | "limit" | "processes" | "depth"))
}

/// Where it was: the frozen stack, or the line of what was refused.
fn stack(about: &About<'_>, finding: Option<&Value>) -> Option<Vec<Frame>> {
    if let Some(stack) = about.outcome.stack.as_ref().filter(|stack| !stack.is_empty()) {
        return Some(stack.clone());
    }
    let error = about.outcome.error.as_ref().and_then(|error| error.line);
    let line = finding.and_then(|finding| finding["line"].as_u64()).map(|line| line as u32).or(error)?;
    let source = about.code.and_then(|code| code.lines().nth(line as usize - 1)).map(|text| text.trim().to_owned());
    Some(vec![Frame { file: about.name.to_owned(), line, function: "<module>".into(), source }])
}

fn place(frame: &Frame) -> String {
    format!("{}:{} in {}", cut(short(&frame.file)), frame.line, cut(&frame.function))
}

/// The innermost frame of all: the innermost one of the program's own is the same for every freeze below it.
fn frozen_line(stack: Option<&[Frame]>) -> String {
    stack.and_then(|stack| stack.last()).map_or_else(|| "nowhere".into(), place)
}

/// The path below the folder of the interpreter's or the installed modules, or the file's name.
fn short(file: &str) -> &str {
    let library = file.rsplit_once("/site-packages/").or_else(|| file.rsplit_once("/dist-packages/")).map(|(_, rest)| rest);
    let standard = || {
        let (_, rest) = file.rsplit_once("/lib/python3.")?;
        rest.split_once('/').map(|(_, rest)| rest)
    };
    library.or_else(standard).unwrap_or_else(|| file.rsplit('/').next().unwrap_or(file))
}

fn is_own(file: &str, name: &str) -> bool {
    file == name
        || !(file.contains("/site-packages/")
            || file.contains("/dist-packages/")
            || file.contains("/lib/python3.")
            || file.starts_with("<frozen "))
}

fn frames_of(frames: &[Frame], name: &str, send_code: bool) -> Vec<SentryFrame> {
    let skipped = frames.len().saturating_sub(MOST_FRAMES);
    let one = |frame: &Frame| {
        let file = short(&frame.file);
        let module = file.strip_suffix(".py").map(|path| path.trim_end_matches("/__init__").replace('/', "."));
        SentryFrame {
            function: Some(cut(&frame.function)),
            module: module.filter(|_| file.contains('/')),
            filename: Some(cut(file)),
            abs_path: Some(cut(&frame.file)),
            lineno: Some(u64::from(frame.line)),
            context_line: frame.source.as_ref().filter(|_| send_code).map(|text| cut(&scrub(text))),
            in_app: Some(is_own(&frame.file, name)),
            ..SentryFrame::default()
        }
    };
    frames.iter().skip(skipped).map(one).collect()
}

fn cut(text: &str) -> String {
    text.chars().take(MOST_TEXT).collect()
}

/// The stacks as CPython's `faulthandler` writes them.
fn faulthandler(outcome: &Outcome) -> String {
    let mut text = String::new();
    let mut write = |title: &str, frames: &[Frame]| {
        let _ = writeln!(text, "{title} (most recent call first):");
        for frame in frames.iter().rev().take(MOST_FRAMES) {
            let _ = writeln!(text, "  File \"{}\", line {} in {}", cut(&frame.file), frame.line, cut(&frame.function));
        }
    };
    let threads = outcome.threads.iter().filter(|thread| thread.thread.is_some()).take(MOST_THREADS).collect::<Vec<_>>();
    if threads.is_empty() {
        write("Current thread", outcome.stack.as_deref().unwrap_or_default());
    }
    for (at, thread) in threads.iter().enumerate() {
        let word = if at == 0 { "Current thread" } else { "\nThread" };
        write(&format!("{word} {}", thread.thread.as_deref().unwrap_or_default()), &thread.frames);
    }
    text
}

/// Another process that was there: its arguments only where code may leave.
fn command(thread: &ThreadInfo, send_code: bool) -> Option<String> {
    let command = thread.command.as_ref()?;
    let shown = if send_code { scrub(command) } else { command.split_whitespace().next().unwrap_or_default().to_owned() };
    Some(format!("{} {}", thread.pid, cut(&shown)))
}

/// Why there is no stack: words of ours, with a command after a colon only where code may leave.
fn reason(text: &str, send_code: bool) -> String {
    if send_code { scrub(text) } else { text.split(": ").next().unwrap_or_default().to_owned() }
}

fn context(about: &About<'_>) -> Map<String, Value> {
    let outcome = about.outcome;
    let limit = outcome.limit.as_ref().map(|limit| json!({ "name": limit.name, "value": limit.value, "observed": limit.observed }));
    let fields: BTreeMap<&str, Option<Value>> = BTreeMap::from([
        ("outcome", Some(json!(outcome.outcome))),
        ("limit", limit),
        ("limits", about.limits.map(|limits| json!(limits))),
        ("duration_ms", Some(json!(outcome.duration_ms))),
        ("state", outcome.state.as_ref().map(|state| json!(state))),
        ("killed_processes", Some(json!(outcome.killed_processes))),
        ("mechanisms", Some(json!(outcome.mechanisms))),
    ]);
    fields.into_iter().filter_map(|(name, value)| Some((name.to_owned(), value?))).collect()
}

#[cfg(unix)]
fn server_name() -> Option<String> {
    Some(rustix::system::uname().nodename().to_string_lossy().into_owned()).filter(|name| !name.is_empty())
}

#[cfg(not(unix))]
fn server_name() -> Option<String> {
    None
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::outcome::LimitHit;

    fn frame(file: &str, line: u32, function: &str) -> Frame {
        Frame { file: file.into(), line, function: function.into(), source: Some("x = PASSWORD".into()) }
    }

    fn frozen() -> Outcome {
        let stack =
            vec![frame("agent.py", 3, "<module>"), frame("/v/lib/python3.12/site-packages/smolagents/local.py", 778, "evaluate_binop")];
        let thread = ThreadInfo { pid: 9, thread: Some("0x7f".into()), command: None, frames: stack.clone() };
        let other = ThreadInfo { pid: 10, thread: None, command: Some("curl -H token=abc".into()), frames: Vec::new() };
        Outcome {
            limit: Some(LimitHit { name: "timeout".into(), value: 1.0, observed: None }),
            duration_ms: 1003.0,
            stack: Some(stack),
            threads: vec![thread, other],
            ..Outcome::new(OutcomeKind::TimedOut)
        }
    }

    fn json_of(outcome: &Outcome, send_code: bool) -> Value {
        let about = About { outcome, limits: Some(&Limits::default()), code: Some("x = PASSWORD\n"), name: "agent.py" };
        let settings = Settings { send_code, environment: "test".into(), release: Some("agent@1".into()), ..Settings::default() };
        serde_json::to_value(event(&about, &settings).expect("it is worth an event")).expect("events are JSON")
    }

    #[test]
    fn a_frozen_program_says_where() {
        let event = json_of(&frozen(), false);
        let frames = event["exception"]["values"][0]["stacktrace"]["frames"].as_array().expect("there are frames");
        assert_eq!(frames.len(), 2);
        assert_eq!(frames[1]["module"], "smolagents.local");
        assert_eq!((&frames[0]["in_app"], &frames[1]["in_app"]), (&json!(true), &json!(false)));
        assert_eq!(event["fingerprint"], json!(["antifreeze", "timed_out", "timeout", "smolagents/local.py:778 in evaluate_binop"]));
        assert_eq!(event["tags"], json!({"outcome": "timed_out", "rule": "timeout", "limit": "timeout"}));
        assert_eq!((&event["environment"], &event["release"]), (&json!("test"), &json!("agent@1")));
        assert_eq!(event["contexts"]["antifreeze"]["limits"]["int_bits"], 1_000_000);
        let stack = event["extra"]["worker_faulthandler_stack"].as_str().expect("it is text");
        assert!(stack.starts_with("Current thread 0x7f (most recent call first):\n  File \"/v/lib"), "{stack}");
    }

    #[test]
    fn no_text_of_the_program_leaves_unasked() {
        let text = json_of(&frozen(), false).to_string();
        assert!(!text.contains("PASSWORD") && !text.contains("abc"), "{text}");
        let text = json_of(&frozen(), true).to_string();
        assert!(text.contains("x = PASSWORD") && text.contains("curl"), "{text}");
    }

    #[test]
    fn a_rejection_is_named_by_its_rule() {
        let finding = json!({
            "code": "AF402", "name": "stuck-condition", "level": "error", "line": 2, "message": "The condition of 'while SECRET' never …",
            "measure": {"unit": "seconds", "low": 31, "high": null, "limit": 30},
        });
        let outcome = Outcome { findings: vec![finding], ..Outcome::new(OutcomeKind::Rejected) };
        let event = json_of(&outcome, false);
        assert_eq!(event["message"], "AF402 stuck-condition: at least 31 seconds, the limit is 30");
        assert_eq!((&event["level"], &event["tags"]["rule"]), (&json!("warning"), &json!("AF402")));
        assert_eq!(event["fingerprint"][3], "agent.py:2 in <module>");
        assert!(!event.to_string().contains("SECRET"));
    }

    #[test]
    fn an_event_fits_its_way() {
        let long = "\u{1}\"é".repeat(1000);
        let stack =
            (0..200).map(|line| Frame { file: long.clone(), line, function: long.clone(), source: Some(long.clone()) }).collect::<Vec<_>>();
        let thread = |at: u32| ThreadInfo { pid: at, thread: Some(long.clone()), command: Some(long.clone()), frames: stack.clone() };
        let outcome = Outcome { stack: Some(stack.clone()), threads: (0..50).map(thread).collect(), ..frozen() };
        let event = json_of(&outcome, true);
        assert!(event.to_string().len() <= MOST_EVENT);
        let frames = event["exception"]["values"][0]["stacktrace"]["frames"].as_array().map_or(0, Vec::len);
        assert!(frames >= 10, "{frames}");
    }

    #[test]
    fn what_ends_by_itself_is_no_event() {
        for kind in [OutcomeKind::Finished, OutcomeKind::Raised, OutcomeKind::Crashed, OutcomeKind::Internal] {
            let outcome = Outcome::new(kind);
            let about = About { outcome: &outcome, limits: None, code: None, name: "x" };
            assert!(event(&about, &Settings::default()).is_none(), "{kind:?}");
        }
    }
}
