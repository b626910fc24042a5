//! `antifreeze scan`: each format, copies, outcomes, packings, broken input, and scans that are interrupted.

#[path = "common/folders.rs"]
#[expect(dead_code, reason = "shared with tests that need more of it")]
mod folders;

use std::fmt::Write as _;
use std::fs;
use std::io::Write as _;
use std::path::{Path, PathBuf};
use std::process::Output;
use std::time::{Duration, Instant};

use serde_json::{Value, json};

fn logs() -> PathBuf {
    Path::new(env!("CARGO_MANIFEST_DIR")).join("tests/scan/logs")
}

fn text(output: &[u8]) -> String {
    String::from_utf8_lossy(output).into_owned()
}

/// The JSON of a scan, held against its schema.
fn scan(folder: &Path, args: &[&str]) -> Value {
    let output = folders::run(folder, &[&["scan", "--format", "json", "--exit-zero"], args].concat());
    let report: Value = serde_json::from_slice(&output.stdout).unwrap_or_else(|_| panic!("{args:?}: {}", text(&output.stderr)));
    let schema: Value = serde_json::from_str(antifreeze::scan::report::SCHEMA).expect("the schema is JSON");
    let schema = jsonschema::validator_for(&schema).expect("the schema is one");
    let wrong: Vec<String> = schema.iter_errors(&report).map(|error| format!("{}: {error}", error.instance_path)).collect();
    assert!(wrong.is_empty(), "{args:?}: {wrong:?}");
    report
}

fn snippets(report: &Value) -> Vec<Value> {
    report["snippets"].as_array().expect("a list").clone()
}

fn of(report: &Value, key: &str) -> Vec<String> {
    snippets(report).iter().map(|snippet| snippet[key].as_str().unwrap_or("-").to_owned()).collect()
}

/// A snippet that is rejected, and one that is not, as JSON has them in a string.
const FROZEN: &str = "while True:\\n    pass\\n";
const FINE: &str = "print(2 ** 10)\\n";

