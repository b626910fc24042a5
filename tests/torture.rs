//! Programs that try to hold the caller, outlive the deadline, flood it or get away: `tests/torture/*.py`, one per sentence of what
//! the executor promises. The comments at the head of each say what must become of it:
//!
//! | key | meaning |
//! | --- | --- |
//! | `expect`, `expect-none` | the outcome, or those that are all true; the second without namespaces |
//! | `flags` | further flags of `antifreeze run` |
//! | `modes` | `ns none` by default: with PID namespaces, and without |
//! | `stack` | the line of the program that the main thread's innermost own frame is at, counted below the head |
//! | `reason` | words of `stack_reason`, where there is no stack |
//! | `status`, `error`, `stdout`, `stderr`, `base64`, `truncated` | fields of the JSON |
//! | `observed` | the range of what the limit was met with |
//! | `threads`, `killed` | at least so many |
//! | `child` | a command among the `threads` |
//! | `within` | seconds it may take in all |
//! | `needs` | a package; skipped where no interpreter has it (`ANTIFREEZE_TEST_NUMPY` names one) |
//! | `wrap` | `bomb`: inside a PID namespace of the test's own, which ends it whatever happens |
//! | `late` | processes may be left for a moment after the return: what ends them was killed |
//!
//! Each runs with and without PID namespaces and must leave nothing running. Deadlines are generous: the machine may be busy.
#![cfg(target_os = "linux")]

#[path = "common/running.rs"]
mod running;

use std::collections::BTreeMap;
use std::io::{Read, Write};
use std::os::linux::net::SocketAddrExt;
use std::os::unix::net::{SocketAddr, UnixListener};
use std::path::{Path, PathBuf};
use std::process::{Command, Stdio};
use std::sync::Mutex;
use std::sync::atomic::{AtomicUsize, Ordering};
use std::time::{Duration, Instant};

use antifreeze::executor::{self, Request};
use antifreeze::limits::Limits;
use antifreeze::outcome::OutcomeKind;
use running::{BINARY, assert_valid, marked};
use serde_json::Value;

const MARK: &str = "ANTIFREEZE_TEST_SECRET";

#[expect(clippy::print_stderr, reason = "what was skipped and measured must be seen")]
fn note(text: &str) {
    eprintln!("{text}");
}

fn pythons() -> Vec<PathBuf> {
    running::pythons(|found| found.into_iter().map(|(_, python)| python).collect())
}

fn python() -> PathBuf {
    let all = pythons();
    all[all.len() - 2.min(all.len())].clone()
}

/// An interpreter that has the package.
fn python_with(package: &str) -> Option<PathBuf> {
    let asked = std::env::var_os(format!("ANTIFREEZE_TEST_{}", package.to_uppercase())).map(PathBuf::from);
    let has = |python: &PathBuf| {
        Command::new(python).args(["-c", &format!("import {package}")]).stderr(Stdio::null()).status().is_ok_and(|status| status.success())
    };
    asked.into_iter().chain(pythons()).find(has)
}

/// A word nobody else has in the environment.
fn mark() -> String {
    static NEXT: AtomicUsize = AtomicUsize::new(0);
    format!("antifreeze-torture-{}-{}.", std::process::id(), NEXT.fetch_add(1, Ordering::Relaxed))
}

struct Program {
    name: String,
    path: PathBuf,
    head: BTreeMap<String, String>,
    /// How many lines the head has.
    lines: i64,
}

fn programs() -> Vec<Program> {
    let folder = Path::new(env!("CARGO_MANIFEST_DIR")).join("tests/torture");
    let mut all = Vec::new();
    for entry in std::fs::read_dir(folder).expect("the programs are there").filter_map(Result::ok) {
        let path = entry.path();
        if path.extension().is_none_or(|ending| ending != "py") {
            continue;
        }
        let text = std::fs::read_to_string(&path).expect("a program is text");
        let head = text.lines().map_while(|line| line.strip_prefix("# ")?.split_once(": "));
        let head = head.map(|(key, value)| (key.to_owned(), value.to_owned())).collect::<BTreeMap<_, _>>();
        let known = "expect expect-none flags modes stack reason status error stdout stderr base64 truncated observed threads killed \
                     child within needs wrap late abstract";
        for key in head.keys() {
            assert!(known.split_whitespace().any(|word| word == key), "{}: what is `{key}`?", path.display());
        }
        let name = path.file_stem().expect("it has a name").to_string_lossy().into_owned();
        all.push(Program { name, lines: head.len() as i64, path, head });
    }
    all.sort_by(|a, b| a.name.cmp(&b.name));
    all
}

