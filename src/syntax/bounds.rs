//! Bounds on size and depth, from the tokens alone, so that no tree is built that is too deep to walk or to drop.
//!
//! The depth is an upper bound. Within one element (what lies between two commas of the same bracket) each token that can
//! make the tree deeper counts one, on top of the deepest bracket closed in that element. The parser's own view of the
//! tokens may differ in broken code (it reads lines anew after an unclosed bracket), so its tokens are measured again
//! after parsing.

use ruff_python_ast::token::TokenKind;
use ruff_python_parser::Mode;
use ruff_python_parser::lexer;
use ruff_text_size::Ranged;

use super::code::{Span, SyntaxIssue};

/// Most bytes of a source that is analysed.
pub(super) const MAX_BYTES: usize = 1 << 20;
/// Most brackets open at once, f-strings included. CPython allows 200.
const MAX_BRACKETS: usize = 200;
/// Most nested blocks. CPython allows 100 levels of indentation.
const MAX_INDENTS: usize = 100;
/// Most nested expressions (the deepest file of the standard library has 60).
const MAX_DEPTH: u32 = 1000;
/// Most physical lines each indented further than the one before. Such a staircase becomes nested blocks when the parser
/// gives up on an unclosed bracket; inside a string it is harmless.
const MAX_STAIRCASE: usize = 500;
/// Most bytes of a source with a token that the lexer could not make sense of (an unterminated string, most often): the
/// parser may read the text inside anew, and nothing else bounds what it finds there.
const MAX_BYTES_UNKNOWN: usize = 128 << 10;

fn refuse(message: String) -> Result<(), SyntaxIssue> {
    Err(SyntaxIssue { span: Span::default(), message })
}

/// Checks a text before it is parsed. (The lexer does not tell where its tokens are, so neither do these issues.)
pub(super) fn before_parsing(text: &str, mode: Mode) -> Result<(), SyntaxIssue> {
    if text.len() > MAX_BYTES {
        return refuse(format!("the source has {} bytes, more than the {MAX_BYTES} that are analysed", text.len()));
    }
    staircase(text)?;
    let mut lexer = lexer::lex(text, mode);
    let mut depth = Depth::default();
    loop {
        let kind = lexer.next_token();
        if kind == TokenKind::EndOfFile {
            return depth.end();
        }
        if kind == TokenKind::Unknown && text.len() > MAX_BYTES_UNKNOWN {
            return refuse(format!("a token that is no Python in a source of more than {MAX_BYTES_UNKNOWN} bytes"));
        }
        depth.token(kind)?;
    }
}

/// Checks the tokens that the parser saw.
pub(super) fn after_parsing(tokens: &[ruff_python_ast::token::Token]) -> Result<(), SyntaxIssue> {
    let mut depth = Depth::default();
    for token in tokens {
        depth.token(token.kind()).map_err(|issue| SyntaxIssue { span: super::span_of(token.range()), ..issue })?;
    }
    depth.end()
}

fn staircase(text: &str) -> Result<(), SyntaxIssue> {
    let mut widths: Vec<usize> = Vec::new();
    let mut start = 0;
    for line in text.split_inclusive('\n') {
        let width = line.bytes().take_while(|byte| matches!(byte, b' ' | b'\t' | b'\x0c')).count();
        if width < line.trim_end().len() {
            while widths.last().is_some_and(|last| *last >= width) {
                widths.pop();
            }
            widths.push(width);
            if widths.len() > MAX_STAIRCASE {
                let span = Span { start: start as u32, end: (start + line.len()) as u32 };
                let message = format!("more than {MAX_STAIRCASE} lines each indented further than the one before");
                return Err(SyntaxIssue { span, message });
            }
        }
        start += line.len();
    }
    Ok(())
}

/// One open bracket.
#[derive(Default, Clone, Copy)]
struct Level {
    /// Depth of what was closed in the current element.
    inner: u32,
    /// Tokens of the current element that can make it deeper.
    count: u32,
    /// Deepest element so far.
    deepest: u32,
    /// An f-string or t-string, whose fields lie side by side.
    string: bool,
    /// `lambda`s whose colon is still to come: until then a comma ends nothing.
    lambdas: u32,
}

impl Level {
    fn total(&self) -> u32 {
        self.deepest.max(self.inner + self.count)
    }
}

struct Depth {
    levels: Vec<Level>,
    indents: usize,
}

impl Default for Depth {
    fn default() -> Self {
        Depth { levels: vec![Level::default()], indents: 0 }
    }
}

impl Depth {
    fn token(&mut self, kind: TokenKind) -> Result<(), SyntaxIssue> {
        use TokenKind as T;
        match kind {
            T::Lpar | T::Lsqb | T::Lbrace | T::FStringStart | T::TStringStart => {
                let string = matches!(kind, T::FStringStart | T::TStringStart);
                self.levels.push(Level { string, ..Level::default() });
                if self.levels.len() > MAX_BRACKETS + 1 {
                    return refuse(format!("more than {MAX_BRACKETS} nested brackets"));
                }
            }
            T::Rpar | T::Rsqb | T::Rbrace | T::FStringEnd | T::TStringEnd => self.close(),
            T::Newline => {
                while self.levels.len() > 1 {
                    self.close();
                }
                self.levels[0] = Level::default();
            }
            T::Indent => {
                self.indents += 1;
                if self.indents > MAX_INDENTS {
                    return refuse(format!("more than {MAX_INDENTS} nested blocks"));
                }
            }
            T::Dedent => self.indents = self.indents.saturating_sub(1),
            T::Comma | T::Semi => {
                let level = self.level();
                if level.lambdas == 0 {
                    *level = Level { deepest: level.total(), string: level.string, ..Level::default() };
                }
            }
            T::Colon => {
                let level = self.level();
                level.lambdas = level.lambdas.saturating_sub(1);
            }
            T::Lambda => {
                let level = self.level();
                level.lambdas += 1;
                level.count += 1;
            }
            // These neither nest nor hold anything.
            T::Name | T::Int | T::Float | T::Complex | T::String | T::FStringMiddle | T::TStringMiddle | T::Comment => {}
            T::NonLogicalNewline | T::EndOfFile | T::Ellipsis | T::True | T::False | T::None => {}
            _ => self.level().count += 1,
        }
        if self.level().total() > MAX_DEPTH {
            return refuse(format!("an expression of more than about {MAX_DEPTH} nested operations"));
        }
        Ok(())
    }

    fn level(&mut self) -> &mut Level {
        if self.levels.is_empty() {
            self.levels.push(Level::default());
        }
        let last = self.levels.len() - 1;
        &mut self.levels[last]
    }

    fn close(&mut self) {
        if self.levels.len() > 1
            && let Some(closed) = self.levels.pop()
        {
            let level = self.level();
            if closed.string || level.string {
                // Adjacent strings, and the fields of one, do not nest.
                level.inner = level.inner.max(closed.total() + 1);
            } else {
                level.inner = level.inner.max(closed.total());
                level.count += 1;
            }
        }
    }

    /// What is still open at the end nests as well.
    fn end(mut self) -> Result<(), SyntaxIssue> {
        while self.levels.len() > 1 {
            self.close();
        }
        if self.level().total() > MAX_DEPTH {
            return refuse(format!("an expression of more than about {MAX_DEPTH} nested operations"));
        }
        Ok(())
    }
}