fn chat(code: &str) -> String {
    format!(r#"{{"messages": [{{"role": "user", "content": "q"}}, {{"role": "assistant", "content": "```python\n{code}```"}}]}}"#)
}

/// The fixture: how many snippets, the format, the first and the last path, and how they ended.
const TABLE: &str = "
anthropic-messages.json     1 anthropic-messages $.content[1].input.command bound:finished
anthropic-stream-text.jsonl 1 anthropic-messages $.content[0].text bound:-
anthropic-stream.txt        1 anthropic-messages $.content[0].input.code reject:-
autogen-chat.json           2 openai-chat $[1].content $[3].content reject:timed_out bound:raised
autogen-console.txt         3 autogen $ $ bound:raised bound:finished bound:raised
autogen-group.json          1 autogen $[1].content bound:raised
autogen-messages.jsonl      3 autogen $.content $.content bound:raised bound:finished bound:timed_out
autogen-result.json         1 autogen $.chat_history[1].content bound:finished
autogen-state.json          1 autogen $.llm_context.messages[1].content[0].arguments|$.code bound:raised
autogen.jsonl               1 autogen $.content bound:finished
cassette-binary.yaml        2 anthropic-messages $.interactions[0].response.body.string|$.content[0].input.code $.interactions[1].response.body.string|$.content[0].input.code bound:finished bound:raised
cassette-lists.yaml.gz      1 anthropic-messages $.responses[0].body.string|$.content[0].input.code reject:finished
chat-history.md             2 markdown $ $ reject:- bound:-
claude-code-stream.jsonl    1 claude-code $.message.content[0].input.command bound:finished
claude-code-timeout.jsonl   1 claude-code $.message.content[0].input.content reject:timed_out
claude-code-web.json        1 claude-code $.loglines[1].message.content[0].input.content bound:-
claude-code.jsonl           3 claude-code $.message.content[0].input.command $.message.content[0].input.new_source reject:timed_out bound:finished bound:-
codeact-mint.jsonl          3 codeact-mint $.state.history[1].content $.state.history[5].content bound:finished reject:timed_out reject:timed_out
codex-code-mode.jsonl       3 codex-rollout $.payload.input $.payload.input reject:timed_out bound:- bound:-
codex-exec.jsonl            1 codex-rollout $.item.command bound:raised
codex-exit-codes.jsonl      3 codex-rollout $.payload.arguments|$.cmd $.payload.arguments|$.cmd bound:raised reject:timed_out bound:finished
codex-flat.jsonl            1 openai-responses $.arguments|$.command bound:finished
codex-patch.jsonl           2 codex-rollout $.payload.arguments|$.command $.payload.arguments|$.command reject:- bound:finished
codex-rollout.jsonl         3 codex-rollout $.payload.arguments|$.command $.payload.input reject:timed_out bound:- bound:-
exit-codes.jsonl            4 openai-chat $.messages[1].tool_calls[0].function.arguments|$.command $.messages[1].tool_calls[0].function.arguments|$.code bound:raised bound:raised bound:timed_out bound:finished
google-genai.json           2 google-genai $.candidates[0].content.parts[1].executableCode.code $.candidates[0].content.parts[3].executableCode.code bound:finished reject:timed_out
google-history.json         2 google-genai $.contents[1].parts[0].text $.contents[2].parts[0].functionCall.args.code bound:- bound:raised
google-stream.txt           2 google-genai $.content.parts[0].executableCode.code $.content[0].text bound:finished bound:-
inspect.json                1 inspect $.samples[0].messages[1].tool_calls[0].arguments.code reject:timed_out
langchain.jsonl             3 langchain $.messages[1].data.content $.messages[1].tool_calls[0].args.query bound:- bound:finished bound:raised
langfuse.json               1 langfuse $.observations[0].output|$.tool_calls[0].function.arguments|$.code bound:finished
langsmith-model.json        1 langsmith $.outputs.generations[0][0].message.kwargs.tool_calls[0].args.code bound:-
langsmith.json              2 langsmith $.child_runs[0].outputs.generations[0][0].message.kwargs.tool_calls[0].args.query $.child_runs[2].inputs.input|$.query bound:finished reject:timed_out
llamaindex.json             1 llamaindex $.chat_history[1].blocks[0].text bound:-
markdown.md                 2 markdown $ $ reject:- bound:-
mini-swe-agent-1.json       2 mini-swe-agent $[1].content $[3].content bound:- bound:raised
mini-swe-agent-2.json       1 mini-swe-agent $.messages[1].extra.actions[0] bound:-
mini-swe-agent-timeout.json 1 mini-swe-agent $[2].content reject:timed_out
notebook-3.ipynb            2 notebook $.worksheets[0].cells[1].input $.worksheets[0].cells[2].input bound:finished bound:raised
notebook-magics.ipynb       3 notebook $.cells[0].source $.cells[3].source bound:finished bound:finished bound:-
notebook.ipynb              3 notebook $.cells[1].source $.cells[2].outputs[0].text reject:raised bound:finished bound:-
open-interpreter-old.json   1 open-interpreter $[1].code bound:finished
open-interpreter.json       2 open-interpreter $[1].content $[4].content bound:finished reject:-
openai-chat.json            1 openai-chat $.messages[1].tool_calls[0].function.arguments|$.code reject:timed_out
openai-growing.jsonl        2 openai-chat $.choices[0].message.content $.choices[0].message.content bound:- bound:-
openai-responses-cut.txt    1 openai-responses $.output[0].arguments|$.code bound:-
openai-responses.json       2 openai-responses $.output[1].code $.output[3].arguments|$.code bound:finished bound:-
openai-shell.json           3 openai-responses $.output[0].action.commands[0] $.output[2].operation.diff bound:finished reject:timed_out bound:-
openai-stream.jsonl         1 openai-chat $.content[1].input.code reject:-
openhands-1-output.jsonl    2 openhands $.history[0].tool_call.arguments|$.command $.history[2].tool_call.arguments|$.file_text bound:finished reject:-
openhands-1.jsonl           3 openhands $.tool_call.arguments|$.command $.tool_call.arguments|$.command bound:finished reject:timed_out bound:raised
openhands-exit-codes.json   3 openhands $[0].args.command $[4].args.command bound:raised reject:timed_out bound:finished
openhands.jsonl             3 openhands $.history[1].code $.history[2].args.file_text reject:timed_out bound:finished bound:-
openinference.jsonl         1 openinference $.attributes[\"llm.output_messages.0.message.contents.0.message_content.text\"] reject:-
otlp.json                   1 openinference $.resourceSpans[0].scopeSpans[0].spans[0].attributes[\"llm.output_messages.0.message.content\"] bound:-
phoenix.jsonl               5 openinference $[\"attributes.llm.output_messages\"][0][\"message.content\"] $.attributes[\"gen_ai.output.messages\"]|$[0].parts[1].content bound:- bound:- bound:- bound:- bound:-
program.py                  1 python $ reject:-
raw-completion.jsonl        1 raw-completion $.generated bound:-
sharegpt.jsonl              2 sharegpt $.conversations[1].value $.conversations[3].value bound:finished bound:-
smolagents-console.txt      1 smolagents $ reject:timed_out
smolagents-messages.jsonl   2 smolagents $.intermediate_steps[2].content[0].text $.intermediate_steps[5].content[0].text bound:raised bound:finished
smolagents-old.jsonl        1 smolagents $.tool_call.tool_arguments bound:finished
smolagents.json             2 smolagents $[1].code_action $[2].tool_calls[0].function.arguments bound:finished reject:timed_out
spoken-calls.jsonl          5 openai-chat $.messages[1].content $.messages[1].content bound:finished bound:- bound:finished bound:- bound:finished
swe-agent-calls.traj        1 openai-chat $.history[2].tool_calls[0].function.arguments|$.replacement_text bound:-
swe-agent-cursors.traj      2 swe-agent $.trajectory[1].action $.trajectory[3].action reject:- bound:finished
swe-agent-quoted.traj       1 swe-agent $.trajectory[0].action bound:finished
swe-agent-timeout.traj      1 swe-agent $.trajectory[0].action reject:timed_out
swe-agent.traj              1 swe-agent $.trajectory[1].action reject:timed_out
tags.txt                    1 text $ bound:-
tora-timeout.jsonl          2 tora $.code[0] $.code[0] reject:timed_out bound:finished
tora.jsonl                  1 tora $.code[0] bound:finished
trail.json                  1 openinference $.spans[0].child_spans[0].span_attributes[\"llm.output_messages.0.message.content\"] bound:-
wrapper.json                1 openai-chat $.response.choices[0].message.content bound:-
";

#[test]
fn every_format_is_recognised_and_gives_its_snippets() {
    let mut seen = vec!["cassette.yaml".to_owned(), "prose.json".to_owned(), "table.csv".to_owned(), "notebook-agents.ipynb".to_owned()];
    for line in TABLE.trim().lines() {
        let words: Vec<&str> = line.split_whitespace().collect();
        let (file, count, format) = (words[0], words[1].parse::<usize>().expect("a count"), words[2]);
        let (paths, ends): (Vec<&str>, Vec<&str>) = words[3..].iter().partition(|word| word.starts_with('$'));
        let report = scan(&logs(), &[file]);
        assert_eq!(report["summary"]["snippets"], count, "{file}");
        assert!(of(&report, "format").iter().all(|found| found == format), "{file}: {:?}", of(&report, "format"));
        let found = of(&report, "json_path");
        assert_eq!((found[0].as_str(), found[count - 1].as_str()), (paths[0], paths[paths.len() - 1]), "{file}");
        let told: Vec<String> = of(&report, "verdict").into_iter().zip(of(&report, "observed")).map(|(v, o)| format!("{v}:{o}")).collect();
        assert_eq!(told, ends, "{file}");
        assert_eq!(report["summary"]["broken_records"], 0, "{file}");
        seen.push(file.to_owned());
    }
    let mut there: Vec<String> =
        fs::read_dir(logs()).expect("fixtures").map(|entry| text(entry.expect("one").file_name().as_encoded_bytes())).collect();
    there.sort();
    seen.sort();
    assert_eq!(there, seen);
}

#[test]
fn agents_speak_in_what_cells_print() {
    let report = scan(&logs(), &["notebook-agents.ipynb"]);
    let told: Vec<(String, String)> = of(&report, "format").into_iter().zip(of(&report, "observed")).collect();
    let expected = [
        ("notebook", "finished"),
        ("notebook", "-"),
        ("notebook", "finished"),
        ("autogen", "raised"),
        ("autogen", "finished"),
        ("notebook", "finished"),
        ("smolagents", "timed_out"),
    ];
    assert_eq!(told, expected.map(|(format, observed)| (format.to_owned(), observed.to_owned())));
}

#[test]
fn models_are_named_wherever_they_stand() {
    let files =
        ["swe-agent-quoted.traj", "openhands-1-output.jsonl", "langsmith-model.json", "smolagents-messages.jsonl", "google-stream.txt"];
    for file in files {
        assert!(of(&scan(&logs(), &[file]), "model").iter().all(|model| model == "m"), "{file}");
    }
}

#[test]
fn pictures_in_folders_are_no_records() {
    let folder = folders::folder(&[("a.jsonl", &chat(FINE))]);
    let picture = b"\x89PNG\r\n\x1a\n\x00\x00\x00\rIHDR";
    fs::write(folder.path().join("a.png"), picture).expect("written");
    let report = scan(folder.path(), &["."]);
    assert_eq!((&report["summary"]["files"], &report["summary"]["broken_records"]), (&json!(1), &json!(0)));
    assert_eq!(scan(folder.path(), &["a.png"])["summary"]["broken_records"], 1);
}

#[test]
fn what_is_no_python_is_counted_by_itself() {
    let folder = folders::folder(&[("a.jsonl", &format!("{}\n{}\n", chat(FINE), chat("a b c\\n")))]);
    let said = text(&folders::run(folder.path(), &["scan", "--stats", "a.jsonl"]).stdout);
    for row in ["bound              0          0          0          1", "syntax             0          0          0          1"] {
        assert!(said.contains(row), "{row}\n{said}");
    }
    let stats = scan(folder.path(), &["--stats", "a.jsonl"])["stats"].clone();
    let invalid = json!({"verdict": "bound", "observed": null, "snippets": 1, "syntax_error": true});
    assert!(stats.as_array().expect("a list").contains(&invalid), "{stats}");
}

#[test]
fn the_name_of_a_file_says_nothing() {
    let folder = folders::folder(&[]);
    for (file, other) in [("codeact-mint.jsonl", "x.md"), ("smolagents.json", "y"), ("notebook.ipynb", "z.txt")] {
        fs::copy(logs().join(file), folder.path().join(other)).expect("copied");
        assert_eq!(of(&scan(folder.path(), &[other]), "json_path"), of(&scan(&logs(), &[file]), "json_path"), "{file}");
    }
}

#[test]
fn cassettes_tables_and_what_has_no_code() {
    let cassette = scan(&logs(), &["cassette.yaml"]);
    assert_eq!(of(&cassette, "format"), ["openai-chat", "anthropic-messages"]);
    assert_eq!(of(&cassette, "json_path")[1], "$.interactions[1].response.body.string|$.content[0].input.code");
    let table = scan(&logs(), &["--column", "code", "table.csv"]);
    assert_eq!(of(&table, "verdict"), ["reject", "bound"]);
    assert_eq!(snippets(&table)[1]["record"], 2);
    let none = folders::run(&logs(), &["scan", "--column", "nothing", "table.csv"]);
    assert_eq!(none.status.code(), Some(2));
    assert!(text(&none.stderr).contains("it has no column `nothing`; it has id, code, note"), "{}", text(&none.stderr));
    assert_eq!(scan(&logs(), &["prose.json"])["summary"]["snippets"], 0);
}

/// The file was written by `pyarrow`.
#[cfg(feature = "parquet")]
#[test]
fn parquet_is_read_and_written() {
    use parquet::file::reader::{FileReader, SerializedFileReader};
    let tables = logs().with_file_name("tables");
    let table = scan(&tables, &["--column", "code", "table.parquet"]);
    assert_eq!(of(&table, "verdict"), ["reject", "bound"]);
    assert_eq!(snippets(&table)[1]["record"], 2);
    for (column, said) in [("nothing", "it has no column `nothing`; it has id, code, note, n"), ("n", "column `n` holds no text")] {
        let none = folders::run(&tables, &["scan", "--column", column, "table.parquet"]);
        assert!(text(&none.stderr).contains(said), "{}", text(&none.stderr));
    }
    let whole = fs::read(tables.join("table.parquet")).expect("it is there");
    let cut = folders::folder(&[]);
    fs::write(cut.path().join("cut.parquet"), &whole[..whole.len() / 2]).expect("written");
    fs::write(cut.path().join("torn.parquet"), [&whole[..100], &vec![0xff; 200][..], &whole[300..]].concat()).expect("written");
    for name in ["cut.parquet", "torn.parquet"] {
        let output = folders::run(cut.path(), &["scan", "--column", "code", name]);
        assert!(text(&output.stderr).contains(name), "{name}: {}", text(&output.stderr));
        assert!(!text(&output.stderr).contains("panicked"), "{}", text(&output.stderr));
    }
    // As CSV says it, in the same order.
    let folder = folders::folder(&[("many.jsonl", &many(12_000))]);
    fs::copy(logs().join("codeact-mint.jsonl"), folder.path().join("mint.jsonl")).expect("copied");
    let csv = folders::run(folder.path(), &["scan", "--format", "csv", "--exit-zero", "mint.jsonl", "many.jsonl"]);
    let output =
        folders::run(folder.path(), &["scan", "--format", "parquet", "--exit-zero", "--output", "out", "mint.jsonl", "many.jsonl"]);
    assert_eq!(output.status.code(), Some(0), "{}", text(&output.stderr));
    let reader = SerializedFileReader::new(fs::File::open(folder.path().join("out")).expect("it is there")).expect("Parquet");
    let mut csv = csv::Reader::from_reader(&csv.stdout[..]);
    let names = csv.headers().expect("a header").clone();
    let mut rows = reader.get_row_iter(None).expect("rows");
    for record in csv.records() {
        let (record, row) = (record.expect("a row"), rows.next().expect("as many rows").expect("a row"));
        for ((name, cell), (column, field)) in names.iter().zip(&record).zip(row.get_column_iter()) {
            let field = field.to_string();
            assert_eq!((name, cell), (column.as_str(), if field == "null" { "" } else { field.trim_matches('"') }));
        }
    }
    assert!(rows.next().is_none());
}

#[cfg(not(feature = "parquet"))]
#[test]
fn without_parquet_it_is_said_how_to_have_it() {
    let tables = logs().with_file_name("tables");
    for args in [&["scan", "--column", "code", "table.parquet"][..], &["scan", "--format", "parquet", "table.parquet"]] {
        let output = folders::run(&tables, args);
        assert_eq!(output.status.code(), Some(2));
        assert!(text(&output.stderr).contains("build it with `--features parquet`"), "{}", text(&output.stderr));
    }
}

#[test]
fn what_is_known_of_a_snippet() {
    let report = scan(&logs(), &["claude-code.jsonl"]);
    let all = snippets(&report);
    let first = &all[0];
    assert_eq!(
        [&first["record"], &first["session"], &first["model"], &first["time"], &first["tool"]],
        [&json!(3), &json!("s1"), &json!("claude-x"), &json!("2026-01-01T00:00:02Z"), &json!("Bash")]
    );
    let log = fs::read_to_string(logs().join("claude-code.jsonl")).expect("it is there");
    let offset = first["offset"].as_u64().expect("an offset") as usize;
    assert!(log[offset..].starts_with("{\"type\": \"assistant\", \"uuid\": \"u2\""));
    // An edit is no program, and a record that comes again is one record.
    assert_eq!((&report["summary"]["fragments"], &report["summary"]["copies"]), (&json!(1), &json!(1)));
    let tried = scan(&logs(), &["codeact-mint.jsonl"]);
    assert_eq!(snippets(&tried).iter().map(|snippet| snippet["retried"].clone()).collect::<Vec<_>>(), [false, false, true]);
    assert_eq!(tried["summary"]["distinct"], 2);
}

#[test]
fn text_says_what_and_where() {
    let output = folders::run(&logs(), &["scan", "--stats", "codeact-mint.jsonl"]);
    let said = text(&output.stdout);
    assert_eq!(output.status.code(), Some(1));
    for part in [
        "AF401 endless-loop",
        "[codeact-mint.jsonl record 1, turn 2 $.state.history[3].content:1:1]",
        "tried again unchanged in the next turn: 1",
        "reject             0          0          2          0",
        "1 file, 1 record: 3 snippets (2 distinct), 2 rejected",
    ] {
        assert!(said.contains(part), "{part}\n{said}");
    }
    assert_eq!(folders::run(&logs(), &["scan", "--exit-zero", "codeact-mint.jsonl"]).status.code(), Some(0));
    assert_eq!(folders::run(&logs(), &["scan", "tora.jsonl"]).status.code(), Some(0));
    assert_eq!(folders::run(&logs(), &["scan", "absent.jsonl"]).status.code(), Some(2));
}

#[test]
fn limits_count() {
    let folder = folders::folder(&[("a.py", "import time\ntime.sleep(20)\n")]);
    assert_eq!(scan(folder.path(), &["a.py"])["summary"]["rejected"], 0);
    assert_eq!(scan(folder.path(), &["--timeout", "10s", "a.py"])["summary"]["rejected"], 1);
}

#[test]
fn turns_of_a_session_know_what_came_before() {
    let record = r#"{"messages": [{"role": "user", "content": "q"}, {"role": "assistant", "content": "```python\nn = 10 ** 9\n```"}, {"role": "user", "content": "Observation: "}, {"role": "assistant", "content": "```python\nprint(2 ** n)\n```"}]}"#;
    let folder = folders::folder(&[("a.jsonl", record)]);
    assert_eq!(of(&scan(folder.path(), &["a.jsonl"]), "verdict"), ["bound", "bound"]);
    assert_eq!(of(&scan(folder.path(), &["--sessions", "a.jsonl"]), "verdict"), ["bound", "reject"]);
    // Steps without a session's name are one session until their numbers begin again, as records and as one list.
    let step = |number: u64, code: &str| json!({"step_number": number, "code_action": code, "error": null}).to_string();
    let steps = [step(1, "n = 10 ** 9"), step(2, "print(2 ** n)"), step(1, "n = 1"), step(2, "print(2 ** n)"), step(2, "print(2 ** n)")];
    let folder = folders::folder(&[("list.json", &format!("[{}]", steps.join(", "))), ("lines.jsonl", &steps.join("\n"))]);
    for name in ["list.json", "lines.jsonl"] {
        let read = scan(folder.path(), &["--sessions", name]);
        assert_eq!(of(&read, "verdict"), ["bound", "reject", "bound", "bound", "bound"], "{name}: {read:#}");
    }
}

#[test]
fn csv_lines_and_sarif_say_the_same() {
    let lines = folders::run(&logs(), &["scan", "--format", "jsonl", "codeact-mint.jsonl"]);
    let lines: Vec<Value> = text(&lines.stdout).lines().map(|line| serde_json::from_str(line).expect("JSON")).collect();
    assert_eq!(lines, snippets(&scan(&logs(), &["codeact-mint.jsonl"])));
    let table = folders::run(&logs(), &["scan", "--format", "csv", "codeact-mint.jsonl"]);
    let table = text(&table.stdout);
    assert_eq!(table.lines().count(), 4);
    assert!(table.lines().nth(2).expect("a row").contains(",timed_out,reject,AF401,"), "{table}");
    let sarif = folders::run(&logs(), &["scan", "--format", "sarif", "codeact-mint.jsonl", "markdown.md"]);
    let sarif: Value = serde_json::from_slice(&sarif.stdout).expect("JSON");
    let schema = fs::read_to_string(Path::new(env!("CARGO_MANIFEST_DIR")).join("tests/schemas/sarif-2.1.0.json")).expect("the schema");
    let schema: Value = serde_json::from_str(&schema).expect("JSON");
    let schema = jsonschema::validator_for(&schema).expect("a schema");
    let wrong: Vec<String> = schema.iter_errors(&sarif).map(|error| format!("{}: {error}", error.instance_path)).collect();
    assert!(wrong.is_empty(), "{wrong:?}");
    let results = sarif["runs"][0]["results"].as_array().expect("results");
    assert_eq!(results.len(), 3);
    assert_eq!(results[2]["locations"][0]["physicalLocation"]["region"]["startLine"], 4, "the line of the file");
}

#[test]
fn packed_logs_are_unpacked() {
    let folder = folders::folder(&[]);
    let log = fs::read(logs().join("codeact-mint.jsonl")).expect("it is there");
    let here = |name: &str| folder.path().join(name);
    let mut gzip = flate2::write::GzEncoder::new(fs::File::create(here("a.gz")).expect("a file"), flate2::Compression::fast());
    gzip.write_all(&log).expect("written");
    gzip.finish().expect("written");
    let packed = ruzstd::encoding::compress_to_vec(&log[..], ruzstd::encoding::CompressionLevel::Fastest);
    // Two frames, one behind the other.
    fs::write(here("a.zst"), [&packed[..], &packed[..]].concat()).expect("written");
    let mut archive = zip::ZipWriter::new(fs::File::create(here("a.eval")).expect("a file"));
    for member in ["_journal/start.json", "samples/1.json", "samples/2.json", "summaries.json"] {
        archive.start_file(member, zip::write::SimpleFileOptions::default()).expect("a member");
        archive.write_all(&fs::read(logs().join("inspect.json")).expect("it is there")).expect("written");
    }
    archive.finish().expect("written");
    assert_eq!(scan(folder.path(), &["a.gz"])["summary"]["snippets"], 3);
    assert_eq!(scan(folder.path(), &["a.zst"])["summary"]["snippets"], 6);
    assert_eq!(of(&scan(folder.path(), &["a.eval"]), "file"), ["a.eval!samples/1.json", "a.eval!samples/2.json"]);
    // What is cut short gives what there is of it, and says so.
    for name in ["a.gz", "a.zst", "a.eval"] {
        let whole = fs::read(here(name)).expect("it is there");
        fs::write(here(name), &whole[..whole.len() * 2 / 5]).expect("written");
        let output = folders::run(folder.path(), &["scan", name]);
        assert!(text(&output.stderr).contains(name), "{name}: {}", text(&output.stderr));
        assert!(!text(&output.stderr).contains("panicked"));
    }
}

#[test]
fn a_broken_record_costs_no_other() {
    let good = chat(FROZEN);
    let cut = &good[..good.len() / 2];
    let mut log = format!("{good}\n{cut}\n\n").into_bytes();
    log.extend(good.replace("\"q\"", "\"\u{e9}\"").bytes().filter(|byte| *byte != 0xa9));
    log.extend(format!("\n{}\n{cut}", chat(FINE)).bytes());
    let folder = folders::folder(&[]);
    fs::write(folder.path().join("a.jsonl"), log).expect("written");
    let report = scan(folder.path(), &["a.jsonl"]);
    assert_eq!(snippets(&report).iter().map(|snippet| snippet["record"].clone()).collect::<Vec<_>>(), [1, 4, 5]);
    let broken = report["broken"].as_array().expect("a list");
    assert_eq!(broken.iter().map(|broken| broken["record"].clone()).collect::<Vec<_>>(), [2, 4, 6]);
    assert!(broken[0]["message"].as_str().expect("text").contains("ends in the middle"));
    assert!(broken[1]["message"].as_str().expect("text").contains("0xc3 is not valid UTF-8"));
    assert!(broken[2]["message"].as_str().expect("text").contains("may still be written"));
}

#[test]
fn an_array_that_breaks_off_gives_its_elements() {
    let folder = folders::folder(&[("a.json", &format!("[\n{},\n{},\n{{\"mess", chat(FROZEN), chat(FINE)))]);
    let report = scan(folder.path(), &["a.json"]);
    assert_eq!(of(&report, "json_path"), ["$[0].messages[1].content", "$[1].messages[1].content"]);
    assert!(report["summary"]["broken_records"].as_u64().expect("a count") > 0);
}

/// Numbers that are the same in each run.
struct Random(u64);

impl Random {
    fn below(&mut self, limit: usize) -> usize {
        self.0 ^= self.0 << 13;
        self.0 ^= self.0 >> 7;
        self.0 ^= self.0 << 17;
        (self.0 % limit.max(1) as u64) as usize
    }
}

fn soak() -> usize {
    std::env::var("ANTIFREEZE_SOAK").ok().and_then(|times| times.parse().ok()).unwrap_or(1)
}

#[test]
fn nothing_that_is_broken_stops_a_scan_or_is_lost() {
    let fixtures: Vec<Vec<u8>> =
        fs::read_dir(logs()).expect("fixtures").map(|entry| fs::read(entry.expect("one").path()).expect("it is there")).collect();
    let mut random = Random(0x5eed);
    let folder = folders::folder(&[]);
    for round in 0..8 * soak() {
        // Whole files, damaged in every way.
        for number in 0..12 {
            let mut bytes = fixtures[random.below(fixtures.len())].clone();
            for _ in 0..=random.below(4) {
                let at = random.below(bytes.len());
                match random.below(5) {
                    0 => bytes.truncate(at),
                    1 => bytes = bytes.split_off(at),
                    2 => bytes.insert(at, [0, 0xff, b'"', b'\\', b'{', b']', b'\n', 0xc3][random.below(8)]),
                    3 => bytes.extend(fixtures[random.below(fixtures.len())].clone()),
                    _ => bytes = bytes.iter().flat_map(|byte| [*byte, 0]).collect(),
                }
                if bytes.is_empty() {
                    break;
                }
            }
            fs::write(folder.path().join(format!("{number}")), bytes).expect("written");
        }
        // Lines of which each is whole or is reported.
        let good = chat(FROZEN);
        let (mut log, mut whole, mut broken) = (Vec::new(), 0, 0);
        for _ in 0..500 {
            if random.below(2) == 0 {
                whole += 1;
                log.extend(good.bytes());
            } else {
                broken += 1;
                log.extend(&good.as_bytes()[..=random.below(good.len() - 1)]);
            }
            log.push(b'\n');
        }
        fs::write(folder.path().join("lines"), log).expect("written");
        let report = scan(folder.path(), &["lines"]);
        assert_eq!(
            (&report["summary"]["snippets"], &report["summary"]["broken_records"]),
            (&json!(whole), &json!(broken)),
            "round {round}"
        );
        let output = folders::run(folder.path(), &["scan", "--format", "jsonl", "."]);
        let said = text(&output.stderr);
        assert!(
            matches!(output.status.code(), Some(0..=2)) && !said.contains("panicked") && !said.contains("internal"),
            "round {round}: {said}"
        );
    }
}

fn many(count: usize) -> String {
    (0..count).fold(String::new(), |mut log, number| {
        let code = if number % 3 == 0 { format!("while True:\\n    x = {number}\\n") } else { format!("print({number})\\n") };
        let _ = writeln!(log, "{}", chat(&code));
        log
    })
}

fn ids(path: &Path) -> Vec<String> {
    let rows = fs::read_to_string(path).expect("rows");
    rows.lines().map(|line| serde_json::from_str::<Value>(line).expect("JSON")["id"].as_str().expect("an id").to_owned()).collect()
}

#[test]
fn a_scan_that_was_killed_goes_on_where_it_was() {
    let folder = folders::folder(&[("a.jsonl", &many(3000)), ("b.jsonl", &many(400))]);
    let args = ["scan", "--format", "jsonl", "--jobs", "2", "--exit-zero", "--output", "rows", "--state", "state", "a.jsonl", "b.jsonl"];
    let whole = folders::run(folder.path(), &["scan", "--format", "jsonl", "--exit-zero", "--output", "whole", "a.jsonl", "b.jsonl"]);
    assert!(whole.status.success(), "{}", text(&whole.stderr));
    let mut random = Random(7);
    for _ in 0..6 {
        let mut child = folders::command(folder.path(), &args).spawn().expect("it starts");
        std::thread::sleep(Duration::from_millis(20 + random.below(1200) as u64));
        let _ = child.kill();
        let _ = child.wait();
    }
    assert!(folders::run(folder.path(), &args).status.success());
    assert_eq!(ids(&folder.path().join("rows")), ids(&folder.path().join("whole")));
    // Nothing new, then something more.
    assert!(folders::run(folder.path(), &args).status.success());
    assert_eq!(ids(&folder.path().join("rows")).len(), 3400);
    fs::write(folder.path().join("b.jsonl"), many(500)).expect("written");
    assert!(folders::run(folder.path(), &args).status.success());
    assert_eq!(ids(&folder.path().join("rows")).len(), 3500);
    let other = folders::run(folder.path(), &["scan", "--timeout", "1", "--state", "state", "a.jsonl"]);
    assert_eq!(other.status.code(), Some(2));
    assert!(text(&other.stderr).contains("other settings"));
}

/// Waits until a file has so many lines.
fn until(path: &Path, lines: usize) {
    let start = Instant::now();
    while fs::read_to_string(path).unwrap_or_default().lines().count() < lines {
        assert!(start.elapsed() < Duration::from_mins(1), "{} has too few lines", path.display());
        std::thread::sleep(Duration::from_millis(20));
    }
}

#[test]
#[cfg(target_os = "linux")]
fn a_log_is_followed_while_it_grows_and_turns_over() {
    let log = many(30);
    let lines: Vec<&str> = log.lines().collect();
    let folder = folders::folder(&[("a.jsonl", &format!("{}\n", lines[..10].join("\n")))]);
    let (path, rows) = (folder.path().join("a.jsonl"), folder.path().join("rows"));
    let args = ["scan", "--follow", "--format", "jsonl", "--state", "state", "--output", "rows", "a.jsonl"];
    let mut child = folders::command(folder.path(), &args).spawn().expect("it starts");
    until(&rows, 10);
    let mut file = fs::File::options().append(true).open(&path).expect("it is there");
    // A line comes in two pieces.
    let (head, tail) = lines[10].split_at(40);
    file.write_all(head.as_bytes()).expect("written");
    std::thread::sleep(Duration::from_millis(500));
    writeln!(file, "{tail}").expect("written");
    until(&rows, 11);
    // Another file takes its place.
    fs::rename(&path, folder.path().join("a.jsonl.1")).expect("moved");
    fs::write(&path, format!("{}\n", lines[11..20].join("\n"))).expect("written");
    until(&rows, 20);
    let process = rustix::process::Pid::from_child(&child);
    rustix::process::kill_process(process, rustix::process::Signal::INT).expect("it is there");
    assert_eq!(child.wait().expect("it ends").code(), Some(130));
    let found = ids(&rows);
    let mut distinct = found.clone();
    distinct.sort();
    distinct.dedup();
    assert_eq!((found.len(), distinct.len()), (20, 20));
}

#[test]
#[cfg(target_os = "linux")]
fn interrupted_it_tells_what_it_found() {
    let folder = folders::folder(&[("a.jsonl", &many(20_000))]);
    let child = folders::command(folder.path(), &["scan", "--format", "json", "a.jsonl"]).stdout(std::process::Stdio::piped()).spawn();
    let child = child.expect("it starts");
    std::thread::sleep(Duration::from_millis(400));
    let _ = rustix::process::kill_process(rustix::process::Pid::from_child(&child), rustix::process::Signal::INT);
    let Output { stdout, status, .. } = child.wait_with_output().expect("it ends");
    let report: Value = serde_json::from_slice(&stdout).expect("a whole report");
    // A fast machine may have been done.
    assert!(status.code() == Some(130) || report["summary"]["snippets"] == 20_000, "{status}");
}

#[test]
fn readers_may_leave_and_usage_is_told() {
    let folder = folders::folder(&[("a.jsonl", &many(3000))]);
    let mut child = folders::command(folder.path(), &["scan", "--format", "jsonl", "--exit-zero", "a.jsonl"])
        .stdout(std::process::Stdio::piped())
        .spawn()
        .expect("it starts");
    drop(child.stdout.take());
    assert_eq!(child.wait().expect("it ends").code(), Some(0));
    for (args, said) in [
        (&["scan", "--format", "jsonl", "--state", "s", "a.jsonl"][..], "needs --output FILE"),
        (&["scan", "--format", "sarif", "--follow", "a.jsonl"], "--follow goes with"),
        (&["scan", "--format", "csv", "--stats", "a.jsonl"], "--stats goes with"),
        (&["scan", "--output", "/nowhere/x", "a.jsonl"], "cannot write the report"),
    ] {
        let output = folders::run(folder.path(), args);
        assert_eq!(output.status.code(), Some(2), "{args:?}");
        assert!(text(&output.stderr).contains(said), "{args:?}: {}", text(&output.stderr));
    }
}

#[test]
fn a_long_line_and_a_deep_one() {
    let long = chat(&format!("x = '{}'\\n", "a".repeat(13_000_000)));
    let deep = format!("{}\"code\"{}", "[".repeat(100_000), "]".repeat(100_000));
    let folder = folders::folder(&[("a.jsonl", &format!("{}\n{long}\n{{\"a\": {deep}}}\n{}\n", chat(FINE), chat(FROZEN)))]);
    let report = scan(folder.path(), &["a.jsonl"]);
    assert_eq!(snippets(&report).iter().map(|snippet| snippet["record"].clone()).collect::<Vec<_>>(), [1, 2, 4]);
    assert_eq!(report["broken"][0]["message"], "it is no JSON: it is nested too deeply");
}