/// Whether a PID namespace can be had for what must not get loose.
fn can_wrap() -> bool {
    Command::new("unshare").args(["-Urpf", "--mount-proc", "true"]).status().is_ok_and(|status| status.success())
}

impl Program {
    fn get(&self, key: &str) -> Option<&str> {
        self.head.get(key).map(String::as_str)
    }

    fn number<T: std::str::FromStr>(&self, key: &str) -> Option<T> {
        self.get(key)?.parse().ok()
    }

    fn modes(&self) -> Vec<bool> {
        let modes = self.get("modes").unwrap_or("ns none");
        [("ns", true), ("none", false)]
            .into_iter()
            .filter(|(mode, _)| modes.split(' ').any(|word| word == *mode))
            .map(|(_, ns)| ns)
            .collect()
    }

    fn timeout(&self) -> f64 {
        let flags = self.get("flags").unwrap_or("");
        flags.split("--timeout ").nth(1).and_then(|rest| rest.split(' ').next()?.parse().ok()).unwrap_or(30.0)
    }

    /// Runs it; says what is wrong.
    fn check(&self, namespaces: bool) -> Result<(), String> {
        let python = match self.get("needs") {
            Some(package) => match python_with(package) {
                Some(python) => python,
                None => {
                    note(&format!("{}: skipped, no interpreter has {package}", self.name));
                    return Ok(());
                }
            },
            None => python(),
        };
        let folder = tempfile::tempdir().expect("a folder");
        let mark = mark();
        let mut command = if self.get("wrap") == Some("bomb") {
            if !can_wrap() {
                note(&format!("{}: skipped, nothing here could hold it if it got loose", self.name));
                return Ok(());
            }
            let cap = "echo 400 > /proc/sys/kernel/pid_max 2>/dev/null; ulimit -v 4000000; exec \"$@\"";
            let mut command = Command::new("unshare");
            command.args(["-Urpf", "--mount-proc", "--kill-child", "sh", "-c", cap, "sh", BINARY]);
            command
        } else {
            Command::new(BINARY)
        };
        command.arg("run").arg(&self.path).args(["--no-gate", "--no-guards", "--format", "json", "--python"]).arg(&python);
        command.args(self.get("flags").unwrap_or("").split_whitespace());
        let listener = self.get("abstract").map(|_| {
            let address = SocketAddr::from_abstract_name(mark.as_bytes()).expect("a name");
            UnixListener::bind_addr(&address).expect("it listens")
        });
        command.args(["--env", &format!("HOST_PID={}", std::process::id()), "--env", &format!("ABSTRACT={mark}")]);
        command.env(MARK, &mark).current_dir(folder.path()).stdin(Stdio::null());
        if !namespaces {
            command.env("ANTIFREEZE_NO_NAMESPACE", "1");
        }
        let start = Instant::now();
        let output = command.output().expect("antifreeze starts");
        let took = start.elapsed().as_secs_f64();
        drop(listener);
        let mut wrong = Vec::new();
        // First of all: what is there the moment it comes back.
        let mut left = marked(&mark);
        while self.get("late").is_some() && !left.is_empty() && start.elapsed().as_secs_f64() < took + 10.0 {
            std::thread::sleep(Duration::from_millis(20));
            left = marked(&mark);
        }
        if !left.is_empty() {
            wrong.push(format!("left {left:?}"));
        }
        let text = String::from_utf8_lossy(&output.stdout);
        let Ok(value) = serde_json::from_str::<Value>(&text) else {
            return Err(format!("no JSON, {}: {text} {}", output.status, String::from_utf8_lossy(&output.stderr)));
        };
        assert_valid(&value);
        let within = self.number("within").unwrap_or(self.timeout() + 12.0);
        if took > within {
            wrong.push(format!("took {took:.1} s"));
        }
        self.compare(&value, namespaces, output.status.code(), &mut wrong);
        if wrong.is_empty() { Ok(()) } else { Err(format!("{}: {value}", wrong.join("; "))) }
    }

