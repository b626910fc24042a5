//! Loops, `try`, `with`, and leaving them early.

use ruff_python_ast::{self as ast, Stmt};

use super::super::code::{CompareOp, Loop, LoopKind, NameId, Op, Span, SyntaxIssue};
use super::builder::{Block, BlockKind, Exit, Label};
use super::{Lowering, span};

impl Lowering<'_> {
    /// Starts a `for` whose iterator is on the stack: up to and including `ForIter`, whose value is on the stack
    /// afterwards. Gives the loop's number, the label of exhaustion and the label of the way back.
    pub(super) fn start_for(&mut self, kind: LoopKind, whole: Span, test: Span, header: Span) -> (u16, Label, Label) {
        let number = self.start_loop(kind, whole, test, header);
        let (exhausted, back) = (self.b.label(), self.b.label());
        let make: fn(u32) -> Op = if kind == LoopKind::AsyncFor { Op::AsyncForIter } else { Op::ForIter };
        self.jump(make, exhausted, test);
        (number, exhausted, back)
    }

    fn start_loop(&mut self, kind: LoopKind, whole: Span, test: Span, header: Span) -> u16 {
        let number = self.narrow(self.b.loops.len(), "loops in one function", header);
        self.emit(Op::LoopEnter(number), header);
        let head = self.b.pc();
        self.b.loops.push(Loop { kind, head, back: head, end: head, span: whole, test, header });
        self.emit(Op::LoopHead(number), header);
        number
    }

    pub(super) fn end_loop_body(&mut self, number: u16, header: Span) {
        let back = self.b.pc();
        if let Some(the_loop) = self.b.loops.get_mut(number as usize) {
            the_loop.back = back;
        }
        self.emit(Op::LoopBack(number), header);
    }

    pub(super) fn loop_exit(&mut self, number: u16, header: Span) {
        let end = self.b.pc();
        if let Some(the_loop) = self.b.loops.get_mut(number as usize) {
            the_loop.end = end;
        }
        self.emit(Op::LoopExit(number), header);
    }

    pub(super) fn while_loop(&mut self, stmt: &ast::StmtWhile) {
        let whole = span(stmt);
        let test = span(&*stmt.test);
        let header = Span { start: whole.start, end: test.end };
        let number = self.start_loop(LoopKind::While, whole, test, header);
        let (otherwise, back, end) = (self.b.label(), self.b.label(), self.b.label());
        self.condition(&stmt.test, false, otherwise);
        self.b.open(BlockKind::Loop { has_iterator: false, back, end }, None);
        self.body(&stmt.body);
        self.b.close();
        self.b.place(back);
        self.end_loop_body(number, header);
        self.b.place(otherwise);
        self.body(&stmt.orelse);
        self.b.place(end);
        self.loop_exit(number, header);
    }

    pub(super) fn for_loop(&mut self, stmt: &ast::StmtFor) {
        let whole = span(stmt);
        if stmt.is_async {
            self.check_async("async for", whole);
        }
        let test = span(&*stmt.iter);
        let header = Span { start: whole.start, end: test.end };
        self.expr(&stmt.iter);
        self.emit(if stmt.is_async { Op::GetAsyncIter } else { Op::GetIter }, test);
        let kind = if stmt.is_async { LoopKind::AsyncFor } else { LoopKind::For };
        let (number, exhausted, back) = self.start_for(kind, whole, test, header);
        let end = self.b.label();
        self.assign(&stmt.target);
        self.b.open(BlockKind::Loop { has_iterator: true, back, end }, None);
        self.body(&stmt.body);
        self.b.close();
        self.b.place(back);
        self.end_loop_body(number, header);
        self.b.place(exhausted);
        self.b.set_depth(self.b.depth - 1);
        self.body(&stmt.orelse);
        self.b.place(end);
        self.loop_exit(number, header);
    }

    /// `break` and `continue`.
    pub(super) fn leave_loop(&mut self, is_break: bool, at: Span) {
        let innermost = self.b.blocks.iter().rposition(|block| matches!(block.kind, BlockKind::Loop { .. }));
        if let Some(block) = innermost {
            self.unwind(if is_break { Exit::Break(block) } else { Exit::Continue(block) }, at);
        } else {
            self.issue(at, if is_break { "'break' outside loop" } else { "'continue' not properly in loop" });
            self.emit(Op::Nop, at);
        }
    }

    pub(super) fn return_value(&mut self, value: Option<&ast::Expr>, at: Span) {
        match value {
            Some(value) => self.expr(value),
            None => self.none(at),
        }
        if matches!(self.kind(), super::CodeKind::Module | super::CodeKind::Class) {
            self.issue(at, "'return' outside function");
        }
        self.unwind(Exit::Return, at);
        // The statement as a whole leaves nothing, though what follows is not reached.
    }

    /// Leaves blocks from the innermost outwards, running what each must run, until the exit's goal or a `finally`, which
    /// goes on from its end. For a return, the value is on top of the stack.
    fn unwind(&mut self, exit: Exit, at: Span) {
        let depth = self.b.depth - u32::from(exit == Exit::Return);
        let goal = match exit {
            Exit::Return => 0,
            Exit::Break(block) | Exit::Continue(block) => block,
        };
        let blocks = self.b.blocks.len();
        let mut paused = Vec::new();
        let mut done = false;
        for index in (goal..blocks).rev() {
            if self.b.blocks[index].region.is_some() {
                self.b.pause(index);
                paused.push(index);
            }
            let Block { kind, .. } = self.b.blocks[index].clone();
            match kind {
                BlockKind::Loop { has_iterator, back, end } => match exit {
                    Exit::Continue(target) if target == index => {
                        self.jump(Op::Jump, back, at);
                        done = true;
                    }
                    Exit::Break(target) if target == index => {
                        if has_iterator {
                            self.emit(Op::Pop, at);
                        }
                        self.jump(Op::Jump, end, at);
                        done = true;
                    }
                    _ if has_iterator => self.drop_below(exit, at),
                    _ => {}
                },
                BlockKind::TryBody => {}
                BlockKind::Dispatch { residue } => {
                    for _ in 0..residue {
                        self.drop_below(exit, at);
                    }
                    self.emit(Op::LeaveHandler, at);
                }
                BlockKind::NamedHandler(name) => self.forget(name, at),
                BlockKind::With { is_async } => {
                    if exit == Exit::Return {
                        self.emit(Op::Swap(2), at);
                    }
                    self.emit(Op::WithExit(is_async), at);
                }
                BlockKind::Finally { body, exits } => {
                    let known = exits.iter().find(|(known, _)| *known == exit).map(|(_, label)| *label);
                    let label = known.unwrap_or_else(|| {
                        let label = self.b.label();
                        if let BlockKind::Finally { exits, .. } = &mut self.b.blocks[index].kind {
                            exits.push((exit, label));
                        }
                        label
                    });
                    self.jump(if exit == Exit::Return { Op::ReturnToken } else { Op::PushToken }, label, at);
                    self.jump(Op::Jump, body, at);
                    done = true;
                }
                BlockKind::FinallyBody => self.drop_below(exit, at),
            }
            if done {
                break;
            }
        }
        if !done {
            self.emit(Op::Return, at);
        }
        for index in paused {
            self.b.resume(index);
        }
        self.b.set_depth(depth);
    }

    /// CPython refuses more than 20 statically nested blocks; bounding them keeps the exits that each `return` runs few.
    pub(super) fn too_many_blocks(&mut self, at: Span) {
        let message = format!("more than {} nested blocks", super::MAX_BLOCKS);
        self.too_large.get_or_insert(SyntaxIssue { span: at, message });
    }

    /// Drops a value of a block that is left; a return's value lies above it.
    fn drop_below(&mut self, exit: Exit, at: Span) {
        if exit == Exit::Return {
            self.emit(Op::Swap(2), at);
        }
        self.emit(Op::Pop, at);
    }

    /// Unbinds the name of an `except … as name` clause.
    fn forget(&mut self, name: NameId, at: Span) {
        self.none(at);
        self.store(name, at);
        self.delete(name, at);
    }

    pub(super) fn with(&mut self, stmt: &ast::StmtWith) {
        if stmt.items.len() > super::MAX_BLOCKS {
            return self.too_many_blocks(span(stmt));
        }
        if stmt.is_async {
            self.check_async("async with", span(stmt));
        }
        self.with_items(&stmt.items, stmt);
    }

    fn with_items(&mut self, items: &[ast::WithItem], stmt: &ast::StmtWith) {
        let Some((item, rest)) = items.split_first() else { return self.body(&stmt.body) };
        let at = span(item);
        let is_async = stmt.is_async;
        let (raised, swallowed, after) = (self.b.label(), self.b.label(), self.b.label());
        self.expr(&item.context_expr);
        self.emit(Op::WithEnter(is_async), at);
        let depth = self.b.depth - 1;
        self.b.open(BlockKind::With { is_async }, Some((raised, depth)));
        match &item.optional_vars {
            Some(target) => self.assign(target),
            None => self.emit(Op::Pop, at),
        }
        self.with_items(rest, stmt);
        self.b.close();
        self.emit(Op::WithExit(is_async), at);
        self.jump(Op::Jump, after, at);
        self.b.place(raised);
        self.b.set_depth(depth + 1);
        self.emit(Op::WithExcept(is_async), at);
        self.jump(Op::JumpIfTrue, swallowed, at);
        self.emit(Op::Reraise, at);
        self.b.place(swallowed);
        self.b.set_depth(depth + 1);
        self.emit(Op::Pop, at);
        self.emit(Op::Pop, at);
        self.b.place(after);
    }

    pub(super) fn try_statement(&mut self, stmt: &ast::StmtTry) {
        if stmt.finalbody.is_empty() {
            return self.try_except(stmt);
        }
        let at = span(stmt);
        let start = self.b.pc();
        let depth = self.b.depth;
        let (raised, body, after) = (self.b.label(), self.b.label(), self.b.label());
        self.b.open(BlockKind::Finally { body, exits: Vec::new() }, Some((raised, depth)));
        if stmt.handlers.is_empty() {
            self.body(&stmt.body);
            // Only broken code has an `else` without an `except`.
            self.body(&stmt.orelse);
        } else {
            self.try_except(stmt);
        }
        let exits = match self.b.close() {
            Some(BlockKind::Finally { exits, .. }) => exits,
            _ => Vec::new(),
        };
        let at_finally = stmt.finalbody.first().map_or(at, span);
        if self.b.pc() == start {
            self.emit(Op::Nop, at);
        }
        self.jump(Op::PushToken, after, at_finally);
        self.jump(Op::Jump, body, at_finally);
        self.b.place(raised);
        self.b.set_depth(depth + 1);
        self.emit(Op::RaiseToken, at_finally);
        self.b.place(body);
        self.b.open(BlockKind::FinallyBody, None);
        self.body(&stmt.finalbody);
        self.b.close();
        self.emit(Op::EndFinally, at_finally);
        for (exit, label) in exits {
            self.b.place(label);
            self.b.set_depth(depth + u32::from(exit == Exit::Return));
            self.unwind(exit, at_finally);
        }
        self.b.place(after);
        self.b.set_depth(depth);
    }

    fn try_except(&mut self, stmt: &ast::StmtTry) {
        let at = span(stmt);
        let depth = self.b.depth;
        let (raised, done, failed) = (self.b.label(), self.b.label(), self.b.label());
        self.b.open(BlockKind::TryBody, Some((raised, depth)));
        self.body(&stmt.body);
        self.b.close();
        self.body(&stmt.orelse);
        self.jump(Op::Jump, done, at);
        self.b.place(raised);
        self.b.set_depth(depth + 1);
        self.emit(Op::EnterHandler, stmt.handlers.first().map_or(at, span));
        let residue = u32::from(stmt.is_star);
        self.b.open(BlockKind::Dispatch { residue }, Some((failed, depth)));
        for handler in &stmt.handlers {
            let ast::ExceptHandler::ExceptHandler(clause) = handler;
            if stmt.is_star {
                self.star_clause(clause);
            } else {
                self.except_clause(clause, done, depth);
            }
        }
        if stmt.is_star {
            // What no clause took goes on.
            let taken = self.b.label();
            self.emit(Op::Dup, at);
            self.none(at);
            self.emit(Op::Compare(CompareOp::Is), at);
            self.jump(Op::JumpIfTrue, taken, at);
            self.b.close();
            self.b.place(failed);
            self.emit(Op::LeaveHandler, at);
            self.emit(Op::Reraise, at);
            self.b.place(taken);
            self.b.set_depth(depth + 1);
            self.emit(Op::Pop, at);
            self.emit(Op::LeaveHandler, at);
        } else {
            self.b.close();
            self.b.place(failed);
            self.b.set_depth(depth + 1);
            self.emit(Op::LeaveHandler, at);
            self.emit(Op::Reraise, at);
        }
        self.b.place(done);
        self.b.set_depth(depth);
    }

    /// One `except` clause, the exception on the stack before and (where it was not taken) after.
    fn except_clause(&mut self, clause: &ast::ExceptHandlerExceptHandler, done: Label, depth: u32) {
        let at = span(clause);
        let next = self.b.label();
        if let Some(kind) = &clause.type_ {
            self.expr(kind);
            self.emit(Op::MatchException, span(&**kind));
            self.jump(Op::JumpIfFalse, next, span(&**kind));
        }
        self.clause_body(clause);
        self.b.pause(self.b.blocks.len() - 1);
        self.emit(Op::LeaveHandler, at);
        self.jump(Op::Jump, done, at);
        self.b.place(next);
        self.b.resume(self.b.blocks.len() - 1);
        self.b.set_depth(depth + 1);
    }

    /// Binds the exception on the stack and runs the clause.
    fn clause_body(&mut self, clause: &ast::ExceptHandlerExceptHandler) {
        let at = span(clause);
        let Some(identifier) = &clause.name else {
            self.emit(Op::Pop, at);
            return self.body(&clause.body);
        };
        let name = self.id(identifier);
        self.store(name, span(identifier));
        let (raised, after) = (self.b.label(), self.b.label());
        let depth = self.b.depth;
        self.b.open(BlockKind::NamedHandler(name), Some((raised, depth)));
        self.body(&clause.body);
        self.b.close();
        self.forget(name, at);
        self.jump(Op::Jump, after, at);
        self.b.place(raised);
        self.b.set_depth(depth + 1);
        self.forget(name, at);
        self.emit(Op::Reraise, at);
        self.b.place(after);
        self.b.set_depth(depth);
    }

    /// One `except*` clause: what is left of the group on the stack before and after.
    fn star_clause(&mut self, clause: &ast::ExceptHandlerExceptHandler) {
        let at = span(clause);
        let (skip, next) = (self.b.label(), self.b.label());
        match &clause.type_ {
            Some(kind) => self.expr(kind),
            None => self.emit(Op::Unknown, at),
        }
        self.emit(Op::MatchExceptionGroup, at);
        self.emit(Op::Dup, at);
        self.none(at);
        self.emit(Op::Compare(CompareOp::Is), at);
        self.jump(Op::JumpIfTrue, skip, at);
        self.clause_body(clause);
        let depth = self.b.depth;
        self.jump(Op::Jump, next, at);
        self.b.place(skip);
        self.b.set_depth(depth + 1);
        self.emit(Op::Pop, at);
        self.b.place(next);
    }

    /// A sequence of statements.
    pub(super) fn body(&mut self, body: &[Stmt]) {
        if self.b.blocks.len() > super::MAX_BLOCKS
            && let Some(first) = body.first()
        {
            return self.too_many_blocks(span(first));
        }
        for stmt in body {
            self.statement(stmt);
        }
    }
}
