//! Sessions: steps that run one after another in one Python, whose variables live on, also when a step freezes.
//!
//! Two states stand side by side: the real one, in a process of its own ([`crate::executor`]), and what the gate knows of it
//! ([`gate`]). Both advance with a step that ends and stay where they were with a step that is stopped.
//!
//! The interface blocks and may be used from any thread. A session runs one step at a time; others wait.

pub mod gate;
pub mod imports;

use std::collections::BTreeMap;
use std::fmt;
use std::path::PathBuf;
use std::sync::{Arc, Mutex};

use serde::Deserialize;
use serde_json::{Map, Value};

use crate::executor::{self, Broker, Interrupter, Link, Opening, Refused, StepRequest, Stream, ToolCall, Unusable};
use crate::limits::{Limits, is_duration};
use crate::once;
use crate::outcome::{ErrorInfo, Mechanisms, Outcome, OutcomeKind};
use crate::source::{Source, SourceError};
use crate::stack;
use crate::syntax::KEYWORDS;
use crate::telemetry::{About, Telemetry, log};
use crate::verdict::Verdict;

use gate::Gate;

/// A tool of the host's: takes positional and named arguments, gives a value, or says what went wrong. Called on a thread of its
/// own; when the step is stopped before it is done, what it gives is dropped.
pub type ToolFunction = dyn Fn(Vec<Value>, Map<String, Value>) -> Result<Value, String> + Send + Sync;

/// What a session is made of.
#[derive(Clone, Deserialize)]
#[serde(default, deny_unknown_fields)]
pub struct Options {
    /// What each step may use.
    pub limits: Limits,
    /// The interpreter; the one `antifreeze run` would use if none is named.
    pub python: Option<PathBuf>,
    /// Its working folder, if not the host's.
    pub cwd: Option<PathBuf>,
    /// Environment variables to set for it.
    pub env: Vec<(String, String)>,
    /// Whether steps that the gate rejects are not run.
    pub gate: bool,
    /// Whether integer operations are checked at run time.
    pub guards: bool,
    /// Whether it may write to its working folder only, and reach nothing else.
    pub confine: bool,
    /// Whether a backup of its state is kept; without one, a step that is stopped loses the session.
    pub checkpoint: bool,
    /// Whether output over the limit ends a step.
    pub strict_output: bool,
    /// Modules that are imported ahead.
    pub preload: Vec<String>,
    /// The modules its code may import, with their submodules, if not all. A convenience, not a boundary.
    pub allowed_imports: Option<Vec<String>>,
    /// Functions of the host's that its code can call.
    #[serde(skip)]
    pub tools: BTreeMap<String, Arc<ToolFunction>>,
    /// Whether the time the host takes for them counts for the step. Where it does not, one call may take as long as a step.
    pub tool_time: bool,
    /// Who is told of steps that are rejected or stopped.
    #[serde(skip)]
    pub telemetry: Option<Arc<Telemetry>>,
    /// Whether PID namespaces are used where the kernel has them; `ANTIFREEZE_NO_NAMESPACE` in the environment switches them off too.
    pub namespaces: bool,
}

impl Default for Options {
    fn default() -> Self {
        Options {
            limits: Limits::default(),
            python: None,
            cwd: None,
            env: Vec::new(),
            gate: true,
            guards: true,
            confine: false,
            checkpoint: true,
            strict_output: false,
            preload: Vec::new(),
            allowed_imports: None,
            tools: BTreeMap::new(),
            tool_time: true,
            telemetry: None,
            namespaces: true,
        }
    }
}

impl fmt::Debug for Options {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.debug_struct("Options")
            .field("limits", &self.limits)
            .field("python", &self.python)
            .field("preload", &self.preload)
            .field("tools", &self.tools.keys().collect::<Vec<_>>())
            .finish_non_exhaustive()
    }
}

/// Why a session could not be had, or not be used.
#[derive(Debug, Clone, PartialEq, Eq)]
pub enum Error {
    /// The user's to remedy.
    Unusable(String),
    /// antifreeze itself failed.
    Failed(String),
    /// The session was closed.
    Closed,
}

impl fmt::Display for Error {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        match self {
            Error::Unusable(why) | Error::Failed(why) => f.write_str(why),
            Error::Closed => f.write_str("the session is closed; open another"),
        }
    }
}

impl std::error::Error for Error {}

impl From<Refused> for Error {
    fn from(refused: Refused) -> Self {
        match refused {
            Refused::Unusable(why) => Error::Unusable(why),
            Refused::Failed(why) => Error::Failed(why),
        }
    }
}

impl From<Unusable> for Error {
    fn from(unusable: Unusable) -> Self {
        Error::Unusable(unusable.0)
    }
}

/// Opens sessions: one helper process for all of them. Ends, with its sessions, when it and they are dropped.
#[derive(Debug, Default)]
pub struct Engine {
    helper: Option<PathBuf>,
    env: Vec<(String, String)>,
    broker: Mutex<Option<Arc<Broker>>>,
}

