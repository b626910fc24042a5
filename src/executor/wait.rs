//! Waiting for descriptors, for a while at most.

use std::os::fd::AsFd;
use std::time::Duration;

use rustix::event::{PollFd, PollFlags, Timespec, poll};

/// Waits until something is to be said of one of the descriptors. False when that is not in time.
pub fn wait_for(fds: &mut [PollFd<'_>], wait: Duration) -> bool {
    let timeout = Timespec { tv_sec: wait.as_secs() as i64, tv_nsec: i64::from(wait.subsec_nanos()) };
    matches!(poll(fds, Some(&timeout)), Ok(n) if n > 0)
}

/// Waits until a descriptor is readable. False when it is not in time.
pub fn wait_readable(fd: &impl AsFd, wait: Duration) -> bool {
    wait_for(&mut [PollFd::new(fd, PollFlags::IN)], wait)
}
