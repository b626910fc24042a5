//! What Sentry is told, and that a Sentry in trouble is nobody else's.
#![cfg(target_os = "linux")]

#[expect(dead_code, reason = "the watch has pings too")]
#[path = "common/receiver.rs"]
mod receiver;

use std::io::{BufRead, BufReader, Write};
use std::process::{Command, Output, Stdio};
use std::time::{Duration, Instant};

use receiver::{Mood, Receiver};
use serde_json::{Value, json};

const ENDLESS: &str = "key = 'hunter2'\nn = 1\nwhile n:\n    n = hash(n) or 1\n";
const UNGATED: [&str; 4] = ["--no-gate", "--no-guards", "--timeout", "1"];

fn command(args: &[&str]) -> Command {
    let mut command = Command::new(env!("CARGO_BIN_EXE_antifreeze"));
    command.args(args).stdin(Stdio::null());
    for (name, _) in std::env::vars().filter(|(name, _)| name.starts_with("ANTIFREEZE_") || name.starts_with("SENTRY_")) {
        command.env_remove(name);
    }
    command
}

fn run(args: &[&str], code: &str) -> Output {
    command(&["run"]).args(args).args(["-c", code]).output().expect("antifreeze starts")
}

fn err(output: &Output) -> String {
    String::from_utf8_lossy(&output.stderr).into_owned()
}

/// What was said of telemetry.
fn warnings(output: &Output) -> Vec<String> {
    err(output).lines().filter(|line| line.contains("Sentry")).map(str::to_owned).collect()
}

#[test]
fn a_frozen_program_is_an_event() {
    let sentry = Receiver::start(Mood::Well);
    let mut command = command(&["run", "--sentry-dsn", &sentry.dsn(), "--sentry-flush", "5s"]);
    command.args(UNGATED).args(["-c", ENDLESS]).env("SENTRY_ENVIRONMENT", "staging").env("SENTRY_RELEASE", "agent@1.2");
    let output = command.output().expect("antifreeze starts");
    assert_eq!((output.status.code(), warnings(&output)), (Some(3), Vec::new()));
    let event = sentry.event();
    assert_eq!((&event["environment"], &event["release"]), (&json!("staging"), &json!("agent@1.2")));
    assert_eq!(event["tags"], json!({"limit": "timeout", "outcome": "timed_out", "rule": "timeout"}));
    assert!(event["message"].as_str().is_some_and(|message| message.starts_with("frozen: stopped after ")), "{event:#}");
    let frames = event["exception"]["values"][0]["stacktrace"]["frames"].as_array().expect("there are frames");
    let last = frames.last().expect("there is one");
    assert!(last["lineno"] == 3 || last["lineno"] == 4, "{last:#}");
    assert_eq!((&last["function"], &last["in_app"]), (&json!("<module>"), &json!(true)));
    assert_eq!(event["fingerprint"][2], "timeout");
    assert!(event["fingerprint"][3].as_str().is_some_and(|place| place.starts_with("<command>:")), "{event:#}");
    let stack = event["extra"]["worker_faulthandler_stack"].as_str().expect("it is there");
    assert!(stack.contains("(most recent call first):\n  File \"<command>\", line "), "{stack}");
    assert_eq!(event["contexts"]["antifreeze"]["limits"]["timeout"], 1.0);
    let text = event.to_string();
    assert!(!text.contains("hunter2") && !text.contains("hash(n)"), "no text of the program leaves: {text}");
}

#[test]
fn code_leaves_on_the_switch_without_its_secrets() {
    let sentry = Receiver::start(Mood::Well);
    let code = format!("api_key = 'hunter2'\n{ENDLESS}");
    run(&[&["--sentry-dsn", &sentry.dsn(), "--sentry-send-code", "--sentry-flush", "5s"], &UNGATED[..]].concat(), &code);
    let event = sentry.event();
    let sent = event["extra"]["code"].as_str().expect("the code is there");
    assert!(sent.contains("n = hash(n) or 1") && sent.contains("api_key = '[scrubbed]'"), "{sent}");
    let lines = event["exception"]["values"][0]["stacktrace"]["frames"][0]["context_line"].as_str();
    assert!(lines.is_some_and(|line| line.starts_with("while n") || line.starts_with("n = hash")), "{event:#}");
}

