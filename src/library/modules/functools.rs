//! `functools`: reductions, partial application, decorators and caches.

use std::rc::Rc;

use crate::library::{Args, Entry, Host, Next, R, Stop};
use crate::value::cost;
use crate::value::object::{DictKind, Function, Key, Obj, ObjId, Rest, Sym, Table, V, Why};

use super::math;
use super::support::{all, bind, element, partial};

/// Steps of a reduction that are followed.
const MAX_STEPS: u32 = 20_000;

/// Items that may or may not come which are followed.
const MAX_MAYBE: u32 = 64;

/// The name under which a cached function is called: its arguments are the function, the size and the cache.
const CACHED: &str = "functools._lru_cache_wrapper";

/// The entry for a name in the module.
pub fn find(name: &str) -> Option<Entry> {
    Some(Entry::Function(match name {
        "reduce" => reduce,
        "partial" => make_partial,
        "wraps" => wraps,
        "update_wrapper" => update_wrapper,
        "lru_cache" => lru_cache,
        "cache" => cache,
        "cached_property" => cached_property,
        "lru_cache.decorate" => decorate,
        "_lru_cache_wrapper" => call_cached,
        "_lru_cache_wrapper.cache_clear" => cache_clear,
        "_lru_cache_wrapper.cache_info" => cache_info,
        _ => return None,
    }))
}

fn is_lib(value: &V, names: &[&str]) -> bool {
    matches!(value, V::Lib(name) if names.contains(&&*name.text()))
}

fn reduce(host: &mut dyn Host, args: Args) -> R<V> {
    let [function, iterable, initial] = bind(host, &args, ["function", "iterable", "initial"], 2)?;
    let (function, iterable) = (function.unwrap_or(V::None), iterable.unwrap_or(V::None));
    // A product over a range is known by its bounds, however long it is.
    let multiplies = is_lib(&function, &["operator.mul", "operator.__mul__"])
        || host.special("multiplies", Args::of([function.clone()]))? == V::Bool(true);
    if multiplies && initial.as_ref().is_none_or(|v| matches!(v, V::Int(_) | V::Ints(_))) {
        let many = match &iterable {
            V::Range(parts) => match (parts[0].exact_int(), parts[1].exact_int(), parts[2].exact_int()) {
                (Some(a), Some(b), Some(step)) => (step > 0 && b > a) || (step < 0 && b < a),
                _ => false,
            },
            V::Ref(_) => host.remaining(&iterable) > u64::from(MAX_STEPS),
            _ => false,
        };
        if many {
            return math::product(host, "functools.reduce", &iterable, &initial.unwrap_or(V::Int(1)));
        }
    }
    let source = host.iterate(&iterable)?;
    let mut total = initial;
    let mut maybes = 0;
    for _ in 0..MAX_STEPS {
        host.burn(1)?;
        let (item, sure) = match host.next(&source)? {
            Next::End => return total.map_or_else(|| Err(host.raise("TypeError", "reduce() of empty iterable with no initial value")), Ok),
            Next::Item(v) => (v, true),
            Next::Maybe(v) => (v, false),
        };
        if !sure {
            maybes += 1;
            if maybes > MAX_MAYBE {
                break;
            }
        }
        let Some(so_far) = total else {
            if !sure {
                host.may_raise("TypeError");
            }
            total = Some(item);
            continue;
        };
        if sure {
            total = Some(host.call(&function, Args::of([so_far, item]))?);
            continue;
        }
        let before = host.store().clone();
        let value = match host.call(&function, Args::of([so_far.clone(), item])) {
            Ok(value) => value,
            Err(Stop::Raise(_)) => {
                host.may_raise("");
                so_far.clone()
            }
            Err(stop) => return Err(stop),
        };
        host.join_state(before);
        total = Some(host.join(&so_far, &value));
    }
    if let Some(so_far) = &total
        && let Some(result) = reduce_rest(host, &function, &source, so_far)?
    {
        return Ok(result);
    }
    let mut given_up = vec![function, source];
    given_up.extend(total);
    Ok(host.unknown_call(&Args::of(given_up)))
}

