//! The process between the helper and the program: parent of the program, reaper of everything the program leaves, and
//! the one that ends it all on command or when the helper is gone. In a PID namespace it is the namespace's process 1;
//! without one it is a subreaper. It runs no code of the program's and does nothing else.

use std::collections::HashMap;
use std::fs;
use std::os::fd::{AsRawFd, OwnedFd, RawFd};
use std::os::unix::process::CommandExt;
use std::process::{Command, Stdio};
use std::time::Duration;

use rustix::event::{PollFd, PollFlags, poll};
use rustix::io::{Errno, FdFlags, fcntl_dupfd_cloexec, fcntl_setfd};
use rustix::mount::{MountFlags, MountPropagationFlags, mount, mount_change};
use rustix::process::{Pid, Resource, Rlimit, Signal, WaitOptions, getrlimit, pidfd_send_signal, setrlimit, waitpid};

use super::cgroup::Cgroup;
use super::confine;
use super::sys::{self, Forked};
use super::tree;
use super::wait::wait_readable;
use super::wire::{self, Job};
use super::worker;
use crate::outcome::Mechanisms;

/// Starts the interpreter: there is something to run.
pub const BEGIN: u8 = b'G';
/// Ends everything and itself.
pub const KILL: u8 = b'K';
/// Sends the program's process the signal in the second byte.
pub const SIGNAL: u8 = b'S';
/// Empties the signal mask of the program's main thread.
pub const UNBLOCK: u8 = b'U';
/// Makes the process whose pid follows the program's process from now on.
const WATCH: u8 = b'W';
/// Ends everything but the process whose pid follows: where there is a namespace that process does it.
const SWEEP: u8 = b'X';
/// Answer: the program's process has started; its pid follows, and what its number of processes is capped by.
const STARTED: u8 = b'P';
/// Answer: the program's process has ended; its pid, wait status and the most memory it had resident follow.
const ENDED: u8 = b'E';
/// Answer: whether the mask was emptied.
const UNBLOCKED: u8 = b'B';
/// Answer: only that process is left.
const SWEPT: u8 = b'Y';

/// The helper's end of its channel to the keeper.
#[derive(Debug)]
pub struct Line(Option<OwnedFd>);

/// What the keeper says.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum Said {
    /// The program's process has this number, none (0) when it is started elsewhere; and the flags of what was had.
    Started(i32, u8),
    /// The program's process ended.
    Ended {
        /// Which it was.
        pid: i32,
        /// How, as `waitpid` gives it.
        status: i32,
        /// The most memory it had resident, in bytes.
        peak: u64,
    },
    /// Whether the signal mask was emptied.
    Unblocked(bool),
    /// Everything but one process is gone.
    Swept,
    /// Nothing, for now.
    Nothing,
    /// Nothing ever again.
    Gone,
}

impl Line {
    /// Of the helper's end.
    pub fn new(fd: OwnedFd) -> Self {
        Line(Some(fd))
    }

    /// To wait for; none when the keeper's end is closed.
    pub fn fd(&self) -> Option<&OwnedFd> {
        self.0.as_ref()
    }

    /// Sends a message; one that comes too late is lost.
    pub fn tell(&mut self, message: &[u8]) {
        if let Some(fd) = &self.0 {
            let _ = rustix::io::write(fd, message);
        }
    }

    /// Tells which process is the program's, by the number the keeper knows it by.
    pub fn watch(&mut self, pid: i32) {
        self.tell(&numbered(WATCH, pid));
    }

    /// Ends the keeper and everything it keeps. To be called by its parent, which is a subreaper.
    pub fn end(&mut self, (pid, process): (Pid, &OwnedFd), namespaced: bool, cgroup: bool) {
        // The keeper of a namespace ends the rest of it in one call. Without one the program may have stopped the keeper, and its end
        // brings everything it kept to this process.
        if namespaced {
            self.tell(&[KILL, 0]);
        }
        if !namespaced || !wait_readable(process, Duration::from_millis(20)) {
            let _ = pidfd_send_signal(process, Signal::KILL);
        }
        // Nothing ends a process that the kernel itself holds, in a device or a network file system. It does no harm any more.
        if wait_readable(process, DYING) {
            while let Err(Errno::INTR) = waitpid(Some(pid), WaitOptions::empty()) {}
            tree::sweep(DYING, |_| {});
        }
        // Without a namespace there may be one even if the keeper was killed before it could say so, or leave it.
        if (!namespaced || cgroup)
            && let Some(cgroup) = Cgroup::of(&std::process::id().to_string())
        {
            cgroup.remove();
        }
    }

