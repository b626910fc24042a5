//! Integers against brute force: exhaustive over small intervals, seeded over wide ones.

use antifreeze::value::counting;
use antifreeze::value::int::{Comparison, Int, Shift};
use antifreeze::value::residue::Residue;

use crate::support::Random;

const OPS: [Comparison; 6] = [Comparison::Lt, Comparison::Le, Comparison::Eq, Comparison::Ne, Comparison::Gt, Comparison::Ge];

fn holds(a: i128, op: Comparison, b: i128) -> bool {
    match op {
        Comparison::Lt => a < b,
        Comparison::Le => a <= b,
        Comparison::Eq => a == b,
        Comparison::Ne => a != b,
        Comparison::Gt => a > b,
        Comparison::Ge => a >= b,
    }
}

fn floor_div(a: i128, b: i128) -> i128 {
    a.div_euclid(b) - i128::from(b < 0 && a.rem_euclid(b) != 0)
}

fn modulo(a: i128, b: i128) -> i128 {
    a - b * floor_div(a, b)
}

/// Every interval within [−r, r], also with bit lengths narrowed beyond what the interval says.
fn small(r: i128) -> Vec<Int> {
    let mut sets = vec![];
    for low in -r..=r {
        for high in low..=r {
            sets.push(Int::range(low, high));
            for (bits_low, bits_high) in [(1, 3), (2, 2), (2, 3), (0, 1)] {
                sets.extend(Int { low, high, bits_low, bits_high, residue: Residue::ANY }.tighten());
            }
        }
    }
    sets.sort_by_key(|set| (set.low, set.high, set.bits_low, set.bits_high));
    sets.dedup();
    sets
}

/// Every interval within [−r, r] of the integers that leave one remainder by 2, 3, 4 or 6.
fn remainders(r: i128) -> Vec<Int> {
    let mut sets = vec![];
    for low in -r..=r {
        for high in low..=r {
            for modulus in [2, 3, 4, 6] {
                let residues = (0..modulus).map(|value| Residue::new(value as i128, modulus));
                sets.extend(residues.filter_map(|residue| Int { residue, ..Int::range(low, high) }.tighten()));
            }
        }
    }
    sets.sort_by_key(|set| (set.low, set.high, set.residue.modulus(), set.contains(0), set.contains(1), set.contains(2)));
    sets.dedup();
    sets
}

fn members(set: &Int, r: i128) -> Vec<i128> {
    (-r..=r).filter(|value| set.contains(*value)).collect()
}

#[test]
fn tightening_keeps_every_member_and_names_an_exact_one() {
    for low in -9..=9 {
        for high in low..=9 {
            for bits_low in 0..5 {
                for bits_high in bits_low..5 {
                    for modulus in 1..6 {
                        for value in 0..modulus {
                            let raw = Int { low, high, bits_low, bits_high, residue: Residue::new(value, modulus as u128) };
                            let expected = members(&raw, 20);
                            match raw.tighten() {
                                None => assert!(expected.is_empty(), "{raw:?} lost {expected:?}"),
                                Some(tight) => {
                                    assert_eq!(members(&tight, 20), expected, "{raw:?}");
                                    assert!(tight.is_exact().is_none_or(|value| expected == [value]), "{raw:?} {tight:?}");
                                }
                            }
                        }
                    }
                }
            }
        }
    }
}

#[test]
fn small_intervals_match_brute_force() {
    check_all(&small(5));
}

#[test]
fn small_sets_of_one_remainder_match_brute_force() {
    let mut sets = remainders(5);
    sets.extend([Int::range(-5, 5), Int::range(0, 5), Int::range(-1, 1), Int::range(1, 4)]);
    sets.extend((-5..=5).map(Int::exact));
    check_all(&sets);
}

