//! Abstract values: exact wherever they are known, bounded where they are not.

use std::cell::RefCell;
use std::collections::HashMap;
use std::rc::Rc;

use crate::syntax::code::{CodeId, Pc};

use super::float::Float;
use super::int::Int;
pub use super::why::{Source, Why};

/// An interned identifier or qualified name.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Hash, PartialOrd, Ord)]
pub struct Sym(pub u32);

#[derive(Default)]
struct Interner {
    by_text: HashMap<Rc<str>, u32>,
    texts: Vec<Rc<str>>,
}

thread_local! {
    static INTERNER: RefCell<Interner> = RefCell::default();
}

impl Sym {
    /// Interns a text for the evaluation that runs on this thread.
    pub fn new(text: &str) -> Sym {
        INTERNER.with_borrow_mut(|interner| {
            if let Some(&at) = interner.by_text.get(text) {
                return Sym(at);
            }
            let text: Rc<str> = text.into();
            let at = interner.texts.len() as u32;
            interner.texts.push(text.clone());
            interner.by_text.insert(text, at);
            Sym(at)
        })
    }

    /// The text.
    pub fn text(self) -> Rc<str> {
        INTERNER.with_borrow(|interner| interner.texts[self.0 as usize].clone())
    }

    /// Does work that begins without any names. Those that were there before are there again after it, whatever becomes of it;
    /// values that were made on one side mean nothing on the other.
    pub fn apart<T>(work: impl FnOnce() -> T) -> T {
        struct Restored(Option<Interner>);
        impl Drop for Restored {
            fn drop(&mut self) {
                INTERNER.set(self.0.take().unwrap_or_default());
            }
        }
        let _outer = Restored(Some(INTERNER.take()));
        work()
    }
}

/// Number of a heap object.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Hash, PartialOrd, Ord)]
pub struct ObjId(pub u32);

/// A string or bytes of which only the length is bounded (in characters or bytes).
#[derive(Debug, Clone, Copy, PartialEq, Eq, Hash)]
pub struct Text {
    /// Least length.
    pub low: u64,
    /// Greatest length.
    pub high: u64,
    /// Why it is not exact.
    pub why: Why,
    /// Whether it is made of decimal digits only.
    pub digits: Digits,
    /// Its characters, where they are one text over and over, and little beside.
    pub made: Option<Made>,
}

/// Characters of ASCII that are too many to be kept: one text over and over, between two others.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Hash)]
pub struct Made {
    /// What comes first.
    pub before: Sym,
    /// What is repeated.
    pub unit: Sym,
    /// How often.
    pub copies: u64,
    /// What comes last.
    pub after: Sym,
}

/// Texts around a repetition, and in it, are at most so long.
const MAX_AROUND: usize = 1 << 10;

impl Made {
    /// A text over and over.
    pub fn of(unit: &V, copies: u64) -> Option<Made> {
        match unit {
            V::Str(text) if text.is_ascii() && !text.is_empty() && text.len() <= MAX_AROUND => {
                Some(Made { before: Sym::new(""), unit: Sym::new(text), copies, after: Sym::new("") })
            }
            _ => None,
        }
    }

    /// One text followed by another, of which one is made so.
    pub fn join(a: &V, b: &V) -> Option<Made> {
        let around =
            |a: &str, b: &str| (a.len() + b.len() <= MAX_AROUND && a.is_ascii() && b.is_ascii()).then(|| Sym::new(&format!("{a}{b}")));
        match (a, b) {
            (V::Str(text), V::Strs(Text { made: Some(made), .. })) => Some(Made { before: around(text, &made.before.text())?, ..*made }),
            (V::Strs(Text { made: Some(made), .. }), V::Str(text)) => Some(Made { after: around(&made.after.text(), text)?, ..*made }),
            _ => None,
        }
    }
}

/// Whether a text is made of the digits 0 to 9 only.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Hash, PartialOrd, Ord)]
pub enum Digits {
    /// Not known.
    No,
    /// It is.
    Only,
    /// It is, and the first of them is not 0.
    Number,
}

