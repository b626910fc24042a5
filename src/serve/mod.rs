//! `antifreeze serve`: sessions over standard input and output, one JSON-RPC 2.0 message a line (docs/serve.md).
//!
//! One thread reads; every session has one that does its steps in order; answers are written as they come. Closing standard input
//! ends it all, and so does killing this process: the sessions' helper watches it.

pub mod protocol;

use std::collections::HashMap;
use std::io::{BufRead, Read, Write};
use std::sync::atomic::{AtomicBool, AtomicU64, AtomicUsize, Ordering};
use std::sync::mpsc::{Receiver, Sender, channel};
use std::sync::{Arc, Mutex};
use std::time::{Duration, Instant};

use serde_json::{Map, Value, json};

use crate::executor::Stream;
use crate::report::{self, FileReport};
use crate::session::{Engine, Error, Options, Session, ToolFunction};
use crate::stack::{self, lock};

use protocol::{Code, Get, Named, Open, Problem, Run, Set};

/// The longest line that is read.
const LONGEST: u64 = 32 << 20;
/// How long sessions have to end in order when standard input is closed.
const CLOSING: Duration = Duration::from_secs(3);

/// What holds for all sessions together.
#[derive(Debug, Clone)]
pub struct Settings {
    /// What a session is made of where its `session.open` does not say otherwise.
    pub options: Options,
    /// The most sessions at a time.
    pub max_sessions: usize,
    /// The most memory that all sessions' limits may come to.
    pub max_memory: Option<u64>,
    /// The most requests that wait for one session.
    pub max_queue: usize,
}

/// A session and what it still has to do.
struct Served {
    session: Arc<Session>,
    jobs: Sender<Job>,
    waiting: Arc<AtomicUsize>,
    memory: u64,
}

struct Job {
    id: Value,
    what: What,
}

enum What {
    Run(Run),
    Check(Run),
    Set(Set),
    Get(Get),
    Close,
}

struct Server<W> {
    settings: Settings,
    engine: Arc<Engine>,
    output: Mutex<W>,
    sessions: Mutex<HashMap<String, Served>>,
    /// Sessions being opened, and the memory they will have.
    opening: Mutex<(usize, u64)>,
    next: AtomicU64,
    /// Who waits for the client's answer to a call of a tool.
    calls: Mutex<HashMap<u64, Sender<Result<Value, String>>>>,
    ending: AtomicBool,
}

/// Serves until there is nothing more to read.
pub fn serve<W: Write + Send + 'static>(settings: Settings, engine: Arc<Engine>, input: impl Read, output: W) {
    stack::keep_threads();
    let server = Arc::new(Server {
        settings,
        engine,
        output: Mutex::new(output),
        sessions: Mutex::default(),
        opening: Mutex::default(),
        next: AtomicU64::new(1),
        calls: Mutex::default(),
        ending: AtomicBool::new(false),
    });
    let mut input = std::io::BufReader::new(input);
    loop {
        let mut line = Vec::new();
        match input.by_ref().take(LONGEST).read_until(b'\n', &mut line) {
            Ok(0) | Err(_) => break,
            Ok(_) => {}
        }
        if line.len() as u64 == LONGEST && line.last() != Some(&b'\n') {
            server.answer(&Value::Null, Err(Problem::new(protocol::INVALID_REQUEST, format!("a line is longer than {LONGEST} bytes"))));
            if input.skip_until(b'\n').is_err() {
                break;
            }
            continue;
        }
        if line.iter().all(u8::is_ascii_whitespace) {
            continue;
        }
        match serde_json::from_slice(&line) {
            Ok(message) => server.clone().message(message),
            Err(error) => server.answer(&Value::Null, Err(Problem::new(protocol::PARSE_ERROR, error.to_string()))),
        }
    }
    server.end();
}

