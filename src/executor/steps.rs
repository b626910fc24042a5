//! The supervisor of one session: owns its clock and its kills, as the helper of a run does. Single-threaded; runs none of the
//! session's code; decides on the exit of processes and its own clock.
//!
//! The session's process runs each step itself and keeps a backup, forked ahead between steps (worker/session.py). A step that
//! ends has its backup dropped; one that meets a limit has everything but its backup ended, and the backup is the session then,
//! with every variable as it was before the step. What the process says is its own word: it can only change what is reported
//! about it, and a step that says that it ended has ended.

use std::os::fd::{AsFd, AsRawFd, OwnedFd};
use std::path::PathBuf;
use std::time::{Duration, Instant};

use rustix::event::{PollFd, PollFlags};
use rustix::io::Errno;
use rustix::net::{AddressFamily, SocketFlags, SocketType, socketpair};
use rustix::pipe::{PipeFlags, pipe_with};
use rustix::process::{Pid, PidfdFlags, Resource, Rlimit, pidfd_open, prlimit};
use serde_json::{Value, json};

use super::START_LIMIT;
use super::cgroup::Cgroup;
use super::channel::{self, Channel};
use super::freeze;
use super::keeper::{self, DYING, Ends, Isolation, Line, Said, Start};
use super::tree::{self, View};
use super::usage::Usage;
use super::wait::{wait_for, wait_readable};
use super::wire::{self, Ending, Got, Job, Queue, Reader, Stop, frame};
use super::{sys, worker};
use crate::limits::Limits;
use crate::outcome::Mechanisms;

/// How often the tree is looked at during a step, and between steps.
const TICK: Duration = Duration::from_millis(20);
const IDLE_TICK: Duration = Duration::from_secs(1);
/// How long a step has to end by a signal that was passed on to it.
const GRACE: Duration = Duration::from_millis(500);
/// How long importing what is to be imported ahead may take.
const PRELOAD_LIMIT: Duration = Duration::from_mins(2);
/// How long the session's process may take from the end of a step to being ready for the next.
const SETTLE_LIMIT: Duration = Duration::from_secs(20);
/// The least of it, however short a time the next step has: going back undoes a step that ended well, for which a busy machine is
/// no reason.
const LEAST_SETTLING: Duration = Duration::from_secs(5);
/// How long a backup may take to be the session.
const RESTORE_LIMIT: Duration = Duration::from_secs(5);
/// The most time for what a session does at its end: its `atexit` handlers, its threads.
const CLOSING: Duration = Duration::from_secs(10);
/// The longest report: what a step shows, and a result.
const MAX_REPORT: usize = 16 << 20;
/// The most values in a report.
const MAX_VALUES: usize = 1 << 20;
/// The most pipes of earlier steps that are drained for what those steps left running.
const MOST_PIPES: usize = 16;

/// A process, as the kernel numbers it out here and inside its namespace.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Default)]
struct Process {
    outer: i32,
    inner: i32,
}

impl Process {
    /// Of a process known by its number out here.
    fn of(outer: i32) -> Option<Process> {
        let text = std::fs::read_to_string(format!("/proc/{outer}/status")).ok()?;
        let line = text.lines().find_map(|line| line.strip_prefix("NSpid:"))?;
        Some(Process { outer, inner: line.split_whitespace().last()?.parse().ok()? })
    }
}

/// The process that waits to be the session.
struct Backup {
    line: OwnedFd,
    process: Option<Process>,
    /// How many threads beside the main one its parent had.
    threads: u32,
}

impl Backup {
    /// The kernel's word on who it is, sent with its first message.
    fn identify(&mut self, wait: Duration) -> Option<Process> {
        if self.process.is_none() && wait_readable(&self.line, wait) {
            let mut block = [0_u8; 16];
            if let Ok((1, _, Some(pid))) = channel::receive(&self.line, &mut block) {
                self.process = Process::of(pid);
            }
        }
        self.process
    }
}

/// A step that runs.
struct Step {
    started: Instant,
    timeout: Duration,
    outputs: [Option<OwnedFd>; 2],
    ending: Ending,
    stop: Option<Stop>,
    interrupted: Option<Instant>,
    /// The tool it waits for, and since when.
    tool: Option<(String, Instant)>,
    /// How long it waited for tools whose time is not its own.
    excused: Duration,
}

#[derive(PartialEq, Eq, Clone, Copy, Debug)]
enum Phase {
    Starting,
    /// Being made ready for the next step.
    Settling,
    Idle,
    Running,
    Closing,
}

struct Supervisor {
    job: Job,
    limits: Limits,
    host: OwnedFd,
    host_process: Option<OwnedFd>,
    broker: Option<OwnedFd>,
    from_host: Reader,
    to_host: Queue,
    keeper_pid: Pid,
    keeper: OwnedFd,
    control: Line,
    session: Channel,
    trace: OwnedFd,
    usage: Usage,
    namespaced: bool,
    own_proc: bool,
    warm: bool,
    program: Process,
    executable: Option<PathBuf>,
    mechanisms: Mechanisms,
    phase: Phase,
    since: Instant,
    backup: Option<Backup>,
    /// Why there is none.
    no_backup: String,
    /// Of the state before the last step; until there is one of the state after it.
    old_backup: Option<Backup>,
    queued: Option<Value>,
    /// Since when it waits.
    queued_since: Instant,
    step: Option<Step>,
    old_pipes: Vec<OwnedFd>,
    /// What happened to the state since the last step, for the next one to tell.
    note: Option<String>,
    note_threads: u32,
    /// How often the kernel had killed for want of memory when that was last looked at, between steps: it takes longer than a
    /// short step.
    oom_kills: Option<u64>,
    gone: bool,
}

