//! What the models of modules share: arguments by name, alternatives, numbers out of values, plain results.

use std::rc::Rc;

use crate::library::common::collect;
use crate::library::{Args, Host, R, Stop};
use crate::value::convert;
use crate::value::cost;
use crate::value::float::Float;
use crate::value::int::Int;
use crate::value::object::{Class, Items, Iter, IterKind, Obj, Rest, Sym, Tuple, V, Why};
use crate::value::store::is_immutable;

/// Combinations of alternatives that are worked out one by one.
const MAX_COMBINATIONS: usize = 64;

/// Values looked at to see whether an argument is plain data.
const MAX_PLAIN: usize = 4096;

/// The arguments in the order of the parameters. Names that start with `/` cannot be given by keyword. Wrong counts and unknown
/// keywords are the TypeError they are in Python.
pub fn bind<const N: usize>(host: &mut dyn Host, args: &Args, names: [&str; N], required: usize) -> R<[Option<V>; N]> {
    let mut bound: [Option<V>; N] = std::array::from_fn(|at| args.pos.get(at).cloned());
    if args.pos.len() > N {
        return Err(host.raise("TypeError", ""));
    }
    for (name, value) in &args.kw {
        let text = name.text();
        match names.iter().position(|n| **n == *text) {
            Some(at) if bound[at].is_none() => bound[at] = Some(value.clone()),
            _ => return Err(host.raise("TypeError", "")),
        }
    }
    if bound[..required].iter().any(Option::is_none) {
        return Err(host.raise("TypeError", ""));
    }
    Ok(bound)
}

/// As [`bind`], where all parameters are required.
pub fn all<const N: usize>(host: &mut dyn Host, args: &Args, names: [&str; N]) -> R<[V; N]> {
    let bound = bind(host, args, names, N)?;
    Ok(bound.map(|v| v.unwrap_or(V::None)))
}

/// Runs a function without effects on the state for every combination of alternatives, and joins what comes out.
pub fn pure(host: &mut dyn Host, values: &[V], run: fn(&mut dyn Host, &[V]) -> R<V>) -> R<V> {
    let mut combinations: Vec<Vec<V>> = vec![Vec::new()];
    for value in values {
        let alternatives: Vec<&V> = value.alternatives().iter().filter(|v| !matches!(v, V::Undef | V::Null)).collect();
        if combinations.len() * alternatives.len() > MAX_COMBINATIONS {
            return Ok(host.unknown_call(&Args::of(values.iter().cloned())));
        }
        combinations =
            combinations.iter().flat_map(|c| alternatives.iter().map(|v| c.iter().cloned().chain([(*v).clone()]).collect())).collect();
    }
    if let [only] = combinations.as_slice() {
        return run(host, only);
    }
    let mut out: Option<V> = None;
    let mut raised: Vec<Stop> = Vec::new();
    for combination in &combinations {
        match run(host, combination) {
            Ok(value) => {
                out = Some(match out {
                    None => value,
                    Some(old) => host.join(&old, &value),
                });
            }
            Err(Stop::Fuel) => return Err(Stop::Fuel),
            Err(stop) => raised.push(stop),
        }
    }
    let Some(value) = out else {
        return Err(match raised.as_slice() {
            [one] => one.clone(),
            [first, rest @ ..] => {
                for stop in rest {
                    declare(host, stop);
                }
                first.clone()
            }
            [] => Stop::Dead,
        });
    };
    for stop in &raised {
        declare(host, stop);
    }
    Ok(value)
}

/// Something that is certain for some operands is possible for all.
fn declare(host: &mut dyn Host, stop: &Stop) {
    match stop {
        Stop::Raise(V::Exc(e)) => host.may_raise(&e.class.text()),
        Stop::Raise(_) => host.may_raise(""),
        _ => {}
    }
}

/// The values as a float converts them (`float(x)` in C): TypeError for what is no number; code of the program may run.
pub fn to_float(host: &mut dyn Host, value: &V) -> R<Float> {
    match value {
        V::Float(f) => return Ok(Float::exact(*f)),
        V::Floats(r) => return Ok(r.0),
        _ => {}
    }
    if let Some(int) = value.as_int() {
        let converted = convert::int_to_float(&int);
        return match converted.float {
            None => Err(host.raise("OverflowError", "")),
            Some(float) => {
                if converted.overflow_possible {
                    host.may_raise("OverflowError");
                }
                Ok(float)
            }
        };
    }
    unless_foreign(host, value)?;
    Ok(Float::ANY)
}

