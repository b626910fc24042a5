//! The parser and the lowering to flat code. Nothing outside this folder knows the parser's types.

pub mod code;
mod dump;
mod effects;
mod lower;
mod names;
mod scope;
mod verify;

pub use code::{Program, Span};

use crate::source::Source;

/// Parses and lowers a source. Never fails: what cannot be parsed is in [`Program::errors`], what is too large or too
/// deep in [`Program::not_analysed`]. The source comes back because it may have been rescued (indentation or code fences
/// removed): its canonical text is what the program's spans refer to and what the executor must compile.
pub fn parse(source: Source) -> (Source, Program) {
    let text = std::sync::Arc::clone(&source.text);
    let parsed = ruff_python_parser::parse_unchecked_source(&text, ruff_python_ast::PySourceType::Python);
    let program = lower::lower(&text, &parsed.syntax().body);
    (source, program)
}
