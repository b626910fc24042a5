//! The lowering against the verifier, snapshots and CPython.
#![expect(clippy::print_stderr, reason = "a test that is skipped says so")]

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
    folders.extend(more_folders());
    folders
}

/// More folders, where a test run names them (separated as in PATH).
fn more_folders() -> Vec<PathBuf> {
    std::env::var_os("ANTIFREEZE_TEST_PYTHON_FILES").map(|more| std::env::split_paths(&more).collect()).unwrap_or_default()
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

/// Asks a Python for facts about files: per file whether it compiles, and name, local names, cells and free variables of
/// each code object.
const WITNESS: &str = r"
import json, sys, warnings
warnings.simplefilter('ignore')
sys.setrecursionlimit(5000)
def walk(code, out):
    out.append([code.co_name, list(code.co_varnames), sorted(code.co_cellvars), sorted(code.co_freevars)])
    for const in code.co_consts:
        if hasattr(const, 'co_code'):
            walk(const, out)
for path in sys.stdin.read().split('\n'):
    out = []
    try:
        with open(path, 'rb') as file:
            walk(compile(file.read(), path, 'exec', dont_inherit=True, optimize=0), out)
    except Exception:
        out = None
    print(json.dumps(out))
";

type Record = (String, Vec<String>, Vec<String>, Vec<String>);

/// The interpreter, and what it says of each file; None where it refuses the file.
fn witness(interpreter: &str, files: &[PathBuf]) -> Option<Vec<Option<Vec<Record>>>> {
    use std::io::Write;
    use std::process::{Command, Stdio};
    let mut child = Command::new(interpreter)
        .args(["-I", "-c", WITNESS])
        .stdin(Stdio::piped())
        .stdout(Stdio::piped())
        .stderr(Stdio::null())
        .spawn()
        .ok()?;
    let paths: Vec<String> = files.iter().map(|file| file.display().to_string()).collect();
    let mut stdin = child.stdin.take()?;
    let writer = std::thread::spawn(move || stdin.write_all(paths.join("\n").as_bytes()));
    let output = child.wait_with_output().ok()?;
    writer.join().ok()?.ok()?;
    let text = String::from_utf8_lossy(&output.stdout).into_owned();
    text.lines().map(|line| serde_json::from_str(line).ok()).collect()
}

fn records(program: &syntax::Program) -> Vec<Record> {
    let name = |id: &syntax::code::NameId| program.name(*id).to_owned();
    program
        .codes
        .iter()
        .map(|code| {
            let mut cells: Vec<String> = code.cells.iter().map(|(id, _)| name(id)).collect();
            let mut frees: Vec<String> = code.frees.iter().map(|(id, _)| name(id)).collect();
            cells.sort();
            frees.sort();
            (name(&code.name), code.slots.iter().map(name).collect(), cells, frees)
        })
        .collect()
}

#[test]
fn cpython_agrees_on_syntax_errors_and_scopes() {
    // From 3.12 on comprehensions are inlined, and their code objects gone: only an older Python knows all scopes.
    let candidates = ["python3.11", "python3.10", "python3.9", "python3.8", "python3"];
    let script = "import os, sys; print(os.path.dirname(os.__file__)); print(sys.version_info[1])";
    for interpreter in candidates {
        let Ok(output) = std::process::Command::new(interpreter).args(["-I", "-c", script]).output() else { continue };
        let text = String::from_utf8_lossy(&output.stdout).into_owned();
        let mut lines = text.lines();
        let (Some(folder), Some(minor)) = (lines.next(), lines.next().and_then(|n| n.parse::<u32>().ok())) else { continue };
        let mut files = python_files(Path::new(folder));
        files.retain(|file| !file.components().any(|part| part.as_os_str() == "site-packages"));
        files.extend(more_folders().iter().flat_map(|folder| python_files(folder)));
        let answers = witness(interpreter, &files).expect("the witness answers");
        assert_eq!(answers.len(), files.len());
        compare(&files, &answers, minor < 12);
        return;
    }
    eprintln!("skipped: no Python found");
}

fn compare(files: &[PathBuf], answers: &[Option<Vec<Record>>], scopes: bool) {
    let mut failures = Vec::new();
    let (mut compiled, mut refused, mut codes) = (0, 0, 0);
    for (file, answer) in files.iter().zip(answers) {
        let Ok(source) = Source::from_path(file) else {
            if answer.is_some() {
                failures.push(format!("{}: not decoded, but CPython compiles it", file.display()));
            }
            continue;
        };
        let (source, program) = syntax::parse(source);
        let Some(expected) = answer else {
            // What a newer Python allows (`print "x"` is not among it) may still parse; what was rescued too.
            refused += usize::from(!program.errors.is_empty() || source.is_rescued());
            continue;
        };
        compiled += 1;
        if let Some(issue) = program.errors.first().or(program.not_analysed.as_ref()) {
            failures.push(format!("{}: {} at {:?}, but CPython compiles it", file.display(), issue.message, issue.span));
            continue;
        }
        if !scopes {
            continue;
        }
        let mut ours = records(&program);
        codes += expected.len();
        let mut left: Vec<&Record> = Vec::new();
        for record in expected {
            // CPython drops code that constants rule out, so ours may be more.
            match ours.iter().position(|candidate| agrees(candidate, record, false)) {
                Some(at) => drop(ours.swap_remove(at)),
                None => left.push(record),
            }
        }
        for record in left {
            if let Some(at) = ours.iter().position(|candidate| agrees(candidate, record, true)) {
                ours.swap_remove(at);
            } else {
                let near: Vec<&Record> = ours.iter().filter(|candidate| candidate.0 == record.0).take(2).collect();
                failures.push(format!("{}: CPython has {record:?}, we have {near:?}", file.display()));
            }
        }
    }
    let shown = failures[..failures.len().min(20)].join("\n");
    assert!(failures.is_empty(), "{} failures in {compiled} files with {codes} code objects:\n{shown}", failures.len());
    assert!(compiled > 100 && refused < files.len(), "{compiled} files compiled, {refused} refused by both");
    assert!(!scopes || codes > 5_000, "only {codes} code objects");
}

/// CPython numbers a local at its first load or store: one that is only declared (`x: int`) is not in its list, which
/// `declarations` allows for. A parameter that is a cell is in both of its lists.
fn agrees(ours: &Record, theirs: &Record, declarations: bool) -> bool {
    let locals = |record: &Record| {
        let mut locals: Vec<String> = record.1.iter().filter(|name| !record.2.contains(name)).cloned().collect();
        locals.sort();
        locals
    };
    let (mine, known) = (locals(ours), locals(theirs));
    let declared =
        declarations && mine.len() > known.len() && mine.len() <= known.len() + 2 && known.iter().all(|name| mine.contains(name));
    ours.0 == theirs.0 && ours.2 == theirs.2 && ours.3 == theirs.3 && (mine == known || declared)
}

/// Snippets, each with the heading it is known by.
const SNIPPETS: &str = include_str!("fixtures/lowering.py");

#[test]
fn lowered_snippets_read_as_reviewed() {
    for snippet in SNIPPETS.split("\n#: ").filter(|snippet| !snippet.trim().is_empty()) {
        let (heading, code) = snippet.trim_start_matches("#: ").split_once('\n').expect("a heading and code");
        let program = lower(code);
        assert!(program.errors.is_empty() && program.not_analysed.is_none(), "{heading}: {:?}", program.errors);
        insta::with_settings!({ snapshot_path => "../snapshots", prepend_module_to_snapshot => false, description => code, omit_expression => true }, {
            insta::assert_snapshot!(format!("lower_{}", heading.trim().replace([' ', '-'], "_")), program.dump());
        });
    }
}

fn first_error(text: &str) -> (u32, String) {
    let program = lower(text);
    let issue = program.errors.first().unwrap_or_else(|| panic!("no error in {text:?}"));
    (issue.span.start, issue.message.clone())
}

#[test]
fn broken_code_has_errors_with_a_place_and_is_lowered_all_the_same() {
    let program = lower("x = 1\ny = (2 +\nz = 3\nprint(x)\n");
    assert!(!program.errors.is_empty());
    assert!(program.dump().contains("StoreGlobal x"));
    assert_eq!(first_error("x = 1\nbreak\n"), (6, "'break' outside loop".into()));
    assert_eq!(first_error("return 1\n").1, "'return' outside function");
    assert_eq!(first_error("nonlocal x\n").1, "nonlocal declaration not allowed at module level");
    assert_eq!(first_error("def f():\n    nonlocal x\n").1, "no binding for nonlocal 'x' found");
    assert_eq!(first_error("def f(a, a): pass\n").1, "duplicate argument 'a' in function definition");
    assert_eq!(first_error("yield 1\n").1, "'yield' outside function");
    assert_eq!(first_error("def f():\n    await x\n").1, "'await' outside async function");
}

#[test]
fn magics_are_found() {
    let program = lower("%matplotlib inline\n!pip install x\nfiles = !ls\nprint?\nx = 1\n");
    assert!(program.errors.is_empty(), "{:?}", program.errors);
    assert_eq!(program.magics.len(), 4);
    assert!(program.dump().contains("StoreGlobal files"));
    assert!(lower("x = 5 % 3\n").magics.is_empty());
}

#[test]
fn names_are_normalised() {
    assert!(lower("ｐｏｗ(2, 3)\n").dump().contains("LoadGlobal pow"));
    assert!(lower("x.ﬁ\n").dump().contains("LoadAttr fi"));
}

#[test]
fn template_strings_are_lowered() {
    let dump = lower("x = t'a{b!r:>{w}}c'\n").dump();
    assert!(dump.contains("BuildTemplate 4") && dump.contains("LoadGlobal w"), "{dump}");
}
