//! `match` statements.

use ruff_python_ast::{self as ast, Expr};

use super::super::code::{Const, NameId, Op, Pattern, PatternId, SyntaxIssue};
use super::{Lowering, span};

/// Most names one pattern may bind.
const MAX_CAPTURES: usize = 4096;

impl Lowering<'_> {
    pub(super) fn match_statement(&mut self, stmt: &ast::StmtMatch) {
        let at = span(stmt);
        let subject = span(&*stmt.subject);
        let end = self.b.label();
        self.expr(&stmt.subject);
        let depth = self.b.depth;
        for case in &stmt.cases {
            let case_at = span(&case.pattern);
            let (failed, next) = (self.b.label(), self.b.label());
            let mut operands = 0;
            let mut captures = Vec::new();
            let pattern = self.pattern(&case.pattern, &mut operands, &mut captures);
            let bound = captures.len() as u32;
            self.b.push(Op::MatchPattern(pattern), case_at, (1 + u32::from(operands), 2 + bound));
            self.jump(Op::JumpIfFalse, failed, case_at);
            for &name in captures.iter().rev() {
                self.store(name, case_at);
            }
            if let Some(guard) = &case.guard {
                self.condition(guard, false, next);
            }
            self.emit(Op::Pop, subject);
            self.body(&case.body);
            self.jump(Op::Jump, end, span(case));
            self.b.place(failed);
            self.b.set_depth(depth + bound);
            for _ in 0..bound {
                self.emit(Op::Pop, case_at);
            }
            self.b.place(next);
        }
        self.emit(Op::Pop, at);
        self.b.place(end);
    }

    /// Pushes a value the pattern refers to; gives its operand number.
    fn operand(&mut self, expr: &Expr, operands: &mut u16) -> u16 {
        self.expr(expr);
        let number = *operands;
        *operands = self.narrow(number as usize + 1, "values in one pattern", span(expr));
        number
    }

    fn bind(&mut self, name: &ast::Identifier, captures: &mut Vec<NameId>) -> NameId {
        let at = span(name);
        let name = self.id(name);
        // Few enough to look through: a pattern with more names is nobody's program.
        if captures.len() > MAX_CAPTURES {
            let message = format!("a pattern with more than {MAX_CAPTURES} names");
            self.too_large.get_or_insert(SyntaxIssue { span: at, message });
        } else if !captures.contains(&name) {
            captures.push(name);
        }
        name
    }

    /// Builds the pattern, pushing its operands in order. Captures are collected in the order of
    /// [`super::Program::pattern_captures`].
    fn pattern(&mut self, pattern: &ast::Pattern, operands: &mut u16, captures: &mut Vec<NameId>) -> PatternId {
        let lowered = match pattern {
            ast::Pattern::MatchValue(p) => Pattern::Value(self.operand(&p.value, operands)),
            ast::Pattern::MatchSingleton(p) => Pattern::Singleton(match p.value {
                ast::Singleton::None => Const::None,
                ast::Singleton::True => Const::Bool(true),
                ast::Singleton::False => Const::Bool(false),
            }),
            ast::Pattern::MatchSequence(p) => {
                let mut star = None;
                let mut parts = Vec::with_capacity(p.patterns.len());
                for part in &p.patterns {
                    // A second star is an error the parser reports; it is matched as a wildcard.
                    if let ast::Pattern::MatchStar(starred) = part
                        && star.is_none()
                    {
                        let name = starred.name.as_ref().map(|name| self.bind(name, captures));
                        star = Some((self.narrow(parts.len(), "patterns", span(part)), name));
                    } else {
                        parts.push(self.pattern(part, operands, captures));
                    }
                }
                Pattern::Sequence(parts, star)
            }
            ast::Pattern::MatchMapping(p) => {
                let mut items = Vec::with_capacity(p.keys.len());
                for (key, value) in p.keys.iter().zip(&p.patterns) {
                    let key = self.operand(key, operands);
                    items.push((key, self.pattern(value, operands, captures)));
                }
                let rest = p.rest.as_ref().map(|name| self.bind(name, captures));
                Pattern::Mapping(items, rest)
            }
            ast::Pattern::MatchClass(p) => {
                let class = self.operand(&p.cls, operands);
                let positional = p.arguments.patterns.iter().map(|p| self.pattern(p, operands, captures)).collect();
                let mut keyword = Vec::with_capacity(p.arguments.keywords.len());
                for item in &p.arguments.keywords {
                    let attribute = self.id(&item.attr);
                    keyword.push((attribute, self.pattern(&item.pattern, operands, captures)));
                }
                Pattern::Class(class, positional, keyword)
            }
            ast::Pattern::MatchStar(p) => Pattern::Capture(p.name.as_ref().map(|name| self.bind(name, captures))),
            ast::Pattern::MatchAs(p) => match (&p.pattern, &p.name) {
                (Some(inner), Some(name)) => {
                    let inner = self.pattern(inner, operands, captures);
                    Pattern::As(inner, self.bind(name, captures))
                }
                (Some(inner), None) => return self.pattern(inner, operands, captures),
                (None, name) => Pattern::Capture(name.as_ref().map(|name| self.bind(name, captures))),
            },
            ast::Pattern::MatchOr(p) => Pattern::Or(p.patterns.iter().map(|p| self.pattern(p, operands, captures)).collect()),
        };
        self.patterns.push(lowered);
        PatternId(self.patterns.len() as u32 - 1)
    }
}
