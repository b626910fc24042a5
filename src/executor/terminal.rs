//! A terminal kept for a program whose output is looked at, so that the program still has one: what it writes goes on to the real
//! terminal, and what is typed there comes to it.

use std::io::{self, IsTerminal};
use std::os::fd::{AsFd, OwnedFd};

use rustix::fs::{Mode, OFlags};
use rustix::pty::{OpenptFlags, grantpt, openpt, ptsname, unlockpt};
use rustix::termios::{OptionalActions, Termios, tcgetattr, tcgetpgrp, tcgetwinsize, tcsetattr, tcsetpgrp, tcsetwinsize};

use super::sys;

/// A terminal of ours, and the real one it stands for.
#[derive(Debug)]
pub struct Terminal {
    /// Our side.
    pub ours: OwnedFd,
    /// The real terminal.
    pub real: OwnedFd,
    /// How the real one was found.
    found: Option<Termios>,
    /// Whether keys come through it, so that the real one must not make anything of them.
    keys: bool,
    raw: bool,
}

impl Terminal {
    /// Opens one like `real`; gives the program's side too. With `keys` it is to control the program.
    pub fn open(real: &impl AsFd, keys: bool) -> io::Result<(Terminal, OwnedFd)> {
        let ours = openpt(OpenptFlags::RDWR | OpenptFlags::NOCTTY | OpenptFlags::CLOEXEC)?;
        grantpt(&ours)?;
        unlockpt(&ours)?;
        let name = ptsname(&ours, Vec::new())?;
        let theirs = rustix::fs::open(name, OFlags::RDWR | OFlags::NOCTTY | OFlags::CLOEXEC, Mode::empty())?;
        let real = real.as_fd().try_clone_to_owned()?;
        let found = tcgetattr(&real).ok();
        if let Some(found) = &found {
            let mut state = found.clone();
            if !keys {
                // The real terminal does all there is to do to output.
                state.make_raw();
            }
            let _ = tcsetattr(&theirs, OptionalActions::Now, &state);
        }
        rustix::io::ioctl_fionbio(&ours, true)?;
        let terminal = Terminal { ours, real, found, keys, raw: false };
        terminal.resize();
        Ok((terminal, theirs))
    }

    /// As large as the real one.
    pub fn resize(&self) {
        if let Ok(size) = tcgetwinsize(&self.real) {
            let _ = tcsetwinsize(&self.ours, size);
        }
    }

    /// Whether keys are this process's to read now: not while it is in the background.
    pub fn is_ours(&self) -> bool {
        self.keys && tcgetpgrp(&self.real).is_ok_and(|group| group == rustix::process::getpgrp())
    }

    /// The real terminal passes keys on as they are.
    pub fn take(&mut self) {
        if self.is_ours()
            && let Some(found) = &self.found
        {
            let mut state = found.clone();
            state.make_raw();
            self.raw = tcsetattr(&self.real, OptionalActions::Now, &state).is_ok();
        }
    }

    /// The real terminal is as it was found.
    pub fn leave(&mut self) {
        if std::mem::take(&mut self.raw)
            && let Some(found) = &self.found
        {
            // What was written is shown first.
            let _ = tcsetattr(&self.real, OptionalActions::Drain, found);
        }
    }
}

impl Drop for Terminal {
    fn drop(&mut self) {
        self.leave();
    }
}

/// The terminal of standard input as it was found, while it was this process's to read.
#[derive(Debug)]
pub struct Found(Termios);

impl Found {
    /// None where standard input is no terminal, or another process group has it.
    pub fn look() -> Option<Found> {
        let stdin = io::stdin();
        let ours = tcgetpgrp(&stdin).is_ok_and(|group| group == rustix::process::getpgrp());
        tcgetattr(&stdin).ok().filter(|_| ours).map(Found)
    }

    /// Takes it back from a program that was killed, as it was.
    pub fn restore(&self) {
        // Whoever is in the background is stopped for this, unless it blocks the signal.
        let _blocked = sys::signal_fd(&[libc::SIGTTOU]);
        let stdin = io::stdin();
        let _ = tcsetpgrp(&stdin, rustix::process::getpgrp());
        let _ = tcsetattr(&stdin, OptionalActions::Drain, &self.0);
    }
}

/// Which of standard input, output and error are terminals.
pub fn terminals() -> [bool; 3] {
    [io::stdin().is_terminal(), io::stdout().is_terminal(), io::stderr().is_terminal()]
}
