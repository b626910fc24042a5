//! Python's syntax of regular expressions, read as `re._parser` reads it.

use super::chars::{Atom, Category, Item};
use super::{Failure, flags};

/// Patterns longer than this are not looked at.
const MAX_LENGTH: usize = 4096;
/// Groups nested deeper than this are not looked at.
const MAX_DEPTH: u32 = 48;
/// No upper bound of a repeat.
pub const ENDLESS: u32 = u32::MAX;

/// Where a position must be.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
#[expect(missing_docs, reason = "they are named as in `re._constants`")]
pub enum Place {
    Beginning,
    BeginningString,
    Boundary,
    NotBoundary,
    End,
    EndString,
}

/// How a repeat gives back what it took.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
#[expect(missing_docs, reason = "the kinds name themselves")]
pub enum Greed {
    Greedy,
    Lazy,
    Possessive,
}

/// A part of a pattern.
#[derive(Debug, Clone, PartialEq)]
pub enum Node {
    /// One character.
    Char(Atom),
    /// A condition on the position.
    At(Place),
    /// Alternatives.
    Branch(Vec<Vec<Node>>),
    /// A repeat.
    Repeat {
        /// How.
        greed: Greed,
        /// At least.
        min: u32,
        /// At most, or [`ENDLESS`].
        max: u32,
        /// What.
        body: Vec<Node>,
    },
    /// A group that captures (by number), or has flags of its own.
    Group {
        /// The number.
        capture: Option<u32>,
        /// Flags switched on in it.
        add: u32,
        /// Flags switched off in it.
        del: u32,
        /// What it holds.
        body: Vec<Node>,
    },
    /// `(?>…)`
    Atomic(Vec<Node>),
    /// A look ahead or behind.
    Look {
        /// Behind.
        behind: bool,
        /// It must not match.
        negate: bool,
        /// What.
        body: Vec<Node>,
    },
    /// Nothing matches this.
    Fail,
    /// A reference to a group.
    Backref(u32),
    /// `(?(1)yes|no)`
    Conditional {
        /// If this group matched.
        group: u32,
        /// Then this.
        yes: Vec<Node>,
        /// Else this.
        no: Vec<Node>,
    },
}

/// A parsed pattern.
#[derive(Debug, Clone, PartialEq)]
pub struct Pattern {
    /// What it is made of.
    pub nodes: Vec<Node>,
    /// The flags that hold for all of it.
    pub flags: u32,
    /// How many groups capture.
    pub groups: u32,
    /// The oldest minor version that takes it, when that is not the oldest supported.
    pub since: u8,
}

/// Parses a pattern (characters of a str, or bytes) under flags given beside it.
pub fn parse(text: &[u32], is_str: bool, given: u32) -> Result<Pattern, Failure> {
    if text.len() > MAX_LENGTH {
        return Err(Failure::Beyond);
    }
    let mut parser = Parser { text, at: 0, is_str, flags: given, groups: Vec::new(), names: Vec::new(), conditions: Vec::new(), since: 9 };
    let verbose = given & flags::VERBOSE != 0;
    let nodes = parser.alternatives(verbose, 0)?;
    if parser.at < text.len() {
        return Err(Failure::Invalid);
    }
    let mut all = parser.flags;
    if is_str {
        if all & flags::LOCALE != 0 || (all & flags::ASCII != 0 && all & flags::UNICODE != 0) {
            return Err(Failure::Invalid);
        }
        if all & flags::ASCII == 0 {
            all |= flags::UNICODE;
        }
    } else if all & flags::UNICODE != 0 {
        return Err(Failure::Invalid);
    }
    if all & flags::LOCALE != 0 {
        return Err(Failure::Beyond);
    }
    if parser.conditions.iter().any(|&group| group as usize > parser.groups.len()) {
        return Err(Failure::Invalid);
    }
    Ok(Pattern { nodes, flags: all, groups: parser.groups.len() as u32, since: parser.since })
}

