//! Integers as an interval and a bit-length interval.

/// A set of integers. Every member `v` satisfies `low <= v <= high` and `bits_low <= bit_length(|v|) <= bits_high`.
///
/// `i128::MIN` as `low` and `i128::MAX` as `high` mean unbounded on that side; `low == i128::MAX` means "at least
/// `i128::MAX`", `high == i128::MIN` "at most `i128::MIN`". `u64::MAX` as `bits_high` means unbounded.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Hash)]
pub struct Int {
    /// Lower bound.
    pub low: i128,
    /// Upper bound.
    pub high: i128,
    /// Least bit length of the magnitude.
    pub bits_low: u64,
    /// Greatest bit length of the magnitude.
    pub bits_high: u64,
}

impl Int {
    /// Any integer.
    pub const ANY: Int = Int { low: i128::MIN, high: i128::MAX, bits_low: 0, bits_high: u64::MAX };
}
