//! What can be typed.

use std::path::PathBuf;

use clap::{Parser, Subcommand, ValueEnum};

use super::limits::{CommonLimitArgs, LimitArgs, OutputArg};
use super::repro::ReproArgs;
use super::run::RunArgs;
use super::scan::ScanArgs;
#[cfg(target_os = "linux")]
use super::serve::ServeArgs;
use super::telemetry::TelemetryArgs;
#[cfg(target_os = "linux")]
use super::watch::WatchArgs;
use crate::config::LevelSetting;
use crate::report::text::Color;
use crate::rules::Profile;

/// Stops Python code written by AI agents from freezing the process that runs it
#[derive(Debug, Parser)]
#[command(name = "antifreeze", version, arg_required_else_help = true, after_help = EXIT_CODES)]
pub struct Args {
    /// When to write colours
    #[arg(long, value_enum, default_value_t, global = true, value_name = "WHEN")]
    pub color: ColorArg,
    /// Who is told what antifreeze does
    #[command(flatten)]
    pub telemetry: TelemetryArgs,
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
    Check(Box<CheckArgs>),
    /// Run code under limits: the gate first, then a process of its own that is always released on time
    Run(Box<RunArgs>),
    /// Find the Python that agents wrote in their logs, and judge it
    Scan(Box<ScanArgs>),
    /// Keep sessions for a program: JSON-RPC 2.0, one message a line, over standard input and output
    #[cfg(target_os = "linux")]
    Serve(Box<ServeArgs>),
    /// Run any program, and end it with all it started when it freezes
    #[cfg(target_os = "linux")]
    Watch(Box<WatchArgs>),
    /// Explain a rule
    Rule(RuleArgs),
    /// Write a configuration to start from
    Init(InitArgs),
    /// Show what the evaluator thinks of a file, or pack a bug report
    Debug(DebugArgs),
    /// Print what a shell needs to complete this command line
    Completions(CompletionsArgs),
    /// Print the manual page
    #[command(hide = true)]
    Man,
}

/// `antifreeze check`.
#[derive(Debug, clap::Args)]
pub struct CheckArgs {
    /// Files, folders (walked for `*.py`, `*.pyw`, `*.ipynb` and scripts with a `#!` line of Python), or `-` for standard input
    #[arg(value_name = "PATH", required_unless_present_any = ["code", "show_settings"])]
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
    /// The name of standard input in reports; one that ends in `.ipynb` makes it a notebook
    #[arg(long, value_name = "NAME")]
    pub stdin_filename: Option<String>,
    /// Write the report to a file instead of standard output; a size (`64KiB`) is the limit of the program's output
    #[arg(long, value_name = "FILE|SIZE", value_parser = OutputArg::parse)]
    pub output: Vec<OutputArg>,
    /// Count findings by rule instead of showing them (text, concise and json)
    #[arg(long)]
    pub statistics: bool,
    /// Exit 0 even if something is rejected
    #[arg(long)]
    pub exit_zero: bool,
    /// Let warnings reject too
    #[arg(long, value_enum, value_name = "WHAT")]
    pub deny: Option<DenyArg>,
    /// Show notes too
    #[arg(long, short)]
    pub verbose: bool,
    /// Where configuration comes from, and what it says
    #[command(flatten)]
    pub config: ConfigArgs,
    /// Which files are looked at
    #[command(flatten)]
    pub files: FileArgs,
    /// Which findings are shown
    #[command(flatten)]
    pub changes: ChangeArgs,
    /// The limits to judge by
    #[command(flatten)]
    pub limits: CommonLimitArgs,
}

