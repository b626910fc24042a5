//! The host's end of the process that delivers: a socket that takes a parcel whole or not at all, and never makes anybody wait.

use std::io;
use std::os::fd::OwnedFd;
use std::path::Path;
use std::process::{Command, Stdio};
use std::time::Duration;

use rustix::io::Errno;
use rustix::net::sockopt::set_socket_send_buffer_size;
use rustix::net::{AddressFamily, RecvFlags, SendFlags, SocketFlags, SocketType, recv, send, socketpair};

use super::{DELIVER, Delivery, Parcel};
use crate::executor::wait_readable;

/// The longest parcel. The kernel takes a message whole only if it fits its buffer, of 208 KiB by default.
pub const LONGEST: usize = 190 << 10;

/// The way to the process that delivers.
#[derive(Debug)]
pub struct Courier {
    socket: OwnedFd,
    /// The process that started it: one that was forked from it shares the socket and must not use it.
    owner: u32,
}

/// Why a parcel was not taken.
#[derive(Debug, PartialEq, Eq)]
pub enum Unsent {
    /// This one was not, in words.
    Refused(String),
    /// None is any more.
    Gone,
}

/// What is heard of it.
#[derive(Debug, PartialEq, Eq)]
pub enum Heard {
    /// Nothing yet.
    Nothing,
    /// What became of the oldest parcel.
    Of(Delivery),
    /// Nothing ever again.
    Gone,
}

impl Courier {
    /// Starts it.
    pub fn start(helper: Option<&Path>) -> io::Result<Self> {
        let (ours, theirs) = socketpair(AddressFamily::UNIX, SocketType::SEQPACKET, SocketFlags::CLOEXEC, None)?;
        // More room than one parcel needs, where the system allows it.
        let _ = set_socket_send_buffer_size(&ours, 4 << 20);
        let mut child = Command::new(helper.unwrap_or(Path::new("/proc/self/exe")))
            .arg(DELIVER)
            .current_dir("/")
            .stdin(Stdio::from(theirs))
            .stdout(Stdio::null())
            .stderr(Stdio::null())
            .spawn()?;
        // It forks itself off at once, so that no host has it as a child. A host that reaps all its children has reaped this one too.
        let _ = child.wait();
        Ok(Courier { socket: ours, owner: std::process::id() })
    }

    /// Whether this process started it.
    pub fn is_own(&self) -> bool {
        self.owner == std::process::id()
    }

    /// Hands a parcel over.
    pub fn send(&self, parcel: &Parcel) -> Result<(), Unsent> {
        let message = serde_json::to_vec(parcel).unwrap_or_default();
        if message.len() > LONGEST {
            return Err(Unsent::Refused(format!("a report of {} bytes is too long", message.len())));
        }
        match send(&self.socket, &message, SendFlags::DONTWAIT | SendFlags::NOSIGNAL) {
            Ok(_) => Ok(()),
            Err(Errno::AGAIN) => Err(Unsent::Refused("there is more to say than gets through".into())),
            Err(_) => Err(Unsent::Gone),
        }
    }

    /// What became of the oldest parcel, waited for at most so long.
    pub fn hear(&self, wait: Duration) -> Heard {
        if !wait.is_zero() && !wait_readable(&self.socket, wait) {
            return Heard::Nothing;
        }
        let mut message = [0_u8; 1024];
        match recv(&self.socket, &mut message, RecvFlags::DONTWAIT) {
            Ok((0, _)) => Heard::Gone,
            Ok((n, _)) => serde_json::from_slice(&message[..n]).map_or(Heard::Gone, Heard::Of),
            Err(Errno::AGAIN | Errno::INTR) => Heard::Nothing,
            Err(_) => Heard::Gone,
        }
    }
}
