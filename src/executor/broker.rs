//! The one child of a host that has sessions (`antifreeze __sessions`): forks a supervisor for each, and keeps the zygotes that
//! their processes are forked from. Single-threaded; the sessions' own traffic passes it by.
//!
//! The host is at descriptor 1, message-wise. It sends what a session is to be made of with the supervisor's end of the session's
//! socket; everything else the two of them settle there.

use std::collections::{BTreeMap, BTreeSet};
use std::os::fd::{AsRawFd, OwnedFd};
use std::os::unix::process::CommandExt;
use std::process::{Command, Stdio};
use std::time::{Duration, Instant};

use rustix::event::{PollFd, PollFlags, Timespec, poll};
use rustix::io::{FdFlags, fcntl_dupfd_cloexec, fcntl_setfd};
use rustix::net::{AddressFamily, SocketFlags, SocketType, socketpair};
use rustix::pipe::{PipeFlags, pipe_with};
use rustix::process::{PidfdFlags, Signal, pidfd_open};
use serde::{Deserialize, Serialize};
use serde_json::json;

use super::cgroup::Cgroup;
use super::channel::{self, Channel};
use super::sys::{self, Forked};
use super::wait::wait_for;
use super::wire::{Got, frame};
use super::{steps, tree, worker};

/// The longest message of the host.
const MAX_MESSAGE: usize = 64 << 10;
/// How long supervisors have to end when the host is gone.
const PATIENCE: Duration = Duration::from_secs(15);
/// The longest frame a zygote may send.
const MAX_FRAME: usize = 64 << 10;

/// What the host asks for.
#[derive(Debug, Clone, Serialize, Deserialize)]
pub enum Order {
    /// A session.
    Open {
        /// The interpreter.
        python: String,
        /// Modules to import ahead.
        preload: Vec<String>,
        /// Whether its process may come from a zygote.
        zygote: bool,
    },
    /// A supervisor that does not answer is looked at: set going again if it was stopped.
    Hurry(i32),
    /// It is given up, with everything below it.
    TakeDown(i32),
}

/// An interpreter that has imported what is to be imported, and forks when it is told to.
struct Zygote {
    pid: i32,
    /// None when it has ended, or is of no use.
    control: Option<Channel>,
    commands: OwnedFd,
    ready: bool,
    /// Whether it can do what it is for.
    able: bool,
    /// What it said when it failed.
    said: Option<String>,
    /// Sessions that wait for it.
    waiting: Vec<OwnedFd>,
}

struct Broker {
    host: OwnedFd,
    host_process: Option<OwnedFd>,
    /// Supervisors hold the other end: what this process does not hold any more, they are to end.
    lifeline: Option<OwnedFd>,
    lifeline_end: OwnedFd,
    signals: OwnedFd,
    zygotes: BTreeMap<(String, Vec<String>), Zygote>,
    supervisors: BTreeSet<i32>,
    /// Those that did not end by themselves, and may have left a cgroup.
    fallen: Vec<i32>,
    /// When to look for what a supervisor left that did not end by itself.
    sweep: Option<Instant>,
}

/// Runs as the broker; the host is at descriptor 1.
pub fn main() -> std::process::ExitCode {
    match start().and_then(|mut broker| broker.serve()) {
        Ok(()) => std::process::ExitCode::SUCCESS,
        Err(_) => std::process::ExitCode::from(70),
    }
}

fn start() -> std::io::Result<Broker> {
    sys::unblock_signals();
    let host = fcntl_dupfd_cloexec(std::io::stdout(), 3)?;
    let null = std::fs::OpenOptions::new().read(true).write(true).open("/dev/null")?;
    rustix::stdio::dup2_stdout(&null)?;
    rustix::stdio::dup2_stdin(&null)?;
    sys::close_on_exec_from(3);
    let _ = rustix::process::setsid();
    // The pidfd is the host's only if the host is still this process's parent after it was opened.
    let parent = rustix::process::getppid();
    let host_process = parent.and_then(|pid| pidfd_open(pid, PidfdFlags::empty()).ok());
    if rustix::process::getppid() != parent {
        return Err(std::io::Error::other("the host is gone"));
    }
    // Should a supervisor be killed, what it kept comes here.
    rustix::process::set_child_subreaper(Some(rustix::process::getpid()))?;
    let (lifeline_end, lifeline) = pipe_with(PipeFlags::CLOEXEC)?;
    Ok(Broker {
        host,
        host_process,
        lifeline: Some(lifeline),
        lifeline_end,
        signals: sys::signal_fd(&[libc::SIGCHLD])?,
        zygotes: BTreeMap::new(),
        supervisors: BTreeSet::new(),
        fallen: Vec::new(),
        sweep: None,
    })
}

