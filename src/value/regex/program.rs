//! A pattern as the operations `sre` runs, as `re._compiler` chooses them.

use super::chars::{Set, unicode_kind};
use super::parse::{ENDLESS, Greed, Node, Pattern, Place, parse};
use super::{Failure, flags};

/// Where an operation is.
pub type Pc = u32;

/// An operation. What comes next is the following operation where it is not said.
#[derive(Debug, Clone, PartialEq)]
pub enum Op {
    /// One character of the set of this number.
    Char(u32),
    /// A condition on the position.
    At {
        /// Which.
        place: Place,
        /// Lines have beginnings and ends.
        lines: bool,
        /// Words are those of ASCII.
        ascii: bool,
    },
    /// A group begins or ends.
    Mark,
    /// Goes on elsewhere.
    Jump(Pc),
    /// This alternative, or what stands at another place (an alternative as well, or a failure).
    Alternative(Pc),
    /// As many of one character as there are, then gives back one by one. [`Op::Back`] follows, then the tail.
    RepeatOne {
        /// Which set of characters.
        set: u32,
        /// At least.
        min: u32,
        /// At most.
        max: u32,
        /// How.
        greed: Greed,
    },
    /// One step of giving back, or of taking one more.
    Back,
    /// Starts a repeat whose [`Op::Until`] is at this place.
    Repeat(Pc),
    /// The end of a round of a repeat.
    Until {
        /// Where a round starts.
        body: Pc,
        /// At least.
        min: u32,
        /// At most.
        max: u32,
        /// As few as possible.
        lazy: bool,
        /// A round may match nothing.
        nullable: bool,
    },
    /// Rounds that give nothing back: the body ends in [`Op::Success`], the tail is at `next`.
    Possessive {
        /// At least.
        min: u32,
        /// At most.
        max: u32,
        /// Where it goes on.
        next: Pc,
    },
    /// The body, which follows, gives nothing back.
    Atomic(Pc),
    /// A look at the body, which follows.
    Look {
        /// It must not match.
        negate: bool,
        /// So many characters back.
        back: u32,
        /// Where it goes on.
        next: Pc,
    },
    /// The end of a body that stands by itself.
    Success,
    /// The end of the pattern.
    Match,
    /// Never matches.
    Fail,
    /// Depends on what a group holds, which is not followed.
    Group,
}

/// A compiled pattern.
#[derive(Debug, Clone, PartialEq)]
pub struct Program {
    /// The operations, from 0 on.
    pub ops: Vec<Op>,
    /// The sets of characters.
    pub sets: Vec<Set>,
    /// The least number of characters it matches.
    pub width: u32,
    /// Whether it depends on what groups hold.
    pub has_references: bool,
    /// Whether words are told from other characters by position.
    pub has_boundaries: bool,
    /// The flags that hold for all of it.
    pub flags: u32,
    /// How many groups capture.
    pub groups: u32,
    /// The oldest minor version that takes it.
    pub since: u8,
}

impl Program {
    /// Compiles a str pattern.
    pub fn of_str(pattern: &str, flags: u32) -> Result<Program, Failure> {
        let text: Vec<u32> = pattern.chars().map(u32::from).collect();
        Program::compile(&parse(&text, true, flags)?)
    }

    /// Compiles a bytes pattern.
    pub fn of_bytes(pattern: &[u8], flags: u32) -> Result<Program, Failure> {
        let text: Vec<u32> = pattern.iter().copied().map(u32::from).collect();
        Program::compile(&parse(&text, false, flags)?)
    }

    fn compile(pattern: &Pattern) -> Result<Program, Failure> {
        let program = Program {
            ops: Vec::new(),
            sets: Vec::new(),
            width: width(&pattern.nodes)?.0,
            has_references: false,
            has_boundaries: false,
            flags: pattern.flags,
            groups: pattern.groups,
            since: pattern.since,
        };
        let mut compiler = Compiler { program };
        compiler.sequence(&pattern.nodes, pattern.flags)?;
        let mut program = compiler.program;
        program.ops.push(Op::Match);
        Ok(program)
    }

