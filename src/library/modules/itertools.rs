//! `itertools`: lazy iterators as the evaluator steps them, and the combinatorial ones, exact while small.

use crate::library::{Args, Entry, Host, R, count as count_of};
use crate::value::object::{Items, IterKind, V, Why};

use super::support::{all, bind, element, iterate_bag, iterator, partial, take, to_int, why};

/// Combinatorial iterators of up to so many tuples are listed.
const MAX_TUPLES: u64 = 2000;

/// Tuples of up to so many items are bounded item by item.
const MAX_WIDTH: usize = 64;

/// Batches of up to so many items are followed where there is no end.
const MAX_BATCH: i128 = 1000;

/// The entry for a name in the module.
pub fn find(name: &str) -> Option<Entry> {
    Some(Entry::Type(match name {
        "count" => count,
        "cycle" => cycle,
        "repeat" => repeat,
        "chain" => chain,
        "chain.from_iterable" => chain_from_iterable,
        "islice" => islice,
        "takewhile" => takewhile,
        "dropwhile" => dropwhile,
        "accumulate" => accumulate,
        "zip_longest" => zip_longest,
        "starmap" => starmap,
        "filterfalse" => filterfalse,
        "compress" => compress,
        "groupby" => groupby,
        "batched" => batched,
        "pairwise" => pairwise,
        "tee" => tee,
        "product" => product,
        "permutations" => permutations,
        "combinations" => combinations,
        "combinations_with_replacement" => combinations_with_replacement,
        _ => return None,
    }))
}

fn count(host: &mut dyn Host, args: Args) -> R<V> {
    let [start, step] = bind(host, &args, ["start", "step"], 0)?;
    let (start, step) = (start.unwrap_or(V::Int(0)), step.unwrap_or(V::Int(1)));
    for v in [&start, &step] {
        let number = v.alternatives().iter().all(|v| v.is_number() || matches!(v, V::Complex(_)));
        if !number {
            if matches!(v, V::Str(_) | V::None | V::Tuple(_)) {
                return Err(host.raise("TypeError", "a number is required"));
            }
            return Ok(host.unknown_call(&args));
        }
    }
    // Bools count as the numbers they are only after the first addition, so they are left to the general case.
    if matches!(start, V::OneOf(_)) || matches!(step, V::OneOf(_)) {
        return Ok(host.unknown_call(&args));
    }
    Ok(iterator(host, IterKind::Count, vec![start, step]))
}

fn cycle(host: &mut dyn Host, args: Args) -> R<V> {
    let [iterable] = all(host, &args, ["/iterable"])?;
    let source = host.iterate(&iterable)?;
    let saved = crate::library::list(host, Vec::new());
    Ok(iterator(host, IterKind::Cycle, vec![source, saved, V::Int(0)]))
}

fn repeat(host: &mut dyn Host, args: Args) -> R<V> {
    let [object, times] = bind(host, &args, ["object", "times"], 1)?;
    let object = object.unwrap_or(V::None);
    let Some(times) = times else { return Ok(iterator(host, IterKind::Repeat, vec![object, V::None])) };
    if matches!(times, V::OneOf(_)) {
        host.may_raise("TypeError");
        return Ok(iterate_bag(host, object, 0, u64::MAX));
    }
    let times_int = to_int(host, &times)?;
    if times_int.low >= 1 << 63 {
        return Err(host.raise("OverflowError", "Python int too large to convert to C ssize_t"));
    }
    if times_int.upper().is_none_or(|n| n >= 1 << 63) {
        host.may_raise("OverflowError");
    }
    let left = times_int.meet(&crate::value::int::Int::NON_NEGATIVE).unwrap_or(crate::value::int::Int::ZERO);
    let left = if times_int.low < 0 { left.join(&crate::value::int::Int::ZERO) } else { left };
    Ok(iterator(host, IterKind::Repeat, vec![object, V::int(left, why(&[times]))]))
}

fn chain(host: &mut dyn Host, args: Args) -> R<V> {
    if !args.kw.is_empty() {
        return Err(host.raise("TypeError", "chain() takes no keyword arguments"));
    }
    let mut parts = vec![V::None];
    parts.extend(args.pos);
    Ok(iterator(host, IterKind::Chain, parts))
}

