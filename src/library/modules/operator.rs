//! `operator`: the operators as functions, and callables made of keys, names and calls.

use crate::library::common::type_error;
use crate::library::{Args, Entry, Host, R};
use crate::syntax::code::{BinaryOp, CompareOp};
use crate::value::object::{Sym, Tuple, V, Why};

use super::support::{all, partial};

/// A function without captured state.
type Run = fn(&mut dyn Host, Args) -> R<V>;

/// The entry for a name in the module.
pub fn find(name: &str) -> Option<Entry> {
    let plain = name.strip_prefix("__").and_then(|n| n.strip_suffix("__")).unwrap_or(name);
    let function: Run = match plain {
        "add" => |h, a| binary(h, &a, BinaryOp::Add),
        "concat" => |h, a| concat(h, &a, binary),
        "sub" => |h, a| binary(h, &a, BinaryOp::Sub),
        "mul" => |h, a| binary(h, &a, BinaryOp::Mul),
        "truediv" => |h, a| binary(h, &a, BinaryOp::TrueDiv),
        "floordiv" => |h, a| binary(h, &a, BinaryOp::FloorDiv),
        "mod" => |h, a| binary(h, &a, BinaryOp::Mod),
        "pow" => |h, a| binary(h, &a, BinaryOp::Pow),
        "matmul" => |h, a| binary(h, &a, BinaryOp::MatMul),
        "lshift" => |h, a| binary(h, &a, BinaryOp::LShift),
        "rshift" => |h, a| binary(h, &a, BinaryOp::RShift),
        "and_" | "and" => |h, a| binary(h, &a, BinaryOp::BitAnd),
        "or_" | "or" => |h, a| binary(h, &a, BinaryOp::BitOr),
        "xor" => |h, a| binary(h, &a, BinaryOp::BitXor),
        "eq" => |h, a| compare(h, &a, CompareOp::Eq),
        "ne" => |h, a| compare(h, &a, CompareOp::Ne),
        "lt" => |h, a| compare(h, &a, CompareOp::Lt),
        "le" => |h, a| compare(h, &a, CompareOp::Le),
        "gt" => |h, a| compare(h, &a, CompareOp::Gt),
        "ge" => |h, a| compare(h, &a, CompareOp::Ge),
        "is_" => |h, a| compare(h, &a, CompareOp::Is),
        "is_not" => |h, a| compare(h, &a, CompareOp::IsNot),
        "contains" => contains,
        "neg" => neg,
        "pos" => pos,
        "not_" | "not" => not,
        "truth" => truth,
        "index" => index,
        "getitem" => getitem,
        "length_hint" => super::support::outside_size,
        "itemgetter" => itemgetter,
        "attrgetter" => attrgetter,
        "methodcaller" => methodcaller,
        "itemgetter.call" => call_itemgetter,
        "attrgetter.call" => call_attrgetter,
        "methodcaller.call" => call_methodcaller,
        // In place on immutable numbers and strings these are the operators; on anything else they change it.
        "iadd" => |h, a| in_place(h, &a, BinaryOp::Add),
        "iconcat" => |h, a| concat(h, &a, in_place),
        "isub" => |h, a| in_place(h, &a, BinaryOp::Sub),
        "imul" => |h, a| in_place(h, &a, BinaryOp::Mul),
        "ipow" => |h, a| in_place(h, &a, BinaryOp::Pow),
        "ilshift" => |h, a| in_place(h, &a, BinaryOp::LShift),
        "irshift" => |h, a| in_place(h, &a, BinaryOp::RShift),
        "itruediv" => |h, a| in_place(h, &a, BinaryOp::TrueDiv),
        "ifloordiv" => |h, a| in_place(h, &a, BinaryOp::FloorDiv),
        "imod" => |h, a| in_place(h, &a, BinaryOp::Mod),
        "iand" => |h, a| in_place(h, &a, BinaryOp::BitAnd),
        "ior" => |h, a| in_place(h, &a, BinaryOp::BitOr),
        "ixor" => |h, a| in_place(h, &a, BinaryOp::BitXor),
        "abs" => abs,
        _ => return None,
    };
    Some(Entry::Function(function))
}

