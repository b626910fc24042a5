//! The helper: owns the clock and the kills of one run. Single-threaded, never runs the program's code, never blocks on
//! anything the program or the host could hold, and decides on the exit of processes, never on the end of a pipe.

use std::os::fd::{AsRawFd, OwnedFd};
use std::path::PathBuf;
use std::time::{Duration, Instant};

use rustix::event::{PollFd, PollFlags};
use rustix::io::{Errno, fcntl_dupfd_cloexec};
use rustix::net::{AddressFamily, SocketFlags, SocketType, socketpair};
use rustix::pipe::{PipeFlags, pipe_with};
use rustix::process::{Pid, PidfdFlags, pidfd_open};

use super::START_LIMIT;
use super::freeze;
use super::keeper::{self, Ends, Isolation, Line, Said, Start};
use super::sys;
use super::tree::{self, View};
use super::usage::Usage;
use super::wait::wait_for;
use super::wire::{self, Ending, Got, Job, Queue, Reader, Stop, frame};
use super::worker;
use crate::limits::Limits;
use crate::outcome::Mechanisms;

/// How often the tree is looked at.
const TICK: Duration = Duration::from_millis(20);
/// How long a program has to end by a signal that was passed on to it.
const GRACE: Duration = Duration::from_millis(500);
/// The longest report taken from the worker: a result of 100,000 nodes, with every character of its text escaped.
const MAX_REPORT: usize = 6 << 20;
/// The most values in a report. Each costs some thirty bytes once it is read, however little it cost the program to write.
const MAX_VALUES: usize = 1 << 20;
/// How often a helper without anything to run turns round.
const IDLE: Duration = Duration::from_mins(1);

/// Runs as the helper, in an executable of its own.
pub fn main() -> std::process::ExitCode {
    work().into()
}

/// Does the helper's work and gives its exit status; the host is at descriptor 1.
pub fn work() -> u8 {
    // Descriptor 1 will lead nowhere soon: nothing that is printed by accident may reach the host.
    let host = fcntl_dupfd_cloexec(std::io::stdout(), 3);
    match host.as_ref().map_err(|error| (*error).into()).and_then(|host| serve(host.try_clone()?)) {
        Ok(()) => 0,
        Err(error) => {
            let mut ending = Ending::failed(error.to_string());
            if error.kind() == std::io::ErrorKind::Unsupported {
                ending.stop = Stop::NoPython;
                ending.report = Some("confine".into());
            }
            let bytes = serde_json::to_vec(&ending).unwrap_or_default();
            let mut queue = Queue::default();
            queue.push(frame(b'z', &bytes));
            if let Ok(host) = host {
                queue.flush(host);
            }
            70
        }
    }
}

fn serve(host: OwnedFd) -> std::io::Result<()> {
    sys::unblock_signals();
    let _ = rustix::process::setsid();
    let null = std::fs::OpenOptions::new().read(true).write(true).open("/dev/null")?;
    rustix::stdio::dup2_stdout(&null)?;
    let mut reader = Reader::new(wire::MAX_FRAME);
    let job: Job = loop {
        match reader.next() {
            Ok(Some((b'r', payload))) => break serde_json::from_slice(&payload)?,
            Ok(None) => {}
            _ => return Err(std::io::Error::other("the host sent something else than a job")),
        }
        if reader.fill(&host) == Got::End {
            return Ok(());
        }
    };
    let host_process = Pid::from_raw(job.host).and_then(|pid| pidfd_open(pid, PidfdFlags::empty()).ok());
    // The pidfd is the host's only if the host was still this process's parent after it was opened.
    if rustix::process::getppid().map(|pid| pid.as_raw_nonzero().get()) != Some(job.host) {
        return Ok(());
    }
    rustix::io::ioctl_fionbio(&host, true)?;
    // Should the keeper be killed, what it kept comes here.
    rustix::process::set_child_subreaper(Some(rustix::process::getpid()))?;
    let run = Run::start(&job, host, host_process, reader)?;
    run.finish()
}

