//! The side of a watched program that its starter sees: its input and output, its signals, its stops. The minder (minder.rs) has its
//! clock and its end.
//!
//! Where output need not be looked at, the program has our own input and output. Where it must be, it has pipes, or, for what is a
//! terminal, a terminal of ours (terminal.rs); every byte is passed on as it comes, and nothing is read that cannot be passed on, so
//! that a program is slowed by its reader as it would be without us.

use std::ffi::OsString;
use std::fs;
use std::io;
use std::os::fd::{AsFd, AsRawFd, BorrowedFd, OwnedFd};
use std::path::PathBuf;
use std::process::{Child, Command, Stdio};
use std::time::{Duration, Instant};

use rustix::event::{PollFd, PollFlags};
use rustix::fs::{Mode, OFlags};
use rustix::io::{Errno, FdFlags, fcntl_setfd, ioctl_fionread};
use rustix::net::{AddressFamily, RecvFlags, SendFlags, SocketFlags, SocketType, recv, send, socketpair};
use rustix::pipe::{PipeFlags, pipe_with};
use rustix::pty::{OpenptFlags, ioctl_tiocgptpeer};
use serde::{Deserialize, Serialize};

use super::minder::{Job, MESSAGE, Order, Word};
use super::terminal::{Found, Terminal, has_shell, terminals};
use super::tree::View;
use super::wait::wait_for;
use super::{MIND, Unusable, sys, tree};
use crate::outcome::ThreadInfo;

/// The signals that are passed on to a program.
pub const SIGNALS: [i32; 9] =
    [libc::SIGHUP, libc::SIGINT, libc::SIGQUIT, libc::SIGTERM, libc::SIGUSR1, libc::SIGUSR2, libc::SIGWINCH, libc::SIGCONT, libc::SIGTSTP];

/// As much as a pipe takes at once when it says that it takes something.
const PIECE: usize = 4096;
/// How often those who want to know are told that it still runs.
const MINUTE: Duration = Duration::from_mins(1);
/// How often a sign of life is passed on.
const LIFE: Duration = Duration::from_millis(20);
/// How often it is looked whether a shell has taken this process to the foreground.
const FOREGROUND: Duration = Duration::from_millis(100);
/// How long output may take to come to its end once everything that could write is gone.
const REST: Duration = Duration::from_secs(2);

/// What a program passed.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Serialize, Deserialize)]
#[serde(rename_all = "snake_case")]
pub enum Why {
    /// The time it had.
    Budget,
    /// The time without a sign of life.
    Silence,
}

/// A program to be watched.
#[derive(Debug, Clone, Default)]
pub struct Watched {
    /// The program and its arguments.
    pub command: Vec<OsString>,
    /// The most time it may take.
    pub budget: Option<Duration>,
    /// The most time without output or heartbeat.
    pub silence: Option<Duration>,
    /// The descriptor that the program writes heartbeats to.
    pub heartbeat_fd: Option<i32>,
    /// The file that it touches.
    pub heartbeat_file: Option<PathBuf>,
}

/// How a program came to its end.
#[derive(Debug, Clone, PartialEq)]
pub enum Ended {
    /// With this status.
    Exited(i32),
    /// By this signal.
    Signalled(i32),
    /// It was killed: what it passed, where its processes were, and why that is not known.
    Frozen(Why, Vec<ThreadInfo>, Option<String>),
}

/// A program that is over.
#[derive(Debug, Clone, PartialEq)]
pub struct Finished {
    /// How.
    pub ended: Ended,
    /// How many processes were left, and killed.
    pub killed: u32,
    /// How long it ran.
    pub seconds: f64,
    /// Whether something could not be killed.
    pub left: bool,
    /// Why output of it was lost, where it was.
    pub lost: Option<String>,
}

/// The folder that makes the Python processes of a program say where they are. The minder makes it and takes it away again; where
/// the minder is killed this does.
#[derive(Debug)]
struct Stacks(PathBuf);

impl Stacks {
    fn new() -> Stacks {
        let unique = std::time::SystemTime::now().duration_since(std::time::UNIX_EPOCH).map_or(0, |time| time.as_nanos());
        Stacks(std::env::temp_dir().join(format!("antifreeze-watch-{}-{unique:x}", std::process::id())))
    }