/// Why a session could not be opened.
struct Failed {
    kind: u8,
    why: String,
}

impl From<std::io::Error> for Failed {
    fn from(error: std::io::Error) -> Self {
        Failed { kind: if error.kind() == std::io::ErrorKind::Unsupported { b'c' } else { b'i' }, why: error.to_string() }
    }
}

impl From<Errno> for Failed {
    fn from(error: Errno) -> Self {
        Failed { kind: b'i', why: error.to_string() }
    }
}

/// Runs as the supervisor of the session whose host is at the other end of `host`; comes back when nothing of it is left.
pub fn main(host: OwnedFd, broker: Option<OwnedFd>, zygote: Option<OwnedFd>) {
    let mut reader = Reader::new(wire::MAX_FRAME);
    let job: Job = loop {
        match reader.next() {
            Ok(Some((b'r', payload))) => match serde_json::from_slice(&payload) {
                Ok(job) => break job,
                Err(error) => return refuse(&host, &Failed { kind: b'i', why: error.to_string() }),
            },
            Ok(None) => {}
            _ => return,
        }
        if reader.fill(&host) == Got::End {
            return;
        }
    };
    let host_process = Pid::from_raw(job.host).and_then(|pid| pidfd_open(pid, PidfdFlags::empty()).ok());
    let copy = host.try_clone();
    if let Ok(copy) = copy {
        let warm = zygote.filter(|_| job.namespaces && job.confinement.is_none());
        match Supervisor::start(job, host, host_process, broker, reader, warm.as_ref()) {
            Ok(mut supervisor) => {
                drop(copy);
                supervisor.serve();
                supervisor.end();
            }
            Err(failed) => {
                refuse(&copy, &failed);
                tree::sweep(DYING, |_| {});
            }
        }
    }
}

fn refuse(host: &OwnedFd, failed: &Failed) {
    let _ = rustix::io::ioctl_fionbio(host, false);
    let text = json!({ "kind": (failed.kind as char).to_string(), "why": failed.why }).to_string();
    let _ = rustix::io::write(host, &frame(b'f', text.as_bytes()));
}

impl Supervisor {
    fn start(
        mut job: Job,
        host: OwnedFd,
        host_process: Option<OwnedFd>,
        broker: Option<OwnedFd>,
        from_host: Reader,
        zygote: Option<&OwnedFd>,
    ) -> Result<Supervisor, Failed> {
        rustix::io::ioctl_fionbio(&host, true)?;
        // Should the keeper be killed, what it kept comes here.
        rustix::process::set_child_subreaper(Some(rustix::process::getpid()))?;
        let (control, keeper_control) = socketpair(AddressFamily::UNIX, SocketType::SEQPACKET, SocketFlags::CLOEXEC, None)?;
        let (worker, worker_end) = socketpair(AddressFamily::UNIX, SocketType::STREAM, SocketFlags::CLOEXEC, None)?;
        let (trace, trace_end) = pipe_with(PipeFlags::CLOEXEC)?;
        rustix::net::sockopt::set_socket_passcred(&worker, true)?;
        rustix::io::ioctl_fionbio(&trace, true)?;
        let null = || std::fs::OpenOptions::new().write(true).open("/dev/null").map(OwnedFd::from);
        let ends = Ends {
            control: keeper_control,
            worker: worker_end.try_clone()?,
            trace: trace_end.try_clone()?,
            stdout: null()?,
            stderr: null()?,
        };
        // The keeper keeps the host's socket open on purpose, see `keeper::launch`.
        let mut mine = [&control, &worker, &worker_end, &trace, &trace_end].map(AsRawFd::as_raw_fd).to_vec();
        mine.extend([&host_process, &broker].into_iter().flatten().map(AsRawFd::as_raw_fd));
        mine.extend(zygote.map(AsRawFd::as_raw_fd));
        job.request["outer"] = std::os::linux::fs::MetadataExt::st_ino(&std::fs::metadata("/proc/self/ns/pid")?).into();
        let start = if zygote.is_some() { Start::Zygote } else { Start::Interpreter };
        let (pid, isolation) = match keeper::launch(&job, ends, start, &mine) {
            Ok(made) => made,
            // Without a namespace there is nothing for a process of the zygote's to enter.
            Err(_) if zygote.is_some() => return Self::start(job, host, host_process, broker, from_host, None),
            Err(error) => return Err(error.into()),
        };
        let keeper_pid = Pid::from_raw(pid).ok_or(Errno::CHILD)?;
        let mut line = Line::new(control);
        if start == Start::Interpreter {
            line.tell(&[keeper::BEGIN, 0]);
        }
        let mut supervisor = Supervisor {
            limits: job.limits,
            host,
            host_process,
            broker,
            from_host,
            to_host: Queue::default(),
            keeper_pid,
            keeper: pidfd_open(keeper_pid, PidfdFlags::empty())?,
            control: line,
            session: Channel::new(worker, MAX_REPORT)?,
            trace,
            usage: Usage::new(View::descendants(pid)),
            namespaced: isolation != Isolation::None,
            own_proc: false,
            warm: zygote.is_some(),
            program: Process::default(),
            executable: None,
            mechanisms: Mechanisms {
                pid_namespace: isolation != Isolation::None,
                confined: job.confinement.is_some(),
                zygote: Some(zygote.is_some()),
                ..Mechanisms::default()
            },
            phase: Phase::Starting,
            since: Instant::now(),
            backup: None,
            no_backup: String::new(),
            old_backup: None,
            queued: None,
            queued_since: Instant::now(),
            step: None,
            old_pipes: Vec::new(),
            note: None,
            note_threads: 0,
            oom_kills: tree::oom_kills(),
            gone: false,
            job,
        };
        let opened = supervisor.open(zygote, worker_end, trace_end, isolation);
        match opened {
            Ok(()) => Ok(supervisor),
            Err(failed) => {
                supervisor.gone = true;
                supervisor.end();
                Err(failed)
            }
        }
    }