    /// Has everything ended but one process.
    pub fn sweep_but(&mut self, pid: i32) {
        self.tell(&numbered(SWEEP, pid));
    }

    /// The next message, waited for at most so long.
    pub fn hear(&mut self, wait: Duration) -> Said {
        let Some(fd) = &self.0 else { return Said::Gone };
        if !wait.is_zero() && !wait_readable(fd, wait) {
            return Said::Nothing;
        }
        let mut message = [0_u8; 24];
        let got = rustix::net::recv(fd, &mut message, rustix::net::RecvFlags::DONTWAIT).map(|(n, _)| n);
        let number = |at: usize| i32::from_le_bytes([message[at], message[at + 1], message[at + 2], message[at + 3]]);
        match got {
            Ok(6) if message[0] == STARTED => Said::Started(number(1), message[5]),
            Ok(17) if message[0] == ENDED => Said::Ended {
                pid: number(1),
                status: number(5),
                peak: message[9..17].iter().rev().fold(0, |number, byte| number << 8 | u64::from(*byte)),
            },
            Ok(2) if message[0] == UNBLOCKED => Said::Unblocked(message[1] != 0),
            Ok(1) if message[0] == SWEPT => Said::Swept,
            Ok(n) if n > 0 => Said::Nothing,
            Err(Errno::AGAIN | Errno::INTR) => Said::Nothing,
            Ok(_) | Err(_) => {
                self.0 = None;
                Said::Gone
            }
        }
    }
}

fn numbered(kind: u8, pid: i32) -> Vec<u8> {
    let mut message = vec![kind];
    message.extend_from_slice(&pid.to_le_bytes());
    message
}

/// What the keeper is given; everything else it closes.
#[derive(Debug)]
pub struct Ends {
    /// To the helper, message-wise.
    pub control: OwnedFd,
    /// The worker's end of its channel.
    pub worker: OwnedFd,
    /// Where the worker's frozen frames are written.
    pub trace: OwnedFd,
    /// The program's stdout.
    pub stdout: OwnedFd,
    /// The program's stderr.
    pub stderr: OwnedFd,
}

/// How the keeper was made.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum Isolation {
    /// No namespace.
    None,
    /// A PID namespace.
    Pid,
    /// A PID namespace in a user namespace.
    User,
}

/// Notes what [`Said::Started`] tells of how the number of processes is capped.
pub fn note_caps(flags: u8, mechanisms: &mut Mechanisms) {
    mechanisms.cgroup = flags & 8 != 0;
    let caps = [(8, "cgroup"), (4, "rlimit"), (2, "pid_max")];
    mechanisms.process_cap = caps.into_iter().find(|(flag, _)| flags & flag != 0).map(|(_, name)| name.to_owned());
}

/// Where the program's process comes from.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum Start {
    /// The keeper becomes its parent and starts the interpreter.
    Interpreter,
    /// It comes from the zygote, into the keeper's namespaces.
    Zygote,
}

/// How long what was killed may take to be gone before the host is told all the same.
pub const DYING: Duration = Duration::from_secs(5);

/// Private memory of the interpreter itself and room for stacks, on top of the limit on what a program may hold.
pub const SLACK: u64 = 256 << 20;

/// Once a namespace has used up its numbers, the kernel gives none below this again. A cap that left no room above it would let a
/// program that has started some hundred processes, one after the other, have one at a time from then on.
const RESERVED_PIDS: u32 = 300;

/// How many processes the hard caps allow. Above the limit, so that passing the limit is seen and reported as such
/// rather than as a fork that fails.
pub fn hard_cap(processes: u32) -> u32 {
    processes.saturating_mul(2).saturating_add(32)
}

/// Writes this process's identity into its new user namespace, unchanged.
fn map_identity(uid: u32, gid: u32) -> std::io::Result<()> {
    fs::write("/proc/self/setgroups", "deny")?;
    fs::write("/proc/self/uid_map", format!("{uid} {uid} 1"))?;
    fs::write("/proc/self/gid_map", format!("{gid} {gid} 1"))
}

