//! `antifreeze serve`: sessions for a program that talks over standard input and output.

use std::io;
use std::process::ExitCode;
use std::sync::Arc;

use clap::Args;

use super::limits::{LimitArgs, from_environment};
use super::{Exit, complain};
use crate::executor;
use crate::limits::parse_size;
use crate::serve::{self, Settings};
use crate::session::{Engine, Options};
use crate::telemetry::Telemetry;

/// Keep sessions for a program: JSON-RPC 2.0, one message a line, over standard input and output
#[derive(Debug, Clone, Args)]
pub struct ServeArgs {
    /// The interpreter: a path, or a name on PATH [default: $VIRTUAL_ENV, then python3 on PATH]
    #[arg(long, value_name = "PYTHON")]
    pub python: Option<String>,
    /// Modules that are imported once, ahead of all sessions
    #[arg(long, value_name = "MODULES", value_delimiter = ',')]
    pub preload: Vec<String>,
    /// Run what the gate would reject, in sessions that do not say otherwise
    #[arg(long)]
    pub no_gate: bool,
    /// Compile code without checks on integer operations, in sessions that do not say otherwise
    #[arg(long)]
    pub no_guards: bool,
    /// Let sessions write to their working folder only, and reach no network and no other process
    #[arg(long)]
    pub confine: bool,
    /// The most sessions at a time
    #[arg(long, value_name = "N", default_value_t = 256)]
    pub max_sessions: usize,
    /// The most memory that the limits of all sessions may come to: bytes, or `512MiB`, `16GiB`
    #[arg(long, value_name = "SIZE", value_parser = parse_size)]
    pub max_memory: Option<u64>,
    /// The most requests that wait for one session
    #[arg(long, value_name = "N", default_value_t = 64)]
    pub max_queue: usize,
    /// The limits of sessions that do not say otherwise
    #[command(flatten)]
    pub limits: LimitArgs,
}

/// Does what was typed.
pub fn run(args: &ServeArgs, telemetry: Telemetry) -> ExitCode {
    let telemetry = Arc::new(telemetry);
    let python = executor::python::find(args.python.as_deref()).map_err(|error| error.0);
    let (python, base) = match python.and_then(|python| Ok((python, from_environment()?))) {
        Ok(found) => found,
        Err(message) => {
            complain(&message);
            return Exit::Usage.into();
        }
    };
    let options = Options {
        limits: args.limits.over(base),
        python: Some(python),
        gate: !args.no_gate,
        guards: !args.no_guards,
        confine: args.confine,
        preload: args.preload.clone(),
        telemetry: Some(Arc::clone(&telemetry)),
        ..Options::default()
    };
    let settings = Settings { options, max_sessions: args.max_sessions, max_memory: args.max_memory, max_queue: args.max_queue };
    serve::serve(settings, Arc::new(Engine::new(None)), io::stdin(), io::stdout());
    super::telemetry::finish(&telemetry);
    Exit::Fine.into()
}
