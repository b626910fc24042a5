//! `json`: what a text that is known says.

use std::rc::Rc;

use crate::library::common::table_add;
use crate::library::{Args, Entry, Host, R, list};
use crate::value::object::{DictKind, Key, Obj, Table, V};

use super::support::outside_any;

/// How deep a text may be nested that is read. Python gives up at its recursion limit.
const DEEPEST: u32 = 100;

/// Characters of a text that is read.
const LONGEST: usize = 1 << 16;

/// The entry for a name in the module.
pub fn find(name: &str) -> Option<Entry> {
    Some(Entry::Function(match name {
        "loads" => loads,
        _ => return None,
    }))
}

fn loads(host: &mut dyn Host, args: Args) -> R<V> {
    let text = match args.pos.first() {
        Some(V::Str(text)) if args.exactly(1) && text.len() <= LONGEST => text.clone(),
        _ => return outside_any(host, args),
    };
    host.burn(text.len() as u64 / 4)?;
    let mut reader = Reader { rest: &text };
    match reader.document() {
        Ok(value) => Ok(value.build(host)),
        Err(Failure::Invalid) => Err(host.raise("json.JSONDecodeError", "")),
        Err(Failure::NotFollowed) => outside_any(host, args),
    }
}

enum Json {
    Plain(V),
    List(Vec<Json>),
    Dict(Vec<(V, Json)>),
}

impl Json {
    fn build(self, host: &mut dyn Host) -> V {
        match self {
            Json::Plain(value) => value,
            Json::List(items) => {
                let items = items.into_iter().map(|item| item.build(host)).collect();
                list(host, items)
            }
            Json::Dict(items) => {
                let (mut table, mut escapes) = (Table::default(), Vec::new());
                for (key, value) in items {
                    let value = value.build(host);
                    table_add(&mut table, Key::of(&key), &key, value, &mut escapes);
                }
                host.alloc(Obj::Dict(Rc::new(table), DictKind::Plain))
            }
        }
    }
}

enum Failure {
    /// Python raises.
    Invalid,
    /// What Python makes of it is not represented.
    NotFollowed,
}

type Read<T> = Result<T, Failure>;

struct Reader<'t> {
    rest: &'t str,
}

impl Reader<'_> {
    fn document(&mut self) -> Read<Json> {
        let value = self.value(0)?;
        self.space();
        if self.rest.is_empty() { Ok(value) } else { Err(Failure::Invalid) }
    }

    fn space(&mut self) {
        self.rest = self.rest.trim_start_matches([' ', '\t', '\n', '\r']);
    }

    fn takes(&mut self, text: &str) -> bool {
        let after = self.rest.strip_prefix(text);
        self.rest = after.unwrap_or(self.rest);
        after.is_some()
    }

    fn value(&mut self, depth: u32) -> Read<Json> {
        self.space();
        if depth > DEEPEST {
            return Err(Failure::NotFollowed);
        }
        let words = [
            ("null", V::None),
            ("true", V::Bool(true)),
            ("false", V::Bool(false)),
            ("NaN", V::Float(f64::NAN)),
            ("Infinity", V::Float(f64::INFINITY)),
            ("-Infinity", V::Float(f64::NEG_INFINITY)),
        ];
        for (word, value) in words {
            if self.takes(word) {
                return Ok(Json::Plain(value));
            }
        }
        match self.rest.bytes().next() {
            Some(b'"') => Ok(Json::Plain(self.string()?)),
            Some(b'[') => self.list(depth),
            Some(b'{') => self.dict(depth),
            Some(b'-' | b'0'..=b'9') => self.number(),
            _ => Err(Failure::Invalid),
        }
    }

    fn list(&mut self, depth: u32) -> Read<Json> {
        self.takes("[");
        self.space();
        let mut items = Vec::new();
        if self.takes("]") {
            return Ok(Json::List(items));
        }
        loop {
            items.push(self.value(depth + 1)?);
            self.space();
            if self.takes("]") {
                return Ok(Json::List(items));
            }
            if !self.takes(",") {
                return Err(Failure::Invalid);
            }
        }
    }

    fn dict(&mut self, depth: u32) -> Read<Json> {
        self.takes("{");
        self.space();
        let mut items = Vec::new();
        if self.takes("}") {
            return Ok(Json::Dict(items));
        }
        loop {
            self.space();
            if !self.rest.starts_with('"') {
                return Err(Failure::Invalid);
            }
            let key = self.string()?;
            self.space();
            if !self.takes(":") {
                return Err(Failure::Invalid);
            }
            items.push((key, self.value(depth + 1)?));
            self.space();
            if self.takes("}") {
                return Ok(Json::Dict(items));
            }
            if !self.takes(",") {
                return Err(Failure::Invalid);
            }
        }
    }

    fn number(&mut self) -> Read<Json> {
        let digits = |text: &str| text.bytes().take_while(u8::is_ascii_digit).count();
        let text = self.rest;
        let sign = usize::from(text.starts_with('-'));
        let whole = if text[sign..].starts_with('0') { 1 } else { digits(&text[sign..]) };
        if whole == 0 {
            return Err(Failure::Invalid);
        }
        let mut end = sign + whole;
        let fraction = text[end..].strip_prefix('.').map_or(0, digits);
        let is_whole = fraction == 0;
        end += if is_whole { 0 } else { 1 + fraction };
        let mut power = 0;
        if let Some(after) = text[end..].strip_prefix(['e', 'E']) {
            let sign = usize::from(after.starts_with(['+', '-']));
            let size = digits(&after[sign..]);
            power = if size == 0 { 0 } else { 1 + sign + size };
        }
        end += power;
        let (number, rest) = text.split_at(end);
        self.rest = rest;
        let value = if is_whole && power == 0 { number.parse().ok().map(V::Int) } else { number.parse().ok().map(V::Float) };
        value.map(Json::Plain).ok_or(Failure::NotFollowed)
    }

    fn string(&mut self) -> Read<V> {
        self.takes("\"");
        let mut out = String::new();
        loop {
            let mut chars = self.rest.chars();
            let next = chars.next().ok_or(Failure::Invalid)?;
            self.rest = chars.as_str();
            match next {
                '"' => return Ok(V::str(&out)),
                '\\' => out.push(self.escape()?),
                '\0'..='\x1f' => return Err(Failure::Invalid),
                other => out.push(other),
            }
        }
    }

    fn escape(&mut self) -> Read<char> {
        let mut chars = self.rest.chars();
        let next = chars.next().ok_or(Failure::Invalid)?;
        self.rest = chars.as_str();
        Ok(match next {
            '"' | '\\' | '/' => next,
            'b' => '\x08',
            'f' => '\x0c',
            'n' => '\n',
            'r' => '\r',
            't' => '\t',
            'u' => {
                let digits = self.rest.get(..4).filter(|d| d.bytes().all(|b| b.is_ascii_hexdigit())).ok_or(Failure::Invalid)?;
                self.rest = &self.rest[4..];
                let unit = u32::from_str_radix(digits, 16).map_err(|_| Failure::Invalid)?;
                // Surrogates make pairs, or stay what no text of ours holds.
                char::from_u32(unit).ok_or(Failure::NotFollowed)?
            }
            _ => return Err(Failure::Invalid),
        })
    }
}
