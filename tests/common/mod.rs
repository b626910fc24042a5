//! Hand-made facts and reports, and the schema every JSON output is held against.

use std::collections::BTreeMap;
use std::sync::LazyLock;
use std::time::Duration;

use antifreeze::eval::{Coverage, Fact, FactKind, Guard, Measure, Proof, Reach, Unit};
use antifreeze::limits::Limits;
use antifreeze::report::{FileReport, json};
use antifreeze::rules::{self, Profile};
use antifreeze::source::Source;
use antifreeze::syntax::Span;
use jsonschema::Validator;
use serde_json::{Value, json};

/// A fact about the first place where `part` stands in `text`: always reached, proven, without a measure.
pub fn fact(kind: FactKind, text: &str, part: &str) -> Fact {
    let start = text.find(part).expect("the part stands in the text") as u32;
    let span = Span { start, end: start + part.len() as u32 };
    Fact { kind, span, reach: Reach::Always, proof: Proof::Proven, measure: None, words: BTreeMap::new() }
}

/// The same fact with words.
pub fn words<const N: usize>(mut fact: Fact, words: [(&'static str, &str); N]) -> Fact {
    fact.words = words.map(|(name, word)| (name, word.to_owned())).into();
    fact
}

/// The same fact with a measure.
pub fn measured(fact: Fact, unit: Unit, low: f64, high: f64) -> Fact {
    Fact { measure: Some(Measure { unit, low, high }), ..fact }
}

/// What is said of `10 ** 10 ** 8` in `text`.
pub fn huge_power(text: &str) -> Fact {
    let fact = measured(fact(FactKind::IntegerPower, text, "10 ** 10 ** 8"), Unit::Bits, 332_192_810.0, 332_192_810.0);
    words(fact, [("op", "**"), ("expression", "10 ** 100000000")])
}

/// What is said of a sleep of so many seconds.
pub fn sleep(text: &str, part: &str, seconds: f64) -> Fact {
    words(measured(fact(FactKind::Sleep, text, part), Unit::Seconds, seconds, seconds), [("callee", "time.sleep"), ("expression", part)])
}

/// A report on a text with facts, under default limits.
pub fn report(name: &str, text: &str, facts: &[Fact], profile: Profile) -> FileReport {
    FileReport {
        source: Source::from_text(name, text).expect("it is text"),
        findings: rules::judge(facts, &Limits::default(), profile),
        guards: facts.iter().filter(|fact| fact.kind == FactKind::IntegerPower).map(|fact| Guard { span: fact.span, op: "**" }).collect(),
        coverage: Coverage { statements: 3, evaluated: 2, out_of_fuel: false },
        elapsed: Duration::from_micros(120),
    }
}

static SCHEMA: LazyLock<Value> = LazyLock::new(|| serde_json::from_str(json::CHECK_SCHEMA).expect("the schema is JSON"));
static REPORT: LazyLock<Validator> = LazyLock::new(|| jsonschema::validator_for(&SCHEMA).expect("the schema is one"));
static LINE: LazyLock<Validator> = LazyLock::new(|| {
    let schema = json!({"$schema": SCHEMA["$schema"], "$defs": SCHEMA["$defs"], "$ref": "#/$defs/file"});
    jsonschema::validator_for(&schema).expect("the schema is one")
});

/// Fails unless `value` is what `check --format json` may print.
pub fn assert_valid(value: &Value) {
    assert_follows(&REPORT, value);
}

/// Fails unless `value` is what a line of `check --format jsonl` may be.
pub fn assert_valid_line(value: &Value) {
    assert_follows(&LINE, value);
}

fn assert_follows(schema: &Validator, value: &Value) {
    let errors: Vec<String> = schema.iter_errors(value).map(|error| format!("{}: {error}", error.instance_path)).collect();
    assert!(errors.is_empty(), "{errors:#?}\n{value:#}");
}