    /// Whether the meaning of each character of the text is certain.
    pub fn knows(&self, text: &[u32]) -> bool {
        let unicode = self.flags & flags::UNICODE != 0;
        let mut far: Vec<u32> = text.iter().copied().filter(|c| *c > 127).collect();
        far.sort_unstable();
        far.dedup();
        far.iter().all(|&c| self.sets.iter().all(|set| set.knows(c)) && !(self.has_boundaries && unicode && unicode_kind(c).is_none()))
    }

    /// How many characters a single operation may pass over, beyond one each, in all; none where that is many.
    pub fn window(&self) -> Option<u64> {
        const WIDEST: u64 = 64;
        let extra = |op: &Op| match op {
            Op::RepeatOne { min, max, .. } if is_endless(*max) => u64::from(*min),
            Op::RepeatOne { max, .. } => u64::from(*max),
            Op::Look { back, .. } => u64::from(*back),
            _ => 0,
        };
        Some(self.ops.iter().map(extra).sum()).filter(|all| *all <= WIDEST)
    }

    /// The first operation that is more than a mark.
    pub fn first(&self, from: Pc) -> Pc {
        let mut pc = from;
        while let Op::Mark = self.ops[pc as usize] {
            pc += 1;
        }
        pc
    }
}

/// Widths beyond this are not told apart.
const WIDE: u32 = 1 << 30;

/// The least and greatest number of characters that something matches. References to groups count as any number.
fn width(nodes: &[Node]) -> Result<(u32, u32), Failure> {
    let (mut low, mut high) = (0u32, 0u32);
    for node in nodes {
        let (a, b) = match node {
            Node::Char(_) => (1, 1),
            Node::At(_) | Node::Look { .. } | Node::Fail => (0, 0),
            Node::Branch(items) => {
                let mut all = (WIDE, 0);
                for item in items {
                    let (a, b) = width(item)?;
                    all = (all.0.min(a), all.1.max(b));
                }
                all
            }
            Node::Repeat { min, max, body, .. } => {
                let (a, b) = width(body)?;
                (a.saturating_mul(*min).min(WIDE), b.saturating_mul(*max).min(WIDE))
            }
            Node::Group { body, .. } | Node::Atomic(body) => width(body)?,
            Node::Backref(_) => (0, WIDE),
            Node::Conditional { yes, no, .. } => {
                let (a, b) = (width(yes)?, width(no)?);
                (a.0.min(b.0), a.1.max(b.1))
            }
        };
        low = low.saturating_add(a).min(WIDE);
        high = high.saturating_add(b).min(WIDE);
    }
    if low >= WIDE { Err(Failure::Beyond) } else { Ok((low, high)) }
}

struct Compiler {
    program: Program,
}

impl Compiler {
    fn emit(&mut self, op: Op) -> Pc {
        self.program.ops.push(op);
        self.here() - 1
    }

    fn here(&self) -> Pc {
        self.program.ops.len() as Pc
    }

    fn set(&mut self, node: &Node, flags: u32) -> Option<u32> {
        let Node::Char(atom) = node else { return None };
        let set = Set::new(atom, flags);
        let sets = &mut self.program.sets;
        Some(match sets.iter().position(|s| *s == set) {
            Some(at) => at as u32,
            None => {
                sets.push(set);
                sets.len() as u32 - 1
            }
        })
    }

    /// The set of a body of exactly one character.
    fn simple(&mut self, body: &[Node], flags: u32) -> Option<u32> {
        match body {
            [Node::Group { capture: None, add, del, body }] => self.simple(body, combined(flags, *add, *del)),
            [node] => self.set(node, flags),
            _ => None,
        }
    }

