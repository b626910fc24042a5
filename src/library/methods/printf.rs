//! `template % values`.

use crate::fact::FactKind;
use crate::library::builtins::text::{Shown, short_decimal};
use crate::library::common::{allocates, unknown, why_of, with, wrong};
use crate::library::{Args, Host, R};
use crate::value::format::{Amount, C_INT, Conversion, Value, parse_percent, percent};
use crate::value::object::{MAX_EXACT_TEXT, Obj, Tuple, V, Why};

/// `str.__mod__`, also of bytes.
pub fn modulo(host: &mut dyn Host, args: Args) -> R<V> {
    with(host, &args, ["", ""], 2, 1, &|host, [template, values]| {
        if matches!(template, V::Bytes(_) | V::ManyBytes(_)) {
            unknown(host, &[values]);
            return Ok(V::ManyBytes(crate::value::object::Text::between(0, u64::MAX, Why::Lost)));
        }
        let anything = |host: &mut dyn Host, values: &V| {
            unknown(host, std::slice::from_ref(values));
            Ok(V::strs(0, u64::MAX, why_of(&[&template, values])))
        };
        let V::Str(text) = &template else {
            return if matches!(template, V::Strs(_)) {
                anything(host, &values)
            } else {
                wrong(host, &template.clone(), &[template, values])
            };
        };
        host.burn(text.len() as u64 / 8)?;
        let Some((conversions, tail)) = parse_percent(text) else { return anything(host, &values) };
        let positional = match &values {
            V::Tuple(t) => match &**t {
                Tuple::Exact(items) => items.clone(),
                Tuple::Bag { .. } => return anything(host, &values),
            },
            v => match crate::library::modules::namedtuple::items_of(host, v) {
                Some(items) => match super::super::modules::exact_tuple(&items) {
                    Some(items) => items,
                    None => return anything(host, &values),
                },
                None => vec![v.clone()],
            },
        };
        let keyed = conversions.iter().any(|c| c.key.is_some());
        let Some((conversions, positional)) = unstarred(conversions, positional) else { return anything(host, &values) };
        if keyed && !matches!(&values, V::Ref(id) if matches!(host.store().get(*id), Obj::Dict(..))) {
            return anything(host, &values);
        }
        if !keyed && conversions.len() != positional.len() {
            // A mapping (or list, or anything with items) may be left over.
            let mapping = !matches!(values, V::Tuple(_) | V::Str(_) | V::Int(_) | V::Float(_) | V::Bool(_) | V::None);
            if mapping && conversions.is_empty() {
                return anything(host, &values);
            }
            if conversions.len() != 1 && mapping {
                return anything(host, &values);
            }
            return Err(host.raise("TypeError", "not all arguments converted during string formatting"));
        }
        let mut out = Shown::Exact(String::new());
        for (i, c) in conversions.iter().enumerate() {
            let value = match &c.key {
                Some(key) => host.item(&values, &V::str(key))?,
                None => positional.get(i).cloned().unwrap_or(V::None),
            };
            let shown = converted(host, c, &value)?;
            out = out.then(&Shown::Exact(c.before.clone())).then(&shown);
        }
        Ok(out.then(&Shown::Exact(tail)).value())
    })
}

/// Conversions with the widths and precisions that `*` takes from the values, and the values that are left. None where one of
/// those is not known, negative, or missing.
fn unstarred(conversions: Vec<Conversion>, positional: Vec<V>) -> Option<(Vec<Conversion>, Vec<V>)> {
    let starred = |c: &Conversion| c.width == Some(Amount::Star) || c.precision == Some(Amount::Star);
    if !conversions.iter().any(starred) {
        return Some((conversions, positional));
    }
    let mut values = positional.into_iter();
    let (mut out, mut left) = (Vec::new(), Vec::new());
    for mut c in conversions {
        for amount in [&mut c.width, &mut c.precision] {
            if *amount == Some(Amount::Star) {
                *amount = Some(Amount::Given(u64::try_from(values.next()?.exact_int()?).ok()?));
            }
        }
        left.extend(values.next());
        out.push(c);
    }
    left.extend(values);
    Some((out, left))
}

/// The text of one conversion.
fn converted(host: &mut dyn Host, c: &Conversion, value: &V) -> R<Shown> {
    let given = |amount: Option<Amount>| match amount {
        Some(Amount::Given(n)) => n,
        _ => 0,
    };
    let width = given(c.width);
    let precise = matches!(c.kind, 'd' | 'i' | 'u' | 'o' | 'x' | 'X' | 'e' | 'E' | 'f' | 'F') && value.is_number();
    let least = width.max(if precise { given(c.precision) } else { 0 });
    if least > MAX_EXACT_TEXT as u64 {
        let text = matches!(c.kind, 's' | 'r' | 'a');
        if (text || (value.is_number() && c.kind != 'c')) && given(c.precision) <= C_INT {
            allocates(host, FactKind::Format, "%", least, least);
        }
        host.may_raise("ValueError");
        host.may_raise("OverflowError");
        host.may_raise("MemoryError");
        if !value.is_number() {
            unknown(host, std::slice::from_ref(value));
        }
        return Ok(Shown::Length(least, u64::MAX, why_of(&[value])));
    }
    if matches!(c.kind, 's' | 'r') {
        let shown = match (c.kind, value) {
            ('s', V::Str(_) | V::Strs(_)) => value.clone(),
            (kind, v) => host.text(v, kind == 'r')?,
        };
        let as_text = Conversion { kind: 's', ..c.clone() };
        if let V::Str(s) = &shown
            && let Some(text) = percent(&as_text, Value::Str(s))
        {
            return Ok(Shown::Exact(text));
        }
        let (low, high, why) = match &shown {
            V::Str(s) => (s.chars().count() as u64, s.chars().count() as u64, Why::Lost),
            V::Strs(t) => (t.low, t.high, t.why),
            _ => (0, u64::MAX, Why::Lost),
        };
        let most = c.precision.map_or(u64::MAX, |p| given(Some(p)));
        return Ok(Shown::Length(low.min(most).max(width), high.min(most).max(width), why));
    }
    let known = match value {
        V::Int(n) => Some(Value::Int(*n)),
        V::Bool(b) => Some(Value::Int(i128::from(*b))),
        V::Float(f) => Some(Value::Float(*f)),
        _ => None,
    };
    if let Some(text) = known.and_then(|v| percent(c, v)) {
        return Ok(Shown::Exact(text));
    }
    if let (V::Ints(r), 'd' | 'i' | 'u', None) = (value, c.kind, c.precision)
        && let Some((low, high)) = short_decimal(&r.0)
    {
        // A sign that was asked for.
        return Ok(Shown::Length(low.max(width), (high + 1).max(width), r.1));
    }
    if value.is_number() {
        for class in ["TypeError", "ValueError", "OverflowError"] {
            host.may_raise(class);
        }
    } else {
        unknown(host, std::slice::from_ref(value));
    }
    Ok(Shown::Length(width.max(1), u64::MAX, why_of(&[value])))
}
