//! Builtins that turn values into text, and those that read and write it.

use std::collections::HashMap;

use crate::fact::FactKind;
use crate::library::builtins::numbers::digits_convert;
use crate::library::common::{allocates, bind, dunder, is_instance_object, kind, open_instance, type_error, unknown, why_of, with, wrong};
use crate::library::{Args, Entry, Host, R};
use crate::value::cost;
use crate::value::format::{C_INT, Formatted, Spec, Value};
use crate::value::int::Int;
use crate::value::object::{DictKind, Digits, MAX_EXACT_TEXT, Obj, Sym, Text, Tuple, V, Why};
use crate::value::text::{repr_bytes, repr_str};

/// The entry for a name.
pub fn find(name: &str) -> Option<Entry> {
    Some(match name {
        "str" => Entry::Type(str),
        "repr" => Entry::Function(repr),
        "ascii" => Entry::Function(ascii),
        "format" => Entry::Function(format),
        "print" => Entry::Function(print),
        "open" => Entry::Function(open),
        "input" => Entry::Function(input),
        _ => return None,
    })
}

/// Text as far as it is known: exact, or its least and greatest length.
pub enum Shown {
    /// The text.
    Exact(String),
    /// Its length in characters, and why it is not exact.
    Length(u64, u64, Why),
}

impl Shown {
    /// As a value.
    pub fn value(self) -> V {
        match self {
            Shown::Exact(s) => V::str(&s),
            Shown::Length(low, high, why) => V::strs(low, high, why),
        }
    }

    fn of(v: &V) -> Shown {
        match v {
            V::Str(s) => Shown::Exact(s.to_string()),
            V::Strs(t) => Shown::Length(t.low, t.high, t.why),
            _ => Shown::Length(0, u64::MAX, Why::Lost),
        }
    }

    fn bounds(&self) -> (u64, u64) {
        match self {
            Shown::Exact(s) => {
                let n = s.chars().count() as u64;
                (n, n)
            }
            Shown::Length(low, high, _) => (*low, *high),
        }
    }

    /// This text, then another one.
    pub fn then(self, other: &Shown) -> Shown {
        match (self, other) {
            (Shown::Exact(a), Shown::Exact(b)) if a.len() + b.len() <= MAX_EXACT_TEXT => Shown::Exact(a + b),
            (a, b) => {
                let (x, y) = (a.bounds(), b.bounds());
                let why = [&a, b].into_iter().filter_map(|s| if let Shown::Length(_, _, why) = s { Some(*why) } else { None });
                let why = Why::of_all(why).unwrap_or(Why::Lost);
                Shown::Length(x.0.saturating_add(y.0), x.1.saturating_add(y.1), why)
            }
        }
    }
}

fn exact(text: &str) -> R<Shown> {
    Ok(Shown::Exact(text.to_owned()))
}

/// How deep containers are rendered.
const DEPTH: u32 = 6;

/// How many items of a container are rendered.
const RENDERED: usize = 2048;