impl Ending {
    /// So many bytes of output came: they are counted. Gives how many of them are kept.
    pub fn take_output(&mut self, n: usize, limits: &Limits) -> usize {
        let kept = self.written - self.truncated;
        let room = (limits.output.saturating_sub(kept) as usize).min(n);
        self.written += n as u64;
        self.truncated += (n - room) as u64;
        room
    }

    /// Nothing was run because the helper failed.
    pub fn failed(why: String) -> Self {
        Ending {
            stop: Stop::Failed,
            detail: Some(why),
            status: None,
            signal: None,
            report: None,
            guard: None,
            kernel_killed: false,
            peak_memory: 0,
            peak_processes: 0,
            written: 0,
            truncated: 0,
            threads: Vec::new(),
            stack_reason: None,
            mechanisms: Mechanisms::default(),
            killed: 0,
            seconds: 0.0,
            state: None,
            state_reason: None,
            threads_lost: None,
            tool: None,
            restored_ms: None,
        }
    }
}

/// One of the program's two output pipes.
struct Output {
    fd: Option<OwnedFd>,
    kind: u8,
}

struct Run {
    limits: Limits,
    strict: bool,
    host: OwnedFd,
    host_process: Option<OwnedFd>,
    from_host: Reader,
    to_host: Queue,
    host_gone: bool,
    keeper_pid: Pid,
    keeper: OwnedFd,
    control: Line,
    worker: Option<OwnedFd>,
    from_worker: Reader,
    to_worker: Queue,
    /// From when there is code to run until the interpreter has said which bytecode it reads.
    request: Option<Vec<u8>>,
    /// Whether the worker has checks to place.
    with_guards: bool,
    outputs: [Output; 2],
    trace: Option<OwnedFd>,
    usage: Usage,
    namespaced: bool,
    program: i32,
    /// When there was code to run.
    begun: Option<Instant>,
    ready: Option<Instant>,
    interrupted: Option<Instant>,
    ending: Ending,
    stop: Option<Stop>,
    wait_status: Option<i32>,
    /// The most memory the kernel saw any one process of the program's hold resident.
    resident_peak: u64,
    /// How often the kernel had killed for want of memory when this began.
    oom_kills: Option<u64>,
    /// The interpreter's own executable, as it said itself.
    executable: Option<PathBuf>,
}

impl Run {
    fn start(job: &Job, host: OwnedFd, host_process: Option<OwnedFd>, from_host: Reader) -> std::io::Result<Run> {
        let (control, keeper_control) = socketpair(AddressFamily::UNIX, SocketType::SEQPACKET, SocketFlags::CLOEXEC, None)?;
        let (worker, worker_end) = socketpair(AddressFamily::UNIX, SocketType::STREAM, SocketFlags::CLOEXEC, None)?;
        let (trace, trace_end) = pipe_with(PipeFlags::CLOEXEC)?;
        let (stdout, stdout_end) = pipe_with(PipeFlags::CLOEXEC)?;
        let (stderr, stderr_end) = pipe_with(PipeFlags::CLOEXEC)?;
        let ends = Ends { control: keeper_control, worker: worker_end, trace: trace_end, stdout: stdout_end, stderr: stderr_end };
        let confined = job.confinement.is_some();
        // The host's socket stays open in the keeper on purpose: the host sees its end only when that process is gone too,
        // and by then nothing of the program is left.
        let mine = [&control, &worker, &trace, &stdout, &stderr].map(AsRawFd::as_raw_fd);
        let mine = mine.into_iter().chain(host_process.as_ref().map(AsRawFd::as_raw_fd)).collect::<Vec<_>>();
        let (pid, isolation) = keeper::launch(job, ends, Start::Interpreter, &mine)?;
        let keeper_pid = Pid::from_raw(pid).ok_or_else(|| std::io::Error::other("no keeper"))?;
        let keeper = pidfd_open(keeper_pid, PidfdFlags::empty())?;
        for fd in [&worker, &trace, &stdout, &stderr] {
            rustix::io::ioctl_fionbio(fd, true)?;
        }
        let namespaced = isolation != Isolation::None;
        let mut ending = Ending::failed(String::new());
        ending.detail = None;
        ending.mechanisms.pid_namespace = namespaced;
        ending.mechanisms.confined = confined;
        Ok(Run {
            limits: job.limits,
            strict: job.strict_output,
            host,
            host_process,
            from_host,
            to_host: Queue::default(),
            host_gone: false,
            keeper_pid,
            keeper,
            control: Line::new(control),
            worker: Some(worker),
            from_worker: Reader::new(MAX_REPORT),
            to_worker: Queue::default(),
            request: None,
            with_guards: false,
            outputs: [Output { fd: Some(stdout), kind: b'o' }, Output { fd: Some(stderr), kind: b'e' }],
            trace: Some(trace),
            usage: Usage::new(View::descendants(pid)),
            namespaced,
            program: 0,
            begun: None,
            ready: None,
            interrupted: None,
            ending,
            stop: None,
            wait_status: None,
            resident_peak: 0,
            oom_kills: None,
            executable: None,
        })
    }