/// Forks the keeper of a job, in namespaces where they are wanted and to be had; gives its pid. It closes `mine`, the caller's ends
/// of its channels.
pub fn launch(job: &Job, ends: Ends, start: Start, mine: &[RawFd]) -> std::io::Result<(i32, Isolation)> {
    let (uid, gid) = (rustix::process::geteuid().as_raw(), rustix::process::getegid().as_raw());
    let run_name = std::process::id().to_string();
    let confined = job.confinement.is_some();
    // A capability is known by using it: each form is tried, the weaker ones only where the kernel refuses.
    let mut forms = if job.namespaces { vec![Isolation::Pid, Isolation::User] } else { Vec::new() };
    if !confined && start == Start::Interpreter {
        forms.push(Isolation::None);
    }
    for isolation in forms {
        let forked = match isolation {
            Isolation::Pid => sys::fork_namespaced(false, confined),
            Isolation::User => sys::fork_namespaced(true, confined),
            Isolation::None => sys::fork(),
        };
        match forked {
            Ok(Forked::Child) => {
                sys::close(mine);
                run(job, ends, isolation, (uid, gid), &run_name, start)
            }
            Ok(Forked::Parent(pid)) => return Ok((pid, isolation)),
            Err(_) => {}
        }
    }
    let why = if job.namespaces { "the kernel gives no namespaces here" } else { "ANTIFREEZE_NO_NAMESPACE switches namespaces off" };
    Err(std::io::Error::new(std::io::ErrorKind::Unsupported, why))
}

/// Runs as the keeper; never returns.
fn run(job: &Job, ends: Ends, isolation: Isolation, (uid, gid): (u32, u32), run_name: &str, start: Start) -> ! {
    let namespaced = isolation != Isolation::None;
    let _ = rustix::process::setsid();
    if isolation == Isolation::User && map_identity(uid, gid).is_err() {
        sys::exit_now(3);
    }
    let mut own_proc = false;
    let mut pid_max = false;
    if namespaced {
        let private = mount_change("/", MountPropagationFlags::REC | MountPropagationFlags::PRIVATE).is_ok();
        let flags = MountFlags::NOSUID | MountFlags::NODEV | MountFlags::NOEXEC;
        own_proc = private && mount("proc", "/proc", "proc", flags, None).is_ok();
        // Since Linux 6.14 this is a property of the namespace; before, writing it would change the whole system.
        pid_max = own_proc
            && fs::read_to_string("/proc/sys/kernel/osrelease").is_ok_and(|release| at_least(&release, 6, 14))
            && fs::write("/proc/sys/kernel/pid_max", hard_cap(job.limits.processes).saturating_add(RESERVED_PIDS + 1).to_string()).is_ok();
    } else {
        let _ = rustix::process::set_child_subreaper(Some(rustix::process::getpid()));
    }
    if let Some(confinement) = &job.confinement {
        let hidden =
            if own_proc { confine::hide(confinement, job.limits.memory) } else { Err("this kernel gives no /proc of its own here".into()) };
        if let Err(error) = hidden {
            let _ = rustix::io::write(&ends.worker, &wire::frame(b'c', error.as_bytes()));
            sys::exit_now(8);
        }
    }
    let Ok(signals) = sys::signal_fd(&[libc::SIGCHLD]) else { sys::exit_now(4) };
    let rlimit = uid != 0;
    let nproc = rlimit.then(|| most_tasks(isolation, uid, job.limits.processes));
    // Nothing else would stop a fork bomb of root's before the count is next looked at.
    let cgroup =
        (!pid_max && !rlimit).then(|| Cgroup::of(run_name)).flatten().filter(|cgroup| cgroup.enter(hard_cap(job.limits.processes)));
    // A program of the zygote's comes later; an interpreter is started when there is something to run.
    let begin = start == Start::Zygote || wait_for_code(&ends.control);
    let forked = match start {
        _ if !begin => Err(Errno::CANCELED.into()),
        Start::Zygote => Ok(Forked::Parent(0)),
        Start::Interpreter => sys::fork(),
    };
    let program = match forked {
        Ok(Forked::Parent(pid)) => pid,
        Ok(Forked::Child) => start_worker(job, &ends, nproc),
        Err(_) => {
            if let Some(cgroup) = &cgroup {
                cgroup.leave();
            }
            sys::exit_now(if begin { 5 } else { 0 })
        }
    };
    let control = ends.control;
    // The program's side of every channel must be the program's alone.
    drop((ends.worker, ends.trace, ends.stdout, ends.stderr));
    let mut hello = vec![STARTED];
    hello.extend_from_slice(&program.to_le_bytes());
    hello.push(u8::from(own_proc) | u8::from(pid_max) << 1 | u8::from(rlimit) << 2 | u8::from(cgroup.is_some()) << 3);
    let _ = rustix::io::write(&control, &hello);
    keep(&control, &signals, program, namespaced, cgroup.as_ref())
}

