//! The minder, `antifreeze __mind`: parent of a program that `antifreeze watch` runs, reaper of all that the program leaves, and the
//! one that ends it. It owns the clock. It is a session of its own, so that what a terminal or a shell does to the program's process
//! group does not reach it, and ends everything when the process that watches is gone.
//!
//! The program stays in the process group and the session of the process that watches, as if it had been started by itself, unless
//! that process keeps a terminal for it (terminal.rs).

use std::collections::HashMap;
use std::fs;
use std::io::Write;
use std::os::fd::OwnedFd;
use std::os::unix::process::CommandExt;
use std::path::{Path, PathBuf};
use std::process::{Command, ExitCode};
use std::time::{Duration, Instant, SystemTime};

use rustix::event::{PollFd, PollFlags, poll};
use rustix::io::Errno;
use rustix::net::{RecvFlags, SendFlags, recv, send};
use rustix::pipe::{PipeFlags, pipe_with};
use rustix::process::{Pid, PidfdFlags, Signal, WaitOptions, pidfd_open, pidfd_send_signal, waitpid};
use rustix::termios::{OptionalActions, Termios, tcgetattr, tcsetattr};
use serde::{Deserialize, Serialize};

use super::freeze::{DUMP_SIGNAL, masks};
use super::sys::{self, Forked};
use super::terminal::is_raw;
use super::tree::{self, View};
use super::wait::wait_for;
use super::watched::Why;
use super::{frames, watched};
use crate::outcome::ThreadInfo;

/// How long what was killed may take to be gone.
const DYING: Duration = Duration::from_secs(5);
/// How long what a program leaves behind may take to end by itself: what notices the end of its parent does so a moment later.
const GRACE: Duration = Duration::from_millis(500);
/// How long all stacks together may take, and how many processes are asked.
const STACKS: Duration = Duration::from_millis(1500);
const MOST_ASKED: usize = 16;
/// How long it is looked for who keeps a processor busy.
const LOOKS: Duration = Duration::from_millis(200);
/// How long it takes at most until everybody in a process group has heard of a signal to the group.
const HEARSAY: Duration = Duration::from_millis(20);
/// How often a heartbeat file is looked at.
const LOOK: Duration = Duration::from_millis(50);
/// How long the process that watches, stopped and set going again, has for what output there is.
const MOMENT: Duration = Duration::from_secs(1);
/// How long after its key a stop that a program makes itself is the terminal's.
const KEY: Duration = Duration::from_secs(1);
/// The most bytes in a message.
pub const MESSAGE: usize = 128 << 10;

/// What is to be minded, besides the command.
#[derive(Debug, Clone, Serialize, Deserialize)]
pub struct Job {
    /// The process that watches.
    pub host: i32,
    /// The most seconds it may run.
    pub budget: Option<f64>,
    /// The most seconds without a sign of life.
    pub silence: Option<f64>,
    /// The descriptor on which the program gives signs of life.
    pub heartbeat_fd: Option<i32>,
    /// The file that it touches or writes to.
    pub heartbeat_file: Option<PathBuf>,
    /// The folder to be made, where Python processes of the program write their stacks.
    pub stacks: PathBuf,
    /// Whether descriptor 0 is a terminal kept for the program.
    pub terminal: bool,
    /// The number of the real terminal's descriptor, to be left as it was found.
    pub real_terminal: Option<i32>,
    /// Whether somebody may stop the program by a terminal and go on with it, with the clock stopped meanwhile.
    pub interactive: bool,
}

/// What the process that watches says.
#[derive(Debug, Clone, Copy, Serialize, Deserialize)]
#[serde(rename_all = "snake_case")]
pub enum Order {
    /// There was output.
    Life,
    /// This signal came, from this process: the program is to have it.
    Signal(i32, i32),
    /// The same, and nobody else can have given it to the program.
    Pass(i32),
    /// The terminal's key for a stop was typed.
    StopKey,
    /// The program goes on after a stop.
    Continue,
}

