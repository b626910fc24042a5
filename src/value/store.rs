//! The mutable half of a state: heap, globals and what is known about the path. Cloning is cheap (pages are shared and
//! copied when written), so a state is simply kept at every fork and joined where paths meet.

use std::cell::{Cell, RefCell};
use std::collections::{BTreeSet, HashMap, HashSet};
use std::rc::Rc;

use crate::syntax::code::CodeId;

use super::fixed::Fixed;
use super::float::Float;
use super::int::Int;
use super::object::{
    Class, DictKind, Digits, Exc, Frame, Function, Generator, Items, Iter, IterKind, MAX_ALTERNATIVES, Obj, ObjId, Rest, Sym, Table, Text,
    Tuple, V, Why,
};
use super::residue::Residue;
use super::why::Decided;

const PAGE: usize = 32;
const CHUNK: usize = 32;

/// Steps of fuel for copying a page.
const COPY_OF_PAGE: u64 = 24;

type Chunk<T> = Rc<Vec<Rc<Vec<T>>>>;

/// A growable array in shared chunks of shared pages.
#[derive(Debug, Clone)]
pub struct Pages<T> {
    chunks: Vec<Chunk<T>>,
    blank: T,
}

impl<T: Clone> Pages<T> {
    /// An empty array; unset elements read as `blank`.
    pub fn new(blank: T) -> Self {
        Pages { chunks: Vec::new(), blank }
    }

    /// The element at `at`.
    pub fn get(&self, at: usize) -> &T {
        let page = self.chunks.get(at / (PAGE * CHUNK)).and_then(|chunk| chunk.get(at / PAGE % CHUNK));
        page.and_then(|page| page.get(at % PAGE)).unwrap_or(&self.blank)
    }

    /// The element at `at`, for writing.
    pub fn get_mut(&mut self, at: usize) -> &mut T {
        while self.chunks.len() <= at / (PAGE * CHUNK) {
            self.chunks.push(Rc::new(Vec::new()));
        }
        let chunk = Rc::make_mut(&mut self.chunks[at / (PAGE * CHUNK)]);
        while chunk.len() <= at / PAGE % CHUNK {
            chunk.push(Rc::new(Vec::new()));
        }
        let page = Rc::make_mut(&mut chunk[at / PAGE % CHUNK]);
        if page.len() <= at % PAGE {
            if page.capacity() == 0 {
                page.reserve_exact(PAGE);
            }
            page.resize(at % PAGE + 1, self.blank.clone());
        }
        &mut page[at % PAGE]
    }

    /// Whether writing at `at` copies the page it is on.
    fn is_shared(&self, at: usize) -> bool {
        self.chunks
            .get(at / (PAGE * CHUNK))
            .is_some_and(|chunk| Rc::strong_count(chunk) > 1 || chunk.get(at / PAGE % CHUNK).is_some_and(|page| Rc::strong_count(page) > 1))
    }

    /// Number of chunks: the work it takes to clone or compare.
    pub fn chunk_count(&self) -> usize {
        self.chunks.len()
    }

    /// Indices below a bound of the elements on pages that are not shared between the two.
    pub fn different(&self, other: &Pages<T>, below: usize) -> Vec<usize> {
        let mut out = Vec::new();
        for c in 0..self.chunks.len().max(other.chunks.len()).min(below.div_ceil(CHUNK * PAGE)) {
            let (a, b) = (self.chunks.get(c), other.chunks.get(c));
            if let (Some(a), Some(b)) = (a, b)
                && Rc::ptr_eq(a, b)
            {
                continue;
            }
            let pages = a.map_or(0, |x| x.len()).max(b.map_or(0, |x| x.len()));
            for p in 0..pages.min((below - c * CHUNK * PAGE).div_ceil(PAGE)) {
                let (x, y) = (a.and_then(|a| a.get(p)), b.and_then(|b| b.get(p)));
                if let (Some(x), Some(y)) = (x, y)
                    && Rc::ptr_eq(x, y)
                {
                    continue;
                }
                let n = x.map_or(0, |x| x.len()).max(y.map_or(0, |y| y.len()));
                out.extend((0..n).map(|i| (c * CHUNK + p) * PAGE + i));
            }
        }
        out
    }
}

/// A place on the heap.
#[derive(Debug, Clone, PartialEq)]
pub struct Slot {
    /// What is there.
    pub obj: Obj,
    /// Whether it stands for several objects of the program, so that writes may only widen it.
    pub summary: bool,
}

/// What is known about the path that led here.
#[derive(Debug, Clone, Copy, PartialEq)]
pub struct Path {
    /// Least seconds the program has run.
    pub cost: f64,
    /// Least bytes the program has written to its output.
    pub output: f64,
    /// Share of the paths: 1 when every path leads here.
    pub mass: f64,
    /// Whether a fork on the way was due to the evaluator's own imprecision.
    pub lost: bool,
    /// What the forks on the way depended on.
    pub decided: Decided,
    /// Whether code that can interrupt at any time (a handler, timer, thread, tracer, unknown callback) has been installed.
    pub interruptible: bool,
    /// How many context managers of unknown code surround this point.
    pub unknown_managers: u32,
    /// How many timeouts of `asyncio` surround this point: they end what is awaited, and nothing else.
    pub timeouts: u32,
    /// Whether a loop on the way could have been left before it came so far: how long it ran is for the world outside to say, and what
    /// adds up over its iterations is not certain.
    pub retries: bool,
    /// At least so many threads and processes have been started that still run.
    pub spawned: u32,
    /// At most how many threads and processes have been made.
    pub made: u32,
    /// Whether a name that nobody defines was used on the way: most probably the program ended there.
    pub doubtful: bool,
    /// Settings of the interpreter.
    pub switches: Switches,
}

/// Settings of the interpreter that decide what numbers cost.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub struct Switches {
    /// Digits beyond which int and str are not converted into each other (`sys.set_int_max_str_digits`); 0: no limit.
    pub str_digits: Option<u64>,
    /// Digits of the results of `decimal` (`getcontext().prec`).
    pub precision: Option<u64>,
}

impl Default for Switches {
    fn default() -> Self {
        Switches { str_digits: Some(4300), precision: Some(28) }
    }
}

impl Switches {
    /// Anybody may have changed them.
    pub const UNKNOWN: Switches = Switches { str_digits: None, precision: None };

    /// What is known of either.
    #[must_use]
    pub fn join(self, other: Switches) -> Switches {
        let same = |a: Option<u64>, b| if a == b { a } else { None };
        Switches { str_digits: same(self.str_digits, other.str_digits), precision: same(self.precision, other.precision) }
    }
}

/// What a code object (with all code inside it) touches outside its own frame.
#[derive(Debug, Clone, Default)]
pub struct Touched {
    /// Globals read.
    pub reads: Vec<u32>,
    /// Globals assigned or deleted.
    pub writes: Vec<u32>,
}

/// A variable that holds an int to which a call adds constants: whatever it holds, nothing else depends on it there.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum Tally {
    /// A global, by name.
    Global(u32),
    /// The variable of an outer function.
    Cell(ObjId),
}

/// What a call that is being watched has used of what was there before it.
#[derive(Debug)]
pub struct Use {
    /// Objects with smaller numbers were there before.
    start: u32,
    /// Which of them it read.
    pub objects: Vec<ObjId>,
    /// Which globals it read.
    pub globals: Vec<u32>,
    /// The smallest number of an object it changed; zero for a global, or for what outside code may reach.
    changed: u32,
    /// Which of them it did nothing with but count.
    pub counted: Vec<Tally>,
    /// Whether the lists above are whole.
    whole: bool,
}

impl Use {
    /// Whether it changed nothing that was there before but what it counts with, read nothing of that, and all it read is known.
    pub fn is_clean(&self) -> bool {
        let is_read = |tally: &Tally| match tally {
            Tally::Global(name) => self.globals.contains(name),
            Tally::Cell(id) => self.objects.contains(id),
        };
        self.whole && self.changed >= self.start && !self.counted.iter().any(is_read)
    }
}

/// The calls being watched, outermost first; shared by all states of a program.
#[derive(Debug, Default)]
struct Watch {
    /// Where the objects of the innermost call begin; zero when nobody watches.
    start: Cell<u32>,
    calls: RefCell<Vec<Use>>,
}

/// A call that used more than this of what was there before is not worth remembering.
const MAX_USED: usize = 24;