fn chain_from_iterable(host: &mut dyn Host, args: Args) -> R<V> {
    let [iterable] = all(host, &args, ["/iterable"])?;
    let source = host.iterate(&iterable)?;
    Ok(iterator(host, IterKind::ChainFromIterable, vec![V::None, source]))
}

/// A position of a slice: None stands for the default.
enum Position {
    Default,
    Exact(i128),
    Unknown,
}

fn position(host: &mut dyn Host, value: Option<&V>, least: i128) -> R<Position> {
    let value = match value {
        None | Some(V::None) => return Ok(Position::Default),
        Some(v) => v,
    };
    let Some(n) = value.as_int() else {
        return match value {
            V::Float(_) | V::Floats(_) | V::Str(_) | V::Strs(_) => Err(host.raise("ValueError", "must be None or an integer")),
            _ => {
                host.may_raise("");
                Ok(Position::Unknown)
            }
        };
    };
    if n.high < least || n.low >= 1 << 63 {
        return Err(host.raise("ValueError", "must be None or an integer: 0 <= x <= sys.maxsize"));
    }
    if let Some(n) = n.is_exact() {
        return Ok(Position::Exact(n));
    }
    host.may_raise("ValueError");
    Ok(Position::Unknown)
}

fn islice(host: &mut dyn Host, args: Args) -> R<V> {
    if args.pos.len() < 2 || args.pos.len() > 4 || !args.kw.is_empty() {
        return Err(host.raise("TypeError", "islice expected at least 2 arguments"));
    }
    let (start, stop, step) = match &args.pos[1..] {
        [stop] => (None, Some(stop), None),
        [start, stop] => (Some(start), Some(stop), None),
        [start, stop, step] => (Some(start), Some(stop), Some(step)),
        _ => (None, None, None),
    };
    let start = position(host, start, 0)?;
    let bounds = position(host, stop, 0)?;
    let step = position(host, step, 1)?;
    let source = host.iterate(&args.pos[0])?;
    let (first, stride) = match (start, step) {
        (Position::Exact(a), Position::Exact(b)) => (a, b),
        (Position::Exact(a), Position::Default) => (a, 1),
        (Position::Default, Position::Exact(b)) => (0, b),
        (Position::Default, Position::Default) => (0, 1),
        _ => return Ok(host.unknown_call(&Args::of([source]))),
    };
    let end = match bounds {
        Position::Default => V::None,
        Position::Exact(n) => V::Int(n),
        // From the front item by item, an unknown end only means that it may end anywhere.
        Position::Unknown if first == 0 && stride == 1 => {
            stop.and_then(V::as_int).map_or_else(|| V::any_size(Why::Lost), |n| V::int(n, Why::Lost))
        }
        Position::Unknown => return Ok(host.unknown_call(&Args::of([source]))),
    };
    Ok(iterator(host, IterKind::Islice, vec![source, V::Int(0), V::Int(first), end, V::Int(stride)]))
}

fn takewhile(host: &mut dyn Host, args: Args) -> R<V> {
    let [function, iterable] = all(host, &args, ["/predicate", "/iterable"])?;
    let source = host.iterate(&iterable)?;
    Ok(iterator(host, IterKind::TakeWhile, vec![function, source, V::Bool(false)]))
}

fn dropwhile(host: &mut dyn Host, args: Args) -> R<V> {
    let [function, iterable] = all(host, &args, ["/predicate", "/iterable"])?;
    let source = host.iterate(&iterable)?;
    Ok(iterator(host, IterKind::DropWhile, vec![function, source, V::Bool(false)]))
}

fn accumulate(host: &mut dyn Host, args: Args) -> R<V> {
    let [iterable, function, initial] = bind(host, &args, ["iterable", "func", "initial"], 1)?;
    if args.pos.len() > 2 {
        return Err(host.raise("TypeError", "accumulate() takes at most 2 positional arguments"));
    }
    let (iterable, function) = (iterable.unwrap_or(V::None), function.unwrap_or(V::None));
    let source = host.iterate(&iterable)?;
    match initial {
        None | Some(V::None) => Ok(iterator(host, IterKind::Accumulate, vec![function, source, V::Undef])),
        Some(first) => {
            // What it starts with comes first, then the totals.
            let totals = iterator(host, IterKind::Accumulate, vec![function, source, first.clone()]);
            Ok(iterator(host, IterKind::Chain, vec![V::None, V::tuple(vec![first]), totals]))
        }
    }
}

