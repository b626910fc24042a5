//! The function forms of `**`, `<<` and `*`, and the combinatorial functions of `math`: calls of those names are checked at run
//! time. The name only says where it is worth looking; the check itself looks at the function that is really called.

use super::Guard;
use crate::syntax::Program;
use crate::syntax::code::{Code, Op};

/// Names, and with how many arguments a call of them computes an integer that may be large.
const NAMES: [(&str, &[u16]); 17] = [
    ("pow", &[2]),
    ("ipow", &[2]),
    ("lshift", &[2]),
    ("ilshift", &[2]),
    ("mul", &[2]),
    ("imul", &[2]),
    ("__pow__", &[1, 2]),
    ("__rpow__", &[1, 2]),
    ("__lshift__", &[1, 2]),
    ("__rlshift__", &[1, 2]),
    ("__mul__", &[1, 2]),
    ("__rmul__", &[1, 2]),
    ("factorial", &[1]),
    ("comb", &[2]),
    ("perm", &[1, 2]),
    ("prod", &[1]),
    ("reduce", &[2, 3]),
];

/// The calls in a piece of code that are worth a check.
pub(super) fn calls(text: &str, program: &Program, code: &Code) -> Vec<Guard> {
    let mut methods: Vec<(u32, &str)> = Vec::new();
    let mut found = Vec::new();
    for (op, span) in code.ops.iter().zip(&code.spans) {
        let guarded = match op {
            Op::LoadMethod(name) => {
                methods.push((span.start, &program.names[name.0 as usize]));
                false
            }
            // A method call starts where its object does: the last method looked up from there is the one called.
            Op::CallMethod(count, None) => {
                let at = methods.iter().rposition(|(start, _)| *start == span.start);
                at.map(|at| methods.swap_remove(at)).is_some_and(|(_, name)| large(name, *count))
            }
            Op::Call(count, None) => text.get(span.start as usize..).is_some_and(|text| {
                let end = text.find(|c: char| !(c.is_alphanumeric() || c == '_')).unwrap_or(text.len());
                text[end..].trim_start().starts_with('(') && large(&text[..end], *count)
            }),
            _ => false,
        };
        if guarded {
            found.push(Guard { span: *span, op: "call" });
        }
    }
    found
}

fn large(name: &str, count: u16) -> bool {
    NAMES.iter().any(|(known, counts)| *known == name && counts.contains(&count))
}
