//! Regular expressions as CPython's `sre` runs them: a backtracking matcher over a compiled program.
//!
//! [`parse`](parse::parse) reads Python's syntax as `re._parser` does, with the shortcuts it takes (common prefixes of alternatives, alternatives
//! of single characters as one set); [`Program`] is what `re._compiler` makes of it; [`steps`] counts what the matcher does on a text that is
//! known, without doing it; [`ambiguity`] looks for texts on which a pattern takes very long.
//!
//! Sources: `Lib/re/_parser.py`, `Lib/re/_compiler.py`, `Modules/_sre/sre_lib.h` of CPython 3.9–3.13 (before 3.11 `Lib/sre_parse.py` and kin).

pub mod chars;
pub mod parse;
pub mod program;
pub mod steps;
pub mod ambiguity;

pub use program::Program;

/// The flags of `re`, as its integers.
pub mod flags {
    /// `re.IGNORECASE`.
    pub const IGNORECASE: u32 = 2;
    /// `re.LOCALE`.
    pub const LOCALE: u32 = 4;
    /// `re.MULTILINE`.
    pub const MULTILINE: u32 = 8;
    /// `re.DOTALL`.
    pub const DOTALL: u32 = 16;
    /// `re.UNICODE`.
    pub const UNICODE: u32 = 32;
    /// `re.VERBOSE`.
    pub const VERBOSE: u32 = 64;
    /// `re.DEBUG`.
    pub const DEBUG: u32 = 128;
    /// `re.ASCII`.
    pub const ASCII: u32 = 256;
}

/// Why there is no program for a pattern.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum Failure {
    /// CPython refuses it (some version between 3.9 and 3.13 may not, where the syntax is newer).
    Invalid,
    /// It is beyond what is looked at: too long, too deep, or something whose meaning is not known here.
    Beyond,
}
