//! The machine: one current state, and states kept aside where paths part.
//!
//! A frame runs its instructions in order. At a condition nobody knows, the state is cloned and kept for the jump's target
//! ([`Context::pending`]); the current state goes on with the other side. Because jumps go forward only, the smallest
//! pending position is always the next one to be reached, and states that meet there are joined. Calls nest on the Rust
//! stack; the callee works on the same store and cannot touch the caller's locals, so a kept state holds the frame's own
//! variables and a clone of the store (pages are shared).

use std::cell::Cell;
use std::collections::HashMap;

use crate::fact::{Fact, FactKind, Measure, Proof, Reach};
use crate::library::{self, Args, Entry, Stop};
use crate::syntax::Program;
use crate::syntax::code::{Code, CodeId, Const, Handler, NameId, Op, Pc, Span};
use crate::value::int::{Int, Sign};
use crate::value::object::{Frame, Obj, ObjId, Sym, V, Why};
use crate::value::store::{Store, Touched};
use crate::value::why::Decided;

use super::Settings;
use super::loops::LoopState;
use super::memo::Memo;

/// Kinds of object made at one place: iterators from here on.
const ITERATORS: u8 = 16;

/// The kind of those that replace each other.
const ANEW: u8 = 15;

/// Names that lead to the inside of modules and functions, past assignments that the evaluator sees.
const BACKDOORS: &[&str] = &[
    "__builtins__",
    "__bases__",
    "__class_getitem__",
    "__code__",
    "__defaults__",
    "__delete__",
    "__dict__",
    "__format__",
    "__globals__",
    "__import__",
    "__index__",
    "__kwdefaults__",
    "__length_hint__",
    "__main__",
    "__set_name__",
    "__subclasshook__",
    "_getframe",
    "cell_contents",
    "get_objects",
    "import_module",
    "mock",
    "modules",
    "monkeypatch",
    "unittest.mock",
    "vars",
];

/// Names without which a program has no context manager that swallows an exception.
const SWALLOWING: &[&str] = &[
    "ExitStack",
    "AsyncExitStack",
    "__aexit__",
    "__exit__",
    "assertRaises",
    "contextmanager",
    "asynccontextmanager",
    "raises",
    "suppress",
];

/// Pseudo positions at which the ends of a frame are kept.
const RETURN: Pc = u32::MAX - 1;
const RAISE: Pc = u32::MAX;

/// How a frame ends.
#[derive(Debug)]
pub enum Exit {
    /// It returned.
    Return(V),
    /// It yielded; or it may have returned, with this store.
    Yield(V, Option<Box<Store>>),
    /// It raises.
    Raise(V),
    /// No path goes on.
    Dead,
    /// The fuel is spent.
    Fuel,
    /// It yields at one of several places: nothing can be said about where it stands.
    Lost,
}

/// A state kept aside for a position.
#[derive(Debug, Clone)]
pub struct Pending {
    pub pc: Pc,
    pub locals: Vec<V>,
    pub stack: Vec<V>,
    pub handling: Vec<V>,
    pub store: Store,
}

/// What a frame needs besides its variables while it runs.
#[derive(Debug, Default)]
pub struct Context {
    /// Kept states, by position.
    pub pending: Vec<Pending>,
    /// Loops the current position is in, outermost first.
    pub loops: Vec<LoopState>,
    /// Yields kept while other paths run.
    pub yields: Vec<Pending>,
}

/// An exception that the operation being evaluated may raise, with the state at that point where somebody could catch it.
#[derive(Debug, Clone)]
pub struct Raised {
    pub exception: V,
    pub store: Option<Store>,
}

/// Where to go on.
#[derive(Debug)]
pub enum Flow {
    Next,
    Jump(Pc),
    Back(Pc),
    Return(V),
    Yield(V),
    /// Yields, and runs the same instruction again when resumed.
    YieldAgain(V),
    /// Yields something unknown and stays, or goes on: nobody knows where the generator stands from here.
    YieldLost,
}

/// A place in the code.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Hash)]
pub struct Spot {
    pub code: CodeId,
    pub pc: Pc,
}

/// Whether an operation needs a guard.
#[derive(Debug, Clone, Copy, PartialEq, Eq, PartialOrd, Ord)]
pub enum GuardState {
    Unseen,
    Safe,
    Needed,
}

