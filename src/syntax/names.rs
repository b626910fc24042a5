//! Interned identifiers, normalised and mangled as CPython does.

use std::borrow::Cow;
use std::collections::HashMap;
use std::hash::{BuildHasherDefault, Hasher};
use std::sync::Arc;

use unicode_normalization::{IsNormalized, UnicodeNormalization, is_nfkc_quick};

use super::code::NameId;

/// Names that no variable can have.
pub const KEYWORDS: [&str; 35] = [
    "False", "None", "True", "and", "as", "assert", "async", "await", "break", "class", "continue", "def", "del", "elif", "else", "except",
    "finally", "for", "from", "global", "if", "import", "in", "is", "lambda", "nonlocal", "not", "or", "pass", "raise", "return", "try",
    "while", "with", "yield",
];

/// A hasher for small integer keys: the table's own numbering is already well spread, one multiplication suffices.
#[derive(Default)]
pub(super) struct IdHasher(u64);

impl Hasher for IdHasher {
    fn finish(&self) -> u64 {
        self.0
    }

    fn write(&mut self, bytes: &[u8]) {
        for &byte in bytes {
            self.write_u32(u32::from(byte));
        }
    }

    fn write_u32(&mut self, value: u32) {
        self.0 = (self.0.rotate_left(26) ^ u64::from(value)).wrapping_mul(0x9e37_79b9_7f4a_7c15);
    }
}

/// A map keyed by interned names.
pub(super) type IdMap<K, V> = HashMap<K, V, BuildHasherDefault<IdHasher>>;

/// Gives every distinct identifier one number.
#[derive(Debug, Default)]
pub(super) struct Interner {
    ids: HashMap<Arc<str>, NameId>,
    names: Vec<Arc<str>>,
}

impl Interner {
    /// The number of an identifier, NFKC-normalised.
    pub fn intern(&mut self, name: &str) -> NameId {
        if let Some(&id) = self.ids.get(name) {
            return id;
        }
        if !name.is_ascii() && is_nfkc_quick(name.chars()) != IsNormalized::Yes {
            let normalised: String = name.nfkc().collect();
            if normalised != name {
                return self.intern(&normalised);
            }
        }
        let id = NameId(self.names.len() as u32);
        let name: Arc<str> = name.into();
        self.names.push(Arc::clone(&name));
        self.ids.insert(name, id);
        id
    }

    /// All names, in order of their numbers.
    pub fn into_names(self) -> Vec<Arc<str>> {
        self.names
    }
}

/// A private name as it is known inside a class (`__x` in class `C` is `_C__x`).
pub(super) fn mangle<'a>(class: Option<&str>, name: &'a str) -> Cow<'a, str> {
    match class.map(|class| class.trim_start_matches('_')) {
        Some(class) if !class.is_empty() && name.starts_with("__") && !name.ends_with("__") && !name.contains('.') => {
            Cow::Owned(format!("_{class}{name}"))
        }
        _ => Cow::Borrowed(name),
    }
}
