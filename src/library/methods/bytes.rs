//! Methods of bytes.

use std::rc::Rc;

use crate::fact::FactKind;
use crate::library::common::{Consumer, allocates, collect, consume, index, type_error, unknown, why_of, with, wrong};
use crate::library::{Args, Entry, Host, R, count};
use crate::value::cost;
use crate::value::int::Int;
use crate::value::object::{Items, MAX_EXACT_TEXT, Obj, ObjId, Rest, Text, Tuple, V, Why};
use crate::value::store::text_of;

/// The entry for a method.
pub fn find(owner: &str, method: &str) -> Option<Entry> {
    Some(Entry::Function(match (owner, method) {
        ("bytes", "decode") => decode,
        ("bytes", "hex") => hex,
        ("bytes" | "bytearray", "join") => join,
        ("bytes", "fromhex") => fromhex,
        ("bytearray", "append") => |host, args| grow(host, &args, 1),
        ("bytearray", "insert") => |host, args| grow(host, &args, 2),
        ("bytearray", "extend") => extend,
        ("bytearray", "pop") => pop,
        ("bytearray", "clear") => clear,
        ("bytearray", "copy") => copy,
        ("bytearray", "reverse") => reverse,
        ("bytes" | "bytearray", "capitalize") => |host, args| through_text(host, args, "capitalize"),
        ("bytes" | "bytearray", "center") => |host, args| through_text(host, args, "center"),
        ("bytes" | "bytearray", "count") => |host, args| through_text(host, args, "count"),
        ("bytes" | "bytearray", "endswith") => |host, args| through_text(host, args, "endswith"),
        ("bytes" | "bytearray", "expandtabs") => |host, args| through_text(host, args, "expandtabs"),
        ("bytes" | "bytearray", "find") => |host, args| through_text(host, args, "find"),
        ("bytes" | "bytearray", "index") => |host, args| through_text(host, args, "index"),
        ("bytes" | "bytearray", "isalnum") => |host, args| through_text(host, args, "isalnum"),
        ("bytes" | "bytearray", "isalpha") => |host, args| through_text(host, args, "isalpha"),
        ("bytes" | "bytearray", "isascii") => |host, args| through_text(host, args, "isascii"),
        ("bytes" | "bytearray", "isdigit") => |host, args| through_text(host, args, "isdigit"),
        ("bytes" | "bytearray", "islower") => |host, args| through_text(host, args, "islower"),
        ("bytes" | "bytearray", "isspace") => |host, args| through_text(host, args, "isspace"),
        ("bytes" | "bytearray", "istitle") => |host, args| through_text(host, args, "istitle"),
        ("bytes" | "bytearray", "isupper") => |host, args| through_text(host, args, "isupper"),
        ("bytes" | "bytearray", "ljust") => |host, args| through_text(host, args, "ljust"),
        ("bytes" | "bytearray", "lower") => |host, args| through_text(host, args, "lower"),
        ("bytes" | "bytearray", "lstrip") => |host, args| through_text(host, args, "lstrip"),
        ("bytes" | "bytearray", "partition") => |host, args| through_text(host, args, "partition"),
        ("bytes" | "bytearray", "removeprefix") => |host, args| through_text(host, args, "removeprefix"),
        ("bytes" | "bytearray", "removesuffix") => |host, args| through_text(host, args, "removesuffix"),
        ("bytes" | "bytearray", "replace") => |host, args| through_text(host, args, "replace"),
        ("bytes" | "bytearray", "rfind") => |host, args| through_text(host, args, "rfind"),
        ("bytes" | "bytearray", "rindex") => |host, args| through_text(host, args, "rindex"),
        ("bytes" | "bytearray", "rjust") => |host, args| through_text(host, args, "rjust"),
        ("bytes" | "bytearray", "rpartition") => |host, args| through_text(host, args, "rpartition"),
        ("bytes" | "bytearray", "rsplit") => |host, args| through_text(host, args, "rsplit"),
        ("bytes" | "bytearray", "rstrip") => |host, args| through_text(host, args, "rstrip"),
        ("bytes" | "bytearray", "split") => |host, args| through_text(host, args, "split"),
        ("bytes" | "bytearray", "splitlines") => |host, args| through_text(host, args, "splitlines"),
        ("bytes" | "bytearray", "startswith") => |host, args| through_text(host, args, "startswith"),
        ("bytes" | "bytearray", "strip") => |host, args| through_text(host, args, "strip"),
        ("bytes" | "bytearray", "swapcase") => |host, args| through_text(host, args, "swapcase"),
        ("bytes" | "bytearray", "title") => |host, args| through_text(host, args, "title"),
        ("bytes" | "bytearray", "upper") => |host, args| through_text(host, args, "upper"),
        ("bytes" | "bytearray", "zfill") => |host, args| through_text(host, args, "zfill"),
        _ => return None,
    }))
}

