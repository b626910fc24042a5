//! The shapes of requests, and the codes of errors.

use std::collections::BTreeMap;
use std::path::PathBuf;

use serde::de::DeserializeOwned;
use serde::{Deserialize, Serialize};
use serde_json::Value;

use crate::limits::{Limits, is_duration};
use crate::session::Options;

/// A number of JSON-RPC's for what went wrong.
pub type Code = i32;

/// Not JSON.
pub const PARSE_ERROR: Code = -32700;
/// JSON, but no request.
pub const INVALID_REQUEST: Code = -32600;
/// An unknown method.
pub const NO_METHOD: Code = -32601;
/// Parameters that the method does not take.
pub const INVALID_PARAMS: Code = -32602;
/// antifreeze itself failed.
pub const FAILED: Code = -32000;
/// There is no such session, or not any more.
pub const NO_SESSION: Code = -32001;
/// A limit on all sessions together.
pub const TOO_MANY: Code = -32002;
/// The client's to remedy: no such interpreter, folder, module.
pub const UNUSABLE: Code = -32003;

/// Why a request failed.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Problem {
    /// For programs.
    pub code: Code,
    /// For people.
    pub message: String,
}

impl Problem {
    /// Of a code, in words.
    pub fn new(code: Code, message: impl Into<String>) -> Self {
        Problem { code, message: message.into() }
    }

    /// There is no session of that name.
    pub fn no_session(name: &str) -> Self {
        Problem::new(NO_SESSION, format!("there is no session `{name}`"))
    }
}

/// The parameters of a request.
pub fn read<T: DeserializeOwned>(params: Value) -> Result<T, Problem> {
    serde_json::from_value(params).map_err(|error| Problem::new(INVALID_PARAMS, error.to_string()))
}

/// The result of a request.
pub fn write(value: &impl Serialize) -> Result<Value, Problem> {
    serde_json::to_value(value).map_err(|error| Problem::new(FAILED, error.to_string()))
}

/// `session.open`. What is absent is as the server was started.
#[derive(Debug, Clone, Default, Deserialize)]
#[serde(default, deny_unknown_fields)]
pub struct Open {
    /// What each step may use; what is absent is as the server was started.
    pub limits: Option<serde_json::Map<String, Value>>,
    /// Whether the gate rejects.
    pub gate: Option<bool>,
    /// Whether operations are checked at run time.
    pub guards: Option<bool>,
    /// Modules to import ahead.
    pub preload: Option<Vec<String>>,
    /// The names of the client's tools.
    pub tools: Option<Vec<String>>,
    /// Whether the time the client takes for them is the step's.
    pub tool_time: Option<bool>,
    /// The modules that may be imported.
    pub allowed_imports: Option<Vec<String>>,
    /// Whether it may write to its working folder only, and reach nothing else.
    pub confine: Option<bool>,
    /// Whether a backup of its state is kept.
    pub checkpoint: Option<bool>,
    /// Whether output over the limit ends a step.
    pub strict_output: Option<bool>,
    /// The interpreter.
    pub python: Option<PathBuf>,
    /// The working folder.
    pub cwd: Option<PathBuf>,
    /// Environment variables to set.
    pub env: Option<BTreeMap<String, String>>,
}

impl Open {
    /// What that means; its tools are the server's to make.
    pub fn options(&self, base: &Options) -> Result<Options, Problem> {
        let mut options = base.clone();
        if let Some(limits) = &self.limits {
            let mut all = write(&base.limits)?;
            for (name, value) in limits {
                all[name] = value.clone();
            }
            options.limits = read::<Limits>(all)?;
            check_timeout(options.limits.timeout)?;
        }
        let set = |to: &mut bool, from: Option<bool>| *to = from.unwrap_or(*to);
        set(&mut options.gate, self.gate);
        set(&mut options.guards, self.guards);
        set(&mut options.tool_time, self.tool_time);
        set(&mut options.confine, self.confine);
        set(&mut options.checkpoint, self.checkpoint);
        set(&mut options.strict_output, self.strict_output);
        if let Some(preload) = &self.preload {
            options.preload.clone_from(preload);
        }
        options.allowed_imports = self.allowed_imports.clone().or(options.allowed_imports);
        options.python = self.python.clone().or(options.python);
        options.cwd = self.cwd.clone().or(options.cwd);
        let is_text = |text: &String| !text.contains('\0');
        if let Some((name, _)) =
            self.env.iter().flatten().find(|(name, value)| name.is_empty() || name.contains('=') || !is_text(name) || !is_text(value))
        {
            return Err(Problem::new(INVALID_PARAMS, format!("`env`: {name:?} cannot be the name of a variable with that value")));
        }
        options.env.extend(self.env.iter().flatten().map(|(name, value)| (name.clone(), value.clone())));
        Ok(options)
    }
}

/// Of a session's steps, or of one.
pub fn check_timeout(seconds: f64) -> Result<(), Problem> {
    if is_duration(seconds) {
        return Ok(());
    }
    Err(Problem::new(INVALID_PARAMS, "`timeout` is a number of seconds above 0 and up to 1e9"))
}

/// `session.run` and `session.check`.
#[derive(Debug, Clone, Deserialize)]
#[serde(deny_unknown_fields)]
pub struct Run {
    /// Which session.
    pub session: String,
    /// The code.
    pub code: String,
    /// Seconds this step may take.
    #[serde(default)]
    pub timeout: Option<f64>,
}

/// `session.set`.
#[derive(Debug, Clone, Deserialize)]
#[serde(deny_unknown_fields)]
pub struct Set {
    /// Which session.
    pub session: String,
    /// The variable.
    pub name: String,
    /// Its value.
    pub value: Value,
}

/// `session.get`.
#[derive(Debug, Clone, Deserialize)]
#[serde(deny_unknown_fields)]
pub struct Get {
    /// Which session.
    pub session: String,
    /// The variable.
    pub name: String,
}

/// `session.interrupt` and `session.close`.
#[derive(Debug, Clone, Deserialize)]
#[serde(deny_unknown_fields)]
pub struct Named {
    /// Which session.
    pub session: String,
}