/// The evaluator.
pub struct Machine<'p> {
    pub program: &'p Program,
    pub settings: &'p Settings,
    pub store: Store,
    pub fuel: u64,
    /// The interned form of each name of the program.
    pub names: Vec<Sym>,
    /// The name number of each interned name.
    pub name_ids: HashMap<Sym, NameId>,
    pub consts: Vec<V>,
    builtins: Vec<Option<V>>,
    entries: HashMap<Sym, Option<Entry>>,
    pub methods: HashMap<(&'static str, Sym), Option<Sym>>,
    pub raised: Option<Raised>,
    protected_below: bool,
    pub frames: Vec<Spot>,
    pub visited: Vec<Vec<bool>>,
    pub guards: Vec<Vec<GuardState>>,
    pub facts: HashMap<(CodeId, Pc, FactKind), Fact>,
    /// Whether what is evaluated is a function nobody called.
    pub defined_only: bool,
    /// The functions that are looked at as what runs on threads of their own, in this program; innermost last.
    pub beside: Vec<V>,
    /// While something is looked at that runs beside the program: how many of the frames are those of the thread that waits for it.
    pub blocked: Option<usize>,
    /// How often something was said that holds only where the program stands.
    pub answers_by_place: Cell<u64>,
    /// Threads that the program waits for at its end, and where each was started.
    pub left_running: Vec<(Span, String, V, Args)>,
    /// What was ever put into each queue.
    pub queued: HashMap<ObjId, V>,
    /// Whether something was put into what may be any queue.
    pub lost_puts: bool,
    /// The functions that nobody but a server calls, with the two streams of a connection.
    pub connected: Vec<CodeId>,
    pub abstract_loops: u32,
    /// Calls of function forms that may give an integer over the limit, under whatever name.
    pub call_guards: std::collections::HashSet<(CodeId, Pc)>,
    /// The object that stands for all made at a place: of which kind, and for iterators that are made anew at which depth and as
    /// which of several.
    sites: HashMap<(Spot, u8, u32, u32), ObjId>,
    /// Active calls by code.
    pub active: HashMap<CodeId, u32>,
    /// Code that has been called with arguments from the program.
    pub called: Vec<bool>,
    /// What of it was not before the function nobody called that is looked at now.
    pub newly_called: Vec<CodeId>,
    /// Operand-free facts about each code's loops, computed on demand.
    pub slices: HashMap<(CodeId, u16), std::rc::Rc<super::loops::Slice>>,
    /// Divisors of numbers, where they were found.
    pub divisors: HashMap<u64, Option<Vec<u64>>>,
    /// Results of calls that depend on what they were given alone.
    pub memo: Memo,
    /// How many calls of a function from within itself there were.
    pub recursions: u64,
    /// How many facts were reported, those reported again included.
    pub facts_reported: u64,
    /// Calls below this much fuel give up (see `calls`).
    pub call_floor: u64,
    /// How many calls led to each other since the last frame began.
    pub call_chain: u32,
    pub uncertain_recursion_limit: bool,
    /// Whether the program uses a way to change functions and modules that is not followed.
    backdoors: bool,
    /// Class and first argument of each active method that could call `super()`.
    pub super_context: Vec<(V, V)>,
    handlers: Vec<Vec<u32>>,
    /// Least seconds of each instruction of each code.
    pub floors: Vec<Vec<f64>>,
    /// What started a thread or a process last.
    pub spawner: (String, Span),
    /// For each code, which positions are led to by a jump; filled when first asked for.
    pub targets: Vec<Vec<bool>>,
    /// Whether the iterator about to be made replaces the one made at the same place before.
    pub fresh_iterator: bool,
    /// How many such iterators the operation has made.
    pub fresh_count: u32,
    /// Fuel that loops further out keep for themselves.
    pub loop_floor: u64,
    /// How deep a comparison of nested containers is.
    pub nesting: u32,
    pub text: &'p str,
    /// What the generator that just ended returned.
    pub last_return: Option<V>,
    /// How often the program has slept.
    pub sleeps: u64,
    /// Exceptions that nobody in the program would catch: each may end every loop around it.
    pub uncaught_raises: u64,
    /// Whether code in a string assigned globals that the program does not name.
    pub more_globals: bool,
    /// Whether the loop that is tried is never left.
    pub trial_holds: bool,
    /// Fuel for trying whether loops are never left.
    pub fuel_for_trials: u64,
    /// Fuel for looking at parts of loops.
    pub fuel_for_parts: u64,
    /// Fuel for the growth of patterns' work.
    pub fuel_for_patterns: u64,
    /// Vain trials of each loop.
    pub failed_trials: HashMap<(CodeId, u16), u32>,
    /// The first instruction of the step that is judged, of a session; none once it was reached, and where there is no session.
    step_at: Option<Pc>,
    step_begun: bool,
}

