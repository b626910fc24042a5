//! `antifreeze watch`: freezes of every kind are ended and told, and all else is as without it.
//!
//! Deadlines are generous: the machine may be busy.
#![cfg(target_os = "linux")]

#[expect(dead_code, reason = "its moods are for tests/telemetry.rs")]
#[path = "common/receiver.rs"]
mod receiver;
#[expect(dead_code, reason = "what is watched is any program, not a request")]
#[path = "common/running.rs"]
mod running;

use std::io::{BufRead, BufReader, Write};
use std::os::unix::process::{CommandExt, ExitStatusExt};
use std::path::PathBuf;
use std::process::{Child, Command, Output, Stdio};
use std::time::{Duration, Instant};

use receiver::{Mood, Receiver};
use running::{BINARY, marked};
use serde_json::json;

/// An interpreter of the middle of those there are.
fn python() -> PathBuf {
    running::pythons(|found| found.iter().rfind(|(minor, _)| *minor == 12).map(|(_, python)| python.clone()).into_iter().collect())
        .remove(0)
}

/// `antifreeze watch` with a mark by which everything that it starts is found.
fn watch(mark: &str, flags: &[&str]) -> Command {
    let mut command = Command::new(BINARY);
    command.arg("watch").args(flags).arg("--").stdin(Stdio::null()).env("MARK", mark).env_remove("PYTHONPATH");
    for (name, _) in std::env::vars().filter(|(name, _)| name.starts_with("ANTIFREEZE_") || name.starts_with("SENTRY_")) {
        command.env_remove(name);
    }
    command
}

fn on_python(mark: &str, flags: &[&str], code: &str) -> Command {
    let mut command = watch(mark, flags);
    command.arg(python()).args(["-c", code]);
    command
}

fn err(output: &Output) -> String {
    String::from_utf8_lossy(&output.stderr).into_owned()
}

/// A word that no other test uses.
fn mark(name: &str) -> String {
    format!("watch-{name}-{}", std::process::id())
}

/// Fails if something with this mark is still running after a while.
fn assert_nothing_left(mark: &str) {
    let begin = Instant::now();
    while !marked(&format!("MARK={mark}")).is_empty() && begin.elapsed() < Duration::from_secs(5) {
        std::thread::sleep(Duration::from_millis(20));
    }
    assert!(marked(&format!("MARK={mark}")).is_empty(), "{:?}", marked(&format!("MARK={mark}")));
}

const DAEMONS: &str = "
import os, time
for _ in range(5):
    if os.fork() == 0:
        os.setsid()
        if os.fork() == 0:
            time.sleep(1000)
        os._exit(0)
";

/// Programs that freeze: name, code, a word of the report.
const FREEZES: [(&str, &str, &str); 10] = [
    ("call", "def deep():\n    return 10 ** 10 ** 8\nprint('begun', flush=True)\ndeep()", "in deep"),
    ("sleep", "import time\nprint('begun', flush=True)\ntime.sleep(1000)", "<string>:3 in <module>"),
    (
        "thread",
        "from concurrent.futures import ThreadPoolExecutor\nprint('begun', flush=True)\ndef inner():\n    return 10 ** 10 ** 8\n\
         ThreadPoolExecutor().submit(inner).result(1)",
        "in inner",
    ),
    (
        "deadlock",
        "import threading\nprint('begun', flush=True)\nlock = threading.Lock()\ndef wait():\n    lock.acquire()\nwait()\nwait()",
        "in wait",
    ),
    (
        "signals",
        "import signal, time\nfor n in (1, 2, 3, 15, 20):\n    signal.signal(n, signal.SIG_IGN)\n\
         signal.pthread_sigmask(signal.SIG_BLOCK, range(1, 65))\nprint('begun', flush=True)\nwhile True: pass",
        "<string>:6 in <module>",
    ),
    (
        "daemons",
        "print('begun', flush=True)\nimport os, time\nfor _ in range(5):\n    if os.fork() == 0:\n        os.setsid()\n        if os.fork() == 0:\n            time.sleep(1000)\n        os._exit(0)\ntime.sleep(1000)",
        "in <module>",
    ),
    ("closed", "import os, time\nprint('begun', flush=True)\nos.close(1)\nos.close(2)\ntime.sleep(1000)", "<string>:5 in <module>"),
    (
        "child",
        "import subprocess, sys\nprint('begun', flush=True)\nsubprocess.run([sys.executable, '-c', 'def inner():\\n    while True: pass\\ninner()'])",
        "in inner",
    ),
    (
        "forked",
        "import os\nprint('begun', flush=True)\nif os.fork() == 0:\n    def inner():\n        while True: pass\n    inner()\nos.wait()",
        "in inner",
    ),
    ("stopped", "import os, signal\nprint('begun', flush=True)\nos.kill(os.getpid(), signal.SIGSTOP)", "in <module>"),
];

