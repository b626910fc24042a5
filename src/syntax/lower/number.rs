//! Integer literals: their value where it fits, else their bit length.

use super::super::code::Const;

/// Most digits of a decimal literal whose bit length is computed exactly.
const EXACT_DIGITS: usize = 10_000;

/// The constant an integer literal stands for; `literal` is its text in the source, prefix and underscores included.
pub(super) fn integer(literal: &str) -> Const {
    let text: String = literal.chars().filter(|c| *c != '_').collect();
    let (digits, bits_per_digit) = match text.as_bytes() {
        [b'0', b'x' | b'X', ..] => (&text[2..], 4),
        [b'0', b'o' | b'O', ..] => (&text[2..], 3),
        [b'0', b'b' | b'B', ..] => (&text[2..], 1),
        _ => (text.as_str(), 0),
    };
    let digits = digits.trim_start_matches('0');
    if digits.is_empty() {
        return Const::Int(0);
    }
    if bits_per_digit > 0 {
        if let Ok(value) = i128::from_str_radix(digits, 1 << bits_per_digit) {
            return Const::Int(value);
        }
        let first = digits.chars().next().and_then(|c| c.to_digit(16)).unwrap_or(1);
        let bits = u64::from(32 - first.leading_zeros()) + bits_per_digit as u64 * (digits.len() as u64 - 1);
        return Const::BigInt { bits_low: bits, bits_high: bits, digits: 0 };
    }
    if let Ok(value) = digits.parse::<i128>() {
        return Const::Int(value);
    }
    let (bits_low, bits_high) = if digits.len() <= EXACT_DIGITS {
        let bits = decimal_bits(digits.as_bytes());
        (bits, bits)
    } else {
        estimate(digits)
    };
    // CPython's limit on digits counts leading zeros too, but a literal other than zero cannot have them.
    Const::BigInt { bits_low, bits_high, digits: digits.len() as u64 }
}

/// Bit length of a decimal number without leading zeros, in quadratic time.
fn decimal_bits(digits: &[u8]) -> u64 {
    let mut limbs: Vec<u64> = Vec::new();
    for chunk in digits.chunks(18) {
        let factor = 10u128.pow(chunk.len() as u32);
        let mut carry = chunk.iter().fold(0u128, |value, digit| value * 10 + u128::from(digit.wrapping_sub(b'0')));
        for limb in &mut limbs {
            let product = u128::from(*limb) * factor + carry;
            *limb = product as u64;
            carry = product >> 64;
        }
        if carry > 0 {
            limbs.push(carry as u64);
        }
    }
    limbs.last().map_or(0, |top| 64 * limbs.len() as u64 - u64::from(top.leading_zeros()))
}

/// Bounds of the bit length from the leading digits and the number of digits. An f64 has the logarithm to 1e-9 at
/// worst for any literal that fits a source; the margin is a thousand times that.
fn estimate(digits: &str) -> (u64, u64) {
    const MARGIN: f64 = 1e-6;
    let leading: f64 = digits[..15].parse().unwrap_or(1e14);
    let rest = (digits.len() - 15) as f64 * std::f64::consts::LOG2_10;
    let low = leading.log2() + rest - MARGIN;
    let high = (leading + 1.0).log2() + rest + MARGIN;
    (low as u64 + 1, high as u64 + 1)
}

#[cfg(test)]
mod tests {
    use super::*;

    fn bits(literal: &str) -> (u64, u64) {
        match integer(literal) {
            Const::BigInt { bits_low, bits_high, .. } => (bits_low, bits_high),
            Const::Int(n) => (u64::from(128 - n.leading_zeros()), u64::from(128 - n.leading_zeros())),
            other => panic!("{other:?}"),
        }
    }

    #[test]
    fn small_values_are_exact() {
        assert_eq!(integer("1_000"), Const::Int(1000));
        assert_eq!(integer("0xFF"), Const::Int(255));
        assert_eq!(integer("0o17"), Const::Int(15));
        assert_eq!(integer("0b101"), Const::Int(5));
        assert_eq!(integer("00_0"), Const::Int(0));
        assert_eq!(integer("170141183460469231731687303715884105727"), Const::Int(i128::MAX));
    }

    #[test]
    fn bit_lengths_are_those_of_python() {
        // `(2**127).bit_length()` is 128, `(10**38 * 9).bit_length()` is 130.
        assert_eq!(bits("170141183460469231731687303715884105728"), (128, 128));
        assert_eq!(bits(&format!("0x1{}", "0".repeat(100))), (401, 401));
        assert_eq!(bits(&format!("0o7{}", "0".repeat(100))), (303, 303));
        // `(10**n).bit_length()`: 3322 for 1000, 33220 for 10000 (10,001 digits, estimated), 332193 for 100000.
        assert_eq!(bits(&format!("1{}", "0".repeat(1000))), (3322, 3322));
        assert_eq!(bits(&format!("1{}", "0".repeat(9999))), (33216, 33216));
        assert_eq!(bits(&format!("1{}", "0".repeat(10_000))), (33220, 33220));
        assert_eq!(bits(&format!("1{}", "0".repeat(100_000))), (332_193, 332_193));
    }

    #[test]
    fn estimates_contain_the_exact_length() {
        let nines = "9".repeat(9_000);
        let (low, high) = estimate(&nines);
        let exact = decimal_bits(nines.as_bytes());
        assert!(low <= exact && exact <= high && high - low <= 1, "{low} {exact} {high}");
    }
}
