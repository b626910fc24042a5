//! Floats against CPython, by bits.

use antifreeze::value::convert::{Rounding, compare_int_float, float_to_int, int_to_float, int_truediv};
use antifreeze::value::decimal::{ParsedFloat, parse_float, repr_float, round_float};
use antifreeze::value::float::Float;
use antifreeze::value::float_math::{self, Function};
use antifreeze::value::int::{Comparison, Int};
use serde_json::{Value, json};

use crate::support::{Random, ask};

fn int(value: i128) -> Value {
    json!({"int": value.to_string()})
}

fn float(value: f64) -> Value {
    json!({"float": format!("{:016x}", value.to_bits())})
}

fn unpack(answer: &Value) -> Option<f64> {
    let bits = answer["float"].as_str()?;
    Some(f64::from_bits(u64::from_str_radix(bits, 16).expect("16 hex digits")))
}

/// Doubles of every magnitude, and the special ones often.
fn any_float(random: &mut Random) -> f64 {
    const SPECIAL: [f64; 18] = [
        0.0,
        -0.0,
        1.0,
        -1.0,
        0.5,
        1.5,
        2.5,
        -2.5,
        2.0,
        3.0,
        10.0,
        1e16,
        1e22,
        f64::MAX,
        f64::MIN_POSITIVE,
        f64::INFINITY,
        f64::NEG_INFINITY,
        f64::NAN,
    ];
    match random.below(8) {
        0 => *random.pick(&SPECIAL),
        1 => random.wide(12) as f64,
        2 => random.wide(60) as f64 / 8.0,
        3 => random.wide(40) as f64 / 1e6,
        4 => random.wide(20) as f64 / 100.0,
        5 => f64::from_bits(random.below(1 << 20)),
        _ => f64::from_bits(random.next()),
    }
}

/// An interval around a value, often the value alone.
fn around(random: &mut Random, value: f64) -> Float {
    if random.below(2) == 0 {
        return Float::exact(value);
    }
    let (a, b) = (any_float(random), any_float(random));
    let set = Float::exact(value).join(&Float::exact(a));
    if random.below(2) == 0 { set } else { set.join(&Float::exact(b)) }
}

fn same(a: f64, b: f64) -> bool {
    a.to_bits() == b.to_bits() || (a.is_nan() && b.is_nan())
}

/// An exact result must be CPython's to the bit; any result must contain CPython's.
fn check(set: Option<Float>, answer: &Value, request: &Value, must_be_exact: bool) {
    let real = unpack(answer).unwrap_or_else(|| panic!("{request} gave {answer}, abstractly {set:?}"));
    let set = set.unwrap_or_else(|| panic!("{request} gave {real:?}, abstractly nothing"));
    assert!(set.contains(real), "{request} gave {real:?} ({answer}), abstractly {set:?}");
    if must_be_exact {
        assert!(set.is_exact().is_some_and(|value| same(value, real)), "{request} gave {real:?}, abstractly {set:?}");
    }
}

#[test]
fn arithmetic_is_cpythons() {
    let mut random = Random(21);
    let mut cases = vec![];
    for _ in 0..25_000 {
        let (x, y) = (any_float(&mut random), any_float(&mut random));
        let (a, b) = (around(&mut random, x), around(&mut random, y));
        let exact = a.is_exact().is_some() && b.is_exact().is_some();
        let mut add =
            |name: &str, set, raises: &'static [&'static str]| cases.push((json!([name, float(x), float(y)]), set, raises, exact));
        add("add", Some(a.add(&b)), &[]);
        add("sub", Some(a.sub(&b)), &[]);
        add("mul", Some(a.mul(&b)), &[]);
        for (name, result) in [("truediv", a.truediv(&b)), ("floordiv", a.floordiv(&b)), ("mod", a.modulo(&b))] {
            add(name, result.float, if result.zero_possible { &["ZeroDivisionError"] } else { &[] });
        }
    }
    let requests: Vec<Value> = cases.iter().map(|case| case.0.clone()).collect();
    let Some(answers) = ask("float arithmetic", &requests) else { return };
    for ((request, set, raises, exact), answer) in cases.iter().zip(&answers) {
        match answer["error"].as_str() {
            Some(error) => assert!(raises.contains(&error), "{request} raised {error}"),
            None => check(*set, answer, request, *exact),
        }
    }
}