impl Digits {
    /// Of a text that is known.
    pub fn of(text: &str) -> Digits {
        match text.as_bytes() {
            all if !all.iter().all(u8::is_ascii_digit) => Digits::No,
            [] | [b'0', ..] => Digits::Only,
            _ => Digits::Number,
        }
    }

    /// Of one text followed by another.
    #[must_use]
    pub fn then(self, other: Digits) -> Digits {
        if other == Digits::No { Digits::No } else { self }
    }

    /// Of a part of the text.
    #[must_use]
    pub fn part(self) -> Digits {
        self.min(Digits::Only)
    }
}

impl Text {
    /// Text of which only the length is bounded.
    pub fn between(low: u64, high: u64, why: Why) -> Text {
        Text { low, high, why, digits: Digits::No, made: None }
    }

    /// One character of it.
    #[must_use]
    pub fn character(self) -> Text {
        Text { low: 1, high: 1, digits: self.digits.part(), made: None, ..self }
    }
}

/// A tuple: exact elements, or elements bounded by one value and a length interval.
#[derive(Debug, Clone, PartialEq)]
pub enum Tuple {
    /// Every element is known by position.
    Exact(Vec<V>),
    /// Any element is one of `element`; between `low` and `high` of them.
    Bag {
        /// What each element may be.
        element: V,
        /// Least length.
        low: u64,
        /// Greatest length.
        high: u64,
    },
}

/// An exception made by a builtin class.
#[derive(Debug, Clone, PartialEq)]
pub struct Exc {
    /// The class, by name.
    pub class: Sym,
    /// Its arguments, when known.
    pub args: Option<Vec<V>>,
}

/// An abstract value. [`V::Unknown`] may be anything, and may alias only objects that have escaped. Equality is that of
/// representation: floats by their bits.
#[derive(Debug, Clone)]
#[expect(missing_docs, reason = "most variants name a Python type")]
pub enum V {
    /// No value: an unbound variable.
    Undef,
    /// Anything at all.
    Unknown(Why),
    None,
    Ellipsis,
    NotImplemented,
    Bool(bool),
    /// True or False.
    AnyBool(Why),
    Int(i128),
    /// An int between bounds.
    Ints(Rc<(Int, Why)>),
    Float(f64),
    /// A float between bounds.
    Floats(Rc<(Float, Why)>),
    /// Some complex number.
    Complex(Why),
    Str(Rc<str>),
    /// A str of bounded length.
    Strs(Text),
    Bytes(Rc<[u8]>),
    /// A bytes object of bounded length.
    ManyBytes(Text),
    Tuple(Rc<Tuple>),
    /// `range(start, stop, step)`, each an int.
    Range(Rc<[V; 3]>),
    /// `slice(start, stop, step)`.
    Slice(Rc<[V; 3]>),
    /// An object on the heap.
    Ref(ObjId),
    /// A callable, type or constant of the library, by qualified name.
    Lib(Sym),
    /// A module, by dotted name.
    Module(Sym),
    /// An instance of a library type of which nothing but the type is known.
    Instance(Sym, Why),
    /// A builtin exception.
    Exc(Rc<Exc>),
    /// Where a `finally` goes on.
    Token(Rc<(Pc, Option<V>)>),
    /// One of several.
    OneOf(Rc<[V]>),
    /// The missing `self` under an attribute that is not a method.
    Null,
}

