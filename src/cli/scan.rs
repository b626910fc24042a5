//! `antifreeze scan`: agent logs in batch.

use std::fs::File;
use std::io::{self, BufWriter, IsTerminal, Seek, Write};
use std::path::{Path, PathBuf};
use std::sync::Arc;
use std::sync::atomic::{AtomicBool, Ordering};
use std::time::Duration;

use clap::{Args, ValueEnum};
use indicatif::{ProgressBar, ProgressStyle};

use super::interrupt::Interrupt;
use super::limits::{CommonLimitArgs, OutputArg, from_environment};
use super::{Exit, complain, written};
use crate::limits::Limits;
use crate::report::replacement::Replacement;
use crate::report::text::{Color, Style};
use crate::scan::state::State;
use crate::scan::{self, Options, Progress, engine, report};
use crate::stack;

/// `antifreeze scan`.
#[derive(Debug, Args)]
pub struct ScanArgs {
    /// Logs, and folders of them; packed with gzip or zstd, or in a ZIP archive, too
    #[arg(value_name = "PATH", required = true)]
    pub paths: Vec<PathBuf>,
    /// How to report
    #[arg(long, value_enum, default_value_t, value_name = "FORMAT")]
    pub format: ScanFormat,
    /// Write the report to a file instead of standard output; a size (`64KiB`) is the limit of the programs' output
    #[arg(long, value_name = "FILE|SIZE", value_parser = OutputArg::parse)]
    pub output: Vec<OutputArg>,
    /// Hold verdicts against how the log says snippets ended (text and json)
    #[arg(long)]
    pub stats: bool,
    /// Judge the turns of a session together: names of earlier turns are known
    #[cfg(target_os = "linux")]
    #[arg(long)]
    pub sessions: bool,
    /// The column of CSV or Parquet that holds code, text or records
    #[arg(long, value_name = "NAME")]
    pub column: Option<String>,
    /// Keep in a file how far the scan came, and go on from there the next time
    #[arg(long, value_name = "FILE")]
    pub state: Option<PathBuf>,
    /// Wait for more at the end of each file, until interrupted
    #[arg(long)]
    pub follow: bool,
    /// Threads [default: as many as there are processors]
    #[arg(long, value_name = "N", value_parser = clap::value_parser!(u16).range(1..=1024))]
    pub jobs: Option<u16>,
    /// Exit 0 even if something is rejected
    #[arg(long)]
    pub exit_zero: bool,
    /// Show all rejected snippets, and notes
    #[arg(long, short)]
    pub verbose: bool,
    /// The limits to judge by
    #[command(flatten)]
    pub limits: CommonLimitArgs,
}

/// How `scan` reports.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Default, ValueEnum)]
pub enum ScanFormat {
    /// Rejected snippets with the code underlined, then counts
    #[default]
    Text,
    /// One object
    Json,
    /// One object per snippet and line
    Jsonl,
    /// One row per snippet
    Csv,
    /// As CSV, in Parquet: where antifreeze was built with it
    Parquet,
    /// SARIF 2.1.0, for code scanning
    Sarif,
}

impl ScanFormat {
    fn of_report(self) -> Result<report::Format, String> {
        Ok(match self {
            ScanFormat::Text => report::Format::Text,
            ScanFormat::Json => report::Format::Json,
            ScanFormat::Jsonl => report::Format::Jsonl,
            ScanFormat::Csv => report::Format::Csv,
            ScanFormat::Sarif => report::Format::Sarif,
            #[cfg(feature = "parquet")]
            ScanFormat::Parquet => report::Format::Parquet,
            #[cfg(not(feature = "parquet"))]
            ScanFormat::Parquet => {
                return Err("this antifreeze was built without Parquet; build it with `--features parquet`, or use --format csv".into());
            }
        })
    }
}

/// Scans what was named.
pub fn run(args: &ScanArgs, color: Color) -> Exit {
    match attempt(args, color) {
        Ok(exit) => exit,
        Err(message) => {
            complain(&message);
            Exit::Usage
        }
    }
}

