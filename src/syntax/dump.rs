//! A readable disassembly, for tests and people.

use std::fmt::Write;

use super::code::{Code, Const, NameId, NamesId, Op, Pattern, PatternId, Program};

impl Program {
    /// All code objects, one instruction a line.
    pub fn dump(&self) -> String {
        let mut out = String::new();
        for issue in self.not_analysed.iter().chain(&self.errors) {
            let _ = writeln!(out, "error {}..{}: {}", issue.span.start, issue.span.end, issue.message);
        }
        for (number, code) in self.codes.iter().enumerate() {
            self.dump_code(number, code, &mut out);
        }
        out
    }

    fn dump_code(&self, number: usize, code: &Code, out: &mut String) {
        let names = |names: &mut dyn Iterator<Item = NameId>| names.map(|n| self.name(n).to_owned()).collect::<Vec<_>>().join(" ");
        let _ = write!(out, "code {number} {:?} {}", code.kind, self.name(code.name));
        for (flag, text) in [(code.is_async, " async"), (code.is_generator, " generator")] {
            out.push_str(if flag { text } else { "" });
        }
        out.push('\n');
        if !code.slots.is_empty() {
            let p = &code.params;
            let _ = write!(out, "  slots: {}", names(&mut code.slots.iter().copied()));
            let _ = write!(out, " (params {}/{}/{}", p.positional_only, p.positional, p.keyword_only);
            let _ = writeln!(out, ", defaults {} {:?}, *{:?} **{:?})", p.defaults, p.keyword_defaults, p.var_positional, p.var_keyword);
        }
        if !code.cells.is_empty() {
            let _ = writeln!(out, "  cells: {}", names(&mut code.cells.iter().map(|(n, _)| *n)));
        }
        if !code.frees.is_empty() {
            let frees: Vec<String> = code.frees.iter().map(|(n, from)| format!("{} from {from:?}", self.name(*n))).collect();
            let _ = writeln!(out, "  frees: {}", frees.join(", "));
        }
        for (pc, op) in code.ops.iter().enumerate() {
            let _ = writeln!(out, "  {pc:3} {}", self.dump_op(code, *op));
        }
        for h in &code.handlers {
            let _ = writeln!(out, "  handler {}..{} -> {} keeps {}", h.start, h.end, h.target, h.depth);
        }
    }

    fn dump_op(&self, code: &Code, op: Op) -> String {
        let name = |n: NameId| self.name(n);
        let list = |names: Option<NamesId>| {
            let names = names.map_or(&[][..], |names| &self.name_lists[names.0 as usize][..]);
            names.iter().fold(String::new(), |text, n| text + " " + self.name(*n) + "=")
        };
        let slot = |i: u16| code.slots.get(usize::from(i)).map_or("?", |n| self.name(*n));
        let deref = |i: u16| {
            let i = usize::from(i);
            let name =
                if i < code.cells.len() { code.cells.get(i).map(|c| c.0) } else { code.frees.get(i - code.cells.len()).map(|f| f.0) };
            name.map_or("?", |n| self.name(n))
        };
        match op {
            Op::Const(id) => format!("Const {}", dump_const(&self.consts[id.0 as usize])),
            Op::LoadLocal(i) => format!("LoadLocal {}", slot(i)),
            Op::StoreLocal(i) => format!("StoreLocal {}", slot(i)),
            Op::DeleteLocal(i) => format!("DeleteLocal {}", slot(i)),
            Op::LoadDeref(i) => format!("LoadDeref {}", deref(i)),
            Op::StoreDeref(i) => format!("StoreDeref {}", deref(i)),
            Op::DeleteDeref(i) => format!("DeleteDeref {}", deref(i)),
            Op::LoadGlobal(n) => format!("LoadGlobal {}", name(n)),
            Op::StoreGlobal(n) => format!("StoreGlobal {}", name(n)),
            Op::DeleteGlobal(n) => format!("DeleteGlobal {}", name(n)),
            Op::LoadName(n) => format!("LoadName {}", name(n)),
            Op::LoadNameOrDeref(n, i) => format!("LoadNameOrDeref {} {}", name(n), deref(i)),
            Op::StoreName(n) => format!("StoreName {}", name(n)),
            Op::Annotate(n) => format!("Annotate {}", name(n)),
            Op::DeleteName(n) => format!("DeleteName {}", name(n)),
            Op::LoadAttr(n) => format!("LoadAttr {}", name(n)),
            Op::StoreAttr(n) => format!("StoreAttr {}", name(n)),
            Op::DeleteAttr(n) => format!("DeleteAttr {}", name(n)),
            Op::LoadMethod(n) => format!("LoadMethod {}", name(n)),
            Op::Import(n, level, root) => format!("Import {} level {level}{}", name(n), if root { " root" } else { "" }),
            Op::ImportFrom(n) => format!("ImportFrom {}", name(n)),
            Op::Call(n, names) => format!("Call {n}{}", list(names)),
            Op::CallMethod(n, names) => format!("CallMethod {n}{}", list(names)),
            Op::MakeFunction(id) => format!("MakeFunction {}", id.0),
            Op::MakeClass(id, n, names) => format!("MakeClass {} {n}{}", id.0, list(names)),
            Op::MakeClassEx(id) => format!("MakeClassEx {}", id.0),
            Op::MatchPattern(id) => format!("MatchPattern {}", self.dump_pattern(id)),
            other => format!("{other:?}").replace('(', " ").replace(", ", " ").replace(')', ""),
        }
    }

    fn dump_pattern(&self, id: PatternId) -> String {
        let all = |ids: &[PatternId]| ids.iter().map(|p| self.dump_pattern(*p)).collect::<Vec<_>>();
        let name = |n: &Option<NameId>| n.map_or("_", |n| self.name(n)).to_owned();
        match &self.patterns[id.0 as usize] {
            Pattern::Value(operand) => format!("v{operand}"),
            Pattern::Singleton(value) => dump_const(value),
            Pattern::Capture(n) => name(n),
            Pattern::As(inner, n) => format!("({} as {})", self.dump_pattern(*inner), self.name(*n)),
            Pattern::Or(parts) => format!("({})", all(parts).join(" | ")),
            Pattern::Sequence(parts, star) => {
                let mut parts = all(parts);
                if let Some((at, n)) = star {
                    parts.insert(usize::from(*at), format!("*{}", name(n)));
                }
                format!("[{}]", parts.join(", "))
            }
            Pattern::Mapping(items, rest) => {
                let mut parts: Vec<String> = items.iter().map(|(k, p)| format!("v{k}: {}", self.dump_pattern(*p))).collect();
                if let Some(rest) = rest {
                    parts.push(format!("**{}", self.name(*rest)));
                }
                format!("{{{}}}", parts.join(", "))
            }
            Pattern::Class(class, positional, keyword) => {
                let mut parts = all(positional);
                parts.extend(keyword.iter().map(|(n, p)| format!("{}={}", self.name(*n), self.dump_pattern(*p))));
                format!("v{class}({})", parts.join(", "))
            }
        }
    }
}

fn dump_const(value: &Const) -> String {
    match value {
        Const::Int(n) => n.to_string(),
        Const::Str(text) => format!("{:?}", text.chars().take(60).collect::<String>()),
        Const::Bytes(bytes) => format!("b{:?}", String::from_utf8_lossy(&bytes[..bytes.len().min(60)])),
        Const::Float(value) => format!("{value:?}"),
        Const::Complex(value) => format!("{value:?}j"),
        Const::Bool(value) => format!("{value}"),
        other => format!("{other:?}"),
    }
}
