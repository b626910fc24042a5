//! Texts on which a pattern takes very long.
//!
//! A pattern explodes where a repeat can read some word in two ways and come back to where it was (the criterion of exponential ambiguity of
//! Weber and Seidl 1991, as in Weideman et al. 2016). Pairs of paths through the operations are followed side by side until they have parted and both
//! are back; what they read is the **pump**. That only proposes texts: each is counted by [`steps`](super::steps), so the shortcuts of `sre`, atomic
//! groups, possessive repeats and look-around count as they run, and nothing is said that no text shows. A pattern that depends on what groups hold
//! is not looked at.

use std::collections::{HashSet, VecDeque};

use foldhash::fast::RandomState;

use super::program::{Op, Pc, Program, is_endless};
use super::steps::{Method, count};

/// How the work grows with the text.
#[derive(Debug, Clone, Copy, PartialEq)]
pub enum Growth {
    /// No text was found on which it grows faster than this power of the length.
    Polynomial(f64),
    /// It multiplies with each further pump.
    Exponential,
    /// It was not found out.
    Unknown,
}

/// A text on which a pattern takes long: `prefix`, then `pump` many times, then `suffix`.
#[derive(Debug, Clone, PartialEq, Default)]
pub struct Attack {
    /// What comes first.
    pub prefix: Vec<u32>,
    /// What is repeated.
    pub pump: Vec<u32>,
    /// What makes it fail.
    pub suffix: Vec<u32>,
}

impl Attack {
    /// The text with so many pumps.
    pub fn text(&self, pumps: usize) -> Vec<u32> {
        let mut text = self.prefix.clone();
        for _ in 0..pumps {
            text.extend(&self.pump);
        }
        text.extend(&self.suffix);
        text
    }
}

/// What was found.
#[derive(Debug, Clone, PartialEq)]
pub struct Report {
    /// How the work grows on the worst text.
    pub growth: Growth,
    /// The worst text.
    pub attack: Attack,
    /// What finding out took.
    pub states: u64,
}

/// So many pumps, twice as many and four times as many are compared: each doubling multiplies a polynomial of degree `d` by 2**d.
const PUMPS: usize = 40;
/// The factor of a polynomial of a degree over 3.5.
const HIGH: f64 = 11.3;
/// A text of so many characters on which the work can be felt explodes, whatever comes of longer ones.
const TEXT: usize = 40;
/// Jumps that take a good part of a second.
const FELT: f64 = 2e7;
/// From this on, the factor is no polynomial's: it would have a degree over 14.
const EXPLODES: f64 = 16384.0;
/// States that looking for pairs of paths may take.
const MAX_PAIRS: usize = 4000;
/// Characters that are told apart.
const MAX_CHARS: usize = 48;
/// Repeats looked at.
const MAX_LOOPS: usize = 12;

/// Looks for the worst text for a method, within a budget of states.
pub fn search(program: &Program, method: Method, budget: u64) -> Report {
    let mut report = Report { growth: Growth::Unknown, attack: Attack::default(), states: 0 };
    if program.has_references || program.ops.len() > 2000 {
        return report;
    }
    let machine = Machine::new(program);
    let attacks = machine.attacks(&mut report.states);
    let mut best = 0.0;
    let mut sure = true;
    for attack in attacks {
        let Some(left) = budget.checked_sub(report.states) else {
            sure = false;
            break;
        };
        let mut spend = |pumps: usize| {
            let run = count(program, &attack.text(pumps), method, left / 2);
            report.states += run.as_ref().map_or(left / 8, |run| run.states);
            run.map(|run| run.work.jumps + run.work.scans / 16.0)
        };
        let (Some(few), Some(many)) = (spend(PUMPS), spend(2 * PUMPS)) else {
            sure = false;
            continue;
        };
        let mut factor = (many + 16.0) / (few + 16.0);
        if factor >= HIGH || few >= FELT {
            // Where something merely begins to fail between the two lengths, it does not go on like that.
            let room = TEXT.saturating_sub(attack.prefix.len() + attack.suffix.len()) / attack.pump.len().max(1);
            let felt = room > 0 && spend(room).is_some_and(|work| work >= FELT);
            let Some(more) = spend(4 * PUMPS) else {
                sure = false;
                continue;
            };
            factor = if felt { EXPLODES } else { factor.min((more + 16.0) / (many + 16.0)) };
        }
        if factor > best {
            best = factor;
            report.attack = attack;
        }
        if factor >= EXPLODES {
            break;
        }
    }
    report.growth = if best >= EXPLODES {
        Growth::Exponential
    } else if sure || best >= HIGH {
        Growth::Polynomial(best.max(1.0).log2())
    } else {
        Growth::Unknown
    };
    report
}