#[test]
fn what_freezes_is_ended_at_the_budget_and_says_where() {
    for (name, code, word) in FREEZES {
        let mark = mark(name);
        let begin = Instant::now();
        let output = on_python(&mark, &["--budget", "1.5s"], code).output().expect("antifreeze starts");
        assert_eq!(output.status.code(), Some(124), "{name}: {}", err(&output));
        assert!(begin.elapsed() < Duration::from_secs(20), "{name}");
        assert_eq!(String::from_utf8_lossy(&output.stdout), "begun\n", "{name}");
        assert!(err(&output).contains("stopped after 1.5 s") && err(&output).contains(word), "{name}: {}", err(&output));
        assert_nothing_left(&mark);
    }
}

#[test]
fn silence_is_a_freeze_and_signs_of_life_are_not() {
    let budget = ["--silence", "1s", "--budget", "60s"];
    let mark = mark("silence");
    for (name, code, _) in FREEZES {
        let output = on_python(&mark, &budget, code).output().expect("antifreeze starts");
        assert_eq!(output.status.code(), Some(124), "{name}: {}", err(&output));
        assert_eq!(String::from_utf8_lossy(&output.stdout), "begun\n", "{name}");
        assert!(err(&output).contains("--silence"), "{name}: {}", err(&output));
        assert_nothing_left(&mark);
    }
    let speaking = "import time\nfor _ in range(8):\n    print('.', end='', flush=True)\n    time.sleep(0.25)";
    let output = on_python(&mark, &budget, speaking).output().expect("antifreeze starts");
    assert_eq!((output.status.code(), String::from_utf8_lossy(&output.stdout).as_ref()), (Some(0), "........"));
    let beating =
        "import os, time\nfor _ in range(8):\n    os.write(int(os.environ['ANTIFREEZE_HEARTBEAT_FD']), b'.')\n    time.sleep(0.25)";
    let output = on_python(&mark, &[&budget[..], &["--heartbeat-fd", "9"]].concat(), beating).output().expect("antifreeze starts");
    assert_eq!(output.status.code(), Some(0), "{}", err(&output));
    let folder = tempfile::tempdir().expect("a folder");
    let file = folder.path().join("beat").to_string_lossy().into_owned();
    let touching = format!("import time\nfor _ in range(8):\n    open({file:?}, 'w').close()\n    time.sleep(0.25)");
    let output = on_python(&mark, &[&budget[..], &["--heartbeat-file", &file]].concat(), &touching).output().expect("antifreeze starts");
    assert_eq!(output.status.code(), Some(0), "{}", err(&output));
}

#[test]
fn what_ends_by_itself_ends_as_it_would() {
    for flags in [&["--budget", "60s"][..], &["--budget", "60s", "--silence", "30s"]] {
        let mark = mark("ends");
        for (code, status, signal) in [
            ("print('x')", Some(0), None),
            ("import sys; print('x'); sys.exit(7)", Some(7), None),
            ("import sys; print('x'); sys.exit(124)", Some(124), None),
            ("import os; print('x', flush=True); os.kill(os.getpid(), 15)", None, Some(15)),
            ("import os; print('x', flush=True); os.kill(os.getpid(), 9)", None, Some(9)),
            ("import os; print('x', flush=True); os.abort()", None, Some(6)),
        ] {
            let output = on_python(&mark, flags, code).output().expect("antifreeze starts");
            assert_eq!((output.status.code(), output.status.signal()), (status, signal), "{code}: {}", err(&output));
            assert_eq!((String::from_utf8_lossy(&output.stdout).as_ref(), err(&output).as_str()), ("x\n", ""), "{code}");
        }
        let output = on_python(&mark, flags, &format!("{DAEMONS}print('x', flush=True)")).output().expect("antifreeze starts");
        assert_eq!((output.status.code(), String::from_utf8_lossy(&output.stdout).as_ref()), (Some(0), "x\n"));
        assert!(err(&output).contains("were still running at the end and were killed"), "{}", err(&output));
        assert_nothing_left(&mark);
    }
    let status = |name: &str| watch("none", &["--budget", "60s"]).arg(name).output().expect("antifreeze starts").status.code();
    assert_eq!((status("/does/not/exist"), status("/etc/passwd")), (Some(127), Some(126)));
}

