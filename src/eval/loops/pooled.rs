//! What a loop has made and put into one container: thousands of paths in a queue.
//!
//! Before a loop is bounded, each of these is an object of its own, and a container that holds any of so many says nothing of what it
//! holds. Those that nothing refers to but one place in one container can be told apart by nobody: one object stands for all of
//! them from here on.

use std::collections::HashMap;
use std::rc::Rc;

use crate::value::object::{Frame, MAX_ALTERNATIVES, Obj, ObjId, Tuple, V};

use super::LoopState;
use crate::eval::machine::Machine;

/// How deep containers of containers are looked into.
const DEPTH: u32 = 3;

/// Where something stands in an item: the item itself, or a place in a tuple.
type Place = Option<usize>;

/// What is pooled with each other, by where it stands and of which kind it is.
type Pools = HashMap<(Place, u8), Vec<ObjId>>;

/// Which kind of container an object is; of those that are not pooled none.
fn kind(obj: &Obj) -> Option<u8> {
    match obj {
        Obj::List(_) => Some(0),
        Obj::Deque(..) => Some(1),
        Obj::Dict(..) => Some(2),
        Obj::Set(..) => Some(3),
        Obj::Instance { class: V::Ref(_), .. } => Some(4),
        _ => None,
    }
}

/// The objects an item of a container refers to, and where.
fn held(item: &V) -> Vec<(Place, ObjId)> {
    match item {
        V::Ref(id) => vec![(None, *id)],
        V::Tuple(t) => match &**t {
            Tuple::Exact(items) => {
                let at = items.iter().enumerate();
                at.filter_map(|(i, v)| if let V::Ref(id) = v { Some((Some(i), *id)) } else { None }).collect()
            }
            Tuple::Bag { .. } => Vec::new(),
        },
        _ => Vec::new(),
    }
}

/// An item with other objects in place of those it refers to.
fn replaced(item: &V, by: &HashMap<ObjId, ObjId>) -> V {
    let one = |v: &V| match v {
        V::Ref(id) => V::Ref(by.get(id).copied().unwrap_or(*id)),
        v => v.clone(),
    };
    match item {
        V::Tuple(t) => match &**t {
            Tuple::Exact(items) => V::tuple(items.iter().map(one).collect()),
            Tuple::Bag { .. } => item.clone(),
        },
        item => one(item),
    }
}

impl Machine<'_> {
    /// Pools what the loop has made and put into one container.
    pub fn pool_what_was_made(&mut self, frame: &Frame, l: &LoopState) {
        // An exception on its way may refer to anything.
        if self.abstract_loops > 0 || self.raised.is_some() || self.store.allocated() < l.made_from + MAX_ALTERNATIVES as u32 {
            return;
        }
        let containers = self.store.long_containers(MAX_ALTERNATIVES);
        if containers.is_empty() {
            return;
        }
        let outside: Vec<V> = frame.locals.iter().chain(&frame.stack).chain(&frame.handling).cloned().collect();
        let cells = frame.cells.iter().chain(&frame.namespace).map(|id| V::Ref(*id));
        let globals = (0..self.names.len() as u32).map(|name| self.store.global(name));
        let counts = self.store.reference_counts(l.made_from, outside.into_iter().chain(cells).chain(globals));
        for container in containers {
            self.pool_items(&[container], l.made_from, &counts, DEPTH);
        }
    }

    /// Pools what these containers hold.
    fn pool_items(&mut self, containers: &[ObjId], made_from: u32, counts: &HashMap<ObjId, u32>, depth: u32) {
        let mut pools = Pools::new();
        for id in containers {
            let (Obj::List(items) | Obj::Deque(items, _)) = self.store.get(*id) else { continue };
            for (place, held) in items.exact.iter().flat_map(held) {
                let alone = held.0 >= made_from && counts.get(&held) == Some(&1) && !self.store.is_summary(held);
                if let Some(kind) = kind(self.store.get(held)).filter(|_| alone) {
                    pools.entry((place, kind)).or_default().push(held);
                }
            }
        }
        pools.retain(|_, pool| pool.len() > MAX_ALTERNATIVES);
        let mut by = HashMap::new();
        for pool in pools.into_values() {
            if depth > 0 {
                self.pool_items(&pool, made_from, counts, depth - 1);
            }
            let one = self.store.alloc_pooled(&pool);
            by.extend(pool.into_iter().map(|id| (id, one)));
        }
        if by.is_empty() {
            return;
        }
        for id in containers {
            self.store.mutate(*id, true, |obj| {
                if let Obj::List(items) | Obj::Deque(items, _) = obj {
                    for item in &mut Rc::make_mut(items).exact {
                        *item = replaced(item, &by);
                    }
                }
            });
        }
    }
}
