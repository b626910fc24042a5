//! Child processes: what is known of the time some commands take, and who waits for them.

use std::rc::Rc;

use crate::fact::{FactKind, Measure, Proof, Unit};
use crate::library::{Args, Entry, Host, R};
use crate::value::object::{Obj, Sym, V, Why};

use super::ENDING_ALL;
use super::support::{attribute_of, instance, interrupting, look, outside_any, outside_int, put};

/// Commands that never end by themselves: their words, of which the first may come with a path.
const ENDLESS: &[&[&str]] = &[
    &["yes"],
    &["tail", "-f", "/dev/null"],
    &["tail", "-F", "/dev/null"],
    &["sleep", "infinity"],
    &["sleep", "inf"],
    &["cat", "/dev/zero"],
    &["cat", "/dev/urandom"],
];

/// Commands that write nothing before their input ends.
const SILENT: &[&str] =
    &["cat", "sort", "wc", "tac", "rev", "md5sum", "sha256sum", "bash", "sh", "python", "python3", "bc", "tee", "cut", "nl"];

/// Characters of a shell that make more of a command than words.
const SHELL: &[char] = &['|', '&', ';', '<', '>', '(', ')', '$', '`', '\\', '"', '\'', '*', '?', '[', '#', '~', '=', '%', '{', '\n'];

/// Names through which a program may change where commands are found.
const ENVIRONMENT: &[&str] = &["environ", "environb", "putenv", "unsetenv"];

/// The entry for a qualified name.
pub fn find(name: &str) -> Option<Entry> {
    Some(Entry::Function(match name {
        "subprocess.run" | "subprocess.call" | "subprocess.check_call" | "subprocess.check_output" => run,
        "subprocess.getoutput" => |host, args| shell(host, args, "subprocess.getoutput", outside_any),
        "subprocess.getstatusoutput" => |host, args| shell(host, args, "subprocess.getstatusoutput", outside_any),
        "os.system" => |host, args| shell(host, args, "os.system", outside_int),
        "os.setsid" | "os.daemon" => |host, args| {
            host.may_raise("OSError");
            detaches(host, "os.setsid", "it begins a session of its own");
            outside_any(host, args)
        },
        "subprocess.Popen" => popen,
        "subprocess.Popen.wait" | "subprocess.Popen.communicate" => wait,
        "subprocess.Popen.__enter__" => |_, args| Ok(args.pos.first().cloned().unwrap_or(V::None)),
        "subprocess.Popen.__exit__" => |host, args| wait(host, Args::of(args.pos.first().cloned())).map(|_| V::None),
        "subprocess.Popen.poll" => outside_any,
        "subprocess.pipe.readline" | "subprocess.pipe.read" => read_pipe,
        _ => return None,
    }))
}

/// What is known of a command.
#[derive(Debug, Clone)]
struct Command {
    /// Its words, for messages.
    text: String,
    /// At least how many seconds it takes.
    seconds: f64,
    /// Whether it writes nothing before its input ends.
    is_silent: bool,
}

/// The command of a call: a list of words, or a text for the shell.
fn command(host: &mut dyn Host, args: &Args) -> R<Option<Command>> {
    let Some(given) = args.get(0, "args").cloned() else { return Ok(None) };
    // Anything else may find another command, end it, or be refused.
    let plain = |name: &str, value: &V| match name {
        "args" | "shell" | "timeout" => true,
        "stdout" | "stderr" | "stdin" => {
            matches!(value, V::Lib(name) if name.text().starts_with("subprocess."))
        }
        "check" | "capture_output" | "text" => matches!(value, V::Bool(_)),
        _ => false,
    };
    let is_plain = args.pos.len() <= 1 && !args.open && args.kw.iter().all(|(name, value)| plain(&name.text(), value));
    let captures = args.keyword("capture_output") == Some(&V::Bool(true)) && (args.keyword("stdout").or(args.keyword("stderr"))).is_some();
    let is_replaced = ["subprocess.Popen", "os.environ"].iter().any(|name| host.store().is_patched(Sym::new(name)));
    if !is_plain || captures || is_replaced || host.mentions(ENVIRONMENT) {
        return Ok(None);
    }
    let in_shell = match args.keyword("shell") {
        None | Some(V::Bool(false)) => false,
        Some(V::Bool(true)) => true,
        Some(_) => return Ok(None),
    };
    if let V::Str(text) = &given {
        return Ok(if in_shell { in_words(text) } else { Some(known(&[text.to_string()])) });
    }
    if in_shell {
        return Ok(None);
    }
    let Some(taken) = host.foresee(&given)? else { return Ok(None) };
    if taken.items.rest.is_some() {
        return Ok(None);
    }
    // Another interpreter runs a program that is known.
    if let [V::Strs(_), V::Str(option), V::Str(text)] = taken.items.exact.as_slice()
        && &**option == "-c"
        && host.call_text().contains("[sys.executable,")
        && !host.store().is_patched(Sym::new("sys.executable"))
    {
        let text = V::Str(text.clone());
        let seconds = match host.special("program", Args::of([text]))? {
            V::Float(seconds) => seconds,
            _ => 0.0,
        };
        return Ok(Some(Command { text: "python -c …".to_owned(), seconds, is_silent: false }));
    }
    let words = taken.items.exact.iter().map(|v| if let V::Str(word) = v { Some(word.to_string()) } else { None });
    Ok(words.collect::<Option<Vec<_>>>().map(|words| known(&words)))
}