/// The rest of a reduction whose function gives numbers of one type, whatever it is given, and does nothing else.
fn reduce_rest(host: &mut dyn Host, function: &V, source: &V, so_far: &V) -> R<Option<V>> {
    let any = match so_far {
        V::Int(_) | V::Ints(_) => V::any_int(Why::Lost),
        V::Float(_) | V::Floats(_) => V::any_float(Why::Lost),
        _ => return Ok(None),
    };
    let low = host.remaining(source);
    let Some(taken) = host.foresee(source)? else { return Ok(None) };
    let Some(item) = element(host, &taken.items) else { return Ok(None) };
    let stays = host.certainly(&mut |host| {
        let mut before = host.store().clone();
        let value = host.call(function, Args::of([any.clone(), item.clone()]))?;
        let same = match any {
            V::Ints(_) => matches!(value, V::Int(_) | V::Ints(_)),
            _ => matches!(value, V::Float(_) | V::Floats(_)),
        };
        Ok(same && !before.join(host.store(), false))
    })?;
    if !stays {
        return Ok(None);
    }
    if taken.endless {
        return Err(host.never_returns(source, "functools.reduce", false));
    }
    let floor = if matches!(function, V::Lib(_)) { cost::C_ITERATION } else { cost::FUNCTION_CALL };
    host.spend(floor.times(low as f64), "functools.reduce", source);
    host.store().escape(source);
    Ok(Some(any))
}

fn make_partial(host: &mut dyn Host, args: Args) -> R<V> {
    let Some((function, rest)) = args.pos.split_first() else {
        return Err(host.raise("TypeError", "type 'partial' takes at least one argument"));
    };
    if matches!(function, V::None | V::Bool(_) | V::Int(_) | V::Float(_) | V::Str(_) | V::Tuple(_)) {
        return Err(host.raise("TypeError", "the first argument must be callable"));
    }
    // Since 3.14 a placeholder keeps a position free.
    if rest.iter().any(|v| is_lib(v, &["functools.Placeholder"])) {
        return Ok(host.unknown_call(&args));
    }
    if !is_callable(host, function) {
        host.may_raise("TypeError");
    }
    Ok(host.alloc(Obj::Partial { function: function.clone(), args: Rc::new(rest.to_vec()), keywords: Rc::new(args.kw.clone()) }))
}

/// `wraps(f)` is `partial(update_wrapper, wrapped=f)`.
fn wraps(host: &mut dyn Host, args: Args) -> R<V> {
    let [wrapped, assigned, updated] = bind(host, &args, ["wrapped", "assigned", "updated"], 1)?;
    if assigned.is_some() || updated.is_some() {
        return Ok(host.unknown_call(&args));
    }
    let keywords = vec![(Sym::new("wrapped"), wrapped.unwrap_or(V::None))];
    Ok(host.alloc(Obj::Partial { function: V::lib("functools.update_wrapper"), args: Rc::default(), keywords: Rc::new(keywords) }))
}

fn set(attrs: &mut Vec<(Sym, V)>, name: Sym, value: V) {
    match attrs.iter_mut().find(|(n, _)| *n == name) {
        Some(slot) => slot.1 = value,
        None => attrs.push((name, value)),
    }
}

fn update_wrapper(host: &mut dyn Host, args: Args) -> R<V> {
    let [wrapper, wrapped, assigned, updated] = bind(host, &args, ["wrapper", "wrapped", "assigned", "updated"], 2)?;
    let (wrapper, wrapped) = (wrapper.unwrap_or(V::None), wrapped.unwrap_or(V::None));
    let V::Ref(id) = wrapper else { return Ok(host.unknown_call(&args)) };
    let is_function = matches!(host.store().get(id), Obj::Function(_));
    // The attributes of a function are known; a library function has none of its own.
    let copied: Option<Vec<(Sym, V)>> = match &wrapped {
        V::Lib(_) => Some(Vec::new()),
        V::Ref(other) => match host.store().get(*other) {
            Obj::Function(f) => Some(f.attrs.clone()),
            _ => None,
        },
        _ => None,
    };
    let (true, Some(copied), None, None) = (is_function, copied, assigned, updated) else { return Ok(host.unknown_call(&args)) };
    let mut attrs: Vec<(Sym, V)> = Vec::new();
    for name in ["__module__", "__name__", "__qualname__", "__doc__"] {
        let value = host.attribute(&wrapped, Sym::new(name))?;
        attrs.push((Sym::new(name), if matches!(wrapped, V::Lib(_)) { V::Unknown(Why::Lost) } else { value }));
    }
    host.store().mutate(id, true, |obj| {
        if let Obj::Function(f) = obj {
            let f: &mut Function = Rc::make_mut(f);
            for (name, value) in attrs.into_iter().chain(copied) {
                set(&mut f.attrs, name, value);
            }
            set(&mut f.attrs, Sym::new("__wrapped__"), wrapped);
        }
    });
    Ok(wrapper)
}