    fn compare(&self, value: &Value, namespaces: bool, status: Option<i32>, wrong: &mut Vec<String>) {
        let expected =
            Some("expect-none").filter(|_| !namespaces).and_then(|key| self.get(key)).or(self.get("expect")).expect("it expects something");
        let outcome = value["outcome"].as_str().unwrap_or("");
        let mut check = |what: &str, ok: bool| {
            if !ok {
                wrong.push(what.to_owned());
            }
        };
        check(&format!("expected {expected}"), expected.split(' ').any(|word| word == outcome));
        let kind: OutcomeKind = serde_json::from_value(value["outcome"].clone()).expect("the schema holds");
        check("exit status", status == Some(i32::from(kind.exit_code())));
        let limit = match kind {
            OutcomeKind::TimedOut => Some("timeout"),
            OutcomeKind::OutOfMemory => Some("memory"),
            OutcomeKind::TooMuchOutput => Some("output"),
            OutcomeKind::TooManyProcesses => Some("processes"),
            _ => None,
        };
        check("limit", value["limit"]["name"].as_str() == limit);
        let (most, observed) = (value["limit"]["value"].as_f64(), value["limit"]["observed"].as_f64());
        // Where a figure was observed it is over the limit, but for an output limit, which ends a program at a multiple.
        check("observed", observed.zip(most).is_none_or(|(observed, most)| observed >= most));
        if kind == OutcomeKind::TimedOut {
            check("time", observed.is_some_and(|seconds| seconds < self.timeout() + 4.0));
        }
        check("namespaces", value["mechanisms"]["pid_namespace"].as_bool() == Some(namespaces) || kind == OutcomeKind::Internal);
        if let Some((low, high)) = self.get("observed").and_then(|range| range.split_once("..")) {
            let (low, high) = (low.parse::<f64>().expect("a number"), high.parse::<f64>().expect("a number"));
            check("observed range", observed.is_some_and(|observed| (low..=high).contains(&observed)));
        }
        let own = |frame: &&Value| frame["file"].as_str().is_some_and(|file| Path::new(file) == self.path);
        if let Some(lines) = self.get("stack") {
            let at = value["stack"].as_array().and_then(|stack| stack.iter().rfind(own)?["line"].as_i64()).map(|line| line - self.lines);
            check(&format!("stack is at {at:?}"), at.is_some_and(|at| lines.split('|').any(|line| line == at.to_string())));
        }
        if let Some(words) = self.get("reason") {
            check("reason", value["stack"].is_null() && value["stack_reason"].as_str().is_some_and(|reason| reason.contains(words)));
        }
        for (key, field) in [
            ("stdout", "stdout"),
            ("stderr", "stderr"),
            ("base64", "stdout_base64"),
            ("status", "exit_status"),
            ("truncated", "truncated_bytes"),
        ] {
            if let Some(text) = self.get(key) {
                check(field, value[field] == serde_json::from_str::<Value>(text).expect("a head is JSON"));
            }
        }
        if let Some(kind) = self.get("error") {
            check("error", value["error"]["type"] == kind);
        }
        let threads = value["threads"].as_array().map_or(&[][..], Vec::as_slice);
        if let Some(least) = self.number::<usize>("threads") {
            check("threads", threads.iter().filter(|thread| thread["thread"].is_string()).count() >= least);
        }
        if let Some(words) = self.get("child") {
            check("child", threads.iter().any(|thread| thread["command"].as_str().is_some_and(|command| command.contains(words))));
        }
        if let Some(least) = self.number::<u64>("killed") {
            check("killed", value["killed_processes"].as_u64().is_some_and(|killed| killed >= least));
        }
        check("confined", !self.get("flags").is_some_and(|flags| flags.contains("--confine")) || value["mechanisms"]["confined"] == true);
    }
}

#[test]
fn nothing_gets_away() {
    let only = std::env::var("ANTIFREEZE_TORTURE").unwrap_or_default();
    let programs = programs();
    assert!(programs.len() >= 60, "{} programs", programs.len());
    let runs = programs
        .iter()
        .filter(|program| program.name.contains(&only))
        .flat_map(|program| program.modes().into_iter().map(move |mode| (program, mode)));
    // A bomb starves whatever runs beside it; most of the others wait, so there are more of them than processors.
    let (bombs, others): (Vec<_>, Vec<_>) = runs.partition(|(program, _)| program.get("wrap").is_some());
    let wrong = Mutex::new(Vec::new());
    let start = Instant::now();
    for (runs, threads) in [(&others, 4), (&bombs, 1)] {
        let next = AtomicUsize::new(0);
        std::thread::scope(|scope| {
            for _ in 0..threads {
                scope.spawn(|| {
                    while let Some((program, namespaces)) = runs.get(next.fetch_add(1, Ordering::Relaxed)) {
                        if let Err(why) = program.check(*namespaces) {
                            let mode = if *namespaces { "with" } else { "without" };
                            wrong.lock().expect("no panic").push(format!("{} {mode} namespaces: {why}", program.name));
                        }
                    }
                });
            }
        });
    }
    note(&format!("{} programs, {} runs, {:.0} s", programs.len(), others.len() + bombs.len(), start.elapsed().as_secs_f64()));
    let wrong = wrong.into_inner().expect("no panic");
    assert!(wrong.is_empty(), "{} wrong:\n{}", wrong.len(), wrong.join("\n"));
}

