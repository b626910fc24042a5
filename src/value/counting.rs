//! Factorials, binomials, products and their kin: numbers that grow too fast to compute, known by their bit length.

use crate::value::bits::{self, Enclosure};
use crate::value::int::{Comparison, Int, Sign, join_options};
use crate::value::residue::Residue;

/// What `factorial(n)`, `comb(n, k)` or `perm(n, k)` can give.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub struct Counted {
    /// The integers it can be.
    pub int: Option<Int>,
    /// ValueError: a negative argument.
    pub negative_possible: bool,
    /// OverflowError: an argument beyond a C long.
    pub overflow_possible: bool,
}

/// Products of up to so many factors are enclosed factor by factor; above, by Stirling's formula.
const FACTORS: u128 = 4096;

/// Bounds of a base-2 logarithm.
#[derive(Debug, Clone, Copy)]
struct Log {
    low: f64,
    high: f64,
}

impl Log {
    fn sub(self, other: Log) -> Log {
        Log { low: self.low - other.high, high: self.high - other.low }
    }

    /// The bit lengths a positive integer with this logarithm can have.
    fn bits(self) -> (u64, u64) {
        // `as` saturates: a negative bound becomes 0, one beyond u64 its maximum.
        ((self.low.floor() as u64).saturating_add(1), (self.high.max(0.0).floor() as u64).saturating_add(1))
    }
}

/// log2(n!) for n > 0 by Stirling's series, whose error is below 1/(360·n³) (Robbins, 1955); the rest of the margin is for rounding.
fn log_factorial(n: u128) -> Log {
    if n < 2 {
        return Log { low: 0.0, high: 0.0 };
    }
    if n <= FACTORS {
        let (low, high) = (2..=n).fold((0.0_f64, 0.0_f64), |(low, high), factor| {
            let log = (factor as f64).log2();
            (low + log, high + log)
        });
        return Log { low: low * (1.0 - 1e-12), high: high * (1.0 + 1e-12) };
    }
    let n = n as f64;
    let main = n * n.ln();
    let sum = main - n + 0.5 * (std::f64::consts::TAU * n).ln() + 1.0 / (12.0 * n);
    let margin = main * 1e-14 + 1e-9;
    Log { low: (sum - margin) * std::f64::consts::LOG2_E, high: (sum + margin) * std::f64::consts::LOG2_E }
}

/// The product of the integers from `low` to `high`, both at least 1, enclosed factor by factor.
fn enclose(low: u128, high: u128) -> Option<Enclosure> {
    let mut product = Enclosure::new(1)?;
    for factor in low..=high {
        product = product.mul(Enclosure::new(factor)?);
    }
    Some(product)
}

/// Least and greatest bit length of the product of the integers from `low` to `high`, both at least 1.
fn rising(low: u128, high: u128) -> (u64, u64) {
    if high < low {
        return (1, 1);
    }
    let count = high - low + 1;
    if count <= FACTORS
        && let Some(product) = enclose(low, high)
    {
        return product.bits();
    }
    let stirling = log_factorial(high).sub(log_factorial(low - 1)).bits();
    // low**count <= product <= high**count, better than Stirling when both factorials are far larger than their quotient.
    (stirling.0.max(bits::power(low, count).0), stirling.1.min(bits::power(high, count).1))
}

/// The integers with these bit lengths, or the exact one.
fn positive(exact: Option<i128>, lengths: impl FnOnce() -> (u64, u64)) -> Int {
    exact.map_or_else(
        || {
            let (low, high) = lengths();
            Int::bits(low.max(1), high.max(1), Sign::Positive)
        },
        Int::exact,
    )
}

/// The set from the least to the greatest of two results.
fn between(least: Int, greatest: Int) -> Int {
    Int { low: least.low, high: greatest.high, bits_low: least.bits_low, bits_high: greatest.bits_high, ..Int::ANY }
        .tighten()
        .unwrap_or_else(|| least.hull(&greatest))
}

