//! Lowering: the parser's tree becomes flat code (see [`super::code`] for its rules).
//!
//! `builder` holds one code object under construction, `expr`, `stmt`, `flow`, `scopes` and `pattern` lower the kinds of
//! nodes, `number` measures literals that do not fit.

mod builder;
mod expr;
mod flow;
mod number;
mod pattern;
mod scopes;
mod stmt;

use std::collections::HashMap;
use std::sync::Arc;

use ruff_python_ast::{Expr, Stmt};
use ruff_text_size::{Ranged, TextRange};

use self::builder::{Builder, Frame, Label};
use super::code::{Code, CodeId, CodeKind, Const, ConstId, Form, NameId, NamesId, Op, Params, Program, Span, SyntaxIssue};
use super::effects::{self, Made};
use super::names::{Interner, mangle};
use super::scope::{Place, Table};

/// Most blocks (loops, `with`, parts of `try`) nested in one code object.
const MAX_BLOCKS: usize = 100;

/// Lowers a module. The names, constants, code objects and issues found are put into a program.
pub(super) fn lower(text: &str, body: &[Stmt]) -> Program {
    let mut names = Interner::default();
    let table = Table::build(body, &mut names);
    let mut lowering = Lowering {
        text,
        table,
        names,
        consts: Vec::new(),
        strings: HashMap::new(),
        integers: HashMap::new(),
        singletons: [None; 4],
        codes: Vec::new(),
        patterns: Vec::new(),
        name_lists: Vec::new(),
        b: Builder::new(CodeId(0), None, 0),
        issues: Vec::new(),
        too_large: None,
        magics: Vec::new(),
        statements: 0,
        lazy_annotations: has_lazy_annotations(body),
        type_parameters: Vec::new(),
    };
    lowering.module(body);
    Program { form: form(text, body), ..lowering.finish() }
}

fn form(text: &str, body: &[Stmt]) -> Form {
    match body {
        [.., Stmt::Expr(last)] => {
            // `eval` takes neither a semicolon nor a starred item outside of brackets.
            let ends = text[last.end().to_usize()..].trim_start().starts_with(';');
            let is_starred = last.value.as_tuple_expr().is_some_and(|tuple| tuple.elts.iter().any(Expr::is_starred_expr));
            if body.len() == 1 && !ends && !is_starred { Form::Expression } else { Form::Mixed }
        }
        _ => Form::Statements,
    }
}

/// The range of a node.
fn span(node: &impl Ranged) -> Span {
    from_range(node.range())
}

fn from_range(range: TextRange) -> Span {
    Span { start: range.start().to_u32(), end: range.end().to_u32() }
}

fn has_lazy_annotations(body: &[Stmt]) -> bool {
    body.iter().any(|stmt| {
        matches!(stmt, Stmt::ImportFrom(import)
            if import.module.as_ref().is_some_and(|module| module.as_str() == "__future__")
                && import.names.iter().any(|alias| alias.name.as_str() == "annotations"))
    })
}

struct Lowering<'a> {
    text: &'a str,
    table: Table,
    names: Interner,
    consts: Vec<Const>,
    strings: HashMap<Arc<str>, ConstId>,
    integers: HashMap<i128, ConstId>,
    /// `None`, `False`, `True`, `...`.
    singletons: [Option<ConstId>; 4],
    codes: Vec<Option<Code>>,
    patterns: Vec<super::code::Pattern>,
    name_lists: Vec<Vec<NameId>>,
    /// The code object under construction.
    b: Builder,
    issues: Vec<SyntaxIssue>,
    too_large: Option<SyntaxIssue>,
    magics: Vec<Span>,
    statements: u32,
    lazy_annotations: bool,
    /// Type parameters in force in the expression being lowered (annotations, bases).
    type_parameters: Vec<NameId>,
}

