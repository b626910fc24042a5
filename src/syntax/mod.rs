//! The parser and the lowering to flat code. Nothing outside this folder knows the parser's types.
//!
//! A text is first measured (`bounds`), then parsed, lowered and its tree dropped on a thread with a large stack, because
//! all three recurse. What does not parse is tried again without indentation or code fences (`rescue`).

mod bounds;
pub mod code;
mod dump;
mod effects;
mod lower;
mod names;
mod rescue;
mod scope;
mod verify;

use std::mem::ManuallyDrop;
use std::sync::Arc;

use ruff_python_ast::PythonVersion;
use ruff_python_ast::token::TokenKind;
use ruff_python_parser::{Mode, ParseOptions, parse_unchecked};
use ruff_text_size::{Ranged, TextRange};

pub use code::{Program, Span};
pub use names::KEYWORDS;

use self::code::{Form, SyntaxIssue};
use crate::source::Source;
use crate::stack;

/// Reserved for the thread that parses; only what is used is ever touched. The smaller sizes are for hosts that cannot
/// reserve as much, and suffice for all but the deepest trees the bounds let through.
const STACKS: [usize; 3] = [stack::LARGE, 64 << 20, stack::SMALL];

/// A text of so many bytes has no tree too deep for the smallest of them.
const SHORT: usize = 512;

/// Most errors of the parser that are kept.
const MAX_ERRORS: usize = 100;

/// Parses and lowers a source. Never fails: what cannot be parsed is in [`Program::errors`], what is too large or too
/// deep in [`Program::not_analysed`]. The source comes back because it may have been rescued (indentation or code fences
/// removed): its canonical text is what the program's spans refer to and what the executor must compile.
pub fn parse(source: Source) -> (Source, Program) {
    if source.text.len() > bounds::MAX_BYTES {
        // Not worth a thread; the reason is the same.
        let program = bounds::before_parsing(&source.text, Mode::Module).err().map(not_analysed).unwrap_or_default();
        return (source, program);
    }
    let text = Arc::clone(&source.text);
    let stacks = if text.len() <= SHORT { &STACKS[2..] } else { &STACKS };
    match stack::on_large("parser", stacks, || best_attempt(&text)) {
        Ok((Some(rescued), program)) => (source.rescued(rescued.text, rescued.pieces), program),
        Ok((None, program)) => (source, program),
        Err(stack::Failure::Panic(_)) => (source, failed("the parser failed on this source")),
        Err(stack::Failure::NoThread) => (source, failed("there is not enough memory for the parser's stack")),
    }
}

fn failed(message: &str) -> Program {
    not_analysed(SyntaxIssue { span: Span::default(), message: message.to_owned() })
}

fn not_analysed(issue: SyntaxIssue) -> Program {
    Program { not_analysed: Some(issue), ..Program::default() }
}

fn span_of(range: TextRange) -> Span {
    Span { start: range.start().to_u32(), end: range.end().to_u32() }
}

/// The text as it is, if it parses as Python or as an IPython cell; else the first rescued version that does; else the
/// text as it is, in the mode with fewer errors.
fn best_attempt(text: &str) -> (Option<rescue::Candidate>, Program) {
    let plain = attempt(text, Mode::Module);
    if plain.errors == 0 {
        return (None, plain.program());
    }
    let cell = attempt(text, Mode::Ipython);
    if cell.errors == 0 {
        return (None, cell.program());
    }
    for candidate in rescue::candidates(text) {
        for mode in [Mode::Module, Mode::Ipython] {
            let rescued = attempt(&candidate.text, mode);
            if rescued.errors == 0 && !rescued.is_empty() {
                return (Some(candidate.clone()), rescued.program());
            }
        }
    }
    (None, if cell.errors < plain.errors { cell.program() } else { plain.program() })
}

/// What became of one text in one mode.
struct Attempt<'t> {
    text: &'t str,
    /// How many errors the parser found; too large or too deep counts as infinitely many.
    errors: usize,
    parsed: Result<ruff_python_parser::Parsed<ruff_python_ast::ModModule>, SyntaxIssue>,
}

fn attempt(text: &str, mode: Mode) -> Attempt<'_> {
    let parsed = parse_bounded(text, mode);
    let errors = parsed.as_ref().map_or(usize::MAX, |parsed| parsed.errors().len());
    Attempt { text, errors, parsed }
}

fn parse_bounded(text: &str, mode: Mode) -> Result<ruff_python_parser::Parsed<ruff_python_ast::ModModule>, SyntaxIssue> {
    bounds::before_parsing(text, mode)?;
    let options = ParseOptions::from(mode).with_target_version(PythonVersion::PY314);
    // Until its tokens have been measured the tree may be too deep to drop: then it is leaked, which only hostile and
    // broken code brings about.
    let parsed = ManuallyDrop::new(parse_unchecked(text, options));
    bounds::after_parsing(parsed.tokens())?;
    let missing = || SyntaxIssue { span: Span::default(), message: "the parser gave no module".to_owned() };
    ManuallyDrop::into_inner(parsed).try_into_module().ok_or_else(missing)
}

impl Attempt<'_> {
    fn is_empty(&self) -> bool {
        self.parsed.as_ref().map_or(true, |parsed| parsed.syntax().body.is_empty())
    }

    fn program(self) -> Program {
        let parsed = match self.parsed {
            Ok(parsed) => parsed,
            Err(issue) => return not_analysed(issue),
        };
        let mut program = lower::lower(self.text, &parsed.syntax().body);
        let from_parser = parsed.errors().iter().map(|error| (error.range(), error.error.to_string()));
        let unsupported = parsed.unsupported_syntax_errors().iter().map(|error| (error.range(), error.to_string()));
        let issues = from_parser.chain(unsupported).take(MAX_ERRORS);
        program.errors.extend(issues.map(|(range, message)| SyntaxIssue { span: clamp(range, self.text), message }));
        program.errors.sort_by_key(|issue| issue.span);
        program.errors.truncate(MAX_ERRORS);
        if !program.errors.is_empty() || !program.magics.is_empty() {
            program.form = Form::Mixed;
        }
        // Few sources speak to us, and strings that seem to are told from comments by the parser's tokens alone.
        if speaks_to_us(self.text) {
            let comments =
                parsed.tokens().iter().filter(|token| token.kind() == TokenKind::Comment).map(|token| clamp(token.range(), self.text));
            let ours = |span: &Span| self.text.get(span.start as usize..span.end as usize).is_some_and(speaks_to_us);
            program.comments = comments.filter(ours).collect();
        }
        #[cfg(debug_assertions)]
        if let Err(problem) = program.verify(self.text.len()) {
            return failed(&format!("the lowering is wrong: {problem}"));
        }
        program
    }
}

/// The span of a range, within the text.
fn clamp(range: TextRange, text: &str) -> Span {
    let span = span_of(range);
    let end = text.len() as u32;
    Span { start: span.start.min(end), end: span.end.min(end) }
}

/// Whether a text names us as those do that address us, in capitals or not.
fn speaks_to_us(text: &str) -> bool {
    const MARK: &[u8] = b"antifreeze:";
    text.as_bytes().windows(MARK.len()).any(|part| part.eq_ignore_ascii_case(MARK))
}