impl PartialEq for V {
    fn eq(&self, other: &V) -> bool {
        match (self, other) {
            (V::Int(a), V::Int(b)) => a == b,
            (V::Float(a), V::Float(b)) => a.to_bits() == b.to_bits(),
            (V::Ref(a), V::Ref(b)) => a == b,
            (V::Bool(a), V::Bool(b)) => a == b,
            (V::Str(a), V::Str(b)) => Rc::ptr_eq(a, b) || a == b,
            (V::Bytes(a), V::Bytes(b)) => a == b,
            (V::Undef, V::Undef)
            | (V::None, V::None)
            | (V::Ellipsis, V::Ellipsis)
            | (V::NotImplemented, V::NotImplemented)
            | (V::Null, V::Null) => true,
            (V::Unknown(a), V::Unknown(b)) | (V::AnyBool(a), V::AnyBool(b)) | (V::Complex(a), V::Complex(b)) => a == b,
            (V::Ints(a), V::Ints(b)) => a == b,
            (V::Floats(a), V::Floats(b)) => {
                a.1 == b.1 && a.0.low.to_bits() == b.0.low.to_bits() && a.0.high.to_bits() == b.0.high.to_bits() && a.0.nan == b.0.nan
            }
            (V::Strs(a), V::Strs(b)) | (V::ManyBytes(a), V::ManyBytes(b)) => a == b,
            (V::Tuple(a), V::Tuple(b)) => Rc::ptr_eq(a, b) || a == b,
            (V::Range(a), V::Range(b)) | (V::Slice(a), V::Slice(b)) => a == b,
            (V::Lib(a), V::Lib(b)) | (V::Module(a), V::Module(b)) => a == b,
            (V::Instance(a, x), V::Instance(b, y)) => a == b && x == y,
            (V::Exc(a), V::Exc(b)) => a == b,
            (V::Token(a), V::Token(b)) => a == b,
            (V::OneOf(a), V::OneOf(b)) => a == b,
            _ => false,
        }
    }
}

/// How deep tuples may be nested, and how many of them there may be in one.
const MAX_NESTING: u32 = 20;
const MAX_NESTED: u32 = 2_000;

/// How many alternatives a value keeps before they are joined for good.
pub const MAX_ALTERNATIVES: usize = 6;

/// Strings and bytes longer than this keep only their length.
pub const MAX_EXACT_TEXT: usize = 1 << 14;

/// Sequences longer than this keep a prefix and a join of the rest.
pub const MAX_EXACT_ITEMS: usize = 1 << 14;

impl V {
    /// A bool, exact when known.
    pub fn boolean(known: Option<bool>, why: Why) -> V {
        known.map_or(V::AnyBool(why), V::Bool)
    }

    /// An int, exact when it is.
    pub fn int(int: Int, why: Why) -> V {
        match int.is_exact() {
            Some(exact) => V::Int(exact),
            None => V::Ints(Rc::new((int, why))),
        }
    }

    /// Any int.
    pub fn any_int(why: Why) -> V {
        V::Ints(Rc::new((Int::ANY, why)))
    }

    /// Any int that is at least 0.
    pub fn any_size(why: Why) -> V {
        V::int(Int::range(0, i128::MAX), why)
    }

    /// A float, exact when it is.
    pub fn float(float: Float, why: Why) -> V {
        match float.is_exact() {
            Some(exact) => V::Float(exact),
            None => V::Floats(Rc::new((float, why))),
        }
    }

    /// Any float.
    pub fn any_float(why: Why) -> V {
        V::Floats(Rc::new((Float::ANY, why)))
    }

    /// A string, exact while short.
    pub fn str(text: &str) -> V {
        if text.len() > MAX_EXACT_TEXT {
            let n = text.chars().count() as u64;
            V::strs(n, n, Why::Lost)
        } else {
            V::Str(text.into())
        }
    }

    /// A string of bounded length.
    pub fn strs(low: u64, high: u64, why: Why) -> V {
        V::Strs(Text::between(low, high, why))
    }

    /// Bytes, exact while short.
    pub fn bytes(bytes: &[u8]) -> V {
        if bytes.len() > MAX_EXACT_TEXT {
            let n = bytes.len() as u64;
            V::ManyBytes(Text::between(n, n, Why::Lost))
        } else {
            V::Bytes(bytes.into())
        }
    }

    /// A tuple. One that is nested too deep, or too long, keeps only bounds.
    pub fn tuple(items: Vec<V>) -> V {
        V::Tuple(Rc::new(Tuple::Exact(items)))
    }

    /// A tuple of which only bounds are known.
    pub fn tuple_bag(element: V, low: u64, high: u64) -> V {
        if high == 0 { V::tuple(Vec::new()) } else { V::Tuple(Rc::new(Tuple::Bag { element, low, high })) }
    }

    /// A value of the library by qualified name.
    pub fn lib(name: &str) -> V {
        V::Lib(Sym::new(name))
    }

