//! Patches of `apply_patch`: files that are added are programs, changes are parts of some.

use super::shell::is_python_file;

/// The Python in a patch.
#[derive(Debug, Default, PartialEq, Eq)]
pub struct Patched {
    /// Files that are added: name and text.
    pub added: Vec<(String, String)>,
    /// How many files are changed.
    pub changed: u64,
}

/// What a patch does to Python files.
pub fn read(patch: &str) -> Patched {
    let mut patched = Patched::default();
    let mut added: Option<(String, String)> = None;
    let mut changed: Option<bool> = None;
    for line in patch.lines().chain(["*** End Patch"]) {
        if line.starts_with("*** ") {
            patched.added.extend(added.take());
            patched.changed += u64::from(changed.take() == Some(true));
            if let Some(file) = line.strip_prefix("*** Add File: ") {
                added = is_python_file(file).then(|| (file.to_owned(), String::new()));
            } else if let Some(file) = line.strip_prefix("*** Update File: ") {
                changed = is_python_file(file).then_some(false);
            }
        } else if let Some(code) = line.strip_prefix('+') {
            if let Some((_, text)) = &mut added {
                text.push_str(code);
                text.push('\n');
            }
            changed = changed.map(|_| true);
        }
    }
    patched
}
