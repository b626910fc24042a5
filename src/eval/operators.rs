//! Operators, comparisons, truth, indexing and length.

use std::rc::Rc;

use crate::fact::{FactKind, Measure, Proof, Unit};
use crate::library::common::{POINTER, allocates, concat, table_add};
use crate::library::{Args, R, Stop};
use crate::syntax::code::{BinaryOp, CompareOp};
use crate::value::convert;
use crate::value::float::Float;
use crate::value::float_math;
use crate::value::int::{Comparison, Int};
use crate::value::object::{
    DictKind, Digits, Items, IterKind, Key, MAX_EXACT_ITEMS, MAX_EXACT_TEXT, Made, Obj, ObjId, Rest, Table, Text, Tuple, V, Why,
};
use crate::value::store::{join, text_of};

use super::iteration::{bag_items, range_length};
use super::machine::{GuardState, Machine};

/// Fuel for finding all divisors of a number.
const DIVISORS: u64 = 20_000;

/// An index or length at or above this raises instead of being used (`PY_SSIZE_T_MAX` is one less).
const SIZE_LIMIT: i128 = 1 << 63;

fn symbol(op: BinaryOp) -> &'static str {
    match op {
        BinaryOp::Add => "+",
        BinaryOp::Sub => "-",
        BinaryOp::Mul => "*",
        BinaryOp::MatMul => "@",
        BinaryOp::TrueDiv => "/",
        BinaryOp::FloorDiv => "//",
        BinaryOp::Mod => "%",
        BinaryOp::Pow => "**",
        BinaryOp::LShift => "<<",
        BinaryOp::RShift => ">>",
        BinaryOp::BitAnd => "&",
        BinaryOp::BitOr => "|",
        BinaryOp::BitXor => "^",
    }
}

/// Exact arithmetic on integers that stay small; none when it needs more thought (an error, a float, a large result).
fn small(op: BinaryOp, x: i128, y: i128) -> Option<i128> {
    match op {
        BinaryOp::Add => x.checked_add(y),
        BinaryOp::Sub => x.checked_sub(y),
        BinaryOp::Mul => match (i64::try_from(x), i64::try_from(y)) {
            (Ok(a), Ok(b)) => Some(i128::from(a) * i128::from(b)),
            _ => x.checked_mul(y),
        },
        BinaryOp::BitAnd => Some(x & y),
        BinaryOp::BitOr => Some(x | y),
        BinaryOp::BitXor => Some(x ^ y),
        BinaryOp::FloorDiv | BinaryOp::Mod => {
            let (Ok(a), Ok(b)) = (i64::try_from(x), i64::try_from(y)) else { return None };
            if b == 0 || (a == i64::MIN && b == -1) {
                return None;
            }
            let (quotient, remainder) = (a / b, a % b);
            // C truncates, Python floors.
            let adjust = remainder != 0 && (remainder < 0) != (b < 0);
            Some(i128::from(if op == BinaryOp::Mod {
                if adjust { remainder + b } else { remainder }
            } else {
                quotient - i64::from(adjust)
            }))
        }
        BinaryOp::Pow if (0..=126).contains(&y) => x.checked_pow(y as u32),
        BinaryOp::LShift if (0..=63).contains(&y) && x.unsigned_abs() < 1 << 62 => Some(x << y),
        BinaryOp::RShift if (0..=126).contains(&y) => Some(x >> y),
        _ => None,
    }
}

/// `(__op__, __rop__, __iop__)`.
fn methods(op: BinaryOp) -> (&'static str, &'static str, &'static str) {
    match op {
        BinaryOp::Add => ("__add__", "__radd__", "__iadd__"),
        BinaryOp::Sub => ("__sub__", "__rsub__", "__isub__"),
        BinaryOp::Mul => ("__mul__", "__rmul__", "__imul__"),
        BinaryOp::MatMul => ("__matmul__", "__rmatmul__", "__imatmul__"),
        BinaryOp::TrueDiv => ("__truediv__", "__rtruediv__", "__itruediv__"),
        BinaryOp::FloorDiv => ("__floordiv__", "__rfloordiv__", "__ifloordiv__"),
        BinaryOp::Mod => ("__mod__", "__rmod__", "__imod__"),
        BinaryOp::Pow => ("__pow__", "__rpow__", "__ipow__"),
        BinaryOp::LShift => ("__lshift__", "__rlshift__", "__ilshift__"),
        BinaryOp::RShift => ("__rshift__", "__rrshift__", "__irshift__"),
        BinaryOp::BitAnd => ("__and__", "__rand__", "__iand__"),
        BinaryOp::BitOr => ("__or__", "__ror__", "__ior__"),
        BinaryOp::BitXor => ("__xor__", "__rxor__", "__ixor__"),
    }
}

pub fn comparison(op: CompareOp) -> Option<Comparison> {
    Some(match op {
        CompareOp::Lt => Comparison::Lt,
        CompareOp::Le => Comparison::Le,
        CompareOp::Eq => Comparison::Eq,
        CompareOp::Ne => Comparison::Ne,
        CompareOp::Gt => Comparison::Gt,
        CompareOp::Ge => Comparison::Ge,
        _ => return None,
    })
}

fn type_error<T>() -> R<T> {
    Err(Stop::Raise(V::exception("TypeError")))
}

