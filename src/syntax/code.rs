//! The flat program the evaluator runs: names resolved to slots, structured control flow as forward jumps.
//!
//! It is close to CPython's own bytecode, with three differences that make abstract evaluation simple:
//!
//! 1. **Every jump goes forward** (its target is greater than its own position), except [`Op::LoopBack`]. Handlers and
//!    `finally` bodies lie after what they protect. A program point is therefore never reached before all of its
//!    predecessors within one pass, and paths that part meet again at the smallest pending position.
//! 2. **A `finally` body exists once.** Every way into it leaves a token on the stack that says where to go on
//!    ([`Op::PushToken`], [`Op::ReturnToken`], [`Op::RaiseToken`]), and [`Op::EndFinally`] goes there.
//! 3. **The operand stack has one depth per position**, whatever path led there.

use std::sync::Arc;

/// A half-open range of byte offsets into the canonical text of a source.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Hash, Default, PartialOrd, Ord, serde::Serialize)]
pub struct Span {
    /// First byte.
    pub start: u32,
    /// One past the last byte.
    pub end: u32,
}

/// Index into [`Program::names`].
#[derive(Debug, Clone, Copy, PartialEq, Eq, Hash, PartialOrd, Ord)]
pub struct NameId(pub u32);

/// Index into [`Program::consts`].
#[derive(Debug, Clone, Copy, PartialEq, Eq, Hash)]
pub struct ConstId(pub u32);

/// Index into [`Program::codes`].
#[derive(Debug, Clone, Copy, PartialEq, Eq, Hash, PartialOrd, Ord)]
pub struct CodeId(pub u32);

/// Index into [`Program::patterns`].
#[derive(Debug, Clone, Copy, PartialEq, Eq, Hash)]
pub struct PatternId(pub u32);

/// Index into [`Program::name_lists`].
#[derive(Debug, Clone, Copy, PartialEq, Eq, Hash)]
pub struct NamesId(pub u32);

/// A position in [`Code::ops`].
pub type Pc = u32;

/// A whole source, lowered.
#[derive(Debug, Default)]
pub struct Program {
    /// Interned identifiers, NFKC-normalised as CPython does.
    pub names: Vec<Arc<str>>,
    /// Literals.
    pub consts: Vec<Const>,
    /// Code objects; the module is number 0.
    pub codes: Vec<Code>,
    /// `case` patterns.
    pub patterns: Vec<Pattern>,
    /// Lists of names: keyword arguments of calls, `from … import` lists.
    pub name_lists: Vec<Vec<NameId>>,
    /// What the parser complained about, in order of position. The program holds what could be parsed all the same.
    pub errors: Vec<SyntaxIssue>,
    /// Why the source was not lowered at all (too large, too deep), in which case there is no code.
    pub not_analysed: Option<SyntaxIssue>,
    /// IPython magics and shell escapes found; each makes the program a SyntaxError when it is run.
    pub magics: Vec<Span>,
    /// Comments that speak to antifreeze (`# antifreeze: …`), in order of position.
    pub comments: Vec<Span>,
    /// How many statements the source has.
    pub statements: u32,
    /// True when `from __future__ import annotations` is in force.
    pub lazy_annotations: bool,
    /// What the source is made of.
    pub form: Form,
}

/// What a module is made of, as far as running it and giving its value goes: the value is that of a bare expression at its end.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Default)]
pub enum Form {
    /// Nothing but one expression.
    Expression,
    /// Statements that do not end with an expression.
    Statements,
    /// Not known, or statements and an expression.
    #[default]
    Mixed,
}

/// A complaint of the parser or of the size and depth bounds.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct SyntaxIssue {
    /// Where.
    pub span: Span,
    /// What, as a sentence without the position.
    pub message: String,
}

