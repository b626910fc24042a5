//! The limit flags every subcommand shares.

use std::path::{Path, PathBuf};
use std::str::FromStr;

use clap::Args;

use crate::config::environment;
use crate::limits::{Limits, parse_duration, parse_size};

/// Limits as typed; what is absent keeps the value it has.
#[derive(Debug, Clone, Default, Args)]
#[command(next_help_heading = "Limits")]
pub struct LimitArgs {
    /// All but `--output`.
    #[command(flatten)]
    pub common: CommonLimitArgs,
    /// Output that is kept: bytes, or `64KiB`, `1MiB`
    #[arg(long, value_name = "SIZE", value_parser = parse_size)]
    pub output: Option<u64>,
}

/// The limits whose flag means the same under every subcommand.
#[derive(Debug, Clone, Default, Args)]
#[command(next_help_heading = "Limits")]
pub struct CommonLimitArgs {
    /// The most bits an integer may have
    #[arg(long, value_name = "BITS", value_parser = parse_count::<u64>, allow_negative_numbers = true)]
    pub int_bits: Option<u64>,
    /// Wall-clock time: seconds, or `250ms`, `2s`, `1m`
    #[arg(long, value_name = "DURATION", value_parser = parse_duration, allow_negative_numbers = true)]
    pub timeout: Option<f64>,
    /// Memory of the whole process tree: bytes, or `512MiB`, `1GiB`
    #[arg(long, value_name = "SIZE", value_parser = parse_size, allow_negative_numbers = true)]
    pub memory: Option<u64>,
    /// Processes and threads of the whole tree
    #[arg(long, value_name = "N", value_parser = parse_count::<u32>, allow_negative_numbers = true)]
    pub processes: Option<u32>,
}

/// Reads a whole number.
fn parse_count<T: FromStr>(typed: &str) -> Result<T, String> {
    typed.parse().map_err(|_| format!("`{typed}` is no whole number from 0 up, or too large"))
}

/// The limits that count where no flag says otherwise: the environment's, over the defaults.
///
/// # Errors
/// A variable that cannot be read.
pub fn from_environment() -> Result<Limits, String> {
    let limits = environment::limits(environment::variable).map_err(|error| error.to_string())?;
    Ok(limits.over(Limits::default()))
}

impl LimitArgs {
    /// The limits these flags mean, on top of `base`.
    pub fn over(&self, base: Limits) -> Limits {
        self.common.over(Limits { output: self.output.unwrap_or(base.output), ..base })
    }
}

impl CommonLimitArgs {
    /// The limits these flags mean, on top of `base`.
    pub fn over(&self, base: Limits) -> Limits {
        Limits {
            int_bits: self.int_bits.unwrap_or(base.int_bits),
            timeout: self.timeout.unwrap_or(base.timeout),
            memory: self.memory.unwrap_or(base.memory),
            processes: self.processes.unwrap_or(base.processes),
            ..base
        }
    }
}

/// The `--output` of a subcommand that writes a report: the limit where it is a size, else the report's file (a file whose name
/// is a size is `./64KiB`).
#[derive(Debug, Clone, PartialEq, Eq)]
pub enum OutputArg {
    /// [`Limits::output`].
    Limit(u64),
    /// Where to write the report.
    File(PathBuf),
}

impl OutputArg {
    /// Reads what was typed.
    pub fn parse(typed: &str) -> Result<OutputArg, String> {
        Ok(parse_size(typed).map_or_else(|_| OutputArg::File(typed.into()), OutputArg::Limit))
    }

    /// The last limit among what was typed.
    pub fn limit(typed: &[OutputArg]) -> Option<u64> {
        typed.iter().rev().find_map(|output| if let OutputArg::Limit(bytes) = output { Some(*bytes) } else { None })
    }

    /// The last file among what was typed.
    pub fn file(typed: &[OutputArg]) -> Option<&Path> {
        typed.iter().rev().find_map(|output| if let OutputArg::File(path) = output { Some(path.as_path()) } else { None })
    }
}
