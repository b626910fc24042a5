//! One program, run once: the gate, then the executor. What rejects is not started.

use std::fmt;

use serde_json::Value;

use crate::eval::{self, Settings};
use crate::executor::{Helper, Request, Signals, Stream};
use crate::outcome::{LimitHit, Outcome, OutcomeKind};
use crate::report;
use crate::rules::{Finding, Level, Profile};
use crate::source::{Source, SourceError};
use crate::stack;
use crate::syntax;
use crate::verdict::{self, Verdict};

/// What is to be done with a program.
#[derive(Debug, Clone)]
pub struct Program {
    /// Whether what the gate rejects is not run.
    pub gate: bool,
    /// Whether integer operations are checked while it runs.
    pub guards: bool,
    /// All of the request but its text, name, guards and form.
    pub request: Request,
    /// What the gate takes to be on its standard input.
    pub stdin: eval::Stdin,
}

/// What came of it.
#[derive(Debug)]
pub struct Ran {
    /// How it ended.
    pub outcome: Outcome,
    /// What was run; missing where it could not be analysed at all.
    pub source: Option<Source>,
}

/// Why nothing was run: the user's to remedy.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Error(pub String);

impl fmt::Display for Error {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.write_str(&self.0)
    }
}

/// A program that the gate has judged, and the place that is ready for it.
#[derive(Debug)]
pub struct Gated {
    program: Program,
    helper: Helper,
    judged: Result<(Source, Verdict), String>,
}

/// Judges a program. Nothing of it is started.
pub fn gate(load: impl FnOnce() -> Result<Source, SourceError> + Send, program: Program) -> Result<Gated, Error> {
    // Starts while the gate works. It runs nothing before it is told what, and ends when it is not.
    let helper = Helper::start(&program.request).map_err(|error| Error(error.0))?;
    let judged = match stack::on_large("gate", &[stack::LARGE, stack::SMALL], || Ok(judge(&program, load()?))) {
        Ok(Ok(judged)) => Ok(judged),
        Ok(Err::<_, SourceError>(unreadable)) => return Err(Error(unreadable.to_string())),
        Err(failure) => Err(format!("internal error over the program: {failure}")),
    };
    Ok(Gated { program, helper, judged })
}

impl Gated {
    /// What was decided on what; missing where the gate itself failed.
    pub fn judged(&self) -> Option<&(Source, Verdict)> {
        self.judged.as_ref().ok()
    }

    /// Runs the program, unless it is rejected. Signals and output are [`crate::executor::execute`]'s.
    pub fn run(self, signals: Option<&Signals>, stream: &mut dyn FnMut(Stream, &[u8])) -> Result<Ran, Error> {
        let Gated { program, helper, judged } = self;
        let (source, verdict) = match judged {
            Ok(judged) => judged,
            Err(why) => return Ok(Ran { outcome: Outcome::internal(why), source: None }),
        };
        let mut outcome = if program.gate && verdict.rejects() {
            Outcome { limit: rejection(&verdict.findings), ..Outcome::new(OutcomeKind::Rejected) }
        } else {
            let guards = verdict.guards.iter().filter(|_| program.guards).map(|guard| (guard.span, guard.op)).collect();
            let request = Request { text: source.text.clone(), name: source.name.clone(), form: verdict.form, guards, ..program.request };
            helper.execute(&request, signals, stream).map_err(|error| Error(error.0))?
        };
        annotate(&mut outcome, &source, &verdict, program.guards);
        original_lines(&mut outcome, &source);
        Ok(Ran { outcome, source: Some(source) })
    }
}

/// Evaluates for findings and guard sites; not at all when neither is wanted.
fn judge(program: &Program, source: Source) -> (Source, Verdict) {
    if !program.gate && !program.guards {
        // Parsed all the same: what is run is the text that the gate would have seen, without fences or a common indentation.
        let (source, parsed) = syntax::parse(source);
        return (source, Verdict { form: parsed.form, ..Verdict::default() });
    }
    let settings = Settings {
        limits: program.request.limits,
        stdin: program.stdin,
        is_file: program.request.path.is_some(),
        is_bare: program.request.args.is_empty(),
        describe: false,
        ..Settings::default()
    };
    let checked = verdict::check(source, &settings, Profile::Agent);
    (checked.source, checked.verdict)
}

/// Adds what the gate found to an outcome.
pub fn annotate(outcome: &mut Outcome, source: &Source, verdict: &Verdict, guards: bool) {
    if let Value::Array(findings) = report::json::findings(source, &verdict.findings) {
        outcome.findings = findings;
    }
    let sites = if guards { report::json::guard_sites(source, &verdict.guards) } else { Value::Null };
    outcome.guard_sites = serde_json::from_value(sites).unwrap_or_default();
}

/// Lines of a program that was run without the fences around it are those of the text as it was given.
fn original_lines(outcome: &mut Outcome, source: &Source) {
    if !source.is_rescued() {
        return;
    }
    let starts: Vec<u32> = std::iter::once(0).chain(source.text.match_indices('\n').map(|(at, _)| at as u32 + 1)).collect();
    let original = |line: u32| starts.get((line as usize).saturating_sub(1)).map_or(line, |start| source.position(*start).line);
    let threads = outcome.threads.iter_mut().flat_map(|thread| &mut thread.frames);
    for frame in outcome.stack.iter_mut().flatten().chain(threads).filter(|frame| frame.file == source.name) {
        frame.line = original(frame.line);
    }
    if let Some(line) = outcome.error.as_mut().and_then(|error| error.line.as_mut()) {
        *line = original(*line);
    }
}

/// Of text that no Python compiles: what CPython would raise, with what to do about it.
pub fn uncompiled(error: &SourceError) -> Outcome {
    let line = error.place.map(|(line, _)| line);
    Outcome::uncompiled("SyntaxError", format!("{}. {}", error.message, error.help), line)
}

/// The limit of the first error.
pub fn rejection(findings: &[Finding]) -> Option<LimitHit> {
    let first = findings.iter().find(|finding| finding.level == Level::Error)?;
    let (name, value) = first.limit?;
    Some(LimitHit { name: name.to_owned(), value, observed: first.measure.map(|measure| measure.low).filter(|low| low.is_finite()) })
}
