//! `antifreeze run`: outcomes per cause, leftovers, and that programs behave as without it.
//!
//! Deadlines are generous: the machine may be busy. What is asserted is that a run comes back at all, as what, and that
//! nothing of it is left.
#![cfg(target_os = "linux")]

#[path = "common/running.rs"]
mod running;

use std::collections::BTreeSet;
use std::io::{Read, Write};
use std::path::{Path, PathBuf};
use std::process::{Child, Command, Output, Stdio};
use std::time::{Duration, Instant};

use antifreeze::executor::{self, Request};
use antifreeze::limits::Limits;
use antifreeze::outcome::{Outcome, OutcomeKind};
use antifreeze::syntax::Span;
use running::{BINARY, assert_valid, marked};
use serde_json::Value;

const UNGUARDED: [&str; 2] = ["--no-gate", "--no-guards"];

/// The interpreters to run with: the newest of each of these versions.
fn pythons() -> Vec<PathBuf> {
    running::pythons(|found| {
        let newest = |wanted| found.iter().rfind(|(minor, _)| *minor == wanted).map(|(_, python)| python.clone());
        [9, 12, 13].into_iter().filter_map(newest).collect()
    })
}

fn python() -> PathBuf {
    let all = pythons();
    all[all.len() / 2].clone()
}

fn command(flags: &[&str]) -> Command {
    let mut command = Command::new(BINARY);
    command.env_remove("PYTHONUNBUFFERED");
    command.arg("run").args(flags).arg("--python").arg(python()).stdin(Stdio::null());
    command
}

/// Runs it, validates the JSON against the schema, and gives it with the exit status.
fn json(mut command: Command) -> (Value, i32) {
    let output = command.args(["--format", "json"]).output().expect("antifreeze starts");
    let status = output.status.code().unwrap_or(-1);
    (valid(&output), status)
}

fn valid(output: &Output) -> Value {
    let text = String::from_utf8_lossy(&output.stdout);
    let value: Value =
        serde_json::from_str(&text).unwrap_or_else(|error| panic!("{error}: {text}\n{}", String::from_utf8_lossy(&output.stderr)));
    assert_valid(&value);
    value
}

fn run(code: &str, flags: &[&str]) -> (Value, i32) {
    let mut all = UNGUARDED.to_vec();
    all.extend(flags);
    all.extend(["-c", code]);
    json(command(&all))
}

/// A word nobody else has in the environment, and the processes that have it.
struct Marker(String);

impl Marker {
    fn new(test: &str) -> Self {
        Marker(format!("antifreeze-{test}-{}", std::process::id()))
    }

    fn set(&self, command: &mut Command) {
        command.env("ANTIFREEZE_TEST_MARKER", &self.0);
    }

    fn processes(&self) -> BTreeSet<String> {
        marked(&self.0)
    }

    /// Waits for the first `wanted` to be true of the number of processes.
    fn wait(&self, what: &str, wanted: impl Fn(usize) -> bool) {
        let start = Instant::now();
        while !wanted(self.processes().len()) {
            let left = self.processes();
            assert!(start.elapsed() < Duration::from_secs(15), "{what}: {} has {left:?}", self.0);
            std::thread::sleep(Duration::from_millis(20));
        }
    }

    fn assert_nothing_left(&self) {
        assert_eq!(self.processes(), BTreeSet::new(), "{} left processes", self.0);
    }
}