fn binary(host: &mut dyn Host, args: &Args, op: BinaryOp) -> R<V> {
    let [a, b] = all(host, args, ["/a", "/b"])?;
    host.binary(op, &a, &b)
}

/// Adds as `add` does, but sequences only.
fn concat(host: &mut dyn Host, args: &Args, add: fn(&mut dyn Host, &Args, BinaryOp) -> R<V>) -> R<V> {
    let [a, _] = all(host, args, ["/a", "/b"])?;
    let numbers = a.alternatives().iter().filter(|v| v.is_number()).count();
    match numbers {
        0 => add(host, args, BinaryOp::Add),
        n if n == a.alternatives().len() => type_error(host),
        _ => Ok(host.unknown_call(args)),
    }
}

fn in_place(host: &mut dyn Host, args: &Args, op: BinaryOp) -> R<V> {
    let [a, b] = all(host, args, ["/a", "/b"])?;
    let immutable = a.alternatives().iter().all(|v| v.is_number() || matches!(v, V::Str(_) | V::Strs(_) | V::Bytes(_) | V::Tuple(_)));
    if immutable { host.binary(op, &a, &b) } else { Ok(host.unknown_call(args)) }
}

fn compare(host: &mut dyn Host, args: &Args, op: CompareOp) -> R<V> {
    let [a, b] = all(host, args, ["/a", "/b"])?;
    host.compare(op, &a, &b)
}

fn contains(host: &mut dyn Host, args: Args) -> R<V> {
    let [container, item] = all(host, &args, ["/a", "/b"])?;
    host.compare(CompareOp::In, &item, &container)
}

fn not(host: &mut dyn Host, args: Args) -> R<V> {
    let [a] = all(host, &args, ["/a"])?;
    let known = host.truth(&a)?;
    Ok(V::boolean(known.map(|t| !t), a.why().unwrap_or(Why::Lost)))
}

fn truth(host: &mut dyn Host, args: Args) -> R<V> {
    let [a] = all(host, &args, ["/a"])?;
    let known = host.truth(&a)?;
    Ok(V::boolean(known, a.why().unwrap_or(Why::Lost)))
}

fn neg(host: &mut dyn Host, args: Args) -> R<V> {
    let [a] = all(host, &args, ["/a"])?;
    match &a {
        V::Float(f) => Ok(V::Float(-f)),
        V::Floats(r) => Ok(V::float(r.0.neg(), r.1)),
        v => match v.as_int() {
            Some(int) => Ok(V::int(int.neg(), v.why().unwrap_or(Why::Lost))),
            None => Ok(host.unknown_call(&args)),
        },
    }
}

fn pos(host: &mut dyn Host, args: Args) -> R<V> {
    let [a] = all(host, &args, ["/a"])?;
    match &a {
        V::Float(_) | V::Floats(_) => Ok(a),
        v => match v.as_int() {
            Some(int) => Ok(V::int(int, v.why().unwrap_or(Why::Lost))),
            None => Ok(host.unknown_call(&args)),
        },
    }
}

fn abs(host: &mut dyn Host, args: Args) -> R<V> {
    let [a] = all(host, &args, ["/a"])?;
    match &a {
        V::Float(f) => Ok(V::Float(f.abs())),
        V::Floats(r) => Ok(V::float(r.0.abs(), r.1)),
        v => match v.as_int() {
            Some(int) => Ok(V::int(int.abs(), v.why().unwrap_or(Why::Lost))),
            None => Ok(host.unknown_call(&args)),
        },
    }
}