#[test]
fn powers_contain_cpythons() {
    let mut random = Random(22);
    let mut cases = vec![];
    for _ in 0..20_000 {
        let (x, y) = if random.below(3) == 0 {
            (random.wide(6) as f64, random.wide(6) as f64)
        } else {
            (any_float(&mut random), any_float(&mut random))
        };
        let (a, b) = (around(&mut random, x), around(&mut random, y));
        cases.push((json!(["pow", float(x), float(y)]), float_math::pow(&a, &b)));
    }
    let requests: Vec<Value> = cases.iter().map(|case| case.0.clone()).collect();
    let Some(answers) = ask("float powers", &requests) else { return };
    for ((request, power), answer) in cases.iter().zip(&answers) {
        let context = || format!("{request} gave {answer}, abstractly {power:?}");
        match answer["error"].as_str() {
            Some("OverflowError") => assert!(power.overflow_possible, "{}", context()),
            Some("ZeroDivisionError") => assert!(power.zero_division_possible, "{}", context()),
            Some(_) => panic!("{}", context()),
            None if answer["complex"].is_string() => assert!(power.complex_possible, "{}", context()),
            None => check(power.float, answer, request, false),
        }
    }
}

#[test]
fn functions_contain_cpythons() {
    use Function::{Acos, Asin, Atan, Cos, Cosh, Exp, Expm1, Log, Log1p, Log2, Log10, Sin, Sinh, Tan, Tanh};
    let functions = [
        ("exp", Exp),
        ("expm1", Expm1),
        ("log", Log),
        ("log2", Log2),
        ("log10", Log10),
        ("log1p", Log1p),
        ("sin", Sin),
        ("cos", Cos),
        ("tan", Tan),
        ("asin", Asin),
        ("acos", Acos),
        ("atan", Atan),
        ("sinh", Sinh),
        ("cosh", Cosh),
        ("tanh", Tanh),
    ];
    let mut random = Random(23);
    let mut cases = vec![];
    for _ in 0..4_000 {
        let x = if random.below(2) == 0 { any_float(&mut random) } else { random.wide(30) as f64 / 1e6 };
        let a = around(&mut random, x);
        for (name, function) in functions {
            cases.push((json!([name, float(x)]), function.apply(&a)));
        }
        let root = a.sqrt();
        cases.push((
            json!(["sqrt", float(x)]),
            float_math::Computed { float: root, value_error_possible: a.may_be_negative(), overflow_possible: false },
        ));
    }
    let requests: Vec<Value> = cases.iter().map(|case| case.0.clone()).collect();
    let Some(answers) = ask("functions", &requests) else { return };
    for ((request, result), answer) in cases.iter().zip(&answers) {
        match answer["error"].as_str() {
            Some("ValueError") => assert!(result.value_error_possible, "{request} raised, abstractly {result:?}"),
            Some("OverflowError") => assert!(result.overflow_possible, "{request} overflowed, abstractly {result:?}"),
            Some(error) => panic!("{request} raised {error}"),
            None => check(result.float, answer, request, false),
        }
    }
}

#[test]
fn comparisons_and_refinements_are_sound() {
    let mut random = Random(24);
    let ops = [Comparison::Lt, Comparison::Le, Comparison::Eq, Comparison::Ne, Comparison::Gt, Comparison::Ge];
    for _ in 0..100_000 {
        let x = any_float(&mut random);
        let y = if random.below(4) == 0 { x } else { any_float(&mut random) };
        let (a, b) = (around(&mut random, x), around(&mut random, y));
        for op in ops {
            let truth = match op {
                Comparison::Lt => x < y,
                Comparison::Le => x <= y,
                Comparison::Eq => x == y,
                Comparison::Ne => x != y,
                Comparison::Gt => x > y,
                Comparison::Ge => x >= y,
            };
            let answer = a.compare(&b, op);
            assert!(answer.is_none_or(|answer| answer == truth), "{x} {op:?} {y}: {a:?} {b:?} {answer:?}");
            let refined = if truth { a.refine(op, &b) } else { a.refine_not(op, &b) };
            assert!(refined.is_some_and(|set| set.contains(x)), "{x} {op:?} {y} is {truth}: {a:?} {b:?} {refined:?}");
        }
        assert!(a.join(&b).contains(x) && a.join(&b).contains(y) && a.widen(&b).contains(x) && a.widen(&b).contains(y));
        assert_eq!(a.meet(&b).is_some_and(|meet| meet.contains(x)), b.contains(x), "{x}: {a:?} {b:?}");
        assert!(a.neg().contains(-x) && a.abs().contains(x.abs()));
        assert!(a.truth().is_none_or(|truth| truth == (x != 0.0)));
    }
    for _ in 0..1_000 {
        let mut state = Float::exact(any_float(&mut random));
        let mut changes = 0;
        for _ in 0..100 {
            let x = any_float(&mut random);
            let next = state.widen(&around(&mut random, x));
            assert!(next.includes(&state));
            changes += u32::from(next != state);
            state = next;
        }
        assert!(changes <= 10, "{state:?} took {changes} steps");
    }
}

