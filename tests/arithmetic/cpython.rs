//! Integers against CPython.

use antifreeze::value::int::Int;
use antifreeze::value::{bits, counting};
use serde_json::{Value, json};

use crate::support::{Random, ask};

fn int(value: i128) -> Value {
    json!({"int": value.to_string()})
}

/// Whether the real integer is a member, and how far the bit lengths are apart.
fn check(set: Option<Int>, answer: &Value, request: &Value) -> u64 {
    let Some(length) = answer["bits"].as_u64() else { panic!("{request} gave {answer}, abstractly {set:?}") };
    let set = set.unwrap_or_else(|| panic!("{request} gave {answer}, abstractly nothing"));
    let negative = answer["negative"] == true;
    let member = match answer["value"].as_str() {
        Some(value) => set.contains(value.parse().expect("an integer of at most 126 bits")),
        None => set.contains_bits(length, negative),
    };
    assert!(member, "{request} gave {answer}, abstractly {set:?}");
    set.bits_high - set.bits_low
}

/// Runs cases of (request, abstract result) and demands that the bit lengths are exact in nearly all.
fn compare(test: &str, cases: &[(Value, Option<Int>)]) {
    let requests: Vec<Value> = cases.iter().map(|(request, _)| request.clone()).collect();
    let Some(answers) = ask(test, &requests) else { return };
    let inexact = cases.iter().zip(&answers).filter(|((request, set), answer)| check(*set, answer, request) > 0).count();
    assert!(inexact * 100 <= cases.len(), "{inexact} of {} lengths were not exact", cases.len());
}

#[test]
fn powers_and_shifts_have_cpythons_bit_lengths() {
    let mut random = Random(11);
    let mut cases = vec![];
    for round in 0..400 {
        let base = match round % 4 {
            0 => i128::from(random.below(100)) - 50,
            1 => random.wide(40),
            2 => 1 << random.below(60),
            _ => random.wide(126),
        };
        let length = u64::from(128 - base.unsigned_abs().leading_zeros()).max(1);
        let target = *random.pick(&[1_000, 30_000, 1_000_000, 1_000_000]);
        let exponent = i128::from(target / length + random.below(4));
        cases.push((json!(["pow", int(base), int(exponent)]), Int::exact(base).pow(&Int::exact(exponent)).int));
        let count = i128::from(target - random.below(200).min(target));
        cases.push((json!(["shl", int(base), int(count)]), Int::exact(base).shl(&Int::exact(count)).int));
    }
    for exponent in [630_928, 630_929, 630_930, 630_931] {
        cases.push((json!(["pow", int(3), int(exponent)]), Int::exact(3).pow(&Int::exact(exponent)).int));
    }
    cases.push((json!(["pow", int(10), int(3_010_299)]), Int::exact(10).pow(&Int::exact(3_010_299)).int));
    compare("powers_and_shifts", &cases);
}

#[test]
fn products_of_wide_operands_have_cpythons_bit_lengths() {
    let mut random = Random(12);
    let cases: Vec<_> = (0..3_000)
        .map(|_| {
            let (a, b) = (random.wide(126), random.wide(126));
            (json!(["mul", int(a), int(b)]), Some(Int::exact(a).mul(&Int::exact(b))))
        })
        .collect();
    compare("products", &cases);
}

