//! What the evaluator knows of Python, as a table in the repository (`COVERAGE.md`): every kind of syntax node, and every
//! callable of the modules and types it models. The table is generated (`UPDATE=1 cargo test --test coverage`), and no row of
//! it may go backwards.

mod nodes;

use std::collections::{BTreeMap, BTreeSet};
use std::fmt::Write as _;
use std::path::{Path, PathBuf};

use antifreeze::cards;
use antifreeze::eval::Settings;
use antifreeze::library::{self, Entry};
use antifreeze::rules::Profile;
use antifreeze::source::Source;
use antifreeze::verdict;
use ruff_python_ast::visitor::source_order::{SourceOrderVisitor, TraversalSignal};
use ruff_python_ast::{AnyNodeRef, PythonVersion};
use ruff_python_parser::{Mode, ParseOptions, parse_unchecked};
use serde_json::Value;

/// How much is known of a value: the better, the greater.
#[derive(Debug, Clone, Copy, PartialEq, Eq, PartialOrd, Ord)]
enum Known {
    Unknown,
    Bounded,
    Exact,
}

impl Known {
    fn word(self) -> &'static str {
        match self {
            Known::Unknown => "unknown",
            Known::Bounded => "bounded",
            Known::Exact => "exact",
        }
    }
}

/// The operand `A` of the programs, in three degrees.
const OPERANDS: [&str; 3] = ["A = 3\n", "import random\nA = random.randint(2, 4)\n", "A = given_elsewhere\n"];

/// What is known of a value as `debug values` writes it.
fn known(value: &Value) -> Known {
    let all = |values: &mut dyn Iterator<Item = &Value>| {
        // A container of unknown items still has a length.
        if values.all(|value| known(value) == Known::Exact) { Known::Exact } else { Known::Bounded }
    };
    let list = |name: &str| value[name].as_array().map(Vec::as_slice).unwrap_or_default();
    match value["kind"].as_str().unwrap_or("missing") {
        "none" | "module" | "library" | "function" | "class" | "exception" => Known::Exact,
        "bool" | "int" | "float" | "str" | "bytes" => {
            if value.get("value").is_some() {
                Known::Exact
            } else {
                Known::Bounded
            }
        }
        "tuple" | "list" | "deque" | "set" | "frozenset" if value["rest"].is_null() => all(&mut list("items").iter()),
        "dict" if value["rest"].is_null() => all(&mut list("entries").iter().flat_map(|entry| entry.as_array().into_iter().flatten())),
        "range" => all(&mut list("parts").iter()),
        "instance" => all(&mut value["attrs"].as_object().into_iter().flat_map(serde_json::Map::values)),
        "any" | "missing" | "never" | "unbound" => Known::Unknown,
        _ => Known::Bounded,
    }
}

fn evaluate(operand: &str, program: &str) -> Known {
    let text = format!("{operand}{program}\n");
    let source = Source::from_text("node.py", &text).expect("the programs are text");
    let checked = verdict::check(source, &Settings::default(), Profile::Agent);
    checked.facts.globals.get("r").map_or(Known::Unknown, known)
}

struct Kinds(BTreeSet<String>);

impl<'a> SourceOrderVisitor<'a> for Kinds {
    fn enter_node(&mut self, node: AnyNodeRef<'a>) -> TraversalSignal {
        self.0.insert(format!("{:?}", node.kind()));
        TraversalSignal::Traverse
    }
}

fn kinds_in(program: &str) -> BTreeSet<String> {
    let options = ParseOptions::from(Mode::Ipython).with_target_version(PythonVersion::PY314);
    let parsed = parse_unchecked(program, options);
    assert!(parsed.errors().is_empty(), "{:?} in\n{program}", parsed.errors());
    let mut kinds = Kinds(BTreeSet::new());
    kinds.visit_mod(parsed.syntax());
    kinds.0
}

#[test]
fn every_program_has_the_node_it_is_about() {
    let mut wrong = String::new();
    for (kind, program) in nodes::ROWS {
        if !kinds_in(program).contains(*kind) {
            let _ = writeln!(wrong, "no {kind} in\n{program}");
        }
    }
    assert!(wrong.is_empty(), "{wrong}");
}

#[derive(Debug, Clone, Copy, PartialEq, Eq, PartialOrd, Ord)]
enum Model {
    Unknown,
    Table,
    Transfer,
}

const MODELS: [(Model, &str); 3] = [(Model::Transfer, "transfer function"), (Model::Table, "table"), (Model::Unknown, "unknown")];

fn model(name: &str) -> Model {
    match library::find(name) {
        Some(Entry::Function(_) | Entry::Type(_)) => Model::Transfer,
        Some(Entry::Exception | Entry::Constant(_) | Entry::Module) => Model::Table,
        None if cards::all().iter().any(|card| card.meta.callables.iter().any(|callable| callable.name == name)) => Model::Table,
        None => Model::Unknown,
    }
}

fn file() -> PathBuf {
    Path::new(env!("CARGO_MANIFEST_DIR")).join("COVERAGE.md")
}

type Nodes = BTreeMap<String, [Known; 3]>;
type Callables = BTreeMap<String, Model>;

