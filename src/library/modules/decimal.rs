//! `decimal` and `fractions`: numbers whose size is bounded by nothing but the program, or by a precision that it sets.
//!
//! A number that is known is an instance whose class is the library's: two integers, the numerator and denominator of a
//! fraction (coprime, the latter positive) or the coefficient and exponent of a decimal. Where nothing is known of it, it is a
//! plain [`V::Instance`].

use std::rc::Rc;

use crate::fact::{FactKind, Measure, Proof, Unit};
use crate::library::{Args, Entry, Host, R};
use crate::syntax::code::{BinaryOp, CompareOp};
use crate::value::counting::gcd_u128;
use crate::value::decimal_number::{MAX_PRECISION, Number, Rounding};
use crate::value::int::Int;
use crate::value::object::{Obj, Sym, V, Why};

use super::support::{all, attribute_of, bind, instance, look, put};

/// The class of fractions.
pub const FRACTION: &str = "fractions.Fraction";
/// The class of decimals.
pub const DECIMAL: &str = "decimal.Decimal";
/// Digits of a context by itself.
const DEFAULT: u64 = 28;
/// The class of managers with a context of their own.
const LOCAL: &str = "decimal.localcontext";
/// The context of `decimal`, as a value.
pub const CONTEXT: &str = "decimal.context";

/// Roots, logarithms and the exponential take more than linear time, so a multiple of the limit is surely felt; below, they are
/// left to the deadline.
const FELT: f64 = 2.0;
/// Powers are computed by number-theoretic transforms: only so many digits take seconds.
const FELT_POWER: u64 = 40_000_000;

/// The entry for a name in `decimal`.
pub fn find(name: &str) -> Option<Entry> {
    Some(match name {
        "Decimal" => Entry::Type(decimal),
        "getcontext" => Entry::Function(getcontext),
        "setcontext" => Entry::Function(setcontext),
        "localcontext" => Entry::Type(localcontext),
        "localcontext.__enter__" => Entry::Function(enter_context),
        "localcontext.__exit__" => Entry::Function(leave_context),
        "Decimal.sqrt" => Entry::Function(|host, args| irrational(host, args, "Decimal.sqrt")),
        "Decimal.ln" => Entry::Function(|host, args| irrational(host, args, "Decimal.ln")),
        "Decimal.log10" => Entry::Function(|host, args| irrational(host, args, "Decimal.log10")),
        "Decimal.exp" => Entry::Function(|host, args| irrational(host, args, "Decimal.exp")),
        "Decimal.quantize" => Entry::Function(quantize),
        _ => return None,
    })
}

/// The entry for a name in `fractions`.
pub fn find_fractions(name: &str) -> Option<Entry> {
    Some(match name {
        "Fraction" => Entry::Type(fraction),
        _ => return None,
    })
}

fn number(host: &mut dyn Host, class: &str, names: [&str; 2], parts: [V; 2]) -> V {
    let [a, b] = parts;
    let attrs = vec![(Sym::new(names[0]), a), (Sym::new(names[1]), b)];
    host.alloc(Obj::Instance { class: V::lib(class), attrs: Rc::new(attrs) })
}

/// The two integers of a number of the class.
fn parts(host: &mut dyn Host, value: &V, class: &str) -> Option<[Int; 2]> {
    let V::Ref(id) = value else { return None };
    let Obj::Instance { class: V::Lib(name), attrs } = host.store().get(*id) else { return None };
    if &*name.text() != class {
        return None;
    }
    let attrs = attrs.clone();
    match attrs.as_slice() {
        [(_, a), (_, b)] => Some([a.as_int()?, b.as_int()?]),
        _ => None,
    }
}

/// The exact number that an int or a decimal is.
fn exact(host: &mut dyn Host, value: &V) -> Option<Number> {
    if let Some(n) = value.exact_int() {
        return Number::new(n, 0);
    }
    let [coefficient, exponent] = parts(host, value, DECIMAL)?;
    Number::new(coefficient.is_exact()?, exponent.is_exact()?)
}

