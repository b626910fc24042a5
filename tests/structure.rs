//! The architecture, as far as a test can hold it: stages import only from stages above them.

use std::path::{Path, PathBuf};

/// The stages in the order in which data flows. Those on one line of the design may use each other only in this order too.
const STAGES: [&str; 24] = [
    "limits",
    "stack",
    "config",
    "source",
    "syntax",
    "fact",
    "value",
    "cards",
    "library",
    "eval",
    "rules",
    "verdict",
    "outcome",
    "report",
    "executor",
    "once",
    "telemetry",
    "watch",
    "session",
    "scan",
    "serve",
    "hook",
    "python",
    "cli",
];

/// Beyond the order: (stage, what it may not know, what of it it may name all the same).
const STRANGERS: [(&str, &str, &[&str]); 6] = [
    ("executor", "eval", &["Guard"]),
    ("executor", "rules", &[]),
    ("executor", "report", &[]),
    ("rules", "syntax", &["Span"]),
    ("report", "syntax", &["Span"]),
    // A function or a suspended generator is a value that says where its code is.
    ("value", "syntax", &["CodeId", "Pc"]),
];

struct File {
    path: PathBuf,
    stage: String,
    /// Without comments.
    code: String,
}

fn files() -> Vec<File> {
    let root = Path::new(env!("CARGO_MANIFEST_DIR")).join("src");
    let mut files = Vec::new();
    let mut folders = vec![root.clone()];
    while let Some(folder) = folders.pop() {
        for entry in std::fs::read_dir(&folder).expect("src can be read") {
            let path = entry.expect("src can be read").path();
            if path.is_dir() {
                folders.push(path);
            } else if path.extension().is_some_and(|ending| ending == "rs") {
                let text = std::fs::read_to_string(&path).expect("sources are UTF-8");
                let code = text.lines().map(|line| line.split("//").next().unwrap_or("")).collect::<Vec<_>>().join("\n");
                let path = path.strip_prefix(&root).expect("it lies in src").to_path_buf();
                let first = path.components().next().expect("it has a name").as_os_str().to_string_lossy();
                files.push(File { stage: first.trim_end_matches(".rs").to_owned(), path, code });
            }
        }
    }
    assert!(files.len() > 20, "the sources were found");
    files
}

/// The paths a file names from the crate's root, groups unfolded: `crate::{a, b::{c, d}}` is `a`, `b::c`, `b::d`.
fn imports(code: &str) -> Vec<String> {
    let mut found = Vec::new();
    for (at, _) in code.match_indices("crate::") {
        // `$crate::` and `other_crate::` are not this crate's root.
        if code[..at].ends_with(|c: char| c.is_alphanumeric() || c == '_') {
            continue;
        }
        unfold("", &code[at + "crate::".len()..], &mut found);
    }
    found
}

/// Reads one path or group at the start of `text`, and gives what follows it.
fn unfold<'a>(prefix: &str, text: &'a str, found: &mut Vec<String>) -> &'a str {
    let text = text.trim_start();
    if let Some(mut rest) = text.strip_prefix('{') {
        loop {
            rest = rest.trim_start();
            if let Some(after) = rest.strip_prefix('}') {
                return after;
            }
            if let Some(after) = rest.strip_prefix(',') {
                rest = after;
                continue;
            }
            let before = rest.len();
            rest = unfold(prefix, rest, found);
            if rest.len() == before {
                return rest;
            }
        }
    }
    let end = text.find(|c: char| !(c.is_alphanumeric() || c == '_' || c == '*')).unwrap_or(text.len());
    let path = if prefix.is_empty() { text[..end].to_owned() } else { format!("{prefix}::{}", &text[..end]) };
    if let Some(rest) = text[end..].strip_prefix("::") {
        return unfold(&path, rest, found);
    }
    found.push(path);
    let rest = &text[end..];
    // `name as other`
    rest.trim_start().strip_prefix("as ").map_or(rest, |alias| {
        let alias = alias.trim_start();
        &alias[alias.find(|c: char| !(c.is_alphanumeric() || c == '_')).unwrap_or(alias.len())..]
    })
}

#[test]
fn imports_are_read_from_groups_too() {
    let code = "use crate::{a, b::{self, c as d}, e::*};\nlet x = crate::f::g(1); $other_crate::h; use crate::i;";
    assert_eq!(imports(code), ["a", "b::self", "b::c", "e::*", "f::g", "i"]);
}

#[test]
fn stages_import_only_from_stages_above_them() {
    let order = |stage: &str| STAGES.iter().position(|known| *known == stage);
    let mut wrong = Vec::new();
    for file in files().iter().filter(|file| file.stage != "lib" && file.stage != "main") {
        let Some(own) = order(&file.stage) else {
            wrong.push(format!("{}: `{}` is no stage", file.path.display(), file.stage));
            continue;
        };
        for import in imports(&file.code) {
            let (stage, named) = import.split_once("::").unwrap_or((&import, ""));
            let Some(other) = order(stage) else { continue };
            if other > own {
                wrong.push(format!("{} imports {import}, which comes later", file.path.display()));
            }
            for (who, stranger, known) in STRANGERS {
                if file.stage == who && stage == stranger && !known.contains(&named.rsplit("::").next().unwrap_or("")) {
                    wrong.push(format!("{} imports {import}, which {who} must not know", file.path.display()));
                }
            }
        }
    }
    assert!(wrong.is_empty(), "{wrong:#?}");
}

#[test]
fn the_module_list_is_the_pipeline() {
    let lib = files().into_iter().find(|file| file.path == Path::new("lib.rs")).expect("lib.rs is there").code;
    let listed: Vec<&str> = lib.lines().filter_map(|line| line.strip_prefix("pub mod ")?.strip_suffix(';')).collect();
    let in_order: Vec<&str> = STAGES.into_iter().filter(|stage| listed.contains(stage)).collect();
    assert_eq!(listed, in_order);
}

#[test]
fn only_syntax_knows_the_parser() {
    for file in files().iter().filter(|file| file.stage != "syntax") {
        assert!(!file.code.contains("ruff_"), "{} names the parser", file.path.display());
    }
}

#[test]
fn no_stage_before_the_rules_knows_a_rule() {
    for file in files().iter().filter(|file| ["syntax", "value", "library", "eval", "source"].contains(&file.stage.as_str())) {
        let named = file.code.match_indices("\"AF").any(|(at, _)| file.code[at + 3..].starts_with(|c: char| c.is_ascii_digit()));
        assert!(!named, "{} names a rule's code", file.path.display());
    }
}

#[test]
fn unsafe_code_is_in_one_file_of_the_executor_at_most() {
    let has_unsafe = |code: &str| {
        let words: Vec<&str> = code.split(|c: char| !(c.is_alphanumeric() || c == '_')).collect();
        words.contains(&"unsafe")
    };
    let with: Vec<PathBuf> = files().into_iter().filter(|file| has_unsafe(&file.code)).map(|file| file.path).collect();
    assert!(with.len() <= 1 && with.iter().all(|path| path.starts_with("executor")), "{with:?}");
}

#[test]
fn main_is_short() {
    let main = std::fs::read_to_string(Path::new(env!("CARGO_MANIFEST_DIR")).join("src/main.rs")).expect("main.rs is there");
    assert!(main.lines().count() < 60);
}
