//! Which lines changed, as git says.

use std::collections::{HashMap, HashSet};
use std::ffi::OsString;
use std::ops::RangeInclusive;
use std::path::{Path, PathBuf};
use std::process::{Command, Stdio};

use crate::report::FileReport;

/// What changed in a file.
#[derive(Debug, Clone, Default, PartialEq, Eq)]
struct Changed {
    /// Lines that are new or other than before, sorted.
    lines: Vec<RangeInclusive<u32>>,
    /// Lines after which others were taken out or replaced, sorted, each with the deepest indentation of those.
    gaps: Vec<(u32, usize)>,
}

impl Changed {
    /// Whether anything from one line to another changed; what was taken out, only if it was indented deeper than the first.
    fn touches(&self, first: u32, last: u32, indent: usize) -> bool {
        let next = self.lines.partition_point(|changed| *changed.end() < first);
        let gap = self.gaps.partition_point(|(gap, _)| *gap < first);
        let mut gaps = self.gaps[gap..].iter().take_while(|(gap, _)| *gap <= last);
        // What was taken out below a single line was not part of it.
        self.lines.get(next).is_some_and(|changed| *changed.start() <= last) || first < last && gaps.any(|(_, depth)| *depth > indent)
    }
}

/// The lines that changed in the files of repositories.
#[derive(Debug)]
pub struct Changes {
    base: String,
    repositories: HashMap<PathBuf, Repository>,
}

#[derive(Debug, Clone, Default)]
struct Repository {
    root: PathBuf,
    /// By path from the root.
    lines: HashMap<PathBuf, Changed>,
    /// Files git does not know: all of them is new.
    new: HashSet<PathBuf>,
}

impl Changes {
    /// Changes since a revision.
    pub fn since(base: &str) -> Changes {
        Changes { base: base.to_owned(), repositories: HashMap::new() }
    }

    /// Keeps the findings that touch a line that changed. Of a notebook that changed these are all.
    ///
    /// # Errors
    /// What git says against the revision, and a file in no repository.
    pub fn keep(&mut self, report: &mut FileReport, path: Option<&Path>) -> Result<(), String> {
        let Some(path) = path.filter(|path| path.exists()) else { return Ok(()) };
        let Some(folder) = std::fs::canonicalize(path).ok().and_then(|path| Some(path.parent()?.to_owned())) else { return Ok(()) };
        if !self.repositories.contains_key(&folder) {
            let known = self.repositories.values().find(|known| folder.starts_with(&known.root)).cloned();
            let found = match known {
                // A repository inside another one, a submodule, has its own folder of git.
                Some(known) if !folder.ancestors().take_while(|above| *above != known.root).any(|above| above.join(".git").exists()) => {
                    known
                }
                _ => Repository::read(&folder, &self.base)?,
            };
            self.repositories.insert(folder.clone(), found);
        }
        let Some(repository) = self.repositories.get(&folder) else { return Ok(()) };
        let Some(name) = path.file_name() else { return Ok(()) };
        let file = folder.join(name);
        let Ok(relative) = file.strip_prefix(&repository.root) else { return Ok(()) };
        if repository.new.contains(relative) {
            return Ok(());
        }
        // Git counts a notebook's lines in its JSON, which are nobody's: a notebook that changed is new.
        if report.source.is_notebook() && repository.lines.contains_key(relative) {
            return Ok(());
        }
        let changed = repository.lines.get(relative).cloned().unwrap_or_default();
        let lines: Vec<&str> = report.source.original_text().lines().collect();
        let source = &report.source;
        report.findings.retain(|finding| {
            let (first, last) = (source.position(finding.span.start).line, source.position(finding.span.end.max(finding.span.start)).line);
            let indent = lines.get(first as usize - 1).map_or(0, |line| indent(line));
            changed.touches(first, last.max(end_of_block(&lines, first)), indent)
        });
        Ok(())
    }
}