    fn finish(mut self) -> std::io::Result<()> {
        // The code may have come together with the job.
        self.hear_host();
        let mut look = Instant::now() + TICK;
        while self.stop.is_none() {
            let now = Instant::now();
            let deadline = self.deadline();
            if now >= deadline {
                self.stop(if self.interrupted.is_some() {
                    Stop::Interrupted
                } else if self.ready.is_some() {
                    Stop::TimedOut
                } else {
                    Stop::StartTimedOut
                });
                break;
            }
            if now >= look {
                self.look();
                // Looking must not become the load itself where /proc is long.
                look = Instant::now() + TICK.max(now.elapsed() * 10);
                continue;
            }
            self.turn(deadline.min(look) - now);
        }
        let end = Instant::now();
        self.ending.seconds = self.ready.map_or(0.0, |ready| end.duration_since(ready).as_secs_f64());
        let mut stop = self.stop.unwrap_or(Stop::Failed);
        if matches!(stop, Stop::TimedOut | Stop::Memory | Stop::Output) {
            self.freeze_frame();
        } else if stop == Stop::Processes {
            self.ending.stack_reason = Some("too many processes: they were killed at once".into());
        } else if stop == Stop::Exited && self.ready.is_some() {
            // What it left running counts too, however shortly after the last look it was started.
            self.stop = None;
            self.look();
            stop = self.stop.unwrap_or(Stop::Exited);
        }
        // Anything that is heard of the program's end from here on is our own doing.
        let ended = self.wait_status;
        self.kill();
        if stop == Stop::Exited {
            stop = self.passed_unseen();
        }
        self.ending.stop = stop;
        let ended = if stop == Stop::Interrupted { self.wait_status } else { ended };
        if let Some(status) = ended {
            let signal = libc::WIFSIGNALED(status).then(|| libc::WTERMSIG(status));
            self.ending.signal = signal;
            self.ending.status = Some(signal.map_or_else(|| libc::WEXITSTATUS(status), |signal| 128 + signal));
            self.ending.kernel_killed =
                signal == Some(libc::SIGKILL) && self.oom_kills.is_some_and(|before| tree::oom_kills() > Some(before));
        }
        let bytes = serde_json::to_vec(&self.ending)?;
        self.to_host.push(frame(b'z', &bytes));
        while !self.to_host.is_empty() && !self.host_gone {
            self.turn(Duration::from_mins(1));
        }
        // Where something could not die at once, the host has its answer; what remains is waited for here.
        drop(self.host);
        tree::sweep(Duration::from_mins(10), |_| {});
        Ok(())
    }

