//! Loops that take what is to be done out of a container and put more into it: searches that forget where they have been.
//!
//! What an iteration does depends on the item it takes and on nothing else in the container, where the loop does nothing with that
//! but take one item and add others. From one state at the head that holds all others, the loop is run once for each item that
//! may ever be in the container, alone. If each run comes back to that state and has added at least one item, the container never
//! empties. Parts of items that take ever new values, such as a distance or a path, are widened to any value of their type.

use std::collections::HashSet;
use std::rc::Rc;

use crate::library::modules::BY_TEXT;
use crate::library::{R, Stop, count};
use crate::syntax::code::{Code, CompareOp, LoopKind, NameId, Op, UnaryOp};
use crate::value::object::{Frame, Items, Key, Obj, ObjId, Rest, Sym, Tuple, V, Why};
use crate::value::store::Store;

use super::{Head, LoopState, Variable, read_of, write_of};
use crate::eval::machine::{Context, Machine};

/// So many different items are followed before a part of them is widened, and so many where that part only grows.
const MANY: usize = 256;
const FEW: usize = 32;

/// So many parts are widened.
const MAX_WIDE: usize = 2;

/// Passes joined without widening.
const PLAIN: u32 = 2;

/// Times that the state at the head may change.
const MAX_CHANGES: u32 = 12;

/// What is known of a loop that empties a container.
#[derive(Debug, Clone)]
pub struct Worklist {
    container: ObjId,
    /// Whether its items are compared with each other, as those of a heap are.
    ordered: bool,
    items: Vec<V>,
    keys: HashSet<Key>,
    /// Of the parts of an item that is a tuple, what stands for any value.
    wide: Vec<Option<V>>,
    /// With how many of the items the loop has been run from the state at the head.
    done: usize,
    changes: u32,
    head: Option<Box<Head>>,
}

