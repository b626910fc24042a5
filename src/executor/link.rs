//! The host's side of sessions: one child, the broker, and a socket for each session to its supervisor.
//!
//! Nothing here makes the host a subreaper, waits for children it did not start, handles a signal or keeps a thread. A process
//! that the host forks has copies of the descriptors and leaves what they lead to alone.

use std::io::Write;
use std::os::fd::{AsFd, OwnedFd};
use std::os::unix::net::UnixStream;
use std::os::unix::process::CommandExt;
use std::path::{Path, PathBuf};
use std::process::{Child, Command, Stdio};
use std::sync::{Arc, Mutex};
use std::time::{Duration, Instant};

use rustix::net::{AddressFamily, SocketFlags, SocketType, socketpair};
use serde_json::{Value, json};

use super::account;
use super::broker::Order;
use super::confine::Confinement;
use super::lines::Lines;
use super::wait::wait_readable;
use super::wire::{self, Ending, Got, Job, Reader, frame};
use super::{Request, SESSIONS, Stream, channel, sys, tree};
use crate::limits::Limits;
use crate::outcome::{Mechanisms, Outcome};
use crate::stack;
use crate::syntax::Span;

/// How late a supervisor may be before it is asked why, and how long it then has.
const PATIENCE: Duration = Duration::from_secs(1);
const LAST_PATIENCE: Duration = Duration::from_secs(15);
/// How long opening may take: what the supervisor itself allows, and more.
const OPENING: Duration = Duration::from_mins(3);
/// How long the broker has to end when it is not wanted any more.
const ENDING: Duration = Duration::from_millis(200);

/// Why a session could not be had.
#[derive(Debug, Clone, PartialEq, Eq)]
pub enum Refused {
    /// The user's to remedy.
    Unusable(String),
    /// antifreeze itself failed.
    Failed(String),
}

/// What a session is made of.
#[derive(Debug, Clone)]
pub struct Opening {
    /// The interpreter.
    pub python: PathBuf,
    /// Its working folder, if not the host's.
    pub cwd: Option<PathBuf>,
    /// Environment variables to set for it.
    pub env: Vec<(String, String)>,
    /// What it may use; the time is each step's.
    pub limits: Limits,
    /// Whether output over the limit ends a step.
    pub strict_output: bool,
    /// Whether it may write to its working folder only, and reach nothing else.
    pub confine: bool,
    /// Modules that are imported ahead.
    pub preload: Vec<String>,
    /// Whether a backup of its state is kept.
    pub checkpoint: bool,
    /// The names of the host's tools.
    pub tools: Vec<String>,
    /// Whether the time that the host takes for them is the step's.
    pub tool_time: bool,
    /// The modules it may import, if not all.
    pub allowed_imports: Option<Vec<String>>,
    /// Whether to use namespaces.
    pub namespaces: bool,
}

