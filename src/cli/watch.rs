//! `antifreeze watch`: a watchdog for any program.

use std::ffi::OsString;
use std::io::{self, IsTerminal, Write};
use std::path::PathBuf;
use std::process::ExitCode;
use std::time::Duration;

use clap::{ArgGroup, Args};

use super::{Exit, complain};
use crate::executor::{self, Watched};
use crate::limits::parse_duration;
use crate::report;
use crate::report::text::{Color, Style};
use crate::telemetry::Telemetry;
use crate::watch::{self, News, Options};

/// Run any program, and end it with all it started when it freezes
#[derive(Debug, Clone, Args)]
#[command(after_help = STATUSES, group = ArgGroup::new("limit").args(["budget", "silence"]).required(true).multiple(true))]
pub struct WatchArgs {
    /// The time it may take: seconds, or `250ms`, `25s`, `10m`
    #[arg(long, value_name = "DURATION", value_parser = parse_duration)]
    pub budget: Option<f64>,
    /// The time it may go without a sign of life: output, or a heartbeat
    #[arg(long, value_name = "DURATION", value_parser = parse_duration)]
    pub silence: Option<f64>,
    /// Give the program this descriptor to write heartbeats to
    #[arg(long, value_name = "N", value_parser = clap::value_parser!(i32).range(3..1024), requires = "silence")]
    pub heartbeat_fd: Option<i32>,
    /// A file that the program touches as a heartbeat
    #[arg(long, value_name = "FILE", requires = "silence")]
    pub heartbeat_file: Option<PathBuf>,
    /// How often to start it again after it was ended; after 1 s, then 2 s, 4 s, up to 60 s
    #[arg(long, value_name = "N", default_value_t = 0)]
    pub restart: u32,
    /// Check in with this monitor of Sentry's: in progress, ok, error
    #[arg(long, value_name = "SLUG")]
    pub monitor: Option<String>,
    /// Ask for this address each minute, and when the program ends well: its absence raises the alarm
    #[arg(long, value_name = "URL")]
    pub ping: Option<String>,
    /// The program and its arguments
    #[arg(value_name = "CMD", required = true, trailing_var_arg = true)]
    pub command: Vec<OsString>,
}

const STATUSES: &str = "Exit status: that of the program, or the signal that ended it · 124 it was ended at the budget or for its silence · \
                        126 it cannot be executed · 127 it is not found · 2 usage · 70 antifreeze itself failed";

/// Does what was typed.
pub fn run(args: &WatchArgs, color: Color, telemetry: &Telemetry) -> ExitCode {
    let duration = |seconds: Option<f64>| seconds.and_then(|seconds| Duration::try_from_secs_f64(seconds).ok());
    let options = Options {
        watched: Watched {
            command: args.command.clone(),
            budget: duration(args.budget),
            silence: duration(args.silence),
            heartbeat_fd: args.heartbeat_fd,
            heartbeat_file: args.heartbeat_file.clone(),
        },
        restart: args.restart,
        monitor: args.monitor.clone(),
        ping: args.ping.clone(),
    };
    if options.monitor.is_some() && !telemetry.settings().named {
        complain("--monitor: nobody is told without --sentry-dsn or ANTIFREEZE_SENTRY_DSN");
    }
    let style = Style { color: color.wanted(io::stderr().is_terminal()), verbose: false };
    let exit = watch::watch(&options, telemetry, &mut |news| match news {
        News::Frozen(outcome) => {
            let _ = io::stderr().write_all(report::outcome::text(outcome, None, style).as_bytes());
        }
        News::Words(words) => complain(&words),
    });
    super::telemetry::finish(telemetry);
    match exit {
        Ok(watch::Exit::Status(status)) => ExitCode::from(status),
        Ok(watch::Exit::Signal(signal)) => {
            // Whoever waits for this process learns what it would have learned of the program.
            executor::die_by(signal);
            ExitCode::from((128 + signal) as u8)
        }
        Err(error) => {
            complain(&error.0);
            Exit::Internal.into()
        }
    }
}
