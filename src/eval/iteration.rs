//! Iterators: making them, advancing them, and taking all they have.

use std::rc::Rc;

use crate::fact::{FactKind, Measure, Proof, Unit};
use crate::library::modules::stdin;
use crate::library::{Args, Host, Next, R, Stop, Taken};
use crate::syntax::code::{BinaryOp, CodeKind, CompareOp, Op};
use crate::value::int::Int;
use crate::value::object::{
    DictKind, Digits, Frame, Generator, Items, Iter, IterKind, MAX_EXACT_ITEMS, Obj, ObjId, Rest, Text, Tuple, V, Why,
};
use crate::value::store::{Path, join, text_of};

use super::machine::{Exit, Machine};

/// An iterator that certainly gives more items than this is bounded at once.
const FAR: u64 = 1 << 22;

/// How deep iterators over iterators are looked through.
const MAX_NESTING: u32 = 8;

/// How many items of an iterator are compared one by one.
const LOOKED_AT: u64 = 4096;

/// Items taken one by one from an iterator whose length is not known before the rest is bounded.
const TAKE_UNKNOWN: usize = 64;

/// Items after which it is tried whether an invariant shows that an iterator never ends, and the fuel without which it is not.
const TRIED_ITEMS: usize = 128;
const MIN_TRIAL: u64 = 2000;

/// What counts by steps of less than 2³² from less than 2⁶⁴ does not get past this within centuries.
const COUNTED: i128 = 1 << 100;

fn starts_small(value: &V) -> bool {
    value.exact_int().is_some_and(|n| n.unsigned_abs() < 1 << 64)
}

fn steps_small(value: &V) -> bool {
    value.exact_int().is_some_and(|n| n.unsigned_abs() < 1 << 32)
}

/// How many values are looked at for counters.
const MAX_COUNTERS: usize = 64;

/// Where a number is by which an iterator counts.
enum Place {
    /// A part of the state of an iterator.
    Part(usize),
    /// A local of a generator.
    Local(usize),
}

/// An iterator when the taking of all of it began. The bounds hold where nothing raises.
struct Begun {
    /// At least so many items come.
    least: u64,
    /// So many seconds have passed at the end.
    until: f64,
    /// It has no end, whether it gives something or not.
    unending: bool,
    path: Path,
    uncaught: u64,
}

