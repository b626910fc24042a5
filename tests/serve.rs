//! `antifreeze serve`: the transcript of docs/serve.md is what really happens, and what else the protocol promises.
#![cfg(target_os = "linux")]

#[path = "common/running.rs"]
#[expect(dead_code, reason = "shared with tests that run single programs")]
mod running;

use std::io::{BufRead, BufReader, Write};
use std::process::{Child, ChildStdin, ChildStdout, Command, Stdio};
use std::time::{Duration, Instant};

use running::{BINARY, assert_valid, marked};
use serde_json::{Value, json};

struct Server {
    child: Child,
    input: Option<ChildStdin>,
    output: BufReader<ChildStdout>,
    next: u64,
    /// Answers that came while others were waited for.
    early: Vec<Value>,
}

impl Server {
    fn start(flags: &[&str], mark: &str) -> Self {
        let python = running::pythons(|found| found.into_iter().map(|(_, python)| python).rev().take(1).collect());
        let mut command = Command::new(BINARY);
        command.arg("serve").arg("--python").arg(&python[0]).args(flags);
        Self::started(command, mark)
    }

    fn started(mut command: Command, mark: &str) -> Self {
        command.env("ANTIFREEZE_TEST_SECRET", mark);
        let mut child = command.stdin(Stdio::piped()).stdout(Stdio::piped()).spawn().expect("it starts");
        let (input, output) = (child.stdin.take(), BufReader::new(child.stdout.take().expect("it is piped")));
        Server { child, input, output, next: 0, early: Vec::new() }
    }

    fn send(&mut self, message: &Value) {
        self.send_line(&message.to_string());
    }

    fn send_line(&mut self, line: &str) {
        let input = self.input.as_mut().expect("it is open");
        writeln!(input, "{line}").and_then(|()| input.flush()).expect("it reads");
    }

    fn receive(&mut self) -> Value {
        let mut line = String::new();
        self.output.read_line(&mut line).expect("it writes");
        let value: Value = serde_json::from_str(&line).unwrap_or_else(|error| panic!("{error}: {line:?}"));
        assert_follows(&value);
        value
    }

    fn request(&mut self, method: &str, params: Value) -> u64 {
        self.next += 1;
        let message = json!({"jsonrpc": "2.0", "id": self.next, "method": method, "params": params});
        assert_follows(&message);
        self.send(&message);
        self.next
    }

    /// The answer to a request.
    fn answer(&mut self, id: u64) -> Value {
        if let Some(at) = self.early.iter().position(|message| message["id"] == id) {
            return self.early.remove(at);
        }
        loop {
            let message = self.receive();
            if message["id"] == id {
                return message;
            }
            self.early.push(message);
        }
    }

    fn call(&mut self, method: &str, params: Value) -> Value {
        let id = self.request(method, params);
        self.answer(id)
    }

    fn open(&mut self, params: Value) -> String {
        let answer = self.call("session.open", params);
        answer["result"]["session"].as_str().unwrap_or_else(|| panic!("{answer}")).to_owned()
    }

    fn run(&mut self, session: &str, code: &str) -> Value {
        let answer = self.call("session.run", json!({"session": session, "code": code}));
        assert_valid(&answer["result"]);
        answer["result"].clone()
    }
}

impl Drop for Server {
    fn drop(&mut self) {
        let _ = self.child.kill();
        let _ = self.child.wait();
    }
}

fn assert_follows(message: &Value) {
    use std::sync::LazyLock;
    static VALIDATOR: LazyLock<jsonschema::Validator> = LazyLock::new(|| {
        let schema: Value = serde_json::from_str(include_str!("../docs/serve.schema.json")).expect("the schema is JSON");
        jsonschema::validator_for(&schema).expect("the schema is a schema")
    });
    let errors = VALIDATOR.iter_errors(message).map(|error| format!("{error} at {}", error.instance_path)).collect::<Vec<_>>();
    assert!(errors.is_empty(), "{errors:?}: {message}");
}

fn assert_gone(mark: &str) {
    let deadline = Instant::now() + Duration::from_secs(20);
    while !marked(mark).is_empty() && Instant::now() < deadline {
        std::thread::sleep(Duration::from_millis(20));
    }
    assert!(marked(mark).is_empty(), "left over: {:?}", marked(mark));
}

fn mark(name: &str) -> String {
    format!("antifreeze-serve-{name}-{}.", std::process::id())
}

