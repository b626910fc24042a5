//! What the instructions of a code take at the very least, before anything they call.

use crate::syntax::code::{Code, Loop, LoopKind, Op};
use crate::value::cost;

/// Least seconds of each instruction. What CPython works out when it compiles (`2 ** 10`, `(1, 2)[0]`) takes no time, and of a
/// condition that is a jump only what it compares counts: `not` and tests for None are part of the jump.
pub fn of(code: &Code) -> Vec<f64> {
    // Which of the topmost operands are constants. Where paths meet, nothing is known about what lies deeper.
    let mut constants: Vec<bool> = Vec::new();
    let mut met = false;
    let mut floors = Vec::with_capacity(code.ops.len());
    for op in &code.ops {
        let take = |n: usize, constants: &mut Vec<bool>| (0..n).fold(true, |all, _| constants.pop().unwrap_or(met) && all);
        let floor = match op {
            Op::Const(_) => {
                constants.push(true);
                0.0
            }
            Op::LoadLocal(_) | Op::LoadDeref(_) => {
                constants.push(false);
                0.0
            }
            Op::LoadGlobal(_) | Op::LoadName(_) => {
                constants.push(false);
                cost::GLOBAL.seconds
            }
            Op::Unary(_) => {
                let folded = take(1, &mut constants);
                constants.push(folded);
                0.0
            }
            Op::Binary(_) | Op::Inplace(_) | Op::Compare(_) | Op::LoadItem => {
                let folded = take(2, &mut constants);
                constants.push(folded);
                match op {
                    _ if folded => 0.0,
                    Op::LoadItem => cost::ITEM_LOAD.seconds,
                    Op::Compare(by) if by.is_identity() => 0.0,
                    Op::Compare(_) => cost::COMPARE.seconds,
                    _ => cost::BINARY.seconds,
                }
            }
            Op::BuildTuple(n) => {
                let folded = take(*n as usize, &mut constants);
                constants.push(folded);
                0.0
            }
            Op::LoadAttr(_) => {
                take(1, &mut constants);
                constants.push(false);
                cost::ATTRIBUTE_LOAD.seconds
            }
            other => {
                constants.clear();
                met = other.jump_target().is_some();
                match other {
                    Op::LoopBack(id) => match code.loops.get(*id as usize).map(|l| l.kind) {
                        Some(LoopKind::For) => cost::FOR_LIST.seconds,
                        _ => cost::WHILE.seconds,
                    },
                    Op::Call(..) | Op::CallMethod(..) | Op::CallEx(_) | Op::Yield => cost::CALL.seconds,
                    Op::StoreItem | Op::DeleteItem => cost::ITEM_STORE.seconds,
                    Op::StoreAttr(_) | Op::DeleteAttr(_) => cost::ATTRIBUTE_STORE.seconds,
                    _ => 0.0,
                }
            }
        };
        floors.push(floor);
    }
    floors
}

/// Least seconds of one iteration of a loop, whatever path it takes through the body, where nothing in it raises.
pub fn of_iteration(code: &Code, floors: &[f64], within: &Loop) -> f64 {
    let (head, back) = (within.head as usize, within.back as usize);
    let mut least = vec![f64::INFINITY; back - head + 1];
    least[0] = 0.0;
    for at in head..back {
        let spent = least[at - head] + floors[at];
        let mut reaches = |to: usize| {
            if let Some(slot) = (to <= back).then(|| &mut least[to - head]) {
                *slot = slot.min(spent);
            }
        };
        match code.ops[at] {
            Op::Jump(to) => reaches(to as usize),
            // An inner loop that goes round once more takes longer.
            Op::LoopBack(_) | Op::Return | Op::Raise(_) | Op::Reraise => {}
            Op::EndFinally | Op::PushToken(_) | Op::ReturnToken(_) | Op::RaiseToken | Op::WithExcept(_) => return 0.0,
            op => {
                if let Some(to) = op.jump_target() {
                    reaches(to as usize);
                }
                reaches(at + 1);
            }
        }
    }
    let last = least[back - head] + floors[back];
    if last.is_finite() { last } else { 0.0 }
}