#[test]
fn sums_of_several_members_are_kept() {
    for set in remainders(4).into_iter().chain(small(3)) {
        let all = members(&set, 4);
        let mut sums: Vec<i128> = vec![0];
        for count in 0..4 {
            assert!(sums.iter().all(|sum| set.times(&Int::exact(count)).contains(*sum)), "{set:?} {count}");
            assert!(sums.iter().all(|sum| set.times(&Int::range(0, 3)).contains(*sum)), "{set:?} up to {count}");
            sums = sums.iter().flat_map(|sum| all.iter().map(move |x| sum + x)).collect();
        }
    }
}

fn check_all(sets: &[Int]) {
    for a in sets {
        let a_members = members(a, 5);
        for x in &a_members {
            assert!(a.neg().contains(-x) && a.abs().contains(x.abs()) && a.invert().contains(!x), "{a:?} {x}");
            assert!(a.bit_length().contains(i128::from(128 - x.unsigned_abs().leading_zeros())));
            let length = x.to_string().len() as u64;
            assert!(a.decimal_length().0 <= length && length <= a.decimal_length().1, "{a:?} {x}");
            assert!(a.truth().is_none_or(|truth| truth == (*x != 0)));
        }
        for b in sets {
            check_pair(a, b, &a_members, &members(b, 5));
        }
    }
}

fn check_pair(a: &Int, b: &Int, a_members: &[i128], b_members: &[i128]) {
    let context = || format!("{a:?} and {b:?}");
    let (sum, difference, product) = (a.add(b), a.sub(b), a.mul(b));
    let (quotient, remainder, power) = (a.floor_div(b), a.modulo(b), a.pow(b));
    let (left, right) = (a.shl(b), a.shr(b));
    let (and, or, xor) = (a.bit_and(b), a.bit_or(b), a.bit_xor(b));
    let (join, meet, widened, lesser) = (a.join(b), a.meet(b), a.widen(b), a.lesser(b));
    let answers = OPS.map(|op| (a.compare(b, op), a.refine(op, b)));
    let (gcd, lcm) = (counting::gcd(a, b), counting::lcm(a, b));
    let (comb, perm) = (counting::comb(a, b), counting::perm(a, b));
    assert_eq!(quotient.zero_certain, b_members == [0], "{}", context());
    for &x in a_members {
        assert!(join.contains(x) && widened.contains(x), "{}", context());
        assert_eq!(meet.is_some_and(|meet| meet.contains(x)), b_members.contains(&x), "{}", context());
        for &y in b_members {
            assert!(join.contains(y) && widened.contains(y) && lesser.contains(x.min(y)), "{}", context());
            assert!(sum.contains(x + y), "{} {x}+{y}: {sum:?}", context());
            assert!(difference.contains(x - y), "{} {x}-{y}", context());
            assert!(product.contains(x * y), "{} {x}*{y}: {product:?}", context());
            assert!(and.contains(x & y), "{} {x}&{y}: {and:?}", context());
            assert!(or.contains(x | y), "{} {x}|{y}: {or:?}", context());
            assert!(xor.contains(x ^ y), "{} {x}^{y}: {xor:?}", context());
            if y == 0 {
                assert!(quotient.zero_possible && remainder.zero_possible);
            } else {
                assert!(has(quotient.int, floor_div(x, y)), "{} {x}//{y}: {quotient:?}", context());
                assert!(has(remainder.int, modulo(x, y)), "{} {x}%{y}: {remainder:?}", context());
            }
            if y >= 0 {
                assert!(has(power.int, x.pow(y as u32)), "{} {x}**{y}: {power:?}", context());
                assert!(has(left.int, x << y), "{} {x}<<{y}: {left:?}", context());
                assert!(has(right.int, x >> y), "{} {x}>>{y}: {right:?}", context());
            } else {
                assert!(if x == 0 { power.zero_division_possible } else { power.float_possible }, "{}", context());
                assert!(left.negative_possible && right.negative_possible);
            }
            for (op, (answer, refined)) in OPS.iter().zip(&answers) {
                let truth = holds(x, *op, y);
                assert!(answer.is_none_or(|answer| answer == truth), "{} {x} {op:?} {y}", context());
                assert!(!truth || has(*refined, x), "{} {x} {op:?} {y}: {refined:?}", context());
            }
            let g = (1..=5).rev().find(|g| x % g == 0 && y % g == 0 && (x, y) != (0, 0)).unwrap_or(0);
            assert!(gcd.contains(g), "{} gcd({x}, {y}): {gcd:?}", context());
            let l = if g == 0 { 0 } else { (x * y).abs() / g };
            assert!(lcm.contains(l), "{} lcm({x}, {y}): {lcm:?}", context());
            if x >= 0 && y >= 0 {
                let p = (0..y).map(|i| x - i).product::<i128>();
                let p = if y > x { 0 } else { p };
                assert!(has(perm.int, p), "{} perm({x}, {y}): {perm:?}", context());
                assert!(has(comb.int, p / (1..=y).product::<i128>()), "{} comb({x}, {y}): {comb:?}", context());
            } else {
                assert!(comb.negative_possible && perm.negative_possible);
            }
        }
    }
}

