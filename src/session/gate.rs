//! What the gate knows of a session: code that stands for the steps so far.
//!
//! A step is judged as the end of a program that begins with the steps before it, so the evaluator finds the state they left,
//! functions with their bodies included. A step that was stopped changed nothing, and is left out. What a step did beyond what
//! evaluating it says is unknown from then on: the statement at which one raised and all after it are replaced by a call of an
//! unknown function with everything they mention, and what they assign by values nobody knows ([`opaque`]). Where even that is
//! not enough (`exec`, star imports, names looked up by text), nothing is claimed any more.

use std::collections::BTreeSet;
use std::fmt::Write;

use serde_json::Value;

use super::Options;
use super::imports::{self, Import};
use crate::eval::{Settings, Stdin};
use crate::limits::Limits;
use crate::outcome::{Outcome, OutcomeKind};
use crate::source::Source;
use crate::syntax::Program;
use crate::syntax::code::Op;
use crate::verdict::{self, CheckedStep, Verdict};

/// A name that nobody defines, so that nothing is known of its value.
const UNKNOWN: &str = "__antifreeze_unknown__";

/// Names by which code changes names it does not mention.
const HIDDEN: [&str; 18] = [
    "exec",
    "eval",
    "compile",
    "globals",
    "locals",
    "vars",
    "setattr",
    "delattr",
    "__dict__",
    "__builtins__",
    "builtins",
    "__import__",
    "__main__",
    "import_module",
    "reload",
    "modules",
    "_getframe",
    "__globals__",
];

/// The longest text kept for the steps so far.
const MOST: usize = 256 << 10;

/// A step as the gate saw it.
#[derive(Debug)]
pub struct Checked {
    /// The step.
    pub source: Source,
    /// What was decided.
    pub verdict: Verdict,
    /// What it imports.
    pub imports: Vec<Import>,
    step: Option<CheckedStep>,
}

/// The abstract state of a session.
#[derive(Debug)]
pub struct Gate {
    limits: Limits,
    /// None when nothing is claimed any more.
    history: Option<String>,
    tools: Vec<String>,
}

impl Gate {
    /// Of a session without any steps.
    pub fn new(options: &Options) -> Self {
        let tools = options.tools.keys().cloned().collect::<Vec<_>>();
        Gate { limits: options.limits, history: Some(beginning(&tools)), tools }
    }

    /// The variables are gone.
    pub fn forget(&mut self) {
        self.history = Some(beginning(&self.tools));
    }

    /// What is said of the next step.
    pub fn check(&self, source: Source) -> Checked {
        self.check_within(source, self.limits.timeout)
    }

    /// What is said of the next step, if it has so many seconds.
    pub fn check_within(&self, source: Source, timeout: f64) -> Checked {
        let limits = Limits { timeout, ..self.limits };
        let settings = Settings { limits, stdin: Stdin::Empty, describe: false, ..Settings::default() };
        let step = verdict::check_step(self.history.as_deref(), source, &settings);
        let verdict = step.verdict.clone();
        Checked { source: step.source.clone(), verdict, imports: imports::of(&step.own), step: Some(step) }
    }

    /// A step of which nothing is asked but its text.
    pub fn parse(&self, source: Source) -> Checked {
        let (source, program) = crate::syntax::parse(source);
        let verdict = Verdict { form: program.form, ..Verdict::default() };
        Checked { source, verdict, imports: imports::of(&program), step: None }
    }

    /// The step ran: takes over what it did.
    pub fn advance(&mut self, checked: &Checked, outcome: &Outcome) {
        if outcome.state.as_deref() != Some("advanced") {
            return;
        }
        // Whatever was restored in between, or ran on in a thread, is told with the next step.
        if outcome.state_reason.is_some() {
            self.history = None;
        }
        let Some(history) = self.history.take() else { return };
        let text = &*checked.source.text;
        let Some(step) = &checked.step else { return };
        let Some((whole, program)) = &step.whole else {
            // A step that does not even compile does nothing.
            self.history = (is_syntax_error(outcome) && raised_in_module(checked, outcome).is_none()).then_some(history);
            return;
        };
        let mut history = history;
        let finished = outcome.outcome == OutcomeKind::Finished && outcome.exit_status.is_none();
        let added = if finished && !checked.verdict.coverage.out_of_fuel {
            Some(format!("{}\n", text.trim_end()))
        } else if finished {
            // Evaluating it takes too long to do so again with every step: its definitions are kept.
            opaque(whole, program, step.history, step.history, true)
        } else {
            match raised_in_module(checked, outcome) {
                Some(line) => {
                    let from = statement_of_line(whole, program, step.history, line);
                    opaque(whole, program, step.history, from, false)
                }
                // It raised before anything ran.
                None if is_syntax_error(outcome) => Some(String::new()),
                None => opaque(whole, program, step.history, step.history, false),
            }
        };
        self.history = added.and_then(|added| {
            history.push_str(&added);
            (history.len() <= MOST).then_some(history)
        });
    }

    /// A variable was given a value.
    pub fn set(&mut self, name: &str, value: &Value, outcome: &Outcome) {
        if outcome.state.as_deref() != Some("advanced") {
            return;
        }
        let known = match value {
            Value::Null => "None".to_owned(),
            Value::Bool(true) => "True".to_owned(),
            Value::Bool(false) => "False".to_owned(),
            Value::Number(number) if number.is_i64() || number.is_u64() => number.to_string(),
            _ => UNKNOWN.to_owned(),
        };
        if let Some(history) = &mut self.history {
            let _ = writeln!(history, "{name} = {known}");
        }
    }