/// Adds what is not there yet. Says whether that was not too much.
fn note<T: PartialEq>(used: &mut Vec<T>, new: T) -> bool {
    if !used.contains(&new) {
        used.push(new);
    }
    used.len() <= MAX_USED
}

impl Watch {
    fn reads(&self, id: ObjId) {
        if let Some(call) = self.calls.borrow_mut().last_mut().filter(|call| call.whole) {
            call.whole = note(&mut call.objects, id);
        }
    }

    fn reads_global(&self, name: u32) {
        if let Some(call) = self.calls.borrow_mut().last_mut().filter(|call| call.whole) {
            call.whole = note(&mut call.globals, name);
        }
    }

    fn changes(&self, object: u32) {
        if object < self.start.get()
            && let Some(call) = self.calls.borrow_mut().last_mut()
        {
            call.changed = call.changed.min(object);
        }
    }

    fn counts(&self, tally: Tally) {
        if let Some(call) = self.calls.borrow_mut().last_mut().filter(|call| call.whole)
            && !matches!(tally, Tally::Cell(id) if id.0 >= call.start)
        {
            call.whole = note(&mut call.counted, tally);
        }
    }
}

impl Path {
    /// The share of runs that come here on one of two paths, whether some is lost, and what decides it.
    pub fn certainty_with(&self, other: &Path) -> (f64, bool, Decided) {
        let mass = self.mass + other.mass;
        if mass > 0.999_999_9 {
            (1.0, false, Decided::default())
        } else {
            (mass, self.lost || other.lost, self.decided.meet(other.decided))
        }
    }
}

/// Heap, globals and path.
#[derive(Debug)]
pub struct Store {
    heap: Pages<Slot>,
    globals: Pages<V>,
    next: Rc<Cell<u32>>,
    touched: Rc<Vec<Touched>>,
    /// Globals that outside code may assign at any time.
    wild: Rc<BTreeSet<u32>>,
    /// Functions and classes that outside code may call at any time.
    escaped_code: Rc<BTreeSet<ObjId>>,
    /// The code outside code may have run, on any path; shared by all states.
    opened: Rc<RefCell<BTreeSet<CodeId>>>,
    /// Library attributes the program assigned to, and modules star-imported without a model (`*`).
    patched: Rc<BTreeSet<Sym>>,
    /// Names missing here may come from anywhere.
    pub builtins_open: bool,
    /// The path.
    pub path: Path,
    /// Work done by cloning, joining and escaping, not yet paid for in fuel.
    work: Rc<Cell<u64>>,
    watch: Rc<Watch>,
    /// What stays known of instances that have escaped; shared by all states.
    fixed: Rc<Fixed>,
}

impl Clone for Store {
    fn clone(&self) -> Store {
        self.charge(1 + (self.heap.chunk_count() + self.globals.chunk_count()) as u64 / 16);
        Store {
            heap: self.heap.clone(),
            globals: self.globals.clone(),
            next: self.next.clone(),
            touched: self.touched.clone(),
            wild: self.wild.clone(),
            escaped_code: self.escaped_code.clone(),
            opened: self.opened.clone(),
            patched: self.patched.clone(),
            builtins_open: self.builtins_open,
            path: self.path,
            work: self.work.clone(),
            watch: self.watch.clone(),
            fixed: self.fixed.clone(),
        }
    }
}

/// Values whose identity a join had to give up: what they refer to escapes.
type Escapes = Vec<V>;

impl Store {
    /// An empty store for a program whose code touches what is given, by code number.
    pub fn new(touched: Vec<Touched>, fixed: Fixed) -> Store {
        Store {
            heap: Pages::new(Slot { obj: Obj::Hole, summary: false }),
            globals: Pages::new(V::Undef),
            next: Rc::new(Cell::new(0)),
            touched: Rc::new(touched),
            wild: Rc::default(),
            escaped_code: Rc::default(),
            opened: Rc::default(),
            patched: Rc::default(),
            builtins_open: false,
            path: Path {
                cost: 0.0,
                output: 0.0,
                mass: 1.0,
                lost: false,
                decided: Decided::default(),
                interruptible: false,
                unknown_managers: 0,
                timeouts: 0,
                retries: false,
                spawned: 0,
                made: 0,
                doubtful: false,
                switches: Switches::default(),
            },
            work: Rc::default(),
            watch: Rc::default(),
            fixed: Rc::new(fixed),
        }
    }

    /// A place for writing. The first write after a state was kept copies the page it is on.
    fn heap_mut(&mut self, at: usize) -> &mut Slot {
        self.watch.changes(at as u32);
        if self.heap.is_shared(at) {
            self.charge(COPY_OF_PAGE);
        }
        self.heap.get_mut(at)
    }

    /// Begins to watch what a call uses.
    pub fn watch_call(&self) {
        let start = self.next.get();
        let used = Use { start, objects: Vec::new(), globals: Vec::new(), changed: u32::MAX, counted: Vec::new(), whole: true };
        self.watch.calls.borrow_mut().push(used);
        self.watch.start.set(start);
    }

    /// Whether a call is being watched.
    pub fn is_watched(&self) -> bool {
        self.watch.start.get() > 0
    }

    /// Whether the object was made since the innermost call that is being watched began. False where none is.
    pub fn is_new(&self, id: ObjId) -> bool {
        let start = self.watch.start.get();
        start > 0 && id.0 >= start
    }

    /// Ends watching the innermost call, and says what it used. What was there before the call around it counts for that too.
    pub fn end_watch(&self) -> Option<Use> {
        let mut calls = self.watch.calls.borrow_mut();
        let used = calls.pop()?;
        self.watch.start.set(calls.last().map_or(0, |outer| outer.start));
        if let Some(outer) = calls.last_mut() {
            Self::uses(outer, &used);
        }
        Some(used)
    }

    /// What the calls being watched have changed so far.
    pub fn changes_so_far(&self) -> Vec<u32> {
        self.watch.calls.borrow().iter().map(|call| call.changed).collect()
    }

    /// What was changed since then is as it was before.
    pub fn undo_changes(&self, before: &[u32]) {
        for (call, changed) in self.watch.calls.borrow_mut().iter_mut().zip(before) {
            call.changed = *changed;
        }
    }

    /// What a variable holds that counts, if that is an int. It does not matter to the call that is being watched which.
    pub fn tally(&self, tally: Tally) -> Option<&V> {
        let value = match tally {
            Tally::Global(name) if self.wild.contains(&name) => return None,
            Tally::Global(name) => self.globals.get(name as usize),
            Tally::Cell(id) => match &self.heap.get(id.0 as usize) {
                Slot { obj: Obj::Cell(value), summary: false } => value,
                _ => return None,
            },
        };
        matches!(value, V::Int(_) | V::Ints(_)).then_some(value)
    }

    /// A variable that counts holds another int from here on.
    pub fn count(&mut self, tally: Tally, value: V) {
        self.watch.counts(tally);
        match tally {
            Tally::Global(name) => *self.globals.get_mut(name as usize) = value,
            Tally::Cell(id) => {
                // The pages are written to directly: this is no change to the call that is being watched.
                self.heap.get_mut(id.0 as usize).obj = Obj::Cell(value);
            }
        }
    }

    /// The innermost call being watched uses what a call that is not evaluated again used.
    pub fn uses_again(&self, objects: &[ObjId], globals: &[u32]) {
        for &id in objects {
            self.get(id);
        }
        if self.watch.start.get() > 0 {
            for &name in globals {
                self.watch.reads_global(name);
            }
        }
    }

    fn uses(outer: &mut Use, inner: &Use) {
        outer.changed = outer.changed.min(inner.changed);
        outer.whole &= inner.whole;
        for id in inner.objects.iter().filter(|id| id.0 < outer.start) {
            outer.whole &= note(&mut outer.objects, *id);
        }
        for name in &inner.globals {
            outer.whole &= note(&mut outer.globals, *name);
        }
        for tally in inner.counted.iter().filter(|tally| !matches!(tally, Tally::Cell(id) if id.0 >= outer.start)) {
            outer.whole &= note(&mut outer.counted, *tally);
        }
    }

    /// Adds to the work that is to be paid for.
    pub fn charge(&self, steps: u64) {
        self.work.set(self.work.get() + steps);
    }

    /// Work that has not been paid for yet.
    pub fn work_due(&self) -> u64 {
        self.work.get()
    }