/// Everything is ready. False when it was for nothing.
fn wait_for_code(control: &OwnedFd) -> bool {
    let mut message = [0_u8; 8];
    loop {
        match rustix::io::read(control, &mut message) {
            Err(Errno::INTR) => {}
            got => return matches!(got, Ok(n) if n > 0 && message[0] == BEGIN),
        }
    }
}

/// The program's process, as the keeper knows it.
struct Watched<'a> {
    control: &'a OwnedFd,
    pid: i32,
    alive: bool,
    /// The most memory that one of those reaped since had resident.
    peak: u64,
}

impl Watched<'_> {
    fn reaped(&mut self, reaped: sys::Reaped) {
        self.peak = reaped.peak.max(self.peak);
        if self.alive && reaped.pid == self.pid {
            self.alive = false;
            report(self.control, reaped.pid, reaped.status, self.peak);
        }
    }

    /// Does what it is told, as far as it was told already. False where that is to end.
    fn obey(&mut self) -> bool {
        loop {
            let mut message = [0_u8; 8];
            match rustix::net::recv(self.control, &mut message, rustix::net::RecvFlags::DONTWAIT).map(|(n, _)| n) {
                Ok(2) if message[0] == SIGNAL && self.alive => sys::kill(self.pid, i32::from(message[1])),
                Ok(2) if message[0] == UNBLOCK => {
                    let done = self.alive && sys::unblock_from_outside(self.pid);
                    let _ = rustix::io::write(self.control, &[UNBLOCKED, u8::from(done)]);
                }
                Ok(5) if message[0] == WATCH => {
                    let pid = i32::from_le_bytes([message[1], message[2], message[3], message[4]]);
                    (self.pid, self.alive, self.peak) = (pid, true, 0);
                    if !sys::is_there(pid) {
                        // It was ended from outside and reaped, before it was known whose it is.
                        self.reaped(sys::Reaped { pid, status: libc::SIGKILL, peak: 0 });
                    }
                }
                Ok(5) if message[0] == SWEEP => {
                    let spared = i32::from_le_bytes([message[1], message[2], message[3], message[4]]);
                    if tree::sweep_but(spared, Duration::from_secs(5), |reaped| self.reaped(reaped)) {
                        let _ = rustix::io::write(self.control, &[SWEPT]);
                    }
                }
                Ok(n) if n > 0 && message[0] != KILL => {}
                Err(Errno::INTR) => {}
                Err(Errno::AGAIN) => return true,
                // The command to kill, or the helper is gone, which means the same.
                _ => return false,
            }
        }
    }
}

fn keep(control: &OwnedFd, signals: &OwnedFd, program: i32, namespaced: bool, cgroup: Option<&Cgroup>) -> ! {
    let leave = || {
        if let Some(cgroup) = cgroup {
            cgroup.leave();
        }
    };
    let mut watched = Watched { control, pid: program, alive: program != 0, peak: 0 };
    'keep: loop {
        while sys::next_signal(signals).is_some() {}
        while let Some(pid) = sys::ended() {
            // That this is the program was said before it was given something to do, so before it ended.
            if !watched.obey() {
                break 'keep;
            }
            if let Some(reaped) = sys::reap_one(pid) {
                watched.reaped(reaped);
            }
        }
        let mut fds = [PollFd::new(control, PollFlags::IN), PollFd::new(signals, PollFlags::IN)];
        let _ = poll(&mut fds, None);
        if !fds[0].revents().is_empty() && !watched.obey() {
            break;
        }
    }
    sys::go_first();
    if namespaced {
        loop {
            sys::kill_namespace();
            match sys::reap(true) {
                Ok(Some(reaped)) => watched.reaped(reaped),
                Err(Errno::CHILD) => {
                    leave();
                    sys::exit_now(0)
                }
                _ => {}
            }
        }
    }
    let done = tree::sweep(Duration::from_secs(30), |reaped| watched.reaped(reaped));
    leave();
    sys::exit_now(i32::from(!done))
}