fn of_number(host: &mut dyn Host, exact: Number) -> V {
    number(host, DECIMAL, ["coefficient", "exponent"], [V::Int(exact.coefficient), V::Int(exact.exponent)])
}

/// Names by which a context is changed in other ways than its precision.
const CONTEXTS: &[&str] =
    &["BasicContext", "Context", "DefaultContext", "Emax", "Emin", "ExtendedContext", "clamp", "create_decimal", "setcontext", "traps"];

/// Names of what runs code in a context of its own.
const APART: &[&str] = &["Thread", "ThreadPoolExecutor", "Timer", "asyncio", "copy_context"];

/// The precision, where it is known and nothing else differs from what a context is by itself.
fn plain_precision(host: &mut dyn Host) -> Option<u64> {
    let precision = host.store().path.switches.precision.filter(|digits| (1..=MAX_PRECISION).contains(digits))?;
    let differs = host.accesses(&["rounding"]) || host.mentions(CONTEXTS) || (precision != DEFAULT && host.mentions(APART));
    (!differs).then_some(precision)
}

fn quantize(host: &mut dyn Host, args: Args) -> R<V> {
    let [this, to, rounding, context] = bind(host, &args, ["/self", "exp", "rounding", "context"], 2)?;
    let rounding = match rounding {
        None | Some(V::None) => Some(Rounding::HalfEven),
        Some(V::Lib(name)) => name.text().strip_prefix("decimal.").and_then(Rounding::named),
        Some(V::Str(name)) => Rounding::named(&name),
        Some(_) => None,
    };
    if let (Some(this), Some(to), Some(rounding), None | Some(V::None)) = (this, to, rounding, context)
        && let (Some(this), Some(to), Some(precision)) = (exact(host, &this), exact(host, &to), plain_precision(host))
        && let Some(result) = this.quantized(to.exponent, precision, rounding)
    {
        return Ok(of_number(host, result));
    }
    look(host, &args);
    Ok(unknown_number(DECIMAL))
}

/// An operation on exact numbers, in a context that is as it is by itself.
fn exact_result(host: &mut dyn Host, op: BinaryOp, a: &V, b: &V) -> Option<V> {
    let (x, y) = (exact(host, a)?, exact(host, b)?);
    let precision = plain_precision(host)?;
    let result = match op {
        BinaryOp::Add => x.add(y, precision),
        BinaryOp::Sub => x.sub(y, precision),
        BinaryOp::Mul => x.mul(y, precision),
        BinaryOp::TrueDiv => x.div(y, precision),
        BinaryOp::FloorDiv => x.divmod(y, precision).map(|(quotient, _)| quotient),
        BinaryOp::Mod => x.divmod(y, precision).map(|(_, rest)| rest),
        _ => None,
    };
    result.map(|result| of_number(host, result))
}

/// A comparison where one side is a fraction or a decimal and both are known; none where that is left to what is unknown.
pub fn compared(host: &mut dyn Host, op: CompareOp, a: &V, b: &V) -> Option<V> {
    let order = if [a, b].into_iter().any(|v| parts(host, v, DECIMAL).is_some()) {
        exact(host, a)?.compare(exact(host, b)?)?
    } else if [a, b].into_iter().any(|v| parts(host, v, FRACTION).is_some()) {
        let ((n, d), (m, e)) = (rational(host, a)?, rational(host, b)?);
        n.checked_mul(e)?.cmp(&m.checked_mul(d)?)
    } else {
        return None;
    };
    Some(V::Bool(match op {
        CompareOp::Lt => order.is_lt(),
        CompareOp::Le => order.is_le(),
        CompareOp::Gt => order.is_gt(),
        CompareOp::Ge => order.is_ge(),
        CompareOp::Ne => order.is_ne(),
        CompareOp::Eq => order.is_eq(),
        _ => return None,
    }))
}

/// `bool(value)`, where it is a fraction or a decimal.
pub fn truth(host: &mut dyn Host, value: &V) -> Option<bool> {
    let [n, _] = parts(host, value, DECIMAL).or_else(|| parts(host, value, FRACTION))?;
    n.truth()
}