fn length(v: &V) -> Option<Text> {
    if matches!(v, V::Bytes(_) | V::ManyBytes(_)) { text_of(v) } else { None }
}

fn decode(host: &mut dyn Host, args: Args) -> R<V> {
    with(host, &args, ["", "encoding", "errors"], 1, 2, &|host, [b, encoding, errors]| {
        let Some(t) = length(&b) else { return wrong(host, &b.clone(), &[b, encoding]) };
        let utf8 = match &encoding {
            V::Undef => true,
            V::Str(e) => matches!(&*e.to_ascii_lowercase().replace('_', "-"), "utf-8" | "utf8" | "ascii"),
            _ => false,
        };
        host.burn(t.low.min(1 << 16) / 64)?;
        if let V::Bytes(raw) = &b
            && utf8
            && raw.is_ascii()
            && let Ok(text) = std::str::from_utf8(raw)
        {
            return Ok(V::str(text));
        }
        if utf8 && matches!(errors, V::Undef) {
            host.may_raise("UnicodeDecodeError");
            return Ok(V::strs(0, t.high, why_of(&[&b])));
        }
        unknown(host, &[encoding, errors]);
        Ok(V::strs(0, u64::MAX, why_of(&[&b])))
    })
}

fn hex(host: &mut dyn Host, args: Args) -> R<V> {
    with(host, &args, ["", "sep", "bytes_per_sep"], 1, 1, &|host, [b, sep, per]| {
        let Some(t) = length(&b) else { return wrong(host, &b.clone(), &[b, sep]) };
        if !matches!(sep, V::Undef) {
            unknown(host, &[sep, per]);
            return Ok(V::strs(t.low.saturating_mul(2), t.high.saturating_mul(3), why_of(&[&b])));
        }
        if let V::Bytes(raw) = &b {
            host.burn(raw.len() as u64 / 8)?;
            let digits: String = raw.iter().flat_map(|b| [b >> 4, b & 15]).filter_map(|d| char::from_digit(u32::from(d), 16)).collect();
            return Ok(V::str(&digits));
        }
        Ok(V::strs(t.low.saturating_mul(2), t.high.saturating_mul(2), why_of(&[&b])))
    })
}

/// Bytes as text with the same characters, where methods of text do the same to both: no control characters that text takes for
/// white space or line ends, and nothing beyond ASCII.
fn as_text(host: &mut dyn Host, v: &V) -> Option<V> {
    match v {
        V::Bytes(raw) => match std::str::from_utf8(raw) {
            Ok(text) if raw.iter().all(|b| matches!(b, b' '..=b'~' | b'\t' | b'\n' | b'\r')) => Some(V::str(text)),
            _ => Some(V::strs(raw.len() as u64, raw.len() as u64, Why::Lost)),
        },
        V::ManyBytes(t) => Some(V::Strs(*t)),
        V::Ref(id) => match host.store().get(*id) {
            Obj::ByteArray(t) => Some(V::Strs(*t)),
            _ => None,
        },
        _ => None,
    }
}

/// What a method of text gave, as bytes (or a bytearray).
fn as_bytes(host: &mut dyn Host, v: V, array: bool) -> V {
    let text = match &v {
        V::Str(s) => Text::between(s.chars().count() as u64, s.chars().count() as u64, Why::Lost),
        V::Strs(t) => Text { made: None, ..*t },
        V::Tuple(t) => {
            return match &**t {
                Tuple::Exact(items) => {
                    let items = items.clone().into_iter().map(|v| as_bytes(host, v, array)).collect();
                    V::tuple(items)
                }
                Tuple::Bag { element, low, high } => {
                    let element = as_bytes(host, element.clone(), array);
                    V::tuple_bag(element, *low, *high)
                }
            };
        }
        V::OneOf(all) => {
            let mut out: Option<V> = None;
            for v in all.iter() {
                let v = as_bytes(host, v.clone(), array);
                out = Some(out.map_or(v.clone(), |o| host.join(&o, &v)));
            }
            return out.unwrap_or(v);
        }
        V::Ref(id) => {
            if let Obj::List(items) = host.store().get(*id).clone() {
                let exact = items.exact.iter().map(|v| as_bytes(host, v.clone(), array)).collect();
                let rest = items.rest.as_ref().map(|r| Rest { element: as_bytes(host, r.element.clone(), array), ..r.clone() });
                return host.alloc(Obj::List(Rc::new(Items { exact, rest })));
            }
            return v;
        }
        _ => return v,
    };
    match v {
        _ if array => host.alloc(Obj::ByteArray(text)),
        V::Str(s) => V::bytes(s.as_bytes()),
        _ => V::ManyBytes(text),
    }
}

