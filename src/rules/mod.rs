//! Rules: facts in, findings out. They know the cards and never the syntax.

pub mod finding;
pub mod level;
pub mod message;
pub mod settings;
pub mod suppression;

pub use finding::{Finding, Level, Profile};

use std::collections::{BTreeMap, HashMap};
use std::sync::LazyLock;

use crate::cards::{self, Card};
use crate::eval::{Fact, FactKind, Measure, Proof, Unit};
use crate::limits::Limits;
use level::Policy;

/// Which cards are about a kind of fact.
static BY_KIND: LazyLock<HashMap<FactKind, Vec<(&'static Card, Policy)>>> = LazyLock::new(|| {
    let mut by_kind: HashMap<FactKind, Vec<_>> = HashMap::new();
    for card in cards::all() {
        for name in &card.meta.facts {
            let kind = fact_kind(name).unwrap_or_else(|| panic!("{} names the unknown fact `{name}`", card.meta.code));
            by_kind.entry(kind).or_default().push((card, Policy::of(card)));
        }
    }
    by_kind
});

/// The kind of fact that a card calls `name`.
pub fn fact_kind(name: &str) -> Option<FactKind> {
    serde_json::from_value(serde_json::Value::String(name.to_owned())).ok()
}

/// Matches facts against the cards and gives them levels. The findings come in order of position, then code; facts on the same
/// span with the same code are one finding, the gravest and largest of them.
pub fn judge(facts: &[Fact], limits: &Limits, profile: Profile) -> Vec<Finding> {
    judge_broken(facts, limits, profile, false)
}

/// As [`judge`]; `broken` says that something other than the facts (an IPython magic) makes the program a SyntaxError when it runs.
/// Such a program ends at once, so about to run it no claim about what it would do can reject it.
pub fn judge_broken(facts: &[Fact], limits: &Limits, profile: Profile, broken: bool) -> Vec<Finding> {
    let broken = broken || facts.iter().any(|fact| fact.kind == FactKind::SyntaxError);
    let mut kept: BTreeMap<_, Finding> = BTreeMap::new();
    for fact in facts {
        for &(card, policy) in BY_KIND.get(&fact.kind).into_iter().flatten() {
            let Some(finding) = finding(fact, card, policy, limits, profile, broken) else { continue };
            let key = (finding.span.start, finding.code.clone(), finding.span.end);
            match kept.get(&key) {
                Some(known) if strength(known) >= strength(&finding) => {}
                _ => {
                    kept.insert(key, finding);
                }
            }
        }
    }
    kept.into_values().collect()
}

/// By what the stronger of two findings on the same span is told: its level, then how sure and how surely reached it is, then
/// how much it is (the bits of a float that is not negative order as the float does).
fn strength(finding: &Finding) -> (Level, bool, std::cmp::Reverse<crate::eval::Reach>, u64) {
    let low = finding.measure.map_or(0.0, |measure| measure.low.max(0.0));
    (finding.level, finding.proof == Proof::Proven, std::cmp::Reverse(finding.reach), low.to_bits())
}

fn finding(fact: &Fact, card: &Card, policy: Policy, limits: &Limits, profile: Profile, broken: bool) -> Option<Finding> {
    let meta = &card.meta;
    if meta.profile.is_some_and(|only| only != profile) {
        return None;
    }
    let endless = Measure { unit: Unit::Seconds, low: f64::INFINITY, high: f64::INFINITY };
    let measure = fact.measure.or(meta.endless.then_some(endless));
    let limit = match &meta.limit {
        Some(name) => Some(over(name, measure?, limits)?),
        None => None,
    };
    let words = message::Words { fact: &fact.words, card: &meta.words, measure, limit: limit.map(|(_, value)| value) };
    Some(Finding {
        code: meta.code.clone(),
        name: meta.name.clone(),
        level: policy.level(profile, fact.reach, fact.proof, broken),
        message: words.fill(&meta.message),
        help: words.fill(&meta.help),
        label: words.fill(&meta.label),
        span: fact.span,
        reach: fact.reach,
        proof: fact.proof,
        measure,
        limit,
    })
}

/// The limit's name and value, if even the least of a measure is over it.
fn over(name: &str, measure: Measure, limits: &Limits) -> Option<(&'static str, f64)> {
    let name = Limits::NAMES.into_iter().find(|known| *known == name)?;
    let unit = match name {
        "int_bits" => Unit::Bits,
        "timeout" => Unit::Seconds,
        "processes" => Unit::Processes,
        _ => Unit::Bytes,
    };
    // Output beyond the limit is dropped; only a multiple of it ends a program.
    let factor = if name == "output" { Limits::OUTPUT_FACTOR as f64 } else { 1.0 };
    let value = limits.named(name)? * factor;
    (measure.unit == unit && measure.low > value).then_some((name, value))
}