fn iterate_all(host: &mut dyn Host, values: &[V]) -> R<Vec<V>> {
    values.iter().map(|v| host.iterate(v)).collect()
}

fn zip_longest(host: &mut dyn Host, args: Args) -> R<V> {
    let fill = args.keyword("fillvalue").cloned();
    if args.kw.len() > usize::from(fill.is_some()) {
        return Err(host.raise("TypeError", "zip_longest() got an unexpected keyword argument"));
    }
    let mut parts = vec![fill.unwrap_or(V::None)];
    parts.extend(iterate_all(host, &args.pos)?);
    Ok(iterator(host, IterKind::ZipLongest, parts))
}

fn starmap(host: &mut dyn Host, args: Args) -> R<V> {
    let [function, iterable] = all(host, &args, ["/function", "/iterable"])?;
    let source = host.iterate(&iterable)?;
    Ok(iterator(host, IterKind::Starmap, vec![function, source]))
}

fn filterfalse(host: &mut dyn Host, args: Args) -> R<V> {
    let [function, iterable] = all(host, &args, ["/function", "/iterable"])?;
    let source = host.iterate(&iterable)?;
    Ok(iterator(host, IterKind::FilterFalse, vec![function, source]))
}

/// `compress(data, selectors)` is `map(itemgetter(0), filter(itemgetter(1), zip(data, selectors)))`.
fn compress(host: &mut dyn Host, args: Args) -> R<V> {
    let [data, selectors] = all(host, &args, ["data", "selectors"])?;
    let sources = iterate_all(host, &[data, selectors])?;
    let pairs = iterator(host, IterKind::Zip, sources);
    let selected = partial(host, "operator.itemgetter.call", vec![V::tuple(vec![V::Int(1)])]);
    let chosen = iterator(host, IterKind::Filter, vec![selected, pairs]);
    let datum = partial(host, "operator.itemgetter.call", vec![V::tuple(vec![V::Int(0)])]);
    Ok(iterator(host, IterKind::Map, vec![datum, chosen]))
}

fn pairwise(host: &mut dyn Host, args: Args) -> R<V> {
    let [iterable] = all(host, &args, ["/iterable"])?;
    let source = host.iterate(&iterable)?;
    Ok(iterator(host, IterKind::Pairwise, vec![source, V::Undef]))
}

/// The items of a container that cannot change meanwhile.
fn fixed(host: &mut dyn Host, value: &V) -> R<Option<Vec<V>>> {
    if !matches!(value, V::Str(_) | V::Bytes(_) | V::Tuple(_) | V::Range(_)) {
        return Ok(None);
    }
    let items = host.take(value)?.items;
    Ok(items.rest.is_none().then_some(items.exact))
}

/// Runs of equal items. The iterator of a run gives nothing once the next run has been asked for.
fn groupby(host: &mut dyn Host, args: Args) -> R<V> {
    let [iterable, key] = bind(host, &args, ["iterable", "key"], 1)?;
    let iterable = iterable.unwrap_or(V::None);
    let (Some(items), None | Some(V::None)) = (fixed(host, &iterable)?, key) else { return Ok(host.unknown_call(&args)) };
    let mut runs: Vec<(V, u64)> = Vec::new();
    for item in items {
        host.burn(1)?;
        match runs.last_mut() {
            Some((last, n)) => match crate::library::common::equal(host, last, &item)? {
                Some(true) => *n += 1,
                Some(false) => runs.push((item, 1)),
                None => return Ok(host.unknown_call(&args)),
            },
            None => runs.push((item, 1)),
        }
    }
    let mut groups = Vec::new();
    for (item, n) in runs {
        // Equal items may differ: `1` and `True`.
        let any = if matches!(item, V::Str(_) | V::Bytes(_)) { item.clone() } else { V::Unknown(why(std::slice::from_ref(&item))) };
        let group = iterate_bag(host, any, 0, n);
        groups.push(vec![item, group]);
    }
    Ok(listed(host, groups))
}

