//! `antifreeze check`: the gate alone.

use std::collections::{BTreeMap, HashMap, HashSet};
use std::io::{self, BufWriter, IsTerminal, Write};
use std::path::{Path, PathBuf};
use std::sync::Arc;
use std::time::Instant;

use serde_json::Value;

use super::args::{CheckArgs, Format};
use super::baseline::{self, Baseline};
use super::cache::Cache;
use super::diff::Changes;
use super::files;
use super::input::{Failure, Input, Named, for_each};
use super::interrupt::Interrupt;
use super::limits::OutputArg;
use super::settings::{Configured, Resolver};
use super::{Exit, complain, output, written};
use crate::config::{ConfigError, file};
use crate::eval::Settings;
use crate::limits::Limits;
use crate::once;
use crate::outcome::{Outcome, OutcomeKind};
use crate::report::text::{Color, Style};
use crate::report::{FileReport, Located, github, gitlab, json, junit, sarif, statistics, text};
use crate::rules::{Profile, settings::settle};
use crate::source::{Source, SourceError};
use crate::telemetry::{About, Telemetry, log};
use crate::verdict;

/// The most steps of one command that Sentry is told of.
const MOST_EVENTS: usize = 20;

/// Something to check, with what is configured for it.
struct Job {
    input: Input,
    profile: Profile,
    configured: Arc<Configured>,
    cache: Option<Arc<Cache>>,
}

impl Named for Job {
    fn name(&self) -> String {
        self.input.name()
    }
}

/// Checks what was named and reports on it.
pub fn run(args: &CheckArgs, color: Color, telemetry: &Telemetry) -> Exit {
    match attempt(args, color, telemetry) {
        Ok(exit) => exit,
        Err(errors) => {
            let color = color.wanted(io::stderr().is_terminal());
            for error in errors {
                let _ = io::stderr().write_all(text::configuration(&error, color).as_bytes());
            }
            Exit::Usage
        }
    }
}

