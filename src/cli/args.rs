//! What can be typed.

use std::path::PathBuf;

use clap::{Parser, Subcommand, ValueEnum};

use super::limits::{CommonLimitArgs, LimitArgs, OutputArg};
use super::repro::ReproArgs;
use super::run::RunArgs;
use crate::report::text::Color;
use crate::rules::Profile;

/// Stops Python code written by AI agents from freezing the process that runs it
#[derive(Debug, Parser)]
#[command(name = "antifreeze", version, arg_required_else_help = true, after_help = EXIT_CODES)]
pub struct Args {
    /// When to write colours
    #[arg(long, value_enum, default_value_t, global = true, value_name = "WHEN")]
    pub color: ColorArg,
    /// What to do
    #[command(subcommand)]
    pub command: Command,
}

const EXIT_CODES: &str = "Exit codes: 0 nothing rejected, or finished · 1 rejected · 2 usage, or an unreadable path · 3 stopped at a limit · \
                          4 the code raised, exited non-zero or crashed · 70 antifreeze itself failed";

/// The subcommands.
#[derive(Debug, Subcommand)]
pub enum Command {
    /// Read code and reject what provably exceeds the limits, without running it
    Check(CheckArgs),
    /// Run code under limits: the gate first, then a process of its own that is always released on time
    Run(Box<RunArgs>),
    /// Explain a rule
    Rule(RuleArgs),
    /// Show what the evaluator thinks of a file, or pack a bug report
    Debug(DebugArgs),
}

/// `antifreeze check`.
#[derive(Debug, clap::Args)]
pub struct CheckArgs {
    /// Files, folders (walked for `*.py` and `*.pyw`, hidden folders left out), or `-` for standard input
    #[arg(value_name = "PATH", required_unless_present = "code")]
    pub paths: Vec<PathBuf>,
    /// Code to check, instead of paths
    #[arg(short = 'c', value_name = "CODE", conflicts_with = "paths", allow_hyphen_values = true)]
    pub code: Option<String>,
    /// How to report
    #[arg(long, value_enum, default_value_t, value_name = "FORMAT")]
    pub format: Format,
    /// What the code is judged for; by default `library` for the files of a folder, else `agent`
    #[arg(long, value_enum, value_name = "PROFILE")]
    pub profile: Option<ProfileArg>,
    /// The name of standard input in reports
    #[arg(long, value_name = "NAME")]
    pub stdin_filename: Option<String>,
    /// Write the report to a file instead of standard output; a size (`64KiB`) is the limit of the program's output
    #[arg(long, value_name = "FILE|SIZE", value_parser = OutputArg::parse)]
    pub output: Vec<OutputArg>,
    /// Exit 0 even if something is rejected
    #[arg(long)]
    pub exit_zero: bool,
    /// Show notes too
    #[arg(long, short)]
    pub verbose: bool,
    /// The limits to judge by
    #[command(flatten)]
    pub limits: CommonLimitArgs,
}

/// `antifreeze rule`.
#[derive(Debug, clap::Args)]
pub struct RuleArgs {
    /// A code or a name: `AF101`, `huge-power`; without one, a list of all
    #[arg(value_name = "CODE", conflicts_with = "all")]
    pub code: Option<String>,
    /// All rules in full
    #[arg(long)]
    pub all: bool,
    /// How to show
    #[arg(long, value_enum, default_value_t, value_name = "FORMAT")]
    pub format: RuleFormat,
}

/// `antifreeze debug`.
#[derive(Debug, clap::Args)]
pub struct DebugArgs {
    /// What to show, as JSON
    #[command(subcommand)]
    pub what: DebugWhat,
}

/// What `debug` can show.
#[derive(Debug, Subcommand)]
pub enum DebugWhat {
    /// The abstract value of every global at the end
    Values(DebugInput),
    /// Everything the evaluator found, over a limit or not
    Facts(DebugInput),
    /// The operations that are checked at run time
    Guards(DebugInput),
    /// What a bug report needs: runs the program as `run` does; without its text, output and messages unless asked
    Repro(Box<ReproArgs>),
}

/// The file `debug` looks at.
#[derive(Debug, clap::Args)]
pub struct DebugInput {
    /// A file, or `-` for standard input
    pub file: PathBuf,
    /// What the code is judged for
    #[arg(long, value_enum, default_value = "agent", value_name = "PROFILE")]
    pub profile: ProfileArg,
    /// The limits to judge by
    #[command(flatten)]
    pub limits: LimitArgs,
}

/// How `check` reports.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Default, ValueEnum)]
pub enum Format {
    /// With the code underlined
    #[default]
    Text,
    /// One line per finding
    Concise,
    /// One object
    Json,
    /// One object per file and line
    Jsonl,
}

/// How `rule` shows cards.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Default, ValueEnum)]
pub enum RuleFormat {
    /// For a terminal
    #[default]
    Text,
    /// For programs
    Json,
}

/// [`Profile`] as typed.
#[derive(Debug, Clone, Copy, PartialEq, Eq, ValueEnum)]
pub enum ProfileArg {
    /// A script about to run
    Agent,
    /// A file in a repository
    Library,
}

impl From<ProfileArg> for Profile {
    fn from(typed: ProfileArg) -> Profile {
        match typed {
            ProfileArg::Agent => Profile::Agent,
            ProfileArg::Library => Profile::Library,
        }
    }
}

/// [`Color`] as typed.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Default, ValueEnum)]
pub enum ColorArg {
    /// On a terminal
    #[default]
    Auto,
    /// Always
    Always,
    /// Never
    Never,
}

impl From<ColorArg> for Color {
    fn from(typed: ColorArg) -> Color {
        match typed {
            ColorArg::Auto => Color::Auto,
            ColorArg::Always => Color::Always,
            ColorArg::Never => Color::Never,
        }
    }
}