/// Whether an iterator has no end, computed by no code of the program.
fn endless(host: &mut dyn Host, iterator: &V) -> R<bool> {
    Ok(host.iterate(iterator)? == *iterator && host.remaining(iterator) == u64::MAX && !host.runs_code(iterator))
}

fn batched(host: &mut dyn Host, args: Args) -> R<V> {
    let [iterable, n, strict] = bind(host, &args, ["iterable", "n", "strict"], 2)?;
    let (iterable, n) = (iterable.unwrap_or(V::None), n.unwrap_or(V::None));
    match (n.exact_int(), strict) {
        (Some(n), _) if n < 1 => Err(host.raise("ValueError", "n must be at least one")),
        (Some(n), None) => match fixed(host, &iterable)? {
            Some(items) => {
                host.burn(items.len() as u64)?;
                let size = usize::try_from(n).unwrap_or(usize::MAX);
                let batches = items.chunks(size).map(<[V]>::to_vec).collect();
                Ok(listed(host, batches))
            }
            // There is no last batch that could be shorter.
            None if n <= MAX_BATCH && matches!(iterable, V::Ref(_)) && endless(host, &iterable)? => {
                let sources = vec![iterable; n as usize];
                Ok(iterator(host, IterKind::Zip, sources))
            }
            None => Ok(host.unknown_call(&args)),
        },
        _ => Ok(host.unknown_call(&args)),
    }
}

/// Several iterators over one source are independent where the source cannot change.
fn tee(host: &mut dyn Host, args: Args) -> R<V> {
    let [iterable, n] = bind(host, &args, ["/iterable", "/n"], 1)?;
    let iterable = iterable.unwrap_or(V::None);
    let n = n.unwrap_or(V::Int(2));
    match (&iterable, n.exact_int()) {
        (V::Str(_) | V::Bytes(_) | V::Tuple(_) | V::Range(_), Some(n)) if (0..=16).contains(&n) => {
            let copies = vec![iterable.clone(); n as usize];
            Ok(V::tuple(iterate_all(host, &copies)?))
        }
        (_, Some(n)) if n < 0 => Err(host.raise("ValueError", "n must be >= 0")),
        _ => Ok(host.unknown_call(&args)),
    }
}

// ---- combinatorics --------------------------------------------------------------------------------------------------

/// An iterator over tuples that are listed.
fn listed(host: &mut dyn Host, tuples: Vec<Vec<V>>) -> V {
    let all = V::tuple(tuples.into_iter().map(V::tuple).collect());
    iterator(host, IterKind::Sequence, vec![all, V::Int(0)])
}

/// A tuple of so many items, each one of `element`.
fn uniform(element: &V, width: (u64, u64)) -> V {
    if width.0 == width.1 && width.0 <= MAX_WIDTH as u64 {
        V::tuple(vec![element.clone(); width.0 as usize])
    } else {
        V::tuple_bag(element.clone(), width.0, width.1)
    }
}

fn saturate(n: Option<u128>) -> u64 {
    n.and_then(|n| u64::try_from(n).ok()).unwrap_or(u64::MAX)
}

