//! Frames between the processes of a run: `[u32 length, little endian][u8 kind][payload]`, the payload JSON or raw bytes.
//!
//! What comes from the worker is untrusted: lengths are checked before anything is kept.

use std::collections::VecDeque;
use std::os::fd::AsFd;

use rustix::io::Errno;
use serde::{Deserialize, Serialize};
use serde_json::Value;

use super::confine::Confinement;
use crate::limits::Limits;
use crate::outcome::{Mechanisms, ThreadInfo};

/// The longest frame anybody may send.
pub const MAX_FRAME: usize = 64 << 20;

/// What the host asks of the helper.
#[derive(Debug, Clone, Serialize, Deserialize)]
pub struct Job {
    /// The host's pid, so that the helper notices when it is gone.
    pub host: i32,
    /// The interpreter.
    pub python: String,
    /// The working folder, if not the host's.
    pub cwd: Option<String>,
    /// Environment variables to set.
    pub env: Vec<(String, String)>,
    /// What it may use.
    pub limits: Limits,
    /// Whether output beyond the limit ends the program.
    pub strict_output: bool,
    /// Whether to use namespaces.
    pub namespaces: bool,
    /// What it is confined to, if it is.
    pub confinement: Option<Confinement>,
    /// What a session's process is told when it starts. A program that is run once has its code sent when there is some.
    pub request: Value,
}

/// Why the helper ended a run.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Serialize, Deserialize)]
pub enum Stop {
    /// The program's process ended by itself.
    Exited,
    /// A step of a session came to its end, and its process goes on.
    Done,
    /// The deadline passed.
    TimedOut,
    /// Too much output.
    Output,
    /// Too much memory.
    Memory,
    /// Too many processes.
    Processes,
    /// A guard.
    Guarded,
    /// The host sent a signal and the program did not end by it in time.
    Interrupted,
    /// The interpreter was not ready in time.
    StartTimedOut,
    /// The interpreter could not be started, or is too old, or not be confined.
    NoPython,
    /// The helper itself failed.
    Failed,
}

/// What the helper reports at the end.
#[derive(Debug, Clone, Serialize, Deserialize)]
pub struct Ending {
    /// Why it ended.
    pub stop: Stop,
    /// More words where `stop` needs them.
    pub detail: Option<String>,
    /// The exit status of the program's process, 128 + n for signal n.
    pub status: Option<i32>,
    /// The signal that ended it.
    pub signal: Option<i32>,
    /// The worker's last report (untrusted).
    pub report: Option<Value>,
    /// The guard's report (untrusted).
    pub guard: Option<Value>,
    /// Whether the kernel sent that signal because there was no memory left.
    pub kernel_killed: bool,
    /// The most memory seen, in bytes.
    pub peak_memory: u64,
    /// The most processes and threads seen.
    pub peak_processes: u32,
    /// Bytes written in all.
    pub written: u64,
    /// Bytes not kept.
    pub truncated: u64,
    /// Threads at the deadline; the first is the main thread.
    pub threads: Vec<ThreadInfo>,
    /// Why there is no stack.
    pub stack_reason: Option<String>,
    /// What the run was held with.
    pub mechanisms: Mechanisms,
    /// How many were killed at the end.
    pub killed: u32,
    /// From ready to the end, in seconds.
    pub seconds: f64,
    /// What the step did to its session's variables: `advanced`, `kept`, `lost`.
    #[serde(default)]
    pub state: Option<String>,
    /// More words on that.
    #[serde(default)]
    pub state_reason: Option<String>,
    /// How many threads of the session ended with the step.
    #[serde(default)]
    pub threads_lost: Option<u32>,
    /// The host's tool that had not answered.
    #[serde(default)]
    pub tool: Option<String>,
    /// From the decision to end a step to the session being as before it, in milliseconds.
    #[serde(default)]
    pub restored_ms: Option<f64>,
}

/// One frame as bytes.
pub fn frame(kind: u8, payload: &[u8]) -> Vec<u8> {
    let mut out = Vec::with_capacity(payload.len() + 5);
    out.extend_from_slice(&(payload.len() as u32).to_le_bytes());
    out.push(kind);
    out.extend_from_slice(payload);
    out
}

/// Takes frames out of a stream of bytes.
#[derive(Debug, Default)]
pub struct Reader {
    buffer: Vec<u8>,
    max: usize,
}

/// What reading from a stream came to.
#[derive(Debug, PartialEq, Eq)]
pub enum Got {
    /// Bytes arrived.
    Some,
    /// Nothing there now.
    Nothing,
    /// The other side is gone.
    End,
}

impl Reader {
    /// A reader that refuses frames longer than `max`.
    pub fn new(max: usize) -> Self {
        Reader { buffer: Vec::new(), max }
    }

    /// Reads once from a descriptor.
    pub fn fill(&mut self, fd: impl AsFd) -> Got {
        let start = self.buffer.len();
        self.buffer.resize(start + (64 << 10), 0);
        let got = rustix::io::read(fd, &mut self.buffer[start..]);
        self.buffer.truncate(start + got.unwrap_or(0));
        match got {
            Ok(0) => Got::End,
            Ok(_) => Got::Some,
            Err(Errno::AGAIN | Errno::INTR) => Got::Nothing,
            Err(_) => Got::End,
        }
    }

    /// Takes bytes that were read elsewhere.
    pub fn append(&mut self, bytes: &[u8]) {
        self.buffer.extend_from_slice(bytes);
    }

    /// The next whole frame. An `Err` is a frame that is too long; the stream is of no use after it.
    pub fn next(&mut self) -> Result<Option<(u8, Vec<u8>)>, ()> {
        let Some(head) = self.buffer.get(..5) else { return Ok(None) };
        let length = u32::from_le_bytes([head[0], head[1], head[2], head[3]]) as usize;
        if length > self.max {
            return Err(());
        }
        if self.buffer.len() < length + 5 {
            return Ok(None);
        }
        let kind = self.buffer[4];
        let payload = self.buffer[5..length + 5].to_vec();
        self.buffer.drain(..length + 5);
        Ok(Some((kind, payload)))
    }
}

/// Bytes waiting to be written to a descriptor that must never block the writer.
#[derive(Debug, Default)]
pub struct Queue {
    chunks: VecDeque<Vec<u8>>,
    offset: usize,
}

impl Queue {
    /// Adds bytes at the end.
    pub fn push(&mut self, bytes: Vec<u8>) {
        self.chunks.push_back(bytes);
    }

    /// Whether nothing waits.
    pub fn is_empty(&self) -> bool {
        self.chunks.is_empty()
    }

    /// Writes what the (non-blocking) descriptor takes. False when the other side is gone.
    pub fn flush(&mut self, fd: impl AsFd) -> bool {
        while let Some(chunk) = self.chunks.front() {
            match rustix::io::write(&fd, &chunk[self.offset..]) {
                Ok(n) => self.offset += n,
                Err(Errno::AGAIN) => return true,
                Err(Errno::INTR) => {}
                Err(_) => {
                    self.chunks.clear();
                    return false;
                }
            }
            if self.offset == chunk.len() {
                self.chunks.pop_front();
                self.offset = 0;
            }
        }
        true
    }
}