fn index(host: &mut dyn Host, args: Args) -> R<V> {
    let [a] = all(host, &args, ["/a"])?;
    // A bool stays one: `operator.index` gives the object itself where it is an int.
    if a.as_int().is_some() { Ok(a) } else { Ok(host.unknown_call(&args)) }
}

fn getitem(host: &mut dyn Host, args: Args) -> R<V> {
    let [container, at] = all(host, &args, ["/a", "/b"])?;
    host.item(&container, &at)
}

fn itemgetter(host: &mut dyn Host, args: Args) -> R<V> {
    if args.pos.is_empty() || !args.kw.is_empty() {
        return Err(host.raise("TypeError", "itemgetter expected at least 1 argument"));
    }
    let items = V::tuple(args.pos.to_vec());
    Ok(partial(host, "operator.itemgetter.call", vec![items]))
}

/// One result as it is, several as a tuple.
fn packed(mut results: Vec<V>) -> V {
    if results.len() == 1 { results.remove(0) } else { V::tuple(results) }
}

/// What was bound when the callable was made, when it is still known by position.
fn bound(args: &Args) -> Option<Vec<V>> {
    match args.pos.first() {
        Some(V::Tuple(t)) => match &**t {
            Tuple::Exact(items) => Some(items.clone()),
            Tuple::Bag { .. } => None,
        },
        _ => None,
    }
}

fn call_itemgetter(host: &mut dyn Host, args: Args) -> R<V> {
    let Some(items) = bound(&args) else { return Ok(host.unknown_call(&args)) };
    if args.pos.len() != 2 || !args.kw.is_empty() {
        return Err(host.raise("TypeError", "itemgetter expected 1 argument"));
    }
    let mut results = Vec::new();
    for item in &items {
        results.push(host.item(&args.pos[1], item)?);
    }
    Ok(packed(results))
}

fn attrgetter(host: &mut dyn Host, args: Args) -> R<V> {
    if args.pos.is_empty() || !args.kw.is_empty() {
        return Err(host.raise("TypeError", "attrgetter expected at least 1 argument"));
    }
    if !args.pos.iter().all(|v| matches!(v, V::Str(_))) {
        host.may_raise("TypeError");
        return Ok(V::Unknown(Why::Lost));
    }
    let names = V::tuple(args.pos.to_vec());
    Ok(partial(host, "operator.attrgetter.call", vec![names]))
}

fn call_attrgetter(host: &mut dyn Host, args: Args) -> R<V> {
    let Some(names) = bound(&args) else { return Ok(host.unknown_call(&args)) };
    if args.pos.len() != 2 || !args.kw.is_empty() {
        return Err(host.raise("TypeError", "attrgetter expected 1 argument"));
    }
    let mut results = Vec::new();
    for name in &names {
        let V::Str(path) = name else { return Ok(host.unknown_call(&args)) };
        let mut value = args.pos[1].clone();
        for part in path.split('.') {
            value = host.attribute(&value, Sym::new(part))?;
        }
        results.push(value);
    }
    Ok(packed(results))
}

fn methodcaller(host: &mut dyn Host, args: Args) -> R<V> {
    if !matches!(args.pos.first(), Some(V::Str(_))) || !args.kw.is_empty() {
        return Ok(host.unknown_call(&args));
    }
    let all = V::tuple(args.pos.to_vec());
    Ok(partial(host, "operator.methodcaller.call", vec![all]))
}

fn call_methodcaller(host: &mut dyn Host, args: Args) -> R<V> {
    let Some(all) = bound(&args) else { return Ok(host.unknown_call(&args)) };
    if args.pos.len() != 2 || !args.kw.is_empty() {
        return Err(host.raise("TypeError", "methodcaller expected 1 argument"));
    }
    let Some((V::Str(name), rest)) = all.split_first() else { return Ok(host.unknown_call(&args)) };
    let method = host.attribute(&args.pos[1], Sym::new(name))?;
    host.call(&method, Args::of(rest.iter().cloned()))
}
