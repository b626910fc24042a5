//! Methods of bytes.

use crate::library::common::{unknown, why_of, with, wrong};
use crate::library::{Args, Entry, Host, R};
use crate::value::object::{Text, V};
use crate::value::store::text_of;

/// The entry for a method.
pub fn find(owner: &str, method: &str) -> Option<Entry> {
    Some(Entry::Function(match (owner, method) {
        ("bytes", "decode") => decode,
        ("bytes", "hex") => hex,
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