/// What the minder says.
#[derive(Debug, Clone, Serialize, Deserialize)]
#[serde(rename_all = "snake_case")]
pub enum Word {
    /// The program was started.
    Started(i32),
    /// It was stopped by the terminal.
    Stopped,
    /// It froze, and is about to be killed.
    Frozen {
        /// What it passed.
        why: Why,
        /// Where its processes are.
        threads: Vec<ThreadInfo>,
        /// Why there is nothing of that.
        reason: Option<String>,
    },
    /// It is over, and nothing is left.
    Ended {
        /// How, as `waitpid` gives it; none where it was killed.
        status: Option<i32>,
        /// How many other processes were left, and killed.
        killed: u32,
        /// How long it ran, without the time for which it was stopped.
        seconds: f64,
        /// Whether something could not be killed.
        left: bool,
    },
    /// There is no program: why.
    Failed(String),
}

/// Runs as the minder: the number of its socket comes first, then `--` and the command.
pub fn main() -> ExitCode {
    let mut words = std::env::args_os().skip(2);
    let number = words.next().and_then(|word| word.to_str()?.parse().ok()).unwrap_or(-1);
    let command = words.skip(1).collect::<Vec<_>>();
    let Ok(host) = sys::adopt(number) else { return ExitCode::from(70) };
    match mind(&host, &command) {
        Ok(()) => ExitCode::SUCCESS,
        Err(error) => {
            say(&host, &Word::Failed(error.to_string()));
            ExitCode::from(70)
        }
    }
}

/// Says something to the process that watches. It reads all the time; where it is gone nobody is to hear.
fn say(host: &OwnedFd, word: &Word) {
    let mut bytes = serde_json::to_vec(word).unwrap_or_default();
    if bytes.len() > MESSAGE
        && let Word::Frozen { why, threads, reason } = word
    {
        let least = threads
            .iter()
            .take(1)
            .map(|thread| ThreadInfo { frames: thread.frames.iter().rev().take(20).rev().cloned().collect(), ..thread.clone() });
        bytes = serde_json::to_vec(&Word::Frozen { why: *why, threads: least.collect(), reason: reason.clone() }).unwrap_or_default();
    }
    while let Err(Errno::INTR) = send(host, &bytes, SendFlags::NOSIGNAL) {}
}

fn mind(host: &OwnedFd, command: &[std::ffi::OsString]) -> std::io::Result<()> {
    let mut message = vec![0_u8; MESSAGE];
    let (n, _) = recv(host, &mut message, RecvFlags::empty())?;
    let job: Job = serde_json::from_slice(&message[..n])?;
    let host_process = Pid::from_raw(job.host).and_then(|pid| pidfd_open(pid, PidfdFlags::empty()).ok());
    if rustix::process::getppid().map(|pid| pid.as_raw_nonzero().get()) != Some(job.host) {
        return Ok(());
    }
    rustix::process::set_child_subreaper(Some(rustix::process::getpid()))?;
    // What is sent to the process group is not for this process, nor for the twin as long as it only listens.
    drop(sys::signal_fd(&watched::SIGNALS)?);
    let real_terminal = job.real_terminal.and_then(|number| sys::adopt(number).ok());
    let real_state = real_terminal.as_ref().and_then(|terminal| tcgetattr(terminal).ok());
    if job.terminal {
        rustix::process::setsid()?;
        rustix::process::ioctl_tiocsctty(std::io::stdin())?;
    }
    // Before anything is started: a child that ends at once is heard of, and the twin is one from its first moment.
    let children = sys::signal_fd(&[libc::SIGCHLD])?;
    // Without it the program runs all the same, and is not asked.
    let made = make_folder(&job.stacks).err();
    let (twin, twin_end) = pipe_with(PipeFlags::CLOEXEC | PipeFlags::NONBLOCK)?;
    let twin_pid = if job.terminal { None } else { start_twin(twin_end) };
    let heartbeat = match job.heartbeat_fd {
        Some(_) => Some(pipe_with(PipeFlags::CLOEXEC)?),
        None => None,
    };
    let (heartbeat, heartbeat_end) = heartbeat.map_or((None, None), |(read, write)| (Some(read), Some(write)));
    let program = match sys::fork()? {
        Forked::Child => become_program(&job, command, heartbeat_end),
        Forked::Parent(pid) => pid,
    };
    drop(heartbeat_end);
    if !job.terminal {
        // From here on no signal to the program's process group reaches this process.
        let _ = rustix::process::setsid();
    }
    let null = fs::OpenOptions::new().read(true).write(true).open("/dev/null")?;
    rustix::stdio::dup2_stdin(&null)?;
    rustix::stdio::dup2_stdout(&null)?;
    rustix::stdio::dup2_stderr(&null)?;
    if let Some(heartbeat) = &heartbeat {
        rustix::io::ioctl_fionbio(heartbeat, true)?;
    }
    say(host, &Word::Started(program));
    let now = Instant::now();
    let mut minder = Minder {
        job: &job,
        no_stacks: made.map(|error| format!("{}: {error}", job.stacks.display())),
        host,
        host_process,
        program,
        twin_pid,
        twin,
        heartbeat,
        children,
        began: now,
        life: now,
        prodded: false,
        held: None,
        key: None,
        stopped: None,
        touched: None,
        heard: HashMap::new(),
        waiting: Vec::new(),
        gone: false,
    };
    let over = minder.attend();
    if minder.gone
        && let (Some(terminal), Some(state)) = (&real_terminal, &real_state)
    {
        leave_terminal(terminal, state);
    }
    minder.finish(&over);
    Ok(())
}

