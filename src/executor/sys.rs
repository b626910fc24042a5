//! The system calls that need `unsafe`, each behind a safe function. The only file of the crate that may use it.
//!
//! All of them are called from the helper process, which has one thread from its start to its end; that is what makes
//! `fork` without `exec` sound here.
#![expect(unsafe_code, reason = "fork, clone, signalfd, ptrace and kill(-1) have no safe wrapper")]

use std::io;
use std::os::fd::{FromRawFd, OwnedFd};

use rustix::process::Pid;

/// Which side of a fork this is.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum Forked {
    /// The new process.
    Child,
    /// The process that called, with the child's pid.
    Parent(i32),
}

fn forked(pid: i64) -> io::Result<Forked> {
    match pid {
        -1 => Err(io::Error::last_os_error()),
        0 => Ok(Forked::Child),
        pid => Ok(Forked::Parent(pid as i32)),
    }
}

/// The process group of a process (0: of this one), none where its leader is outside this PID namespace or there is no such process.
/// rustix takes the kernel's 0 for a number that cannot be.
pub fn group_of(pid: i32) -> Option<Pid> {
    // SAFETY: the call takes no memory and changes nothing.
    Some(unsafe { libc::getpgid(pid) }).filter(|group| *group > 0).and_then(Pid::from_raw)
}

/// The session of a process, as `group_of` gives its group.
pub fn session_of(pid: i32) -> Option<Pid> {
    // SAFETY: the call takes no memory and changes nothing.
    Some(unsafe { libc::getsid(pid) }).filter(|session| *session > 0).and_then(Pid::from_raw)
}

/// `fork`, from a process with a single thread.
pub fn fork() -> io::Result<Forked> {
    // SAFETY: the helper and its children have one thread, so no lock can be held by a thread that the child lacks.
    forked(i64::from(unsafe { libc::fork() }))
}

/// `fork` into new namespaces: the child is the first process of a PID namespace of its own and has its own view of the
/// mounts. With `user`, in a user namespace too, which needs no privilege. With `confined` without a network and with System V
/// IPC of its own.
pub fn fork_namespaced(user: bool, confined: bool) -> io::Result<Forked> {
    let mut flags = libc::CLONE_NEWPID | libc::CLONE_NEWNS | libc::SIGCHLD;
    if user {
        flags |= libc::CLONE_NEWUSER;
    }
    if confined {
        flags |= libc::CLONE_NEWNET | libc::CLONE_NEWIPC;
    }
    // SAFETY: without CLONE_VM and with a null stack, clone(2) is fork(2); the caller has a single thread. The argument
    // order (flags, stack, parent tid, child tid, tls) differs between architectures only in the arguments that are 0.
    forked(unsafe { libc::syscall(libc::SYS_clone, libc::c_long::from(flags), 0_usize, 0_usize, 0_usize, 0_usize) })
}

/// The version of Landlock's interface that the kernel has; none where it has none.
pub fn landlock_version() -> Option<i64> {
    const ASK_VERSION: libc::c_uint = 1;
    // SAFETY: with this flag the call takes no memory and changes nothing.
    let version = unsafe { libc::syscall(libc::SYS_landlock_create_ruleset, std::ptr::null::<libc::c_void>(), 0_usize, ASK_VERSION) };
    (version > 0).then_some(version)
}

/// Makes the mount at a path read-only or writable; with `below`, every mount below it too.
pub fn set_read_only(path: &std::path::Path, read_only: bool, below: bool) -> io::Result<()> {
    use std::os::unix::ffi::OsStrExt;
    let path = std::ffi::CString::new(path.as_os_str().as_bytes())?;
    let (set, clear) = if read_only { (libc::MOUNT_ATTR_RDONLY, 0) } else { (0, libc::MOUNT_ATTR_RDONLY) };
    let wanted = libc::mount_attr { attr_set: set, attr_clr: clear, propagation: 0, userns_fd: 0 };
    let flags = if below { libc::AT_RECURSIVE } else { 0 };
    // SAFETY: both pointers are to memory that outlives the call, and the size is that of the structure.
    let done = unsafe {
        libc::syscall(libc::SYS_mount_setattr, libc::AT_FDCWD, path.as_ptr(), flags, &raw const wanted, size_of::<libc::mount_attr>())
    };
    if done == 0 { Ok(()) } else { Err(io::Error::last_os_error()) }
}

