//! Sets of characters, as `sre` tells them apart.

use super::flags;

/// `\d`, `\s`, `\w` and their opposites.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
#[expect(missing_docs, reason = "the categories name themselves")]
pub enum Category {
    Digit,
    NotDigit,
    Space,
    NotSpace,
    Word,
    NotWord,
}

/// A member of a set.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum Item {
    /// One character.
    Literal(u32),
    /// All between two, both included.
    Range(u32, u32),
    /// A category.
    Category(Category),
}

/// What one character may be.
#[derive(Debug, Clone, PartialEq, Eq)]
pub enum Atom {
    /// This character.
    Literal(u32),
    /// Any but this.
    NotLiteral(u32),
    /// One of a set, or none of it.
    In {
        /// None of it.
        negate: bool,
        /// Its members.
        items: Vec<Item>,
    },
    /// `.`
    Any,
}

/// What is certain of a character, whichever version of Unicode's tables.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub struct Kind {
    /// `\w`
    pub word: bool,
    /// `\d`
    pub digit: bool,
    /// `\s`
    pub space: bool,
}

const NEITHER: Kind = Kind { word: false, digit: false, space: false };

fn ascii_kind(c: u32) -> Kind {
    let Some(c) = u8::try_from(c).ok().filter(u8::is_ascii) else { return NEITHER };
    Kind { word: c.is_ascii_alphanumeric() || c == b'_', digit: c.is_ascii_digit(), space: matches!(c, b' ' | 9..=13) }
}

/// The kind of a character in a str pattern; none where that depends on the version of Unicode or is not known here.
pub fn unicode_kind(c: u32) -> Option<Kind> {
    Some(match c {
        0x1c..=0x1f => Kind { space: true, ..NEITHER },
        0..=0x7f => ascii_kind(c),
        0x85 | 0xa0 => Kind { space: true, ..NEITHER },
        // Letters of Latin-1, the common ones of Latin Extended-A, Greek and Cyrillic, kana and ideographs.
        0xc0..=0xd6
        | 0xd8..=0xf6
        | 0xf8..=0x17f
        | 0x3b1..=0x3c9
        | 0x410..=0x44f
        | 0x3041..=0x3096
        | 0x30a1..=0x30fa
        | 0x4e00..=0x9fa5
        | 0xac00..=0xd7a3 => Kind { word: true, ..NEITHER },
        0xd7 | 0xf7 | 0x2013..=0x2026 | 0x20ac | 0x1f600..=0x1f64f => NEITHER,
        _ => return None,
    })
}

/// An atom under the flags that hold where it stands.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Set {
    atom: Atom,
    ignore_case: bool,
    /// Categories are those of ASCII: a bytes pattern, or `re.ASCII`.
    ascii: bool,
    dot_all: bool,
    /// For the characters of ASCII, whether they belong to it.
    table: u128,
}

/// Characters outside ASCII that are a variant of one inside when case is ignored.
const FOLDED: [(u32, u32); 4] = [(0x130, 0x69), (0x131, 0x69), (0x17f, 0x73), (0x212a, 0x6b)];

impl Set {
    /// The atom under these flags.
    pub fn new(atom: &Atom, flags: u32) -> Set {
        let mut set = Set {
            atom: atom.clone(),
            ignore_case: flags & flags::IGNORECASE != 0,
            ascii: flags & flags::UNICODE == 0,
            dot_all: flags & flags::DOTALL != 0,
            table: 0,
        };
        for c in 0..128 {
            if set.decide(c) {
                set.table |= 1 << c;
            }
        }
        set
    }

    /// Whether the character belongs to it. Only for characters that [`Set::knows`].
    pub fn has(&self, c: u32) -> bool {
        if c < 128 { self.table >> c & 1 == 1 } else { self.decide(c) }
    }

    /// Whether the answer for a character is certain.
    pub fn knows(&self, c: u32) -> bool {
        c < 128
            || (!(self.ignore_case && !matches!(self.atom, Atom::Any) && !self.ascii)
                && (self.ascii
                    || !matches!(&self.atom, Atom::In { items, .. } if items.iter().any(|i| matches!(i, Item::Category(_))))
                    || unicode_kind(c).is_some()))
    }

    /// Characters near its borders, to find out which characters a pattern tells apart.
    pub fn borders(&self, out: &mut Vec<u32>) {
        match &self.atom {
            Atom::Literal(c) | Atom::NotLiteral(c) => out.push(*c),
            Atom::In { items, .. } => out.extend(items.iter().flat_map(|item| match *item {
                Item::Literal(c) => [c, c],
                Item::Range(a, b) => [a, b],
                Item::Category(_) => [0x30, 0x20],
            })),
            Atom::Any => {}
        }
    }

    fn decide(&self, c: u32) -> bool {
        match &self.atom {
            Atom::Any => self.dot_all || c != 10,
            Atom::Literal(l) => self.same(*l, c),
            Atom::NotLiteral(l) => !self.same(*l, c),
            Atom::In { negate, items } => *negate != items.iter().any(|item| self.is_of(item, c)),
        }
    }

    fn same(&self, literal: u32, c: u32) -> bool {
        self.is_of(&Item::Range(literal, literal), c)
    }

    fn is_of(&self, item: &Item, c: u32) -> bool {
        let (low, high) = match *item {
            Item::Literal(l) => (l, l),
            Item::Range(low, high) => (low, high),
            Item::Category(category) => {
                let kind = if self.ascii { ascii_kind(c) } else { unicode_kind(c).unwrap_or(NEITHER) };
                return match category {
                    Category::Digit => kind.digit,
                    Category::NotDigit => !kind.digit,
                    Category::Space => kind.space,
                    Category::NotSpace => !kind.space,
                    Category::Word => kind.word,
                    Category::NotWord => !kind.word,
                };
            }
        };
        let within = |c: u32| low <= c && c <= high;
        if within(c) || !self.ignore_case {
            return within(c);
        }
        let Some(letter) = u8::try_from(c).ok().filter(u8::is_ascii_alphabetic) else { return false };
        let other = u32::from(letter ^ 0x20);
        let lower = u32::from(letter.to_ascii_lowercase());
        within(other) || (!self.ascii && FOLDED.iter().any(|&(far, near)| near == lower && within(far)))
    }

    /// Whether the compiled operation may be the plain one, by which an alternative is passed over: a literal or a set without letters where
    /// case is ignored. Outside ASCII that is left open.
    pub fn is_plain(&self) -> bool {
        let cased = |low: u32, high: u32| (low..=high.min(127)).any(|c| u8::try_from(c).is_ok_and(|c| c.is_ascii_alphabetic()));
        match &self.atom {
            Atom::Literal(c) => !self.ignore_case || !cased(*c, *c),
            Atom::In { items, .. } => {
                !self.ignore_case
                    || !items.iter().any(|item| match *item {
                        Item::Literal(c) => cased(c, c),
                        Item::Range(a, b) => cased(a, b),
                        Item::Category(_) => false,
                    })
            }
            _ => false,
        }
    }

    /// Whether it is `.` where that is any character at all.
    pub fn is_all(&self) -> bool {
        self.dot_all && self.atom == Atom::Any
    }

    /// The character, where it is a plain literal.
    pub fn literal(&self) -> Option<u32> {
        match self.atom {
            Atom::Literal(c) if self.is_plain() => Some(c),
            _ => None,
        }
    }
}
