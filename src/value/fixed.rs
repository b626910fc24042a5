//! What stays known of instances that others may hold: the attributes that nothing assigns but the making of an instance.

use std::cell::RefCell;
use std::collections::{HashMap, HashSet};
use std::rc::Rc;

use super::object::{ObjId, Sym, V};

/// The attributes of a program's instances that keep their values, and those of the instances that have escaped.
#[derive(Debug, Default)]
pub struct Fixed {
    /// None where a program may change attributes in ways that are not followed.
    names: Option<Names>,
    /// By the place of the instance; none where paths do not agree on it.
    instances: RefCell<HashMap<ObjId, Option<Rc<Instance>>>>,
}

/// Names of attributes.
#[derive(Debug)]
pub struct Names {
    /// Those that keep the value they were given when an instance was made; where one is given, if it is that one.
    pub fixed: HashMap<Sym, Option<V>>,
    /// Those that are assigned anywhere.
    pub assigned: HashSet<Sym>,
}

/// What is known for good of an instance that has escaped.
#[derive(Debug, PartialEq)]
pub struct Instance {
    /// Its class.
    pub class: V,
    /// Its fixed attributes.
    pub attrs: Vec<(Sym, V)>,
}

impl Fixed {
    /// For a program with these names of attributes.
    pub fn new(names: Option<Names>) -> Fixed {
        Fixed { names, instances: RefCell::default() }
    }

    /// Whether no instance, whoever holds it, has an attribute of that name but by its class.
    pub fn is_never_assigned(&self, name: Sym) -> bool {
        self.names.as_ref().is_some_and(|names| !names.assigned.contains(&name))
    }

    /// Keeps what stays known of an instance that escapes.
    pub fn keep(&self, id: ObjId, class: &V, attrs: &[(Sym, V)]) {
        let Some(names) = &self.names else { return };
        let stays = |(name, value): &&(Sym, V)| {
            let only = names.fixed.get(name);
            only.is_some_and(|only| only.as_ref().is_none_or(|only| only == value)) && !value.alternatives().contains(&V::Undef)
        };
        let kept = Instance { class: class.clone(), attrs: attrs.iter().filter(stays).cloned().collect() };
        let mut instances = self.instances.borrow_mut();
        match instances.get(&id) {
            Some(Some(known)) if **known == kept => {}
            Some(_) => {
                instances.insert(id, None);
            }
            None => {
                instances.insert(id, Some(Rc::new(kept)));
            }
        }
    }

    /// Others than the instance that is known may be at this place.
    pub fn forget(&self, id: ObjId) {
        if self.names.is_some() {
            self.instances.borrow_mut().insert(id, None);
        }
    }

    /// What is known of the instance at a place.
    pub fn get(&self, id: ObjId) -> Option<Rc<Instance>> {
        self.instances.borrow().get(&id).cloned().flatten()
    }
}