impl Machine<'_> {
    #[expect(clippy::iter_not_returning_iterator, reason = "it makes an iterator of the program")]
    fn iter(&mut self, kind: IterKind, parts: Vec<V>) -> V {
        self.alloc(Obj::Iter(Iter { kind, parts }))
    }

    /// An iterator over something of which only an element and a number are known.
    pub fn bag(&mut self, element: V, low: u64, high: u64) -> V {
        let remaining = V::int(Int::range(i128::from(low), if high == u64::MAX { i128::MAX } else { i128::from(high) }), Why::Lost);
        self.iter(IterKind::Bag, vec![element, remaining])
    }

    /// `iter(value)`.
    pub fn iterate_value(&mut self, value: &V) -> R<V> {
        match value {
            // One iterator for all: how far it has come is the same in each.
            V::OneOf(all) if all.iter().all(|v| self.is_known_sequence(v)) => {
                Ok(self.iter(IterKind::Sequence, vec![value.clone(), V::Int(0)]))
            }
            V::OneOf(all) if all.iter().all(|v| self.is_known_dict(v)) => {
                let lengths = self.lengths_of(value)?;
                Ok(self.iter(IterKind::Keys, vec![value.clone(), V::Int(0), lengths]))
            }
            V::OneOf(all) => {
                let all = all.clone();
                self.each(&all, Machine::iterate_value)
            }
            V::Range(parts) => {
                let parts = parts.to_vec();
                Ok(self.iter(IterKind::Range, parts))
            }
            V::Str(_) | V::Bytes(_) => Ok(self.iter(IterKind::Sequence, vec![value.clone(), V::Int(0)])),
            V::Strs(t) => Ok(self.bag(V::Strs(t.character()), t.low, t.high)),
            V::ManyBytes(t) => Ok(self.bag(V::int(Int::range(0, 255), t.why), t.low, t.high)),
            V::Tuple(t) => match &**t {
                Tuple::Exact(_) => Ok(self.iter(IterKind::Sequence, vec![value.clone(), V::Int(0)])),
                Tuple::Bag { element, low, high } => Ok(self.bag(element.clone(), *low, *high)),
            },
            V::Ref(id) => match self.store.get(*id) {
                Obj::List(_) => Ok(self.iter(IterKind::Sequence, vec![value.clone(), V::Int(0)])),
                // Adding or removing while one of these is iterated is a RuntimeError: its length now is kept.
                Obj::Deque(..) => {
                    let length = self.length_of(value)?;
                    Ok(self.iter(IterKind::Sequence, vec![value.clone(), V::Int(0), length]))
                }
                Obj::Dict(..) => {
                    let length = self.length_of(value)?;
                    Ok(self.iter(IterKind::Keys, vec![value.clone(), V::Int(0), length]))
                }
                Obj::Set(table, _) => {
                    let table = table.clone();
                    let mut element: Option<V> = None;
                    for (k, _) in table.exact.values() {
                        element = Some(match element {
                            None => k.clone(),
                            Some(e) => self.store.join_values(&e, k, false),
                        });
                    }
                    let (mut low, mut high) = (table.exact.len() as u64, table.exact.len() as u64);
                    if let Some(rest) = &table.rest {
                        element = Some(match element {
                            None => rest.element.clone(),
                            Some(e) => self.store.join_values(&e, &rest.element, false),
                        });
                        low += rest.low;
                        high = high.saturating_add(rest.high);
                    }
                    let length = self.length_of(value)?;
                    let remaining =
                        V::int(Int::range(i128::from(low), if high == u64::MAX { i128::MAX } else { i128::from(high) }), Why::Lost);
                    Ok(self.iter(IterKind::Set, vec![element.unwrap_or(V::None), remaining, value.clone(), length]))
                }
                Obj::ByteArray(t) => {
                    let t = *t;
                    Ok(self.bag(V::int(Int::range(0, 255), t.why), t.low, t.high))
                }
                Obj::View { of, kind } => match (of.clone(), *kind) {
                    (of @ V::Ref(dict), kind) if matches!(self.store.get(dict), Obj::Dict(..)) => {
                        let length = self.length_of(&of)?;
                        Ok(self.iter(kind, vec![of, V::Int(0), length]))
                    }
                    (of @ V::OneOf(_), kind) if of.alternatives().iter().all(|v| self.is_known_dict(v)) => {
                        let lengths = self.lengths_of(&of)?;
                        Ok(self.iter(kind, vec![of, V::Int(0), lengths]))
                    }
                    // A view of a dict that outside code holds.
                    (of, _) => {
                        self.store.escape(&of);
                        self.may_raise_class("");
                        Ok(V::Unknown(Why::Lost))
                    }
                },
                Obj::Iter(_) | Obj::Generator(_) => Ok(value.clone()),
                Obj::Instance { .. } => self.iterate_instance(value),
                Obj::Escaped(_) => {
                    self.may_raise_class("");
                    Ok(V::Unknown(Why::Lost))
                }
                Obj::Class(c) if c.open => Ok(self.unknown_effect(std::slice::from_ref(value))),
                Obj::Class(_) if self.enum_members(value).is_some() => {
                    let members = V::tuple(self.enum_members(value).unwrap_or_default());
                    self.iterate_value(&members)
                }
                _ => Err(Stop::Raise(V::exception("TypeError"))),
            },
            V::None | V::Int(_) | V::Ints(_) | V::Bool(_) | V::AnyBool(_) | V::Float(_) | V::Floats(_) | V::Complex(_) | V::Ellipsis => {
                Err(Stop::Raise(V::exception("TypeError")))
            }
            _ => {
                if matches!(value, V::Instance(class, _) if &*class.text() == stdin::STDIN) {
                    stdin::read(self, stdin::STDIN, "OSError");
                }
                self.may_raise_class("");
                Ok(V::Unknown(value.why().unwrap_or(Why::OUTSIDE)))
            }
        }
    }

    /// A dict of which each entry is known.
    pub fn is_known_dict(&self, value: &V) -> bool {
        matches!(self.obj(value), Some(Obj::Dict(table, _)) if table.rest.is_none())
    }

    /// The length of each of several containers.
    fn lengths_of(&mut self, containers: &V) -> R<V> {
        let lengths: R<Vec<V>> = containers.alternatives().to_vec().iter().map(|v| self.length_of(v)).collect();
        Ok(V::tuple(lengths?))
    }

    /// A list or a tuple of which each item is known.
    pub fn is_known_sequence(&self, value: &V) -> bool {
        match value {
            V::Tuple(t) => matches!(&**t, Tuple::Exact(_)),
            _ => matches!(self.obj(value), Some(Obj::List(items)) if items.rest.is_none()),
        }
    }

    /// Whether an iterator gives the same for ever, of which it is not known what it is.
    pub fn repeats_something_unknown(&self, iterator: &V) -> bool {
        let Some(Obj::Iter(Iter { kind: IterKind::Repeat, parts })) = self.obj(iterator) else { return false };
        matches!(parts.as_slice(), [value, V::None] if !value.is_exact())
    }

    fn iterate_instance(&mut self, value: &V) -> R<V> {
        if let Some(Obj::Instance { class: V::Lib(class), .. }) = self.obj(value) {
            let method = crate::value::object::Sym::new(&format!("{}.__iter__", class.text()));
            if self.entry(method).is_some() {
                return self.call_value(&V::Lib(method), Args::of([value.clone()]));
            }
        }
        if self.open_instance(value) {
            return Ok(self.unknown_effect(std::slice::from_ref(value)));
        }
        if let Some(method) = self.dunder(value, "__iter__") {
            return self.call_value(&method, Args::of([value.clone()]));
        }
        if self.dunder(value, "__getitem__").is_some() {
            return Ok(self.unknown_effect(std::slice::from_ref(value)));
        }
        Err(Stop::Raise(V::exception("TypeError")))
    }

    fn parts(&self, id: ObjId) -> Option<(IterKind, Vec<V>)> {
        match self.store.get(id) {
            Obj::Iter(i) => Some((i.kind, i.parts.clone())),
            _ => None,
        }
    }

    fn set_part(&mut self, id: ObjId, at: usize, value: V) {
        self.store.mutate(id, true, |obj| {
            if let Obj::Iter(i) = obj {
                i.parts[at] = value;
            }
        });
    }

    /// An iterator that has come to its end stays there, also when what it went over grows. Gives what it went over.
    pub fn exhaust(&mut self, iterator: &V) -> Option<(usize, V)> {
        let V::Ref(id) = iterator else { return None };
        let Obj::Iter(i) = self.store.get(*id) else { return None };
        let at = container_at(i.kind, &i.parts)?;
        let container = i.parts[at].clone();
        if !matches!(container, V::Ref(_) | V::OneOf(_)) {
            return None;
        }
        self.set_part(*id, at, V::tuple(Vec::new()));
        Some((at, container))
    }

    /// Takes [`Machine::exhaust`] back.
    pub fn revive(&mut self, iterator: &V, container: Option<(usize, V)>) {
        if let (V::Ref(id), Some((at, container))) = (iterator, container) {
            self.set_part(*id, at, container);
        }
    }

    /// `next(iterator)`.
    pub fn next_value(&mut self, iterator: &V) -> R<Next> {
        match iterator {
            V::Ref(id) => {
                let id = *id;
                // The two most common iterators, without copying their state.
                if let Obj::Iter(i) = self.store.get(id) {
                    match (i.kind, i.parts.as_slice()) {
                        (IterKind::Range, &[V::Int(at), V::Int(stop), V::Int(step)]) if step != 0 => {
                            if (step > 0 && at >= stop) || (step < 0 && at <= stop) {
                                return Ok(Next::End);
                            }
                            self.set_part(id, 0, V::Int(at.saturating_add(step)));
                            return Ok(Next::Item(V::Int(at)));
                        }
                        (IterKind::Sequence, [sequence, V::Int(at)]) => {
                            let (sequence, at) = (sequence.clone(), *at);
                            let next = self.next_in_sequence(id, &sequence, at);
                            if matches!(next, Ok(Next::End)) {
                                self.exhaust(iterator);
                            }
                            return next;
                        }
                        _ => {}
                    }
                }
                match self.store.get(id).clone() {
                    Obj::Iter(i) => {
                        let next = self.advance(id, i.kind, i.parts);
                        if matches!(next, Ok(Next::End)) {
                            self.exhaust(iterator);
                        }
                        next
                    }
                    Obj::Generator(g) => self.next_of_generator(id, g),
                    Obj::Instance { .. } => {
                        if self.open_instance(iterator) {
                            let v = self.unknown_effect(std::slice::from_ref(iterator));
                            return Ok(Next::Maybe(v));
                        }
                        let Some(method) = self.dunder(iterator, "__next__") else { return Err(Stop::Raise(V::exception("TypeError"))) };
                        self.next_by_call(&method, Args::of([iterator.clone()]))
                    }
                    Obj::Escaped(_) => {
                        self.may_raise_class("");
                        Ok(Next::Maybe(V::Unknown(Why::Lost)))
                    }
                    _ => Err(Stop::Raise(V::exception("TypeError"))),
                }
            }
            V::OneOf(all) => {
                // Advancing one of several: all of them may have been advanced.
                let all = all.to_vec();
                self.store.escape_all(&all);
                self.may_raise_class("");
                Ok(Next::Maybe(V::Unknown(Why::Lost)))
            }
            V::Unknown(why) | V::Instance(_, why) => {
                self.may_raise_class("");
                Ok(Next::Maybe(V::Unknown(*why)))
            }
            V::Lib(_) => {
                self.may_raise_class("");
                Ok(Next::Maybe(V::Unknown(Why::OUTSIDE)))
            }
            _ => Err(Stop::Raise(V::exception("TypeError"))),
        }
    }

    /// Calls `__next__` or a callable; StopIteration is the end.
    fn next_by_call(&mut self, callable: &V, args: Args) -> R<Next> {
        let outer = self.raised.take();
        let result = self.call_value(callable, args);
        let mine = std::mem::replace(&mut self.raised, outer);
        let stop = V::lib("StopIteration");
        // What it may raise is either the end or an exception.
        let mut may_end = false;
        if let Some(raised) = mine {
            match self.exception_matches(&raised.exception, &stop) {
                Some(true) => may_end = true,
                Some(false) => self.add_raised(raised),
                None => {
                    may_end = true;
                    self.add_raised(raised);
                }
            }
        }
        match result {
            Ok(v) if may_end => Ok(Next::Maybe(v)),
            Ok(v) => Ok(Next::Item(v)),
            Err(Stop::Raise(e)) => match self.exception_matches(&e, &stop) {
                Some(true) => Ok(Next::End),
                Some(false) => Err(Stop::Raise(e)),
                None => {
                    self.may_raise_value(e);
                    Ok(Next::End)
                }
            },
            Err(stop) => Err(stop),
        }
    }

    fn next_in_sequence(&mut self, id: ObjId, sequence: &V, at: i128) -> R<Next> {
        let at_index = at.max(0) as usize;
        match sequence {
            V::Str(s) => {
                // The index counts characters; ASCII is found at once.
                let ch = if s.is_ascii() { s.as_bytes().get(at_index).map(|b| *b as char) } else { s.chars().nth(at_index) };
                match ch {
                    Some(c) => {
                        self.set_part(id, 1, V::Int(at + 1));
                        let mut buffer = [0u8; 4];
                        Ok(Next::Item(V::str(c.encode_utf8(&mut buffer))))
                    }
                    None => Ok(Next::End),
                }
            }
            V::Bytes(b) => match b.get(at_index) {
                Some(b) => {
                    let value = V::Int(i128::from(*b));
                    self.set_part(id, 1, V::Int(at + 1));
                    Ok(Next::Item(value))
                }
                None => Ok(Next::End),
            },
            V::OneOf(all) => {
                if !all.iter().all(|v| self.is_known_sequence(v)) {
                    return self.next_somewhere(id, sequence, Int::exact(at));
                }
                let item = |v: &V| match v {
                    V::Tuple(t) => {
                        if let Tuple::Exact(items) = &**t {
                            items.get(at_index).cloned()
                        } else {
                            None
                        }
                    }
                    v => {
                        if let Some(Obj::List(items)) = self.obj(v) {
                            items.exact.get(at_index).cloned()
                        } else {
                            None
                        }
                    }
                };
                let found: Vec<Option<V>> = all.iter().map(item).collect();
                let (mut value, mut escapes) = (None, Vec::new());
                for item in found.iter().flatten() {
                    value = Some(value.map_or_else(|| item.clone(), |known: V| join(&known, item, false, &mut escapes)));
                }
                self.store.escape_all(&escapes);
                let Some(value) = value else { return Ok(Next::End) };
                self.set_part(id, 1, V::Int(at + 1));
                Ok(if found.iter().all(Option::is_some) { Next::Item(value) } else { Next::Maybe(value) })
            }
            V::Tuple(t) => {
                let Tuple::Exact(items) = &**t else { return Ok(Next::Maybe(V::Unknown(Why::Lost))) };
                match items.get(at_index) {
                    Some(v) => {
                        let v = v.clone();
                        self.set_part(id, 1, V::Int(at + 1));
                        Ok(Next::Item(v))
                    }
                    None => Ok(Next::End),
                }
            }
            V::Ref(list) => {
                let (found, rest, n) = match self.store.get(*list) {
                    Obj::List(items) | Obj::Deque(items, _) => (items.exact.get(at_index).cloned(), items.rest.clone(), items.exact.len()),
                    _ => {
                        self.may_raise_class("");
                        return Ok(Next::Maybe(V::Unknown(Why::Lost)));
                    }
                };
                if let Some(v) = found {
                    self.set_part(id, 1, V::Int(at + 1));
                    return Ok(Next::Item(v));
                }
                let Some(rest) = rest else { return Ok(Next::End) };
                let past = (at_index - n.min(at_index)) as u64;
                if past >= rest.high {
                    return Ok(Next::End);
                }
                self.set_part(id, 1, V::Int(at + 1));
                Ok(if past < rest.low { Next::Item(rest.element) } else { Next::Maybe(rest.element) })
            }
            _ => Ok(Next::Maybe(V::Unknown(Why::Lost))),
        }
    }

    /// A sequence iterator that stands somewhere in an interval.
    fn next_somewhere(&mut self, id: ObjId, sequence: &V, at: Int) -> R<Next> {
        let (element, low, high) = self.bounds_of(sequence);
        let first = at.lower().unwrap_or(0).max(0) as u64;
        let last = at.upper().map_or(u64::MAX, |n| n.max(0) as u64);
        if first >= high {
            return Ok(Next::End);
        }
        let top = if high == u64::MAX { i128::MAX } else { i128::from(high) };
        let advanced = at.add(&Int::ONE).meet(&Int::range(1, top)).unwrap_or(Int::range(1, top));
        self.set_part(id, 1, V::int(advanced, Why::Lost));
        let element = element.unwrap_or(V::Unknown(Why::Lost));
        Ok(if last < low { Next::Item(element) } else { Next::Maybe(element) })
    }

    /// What any element of a sequence may be, and its least and greatest length.
    pub fn bounds_of(&mut self, sequence: &V) -> (Option<V>, u64, u64) {
        let mut escapes = Vec::new();
        let found = match sequence {
            V::OneOf(all) => {
                let (mut element, mut low, mut high) = (None, u64::MAX, 0);
                for one in all.iter() {
                    let (of_one, least, most) = self.bounds_of(one);
                    (low, high) = (low.min(least), high.max(most));
                    element = match (element, of_one) {
                        (Some(known), Some(more)) => Some(join(&known, &more, false, &mut escapes)),
                        (known, more) => known.or(more),
                    };
                }
                (element, low, high)
            }
            V::Str(s) => {
                let n = s.chars().count() as u64;
                (Some(V::Strs(Text { digits: Digits::of(s).part(), ..Text::between(1, 1, Why::Lost) })), n, n)
            }
            V::Bytes(b) => (Some(V::int(Int::range(0, 255), Why::Lost)), b.len() as u64, b.len() as u64),
            V::Strs(t) => (Some(V::Strs(t.character())), t.low, t.high),
            V::ManyBytes(t) => (Some(V::int(Int::range(0, 255), t.why)), t.low, t.high),
            V::Tuple(t) => match &**t {
                Tuple::Exact(items) => (crate::value::store::join_many(items, &mut escapes), items.len() as u64, items.len() as u64),
                Tuple::Bag { element, low, high } => (Some(element.clone()), *low, *high),
            },
            V::Ref(id) => match self.store.get(*id) {
                Obj::List(items) | Obj::Deque(items, _) => {
                    let mut element = crate::value::store::join_many(&items.exact, &mut escapes);
                    let (low, high) = crate::library::count(items);
                    if let Some(rest) = &items.rest {
                        element = Some(match element {
                            None => rest.element.clone(),
                            Some(e) => join(&e, &rest.element, false, &mut escapes),
                        });
                    }
                    (element, low, high)
                }
                Obj::Dict(table, _) | Obj::Set(table, _) => {
                    let n = table.exact.len() as u64;
                    let mut element: Option<V> = None;
                    for (k, _) in table.exact.values() {
                        element = Some(match element {
                            None => k.clone(),
                            Some(e) => join(&e, k, false, &mut escapes),
                        });
                    }
                    let (mut low, mut high) = (n, n);
                    if let Some(rest) = &table.rest {
                        element = Some(match element {
                            None => rest.element.clone(),
                            Some(e) => join(&e, &rest.element, false, &mut escapes),
                        });
                        low += rest.low;
                        high = high.saturating_add(rest.high);
                    }
                    (element, low, high)
                }
                _ => (Some(V::Unknown(Why::Lost)), 0, u64::MAX),
            },
            _ => (Some(V::Unknown(Why::Lost)), 0, u64::MAX),
        };
        self.store.escape_all(&escapes);
        found
    }

    /// A dict, set or deque must not change its size while it is iterated.
    fn check_size(&mut self, container: &V, length: &V) -> R<()> {
        if let V::OneOf(all) = container
            && all.iter().all(|v| self.is_known_dict(v))
        {
            let now = self.lengths_of(container)?;
            if now != *length || !now.is_exact() {
                self.may_raise_class("RuntimeError");
            }
            return Ok(());
        }
        if !matches!(self.obj(container), Some(Obj::Dict(..) | Obj::Set(..) | Obj::Deque(..))) {
            self.may_raise_class("RuntimeError");
            return Ok(());
        }
        let now = self.length_of(container)?;
        match (now.exact_int(), length.exact_int()) {
            (Some(a), Some(b)) if a == b => {}
            (Some(_), Some(_)) => return Err(Stop::Raise(V::exception("RuntimeError"))),
            _ if now == *length && self.abstract_loops == 0 => {}
            _ => self.may_raise_class("RuntimeError"),
        }
        Ok(())
    }

    fn advance(&mut self, id: ObjId, kind: IterKind, parts: Vec<V>) -> R<Next> {
        self.burn(1)?;
        if container_at(kind, &parts)
            .is_some_and(|at| matches!(&parts[at], V::Tuple(t) if matches!(&**t, Tuple::Exact(items) if items.is_empty())))
        {
            return Ok(Next::End);
        }
        match (kind, parts.as_slice()) {
            (IterKind::Keys | IterKind::Values | IterKind::Items | IterKind::Sequence, [container, _, length]) => {
                self.check_size(container, length)?;
            }
            (IterKind::Set, [_, _, container, length]) => self.check_size(container, length)?,
            _ => {}
        }
        match kind {
            IterKind::Range => self.next_in_range(id, &parts),
            IterKind::Sequence => match (&parts[0], parts[1].as_int()) {
                (sequence, Some(at)) => match at.is_exact() {
                    Some(n) => self.next_in_sequence(id, sequence, n),
                    None => self.next_somewhere(id, sequence, at),
                },
                (V::OneOf(_), _) | (_, None) => Ok(Next::Maybe(V::Unknown(Why::Lost))),
            },
            IterKind::Reversed => {
                let (Some(at), V::Int(_) | V::Ints(_)) = (parts[1].as_int(), &parts[1]) else {
                    return Ok(Next::Maybe(V::Unknown(Why::Lost)));
                };
                match at.is_exact() {
                    Some(n) if n < 0 => Ok(Next::End),
                    Some(n) => {
                        self.set_part(id, 1, V::Int(n - 1));
                        // What it goes over may have become shorter: there it ends.
                        let (element, low, high) = self.bounds_of(&parts[0]);
                        let n = u64::try_from(n).unwrap_or(u64::MAX);
                        if n >= high {
                            Ok(Next::End)
                        } else if n >= low {
                            self.set_part(id, 1, V::int(Int::range(-1, i128::from(n) - 1), Why::Lost));
                            Ok(Next::Maybe(element.unwrap_or(V::Unknown(Why::Lost))))
                        } else {
                            Ok(Next::Item(self.load_item(&parts[0], &parts[1])?))
                        }
                    }
                    None => {
                        let (element, ..) = self.bounds_of(&parts[0]);
                        self.set_part(id, 1, V::int(at.sub(&Int::ONE).join(&Int::exact(-1)), Why::Lost));
                        Ok(Next::Maybe(element.unwrap_or(V::Unknown(Why::Lost))))
                    }
                }
            }
            IterKind::Keys | IterKind::Values | IterKind::Items => self.next_in_dict(id, kind, &parts),
            IterKind::Bag if parts.len() > 2 && !self.unchanged(&parts[2..]) => Ok(Next::Maybe(V::Unknown(Why::Lost))),
            IterKind::Set | IterKind::Bag => {
                let Some(left) = parts[1].as_int() else { return Ok(Next::Item(parts[0].clone())) };
                if left.upper().is_some_and(|n| n <= 0) {
                    return Ok(Next::End);
                }
                let fewer = left.sub(&Int::ONE).meet(&Int::NON_NEGATIVE).unwrap_or(Int::ZERO);
                self.set_part(id, 1, V::int(fewer, Why::Lost));
                Ok(if left.low >= 1 { Next::Item(parts[0].clone()) } else { Next::Maybe(parts[0].clone()) })
            }
            IterKind::Enumerate => {
                let next = self.next_value(&parts[0])?;
                let number = parts[1].clone();
                let after = self.binary_op(BinaryOp::Add, &number, &V::Int(1), false)?;
                if !matches!(next, Next::End) {
                    self.set_part(id, 1, after);
                }
                Ok(match next {
                    Next::Item(v) => Next::Item(self.make_tuple(vec![number, v])),
                    Next::Maybe(v) => Next::Maybe(self.make_tuple(vec![number, v])),
                    Next::End => Next::End,
                })
            }
            IterKind::Zip => {
                let mut items = Vec::new();
                let mut certain = true;
                for iterator in &parts {
                    match self.advanced(iterator, certain)? {
                        Next::Item(v) => items.push(v),
                        Next::Maybe(v) => {
                            certain = false;
                            items.push(v);
                        }
                        Next::End => return Ok(Next::End),
                    }
                }
                if parts.is_empty() {
                    return Ok(Next::End);
                }
                let tuple = self.make_tuple(items);
                Ok(if certain { Next::Item(tuple) } else { Next::Maybe(tuple) })
            }
            IterKind::ZipLongest => {
                let mut items = Vec::new();
                let (mut any, mut all_end) = (false, true);
                for iterator in &parts[1..] {
                    match self.next_value(iterator)? {
                        Next::Item(v) => {
                            any = true;
                            all_end = false;
                            items.push(v);
                        }
                        Next::Maybe(v) => {
                            all_end = false;
                            let fill = parts[0].clone();
                            items.push(self.store.join_values(&v, &fill, false));
                        }
                        Next::End => items.push(parts[0].clone()),
                    }
                }
                if all_end {
                    return Ok(Next::End);
                }
                let tuple = self.make_tuple(items);
                Ok(if any { Next::Item(tuple) } else { Next::Maybe(tuple) })
            }
            IterKind::Map | IterKind::Starmap => {
                let mut args = Args::default();
                let mut certain = true;
                for iterator in &parts[1..] {
                    match self.advanced(iterator, certain)? {
                        Next::Item(v) => args.pos.push(v),
                        Next::Maybe(v) => {
                            certain = false;
                            args.pos.push(v);
                        }
                        Next::End => return Ok(Next::End),
                    }
                }
                if kind == IterKind::Starmap {
                    let taken = self.take_value(&args.pos[0].clone())?;
                    args = Args { pos: taken.items.exact.into(), kw: Vec::new(), open: taken.items.rest.is_some() };
                }
                let Some(value) = self.called(&parts[0], args, certain)? else { return Ok(Next::End) };
                Ok(if certain { Next::Item(value) } else { Next::Maybe(value) })
            }
            IterKind::Keyed => {
                let (value, certain) = match self.next_value(&parts[1])? {
                    Next::Item(v) => (v, true),
                    Next::Maybe(v) => (v, false),
                    Next::End => return Ok(Next::End),
                };
                let Some(key) = self.called(&parts[0], Args::of([value.clone()]), certain)? else { return Ok(Next::End) };
                let pair = self.make_tuple(vec![value, key]);
                Ok(if certain { Next::Item(pair) } else { Next::Maybe(pair) })
            }
            IterKind::Filter | IterKind::FilterFalse => {
                let mut certain = true;
                let mut last = V::Unknown(Why::Lost);
                for _ in 0..10_000_u32 {
                    self.burn(1)?;
                    let (value, sure) = match self.next_value(&parts[1])? {
                        Next::Item(v) => (v, true),
                        Next::Maybe(v) => (v, false),
                        Next::End => return Ok(Next::End),
                    };
                    certain &= sure;
                    let Some(keep) = self.tested(&parts[0], &value, certain)? else { return Ok(Next::End) };
                    let wanted = kind == IterKind::Filter;
                    match self.truth_value(&keep)? {
                        Some(t) if t == wanted => return Ok(if certain { Next::Item(value) } else { Next::Maybe(value) }),
                        Some(_) if sure => {}
                        // It may be this one, or a later one, or none.
                        _ => return Ok(Next::Maybe(self.some_tested(&parts[0], &parts[1], value)?)),
                    }
                    last = value;
                }
                let wanted = kind == IterKind::Filter;
                if self.passes_over_all(&parts[0], &parts[1], !wanted)? {
                    return Err(self.endless_consumption(&V::Ref(id), if wanted { "filter" } else { "filterfalse" }, false));
                }
                Ok(Next::Maybe(self.some_tested(&parts[0], &parts[1], last)?))
            }
            IterKind::Chain => {
                let mut parts = parts;
                for _ in 0..10_000_u32 {
                    self.burn(1)?;
                    if matches!(parts[0], V::None) {
                        if parts.len() == 1 {
                            // It stays at its end.
                            self.store.mutate(id, true, |obj| *obj = Obj::Iter(Iter { kind, parts }));
                            return Ok(Next::End);
                        }
                        let iterable = parts.remove(1);
                        parts[0] = self.iterate_value(&iterable)?;
                    }
                    let next = self.next_value(&parts[0].clone())?;
                    if next == Next::End {
                        parts[0] = V::None;
                        continue;
                    }
                    if let Next::Maybe(v) = &next {
                        // Past this point the two sides stand at different places: whatever is left may come next.
                        let over = self.stands_over(&V::Ref(id));
                        let mut all = self.some_of_the_rest(&parts[0], v.clone())?;
                        for p in &parts[1..] {
                            let (element, ..) = self.bounds_of(p);
                            if let Some(e) = element {
                                all = self.store.join_values(&all, &e, false);
                            }
                        }
                        let over = over.filter(|_| !parts.iter().any(|p| self.runs_code(p)));
                        if over.is_none() {
                            self.store.escape_all(&parts);
                        }
                        self.replace_by_bag(id, Some(&all), over);
                        return Ok(Next::Maybe(all));
                    }
                    self.store.mutate(id, true, |obj| {
                        if let Obj::Iter(i) = obj {
                            i.parts = parts;
                        }
                    });
                    return Ok(next);
                }
                Err(Stop::Dead)
            }
            IterKind::ChainFromIterable => {
                let mut parts = parts;
                for _ in 0..10_000_u32 {
                    self.burn(1)?;
                    if matches!(parts[0], V::None) {
                        match self.next_value(&parts[1])? {
                            Next::Item(v) => parts[0] = self.iterate_value(&v)?,
                            Next::Maybe(_) => {
                                self.store.escape_all(&parts);
                                self.replace_by_bag(id, None, None);
                                return Ok(Next::Maybe(V::Unknown(Why::Lost)));
                            }
                            Next::End => return Ok(Next::End),
                        }
                    }
                    match self.next_value(&parts[0].clone())? {
                        Next::End => parts[0] = V::None,
                        Next::Item(v) => {
                            self.set_part(id, 0, parts[0].clone());
                            return Ok(Next::Item(v));
                        }
                        Next::Maybe(_) => {
                            self.store.escape_all(&parts);
                            self.replace_by_bag(id, None, None);
                            return Ok(Next::Maybe(V::Unknown(Why::Lost)));
                        }
                    }
                }
                Err(Stop::Dead)
            }
            IterKind::Count => {
                let after = self.binary_op(BinaryOp::Add, &parts[0], &parts[1], false)?;
                self.set_part(id, 0, after);
                Ok(Next::Item(parts[0].clone()))
            }
            IterKind::Repeat => {
                if matches!(parts[1], V::None) {
                    return Ok(Next::Item(parts[0].clone()));
                }
                let Some(left) = parts[1].as_int() else { return Ok(Next::Maybe(parts[0].clone())) };
                if left.upper().is_some_and(|n| n <= 0) {
                    return Ok(Next::End);
                }
                self.set_part(id, 1, V::int(left.sub(&Int::ONE), Why::Lost));
                Ok(if left.low >= 1 { Next::Item(parts[0].clone()) } else { Next::Maybe(parts[0].clone()) })
            }
            IterKind::Cycle => {
                if !matches!(parts[0], V::None) {
                    match self.next_value(&parts[0])? {
                        Next::Item(v) => {
                            self.append(&parts[1], v.clone());
                            return Ok(Next::Item(v));
                        }
                        Next::Maybe(v) => {
                            self.store.escape_all(&parts);
                            self.replace_by_bag(id, None, None);
                            let all = self.store.join_values(&v, &V::Unknown(Why::Lost), false);
                            return Ok(Next::Maybe(all));
                        }
                        Next::End => self.set_part(id, 0, V::None),
                    }
                }
                let length = self.length_of(&parts[1])?;
                match (length.exact_int(), parts[2].exact_int()) {
                    (Some(0), _) => Ok(Next::End),
                    (Some(n), Some(at)) => {
                        let v = self.load_item(&parts[1], &V::Int(at % n))?;
                        self.set_part(id, 2, V::Int((at + 1) % n));
                        Ok(Next::Item(v))
                    }
                    _ => {
                        let (element, low, _) = self.bounds_of(&parts[1]);
                        let element = element.unwrap_or(V::Unknown(Why::Lost));
                        Ok(if low > 0 { Next::Item(element) } else { Next::Maybe(element) })
                    }
                }
            }
            IterKind::Islice => self.next_in_slice(id, parts),
            IterKind::TakeWhile => {
                if matches!(parts[2], V::Bool(true)) {
                    return Ok(Next::End);
                }
                let open = matches!(parts[2], V::Bool(false));
                let (value, sure) = match self.advanced(&parts[1], open)? {
                    Next::Item(v) => (v, open),
                    Next::Maybe(v) => (v, false),
                    Next::End => return Ok(Next::End),
                };
                let Some(keep) = self.tested(&parts[0], &value, sure)? else { return Ok(Next::End) };
                match self.truth_value(&keep)? {
                    Some(true) => Ok(if sure { Next::Item(value) } else { Next::Maybe(value) }),
                    Some(false) if sure => {
                        self.set_part(id, 2, V::Bool(true));
                        Ok(Next::End)
                    }
                    _ => {
                        self.set_part(id, 2, V::AnyBool(Why::Lost));
                        Ok(Next::Maybe(value.lost()))
                    }
                }
            }
            IterKind::DropWhile => {
                if matches!(parts[2], V::Bool(true)) {
                    return self.next_value(&parts[1]);
                }
                for _ in 0..10_000_u32 {
                    self.burn(1)?;
                    let (value, sure) = match self.next_value(&parts[1])? {
                        Next::Item(v) => (v, matches!(parts[2], V::Bool(false))),
                        Next::Maybe(v) => (v, false),
                        Next::End => return Ok(Next::End),
                    };
                    // Where it is not asked any more, the item is given, if there is one.
                    let Some(drop) = self.tested(&parts[0], &value, sure)? else { return Ok(Next::Maybe(value)) };
                    match self.truth_value(&drop)? {
                        Some(false) if sure => {
                            self.set_part(id, 2, V::Bool(true));
                            return Ok(Next::Item(value));
                        }
                        Some(true) if sure => {}
                        _ => {
                            self.set_part(id, 2, V::AnyBool(Why::Lost));
                            return Ok(Next::Maybe(self.some_tested(&parts[0], &parts[1], value)?));
                        }
                    }
                }
                if self.passes_over_all(&parts[0], &parts[1], true)? {
                    return Err(self.endless_consumption(&V::Ref(id), "dropwhile", false));
                }
                Ok(Next::Maybe(self.some_tested(&parts[0], &parts[1], V::Unknown(Why::Lost))?))
            }
            IterKind::Accumulate => {
                let (value, sure) = match self.next_value(&parts[1])? {
                    Next::Item(v) => (v, true),
                    Next::Maybe(v) => (v, false),
                    Next::End => return Ok(Next::End),
                };
                let total = match &parts[2] {
                    V::Undef => value,
                    V::OneOf(_) => V::Unknown(Why::Lost),
                    total if matches!(parts[0], V::None) => self.binary_op(BinaryOp::Add, total, &value, false)?,
                    total => match self.called(&parts[0], Args::of([total.clone(), value]), sure)? {
                        Some(total) => total,
                        None => return Ok(Next::End),
                    },
                };
                self.set_part(id, 2, total.clone());
                Ok(if sure { Next::Item(total) } else { Next::Maybe(total) })
            }
            IterKind::Pairwise => {
                let mut sure = true;
                let mut previous = parts[1].clone();
                if matches!(previous, V::Undef) {
                    previous = match self.next_value(&parts[0])? {
                        Next::Item(v) => v,
                        Next::Maybe(v) => {
                            sure = false;
                            v
                        }
                        Next::End => return Ok(Next::End),
                    };
                }
                let value = match self.next_value(&parts[0])? {
                    Next::Item(v) => v,
                    Next::Maybe(v) => {
                        sure = false;
                        v
                    }
                    Next::End => return Ok(Next::End),
                };
                self.set_part(id, 1, value.clone());
                let pair = self.make_tuple(vec![previous, value]);
                Ok(if sure { Next::Item(pair) } else { Next::Maybe(pair) })
            }
            IterKind::Callable => {
                if matches!(parts[2], V::Bool(true)) {
                    return Ok(Next::End);
                }
                let open = matches!(parts[2], V::Bool(false));
                let doubt = (!open).then_some(Why::Lost);
                let next = self.perhaps(doubt, |machine| machine.next_by_call(&parts[0], Args::default()))?;
                let (value, sure) = match next.unwrap_or(Next::End) {
                    Next::Item(v) => (v, open),
                    Next::Maybe(v) => (v, false),
                    Next::End => return Ok(Next::End),
                };
                let same = self.compare_op(CompareOp::Eq, &value, &parts[1])?;
                match self.truth_value(&same)? {
                    Some(true) if sure => {
                        self.set_part(id, 2, V::Bool(true));
                        Ok(Next::End)
                    }
                    Some(false) if sure => Ok(Next::Item(value)),
                    _ => {
                        self.set_part(id, 2, V::AnyBool(Why::Lost));
                        Ok(Next::Maybe(value))
                    }
                }
            }
        }
    }

    /// Whether a source has no end, and a function answers the same to all it gives and changes nothing, so that no item that it
    /// answers otherwise to is ever found.
    fn passes_over_all(&mut self, function: &V, source: &V, answer: bool) -> R<bool> {
        if !self.never_ends(source) {
            return Ok(false);
        }
        let Some(Taken { items, endless: true }) = self.foresee(source)? else { return Ok(false) };
        let Some(any) = crate::library::common::element(self, &items) else { return Ok(false) };
        let same = self.rehearse(|machine| {
            let mut before = machine.store.clone();
            let given = if matches!(function, V::None) { any } else { machine.call_value(function, Args::of([any]))? };
            Ok(machine.truth_value(&given)? == Some(answer) && !before.join(&machine.store, false))
        })?;
        Ok(same == Some(true))
    }

    /// Before an iterator is bounded, each cycle in it over something that cannot change goes round all of it from now on, in any
    /// order. `alone`: no code of the program runs meanwhile, so no container changes.
    fn settle_cycles(&mut self, iterator: &V, alone: bool, depth: u32) -> R<()> {
        let V::Ref(id) = iterator else { return Ok(()) };
        let Some((kind, parts)) = self.parts(*id) else { return Ok(()) };
        if kind != IterKind::Cycle {
            if depth > 0 {
                for part in &parts {
                    self.settle_cycles(part, alone, depth - 1)?;
                }
            }
            return Ok(());
        }
        let V::Ref(source) = &parts[0] else { return Ok(()) };
        let fixed = match self.store.get(*source) {
            Obj::Iter(i) => match (i.kind, i.parts.first()) {
                (IterKind::Sequence, Some(of)) if of.is_object() => alone,
                (IterKind::Sequence | IterKind::Range | IterKind::Bag, _) => true,
                _ => false,
            },
            _ => false,
        };
        if !fixed || !self.endless(iterator) {
            return Ok(());
        }
        let taken = self.take_iterator(&parts[0])?;
        let (saved, low, high) = self.bounds_of(&parts[1]);
        let (more, most) = crate::library::count(&taken.items);
        let mut element = saved;
        for v in taken.items.exact.iter().chain(taken.items.rest.iter().map(|r| &r.element)) {
            element = Some(match element {
                None => v.clone(),
                Some(e) => self.store.join_values(&e, v, false),
            });
        }
        let items = bag_items(element.unwrap_or(V::None), low.saturating_add(more).max(1), high.saturating_add(most));
        let saved = self.alloc(Obj::List(Rc::new(items)));
        let parts = vec![V::None, saved, V::any_size(Why::Lost)];
        self.store.mutate(*id, true, |obj| *obj = Obj::Iter(Iter { kind: IterKind::Cycle, parts }));
        Ok(())
    }

    /// Before a loop over a cycle is bounded that has gone round once: it gives any of what it keeps for itself from now on.
    pub fn settle_begun_cycle(&mut self, iterator: &V) {
        let V::Ref(id) = iterator else { return };
        match self.parts(*id) {
            Some((IterKind::Cycle, parts)) if matches!(parts[0], V::None) => self.set_part(*id, 2, V::any_size(Why::Lost)),
            Some((IterKind::Enumerate, parts)) => self.settle_begun_cycle(&parts[0]),
            _ => {}
        }
    }

    /// Before an iterator is bounded, a long source that it filters gives what it has in any order.
    fn settle_filters(&mut self, iterator: &V) -> R<()> {
        let V::Ref(id) = iterator else { return Ok(()) };
        if let Some((IterKind::Filter | IterKind::FilterFalse, parts)) = self.parts(*id)
            && self.remaining_low(&parts[1]) > FAR
            && !self.endless(&parts[1])
            && !self.runs_code(&parts[1])
        {
            self.bounded_rest(&parts[1])?;
        }
        Ok(())
    }

    /// What something gives that is done for certain (`None`), or else may not have been done, for a reason of which so much is known.
    /// `None` where it raises or never ends, so that the program goes on only if it was not done.
    pub fn perhaps<T>(&mut self, doubt: Option<Why>, run: impl FnOnce(&mut Self) -> R<T>) -> R<Option<T>> {
        let Some(why) = doubt else { return run(self).map(Some) };
        let mut before = self.store.clone();
        let path = before.path;
        before.path.mass /= 2.0;
        self.store.path.mass /= 2.0;
        let free = self.store.path.decided.decides(why);
        self.store.path.lost |= !free;
        match run(self) {
            Ok(given) => {
                let joined = self.store.path.certainty_with(&before.path);
                self.store.join(&before, false);
                let all = joined.0 > path.mass - 1e-7;
                let path = if all { (path.mass, path.lost, path.decided) } else { joined };
                (self.store.path.mass, self.store.path.lost, self.store.path.decided) = path;
                Ok(Some(given))
            }
            Err(stop @ (Stop::Raise(_) | Stop::Dead)) => {
                if let Stop::Raise(exception) = stop {
                    self.may_raise_value(exception);
                }
                self.store = before;
                Ok(None)
            }
            Err(stop) => Err(stop),
        }
    }

    /// What a call gives that may not have been made, unless that is certain.
    fn called(&mut self, function: &V, args: Args, certain: bool) -> R<Option<V>> {
        let doubt = (!certain).then(|| Why::of_all(args.values().iter().filter_map(V::why)).unwrap_or(Why::Lost));
        self.perhaps(doubt, |machine| machine.call_value(function, args))
    }

    /// The next item of an iterator that may not be asked for it, unless that is certain.
    fn advanced(&mut self, iterator: &V, certain: bool) -> R<Next> {
        let next = self.perhaps((!certain).then_some(Why::Lost), |machine| machine.next_value(iterator))?;
        Ok(next.unwrap_or(Next::End))
    }

    /// What a filter goes by, of an item that may not be there, unless that is certain.
    fn tested(&mut self, function: &V, value: &V, certain: bool) -> R<Option<V>> {
        if matches!(function, V::None) { Ok(Some(value.clone())) } else { self.called(function, Args::of([value.clone()]), certain) }
    }

    /// A filter was asked about the items of a source until it answered so, nobody knows how often: any of those left.
    fn some_tested(&mut self, function: &V, source: &V, first: V) -> R<V> {
        let any = self.some_of_the_rest(source, first)?;
        if !matches!(function, V::None) {
            self.often(std::slice::from_ref(function), &mut |machine| machine.call_value(function, Args::of([any.clone()])))?;
        }
        Ok(any)
    }

    /// The iterator has been advanced an unknown number of times: what it may still give is bounded by one value.
    fn some_of_the_rest(&mut self, iterator: &V, first: V) -> R<V> {
        if self.runs_code(iterator) {
            self.unknown_effect(std::slice::from_ref(iterator));
            return Ok(V::Unknown(Why::Lost));
        }
        let taken = self.bounded_rest(iterator)?;
        Ok(match taken {
            Some(element) => self.store.join_values(&first, &element, false),
            None => first,
        })
    }

    /// The containers that an iterator stands over, and copies of them by which it can be told whether they have changed. `None`
    /// where what it gives may change otherwise.
    fn stands_over(&mut self, iterator: &V) -> Option<Vec<V>> {
        let (mut work, mut over, mut computes) = (vec![iterator.clone()], Vec::new(), false);
        for _ in 0..64_u32 {
            let Some(v) = work.pop() else {
                // What is computed of objects changes with them.
                let of_objects = computes && over.clone().iter().any(|v| self.bounds_of(v).0.is_some_and(|element| element.is_object()));
                if of_objects {
                    return None;
                }
                let held = over.into_iter().flat_map(|v| {
                    let V::Ref(id) = v else { return [v.clone(), v] };
                    let copy = self.store.get(id).clone();
                    [v, self.alloc(copy)]
                });
                return Some(held.collect());
            };
            match &v {
                V::OneOf(all) => work.extend(all.iter().cloned()),
                V::Tuple(_) => over.push(v),
                V::Ref(id) => match self.store.get(*id) {
                    Obj::Iter(i) => {
                        computes |= matches!(
                            i.kind,
                            IterKind::Map
                                | IterKind::Starmap
                                | IterKind::Keyed
                                | IterKind::Accumulate
                                | IterKind::Filter
                                | IterKind::FilterFalse
                                | IterKind::TakeWhile
                                | IterKind::DropWhile
                                | IterKind::Callable
                                | IterKind::ChainFromIterable
                        );
                        work.extend(i.parts.iter().cloned());
                    }
                    Obj::List(_) | Obj::Deque(..) | Obj::Dict(..) | Obj::Set(..) => over.push(v),
                    _ => return None,
                },
                V::Unknown(_) | V::Instance(..) => return None,
                _ => {}
            }
        }
        None
    }

    /// Whether none of the containers has changed since they were copied.
    fn unchanged(&self, over: &[V]) -> bool {
        over.chunks_exact(2).all(|pair| match pair {
            [V::Ref(now), V::Ref(then)] => self.store.is_copy(*now, *then),
            _ => true,
        })
    }

    /// One value that bounds everything the iterator may still give; the iterator stands anywhere afterwards.
    fn bounded_rest(&mut self, iterator: &V) -> R<Option<V>> {
        if let V::Ref(id) = iterator
            && let Some((IterKind::Bag, parts)) = self.parts(*id)
        {
            let element = if self.unchanged(&parts[2..]) { parts[0].clone() } else { V::Unknown(Why::Lost) };
            self.replace_by_bag(*id, Some(&element), Some(parts[2..].to_vec()));
            return Ok(Some(element));
        }
        let over = self.stands_over(iterator);
        let mut element: Option<V> = None;
        if (self.endless(iterator) || self.remaining_low(iterator) > FAR) && !self.runs_code(iterator) {
            let Next::Item(first) = self.next_value(iterator)? else { return Ok(Some(V::Unknown(Why::Lost))) };
            let begun = Begun { least: 0, until: 0.0, unending: false, path: self.store.path, uncaught: self.uncaught_raises };
            let taken = self.take_bounded(iterator, Items::default(), first, &begun)?;
            let element = taken.items.rest.map_or(V::Unknown(Why::Lost), |rest| rest.element);
            if let V::Ref(id) = iterator {
                self.replace_by_bag(*id, Some(&element), over);
            }
            return Ok(Some(element));
        }
        for _ in 0..TAKE_UNKNOWN {
            match self.next_value(iterator)? {
                Next::End => {
                    // What was skipped may still come: the iterator is replaced by a bag of all of it.
                    if let V::Ref(id) = iterator {
                        self.replace_by_bag(*id, element.as_ref(), over);
                    }
                    return Ok(element);
                }
                Next::Item(v) | Next::Maybe(v) => {
                    element = Some(match element {
                        None => v,
                        Some(e) => self.store.join_values(&e, &v, false),
                    });
                }
            }
        }
        self.store.escape(iterator);
        Ok(Some(V::Unknown(Why::Lost)))
    }

    /// `element`: what is left, if anything. `over`: what that is taken from, as [`Machine::stands_over`] gives it: it is so for as
    /// long as that does not change. The end may not have been reached, and there may be more before it by then.
    fn replace_by_bag(&mut self, id: ObjId, element: Option<&V>, over: Option<Vec<V>>) {
        let left = if element.is_none() && over.is_some() { V::Int(0) } else { V::int(Int::NON_NEGATIVE, Why::Lost) };
        let element = element.filter(|_| over.is_some()).cloned().unwrap_or(V::Unknown(Why::Lost));
        let mut parts = vec![element, left];
        parts.extend(over.unwrap_or_default());
        self.store.mutate(id, true, |obj| *obj = Obj::Iter(Iter { kind: IterKind::Bag, parts }));
    }

    /// What was done since may not have happened.
    pub fn rejoin(&mut self, before: &crate::value::store::Store) {
        let path = self.store.path;
        self.store.join(before, false);
        self.store.path.mass = path.mass;
        self.store.path.lost = path.lost;
        self.store.path.decided = path.decided;
    }

    fn next_in_range(&mut self, id: ObjId, parts: &[V]) -> R<Next> {
        let (Some(at), Some(stop), Some(step)) = (parts[0].as_int(), parts[1].as_int(), parts[2].as_int()) else {
            return Ok(Next::Maybe(V::any_int(Why::Lost)));
        };
        let why = crate::library::why(&[&parts[0], &parts[1], &parts[2]]);
        use crate::value::int::Comparison;
        let up = step.low >= 1;
        let down = step.upper().is_some_and(|s| s <= -1);
        if !up && !down {
            return Ok(Next::Maybe(V::any_int(why)));
        }
        let op = if up { Comparison::Lt } else { Comparison::Gt };
        match at.compare(&stop, op) {
            Some(false) => Ok(Next::End),
            known => {
                let Some(current) = at.refine(op, &stop) else { return Ok(Next::End) };
                self.set_part(id, 0, V::int(current.add(&step), why));
                let value = V::int(current, why);
                Ok(if known == Some(true) { Next::Item(value) } else { Next::Maybe(value) })
            }
        }
    }

    fn next_in_dict(&mut self, id: ObjId, kind: IterKind, parts: &[V]) -> R<Next> {
        if let (V::OneOf(dicts), Some(at)) = (&parts[0], parts[1].exact_int())
            && dicts.iter().all(|v| self.is_known_dict(v))
        {
            return self.next_in_dicts(id, kind, dicts, at as usize);
        }
        let V::Ref(dict) = parts[0] else { return Ok(Next::Maybe(V::Unknown(Why::Lost))) };
        let Obj::Dict(table, of) = self.store.get(dict) else {
            self.may_raise_class("");
            return Ok(Next::Maybe(V::Unknown(Why::Lost)));
        };
        let (table, ordered) = (table.clone(), matches!(of, DictKind::Ordered));
        if ordered {
            // It notices entries that have changed places, too.
            self.may_raise_class("RuntimeError");
        }
        let shape = |m: &mut Self, k: V, v: V| match kind {
            IterKind::Keys => k,
            IterKind::Values => v,
            _ => m.make_tuple(vec![k, v]),
        };
        let n = table.exact.len();
        match parts[1].exact_int() {
            Some(at) if (at as usize) < n => {
                self.set_part(id, 1, V::Int(at + 1));
                let (k, v) = table.exact[at as usize].clone();
                Ok(Next::Item(shape(self, k, v)))
            }
            Some(at) => match &table.rest {
                None => Ok(Next::End),
                Some(rest) => {
                    let past = (at as usize - n) as u64;
                    if past >= rest.high {
                        return Ok(Next::End);
                    }
                    self.set_part(id, 1, V::Int(at + 1));
                    let value = shape(self, rest.element.clone(), rest.value.clone());
                    Ok(if past < rest.low { Next::Item(value) } else { Next::Maybe(value) })
                }
            },
            None => {
                let mut element: Option<(V, V)> = None;
                let all = table.exact.values().cloned().chain(table.rest.iter().map(|r| (r.element.clone(), r.value.clone())));
                for (k, v) in all.collect::<Vec<_>>() {
                    element = Some(match element {
                        None => (k, v),
                        Some((a, b)) => (self.store.join_values(&a, &k, false), self.store.join_values(&b, &v, false)),
                    });
                }
                let Some((k, v)) = element else { return Ok(Next::End) };
                if let Some(at) = parts[1].as_int() {
                    self.set_part(id, 1, V::int(at.add(&Int::ONE), Why::Lost));
                }
                Ok(Next::Maybe(shape(self, k, v)))
            }
        }
    }

    /// The entry at a place in one of several dicts.
    fn next_in_dicts(&mut self, id: ObjId, kind: IterKind, dicts: &[V], at: usize) -> R<Next> {
        let (mut found, mut all) = (None, true);
        for dict in dicts {
            let Some(Obj::Dict(table, of)) = self.obj(dict) else { continue };
            let (entry, ordered) = (table.exact.get_index(at).map(|(_, entry)| entry.clone()), matches!(of, DictKind::Ordered));
            if ordered {
                self.may_raise_class("RuntimeError");
            }
            let Some((k, v)) = entry else {
                all = false;
                continue;
            };
            let item = match kind {
                IterKind::Keys => k,
                IterKind::Values => v,
                _ => self.make_tuple(vec![k, v]),
            };
            found = Some(match found {
                None => item,
                Some(known) => self.store.join_values(&known, &item, false),
            });
        }
        let Some(item) = found else { return Ok(Next::End) };
        self.set_part(id, 1, V::Int(at as i128 + 1));
        Ok(if all { Next::Item(item) } else { Next::Maybe(item) })
    }

    fn next_in_slice(&mut self, id: ObjId, parts: Vec<V>) -> R<Next> {
        // [iterator, position, next, stop or None, step]
        let (Some(mut position), Some(next), Some(step)) = (parts[1].exact_int(), parts[2].exact_int(), parts[4].exact_int()) else {
            let taken = self.next_value(&parts[0])?;
            return Ok(match taken {
                Next::Item(v) => Next::Maybe(v),
                other => other,
            });
        };
        let stop = match &parts[3] {
            V::None => None,
            v => match v.exact_int() {
                Some(n) => Some(n),
                None => {
                    let taken = self.next_value(&parts[0])?;
                    return Ok(match taken {
                        Next::Item(v) => Next::Maybe(v),
                        other => other,
                    });
                }
            },
        };
        let ends = stop.is_some_and(|s| next >= s);
        let mut certain = true;
        loop {
            self.burn(1)?;
            if ends && position >= next {
                // The items up to where the next one would be are passed over first.
                self.set_part(id, 1, V::Int(position));
                return Ok(Next::End);
            }
            let (value, sure) = match self.next_value(&parts[0])? {
                Next::Item(v) => (v, true),
                Next::Maybe(v) => (v, false),
                Next::End => return Ok(Next::End),
            };
            certain &= sure;
            position += 1;
            if position > next {
                self.set_part(id, 1, V::Int(position));
                let after = next.saturating_add(step);
                self.set_part(id, 2, V::Int(stop.map_or(after, |s| after.min(s))));
                return Ok(if certain { Next::Item(value) } else { Next::Maybe(value) });
            }
        }
    }

    fn next_of_generator(&mut self, id: ObjId, generator: Generator) -> R<Next> {
        if generator.coroutine {
            return Err(Stop::Raise(V::exception("TypeError")));
        }
        let Some(mut frame) = generator.frame else {
            return Ok(if generator.may_be_done {
                self.may_raise_class("");
                Next::Maybe(V::Unknown(Why::Lost))
            } else {
                Next::End
            });
        };
        if self.store.is_summary(id) || self.frames.len() > 300 {
            self.store.escape(&V::Ref(id));
            self.may_raise_class("");
            return Ok(Next::Maybe(V::Unknown(Why::Lost)));
        }
        if frame.pc > 0 {
            // The value of the `yield` expression; `yield from` keeps its own state there.
            let again = matches!(self.code(frame.code).ops.get(frame.pc as usize), Some(crate::syntax::code::Op::YieldFrom))
                && matches!(frame.stack.last(), Some(V::Token(_)));
            if !again {
                frame.stack.push(V::None);
            }
        }
        self.store.mutate(id, true, |obj| {
            if let Obj::Generator(g) = obj {
                g.frame = None;
                g.may_be_done = false;
            }
        });
        let before = generator.may_be_done.then(|| self.store.clone());
        let exit = self.run_frame(&mut frame);
        let result = match exit {
            Exit::Return(v) => {
                self.last_return = Some(v);
                Next::End
            }
            Exit::Yield(v, ended) => {
                let may_be_done = ended.is_some();
                if let Some(ended) = ended {
                    let path = self.store.path;
                    self.store.join(&ended, false);
                    self.store.path.mass = (path.mass + ended.path.mass).min(1.0);
                }
                // Given up here, it runs its `finally` and leaves its managers whenever nobody holds it any more.
                let (code, at) = (frame.code, frame.pc);
                if self.code(code).handlers.iter().any(|h| (h.start..=h.end).contains(&at)) {
                    let cells: Vec<V> = frame.cells.iter().map(|cell| V::Ref(*cell)).collect();
                    self.store.escape_all(&frame.locals);
                    self.store.escape_all(&cells);
                    self.store.escape_code_of(code);
                }
                self.store.mutate(id, true, |obj| *obj = Obj::Generator(Generator { frame: Some(frame), coroutine: false, may_be_done }));
                self.last_return = None;
                if may_be_done { Next::Maybe(v) } else { Next::Item(v) }
            }
            Exit::Raise(e) => {
                if before.is_some() {
                    self.may_raise_value(e);
                    Next::End
                } else {
                    return Err(Stop::Raise(e));
                }
            }
            Exit::Lost => {
                // Its code may go on at any place it could stand at, so what it touches escapes with it.
                self.store
                    .mutate(id, true, |obj| *obj = Obj::Generator(Generator { frame: Some(frame), coroutine: false, may_be_done: true }));
                self.store.escape(&V::Ref(id));
                self.may_raise_class("");
                self.last_return = None;
                Next::Maybe(V::Unknown(Why::Lost))
            }
            Exit::Fuel => return Err(Stop::Fuel),
            Exit::Dead if before.is_some() => Next::End,
            Exit::Dead => return Err(Stop::Dead),
        };
        Ok(match (before, result) {
            (Some(before), result) => {
                self.rejoin(&before);
                match result {
                    Next::Item(v) => Next::Maybe(v),
                    other => other,
                }
            }
            (None, result) => result,
        })
    }

    pub fn async_iterate(&mut self, value: &V) -> R<V> {
        match self.obj(value) {
            Some(Obj::Generator(_)) => Ok(value.clone()),
            Some(Obj::Instance { .. }) if !self.open_instance(value) => match self.dunder(value, "__aiter__") {
                Some(method) => self.call_value(&method, Args::of([value.clone()])),
                None => Err(Stop::Raise(V::exception("TypeError"))),
            },
            _ => Ok(self.unknown_effect(std::slice::from_ref(value))),
        }
    }

    pub fn async_next(&mut self, iterator: &V) -> R<Next> {
        match self.obj(iterator) {
            Some(Obj::Generator(_)) => self.next_value(iterator),
            Some(Obj::Instance { .. }) if !self.open_instance(iterator) => {
                let v = self.unknown_effect(std::slice::from_ref(iterator));
                Ok(Next::Maybe(v))
            }
            _ => {
                self.may_raise_class("");
                Ok(Next::Maybe(V::Unknown(Why::OUTSIDE)))
            }
        }
    }

    /// Everything an iterable gives, without making an iterator where its contents can be read off.
    pub fn take_value(&mut self, iterable: &V) -> R<Taken> {
        let finite = |items: Items| Ok(Taken { items, endless: false });
        match iterable {
            V::Tuple(t) => match &**t {
                Tuple::Exact(items) => return finite(Items { exact: items.clone(), rest: None }),
                Tuple::Bag { element, low, high } => return finite(bag_items(element.clone(), *low, *high)),
            },
            V::Range(parts) => {
                if let (Some(start), Some(stop), Some(step)) = (parts[0].exact_int(), parts[1].exact_int(), parts[2].exact_int())
                    && step != 0
                {
                    let n = range_length(start, stop, step);
                    if n <= 1 << 12 {
                        self.burn(n as u64)?;
                        return finite(Items { exact: (0..n as i128).map(|i| V::Int(start + i * step)).collect(), rest: None });
                    }
                    let n = u64::try_from(n).unwrap_or(u64::MAX);
                    let last = start.saturating_add((i128::from(n) - 1).saturating_mul(step));
                    let element = V::int(Int::range(start.min(last), start.max(last)), Why::Lost);
                    return finite(bag_items(element, n, n));
                }
            }
            V::Ref(id) => match self.store.get(*id) {
                Obj::List(items) | Obj::Deque(items, _) => return finite((**items).clone()),
                Obj::Dict(table, _) => {
                    let rest = table.rest.clone();
                    return finite(Items { exact: table.exact.values().map(|(k, _)| k.clone()).collect(), rest });
                }
                Obj::View { of: V::Ref(dict), kind } => {
                    if let Obj::Dict(table, _) = self.store.get(*dict).clone() {
                        let kind = *kind;
                        self.burn(table.exact.len() as u64 / 16)?;
                        let entries = table.exact.values().cloned().chain(table.rest.iter().map(|r| (r.element.clone(), r.value.clone())));
                        let mut shown: Vec<V> = Vec::with_capacity(table.exact.len() + 1);
                        for (k, v) in entries.collect::<Vec<_>>() {
                            shown.push(match kind {
                                IterKind::Keys => k,
                                IterKind::Values => v,
                                _ => self.make_tuple(vec![k, v]),
                            });
                        }
                        let last = if table.rest.is_some() { shown.pop() } else { None };
                        let rest =
                            table.rest.as_ref().zip(last).map(|(r, element)| Rest { element, value: V::None, low: r.low, high: r.high });
                        return finite(Items { exact: shown, rest });
                    }
                }
                _ => {}
            },
            V::Str(s) if s.len() <= 4096 => {
                self.burn(s.len() as u64 / 4)?;
                return finite(Items { exact: s.chars().map(|c| V::str(c.encode_utf8(&mut [0; 4]))).collect(), rest: None });
            }
            _ => {}
        }
        if let Some(text) = text_of(iterable) {
            let element = match iterable {
                V::Str(_) | V::Strs(_) => V::Strs(text.character()),
                _ => V::int(Int::range(0, 255), text.why),
            };
            return finite(bag_items(element, text.low, text.high));
        }
        let iterator = self.iterate_value(iterable)?;
        self.take_iterator(&iterator)
    }

    /// Iterators may lead to one another in more ways than there is fuel for.
    fn walked_enough(&self) -> bool {
        self.store.charge(1);
        self.store.work_due() > self.fuel
    }

    /// How many items an iterator will give at least, and whether it never ends.
    pub fn endless(&self, iterator: &V) -> bool {
        let V::Ref(id) = iterator else { return false };
        if self.walked_enough() {
            return false;
        }
        let Obj::Iter(i) = self.store.get(*id) else { return false };
        match i.kind {
            IterKind::Count => true,
            IterKind::Repeat => matches!(i.parts[1], V::None),
            IterKind::Cycle => match &i.parts[0] {
                // Endless once something is in it.
                V::None => matches!(self.obj(&i.parts[1]), Some(Obj::List(items)) if crate::library::count(items).0 > 0),
                first => self.endless(first) || self.certainly_some(first),
            },
            IterKind::Enumerate | IterKind::Pairwise => self.endless(&i.parts[0]),
            IterKind::Accumulate => self.endless(&i.parts[1]) && matches!(i.parts[0], V::None),
            IterKind::Zip => !i.parts.is_empty() && i.parts.iter().all(|p| self.endless(p)),
            IterKind::ZipLongest => i.parts[1..].iter().any(|p| self.endless(p)),
            IterKind::Chain => self.endless(&i.parts[0]),
            IterKind::Islice => matches!(i.parts[3], V::None) && self.endless(&i.parts[0]),
            _ => false,
        }
    }

    /// Whether an iterator goes on for ever, whether it gives something or not, as long as nothing raises.
    fn never_ends(&self, iterator: &V) -> bool {
        let source = match self.obj(iterator) {
            Some(Obj::Iter(i)) => match i.kind {
                IterKind::Filter
                | IterKind::FilterFalse
                | IterKind::DropWhile
                | IterKind::Starmap
                | IterKind::Keyed
                | IterKind::Accumulate
                | IterKind::ChainFromIterable => i.parts.get(1),
                IterKind::Map if i.parts.len() == 2 => i.parts.get(1),
                _ => None,
            },
            _ => None,
        };
        source.map_or_else(|| self.endless(iterator), |source| self.never_ends(source))
    }

    /// Whether advancing the iterator runs code of the program, between the instructions of which a signal handler may run.
    pub fn runs_code(&self, iterator: &V) -> bool {
        let mut work = vec![iterator];
        let mut seen = 0;
        while let Some(v) = work.pop() {
            seen += 1;
            if seen > 64 {
                return true;
            }
            match v {
                V::Ref(id) => match self.store.get(*id) {
                    Obj::Iter(i) => work.extend(&i.parts),
                    Obj::Generator(_) | Obj::Instance { .. } | Obj::Function(_) | Obj::Bound { .. } | Obj::Partial { .. } => return true,
                    _ => {}
                },
                V::Unknown(_) | V::Instance(..) | V::OneOf(_) => return true,
                _ => {}
            }
        }
        false
    }

    /// An iterator without an end is consumed by `callee`, which never returns. What collects the items would end in a
    /// MemoryError; where the program handles that, it may go on.
    pub fn endless_consumption(&mut self, iterable: &V, callee: &str, collects: bool) -> Stop {
        let measure = Measure { unit: Unit::Seconds, low: f64::INFINITY, high: f64::INFINITY };
        let survives = collects && self.is_handled("MemoryError");
        let proof = if survives || (self.runs_code(iterable) && Machine::interruptible(self)) { Proof::Likely } else { Proof::Proven };
        let words = [("callee", callee.to_owned()), ("reason", "it consumes an iterator that never ends".to_owned())];
        self.report(FactKind::EndlessIterator, None, Some(measure), proof, &words);
        if survives {
            self.may_raise_class("MemoryError");
        }
        Stop::Dead
    }

    fn certainly_some(&self, iterator: &V) -> bool {
        let V::Ref(id) = iterator else { return false };
        match self.store.get(*id) {
            Obj::Iter(i) => match (i.kind, i.parts.as_slice()) {
                (IterKind::Sequence, [V::Str(s), V::Int(at)]) => (*at as usize) < s.len(),
                (IterKind::Sequence, [V::Tuple(t), V::Int(at)]) => matches!(&**t, Tuple::Exact(items) if (*at as usize) < items.len()),
                (IterKind::Sequence, [V::Ref(list), V::Int(at)]) => {
                    matches!(self.store.get(*list), Obj::List(items) if (*at as usize) < items.exact.len())
                }
                (IterKind::Range, [V::Int(a), V::Int(b), V::Int(s)]) => (*s > 0 && a < b) || (*s < 0 && a > b),
                _ => false,
            },
            _ => false,
        }
    }

    /// At least how many times a loop goes round to take all of an iterator, what it passes over included, unless something
    /// raises.
    pub fn steps_low(&mut self, iterator: &V) -> u64 {
        let V::Ref(id) = iterator else { return 0 };
        if let Obj::Generator(generator) = self.store.get(*id) {
            let Some((source, inner, _)) = self.loops_of_expression(generator) else { return 0 };
            return self.steps_low(&source).saturating_mul(inner);
        }
        match self.parts(*id) {
            Some((IterKind::Filter | IterKind::FilterFalse | IterKind::Starmap | IterKind::Accumulate | IterKind::Keyed, parts)) => {
                self.steps_low(&parts[1])
            }
            Some((IterKind::Enumerate, parts)) => self.steps_low(&parts[0]),
            Some((IterKind::Map, parts)) if parts.len() == 2 => self.steps_low(&parts[1]),
            _ => self.remaining_low(iterator),
        }
    }

    /// Least seconds that the code of a generator expression takes to pass over all of what it runs over, where nothing raises.
    pub fn passing_low(&mut self, iterator: &V) -> f64 {
        let V::Ref(id) = iterator else { return 0.0 };
        let Obj::Generator(generator) = self.store.get(*id) else { return 0.0 };
        let Some((source, _, deepest)) = self.loops_of_expression(generator) else { return 0.0 };
        if !self.cannot_shrink(&source, MAX_NESTING) {
            return 0.0;
        }
        let Some(id) = generator.frame.as_ref().map(|frame| frame.code) else { return 0.0 };
        let code = self.code(id);
        super::floors::of_iteration(code, &self.floors[id.0 as usize], &code.loops[deepest]) * self.steps_low(iterator) as f64
    }

    /// What a generator expression that has not been started runs over, and how often its inner loops go round for each item:
    /// they run over ranges of a fixed length, and no condition comes before them. Last, the number of the deepest such loop.
    fn loops_of_expression(&self, generator: &Generator) -> Option<(V, u64, usize)> {
        let frame = generator.frame.as_ref().filter(|f| f.pc == 0)?;
        let code = self.code(frame.code);
        if code.kind != CodeKind::Comprehension || code.is_async || generator.may_be_done || code.loops.is_empty() {
            return None;
        }
        let mut inner: u64 = 1;
        let mut before = code.loops[0].head as usize;
        let mut deepest = 0;
        for (at, l) in code.loops.iter().enumerate().skip(1) {
            let head = l.head as usize;
            let between = code.ops.get(before..head)?;
            let jumps = |op: &Op| matches!(op, Op::Jump(_) | Op::JumpIfTrue(_) | Op::JumpIfFalse(_) | Op::LoopBack(_));
            let length = self.length_of_range(frame, between);
            let Some(length) = length.filter(|_| !between.iter().any(jumps)) else { break };
            inner = inner.saturating_mul(u64::try_from(length.max(0)).unwrap_or(u64::MAX));
            (before, deepest) = (head, at);
        }
        Some((frame.locals.first().cloned()?, inner, deepest))
    }

    /// The length of the range that a loop in a comprehension goes over, made right before it from numbers that stay as they are.
    fn length_of_range(&self, frame: &Frame, before: &[Op]) -> Option<i128> {
        let at = before.iter().rposition(|op| matches!(op, Op::Call(1 | 2, None)))?;
        let Op::Call(n, _) = before[at] else { return None };
        let numbers = before.get(at.checked_sub(usize::from(n))?..at)?;
        match before.get(at.checked_sub(usize::from(n) + 1)?)? {
            Op::LoadGlobal(name) if matches!(self.store.global(name.0), V::Undef) && !self.store.builtins_open => {
                (&*self.program.names[name.0 as usize] == "range").then_some(())?;
            }
            _ => return None,
        }
        let stays = |writes: &dyn Fn(&crate::syntax::code::Code, &Op) -> bool| {
            !self.program.codes.iter().skip(1).any(|code| code.ops.iter().any(|op| writes(code, op)))
        };
        let number = |op: &Op| match op {
            Op::Const(c) => self.consts[c.0 as usize].exact_int(),
            Op::LoadGlobal(name) => {
                let kept = stays(&|_, op| matches!(op, Op::StoreGlobal(n) | Op::DeleteGlobal(n) if n == name));
                self.store.global(name.0).exact_int().filter(|_| kept)
            }
            // A variable of the function around it, which waits meanwhile.
            Op::LoadDeref(cell) => {
                let outer = |code: &crate::syntax::code::Code, n: u16| usize::from(n) >= code.cells.len();
                let kept = stays(&|code, op| matches!(op, Op::StoreDeref(n) | Op::DeleteDeref(n) if outer(code, *n)));
                match self.store.get(*frame.cells.get(usize::from(*cell))?) {
                    Obj::Cell(value) => value.exact_int().filter(|_| kept),
                    _ => None,
                }
            }
            _ => None,
        };
        match numbers {
            [stop] => number(stop),
            [start, stop] => Some(number(stop)?.saturating_sub(number(start)?)),
            _ => None,
        }
    }

    /// What taking all of an iterable would give, where nothing in it may raise. The state stays as it is.
    pub fn foresee(&mut self, iterable: &V) -> R<Option<Taken>> {
        self.rehearse(|machine| machine.take_value(iterable))
    }

    /// `value in iterator`: goes on to the first item that is equal, and leaves the iterator there.
    pub fn contains_in_iterator(&mut self, iterator: &V, value: &V) -> R<V> {
        if self.remaining_low(iterator) > LOOKED_AT
            && let Some(answer) = self.absent_from(iterator, value)?
        {
            return Ok(answer);
        }
        for _ in 0..LOOKED_AT {
            self.burn(1)?;
            let item = match self.next_value(iterator)? {
                Next::End => return Ok(V::Bool(false)),
                Next::Item(item) => item,
                Next::Maybe(_) => return Ok(self.stands_anywhere(iterator, value)),
            };
            match crate::library::common::equal(self, &item, value)? {
                Some(true) => return Ok(V::Bool(true)),
                Some(false) => {}
                None => return Ok(self.stands_anywhere(iterator, value)),
            }
        }
        match self.absent_from(iterator, value)? {
            Some(answer) => Ok(answer),
            None => Ok(self.stands_anywhere(iterator, value)),
        }
    }

    /// Where nothing that the iterator gives can be equal to the value, it is consumed to its end, if it has one.
    fn absent_from(&mut self, iterator: &V, value: &V) -> R<Option<V>> {
        let Some(Taken { items, endless }) = self.foresee(iterator)? else { return Ok(None) };
        let Some(any) = crate::library::common::element(self, &items) else { return Ok(None) };
        if !self.certainly(&mut |host| Ok(crate::library::common::equal(host, &any, value)? == Some(false)))? {
            return Ok(None);
        }
        if endless {
            return Err(self.endless_consumption(iterator, "in", false));
        }
        self.take_iterator(iterator)?;
        let low = crate::library::count(&items).0;
        self.spend(crate::value::cost::C_ITERATION.times(low as f64), "in", iterator);
        Ok(Some(V::Bool(false)))
    }

    /// The iterator has been looked through as far as nobody knows.
    fn stands_anywhere(&mut self, iterator: &V, value: &V) -> V {
        self.unknown_effect(&[iterator.clone(), value.clone()]);
        V::AnyBool(Why::Lost)
    }

    /// Everything that comes out of a chain of iterables without an end, where each of these is plain.
    fn endless_chain(&mut self, iterator: &V) -> R<Option<Taken>> {
        let V::Ref(id) = iterator else { return Ok(None) };
        let Some((IterKind::ChainFromIterable, parts)) = self.parts(*id) else { return Ok(None) };
        if !matches!(parts[0], V::None) || !self.endless(&parts[1]) || self.runs_code(&parts[1]) {
            return Ok(None);
        }
        let Some(Taken { items, endless: true }) = self.foresee(&parts[1])? else { return Ok(None) };
        let Some(part) = crate::library::common::element(self, &items).filter(crate::library::common::is_plain) else { return Ok(None) };
        let Some(Taken { items, endless: false }) = self.foresee(&part)? else { return Ok(None) };
        let element = crate::library::common::element(self, &items);
        Ok(element.map(|element| Taken { items: bag_items(element, u64::MAX, u64::MAX), endless: true }))
    }

    pub fn take_iterator(&mut self, iterator: &V) -> R<Taken> {
        if let Some(taken) = self.endless_chain(iterator)? {
            return Ok(taken);
        }
        // At least so many come in all, if nothing raises and nothing is taken away meanwhile.
        let mut least = self.remaining_low(iterator);
        let until = self.store.path.cost + self.passing_low(iterator);
        if self.runs_code(iterator) && !self.cannot_shrink(iterator, MAX_NESTING) {
            least = 0;
        }
        let begun = Begun { least, until, unending: self.never_ends(iterator), path: self.store.path, uncaught: self.uncaught_raises };
        // So many items are not followed one by one, nor is what is passed over to come to them.
        let steps = if self.abstract_loops == 0 { self.steps_low(iterator) } else { 0 };
        if least > FAR || (steps > FAR && steps < u64::MAX) {
            return match self.next_value(iterator)? {
                Next::End => Ok(Taken { items: Items::default(), endless: false }),
                Next::Item(v) | Next::Maybe(v) => self.take_bounded(iterator, Items::default(), v, &begun),
            };
        }
        let mut items = Items::default();
        let (mut maybe, mut open) = (0usize, false);
        loop {
            self.burn(1)?;
            // Behind one that may have been the end, nobody asks for sure.
            let next = self.advanced(iterator, !open)?;
            open |= matches!(next, Next::Maybe(_));
            match next {
                Next::End => return Ok(Taken { items, endless: false }),
                Next::Item(v) if items.rest.is_none() && items.exact.len() < MAX_EXACT_ITEMS && self.abstract_take(items.exact.len()) => {
                    items.exact.push(v);
                    if items.exact.len() == TRIED_ITEMS
                        && let Some(element) = self.without_end(iterator, &items, &begun)?
                    {
                        return self.take_bounded(iterator, items, element, &begun);
                    }
                }
                Next::Item(v) | Next::Maybe(v) => {
                    maybe += 1;
                    items.rest = Some(match items.rest.take() {
                        None => Rest { element: v, value: V::None, low: 0, high: 1 },
                        Some(r) => {
                            let element = self.store.join_values(&r.element, &v, maybe > 8);
                            let stable = element == r.element;
                            if (stable && maybe > 12) || maybe > TAKE_UNKNOWN {
                                return self.take_bounded(iterator, items, element, &begun);
                            }
                            Rest { element, value: V::None, low: 0, high: r.high + 1 }
                        }
                    });
                }
            }
        }
    }

    /// One value for all items of an iterator of which an invariant shows already that it never ends. The state stays as it is.
    fn without_end(&mut self, iterator: &V, items: &Items, begun: &Begun) -> R<Option<V>> {
        let fuel = (self.fuel / 16).min(self.fuel_for_trials);
        if self.abstract_loops > 0 || fuel < MIN_TRIAL || !self.runs_code(iterator) {
            return Ok(None);
        }
        let mut escapes = Vec::new();
        let element = crate::value::store::join_many(&items.exact, &mut escapes);
        let Some(element) = element.filter(|_| escapes.is_empty()) else { return Ok(None) };
        let left = self.fuel - fuel;
        self.fuel = fuel;
        let (facts, reported) = (self.facts.clone(), self.facts_reported);
        let found = self.rehearse(|machine| machine.take_bounded(iterator, Items::default(), element.clone(), begun));
        (self.facts, self.facts_reported) = (facts, reported);
        self.fuel_for_trials -= fuel - self.fuel.min(fuel);
        self.fuel += left;
        match found {
            Ok(Some(taken)) if taken.endless => Ok(Some(element)),
            Ok(_) | Err(Stop::Fuel) => Ok(None),
            Err(stop) => Err(stop),
        }
    }

    fn abstract_take(&self, taken: usize) -> bool {
        taken < 256 || self.abstract_loops == 0
    }

    /// The numbers by which an iterator, and what it goes over, counts.
    fn counters(&self, iterator: &V) -> Vec<(ObjId, Place)> {
        let mut out = Vec::new();
        let mut work = vec![iterator];
        let mut seen = 0;
        while let Some(value) = work.pop() {
            seen += 1;
            let V::Ref(object) = value else { continue };
            match self.store.get(*object) {
                _ if seen > MAX_COUNTERS => break,
                Obj::Iter(i) => {
                    match i.kind {
                        IterKind::Count if starts_small(&i.parts[0]) && steps_small(&i.parts[1]) => out.push((*object, Place::Part(0))),
                        IterKind::Enumerate if starts_small(&i.parts[1]) => out.push((*object, Place::Part(1))),
                        _ => {}
                    }
                    work.extend(&i.parts);
                }
                Obj::Generator(Generator { frame: Some(frame), .. }) => {
                    let counted = |(slot, value): (usize, &V)| (starts_small(value) && self.is_counter(frame, slot)).then_some(slot);
                    out.extend(frame.locals.iter().enumerate().filter_map(counted).map(|slot| (*object, Place::Local(slot))));
                    work.extend(frame.locals.iter().chain(&frame.stack));
                }
                _ => {}
            }
        }
        out
    }

    /// Whether a function does nothing to a local but to set it to small numbers outside of loops, and to count by small steps.
    fn is_counter(&self, frame: &Frame, slot: usize) -> bool {
        let (code, locals) = (self.code(frame.code), &frame.locals);
        let small = |c: crate::syntax::code::ConstId, test: fn(&V) -> bool| test(&self.consts[c.0 as usize]);
        let kept = |slot: u16| code.ops.iter().all(|op| !matches!(op, Op::StoreLocal(n) | Op::DeleteLocal(n) if *n == slot));
        code.ops.iter().enumerate().all(|(at, op)| {
            match op {
                Op::StoreLocal(to) if usize::from(*to) == slot => {}
                Op::DeleteLocal(to) => return usize::from(*to) != slot,
                _ => return true,
            }
            let before = |n: usize| at.checked_sub(n).map(|at| &code.ops[at]);
            let in_loop = code.loops.iter().any(|l| (l.head as usize..=l.end as usize).contains(&at));
            match (before(3), before(2), before(1)) {
                (Some(Op::LoadLocal(from)), Some(Op::Const(c)), Some(Op::Inplace(op) | Op::Binary(op))) => {
                    usize::from(*from) == slot && matches!(op, BinaryOp::Add | BinaryOp::Sub) && small(*c, steps_small)
                }
                (Some(Op::LoadLocal(from)), Some(Op::LoadLocal(by)), Some(Op::Inplace(op) | Op::Binary(op))) => {
                    let step = locals.get(usize::from(*by)).is_some_and(steps_small);
                    usize::from(*from) == slot && matches!(op, BinaryOp::Add | BinaryOp::Sub) && step && kept(*by)
                }
                (.., Some(Op::Const(c))) => !in_loop && small(*c, starts_small),
                _ => false,
            }
        })
    }

    /// Keeps counters where they can get to.
    fn keep_counters(&mut self, counters: &[(ObjId, Place)]) {
        let kept = |value: &V| match value {
            V::Ints(r) => r.0.meet(&Int::range(-COUNTED, COUNTED)).map(|int| V::int(int, r.1)),
            _ => None,
        };
        for (object, place) in counters {
            self.store.mutate(*object, true, |obj| {
                let value = match (obj, place) {
                    (Obj::Iter(i), Place::Part(at)) => i.parts.get_mut(*at),
                    (Obj::Generator(Generator { frame: Some(frame), .. }), Place::Local(slot)) => frame.locals.get_mut(*slot),
                    _ => None,
                };
                if let Some(value) = value
                    && let Some(new) = kept(value)
                {
                    *value = new;
                }
            });
        }
    }

    /// The items seem to be bounded by one value: takes what is left with the state widened until nothing changes.
    fn take_bounded(&mut self, iterator: &V, mut items: Items, mut element: V, begun: &Begun) -> R<Taken> {
        let (least, until) = (begun.least, begun.until);
        let quiet = self.raised.is_none() && self.uncaught_raises == begun.uncaught;
        let high = self.remaining_high(iterator);
        self.enter_abstract();
        let mut result = Ok(());
        // Whether in the state that no longer changes there certainly is a next item, and whether anything may have been raised.
        let (mut endless, mut raises) = (false, false);
        let outer = self.raised.take();
        // While no code of the program runs, no container it iterates over changes.
        let alone = !self.runs_code(iterator);
        self.settle_cycles(iterator, alone, MAX_NESTING)?;
        self.settle_filters(iterator)?;
        let counters = self.counters(iterator);
        for pass in 0..24 {
            let before = self.store.clone();
            let uncaught = self.uncaught_raises;
            let next = self.next_value(iterator);
            let raised = self.uncaught_raises != uncaught || self.raised.is_some();
            raises |= raised;
            let certain = matches!(next, Ok(Next::Item(_))) && !raised;
            match next {
                Ok(Next::End) => break,
                Ok(Next::Item(v) | Next::Maybe(v)) => {
                    self.keep_counters(&counters);
                    let joined = self.store.join_values(&element, &v, pass > 1);
                    let mut merged = before.clone();
                    let changed = merged.join(&self.store, pass > 1) || joined != element;
                    let path = self.store.path;
                    self.store = merged;
                    self.store.path = path;
                    self.keep_counters(&counters);
                    element = joined;
                    if !changed {
                        endless = certain || begun.unending && quiet && !raises;
                        break;
                    }
                    if pass == 23 {
                        raises = true;
                        self.store.escape(iterator);
                        self.store.escape(&element);
                        element = V::Unknown(Why::Lost);
                        self.may_raise_class("");
                    }
                }
                Err(stop) => {
                    // Some path through it goes on: the one that stops is only possible.
                    if let Stop::Raise(e) = stop {
                        raises = true;
                        self.store = before;
                        self.may_raise_value(e);
                        break;
                    }
                    result = Err(stop);
                    break;
                }
            }
        }
        self.abstract_loops -= 1;
        if let Some(outer) = outer {
            self.add_raised(outer);
        }
        result?;
        if quiet && !raises {
            // Whichever way it took to here, it goes on.
            let Path { mass, lost, decided, .. } = begun.path;
            self.store.path = Path { mass, lost, decided, ..self.store.path };
        }
        if endless {
            items.rest = Some(Rest { element, value: V::None, low: u64::MAX, high: u64::MAX });
            return Ok(Taken { items, endless });
        }
        let n = items.exact.len() as u64;
        // A function that raises StopIteration ends what calls it early.
        let low = if raises || least == u64::MAX { 0 } else { least.saturating_sub(n) };
        // Whoever takes them reports what takes too long.
        if !raises && until <= self.settings.limits.timeout {
            self.store.path.cost = self.store.path.cost.max(until);
        }
        items.rest = Some(Rest { element, value: V::None, low, high: high.saturating_sub(0).max(n).max(1) });
        if high == u64::MAX {
            items.rest.iter_mut().for_each(|r| r.high = u64::MAX);
        } else {
            items.rest.iter_mut().for_each(|r| r.high = r.high.saturating_add(TAKE_UNKNOWN as u64 * 4));
        }
        Ok(Taken { items, endless: false })
    }

    /// At most how many items an iterator gives from here.
    pub fn remaining_high(&mut self, iterator: &V) -> u64 {
        let V::Ref(id) = iterator else { return u64::MAX };
        if self.walked_enough() {
            return u64::MAX;
        }
        let Some((kind, parts)) = self.parts(*id) else { return u64::MAX };
        match kind {
            IterKind::Bag if parts.len() > 2 => u64::MAX,
            IterKind::Bag => parts[1].as_int().and_then(|n| n.upper()).map_or(u64::MAX, |n| n.max(0) as u64),
            IterKind::Sequence => self.bounds_of(&parts[0]).2,
            IterKind::Map if parts.len() == 2 => self.remaining_high(&parts[1]),
            IterKind::Filter | IterKind::FilterFalse | IterKind::TakeWhile | IterKind::Keyed => self.remaining_high(&parts[1]),
            IterKind::Enumerate => self.remaining_high(&parts[0]),
            IterKind::Zip => parts.iter().map(|p| self.remaining_high(p)).min().unwrap_or(0),
            _ => u64::MAX,
        }
    }

    /// Whether nothing the program does can make the iterator end early: it does not read a container that could shrink.
    pub fn keeps_its_length(&self, iterator: &V) -> bool {
        let V::Ref(id) = iterator else { return false };
        let Obj::Iter(i) = self.store.get(*id) else { return false };
        match i.kind {
            IterKind::Range | IterKind::Repeat | IterKind::Count => true,
            IterKind::Bag => i.parts.len() == 2,
            IterKind::Sequence => !i.parts[0].is_object(),
            IterKind::Enumerate => self.keeps_its_length(&i.parts[0]),
            IterKind::Zip => i.parts.iter().all(|p| self.keeps_its_length(p)),
            _ => false,
        }
    }

    /// Whether nothing an iterator reads can lose items meanwhile.
    fn cannot_shrink(&self, iterator: &V, depth: u32) -> bool {
        let V::Ref(id) = iterator else { return true };
        match self.store.get(*id) {
            _ if depth == 0 => false,
            Obj::Iter(i) => match i.kind {
                IterKind::Sequence | IterKind::Reversed => !i.parts[0].is_object(),
                IterKind::Keys | IterKind::Values | IterKind::Items | IterKind::Set => false,
                // The function comes first.
                IterKind::Map | IterKind::Starmap | IterKind::Accumulate | IterKind::Keyed => {
                    i.parts[1..].iter().all(|p| self.cannot_shrink(p, depth - 1))
                }
                _ => i.parts.iter().all(|p| self.cannot_shrink(p, depth - 1)),
            },
            Obj::Generator(g) => self.source_of_expression(g).is_some_and(|source| self.cannot_shrink(&source, depth - 1)),
            _ => false,
        }
    }

    /// At least how many items an iterator gives from here.
    pub fn remaining_low(&mut self, iterator: &V) -> u64 {
        let V::Ref(id) = iterator else { return 0 };
        if self.walked_enough() {
            return 0;
        }
        if self.endless(iterator) {
            return u64::MAX;
        }
        if let Obj::Generator(generator) = self.store.get(*id) {
            return match self.source_of_expression(generator) {
                Some(source) => self.remaining_low(&source),
                None => 0,
            };
        }
        let Some((kind, parts)) = self.parts(*id) else { return 0 };
        match kind {
            IterKind::Range => match (parts[0].as_int(), parts[1].as_int(), parts[2].exact_int()) {
                (Some(at), Some(stop), Some(step)) if step > 0 => match (at.upper(), stop.lower()) {
                    (Some(a), Some(b)) => u64::try_from(range_length(a, b, step)).unwrap_or(u64::MAX),
                    // The stop does not fit: it is at least so far away.
                    (Some(a), None) if stop.low == i128::MAX => u64::try_from(range_length(a, i128::MAX, step)).unwrap_or(u64::MAX),
                    _ => 0,
                },
                (Some(at), Some(stop), Some(step)) if step < 0 => match (at.lower(), stop.upper()) {
                    (Some(a), Some(b)) => u64::try_from(range_length(a, b, step)).unwrap_or(u64::MAX),
                    _ => 0,
                },
                _ => 0,
            },
            IterKind::Bag => parts[1].as_int().map_or(0, |n| n.low.clamp(0, i128::from(u64::MAX)) as u64),
            IterKind::Sequence => {
                let (_, low, _) = self.bounds_of(&parts[0]);
                let at = parts[1].as_int().and_then(|n| n.upper()).map_or(u64::MAX, |n| n.max(0) as u64);
                low.saturating_sub(at)
            }
            IterKind::Keys | IterKind::Values | IterKind::Items => {
                let (_, low, _) = self.bounds_of(&parts[0]);
                let at = parts[1].as_int().and_then(|n| n.upper()).map_or(u64::MAX, |n| n.max(0) as u64);
                low.saturating_sub(at)
            }
            IterKind::Enumerate => self.remaining_low(&parts[0]),
            IterKind::Zip => parts.iter().map(|p| self.remaining_low(p)).min().unwrap_or(0),
            IterKind::Repeat => parts[1].as_int().map_or(u64::MAX, |n| n.low.clamp(0, i128::from(u64::MAX)) as u64),
            // Each of these gives one item for each of its source, unless a function raises.
            IterKind::Map => parts[1..].iter().map(|p| self.remaining_low(p)).min().unwrap_or(0),
            IterKind::Starmap | IterKind::Accumulate | IterKind::Keyed => self.remaining_low(&parts[1]),
            IterKind::ZipLongest => parts[1..].iter().map(|p| self.remaining_low(p)).max().unwrap_or(0),
            IterKind::Chain => match &parts[0] {
                V::None => 0,
                current => self.remaining_low(&current.clone()),
            },
            IterKind::Pairwise => self.remaining_low(&parts[0]).saturating_sub(1),
            IterKind::Islice => match (parts[1].exact_int(), parts[2].exact_int(), &parts[3], parts[4].exact_int()) {
                (Some(at), Some(next), stop, Some(step)) if step > 0 && at >= 0 && next >= at => {
                    let source = i128::from(self.remaining_low(&parts[0])).saturating_add(at);
                    let end = match stop {
                        V::None => source,
                        stop => stop.as_int().map_or(0, |s| s.low.min(source)),
                    };
                    u64::try_from(range_length(next, end, step)).unwrap_or(u64::MAX)
                }
                _ => 0,
            },
            _ => 0,
        }
    }

    /// The iterator a generator expression runs over, where it gives one item for each of that one's: it has not been started,
    /// and has a single `for` without conditions.
    fn source_of_expression(&self, generator: &Generator) -> Option<V> {
        let frame = generator.frame.as_ref().filter(|f| f.pc == 0)?;
        let code = self.code(frame.code);
        if code.kind != CodeKind::Comprehension || code.is_async || generator.may_be_done || code.loops.len() != 1 {
            return None;
        }
        let at = code.ops.iter().position(|op| matches!(op, Op::Yield))?;
        // A condition jumps over the `yield`.
        let skips = |op: &Op| match op {
            Op::Jump(to) | Op::JumpIfTrue(to) | Op::JumpIfFalse(to) | Op::JumpIfTrueOrPop(to) | Op::JumpIfFalseOrPop(to) => {
                *to as usize > at
            }
            Op::LoopBack(_) => true,
            _ => false,
        };
        if code.ops[..at].iter().any(skips) || code.ops[at + 1..].iter().any(|op| matches!(op, Op::Yield)) {
            return None;
        }
        frame.locals.first().cloned()
    }

    /// The items of a tuple or a list that are all known, without an iterator over them.
    fn known_items(&self, value: &V) -> Option<Rc<[V]>> {
        match value {
            V::Tuple(t) => match &**t {
                Tuple::Exact(items) => Some(items.as_slice().into()),
                Tuple::Bag { .. } => None,
            },
            V::Ref(id) => match self.store.get(*id) {
                Obj::List(items) if items.rest.is_none() && items.exact.len() <= 4096 => Some(items.exact.as_slice().into()),
                _ => None,
            },
            _ => None,
        }
    }

    /// Unpacks into exactly `before` values, or into `before`, a list, and `after` values.
    pub fn unpack(&mut self, value: &V, before: usize, after: Option<usize>) -> R<Vec<V>> {
        if let V::OneOf(all) = value {
            // Each alternative is unpacked on its own, and the places joined.
            let all = all.clone();
            let packed = self.each(&all, |m, v| {
                let items = m.unpack(v, before, after)?;
                Ok(V::tuple(items))
            })?;
            if let V::Tuple(t) = &packed
                && let Tuple::Exact(items) = &**t
            {
                return Ok(items.clone());
            }
            let (element, ..) = self.bounds_of(&packed);
            let n = before + after.map_or(0, |a| a + 1);
            return Ok(vec![element.unwrap_or(V::Unknown(Why::Lost)); n]);
        }
        if let Some(items) = self.known_items(value) {
            let least = before + after.unwrap_or(0);
            if items.len() < least || (after.is_none() && items.len() > least) {
                return Err(Stop::Raise(V::exception("ValueError")));
            }
            let Some(after) = after else { return Ok(items.to_vec()) };
            self.burn(items.len() as u64 / 4)?;
            let (first, rest) = items.split_at(before);
            let (middle, last) = rest.split_at(rest.len() - after);
            let (mut out, last) = (first.to_vec(), last.to_vec());
            let list = self.alloc(Obj::List(Rc::new(Items { exact: middle.to_vec(), rest: None })));
            out.push(list);
            out.extend(last);
            return Ok(out);
        }
        if self.is_opaque(value) || matches!(value, V::Module(_)) {
            self.may_raise_class("");
            let why = value.why().unwrap_or(Why::Lost);
            let mut out = vec![V::Unknown(why); before];
            if let Some(after) = after {
                let rest =
                    Items { exact: Vec::new(), rest: Some(Rest { element: V::Unknown(why), value: V::None, low: 0, high: u64::MAX }) };
                let list = self.alloc(Obj::List(Rc::new(rest)));
                out.push(list);
                out.extend(std::iter::repeat_n(V::Unknown(why), after));
            }
            return Ok(out);
        }
        let iterator = self.iterate_value(value)?;
        if after.is_none() {
            // An endless iterator is fine here: CPython stops after one item too many.
            let mut out = Vec::new();
            for _ in 0..before {
                match self.next_value(&iterator)? {
                    Next::Item(v) => out.push(v),
                    Next::Maybe(v) => {
                        self.may_raise_class("ValueError");
                        out.push(v);
                    }
                    Next::End => return Err(Stop::Raise(V::exception("ValueError"))),
                }
            }
            return match self.next_value(&iterator)? {
                Next::End => Ok(out),
                Next::Maybe(_) => {
                    self.may_raise_class("ValueError");
                    Ok(out)
                }
                Next::Item(_) => Err(Stop::Raise(V::exception("ValueError"))),
            };
        }
        let after = after.unwrap_or(0);
        let taken = self.take_iterator(&iterator)?;
        if taken.endless {
            return Err(self.endless_consumption(&iterator, "unpacking", true));
        }
        let (low, high) = crate::library::count(&taken.items);
        if high < (before + after) as u64 {
            return Err(Stop::Raise(V::exception("ValueError")));
        }
        match taken.items.rest {
            None => {
                let exact = taken.items.exact;
                let middle = exact[before..exact.len() - after].to_vec();
                let list = self.alloc(Obj::List(Rc::new(Items { exact: middle, rest: None })));
                let mut out = exact[..before].to_vec();
                out.push(list);
                out.extend_from_slice(&exact[exact.len() - after..]);
                Ok(out)
            }
            Some(rest) => {
                if low < (before + after) as u64 {
                    self.may_raise_class("ValueError");
                }
                let mut element = rest.element.clone();
                for v in &taken.items.exact {
                    element = self.store.join_values(&element, v, false);
                }
                let mut out: Vec<V> = (0..before).map(|i| taken.items.exact.get(i).cloned().unwrap_or_else(|| element.clone())).collect();
                let k = (before + after) as u64;
                let items = bag_items(element.clone(), low.saturating_sub(k), high.saturating_sub(if high == u64::MAX { 0 } else { k }));
                let list = self.alloc(Obj::List(Rc::new(items)));
                out.push(list);
                out.extend(std::iter::repeat_n(element, after));
                Ok(out)
            }
        }
    }
}

/// Items of which only one bound and a number are known.
pub fn bag_items(element: V, low: u64, high: u64) -> Items {
    if high == 0 { Items::default() } else { Items { exact: Vec::new(), rest: Some(Rest { element, value: V::None, low, high }) } }
}

/// `len(range(start, stop, step))`.
pub fn range_length(start: i128, stop: i128, step: i128) -> u128 {
    if step > 0 && stop > start {
        (stop.abs_diff(start) - 1) / step.unsigned_abs() + 1
    } else if step < 0 && stop < start {
        (start.abs_diff(stop) - 1) / step.unsigned_abs() + 1
    } else {
        0
    }
}

/// Where the state of an iterator has the container it goes over, if it lets go of it at its end. That of a deque does not.
fn container_at(kind: IterKind, parts: &[V]) -> Option<usize> {
    match (kind, parts.len()) {
        (IterKind::Sequence, 2) | (IterKind::Reversed | IterKind::Keys | IterKind::Values | IterKind::Items, _) => Some(0),
        (IterKind::Set, _) => Some(2),
        _ => None,
    }
}