    /// A variable's value was asked for, which runs its `__repr__`.
    pub fn looked_at(&mut self, outcome: &Outcome) {
        if outcome.state_reason.is_some() {
            self.history = None;
        }
    }
}

/// Tools are there, and what they give nobody knows.
fn beginning(tools: &[String]) -> String {
    let mut text = String::new();
    for name in tools {
        let _ = writeln!(text, "{name} = {UNKNOWN}");
    }
    let _ = writeln!(text, "display = {UNKNOWN}");
    text
}

fn is_syntax_error(outcome: &Outcome) -> bool {
    outcome.error.as_ref().is_some_and(|error| ["SyntaxError", "IndentationError", "TabError"].contains(&error.kind.as_str()))
}

/// The line of the step's own top level at which an exception left it.
fn raised_in_module(checked: &Checked, outcome: &Outcome) -> Option<u32> {
    let traceback = outcome.error.as_ref()?.traceback.as_ref()?;
    let start = format!("File \"{}\", line ", checked.source.name);
    let line = traceback.lines().find(|line| line.contains(&start) && line.trim_end().ends_with(", in <module>"))?;
    let rest = &line[line.find(&start)? + start.len()..];
    rest.split(',').next()?.parse().ok()
}

/// The starts of a step's own statements: those at the beginning of a line. What begins elsewhere is part of the one before.
fn statements(program: &Program, whole: &str, history: u32) -> Vec<u32> {
    let starts = program.codes[0].statements.iter().map(|(_, span)| span.start).filter(|start| {
        *start >= history && (*start == 0 || whole.as_bytes().get(*start as usize - 1).is_some_and(|byte| matches!(byte, b'\n' | b'\r')))
    });
    starts.collect::<BTreeSet<_>>().into_iter().collect()
}

/// Where the statement of a step begins that a line of the step is in.
fn statement_of_line(whole: &str, program: &Program, history: u32, line: u32) -> u32 {
    let step = &whole.as_bytes()[history as usize..];
    let ends = |at: &usize| step[*at] == b'\n' || step[*at] == b'\r' && step.get(at + 1) != Some(&b'\n');
    let line_start = match line.saturating_sub(1) {
        0 => 0,
        before => (0..step.len()).filter(ends).nth(before as usize - 1).map_or(0, |end| end as u32 + 1),
    };
    statements(program, whole, history).into_iter().filter(|start| *start <= history + line_start).max().unwrap_or(history)
}

/// A step with everything from `from` on replaced by what it may have done at most. With `definitions`, what defines functions,
/// classes and imports stays. None where it may have done anything.
fn opaque(whole: &str, program: &Program, history: u32, from: u32, definitions: bool) -> Option<String> {
    let mut out = whole.get(history as usize..from as usize)?.to_owned();
    if !out.is_empty() && !out.ends_with('\n') {
        out.push('\n');
    }
    let starts = statements(program, whole, history);
    let ends = starts.iter().skip(1).copied().chain([whole.len() as u32]);
    for (start, end) in starts.iter().copied().zip(ends).filter(|(start, _)| *start >= from) {
        let text = whole.get(start as usize..end as usize)?;
        let defines = ["def ", "async def ", "class ", "import ", "from "].iter().any(|word| text.starts_with(word));
        if definitions && defines && !text.contains("import *") {
            let _ = writeln!(out, "{}", text.trim_end());
            continue;
        }
        let (mentioned, assigned) = names(program, start, end)?;
        let _ = writeln!(out, "{UNKNOWN}({})", mentioned.into_iter().collect::<Vec<_>>().join(", "));
        for name in assigned {
            let _ = writeln!(out, "{name} = {UNKNOWN}");
        }
    }
    Some(out)
}

/// The module's names that a stretch of the program mentions, and those it may assign. It may call any function there is, so what
/// functions mention and assign counts too.
fn names(program: &Program, start: u32, end: u32) -> Option<(BTreeSet<&str>, BTreeSet<&str>)> {
    let (mut mentioned, mut assigned) = (BTreeSet::new(), BTreeSet::new());
    for (index, code) in program.codes.iter().enumerate() {
        for (op, span) in code.ops.iter().zip(&code.spans) {
            let counts = index != 0 || span.start >= start && span.start < end;
            match op {
                Op::ImportStar if counts => return None,
                Op::LoadGlobal(name) | Op::LoadAttr(name) | Op::LoadMethod(name) if HIDDEN.contains(&program.name(*name)) => return None,
                Op::StoreGlobal(name) | Op::DeleteGlobal(name) if counts => {
                    assigned.insert(program.name(*name));
                }
                Op::LoadGlobal(name) if counts => {
                    mentioned.insert(program.name(*name));
                }
                _ => {}
            }
        }
    }
    let plain = |name: &&str| name.chars().all(|c| c.is_alphanumeric() || c == '_');
    mentioned.retain(|name| plain(name) && *name != UNKNOWN);
    assigned.retain(|name| plain(name));
    Some((mentioned, assigned))
}