    /// Waits until the session's process is there, and bounds it from outside.
    fn open(&mut self, zygote: Option<&OwnedFd>, worker_end: OwnedFd, trace_end: OwnedFd, isolation: Isolation) -> Result<(), Failed> {
        let failed = |why: &str| Failed { kind: b'i', why: why.to_owned() };
        let preloads = self.job.request["preload"].as_array().is_some_and(|list| !list.is_empty());
        let deadline = Instant::now() + if preloads { PRELOAD_LIMIT } else { START_LIMIT };
        match self.control.hear(START_LIMIT) {
            Said::Started(_, flags) => self.keeper_started(flags),
            _ => return Err(failed("the keeper did not start")),
        }
        if let Some(zygote) = zygote {
            let names: &[&str] = if isolation == Isolation::User { &["user", "mnt", "pid"] } else { &["mnt", "pid"] };
            let opened = names.iter().map(|name| std::fs::File::open(format!("/proc/{}/ns/{name}", self.keeper_pid.as_raw_nonzero())));
            let namespaces = opened.collect::<Result<Vec<_>, _>>()?;
            let mut fds = vec![worker_end.as_fd(), trace_end.as_fd()];
            fds.extend(namespaces.iter().map(AsFd::as_fd));
            channel::send(zygote, b"f", &fds)?;
            self.job.request["warm"] = true.into();
            self.job.request["cwd"] = self.job.cwd.clone().into();
            self.job.request["env"] =
                self.job.env.iter().map(|(key, value)| (key.clone(), Value::from(value.clone()))).collect::<serde_json::Map<_, _>>().into();
            let request = serde_json::to_vec(&self.job.request).map_err(std::io::Error::from)?;
            self.session.send(frame(b'q', &request));
        }
        drop((worker_end, trace_end));
        while Instant::now() < deadline {
            let wait = deadline.saturating_duration_since(Instant::now()).min(Duration::from_millis(200));
            if !self.session.is_waiting() {
                wait_readable(self.session.fd(), wait);
            }
            self.session.flush();
            let got = self.session.fill();
            while let Ok(Some((kind, payload))) = self.session.next() {
                let text = || String::from_utf8_lossy(&payload).into_owned();
                match kind {
                    b'm' => {
                        let request = serde_json::to_vec(&self.job.request).map_err(std::io::Error::from)?;
                        self.session.send([worker::code_for(&payload, &worker::SESSION), frame(b'q', &request)].concat());
                    }
                    b'r' => {
                        self.executable = Some(PathBuf::from(text())).filter(|path| !path.as_os_str().is_empty());
                        let process = self.session.sender.and_then(Process::of).ok_or_else(|| failed("its process cannot be found"))?;
                        self.adopt(process);
                        self.bound(isolation)?;
                        self.phase = Phase::Settling;
                        self.since = Instant::now();
                        return Ok(());
                    }
                    b'x' | b'v' | b'c' => return Err(Failed { kind, why: text() }),
                    _ => {}
                }
            }
            if got == Got::End || wait_readable(&self.keeper, Duration::ZERO) || self.host_is_gone() {
                return Err(failed("the interpreter ended before it was ready"));
            }
        }
        Err(failed("the interpreter was not ready in time"))
    }

    fn host_is_gone(&self) -> bool {
        [&self.host_process, &self.broker].into_iter().flatten().any(|process| wait_readable(process, Duration::ZERO))
    }

    fn keeper_started(&mut self, flags: u8) {
        let keeper = self.keeper_pid.as_raw_nonzero().get();
        if self.mechanisms.confined {
            self.usage.count_files(keeper);
        }
        keeper::note_caps(flags, &mut self.mechanisms);
        if self.namespaced
            && flags & 1 != 0
            && let Some(inside) = View::namespace(keeper)
        {
            self.mechanisms.own_proc = true;
            self.own_proc = true;
            self.usage.view = inside;
        }
    }

    /// From now on this process is the session's.
    fn adopt(&mut self, process: Process) {
        self.program = process;
        self.control.watch(process.inner);
    }

    /// The number under which the view knows a process.
    fn seen(&self, process: Process) -> i32 {
        if self.own_proc { process.inner } else { process.outer }
    }

