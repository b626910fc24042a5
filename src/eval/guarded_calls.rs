//! The function forms of `**`, `<<` and `*`, the combinatorial functions of `math` and `time.sleep`: calls that may be of those
//! are checked at run time. Names only say where it is worth looking; the check itself looks at the function that is really
//! called, so that a name too many costs a microsecond, and nothing else.

use std::collections::{HashMap, HashSet};

use super::Guard;
use crate::syntax::Program;
use crate::syntax::code::{Code, NameId, Op};

/// Names, and with how many arguments at least and at most a call of them computes an integer that may be large, or waits.
const NAMES: [(&str, u16, u16); 18] = [
    ("pow", 2, 2),
    ("ipow", 2, 2),
    ("lshift", 2, 2),
    ("ilshift", 2, 2),
    ("mul", 2, 2),
    ("imul", 2, 2),
    ("__pow__", 1, 2),
    ("__rpow__", 1, 2),
    ("__lshift__", 1, 2),
    ("__rlshift__", 1, 2),
    ("__mul__", 1, 2),
    ("__rmul__", 1, 2),
    ("factorial", 1, 1),
    ("comb", 2, 2),
    ("perm", 1, 2),
    ("prod", 1, 2),
    ("lcm", 1, u16::MAX),
    ("sleep", 1, 1),
];

/// Functions that call a function they are given.
const CALLERS: [&str; 8] = ["map", "reduce", "accumulate", "starmap", "partial", "submit", "to_thread", "run_in_executor"];

/// Ways to a function that do not name it.
const LOOKUPS: [&str; 5] = ["getattr", "attrgetter", "methodcaller", "vars", "__dict__"];

/// What a program calls the functions above, and whether it hands them about.
pub(super) struct Watched<'a> {
    text: &'a str,
    program: &'a Program,
    /// The number of each name.
    numbers: HashMap<&'a str, NameId>,
    /// Variables that one of them is assigned to, by an import too; and `pow`, which is there from the start.
    aliases: HashSet<NameId>,
    /// One of them is used other than by calling it: then a call through a variable, an attribute or a table may be of it.
    escapes: bool,
    /// Names that are assigned something else than an import, a function or a class.
    variables: HashSet<NameId>,
    /// Attributes that are assigned.
    attributes: HashSet<NameId>,
}

impl<'a> Watched<'a> {
    pub(super) fn of(text: &'a str, program: &'a Program) -> Self {
        let numbers: HashMap<&str, NameId> = program.names.iter().zip(0..).map(|(name, id)| (&**name, NameId(id))).collect();
        let mut watched = Watched {
            text,
            program,
            aliases: numbers.get("pow").copied().into_iter().collect(),
            numbers,
            escapes: false,
            variables: HashSet::new(),
            attributes: HashSet::new(),
        };
        // An alias of an alias is found in a later round.
        for _ in 0..4 {
            let before = watched.aliases.len();
            let pairs = program.codes.iter().flat_map(|code| code.ops.windows(2).map(move |pair| (code, pair)));
            let found = pairs.filter_map(|(code, pair)| watched.is_one(code, &pair[0]).then(|| stored(code, &pair[1]))?);
            let found = found.collect::<Vec<_>>();
            watched.aliases.extend(found);
            if watched.aliases.len() == before {
                break;
            }
        }
        watched.look_around();
        watched
    }

    /// Whether an instruction gives one of the functions, by its name.
    fn is_one(&self, code: &Code, op: &Op) -> bool {
        match op {
            Op::ImportFrom(name) | Op::LoadAttr(name) => arguments(self.name(*name)).is_some(),
            op => loaded(code, op).is_some_and(|name| self.aliases.contains(&name)),
        }
    }