/// A literal.
#[derive(Debug, Clone, PartialEq)]
pub enum Const {
    /// `None`.
    None,
    /// `True` or `False`.
    Bool(bool),
    /// An integer that fits.
    Int(i128),
    /// An integer literal that does not fit i128: its exact bit length (always positive). For decimal literals of more
    /// than 10,000 digits the bit length may be an interval.
    BigInt {
        /// Least bit length.
        bits_low: u64,
        /// Greatest bit length.
        bits_high: u64,
        /// Decimal digits of a decimal literal (CPython refuses more than 4,300 of them with a SyntaxError), else 0.
        digits: u64,
    },
    /// A float.
    Float(f64),
    /// The imaginary part of a complex literal.
    Complex(f64),
    /// A string.
    Str(Arc<str>),
    /// A bytes literal.
    Bytes(Arc<[u8]>),
    /// `...`.
    Ellipsis,
}

/// What a code object is.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum CodeKind {
    /// The module.
    Module,
    /// `def`, `async def`.
    Function,
    /// `lambda`.
    Lambda,
    /// A class body.
    Class,
    /// A comprehension; its only parameter is the iterator of the outermost `for`, in slot 0 (named `.0`). List, set and
    /// dict comprehensions return what they built; a generator expression is a generator.
    Comprehension,
}

/// The parameters of a code object. Slots are indices into [`Code::slots`], in the order: positional-only,
/// positional-or-keyword, keyword-only, `*args`, `**kwargs`; the first `n` slots are the parameters.
#[derive(Debug, Clone, Default, PartialEq, Eq)]
pub struct Params {
    /// Number of positional-only parameters.
    pub positional_only: u16,
    /// Number of positional parameters, positional-only ones included.
    pub positional: u16,
    /// Number of keyword-only parameters.
    pub keyword_only: u16,
    /// How many of the last positional parameters have defaults.
    pub defaults: u16,
    /// For each keyword-only parameter, whether it has a default.
    pub keyword_defaults: Vec<bool>,
    /// Slot of `*args`.
    pub var_positional: Option<u16>,
    /// Slot of `**kwargs`.
    pub var_keyword: Option<u16>,
}

/// Where a captured variable comes from when a function is made.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum Capture {
    /// Cell number of the code that makes the function (an index into its [`Code::cells`]).
    Cell(u16),
    /// Free variable number of the code that makes the function (an index into its [`Code::frees`]).
    Free(u16),
}

/// One code object.
#[derive(Debug)]
pub struct Code {
    /// Its name (`<module>`, `<lambda>`, `<listcomp>` … where it has none).
    pub name: NameId,
    /// What it is.
    pub kind: CodeKind,
    /// `async def`.
    pub is_async: bool,
    /// Contains `yield`, or is a generator expression.
    pub is_generator: bool,
    /// The parameters.
    pub params: Params,
    /// Fast locals, parameters first. A parameter that is also a cell has both: the evaluator copies the argument into
    /// the cell when the frame starts (see `cells`).
    pub slots: Vec<NameId>,
    /// Variables of this code that inner functions capture; with the parameter slot that fills it, if any. A class body
    /// whose methods use `super` or `__class__` has a cell `__class__`, which is the class once it is made.
    pub cells: Vec<(NameId, Option<u16>)>,
    /// Variables captured from outside, and where the maker finds them.
    pub frees: Vec<(NameId, Capture)>,
    /// The instructions.
    pub ops: Vec<Op>,
    /// The source range each instruction comes from.
    pub spans: Vec<Span>,
    /// Exception handlers, innermost first for any position.
    pub handlers: Vec<Handler>,
    /// The loops, indexed by the `LoopId` of the loop instructions.
    pub loops: Vec<Loop>,
    /// Position of the first instruction of each statement, and the statement's whole range.
    pub statements: Vec<(Pc, Span)>,
    /// The whole definition.
    pub span: Span,
    /// Greatest depth of the operand stack.
    pub max_stack: u32,
    /// The code object that contains this one.
    pub parent: Option<CodeId>,
}

