//! The bounded executor: runs a program in a process of its own that is always released on time.
//!
//! ```text
//! host      this library: sends one job, receives output and one ending; never runs the program's code
//!  └ helper   `antifreeze __supervise`, or a fork of a host with one thread: owns the clock and the kills (supervise.rs)
//!     └ keeper   parent and reaper of the program; process 1 of its PID namespace where the kernel allows one (keeper.rs)
//!        └ program  the interpreter, running worker/*.py and then the program
//! ```
//!
//! Each of the three ends everything below it when the one above is gone: the helper watches the host, the keeper watches
//! the helper, and the helper is a subreaper that inherits what a killed keeper leaves. So a SIGKILL of any one of them
//! leaves no process, with and without a namespace. Without one, a program that kills helper, keeper and host at once
//! (all run as its own user) can stay behind; only a namespace rules that out.
//!
//! Decisions are made on the exit of processes and on the helper's own clock, never on the end of a pipe, which a
//! grandchild may hold, and never on the program's word: what the worker reports can only change the report on itself.

pub mod python;

#[cfg(target_os = "linux")]
mod account;
#[cfg(target_os = "linux")]
mod broker;
#[cfg(target_os = "linux")]
mod cgroup;
#[cfg(target_os = "linux")]
mod channel;
#[cfg(target_os = "linux")]
mod confine;
#[cfg(target_os = "linux")]
mod features;
#[cfg(target_os = "linux")]
mod freeze;
#[cfg(target_os = "linux")]
mod frames;
#[cfg(target_os = "linux")]
mod host;
#[cfg(target_os = "linux")]
mod keeper;
#[cfg(target_os = "linux")]
mod lines;
#[cfg(target_os = "linux")]
mod link;
#[cfg(target_os = "linux")]
mod minder;
#[cfg(target_os = "linux")]
mod steps;
#[cfg(target_os = "linux")]
mod supervise;
#[cfg(target_os = "linux")]
mod sys;
#[cfg(target_os = "linux")]
mod tree;
#[cfg(target_os = "linux")]
mod terminal;
#[cfg(target_os = "linux")]
mod usage;
#[cfg(target_os = "linux")]
mod wait;
#[cfg(target_os = "linux")]
mod watched;
#[cfg(target_os = "linux")]
mod wire;
#[cfg(target_os = "linux")]
mod worker;

use std::path::PathBuf;
use std::sync::Arc;

use crate::limits::Limits;
use crate::syntax::Span;
use crate::syntax::code::Form;

#[cfg(target_os = "linux")]
pub use broker::main as sessions;
#[cfg(target_os = "linux")]
pub use features::features;
#[cfg(target_os = "linux")]
pub use host::{Helper, execute};
#[cfg(target_os = "linux")]
pub use link::{Broker, Interrupter, Link, Opening, Refused, StepRequest, ToolCall};
#[cfg(target_os = "linux")]
pub use minder::main as mind;
#[cfg(target_os = "linux")]
pub use supervise::main as supervise;
#[cfg(target_os = "linux")]
pub use sys::{close_from, die_by, next_signal, signal_fd, signal_record};
#[cfg(target_os = "linux")]
pub use wait::wait_readable;
#[cfg(target_os = "linux")]
pub use watched::{Ended, Finished, SIGNALS, Watched, Why, attend, pause};

/// The hidden subcommand the helper is started with.
pub const SUPERVISE: &str = "__supervise";

/// The hidden subcommand the broker of a host's sessions is started with.
pub const SESSIONS: &str = "__sessions";

/// The hidden subcommand of the parent of a watched program.
pub const MIND: &str = "__mind";

/// How long the interpreter may take to be ready.
#[cfg(target_os = "linux")]
const START_LIMIT: std::time::Duration = std::time::Duration::from_secs(10);

/// Goes on in a process of its own, in a session of its own, that is nobody's child. False in the one that was started, which is
/// to end now; true where no fork is to be had, and nothing is changed.
#[cfg(target_os = "linux")]
pub fn fork_off() -> bool {
    match sys::fork() {
        Ok(sys::Forked::Parent(_)) => false,
        Ok(sys::Forked::Child) => {
            let _ = rustix::process::setsid();
            true
        }
        Err(_) => true,
    }
}

