//! Results of calls that are not evaluated again: recursion that branches stays cheap here, and its cost is still counted.
//!
//! While a call is evaluated, the store keeps what it reads of what was there before. A call that changed none of it, said
//! nothing and returned an immutable value gives the same value for the same arguments as long as what it read is the same.

use std::collections::HashMap;
use std::rc::Rc;

use crate::syntax::Program;
use crate::syntax::code::{Code, CodeId, Op};
use crate::value::object::{Function, Obj, ObjId, Sym, Tuple, V};
use crate::value::store::{Store, Switches, Tally, Use, holds, refers_to};

/// Calls kept. A program with more different ones is out of fuel soon.
const MAX_CALLS: usize = 50_000;

/// Completed calls of a function after which it is no longer watched, unless one of them was needed again.
const TRIALS: u32 = 1024;

/// Arguments of a call that is kept.
const MAX_ARGUMENTS: usize = 8;

/// Elements of a container that is kept for comparison.
const MAX_ELEMENTS: usize = 128;

/// Elements of a list that is compared by what it holds.
const MAX_CONTENTS: usize = 32;

/// Names by which a program may ask which object it has before it.
const ASKING: &[&str] = &["id", "is_", "is_not", "exec", "eval"];

/// An argument, equal to another only if no program could tell them apart (`1`, `1.0` and `True` differ).
#[derive(Debug, Clone, PartialEq, Eq, Hash)]
enum Argument {
    None,
    Ellipsis,
    Bool(bool),
    Int(i128),
    Float(u64),
    Str(Rc<str>),
    Bytes(Rc<[u8]>),
    Tuple(Vec<Argument>),
    /// A list by what it holds.
    List(Vec<Argument>),
    Object(ObjId),
    Library(Sym),
    Module(Sym),
}

impl Argument {
    fn of(value: &V) -> Option<Argument> {
        Some(match value {
            V::None => Argument::None,
            V::Ellipsis => Argument::Ellipsis,
            V::Bool(b) => Argument::Bool(*b),
            V::Int(n) => Argument::Int(*n),
            V::Float(f) => Argument::Float(f.to_bits()),
            V::Str(s) => Argument::Str(s.clone()),
            V::Bytes(b) => Argument::Bytes(b.clone()),
            V::Tuple(t) => match &**t {
                Tuple::Exact(items) if items.len() <= MAX_ELEMENTS => {
                    Argument::Tuple(items.iter().map(Argument::of).collect::<Option<_>>()?)
                }
                _ => return None,
            },
            V::Ref(id) => Argument::Object(*id),
            V::Lib(name) => Argument::Library(*name),
            V::Module(name) => Argument::Module(*name),
            _ => return None,
        })
    }

    /// What a list holds, if that is all there is to say about it.
    fn of_list(store: &Store, id: ObjId) -> Option<Argument> {
        let Obj::List(items) = store.get(id) else { return None };
        if items.rest.is_some() || items.exact.len() > MAX_CONTENTS || store.is_summary(id) {
            return None;
        }
        let known = |v: &V| match v {
            // Not even equal to itself, but found where it is looked for.
            V::Float(f) if f.is_nan() => None,
            v => Argument::of(v).filter(|a| !a.has_objects()),
        };
        items.exact.iter().map(known).collect::<Option<_>>().map(Argument::List)
    }

    fn has_objects(&self) -> bool {
        match self {
            Argument::Object(_) => true,
            Argument::Tuple(items) => items.iter().any(Argument::has_objects),
            _ => false,
        }
    }
}

/// Which call it is.
#[derive(Debug, Clone)]
pub struct Key {
    call: Call,
    /// Arguments that are compared by what they hold.
    contents: Vec<ObjId>,
}

#[derive(Debug, Clone, PartialEq, Eq, Hash)]
struct Call {
    code: CodeId,
    closure: Vec<ObjId>,
    arguments: Vec<Argument>,
}

/// What a call gave, and what it depended on.
#[derive(Debug, Clone)]
pub struct Known {
    /// What it returned.
    pub value: V,
    /// Its least seconds.
    pub cost: f64,
    /// Least bytes it writes to the output.
    pub output: f64,
    /// Objects it read.
    pub objects: Vec<ObjId>,
    /// Globals it read.
    pub globals: Vec<u32>,
    /// Variables it counted with.
    pub counted: Vec<Tally>,
    were: Vec<Obj>,
    held: Vec<V>,
    switches: Switches,
}

/// Calls evaluated before.
#[derive(Debug, Default)]
pub struct Memo {
    calls: HashMap<Call, Rc<Known>>,
    /// Whether the program never asks which object it has before it, so that equal lists can stand for each other.
    blind: bool,
    /// Completed and repeated calls of each function.
    uses: HashMap<CodeId, (u32, u32)>,
}