/// What Python runs first, and what asks the program's processes where they are.
const SITE: &str = include_str!("sitecustomize.py");

fn make_folder(folder: &Path) -> std::io::Result<()> {
    use std::os::unix::fs::DirBuilderExt;
    fs::DirBuilder::new().mode(0o700).create(folder)?;
    fs::write(folder.join("sitecustomize.py"), SITE)
}

/// The terminal as it was found, where the process that watches has it pass keys on.
fn leave_terminal(terminal: &OwnedFd, state: &Termios) {
    if tcgetattr(terminal).is_ok_and(|now| is_raw(&now)) {
        let _ = tcsetattr(terminal, OptionalActions::Now, state);
    }
}

/// Forks the twin: a process that stays in the program's process group, and tells which signals the group as a whole was sent. Gives
/// its number.
fn start_twin(report: OwnedFd) -> Option<i32> {
    match sys::fork() {
        Ok(Forked::Parent(pid)) => Some(pid),
        Ok(Forked::Child) => {
            let _ = rustix::process::set_parent_process_death_signal(Some(Signal::KILL));
            let Ok(signals) = sys::signal_fd(&watched::SIGNALS) else { sys::exit_now(0) };
            // The program's input and output are not this process's to hold open.
            if let Ok(null) = fs::OpenOptions::new().read(true).write(true).open("/dev/null") {
                let _ = (rustix::stdio::dup2_stdin(&null), rustix::stdio::dup2_stdout(&null), rustix::stdio::dup2_stderr(&null));
            }
            loop {
                let _ = poll(&mut [PollFd::new(&signals, PollFlags::IN)], None);
                while let Some(signal) = sys::take_signal(&signals) {
                    let mut record = signal.number.to_le_bytes().to_vec();
                    record.extend_from_slice(&signal.sender.to_le_bytes());
                    let _ = rustix::io::write(&report, &record);
                }
            }
        }
        Err(_) => None,
    }
}

/// Becomes the program.
fn become_program(job: &Job, command: &[std::ffi::OsString], heartbeat: Option<OwnedFd>) -> ! {
    if job.terminal {
        let _ = rustix::process::setpgid(None, None);
        // In the background a process that does this is stopped, unless it blocks the signal.
        let blocked = sys::signal_fd(&[libc::SIGTTOU]);
        let _ = rustix::termios::tcsetpgrp(std::io::stdin(), rustix::process::getpid());
        drop(blocked);
    }
    // If this is killed the program is too, whatever becomes of what is below it.
    let _ = rustix::process::set_parent_process_death_signal(Some(Signal::KILL));
    if let (Some(fd), Some(number)) = (&heartbeat, job.heartbeat_fd)
        && let Err(error) = sys::hand_down(fd, number)
    {
        refuse(125, &format!("the program cannot have descriptor {number}: {error}"));
    }
    sys::unblock_signals();
    let Some((name, args)) = command.split_first() else { refuse(125, "there is no command") };
    let error = Command::new(name).args(args).exec();
    let status = if error.kind() == std::io::ErrorKind::NotFound { 127 } else { 126 };
    refuse(status, &format!("{}: {error}", Path::new(name).display()))
}

/// Says on the program's standard error why it is not started, and ends.
fn refuse(status: i32, why: &str) -> ! {
    let _ = writeln!(std::io::stderr(), "antifreeze: {why}");
    sys::exit_now(status)
}