    /// A builtin exception without known arguments.
    pub fn exception(class: &str) -> V {
        V::Exc(Rc::new(Exc { class: Sym::new(class), args: None }))
    }

    /// Why this value is not exact, if it is not (heap objects count as exact).
    pub fn why(&self) -> Option<Why> {
        match self {
            V::Unknown(why) | V::AnyBool(why) | V::Complex(why) | V::Instance(_, why) => Some(*why),
            V::Ints(r) => Some(r.1),
            V::Floats(r) => Some(r.1),
            V::Strs(t) | V::ManyBytes(t) => Some(t.why),
            V::Tuple(t) => match &**t {
                Tuple::Exact(items) => Why::of_all(items.iter().filter_map(V::why)),
                Tuple::Bag { element, .. } => Some(element.why().unwrap_or(Why::Lost)),
            },
            V::OneOf(all) => Some(Why::of_all(all.iter().filter_map(V::why)).unwrap_or(Why::Lost)),
            V::Range(parts) | V::Slice(parts) => Why::of_all(parts.iter().filter_map(V::why)),
            _ => None,
        }
    }

    /// Whether nothing about the value is uncertain, looking at it alone (not into the heap).
    pub fn is_exact(&self) -> bool {
        self.why().is_none()
    }

    /// Whether tuples and the like are nested so deeply in it, or in so many ways, that it is not to be kept: what walks through a
    /// value takes each way through it.
    pub fn is_deep(&self) -> bool {
        self.nests(MAX_NESTING, &mut { MAX_NESTED })
    }

    fn nests(&self, levels: u32, budget: &mut u32) -> bool {
        let of = |values: &mut dyn Iterator<Item = &V>, levels: u32, budget: &mut u32| {
            if levels == 0 || *budget == 0 {
                return true;
            }
            *budget -= 1;
            for value in values {
                if value.nests(levels - 1, budget) {
                    return true;
                }
            }
            false
        };
        match self {
            V::Tuple(t) => match &**t {
                Tuple::Exact(items) => of(&mut items.iter().take(64), levels, budget),
                Tuple::Bag { element, .. } => of(&mut std::iter::once(element), levels, budget),
            },
            V::OneOf(all) => of(&mut all.iter(), levels + 1, budget),
            V::Slice(parts) => of(&mut parts.iter(), levels, budget),
            V::Exc(e) => of(&mut e.args.iter().flatten(), levels, budget),
            V::Token(t) => of(&mut t.1.iter(), levels, budget),
            _ => false,
        }
    }

    /// Whether it is, or may be, an object on the heap.
    pub fn is_object(&self) -> bool {
        self.alternatives().iter().any(|v| matches!(v, V::Ref(_)))
    }

    /// At most how many values it may be that differ from each other, as keys do.
    pub fn distinct(&self) -> u64 {
        match self {
            V::None | V::Bool(_) | V::Int(_) | V::Str(_) | V::Bytes(_) => 1,
            V::AnyBool(_) => 2,
            V::Ints(r) => {
                let size = r.0.lower().zip(r.0.upper()).and_then(|(low, high)| high.checked_sub(low));
                size.and_then(|n| u64::try_from(n).ok()).map_or(u64::MAX, |n| n.saturating_add(1))
            }
            V::OneOf(all) => all.iter().fold(0, |sum: u64, v| sum.saturating_add(v.distinct())),
            _ => u64::MAX,
        }
    }

    /// The alternatives of the value: itself, unless it is one of several.
    pub fn alternatives(&self) -> &[V] {
        match self {
            V::OneOf(all) => all,
            v => std::slice::from_ref(v),
        }
    }

    /// The int interval of an int or bool.
    pub fn as_int(&self) -> Option<Int> {
        match self {
            V::Int(n) => Some(Int::exact(*n)),
            V::Bool(b) => Some(Int::exact(i128::from(*b))),
            V::AnyBool(_) => Some(Int::range(0, 1)),
            V::Ints(r) => Some(r.0),
            _ => None,
        }
    }

    /// The exact int of an int or bool.
    pub fn exact_int(&self) -> Option<i128> {
        match self {
            V::Int(n) => Some(*n),
            V::Bool(b) => Some(i128::from(*b)),
            _ => None,
        }
    }