impl Machine<'_> {
    /// The container that a loop does nothing with but take an item out of it and add others, whichever end it takes.
    pub(super) fn worklist(&self, frame: &Frame, code: &Code, l: &LoopState) -> Option<Box<Worklist>> {
        if l.info.kind != LoopKind::While || code.is_generator {
            return None;
        }
        let takes = |at: usize| {
            let named = self.named_at(code, at)?;
            let used = self.use_of(frame, code, named, at)?;
            matches!(used, Use::Takes | Use::TakesLeast).then_some(named)
        };
        let named = (l.info.head as usize..=l.info.back as usize).find_map(takes)?;
        self.worklist_in(frame, code, l, named).map(Box::new)
    }

    /// What the operation at a place looks up.
    fn named_at(&self, code: &Code, at: usize) -> Option<Named> {
        match code.ops.get(at)? {
            Op::LoadAttr(name) => Some(Named { variable: read_of(code.ops.get(at.checked_sub(1)?)?)?, attribute: Some(*name) }),
            op => Some(Named { variable: read_of(op)?, attribute: None }),
        }
    }

    /// The object that is looked up.
    fn object_of(&self, frame: &Frame, named: Named) -> Option<ObjId> {
        let V::Ref(object) = self.variable(frame, named.variable)? else { return None };
        let Some(name) = named.attribute else { return Some(object) };
        let Obj::Instance { class, attrs } = self.store.get(object) else { return None };
        let sym = self.names[name.0 as usize];
        let plain = self.class(class).is_some_and(|c| {
            !c.open && [sym, Sym::new("__getattribute__")].into_iter().all(|name| self.class_lookup(&c, class, name).is_none())
        });
        match attrs.iter().find(|(name, _)| *name == sym) {
            Some((_, V::Ref(held))) if plain && !self.store.is_summary(object) => Some(*held),
            _ => None,
        }
    }

    /// Whether other code than the one that loops looks up or assigns what holds the container. What makes an instance has another one.
    fn is_named_elsewhere(&self, frame: &Frame, named: Named) -> bool {
        let others = || self.program.codes.iter().enumerate().filter(|(at, _)| *at != frame.code.0 as usize).map(|(_, code)| code);
        match (named.attribute, named.variable) {
            (Some(name), _) => {
                let names = |op: &Op| matches!(op, Op::LoadAttr(n) | Op::StoreAttr(n) | Op::DeleteAttr(n) if *n == name);
                let by_text = self.program.names.iter().any(|name| BY_TEXT.contains(&&**name));
                by_text || others().any(|code| self.program.name(code.name) != "__init__" && code.ops.iter().any(names))
            }
            (None, Variable::Global(_)) => others().any(|code| code.ops.iter().any(|op| read_of(op) == Some(named.variable))),
            _ => false,
        }
    }

    fn worklist_in(&self, frame: &Frame, code: &Code, l: &LoopState, named: Named) -> Option<Worklist> {
        let range = l.info.head as usize..=l.info.back as usize;
        let container = self.object_of(frame, named)?;
        let items = match self.store.get(container) {
            Obj::List(items) | Obj::Deque(items, None) if items.rest.is_none() => items.exact.clone(),
            _ => return None,
        };
        self.unchanging(named.variable)?;
        let alone = !items.is_empty() && self.only_reference(frame, container) && !self.store.is_summary(container);
        let assigned = range.clone().any(|at| {
            let attribute = matches!(code.ops[at], Op::StoreAttr(n) | Op::DeleteAttr(n) if Some(n) == named.attribute);
            attribute || write_of(&code.ops[at]) == Some(named.variable)
        });
        if !alone || assigned || self.is_named_elsewhere(frame, named) {
            return None;
        }
        let (mut taken, mut ordered) = (None, false);
        for at in range {
            let here = self.named_at(code, at).filter(|here| match named.attribute {
                // The same attribute of another variable may be that of the same object.
                Some(_) => here.attribute == named.attribute,
                None => here.attribute.is_none() && here.variable == named.variable,
            });
            if here.is_none() && !matches!(code.ops[at], Op::LoadAttr(n) if Some(n) == named.attribute) {
                continue;
            }
            let used = self.use_of(frame, code, here.filter(|here| *here == named)?, at)?;
            ordered |= matches!(used, Use::TakesLeast | Use::AddsInOrder);
            let adds = match used {
                // Whether there is anything in it is asked before something is taken.
                Use::Asks if taken.is_none() => continue,
                Use::Asks => return None,
                Use::Takes | Use::TakesLeast => false,
                Use::Adds | Use::AddsInOrder => true,
            };
            // An item that is added first could be the one that is taken.
            if adds {
                taken?;
            } else if taken.replace(at).is_some() || code.loops.iter().any(|i| i.head > l.info.head && i.holds(at as u32)) {
                return None;
            }
        }
        taken?;
        let (keys, wide) = (HashSet::new(), Vec::new());
        Some(Worklist { container, ordered, items, keys, wide, done: 0, changes: 0, head: None })
    }

    /// What is done with the container that is looked up at a place.
    fn use_of(&self, frame: &Frame, code: &Code, named: Named, at: usize) -> Option<Use> {
        let op = |at: usize| code.ops.get(at);
        let zero = |at: usize| matches!(op(at), Some(Op::Const(c)) if matches!(self.consts[c.0 as usize], V::Int(0)));
        let end = |at: usize| matches!(op(at), Some(Op::Const(c)) if matches!(self.consts[c.0 as usize], V::Int(0 | -1)));
        let before = at.checked_sub(if named.attribute.is_some() { 2 } else { 1 })?;
        match op(at + 1)? {
            Op::LoadMethod(name) => match self.program.name(*name) {
                "pop" | "popleft" if matches!(op(at + 2), Some(Op::CallMethod(0, None))) => Some(Use::Takes),
                "pop" if end(at + 2) && matches!(op(at + 3), Some(Op::CallMethod(1, None))) => Some(Use::Takes),
                "append" | "appendleft" | "extend" | "extendleft" => Some(Use::Adds),
                _ => None,
            },
            Op::JumpIfFalse(_) | Op::JumpIfTrue(_) => Some(Use::Asks),
            Op::Unary(UnaryOp::Not) if matches!(op(at + 2), Some(Op::JumpIfFalse(_) | Op::JumpIfTrue(_))) => Some(Use::Asks),
            Op::Call(1, None) if matches!(op(at + 4), Some(Op::JumpIfFalse(_))) => {
                let is_length = matches!(op(before), Some(Op::LoadGlobal(name)) if self.store.global(name.0) == V::Undef && self.program.name(*name) == "len");
                let is_compared = zero(at + 2) && matches!(op(at + 3), Some(Op::Compare(CompareOp::Gt | CompareOp::Ne)));
                (is_length && is_compared).then_some(Use::Asks)
            }
            _ => match self.is_heap(frame, code, before)? {
                "heappop" if matches!(op(at + 1), Some(Op::Call(1, None) | Op::CallMethod(1, None))) => Some(Use::TakesLeast),
                "heappush" => Some(Use::AddsInOrder),
                _ => None,
            },
        }
    }

    /// Which function of `heapq` is looked up by the operation at a place.
    fn is_heap(&self, frame: &Frame, code: &Code, at: usize) -> Option<&'static str> {
        let name = match code.ops.get(at)? {
            Op::LoadMethod(name) => {
                let module = self.variable(frame, read_of(code.ops.get(at.checked_sub(1)?)?)?)?;
                matches!(module, V::Module(module) if &*module.text() == "heapq").then(|| self.program.name(*name).to_owned())?
            }
            op => match self.variable(frame, read_of(op)?)? {
                V::Lib(name) => name.text().strip_prefix("heapq.")?.to_owned(),
                _ => return None,
            },
        };
        ["heappop", "heappush"].into_iter().find(|known| **known == *name)
    }

    /// Begins to run the loop for each item of its container.
    pub(super) fn begin_worklist(&mut self, frame: &mut Frame, cx: &mut Context, l: &mut LoopState) -> bool {
        let (Some(mut list), Some(mut head)) = (l.worklist.take(), l.head.take()) else { return false };
        // Bounding has pooled what the items hold.
        match head.store.get(list.container) {
            Obj::List(items) | Obj::Deque(items, _) => list.items.clone_from(&items.exact),
            _ => return false,
        }
        if !self.widen_lists(&mut list, &mut head) {
            return false;
        }
        let first = std::mem::take(&mut list.items);
        set_items(&mut head.store, list.container, Vec::new());
        self.store = head.store.clone();
        list.head = Some(head);
        if !first.iter().all(|item| self.add_item(&mut list, item)) {
            return false;
        }
        self.next_item(frame, cx, l, list)
    }

    /// Lists that the items hold, each at the same place, are known by their type only.
    fn widen_lists(&mut self, list: &mut Worklist, head: &mut Head) -> bool {
        let Some(V::Tuple(first)) = list.items.first() else { return true };
        let Tuple::Exact(parts) = &**first else { return false };
        list.wide = vec![None; parts.len()];
        for at in 0..parts.len() {
            let all: Vec<V> = list.items.iter().filter_map(|item| part(item, at)).collect();
            let held: Vec<ObjId> = all.iter().filter_map(|v| if let V::Ref(id) = v { Some(*id) } else { None }).collect();
            if held.is_empty() {
                continue;
            }
            if held.len() != list.items.len() || !held.iter().all(|id| is_plain_list(&head.store, *id)) {
                return false;
            }
            let one = head.store.alloc_pooled(&held);
            head.store.mutate(one, true, |obj| {
                *obj = Obj::List(Rc::new(Items {
                    exact: Vec::new(),
                    rest: Some(Rest { element: V::Unknown(Why::Lost), value: V::None, low: 0, high: u64::MAX }),
                }));
            });
            list.wide[at] = Some(V::Ref(one));
        }
        true
    }

    /// A pass for one item came back to the head.
    pub(super) fn at_worklist(&mut self, frame: &mut Frame, cx: &mut Context, l: &mut LoopState, mut list: Box<Worklist>) -> R<()> {
        cx.pending.clear();
        let added = match self.store.get(list.container) {
            Obj::List(items) | Obj::Deque(items, _) if !l.left && !l.may_exhaust && count(items).0 > 0 => {
                items.exact.iter().chain(items.rest.iter().map(|rest| &rest.element)).flat_map(V::alternatives).cloned().collect::<Vec<_>>()
            }
            _ => return Err(Stop::Dead),
        };
        if !added.iter().all(|item| self.add_item(&mut list, item)) {
            return Err(Stop::Dead);
        }
        set_items(&mut self.store, list.container, Vec::new());
        let Some(mut head) = list.head.take() else { return Err(Stop::Dead) };
        let changed = self.join_head(&mut head, frame, list.changes >= PLAIN, false);
        list.head = Some(head);
        if changed {
            list.changes += 1;
            list.done = 0;
        } else {
            list.done += 1;
        }
        if list.changes <= MAX_CHANGES && self.next_item(frame, cx, l, list) { Ok(()) } else { Err(Stop::Dead) }
    }

    /// Starts the pass for the next item; there is none where all have been looked at, and the loop never ends.
    fn next_item(&mut self, frame: &mut Frame, cx: &mut Context, l: &mut LoopState, list: Box<Worklist>) -> bool {
        let (Some(item), Some(head)) = (list.items.get(list.done), &list.head) else {
            self.trial_holds = !list.items.is_empty();
            return false;
        };
        let mut from = head.clone();
        set_items(&mut from.store, list.container, vec![item.clone()]);
        l.worklist = Some(list);
        l.kept.clear();
        self.start_pass(frame, cx, l, from);
        true
    }

    /// Adds an item to those that may be in the container. False: not enough is known of it, or there are too many.
    fn add_item(&mut self, list: &mut Worklist, item: &V) -> bool {
        let Some((key, item)) = self.item_of(list, item) else { return false };
        if list.keys.insert(key) {
            list.items.push(item);
        }
        if list.items.len() == FEW {
            self.widen_part(list, true);
        } else if list.items.len() > MANY && !self.widen_part(list, false) {
            return false;
        }
        !list.ordered || self.fuel > 0 && crate::library::builtins::order::comparable(&list.items)
    }

    /// An item with what stands for any value in its place, and what it is told apart by.
    fn item_of(&self, list: &Worklist, item: &V) -> Option<(Key, V)> {
        let is_wide = list.wide.iter().any(Option::is_some);
        let V::Tuple(t) = item else { return if is_wide { None } else { Some((plain_key(item)?, item.clone())) } };
        let Tuple::Exact(parts) = &**t else { return None };
        if !is_wide {
            return Some((plain_key(item)?, item.clone()));
        }
        if parts.len() != list.wide.len() {
            return None;
        }
        let (mut keys, mut kept) = (Vec::new(), Vec::new());
        for (part, wide) in parts.iter().zip(&list.wide) {
            match wide {
                Some(wide) if self.is_within(part, wide) => kept.push(wide.clone()),
                Some(_) => return None,
                None => {
                    keys.push(plain_key(part)?);
                    kept.push(part.clone());
                }
            }
        }
        Some((Key::Tuple(keys.into()), V::tuple(kept)))
    }

    /// Whether a value is one of those that another stands for.
    fn is_within(&self, value: &V, wide: &V) -> bool {
        match (value, wide) {
            (V::Int(_) | V::Ints(_), V::Ints(_)) | (V::Float(_) | V::Floats(_), V::Floats(_)) | (V::Str(_) | V::Strs(_), V::Strs(_)) => {
                true
            }
            (V::Tuple(_), V::Tuple(_)) => holds_no_object(value),
            (V::Ref(id), V::Ref(_)) => is_plain_list(&self.store, *id),
            _ => false,
        }
    }

    /// Widens the part of the items that takes the most values, or that only grows from item to item.
    fn widen_part(&mut self, list: &mut Worklist, grows: bool) -> bool {
        if list.wide.iter().flatten().filter(|wide| !matches!(wide, V::Ref(_))).count() >= MAX_WIDE {
            return false;
        }
        let parts = |at: usize| list.items.iter().map(|item| part(item, at)).collect::<Option<Vec<V>>>();
        let values = |at: usize| parts(at).map_or(0, |all| all.iter().filter_map(plain_key).collect::<HashSet<_>>().len());
        let mut narrow = (0..list.wide.len()).filter(|at| list.wide[*at].is_none());
        let found = if grows { narrow.find(|at| parts(*at).is_some_and(|all| rises(&all))) } else { narrow.max_by_key(|at| values(*at)) };
        let Some(at) = found else { return false };
        let wide = match list.items.first().and_then(|item| part(item, at)) {
            Some(V::Int(_)) => V::any_int(Why::Lost),
            Some(V::Float(_)) => V::any_float(Why::Lost),
            Some(V::Str(_)) => V::strs(0, u64::MAX, Why::Lost),
            Some(V::Tuple(_)) => V::tuple_bag(V::Unknown(Why::Lost), 0, u64::MAX),
            _ => return false,
        };
        if !parts(at).is_some_and(|all| all.iter().all(|value| self.is_within(value, &wide))) {
            return false;
        }
        list.wide[at] = Some(wide);
        list.keys.clear();
        list.done = 0;
        for item in std::mem::take(&mut list.items) {
            let Some((key, item)) = self.item_of(list, &item) else { return false };
            if list.keys.insert(key) {
                list.items.push(item);
            }
        }
        list.items.len() <= MANY / 2
    }
}

