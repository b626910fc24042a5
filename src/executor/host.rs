//! The host's side of a run: starts the helper, passes output on, and makes an [`Outcome`] of the ending.

use std::fs::File;
use std::io::Write;
use std::os::fd::OwnedFd;
use std::os::unix::net::UnixStream;
use std::os::unix::process::CommandExt;
use std::panic::catch_unwind;
use std::path::Path;
use std::process::{Command, Stdio};
use std::time::{Duration, Instant};

use rustix::event::{PollFd, PollFlags};
use rustix::io::retry_on_intr;
use rustix::process::{Pid, PidfdFlags, WaitOptions, pidfd_open, waitpid};
use serde_json::{Value, json};

use super::account::{decode, outcome};
use super::cgroup::Cgroup;
use super::confine::Confinement;
use super::lines::Lines;
use super::sys::Forked;
use super::wait::{wait_for, wait_readable};
use super::wire::{self, Ending, Got, Job, Reader, Stop, frame};
use super::{Request, START_LIMIT, SUPERVISE, Stdin, Stream, Unusable, supervise, sys, tree};
use crate::outcome::Outcome;
use crate::syntax::code::Form;

/// Runs a program under its limits. Output is passed on as it comes, up to the limit, and is in the outcome too.
/// `signals` is a descriptor made by [`super::signal_fd`]: what arrives there is passed on to the program.
pub fn execute(request: &Request, signals: Option<&OwnedFd>, stream: &mut dyn FnMut(Stream, &[u8])) -> Result<Outcome, Unusable> {
    Helper::start(request)?.execute(request, signals, stream)
}

/// A helper that makes ready the place for a program: the namespaces and what is confined. It can be started before it is
/// known what is to be run, and whether anything is: it starts no interpreter before that, and ends when this is dropped.
#[derive(Debug)]
pub struct Helper(Option<Result<(i32, UnixStream), String>>);

impl Helper {
    /// Starts the helper. All that the request says counts now, but for the code: its text, name, guards and form.
    pub fn start(request: &Request) -> Result<Helper, Unusable> {
        let job = serde_json::to_vec(&job(request)?).unwrap_or_default();
        let stdin = match &request.stdin {
            Stdin::Closed => Some(Path::new("/dev/null")),
            Stdin::Inherit => None,
            Stdin::File(path) => Some(path.as_path()),
        };
        let open = |path: &Path| std::fs::File::open(path).map_err(|error| Unusable(format!("{}: {error}", path.display())));
        let stdin = stdin.map(open).transpose()?;
        let (mut ours, theirs) = match UnixStream::pair() {
            Ok(pair) => pair,
            Err(error) => return Ok(Helper(Some(Err(format!("no socket: {error}"))))),
        };
        let helper = start_helper(request.helper.as_deref(), stdin, theirs.into());
        // A helper that is gone already is noticed when it does not answer.
        let _ = ours.write_all(&frame(b'r', &job));
        Ok(Helper(Some(helper.map(|helper| (helper, ours)).map_err(|error| format!("the helper did not start: {error}")))))
    }

    /// See [`execute`].
    pub fn execute(
        mut self,
        request: &Request,
        signals: Option<&OwnedFd>,
        stream: &mut dyn FnMut(Stream, &[u8]),
    ) -> Result<Outcome, Unusable> {
        match self.0.take() {
            Some(Ok((helper, socket))) => execute_with(helper, socket, request, signals, stream),
            Some(Err(why)) => Ok(Outcome::internal(why)),
            None => Ok(Outcome::internal("the helper is gone")),
        }
    }
}

impl Drop for Helper {
    fn drop(&mut self) {
        if let Some(Ok((helper, socket))) = self.0.take() {
            // The end of the socket is its order to end; no program is below it yet.
            drop(socket);
            wait(helper);
        }
    }
}

fn wait(helper: i32) {
    let _ = retry_on_intr(|| waitpid(Pid::from_raw(helper), WaitOptions::empty()));
}

/// Starts a helper with the host at its descriptor 1. One executable serves both; where this process has no other thread, it need not
/// be loaded for that once more.
fn start_helper(executable: Option<&Path>, stdin: Option<File>, host: OwnedFd) -> std::io::Result<i32> {
    if executable.is_none()
        && tree::is_alone()
        && let Ok(forked) = sys::fork()
    {
        return match forked {
            Forked::Parent(helper) => Ok(helper),
            Forked::Child => {
                let stdin = stdin.map_or(Ok(()), |file| rustix::stdio::dup2_stdin(&file));
                let ready = stdin.and_then(|()| rustix::stdio::dup2_stdout(&host));
                sys::close_from(3);
                // Whatever happens, it is not the host that goes on here.
                let status = ready.map_or(70, |()| catch_unwind(supervise::work).unwrap_or(101));
                sys::exit_now(status.into())
            }
        };
    }
    let helper = Command::new(executable.unwrap_or(Path::new("/proc/self/exe")))
        .arg0("antifreeze")
        .arg(SUPERVISE)
        .stdin(stdin.map_or_else(Stdio::inherit, Stdio::from))
        .stdout(Stdio::from(host))
        .stderr(Stdio::inherit())
        .spawn()?;
    Ok(helper.id() as i32)
}

fn execute_with(
    helper: i32,
    ours: UnixStream,
    request: &Request,
    signals: Option<&OwnedFd>,
    stream: &mut dyn FnMut(Stream, &[u8]),
) -> Result<Outcome, Unusable> {
    let lines = Lines::new(&request.text);
    let file = compiled_name(request);
    let mut talk = Talk {
        helper,
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
fn reap(helper: i32) {
    let process = Pid::from_raw(helper).and_then(|pid| pidfd_open(pid, PidfdFlags::empty()).ok());
    let ended = process.is_none_or(|process| wait_readable(&process, Duration::from_secs(1)));
    if ended {
        wait(helper);
    } else {
        std::thread::spawn(move || wait(helper));
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
            let mut fds = vec![PollFd::new(&self.socket, PollFlags::IN)];
            fds.extend(signals.map(|fd| PollFd::new(fd, PollFlags::IN)));
            wait_for(&mut fds, wait);
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
        namespaces: super::namespaces_wanted(),
        confinement,
        request: Value::Null,
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

pub fn worker_request(request: &Request, file: &str, lines: &Lines) -> Value {
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

fn finish(mut out: Outcome, talk: &Talk, request: &Request, lines: &Lines) -> Outcome {
    (out.stdout, out.stdout_base64) = decode(&talk.stdout);
    (out.stderr, out.stderr_base64) = decode(&talk.stderr);
    out.guard_sites = request.guards.iter().map(|(span, op)| lines.site(*span, op)).collect();
    if let Some(signal) = talk.signal {
        out.interrupted = Some(signal as u8);
    }
    out
}