    /// A limit that was passed between the last look and the end was passed all the same.
    fn passed_unseen(&mut self) -> Stop {
        let held = self.resident_peak.saturating_sub(self.usage.file_peak);
        if self.ready.is_none() {
            self.ending.detail = Some(match self.wait_status {
                Some(status) if libc::WIFSIGNALED(status) => {
                    format!("it was ended by signal {} before it ran anything", libc::WTERMSIG(status))
                }
                Some(status) => format!("it ended with status {} before it ran anything", libc::WEXITSTATUS(status)),
                None => "it was gone before it ran anything".into(),
            });
            self.ending.report = None;
            Stop::NoPython
        } else if held > self.limits.memory {
            self.ending.peak_memory = self.ending.peak_memory.max(held);
            Stop::Memory
        } else if self.ending.written > self.most_output() {
            Stop::Output
        } else {
            Stop::Exited
        }
    }

    fn most_output(&self) -> u64 {
        self.limits.most_output(self.strict)
    }

    fn deadline(&self) -> Instant {
        let natural = match self.ready {
            Some(ready) => ready + Duration::from_secs_f64(self.limits.timeout),
            // The host is in no hurry before it knows what is to be run.
            None => self.begun.map_or_else(|| Instant::now() + IDLE, |begun| begun + START_LIMIT),
        };
        self.interrupted.map_or(natural, |at| natural.min(at + GRACE))
    }

    fn stop(&mut self, stop: Stop) {
        if self.stop.is_none() {
            self.stop = Some(stop);
        }
    }

    /// Waits for something to happen, at most so long, and deals with it.
    fn turn(&mut self, wait: Duration) {
        let both = |writes: bool| if writes { PollFlags::IN | PollFlags::OUT } else { PollFlags::IN };
        let mut wanted: Vec<(Event, Option<&OwnedFd>, PollFlags)> = vec![
            (Event::Host, (!self.host_gone).then_some(&self.host), both(!self.to_host.is_empty())),
            (Event::HostDied, self.host_process.as_ref(), PollFlags::IN),
        ];
        if self.stop.is_none() {
            wanted.extend([
                (Event::Worker, self.worker.as_ref(), both(!self.to_worker.is_empty())),
                (Event::Control, self.control.fd(), PollFlags::IN),
                (Event::KeeperDied, Some(&self.keeper), PollFlags::IN),
                (Event::Output(0), self.outputs[0].fd.as_ref(), PollFlags::IN),
                (Event::Output(1), self.outputs[1].fd.as_ref(), PollFlags::IN),
            ]);
        }
        let mut fds = wanted.iter().filter_map(|(_, fd, flags)| Some(PollFd::new((*fd)?, *flags))).collect::<Vec<_>>();
        let names = wanted.iter().filter(|(_, fd, _)| fd.is_some()).map(|(name, ..)| *name).collect::<Vec<_>>();
        wait_for(&mut fds, wait);
        let events = names.iter().zip(&fds).map(|(name, fd)| (*name, fd.revents())).filter(|e| !e.1.is_empty()).collect::<Vec<_>>();
        for (event, flags) in events {
            match event {
                Event::Host => self.host_event(flags),
                Event::HostDied => self.lose_host(),
                Event::Worker => self.worker_event(flags),
                Event::Control => self.control_event(),
                Event::KeeperDied => {
                    self.control_event();
                    self.stop(Stop::Exited);
                }
                Event::Output(index) => {
                    self.output_event(index);
                }
            }
        }
    }

    fn lose_host(&mut self) {
        self.host_gone = true;
        self.host_process = None;
        self.stop(Stop::Failed);
    }

    fn host_event(&mut self, flags: PollFlags) {
        if flags.contains(PollFlags::OUT) && !self.to_host.flush(&self.host) {
            return self.lose_host();
        }
        if flags.intersects(PollFlags::IN | PollFlags::HUP | PollFlags::ERR) {
            if self.from_host.fill(&self.host) == Got::End {
                return self.lose_host();
            }
            self.hear_host();
        }
    }

