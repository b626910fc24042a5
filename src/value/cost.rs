//! Cost floors: how long an operation takes at the very least.
//!
//! A claim "this exceeds the timeout" is a sum of these, so each is a lower bound: the fastest figure measured by `benches/cost_floors.py` over
//! CPython 3.9–3.13 (x86-64), divided by 3 for faster machines, builds and versions to come.

/// The least time of one operation.
#[derive(Debug, Clone, Copy, PartialEq)]
pub struct Floor {
    /// Seconds.
    pub seconds: f64,
    /// The figure measured, in nanoseconds, and by which interpreter: the fastest of those measured.
    pub source: (f64, &'static str),
}

/// What the fastest figure is divided by.
const MARGIN: f64 = 3.0;

const fn measured(nanoseconds: f64, by: &'static str) -> Floor {
    Floor { seconds: nanoseconds * 1e-9 / MARGIN, source: (nanoseconds, by) }
}

impl Floor {
    /// The least time of `count` operations (a bound from below on how many there are).
    pub fn times(self, count: f64) -> f64 {
        self.seconds * count.max(0.0)
    }
}

// ---- Loops and control flow -------------------------------------------------------------------------------------------------------------

/// One iteration of `for … in range(…): pass`.
pub const FOR_RANGE: Floor = measured(16.6, "CPython 3.11.7");
/// One iteration of `for … in a_list: pass`.
pub const FOR_LIST: Floor = measured(5.13, "CPython 3.13.0");
/// One iteration of `while i < n: i += 1`.
pub const WHILE_COUNT: Floor = measured(25.8, "CPython 3.11.7");
/// One iteration of a `while` whose condition is a name: a branch and a jump.
pub const WHILE: Floor = measured(2.26, "CPython 3.11.7");
/// One test of a local.
pub const BRANCH: Floor = measured(2.78, "CPython 3.10.13");
/// Entering and leaving a `try`.
pub const TRY: Floor = measured(1.03, "CPython 3.11.7");
/// Raising and catching one exception.
pub const RAISE: Floor = measured(196.0, "CPython 3.11.7");

// ---- Names, attributes, items -----------------------------------------------------------------------------------------------------------

/// Storing a local in another.
pub const LOCAL: Floor = measured(2.26, "CPython 3.11.7");
/// Loading a global or builtin.
pub const GLOBAL: Floor = measured(5.1, "CPython 3.11.7");
/// `a.x` of an instance.
pub const ATTRIBUTE_LOAD: Floor = measured(5.43, "CPython 3.11.7");
/// `a.x = 1` of an instance.
pub const ATTRIBUTE_STORE: Floor = measured(6.49, "CPython 3.12.1");
/// `a[1]` of a tuple, which takes no longer than of a list.
pub const ITEM_LOAD: Floor = measured(6.34, "CPython 3.11.7");
/// `a[1] = 2` of a list.
pub const ITEM_STORE: Floor = measured(6.85, "CPython 3.12.1");
/// `d['k']`.
pub const DICT_LOAD: Floor = measured(14.2, "CPython 3.9.18");
/// `d['k'] = 1`.
pub const DICT_STORE: Floor = measured(24.1, "CPython 3.10.13");
/// `a.append(1)`.
pub const LIST_APPEND: Floor = measured(9.25, "CPython 3.13.0");
/// A tuple, list or dict of a few items.
pub const DISPLAY: Floor = measured(34.4, "CPython 3.13.0");

// ---- Operators on small operands --------------------------------------------------------------------------------------------------------

/// The cheapest of all binary operations: `a - b` of ints that are never made anew.
pub const BINARY: Floor = measured(8.24, "CPython 3.13.0");
/// `a + b` and `a - b`.
pub const INT_ADD: Floor = measured(15.9, "CPython 3.11.7");
/// `a * b`.
pub const INT_MULTIPLY: Floor = measured(15.7, "CPython 3.11.7");
/// `a // b` and `a % b`.
pub const INT_DIVIDE: Floor = measured(12.4, "CPython 3.12.1");
/// `123 ** 5`.
pub const INT_POWER: Floor = measured(85.5, "CPython 3.12.1");
/// `a << b` and `a >> b`.
pub const INT_SHIFT: Floor = measured(30.9, "CPython 3.12.1");
/// `a & b`, `a | b`, `a ^ b`.
pub const INT_BITWISE: Floor = measured(10.9, "CPython 3.11.7");
/// `a < b` of ints or floats, the jump that it decides included.
pub const COMPARE: Floor = measured(6.38, "CPython 3.11.7");
/// `a + b` of floats.
pub const FLOAT_ADD: Floor = measured(13.7, "CPython 3.11.7");
/// `a * b` of floats.
pub const FLOAT_MULTIPLY: Floor = measured(17.5, "CPython 3.13.0");
/// `a / b` of floats.
pub const FLOAT_DIVIDE: Floor = measured(20.9, "CPython 3.9.18");
/// `a ** b` of floats.
pub const FLOAT_POWER: Floor = measured(45.5, "CPython 3.10.13");
/// `not a`.
pub const NOT: Floor = measured(5.42, "CPython 3.13.0");
/// `a + b` of short strings.
pub const STR_ADD: Floor = measured(38.8, "CPython 3.11.7");
/// An f-string of one int.
pub const STR_FORMAT: Floor = measured(56.5, "CPython 3.11.7");
/// `str(a)` of a small int.
pub const STR_OF_INT: Floor = measured(61.1, "CPython 3.11.7");

// ---- Calls ------------------------------------------------------------------------------------------------------------------------------

/// The cheapest of all calls: `type(a)`.
pub const CALL: Floor = measured(7.36, "CPython 3.13.0");
/// Calling an empty function.
pub const FUNCTION_CALL: Floor = measured(22.1, "CPython 3.13.0");
/// Calling an empty method.
pub const METHOD_CALL: Floor = measured(24.1, "CPython 3.13.0");
/// Calling a builtin that does next to nothing.
pub const BUILTIN_CALL: Floor = measured(12.3, "CPython 3.12.1");
/// An instance of an empty class.
pub const INSTANCE: Floor = measured(71.7, "CPython 3.9.18");
/// Resuming a generator once.
pub const GENERATOR_STEP: Floor = measured(49.6, "CPython 3.9.18");
/// One item of a list comprehension over a range.
pub const COMPREHENSION_ITEM: Floor = measured(26.5, "CPython 3.12.1");
/// `print('')` to a buffer.
pub const PRINT: Floor = measured(296.0, "CPython 3.9.18");

// ---- C loops, per item ------------------------------------------------------------------------------------------------------------------

/// The cheapest iteration known: `deque(repeat(None, n), maxlen=0)`.
pub const C_ITERATION: Floor = measured(1.65, "CPython 3.11.7");
/// `sum(range(n))`.
pub const SUM_RANGE_ITEM: Floor = measured(16.5, "CPython 3.11.7");
/// `sum(a_list)`.
pub const SUM_LIST_ITEM: Floor = measured(4.55, "CPython 3.12.1");
/// `list(range(n))`.
pub const LIST_RANGE_ITEM: Floor = measured(14.2, "CPython 3.11.7");
/// `[None] * n`.
pub const LIST_REPEAT_ITEM: Floor = measured(0.834, "CPython 3.13.0");
/// `set(range(n))`.
pub const SET_ITEM: Floor = measured(31.8, "CPython 3.12.1");
/// `dict.fromkeys(range(n))`.
pub const DICT_ITEM: Floor = measured(40.3, "CPython 3.11.7");
/// `itertools.count` through `islice`.
pub const COUNT_ITEM: Floor = measured(18.1, "CPython 3.11.7");
/// A tuple of `itertools.product`.
pub const PRODUCT_ITEM: Floor = measured(5.9, "CPython 3.9.18");
/// A tuple of `itertools.permutations`.
pub const PERMUTATION_ITEM: Floor = measured(15.2, "CPython 3.12.1");
/// A tuple of `itertools.combinations`.
pub const COMBINATION_ITEM: Floor = measured(8.9, "CPython 3.9.18");
/// `any` and `all` over a list.
pub const ANY_ITEM: Floor = measured(5.68, "CPython 3.9.18");
/// `max` and `min` over a list.
pub const MAX_ITEM: Floor = measured(12.9, "CPython 3.11.7");
/// `x in a_list`.
pub const MEMBERSHIP_ITEM: Floor = measured(14.5, "CPython 3.11.7");
/// `1.5 in range(n)`, which compares every item.
pub const MEMBERSHIP_RANGE_ITEM: Floor = measured(41.9, "CPython 3.11.7");
/// `map` of a builtin.
pub const MAP_ITEM: Floor = measured(14.4, "CPython 3.9.18");
/// `filter(None, …)`.
pub const FILTER_ITEM: Floor = measured(5.81, "CPython 3.10.13");
/// `zip` of one list.
pub const ZIP_ITEM: Floor = measured(6.5, "CPython 3.10.13");
/// `enumerate` of a list.
pub const ENUMERATE_ITEM: Floor = measured(17.9, "CPython 3.10.13");
/// `reversed` of a list.
pub const REVERSED_ITEM: Floor = measured(2.01, "CPython 3.12.1");
/// A list's slice or copy.
pub const LIST_COPY_ITEM: Floor = measured(1.71, "CPython 3.13.0");
/// `''.join(a_list)`.
pub const JOIN_ITEM: Floor = measured(5.38, "CPython 3.13.0");
/// Sorting what is sorted already.
pub const SORT_ITEM: Floor = measured(15.5, "CPython 3.13.0");

// ---- Regular expressions ---------------------------------------------------------------------------------------------------------------

/// An entry of the matcher's loop: what it takes to try one more alternative or one character less (that character's scan taken off).
pub const REGEX_JUMP: Floor = measured(5.4, "CPython 3.10.13");
/// A character that a repeat of a literal passes over.
pub const REGEX_SCAN: Floor = measured(0.711, "CPython 3.12.1");

// ---- Memory, per byte -------------------------------------------------------------------------------------------------------------------

/// `'x' * n`.
pub const STR_REPEAT_BYTE: Floor = measured(0.0124, "CPython 3.12.1");
/// `bytearray(n)`.
pub const BYTEARRAY_BYTE: Floor = measured(0.0126, "CPython 3.12.1");
/// `s.find('y')` without a match.
pub const STR_FIND_BYTE: Floor = measured(0.0558, "CPython 3.13.0");
/// Copying or scanning text.
pub const STR_COPY_BYTE: Floor = measured(0.0531, "CPython 3.13.0");
/// `s.upper()`.
pub const STR_UPPER_BYTE: Floor = measured(0.45, "CPython 3.13.0");

// ---- Big integers -----------------------------------------------------------------------------------------------------------------------

/// One bit of any operation that reads or writes a whole long integer (the sparsest, `2**n`, included).
pub const BIG_BIT: Floor = measured(0.0133, "CPython 3.12.1");
/// `3 ** n`, per bit of its result to the power log2(3).
pub const BIG_KARATSUBA: Floor = measured(0.0085, "CPython 3.11.7");
/// `str(n)`, per bit² up to 100,000 bits.
pub const BIG_STR_QUADRATIC: Floor = measured(4.678e-4, "CPython 3.12.1");
/// `int(text)`, per bit² up to 100,000 bits.
pub const BIG_INT_QUADRATIC: Floor = measured(2.567e-4, "CPython 3.13.0");

/// Every floor by name.
pub const ALL: [(&str, Floor); 75] = [
    ("FOR_RANGE", FOR_RANGE),
    ("FOR_LIST", FOR_LIST),
    ("WHILE_COUNT", WHILE_COUNT),
    ("WHILE", WHILE),
    ("BRANCH", BRANCH),
    ("TRY", TRY),
    ("RAISE", RAISE),
    ("LOCAL", LOCAL),
    ("GLOBAL", GLOBAL),
    ("ATTRIBUTE_LOAD", ATTRIBUTE_LOAD),
    ("ATTRIBUTE_STORE", ATTRIBUTE_STORE),
    ("ITEM_LOAD", ITEM_LOAD),
    ("ITEM_STORE", ITEM_STORE),
    ("DICT_LOAD", DICT_LOAD),
    ("DICT_STORE", DICT_STORE),
    ("LIST_APPEND", LIST_APPEND),
    ("DISPLAY", DISPLAY),
    ("BINARY", BINARY),
    ("INT_ADD", INT_ADD),
    ("INT_MULTIPLY", INT_MULTIPLY),
    ("INT_DIVIDE", INT_DIVIDE),
    ("INT_POWER", INT_POWER),
    ("INT_SHIFT", INT_SHIFT),
    ("INT_BITWISE", INT_BITWISE),
    ("COMPARE", COMPARE),
    ("FLOAT_ADD", FLOAT_ADD),
    ("FLOAT_MULTIPLY", FLOAT_MULTIPLY),
    ("FLOAT_DIVIDE", FLOAT_DIVIDE),
    ("FLOAT_POWER", FLOAT_POWER),
    ("NOT", NOT),
    ("STR_ADD", STR_ADD),
    ("STR_FORMAT", STR_FORMAT),
    ("STR_OF_INT", STR_OF_INT),
    ("CALL", CALL),
    ("FUNCTION_CALL", FUNCTION_CALL),
    ("METHOD_CALL", METHOD_CALL),
    ("BUILTIN_CALL", BUILTIN_CALL),
    ("INSTANCE", INSTANCE),
    ("GENERATOR_STEP", GENERATOR_STEP),
    ("COMPREHENSION_ITEM", COMPREHENSION_ITEM),
    ("PRINT", PRINT),
    ("C_ITERATION", C_ITERATION),
    ("SUM_RANGE_ITEM", SUM_RANGE_ITEM),
    ("SUM_LIST_ITEM", SUM_LIST_ITEM),
    ("LIST_RANGE_ITEM", LIST_RANGE_ITEM),
    ("LIST_REPEAT_ITEM", LIST_REPEAT_ITEM),
    ("SET_ITEM", SET_ITEM),
    ("DICT_ITEM", DICT_ITEM),
    ("COUNT_ITEM", COUNT_ITEM),
    ("PRODUCT_ITEM", PRODUCT_ITEM),
    ("PERMUTATION_ITEM", PERMUTATION_ITEM),
    ("COMBINATION_ITEM", COMBINATION_ITEM),
    ("ANY_ITEM", ANY_ITEM),
    ("MAX_ITEM", MAX_ITEM),
    ("MEMBERSHIP_ITEM", MEMBERSHIP_ITEM),
    ("MEMBERSHIP_RANGE_ITEM", MEMBERSHIP_RANGE_ITEM),
    ("MAP_ITEM", MAP_ITEM),
    ("FILTER_ITEM", FILTER_ITEM),
    ("ZIP_ITEM", ZIP_ITEM),
    ("ENUMERATE_ITEM", ENUMERATE_ITEM),
    ("REVERSED_ITEM", REVERSED_ITEM),
    ("LIST_COPY_ITEM", LIST_COPY_ITEM),
    ("JOIN_ITEM", JOIN_ITEM),
    ("SORT_ITEM", SORT_ITEM),
    ("REGEX_JUMP", REGEX_JUMP),
    ("REGEX_SCAN", REGEX_SCAN),
    ("STR_REPEAT_BYTE", STR_REPEAT_BYTE),
    ("BYTEARRAY_BYTE", BYTEARRAY_BYTE),
    ("STR_FIND_BYTE", STR_FIND_BYTE),
    ("STR_COPY_BYTE", STR_COPY_BYTE),
    ("STR_UPPER_BYTE", STR_UPPER_BYTE),
    ("BIG_BIT", BIG_BIT),
    ("BIG_KARATSUBA", BIG_KARATSUBA),
    ("BIG_STR_QUADRATIC", BIG_STR_QUADRATIC),
    ("BIG_INT_QUADRATIC", BIG_INT_QUADRATIC),
];

/// The exponent of Karatsuba's multiplication, log2(3).
const KARATSUBA: f64 = 1.584_962_500_721_156;

/// Any operation that reads or writes a whole integer of `bits` bits: addition, shift, comparison, and the least a product or power can take, since
/// operands that are mostly zeros multiply in linear time.
pub fn linear(bits: u64) -> f64 {
    BIG_BIT.times(bits as f64)
}

/// `base ** exponent` by its bit length. Only the odd part of the base makes dense digits: `2 ** n` takes linear time, `3 ** n` Karatsuba's.
pub fn power(base: u128, exponent: u128) -> f64 {
    let bits = |base: u128| crate::value::bits::power(base, exponent).0 as f64;
    if base < 2 {
        return INT_POWER.seconds;
    }
    let odd = base >> base.trailing_zeros();
    let dense = if odd > 1 { BIG_KARATSUBA.times(bits(odd).powf(KARATSUBA)) } else { 0.0 };
    BIG_BIT.times(bits(base)).max(dense)
}

/// Up to here conversion is quadratic in every version; above, newer ones divide and conquer, so a line continues the parabola.
const QUADRATIC_BITS: f64 = 100_000.0;

fn conversion(floor: Floor, bits: u64) -> f64 {
    let bits = bits as f64;
    floor.times(bits.min(QUADRATIC_BITS) * bits)
}

/// `str(n)` of an integer of `bits` bits.
pub fn int_to_str(bits: u64) -> f64 {
    conversion(BIG_STR_QUADRATIC, bits)
}

/// `int(text)` that gives an integer of `bits` bits.
pub fn str_to_int(bits: u64) -> f64 {
    conversion(BIG_INT_QUADRATIC, bits)
}

/// Sorting `count` items: at least one comparison each (what is sorted already takes no more).
pub fn sort(count: f64) -> f64 {
    SORT_ITEM.times(count)
}