/// `str(value)` or `repr(value)`.
pub fn render(host: &mut dyn Host, value: &V, repr: bool, depth: u32) -> R<Shown> {
    host.burn(1)?;
    let why = why_of(&[value]);
    if depth == DEPTH
        && let Some(least) = least_text(host, value)?
        && allocates(host, FactKind::Format, if repr { "repr" } else { "str" }, least, u64::MAX)
    {
        return Ok(Shown::Length(least, u64::MAX, Why::Lost));
    }
    match value {
        V::Str(s) if !repr => exact(s),
        V::Str(s) => Ok(match repr_str(s) {
            Some(text) => Shown::Exact(text),
            None => {
                let n = s.chars().count() as u64;
                Shown::Length(n + 2, n.saturating_mul(10) + 2, Why::Lost)
            }
        }),
        V::Strs(t) if !repr => Ok(Shown::Length(t.low, t.high, t.why)),
        V::Strs(t) => Ok(Shown::Length(t.low.saturating_add(2), t.high.saturating_mul(10).saturating_add(2), t.why)),
        V::Bytes(b) => Ok(Shown::Exact(repr_bytes(b))),
        V::ManyBytes(t) => Ok(Shown::Length(t.low.saturating_add(3), t.high.saturating_mul(4).saturating_add(3), t.why)),
        V::None => exact("None"),
        V::Ellipsis => exact("Ellipsis"),
        V::NotImplemented => exact("NotImplemented"),
        V::Bool(true) => exact("True"),
        V::Bool(false) => exact("False"),
        V::AnyBool(why) => Ok(Shown::Length(4, 5, *why)),
        V::Int(n) => Ok(Shown::Exact(n.to_string())),
        V::Ints(r) => {
            let (low, high) = r.0.decimal_length();
            let sign = u64::from(r.0.may_be_negative());
            if digits_convert(host, (low.saturating_sub(sign), high))? {
                let (least, most) = (r.0.bits_low, r.0.bits_high);
                if least > host.limits().int_bits {
                    host.integer(FactKind::Digits, "str", format!("an integer of {least} bits as text"), (least, most));
                }
                host.cost(cost::int_to_str(least));
            }
            Ok(Shown::Length(low, high, r.1))
        }
        V::Float(f) => Ok(Shown::Exact(crate::value::decimal::repr_float(*f))),
        V::Floats(_) => Ok(Shown::Length(3, 24, why)),
        V::Complex(_) => Ok(Shown::Length(2, 60, why)),
        V::Tuple(t) => match &**t {
            Tuple::Exact(items) if depth > 0 && items.len() <= RENDERED => {
                let close = if items.len() == 1 { ",)" } else { ")" };
                sequence(host, "(", items, close, depth)
            }
            _ => Ok(Shown::Length(2, u64::MAX, Why::Lost)),
        },
        V::Range(parts) => {
            let shown: Vec<String> = parts.iter().filter_map(V::exact_int).map(|n| n.to_string()).collect();
            Ok(match shown.as_slice() {
                [a, b, c] if c == "1" => Shown::Exact(format!("range({a}, {b})")),
                [a, b, c] => Shown::Exact(format!("range({a}, {b}, {c})")),
                _ => Shown::Length(11, u64::MAX, why),
            })
        }
        V::Exc(e) => {
            let class = e.class.text();
            let plain = crate::library::exceptions::class(&class) == Some(&*class) && !is_special(&class);
            match (&e.args, plain, depth) {
                (Some(args), true, 1..) => {
                    let args = args.clone();
                    match (repr, args.as_slice()) {
                        (false, []) => exact(""),
                        (false, [one]) => render(host, one, &*class == "KeyError", depth - 1),
                        (false, _) => sequence(host, "(", &args, ")", depth),
                        (true, _) => sequence(host, &format!("{class}("), &args, ")", depth),
                    }
                }
                _ => Ok(Shown::Length(0, u64::MAX, Why::Lost)),
            }
        }
        V::Ref(id) => {
            let obj = host.store().get(*id).clone();
            match obj {
                Obj::List(items) if depth > 0 && items.rest.is_none() && items.exact.len() <= RENDERED => {
                    sequence(host, "[", &items.exact, "]", depth)
                }
                Obj::Dict(table, DictKind::Plain) if depth > 0 && table.rest.is_none() && table.exact.len() <= RENDERED => {
                    let mut out = Shown::Exact("{".to_owned());
                    for (i, (k, v)) in table.exact.values().enumerate() {
                        if i > 0 {
                            out = out.then(&Shown::Exact(", ".to_owned()));
                        }
                        out = out.then(&render(host, k, true, depth - 1)?).then(&Shown::Exact(": ".to_owned())).then(&render(
                            host,
                            v,
                            true,
                            depth - 1,
                        )?);
                    }
                    Ok(out.then(&Shown::Exact("}".to_owned())))
                }
                Obj::Set(table, false) if table.exact.is_empty() && table.rest.is_none() => exact("set()"),
                Obj::Set(table, false) if table.exact.len() == 1 && table.rest.is_none() && depth > 0 => {
                    let items: Vec<V> = table.exact.values().map(|(k, _)| k.clone()).collect();
                    sequence(host, "{", &items, "}", depth)
                }
                Obj::List(items) | Obj::Deque(items, _) => {
                    parts_of_unknown(host, items.exact.iter().chain(items.rest.iter().map(|r| &r.element)).cloned().collect());
                    Ok(Shown::Length(2, u64::MAX, Why::Lost))
                }
                Obj::Dict(table, _) | Obj::Set(table, _) => {
                    let mut parts: Vec<V> = Vec::new();
                    for (k, v) in table.exact.values() {
                        parts.extend([k.clone(), v.clone()]);
                    }
                    parts.extend(table.rest.iter().flat_map(|r| [r.element.clone(), r.value.clone()]));
                    parts_of_unknown(host, parts);
                    Ok(Shown::Length(2, u64::MAX, Why::Lost))
                }
                Obj::Instance { .. } => instance_text(host, value, repr),
                Obj::Escaped(_) => {
                    host.may_raise("");
                    Ok(Shown::Length(0, u64::MAX, Why::Lost))
                }
                _ => Ok(Shown::Length(1, u64::MAX, Why::Lost)),
            }
        }
        V::Lib(_) | V::Module(_) | V::Slice(_) => Ok(Shown::Length(1, u64::MAX, Why::Lost)),
        V::OneOf(_) => Ok(Shown::of(&host.text(value, repr)?)),
        V::Instance(class, why) if class.text().starts_with("datetime.") => Ok(Shown::Length(0, 100, *why)),
        _ => {
            unknown(host, std::slice::from_ref(value));
            Ok(Shown::Length(0, u64::MAX, value.why().unwrap_or(Why::OUTSIDE)))
        }
    }
}