fn command(flags: &[&str]) -> Command {
    let mut command = Command::new(BINARY);
    command.arg("run").args(["--no-gate", "--no-guards"]).args(flags).arg("--python").arg(python()).stdin(Stdio::null());
    command
}

fn json(mut command: Command) -> Value {
    let output = command.args(["--format", "json"]).output().expect("antifreeze starts");
    let text = String::from_utf8_lossy(&output.stdout);
    let value = serde_json::from_str(&text).unwrap_or_else(|_| panic!("{text}{}", String::from_utf8_lossy(&output.stderr)));
    assert_valid(&value);
    value
}

/// What the kernel says a process had resident at most, in bytes.
fn peak(pid: u32) -> Option<u64> {
    let text = std::fs::read_to_string(format!("/proc/{pid}/status")).ok()?;
    let kib = text.lines().find_map(|line| line.strip_prefix("VmHWM:")?.split_whitespace().next()?.parse::<u64>().ok())?;
    Some(kib << 10)
}

fn children(pid: u32) -> Vec<u32> {
    let text = std::fs::read_to_string(format!("/proc/{pid}/task/{pid}/children")).unwrap_or_default();
    text.split_whitespace().filter_map(|word| word.parse().ok()).collect()
}

#[test]
fn a_flood_costs_its_reader_little() {
    // Just under what ends a program, of which 1 MiB is kept.
    let code = "import os\nblock = b'x' * 65536\nfor i in range(1000): os.write(1, block)";
    let mut child =
        command(&["--timeout", "60", "--format", "json", "-c", code]).stdout(Stdio::piped()).spawn().expect("antifreeze starts");
    let (mut host, mut helper) = (0, 0);
    let mut out = child.stdout.take().expect("it is piped");
    let reader = std::thread::spawn(move || {
        let mut text = String::new();
        out.read_to_string(&mut text).map(|_| text)
    });
    while child.try_wait().expect("it is ours").is_none() {
        host = peak(child.id()).unwrap_or(0).max(host);
        helper = children(child.id()).first().and_then(|pid| peak(*pid)).unwrap_or(0).max(helper);
        std::thread::sleep(Duration::from_millis(1));
    }
    let value: Value = serde_json::from_str(&reader.join().expect("no panic").expect("text")).expect("JSON");
    assert_eq!((&value["outcome"], value["stdout"].as_str().map(str::len)), (&Value::from("finished"), Some(1 << 20)));
    assert_eq!(value["truncated_bytes"].as_u64(), Some(65_536_000 - (1 << 20)));
    note(&format!("a flood: host {:.1} MiB, helper {:.1} MiB at most", host as f64 / 1_048_576.0, helper as f64 / 1_048_576.0));
    // Most of it are pages of the executable, which in a debug build are many.
    assert!(host > 0 && host < 24 << 20, "the host had {host} bytes");
    assert!(helper > 0 && helper < 16 << 20, "the helper had {helper} bytes");
}

#[test]
fn a_flood_is_ended_at_its_cap() {
    let code = "import os\nblock = b'x' * 65536\nwhile True: os.write(1, block)";
    let value = json(command(&["--timeout", "60", "-c", code]));
    assert_eq!((&value["outcome"], &value["limit"]["value"]), (&Value::from("too_much_output"), &Value::from(1_048_576.0)), "{value}");
    let observed = value["limit"]["observed"].as_f64().expect("a figure");
    assert!((67_108_864.0..68_000_000.0).contains(&observed), "{observed}");
}

#[test]
fn a_caller_without_room_is_told() {
    let sh = |script: &str, args: &[&str]| {
        let mut command = Command::new("sh");
        command.args(["-c", script, "sh", BINARY, "run", "--no-gate", "--no-guards", "--python"]).arg(python()).args(args);
        let output = command.stdin(Stdio::null()).output().expect("sh starts");
        (output.status.code(), String::from_utf8_lossy(&output.stderr).into_owned())
    };
    for format in ["json", "text"] {
        // A full disk loses the report, or the output: that is no success.
        let (status, said) = sh("\"$@\" > /dev/full", &["--format", format, "-c", "print('x'); 1"]);
        assert_eq!(status, Some(2), "{format}: {said}");
        assert!(said.contains("No space left"), "{format}: {said}");
        // Who closes it does not want it.
        let (status, said) = sh("\"$@\" >&-", &["--format", format, "-c", "print('x'); 1"]);
        assert_eq!((status, said.contains("panicked")), (Some(0), false), "{format}: {said}");
        let (status, said) = sh("\"$@\" >&- 2>&- <&-", &["--format", format, "-c", "print('x'); 1"]);
        assert_eq!((status, said.as_str()), (Some(0), ""), "{format}");
        let (status, said) =
            sh("{ \"$@\"; echo $? >&2; } | head -c 1 > /dev/null", &["--format", format, "-c", "for i in range(20000): print('x' * 100)"]);
        assert!(status == Some(0) && (said == "0\n" || said.ends_with("\n0\n")) && !said.contains("panicked"), "{format}: {said}");
    }
}