    /// Is it a number whose type is int, bool or float?
    pub fn is_number(&self) -> bool {
        matches!(self, V::Int(_) | V::Bool(_) | V::AnyBool(_) | V::Ints(_) | V::Float(_) | V::Floats(_))
    }

    /// The name of the builtin type, where it is one.
    pub fn type_name(&self) -> Option<&'static str> {
        Some(match self {
            V::None => "NoneType",
            V::Ellipsis => "ellipsis",
            V::NotImplemented => "NotImplementedType",
            V::Bool(_) | V::AnyBool(_) => "bool",
            V::Int(_) | V::Ints(_) => "int",
            V::Float(_) | V::Floats(_) => "float",
            V::Complex(_) => "complex",
            V::Str(_) | V::Strs(_) => "str",
            V::Bytes(_) | V::ManyBytes(_) => "bytes",
            V::Tuple(_) => "tuple",
            V::Range(_) => "range",
            V::Slice(_) => "slice",
            V::Module(_) => "module",
            _ => return None,
        })
    }
}

/// What can be told apart as the key of a dict or the member of a set, with Python's equality (`1 == 1.0 == True`).
#[derive(Debug, Clone, PartialEq, Eq, Hash)]
pub enum Key {
    /// `None`.
    None,
    /// `...`.
    Ellipsis,
    /// An int, a bool, or a float with an integral value.
    Int(i128),
    /// Any other float, by its bits.
    Float(u64),
    /// A str.
    Str(Rc<str>),
    /// Bytes.
    Bytes(Rc<[u8]>),
    /// A tuple of keys.
    Tuple(Rc<[Key]>),
    /// An object compared by identity.
    Obj(ObjId),
    /// A library object.
    Lib(Sym),
    /// A library module.
    Module(Sym),
}

impl Key {
    /// The key for a value, if the value is exact and hashable without running user code. Heap objects are compared by
    /// identity; whether that is right for them is the caller's to know.
    pub fn of(value: &V) -> Option<Key> {
        Some(match value {
            V::None => Key::None,
            V::Ellipsis => Key::Ellipsis,
            V::Bool(b) => Key::Int(i128::from(*b)),
            V::Int(n) => Key::Int(*n),
            V::Float(f) if f.is_nan() => return None,
            V::Float(f) if f.fract() == 0.0 && f.abs() < 1e30 => Key::Int(*f as i128),
            V::Float(f) => Key::Float(f.to_bits()),
            V::Str(s) => Key::Str(s.clone()),
            V::Bytes(b) => Key::Bytes(b.clone()),
            V::Tuple(t) => match &**t {
                Tuple::Exact(items) => Key::Tuple(items.iter().map(Key::of).collect::<Option<Vec<_>>>()?.into()),
                Tuple::Bag { .. } => return None,
            },
            V::Ref(id) => Key::Obj(*id),
            V::Lib(name) => Key::Lib(*name),
            V::Module(name) => Key::Module(*name),
            _ => return None,
        })
    }

    /// The keys a value may be, if they are few, each of them exact and no object on the heap.
    pub fn all_of(value: &V) -> Option<Vec<Key>> {
        let found = match value {
            V::OneOf(all) => all.iter().map(Key::all_of).collect::<Option<Vec<_>>>()?.concat(),
            V::Ints(r) => {
                let (low, high) = (r.0.lower()?, r.0.upper()?);
                if high.checked_sub(low)? >= MAX_KEYS as i128 {
                    return None;
                }
                (low..=high).filter(|n| r.0.contains(*n)).map(Key::Int).collect()
            }
            V::AnyBool(_) => vec![Key::Int(0), Key::Int(1)],
            V::Tuple(t) => {
                let Tuple::Exact(items) = &**t else { return None };
                let mut all: Vec<Vec<Key>> = vec![Vec::new()];
                for item in items {
                    let here = Key::all_of(item)?;
                    if all.len() * here.len() > MAX_KEYS {
                        return None;
                    }
                    all = all
                        .iter()
                        .flat_map(|front| here.iter().map(|key| [front.as_slice(), std::slice::from_ref(key)].concat()))
                        .collect();
                }
                all.into_iter().map(|keys| Key::Tuple(keys.into())).collect()
            }
            V::Ref(_) => return None,
            exact => vec![Key::of(exact)?],
        };
        (found.len() <= MAX_KEYS).then_some(found)
    }
}