impl<'p> Machine<'p> {
    pub fn new(text: &'p str, program: &'p Program, settings: &'p Settings) -> Machine<'p> {
        let names: Vec<Sym> = program.names.iter().map(|n| Sym::new(n)).collect();
        let name_ids = names.iter().enumerate().map(|(i, s)| (*s, NameId(i as u32))).collect();
        Machine {
            program,
            settings,
            store: Store::new(touched(program), super::fixed::of(program, settings, &names)),
            fuel: settings.fuel,
            name_ids,
            consts: program.consts.iter().map(constant).collect(),
            builtins: vec![None; names.len()],
            names,
            entries: HashMap::new(),
            methods: HashMap::new(),
            raised: None,
            protected_below: false,
            frames: Vec::new(),
            visited: program.codes.iter().map(|c| vec![false; c.ops.len()]).collect(),
            guards: program.codes.iter().map(|c| vec![GuardState::Unseen; c.ops.len()]).collect(),
            facts: HashMap::new(),
            defined_only: false,
            beside: Vec::new(),
            blocked: None,
            answers_by_place: Cell::new(0),
            left_running: Vec::new(),
            queued: HashMap::new(),
            lost_puts: false,
            connected: Vec::new(),
            abstract_loops: 0,
            call_guards: std::collections::HashSet::new(),
            sites: HashMap::new(),
            active: HashMap::new(),
            called: vec![false; program.codes.len()],
            newly_called: Vec::new(),
            slices: HashMap::new(),
            divisors: HashMap::new(),
            memo: Memo::new(program),
            recursions: 0,
            facts_reported: 0,
            call_floor: 0,
            call_chain: 0,
            uncertain_recursion_limit: false,
            backdoors: settings.is_main && (program.names.iter().any(|name| BACKDOORS.contains(&&**name)) || has_hidden_effects(program)),
            uncaught_raises: 0,
            more_globals: false,
            trial_holds: false,
            fuel_for_trials: settings.fuel / 8,
            fuel_for_parts: settings.fuel / 8,
            fuel_for_patterns: settings.fuel / 8,
            failed_trials: HashMap::new(),
            sleeps: 0,
            last_return: None,
            super_context: Vec::new(),
            handlers: vec![Vec::new(); program.codes.len()],
            floors: program.codes.iter().map(super::floors::of).collect(),
            targets: vec![Vec::new(); program.codes.len()],
            spawner: (String::new(), Span::default()),
            fresh_iterator: false,
            fresh_count: 0,
            loop_floor: 0,
            nesting: 0,
            text,
            step_at: settings.history.and_then(|start| {
                let statements = program.codes[0].statements.iter();
                statements.filter(|(_, span)| span.start >= start).map(|(pc, _)| *pc).min()
            }),
            step_begun: false,
        }
    }

    pub fn code(&self, id: CodeId) -> &'p Code {
        &self.program.codes[id.0 as usize]
    }

    pub fn name(&self, id: NameId) -> Sym {
        self.names[id.0 as usize]
    }

    /// What a library name stands for.
    pub fn entry(&mut self, name: Sym) -> Option<Entry> {
        if let Some(found) = self.entries.get(&name) {
            return found.clone();
        }
        let found = library::find(&name.text());
        self.entries.insert(name, found.clone());
        found
    }

    /// The builtin of that name; a name nobody defines is unknown.
    pub fn builtin(&mut self, name: NameId) -> V {
        if let Some(known) = &self.builtins[name.0 as usize] {
            return known.clone();
        }
        let sym = self.name(name);
        let text = sym.text();
        let value = match &*text {
            "__name__" if self.settings.is_main => V::str("__main__"),
            "__name__" | "__file__" => V::strs(1, 4096, Why::OUTSIDE),
            "__doc__" | "__spec__" | "__loader__" | "__package__" | "__builtins__" | "__annotations__" => V::Unknown(Why::OUTSIDE),
            "__debug__" => V::Bool(true),
            "Ellipsis" => V::Ellipsis,
            "NotImplemented" => V::NotImplemented,
            t if t.contains('.') => V::Unknown(Why::OUTSIDE),
            _ => match self.entry(sym) {
                Some(Entry::Constant(v)) => v,
                Some(_) => V::Lib(sym),
                None => V::Undef,
            },
        };
        self.builtins[name.0 as usize] = Some(value.clone());
        value
    }

    pub fn burn(&mut self, steps: u64) -> Result<(), Stop> {
        if self.fuel <= steps {
            self.fuel = 0;
            return Err(Stop::Fuel);
        }
        self.fuel -= steps;
        Ok(())
    }

