//! The level table in full, and how facts become findings.

#[expect(dead_code, reason = "other test files use the rest")]
mod common;

use antifreeze::eval::{Fact, FactKind, Measure, Proof, Reach, Unit};
use antifreeze::limits::Limits;
use antifreeze::rules::level::Policy;
use antifreeze::rules::message::number;
use antifreeze::rules::{Finding, Level, Profile, judge, judge_broken};
use antifreeze::syntax::Span;
use common::{fact, huge_power, measured, sleep, words};

const TEXT: &str = "x = 10 ** 10 ** 8\nwhile True:\n    pass\ntime.sleep(100)\n";

fn judged(facts: &[Fact]) -> Vec<Finding> {
    judge(facts, &Limits::default(), Profile::Agent)
}

#[test]
fn the_level_table_holds_in_full() {
    use Level::{Error as E, Warning as W};
    use Proof::{Likely, Proven};
    use Reach::{Always, Defined, Maybe, Unclear};
    // proof, reach: [agent, library, agent of a wait, library of a wait]
    let table = [
        (Proven, Always, [E, E, E, W]),
        (Proven, Maybe, [E, E, E, W]),
        (Proven, Unclear, [W, W, W, W]),
        (Proven, Defined, [W, E, W, W]),
        (Likely, Always, [W, W, W, W]),
        (Likely, Maybe, [W, W, W, W]),
        (Likely, Unclear, [W, W, W, W]),
        (Likely, Defined, [W, W, W, W]),
    ];
    for (proof, reach, [agent, library, agent_wait, library_wait]) in table {
        for (profile, wait, expected) in [
            (Profile::Agent, false, agent),
            (Profile::Library, false, library),
            (Profile::Agent, true, agent_wait),
            (Profile::Library, true, library_wait),
        ] {
            let policy = Policy { wait, ..Policy::default() };
            assert_eq!(policy.level(profile, reach, proof, false), expected, "{profile:?} {reach:?} {proof:?} wait: {wait}");
            // A script that is a SyntaxError ends at once; a file in a repository is judged all the same.
            let broken = if profile == Profile::Agent { W } else { expected };
            assert_eq!(policy.level(profile, reach, proof, true), broken, "broken, {profile:?} {reach:?} {proof:?} wait: {wait}");
            // What a card fixes holds for every reach and proof.
            let fixed = Policy { wait, about_source: true, agent: Some(Level::Note), library: Some(E) };
            let expected = if profile == Profile::Agent { Level::Note } else { E };
            assert_eq!(fixed.level(profile, reach, proof, true), expected);
        }
    }
}

#[test]
fn levels_of_cards_follow_the_design() {
    let level = |kind, profile, broken| {
        let fact = fact(kind, TEXT, "x");
        judge_broken(&[fact], &Limits::default(), profile, broken).first().map(|finding| (finding.code.clone(), finding.level))
    };
    let found = |code: &str, level| Some((code.to_owned(), level));
    assert_eq!(level(FactKind::SyntaxError, Profile::Agent, false), found("AF901", Level::Warning));
    assert_eq!(level(FactKind::SyntaxError, Profile::Library, false), found("AF901", Level::Error));
    assert_eq!(level(FactKind::NotAnalysed, Profile::Agent, false), found("AF903", Level::Warning));
    assert_eq!(level(FactKind::NotAnalysed, Profile::Library, false), found("AF903", Level::Warning));
    assert_eq!(level(FactKind::EndlessLoop, Profile::Agent, false), found("AF401", Level::Error));
    assert_eq!(level(FactKind::EndlessLoop, Profile::Agent, true), found("AF401", Level::Warning));
    assert_eq!(level(FactKind::EndlessLoop, Profile::Library, true), found("AF401", Level::Error));
}