/// Containers looked at for the length of a text, and how deep.
const MEASURED: usize = 512;
const MEASURED_DEPTH: u32 = 150;

/// The least length of the text of containers within containers of plain data, each of which is written as often as it is reached:
/// as `repr` and JSON write it. None for all else.
pub fn least_text(host: &mut dyn Host, value: &V) -> R<Option<u64>> {
    let nests = match value {
        V::Ref(id) => match host.store().get(*id) {
            Obj::List(items) => items.exact.len() < MEASURED && items.exact.iter().any(|v| matches!(v, V::Ref(_) | V::Tuple(_))),
            Obj::Dict(table, DictKind::Plain) => {
                table.exact.len() < MEASURED && table.exact.values().any(|(_, v)| matches!(v, V::Ref(_) | V::Tuple(_)))
            }
            _ => false,
        },
        V::Tuple(t) => {
            matches!(&**t, Tuple::Exact(items) if items.len() < MEASURED && items.iter().any(|v| matches!(v, V::Ref(_) | V::Tuple(_))))
        }
        _ => false,
    };
    if !nests {
        return Ok(None);
    }
    let mut measure = Measure { known: HashMap::new(), seen: 0 };
    let least = measure.of(host, value, MEASURED_DEPTH);
    host.burn(measure.seen as u64)?;
    Ok(least)
}

/// Lengths of the texts of containers; of one that is being measured there is none.
struct Measure {
    known: HashMap<usize, Option<u64>>,
    seen: usize,
}

impl Measure {
    fn of(&mut self, host: &mut dyn Host, value: &V, depth: u32) -> Option<u64> {
        self.seen += 1;
        let (key, items) = match value {
            V::None | V::Bool(_) | V::AnyBool(_) => return Some(4),
            V::Int(_) | V::Ints(_) => return Some(1),
            V::Float(_) | V::Floats(_) => return Some(3),
            V::Str(s) => return Some(s.chars().count() as u64 + 2),
            V::Strs(t) => return Some(t.low.saturating_add(2)),
            V::Ref(id) if host.store().is_summary(*id) => return None,
            V::Ref(id) => {
                let items = match host.store().get(*id) {
                    Obj::List(items) if items.rest.is_none() => items.exact.clone(),
                    Obj::Dict(table, DictKind::Plain) if table.rest.is_none() => {
                        table.exact.values().flat_map(|(k, v)| [k.clone(), v.clone()]).collect()
                    }
                    _ => return None,
                };
                (id.0 as usize, items)
            }
            V::Tuple(t) => match &**t {
                Tuple::Exact(items) => (std::ptr::from_ref::<Tuple>(t).addr(), items.clone()),
                Tuple::Bag { .. } => return None,
            },
            _ => return None,
        };
        if let Some(known) = self.known.get(&key) {
            return *known;
        }
        self.known.insert(key, None);
        if depth == 0 || self.seen + items.len() > 8 * MEASURED {
            return None;
        }
        // What stands between them, and around them.
        let mut least = 2 * (items.len() as u64).max(1);
        for item in &items {
            least = least.saturating_add(self.of(host, item, depth - 1)?);
        }
        self.known.insert(key, Some(least));
        Some(least)
    }
}