impl Broker {
    fn serve(&mut self) -> std::io::Result<()> {
        loop {
            self.reap();
            let keys = self.zygotes.iter().filter(|(_, zygote)| zygote.control.is_some()).map(|(key, _)| key.clone()).collect::<Vec<_>>();
            let mut fds = vec![PollFd::new(&self.host, PollFlags::IN), PollFd::new(&self.signals, PollFlags::IN)];
            fds.extend(keys.iter().filter_map(|key| Some(PollFd::new(self.zygotes[key].control.as_ref()?.fd(), PollFlags::IN))));
            fds.extend(self.host_process.as_ref().map(|process| PollFd::new(process, PollFlags::IN)));
            let wait = self.sweep.map(|at| at.saturating_duration_since(Instant::now()).max(Duration::from_millis(1)));
            let wait = wait.map(|wait| Timespec { tv_sec: wait.as_secs() as i64, tv_nsec: i64::from(wait.subsec_nanos()) });
            let _ = poll(&mut fds, wait.as_ref());
            let events = fds.iter().map(|fd| !fd.revents().is_empty()).collect::<Vec<_>>();
            for (key, event) in keys.iter().zip(&events[2..]) {
                if *event {
                    self.zygote_event(key);
                }
            }
            if events[0] && !self.host_event() || events.get(2 + keys.len()) == Some(&true) {
                self.wind_up();
                return Ok(());
            }
            if self.sweep.is_some_and(|at| Instant::now() >= at) {
                self.sweep_orphans();
            }
        }
    }

    /// False when the host is gone.
    fn host_event(&mut self) -> bool {
        let mut block = vec![0_u8; MAX_MESSAGE];
        let Ok((n, fds, _)) = channel::receive(&self.host, &mut block) else { return true };
        if n == 0 {
            return false;
        }
        match (serde_json::from_slice(&block[..n]), fds.into_iter().next()) {
            (Ok(Order::Open { python, preload, zygote }), Some(session)) => {
                if zygote {
                    self.open_warm(python, preload, session);
                } else {
                    self.fork_supervisor(session, None);
                }
            }
            (Ok(Order::Hurry(pid)), _) if self.supervisors.contains(&pid) && tree::is_stopped(pid) => sys::kill(pid, libc::SIGCONT),
            (Ok(Order::TakeDown(pid)), _) if self.supervisors.contains(&pid) => {
                tree::take_down(pid);
                self.sweep = Some(Instant::now());
            }
            _ => {}
        }
        true
    }

    fn open_warm(&mut self, python: String, preload: Vec<String>, session: OwnedFd) {
        let key = (python, preload);
        if self.zygotes.get(&key).is_none_or(|zygote| zygote.able && zygote.control.is_none()) {
            match start_zygote(&key.0) {
                Ok(zygote) => drop(self.zygotes.insert(key.clone(), zygote)),
                Err(error) => return refuse(&session, 'x', &error.to_string()),
            }
        }
        match self.zygotes.get_mut(&key) {
            Some(zygote) if zygote.able && !zygote.ready => zygote.waiting.push(session),
            Some(zygote) => {
                let commands = if zygote.able { zygote.commands.try_clone().ok() } else { None };
                self.fork_supervisor(session, commands);
            }
            None => {}
        }
    }

    fn zygote_event(&mut self, key: &(String, Vec<String>)) {
        let Some(zygote) = self.zygotes.get_mut(key) else { return };
        let Some(control) = &mut zygote.control else { return };
        control.flush();
        let got = control.fill();
        while let Ok(Some((kind, payload))) = control.next() {
            match kind {
                b'm' => {
                    // Its numbers are the ones it was started with.
                    let request = json!({ "session": "zygote", "preload": key.1, "commands": COMMANDS }).to_string();
                    control.send([worker::code_for(&payload, &worker::SESSION), frame(b'q', request.as_bytes())].concat());
                }
                b'r' => zygote.ready = true,
                b'n' => (zygote.ready, zygote.able) = (true, false),
                _ => zygote.said = Some(String::from_utf8_lossy(&payload).into_owned()),
            }
        }
        if got == Got::End {
            zygote.control = None;
        }
        if got == Got::End && !zygote.ready {
            let why = zygote.said.take().unwrap_or_else(|| "the interpreter ended before it was ready".into());
            for session in std::mem::take(&mut zygote.waiting) {
                refuse(&session, 'x', &why);
            }
        } else if zygote.ready {
            let able = zygote.able;
            for session in std::mem::take(&mut zygote.waiting) {
                let commands = self.zygotes.get(key).filter(|_| able).and_then(|zygote| zygote.commands.try_clone().ok());
                self.fork_supervisor(session, commands);
            }
        }
    }

    fn fork_supervisor(&mut self, session: OwnedFd, zygote: Option<OwnedFd>) {
        match sys::fork() {
            Ok(Forked::Child) => {
                // What the broker holds is the broker's.
                let mut mine = [&self.host, &self.signals].map(AsRawFd::as_raw_fd).to_vec();
                mine.extend([&self.host_process, &self.lifeline].into_iter().flatten().map(AsRawFd::as_raw_fd));
                for zygote in self.zygotes.values() {
                    mine.push(zygote.commands.as_raw_fd());
                    mine.extend(zygote.control.as_ref().map(|control| control.fd().as_raw_fd()));
                    mine.extend(zygote.waiting.iter().map(AsRawFd::as_raw_fd));
                }
                sys::close(&mine);
                sys::unblock_signals();
                let _ = rustix::process::setsid();
                let lifeline = self.lifeline_end.try_clone().ok();
                steps::main(session, lifeline, zygote);
                sys::exit_now(0)
            }
            Ok(Forked::Parent(pid)) => {
                self.supervisors.insert(pid);
            }
            Err(error) => refuse(&session, 'i', &format!("no process for it: {error}")),
        }
    }