struct Minder<'a> {
    job: &'a Job,
    /// Why there is no folder for stacks.
    no_stacks: Option<String>,
    host: &'a OwnedFd,
    host_process: Option<OwnedFd>,
    program: i32,
    twin_pid: Option<i32>,
    twin: OwnedFd,
    heartbeat: Option<OwnedFd>,
    children: OwnedFd,
    began: Instant,
    /// When there was a sign of life.
    life: Instant,
    /// Whether the process that watches was set going since.
    prodded: bool,
    /// Since when the program is stopped, with the clock.
    held: Option<Instant>,
    /// When the terminal's key for a stop was typed.
    key: Option<Instant>,
    /// When the program was stopped by another than the terminal.
    stopped: Option<Instant>,
    /// When the heartbeat file was touched.
    touched: Option<SystemTime>,
    /// When the whole process group was sent a signal, by its number and who sent it.
    heard: HashMap<(i32, i32), Instant>,
    /// Signals that only the process that watches may have been sent: passed on at that time, unless the group was sent them too.
    waiting: Vec<(i32, i32, Instant)>,
    /// Whether the process that watches is gone.
    gone: bool,
}

/// How it came to an end.
enum Over {
    Ended(i32),
    Frozen(Why),
    Gone,
}

impl Minder<'_> {
    fn attend(&mut self) -> Over {
        loop {
            let now = Instant::now();
            self.look_at_host(now);
            if self.held.is_none()
                && let Some(why) = self.passed(now)
            {
                return Over::Frozen(why);
            }
            self.pass_signals(now);
            if let Some(over) = self.wait(self.next_wait(now)) {
                return over;
            }
        }
    }

    /// What is passed by now.
    fn passed(&self, now: Instant) -> Option<Why> {
        let over =
            |limit: Option<f64>, since: Instant| limit.is_some_and(|limit| now.saturating_duration_since(since).as_secs_f64() >= limit);
        if over(self.job.budget, self.began) {
            return Some(Why::Budget);
        }
        over(self.job.silence, self.life).then_some(Why::Silence)
    }

    /// While the process that passes on output is stopped there is none to be seen, and that is no silence of the program's. It is set
    /// going, as the program may have stopped it, and has a moment; once, as the program may do it again.
    fn look_at_host(&mut self, now: Instant) {
        let Some(limit) = self.job.silence.and_then(|limit| Duration::try_from_secs_f64(limit).ok()) else { return };
        let silent = now.saturating_duration_since(self.life) >= limit;
        if silent && self.held.is_none() && !self.prodded && tree::is_stopped(self.job.host) {
            self.prodded = true;
            self.wake_host();
            self.life = now.checked_sub(limit).map_or(now, |begin| begin + MOMENT);
        }
    }

    /// Sets the process that watches going.
    fn wake_host(&self) {
        match &self.host_process {
            Some(process) => {
                let _ = pidfd_send_signal(process, Signal::CONT);
            }
            // As long as that process lives it is this one's parent.
            None if rustix::process::getppid().is_some_and(|pid| pid.as_raw_nonzero().get() == self.job.host) => {
                sys::kill(self.job.host, libc::SIGCONT);
            }
            None => {}
        }
    }

    fn next_wait(&self, now: Instant) -> Duration {
        let left = |limit: Option<f64>, since: Instant| {
            let limit = Duration::try_from_secs_f64(limit?).unwrap_or(Duration::MAX);
            Some(limit.saturating_sub(now.saturating_duration_since(since)))
        };
        let looks = self.job.heartbeat_file.as_ref().and(self.job.silence).map(|_| LOOK);
        let looks = looks.or_else(|| self.job.silence.map(|silence| Duration::try_from_secs_f64(silence / 4.0).unwrap_or(LOOK).max(LOOK)));
        let clocks =
            if self.held.is_some() { [None, None] } else { [left(self.job.budget, self.began), left(self.job.silence, self.life)] };
        let signals = self.waiting.iter().map(|(.., due)| due.saturating_duration_since(now)).min();
        clocks.into_iter().chain([looks, signals]).flatten().min().unwrap_or(Duration::from_mins(1)).min(Duration::from_mins(1))
    }

    /// Waits for something to happen, at most so long, and deals with it.
    fn wait(&mut self, wait: Duration) -> Option<Over> {
        let mut fds = vec![
            PollFd::new(self.host, PollFlags::IN),
            PollFd::new(&self.children, PollFlags::IN),
            PollFd::new(&self.twin, if self.twin_pid.is_some() { PollFlags::IN } else { PollFlags::empty() }),
        ];
        fds.extend(self.host_process.as_ref().map(|process| PollFd::new(process, PollFlags::IN)));
        let at = fds.len();
        fds.extend(self.heartbeat.as_ref().map(|heartbeat| PollFd::new(heartbeat, PollFlags::IN)));
        wait_for(&mut fds, wait);
        let ready = fds.iter().map(|fd| !fd.revents().is_empty()).collect::<Vec<_>>();
        drop(fds);
        if self.host_process.is_some() && ready[3] {
            self.gone = true;
            return Some(Over::Gone);
        }
        if ready[0] && !self.hear() {
            self.gone = true;
            return Some(Over::Gone);
        }
        if ready[2] {
            self.hear_twin();
        }
        if ready.get(at) == Some(&true) {
            self.hear_heartbeat();
        }
        self.look_at_file();
        if ready[1] { self.reap() } else { None }
    }

    /// Does what the process that watches says. False when it says no more.
    fn hear(&mut self) -> bool {
        let mut message = [0_u8; 256];
        loop {
            let n = match recv(self.host, &mut message, RecvFlags::DONTWAIT) {
                Ok((0, _)) => return false,
                Ok((n, _)) => n,
                Err(Errno::AGAIN | Errno::INTR) => return true,
                Err(_) => return false,
            };
            match serde_json::from_slice::<Order>(&message[..n]) {
                Ok(Order::Life) => {
                    self.life = Instant::now();
                    self.prodded = false;
                }
                Ok(Order::Signal(number, sender)) if self.twin_pid.is_some() => {
                    self.waiting.push((number, sender, Instant::now() + HEARSAY));
                }
                Ok(Order::Signal(number, _) | Order::Pass(number)) => sys::kill(self.program, number),
                Ok(Order::StopKey) => {
                    self.key = Some(Instant::now());
                    self.stop_for_key();
                }
                Ok(Order::Continue) => {
                    (self.key, self.stopped) = (None, None);
                    if let Some(since) = self.held.take() {
                        let pause = since.elapsed();
                        self.began += pause;
                        self.life += pause;
                    }
                    self.signal_program(libc::SIGCONT);
                }
                Err(_) => {}
            }
        }
    }

    /// Signals the program: with all of its process group where that is its own.
    fn signal_program(&self, number: i32) {
        sys::kill(if self.job.terminal { -self.program } else { self.program }, number);
    }

    fn hear_twin(&mut self) {
        let mut record = [0_u8; 8];
        while let Ok(8) = rustix::io::read(&self.twin, &mut record) {
            let number = |at: usize| i32::from_le_bytes([record[at], record[at + 1], record[at + 2], record[at + 3]]);
            self.heard.insert((number(0), number(4)), Instant::now());
        }
    }

    /// Passes on what was sent to the process that watches alone. What went to the whole group the program has had.
    fn pass_signals(&mut self, now: Instant) {
        self.hear_twin();
        let waiting = std::mem::take(&mut self.waiting);
        for (number, sender, due) in waiting {
            let known = self.heard.get(&(number, sender)).is_some_and(|at| now.saturating_duration_since(*at) < HEARSAY * 5);
            if known {
                self.heard.remove(&(number, sender));
            } else if now >= due {
                sys::kill(self.program, number);
            } else {
                self.waiting.push((number, sender, due));
            }
        }
    }

    fn hear_heartbeat(&mut self) {
        let Some(heartbeat) = &self.heartbeat else { return };
        let mut block = [0_u8; 4096];
        loop {
            match rustix::io::read(heartbeat, &mut block) {
                // Nobody can write any more: from here on silence is silence.
                Ok(0) => {
                    self.heartbeat = None;
                    return;
                }
                Ok(_) => self.life = Instant::now(),
                Err(Errno::INTR) => {}
                Err(_) => return,
            }
        }
    }

    fn look_at_file(&mut self) {
        let Some(file) = self.job.heartbeat_file.as_ref().filter(|_| self.job.silence.is_some()) else { return };
        let touched = fs::metadata(file).and_then(|metadata| metadata.modified()).ok();
        if touched.is_some() && touched != self.touched {
            // What it was like before the program began is no sign of the program's.
            if self.touched.is_some() || touched.is_some_and(|at| at.elapsed().is_ok_and(|age| age < self.began.elapsed())) {
                self.life = Instant::now();
            }
            self.touched = touched;
        }
    }

    /// Hears of the program's end or stop, and reaps what else has ended.
    fn reap(&mut self) -> Option<Over> {
        while sys::take_signal(&self.children).is_some() {}
        if let Some(pid) = Pid::from_raw(self.program) {
            while let Ok(Some((_, status))) = waitpid(Some(pid), WaitOptions::NOHANG | WaitOptions::UNTRACED) {
                let Some(signal) = status.stopping_signal() else { return Some(Over::Ended(status.as_raw())) };
                match signal {
                    libc::SIGTSTP | libc::SIGTTIN | libc::SIGTTOU if self.job.interactive => self.hold(),
                    // The kernel lets no terminal stop whom nobody can go on with; here it does not know.
                    libc::SIGTSTP if self.job.terminal => self.signal_program(libc::SIGCONT),
                    _ => {
                        self.stopped = Some(Instant::now());
                        self.stop_for_key();
                    }
                }
            }
        }
        loop {
            match sys::reap(false) {
                Ok(Some(one)) if one.pid == self.program => return Some(Over::Ended(one.status)),
                Ok(Some(one)) if Some(one.pid) == self.twin_pid => self.twin_pid = None,
                Ok(Some(_)) | Err(Errno::INTR) => {}
                _ => return None,
            }
        }
    }

    /// The terminal has stopped the program, and the clock stops too.
    fn hold(&mut self) {
        if self.held.is_none() {
            self.held = Some(Instant::now());
            say(self.host, &Word::Stopped);
        }
    }

    /// A program that takes the terminal's key, puts its screen in order and stops itself was stopped by the terminal. The key and the
    /// stop are heard of in any order.
    fn stop_for_key(&mut self) {
        let (Some(key), Some(stopped)) = (self.key, self.stopped) else { return };
        if self.job.interactive && key.max(stopped).duration_since(key.min(stopped)) < KEY && tree::is_stopped(self.program) {
            (self.key, self.stopped) = (None, None);
            self.hold();
        }
    }

    /// Ends all that is left, and says how it went.
    fn finish(mut self, over: &Over) {
        let seconds = self.began.elapsed().as_secs_f64();
        self.wake_host();
        if let Over::Frozen(why) = over {
            let (threads, reason) = self.stacks();
            say(self.host, &Word::Frozen { why: *why, threads, reason });
        }
        if let Some(twin) = self.twin_pid {
            sys::kill(twin, libc::SIGKILL);
        }
        let view = View::descendants(std::process::id() as i32);
        if matches!(over, Over::Ended(_)) {
            let begin = Instant::now();
            while begin.elapsed() < GRACE && view.list().iter().any(|process| Some(process.pid) != self.twin_pid) {
                self.reap();
                std::thread::sleep(Duration::from_millis(2));
            }
        }
        let killed = view.list().iter().filter(|process| Some(process.pid) != self.twin_pid).count() as u32;
        sys::go_first();
        // What ends processes needs descriptors, and there may be few.
        self.heartbeat = None;
        let mut left = !tree::sweep(DYING, |_| {});
        let status = if let Over::Ended(status) = over { Some(*status) } else { None };
        let _ = fs::remove_dir_all(&self.job.stacks);
        if !self.gone {
            // From here on there is nobody who stops it.
            self.wake_host();
            say(self.host, &Word::Ended { status, killed, seconds, left });
        }
        // What the kernel itself holds ends when it lets go; what it leaves then is waited for here.
        while left {
            left = !tree::sweep(Duration::from_mins(10), |_| {});
        }
    }

    /// Where the Python processes of the tree are.
    fn stacks(&self) -> (Vec<ThreadInfo>, Option<String>) {
        let view = View::descendants(std::process::id() as i32);
        let processes = view.list().into_iter().filter(|process| Some(process.pid) != self.twin_pid).collect::<Vec<_>>();
        let commands = processes.iter().take(100).map(|process| ThreadInfo {
            pid: process.pid as u32,
            thread: None,
            command: Some(view.command(process.pid)),
            frames: Vec::new(),
        });
        let commands = commands.collect::<Vec<_>>();
        if let Some(why) = &self.no_stacks {
            return (commands, Some(format!("there is no folder for stacks: {why}")));
        }
        let folder = &self.job.stacks;
        let asked = processes
            .iter()
            .map(|process| process.pid)
            .filter(|pid| masks(&view, *pid, "SigCgt") == Some(true))
            .take(MOST_ASKED)
            .collect::<Vec<_>>();
        let busy = busy_threads(&view, &asked);
        let begin = Instant::now();
        let mut threads = Vec::new();
        let mut main: Option<(usize, u64)> = None;
        for (pid, busy) in asked.iter().zip(busy) {
            if begin.elapsed() > STACKS {
                break;
            }
            // The thread that keeps a processor busy is the one to look at; else the main thread of the first process.
            let (thread, time) = busy.unwrap_or((*pid, 0));
            let found = ask(&view, *pid, thread, folder);
            if !found.is_empty() && main.is_none_or(|(_, most)| time > most) {
                main = Some((threads.len(), time));
            }
            threads.extend(found);
        }
        if let Some((at, _)) = main.filter(|(at, _)| *at > 0) {
            threads.rotate_left(at);
        }
        let reason = threads.is_empty().then(|| match asked.len() {
            0 => "no process of the program is a Python that could be asked (one started with -S, -E or -I, or without its environment, cannot)".into(),
            _ => "the program did not say in time where it is".into(),
        });
        threads.extend(commands);
        (threads, reason)
    }
}