/// So many keys are looked up one by one.
const MAX_KEYS: usize = 64;

/// What a bag may hold beyond what is known by position: between `low` and `high` more elements, each one of `element`.
#[derive(Debug, Clone, PartialEq)]
pub struct Rest {
    /// What each further element may be.
    pub element: V,
    /// For a dict, what each further value may be.
    pub value: V,
    /// Least number of further elements.
    pub low: u64,
    /// Greatest number of further elements.
    pub high: u64,
}

/// Items in order, followed by items of which only bounds are known.
#[derive(Debug, Clone, Default)]
pub struct Items {
    /// Known by position from the front.
    pub exact: Vec<V>,
    /// What follows.
    pub rest: Option<Rest>,
}

/// What differs most often is looked at first.
impl PartialEq for Items {
    fn eq(&self, other: &Items) -> bool {
        self.exact.len() == other.exact.len() && self.rest == other.rest && self.exact == other.exact
    }
}

/// A dict or a set: entries by key in insertion order, then entries of which only bounds are known. With a rest, an entry
/// in `exact` is certainly there, but its value may have been overwritten only through [`Rest`]-aware stores.
#[derive(Debug, Clone, Default)]
pub struct Table {
    /// Known entries: key value and value (`None` for a set).
    pub exact: indexmap::IndexMap<Key, (V, V), foldhash::fast::RandomState>,
    /// Further entries.
    pub rest: Option<Rest>,
}

impl Table {
    /// The value of each of the few keys that a value may be, where all of them are there.
    pub fn all_held(&self, index: &V) -> Option<Vec<V>> {
        let held: Vec<V> = Key::all_of(index)?.iter().map(|key| self.exact.get(key).map(|(_, v)| v.clone())).collect::<Option<_>>()?;
        (!held.is_empty()).then_some(held)
    }
}

impl PartialEq for Table {
    fn eq(&self, other: &Table) -> bool {
        self.rest == other.rest && self.exact.len() == other.exact.len() && self.exact.iter().eq(other.exact.iter())
    }
}

/// What an iterator does. `parts` in [`Iter`] are listed in the variant's description.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Hash)]
pub enum IterKind {
    /// `[sequence, index]`: list, tuple, str, bytes by position; for a deque its length when it began follows.
    Sequence,
    /// `[current, stop, step]`.
    Range,
    /// `[dict, index, length]`: its length when it began, which must not change.
    Keys,
    /// As `Keys`.
    Values,
    /// As `Keys`.
    Items,
    /// `[element, remaining, set, length]`: any order.
    Set,
    /// `[element, remaining, container, copy …]`: remaining is an int interval; endless when `remaining` is None. The element is
    /// known for as long as no container has become another than its copy.
    Bag,
    /// `[iterator, next number]`.
    Enumerate,
    /// `[iterators …]`.
    Zip,
    /// `[function, iterator]`: each item with what the function gives for it, as `max` and its like ask for keys.
    Keyed,
    /// `[fill, iterators …]`.
    ZipLongest,
    /// `[function, iterators …]`.
    Map,
    /// `[function or None, iterator]`.
    Filter,
    /// As `Filter`, the other way round.
    FilterFalse,
    /// `[function, iterator]`.
    Starmap,
    /// `[current iterator or None, iterables …]`.
    Chain,
    /// `[current iterator or None, iterator of iterables]`.
    ChainFromIterable,
    /// `[current, step]`.
    Count,
    /// `[value, remaining or None]`.
    Repeat,
    /// `[iterator or None, saved list, index]`.
    Cycle,
    /// `[iterator, position, next, stop or None, step]`.
    Islice,
    /// `[function, iterator, done]`.
    TakeWhile,
    /// `[function, iterator, started]`.
    DropWhile,
    /// `[function or None, iterator, total or Undef]`.
    Accumulate,
    /// `[iterator, previous or Undef]`.
    Pairwise,
    /// `[function, sentinel, done]`.
    Callable,
    /// `[sequence, index]`, backwards.
    Reversed,
}