impl Lowering<'_> {
    fn module(&mut self, body: &[Stmt]) {
        self.codes.push(None);
        self.body(body);
        let end = self.text.len() as u32;
        self.return_none(Span { start: end, end });
        let name = self.names.intern("<module>");
        let module = std::mem::replace(&mut self.b, Builder::new(CodeId(0), None, 0));
        let frame = Frame {
            name,
            kind: CodeKind::Module,
            is_async: false,
            is_generator: false,
            params: Params::default(),
            slots: Vec::new(),
            cells: Vec::new(),
            frees: Vec::new(),
            span: Span { start: 0, end },
        };
        self.codes[0] = Some(module.finish(frame));
    }

    fn finish(mut self) -> Program {
        if self.too_large.is_some() {
            return Program { not_analysed: self.too_large, statements: self.statements, magics: self.magics, ..Program::default() };
        }
        self.issues.sort_by_key(|issue| issue.span);
        Program {
            names: self.names.into_names(),
            consts: self.consts,
            codes: self.codes.into_iter().flatten().collect(),
            patterns: self.patterns,
            name_lists: self.name_lists,
            errors: self.issues,
            not_analysed: None,
            magics: self.magics,
            comments: Vec::new(),
            statements: self.statements,
            lazy_annotations: self.lazy_annotations,
            form: Form::default(),
        }
    }

    /// Appends an instruction.
    fn emit(&mut self, op: Op, span: Span) {
        self.emit_made(op, span, Made::default());
    }

    fn emit_made(&mut self, op: Op, span: Span, made: Made) {
        // Patterns are emitted by `pattern.rs` alone, which knows their counts.
        let effect = effects::stack_effect(op, |_| 0, |_| 0, made);
        self.b.push(op, span, effect);
    }

    /// Appends a jump to a label.
    fn jump(&mut self, make: fn(u32) -> Op, label: Label, span: Span) {
        self.emit(make(label.0), span);
    }

    fn return_none(&mut self, span: Span) {
        self.none(span);
        self.emit(Op::Return, span);
    }

    fn none(&mut self, span: Span) {
        let none = self.constant(Const::None);
        self.emit(Op::Const(none), span);
    }

    /// Narrows a count to what an instruction can hold; a program that needs more is not analysed.
    fn narrow(&mut self, count: usize, what: &str, span: Span) -> u16 {
        u16::try_from(count).unwrap_or_else(|_| {
            self.too_large.get_or_insert_with(|| SyntaxIssue { span, message: format!("more than 65535 {what}") });
            0
        })
    }

    fn issue(&mut self, span: Span, message: impl Into<String>) {
        self.issues.push(SyntaxIssue { span, message: message.into() });
    }

    /// The number of a constant. Small ones are shared.
    fn constant(&mut self, value: Const) -> ConstId {
        let next = ConstId(self.consts.len() as u32);
        let known = match &value {
            Const::None => *self.singletons[0].get_or_insert(next),
            Const::Bool(false) => *self.singletons[1].get_or_insert(next),
            Const::Bool(true) => *self.singletons[2].get_or_insert(next),
            Const::Ellipsis => *self.singletons[3].get_or_insert(next),
            Const::Int(n) => *self.integers.entry(*n).or_insert(next),
            Const::Str(text) => *self.strings.entry(Arc::clone(text)).or_insert(next),
            Const::BigInt { .. } | Const::Float(_) | Const::Complex(_) | Const::Bytes(_) => next,
        };
        if known == next {
            self.consts.push(value);
        }
        known
    }

    fn string(&mut self, text: &str, span: Span) {
        let known = self.strings.get(text).copied();
        let id = known.unwrap_or_else(|| self.constant(Const::Str(text.into())));
        self.emit(Op::Const(id), span);
    }

    /// An identifier as it is known in the current scope.
    fn id(&mut self, name: &str) -> NameId {
        let private = self.table.scopes[self.b.scope].private.as_deref();
        let mangled = mangle(private, name);
        self.names.intern(&mangled)
    }

    fn name_list(&mut self, names: Vec<NameId>) -> NamesId {
        self.name_lists.push(names);
        NamesId(self.name_lists.len() as u32 - 1)
    }

    fn place_of(&self, name: NameId) -> Place {
        if self.type_parameters.contains(&name) { Place::TypeParameter } else { self.table.scopes[self.b.scope].place(name) }
    }

    fn load(&mut self, name: NameId, span: Span) {
        let op = match self.place_of(name) {
            Place::Local(slot) => Op::LoadLocal(self.narrow(slot as usize, "local variables", span)),
            Place::Deref(index) => Op::LoadDeref(self.narrow(index as usize, "captured variables", span)),
            Place::NameOrDeref(index) => Op::LoadNameOrDeref(name, self.narrow(index as usize, "captured variables", span)),
            Place::Global => Op::LoadGlobal(name),
            Place::Name => Op::LoadName(name),
            Place::TypeParameter => Op::Unknown,
        };
        self.emit(op, span);
    }

    fn store(&mut self, name: NameId, span: Span) {
        let op = match self.table.scopes[self.b.scope].place(name) {
            Place::Local(slot) => Op::StoreLocal(self.narrow(slot as usize, "local variables", span)),
            Place::Deref(i) | Place::NameOrDeref(i) => Op::StoreDeref(self.narrow(i as usize, "captured variables", span)),
            Place::Global => Op::StoreGlobal(name),
            Place::Name => Op::StoreName(name),
            Place::TypeParameter => Op::Pop,
        };
        self.emit(op, span);
    }

    fn delete(&mut self, name: NameId, span: Span) {
        let op = match self.table.scopes[self.b.scope].place(name) {
            Place::Local(slot) => Op::DeleteLocal(self.narrow(slot as usize, "local variables", span)),
            Place::Deref(i) | Place::NameOrDeref(i) => Op::DeleteDeref(self.narrow(i as usize, "captured variables", span)),
            Place::Global => Op::DeleteGlobal(name),
            Place::Name => Op::DeleteName(name),
            Place::TypeParameter => Op::Nop,
        };
        self.emit(op, span);
    }

    fn kind(&self) -> CodeKind {
        self.table.scopes[self.b.scope].kind
    }

    fn magic(&mut self, span: Span) {
        self.magics.push(span);
        self.emit(Op::Magic, span);
    }
}