// ---- caches ---------------------------------------------------------------------------------------------------------

fn cached(host: &mut dyn Host, function: V, size: V) -> V {
    let cache = host.alloc(Obj::Dict(Rc::default(), DictKind::Plain));
    partial(host, CACHED, vec![function, size, cache])
}

fn is_callable(host: &mut dyn Host, value: &V) -> bool {
    match value {
        V::Lib(_) => true,
        V::Ref(id) => matches!(host.store().get(*id), Obj::Function(_) | Obj::Bound { .. } | Obj::Partial { .. }),
        _ => false,
    }
}

fn cache(host: &mut dyn Host, args: Args) -> R<V> {
    let [function] = all(host, &args, ["user_function"])?;
    if is_callable(host, &function) { Ok(cached(host, function, V::None)) } else { Ok(host.unknown_call(&args)) }
}

/// A descriptor that calls its function once for each instance, and keeps what it gives in the instance.
pub const CACHED_PROPERTY: &str = "functools.cached_property.get";

fn cached_property(host: &mut dyn Host, args: Args) -> R<V> {
    let [function] = all(host, &args, ["func"])?;
    if is_callable(host, &function) { Ok(partial(host, CACHED_PROPERTY, vec![function])) } else { Ok(host.unknown_call(&args)) }
}

fn lru_cache(host: &mut dyn Host, args: Args) -> R<V> {
    let [size, typed] = bind(host, &args, ["maxsize", "typed"], 0)?;
    let size = size.unwrap_or(V::Int(128));
    if !matches!(typed, None | Some(V::Bool(false))) {
        return Ok(host.unknown_call(&args));
    }
    if is_callable(host, &size) {
        return Ok(cached(host, size, V::Int(128)));
    }
    match size {
        V::None | V::Int(_) => Ok(partial(host, "functools.lru_cache.decorate", vec![size])),
        _ => Ok(host.unknown_call(&args)),
    }
}

fn decorate(host: &mut dyn Host, args: Args) -> R<V> {
    let [size, function] = all(host, &args, ["/maxsize", "/user_function"])?;
    if is_callable(host, &function) { Ok(cached(host, function, size)) } else { Ok(host.unknown_call(&args)) }
}

/// The key CPython makes of the arguments: a lone int or str is its own key, so that `f(1)` and `f(1.0)` differ, while
/// `f(1, 2)` and `f(1.0, 2)` do not. None where it is not exactly known.
fn key_of(host: &mut dyn Host, args: &Args) -> R<Option<Key>> {
    if let ([one @ (V::Int(_) | V::Str(_))], []) = (args.pos.as_slice(), args.kw.as_slice()) {
        return host.key(one);
    }
    let mut keys = Vec::new();
    let named = args.kw.iter().flat_map(|(name, value)| [V::str(&name.text()), value.clone()]);
    let mark = (!args.kw.is_empty()).then(|| V::lib("functools.keyword mark"));
    for value in args.pos.iter().cloned().chain(mark).chain(named) {
        match host.key(&value)? {
            Some(key) => keys.push(key),
            None => return Ok(None),
        }
    }
    Ok(Some(Key::Tuple(keys.into())))
}