    /// Work done since the last time, in steps of fuel.
    pub fn take_work(&self) -> u64 {
        self.work.replace(0)
    }

    /// Puts a new object on the heap.
    pub fn alloc(&mut self, obj: Obj) -> ObjId {
        let id = ObjId(self.next.get());
        self.next.set(id.0 + 1);
        self.charge(32 * weight(&obj));
        *self.heap_mut(id.0 as usize) = Slot { obj, summary: false };
        id
    }

    /// Puts an object at a place that may already stand for another one, of which this is then one more.
    pub fn alloc_at(&mut self, id: ObjId, obj: Obj) {
        if matches!(self.get(id), Obj::Hole) {
            *self.heap_mut(id.0 as usize) = Slot { obj, summary: false };
        } else {
            let old = self.heap.get(id.0 as usize).obj.clone();
            let mut escapes = Vec::new();
            let joined = join_obj(&old, &obj, false, &mut escapes);
            *self.heap_mut(id.0 as usize) = Slot { obj: joined, summary: true };
            self.escape_all(&escapes);
        }
    }

    /// Puts an object at a place whose former object nothing refers to any more.
    pub fn replace(&mut self, id: ObjId, obj: Obj) {
        *self.heap_mut(id.0 as usize) = Slot { obj, summary: false };
    }

    /// How many objects have been allocated, on all paths.
    pub fn allocated(&self) -> u32 {
        self.next.get()
    }

    /// The object.
    pub fn get(&self, id: ObjId) -> &Obj {
        if id.0 < self.watch.start.get() {
            self.watch.reads(id);
        }
        &self.heap.get(id.0 as usize).obj
    }

    /// What stays known of instances whoever holds them.
    pub fn fixed(&self) -> &Fixed {
        &self.fixed
    }

    /// Whether the object stands for several.
    pub fn is_summary(&self, id: ObjId) -> bool {
        self.heap.get(id.0 as usize).summary
    }

    /// The object for writing, when a write may replace what is there (not a summary).
    pub fn get_mut(&mut self, id: ObjId) -> Option<&mut Obj> {
        let slot = self.heap_mut(id.0 as usize);
        (!slot.summary).then_some(&mut slot.obj)
    }

    /// Changes an object: in place, or as one more possibility when it is a summary or the write is only possible.
    pub fn mutate<R>(&mut self, id: ObjId, certain: bool, change: impl FnOnce(&mut Obj) -> R) -> R {
        let slot = self.heap_mut(id.0 as usize);
        if certain && !slot.summary {
            return change(&mut slot.obj);
        }
        let mut copy = slot.obj.clone();
        let result = change(&mut copy);
        let mut escapes = Vec::new();
        let known = !matches!(slot.obj, Obj::Escaped(_));
        slot.obj = join_obj(&slot.obj, &copy, false, &mut escapes);
        if known && matches!(slot.obj, Obj::Escaped(_)) {
            self.fixed.forget(id);
        }
        self.escape_all(&escapes);
        result
    }

    /// The value of a global.
    pub fn global(&self, name: u32) -> V {
        if self.watch.start.get() > 0 {
            self.watch.reads_global(name);
        }
        if !self.wild.is_empty() && self.wild.contains(&name) { V::Unknown(Why::Lost) } else { self.globals.get(name as usize).clone() }
    }

    /// Assigns a global.
    pub fn set_global(&mut self, name: u32, value: V) {
        self.watch.changes(0);
        if !self.wild.is_empty() && self.wild.contains(&name) {
            self.escape(&value);
        } else {
            *self.globals.get_mut(name as usize) = value;
        }
    }

    /// Whether outside code may assign the global at any time.
    pub fn is_wild(&self, name: u32) -> bool {
        self.wild.contains(&name)
    }

    /// Outside code may assign the global at any time.
    pub fn make_wild(&mut self, name: u32) {
        self.watch.changes(0);
        Rc::make_mut(&mut self.wild).insert(name);
    }

    /// Marks a library attribute as assigned to by the program.
    pub fn patch(&mut self, name: Sym) {
        self.watch.changes(0);
        Rc::make_mut(&mut self.patched).insert(name);
    }

    /// Whether the program assigned to this library attribute.
    pub fn is_patched(&self, name: Sym) -> bool {
        !self.patched.is_empty() && self.patched.contains(&name)
    }

    /// Outside code may now hold the value: whatever it leads to is unknown from here on.
    pub fn escape(&mut self, value: &V) {
        self.escape_all(std::slice::from_ref(value));
    }

    /// As [`Store::escape`], for several.
    pub fn escape_all(&mut self, values: &[V]) {
        let mut work: Vec<V> = values.to_vec();
        // Objects that stay what they are when they escape may lead to themselves, and tuples to one another in many ways.
        let mut objects = HashSet::new();
        let mut tuples = HashSet::new();
        while let Some(value) = work.pop() {
            self.charge(1);
            match value {
                V::Ref(id) if !self.stays(id) || objects.insert(id) => self.escape_object(id, &mut work),
                V::Tuple(t) if Rc::strong_count(&t) > 2 && !tuples.insert(Rc::as_ptr(&t)) => {}
                V::Tuple(t) => match &*t {
                    Tuple::Exact(items) => work.extend(items.iter().cloned()),
                    Tuple::Bag { element, .. } => work.push(element.clone()),
                },
                V::OneOf(all) => work.extend(all.iter().cloned()),
                V::Slice(parts) => work.extend(parts.iter().cloned()),
                V::Exc(e) => work.extend(e.args.iter().flatten().cloned()),
                V::Token(t) => work.extend(t.1.iter().cloned()),
                _ => {}
            }
        }
    }

    /// A slice with these parts.
    pub fn slice(&mut self, parts: [V; 3]) -> V {
        if parts.iter().any(V::is_deep) {
            self.escape_all(&parts);
            return V::Instance(Sym::new("slice"), Why::Lost);
        }
        V::Slice(Rc::new(parts))
    }

    /// Whether no code but the program's assigns attributes of the instances of a class.
    fn is_all_of_program(&self, class: &V) -> bool {
        let V::Ref(id) = class else { return false };
        let Obj::Class(class) = &self.heap.get(id.0 as usize).obj else { return false };
        let known = |base: &V| match base {
            V::Ref(_) => true,
            V::Lib(name) => matches!(&*name.text(), "object" | "abc.ABC" | "threading.Thread"),
            _ => false,
        };
        class.bases.iter().chain(&class.mro).all(known)
    }

    /// Whether an object is the same after it escaped.
    fn stays(&self, id: ObjId) -> bool {
        matches!(
            self.heap.get(id.0 as usize).obj,
            Obj::Bound { .. }
                | Obj::Super { .. }
                | Obj::Partial { .. }
                | Obj::Property { .. }
                | Obj::StaticMethod(_)
                | Obj::ClassMethod(_)
                | Obj::View { .. }
        )
    }