#[test]
fn a_syntax_error_softens_every_other_finding_of_a_script() {
    let facts = [huge_power(TEXT), fact(FactKind::SyntaxError, TEXT, "while")];
    let levels = |profile| -> Vec<Level> { judge(&facts, &Limits::default(), profile).iter().map(|finding| finding.level).collect() };
    assert_eq!(levels(Profile::Agent), [Level::Warning, Level::Warning]);
    assert_eq!(levels(Profile::Library), [Level::Error, Level::Error]);
}

#[test]
fn a_sleep_in_a_repository_is_a_warning() {
    let facts = [sleep(TEXT, "time.sleep(100)", 100.0)];
    assert_eq!(judged(&facts)[0].level, Level::Error);
    assert_eq!(judge(&facts, &Limits::default(), Profile::Library)[0].level, Level::Warning);
}

#[test]
fn only_what_is_strictly_over_the_limit_is_found() {
    let bits = |low, high| judged(&[measured(fact(FactKind::IntegerPower, TEXT, "x"), Unit::Bits, low, high)]).len();
    assert_eq!(bits(1_000_000.0, 1_000_000.0), 0);
    assert_eq!(bits(1_000_001.0, 1_000_001.0), 1);
    // The least amount decides: what may be over is for a guard.
    assert_eq!(bits(10.0, f64::INFINITY), 0);
    let seconds = |low| judged(&[sleep(TEXT, "time", low)]).len();
    assert_eq!((seconds(30.0), seconds(30.5)), (0, 1));
    // A measure in another unit says nothing about the limit, and an integer without one nothing at all.
    assert_eq!(judged(&[measured(fact(FactKind::IntegerPower, TEXT, "x"), Unit::Seconds, 1e12, 1e12)]), []);
    assert_eq!(judged(&[fact(FactKind::IntegerPower, TEXT, "x")]), []);
}

#[test]
fn the_limits_given_decide() {
    let limits = Limits { int_bits: 400_000_000, timeout: 200.0, ..Limits::default() };
    assert_eq!(judge(&[huge_power(TEXT), sleep(TEXT, "time", 100.0)], &limits, Profile::Agent), []);
    let limits = Limits { int_bits: 64, ..Limits::default() };
    let found = judge(&[huge_power(TEXT)], &limits, Profile::Agent);
    assert_eq!(found[0].limit, Some(("int_bits", 64.0)));
    assert!(found[0].message.contains("maximum of 64 bits"), "{}", found[0].message);
}

#[test]
fn an_endless_loop_needs_no_measure() {
    let endless = Measure { unit: Unit::Seconds, low: f64::INFINITY, high: f64::INFINITY };
    for kind in [FactKind::EndlessLoop, FactKind::StuckCondition, FactKind::MissedExit] {
        let found = judged(&[fact(kind, TEXT, "while True:")]);
        assert_eq!(found.len(), 1, "{kind:?}");
        assert_eq!(found[0].measure, Some(endless));
        assert_eq!(found[0].limit, Some(("timeout", 30.0)));
    }
    assert_eq!(judged(&[fact(FactKind::LongLoop, TEXT, "while True:")]), [], "a long loop does need one");
}

#[test]
fn code_that_is_not_known_is_a_note_to_an_agent() {
    let found = judged(&[fact(FactKind::DynamicCode, TEXT, "x")]);
    assert_eq!(found.iter().map(|f| (f.code.as_str(), f.level)).collect::<Vec<_>>(), [("AF902", Level::Note)]);
}

#[test]
fn messages_say_what_limit_and_what_instead() {
    let found = &judged(&[huge_power(TEXT)])[0];
    assert_eq!((found.code.as_str(), found.name.as_str()), ("AF101", "huge-power"));
    assert_eq!(
        format!("{} {}", found.message, found.help),
        "Operation '**' would produce an integer of around 332192810 bits, exceeding the maximum of 1000000 bits allowed. \
         Use smaller operands, or pow(base, exp, mod) for modular exponentiation."
    );
    assert_eq!(found.label, "10 ** 100000000 has about 332192810 bits");

    let found = &judged(&[words(
        fact(FactKind::EndlessLoop, TEXT, "while True:"),
        [("loop", "while n < 2"), ("reason", "the state of iteration 3 repeats that of iteration 1")],
    )])[0];
    assert_eq!(
        found.message,
        "Loop 'while n < 2' never ends: the state of iteration 3 repeats that of iteration 1. It would run past the maximum of 30 s allowed."
    );

    let found = &judged(&[sleep(TEXT, "time.sleep(100)", 100.0)])[0];
    assert_eq!(found.message, "'time.sleep' would wait for at least 100 s in all, exceeding the maximum of 30 s allowed.");
}