#[test]
fn no_byte_is_lost() {
    let flood =
        "import sys, os\nblock = bytes(range(256)) * 4096\nfor n in range(24):\n    os.write(1, block)\n    os.write(2, b'%d ' % n)";
    let plain = Command::new(python()).args(["-c", flood]).output().expect("python starts");
    for flags in [&["--budget", "60s"][..], &["--silence", "30s"]] {
        let output = on_python(&mark("flood"), flags, flood).output().expect("antifreeze starts");
        assert_eq!(output.status.code(), Some(0), "{}", err(&output));
        assert!(output.stdout == plain.stdout && output.stderr == plain.stderr, "{} {}", output.stdout.len(), output.stderr.len());
        // In order, where both go to one place.
        let both = "import os\nfor n in range(3000):\n    os.write(1 + n % 2, b'%d\\n' % n)";
        let script = format!("exec {BINARY} watch {} -- {} -c \"$CODE\" 2>&1", flags.join(" "), python().display());
        let output = Command::new("sh").args(["-c", &script]).env("CODE", both).output().expect("sh starts");
        let wanted = (0..3000).map(|n| n.to_string() + "\n").collect::<String>();
        assert_eq!(String::from_utf8_lossy(&output.stdout), wanted);
    }
}

#[test]
fn input_and_a_reader_that_leaves_are_passed_on() {
    for flags in [&["--budget", "60s"][..], &["--silence", "30s"]] {
        let mut child = on_python(&mark("input"), flags, "import sys; print(sys.stdin.read()[::-1])")
            .stdin(Stdio::piped())
            .stdout(Stdio::piped())
            .spawn()
            .expect("antifreeze starts");
        child.stdin.take().expect("it is piped").write_all(b"abc").expect("it reads");
        let output = child.wait_with_output().expect("it ends");
        assert_eq!(output.stdout, b"cba\n");
        // As with any program, `head` has `yes` die.
        let script = format!("{BINARY} watch {} -- yes | head -n 2; echo ${{PIPESTATUS[0]}}", flags.join(" "));
        let output = Command::new("bash").args(["-c", &script]).output().expect("bash starts");
        assert_eq!(String::from_utf8_lossy(&output.stdout), "y\ny\n141\n", "{flags:?}");
    }
}

/// Waits until the program says that it has begun.
fn begun(child: &mut Child) {
    let mut byte = [0_u8; 6];
    std::io::Read::read_exact(child.stdout.as_mut().expect("it is piped"), &mut byte).expect("it begins");
}

#[test]
fn signals_reach_the_program_once() {
    let code = "import signal, sys, time\nseen = []\nfor n in (1, 2, 10, 12, 15):\n    signal.signal(n, lambda n, _: seen.append(n))\n\
                print('begun', flush=True)\nend = time.monotonic() + 2\nwhile time.monotonic() < end: time.sleep(0.05)\nprint(seen)";
    for group in [false, true] {
        let mut command = on_python(&mark("signals"), &["--budget", "60s"], code);
        let mut child = command.stdout(Stdio::piped()).process_group(0).spawn().expect("antifreeze starts");
        begun(&mut child);
        for signal in ["-HUP", "-INT", "-USR1", "-USR2", "-TERM"] {
            let whom = if group { format!("-{}", child.id()) } else { child.id().to_string() };
            Command::new("kill").args([signal, "--", &whom]).status().expect("kill starts");
            std::thread::sleep(Duration::from_millis(100));
        }
        let output = child.wait_with_output().expect("it ends");
        assert_eq!(String::from_utf8_lossy(&output.stdout), "[1, 2, 10, 12, 15]\n", "to the group: {group}");
    }
    let mut child = on_python(&mark("term"), &["--budget", "60s"], "import time; print('begun', flush=True); time.sleep(1000)")
        .stdout(Stdio::piped())
        .spawn()
        .expect("antifreeze starts");
    begun(&mut child);
    Command::new("kill").args(["-TERM", &child.id().to_string()]).status().expect("kill starts");
    assert_eq!(child.wait().expect("it ends").signal(), Some(15));
}