    /// `PYTHONPATH` with the folder before what was there.
    fn python_path(&self) -> OsString {
        let mut path = self.0.clone().into_os_string();
        if let Some(own) = std::env::var_os("PYTHONPATH").filter(|own| !own.is_empty()) {
            path.push(":");
            path.push(own);
        }
        path
    }
}

impl Drop for Stacks {
    fn drop(&mut self) {
        let _ = fs::remove_dir_all(&self.0);
    }
}

/// Waits, at most so long, for a signal that ends: gives which.
pub fn pause(signals: &OwnedFd, wait: Duration) -> Option<i32> {
    let end = Instant::now() + wait;
    loop {
        let left = end.saturating_duration_since(Instant::now());
        wait_for(&mut [PollFd::new(signals, PollFlags::IN)], left);
        while let Some(signal) = sys::take_signal(signals) {
            if ends(signal) {
                return Some(signal.number);
            }
        }
        if left.is_zero() {
            return None;
        }
    }
}

/// Whether a signal would end this process if it were not blocked. One that was ignored from the start, as under `nohup`, would not;
/// but while it is blocked it comes all the same. A program is passed it, and ignores it too, unless it does otherwise itself.
fn ends(signal: sys::Signalled) -> bool {
    let me = std::process::id() as i32;
    let is_ignored = || {
        let ignored = View::descendants(me).status(me, "SigIgn").and_then(|mask| u64::from_str_radix(&mask, 16).ok());
        ignored.is_some_and(|mask| mask >> (signal.number - 1) & 1 == 1)
    };
    matches!(signal.number, libc::SIGHUP | libc::SIGINT | libc::SIGQUIT | libc::SIGTERM) && !is_own(signal) && !is_ignored()
}

/// Whether this process sent it: to its process group, as the terminal would have, and so to itself.
fn is_own(signal: sys::Signalled) -> bool {
    !signal.by_kernel && signal.sender == std::process::id() as i32
}

/// Runs a program to its end. `signals` are [`SIGNALS`], made by [`super::signal_fd`]; this process must have one thread and must not
/// be anybody's host: it becomes a subreaper. `pulse` is called each minute that the program runs.
pub fn attend(watched: &Watched, signals: &OwnedFd, pulse: &mut dyn FnMut()) -> Result<Finished, Unusable> {
    let failed = |error: io::Error| Unusable(format!("the program could not be started: {error}"));
    // Should the minder be killed, what it minded comes here.
    rustix::process::set_child_subreaper(Some(rustix::process::getpid())).map_err(|error| failed(error.into()))?;
    let stacks = Stacks::new();
    let attendance = Attendance::start(watched, &stacks, signals).map_err(failed)?;
    attendance.attend(pulse)
}

/// What a program writes, on its way to where it is to go.
struct Relay {
    from: Option<OwnedFd>,
    /// Our own descriptor.
    to: i32,
    waiting: Vec<u8>,
}

impl Relay {
    /// What it waits for: to have something to pass on, or to be rid of it.
    fn next(&self) -> Option<PollFd<'_>> {
        if self.waiting.is_empty() {
            self.from.as_ref().map(|from| PollFd::new(from, PollFlags::IN))
        } else {
            Some(PollFd::from_borrowed_fd(own(self.to), PollFlags::OUT))
        }
    }

    /// Whether what the program writes to is full, so that it may be waiting for its reader.
    fn is_full(&self) -> bool {
        let Some(from) = &self.from else { return false };
        // The program's side is not held open here, for then its end would not be seen.
        let theirs = ioctl_tiocgptpeer(from, OpenptFlags::RDWR | OpenptFlags::NOCTTY | OpenptFlags::CLOEXEC).or_else(|_| {
            let path = format!("/proc/self/fd/{}", from.as_raw_fd());
            rustix::fs::open(path, OFlags::WRONLY | OFlags::NONBLOCK | OFlags::CLOEXEC, Mode::empty())
        });
        let Ok(theirs) = theirs else { return true };
        !wait_for(&mut [PollFd::new(&theirs, PollFlags::OUT)], Duration::ZERO)
    }
}