impl Machine<'_> {
    pub fn binary_op(&mut self, op: BinaryOp, a: &V, b: &V, inplace: bool) -> R<V> {
        let risky = matches!(op, BinaryOp::Pow | BinaryOp::LShift | BinaryOp::Mul);
        if let (V::Int(x), V::Int(y)) = (a, b) {
            let exact = small(op, *x, *y);
            // Whatever fits here is within the limit, unless the limit is very low.
            if let Some(n) = exact.filter(|_| !risky || self.settings.limits.int_bits >= 127) {
                if risky {
                    self.mark_guard(GuardState::Safe);
                }
                return Ok(V::Int(n));
            }
        }
        if let (V::OneOf(_), _) | (_, V::OneOf(_)) = (a, b) {
            return self.binary_alternatives(op, a, b, inplace);
        }
        if a.is_number() && b.is_number() {
            return self.arithmetic(op, a, b);
        }
        if risky {
            let plain = |v: &V| {
                matches!(v.type_name(), Some(t) if t != "int" && t != "bool")
                    || matches!(self.obj(v), Some(Obj::List(_) | Obj::Dict(..) | Obj::Set(..) | Obj::Deque(..)))
            };
            let safe = plain(a) || plain(b);
            self.mark_guard(if safe { GuardState::Safe } else { GuardState::Needed });
        }
        if let Some(value) = crate::library::modules::binary(self, op, a, b)? {
            return Ok(value);
        }
        if let Some(value) = crate::library::modules::array::binary(self, op, a, b, inplace) {
            return Ok(value);
        }
        if op == BinaryOp::BitOr
            && let Some(union) = self.union(a, b)
        {
            return Ok(union);
        }
        if let Some(flags) = crate::library::modules::re::binary(op, a, b) {
            return Ok(flags);
        }
        // User classes first, then what builtin types do with each other.
        let formats = op == BinaryOp::Mod && matches!(a, V::Str(_) | V::Strs(_) | V::Bytes(_) | V::ManyBytes(_));
        if matches!(self.obj(a), Some(Obj::Instance { .. })) || (matches!(self.obj(b), Some(Obj::Instance { .. })) && !formats) {
            return self.binary_instances(op, a, b, inplace);
        }
        if self.is_opaque(a)
            || self.is_opaque(b)
            || matches!(self.obj(a), Some(Obj::Class(_)))
            || matches!(self.obj(b), Some(Obj::Class(_)))
        {
            return Ok(self.opaque_binary(a, b));
        }
        if matches!(a, V::Complex(_)) || matches!(b, V::Complex(_)) {
            let ok = |v: &V| v.is_number() || matches!(v, V::Complex(_));
            if ok(a) && ok(b) && matches!(op, BinaryOp::Add | BinaryOp::Sub | BinaryOp::Mul | BinaryOp::TrueDiv | BinaryOp::Pow) {
                if matches!(op, BinaryOp::TrueDiv | BinaryOp::Pow) {
                    self.may_raise_class("ZeroDivisionError");
                }
                self.may_raise_class("OverflowError");
                return Ok(V::Complex(Why::Lost));
            }
        }
        match op {
            BinaryOp::Add => self.concatenate(a, b, inplace),
            BinaryOp::Mul => {
                if let Some(n) = a.as_int() {
                    self.repeat(b, &n, a.why(), false)
                } else if let Some(n) = b.as_int() {
                    self.repeat(a, &n, b.why(), inplace)
                } else {
                    type_error()
                }
            }
            BinaryOp::Mod if matches!(a, V::Str(_) | V::Strs(_) | V::Bytes(_) | V::ManyBytes(_)) => {
                let format = V::lib("str.__mod__");
                self.call_value(&format, Args::of([a.clone(), b.clone()]))
            }
            BinaryOp::BitAnd | BinaryOp::BitOr | BinaryOp::BitXor | BinaryOp::Sub => self.set_operation(op, a, b, inplace),
            _ => self.other_binary(a, b),
        }
    }

    fn other_binary(&mut self, a: &V, b: &V) -> R<V> {
        // Deques, counters and byte arrays have operators without a model here.
        let modelled = |v: &V| {
            v.type_name().is_some()
                || matches!(
                    self.obj(v),
                    Some(Obj::List(_) | Obj::Function(_) | Obj::Dict(_, DictKind::Plain) | Obj::Set(..) | Obj::Generator(_))
                )
        };
        if modelled(a) && modelled(b) {
            return type_error();
        }
        Ok(self.opaque_binary(a, b))
    }

    /// An operator of which at least one side may do anything.
    fn opaque_binary(&mut self, a: &V, b: &V) -> V {
        self.store.escape(a);
        self.store.escape(b);
        self.may_raise_class("");
        let why = Why::of_all(a.why().into_iter().chain(b.why())).unwrap_or(Why::OUTSIDE);
        V::Unknown(why)
    }

    fn binary_alternatives(&mut self, op: BinaryOp, a: &V, b: &V, inplace: bool) -> R<V> {
        let (left, right) = (a.alternatives().to_vec(), b.alternatives().to_vec());
        if left.len() * right.len() > 16 {
            return Ok(self.opaque_binary(a, b));
        }
        self.each(&left, |m, x| {
            if right.len() == 1 { m.binary_op(op, x, &right[0], inplace) } else { m.each(&right, |m, y| m.binary_op(op, x, y, inplace)) }
        })
    }

    fn binary_instances(&mut self, op: BinaryOp, a: &V, b: &V, inplace: bool) -> R<V> {
        let (forward, reflected, in_place) = methods(op);
        for v in [a, b] {
            if matches!(self.obj(v), Some(Obj::Instance { .. })) && self.open_instance(v) {
                return Ok(self.unknown_effect(&[a.clone(), b.clone()]));
            }
        }
        // A subclass on the right goes first in CPython; that is left unknown.
        if let (Some(Obj::Instance { class: x, .. }), Some(Obj::Instance { class: y, .. })) = (self.obj(a), self.obj(b)) {
            let (x, y) = (x.clone(), y.clone());
            if x != y && self.subclass_of(&y, &x) != Some(false) {
                return Ok(self.unknown_effect(&[a.clone(), b.clone()]));
            }
        }
        let mut tries: Vec<(V, [V; 2])> = Vec::new();
        if inplace && let Some(m) = self.dunder(a, in_place) {
            tries.push((m, [a.clone(), b.clone()]));
        }
        if let Some(m) = self.dunder(a, forward) {
            tries.push((m, [a.clone(), b.clone()]));
        }
        if let Some(m) = self.dunder(b, reflected) {
            tries.push((m, [b.clone(), a.clone()]));
        }
        if self.is_opaque(a) || self.is_opaque(b) {
            return Ok(self.unknown_effect(&[a.clone(), b.clone()]));
        }
        for (method, args) in tries {
            let value = self.call_value(&method, Args::of(args))?;
            match &value {
                V::NotImplemented => {}
                V::Unknown(_) => return Ok(value),
                V::OneOf(all) if all.contains(&V::NotImplemented) => return Ok(self.unknown_effect(&[a.clone(), b.clone()])),
                _ => return Ok(value),
            }
        }
        // A sequence takes an instance for a number where it has `__index__`, and extends itself by one that has items.
        let counts = op == BinaryOp::Mul && [a, b].iter().any(|v| self.dunder(v, "__index__").is_some());
        let extends = inplace && op == BinaryOp::Add && matches!(self.obj(a), Some(Obj::List(_) | Obj::Deque(..) | Obj::ByteArray(_)));
        if counts || extends {
            return Ok(self.unknown_effect(&[a.clone(), b.clone()]));
        }
        type_error()
    }

    /// A value as it is shown in a message.
    pub fn describe(&self, v: &V) -> String {
        match v {
            V::Int(n) => n.to_string(),
            V::Bool(b) => if *b { "True" } else { "False" }.to_owned(),
            V::Float(f) => crate::value::decimal::repr_float(*f),
            V::Ints(r) => {
                let int = r.0;
                match (int.lower(), int.upper()) {
                    (Some(a), Some(b)) if a > -1_000_000_000_000 && b < 1_000_000_000_000 => format!("({a} to {b})"),
                    _ if int.bits_low == int.bits_high => format!("({} bits)", int.bits_low),
                    _ => "n".to_owned(),
                }
            }
            V::Str(s) => format!("'{}'", s.chars().take(20).collect::<String>()),
            _ => "…".to_owned(),
        }
    }

    /// Reports the bit length of an integer result, and whether the operation needs a guard.
    pub fn check_integer(&mut self, kind: FactKind, op: &str, expression: String, bits: (u64, u64)) {
        let limit = self.settings.limits.int_bits;
        if bits.1 <= limit {
            self.mark_guard(GuardState::Safe);
            return;
        }
        self.mark_guard(GuardState::Needed);
        if bits.0 > limit {
            let high = if bits.1 == u64::MAX { f64::INFINITY } else { bits.1 as f64 };
            let measure = Measure { unit: Unit::Bits, low: bits.0 as f64, high };
            let words = [("op", op.to_owned()), ("expression", expression), ("bits", bits.0.to_string())];
            self.report(kind, None, Some(measure), Proof::Proven, &words);
        }
    }

    fn arithmetic(&mut self, op: BinaryOp, a: &V, b: &V) -> R<V> {
        let why = Why::of_all(a.why().into_iter().chain(b.why())).unwrap_or(Why::Lost);
        if let (Some(x), Some(y)) = (a.as_int(), b.as_int()) {
            return self.int_arithmetic(op, a, b, &x, &y, why);
        }
        if matches!(op, BinaryOp::Pow | BinaryOp::Mul | BinaryOp::LShift) {
            self.mark_guard(GuardState::Safe);
        }
        if matches!(op, BinaryOp::LShift | BinaryOp::RShift | BinaryOp::BitAnd | BinaryOp::BitOr | BinaryOp::BitXor | BinaryOp::MatMul) {
            return type_error();
        }
        let (Some(x), Some(y)) = (self.to_float(a)?, self.to_float(b)?) else { return Err(Stop::Raise(V::exception("OverflowError"))) };
        let division = |m: &mut Self, d: crate::value::float::FloatDivision| {
            if d.zero_certain {
                return Err(Stop::Raise(V::exception("ZeroDivisionError")));
            }
            if d.zero_possible {
                m.may_raise_class("ZeroDivisionError");
            }
            Ok(V::float(d.float.unwrap_or(Float::ANY), why))
        };
        match op {
            BinaryOp::Add => Ok(V::float(x.add(&y), why)),
            BinaryOp::Sub => Ok(V::float(x.sub(&y), why)),
            BinaryOp::Mul => Ok(V::float(x.mul(&y), why)),
            BinaryOp::TrueDiv => division(self, x.truediv(&y)),
            BinaryOp::FloorDiv => division(self, x.floordiv(&y)),
            BinaryOp::Mod => division(self, x.modulo(&y)),
            _ => self.float_power(&x, &y, why),
        }
    }

    /// Whether a number that is known may have a divisor within bounds. What it is divided by in a search for one lies beyond 1.
    fn may_divide(&mut self, number: &Int, by: &Int) -> R<bool> {
        const SEARCHED: i128 = 1 << 16;
        let (Some(n), Some(low), Some(high)) = (number.is_exact(), by.lower(), by.upper()) else { return Ok(true) };
        let (Ok(number), true) = (u64::try_from(n), n > SEARCHED && low > 1 && low < high) else { return Ok(true) };
        if !self.divisors.contains_key(&number) {
            self.burn(DIVISORS)?;
            let found = crate::value::counting::divisors(number);
            self.divisors.insert(number, found);
        }
        let known = self.divisors.get(&number).and_then(Option::as_ref);
        Ok(known.is_none_or(|all| all.iter().any(|d| (low..=high).contains(&i128::from(*d)))))
    }

    fn float_power(&mut self, x: &Float, y: &Float, why: Why) -> R<V> {
        let p = float_math::pow(x, y);
        let mut possible = Vec::new();
        if p.overflow_possible {
            possible.push("OverflowError");
        }
        if p.zero_division_possible {
            possible.push("ZeroDivisionError");
        }
        let value = match (p.float, p.complex_possible) {
            (Some(f), false) => V::float(f, why),
            (Some(f), true) => V::OneOf(Rc::new([V::float(f, why), V::Complex(why)])),
            (None, true) => V::Complex(why),
            (None, false) => return Err(Stop::Raise(V::exception(possible.first().copied().unwrap_or("OverflowError")))),
        };
        for class in possible {
            self.may_raise_class(class);
        }
        Ok(value)
    }

    /// The float a number converts to in mixed arithmetic; none when it certainly does not fit.
    #[expect(clippy::wrong_self_convention, reason = "it converts the argument")]
    pub fn to_float(&mut self, v: &V) -> R<Option<Float>> {
        Ok(match v {
            V::Float(f) => Some(Float::exact(*f)),
            V::Floats(r) => Some(r.0),
            _ => {
                let Some(int) = v.as_int() else { return Ok(Some(Float::ANY)) };
                let converted = convert::int_to_float(&int);
                if converted.overflow_possible && converted.float.is_some() {
                    self.may_raise_class("OverflowError");
                }
                converted.float
            }
        })
    }

    fn int_arithmetic(&mut self, op: BinaryOp, a: &V, b: &V, x: &Int, y: &Int, why: Why) -> R<V> {
        let expression = |m: &Self| format!("{} {} {}", m.describe(a), symbol(op), m.describe(b));
        match op {
            BinaryOp::Add => Ok(V::int(x.add(y), why)),
            BinaryOp::Sub => Ok(V::int(x.sub(y), why)),
            BinaryOp::Mul => {
                let result = x.mul(y);
                let text = expression(self);
                self.check_integer(FactKind::IntegerProduct, "*", text, (result.bits_low, result.bits_high));
                Ok(V::int(result, why))
            }
            BinaryOp::TrueDiv => {
                let d = convert::int_truediv(x, y);
                let zero_certain = y.is_exact() == Some(0);
                if zero_certain {
                    return Err(Stop::Raise(V::exception("ZeroDivisionError")));
                }
                if d.zero_possible {
                    self.may_raise_class("ZeroDivisionError");
                }
                match d.float {
                    None => Err(Stop::Raise(V::exception("OverflowError"))),
                    Some(f) => {
                        if d.overflow_possible {
                            self.may_raise_class("OverflowError");
                        }
                        Ok(V::float(f, why))
                    }
                }
            }
            BinaryOp::FloorDiv | BinaryOp::Mod => {
                let d = if op == BinaryOp::Mod { x.modulo(y) } else { x.floor_div(y) };
                if d.zero_certain {
                    return Err(Stop::Raise(V::exception("ZeroDivisionError")));
                }
                if d.zero_possible {
                    self.may_raise_class("ZeroDivisionError");
                }
                let mut int = d.int.unwrap_or(Int::ANY);
                if op == BinaryOp::Mod && int.may_be_zero() && !self.may_divide(x, y)? {
                    int = int.refine(Comparison::Ne, &Int::ZERO).unwrap_or(int);
                }
                Ok(V::int(int, why))
            }
            BinaryOp::Pow => {
                let p = x.pow(y);
                if let Some(int) = p.int {
                    let text = expression(self);
                    // What it would be as an integer counts only when the exponent cannot be negative.
                    let bits = if p.float_possible { (0, int.bits_high) } else { (int.bits_low, int.bits_high) };
                    self.check_integer(FactKind::IntegerPower, "**", text, bits);
                } else {
                    self.mark_guard(GuardState::Safe);
                }
                if p.zero_division_possible {
                    if p.int.is_none() && x.is_zero() {
                        return Err(Stop::Raise(V::exception("ZeroDivisionError")));
                    }
                    self.may_raise_class("ZeroDivisionError");
                }
                let mut out = p.int.map(|int| V::int(int, why));
                if p.float_possible {
                    let (base, exponent) = (convert::int_to_float(x), convert::int_to_float(y));
                    if base.overflow_possible || exponent.overflow_possible {
                        self.may_raise_class("OverflowError");
                    }
                    let float = match (base.float, exponent.float, x.is_exact(), y.is_exact()) {
                        (Some(f), Some(g), Some(_), Some(_)) => {
                            let power = float_math::pow(&f, &g);
                            if power.zero_division_possible {
                                self.may_raise_class("ZeroDivisionError");
                            }
                            if power.overflow_possible {
                                self.may_raise_class("OverflowError");
                            }
                            power.float.map_or(V::any_float(why), |f| V::float(f, why))
                        }
                        (None, ..) | (_, None, ..) if out.is_none() => return Err(Stop::Raise(V::exception("OverflowError"))),
                        _ => {
                            self.may_raise_class("OverflowError");
                            V::any_float(why)
                        }
                    };
                    out = Some(match out {
                        None => float,
                        Some(int) => self.store.join_values(&int, &float, false),
                    });
                }
                Ok(out.unwrap_or(V::Unknown(why)))
            }
            BinaryOp::LShift => {
                let s = x.shl(y);
                self.check_shift(&s)?;
                let int = s.int.unwrap_or(Int::ANY);
                let text = expression(self);
                self.check_integer(FactKind::IntegerShift, "<<", text, (int.bits_low, int.bits_high));
                Ok(V::int(int, why))
            }
            BinaryOp::RShift => {
                let s = x.shr(y);
                self.check_shift(&s)?;
                Ok(V::int(s.int.unwrap_or(Int::ANY), why))
            }
            BinaryOp::BitAnd | BinaryOp::BitOr | BinaryOp::BitXor => {
                let both_bool = matches!(a, V::Bool(_) | V::AnyBool(_)) && matches!(b, V::Bool(_) | V::AnyBool(_));
                let result = match op {
                    BinaryOp::BitAnd => x.bit_and(y),
                    BinaryOp::BitOr => x.bit_or(y),
                    _ => x.bit_xor(y),
                };
                if both_bool {
                    return Ok(V::boolean(result.is_exact().map(|n| n != 0), why));
                }
                Ok(V::int(result, why))
            }
            BinaryOp::MatMul => type_error(),
        }
    }

    /// What a shift raises, for certain or perhaps.
    fn check_shift(&mut self, shift: &crate::value::int::Shift) -> R<()> {
        if shift.negative_certain {
            return Err(Stop::Raise(V::exception("ValueError")));
        }
        if shift.negative_possible {
            self.may_raise_class("ValueError");
        }
        if shift.overflow_certain {
            return Err(Stop::Raise(V::exception("OverflowError")));
        }
        if shift.overflow_possible {
            self.may_raise_class("OverflowError");
        }
        Ok(())
    }

    /// `a + b` of sequences.
    fn concatenate(&mut self, a: &V, b: &V, inplace: bool) -> R<V> {
        match (a, b) {
            (V::Str(x), V::Str(y)) if x.len() + y.len() <= MAX_EXACT_TEXT => {
                self.burn((x.len() + y.len()) as u64 / 64)?;
                let mut out = String::with_capacity(x.len() + y.len());
                out.push_str(x);
                out.push_str(y);
                return Ok(V::Str(out.into()));
            }
            (V::Bytes(x), V::Bytes(y)) if x.len() + y.len() <= MAX_EXACT_TEXT => {
                self.burn((x.len() + y.len()) as u64 / 64)?;
                return Ok(V::Bytes([&**x, &**y].concat().into()));
            }
            _ => {}
        }
        let is_str = |v: &V| matches!(v, V::Str(_) | V::Strs(_));
        let is_bytes = |v: &V| matches!(v, V::Bytes(_) | V::ManyBytes(_));
        if (is_str(a) && is_str(b)) || (is_bytes(a) && is_bytes(b)) {
            let (Some(x), Some(y)) = (text_of(a), text_of(b)) else { return type_error() };
            let why = Why::of_all(a.why().into_iter().chain(b.why())).unwrap_or(Why::Lost);
            let text = Text {
                digits: x.digits.then(y.digits),
                made: Made::join(a, b),
                ..Text::between(x.low.saturating_add(y.low), x.high.saturating_add(y.high), why)
            };
            if text.low >= SIZE_LIMIT as u64 {
                return Err(Stop::Raise(V::OneOf(Rc::new([V::exception("MemoryError"), V::exception("OverflowError")]))));
            }
            self.joined(x.low.max(y.low), text.low, text.high);
            return Ok(if is_str(a) { V::Strs(text) } else { V::ManyBytes(text) });
        }
        if let (V::Tuple(x), V::Tuple(y)) = (a, b) {
            return match (&**x, &**y) {
                (Tuple::Exact(p), Tuple::Exact(q)) => {
                    self.burn((p.len() + q.len()) as u64 / 16)?;
                    let items: Vec<V> = p.iter().chain(q).cloned().collect();
                    Ok(self.make_tuple(items))
                }
                _ => {
                    let (e, l1, h1) = self.bounds_of(a);
                    let (f, l2, h2) = self.bounds_of(b);
                    let element = match (e, f) {
                        (Some(e), Some(f)) => self.store.join_values(&e, &f, false),
                        (Some(e), None) | (None, Some(e)) => e,
                        (None, None) => V::None,
                    };
                    let (low, high) = (l1.saturating_add(l2), h1.saturating_add(h2));
                    self.joined(l1.max(l2).saturating_mul(POINTER), low.saturating_mul(POINTER), high.saturating_mul(POINTER));
                    Ok(V::tuple_bag(element, low, high))
                }
            };
        }
        if let Some(Obj::List(x)) = self.obj(a) {
            if inplace {
                let list = a.clone();
                self.extend(&list, b)?;
                return Ok(list);
            }
            let x = x.clone();
            let Some(Obj::List(y)) = self.obj(b) else {
                return if self.is_opaque(b) { Ok(self.opaque_binary(a, b)) } else { type_error() };
            };
            let y = y.clone();
            self.burn((x.exact.len() + y.exact.len()) as u64 / 16)?;
            let mut items = (*x).clone();
            let mut escapes = Vec::new();
            concat(&mut items, &y, &mut escapes);
            self.store.escape_all(&escapes);
            let (low, high) = crate::library::count(&items);
            let longer = crate::library::count(&x).0.max(crate::library::count(&y).0);
            self.joined(longer.saturating_mul(POINTER), low.saturating_mul(POINTER), high.saturating_mul(POINTER));
            return Ok(self.alloc(Obj::List(Rc::new(items))));
        }
        self.other_binary(a, b)
    }

    /// `a + b` of sequences takes so many bytes. An operand that was too large by itself has been reported where it was made.
    fn joined(&mut self, larger: u64, low: u64, high: u64) {
        if larger <= self.settings.limits.memory {
            allocates(self, FactKind::Repetition, "+", low, high);
        }
    }

    /// `sequence * n`.
    fn repeat(&mut self, sequence: &V, n: &Int, why_n: Option<Why>, inplace: bool) -> R<V> {
        let why = Why::of_all(sequence.why().into_iter().chain(why_n)).unwrap_or(Why::Lost);
        let times = |k: Option<i128>| k.map_or(u64::MAX, |k| u64::try_from(k.max(0)).unwrap_or(u64::MAX));
        let (mut low, mut high) = (u64::try_from(n.low.max(0)).unwrap_or(u64::MAX), times(n.upper()));
        let element_size = match sequence {
            V::Str(_) | V::Strs(_) | V::Bytes(_) | V::ManyBytes(_) => 1u64,
            _ => 8,
        };
        let (_, l, h) = match sequence {
            V::Str(_) | V::Strs(_) | V::Bytes(_) | V::ManyBytes(_) => {
                let t = text_of(sequence).unwrap_or(Text::between(0, u64::MAX, why));
                (None, t.low, t.high)
            }
            V::Tuple(_) => self.bounds_of(sequence),
            V::Ref(id) => match self.store.get(*id) {
                Obj::List(_) => self.bounds_of(sequence),
                _ => return self.other_binary(sequence, &V::Int(1)),
            },
            _ => return type_error(),
        };
        let total_low = u128::from(l) * u128::from(low);
        let total_high = if l == 0 && h == 0 { 0 } else { u128::from(h).saturating_mul(u128::from(high)) };
        // Beyond what a size can hold it raises at once: MemoryError for lists, OverflowError for a count that does not fit.
        if n.low >= SIZE_LIMIT {
            return Err(Stop::Raise(V::exception("OverflowError")));
        }
        if total_low * u128::from(element_size) >= SIZE_LIMIT as u128 {
            return Err(Stop::Raise(V::OneOf(Rc::new([V::exception("MemoryError"), V::exception("OverflowError")]))));
        }
        if n.upper().is_none_or(|k| k >= SIZE_LIMIT) {
            self.may_raise_class("OverflowError");
        }
        if h == 0 {
            // Nothing stays nothing, however often it is repeated.
            (low, high) = (1, 1);
        }
        let memory = self.settings.limits.memory;
        let bytes_low = total_low * u128::from(element_size);
        if bytes_low > u128::from(memory) {
            let high = total_high.saturating_mul(u128::from(element_size));
            let measure =
                Measure { unit: Unit::Bytes, low: bytes_low as f64, high: if high > 1 << 64 { f64::INFINITY } else { high as f64 } };
            let words = [
                ("op", "*".to_owned()),
                ("expression", format!("{} * {}", self.describe(sequence), n.low)),
                ("bytes", bytes_low.to_string()),
            ];
            let survives = self.is_handled("MemoryError");
            self.report(FactKind::Repetition, None, Some(measure), if survives { Proof::Likely } else { Proof::Proven }, &words);
        }
        if total_high.saturating_mul(u128::from(element_size)) > u128::from(memory) {
            self.may_raise_class("MemoryError");
        }
        let (total_low, total_high) = (total_low as u64, u64::try_from(total_high).unwrap_or(u64::MAX));
        match sequence {
            V::Str(s) if low == high && (s.len() as u128) * u128::from(low) <= MAX_EXACT_TEXT as u128 => {
                self.burn(s.len() as u64 * low / 4)?;
                Ok(V::str(&s.repeat(low as usize)))
            }
            V::Bytes(s) if low == high && (s.len() as u128) * u128::from(low) <= MAX_EXACT_TEXT as u128 => {
                self.burn(s.len() as u64 * low / 4)?;
                Ok(V::bytes(&s.repeat(low as usize)))
            }
            V::Str(_) | V::Strs(_) | V::Bytes(_) | V::ManyBytes(_) => {
                let digits = text_of(sequence).map_or(Digits::No, |t| if total_low > 0 { t.digits } else { t.digits.part() });
                let made = if low == high { Made::of(sequence, low) } else { None };
                let text = Text { digits, made, ..Text::between(total_low, total_high, why) };
                Ok(if matches!(sequence, V::Str(_) | V::Strs(_)) { V::Strs(text) } else { V::ManyBytes(text) })
            }
            V::Tuple(t) => match &**t {
                Tuple::Exact(items) if low == high && total_high <= 4096 => {
                    self.burn(total_high * 2)?;
                    let items: Vec<V> = std::iter::repeat_n(items, low as usize).flatten().cloned().collect();
                    Ok(self.make_tuple(items))
                }
                _ => {
                    let (element, ..) = self.bounds_of(sequence);
                    Ok(V::tuple_bag(element.unwrap_or(V::None), total_low, total_high))
                }
            },
            V::Ref(id) => {
                let Obj::List(items) = self.store.get(*id).clone() else { return type_error() };
                let repeated = if low == high && items.rest.is_none() && total_high <= MAX_EXACT_ITEMS as u64 {
                    self.burn(total_high * 2)?;
                    Items { exact: std::iter::repeat_n(&items.exact, low as usize).flatten().cloned().collect(), rest: None }
                } else {
                    let (element, ..) = self.bounds_of(sequence);
                    bag_items(element.unwrap_or(V::None), total_low, total_high)
                };
                if inplace {
                    self.store.mutate(*id, true, |obj| *obj = Obj::List(Rc::new(repeated)));
                    return Ok(sequence.clone());
                }
                Ok(self.alloc(Obj::List(Rc::new(repeated))))
            }
            _ => type_error(),
        }
    }

    fn set_operation(&mut self, op: BinaryOp, a: &V, b: &V, inplace: bool) -> R<V> {
        if let (BinaryOp::BitOr, Some(Obj::Dict(x, DictKind::Plain)), Some(Obj::Dict(..))) = (op, self.obj(a), self.obj(b)) {
            let x = x.clone();
            let target = if inplace { a.clone() } else { self.alloc(Obj::Dict(x, DictKind::Plain)) };
            let update = V::lib("dict.update");
            self.call_value(&update, Args::of([target.clone(), b.clone()]))?;
            return Ok(target);
        }
        if matches!(self.obj(a), Some(Obj::View { .. })) || matches!(self.obj(b), Some(Obj::View { .. })) {
            // Views of keys and items count as sets; what comes out is a set.
            let mut sides = Vec::new();
            for side in [a, b] {
                match self.obj(side) {
                    Some(Obj::View { kind: IterKind::Keys | IterKind::Items, .. }) => {
                        sides.push(self.call_value(&V::lib("set"), Args::of([side.clone()]))?);
                    }
                    Some(Obj::Set(_, false)) => sides.push(side.clone()),
                    _ => return Ok(self.opaque_binary(a, b)),
                }
            }
            return self.set_operation(op, &sides[0], &sides[1], false);
        }
        let (Some(Obj::Set(..)), Some(Obj::Set(..))) = (self.obj(a), self.obj(b)) else { return self.other_binary(a, b) };
        let name = match (op, inplace) {
            (BinaryOp::BitAnd, false) => "set.intersection",
            (BinaryOp::BitOr, false) => "set.union",
            (BinaryOp::BitXor, false) => "set.symmetric_difference",
            (BinaryOp::Sub, false) => "set.difference",
            (BinaryOp::BitAnd, true) => "set.intersection_update",
            (BinaryOp::BitOr, true) => "set.update",
            (BinaryOp::BitXor, true) => "set.symmetric_difference_update",
            _ => "set.difference_update",
        };
        let method = V::lib(name);
        let value = self.call_value(&method, Args::of([a.clone(), b.clone()]))?;
        Ok(if inplace { a.clone() } else { value })
    }

    pub fn why_truth(&self, v: &V) -> Why {
        v.why().unwrap_or(Why::Lost)
    }

    /// `bool(value)`, when known.
    pub fn truth_value(&mut self, value: &V) -> R<Option<bool>> {
        Ok(match value {
            V::None => Some(false),
            V::Bool(b) => Some(*b),
            V::Int(n) => Some(*n != 0),
            V::Ints(r) => r.0.truth(),
            V::Float(f) => Some(*f != 0.0),
            V::Floats(r) => r.0.truth(),
            V::Str(s) => Some(!s.is_empty()),
            V::Bytes(b) => Some(!b.is_empty()),
            V::Strs(t) | V::ManyBytes(t) => {
                if t.low > 0 {
                    Some(true)
                } else if t.high == 0 {
                    Some(false)
                } else {
                    None
                }
            }
            V::Tuple(t) => match &**t {
                Tuple::Exact(items) => Some(!items.is_empty()),
                Tuple::Bag { low, .. } => (*low > 0).then_some(true),
            },
            V::Range(parts) => match (parts[0].exact_int(), parts[1].exact_int(), parts[2].exact_int()) {
                (Some(a), Some(b), Some(s)) => Some(range_length(a, b, s) > 0),
                _ => None,
            },
            V::Ellipsis | V::Module(_) | V::Slice(_) | V::Exc(_) | V::NotImplemented => Some(true),
            V::Lib(name) => self.entry(*name).map(|_| true),
            V::AnyBool(_) | V::Complex(_) => None,
            V::OneOf(all) => {
                let all = all.clone();
                let mut out: Option<Option<bool>> = None;
                for v in all.iter() {
                    let t = self.truth_value(v)?;
                    out = Some(match out {
                        None => t,
                        Some(o) if o == t => o,
                        Some(_) => None,
                    });
                }
                out.flatten()
            }
            V::Ref(id) => match self.store.get(*id) {
                Obj::List(items) | Obj::Deque(items, _) => {
                    let (low, high) = crate::library::count(items);
                    if low > 0 {
                        Some(true)
                    } else if high == 0 {
                        Some(false)
                    } else {
                        None
                    }
                }
                Obj::Dict(t, _) | Obj::Set(t, _) => {
                    if !t.exact.is_empty() || t.rest.as_ref().is_some_and(|r| r.low > 0) {
                        Some(true)
                    } else if t.rest.as_ref().is_none_or(|r| r.high == 0) {
                        Some(false)
                    } else {
                        None
                    }
                }
                Obj::ByteArray(t) => {
                    if t.low > 0 {
                        Some(true)
                    } else if t.high == 0 {
                        Some(false)
                    } else {
                        None
                    }
                }
                Obj::View { of, .. } => {
                    let of = of.clone();
                    return self.truth_value(&of);
                }
                Obj::Instance { .. } => return self.truth_of_instance(value),
                Obj::Escaped(_) => {
                    self.may_raise_class("");
                    None
                }
                Obj::Class(c) if c.open => None,
                Obj::Hole | Obj::Cell(_) => None,
                _ => Some(true),
            },
            V::Unknown(_) | V::Instance(..) => {
                self.may_raise_class("");
                None
            }
            V::Undef | V::Null | V::Token(_) => None,
        })
    }

    fn truth_of_instance(&mut self, value: &V) -> R<Option<bool>> {
        if let Some(known) = crate::library::modules::truth(self, value) {
            return Ok(Some(known));
        }
        if self.open_instance(value) {
            self.unknown_effect(std::slice::from_ref(value));
            return Ok(None);
        }
        if let Some(method) = self.dunder(value, "__bool__") {
            let v = self.call_value(&method, Args::of([value.clone()]))?;
            return Ok(match v {
                V::Bool(b) => Some(b),
                V::AnyBool(_) => None,
                _ => {
                    self.may_raise_class("TypeError");
                    None
                }
            });
        }
        if let Some(method) = self.dunder(value, "__len__") {
            let v = self.call_value(&method, Args::of([value.clone()]))?;
            return Ok(v.as_int().and_then(|n| n.truth()));
        }
        Ok(Some(true))
    }

    pub fn compare_values(&mut self, op: CompareOp, a: &V, b: &V) -> R<V> {
        if let (V::Int(x), V::Int(y)) = (a, b) {
            let known = match op {
                CompareOp::Lt => Some(x < y),
                CompareOp::Le => Some(x <= y),
                CompareOp::Eq => Some(x == y),
                CompareOp::Ne => Some(x != y),
                CompareOp::Gt => Some(x > y),
                CompareOp::Ge => Some(x >= y),
                _ => None,
            };
            if let Some(k) = known {
                return Ok(V::Bool(k));
            }
        }
        match op {
            CompareOp::Is | CompareOp::IsNot => {
                let same = self.identical(a, b);
                let negate = op == CompareOp::IsNot;
                let why = Why::of_all(a.why().into_iter().chain(b.why())).unwrap_or(Why::Lost);
                return Ok(V::boolean(same.map(|s| s != negate), why));
            }
            CompareOp::In | CompareOp::NotIn => {
                let value = self.contains(b, a)?;
                if op == CompareOp::In {
                    return Ok(value);
                }
                return self.unary(crate::syntax::code::UnaryOp::Not, &value);
            }
            _ => {}
        }
        if let (V::OneOf(_), _) | (_, V::OneOf(_)) = (a, b) {
            let (left, right) = (a.alternatives().to_vec(), b.alternatives().to_vec());
            if left.len() * right.len() > 16 {
                return Ok(self.opaque_binary(a, b));
            }
            return self.each(&left, |m, x| {
                if right.len() == 1 { m.compare_values(op, x, &right[0]) } else { m.each(&right, |m, y| m.compare_values(op, x, y)) }
            });
        }
        let Some(c) = comparison(op) else { return type_error() };
        let why = Why::of_all(a.why().into_iter().chain(b.why())).unwrap_or(Why::Lost);
        if a.is_number() && b.is_number() {
            let known = match (a.as_int(), b.as_int()) {
                (Some(x), Some(y)) => x.compare(&y, c),
                (Some(x), None) => convert::compare_int_float(&x, &self.float_of(b), c),
                (None, Some(y)) => convert::compare_int_float(&y, &self.float_of(a), c.swapped()),
                (None, None) => self.float_of(a).compare(&self.float_of(b), c),
            };
            return Ok(V::boolean(known, why));
        }
        if matches!(self.obj(a), Some(Obj::Instance { .. })) || matches!(self.obj(b), Some(Obj::Instance { .. })) {
            return self.compare_instances(op, a, b);
        }
        if self.is_opaque(a) || self.is_opaque(b) {
            self.may_raise_class("");
            return Ok(V::Unknown(why));
        }
        if matches!(self.obj(a), Some(Obj::View { .. })) || matches!(self.obj(b), Some(Obj::View { .. })) {
            self.may_raise_class("");
            return Ok(V::AnyBool(Why::Lost));
        }
        match self.ordering(a, b, c)? {
            Some(known) => Ok(V::boolean(known, why)),
            None if matches!(c, Comparison::Eq | Comparison::Ne) => Ok(V::AnyBool(why)),
            None => {
                self.may_raise_class("TypeError");
                Ok(V::AnyBool(why))
            }
        }
    }

    fn float_of(&self, v: &V) -> Float {
        match v {
            V::Float(f) => Float::exact(*f),
            V::Floats(r) => r.0,
            _ => Float::ANY,
        }
    }

    /// Compares values of builtin types that are not numbers: `None` when nothing is known, `Some(None)` when the
    /// comparison works but its outcome is open.
    fn ordering(&mut self, a: &V, b: &V, c: Comparison) -> R<Option<Option<bool>>> {
        let equality = matches!(c, Comparison::Eq | Comparison::Ne);
        let of = |o: std::cmp::Ordering| match c {
            Comparison::Lt => o.is_lt(),
            Comparison::Le => o.is_le(),
            Comparison::Eq => o.is_eq(),
            Comparison::Ne => o.is_ne(),
            Comparison::Gt => o.is_gt(),
            Comparison::Ge => o.is_ge(),
        };
        match (a, b) {
            (V::Str(x), V::Str(y)) => return Ok(Some(Some(of(x.chars().cmp(y.chars()))))),
            (V::Bytes(x), V::Bytes(y)) => return Ok(Some(Some(of(x.cmp(y))))),
            (V::Strs(_) | V::Str(_), V::Strs(_) | V::Str(_)) | (V::ManyBytes(_) | V::Bytes(_), V::ManyBytes(_) | V::Bytes(_)) => {
                if equality
                    && let (Some(x), Some(y)) = (text_of(a), text_of(b))
                    && (x.high < y.low || y.high < x.low)
                {
                    return Ok(Some(Some(c == Comparison::Ne)));
                }
                return Ok(Some(None));
            }
            (V::None | V::Ellipsis, V::None | V::Ellipsis) if equality => return Ok(Some(Some((a == b) == (c == Comparison::Eq)))),
            (V::Tuple(x), V::Tuple(y)) => {
                if let (Tuple::Exact(p), Tuple::Exact(q)) = (&**x, &**y) {
                    let (p, q) = (p.clone(), q.clone());
                    return self.compare_sequences(&p, &q, c).map(Some);
                }
                return Ok(Some(None));
            }
            (V::Lib(x), V::Lib(y)) if equality => return Ok(if x == y { Some(Some(c == Comparison::Eq)) } else { Some(None) }),
            (V::Range(x), V::Range(y)) if equality => {
                return Ok(if x == y && a.is_exact() { Some(Some(c == Comparison::Eq)) } else { Some(None) });
            }
            (V::Exc(_), _) | (_, V::Exc(_)) if equality => return Ok(Some(None)),
            _ => {}
        }
        let (x, y) = (self.obj(a).cloned(), self.obj(b).cloned());
        match (&x, &y) {
            (Some(Obj::List(p)), Some(Obj::List(q))) => {
                if p.rest.is_none() && q.rest.is_none() {
                    let (p, q) = (p.exact.clone(), q.exact.clone());
                    return self.compare_sequences(&p, &q, c).map(Some);
                }
                let ((l1, h1), (l2, h2)) = (crate::library::count(p), crate::library::count(q));
                if equality && (h1 < l2 || h2 < l1) {
                    return Ok(Some(Some(c == Comparison::Ne)));
                }
                return Ok(Some(None));
            }
            // Between these the order counts.
            (Some(Obj::Dict(_, DictKind::Ordered)), Some(Obj::Dict(_, DictKind::Ordered))) if equality => return Ok(Some(None)),
            (Some(Obj::Dict(p, _)), Some(Obj::Dict(q, _))) if equality => {
                if p.rest.is_none() && q.rest.is_none() {
                    return self.compare_tables(p, q, c == Comparison::Eq).map(Some);
                }
                return Ok(Some(None));
            }
            (Some(Obj::Set(p, _)), Some(Obj::Set(q, _))) => {
                if p.rest.is_none() && q.rest.is_none() {
                    let sub = p.exact.keys().all(|k| q.exact.contains_key(k));
                    let sup = q.exact.keys().all(|k| p.exact.contains_key(k));
                    let known = match c {
                        Comparison::Eq => sub && sup,
                        Comparison::Ne => !(sub && sup),
                        Comparison::Le => sub,
                        Comparison::Lt => sub && !sup,
                        Comparison::Ge => sup,
                        Comparison::Gt => sup && !sub,
                    };
                    return Ok(Some(Some(known)));
                }
                return Ok(Some(None));
            }
            _ => {}
        }
        if equality {
            // Values of unrelated builtin types are never equal; the same object always is.
            if a == b && matches!(a, V::Ref(_)) {
                return Ok(Some(Some(c == Comparison::Eq)));
            }
            let kind = |m: &mut Self, v: &V| -> Option<u8> {
                Some(match v {
                    V::None => 0,
                    V::Int(_) | V::Ints(_) | V::Bool(_) | V::AnyBool(_) | V::Float(_) | V::Floats(_) | V::Complex(_) => 1,
                    V::Str(_) | V::Strs(_) => 2,
                    V::Bytes(_) | V::ManyBytes(_) => 3,
                    V::Tuple(_) => 4,
                    V::Range(_) => 5,
                    V::Ellipsis => 6,
                    V::Ref(id) => match m.store.get(*id) {
                        Obj::List(_) => 7,
                        Obj::Dict(..) => 8,
                        Obj::Set(..) => 9,
                        Obj::Function(_) => 10,
                        _ => return None,
                    },
                    _ => return None,
                })
            };
            if let (Some(x), Some(y)) = (kind(self, a), kind(self, b))
                && x != y
            {
                return Ok(Some(Some(c == Comparison::Ne)));
            }
            return Ok(Some(None));
        }
        let typed = |v: &V| v.type_name().is_some() || matches!(v, V::Ref(_));
        if typed(a) && typed(b) {
            let known =
                |m: &Self, v: &V| v.type_name().is_some() || matches!(m.obj(v), Some(Obj::List(_) | Obj::Dict(..) | Obj::Function(_)));
            if known(self, a) && known(self, b) {
                return Err(Stop::Raise(V::exception("TypeError")));
            }
        }
        Ok(None)
    }

    fn compare_sequences(&mut self, p: &[V], q: &[V], c: Comparison) -> R<Option<bool>> {
        let equality = matches!(c, Comparison::Eq | Comparison::Ne);
        if equality && p.len() != q.len() {
            return Ok(Some(c == Comparison::Ne));
        }
        self.nesting += 1;
        if self.nesting > 60 {
            self.nesting -= 1;
            self.may_raise_class("RecursionError");
            return Ok(None);
        }
        let mut result = None;
        let mut open = false;
        for (x, y) in p.iter().zip(q) {
            if self.fuel == 0 {
                open = true;
                break;
            }
            self.fuel -= 1;
            if x == y && matches!(x, V::Ref(_)) {
                continue;
            }
            let same = self.compare_values(CompareOp::Eq, x, y);
            let same = match same.and_then(|s| self.truth_value(&s)) {
                Ok(s) => s,
                Err(e) => {
                    self.nesting -= 1;
                    return Err(e);
                }
            };
            match same {
                Some(true) => {}
                Some(false) if !open => {
                    result = Some((x.clone(), y.clone()));
                    break;
                }
                Some(false) if equality => {
                    self.nesting -= 1;
                    return Ok(Some(c == Comparison::Ne));
                }
                _ => open = true,
            }
        }
        self.nesting -= 1;
        if open {
            return Ok(None);
        }
        match result {
            None => Ok(Some(match c {
                Comparison::Lt => p.len() < q.len(),
                Comparison::Le => p.len() <= q.len(),
                Comparison::Eq => true,
                Comparison::Ne => false,
                Comparison::Gt => p.len() > q.len(),
                Comparison::Ge => p.len() >= q.len(),
            })),
            Some(_) if equality => Ok(Some(c == Comparison::Ne)),
            Some((x, y)) => {
                let op = match c {
                    Comparison::Lt => CompareOp::Lt,
                    Comparison::Le => CompareOp::Le,
                    Comparison::Gt => CompareOp::Gt,
                    _ => CompareOp::Ge,
                };
                let v = self.compare_values(op, &x, &y)?;
                self.truth_value(&v)
            }
        }
    }

    fn compare_tables(&mut self, p: &Table, q: &Table, equal: bool) -> R<Option<bool>> {
        if p.exact.len() != q.exact.len() || !p.exact.keys().all(|k| q.exact.contains_key(k)) {
            return Ok(Some(!equal));
        }
        let pairs: Vec<(V, V)> = p.exact.iter().filter_map(|(k, (_, v))| q.exact.get(k).map(|(_, w)| (v.clone(), w.clone()))).collect();
        let (x, y): (Vec<V>, Vec<V>) = pairs.into_iter().unzip();
        self.compare_sequences(&x, &y, if equal { Comparison::Eq } else { Comparison::Ne })
    }

    fn compare_instances(&mut self, op: CompareOp, a: &V, b: &V) -> R<V> {
        if let Some(known) = crate::library::modules::compared(self, op, a, b)? {
            return Ok(known);
        }
        for v in [a, b] {
            if matches!(self.obj(v), Some(Obj::Instance { .. })) && self.open_instance(v) {
                return Ok(self.unknown_effect(&[a.clone(), b.clone()]));
            }
        }
        let (forward, reflected) = match op {
            CompareOp::Lt => ("__lt__", "__gt__"),
            CompareOp::Le => ("__le__", "__ge__"),
            CompareOp::Gt => ("__gt__", "__lt__"),
            CompareOp::Ge => ("__ge__", "__le__"),
            CompareOp::Ne => ("__ne__", "__ne__"),
            _ => ("__eq__", "__eq__"),
        };
        let mut tries = Vec::new();
        if let Some(m) = self.dunder(a, forward) {
            tries.push((m, [a.clone(), b.clone()], false));
        } else if op == CompareOp::Ne
            && let Some(m) = self.dunder(a, "__eq__")
        {
            tries.push((m, [a.clone(), b.clone()], true));
        }
        if let Some(m) = self.dunder(b, reflected) {
            tries.push((m, [b.clone(), a.clone()], false));
        } else if op == CompareOp::Ne
            && let Some(m) = self.dunder(b, "__eq__")
        {
            tries.push((m, [b.clone(), a.clone()], true));
        }
        if self.is_opaque(a) || self.is_opaque(b) {
            return Ok(self.unknown_effect(&[a.clone(), b.clone()]));
        }
        for (method, args, negate) in tries {
            let value = self.call_value(&method, Args::of(args))?;
            match &value {
                V::NotImplemented => continue,
                V::OneOf(all) if all.contains(&V::NotImplemented) => return Ok(V::AnyBool(Why::Lost)),
                _ => {}
            }
            return if negate { self.unary(crate::syntax::code::UnaryOp::Not, &value) } else { Ok(value) };
        }
        match op {
            CompareOp::Eq | CompareOp::Ne => {
                let exception = |m: &Self, v: &V| {
                    match m.obj(v) {
                    Some(Obj::Instance { class, .. }) => {
                        m.class(class).is_some_and(|c| c.mro.iter().any(|b| {
                            matches!(b, V::Lib(n) if !matches!(&*n.text(), "object" | "enum.Enum" | "abc.ABC" | "typing.Generic" | "typing.Protocol"))
                        }))
                    }
                    _ => false,
                }
                };
                if exception(self, a) || exception(self, b) {
                    return Ok(V::AnyBool(Why::Lost));
                }
                match self.identical(a, b) {
                    Some(same) => Ok(V::Bool(same == (op == CompareOp::Eq))),
                    None => Ok(V::AnyBool(Why::Lost)),
                }
            }
            _ => type_error(),
        }
    }

    /// Whether two values are the same object, when known.
    fn identical(&self, a: &V, b: &V) -> Option<bool> {
        let singleton = |v: &V| matches!(v, V::None | V::Bool(_) | V::Ellipsis | V::NotImplemented);
        match (a, b) {
            (V::Unknown(_) | V::Instance(..), _) | (_, V::Unknown(_) | V::Instance(..)) => None,
            (V::OneOf(all), other) | (other, V::OneOf(all)) => {
                let answers: Vec<Option<bool>> = all.iter().map(|v| self.identical(v, other)).collect();
                if answers.iter().all(|x| *x == answers[0]) { answers[0] } else { None }
            }
            (V::Ref(x), V::Ref(y)) => {
                if x != y {
                    // Two names of the evaluator's for what may have become one object outside.
                    let escaped = |id: &ObjId| matches!(self.store.get(*id), Obj::Escaped(_));
                    return (!escaped(x) && !escaped(y)).then_some(false);
                }
                (!self.store.is_summary(*x)).then_some(true)
            }
            (V::Ref(id), _) | (_, V::Ref(id)) if matches!(self.store.get(*id), Obj::Escaped(_)) => None,
            (V::Ref(_), other) | (other, V::Ref(_)) => {
                (singleton(other) || other.type_name().is_some() || matches!(other, V::Lib(_))).then_some(false)
            }
            (x, y) if singleton(x) && singleton(y) => Some(x == y),
            (V::AnyBool(_), V::Bool(_)) | (V::Bool(_), V::AnyBool(_)) | (V::AnyBool(_), V::AnyBool(_)) => None,
            (V::Lib(x), V::Lib(y)) => (x == y).then_some(true),
            (V::Module(x), V::Module(y)) => Some(x == y),
            (x, y) if singleton(x) || singleton(y) => {
                let other = if singleton(x) { y } else { x };
                match other {
                    V::Lib(_) => None,
                    _ => other.type_name().map(|_| false).or(matches!(other, V::Exc(_)).then_some(false)),
                }
            }
            (x, y) => match (x.type_name(), y.type_name()) {
                (Some(p), Some(q)) if p != q => Some(false),
                _ => None,
            },
        }
    }

    /// `value in container`.
    pub fn contains(&mut self, container: &V, value: &V) -> R<V> {
        match container {
            V::OneOf(all) => {
                let all = all.clone();
                return self.each(&all, |m, c| m.contains(c, value));
            }
            V::Str(s) => {
                return match value {
                    V::Str(t) => {
                        self.burn(s.len() as u64 / 32)?;
                        Ok(V::Bool(s.contains(&**t)))
                    }
                    V::Strs(t) => Ok(if t.low > s.chars().count() as u64 { V::Bool(false) } else { V::AnyBool(t.why) }),
                    V::OneOf(all) => {
                        let all = all.clone();
                        self.each(&all, |m, v| m.contains(container, v))
                    }
                    v if self.is_opaque(v) => {
                        self.may_raise_class("TypeError");
                        Ok(V::AnyBool(v.why().unwrap_or(Why::Lost)))
                    }
                    _ => type_error(),
                };
            }
            V::Strs(t) => {
                if !matches!(value, V::Str(_) | V::Strs(_)) {
                    self.may_raise_class("TypeError");
                }
                return Ok(V::AnyBool(t.why));
            }
            V::Range(parts) => {
                if let (Some(v), Some(start), Some(stop), Some(step)) =
                    (value.as_int(), parts[0].exact_int(), parts[1].exact_int(), parts[2].exact_int())
                    && step != 0
                {
                    let n = range_length(start, stop, step);
                    if n == 0 {
                        return Ok(V::Bool(false));
                    }
                    let last = start.saturating_add(((n - 1) as i128).saturating_mul(step));
                    let (low, high) = (start.min(last), start.max(last));
                    if let Some(v) = v.is_exact() {
                        return Ok(V::Bool(v >= low && v <= high && v.wrapping_sub(start) % step == 0));
                    }
                    if v.low > high || v.high < low {
                        return Ok(V::Bool(false));
                    }
                }
                return Ok(V::AnyBool(crate::library::why(&[container, value])));
            }
            V::Tuple(t) => {
                let items = match &**t {
                    Tuple::Exact(items) => Items { exact: items.clone(), rest: None },
                    Tuple::Bag { element, low, high } => bag_items(element.clone(), *low, *high),
                };
                return self.contains_item(&items, value);
            }
            V::Ref(id) => match self.store.get(*id).clone() {
                Obj::List(items) | Obj::Deque(items, _) => return self.contains_item(&items, value),
                Obj::Dict(table, _) | Obj::Set(table, _) => {
                    if let V::OneOf(all) = value {
                        let all = all.clone();
                        return self.each(&all, |m, v| m.contains(container, v));
                    }
                    if !value.is_exact()
                        && let Some(keys) = Key::all_of(value)
                    {
                        let held = keys.iter().filter(|key| table.exact.contains_key(*key)).count();
                        if held == keys.len() || held == 0 && table.rest.is_none() {
                            return Ok(V::Bool(held > 0));
                        }
                    }
                    return match self.key_of(value)? {
                        Some(key) if table.exact.contains_key(&key) => Ok(V::Bool(true)),
                        Some(_) if table.rest.is_none() => Ok(V::Bool(false)),
                        _ if table.exact.is_empty() && table.rest.is_none() => Ok(V::Bool(false)),
                        _ => Ok(V::AnyBool(value.why().unwrap_or(Why::Lost))),
                    };
                }
                Obj::Instance { .. } => {
                    if !self.open_instance(container)
                        && let Some(method) = self.dunder(container, "__contains__")
                    {
                        let v = self.call_value(&method, Args::of([container.clone(), value.clone()]))?;
                        let t = self.truth_value(&v)?;
                        return Ok(V::boolean(t, v.why().unwrap_or(Why::Lost)));
                    }
                    return Ok(self.unknown_effect(&[container.clone(), value.clone()]));
                }
                Obj::View { of, kind: IterKind::Keys } => return self.contains(&of, value),
                Obj::View { .. } => {
                    let taken = self.take_value(container)?;
                    return self.contains_item(&taken.items, value);
                }
                Obj::Iter(_) | Obj::Generator(_) => {
                    let (container, value) = (container.clone(), value.clone());
                    return self.contains_in_iterator(&container, &value);
                }
                _ => {}
            },
            _ => {}
        }
        if self.is_opaque(container) || matches!(container, V::Bytes(_) | V::ManyBytes(_) | V::Ref(_)) {
            return Ok(self.opaque_binary(container, value));
        }
        type_error()
    }

    fn contains_item(&mut self, items: &Items, value: &V) -> R<V> {
        let mut open = false;
        let mut why = Why::OUTSIDE;
        for item in &items.exact {
            self.burn(1)?;
            let is_one = match value {
                // One that stands for several need not be the same one.
                V::Ref(id) => !self.store.is_summary(*id),
                _ => matches!(value, V::None | V::Bool(_) | V::Str(_)),
            };
            if item == value && is_one {
                return Ok(V::Bool(true));
            }
            // Behind one that may have been it, this one may not be looked at.
            let same = if open {
                self.often(&[item.clone(), value.clone()], &mut |machine| machine.compare_values(CompareOp::Eq, item, value))?
            } else {
                self.compare_values(CompareOp::Eq, item, value)?
            };
            match self.truth_value(&same)? {
                Some(true) => return Ok(V::Bool(true)),
                Some(false) => {}
                None => {
                    why = why.or(same.why().unwrap_or(Why::Lost));
                    open = true;
                }
            }
        }
        if let Some(rest) = &items.rest {
            let both = [rest.element.clone(), value.clone()];
            let same = self.often(&both, &mut |machine| machine.compare_values(CompareOp::Eq, &rest.element, value))?;
            match self.truth_value(&same)? {
                Some(false) => {}
                Some(true) if rest.low > 0 => return Ok(V::Bool(true)),
                _ => {
                    why = why.with(same.why().unwrap_or(Why::Lost));
                    open = true;
                }
            }
        }
        Ok(if open { V::AnyBool(why) } else { V::Bool(false) })
    }

    /// The key of a value; an error when it cannot be hashed.
    pub fn key_of(&mut self, value: &V) -> R<Option<Key>> {
        match value {
            V::Ref(id) => match self.store.get(*id) {
                Obj::List(_) | Obj::Dict(..) | Obj::Set(_, false) | Obj::ByteArray(_) => type_error(),
                Obj::Set(_, true) => Ok(None),
                Obj::Instance { .. } => {
                    if let Some(as_key) = crate::library::modules::exact_key(self, value) {
                        return self.key_of(&as_key);
                    }
                    if self.open_instance(value) {
                        self.may_raise_class("");
                        return Ok(None);
                    }
                    if let Some(as_key) = crate::library::modules::key_instead(self, value)? {
                        return self.key_of(&as_key);
                    }
                    if self.dunder(value, "__eq__").is_some() || self.dunder(value, "__hash__").is_some() {
                        if matches!(self.dunder(value, "__hash__"), None | Some(V::None)) {
                            return type_error();
                        }
                        self.may_raise_class("");
                        return Ok(None);
                    }
                    Ok((!self.store.is_summary(*id)).then_some(Key::Obj(*id)))
                }
                Obj::Escaped(_) => {
                    self.may_raise_class("");
                    Ok(None)
                }
                _ => Ok((!self.store.is_summary(*id)).then_some(Key::Obj(*id))),
            },
            V::Tuple(t) => {
                if let Tuple::Exact(items) = &**t {
                    let items = items.clone();
                    let mut keys = Vec::new();
                    for item in &items {
                        match self.key_of(item)? {
                            Some(k) => keys.push(k),
                            None => return Ok(None),
                        }
                    }
                    return Ok(Some(Key::Tuple(keys.into())));
                }
                self.may_raise_class("TypeError");
                Ok(None)
            }
            V::Slice(_) => {
                self.may_raise_class("TypeError");
                Ok(None)
            }
            V::Unknown(_) | V::OneOf(_) | V::Instance(..) => {
                self.may_raise_class("TypeError");
                Ok(None)
            }
            v => Ok(Key::of(v)),
        }
    }

    /// Adds an entry to a table that is being built.
    pub fn table_insert(&mut self, table: &mut Table, key: &V, value: V) -> R<()> {
        let known = self.key_of(key)?;
        let mut escapes = Vec::new();
        table_add(table, known, key, value, &mut escapes);
        self.store.escape_all(&escapes);
        Ok(())
    }

    /// `container[key] = value` of a dict, or adding to a set.
    pub fn table_store(&mut self, container: &V, key: &V, value: V) -> R<()> {
        let keys = if key.is_exact() { None } else { Key::all_of(key) };
        let known = if keys.is_some() { None } else { self.key_of(key)? };
        let V::Ref(id) = container else {
            self.store.escape_all(&[key.clone(), value]);
            return Ok(());
        };
        if !matches!(self.store.get(*id), Obj::Dict(..) | Obj::Set(..)) {
            self.store.escape_all(&[key.clone(), value]);
            return Ok(());
        }
        let mut escapes = Vec::new();
        self.store.mutate(*id, true, |obj| {
            if let Obj::Dict(table, _) | Obj::Set(table, _) = obj {
                // All it may be are there: it is one of them that has another value.
                if let Some(keys) = &keys
                    && keys.iter().all(|key| table.exact.contains_key(key))
                {
                    let table = Rc::make_mut(table);
                    for key in keys {
                        if let Some((_, old)) = table.exact.get_mut(key) {
                            *old = join(old, &value, false, &mut escapes);
                        }
                    }
                    return;
                }
                table_add(Rc::make_mut(table), known, key, value, &mut escapes);
            }
        });
        self.store.escape_all(&escapes);
        Ok(())
    }

    /// `len(value)`.
    pub fn length_of(&mut self, value: &V) -> R<V> {
        let bounds = |low: u64, high: u64, why: Why| {
            V::int(Int::range(i128::from(low), if high == u64::MAX { i128::MAX } else { i128::from(high) }), why)
        };
        match value {
            V::OneOf(all) => {
                let all = all.clone();
                self.each(&all, Machine::length_of)
            }
            V::Str(_) | V::Bytes(_) | V::Strs(_) | V::ManyBytes(_) => {
                let t = text_of(value).unwrap_or(Text::between(0, u64::MAX, Why::Lost));
                Ok(bounds(t.low, t.high, t.why))
            }
            V::Tuple(_) => {
                let (_, low, high) = match value {
                    V::Tuple(t) => match &**t {
                        Tuple::Exact(items) => (None::<V>, items.len() as u64, items.len() as u64),
                        Tuple::Bag { low, high, .. } => (None, *low, *high),
                    },
                    _ => (None, 0, u64::MAX),
                };
                Ok(bounds(low, high, Why::Lost))
            }
            V::Range(parts) => match (parts[0].exact_int(), parts[1].exact_int(), parts[2].exact_int()) {
                (Some(a), Some(b), Some(s)) if s != 0 => {
                    let n = range_length(a, b, s);
                    if n >= SIZE_LIMIT as u128 { Err(Stop::Raise(V::exception("OverflowError"))) } else { Ok(V::Int(n as i128)) }
                }
                _ => {
                    self.may_raise_class("OverflowError");
                    Ok(V::any_size(crate::library::why(&[value])))
                }
            },
            V::Ref(id) => match self.store.get(*id) {
                Obj::List(items) | Obj::Deque(items, _) => {
                    let (low, high) = crate::library::count(items);
                    Ok(bounds(low, high, Why::Lost))
                }
                Obj::Dict(t, _) | Obj::Set(t, _) => {
                    let (low, high) = crate::library::common::table_count(t);
                    Ok(bounds(low, high, Why::Lost))
                }
                Obj::ByteArray(t) => Ok(bounds(t.low, t.high, t.why)),
                Obj::View { of, .. } => {
                    let of = of.clone();
                    self.length_of(&of)
                }
                Obj::Instance { .. } => {
                    if self.open_instance(value) {
                        return Ok(self.unknown_effect(std::slice::from_ref(value)));
                    }
                    match self.dunder(value, "__len__") {
                        Some(method) => {
                            let v = self.call_value(&method, Args::of([value.clone()]))?;
                            match v.as_int() {
                                Some(n) if n.low >= 0 => Ok(v),
                                _ => {
                                    self.may_raise_class("");
                                    Ok(V::any_size(Why::Lost))
                                }
                            }
                        }
                        None => type_error(),
                    }
                }
                Obj::Escaped(name)
                    if matches!(&*name.text(), "list" | "dict" | "set" | "frozenset" | "bytearray" | "collections.deque") =>
                {
                    Ok(V::any_size(Why::Lost))
                }
                Obj::Escaped(_) => {
                    self.may_raise_class("");
                    Ok(V::any_size(Why::Lost))
                }
                Obj::Class(c) if c.open => {
                    self.may_raise_class("");
                    Ok(V::any_size(Why::Lost))
                }
                Obj::Class(_) if self.enum_members(value).is_some() => {
                    Ok(V::Int(self.enum_members(value).map_or(0, |all| all.len() as i128)))
                }
                _ => type_error(),
            },
            v if self.is_opaque(v) => {
                self.may_raise_class("");
                Ok(V::any_size(v.why().unwrap_or(Why::OUTSIDE)))
            }
            V::Undef | V::Null => Ok(V::any_size(Why::Lost)),
            _ => type_error(),
        }
    }

    /// `object[index]`.
    pub fn load_item(&mut self, object: &V, index: &V) -> R<V> {
        match object {
            V::OneOf(all) => {
                let all = all.clone();
                return self.each(&all, |m, v| m.load_item(v, index));
            }
            V::Ref(id) => match self.store.get(*id) {
                Obj::List(items) => {
                    // The common case first.
                    if let V::Int(n) = index
                        && items.rest.is_none()
                    {
                        let len = items.exact.len() as i128;
                        let at = if *n < 0 { n + len } else { *n };
                        return match items.exact.get(usize::try_from(at).unwrap_or(usize::MAX)) {
                            Some(v) => Ok(v.clone()),
                            None => Err(Stop::Raise(V::exception("IndexError"))),
                        };
                    }
                    let items = items.clone();
                    return self.index_items(object, &items, index);
                }
                Obj::Deque(items, _) => {
                    let items = items.clone();
                    return self.index_items(object, &items, index);
                }
                Obj::Dict(table, kind) => {
                    let (table, kind) = (table.clone(), kind.clone());
                    return self.index_dict(object, &table, &kind, index);
                }
                Obj::Instance { .. } => {
                    if !self.open_instance(object)
                        && let Some(method) = self.dunder(object, "__getitem__")
                    {
                        return self.call_value(&method, Args::of([object.clone(), index.clone()]));
                    }
                    if self.open_instance(object) {
                        return Ok(self.unknown_effect(&[object.clone(), index.clone()]));
                    }
                    return type_error();
                }
                Obj::Class(class) if self.enum_members(object).is_some() => {
                    let class = class.clone();
                    let members = self.enum_members(object).unwrap_or_default();
                    return self.enum_item(&class, &members, index);
                }
                Obj::Escaped(_) | Obj::Class(_) | Obj::ByteArray(_) => {
                    self.may_raise_class("");
                    return Ok(V::Unknown(Why::Lost));
                }
                _ => return type_error(),
            },
            V::Str(_) | V::Bytes(_) | V::Strs(_) | V::ManyBytes(_) => return self.index_text(object, index),
            V::Tuple(t) => {
                let items = match &**t {
                    Tuple::Exact(items) => Items { exact: items.clone(), rest: None },
                    Tuple::Bag { element, low, high } => bag_items(element.clone(), *low, *high),
                };
                return self.index_items(object, &Rc::new(items), index);
            }
            V::Range(parts) => {
                if let (Some(start), Some(stop), Some(step), Some(n)) =
                    (parts[0].exact_int(), parts[1].exact_int(), parts[2].exact_int(), index.exact_int())
                    && step != 0
                {
                    let len = range_length(start, stop, step);
                    let at = if n < 0 { n.saturating_add(i128::try_from(len).unwrap_or(i128::MAX)) } else { n };
                    if at < 0 || at as u128 >= len {
                        return Err(Stop::Raise(V::exception("IndexError")));
                    }
                    return Ok(V::Int(start + at * step));
                }
                self.may_raise_class("IndexError");
                return Ok(if matches!(index, V::Slice(_)) {
                    V::Unknown(Why::Lost)
                } else {
                    V::any_int(crate::library::why(&[object, index]))
                });
            }
            // `list[int]` and the like: a generic alias.
            V::Lib(name) => {
                self.may_raise_class("");
                return Ok(self.subscripted(*name).unwrap_or(V::Unknown(Why::Lost)));
            }
            _ => {}
        }
        if self.is_opaque(object) {
            self.may_raise_class("");
            return Ok(V::Unknown(object.why().unwrap_or(Why::OUTSIDE)));
        }
        type_error()
    }

    /// Integers of whatever size make a slice, and a step of 0 makes none.
    fn slice_may_fail(&mut self, parts: &[V; 3]) {
        if parts.iter().any(|v| !matches!(v, V::None) && v.as_int().is_none()) {
            self.may_raise_class("TypeError");
        }
        if parts[2].as_int().is_some_and(|step| step.contains(0)) {
            self.may_raise_class("ValueError");
        }
    }

    /// Start, stop and step of a slice of a sequence of known length, as CPython's `PySlice_AdjustIndices`.
    fn slice_bounds(slice: &[V; 3], len: i128) -> Option<(i128, i128, i128)> {
        let part = |v: &V| match v {
            V::None => Some(None),
            v => v.exact_int().map(Some),
        };
        let step = part(&slice[2])?.unwrap_or(1);
        if step == 0 {
            return None;
        }
        let (low, high) = if step < 0 { (-1, len - 1) } else { (0, len) };
        let adjust = |v: Option<i128>, default: i128| match v {
            None => default,
            Some(n) if n < 0 => n.saturating_add(len).max(low),
            Some(n) => n.min(high),
        };
        let start = adjust(part(&slice[0])?, if step < 0 { high } else { 0 });
        let stop = adjust(part(&slice[1])?, if step < 0 { -1 } else { len });
        Some((start, stop, step))
    }

    fn check_index(&mut self, index: &V) -> R<()> {
        match index {
            V::Int(_) | V::Ints(_) | V::Bool(_) | V::AnyBool(_) | V::Slice(_) => Ok(()),
            V::Float(_) | V::Floats(_) | V::Str(_) | V::Strs(_) | V::None | V::Tuple(_) | V::Bytes(_) => type_error(),
            _ => {
                self.may_raise_class("TypeError");
                Ok(())
            }
        }
    }

    fn index_items(&mut self, object: &V, items: &Rc<Items>, index: &V) -> R<V> {
        if let V::OneOf(all) = index {
            let all = all.clone();
            return self.each(&all, |m, i| m.load_item(object, i));
        }
        self.check_index(index)?;
        let is_tuple = matches!(object, V::Tuple(_));
        if let V::Slice(slice) = index {
            if let (None, Some((start, stop, step))) = (&items.rest, Self::slice_bounds(slice, items.exact.len() as i128)) {
                let n = range_length(start, stop, step);
                self.burn(n as u64 / 8)?;
                let picked: Vec<V> = (0..n as i128).map(|i| items.exact[(start + i * step) as usize].clone()).collect();
                return Ok(if is_tuple {
                    self.make_tuple(picked)
                } else {
                    self.alloc(Obj::List(Rc::new(Items { exact: picked, rest: None })))
                });
            }
            let (element, _, high) = self.bounds_of(object);
            self.slice_may_fail(slice);
            let (element, high) = (element.unwrap_or(V::None), high);
            return Ok(if is_tuple { V::tuple_bag(element, 0, high) } else { self.alloc(Obj::List(Rc::new(bag_items(element, 0, high)))) });
        }
        let (low, high) = crate::library::count(items);
        match index.exact_int() {
            Some(n) => {
                if items.rest.is_none() || n >= 0 {
                    let len = items.exact.len() as i128;
                    let at = if n < 0 { n + len } else { n };
                    if at >= 0 && at < len {
                        return Ok(items.exact[at as usize].clone());
                    }
                    if items.rest.is_none() || at >= i128::from(high) {
                        return Err(Stop::Raise(V::exception("IndexError")));
                    }
                    if at >= i128::from(low) {
                        self.may_raise_class("IndexError");
                    }
                    let Some(rest) = &items.rest else { return type_error() };
                    return Ok(rest.element.clone());
                }
                // From the end, of a sequence of uncertain length.
                if -n > i128::from(high) {
                    return Err(Stop::Raise(V::exception("IndexError")));
                }
                if -n > i128::from(low) {
                    self.may_raise_class("IndexError");
                }
                let Some(rest) = &items.rest else { return type_error() };
                let mut value = rest.element.clone();
                // With at least so many further items it is one of those; else it may reach into the known ones.
                if -n > i128::from(rest.low) {
                    let reach = (-n) as usize;
                    let from = items.exact.len().saturating_sub(reach);
                    for v in &items.exact[from..] {
                        value = self.store.join_values(&value, v, false);
                    }
                }
                Ok(value)
            }
            None => {
                let (element, ..) = self.bounds_of(object);
                let Some(element) = element else { return Err(Stop::Raise(V::exception("IndexError"))) };
                let inside = index.as_int().is_some_and(|i| i.low >= -i128::from(low) && i.high < i128::from(low));
                if !inside {
                    self.may_raise_class("IndexError");
                }
                // Which of the known items it is depends on the interval.
                if let Some(i) = index.as_int()
                    && items.rest.is_none()
                    && i.low >= 0
                {
                    let len = items.exact.len();
                    let first = usize::try_from(i.low).unwrap_or(usize::MAX);
                    if first >= len {
                        return Err(Stop::Raise(V::exception("IndexError")));
                    }
                    let last = i.upper().map_or(len - 1, |h| usize::try_from(h).unwrap_or(usize::MAX).min(len - 1));
                    let mut value = items.exact[first].clone();
                    for v in &items.exact[first..=last] {
                        value = self.store.join_values(&value, v, false);
                    }
                    return Ok(value);
                }
                Ok(element)
            }
        }
    }

    fn index_dict(&mut self, object: &V, table: &Rc<Table>, kind: &DictKind, index: &V) -> R<V> {
        if let V::OneOf(all) = index {
            let all = all.clone();
            return self.each(&all, |m, i| m.load_item(object, i));
        }
        // Each of the few keys it can be is there.
        if !index.is_exact()
            && let Some(held) = table.all_held(index)
        {
            let mut value = held[0].clone();
            for other in &held[1..] {
                value = self.store.join_values(&value, other, false);
            }
            return Ok(value);
        }
        let key = self.key_of(index)?;
        if let Some(key) = &key
            && let Some((_, v)) = table.exact.get(key)
        {
            return Ok(v.clone());
        }
        let maybe_present = table.rest.is_some() || (key.is_none() && !table.exact.is_empty());
        let mut value: Option<V> = None;
        if maybe_present {
            if key.is_none() {
                for (_, v) in table.exact.values() {
                    value = Some(match value {
                        None => v.clone(),
                        Some(o) => self.store.join_values(&o, v, false),
                    });
                }
            }
            if let Some(rest) = &table.rest {
                value = Some(match value {
                    None => rest.value.clone(),
                    Some(o) => self.store.join_values(&o, &rest.value, false),
                });
            }
        }
        match kind {
            DictKind::Plain | DictKind::Ordered => match value {
                Some(v) => {
                    self.may_raise_class("KeyError");
                    Ok(v)
                }
                None => Err(Stop::Raise(V::exception("KeyError"))),
            },
            DictKind::Counter => Ok(match value {
                Some(v) => self.store.join_values(&v, &V::Int(0), false),
                None => V::Int(0),
            }),
            DictKind::Default(factory) => {
                if matches!(factory, V::None) {
                    return match value {
                        Some(v) => {
                            self.may_raise_class("KeyError");
                            Ok(v)
                        }
                        None => Err(Stop::Raise(V::exception("KeyError"))),
                    };
                }
                let doubt = value.as_ref().map(|_| Why::Lost);
                let fresh = self.perhaps(doubt, |machine| {
                    let fresh = machine.call_value(factory, Args::default())?;
                    machine.table_store(object, index, fresh.clone())?;
                    Ok(fresh)
                })?;
                Ok(match (value, fresh) {
                    (Some(v), Some(fresh)) => self.store.join_values(&v, &fresh, false),
                    (Some(v), None) | (None, Some(v)) => v,
                    (None, None) => return Err(Stop::Dead),
                })
            }
        }
    }

    fn index_text(&mut self, object: &V, index: &V) -> R<V> {
        if let V::OneOf(all) = index {
            let all = all.clone();
            return self.each(&all, |m, i| m.load_item(object, i));
        }
        self.check_index(index)?;
        let text = text_of(object).unwrap_or(Text::between(0, u64::MAX, Why::Lost));
        let is_str = matches!(object, V::Str(_) | V::Strs(_));
        let why = crate::library::why(&[object, index]);
        if let V::Slice(slice) = index {
            if let (true, Some((start, stop, step))) = (text.low == text.high, Self::slice_bounds(slice, i128::from(text.low))) {
                let n = range_length(start, stop, step);
                let known = matches!(object, V::Str(_) | V::Bytes(_));
                self.burn(1 + if known { n as u64 / 16 } else { 0 })?;
                let at = |i: u128| (start + i as i128 * step) as usize;
                match object {
                    V::Str(s) => {
                        let out: String = if s.is_ascii() {
                            (0..n).map(|i| s.as_bytes()[at(i)] as char).collect()
                        } else {
                            self.burn(s.len() as u64 / 8)?;
                            let chars: Vec<char> = s.chars().collect();
                            (0..n).map(|i| chars[at(i)]).collect()
                        };
                        return Ok(V::str(&out));
                    }
                    V::Bytes(b) => return Ok(V::bytes(&(0..n).map(|i| b[at(i)]).collect::<Vec<u8>>())),
                    _ => {
                        let n = u64::try_from(n).unwrap_or(u64::MAX);
                        return Ok(if is_str {
                            V::Strs(Text { digits: text.digits.part(), ..Text::between(n, n, why) })
                        } else {
                            V::ManyBytes(Text::between(n, n, why))
                        });
                    }
                }
            }
            // All of it, from either end.
            if let ([V::None, V::None, V::None | V::Int(1 | -1)], V::Strs(_)) = (&slice[..], object) {
                return Ok(V::Strs(Text { why, digits: text.digits.part(), made: None, ..text }));
            }
            if !slice.iter().all(|v| matches!(v, V::None) || v.as_int().is_some()) {
                self.may_raise_class("TypeError");
            }
            if slice[2].as_int().is_some_and(|s| s.may_be_zero()) {
                self.may_raise_class("ValueError");
            }
            return Ok(if is_str {
                V::Strs(Text { digits: text.digits.part(), ..Text::between(0, text.high, why) })
            } else {
                V::ManyBytes(Text::between(0, text.high, why))
            });
        }
        if let Some(n) = index.exact_int() {
            let at = if n < 0 { n.saturating_add(i128::from(text.low)) } else { n };
            if text.low == text.high && (at < 0 || at >= i128::from(text.low)) {
                return Err(Stop::Raise(V::exception("IndexError")));
            }
            match object {
                V::Str(s) => {
                    self.burn(if s.is_ascii() { 0 } else { s.len() as u64 / 16 })?;
                    let c = if s.is_ascii() { s.as_bytes()[at as usize] as char } else { s.chars().nth(at as usize).unwrap_or(' ') };
                    return Ok(V::str(c.encode_utf8(&mut [0; 4])));
                }
                V::Bytes(b) => return Ok(V::Int(i128::from(b[at as usize]))),
                _ => {}
            }
        }
        let inside = index.as_int().is_some_and(|i| i.low >= -i128::from(text.low) && i.high < i128::from(text.low));
        if !inside {
            self.may_raise_class("IndexError");
        }
        Ok(if is_str { V::Strs(Text { why, ..text.character() }) } else { V::int(Int::range(0, 255), why) })
    }

    /// `object[index] = value`.
    pub fn store_item(&mut self, object: &V, index: &V, value: V) -> R<()> {
        match object {
            V::OneOf(all) => {
                let all = all.clone();
                for v in all.iter() {
                    let before = self.store.clone();
                    match self.store_item(v, index, value.clone()) {
                        Ok(()) => {}
                        Err(Stop::Raise(e)) => self.may_raise_value(e),
                        Err(stop) => return Err(stop),
                    }
                    self.rejoin(&before);
                }
                Ok(())
            }
            V::Ref(id) => {
                let id = *id;
                match self.store.get(id) {
                    Obj::List(items) => {
                        if let (V::Int(n), None) = (index, &items.rest) {
                            let len = items.exact.len() as i128;
                            let at = if *n < 0 { n + len } else { *n };
                            if at < 0 || at >= len {
                                return Err(Stop::Raise(V::exception("IndexError")));
                            }
                            self.store.mutate(id, true, |obj| {
                                if let Obj::List(items) = obj {
                                    Rc::make_mut(items).exact[at as usize] = value;
                                }
                            });
                            return Ok(());
                        }
                        self.store_item_somewhere(id, object, index, value)
                    }
                    Obj::Deque(..) => self.store_item_somewhere(id, object, index, value),
                    Obj::Dict(..) => self.table_store(object, index, value),
                    Obj::Instance { .. } => {
                        if !self.open_instance(object)
                            && let Some(method) = self.dunder(object, "__setitem__")
                        {
                            self.call_value(&method, Args::of([object.clone(), index.clone(), value]))?;
                            return Ok(());
                        }
                        if self.open_instance(object) {
                            self.unknown_effect(&[object.clone(), index.clone(), value]);
                            return Ok(());
                        }
                        type_error()
                    }
                    Obj::Escaped(_) | Obj::ByteArray(_) | Obj::Class(_) => {
                        self.store.escape_all(&[index.clone(), value]);
                        self.may_raise_class("");
                        Ok(())
                    }
                    _ => type_error(),
                }
            }
            v if self.is_opaque(v) => {
                self.store.escape_all(&[index.clone(), value]);
                self.may_raise_class("");
                Ok(())
            }
            _ => type_error(),
        }
    }

    fn store_item_somewhere(&mut self, id: ObjId, object: &V, index: &V, value: V) -> R<()> {
        self.check_index(index)?;
        if let V::Slice(slice) = index {
            let slice = slice.clone();
            let taken = self.take_value(&value)?;
            if taken.endless {
                return Err(self.endless_consumption(&value, "slice assignment", true));
            }
            let Obj::List(items) = self.store.get(id).clone() else {
                self.store.escape(object);
                self.store.escape(&value);
                return Ok(());
            };
            if let (None, None, Some((start, stop, 1))) =
                (&items.rest, &taken.items.rest, Self::slice_bounds(&slice, items.exact.len() as i128))
            {
                let (start, stop) = (start as usize, stop.max(start) as usize);
                self.burn((items.exact.len() + taken.items.exact.len()) as u64 / 16)?;
                if items.exact.len() + taken.items.exact.len() > MAX_EXACT_ITEMS {
                    let n = (items.exact.len() - (stop - start) + taken.items.exact.len()) as u64;
                    let mut element = V::None;
                    for (i, v) in items.exact.iter().chain(&taken.items.exact).enumerate() {
                        element = if i == 0 { v.clone() } else { self.store.join_values(&element, v, false) };
                    }
                    self.store.mutate(id, true, |obj| *obj = Obj::List(Rc::new(bag_items(element, n, n))));
                    return Ok(());
                }
                let mut exact = items.exact[..start].to_vec();
                exact.extend(taken.items.exact);
                exact.extend_from_slice(&items.exact[stop..]);
                self.store.mutate(id, true, |obj| *obj = Obj::List(Rc::new(Items { exact, rest: None })));
                return Ok(());
            }
            self.may_raise_class("ValueError");
            let (mut element, _, high) = self.bounds_of(object);
            let (_, high2) = crate::library::count(&taken.items);
            for v in taken.items.exact.iter().chain(taken.items.rest.iter().map(|r| &r.element)) {
                element = Some(match element {
                    None => v.clone(),
                    Some(e) => self.store.join_values(&e, v, false),
                });
            }
            let items = bag_items(element.unwrap_or(V::None), 0, high.saturating_add(high2));
            self.store.mutate(id, true, |obj| *obj = Obj::List(Rc::new(items)));
            return Ok(());
        }
        let Some(at) = index.as_int() else {
            self.may_raise_class("");
            self.store.escape(object);
            self.store.escape(&value);
            return Ok(());
        };
        let least = match self.store.get(id) {
            Obj::List(items) | Obj::Deque(items, _) => i128::from(crate::library::count(items).0),
            _ => 0,
        };
        if at.low < -least || at.high >= least {
            self.may_raise_class("IndexError");
        }
        let mut escapes = Vec::new();
        self.store.mutate(id, true, |obj| {
            if let Obj::List(items) | Obj::Deque(items, _) = obj {
                let items = Rc::make_mut(items);
                let exact = at.is_exact();
                if let Some(n) = exact
                    && n >= 0
                    && (n as usize) < items.exact.len()
                {
                    items.exact[n as usize] = value;
                    return;
                }
                for (i, slot) in items.exact.iter_mut().enumerate() {
                    if at.low < 0 || at.contains(i as i128) {
                        *slot = join(slot, &value, false, &mut escapes);
                    }
                }
                if let Some(rest) = &mut items.rest {
                    rest.element = join(&rest.element, &value, false, &mut escapes);
                }
            }
        });
        self.store.escape_all(&escapes);
        Ok(())
    }

    /// `del object[index]`.
    pub fn delete_item(&mut self, object: &V, index: &V) -> R<()> {
        let V::Ref(id) = object else {
            if self.is_opaque(object) || matches!(object, V::OneOf(_)) {
                self.store.escape_all(&[object.clone(), index.clone()]);
                self.may_raise_class("");
                return Ok(());
            }
            return type_error();
        };
        let id = *id;
        match self.store.get(id).clone() {
            Obj::List(items) => {
                if items.rest.is_none() {
                    if let V::Int(n) = index {
                        let len = items.exact.len() as i128;
                        let at = if *n < 0 { n + len } else { *n };
                        if at < 0 || at >= len {
                            return Err(Stop::Raise(V::exception("IndexError")));
                        }
                        self.burn(items.exact.len() as u64 / 64)?;
                        self.store.mutate(id, true, |obj| {
                            if let Obj::List(items) = obj {
                                Rc::make_mut(items).exact.remove(at as usize);
                            }
                        });
                        return Ok(());
                    }
                    if let V::Slice(slice) = index
                        && let Some((start, stop, step)) = Self::slice_bounds(slice, items.exact.len() as i128)
                    {
                        let n = range_length(start, stop, step);
                        let gone: std::collections::HashSet<usize> = (0..n as i128).map(|i| (start + i * step) as usize).collect();
                        let exact: Vec<V> =
                            items.exact.iter().enumerate().filter(|(i, _)| !gone.contains(i)).map(|(_, v)| v.clone()).collect();
                        self.store.mutate(id, true, |obj| *obj = Obj::List(Rc::new(Items { exact, rest: None })));
                        return Ok(());
                    }
                }
                self.check_index(index)?;
                self.may_raise_class("IndexError");
                let (element, _, high) = self.bounds_of(object);
                let items = bag_items(element.unwrap_or(V::None), 0, high);
                self.store.mutate(id, true, |obj| *obj = Obj::List(Rc::new(items)));
                Ok(())
            }
            Obj::Dict(table, kind) => {
                let key = self.key_of(index)?;
                if let (Some(key), None) = (&key, &table.rest) {
                    if !table.exact.contains_key(key) {
                        return Err(Stop::Raise(V::exception("KeyError")));
                    }
                    let key = key.clone();
                    self.burn(table.exact.len() as u64 / 64)?;
                    self.store.mutate(id, true, |obj| {
                        if let Obj::Dict(table, _) = obj {
                            Rc::make_mut(table).exact.shift_remove(&key);
                        }
                    });
                    return Ok(());
                }
                self.may_raise_class("KeyError");
                let loose = self.loosen(&table);
                self.store.mutate(id, true, |obj| *obj = Obj::Dict(Rc::new(loose), kind));
                Ok(())
            }
            Obj::Instance { .. } if !self.open_instance(object) => match self.dunder(object, "__delitem__") {
                Some(method) => {
                    self.call_value(&method, Args::of([object.clone(), index.clone()]))?;
                    Ok(())
                }
                None => type_error(),
            },
            _ => {
                self.store.escape_all(&[object.clone(), index.clone()]);
                self.may_raise_class("");
                Ok(())
            }
        }
    }

    /// A table any entry of which may have been removed.
    pub fn loosen(&mut self, table: &Table) -> Table {
        let mut escapes = Vec::new();
        let pairs: Vec<(V, V)> = table.exact.values().cloned().collect();
        let rest = crate::value::store::extend_rest(table.rest.as_ref(), &pairs, &mut escapes).map(|r| Rest { low: 0, ..r });
        self.store.escape_all(&escapes);
        Table { exact: indexmap::IndexMap::default(), rest }
    }

    /// `str(value)` or `repr(value)`.
    pub fn text_of(&mut self, value: &V, repr: bool) -> R<V> {
        match value {
            V::Str(_) | V::Strs(_) if !repr => Ok(value.clone()),
            V::OneOf(all) => {
                let all = all.clone();
                self.each(&all, |m, v| m.text_of(v, repr))
            }
            V::Ref(_) if matches!(self.obj(value), Some(Obj::Instance { .. })) && !self.open_instance(value) => {
                let method = (if repr { None } else { self.dunder(value, "__str__") }).or_else(|| self.dunder(value, "__repr__"));
                match method {
                    Some(method) => {
                        let v = self.call_value(&method, Args::of([value.clone()]))?;
                        match v {
                            V::Str(_) | V::Strs(_) => Ok(v),
                            _ => {
                                self.may_raise_class("TypeError");
                                Ok(V::strs(0, u64::MAX, Why::Lost))
                            }
                        }
                    }
                    None => Ok(V::strs(0, u64::MAX, Why::Lost)),
                }
            }
            _ => {
                let function = V::lib(if repr { "repr" } else { "str" });
                self.call_value(&function, Args::of([value.clone()]))
            }
        }
    }
}