    fn escape_object(&mut self, id: ObjId, work: &mut Vec<V>) {
        let obj = &self.heap.get(id.0 as usize).obj;
        if matches!(obj, Obj::Hole | Obj::Escaped(_)) || matches!(obj, Obj::Instance { class: V::Lib(name), .. } if is_immutable(*name)) {
            return;
        }
        self.charge(weight(obj));
        let obj = obj.clone();
        let named = |name: &str| Obj::Escaped(Sym::new(name));
        let gone = match obj {
            Obj::Hole | Obj::Escaped(_) => return,
            Obj::Function(f) => {
                if self.escaped_code.contains(&id) {
                    return;
                }
                self.watch.changes(0);
                Rc::make_mut(&mut self.escaped_code).insert(id);
                work.extend(f.defaults.iter().cloned());
                work.extend(f.keyword_defaults.iter().map(|(_, v)| v.clone()));
                work.extend(f.closure.iter().map(|cell| V::Ref(*cell)));
                work.extend(f.attrs.iter().map(|(_, v)| v.clone()));
                self.escape_code(f.code, work);
                return;
            }
            Obj::Class(c) => {
                if self.escaped_code.contains(&id) {
                    return;
                }
                self.watch.changes(0);
                Rc::make_mut(&mut self.escaped_code).insert(id);
                work.extend(c.attrs.iter().map(|(_, v)| v.clone()));
                work.extend(c.bases.iter().cloned());
                Obj::Class(Rc::new(Class { open: true, ..(*c).clone() }))
            }
            Obj::List(items) | Obj::Deque(items, _) => {
                push_items(&items, work);
                named(if matches!(self.get(id), Obj::List(_)) { "list" } else { "collections.deque" })
            }
            Obj::Dict(table, kind) => {
                push_table(&table, work);
                if let DictKind::Default(factory) = &kind {
                    work.push(factory.clone());
                }
                named("dict")
            }
            Obj::Set(table, frozen) => {
                push_table(&table, work);
                named(if frozen { "frozenset" } else { "set" })
            }
            Obj::ByteArray(_) => named("bytearray"),
            Obj::Instance { class, attrs } => {
                if self.is_all_of_program(&class) && !self.is_summary(id) {
                    self.fixed.keep(id, &class, &attrs);
                }
                work.extend(attrs.iter().map(|(_, v)| v.clone()));
                work.push(class.clone());
                match class {
                    // See what is marked of a queue in `library/modules/threading.rs`.
                    V::Lib(name) if matches!(&*name.text(), "queue.Queue" | "asyncio.Queue" | "multiprocessing.JoinableQueue") => {
                        let put = attrs.iter().any(|(name, value)| &*name.text() == "-open" && value.exact_int().is_some_and(|n| n > 0));
                        named(&if put { format!("{}+put", name.text()) } else { name.text().to_string() })
                    }
                    V::Lib(name) if &*name.text() == "threading.Barrier" => {
                        let parties = attrs.iter().find(|(name, _)| &*name.text() == "-parties").and_then(|(_, value)| value.exact_int());
                        named(&parties.map_or(name.text().to_string(), |parties| format!("{}+{parties}", name.text())))
                    }
                    V::Lib(name) => Obj::Escaped(name),
                    _ => named("object"),
                }
            }
            Obj::Bound { function, this } | Obj::Super { class: function, this } => {
                work.push(function);
                work.push(this);
                return;
            }
            Obj::Partial { function, args, keywords } => {
                work.push(function);
                work.extend(args.iter().cloned());
                work.extend(keywords.iter().map(|(_, v)| v.clone()));
                return;
            }
            Obj::Cell(v) => {
                work.push(v);
                named("cell")
            }
            Obj::Iter(iter) => {
                work.extend(iter.parts);
                named("iterator")
            }
            Obj::Generator(g) => {
                if let Some(frame) = g.frame {
                    work.extend(frame.locals);
                    work.extend(frame.stack);
                    work.extend(frame.cells.iter().map(|c| V::Ref(*c)));
                    self.escape_code(frame.code, work);
                }
                named("generator")
            }
            Obj::Property { get, set } => {
                work.push(get);
                work.push(set);
                return;
            }
            Obj::StaticMethod(v) | Obj::ClassMethod(v) | Obj::View { of: v, .. } => {
                work.push(v);
                return;
            }
        };
        self.heap_mut(id.0 as usize).obj = gone;
    }

    /// The code outside code may have run so far, with values nobody knows.
    pub fn opened(&self) -> BTreeSet<CodeId> {
        self.opened.borrow().clone()
    }

    /// The code may run at any time from here on: what it touches is unknown.
    pub fn escape_code_of(&mut self, code: CodeId) {
        let mut work = Vec::new();
        self.escape_code(code, &mut work);
        self.escape_all(&work);
    }

    /// Outside code may run this code at any time.
    fn escape_code(&mut self, code: CodeId, work: &mut Vec<V>) {
        self.watch.changes(0);
        self.opened.borrow_mut().insert(code);
        let touched = self.touched.clone();
        let Some(touched) = touched.get(code.0 as usize) else { return };
        for &name in &touched.writes {
            work.push(self.globals.get(name as usize).clone());
            if !self.wild.contains(&name) {
                Rc::make_mut(&mut self.wild).insert(name);
            }
        }
        for &name in &touched.reads {
            work.push(self.globals.get(name as usize).clone());
        }
    }

    /// Joins another path's store into this one. Says whether anything changed.
    pub fn join(&mut self, other: &Store, widen: bool) -> bool {
        let mut escapes = Vec::new();
        let mut changed = false;
        let (different, globals) = (self.heap.different(&other.heap, usize::MAX), self.globals.different(&other.globals, usize::MAX));
        self.charge((different.len() + globals.len()) as u64 / 2 + self.heap.chunk_count() as u64 / 16);
        for at in different {
            let (a, b) = (self.heap.get(at), other.heap.get(at));
            if shared(&a.obj, &b.obj) && a.summary == b.summary {
                continue;
            }
            self.charge(weight(&a.obj) + weight(&b.obj));
            if a == b {
                continue;
            }
            // Joining takes several times what comparing takes, which has been paid for.
            self.charge(4 + 2 * (weight(&a.obj) + weight(&b.obj)));
            let obj = join_obj(&a.obj, &b.obj, widen, &mut escapes);
            if matches!(obj, Obj::Escaped(_)) && !matches!((&a.obj, &b.obj), (Obj::Escaped(_), Obj::Escaped(_))) {
                self.fixed.forget(ObjId(at as u32));
            }
            let slot = Slot { obj, summary: a.summary || b.summary };
            if slot != *a {
                changed = true;
                *self.heap_mut(at) = slot;
            }
        }
        for at in globals {
            let (a, b) = (self.globals.get(at), other.globals.get(at));
            self.charge(size(a) as u64 / 8);
            if a == b {
                continue;
            }
            let joined = join(a, b, widen, &mut escapes);
            if joined != *a {
                changed = true;
                *self.globals.get_mut(at) = joined;
            }
        }
        let mut work = unite(&mut self.wild, &other.wild, &mut changed);
        work += unite(&mut self.escaped_code, &other.escaped_code, &mut changed);
        work += unite(&mut self.patched, &other.patched, &mut changed);
        self.charge(work as u64 / 4);
        changed |= other.builtins_open && !self.builtins_open;
        self.builtins_open |= other.builtins_open;
        let (a, b) = (self.path, other.path);
        let (mass, lost, decided) = a.certainty_with(&b);
        self.path = Path {
            cost: a.cost.min(b.cost),
            output: a.output.min(b.output),
            mass,
            lost,
            decided,
            interruptible: a.interruptible || b.interruptible,
            unknown_managers: a.unknown_managers.max(b.unknown_managers),
            timeouts: a.timeouts.max(b.timeouts),
            retries: a.retries || b.retries,
            spawned: a.spawned.min(b.spawned),
            made: a.made.max(b.made),
            doubtful: a.doubtful || b.doubtful,
            switches: a.switches.join(b.switches),
        };
        if !escapes.is_empty() {
            let before = self.heap.clone();
            self.escape_all(&escapes);
            changed |= !self.heap.different(&before, usize::MAX).is_empty();
        }
        changed
    }

    /// Joins two values; what loses its identity escapes.
    pub fn join_values(&mut self, a: &V, b: &V, widen: bool) -> V {
        let mut escapes = Vec::new();
        let joined = join(a, b, widen, &mut escapes);
        self.escape_all(&escapes);
        joined
    }

    /// Places and globals that may differ between the two stores: heap indices below `known`, and global names.
    pub fn changes(&self, other: &Store, known: u32) -> (Vec<ObjId>, Vec<u32>) {
        self.charge(u64::from(known) / (PAGE * CHUNK) as u64);
        let heap = self.heap.different(&other.heap, known as usize).into_iter().filter(|&at| {
            let (a, b) = (self.heap.get(at), other.heap.get(at));
            (at as u32) < known && !shared(&a.obj, &b.obj) && {
                self.charge(weight(&a.obj));
                a != b
            }
        });
        let globals =
            self.globals.different(&other.globals, usize::MAX).into_iter().filter(|&at| self.globals.get(at) != other.globals.get(at));
        (heap.map(|at| ObjId(at as u32)).collect(), globals.map(|at| at as u32).collect())
    }

    /// Whether an object holds the same as a copy of it that was made before.
    pub fn is_copy(&self, object: ObjId, copy: ObjId) -> bool {
        let (object, copy) = (self.get(object), self.get(copy));
        shared(object, copy) || {
            self.charge(weight(object));
            object == copy && !matches!(object, Obj::Escaped(_))
        }
    }