    /// Does what the host has asked for so far.
    fn hear_host(&mut self) {
        while let Ok(Some((kind, payload))) = self.from_host.next() {
            if kind == b'q' && self.begun.is_none() {
                self.begin(&payload);
            } else if kind == b's' && payload.len() == 1 {
                if self.interrupted.is_some() {
                    self.stop(Stop::Interrupted);
                }
                self.control.tell(&[keeper::SIGNAL, payload[0]]);
                self.interrupted.get_or_insert_with(Instant::now);
            }
        }
    }

    /// There is code: the interpreter is started, and hears of it when it asks.
    fn begin(&mut self, request: &[u8]) {
        let guards = serde_json::from_slice::<serde_json::Value>(request).ok();
        self.with_guards = guards.is_some_and(|request| request["guards"].as_array().is_some_and(|sites| !sites.is_empty()));
        self.request = Some(frame(b'q', request));
        self.begun = Some(Instant::now());
        self.control.tell(&[keeper::BEGIN, 0]);
        // While the interpreter starts there is time for it.
        self.oom_kills = tree::oom_kills();
    }

    fn worker_event(&mut self, flags: PollFlags) {
        let Some(worker) = &self.worker else { return };
        if flags.contains(PollFlags::OUT) {
            self.to_worker.flush(worker);
        }
        if !flags.intersects(PollFlags::IN | PollFlags::HUP | PollFlags::ERR) {
            return;
        }
        let got = self.from_worker.fill(worker);
        loop {
            match self.from_worker.next() {
                Ok(Some((kind, payload))) => self.worker_frame(kind, &payload),
                Ok(None) => break,
                Err(()) => {
                    self.worker = None;
                    return;
                }
            }
        }
        if got == Got::End {
            self.worker = None;
        }
    }

    /// Whatever a frame says, it can only change what is reported about its own run.
    fn worker_frame(&mut self, kind: u8, payload: &[u8]) {
        let parsed = || {
            let values = payload.iter().filter(|byte| matches!(byte, b',' | b'[' | b'{')).count();
            if values > MAX_VALUES { None } else { serde_json::from_slice::<serde_json::Value>(payload).ok() }
        };
        match kind {
            b'm' => {
                if let (Some(request), Some(worker)) = (self.request.take(), &self.worker) {
                    self.to_worker.push(worker::code_for(payload, if self.with_guards { &worker::GUARDED } else { &worker::PLAIN }));
                    self.to_worker.push(request);
                    self.to_worker.flush(worker);
                }
            }
            b'r' if self.ready.is_none() => {
                self.ready = Some(Instant::now());
                self.executable =
                    Some(String::from_utf8_lossy(payload).into_owned().into()).filter(|path: &PathBuf| !path.as_os_str().is_empty());
                self.to_host.push(frame(b't', &[]));
                self.to_host.flush(&self.host);
            }
            b'g' if self.ending.mechanisms.guards == 0 => {
                self.ending.mechanisms.guards = parsed().and_then(|value| value.as_u64()).unwrap_or(0) as u32;
            }
            b'l' if self.ending.guard.is_none() => {
                self.ending.guard = parsed();
                if self.ending.guard.is_some() {
                    self.stop(Stop::Guarded);
                }
            }
            b'd' => self.ending.report = parsed(),
            b'x' | b'v' | b'c' if self.ready.is_none() => {
                self.ending.detail = Some(String::from_utf8_lossy(payload).into_owned());
                let what = match kind {
                    b'x' => "exec",
                    b'v' => "version",
                    _ => "confine",
                };
                self.ending.report = Some(what.into());
                self.stop(Stop::NoPython);
            }
            _ => {}
        }
    }

    fn control_event(&mut self) {
        let said = self.control.hear(Duration::ZERO);
        self.keeper_says(said);
    }