impl Engine {
    /// `helper` is the `antifreeze` executable; this process's own if none is named. Nothing is started before the first session is.
    pub fn new(helper: Option<PathBuf>) -> Self {
        Engine { helper, ..Engine::default() }
    }

    /// Sets an environment variable of the helper and of all its sessions.
    pub fn env(mut self, name: &str, value: &str) -> Self {
        self.env.push((name.to_owned(), value.to_owned()));
        self
    }

    /// The helper, started anew where there is none any more or this process was forked from the one that has it.
    fn broker(&self) -> Result<Arc<Broker>, Error> {
        let mut known = stack::lock(&self.broker);
        if let Some(broker) = known.as_ref().filter(|broker| broker.is_alive()) {
            return Ok(broker.clone());
        }
        Ok(known.insert(Arc::new(Broker::start(self.helper.as_deref(), &self.env)?)).clone())
    }

    /// The helper's pid, where one was started.
    pub fn helper_pid(&self) -> Option<i32> {
        self.broker.lock().ok()?.as_ref().map(|broker| broker.pid())
    }

    /// Opens a session.
    pub fn open(self: &Arc<Self>, options: Options) -> Result<Session, Error> {
        let asked = options.python.as_ref().map(|path| path.to_string_lossy().into_owned());
        let python = executor::python::find(asked.as_deref())?;
        if let Some(cwd) = &options.cwd
            && !cwd.is_dir()
        {
            return Err(Error::Unusable(format!("{}: not a folder", cwd.display())));
        }
        if let Some(name) = options.tools.keys().find(|name| !is_identifier(name)) {
            return Err(Error::Unusable(format!("the tool `{name}` is not named as a function can be")));
        }
        let opening = Opening {
            python,
            cwd: options.cwd.clone(),
            env: options.env.clone(),
            limits: options.limits,
            strict_output: options.strict_output,
            confine: options.confine,
            preload: options.preload.clone(),
            checkpoint: options.checkpoint,
            tools: options.tools.keys().cloned().collect(),
            tool_time: options.tool_time,
            namespaces: options.namespaces,
            allowed_imports: options.allowed_imports.clone(),
        };
        let link = self.broker()?.open(&opening)?;
        let interrupter = Mutex::new(Some(link.interrupter()));
        let gate = Gate::new(&options);
        let state = State { link: Some(link), gate, steps: 0, closed: false };
        Ok(Session { engine: self.clone(), options, opening, interrupter, state: Mutex::new(state) })
    }
}

/// Takes output as it comes.
pub type OnOutput<'a> = &'a mut dyn FnMut(Stream, &[u8]);

/// One Python whose variables live on from step to step.
#[derive(Debug)]
pub struct Session {
    engine: Arc<Engine>,
    options: Options,
    opening: Opening,
    interrupter: Mutex<Option<Interrupter>>,
    state: Mutex<State>,
}

#[derive(Debug)]
struct State {
    /// None after the session was lost, until the next step opens it anew.
    link: Option<Link>,
    gate: Gate,
    steps: u64,
    closed: bool,
}

impl Session {
    /// Opens a session with a helper of its own.
    pub fn open(options: Options) -> Result<Session, Error> {
        Arc::new(Engine::default()).open(options)
    }

    /// What it was opened with.
    pub fn options(&self) -> &Options {
        &self.options
    }

    /// What it is held with.
    pub fn mechanisms(&self) -> Mechanisms {
        self.lock().link.as_ref().map(|link| link.mechanisms.clone()).unwrap_or_default()
    }

    /// The pid of what supervises it, for tests and diagnosis.
    pub fn supervisor_pid(&self) -> Option<i32> {
        self.lock().link.as_ref().map(Link::supervisor)
    }