#[test]
fn rejected_and_guarded_programs_are_events_and_others_are_not() {
    let sentry = Receiver::start(Mood::Well);
    let flags = ["--sentry-dsn", &sentry.dsn(), "--sentry-flush", "5s"];
    let guarded = "import os\nn = int(os.environ.get('N', '100000000'))\nprint(10 ** n)";
    for (code, status, rule) in [
        ("secret_name = 10 ** 10 ** 8", 1, Some("AF101")),
        ("n = 2\nwhile n:\n    n = n\n", 1, Some("AF401")),
        (guarded, 3, Some("int_bits")),
        ("print(1)", 0, None),
        ("raise ValueError(1)", 4, None),
    ] {
        let before = sentry.all().len();
        let output = run(&flags, code);
        assert_eq!((output.status.code(), warnings(&output)), (Some(status), Vec::new()), "{code}\n{}", err(&output));
        let events = sentry.items(before + usize::from(rule.is_some()), "event");
        assert_eq!(events.len(), before + usize::from(rule.is_some()), "{code}");
        if let Some(rule) = rule {
            let event = events.last().expect("it is there");
            assert_eq!((&event["tags"]["rule"], &event["level"]), (&json!(rule), &json!("warning")), "{event:#}");
            assert!(!event.to_string().contains("secret_name"));
        }
    }
    let first = &sentry.items(1, "event")[0];
    assert!(first["message"].as_str().is_some_and(|message| message.contains("around 332192810 bits")), "{first:#}");
}

#[test]
fn check_tells_of_steps_and_not_of_repositories() {
    let sentry = Receiver::start(Mood::Well);
    let folder = tempfile::tempdir().expect("a folder");
    std::fs::write(folder.path().join("x.py"), "10 ** 10 ** 8\n").expect("files are written");
    let flags = ["check", "--sentry-dsn", &sentry.dsn(), "--sentry-flush", "5s", "--no-cache"];
    let status = command(&flags).arg(folder.path()).output().expect("antifreeze starts").status;
    assert_eq!((status.code(), sentry.all().len()), (Some(1), 0));
    command(&flags).args(["-c", "10 ** 10 ** 8"]).output().expect("antifreeze starts");
    assert_eq!(sentry.event()["tags"]["rule"], "AF101");
}

/// A port that nobody listens on.
fn nobody() -> String {
    let listener = std::net::TcpListener::bind("127.0.0.1:0").expect("a port");
    format!("http://key@127.0.0.1:{}/42", listener.local_addr().expect("it has one").port())
}

#[test]
fn a_sentry_in_trouble_costs_no_time_and_is_said_once() {
    let slow = Receiver::start(Mood::Slow(Duration::from_secs(30)));
    let refusing = Receiver::start(Mood::Refusing(429));
    let timed = |dsn: Option<&str>| {
        let dsn = dsn.map_or_else(Vec::new, |dsn| vec!["--sentry-dsn", dsn]);
        // The best of three: what is asked is what a run takes when nothing else is in its way.
        let one = |_| {
            let begin = Instant::now();
            let output = run(&[&dsn[..], &UNGATED[..]].concat(), ENDLESS);
            (begin.elapsed().as_secs_f64(), output)
        };
        (0..3).map(one).min_by(|a, b| a.0.total_cmp(&b.0)).expect("there are three")
    };
    let (alone, output) = timed(None);
    assert_eq!((output.status.code(), warnings(&output)), (Some(3), Vec::new()));
    for (what, dsn, word) in [
        ("nobody", nobody(), "could not be told"),
        ("slow", slow.dsn(), "has not answered within"),
        ("refusing", refusing.dsn(), "status 429"),
        ("no DSN", "nonsense".to_owned(), "--sentry-dsn"),
    ] {
        let (took, output) = timed(Some(&dsn));
        assert_eq!(output.status.code(), Some(3), "{what}");
        let said = warnings(&output);
        assert!(said.len() == 1 && said[0].contains(word), "{what}: {said:?}");
        let ratio = took / alone;
        let _ = writeln!(std::io::stderr(), "{what}: {took:.3} s, {alone:.3} s without: ratio {ratio:.3}");
        assert!(ratio < 1.5, "{what}: {took:.3} s, {alone:.3} s without");
    }
}

/// A page to log in on, as companies put in the way of what does not know them.
#[test]
fn a_redirect_is_not_a_delivery() {
    let sentry = Receiver::start(Mood::Refusing(302));
    let output = run(&["--sentry-dsn", &sentry.dsn(), "--sentry-flush", "5s"], "10 ** 10 ** 8");
    let said = warnings(&output);
    assert!(said.len() == 1 && said[0].contains("status 302"), "{said:?}");
    assert_eq!(sentry.wait_for(1).len(), 1);
}

