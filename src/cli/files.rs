//! Finds files: what folders hold that is Python, and what of it is left out.

use std::fs::File;
use std::io::Read;
use std::path::{Path, PathBuf};
use std::sync::{Arc, Mutex, PoisonError};

use ignore::{WalkBuilder, WalkState};
use walkdir::WalkDir;

use super::interrupt::Interrupt;
use super::settings::Configured;
use crate::stack;

/// The most bytes of a file's first line that are looked at for an interpreter.
const SHEBANG: u64 = 256;

/// The Python of a folder, in order of path, and what could not be reached.
pub fn walk(folder: &Path, configured: &Arc<Configured>, interrupt: &Interrupt) -> (Vec<PathBuf>, Vec<String>) {
    // Patterns are held against the path without links; reported is the path as it was named.
    let real = std::fs::canonicalize(folder).unwrap_or_else(|_| folder.to_owned());
    let (mut found, mut errors) = if configured.config.respect_gitignore {
        walk_respecting(folder, &real, configured, interrupt)
    } else {
        walk_plainly(folder, &real, configured, interrupt)
    };
    found.sort();
    errors.sort();
    (found, errors)
}

/// Whether to look at an entry, or into it.
fn wanted(path: &Path, is_dir: bool, folder: &Path, real: &Path, configured: &Configured) -> bool {
    let Some(name) = path.file_name() else { return true };
    // Hidden folders hold environments, caches and histories: nobody's own code.
    if is_dir && name.as_encoded_bytes().starts_with(b".") {
        return false;
    }
    let relative = path.strip_prefix(folder).unwrap_or(path);
    !configured.excludes(&real.join(relative), is_dir)
}

/// Leaves out what git ignores, on several threads.
fn walk_respecting(folder: &Path, real: &Path, configured: &Arc<Configured>, interrupt: &Interrupt) -> (Vec<PathBuf>, Vec<String>) {
    let results = Mutex::new((Vec::new(), Vec::new()));
    let (filter_folder, filter_real, filter) = (folder.to_owned(), real.to_owned(), Arc::clone(configured));
    let walker = WalkBuilder::new(folder)
        .hidden(false)
        .follow_links(false)
        .require_git(true)
        .threads(stack::processors().min(8))
        .filter_entry(move |entry| {
            let is_dir = entry.file_type().is_some_and(|kind| kind.is_dir());
            entry.depth() == 0 || wanted(entry.path(), is_dir, &filter_folder, &filter_real, &filter)
        })
        .build_parallel();
    walker.run(|| {
        Box::new(|entry| {
            if interrupt.came() {
                return WalkState::Quit;
            }
            let keep = match entry {
                // A link to a file is followed, one to a folder is not: it may lead back.
                Ok(entry) => (entry.depth() > 0 && is_python(entry.path())).then(|| Ok(entry.into_path())),
                Err(error) => Some(Err(format!("cannot walk {}: {error}", folder.display()))),
            };
            let mut results = stack::lock(&results);
            match keep {
                Some(Ok(path)) => results.0.push(path),
                Some(Err(error)) => results.1.push(error),
                None => {}
            }
            WalkState::Continue
        })
    });
    results.into_inner().unwrap_or_else(PoisonError::into_inner)
}

/// Looks at everything.
fn walk_plainly(folder: &Path, real: &Path, configured: &Configured, interrupt: &Interrupt) -> (Vec<PathBuf>, Vec<String>) {
    let (mut found, mut errors) = (Vec::new(), Vec::new());
    let walker = WalkDir::new(folder)
        .into_iter()
        .filter_entry(|entry| entry.depth() == 0 || wanted(entry.path(), entry.file_type().is_dir(), folder, real, configured));
    for entry in walker {
        if interrupt.came() {
            break;
        }
        match entry {
            Ok(entry) if entry.depth() > 0 && is_python(entry.path()) => found.push(entry.into_path()),
            Ok(_) => {}
            Err(error) => errors.push(format!("cannot walk {}: {error}", error.path().unwrap_or(folder).display())),
        }
    }
    (found, errors)
}

/// Whether a file is Python by its name, or by the interpreter its first line names. Only regular files are: opening another kind
/// may wait for ever.
fn is_python(path: &Path) -> bool {
    match path.extension() {
        Some(ending) => (ending == "py" || ending == "pyw" || ending == "ipynb") && path.is_file(),
        None => path.is_file() && has_python_shebang(path),
    }
}

fn has_python_shebang(path: &Path) -> bool {
    let mut start = Vec::new();
    let read = File::open(path).and_then(|file| file.take(SHEBANG).read_to_end(&mut start));
    let line = start.split(|byte| *byte == b'\n').next().unwrap_or_default();
    read.is_ok() && line.starts_with(b"#!") && line.windows(6).any(|word| word == b"python")
}

/// Whether a name is that of a notebook.
pub fn is_notebook(path: &Path) -> bool {
    path.extension().is_some_and(|ending| ending.eq_ignore_ascii_case("ipynb"))
}