impl<W: Write + Send + 'static> Server<W> {
    fn send(&self, message: &Value) {
        let mut text = message.to_string();
        text.push('\n');
        let mut output = lock(&self.output);
        // Whoever does not read any more is gone soon too, and that ends it all.
        let _ = output.write_all(text.as_bytes()).and_then(|()| output.flush());
    }

    /// A request without an id is a notification, which has no answer.
    fn answer(&self, id: &Value, result: Result<Value, Problem>) {
        match result {
            Ok(result) if !id.is_null() => self.send(&json!({ "jsonrpc": "2.0", "id": id, "result": result })),
            Ok(_) => {}
            Err(problem) => {
                self.send(&json!({ "jsonrpc": "2.0", "id": id, "error": { "code": problem.code, "message": problem.message } }));
            }
        }
    }

    fn message(self: Arc<Self>, mut message: Value) {
        if message.get("method").is_none() && (message.get("result").is_some() || message.get("error").is_some()) {
            return self.answered(&message);
        }
        let id = message.get("id").cloned().unwrap_or(Value::Null);
        let Some(method) = message.get("method").and_then(Value::as_str).map(str::to_owned) else {
            return self.answer(&id, Err(Problem::new(protocol::INVALID_REQUEST, "not a request: it has no `method`")));
        };
        let params = message.get_mut("params").map_or_else(|| json!({}), Value::take);
        let is_notification = message.get("id").is_none();
        if let Err(problem) = self.clone().request(&method, id.clone(), params)
            && !is_notification
        {
            self.answer(&id, Err(problem));
        }
    }

    fn request(self: Arc<Self>, method: &str, id: Value, params: Value) -> Result<(), Problem> {
        match method {
            "ping" => self.answer(&id, Ok(json!({ "version": env!("CARGO_PKG_VERSION") }))),
            "limits" => self.answer(&id, Ok(self.limits())),
            "session.open" => {
                let open: Open = protocol::read(params)?;
                let memory = open.options(&self.settings.options)?.limits.memory;
                self.admit(memory)?;
                let server = self.clone();
                let spawned = std::thread::Builder::new().name("antifreeze open".into()).spawn(move || {
                    let result = server.open(&open);
                    let mut opening = lock(&server.opening);
                    (opening.0, opening.1) = (opening.0 - 1, opening.1 - memory);
                    drop(opening);
                    server.answer(&id, result);
                });
                spawned.map_err(|error| Problem::new(protocol::FAILED, error.to_string()))?;
            }
            "session.run" => {
                self.enqueue(id, params, |params| {
                    let run: Run = protocol::read(params)?;
                    run.timeout.map_or(Ok(()), protocol::check_timeout)?;
                    Ok((run.session.clone(), What::Run(run)))
                })?;
            }
            "session.check" => {
                self.enqueue(id, params, |params| protocol::read(params).map(|run: Run| (run.session.clone(), What::Check(run))))?;
            }
            "session.set" => {
                self.enqueue(id, params, |params| protocol::read(params).map(|set: Set| (set.session.clone(), What::Set(set))))?;
            }
            "session.get" => {
                self.enqueue(id, params, |params| protocol::read(params).map(|get: Get| (get.session.clone(), What::Get(get))))?;
            }
            "session.close" => {
                self.enqueue(id, params, |params| protocol::read(params).map(|named: Named| (named.session, What::Close)))?;
            }
            "session.interrupt" => {
                let named: Named = protocol::read(params)?;
                let session = lock(&self.sessions).get(&named.session).map(|served| served.session.clone());
                session.ok_or_else(|| Problem::no_session(&named.session))?.interrupt();
                self.answer(&id, Ok(json!({})));
            }
            _ => return Err(Problem::new(protocol::NO_METHOD, format!("there is no method `{method}`"))),
        }
        Ok(())
    }

    fn limits(&self) -> Value {
        let sessions = lock(&self.sessions);
        json!({
            "limits": self.settings.options.limits,
            "sessions": { "open": sessions.len(), "max": self.settings.max_sessions },
            "memory": { "promised": sessions.values().map(|served| served.memory).sum::<u64>(), "max": self.settings.max_memory },
            "queue": { "max": self.settings.max_queue },
        })
    }

    /// Whether there is room for another session; if so, it is taken.
    fn admit(&self, memory: u64) -> Result<(), Problem> {
        let sessions = lock(&self.sessions);
        let mut opening = lock(&self.opening);
        if sessions.len() + opening.0 >= self.settings.max_sessions {
            return Err(Problem::new(
                protocol::TOO_MANY,
                format!("there are {} sessions already, the most there may be", self.settings.max_sessions),
            ));
        }
        let promised = sessions.values().map(|served| served.memory).sum::<u64>() + opening.1;
        if self.settings.max_memory.is_some_and(|most| promised.saturating_add(memory) > most) {
            return Err(Problem::new(
                protocol::TOO_MANY,
                format!("{promised} bytes of memory are promised to other sessions, which leaves less than the {memory} asked for"),
            ));
        }
        (opening.0, opening.1) = (opening.0 + 1, opening.1 + memory);
        Ok(())
    }

    fn open(self: &Arc<Self>, open: &Open) -> Result<Value, Problem> {
        let mut options = open.options(&self.settings.options)?;
        let name = format!("s{}", self.next.fetch_add(1, Ordering::Relaxed));
        for tool in open.tools.iter().flatten() {
            options.tools.insert(tool.clone(), self.tool(&name, tool));
        }
        let memory = options.limits.memory;
        let session = Arc::new(self.engine.open(options)?);
        let (jobs, queue) = channel();
        let waiting = Arc::new(AtomicUsize::new(0));
        let mechanisms = session.mechanisms();
        let (server, worked, counted, called) = (self.clone(), session.clone(), waiting.clone(), name.clone());
        std::thread::Builder::new()
            .name("antifreeze session".into())
            .stack_size(stack::SMALL)
            .spawn(move || {
                stack::is_here(stack::SMALL);
                server.work(&called, &worked, &queue, &counted);
            })
            .map_err(|error| Problem::new(protocol::FAILED, error.to_string()))?;
        lock(&self.sessions).insert(name.clone(), Served { session, jobs, waiting, memory });
        Ok(json!({ "session": name, "mechanisms": mechanisms }))
    }

    fn enqueue(&self, id: Value, params: Value, read: impl FnOnce(Value) -> Result<(String, What), Problem>) -> Result<(), Problem> {
        let (name, what) = read(params)?;
        let mut sessions = lock(&self.sessions);
        let served = sessions.get(&name).ok_or_else(|| Problem::no_session(&name))?;
        if served.waiting.load(Ordering::Relaxed) >= self.settings.max_queue && !matches!(what, What::Close) {
            return Err(Problem::new(protocol::TOO_MANY, format!("{} requests wait for this session already", self.settings.max_queue)));
        }
        served.waiting.fetch_add(1, Ordering::Relaxed);
        let closes = matches!(what, What::Close);
        let sent = served.jobs.send(Job { id, what });
        if closes {
            // From here on it takes no more requests; what waits is still done.
            sessions.remove(&name);
        }
        sent.map_err(|_| Problem::no_session(&name))
    }

    /// Does what one session is asked to do, in order.
    fn work(&self, name: &str, session: &Session, queue: &Receiver<Job>, waiting: &AtomicUsize) {
        while let Ok(Job { id, what }) = queue.recv() {
            if self.ending.load(Ordering::Relaxed) {
                return;
            }
            let result = match &what {
                What::Run(run) => self.run(name, &id, session, run),
                What::Check(run) => check(session, run),
                What::Set(set) => session.set(&set.name, &set.value).map_err(Problem::from).and_then(|outcome| protocol::write(&outcome)),
                What::Get(get) => session.get(&get.name).map_err(Problem::from).and_then(|outcome| protocol::write(&outcome)),
                What::Close => {
                    session.close();
                    Ok(json!({}))
                }
            };
            waiting.fetch_sub(1, Ordering::Relaxed);
            self.answer(&id, result);
            if matches!(what, What::Close) {
                return;
            }
        }
    }

    fn run(&self, name: &str, id: &Value, session: &Session, run: &Run) -> Result<Value, Problem> {
        let mut rest = [Vec::new(), Vec::new()];
        let outcome = session.run_with(&run.code, run.timeout, &mut |stream, bytes| {
            let rest = &mut rest[stream as usize];
            rest.extend_from_slice(bytes);
            let text = take_text(rest);
            if !text.is_empty() {
                self.output(name, id, stream, &text);
            }
        })?;
        for stream in [Stream::Stdout, Stream::Stderr] {
            let rest = &rest[stream as usize];
            if !rest.is_empty() {
                self.output(name, id, stream, &String::from_utf8_lossy(rest));
            }
        }
        if let Some(warning) = self.settings.options.telemetry.as_ref().and_then(|telemetry| telemetry.take_warning()) {
            let _ = writeln!(std::io::stderr(), "antifreeze: {warning}");
        }
        protocol::write(&outcome)
    }

    fn output(&self, session: &str, id: &Value, stream: Stream, text: &str) {
        let params = json!({ "session": session, "request": id, "stream": stream.name(), "text": text });
        self.send(&json!({ "jsonrpc": "2.0", "method": "output", "params": params }));
    }

    /// A function that asks the client.
    fn tool(self: &Arc<Self>, session: &str, name: &str) -> Arc<ToolFunction> {
        let (server, session, name) = (Arc::downgrade(self), session.to_owned(), name.to_owned());
        Arc::new(move |args: Vec<Value>, kwargs: Map<String, Value>| {
            let server = server.upgrade().ok_or("the server ends")?;
            let number = server.next.fetch_add(1, Ordering::Relaxed);
            let (sender, answer) = channel();
            lock(&server.calls).insert(number, sender);
            let params = json!({ "session": session, "name": name, "args": args, "kwargs": kwargs });
            server.send(&json!({ "jsonrpc": "2.0", "id": format!("t{number}"), "method": "tool.call", "params": params }));
            drop(server);
            answer.recv().unwrap_or_else(|_| Err("the client is gone".into()))
        })
    }

    /// The client's answer to a call of a tool.
    fn answered(&self, message: &Value) {
        let number = message["id"].as_str().and_then(|id| id.strip_prefix('t')?.parse::<u64>().ok());
        let Some(sender) = number.and_then(|number| lock(&self.calls).remove(&number)) else { return };
        let answer = match message.get("error") {
            Some(error) if !error.is_null() => Err(error["message"].as_str().unwrap_or("it failed").to_owned()),
            _ => Ok(message["result"].clone()),
        };
        let _ = sender.send(answer);
    }

    /// Nothing more comes: what is idle ends in order, what is not ends with the helper.
    fn end(&self) {
        self.ending.store(true, Ordering::Relaxed);
        lock(&self.calls).clear();
        let idle = lock(&self.sessions).drain().map(|(_, served)| served).collect::<Vec<_>>();
        let idle = idle.into_iter().filter(|served| served.waiting.load(Ordering::Relaxed) == 0).map(|served| served.session);
        let closing = idle.filter_map(|session| std::thread::Builder::new().spawn(move || session.close()).ok()).collect::<Vec<_>>();
        let begin = Instant::now();
        while begin.elapsed() < CLOSING && !closing.iter().all(std::thread::JoinHandle::is_finished) {
            std::thread::sleep(Duration::from_millis(2));
        }
    }
}