fn attempt(args: &CheckArgs, color: Color, telemetry: &Telemetry) -> Result<Exit, Vec<ConfigError>> {
    let mut resolver = Resolver::new(args)?;
    if args.config.show_settings {
        return show_settings(args, &mut resolver);
    }
    if args.statistics && !matches!(args.format, Format::Text | Format::Concise | Format::Json) {
        complain("--statistics goes with --format text, concise or json");
        return Ok(Exit::Usage);
    }
    if args.changes.write_baseline {
        let wrong = if args.code.is_some() || args.paths.iter().any(|path| path.as_os_str() == "-") {
            Some("--write-baseline is for files; code that is passed in has no place in a baseline")
        } else {
            let diff = args.changes.diff_base.is_some();
            diff.then_some("--write-baseline does not go with --diff-base: it would forget what is on lines that did not change")
        };
        if let Some(wrong) = wrong {
            complain(wrong);
            return Ok(Exit::Usage);
        }
    }
    let interrupt = Interrupt::default();
    let mut exit = Exit::Fine;
    let (jobs, errors) = jobs(args, &mut resolver, &interrupt)?;
    for warning in resolver.warnings() {
        complain(&format!("warning: {warning}"));
    }
    if jobs.is_empty() && errors.is_empty() && !interrupt.came() {
        complain("warning: no Python files found under the paths");
    }
    // What is said on standard error is in the report too, where its format has a place for it.
    let mut troubles = errors;
    for error in &troubles {
        complain(error);
        exit = exit.max(Exit::Usage);
    }
    let keeps_guards = matches!(args.format, Format::Json | Format::Jsonl);
    let answers = for_each(&jobs, |job| {
        if interrupt.came() {
            return Ok(Answer::Nothing);
        }
        check(job).map(|answer| match answer {
            Answer::Report(report) => Answer::Report(lean(report, keeps_guards)),
            other => other,
        })
    });
    let mut reports = Vec::with_capacity(jobs.len());
    for (job, answer) in jobs.iter().zip(answers) {
        match answer {
            Ok(Answer::Report(report)) => reports.push((job, report)),
            Ok(Answer::LeftOut(why)) => complain(&format!("warning: {why}")),
            Ok(Answer::Nothing) => {}
            Err(failure) => {
                let (message, worst) = match failure {
                    Failure::Unreadable(message) => (message, Exit::Usage),
                    Failure::Internal(message) => (message, Exit::Internal),
                };
                complain(&message);
                exit = exit.max(worst);
                troubles.push(message);
            }
        }
    }
    let mut swept = HashSet::new();
    for cache in jobs.iter().filter_map(|job| job.cache.as_ref()) {
        if swept.insert(Arc::as_ptr(cache)) {
            cache.sweep();
        }
    }
    if let Some(base) = &args.changes.diff_base {
        let mut changes = Changes::since(base);
        for (job, report) in &mut reports {
            if let Err(message) = changes.keep(report, job.input.path()) {
                complain(&message);
                return Ok(Exit::Usage);
            }
        }
    }
    if args.changes.write_baseline {
        if let Some(status) = interrupt.status() {
            complain("interrupted; no baseline was written");
            return Ok(Exit::Interrupted(status));
        }
        return Ok(write_baseline(args, &reports, exit));
    }
    let known = match take_known(&mut reports) {
        Ok(known) => known,
        Err(message) => {
            complain(&message);
            return Ok(Exit::Usage);
        }
    };
    if !args.exit_zero && reports.iter().any(|(_, report)| report.rejects()) {
        exit = exit.max(Exit::Rejected);
    }
    for (_, report) in &reports {
        log::findings(&report.source.name, &report.findings);
    }
    let rejected = if telemetry.settings().dsn.is_some() { rejected(&reports) } else { Vec::new() };
    let shown = show(reports, &troubles, known, args, color);
    let exit = written(shown, exit);
    for rejected in &rejected {
        telemetry.observe(&About {
            outcome: &rejected.outcome,
            limits: Some(&rejected.limits),
            code: Some(rejected.source.original_text()),
            name: &rejected.source.name,
        });
    }
    super::telemetry::finish(telemetry);
    Ok(interrupt.status().map_or(exit, Exit::Interrupted))
}

/// A step that was refused.
struct Rejected {
    source: Source,
    outcome: Outcome,
    limits: Limits,
}

/// The steps that were refused. Files of a repository are none: nobody was about to run them.
fn rejected(reports: &[(&Job, FileReport)]) -> Vec<Rejected> {
    let steps = reports.iter().filter(|(job, report)| job.profile == Profile::Agent && report.rejects());
    let one = |(job, report): &(&Job, FileReport)| {
        let Value::Array(findings) = json::findings(&report.source, &report.findings) else { return None };
        let limit = once::rejection(&report.findings);
        let outcome = Outcome { findings, limit, ..Outcome::new(OutcomeKind::Rejected) };
        Some(Rejected { source: report.source.clone(), outcome, limits: job.configured.config.limits })
    };
    steps.filter_map(one).take(MOST_EVENTS).collect()
}