/// While the position is in `start..end`, an exception cuts the operand stack to `depth`, pushes the exception and goes
/// on at `target` (which is `>= end`).
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub struct Handler {
    /// First protected position.
    pub start: Pc,
    /// One past the last protected position.
    pub end: Pc,
    /// Where to go on.
    pub target: Pc,
    /// Operand stack depth to keep.
    pub depth: u32,
}

/// What kind of loop.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum LoopKind {
    /// `while`.
    While,
    /// `for`, or a `for` clause of a comprehension.
    For,
    /// `async for`.
    AsyncFor,
}

/// A loop. Layout: `LoopEnter; head: LoopHead; condition or ForIter → else; body; back: LoopBack; else-part; end: LoopExit`.
/// `break` jumps to `end`; `continue` jumps to `back`. The else part (if any) lies in `back + 1 .. end`.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub struct Loop {
    /// What kind.
    pub kind: LoopKind,
    /// Position of its [`Op::LoopHead`].
    pub head: Pc,
    /// Position of its [`Op::LoopBack`].
    pub back: Pc,
    /// Position of its [`Op::LoopExit`].
    pub end: Pc,
    /// The whole statement or `for` clause.
    pub span: Span,
    /// The condition, or the iterable.
    pub test: Span,
    /// Just the first line's part worth underlining: keyword to the colon's left (`while n < 2`, `for x in xs`).
    pub header: Span,
}

impl Loop {
    /// Whether a position is in the part that repeats.
    pub fn holds(&self, pc: Pc) -> bool {
        (self.head..=self.back).contains(&pc)
    }
}

/// Unary operators.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Hash)]
#[expect(missing_docs, reason = "named as in Python's data model")]
pub enum UnaryOp {
    Neg,
    Pos,
    Invert,
    Not,
}

/// Binary operators.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Hash)]
#[expect(missing_docs, reason = "named as in Python's data model")]
pub enum BinaryOp {
    Add,
    Sub,
    Mul,
    MatMul,
    TrueDiv,
    FloorDiv,
    Mod,
    Pow,
    LShift,
    RShift,
    BitAnd,
    BitOr,
    BitXor,
}

/// Comparisons.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Hash)]
#[expect(missing_docs, reason = "named as in Python's data model")]
pub enum CompareOp {
    Lt,
    Le,
    Eq,
    Ne,
    Gt,
    Ge,
    Is,
    IsNot,
    In,
    NotIn,
}

impl CompareOp {
    /// `is` and `is not`.
    pub fn is_identity(self) -> bool {
        matches!(self, CompareOp::Is | CompareOp::IsNot)
    }
}

/// `!s`, `!r`, `!a` of a replacement field.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Hash)]
#[expect(missing_docs, reason = "named as in Python's grammar")]
pub enum Conversion {
    None,
    Str,
    Repr,
    Ascii,
}

