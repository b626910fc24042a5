//! The command line: what was typed becomes settings, the stages above do the work.

pub mod args;
pub mod baseline;
pub mod cache;
pub mod check;
pub mod debug;
pub mod diff;
pub mod files;
pub mod init;
pub mod input;
pub mod interrupt;
pub mod limits;
pub mod manual;
pub mod output;
pub mod repro;
pub mod rule;
pub mod run;
pub mod scan;
#[cfg(target_os = "linux")]
pub mod serve;
pub mod settings;
pub mod telemetry;
#[cfg(target_os = "linux")]
pub mod watch;

use std::io::{self, Write};
use std::process::ExitCode;

use clap::Parser;

use args::{Args, Command};

use crate::executor;

/// What the process exits with.
#[derive(Debug, Clone, Copy, PartialEq, Eq, PartialOrd, Ord)]
pub enum Exit {
    /// Nothing was rejected.
    Fine,
    /// Findings that reject.
    Rejected,
    /// Usage, configuration, an unreadable path.
    Usage,
    /// antifreeze itself failed.
    Internal,
    /// A signal came; the status.
    Interrupted(u8),
}

impl Exit {
    /// The number.
    fn status(self) -> u8 {
        match self {
            Exit::Fine => 0,
            Exit::Rejected => 1,
            Exit::Usage => 2,
            Exit::Internal => 70,
            Exit::Interrupted(status) => status,
        }
    }
}

impl From<Exit> for ExitCode {
    fn from(exit: Exit) -> ExitCode {
        ExitCode::from(exit.status())
    }
}

/// Parses the command line and does what it says.
pub fn main() -> ExitCode {
    // The helpers of runs and sessions are this executable too, and owe their start no parsing of flags.
    match std::env::args_os().nth(1) {
        Some(word) if word == executor::SUPERVISE => return executor::supervise(),
        #[cfg(target_os = "linux")]
        Some(word) if word == executor::SESSIONS => return executor::sessions(),
        #[cfg(target_os = "linux")]
        Some(word) if word == executor::MIND => return executor::mind(),
        #[cfg(target_os = "linux")]
        Some(word) if word == crate::telemetry::DELIVER => return crate::telemetry::deliver(),
        _ => {}
    }
    let args = match Args::try_parse() {
        Ok(args) => args,
        // Help and version go to stdout and are no error; where nobody reads them that is none either.
        Err(error) => {
            let printed = error.print().and_then(|()| io::stdout().flush());
            return if error.use_stderr() { Exit::Usage } else { written(printed, Exit::Fine) }.into();
        }
    };
    let color = args.color.into();
    let begin = || args.telemetry.begin();
    match args.command {
        Command::Check(args) => check::run(&args, color, &begin()).into(),
        Command::Run(args) => run::run(&args, color, &begin()),
        #[cfg(target_os = "linux")]
        Command::Serve(args) => serve::run(&args, begin()),
        #[cfg(target_os = "linux")]
        Command::Watch(args) => watch::run(&args, color, &begin()),
        Command::Scan(args) => scan::run(&args, color).into(),
        Command::Rule(args) => rule::run(&args, color).into(),
        Command::Init(args) => init::run(&args).into(),
        Command::Debug(args) => debug::run(&args).into(),
        Command::Completions(args) => manual::completions(&args).into(),
        Command::Man => manual::page().into(),
    }
}

/// Says on stderr what went wrong with the invocation.
fn complain(message: &str) {
    let _ = writeln!(io::stderr(), "antifreeze: {}", crate::report::text::plain(message));
}

/// What an attempt to write the report comes to: a reader that has gone away (`antifreeze check . | head`) is no error.
fn written(result: io::Result<()>, exit: Exit) -> Exit {
    match result {
        Ok(()) => exit,
        Err(error) if error.kind() == io::ErrorKind::BrokenPipe => exit,
        Err(error) => {
            complain(&format!("cannot write the report: {error}"));
            exit.max(Exit::Usage)
        }
    }
}