fn has(set: Option<Int>, value: i128) -> bool {
    set.is_some_and(|set| set.contains(value))
}

/// Operations on exact operands are exact.
#[test]
fn exact_operands_give_exact_results() {
    let mut random = Random(1);
    for _ in 0..20_000 {
        let (x, y) = (random.wide(62), random.wide(62));
        let (a, b) = (Int::exact(x), Int::exact(y));
        assert_eq!(a.add(&b), Int::exact(x + y));
        assert_eq!(a.sub(&b), Int::exact(x - y));
        assert_eq!(a.mul(&b), Int::exact(x * y));
        assert_eq!(a.bit_and(&b), Int::exact(x & y));
        assert_eq!(a.bit_or(&b), Int::exact(x | y));
        assert_eq!(a.bit_xor(&b), Int::exact(x ^ y));
        assert_eq!(a.neg(), Int::exact(-x));
        assert_eq!(a.invert(), Int::exact(!x));
        if y != 0 {
            assert_eq!(a.floor_div(&b).int, Some(Int::exact(floor_div(x, y))), "{x} // {y}");
            assert_eq!(a.modulo(&b).int, Some(Int::exact(modulo(x, y))), "{x} % {y}");
        }
        let count = i128::from(random.below(60));
        assert_eq!(a.shl(&Int::exact(count)).int, Some(Int::exact(x << count)));
        assert_eq!(a.shr(&Int::exact(count)).int, Some(Int::exact(x >> count)));
        let (base, exponent) = (random.wide(12), random.below(10));
        assert_eq!(Int::exact(base).pow(&Int::exact(exponent.into())).int, Some(Int::exact(base.pow(exponent as u32))));
        for op in OPS {
            assert_eq!(a.compare(&b, op), Some(holds(x, op, y)));
        }
    }
}

/// A random set around a random member.
fn around(random: &mut Random, most_bits: u32) -> (Int, i128) {
    let value = random.wide(most_bits);
    let (down, up) = (random.wide(most_bits).unsigned_abs(), random.wide(most_bits).unsigned_abs());
    let length = u64::from(128 - value.unsigned_abs().leading_zeros());
    let set = Int {
        low: if random.below(8) == 0 { i128::MIN } else { value.saturating_sub_unsigned(down) },
        high: if random.below(8) == 0 { i128::MAX } else { value.saturating_add_unsigned(up) },
        bits_low: length.saturating_sub(random.below(4) * random.below(60)),
        bits_high: if random.below(8) == 0 { u64::MAX } else { length + random.below(4) * random.below(60) },
        residue: Residue::new(value, 1 + u128::from(random.below(3) * random.below(40))),
    };
    (set.tighten().expect("the value is a member"), value)
}

