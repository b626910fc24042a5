//! Loops of which some iterations take longer than others: `for i in range(n)` around `for j in range(i)`.
//!
//! What one pass under the invariant takes at least is what the shortest iteration takes. Where the iterations that surely come
//! are numbered by a counter, parts of them are looked at once more, each with the counter where it is in that part: the sum of what
//! they take is a bound as well, and a better one where the work grows with the counter.

use crate::library::R;
use crate::syntax::code::{Code, LoopKind, Op};
use crate::value::int::Int;
use crate::value::object::{Frame, IterKind, Obj, ObjId, V, Why};

use super::{Counted, Head, LoopState, Reach, Variable};
use crate::eval::machine::{Context, Machine, Pending};

/// So many parts are looked at.
const PARTS: u64 = 8;

/// Trips below which the parts of a loop are not looked at.
const FEW: u64 = 64;

/// Fuel without which they are not looked at.
const MIN_FUEL: u64 = 2000;

/// What numbers the iterations of a loop.
#[derive(Debug, Clone, Copy)]
enum Counter {
    /// The position of an iterator over a range.
    Range(ObjId),
    /// A variable that each iteration changes by the same.
    Variable(Variable),
}

/// The counter of a loop where bounding began: within these bounds then, and changed by so much in each iteration.
#[derive(Debug, Clone, Copy)]
struct Numbered {
    counter: Counter,
    low: i128,
    high: i128,
    step: i128,
}

/// Passes through the parts of a loop.
#[derive(Debug, Clone)]
pub struct Parts {
    numbered: Numbered,
    /// The invariant, and what its pass gave.
    invariant: Box<Head>,
    pending: Vec<Pending>,
    may_exhaust: bool,
    whole: (f64, u32, f64),
    /// The first iterations that are still to be looked at, and how many of them: the part that runs now comes last.
    left: Vec<(u64, u64)>,
    total: f64,
    fuel: u64,
}