/// With and without namespaces.
fn modes() -> [(&'static str, bool); 2] {
    [("namespaces", true), ("none", false)]
}

fn set_mode(command: &mut Command, namespaces: bool) {
    if !namespaces {
        command.env("ANTIFREEZE_NO_NAMESPACE", "1");
    }
}

fn lines_of(stack: &Value) -> Vec<i64> {
    stack.as_array().map(|frames| frames.iter().filter_map(|frame| frame["line"].as_i64()).collect()).unwrap_or_default()
}

#[test]
fn a_last_expression_is_the_result() {
    for (code, result, repr) in [
        ("1+1", Value::from(2), "2"),
        (
            "x = [1, None, True, 'é', 1.5, {'a': []}]\nx",
            serde_json::json!([1, null, true, "é", 1.5, {"a": []}]),
            "[1, None, True, 'é', 1.5, {'a': []}]",
        ),
        ("(1, 2)", Value::Null, "(1, 2)"),
        ("2 ** 60", Value::Null, "1152921504606846976"),
        ("float('nan')", Value::Null, "nan"),
        ("{1: 2}", Value::Null, "{1: 2}"),
        ("'\\ud800'", Value::Null, "'\\ud800'"),
        ("1 << 40000", Value::Null, "<int of 40001 bits>"),
    ] {
        let (value, status) = run(code, &[]);
        assert_eq!((&value["outcome"], status), (&Value::from("finished"), 0), "{code}: {value}");
        assert_eq!((&value["result"], value["result_repr"].as_str()), (&result, Some(repr)), "{code}");
        assert_eq!(value["stdout"], "", "{code}: a value is not output");
    }
    let (value, _) = run("x = 1", &[]);
    assert_eq!((&value["result"], &value["result_repr"]), (&Value::Null, &Value::Null));
}

#[test]
fn every_end_has_its_outcome() {
    // code, flags, outcome, exit status of antifreeze, exit status of the program
    type Case = (&'static str, &'static [&'static str], &'static str, i32, Option<i64>);
    let cases: [Case; 24] = [
        ("print('a')", &[], "finished", 0, Some(0)),
        ("import sys; sys.exit()", &[], "finished", 0, Some(0)),
        ("import sys; sys.exit(0)", &[], "finished", 0, Some(0)),
        ("import sys; sys.exit(3)", &[], "raised", 4, Some(3)),
        ("import sys; sys.exit('no')", &[], "raised", 4, Some(1)),
        ("1/0", &[], "raised", 4, Some(1)),
        ("a b", &[], "raised", 4, Some(1)),
        ("raise KeyboardInterrupt", &[], "raised", 4, Some(130)),
        ("import os; os._exit(3)", &[], "raised", 4, Some(3)),
        ("import os; os._exit(0)", &[], "finished", 0, Some(0)),
        ("import atexit, os; atexit.register(os._exit, 5)", &[], "raised", 4, Some(5)),
        ("import os; os.kill(os.getpid(), 9)", &[], "crashed", 4, Some(137)),
        ("import os; os.kill(os.getpid(), 15)", &[], "crashed", 4, Some(143)),
        ("import signal; print(*signal.pthread_sigmask(0, []))", &[], "finished", 0, Some(0)),
        ("import os; os.abort()", &[], "crashed", 4, Some(134)),
        ("import os; os.execvp('true', ['true'])", &[], "finished", 0, Some(0)),
        ("while True: pass", &["--timeout", "0.7"], "timed_out", 3, None),
        ("import time; time.sleep(60)", &["--timeout", "0.7"], "timed_out", 3, None),
        ("import atexit, time; atexit.register(time.sleep, 60)", &["--timeout", "0.7"], "timed_out", 3, None),
        ("import os; os.kill(os.getpid(), 19)", &["--timeout", "0.7"], "timed_out", 3, None),
        ("x = bytearray(3 << 30)", &[], "out_of_memory", 3, Some(1)),
        ("x = []\nwhile True: x.append(bytearray(10 ** 6))", &["--memory", "200MiB"], "out_of_memory", 3, None),
        ("while True: print('x' * 1000)", &["--output", "64KiB"], "too_much_output", 3, None),
        (
            "import subprocess\nl = [subprocess.Popen(['sleep', '60']) for i in range(40)]\nwhile True: pass",
            &["--processes", "20"],
            "too_many_processes",
            3,
            None,
        ),
    ];
    for (code, flags, outcome, status, program) in cases {
        let (value, got) = run(code, flags);
        assert_eq!((value["outcome"].as_str(), got), (Some(outcome), status), "{code}: {value}");
        assert_eq!(value["exit_status"].as_i64(), program, "{code}: {value}");
        assert!(!code.contains("sigmask") || value["stdout"] == "\n", "signals are blocked: {value}");
        assert_eq!(value["limit"].is_null(), status != 3, "{code}: {value}");
    }
}

#[test]
fn the_frozen_frame_is_named() {
    let cases: [(&str, &[i64]); 8] = [
        ("x = 1\n10 ** 10 ** 8", &[2]),
        ("def f(n):\n    return sum(range(n))\nf(10 ** 13)", &[3, 2]),
        ("import time\ntime.sleep(60)", &[2]),
        ("import threading\nl = threading.Lock()\nl.acquire()\nl.acquire()", &[4]),
        ("import re\nre.match('(a+)+$', 'a' * 40 + 'b')", &[2]),
        ("import os\nr, w = os.pipe()\nos.read(r, 1)", &[3]),
        ("import signal\nsignal.pthread_sigmask(signal.SIG_BLOCK, signal.valid_signals())\nwhile True:\n    pass", &[]),
        ("import os\nos.closerange(3, 256)\nwhile 1: pass", &[3]),
    ];
    for (code, lines) in cases {
        let (value, _) = run(code, &["--timeout", "0.7"]);
        assert_eq!(value["outcome"], "timed_out", "{code}: {value}");
        let got = value["stack"].as_array().cloned().unwrap_or_default();
        // Standard-library frames lie below the program's own.
        let own = got.iter().filter(|frame| frame["file"] == "<command>").filter_map(|frame| frame["line"].as_i64()).collect::<Vec<_>>();
        if lines.is_empty() {
            // Which of the loop's two lines it is, is chance; the blocked signal had to be undone from outside.
            assert!(own == [3] || own == [4], "{code}: {value}");
            assert_eq!(value["mechanisms"]["stack"], "ptrace");
        } else {
            assert_eq!(own, lines, "{code}: {value}");
            assert_eq!(got.last().map(|frame| frame["source"].is_string() || frame["file"] != "<command>"), Some(true), "{value}");
        }
    }
}

#[test]
fn a_stack_that_cannot_be_had_says_why() {
    let (value, _) = run(
        "import signal\nfor i in range(1, 32):\n    try: signal.signal(i, signal.SIG_IGN)\n    except OSError: pass\nwhile 1: pass",
        &["--timeout", "0.7"],
    );
    assert_eq!((value["outcome"].as_str(), value["stack"].is_null()), (Some("timed_out"), true), "{value}");
    assert!(value["stack_reason"].as_str().is_some_and(|reason| reason.contains("signal")), "{value}");
}

#[test]
fn it_comes_back_within_half_a_second_of_the_limit() {
    // Measured against what a run that does nothing takes on this machine now.
    let start = Instant::now();
    let (value, status) = run("1+1", &["--timeout", "2"]);
    assert_eq!((value["result"].as_i64(), status), (Some(2), 0));
    let idle = start.elapsed();
    for code in ["10 ** 10 ** 8", "import time; time.sleep(5)", "from time import sleep; sleep(8)"] {
        let start = Instant::now();
        let (value, status) = run(code, &["--timeout", "1"]);
        let took = start.elapsed();
        assert_eq!((value["outcome"].as_str(), status), (Some("timed_out"), 3), "{code}");
        assert!(took < Duration::from_millis(1500) + idle * 3, "{code}: {took:?} where nothing takes {idle:?}");
        assert_eq!(lines_of(&value["stack"]), [1], "{code}");
        assert!(value["duration_ms"].as_f64().is_some_and(|ms| (1000.0..1500.0).contains(&ms)), "{value}");
    }
}

#[test]
fn nothing_is_left_behind() {
    let programs = [
        (
            "double-fork",
            "import os, time\nif os.fork() == 0:\n    os.setsid()\n    if os.fork() == 0:\n        time.sleep(600)\n    os._exit(0)\nos.wait()\ntime.sleep(0.2)",
        ),
        (
            "signals-blocked",
            "import os, signal, time\nif os.fork() == 0:\n    os.setsid()\n    for i in range(1, 32):\n        try: signal.signal(i, signal.SIG_IGN)\n        except OSError: pass\n    \
             signal.pthread_sigmask(signal.SIG_BLOCK, signal.valid_signals())\n    while True: time.sleep(1)\nwhile True: pass",
        ),
        ("pipe-held", "import subprocess\nsubprocess.Popen(['sleep', '600'], start_new_session=True)"),
        (
            "stopped",
            "import os, signal, time\np = os.fork()\nif p == 0:\n    time.sleep(600)\ntime.sleep(0.1)\nos.kill(p, signal.SIGSTOP)\nos.kill(os.getpid(), signal.SIGSTOP)",
        ),
        ("chain", "import os, time\nend = time.time() + 60\nwhile time.time() < end:\n    if os.fork(): os._exit(0)"),
        (
            "parent-killed",
            "import os, time\nif os.fork() == 0:\n    os.setsid()\n    time.sleep(600)\nos.kill(os.getppid(), 9)\ntime.sleep(600)",
        ),
    ];
    for (mode, namespaces) in modes() {
        for (name, code) in programs {
            let marker = Marker::new(&format!("{name}-{mode}"));
            let mut command = command(&["--no-gate", "--no-guards", "--timeout", "1", "-c", code]);
            marker.set(&mut command);
            set_mode(&mut command, namespaces);
            let start = Instant::now();
            let (value, _) = json(command);
            assert!(start.elapsed() < Duration::from_secs(10), "{name} {mode}: {:?}", start.elapsed());
            assert_ne!(value["outcome"], "internal", "{name} {mode}: {value}");
            assert!(namespaces || value["mechanisms"]["pid_namespace"] == false, "{value}");
            marker.assert_nothing_left();
        }
    }
}

#[test]
fn a_fork_bomb_is_ended() {
    let code = "import os\nwhile True:\n    try: os.fork()\n    except OSError: pass";
    for (mode, namespaces) in modes() {
        // In a PID namespace around it all, whose end ends the bomb whatever happens, and which caps it.
        let cap = "echo 400 > /proc/sys/kernel/pid_max 2>/dev/null; ulimit -v 4000000; exec \"$@\"";
        let mut command = Command::new("unshare");
        command.args(["-Urpf", "--mount-proc", "--kill-child", "sh", "-c", cap, "sh", BINARY, "run", "-c", code, "--timeout", "5"]);
        command.args(UNGUARDED).arg("--python").arg(python()).stdin(Stdio::null());
        let marker = Marker::new(&format!("bomb-{mode}"));
        marker.set(&mut command);
        set_mode(&mut command, namespaces);
        if !Command::new("unshare").args(["-Urpf", "--mount-proc", "true"]).status().is_ok_and(|status| status.success()) {
            return; // Nothing here could hold a fork bomb if it got loose.
        }
        let (value, status) = json(command);
        assert_eq!((value["outcome"].as_str(), status), (Some("too_many_processes"), 3), "{mode}: {value}");
        marker.wait(mode, |count| count == 0);
    }
}

#[test]
fn without_a_namespace_root_is_capped_by_a_cgroup_that_goes_away() {
    let folder = Path::new("/sys/fs/cgroup/pids");
    let probe = folder.join(format!("antifreeze-probe-{}", std::process::id()));
    let own = std::fs::read_to_string("/proc/self/cgroup").unwrap_or_default();
    if !own.lines().any(|line| line.ends_with(":pids:/")) || std::fs::create_dir(&probe).is_err() {
        return; // No such cgroup to be had here.
    }
    std::fs::remove_dir(&probe).expect("it is empty");
    let mut command = command(&[
        "--no-gate",
        "--no-guards",
        "--processes",
        "8",
        "-c",
        "import os\nwhile True:\n    try: os.fork()\n    except OSError: pass",
    ]);
    set_mode(&mut command, false);
    let marker = Marker::new("cgroup");
    marker.set(&mut command);
    let (value, _) = json(command);
    assert_eq!(
        (value["outcome"].as_str(), value["mechanisms"]["process_cap"].as_str()),
        (Some("too_many_processes"), Some("cgroup")),
        "{value}"
    );
    marker.assert_nothing_left();
    let left = std::fs::read_dir(folder)
        .expect("it is there")
        .filter_map(Result::ok)
        .map(|entry| entry.file_name().to_string_lossy().into_owned());
    let helper_groups = left.filter(|name| name.starts_with("antifreeze-")).filter(|name| {
        let pid = name.trim_start_matches("antifreeze-");
        // Those of tests that run at the same time belong to living helpers.
        !Path::new("/proc").join(pid).exists()
    });
    assert_eq!(helper_groups.collect::<Vec<_>>(), Vec::<String>::new());
}

/// Starts a program that leaves a grandchild in a session of its own, and waits until all of it is there.
fn start_family(marker: &Marker, namespaces: bool) -> Child {
    let code = "import os, time\nif os.fork() == 0:\n    os.setsid()\n    if os.fork() == 0: time.sleep(600)\nwhile True: time.sleep(1)";
    let mut command = command(&["--no-gate", "--no-guards", "--timeout", "60", "-c", code]);
    marker.set(&mut command);
    set_mode(&mut command, namespaces);
    let child = command.stdout(Stdio::null()).stderr(Stdio::null()).spawn().expect("antifreeze starts");
    // Host, helper, keeper, program, child, grandchild.
    marker.wait("all have started", |count| count >= 6);
    child
}

/// The children of a process.
fn children(pid: u32) -> Vec<u32> {
    let entries = std::fs::read_dir("/proc").expect("there is a /proc");
    entries
        .filter_map(|entry| entry.ok()?.file_name().to_str()?.parse::<u32>().ok())
        .filter(|child| {
            let stat = std::fs::read_to_string(format!("/proc/{child}/stat")).unwrap_or_default();
            stat.rsplit(')').next().and_then(|rest| rest.split_whitespace().nth(1)?.parse::<u32>().ok()) == Some(pid)
        })
        .collect()
}

fn send(signal: &str, pid: u32) {
    assert!(Command::new("kill").args([signal, &pid.to_string()]).status().is_ok_and(|status| status.success()), "kill {signal} {pid}");
}

#[test]
fn sigkill_of_host_helper_or_keeper_leaves_nothing() {
    for (mode, namespaces) in modes() {
        for victim in ["host", "helper", "keeper"] {
            let marker = Marker::new(&format!("kill-{victim}-{mode}"));
            let mut host = start_family(&marker, namespaces);
            let helper = children(host.id())[0];
            let keeper = children(helper)[0];
            send(
                "-KILL",
                match victim {
                    "host" => host.id(),
                    "helper" => helper,
                    _ => keeper,
                },
            );
            let status = host.wait().expect("it ends");
            if victim == "helper" {
                assert_eq!(status.code(), Some(70), "a helper that was killed is our own failure");
                // The host came back only after all was gone.
                marker.assert_nothing_left();
            }
            marker.wait(&format!("{victim} {mode}"), |count| count == 0);
        }
    }
}

#[test]
fn sigkill_at_any_stage_leaves_nothing() {
    for (mode, namespaces) in modes() {
        for delay in [0, 1, 2, 4, 8, 12, 16, 24, 40] {
            let marker = Marker::new(&format!("stage-{delay}-{mode}"));
            let mut command = command(&["--no-gate", "--no-guards", "-c", "import time; time.sleep(600)"]);
            marker.set(&mut command);
            set_mode(&mut command, namespaces);
            let mut host = command.stdout(Stdio::null()).stderr(Stdio::null()).spawn().expect("antifreeze starts");
            std::thread::sleep(Duration::from_millis(delay));
            host.kill().expect("it is still there");
            host.wait().expect("it ends");
            marker.wait(mode, |count| count == 0);
        }
    }
}

#[test]
fn signals_are_passed_on() {
    for (signal, number) in [("-INT", 2), ("-TERM", 15)] {
        for (mode, namespaces) in modes() {
            let marker = Marker::new(&format!("signal{signal}-{mode}"));
            let mut host = start_family(&marker, namespaces);
            send(signal, host.id());
            assert_eq!(host.wait().expect("it ends").code(), Some(128 + number), "{signal} {mode}");
            marker.assert_nothing_left();
        }
    }
    // A program that has a handler gets to run it.
    let code = "import time\ntry: print('on', flush=True); time.sleep(60)\nexcept KeyboardInterrupt: print('handled')";
    let mut command = command(&["--no-gate", "--no-guards", "--timeout", "60", "-c", code]);
    let mut host = command.stdout(Stdio::piped()).spawn().expect("antifreeze starts");
    let mut out = host.stdout.take().expect("it is piped");
    let mut first = [0; 3];
    out.read_exact(&mut first).expect("it says so");
    send("-INT", host.id());
    let mut rest = String::new();
    out.read_to_string(&mut rest).expect("text");
    assert_eq!(rest, "handled\n");
    assert_eq!(host.wait().expect("it ends").code(), Some(130));
}

#[test]
fn an_ordinary_user_can_run_too() {
    let root = Command::new("id").arg("-u").output().is_ok_and(|output| output.stdout == b"0\n");
    if !root {
        return; // Then every other test here is this one.
    }
    let (folder, python) = (tempfile::tempdir().expect("a folder"), "/usr/bin/python3");
    if !Path::new(python).exists() {
        return; // No Python that an ordinary user could reach.
    }
    // The build folder may be out of reach for others.
    let binary = folder.path().join("antifreeze");
    std::fs::copy(BINARY, &binary).expect("copies");
    let open = |path: &Path| {
        use std::os::unix::fs::PermissionsExt;
        std::fs::set_permissions(path, std::fs::Permissions::from_mode(0o755)).expect("it is ours");
    };
    open(folder.path());
    open(&binary);
    for (mode, namespaces) in modes() {
        for (code, outcome) in [
            ("1+1", "finished"),
            ("while True: pass", "timed_out"),
            ("import os, time\nif os.fork() == 0:\n    os.setsid()\n    time.sleep(600)\nos.wait()", "timed_out"),
        ] {
            let marker = Marker::new(&format!("user-{outcome}-{mode}"));
            let mut command = Command::new("setpriv");
            command.args(["--reuid", "65534", "--regid", "65534", "--clear-groups"]).arg(&binary);
            command.args(["run", "--no-gate", "--no-guards", "--timeout", "1", "--python", python, "-c", code]);
            command.current_dir("/").stdin(Stdio::null());
            marker.set(&mut command);
            set_mode(&mut command, namespaces);
            let (value, _) = json(command);
            assert_eq!(value["outcome"], outcome, "{mode}: {value}");
            assert_eq!(value["mechanisms"]["process_cap"], "rlimit", "{mode}: {value}");
            marker.assert_nothing_left();
        }
    }
}

#[test]
fn output_is_kept_up_to_the_limit_and_counted_beyond() {
    let (value, status) = run("print('x' * 100_000)", &["--output", "10000"]);
    assert_eq!((value["outcome"].as_str(), status), (Some("finished"), 0), "{value}");
    assert_eq!((value["stdout"].as_str().map(str::len), value["truncated_bytes"].as_u64()), (Some(10_000), Some(90_001)), "{value}");
    let (value, status) = run("print('x' * 2000); import time; time.sleep(60)", &["--output", "1000", "--strict-output"]);
    assert_eq!((value["outcome"].as_str(), status), (Some("too_much_output"), 3), "{value}");
    let (value, _) = run("import sys; sys.stdout.buffer.write(b'a\\xff'); sys.stderr.write('e')", &[]);
    assert_eq!((value["stdout"].as_str(), value["stdout_base64"].as_str()), (Some("a\u{fffd}"), Some("Yf8=")), "{value}");
    assert_eq!((value["stderr"].as_str(), value.get("stderr_base64")), (Some("e"), None), "{value}");
}

#[test]
fn a_reader_that_stops_reading_does_not_stop_the_clock() {
    let mut command = command(&["--no-gate", "--no-guards", "--timeout", "1", "-c", "while True: print('x' * 1000)"]);
    command.args(["--output", "100MiB"]);
    let marker = Marker::new("stuck-reader");
    marker.set(&mut command);
    let mut host = command.stdout(Stdio::piped()).stderr(Stdio::null()).spawn().expect("antifreeze starts");
    // Nobody reads: the host is stuck writing, and the program must be gone all the same. Host and helper wait for the reader.
    std::thread::sleep(Duration::from_millis(2500));
    assert!(marker.processes().len() <= 2, "{:?}", marker.processes());
    drop(host.stdout.take());
    host.wait().expect("it ends");
    marker.wait("all", |count| count == 0);
}

#[test]
fn a_reader_that_stops_reading_does_not_stop_a_signal() {
    let mut command = command(&["--no-gate", "--no-guards", "--timeout", "60", "-c", "while True: print('x' * 1000)"]);
    let mut host = command.args(["--output", "100MiB"]).stdout(Stdio::piped()).stderr(Stdio::null()).spawn().expect("antifreeze starts");
    let unread = host.stdout.take().expect("it is piped");
    std::thread::sleep(Duration::from_millis(700));
    send("-TERM", host.id());
    let start = Instant::now();
    assert_eq!(host.wait().expect("it ends").code(), Some(143));
    assert!(start.elapsed() < Duration::from_secs(5), "{:?}", start.elapsed());
    drop(unread);
}

#[test]
fn a_script_sees_what_cpython_shows_it() {
    let folder = tempfile::tempdir().expect("a folder");
    std::fs::write(folder.path().join("helper_module.py"), "value = 7\n").expect("writes");
    let scripts = [
        "import sys, os\nimport helper_module\nprint(helper_module.value, sys.argv, sys.path[0] == os.getcwd(), __name__, __file__ == os.path.abspath('s.py'))\nprint(sorted(globals()))",
        "import pickle\nclass A: pass\nprint(type(pickle.loads(pickle.dumps(A()))) is A, A.__module__)",
        "import inspect\ndef f(x):\n    return x\nprint(inspect.getsource(f))",
        "def f():\n    return [1, 2][5] + 1\ndef g(): f()\ng()",
        "try:\n    1 / 0\nexcept ZeroDivisionError as e:\n    raise KeyError('x') from e",
        "import sys\nsys.stderr.write('a')\nraise SystemExit('gone')",
        "x = 1\n  y = 2",
        "import atexit\natexit.register(print, 'bye')\nclass D:\n    def __del__(self): print('del')\nd = D()",
        "import threading\nthreading.Thread(target=lambda: print('thread')).start()\nthreading.Thread(target=lambda: 1 / 0, name='T').start()",
        "import multiprocessing as m\ndef f(x): return x * x\nif __name__ == '__main__':\n    with m.get_context('spawn').Pool(2) as p: print(p.map(f, [1, 2, 3]))",
        "import os, sys\nif os.fork() == 0:\n    print('child')\n    sys.exit(4)\nprint(os.WEXITSTATUS(os.wait()[1]))",
        "import sys\nprint(sys.stdin.read() == '', sys.orig_argv[1:] if hasattr(sys, 'orig_argv') else ['s.py', 'a b', '-c'])",
        "from __future__ import annotations\ndef f(x: undefined): pass\nprint(f.__annotations__)\nf",
        "print('x' is 'y')",
        "import sys\nsys.excepthook = lambda *a: print('hook', a[0])\n1/0",
    ];
    for python in pythons() {
        for script in scripts {
            std::fs::write(folder.path().join("s.py"), script).expect("writes");
            let plain = Command::new(&python)
                .args(["s.py", "a b", "-c"])
                .current_dir(folder.path())
                .stdin(Stdio::null())
                .output()
                .expect("Python starts");
            let mut command = Command::new(BINARY);
            command
                .args(["run", "s.py", "--no-gate", "--no-guards", "--format", "json", "--python"])
                .arg(&python)
                .args(["--", "a b", "-c"]);
            command.current_dir(folder.path()).stdin(Stdio::null());
            let value = valid(&command.output().expect("antifreeze starts"));
            let show = |text: &[u8]| String::from_utf8_lossy(text).into_owned();
            assert_eq!(value["stdout"].as_str(), Some(show(&plain.stdout).as_str()), "{python:?} {script}");
            assert_eq!(value["stderr"].as_str(), Some(show(&plain.stderr).as_str()), "{python:?} {script}");
            assert_eq!(value["exit_status"].as_i64(), plain.status.code().map(i64::from), "{python:?} {script}: {value}");
        }
    }
}

#[test]
fn text_mode_streams_and_reports_on_stderr() {
    let output = command(&[
        "--no-gate",
        "--no-guards",
        "--timeout",
        "1",
        "-c",
        "import sys\nprint('out')\nsys.stderr.write('err\\n')\ndef f(n):\n    return sum(range(n))\nf(10 ** 13)",
    ])
    .output()
    .expect("antifreeze starts");
    assert_eq!((String::from_utf8_lossy(&output.stdout).as_ref(), output.status.code()), ("out\n", Some(3)));
    let report = String::from_utf8_lossy(&output.stderr);
    assert!(report.starts_with("err\n"), "{report}");
    assert!(report.contains("stopped after 1.0 s at line 5: return sum(range(n))"), "{report}");
    let output = command(&["--no-gate", "--no-guards", "-c", "print('a'); [1]"]).output().expect("antifreeze starts");
    assert_eq!((output.stdout.as_slice(), output.stderr.as_slice()), (&b"a\n[1]\n"[..], &b""[..]));
}

#[test]
fn usage_errors_name_the_remedy() {
    for (flags, words) in [
        (vec!["run", "-c", "1", "--python", "/nowhere/python"], vec!["/nowhere/python", "--python"]),
        (vec!["run", "/nowhere/x.py"], vec!["/nowhere/x.py"]),
        (vec!["run", "-c", "1", "--cwd", "/nowhere"], vec!["--cwd"]),
        (vec!["run", "-c", "1", "--env", "novalue"], vec!["NAME=VALUE"]),
    ] {
        let output = Command::new(BINARY).args(&flags).stdin(Stdio::null()).output().expect("antifreeze starts");
        let report = String::from_utf8_lossy(&output.stderr);
        assert_eq!(output.status.code(), Some(2), "{flags:?}: {report}");
        assert!(words.iter().all(|word| report.contains(word)), "{flags:?}: {report}");
    }
    // A Python that is too old says so. Faked: it is known by its answer.
    let old = PathBuf::from(std::env::var_os("HOME").unwrap_or_default()).join(".pyenv/versions/3.8.18/bin/python");
    if old.exists() {
        let output =
            Command::new(BINARY).args(["run", "-c", "1", "--python"]).arg(old).stdin(Stdio::null()).output().expect("antifreeze starts");
        let report = String::from_utf8_lossy(&output.stderr);
        assert_eq!(output.status.code(), Some(2), "{report}");
        assert!(report.contains("Python 3.8") && report.contains("3.9 or later"), "{report}");
    }
}

#[test]
fn environment_folder_and_stdin_are_as_asked() {
    let folder = tempfile::tempdir().expect("a folder");
    let input = folder.path().join("in.txt");
    std::fs::write(&input, "line\n").expect("writes");
    let place = folder.path().canonicalize().expect("it exists");
    let code = "import os, sys; print(os.getcwd(), os.environ['A'], sys.stdin.read())";
    let (value, _) = run(code, &["--cwd", &place.to_string_lossy(), "--env", "A=b=c", "--stdin", &input.to_string_lossy()]);
    assert_eq!(value["stdout"].as_str(), Some(format!("{} b=c line\n\n", place.display()).as_str()), "{value}");
    let mut command = command(&["--no-gate", "--no-guards", "--stdin", "inherit", "-c", "print(input())"]);
    let mut child = command.stdin(Stdio::piped()).stdout(Stdio::piped()).spawn().expect("antifreeze starts");
    child.stdin.take().expect("piped").write_all(b"hello\n").expect("writes");
    assert_eq!(child.wait_with_output().expect("it ends").stdout, b"hello\n");
    // No descriptor of ours or of the host's but the worker's own two, which exec closes.
    let (value, _) = run(
        "import os, subprocess; print(subprocess.run(['ls', '/proc/self/fd'], capture_output=True, close_fds=False, text=True).stdout.split())",
        &[],
    );
    assert_eq!(value["stdout"].as_str(), Some("['0', '1', '2', '3']\n"), "{value}");
}

/// Every integer operation of a program, as (start, end, operator), found by Python itself.
fn sites(python: &Path, code: &str) -> Vec<(Span, &'static str)> {
    let finder = r"
import ast, sys, json
text = sys.stdin.buffer.read().decode('utf-8')
lines = text.encode('utf-8').splitlines(True)
starts = [0]
for line in lines: starts.append(starts[-1] + len(line))
ops = {ast.Pow: '**', ast.LShift: '<<', ast.Mult: '*'}
known = 'pow factorial lshift mul comb perm prod ipow imul __pow__ __mul__ __rmul__ __lshift__ lcm sleep map reduce accumulate starmap submit apply apply2 f g fn fact times power nap'.split()
out = []
try: tree = ast.parse(text)
except SyntaxError: tree = ast.Module([], [])
for n in ast.walk(tree):
    op = ops.get(type(getattr(n, 'op', None)))
    if isinstance(n, ast.AugAssign) and op: op += '='
    elif isinstance(n, ast.Call) and ((getattr(n.func, 'id', None) or getattr(n.func, 'attr', None)) in known or not isinstance(n.func, (ast.Name, ast.Attribute))): op = 'call'
    elif not isinstance(n, ast.BinOp): op = None
    if op: out.append([starts[n.lineno - 1] + n.col_offset, starts[n.end_lineno - 1] + n.end_col_offset, op])
print(json.dumps(out))
";
    let mut child = Command::new(python).args(["-c", finder]).stdin(Stdio::piped()).stdout(Stdio::piped()).spawn().expect("Python starts");
    child.stdin.take().expect("piped").write_all(code.as_bytes()).expect("writes");
    let output = child.wait_with_output().expect("it ends");
    let found: Vec<(u32, u32, String)> = serde_json::from_slice(&output.stdout).expect("JSON");
    let known = ["**", "<<", "*", "**=", "<<=", "*=", "call"];
    found.into_iter().filter_map(|(start, end, op)| Some((Span { start, end }, *known.iter().find(|known| **known == op)?))).collect()
}

fn execute(python: &Path, code: &str, guards: Vec<(Span, &'static str)>) -> Outcome {
    let limits = Limits { timeout: 20.0, ..Limits::default() };
    execute_under(python, code, guards, limits)
}

fn execute_under(python: &Path, code: &str, guards: Vec<(Span, &'static str)>, limits: Limits) -> Outcome {
    let env = vec![("PYTHONHASHSEED".into(), "0".into())];
    let request = Request { guards, env, ..running::request(code, python, limits) };
    executor::execute(&request, None, &mut |_, _| {}).expect("it can be run")
}

#[test]
fn guards_change_nothing_that_a_program_can_see() {
    let programs =
        include_str!("run/guarded_programs.py").split("# ---\n").filter(|program| !program.trim().is_empty()).collect::<Vec<_>>();
    assert!(programs.len() > 20);
    for python in pythons() {
        let mut placed = 0;
        for program in &programs {
            let sites = sites(&python, program);
            let wanted = sites.len() as u32;
            let (plain, guarded) = (execute(&python, program, Vec::new()), execute(&python, program, sites));
            placed += guarded.mechanisms.guards;
            if plain.error.as_ref().is_none_or(|error| error.kind != "SyntaxError") {
                assert_eq!(guarded.mechanisms.guards, wanted, "{python:?}: sites not found in\n{program}");
            }
            let shape = |outcome: &Outcome| {
                let mut outcome = outcome.clone();
                outcome.mechanisms.guards = 0;
                outcome.guard_sites.clear();
                outcome.duration_ms = 0.0;
                outcome
            };
            assert_eq!(shape(&guarded), shape(&plain), "{python:?}\n{program}");
        }
        assert!(placed > 150, "{python:?} {placed}");
    }
}

#[test]
fn guards_change_nothing_in_the_harmless_cases() {
    let folder = Path::new(env!("CARGO_MANIFEST_DIR")).join("tests/cases");
    let python = python();
    let mut compared = 0;
    for line in std::fs::read_to_string(folder.join("cases.jsonl")).expect("the cases have labels").lines() {
        let case: Value = serde_json::from_str(line).expect("a label is JSON");
        if case["expected"] != "allow" {
            continue;
        }
        let name = case["id"].as_str().expect("a case has a name");
        let code = std::fs::read_to_string(folder.join(format!("{name}.py"))).expect("a case has a file");
        let sites = sites(&python, &code);
        let (plain, guarded) = (execute(&python, &code, Vec::new()), execute(&python, &code, sites));
        // A package that is not installed here ends both alike, which shows nothing.
        if plain.outcome == OutcomeKind::Finished {
            compared += 1;
            let seen = |outcome: &Outcome| {
                (outcome.outcome, outcome.stdout.clone(), outcome.stderr.clone(), outcome.exit_status, outcome.result_repr.clone())
            };
            assert_eq!(seen(&guarded), seen(&plain), "{name}");
        }
    }
    assert!(compared >= 20, "{compared}");
}

#[test]
fn guards_stop_what_is_over_the_limit() {
    // The last line is the one that is refused; everything before it passes.
    let cases = [
        ("2 ** 999_999\n3 ** 630929\nx = 10 ** 10 ** 8", "**", 332_192_810_u64),
        ("n = 1_000_000\n2 ** (n - 1)\n2 ** n", "**", 1_000_001),
        ("n = 630930\n3 ** 630929\n3 ** n", "**", 1_000_001),
        ("def f(a, b):\n    return (a + 0) ** (b + 0)\nf(2, 10)\nf(7, 10 ** 9)", "**", 2_807_354_923),
        ("x = 10\nx **= 5\nx **= 10 ** 7", "**", 166_096_405),
        ("d = {'a': 10}\nd['a'] **= 3\nd['a'] **= 10 ** 8", "**", 996_578_429),
        ("class A: pass\no = A()\no.f = 1\no.f <<= 10 ** 8", "<<", 100_000_001),
        ("x = 3\nwhile True: x = x * x", "*", 0),
        ("x = -3\nwhile True: x *= x", "*", 0),
        ("x = -3\nk = 3 ** 5000\nwhile True: x = k * x", "*", 0),
        ("x = -3\nwhile True: x = x * 1_000_003", "*", 0),
        ("x = 1\nfor i in range(1, 10 ** 9): x *= i", "*", 0),
        ("l = [7]\nwhile True: l[0] *= l[0]", "*", 0),
        ("pow(2, 10)\npow(2, 10 ** 8, 7)\npow(2, 10 ** 8)", "**", 100_000_001),
        ("import operator\noperator.lshift(1, 5)\noperator.lshift(1, 10 ** 9)", "<<", 1_000_000_001),
        ("int.__pow__(2, 3)\n(10).__pow__(2)\n(10).__pow__(10 ** 8)", "**", 332_192_810),
        ("import math\nmath.factorial(1000)\nmath.factorial(10 ** 7)", "math.factorial", 0),
        ("from math import factorial as f\nf(1000)\nf(10 ** 7)", "math.factorial", 0),
        ("import math\ng = math.factorial\ng(10 ** 7)", "math.factorial", 0),
        ("import math\nlist(map(math.factorial, [3, 10 ** 7]))", "math.factorial", 0),
        ("import math\nmath.comb(10 ** 7, 5 * 10 ** 6)", "math.comb", 0),
        ("import math\nmath.prod(range(1, 10 ** 6))", "math.prod", 0),
        ("import math\nmath.prod([2] * 10, start=1 << 999_995)", "math.prod", 0),
        ("import math\nmath.lcm(3 ** 600_000, 7 ** 300_000)", "math.lcm", 0),
        ("import functools, operator\nfunctools.reduce(operator.mul, range(1, 10 ** 6))", "*", 0),
        ("import functools\nfunctools.reduce(lambda a, b: a * b, range(1, 10 ** 6))", "*", 0),
        ("import functools\nfunctools.reduce(pow, [10, 10, 10, 10, 10, 10, 10, 10])", "**", 0),
        ("import itertools, operator\nlist(itertools.accumulate([1 << 10_000] * 200, operator.mul))", "*", 0),
        ("import operator\nops = {'**': operator.pow}\nops['**'](2, 3)\nops['**'](10, 10 ** 8)", "**", 332_192_810),
        ("def apply(f, a, b):\n    return f(a, b)\napply(pow, 10, 3)\napply(pow, 10, 10 ** 8)", "**", 332_192_810),
        ("import operator\nlist(map(operator.pow, [2, 10], [3, 10 ** 8]))", "**", 332_192_810),
        ("pow(base=10, exp=10 ** 8)", "**", 332_192_810),
        ("from functools import partial as f\ng = f(pow, 10)\ng(5)\ng(10 ** 8)", "**", 332_192_810),
        ("def f(a, b):\n    return [a][0] ** b\nf(10, 5)\nf(10, 10 ** 8)", "**", 332_192_810),
        ("k = 1_000_003\nx = 1\nwhile True: x = k * x", "*", 0),
        ("x = int('-3')\nwhile True: x = 7 * x", "*", 0),
        ("def f(acc): return acc * 3 ** 1000\nx = 1\nwhile True: x = f(x)", "*", 0),
        ("try:\n    1\nfinally: pass\ntry: 10 ** 10 ** 8\nexcept BaseException: print('caught')", "**", 332_192_810),
        ("try: 10 ** 10 ** 8\nexcept: print('caught')\nfinally: print('finally')", "**", 332_192_810),
        ("True << (10 ** 9)", "<<", 1_000_000_001),
    ];
    for python in pythons() {
        for (code, op, bits) in cases {
            let outcome = execute(&python, code, sites(&python, code));
            assert_eq!(outcome.outcome, OutcomeKind::Guarded, "{python:?} {code}: {outcome:?}");
            assert_eq!(outcome.stdout, "", "{code}");
            let limit = outcome.limit.expect("a limit");
            assert_eq!((limit.name.as_str(), limit.value), ("int_bits", 1e6));
            let observed = limit.observed.expect("a number of bits") as u64;
            assert!(if bits == 0 { observed > 1_000_000 } else { observed == bits }, "{code}: {observed} bits");
            let error = outcome.error.expect("an error");
            let sentence = format!(
                "Operation '{op}' would produce an integer of around {observed} bits, exceeding the maximum of 1000000 bits allowed. "
            );
            assert!(error.message.starts_with(&sentence), "{code}: {}", error.message);
            let stack = outcome.stack.expect("a stack");
            assert!(stack.iter().all(|frame| frame.file == "<command>"), "{code}: {stack:?}");
        }
    }
    let outcome = execute(&python(), "10 ** 10 ** 8", sites(&python(), "10 ** 10 ** 8"));
    let message = outcome.error.map(|error| error.message).unwrap_or_default();
    assert_eq!(
        message,
        "Operation '**' would produce an integer of around 332192810 bits, exceeding the maximum of 1000000 bits allowed. Use smaller operands, or pow(base, exp, mod) for modular exponentiation."
    );
}

#[test]
fn a_repetition_over_the_memory_limit_and_a_sleep_past_the_deadline_are_refused() {
    // code, limit, observed
    let cases = [
        ("n = int('2000000000')\ntry: x = 'x' * n\nexcept Exception: print('caught')", "memory", 2e9),
        ("n = int('300000000')\nx = [0] * n", "memory", 2.4e9),
        ("import time\ntime.sleep(0.01)\ntry: time.sleep(3600)\nexcept Exception: print('caught')", "timeout", 3600.0),
        ("from time import sleep as nap\nnap(25)", "timeout", 25.0),
    ];
    for python in pythons() {
        for (code, limit, observed) in cases {
            let start = Instant::now();
            let outcome = execute(&python, code, sites(&python, code));
            assert_eq!(outcome.outcome, OutcomeKind::Guarded, "{python:?} {code}: {outcome:?}");
            assert!(start.elapsed() < Duration::from_secs(15), "{code}");
            assert_eq!(outcome.stdout, "", "{code}");
            let hit = outcome.limit.expect("a limit");
            assert_eq!((hit.name.as_str(), hit.observed), (limit, Some(observed)), "{code}");
        }
    }
}

#[test]
fn the_gate_finds_where_functions_are_called_by_other_names() {
    let lines = [
        "from math import factorial as f\nimport os\nn = int(os.environ['N'])\nprint(f(5))\nf(n)",
        "import math as m, os\ng = m.factorial\nn = int(os.environ['N'])\nh = g\nh(n)",
        "import math, os\nn = int(os.environ['N'])\nt = {'f': math.factorial}\n\nt['f'](n)",
        "import math, os\nn = int(os.environ['N'])\ndef apply(f, x):\n    \n    return f(x)\napply(math.factorial, n)",
        "import math, os\nn = int(os.environ['N'])\n\n\nlist(map(math.factorial, [n]))",
        "import math, os\nn = int(os.environ['N'])\n\n\ngetattr(math, 'factorial')(n)",
        "import functools, operator, os\nn = int(os.environ['N'])\n\n\nfunctools.reduce(operator.mul, range(1, n))",
    ];
    for code in lines {
        let (value, status) = json(command(&["-c", code, "--env", "N=10000000"]));
        assert_eq!((value["outcome"].as_str(), status), (Some("guarded"), 3), "{code}: {value}");
        assert_eq!(value["error"]["line"], 5, "{code}: {value}");
    }
}

#[test]
fn guards_keep_to_the_limit_they_are_given() {
    let limits = Limits { int_bits: 100, ..Limits::default() };
    for (code, stopped) in
        [("n = 60\n2 ** n", false), ("n = 63\n5 ** n", true), ("n = 40\n7 << n", false), ("n = 60\n(1 << 50) << n", true)]
    {
        let outcome = execute_under(&python(), code, sites(&python(), code), limits);
        assert_eq!(outcome.outcome == OutcomeKind::Guarded, stopped, "{code}: {outcome:?}");
    }
}

/// What the issue that asked for `run` wants to see, in its own words.
#[test]
fn a_huge_power_is_stopped_by_gate_guard_and_deadline() {
    let start = |flags: &[&str]| {
        let mut child = Command::new(BINARY)
            .args(["run", "-", "--timeout", "2"])
            .args(flags)
            .arg("--python")
            .arg(python())
            .stdin(Stdio::piped())
            .stdout(Stdio::piped())
            .stderr(Stdio::piped())
            .spawn()
            .expect("antifreeze starts");
        child.stdin.take().expect("a pipe").write_all(b"10 ** 10 ** 8").expect("it reads");
        child.wait_with_output().expect("it ends")
    };
    let rejected = start(&[]);
    let text = String::from_utf8_lossy(&rejected.stderr).into_owned();
    assert_eq!((rejected.status.code(), rejected.stdout.as_slice()), (Some(1), &b""[..]), "{text}");
    for part in ["AF101", "332192810 bits", "1000000", "pow(base, exp, mod)", "nothing was run"] {
        assert!(text.contains(part), "{part}: {text}");
    }
    let json = start(&["--format", "json"]);
    let value = valid(&json);
    assert_eq!((json.status.code(), &value["outcome"], &value["duration_ms"]), (Some(1), &Value::from("rejected"), &Value::from(0.0)));
    assert_eq!((&value["limit"]["name"], &value["limit"]["observed"]), (&Value::from("int_bits"), &Value::from(332_192_810.0)), "{value}");
    let said = value["findings"][0]["message"].as_str().expect("a message").to_owned();

    let json = start(&["--no-gate", "--format", "json"]);
    let value = valid(&json);
    assert_eq!((json.status.code(), &value["outcome"]), (Some(3), &Value::from("guarded")), "{value}");
    assert!(value["error"]["message"].as_str().is_some_and(|message| message.starts_with(&said)), "{said}: {value}");
    assert!(value["error"]["message"].as_str().is_some_and(|message| message.contains("pow(base, exp, mod)")), "{value}");

    let json = start(&["--no-gate", "--no-guards", "--format", "json"]);
    let value = valid(&json);
    assert_eq!((json.status.code(), &value["outcome"]), (Some(3), &Value::from("timed_out")), "{value}");
    assert_eq!(lines_of(&value["stack"]), [1], "{value}");
    assert!(value["duration_ms"].as_f64().is_some_and(|ms| (2000.0..2500.0).contains(&ms)), "{value}");
}

#[test]
fn the_gate_and_the_guards_draw_the_line_at_the_same_bit() {
    for (base, passes, fails) in [(2, 999_999, 1_000_000), (3, 630_929, 630_930)] {
        for (exponent, over) in [(passes, false), (fails, true)] {
            let (value, status) = json(command(&["-c", &format!("x = {base} ** {exponent}")]));
            let wanted = if over { ("rejected", 1) } else { ("finished", 0) };
            assert_eq!((value["outcome"].as_str(), status), (Some(wanted.0), wanted.1), "{base} ** {exponent}: {value}");
            // The gate cannot know what comes from the environment.
            let code = format!("import os\nn = int(os.environ['N'])\nx = {base} ** n\ny = pow({base}, n)");
            let mut command = command(&["-c", &code, "--env", &format!("N={exponent}")]);
            command.env_remove("N");
            let (value, status) = json(command);
            let wanted = if over { ("guarded", 3) } else { ("finished", 0) };
            assert_eq!((value["outcome"].as_str(), status), (Some(wanted.0), wanted.1), "{base} ** n, n = {exponent}: {value}");
            assert_eq!(value["mechanisms"]["guards"], 2, "{value}");
        }
    }
    let code = "import os\nn = int(os.environ['N'])\npow(10, n, 7)\npow(10, n)";
    let (value, _) = json(command(&["-c", code, "--env", "N=100000000"]));
    assert_eq!((&value["outcome"], &value["error"]["line"]), (&Value::from("guarded"), &Value::from(4)), "{value}");
}

#[test]
fn a_program_that_changes_builtins_is_guarded_all_the_same() {
    let tricks = [
        "import builtins\nbuiltins.int = str\nbuiltins.min = builtins.isinstance = builtins.len = builtins.type = None",
        "import builtins\nfor k in list(builtins.__dict__):\n    if k.islower() and k[0] != '_' and '.' not in k: del builtins.__dict__[k]",
        "import math, sys, time\nmath.log2 = math.lgamma = time.sleep = time.monotonic = None\nsys.modules['math'] = sys.modules['time'] = sys.modules['os'] = None",
        "import os, sys\nos.write = os.read = sys._getframe = None\nsys.modules.clear()",
        "import sys\nsys.stdout = sys.stderr = None",
        "class S:\n    def flush(self): raise KeyboardInterrupt\nimport sys\nsys.stdout = sys.stderr = S()",
    ];
    for trick in tricks {
        let code = format!("import os\nn = os.getpid() * 10 ** 8\n{trick}\ntry:\n    10 ** n\nexcept BaseException: pass\nx = 10 ** n");
        let (value, status) = json(command(&["-c", &code, "--no-gate"]));
        assert_eq!((value["outcome"].as_str(), status), (Some("guarded"), 3), "{trick}: {value}");
    }
}

#[test]
fn nothing_printed_is_lost_when_a_program_is_killed() {
    let cases = [
        ("print('working', end='')\nwhile True: pass", "working"),
        ("import sys\nsys.stdout.write('a\\nbc')\nsum(range(10 ** 13))", "a\nbc"),
        ("import sys\nsys.stdout.buffer.write(b'bytes')\nwhile True: pass", "bytes"),
        ("for i in range(3): print(i, 'é', end='; ')\nwhile True: pass", "0 é; 1 é; 2 é; "),
    ];
    for (code, stdout) in cases {
        let (value, _) = run(code, &["--timeout", "0.7"]);
        assert_eq!((&value["outcome"], value["stdout"].as_str()), (&Value::from("timed_out"), Some(stdout)), "{code}: {value}");
    }
    // Lines of several threads stay whole.
    let code = "import threading\ndef f(c):\n    for i in range(500): print(c * 20)\nts = [threading.Thread(target=f, args=(c,)) for c in 'abcd']\nfor t in ts: t.start()\nfor t in ts: t.join()";
    let (value, _) = run(code, &[]);
    let text = value["stdout"].as_str().expect("text");
    assert_eq!(text.lines().count(), 2000, "{value}");
    assert!(text.lines().all(|line| line.len() == 20 && line.chars().all(|c| line.starts_with(c))), "lines are mixed: {text}");
}

#[test]
fn fences_around_a_program_do_not_move_its_lines() {
    let (value, _) = json(command(&["--timeout", "0.7", "--no-gate", "-c", "```python\nx = 1\nwhile True: pass\n```"]));
    assert_eq!((&value["outcome"], lines_of(&value["stack"])), (&Value::from("timed_out"), vec![3]), "{value}");
}

#[test]
fn forged_frames_harm_only_the_report_on_their_own_program() {
    for frame in [
        "b'\\xff\\xff\\xff\\xffd'",
        "b'\\x02\\0\\0\\0d[]'",
        "b'\\x01\\0\\0\\0l7'",
        "b'\\x05\\0\\0\\0rnull1'",
        "b'\\x00\\0\\0\\0z' * 1000",
        "b'[' * 100000",
    ] {
        let code = format!(
            "import os\nfor fd in range(3, 1100):\n    try: os.write(fd, {frame})\n    except OSError: pass\nimport time\ntime.sleep(0.2)\nwhile True: pass"
        );
        let start = Instant::now();
        let (value, _) = run(&code, &["--timeout", "1"]);
        assert!(["timed_out", "guarded"].contains(&value["outcome"].as_str().unwrap_or("")), "{frame}: {value}");
        assert!(start.elapsed() < Duration::from_secs(10), "{frame}");
    }
}

#[test]
fn processes_one_after_the_other_leave_room_for_more_at_once() {
    let code = "import os\n\
                def child(seconds=0):\n    pid = os.fork()\n    if not pid:\n        import time\n        time.sleep(seconds)\n        os._exit(0)\n    return pid\n\
                for _ in range(700):\n    os.waitpid(child(), 0)\n\
                pids = [child(0.2) for _ in range(20)]\n\
                len([os.waitpid(pid, 0) for pid in pids])";
    for (mode, namespaces) in modes() {
        let mut command = command(&["--no-gate", "--no-guards", "-c", code]);
        set_mode(&mut command, namespaces);
        let (value, _) = json(command);
        assert_eq!((value["outcome"].as_str(), value["result"].as_i64()), (Some("finished"), Some(20)), "{mode}: {value}");
    }
}