#[test]
fn what_is_not_the_programs_fault_is_not_blamed_on_it() {
    // An interpreter that ends before it runs anything.
    for (python, words) in [("/bin/true", "status 0"), ("/bin/false", "status 1"), ("/bin/sh", "status 2")] {
        let output =
            Command::new(BINARY).args(["run", "-c", "1", "--python", python]).stdin(Stdio::null()).output().expect("antifreeze starts");
        let said = String::from_utf8_lossy(&output.stderr);
        assert_eq!(output.status.code(), Some(2), "{python}: {said}");
        assert!(said.contains(words) && said.contains("--python"), "{python}: {said}");
    }
    let mut broken = command(&["-c", "1"]);
    let output = broken.env("PYTHONHOME", "/nowhere").output().expect("antifreeze starts");
    let said = String::from_utf8_lossy(&output.stderr);
    assert_eq!(output.status.code(), Some(2), "{said}");
    // Compiling is the program's own time.
    let code = format!("x = 0\n{}", "if x:\n    x = [i for i in range(3) if i]\n".repeat(9000));
    let file = tempfile::NamedTempFile::new().expect("a file");
    std::fs::write(file.path(), code).expect("writes");
    let value = json(command(&["--timeout", "0.05", &file.path().to_string_lossy()]));
    assert_eq!(value["outcome"], "timed_out", "{value}");
}

#[test]
fn confinement_is_given_or_refused() {
    let refused = |cwd: &str, namespaces: bool, words: &str| {
        let mut command = command(&["--confine", "-c", "print('ran')"]);
        if !namespaces {
            command.env("ANTIFREEZE_NO_NAMESPACE", "1");
        }
        let output = command.current_dir(cwd).output().expect("antifreeze starts");
        let said = String::from_utf8_lossy(&output.stderr);
        assert_eq!((output.status.code(), output.stdout.as_slice()), (Some(2), &b""[..]), "{said}");
        assert!(said.contains("--confine") && said.contains(words), "{said}");
    };
    refused("/usr", false, "namespaces");
    refused("/", true, "--cwd");
    refused("/tmp", true, "--cwd");
    // The work folder's changes stay, those of `/tmp` do not.
    let folder = tempfile::tempdir().expect("a folder");
    let escape = format!("/tmp/antifreeze-escape-{}", std::process::id());
    let code = format!("open('kept', 'w').write('x'); open('{escape}', 'w').write('x')");
    let mut command = command(&["--confine", "-c", &code]);
    command.current_dir(folder.path());
    assert_eq!(json(command)["outcome"], "finished");
    assert!(folder.path().join("kept").exists() && !Path::new(&escape).exists());
}

#[test]
fn confinement_needs_no_privilege() {
    let root = Command::new("id").arg("-u").output().is_ok_and(|output| output.stdout == b"0\n");
    let python = "/usr/bin/python3";
    if !root || !Path::new(python).exists() {
        return; // Then the other tests are this one, or there is no Python that an ordinary user could reach.
    }
    let folder = tempfile::tempdir().expect("a folder");
    let binary = folder.path().join("antifreeze");
    std::fs::copy(BINARY, &binary).expect("copies");
    for path in [folder.path(), &binary] {
        use std::os::unix::fs::PermissionsExt;
        std::fs::set_permissions(path, std::fs::Permissions::from_mode(0o777)).expect("it is ours");
    }
    for program in programs().iter().filter(|program| program.name.starts_with("confine_")) {
        // The folder of the programs may be out of reach.
        let path = folder.path().join("program.py");
        std::fs::copy(&program.path, &path).expect("copies");
        let work = folder.path().join("work");
        std::fs::create_dir(&work).expect("makes a folder");
        std::os::unix::fs::chown(&work, Some(65534), Some(65534)).expect("it is ours");
        let mark = mark();
        let listener = UnixListener::bind_addr(&SocketAddr::from_abstract_name(mark.as_bytes()).expect("a name")).expect("it listens");
        let mut command = Command::new("setpriv");
        command.args(["--reuid", "65534", "--regid", "65534", "--clear-groups"]).arg(&binary).arg("run").arg(&path);
        command.args(["--no-gate", "--no-guards", "--python", python, "--env", &format!("HOST_PID={}", std::process::id())]);
        command.args(["--env", &format!("ABSTRACT={mark}")]).args(program.get("flags").unwrap_or("").split_whitespace());
        command.env(MARK, &mark).env("HOME", &work).current_dir(&work).stdin(Stdio::null());
        let value = json(command);
        drop(listener);
        let expected = program.get("expect").expect("it expects something");
        assert!(expected.split(' ').any(|word| value["outcome"] == word), "{}: {value}", program.name);
        assert!(value["stdout"] == "" && value["mechanisms"]["confined"] == true, "{}: {value}", program.name);
        assert!(marked(&mark).is_empty(), "{}", program.name);
        std::fs::remove_dir_all(&work).expect("it is ours");
    }
}

