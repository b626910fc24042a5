//! Has a frozen process write down where it is, and reads that.

use std::os::fd::OwnedFd;
use std::path::Path;
use std::time::{Duration, Instant};

use rustix::io::Errno;

use super::keeper::{self, Line, Said};
use super::tree::View;
use super::wait::wait_readable;
use crate::outcome::ThreadInfo;

/// SIGURG is ignored by default: a program that unregisters the handler is not killed by it.
pub const DUMP_SIGNAL: u8 = libc::SIGURG as u8;

/// The program's process, as it is seen and as it sees itself.
#[derive(Debug, Clone, Copy)]
pub struct Target<'a> {
    /// Where it is read from.
    pub view: &'a View,
    /// Its number there.
    pub program: i32,
    /// A process that waits beside the program and is no part of it.
    pub spared: Option<i32>,
    /// The interpreter's own executable, as it said itself.
    pub executable: Option<&'a Path>,
    /// What it writes to.
    pub trace: Option<&'a OwnedFd>,
}

/// What came of it.
#[derive(Debug, Default)]
pub struct Frozen {
    /// Threads of the program's process, the main thread first, and the other processes.
    pub threads: Vec<ThreadInfo>,
    /// How the frames were had.
    pub stack: Option<&'static str>,
    /// Why there are none.
    pub reason: Option<String>,
}

/// Whether a mask of a process's (`SigBlk`, `SigCgt`) holds the signal; none where it cannot be read.
pub fn masks(view: &View, pid: i32, key: &str) -> Option<bool> {
    let text = view.status(pid, key)?;
    Some(u64::from_str_radix(&text, 16).ok()? >> (DUMP_SIGNAL - 1) & 1 == 1)
}

/// How long a busy keeper may take to empty a signal mask.
const UNBLOCKING: Duration = Duration::from_millis(150);

/// Takes 100 ms at most, and [`UNBLOCKING`] more where the program blocks the signal. What the keeper says meanwhile is handed to `other`.
pub fn collect(target: Target<'_>, line: &mut Line, other: &mut dyn FnMut(Said)) -> Frozen {
    let Target { view, program, .. } = target;
    let mut out = Frozen::default();
    let begin = Instant::now();
    let state = view.status(program, "State").unwrap_or_default();
    if state.starts_with('T') {
        line.tell(&[keeper::SIGNAL, libc::SIGCONT as u8]);
    }
    let (blocked, caught) = (masks(view, program, "SigBlk").unwrap_or(false), masks(view, program, "SigCgt").unwrap_or(true));
    if caught {
        let mut unblocked = None;
        if blocked {
            line.tell(&[keeper::UNBLOCK, 0]);
            while unblocked.is_none() && begin.elapsed() < UNBLOCKING {
                match line.hear(Duration::from_millis(5)) {
                    Said::Unblocked(done) => unblocked = Some(done),
                    Said::Gone => break,
                    said => other(said),
                }
            }
        }
        line.tell(&[keeper::SIGNAL, DUMP_SIGNAL]);
        let begin = Instant::now();
        let (text, closed) = read_trace(target.trace, begin);
        out.threads = super::frames::parse(&text, program as u32);
        if out.threads.is_empty() {
            let why = if blocked && unblocked != Some(true) {
                "the program blocks the signal that would make it say where it is"
            } else if closed {
                "the program closed the descriptor through which it would say where it is"
            } else {
                "the program did not say in time where it is"
            };
            out.reason = Some(why.into());
        } else {
            out.stack = Some(if blocked { "ptrace" } else { "signal" });
        }
    } else {
        let executable = view.executable(program);
        out.reason = Some(if executable.is_some() && target.executable.is_some() && executable.as_deref() != target.executable {
            format!("the program's process has become another: {}", view.command(program))
        } else {
            "the program does not handle the signal that would make it say where it is".into()
        });
    }
    let others = view.list().into_iter().filter(|process| process.pid != program && Some(process.pid) != target.spared);
    // What forks without a pause lets nobody read its command for a while; a stack is worth more than a long list.
    for process in others.take(100).take_while(|_| begin.elapsed() < Duration::from_millis(150)) {
        out.threads.push(ThreadInfo {
            pid: process.pid as u32,
            thread: None,
            command: Some(view.command(process.pid)),
            frames: Vec::new(),
        });
    }
    out
}

/// The dump has no end mark: it ends with a silence. A pipe that is not drained would stall it.
/// The second value tells whether nobody can write it any more.
fn read_trace(trace: Option<&OwnedFd>, begin: Instant) -> (String, bool) {
    let mut text = Vec::new();
    let mut closed = false;
    let Some(trace) = trace else { return (String::new(), true) };
    let mut block = vec![0_u8; 64 << 10];
    while begin.elapsed() < Duration::from_millis(100) && text.len() < 1 << 20 {
        let silence = if text.is_empty() { Duration::from_millis(100).saturating_sub(begin.elapsed()) } else { Duration::from_millis(10) };
        if !wait_readable(trace, silence) {
            break;
        }
        match rustix::io::read(trace, &mut block) {
            Ok(0) => {
                closed = true;
                break;
            }
            Ok(n) => text.extend_from_slice(&block[..n]),
            Err(Errno::INTR | Errno::AGAIN) => {}
            Err(_) => break,
        }
    }
    (String::from_utf8_lossy(&text).into_owned(), closed)
}