    fn look_around(&mut self) {
        let program = self.program;
        let made = program.codes.iter().map(|code| code.name).collect::<HashSet<_>>();
        for code in &program.codes {
            self.variables.extend(code.slots.iter().filter(|name| !made.contains(name)));
            for (i, op) in code.ops.iter().enumerate() {
                if let Op::StoreAttr(name) = op {
                    self.attributes.insert(*name);
                }
                let last = i.checked_sub(1).map(|i| &code.ops[i]);
                if let Some(name) = stored(code, op)
                    && !made.contains(&name)
                    && !matches!(last, Some(Op::Import(..) | Op::ImportFrom(_)))
                {
                    self.variables.insert(name);
                }
                let kept = code.ops.get(i + 1).is_some_and(|next| stored(code, next).is_some());
                let called = self.text.get(code.spans[i].end as usize..).is_some_and(|rest| rest.trim_start().starts_with('('));
                let reached = match op {
                    Op::LoadAttr(name) | Op::LoadMethod(name) => LOOKUPS.contains(&self.name(*name)),
                    op => loaded(code, op).is_some_and(|name| LOOKUPS.contains(&self.name(name))),
                };
                if reached || !kept && !called && !matches!(op, Op::ImportFrom(_)) && self.is_one(code, op) {
                    self.escapes = true;
                }
            }
        }
    }

    fn name(&self, name: NameId) -> &'a str {
        &self.program.names[name.0 as usize]
    }

    /// The calls in a piece of code that are worth a check.
    pub(super) fn calls(&self, code: &Code) -> Vec<Guard> {
        let mut methods: Vec<(u32, NameId)> = Vec::new();
        let mut found = Vec::new();
        for (op, span) in code.ops.iter().zip(&code.spans) {
            let guarded = match op {
                Op::LoadMethod(name) => {
                    methods.push((span.start, *name));
                    false
                }
                // A method call starts where its object does: the last method looked up from there is the one called.
                Op::CallMethod(count, keywords) => {
                    let at = methods.iter().rposition(|(start, _)| *start == span.start);
                    at.map(|at| methods.swap_remove(at)).is_some_and(|(_, name)| {
                        self.large(self.name(name), *count, keywords.is_some()) || self.escapes && self.attributes.contains(&name)
                    })
                }
                Op::Call(count, keywords) => self.text.get(span.start as usize..span.end as usize).is_some_and(|text| {
                    let end = text.find(|c: char| !(c.is_alphanumeric() || c == '_')).unwrap_or(text.len());
                    if text[end..].trim_start().starts_with('(') && end > 0 {
                        let id = self.numbers.get(&text[..end]);
                        self.large(&text[..end], *count, keywords.is_some())
                            // What is looked up may be called at once.
                            || self.escapes && LOOKUPS.contains(&&text[..end])
                            || id.is_some_and(|id| {
                                self.aliases.contains(id) && arguments(&text[..end]).is_none()
                                    || self.escapes && self.variables.contains(id)
                            })
                    } else {
                        self.escapes && text.ends_with(')') && *count > 0
                    }
                }),
                _ => false,
            };
            if guarded {
                found.push(Guard { span: *span, op: "call" });
            }
        }
        found
    }

    fn large(&self, name: &str, count: u16, keywords: bool) -> bool {
        let known = arguments(name).is_some_and(|(least, most)| (least..=most).contains(&count));
        known && (!keywords || matches!(name, "pow" | "prod")) || self.escapes && CALLERS.contains(&name)
    }
}

fn arguments(name: &str) -> Option<(u16, u16)> {
    NAMES.iter().find(|(known, ..)| *known == name).map(|(_, least, most)| (*least, *most))
}

/// The variable an instruction reads.
fn loaded(code: &Code, op: &Op) -> Option<NameId> {
    match op {
        Op::LoadGlobal(name) | Op::LoadName(name) | Op::LoadNameOrDeref(name, _) => Some(*name),
        Op::LoadLocal(slot) => code.slots.get(*slot as usize).copied(),
        Op::LoadDeref(index) => captured(code, *index),
        _ => None,
    }
}

/// The variable an instruction assigns.
fn stored(code: &Code, op: &Op) -> Option<NameId> {
    match op {
        Op::StoreGlobal(name) | Op::StoreName(name) => Some(*name),
        Op::StoreLocal(slot) => code.slots.get(*slot as usize).copied(),
        Op::StoreDeref(index) => captured(code, *index),
        _ => None,
    }
}

fn captured(code: &Code, index: u16) -> Option<NameId> {
    let index = index as usize;
    code.cells.get(index).map(|(name, _)| *name).or_else(|| code.frees.get(index - code.cells.len()).map(|(name, _)| *name))
}