impl Machine<'_> {
    /// What numbers the iterations of a loop that is bounded from here on.
    fn numbered(&self, frame: &Frame, before: &Head, l: &LoopState) -> Option<Numbered> {
        if l.info.kind == LoopKind::While {
            let Counted { variable, from, step } = l.counted?;
            return Some(Numbered { counter: Counter::Variable(variable), low: from.lower()?, high: from.upper()?, step });
        }
        let V::Ref(id) = frame.stack.last()? else { return None };
        let Obj::Iter(i) = before.store.get(*id) else { return None };
        let (IterKind::Range, [at, _, V::Int(step)]) = (i.kind, i.parts.as_slice()) else { return None };
        let at = at.as_int()?;
        let (low, high) = (at.lower()?, at.upper()?);
        (!self.store.is_summary(*id)).then_some(Numbered { counter: Counter::Range(*id), low, high, step: *step })
    }

    /// Begins to look at the parts of a loop that nothing leaves early, under its invariant. False: there is no use in it.
    pub fn look_at_parts(&mut self, frame: &mut Frame, cx: &mut Context, code: &Code, l: &mut LoopState, whole: (f64, u32, f64)) -> bool {
        let body = l.info.head as usize + 1..l.info.back as usize;
        // Without a loop or a call inside, all iterations are alike.
        let varies = code.ops[body].iter().any(|op| matches!(op, Op::LoopEnter(_) | Op::Call(..) | Op::CallMethod(..)));
        let short = l.entry.cost + l.trips as f64 * whole.0 <= self.settings.limits.timeout;
        let fuel = self.fuel_for_parts.min(self.fuel / 4);
        if l.parted || !varies || !short || l.trips < FEW || fuel < MIN_FUEL {
            return false;
        }
        let (Some(before), Some(invariant)) = (l.before.clone(), l.head.clone()) else { return false };
        let Some(numbered) = self.numbered(frame, &before, l) else { return false };
        l.parted = true;
        let part = l.trips / PARTS;
        let mut parts = Parts {
            numbered,
            invariant,
            pending: std::mem::take(&mut cx.pending),
            may_exhaust: l.may_exhaust,
            whole,
            left: (0..PARTS).map(|n| (n * part, if n + 1 < PARTS { part } else { l.trips - n * part })).collect(),
            total: 0.0,
            fuel: self.fuel,
        };
        let begun = self.begin_part(frame, cx, l, &mut parts);
        if begun {
            l.parts = Some(Box::new(parts));
        } else {
            cx.pending = parts.pending;
            l.may_exhaust = parts.may_exhaust;
            l.head = Some(parts.invariant);
        }
        begun
    }

    /// A pass through one part of a loop came back to the head.
    pub fn at_part(&mut self, frame: &mut Frame, cx: &mut Context, code: &Code, l: &mut LoopState, mut parts: Box<Parts>) -> R<()> {
        let iteration = self.store.path.cost - l.head_cost;
        if let Some((_, trips)) = parts.left.pop() {
            parts.total += iteration.max(parts.whole.0) * trips as f64;
        }
        if !parts.left.is_empty() && self.begin_part(frame, cx, l, &mut parts) {
            l.parts = Some(parts);
            return Ok(());
        }
        // The part that was not looked at takes what any takes.
        let rest: u64 = parts.left.iter().map(|(_, trips)| trips).sum();
        let total = parts.total + parts.whole.0 * rest as f64;
        self.fuel_for_parts = self.fuel_for_parts.saturating_sub(parts.fuel.saturating_sub(self.fuel));
        cx.pending = parts.pending;
        self.store = parts.invariant.store.clone();
        frame.locals.clone_from(&parts.invariant.locals);
        frame.stack.clone_from(&parts.invariant.stack);
        frame.handling.clone_from(&parts.invariant.handling);
        l.head = Some(parts.invariant);
        (l.left, l.may_exhaust, l.raises) = (false, parts.may_exhaust, false);
        l.uncaught = self.uncaught_raises;
        let (_, spawned, written) = parts.whole;
        self.invariant_found(frame, cx, code, l, (total / l.trips as f64, spawned, written))
    }

    /// Starts a pass from the invariant with the counter in the last of the parts.
    fn begin_part(&mut self, frame: &mut Frame, cx: &mut Context, l: &mut LoopState, parts: &mut Parts) -> bool {
        let Some(&(first, trips)) = parts.left.last() else { return false };
        let Some(within) = parts.numbered.within(first, trips) else { return false };
        let mut head = parts.invariant.clone();
        match parts.numbered.counter {
            Counter::Range(id) => {
                let Obj::Iter(i) = head.store.get(id) else { return false };
                let Some(met) = i.parts[0].as_int().and_then(|at| at.meet(&within)) else { return false };
                head.store.mutate(id, true, |obj| {
                    if let Obj::Iter(i) = obj {
                        i.parts[0] = V::int(met, Why::Lost);
                    }
                });
            }
            Counter::Variable(counter) => {
                let reach = Reach { counter, within, trips };
                if !Self::keep_within(reach, &mut head.locals, &mut head.store) {
                    return false;
                }
            }
        }
        // What this pass finds on its way out is part of what the invariant's pass found, and adds nothing to it.
        head.store.path.mass = f64::MIN_POSITIVE;
        self.start_pass(frame, cx, l, head);
        cx.pending.clone_from(&parts.pending);
        true
    }
}

impl Numbered {
    /// Where the counter is in so many iterations from the first on.
    fn within(&self, first: u64, trips: u64) -> Option<Int> {
        let far = |n: u64| self.step.checked_mul(i128::from(n));
        let (from, to) = (far(first)?, far(first + trips.checked_sub(1)?)?);
        Some(Int::range(self.low.checked_add(from.min(to))?, self.high.checked_add(from.max(to))?))
    }
}
