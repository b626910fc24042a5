//! `antifreeze debug repro`: runs a program as `antifreeze run` does and packs what a bug report needs. The program's text, what it
//! wrote and what it computed stay out of it unless asked for.

use std::io::{self, Write};
use std::path::Path;

use serde_json::{Value, json};

use super::run::{self, Ran, RunArgs, RunFormat};
use super::{Exit, complain, written};
use crate::executor;
use crate::outcome::{Outcome, OutcomeKind};
use crate::report::json::write;
use crate::report::text::Color;
use crate::source::Source;

/// Run a program as `run` does, and pack what a bug report needs
#[derive(Debug, Clone, clap::Args)]
pub struct ReproArgs {
    /// The program and how to run it
    #[command(flatten)]
    pub run: RunArgs,
    /// Put the program's text, its output and its messages in, too
    #[arg(long)]
    pub with_code: bool,
}

/// What is asked of the interpreter about itself.
const VERSION: &str = "import sys, platform\n[sys.version, sys.implementation.name, platform.machine(), list(platform.libc_ver()), \
                       sys.prefix != sys.base_prefix, sys.flags.dev_mode, sys.getfilesystemencoding()]";

/// Does it.
pub fn run(args: &ReproArgs) -> Exit {
    let with_code = args.with_code;
    let args = RunArgs { format: RunFormat::Json, ..args.run.clone() };
    let Ran { outcome, limits, source, .. } = match run::gate_and_execute(&args, Color::Never) {
        Ok(ran) => ran,
        Err(message) => {
            complain(&message);
            return Exit::Usage;
        }
    };
    let asked = RunArgs {
        path: None,
        code: Some(VERSION.into()),
        args: Vec::new(),
        no_gate: true,
        no_guards: true,
        cwd: None,
        stdin: "closed".into(),
        confine: false,
        limits: super::limits::LimitArgs::default(),
        ..args.clone()
    };
    let interpreter = run::gate_and_execute(&asked, Color::Never).map_or(Value::Null, |ran| ran.outcome.result);
    let name = source.as_ref().map_or("", |source| source.name.as_str());
    let pack = json!({
        "version": 1,
        "antifreeze": env!("CARGO_PKG_VERSION"),
        "system": {"os": std::env::consts::OS, "arch": std::env::consts::ARCH, "kernel": executor::features()},
        "python": interpreter,
        "limits": limits,
        "flags": {
            "no_gate": args.no_gate, "no_guards": args.no_guards, "confine": args.confine, "strict_output": args.strict_output,
            "stdin": if ["closed", "inherit"].contains(&args.stdin.as_str()) { args.stdin.as_str() } else { "file" },
            "no_namespace": std::env::var("ANTIFREEZE_NO_NAMESPACE").ok(),
        },
        "code": source.as_ref().filter(|_| with_code).map(Source::original_text),
        "code_bytes": source.as_ref().map(|source| source.text.len()),
        "outcome": if with_code { serde_json::to_value(&outcome).unwrap_or_default() } else { without_code(&outcome, name) },
    });
    let mut out = io::stdout().lock();
    written(write(&mut out, &pack, true).and_then(|()| out.flush()), Exit::Fine)
}

/// An outcome without anything of the program's own: no text, no names, no paths.
fn without_code(outcome: &Outcome, name: &str) -> Value {
    let mut value = serde_json::to_value(outcome).unwrap_or_default();
    let Some(fields) = value.as_object_mut() else { return Value::Null };
    for stream in ["stdout", "stderr"] {
        fields.remove(&format!("{stream}_base64"));
        let bytes = fields[stream].as_str().map_or(0, str::len);
        fields.insert(stream.into(), json!({"bytes": bytes}));
    }
    fields.insert("result".into(), Value::Null);
    fields.insert("result_repr".into(), Value::Null);
    // These messages are our own; the others are the program's.
    let ours = matches!(outcome.outcome, OutcomeKind::Internal | OutcomeKind::Guarded);
    if let Some(error) = fields.get_mut("error").and_then(Value::as_object_mut) {
        error.insert("traceback".into(), Value::Null);
        if !ours {
            error.insert("message".into(), Value::Null);
        }
        // A class of the program's own has a name of its own.
        if let Some(kind) = error["type"].as_str().filter(|kind| !kind.ends_with("Error") && *kind != "antifreeze") {
            let known = ["SystemExit", "KeyboardInterrupt", "StopIteration", "GeneratorExit", "Exception", "BaseException"];
            if !known.contains(&kind) {
                error.insert("type".into(), "another".into());
            }
        }
    }
    if let Some(findings) = fields.get_mut("findings").and_then(Value::as_array_mut) {
        for finding in findings.iter_mut().filter_map(Value::as_object_mut) {
            finding.remove("message");
            finding.remove("help");
        }
    }
    fields.get_mut("stack").into_iter().for_each(|stack| frames(stack, name));
    if let Some(threads) = fields.get_mut("threads").and_then(Value::as_array_mut) {
        for thread in threads.iter_mut().filter_map(Value::as_object_mut) {
            let command = thread["command"].as_str().and_then(|command| command.split_whitespace().next()).unwrap_or("").to_owned();
            let command = Path::new(&command).file_name().map(|name| name.to_string_lossy().into_owned());
            thread.insert("command".into(), command.map_or(Value::Null, Value::from));
            thread.get_mut("frames").into_iter().for_each(|list| frames(list, name));
        }
    }
    value
}

/// Frames of the standard library stay as they are; of the program's own only the line stays.
fn frames(list: &mut Value, name: &str) {
    for frame in list.as_array_mut().into_iter().flatten().filter_map(Value::as_object_mut) {
        let file = frame["file"].as_str().unwrap_or("").to_owned();
        let library = file.split_once("/lib/python").filter(|(_, rest)| !rest.contains("site-packages"));
        let shown = match library {
            Some((_, rest)) => format!("lib/python{rest}"),
            None if file == name => "<program>".into(),
            None => "<another file>".into(),
        };
        if library.is_none() {
            frame.insert("function".into(), "".into());
        }
        frame.insert("file".into(), shown.into());
        frame.insert("source".into(), Value::Null);
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::outcome::{ErrorInfo, Frame};

    #[test]
    fn nothing_of_the_program_is_left() {
        let frame =
            |file: &str, function: &str| Frame { file: file.into(), line: 3, function: function.into(), source: Some("secret()".into()) };
        let outcome = Outcome {
            stdout: "secret".into(),
            stderr: "secret".into(),
            result: json!(["secret"]),
            result_repr: Some("secret".into()),
            error: Some(ErrorInfo { kind: "Secret".into(), message: "secret".into(), line: Some(3), traceback: Some("secret".into()) }),
            findings: vec![json!({"code": "AF101", "message": "secret", "help": "secret"})],
            stack: Some(vec![frame("/home/secret/x.py", "secret"), frame("/usr/lib/python3.12/threading.py", "wait")]),
            ..Outcome::new(OutcomeKind::Raised)
        };
        let value = without_code(&outcome, "/home/secret/x.py");
        let text = value.to_string().to_lowercase();
        assert!(!text.contains("secret"), "{text}");
        assert!(text.contains("lib/python3.12/threading.py") && text.contains("af101"), "{text}");
    }
}