fn in_order(op: &str, n: &Int, x: &Float) -> Option<bool> {
    let op = match op {
        "lt" => Comparison::Lt,
        "le" => Comparison::Le,
        _ => Comparison::Eq,
    };
    compare_int_float(n, x, op)
}

#[test]
fn conversions_and_true_division_are_cpythons() {
    let mut random = Random(25);
    let (mut divisions, mut conversions, mut comparisons, mut integers) = (vec![], vec![], vec![], vec![]);
    for _ in 0..12_000 {
        let width = *random.pick(&[8, 54, 66, 127]);
        let (mut a, b) = (random.wide(width), random.wide(width));
        if random.below(4) == 0 && b != 0 {
            // Quotients near a tie between two doubles.
            let quotient = i128::from(random.below(1 << 54)) | 1 << 54;
            a = quotient.checked_mul(b).and_then(|a| a.checked_add(random.wide(3))).unwrap_or(a);
        }
        let near = |value: i128, by: i128| Int::range(value.saturating_sub(by), value.saturating_add(by));
        let by = random.wide(20).abs() * i128::from(random.below(2));
        divisions.push((json!(["truediv", int(a), int(b)]), int_truediv(&near(a, by), &near(b, by / 2)), by == 0));
        conversions.push((json!(["float", int(a)]), int_to_float(&near(a, by)), by == 0));
        let x = match random.below(3) {
            0 => any_float(&mut random),
            1 => a as f64,
            _ => (a as f64).next_up(),
        };
        for op in ["lt", "le", "eq"] {
            comparisons.push((json!([op, int(a), float(x)]), in_order(op, &near(a, by), &around(&mut random, x)), by));
        }
        let set = around(&mut random, x);
        for (name, rounding) in
            [("floor", Rounding::Floor), ("ceil", Rounding::Ceil), ("int", Rounding::Trunc), ("round1", Rounding::Round)]
        {
            integers.push((json!([name, float(x)]), float_to_int(&set, rounding), set.is_exact().is_some()));
        }
    }
    let all: Vec<Value> = divisions.iter().map(|case| &case.0).chain(conversions.iter().map(|case| &case.0)).cloned().collect();
    let Some(answers) = ask("division", &all) else { return };
    for ((request, result, exact), answer) in divisions.iter().chain(&conversions).zip(&answers) {
        if answer["error"] == "ZeroDivisionError" {
            assert!(result.zero_possible, "{request}");
        } else {
            check(result.float, answer, request, *exact);
        }
    }
    let requests: Vec<Value> = comparisons.iter().map(|case| case.0.clone()).collect();
    for ((request, result, by), answer) in comparisons.iter().zip(ask("comparison", &requests).into_iter().flatten()) {
        assert!(result.is_none_or(|result| answer == result), "{request} (±{by}) gave {answer}, abstractly {result:?}");
    }
    let requests: Vec<Value> = integers.iter().map(|case| case.0.clone()).collect();
    for ((request, result, exact), answer) in integers.iter().zip(ask("to int", &requests).into_iter().flatten()) {
        match answer["error"].as_str() {
            Some("ValueError") => assert!(result.nan_possible, "{request}"),
            Some("OverflowError") => assert!(result.infinity_possible, "{request}"),
            Some(error) => panic!("{request} raised {error}"),
            None => {
                let set = result.int.unwrap_or_else(|| panic!("{request} gave {answer}, abstractly nothing"));
                let value = answer["value"].as_str().map(|value| value.parse::<i128>().expect("126 bits"));
                let length = answer["bits"].as_u64().expect("an integer");
                let member = value.map_or_else(|| set.contains_bits(length, answer["negative"] == true), |value| set.contains(value));
                assert!(member, "{request} gave {answer}, abstractly {set:?}");
                assert!(!exact || value.is_none() || set.is_exact() == value, "{request} gave {answer}, abstractly {set:?}");
            }
        }
    }
}