/// A text that a shell only takes apart into words, or the first of several commands, which comes to its end before the next.
fn in_words(text: &str) -> Option<Command> {
    let text = text.split_once("&&").map_or(text, |(first, _)| first);
    let text = text.split_once(';').map_or(text, |(first, _)| first).trim();
    let text = text.strip_suffix("2>&1").unwrap_or(text).trim_end();
    let text = text.strip_suffix("/dev/null").and_then(|text| text.trim_end().strip_suffix('>')).unwrap_or(text);
    if text.contains(SHELL) {
        return None;
    }
    Some(known(&text.split_whitespace().map(str::to_owned).collect::<Vec<_>>()))
}

fn known(words: &[String]) -> Command {
    let first = words.first().map_or("", |word| word.strip_prefix("/usr").unwrap_or(word));
    let first = first.strip_prefix("/bin/").unwrap_or(first);
    let rest: Vec<&str> = words.iter().skip(1).map(String::as_str).collect();
    let repeats = first == "yes" && rest.iter().all(|word| !word.starts_with('-'));
    let endless = ENDLESS.iter().any(|known| known[0] == first && known[1..] == rest[..]) || repeats;
    let seconds = if endless {
        f64::INFINITY
    } else if first == "sleep" && !rest.is_empty() {
        rest.iter().map(|word| duration(word)).sum::<Option<f64>>().unwrap_or(0.0)
    } else {
        0.0
    };
    Command { text: words.join(" "), seconds, is_silent: SILENT.contains(&first) && rest.is_empty() }
}

/// A duration as `sleep` takes it.
fn duration(word: &str) -> Option<f64> {
    let (number, unit) = match word.char_indices().last()? {
        (at, 's') => (&word[..at], 1.0),
        (at, 'm') => (&word[..at], 60.0),
        (at, 'h') => (&word[..at], 3600.0),
        (at, 'd') => (&word[..at], 86400.0),
        _ => (word, 1.0),
    };
    if number.is_empty() || !number.bytes().all(|byte| byte.is_ascii_digit() || byte == b'.') {
        return None;
    }
    number.parse::<f64>().ok().map(|n| n * unit)
}

/// How long a call waits at most; infinite without a timeout, none where that is not known.
fn timeout(args: &Args) -> Option<f64> {
    match args.keyword("timeout") {
        None | Some(V::None) => Some(f64::INFINITY),
        Some(V::Int(n)) => Some(*n as f64),
        Some(V::Float(f)) if !f.is_nan() => Some(*f),
        Some(_) => None,
    }
}

/// Waits for a command that takes at least so long: over, or until the time is up.
fn wait_for(host: &mut dyn Host, text: &str, seconds: f64, limit: Option<f64>, callee: &str) -> R<()> {
    let limit = limit.unwrap_or(0.0).max(0.0);
    if seconds == f64::INFINITY && limit == f64::INFINITY {
        return Err(host.waits_forever(FactKind::Subprocess, callee, &format!("`{text}` never ends")));
    }
    let waited = seconds.min(limit);
    let (before, most) = (host.store().path.cost, host.limits().timeout);
    if waited > 0.0 {
        host.store().path.cost = before + waited;
        if before + waited > most && before <= most {
            let measure = Measure { unit: Unit::Seconds, low: before + waited, high: f64::INFINITY };
            let proof = host.proof_of_sum(waited);
            let words = [("callee", callee.to_owned()), ("reason", format!("`{text}` takes {waited} s"))];
            host.fact(FactKind::Subprocess, Some(measure), proof, &words);
        }
    }
    if limit < f64::INFINITY {
        host.may_raise("subprocess.TimeoutExpired");
    }
    Ok(())
}