/// What a session is to do.
#[derive(Debug, Clone)]
pub enum StepRequest {
    /// Run code.
    Run {
        /// Exactly this is compiled.
        text: Arc<str>,
        /// Under this name: `<step-3>`.
        name: String,
        /// Operations to check.
        guards: Vec<(Span, &'static str)>,
    },
    /// Give a variable a value.
    Set(String, Value),
    /// Say what a variable's value is.
    Get(String),
}

/// A call of a tool of the host's.
#[derive(Debug)]
pub struct ToolCall {
    /// Which tool.
    pub name: String,
    /// Its arguments.
    pub args: Vec<Value>,
    /// Its named arguments.
    pub kwargs: serde_json::Map<String, Value>,
    /// For the answer.
    pub reply: Reply,
}

/// Takes the answer to a call; one that comes too late is lost.
#[derive(Debug)]
pub struct Reply {
    id: u64,
    writer: Arc<Mutex<UnixStream>>,
}

impl Reply {
    /// Answers with a value, or with words on what went wrong.
    pub fn send(self, answer: Result<Value, String>) {
        let answer = match answer {
            Ok(value) => json!({ "id": self.id, "result": value, "error": null }),
            Err(why) => json!({ "id": self.id, "result": null, "error": why }),
        };
        let _ = write_frame(&self.writer, b'a', answer.to_string().as_bytes());
    }
}

fn write_frame(writer: &Mutex<UnixStream>, kind: u8, payload: &[u8]) -> std::io::Result<()> {
    stack::lock(writer).write_all(&frame(kind, payload))
}

/// The one child of a host that has sessions. Ends, with all sessions, when this is dropped.
#[derive(Debug)]
pub struct Broker {
    child: Option<Child>,
    pid: i32,
    socket: Mutex<Option<OwnedFd>>,
    owner: u32,
}

impl Broker {
    /// Starts it: this process's own executable if none is named.
    pub fn start(executable: Option<&Path>, env: &[(String, String)]) -> Result<Broker, Refused> {
        let failed = |error: std::io::Error| Refused::Failed(format!("the helper did not start: {error}"));
        let (ours, theirs) =
            socketpair(AddressFamily::UNIX, SocketType::SEQPACKET, SocketFlags::CLOEXEC, None).map_err(|error| failed(error.into()))?;
        let child = Command::new(executable.unwrap_or(Path::new("/proc/self/exe")))
            .arg0("antifreeze")
            .arg(SESSIONS)
            .envs(env.iter().map(|(name, value)| (name, value)))
            .stdin(Stdio::null())
            .stdout(Stdio::from(theirs))
            .stderr(Stdio::null())
            .spawn()
            .map_err(failed)?;
        let pid = child.id() as i32;
        Ok(Broker { child: Some(child), pid, socket: Mutex::new(Some(ours)), owner: std::process::id() })
    }

    /// Whether it is there, and this process's own.
    pub fn is_alive(&self) -> bool {
        if self.owner != std::process::id() {
            return false;
        }
        let Ok(socket) = self.socket.lock() else { return false };
        let Some(socket) = socket.as_ref() else { return false };
        // It never says anything: what there is to read is the end.
        !wait_readable(socket, Duration::ZERO)
    }

    /// Its pid.
    pub fn pid(&self) -> i32 {
        self.pid
    }