fn call_cached(host: &mut dyn Host, mut args: Args) -> R<V> {
    if args.pos.len() < 3 {
        return Ok(host.unknown_call(&args));
    }
    let function = args.pos.remove(0);
    let size = args.pos.remove(0);
    let V::Ref(id) = args.pos.remove(0) else { return Ok(host.unknown_call(&args)) };
    // The wrapper is one more call between two of the function's own, so the recursion limit is reached earlier.
    if host.is_deep() {
        host.may_raise("RecursionError");
    }
    let most = match size {
        V::None => None,
        V::Int(n) => Some(usize::try_from(n).unwrap_or(if n < 0 { 0 } else { usize::MAX })),
        _ => Some(0),
    };
    let key = key_of(host, &args)?;
    if most == Some(0) {
        return host.call(&function, args);
    }
    let Obj::Dict(table, _) = host.store().get(id).clone() else {
        // Somebody else may have filled it, or emptied it.
        let mut values = args.clone();
        values.pos.push(function);
        return Ok(host.unknown_call(&values));
    };
    let exact = table.rest.is_none() && !host.store().is_summary(id);
    if let (Some(key), true) = (&key, exact)
        && let Some((_, value)) = table.exact.get(key)
    {
        let value = value.clone();
        if most.is_some() && table.exact.last().is_some_and(|(last, _)| last != key) {
            host.burn(table.exact.len() as u64 / 16 + 1)?;
            change(host, id, |table| {
                if let Some(entry) = table.exact.shift_remove(key) {
                    table.exact.insert(key.clone(), entry);
                }
            });
        }
        return Ok(value);
    }
    if let (Some(key), true) = (&key, exact) {
        let value = host.call(&function, args)?;
        // The call may have come here again, with the same arguments too.
        let Obj::Dict(now, _) = host.store().get(id) else { return Ok(value) };
        if most.is_some() && now.exact.contains_key(key) {
            return Ok(value);
        }
        let full = most.is_some_and(|most| now.exact.len() >= most);
        let steps = if full { now_len(host, id) / 16 + 1 } else { 1 };
        host.burn(steps)?;
        let entry = (V::None, value.clone());
        change(host, id, |table| {
            if full {
                table.exact.shift_remove_index(0);
            }
            table.exact.insert(key.clone(), entry);
        });
        return Ok(value);
    }
    // A hit or not, nobody knows: it may be any value found before, and the function may or may not have run.
    let before = host.store().clone();
    let (fresh, stopped) = match host.call(&function, args) {
        Ok(value) => (Some(value), None),
        Err(stop @ Stop::Raise(_)) => {
            host.may_raise("");
            (None, Some(stop))
        }
        Err(stop) => return Err(stop),
    };
    host.join_state(before);
    let known = values_of(&table);
    host.burn(known.len() as u64 / 16)?;
    let result = joined(host, fresh, known);
    // What the call itself has put there stays there.
    let now = match host.store().get(id).clone() {
        Obj::Dict(now, _) => values_of(&now),
        _ => Vec::new(),
    };
    let kept = joined(host, result.clone(), now).unwrap_or(V::Unknown(Why::Lost));
    change(host, id, |table| {
        *table = Table {
            exact: indexmap::IndexMap::default(),
            rest: Some(Rest { element: V::Unknown(Why::Lost), value: kept, low: 0, high: u64::MAX }),
        };
    });
    result.ok_or_else(|| stopped.unwrap_or(Stop::Dead))
}

fn values_of(table: &Table) -> Vec<V> {
    table.exact.values().map(|(_, v)| v.clone()).chain(table.rest.iter().map(|r| r.value.clone())).collect()
}

fn joined(host: &mut dyn Host, first: Option<V>, others: Vec<V>) -> Option<V> {
    others.into_iter().fold(first, |result, value| match result {
        None => Some(value),
        Some(old) if old == value => Some(old),
        Some(old) => Some(host.join(&old, &value)),
    })
}

fn now_len(host: &mut dyn Host, id: ObjId) -> u64 {
    match host.store().get(id) {
        Obj::Dict(table, _) => table.exact.len() as u64,
        _ => 0,
    }
}

fn change(host: &mut dyn Host, id: ObjId, run: impl FnOnce(&mut Table)) {
    host.store().mutate(id, true, |obj| {
        if let Obj::Dict(table, _) = obj {
            run(Rc::make_mut(table));
        }
    });
}

/// The cache of the wrapper a method was looked up on.
fn cache_behind(host: &mut dyn Host, wrapper: &V) -> Option<ObjId> {
    let V::Ref(id) = wrapper else { return None };
    match host.store().get(*id) {
        Obj::Partial { args, .. } => match args.get(2) {
            Some(V::Ref(cache)) => Some(*cache),
            _ => None,
        },
        _ => None,
    }
}

fn cache_clear(host: &mut dyn Host, args: Args) -> R<V> {
    let [wrapper] = all(host, &args, ["/self"])?;
    match cache_behind(host, &wrapper) {
        Some(id) => {
            change(host, id, |table| *table = Table::default());
            Ok(V::None)
        }
        None => Ok(host.unknown_call(&args)),
    }
}

fn cache_info(host: &mut dyn Host, args: Args) -> R<V> {
    all(host, &args, ["/self"])?;
    Ok(V::Instance(Sym::new("functools._CacheInfo"), Why::Lost))
}