#[test]
fn killed_itself_it_leaves_nothing() {
    for (name, whom) in [("watch", "watch"), ("minder", "minder"), ("group", "group")] {
        let mark = mark(name);
        let code = format!("{DAEMONS}print('begun', flush=True)\ntime.sleep(1000)");
        let mut command = on_python(&mark, &["--budget", "60s"], &code);
        let mut child = command.stdout(Stdio::piped()).stderr(Stdio::piped()).process_group(0).spawn().expect("antifreeze starts");
        begun(&mut child);
        let pid = child.id();
        let target = match whom {
            "watch" => pid.to_string(),
            "group" => format!("-{pid}"),
            _ => {
                let below = std::fs::read_to_string(format!("/proc/{pid}/task/{pid}/children")).expect("it has children");
                below.split_whitespace().next().expect("the minder is one").to_owned()
            }
        };
        Command::new("kill").args(["-KILL", "--", &target]).status().expect("kill starts");
        let output = child.wait_with_output().expect("it ends");
        if whom == "minder" {
            assert_eq!(output.status.code(), Some(70), "{}", err(&output));
        }
        assert_nothing_left(&mark);
        // The folder for stacks goes last.
        let is_left = || {
            let entries = std::fs::read_dir(std::env::temp_dir()).expect("there is one").filter_map(Result::ok);
            entries.into_iter().any(|entry| entry.file_name().to_string_lossy().starts_with(&format!("antifreeze-watch-{pid}-")))
        };
        let begin = Instant::now();
        while is_left() && begin.elapsed() < Duration::from_secs(5) {
            std::thread::sleep(Duration::from_millis(20));
        }
        assert!(!is_left(), "{name}");
    }
}

#[test]
fn it_starts_again_and_says_so() {
    let output =
        on_python(&mark("again"), &["--budget", "500ms", "--restart", "2"], "import time\nprint('begun', flush=True)\ntime.sleep(1000)")
            .output()
            .expect("antifreeze starts");
    assert_eq!(output.status.code(), Some(124));
    assert_eq!(String::from_utf8_lossy(&output.stdout), "begun\n".repeat(3));
    let said = err(&output);
    assert!(said.contains("starting it again in 1 s") && said.contains("starting it again in 2 s"), "{said}");
    // What ends by itself is over.
    let output =
        on_python(&mark("once"), &["--budget", "60s", "--restart", "2"], "print(1); raise SystemExit(3)").output().expect("it starts");
    assert_eq!((output.status.code(), output.stdout.as_slice()), (Some(3), &b"1\n"[..]));
}

#[test]
fn the_programs_own_python_is_as_it_was() {
    let folder = tempfile::tempdir().expect("a folder");
    std::fs::write(folder.path().join("sitecustomize.py"), "print('own')\n").expect("files are written");
    let code = "import sys, sitecustomize; print(sitecustomize.__file__); print([p for p in sys.path if 'antifreeze-watch' in p])";
    for python in running::pythons(|found| found.into_iter().map(|(_, python)| python).collect()) {
        let run = |path: Option<&std::path::Path>, code: &str| {
            let mut command = watch("site", &["--budget", "60s"]);
            if let Some(path) = path {
                command.env("PYTHONPATH", path);
            }
            let output = command.arg(&python).args(["-c", code]).output().expect("antifreeze starts");
            assert_eq!(output.status.code(), Some(0), "{}: {}", python.display(), err(&output));
            assert_eq!(err(&output), "", "{}", python.display());
            String::from_utf8_lossy(&output.stdout).into_owned()
        };
        let own = folder.path().join("sitecustomize.py");
        assert_eq!(run(Some(folder.path()), code), format!("own\n{}\n[]\n", own.display()));
        assert_eq!(run(None, "import sys; print([p for p in sys.path if 'antifreeze-watch' in p])"), "[]\n");
    }
}