/// One instruction. Stack effects are written `before → after`, top of the stack on the right.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum Op {
    /// `→ value`
    Const(ConstId),
    /// `→ a value nothing is known about` (type parameters, what a code construct without a model gives).
    Unknown,
    /// `→ value` of fast local (UnboundLocalError when unset).
    LoadLocal(u16),
    /// `value →`
    StoreLocal(u16),
    /// `→`, unbinds.
    DeleteLocal(u16),
    /// `→ value` of a cell or free variable: index below `cells.len()` is a cell, above it a free variable.
    LoadDeref(u16),
    /// `value →`
    StoreDeref(u16),
    /// `→`
    DeleteDeref(u16),
    /// `→ value`: module global, else builtin.
    LoadGlobal(NameId),
    /// `value →`
    StoreGlobal(NameId),
    /// `→`
    DeleteGlobal(NameId),
    /// `→ value`, in a class body: class namespace, else global, else builtin.
    LoadName(NameId),
    /// `→ value`, in a class body: class namespace, else the free variable with this index (counted like `LoadDeref`).
    LoadNameOrDeref(NameId, u16),
    /// `value →`, in a class body.
    StoreName(NameId),
    /// `→`, in a class body.
    DeleteName(NameId),
    /// `annotation →`, in a class body: the class has a field of that name.
    Annotate(NameId),

    /// `a →`
    Pop,
    /// `a → a a`
    Dup,
    /// `a b → a b a b`
    Dup2,
    /// `… x(n-1) … x0 → … x(n-1) … x0 x(n-1)`: copies the n-th value from the top (1 is the top) onto the top.
    Copy(u16),
    /// Swaps the top with the n-th value from the top (2 is the one below).
    Swap(u16),

    /// `a → r`
    Unary(UnaryOp),
    /// `a b → r`
    Binary(BinaryOp),
    /// `a b → r`, `a op= b`.
    Inplace(BinaryOp),
    /// `a b → r`
    Compare(CompareOp),

    /// `→`
    Jump(Pc),
    /// `cond →`
    JumpIfFalse(Pc),
    /// `cond →`
    JumpIfTrue(Pc),
    /// `cond → cond` when it jumps, `cond →` when it falls through.
    JumpIfFalseOrPop(Pc),
    /// `cond → cond` when it jumps, `cond →` when it falls through.
    JumpIfTrueOrPop(Pc),

    /// `obj → value`
    LoadAttr(NameId),
    /// `value obj →`
    StoreAttr(NameId),
    /// `obj →`
    DeleteAttr(NameId),
    /// `obj → callable self` for a following [`Op::CallMethod`].
    LoadMethod(NameId),
    /// `obj index → value`
    LoadItem,
    /// `value obj index →`
    StoreItem,
    /// `obj index →`
    DeleteItem,
    /// `start stop [step] → slice`
    BuildSlice(u8),
    /// `x1 … xn → list`
    BuildList(u32),
    /// `x1 … xn → tuple`
    BuildTuple(u32),
    /// `x1 … xn → set`
    BuildSet(u32),
    /// `k1 v1 … kn vn → dict`
    BuildDict(u32),
    /// `… list … value → … list …`: appends to the list `n` below the value (1 is right below).
    ListAppend(u16),
    /// Like `ListAppend`, for a set.
    SetAdd(u16),
    /// `… dict … key value → … dict …`: the dict is `n` below the key.
    DictInsert(u16),
    /// `list iterable → list`
    ListExtend,
    /// `set iterable → set`
    SetUpdate,
    /// `dict mapping → dict`: `**mapping` in a display or a call; a repeated key is a TypeError in a call only.
    DictMerge,
    /// `list → tuple`
    ListToTuple,
    /// `value [spec] → str`: a replacement field of an f-string.
    FormatValue(Conversion, bool),
    /// `s1 … sn → str`
    BuildString(u32),
    /// `values n → Template`: a t-string.
    BuildTemplate(u32),

    /// `iterable → iterator`
    GetIter,
    /// `iterator → iterator next`, or at its end `iterator →` and jump (the iterator is popped).
    ForIter(Pc),
    /// `async iterable → async iterator`
    GetAsyncIter,
    /// As [`Op::ForIter`], awaiting.
    AsyncForIter(Pc),
    /// Before a loop, once.
    LoopEnter(u16),
    /// At the loop's head, each iteration.
    LoopHead(u16),
    /// Back to the head of the loop.
    LoopBack(u16),
    /// Where `break`, exhaustion and a false condition meet (after the `else` part).
    LoopExit(u16),
    /// `seq → xn … x1` (x1 on top, ready to be stored first)
    UnpackSequence(u32),
    /// `seq → xn … x1` with `before` single values, one list, `after` single values.
    UnpackEx(u16, u16),

    /// `callable x1 … xn k1 … km → result`; the number is `n + m`, the last `m` arguments are keywords named by the list.
    Call(u16, Option<NamesId>),
    /// `callable self x1 … xn k1 … km → result`, after [`Op::LoadMethod`]; the number is `n + m`.
    CallMethod(u16, Option<NamesId>),
    /// `callable args(list or tuple) [kwargs dict] → result`; the flag says whether there are kwargs.
    CallEx(bool),
    /// `d1 … dn kd1 … kdm → function`: positional defaults, then keyword-only defaults.
    MakeFunction(CodeId),
    /// `b1 … bn kv1 … kvm → class`: bases, then class keywords (`metaclass=` among them) named by the list.
    MakeClass(CodeId, u16, Option<NamesId>),
    /// As [`Op::MakeClass`], with `bases(list or tuple) kwargs(dict)`: `class C(*bases, **kw)`.
    MakeClassEx(CodeId),
    /// `→ module`: dotted name, relative level; the flag says whether to bind the root (`import a.b`) or the leaf
    /// (`import a.b as c`, `from a.b import …`).
    Import(NameId, u8, bool),
    /// `module → module value`
    ImportFrom(NameId),
    /// `module →`, `from module import *`.
    ImportStar,

    /// `value →`, leaves the code.
    Return,
    /// `value → sent`
    Yield,
    /// `iterable → result`, `yield from`.
    YieldFrom,
    /// `awaitable → result`
    Await,

    /// `[exc [cause]] →`: `raise`, `raise exc`, `raise exc from cause`.
    Raise(u8),
    /// `exc →`: goes on raising the exception a handler did not take.
    Reraise,
    /// `exc → exc`: the exception becomes the one that `raise` alone and `sys.exc_info` mean.
    EnterHandler,
    /// `→`: the handler is left, the exception before it is the current one again.
    LeaveHandler,
    /// `exc type → exc bool`: whether the exception is of that type (or of one in a tuple of types).
    MatchException,
    /// `exc type → rest matched`: `except*`. Either may be None.
    MatchExceptionGroup,
    /// `→ token`: go on at the position.
    PushToken(Pc),
    /// `value → token`: go on at the position with the value on the stack.
    ReturnToken(Pc),
    /// `exc → token`: raise it again.
    RaiseToken,
    /// `token → [value]`: goes where the token says; a value it carries is pushed first.
    EndFinally,
    /// `manager → exit result`: calls `__enter__` (or awaits `__aenter__`).
    WithEnter(bool),
    /// `exit →`: calls `exit(None, None, None)` (awaits when async) and drops the result.
    WithExit(bool),
    /// `exit exc → exit exc bool`: calls `exit(type, exc, traceback)`; whether it swallowed the exception.
    WithExcept(bool),
    /// `→ assertion error class`, for `assert`.
    LoadAssertionError,
    /// `subject v1 … vk → subject b1 … bn matched`: matches against the pattern; `v` are the values that
    /// [`Pattern::Value`] and [`Pattern::Class`] refer to, `b` its captures (anything where it did not match), as many as
    /// [`Program::pattern_captures`] names, in that order.
    MatchPattern(PatternId),
    /// An IPython magic or shell escape: the program would be a SyntaxError. `→`
    Magic,
    /// Nothing: a position that jumps can name.
    Nop,
}

