//! Child processes: what is known of the time some commands take, and who waits for them.

use std::rc::Rc;

use crate::fact::{FactKind, Measure, Proof, Unit};
use crate::library::{Args, Entry, Host, R, Stdin};
use crate::value::object::{IterKind, Obj, Sym, Text, V, Why};

use super::ENDING_ALL;
use super::shell::{self, Command};
use super::support::{attribute_of, instance, interrupting, look, outside_any, outside_int, put};

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
        "subprocess.Popen.wait" => wait_only,
        "subprocess.Popen.communicate" => communicate,
        "subprocess.Popen.__enter__" => |_, args| Ok(args.pos.first().cloned().unwrap_or(V::None)),
        "subprocess.Popen.__exit__" => leave,
        "subprocess.Popen.poll" => poll,
        "subprocess.pipe.readline" => |host, args| read_pipe(host, args, false),
        "subprocess.pipe.read" | "subprocess.pipe.readlines" => |host, args| read_pipe(host, args, true),
        "subprocess.pipe.close" => close_pipe,
        "subprocess.pipe.__iter__" => lines,
        "subprocess.input.write" | "subprocess.input.writelines" | "subprocess.input.flush" => |host, args| fed(host, &args, false),
        "subprocess.input.close" => |host, args| fed(host, &args, true),
        "os.popen" => open_stream,
        _ => return None,
    }))
}

/// The command of a call: a list of words, or a text for the shell.
fn command(host: &mut dyn Host, args: &Args) -> R<Option<Command>> {
    let Some(given) = args.get(0, "args").cloned() else { return Ok(None) };
    // Anything else may find another command, end it, or be refused.
    let plain = |name: &str, value: &V| match name {
        "args" | "shell" | "timeout" => true,
        "stdout" | "stderr" | "stdin" => matches!(value, V::Lib(name) if name.text().starts_with("subprocess.")) || *value == V::None,
        "check" | "capture_output" | "text" | "universal_newlines" | "start_new_session" => matches!(value, V::Bool(_)),
        "encoding" => matches!(value, V::Str(name) if &**name == "utf-8"),
        "executable" => {
            matches!(value, V::Str(path) if matches!(&**path, "/bin/sh" | "/bin/bash")) && args.keyword("shell") == Some(&V::Bool(true))
        }
        "bufsize" => matches!(value, V::Int(_)),
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
        let text = text.clone();
        return if in_shell { shell::of_text(host, &text) } else { shell::of_words(host, &[text.to_string()]).map(Some) };
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
        let text = text.clone();
        let (seconds, writes) = shell::of_program(host, &text)?;
        return Ok(Some(Command { text: "python -c …".to_owned(), seconds, is_silent: false, writes }));
    }
    let words = taken.items.exact.iter().map(|v| if let V::Str(word) = v { Some(word.to_string()) } else { None });
    match words.collect::<Option<Vec<_>>>() {
        Some(words) => shell::of_words(host, &words).map(Some),
        None => Ok(None),
    }
}

/// What is known of a command whose words are the arguments of a call, and at least how long it takes.
pub fn of_arguments(host: &mut dyn Host, args: &Args) -> R<Option<(String, f64)>> {
    let words = args.pos.iter().map(|word| if let V::Str(word) = word { Some(word.to_string()) } else { None });
    let Some(words) = words.collect::<Option<Vec<_>>>().filter(|_| has_plain_streams(host, args)) else { return Ok(None) };
    shell::of_words(host, &words).map(|command| Some((command.text, command.seconds)))
}

/// The same of a text for the shell.
pub fn of_shell(host: &mut dyn Host, args: &Args) -> R<Option<(String, f64)>> {
    match args.pos.as_slice() {
        [V::Str(text)] if has_plain_streams(host, args) => {
            let text = text.clone();
            Ok(shell::of_text(host, &text)?.map(|command| (command.text, command.seconds)))
        }
        _ => Ok(None),
    }
}

