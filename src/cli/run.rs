//! `antifreeze run`: the gate, then the bounded executor.

use std::io::{self, IsTerminal, Read, Write};
use std::path::PathBuf;
use std::process::ExitCode;

use clap::{Args, ValueEnum};

use super::limits::LimitArgs;
use crate::eval::Settings;
use crate::executor::{self, Request, Signals, Stdin, Stream};
use crate::limits::Limits;
use crate::outcome::{LimitHit, Outcome, OutcomeKind};
use crate::report;
use crate::rules::{Level, Profile};
use crate::source::Source;
use crate::verdict::{self, Verdict};

/// Run code under limits: the gate first, then a process of its own that is always released on time
#[derive(Debug, Clone, Args)]
pub struct RunArgs {
    /// A file, or `-` for standard input
    #[arg(value_name = "PATH", required_unless_present = "code", conflicts_with = "code")]
    pub path: Option<PathBuf>,
    /// Code given as text
    #[arg(short = 'c', value_name = "CODE", allow_hyphen_values = true)]
    pub code: Option<String>,
    /// Arguments of the program
    #[arg(last = true, value_name = "ARGS")]
    pub args: Vec<String>,
    /// The interpreter: a path, or a name on PATH [default: $VIRTUAL_ENV, then python3 on PATH]
    #[arg(long, value_name = "PYTHON")]
    pub python: Option<String>,
    /// The program's working folder
    #[arg(long, value_name = "FOLDER")]
    pub cwd: Option<PathBuf>,
    /// Set an environment variable of the program
    #[arg(long, value_name = "NAME=VALUE", value_parser = parse_env)]
    pub env: Vec<(String, String)>,
    /// The program's standard input: `closed`, `inherit` or a file
    #[arg(long, value_name = "SOURCE", default_value = "closed")]
    pub stdin: String,
    /// Run what the gate would reject
    #[arg(long)]
    pub no_gate: bool,
    /// Compile the code without checks on integer operations
    #[arg(long)]
    pub no_guards: bool,
    /// End the program at the output limit, instead of dropping what is over it
    #[arg(long)]
    pub strict_output: bool,
    /// How to report
    #[arg(long, value_enum, default_value_t, value_name = "FORMAT")]
    pub format: RunFormat,
    /// The limits
    #[command(flatten)]
    pub limits: LimitArgs,
}

/// How `run` reports.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Default, ValueEnum)]
pub enum RunFormat {
    /// The program's output as it comes, and a report on stderr
    #[default]
    Text,
    /// One object on stdout, nothing else
    Json,
}

fn parse_env(text: &str) -> Result<(String, String), String> {
    match text.split_once('=') {
        Some((name, value)) if !name.is_empty() => Ok((name.to_owned(), value.to_owned())),
        _ => Err(format!("`{text}` is not NAME=VALUE")),
    }
}

/// Does what was typed. `color` is whether the report on stderr may have colours.
pub fn run(args: &RunArgs, color: bool) -> ExitCode {
    match attempt(args, color) {
        Ok(code) => ExitCode::from(code),
        Err(message) => {
            let _ = writeln!(io::stderr(), "antifreeze: {message}");
            ExitCode::from(2)
        }
    }
}

/// Gives the exit status, or what was wrong with the usage.
fn attempt(args: &RunArgs, color: bool) -> Result<u8, String> {
    let limits = args.limits.over(Limits::default());
    let source = load(args)?;
    let python = executor::python::find(args.python.as_deref()).map_err(|error| error.0)?;
    if let Some(cwd) = &args.cwd
        && !cwd.is_dir()
    {
        return Err(format!("--cwd {}: not a folder", cwd.display()));
    }
    let (source, verdict) = gate(args, source, limits);
    let findings = report::outcome::findings(&source, &verdict);
    if !args.no_gate && verdict.rejects() {
        let mut outcome = Outcome::new(OutcomeKind::Rejected);
        outcome.limit = rejection(&verdict);
        outcome.findings = findings;
        return Ok(show(args, &outcome, &source, color));
    }
    let request = request(args, &source, &verdict, python, limits);
    let text_mode = args.format == RunFormat::Text;
    let signals = signals();
    let mut output = Passing { signals: signals.as_ref(), given_up: !text_mode };
    let mut pass_on = |stream: Stream, bytes: &[u8]| output.write(stream, bytes);
    let mut outcome = executor::execute(&request, signals.as_ref(), &mut pass_on).map_err(|error| error.0)?;
    outcome.findings = findings;
    Ok(show(args, &outcome, &source, color))
}