struct Attendance<'a> {
    signals: &'a OwnedFd,
    minder: Child,
    line: OwnedFd,
    terminal: Option<Terminal>,
    /// What was typed and the program has not taken.
    typed: Vec<u8>,
    /// Whether nothing more is typed.
    untyped: bool,
    relays: Vec<Relay>,
    /// Readable when something is to be heard of the minder.
    children: OwnedFd,
    program: i32,
    interactive: bool,
    found: Option<Found>,
    /// How much there was to be read when it could not be passed on.
    unread: u64,
    /// Why output was lost.
    lost: Option<String>,
    told: Option<Instant>,
    /// A signal that came when all that was left was output nobody takes.
    given_up: bool,
}

impl<'a> Attendance<'a> {
    fn start(watched: &Watched, stacks: &Stacks, signals: &'a OwnedFd) -> io::Result<Self> {
        let looked_at = watched.silence.is_some();
        let are = terminals();
        let keys = looked_at && are[0] && (are[1] || are[2]);
        let mut relays = Vec::new();
        let mut terminal = None;
        let mut theirs = [None, None, None];
        if looked_at {
            if are[1] || are[2] {
                let real: &dyn AsTerminal = if are[1] { &io::stdout() } else { &io::stderr() };
                let (ours, slave) = Terminal::open(&real.descriptor(), keys)?;
                for at in 0..3 {
                    if are[at] && (at > 0 || keys) {
                        theirs[at] = Some(slave.try_clone()?);
                    }
                }
                relays.push(Relay { from: Some(ours.ours.try_clone()?), to: if are[1] { 1 } else { 2 }, waiting: Vec::new() });
                terminal = Some(ours);
            }
            for to in [1, 2] {
                if are[to] {
                    continue;
                }
                // Two that are one keep their order only as one.
                if to == 2 && theirs[1].is_some() && !are[1] && same(&io::stdout(), &io::stderr()) {
                    theirs[2] = theirs[1].as_ref().map(OwnedFd::try_clone).transpose()?;
                    continue;
                }
                let (read, write) = pipe_with(PipeFlags::CLOEXEC)?;
                rustix::io::ioctl_fionbio(&read, true)?;
                theirs[to] = Some(write);
                relays.push(Relay { from: Some(read), to: to as i32, waiting: Vec::new() });
            }
        }
        let (line, far) = socketpair(AddressFamily::UNIX, SocketType::SEQPACKET, SocketFlags::CLOEXEC, None)?;
        let real = match terminal.as_ref().filter(|_| keys) {
            Some(terminal) => Some(terminal.real.try_clone()?),
            None => None,
        };
        let seconds = |limit: Option<Duration>| limit.map(|limit| limit.as_secs_f64());
        let job = Job {
            host: std::process::id() as i32,
            budget: seconds(watched.budget),
            silence: seconds(watched.silence),
            heartbeat_fd: watched.heartbeat_fd,
            heartbeat_file: watched.heartbeat_file.clone(),
            stacks: stacks.0.clone(),
            terminal: keys,
            real_terminal: real.as_ref().map(AsRawFd::as_raw_fd),
            interactive: are.contains(&true) && has_shell(),
        };
        let mut command = Command::new("/proc/self/exe");
        std::os::unix::process::CommandExt::arg0(&mut command, "antifreeze");
        command.arg(MIND).arg(far.as_raw_fd().to_string()).arg("--").args(&watched.command);
        command.env("PYTHONPATH", stacks.python_path());
        if let Some(number) = watched.heartbeat_fd {
            command.env("ANTIFREEZE_HEARTBEAT_FD", number.to_string());
        }
        let [stdin, stdout, stderr] = theirs.map(|fd| fd.map_or_else(Stdio::inherit, Stdio::from));
        command.stdin(stdin).stdout(stdout).stderr(stderr);
        // The child has these two by their numbers; it makes them its own at once.
        let handed = [Some(&far), real.as_ref()];
        for fd in handed.into_iter().flatten() {
            fcntl_setfd(fd, FdFlags::empty())?;
        }
        // Before it is started: what becomes of it is heard of from its first moment.
        let children = sys::signal_fd(&[libc::SIGCHLD])?;
        let minder = command.spawn()?;
        drop(command);
        drop(far);
        send(&line, &serde_json::to_vec(&job)?, SendFlags::NOSIGNAL)?;
        Ok(Attendance {
            signals,
            minder,
            line,
            terminal,
            typed: Vec::new(),
            untyped: false,
            relays,
            children,
            program: 0,
            interactive: job.interactive,
            found: Found::look(),
            unread: 0,
            lost: None,
            told: None,
            given_up: false,
        })
    }