#[test]
fn sentry_is_told_where_with_check_ins_and_pings() {
    let sentry = Receiver::start(Mood::Well);
    let folder = tempfile::tempdir().expect("a folder");
    let script = folder.path().join("agent.py");
    std::fs::write(&script, "def evaluate():\n    return 10 ** 10 ** 8\n\n\nevaluate()\n").expect("files are written");
    let flags =
        ["--budget", "1s", "--monitor", "nightly", "--ping", &sentry.url("/ping"), "--sentry-dsn", &sentry.dsn(), "--sentry-flush", "5s"];
    let output = watch(&mark("sentry"), &flags).arg(python()).arg(&script).output().expect("antifreeze starts");
    assert_eq!(output.status.code(), Some(124), "{}", err(&output));
    let checks = sentry.items(3, "check_in");
    assert_eq!(checks.iter().map(|check| check["status"].as_str().unwrap_or_default()).collect::<Vec<_>>(), ["in_progress", "error"]);
    assert!(checks[0]["check_in_id"] == checks[1]["check_in_id"] && checks[1]["monitor_slug"] == "nightly", "{checks:#?}");
    let event = sentry.event();
    assert_eq!(event["tags"], json!({"limit": "budget", "outcome": "timed_out", "rule": "budget"}));
    let frames = event["exception"]["values"][0]["stacktrace"]["frames"].as_array().expect("there are frames");
    let last = frames.last().expect("there is one");
    assert_eq!((&last["function"], &last["lineno"], &last["in_app"]), (&json!("evaluate"), &json!(2), &json!(true)));
    assert!(event["extra"]["worker_faulthandler_stack"].as_str().is_some_and(|stack| stack.contains("line 2 in evaluate")), "{event:#}");
    assert!(!event.to_string().contains("10 ** 10"), "no text of the program leaves");
    let before = sentry.all().len();
    let output = watch(&mark("well"), &flags).arg("true").output().expect("antifreeze starts");
    assert_eq!((output.status.code(), err(&output).as_str()), (Some(0), ""));
    let checks = sentry.items(before + 3, "check_in");
    assert_eq!(checks[3]["status"], "ok");
    assert_eq!(sentry.all().iter().filter(|request| request.method == "GET" && request.path == "/ping").count(), 1);
}

/// What a terminal does and shows, driven by a Python program that plays the shell (tests/watch/terminal.py).
#[test]
fn a_terminal_is_passed_through() {
    for flags in ["--budget 60s", "--silence 30s"] {
        let driver = concat!(env!("CARGO_MANIFEST_DIR"), "/tests/watch/terminal.py");
        let output = Command::new(python()).arg(driver).arg(BINARY).args(flags.split(' ')).output().expect("python starts");
        assert!(output.status.success(), "{flags}: {}{}", String::from_utf8_lossy(&output.stdout), err(&output));
    }
}

#[test]
fn a_reader_that_stops_reading_holds_nobody_up() {
    let mut child = watch(&mark("reader"), &["--budget", "1.5s", "--silence", "1s"])
        .arg("yes")
        .stdout(Stdio::piped())
        .stderr(Stdio::piped())
        .spawn()
        .expect("antifreeze starts");
    let begin = Instant::now();
    while child.try_wait().expect("it is a child").is_none() && begin.elapsed() < Duration::from_secs(20) {
        std::thread::sleep(Duration::from_millis(20));
    }
    let status = child.try_wait().expect("it is a child").and_then(|status| status.code());
    // Its end is that of the budget: a program that waits for its reader is not silent.
    let output = child.wait_with_output().expect("it ended");
    assert_eq!(status, Some(124));
    assert!(err(&output).contains("--budget"), "{}", err(&output));
    assert_nothing_left(&mark("reader"));
}

#[test]
fn stopped_itself_it_takes_no_program_for_silent() {
    let speaking = "import time\nprint('begun', flush=True)\nfor _ in range(16):\n    print('.', end='', flush=True)\n    time.sleep(0.25)";
    let mut child = on_python(&mark("stopped"), &["--silence", "2s"], speaking).stdout(Stdio::piped()).spawn().expect("antifreeze starts");
    begun(&mut child);
    let kill = |signal: &str| Command::new("kill").args([signal, &child.id().to_string()]).status().expect("kill starts");
    kill("-STOP");
    std::thread::sleep(Duration::from_secs(3));
    kill("-CONT");
    let output = child.wait_with_output().expect("it ends");
    assert_eq!((output.status.code(), output.stdout.as_slice()), (Some(0), &b"................"[..]));
}

