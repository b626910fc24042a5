//! Why a value is not exact, and whether a condition on it can go either way.

use std::hash::{DefaultHasher, Hash, Hasher};
use std::rc::Rc;

use super::object::{Text, Tuple, V};

/// Why a value is not exact.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Hash)]
pub enum Why {
    /// It comes from outside: input, time, randomness, an unknown name. Each value that it may be by itself comes about in some run.
    Outside(Source),
    /// The evaluator lost track of it: not each value that it may be by itself need come about.
    Lost,
}

/// What outside decides a value.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Hash)]
pub struct Source {
    root: u32,
    /// Which of the conditions on the value that were decided narrowed it; zero: none.
    narrowed: u32,
    /// Another one that decides it as well, by number; zero: none.
    beside: u32,
}

fn number(of: impl Hash) -> u32 {
    let mut hasher = DefaultHasher::new();
    of.hash(&mut hasher);
    // Zero has a meaning of its own.
    (hasher.finish() as u32).max(1)
}

impl Source {
    /// Nobody has said yet which it is.
    const UNTRACED: Source = Source { root: 0, narrowed: 0, beside: 0 };

    /// The source that is known by this.
    pub fn of(name: impl Hash) -> Source {
        Source { root: number(name), narrowed: 0, beside: 0 }
    }

    /// The source of a part of what this one gives: an attribute, an item.
    #[must_use]
    pub fn part(self, name: impl Hash) -> Source {
        Source::of((self, name))
    }

    /// Its number, without the one beside it.
    fn alone(self) -> u32 {
        number((self.root, self.narrowed))
    }

    /// The numbers of the sources it stands for.
    fn numbers(self) -> impl Iterator<Item = u32> {
        [self.alone(), self.beside].into_iter().filter(|n| *n != 0)
    }
}

impl Why {
    /// From outside, from which source is yet to be said.
    pub const OUTSIDE: Why = Why::Outside(Source::UNTRACED);

    /// Of what was computed from both: how they hang together is not followed.
    #[must_use]
    pub fn with(self, other: Why) -> Why {
        match (self, other) {
            (Why::OUTSIDE, why) | (why, Why::OUTSIDE) => why,
            _ => Why::Lost,
        }
    }

    /// Of what depends on either in the same way.
    #[must_use]
    pub fn or(self, other: Why) -> Why {
        if self == other { self } else { self.with(other) }
    }

    /// Of all of them together.
    pub fn of_all(all: impl IntoIterator<Item = Why>) -> Option<Why> {
        all.into_iter().reduce(Why::with)
    }

    /// Of a comparison of two values: two independent ones may turn out either way.
    #[must_use]
    pub fn between(self, other: Why) -> Why {
        let single = |s: Source| s != Source::UNTRACED && s.beside == 0;
        match (self, other) {
            (Why::Outside(a), Why::Outside(b)) if single(a) && single(b) && a.root != b.root => {
                Why::Outside(Source { beside: b.alone(), ..a })
            }
            _ => Why::Lost,
        }
    }

    /// Where nobody has said yet from which source it is, it is this one.
    #[must_use]
    pub fn traced(self, source: Source) -> Why {
        if self == Why::OUTSIDE { Why::Outside(source) } else { self }
    }

    /// Of a value of which a condition at some place took its part, and left all of it that fulfils the condition.
    #[must_use]
    pub fn narrowed(self, place: impl Hash) -> Why {
        match self {
            Why::Outside(s) if s != Source::UNTRACED => Why::Outside(Source { narrowed: number((s.narrowed, place)), ..s }),
            why => why,
        }
    }

    /// Of the two parts of a value together.
    #[must_use]
    pub fn rejoined(self, other: Why) -> Why {
        match (self, other) {
            (Why::Outside(a), Why::Outside(b)) if a == b => self,
            (Why::Outside(a), Why::Outside(b)) if a.root == b.root => Why::Outside(Source { root: a.root, narrowed: 0, beside: 0 }),
            _ => Why::Lost,
        }
    }
}

/// Which sources the conditions on the way depended on, and perhaps a few more: a filter by hash.
#[derive(Debug, Clone, Copy, Default, PartialEq, Eq)]
pub struct Decided([u128; 4]);

impl Decided {
    /// The places of a source.
    fn places(source: u32) -> [(usize, u128); 3] {
        std::array::from_fn(|i| {
            let at = source.rotate_left(9 * i as u32) % 512;
            (at as usize / 128, 1 << (at % 128))
        })
    }

    /// A condition on a value like this comes next. Whether it can go either way, whatever led here.
    pub fn decides(&mut self, why: Why) -> bool {
        let Why::Outside(source) = why else { return false };
        let mut free = source != Source::UNTRACED;
        for places in source.numbers().map(Self::places) {
            free &= places.iter().any(|(at, bit)| self.0[*at] & bit == 0);
            for (at, bit) in places {
                self.0[at] |= bit;
            }
        }
        free
    }

    /// Where two paths meet, what is left free by one of them is free.
    #[must_use]
    pub fn meet(self, other: Decided) -> Decided {
        Decided(std::array::from_fn(|i| self.0[i] & other.0[i]))
    }
}

impl V {
    /// The value, of which nothing says that each member comes about.
    #[must_use]
    pub fn lost(&self) -> V {
        self.map_why(|_| Why::Lost)
    }

    /// The value, from this source where nobody has said yet from which it is.
    #[must_use]
    pub fn traced(&self, source: Source) -> V {
        self.map_why(|why| why.traced(source))
    }

    /// The value with another reason for not being exact (looking at it alone, not into the heap).
    #[must_use]
    pub fn map_why(&self, to: impl Fn(Why) -> Why + Copy) -> V {
        if self.why().is_none() {
            return self.clone();
        }
        let text = |t: &Text| Text { why: to(t.why), ..*t };
        match self {
            V::Unknown(why) => V::Unknown(to(*why)),
            V::AnyBool(why) => V::AnyBool(to(*why)),
            V::Complex(why) => V::Complex(to(*why)),
            V::Instance(class, why) => V::Instance(*class, to(*why)),
            V::Ints(r) if to(r.1) != r.1 => V::Ints(Rc::new((r.0, to(r.1)))),
            V::Floats(r) if to(r.1) != r.1 => V::Floats(Rc::new((r.0, to(r.1)))),
            V::Strs(t) => V::Strs(text(t)),
            V::ManyBytes(t) => V::ManyBytes(text(t)),
            V::Tuple(t) => match &**t {
                Tuple::Exact(items) => V::tuple(items.iter().map(|v| v.map_why(to)).collect()),
                Tuple::Bag { element, low, high } => V::tuple_bag(element.map_why(to), *low, *high),
            },
            V::OneOf(all) => V::OneOf(all.iter().map(|v| v.map_why(to)).collect()),
            other => other.clone(),
        }
    }
}