/// Exceptions whose text is not that of their arguments.
fn is_special(class: &str) -> bool {
    class.ends_with("Group")
        || ["OSError", "SyntaxError", "UnicodeError", "ImportError"]
            .iter()
            .any(|base| crate::library::exceptions::derives(class, base) == Some(true))
}

/// Text of parts that are not looked at: what they do when asked for it is unknown, unless they are plain values.
fn parts_of_unknown(host: &mut dyn Host, parts: Vec<V>) {
    let strange: Vec<V> = parts.into_iter().filter(|v| !crate::library::common::is_plain(v)).collect();
    if !strange.is_empty() {
        // Containers within may hold objects of the program; their own text is what matters.
        let instances = strange.iter().any(|v| kind(host, v).is_none());
        if instances {
            unknown(host, &strange);
        } else {
            host.may_raise("");
        }
    }
}

fn sequence(host: &mut dyn Host, open: &str, items: &[V], close: &str, depth: u32) -> R<Shown> {
    let mut out = Shown::Exact(open.to_owned());
    for (i, v) in items.iter().enumerate() {
        if i > 0 {
            out = out.then(&Shown::Exact(", ".to_owned()));
        }
        out = out.then(&render(host, v, true, depth.saturating_sub(1))?);
    }
    Ok(out.then(&Shown::Exact(close.to_owned())))
}

/// The text of an instance of a class of the program, by its own methods.
fn instance_text(host: &mut dyn Host, value: &V, repr: bool) -> R<Shown> {
    if let Some(known) = crate::library::modules::text(host, value, repr) {
        return Ok(Shown::of(&V::str(&known)));
    }
    if open_instance(host, value) {
        unknown(host, std::slice::from_ref(value));
        return Ok(Shown::Length(0, u64::MAX, Why::Lost));
    }
    // Without methods of its own an exception shows its arguments, and any other object its address.
    let own = dunder(host, value, "__repr__").is_some() || (!repr && dunder(host, value, "__str__").is_some());
    if !own {
        return Ok(Shown::Length(0, u64::MAX, Why::Lost));
    }
    Ok(Shown::of(&host.text(value, repr)?))
}

fn str(host: &mut dyn Host, args: Args) -> R<V> {
    if args.exactly(0) {
        return Ok(V::str(""));
    }
    with(host, &args, ["object", "encoding", "errors"], 0, 1, &|host, [x, encoding, errors]| {
        if matches!((&encoding, &errors), (V::Undef, V::Undef)) {
            if matches!(x, V::Undef) {
                return Ok(V::str(""));
            }
            let digits = match &x {
                V::Ints(r) if r.0.lower().is_some_and(|low| low > 0) => Digits::Number,
                V::Ints(r) if r.0.lower().is_some_and(|low| low >= 0) => Digits::Only,
                _ => Digits::No,
            };
            return Ok(match render(host, &x, false, DEPTH)?.value() {
                V::Strs(text) if digits != Digits::No => V::Strs(Text { digits, ..text }),
                text => text,
            });
        }
        let decode = V::lib("bytes.decode");
        match x {
            V::Bytes(_) | V::ManyBytes(_) => {
                host.call(&decode, Args::of([x, encoding, errors].into_iter().filter(|v| !matches!(v, V::Undef))))
            }
            _ => wrong(host, &x.clone(), &[x, encoding, errors]),
        }
    })
}

fn repr(host: &mut dyn Host, args: Args) -> R<V> {
    with(host, &args, [""], 1, 1, &|host, [x]| Ok(render(host, &x, true, DEPTH)?.value()))
}

fn ascii(host: &mut dyn Host, args: Args) -> R<V> {
    with(host, &args, [""], 1, 1, &|host, [x]| {
        Ok(match render(host, &x, true, DEPTH)? {
            Shown::Exact(s) if s.is_ascii() => V::str(&s),
            other => {
                let (low, high) = other.bounds();
                V::strs(low, high.saturating_mul(10), Why::Lost)
            }
        })
    })
}

/// `format(value, spec)`.
pub fn format(host: &mut dyn Host, args: Args) -> R<V> {
    with(host, &args, ["", ""], 1, 2, &|host, [x, spec]| {
        let spec = if matches!(spec, V::Undef) { V::str("") } else { spec };
        Ok(formatted(host, &x, &spec)?.value())
    })
}

