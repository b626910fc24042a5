//! The host's side of a run: starts the helper, passes output on, and makes an [`Outcome`] of the ending.

use std::io::Write;
use std::os::fd::OwnedFd;
use std::os::unix::net::UnixStream;
use std::os::unix::process::CommandExt;
use std::path::Path;
use std::process::{Child, Command, Stdio};
use std::time::{Duration, Instant};

use rustix::event::{PollFd, PollFlags, Timespec, poll};
use rustix::process::{Pid, PidfdFlags, pidfd_open};
use serde_json::{Value, json};

use super::cgroup::Cgroup;
use super::confine::Confinement;
use super::frames::WORKER_FILE;
use super::wire::{self, Ending, Got, Job, Reader, Stop, frame};
use super::{Request, START_LIMIT, SUPERVISE, Stdin, Stream, Unusable, sys, tree};
use crate::limits::Limits;
use crate::outcome::{ErrorInfo, Frame, GuardSite, LimitHit, Outcome, OutcomeKind};
use crate::syntax::Span;
use crate::syntax::code::Form;

/// Runs a program under its limits. Output is passed on as it comes, up to the limit, and is in the outcome too.
/// `signals` is a descriptor made by [`super::signal_fd`]: what arrives there is passed on to the program.
pub fn execute(request: &Request, signals: Option<&OwnedFd>, stream: &mut dyn FnMut(Stream, &[u8])) -> Result<Outcome, Unusable> {
    Helper::start(request)?.execute(request, signals, stream)
}

/// A helper that makes ready the place for a program: the namespaces and what is confined. It can be started before it is
/// known what is to be run, and whether anything is: it starts no interpreter before that, and ends when this is dropped.
#[derive(Debug)]
pub struct Helper(Option<Result<(Child, UnixStream), String>>);

impl Helper {
    /// Starts the helper. All that the request says counts now, but for the code: its text, name, guards and form.
    pub fn start(request: &Request) -> Result<Helper, Unusable> {
        let job = serde_json::to_vec(&job(request)?).unwrap_or_default();
        let stdin = match &request.stdin {
            Stdin::Closed => Stdio::null(),
            Stdin::Inherit => Stdio::inherit(),
            Stdin::File(path) => {
                std::fs::File::open(path).map(Stdio::from).map_err(|error| Unusable(format!("{}: {error}", path.display())))?
            }
        };
        let (mut ours, theirs) = match UnixStream::pair() {
            Ok(pair) => pair,
            Err(error) => return Ok(Helper(Some(Err(format!("no socket: {error}"))))),
        };
        let child = Command::new(request.helper.as_deref().unwrap_or(Path::new("/proc/self/exe")))
            .arg0("antifreeze")
            .arg(SUPERVISE)
            .stdin(stdin)
            .stdout(Stdio::from(OwnedFd::from(theirs)))
            .stderr(Stdio::inherit())
            .spawn();
        // A helper that is gone already is noticed when it does not answer.
        let _ = ours.write_all(&frame(b'r', &job));
        Ok(Helper(Some(child.map(|child| (child, ours)).map_err(|error| format!("the helper did not start: {error}")))))
    }

    /// See [`execute`].
    pub fn execute(
        mut self,
        request: &Request,
        signals: Option<&OwnedFd>,
        stream: &mut dyn FnMut(Stream, &[u8]),
    ) -> Result<Outcome, Unusable> {
        match self.0.take() {
            Some(Ok((child, socket))) => execute_with(child, socket, request, signals, stream),
            Some(Err(why)) => Ok(Outcome::internal(why)),
            None => Ok(Outcome::internal("the helper is gone")),
        }
    }
}

impl Drop for Helper {
    fn drop(&mut self) {
        if let Some(Ok((mut child, socket))) = self.0.take() {
            // The end of the socket is its order to end; no program is below it yet.
            drop(socket);
            let _ = child.wait();
        }
    }
}

