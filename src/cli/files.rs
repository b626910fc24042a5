//! Finds files: what folders hold that is Python, and what of it is left out.

use std::collections::HashMap;
use std::fs::File;
use std::io::Read;
use std::path::{Path, PathBuf};
use std::sync::{Arc, Mutex, PoisonError};

use ignore::{WalkBuilder, WalkState};
use walkdir::WalkDir;

use super::interrupt::Interrupt;
use super::settings::{Configured, Resolver};
use crate::config::ConfigError;
use crate::rules::Profile;
use crate::stack;

/// The most bytes of a file's first line that are looked at for an interpreter.
const SHEBANG: u64 = 256;

/// What a walk found.
#[derive(Default)]
pub struct Found {
    /// The Python of a folder, in order of path, each with what is configured nearest above it.
    pub files: Vec<(PathBuf, Arc<Configured>)>,
    /// What could not be reached.
    pub errors: Vec<String>,
}

/// Looks for the Python of a folder.
///
/// # Errors
/// What is wrong with a configuration on the way.
pub fn walk(folder: &Path, resolver: &mut Resolver, profile: Profile, interrupt: &Interrupt) -> Result<Found, Vec<ConfigError>> {
    // Patterns are held against the path without links; reported is the path as it was named.
    let real = std::fs::canonicalize(folder).unwrap_or_else(|_| folder.to_owned());
    let respects = resolver.configured(Some(folder), profile)?.config.respect_gitignore;
    let walk = Walk {
        folder,
        real,
        profile,
        folders: Mutex::new(Folders { resolver, known: HashMap::new() }),
        result: Mutex::new(Ok(Found::default())),
    };
    if respects {
        walk.respecting(interrupt);
    } else {
        walk.plainly(interrupt);
    }
    let mut found = walk.result.into_inner().unwrap_or_else(PoisonError::into_inner)?;
    found.files.sort_by(|(left, _), (right, _)| left.cmp(right));
    found.errors.sort();
    Ok(found)
}

struct Walk<'a> {
    folder: &'a Path,
    real: PathBuf,
    profile: Profile,
    folders: Mutex<Folders<'a>>,
    result: Mutex<Result<Found, Vec<ConfigError>>>,
}

/// What is configured for the folders that were met.
struct Folders<'a> {
    resolver: &'a mut Resolver,
    known: HashMap<PathBuf, Arc<Configured>>,
}

impl Walk<'_> {
    /// The path without links.
    fn real(&self, path: &Path) -> PathBuf {
        self.real.join(path.strip_prefix(self.folder).unwrap_or(path))
    }

    /// What is configured for what is in a folder.
    fn configured(&self, folder: &Path) -> Result<Arc<Configured>, Vec<ConfigError>> {
        let mut folders = stack::lock(&self.folders);
        if let Some(known) = folders.known.get(folder) {
            return Ok(Arc::clone(known));
        }
        let configured = folders.resolver.configured(Some(&self.real(folder)), self.profile)?;
        folders.known.insert(folder.to_owned(), Arc::clone(&configured));
        Ok(configured)
    }

    /// What is configured for an entry; none if it is left out.
    fn wanted(&self, path: &Path, is_dir: bool) -> Option<Arc<Configured>> {
        // Hidden folders hold environments, caches and histories: nobody's own code.
        if is_dir && path.file_name()?.as_encoded_bytes().starts_with(b".") {
            return None;
        }
        match self.configured(path.parent()?) {
            Ok(configured) => (!configured.excludes(&self.real(path), is_dir)).then_some(configured),
            Err(errors) => {
                *stack::lock(&self.result) = Err(errors);
                None
            }
        }
    }

    /// Takes an entry, and says whether to look into it.
    fn take(&self, path: &Path, is_dir: bool) -> bool {
        let Some(configured) = self.wanted(path, is_dir) else { return false };
        // A link to a file is followed, one to a folder is not: it may lead back.
        if !is_dir
            && is_python(path)
            && let Ok(found) = &mut *stack::lock(&self.result)
        {
            found.files.push((path.to_owned(), configured));
        }
        true
    }

    fn fail(&self, error: String) {
        if let Ok(found) = &mut *stack::lock(&self.result) {
            found.errors.push(error);
        }
    }

    /// Whether there is nothing more to look for.
    fn is_over(&self, interrupt: &Interrupt) -> bool {
        interrupt.came() || stack::lock(&self.result).is_err()
    }

    /// Leaves out what git ignores, on several threads.
    fn respecting(&self, interrupt: &Interrupt) {
        let walker = WalkBuilder::new(self.folder)
            .hidden(false)
            .follow_links(false)
            .require_git(true)
            .threads(stack::processors().min(8))
            .build_parallel();
        walker.run(|| {
            Box::new(|entry| {
                if self.is_over(interrupt) {
                    return WalkState::Quit;
                }
                match entry {
                    Ok(entry) if entry.depth() == 0 => WalkState::Continue,
                    Ok(entry) if self.take(entry.path(), entry.file_type().is_some_and(|kind| kind.is_dir())) => WalkState::Continue,
                    Ok(_) => WalkState::Skip,
                    Err(error) => {
                        self.fail(format!("cannot walk {}: {error}", self.folder.display()));
                        WalkState::Continue
                    }
                }
            })
        });
    }

    /// Looks at everything.
    fn plainly(&self, interrupt: &Interrupt) {
        let mut walker = WalkDir::new(self.folder).min_depth(1).into_iter();
        while let Some(entry) = walker.next().filter(|_| !self.is_over(interrupt)) {
            match entry {
                Ok(entry) => {
                    let is_dir = entry.file_type().is_dir();
                    if !self.take(entry.path(), is_dir) && is_dir {
                        walker.skip_current_dir();
                    }
                }
                Err(error) => self.fail(format!("cannot walk {}: {error}", error.path().unwrap_or(self.folder).display())),
            }
        }
    }
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
