//! The process tree of a run, read from `/proc`, and how to end all of it without a namespace.

use std::collections::{HashMap, HashSet};
use std::fs;
use std::os::fd::AsRawFd;
use std::path::{Path, PathBuf};
use std::time::{Duration, Instant};

use rustix::io::Errno;
use rustix::process::{Pid, PidfdFlags, Signal, pidfd_open, pidfd_send_signal};

use super::sys;

/// One process.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub struct Process {
    /// Its number in the view it was read from.
    pub pid: i32,
    /// Its parent's.
    pub parent: i32,
    /// The state letter of `/proc/PID/stat`.
    pub state: u8,
    /// How many threads it has.
    pub threads: u32,
    /// When it started, in ticks: tells a process from a later one of the same number.
    pub started: u64,
    /// Resident memory in bytes.
    pub resident: u64,
}

/// Where to read a tree from.
#[derive(Debug)]
pub struct View {
    /// Keeps the mount that `proc` leads to, whatever the program mounts over it.
    _pin: Option<fs::File>,
    proc: PathBuf,
    /// The process whose descendants make the tree; none when everything but process 1 is the tree.
    root: Option<i32>,
    /// One process that is not listed.
    spared: Option<i32>,
}

impl View {
    /// All descendants of a process, found by scanning `/proc`.
    pub fn descendants(root: i32) -> Self {
        View { _pin: None, proc: "/proc".into(), root: Some(root), spared: None }
    }

    /// Everything in a PID namespace, seen through the `/proc` its first process mounted.
    pub fn namespace(init: i32) -> Option<Self> {
        let folder = fs::File::open(format!("/proc/{init}/root/proc")).ok()?;
        let proc = format!("/proc/self/fd/{}", folder.as_raw_fd()).into();
        Some(View { _pin: Some(folder), proc, root: None, spared: None })
    }

    /// The living processes of the tree (zombies are not), without its root.
    pub fn list(&self) -> Vec<Process> {
        let Ok(entries) = fs::read_dir(&self.proc) else { return Vec::new() };
        // First all numbers, so that one descriptor at a time is enough.
        let pids = entries.filter_map(|entry| entry.ok()?.file_name().to_str()?.parse::<i32>().ok()).collect::<Vec<_>>();
        let all = pids.into_iter().filter_map(|pid| read(&self.proc, pid)).collect::<Vec<_>>();
        let tree = match self.root {
            None => all.into_iter().filter(|process| process.pid != 1).collect(),
            Some(root) => below(&all, root),
        };
        tree.into_iter().filter(|process| !matches!(process.state, b'Z' | b'X') && Some(process.pid) != self.spared).collect()
    }

    /// Memory that is the process's own to hold, private and shared, without what is only a copy of a file. With `shared`,
    /// what several processes share counts as their part of it, which is slow.
    pub fn held(&self, pid: i32, shared: bool) -> (u64, u64) {
        let (file, keys) = if shared { ("smaps_rollup", ["Pss_Anon:", "Pss_Shmem:"]) } else { ("status", ["RssAnon:", "RssShmem:"]) };
        let text = fs::read_to_string(self.proc.join(format!("{pid}/{file}"))).unwrap_or_default();
        let kib = |key: &str| text.lines().find_map(|line| line.strip_prefix(key)?.split_whitespace().next()?.parse::<u64>().ok());
        match keys.map(kib) {
            [Some(anonymous), Some(shmem)] => (anonymous << 10, shmem << 10),
            // A kernel that does not say, or a process that has just ended and holds nothing any more.
            _ => (read(&self.proc, pid).map_or(0, |process| process.resident), 0),
        }
    }

    /// One line of `/proc/PID/status`.
    pub fn status(&self, pid: i32, key: &str) -> Option<String> {
        let text = fs::read_to_string(self.proc.join(format!("{pid}/status"))).ok()?;
        let line = text.lines().find(|line| line.starts_with(key))?;
        Some(line[key.len()..].trim_start_matches(':').trim().to_owned())
    }

    /// What it executes.
    pub fn executable(&self, pid: i32) -> Option<PathBuf> {
        fs::read_link(self.proc.join(format!("{pid}/exe"))).ok()
    }