/// Takes what is whole characters already.
fn take_text(bytes: &mut Vec<u8>) -> String {
    let end = match std::str::from_utf8(bytes) {
        Ok(_) => bytes.len(),
        // The beginning of a character waits for its rest; what can be no character is replaced.
        Err(error) if error.error_len().is_none() => error.valid_up_to(),
        Err(_) => bytes.len(),
    };
    let rest = bytes.split_off(end);
    let text = String::from_utf8_lossy(bytes).into_owned();
    *bytes = rest;
    text
}

fn check(session: &Session, run: &Run) -> Result<Value, Problem> {
    let (source, verdict) = session.check(&run.code)?;
    Ok(Value::Object(report::json::judged(&FileReport::of(source, verdict, Duration::ZERO))))
}

impl From<Error> for Problem {
    fn from(error: Error) -> Self {
        let code: Code = match error {
            Error::Unusable(_) => protocol::UNUSABLE,
            Error::Failed(_) => protocol::FAILED,
            Error::Closed => protocol::NO_SESSION,
        };
        Problem::new(code, error.to_string())
    }
}

#[cfg(test)]
mod tests {
    use super::take_text;

    #[test]
    fn half_a_character_waits_for_the_other_half() {
        let mut bytes = "aü".as_bytes()[..2].to_vec();
        assert_eq!(take_text(&mut bytes), "a");
        bytes.push("ü".as_bytes()[1]);
        assert_eq!(take_text(&mut bytes), "ü");
        bytes.extend_from_slice(b"\xffb");
        assert_eq!(take_text(&mut bytes), "\u{fffd}b");
        assert!(bytes.is_empty());
    }
}