    /// The source text of a span.
    pub fn source_text(&self, span: Span) -> &'p str {
        self.text.get(span.start as usize..span.end as usize).unwrap_or("")
    }

    pub fn spot(&self) -> Spot {
        self.frames.last().copied().unwrap_or(Spot { code: CodeId(0), pc: 0 })
    }

    pub fn span(&self, spot: Spot) -> Span {
        self.code(spot.code).spans.get(spot.pc as usize).copied().unwrap_or_default()
    }

    /// The innermost handler at a place. Looked up in a table that is filled once for each code.
    fn handler(&mut self, spot: Spot) -> Option<&'p Handler> {
        let code = self.code(spot.code);
        if code.handlers.is_empty() {
            return None;
        }
        let table = &mut self.handlers[spot.code.0 as usize];
        if table.is_empty() {
            table.resize(code.ops.len() + 1, u32::MAX);
            for (i, h) in code.handlers.iter().enumerate().rev() {
                table[h.start as usize..h.end as usize].fill(i as u32);
            }
        }
        code.handlers.get(*table.get(spot.pc as usize)? as usize)
    }

    /// Whether an exception raised here could be caught by the program.
    pub fn protected(&mut self) -> bool {
        self.protected_below || self.handler(self.spot()).is_some()
    }

    /// Whether a handler around here, in this frame or one that called it, may take an exception, so that the program goes on.
    pub fn is_handled(&mut self, class: &str) -> bool {
        if !self.protected() {
            return false;
        }
        let error = V::exception(class);
        for spot in self.frames.clone() {
            let code = self.code(spot.code);
            for handler in code.handlers.iter().filter(|h| (h.start..h.end).contains(&spot.pc)) {
                if self.clauses_take(code, handler.target, &error) {
                    return true;
                }
            }
        }
        false
    }

    /// Whether one of the `except` clauses from a handler's entry on may take the exception.
    fn clauses_take(&mut self, code: &Code, target: Pc, error: &V) -> bool {
        // A `finally` may leave in another way; a context manager may swallow it, if there is any that does.
        if !matches!(code.ops.get(target as usize), Some(Op::EnterHandler)) {
            let with = code.ops[target as usize..].iter().take(4).any(|op| matches!(op, Op::WithExcept(_)));
            return !with || self.program.names.iter().any(|name| SWALLOWING.contains(&&**name));
        }
        let mut at = target as usize + 1;
        loop {
            let Some(length) = code.ops[at..].iter().position(|op| matches!(op, Op::MatchException | Op::MatchExceptionGroup)) else {
                // `except:` without a class, or no further clause.
                return !matches!(code.ops.get(at), Some(Op::LeaveHandler));
            };
            let class = &code.ops[at..at + length];
            if matches!(class.first(), Some(Op::LeaveHandler)) {
                return false;
            }
            for (i, op) in class.iter().enumerate() {
                let taken = match op {
                    // The module of an attribute is no class.
                    Op::LoadGlobal(_) | Op::LoadAttr(_) if matches!(class.get(i + 1), Some(Op::LoadAttr(_))) => false,
                    Op::LoadGlobal(name) => {
                        let value = match self.store.global(name.0) {
                            V::Undef => V::Lib(self.names[name.0 as usize]),
                            value => value,
                        };
                        self.exception_matches(error, &value) != Some(false)
                    }
                    Op::BuildTuple(_) => false,
                    _ => true,
                };
                if taken {
                    return true;
                }
            }
            match code.ops.get(at + length + 1) {
                Some(Op::JumpIfFalse(next)) => at = *next as usize,
                _ => return true,
            }
        }
    }

    /// The operation may raise this from here on.
    pub fn may_raise_value(&mut self, exception: V) {
        let store = self.protected().then(|| self.store.clone());
        self.add_raised(Raised { exception, store });
    }

    pub fn add_raised(&mut self, new: Raised) {
        self.raised = Some(match self.raised.take() {
            None => new,
            Some(mut old) => {
                old.exception = self.store.join_values(&old.exception, &new.exception, false);
                match (&mut old.store, new.store) {
                    (Some(a), Some(b)) => {
                        let path = a.path;
                        a.join(&b, false);
                        a.path.mass = path.mass.max(b.path.mass);
                    }
                    (slot @ None, b) => *slot = b,
                    _ => {}
                }
                old
            }
        });
    }

    pub fn may_raise_class(&mut self, class: &str) {
        let exception = if class.is_empty() { V::Unknown(Why::OUTSIDE) } else { V::exception(class) };
        self.may_raise_value(exception);
    }

    /// Puts an object on the heap; inside a loop that is being bounded, all objects made at one place share one place.
    pub fn alloc(&mut self, obj: Obj) -> V {
        if self.abstract_loops == 0 {
            return V::Ref(self.store.alloc(obj));
        }
        let kind = match &obj {
            Obj::List(_) => 0,
            Obj::Dict(..) => 1,
            Obj::Set(..) => 2,
            Obj::Iter(i) => ITERATORS + i.kind as u8,
            Obj::Instance { .. } => 3,
            Obj::Cell(_) => 4,
            Obj::Function(_) => 5,
            Obj::Bound { .. } => 6,
            Obj::Generator(_) => 7,
            Obj::Class(_) => 8,
            Obj::Deque(..) => 9,
            Obj::Partial { .. } => 10,
            Obj::Super { .. } => 11,
            _ => 12,
        };
        let fresh = self.fresh_iterator && kind >= ITERATORS;
        let depth = if fresh { self.frames.len() as u32 } else { 0 };
        let ordinal = if fresh { self.fresh_count } else { 0 };
        self.fresh_count += u32::from(fresh);
        let key = (self.spot(), kind, depth, ordinal);
        match self.sites.get(&key) {
            Some(&id) => {
                if fresh {
                    self.store.replace(id, obj);
                } else {
                    self.store.alloc_at(id, obj);
                }
                V::Ref(id)
            }
            None => {
                let id = self.store.alloc(obj);
                self.sites.insert(key, id);
                V::Ref(id)
            }
        }
    }

    /// Puts an object on the heap that replaces what was made at the same place before, to which nothing refers any more.
    pub fn alloc_anew(&mut self, obj: Obj) -> V {
        if self.abstract_loops == 0 {
            return V::Ref(self.store.alloc(obj));
        }
        let key = (self.spot(), ANEW, self.frames.len() as u32, 0);
        match self.sites.get(&key) {
            Some(&id) => {
                self.store.replace(id, obj);
                V::Ref(id)
            }
            None => {
                let id = self.store.alloc(obj);
                self.sites.insert(key, id);
                V::Ref(id)
            }
        }
    }

    /// What something would give, where nothing in it may raise. The state stays as it is.
    pub fn rehearse<T>(&mut self, run: impl FnOnce(&mut Self) -> Result<T, Stop>) -> Result<Option<T>, Stop> {
        let (store, outer, uncaught) = (self.store.clone(), self.raised.take(), self.uncaught_raises);
        let changes = store.changes_so_far();
        self.enter_abstract();
        let result = run(self);
        self.abstract_loops -= 1;
        let raises = self.raised.is_some() || self.uncaught_raises != uncaught;
        (self.store, self.raised) = (store, outer);
        self.store.undo_changes(&changes);
        match result {
            Ok(given) if !raises => Ok(Some(given)),
            Err(Stop::Fuel) => Err(Stop::Fuel),
            _ => Ok(None),
        }
    }

    pub fn enter_abstract(&mut self) {
        if self.abstract_loops == 0 {
            self.sites.clear();
        }
        self.abstract_loops += 1;
    }

    /// Reports a fact at the operation being evaluated.
    pub fn report(&mut self, kind: FactKind, span: Option<Span>, measure: Option<Measure>, proof: Proof, words: &[(&'static str, String)]) {
        self.facts_reported += 1;
        let spot = self.spot();
        let path = self.store.path;
        let reach = if path.mass < 1.0 && path.lost {
            Reach::Unclear
        } else if self.defined_only {
            Reach::Defined
        } else if path.mass >= 1.0 {
            Reach::Always
        } else {
            Reach::Maybe
        };
        let proof = if path.doubtful || self.backdoors { Proof::Likely } else { proof };
        let fact = Fact {
            kind,
            span: self.place_in_step(span.unwrap_or_else(|| self.span(spot))),
            reach,
            proof,
            measure,
            words: words.iter().cloned().collect(),
        };
        let strength = |f: &Fact| (std::cmp::Reverse(f.proof), std::cmp::Reverse(f.reach), f.measure.map_or(0.0, |m| m.low));
        let slot = self.facts.entry((spot.code, spot.pc, kind));
        match slot {
            std::collections::hash_map::Entry::Vacant(e) => {
                e.insert(fact);
            }
            std::collections::hash_map::Entry::Occupied(mut e) => {
                if strength(&fact).partial_cmp(&strength(e.get())) == Some(std::cmp::Ordering::Greater) {
                    e.insert(fact);
                }
            }
        }
    }

    /// Whether the step that is judged was reached.
    pub fn has_begun(&self) -> bool {
        self.step_begun
    }

    /// The steps before have ended, that is known: the clock starts anew, every path leads here, and what they could have led to
    /// else did not happen. What they set going goes on.
    fn begin_step(&mut self, cx: &mut Context) {
        (self.step_at, self.step_begun) = (None, true);
        cx.pending.clear();
        self.facts.clear();
        self.memo = Memo::new(self.program);
        self.raised = None;
        (self.sleeps, self.uncaught_raises) = (0, 0);
        let path = &mut self.store.path;
        (path.cost, path.mass, path.lost, path.doubtful, path.retries) = (0.0, 1.0, false, false, false);
        path.decided = Decided::default();
    }

    /// Where a fact about a place in an earlier step is reported: at what led there in the step that is judged.
    fn place_in_step(&self, span: Span) -> Span {
        let start = self.settings.history.unwrap_or(0);
        if span.start >= start {
            return span;
        }
        let callers = self.frames.iter().rev().map(|spot| self.span(*spot));
        callers.into_iter().find(|span| span.start >= start).unwrap_or(span)
    }

    /// Whether something could end a loop or a wait from outside the code in view.
    pub fn interruptible(&self) -> bool {
        self.store.path.interruptible || self.store.path.unknown_managers > 0
    }

    pub fn proof(&self) -> Proof {
        if self.interruptible() { Proof::Likely } else { Proof::Proven }
    }

    pub fn mark_guard(&mut self, state: GuardState) {
        let spot = self.spot();
        let slot = &mut self.guards[spot.code.0 as usize][spot.pc as usize];
        *slot = (*slot).max(state);
    }

    /// Runs a frame to its end or its next yield.
    pub fn run_frame(&mut self, frame: &mut Frame) -> Exit {
        let outer = self.protected_below;
        if let Some(&top) = self.frames.last() {
            self.protected_below = outer || self.handler(top).is_some();
        }
        let raised = self.raised.take();
        self.frames.push(Spot { code: frame.code, pc: frame.pc });
        let mut cx = Context::default();
        let context = self.super_of(frame);
        let has_context = context.is_some();
        self.super_context.extend(context);
        let chain = std::mem::take(&mut self.call_chain);
        let exit = self.run(frame, &mut cx);
        self.call_chain = chain;
        if has_context {
            self.super_context.pop();
        }
        while !cx.loops.is_empty() {
            self.pop_loop(&mut cx);
        }
        self.frames.pop();
        self.protected_below = outer;
        if let Some(raised) = raised {
            self.add_raised(raised);
        }
        exit
    }

    /// Runs a frame on from where it stands, apart from the frame it is a copy of.
    pub fn run_on(&mut self, frame: &mut Frame, cx: &mut Context) {
        self.run(frame, cx);
        while !cx.loops.is_empty() {
            self.pop_loop(cx);
        }
    }

    /// What `super()` means in a frame: the class in its `__class__` cell, and its first argument.
    fn super_of(&self, frame: &Frame) -> Option<(V, V)> {
        let code = self.code(frame.code);
        let at = code.frees.iter().position(|(n, _)| self.program.name(*n) == "__class__")?;
        let class = match self.store.get(*frame.cells.get(code.cells.len() + at)?) {
            Obj::Cell(v) => v.clone(),
            _ => return None,
        };
        let this = match code.cells.iter().position(|(_, slot)| *slot == Some(0)) {
            Some(cell) => match self.store.get(frame.cells[cell]) {
                Obj::Cell(v) => v.clone(),
                _ => return None,
            },
            None => frame.locals.first()?.clone(),
        };
        Some((class, this))
    }

    fn run(&mut self, frame: &mut Frame, cx: &mut Context) -> Exit {
        let code = self.code(frame.code);
        let index = frame.code.0 as usize;
        loop {
            let pc = frame.pc;
            let Some(&op) = code.ops.get(pc as usize) else { return Exit::Dead };
            if self.fuel == 0 {
                return Exit::Fuel;
            }
            if self.step_at == Some(pc) && index == 0 {
                self.begin_step(cx);
            }
            self.fuel = self.fuel.saturating_sub(1 + self.store.take_work());
            self.visited[index][pc as usize] = true;
            if let Some(top) = self.frames.last_mut() {
                top.pc = pc;
            }
            let result = self.step(frame, cx, code, op);
            if self.raised.is_some() {
                self.keep_raised(frame, cx);
            }
            let alive = match result {
                Ok(Flow::Next) => {
                    frame.pc = pc + 1;
                    cx.pending.is_empty() || self.settle(frame, cx)
                }
                Ok(Flow::Jump(target)) => {
                    self.leave_for(cx, pc, target);
                    frame.pc = target;
                    self.settle(frame, cx)
                }
                Ok(Flow::Back(target)) => {
                    frame.pc = target;
                    true
                }
                Ok(Flow::Return(value)) => {
                    if cx.pending.is_empty() && cx.yields.is_empty() {
                        self.drop_loops(cx, RETURN);
                        return Exit::Return(value);
                    }
                    self.leave_for(cx, pc, RETURN);
                    frame.stack.clear();
                    frame.stack.push(value);
                    frame.handling.clear();
                    frame.pc = RETURN;
                    self.settle(frame, cx)
                }
                Ok(Flow::YieldLost) => {
                    for l in &mut cx.loops {
                        l.left = true;
                    }
                    // Two places to go on from: see `finish`.
                    frame.stack.push(V::Unknown(Why::Lost));
                    for next in [pc, pc + 1] {
                        frame.pc = next;
                        let kept = self.keep(frame);
                        self.keep_yield(cx, kept);
                    }
                    self.resume(frame, cx)
                }
                Ok(ref flow @ (Flow::Yield(ref value) | Flow::YieldAgain(ref value))) => {
                    let value = value.clone();
                    if self.handler(Spot { code: frame.code, pc }).is_some() {
                        // Dropped here, the generator runs its `finally` at any time.
                        self.store.escape_all(&frame.locals);
                        let cells: Vec<V> = frame.cells.iter().map(|&cell| V::Ref(cell)).collect();
                        self.store.escape_all(&cells);
                    }
                    let next = if matches!(flow, Flow::Yield(_)) { pc + 1 } else { pc };
                    if cx.pending.is_empty() && cx.yields.is_empty() {
                        frame.pc = next;
                        return Exit::Yield(value, None);
                    }
                    for l in &mut cx.loops {
                        l.left = true;
                    }
                    frame.stack.push(value);
                    frame.pc = next;
                    let kept = self.keep(frame);
                    self.keep_yield(cx, kept);
                    self.resume(frame, cx)
                }
                Err(Stop::Raise(exception)) => match self.handler(Spot { code: frame.code, pc }) {
                    Some(handler) => {
                        frame.stack.truncate(handler.depth as usize);
                        frame.stack.push(exception);
                        self.leave_for(cx, pc, handler.target);
                        frame.pc = handler.target;
                        self.settle(frame, cx)
                    }
                    None => {
                        if cx.pending.is_empty() && cx.yields.is_empty() {
                            self.drop_loops(cx, RETURN);
                            return Exit::Raise(exception);
                        }
                        self.leave_for(cx, pc, RAISE);
                        frame.stack.clear();
                        frame.stack.push(exception);
                        frame.handling.clear();
                        frame.pc = RAISE;
                        self.settle(frame, cx)
                    }
                },
                Err(Stop::Dead) => self.resume(frame, cx),
                Err(Stop::Fuel) => return Exit::Fuel,
            };
            if !alive {
                if cx.yields.is_empty() {
                    return Exit::Dead;
                }
                return self.finish(frame, cx);
            }
            if frame.pc >= RETURN {
                return self.finish(frame, cx);
            }
        }
    }

    /// All paths of the frame have ended: in yields, a return, an exception, or several of these.
    fn finish(&mut self, frame: &mut Frame, cx: &mut Context) -> Exit {
        self.drop_loops(cx, RETURN);
        let mut ended: Option<(Store, V)> = None;
        let mut raised: Option<(Store, V)> = None;
        let mut ends: Vec<Pending> = std::mem::take(&mut cx.pending);
        if frame.pc >= RETURN {
            let own = self.keep(frame);
            ends.push(own);
        }
        for end in ends {
            let mut stack = end.stack;
            let value = stack.pop().unwrap_or(V::None);
            let slot = if end.pc == RAISE { &mut raised } else { &mut ended };
            match slot {
                None => *slot = Some((end.store, value)),
                Some((store, v)) => {
                    store.join(&end.store, false);
                    *v = store.join_values(v, &value, false);
                }
            }
        }
        if let Some((store, exception)) = raised {
            if ended.is_none() && cx.yields.is_empty() {
                self.store = store;
                return Exit::Raise(exception);
            }
            let store = self.protected_below.then_some(store);
            self.add_raised(Raised { exception, store });
        }
        if cx.yields.is_empty() {
            let Some((store, value)) = ended else { return Exit::Dead };
            self.store = store;
            return Exit::Return(value);
        }
        if cx.yields.len() > 1 {
            let first = cx.yields.swap_remove(0);
            self.load(frame, first);
            for other in std::mem::take(&mut cx.yields) {
                self.store.join(&other.store, false);
                self.store.escape_all(&other.locals);
                self.store.escape_all(&other.stack);
            }
            if let Some((store, _)) = ended {
                self.store.join(&store, false);
            }
            return Exit::Lost;
        }
        let only = cx.yields.swap_remove(0);
        self.load(frame, only);
        let value = frame.stack.pop().unwrap_or(V::None);
        Exit::Yield(value, ended.map(|(store, _)| Box::new(store)))
    }

    /// A copy of the current state.
    pub fn keep(&mut self, frame: &Frame) -> Pending {
        self.fuel = self.fuel.saturating_sub(2 + (frame.locals.len() / 16 + frame.stack.len() / 16) as u64);
        Pending {
            pc: frame.pc,
            locals: frame.locals.clone(),
            stack: frame.stack.clone(),
            handling: frame.handling.clone(),
            store: self.store.clone(),
        }
    }

    fn load(&mut self, frame: &mut Frame, kept: Pending) {
        frame.pc = kept.pc;
        frame.locals = kept.locals;
        frame.stack = kept.stack;
        frame.handling = kept.handling;
        self.store = kept.store;
    }

    /// The condition of a jump is not known: keeps the current state for the target. The caller goes on with the rest,
    /// each side having half of the paths.
    pub fn fork(&mut self, frame: &Frame, cx: &mut Context, target: Pc, why: Why) {
        self.store.path.mass /= 2.0;
        let free = self.store.path.decided.decides(why);
        self.store.path.lost |= !free;
        let mut kept = self.keep(frame);
        kept.pc = target;
        self.add_pending(frame, cx, kept);
    }

    /// Keeps a state for its position, joined with the one already there.
    pub fn add_pending(&mut self, frame: &Frame, cx: &mut Context, kept: Pending) {
        let from = frame.pc;
        for l in &mut cx.loops {
            if l.holds(from) && !l.holds(kept.pc) {
                l.parts(from);
            }
        }
        Self::insert_pending(&mut self.fuel, cx, kept);
    }

    fn insert_pending(fuel: &mut u64, cx: &mut Context, kept: Pending) {
        match cx.pending.binary_search_by_key(&kept.pc, |p| p.pc) {
            Ok(at) => {
                *fuel = fuel.saturating_sub(2 + (kept.locals.len() + kept.stack.len()) as u64 / 8);
                join_kept(&mut cx.pending[at], &kept);
            }
            Err(at) => cx.pending.insert(at, kept),
        }
    }

    fn keep_yield(&mut self, cx: &mut Context, kept: Pending) {
        match cx.yields.iter_mut().find(|p| p.pc == kept.pc) {
            Some(old) => join_kept(old, &kept),
            None => cx.yields.push(kept),
        }
    }

    /// The current path leaves for a target: if other paths stay in a loop, that loop has been left by one path.
    fn leave_for(&mut self, cx: &mut Context, from: Pc, target: Pc) {
        if cx.loops.is_empty() || cx.pending.is_empty() {
            return;
        }
        for l in &mut cx.loops {
            if l.holds(from) && !l.holds(target) && cx.pending.iter().any(|p| l.holds(p.pc)) {
                l.left = true;
            }
        }
    }

    /// The current state has arrived at `frame.pc`: states that wait there are joined into it; if one waits at a smaller
    /// position, that one goes first.
    fn settle(&mut self, frame: &mut Frame, cx: &mut Context) -> bool {
        while let Some(first) = cx.pending.first() {
            if first.pc > frame.pc {
                break;
            }
            if first.pc == frame.pc {
                let kept = cx.pending.remove(0);
                let mut mine = Pending {
                    pc: frame.pc,
                    locals: std::mem::take(&mut frame.locals),
                    stack: std::mem::take(&mut frame.stack),
                    handling: std::mem::take(&mut frame.handling),
                    store: kept.store.clone(),
                };
                self.fuel = self.fuel.saturating_sub(2 + (mine.locals.len() + mine.stack.len()) as u64 / 8);
                std::mem::swap(&mut mine.store, &mut self.store);
                join_kept(&mut mine, &kept);
                self.load(frame, mine);
            } else {
                let mine = self.keep(frame);
                let first = cx.pending.remove(0);
                Self::insert_pending(&mut self.fuel, cx, mine);
                self.load(frame, first);
            }
        }
        self.drop_loops(cx, frame.pc);
        true
    }

    /// The current path has ended: goes on with the first kept state, if any.
    fn resume(&mut self, frame: &mut Frame, cx: &mut Context) -> bool {
        if cx.pending.is_empty() {
            frame.pc = 0;
            return false;
        }
        let first = cx.pending.remove(0);
        self.load(frame, first);
        self.drop_loops(cx, frame.pc);
        true
    }

    /// Forgets the loops that do not hold the position.
    fn drop_loops(&mut self, cx: &mut Context, pc: Pc) {
        while let Some(last) = cx.loops.last() {
            if last.spans(pc) {
                break;
            }
            self.pop_loop(cx);
        }
    }

    pub fn pop_loop(&mut self, cx: &mut Context) {
        if let Some(last) = cx.loops.pop() {
            self.loop_floor = last.outer_floor();
            if last.is_abstract() {
                self.abstract_loops -= 1;
            }
        }
    }

    /// The operation just evaluated may raise: keeps that state for the handler, or for the end of the frame.
    fn keep_raised(&mut self, frame: &mut Frame, cx: &mut Context) {
        let Some(raised) = self.raised.take() else { return };
        let spot = self.spot();
        let (target, depth) = match self.handler(spot) {
            Some(handler) => (handler.target, handler.depth as usize),
            None => (RAISE, 0),
        };
        for l in &mut cx.loops {
            if !l.holds(target) {
                l.left = true;
                l.raises = true;
            }
        }
        let Some(mut store) = raised.store else {
            if target == RAISE {
                // Nobody catches it: the path ends, and nothing more needs to be known about it. Loops further out are told.
                self.uncaught_raises += 1;
            }
            return;
        };
        let mut stack: Vec<V> = frame.stack.iter().take(depth).cloned().collect();
        while stack.len() < depth {
            stack.push(V::Unknown(Why::Lost));
        }
        stack.push(raised.exception);
        let handling = if target == RAISE { Vec::new() } else { frame.handling.clone() };
        store.path.mass = (store.path.mass / 2.0).max(f64::MIN_POSITIVE);
        let kept = Pending { pc: target, locals: frame.locals.clone(), stack, handling, store };
        self.fuel = self.fuel.saturating_sub(2 + (frame.locals.len() / 16) as u64);
        Self::insert_pending(&mut self.fuel, cx, kept);
    }
}

fn join_kept(a: &mut Pending, b: &Pending) {
    let widen = false;
    a.store.join(&b.store, widen);
    for (x, y) in a.locals.iter_mut().zip(&b.locals) {
        if x != y {
            *x = a.store.join_values(x, y, widen);
        }
    }
    for (x, y) in a.stack.iter_mut().zip(&b.stack) {
        if x != y {
            *x = a.store.join_values(x, y, widen);
        }
    }
    let common = a.handling.len().min(b.handling.len());
    a.handling.truncate(common);
    for (x, y) in a.handling.iter_mut().zip(&b.handling) {
        if x != y {
            *x = a.store.join_values(x, y, widen);
        }
    }
}

/// The value of a literal.
pub fn constant(literal: &Const) -> V {
    match literal {
        Const::None => V::None,
        Const::Bool(b) => V::Bool(*b),
        Const::Int(n) => V::Int(*n),
        Const::BigInt { bits_low, bits_high, .. } => V::int(Int::bits(*bits_low, *bits_high, Sign::Positive), Why::Lost),
        Const::Float(f) => V::Float(*f),
        Const::Complex(_) => V::Complex(Why::Lost),
        Const::Str(s) => V::str(s),
        Const::Bytes(b) => V::bytes(b),
        Const::Ellipsis => V::Ellipsis,
    }
}

/// Which globals each code reads and writes, the code inside it included.
fn touched(program: &Program) -> Vec<Touched> {
    let mut out: Vec<Touched> = vec![Touched::default(); program.codes.len()];
    for (i, code) in program.codes.iter().enumerate().rev() {
        let mut mine = std::mem::take(&mut out[i]);
        for op in &code.ops {
            match op {
                Op::LoadGlobal(n) | Op::LoadName(n) => mine.reads.push(n.0),
                Op::StoreGlobal(n) | Op::DeleteGlobal(n) => mine.writes.push(n.0),
                _ => {}
            }
        }
        mine.reads.sort_unstable();
        mine.reads.dedup();
        mine.writes.sort_unstable();
        mine.writes.dedup();
        if let Some(parent) = code.parent
            && (parent.0 as usize) < i
            && parent.0 != 0
        {
            let up = &mut out[parent.0 as usize];
            up.reads.extend(&mine.reads);
            up.writes.extend(&mine.writes);
        }
        out[i] = mine;
    }
    out
}

/// Whether hashing an object of the program changes something, or an object is given another class: neither is followed.
fn has_hidden_effects(program: &Program) -> bool {
    let name = |id: NameId| &*program.names[id.0 as usize];
    let acts = |op: &Op| {
        matches!(op, Op::StoreAttr(_) | Op::StoreGlobal(_) | Op::StoreItem | Op::StoreDeref(_) | Op::Raise(_) | Op::CallMethod(..))
    };
    program.codes.iter().any(|code| {
        name(code.name) == "__hash__" && code.ops.iter().any(acts)
            || code.ops.iter().any(|op| matches!(op, Op::StoreAttr(attribute) if name(*attribute) == "__class__"))
    })
}