/// Goes on with a value of which nothing is known; a value of a builtin type that is no number is a TypeError.
pub fn unless_foreign(host: &mut dyn Host, value: &V) -> R<()> {
    match value {
        V::Unknown(_) | V::Instance(..) => host.may_raise(""),
        V::Ref(_) | V::OneOf(_) => {
            host.unknown_call(&Args::of([value.clone()]));
        }
        _ => return Err(host.raise("TypeError", "")),
    }
    Ok(())
}

/// The value as an index (`operator.index`): TypeError for floats and the rest; code of the program may run.
pub fn to_int(host: &mut dyn Host, value: &V) -> R<Int> {
    if let Some(int) = value.as_int() {
        return Ok(int);
    }
    unless_foreign(host, value)?;
    Ok(Int::ANY)
}

/// Why a result of these values is not exact.
pub fn why(values: &[V]) -> Why {
    Why::of_all(values.iter().filter_map(V::why)).unwrap_or(Why::Lost)
}

/// One value that stands for all items, and the least and greatest number of them.
pub fn element(host: &mut dyn Host, items: &Items) -> Option<V> {
    let mut out: Option<V> = None;
    for v in items.exact.iter().chain(items.rest.iter().map(|r| &r.element)) {
        out = Some(match out {
            None => v.clone(),
            Some(old) if old == *v => old,
            Some(old) => host.join(&old, v),
        });
    }
    out
}

/// Items of which one bound and a number are known.
pub fn bag(element: V, low: u64, high: u64) -> Items {
    if high == 0 { Items::default() } else { Items { exact: Vec::new(), rest: Some(Rest { element, value: V::None, low, high }) } }
}

/// Everything an iterable gives, kept by the function called `callee`; one that never ends is reported and never returns.
pub fn take(host: &mut dyn Host, iterable: &V, callee: &str) -> R<Items> {
    collect(host, iterable, callee, cost::C_ITERATION)
}

/// An iterator on the heap.
pub fn iterator(host: &mut dyn Host, kind: IterKind, parts: Vec<V>) -> V {
    host.alloc(Obj::Iter(Iter { kind, parts }))
}

/// An iterator of which an element and the number of items are known.
pub fn iterate_bag(host: &mut dyn Host, element: V, low: u64, high: u64) -> V {
    let remaining = V::int(Int::range(i128::from(low), if high == u64::MAX { i128::MAX } else { i128::from(high) }), Why::Lost);
    iterator(host, IterKind::Bag, vec![element, remaining])
}

/// A callable that calls a function of the library with something put in front.
pub fn partial(host: &mut dyn Host, function: &str, args: Vec<V>) -> V {
    host.alloc(Obj::Partial { function: V::lib(function), args: Rc::new(args), keywords: Rc::default() })
}

/// Whether a value is data all through, so that looking at it runs no code of the program and nothing of it is consumed.
pub fn is_plain(host: &mut dyn Host, value: &V) -> bool {
    let mut work = vec![value.clone()];
    let mut seen = 0;
    while let Some(value) = work.pop() {
        seen += 1;
        if seen > MAX_PLAIN {
            return false;
        }
        match &value {
            V::Tuple(t) => match &**t {
                Tuple::Exact(items) => work.extend(items.iter().take(MAX_PLAIN).cloned()),
                Tuple::Bag { element, .. } => work.push(element.clone()),
            },
            V::OneOf(all) => work.extend(all.iter().cloned()),
            V::Slice(parts) => work.extend(parts.iter().cloned()),
            V::Exc(e) => work.extend(e.args.iter().flatten().cloned()),
            V::Ref(id) => match host.store().get(*id) {
                Obj::List(items) | Obj::Deque(items, _) => {
                    work.extend(items.exact.iter().take(MAX_PLAIN).cloned());
                    work.extend(items.rest.iter().map(|r| r.element.clone()));
                }
                Obj::Dict(table, _) | Obj::Set(table, _) => {
                    work.extend(table.exact.values().take(MAX_PLAIN).flat_map(|(k, v)| [k.clone(), v.clone()]));
                    work.extend(table.rest.iter().flat_map(|r| [r.element.clone(), r.value.clone()]));
                }
                Obj::ByteArray(_) | Obj::Escaped(_) => {}
                Obj::Instance { class: V::Lib(class), .. } if is_immutable(*class) => {}
                _ => return false,
            },
            V::Token(_) => return false,
            _ => {}
        }
    }
    true
}

/// The effect of a function that looks at its arguments and keeps nothing of them: it may raise, but plain data stays known.
pub fn look(host: &mut dyn Host, args: &Args) {
    let values = args.values();
    if values.iter().all(|v| is_plain(host, v)) {
        host.may_raise("");
    } else {
        host.unknown_call(args);
    }
}