/// The program as an automaton whose states are the operations that read a character.
struct Machine<'a> {
    program: &'a Program,
    /// One character of each kind that the pattern tells apart.
    chars: Vec<u32>,
    /// For each set, which of those it has, as bits.
    sets: Vec<u64>,
}

/// Where one can be after reading a character, with what was come by.
struct Reach {
    /// Operations that read the next character; twice where there are two ways.
    readers: Vec<Pc>,
    /// How often the repeat in question was come by.
    home: u32,
}

impl<'a> Machine<'a> {
    fn new(program: &'a Program) -> Machine<'a> {
        let mut all: Vec<u32> = "aA0 b_-.,!\n\"'/:x1@=\t#(<\0".chars().map(u32::from).collect();
        for set in &program.sets {
            let mut borders = Vec::new();
            set.borders(&mut borders);
            for c in borders.into_iter().take(64) {
                all.extend([c, c.saturating_add(1).min(0xff), c.saturating_sub(1)]);
            }
        }
        let mut chars: Vec<u32> = Vec::new();
        let mut seen: HashSet<Vec<bool>, RandomState> = HashSet::default();
        for c in all {
            let kind: Vec<bool> = program.sets.iter().map(|set| set.has(c)).chain([c == 10]).collect();
            if chars.len() < MAX_CHARS && program.sets.iter().all(|set| set.knows(c)) && seen.insert(kind) {
                chars.push(c);
            }
        }
        let sets = program
            .sets
            .iter()
            .map(|set| chars.iter().enumerate().filter(|(_, c)| set.has(**c)).fold(0, |bits, (at, _)| bits | 1 << at))
            .collect();
        Machine { program, chars, sets }
    }

    /// The set that an operation reads a character of.
    fn reads(&self, pc: Pc) -> Option<u32> {
        match self.program.ops[pc as usize] {
            Op::Char(set) | Op::RepeatOne { set, .. } => Some(set),
            _ => None,
        }
    }

    /// What follows from an operation without reading, as a multiset of readers. `home` is the repeat whose comings are counted.
    fn follow(&self, from: &[Pc], home: Pc) -> Reach {
        let mut reach = Reach { readers: Vec::new(), home: 0 };
        let mut work: Vec<Pc> = from.to_vec();
        let mut visits = vec![0u8; self.program.ops.len()];
        while let Some(pc) = work.pop() {
            let seen = &mut visits[pc as usize];
            if *seen >= 2 {
                continue;
            }
            *seen += 1;
            reach.home += u32::from(pc == home);
            match self.program.ops[pc as usize] {
                Op::Char(_) => reach.readers.push(pc),
                Op::RepeatOne { min, .. } => {
                    reach.readers.push(pc);
                    if min == 0 {
                        work.push(pc + 2);
                    }
                }
                Op::Alternative(next) => work.extend([next, pc + 1]),
                Op::Jump(to) | Op::Repeat(to) => work.push(to),
                Op::Until { body, .. } => {
                    // A round that matches nothing is not repeated.
                    if *seen < 2 {
                        work.push(body);
                    }
                    work.push(pc + 1);
                }
                Op::Possessive { next, .. } => work.extend([next, pc + 1]),
                Op::Look { next, .. } => work.push(next),
                Op::At { .. } | Op::Mark | Op::Atomic(_) | Op::Success | Op::Back => work.push(pc + 1),
                Op::Match | Op::Fail | Op::Group => {}
            }
        }
        reach
    }

    /// What follows after an operation has read its character.
    fn after(&self, pc: Pc, home: Pc) -> Reach {
        match self.program.ops[pc as usize] {
            Op::RepeatOne { max, .. } => {
                let mut reach = self.follow(&[pc + 2], home);
                if max > 1 {
                    reach.readers.push(pc);
                    reach.home += u32::from(pc == home);
                }
                reach
            }
            _ => self.follow(&[pc + 1], home),
        }
    }

    /// A shortest text that leads from the start to a repeat, or from it back to it.
    fn path(&self, start: &[Pc], home: Pc, states: &mut u64) -> Option<Vec<u32>> {
        let mut queue = VecDeque::new();
        let mut seen: HashSet<Pc, RandomState> = HashSet::default();
        for pc in self.follow(start, home).readers {
            if seen.insert(pc) {
                queue.push_back((pc, Vec::new()));
            }
        }
        while let Some((pc, text)) = queue.pop_front() {
            *states += 8;
            let bits = self.sets[self.reads(pc)? as usize];
            if bits == 0 || text.len() > 64 {
                continue;
            }
            let mut text = text;
            text.push(self.chars[bits.trailing_zeros() as usize]);
            let reach = self.after(pc, home);
            if reach.home > 0 {
                return Some(text);
            }
            for next in reach.readers {
                if seen.insert(next) {
                    queue.push_back((next, text.clone()));
                }
            }
        }
        None
    }

    /// Words that a repeat reads in two ways, shortest first.
    fn pumps(&self, home: Pc, start: &[Pc], states: &mut u64) -> Vec<Vec<u32>> {
        let mut found: Vec<Vec<u32>> = Vec::new();
        // Each pair of readers, whether the paths have parted, and how it was come by.
        let mut pairs: Vec<(Pc, Pc, bool, usize, u32)> = Vec::new();
        let mut seen: HashSet<(Pc, Pc, bool), RandomState> = HashSet::default();
        let mut add = |pairs: &mut Vec<_>, p: Pc, q: Pc, parted: bool, from: usize, c: u32| {
            let (p, q) = (p.min(q), p.max(q));
            if pairs.len() < MAX_PAIRS && seen.insert((p, q, parted)) {
                pairs.push((p, q, parted, from, c));
            }
        };
        let readers = self.follow(start, home).readers;
        for (i, &p) in readers.iter().enumerate() {
            for (j, &q) in readers.iter().enumerate().skip(i) {
                add(&mut pairs, p, q, i != j, usize::MAX, 0);
            }
        }
        let mut at = 0;
        while at < pairs.len() && found.len() < 3 {
            let (p, q, parted, _, _) = pairs[at];
            *states += 16;
            let bits = self.sets[self.reads(p).unwrap_or(0) as usize] & self.sets[self.reads(q).unwrap_or(0) as usize];
            if bits != 0 {
                let c = self.chars[bits.trailing_zeros() as usize];
                let (a, b) = (self.after(p, home), self.after(q, home));
                if a.home > 0 && b.home > 0 && (parted || a.home > 1) {
                    let mut word = vec![c];
                    let mut back = at;
                    while pairs[back].3 != usize::MAX {
                        word.push(pairs[back].4);
                        back = pairs[back].3;
                    }
                    word.reverse();
                    found.push(word);
                }
                for (i, &x) in a.readers.iter().enumerate() {
                    for (j, &y) in b.readers.iter().enumerate() {
                        if p != q || parted || j >= i {
                            add(&mut pairs, x, y, parted || p != q || i != j, at, c);
                        }
                    }
                }
            }
            at += 1;
        }
        found
    }

    /// Texts that may take long, the worst kinds first.
    fn attacks(&self, states: &mut u64) -> Vec<Attack> {
        let ops = &self.program.ops;
        let loops: Vec<(Pc, Vec<Pc>, Vec<Pc>)> = ops
            .iter()
            .enumerate()
            .filter_map(|(pc, op)| {
                let pc = pc as Pc;
                match *op {
                    Op::Until { body, max, .. } if is_endless(max) || max > 8 => Some((pc, vec![body], vec![pc + 1])),
                    Op::RepeatOne { max, .. } if is_endless(max) || max > 8 => Some((pc, vec![pc], vec![pc + 2])),
                    Op::Possessive { .. } => None,
                    _ => None,
                }
            })
            .take(MAX_LOOPS)
            .collect();
        let mut attacks: Vec<Attack> = Vec::new();
        let mut prefixes: Vec<Vec<u32>> = vec![Vec::new()];
        // Words read in two ways.
        for (home, body, _) in &loops {
            let Some(prefix) = self.path_to(*home, states) else { continue };
            if let Op::Until { .. } = ops[*home as usize] {
                for pump in self.pumps(*home, body, states) {
                    self.with_suffixes(&prefix, &pump, &mut attacks);
                }
            }
            if !prefixes.contains(&prefix) && prefixes.len() < 4 {
                prefixes.push(prefix);
            }
        }
        // Single characters that many repeats take.
        let mut ranked: Vec<(usize, usize)> = (0..self.chars.len())
            .map(|at| {
                let takers = loops.iter().filter(|(pc, ..)| self.reads(*pc).is_some_and(|set| self.sets[set as usize] >> at & 1 == 1));
                (takers.count(), at)
            })
            .filter(|(n, _)| *n > 0)
            .collect();
        ranked.sort_by_key(|&(n, at)| (std::cmp::Reverse(n), at));
        for &(_, at) in ranked.iter().take(4) {
            for prefix in &prefixes {
                self.with_suffixes(prefix, &[self.chars[at]], &mut attacks);
            }
        }
        // What a repeat reads in one round.
        for (home, body, _) in &loops {
            if let (Op::Until { .. }, Some(pump)) = (&ops[*home as usize], self.path(body, *home, states)) {
                let prefix = self.path_to(*home, states).unwrap_or_default();
                self.with_suffixes(&prefix, &pump, &mut attacks);
            }
        }
        let mut seen = HashSet::new();
        attacks.retain(|a| seen.insert((a.prefix.clone(), a.pump.clone(), a.suffix.clone())));
        attacks
    }

    fn path_to(&self, home: Pc, states: &mut u64) -> Option<Vec<u32>> {
        if self.follow(&[0], home).home > 0 {
            return Some(Vec::new());
        }
        self.path(&[0], home, states)
    }

    /// The pump with suffixes on which what follows fails: a character that nothing takes, one that the pump does not have, none at all.
    fn with_suffixes(&self, prefix: &[u32], pump: &[u32], out: &mut Vec<Attack>) {
        let sets = &self.sets;
        let bits = |at: usize| sets.iter().filter(|set| **set >> at & 1 == 1).count();
        let mut rarest: Vec<usize> = (0..self.chars.len()).filter(|&at| !pump.contains(&self.chars[at])).collect();
        rarest.sort_by_key(|&at| bits(at));
        let mut suffixes: Vec<Vec<u32>> = rarest.iter().take(1).map(|&at| vec![self.chars[at]]).collect();
        suffixes.push(Vec::new());
        suffixes.push(vec![10, 10]);
        suffixes.extend(rarest.get(1).map(|&at| vec![self.chars[at]]));
        for suffix in suffixes {
            out.push(Attack { prefix: prefix.to_vec(), pump: pump.to_vec(), suffix });
        }
    }
}