#[test]
fn an_environment_is_what_cpython_makes_of_it() {
    let code = "import os, sys, locale, time\nm = os.umask(0)\nprint(oct(m), sys.flags.utf8_mode, sys.stdout.encoding, sys.stdin.encoding, \
                sys.getfilesystemencoding(), locale.setlocale(locale.LC_ALL, ''), time.tzname, sys.path[1:], sys.flags.hash_randomization, \
                sys.prefix, os.nice(0), os.getcwd(), ascii(sys.argv))";
    let folder = tempfile::tempdir().expect("a folder");
    std::fs::write(folder.path().join("s.py"), code).expect("writes");
    let settings: [&[(&str, &str)]; 6] = [
        &[],
        &[("PYTHONUTF8", "1"), ("LC_ALL", "C")],
        &[("PYTHONUTF8", "0"), ("LC_ALL", "C"), ("PYTHONCOERCECLOCALE", "0")],
        &[("PYTHONIOENCODING", "latin-1:replace")],
        &[("TZ", "Asia/Tokyo"), ("LANG", "C.UTF-8")],
        &[("PYTHONPATH", "/usr/share"), ("PYTHONHASHSEED", "7")],
    ];
    for python in pythons() {
        for setting in settings {
            let run = |program: &str, args: &[&str]| {
                let output = Command::new("sh")
                    .args(["-c", "umask 027; exec \"$@\"", "sh", program])
                    .args(args)
                    .envs(setting.iter().copied())
                    .current_dir(folder.path())
                    .stdin(Stdio::null())
                    .output()
                    .expect("it starts");
                (String::from_utf8_lossy(&output.stdout).into_owned(), String::from_utf8_lossy(&output.stderr).into_owned())
            };
            let name = python.to_string_lossy();
            let plain = run(&name, &["s.py", "é", "--x"]);
            let ours = run(BINARY, &["run", "s.py", "--no-gate", "--no-guards", "--python", &name, "--", "é", "--x"]);
            assert_eq!(ours, plain, "{python:?} {setting:?}");
            assert!(plain.0.starts_with("0o27"), "{plain:?}");
        }
    }
}

#[test]
fn a_virtual_environments_packages_are_there() {
    let folder = tempfile::tempdir().expect("a folder");
    let place = folder.path().join("venv");
    let made = Command::new(python()).args(["-m", "venv", "--without-pip"]).arg(&place).status();
    assert!(made.is_ok_and(|status| status.success()), "venv");
    let packages =
        std::fs::read_dir(place.join("lib")).expect("it has lib").find_map(Result::ok).expect("one").path().join("site-packages");
    std::fs::write(packages.join("only_here.py"), "value = 42").expect("writes");
    let code = "import only_here, sys; print(only_here.value, sys.prefix != sys.base_prefix)";
    for confine in [false, true] {
        for by_flag in [false, true] {
            let mut command = Command::new(BINARY);
            command.args(["run", "--format", "json", "-c", code]).current_dir("/usr").stdin(Stdio::null());
            if confine {
                command.arg("--confine");
            }
            if by_flag {
                command.arg("--python").arg(place.join("bin/python"));
            } else {
                command.env("VIRTUAL_ENV", &place);
            }
            let output = command.output().expect("antifreeze starts");
            let value: Value = serde_json::from_slice(&output.stdout).unwrap_or_default();
            assert_eq!(value["stdout"], "42 True\n", "{confine} {by_flag}: {value} {}", String::from_utf8_lossy(&output.stderr));
        }
    }
}

