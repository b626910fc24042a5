//! How much work `sre` does on a text that is known, counted without doing it.
//!
//! The matcher is a deterministic function of the operation, the position, the rounds that the open repeats have made and whether each of them has
//! moved since its round began; what it does from one such state on is worked out once and counted as often as it is entered. A state entered 2**60
//! times costs one look-up. Counts are floating-point sums of positive numbers, so they saturate and are exact up to rounding.
//!
//! What is counted is what every version from 3.9 on does: a **jump** is an entry of the matcher's loop with a context of its own on its stack
//! (`DO_JUMP`, or a start of `SRE(match)`), a **scan** is a character that `SRE(count)` passes over.

use std::collections::HashMap;

use foldhash::fast::RandomState;

use super::chars::unicode_kind;
use super::parse::{Greed, Place};
use super::program::{Op, Pc, Program, is_endless};

/// What `re` is asked for.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
#[expect(missing_docs, reason = "named as in `re`")]
pub enum Method {
    Match,
    Fullmatch,
    Search,
    /// `findall`, `finditer`, `sub`, `subn`, `split`: searches on after each match, until so many were found.
    All(u64),
}

/// Work of the matcher.
#[derive(Debug, Clone, Copy, PartialEq, Default)]
pub struct Work {
    /// Entries of the matcher's loop.
    pub jumps: f64,
    /// Characters that single-character repeats pass over.
    pub scans: f64,
}

/// Beyond this, counts stay what they are.
const SATURATED: f64 = 1e300;

impl Work {
    fn add(&mut self, other: Work) {
        self.jumps = (self.jumps + other.jumps).min(SATURATED);
        self.scans = (self.scans + other.scans).min(SATURATED);
    }
}

/// What came of it.
#[derive(Debug, Clone, PartialEq)]
pub struct Run {
    /// The least work that every version does.
    pub work: Work,
    /// Where the matches are.
    pub matches: Vec<(u32, u32)>,
    /// States that were worked out: what the counting itself took.
    pub states: u64,
}

/// Counts the work of a method on a text. None where the pattern depends on what groups hold, where what a character is depends on the
/// version, or where it takes more than `budget` states to find out.
pub fn count(program: &Program, text: &[u32], method: Method, budget: u64) -> Option<Run> {
    if program.has_references || text.len() >= NOWHERE as usize || !program.knows(text) {
        return None;
    }
    Counter::new(program, text, method == Method::Fullmatch, budget).run(method)
}

/// A text that repeats a part of it over and over.
#[derive(Debug, Clone, Copy)]
pub struct Pumped<'a> {
    /// What comes first.
    pub before: &'a [u32],
    /// What is repeated.
    pub unit: &'a [u32],
    /// How often.
    pub copies: u64,
    /// What comes last.
    pub after: &'a [u32],
}

