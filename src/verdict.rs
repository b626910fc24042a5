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
    let mut findings = judge(&facts, &program, &source, settings, profile);
    if profile == Profile::Library && !program.comments.is_empty() {
        let unused = suppression::suppress(&mut findings, &source.text, &program.comments);
        findings.extend(rules::judge(&unused, &settings.limits, profile));
        findings.sort_by(|a, b| (a.span.start, &a.code, a.span.end).cmp(&(b.span.start, &b.code, b.span.end)));
    }
    let verdict = Verdict { findings, guards: facts.guards.clone(), coverage: facts.coverage, form: program.form };
    Checked { source, verdict, facts }
}

/// A step of a session that went through the gate.
#[derive(Debug)]
pub struct CheckedStep {
    /// The step, its text as it was analysed (and as the executor must compile it).
    pub source: Source,
    /// What was decided.
    pub verdict: Verdict,
    /// The step as it was parsed alone.
    pub own: Program,
    /// Of the text that was evaluated, what stands in for the steps before.
    pub history: u32,
    /// That text, and what was parsed of it; none where the step was not evaluated.
    pub whole: Option<(std::sync::Arc<str>, Program)>,
}

/// The gate on a step of a session. `history` stands for the steps before it: code whose effect on what the step can see is the
/// effect they had. Without it nothing of them is known, and nothing is claimed.
pub fn check_step(history: Option<&str>, source: Source, settings: &Settings) -> CheckedStep {
    let (source, own) = syntax::parse(source);
    let parsed = own.errors.is_empty() && own.magics.is_empty() && own.not_analysed.is_none();
    let Some(history) = history.filter(|_| parsed && !own.codes.is_empty()) else {
        let mut facts = if own.codes.is_empty() { Facts::default() } else { eval::unevaluated_from(&source.text, &own, 0) };
        add_syntax_facts(&own, &mut facts);
        let verdict = judge_step(&facts, settings, &own, &source);
        return CheckedStep { source, verdict, own, history: 0, whole: None };
    };
    let text = format!("{history}{}", source.text);
    let start = history.len() as u32;
    let whole = Source::from_text(&source.name, &text).map(syntax::parse);
    let whole = whole.ok().filter(|(whole, program)| *whole.text == *text && program.errors.is_empty() && !program.codes.is_empty());
    let (mut facts, whole) = match whole {
        Some((whole, program)) => {
            let facts = eval::evaluate(&whole.text, &program, &Settings { history: Some(start), describe: false, ..settings.clone() });
            (facts, Some((whole.text, program)))
        }
        None => (eval::unevaluated_from(&source.text, &own, 0), None),
    };
    if whole.is_some() {
        facts.facts.retain(|fact| fact.span.start >= start);
        for span in facts.facts.iter_mut().map(|fact| &mut fact.span).chain(facts.guards.iter_mut().map(|guard| &mut guard.span)) {
            (span.start, span.end) = (span.start - start, span.end.saturating_sub(start));
        }
    }
    let verdict = judge_step(&facts, settings, &own, &source);
    CheckedStep { source, verdict, own, history: start, whole }
}

fn judge_step(facts: &Facts, settings: &Settings, own: &Program, source: &Source) -> Verdict {
    let findings = judge(facts, own, source, settings, Profile::Agent);
    Verdict { findings, guards: facts.guards.clone(), coverage: facts.coverage, form: own.form }
}

fn judge(facts: &Facts, program: &Program, source: &Source, settings: &Settings, profile: Profile) -> Vec<Finding> {
    // In a notebook magics are what they are meant to be.
    let broken = !program.magics.is_empty() && !source.is_notebook();
    rules::judge_broken(&facts.facts, &settings.limits, profile, broken)
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
