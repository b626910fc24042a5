//! The structural verifier: holds the promises of [`super::code`] against a program.

use super::code::{Code, CodeKind, Handler, Op, Pattern, Pc, Program};
use super::effects::effect_in;

impl Program {
    /// Checks that all jumps go forward (but [`Op::LoopBack`]), that every reachable position has one operand stack depth
    /// whatever path leads there, that handlers lie after what they protect, that all indices are valid and that all
    /// spans are in range (`text_len` is the length of the canonical text).
    ///
    /// # Errors
    /// The first violation, as a sentence.
    pub fn verify(&self, text_len: usize) -> Result<(), String> {
        for (number, code) in self.codes.iter().enumerate() {
            Verifier { program: self, code, depths: vec![None; code.ops.len()] }
                .run(text_len)
                .map_err(|problem| format!("code {number} ({}): {problem}", self.name(code.name)))?;
        }
        let patterns = self.patterns.len();
        for (i, pattern) in self.patterns.iter().enumerate() {
            let inner: Vec<u32> = match pattern {
                Pattern::As(p, _) => vec![p.0],
                Pattern::Or(parts) | Pattern::Sequence(parts, _) => parts.iter().map(|p| p.0).collect(),
                Pattern::Mapping(items, _) => items.iter().map(|(_, p)| p.0).collect(),
                Pattern::Class(_, a, b) => a.iter().map(|p| p.0).chain(b.iter().map(|(_, p)| p.0)).collect(),
                Pattern::Value(_) | Pattern::Singleton(_) | Pattern::Capture(_) => Vec::new(),
            };
            if inner.iter().any(|p| *p as usize >= patterns || *p as usize >= i) {
                return Err(format!("pattern {i} refers to a later one"));
            }
        }
        Ok(())
    }
}

struct Verifier<'p> {
    program: &'p Program,
    code: &'p Code,
    /// Depth before each instruction, where it is reachable.
    depths: Vec<Option<u32>>,
}

