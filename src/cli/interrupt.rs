//! Ctrl-C while files are checked: what was found so far is still reported. A second one ends at once.

use std::sync::Arc;
use std::sync::atomic::{AtomicI32, Ordering};

/// Whether a signal came.
#[derive(Debug, Clone, Default)]
pub struct Interrupt(Arc<AtomicI32>);

impl Interrupt {
    /// Whether a signal came.
    pub fn came(&self) -> bool {
        self.0.load(Ordering::Relaxed) != 0
    }

    /// The signal that came, as an exit status.
    pub fn status(&self) -> Option<u8> {
        match self.0.load(Ordering::Relaxed) {
            0 => None,
            signal => u8::try_from(128 + signal).ok(),
        }
    }

    /// Listens from here on. Where that is not possible a signal ends the process as it always does.
    #[cfg(target_os = "linux")]
    pub fn listen(&self) {
        use rustix::event::{PollFd, PollFlags, poll};
        // Blocked in this thread and in all that it starts.
        let Ok(signals) = crate::executor::signal_fd(&[libc::SIGINT]) else { return };
        let came = Arc::clone(&self.0);
        let watch = move || {
            loop {
                let mut fds = [PollFd::new(&signals, PollFlags::IN)];
                if poll(&mut fds, None).is_err() {
                    continue;
                }
                let Some(signal) = crate::executor::next_signal(&signals) else { continue };
                if came.swap(signal, Ordering::Relaxed) != 0 {
                    std::process::exit(128 + signal);
                }
            }
        };
        let _ = std::thread::Builder::new().name("signals".into()).spawn(watch);
    }

    /// Signals end the process as they always do.
    #[cfg(not(target_os = "linux"))]
    pub fn listen(&self) {}
}