/// The bounds of a non-negative argument as magnitudes; `None` above means unbounded.
fn ends(n: &Int) -> (u128, Option<u128>) {
    (n.low.unsigned_abs(), n.upper().map(i128::unsigned_abs))
}

const UNBOUNDED: Int = Int { low: i128::MAX, high: i128::MAX, bits_low: 127, ..Int::ANY };

fn factorial_of(n: u128) -> Int {
    let exact = if n <= 33 { (1..=n as i128).product::<i128>().into() } else { None };
    positive(exact, || rising(1, n))
}

/// `math.factorial(n)`.
pub fn factorial(n: &Int) -> Counted {
    let beyond = n.high > i128::from(i64::MAX);
    let int = n.meet(&Int::range(0, i128::from(i64::MAX))).map(|n| {
        let (low, high) = ends(&n);
        between(factorial_of(low), high.map_or(UNBOUNDED, factorial_of))
    });
    Counted { int, negative_possible: n.may_be_negative(), overflow_possible: beyond }
}

/// The greatest common divisor.
pub fn gcd_u128(mut a: u128, mut b: u128) -> u128 {
    while b != 0 {
        (a, b) = (b, a % b);
    }
    a
}

/// `a * b % m`.
fn mul_mod(a: u64, b: u64, m: u64) -> u64 {
    (u128::from(a) * u128::from(b) % u128::from(m)) as u64
}

fn pow_mod(mut base: u64, mut exponent: u64, m: u64) -> u64 {
    let mut result = 1 % m;
    base %= m;
    while exponent > 0 {
        if exponent & 1 == 1 {
            result = mul_mod(result, base, m);
        }
        base = mul_mod(base, base, m);
        exponent >>= 1;
    }
    result
}

/// Whether a number is prime: the test of Miller and Rabin to the bases that decide it for all 64-bit numbers.
fn is_prime(n: u64) -> bool {
    const BASES: [u64; 12] = [2, 3, 5, 7, 11, 13, 17, 19, 23, 29, 31, 37];
    if n < 2 {
        return false;
    }
    if let Some(p) = BASES.iter().find(|p| n.is_multiple_of(**p)) {
        return n == *p;
    }
    let twos = (n - 1).trailing_zeros();
    BASES.iter().all(|&base| {
        let mut x = pow_mod(base, (n - 1) >> twos, n);
        x == 1
            || (0..twos).any(|_| {
                let last = x == n - 1;
                x = mul_mod(x, x, n);
                last
            })
    })
}

/// Steps in search of a factor before it is given up. A 64-bit number has one that is found in some 2¹⁶.
const FACTOR_STEPS: u32 = 1 << 19;

/// A factor of an odd composite number, by Pollard's rho.
fn factor(n: u64) -> Option<u64> {
    let mut steps = 0;
    for shift in 1..16 {
        let next = |x: u64| ((u128::from(x) * u128::from(x) + shift) % u128::from(n)) as u64;
        let (mut slow, mut fast) = (2, 2);
        loop {
            steps += 1;
            if steps > FACTOR_STEPS {
                return None;
            }
            slow = next(slow);
            fast = next(next(fast));
            let common = gcd_u128(u128::from(slow.abs_diff(fast)), u128::from(n)) as u64;
            if common == n {
                break;
            }
            if common > 1 {
                return Some(common);
            }
        }
    }
    None
}

/// All divisors of a number from 1 on, in order; none where they are too many, or too hard to find.
pub fn divisors(n: u64) -> Option<Vec<u64>> {
    const MANY: usize = 4096;
    let mut work = vec![n];
    let mut all = vec![1u64];
    while let Some(n) = work.pop() {
        if n < 2 {
            continue;
        }
        let prime = if n.is_multiple_of(2) { Some(2) } else { is_prime(n).then_some(n) };
        let Some(p) = prime else {
            let part = factor(n)?;
            work.extend([part, n / part]);
            continue;
        };
        work.push(n / p);
        let more: Vec<u64> = all.iter().map(|d| d * p).collect();
        all.extend(more);
        all.sort_unstable();
        all.dedup();
        if all.len() > MANY {
            return None;
        }
    }
    Some(all)
}