#[test]
fn a_bug_report_has_all_but_the_code() {
    let code = "secret_name = 'secret_text'\nprint(secret_name)\ndef secret_function():\n    while True: pass\nsecret_function()";
    let report = |flags: &[&str]| {
        let mut command = Command::new(BINARY);
        command.args(["debug", "repro", "--no-gate", "--timeout", "1", "--python"]).arg(python()).args(flags).args(["-c", code]);
        let output = command.stdin(Stdio::null()).output().expect("antifreeze starts");
        assert_eq!(output.status.code(), Some(0), "{}", String::from_utf8_lossy(&output.stderr));
        serde_json::from_slice::<Value>(&output.stdout).expect("JSON")
    };
    let without = report(&[]);
    assert!(!without.to_string().contains("secret"), "{without}");
    assert_eq!(
        (&without["outcome"]["outcome"], &without["limits"]["timeout"]),
        (&Value::from("timed_out"), &Value::from(1.0)),
        "{without}"
    );
    assert!(without["outcome"]["stack"].as_array().is_some_and(|stack| stack.len() == 2), "{without}");
    assert_eq!(without["antifreeze"], env!("CARGO_PKG_VERSION"));
    assert!(without["system"]["kernel"]["settings"]["/proc/sys/kernel/osrelease"].is_string(), "{without}");
    assert!(without["python"][0].as_str().is_some_and(|version| version.starts_with("3.")), "{without}");
    let with = report(&["--with-code"]);
    assert_eq!((with["code"].as_str(), with["outcome"]["stdout"].as_str()), (Some(code), Some("secret_text\n")), "{with}");
}

/// A word about this process: descriptors, children (zombies included), resident KiB.
fn state() -> (usize, usize, u64) {
    let descriptors = std::fs::read_dir("/proc/self/fd").expect("there is a /proc").count();
    let tasks = std::fs::read_dir("/proc/self/task").expect("there is a /proc").filter_map(Result::ok);
    let children =
        tasks.map(|task| std::fs::read_to_string(task.path().join("children")).unwrap_or_default().split_whitespace().count()).sum();
    let status = std::fs::read_to_string("/proc/self/status").expect("there is a /proc");
    let resident = status.lines().find_map(|line| line.strip_prefix("VmRSS:")?.split_whitespace().next()?.parse().ok());
    (descriptors, children, resident.expect("a size"))
}

/// What antifreeze could have left in places of its own: cgroups of helpers that are gone.
fn cgroups_left() -> Vec<PathBuf> {
    let entries = ["/sys/fs/cgroup", "/sys/fs/cgroup/pids"].iter().filter_map(|folder| std::fs::read_dir(folder).ok()).flatten();
    let of_the_dead = |path: &PathBuf| {
        let pid = path.file_name().and_then(|name| name.to_str()?.strip_prefix("antifreeze-").map(str::to_owned));
        pid.is_some_and(|pid| !Path::new("/proc").join(pid).exists())
    };
    entries.filter_map(Result::ok).map(|entry| entry.path()).filter(of_the_dead).collect()
}