/// A result nobody knows, from outside.
pub fn outside_any(host: &mut dyn Host, args: Args) -> R<V> {
    look(host, &args);
    Ok(V::Unknown(Why::OUTSIDE))
}

/// Some str from outside.
pub fn outside_str(host: &mut dyn Host, args: Args) -> R<V> {
    look(host, &args);
    Ok(V::strs(0, u64::MAX, Why::OUTSIDE))
}

/// Some int from outside.
pub fn outside_int(host: &mut dyn Host, args: Args) -> R<V> {
    look(host, &args);
    Ok(V::any_int(Why::OUTSIDE))
}

/// Some int from outside that is at least 0.
pub fn outside_size(host: &mut dyn Host, args: Args) -> R<V> {
    look(host, &args);
    Ok(V::any_size(Why::OUTSIDE))
}

/// Some float from outside.
pub fn outside_float(host: &mut dyn Host, args: Args) -> R<V> {
    look(host, &args);
    Ok(V::any_float(Why::OUTSIDE))
}

/// Some bool from outside.
pub fn outside_bool(host: &mut dyn Host, args: Args) -> R<V> {
    look(host, &args);
    Ok(V::AnyBool(Why::OUTSIDE))
}

/// Nothing but an effect outside.
pub fn outside_none(host: &mut dyn Host, args: Args) -> R<V> {
    look(host, &args);
    Ok(V::None)
}

/// Some list of strings from outside.
pub fn outside_strings(host: &mut dyn Host, args: Args) -> R<V> {
    look(host, &args);
    let items = bag(V::strs(0, u64::MAX, Why::OUTSIDE), 0, u64::MAX);
    Ok(crate::library::list_of(host, items))
}

/// A str from outside, or None.
pub fn outside_str_or_none(host: &mut dyn Host, args: Args) -> R<V> {
    look(host, &args);
    Ok(V::OneOf(Rc::new([V::None, V::strs(0, u64::MAX, Why::OUTSIDE)])))
}

/// A decorator, or the like, that gives its argument back.
pub fn identity(host: &mut dyn Host, args: Args) -> R<V> {
    if args.exactly(1) { Ok(args.pos[0].clone()) } else { Ok(host.unknown_call(&args)) }
}

/// A call that may do anything with its arguments, and starts what can interrupt the program at any time.
pub fn interrupting(host: &mut dyn Host, args: Args) -> R<V> {
    let result = host.unknown_call(&args);
    host.interruptible();
    Ok(result)
}

/// The class of the program behind a value.
pub fn class_object(host: &mut dyn Host, value: &V) -> Option<Rc<Class>> {
    let V::Ref(id) = value else { return None };
    match host.store().get(*id) {
        Obj::Class(class) => Some(class.clone()),
        _ => None,
    }
}

/// An attribute by name, where it is set.
pub fn attribute_of(attrs: &[(Sym, V)], name: &str) -> Option<V> {
    attrs.iter().find(|(n, v)| &*n.text() == name && !matches!(v, V::Undef)).map(|(_, v)| v.clone())
}

/// An attribute of a class of the program, through its bases, as it is stored.
pub fn class_attribute(host: &mut dyn Host, class: &Class, name: &str) -> Option<V> {
    attribute_of(&class.attrs, name)
        .or_else(|| class.mro.iter().find_map(|base| class_object(host, base).and_then(|c| attribute_of(&c.attrs, name))))
}

/// The class and the attributes of an instance.
pub fn instance(host: &mut dyn Host, value: &V) -> Option<(V, Vec<(Sym, V)>)> {
    let V::Ref(id) = value else { return None };
    match host.store().get(*id) {
        Obj::Instance { class, attrs } => Some((class.clone(), attrs.as_ref().clone())),
        _ => None,
    }
}

/// Sets attributes of an instance or a class as they are, whatever its class says about that. [`V::Undef`] deletes.
pub fn put(host: &mut dyn Host, object: &V, new: Vec<(Sym, V)>) {
    let V::Ref(id) = object else { return };
    host.store().mutate(*id, true, |obj| {
        let attrs = match obj {
            Obj::Instance { attrs, .. } => Rc::make_mut(attrs),
            Obj::Class(class) => &mut Rc::make_mut(class).attrs,
            _ => return,
        };
        for (name, value) in new {
            match attrs.iter_mut().find(|(n, _)| *n == name) {
                Some(slot) => slot.1 = value,
                None => attrs.push((name, value)),
            }
        }
    });
}

/// The items of an exact tuple.
pub fn exact_tuple(value: &V) -> Option<Vec<V>> {
    match value {
        V::Tuple(t) => match &**t {
            Tuple::Exact(items) => Some(items.clone()),
            Tuple::Bag { .. } => None,
        },
        _ => None,
    }
}