fn measure() -> (Nodes, Callables) {
    let nodes =
        nodes::ROWS.iter().map(|(kind, program)| ((*kind).to_owned(), OPERANDS.map(|operand| evaluate(operand, program)))).collect();
    let callables = include_str!("names.txt").lines().map(|name| (name.to_owned(), model(name))).collect();
    (nodes, callables)
}

fn render(nodes: &Nodes, callables: &Callables) -> String {
    let mut out = String::from(
        "# What the evaluator knows\n\n\
         Generated by `UPDATE=1 cargo test --test coverage`. A row may get better, never worse.\n\n\
         ## Syntax\n\n\
         What the evaluator computes for a small program about each kind of node (`tests/coverage/nodes.rs`) when its operand is known exactly,\n\
         known within bounds, and not known at all.\n\n\
         | node | exact operand | bounded operand | unknown operand |\n| --- | --- | --- | --- |\n",
    );
    for (kind, known) in nodes {
        let [a, b, c] = known.map(Known::word);
        let _ = writeln!(out, "| {kind} | {a} | {b} | {c} |");
    }
    out.push_str(
        "\n## Callables\n\n\
         A *transfer function* computes results, exceptions, costs and effects. Names in a *table* have a fixed effect. What is *unknown* may\n\
         return and raise anything and change everything it is given.\n",
    );
    let mut groups: BTreeMap<&str, BTreeMap<Model, Vec<&str>>> = BTreeMap::new();
    for (name, model) in callables {
        let (group, name) = name.split_once('.').unwrap_or(("builtins", name));
        groups.entry(group).or_default().entry(*model).or_default().push(name);
    }
    for (group, by_model) in groups {
        let all: usize = by_model.values().map(Vec::len).sum();
        let unknown = by_model.get(&Model::Unknown).map_or(0, Vec::len);
        let _ = writeln!(out, "\n### {group}\n\n{} of {all} known.\n", all - unknown);
        for (model, word) in MODELS {
            if let Some(names) = by_model.get(&model) {
                let names: Vec<String> = names.iter().map(|name| format!("`{name}`")).collect();
                let _ = writeln!(out, "- {word}: {}", names.join(" "));
            }
        }
    }
    out
}

/// Reads back what [`render`] wrote.
fn parse(text: &str) -> (Nodes, Callables) {
    let known = |word: &str| [Known::Unknown, Known::Bounded, Known::Exact].into_iter().find(|known| known.word() == word);
    let (mut nodes, mut callables, mut group) = (Nodes::new(), Callables::new(), "");
    for line in text.lines() {
        if let Some(name) = line.strip_prefix("### ") {
            group = name;
        } else if let Some(row) = line.strip_prefix("| ") {
            let cells: Vec<&str> = row.split('|').map(str::trim).collect();
            if let [kind, a, b, c, _] = cells.as_slice()
                && let (Some(a), Some(b), Some(c)) = (known(a), known(b), known(c))
            {
                nodes.insert((*kind).to_owned(), [a, b, c]);
            }
        } else if let Some((word, names)) = line.strip_prefix("- ").and_then(|line| line.split_once(": ")) {
            let Some((model, _)) = MODELS.iter().find(|(_, known)| *known == word) else { continue };
            for name in names.split('`').filter(|name| !name.trim().is_empty()) {
                callables.insert(if group == "builtins" { name.to_owned() } else { format!("{group}.{name}") }, *model);
            }
        }
    }
    (nodes, callables)
}

#[test]
fn nothing_goes_backwards() {
    let (nodes, callables) = measure();
    let now = render(&nodes, &callables);
    assert_eq!(parse(&now), (nodes.clone(), callables.clone()), "the table can be read back");
    let written = std::fs::read_to_string(file()).unwrap_or_default();
    let (old_nodes, old_callables) = parse(&written);
    let mut worse = String::new();
    for (kind, before) in &old_nodes {
        match nodes.get(kind) {
            None => drop(writeln!(worse, "{kind} is no longer in the table")),
            Some(after) if before.iter().zip(after).any(|(before, after)| after < before) => {
                drop(writeln!(worse, "{kind} was {before:?} and is {after:?}"));
            }
            Some(_) => {}
        }
    }
    for (name, before) in &old_callables {
        match callables.get(name) {
            None => drop(writeln!(worse, "{name} is no longer in the table")),
            Some(after) if after < before => drop(writeln!(worse, "{name} was {before:?} and is {after:?}")),
            Some(_) => {}
        }
    }
    if std::env::var_os("UPDATE").is_some() {
        std::fs::write(file(), now).expect("COVERAGE.md can be written");
        return;
    }
    assert!(worse.is_empty(), "{worse}");
    assert_eq!(written, now, "COVERAGE.md is out of date: UPDATE=1 cargo test --test coverage");
}

/// A table of unknowns could not go backwards.
#[test]
fn most_of_the_language_is_known() {
    let (nodes, callables) = measure();
    let exact = nodes.values().filter(|known| known[0] == Known::Exact).count();
    assert!(exact * 10 >= nodes.len() * 9, "{exact} of {} kinds of nodes are exact", nodes.len());
    let known = callables.values().filter(|model| **model > Model::Unknown).count();
    assert!(known * 10 >= callables.len() * 8, "{known} of {} callables are known", callables.len());
}