/// A method that does to bytes what the method of text does to text.
fn through_text(host: &mut dyn Host, args: Args, method: &str) -> R<V> {
    let Some(receiver) = args.pos.first().cloned() else { return type_error(host) };
    let array = matches!(receiver, V::Ref(_));
    let mut pos = Vec::new();
    for (i, v) in args.pos.iter().enumerate() {
        // Integers stand for single bytes in searches; what else there is, is left alone.
        let text = as_text(host, v);
        let int = v.as_int().is_some() || matches!(v, V::None);
        match text {
            Some(text) => pos.push(text),
            None if i > 0 && int && !(i == 1 && matches!(method, "find" | "rfind" | "index" | "rindex" | "count")) => pos.push(v.clone()),
            None => return Ok(host.unknown_call(&args)),
        }
    }
    if matches!(method, "isspace" | "isalnum" | "isalpha" | "isdigit" | "islower" | "isupper" | "istitle" | "isascii")
        && matches!(pos[0], V::Strs(_))
    {
        return Ok(V::AnyBool(Why::Lost));
    }
    let function = V::lib(&format!("str.{method}"));
    let value = host.call(&function, Args { pos: pos.into(), kw: args.kw, open: false })?;
    Ok(as_bytes(host, value, array))
}

/// `sep.join(parts)`.
fn join(host: &mut dyn Host, args: Args) -> R<V> {
    with(host, &args, ["", ""], 2, 2, &|host, [sep, from]| {
        let Some(between) = as_text(host, &sep).as_ref().and_then(text_of) else { return wrong(host, &sep.clone(), &[sep, from]) };
        let items = collect(host, &from, "bytes.join", cost::C_ITERATION)?;
        let (low, high) = count(&items);
        let (mut least, mut most) =
            (between.low.saturating_mul(low.saturating_sub(1)), between.high.saturating_mul(high.saturating_sub(1)));
        let mut exact = items.rest.is_none().then(Vec::new);
        for (v, l, h) in items.exact.iter().map(|v| (v, 1, 1)).chain(items.rest.iter().map(|r| (&r.element, r.low, r.high))) {
            match as_text(host, v).as_ref().and_then(text_of) {
                Some(t) => {
                    least = least.saturating_add(t.low.saturating_mul(l));
                    most = most.saturating_add(t.high.saturating_mul(h));
                }
                None => {
                    host.may_raise("");
                    most = u64::MAX;
                }
            }
            match (v, &mut exact) {
                (V::Bytes(raw), Some(parts)) => parts.push(raw.to_vec()),
                _ => exact = None,
            }
        }
        allocates(host, FactKind::Materialisation, "bytes.join", least, most);
        if let (Some(parts), V::Bytes(sep)) = (exact, &sep)
            && most <= MAX_EXACT_TEXT as u64
        {
            return Ok(V::bytes(&parts.join(&sep[..])));
        }
        let text = Text::between(least, most, why_of(&[&sep]));
        Ok(if matches!(sep, V::Ref(_)) { host.alloc(Obj::ByteArray(text)) } else { V::ManyBytes(text) })
    })
}

/// `bytes.fromhex(text)`.
fn fromhex(host: &mut dyn Host, args: Args) -> R<V> {
    with(host, &args, [""], 1, 1, &|host, [text]| {
        let Some(t) = text_of(&text).filter(|_| matches!(text, V::Str(_) | V::Strs(_))) else {
            return wrong(host, &text.clone(), std::slice::from_ref(&text));
        };
        if let V::Str(s) = &text {
            let digits: Option<Vec<u32>> = s.chars().filter(|c| !c.is_ascii_whitespace()).map(|c| c.to_digit(16)).collect();
            if let Some(digits) = digits.filter(|d| d.len() % 2 == 0)
                && s.split_ascii_whitespace().all(|run| run.len() % 2 == 0)
            {
                return Ok(V::bytes(&digits.chunks(2).map(|pair| (pair[0] * 16 + pair[1]) as u8).collect::<Vec<_>>()));
            }
        }
        host.may_raise("ValueError");
        Ok(V::ManyBytes(Text::between(0, t.high / 2, t.why)))
    })
}