impl Memo {
    /// Nothing known yet about the calls of a program.
    pub fn new(program: &Program) -> Memo {
        let asks = |code: &Code| {
            let pairs = code.ops.windows(2);
            pairs.into_iter().any(|two| matches!(two[1], Op::Compare(by) if by.is_identity()) && !matches!(two[0], Op::Const(_)))
        };
        let blind = !program.codes.iter().any(asks) && !program.names.iter().any(|name| ASKING.contains(&&**name));
        Memo { blind, ..Memo::default() }
    }

    /// The key of a call, unless its arguments have no identity or its function is not worth watching. Lists that the caller has just
    /// made are compared by what they hold.
    pub fn key(&self, store: &Store, function: &Function, arguments: &[V]) -> Option<Key> {
        if arguments.len() > MAX_ARGUMENTS && arguments[MAX_ARGUMENTS..].iter().any(|v| !matches!(v, V::Undef)) {
            return None;
        }
        if self.uses.get(&function.code).is_some_and(|(done, again)| *done >= TRIALS && *again == 0) {
            return None;
        }
        let mut contents = Vec::new();
        let mut argument = |value: &V| match value {
            V::Ref(id) if self.blind && store.is_new(*id) && arguments.iter().filter(|v| refers_to(v, *id)).count() == 1 => {
                let list = Argument::of_list(store, *id);
                contents.extend(list.is_some().then_some(*id));
                list.or_else(|| Argument::of(value))
            }
            value => Argument::of(value),
        };
        let arguments = arguments.iter().take_while(|v| !matches!(v, V::Undef)).map(&mut argument).collect::<Option<_>>()?;
        Some(Key { call: Call { code: function.code, closure: function.closure.clone(), arguments }, contents })
    }

    /// What the call gave before, if what it depended on is the same.
    pub fn find(&mut self, store: &Store, key: &Key) -> Option<Rc<Known>> {
        let known = self.calls.get(&key.call)?;
        let same = known.switches == store.path.switches
            && known.objects.iter().zip(&known.were).all(|(id, was)| same_object(store.get(*id), was))
            && known.globals.iter().zip(&known.held).all(|(name, held)| store.global(*name) == *held)
            && known.counted.iter().all(|tally| store.tally(*tally).is_some());
        if !same {
            self.calls.remove(&key.call);
            return None;
        }
        let known = known.clone();
        self.uses.entry(key.call.code).or_default().1 += 1;
        Some(known)
    }

    /// Keeps what a call gave, if that depends on its arguments and what it read alone.
    pub fn keep(&mut self, store: &Store, key: Key, value: &V, (cost, output): (f64, f64), mut used: Use, alone: bool) {
        self.uses.entry(key.call.code).or_default().0 += 1;
        let immutable = Argument::of(value).is_some_and(|a| !a.has_objects());
        if !alone || !used.is_clean() || !immutable || self.calls.len() >= MAX_CALLS {
            return;
        }
        used.objects.retain(|id| !key.contents.contains(id));
        let were: Vec<Obj> = used.objects.iter().map(|id| store.get(*id).clone()).collect();
        if !were.iter().all(is_small) {
            return;
        }
        let held: Vec<V> = used.globals.iter().map(|name| store.global(*name)).collect();
        // What is known by another way than the argument may be another the next time.
        let by_another_way = |id: &ObjId| were.iter().any(|obj| holds(obj, *id)) || held.iter().any(|value| refers_to(value, *id));
        if key.contents.iter().any(by_another_way) {
            return;
        }
        let switches = store.path.switches;
        let (value, Use { objects, globals, counted, .. }) = (value.clone(), used);
        let known = Known { value, cost, output, objects, globals, counted, were, held, switches };
        self.calls.insert(key.call, Rc::new(known));
    }
}

/// Whether an object is what it was.
fn same_object(now: &Obj, was: &Obj) -> bool {
    match (now, was) {
        (Obj::Function(a), Obj::Function(b)) => Rc::ptr_eq(a, b),
        (Obj::Class(a), Obj::Class(b)) => Rc::ptr_eq(a, b),
        (Obj::List(a), Obj::List(b)) => Rc::ptr_eq(a, b) || a == b,
        (Obj::Dict(a, i), Obj::Dict(b, j)) => i == j && (Rc::ptr_eq(a, b) || a == b),
        (Obj::Set(a, i), Obj::Set(b, j)) => i == j && (Rc::ptr_eq(a, b) || a == b),
        _ => now == was,
    }
}

/// Whether it is little work to keep and compare the object.
fn is_small(obj: &Obj) -> bool {
    match obj {
        Obj::Function(_) | Obj::Class(_) | Obj::Cell(_) | Obj::Bound { .. } | Obj::StaticMethod(_) | Obj::ClassMethod(_) => true,
        Obj::Property { .. } => true,
        Obj::List(items) | Obj::Deque(items, _) => items.exact.len() <= MAX_ELEMENTS,
        Obj::Dict(table, _) | Obj::Set(table, _) => table.exact.len() <= MAX_ELEMENTS,
        Obj::Instance { attrs, .. } => attrs.len() <= MAX_ELEMENTS,
        _ => false,
    }
}
