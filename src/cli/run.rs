//! `antifreeze run`: the gate, then the bounded executor.

use std::io::{self, IsTerminal, Write};
use std::path::PathBuf;
use std::process::ExitCode;

use clap::{Args, ValueEnum};

use super::input::Input;
use super::limits::{LimitArgs, from_environment};
use super::{Exit, complain, files, written};
use crate::eval;
use crate::executor::{self, Request, Signals, Stdin, Stream};
use crate::limits::Limits;
use crate::once::{self, Program};
use crate::outcome::Outcome;
use crate::report;
use crate::report::text::{Color, Style};
use crate::source::Source;
use crate::telemetry::{About, Telemetry, log};

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
    /// Let the program write to its working folder and to a private /tmp and /dev/shm only, and reach no network and no other process
    #[arg(long)]
    pub confine: bool,
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

/// Does what was typed.
pub fn run(args: &RunArgs, color: Color, telemetry: &Telemetry) -> ExitCode {
    match attempt(args, color, telemetry) {
        Ok(code) => ExitCode::from(code),
        Err(message) => {
            complain(&message);
            Exit::Usage.into()
        }
    }
}

/// Gives the exit status, or what was wrong with the usage.
fn attempt(args: &RunArgs, color: Color, telemetry: &Telemetry) -> Result<u8, String> {
    let ran = gate_and_execute(args, color)?;
    let status = show(args, &ran.outcome, ran.source.as_ref(), color);
    log::outcome(&ran.outcome);
    // Who asked for the run has its answer; only now is there time for anybody else.
    telemetry.observe(&About {
        outcome: &ran.outcome,
        limits: Some(&ran.limits),
        code: ran.source.as_ref().map(Source::original_text),
        name: ran.source.as_ref().map_or("<command>", |source| &source.name),
    });
    super::telemetry::finish(telemetry);
    Ok(if status == 0 && ran.output_lost { Exit::Usage.status() } else { status })
}

/// What came of a program.
pub struct Ran {
    /// How it ended.
    pub outcome: Outcome,
    /// The limits it was under.
    pub limits: Limits,
    /// What was run; missing where it could not be analysed at all.
    pub source: Option<Source>,
    /// Whether what it wrote could not be passed on, other than for want of a reader.
    output_lost: bool,
}

/// Gates and runs.
pub fn gate_and_execute(args: &RunArgs, color: Color) -> Result<Ran, String> {
    let limits = args.limits.over(from_environment()?);
    if let Some(path) = args.path.as_deref().filter(|path| files::is_notebook(path)) {
        let shown = path.display();
        return Err(format!("{shown}: a notebook is no program that can be run. Convert it: `jupyter nbconvert --to script {shown}`"));
    }
    let input = match (&args.code, &args.path) {
        (Some(code), _) => Input::Command(code.clone()),
        (None, Some(path)) if path.as_os_str() == "-" => Input::Stdin("<stdin>".to_owned()),
        (None, Some(path)) => Input::File(path.clone()),
        (None, None) => return Err("nothing to run".into()),
    };
    let python = executor::python::find(args.python.as_deref()).map_err(|error| error.0)?;
    if let Some(cwd) = &args.cwd
        && !cwd.is_dir()
    {
        return Err(format!("--cwd {}: not a folder", cwd.display()));
    }
    let stdin = match args.stdin.as_str() {
        "closed" => Stdin::Closed,
        "inherit" => Stdin::Inherit,
        file => {
            let why = match std::fs::metadata(file) {
                Ok(found) if found.is_dir() => "it is a folder".to_owned(),
                Ok(_) => String::new(),
                Err(why) => why.to_string(),
            };
            if !why.is_empty() {
                return Err(format!("--stdin {file}: {why}. Give `closed`, `inherit` or a file"));
            }
            Stdin::File(file.into())
        }
    };
    let program = Program {
        gate: !args.no_gate,
        guards: !args.no_guards,
        stdin: if stdin == Stdin::Closed { eval::Stdin::Empty } else { eval::Stdin::Given },
        request: request(args, python, stdin, limits),
    };
    let gated = once::gate(|| input.load(), program).map_err(|error| error.to_string())?;
    if let Some((source, verdict)) = gated.judged() {
        log::verdict(&source.name, verdict);
    }
    if let Some((source, verdict)) = gated.judged()
        && args.format == RunFormat::Text
    {
        let style = Style { color: color.wanted(io::stderr().is_terminal()), verbose: false };
        let _ = report::text::write_findings(&mut io::stderr(), source, &verdict.findings, style);
    }
    // Only from here on: while a program is read from a terminal, Ctrl-C is antifreeze's own.
    let signals = signals();
    let mut output = Passing { signals: signals.as_ref(), given_up: args.format != RunFormat::Text, error: None };
    let ran = gated.run(signals.as_ref(), &mut |stream, bytes| output.write(stream, bytes)).map_err(|error| error.to_string())?;
    if let Some(error) = &output.error {
        complain(&format!("cannot pass on what the program writes: {error}"));
    }
    Ok(Ran { outcome: ran.outcome, limits, source: ran.source, output_lost: output.error.is_some() })
}