#[test]
fn words_of_the_user_are_not_templates_and_are_cut_to_a_line() {
    let long = "y".repeat(10_000);
    let strange = words(huge_power(TEXT), [("op", "{limit}\n{bits}"), ("expression", &long)]);
    let found = &judged(&[strange])[0];
    assert!(found.message.starts_with("Operation '{limit} {bits}' would"), "{}", found.message);
    assert!(found.label.chars().count() < 200, "{}", found.label);
    assert!(found.label.contains('…'));
}

#[test]
fn numbers_are_plain() {
    for (value, text) in [
        (332_192_810.0, "332192810"),
        (1e12, "1000000000000"),
        (0.25, "0.25"),
        (30.0, "30"),
        (3333.333, "3333"),
        (12.345, "12.3"),
        (0.001_234_5, "0.00123"),
        (99.96, "100"),
        (0.0, "0"),
        (18_446_744_073_709_551_615.0, "18446744073709551616"),
        (f64::INFINITY, "infinitely many"),
    ] {
        assert_eq!(number(value), text);
    }
}

#[test]
fn an_amount_just_over_the_limit_does_not_read_like_the_limit() {
    let said = |seconds| judged(&[sleep(TEXT, "time.sleep(100)", seconds)])[0].message.clone();
    assert_eq!(said(30.000_12), "'time.sleep' would wait for at least 30.0001 s in all, exceeding the maximum of 30 s allowed.");
    assert_eq!(said(30.5), "'time.sleep' would wait for at least 30.5 s in all, exceeding the maximum of 30 s allowed.");
}

#[test]
fn facts_on_one_span_are_one_finding_the_strongest() {
    let (weak, strong) = (Fact { reach: Reach::Defined, ..huge_power(TEXT) }, huge_power(TEXT));
    let larger = Fact { measure: Some(Measure { unit: Unit::Bits, low: 5e8, high: 5e8 }), ..huge_power(TEXT) };
    for facts in [[weak.clone(), strong.clone(), larger.clone()], [larger, strong, weak]] {
        let found = judged(&facts);
        assert_eq!(found.len(), 1);
        assert_eq!((found[0].level, found[0].measure.map(|measure| measure.low)), (Level::Error, Some(5e8)));
    }
}

#[test]
fn findings_come_in_order_of_position_then_code() {
    let at = |kind, start, end| Fact { span: Span { start, end }, ..fact(kind, TEXT, "x") };
    let facts = [
        at(FactKind::EndlessLoop, 30, 40),
        at(FactKind::SyntaxError, 5, 9),
        at(FactKind::MissedExit, 5, 9),
        at(FactKind::EndlessLoop, 5, 20),
        at(FactKind::EndlessLoop, 5, 9),
    ];
    let order = |facts: &[Fact]| -> Vec<(u32, String, u32)> {
        judged(facts).into_iter().map(|finding| (finding.span.start, finding.code, finding.span.end)).collect()
    };
    let expected = [(5, "AF401", 9), (5, "AF401", 20), (5, "AF403", 9), (5, "AF901", 9), (30, "AF401", 40)];
    let expected = expected.map(|(start, code, end)| (start, code.to_owned(), end));
    assert_eq!(order(&facts), expected);
    let reversed: Vec<Fact> = facts.into_iter().rev().collect();
    assert_eq!(order(&reversed), expected);
}
