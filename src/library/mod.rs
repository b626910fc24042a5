//! What Python's callables do: a callable's qualified name gives its effect on values, exceptions and cost.
//!
//! A transfer function is `fn(&mut dyn Host, Args) -> R<V>`. It works on abstract values, asks the [`Host`] for everything
//! that may run user code (calling, iterating, comparing, truth), declares what it may raise with [`Host::may_raise`],
//! raises for certain with [`Host::raise`], adds its least cost with [`Host::cost`], burns fuel for its own work with
//! [`Host::burn`] and reports hazards with [`Host::fact`] and [`Host::integer`]. What it returns must contain every value
//! the real callable can return for any members of its operands; a callable without a transfer function is an unknown one:
//! its arguments escape, it may raise anything, and its result is unknown.
//!
//! One module per Python module. [`find`] maps names to functions.

use smallvec::SmallVec;

use crate::fact::{FactKind, Measure, Proof};
use crate::limits::Limits;
use crate::syntax::code::{BinaryOp, CompareOp};
use crate::value::object::{Items, Obj, ObjId, Sym, V, Why};
use crate::value::store::Store;

pub mod builtins;
pub mod common;
pub mod exceptions;
pub mod methods;
pub mod modules;

/// What a program finds on its standard input.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Default)]
pub enum Stdin {
    /// It is open, and nothing ever comes.
    #[default]
    Silent,
    /// Its end.
    Empty,
    /// Something.
    Given,
}

/// Why evaluation of an expression does not go on.
#[derive(Debug, Clone, PartialEq)]
pub enum Stop {
    /// It raises this for certain.
    Raise(V),
    /// Nothing comes after it (an endless loop, or every path has been taken elsewhere).
    Dead,
    /// The fuel is spent.
    Fuel,
}

/// A value, or why there is none.
pub type R<T> = Result<T, Stop>;

/// What `next` gives.
#[derive(Debug, Clone, PartialEq)]
pub enum Next {
    /// An item for certain.
    Item(V),
    /// An item, or the end.
    Maybe(V),
    /// The end for certain.
    End,
}

/// The arguments of a call.
#[derive(Debug, Clone, Default)]
pub struct Args {
    /// Positional arguments.
    pub pos: SmallVec<[V; 4]>,
    /// Keyword arguments.
    pub kw: Vec<(Sym, V)>,
    /// Whether there may be further arguments of which nothing is known (`*unknown`).
    pub open: bool,
}

impl Args {
    /// Positional arguments only.
    pub fn of(pos: impl IntoIterator<Item = V>) -> Args {
        Args { pos: pos.into_iter().collect(), kw: Vec::new(), open: false }
    }

    /// The positional argument at `at`, or the keyword argument of that name.
    pub fn get(&self, at: usize, name: &str) -> Option<&V> {
        self.pos.get(at).or_else(|| self.keyword(name))
    }

    /// The keyword argument.
    pub fn keyword(&self, name: &str) -> Option<&V> {
        self.kw.iter().find(|(n, _)| &*n.text() == name).map(|(_, v)| v)
    }

    /// Whether there are exactly so many positional arguments and nothing else.
    pub fn exactly(&self, n: usize) -> bool {
        self.pos.len() == n && self.kw.is_empty() && !self.open
    }

    /// All argument values.
    pub fn values(&self) -> Vec<V> {
        self.pos.iter().cloned().chain(self.kw.iter().map(|(_, v)| v.clone())).collect()
    }
}

/// What was taken out of an iterable.
#[derive(Debug, Clone)]
pub struct Taken {
    /// The items: known by position, then bounded.
    pub items: Items,
    /// Whether the iterable never ends and never raises (then taking it all never returns; `items` bounds all that comes).
    pub endless: bool,
}