impl Repository {
    /// Asks git.
    fn read(folder: &Path, base: &str) -> Result<Repository, String> {
        let Some(root) = git(folder, &["rev-parse", "--show-toplevel"])? else {
            let shown = folder.display();
            return Err(format!(
                "--diff-base {base}: git has no working tree at {shown}. Leave the flag out there; `git -C {shown} status` says why"
            ));
        };
        let root = path_of(root.strip_suffix(b"\n").unwrap_or(&root));
        let wanted = format!("{base}^{{commit}}");
        let Some(commit) = git(&root, &["rev-parse", "--verify", "--quiet", "--end-of-options", &wanted])? else {
            return Err(format!(
                "--diff-base {base}: git knows no such revision in {}. Name a branch, a tag or a commit; a shallow clone may have to fetch it",
                root.display()
            ));
        };
        let commit = String::from_utf8_lossy(&commit).trim().to_owned();
        // What others changed on the branch in the meantime is not ours.
        let base = git(&root, &["merge-base", &commit, "HEAD"])?.map_or(commit, |base| String::from_utf8_lossy(&base).trim().to_owned());
        let arguments =
            ["-c", "core.quotePath=false", "diff", "--unified=0", "--no-color", "--no-ext-diff", "--no-textconv", "--no-renames"];
        let prefixes = ["--src-prefix=a/", "--dst-prefix=b/", "--ignore-submodules", &base, "--"];
        let Some(diff) = git(&root, &[&arguments[..], &prefixes[..]].concat())? else {
            return Err(format!("`git diff {base}` failed in {}. Run it to see why", root.display()));
        };
        let untracked = git(&root, &["ls-files", "--others", "--exclude-standard", "-z"])?.unwrap_or_default();
        let new = untracked.split(|byte| *byte == 0).filter(|name| !name.is_empty()).map(path_of).collect();
        Ok(Repository { root, lines: changed_lines(&diff), new })
    }
}

/// How many bytes of blanks a line begins with.
fn indent(line: &str) -> usize {
    line.len() - line.trim_start().len()
}

/// The last line of the block that a line opens, as its indentation tells: a loop without its body is no loop.
fn end_of_block(lines: &[&str], first: u32) -> u32 {
    let Some(header) = lines.get(first as usize - 1) else { return first };
    let opens = ["while ", "while(", "for ", "async for ", "def ", "async def "].iter().any(|word| header.trim_start().starts_with(word));
    if !opens {
        return first;
    }
    let body = lines[first as usize..].iter().take_while(|line| line.trim().is_empty() || indent(line) > indent(header));
    let inside = body.enumerate().filter(|(_, line)| !line.trim().is_empty()).last();
    inside.map_or(first, |(at, _)| first + at as u32 + 1)
}

/// What git prints; none where it says no.
fn git(folder: &Path, arguments: &[&str]) -> Result<Option<Vec<u8>>, String> {
    let output = Command::new("git").arg("-C").arg(folder).args(arguments).stdin(Stdio::null()).stderr(Stdio::null()).output();
    match output {
        Ok(output) => Ok(output.status.success().then_some(output.stdout)),
        Err(why) => Err(format!("--diff-base needs git, which cannot be started ({why}). Install it, or leave the flag out")),
    }
}

/// What a diff without context changes, by file.
fn changed_lines(diff: &[u8]) -> HashMap<PathBuf, Changed> {
    let mut files: HashMap<PathBuf, Changed> = HashMap::new();
    let mut file = None;
    // Lines of content follow each header of a hunk, and may look like headers themselves.
    let mut content = 0;
    for line in diff.split(|byte| *byte == b'\n') {
        if content > 0 && matches!(line.first(), Some(b'+' | b'-')) {
            content -= 1;
            if line[0] == b'-'
                && let Some((_, depth)) = file.as_ref().and_then(|file| files.get_mut(file)?.gaps.last_mut())
            {
                *depth = (*depth).max(indent(&String::from_utf8_lossy(&line[1..])));
            }
        } else if let Some(name) = line.strip_prefix(b"+++ ") {
            file = unquoted(name).and_then(|name| name.strip_prefix(b"b/").map(path_of));
        } else if let Some(hunk) = line.strip_prefix(b"@@ ")
            && let Some((removed, (start, added))) = hunk_of(&String::from_utf8_lossy(hunk))
        {
            content = removed.saturating_add(added);
            if let Some(file) = &file {
                let changed = files.entry(file.clone()).or_default();
                if removed > 0 {
                    changed.gaps.push((if added == 0 { start } else { start.saturating_sub(1) }, 0));
                }
                if added > 0 {
                    changed.lines.push(start..=start.saturating_add(added - 1));
                }
            }
        }
    }
    files
}