/// Where configuration comes from, and what it says.
#[derive(Debug, Clone, Default, clap::Args)]
#[command(next_help_heading = "Configuration")]
pub struct ConfigArgs {
    /// The configuration file; without it one is looked for from each path upward, in `library` only
    #[arg(long, value_name = "FILE", conflicts_with = "isolated")]
    pub config: Option<PathBuf>,
    /// Read no configuration file
    #[arg(long)]
    pub isolated: bool,
    /// Rules that count, in place of all: codes (`AF401`), beginnings of codes (`AF4`), names, `ALL`
    #[arg(long, value_name = "CODES", value_delimiter = ',')]
    pub select: Vec<String>,
    /// Rules that do not count
    #[arg(long, value_name = "CODES", value_delimiter = ',')]
    pub ignore: Vec<String>,
    /// The level of a rule: off, note, warning or error
    #[arg(long, value_name = "CODE=LEVEL", value_delimiter = ',', value_parser = parse_level)]
    pub level: Vec<(String, LevelSetting)>,
    /// The versions of Python the claims must hold for: `3.12`, or the oldest and the newest, `3.9-3.14`
    #[arg(long, value_name = "VERSIONS")]
    pub target_version: Option<String>,
    /// Show what is configured for the paths, as a configuration file, and check nothing
    #[arg(long)]
    pub show_settings: bool,
}

/// Which files are looked at.
#[derive(Debug, Clone, Default, clap::Args)]
#[command(next_help_heading = "Files")]
pub struct FileArgs {
    /// Files and folders to leave out, in place of the configured ones; patterns as in a `.gitignore`
    #[arg(long, value_name = "PATTERN")]
    pub exclude: Vec<String>,
    /// Files and folders to leave out beside those
    #[arg(long, value_name = "PATTERN")]
    pub extend_exclude: Vec<String>,
    /// Leave out files named on the command line too
    #[arg(long)]
    pub force_exclude: bool,
    /// Look at files that git ignores too
    #[arg(long)]
    pub no_respect_gitignore: bool,
    /// Keep no verdicts and use none that were kept
    #[arg(long)]
    pub no_cache: bool,
    /// Where verdicts are kept for the next run [default: .antifreeze_cache beside the configuration]
    #[arg(long, value_name = "FOLDER")]
    pub cache_dir: Option<PathBuf>,
}

/// Which findings are shown.
#[derive(Debug, Clone, Default, clap::Args)]
#[command(next_help_heading = "Findings")]
pub struct ChangeArgs {
    /// Only findings on lines that changed since a revision branched off (`git diff`)
    #[arg(long, value_name = "REV")]
    pub diff_base: Option<String>,
    /// Leave out the findings that a file lists as known
    #[arg(long, value_name = "FILE")]
    pub baseline: Option<PathBuf>,
    /// Write the findings there are to the baseline instead of showing them [default: antifreeze-baseline.json]
    #[arg(long)]
    pub write_baseline: bool,
}

fn parse_level(typed: &str) -> Result<(String, LevelSetting), String> {
    let (code, level) = typed.split_once('=').ok_or_else(|| format!("`{typed}` is not CODE=LEVEL"))?;
    let level = level.trim();
    let setting =
        LevelSetting::parse(level).ok_or_else(|| format!("`{level}` is no level; there are {}", LevelSetting::NAMES.join(", ")))?;
    Ok((code.trim().to_owned(), setting))
}

/// `antifreeze init`.
#[derive(Debug, clap::Args)]
pub struct InitArgs {
    /// The folder to write `antifreeze.toml` to
    #[arg(value_name = "FOLDER", default_value = ".")]
    pub folder: PathBuf,
    /// Replace a configuration that is there
    #[arg(long)]
    pub force: bool,
}

/// `antifreeze completions`.
#[derive(Debug, clap::Args)]
pub struct CompletionsArgs {
    /// The shell
    #[arg(value_enum)]
    pub shell: clap_complete::Shell,
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
    /// SARIF 2.1.0, for code scanning
    Sarif,
    /// Annotations of GitHub Actions
    Github,
    /// A code quality report of GitLab
    Gitlab,
    /// A test report in JUnit's XML
    Junit,
}

/// What rejects beside errors.
#[derive(Debug, Clone, Copy, PartialEq, Eq, ValueEnum)]
pub enum DenyArg {
    /// Warnings do
    Warnings,
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