    fn tell(&self, order: Order) {
        let bytes = serde_json::to_vec(&order).unwrap_or_default();
        let _ = send(&self.line, &bytes, SendFlags::DONTWAIT | SendFlags::NOSIGNAL);
    }

    fn attend(mut self, pulse: &mut dyn FnMut()) -> Result<Finished, Unusable> {
        let mut frozen = None;
        let mut beat = Instant::now() + MINUTE;
        let mut finished = loop {
            if Instant::now() >= beat {
                beat = Instant::now() + MINUTE;
                pulse();
            }
            match self.turn(beat.saturating_duration_since(Instant::now())) {
                None => {}
                Some(Word::Started(program)) => {
                    self.program = program;
                    if let Some(terminal) = &mut self.terminal {
                        terminal.take();
                    }
                }
                Some(Word::Stopped) => self.stop(),
                Some(Word::Frozen { why, threads, reason }) => frozen = Some((why, threads, reason)),
                Some(Word::Failed(why)) => {
                    self.sweep();
                    return Err(Unusable(format!("the program could not be started: {why}")));
                }
                Some(Word::Ended { status, killed, seconds, left }) => {
                    let ended = match (frozen.take(), status) {
                        (Some((why, threads, reason)), _) => Ended::Frozen(why, threads, reason),
                        (None, Some(status)) if libc::WIFSIGNALED(status) => Ended::Signalled(libc::WTERMSIG(status)),
                        (None, status) => Ended::Exited(status.map_or(70, |status| libc::WEXITSTATUS(status))),
                    };
                    break Finished { ended, killed, seconds, left, lost: None };
                }
            }
            if self.is_gone() {
                self.sweep();
                if let Some(terminal) = &mut self.terminal {
                    terminal.leave();
                }
                if let Some(found) = &self.found {
                    found.restore();
                }
                return Err(Unusable("the process that minded the program was killed, and the program with it".into()));
            }
        };
        self.drain(matches!(finished.ended, Ended::Frozen(..)));
        if let (Ended::Frozen(..), Some(found)) = (&finished.ended, &self.found) {
            found.restore();
        }
        if !finished.left {
            let _ = self.minder.wait();
        }
        finished.lost = self.lost.take();
        Ok(finished)
    }

    /// Whether the minder is gone without a last word.
    fn is_gone(&mut self) -> bool {
        matches!(self.minder.try_wait(), Ok(Some(_))) && {
            let mut byte = [0_u8; 1];
            !matches!(recv(&self.line, &mut byte, RecvFlags::DONTWAIT | RecvFlags::PEEK), Ok((n, _)) if n > 0)
        }
    }

    /// Ends what a killed minder left to this process.
    fn sweep(&mut self) {
        let _ = self.minder.kill();
        let _ = self.minder.wait();
        tree::sweep(Duration::from_secs(5), |_| {});
    }

    /// Waits for something to happen, at most so long, and deals with it. What the minder says is given back.
    fn turn(&mut self, wait: Duration) -> Option<Word> {
        let blocked = self.relays.iter().any(|relay| !relay.waiting.is_empty());
        // What is not read is looked at, for it is output all the same.
        let wait = if blocked { wait.min(Duration::from_millis(250)) } else { wait };
        let away = self.program != 0 && self.terminal.as_ref().is_some_and(Terminal::is_away);
        let wait = if away { wait.min(FOREGROUND) } else { wait };
        let mut fds = vec![
            PollFd::new(&self.line, PollFlags::IN),
            PollFd::new(self.signals, PollFlags::IN),
            PollFd::new(&self.children, PollFlags::IN),
        ];
        fds.extend(self.relays.iter().filter_map(Relay::next));
        let stdin = io::stdin();
        if let Some(terminal) = &self.terminal {
            if !self.typed.is_empty() {
                fds.push(PollFd::new(&terminal.ours, PollFlags::OUT));
            } else if !self.untyped && terminal.is_ours() {
                fds.push(PollFd::new(&stdin, PollFlags::IN));
            }
        }
        wait_for(&mut fds, wait);
        drop(fds);
        self.wake_minder();
        if away && let Some(terminal) = &mut self.terminal {
            terminal.take();
        }
        while let Some(signal) = sys::take_signal(self.signals) {
            self.signal(signal);
        }
        self.relay();
        self.pass_keys();
        if blocked {
            self.look_at_unread();
        }
        self.hear()
    }