    fn keeper_says(&mut self, said: Said) {
        match said {
            Said::Started(program, flags) => self.started_program(program, flags),
            Said::Ended { status, peak, .. } => {
                self.wait_status = Some(status);
                self.resident_peak = peak;
                self.stop(Stop::Exited);
            }
            Said::Unblocked(_) | Said::Swept | Said::Nothing | Said::Gone => {}
        }
    }

    fn started_program(&mut self, program: i32, flags: u8) {
        self.program = program;
        if self.ending.mechanisms.confined {
            self.usage.count_files(self.keeper_pid.as_raw_nonzero().get());
        }
        let mechanisms = &mut self.ending.mechanisms;
        keeper::note_caps(flags, mechanisms);
        if self.namespaced
            && flags & 1 != 0
            && let Some(inside) = View::namespace(self.keeper_pid.as_raw_nonzero().get())
            && !inside.list().is_empty()
        {
            mechanisms.own_proc = true;
            self.usage.view = inside;
            return;
        }
        if self.namespaced
            && let Some(outside) = self.usage.view.list().into_iter().find(|p| p.parent == self.keeper_pid.as_raw_nonzero().get())
        {
            // Seen from out here the program has another number.
            self.program = outside.pid;
        }
    }

    /// Reads one block. True when there may be more.
    fn output_event(&mut self, index: usize) -> bool {
        let Some(fd) = &self.outputs[index].fd else { return false };
        let mut block = vec![0_u8; 64 << 10];
        match rustix::io::read(fd, &mut block) {
            Ok(0) => {
                self.outputs[index].fd = None;
                false
            }
            Ok(n) => {
                let room = self.ending.take_output(n, &self.limits);
                if room > 0 {
                    block.truncate(room);
                    self.to_host.push(frame(self.outputs[index].kind, &block));
                    self.to_host.flush(&self.host);
                }
                if self.ending.written > self.most_output() {
                    self.stop(Stop::Output);
                }
                true
            }
            Err(Errno::INTR) => true,
            Err(_) => false,
        }
    }

    /// Looks at the tree: memory and the number of processes and threads.
    fn look(&mut self) {
        if self.program == 0 {
            return;
        }
        let passed = self.usage.look(&self.limits);
        self.ending.peak_memory = self.usage.peak_memory;
        self.ending.peak_processes = self.usage.peak_processes;
        if let Some(stop) = passed {
            self.stop(stop);
        }
    }

    /// Has the program's process write down where it is, and reads that.
    fn freeze_frame(&mut self) {
        let target = freeze::Target {
            view: &self.usage.view,
            program: self.program,
            spared: None,
            executable: self.executable.as_deref(),
            trace: self.trace.as_ref(),
        };
        let mut heard = Vec::new();
        let frozen = freeze::collect(target, &mut self.control, &mut |said| heard.push(said));
        for said in heard {
            self.keeper_says(said);
        }
        self.ending.threads = frozen.threads;
        self.ending.mechanisms.stack = frozen.stack.map(str::to_owned);
        self.ending.stack_reason = frozen.reason;
    }

    /// Ends everything that is left of the program, then takes what it had still written.
    fn kill(&mut self) {
        sys::go_first();
        self.ending.killed = if self.program == 0 { 0 } else { self.usage.view.list().len() as u32 };
        self.control.end((self.keeper_pid, &self.keeper), self.namespaced, self.ending.mechanisms.cgroup);
        // What the keeper had still to say; it has ended, so there are a few messages at most.
        for _ in 0..8 {
            self.control_event();
        }
        if let Some(worker) = self.worker.take() {
            while self.from_worker.fill(&worker) == Got::Some {}
            while let Ok(Some((kind, payload))) = self.from_worker.next() {
                self.worker_frame(kind, &payload);
            }
        }
        for index in 0..2 {
            while self.output_event(index) {}
        }
    }
}

/// What [`Run::turn`] waits for.
#[derive(Debug, Clone, Copy)]
enum Event {
    Host,
    HostDied,
    Worker,
    Control,
    KeeperDied,
    Output(usize),
}