/// What was asked for, without the code.
fn request(args: &RunArgs, python: PathBuf, stdin: Stdin, limits: Limits) -> Request {
    let path = args.path.clone().filter(|path| path.as_os_str() != "-" && args.code.is_none());
    Request {
        argv0: match &path {
            Some(path) => path.to_string_lossy().into_owned(),
            None if args.code.is_some() => "-c".into(),
            None => "-".into(),
        },
        path,
        args: args.args.clone(),
        limits,
        stdin,
        cwd: args.cwd.clone(),
        env: args.env.clone(),
        strict_output: args.strict_output,
        confine: args.confine,
        ..Request::of_command(python)
    }
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
    /// Why, where it is not that nobody reads any more.
    error: Option<io::Error>,
}

impl Passing<'_> {
    /// As much as a pipe takes at once when it says that it takes something.
    const PIECE: usize = 4096;

    fn write(&mut self, stream: Stream, bytes: &[u8]) {
        for piece in bytes.chunks(Self::PIECE) {
            if self.given_up {
                return;
            }
            let written = match stream {
                Stream::Stdout if self.ready(&io::stdout()) => io::stdout().write_all(piece).and_then(|()| io::stdout().flush()),
                Stream::Stderr if self.ready(&io::stderr()) => io::stderr().write_all(piece),
                _ => {
                    self.given_up = true;
                    return;
                }
            };
            if let Err(error) = written {
                self.given_up = true;
                self.error = Some(error).filter(|error| error.kind() != io::ErrorKind::BrokenPipe);
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

/// Writes the report and gives the exit status: 2 where what was to be written could not be, however well the program ended.
fn show(args: &RunArgs, outcome: &Outcome, source: Option<&Source>, color: Color) -> u8 {
    let result = match args.format {
        RunFormat::Json => serde_json::to_string(outcome).map_err(io::Error::other).and_then(|text| {
            let mut out = io::stdout().lock();
            writeln!(out, "{text}").and_then(|()| out.flush())
        }),
        RunFormat::Text => {
            let repr = outcome.result_repr.as_deref().filter(|repr| *repr != "None");
            let shown = repr.map_or(Ok(()), |repr| writeln!(io::stdout(), "{repr}")).and_then(|()| io::stdout().flush());
            let style = Style { color: color.wanted(io::stderr().is_terminal()), verbose: false };
            let _ = io::stderr().write_all(report::outcome::text(outcome, source, style).as_bytes());
            shown
        }
    };
    let status = outcome.interrupted_by().map_or(outcome.outcome.exit_code(), |signal| 128 + signal);
    match written(result, Exit::Fine) {
        Exit::Fine => status,
        exit => exit.status(),
    }
}
