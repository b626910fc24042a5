//! The builtin functions and types, by what they work on.

use super::Entry;

pub mod attributes;
pub mod containers;
pub mod numbers;
pub mod order;
pub mod text;

/// The entry for a name.
pub fn find(name: &str) -> Option<Entry> {
    numbers::find(name)
        .or_else(|| text::find(name))
        .or_else(|| containers::find(name))
        .or_else(|| order::find(name))
        .or_else(|| attributes::find(name))
}