fn load(args: &RunArgs) -> Result<Source, String> {
    let (name, bytes) = match (&args.code, &args.path) {
        (Some(code), _) => ("<command>".to_owned(), code.clone().into_bytes()),
        (None, Some(path)) if path.as_os_str() == "-" => {
            let mut bytes = Vec::new();
            io::stdin().lock().read_to_end(&mut bytes).map_err(|error| format!("standard input: {error}"))?;
            ("<stdin>".to_owned(), bytes)
        }
        (None, Some(path)) => {
            (path.to_string_lossy().into_owned(), std::fs::read(path).map_err(|error| format!("{}: {error}", path.display()))?)
        }
        (None, None) => return Err("nothing to run".into()),
    };
    let text = String::from_utf8(bytes).map_err(|error| format!("{name}: not UTF-8: {error}"))?;
    Ok(Source { name, text: text.into() })
}

/// Evaluates for findings and guard sites; not at all when neither is wanted.
fn gate(args: &RunArgs, source: Source, limits: Limits) -> (Source, Verdict) {
    if args.no_gate && args.no_guards {
        return (source, Verdict::default());
    }
    let checked = verdict::check(source, &Settings { limits, ..Settings::default() }, Profile::Agent);
    (checked.source, checked.verdict)
}

fn request(args: &RunArgs, source: &Source, verdict: &Verdict, python: PathBuf, limits: Limits) -> Request {
    let path = args.path.clone().filter(|path| path.as_os_str() != "-" && args.code.is_none());
    Request {
        text: source.text.clone(),
        name: source.name.clone(),
        argv0: match &path {
            Some(path) => path.to_string_lossy().into_owned(),
            None if args.code.is_some() => "-c".into(),
            None => "-".into(),
        },
        path,
        args: args.args.clone(),
        python,
        limits,
        guards: if args.no_guards { Vec::new() } else { verdict.guards.iter().map(|guard| (guard.span, guard.op)).collect() },
        stdin: match args.stdin.as_str() {
            "closed" => Stdin::Closed,
            "inherit" => Stdin::Inherit,
            file => Stdin::File(file.into()),
        },
        cwd: args.cwd.clone(),
        env: args.env.clone(),
        strict_output: args.strict_output,
        helper: None,
    }
}

/// The limit of the first error.
fn rejection(verdict: &Verdict) -> Option<LimitHit> {
    let first = verdict.findings.iter().find(|finding| finding.level == Level::Error)?;
    let (name, value) = first.limit?;
    Some(LimitHit { name: name.to_owned(), value, observed: first.measure.map(|measure| measure.low).filter(|low| low.is_finite()) })
}

#[cfg(target_os = "linux")]
fn signals() -> Option<Signals> {
    executor::signal_fd(&[libc::SIGINT, libc::SIGTERM, libc::SIGHUP]).ok()
}

#[cfg(not(target_os = "linux"))]
fn signals() -> Option<Signals> {
    None
}

/// Passes the program's output on. A reader that has gone away is the reader's affair: the program runs on under its
/// limits. One that has stopped reading must not keep a signal from being heard.
struct Passing<'a> {
    signals: Option<&'a Signals>,
    given_up: bool,
}

impl Passing<'_> {
    /// As much as a pipe takes at once when it says that it takes something.
    const PIECE: usize = 4096;

    fn write(&mut self, stream: Stream, bytes: &[u8]) {
        for piece in bytes.chunks(Self::PIECE) {
            if !self.given_up {
                self.given_up = match stream {
                    Stream::Stdout => {
                        !self.ready(&io::stdout()) || io::stdout().write_all(piece).and_then(|()| io::stdout().flush()).is_err()
                    }
                    Stream::Stderr => !self.ready(&io::stderr()) || io::stderr().write_all(piece).is_err(),
                };
            }
        }
    }

    /// Waits until the stream takes something. False when a signal came first.
    #[cfg(target_os = "linux")]
    fn ready(&self, stream: &impl std::os::fd::AsFd) -> bool {
        use rustix::event::{PollFd, PollFlags, poll};
        let Some(signals) = self.signals else { return true };
        loop {
            let mut fds = [PollFd::new(stream, PollFlags::OUT), PollFd::new(signals, PollFlags::IN)];
            let _ = poll(&mut fds, None);
            if !fds[0].revents().is_empty() {
                return true;
            }
            if !fds[1].revents().is_empty() {
                return false;
            }
        }
    }

    #[cfg(not(target_os = "linux"))]
    fn ready<T>(&self, _: &T) -> bool {
        self.signals.is_none()
    }
}

/// Writes the report and gives the exit status.
fn show(args: &RunArgs, outcome: &Outcome, source: &Source, color: bool) -> u8 {
    match args.format {
        RunFormat::Json => {
            if let Ok(text) = serde_json::to_string(outcome) {
                let _ = writeln!(io::stdout(), "{text}");
            }
        }
        RunFormat::Text => {
            if let Some(repr) = outcome.result_repr.as_deref().filter(|repr| *repr != "None") {
                let _ = writeln!(io::stdout(), "{repr}");
            }
            let _ = io::stdout().flush();
            let _ = io::stderr().write_all(report::outcome::text(outcome, source, color && io::stderr().is_terminal()).as_bytes());
        }
    }
    outcome.interrupted_by().map_or(outcome.outcome.exit_code(), |signal| 128 + signal)
}
