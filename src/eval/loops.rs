//! Loops: run while they last, watched for a repeated state; then bounded by an invariant.
//!
//! A loop first runs concretely. From time to time its state is kept (Brent's method: at iterations that are powers of
//! two), and each later iteration compares itself with it. Equal states with nothing in between that could leave prove
//! the loop endless. Only the *slice* counts on which leaving depends: variables that no read in the loop needs, counters
//! whose update cannot raise, and lists that are only appended to are left out.
//!
//! When its share of the fuel is spent, or when it may have been left on some path for several iterations, the loop is
//! bounded instead: states at its head are joined and widened until nothing changes. If under that invariant nothing can
//! leave, it is endless; if it is left only by exhausting an iterator of known length, its least time is the number of
//! trips times the least cost of one.

use std::rc::Rc;

use crate::fact::{FactKind, Measure, Proof, Unit};
use crate::library::{R, Stop};
use crate::syntax::code::{BinaryOp, Code, CodeId, CodeKind, CompareOp, Loop, LoopKind, Op, Pc, UnaryOp};
use crate::value::counting::gcd_u128;
use crate::value::int::{Comparison, Int};
use crate::value::object::{Frame, IterKind, Obj, ObjId, Sym, Table, Tuple, V, Why};
use crate::value::store::{Path, Store, refers_to};

mod endless;
mod parts;
mod pooled;
mod worklist;

use endless::Evidence;
use parts::Parts;
use worklist::Worklist;

use super::machine::{Context, Machine, Pending};
use super::operators::comparison;

/// First iteration at which the state is kept for comparison.
const FIRST_SNAPSHOT: u64 = 4;

/// Iterations run concretely after some path may have left the loop.
const PEEL: u64 = 8;

/// Iterations run concretely inside a loop that is being bounded.
const MAX_INNER: u64 = 200;

/// Iterations after which such a loop is bounded that has many more to come.
const LONG_INNER: u64 = 16;

/// Items beyond which a list is not collected one by one.
const MANY_ITEMS: u64 = 1 << 16;

/// The same for a list that is not known anyway, and for nested comprehensions.
const FEWER_ITEMS: u64 = 1 << 10;

/// Iterations before which it is tried whether an invariant shows that nothing leaves the loop.
const TRIALS: [u64; 2] = [16, 128];

/// Fuel without which that is not tried.
const MIN_TRIAL: u64 = 2000;

/// After so many vain trials a loop is not tried again.
const MAX_FAILED_TRIALS: u32 = 4;

/// Passes joined without widening.
const PLAIN_PASSES: u32 = 2;

/// Passes after which everything that still changes is given up.
const MAX_PASSES: u32 = 40;

/// A state at a loop's head.
#[derive(Debug, Clone)]
pub struct Head {
    locals: Vec<V>,
    stack: Vec<V>,
    handling: Vec<V>,
    store: Store,
    known: u32,
    uncaught: u64,
}

/// How far the search for a smaller invariant has come.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
enum Narrowing {
    NotYet,
    Trying,
    Done,
}

/// What is known about a loop that is running.
#[derive(Debug, Clone)]
pub struct LoopState {
    pub id: u16,
    info: Loop,
    iterations: u64,
    stop_at: u64,
    outer_floor: u64,
    /// Whether some path may have left it (other than by exhausting its iterator).
    pub left: bool,
    left_at: u64,
    /// Whether leaving was by an exception.
    pub raises: bool,
    /// Whether its iterator may have been exhausted on some path.
    pub may_exhaust: bool,
    uncaught: u64,
    snapshot: Option<Box<Head>>,
    next_snapshot: u64,
    head: Option<Box<Head>>,
    /// The state with which bounding began, and what was kept for positions outside then.
    before: Option<Box<Head>>,
    kept: Vec<Pending>,
    /// The invariant that widening gave, while a smaller one is tried.
    invariant: Option<Box<Head>>,
    narrowing: Narrowing,
    passes: u32,
    entry: Path,
    /// The path when the loop was entered.
    start: Path,
    /// Objects that were made since then have numbers from here on.
    made_from: u32,
    /// Least further trips, when bounding began.
    trips: u64,
    head_cost: f64,
    /// Bytes written when bounding began.
    head_output: f64,
    /// The first values of the variable that should lead out, from the time on when it is watched.
    trail: Vec<String>,
    /// How much of the list it iterates over was left when it was last looked at.
    rest: Option<i128>,
    /// While only so many trips are bounded: what is known of them.
    reach: Option<Reach>,
    /// So many trips surely happen, each of at least so many seconds.
    surely: Option<(u64, f64)>,
    /// How often the program had slept when the loop was entered.
    slept: u64,
    /// Iterations that were run before bounding.
    ran: u64,
    slice: Option<Rc<Slice>>,
    /// The jump by which its condition ends it.
    condition_jump: Option<Pc>,
    /// Whether it is only tried whether an invariant shows that nothing leaves it.
    tried: bool,
    /// Whether it runs over a list that it appends to, of which only what is left is kept.
    grows: bool,
    /// The variable that counts its trips: where it was when bounding began, and by how much each trip changes it.
    counted: Option<Counted>,
    /// Its parts, while each is looked at by itself; that is done once.
    parts: Option<Box<Parts>>,
    parted: bool,
    /// The container that never empties, while that is tried.
    worklist: Option<Box<Worklist>>,
}

/// A variable that counts the trips of a loop.
#[derive(Debug, Clone, Copy)]
struct Counted {
    variable: Variable,
    /// Where it was at the beginning.
    from: Int,
    /// By how much each trip changes it.
    step: i128,
}

/// The first trips of a loop that counts: as many as take longer than the time limit. In all of them the counter lies within bounds,
/// so that an exit far beyond them does not count.
#[derive(Debug, Clone, Copy)]
struct Reach {
    counter: Variable,
    within: Int,
    trips: u64,
}

impl LoopState {
    /// A state is kept for a position outside of the loop.
    pub fn parts(&mut self, from: Pc) {
        if Some(from) == self.condition_jump {
            self.may_exhaust = true;
        } else {
            self.left = true;
        }
    }

    pub fn is_abstract(&self) -> bool {
        self.head.is_some()
    }

    /// Whether the position is in the part that repeats.
    pub fn holds(&self, pc: Pc) -> bool {
        self.info.holds(pc)
    }

    /// Whether what is kept for a position outside came there through the loop, from when it began to be bounded. Paths that came
    /// there before, past the loop or out of its first iterations, are kept as one with those that come now.
    fn is_way_out(&self, pc: Pc) -> bool {
        !self.holds(pc) && self.kept.iter().all(|before| before.pc != pc)
    }

    /// Whether the position is in the loop, its `else` part included.
    pub fn spans(&self, pc: Pc) -> bool {
        self.info.head <= pc && pc <= self.info.end
    }

    pub fn outer_floor(&self) -> u64 {
        self.outer_floor
    }
}

/// Which variables of a loop do not matter for leaving it.
#[derive(Debug, Default)]
pub struct Slice {
    /// Locals that are counters, write-only, or overwritten before they are read.
    free_locals: Vec<u16>,
    free_globals: Vec<u32>,
    /// Variables that are counters: exempt only while they hold ints.
    counters: Vec<Variable>,
    /// Variables that are counters and otherwise read modulo constants only, with a common multiple of these.
    modular: Vec<(Variable, i128)>,
    /// Variables whose only use is to append to the list they hold, or to extend it.
    appended: Vec<Variable>,
    /// Variables that are read in the loop, other than to append; and globals that other code reads.
    read: Vec<Variable>,
    /// Whether the condition is the constant true.
    constant: bool,
    /// Whether the condition calls something, or looks into an object.
    calls: bool,
    /// The variable that should lead out of the loop, and how it is compared.
    watched: Option<(Variable, CompareOp)>,
    condition: Vec<Variable>,
    /// Globals assigned in the loop that are not left out altogether.
    assigned: Vec<u32>,
}

#[derive(Debug, Clone, Copy, PartialEq, Eq, Hash)]
enum Variable {
    Local(u16),
    Global(u32),
    Deref(u16),
}

fn read_of(op: &Op) -> Option<Variable> {
    match op {
        Op::LoadLocal(s) => Some(Variable::Local(*s)),
        Op::LoadGlobal(n) | Op::LoadName(n) => Some(Variable::Global(n.0)),
        Op::LoadDeref(d) => Some(Variable::Deref(*d)),
        _ => None,
    }
}

fn write_of(op: &Op) -> Option<Variable> {
    match op {
        Op::StoreLocal(s) | Op::DeleteLocal(s) => Some(Variable::Local(*s)),
        Op::StoreGlobal(n) | Op::DeleteGlobal(n) | Op::StoreName(n) | Op::DeleteName(n) => Some(Variable::Global(n.0)),
        Op::StoreDeref(d) | Op::DeleteDeref(d) => Some(Variable::Deref(*d)),
        _ => None,
    }
}