/// The exact binomial, where it fits.
fn comb_exact(n: u128, k: u128) -> Option<i128> {
    let mut result: u128 = 1;
    for i in 0..k {
        // result * (n - i) / (i + 1) is an integer; dividing first by what they share keeps the product small.
        let (factor, divisor) = (n - i, i + 1);
        let shared = gcd_u128(factor, divisor);
        let (factor, divisor) = (factor / shared, divisor / shared);
        result = (result / divisor).checked_mul(factor)?;
    }
    i128::try_from(result).ok()
}

fn comb_of(n: u128, k: u128) -> Int {
    if k > n {
        return Int::ZERO;
    }
    let k = k.min(n - k);
    // Above 2**(k) for k <= n/2: with k > 127 it cannot fit.
    let exact = if k <= 127 { comb_exact(n, k) } else { None };
    positive(exact, || {
        if k <= FACTORS
            && let (Some(numerator), Some(denominator)) = (enclose(n - k + 1, n), enclose(1, k))
        {
            return numerator.quotient_bits(denominator);
        }
        let stirling = log_factorial(n).sub(log_factorial(k)).sub(log_factorial(n - k)).bits();
        // (n/k)**k <= C(n, k) <= n**k, and C(n, k) <= 2**n.
        let least = bits::power(n / k, k).0;
        let most = bits::power(n, k).1.min(u64::try_from(n).unwrap_or(u64::MAX).saturating_add(1));
        (stirling.0.max(least), stirling.1.min(most))
    })
}

/// `math.comb(n, k)`.
pub fn comb(n: &Int, k: &Int) -> Counted {
    let int = match (n.meet(&Int::NON_NEGATIVE), k.meet(&Int::NON_NEGATIVE)) {
        (Some(n), Some(k)) => {
            let ((n_low, n_high), (k_low, k_high)) = (ends(&n), ends(&k));
            // Growing in n; in k it rises up to n/2 and falls after, so its least value is at an end and its greatest nearest to n/2.
            let least = match k_high {
                Some(k_high) => smaller(comb_of(n_low, k_low), comb_of(n_low, k_high)),
                None => Int::ZERO,
            };
            let greatest = n_high.map(|n| comb_of(n, (n / 2).clamp(k_low, k_high.unwrap_or(u128::MAX))));
            Some(greatest.map_or_else(|| at_least(least), |greatest| between(least, greatest)))
        }
        _ => None,
    };
    Counted { int, negative_possible: n.may_be_negative() || k.may_be_negative(), overflow_possible: k.high > i128::from(i64::MAX) }
}

fn at_least(least: Int) -> Int {
    Int { low: least.low, bits_low: least.bits_low, ..Int::ANY }
}

/// The set of the smaller of two results: below either's upper bound, above the lesser lower bound.
fn smaller(a: Int, b: Int) -> Int {
    match a.compare(&b, Comparison::Le) {
        Some(true) => a,
        Some(false) => b,
        None => a.hull(&b),
    }
}

fn perm_of(n: u128, k: u128) -> Int {
    if k > n {
        return Int::ZERO;
    }
    let exact =
        if k <= 33 { (n - k + 1..=n).try_fold(1_u128, u128::checked_mul).and_then(|result| i128::try_from(result).ok()) } else { None };
    positive(exact, || rising(n - k + 1, n))
}