#[test]
fn combinatorics_have_cpythons_bit_lengths() {
    let mut random = Random(13);
    let mut cases = vec![];
    for n in (0..200).chain([1_000, 4_095, 4_096, 4_097, 5_000, 20_000, 60_000, 82_000]) {
        cases.push((json!(["factorial", int(n)]), counting::factorial(&Int::exact(n)).int));
    }
    for _ in 0..600 {
        let limit = *random.pick(&[10, 60, 200, 3_000, 30_000]);
        let n = i128::from(random.below(limit));
        let k = i128::from(random.below(n as u64 + 2).min(9_000));
        cases.push((json!(["comb", int(n), int(k)]), counting::comb(&Int::exact(n), &Int::exact(k)).int));
        cases.push((json!(["perm", int(n), int(k)]), counting::perm(&Int::exact(n), &Int::exact(k)).int));
        let wide = random.wide(100).abs();
        let few = i128::from(random.below(60));
        cases.push((json!(["comb", int(wide), int(few)]), counting::comb(&Int::exact(wide), &Int::exact(few)).int));
        cases.push((json!(["perm", int(wide), int(few)]), counting::perm(&Int::exact(wide), &Int::exact(few)).int));
        let (a, b) = (random.wide(120), random.wide(120));
        cases.push((json!(["lcm", int(a), int(b)]), Some(counting::lcm(&Int::exact(a), &Int::exact(b)))));
        cases.push((json!(["gcd", int(a), int(b)]), Some(counting::gcd(&Int::exact(a), &Int::exact(b)))));
        let (start, count, step) = (random.wide(20), i128::from(random.below(300)), random.wide(6));
        if let Some(product) = counting::product_of_range(start, start + count * step, step) {
            cases.push((json!(["product_range", int(start), int(start + count * step), int(step)]), Some(product)));
        }
    }
    for (start, stop) in [(1, 4_097), (1, 4_099), (5, 9_000), (-9_000, -4), (100_000, 106_000)] {
        cases.push((json!(["product_range", int(start), int(stop), int(1)]), counting::product_of_range(start, stop, 1)));
    }
    compare("combinatorics", &cases);
    // A coarse bound is allowed for a stepped product of many factors, a wrong one is not.
    let requests = [json!(["product_range", int(-20_001), int(20_001), int(2)]), json!(["product_range", int(3), int(30_000), int(5)])];
    if let Some(answers) = ask("stepped products", &requests) {
        check(counting::product_of_range(-20_001, 20_001, 2), &answers[0], &requests[0]);
        check(counting::product_of_range(3, 30_000, 5), &answers[1], &requests[1]);
    }
}

#[test]
fn intervals_contain_cpythons_results() {
    let mut random = Random(14);
    let mut cases = vec![];
    for _ in 0..2_000 {
        let (base, exponent) = (random.wide(30), i128::from(random.below(400)));
        let a = Int::range(base - i128::from(random.below(5)), base + i128::from(random.below(5)));
        let n = Int::range((exponent - i128::from(random.below(9))).max(0), exponent + i128::from(random.below(9)));
        cases.push((json!(["pow", int(base), int(exponent)]), a.pow(&n).int));
        let (n, k) = (i128::from(random.below(300)), i128::from(random.below(300)));
        let near = |value: i128, by: u64| Int::range((value - i128::from(by)).max(0), value + i128::from(by));
        let (by_n, by_k) = (random.below(40), random.below(40));
        cases.push((json!(["comb", int(n), int(k)]), counting::comb(&near(n, by_n), &near(k, by_k)).int));
        cases.push((json!(["perm", int(n), int(k)]), counting::perm(&near(n, by_n), &near(k, by_k)).int));
        cases.push((json!(["factorial", int(n)]), counting::factorial(&near(n, by_n)).int));
        let (b, e, m) = (random.wide(70), i128::from(random.below(90)), random.wide(64));
        if m != 0 {
            cases.push((json!(["pow_mod", int(b), int(e), int(m)]), Int::exact(b).pow_mod(&Int::exact(e), &Int::exact(m)).int));
        }
    }
    let requests: Vec<Value> = cases.iter().map(|(request, _)| request.clone()).collect();
    if let Some(answers) = ask("intervals", &requests) {
        for ((request, set), answer) in cases.iter().zip(&answers) {
            check(*set, answer, request);
        }
    }
}

#[test]
fn decimal_digits_and_bits_agree_with_cpython() {
    let lengths = (1..400).chain([999, 1_000, 4_300, 4_301, 33_219, 33_220, 100_000, 301_029, 301_030]);
    let requests: Vec<Value> = lengths.map(|n| json!(["nines", int(n)])).collect();
    if let Some(answers) = ask("digits", &requests) {
        for (request, answer) in requests.iter().zip(&answers) {
            let n: u64 = request[1]["int"].as_str().and_then(|n| n.parse().ok()).expect("a number");
            let real = answer["bits"].as_u64().expect("an integer");
            assert_eq!(bits::of_nines(n), (real, real), "{n} nines");
            let (low, high) = bits::of_decimal_digits(n);
            assert!(low <= real && real == high, "{n} digits: {low} {high} {real}");
            let (fewest, most) = bits::digits(real);
            assert!(fewest <= n && n <= most && most - fewest <= 1);
        }
    }
    // The length of str(10**n), from an integer that is known by its bit length alone.
    for n in [50_i128, 1_000, 4_299, 4_300, 100_000] {
        let (low, high) = Int::exact(10).pow(&Int::exact(n)).int.expect("an integer").decimal_length();
        let length = n as u64 + 1;
        assert!((low..=high).contains(&length) && high - low <= 1, "10 ** {n}: {low} {high}");
    }
}