fn execute_with(
    helper: Child,
    ours: UnixStream,
    request: &Request,
    signals: Option<&OwnedFd>,
    stream: &mut dyn FnMut(Stream, &[u8]),
) -> Result<Outcome, Unusable> {
    let lines = Lines::new(&request.text);
    let file = compiled_name(request);
    let mut talk = Talk {
        helper: helper.id() as i32,
        late: Instant::now() + START_LIMIT + PATIENCE,
        asked: None,
        taken_over: false,
        socket: ours,
        reader: Reader::new(wire::MAX_FRAME),
        stdout: Vec::new(),
        stderr: Vec::new(),
        signal: None,
    };
    let ending = talk.run(&worker_request(request, &file, &lines), request.limits.timeout, signals, stream);
    reap(helper);
    let Some(ending) = ending else {
        let why = if talk.taken_over {
            "the helper did not keep the deadline, and was ended with all that was below it"
        } else {
            "the helper was ended before the run was over"
        };
        return Ok(finish(Outcome::internal(why), &talk, request, &lines));
    };
    if ending.stop == Stop::NoPython {
        let said = String::from_utf8_lossy(&talk.stderr).lines().rfind(|line| !line.trim().is_empty()).unwrap_or("").to_owned();
        return Err(Unusable(no_python(request, &ending, &said)));
    }
    let outcome = outcome(request, &file, &lines, &ending);
    Ok(finish(outcome, &talk, request, &lines))
}

/// How late the helper may be before it is asked why, and how long it then has.
const PATIENCE: Duration = Duration::from_millis(300);
const LAST_PATIENCE: Duration = Duration::from_secs(3);

/// The helper ends with the run, but for one thing: a process that the kernel holds and nothing can end. Nobody waits for that.
fn reap(mut helper: Child) {
    let process = Pid::from_raw(helper.id() as i32).and_then(|pid| pidfd_open(pid, PidfdFlags::empty()).ok());
    let second = Timespec { tv_sec: 1, tv_nsec: 0 };
    let ended = process.is_none_or(|process| matches!(poll(&mut [PollFd::new(&process, PollFlags::IN)], Some(&second)), Ok(n) if n > 0));
    if ended {
        let _ = helper.wait();
    } else {
        std::thread::spawn(move || helper.wait());
    }
}

struct Talk {
    helper: i32,
    /// When the helper should have answered.
    late: Instant,
    /// Since when it is asked why it has not.
    asked: Option<Instant>,
    taken_over: bool,
    socket: UnixStream,
    reader: Reader,
    stdout: Vec<u8>,
    stderr: Vec<u8>,
    signal: Option<i32>,
}

impl Talk {
    /// Sends the code and listens until the helper (and all below it) is gone.
    fn run(&mut self, code: &Value, timeout: f64, signals: Option<&OwnedFd>, stream: &mut dyn FnMut(Stream, &[u8])) -> Option<Ending> {
        let bytes = serde_json::to_vec(code).ok()?;
        // A helper that is gone already may have said why.
        let _ = self.socket.write_all(&frame(b'q', &bytes));
        let mut ending = None;
        loop {
            let wait = self.late.saturating_duration_since(Instant::now());
            if wait.is_zero() {
                if ending.is_some() {
                    return ending;
                }
                self.hurry();
                continue;
            }
            let wait = Timespec { tv_sec: wait.as_secs() as i64, tv_nsec: i64::from(wait.subsec_nanos()) };
            let mut fds = vec![PollFd::new(&self.socket, PollFlags::IN)];
            fds.extend(signals.map(|fd| PollFd::new(fd, PollFlags::IN)));
            let _ = poll(&mut fds, Some(&wait));
            let (socket, signal) = (!fds[0].revents().is_empty(), fds.get(1).is_some_and(|fd| !fd.revents().is_empty()));
            if signal && let Some(number) = signals.and_then(sys::next_signal) {
                self.signal.get_or_insert(number);
                let _ = self.socket.write_all(&frame(b's', &[number as u8]));
            }
            if !socket {
                continue;
            }
            let got = self.reader.fill(&self.socket);
            while let Ok(Some((kind, payload))) = self.reader.next() {
                match kind {
                    b'o' => {
                        stream(Stream::Stdout, &payload);
                        self.stdout.extend_from_slice(&payload);
                    }
                    b'e' => {
                        stream(Stream::Stderr, &payload);
                        self.stderr.extend_from_slice(&payload);
                    }
                    b't' => self.late = Instant::now() + Duration::from_secs_f64(timeout) + PATIENCE,
                    b'z' => ending = serde_json::from_slice::<Ending>(&payload).ok(),
                    _ => {}
                }
            }
            if got == Got::End {
                return ending;
            }
            // Whoever reads the output may have taken long; the helper has not.
            self.asked = None;
            self.late = self.late.max(Instant::now() + PATIENCE);
            if ending.is_some() {
                self.late = Instant::now() + PATIENCE;
            }
        }
    }