/// Whether the environment leaves namespaces switched on.
#[cfg(target_os = "linux")]
fn namespaces_wanted() -> bool {
    std::env::var_os("ANTIFREEZE_NO_NAMESPACE").is_none_or(|value| value.is_empty() || value == "0")
}

/// What the program finds on its standard input.
#[derive(Debug, Clone, PartialEq, Eq, Default)]
pub enum Stdin {
    /// The end of it.
    #[default]
    Closed,
    /// What antifreeze itself has.
    Inherit,
    /// A file.
    File(PathBuf),
}

/// What is to be run, and how.
#[derive(Debug, Clone)]
pub struct Request {
    /// The canonical text: exactly this is compiled.
    pub text: Arc<str>,
    /// How the user named it.
    pub name: String,
    /// The file it came from, if it came from one.
    pub path: Option<PathBuf>,
    /// `sys.argv[0]`.
    pub argv0: String,
    /// The rest of `sys.argv`.
    pub args: Vec<String>,
    /// The interpreter.
    pub python: PathBuf,
    /// What it may use.
    pub limits: Limits,
    /// Operations to check, with their operators (`**`, `<<=`, `call` …).
    pub guards: Vec<(Span, &'static str)>,
    /// What its text is made of; where that is not known it takes a little longer to start.
    pub form: Form,
    /// Its standard input.
    pub stdin: Stdin,
    /// Its working folder, if not the host's.
    pub cwd: Option<PathBuf>,
    /// Environment variables to set for it.
    pub env: Vec<(String, String)>,
    /// Whether output over the limit ends it.
    pub strict_output: bool,
    /// Whether it may write to its working folder only, and reach nothing else.
    pub confine: bool,
    /// The `antifreeze` executable to start as the helper; this process's own if none is named.
    pub helper: Option<PathBuf>,
}

impl Request {
    /// A program given as text, as with `-c`, under the default limits. The text itself is yet to come.
    pub fn of_command(python: PathBuf) -> Self {
        Request {
            text: "".into(),
            name: "<command>".into(),
            path: None,
            argv0: "-c".into(),
            args: Vec::new(),
            python,
            limits: Limits::default(),
            guards: Vec::new(),
            form: Form::default(),
            stdin: Stdin::Closed,
            cwd: None,
            env: Vec::new(),
            strict_output: false,
            confine: false,
            helper: None,
        }
    }
}

/// Which of the program's outputs a block belongs to.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum Stream {
    /// Standard output.
    Stdout,
    /// Standard error.
    Stderr,
}

impl Stream {
    /// As protocols call it.
    pub fn name(self) -> &'static str {
        match self {
            Stream::Stdout => "stdout",
            Stream::Stderr => "stderr",
        }
    }
}

/// Why nothing could be run: the user's to remedy.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Unusable(pub String);

/// Where signals for the host arrive, made by [`signal_fd`].
#[cfg(target_os = "linux")]
pub type Signals = std::os::fd::OwnedFd;
/// Signals are not passed on here.
#[cfg(not(target_os = "linux"))]
pub type Signals = std::convert::Infallible;

/// Runs nothing: there is no way to hold a program on this system yet.
#[cfg(not(target_os = "linux"))]
pub fn execute(_: &Request, _: Option<&Signals>, _: &mut dyn FnMut(Stream, &[u8])) -> Result<crate::outcome::Outcome, Unusable> {
    Err(Unusable("`run` works on Linux only so far; `check` works here".into()))
}

/// Nothing waits for a job here: see [`execute`].
#[cfg(not(target_os = "linux"))]
#[derive(Debug)]
pub struct Helper;

#[cfg(not(target_os = "linux"))]
impl Helper {
    /// Starts nothing.
    pub fn start(_: &Request) -> Result<Helper, Unusable> {
        Ok(Helper)
    }

    /// See [`execute`].
    pub fn execute(
        self,
        request: &Request,
        signals: Option<&Signals>,
        stream: &mut dyn FnMut(Stream, &[u8]),
    ) -> Result<crate::outcome::Outcome, Unusable> {
        execute(request, signals, stream)
    }
}

/// Nothing to run with, nothing to tell.
#[cfg(not(target_os = "linux"))]
pub fn features() -> serde_json::Value {
    serde_json::Value::Null
}

/// See [`execute`]: there is no helper here.
#[cfg(not(target_os = "linux"))]
pub fn supervise() -> std::process::ExitCode {
    std::process::ExitCode::from(2)
}