fn run(host: &mut dyn Host, args: Args) -> R<V> {
    detached(host, &args, "subprocess.run");
    may_kill(host);
    starts_itself(host, "subprocess.run");
    // There may be no such command.
    host.may_raise("");
    if let Some(command) = command(host, &args)? {
        wait_for(host, &command.text, command.seconds, timeout(&args), "subprocess.run")?;
    }
    outside_any(host, args)
}

fn shell(host: &mut dyn Host, args: Args, callee: &str, result: fn(&mut dyn Host, Args) -> R<V>) -> R<V> {
    if let Some(V::Str(text)) = args.pos.first() {
        detached_by_shell(host, text, callee);
    }
    if let Some(V::Str(text)) = args.pos.first()
        && text.contains("kill")
    {
        // It may end the program.
        host.interruptible();
    }
    if let Some(V::Str(text)) = args.pos.first()
        && let Some(command) = in_words(text)
        && !host.mentions(ENVIRONMENT)
    {
        wait_for(host, &command.text, command.seconds, Some(f64::INFINITY), callee)?;
    }
    result(host, args)
}

/// What a process is reported that lives on by itself when the program ends.
fn detaches(host: &mut dyn Host, callee: &str, reason: &str) {
    if !host.mentions(&["kill", "killpg", "send_signal", "terminate", "communicate", "wait"]) {
        host.fact(FactKind::DetachedProcess, None, Proof::Proven, &[("callee", callee.to_owned()), ("reason", reason.to_owned())]);
    }
}

fn detached(host: &mut dyn Host, args: &Args, callee: &str) {
    let session = args.keyword("start_new_session") == Some(&V::Bool(true));
    let setsid = matches!(args.keyword("preexec_fn"), Some(V::Lib(name)) if matches!(&*name.text(), "os.setsid" | "os.setpgrp"));
    if session || setsid {
        // Whoever waits for it holds it.
        if callee == "subprocess.Popen" {
            detaches(host, callee, "it is given a session of its own");
        }
    } else if let (Some(V::Str(text)), Some(V::Bool(true))) = (args.get(0, "args"), args.keyword("shell")) {
        let text = text.clone();
        detached_by_shell(host, &text, callee);
    }
}

/// `command &` runs on in the background.
fn detached_by_shell(host: &mut dyn Host, text: &str, callee: &str) {
    let text = text.trim();
    let background = text.ends_with('&') && !text.ends_with("&&");
    let first = text.split_whitespace().next().unwrap_or("");
    if background || first == "setsid" {
        detaches(host, callee, "the shell leaves it in the background");
    }
}

/// A command of which nothing but its words is known may end the program.
fn may_kill(host: &mut dyn Host) {
    if host.call_text().contains("kill") {
        host.interruptible();
    }
}

fn popen(host: &mut dyn Host, args: Args) -> R<V> {
    detached(host, &args, "subprocess.Popen");
    may_kill(host);
    starts_itself(host, "subprocess.Popen");
    host.may_raise("");
    let known = command(host, &args)?;
    look(host, &args);
    let Some(command) = known else { return Ok(V::Unknown(Why::OUTSIDE)) };
    let is_pipe = |name: &str| matches!(args.keyword(name), Some(V::Lib(pipe)) if &*pipe.text() == "subprocess.PIPE");
    let is_silent = command.is_silent && is_pipe("stdin") && is_pipe("stdout");
    host.spawned(command.seconds, "subprocess.Popen");
    let attrs = vec![
        (Sym::new("-text"), V::str(&command.text)),
        (Sym::new("-until"), V::Float(host.store().path.cost + command.seconds)),
        (Sym::new("-silent"), V::Bool(is_silent)),
    ];
    let process = host.alloc(Obj::Instance { class: V::lib("subprocess.Popen"), attrs: Rc::new(attrs) });
    if is_silent {
        // As long as nobody touches what leads to it.
        let pipe = host.alloc(Obj::Instance { class: V::lib("subprocess.pipe"), attrs: Rc::new(vec![(Sym::new("-of"), process.clone())]) });
        put(host, &process, vec![(Sym::new(" stdout"), pipe)]);
    }
    Ok(process)
}

