//! A terminal kept for a program whose output is looked at, so that the program still has one: what it writes goes on to the real
//! terminal, and what is typed there comes to it.

use std::io::{self, IsTerminal};
use std::os::fd::{AsFd, OwnedFd};

use rustix::fs::{Mode, OFlags};
use rustix::io::Errno;
use rustix::process::{Pid, test_kill_process_group};
use rustix::pty::{OpenptFlags, grantpt, openpt, ptsname, unlockpt};
use rustix::termios::{
    InputModes, LocalModes, OptionalActions, OutputModes, SpecialCodeIndex, Termios, tcgetattr, tcgetpgrp, tcgetwinsize, tcsetattr,
    tcsetpgrp, tcsetwinsize,
};

use super::sys;
use super::tree::View;

/// A terminal of ours, and the real one it stands for.
#[derive(Debug)]
pub struct Terminal {
    /// Our side.
    pub ours: OwnedFd,
    /// The real terminal.
    pub real: OwnedFd,
    /// How the real one was found, the last time that it was this process's.
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
        let mut found = tcgetattr(&real).ok();
        if keys
            && !is_foreground(&real)
            && let Some(found) = &mut found
        {
            // In the background it is as the shell's editor of lines has it, which is not for programs.
            found.input_modes.insert(InputModes::ICRNL);
            found.output_modes.insert(OutputModes::OPOST | OutputModes::ONLCR);
            found.local_modes.insert(LocalModes::ICANON | LocalModes::ECHO | LocalModes::ECHOE | LocalModes::ISIG | LocalModes::IEXTEN);
        }
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
        self.keys && is_foreground(&self.real)
    }

    /// Whether the terminal is still to be taken: nothing says when a shell brings this process to the foreground.
    pub fn is_away(&self) -> bool {
        self.keys && !(self.raw && self.is_ours())
    }

    /// The real terminal passes keys on as they are.
    pub fn take(&mut self) {
        if !self.is_ours() {
            return;
        }
        // What a shell has made of it meanwhile is how it is to be left again, unless that is what was made of it here.
        if let Ok(now) = tcgetattr(&self.real)
            && !is_raw(&now)
        {
            self.found = Some(now);
        }
        if let Some(found) = &self.found {
            let mut state = found.clone();
            state.make_raw();
            self.raw = tcsetattr(&self.real, OptionalActions::Now, &state).is_ok();
        }
    }

    /// The real terminal is as it was found. In the background it is the shell's, who has its own modes.
    pub fn leave(&mut self) {
        if std::mem::take(&mut self.raw)
            && self.is_ours()
            && let Some(found) = &self.found
        {
            // What was written is shown first.
            let _ = tcsetattr(&self.real, OptionalActions::Drain, found);
        }
    }

    /// The keys that are now a signal for the program's process group, and for those who share the real terminal with it. None where
    /// the program reads keys as they are, or has a process group of its own in the foreground, as a shell has.
    pub fn signal_keys(&self, program: i32) -> Vec<(u8, i32)> {
        let foreground = tcgetpgrp(&self.ours).is_ok_and(|group| group.as_raw_nonzero().get() == program);
        let Some(state) = tcgetattr(&self.ours).ok().filter(|state| foreground && state.local_modes.contains(LocalModes::ISIG)) else {
            return Vec::new();
        };
        let keys = [(SpecialCodeIndex::VINTR, libc::SIGINT), (SpecialCodeIndex::VQUIT, libc::SIGQUIT)];
        keys.into_iter().map(|(key, signal)| (state.special_codes[key], signal)).filter(|(key, _)| *key != 0).collect()
    }

    /// The key that stops.
    pub fn stop_key(&self) -> Option<u8> {
        Some(self.found.as_ref()?.special_codes[SpecialCodeIndex::VSUSP]).filter(|key| *key != 0)
    }
}

/// Whether this process's group has the terminal.
fn is_foreground(terminal: &impl AsFd) -> bool {
    tcgetpgrp(terminal).is_ok_and(|group| Some(group) == sys::group_of(0))
}

/// Whether a terminal passes keys on as they are.
pub fn is_raw(state: &Termios) -> bool {
    !state.local_modes.intersects(LocalModes::ICANON | LocalModes::ECHO | LocalModes::ISIG | LocalModes::IEXTEN)
}

/// Whether somebody in this session can go on with this process's group once it was stopped: without that the kernel lets no terminal
/// stop it.
pub fn has_shell() -> bool {
    let view = View::descendants(0);
    let (group, session) = (sys::group_of(0), sys::session_of(0));
    let mut pid = std::process::id() as i32;
    loop {
        let parent = view.status(pid, "PPid").and_then(|number| number.parse().ok()).filter(|parent| *parent > 0);
        let Some(parent) = parent else { return false };
        if session.is_none() || sys::session_of(parent) != session {
            return false;
        }
        if sys::group_of(parent) != group {
            return true;
        }
        pid = parent;
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
        let ours = is_foreground(&stdin);
        tcgetattr(&stdin).ok().filter(|_| ours).map(Found)
    }

    /// Takes it back from a program that was killed, as it was; not from a shell, who has taken it itself.
    pub fn restore(&self) {
        let Some(ours) = sys::group_of(0) else { return };
        let taken = |group: Pid| group != ours && test_kill_process_group(group) != Err(Errno::SRCH);
        if tcgetpgrp(io::stdin()).is_ok_and(taken) {
            return;
        }
        // Whoever is in the background is stopped for this, unless it blocks the signal.
        let _blocked = sys::signal_fd(&[libc::SIGTTOU]);
        let stdin = io::stdin();
        let _ = tcsetpgrp(&stdin, ours);
        let _ = tcsetattr(&stdin, OptionalActions::Drain, &self.0);
    }
}

/// Which of standard input, output and error are terminals.
pub fn terminals() -> [bool; 3] {
    [io::stdin().is_terminal(), io::stdout().is_terminal(), io::stderr().is_terminal()]
}