/// Blocks the signals for this thread and gives a descriptor that becomes readable when one is pending.
pub fn signal_fd(signals: &[i32]) -> io::Result<OwnedFd> {
    // SAFETY: `set` is initialised by sigemptyset before it is used, and outlives the calls.
    unsafe {
        let mut set = std::mem::zeroed::<libc::sigset_t>();
        libc::sigemptyset(&raw mut set);
        for &signal in signals {
            libc::sigaddset(&raw mut set, signal);
        }
        if libc::sigprocmask(libc::SIG_BLOCK, &raw const set, std::ptr::null_mut()) != 0 {
            return Err(io::Error::last_os_error());
        }
        match libc::signalfd(-1, &raw const set, libc::SFD_CLOEXEC | libc::SFD_NONBLOCK) {
            -1 => Err(io::Error::last_os_error()),
            fd => Ok(OwnedFd::from_raw_fd(fd)),
        }
    }
}

/// Lets all signals through again: a mask is inherited over exec, and a program must not start with ours.
pub fn unblock_signals() {
    // SAFETY: `set` is initialised by sigemptyset before it is used.
    unsafe {
        let mut set = std::mem::zeroed::<libc::sigset_t>();
        libc::sigemptyset(&raw mut set);
        libc::sigprocmask(libc::SIG_SETMASK, &raw const set, std::ptr::null_mut());
    }
}

/// The number of the next pending signal of a [`signal_fd`], if there is one.
pub fn next_signal(fd: &OwnedFd) -> Option<i32> {
    take_signal(fd).map(|signal| signal.number)
}

/// A signal, and where it came from.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub struct Signalled {
    /// Its number.
    pub number: i32,
    /// Whether the kernel itself sent it, as a terminal does to all of its foreground.
    pub by_kernel: bool,
    /// The process that sent it, if one did.
    pub sender: i32,
}

/// The next pending signal of a [`signal_fd`] with where it came from, if there is one.
pub fn take_signal(fd: &OwnedFd) -> Option<Signalled> {
    let mut buffer = [0_u8; size_of::<libc::signalfd_siginfo>()];
    let n = rustix::io::read(fd, &mut buffer).ok()?;
    let number = |at: usize| i32::from_ne_bytes([buffer[at], buffer[at + 1], buffer[at + 2], buffer[at + 3]]);
    // The fields ssi_signo, ssi_code and ssi_pid of the structure.
    (n == buffer.len()).then(|| Signalled { number: number(0), by_kernel: number(8) == libc::SI_KERNEL, sender: number(12) })
}

/// What [`next_signal`] takes for a signal, for hosts that write to a pipe instead of having signals blocked.
pub fn signal_record(number: i32) -> [u8; size_of::<libc::signalfd_siginfo>()] {
    let mut record = [0; size_of::<libc::signalfd_siginfo>()];
    record[..4].copy_from_slice(&number.to_ne_bytes());
    record
}

/// Kills every process of this PID namespace but its first one. Refuses outside a namespace of its own, where it would
/// end every process of the user.
pub fn kill_namespace() {
    // SAFETY: getpid and kill have no memory effects. In the root namespace pid 1 is the system's init, which never is
    // this process; in any other, `kill(-1)` reaches this namespace and those below it only.
    unsafe {
        if libc::getpid() == 1 {
            libc::kill(-1, libc::SIGKILL);
        }
    }
}