/// A part of an item that is a tuple.
fn part(item: &V, at: usize) -> Option<V> {
    match item {
        V::Tuple(t) => match &**t {
            Tuple::Exact(parts) => parts.get(at).cloned(),
            Tuple::Bag { .. } => None,
        },
        _ => None,
    }
}

/// Whether values, or their lengths, never fall, and the last is more than the first.
fn rises(values: &[V]) -> bool {
    let size = |v: &V| match v {
        V::Int(n) => Some(*n as f64),
        V::Float(f) => Some(*f),
        V::Str(s) => Some(s.len() as f64),
        V::Tuple(t) => match &**t {
            Tuple::Exact(parts) => Some(parts.len() as f64),
            Tuple::Bag { .. } => None,
        },
        _ => None,
    };
    let Some(sizes) = values.iter().map(size).collect::<Option<Vec<f64>>>() else { return false };
    sizes.is_sorted() && sizes.last() > sizes.first()
}

/// How a program names a container: by a variable, or by an attribute of what a variable holds.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
struct Named {
    variable: Variable,
    attribute: Option<NameId>,
}

/// What a loop does with its container at one place.
enum Use {
    Asks,
    Takes,
    TakesLeast,
    Adds,
    AddsInOrder,
}

/// Puts items in place of those that a container has.
fn set_items(store: &mut Store, container: ObjId, exact: Vec<V>) {
    store.mutate(container, true, |obj| {
        if let Obj::List(items) | Obj::Deque(items, _) = obj {
            *items = Rc::new(Items { exact, rest: None });
        }
    });
}