/// What was named, each with what is configured for it, and what cannot be reached.
fn jobs(args: &CheckArgs, resolver: &mut Resolver, interrupt: &Interrupt) -> Result<(Vec<Job>, Vec<String>), Vec<ConfigError>> {
    let mut jobs = Vec::new();
    let mut errors = Vec::new();
    let mut caches = HashMap::new();
    let mut add = |input: Input, profile: Profile, configured: &Arc<Configured>| {
        // Only what comes again is worth keeping: files of repositories.
        let kept = profile == Profile::Library && !args.files.no_cache && matches!(input, Input::File(_) | Input::Found(_));
        let cache = if kept { cache(&mut caches, configured) } else { None };
        jobs.push(Job { input, profile, configured: Arc::clone(configured), cache });
    };
    if let Some(code) = &args.code {
        let profile = resolver.profile().unwrap_or(Profile::Agent);
        let configured = resolver.configured(None, profile)?;
        add(Input::Command(code.clone()), profile, &configured);
        return Ok((jobs, errors));
    }
    // What is named twice, or named and found, is one file, unless it is judged for two things.
    let mut seen = HashSet::new();
    let mut is_new = |path: &Path, profile: Profile| seen.insert((std::path::absolute(path).unwrap_or_else(|_| path.to_owned()), profile));
    let mut listens = false;
    for path in &args.paths {
        if path.is_dir() {
            let profile = resolver.profile().unwrap_or(Profile::Library);
            // Standard input is waited for; without it all there is to wait for is our own work.
            if !listens && !args.paths.iter().any(|path| path.as_os_str() == "-") {
                interrupt.listen();
                listens = true;
            }
            let found = files::walk(path, resolver, profile, interrupt)?;
            errors.extend(found.errors);
            for (file, configured) in found.files {
                if is_new(&file, profile) {
                    add(Input::Found(file), profile, &configured);
                }
            }
            continue;
        }
        let input = if path.as_os_str() == "-" {
            Input::Stdin(args.stdin_filename.clone().unwrap_or_else(|| "<stdin>".to_owned()))
        } else {
            Input::File(path.clone())
        };
        let profile = resolver.profile().unwrap_or_else(|| input.profile());
        let configured = resolver.configured(input.path(), profile)?;
        let left_out = match input.path() {
            Some(path) => resolver.leaves_out(path, profile)?,
            None => false,
        };
        if !left_out && is_named_pipe(path) {
            let shown = path.display();
            errors.push(format!(
                "{shown}: it is a pipe, whose end may never come. Read it as standard input: `antifreeze check - < {shown}`"
            ));
        } else if !left_out && is_new(path, profile) {
            add(input, profile, &configured);
        }
    }
    Ok((jobs, errors))
}

/// Whether a path is a pipe that somebody made; those of the shell's own, under `/dev`, are fed by it.
#[cfg(unix)]
fn is_named_pipe(path: &Path) -> bool {
    use std::os::unix::fs::FileTypeExt;
    !path.starts_with("/dev") && std::fs::metadata(path).is_ok_and(|file| file.file_type().is_fifo())
}

#[cfg(not(unix))]
fn is_named_pipe(_: &Path) -> bool {
    false
}

fn cache(caches: &mut HashMap<PathBuf, Option<Arc<Cache>>>, configured: &Configured) -> Option<Arc<Cache>> {
    let config = &configured.config;
    let switched_off = crate::config::environment::variable("ANTIFREEZE_NO_CACHE").is_some_and(|value| value != "0");
    let folder = config.cache_dir.clone();
    caches.entry(folder).or_insert_with_key(|folder| if switched_off { None } else { Cache::open(folder).map(Arc::new) }).clone()
}

/// What comes of a job.
enum Answer {
    Report(FileReport),
    /// It was named but is nothing to check, and why.
    LeftOut(String),
    /// It was merely found and is nothing to check, or there was no time for it.
    Nothing,
}

/// Checks one job.
fn check(job: &Job) -> Result<Answer, SourceError> {
    let is_file = matches!(job.input, Input::File(_) | Input::Found(_));
    // A file may be run with arguments; a snippet is run as it is.
    let is_bare = job.profile == Profile::Agent && job.input.path().is_none();
    let settings = Settings { is_file, is_bare, ..job.configured.evaluator(job.profile) };
    let path = job.input.path();
    let notebook = path.is_some_and(files::is_notebook);
    let name = job.input.name();
    let source_of = |bytes: &[u8]| if notebook { Source::from_notebook(&name, bytes) } else { Source::from_bytes(&name, bytes) };
    let judge = |source: Source| {
        let start = Instant::now();
        let checked = verdict::check(source, &settings, job.profile);
        FileReport::new(checked, start.elapsed())
    };
    let report = match (&job.cache, &job.input) {
        (None, Input::Stdin(_)) if notebook => {
            let bytes = crate::source::read_all(&name, io::stdin().lock())?;
            judge(source_of(&bytes)?)
        }
        (cache, Input::File(path) | Input::Found(path)) if notebook || cache.is_some() => {
            let bytes = crate::source::read_file(path)?;
            let source = match source_of(&bytes) {
                Err(why) if notebook && Source::is_foreign_notebook(&bytes) => {
                    let named = matches!(job.input, Input::File(_));
                    return Ok(if named { Answer::LeftOut(format!("{name} is left out: {}", why.message)) } else { Answer::Nothing });
                }
                source => source?,
            };
            let Some(cache) = cache else { return Ok(Answer::Report(settled(job, judge(source)))) };
            let key = cache.key(&bytes, &settings, job.profile, notebook);
            match cache.get(key, source) {
                Ok(report) => report,
                Err(source) => {
                    let text = Arc::clone(&source.text);
                    let report = judge(source);
                    cache.put(key, &report, &text);
                    report
                }
            }
        }
        _ => judge(job.input.load()?),
    };
    Ok(Answer::Report(settled(job, report)))
}