    /// Whether an iterator stands somewhere in an object, or stood when it was dropped.
    pub fn is_iterated(&self, id: ObjId) -> bool {
        self.charge(u64::from(self.next.get()) / 4);
        (0..self.next.get() as usize).any(|at| match &self.heap.get(at).obj {
            Obj::Iter(i) => i.parts.iter().any(|part| refers_to(part, id)),
            _ => false,
        })
    }

    /// The lists and deques of which more items are known one by one than there are alternatives.
    pub fn long_containers(&self, alternatives: usize) -> Vec<ObjId> {
        self.charge(u64::from(self.next.get()) / 8);
        let long = |id: &ObjId| match &self.heap.get(id.0 as usize) {
            Slot { obj: Obj::List(items) | Obj::Deque(items, _), summary: false } => {
                items.exact.len() > alternatives && items.exact.iter().any(refers)
            }
            _ => false,
        };
        (0..self.next.get()).map(ObjId).filter(long).collect()
    }

    /// How many places refer to each of the objects from a number on: on the heap, and among other values.
    pub fn reference_counts(&self, from: u32, others: impl Iterator<Item = V>) -> HashMap<ObjId, u32> {
        let mut counts = HashMap::new();
        let mut work: Vec<V> = others.collect();
        for at in 0..self.next.get() as usize {
            push_children(&self.heap.get(at).obj, &mut work);
        }
        while let Some(value) = work.pop() {
            self.charge(1);
            match value {
                V::Ref(id) if id.0 >= from => *counts.entry(id).or_insert(0) += 1,
                value => push_parts(&value, &mut work),
            }
        }
        counts
    }

    /// Puts an object on the heap that stands for all of these.
    pub fn alloc_pooled(&mut self, all: &[ObjId]) -> ObjId {
        let mut escapes = Vec::new();
        let mut pooled = Obj::Hole;
        for id in all {
            let obj = &self.heap.get(id.0 as usize).obj;
            self.charge(8 + weight(obj));
            pooled = join_obj(&pooled, obj, false, &mut escapes);
        }
        let id = self.alloc(pooled);
        self.heap_mut(id.0 as usize).summary = true;
        self.escape_all(&escapes);
        id
    }

    /// Whether values lead to one of some objects, other than through what is passed over.
    pub fn reaches(&self, roots: Vec<V>, wanted: &[ObjId], passed_over: &[ObjId]) -> bool {
        let mut seen: HashSet<ObjId> = passed_over.iter().copied().collect();
        let mut work = roots;
        while let Some(value) = work.pop() {
            self.charge(1);
            match value {
                V::Ref(id) if wanted.contains(&id) => return true,
                V::Ref(id) if seen.insert(id) => push_children(&self.heap.get(id.0 as usize).obj, &mut work),
                value => push_parts(&value, &mut work),
            }
        }
        false
    }

    /// How many places of the heap refer to an object (2 when more than one).
    pub fn references(&self, id: ObjId) -> usize {
        let mut count = 0;
        let mut children = Vec::new();
        self.charge(u64::from(self.next.get()) / 4);
        for at in 0..self.next.get() as usize {
            count += references_in(&self.heap.get(at).obj, id, &mut children);
            if count > 1 {
                break;
            }
        }
        count
    }

    /// Whether any global may be assigned by outside code, or builtins are open, beyond what `other` has.
    pub fn same_openness(&self, other: &Store) -> bool {
        self.wild == other.wild
            && self.escaped_code == other.escaped_code
            && self.patched == other.patched
            && self.builtins_open == other.builtins_open
    }
}

/// Adds what another set has. Sets that came from one are mostly still the same one, which is seen at once; the work done
/// otherwise is returned.
fn unite<T: Ord + Clone>(mine: &mut Rc<BTreeSet<T>>, theirs: &Rc<BTreeSet<T>>, changed: &mut bool) -> usize {
    if Rc::ptr_eq(mine, theirs) || theirs.is_empty() {
        return 0;
    }
    if theirs.is_subset(mine) {
        return theirs.len();
    }
    *changed = true;
    if mine.is_subset(theirs) {
        *mine = theirs.clone();
    } else {
        Rc::make_mut(mine).extend(theirs.iter().cloned());
    }
    theirs.len() + mine.len()
}

/// Whether two places share their contents, so that nothing needs to be compared.
fn shared(a: &Obj, b: &Obj) -> bool {
    match (a, b) {
        (Obj::List(x), Obj::List(y)) => Rc::ptr_eq(x, y),
        (Obj::Deque(x, m), Obj::Deque(y, n)) => m == n && Rc::ptr_eq(x, y),
        (Obj::Dict(x, k), Obj::Dict(y, l)) => Rc::ptr_eq(x, y) && k == l,
        (Obj::Set(x, f), Obj::Set(y, g)) => f == g && Rc::ptr_eq(x, y),
        (Obj::Instance { class, attrs }, Obj::Instance { class: other, attrs: others }) => Rc::ptr_eq(attrs, others) && class == other,
        (Obj::Class(x), Obj::Class(y)) => Rc::ptr_eq(x, y),
        (Obj::Function(x), Obj::Function(y)) => Rc::ptr_eq(x, y),
        _ => false,
    }
}

/// Steps it takes to compare or join an object.
fn weight(obj: &Obj) -> u64 {
    let n = match obj {
        Obj::List(items) | Obj::Deque(items, _) => items.exact.len(),
        Obj::Dict(table, _) | Obj::Set(table, _) => 4 * table.exact.len(),
        Obj::Instance { attrs, .. } => 2 * attrs.len(),
        Obj::Class(class) => 4 * class.attrs.len(),
        Obj::Iter(iter) => 8 + 2 * iter.parts.iter().map(size).sum::<usize>(),
        Obj::Generator(Generator { frame: Some(frame), .. }) => 16 + 2 * frame.locals.iter().chain(&frame.stack).map(size).sum::<usize>(),
        Obj::Partial { args, .. } => args.len(),
        Obj::Bound { this, .. } | Obj::Cell(this) => size(this),
        _ => 1,
    };
    n as u64 / 8
}

/// How much there is to compare in a value itself.
fn size(value: &V) -> usize {
    match value {
        V::Tuple(t) => match &**t {
            Tuple::Exact(items) => 1 + items.len(),
            Tuple::Bag { .. } => 2,
        },
        V::OneOf(all) => 1 + all.len(),
        _ => 1,
    }
}

/// Whether nobody can change instances of a library class: numbers, patterns, and plain objects.
pub fn is_immutable(class: Sym) -> bool {
    let name = class.text();
    matches!(&*name, "object" | "re.Pattern") || ["datetime.", "decimal.", "fractions."].iter().any(|module| name.starts_with(module))
}

fn push_items(items: &Items, work: &mut Vec<V>) {
    work.extend(items.exact.iter().cloned());
    work.extend(items.rest.iter().map(|r| r.element.clone()));
}

fn push_table(table: &Table, work: &mut Vec<V>) {
    for (key, value) in table.exact.values() {
        work.push(key.clone());
        work.push(value.clone());
    }
    if let Some(rest) = &table.rest {
        work.push(rest.element.clone());
        work.push(rest.value.clone());
    }
}

/// Whether a value leads to the heap.
fn refers(value: &V) -> bool {
    match value {
        V::Ref(_) => true,
        V::Tuple(t) => match &**t {
            Tuple::Exact(items) => items.iter().any(refers),
            Tuple::Bag { element, .. } => refers(element),
        },
        V::OneOf(all) => all.iter().any(refers),
        V::Slice(parts) => parts.iter().any(refers),
        V::Exc(e) => e.args.iter().flatten().any(refers),
        _ => false,
    }
}

/// Whether a value, looked at without the heap, holds a reference to the object.
pub fn refers_to(value: &V, id: ObjId) -> bool {
    match value {
        V::Ref(x) => *x == id,
        V::Tuple(t) => match &**t {
            Tuple::Exact(items) => items.iter().any(|v| refers_to(v, id)),
            Tuple::Bag { element, .. } => refers_to(element, id),
        },
        V::OneOf(all) => all.iter().any(|v| refers_to(v, id)),
        V::Slice(parts) => parts.iter().any(|v| refers_to(v, id)),
        V::Exc(e) => e.args.iter().flatten().any(|v| refers_to(v, id)),
        _ => false,
    }
}

/// Whether an object holds a reference to another.
pub fn holds(obj: &Obj, id: ObjId) -> bool {
    references_in(obj, id, &mut Vec::new()) > 0
}