fn product(host: &mut dyn Host, args: Args) -> R<V> {
    let repeat = args.keyword("repeat").cloned();
    if args.kw.len() > usize::from(repeat.is_some()) {
        return Err(host.raise("TypeError", "product() got an unexpected keyword argument"));
    }
    let times = match &repeat {
        None => Some(1),
        Some(v) => {
            let n = to_int(host, v)?;
            if n.high < 0 {
                return Err(host.raise("ValueError", "repeat argument cannot be negative"));
            }
            if n.is_exact().is_none() {
                host.may_raise("");
            }
            n.is_exact()
        }
    };
    let mut pools: Vec<Items> = Vec::new();
    for iterable in &args.pos {
        pools.push(take(host, iterable, "itertools.product")?);
    }
    let joined: Vec<V> = {
        let mut out = Vec::new();
        for pool in &pools {
            host.burn(pool.exact.len() as u64 / 16)?;
            out.push(element(host, pool).unwrap_or(V::None));
        }
        out
    };
    let Some(times) = times else {
        let mut any = V::None;
        for (at, v) in joined.iter().enumerate() {
            any = if at == 0 { v.clone() } else { host.join(&any, v) };
        }
        return Ok(iterate_bag(host, V::tuple_bag(any, 0, u64::MAX), 0, u64::MAX));
    };
    let power = |sizes: &mut dyn Iterator<Item = u64>| -> u64 {
        let once = sizes.map(u128::from).try_fold(1_u128, u128::checked_mul);
        match once {
            Some(0) if times > 0 => 0,
            Some(1) => 1,
            Some(n) => saturate(u32::try_from(times).ok().and_then(|t| n.checked_pow(t))),
            None => u64::MAX,
        }
    };
    let low = if pools.iter().any(|p| count_of(p).0 == 0) && times > 0 { 0 } else { power(&mut pools.iter().map(|p| count_of(p).0)) };
    let high = if pools.iter().any(|p| count_of(p).1 == 0) && times > 0 { 0 } else { power(&mut pools.iter().map(|p| count_of(p).1)) };
    let width = pools.len() as u128 * u128::try_from(times).unwrap_or(0);
    if pools.iter().all(|p| p.rest.is_none()) && high <= MAX_TUPLES && width <= 1024 && width * u128::from(high) <= 20_000 {
        host.burn(high)?;
        let columns: Vec<&Vec<V>> = (0..times).flat_map(|_| pools.iter().map(|p| &p.exact)).collect();
        let mut tuples: Vec<Vec<V>> = vec![Vec::new()];
        for column in columns {
            tuples = tuples.iter().flat_map(|t| column.iter().map(move |v| t.iter().cloned().chain([v.clone()]).collect())).collect();
        }
        return Ok(listed(host, tuples));
    }
    let shape = if width <= MAX_WIDTH as u128 {
        V::tuple((0..times).flat_map(|_| joined.iter().cloned()).collect())
    } else {
        let mut any = joined.first().cloned().unwrap_or(V::None);
        for v in joined.iter().skip(1) {
            any = host.join(&any, v);
        }
        let width = u64::try_from(width).unwrap_or(u64::MAX);
        V::tuple_bag(any, width, width)
    };
    Ok(iterate_bag(host, shape, low, high))
}

/// Advances the indices of a selection; false after the last.
type Advance = fn(&mut [usize], usize) -> bool;

/// The number of selections of `r` from `n`, saturating.
type CountOf = fn(u64, u64) -> u64;

fn falling(n: u64, r: u64) -> u64 {
    if r > n {
        return 0;
    }
    let mut out: u128 = 1;
    for i in 0..r {
        out = out.saturating_mul(u128::from(n - i));
        if out > u128::from(u64::MAX) {
            return u64::MAX;
        }
    }
    out as u64
}

fn choose(n: u64, r: u64) -> u64 {
    if r > n {
        return 0;
    }
    let r = r.min(n - r);
    let mut out: u128 = 1;
    for i in 0..r {
        let Some(next) = out.checked_mul(u128::from(n - i)) else { return u64::MAX };
        out = next / u128::from(i + 1);
        if out > u128::from(u64::MAX) {
            return u64::MAX;
        }
    }
    out as u64
}

fn choose_with_replacement(n: u64, r: u64) -> u64 {
    if r == 0 {
        1
    } else if n == 0 {
        0
    } else {
        choose(n.saturating_add(r - 1), r)
    }
}

fn next_combination(at: &mut [usize], n: usize) -> bool {
    let r = at.len();
    for i in (0..r).rev() {
        if at[i] != i + n - r {
            at[i] += 1;
            for j in i + 1..r {
                at[j] = at[j - 1] + 1;
            }
            return true;
        }
    }
    false
}

fn next_with_replacement(at: &mut [usize], n: usize) -> bool {
    let r = at.len();
    for i in (0..r).rev() {
        if at[i] + 1 != n {
            let next = at[i] + 1;
            at[i..].fill(next);
            return true;
        }
    }
    false
}