    /// The helper is late. Without a namespace the program may have stopped it, as any process of its user: it is set going
    /// again, and where that does not help, this process does the helper's work.
    fn hurry(&mut self) {
        let now = Instant::now();
        let asked = *self.asked.get_or_insert(now);
        let stopped = tree::is_stopped(self.helper);
        // One that is not stopped has bounds of its own, and only wants for a processor: no less than this process would.
        if !self.taken_over && now - asked > if stopped { LAST_PATIENCE } else { LAST_PATIENCE * 20 } {
            self.taken_over = true;
            tree::take_down(self.helper);
            if let Some(cgroup) = Cgroup::of(&self.helper.to_string()) {
                cgroup.remove();
            }
        } else if stopped {
            sys::kill(self.helper, libc::SIGCONT);
        }
        self.late = now + Duration::from_millis(50);
    }
}

/// What the helper has to know before there is code to run.
fn job(request: &Request) -> Result<Job, Unusable> {
    let confinement = if request.confine {
        let work = request.cwd.clone().map_or_else(std::env::current_dir, Ok).map_err(|error| Unusable(format!("--confine: {error}")))?;
        let file = compiled_name(request);
        let folder = request.path.as_ref().and_then(|_| Path::new(&file).parent());
        Some(Confinement::new(&work, folder, &request.python)?)
    } else {
        None
    };
    let cwd = confinement.as_ref().map(|confinement| &confinement.work).or(request.cwd.as_ref());
    Ok(Job {
        host: std::process::id() as i32,
        python: request.python.to_string_lossy().into_owned(),
        cwd: cwd.map(|path| path.to_string_lossy().into_owned()),
        env: request.env.clone(),
        limits: request.limits,
        strict_output: request.strict_output,
        namespaces: std::env::var_os("ANTIFREEZE_NO_NAMESPACE").is_none_or(|value| value.is_empty() || value == "0"),
        confinement,
    })
}

/// The name the program is compiled under: what CPython takes for a script, `-c` and standard input.
fn compiled_name(request: &Request) -> String {
    match &request.path {
        Some(path) => std::path::absolute(path).unwrap_or_else(|_| path.clone()).to_string_lossy().into_owned(),
        None if request.name == "<command>" => "<string>".into(),
        None => request.name.clone(),
    }
}

fn worker_request(request: &Request, file: &str, lines: &Lines) -> Value {
    let folder = request.path.as_ref().map(|_| Path::new(file).parent().map(|path| path.to_string_lossy().into_owned()));
    let guards = request
        .guards
        .iter()
        .map(|(span, op)| {
            let ((line, column), (end_line, end_column)) = (lines.bytes(span.start), lines.bytes(span.end));
            json!([line, column, end_line, end_column, op])
        })
        .collect::<Vec<_>>();
    let form = match request.form {
        Form::Expression => "expression",
        Form::Statements => "statements",
        Form::Mixed => "mixed",
    };
    json!({
        "source": &*request.text,
        "file": file,
        "is_file": request.path.is_some(),
        "argv": std::iter::once(&request.argv0).chain(&request.args).collect::<Vec<_>>(),
        "path0": folder,
        "guards": guards,
        "form": form,
        "int_bits": request.limits.int_bits,
        "timeout": request.limits.timeout,
        "memory": request.limits.memory,
    })
}