/// `x=$(antifreeze …)` waits for whoever has the pipe.
#[test]
fn what_is_on_its_way_holds_nobody_up() {
    let sentry = Receiver::start(Mood::Slow(Duration::from_secs(8)));
    let script =
        format!("exec 5>&1; {} run --sentry-dsn {} -c '10 ** 10 ** 8' >/dev/null 2>&1", env!("CARGO_BIN_EXE_antifreeze"), sentry.dsn());
    let begin = Instant::now();
    Command::new("sh").args(["-c", &script]).stdin(Stdio::null()).output().expect("there is a shell");
    assert!(begin.elapsed() < Duration::from_secs(5), "{:?}", begin.elapsed());
}

#[test]
fn a_log_that_cannot_be_written_ends_nothing() {
    for (args, code, status) in [(&["run", "--log", "debug"][..], "print(1)", 0), (&["check", "--log", "debug"], "10 ** 10 ** 8", 1)] {
        let full = std::fs::File::options().write(true).open("/dev/full").expect("there is one");
        let output = command(args).args(["-c", code]).stderr(full).output().expect("antifreeze starts");
        assert_eq!(output.status.code(), Some(status), "{args:?}");
    }
}

#[test]
fn what_was_on_its_way_still_arrives() {
    let sentry = Receiver::start(Mood::Slow(Duration::from_millis(700)));
    let output = run(&["--sentry-dsn", &sentry.dsn(), "--sentry-flush", "10ms"], "10 ** 10 ** 8");
    assert_eq!(output.status.code(), Some(1));
    assert_eq!(sentry.event()["tags"]["rule"], "AF101");
}

#[test]
fn a_server_tells_of_its_sessions_and_leaves_a_refusing_sentry_alone() {
    for (mood, events) in [(Mood::Well, 2), (Mood::Refusing(429), 1)] {
        let sentry = Receiver::start(mood);
        let mut child = command(&["serve"])
            .env("ANTIFREEZE_SENTRY_DSN", sentry.dsn())
            .env("ANTIFREEZE_SENTRY_FLUSH", "5s")
            .stdin(Stdio::piped())
            .stdout(Stdio::piped())
            .stderr(Stdio::piped())
            .spawn()
            .expect("antifreeze starts");
        let mut input = child.stdin.take().expect("it is piped");
        let mut lines = BufReader::new(child.stdout.take().expect("it is piped")).lines();
        let mut ask = |id: u32, method: &str, params: Value| -> Value {
            writeln!(input, "{}", json!({"jsonrpc": "2.0", "id": id, "method": method, "params": params})).expect("it reads");
            loop {
                let line = lines.next().expect("it answers").expect("it is text");
                let message: Value = serde_json::from_str(&line).expect("it is JSON");
                if message["id"] == id {
                    return message["result"].clone();
                }
            }
        };
        let session = ask(1, "session.open", json!({}))["session"].clone();
        let first = ask(2, "session.run", json!({"session": session, "code": "10 ** 10 ** 8"}));
        assert_eq!(first["outcome"], "rejected");
        let begin = Instant::now();
        sentry.wait_for(1);
        std::thread::sleep(Duration::from_millis(100));
        ask(3, "session.run", json!({"session": session, "code": "1 << 10 ** 9"}));
        ask(4, "session.run", json!({"session": session, "code": "1 + 1"}));
        assert!(begin.elapsed() < Duration::from_secs(15));
        drop(input);
        let output = child.wait_with_output().expect("it ends");
        let received = sentry.items(events, "event");
        assert_eq!(received.len(), events, "{mood:?}");
        assert_eq!(warnings(&output).len(), usize::from(mood != Mood::Well), "{}", err(&output));
        assert_eq!(received[0]["tags"]["rule"], "AF101");
        assert!(received[0]["fingerprint"][3].as_str().is_some_and(|place| place.starts_with("<step-1>:1")), "{:#}", received[0]);
    }
}

#[test]
fn logs_are_lines_of_json() {
    let folder = tempfile::tempdir().expect("a folder");
    let file = folder.path().join("log");
    let log = file.to_string_lossy().into_owned();
    run(&["--log", "debug", "--log-file", &log], "print(1)");
    run(&["--log", "warn", "--log-file", &log], "10 ** 10 ** 8");
    run(&["--log", "error", "--log-file", &log], "raise ValueError");
    let text = std::fs::read_to_string(&file).expect("it was written");
    let lines: Vec<Value> = text.lines().map(|line| serde_json::from_str(line).expect("each line is JSON")).collect();
    let short = |line: &Value| json!([line["level"], line["event"], line["verdict"], line["outcome"], line["code"]]);
    assert_eq!(
        lines.iter().map(short).collect::<Vec<_>>(),
        [
            json!(["DEBUG", "verdict", "bound", null, null]),
            json!(["INFO", "outcome", null, "finished", null]),
            json!(["WARN", "verdict", "reject", null, "AF101"]),
            json!(["WARN", "outcome", null, "rejected", null]),
        ],
        "{text}"
    );
}
