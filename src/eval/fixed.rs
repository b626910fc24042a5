//! Which attributes of a program's instances keep the value they are given first.

use std::collections::{HashMap, HashSet};

use crate::syntax::Program;
use crate::syntax::code::{Code, CodeKind, Const, NameId, Op};
use crate::value::fixed::{Fixed, Names};
use crate::value::object::Sym;

use super::Settings;

/// Names of what changes attributes without naming them, or lets a class answer for them.
const UNSEEN: &[&str] =
    &["__delattr__", "__dict__", "__getattribute__", "__setattr__", "__setstate__", "delattr", "eval", "exec", "patch", "setattr", "vars"];

/// An assignment to an attribute.
struct Site<'p> {
    /// Whether it runs once for each instance, when that is made.
    makes: bool,
    /// What it assigns, where that is written there.
    value: Option<&'p Const>,
}

/// The attributes of a program's instances that keep their values. An instance that escaped has them still.
pub fn of(program: &Program, settings: &Settings, names: &[Sym]) -> Fixed {
    let name = |id: &NameId| &*program.names[id.0 as usize];
    // What a session does later is not seen yet.
    if settings.history.is_some() || program.names.iter().any(|name| UNSEEN.contains(&&**name)) {
        return Fixed::new(None);
    }
    let loads = |wanted: &str| {
        let ops = program.codes.iter().flat_map(|code| &code.ops);
        ops.filter(|op| matches!(op, Op::LoadAttr(n) | Op::LoadMethod(n) | Op::LoadGlobal(n) | Op::LoadName(n) if name(n) == wanted))
            .count()
    };
    // Only what a subclass does runs the making of a base class, and that once.
    let made_once = loads("__init__") == loads("super");
    let mut sites: HashMap<NameId, Vec<Site>> = HashMap::new();
    let mut changing: HashSet<NameId> = HashSet::new();
    for code in &program.codes {
        for (pc, op) in code.ops.iter().enumerate() {
            match op {
                Op::StoreAttr(attribute) => {
                    let in_loop = code.loops.iter().any(|l| (l.head as usize..=l.back as usize).contains(&pc));
                    let makes = made_once && name(&code.name) == "__init__" && !in_loop;
                    sites.entry(*attribute).or_default().push(Site { makes, value: assigned(program, code, pc) });
                }
                Op::DeleteAttr(attribute) => {
                    changing.insert(*attribute);
                }
                Op::StoreName(attribute) if code.kind == CodeKind::Class => {
                    changing.insert(*attribute);
                }
                _ => {}
            }
        }
    }
    if sites.keys().any(|attribute| name(attribute) == "__class__") {
        return Fixed::new(None);
    }
    let keeps = |all: &[Site]| match all {
        [only] if only.makes => true,
        [first, rest @ ..] => first.value.is_some() && rest.iter().all(|site| site.value == first.value),
        [] => false,
    };
    let sym = |id: &NameId| names[id.0 as usize];
    // Those of a thread are properties.
    changing.extend(sites.keys().filter(|attribute| matches!(name(attribute), "daemon" | "name")));
    let fixed = sites.iter().filter(|(attribute, all)| !changing.contains(attribute) && keeps(all)).map(|(n, _)| sym(n)).collect();
    Fixed::new(Some(Names { fixed, assigned: sites.keys().chain(&changing).map(sym).collect() }))
}

/// The literal that an assignment to an attribute of a variable assigns.
fn assigned<'p>(program: &'p Program, code: &Code, pc: usize) -> Option<&'p Const> {
    let from = pc.checked_sub(2)?;
    let meets = code.ops.iter().filter_map(|op| op.jump_target()).any(|to| (from + 1..=pc).contains(&(to as usize)));
    match (code.ops[from], code.ops[from + 1]) {
        (Op::Const(id), Op::LoadLocal(_)) if !meets => program.consts.get(id.0 as usize),
        _ => None,
    }
}