    fn order(&self, order: &Order, fds: &[std::os::fd::BorrowedFd<'_>]) -> bool {
        let Ok(socket) = self.socket.lock() else { return false };
        let bytes = serde_json::to_vec(order).unwrap_or_default();
        socket.as_ref().is_some_and(|socket| channel::send(socket, &bytes, fds).is_ok())
    }

    /// Opens a session.
    pub fn open(self: &Arc<Self>, opening: &Opening) -> Result<Link, Refused> {
        let failed = |error: std::io::Error| Refused::Failed(error.to_string());
        let confinement = if opening.confine {
            let work = opening.cwd.clone().map_or_else(std::env::current_dir, Ok).map_err(failed)?;
            Some(Confinement::new(&work, None, &opening.python).map_err(|error| Refused::Unusable(error.0))?)
        } else {
            None
        };
        let cwd = match &confinement {
            Some(confinement) => Some(confinement.work.clone()),
            // The broker's own folder is where the host was when it started.
            None => opening.cwd.clone().or_else(|| std::env::current_dir().ok()),
        };
        let namespaces = opening.namespaces && super::namespaces_wanted();
        // What an interpreter reads when it starts, a zygote has read already.
        let at_start = |name: &str| ["PYTHON", "LD_", "LC_", "LANG"].iter().any(|start| name.starts_with(start));
        let zygote = namespaces && confinement.is_none() && !opening.env.iter().any(|(name, _)| at_start(name));
        let job = Job {
            host: std::process::id() as i32,
            python: opening.python.to_string_lossy().into_owned(),
            cwd: cwd.map(|path| path.to_string_lossy().into_owned()),
            env: opening.env.clone(),
            limits: opening.limits,
            strict_output: opening.strict_output,
            namespaces,
            request: json!({
                "session": "process",
                "preload": opening.preload,
                "checkpoint": opening.checkpoint,
                "tools": opening.tools,
                "tool_time": opening.tool_time,
                "allowed_imports": opening.allowed_imports,
                "guards": [],
            }),
            confinement,
        };
        let (ours, theirs) = UnixStream::pair().map_err(failed)?;
        let order = Order::Open { python: job.python.clone(), preload: opening.preload.clone(), zygote };
        if !self.order(&order, &[theirs.as_fd()]) {
            return Err(Refused::Failed("the helper was ended".into()));
        }
        drop(theirs);
        let writer = Arc::new(Mutex::new(ours.try_clone().map_err(failed)?));
        let mut link = Link {
            socket: ours,
            writer,
            reader: Reader::new(wire::MAX_FRAME),
            broker: self.clone(),
            supervisor: 0,
            mechanisms: Mechanisms::default(),
            limits: opening.limits,
            tool_time: opening.tool_time,
            python: opening.python.clone(),
            owner: std::process::id(),
        };
        link.await_opening(&serde_json::to_vec(&job).map_err(|error| Refused::Failed(error.to_string()))?)?;
        Ok(link)
    }
}

impl Drop for Broker {
    fn drop(&mut self) {
        if self.owner != std::process::id() {
            return;
        }
        // The end of the socket is its order to end everything.
        if let Ok(mut socket) = self.socket.lock() {
            socket.take();
        }
        let Some(mut child) = self.child.take() else { return };
        let begin = Instant::now();
        while begin.elapsed() < ENDING {
            match child.try_wait() {
                Ok(None) => std::thread::sleep(Duration::from_millis(1)),
                _ => return,
            }
        }
        // Nobody waits for it, but it must not stay a zombie either.
        let _ = std::thread::Builder::new().spawn(move || child.wait());
    }
}

/// Interrupts the step that runs, from any thread.
#[derive(Debug, Clone)]
pub struct Interrupter {
    writer: Arc<Mutex<UnixStream>>,
    owner: u32,
}

impl Interrupter {
    /// As Ctrl-C does; what does not end by that is stopped.
    pub fn interrupt(&self) {
        if self.owner == std::process::id() {
            let _ = write_frame(&self.writer, b's', &[libc::SIGINT as u8]);
        }
    }
}

/// A session's supervisor, as the host sees it.
#[derive(Debug)]
pub struct Link {
    socket: UnixStream,
    writer: Arc<Mutex<UnixStream>>,
    reader: Reader,
    broker: Arc<Broker>,
    supervisor: i32,
    /// What the session is held with.
    pub mechanisms: Mechanisms,
    limits: Limits,
    tool_time: bool,
    python: PathBuf,
    owner: u32,
}

impl Link {
    fn await_opening(&mut self, job: &[u8]) -> Result<(), Refused> {
        let ended = || Refused::Failed("the helper ended before the session was open".into());
        write_frame(&self.writer, b'r', job).map_err(|_| self.first_words().unwrap_or_else(ended))?;
        let deadline = Instant::now() + OPENING;
        loop {
            if let Some(result) = self.opening_frame() {
                return result;
            }
            let left = deadline.saturating_duration_since(Instant::now());
            if left.is_zero() {
                return Err(Refused::Failed("the session was not open in time".into()));
            }
            self.wait(left);
            if self.reader.fill(&self.socket) == Got::End {
                return self.opening_frame().unwrap_or_else(|| Err(ended()));
            }
        }
    }

    /// What was said before the other side closed.
    fn first_words(&mut self) -> Option<Refused> {
        while self.reader.fill(&self.socket) == Got::Some {}
        self.opening_frame()?.err()
    }

    fn opening_frame(&mut self) -> Option<Result<(), Refused>> {
        while let Ok(Some((kind, payload))) = self.reader.next() {
            let said = serde_json::from_slice::<Value>(&payload).unwrap_or_default();
            match kind {
                b'w' => {
                    self.mechanisms = serde_json::from_value(said["mechanisms"].clone()).unwrap_or_default();
                    self.supervisor = said["supervisor"].as_i64().unwrap_or(0) as i32;
                    return Some(Ok(()));
                }
                b'f' => {
                    let why = said["why"].as_str().unwrap_or_default();
                    let python = self.python.display();
                    return Some(Err(match said["kind"].as_str() {
                        Some("x") => Refused::Unusable(format!("`{python}`: {why}")),
                        Some("v") => {
                            Refused::Unusable(format!("`{python}` is Python {why}; antifreeze runs code with Python 3.9 or later"))
                        }
                        Some("c") => Refused::Unusable(format!("confine: {why}. This system cannot hold a session in that way")),
                        _ => Refused::Failed(why.to_owned()),
                    }));
                }
                _ => {}
            }
        }
        None
    }