/// A report with the levels that are configured for its file.
fn settled(job: &Job, mut report: FileReport) -> FileReport {
    let config = &job.configured.config;
    let per_file = job.configured.per_file(job.input.path());
    if !config.rules.is_default() || config.deny_warnings {
        settle(&mut report.findings, &config.rules, &per_file, config.deny_warnings);
    }
    report
}

/// A report without what nobody will look at: of a hundred thousand files most have nothing to show.
fn lean(mut report: FileReport, keeps_guards: bool) -> FileReport {
    if !keeps_guards {
        report.guards = Vec::new();
    }
    if report.findings.is_empty()
        && report.guards.is_empty()
        && let Ok(empty) = Source::from_text(&report.source.name, "")
    {
        report.source = empty;
    }
    report
}

/// Takes known findings out, and gives how many there were.
fn take_known(reports: &mut [(&Job, FileReport)]) -> Result<usize, String> {
    let mut baselines: HashMap<&Path, Baseline> = HashMap::new();
    let mut known = 0;
    for (job, report) in reports {
        let Some(file) = &job.configured.config.baseline else { continue };
        if !baselines.contains_key(file.as_path()) {
            baselines.insert(file, Baseline::read(file)?);
        }
        if !report.findings.is_empty()
            && let Some(baseline) = baselines.get(file.as_path())
        {
            known += baseline.take(report, job.input.path());
        }
    }
    Ok(known)
}

/// Writes what there is to the baseline that was named, or else to those that are configured.
fn write_baseline(args: &CheckArgs, reports: &[(&Job, FileReport)], exit: Exit) -> Exit {
    let file_of = |job: Option<&Job>| {
        let configured = job.and_then(|job| job.configured.config.baseline.clone());
        args.changes.baseline.clone().or(configured).unwrap_or_else(|| PathBuf::from(baseline::FILE))
    };
    let mut files: BTreeMap<PathBuf, (PathBuf, Vec<_>)> = BTreeMap::new();
    for (job, report) in reports {
        let file = file_of(Some(job));
        let place = std::path::absolute(&file).unwrap_or_else(|_| file.clone());
        files.entry(place).or_insert_with(|| (file, Vec::new())).1.push((report, job.input.path()));
    }
    if files.is_empty() {
        files.insert(PathBuf::new(), (file_of(None), Vec::new()));
    }
    let mut said = String::new();
    for (file, reports) in files.into_values() {
        match baseline::write(&file, reports.into_iter()) {
            Ok(count) => said.extend([&findings_are(count), " known now: ", &text::plain(&file.to_string_lossy()), "\n"]),
            Err(why) => {
                complain(&format!("cannot write the baseline {}: {why}", file.display()));
                return Exit::Usage;
            }
        }
    }
    written(io::stdout().write_all(said.as_bytes()), exit)
}

/// So many findings, and the verb that goes with them.
fn findings_are(count: usize) -> String {
    if count == 1 { "1 finding is".to_owned() } else { format!("{count} findings are") }
}