    /// What a process of the zygote's has not been bounded by yet. What the keeper starts is bounded already.
    fn bound(&self, isolation: Isolation) -> Result<(), Failed> {
        if !self.warm {
            return Ok(());
        }
        let uid = rustix::process::geteuid().as_raw();
        let nproc = (uid != 0).then(|| keeper::most_tasks(isolation, uid, self.limits.processes));
        let data = self.limits.memory.saturating_add(keeper::SLACK);
        for (resource, value) in [(Resource::Data, Some(data)), (Resource::Core, Some(0)), (Resource::Nproc, nproc)] {
            if let Some(value) = value {
                let value = rustix::process::getrlimit(resource).maximum.map_or(value, |most| most.min(value));
                prlimit(Pid::from_raw(self.program.outer), resource, Rlimit { current: Some(value), maximum: Some(value) })?;
            }
        }
        let _ = std::fs::write(format!("/proc/{}/oom_score_adj", self.program.outer), "1000");
        if self.mechanisms.cgroup
            && let Some(cgroup) = Cgroup::of(&std::process::id().to_string())
        {
            cgroup.add(self.program.outer);
        }
        Ok(())
    }

    fn serve(&mut self) {
        // It may have said already that it is ready.
        self.session_event();
        let mut look = Instant::now() + IDLE_TICK;
        while !self.gone {
            let now = Instant::now();
            if let Some(stop) = self.due(now) {
                self.strike(stop);
                look = Instant::now() + IDLE_TICK;
                continue;
            }
            if now >= look {
                if let Some(stop) = self.look() {
                    self.strike(stop);
                }
                let tick = if self.phase == Phase::Running { TICK } else { IDLE_TICK };
                // Looking must not become the load itself where /proc is long.
                look = Instant::now() + tick.max(now.elapsed() * 10);
                continue;
            }
            let was = self.phase;
            self.turn(self.deadline(now).min(look).saturating_duration_since(now));
            if was != Phase::Running && self.phase == Phase::Running {
                look = Instant::now() + TICK;
            }
        }
    }

    fn deadline(&self, now: Instant) -> Instant {
        match (self.phase, &self.step) {
            (Phase::Running, Some(step)) => {
                let natural = match &step.tool {
                    // The clock stands still; but a tool that never answers ends the step all the same.
                    Some((_, since)) if !self.counts_tools() => (*since + step.timeout).max(step.started + step.timeout + step.excused),
                    _ => step.started + step.timeout + step.excused,
                };
                step.interrupted.map_or(natural, |at| natural.min(at + GRACE))
            }
            (Phase::Settling, _) => {
                // What a step left running may keep its process from ever being ready; a step that waits has its own limit.
                let waits = self.queued.as_ref().filter(|_| self.old_backup.is_some()).map(|request| self.timeout_of(request));
                let natural = self.since + SETTLE_LIMIT;
                waits.map_or(natural, |timeout| natural.min(self.queued_since.max(self.since) + timeout.max(LEAST_SETTLING)))
            }
            (Phase::Closing, _) => self.since + CLOSING.min(Duration::from_secs_f64(self.limits.timeout)),
            _ => now + Duration::from_mins(10),
        }
    }

    fn timeout_of(&self, request: &Value) -> Duration {
        Duration::from_secs_f64(request["timeout"].as_f64().unwrap_or(self.limits.timeout))
    }

    fn counts_tools(&self) -> bool {
        self.job.request["tool_time"].as_bool() != Some(false)
    }

    fn due(&self, now: Instant) -> Option<Stop> {
        let step = self.step.as_ref();
        if let Some(stop) = step.and_then(|step| step.stop) {
            return Some(stop);
        }
        if now < self.deadline(now) {
            return None;
        }
        Some(if step.is_some_and(|step| step.interrupted.is_some_and(|at| now >= at + GRACE)) { Stop::Interrupted } else { Stop::TimedOut })
    }

    fn look(&mut self) -> Option<Stop> {
        if let Some(backup) = &mut self.backup {
            let process = backup.identify(Duration::ZERO);
            self.usage.spared = process.map(|process| if self.own_proc { process.inner } else { process.outer });
        }
        if self.phase == Phase::Idle {
            self.oom_kills = tree::oom_kills();
        }
        let stop = self.usage.look(&self.limits);
        if self.phase == Phase::Closing { None } else { stop }
    }

    /// Something has to end: the step, or what runs between steps.
    fn strike(&mut self, stop: Stop) {
        match self.phase {
            Phase::Running => {
                if stop == Stop::Done {
                    self.finish();
                } else {
                    self.stop_step(stop);
                }
            }
            Phase::Settling if stop == Stop::TimedOut => {
                let waited = self.since.elapsed().as_secs_f64();
                self.restore_between(&format!("what the step before left running kept the session busy for {waited:.1} s"));
            }
            Phase::Closing => self.gone = true,
            _ => self.restore_between("what ran on between steps went over a limit"),
        }
    }