/// A value too long for i128 is checked by its sign and length: (bit length, negative) of the real result.
fn has_wide(set: &Int, real: Option<i128>, length: u64, negative: bool) -> bool {
    real.map_or_else(|| set.contains_bits(length, negative), |real| set.contains(real))
}

#[test]
fn wide_intervals_contain_the_real_results() {
    let mut random = Random(2);
    for round in 0..300_000 {
        let bits = *random.pick(&[8, 40, 64, 100, 127]);
        let ((a, x), (b, y)) = (around(&mut random, bits), around(&mut random, bits));
        let context = || format!("round {round}: {a:?} ∋ {x}, {b:?} ∋ {y}");
        if let Some(sum) = x.checked_add(y) {
            assert!(a.add(&b).contains(sum), "{}", context());
        }
        if let Some(difference) = x.checked_sub(y) {
            assert!(a.sub(&b).contains(difference), "{}", context());
        }
        let (length, negative) = product_length(x, y);
        assert!(has_wide(&a.mul(&b), x.checked_mul(y), length, negative), "{} {:?}", context(), a.mul(&b));
        if y != 0 {
            assert!(has(a.floor_div(&b).int, floor_div(x, y)), "{} {:?}", context(), a.floor_div(&b));
            assert!(has(a.modulo(&b).int, modulo_wide(x, y)), "{} {:?}", context(), a.modulo(&b));
        }
        assert!(a.bit_and(&b).contains(x & y), "{} {:?}", context(), a.bit_and(&b));
        assert!(a.bit_or(&b).contains(x | y), "{} {:?}", context(), a.bit_or(&b));
        assert!(a.bit_xor(&b).contains(x ^ y), "{} {:?}", context(), a.bit_xor(&b));
        for op in OPS {
            let truth = holds(x, op, y);
            assert!(a.compare(&b, op).is_none_or(|answer| answer == truth), "{} {op:?}", context());
            assert!(!truth || has(a.refine(op, &b), x), "{} {op:?} {:?}", context(), a.refine(op, &b));
        }
        assert!(a.join(&b).contains(x) && a.join(&b).contains(y), "{}", context());
        assert!(a.widen(&b).contains(x) && a.widen(&b).contains(y), "{}", context());
        assert!(a.neg().contains(-x) && a.abs().contains(x.abs()) && a.invert().contains(!x), "{}", context());
        let (count_set, count) = around(&mut random, 8);
        if count >= 0 {
            let left = a.shl(&count_set).int.expect("a valid count");
            let length = if x == 0 { 0 } else { u64::from(128 - x.unsigned_abs().leading_zeros()) + count as u64 };
            let real = if x == 0 { Some(0) } else { (length < 127).then(|| x << count) };
            assert!(has_wide(&left, real, length, x < 0), "{} << {count_set:?} ∋ {count}: {left:?}", context());
            assert!(has(a.shr(&count_set).int, x >> count.min(127)), "{} >> {count_set:?} ∋ {count}", context());
            assert!(counting::isqrt(&count_set).is_some_and(|root| root.contains(count.isqrt())));
        }
    }
}

fn product_length(x: i128, y: i128) -> (u64, bool) {
    let (length, _) = antifreeze::value::bits::product(x.unsigned_abs(), y.unsigned_abs());
    (length, (x < 0) != (y < 0))
}

fn modulo_wide(x: i128, y: i128) -> i128 {
    let rest = x.rem_euclid(y);
    if y < 0 && rest != 0 { rest + y } else { rest }
}