/// The busiest thread of each process, with how long it ran meanwhile; none where none ran for as long as a thread does that only wakes
/// up to see whether it may go on. Looks until somebody was seen to be busy.
fn busy_threads(view: &View, processes: &[i32]) -> Vec<Option<(i32, u64)>> {
    const BUSY: u64 = 2_000_000;
    let before = processes.iter().map(|pid| view.run_times(*pid)).collect::<Vec<_>>();
    let begin = Instant::now();
    loop {
        std::thread::sleep(Duration::from_millis(10));
        let ran = processes.iter().zip(&before).map(|(pid, before)| {
            let now = view.run_times(*pid).into_iter();
            let since = now.map(|(thread, time)| (thread, time.saturating_sub(before.get(&thread).copied().unwrap_or(time))));
            since.max_by_key(|(_, time)| *time).filter(|(_, time)| *time >= BUSY)
        });
        let ran = ran.collect::<Vec<_>>();
        if ran.iter().any(Option::is_some) || begin.elapsed() > LOOKS || processes.is_empty() {
            return ran;
        }
    }
}

/// Has one process write down where it is, and reads that: the files of processes that were forked are those of their parents, so
/// what counts is which grew.
fn ask(view: &View, pid: i32, thread: i32, folder: &Path) -> Vec<ThreadInfo> {
    let before = sizes(folder);
    if masks(view, thread, "SigBlk") == Some(true) {
        sys::unblock_from_outside(thread);
    }
    // The thread that takes the signal is marked in what is written.
    sys::kill_thread(pid, thread, i32::from(DUMP_SIGNAL));
    if tree::is_stopped(pid) {
        sys::kill(pid, libc::SIGCONT);
    }
    let begin = Instant::now();
    let mut text = String::new();
    let mut quiet = Instant::now();
    while begin.elapsed() < Duration::from_millis(150) {
        std::thread::sleep(Duration::from_millis(2));
        let grown = sizes(folder).into_iter().find(|(path, size)| before.get(path).copied().unwrap_or(0) < *size);
        if let Some((path, _)) = grown {
            let bytes = fs::read(&path).unwrap_or_default();
            let from = before.get(&path).copied().unwrap_or(0) as usize;
            let now = String::from_utf8_lossy(bytes.get(from..).unwrap_or_default()).into_owned();
            if now.len() > text.len() {
                text = now;
                quiet = Instant::now();
            } else if quiet.elapsed() > Duration::from_millis(10) {
                break;
            }
        }
    }
    frames::parse_asked(&text, pid as u32)
}

/// The files of stacks and how long they are; nothing that is not one.
fn sizes(folder: &Path) -> HashMap<PathBuf, u64> {
    let entries = fs::read_dir(folder).into_iter().flatten().filter_map(Result::ok);
    let stacks = entries.filter(|entry| entry.file_name().to_str().is_some_and(|name| name.bytes().all(|byte| byte.is_ascii_digit())));
    stacks.filter_map(|entry| Some((entry.path(), entry.metadata().ok().filter(fs::Metadata::is_file)?.len()))).collect()
}
