//! The lowering against the verifier, snapshots and CPython.

use std::path::{Path, PathBuf};

use antifreeze::source::Source;
use antifreeze::syntax;

/// Parses, lowers and verifies; gives the program.
fn lower(text: &str) -> syntax::Program {
    let source = Source::from_bytes("test.py", text.as_bytes()).expect("decodes");
    let (source, program) = syntax::parse(source);
    program.verify(source.text.len()).unwrap_or_else(|problem| panic!("{problem}\n{text}"));
    program
}

/// All Python files under a folder, sorted.
fn python_files(folder: &Path) -> Vec<PathBuf> {
    let mut files: Vec<PathBuf> = walkdir::WalkDir::new(folder)
        .into_iter()
        .filter_map(Result::ok)
        .map(walkdir::DirEntry::into_path)
        .filter(|path| path.extension().is_some_and(|e| e == "py"))
        .collect();
    files.sort();
    files
}