fn no_python(request: &Request, ending: &Ending, said: &str) -> String {
    let python = request.python.display();
    let detail = ending.detail.as_deref().unwrap_or("");
    if ending.report.as_ref().is_some_and(|report| report == "confine") {
        format!("--confine: {detail}. This system cannot hold a program in the way that --confine promises; run it without")
    } else if ending.report.as_ref().is_some_and(|report| report == "version") {
        format!("`{python}` is Python {detail}; antifreeze runs code with Python 3.9 or later. Name another with --python")
    } else {
        let said = if said.is_empty() { String::new() } else { format!(" (its last words: {said})") };
        format!("`{python}` could not be started: {detail}{said}. Name another interpreter with --python")
    }
}

fn outcome(request: &Request, file: &str, lines: &Lines, ending: &Ending) -> Outcome {
    let limits = &request.limits;
    let report = ending.report.as_ref();
    let text = |value: Option<&Value>, key: &str| value.and_then(|value| value.get(key)).and_then(Value::as_str).map(str::to_owned);
    let hit = |name: &str, value: f64, observed: Option<f64>| Some(LimitHit { name: name.into(), value, observed });
    let mut out = Outcome::new(OutcomeKind::Internal);
    // Known where it ended by itself, which is too late where a limit had been passed.
    out.exit_status = ending.status;
    match ending.stop {
        Stop::Exited => exited(&mut out, ending, report, limits),
        Stop::TimedOut => {
            out.outcome = OutcomeKind::TimedOut;
            out.limit = hit("timeout", limits.timeout, Some(ending.seconds));
        }
        Stop::Output => {
            out.outcome = OutcomeKind::TooMuchOutput;
            out.limit = hit("output", limits.output as f64, Some(ending.written as f64));
        }
        Stop::Memory => {
            out.outcome = OutcomeKind::OutOfMemory;
            out.limit = hit("memory", limits.memory as f64, Some(ending.peak_memory as f64));
        }
        Stop::Processes => {
            out.outcome = OutcomeKind::TooManyProcesses;
            out.limit = hit("processes", f64::from(limits.processes), Some(f64::from(ending.peak_processes)));
        }
        Stop::Guarded => guarded(&mut out, ending, file, limits, lines),
        Stop::Interrupted => {
            out.outcome = OutcomeKind::Crashed;
        }
        Stop::StartTimedOut => return Outcome::internal(format!("`{}` was not ready within 10 s", request.python.display())),
        Stop::NoPython | Stop::Failed => return Outcome::internal(ending.detail.clone().unwrap_or_else(|| "the helper failed".into())),
    }
    if out.outcome == OutcomeKind::Finished && report.is_some() {
        out.result = report.and_then(|report| report.get("result")).cloned().unwrap_or(Value::Null);
        out.result_repr = text(report, "repr");
    }
    out.truncated_bytes = ending.truncated;
    out.mechanisms = ending.mechanisms.clone();
    out.killed_processes = ending.killed;
    out.duration_ms = (ending.seconds * 1e6).round() / 1e3;
    out.threads.clone_from(&ending.threads);
    for thread in &mut out.threads {
        own_frames(&mut thread.frames, file, &request.name, lines);
    }
    if let Some(stack) = &mut out.stack {
        own_frames(stack, file, &request.name, lines);
    } else if let Some(main) = out.threads.first().filter(|main| !main.frames.is_empty()) {
        out.stack = Some(main.frames.clone());
    } else if ending.mechanisms.stack.is_some() {
        out.stack_reason = Some("the main thread was not running Python code".into());
    } else if out.limit.is_some() {
        out.stack_reason =
            Some(ending.stack_reason.clone().unwrap_or_else(|| "the limit was met by a failure, not at a point in time".into()));
    } else {
        out.stack_reason = Some("not stopped at a limit".into());
    }
    out
}