    fn sequence(&mut self, nodes: &[Node], flags: u32) -> Result<(), Failure> {
        for node in nodes {
            self.node(node, flags)?;
        }
        Ok(())
    }

    fn node(&mut self, node: &Node, flags: u32) -> Result<(), Failure> {
        match node {
            Node::Char(_) => {
                let set = self.set(node, flags).unwrap_or(0);
                self.emit(Op::Char(set));
            }
            Node::At(place) => {
                self.program.has_boundaries |= matches!(place, Place::Boundary | Place::NotBoundary);
                let (lines, ascii) = (flags & flags::MULTILINE != 0, flags & flags::UNICODE == 0);
                self.emit(Op::At { place: *place, lines, ascii });
            }
            Node::Branch(items) => {
                let mut ends = Vec::new();
                for item in items {
                    let at = self.emit(Op::Fail);
                    self.sequence(item, flags)?;
                    ends.push(self.emit(Op::Fail));
                    self.program.ops[at as usize] = Op::Alternative(self.here());
                }
                self.emit(Op::Fail);
                let here = self.here();
                for end in ends {
                    self.program.ops[end as usize] = Op::Jump(here);
                }
            }
            Node::Repeat { greed, min, max, body } => self.repeat(*greed, *min, *max, body, flags)?,
            Node::Group { capture, add, del, body } => {
                if capture.is_some() {
                    self.emit(Op::Mark);
                }
                self.sequence(body, combined(flags, *add, *del))?;
                if capture.is_some() {
                    self.emit(Op::Mark);
                }
            }
            Node::Atomic(body) => {
                let at = self.emit(Op::Fail);
                self.sequence(body, flags)?;
                self.emit(Op::Success);
                self.program.ops[at as usize] = Op::Atomic(self.here());
            }
            Node::Look { behind, negate, body } => {
                let back = if *behind {
                    let (low, high) = width(body)?;
                    if low != high {
                        // A reference to a group may have one width all the same.
                        return Err(if high == WIDE { Failure::Beyond } else { Failure::Invalid });
                    }
                    low
                } else {
                    0
                };
                let at = self.emit(Op::Fail);
                self.sequence(body, flags)?;
                self.emit(Op::Success);
                self.program.ops[at as usize] = Op::Look { negate: *negate, back, next: self.here() };
            }
            Node::Fail => {
                self.emit(Op::Fail);
            }
            Node::Backref(_) => {
                self.program.has_references = true;
                self.emit(Op::Group);
            }
            Node::Conditional { yes, no, .. } => {
                self.program.has_references = true;
                self.emit(Op::Group);
                self.sequence(yes, flags)?;
                self.sequence(no, flags)?;
            }
        }
        Ok(())
    }

    fn repeat(&mut self, greed: Greed, min: u32, max: u32, body: &[Node], flags: u32) -> Result<(), Failure> {
        if let Some(set) = self.simple(body, flags) {
            self.emit(Op::RepeatOne { set, min, max, greed });
            self.emit(Op::Back);
            return Ok(());
        }
        let at = self.emit(Op::Fail);
        self.sequence(body, flags)?;
        if greed == Greed::Possessive {
            self.emit(Op::Success);
            self.program.ops[at as usize] = Op::Possessive { min, max, next: self.here() };
            return Ok(());
        }
        let nullable = width(body)?.0 == 0;
        let until = self.emit(Op::Until { body: at + 1, min, max, lazy: greed == Greed::Lazy, nullable });
        self.program.ops[at as usize] = Op::Repeat(until);
        Ok(())
    }
}

fn combined(flags: u32, add: u32, del: u32) -> u32 {
    const TYPES: u32 = flags::ASCII | flags::LOCALE | flags::UNICODE;
    let flags = if add & TYPES != 0 { flags & !TYPES } else { flags };
    (flags | add) & !del
}

/// Whether a bound is none.
pub fn is_endless(max: u32) -> bool {
    max == ENDLESS
}
