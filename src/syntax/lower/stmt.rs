//! Statements other than loops, `try`, `with`, `match` and definitions.

use ruff_python_ast::{self as ast, Expr, Stmt};

use super::super::code::{CodeKind, Op, Span};
use super::super::scope::Place;
use super::{Lowering, expr, span};

impl Lowering<'_> {
    pub(super) fn statement(&mut self, stmt: &Stmt) {
        let at = span(stmt);
        self.statements += 1;
        let pc = self.b.pc();
        self.b.statements.push((pc, at));
        match stmt {
            Stmt::FunctionDef(def) => self.function(def),
            Stmt::ClassDef(def) => self.class(def),
            Stmt::Return(s) => self.return_value(s.value.as_deref(), at),
            Stmt::Delete(s) => {
                for target in &s.targets {
                    self.delete_target(target);
                }
            }
            Stmt::TypeAlias(s) => {
                self.emit(Op::Unknown, at);
                self.assign(&s.name);
            }
            Stmt::Assign(s) => {
                self.expr(&s.value);
                for target in &s.targets[..s.targets.len().saturating_sub(1)] {
                    self.emit(Op::Dup, span(target));
                    self.assign(target);
                }
                match s.targets.last() {
                    Some(target) => self.assign(target),
                    None => self.emit(Op::Pop, at),
                }
            }
            Stmt::AugAssign(s) => self.augmented(s, at),
            Stmt::AnnAssign(s) => self.annotated(s, at),
            Stmt::For(s) => self.for_loop(s),
            Stmt::While(s) => self.while_loop(s),
            Stmt::If(s) => self.if_statement(s),
            Stmt::With(s) => self.with(s),
            Stmt::Match(s) => self.match_statement(s),
            Stmt::Raise(s) => {
                let parts = s.exc.iter().chain(s.cause.iter().filter(|_| s.exc.is_some()));
                let mut count = 0;
                for part in parts {
                    self.expr(part);
                    count += 1;
                }
                self.emit(Op::Raise(count), at);
            }
            Stmt::Try(s) => self.try_statement(s),
            Stmt::Assert(s) => {
                let passed = self.b.label();
                let depth = self.b.depth;
                self.condition(&s.test, true, passed);
                self.emit(Op::LoadAssertionError, at);
                if let Some(message) = &s.msg {
                    self.expr(message);
                    self.emit(Op::Call(1, None), at);
                }
                self.emit(Op::Raise(1), at);
                self.b.place(passed);
                self.b.set_depth(depth);
            }
            Stmt::Import(s) => {
                for alias in &s.names {
                    self.import(alias);
                }
            }
            Stmt::ImportFrom(s) => self.import_from(s, at),
            Stmt::Nonlocal(s) => {
                for identifier in &s.names {
                    let name = self.id(identifier);
                    if self.kind() == CodeKind::Module {
                        self.issue(at, "nonlocal declaration not allowed at module level");
                    } else if matches!(self.table.scopes[self.b.scope].place(name), Place::Global | Place::Name) {
                        self.issue(at, format!("no binding for nonlocal '{identifier}' found"));
                    }
                }
                self.emit(Op::Nop, at);
            }
            Stmt::Global(_) | Stmt::Pass(_) => self.emit(Op::Nop, at),
            Stmt::Expr(s) => {
                self.expr(&s.value);
                self.emit(Op::Pop, at);
            }
            Stmt::Break(_) => self.leave_loop(true, at),
            Stmt::Continue(_) => self.leave_loop(false, at),
            Stmt::IpyEscapeCommand(_) => self.magic(at),
        }
    }

    fn if_statement(&mut self, s: &ast::StmtIf) {
        let end = self.b.label();
        let mut next = self.b.label();
        self.condition(&s.test, false, next);
        self.body(&s.body);
        for clause in &s.elif_else_clauses {
            self.jump(Op::Jump, end, span(clause));
            self.b.place(next);
            next = self.b.label();
            if let Some(test) = &clause.test {
                self.condition(test, false, next);
            }
            self.body(&clause.body);
        }
        self.b.place(next);
        self.b.place(end);
    }

    /// `value →`, stored into a target.
    pub(super) fn assign(&mut self, target: &Expr) {
        let at = span(target);
        match target {
            Expr::Name(name) if !name.id.is_empty() => {
                let name = self.id(&name.id);
                self.store(name, at);
            }
            Expr::Attribute(attribute) => {
                self.expr(&attribute.value);
                let name = self.id(&attribute.attr);
                self.emit(Op::StoreAttr(name), at);
            }
            Expr::Subscript(subscript) => {
                self.expr(&subscript.value);
                self.expr(&subscript.slice);
                self.emit(Op::StoreItem, at);
            }
            Expr::Starred(starred) => self.assign(&starred.value),
            Expr::Tuple(ast::ExprTuple { elts, .. }) | Expr::List(ast::ExprList { elts, .. }) => {
                match elts.iter().position(Expr::is_starred_expr) {
                    Some(star) => {
                        let before = self.narrow(star, "targets", at);
                        let after = self.narrow(elts.len() - star - 1, "targets", at);
                        self.emit(Op::UnpackEx(before, after), at);
                    }
                    None => self.emit(Op::UnpackSequence(elts.len() as u32), at),
                }
                for element in elts {
                    self.assign(element);
                }
            }
            // Not a target: the parser has reported it. It is evaluated for what it does.
            Expr::Name(_) => self.emit(Op::Pop, at),
            _ => {
                self.expr(target);
                self.emit(Op::Pop, at);
                self.emit(Op::Pop, at);
            }
        }
    }

    fn delete_target(&mut self, target: &Expr) {
        let at = span(target);
        match target {
            Expr::Name(name) if !name.id.is_empty() => {
                let name = self.id(&name.id);
                self.delete(name, at);
            }
            Expr::Attribute(attribute) => {
                self.expr(&attribute.value);
                let name = self.id(&attribute.attr);
                self.emit(Op::DeleteAttr(name), at);
            }
            Expr::Subscript(subscript) => {
                self.expr(&subscript.value);
                self.expr(&subscript.slice);
                self.emit(Op::DeleteItem, at);
            }
            Expr::Tuple(ast::ExprTuple { elts, .. }) | Expr::List(ast::ExprList { elts, .. }) => {
                for element in elts {
                    self.delete_target(element);
                }
            }
            _ => {
                self.expr(target);
                self.emit(Op::Pop, at);
            }
        }
    }

    fn augmented(&mut self, s: &ast::StmtAugAssign, at: Span) {
        let target = span(&*s.target);
        let op = Op::Inplace(expr::binary(s.op));
        match &*s.target {
            Expr::Attribute(attribute) => {
                self.expr(&attribute.value);
                let name = self.id(&attribute.attr);
                self.emit(Op::Dup, target);
                self.emit(Op::LoadAttr(name), target);
                self.expr(&s.value);
                self.emit(op, at);
                self.emit(Op::Swap(2), target);
                self.emit(Op::StoreAttr(name), target);
            }
            Expr::Subscript(subscript) => {
                self.expr(&subscript.value);
                self.expr(&subscript.slice);
                self.emit(Op::Dup2, target);
                self.emit(Op::LoadItem, target);
                self.expr(&s.value);
                self.emit(op, at);
                // `obj index result` becomes `result obj index`.
                self.emit(Op::Swap(3), target);
                self.emit(Op::Swap(2), target);
                self.emit(Op::StoreItem, target);
            }
            _ => {
                self.expr(&s.target);
                self.expr(&s.value);
                self.emit(op, at);
                match &*s.target {
                    Expr::Name(_) => self.assign(&s.target),
                    // Not a target: the parser has reported it.
                    _ => self.emit(Op::Pop, at),
                }
            }
        }
    }

    fn annotated(&mut self, s: &ast::StmtAnnAssign, at: Span) {
        if let Some(value) = &s.value {
            self.expr(value);
            self.assign(&s.target);
        } else {
            // CPython evaluates the parts of the target, not the target.
            let parts: &[&Expr] = match &*s.target {
                Expr::Attribute(a) => &[&a.value],
                Expr::Subscript(a) => &[&a.value, &a.slice],
                _ => &[],
            };
            for part in parts {
                self.expr(part);
                self.emit(Op::Pop, at);
            }
        }
        if let (CodeKind::Class, Expr::Name(name)) = (self.kind(), &*s.target)
            && s.simple
        {
            let annotation = span(&*s.annotation);
            if self.lazy_annotations {
                let text = self.text.get(annotation.start as usize..annotation.end as usize).unwrap_or("");
                self.string(text, annotation);
            } else {
                self.expr(&s.annotation);
            }
            let name = self.id(&name.id);
            self.emit(Op::Annotate(name), annotation);
        } else if !self.lazy_annotations && matches!(self.kind(), CodeKind::Module | CodeKind::Class) {
            self.expr(&s.annotation);
            self.emit(Op::Pop, span(&*s.annotation));
        } else if self.b.statements.last().is_some_and(|(pc, _)| *pc == self.b.pc()) {
            self.emit(Op::Nop, at);
        }
    }

    fn import(&mut self, alias: &ast::Alias) {
        let at = span(alias);
        let module = self.names.intern(&alias.name);
        self.emit(Op::Import(module, 0, alias.asname.is_none()), at);
        let bound = match &alias.asname {
            Some(name) => name.as_str(),
            None => alias.name.split('.').next().unwrap_or_default(),
        };
        let name = self.id(bound);
        self.store(name, at);
    }

    fn import_from(&mut self, s: &ast::StmtImportFrom, at: Span) {
        let module = self.names.intern(s.module.as_ref().map_or("", |module| module.as_str()));
        let level = u8::try_from(s.level).unwrap_or(u8::MAX);
        self.emit(Op::Import(module, level, false), at);
        if s.names.iter().any(|alias| alias.name.as_str() == "*") {
            return self.emit(Op::ImportStar, at);
        }
        for alias in &s.names {
            let name = self.names.intern(&alias.name);
            self.emit(Op::ImportFrom(name), span(alias));
            let bound = self.id(alias.asname.as_ref().unwrap_or(&alias.name));
            self.store(bound, span(alias));
        }
        self.emit(Op::Pop, at);
    }
}