/// `-1,2 +3,4 @@`: how many lines go, where the new ones begin, how many they are.
fn hunk_of(header: &str) -> Option<(u32, (u32, u32))> {
    let mut words = header.split(' ');
    let mut range = |sign: char| {
        let word = words.next()?.strip_prefix(sign)?;
        match word.split_once(',') {
            Some((start, count)) => Some((start.parse::<u32>().ok()?, count.parse::<u32>().ok()?)),
            None => Some((word.parse().ok()?, 1)),
        }
    };
    let (_, removed) = range('-')?;
    Some((removed, range('+')?))
}

/// A name as git writes it: in quotes with escapes where it has to.
fn unquoted(name: &[u8]) -> Option<Vec<u8>> {
    // A name with blanks ends with a tab.
    let name = name.strip_suffix(b"\t").unwrap_or(name);
    let Some(quoted) = name.strip_prefix(b"\"").and_then(|name| name.strip_suffix(b"\"")) else { return Some(name.to_vec()) };
    let mut out = Vec::new();
    let mut bytes = quoted.iter().copied();
    while let Some(byte) = bytes.next() {
        if byte != b'\\' {
            out.push(byte);
            continue;
        }
        out.push(match bytes.next()? {
            b'a' => 7,
            b'b' => 8,
            b't' => b'\t',
            b'n' => b'\n',
            b'v' => 11,
            b'f' => 12,
            b'r' => b'\r',
            digit @ b'0'..=b'3' => {
                let rest = [bytes.next()?, bytes.next()?];
                rest.iter().try_fold(digit - b'0', |sum, digit| matches!(digit, b'0'..=b'7').then(|| (sum << 3) | (digit - b'0')))?
            }
            other => other,
        });
    }
    Some(out)
}

#[cfg(unix)]
fn path_of(bytes: impl AsRef<[u8]>) -> PathBuf {
    use std::os::unix::ffi::OsStringExt;
    OsString::from_vec(bytes.as_ref().to_vec()).into()
}

#[cfg(not(unix))]
fn path_of(bytes: impl AsRef<[u8]>) -> PathBuf {
    OsString::from(String::from_utf8_lossy(bytes.as_ref()).into_owned()).into()
}

#[cfg(test)]
mod tests {
    use super::{Changed, changed_lines, path_of};

    #[test]
    fn lines_are_read_from_a_diff() {
        let diff = b"diff --git a/x.py b/x.py\n--- a/x.py\n+++ b/x.py\n@@ -1 +1,2 @@ def f():\n-old\n+++ b/trap.py\n+new\n@@ -9,2 +10,0 @@\n-a\n-  b\n\
            diff --git a/y b/y\n--- /dev/null\n+++ \"b/\\303\\251 \\\"q\\\".py\"\n@@ -0,0 +1 @@\n+1\n\\ No newline at end of file\n\
            --- a/gone.py\n+++ /dev/null\n@@ -1 +0,0 @@\n-x\n";
        let lines = changed_lines(diff);
        assert_eq!(lines.len(), 2, "{lines:?}");
        assert_eq!(lines[&path_of("x.py")], Changed { lines: vec![1..=2], gaps: vec![(0, 0), (10, 2)] });
        assert_eq!(lines[&path_of("é \"q\".py")].lines, [1..=1]);
    }
}