#[test]
fn both_sides_of_a_limit_are_right() {
    let power = |base, exponent| Int::exact(base).pow(&Int::exact(exponent)).int.map(|int| (int.bits_low, int.bits_high));
    assert_eq!(power(2, 999_999), Some((1_000_000, 1_000_000)));
    assert_eq!(power(2, 1_000_000), Some((1_000_001, 1_000_001)));
    assert_eq!(power(-2, 1_000_000), Some((1_000_001, 1_000_001)));
    assert_eq!(power(3, 630_929), Some((999_999, 999_999)));
    assert_eq!(power(3, 630_930), Some((1_000_001, 1_000_001)));
    assert_eq!(power(10, 100_000_000), Some((332_192_810, 332_192_810)));
    assert_eq!(power(1, i128::MAX - 1), Some((1, 1)));
    assert_eq!(power(0, i128::MAX - 1), Some((0, 0)));
    assert_eq!(power(2, i128::MAX - 1), Some((u64::MAX, u64::MAX)));
    let shift = |value, count| Int::exact(value).shl(&Int::exact(count));
    assert_eq!(shift(1, 1_000_000).int.map(|int| int.bits_low), Some(1_000_001));
    assert_eq!(
        shift(0, 1 << 70),
        Shift {
            int: Some(Int::ZERO),
            negative_possible: false,
            negative_certain: false,
            overflow_possible: false,
            overflow_certain: false
        }
    );
    assert_eq!(
        shift(1, 1 << 63),
        Shift { int: None, negative_possible: false, negative_certain: false, overflow_possible: true, overflow_certain: true }
    );
    assert!(shift(1, -1).negative_certain);
}

#[test]
fn widening_terminates() {
    let mut random = Random(3);
    for _ in 0..2_000 {
        let bits = *random.pick(&[3, 8, 64, 127]);
        let (mut state, _) = around(&mut random, bits);
        let mut changes = 0;
        for _ in 0..200 {
            let (newer, _) = around(&mut random, bits);
            let next = state.widen(&newer);
            assert!(next.includes(&state.meet(&next).expect("the state stays inside")), "{state:?} {next:?}");
            changes += u32::from(next != state);
            state = next;
        }
        assert!(changes <= 16, "{state:?} took {changes} steps");
    }
}

/// No input panics, however wild.
#[test]
fn extreme_operands_do_not_panic() {
    let bounds = [i128::MIN, i128::MIN + 1, -(1 << 126), -1, 0, 1, 1 << 62, 1 << 63, 1 << 64, 1 << 126, i128::MAX - 1, i128::MAX];
    let lengths = [0, 1, 2, 126, 127, 128, 1 << 40, u64::MAX - 1, u64::MAX];
    let mut sets = vec![];
    for low in bounds {
        for high in bounds {
            for bits_low in lengths {
                for bits_high in lengths {
                    sets.extend(Int { low, high, bits_low, bits_high, residue: Residue::ANY }.tighten());
                }
            }
        }
    }
    sets.sort_by_key(|set| (set.low, set.high, set.bits_low, set.bits_high));
    sets.dedup();
    let mut random = Random(4);
    for _ in 0..30_000 {
        let (a, b, c) = (*random.pick(&sets), *random.pick(&sets), *random.pick(&sets));
        for set in [
            a.add(&b),
            a.sub(&b),
            a.mul(&b),
            a.neg(),
            a.abs(),
            a.invert(),
            a.bit_and(&b),
            a.bit_or(&b),
            a.bit_xor(&b),
            a.join(&b),
            a.widen(&b),
        ] {
            assert!(set.low <= set.high && set.bits_low <= set.bits_high, "{a:?} {b:?}");
        }
        let _ = (a.floor_div(&b), a.modulo(&b), a.pow(&b), a.shl(&b), a.shr(&b), a.pow_mod(&b, &c), a.decimal_length());
        let _ = (counting::factorial(&a), counting::comb(&a, &b), counting::perm(&a, &b), counting::gcd(&a, &b), counting::lcm(&a, &b));
        let _ = (counting::isqrt(&a), counting::product_of(&a, &b), counting::product_of_range(a.low, b.low, c.low));
        for op in OPS {
            let _ = (a.compare(&b, op), a.refine(op, &b));
        }
    }
}