    /// A minder that the program has stopped is set going again: nobody else has the clock.
    fn wake_minder(&mut self) {
        let mut heard = false;
        while sys::take_signal(&self.children).is_some() {
            heard = true;
        }
        let minder = self.minder.id() as i32;
        if heard && tree::is_stopped(minder) {
            sys::kill(minder, libc::SIGCONT);
        }
    }

    /// What cannot be passed on is not read, but it is a sign of life when there is more of it; and who waits for a reader is not
    /// silent.
    fn look_at_unread(&mut self) {
        let unread = self.relays.iter().filter_map(|relay| ioctl_fionread(relay.from.as_ref()?).ok()).sum::<u64>();
        let grown = unread > std::mem::replace(&mut self.unread, unread);
        if grown || self.relays.iter().any(|relay| !relay.waiting.is_empty() && relay.is_full()) {
            self.live();
        }
    }

    fn hear(&self) -> Option<Word> {
        let mut message = vec![0_u8; MESSAGE];
        let (n, _) = recv(&self.line, &mut message, RecvFlags::DONTWAIT).ok()?;
        serde_json::from_slice(&message[..n]).ok()
    }

    fn signal(&mut self, signal: sys::Signalled) {
        if is_own(signal) {
            return;
        }
        if signal.number == libc::SIGCONT {
            self.go_on(signal);
            return;
        }
        if signal.number == libc::SIGTSTP {
            self.tell(Order::StopKey);
        }
        match (&self.terminal, signal.number) {
            (Some(terminal), libc::SIGWINCH) => terminal.resize(),
            // A terminal's signals reach the program by themselves, unless the terminal is kept from it.
            _ if signal.by_kernel && !self.keeps_keys() => {}
            (_, number) if self.keeps_keys() => self.tell(Order::Pass(number)),
            (_, number) => self.tell(Order::Signal(number, signal.sender)),
        }
    }

    /// Somebody went on with this process, and so with the program.
    fn go_on(&mut self, signal: sys::Signalled) {
        // The minder does so lest this process be stopped: that is nothing to the program.
        if !signal.by_kernel && signal.sender == self.minder.id() as i32 {
            return;
        }
        if let Some(terminal) = self.terminal.as_mut().filter(|_| self.program != 0) {
            terminal.take();
            terminal.resize();
        }
        self.tell(Order::Continue);
    }

    fn keeps_keys(&self) -> bool {
        self.terminal.is_some() && terminals()[0]
    }

    /// The program was stopped: this process stops too, so that the shell that started it has its turn.
    fn stop(&mut self) {
        // Heard of only now that a shell has gone on with all of it.
        if !self.interactive || !tree::is_stopped(self.program) {
            self.tell(Order::Continue);
            return;
        }
        self.relay();
        if let Some(terminal) = &mut self.terminal {
            terminal.leave();
        }
        // The terminal itself would have stopped all of the group.
        if self.keeps_keys() {
            sys::kill(0, libc::SIGTSTP);
        }
        sys::kill(std::process::id() as i32, libc::SIGSTOP);
        if let Some(terminal) = &mut self.terminal {
            terminal.take();
            terminal.resize();
        }
        self.tell(Order::Continue);
    }

    /// There was a sign of life.
    fn live(&mut self) {
        if self.told.is_none_or(|told| told.elapsed() >= LIFE) {
            self.told = Some(Instant::now());
            self.tell(Order::Life);
        }
    }

    /// Passes on what there is, as far as it is taken.
    fn relay(&mut self) {
        let mut lived = false;
        for relay in &mut self.relays {
            // A block for each turn: signals are heard between them.
            if relay.waiting.is_empty()
                && let Some(from) = &relay.from
            {
                let mut block = vec![0_u8; 64 << 10];
                match rustix::io::read(from, &mut block) {
                    // A terminal of which nobody has the other side any more says so with an error.
                    Ok(0) | Err(Errno::IO) => relay.from = None,
                    Ok(n) => {
                        lived = true;
                        block.truncate(n);
                        relay.waiting = block;
                    }
                    Err(_) => {}
                }
            }
            while !relay.waiting.is_empty() {
                let mut fds = [PollFd::from_borrowed_fd(own(relay.to), PollFlags::OUT)];
                wait_for(&mut fds, Duration::ZERO);
                if fds[0].revents().is_empty() {
                    break;
                }
                match rustix::io::write(own(relay.to), &relay.waiting[..relay.waiting.len().min(PIECE)]) {
                    Ok(n) => drop(relay.waiting.drain(..n)),
                    Err(Errno::INTR) => {}
                    Err(Errno::AGAIN) => break,
                    // Nobody reads any more, or nothing can be written: the program is to learn that as it would without us.
                    Err(error) => {
                        if error != Errno::PIPE && self.lost.is_none() {
                            let name = if relay.to == 1 { "output" } else { "error" };
                            self.lost = Some(format!("standard {name} cannot be written to: {error}"));
                        }
                        relay.waiting.clear();
                        relay.from = None;
                        break;
                    }
                }
            }
        }
        if lived {
            self.live();
        }
    }

