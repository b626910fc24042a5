//! Where in a record: JSON paths.

use std::fmt;

/// A place in a value, linked to the place it is in, so that nothing is written before a snippet is found there.
#[derive(Debug, Clone, Copy)]
pub struct At<'a> {
    parent: Option<&'a At<'a>>,
    step: Step<'a>,
}

#[derive(Debug, Clone, Copy)]
enum Step<'a> {
    Root(&'a str),
    Key(&'a str),
    Index(usize),
    Within,
}

impl<'a> At<'a> {
    /// The beginning: `$`, or the path of the record in its file.
    pub fn root(path: &'a str) -> At<'a> {
        At { parent: None, step: Step::Root(path) }
    }

    /// Whether it is the record itself.
    pub fn is_root(&self) -> bool {
        self.parent.is_none()
    }

    /// A member.
    pub fn key(&'a self, name: &'a str) -> At<'a> {
        At { parent: Some(self), step: Step::Key(name) }
    }

    /// An element.
    pub fn index(&'a self, index: usize) -> At<'a> {
        At { parent: Some(self), step: Step::Index(index) }
    }

    /// The value that a string holds as JSON: written `|$`.
    pub fn within(&'a self) -> At<'a> {
        At { parent: Some(self), step: Step::Within }
    }
}

impl fmt::Display for At<'_> {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        if let Some(parent) = self.parent {
            parent.fmt(f)?;
        }
        match self.step {
            Step::Root(path) => f.write_str(path),
            Step::Within => f.write_str("|$"),
            Step::Index(index) => write!(f, "[{index}]"),
            Step::Key(name) => {
                let plain = name.chars().all(|c| c.is_alphanumeric() || c == '_') && !name.starts_with(|c: char| c.is_ascii_digit());
                if plain && !name.is_empty() { write!(f, ".{name}") } else { write!(f, "[{}]", super::json::quoted(name)) }
            }
        }
    }
}