struct Parser<'a> {
    text: &'a [u32],
    at: usize,
    is_str: bool,
    flags: u32,
    /// Whether each group is closed.
    groups: Vec<bool>,
    names: Vec<(Vec<u32>, u32)>,
    conditions: Vec<u32>,
    since: u8,
}

fn is(c: Option<u32>, expected: char) -> bool {
    c == Some(expected as u32)
}

fn one_of(c: Option<u32>, expected: &str) -> bool {
    c.and_then(char::from_u32).is_some_and(|c| expected.contains(c))
}

fn digit(c: Option<u32>, radix: u32) -> Option<u32> {
    c.and_then(char::from_u32).and_then(|c| c.to_digit(radix))
}

fn flag(c: Option<u32>) -> Option<u32> {
    Some(match char::from_u32(c?)? {
        'i' => flags::IGNORECASE,
        'L' => flags::LOCALE,
        'm' => flags::MULTILINE,
        's' => flags::DOTALL,
        'u' => flags::UNICODE,
        'x' => flags::VERBOSE,
        'a' => flags::ASCII,
        // A flag of debugging until 3.12.
        _ => return None,
    })
}

const TYPES: u32 = flags::ASCII | flags::LOCALE | flags::UNICODE;

type P<T> = Result<T, Failure>;