// ---- bytearray: what changes it --------------------------------------------------------------------------------------------

fn array_of(host: &mut dyn Host, v: &V) -> Option<(ObjId, Text)> {
    let V::Ref(id) = v else { return None };
    match host.store().get(*id) {
        Obj::ByteArray(t) => Some((*id, *t)),
        _ => None,
    }
}

fn resize(host: &mut dyn Host, id: ObjId, low: u64, high: u64) {
    host.store().mutate(id, true, |obj| {
        if let Obj::ByteArray(t) = obj {
            *t = Text::between(low, high, Why::Lost);
        }
    });
}

/// Adds a byte.
fn grow(host: &mut dyn Host, args: &Args, item: usize) -> R<V> {
    let Some((id, t)) = args.pos.first().cloned().and_then(|v| array_of(host, &v)) else { return Ok(host.unknown_call(args)) };
    let Some(byte) = args.pos.get(item) else { return type_error(host) };
    match index(host, &byte.clone())? {
        Some(n) if n.high < 0 || n.low > 255 => return Err(host.raise("ValueError", "byte must be in range(0, 256)")),
        Some(n) if n.low >= 0 && n.high <= 255 => {}
        _ => host.may_raise("ValueError"),
    }
    resize(host, id, t.low.saturating_add(1), t.high.saturating_add(1));
    Ok(V::None)
}

fn extend(host: &mut dyn Host, args: Args) -> R<V> {
    with(host, &args, ["", ""], 2, 1, &|host, [array, from]| {
        let Some((id, t)) = array_of(host, &array) else { return wrong(host, &array.clone(), &[array, from]) };
        let more = match as_text(host, &from).as_ref().and_then(text_of) {
            Some(more) => (more.low, more.high),
            None => {
                let mut byte = |host: &mut dyn Host, v: &V| Ok(index(host, v)?.is_some_and(|n| n.low >= 0 && n.high <= 255));
                let by = Consumer { callee: "bytearray.extend", floor: cost::C_ITERATION, keeps: 1, collects: true, goes_on: &mut byte };
                let items = consume(host, &from, by)?;
                host.may_raise("ValueError");
                host.may_raise("TypeError");
                count(&items)
            }
        };
        let (low, high) = (t.low.saturating_add(more.0), t.high.saturating_add(more.1));
        allocates(host, FactKind::Allocation, "bytearray.extend", low, high);
        resize(host, id, low, high);
        Ok(V::None)
    })
}

fn pop(host: &mut dyn Host, args: Args) -> R<V> {
    let Some((id, t)) = args.pos.first().cloned().and_then(|v| array_of(host, &v)) else { return Ok(host.unknown_call(&args)) };
    if t.high == 0 {
        return Err(host.raise("IndexError", "pop from empty bytearray"));
    }
    if t.low == 0 || args.pos.len() > 1 {
        host.may_raise("IndexError");
    }
    resize(host, id, t.low.saturating_sub(1), if t.high == u64::MAX { t.high } else { t.high - 1 });
    Ok(V::int(Int::range(0, 255), Why::Lost))
}

fn clear(host: &mut dyn Host, args: Args) -> R<V> {
    let Some((id, _)) = args.pos.first().cloned().and_then(|v| array_of(host, &v)) else { return Ok(host.unknown_call(&args)) };
    resize(host, id, 0, 0);
    Ok(V::None)
}

fn copy(host: &mut dyn Host, args: Args) -> R<V> {
    let Some((_, t)) = args.pos.first().cloned().and_then(|v| array_of(host, &v)) else { return Ok(host.unknown_call(&args)) };
    Ok(host.alloc(Obj::ByteArray(t)))
}

fn reverse(host: &mut dyn Host, args: Args) -> R<V> {
    match args.pos.first().cloned().and_then(|v| array_of(host, &v)) {
        Some(_) => Ok(V::None),
        None => Ok(host.unknown_call(&args)),
    }
}
