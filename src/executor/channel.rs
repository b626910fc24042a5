//! A channel over which descriptors and the kernel's word on who sends travel beside frames.

use std::collections::VecDeque;
use std::io::{IoSlice, IoSliceMut};
use std::mem::MaybeUninit;
use std::os::fd::{AsFd, BorrowedFd, OwnedFd};

use rustix::io::Errno;
use rustix::net::{
    RecvAncillaryBuffer, RecvAncillaryMessage, RecvFlags, SendAncillaryBuffer, SendAncillaryMessage, SendFlags, recvmsg, sendmsg,
};

use super::wire::{Got, Queue, Reader};

/// The most descriptors in one message.
const MOST: usize = 16;

/// One end of a stream of frames. Never blocks.
#[derive(Debug)]
pub struct Channel {
    fd: OwnedFd,
    reader: Reader,
    queue: Queue,
    /// Descriptors that came and nobody has taken yet.
    fds: VecDeque<OwnedFd>,
    /// Who sent last, where credentials are asked for.
    pub sender: Option<i32>,
}

impl Channel {
    /// Over a socket, taking no frame longer than `max`.
    pub fn new(fd: OwnedFd, max: usize) -> rustix::io::Result<Self> {
        rustix::io::ioctl_fionbio(&fd, true)?;
        Ok(Channel { fd, reader: Reader::new(max), queue: Queue::default(), fds: VecDeque::new(), sender: None })
    }

    /// To wait for.
    pub fn fd(&self) -> &OwnedFd {
        &self.fd
    }

    /// Whether something waits to be sent.
    pub fn is_waiting(&self) -> bool {
        !self.queue.is_empty()
    }

    /// Reads once.
    pub fn fill(&mut self) -> Got {
        let mut block = vec![0_u8; 64 << 10];
        match receive(&self.fd, &mut block) {
            Ok((0, ..)) => Got::End,
            Ok((n, fds, sender)) => {
                self.reader.append(&block[..n]);
                // Descriptors nobody asked for are closed again.
                self.fds.extend(fds);
                self.fds.truncate(MOST);
                self.sender = sender.or(self.sender);
                Got::Some
            }
            Err(Errno::AGAIN | Errno::INTR) => Got::Nothing,
            Err(_) => Got::End,
        }
    }

    /// The next whole frame; see [`Reader::next`].
    pub fn next(&mut self) -> Result<Option<(u8, Vec<u8>)>, ()> {
        self.reader.next()
    }

    /// The oldest descriptor that came.
    pub fn take_fd(&mut self) -> Option<OwnedFd> {
        self.fds.pop_front()
    }

    /// Sends bytes, now or when the other side takes them. False when it is gone.
    pub fn send(&mut self, bytes: Vec<u8>) -> bool {
        self.queue.push(bytes);
        self.flush()
    }

    /// Sends bytes with descriptors.
    pub fn send_with(&mut self, mut bytes: Vec<u8>, fds: &[BorrowedFd<'_>]) -> bool {
        match send(&self.fd, &bytes, fds) {
            Ok(n) => {
                bytes.drain(..n);
                bytes.is_empty() || self.send(bytes)
            }
            Err(_) => false,
        }
    }

    /// Sends what waits.
    pub fn flush(&mut self) -> bool {
        self.queue.flush(&self.fd)
    }
}

/// One `sendmsg` with descriptors.
pub fn send(socket: impl AsFd, bytes: &[u8], fds: &[BorrowedFd<'_>]) -> rustix::io::Result<usize> {
    let mut space = [MaybeUninit::uninit(); rustix::cmsg_space!(ScmRights(MOST))];
    let mut control = SendAncillaryBuffer::new(&mut space);
    if !fds.is_empty() {
        control.push(SendAncillaryMessage::ScmRights(fds));
    }
    loop {
        match sendmsg(&socket, &[IoSlice::new(bytes)], &mut control, SendFlags::NOSIGNAL) {
            Err(Errno::INTR) => {}
            result => return result,
        }
    }
}

/// One `recvmsg`: how many bytes, the descriptors, and the sender's pid where credentials are asked for.
pub fn receive(socket: impl AsFd, block: &mut [u8]) -> rustix::io::Result<(usize, Vec<OwnedFd>, Option<i32>)> {
    let mut space = [MaybeUninit::uninit(); rustix::cmsg_space!(ScmRights(MOST), ScmCredentials(1))];
    let mut control = RecvAncillaryBuffer::new(&mut space);
    let got = recvmsg(socket, &mut [IoSliceMut::new(block)], &mut control, RecvFlags::CMSG_CLOEXEC)?;
    let (mut fds, mut sender) = (Vec::new(), None);
    for message in control.drain() {
        match message {
            RecvAncillaryMessage::ScmRights(rights) => fds.extend(rights),
            RecvAncillaryMessage::ScmCredentials(credentials) => sender = Some(credentials.pid.as_raw_nonzero().get()),
            _ => {}
        }
    }
    Ok((got.bytes, fds, sender))
}