    fn lock(&self) -> std::sync::MutexGuard<'_, State> {
        stack::lock(&self.state)
    }

    /// What the gate says of code, were it the next step. Runs nothing.
    pub fn check(&self, code: &str) -> Result<(Source, Verdict), Error> {
        let state = self.lock();
        let source = step_source(code, state.steps + 1).map_err(|error| Error::Unusable(error.to_string()))?;
        let checked = state.gate.check(source);
        Ok((checked.source, checked.verdict))
    }

    /// Runs code: the gate first, then the session's process. Blocks until the step is over.
    pub fn run(&self, code: &str) -> Result<Outcome, Error> {
        self.run_with(code, None, &mut |_, _| {})
    }

    /// The same with a time of its own (in seconds) and output as it comes.
    pub fn run_with(&self, code: &str, timeout: Option<f64>, output: OnOutput<'_>) -> Result<Outcome, Error> {
        let mut state = self.lock();
        if state.closed {
            return Err(Error::Closed);
        }
        let timeout = timeout.unwrap_or(self.options.limits.timeout);
        if !is_duration(timeout) {
            return Err(Error::Unusable(format!("a step cannot have {timeout} seconds; give a number above 0 and up to 1e9")));
        }
        state.steps += 1;
        let source = match step_source(code, state.steps) {
            Ok(source) => source,
            Err(error) => {
                return Ok(Outcome { state: Some("kept".into()), threads_lost: Some(0), ..once::uncompiled(&error) });
            }
        };
        let checked =
            if self.options.gate || self.options.guards { state.gate.check_within(source, timeout) } else { state.gate.parse(source) };
        let (source, verdict) = (&checked.source, &checked.verdict);
        log::verdict(&source.name, verdict);
        let mut outcome = if let Some(refusal) = imports::refused(&checked.imports, self.options.allowed_imports.as_deref()) {
            let line = source.position(refusal.at).line;
            let error = ErrorInfo { kind: "ImportError".into(), message: refusal.message, line: Some(line), traceback: None };
            Outcome { error: Some(error), state: Some("kept".into()), threads_lost: Some(0), ..Outcome::new(OutcomeKind::Rejected) }
        } else if self.options.gate && verdict.rejects() {
            Outcome {
                limit: once::rejection(&verdict.findings),
                state: Some("kept".into()),
                threads_lost: Some(0),
                ..Outcome::new(OutcomeKind::Rejected)
            }
        } else {
            let guards = if self.options.guards { verdict.guards.iter().map(|guard| (guard.span, guard.op)).collect() } else { Vec::new() };
            let request = StepRequest::Run { text: source.text.clone(), name: source.name.clone(), guards };
            let outcome = self.step(&mut state, &request, timeout, output)?;
            state.gate.advance(&checked, &outcome);
            outcome
        };
        once::annotate(&mut outcome, source, verdict, self.options.guards);
        log::outcome(&outcome);
        if let Some(telemetry) = &self.options.telemetry {
            let limits = Limits { timeout, ..self.options.limits };
            telemetry.observe(&About { outcome: &outcome, limits: Some(&limits), code: Some(source.original_text()), name: &source.name });
        }
        Ok(outcome)
    }

    /// Gives a variable a value.
    pub fn set(&self, name: &str, value: &Value) -> Result<Outcome, Error> {
        if !is_identifier(name) || name == "__builtins__" || KEYWORDS.contains(&name) {
            return Err(Error::Unusable(format!("`{name}` is not the name of a variable")));
        }
        let mut state = self.lock();
        let request = StepRequest::Set(name.to_owned(), value.clone());
        let outcome = self.step(&mut state, &request, self.options.limits.timeout, &mut |_, _| {})?;
        state.gate.set(name, value, &outcome);
        Ok(outcome)
    }

    /// A variable's value: `result` where JSON can say it exactly, `result_repr` always. A name that is not there is a `NameError`.
    pub fn get(&self, name: &str) -> Result<Outcome, Error> {
        let mut state = self.lock();
        let outcome = self.step(&mut state, &StepRequest::Get(name.to_owned()), self.options.limits.timeout, &mut |_, _| {})?;
        state.gate.looked_at(&outcome);
        Ok(outcome)
    }

    /// Interrupts the step that runs, from another thread; does nothing when none does.
    pub fn interrupt(&self) {
        if let Some(interrupter) = &*stack::lock(&self.interrupter) {
            interrupter.interrupt();
        }
    }

    /// Ends the session: its `atexit` handlers run, as long as a step may take. A step that runs is waited for.
    pub fn close(&self) {
        let mut state = self.lock();
        state.closed = true;
        stack::lock(&self.interrupter).take();
        if let Some(link) = state.link.take().filter(Link::is_own) {
            link.close();
        }
    }

    fn step(&self, state: &mut State, request: &StepRequest, timeout: f64, output: OnOutput<'_>) -> Result<Outcome, Error> {
        if state.closed {
            return Err(Error::Closed);
        }
        let link = match &mut state.link {
            Some(link) if !link.is_own() => {
                return Err(Error::Failed("the session belongs to the process that this one was forked from; open another".into()));
            }
            Some(link) => link,
            None => {
                let link = self.engine.broker()?.open(&self.opening)?;
                *stack::lock(&self.interrupter) = Some(link.interrupter());
                state.link.insert(link)
            }
        };
        let tools = &self.options.tools;
        let outcome = link.step(request, timeout, output, &mut |call: ToolCall| match tools.get(&call.name) {
            Some(tool) => {
                let tool = tool.clone();
                let ToolCall { args, kwargs, reply, .. } = call;
                let spawned = std::thread::Builder::new().name("antifreeze tool".into()).spawn(move || {
                    let answer = std::panic::catch_unwind(std::panic::AssertUnwindSafe(|| tool(args, kwargs)));
                    reply.send(answer.unwrap_or_else(|_| Err("the tool panicked".into())));
                });
                // Without a thread there is no answer, and the deadline ends the step.
                drop(spawned);
            }
            None => call.reply.send(Err("there is no such tool".into())),
        });
        if outcome.state.as_deref() == Some("lost") {
            state.link = None;
            state.gate.forget();
        }
        Ok(outcome)
    }
}

fn step_source(code: &str, number: u64) -> Result<Source, SourceError> {
    Source::from_text(&format!("<step-{number}>"), code)
}

fn is_identifier(name: &str) -> bool {
    let mut chars = name.chars();
    chars.next().is_some_and(|c| c.is_alphabetic() || c == '_') && chars.all(|c| c.is_alphanumeric() || c == '_')
}
