//! What became of a run: data only, with exactly the shape of `run --format json`.

use serde::{Deserialize, Serialize};
use serde_json::Value;

/// How a run ended.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Hash, Serialize, Deserialize)]
#[serde(rename_all = "snake_case")]
pub enum OutcomeKind {
    /// It ran to its end, or called `sys.exit` with 0 or None.
    Finished,
    /// An exception left it, or it exited with another status.
    Raised,
    /// The gate refused it; nothing was started.
    Rejected,
    /// A guard stopped an operation just before it.
    Guarded,
    /// The deadline passed.
    TimedOut,
    /// The memory limit was passed.
    OutOfMemory,
    /// The output limit was passed.
    TooMuchOutput,
    /// The process limit was passed.
    TooManyProcesses,
    /// A signal that was not ours ended it.
    Crashed,
    /// antifreeze itself failed; says nothing about the program.
    Internal,
}

impl OutcomeKind {
    /// The word that JSON has for it.
    pub fn name(self) -> &'static str {
        match self {
            OutcomeKind::Finished => "finished",
            OutcomeKind::Raised => "raised",
            OutcomeKind::Rejected => "rejected",
            OutcomeKind::Guarded => "guarded",
            OutcomeKind::TimedOut => "timed_out",
            OutcomeKind::OutOfMemory => "out_of_memory",
            OutcomeKind::TooMuchOutput => "too_much_output",
            OutcomeKind::TooManyProcesses => "too_many_processes",
            OutcomeKind::Crashed => "crashed",
            OutcomeKind::Internal => "internal",
        }
    }

    /// The exit status of `antifreeze run`.
    pub fn exit_code(self) -> u8 {
        match self {
            OutcomeKind::Finished => 0,
            OutcomeKind::Rejected => 1,
            OutcomeKind::Guarded
            | OutcomeKind::TimedOut
            | OutcomeKind::OutOfMemory
            | OutcomeKind::TooMuchOutput
            | OutcomeKind::TooManyProcesses => 3,
            OutcomeKind::Raised | OutcomeKind::Crashed => 4,
            OutcomeKind::Internal => 70,
        }
    }
}

/// The exception that ended a program.
#[derive(Debug, Clone, PartialEq, Default, Serialize, Deserialize)]
pub struct ErrorInfo {
    /// The class's name, qualified unless it is a builtin or the program's own.
    #[serde(rename = "type")]
    pub kind: String,
    /// `str` of it.
    pub message: String,
    /// The innermost line of the program's own text, 1-based.
    pub line: Option<u32>,
    /// As CPython prints it.
    pub traceback: Option<String>,
}

/// Which limit stopped a program.
#[derive(Debug, Clone, PartialEq, Serialize, Deserialize)]
pub struct LimitHit {
    /// The field of [`crate::limits::Limits`].
    pub name: String,
    /// Its value (seconds, bytes, bits, a count).
    pub value: f64,
    /// What was seen; null where the operation was refused before it could be measured.
    pub observed: Option<f64>,
}

/// One frame of a stack.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize)]
pub struct Frame {
    /// As given for the program itself, else the path.
    pub file: String,
    /// 1-based.
    pub line: u32,
    /// The function's name.
    pub function: String,
    /// The line's text, without its indentation; null for files other than the program.
    pub source: Option<String>,
}

/// One thread or process that was alive when a limit struck.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize)]
pub struct ThreadInfo {
    /// The process, numbered as the program saw it.
    pub pid: u32,
    /// The thread's identifier as Python prints it; null for other processes.
    pub thread: Option<String>,
    /// The command line, shortened; null for the program's own process.
    pub command: Option<String>,
    /// Outermost first.
    pub frames: Vec<Frame>,
}

/// Something shown besides text (a plot).
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize)]
pub struct Display {
    /// Its media type.
    pub mime: String,
    /// Text, or base64 for binary types.
    pub data: String,
    /// How many bytes were left out.
    pub truncated_bytes: u64,
}

/// What a run was held with.
#[derive(Debug, Clone, PartialEq, Eq, Default, Serialize, Deserialize)]
pub struct Mechanisms {
    /// It had a PID namespace of its own.
    pub pid_namespace: bool,
    /// It had `/proc` of its own.
    pub own_proc: bool,
    /// It was in a cgroup of its own.
    pub cgroup: bool,
    /// It was confined: see `--confine`.
    pub confined: bool,
    /// How many operations were compiled with a check.
    pub guards: u32,
    /// How the frozen frame was read: `signal`, `ptrace`; null when it was not needed or not had.
    pub stack: Option<String>,
    /// What caps the number of processes besides counting: `pid_max`, `rlimit`; null when nothing does.
    pub process_cap: Option<String>,
    /// Sessions only: its process was forked from one that had its modules imported.
    #[serde(skip_serializing_if = "Option::is_none", default)]
    pub zygote: Option<bool>,
    /// Sessions only: there was a backup to go back to.
    #[serde(skip_serializing_if = "Option::is_none", default)]
    pub checkpoint: Option<bool>,
}