fn show(reports: Vec<(&Job, FileReport)>, troubles: &[String], known: usize, args: &CheckArgs, color: Color) -> io::Result<()> {
    let file = OutputArg::file(&args.output);
    // Where others read the report, paths are seen from where the command was given.
    let here = std::fs::canonicalize(".").unwrap_or_default();
    let located: Vec<Option<String>> = match args.format {
        Format::Sarif | Format::Github | Format::Gitlab | Format::Junit => {
            let shown = |(job, report): &(&Job, FileReport)| baseline::relative(&here, job.input.path(), &report.source.name);
            reports.iter().map(|report| (!report.1.findings.is_empty() || args.format == Format::Junit).then(|| shown(report))).collect()
        }
        _ => Vec::new(),
    };
    let reports: Vec<FileReport> = reports.into_iter().map(|(_, report)| report).collect();
    let located: Vec<Located> =
        reports.iter().zip(&located).filter_map(|(report, path)| Some(Located { report, path: path.as_deref()? })).collect();
    let is_terminal = file.is_none() && io::stdout().is_terminal();
    let style = Style { color: color.wanted(is_terminal), verbose: args.verbose };
    let write = |out: &mut dyn Write| {
        match args.format {
            Format::Json if args.statistics => json::write(out, &statistics::json(&reports, style), is_terminal)?,
            Format::Text | Format::Concise if args.statistics => statistics::text(out, &reports, style)?,
            Format::Text => text::write_full(out, &reports, style)?,
            Format::Concise => text::write_concise(out, &reports, style)?,
            Format::Json => json::write(out, &json::check(&reports, troubles), is_terminal)?,
            Format::Jsonl => {
                let lines = reports.iter().map(json::file).chain(troubles.iter().map(|message| json::trouble(message)));
                lines.into_iter().try_for_each(|line| json::write(out, &line, false))?;
            }
            Format::Sarif => json::write(out, &sarif::log(&located, troubles, style), is_terminal)?,
            Format::Github => github::write(out, &located, troubles, style)?,
            Format::Gitlab => json::write(out, &gitlab::report(&located, style), is_terminal)?,
            Format::Junit => junit::write(out, &located, troubles, style)?,
        }
        if known > 0 && matches!(args.format, Format::Text | Format::Concise) {
            let said = findings_are(known);
            writeln!(out, "{} known from the baseline", said.replacen(' ', " more ", 1))?;
        }
        out.flush()
    };
    match file {
        Some(path) => output::write(path, write).map_err(|why| io::Error::new(why.kind(), format!("{}: {why}", path.display()))),
        None => write(&mut BufWriter::new(io::stdout().lock())),
    }
}

/// Shows what is configured for what was named, once for each configuration.
fn show_settings(args: &CheckArgs, resolver: &mut Resolver) -> Result<Exit, Vec<ConfigError>> {
    let here = [PathBuf::from(".")];
    let paths = if args.paths.is_empty() && args.code.is_none() { &here[..] } else { &args.paths };
    let mut shown: Vec<Arc<Configured>> = Vec::new();
    for path in paths {
        let profile = resolver.profile().unwrap_or(if path.is_dir() { Profile::Library } else { Profile::Agent });
        let configured = resolver.configured(Some(path.as_path()).filter(|path| path.as_os_str() != "-"), profile)?;
        if !shown.iter().any(|known| Arc::ptr_eq(known, &configured)) {
            shown.push(configured);
        }
    }
    if shown.is_empty() {
        shown.push(resolver.configured(None, resolver.profile().unwrap_or(Profile::Agent))?);
    }
    let mut out = String::new();
    for configured in shown {
        let from = configured.config.file.as_ref().map_or_else(|| "no file".to_owned(), |file| file.display().to_string());
        match file::write(&configured.config) {
            Ok(text) => {
                let from = text::plain(&from);
                out.extend(["# from ", &from, "\n", &text, "\n"]);
            }
            Err(why) => {
                complain(&format!("the configuration from {from} cannot be shown: {why}"));
                return Ok(Exit::Usage);
            }
        }
    }
    Ok(written(io::stdout().write_all(out.as_bytes()), Exit::Fine))
}