/// A child that ended.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub struct Reaped {
    /// Which.
    pub pid: i32,
    /// How, as `waitpid` gives it.
    pub status: i32,
    /// The most memory that it, or one of the children it waited for, had resident, in bytes: the kernel's own account.
    pub peak: u64,
}

/// A child that has ended and was not reaped yet.
pub fn ended() -> Option<i32> {
    // SAFETY: a zeroed siginfo is a valid one and outlives the call, which sets its pid to 0 where no child has ended.
    let pid = unsafe {
        let mut info = std::mem::zeroed::<libc::siginfo_t>();
        match libc::waitid(libc::P_ALL, 0, &raw mut info, libc::WEXITED | libc::WNOHANG | libc::WNOWAIT) {
            0 => info.si_pid(),
            _ => 0,
        }
    };
    (pid > 0).then_some(pid)
}

/// Reaps one child that has ended. None when none has; an error when there is no child (ECHILD) or a signal came (EINTR).
pub fn reap(wait: bool) -> Result<Option<Reaped>, rustix::io::Errno> {
    wait_for(-1, wait)
}

/// Reaps this child, if it has ended.
pub fn reap_one(pid: i32) -> Option<Reaped> {
    wait_for(pid, false).ok().flatten()
}

fn wait_for(which: i32, wait: bool) -> Result<Option<Reaped>, rustix::io::Errno> {
    let mut status = 0;
    // SAFETY: both pointers are to memory that outlives the call; a zeroed rusage is a valid one.
    let (pid, usage) = unsafe {
        let mut usage = std::mem::zeroed::<libc::rusage>();
        let pid = libc::wait4(which, &raw mut status, if wait { 0 } else { libc::WNOHANG }, &raw mut usage);
        (pid, usage)
    };
    match pid {
        -1 => Err(rustix::io::Errno::from_io_error(&io::Error::last_os_error()).unwrap_or(rustix::io::Errno::CHILD)),
        0 => Ok(None),
        pid => Ok(Some(Reaped { pid, status, peak: (usage.ru_maxrss as u64) << 10 })),
    }
}

/// Whether there is a process of this number, if only one that was not reaped yet.
pub fn is_there(pid: i32) -> bool {
    // SAFETY: kill has no memory effects; this signal is none.
    let failed = unsafe { libc::kill(pid, 0) } != 0;
    !failed || io::Error::last_os_error().raw_os_error() != Some(libc::ESRCH)
}

/// Sends a signal to a process that the caller knows to be alive or unreaped (its own child).
pub fn kill(pid: i32, signal: i32) {
    // SAFETY: kill has no memory effects.
    unsafe {
        libc::kill(pid, signal);
    }
}

/// Sends a signal to one thread of a process that the caller knows to be alive or unreaped.
pub fn kill_thread(pid: i32, thread: i32, signal: i32) {
    // SAFETY: tgkill has no memory effects, and fails where the thread is not that process's.
    unsafe {
        libc::syscall(libc::SYS_tgkill, pid, thread, signal);
    }
}

/// Has this process scheduled before all others, where that is allowed: what is to end a bomb must not queue behind it.
pub fn go_first() {
    // SAFETY: the parameter outlives the call. Children get the ordinary schedule again.
    unsafe {
        let parameter = libc::sched_param { sched_priority: 1 };
        libc::sched_setscheduler(0, libc::SCHED_RR | libc::SCHED_RESET_ON_FORK, &raw const parameter);
    }
}

/// Takes that back.
pub fn go_last() {
    // SAFETY: the parameter outlives the call.
    unsafe {
        let parameter = libc::sched_param { sched_priority: 0 };
        libc::sched_setscheduler(0, libc::SCHED_OTHER, &raw const parameter);
    }
}

/// Marks every descriptor from `first` on as closed at exec.
pub fn close_on_exec_from(first: u32) {
    // SAFETY: close_range with CLOEXEC changes flags only. Older kernels refuse it, and then descriptors that the host
    // left inheritable stay so, as with any program it starts.
    unsafe {
        libc::syscall(libc::SYS_close_range, first, u32::MAX, libc::CLOSE_RANGE_CLOEXEC);
    }
}