/// `-value`, `+value` and `abs(value)` of a fraction or a decimal that is known.
pub fn signed(host: &mut dyn Host, value: &V, of: fn(i128) -> i128) -> R<Option<V>> {
    if let Some((n, d)) = rational(host, value).filter(|_| matches!(value, V::Ref(_))) {
        return reduced(host, Some(of(n)), Some(d)).map(Some);
    }
    let known = exact(host, value).filter(|_| matches!(value, V::Ref(_)));
    let precision = plain_precision(host);
    let result = known.zip(precision).and_then(|(x, precision)| Number::new(of(x.coefficient), x.exponent)?.rounded(precision));
    Ok(result.map(|result| of_number(host, result)))
}

/// What `str` and `repr` give of a fraction or a decimal that is known.
pub fn text(host: &mut dyn Host, value: &V, repr: bool) -> Option<String> {
    if !matches!(value, V::Ref(_)) {
        return None;
    }
    if let Some((n, d)) = rational(host, value) {
        return Some(match (repr, d) {
            (true, _) => format!("Fraction({n}, {d})"),
            (false, 1) => n.to_string(),
            (false, _) => format!("{n}/{d}"),
        });
    }
    let shown = exact(host, value)?.text();
    Some(if repr { format!("Decimal('{shown}')") } else { shown })
}

fn unknown_number(class: &str) -> V {
    V::Instance(Sym::new(class), Why::Lost)
}

/// A fraction in lowest terms; unknown where it does not fit.
fn reduced(host: &mut dyn Host, numerator: Option<i128>, denominator: Option<i128>) -> R<V> {
    let (Some(n), Some(d)) = (numerator, denominator) else { return Ok(unknown_number(FRACTION)) };
    if d == 0 {
        return Err(host.raise("ZeroDivisionError", "Fraction(n, 0)"));
    }
    if n == i128::MIN || d == i128::MIN {
        return Ok(unknown_number(FRACTION));
    }
    let shared = i128::try_from(gcd_u128(n.unsigned_abs(), d.unsigned_abs())).unwrap_or(1) * d.signum();
    Ok(number(host, FRACTION, ["numerator", "denominator"], [V::Int(n / shared), V::Int(d / shared)]))
}

/// The numerator and denominator of an operand that is exact.
fn rational(host: &mut dyn Host, value: &V) -> Option<(i128, i128)> {
    if let Some(n) = value.exact_int() {
        return Some((n, 1));
    }
    let [n, d] = parts(host, value, FRACTION)?;
    Some((n.is_exact()?, d.is_exact()?))
}

fn fraction(host: &mut dyn Host, args: Args) -> R<V> {
    let [n, d] = bind(host, &args, ["numerator", "denominator"], 0)?;
    let (n, d) = (n.unwrap_or(V::Int(0)), d.unwrap_or(V::None));
    if let (V::Str(text), V::None) = (&n, &d) {
        let mut sides = text.trim().splitn(2, '/').map(|side| side.parse::<i128>().ok());
        if let (Some(Some(a)), b) = (sides.next(), sides.next().unwrap_or(Some(1))) {
            return reduced(host, Some(a), b.filter(|b| *b >= 0));
        }
    }
    let d = if matches!(d, V::None) { V::Int(1) } else { d };
    if let (Some((a, b)), Some((c, d))) = (rational(host, &n), rational(host, &d)) {
        return reduced(host, a.checked_mul(d), b.checked_mul(c));
    }
    look(host, &args);
    Ok(unknown_number(FRACTION))
}

/// `text` as a coefficient and an exponent.
fn parse_decimal(text: &str) -> Option<(i128, i128)> {
    let text = text.trim().to_ascii_lowercase();
    let (digits, exponent) = text.split_once('e').unwrap_or((&text, "0"));
    let (whole, part) = digits.split_once('.').unwrap_or((digits, ""));
    // Zeros are positive here.
    if digits.starts_with('-') && !digits.contains(|c: char| ('1'..='9').contains(&c)) {
        return None;
    }
    if !part.bytes().all(|b| b.is_ascii_digit()) || digits.len() > 38 {
        return None;
    }
    let coefficient = format!("{whole}{part}").parse().ok()?;
    Some((coefficient, exponent.parse::<i64>().ok()?.checked_sub(i64::try_from(part.len()).ok()?)?.into()))
}