/// A `case` pattern. `operand` numbers the values `MatchPattern` finds on the stack (0 is the deepest).
#[derive(Debug, Clone, PartialEq)]
pub enum Pattern {
    /// `case 1`, `case a.b`: equal to operand number so-and-so.
    Value(u16),
    /// `case None`, `case True`: the very object.
    Singleton(Const),
    /// `case _`, `case x`.
    Capture(Option<NameId>),
    /// `case p as x`.
    As(PatternId, NameId),
    /// `case p | q`.
    Or(Vec<PatternId>),
    /// `case [p, *rest, q]`; `star` is the index at which the starred part stands, with its name if it has one.
    Sequence(Vec<PatternId>, Option<(u16, Option<NameId>)>),
    /// `case {k: p, **rest}`; keys are operands.
    Mapping(Vec<(u16, PatternId)>, Option<NameId>),
    /// `case C(p, k=q)`; the class is an operand.
    Class(u16, Vec<PatternId>, Vec<(NameId, PatternId)>),
}

impl Program {
    /// Whether it imports none but the modules of these lists, and what is in them.
    pub fn imports_only(&self, modules: &[&[&str]]) -> bool {
        let is_one = |name: &str| modules.iter().any(|list| list.contains(&name.split('.').next().unwrap_or(name)));
        let mut ops = self.codes.iter().flat_map(|code| &code.ops);
        ops.all(|op| !matches!(op, Op::Import(name, level, _) if *level > 0 || !is_one(&self.names[name.0 as usize])))
    }