impl Parser<'_> {
    fn peek(&self) -> Option<u32> {
        self.text.get(self.at).copied()
    }

    fn next(&mut self) -> Option<u32> {
        let c = self.peek();
        self.at += usize::from(c.is_some());
        c
    }

    fn eat(&mut self, c: char) -> bool {
        let found = is(self.peek(), c);
        self.at += usize::from(found);
        found
    }

    fn must(&mut self, c: char) -> P<()> {
        if self.eat(c) { Ok(()) } else { Err(Failure::Invalid) }
    }

    fn until(&mut self, end: char) -> P<Vec<u32>> {
        let mut out = Vec::new();
        loop {
            match self.next() {
                None => return Err(Failure::Invalid),
                Some(c) if c == end as u32 && out.is_empty() => return Err(Failure::Invalid),
                Some(c) if c == end as u32 => return Ok(out),
                Some(c) => out.push(c),
            }
        }
    }

    fn alternatives(&mut self, verbose: bool, depth: u32) -> P<Vec<Node>> {
        if depth > MAX_DEPTH {
            return Err(Failure::Beyond);
        }
        let mut items = vec![self.sequence(verbose, depth, depth == 0)?];
        while self.eat('|') {
            let verbose = if depth == 0 { self.flags & flags::VERBOSE != 0 } else { verbose };
            items.push(self.sequence(verbose, depth, false)?);
        }
        if items.len() == 1 {
            return Ok(items.remove(0));
        }
        Ok(branch(items))
    }

    fn sequence(&mut self, verbose: bool, depth: u32, first: bool) -> P<Vec<Node>> {
        let mut verbose = verbose;
        let mut nodes: Vec<Node> = Vec::new();
        loop {
            let start = self.at;
            let Some(c) = self.peek() else { break };
            let Some(this) = char::from_u32(c) else {
                // A lone surrogate is a character like any other.
                self.at += 1;
                nodes.push(Node::Char(Atom::Literal(c)));
                continue;
            };
            if this == '|' || this == ')' {
                break;
            }
            self.at += 1;
            if verbose {
                if matches!(this, ' ' | '\t' | '\n' | '\r' | '\x0b' | '\x0c') {
                    continue;
                }
                if this == '#' {
                    // A backslash takes the character after it along, a line's end too.
                    while let Some(c) = self.next() {
                        if c == 10 {
                            break;
                        }
                        if c == '\\' as u32 && self.next().is_none() {
                            return Err(Failure::Invalid);
                        }
                    }
                    continue;
                }
            }
            match this {
                '\\' => {
                    let node = self.escape()?;
                    nodes.push(node);
                }
                '[' => nodes.push(Node::Char(self.set()?)),
                '*' | '+' | '?' | '{' => self.repeat(this, &mut nodes)?,
                '.' => nodes.push(Node::Char(Atom::Any)),
                '^' => nodes.push(Node::At(Place::Beginning)),
                '$' => nodes.push(Node::At(Place::End)),
                '(' => {
                    let may_set = first && nodes.is_empty();
                    if let Some(node) = self.group(verbose, depth, may_set, start)? {
                        nodes.push(node);
                    } else if depth == 0 {
                        verbose = self.flags & flags::VERBOSE != 0;
                    }
                }
                _ => nodes.push(Node::Char(Atom::Literal(c))),
            }
        }
        // Groups that are nothing but brackets vanish.
        if nodes.iter().any(is_bare) {
            nodes = nodes
                .into_iter()
                .flat_map(|node| match node {
                    Node::Group { capture: None, add: 0, del: 0, body } => body,
                    node => vec![node],
                })
                .collect();
        }
        Ok(nodes)
    }

    fn number(&mut self) -> P<Option<u32>> {
        let start = self.at;
        let mut n: u64 = 0;
        while let Some(d) = digit(self.peek(), 10) {
            n = (n * 10 + u64::from(d)).min(1 << 40);
            self.at += 1;
        }
        if self.at == start {
            return Ok(None);
        }
        // From here on CPython says OverflowError.
        u32::try_from(n).ok().filter(|&n| n < ENDLESS).map(Some).ok_or(Failure::Invalid)
    }

    fn repeat(&mut self, this: char, nodes: &mut Vec<Node>) -> P<()> {
        let (min, max) = match this {
            '?' => (0, 1),
            '*' => (0, ENDLESS),
            '+' => (1, ENDLESS),
            _ => {
                let here = self.at;
                if is(self.peek(), '}') {
                    nodes.push(Node::Char(Atom::Literal('{' as u32)));
                    return Ok(());
                }
                // The numbers count only where a brace closes them.
                let bounds = self.bounds();
                if !self.eat('}') {
                    self.at = here;
                    nodes.push(Node::Char(Atom::Literal('{' as u32)));
                    return Ok(());
                }
                let (low, high) = bounds?;
                let (low, high) = (low.unwrap_or(0), high.unwrap_or(ENDLESS));
                if high < low {
                    return Err(Failure::Invalid);
                }
                (low, high)
            }
        };
        let body = match nodes.pop() {
            None | Some(Node::At(_) | Node::Repeat { .. }) => return Err(Failure::Invalid),
            Some(Node::Group { capture: None, add: 0, del: 0, body }) => body,
            Some(node) => vec![node],
        };
        let greed = if self.eat('?') {
            Greed::Lazy
        } else if self.eat('+') {
            self.since = 11;
            Greed::Possessive
        } else {
            Greed::Greedy
        };
        nodes.push(Node::Repeat { greed, min, max, body });
        Ok(())
    }

    fn bounds(&mut self) -> P<(Option<u32>, Option<u32>)> {
        let low = self.number();
        let high = if self.eat(',') { self.number() } else { low };
        Ok((low?, high?))
    }

    fn set(&mut self) -> P<Atom> {
        let negate = self.eat('^');
        let mut items: Vec<Item> = Vec::new();
        loop {
            let c = self.next().ok_or(Failure::Invalid)?;
            if c == ']' as u32 && !items.is_empty() {
                break;
            }
            let low = if c == '\\' as u32 { self.class_escape()? } else { Item::Literal(c) };
            if self.eat('-') {
                let c = self.next().ok_or(Failure::Invalid)?;
                if c == ']' as u32 {
                    items.extend([low, Item::Literal('-' as u32)]);
                    break;
                }
                let high = if c == '\\' as u32 { self.class_escape()? } else { Item::Literal(c) };
                match (low, high) {
                    (Item::Literal(a), Item::Literal(b)) if a <= b => items.push(Item::Range(a, b)),
                    _ => return Err(Failure::Invalid),
                }
            } else {
                items.push(low);
            }
        }
        let items = unique(items);
        Ok(match (items.as_slice(), negate) {
            ([Item::Literal(c)], false) => Atom::Literal(*c),
            ([Item::Literal(c)], true) => Atom::NotLiteral(*c),
            _ => Atom::In { negate, items },
        })
    }

    fn class_escape(&mut self) -> P<Item> {
        let c = self.next().ok_or(Failure::Invalid)?;
        let c = char::from_u32(c).ok_or(Failure::Beyond)?;
        if let Some(category) = category(c) {
            return Ok(Item::Category(category));
        }
        if let Some(code) = plain_escape(c).or((c == 'b').then_some(8)) {
            return Ok(Item::Literal(code));
        }
        if c.is_digit(8) {
            return Ok(Item::Literal(self.octal(c)?));
        }
        self.coded(c).map(Item::Literal)
    }

    /// An octal escape whose first digit has been read, up to three in all.
    fn octal(&mut self, first: char) -> P<u32> {
        let mut n = first.to_digit(8).unwrap_or(0);
        for _ in 0..2 {
            let Some(d) = digit(self.peek(), 8) else { break };
            n = n * 8 + d;
            self.at += 1;
        }
        if n > 0o377 { Err(Failure::Invalid) } else { Ok(n) }
    }

    /// An escape that names a character by its number, or stands for itself.
    fn coded(&mut self, c: char) -> P<u32> {
        let digits = match c {
            'x' => 2,
            'u' if self.is_str => 4,
            'U' if self.is_str => 8,
            // Names of characters.
            'N' if self.is_str => return Err(Failure::Beyond),
            c if c.is_ascii_alphanumeric() => return Err(Failure::Invalid),
            c => return Ok(c as u32),
        };
        let mut n: u32 = 0;
        for _ in 0..digits {
            n = n.checked_mul(16).and_then(|n| n.checked_add(digit(self.peek(), 16)?)).ok_or(Failure::Invalid)?;
            self.at += 1;
        }
        if n > 0x0010_ffff { Err(Failure::Invalid) } else { Ok(n) }
    }

    fn escape(&mut self) -> P<Node> {
        let c = self.next().ok_or(Failure::Invalid)?;
        let Some(c) = char::from_u32(c) else { return Ok(Node::Char(Atom::Literal(c))) };
        if let Some(category) = category(c) {
            return Ok(Node::Char(Atom::In { negate: false, items: vec![Item::Category(category)] }));
        }
        let place = match c {
            'A' => Some(Place::BeginningString),
            'b' => Some(Place::Boundary),
            'B' => Some(Place::NotBoundary),
            'Z' => Some(Place::EndString),
            _ => None,
        };
        if let Some(place) = place {
            return Ok(Node::At(place));
        }
        if let Some(code) = plain_escape(c) {
            return Ok(Node::Char(Atom::Literal(code)));
        }
        if c == '0' {
            return Ok(Node::Char(Atom::Literal(self.octal(c)?)));
        }
        if let Some(first) = c.to_digit(10) {
            let mut group = first;
            if let Some(second) = digit(self.peek(), 10) {
                self.at += 1;
                if first < 8
                    && second < 8
                    && let Some(third) = digit(self.peek(), 8)
                {
                    self.at += 1;
                    let n = (first * 8 + second) * 8 + third;
                    return if n > 0o377 { Err(Failure::Invalid) } else { Ok(Node::Char(Atom::Literal(n))) };
                }
                group = first * 10 + second;
            }
            return self.reference(group);
        }
        self.coded(c).map(|c| Node::Char(Atom::Literal(c)))
    }

    fn reference(&mut self, group: u32) -> P<Node> {
        match self.groups.get((group as usize).wrapping_sub(1)) {
            Some(true) => Ok(Node::Backref(group)),
            _ => Err(Failure::Invalid),
        }
    }

    fn name(&mut self, end: char) -> P<Vec<u32>> {
        let name = self.until(end)?;
        let ascii = |c: u32| u8::try_from(c).is_ok_and(|c| c.is_ascii_alphanumeric() || c == b'_');
        if name.iter().any(|c| *c > 127) {
            return Err(Failure::Beyond);
        }
        if !name.iter().all(|c| ascii(*c)) || digit(name.first().copied(), 10).is_some() {
            return Err(Failure::Invalid);
        }
        Ok(name)
    }

    /// What follows an opening bracket; nothing for a comment or flags of the whole pattern.
    fn group(&mut self, verbose: bool, depth: u32, may_set: bool, _start: usize) -> P<Option<Node>> {
        let (mut capture, mut atomic, mut add, mut del) = (true, false, 0, 0);
        let mut name = None;
        if self.eat('?') {
            let c = self.next().and_then(char::from_u32).ok_or(Failure::Invalid)?;
            match c {
                'P' => {
                    if self.eat('<') {
                        name = Some(self.name('>')?);
                    } else if self.eat('=') {
                        let name = self.name(')')?;
                        let group = self.names.iter().find(|(n, _)| *n == name).map(|(_, g)| *g).ok_or(Failure::Invalid)?;
                        return self.reference(group).map(Some);
                    } else {
                        return Err(Failure::Invalid);
                    }
                }
                ':' => capture = false,
                '#' => {
                    loop {
                        match self.next() {
                            None => return Err(Failure::Invalid),
                            Some(c) if c == ')' as u32 => break,
                            Some(c) if c == '\\' as u32 => {
                                self.next().ok_or(Failure::Invalid)?;
                            }
                            Some(_) => {}
                        }
                    }
                    // A comment does not come between a repeat and what it repeats, nor between the start and flags.
                    return Ok(None);
                }
                '=' | '!' | '<' => {
                    let behind = c == '<';
                    let sign = if behind { self.next().and_then(char::from_u32).ok_or(Failure::Invalid)? } else { c };
                    if !matches!(sign, '=' | '!') {
                        return Err(Failure::Invalid);
                    }
                    let body = self.alternatives(verbose, depth + 1)?;
                    self.must(')')?;
                    if sign == '!' && body.is_empty() {
                        return Ok(Some(Node::Fail));
                    }
                    return Ok(Some(Node::Look { behind, negate: sign == '!', body }));
                }
                '(' => return self.conditional(verbose, depth).map(Some),
                '>' => {
                    self.since = 11;
                    capture = false;
                    atomic = true;
                }
                c if flag(Some(c as u32)).is_some() || c == '-' => {
                    match self.inline_flags(c)? {
                        None => {
                            // Elsewhere than at the start they are an error from 3.11 on.
                            return if may_set { Ok(None) } else { Err(Failure::Beyond) };
                        }
                        Some(flags) => (add, del) = flags,
                    }
                    capture = false;
                }
                't' => return Err(Failure::Beyond),
                _ => return Err(Failure::Invalid),
            }
        }
        let number = if capture {
            self.groups.push(false);
            let number = self.groups.len() as u32;
            if let Some(name) = name {
                if self.names.iter().any(|(n, _)| *n == name) {
                    return Err(Failure::Invalid);
                }
                self.names.push((name, number));
            }
            Some(number)
        } else {
            None
        };
        let inner = (verbose || add & flags::VERBOSE != 0) && del & flags::VERBOSE == 0;
        let body = self.alternatives(inner, depth + 1)?;
        self.must(')')?;
        if let Some(number) = number {
            self.groups[number as usize - 1] = true;
        }
        Ok(Some(if atomic { Node::Atomic(body) } else { Node::Group { capture: number, add, del, body } }))
    }

    fn conditional(&mut self, verbose: bool, depth: u32) -> P<Node> {
        let name = self.until(')')?;
        let group = if name.iter().all(|c| digit(Some(*c), 10).is_some()) {
            let mut n: u32 = 0;
            for c in &name {
                n = n.saturating_mul(10).saturating_add(digit(Some(*c), 10).unwrap_or(0));
            }
            if n == 0 {
                return Err(Failure::Invalid);
            }
            self.conditions.push(n);
            n
        } else {
            self.names.iter().find(|(n, _)| *n == name).map(|(_, g)| *g).ok_or(Failure::Beyond)?
        };
        if depth + 1 > MAX_DEPTH {
            return Err(Failure::Beyond);
        }
        let yes = self.sequence(verbose, depth + 1, false)?;
        let no = if self.eat('|') { self.sequence(verbose, depth + 1, false)? } else { Vec::new() };
        self.must(')')?;
        Ok(Node::Conditional { group, yes, no })
    }

    /// Flags in a group: none where they are for the whole pattern.
    fn inline_flags(&mut self, first: char) -> P<Option<(u32, u32)>> {
        let (mut add, mut del) = (0, 0);
        let mut c = Some(first as u32);
        if first != '-' {
            loop {
                let flag = flag(c).ok_or(Failure::Invalid)?;
                if flag == if self.is_str { flags::LOCALE } else { flags::UNICODE } {
                    return Err(Failure::Invalid);
                }
                add |= flag;
                if flag & TYPES != 0 && add & TYPES != flag {
                    return Err(Failure::Invalid);
                }
                c = self.next();
                if one_of(c, ")-:") {
                    break;
                }
                if is(c, 't') {
                    return Err(Failure::Beyond);
                }
            }
        }
        if is(c, ')') {
            self.flags |= add;
            return Ok(None);
        }
        if is(c, '-') {
            c = self.next();
            loop {
                let flag = flag(c).ok_or(Failure::Invalid)?;
                if flag & TYPES != 0 {
                    return Err(Failure::Invalid);
                }
                del |= flag;
                c = self.next();
                if is(c, ':') {
                    break;
                }
            }
        }
        if add & del != 0 { Err(Failure::Invalid) } else { Ok(Some((add, del))) }
    }
}