fn decimal(host: &mut dyn Host, args: Args) -> R<V> {
    let [value, context] = bind(host, &args, ["value", "context"], 0)?;
    let value = value.unwrap_or(V::Int(0));
    let known = match &value {
        V::Str(text) => parse_decimal(text),
        v => v.exact_int().map(|n| (n, 0)),
    };
    if let (Some((coefficient, exponent)), None) = (known, &context) {
        return Ok(number(host, DECIMAL, ["coefficient", "exponent"], [V::Int(coefficient), V::Int(exponent)]));
    }
    if parts(host, &value, DECIMAL).is_some() && context.is_none() {
        return Ok(value);
    }
    look(host, &args);
    Ok(unknown_number(DECIMAL))
}

fn getcontext(host: &mut dyn Host, args: Args) -> R<V> {
    all(host, &args, [])?;
    Ok(V::lib(CONTEXT))
}

fn setcontext(host: &mut dyn Host, args: Args) -> R<V> {
    look(host, &args);
    host.store().path.switches.precision = None;
    Ok(V::None)
}

/// A context of its own for a block. Where the program holds the one around it as well, their precisions are not told apart.
fn localcontext(host: &mut dyn Host, args: Args) -> R<V> {
    let followed = args.pos.is_empty() && !args.open && args.kw.iter().all(|(n, _)| &*n.text() == "prec");
    if !followed || host.mentions(&["getcontext", "setcontext"]) {
        look(host, &args);
        host.store().path.switches.precision = None;
        return Ok(V::Instance(Sym::new(LOCAL), Why::OUTSIDE));
    }
    if !args.kw.is_empty() {
        // Since 3.11.
        host.may_raise("TypeError");
    }
    let wanted = args.keyword("prec").cloned().unwrap_or(V::None);
    let attrs = vec![(Sym::new("@wanted"), wanted), (Sym::new("@outer"), V::None)];
    Ok(host.alloc(Obj::Instance { class: V::lib(LOCAL), attrs: Rc::new(attrs) }))
}

/// The precisions that a manager sets and has found.
fn local(host: &mut dyn Host, manager: &V) -> Option<(V, V)> {
    let (_, attrs) = instance(host, manager)?;
    Some((attribute_of(&attrs, "@wanted")?, attribute_of(&attrs, "@outer")?))
}

fn enter_context(host: &mut dyn Host, args: Args) -> R<V> {
    if let Some(manager) = args.pos.first()
        && let Some((wanted, _)) = local(host, manager)
    {
        let outer = host.store().path.switches.precision.map_or(V::None, |digits| V::Int(digits.into()));
        put(host, manager, vec![(Sym::new("@outer"), outer)]);
        if !matches!(wanted, V::None) {
            set_precision(host, &wanted);
        }
    } else {
        host.store().path.switches.precision = None;
    }
    Ok(V::lib(CONTEXT))
}

fn leave_context(host: &mut dyn Host, args: Args) -> R<V> {
    let outer = args.pos.first().and_then(|manager| local(host, manager)).and_then(|(_, outer)| outer.exact_int());
    host.store().path.switches.precision = outer.and_then(|digits| u64::try_from(digits).ok());
    Ok(V::None)
}

/// `context.prec = value`.
pub fn set_precision(host: &mut dyn Host, value: &V) {
    let known = value.exact_int().and_then(|n| u64::try_from(n).ok());
    if known.is_none_or(|n| !(1..=999_999_999_999_999_999).contains(&n)) {
        host.may_raise("");
    }
    host.store().path.switches.precision = known;
}