    /// How long each thread of a process has run on a processor, in nanoseconds.
    pub fn run_times(&self, pid: i32) -> HashMap<i32, u64> {
        let folder = self.proc.join(format!("{pid}/task"));
        let threads = fs::read_dir(&folder).into_iter().flatten();
        let threads = threads.filter_map(|entry| entry.ok()?.file_name().to_str()?.parse::<i32>().ok());
        let time = |thread: i32| fs::read_to_string(folder.join(format!("{thread}/schedstat"))).ok()?.split(' ').next()?.parse().ok();
        threads.filter_map(|thread| Some((thread, time(thread)?))).collect()
    }

    /// The command line, shortened.
    pub fn command(&self, pid: i32) -> String {
        let bytes = fs::read(self.proc.join(format!("{pid}/cmdline"))).unwrap_or_default();
        let words = bytes.split(|byte| *byte == 0).map(String::from_utf8_lossy).collect::<Vec<_>>().join(" ");
        words.trim().chars().map(|c| if c.is_control() { ' ' } else { c }).take(200).collect()
    }
}

/// How many processes the kernel has killed for want of memory since it started.
pub fn oom_kills() -> Option<u64> {
    let text = fs::read_to_string("/proc/vmstat").ok()?;
    text.lines().find_map(|line| line.strip_prefix("oom_kill ")?.trim().parse().ok())
}

fn read(proc: &Path, pid: i32) -> Option<Process> {
    let stat = fs::read(proc.join(format!("{pid}/stat"))).ok()?;
    // The name in parentheses may hold anything, further parentheses included.
    let rest = &stat[stat.iter().rposition(|byte| *byte == b')')? + 2..];
    let fields = std::str::from_utf8(rest).ok()?.split(' ').collect::<Vec<_>>();
    let number = |field: usize| fields.get(field - 3).and_then(|text| text.parse::<u64>().ok());
    Some(Process {
        pid,
        parent: number(4)? as i32,
        state: *fields.first()?.as_bytes().first()?,
        threads: number(20)? as u32,
        started: number(22)?,
        resident: number(24)?.saturating_mul(4096),
    })
}

fn below(all: &[Process], root: i32) -> Vec<Process> {
    let mut children: HashMap<i32, Vec<Process>> = HashMap::new();
    for process in all {
        children.entry(process.parent).or_default().push(*process);
    }
    let mut found = Vec::new();
    let mut next = vec![root];
    while let Some(pid) = next.pop() {
        for child in children.remove(&pid).unwrap_or_default() {
            found.push(child);
            next.push(child.pid);
        }
    }
    found
}

/// Ends every descendant of this process, which must be a subreaper: stops parents before it kills, so that nothing
/// forks away, and repeats until the kernel says that there is no child left. `reaped` hears of each one. False when
/// the time was not enough.
pub fn sweep(limit: Duration, mut reaped: impl FnMut(sys::Reaped)) -> bool {
    let me = rustix::process::getpid().as_raw_nonzero().get();
    let view = View::descendants(me);
    let start = Instant::now();
    loop {
        loop {
            match sys::reap(false) {
                Ok(Some(one)) => reaped(one),
                Err(Errno::CHILD) => return true,
                Err(Errno::INTR) => {}
                _ => break,
            }
        }
        strike(&view, start, limit);
        let round = Instant::now();
        loop {
            match sys::reap(false) {
                Ok(Some(one)) => reaped(one),
                Err(Errno::CHILD) => return true,
                Err(Errno::INTR) => {}
                // Dying takes a moment (a gigabyte takes 50 ms); look again for newcomers after a short while.
                _ if round.elapsed() > Duration::from_millis(4) => break,
                _ => std::thread::sleep(Duration::from_micros(300)),
            }
        }
        if start.elapsed() > limit {
            return false;
        }
    }
}

/// Ends every descendant of this process, a subreaper, but one. A stopped process cannot fork, and a round that stops nobody new has
/// stopped them all: what is alive after it is the spared one alone. False when the time was not enough.
pub fn sweep_but(spared: i32, limit: Duration, mut reaped: impl FnMut(sys::Reaped)) -> bool {
    let me = rustix::process::getpid().as_raw_nonzero().get();
    let mut view = View::descendants(me);
    view.spared = Some(spared);
    let start = Instant::now();
    loop {
        strike(&view, start, limit);
        let round = Instant::now();
        while round.elapsed() < Duration::from_millis(4) {
            match sys::reap(false) {
                Ok(Some(one)) => reaped(one),
                Err(Errno::INTR) => {}
                Err(_) => return true,
                Ok(None) if view.list().is_empty() => return true,
                Ok(None) => std::thread::sleep(Duration::from_micros(300)),
            }
        }
        if start.elapsed() > limit {
            return false;
        }
    }
}