fn report(control: &OwnedFd, pid: i32, status: i32, peak: u64) {
    let mut message = numbered(ENDED, pid);
    message.extend_from_slice(&status.to_le_bytes());
    message.extend_from_slice(&peak.to_le_bytes());
    let _ = rustix::io::write(control, &message);
}

/// Turns this process into the interpreter.
fn start_worker(job: &Job, ends: &Ends, nproc: Option<u64>) -> ! {
    let _ = rustix::process::setsid();
    let _ = fs::write("/proc/self/oom_score_adj", "1000");
    sys::close_on_exec_from(3);
    let open = getrlimit(Resource::Nofile).current.unwrap_or(1 << 20);
    // High numbers, out of the way of programs that close everything below 256.
    let least = if open > 1010 { 1000 } else { (open.saturating_sub(10)) as RawFd };
    let keep = |fd: &OwnedFd| -> Option<OwnedFd> {
        let high = fcntl_dupfd_cloexec(fd, least).ok()?;
        fcntl_setfd(&high, FdFlags::empty()).ok()?;
        Some(high)
    };
    let (Some(worker), Some(trace), Ok(out), Ok(err)) =
        (keep(&ends.worker), keep(&ends.trace), ends.stdout.try_clone(), ends.stderr.try_clone())
    else {
        sys::exit_now(6)
    };
    for (resource, value) in
        [(Resource::Data, Some(job.limits.memory.saturating_add(SLACK))), (Resource::Core, Some(0)), (Resource::Nproc, nproc)]
    {
        if let Some(value) = value {
            let value = getrlimit(resource).maximum.map_or(value, |most| most.min(value));
            let _ = setrlimit(resource, Rlimit { current: Some(value), maximum: Some(value) });
        }
    }
    if let Some(confinement) = &job.confinement
        && let Err(error) = confine::restrict(confinement)
    {
        let _ = rustix::io::write(&worker, &wire::frame(b'c', error.as_bytes()));
        sys::exit_now(8);
    }
    let mut command = Command::new(&job.python);
    command.args(["-c", &worker::first_words(worker.as_raw_fd()), &worker.as_raw_fd().to_string(), &trace.as_raw_fd().to_string()]);
    command.stdin(Stdio::inherit()).stdout(out).stderr(err);
    if job.confinement.is_some() {
        command.env_clear().envs(std::env::vars_os().filter(|(name, _)| name.to_str().is_some_and(confine::keeps)));
    }
    command.envs(job.env.iter().map(|(key, value)| (key, value)).collect::<HashMap<_, _>>());
    if let Some(cwd) = &job.cwd {
        command.current_dir(cwd);
    }
    sys::unblock_signals();
    // `exec` gives SIGPIPE its default, as every program expects.
    let error = command.exec();
    let _ = rustix::io::write(&worker, &wire::frame(b'x', error.to_string().as_bytes()));
    sys::exit_now(127)
}

/// Whether a kernel release such as `6.18.44-x` is at least `major.minor`.
fn at_least(release: &str, major: u32, minor: u32) -> bool {
    let mut parts = release.split(|c: char| !c.is_ascii_digit()).map(|part| part.parse::<u32>().unwrap_or(0));
    (parts.next().unwrap_or(0), parts.next().unwrap_or(0)) >= (major, minor)
}

/// The limit on a user's tasks that leaves one program so many processes.
pub fn most_tasks(isolation: Isolation, uid: u32, processes: u32) -> u64 {
    let others = if isolation == Isolation::User { 0 } else { tasks_of(uid) };
    others.saturating_add(u64::from(hard_cap(processes)))
}

/// How many threads a user has in all: what the limit on processes counts.
fn tasks_of(uid: u32) -> u64 {
    use std::os::unix::fs::MetadataExt;
    let Ok(entries) = fs::read_dir("/proc") else { return 0 };
    entries
        .filter_map(Result::ok)
        .filter(|entry| entry.metadata().is_ok_and(|data| data.uid() == uid))
        .filter_map(|entry| Some(fs::read_dir(entry.path().join("task")).ok()?.count() as u64))
        .sum()
}

#[cfg(test)]
mod tests {
    use super::at_least;

    #[test]
    fn kernel_releases_compare() {
        assert!(at_least("6.14.0", 6, 14));
        assert!(at_least("6.18.44-fc\n", 6, 14));
        assert!(at_least("7.0", 6, 14));
        assert!(!at_least("6.9.1", 6, 14));
        assert!(!at_least("5.15.0-105", 6, 14));
    }
}