impl<'a> Pumped<'a> {
    /// Reads a text so, where nearly all of it repeats a few characters.
    pub fn read(text: &'a [u32]) -> Option<Pumped<'a>> {
        const LEAST: usize = 1000;
        const LONGEST_UNIT: usize = 4;
        if text.len() < LEAST {
            return None;
        }
        (1..=LONGEST_UNIT).find_map(|period| {
            let middle = text.len() / 2;
            let same = |at: &usize| text[*at] == text[*at - period];
            let start = (period..=middle).rev().take_while(same).last()? - period;
            let end = start + period + (start + period..text.len()).take_while(same).count();
            let copies = (end - start) / period;
            let (unit, after) = (&text[start..start + period], &text[start + copies * period..]);
            let pumped = Pumped { before: &text[..start], unit, copies: copies as u64, after };
            (10 * (end - start) >= 9 * text.len()).then_some(pumped)
        })
    }

    fn with(&self, copies: usize) -> Vec<u32> {
        [self.before, &self.unit.repeat(copies), self.after].concat()
    }
}

/// The recurrences that are followed have at most so many terms.
const MAX_TERMS: u64 = 120;
/// The work grows with at most this power of the length; what grows faster is left to texts that are known character by character.
const MAX_DEGREE: usize = 4;

/// The work of a method on a text too long to be looked at character by character.
///
/// Where nothing matches from anywhere in the repeated part, what the matcher does from a position there is the same for every copy: it goes
/// on at positions that are so many characters away, one for each choice there is. So the work, by the number of copies, obeys a
/// linear recurrence with as many terms as the pattern has operations, times the open repeats, times what one operation may pass over. It is a polynomial for good
/// once it has been one for that many numbers in a row and as many more as the polynomial has coefficients; and that is then its value.
pub fn count_pumped(program: &Program, text: Pumped, method: Method, budget: u64) -> Option<Run> {
    let window = program.window().filter(|_| !program.has_references && program.knows(&text.with(1)))?;
    let first = (64 + 2 * window as usize + program.width as usize) / text.unit.len() + 8;
    if text.copies <= first as u64 || program.width > 256 {
        return None;
    }
    let mut states = 0;
    let mut sample = |copies: usize| -> Option<(Work, usize)> {
        let all = text.with(copies);
        let inside = text.before.len() as u32..(all.len() - text.after.len()) as u32;
        let mut counter = Counter::new(program, &all, method == Method::Fullmatch, budget.checked_sub(states)?);
        let run = counter.run(method)?;
        states += run.states;
        let is_apart = counter.known.iter().all(|(key, outcome)| outcome.end == NOWHERE || !inside.contains(&key.at))
            && run.matches.iter().all(|(start, end)| *end <= inside.start || *start >= inside.end);
        is_apart.then_some((run.work, counter.contexts.len()))
    };
    let (work, contexts) = sample(first)?;
    let terms = (program.ops.len() as u64 + window) * contexts as u64 * text.unit.len() as u64;
    if terms > MAX_TERMS {
        return None;
    }
    let mut samples = vec![work];
    for more in 1..=terms as usize + 2 * MAX_DEGREE {
        let (work, known) = sample(first + more)?;
        if known != contexts {
            return None;
        }
        samples.push(work);
    }
    let far = (text.copies - first as u64) as f64;
    let jumps = extrapolated(&samples.iter().map(|work| work.jumps).collect::<Vec<_>>(), far)?;
    let scans = extrapolated(&samples.iter().map(|work| work.scans).collect::<Vec<_>>(), far)?;
    Some(Run { work: Work { jumps, scans }, matches: Vec::new(), states })
}

/// The value so far on of a polynomial of which values at successive places are given; none where they are of none of a low degree.
fn extrapolated(values: &[f64], far: f64) -> Option<f64> {
    // Beyond this, sums of whole numbers are not exact.
    const EXACT: f64 = 9e15;
    if values.iter().any(|value| *value > EXACT) {
        return None;
    }
    let mut differences = values.to_vec();
    let (mut total, mut binomial) = (0.0, 1.0);
    for degree in 0..=MAX_DEGREE + 1 {
        if differences.iter().all(|value| *value == 0.0) {
            return Some(total);
        }
        total += differences[0] * binomial;
        binomial *= (far - degree as f64) / (degree + 1) as f64;
        differences = differences.windows(2).map(|pair| pair[1] - pair[0]).collect();
    }
    None
}

/// No position.
const NOWHERE: u32 = u32::MAX;

/// Number of a context: the open repeats, innermost last.
type ContextId = u32;
/// No open repeats.
const PLAIN: ContextId = 0;
/// As [`PLAIN`], and the match must not be empty.
const MUST_ADVANCE: ContextId = 1;

/// An open repeat.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Hash)]
struct Round {
    outer: ContextId,
    /// Rounds begun, as far as they make a difference.
    count: u32,
    /// Whether anything was matched since the round began.
    moved: bool,
}

#[derive(Debug, Clone, Copy, PartialEq, Eq, Hash)]
struct Key {
    pc: Pc,
    at: u32,
    context: ContextId,
}

#[derive(Debug, Clone, Copy)]
struct Outcome {
    /// Where it ended, or [`NOWHERE`].
    end: u32,
    work: Work,
}

/// A state being worked out.
struct Pending {
    key: Key,
    work: Work,
    /// How far it has come.
    stage: u32,
    /// A position or number it keeps.
    place: u32,
    rounds: u32,
}

/// What comes of going on without a choice.
enum Settled {
    Done(u32),
    At(Key),
}

/// What a state needs to go on.
enum Need {
    State(Key),
    Done(u32),
}

struct Counter<'a> {
    program: &'a Program,
    text: &'a [u32],
    whole: bool,
    budget: u64,
    contexts: Vec<Round>,
    context_ids: HashMap<Round, ContextId, RandomState>,
    /// Each context after a character has been matched.
    moved: Vec<ContextId>,
    known: HashMap<Key, Outcome, RandomState>,
    /// For sets that are repeated, where the run that a position is in ends.
    ends: Vec<Option<Vec<u32>>>,
}