impl Machine<'_> {
    pub fn loop_enter(&mut self, _frame: &Frame, cx: &mut Context, id: u16) {
        let Some(info) = self.spot_loop(id) else { return };
        let outer_floor = self.loop_floor;
        // Where a function calls itself, the loop in each call has what the first has.
        let recursive = self.calls_itself(self.spot().code);
        // Below the other floor no call would be followed any more when it is bounded.
        let floor = outer_floor.max(self.call_floor);
        let stop_at = if recursive { outer_floor } else { floor + self.fuel.saturating_sub(floor) / 2 };
        self.loop_floor = stop_at;
        cx.loops.push(LoopState {
            id,
            info,
            iterations: 0,
            stop_at,
            outer_floor,
            left: false,
            left_at: 0,
            raises: false,
            may_exhaust: false,
            uncaught: self.uncaught_raises,
            snapshot: None,
            next_snapshot: FIRST_SNAPSHOT,
            head: None,
            before: None,
            kept: Vec::new(),
            invariant: None,
            narrowing: Narrowing::NotYet,
            passes: 0,
            entry: self.store.path,
            start: self.store.path,
            made_from: self.store.allocated(),
            trips: 0,
            head_cost: 0.0,
            head_output: 0.0,
            trail: Vec::new(),
            rest: None,
            reach: None,
            surely: None,
            slept: self.sleeps,
            ran: 0,
            slice: None,
            condition_jump: self.condition_jump(&info),
            tried: false,
            grows: false,
            counted: None,
            parts: None,
            parted: false,
            worklist: None,
        });
    }

    /// Whether a code that runs is being run further out as well. Generators are not called where they run.
    fn calls_itself(&self, id: CodeId) -> bool {
        if self.code(id).is_generator {
            return self.frames.iter().filter(|frame| frame.code == id).count() > 1;
        }
        self.active.get(&id).is_some_and(|active| *active > 1)
    }

    fn condition_jump(&self, info: &Loop) -> Option<Pc> {
        if info.kind != LoopKind::While {
            return None;
        }
        let code = self.code(self.spot().code);
        (info.head..info.back).find(|&pc| match code.ops[pc as usize] {
            Op::JumpIfFalse(t) | Op::JumpIfTrue(t) => t > info.back,
            _ => false,
        })
    }

    fn spot_loop(&self, id: u16) -> Option<Loop> {
        self.code(self.spot().code).loops.get(id as usize).copied()
    }

    fn head_of(&self, frame: &Frame) -> Box<Head> {
        Box::new(Head {
            locals: frame.locals.clone(),
            stack: frame.stack.clone(),
            handling: frame.handling.clone(),
            store: self.store.clone(),
            known: self.store.allocated(),
            uncaught: self.uncaught_raises,
        })
    }

    pub fn loop_head(&mut self, frame: &mut Frame, cx: &mut Context, code: &Code, id: u16) -> R<()> {
        if cx.loops.last().is_none_or(|l| l.id != id) {
            // A generator resumed inside the loop.
            self.loop_enter(frame, cx, id);
        }
        let Some(mut l) = cx.loops.pop() else { return Ok(()) };
        let result = self.at_head(frame, cx, code, &mut l);
        cx.loops.push(l);
        result
    }

    fn at_head(&mut self, frame: &mut Frame, cx: &mut Context, code: &Code, l: &mut LoopState) -> R<()> {
        l.iterations += 1;
        if self.uncaught_raises != l.uncaught {
            l.left = true;
            l.raises = true;
        }
        if l.left && l.left_at == 0 {
            l.left_at = l.iterations;
        }
        if l.is_abstract() {
            return self.abstract_head(frame, cx, code, l);
        }
        self.store.path.retries |= (l.left || l.may_exhaust) && l.iterations > 1;
        let tired = self.fuel < l.stop_at;
        let open = l.left && l.iterations > l.left_at + PEEL && !self.few_trips_left(frame, l);
        let uncertain = l.may_exhaust && l.iterations > 2 * PEEL;
        // Inside a loop that is being bounded, each pass would run all of it again.
        let again = self.abstract_loops > 0
            && (l.iterations > MAX_INNER || l.iterations == LONG_INNER && l.info.kind == LoopKind::For && self.many_trips_left(frame));
        // What it is given is never known, and never ends.
        let blind = l.info.kind == LoopKind::For
            && l.iterations > 2 * PEEL
            && frame.stack.last().is_some_and(|iterator| self.repeats_something_unknown(iterator));
        if tired || open || uncertain || again || blind || self.collects_many(frame, code, l) {
            return self.begin_bounding(frame, cx, code, l);
        }
        if TRIALS.contains(&l.iterations) && !l.left && !l.may_exhaust && self.never_left(frame, code, l) {
            let slice = self.slice_of(frame.code, code, l.id);
            let evidence = match self.position_in_list(frame) {
                Some(_) if l.info.kind == LoopKind::For => Evidence::Repeats { now: l.iterations, before: l.iterations },
                _ => Evidence::Invariant,
            };
            return self.report_endless(frame, code, l, &slice, evidence);
        }
        if l.info.kind == LoopKind::For && (l.iterations == 2 || l.iterations == l.next_snapshot) {
            self.measure_rest(frame, l);
        }
        let watched = l.info.kind == LoopKind::While || self.growing(frame, l).is_some();
        if !l.left && !l.may_exhaust && l.iterations >= FIRST_SNAPSHOT && watched {
            if let Some(snapshot) = l.snapshot.take() {
                let slice = self.slice_of(frame.code, code, l.id);
                l.slice = Some(slice.clone());
                if self.repeats(frame, l, &snapshot, &slice) {
                    let evidence = Evidence::Repeats { now: l.iterations, before: l.next_snapshot / 2 };
                    return self.report_endless(frame, code, l, &slice, evidence);
                }
                self.follow(frame, l, &slice);
                l.snapshot = Some(snapshot);
            }
            if l.iterations == l.next_snapshot {
                l.next_snapshot *= 2;
                self.fuel = self.fuel.saturating_sub(2);
                l.snapshot = Some(self.head_of(frame));
            }
        }
        Ok(())
    }

    /// Whether a comprehension has so many items to come that its list is known by its length only, which bounding it gives as well.
    fn collects_many(&mut self, frame: &Frame, code: &Code, l: &LoopState) -> bool {
        l.iterations == LONG_INNER
            && self.abstract_loops == 0
            && code.kind == CodeKind::Comprehension
            && !code.is_generator
            && code.loops.iter().all(|other| l.info.head <= other.head)
            && collects_all(&code.ops[l.info.head as usize..l.info.back as usize])
            && frame.stack.last().cloned().is_some_and(|it| {
                // Where not all is known of what it runs over, or where there are loops inside, running it soon costs too much.
                let many = if code.loops.len() > 1 || self.partly_known(&it) { FEWER_ITEMS } else { MANY_ITEMS };
                self.remaining_low(&it) > many
            })
    }

    /// Whether an iterator runs over a list that is known to a part only.
    fn partly_known(&self, iterator: &V) -> bool {
        let Some(Obj::Iter(i)) = self.obj(iterator) else { return false };
        let sequence = matches!(i.kind, IterKind::Sequence | IterKind::Reversed);
        sequence && matches!(self.obj(&i.parts[0]), Some(Obj::List(items)) if items.rest.is_some())
    }

    /// Whether an invariant shows already that nothing leaves a loop, long before the fuel is spent on running it. What it keeps
    /// may grow with every iteration, so that it cannot be run for long. The state stays as it is.
    fn never_left(&mut self, frame: &Frame, code: &Code, l: &LoopState) -> bool {
        let failed = self.failed_trials.get(&(frame.code, l.id)).copied().unwrap_or(0);
        let grows = self.may_outgrow(frame, code, l);
        let can_be = grows || l.info.kind == LoopKind::While || frame.stack.last().is_some_and(|it| self.is_code_of_program(it));
        if !can_be || self.abstract_loops > 0 || failed >= MAX_FAILED_TRIALS {
            return false;
        }
        let trial = LoopState { tried: true, grows, ..l.clone() };
        self.holds_in_trial(frame, code, trial.clone())
            || self
                .worklist(frame, code, l)
                .is_some_and(|list| self.holds_in_trial(frame, code, LoopState { worklist: Some(list), grows: false, ..trial }))
    }

    /// Whether a loop that is bounded from here on is never left. The state stays as it is.
    fn holds_in_trial(&mut self, frame: &Frame, code: &Code, mut trial: LoopState) -> bool {
        let fuel = (self.fuel / 16).min(self.fuel_for_trials);
        if fuel < MIN_TRIAL {
            return false;
        }
        let at = (frame.code, trial.id);
        let state = (self.store.clone(), self.facts.clone(), self.raised.take());
        let counts = (self.facts_reported, self.sleeps, self.uncaught_raises, self.recursions);
        let (left, floors, chain) = (self.fuel - fuel, (self.call_floor, self.loop_floor), self.call_chain);
        let (last_return, spawner, visited) = (self.last_return.clone(), self.spawner.clone(), self.visited.clone());
        self.fuel = fuel;
        (self.call_floor, self.loop_floor) = (0, 0);
        let (mut frame_of_trial, mut cx) = (frame.clone(), Context::default());
        self.trial_holds = false;
        if trial.grows {
            self.drop_taken(frame);
        }
        let begun = self.begin_bounding(&mut frame_of_trial, &mut cx, code, &mut trial).is_ok();
        if begun && (trial.worklist.is_none() || self.begin_worklist(&mut frame_of_trial, &mut cx, &mut trial)) {
            cx.loops.push(trial);
            frame_of_trial.pc += 1;
            self.run_on(&mut frame_of_trial, &mut cx);
        }
        self.abstract_loops = 0;
        if let Some(top) = self.frames.last_mut() {
            top.pc = frame.pc;
        }
        self.fuel_for_trials -= fuel - self.fuel.min(fuel);
        self.fuel += left;
        (self.store, self.facts, self.raised) = state;
        (self.facts_reported, self.sleeps, self.uncaught_raises, self.recursions) = counts;
        (self.call_floor, self.loop_floor) = floors;
        self.call_chain = chain;
        (self.last_return, self.spawner, self.visited) = (last_return, spawner, visited);
        if !self.trial_holds {
            *self.failed_trials.entry(at).or_insert(0) += 1;
        }
        std::mem::take(&mut self.trial_holds)
    }

    /// Whether what comes next is for code of the program to say: where it always gives an item, it has no end.
    fn is_code_of_program(&self, iterator: &V) -> bool {
        match iterator {
            V::Ref(id) => match self.store.get(*id) {
                Obj::Generator(_) | Obj::Instance { class: V::Ref(_), .. } => true,
                Obj::Iter(i) => match i.kind {
                    IterKind::Callable => true,
                    IterKind::Map | IterKind::Starmap | IterKind::TakeWhile => {
                        i.parts[1..].iter().all(|part| self.is_code_of_program(part))
                    }
                    IterKind::Enumerate => self.is_code_of_program(&i.parts[0]),
                    _ => false,
                },
                _ => false,
            },
            _ => false,
        }
    }

    /// Keeps how much of a list is left to iterate over. A list whose rest shrinks is no case for a snapshot.
    fn measure_rest(&self, frame: &Frame, l: &mut LoopState) {
        let rest = match frame.stack.last() {
            Some(V::Ref(iterator)) => rest_of(&self.store, *iterator).map(|rest| rest.len() as i128),
            _ => None,
        };
        let grows = rest.zip(l.rest).is_some_and(|(now, before)| now >= before);
        l.rest = rest;
        if l.iterations == l.next_snapshot && !grows {
            l.snapshot = None;
            l.next_snapshot *= 2;
        }
    }

    /// The iterator and the list of a `for` loop over a list of which no less is left than before.
    fn growing(&self, frame: &Frame, l: &LoopState) -> Option<(ObjId, ObjId)> {
        let V::Ref(iterator) = frame.stack.last()? else { return None };
        let Obj::Iter(i) = self.store.get(*iterator) else { return None };
        let (IterKind::Sequence, [V::Ref(list), V::Int(at)]) = (i.kind, i.parts.as_slice()) else { return None };
        match self.store.get(*list) {
            Obj::List(items) if items.rest.is_none() && l.rest.is_some_and(|rest| items.exact.len() as i128 - *at >= rest) => {
                Some((*iterator, *list))
            }
            _ => None,
        }
    }

    /// Whether what is left of a list that grows while it is iterated is the same as it was, and the loop does nothing with
    /// the list but append to it.
    fn same_rest(
        &self,
        frame: &Frame,
        then: &Head,
        slice: &Slice,
        (iterator, list): (ObjId, ObjId),
        pairs: &mut Vec<(ObjId, ObjId)>,
    ) -> bool {
        let (Some(now), Some(before)) = (rest_of(&self.store, iterator), rest_of(&then.store, iterator)) else { return false };
        let same =
            now.len() == before.len() && now.len() <= 64 && now.iter().zip(before).all(|(a, b)| self.same(a, b, &then.store, pairs, 0));
        if !same {
            return false;
        }
        self.only_appended(frame, slice, list)
    }

    /// Whether the loop does nothing with a list it iterates over but append to it, and nobody else can.
    fn only_appended(&self, frame: &Frame, slice: &Slice, list: ObjId) -> bool {
        let variables = (0..frame.locals.len() as u16).map(Variable::Local).chain((0..self.names.len() as u32).map(Variable::Global));
        let mut holders = 0;
        for v in variables {
            if self.variable(frame, v).is_some_and(|value| refers_to(&value, list)) {
                if slice.read.contains(&v) {
                    return false;
                }
                holders += 1;
            }
        }
        // The iterator is the one object that refers to it; a call in the loop cannot reach it through anything else.
        holders > 0 && self.store.references(list) == 1 && frame.stack.iter().filter(|v| refers_to(v, list)).count() == 0
    }

    /// Drops what a loop over a list that grows has taken already: what is left decides whether it goes on.
    fn drop_taken(&mut self, frame: &Frame) {
        let Some(iterator) = self.position_in_list(frame) else { return };
        let Obj::Iter(i) = self.store.get(iterator) else { return };
        let [V::Ref(list), V::Int(at)] = i.parts.as_slice() else { return };
        let (list, Ok(at)) = (*list, usize::try_from(*at)) else { return };
        self.store.mutate(list, true, |obj| {
            let Obj::List(items) = obj else { return };
            let items = Rc::make_mut(items);
            let known = at.min(items.exact.len());
            items.exact.drain(..known);
            if let Some(rest) = &mut items.rest {
                rest.low = rest.low.saturating_sub((at - known) as u64);
                rest.high = if rest.high == u64::MAX { u64::MAX } else { rest.high.saturating_sub((at - known) as u64) };
            }
        });
        self.store.mutate(iterator, true, |obj| {
            if let Obj::Iter(i) = obj {
                i.parts[1] = V::Int(0);
            }
        });
    }

    /// The iterator over a list that a `for` loop advances, itself or by `enumerate`.
    fn position_in_list(&self, frame: &Frame) -> Option<ObjId> {
        let mut iterator = match frame.stack.last()? {
            V::Ref(iterator) => *iterator,
            _ => return None,
        };
        for _ in 0..2 {
            let Obj::Iter(i) = self.store.get(iterator) else { return None };
            match (i.kind, i.parts.as_slice()) {
                (IterKind::Sequence, [V::Ref(list), V::Int(_)]) => {
                    return matches!(self.store.get(*list), Obj::List(_)).then_some(iterator);
                }
                (IterKind::Enumerate, [V::Ref(inner), _]) => iterator = *inner,
                _ => return None,
            }
        }
        None
    }

    /// Whether a `for` loop runs over a list to which it only appends, so that it may never come to its end.
    fn may_outgrow(&mut self, frame: &Frame, code: &Code, l: &LoopState) -> bool {
        let Some(iterator) = self.position_in_list(frame).filter(|_| l.info.kind == LoopKind::For) else { return false };
        let Obj::Iter(i) = self.store.get(iterator) else { return false };
        let V::Ref(list) = i.parts[0] else { return false };
        let slice = self.slice_of(frame.code, code, l.id);
        !slice.appended.is_empty() && self.only_appended(frame, &slice, list) && !self.store.is_summary(list)
    }

    /// Whether a `for` loop has more trips to come than would be run inside a loop that is being bounded.
    fn many_trips_left(&mut self, frame: &Frame) -> bool {
        frame.stack.last().cloned().is_some_and(|iterator| self.remaining_low(&iterator) > MAX_INNER)
    }

    /// A `for` loop over something short goes on concretely.
    fn few_trips_left(&mut self, frame: &Frame, l: &LoopState) -> bool {
        if l.info.kind != LoopKind::For {
            return false;
        }
        let Some(V::Ref(id)) = frame.stack.last() else { return false };
        let known = match self.store.get(*id) {
            Obj::Iter(i) => match (i.kind, i.parts.as_slice()) {
                (IterKind::Range, [V::Int(at), V::Int(stop), V::Int(step)]) => super::iteration::range_length(*at, *stop, *step) <= 300,
                (IterKind::Sequence, [V::Tuple(t), V::Int(_)]) => matches!(&**t, Tuple::Exact(items) if items.len() <= 300),
                (IterKind::Sequence, [V::Str(s), V::Int(_)]) => s.len() <= 300,
                (IterKind::Sequence, [V::Ref(list), V::Int(_)]) => {
                    matches!(self.store.get(*list), Obj::List(items) if items.rest.is_none() && items.exact.len() <= 300)
                }
                _ => false,
            },
            _ => false,
        };
        known && l.iterations < 400
    }

    fn begin_bounding(&mut self, frame: &mut Frame, cx: &mut Context, code: &Code, l: &mut LoopState) -> R<()> {
        l.trips = if l.info.kind == LoopKind::For {
            match frame.stack.last().cloned() {
                Some(iterator) if self.keeps_its_length(&iterator) => self.remaining_low(&iterator),
                _ => 0,
            }
        } else {
            let counted = self.counted(frame, code, l);
            l.counted = counted.map(|(_, counter)| counter);
            counted.map_or(0, |(trips, _)| trips)
        };
        self.pool_what_was_made(frame, l);
        if let Some(iterator) = frame.stack.last().filter(|_| l.info.kind == LoopKind::For).cloned() {
            self.settle_begun_cycle(&iterator);
        }
        l.ran = l.iterations - 1;
        l.entry = self.store.path;
        l.snapshot = None;
        l.head = Some(self.head_of(frame));
        l.head_cost = self.store.path.cost;
        l.head_output = self.store.path.output;
        l.passes = 0;
        l.left = false;
        l.may_exhaust = false;
        l.uncaught = self.uncaught_raises;
        l.raises = false;
        l.before = l.head.clone();
        l.kept.clone_from(&cx.pending);
        l.narrowing = Narrowing::NotYet;
        l.reach = if l.trips == 0 && !l.tried { self.first_trips(frame, code, l) } else { None };
        // Loops inside may run again: this one keeps nothing for itself any more.
        self.loop_floor = l.outer_floor;
        self.enter_abstract();
        Ok(())
    }

    /// Starts a pass through the loop from a state at its head. What earlier passes kept for positions outside is dropped:
    /// this pass starts from more, so it covers them.
    fn start_pass(&mut self, frame: &mut Frame, cx: &mut Context, l: &mut LoopState, head: Box<Head>) {
        frame.locals.clone_from(&head.locals);
        frame.stack.clone_from(&head.stack);
        frame.handling.clone_from(&head.handling);
        self.store = head.store.clone();
        cx.pending.clone_from(&l.kept);
        l.head = Some(head);
        l.left = false;
        l.may_exhaust = false;
        l.raises = false;
        l.uncaught = self.uncaught_raises;
    }

    /// A counter of a `while` loop, and where it is during as many trips as the time limit surely does not allow.
    fn first_trips(&mut self, frame: &Frame, code: &Code, l: &LoopState) -> Option<Reach> {
        if l.info.kind != LoopKind::While || l.ran == 0 {
            return None;
        }
        let each = (self.store.path.cost - l.start.cost) / l.ran as f64;
        let left = self.settings.limits.timeout - self.store.path.cost;
        if each <= 0.0 || left <= 0.0 {
            return None;
        }
        // Not every path through the loop takes as long as the ones that were run.
        let trips = (left / each * 2.0).ceil() + 1.0;
        if trips > 1e15 {
            return None;
        }
        let written = (l.info.head as usize..=l.info.back as usize).filter_map(|at| write_of(&code.ops[at])).collect::<Vec<_>>();
        for counter in written {
            let Some(step) = self.step_of(frame.code, code, &l.info, counter) else { continue };
            if self.unchanging(counter).is_none() {
                continue;
            }
            let Some(V::Int(start)) = self.variable(frame, counter) else { continue };
            let Some(end) = step.checked_mul(trips as i128).and_then(|far| start.checked_add(far)) else { continue };
            return Some(Reach { counter, within: Int::range(start.min(end), start.max(end)), trips: trips as u64 });
        }
        None
    }

    /// Keeps the counter where it is during the first trips. False: there is no state of those trips.
    fn keep_within(reach: Reach, locals: &mut [V], store: &mut Store) -> bool {
        let value = match reach.counter {
            Variable::Local(slot) => locals.get(slot as usize).cloned(),
            Variable::Global(name) => Some(store.global(name)),
            Variable::Deref(_) => None,
        };
        let Some(V::Ints(known)) = value else { return true };
        let Some(met) = known.0.meet(&reach.within) else { return false };
        let new = V::int(met, known.1);
        match reach.counter {
            Variable::Local(slot) => locals[slot as usize] = new,
            Variable::Global(name) => store.set_global(name, new),
            Variable::Deref(_) => {}
        }
        true
    }

    /// The first trips alone do not show that the loop is too long: all of them are looked at.
    fn look_at_all(&mut self, frame: &mut Frame, cx: &mut Context, l: &mut LoopState) {
        l.reach = None;
        l.passes = 0;
        l.narrowing = Narrowing::NotYet;
        l.invariant = None;
        if let Some(before) = l.before.clone() {
            self.start_pass(frame, cx, l, before);
        }
    }

    fn abstract_head(&mut self, frame: &mut Frame, cx: &mut Context, code: &Code, l: &mut LoopState) -> R<()> {
        l.passes += 1;
        self.burn(8)?;
        if let Some(parts) = l.parts.take() {
            return self.at_part(frame, cx, code, l, parts);
        }
        if let Some(list) = l.worklist.take() {
            return self.at_worklist(frame, cx, l, list);
        }
        if let Some(reach) = l.reach {
            let inside = Self::keep_within(reach, &mut frame.locals, &mut self.store);
            if l.left || l.may_exhaust || l.passes > MAX_PASSES || !inside {
                self.look_at_all(frame, cx, l);
                return Ok(());
            }
        }
        if l.tried && (l.left || l.may_exhaust || l.passes > MAX_PASSES) {
            cx.pending.clear();
            return Err(Stop::Dead);
        }
        if l.grows {
            self.drop_taken(frame);
        }
        let widen = l.passes > PLAIN_PASSES;
        let iteration = self.store.path.cost - l.head_cost;
        let spawned = self.store.path.spawned.saturating_sub(l.entry.spawned);
        let written = self.store.path.output - l.head_output;
        let Some(mut head) = l.head.take() else { return Ok(()) };
        let changed = self.join_head(&mut head, frame, widen && l.narrowing == Narrowing::NotYet, l.passes > MAX_PASSES);
        if let Some(reach) = l.reach {
            Self::keep_within(reach, &mut head.locals, &mut head.store);
        }
        if l.passes > MAX_PASSES + 8 && changed {
            // It does not settle: nothing is known about what comes after.
            self.surely_long(l);
            l.head = Some(head);
            return Err(Stop::Fuel);
        }
        match (l.narrowing, changed) {
            (Narrowing::NotYet, true) => {
                self.start_pass(frame, cx, l, head);
                Ok(())
            }
            (Narrowing::NotYet, false) => {
                // Widening went too far, perhaps: from what the loop was entered with and what one more pass gives, a
                // smaller invariant may follow. It has to prove itself in a pass of its own.
                let Some(mut smaller) = l.before.clone() else { return Ok(()) };
                self.join_head(&mut smaller, frame, false, false);
                if let Some(reach) = l.reach {
                    Self::keep_within(reach, &mut smaller.locals, &mut smaller.store);
                }
                let same = smaller.locals == head.locals && smaller.stack == head.stack && !smaller.store.clone().join(&head.store, false);
                if same {
                    l.head = Some(head);
                    return self.invariant_found(frame, cx, code, l, (iteration, spawned, written));
                }
                l.invariant = Some(head);
                l.narrowing = Narrowing::Trying;
                self.start_pass(frame, cx, l, smaller);
                Ok(())
            }
            (Narrowing::Trying, true) => {
                l.narrowing = Narrowing::Done;
                let head = l.invariant.take().unwrap_or(head);
                self.start_pass(frame, cx, l, head);
                Ok(())
            }
            (Narrowing::Done, true) => {
                self.surely_long(l);
                l.head = Some(head);
                Err(Stop::Fuel)
            }
            (Narrowing::Trying | Narrowing::Done, false) => {
                l.head = Some(head);
                self.invariant_found(frame, cx, code, l, (iteration, spawned, written))
            }
        }
    }

    /// Joins the current state into a state at the head. Says whether anything changed.
    fn join_head(&mut self, head: &mut Head, frame: &Frame, widen: bool, give_up: bool) -> bool {
        let path = head.store.path;
        let mut changed = head.store.join(&self.store, widen);
        let mine = head.locals.iter_mut().chain(&mut head.stack).chain(&mut head.handling);
        let current = frame.locals.iter().chain(&frame.stack).chain(&frame.handling);
        for (x, y) in mine.zip(current) {
            if x != y {
                let mut joined = head.store.join_values(x, y, widen);
                if give_up && joined != *x {
                    head.store.escape(&joined);
                    joined = V::Unknown(Why::Lost);
                }
                if joined != *x {
                    changed = true;
                    *x = joined;
                }
            }
        }
        let Path { interruptible, unknown_managers, timeouts, retries, doubtful, switches, .. } = head.store.path;
        changed |= switches != path.switches;
        head.store.path = Path { interruptible, unknown_managers, timeouts, retries, doubtful, switches, ..path };
        changed
    }

    /// Nothing changes any more: what holds at the head holds in every iteration.
    fn invariant_found(
        &mut self,
        frame: &mut Frame,
        cx: &mut Context,
        code: &Code,
        l: &mut LoopState,
        (iteration, spawned, written): (f64, u32, f64),
    ) -> R<()> {
        if let Some(reach) = l.reach {
            // Nothing leaves it in its first trips; perhaps nothing ever does.
            if l.entry.cost + reach.trips as f64 * iteration > self.settings.limits.timeout {
                l.surely = Some((reach.trips, iteration));
            }
            self.look_at_all(frame, cx, l);
            return Ok(());
        }
        let endless_iterator =
            l.info.kind == LoopKind::For && frame.stack.last().is_some_and(|it| self.endless(it) || self.is_code_of_program(it));
        if l.tried {
            self.trial_holds = !l.left && !l.may_exhaust && (l.info.kind == LoopKind::While || endless_iterator || l.grows);
            cx.pending.clear();
            return Err(Stop::Dead);
        }
        if !l.left && !l.may_exhaust && (l.info.kind == LoopKind::While || endless_iterator) {
            let slice = self.slice_of(frame.code, code, l.id);
            return self.report_endless(frame, code, l, &slice, Evidence::Invariant);
        }
        if l.trips == 0 {
            l.trips = self.trips_through_list(frame, l);
        }
        if self.surely_long(l) {
            // What comes after it comes too late.
            cx.pending.clone_from(&l.kept);
            return Err(Stop::Dead);
        }
        if !l.left && self.look_at_parts(frame, cx, code, l, (iteration, spawned, written)) {
            return Ok(());
        }
        self.measure_collected(frame, cx, code, l);
        // Where the memory ends first, the last trip never comes.
        let mut fills = false;
        if !l.left && l.trips > 0 {
            fills = self.report_growth(frame, code, l);
            self.report_flood(l, written);
        }
        if spawned > 0 {
            self.report_spawning(frame, code, l, spawned);
        }
        if !l.left && l.trips > 0 && iteration > 0.0 {
            let total = l.entry.cost + l.trips as f64 * iteration;
            for kept in &mut cx.pending {
                if l.is_way_out(kept.pc) {
                    kept.store.path.cost = kept.store.path.cost.max(total);
                }
            }
            if !fills {
                self.report_long(l, iteration);
            }
        }
        // The one way out carries all paths that entered.
        let outside: Vec<usize> =
            cx.pending.iter().enumerate().filter(|(_, p)| !l.holds(p.pc) && p.pc <= l.info.end).map(|(i, _)| i).collect();
        let only = cx.pending.iter().filter(|p| !l.holds(p.pc)).count() == 1;
        if let (true, [at]) = (only, outside.as_slice()) {
            let before = l.kept.iter().find(|before| before.pc == cx.pending[*at].pc);
            let path = &mut cx.pending[*at].store.path;
            (path.mass, path.lost, path.decided) = match before {
                None => (l.start.mass, l.start.lost, l.start.decided),
                Some(before) => l.entry.certainty_with(&before.store.path),
            };
        }
        Err(Stop::Dead)
    }

    /// Least number of trips of a `for` loop over a list, under the invariant: there is another item as long as the position, which
    /// each trip moves by one, is below the least length that the list has at the head.
    fn trips_through_list(&mut self, frame: &Frame, l: &LoopState) -> u64 {
        let (Some(before), Some(head), LoopKind::For) = (&l.before, &l.head, l.info.kind) else { return 0 };
        let Some(mut iterator) = before.stack.last().cloned() else { return 0 };
        let mut holders = 0;
        loop {
            let V::Ref(id) = iterator else { return 0 };
            if !matches!(before.store.get(id), Obj::Iter(i) if matches!(i.kind, IterKind::Enumerate | IterKind::Sequence)) {
                return 0;
            }
            // Whoever else holds the iterator could advance it, but a comprehension is given it and never looks at it again.
            let code = self.code(frame.code);
            let looked_at = |at: usize| {
                let body = &code.ops[l.info.head as usize..=l.info.back as usize];
                code.kind != CodeKind::Comprehension
                    || code.is_generator
                    || body.iter().any(|op| read_of(op) == Some(Variable::Local(at as u16)))
            };
            let locals = frame.locals.iter().enumerate().filter(|(at, _)| looked_at(*at)).map(|(_, v)| v);
            let named = locals.chain(&frame.stack).filter(|v| refers_to(v, id)).count() + holders != 1
                || (0..self.names.len() as u32).any(|name| refers_to(&self.store.global(name), id));
            if named || self.store.references(id) != holders {
                return 0;
            }
            let Obj::Iter(i) = before.store.get(id) else { return 0 };
            match (i.kind, i.parts.as_slice(), head.store.get(id)) {
                (IterKind::Enumerate, [inner, _], _) => (iterator, holders) = (inner.clone(), 1),
                (IterKind::Sequence, [V::Ref(list), at], Obj::Iter(now)) if now.parts[0] == V::Ref(*list) => {
                    let (Obj::List(items), Some(at)) = (head.store.get(*list), at.as_int().and_then(|at| at.upper())) else { return 0 };
                    return crate::library::count(items).0.saturating_sub(u64::try_from(at).unwrap_or(0));
                }
                _ => return 0,
            }
        }
    }

    /// The list of a comprehension, and by how much the pass under the invariant has made it longer at least.
    fn collected(&self, frame: &Frame, code: &Code, l: &LoopState) -> Option<(ObjId, u64)> {
        if code.kind != CodeKind::Comprehension || code.is_generator {
            return None;
        }
        let Some(V::Ref(list)) = frame.stack.iter().find(|v| matches!(self.obj(v), Some(Obj::List(_)))) else { return None };
        let length = |store: &Store| if let Obj::List(items) = store.get(*list) { crate::library::count(items).0 } else { 0 };
        Some((*list, length(&self.store).saturating_sub(length(&l.head.as_ref()?.store))))
    }

    /// How many items the list of a comprehension has when it is whole: nothing else happens to it than that iterations add to it, each
    /// at least as many as the shortest way through the loop.
    fn measure_collected(&mut self, frame: &Frame, cx: &mut Context, code: &Code, l: &LoopState) {
        let Some((list, each)) = self.collected(frame, code, l) else { return };
        let one = self.collecting(frame, code, l).is_some_and(|(at, ..)| matches!(code.ops[at], Op::ListAppend(_)));
        let each = each.max(u64::from(one));
        let Some(before) = l.before.as_ref().filter(|_| each > 0 && l.trips > 0) else { return };
        let (least, most) = match (before.store.get(list), before.stack.last()) {
            (Obj::List(items), Some(V::Ref(iterator))) => {
                let (low, high) = crate::library::count(items);
                let more = match before.store.get(*iterator) {
                    // Of a range that is known it is as many as there are at least.
                    Obj::Iter(i) if one && i.kind == IterKind::Range && i.parts.iter().all(V::is_exact) => l.trips,
                    _ => u64::MAX,
                };
                (low.saturating_add(l.trips.saturating_mul(each)), high.saturating_add(more))
            }
            _ => return,
        };
        for kept in cx.pending.iter_mut().filter(|kept| l.is_way_out(kept.pc) && !kept.store.is_summary(list)) {
            kept.store.mutate(list, true, |obj| {
                if let Obj::List(items) = obj {
                    let items = Rc::make_mut(items);
                    let known = items.exact.len() as u64;
                    if let Some(rest) = &mut items.rest {
                        rest.low = rest.low.max(least.saturating_sub(known));
                        rest.high = rest.high.min(most.saturating_sub(known)).max(rest.low);
                    }
                }
            });
        }
    }

    /// A loop of which every iteration starts processes or threads that stay, which nothing ends but that there are too many.
    fn report_spawning(&mut self, frame: &Frame, code: &Code, l: &LoopState, spawned: u32) {
        let range = l.info.head as usize..=l.info.back as usize;
        let condition = l.condition_jump.map(|jump| jump as usize);
        let leaves = range.clone().any(|at| match code.ops[at] {
            _ if Some(at) == condition => false,
            Op::Return | Op::ReturnToken(_) | Op::Raise(_) => true,
            op => op.jump_target().is_some_and(|to| usize::try_from(to).is_ok_and(|to| to > l.info.back as usize)),
        });
        let endless = l.info.kind == LoopKind::While && self.slice_of(frame.code, code, l.id).constant && !leaves;
        let limit = u64::from(self.settings.limits.processes);
        let number = if endless { limit + 1 } else { l.ran.saturating_add(l.trips).saturating_mul(u64::from(spawned)) };
        if number > limit {
            let path = std::mem::replace(&mut self.store.path, l.entry);
            self.report_spawn_bomb(number as f64);
            self.store.path = path;
        }
    }

    /// Whether the first trips alone are too long, which is reported.
    fn surely_long(&mut self, l: &mut LoopState) -> bool {
        let Some((trips, iteration)) = l.surely.take() else { return false };
        l.trips = trips;
        self.report_long(l, iteration);
        true
    }

    /// A loop whose trips, each of at least so many seconds, take longer than the time limit.
    fn report_long(&mut self, l: &LoopState, iteration: f64) {
        let total = l.entry.cost + l.trips as f64 * iteration;
        if total <= self.settings.limits.timeout {
            return;
        }
        let trips = l.ran.saturating_add(l.trips);
        let words = [
            ("loop", self.header(&l.info)),
            ("trips", trips.to_string()),
            ("seconds", format!("{total:.0}")),
            ("reason", format!("it takes at least {trips} iterations")),
        ];
        self.report_of_loop(FactKind::LongLoop, l, Unit::Seconds, total, &words);
    }

    /// Reports what all trips of a loop come to, with the certainty there was when it began.
    fn report_of_loop(&mut self, kind: FactKind, l: &LoopState, unit: Unit, total: f64, words: &[(&'static str, String)]) {
        let path = std::mem::replace(&mut self.store.path, l.entry);
        let measure = Measure { unit, low: total, high: f64::INFINITY };
        let proof = self.proof();
        self.report(kind, Some(l.info.header), Some(measure), proof, words);
        self.store.path = path;
    }

    /// A loop with so many trips that what they write, each so many bytes at least, is over the limit.
    fn report_flood(&mut self, l: &LoopState, written: f64) {
        let total = l.entry.output + l.trips as f64 * written;
        if written <= 0.0 || total <= self.most_output() {
            return;
        }
        let trips = l.ran.saturating_add(l.trips);
        let words = [
            ("callee", self.header(&l.info)),
            ("bytes", format!("{total:.0}")),
            ("reason", format!("each of at least {trips} iterations writes {written:.0} bytes or more")),
        ];
        self.report_of_loop(FactKind::OutputFlood, l, Unit::Bytes, total, &words);
    }

    /// A loop with so many trips that what it collects in a list, one item in each, is over the memory limit. Says whether it is.
    fn report_growth(&mut self, frame: &Frame, code: &Code, l: &LoopState) -> bool {
        let trips = l.ran.saturating_add(l.trips);
        let in_loops_inside = || {
            let (_, each) = self.collected(frame, code, l).filter(|(_, each)| *each > 0)?;
            let at = code.ops.iter().position(|op| matches!(op, Op::ListAppend(_)))?;
            Some((at, FactKind::Materialisation, each * 8))
        };
        let in_loops_inside = in_loops_inside();
        let Some((at, kind, item)) = self.collecting(frame, code, l).or(in_loops_inside) else { return false };
        let bytes = trips.saturating_mul(item);
        if bytes as f64 <= self.settings.limits.memory as f64 {
            return false;
        }
        let path = std::mem::replace(&mut self.store.path, l.entry);
        let measure = Measure { unit: Unit::Bytes, low: bytes as f64, high: f64::INFINITY };
        let words = [
            ("callee", if kind == FactKind::Materialisation { "comprehension" } else { "list.append" }.to_owned()),
            ("op", "append".to_owned()),
            ("loop", self.header(&l.info)),
            ("bytes", bytes.to_string()),
            ("reason", format!("each of at least {trips} iterations keeps {item} bytes or more")),
        ];
        let proof = if self.is_handled("MemoryError") { Proof::Likely } else { self.proof() };
        let span = if kind == FactKind::Materialisation { code.span } else { code.spans[at] };
        self.report(kind, Some(span), Some(measure), proof, &words);
        self.store.path = path;
        true
    }

    /// Where every iteration of a loop certainly appends to one list, and how many bytes it keeps with that.
    fn collecting(&mut self, frame: &Frame, code: &Code, l: &LoopState) -> Option<(usize, FactKind, u64)> {
        // What decides whether there is another iteration comes first.
        let head = l.condition_jump.map_or(l.info.head, |jump| jump + 1) as usize;
        let body = code.ops.get(head..l.info.back as usize)?;
        // An exception that is caught within the loop may pass over the append.
        if code.handlers.iter().any(|h| (l.info.head..l.info.back).contains(&h.start)) {
            return None;
        }
        for (i, op) in body.iter().enumerate() {
            match op {
                // The list is a reference more; an item that is made anew each time is kept as well.
                Op::ListAppend(_) if code.kind == CodeKind::Comprehension && code.loops.len() == 1 => {
                    let fresh = matches!(body.get(i.checked_sub(1)?), Some(Op::Binary(BinaryOp::Mul)));
                    let list = frame.stack.iter().find(|v| matches!(self.obj(v), Some(Obj::List(_))))?.clone();
                    let size = if fresh { self.item_size(&list) } else { 0 };
                    return Some((head + i, FactKind::Materialisation, 8 + size));
                }
                // Each key of a range is another one.
                Op::SetAdd(_) | Op::DictInsert(_) if code.kind == CodeKind::Comprehension && code.loops.len() == 1 => {
                    let next = body.iter().position(|op| matches!(op, Op::ForIter(_)))?;
                    let keyed = match (body.get(next + 1), body.get(next + 2)) {
                        (Some(store), Some(load)) => write_of(store).is_some() && write_of(store) == read_of(load),
                        _ => false,
                    };
                    let single = i == next + 3 || matches!(op, Op::DictInsert(_));
                    let range = matches!(frame.stack.last().and_then(|it| self.obj(it)), Some(Obj::Iter(it)) if it.kind == IterKind::Range);
                    return (keyed && single && range).then_some((head + i, FactKind::Materialisation, 16));
                }
                Op::CallMethod(1, None) => {
                    let appended = self.slice_of(frame.code, code, l.id).appended.clone();
                    let receiver = code.ops.get(head..head + i)?.iter().rposition(|op| matches!(op, Op::LoadMethod(_)))?;
                    let Some(Op::LoadMethod(name)) = code.ops.get(head + receiver) else { return None };
                    if &*self.program.names[name.0 as usize] != "append" || appended.is_empty() {
                        continue;
                    }
                    let variable = match code.ops.get((head + receiver).checked_sub(1)?)? {
                        Op::LoadLocal(slot) => Variable::Local(*slot),
                        Op::LoadGlobal(name) => Variable::Global(name.0),
                        _ => continue,
                    };
                    let Some(V::Ref(id)) = self.variable(frame, variable).filter(|_| appended.contains(&variable)) else { continue };
                    // Through another name it could be emptied.
                    if matches!(self.store.get(id), Obj::List(_)) && self.only_reference(frame, id) {
                        return Some((head + i, FactKind::Growth, 8));
                    }
                }
                // What follows may be passed over.
                Op::Jump(_)
                | Op::JumpIfFalse(_)
                | Op::JumpIfTrue(_)
                | Op::JumpIfFalseOrPop(_)
                | Op::JumpIfTrueOrPop(_)
                | Op::LoopEnter(_) => return None,
                _ => {}
            }
        }
        None
    }

    /// The least bytes of an item of a list.
    fn item_size(&self, list: &V) -> u64 {
        let Some(Obj::List(items)) = self.obj(list) else { return 0 };
        let size = |item: &V| match self.obj(item) {
            Some(Obj::List(items)) => crate::library::count(items).0.saturating_mul(8),
            // An immutable one may be the same object each time: a constant that was folded, or a repetition by one.
            _ => 0,
        };
        let all = items.exact.iter().chain(items.rest.iter().map(|rest| &rest.element));
        all.flat_map(V::alternatives).map(size).min().unwrap_or(0)
    }

    fn header(&self, info: &Loop) -> String {
        let text = self.source_text(info.header);
        let mut line: String = text.split_whitespace().collect::<Vec<_>>().join(" ");
        if line.chars().count() > 60 {
            line = line.chars().take(57).collect::<String>() + "…";
        }
        line.trim_end_matches(':').to_owned()
    }

    /// Whether the state equals an earlier one as far as leaving the loop depends on it.
    fn repeats(&mut self, frame: &Frame, l: &LoopState, then: &Head, slice: &Slice) -> bool {
        if then.uncaught != self.uncaught_raises || frame.stack.len() != then.stack.len() || frame.handling.len() != then.handling.len() {
            return false;
        }
        let mut pairs: Vec<(ObjId, ObjId)> = Vec::new();
        let growing = if l.info.kind == LoopKind::For { self.growing(frame, l) } else { None };
        if l.info.kind == LoopKind::For && !growing.is_some_and(|g| self.same_rest(frame, then, slice, g, &mut pairs)) {
            return false;
        }
        for (slot, (now, before)) in frame.locals.iter().zip(&then.locals).enumerate() {
            let variable = Variable::Local(slot as u16);
            if slice.free_locals.contains(&(slot as u16)) || self.counts(slice, variable, now, before) {
                continue;
            }
            if !self.same(now, before, &then.store, &mut pairs, 0) {
                return false;
            }
        }
        // The globals it assigns are looked at first: comparing everything is much more work.
        for &name in &slice.assigned {
            let (now, before) = (self.store.global(name), then.store.global(name));
            let counter = self.counts(slice, Variable::Global(name), &now, &before);
            if !counter && !self.same(&now, &before, &then.store, &mut pairs, 0) {
                return false;
            }
        }
        if frame.stack != then.stack || frame.handling != then.handling || !self.store.same_openness(&then.store) {
            return false;
        }
        let (objects, globals) = self.store.changes(&then.store, then.known);
        for name in globals {
            let variable = Variable::Global(name);
            let (now, before) = (self.store.global(name), then.store.global(name));
            if slice.free_globals.contains(&name) || self.counts(slice, variable, &now, &before) {
                continue;
            }
            if !self.same(&now, &before, &then.store, &mut pairs, 0) {
                return false;
            }
        }
        let appended: Vec<ObjId> = slice
            .appended
            .iter()
            .filter_map(|v| match self.variable(frame, *v) {
                Some(V::Ref(id)) => Some(id),
                _ => None,
            })
            .collect();
        for id in objects {
            if growing.is_some_and(|(iterator, list)| id == iterator || id == list) {
                continue;
            }
            if appended.contains(&id) && matches!(self.store.get(id), Obj::List(_)) && self.only_reference(frame, id) {
                continue;
            }
            if !self.same_contents(self.store.get(id), then.store.get(id), &then.store, &mut pairs, 0) {
                return false;
            }
        }
        self.is_renaming(frame, l, then, slice, &appended, &pairs)
    }

    /// Whether the state differs from the earlier one in nothing but that objects made since stand where others stood. That is not so
    /// where one of those is still held: two names for one object are then names for two.
    fn is_renaming(&self, frame: &Frame, l: &LoopState, then: &Head, slice: &Slice, appended: &[ObjId], pairs: &[(ObjId, ObjId)]) -> bool {
        if pairs.is_empty() {
            return true;
        }
        // What was there before the loop, functions further out may hold as well.
        if pairs.iter().any(|(now, before)| now.0 < then.known || before.0 < l.made_from) {
            return false;
        }
        let locals = (0..frame.locals.len() as u16).filter(|slot| !slice.free_locals.contains(slot)).map(Variable::Local);
        let globals = (0..self.names.len() as u32).filter(|name| !slice.free_globals.contains(name)).map(Variable::Global);
        let variables = locals.chain(globals).filter_map(|v| self.variable(frame, v));
        let cells = frame.cells.iter().chain(&frame.namespace).map(|id| V::Ref(*id));
        let roots: Vec<V> = variables.chain(frame.stack.iter().chain(&frame.handling).cloned()).chain(cells).collect();
        let gone: Vec<ObjId> = pairs.iter().map(|(_, before)| *before).collect();
        // What is only appended to is read by nobody, unless it has another name.
        let unread: Vec<ObjId> = appended.iter().copied().filter(|id| self.only_reference(frame, *id)).collect();
        !self.store.reaches(roots, &gone, &unread)
    }

    /// Whether a variable is a counter whose two values make no difference to the loop.
    fn counts(&self, slice: &Slice, v: Variable, now: &V, before: &V) -> bool {
        if slice.counters.contains(&v) {
            return self.is_int(now) && self.is_int(before);
        }
        match (slice.modular.iter().find(|(m, _)| *m == v), now, before) {
            (Some((_, modulus)), V::Int(a), V::Int(b)) => a.checked_sub(*b).is_some_and(|d| d % modulus == 0),
            _ => false,
        }
    }

    fn is_int(&self, v: &V) -> bool {
        matches!(v, V::Int(_) | V::Ints(_))
    }

    fn variable(&self, frame: &Frame, v: Variable) -> Option<V> {
        match v {
            Variable::Local(s) => frame.locals.get(s as usize).cloned(),
            Variable::Global(n) => Some(self.store.global(n)),
            Variable::Deref(d) => match self.store.get(*frame.cells.get(d as usize)?) {
                Obj::Cell(v) => Some(v.clone()),
                _ => None,
            },
        }
    }

    /// Whether one variable alone refers to the object.
    fn only_reference(&self, frame: &Frame, id: ObjId) -> bool {
        let mut count = frame.locals.iter().chain(&frame.stack).filter(|v| refers_to(v, id)).count();
        for n in 0..self.names.len() as u32 {
            count += usize::from(refers_to(&self.store.global(n), id));
        }
        if count > 1 {
            return false;
        }
        count += self.store.references(id);
        count <= 1
    }

    /// Whether a value now is the same as one then, new objects compared by their contents.
    fn same(&self, now: &V, then: &V, store: &Store, pairs: &mut Vec<(ObjId, ObjId)>, depth: u32) -> bool {
        if depth > 20 {
            return false;
        }
        match (now, then) {
            (V::Ref(a), V::Ref(b)) => {
                if a == b {
                    return true;
                }
                if pairs.contains(&(*a, *b)) {
                    return true;
                }
                if pairs.iter().any(|(x, y)| x == a || y == b) || pairs.len() > 64 {
                    return false;
                }
                pairs.push((*a, *b));
                self.same_contents(self.store.get(*a), store.get(*b), store, pairs, depth)
            }
            (V::Tuple(x), V::Tuple(y)) => match (&**x, &**y) {
                (Tuple::Exact(p), Tuple::Exact(q)) => {
                    p.len() == q.len() && p.iter().zip(q).all(|(a, b)| self.same(a, b, store, pairs, depth + 1))
                }
                _ => now == then,
            },
            _ => now == then,
        }
    }

    /// Whether an object now holds the same as one then.
    fn same_contents(&self, now: &Obj, then: &Obj, store: &Store, pairs: &mut Vec<(ObjId, ObjId)>, depth: u32) -> bool {
        let mut each = |x: &[V], y: &[V]| {
            x.len() == y.len() && x.len() <= 256 && x.iter().zip(y).all(|(p, q)| self.same(p, q, store, pairs, depth + 1))
        };
        match (now, then) {
            (Obj::List(x), Obj::List(y)) => x.rest == y.rest && each(&x.exact, &y.exact),
            (Obj::Deque(x, m), Obj::Deque(y, n)) => m == n && x.rest == y.rest && each(&x.exact, &y.exact),
            (Obj::Instance { class: c, attrs: x }, Obj::Instance { class: d, attrs: y }) => {
                let values = |attrs: &[(Sym, V)]| attrs.iter().map(|(_, v)| v.clone()).collect::<Vec<_>>();
                c == d && x.iter().map(|(n, _)| n).eq(y.iter().map(|(n, _)| n)) && each(&values(x), &values(y))
            }
            (Obj::Iter(x), Obj::Iter(y)) => x.kind == y.kind && each(&x.parts, &y.parts),
            (Obj::Dict(x, k), Obj::Dict(y, m)) if k == m && x.rest == y.rest && x.exact.len() == y.exact.len() => {
                let values = |table: &Table| table.exact.values().map(|(_, v)| v.clone()).collect::<Vec<_>>();
                x.exact.keys().eq(y.exact.keys()) && each(&values(x), &values(y))
            }
            (Obj::Set(x, f), Obj::Set(y, g)) => {
                f == g && x.rest == y.rest && x.exact.len() == y.exact.len() && x.exact.keys().eq(y.exact.keys())
            }
            // A variable of an inner function.
            (Obj::Cell(x), Obj::Cell(y)) => each(std::slice::from_ref(x), std::slice::from_ref(y)),
            _ => false,
        }
    }

    /// Least number of further trips of a `while` loop that counts towards a bound in steps of one size, and what it counts with:
    /// `while i < bound: … i += step …`, where the step happens at most once in each iteration and the bound does not change.
    /// Whether the loop can be left otherwise is for the invariant to say.
    fn counted(&mut self, frame: &Frame, code: &Code, l: &LoopState) -> Option<(u64, Counted)> {
        let ops = &code.ops;
        let info = &l.info;
        let range = info.head as usize..=info.back as usize;
        let jump = l.condition_jump? as usize;
        let Op::Compare(mut op) = ops[jump - 1] else { return None };
        let wanted = matches!(ops[jump], Op::JumpIfFalse(_));
        // The condition, with one variable that the loop assigns.
        let mut stack: Vec<Option<V>> = Vec::new();
        let mut counter: Option<Variable> = None;
        for at in info.head as usize + 1..jump - 1 {
            if let Some(v) = read_of(&ops[at]) {
                if range.clone().any(|i| write_of(&ops[i]) == Some(v)) {
                    if counter.is_some_and(|c| c != v) {
                        return None;
                    }
                    counter = Some(v);
                    stack.push(None);
                } else {
                    self.unchanging(v)?;
                    stack.push(Some(self.variable(frame, v)?));
                }
                continue;
            }
            match ops[at] {
                Op::Const(c) => stack.push(Some(self.consts[c.0 as usize].clone())),
                Op::Binary(op) => {
                    let (b, a) = (stack.pop()??, stack.pop()??);
                    if !a.is_number() || !b.is_number() {
                        return None;
                    }
                    stack.push(Some(self.binary_op(op, &a, &b, false).ok()?));
                }
                _ => return None,
            }
        }
        let (right, left) = (stack.pop()?, stack.pop()?);
        let bound = match (left, right) {
            (None, Some(bound)) => bound,
            (Some(bound), None) => {
                op = match op {
                    CompareOp::Lt => CompareOp::Gt,
                    CompareOp::Le => CompareOp::Ge,
                    CompareOp::Gt => CompareOp::Lt,
                    CompareOp::Ge => CompareOp::Le,
                    other => other,
                };
                bound
            }
            _ => return None,
        };
        if !stack.is_empty() || !wanted {
            return None;
        }
        let counter = counter?;
        self.unchanging(counter)?;
        let (V::Int(_) | V::Ints(_)) = self.variable(frame, counter)? else { return None };
        let from = self.variable(frame, counter)?.as_int()?;
        let step = self.step_of(frame.code, code, info, counter)?;
        let bound = bound.as_int()?;
        let distance = match op {
            CompareOp::Lt if step > 0 => bound.low.checked_sub(from.upper()?)?,
            CompareOp::Le if step > 0 => bound.low.checked_sub(from.upper()?)?.checked_add(1)?,
            CompareOp::Gt if step < 0 => from.lower()?.checked_sub(bound.upper()?)?,
            CompareOp::Ge if step < 0 => from.lower()?.checked_sub(bound.upper()?)?.checked_add(1)?,
            _ => return None,
        };
        if distance <= 0 {
            return None;
        }
        let trips = u64::try_from((distance - 1) / step.checked_abs()? + 1).unwrap_or(u64::MAX / 2);
        Some((trips, Counted { variable: counter, from, step }))
    }

    /// Whether nothing but the code in view assigns the variable.
    fn unchanging(&self, v: Variable) -> Option<()> {
        match v {
            Variable::Local(_) => Some(()),
            Variable::Deref(_) => None,
            Variable::Global(n) => {
                let here = self.spot().code.0 as usize;
                let assigned = |op: &Op| matches!(op, Op::StoreGlobal(m) | Op::DeleteGlobal(m) if m.0 == n);
                let elsewhere = self.program.codes.iter().enumerate().any(|(c, code)| c != here && code.ops.iter().any(assigned));
                (!elsewhere && !self.store.is_wild(n)).then_some(())
            }
        }
    }

    /// The constant by which the loop's only assignment to a variable changes it: `i += step`.
    fn step_of(&mut self, id: CodeId, code: &Code, info: &Loop, v: Variable) -> Option<i128> {
        let ops = &code.ops;
        let stores: Vec<usize> = (info.head as usize..=info.back as usize).filter(|&i| write_of(&ops[i]) == Some(v)).collect();
        let [at] = stores.as_slice() else { return None };
        // It may be one of several values that the step is added to.
        if *at < 3 || read_of(&ops[at - 3]) != Some(v) || (at - 2..=*at).any(|at| self.is_target(id, at)) {
            return None;
        }
        let Op::Const(step) = ops[at - 2] else { return None };
        let V::Int(step) = self.consts[step.0 as usize] else { return None };
        let sign = match ops[at - 1] {
            Op::Inplace(BinaryOp::Add) | Op::Binary(BinaryOp::Add) => 1,
            Op::Inplace(BinaryOp::Sub) | Op::Binary(BinaryOp::Sub) => -1,
            _ => return None,
        };
        // In an inner loop it could happen many times in one iteration.
        let inner = code.loops.iter().any(|l| l.head > info.head && (l.head as usize) <= *at && *at <= l.back as usize);
        if step == 0 || inner { None } else { step.checked_mul(sign) }
    }

    /// What is static about a loop's slice.
    fn slice_of(&mut self, id: CodeId, code: &Code, at: u16) -> Rc<Slice> {
        if let Some(known) = self.slices.get(&(id, at)) {
            return known.clone();
        }
        let slice = Rc::new(self.compute_slice(id, code, &code.loops[at as usize]));
        self.slices.insert((id, at), slice.clone());
        slice
    }

    fn compute_slice(&self, id: CodeId, code: &Code, info: &Loop) -> Slice {
        let range = info.head as usize..=info.back as usize;
        let ops = &code.ops;
        let mut slice = Slice::default();
        // The condition: everything from the head to the first jump out.
        let mut constant = false;
        for (i, op) in ops.iter().enumerate().skip(info.head as usize + 1) {
            if let Some(v) = read_of(op) {
                slice.condition.push(v);
            }
            if let Op::Const(c) = op
                && i == info.head as usize + 1
            {
                constant =
                    matches!(self.consts[c.0 as usize], V::Bool(true) | V::Int(1)) && matches!(ops.get(i + 1), Some(Op::JumpIfFalse(_)));
            }
            if matches!(op, Op::JumpIfFalse(t) | Op::JumpIfTrue(t) if *t > info.back) || i >= info.back as usize {
                break;
            }
        }
        slice.constant = constant;
        let calls_in_condition = ops[info.head as usize..]
            .iter()
            .take_while(|o| !matches!(o, Op::JumpIfFalse(_) | Op::JumpIfTrue(_)))
            .any(|o| matches!(o, Op::Call(..) | Op::CallMethod(..) | Op::LoadAttr(_) | Op::LoadItem));
        let written: Vec<Variable> = range.clone().filter_map(|i| write_of(&ops[i])).collect();
        slice.calls = calls_in_condition;
        slice.watched = watched(ops, info, &written);
        // How each variable is read.
        let mut uses: std::collections::HashMap<Variable, Vec<usize>> = std::collections::HashMap::new();
        for i in range.clone() {
            if let Some(v) = read_of(&ops[i]) {
                uses.entry(v).or_default().push(i);
            }
        }
        let elsewhere = |v: &Variable| match v {
            Variable::Global(n) => self.program.codes.iter().enumerate().any(|(c, other)| {
                c != id.0 as usize && other.ops.iter().any(|op| matches!(op, Op::LoadGlobal(m) | Op::LoadName(m) if m.0 == *n))
            }),
            Variable::Deref(_) => true,
            Variable::Local(_) => false,
        };
        let mut variables: Vec<Variable> = written;
        variables.extend(uses.keys().copied());
        variables.sort_by_key(|v| match v {
            Variable::Local(s) => (0, u32::from(*s)),
            Variable::Global(n) => (1, *n),
            Variable::Deref(d) => (2, u32::from(*d)),
        });
        variables.dedup();
        let handlers = code.handlers.iter().any(|h| range.contains(&(h.start as usize)) || range.contains(&(h.target as usize)));
        for v in variables {
            if elsewhere(&v) {
                slice.read.push(v);
                continue;
            }
            let reads = uses.get(&v).cloned().unwrap_or_default();
            let free = |slice: &mut Slice| match v {
                Variable::Local(s) => slice.free_locals.push(s),
                Variable::Global(n) => slice.free_globals.push(n),
                Variable::Deref(_) => {}
            };
            if reads.is_empty() {
                free(&mut slice);
                continue;
            }
            let counter = |i: usize| {
                let operand = matches!(ops.get(i + 1), Some(Op::Const(c)) if matches!(self.consts[c.0 as usize], V::Int(_)));
                operand
                    && matches!(
                        ops.get(i + 2),
                        Some(Op::Binary(BinaryOp::Add | BinaryOp::Sub) | Op::Inplace(BinaryOp::Add | BinaryOp::Sub))
                    )
                    && ops.get(i + 3).and_then(write_of) == Some(v)
            };
            if reads.iter().all(|&i| counter(i)) {
                slice.counters.push(v);
                continue;
            }
            // `v % 3`: equal for equal remainders, whatever is done with it.
            let modulus = |i: usize| match (ops.get(i + 1), ops.get(i + 2)) {
                (Some(Op::Const(c)), Some(Op::Binary(BinaryOp::Mod))) => match self.consts[c.0 as usize] {
                    V::Int(m) if (1..=MAX_MODULUS).contains(&m) => Some(m),
                    _ => None,
                },
                _ => None,
            };
            let multiple = reads.iter().filter(|&&i| !counter(i)).try_fold(1, |all: i128, &i| {
                let m = modulus(i)?;
                Some(all / gcd_u128(all as u128, m as u128) as i128 * m).filter(|all| *all <= MAX_MODULUS)
            });
            if let Some(multiple) = multiple {
                slice.modular.push((v, multiple));
                continue;
            }
            let append =
                |i: usize| matches!(ops.get(i + 1), Some(Op::LoadMethod(n)) if matches!(self.program.name(*n), "append" | "extend"));
            let written_here = range.clone().any(|i| write_of(&ops[i]) == Some(v));
            if !written_here && reads.iter().all(|&i| append(i)) {
                slice.appended.push(v);
                continue;
            }
            slice.read.push(v);
            if !handlers && overwritten_first(ops, info, v) {
                free(&mut slice);
            }
        }
        slice.assigned = range
            .clone()
            .filter_map(|i| match write_of(&ops[i]) {
                Some(Variable::Global(n)) if !slice.free_globals.contains(&n) => Some(n),
                _ => None,
            })
            .collect();
        slice.assigned.sort_unstable();
        slice.assigned.dedup();
        slice
    }

    /// Narrows variables by what a condition's outcome says about them. False: that outcome is impossible.
    pub fn refine(&mut self, frame: &mut Frame, code: &Code, truth: bool) -> bool {
        let pc = frame.pc as usize;
        if pc == 0 || self.is_target(frame.code, pc) { true } else { self.refine_at(frame, code, pc - 1, truth) }
    }

    /// Whether a jump leads to a position: what stands before it is then not all that comes before it.
    pub fn is_target(&mut self, id: CodeId, at: usize) -> bool {
        let code = self.code(id);
        let targets = &mut self.targets[id.0 as usize];
        if targets.is_empty() {
            targets.resize(code.ops.len() + 1, false);
            for to in code.ops.iter().filter_map(|op| op.jump_target()) {
                targets[to as usize] = true;
            }
        }
        targets[at]
    }

    fn refine_at(&mut self, frame: &mut Frame, code: &Code, at: usize, truth: bool) -> bool {
        match code.ops[at] {
            Op::Unary(UnaryOp::Not) if at > 0 => {
                if self.is_target(frame.code, at) {
                    return true;
                }
                self.refine_at(frame, code, at - 1, !truth)
            }
            Op::Compare(op) if at >= 2 => {
                // One of several values may be on the left, or on the right.
                if self.is_target(frame.code, at) || self.is_target(frame.code, at - 1) {
                    return true;
                }
                let (left, right) = (code.ops[at - 2], code.ops[at - 1]);
                if let (Op::Binary(_), Op::Const(remainder), CompareOp::Eq | CompareOp::Ne) = (left, right, op)
                    && let V::Int(remainder) = self.consts[remainder.0 as usize]
                {
                    return self.refine_remainder(frame, code, at - 2, remainder, (op == CompareOp::Eq) == truth);
                }
                let (Some(a), Some(b)) = (self.simple(frame, &left), self.simple(frame, &right)) else { return true };
                if let Some(v) = read_of(&left)
                    && !self.narrow(frame, v, &a, op, &b, truth, false)
                {
                    return false;
                }
                if let Some(v) = read_of(&right)
                    && !self.narrow(frame, v, &b, op, &a, truth, true)
                {
                    return false;
                }
                true
            }
            Op::Binary(BinaryOp::Mod | BinaryOp::BitAnd) => self.refine_remainder(frame, code, at, 0, !truth),
            ref op => {
                let Some(v) = read_of(op) else { return true };
                let Some(value) = self.variable(frame, v) else { return true };
                let narrowed = match &value {
                    V::AnyBool(_) => V::Bool(truth),
                    V::Ints(r) => {
                        let int = r.0;
                        if truth {
                            match int.refine(crate::value::int::Comparison::Ne, &Int::ZERO) {
                                Some(i) => V::int(i, r.1),
                                None => return false,
                            }
                        } else {
                            V::Int(0)
                        }
                    }
                    V::OneOf(all) => {
                        let mut kept: Vec<V> = Vec::new();
                        for x in all.iter() {
                            let known = match x {
                                V::None => Some(false),
                                V::Bool(b) => Some(*b),
                                V::Int(n) => Some(*n != 0),
                                V::Str(s) => Some(!s.is_empty()),
                                V::Ref(id) if matches!(self.store.get(*id), Obj::Function(_)) => Some(true),
                                _ => None,
                            };
                            if known.is_none_or(|k| k == truth) {
                                kept.push(x.clone());
                            }
                        }
                        match kept.len() {
                            0 => return false,
                            1 => kept.swap_remove(0),
                            _ => V::OneOf(kept.into()),
                        }
                    }
                    _ => return true,
                };
                self.assign(frame, v, narrowed);
                true
            }
        }
    }

    /// Narrows the variable of `v % 5` or `v & 1` at `at`, of which it is known whether it equals a remainder. False: it cannot be.
    fn refine_remainder(&mut self, frame: &mut Frame, code: &Code, at: usize, remainder: i128, equal: bool) -> bool {
        if at < 2 || self.is_target(frame.code, at) || self.is_target(frame.code, at - 1) {
            return true;
        }
        let (Some(v), Op::Const(m)) = (read_of(&code.ops[at - 2]), code.ops[at - 1]) else { return true };
        let modulus = match (code.ops[at], &self.consts[m.0 as usize]) {
            (Op::Binary(BinaryOp::Mod), V::Int(m @ 2..)) => *m,
            (Op::Binary(BinaryOp::BitAnd), V::Int(1)) => 2,
            _ => return true,
        };
        let Some(V::Ints(known)) = self.variable(frame, v) else { return true };
        if !(0..modulus).contains(&remainder) {
            return !equal;
        }
        let within = if equal || modulus == 2 {
            Int::remaining(remainder + i128::from(!equal), modulus.unsigned_abs())
        } else {
            // The ends of the interval, where they leave that remainder, are out.
            let leaves = |n: i128| i128::from(n.rem_euclid(modulus) == remainder);
            let low = known.0.lower().map(|n| n.saturating_add(leaves(n)));
            let high = known.0.upper().map(|n| n.saturating_sub(leaves(n)));
            if low.zip(high).is_some_and(|(low, high)| low > high) {
                return false;
            }
            Int::range(low.unwrap_or(i128::MIN), high.unwrap_or(i128::MAX))
        };
        match known.0.meet(&within) {
            Some(met) => self.assign(frame, v, V::int(met, known.1)),
            None => return false,
        }
        true
    }

    fn simple(&self, frame: &Frame, op: &Op) -> Option<V> {
        match op {
            Op::Const(c) => Some(self.consts[c.0 as usize].clone()),
            op => self.variable(frame, read_of(op)?),
        }
    }

    fn assign(&mut self, frame: &mut Frame, v: Variable, value: V) {
        match v {
            Variable::Local(s) => frame.locals[s as usize] = value,
            Variable::Global(n) => {
                if !self.store.is_wild(n) && !matches!(self.store.global(n), V::Undef) {
                    self.store.set_global(n, value);
                }
            }
            Variable::Deref(d) => {
                let id = frame.cells[d as usize];
                if let Some(Obj::Cell(slot)) = self.store.get_mut(id) {
                    *slot = value;
                }
            }
        }
    }

    /// Why a value is not exact of which a comparison took its part: all of what is left can be only where that is an interval.
    fn narrowed_why(&self, frame: &Frame, why: Why, other: &V, c: Comparison, truth: bool) -> Why {
        match c {
            _ if !other.is_exact() => Why::Lost,
            Comparison::Eq | Comparison::Ne => why,
            _ => why.narrowed((self.spot().code, frame.pc, truth)),
        }
    }

    fn narrow(&mut self, frame: &mut Frame, v: Variable, value: &V, op: CompareOp, other: &V, truth: bool, swapped: bool) -> bool {
        let narrowed = match op {
            CompareOp::Is | CompareOp::IsNot => {
                let is = (op == CompareOp::Is) == truth;
                match (value, other) {
                    (V::OneOf(all), V::None) => {
                        let kept: Vec<V> = all
                            .iter()
                            .filter(|x| if is { matches!(x, V::None | V::Unknown(_)) } else { !matches!(x, V::None) })
                            .cloned()
                            .collect();
                        match kept.len() {
                            0 => return false,
                            1 => kept[0].clone(),
                            _ => V::OneOf(kept.into()),
                        }
                    }
                    _ => return true,
                }
            }
            _ => {
                let Some(mut c) = comparison(op) else { return true };
                if swapped {
                    c = c.swapped();
                }
                match (value, other.as_int()) {
                    (V::Ints(r), Some(bound)) => {
                        if !truth {
                            c = c.negated();
                        }
                        let why = self.narrowed_why(frame, r.1, other, c, truth);
                        match r.0.refine(c, &bound) {
                            Some(i) => V::int(i, why),
                            None => return false,
                        }
                    }
                    (V::Floats(r), _) => {
                        let bound = match other {
                            V::Float(f) => crate::value::float::Float::exact(*f),
                            V::Floats(s) => s.0,
                            V::Int(n) if n.unsigned_abs() < 1 << 53 => crate::value::float::Float::exact(*n as f64),
                            _ => return true,
                        };
                        let why = self.narrowed_why(frame, r.1, other, c, truth);
                        let refined = if truth { r.0.refine(c, &bound) } else { r.0.refine_not(c, &bound) };
                        match refined {
                            Some(f) => V::float(f, why),
                            None => return false,
                        }
                    }
                    (V::Strs(_), _) if truth && c == crate::value::int::Comparison::Eq && matches!(other, V::Str(_)) => other.clone(),
                    _ => return true,
                }
            }
        };
        self.assign(frame, v, narrowed);
        true
    }
}

/// Whether a loop of a comprehension puts all that it comes to into a list.
fn collects_all(ops: &[Op]) -> bool {
    let chooses = |op: &Op| matches!(op, Op::JumpIfFalse(_) | Op::JumpIfTrue(_) | Op::JumpIfFalseOrPop(_) | Op::JumpIfTrueOrPop(_));
    ops.iter().any(|op| matches!(op, Op::ListAppend(_))) && !ops.iter().any(chooses)
}

/// What an iterator over a list has not given yet.
fn rest_of(store: &Store, iterator: ObjId) -> Option<&[V]> {
    let Obj::Iter(i) = store.get(iterator) else { return None };
    let (IterKind::Sequence, [V::Ref(list), V::Int(at)]) = (i.kind, i.parts.as_slice()) else { return None };
    match store.get(*list) {
        Obj::List(items) if items.rest.is_none() => items.exact.get(usize::try_from(*at).ok()?..),
        _ => None,
    }
}

/// A common multiple of moduli beyond this is not looked for: the loop would have to run that long.
const MAX_MODULUS: i128 = 1 << 20;

/// The first variable that a comparison before a jump reads and the loop assigns.
fn watched(ops: &[Op], info: &Loop, written: &[Variable]) -> Option<(Variable, CompareOp)> {
    let first = info.head as usize + 1;
    (first..info.back as usize).find_map(|at| {
        let (Op::Compare(op), Op::JumpIfFalse(_) | Op::JumpIfTrue(_)) = (ops[at], ops[at + 1]) else { return None };
        let read = |i: usize| (i >= first).then(|| read_of(&ops[i])).flatten().filter(|v| written.contains(v));
        Some((read(at.saturating_sub(2)).or_else(|| read(at - 1))?, op))
    })
}

/// Whether on every path through the loop the variable is written before it is read.
fn overwritten_first(ops: &[Op], info: &Loop, v: Variable) -> bool {
    // Forward: which positions can be reached from the head without a write in between.
    let (head, back) = (info.head as usize, info.back as usize);
    let mut reached = vec![false; back - head + 1];
    reached[0] = true;
    for i in head..=back {
        if !reached[i - head] {
            continue;
        }
        if read_of(&ops[i]) == Some(v) {
            return false;
        }
        if write_of(&ops[i]) == Some(v)
            && !matches!(ops[i], Op::DeleteLocal(_) | Op::DeleteGlobal(_) | Op::DeleteName(_) | Op::DeleteDeref(_))
        {
            continue;
        }
        let mut go = |t: usize| {
            if t > i && t <= back {
                reached[t - head] = true;
            }
        };
        match ops[i] {
            Op::Jump(t) => go(t as usize),
            Op::JumpIfFalse(t)
            | Op::JumpIfTrue(t)
            | Op::JumpIfFalseOrPop(t)
            | Op::JumpIfTrueOrPop(t)
            | Op::ForIter(t)
            | Op::AsyncForIter(t) => {
                go(t as usize);
                go(i + 1);
            }
            Op::Return | Op::Raise(_) | Op::Reraise => {}
            // Where a token or an inner loop leads is not followed here: any position after may be next.
            Op::EndFinally | Op::PushToken(_) | Op::ReturnToken(_) | Op::RaiseToken | Op::WithExcept(_) => return false,
            _ => go(i + 1),
        }
    }
    true
}