/// How often an object refers to another. What it refers to at all is put into `children`.
fn references_in(obj: &Obj, id: ObjId, children: &mut Vec<V>) -> usize {
    children.clear();
    push_children(obj, children);
    children.iter().filter(|value| refers_to(value, id)).count()
}

/// Joins two values.
pub fn join(a: &V, b: &V, widen: bool, escapes: &mut Escapes) -> V {
    if a == b {
        return a.clone();
    }
    if let (V::OneOf(_), _) | (_, V::OneOf(_)) = (a, b) {
        return join_alternatives(a, b, widen, escapes);
    }
    join_single(a, b, widen, escapes).unwrap_or_else(|| join_alternatives(a, b, widen, escapes))
}

/// Joins two values of one kind into one value, if they are of one kind.
fn join_single(a: &V, b: &V, widen: bool, escapes: &mut Escapes) -> Option<V> {
    // What differs hangs together with what led to either.
    let same = |x: Why, y: Why| if x == y { x } else { Why::Lost };
    let why = || a.why().zip(b.why()).map_or(Why::Lost, |(x, y)| same(x, y));
    let text = |x: Text, y: Text| Text {
        low: if widen && y.low < x.low { 0 } else { x.low.min(y.low) },
        high: if widen && y.high > x.high { u64::MAX } else { x.high.max(y.high) },
        why: if widen { Why::Lost } else { why() },
        digits: x.digits.min(y.digits),
        made: if x.made == y.made { x.made } else { None },
    };
    Some(match (a, b) {
        (V::Unknown(x), V::Unknown(y)) => V::Unknown(same(*x, *y)),
        (V::Undef, _) | (_, V::Undef) | (V::Null, _) | (_, V::Null) => return None,
        (V::Unknown(_), other) | (other, V::Unknown(_)) => {
            if refers(other) {
                escapes.push(other.clone());
            }
            V::Unknown(Why::Lost)
        }
        (V::Bool(_) | V::AnyBool(_), V::Bool(_) | V::AnyBool(_)) => V::AnyBool(why()),
        (V::Int(_) | V::Ints(_), V::Int(_) | V::Ints(_)) => {
            let (x, y) = (a.as_int()?, b.as_int()?);
            let joined = if widen { x.widen(&y) } else { x.join(&y) };
            match (a, b) {
                // What is already in there changes nothing, so that a fixpoint is seen.
                (V::Ints(r), _) if r.0 == joined && r.1 == Why::Lost => V::Ints(r.clone()),
                (V::Ints(r), V::Ints(s)) if !widen && (x == y || adjacent(&x, &y)) => V::int(joined, r.1.rejoined(s.1)),
                _ => V::int(joined, Why::Lost),
            }
        }
        (V::Float(_) | V::Floats(_), V::Float(_) | V::Floats(_)) => {
            let f = |v: &V| match v {
                V::Float(f) => Float::exact(*f),
                V::Floats(r) => r.0,
                _ => Float::ANY,
            };
            let joined = if widen { f(a).widen(&f(b)) } else { f(a).join(&f(b)) };
            match (a, b) {
                (V::Floats(r), _) if r.0 == joined && r.1 == Why::Lost => V::Floats(r.clone()),
                (V::Floats(r), V::Floats(s)) if !widen && (r.0 == s.0 || beside(&r.0, &s.0)) => V::float(joined, r.1.rejoined(s.1)),
                _ => V::float(joined, Why::Lost),
            }
        }
        (V::Complex(x), V::Complex(y)) => V::Complex(same(*x, *y)),
        (V::Str(_), V::Str(_)) | (V::Bytes(_), V::Bytes(_)) => return None,
        (V::Str(_) | V::Strs(_), V::Str(_) | V::Strs(_)) => V::Strs(text(text_of(a)?, text_of(b)?)),
        (V::Bytes(_) | V::ManyBytes(_), V::Bytes(_) | V::ManyBytes(_)) => V::ManyBytes(text(text_of(a)?, text_of(b)?)),
        (V::Tuple(x), V::Tuple(y)) => join_tuples(x, y, widen, escapes),
        (V::Range(x), V::Range(y)) => V::Range(Rc::new(std::array::from_fn(|i| join(&x[i], &y[i], widen, escapes)))),
        (V::Slice(x), V::Slice(y)) => V::Slice(Rc::new(std::array::from_fn(|i| join(&x[i], &y[i], widen, escapes)))),
        (V::Instance(x, p), V::Instance(y, q)) if x == y => V::Instance(*x, same(*p, *q)),
        (V::Exc(x), V::Exc(y)) if x.class == y.class => {
            for e in [x, y] {
                escapes.extend(e.args.iter().flatten().filter(|v| refers(v)).cloned());
            }
            V::Exc(Rc::new(Exc { class: x.class, args: None }))
        }
        _ => return None,
    })
}

/// Whether one begins where the other ends.
fn adjacent(a: &Int, b: &Int) -> bool {
    let meets = |a: &Int, b: &Int| a.upper().zip(b.lower()).is_some_and(|(end, start)| end.checked_add(1) == Some(start));
    let whole = |n: &Int| n.residue == Residue::ANY;
    whole(a) && whole(b) && (meets(a, b) || meets(b, a))
}

/// The same of floats.
fn beside(a: &Float, b: &Float) -> bool {
    let meets = |a: &Float, b: &Float| a.high.next_up() >= b.low && a.high <= b.low;
    !a.nan && !b.nan && (meets(a, b) || meets(b, a))
}

/// The length interval of a string or of bytes.
pub fn text_of(value: &V) -> Option<Text> {
    Some(match value {
        V::Str(s) => {
            let n = s.chars().count() as u64;
            Text { digits: Digits::of(s), ..Text::between(n, n, Why::OUTSIDE) }
        }
        V::Bytes(b) => Text::between(b.len() as u64, b.len() as u64, Why::OUTSIDE),
        V::Strs(t) | V::ManyBytes(t) => *t,
        _ => return None,
    })
}

fn join_tuples(x: &Tuple, y: &Tuple, widen: bool, escapes: &mut Escapes) -> V {
    if let (Tuple::Exact(p), Tuple::Exact(q)) = (x, y)
        && p.len() == q.len()
    {
        return V::tuple(p.iter().zip(q).map(|(a, b)| join(a, b, widen, escapes)).collect());
    }
    let (e1, l1, h1) = tuple_bounds(x, escapes);
    let (e2, l2, h2) = tuple_bounds(y, escapes);
    let element = match (e1, e2) {
        (Some(a), Some(b)) => join(&a, &b, widen, escapes),
        (Some(a), None) | (None, Some(a)) => a.lost(),
        (None, None) => V::Undef,
    };
    let (low, high) = bounds(l1, h1, l2, h2, widen);
    V::tuple_bag(element, low, high)
}

fn bounds(l1: u64, h1: u64, l2: u64, h2: u64, widen: bool) -> (u64, u64) {
    (if widen && l2 < l1 { l2.min(1) } else { l1.min(l2) }, if widen && h2 > h1 { u64::MAX } else { h1.max(h2) })
}

/// What any element may be (none when empty), least and greatest length.
fn tuple_bounds(t: &Tuple, escapes: &mut Escapes) -> (Option<V>, u64, u64) {
    match t {
        Tuple::Exact(items) => (join_many(items, escapes), items.len() as u64, items.len() as u64),
        Tuple::Bag { element, low, high } => (Some(element.clone()), *low, *high),
    }
}

/// The join of several values; none when there are none.
pub fn join_many(values: &[V], escapes: &mut Escapes) -> Option<V> {
    let mut values = values.iter();
    let first = values.next()?.clone();
    Some(values.fold(first, |a, b| join(&a, b, false, escapes)))
}