/// Closes every descriptor from a number on. To be called at the start of a process, before it opened any.
pub fn close_from(first: u32) {
    // SAFETY: nothing in this process owns one yet. Where the kernel is too old for it they stay open, as in any program.
    unsafe {
        libc::syscall(libc::SYS_close_range, first, u32::MAX, 0);
    }
}

/// Takes over a descriptor that this process was started with, by its number.
pub fn adopt(number: i32) -> io::Result<OwnedFd> {
    // SAFETY: fcntl has no memory effects. The number comes from who started this process and opened it for this; nothing else here
    // owns it.
    unsafe {
        if number < 3 || libc::fcntl(number, libc::F_SETFD, libc::FD_CLOEXEC) == -1 {
            return Err(io::Error::last_os_error());
        }
        Ok(OwnedFd::from_raw_fd(number))
    }
}

/// Gives what is about to be executed a descriptor under a number of its own.
pub fn hand_down(fd: &OwnedFd, number: i32) -> io::Result<()> {
    use std::os::fd::AsRawFd;
    // SAFETY: both calls change the descriptor table only, of a process that executes another program next.
    let done = unsafe { if fd.as_raw_fd() == number { libc::fcntl(number, libc::F_SETFD, 0) } else { libc::dup2(fd.as_raw_fd(), number) } };
    if done == -1 { Err(io::Error::last_os_error()) } else { Ok(()) }
}

/// Ends this process by a signal, as another was ended by it. Returns where the signal does not end a process.
pub fn die_by(signal: i32) {
    // SAFETY: the signal's default action is restored and the mask emptied right before it is raised; no handler of ours runs.
    unsafe {
        libc::signal(signal, libc::SIG_DFL);
    }
    // A core of this process would tell nothing of the other.
    let _ = rustix::process::setrlimit(rustix::process::Resource::Core, rustix::process::Rlimit { current: Some(0), maximum: Some(0) });
    unblock_signals();
    kill(std::process::id() as i32, signal);
}

/// Closes descriptors that a fork copied, in a child that comes back to none of their owners.
pub fn close(fds: &[i32]) {
    for fd in fds {
        // SAFETY: the caller's process never returns to what owns them.
        unsafe { libc::close(*fd) };
    }
}

/// Ends the process at once, without running anything of the parent's that a fork copied.
pub fn exit_now(status: i32) -> ! {
    // SAFETY: _exit never returns and runs no handlers.
    unsafe { libc::_exit(status) }
}

/// Empties the signal mask of the main thread of a process, from outside: a program that blocks every signal still gets
/// the one that makes it write down where it is.
pub fn unblock_from_outside(pid: i32) -> bool {
    const SETSIGMASK: libc::c_uint = 0x420b;
    let none = std::ptr::null_mut::<libc::c_void>();
    let empty = 0_u64;
    // SAFETY: ptrace is called on a child of this process; `empty` is the kernel's 8-byte signal mask and outlives the
    // call. Whatever happens, the tracee is detached.
    unsafe {
        if libc::ptrace(libc::PTRACE_SEIZE, pid, none, none) != 0 {
            return false;
        }
        libc::ptrace(libc::PTRACE_INTERRUPT, pid, none, none);
        let mut status = 0;
        let mut stopped = false;
        for _ in 0..50 {
            if libc::waitpid(pid, &raw mut status, libc::WNOHANG | libc::__WALL) == pid {
                stopped = libc::WIFSTOPPED(status);
                break;
            }
            libc::usleep(200);
        }
        let done = stopped && libc::ptrace(SETSIGMASK as _, pid, 8_usize, &raw const empty) == 0;
        libc::ptrace(libc::PTRACE_DETACH, pid, none, none);
        done
    }
}
