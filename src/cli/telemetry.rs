//! The flags about who is told, which every subcommand shares.

use std::path::PathBuf;

use clap::{Args, ValueEnum};

use super::complain;
use crate::limits::parse_duration;
use crate::telemetry::{Choices, Settings, Telemetry, log};

/// Who is told what antifreeze does.
#[derive(Debug, Clone, Default, Args)]
#[command(next_help_heading = "Telemetry")]
pub struct TelemetryArgs {
    /// Report what is rejected, guarded or stopped to this project of Sentry's [default: $ANTIFREEZE_SENTRY_DSN]
    #[arg(long, global = true, value_name = "DSN")]
    pub sentry_dsn: Option<String>,
    /// Send the code too, with what looks like a secret taken out
    #[arg(long, global = true)]
    pub sentry_send_code: bool,
    /// How long to wait for Sentry at the end [default: a tenth of the run, from 100ms to 2s]
    #[arg(long, global = true, value_name = "DURATION", value_parser = parse_duration)]
    pub sentry_flush: Option<f64>,
    /// Log every verdict and outcome as JSON lines, to stderr
    #[arg(long, global = true, value_enum, value_name = "LEVEL")]
    pub log: Option<LogLevel>,
    /// Write the log to the end of a file instead
    #[arg(long, global = true, value_name = "FILE", requires = "log")]
    pub log_file: Option<PathBuf>,
}

/// What is logged: this and all that is graver.
#[derive(Debug, Clone, Copy, PartialEq, Eq, ValueEnum)]
pub enum LogLevel {
    /// What was stopped at a limit
    Error,
    /// What was rejected, raised or crashed too
    Warn,
    /// Everything that ended too
    Info,
    /// Every verdict too
    Debug,
}

impl From<LogLevel> for tracing::Level {
    fn from(typed: LogLevel) -> tracing::Level {
        match typed {
            LogLevel::Error => tracing::Level::ERROR,
            LogLevel::Warn => tracing::Level::WARN,
            LogLevel::Info => tracing::Level::INFO,
            LogLevel::Debug => tracing::Level::DEBUG,
        }
    }
}

impl TelemetryArgs {
    /// Begins: what is wrong with the flags is said, and everything else goes on.
    pub fn begin(&self) -> Telemetry {
        if let Some(level) = self.log
            && let Err(error) = log::write(level.into(), self.log_file.as_deref())
        {
            let file = self.log_file.as_deref().unwrap_or(std::path::Path::new("stderr"));
            complain(&format!("--log-file {}: {error}; nothing is logged", file.display()));
        }
        let choices = Choices {
            dsn: self.sentry_dsn.clone(),
            send_code: self.sentry_send_code.then_some(true),
            flush: self.sentry_flush,
            helper: None,
        };
        let (settings, wrong) = Settings::new(choices);
        if let Some(wrong) = wrong {
            complain(&wrong);
        }
        Telemetry::new(settings)
    }
}

/// Ends: what was sent may arrive for a short while yet, and what did not is said.
pub fn finish(telemetry: &Telemetry) {
    if let Some(warning) = telemetry.finish() {
        complain(&warning);
    }
}