/// The text of a value under a format spec.
pub fn formatted(host: &mut dyn Host, x: &V, spec: &V) -> R<Shown> {
    if is_instance_object(host, x) {
        if let Some(method) = dunder(host, x, "__format__").filter(|_| !open_instance(host, x)) {
            let text = host.call(&method, Args::of([x.clone(), spec.clone()]))?;
            return Ok(Shown::of(&text));
        }
        if matches!(spec, V::Str(s) if s.is_empty()) {
            return instance_text(host, x, false);
        }
        unknown(host, &[x.clone(), spec.clone()]);
        return Ok(Shown::Length(0, u64::MAX, Why::Lost));
    }
    let V::Str(s) = spec else {
        if !matches!(spec, V::Strs(_) | V::Unknown(_)) && kind(host, spec).is_some() {
            return type_error(host);
        }
        host.may_raise("ValueError");
        if kind(host, x).is_none() {
            unknown(host, std::slice::from_ref(x));
        } else {
            host.may_raise("TypeError");
            host.may_raise("OverflowError");
        }
        return Ok(Shown::Length(0, u64::MAX, why_of(&[spec, x])));
    };
    if s.is_empty() {
        return render(host, x, false, DEPTH);
    }
    let why = why_of(&[x]);
    let parsed = Spec::parse(s);
    let known = match x {
        V::Int(n) => Some(Value::Int(*n)),
        V::Bool(b) => Some(Value::Int(i128::from(*b))),
        V::Float(f) => Some(Value::Float(*f)),
        V::Str(t) => Some(Value::Str(t)),
        _ => None,
    };
    let standard = known.is_some() || x.is_number() || matches!(x, V::Strs(_));
    if !standard {
        if matches!(x, V::Complex(_)) {
            host.may_raise("ValueError");
            return Ok(Shown::Length(0, u64::MAX, why));
        }
        if kind(host, x).is_some() {
            return type_error(host);
        }
        unknown(host, std::slice::from_ref(x));
        return Ok(Shown::Length(0, u64::MAX, why));
    }
    let Some(parsed) = parsed else { return Err(host.raise("ValueError", "Invalid format specifier")) };
    let Ok(spec) = parsed else {
        host.may_raise("ValueError");
        return Ok(Shown::Length(0, u64::MAX, Why::Lost));
    };
    let width = spec.width.unwrap_or(0);
    let digits = if matches!(spec.kind, Some('f' | 'F' | 'e' | 'E' | '%')) && x.is_number() { spec.precision.unwrap_or(0) } else { 0 };
    let least = width.max(digits);
    if least > MAX_EXACT_TEXT as u64 {
        let numeric = matches!(spec.kind, None | Some('b' | 'c' | 'd' | 'o' | 'x' | 'X' | 'e' | 'E' | 'f' | 'F' | 'g' | 'G' | 'n' | '%'));
        let fits = match x {
            V::Str(_) | V::Strs(_) => matches!(spec.kind, None | Some('s')) && spec.align != Some('=') && !spec.zero && spec.sign.is_none(),
            V::Int(_) | V::Ints(_) | V::Bool(_) | V::AnyBool(_) => numeric,
            V::Float(_) | V::Floats(_) => numeric && !matches!(spec.kind, Some('b' | 'c' | 'd' | 'o' | 'x' | 'X')),
            _ => false,
        };
        // What does not fit raises at once, and so does a precision beyond a C int.
        if fits && spec.precision.unwrap_or(0) <= C_INT {
            allocates(host, FactKind::Format, "format", least, least);
        }
        // A precision beyond a C int, or more than there is memory for.
        host.may_raise("ValueError");
        host.may_raise("OverflowError");
        host.may_raise("MemoryError");
        return Ok(Shown::Length(least, u64::MAX, why));
    }
    // The type n depends on the locale, and a bool under no type is a word in some versions.
    if let (Some(known), true) = (known, spec.kind != Some('n') && !(matches!(x, V::Bool(_)) && spec.kind.is_none())) {
        match crate::value::format::format(known, s) {
            Formatted::Text(text) => return Ok(Shown::Exact(text)),
            Formatted::ValueError => {
                // An integer for a character may instead be out of range.
                if spec.kind == Some('c') {
                    host.may_raise("OverflowError");
                }
                return Err(host.raise("ValueError", ""));
            }
            Formatted::Unknown => {}
        }
    }
    if let (V::Ints(r), None | Some('d'), None) = (x, spec.kind, spec.precision)
        && let Some((low, high)) = short_decimal(&r.0)
    {
        // With separators, and a sign that was asked for.
        return Ok(Shown::Length(low.max(width), (high + high / 3 + 2).max(width), why));
    }
    host.may_raise("ValueError");
    host.may_raise("OverflowError");
    let content = match (x, spec.precision) {
        (V::Strs(t), None) => (t.low, t.high),
        (V::Strs(t), Some(p)) => (t.low.min(p), t.high.min(p)),
        _ => (1, u64::MAX),
    };
    Ok(Shown::Length(content.0.max(width), content.1.max(width), why))
}

