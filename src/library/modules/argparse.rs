//! `argparse`: what options are without arguments on the command line. A parser keeps them under names unknown to Python.

use std::rc::Rc;

use crate::library::{Args, Entry, Host, R};
use crate::value::object::{Items, Obj, Sym, V, Why};

use super::support::{attribute_of, exact_tuple, instance, outside_any, put};

/// The class of parsers.
const PARSER: &str = "argparse.ArgumentParser";
/// The class of what they return.
const NAMESPACE: &str = "argparse.Namespace";

/// Where a parser keeps its options: name, default, and the type that a default is converted by.
const OPTIONS: &str = "@options";
/// Set where an argument cannot be left out.
const REQUIRED: &str = "@required";

/// The entry for a name in the module.
pub fn find(name: &str) -> Option<Entry> {
    Some(match name {
        "ArgumentParser" => Entry::Type(parser),
        "ArgumentParser.add_argument" => Entry::Function(add_argument),
        "ArgumentParser.parse_args" => Entry::Function(parse_args),
        _ => return None,
    })
}

fn parser(host: &mut dyn Host, args: Args) -> R<V> {
    const DECORATIVE: &[&str] = &["prog", "usage", "description", "epilog", "formatter_class", "allow_abbrev", "add_help"];
    if args.pos.len() > 3 || args.open || args.kw.iter().any(|(n, _)| !DECORATIVE.contains(&&*n.text())) {
        return Ok(host.unknown_call(&args));
    }
    let attrs = vec![(Sym::new(OPTIONS), V::tuple(Vec::new())), (Sym::new(REQUIRED), V::Bool(false))];
    Ok(host.alloc(Obj::Instance { class: V::lib(PARSER), attrs: Rc::new(attrs) }))
}

/// The options of a parser that is known.
fn options(host: &mut dyn Host, parser: &V) -> Option<(Vec<V>, bool)> {
    let (V::Lib(class), attrs) = instance(host, parser)? else { return None };
    let known = exact_tuple(&attribute_of(&attrs, OPTIONS)?)?;
    match attribute_of(&attrs, REQUIRED)? {
        V::Bool(required) if &*class.text() == PARSER => Some((known, required)),
        _ => None,
    }
}

/// The option that the arguments of `add_argument` describe, and whether it is required. None where something is not followed.
fn option(names: &[V], args: &Args) -> Option<(Option<[V; 3]>, bool)> {
    const FOLLOWED: &[&str] = &["default", "type", "help", "required", "choices", "action", "metavar", "dest", "nargs", "const"];
    if args.open || args.kw.iter().any(|(n, _)| !FOLLOWED.contains(&&*n.text())) {
        return None;
    }
    let names: Vec<&str> = names.iter().map(|v| if let V::Str(text) = v { Some(&**text) } else { None }).collect::<Option<_>>()?;
    let first = names.first()?;
    let dest = match args.keyword("dest") {
        Some(V::Str(dest)) => dest.to_string(),
        Some(_) => return None,
        None if !first.starts_with('-') => (*first).to_owned(),
        None => names.iter().find(|n| n.starts_with("--")).unwrap_or(first).trim_start_matches('-').replace('-', "_"),
    };
    let default = args.keyword("default").cloned();
    if matches!(&default, Some(V::Lib(_))) {
        return None;
    }
    let (default, converts) = match args.keyword("action") {
        None => (default.unwrap_or(V::None), true),
        Some(V::Str(action)) => match &**action {
            "store" => (default.unwrap_or(V::None), true),
            "store_true" => (default.unwrap_or(V::Bool(false)), false),
            "store_false" => (default.unwrap_or(V::Bool(true)), false),
            "store_const" | "append" | "count" | "extend" => (default.unwrap_or(V::None), false),
            "version" | "help" => return Some((None, false)),
            _ => return None,
        },
        Some(_) => return None,
    };
    let positional = !first.starts_with('-');
    let required = match args.keyword("required") {
        _ if positional => match args.keyword("nargs") {
            Some(V::Str(n)) if &**n == "?" => false,
            // Without one it is a list, which is checked against the choices since lately.
            Some(V::Str(n)) if &**n == "*" => return None,
            _ => true,
        },
        None => false,
        Some(V::Bool(required)) => *required,
        Some(_) => return None,
    };
    let by = args.keyword("type").filter(|_| converts).cloned().unwrap_or(V::None);
    Some((Some([V::str(&dest), default, by]), required))
}

fn add_argument(host: &mut dyn Host, args: Args) -> R<V> {
    let Some((parser, names)) = args.pos.split_first() else { return Ok(host.unknown_call(&args)) };
    let parser = parser.clone();
    let (Some((mut known, was)), Some((option, required))) = (options(host, &parser), option(names, &args)) else {
        return Ok(host.unknown_call(&args));
    };
    // Names may be taken already.
    host.may_raise("");
    known.extend(option.map(|parts| V::tuple(parts.to_vec())));
    put(host, &parser, vec![(Sym::new(OPTIONS), V::tuple(known)), (Sym::new(REQUIRED), V::Bool(was || required))]);
    Ok(V::Unknown(Why::OUTSIDE))
}

fn parse_args(host: &mut dyn Host, args: Args) -> R<V> {
    let nothing = match (&args.pos[..], args.kw.is_empty() && !args.open) {
        ([_] | [_, V::None], true) => host.is_bare(),
        ([_, V::Ref(list)], true) => matches!(host.store().get(*list), Obj::List(items) if **items == Items::default()),
        _ => false,
    };
    let Some((known, required)) = args.pos.first().and_then(|parser| options(host, parser)).filter(|_| nothing) else {
        return outside_any(host, args);
    };
    if required {
        return Err(host.raise("SystemExit", ""));
    }
    let mut attrs: Vec<(Sym, V)> = Vec::new();
    for option in known {
        let Some([V::Str(name), default, by]) = exact_tuple(&option).and_then(|parts| <[V; 3]>::try_from(parts).ok()) else {
            return outside_any(host, args);
        };
        // Only a text is converted.
        let value = match (&default, &by) {
            (V::Str(_) | V::Strs(_), by) if !matches!(by, V::None) => {
                host.may_raise("SystemExit");
                host.call(by, Args::of([default.clone()]))?
            }
            (V::Unknown(_) | V::OneOf(_), by) if !matches!(by, V::None) => V::Unknown(Why::Lost),
            _ => default,
        };
        // The first default of a name counts.
        let public = Sym::new(&format!(" {name}"));
        if attrs.iter().all(|(n, _)| *n != public) {
            attrs.push((public, value));
        }
    }
    Ok(host.alloc(Obj::Instance { class: V::lib(NAMESPACE), attrs: Rc::new(attrs) }))
}