    /// Passes on what is typed.
    fn pass_keys(&mut self) {
        let Some(terminal) = &self.terminal else { return };
        if self.typed.is_empty() && !self.untyped && terminal.is_ours() {
            let mut fds = [PollFd::from_borrowed_fd(own(0), PollFlags::IN)];
            wait_for(&mut fds, Duration::ZERO);
            if !fds[0].revents().is_empty() {
                let mut block = vec![0_u8; PIECE];
                match rustix::io::read(own(0), &mut block) {
                    Ok(0) | Err(Errno::IO) => self.untyped = true,
                    Ok(n) => {
                        block.truncate(n);
                        self.typed = block;
                    }
                    Err(_) => {}
                }
            }
        }
        if !self.typed.is_empty() {
            let keys = terminal.signal_keys(self.program);
            let stop = terminal.stop_key();
            match rustix::io::write(&terminal.ours, &self.typed) {
                Ok(n) => {
                    let passed = self.typed.drain(..n).collect::<Vec<_>>();
                    if passed.iter().any(|key| Some(*key) == stop) {
                        self.tell(Order::StopKey);
                    }
                    // The terminal itself would have sent it to all of its foreground, a pipeline's other programs too.
                    for (_, signal) in keys.into_iter().filter(|(key, _)| passed.contains(key)) {
                        sys::kill(0, signal);
                    }
                }
                Err(Errno::AGAIN | Errno::INTR) => {}
                Err(_) => self.typed.clear(),
            }
        }
    }

    /// Takes what the program had still written. Everything that could write is gone, so there is an end to it, unless somebody else
    /// was given a descriptor. What was killed must not live on in a reader that has stopped reading.
    fn drain(&mut self, killed: bool) {
        let mut last = Instant::now();
        while self.relays.iter().any(|relay| relay.from.is_some() || !relay.waiting.is_empty()) && !self.given_up {
            let waiting = self.relays.iter().map(|relay| relay.waiting.len()).sum::<usize>();
            let mut fds = vec![PollFd::new(self.signals, PollFlags::IN)];
            fds.extend(self.relays.iter().filter_map(Relay::next));
            wait_for(&mut fds, Duration::from_millis(100));
            let came = fds.iter().skip(1).any(|fd| !fd.revents().is_empty());
            drop(fds);
            if came || waiting > 0 && !killed {
                last = Instant::now();
            }
            self.relay();
            while let Some(signal) = sys::take_signal(self.signals) {
                self.given_up |= ends(signal);
            }
            if last.elapsed() > REST {
                break;
            }
        }
        if let Some(terminal) = &mut self.terminal {
            terminal.leave();
        }
    }
}

/// One of our own three.
fn own(number: i32) -> BorrowedFd<'static> {
    match number {
        0 => rustix::stdio::stdin(),
        1 => rustix::stdio::stdout(),
        _ => rustix::stdio::stderr(),
    }
}

/// What a terminal can be opened like.
trait AsTerminal {
    fn descriptor(&self) -> BorrowedFd<'_>;
}

impl<T: AsFd> AsTerminal for T {
    fn descriptor(&self) -> BorrowedFd<'_> {
        self.as_fd()
    }
}

/// Whether two descriptors lead to the same place.
fn same(one: &impl AsFd, other: &impl AsFd) -> bool {
    match (rustix::fs::fstat(one), rustix::fs::fstat(other)) {
        (Ok(one), Ok(other)) => (one.st_dev, one.st_ino) == (other.st_dev, other.st_ino),
        _ => false,
    }
}