    fn wait(&self, wait: Duration) -> bool {
        wait_readable(&self.socket, wait)
    }

    /// For other threads.
    pub fn interrupter(&self) -> Interrupter {
        Interrupter { writer: self.writer.clone(), owner: self.owner }
    }

    /// Whether this process opened it, rather than one that this process was forked from.
    pub fn is_own(&self) -> bool {
        self.owner == std::process::id()
    }

    /// The supervisor's pid.
    pub fn supervisor(&self) -> i32 {
        self.supervisor
    }

    /// Does one step; blocks until it is over. `stream` gets output as it comes; `tool` is called for each call of a tool, and must
    /// not take long: the answer may come later, from any thread.
    pub fn step(
        &mut self,
        request: &StepRequest,
        timeout: f64,
        stream: &mut dyn FnMut(Stream, &[u8]),
        tool: &mut dyn FnMut(ToolCall),
    ) -> Outcome {
        let asked = self.as_run(request, timeout);
        let lines = Lines::new(&asked.text);
        let message = step_message(request, &asked, &lines);
        if write_frame(&self.writer, b'q', message.to_string().as_bytes()).is_err() {
            let why = self.last_words();
            return lost(&format!("{why}; this step was not run"));
        }
        let mut output = [Vec::new(), Vec::new()];
        let mut late = Instant::now() + PATIENCE * 30;
        let mut asked_since = None;
        let mut taken_down = false;
        let mut interrupted = false;
        let mut ending: Option<Ending> = None;
        let mut why = None;
        'listening: loop {
            let wait = late.saturating_duration_since(Instant::now());
            if wait.is_zero() {
                self.hurry(&mut asked_since, &mut taken_down);
                late = Instant::now() + Duration::from_millis(50);
                continue;
            }
            if !self.wait(wait) {
                continue;
            }
            let got = self.reader.fill(&self.socket);
            while let Ok(Some((kind, payload))) = self.reader.next() {
                match kind {
                    b'o' => {
                        stream(Stream::Stdout, &payload);
                        output[0].extend_from_slice(&payload);
                    }
                    b'e' => {
                        stream(Stream::Stderr, &payload);
                        output[1].extend_from_slice(&payload);
                    }
                    b't' => late = Instant::now() + Duration::from_secs_f64(timeout) + PATIENCE,
                    b'T' => {
                        if !self.tool_time {
                            late += Duration::from_secs_f64(timeout);
                        }
                        if let Some(call) = self.tool_call(&payload) {
                            tool(call);
                        }
                    }
                    b'n' => {
                        let said = serde_json::from_slice::<Value>(&payload).unwrap_or_default();
                        why = said["why"].as_str().map(str::to_owned);
                    }
                    b'z' => {
                        ending = serde_json::from_slice(&payload).ok();
                        interrupted = ending.as_ref().is_some_and(|ending| ending.stop == wire::Stop::Interrupted);
                        break 'listening;
                    }
                    _ => {}
                }
            }
            if got == Got::End {
                break;
            }
            asked_since = None;
        }
        let Some(ending) = ending else {
            let why = why.unwrap_or_else(|| {
                let late = format!("did not answer for {} s and was ended", LAST_PATIENCE.as_secs());
                format!("what supervises the session {}", if taken_down { &late } else { "was ended" })
            });
            let mut out = lost(&why);
            (out.stdout, out.stdout_base64) = account::decode(&output[0]);
            (out.stderr, out.stderr_base64) = account::decode(&output[1]);
            return out;
        };
        let mut out = account::outcome(&asked, &asked.name, &lines, &ending);
        (out.stdout, out.stdout_base64) = account::decode(&output[0]);
        (out.stderr, out.stderr_base64) = account::decode(&output[1]);
        if let StepRequest::Get(_) = request
            && ending.report.as_ref().and_then(|report| report.get("exact")) != Some(&Value::Bool(true))
        {
            out.result = Value::Null;
        }
        if interrupted || out.error.as_ref().is_some_and(|error| error.kind == "KeyboardInterrupt") {
            out.interrupted = Some(libc::SIGINT as u8);
        }
        out
    }