    fn reap(&mut self) {
        while sys::next_signal(&self.signals).is_some() {}
        while let Ok(Some(reaped)) = sys::reap(false) {
            if self.supervisors.remove(&reaped.pid) {
                if reaped.status != 0 {
                    // It did not end by itself: what it kept ends by itself, but for what was in no namespace.
                    self.sweep = Some(Instant::now() + Duration::from_millis(200));
                    self.fallen.push(reaped.pid);
                }
            } else if let Some(zygote) = self.zygotes.values_mut().find(|zygote| zygote.pid == reaped.pid) {
                zygote.pid = 0;
            }
        }
    }

    /// Ends what belongs to nobody any more.
    fn sweep_orphans(&mut self) {
        let known = self.supervisors.iter().copied().chain(self.zygotes.values().map(|zygote| zygote.pid)).collect();
        self.sweep = tree::strike_unknown(&known).then(|| Instant::now() + Duration::from_millis(20));
        self.reap();
        if self.sweep.is_none() {
            self.tidy();
        }
    }

    /// Removes the cgroups that supervisors left that did not end by themselves.
    fn tidy(&mut self) {
        for pid in self.fallen.drain(..) {
            if let Some(cgroup) = Cgroup::of(&pid.to_string()) {
                cgroup.remove();
            }
        }
    }

    /// The host is gone, or wants no sessions any more. What a supervisor keeps ends when the supervisor does.
    fn wind_up(&mut self) {
        let begin = Instant::now();
        for zygote in self.zygotes.values_mut().filter(|zygote| zygote.pid != 0) {
            sys::kill(zygote.pid, libc::SIGKILL);
        }
        self.lifeline = None;
        while !self.supervisors.is_empty() && begin.elapsed() < PATIENCE {
            let mut fds = [PollFd::new(&self.signals, PollFlags::IN)];
            wait_for(&mut fds, Duration::from_millis(50));
            self.reap();
            for pid in self.supervisors.iter().filter(|pid| tree::is_stopped(**pid)) {
                sys::kill(*pid, libc::SIGCONT);
            }
        }
        self.fallen.extend(&self.supervisors);
        tree::sweep(Duration::from_mins(1), |_| {});
        self.tidy();
    }
}

fn refuse(session: &OwnedFd, kind: char, why: &str) {
    let text = json!({ "kind": kind.to_string(), "why": why }).to_string();
    let _ = rustix::io::write(session, &frame(b'f', text.as_bytes()));
}

/// The numbers a zygote finds its sockets at.
const CONTROL: i32 = 1000;
const COMMANDS: i32 = 1001;

fn start_zygote(python: &str) -> std::io::Result<Zygote> {
    let (ours, theirs) = socketpair(AddressFamily::UNIX, SocketType::STREAM, SocketFlags::CLOEXEC, None)?;
    let (commands, commands_end) = socketpair(AddressFamily::UNIX, SocketType::SEQPACKET, SocketFlags::CLOEXEC, None)?;
    let pid = match sys::fork()? {
        Forked::Parent(pid) => pid,
        Forked::Child => {
            let _ = rustix::process::set_parent_process_death_signal(Some(Signal::KILL));
            let _ = rustix::process::setsid();
            let place = |fd: &OwnedFd, number: i32| -> Option<OwnedFd> {
                let fd = fcntl_dupfd_cloexec(fd, number).ok().filter(|fd| fd.as_raw_fd() == number)?;
                fcntl_setfd(&fd, FdFlags::empty()).ok()?;
                Some(fd)
            };
            let (Some(control), Some(_commands)) = (place(&theirs, CONTROL), place(&commands_end, COMMANDS)) else { sys::exit_now(6) };
            let mut command = Command::new(python);
            command.args(["-c", &worker::first_words(CONTROL), &CONTROL.to_string(), &CONTROL.to_string()]);
            command.stdin(Stdio::null()).stdout(Stdio::null()).stderr(Stdio::null());
            // Numeric libraries start a pool of threads when they are imported, which a fork would have to stop and start.
            if std::env::var_os("OPENBLAS_NUM_THREADS").is_none() {
                command.env("OPENBLAS_NUM_THREADS", "1");
            }
            sys::unblock_signals();
            let error = command.exec();
            let _ = rustix::io::write(&control, &frame(b'x', format!("`{python}` could not be started: {error}").as_bytes()));
            sys::exit_now(127)
        }
    };
    Ok(Zygote { pid, control: Some(Channel::new(ours, MAX_FRAME)?), commands, ready: false, able: true, said: None, waiting: Vec::new() })
}
