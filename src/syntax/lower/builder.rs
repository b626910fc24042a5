//! The code object under construction: instructions, labels, stack depth, protected regions.

use super::super::code::{Capture, Code, CodeId, CodeKind, Handler, Loop, NameId, Op, Params, Pc, Span};

/// A position not known yet. While a code object is under construction its jumps hold labels instead of positions.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(super) struct Label(pub u32);

/// A part of the code that goes on at `target` when an exception is raised.
#[derive(Debug, Clone, Copy)]
pub(super) struct Region {
    pub target: Label,
    pub depth: u32,
    pub level: u32,
    /// Where the currently open stretch began. Regions have gaps: code that leaves them (a `return` running the exits of
    /// outer `with` statements) is not protected by them.
    pub open_at: Option<Pc>,
}

/// Why a block is left early.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(super) enum Exit {
    Return,
    /// Index of the loop's block.
    Break(usize),
    /// Index of the loop's block.
    Continue(usize),
}

/// What encloses the statement being lowered.
#[derive(Debug, Clone)]
pub(super) enum BlockKind {
    Loop {
        has_iterator: bool,
        back: Label,
        end: Label,
    },
    /// The body of a `try` with `except` clauses.
    TryBody,
    /// From an exception's arrival at `except` clauses to their end; `residue` values of `except*` lie on the stack.
    Dispatch {
        residue: u32,
    },
    /// An `except … as name` body.
    NamedHandler(NameId),
    With {
        is_async: bool,
    },
    /// The part of a `try` that a `finally` protects, and the exits that must run it.
    Finally {
        body: Label,
        exits: Vec<(Exit, Label)>,
    },
    /// A `finally` body, its token on the stack.
    FinallyBody,
}

#[derive(Debug, Clone)]
pub(super) struct Block {
    pub kind: BlockKind,
    pub region: Option<Region>,
}

/// A code object under construction.
#[derive(Debug)]
pub(super) struct Builder {
    pub id: CodeId,
    pub parent: Option<CodeId>,
    pub scope: usize,
    /// `async def`.
    pub is_async: bool,
    pub ops: Vec<Op>,
    pub spans: Vec<Span>,
    pub loops: Vec<Loop>,
    pub statements: Vec<(Pc, Span)>,
    pub blocks: Vec<Block>,
    pub depth: u32,
    max_depth: u32,
    labels: Vec<Pc>,
    handlers: Vec<(u32, Handler)>,
}

impl Builder {
    pub fn new(id: CodeId, parent: Option<CodeId>, scope: usize) -> Builder {
        Builder {
            id,
            parent,
            scope,
            is_async: false,
            ops: Vec::new(),
            spans: Vec::new(),
            loops: Vec::new(),
            statements: Vec::new(),
            blocks: Vec::new(),
            depth: 0,
            max_depth: 0,
            labels: Vec::new(),
            handlers: Vec::new(),
        }
    }

    pub fn pc(&self) -> Pc {
        self.ops.len() as Pc
    }

    pub fn push(&mut self, op: Op, span: Span, (takes, leaves): (u32, u32)) {
        self.ops.push(op);
        self.spans.push(span);
        self.depth = self.depth.saturating_sub(takes) + leaves;
        self.max_depth = self.max_depth.max(self.depth);
    }

    pub fn label(&mut self) -> Label {
        self.labels.push(Pc::MAX);
        Label(self.labels.len() as u32 - 1)
    }

    pub fn place(&mut self, label: Label) {
        self.labels[label.0 as usize] = self.pc();
    }

    pub fn set_depth(&mut self, depth: u32) {
        self.depth = depth;
        self.max_depth = self.max_depth.max(depth);
    }

    /// Opens a block; `target` is where its exceptions go, which keep `depth` values.
    pub fn open(&mut self, kind: BlockKind, target: Option<(Label, u32)>) {
        let level = self.blocks.len() as u32;
        let open_at = Some(self.pc());
        let region = target.map(|(target, depth)| Region { target, depth, level, open_at });
        self.blocks.push(Block { kind, region });
    }

    /// Ends a block and its region.
    pub fn close(&mut self) -> Option<BlockKind> {
        self.pause(self.blocks.len().wrapping_sub(1));
        self.blocks.pop().map(|block| block.kind)
    }

    /// Ends the open stretch of a block's region.
    pub fn pause(&mut self, block: usize) {
        let pc = self.pc();
        if let Some(region) = self.blocks.get_mut(block).and_then(|block| block.region.as_mut())
            && let Some(start) = region.open_at.take()
            && start < pc
        {
            self.handlers.push((region.level, Handler { start, end: pc, target: region.target.0, depth: region.depth }));
        }
    }

    /// Goes on protecting where [`Builder::pause`] stopped.
    pub fn resume(&mut self, block: usize) {
        let pc = self.pc();
        if let Some(region) = self.blocks.get_mut(block).and_then(|block| block.region.as_mut()) {
            region.open_at = Some(pc);
        }
    }

    /// The finished code object: labels become positions, handlers are sorted innermost first.
    pub fn finish(mut self, frame: Frame) -> Code {
        for op in &mut self.ops {
            if let Some(target) = op.target_mut() {
                *target = self.labels[*target as usize];
            }
        }
        self.handlers.sort_by_key(|(level, handler)| (std::cmp::Reverse(*level), handler.start));
        let labels = &self.labels;
        let handlers = self.handlers.iter().map(|(_, h)| Handler { target: labels[h.target as usize], ..*h }).collect();
        Code {
            name: frame.name,
            kind: frame.kind,
            is_async: frame.is_async,
            is_generator: frame.is_generator,
            params: frame.params,
            slots: frame.slots,
            cells: frame.cells,
            frees: frame.frees,
            ops: self.ops,
            spans: self.spans,
            handlers,
            loops: self.loops,
            statements: self.statements,
            span: frame.span,
            max_stack: self.max_depth,
            parent: self.parent,
        }
    }
}

/// What a code object is, apart from its instructions.
#[derive(Debug)]
pub(super) struct Frame {
    pub name: NameId,
    pub kind: CodeKind,
    pub is_async: bool,
    pub is_generator: bool,
    pub params: Params,
    pub slots: Vec<NameId>,
    pub cells: Vec<(NameId, Option<u16>)>,
    pub frees: Vec<(NameId, Capture)>,
    pub span: Span,
}