/// What the transcript writes for values that differ from run to run: `"…"` stands for anything, and an object that has it as a key
/// may have more members.
fn agrees(expected: &Value, actual: &Value) -> bool {
    match (expected, actual) {
        (Value::String(text), _) if text == "…" => true,
        (Value::Object(expected), Value::Object(actual)) => {
            let open = expected.contains_key("…");
            expected.iter().filter(|(key, _)| *key != "…").all(|(key, value)| actual.get(key).is_some_and(|other| agrees(value, other)))
                && (open || actual.keys().all(|key| expected.contains_key(key)))
        }
        (Value::Array(expected), Value::Array(actual)) => {
            expected.len() == actual.len() && expected.iter().zip(actual).all(|(expected, actual)| agrees(expected, actual))
        }
        _ => expected == actual,
    }
}

#[test]
fn the_documented_transcript_is_what_happens() {
    let text = include_str!("../docs/serve.md");
    let transcript = text.split("```transcript\n").nth(1).and_then(|rest| rest.split("```").next()).expect("there is a transcript");
    let mark = mark("transcript");
    let mut server = Server::start(&[], &mark);
    let mut lines = 0;
    for line in transcript.lines().filter(|line| !line.trim().is_empty()) {
        lines += 1;
        if let Some(sent) = line.strip_prefix("→ ") {
            server.send_line(sent);
        } else if let Some(received) = line.strip_prefix("← ") {
            let expected: Value = serde_json::from_str(received).unwrap_or_else(|error| panic!("{error}: {received}"));
            let actual = server.receive();
            assert!(agrees(&expected, &actual), "the documentation says\n{expected}\nand what came is\n{actual}");
        } else {
            panic!("neither sent nor received: {line}");
        }
    }
    assert!(lines > 10);
    server.input.take();
    assert!(server.child.wait().expect("it ends").success());
    assert_gone(&mark);
}

/// What `tests/session/freezes` says of itself, as an ordinary user.
#[test]
fn variables_survive_for_an_ordinary_user_too() {
    if !rustix::process::geteuid().is_root() {
        // Then all the other tests are.
        return;
    }
    let folder = tempfile::tempdir().expect("a folder");
    let binary = folder.path().join("antifreeze");
    std::fs::copy(BINARY, &binary).expect("it can be copied");
    for path in [folder.path(), &binary] {
        std::fs::set_permissions(path, std::os::unix::fs::PermissionsExt::from_mode(0o755)).expect("it is ours");
    }
    for namespaces in [true, false] {
        let mark = mark(if namespaces { "user" } else { "user-none" });
        let mut command = Command::new("setpriv");
        command.args(["--reuid", "65534", "--regid", "65534", "--clear-groups"]).arg(&binary);
        command.args(["serve", "--python", "/usr/bin/python3", "--no-gate", "--no-guards", "--timeout", "1"]).current_dir("/");
        if !namespaces {
            command.env("ANTIFREEZE_NO_NAMESPACE", "1");
        }
        let mut server = Server::started(command, &mark);
        let opened = server.call("session.open", json!({}));
        let had = opened["result"]["mechanisms"]["pid_namespace"] == true;
        assert!(had == namespaces || !namespaces, "{opened}");
        let session = opened["result"]["session"].as_str().unwrap_or_else(|| panic!("{opened}")).to_owned();
        server.run(&session, "x = [1, 2]");
        for name in [
            "power",
            "fork_bomb",
            "setsid_grandchild",
            "signals_blocked",
            "exits",
            "segfault",
            "kills_its_group",
            "allocation",
            "stops_itself",
        ] {
            let path = format!("{}/tests/session/freezes/{name}.py", env!("CARGO_MANIFEST_DIR"));
            let text = std::fs::read_to_string(path).expect("it is there");
            let word = |key: &str| text.lines().find_map(|line| line.strip_prefix(&format!("# {key}: "))).unwrap_or_default().to_owned();
            let result = server.run(&session, &text);
            let is = |key: &str, field: &str| word(key).split(' ').any(|word| result[field] == word);
            // A bomb of an ordinary user's takes as much of the processors as those that are to count it: the deadline may come first.
            let late = name == "fork_bomb" && result["outcome"] == "timed_out";
            assert!((is("expect", "outcome") || late) && is("state", "state"), "{name}, namespaces {had}: {result:#}");
            assert_eq!(server.run(&session, "x")["result"], json!([1, 2]), "{name}, namespaces {had}");
        }
        server.input.take();
        server.child.wait().expect("it ends");
        assert_gone(&mark);
    }
}

