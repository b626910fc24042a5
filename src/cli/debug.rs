//! `antifreeze debug`: what the evaluator thinks, as JSON.

use std::io::{self, Write};

use serde_json::{Value, json};

use super::args::{DebugArgs, DebugInput, DebugWhat};
use super::input::{Failure, Input, for_each};
use super::limits::from_environment;
use super::{Exit, complain, repro, written};
use crate::eval::{Fact, Settings};
use crate::report::json;
use crate::rules::Profile;
use crate::source::Source;
use crate::verdict::{self, Checked};

/// Shows what was asked for.
pub fn run(args: &DebugArgs) -> Exit {
    let (input, show): (&DebugInput, fn(&Checked) -> Value) = match &args.what {
        DebugWhat::Values(input) => (input, |checked| Value::Object(checked.facts.globals.clone())),
        DebugWhat::Facts(input) => (input, |checked| checked.facts.facts.iter().map(|fact| show_fact(&checked.source, fact)).collect()),
        DebugWhat::Repro(args) => return repro::run(args),
        DebugWhat::Guards(input) => (input, |checked| json::guard_sites(&checked.source, &checked.verdict.guards)),
    };
    let profile = Profile::from(input.profile);
    let base = match from_environment() {
        Ok(base) => base,
        Err(message) => {
            complain(&message);
            return Exit::Usage;
        }
    };
    let settings = Settings { limits: input.limits.over(base), is_main: profile == Profile::Agent, ..Settings::default() };
    if input.file.is_dir() {
        complain(&format!("{} is a folder; debug looks at one file", input.file.display()));
        return Exit::Usage;
    }
    let inputs = [if input.file.as_os_str() == "-" { Input::Stdin("<stdin>".to_owned()) } else { Input::File(input.file.clone()) }];
    let answers = for_each(&inputs, |input| Ok(show(&verdict::check(input.load()?, &settings, profile))));
    let mut exit = Exit::Fine;
    for answer in answers {
        match answer {
            Ok(value) => {
                let mut out = io::stdout().lock();
                exit = written(json::write(&mut out, &value, true).and_then(|()| out.flush()), exit);
            }
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
    exit
}

/// A fact with its place in lines and columns; infinite amounts are null.
fn show_fact(source: &Source, fact: &Fact) -> Value {
    let (start, end) = (source.position(fact.span.start), source.position(fact.span.end));
    let amount = |value: f64| if value.is_finite() { json!(value) } else { Value::Null };
    json!({
        "kind": fact.kind,
        "line": start.line,
        "column": start.column,
        "end_line": end.line,
        "end_column": end.column,
        "reach": fact.reach,
        "proof": fact.proof,
        "measure": fact.measure.map(|measure| json!({"unit": measure.unit, "low": amount(measure.low), "high": amount(measure.high)})),
        "words": fact.words,
    })
}