/// What transfer functions may ask of the evaluator.
pub trait Host {
    /// The state.
    fn store(&mut self) -> &mut Store;
    /// The limits to judge by.
    fn limits(&self) -> &Limits;
    /// The versions of Python 3 the claims must hold for (oldest and newest minor).
    fn target(&self) -> (u8, u8);
    /// Spends fuel.
    fn burn(&mut self, steps: u64) -> R<()>;
    /// Spends fuel on what a pattern is by itself, whatever calls it: a share of the program's is kept for that.
    fn burn_on_pattern(&mut self, steps: u64) -> R<()>;
    /// Adds to the least time the program has run.
    fn cost(&mut self, seconds: f64);
    /// As [`Host::cost`], for what `callee` does with all of an iterable.
    fn spend(&mut self, seconds: f64, callee: &str, iterable: &V);
    /// The program writes at least so many bytes to its standard output or error.
    fn writes(&mut self, bytes: u64, callee: &str);
    /// From here the operation may also raise this builtin class (the empty string: anything).
    fn may_raise(&mut self, class: &str);
    /// A definite exception, as the `Err` to return.
    fn raise(&mut self, class: &str, message: &str) -> Stop;
    /// Calls.
    fn call(&mut self, callable: &V, args: Args) -> R<V>;
    /// `iter(value)`.
    fn iterate(&mut self, value: &V) -> R<V>;
    /// `next(iterator)`.
    fn next(&mut self, iterator: &V) -> R<Next>;
    /// Everything an iterable gives, in order. Consumes it. Of an endless one the rest bounds all that ever comes.
    fn take(&mut self, iterable: &V) -> R<Taken>;
    /// What [`Host::take`] would give, where nothing in it may raise. The state stays as it is.
    fn foresee(&mut self, iterable: &V) -> R<Option<Taken>>;
    /// At least how many items an iterator gives from here, unless something raises ([`u64::MAX`]: it never ends).
    fn remaining(&mut self, iterator: &V) -> u64;
    /// At least how many times a loop goes round to take all of an iterator, what it passes over included, unless something
    /// raises.
    fn steps(&mut self, iterator: &V) -> u64;
    /// Least seconds that passing over all of it takes, unless something raises.
    fn passing(&mut self, iterator: &V) -> f64;
    /// `bool(value)`, when known.
    fn truth(&mut self, value: &V) -> R<Option<bool>>;
    /// A comparison.
    fn compare(&mut self, op: CompareOp, a: &V, b: &V) -> R<V>;
    /// A binary operation.
    fn binary(&mut self, op: BinaryOp, a: &V, b: &V) -> R<V>;
    /// `value.name`.
    fn attribute(&mut self, value: &V, name: Sym) -> R<V>;
    /// `value.name = new`; [`V::Undef`] deletes the attribute.
    fn set_attribute(&mut self, value: &V, name: Sym, new: V) -> R<()>;
    /// Runs something for each of several possible values from the same state, and joins what comes out.
    fn each_of(&mut self, all: &[V], run: &mut dyn FnMut(&mut dyn Host, &V) -> R<V>) -> R<V>;
    /// `len(value)`.
    fn length(&mut self, value: &V) -> R<V>;
    /// `value[index]`.
    fn item(&mut self, value: &V, index: &V) -> R<V>;
    /// `str(value)` (or its `repr`).
    fn text(&mut self, value: &V, repr: bool) -> R<V>;
    /// Puts an object on the heap. Inside a loop that is being bounded, all objects made at one place are one.
    fn alloc(&mut self, obj: Obj) -> V;
    /// Joins a state kept earlier (a clone of the store) into the current one: what was done since may not have happened.
    fn join_state(&mut self, earlier: Store);
    /// Joins two values.
    fn join(&mut self, a: &V, b: &V) -> V;
    /// The value as key of a dict or member of a set; `Ok(None)` when it is not exactly known, an error when unhashable.
    fn key(&mut self, value: &V) -> R<Option<crate::value::object::Key>>;
    /// The unknown effect of a call into code without a model: arguments escape, anything may be raised.
    fn unknown_call(&mut self, args: &Args) -> V;
    /// Reports what was found at the operation being evaluated.
    fn fact(&mut self, kind: FactKind, measure: Option<Measure>, proof: Proof, words: &[(&'static str, String)]);
    /// Reports the bit length of an integer result of a function form, and marks the call as a guard site when it may pass
    /// the limit.
    fn integer(&mut self, kind: FactKind, op: &str, expression: String, bits: (u64, u64));
    /// An iterable without an end is consumed by `callee`, which never returns. `collects`: it keeps the items, so the memory
    /// ends, and a program that handles MemoryError may go on.
    fn never_returns(&mut self, iterable: &V, callee: &str, collects: bool) -> Stop;
    /// Whether something certainly goes well: it gives `true`, and nothing in it may raise. The state stays as it is.
    fn certainly(&mut self, run: &mut dyn FnMut(&mut dyn Host) -> R<bool>) -> R<bool>;
    /// What is done with values nobody knows how often; the answer is unknown where that leaves something behind.
    fn often(&mut self, values: &[V], run: &mut dyn FnMut(&mut dyn Host) -> R<V>) -> R<V>;
    /// Waits: seconds as an interval, reported against the timeout with everything before it.
    fn sleep(&mut self, low: f64, high: f64, callee: &str);
    /// Runs an awaitable to its end, as `await` does.
    fn wait(&mut self, awaitable: &V) -> R<V>;
    /// Something that can interrupt the program at any time has been installed.
    fn interruptible(&mut self);
    /// What is waited for never comes. `reason` is a fragment that says why.
    fn waits_forever(&mut self, kind: FactKind, callee: &str, reason: &str) -> Stop;
    /// At least how many seconds a call takes that runs beside the rest of the program, whatever that does meanwhile; infinite
    /// where it never comes back. The state stays as it is.
    fn lasts(&mut self, function: &V, args: Args) -> R<f64>;
    /// The same while this thread waits for it, and so does nothing else.
    fn lasts_meanwhile(&mut self, function: &V, args: Args) -> R<f64>;
    /// A thread has been started that the program waits for at its end, if nobody does before.
    fn left_running(&mut self, function: V, args: Args, callee: &str);
    /// Something is put into a queue.
    fn queued(&mut self, queue: &V, item: &V);
    /// What everything that ever comes out of a queue is one of ([`V::Undef`]: nothing ever does), where the thread that waits alone puts
    /// something into it.
    fn known_of_queue(&mut self, queue: &V) -> Option<V>;
    /// The same of something that is awaited by a task of its own, and whether it may raise.
    fn lasts_awaited(&mut self, awaitable: &V) -> R<(f64, bool)>;
    /// A thread or process has been started that runs at least so many seconds.
    fn spawned(&mut self, seconds: f64, callee: &str);
    /// Threads or processes are made, at most so many; each runs what it is given once it is started.
    fn makes_others(&mut self, most: u32);
    /// At most how many threads and processes can come to what this one waits for, itself among them unless it waits for one of them. None
    /// where there may be others.
    fn flows_at_most(&mut self) -> Option<u32>;
    /// Whether a handler around here may take an exception of a class.
    fn is_handled(&mut self, class: &str) -> bool;
    /// What is on standard input.
    fn stdin(&self) -> Stdin;
    /// Whether the program is a file, of which `__file__` is the path.
    fn is_file(&self) -> bool;
    /// Whether the program certainly runs without arguments.
    fn is_bare(&self) -> bool;
    /// Whether advancing an iterator runs code of the program.
    fn runs_code(&self, iterator: &V) -> bool;
    /// Whether the program mentions one of some names anywhere.
    fn mentions(&self, names: &[&str]) -> bool;
    /// The same, but for what this thread comes to only when the operation being evaluated is over, and `except` clauses.
    fn mentions_yet(&self, names: &[&str]) -> bool;
    /// Whether a text of the program's holds these letters.
    fn spells(&self, letters: &str) -> bool;
    /// Whether anybody may look up or assign one of these attributes: the program, or code that is not seen.
    fn accesses(&self, attributes: &[&str]) -> bool;
    /// Whether no code but the one that runs looks up this attribute.
    fn is_only_place_of(&self, attribute: &str) -> bool;
    /// Whether the program imports none but these modules, and what is in them.
    fn imports_only(&self, modules: &[&[&str]]) -> bool;
    /// Whether what is said here is proven, or something could interrupt the program.
    fn proof(&self) -> Proof;
    /// Whether a global variable holds an object.
    fn is_global(&self, value: &V) -> bool;
    /// The same for a time that is over a limit with what came before, of which so many seconds are of this operation alone.
    fn proof_of_sum(&self, seconds: f64) -> Proof;
    /// Whether every path through the program leads here.
    fn is_certain(&self) -> bool;
    /// Whether so many functions have been called in one another that twice as many could be too many.
    fn is_deep(&self) -> bool;
    /// Whether the call stands in a loop that no statement leaves.
    fn is_in_closed_loop(&self) -> bool;
    /// Whether nobody looks at what the operation being evaluated gives.
    fn is_discarded(&self) -> bool;
    /// Whether what the operation being evaluated gives is at once iterated over.
    fn is_iterated_at_once(&self) -> bool;
    /// The text of the operation being evaluated, without white space.
    fn call_text(&self) -> String;
    /// The class or type of a value, when known: a class of the program or a library type.
    fn class_of(&mut self, value: &V) -> Option<V>;
    /// `isinstance(value, classes)`, when known.
    fn is_instance(&mut self, value: &V, classes: &V) -> Option<bool>;
    /// The globals of the calling frame and such: values only the evaluator has (`globals()`, `locals()`, `super()`).
    fn special(&mut self, name: &str, args: Args) -> R<V>;
}

/// A transfer function.
pub type Transfer = fn(&mut dyn Host, Args) -> R<V>;

/// What a qualified library name stands for.
#[derive(Clone)]
pub enum Entry {
    /// A function with a model.
    Function(Transfer),
    /// A type whose constructor has a model.
    Type(Transfer),
    /// An exception class.
    Exception,
    /// A constant.
    Constant(V),
    /// A submodule.
    Module,
}

/// Looks a qualified name up (`math.factorial`, `str.upper`, builtins without a prefix).
pub fn find(name: &str) -> Option<Entry> {
    exceptions::find(name).or_else(|| builtins::find(name)).or_else(|| methods::find(name)).or_else(|| modules::find(name))
}

/// A heap list.
pub fn list(host: &mut dyn Host, items: Vec<V>) -> V {
    host.alloc(Obj::List(std::rc::Rc::new(Items { exact: items, rest: None })))
}

/// A heap list from what was taken out of an iterable.
pub fn list_of(host: &mut dyn Host, items: Items) -> V {
    host.alloc(Obj::List(std::rc::Rc::new(items)))
}

/// The heap object a value refers to.
pub fn object(host: &mut dyn Host, value: &V) -> Option<(ObjId, Obj)> {
    match value {
        V::Ref(id) => Some((*id, host.store().get(*id).clone())),
        _ => None,
    }
}

/// The least and greatest number of items.
pub fn count(items: &Items) -> (u64, u64) {
    let n = items.exact.len() as u64;
    items.rest.as_ref().map_or((n, n), |r| (n.saturating_add(r.low), n.saturating_add(r.high)))
}

/// Why an operation on these values is not exact.
pub fn why(values: &[&V]) -> Why {
    Why::of_all(values.iter().filter_map(|v| v.why())).unwrap_or(Why::Lost)
}