impl<'a> Counter<'a> {
    fn new(program: &'a Program, text: &'a [u32], whole: bool, budget: u64) -> Counter<'a> {
        let none = Round { outer: PLAIN, count: 0, moved: true };
        Counter {
            program,
            text,
            whole,
            budget,
            contexts: vec![none, Round { count: 1, ..none }],
            context_ids: HashMap::default(),
            moved: vec![PLAIN, PLAIN],
            known: HashMap::default(),
            ends: vec![None; program.sets.len()],
        }
    }

    fn run(&mut self, method: Method) -> Option<Run> {
        let budget = self.budget;
        let mut run = Run { work: Work::default(), matches: Vec::new(), states: 0 };
        match method {
            // The matcher sees at once that there is too little room.
            Method::Match | Method::Fullmatch if (self.text.len() as u64) < u64::from(self.program.width) => {}
            Method::Match | Method::Fullmatch => {
                if let Some(end) = self.attempt(0, PLAIN, &mut run.work)? {
                    run.matches.push((0, end));
                }
            }
            Method::Search => {
                run.matches.extend(self.search(0, PLAIN, &mut run.work)?);
            }
            Method::All(most) => {
                let (mut from, mut context) = (0, PLAIN);
                while (run.matches.len() as u64) < most
                    && let Some((start, end)) = self.search(from, context, &mut run.work)?
                {
                    run.matches.push((start, end));
                    // After an empty match the next one must go on from there.
                    from = end;
                    context = if start == end { MUST_ADVANCE } else { PLAIN };
                }
            }
        }
        run.states = budget - self.budget;
        Some(run)
    }

    fn len(&self) -> u32 {
        self.text.len() as u32
    }

    fn spend(&mut self, states: u64) -> Option<()> {
        self.budget = self.budget.checked_sub(states)?;
        Some(())
    }

    /// The first match from a position on.
    fn search(&mut self, from: u32, context: ContextId, work: &mut Work) -> Option<Option<(u32, u32)>> {
        let width = self.program.width;
        if self.len().saturating_sub(from) < width {
            return Some(None);
        }
        // Starts that leave too little room are passed over, but for one.
        let last = self.len() - width + u32::from(width > 0);
        let first = self.program.first(0);
        let anchored = matches!(
            self.program.ops[first as usize],
            Op::At { place: Place::BeginningString, .. } | Op::At { place: Place::Beginning, lines: false, .. }
        );
        let mut context = context;
        for start in from..=last {
            self.spend(1)?;
            if let Some(end) = self.attempt(start, context, work)? {
                return Some(Some((start, end)));
            }
            if anchored {
                break;
            }
            context = PLAIN;
        }
        Some(None)
    }

    /// The end of the match that starts here.
    fn attempt(&mut self, start: u32, context: ContextId, work: &mut Work) -> Option<Option<u32>> {
        let outcome = self.work_out(0, start, context)?;
        // A search enters the matcher only where what the pattern begins with may fit, which it sees of literals and sets.
        let enters = outcome.work.jumps > 0.0 || matches!(self.program.ops[0], Op::RepeatOne { .. });
        work.jumps += f64::from(u8::from(enters));
        work.add(outcome.work);
        Some((outcome.end != NOWHERE).then_some(outcome.end))
    }

    fn fits(&self, set: u32, at: u32) -> bool {
        self.text.get(at as usize).is_some_and(|&c| self.program.sets[set as usize].has(c))
    }

    /// Where the run of the set's characters ends that begins here.
    fn run_end(&mut self, set: u32, at: u32) -> u32 {
        if self.ends[set as usize].is_none() {
            let n = self.text.len();
            let mut ends = vec![n as u32; n + 1];
            for at in (0..n).rev() {
                ends[at] = if self.fits(set, at as u32) { ends[at + 1] } else { at as u32 };
            }
            self.ends[set as usize] = Some(ends);
        }
        self.ends[set as usize].as_ref().map_or(at, |ends| ends[at as usize])
    }

    /// The characters that are looked at to find so many in a row: a set of all characters needs no look.
    fn scans(&self, set: u32, many: u32) -> f64 {
        if self.program.sets[set as usize].is_all() { 0.0 } else { f64::from(many) }
    }

    fn context(&mut self, round: Round) -> ContextId {
        if let Some(&id) = self.context_ids.get(&round) {
            return id;
        }
        let id = self.contexts.len() as ContextId;
        self.contexts.push(round);
        self.moved.push(NOWHERE);
        self.context_ids.insert(round, id);
        id
    }

    /// The context after a character has been matched.
    fn advanced(&mut self, context: ContextId) -> ContextId {
        let mut unknown = Vec::new();
        let mut at = context;
        while self.moved[at as usize] == NOWHERE {
            unknown.push(at);
            at = self.contexts[at as usize].outer;
        }
        for id in unknown.into_iter().rev() {
            let round = self.contexts[id as usize];
            let outer = self.moved[round.outer as usize];
            let after = self.context(Round { outer, moved: true, ..round });
            self.moved[id as usize] = after;
        }
        self.moved[context as usize]
    }

    fn advanced_if(&mut self, context: ContextId, moved: bool) -> ContextId {
        if moved { self.advanced(context) } else { context }
    }

    fn holds(&self, place: Place, lines: bool, ascii: bool, at: u32) -> bool {
        let n = self.len();
        let char_at = |at: u32| self.text.get(at as usize).copied();
        let before = at.checked_sub(1).and_then(char_at);
        let after = char_at(at);
        let word = |c: Option<u32>| c.is_some_and(|c| if ascii && c > 127 { false } else { unicode_kind(c).is_some_and(|kind| kind.word) });
        match place {
            Place::Beginning if lines => at == 0 || before == Some(10),
            Place::Beginning | Place::BeginningString => at == 0,
            Place::End if lines => at == n || after == Some(10),
            Place::End => at == n || (at + 1 == n && after == Some(10)),
            Place::EndString => at == n,
            // Of an empty text neither holds.
            Place::Boundary => n > 0 && word(before) != word(after),
            Place::NotBoundary => n > 0 && word(before) == word(after),
        }
    }

    /// Goes on while there is nothing to choose, adding what that takes.
    fn settle(&mut self, mut pc: Pc, mut at: u32, mut context: ContextId, work: &mut Work) -> Option<Settled> {
        loop {
            self.spend(1)?;
            match self.program.ops[pc as usize] {
                Op::Char(set) => {
                    if !self.fits(set, at) {
                        return Some(Settled::Done(NOWHERE));
                    }
                    at += 1;
                    context = self.advanced(context);
                    pc += 1;
                }
                Op::At { place, lines, ascii } => {
                    if !self.holds(place, lines, ascii, at) {
                        return Some(Settled::Done(NOWHERE));
                    }
                    pc += 1;
                }
                Op::Mark => pc += 1,
                Op::Jump(to) => pc = to,
                Op::Fail | Op::Group => return Some(Settled::Done(NOWHERE)),
                Op::Success => return Some(Settled::Done(at)),
                Op::Match => {
                    let refused = (self.whole && at != self.len()) || context == MUST_ADVANCE;
                    return Some(Settled::Done(if refused { NOWHERE } else { at }));
                }
                Op::Repeat(until) => {
                    work.jumps += 1.0;
                    context = self.context(Round { outer: context, count: 0, moved: true });
                    pc = until;
                }
                Op::RepeatOne { set, min, max, greed: Greed::Possessive } => {
                    let end = self.run_end(set, at).min(at.saturating_add(max));
                    if min > self.len() - at {
                        return Some(Settled::Done(NOWHERE));
                    }
                    work.scans += self.scans(set, end - at);
                    if end - at < min {
                        return Some(Settled::Done(NOWHERE));
                    }
                    context = self.advanced_if(context, end > at);
                    (at, pc) = (end, pc + 2);
                }
                Op::Alternative(_)
                | Op::RepeatOne { .. }
                | Op::Back
                | Op::Until { .. }
                | Op::Possessive { .. }
                | Op::Atomic(_)
                | Op::Look { .. } => return Some(Settled::At(Key { pc, at, context })),
            }
        }
    }

    fn work_out(&mut self, pc: Pc, at: u32, context: ContextId) -> Option<Outcome> {
        let mut work = Work::default();
        let key = match self.settle(pc, at, context, &mut work)? {
            Settled::Done(end) => return Some(Outcome { end, work }),
            Settled::At(key) => key,
        };
        let outcome = self.evaluate(key)?;
        work.add(outcome.work);
        Some(Outcome { end: outcome.end, work })
    }

    /// Works a state out, and all it needs before.
    fn evaluate(&mut self, key: Key) -> Option<Outcome> {
        let pending = |key| Pending { key, work: Work::default(), stage: 0, place: 0, rounds: 0 };
        if let Some(known) = self.known.get(&key) {
            return Some(*known);
        }
        let mut stack = vec![pending(key)];
        while let Some(mut top) = stack.pop() {
            self.spend(2)?;
            match self.step(&mut top)? {
                Need::Done(end) => {
                    self.known.insert(top.key, Outcome { end, work: top.work });
                }
                Need::State(key) => {
                    stack.push(top);
                    stack.push(pending(key));
                }
            }
        }
        self.known.get(&key).copied()
    }

    /// What comes of going on from here, if it is known; else what must be worked out first.
    fn ask(&mut self, pc: Pc, at: u32, context: ContextId) -> Option<Result<Outcome, Key>> {
        let mut work = Work::default();
        let key = match self.settle(pc, at, context, &mut work)? {
            Settled::Done(end) => return Some(Ok(Outcome { end, work })),
            Settled::At(key) => key,
        };
        Some(match self.known.get(&key) {
            None => Err(key),
            Some(known) => {
                work.add(known.work);
                Ok(Outcome { end: known.end, work })
            }
        })
    }

    /// Whether the matcher sees at once that an alternative, or a tail, cannot match here, and does not jump. `sets`: sets count as well.
    fn passed_over(&self, pc: Pc, at: u32, sets: bool) -> bool {
        match self.program.ops[pc as usize] {
            Op::Char(set) => {
                let kind = &self.program.sets[set as usize];
                (kind.literal().is_some() || (sets && kind.is_plain())) && !self.fits(set, at)
            }
            _ => false,
        }
    }

    /// Whether the tail of a single-character repeat is tried with a jump: not where nothing is left to match.
    fn tail(&self, pc: Pc, at: u32, lazy: bool) -> f64 {
        let empty = match self.program.ops[pc as usize] {
            Op::Success => true,
            Op::Match => !lazy || !self.whole,
            _ => false,
        };
        f64::from(u8::from(!(empty && (lazy || at == self.len()))))
    }

    /// Goes on with a state until it is done or needs another one.
    fn step(&mut self, state: &mut Pending) -> Option<Need> {
        let Key { pc, at, context } = state.key;
        // One attempt: a match ends the state, a failure is counted and the state goes on.
        macro_rules! attempt {
            ($pc:expr, $at:expr, $context:expr, $jumps:expr) => {
                match self.ask($pc, $at, $context)? {
                    Err(key) => return Some(Need::State(key)),
                    Ok(outcome) => {
                        state.work.add(outcome.work);
                        state.work.add(Work { jumps: $jumps, scans: 0.0 });
                        if outcome.end != NOWHERE {
                            return Some(Need::Done(outcome.end));
                        }
                    }
                }
            };
        }
        const FAILED: Option<Need> = Some(Need::Done(NOWHERE));
        match self.program.ops[pc as usize] {
            Op::Alternative(next) => {
                if state.stage == 0 {
                    if !self.passed_over(pc + 1, at, true) {
                        attempt!(pc + 1, at, context, 1.0);
                    }
                    state.stage = 1;
                }
                attempt!(next, at, context, 0.0);
                FAILED
            }
            Op::RepeatOne { set, min, max, greed: Greed::Lazy } => {
                let end = self.run_end(set, at);
                let low = at.saturating_add(min);
                if low > self.len() {
                    return FAILED;
                }
                if state.stage == 0 && state.rounds == 0 {
                    state.work.scans += self.scans(set, min.min(end - at));
                    state.rounds = 1;
                }
                if end < low {
                    return FAILED;
                }
                if is_endless(max) {
                    let after = self.advanced_if(context, min > 0);
                    attempt!(pc + 1, low, after, 0.0);
                    return FAILED;
                }
                while state.stage <= max - min && low + state.stage <= end {
                    self.spend(1)?;
                    let here = low + state.stage;
                    let after = self.advanced_if(context, here > at);
                    attempt!(pc + 2, here, after, self.tail(pc + 2, here, true));
                    state.stage += 1;
                }
                FAILED
            }
            Op::RepeatOne { set, min, max, .. } => {
                let end = self.run_end(set, at).min(at.saturating_add(max));
                let low = at.saturating_add(min);
                if low > self.len() {
                    return FAILED;
                }
                if state.stage == 0 {
                    state.work.scans += self.scans(set, end - at);
                    state.stage = 1;
                }
                if end < low {
                    return FAILED;
                }
                if is_endless(max) {
                    // What is given back down to one character is the same wherever the run began.
                    let moved = low.max(at + 1);
                    if state.stage == 1 {
                        if end >= moved {
                            let after = self.advanced(context);
                            attempt!(pc + 1, moved, after, 0.0);
                        }
                        state.stage = 2;
                    }
                    if low == at && !self.passed_over(pc + 2, at, false) {
                        attempt!(pc + 2, at, context, self.tail(pc + 2, at, false));
                    }
                    return FAILED;
                }
                while state.stage - 1 <= end - low {
                    self.spend(1)?;
                    let here = end - (state.stage - 1);
                    if !self.passed_over(pc + 2, here, false) {
                        let after = self.advanced_if(context, here > at);
                        attempt!(pc + 2, here, after, self.tail(pc + 2, here, false));
                    }
                    state.stage += 1;
                }
                FAILED
            }
            Op::Back => {
                let Op::RepeatOne { set, greed, .. } = self.program.ops[pc as usize - 1] else { return FAILED };
                if greed == Greed::Lazy {
                    if state.stage == 0 {
                        attempt!(pc + 1, at, context, self.tail(pc + 1, at, true));
                        state.stage = 1;
                    }
                    if self.fits(set, at) {
                        let after = self.advanced(context);
                        attempt!(pc, at + 1, after, 0.0);
                    }
                    return FAILED;
                }
                if state.stage == 0 {
                    if self.fits(set, at) {
                        attempt!(pc, at + 1, context, 0.0);
                    }
                    state.stage = 1;
                }
                if !self.passed_over(pc + 1, at, false) {
                    attempt!(pc + 1, at, context, self.tail(pc + 1, at, false));
                }
                FAILED
            }
            Op::Until { body, min, max, lazy, nullable } => {
                let Round { outer, count, moved } = self.contexts[context as usize];
                let next = if is_endless(max) { (count + 1).min(min) } else { count + 1 };
                if count < min {
                    let inner = self.context(Round { outer, count: next, moved: true });
                    attempt!(body, at, inner, 1.0);
                    return FAILED;
                }
                if lazy && state.stage == 0 {
                    attempt!(pc + 1, at, outer, 1.0);
                    state.stage = 1;
                }
                if (lazy || state.stage == 0) && (is_endless(max) || count < max) && moved {
                    let inner = self.context(Round { outer, count: next, moved: !nullable });
                    attempt!(body, at, inner, 1.0);
                }
                if !lazy {
                    state.stage = 1;
                    attempt!(pc + 1, at, outer, 1.0);
                }
                FAILED
            }
            Op::Possessive { min, max, next } => {
                if state.stage == 0 {
                    state.place = at;
                    state.stage = 1;
                }
                while state.stage == 1 {
                    self.spend(1)?;
                    if !is_endless(max) && state.rounds >= max {
                        break;
                    }
                    match self.ask(pc + 1, state.place, PLAIN)? {
                        Err(key) => return Some(Need::State(key)),
                        Ok(outcome) => {
                            state.work.add(outcome.work);
                            state.work.jumps += 1.0;
                            if outcome.end == NOWHERE {
                                if state.rounds < min {
                                    return FAILED;
                                }
                                break;
                            }
                            state.rounds += 1;
                            let stands = outcome.end == state.place;
                            state.place = outcome.end;
                            if stands && state.rounds > min {
                                break;
                            }
                        }
                    }
                }
                state.stage = 2;
                let after = self.advanced_if(context, state.place > at);
                attempt!(next, state.place, after, 0.0);
                FAILED
            }
            Op::Atomic(next) => {
                if state.stage == 0 {
                    match self.ask(pc + 1, at, PLAIN)? {
                        Err(key) => return Some(Need::State(key)),
                        Ok(outcome) => {
                            state.work.add(outcome.work);
                            state.work.jumps += 1.0;
                            if outcome.end == NOWHERE {
                                return FAILED;
                            }
                            (state.place, state.stage) = (outcome.end, 1);
                        }
                    }
                }
                let after = self.advanced_if(context, state.place > at);
                attempt!(next, state.place, after, 0.0);
                FAILED
            }
            Op::Look { negate, back, next } => {
                if state.stage == 0 {
                    if at < back {
                        if !negate {
                            return FAILED;
                        }
                    } else {
                        match self.ask(pc + 1, at - back, PLAIN)? {
                            Err(key) => return Some(Need::State(key)),
                            Ok(outcome) => {
                                state.work.add(outcome.work);
                                state.work.jumps += 1.0;
                                if (outcome.end != NOWHERE) == negate {
                                    return FAILED;
                                }
                            }
                        }
                    }
                    state.stage = 1;
                }
                attempt!(next, at, context, 0.0);
                FAILED
            }
            _ => FAILED,
        }
    }
}
