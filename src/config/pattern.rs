//! Patterns in the form of `.gitignore`.
//!
//! One with a slash that is not its last character fits paths below the folder it is written for; one without fits names, wherever they
//! are. All are held against whole paths, so that patterns written for different folders count together, in their order.

use std::fmt;
use std::path::{Component, Path, PathBuf};

use ignore::Match;
use ignore::gitignore::{Gitignore, GitignoreBuilder};

/// A pattern, and the folder it is written for.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Pattern {
    text: String,
    folder: PathBuf,
}

impl fmt::Display for Pattern {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.write_str(&self.text)
    }
}

impl Pattern {
    /// A pattern as it is written.
    pub fn new(text: &str, folder: &Path) -> Pattern {
        Pattern { text: text.to_owned(), folder: folder.to_owned() }
    }

    /// Whether a text is a pattern.
    ///
    /// # Errors
    /// What is wrong with it.
    pub fn check(text: &str) -> Result<(), String> {
        let shown: String = text.chars().take(60).collect();
        // In `.gitignore` these say nothing; written as a pattern each is a slip.
        if text.trim().is_empty() || text.starts_with('#') {
            return Err(format!("the pattern `{shown}` fits nothing"));
        }
        let mut builder = GitignoreBuilder::new("");
        builder.allow_unclosed_class(false).add_line(None, text).map_err(|why| format!("`{shown}` is no pattern ({why})"))?;
        Ok(())
    }

    /// The pattern for whole paths.
    fn absolute(&self) -> String {
        let (sign, written) = self.text.strip_prefix('!').map_or(("", self.text.as_str()), |rest| ("!", rest));
        let name = written.trim_end();
        if !name.strip_suffix('/').unwrap_or(name).contains('/') {
            return self.text.clone();
        }
        let mut folder = std::fs::canonicalize(&self.folder).unwrap_or_else(|_| self.folder.clone());
        let mut relative = written.trim_start_matches('/');
        loop {
            if let Some(rest) = relative.strip_prefix("./") {
                relative = rest;
            } else if let Some(rest) = relative.strip_prefix("../") {
                folder.pop();
                relative = rest;
            } else {
                break;
            }
        }
        let mut absolute = sign.to_owned();
        for part in below_root(&folder).components() {
            absolute.push('/');
            for char in part.as_os_str().to_string_lossy().chars() {
                match char {
                    // What a pattern cannot say.
                    char::REPLACEMENT_CHARACTER => absolute.push('*'),
                    '\\' | '*' | '?' | '[' | ']' | '{' | '}' => absolute.extend(['\\', char]),
                    _ => absolute.push(char),
                }
            }
        }
        absolute + "/" + relative
    }
}

/// What fits one of some patterns.
#[derive(Debug, Clone)]
pub struct Matcher(Gitignore);

impl Matcher {
    /// Takes patterns together; one that is none fits nothing.
    pub fn new<'a>(patterns: impl IntoIterator<Item = &'a Pattern>) -> Matcher {
        let mut builder = GitignoreBuilder::new("");
        for pattern in patterns {
            let _ = builder.add_line(None, &pattern.absolute());
        }
        Matcher(builder.build().unwrap_or_else(|_| Gitignore::empty()))
    }

    /// Whether a path fits by itself.
    pub fn fits(&self, path: &Path, is_dir: bool) -> bool {
        self.0.matched(below_root(path), is_dir).is_ignore()
    }

    /// Whether a path fits by itself or with a folder it is in, as far as that is below `root` or not beside it at all.
    pub fn fits_below(&self, root: &Path, path: &Path, is_dir: bool) -> bool {
        let parts = path.ancestors().take_while(|part| *part != root).enumerate();
        for (depth, part) in parts {
            match self.0.matched(below_root(part), is_dir || depth > 0) {
                Match::None => {}
                found => return found.is_ignore(),
            }
        }
        false
    }
}

/// A path without its root.
fn below_root(path: &Path) -> &Path {
    let mut components = path.components();
    while matches!(components.clone().next(), Some(Component::RootDir | Component::Prefix(_))) {
        components.next();
    }
    components.as_path()
}