/// `math.perm(n, k)`; for `perm(n)` use [`factorial`].
pub fn perm(n: &Int, k: &Int) -> Counted {
    let int = match (n.meet(&Int::NON_NEGATIVE), k.meet(&Int::NON_NEGATIVE)) {
        (Some(n), Some(k)) => {
            let ((n_low, n_high), (k_low, k_high)) = (ends(&n), ends(&k));
            // Growing in n, and in k up to n; beyond n it is 0.
            let least = if k_high.is_none_or(|k_high| k_high > n_low) { Int::ZERO } else { perm_of(n_low, k_low) };
            let greatest = n_high.map(|n| perm_of(n, if k_low > n { k_low } else { k_high.unwrap_or(n).min(n) }));
            Some(greatest.map_or_else(|| at_least(least), |greatest| between(least, greatest)))
        }
        _ => None,
    };
    Counted { int, negative_possible: n.may_be_negative() || k.may_be_negative(), overflow_possible: k.high > i128::from(i64::MAX) }
}

/// `math.gcd(a, b)`.
pub fn gcd(a: &Int, b: &Int) -> Int {
    if let (Some(a), Some(b)) = (a.is_exact(), b.is_exact()) {
        return i128::try_from(gcd_u128(a.unsigned_abs(), b.unsigned_abs())).map_or(Int::NON_NEGATIVE, Int::exact);
    }
    // Divides each operand that is not 0; gcd(0, b) is |b|.
    let (a, b) = (a.abs(), b.abs());
    let bound = |only: &Int, other: &Int| if only.may_be_zero() { None } else { Some((only.high, only.bits_high, other.is_zero())) };
    let mut result = Int { low: 0, high: a.high.max(b.high), bits_low: 0, bits_high: a.bits_high.max(b.bits_high), ..Int::ANY };
    for (high, bits_high, _) in [bound(&a, &b), bound(&b, &a)].into_iter().flatten() {
        result.high = result.high.min(high);
        result.bits_high = result.bits_high.min(bits_high);
        result.low = 1;
    }
    result.normalise()
}

/// `math.lcm(a, b)`.
pub fn lcm(a: &Int, b: &Int) -> Int {
    if a.is_zero() || b.is_zero() {
        return Int::ZERO;
    }
    if let (Some(a), Some(b)) = (a.is_exact(), b.is_exact()) {
        let (a, b) = (a.unsigned_abs(), b.unsigned_abs());
        let factor = a / gcd_u128(a, b);
        return positive(factor.checked_mul(b).and_then(|result| i128::try_from(result).ok()), || bits::product(factor, b));
    }
    let zero = a.may_be_zero() || b.may_be_zero();
    let (a, b) = (a.abs(), b.abs());
    let product = a.mul(&b);
    // A multiple of either operand, unless one of them is 0.
    let (low, bits_low) = if zero { (0, 0) } else { (a.low.max(b.low), a.bits_low.max(b.bits_low)) };
    Int { low, bits_low, residue: Residue::ANY, ..product }.normalise()
}

/// `math.isqrt(n)` of the members that are at least 0; `None` when all are negative (ValueError).
pub fn isqrt(n: &Int) -> Option<Int> {
    let n = n.meet(&Int::NON_NEGATIVE)?;
    // A number of b bits has a root of exactly ⌈b / 2⌉ bits.
    let high = n.upper().map_or(i128::MAX, |high| high.isqrt());
    Some(Int { low: n.low.isqrt(), high, bits_low: n.bits_low.div_ceil(2), bits_high: half_up(n.bits_high), ..Int::ANY }.normalise())
}

fn half_up(bits: u64) -> u64 {
    if bits == u64::MAX { bits } else { bits.div_ceil(2) }
}