/// What is known of a process, or of a pipe.
fn state(host: &mut dyn Host, value: Option<&V>) -> Option<Vec<(Sym, V)>> {
    let (class, attrs) = instance(host, value?)?;
    matches!(class, V::Lib(_)).then_some(attrs)
}

fn part(attrs: &[(Sym, V)], name: &str) -> V {
    attribute_of(attrs, name).unwrap_or(V::Unknown(Why::Lost))
}

fn wait(host: &mut dyn Host, args: Args) -> R<V> {
    if let Some(attrs) = state(host, args.pos.first()) {
        let limit = if args.pos.len() > 1 { None } else { timeout(&args) };
        if let (V::Float(until), V::Str(text)) = (part(&attrs, "-until"), part(&attrs, "-text"))
            && args.keyword("input").is_none()
            && !host.mentions(&["terminate", "kill", "killpg", "send_signal"])
        {
            // It runs while the program does.
            let seconds = until - host.store().path.cost;
            wait_for(host, &text, seconds, limit, "Popen.wait")?;
        }
    }
    host.may_raise("");
    Ok(V::Unknown(Why::OUTSIDE))
}

fn read_pipe(host: &mut dyn Host, args: Args) -> R<V> {
    if let Some(attrs) = state(host, args.pos.first())
        && let Some(process) = state(host, Some(&part(&attrs, "-of")))
        && matches!(part(&process, "-silent"), V::Bool(true))
        && let V::Str(text) = part(&process, "-text")
    {
        let reason = format!("`{text}` writes nothing before its input ends, and nobody ends it");
        return Err(host.waits_forever(FactKind::Subprocess, "Popen.stdout", &reason));
    }
    host.may_raise("");
    Ok(V::Unknown(Why::OUTSIDE))
}

/// A program that always starts itself again makes processes without end.
fn starts_itself(host: &mut dyn Host, callee: &str) {
    const ITSELF: &[&str] =
        &["([sys.executable,__file__]", "([sys.executable,sys.argv[0]]", "([sys.executable]+sys.argv", "([sys.executable,*sys.argv]"];
    let text = host.call_text();
    if !host.is_file() || !host.is_certain() || !ITSELF.iter().any(|known| text.contains(known)) {
        return;
    }
    if ["sys.executable", "sys.argv"].iter().any(|name| host.store().is_patched(Sym::new(name))) || text.contains("env=") {
        return;
    }
    let proof = if host.mentions(&["environ", "getenv", "putenv", "__name__"]) { Proof::Likely } else { host.proof() };
    let measure = Measure { unit: Unit::Processes, low: f64::INFINITY, high: f64::INFINITY };
    host.fact(FactKind::SpawnBomb, Some(measure), proof, &[("callee", callee.to_owned())]);
}

/// The entry for what copies or replaces the process.
pub fn find_os(name: &str) -> Option<Entry> {
    Some(Entry::Function(match name {
        "fork" => fork,
        "forkpty" => interrupting,
        _ => return None,
    }))
}

/// Names of what ends a process, or waits for the end of another.
const LEAVING: &[&str] = &["SystemExit", "exit", "quit", "wait", "wait3", "wait4", "waitpid"];

/// In the child it is 0. Nobody knows which of the two goes on here, so what is said from here on holds for both.
fn fork(host: &mut dyn Host, args: Args) -> R<V> {
    if !args.pos.is_empty() {
        return Err(host.raise("TypeError", ""));
    }
    host.may_raise("OSError");
    // Every copy goes on as this one does, where nobody asks which it is.
    let nobody_leaves = host.is_in_closed_loop() && !host.mentions(LEAVING) && !host.mentions(ENDING_ALL);
    if host.is_discarded() || nobody_leaves {
        host.spawned(f64::INFINITY, "os.fork");
    } else {
        // What only the child comes to keeps nobody waiting.
        host.interruptible();
    }
    let child = crate::value::int::Int::range(1, 1 << 31);
    Ok(V::OneOf(Rc::new([V::Int(0), V::int(child, Why::OUTSIDE)])))
}