/// Whether nothing is said of a process but where its streams lead.
fn has_plain_streams(host: &mut dyn Host, args: &Args) -> bool {
    let plain = |name: &str| matches!(name, "stdin" | "stdout" | "stderr");
    !args.open && !host.mentions(ENVIRONMENT) && args.kw.iter().all(|(name, value)| plain(&name.text()) && matches!(value, V::Lib(_)))
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
pub fn wait_for(host: &mut dyn Host, text: &str, seconds: f64, limit: Option<f64>, callee: &str) -> R<()> {
    let is_timed = limit.is_some_and(|limit| (0.0..seconds).contains(&limit));
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
    if is_timed {
        return Err(host.raise("subprocess.TimeoutExpired", ""));
    }
    if limit < f64::INFINITY {
        host.may_raise("subprocess.TimeoutExpired");
    }
    Ok(())
}

fn run(host: &mut dyn Host, args: Args) -> R<V> {
    detached(host, &args, "subprocess.run");
    may_kill(host, &args);
    starts_itself(host, "subprocess.run");
    // There may be no such command.
    host.may_raise("");
    if let Some(command) = command(host, &args)? {
        if args.keyword("stdin").is_none() {
            reads_input(host, &command, "subprocess.run");
        }
        wait_for(host, &command.text, command.seconds, timeout(&args), "subprocess.run")?;
    }
    outside_any(host, args)
}

fn shell(host: &mut dyn Host, args: Args, callee: &str, result: fn(&mut dyn Host, Args) -> R<V>) -> R<V> {
    if let Some(V::Str(text)) = args.pos.first() {
        detached_by_shell(host, text, callee);
    }
    may_kill(host, &args);
    if let Some(V::Str(text)) = args.pos.first().cloned()
        && !host.mentions(ENVIRONMENT)
        && let Some(command) = shell::of_text(host, &text)?
    {
        if callee == "os.system" {
            reads_input(host, &command, callee);
        }
        wait_for(host, &command.text, command.seconds, Some(f64::INFINITY), callee)?;
    }
    result(host, args)
}

/// A command that does nothing before its input ends reads that of the program.
fn reads_input(host: &mut dyn Host, command: &Command, callee: &str) {
    if command.is_silent && host.stdin() == Stdin::Silent {
        super::stdin::read(host, callee, "OSError");
    }
}

/// A command of a shell beside the program, and the stream that leads to it or comes from it.
fn open_stream(host: &mut dyn Host, args: Args) -> R<V> {
    may_kill(host, &args);
    host.may_raise("OSError");
    let reads = matches!(args.get(1, "mode"), None | Some(V::Str(_))) && args.get(1, "mode").is_none_or(|mode| *mode == V::str("r"));
    let known = match args.get(0, "cmd").cloned() {
        Some(V::Str(text)) if reads && !host.mentions(ENVIRONMENT) => {
            detached_by_shell(host, &text, "os.popen");
            shell::of_text(host, &text)?
        }
        _ => None,
    };
    let Some(command) = known else { return outside_any(host, args) };
    let process = made(host, &command, false);
    Ok(stream(host, &process, true))
}

/// A process that has begun.
fn made(host: &mut dyn Host, command: &Command, is_silent: bool) -> V {
    let attrs = vec![
        (Sym::new("-text"), V::str(&command.text)),
        (Sym::new("-until"), V::Float(host.store().path.cost + command.seconds)),
        (Sym::new("-silent"), V::Bool(is_silent)),
        (Sym::new("-writes"), V::Float(command.writes)),
        (Sym::new("-read"), V::Bool(false)),
        (Sym::new(" pid"), V::any_size(Why::OUTSIDE)),
        (Sym::new(" returncode"), V::Unknown(Why::OUTSIDE)),
    ];
    host.alloc(Obj::Instance { class: V::lib("subprocess.Popen"), attrs: Rc::new(attrs) })
}

/// What a process writes, as long as nobody touches what leads to it.
fn stream(host: &mut dyn Host, process: &V, is_text: bool) -> V {
    let attrs = vec![(Sym::new("-of"), process.clone()), (Sym::new("-text"), V::Bool(is_text))];
    host.alloc(Obj::Instance { class: V::lib("subprocess.pipe"), attrs: Rc::new(attrs) })
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
fn may_kill(host: &mut dyn Host, args: &Args) {
    let is_named = matches!(args.pos.first(), Some(V::Str(text)) if text.contains("kill"));
    if is_named || host.spells("kill") || host.call_text().contains("kill") {
        host.interruptible();
    }
}

fn popen(host: &mut dyn Host, args: Args) -> R<V> {
    detached(host, &args, "subprocess.Popen");
    may_kill(host, &args);
    starts_itself(host, "subprocess.Popen");
    host.may_raise("");
    let known = command(host, &args)?;
    look(host, &args);
    let Some(command) = known else { return Ok(V::Unknown(Why::OUTSIDE)) };
    let is_pipe = |name: &str| matches!(args.keyword(name), Some(V::Lib(pipe)) if &*pipe.text() == "subprocess.PIPE");
    let is_silent = command.is_silent && is_pipe("stdin") && is_pipe("stdout");
    host.spawned(command.seconds, "subprocess.Popen");
    let process = made(host, &command, is_silent);
    if is_silent {
        let attrs = vec![(Sym::new("-of"), process.clone())];
        let input = host.alloc(Obj::Instance { class: V::lib("subprocess.input"), attrs: Rc::new(attrs) });
        put(host, &process, vec![(Sym::new(" stdin"), input)]);
    }
    if is_pipe("stdout") {
        let is_text =
            ["text", "universal_newlines", "encoding"].iter().any(|name| args.keyword(name).is_some_and(|v| *v != V::Bool(false)));
        let pipe = stream(host, &process, is_text);
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

/// Names of what ends a process.
pub const ENDING: &[&str] = &["terminate", "kill", "killpg", "send_signal"];

/// What is written to a pipe that nobody reads stays in it, up to so many bytes.
const PIPE_BYTES: f64 = 65536.0;

/// Whether something in the program ends processes, if it is a command.
fn may_be_ended(host: &mut dyn Host) -> bool {
    host.mentions_yet(ENDING) || host.spells("kill")
}

/// The process runs while the program does.
fn seconds_left(host: &mut dyn Host, attrs: &[(Sym, V)]) -> Option<(Rc<str>, f64)> {
    match (part(attrs, "-until"), part(attrs, "-text")) {
        (V::Float(until), V::Str(text)) if !may_be_ended(host) => Some((text, until - host.store().path.cost)),
        _ => None,
    }
}

fn poll(host: &mut dyn Host, args: Args) -> R<V> {
    if let Some(attrs) = state(host, args.pos.first())
        && seconds_left(host, &attrs).is_some_and(|(_, seconds)| seconds == f64::INFINITY)
    {
        return Ok(V::None);
    }
    outside_any(host, args)
}

fn wait(host: &mut dyn Host, args: Args) -> R<V> {
    if let Some(attrs) = state(host, args.pos.first()) {
        let limit = if args.pos.len() > 1 { None } else { timeout(&args) };
        if args.keyword("input").is_none()
            && let Some((text, seconds)) = seconds_left(host, &attrs)
        {
            wait_for(host, &text, seconds, limit, "Popen.wait")?;
        }
    }
    host.may_raise("");
    Ok(V::Unknown(Why::OUTSIDE))
}

/// Waits for a process alone, and reads nothing of what it writes.
fn wait_only(host: &mut dyn Host, args: Args) -> R<V> {
    if let Some(attrs) = state(host, args.pos.first())
        && args.exactly(1)
        && matches!(part(&attrs, "-writes"), V::Float(bytes) if bytes > 2.0 * PIPE_BYTES)
        && part(&attrs, "-read") == V::Bool(false)
        && state(host, Some(&part(&attrs, " stdout"))).is_some()
        && let Some((text, _)) = seconds_left(host, &attrs)
    {
        let reason = format!("`{text}` writes more than fits into its pipe, and nobody reads it");
        return Err(host.waits_forever(FactKind::Subprocess, "Popen.wait", &reason));
    }
    if let Some(attrs) = state(host, args.pos.first())
        && args.exactly(1)
        && part(&attrs, "-silent") == V::Bool(true)
        && !may_be_ended(host)
        && let V::Str(text) = part(&attrs, "-text")
    {
        let reason = format!("`{text}` ends when its input does, and nobody ends it");
        return Err(host.waits_forever(FactKind::Subprocess, "Popen.wait", &reason));
    }
    wait(host, args)
}

fn communicate(host: &mut dyn Host, args: Args) -> R<V> {
    drained(host, args.pos.first());
    wait(host, args)
}

/// Somebody reads what the process writes.
fn drained(host: &mut dyn Host, process: Option<&V>) {
    if let Some(process) = process
        && state(host, Some(process)).is_some()
    {
        put(host, process, vec![(Sym::new("-read"), V::Bool(true))]);
    }
}

/// The process at the other end of a pipe, and whether text comes out of it.
fn writer(host: &mut dyn Host, args: &Args) -> Option<(V, Vec<(Sym, V)>, bool)> {
    let attrs = state(host, args.pos.first())?;
    let process = part(&attrs, "-of");
    let of_process = state(host, Some(&process))?;
    Some((process, of_process, part(&attrs, "-text") == V::Bool(true)))
}

/// Some of what a process writes: something, as long as it runs.
fn piece(is_text: bool, low: u64) -> V {
    if is_text { V::strs(low, u64::MAX, Why::OUTSIDE) } else { V::ManyBytes(Text::between(low, u64::MAX, Why::OUTSIDE)) }
}

/// Commands that what they read tells what to do, so that it may end them.
const TOLD: &[&str] = &["bash", "sh", "python", "python3", "bc"];

/// Something is written to a process that waits for its input, or that is closed.
fn fed(host: &mut dyn Host, args: &Args, is_closed: bool) -> R<V> {
    if let Some(attrs) = state(host, args.pos.first()) {
        let process = part(&attrs, "-of");
        if let Some(attrs) = state(host, Some(&process)) {
            let is_told = matches!(part(&attrs, "-text"), V::Str(text) if TOLD.contains(&&*text));
            let what = if is_closed || is_told { "-silent" } else { "-fed" };
            put(host, &process, vec![(Sym::new(what), V::Bool(what == "-fed"))]);
        }
    }
    host.may_raise("");
    Ok(V::Unknown(Why::OUTSIDE))
}

/// Whether what a command writes can be taken for text, if it is.
fn is_readable(command: &str, is_text: bool) -> bool {
    !is_text || !command.contains("random")
}

/// Reads a line, or all there is: the last of it when the process ends.
fn read_pipe(host: &mut dyn Host, args: Args, is_all: bool) -> R<V> {
    let Some((process, attrs, is_text)) = writer(host, &args) else {
        host.may_raise("");
        return Ok(V::Unknown(Why::OUTSIDE));
    };
    drained(host, Some(&process));
    if part(&attrs, "-silent") == V::Bool(true)
        && ((is_all && args.exactly(1)) || attribute_of(&attrs, "-fed").is_none())
        && !may_be_ended(host)
        && let V::Str(text) = part(&attrs, "-text")
    {
        let reason = format!("`{text}` writes nothing before its input ends, and nobody ends it");
        return Err(host.waits_forever(FactKind::Subprocess, "Popen.stdout", &reason));
    }
    let left = seconds_left(host, &attrs);
    if let Some((text, seconds)) = &left
        && is_all
        && args.exactly(1)
    {
        wait_for(host, text, *seconds, Some(f64::INFINITY), "Popen.stdout.read")?;
    }
    let runs = args.exactly(1) && left.is_some_and(|(text, seconds)| seconds == f64::INFINITY && is_readable(&text, is_text));
    if !runs {
        host.may_raise("");
    }
    Ok(piece(is_text, u64::from(runs)))
}

/// The end of `with`: pipes are closed, and the process is waited for.
fn leave(host: &mut dyn Host, args: Args) -> R<V> {
    let process = args.pos.first().cloned();
    if state(host, process.as_ref()).is_some_and(|attrs| attribute_of(&attrs, " stdout").is_some()) {
        host.may_raise("");
        return Ok(V::None);
    }
    wait(host, Args::of(process)).map(|_| V::None)
}

/// Whoever writes to what nobody reads any more is ended by it.
fn close_pipe(host: &mut dyn Host, args: Args) -> R<V> {
    if let Some((process, ..)) = writer(host, &args) {
        drained(host, Some(&process));
        put(host, &process, vec![(Sym::new("-text"), V::Unknown(Why::OUTSIDE))]);
    }
    host.may_raise("");
    Ok(V::Unknown(Why::OUTSIDE))
}

/// The lines of a process that never ends never end.
fn lines(host: &mut dyn Host, args: Args) -> R<V> {
    if let Some((process, attrs, is_text)) = writer(host, &args)
        && part(&attrs, "-silent") == V::Bool(false)
        && seconds_left(host, &attrs).is_some_and(|(text, seconds)| seconds == f64::INFINITY && is_readable(&text, is_text))
    {
        drained(host, Some(&process));
        return Ok(super::support::iterator(host, IterKind::Repeat, vec![piece(is_text, 1), V::None]));
    }
    if let Some((process, ..)) = writer(host, &args) {
        drained(host, Some(&process));
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