/// The length of an integer that certainly is short enough to be converted under every limit on digits.
pub fn short_decimal(int: &Int) -> Option<(u64, u64)> {
    let (low, high) = int.decimal_length();
    (high < LEAST_DIGITS).then_some((low, high))
}

/// The lowest limit on digits that can be set.
const LEAST_DIGITS: u64 = 640;

fn print(host: &mut dyn Host, args: Args) -> R<V> {
    host.cost(cost::PRINT.seconds);
    for v in &args.pos {
        match v {
            V::Str(_) | V::Strs(_) | V::Int(_) | V::Float(_) | V::Floats(_) | V::None | V::Bool(_) | V::AnyBool(_) => {}
            v => {
                host.text(v, false)?;
            }
        }
    }
    let streams = ["sys.stdout", "sys.stderr"];
    let own = |v: &V| matches!(v, V::None) || matches!(v, V::Lib(name) if streams.contains(&&*name.text()));
    if args.keyword("file").is_none_or(own) {
        let parts: u64 = args.pos.iter().map(|v| crate::value::store::text_of(v).map_or(0, |text| text.low)).sum();
        let end = u64::from(args.keyword("end").is_none());
        let between = if args.keyword("sep").is_none() { args.pos.len().saturating_sub(1) as u64 } else { 0 };
        host.writes(parts.saturating_add(end + between), "print");
    }
    for (name, value) in &args.kw {
        match &*name.text() {
            "sep" | "end" => match value {
                V::None | V::Str(_) | V::Strs(_) => {}
                v if kind(host, v).is_some() => return type_error(host),
                _ => host.may_raise("TypeError"),
            },
            "flush" => {
                host.truth(value)?;
            }
            "file" => {
                if !matches!(value, V::None | V::Lib(_)) {
                    // Its `write` may do anything with the text; the values themselves are not handed over.
                    unknown(host, std::slice::from_ref(value));
                }
            }
            _ => return type_error(host),
        }
    }
    Ok(V::None)
}

fn input(host: &mut dyn Host, args: Args) -> R<V> {
    let Some([prompt]) = bind(host, &args, [""], 0)? else { return Ok(host.unknown_call(&args)) };
    if !matches!(prompt, V::Undef) {
        host.text(&prompt, false)?;
    }
    crate::library::modules::stdin::read(host, "input", "EOFError");
    host.may_raise("EOFError");
    host.may_raise("UnicodeDecodeError");
    Ok(V::strs(0, u64::MAX, Why::OUTSIDE))
}

/// A file: what is in it comes from outside.
fn open(host: &mut dyn Host, args: Args) -> R<V> {
    if args.pos.is_empty() && args.kw.is_empty() {
        return type_error(host);
    }
    for class in ["OSError", "ValueError", "TypeError", "LookupError"] {
        host.may_raise(class);
    }
    if let Some(opener) = args.keyword("opener").cloned() {
        unknown(host, &[opener]);
    }
    Ok(match args.get(1, "mode") {
        None => V::Instance(Sym::new("io.TextIOWrapper"), Why::OUTSIDE),
        Some(V::Str(mode)) if !mode.contains('b') => V::Instance(Sym::new("io.TextIOWrapper"), Why::OUTSIDE),
        Some(V::Str(_)) => V::Instance(Sym::new("io.IOBase"), Why::OUTSIDE),
        Some(_) => V::Unknown(Why::OUTSIDE),
    })
}