fn attempt(args: &ScanArgs, color: Color) -> Result<Exit, String> {
    let file = OutputArg::file(&args.output);
    let format = args.format.of_report()?;
    let goes_on = matches!(format, report::Format::Jsonl | report::Format::Csv);
    if args.state.is_some() && goes_on && file.is_none() {
        return Err("--state with --format jsonl or csv needs --output FILE: only of a file is it known which rows were written".into());
    }
    if args.format == ScanFormat::Parquet && file.is_none() && io::stdout().is_terminal() {
        return Err("--format parquet is not for a terminal; name a file with --output FILE".into());
    }
    if args.follow && matches!(args.format, ScanFormat::Json | ScanFormat::Parquet | ScanFormat::Sarif) && file.is_none() {
        return Err("--follow goes with --format text, jsonl or csv, or with --output FILE".into());
    }
    if args.stats && !matches!(format, report::Format::Text | report::Format::Json) {
        return Err("--stats goes with --format text or json".into());
    }
    let base = from_environment()?;
    let limits = args.limits.over(Limits { output: OutputArg::limit(&args.output).unwrap_or(base.output), ..base });
    let (files, mut errors) = engine::files(&args.paths);
    let is_table = |path: &&PathBuf| path.extension().is_some_and(|extension| extension.eq_ignore_ascii_case("csv"));
    if args.column.is_none() {
        for table in files.iter().filter(is_table) {
            complain(&format!("{}: without --column NAME, a CSV file is read as text", table.display()));
        }
    }
    #[cfg(target_os = "linux")]
    let together = args.sessions;
    #[cfg(not(target_os = "linux"))]
    let together = false;
    let jobs = args.jobs.map_or_else(stack::processors, usize::from);
    let settings = format!("{} {:?} {limits:?} {together} {:?}", env!("CARGO_PKG_VERSION"), args.format, args.column);
    let state = match &args.state {
        Some(path) => State::read(path, &settings)?,
        None => State::default(),
    };
    let is_terminal = file.is_none() && io::stdout().is_terminal();
    let style = Style { color: color.wanted(is_terminal), verbose: args.verbose };
    let cannot = |path: &Path, error: io::Error| format!("cannot write the report {}: {error}", path.display());
    let mut replacement = None;
    let (out, length): (Box<dyn Write + Send>, u64) = match file {
        None => (Box::new(BufWriter::new(io::stdout())), 0),
        Some(path) if args.state.is_some() && goes_on => {
            let mut report = File::options().create(true).truncate(false).write(true).open(path).map_err(|error| cannot(path, error))?;
            let there = report.metadata().map_err(|error| cannot(path, error))?;
            let length = if there.is_file() { state.output_bytes } else { 0 };
            if there.is_file() && there.len() < length {
                return Err(format!("{} is shorter than the scan before left it; delete the state to begin anew", path.display()));
            }
            // What was written after the state was saved is written again.
            if there.is_file() {
                report.set_len(length).and_then(|()| report.seek(io::SeekFrom::End(0))).map_err(|error| cannot(path, error))?;
            }
            (Box::new(BufWriter::new(report)), length)
        }
        Some(path) => {
            let (file, pending) = Replacement::begin(path).map_err(|error| cannot(path, error))?;
            replacement = Some(pending);
            (Box::new(BufWriter::new(file)), 0)
        }
    };
    let options = Options { files, limits, jobs, together, column: args.column.clone(), follow: args.follow, state: args.state.clone() };
    let interrupt = Interrupt::default();
    interrupt.listen();
    let progress = Progress::default();
    let done = Arc::new(AtomicBool::new(false));
    let (scanned, mut report) = std::thread::scope(|scope| {
        let bar = bar(&options);
        if let Some(bar) = bar.clone() {
            let (done, progress) = (&done, &progress);
            scope.spawn(move || {
                while !done.load(Ordering::Relaxed) {
                    bar.set_position(progress.read.load(Ordering::Relaxed));
                    bar.set_message(format!(
                        "{} snippets, {} rejected",
                        progress.snippets.load(Ordering::Relaxed),
                        progress.rejected.load(Ordering::Relaxed)
                    ));
                    std::thread::sleep(Duration::from_millis(100));
                }
                bar.finish_and_clear();
            });
        }
        let scanned = report::Report::new(out, length, format, style, args.stats)
            .map_err(|error| format!("cannot write the report: {error}"))
            .and_then(|mut report| Ok((scan::scan(&options, state, &mut report, &progress, &|| interrupt.came())?, report)));
        done.store(true, Ordering::Relaxed);
        scanned
    })?;
    let mut exit = Exit::Fine;
    report.summary().bytes = progress.read.load(Ordering::Relaxed);
    errors.extend(scanned.unreadable);
    errors.extend(scanned.unsaved);
    for error in errors {
        complain(&error);
        exit = exit.max(Exit::Usage);
    }
    for complaint in report.complaints() {
        complain(&complaint);
    }
    if !args.exit_zero && report.summary().rejected > 0 {
        exit = exit.max(Exit::Rejected);
    }
    let shown = match scanned.unwritten {
        Some(error) => Err(error),
        None => report.finish(),
    };
    drop(report);
    let shown = shown.and_then(|()| replacement.take().map_or(Ok(()), Replacement::finish));
    let exit = written(shown, exit);
    Ok(interrupt.status().map_or(exit, Exit::Interrupted))
}

/// How far the scan is, where somebody sees it.
fn bar(options: &Options) -> Option<ProgressBar> {
    if !io::stderr().is_terminal() || options.follow {
        return None;
    }
    let size = |path: &PathBuf| std::fs::metadata(path).map_or(0, |metadata| metadata.len());
    let bar = ProgressBar::new(options.files.iter().map(size).sum());
    let template = "{bar:30} {bytes} of {total_bytes}, {bytes_per_sec}, {eta} left: {msg}";
    bar.set_style(ProgressStyle::with_template(template).unwrap_or_else(|_| ProgressStyle::default_bar()));
    Some(bar)
}
