//! `antifreeze check`: the gate alone.

use std::fs::File;
use std::io::{self, BufWriter, IsTerminal, Write};
use std::path::Path;
use std::time::Instant;

use super::args::{CheckArgs, Format};
use super::input::{Failure, Input, expand, for_each};
use super::limits::OutputArg;
use super::{Exit, complain, written};
use crate::eval::Settings;
use crate::limits::Limits;
use crate::report::text::{Color, Style};
use crate::report::{FileReport, json, text};
use crate::rules::Profile;
use crate::source::SourceError;
use crate::verdict;

/// Checks what was named and reports on it.
pub fn run(args: &CheckArgs, color: Color) -> Exit {
    let (mut limits, mut file) = (args.limits.over(Limits::default()), None);
    for output in &args.output {
        match output {
            OutputArg::Limit(bytes) => limits.output = *bytes,
            OutputArg::File(path) => file = Some(path.as_path()),
        }
    }
    let (inputs, errors) = match &args.code {
        Some(code) => (vec![Input::Command(code.clone())], Vec::new()),
        None => expand(&args.paths, args.stdin_filename.as_deref().unwrap_or("<stdin>")),
    };
    let mut exit = Exit::Fine;
    for error in errors {
        complain(&error);
        exit = exit.max(Exit::Usage);
    }

    let profile = args.profile.map(Profile::from);
    let mut reports = Vec::with_capacity(inputs.len());
    for answer in for_each(&inputs, |input| check(input, limits, profile.unwrap_or_else(|| input.profile()))) {
        match answer {
            Ok(report) => reports.push(report),
            Err(Failure::Unreadable(message)) => {
                complain(&message);
                exit = exit.max(Exit::Usage);
            }
            Err(Failure::Internal(message)) => {
                complain(&message);
                exit = exit.max(Exit::Internal);
            }
        }
    }
    if !args.exit_zero && reports.iter().any(FileReport::rejects) {
        exit = exit.max(Exit::Rejected);
    }
    written(report(&reports, args, file, color), exit)
}

fn check(input: &Input, limits: Limits, profile: Profile) -> Result<FileReport, SourceError> {
    let source = input.load()?;
    let settings = Settings {
        limits,
        is_main: profile == Profile::Agent,
        is_file: matches!(input, Input::File(_)),
        describe: false,
        ..Settings::default()
    };
    let start = Instant::now();
    let checked = verdict::check(source, &settings, profile);
    Ok(FileReport::new(checked, start.elapsed()))
}

fn report(reports: &[FileReport], args: &CheckArgs, file: Option<&Path>, color: Color) -> io::Result<()> {
    let mut out: Box<dyn Write> = match file {
        Some(path) => Box::new(BufWriter::new(File::create(path)?)),
        None => Box::new(BufWriter::new(io::stdout().lock())),
    };
    let is_terminal = file.is_none() && io::stdout().is_terminal();
    let style = Style { color: color.wanted(is_terminal), verbose: args.verbose };
    match args.format {
        Format::Text => text::write_full(&mut *out, reports, style)?,
        Format::Concise => text::write_concise(&mut *out, reports, style)?,
        Format::Json => json::write(&mut *out, &json::check(reports), is_terminal)?,
        Format::Jsonl => reports.iter().try_for_each(|report| json::write(&mut *out, &json::file(report), false))?,
    }
    out.flush()
}