    /// Waits for something to happen, at most so long, and deals with it.
    fn turn(&mut self, wait: Duration) {
        let both = |writes: bool| if writes { PollFlags::IN | PollFlags::OUT } else { PollFlags::IN };
        let mut wanted: Vec<(Event, Option<&OwnedFd>, PollFlags)> = vec![
            (Event::Host, Some(&self.host), both(!self.to_host.is_empty())),
            (Event::HostDied, self.host_process.as_ref(), PollFlags::IN),
            (Event::HostDied, self.broker.as_ref(), PollFlags::IN),
            (Event::Session, Some(self.session.fd()), both(self.session.is_waiting())),
            (Event::Control, self.control.fd(), PollFlags::IN),
            (Event::KeeperDied, Some(&self.keeper), PollFlags::IN),
            (Event::Backup, self.backup.as_ref().filter(|backup| backup.process.is_some()).map(|backup| &backup.line), PollFlags::IN),
        ];
        if let Some(step) = &self.step {
            wanted.extend([0, 1].map(|index| (Event::Output(index), step.outputs[index].as_ref(), PollFlags::IN)));
        }
        wanted.extend(self.old_pipes.iter().enumerate().map(|(index, fd)| (Event::Old(index), Some(fd), PollFlags::IN)));
        let mut fds = wanted.iter().filter_map(|(_, fd, flags)| Some(PollFd::new((*fd)?, *flags))).collect::<Vec<_>>();
        let names = wanted.iter().filter(|(_, fd, _)| fd.is_some()).map(|(name, ..)| *name).collect::<Vec<_>>();
        wait_for(&mut fds, wait);
        let events = names.iter().zip(&fds).map(|(name, fd)| (*name, fd.revents())).filter(|e| !e.1.is_empty()).collect::<Vec<_>>();
        let mut ended = Vec::new();
        for (event, flags) in events {
            match event {
                Event::Host => self.host_event(flags),
                Event::HostDied => self.gone = true,
                Event::Session => self.session_event(),
                Event::Control => {
                    let said = self.control.hear(Duration::ZERO);
                    self.keeper_says(said);
                }
                Event::KeeperDied => self.lose("what kept its processes together was ended"),
                Event::Backup => self.backup = None,
                Event::Output(index) => {
                    self.output_event(index);
                }
                Event::Old(index) => {
                    let mut block = vec![0_u8; 64 << 10];
                    let gone = self
                        .old_pipes
                        .get(index)
                        .is_none_or(|fd| !matches!(rustix::io::read(fd, &mut block), Ok(1..) | Err(Errno::AGAIN | Errno::INTR)));
                    if gone {
                        ended.push(index);
                    }
                }
            }
            if self.gone {
                return;
            }
        }
        for index in ended.into_iter().rev() {
            if index < self.old_pipes.len() {
                self.old_pipes.remove(index);
            }
        }
    }

    fn keeper_says(&mut self, said: Said) {
        if let Said::Ended { pid, status, peak } = said
            && pid == self.program.inner
        {
            // What it had still to say comes first: it may have reported its end.
            self.session_event();
            self.program_ended(status, peak);
        }
    }

    fn program_ended(&mut self, status: i32, peak: u64) {
        match self.phase {
            Phase::Running => {
                if let Some(step) = &mut self.step {
                    let signal = libc::WIFSIGNALED(status).then(|| libc::WTERMSIG(status));
                    step.ending.signal = signal;
                    step.ending.status = Some(signal.map_or_else(|| libc::WEXITSTATUS(status), |signal| 128 + signal));
                    step.ending.kernel_killed =
                        signal == Some(libc::SIGKILL) && self.oom_kills.is_some_and(|before| tree::oom_kills() > Some(before));
                    let memory = peak.saturating_sub(self.usage.file_peak) > self.limits.memory;
                    step.stop.get_or_insert(if memory { Stop::Memory } else { Stop::Exited });
                }
            }
            Phase::Closing => self.gone = true,
            _ => self.restore_between("the session's process ended between steps"),
        }
    }

    fn host_event(&mut self, flags: PollFlags) {
        if flags.contains(PollFlags::OUT) && !self.to_host.flush(&self.host) {
            self.gone = true;
            return;
        }
        if !flags.intersects(PollFlags::IN | PollFlags::HUP | PollFlags::ERR) {
            return;
        }
        let got = self.from_host.fill(&self.host);
        while let Ok(Some((kind, payload))) = self.from_host.next() {
            match kind {
                b'q' => {
                    self.queued = serde_json::from_slice(&payload).ok();
                    self.queued_since = Instant::now();
                    if self.phase == Phase::Idle {
                        self.begin();
                    }
                }
                b's' if payload.len() == 1 && self.phase == Phase::Running => {
                    self.control.tell(&[keeper::SIGNAL, payload[0]]);
                    if let Some(step) = &mut self.step {
                        step.interrupted.get_or_insert_with(Instant::now);
                    }
                }
                b'a' => {
                    let counts = self.counts_tools();
                    if let Some(step) = &mut self.step
                        && let Some((_, since)) = step.tool.take()
                    {
                        if !counts {
                            step.excused += since.elapsed();
                        }
                        self.session.send(frame(b'a', &payload));
                    }
                }
                b'c' => self.close(),
                _ => {}
            }
        }
        if got == Got::End {
            self.gone = true;
        }
    }

    /// The session's own end: its process runs what is registered for that, as long as a step may.
    fn close(&mut self) {
        if !matches!(self.phase, Phase::Idle | Phase::Settling) {
            self.gone = true;
            return;
        }
        self.drop_backups();
        self.session.send(frame(b'c', &[]));
        self.phase = Phase::Closing;
        self.since = Instant::now();
    }

    fn drop_backups(&mut self) {
        for backup in self.backup.take().into_iter().chain(self.old_backup.take()) {
            let _ = rustix::net::send(&backup.line, b"d", rustix::net::SendFlags::NOSIGNAL);
        }
        self.usage.spared = None;
    }