/// An iterator.
#[derive(Debug, Clone, PartialEq)]
pub struct Iter {
    /// What it does.
    pub kind: IterKind,
    /// Its state; see [`IterKind`].
    pub parts: Vec<V>,
}

/// A class made by the program.
#[derive(Debug, Clone, PartialEq)]
pub struct Class {
    /// Its name.
    pub name: Sym,
    /// What it derives from: other classes of the program or of the library.
    pub bases: Vec<V>,
    /// Method resolution order, itself left out: classes of the program by reference, of the library by name.
    pub mro: Vec<V>,
    /// Its namespace.
    pub attrs: Vec<(Sym, V)>,
    /// Whether something unknown may have had a hand in it (an unknown base, metaclass or decorator).
    pub open: bool,
}

/// A function made by the program.
#[derive(Debug, Clone, PartialEq)]
pub struct Function {
    /// Its code.
    pub code: CodeId,
    /// Defaults of the last positional parameters.
    pub defaults: Vec<V>,
    /// Defaults of keyword-only parameters.
    pub keyword_defaults: Vec<(Sym, V)>,
    /// Captured cells.
    pub closure: Vec<ObjId>,
    /// Function attributes.
    pub attrs: Vec<(Sym, V)>,
}

/// A suspended generator, coroutine or async generator.
#[derive(Debug, Clone, PartialEq)]
pub struct Generator {
    /// The suspended frame; none when it has finished.
    pub frame: Option<Box<Frame>>,
    /// Whether it is a coroutine (`async def` without `yield`).
    pub coroutine: bool,
    /// Whether it may already have finished, although `frame` says where it stands if it has not.
    pub may_be_done: bool,
}

/// One activation of a code object, as data.
#[derive(Debug, Clone, PartialEq)]
pub struct Frame {
    /// What it runs.
    pub code: CodeId,
    /// Where it stands.
    pub pc: Pc,
    /// Fast locals.
    pub locals: Vec<V>,
    /// Operands.
    pub stack: Vec<V>,
    /// Cells, then free variables.
    pub cells: Vec<ObjId>,
    /// Exceptions being handled, innermost last.
    pub handling: Vec<V>,
    /// The namespace of a class body.
    pub namespace: Option<ObjId>,
}

/// A heap object.
#[derive(Debug, Clone, PartialEq)]
#[expect(missing_docs, reason = "most variants name a Python type")]
pub enum Obj {
    /// Not allocated on this path.
    Hole,
    /// Of this type, otherwise unknown for good: outside code may hold it. What a model knows of it all the same follows a plus.
    Escaped(Sym),
    List(Rc<Items>),
    Deque(Rc<Items>, Option<u64>),
    Dict(Rc<Table>, DictKind),
    Set(Rc<Table>, bool),
    ByteArray(Text),
    Instance {
        class: V,
        attrs: Rc<Vec<(Sym, V)>>,
    },
    Class(Rc<Class>),
    Function(Rc<Function>),
    /// A function or method bound to its first argument.
    Bound {
        function: V,
        this: V,
    },
    Partial {
        function: V,
        args: Rc<Vec<V>>,
        keywords: Rc<Vec<(Sym, V)>>,
    },
    Cell(V),
    Iter(Iter),
    Generator(Generator),
    Property {
        get: V,
        set: V,
    },
    StaticMethod(V),
    ClassMethod(V),
    Super {
        class: V,
        this: V,
    },
    /// `d.keys()`, `d.values()`, `d.items()`: what a dict holds, as it changes ([`IterKind::Keys`] and its kin).
    View {
        of: V,
        kind: IterKind,
    },
}

/// Which kind of dict.
#[derive(Debug, Clone, PartialEq)]
pub enum DictKind {
    /// `dict`.
    Plain,
    /// `collections.OrderedDict`.
    Ordered,
    /// `collections.defaultdict`, with its factory.
    Default(V),
    /// `collections.Counter`.
    Counter,
}
