//! What the gate decided: findings, guard sites, and whether they reject.

use crate::eval::{self, Coverage, Facts, Guard, Settings};
use crate::rules::{self, Finding, Level, Profile};
use crate::source::Source;
use crate::syntax;

/// The gate's decision on one source.
#[derive(Debug, Clone, Default)]
pub struct Verdict {
    /// In order of position, then code.
    pub findings: Vec<Finding>,
    /// Operations the executor checks at run time.
    pub guards: Vec<Guard>,
    /// How far the evaluator saw.
    pub coverage: Coverage,
}

impl Verdict {
    /// Whether anything rejects.
    pub fn rejects(&self) -> bool {
        self.findings.iter().any(|finding| finding.level == Level::Error)
    }
}

/// A source that went through the whole gate.
#[derive(Debug)]
pub struct Checked {
    /// The source, its text as it was analysed (and as the executor must compile it).
    pub source: Source,
    /// What was decided.
    pub verdict: Verdict,
    /// What the evaluator found (its findings are in the verdict; kept for `debug`).
    pub facts: Facts,
}

/// The gate: parse, evaluate, judge.
pub fn check(source: Source, settings: &Settings, profile: Profile) -> Checked {
    let (source, program) = syntax::parse(source);
    let facts = eval::evaluate(&source.text, &program, settings);
    let findings = rules::judge(&facts.facts, &settings.limits, profile);
    let verdict = Verdict { findings, guards: facts.guards.clone(), coverage: facts.coverage };
    Checked { source, verdict, facts }
}