/// A result with as many digits as the precision.
fn full_precision(host: &mut dyn Host, op: &str, felt: f64) {
    let Some(digits) = host.store().path.switches.precision else { return };
    let bits = digits.saturating_sub(1) as f64 * std::f64::consts::LOG2_10;
    if bits > felt * host.limits().int_bits as f64 {
        let measure = Measure { unit: Unit::Bits, low: bits.floor(), high: bits.ceil() + 4.0 };
        let words = [("op", op.to_owned()), ("expression", format!("a number of {digits} digits"))];
        host.fact(FactKind::ExactPower, Some(measure), Proof::Proven, &words);
    }
}

/// Without trailing zeros: the coefficient and what they add to the exponent.
fn stripped(mut coefficient: i128) -> (i128, i128) {
    let mut zeros = 0;
    while coefficient != 0 && coefficient % 10 == 0 {
        (coefficient, zeros) = (coefficient / 10, zeros + 1);
    }
    (coefficient, zeros)
}

/// A root, logarithm or exponential: it fills the precision unless the result is rational.
fn irrational(host: &mut dyn Host, args: Args, op: &str) -> R<V> {
    host.may_raise("");
    let (Some(value), true) = (args.pos.first(), args.exactly(1)) else { return Ok(host.unknown_call(&args)) };
    if let Some([coefficient, exponent]) = parts(host, value, DECIMAL)
        && let (Some(c), Some(e)) = (coefficient.is_exact(), exponent.is_exact())
    {
        let (c, zeros) = stripped(c);
        let e = e + zeros;
        let fills = match op {
            "Decimal.sqrt" => c > 0 && (e % 2 != 0 || c.isqrt() * c.isqrt() != c),
            "Decimal.exp" => c != 0 && (-40..10).contains(&e) && c.unsigned_abs() < 1000,
            "Decimal.ln" => c > 0 && !(c == 1 && e == 0),
            _ => c > 1,
        };
        if fills {
            full_precision(host, op, FELT);
        }
    }
    Ok(unknown_number(DECIMAL))
}

/// `a op b` where one side is a fraction or a decimal that is known; none where that is left to what is unknown.
pub fn binary(host: &mut dyn Host, op: BinaryOp, a: &V, b: &V) -> R<Option<V>> {
    if !matches!(a, V::Ref(_)) && !matches!(b, V::Ref(_)) {
        return Ok(None);
    }
    if let Some(known) = if rational(host, a).is_some() && rational(host, b).is_some() { None } else { exact_result(host, op, a, b) } {
        return Ok(Some(known));
    }
    if let Some([coefficient, _]) = parts(host, a, DECIMAL) {
        let other = b.as_int().is_some() || parts(host, b, DECIMAL).is_some();
        return Ok(other.then(|| decimal_result(host, op, &coefficient, b)));
    }
    if parts(host, b, DECIMAL).is_some() && a.as_int().is_some() {
        return Ok(Some(decimal_result(host, op, &Int::ZERO, b)));
    }
    let Some([n, d]) = parts(host, a, FRACTION) else {
        let reflected = parts(host, b, FRACTION).is_some() && a.exact_int().is_some() && op != BinaryOp::Pow;
        return if reflected { fraction_result(host, op, a, b) } else { Ok(None) };
    };
    match (op, b.as_int()) {
        (BinaryOp::Pow, Some(e)) => fraction_power(host, n, d, e, b.why().unwrap_or(Why::Lost)).map(Some),
        (BinaryOp::Pow, None) => Ok(None),
        _ if b.exact_int().is_some() || parts(host, b, FRACTION).is_some() => fraction_result(host, op, a, b),
        _ => Ok(None),
    }
}

fn decimal_result(host: &mut dyn Host, op: BinaryOp, coefficient: &Int, b: &V) -> V {
    // Overflow, invalid operations and divisions by zero are signals that may be trapped.
    host.may_raise("");
    let exponent = b.as_int().or_else(|| {
        let [c, e] = parts(host, b, DECIMAL)?;
        (e.is_zero()).then_some(c)
    });
    if op == BinaryOp::Pow
        && let (Some(c), Some(exponent), Some(precision)) =
            (coefficient.is_exact(), exponent, host.store().path.switches.precision)
        && let (c, _) = stripped(c)
        && c.unsigned_abs() > 1
        && precision > FELT_POWER
        // Exact powers have fewer digits.
        && (c.unsigned_abs() as f64).log10() * (exponent.low.max(0) as f64) > precision as f64
    {
        full_precision(host, "**", FELT);
    }
    unknown_number(DECIMAL)
}