fn join_alternatives(a: &V, b: &V, widen: bool, escapes: &mut Escapes) -> V {
    let mut out: Vec<V> = a.alternatives().to_vec();
    for candidate in b.alternatives() {
        if out.contains(candidate) {
            continue;
        }
        let mut candidate = candidate.clone();
        // Join with the alternative of the same kind, if there is one.
        let mut at = 0;
        while at < out.len() {
            if let Some(joined) = join_single(&out[at], &candidate, widen, escapes) {
                out.remove(at);
                candidate = joined;
                at = 0;
            } else {
                at += 1;
            }
        }
        if !out.contains(&candidate) {
            out.push(candidate);
        }
    }
    // Exact texts are kept apart only while they are few.
    for exact_str in [true, false] {
        let kind = |v: &V| if exact_str { matches!(v, V::Str(_) | V::Strs(_)) } else { matches!(v, V::Bytes(_) | V::ManyBytes(_)) };
        let inexact = out.iter().any(|v| kind(v) && matches!(v, V::Strs(_) | V::ManyBytes(_)));
        let number = out.iter().filter(|v| kind(v)).count();
        if number > 4 || (widen && inexact && number > 1) {
            let texts: Vec<Text> = out.iter().filter(|v| kind(v)).filter_map(text_of).collect();
            let low = texts.iter().map(|t| t.low).min().unwrap_or(0);
            let high = texts.iter().map(|t| t.high).max().unwrap_or(0);
            let digits = texts.iter().map(|t| t.digits).min().unwrap_or(Digits::No);
            let text = Text { digits, ..Text::between(low, if widen { u64::MAX } else { high }, Why::Lost) };
            out.retain(|v| !kind(v));
            out.push(if exact_str { V::Strs(text) } else { V::ManyBytes(text) });
        }
    }
    // Which of them it is hangs together with what led here, except for what it may be either way.
    for v in &mut out {
        if matches!(v.why(), Some(Why::Outside(_))) && !(a.alternatives().contains(v) && b.alternatives().contains(v)) {
            *v = v.lost();
        }
    }
    if out.len() == 1 {
        return out.swap_remove(0);
    }
    if out.len() > MAX_ALTERNATIVES && !out.iter().any(|v| matches!(v, V::Token(_) | V::Null)) {
        let undef = out.iter().any(|v| matches!(v, V::Undef));
        out.retain(|v| !matches!(v, V::Undef));
        let why = Why::Lost;
        escapes.extend(out.iter().filter(|v| refers(v)).cloned());
        return if undef { V::OneOf(Rc::new([V::Undef, V::Unknown(why)])) } else { V::Unknown(why) };
    }
    V::OneOf(out.into())
}

fn join_rest(a: Option<&Rest>, b: Option<&Rest>, widen: bool, escapes: &mut Escapes) -> Option<Rest> {
    match (a, b) {
        (None, None) => None,
        (Some(a), Some(b)) => {
            let (low, high) = bounds(a.low, a.high, b.low, b.high, widen);
            Some(Rest { element: join(&a.element, &b.element, widen, escapes), value: join(&a.value, &b.value, widen, escapes), low, high })
        }
        // Which items there are hangs together with what led here.
        (Some(r), None) => Some(Rest { low: 0, element: r.element.lost(), value: r.value.lost(), ..*r }),
        (None, Some(r)) => {
            Some(Rest { low: 0, high: if widen { u64::MAX } else { r.high }, element: r.element.lost(), value: r.value.lost() })
        }
    }
}

/// Adds elements to a rest.
pub fn extend_rest(rest: Option<&Rest>, more: &[(V, V)], escapes: &mut Escapes) -> Option<Rest> {
    if more.is_empty() {
        return rest.cloned();
    }
    let n = more.len() as u64;
    let mut out = rest.cloned();
    for (element, value) in more {
        out = Some(match out {
            None => Rest { element: element.clone(), value: value.clone(), low: 0, high: 0 },
            Some(r) => Rest { element: join(&r.element, element, false, escapes), value: join(&r.value, value, false, escapes), ..r },
        });
    }
    out.map(|r| Rest { low: r.low.saturating_add(n), high: r.high.saturating_add(n), ..r })
}

/// Joins two item sequences: what they have in common stays exact.
pub fn join_items(a: &Items, b: &Items, widen: bool, escapes: &mut Escapes) -> Items {
    // What gets shorter with each pass soon has one item that is known, or none.
    let shrinks = widen && b.exact.len() < a.exact.len();
    let common = if shrinks { b.exact.len().min(1) } else { a.exact.len().min(b.exact.len()) };
    let exact: Vec<V> = a.exact[..common].iter().zip(&b.exact).map(|(x, y)| join(x, y, widen, escapes)).collect();
    let tail = |items: &Items, escapes: &mut Escapes| {
        let more: Vec<(V, V)> = items.exact[common..].iter().map(|v| (v.clone(), V::None)).collect();
        extend_rest(items.rest.as_ref(), &more, escapes)
    };
    let (ta, tb) = (tail(a, escapes), tail(b, escapes));
    Items { exact, rest: join_rest(ta.as_ref(), tb.as_ref(), widen, escapes) }
}

fn join_tables(a: &Table, b: &Table, widen: bool, escapes: &mut Escapes) -> Table {
    let common = a.exact.keys().zip(b.exact.keys()).take_while(|(x, y)| x == y).count();
    let mut out = Table::default();
    for (i, (key, (k, v))) in a.exact.iter().take(common).enumerate() {
        let other = &b.exact[i];
        out.exact.insert(key.clone(), (join(k, &other.0, widen, escapes), join(v, &other.1, widen, escapes)));
    }
    let tail = |t: &Table, escapes: &mut Escapes| {
        let more: Vec<(V, V)> = t.exact.values().skip(common).cloned().collect();
        extend_rest(t.rest.as_ref(), &more, escapes)
    };
    let (ta, tb) = (tail(a, escapes), tail(b, escapes));
    out.rest = join_rest(ta.as_ref(), tb.as_ref(), widen, escapes);
    out
}

fn join_attrs(a: &[(Sym, V)], b: &[(Sym, V)], widen: bool, escapes: &mut Escapes) -> Vec<(Sym, V)> {
    let find = |list: &[(Sym, V)], name: Sym| list.iter().find(|(n, _)| *n == name).map_or(V::Undef, |(_, v)| v.clone());
    let mut out: Vec<(Sym, V)> = a.iter().map(|(name, v)| (*name, join(v, &find(b, *name), widen, escapes))).collect();
    for (name, v) in b {
        if !a.iter().any(|(n, _)| n == name) {
            out.push((*name, join(&V::Undef, v, widen, escapes)));
        }
    }
    out
}

fn type_symbol(obj: &Obj) -> Sym {
    Sym::new(match obj {
        Obj::List(_) => "list",
        Obj::Deque(..) => "collections.deque",
        Obj::Dict(..) => "dict",
        Obj::Set(_, true) => "frozenset",
        Obj::Set(_, false) => "set",
        Obj::ByteArray(_) => "bytearray",
        Obj::Iter(_) => "iterator",
        Obj::Generator(_) => "generator",
        Obj::Cell(_) => "cell",
        Obj::Escaped(name) => return *name,
        _ => "object",
    })
}

