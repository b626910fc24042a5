//! What each instruction does to the operand stack, and where it may go: shared by the lowering, the verifier and whoever
//! walks the flat code.

use super::code::{NameId, NamesId, Op, Pattern, PatternId, Pc, Program};

/// The stack effect of an instruction when it falls through: how many values it takes and how many it leaves.
/// `captures` tells how many names a pattern binds.
pub(super) fn stack_effect(op: Op, captures: impl Fn(PatternId) -> u32, operands: impl Fn(PatternId) -> u32, made: Made) -> (u32, u32) {
    let n = |n: u16| u32::from(n);
    match op {
        Op::Const(_) | Op::Unknown | Op::LoadLocal(_) | Op::LoadDeref(_) | Op::LoadGlobal(_) | Op::LoadName(_) => (0, 1),
        Op::LoadNameOrDeref(..) | Op::LoadAssertionError | Op::Import(..) | Op::PushToken(_) => (0, 1),
        Op::StoreLocal(_) | Op::StoreDeref(_) | Op::StoreGlobal(_) | Op::StoreName(_) | Op::Annotate(_) | Op::Pop => (1, 0),
        Op::DeleteLocal(_) | Op::DeleteDeref(_) | Op::DeleteGlobal(_) | Op::DeleteName(_) => (0, 0),
        Op::Dup => (1, 2),
        Op::Dup2 => (2, 4),
        Op::Copy(k) => (n(k), n(k) + 1),
        Op::Swap(k) => (n(k), n(k)),
        Op::Unary(_) | Op::LoadAttr(_) | Op::ListToTuple | Op::GetIter | Op::GetAsyncIter => (1, 1),
        Op::Binary(_) | Op::Inplace(_) | Op::Compare(_) | Op::LoadItem => (2, 1),
        Op::Jump(_) | Op::LoopEnter(_) | Op::LoopHead(_) | Op::LoopBack(_) | Op::LoopExit(_) | Op::LeaveHandler | Op::Magic | Op::Nop => {
            (0, 0)
        }
        Op::JumpIfFalse(_) | Op::JumpIfTrue(_) | Op::JumpIfFalseOrPop(_) | Op::JumpIfTrueOrPop(_) => (1, 0),
        Op::StoreAttr(_) | Op::DeleteItem => (2, 0),
        Op::DeleteAttr(_) | Op::ImportStar | Op::Return | Op::Reraise | Op::WithExit(_) | Op::EndFinally => (1, 0),
        Op::LoadMethod(_) | Op::ImportFrom(_) | Op::WithEnter(_) => (1, 2),
        Op::StoreItem => (3, 0),
        Op::BuildSlice(k) => (u32::from(k), 1),
        Op::BuildList(k) | Op::BuildTuple(k) | Op::BuildSet(k) | Op::BuildString(k) | Op::BuildTemplate(k) => (k, 1),
        Op::BuildDict(k) => (2 * k, 1),
        Op::ListAppend(k) | Op::SetAdd(k) => (n(k) + 1, n(k)),
        Op::DictInsert(k) => (n(k) + 2, n(k)),
        Op::ListExtend | Op::SetUpdate | Op::DictMerge => (2, 1),
        Op::FormatValue(_, spec) => (1 + u32::from(spec), 1),
        Op::ForIter(_) | Op::AsyncForIter(_) => (1, 2),
        Op::UnpackSequence(k) => (1, k),
        Op::UnpackEx(before, after) => (1, n(before) + 1 + n(after)),
        Op::Call(k, _) => (n(k) + 1, 1),
        Op::CallMethod(k, _) => (n(k) + 2, 1),
        Op::CallEx(kwargs) => (2 + u32::from(kwargs), 1),
        Op::MakeFunction(_) => (made.defaults, 1),
        Op::MakeClass(_, k, _) => (n(k) + made.keywords, 1),
        Op::MakeClassEx(_) => (2, 1),
        Op::Yield | Op::YieldFrom | Op::Await => (1, 1),
        Op::Raise(k) => (u32::from(k), 0),
        Op::EnterHandler | Op::ReturnToken(_) | Op::RaiseToken => (1, 1),
        Op::MatchException | Op::MatchExceptionGroup => (2, 2),
        Op::WithExcept(_) => (2, 3),
        Op::MatchPattern(id) => (1 + operands(id), 2 + captures(id)),
    }
}