impl Verifier<'_> {
    fn run(&mut self, text_len: usize) -> Result<(), String> {
        let code = self.code;
        if code.spans.len() != code.ops.len() {
            return Err("spans and instructions differ in number".into());
        }
        if code.ops.is_empty() {
            return Err("no instructions".into());
        }
        let in_text = |span: super::Span| span.start <= span.end && span.end as usize <= text_len;
        if let Some(at) = code.spans.iter().position(|span| !in_text(*span)) {
            return Err(format!("span {:?} of {at} is out of range", code.spans[at]));
        }
        let parameters = code.params.positional + code.params.keyword_only;
        if usize::from(parameters) > code.slots.len() || code.params.positional_only > code.params.positional {
            return Err("more parameters than slots".into());
        }
        self.handlers()?;
        self.loops()?;
        self.flow(0, 0)?;
        // Handlers by their start, and those in force: looking through all of them at each position would be quadratic.
        let mut starting: Vec<Handler> = code.handlers.clone();
        starting.sort_by_key(|handler| std::cmp::Reverse(handler.start));
        let mut active: Vec<Handler> = Vec::new();
        for pc in 0..code.ops.len() as Pc {
            active.retain(|handler| handler.end > pc);
            while starting.last().is_some_and(|handler| handler.start <= pc) {
                active.extend(starting.pop());
            }
            self.indices(pc)?;
            let Some(depth) = self.depths[pc as usize] else { continue };
            self.step(pc, depth, &active)?;
        }
        Ok(())
    }

    /// Records that `pc` is reached with this depth.
    fn flow(&mut self, pc: Pc, depth: u32) -> Result<(), String> {
        match self.depths.get_mut(pc as usize) {
            None => Err(format!("position {pc} does not exist")),
            Some(Some(known)) if *known != depth => Err(format!("position {pc} is reached with depths {known} and {depth}")),
            Some(known) => {
                *known = Some(depth);
                Ok(())
            }
        }
    }

    fn forward(&mut self, from: Pc, to: Pc, depth: u32) -> Result<(), String> {
        if to <= from { Err(format!("{from} jumps back to {to}")) } else { self.flow(to, depth) }
    }

    fn step(&mut self, pc: Pc, depth: u32, active: &[Handler]) -> Result<(), String> {
        let op = self.code.ops[pc as usize];
        let (takes, leaves) = effect_in(self.program, op);
        if takes > depth {
            return Err(format!("{op:?} at {pc} takes {takes} of {depth} values"));
        }
        let after = depth - takes + leaves;
        if after > self.code.max_stack {
            return Err(format!("depth {after} at {pc} is above max_stack {}", self.code.max_stack));
        }
        match op {
            Op::JumpIfFalseOrPop(to) | Op::JumpIfTrueOrPop(to) => self.forward(pc, to, depth)?,
            Op::ForIter(to) | Op::AsyncForIter(to) => self.forward(pc, to, depth - 1)?,
            Op::PushToken(to) => self.forward(pc, to, depth)?,
            Op::ReturnToken(to) => self.forward(pc, to, depth)?,
            Op::LoopBack(number) => {
                let head = self.code.loops[number as usize].head;
                if self.depths[head as usize] != Some(depth) {
                    return Err(format!("loop {number} comes back with depth {depth}, not {:?}", self.depths[head as usize]));
                }
            }
            _ => {
                if let Some(to) = op.jump_target() {
                    self.forward(pc, to, after)?;
                }
            }
        }
        for handler in active {
            if handler.depth > depth {
                return Err(format!("{pc} with depth {depth} is protected by a handler that keeps {}", handler.depth));
            }
            self.flow(handler.target, handler.depth + 1)?;
        }
        if op.is_terminator() { Ok(()) } else { self.flow(pc + 1, after) }
    }

    fn handlers(&self) -> Result<(), String> {
        for (i, handler) in self.code.handlers.iter().enumerate() {
            if handler.start >= handler.end || handler.target < handler.end || handler.target as usize >= self.code.ops.len() {
                return Err(format!("handler {i} is {handler:?}"));
            }
        }
        Ok(())
    }

    fn loops(&self) -> Result<(), String> {
        let at = |pc: Pc| self.code.ops.get(pc as usize).copied();
        for (number, it) in self.code.loops.iter().enumerate() {
            let id = number as u16;
            let enter = it.head.checked_sub(1).and_then(at);
            let right = enter == Some(Op::LoopEnter(id))
                && at(it.head) == Some(Op::LoopHead(id))
                && at(it.back) == Some(Op::LoopBack(id))
                && at(it.end) == Some(Op::LoopExit(id))
                && it.head < it.back
                && it.back < it.end;
            if !right {
                return Err(format!("loop {number} is {it:?}"));
            }
        }
        Ok(())
    }

    fn indices(&self, pc: Pc) -> Result<(), String> {
        let (program, code) = (self.program, self.code);
        let valid = match code.ops[pc as usize] {
            Op::Const(id) => (id.0 as usize) < program.consts.len(),
            Op::LoadLocal(slot) | Op::StoreLocal(slot) | Op::DeleteLocal(slot) => usize::from(slot) < code.slots.len(),
            Op::LoadDeref(i) | Op::StoreDeref(i) | Op::DeleteDeref(i) => usize::from(i) < code.cells.len() + code.frees.len(),
            Op::LoadNameOrDeref(name, i) => {
                code.kind == CodeKind::Class
                    && usize::from(i) < code.cells.len() + code.frees.len()
                    && (name.0 as usize) < program.names.len()
            }
            Op::LoadName(name) | Op::StoreName(name) | Op::DeleteName(name) | Op::Annotate(name) => {
                code.kind == CodeKind::Class && (name.0 as usize) < program.names.len()
            }
            Op::LoadGlobal(name) | Op::StoreGlobal(name) | Op::DeleteGlobal(name) => (name.0 as usize) < program.names.len(),
            Op::LoadAttr(name) | Op::StoreAttr(name) | Op::DeleteAttr(name) | Op::LoadMethod(name) => {
                (name.0 as usize) < program.names.len()
            }
            Op::MakeFunction(id) | Op::MakeClass(id, ..) | Op::MakeClassEx(id) => program.codes.get(id.0 as usize).is_some_and(|inner| {
                inner.frees.iter().all(|(name, capture)| match capture {
                    super::code::Capture::Cell(i) => code.cells.get(usize::from(*i)).is_some_and(|(cell, _)| cell == name),
                    super::code::Capture::Free(i) => code.frees.get(usize::from(*i)).is_some_and(|(free, _)| free == name),
                })
            }),
            Op::Call(_, Some(names)) | Op::CallMethod(_, Some(names)) => (names.0 as usize) < program.name_lists.len(),
            Op::LoopEnter(n) | Op::LoopHead(n) | Op::LoopBack(n) | Op::LoopExit(n) => usize::from(n) < code.loops.len(),
            Op::MatchPattern(id) => (id.0 as usize) < program.patterns.len(),
            Op::Copy(n) => n >= 1,
            Op::Swap(n) => n >= 2,
            _ => true,
        };
        if valid { Ok(()) } else { Err(format!("{:?} at {pc} has an invalid index", code.ops[pc as usize])) }
    }
}
