//! What the gate decided: findings, guard sites, and whether they reject.

use std::collections::BTreeMap;

use crate::eval::{self, Coverage, Fact, FactKind, Facts, Guard, Proof, Reach, Settings};
use crate::rules::{self, Finding, Level, Profile, suppression};
use crate::source::Source;
use crate::syntax::code::{Form, SyntaxIssue};
use crate::syntax::{self, Program};

/// The gate's decision on one source.
#[derive(Debug, Clone, Default)]
pub struct Verdict {
    /// In order of position, then code.
    pub findings: Vec<Finding>,
    /// Operations the executor checks at run time.
    pub guards: Vec<Guard>,
    /// How far the evaluator saw.
    pub coverage: Coverage,
    /// What the program is made of.
    pub form: Form,
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
    let mut facts = eval::evaluate(&source.text, &program, settings);
    add_syntax_facts(&program, &mut facts);
    // In a notebook magics are what they are meant to be.
    let broken = !program.magics.is_empty() && !source.is_notebook();
    let mut findings = rules::judge_broken(&facts.facts, &settings.limits, profile, broken);
    if profile == Profile::Library && !program.comments.is_empty() {
        let unused = suppression::suppress(&mut findings, &source.text, &program.comments);
        findings.extend(rules::judge(&unused, &settings.limits, profile));
        findings.sort_by(|a, b| (a.span.start, &a.code, a.span.end).cmp(&(b.span.start, &b.code, b.span.end)));
    }
    let verdict = Verdict { findings, guards: facts.guards.clone(), coverage: facts.coverage, form: program.form };
    Checked { source, verdict, facts }
}

/// What the parser said is a fact too, whether or not the evaluator came to look at the program. Only its first complaint is: those
/// after it are mostly about the same slip, and CPython names one too.
fn add_syntax_facts(program: &Program, facts: &mut Facts) {
    let mut add = |kind: FactKind, issue: &SyntaxIssue| {
        if !facts.facts.iter().any(|fact| fact.kind == kind) {
            facts.facts.push(Fact {
                kind,
                span: issue.span,
                reach: Reach::Always,
                proof: Proof::Proven,
                measure: None,
                words: BTreeMap::from([("reason", issue.message.clone())]),
            });
        }
    };
    if let Some(issue) = program.errors.first() {
        add(FactKind::SyntaxError, issue);
    }
    if let Some(issue) = &program.not_analysed {
        add(FactKind::NotAnalysed, issue);
    }
    facts.facts.sort_by_key(|fact| fact.span);
}