/// What an item that is known is told apart by, where there is no object in it. Numbers of different types are different items.
fn plain_key(item: &V) -> Option<Key> {
    let typed = |name: &str, value: &V| Some(Key::Tuple([Key::Str(name.into()), Key::of(value)?].into()));
    match item {
        V::Tuple(t) => match &**t {
            Tuple::Exact(parts) => Some(Key::Tuple(parts.iter().map(plain_key).collect::<Option<Vec<_>>>()?.into())),
            Tuple::Bag { .. } => None,
        },
        V::Bool(_) => typed("bool", item),
        V::Float(f) if *f != 0.0 => typed("float", item),
        V::None | V::Int(_) | V::Str(_) | V::Bytes(_) => Key::of(item),
        _ => None,
    }
}

fn holds_no_object(value: &V) -> bool {
    match value {
        V::Tuple(t) => match &**t {
            Tuple::Exact(parts) => parts.iter().all(holds_no_object),
            Tuple::Bag { element, .. } => holds_no_object(element),
        },
        V::OneOf(all) => all.iter().all(holds_no_object),
        V::Unknown(_)
        | V::None
        | V::Bool(_)
        | V::AnyBool(_)
        | V::Int(_)
        | V::Ints(_)
        | V::Float(_)
        | V::Floats(_)
        | V::Str(_)
        | V::Strs(_) => true,
        _ => false,
    }
}

/// Whether an object is a list without other objects in it.
fn is_plain_list(store: &Store, id: ObjId) -> bool {
    matches!(store.get(id), Obj::List(items)
        if items.exact.iter().chain(items.rest.iter().map(|rest| &rest.element)).all(holds_no_object))
}