/// The program's process ended by itself.
fn exited(out: &mut Outcome, ending: &Ending, report: Option<&Value>, limits: &Limits) {
    let field = |key: &str| report.and_then(|report| report.get(key));
    if field("kind").and_then(Value::as_str) == Some("error") {
        let text = |key: &str| field(key).and_then(Value::as_str).map(str::to_owned);
        out.error = Some(ErrorInfo {
            kind: text("type").unwrap_or_default(),
            message: text("message").unwrap_or_default(),
            line: field("line").and_then(Value::as_u64).map(|line| line as u32),
            traceback: text("traceback"),
        });
    }
    let memory_limit = |observed: Option<f64>| Some(LimitHit { name: "memory".into(), value: limits.memory as f64, observed });
    if ending.signal.is_some() {
        // A SIGKILL by the kernel itself: it ran out of memory before the limit was reached.
        if ending.kernel_killed {
            out.outcome = OutcomeKind::OutOfMemory;
            out.limit = memory_limit(Some(ending.peak_memory as f64));
        } else {
            out.outcome = OutcomeKind::Crashed;
        }
    } else if field("memory").and_then(Value::as_bool) == Some(true) {
        out.outcome = OutcomeKind::OutOfMemory;
        // The allocation was refused: how much it would have been, nobody knows.
        out.limit = memory_limit(None);
    } else if ending.status == Some(0) {
        out.outcome = OutcomeKind::Finished;
        out.error = None;
    } else if ending.status.is_some() {
        out.outcome = OutcomeKind::Raised;
    } else {
        *out = Outcome { error: Outcome::internal("the program's process disappeared").error, ..Outcome::new(OutcomeKind::Crashed) };
    }
}

/// A guard refused an operation. Its report is the program's own word, so only its shape is trusted.
fn guarded(out: &mut Outcome, ending: &Ending, file: &str, limits: &Limits, lines: &Lines) {
    let field = |key: &str| ending.guard.as_ref().and_then(|guard| guard.get(key));
    let frames = field("frames").and_then(Value::as_array).cloned().unwrap_or_default();
    let frames = frames
        .iter()
        .take(100)
        .filter_map(|frame| {
            Some(Frame {
                file: frame.get(0)?.as_str()?.to_owned(),
                line: frame.get(1)?.as_u64()? as u32,
                function: frame.get(2)?.as_str()?.to_owned(),
                source: None,
            })
        })
        .filter(|frame| frame.file != WORKER_FILE)
        .collect::<Vec<_>>();
    let message = field("message").and_then(Value::as_str).unwrap_or_default().to_owned();
    let mut traceback = String::from("Traceback (most recent call last):\n");
    for frame in &frames {
        use std::fmt::Write;
        let _ = writeln!(traceback, "  File \"{}\", line {}, in {}", frame.file, frame.line, frame.function);
        if frame.file == file
            && let Some(source) = lines.text(frame.line)
        {
            let _ = writeln!(traceback, "    {}", source.trim());
        }
    }
    let _ = std::fmt::Write::write_fmt(&mut traceback, format_args!("antifreeze.LimitError: {message}\n"));
    out.outcome = OutcomeKind::Guarded;
    let (name, value) = match field("limit").and_then(Value::as_str) {
        Some("timeout") => ("timeout", limits.timeout),
        Some("memory") => ("memory", limits.memory as f64),
        _ => ("int_bits", limits.int_bits as f64),
    };
    out.limit = Some(LimitHit { name: name.into(), value, observed: field("observed").and_then(Value::as_f64) });
    out.error = Some(ErrorInfo {
        kind: "antifreeze.LimitError".into(),
        message,
        line: frames.iter().rev().find(|frame| frame.file == file).map(|frame| frame.line),
        traceback: Some(traceback),
    });
    out.stack = Some(frames);
}

/// The program's own frames are named as the user named it, and show their line.
fn own_frames(frames: &mut [Frame], file: &str, name: &str, lines: &Lines) {
    // The dump writes non-ASCII characters as escapes.
    let escaped = file.chars().map(escape).collect::<String>();
    for frame in frames.iter_mut().filter(|frame| frame.file == file || frame.file == escaped) {
        name.clone_into(&mut frame.file);
        frame.source = lines.text(frame.line).map(|line| line.trim().to_owned());
    }
}

fn escape(c: char) -> String {
    match c as u32 {
        0x20..=0x7e => c.to_string(),
        code @ 0..=0xff => format!("\\x{code:02x}"),
        code @ 0x100..=0xffff => format!("\\u{code:04x}"),
        code => format!("\\U{code:08x}"),
    }
}