fn is_bare(node: &Node) -> bool {
    matches!(node, Node::Group { capture: None, add: 0, del: 0, .. })
}

fn category(c: char) -> Option<Category> {
    Some(match c {
        'd' => Category::Digit,
        'D' => Category::NotDigit,
        's' => Category::Space,
        'S' => Category::NotSpace,
        'w' => Category::Word,
        'W' => Category::NotWord,
        _ => return None,
    })
}

fn plain_escape(c: char) -> Option<u32> {
    Some(match c {
        'a' => 7,
        'f' => 12,
        'n' => 10,
        'r' => 13,
        't' => 9,
        'v' => 11,
        '\\' => u32::from(b'\\'),
        _ => return None,
    })
}

fn unique(items: Vec<Item>) -> Vec<Item> {
    let mut out: Vec<Item> = Vec::new();
    for item in items {
        // Long sets keep doubles: they mean the same, and no alternative is equal to them by chance.
        if out.len() > 64 || !out.contains(&item) {
            out.push(item);
        }
    }
    out
}

/// Alternatives, with what they begin with in common taken out, as a set where they are single characters.
fn branch(mut items: Vec<Vec<Node>>) -> Vec<Node> {
    let mut out = Vec::new();
    // Nodes that hold a sequence are equal to none but themselves.
    let flat = |node: &Node| matches!(node, Node::Char(_) | Node::At(_) | Node::Backref(_));
    let mut shared = 0;
    while let Some(first) = items[0].get(shared)
        && flat(first)
        && items.iter().all(|item| item.get(shared) == Some(first))
    {
        shared += 1;
    }
    out.extend(items[0][..shared].iter().cloned());
    for item in &mut items {
        item.drain(..shared);
    }
    let mut set = Vec::new();
    for item in &items {
        match item.as_slice() {
            [Node::Char(Atom::Literal(c))] => set.push(Item::Literal(*c)),
            [Node::Char(Atom::In { negate: false, items })] => set.extend(items.iter().copied()),
            _ => {
                out.push(Node::Branch(items));
                return out;
            }
        }
    }
    out.push(Node::Char(Atom::In { negate: false, items: unique(set) }));
    out
}