/// What the stack effect of the instructions that make functions and classes depends on.
#[derive(Debug, Clone, Copy, Default)]
pub(super) struct Made {
    /// How many defaults the function has.
    pub defaults: u32,
    /// How many keywords the class has.
    pub keywords: u32,
}

/// The stack effect of an instruction of a finished program.
pub(super) fn effect_in(program: &Program, op: Op) -> (u32, u32) {
    let keywords = |names: Option<NamesId>| names.map_or(0, |names| program.name_lists[names.0 as usize].len() as u32);
    let made = match op {
        Op::MakeFunction(code) => {
            let params = &program.codes[code.0 as usize].params;
            let keyword_defaults = params.keyword_defaults.iter().filter(|default| **default).count() as u32;
            Made { defaults: u32::from(params.defaults) + keyword_defaults, keywords: 0 }
        }
        Op::MakeClass(_, _, names) => Made { defaults: 0, keywords: keywords(names) },
        _ => Made::default(),
    };
    stack_effect(op, |id| program.pattern_captures(id).len() as u32, |id| program.pattern_operands(id), made)
}

impl Op {
    /// The identifier that an instruction reads, binds or looks up.
    pub fn name(self) -> Option<NameId> {
        match self {
            Op::LoadGlobal(name) | Op::StoreGlobal(name) | Op::DeleteGlobal(name) => Some(name),
            Op::LoadName(name) | Op::LoadNameOrDeref(name, _) | Op::StoreName(name) | Op::DeleteName(name) | Op::Annotate(name) => {
                Some(name)
            }
            Op::LoadAttr(name) | Op::StoreAttr(name) | Op::DeleteAttr(name) | Op::LoadMethod(name) => Some(name),
            Op::Import(name, ..) | Op::ImportFrom(name) => Some(name),
            _ => None,
        }
    }

    /// The position an instruction may jump to (never [`Op::LoopBack`], whose target is its loop's head; never a token's).
    pub fn jump_target(self) -> Option<Pc> {
        match self {
            Op::Jump(t) | Op::JumpIfFalse(t) | Op::JumpIfTrue(t) | Op::JumpIfFalseOrPop(t) | Op::JumpIfTrueOrPop(t) => Some(t),
            Op::ForIter(t) | Op::AsyncForIter(t) => Some(t),
            _ => None,
        }
    }

    /// Mutable access to whatever position the instruction names, token targets included.
    pub(super) fn target_mut(&mut self) -> Option<&mut Pc> {
        match self {
            Op::Jump(t) | Op::JumpIfFalse(t) | Op::JumpIfTrue(t) | Op::JumpIfFalseOrPop(t) | Op::JumpIfTrueOrPop(t) => Some(t),
            Op::ForIter(t) | Op::AsyncForIter(t) | Op::PushToken(t) | Op::ReturnToken(t) => Some(t),
            _ => None,
        }
    }

    /// Whether the next instruction is never reached from this one directly.
    pub fn is_terminator(self) -> bool {
        matches!(self, Op::Jump(_) | Op::LoopBack(_) | Op::Return | Op::Raise(_) | Op::Reraise | Op::EndFinally)
    }
}

impl Program {
    /// How many values [`Op::MatchPattern`] takes from the stack besides the subject.
    pub fn pattern_operands(&self, id: PatternId) -> u32 {
        pattern_operands(&self.patterns, id)
    }
}

fn pattern_operands(patterns: &[Pattern], id: PatternId) -> u32 {
    let of = |id: &PatternId| pattern_operands(patterns, *id);
    match &patterns[id.0 as usize] {
        Pattern::Value(operand) => u32::from(*operand) + 1,
        Pattern::Singleton(_) | Pattern::Capture(_) => 0,
        Pattern::As(inner, _) => of(inner),
        Pattern::Or(parts) | Pattern::Sequence(parts, _) => parts.iter().map(of).max().unwrap_or(0),
        Pattern::Mapping(items, _) => items.iter().map(|(key, p)| of(p).max(u32::from(*key) + 1)).max().unwrap_or(0),
        Pattern::Class(class, positional, keyword) => {
            let inner = positional.iter().chain(keyword.iter().map(|(_, p)| p)).map(of).max().unwrap_or(0);
            inner.max(u32::from(*class) + 1)
        }
    }
}