/// The status of what must end by itself in time.
fn status(child: &mut Child, name: &str) -> Option<i32> {
    let begin = Instant::now();
    loop {
        if let Some(status) = child.try_wait().expect("it is a child") {
            return status.code();
        }
        if begin.elapsed() > Duration::from_secs(30) {
            let _ = child.kill();
            panic!("{name}: it does not end");
        }
        std::thread::sleep(Duration::from_millis(20));
    }
}

#[test]
fn a_program_that_stops_what_watches_it_is_ended() {
    let parent = "import os, time\nparent = os.getppid()\n\
                  watch = int(open(f'/proc/{parent}/stat').read().rsplit(')', 1)[1].split()[1])\n";
    for limit in ["--budget", "--silence"] {
        for (name, code) in [
            ("stops-group", "os.killpg(0, 19)"),
            ("stops-minder", "os.kill(parent, 19)"),
            ("stops-watch", "os.kill(watch, 19)"),
            ("stops-again", "while True:\n    os.kill(watch, 19)\n    time.sleep(0.01)"),
        ] {
            let mark = mark(name);
            let code = format!("{parent}{code}\ntime.sleep(1000)");
            let mut child = on_python(&mark, &[limit, "1.5s"], &code).process_group(0).spawn().expect("antifreeze starts");
            assert_eq!(status(&mut child, &format!("{name} {limit}")), Some(124), "{name} {limit}");
            assert_nothing_left(&mark);
        }
    }
}

#[test]
fn what_was_ignored_from_the_start_ends_no_pause() {
    let script = format!("trap '' HUP; exec {BINARY} watch --budget 500ms --restart 1 -- sleep 1000");
    let mut child = Command::new("sh").args(["-c", &script]).stderr(Stdio::piped()).spawn().expect("sh starts");
    let lines = BufReader::new(child.stderr.take().expect("it is piped")).lines();
    for line in lines.map_while(Result::ok) {
        if line.contains("starting it again") {
            Command::new("kill").args(["-HUP", &child.id().to_string()]).status().expect("kill starts");
        }
    }
    assert_eq!(status(&mut child, "hup"), Some(124));
}

#[test]
fn output_that_cannot_be_written_is_said() {
    let run = |code: &str| {
        let full = std::fs::OpenOptions::new().write(true).open("/dev/full").expect("there is one");
        on_python(&mark("full"), &["--silence", "30s"], code).stdout(full).stderr(Stdio::piped()).output().expect("antifreeze starts")
    };
    // In one write: whoever writes again may be told that nobody reads any more.
    let output = run("import os; os.write(1, b'hi')");
    assert_eq!(output.status.code(), Some(1), "{}", err(&output));
    assert_eq!(err(&output).matches("No space left on device").count(), 1, "{}", err(&output));
    let output = run("import os, sys; os.write(1, b'hi'); sys.exit(7)");
    assert_eq!(output.status.code(), Some(7), "{}", err(&output));
}

#[test]
fn few_descriptors_are_enough_to_end_a_program() {
    let mark = mark("few");
    let script = format!("ulimit -n 10; exec {BINARY} watch --budget 1s -- sleep 1000");
    let mut child = Command::new("sh").args(["-c", &script]).env("MARK", &mark).spawn().expect("sh starts");
    assert_eq!(status(&mut child, "few"), Some(124));
    assert_nothing_left(&mark);
}

#[test]
fn a_reader_that_stalls_hides_no_silence() {
    // More than the reader's pipe holds, and less than that and the program's.
    let code = "import os, time\nos.write(1, b'.' * 70_000)\ntime.sleep(1000)";
    let mut child = on_python(&mark("stalls"), &["--silence", "1s", "--budget", "60s"], code)
        .stdout(Stdio::piped())
        .stderr(Stdio::piped())
        .spawn()
        .expect("antifreeze starts");
    assert_eq!(status(&mut child, "stalls"), Some(124));
    let output = child.wait_with_output().expect("it ended");
    assert!(err(&output).contains("--silence"), "{}", err(&output));
    assert_nothing_left(&mark("stalls"));
}