/// `ANTIFREEZE_SOAK` is the share of 2,000 runs (a twentieth by default).
#[test]
fn many_runs_leave_this_process_as_it_was() {
    const PROGRAMS: [(&str, OutcomeKind); 12] = [
        ("1+1", OutcomeKind::Finished),
        ("print('x' * 100000)", OutcomeKind::Finished),
        ("1/0", OutcomeKind::Raised),
        ("import os; os._exit(3)", OutcomeKind::Raised),
        ("import os; os.kill(os.getpid(), 11)", OutcomeKind::Crashed),
        ("while True: pass", OutcomeKind::TimedOut),
        ("import time; time.sleep(60)", OutcomeKind::TimedOut),
        ("10 ** 10 ** 8", OutcomeKind::TimedOut),
        (
            "import os, time\nif os.fork() == 0:\n    os.setsid()\n    if os.fork() == 0: time.sleep(600)\n    os._exit(0)\nos.wait()",
            OutcomeKind::Finished,
        ),
        ("x = bytearray(3 << 30)", OutcomeKind::OutOfMemory),
        ("while True: print('x' * 10000)", OutcomeKind::TooMuchOutput),
        (
            "import threading, time\nwhile True:\n    try: threading.Thread(target=time.sleep, args=(60,)).start()\n    except RuntimeError: pass",
            OutcomeKind::TooManyProcesses,
        ),
    ];
    let share: f64 = std::env::var("ANTIFREEZE_SOAK").ok().and_then(|text| text.parse().ok()).unwrap_or(0.05);
    let (count, mark, python, folder) = ((2000.0 * share) as usize, mark(), python(), tempfile::tempdir().expect("a folder"));
    let run = |number: usize| {
        let (code, outcome) = PROGRAMS[number % PROGRAMS.len()];
        let stops = outcome == OutcomeKind::TimedOut;
        let limits = Limits { timeout: if stops { 0.15 } else { 30.0 }, output: 16 << 10, processes: 20, ..Limits::default() };
        let request = Request {
            cwd: Some(folder.path().to_owned()),
            env: vec![(MARK.into(), mark.clone()), ("TMPDIR".into(), folder.path().to_string_lossy().into_owned())],
            ..running::request(code, &python, limits)
        };
        let got = executor::execute(&request, None, &mut |_, _| {}).expect("it can be run");
        if code.contains("print('x' * 100000)") {
            assert_eq!(got.truncated_bytes, 100_001 - (16 << 10));
        }
        assert_eq!(got.outcome, outcome, "{code}: {got:?}");
    };
    for number in 0..PROGRAMS.len() {
        run(number);
    }
    let (before, start) = (state(), Instant::now());
    for number in 0..count {
        run(number);
    }
    let (after, seconds) = (state(), start.elapsed().as_secs_f64());
    note(&format!("{count} runs in {seconds:.0} s: descriptors, children, resident KiB {before:?} before, {after:?} after"));
    assert!(marked(&mark).is_empty(), "{:?}", marked(&mark));
    assert_eq!(std::fs::read_dir(folder.path()).expect("it is there").count(), 0, "files were left");
    assert_eq!(cgroups_left(), Vec::<PathBuf>::new());
    // Tests that run at the same time have descriptors and children too: alone (`--exact`) they are the same.
    if std::env::args().any(|arg| arg == "--exact") {
        assert_eq!((before.0, before.1), (after.0, after.1));
    }
    assert!(after.2 < before.2 + 8192, "{before:?} {after:?}");
}

#[test]
fn antifreeze_itself_can_be_killed_at_any_time() {
    let code = "import os, subprocess, time\nif os.fork() == 0:\n    os.setsid()\n    subprocess.Popen(['sleep', '600'], start_new_session=True)\nprint('on', flush=True)\ntime.sleep(600)";
    for namespaces in [true, false] {
        for confine in [false, true] {
            if confine && !namespaces {
                continue;
            }
            for delay in [0, 3, 6, 10, 15, 25, 50, 90, 150, 300] {
                let (mark, folder) = (mark(), tempfile::tempdir().expect("a folder"));
                let mut command = command(&["--confine", "-c", code][usize::from(!confine)..]);
                command.env("PATH", std::env::var_os("PATH").unwrap_or_default()).args(["--env", &format!("{MARK}={mark}")]);
                command.env(MARK, &mark).current_dir(folder.path()).stdout(Stdio::null()).stderr(Stdio::null());
                if !namespaces {
                    command.env("ANTIFREEZE_NO_NAMESPACE", "1");
                }
                let mut host = command.spawn().expect("antifreeze starts");
                std::thread::sleep(Duration::from_millis(delay));
                host.kill().expect("it is still there");
                host.wait().expect("it is ours");
                let start = Instant::now();
                while !marked(&mark).is_empty() {
                    assert!(start.elapsed() < Duration::from_secs(15), "{namespaces} {confine} {delay}: {:?}", marked(&mark));
                    std::thread::sleep(Duration::from_millis(10));
                }
            }
        }
    }
}

#[test]
fn a_reports_size_is_bounded_whoever_forges_it() {
    // Two frames of 5 MiB each would be a hundred megabytes of values, and one of 16 MiB is over the length.
    let code = "import os, struct\nfor n in (5 << 20, 16 << 20):\n    for fd in range(900, 1100):\n        try:\n            os.write(fd, struct.pack('<IB', n, 100) + b'[' + b'0,' * (n // 2 - 1) + b']')\n        except OSError: pass\nimport time\ntime.sleep(0.3)";
    let mut child = command(&["--timeout", "5", "--format", "json", "-c", code]).stdout(Stdio::piped()).spawn().expect("antifreeze starts");
    let mut most = 0;
    while child.try_wait().expect("it is ours").is_none() {
        most = children(child.id()).first().and_then(|pid| peak(*pid)).unwrap_or(0).max(most);
        std::thread::sleep(Duration::from_millis(2));
    }
    let mut text = String::new();
    child.stdout.take().expect("piped").read_to_string(&mut text).expect("text");
    assert!(text.contains("\"outcome\""), "{text}");
    note(&format!("forged reports: the helper had {:.1} MiB at most", most as f64 / 1_048_576.0));
    assert!(most < 64 << 20, "{most}");
    std::io::stderr().flush().expect("it flushes");
}