    fn begin(&mut self) {
        let Some(mut request) = self.queued.take() else { return };
        let pipes = pipe_with(PipeFlags::CLOEXEC).and_then(|out| Ok((out, pipe_with(PipeFlags::CLOEXEC)?)));
        let Ok(((stdout, stdout_end), (stderr, stderr_end))) = pipes else {
            return self.give_up("there are no descriptors left for the step's output");
        };
        let timeout = self.timeout_of(&request);
        request["timeout"] = timeout.as_secs_f64().into();
        for fd in [&stdout, &stderr] {
            let _ = rustix::io::ioctl_fionbio(fd, true);
        }
        let mut ending = Ending::failed(String::new());
        ending.detail = None;
        ending.mechanisms = self.mechanisms.clone();
        ending.mechanisms.checkpoint = Some(self.backup.is_some());
        self.usage.peak_memory = 0;
        self.usage.peak_processes = 0;
        self.phase = Phase::Running;
        let bytes = frame(b'q', request.to_string().as_bytes());
        self.step = Some(Step {
            started: Instant::now(),
            timeout,
            outputs: [Some(stdout), Some(stderr)],
            ending,
            stop: None,
            interrupted: None,
            tool: None,
            excused: Duration::ZERO,
        });
        self.session.send_with(bytes, &[stdout_end.as_fd(), stderr_end.as_fd()]);
        self.tell_host(b't', &[]);
    }

    fn tell_host(&mut self, kind: u8, payload: &[u8]) {
        self.to_host.push(frame(kind, payload));
        if !self.to_host.flush(&self.host) {
            self.gone = true;
        }
    }

    fn session_event(&mut self) {
        self.session.flush();
        loop {
            let got = self.session.fill();
            loop {
                match self.session.next() {
                    Ok(Some((kind, payload))) => self.session_says(kind, &payload),
                    Ok(None) => break,
                    // Not what a session says. Its process cannot be told anything any more either.
                    Err(()) => return self.stop_now(Stop::Exited),
                }
            }
            match got {
                Got::Some => {}
                Got::Nothing => return,
                // Its process has ended, which the keeper will say, or has closed what it is to be told things by.
                Got::End => {
                    if self.phase == Phase::Running && self.program_is_there() {
                        self.cut_off();
                    }
                    return;
                }
            }
        }
    }

    /// The program closed its channel. The step goes on, and its process's end is the step's.
    fn cut_off(&mut self) {
        if let Ok((ours, theirs)) = socketpair(AddressFamily::UNIX, SocketType::STREAM, SocketFlags::CLOEXEC, None)
            && let Ok(channel) = Channel::new(ours, MAX_REPORT)
        {
            // Held open, so that it stays silent.
            self.old_pipes.push(theirs);
            self.session = channel;
        }
    }

    fn program_is_there(&self) -> bool {
        self.usage.view.status(self.seen(self.program), "State").is_some_and(|state| !state.starts_with('Z'))
    }

    fn stop_now(&mut self, stop: Stop) {
        match &mut self.step {
            Some(step) => {
                step.stop.get_or_insert(stop);
            }
            None if self.phase == Phase::Closing => self.gone = true,
            None => self.restore_between("the session's process said what no session says"),
        }
    }

    /// Tells the host why there will be no session any more.
    fn give_up(&mut self, why: &str) {
        self.tell_host(b'n', json!({ "why": why }).to_string().as_bytes());
        self.gone = true;
    }

    fn session_says(&mut self, kind: u8, payload: &[u8]) {
        let parsed = || {
            let values = payload.iter().filter(|byte| matches!(byte, b',' | b'[' | b'{')).count();
            if values > MAX_VALUES { None } else { serde_json::from_slice::<Value>(payload).ok() }
        };
        match (kind, self.phase) {
            (b'k', Phase::Settling) => self.settled(&parsed().unwrap_or_default()),
            (b'd', Phase::Running) => {
                if let Some(step) = &mut self.step
                    && step.stop.is_none()
                {
                    step.ending.report = parsed();
                    step.stop = Some(if step.ending.guard.is_some() { Stop::Guarded } else { Stop::Done });
                    if self.backup.is_some() && self.keeps_too_much() {
                        self.stop_step(Stop::Memory);
                    } else {
                        self.finish();
                    }
                }
            }
            (b'g', Phase::Running) => {
                if let Some(step) = &mut self.step {
                    step.ending.mechanisms.guards = parsed().and_then(|value| value.as_u64()).unwrap_or(0) as u32;
                }
            }
            (b'l', Phase::Running) => {
                let Some(step) = &mut self.step else { return };
                if step.ending.guard.is_none() {
                    step.ending.guard = parsed();
                }
                if self.backup.is_some() {
                    step.stop.get_or_insert(Stop::Guarded);
                } else {
                    // Nothing to go back to: the step is told to end.
                    self.session.send(frame(b'u', &[]));
                }
            }
            (b't', Phase::Running) => {
                let Some(call) = parsed() else { return };
                if let Some(step) = &mut self.step {
                    step.tool = Some((call["name"].as_str().unwrap_or_default().to_owned(), Instant::now()));
                }
                self.tell_host(b'T', call.to_string().as_bytes());
            }
            _ => {}
        }
    }