    /// Why the other side is gone.
    fn last_words(&mut self) -> String {
        while self.reader.fill(&self.socket) == Got::Some {}
        while let Ok(Some((kind, payload))) = self.reader.next() {
            if kind == b'n'
                && let Some(why) = serde_json::from_slice::<Value>(&payload).unwrap_or_default()["why"].as_str()
            {
                return why.to_owned();
            }
        }
        "what supervises the session was ended".into()
    }

    fn tool_call(&self, payload: &[u8]) -> Option<ToolCall> {
        let mut call = serde_json::from_slice::<Value>(payload).ok()?;
        let id = call["id"].as_u64()?;
        let name = call["name"].as_str()?.to_owned();
        let (Value::Array(args), Value::Object(kwargs)) = (call["arguments"][0].take(), call["arguments"][1].take()) else { return None };
        Some(ToolCall { name, args, kwargs, reply: Reply { id, writer: self.writer.clone() } })
    }

    /// The supervisor is late. Without a namespace its session may have stopped it, or the broker, as any process of its user.
    fn hurry(&self, since: &mut Option<Instant>, taken_down: &mut bool) {
        let now = Instant::now();
        let since = *since.get_or_insert(now);
        if self.owner == std::process::id() && tree::is_stopped(self.broker.pid) {
            sys::kill(self.broker.pid, libc::SIGCONT);
        }
        if !*taken_down && now - since > LAST_PATIENCE {
            *taken_down = true;
            self.broker.order(&Order::TakeDown(self.supervisor), &[]);
        } else {
            self.broker.order(&Order::Hurry(self.supervisor), &[]);
        }
    }

    fn as_run(&self, request: &StepRequest, timeout: f64) -> Request {
        let (text, name, guards) = match request {
            StepRequest::Run { text, name, guards } => (text.clone(), name.clone(), guards.clone()),
            StepRequest::Set(..) => (Arc::from(""), "<set>".to_owned(), Vec::new()),
            StepRequest::Get(_) => (Arc::from(""), "<get>".to_owned(), Vec::new()),
        };
        Request { text, name, limits: Limits { timeout, ..self.limits }, guards, ..Request::of_command(self.python.clone()) }
    }

    /// Ends the session in order: what it registered for its end is run, as long as a step may take. Waits for it.
    pub fn close(mut self) {
        if write_frame(&self.writer, b'c', &[]).is_err() {
            return;
        }
        let deadline = Instant::now() + Duration::from_secs_f64(self.limits.timeout.min(20.0)) + LAST_PATIENCE;
        while Instant::now() < deadline {
            self.wait(Duration::from_millis(200));
            if self.reader.fill(&self.socket) == Got::End {
                return;
            }
        }
    }
}

impl Drop for Link {
    fn drop(&mut self) {
        // A process forked from this one holds a copy of the socket: its end alone would tell the supervisor nothing.
        if self.owner == std::process::id() {
            let _ = self.socket.shutdown(std::net::Shutdown::Both);
        }
    }
}

/// The session is gone, and the step with it.
fn lost(why: &str) -> Outcome {
    Outcome { state: Some("lost".into()), state_reason: Some(why.to_owned()), ..Outcome::internal(why) }
}

fn step_message(request: &StepRequest, asked: &Request, lines: &Lines<'_>) -> Value {
    match request {
        StepRequest::Run { .. } => {
            let mut message = super::host::worker_request(asked, &asked.name, lines);
            message["do"] = "run".into();
            message
        }
        StepRequest::Set(name, value) => {
            json!({ "do": "set", "file": "<set>", "source": "", "is_file": false, "timeout": asked.limits.timeout, "name": name, "value": value })
        }
        StepRequest::Get(name) => {
            json!({ "do": "get", "file": "<get>", "source": "", "is_file": false, "timeout": asked.limits.timeout, "name": name })
        }
    }
}