#[test]
fn sessions_do_not_wait_for_each_other() {
    let mark = mark("many");
    let mut server = Server::start(&[], &mark);
    let options = json!({"gate": false, "guards": false, "limits": {"timeout": 3.0}});
    let (frozen, quick) = (server.open(options.clone()), server.open(options));
    let slow = server.request("session.run", json!({"session": frozen, "code": "while True: pass"}));
    for i in 0..20 {
        assert_eq!(server.run(&quick, &format!("{i} + 1"))["result"], json!(i + 1));
    }
    let answer = server.answer(slow);
    assert_eq!((&answer["result"]["outcome"], &answer["result"]["state"]), (&json!("timed_out"), &json!("kept")));
    server.input.take();
    assert!(server.child.wait().expect("it ends").success());
    assert_gone(&mark);
}

#[test]
fn what_is_wrong_is_said_and_ends_nothing() {
    let mark = mark("wrong");
    let mut server = Server::start(&["--max-sessions", "1", "--max-queue", "2"], &mark);
    for (line, code) in [
        ("{", -32700),
        ("[1]", -32600),
        (r#"{"jsonrpc":"2.0","id":7,"method":"nothing"}"#, -32601),
        (r#"{"jsonrpc":"2.0","id":7,"method":"session.run","params":{"session":"s1"}}"#, -32602),
        (r#"{"jsonrpc":"2.0","id":7,"method":"session.open","params":{"nonsense":1}}"#, -32602),
        (r#"{"jsonrpc":"2.0","id":7,"method":"session.open","params":{"limits":{"timeout":-1}}}"#, -32602),
        (r#"{"jsonrpc":"2.0","id":7,"method":"session.run","params":{"session":"s1","code":"1","timeout":-1}}"#, -32602),
        (r#"{"jsonrpc":"2.0","id":7,"method":"session.run","params":{"session":"s1","code":"1","timeout":1e19}}"#, -32602),
        (r#"{"jsonrpc":"2.0","id":7,"method":"session.open","params":{"env":{"A=B":"c"}}}"#, -32602),
        (r#"{"jsonrpc":"2.0","id":7,"method":"session.run","params":{"session":"s99","code":"1"}}"#, -32001),
        (r#"{"jsonrpc":"2.0","id":7,"method":"session.open","params":{"python":"/nowhere/python"}}"#, -32003),
        (r#"{"jsonrpc":"2.0","id":7,"method":"session.open","params":{"preload":["no_such_module"]}}"#, -32003),
    ] {
        server.send_line(line);
        let answer = server.receive();
        assert_eq!(answer["error"]["code"], code, "{line}: {answer}");
    }
    server.send_line(&"x".repeat(33 << 20));
    assert_eq!(server.receive()["error"]["code"], -32600, "a line is too long");
    // A notification has no answer, whatever is wrong with it.
    server.send_line(r#"{"jsonrpc":"2.0","method":"nothing"}"#);
    let session = server.open(json!({"gate": false}));
    assert_eq!(server.call("session.open", json!({}))["error"]["code"], -32002, "there is room for one");
    let first = server.request("session.run", json!({"session": session, "code": "import time\ntime.sleep(1)"}));
    let second = server.request("session.run", json!({"session": session, "code": "1"}));
    let third = server.request("session.run", json!({"session": session, "code": "2"}));
    assert_eq!(server.answer(third)["error"]["code"], -32002, "two may wait");
    assert_eq!(server.answer(first)["result"]["outcome"], "finished");
    assert_eq!(server.answer(second)["result"]["result"], 1);
    assert_eq!(server.call("session.close", json!({"session": session}))["result"], json!({}));
    assert_eq!(server.call("session.run", json!({"session": session, "code": "1"}))["error"]["code"], -32001);
    assert_eq!(server.call("ping", json!({}))["result"]["version"], env!("CARGO_PKG_VERSION"));
}

#[test]
fn nothing_is_left_however_it_ends() {
    for abrupt in [false, true] {
        let mark = mark(if abrupt { "abrupt" } else { "orderly" });
        let mut server = Server::start(&["--no-gate", "--no-guards"], &mark);
        let (busy, idle) = (server.open(json!({})), server.open(json!({})));
        server.run(&idle, "import subprocess\nsubprocess.Popen(['sleep', '1000'], start_new_session=True)\nNone");
        server.request("session.run", json!({"session": busy, "code": "while True: pass"}));
        std::thread::sleep(Duration::from_millis(300));
        if abrupt {
            server.child.kill().expect("it is killed");
        } else {
            server.input.take();
        }
        server.child.wait().expect("it ends");
        assert_gone(&mark);
    }
}
