//! The import policy, as far as it can be seen before a step runs.

use crate::syntax::Program;
use crate::syntax::code::Op;

/// An import of a step's own.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Import {
    /// The dotted name.
    pub module: String,
    /// What is taken of it, for `from module import …`.
    pub names: Vec<String>,
    /// Where it stands.
    pub at: u32,
}

/// Why an import is refused.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Refusal {
    /// For people, as the session itself says it at run time.
    pub message: String,
    /// Where it stands.
    pub at: u32,
}

/// All absolute imports of a program, functions included, in order of position.
pub fn of(program: &Program) -> Vec<Import> {
    let mut found = Vec::new();
    for code in &program.codes {
        for (at, op) in code.ops.iter().enumerate() {
            let Op::Import(name, 0, _) = op else { continue };
            let names = code.ops[at + 1..].iter().take_while(|op| !matches!(op, Op::Import(..))).filter_map(|op| match op {
                Op::ImportFrom(name) => Some(program.name(*name).to_owned()),
                _ => None,
            });
            found.push(Import { module: program.name(*name).to_owned(), names: names.collect(), at: code.spans[at].start });
        }
    }
    found.sort_by_key(|import| import.at);
    found
}

/// The first import that an allow-list does not name.
pub fn refused(imports: &[Import], allowed: Option<&[String]>) -> Option<Refusal> {
    let allowed = allowed?;
    let permitted =
        |name: &str| allowed.iter().any(|one| name.strip_prefix(one.as_str()).is_some_and(|rest| rest.is_empty() || rest.starts_with('.')));
    let refused = imports.iter().find(|import| {
        let parts = import.names.iter().map(|name| format!("{}.{name}", import.module)).collect::<Vec<_>>();
        !permitted(&import.module) && (parts.is_empty() || !parts.iter().all(|part| permitted(part)))
    })?;
    let all = if allowed.is_empty() { "no modules".to_owned() } else { allowed.join(", ") };
    let message = format!("importing `{}` is not allowed in this session; allowed are: {all}", refused.module);
    Some(Refusal { message, at: refused.at })
}

#[cfg(test)]
mod tests {
    use super::*;

    fn import(module: &str, names: &[&str]) -> Import {
        Import { module: module.into(), names: names.iter().map(ToString::to_string).collect(), at: 0 }
    }

    #[test]
    fn submodules_of_what_is_allowed_are_allowed() {
        let allowed = ["math".to_owned(), "os.path".to_owned()];
        let is_refused = |import: Import| refused(&[import], Some(&allowed)).is_some();
        assert!(!is_refused(import("math", &[])));
        assert!(!is_refused(import("os.path", &["join"])));
        assert!(!is_refused(import("os", &["path"])));
        assert!(is_refused(import("os", &["path", "system"])));
        assert!(is_refused(import("os", &[])));
        assert!(is_refused(import("mathematics", &[])));
        assert!(refused(&[import("os", &[])], None).is_none());
    }
}