/// `math.prod(range(start, stop, step))`; a step of 0 gives `None` (ValueError).
pub fn product_of_range(start: i128, stop: i128, step: i128) -> Option<Int> {
    if step == 0 {
        return None;
    }
    let ascending = if step > 0 { stop > start } else { stop < start };
    if !ascending {
        return Some(Int::ONE);
    }
    let count = (stop.abs_diff(start) - 1) / step.unsigned_abs() + 1;
    // The last factor lies between start and stop, so nothing here overflows.
    let last = if step > 0 {
        start.wrapping_add_unsigned((count - 1).wrapping_mul(step.unsigned_abs()))
    } else {
        start.wrapping_sub_unsigned((count - 1).wrapping_mul(step.unsigned_abs()))
    };
    let (low, high) = (start.min(last), start.max(last));
    let size = step.unsigned_abs();
    if low <= 0 && high >= 0 && low.unsigned_abs().is_multiple_of(size) {
        return Some(Int::ZERO);
    }
    // A small product is computed; so is the sign of any other.
    let mut exact: Option<i128> = Some(1);
    let mut enclosure = Enclosure::new(1)?;
    if count <= FACTORS {
        let mut factor = low;
        for index in 0..count {
            exact = exact.and_then(|product| product.checked_mul(factor));
            enclosure = enclosure.mul(Enclosure::new(factor.unsigned_abs())?);
            if index + 1 < count {
                factor = factor.wrapping_add_unsigned(size);
            }
        }
        if let Some(product) = exact {
            return Some(Int::exact(product));
        }
    }
    let negatives = if low >= 0 {
        0
    } else if high < 0 {
        count
    } else {
        (low.unsigned_abs() - 1) / size + 1
    };
    let sign = if negatives % 2 == 1 { Sign::Negative } else { Sign::Positive };
    let (least, most) = if count <= FACTORS {
        enclosure.bits()
    } else {
        let (near, far) = match (low > 0, high < 0) {
            (true, _) => (low.unsigned_abs(), high.unsigned_abs()),
            (_, true) => (high.unsigned_abs(), low.unsigned_abs()),
            _ => (1, low.unsigned_abs().max(high.unsigned_abs())),
        };
        if size == 1 && near <= far && (low > 0 || high < 0) {
            rising(near, far)
        } else {
            // At least (count/2)! · size**(count/2) on the side with more factors; at most far**count.
            let half = count / 2;
            let least = if size > 1 { bits::power(size, half.saturating_sub(1)).0 } else { 1 };
            let steps = log_factorial(half.saturating_sub(1).max(1)).bits().0;
            (least.saturating_add(steps).saturating_sub(1).max(bits::power(near, count).0), bits::power(far, count).1)
        }
    };
    Some(Int::bits(least.max(1), most.max(1), sign))
}

/// The product of `count` factors, each in `factor`: what `reduce(mul, …)` or `prod` over an unknown iterable can give.
pub fn product_of(factor: &Int, count: &Int) -> Int {
    factor.pow(count).int.map_or(Int::ANY, |power| {
        // Unlike a power, the factors differ: with mixed signs the product can have any sign.
        if factor.low < 0 { join_options(Some(power), Some(power.neg())).unwrap_or(Int::ANY) } else { power }
    })
}

#[cfg(test)]
mod tests {
    use super::divisors;

    #[test]
    fn divisors_are_those_that_trial_division_finds() {
        for n in (1..3000).chain([1 << 20, 999_983, 1_000_003 * 3, 65_537 * 65_537]) {
            let found: Vec<u64> = (1..=n).take_while(|d| n < 3000 || d * d <= n).filter(|d| n % d == 0).collect();
            let all = divisors(n).expect("they are few");
            let expected: Vec<u64> = if n < 3000 {
                found
            } else {
                let mut both: Vec<u64> = found.iter().flat_map(|d| [*d, n / d]).collect();
                both.sort_unstable();
                both.dedup();
                both
            };
            assert_eq!(all, expected, "{n}");
        }
        assert_eq!(divisors(1_000_000_000_000_000_003), Some(vec![1, 1_000_000_000_000_000_003]));
        assert_eq!(divisors(4_294_967_291 * 4_294_967_279).map(|d| d.len()), Some(4));
    }
}