    /// The session's process is ready for the next step.
    fn settled(&mut self, said: &Value) {
        if let Some(old) = self.old_backup.take().or_else(|| self.backup.take()) {
            let _ = rustix::net::send(&old.line, b"d", rustix::net::SendFlags::NOSIGNAL);
        }
        self.usage.spared = None;
        self.backup = if said["backup"] == true { self.session.take_fd() } else { None }.map(|line| {
            let threads = said["threads"].as_u64().unwrap_or(0) as u32;
            Backup { line, process: None, threads }
        });
        said["reason"].as_str().unwrap_or("it ended").clone_into(&mut self.no_backup);
        self.phase = Phase::Idle;
        if self.mechanisms.checkpoint.is_none() {
            self.mechanisms.checkpoint = Some(self.backup.is_some());
            let hello = json!({ "mechanisms": self.mechanisms, "supervisor": std::process::id() }).to_string();
            self.tell_host(b'w', hello.as_bytes());
        }
        if self.queued.is_some() {
            self.begin();
        }
    }

    /// Whether a step that has ended leaves more memory held than is allowed, with which no step after it could do anything.
    fn keeps_too_much(&mut self) -> bool {
        let report = self.step.as_ref().and_then(|step| step.ending.report.as_ref());
        let refused = report.is_some_and(|report| report["memory"] == true);
        (refused || self.usage.peak_memory > self.limits.memory / 2) && self.look() == Some(Stop::Memory)
    }

    /// The step came to its end.
    fn finish(&mut self) {
        for index in 0..2 {
            while self.output_event(index) {}
        }
        let Some(mut step) = self.step.take() else { return };
        let ending = &mut step.ending;
        ending.stop = if ending.guard.is_some() { Stop::Guarded } else { Stop::Done };
        ending.seconds = step.started.elapsed().as_secs_f64();
        ending.peak_memory = self.usage.peak_memory;
        ending.peak_processes = self.usage.peak_processes;
        ending.state = Some("advanced".into());
        ending.state_reason = self.note.take();
        ending.threads_lost = Some(std::mem::take(&mut self.note_threads));
        if ending.written > self.limits.most_output(self.job.strict_output) {
            // Over it in one go, and ended before anybody could say so.
            ending.stop = Stop::Output;
        }
        let bytes = serde_json::to_vec(&*ending).unwrap_or_default();
        self.tell_host(b'z', &bytes);
        self.old_pipes.extend(step.outputs.into_iter().flatten());
        let over = self.old_pipes.len().saturating_sub(MOST_PIPES);
        self.old_pipes.drain(..over);
        self.old_backup = self.backup.take();
        self.phase = Phase::Settling;
        self.since = Instant::now();
    }

    /// A limit struck, or the session's process ended: the step is undone, if it can be.
    fn stop_step(&mut self, stop: Stop) {
        let decided = Instant::now();
        let Some(mut step) = self.step.take() else { return };
        step.ending.seconds = decided.duration_since(step.started).as_secs_f64();
        let mut said_last = Vec::new();
        let backup = self.backup.as_mut().and_then(|backup| backup.identify(Duration::from_secs(1)));
        let spared = backup.map(|process| self.seen(process));
        let runs = step.ending.status.is_none() && step.ending.report.is_none();
        if runs && matches!(stop, Stop::TimedOut | Stop::Memory | Stop::Output | Stop::Interrupted) {
            let target = freeze::Target {
                view: &self.usage.view,
                program: self.seen(self.program),
                spared,
                executable: self.executable.as_deref(),
                trace: Some(&self.trace),
            };
            let frozen = freeze::collect(target, &mut self.control, &mut |said| said_last.push(said));
            step.ending.threads = frozen.threads;
            step.ending.mechanisms.stack = frozen.stack.map(str::to_owned);
            step.ending.stack_reason = frozen.reason;
        } else if stop == Stop::Processes {
            step.ending.stack_reason = Some("too many processes: they were killed at once".into());
        }
        step.ending.stop = stop;
        step.ending.tool = step.tool.take().map(|(name, _)| name);
        step.ending.peak_memory = self.usage.peak_memory;
        step.ending.peak_processes = self.usage.peak_processes;
        sys::go_first();
        let beside = [Some(self.seen(self.program)), spared];
        step.ending.killed = self.usage.view.list().iter().filter(|process| !beside.contains(&Some(process.pid))).count() as u32;
        let threads = self.backup.as_ref().map_or(0, |backup| backup.threads);
        let restored = match self.backup.take() {
            Some(backup) => self.restore(backup),
            None => Err(if self.no_backup.is_empty() {
                "there was no backup of its state".into()
            } else {
                format!("there was no backup of its state: {}", self.no_backup)
            }),
        };
        sys::go_last();
        self.step = Some(step);
        for index in 0..2 {
            while self.output_event(index) {}
        }
        let Some(mut step) = self.step.take() else { return };
        self.old_pipes.clear();
        match restored {
            Ok(()) => {
                step.ending.state = Some("kept".into());
                step.ending.state_reason = self.note.take();
                step.ending.threads_lost = Some(threads + std::mem::take(&mut self.note_threads));
                self.phase = Phase::Settling;
                self.since = Instant::now();
            }
            Err(why) => {
                step.ending.state = Some("lost".into());
                step.ending.state_reason = Some(why);
                step.ending.threads_lost = Some(threads);
                self.kill();
                self.gone = true;
            }
        }
        step.ending.restored_ms = Some(decided.elapsed().as_secs_f64() * 1e3);
        let bytes = serde_json::to_vec(&step.ending).unwrap_or_default();
        let gone = self.gone;
        self.tell_host(b'z', &bytes);
        self.gone |= gone;
        if !self.gone {
            // It may have said already that it is ready.
            self.session_event();
        }
    }