fn finish(mut out: Outcome, talk: &Talk, request: &Request, lines: &Lines) -> Outcome {
    (out.stdout, out.stdout_base64) = decode(&talk.stdout);
    (out.stderr, out.stderr_base64) = decode(&talk.stderr);
    out.guard_sites = request.guards.iter().map(|(span, op)| lines.site(*span, op)).collect();
    if let Some(signal) = talk.signal {
        out.interrupted = Some(signal as u8);
    }
    out
}

fn decode(bytes: &[u8]) -> (String, Option<String>) {
    match std::str::from_utf8(bytes) {
        Ok(text) => (text.to_owned(), None),
        Err(_) => (String::from_utf8_lossy(bytes).into_owned(), Some(base64(bytes))),
    }
}

fn base64(bytes: &[u8]) -> String {
    const ALPHABET: &[u8; 64] = b"ABCDEFGHIJKLMNOPQRSTUVWXYZabcdefghijklmnopqrstuvwxyz0123456789+/";
    let mut out = String::with_capacity(bytes.len().div_ceil(3) * 4);
    for chunk in bytes.chunks(3) {
        let word = chunk.iter().fold(0_u32, |word, byte| word << 8 | u32::from(*byte)) << (8 * (3 - chunk.len()));
        for i in 0..4 {
            out.push(if i <= chunk.len() { ALPHABET[(word >> (18 - 6 * i)) as usize & 63] as char } else { '=' });
        }
    }
    out
}

/// Where the lines of a text begin.
struct Lines<'a> {
    text: &'a str,
    starts: Vec<usize>,
}

impl<'a> Lines<'a> {
    /// Lines end as CPython ends them: `\n`, `\r\n` and `\r`.
    fn new(text: &'a str) -> Self {
        let bytes = text.as_bytes();
        let mut starts = vec![0];
        for (i, byte) in bytes.iter().enumerate() {
            if *byte == b'\n' || *byte == b'\r' && bytes.get(i + 1) != Some(&b'\n') {
                starts.push(i + 1);
            }
        }
        Lines { text, starts }
    }

    /// 1-based line and 0-based column in bytes, as CPython counts.
    fn bytes(&self, offset: u32) -> (u32, u32) {
        let line = self.starts.partition_point(|start| *start <= offset as usize) - 1;
        (line as u32 + 1, offset - self.starts[line] as u32)
    }

    /// 1-based line and 1-based column in characters, as our reports count.
    fn characters(&self, offset: u32) -> (u32, u32) {
        let (line, column) = self.bytes(offset);
        let start = self.starts[line as usize - 1];
        let before = self.text.get(start..start + column as usize).map_or(column as usize, |text| text.chars().count());
        (line, before as u32 + 1)
    }

    fn site(&self, span: Span, op: &str) -> GuardSite {
        let ((line, column), (end_line, end_column)) = (self.characters(span.start), self.characters(span.end));
        GuardSite { line, column, end_line, end_column, op: op.to_owned() }
    }

    fn text(&self, line: u32) -> Option<&'a str> {
        let start = *self.starts.get(line.checked_sub(1)? as usize)?;
        let end = self.starts.get(line as usize).copied().unwrap_or(self.text.len());
        Some(self.text[start..end].trim_end_matches(['\n', '\r']))
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn columns_count_bytes_for_python_and_characters_for_people() {
        let lines = Lines::new("x = 1\r\né = 2 ** 3\ry");
        assert_eq!(lines.bytes(7), (2, 0));
        assert_eq!(lines.bytes(12), (2, 5));
        assert_eq!(lines.characters(12), (2, 5));
        assert_eq!(lines.text(2), Some("é = 2 ** 3"));
        assert_eq!(lines.text(3), Some("y"));
        assert_eq!(lines.text(4), None);
    }

    #[test]
    fn base64_of_all_remainders() {
        assert_eq!(["", "f", "fo", "foo", "foob"].map(|text| base64(text.as_bytes())), ["", "Zg==", "Zm8=", "Zm9v", "Zm9vYg=="]);
    }
}