/// Lengths beyond i128: the quotient is bounded by the bit lengths alone.
#[test]
fn division_of_long_integers_contains_cpythons() {
    let mut random = Random(26);
    let mut cases = vec![];
    for _ in 0..300 {
        let (a, b) = (random.below(2_000), random.below(2_000));
        let long = |length: u64| Int::exact(1).shl(&Int::exact(length.into())).int.expect("a shift");
        let text = |length: u64| num_power(length);
        cases.push((json!(["truediv", {"int": text(a)}, {"int": text(b)}]), int_truediv(&long(a), &long(b))));
        cases.push((json!(["float", {"int": text(a)}]), int_to_float(&long(a))));
    }
    let requests: Vec<Value> = cases.iter().map(|case| case.0.clone()).collect();
    for ((request, result), answer) in cases.iter().zip(ask("long division", &requests).into_iter().flatten()) {
        match answer["error"].as_str() {
            Some("OverflowError") => assert!(result.overflow_possible, "{request}"),
            Some(error) => panic!("{request} raised {error}"),
            None => check(result.float, &answer, request, false),
        }
    }
}

/// 2**length in decimal, by doubling.
fn num_power(length: u64) -> String {
    let mut digits = vec![1_u8];
    for _ in 0..length {
        let mut carry = 0;
        for digit in &mut digits {
            let double = *digit * 2 + carry;
            *digit = double % 10;
            carry = double / 10;
        }
        if carry > 0 {
            digits.push(carry);
        }
    }
    digits.iter().rev().map(|digit| char::from(b'0' + digit)).collect()
}

#[test]
fn repr_round_and_parsing_are_cpythons() {
    let mut random = Random(27);
    let mut values: Vec<f64> = (0..30_000).map(|_| any_float(&mut random)).collect();
    // Every power of two: the spacing changes there, which is where shortest digits go wrong.
    values.extend((1..=2046).map(|exponent| f64::from_bits(exponent << 52)));
    values.extend((0..52).map(|shift| f64::from_bits(1 << shift)));
    let requests: Vec<Value> = values.iter().map(|value| json!(["repr", float(*value)])).collect();
    for (value, answer) in values.iter().zip(ask("repr", &requests).into_iter().flatten()) {
        assert_eq!(repr_float(*value), answer.as_str().expect("text"), "{:016x}", value.to_bits());
    }
    let rounded: Vec<(f64, i64)> = (0..20_000)
        .map(|_| {
            let places = if random.below(10) == 0 { random.below(700) as i64 - 350 } else { random.below(12) as i64 - 4 };
            let value = any_float(&mut random);
            (if random.below(3) == 0 { random.wide(20) as f64 / 8.0 } else { value }, places)
        })
        .collect();
    let requests: Vec<Value> = rounded.iter().map(|(value, places)| json!(["round", float(*value), places])).collect();
    for ((value, places), answer) in rounded.iter().zip(ask("round", &requests).into_iter().flatten()) {
        match round_float(*value, *places) {
            Some(result) => {
                assert!(
                    unpack(&answer).is_some_and(|real| same(real, result)),
                    "round({value:?}, {places}) gave {answer}, here {result:?}"
                );
            }
            None => assert_eq!(answer["error"], "OverflowError", "round({value:?}, {places})"),
        }
    }
    const PIECES: [&str; 22] = [
        "", "0", "1", "9", "12", "007", "_", ".", "e", "E", "e5", "e-3", "+", "-", " ", "\t", "inf", "nan", "Infinity", "1_0", "e400", "x",
    ];
    let texts: Vec<String> = (0..20_000)
        .map(|_| {
            if random.below(3) == 0 {
                format!("{:e}", any_float(&mut random))
            } else {
                (0..random.below(7)).map(|_| *random.pick(&PIECES)).collect()
            }
        })
        .chain(
            ["1\u{b}", "\u{1c}1", "1\u{0}", "", " ", "1__0", "1_.5", "0x10", "+-1", ".", ".e5", "1.e5", "infinit", "-nan"]
                .map(str::to_owned),
        )
        .chain((0..200).map(|i| format!("{}.{}5", "9".repeat(i), "4".repeat(i))))
        .collect();
    let requests: Vec<Value> = texts.iter().map(|text| json!(["float", text])).collect();
    for (text, answer) in texts.iter().zip(ask("parsing", &requests).into_iter().flatten()) {
        match parse_float(text) {
            ParsedFloat::Value(value) => {
                assert!(unpack(&answer).is_some_and(|real| same(real, value)), "{text:?} gave {answer}, here {value:?}");
            }
            ParsedFloat::Invalid => assert_eq!(answer["error"], "ValueError", "{text:?}"),
            ParsedFloat::Unknown => panic!("{text:?} is ASCII"),
        }
    }
}