/// Joins what may be at one place of the heap.
pub fn join_obj(a: &Obj, b: &Obj, widen: bool, escapes: &mut Escapes) -> Obj {
    if a == b {
        return a.clone();
    }
    match (a, b) {
        (Obj::Hole, other) | (other, Obj::Hole) => return other.clone(),
        (Obj::List(x), Obj::List(y)) => return Obj::List(Rc::new(join_items(x, y, widen, escapes))),
        (Obj::Deque(x, m), Obj::Deque(y, n)) if m == n => return Obj::Deque(Rc::new(join_items(x, y, widen, escapes)), *m),
        (Obj::Dict(x, k), Obj::Dict(y, l)) if k == l => return Obj::Dict(Rc::new(join_tables(x, y, widen, escapes)), k.clone()),
        (Obj::Set(x, f), Obj::Set(y, g)) if f == g => return Obj::Set(Rc::new(join_tables(x, y, widen, escapes)), *f),
        (Obj::ByteArray(x), Obj::ByteArray(y)) => {
            let (low, high) = bounds(x.low, x.high, y.low, y.high, widen);
            return Obj::ByteArray(Text::between(low, high, if x.why == y.why { x.why } else { Why::Lost }));
        }
        (Obj::Instance { class: c, attrs: x }, Obj::Instance { class: d, attrs: y }) if c == d => {
            return Obj::Instance { class: c.clone(), attrs: Rc::new(join_attrs(x, y, widen, escapes)) };
        }
        (Obj::Class(x), Obj::Class(y)) if x.name == y.name && x.bases == y.bases && x.mro == y.mro => {
            return Obj::Class(Rc::new(Class {
                name: x.name,
                bases: x.bases.clone(),
                mro: x.mro.clone(),
                attrs: join_attrs(&x.attrs, &y.attrs, widen, escapes),
                open: x.open || y.open,
            }));
        }
        (Obj::Function(x), Obj::Function(y)) if x.code == y.code && x.defaults.len() == y.defaults.len() && x.closure == y.closure => {
            return Obj::Function(Rc::new(Function {
                code: x.code,
                defaults: x.defaults.iter().zip(&y.defaults).map(|(p, q)| join(p, q, widen, escapes)).collect(),
                keyword_defaults: join_attrs(&x.keyword_defaults, &y.keyword_defaults, widen, escapes),
                closure: x.closure.clone(),
                attrs: join_attrs(&x.attrs, &y.attrs, widen, escapes),
            }));
        }
        (Obj::Cell(x), Obj::Cell(y)) => return Obj::Cell(join(x, y, widen, escapes)),
        (Obj::Bound { function: f, this: x }, Obj::Bound { function: g, this: y }) => {
            return Obj::Bound { function: join(f, g, widen, escapes), this: join(x, y, widen, escapes) };
        }
        (Obj::Partial { function: f, args: x, keywords: k }, Obj::Partial { function: g, args: y, keywords: l }) if x.len() == y.len() => {
            return Obj::Partial {
                function: join(f, g, widen, escapes),
                args: Rc::new(x.iter().zip(y.iter()).map(|(p, q)| join(p, q, widen, escapes)).collect()),
                keywords: Rc::new(join_attrs(k, l, widen, escapes)),
            };
        }
        (Obj::Iter(x), Obj::Iter(y)) => {
            if let Some(joined) = join_iters(x, y, widen, escapes) {
                return Obj::Iter(joined);
            }
        }
        (Obj::Generator(x), Obj::Generator(y)) => {
            if let Some(joined) = join_generators(x, y, widen, escapes) {
                return Obj::Generator(joined);
            }
        }
        (Obj::Property { get: f, set: p }, Obj::Property { get: g, set: q }) => {
            return Obj::Property { get: join(f, g, widen, escapes), set: join(p, q, widen, escapes) };
        }
        (Obj::View { of: x, kind: k }, Obj::View { of: y, kind: l }) if k == l => {
            return Obj::View { of: join(x, y, widen, escapes), kind: *k };
        }
        (Obj::StaticMethod(x), Obj::StaticMethod(y)) => return Obj::StaticMethod(join(x, y, widen, escapes)),
        (Obj::ClassMethod(x), Obj::ClassMethod(y)) => return Obj::ClassMethod(join(x, y, widen, escapes)),
        (Obj::Super { class: c, this: x }, Obj::Super { class: d, this: y }) => {
            return Obj::Super { class: join(c, d, widen, escapes), this: join(x, y, widen, escapes) };
        }
        _ => {}
    }
    for obj in [a, b] {
        push_children(obj, escapes);
    }
    Obj::Escaped(common_kind(type_symbol(a), type_symbol(b)))
}

/// What two kinds of escaped objects have in common: what follows a plus is known of one of them only.
fn common_kind(a: Sym, b: Sym) -> Sym {
    if a == b {
        return a;
    }
    let (a, b) = (a.text(), b.text());
    let class = class_of_kind(&a);
    Sym::new(if class == class_of_kind(&b) { class } else { "object" })
}

/// The class of a kind of escaped objects: what comes before the first plus.
pub fn class_of_kind(kind: &str) -> &str {
    kind.split('+').next().unwrap_or_default()
}

/// What a value that is no object itself holds.
fn push_parts(value: &V, out: &mut Vec<V>) {
    match value {
        V::Tuple(t) => match &**t {
            Tuple::Exact(items) => out.extend(items.iter().filter(|v| refers(v)).cloned()),
            Tuple::Bag { element, .. } => out.push(element.clone()),
        },
        V::OneOf(all) => out.extend(all.iter().cloned()),
        V::Slice(parts) => out.extend(parts.iter().cloned()),
        V::Exc(e) => out.extend(e.args.iter().flatten().cloned()),
        _ => {}
    }
}

fn push_children(obj: &Obj, out: &mut Vec<V>) {
    match obj {
        Obj::List(items) | Obj::Deque(items, _) => push_items(items, out),
        Obj::Dict(table, _) | Obj::Set(table, _) => push_table(table, out),
        Obj::Instance { class, attrs } => {
            out.push(class.clone());
            out.extend(attrs.iter().map(|(_, v)| v.clone()));
        }
        Obj::Class(c) => {
            out.extend(c.bases.iter().cloned());
            out.extend(c.attrs.iter().map(|(_, v)| v.clone()));
        }
        Obj::Function(f) => {
            out.extend(f.defaults.iter().cloned());
            out.extend(f.keyword_defaults.iter().map(|(_, v)| v.clone()));
            out.extend(f.closure.iter().map(|c| V::Ref(*c)));
            out.extend(f.attrs.iter().map(|(_, v)| v.clone()));
        }
        Obj::Bound { function, this } | Obj::Super { class: function, this } => out.extend([function.clone(), this.clone()]),
        Obj::Partial { function, args, keywords } => {
            out.push(function.clone());
            out.extend(args.iter().cloned());
            out.extend(keywords.iter().map(|(_, v)| v.clone()));
        }
        Obj::Cell(v) | Obj::StaticMethod(v) | Obj::ClassMethod(v) | Obj::View { of: v, .. } => out.push(v.clone()),
        Obj::Iter(iter) => out.extend(iter.parts.iter().cloned()),
        Obj::Generator(g) => {
            if let Some(frame) = &g.frame {
                out.extend(frame.locals.iter().cloned());
                out.extend(frame.stack.iter().cloned());
                out.extend(frame.cells.iter().map(|c| V::Ref(*c)));
            }
        }
        Obj::Property { get, set } => out.extend([get.clone(), set.clone()]),
        Obj::Hole | Obj::Escaped(_) | Obj::ByteArray(_) => {}
    }
}

fn join_iters(x: &Iter, y: &Iter, widen: bool, escapes: &mut Escapes) -> Option<Iter> {
    if x.kind != y.kind || x.parts.len() != y.parts.len() {
        return None;
    }
    // The element of a bag may be missing on one side only where that side is empty.
    let parts: Vec<V> = x.parts.iter().zip(&y.parts).map(|(a, b)| join(a, b, widen, escapes)).collect();
    // Alternatives are fine for functions and values, but an iterator must stay one object to be advanced in step.
    let advanced = match x.kind {
        IterKind::Enumerate | IterKind::TakeWhile | IterKind::DropWhile | IterKind::Islice | IterKind::Pairwise | IterKind::Accumulate => {
            let at = usize::from(matches!(x.kind, IterKind::TakeWhile | IterKind::DropWhile | IterKind::Accumulate));
            matches!(parts.get(at), Some(V::Ref(_)))
        }
        IterKind::Chain | IterKind::ChainFromIterable | IterKind::Cycle => x.parts == y.parts,
        _ => true,
    };
    advanced.then_some(Iter { kind: x.kind, parts })
}

fn join_generators(x: &Generator, y: &Generator, widen: bool, escapes: &mut Escapes) -> Option<Generator> {
    if x.coroutine != y.coroutine {
        return None;
    }
    let (frame, may_be_done) = match (&x.frame, &y.frame) {
        (Some(f), Some(g)) => (Some(Box::new(join_frames(f, g, widen, escapes)?)), x.may_be_done || y.may_be_done),
        (Some(f), None) | (None, Some(f)) => (Some(f.clone()), true),
        (None, None) => (None, true),
    };
    Some(Generator { frame, coroutine: x.coroutine, may_be_done })
}

/// Joins two activations that stand at the same place.
pub fn join_frames(f: &Frame, g: &Frame, widen: bool, escapes: &mut Escapes) -> Option<Frame> {
    if f.code != g.code || f.pc != g.pc || f.stack.len() != g.stack.len() || f.cells != g.cells || f.handling.len() != g.handling.len() {
        return None;
    }
    let each = |a: &[V], b: &[V], escapes: &mut Escapes| a.iter().zip(b).map(|(x, y)| join(x, y, widen, escapes)).collect();
    Some(Frame {
        code: f.code,
        pc: f.pc,
        locals: each(&f.locals, &g.locals, escapes),
        stack: each(&f.stack, &g.stack, escapes),
        cells: f.cells.clone(),
        handling: each(&f.handling, &g.handling, escapes),
        namespace: f.namespace,
    })
}