/// Where a guard was placed.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize)]
pub struct GuardSite {
    /// 1-based.
    pub line: u32,
    /// 1-based, in characters.
    pub column: u32,
    /// 1-based.
    pub end_line: u32,
    /// 1-based, in characters.
    pub end_column: u32,
    /// `**`, `<<`, `*`, `**=` …, or `call`.
    pub op: String,
}

/// What became of a run.
#[derive(Debug, Clone, PartialEq, Serialize, Deserialize)]
pub struct Outcome {
    /// Of this format.
    pub version: u32,
    /// How it ended.
    pub outcome: OutcomeKind,
    /// The value of a last bare expression, where JSON can say it exactly.
    pub result: Value,
    /// Its repr; null when the program does not end in an expression.
    pub result_repr: Option<String>,
    /// What it wrote, up to the limit, decoded with replacement.
    pub stdout: String,
    /// The same bytes where decoding lost something.
    #[serde(skip_serializing_if = "Option::is_none", default)]
    pub stdout_base64: Option<String>,
    /// What it wrote, up to the limit, decoded with replacement.
    pub stderr: String,
    /// The same bytes where decoding lost something.
    #[serde(skip_serializing_if = "Option::is_none", default)]
    pub stderr_base64: Option<String>,
    /// Bytes of both that were counted but not kept.
    pub truncated_bytes: u64,
    /// The program's own exit status, 128 + n for signal n; null when it was stopped or never started.
    pub exit_status: Option<i32>,
    /// The exception that ended it.
    pub error: Option<ErrorInfo>,
    /// The gate's findings, shaped as in `check --format json`.
    pub findings: Vec<Value>,
    /// Where checks were compiled in.
    pub guard_sites: Vec<GuardSite>,
    /// The limit that stopped it.
    pub limit: Option<LimitHit>,
    /// The main thread's frames at the limit, outermost first.
    pub stack: Option<Vec<Frame>>,
    /// Why there are none, in words.
    #[serde(skip_serializing_if = "Option::is_none", default)]
    pub stack_reason: Option<String>,
    /// All threads and processes at the limit.
    pub threads: Vec<ThreadInfo>,
    /// What was shown besides text.
    pub displays: Vec<Display>,
    /// What it was held with.
    pub mechanisms: Mechanisms,
    /// Processes that were alive at its end and were killed.
    pub killed_processes: u32,
    /// From the worker being ready to the end or the decision to stop.
    pub duration_ms: f64,
    /// What the step did to the variables of its session: `advanced`, they are as the step left them; `kept`, they are as they
    /// were before it; `lost`, there are none. Null in one-shot runs.
    pub state: Option<String>,
    /// More words on that.
    #[serde(skip_serializing_if = "Option::is_none", default)]
    pub state_reason: Option<String>,
    /// How many threads of earlier steps are not there any more. Null in one-shot runs.
    pub threads_lost: Option<u32>,
    /// The tool of the host's that had not answered when the step was stopped.
    #[serde(skip_serializing_if = "Option::is_none", default)]
    pub tool: Option<String>,
    /// From the decision to stop a step to its session being as before it, in milliseconds.
    #[serde(skip_serializing_if = "Option::is_none", default)]
    pub restored_ms: Option<f64>,
    /// The signal that antifreeze itself was sent and passed on; null if none was.
    pub interrupted: Option<u8>,
}

impl Outcome {
    /// Of text that no Python compiles: it raises as it would there.
    pub fn uncompiled(exception: &str, message: String, line: Option<u32>) -> Outcome {
        let error = ErrorInfo { kind: exception.to_owned(), message, line, traceback: None };
        Outcome { error: Some(error), ..Outcome::new(OutcomeKind::Raised) }
    }

    /// An outcome of a kind with nothing else in it.
    pub fn new(outcome: OutcomeKind) -> Self {
        Outcome {
            version: 1,
            outcome,
            result: Value::Null,
            result_repr: None,
            stdout: String::new(),
            stdout_base64: None,
            stderr: String::new(),
            stderr_base64: None,
            truncated_bytes: 0,
            exit_status: None,
            error: None,
            findings: Vec::new(),
            guard_sites: Vec::new(),
            limit: None,
            stack: None,
            stack_reason: None,
            threads: Vec::new(),
            displays: Vec::new(),
            mechanisms: Mechanisms::default(),
            killed_processes: 0,
            duration_ms: 0.0,
            state: None,
            state_reason: None,
            threads_lost: None,
            tool: None,
            restored_ms: None,
            interrupted: None,
        }
    }

    /// The signal that ended antifreeze together with the program.
    pub fn interrupted_by(&self) -> Option<u8> {
        self.interrupted
    }

    /// antifreeze itself failed: why, in words.
    pub fn internal(why: impl Into<String>) -> Self {
        let error = ErrorInfo { kind: "antifreeze".into(), message: why.into(), line: None, traceback: None };
        Outcome { error: Some(error), ..Outcome::new(OutcomeKind::Internal) }
    }
}