    /// Where an identifier is used, but as a variable of a function: by code and position.
    pub fn places_of(&self, name: NameId) -> impl Iterator<Item = (CodeId, Pc)> + '_ {
        let codes = self.codes.iter().enumerate();
        codes.flat_map(move |(at, code)| {
            let ops = code.ops.iter().enumerate();
            ops.filter(move |(_, op)| op.name() == Some(name)).map(move |(pc, _)| (CodeId(at as u32), pc as Pc))
        })
    }

    /// Whether code is a function's, or within one: it may run again whenever the function is called.
    pub fn is_in_function(&self, code: &Code) -> bool {
        let mut code = code;
        loop {
            if matches!(code.kind, CodeKind::Function | CodeKind::Lambda) || code.is_generator {
                return true;
            }
            match code.parent {
                Some(parent) => code = &self.codes[parent.0 as usize],
                None => return false,
            }
        }
    }

    /// The names a pattern binds, in the order in which [`Op::MatchPattern`] pushes them: depth first, left to right,
    /// each name once.
    pub fn pattern_captures(&self, id: PatternId) -> Vec<NameId> {
        fn walk(program: &Program, id: PatternId, out: &mut Vec<NameId>) {
            let mut add = |name: NameId| {
                if !out.contains(&name) {
                    out.push(name);
                }
            };
            match &program.patterns[id.0 as usize] {
                Pattern::Value(_) | Pattern::Singleton(_) | Pattern::Capture(None) => {}
                Pattern::Capture(Some(name)) => add(*name),
                Pattern::As(inner, name) => {
                    let name = *name;
                    walk(program, *inner, out);
                    if !out.contains(&name) {
                        out.push(name);
                    }
                }
                Pattern::Or(parts) => {
                    for part in parts {
                        walk(program, *part, out);
                    }
                }
                Pattern::Sequence(parts, star) => {
                    let at = star.map_or(usize::MAX, |(at, _)| at as usize);
                    for (i, part) in parts.iter().enumerate() {
                        if i == at
                            && let Some((_, Some(name))) = star
                            && !out.contains(name)
                        {
                            out.push(*name);
                        }
                        walk(program, *part, out);
                    }
                    if at >= parts.len()
                        && let Some((_, Some(name))) = star
                        && !out.contains(name)
                    {
                        out.push(*name);
                    }
                }
                Pattern::Mapping(items, rest) => {
                    for (_, part) in items {
                        walk(program, *part, out);
                    }
                    if let Some(name) = rest
                        && !out.contains(name)
                    {
                        out.push(*name);
                    }
                }
                Pattern::Class(_, positional, keyword) => {
                    for part in positional.iter().chain(keyword.iter().map(|(_, part)| part)) {
                        walk(program, *part, out);
                    }
                }
            }
        }
        let mut out = Vec::new();
        walk(self, id, &mut out);
        out
    }

    /// The text of a name.
    pub fn name(&self, id: NameId) -> &str {
        &self.names[id.0 as usize]
    }
}