    /// The process that ran the steps is gone, or has to go, while none ran.
    fn restore_between(&mut self, why: &str) {
        let (backup, before) = match (self.backup.take(), self.old_backup.take()) {
            (Some(backup), _) => (Some(backup), false),
            (None, old) => (old, true),
        };
        let Some(backup) = backup else { return self.lose(why) };
        let threads = backup.threads;
        match self.restore(backup) {
            Ok(()) => {
                let state =
                    if before { "its variables are as they were before the step before this one" } else { "its variables were kept" };
                self.note = Some(format!("{why}; {state}"));
                self.note_threads += threads;
                self.phase = Phase::Settling;
                self.since = Instant::now();
                self.session_event();
            }
            Err(more) => self.lose(&format!("{why}; {more}")),
        }
    }

    /// Ends everything but a backup, which is the session then.
    fn restore(&mut self, mut backup: Backup) -> Result<(), String> {
        let begin = Instant::now();
        let process = backup.identify(Duration::from_secs(1)).ok_or("its backup had ended")?;
        let left = || RESTORE_LIMIT.saturating_sub(begin.elapsed());
        if !self.namespaced {
            self.control.sweep_but(process.inner);
            loop {
                match self.control.hear(left()) {
                    Said::Swept => break,
                    Said::Gone => return Err("what kept its processes together was ended".into()),
                    Said::Nothing if left().is_zero() => return Err("not everything else could be ended".into()),
                    _ => {}
                }
            }
        }
        let (ours, theirs) =
            socketpair(AddressFamily::UNIX, SocketType::STREAM, SocketFlags::CLOEXEC, None).map_err(|error| error.to_string())?;
        let order = if self.namespaced { b"rk" } else { b"rn" };
        channel::send(&backup.line, order, &[theirs.as_fd()]).map_err(|error| format!("its backup had ended: {error}"))?;
        drop(theirs);
        let mut session = Channel::new(ours, MAX_REPORT).map_err(|error| error.to_string())?;
        loop {
            if let Ok(Some((b'h', _))) = session.next() {
                break;
            }
            if left().is_zero() {
                return Err("its backup did not take over in time".into());
            }
            let mut fds = [PollFd::new(session.fd(), PollFlags::IN), PollFd::new(&self.keeper, PollFlags::IN)];
            wait_for(&mut fds, left());
            if !fds[1].revents().is_empty() {
                return Err("what kept its processes together was ended".into());
            }
            if !fds[0].revents().is_empty() && session.fill() == Got::End {
                return Err("its backup ended".into());
            }
        }
        self.session = session;
        self.adopt(process);
        self.usage.spared = None;
        self.old_backup = None;
        // What the other process had still written about where it was is of no use to this one.
        let mut block = [0_u8; 4096];
        while matches!(rustix::io::read(&self.trace, &mut block), Ok(1..)) {}
        Ok(())
    }

    /// The session cannot go on.
    fn lose(&mut self, why: &str) {
        if let Some(mut step) = self.step.take() {
            step.ending.seconds = step.started.elapsed().as_secs_f64();
            step.ending.stop = Stop::Exited;
            step.ending.state = Some("lost".into());
            step.ending.state_reason = Some(why.to_owned());
            step.ending.threads_lost = Some(0);
            self.kill();
            self.step = Some(step);
            for index in 0..2 {
                while self.output_event(index) {}
            }
            if let Some(step) = self.step.take() {
                let bytes = serde_json::to_vec(&step.ending).unwrap_or_default();
                self.tell_host(b'z', &bytes);
            }
            self.gone = true;
        } else {
            self.give_up(why);
        }
    }

    /// Reads one block. True when there may be more.
    fn output_event(&mut self, index: usize) -> bool {
        let most = self.limits.most_output(self.job.strict_output);
        let Some(step) = &mut self.step else { return false };
        let Some(fd) = &step.outputs[index] else { return false };
        let mut block = vec![0_u8; 64 << 10];
        match rustix::io::read(fd, &mut block) {
            Ok(0) => {
                step.outputs[index] = None;
                false
            }
            Ok(n) => {
                let room = step.ending.take_output(n, &self.limits);
                let over = step.ending.written > most;
                if over {
                    step.stop.get_or_insert(Stop::Output);
                }
                if room > 0 {
                    block.truncate(room);
                    self.tell_host(if index == 0 { b'o' } else { b'e' }, &block);
                }
                !over
            }
            Err(Errno::INTR) => true,
            Err(_) => false,
        }
    }

    /// Ends everything of the session.
    fn kill(&mut self) {
        sys::go_first();
        self.control.end((self.keeper_pid, &self.keeper), self.namespaced, self.mechanisms.cgroup);
    }

    /// Ends what is left, tells the host what is still to be told, and is done.
    fn end(&mut self) {
        self.kill();
        let begin = Instant::now();
        while !self.to_host.is_empty() && begin.elapsed() < DYING && !self.host_is_gone() {
            let mut fds = [PollFd::new(&self.host, PollFlags::OUT)];
            wait_for(&mut fds, Duration::from_millis(100));
            if !self.to_host.flush(&self.host) {
                break;
            }
        }
        let _ = rustix::net::shutdown(&self.host, rustix::net::Shutdown::Both);
        tree::sweep(Duration::from_mins(10), |_| {});
    }
}

/// What [`Supervisor::turn`] waits for.
#[derive(Debug, Clone, Copy)]
enum Event {
    Host,
    HostDied,
    Session,
    Control,
    KeeperDied,
    Backup,
    Output(usize),
    Old(usize),
}