/// The next tuple of distinct indices in lexicographic order, which is the order in which CPython gives them.
fn next_permutation(at: &mut [usize], n: usize) -> bool {
    for i in (0..at.len()).rev() {
        let next = (at[i] + 1..n).find(|x| !at[..i].contains(x));
        if let Some(next) = next {
            at[i] = next;
            for j in i + 1..at.len() {
                at[j] = (0..n).find(|x| !at[..j].contains(x)).unwrap_or(0);
            }
            return true;
        }
    }
    false
}

fn selections(host: &mut dyn Host, name: &str, iterable: &V, r: Option<&V>, how: (CountOf, Advance, bool)) -> R<V> {
    let (count, advance, repeats) = how;
    let pool = take(host, iterable, name)?;
    host.burn(pool.exact.len() as u64 / 16)?;
    let (n_low, n_high) = count_of(&pool);
    let (r_low, r_high) = match r {
        None | Some(V::None) => (n_low, n_high),
        Some(v) => {
            let r = to_int(host, v)?;
            if r.high < 0 {
                return Err(host.raise("ValueError", "r must be non-negative"));
            }
            if r.low >= 1 << 63 {
                return Err(host.raise("OverflowError", "Python int too large to convert to C ssize_t"));
            }
            if r.low < 0 {
                host.may_raise("ValueError");
            }
            if r.high >= 1 << 63 {
                host.may_raise("OverflowError");
            }
            (r.low.max(0) as u64, u64::try_from(r.high).unwrap_or(u64::MAX))
        }
    };
    let any = element(host, &pool).unwrap_or(V::None);
    if n_low != n_high || r_low != r_high {
        let low = if r_low == r_high { count(n_low, r_low.min(1 << 20)) } else { 0 };
        let low = if r_low > 1 << 20 { 0 } else { low };
        return Ok(iterate_bag(host, uniform(&any, (r_low, r_high)), low, u64::MAX));
    }
    let (n, r) = (n_low, r_low);
    if r > n && !repeats {
        return Ok(listed(host, Vec::new()));
    }
    // Beyond this the number is far over u64 in every case but the trivial ones.
    let total = if r > 1 << 20 && n > 1 { None } else { Some(count(n, r)) };
    match total {
        Some(total) if total <= MAX_TUPLES && r <= 512 && total * r <= 20_000 && pool.rest.is_none() && n <= 4096 => {
            host.burn(total * (r + 1) / 4)?;
            let mut at: Vec<usize> = if repeats { vec![0; r as usize] } else { (0..r as usize).collect() };
            let mut tuples = Vec::new();
            if total > 0 {
                loop {
                    tuples.push(at.iter().map(|i| pool.exact[*i].clone()).collect());
                    if tuples.len() as u64 >= total || !advance(&mut at, n as usize) {
                        break;
                    }
                }
            }
            Ok(listed(host, tuples))
        }
        Some(total) => Ok(iterate_bag(host, uniform(&any, (r, r)), total, total)),
        None => Ok(iterate_bag(host, uniform(&any, (r, r)), 0, u64::MAX)),
    }
}

fn permutations(host: &mut dyn Host, args: Args) -> R<V> {
    let [iterable, r] = bind(host, &args, ["iterable", "r"], 1)?;
    selections(host, "itertools.permutations", &iterable.unwrap_or(V::None), r.as_ref(), (falling, next_permutation, false))
}

fn combinations(host: &mut dyn Host, args: Args) -> R<V> {
    let [iterable, r] = all(host, &args, ["iterable", "r"])?;
    if matches!(r, V::None) {
        return Err(host.raise("TypeError", "'NoneType' object cannot be interpreted as an integer"));
    }
    selections(host, "itertools.combinations", &iterable, Some(&r), (choose, next_combination, false))
}

fn combinations_with_replacement(host: &mut dyn Host, args: Args) -> R<V> {
    let [iterable, r] = all(host, &args, ["iterable", "r"])?;
    if matches!(r, V::None) {
        return Err(host.raise("TypeError", "'NoneType' object cannot be interpreted as an integer"));
    }
    selections(host, "itertools.combinations_with_replacement", &iterable, Some(&r), (choose_with_replacement, next_with_replacement, true))
}