/// One round of it: stops to a fixpoint (a round that finds nobody new has them all, as a stopped process cannot fork), then kills.
fn strike(view: &View, start: Instant, limit: Duration) {
    let mut stopped = HashSet::new();
    loop {
        let fresh = view.list().into_iter().filter(|p| !stopped.contains(&(p.pid, p.started))).collect::<Vec<_>>();
        if fresh.is_empty() {
            break;
        }
        for process in fresh {
            signal(&process, Signal::STOP);
            stopped.insert((process.pid, process.started));
        }
        if start.elapsed() > limit {
            break;
        }
    }
    for process in view.list() {
        signal(&process, Signal::KILL);
    }
}

/// Ends the children of this process that it does not know, with all below them, as far as one round does it. True when there were any.
pub fn strike_unknown(known: &HashSet<i32>) -> bool {
    let me = rustix::process::getpid().as_raw_nonzero().get();
    let all = View::descendants(me).list();
    let mut found = Vec::new();
    for child in all.iter().filter(|process| process.parent == me && !known.contains(&process.pid)) {
        found.push(*child);
        found.extend(below(&all, child.pid));
    }
    for process in &found {
        signal(process, Signal::STOP);
    }
    for process in &found {
        signal(process, Signal::KILL);
    }
    !found.is_empty()
}

/// Ends a child of this process, a subreaper that does nothing by itself any more, with everything below it.
pub fn take_down(child: i32) {
    let (view, start, limit) = (View::descendants(child), Instant::now(), Duration::from_secs(5));
    sys::kill(child, libc::SIGSTOP);
    while !view.list().is_empty() && start.elapsed() < limit {
        strike(&view, start, limit);
        std::thread::sleep(Duration::from_millis(2));
    }
    sys::kill(child, libc::SIGKILL);
}

/// Whether this process has a single thread.
pub fn is_alone() -> bool {
    read(Path::new("/proc"), std::process::id() as i32).is_some_and(|process| process.threads == 1)
}

/// Whether a process was stopped by a signal.
pub fn is_stopped(pid: i32) -> bool {
    read(Path::new("/proc"), pid).is_some_and(|process| matches!(process.state, b'T' | b't'))
}

/// Signals exactly the process that was listed, not a later one with the same number.
fn signal(process: &Process, signal: Signal) {
    let Some(pid) = Pid::from_raw(process.pid) else { return };
    let fd = match pidfd_open(pid, PidfdFlags::empty()) {
        Ok(fd) => fd,
        Err(Errno::SRCH) => return,
        // No descriptor is to be had: it was listed a moment ago, and sparing it would be worse than the chance of a new number.
        Err(_) => {
            sys::kill(process.pid, signal.as_raw());
            return;
        }
    };
    let is_it = match read(Path::new("/proc"), process.pid) {
        Some(now) => now.started == process.started,
        // It is gone, or the pidfd was the last descriptor.
        None => Path::new("/proc").join(process.pid.to_string()).exists(),
    };
    if is_it {
        let _ = pidfd_send_signal(fd, signal);
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    fn process(pid: i32, parent: i32) -> Process {
        Process { pid, parent, state: b'S', threads: 1, started: 0, resident: 0 }
    }

    #[test]
    fn finds_grandchildren_but_not_siblings() {
        let all = [process(2, 1), process(3, 2), process(4, 3), process(5, 1)];
        let mut pids = below(&all, 2).into_iter().map(|p| p.pid).collect::<Vec<_>>();
        pids.sort_unstable();
        assert_eq!(pids, [3, 4]);
    }

    #[test]
    fn reads_its_own_process() {
        let me = std::process::id() as i32;
        let process = read(Path::new("/proc"), me).expect("this process is in /proc");
        assert_eq!(process.pid, me);
        assert!(process.threads >= 1 && process.resident > 100_000);
    }
}