fn fraction_result(host: &mut dyn Host, op: BinaryOp, a: &V, b: &V) -> R<Option<V>> {
    let (Some((n, d)), Some((m, e))) = (rational(host, a), rational(host, b)) else {
        if matches!(op, BinaryOp::TrueDiv | BinaryOp::FloorDiv | BinaryOp::Mod) {
            host.may_raise("ZeroDivisionError");
        }
        let known = matches!(op, BinaryOp::Add | BinaryOp::Sub | BinaryOp::Mul | BinaryOp::TrueDiv);
        return Ok(known.then(|| unknown_number(FRACTION)));
    };
    let cross = |x: Option<i128>, y: Option<i128>, sum: fn(i128, i128) -> Option<i128>| sum(x?, y?);
    let result = match op {
        BinaryOp::Add => (cross(n.checked_mul(e), m.checked_mul(d), i128::checked_add), d.checked_mul(e)),
        BinaryOp::Sub => (cross(n.checked_mul(e), m.checked_mul(d), i128::checked_sub), d.checked_mul(e)),
        BinaryOp::Mul => (n.checked_mul(m), d.checked_mul(e)),
        BinaryOp::TrueDiv => (n.checked_mul(e), d.checked_mul(m)),
        BinaryOp::FloorDiv | BinaryOp::Mod if m == 0 => return Err(host.raise("ZeroDivisionError", "")),
        BinaryOp::FloorDiv | BinaryOp::Mod => {
            let (Some(top), Some(bottom)) = (n.checked_mul(e), m.checked_mul(d)) else { return Ok(None) };
            let quotient = top.div_euclid(bottom) - i128::from(bottom < 0 && top.rem_euclid(bottom) != 0);
            if op == BinaryOp::FloorDiv {
                return Ok(Some(V::Int(quotient)));
            }
            let rest = cross(Some(top), quotient.checked_mul(bottom), i128::checked_sub);
            (rest, d.checked_mul(e))
        }
        _ => return Ok(None),
    };
    reduced(host, result.0, result.1).map(Some)
}

/// `Fraction(n, d) ** e`: coprime numbers have coprime powers, so nothing cancels.
fn fraction_power(host: &mut dyn Host, n: Int, d: Int, e: Int, why: Why) -> R<V> {
    if e.upper().is_some_and(|e| e < 0) && n.is_zero() {
        return Err(host.raise("ZeroDivisionError", ""));
    }
    if e.low < 0 && n.may_be_zero() {
        host.may_raise("ZeroDivisionError");
    }
    let size = e.abs();
    let (Some(top), Some(bottom)) = (n.abs().pow(&size).int, d.pow(&size).int) else { return Ok(unknown_number(FRACTION)) };
    let bits = (top.bits_low.max(bottom.bits_low), top.bits_high.max(bottom.bits_high));
    let shown = |n: &Int| n.is_exact().map_or_else(|| "n".to_owned(), |n| n.to_string());
    host.integer(FactKind::ExactPower, "**", format!("Fraction({}, {}) ** {}", shown(&n), shown(&d), shown(&e)), bits);
    if e.low < 0 || n.may_be_negative() {
        return match (n.is_exact(), d.is_exact(), e.is_exact(), top.is_exact(), bottom.is_exact()) {
            (Some(n), Some(_), Some(e), Some(top), Some(bottom)) => {
                let sign = if n < 0 && e % 2 != 0 { -1 } else { 1 };
                if e < 0 { reduced(host, Some(sign * bottom), Some(top)) } else { reduced(host, Some(sign * top), Some(bottom)) }
            }
            _ => Ok(unknown_number(FRACTION)),
        };
    }
    Ok(number(host, FRACTION, ["numerator", "denominator"], [V::int(top, why), V::int(bottom, why)]))
}
