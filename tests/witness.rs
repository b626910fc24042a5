//! Two independent parsers side by side: the trees of `ruff_python_parser`, which the crate uses, against those of
//! `rustpython-parser`, over real files.
#![expect(clippy::print_stderr, reason = "a test that is skipped says so")]

use std::collections::BTreeMap;
use std::path::PathBuf;

use rustpython_parser::Parse;

/// Node kinds whose ranges both parsers define alike.
const KINDS: [&str; 17] = [
    "ExprName",
    "ExprAttribute",
    "ExprCall",
    "ExprBinOp",
    "ExprUnaryOp",
    "ExprBoolOp",
    "ExprCompare",
    "ExprSubscript",
    "ExprList",
    "ExprDict",
    "ExprSet",
    "ExprLambda",
    "ExprListComp",
    "ExprAwait",
    "StmtReturn",
    "StmtAssign",
    "StmtImportFrom",
];

/// How often each (kind, range) occurs in the debug text of a tree.
fn nodes(tree: &str) -> BTreeMap<(&'static str, String), u32> {
    let mut found = BTreeMap::new();
    for kind in KINDS {
        let mark = format!("{kind} {{");
        for (at, _) in tree.match_indices(&mark) {
            let rest = &tree[at + mark.len()..];
            let Some(start) = rest.find("range: ") else { continue };
            let range: String = rest[start + 7..].chars().take_while(|c| c.is_ascii_digit() || *c == '.').collect();
            *found.entry((kind, range)).or_default() += 1;
        }
    }
    found
}

/// Some files of the standard library, short enough for the slower parser.
fn files() -> Vec<PathBuf> {
    let script = "import os; print(os.path.dirname(os.__file__))";
    let Ok(output) = std::process::Command::new("python3").args(["-I", "-c", script]).output() else { return Vec::new() };
    let folder = String::from_utf8_lossy(&output.stdout).trim().to_owned();
    let mut files: Vec<PathBuf> = ["", "json", "asyncio", "email", "collections", "importlib", "concurrent/futures"]
        .iter()
        .filter_map(|part| std::fs::read_dir(PathBuf::from(&folder).join(part)).ok())
        .flatten()
        .filter_map(|entry| entry.ok().map(|entry| entry.path()))
        .filter(|path| path.extension().is_some_and(|e| e == "py") && path.metadata().is_ok_and(|m| m.len() < 20_000))
        .collect();
    files.sort();
    files
}

#[test]
fn both_parsers_see_the_same_nodes() {
    let files = files();
    let (mut compared, mut count) = (0, 0);
    for file in &files {
        let Ok(text) = std::fs::read_to_string(file) else { continue };
        // The witness does not know newer f-strings, nor where the expressions inside any of them are.
        let Ok(theirs) = rustpython_parser::ast::Suite::parse(&text, "t.py") else { continue };
        let theirs = format!("{theirs:?}");
        if theirs.contains("JoinedStr") {
            continue;
        }
        let ours = ruff_python_parser::parse_module(&text).unwrap_or_else(|error| panic!("{}: {error}", file.display()));
        let (ours, theirs) = (nodes(&format!("{:?}", ours.syntax().body)), nodes(&theirs));
        let different: Vec<_> =
            ours.iter().filter(|(k, n)| theirs.get(*k) != Some(n)).chain(theirs.iter().filter(|(k, n)| ours.get(*k) != Some(n))).collect();
        assert!(different.is_empty(), "{}: {:?}", file.display(), &different[..different.len().min(8)]);
        compared += 1;
        count += ours.values().sum::<u32>();
    }
    if files.is_empty() {
        eprintln!("skipped: no Python found");
    } else {
        assert!(compared > 20 && count > 10_000, "{compared} files with {count} nodes");
    }
}
