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

/// Folders with real Python code: the standard libraries of the interpreters that are installed here.
fn standard_libraries() -> Vec<PathBuf> {
    let interpreters = ["python3", "python3.8", "python3.9", "python3.10", "python3.11", "python3.12", "python3.13", "python3.14"];
    let mut folders = Vec::new();
    for interpreter in interpreters {
        let script = "import os; print(os.path.dirname(os.__file__))";
        let Ok(output) = std::process::Command::new(interpreter).args(["-I", "-c", script]).output() else { continue };
        let folder = PathBuf::from(String::from_utf8_lossy(&output.stdout).trim());
        if output.status.success() && folder.is_dir() && !folders.contains(&folder) {
            folders.push(folder);
        }
    }
    // More of them, where a test run names them (separated as in PATH).
    if let Some(more) = std::env::var_os("ANTIFREEZE_TEST_PYTHON_FILES") {
        folders.extend(std::env::split_paths(&more));
    }
    folders
}

#[test]
fn the_standard_library_keeps_the_flat_codes_promises() {
    let folders = standard_libraries();
    let mut checked = 0;
    let mut failures = Vec::new();
    for file in folders.iter().flat_map(|folder| python_files(folder)) {
        let Ok(source) = Source::from_path(&file) else { continue };
        let (source, program) = syntax::parse(source);
        checked += 1;
        if let Err(problem) = program.verify(source.text.len()) {
            failures.push(format!("{}: {problem}", file.display()));
        }
    }
    assert!(failures.is_empty(), "{} of {checked}:\n{}", failures.len(), failures[..failures.len().min(20)].join("\n"));
    if folders.is_empty() {
        eprintln!("skipped: no Python found");
    } else {
        assert!(checked > 100, "only {checked} files in {folders:?}");
    }
}
