//! `--confine`: what a program may touch beside its own memory. Two steps, neither of which can be taken back from inside:
//!
//! 1. [`hide`], in the keeper, before the program's process exists: in a mount namespace of its own everything becomes read-only but
//!    the work folder; `/tmp` and `/dev/shm` are new and empty, and `/run`, where services have their sockets, is empty.
//! 2. [`restrict`], in the program's process, before it becomes the interpreter: no capability, no new privileges, Landlock for
//!    writing, seccomp against sockets, tracing, mounting and namespaces.
//!
//! The network and System V IPC are namespaces of their own, made with the PID namespace. What the kernel does not give is an
//! error: there is no weaker mode.

use std::collections::BTreeMap;
use std::os::fd::{AsRawFd, OwnedFd};
use std::path::{Path, PathBuf};

use landlock::{
    ABI, Access, AccessFs, AccessNet, CompatLevel, Compatible, PathBeneath, PathFd, Ruleset, RulesetAttr, RulesetCreatedAttr,
    RulesetStatus, Scope,
};
use rustix::fs::{Mode, OFlags, StatVfsMountFlags, open, statvfs};
use rustix::mount::{MountFlags, mount, mount_bind_recursive};
use rustix::thread::{CapabilitySet, CapabilitySets};
use seccompiler::{SeccompAction, SeccompCmpArgLen, SeccompCmpOp, SeccompCondition, SeccompFilter, SeccompRule, TargetArch};
use serde::{Deserialize, Serialize};

use super::Unusable;

/// Folders that the program finds empty, and whether it may write there.
const HIDDEN: [(&str, bool); 3] = [("/tmp", true), ("/dev/shm", true), ("/run", false)];

/// Devices that programs write to without harm.
const DEVICES: [&str; 8] = ["/dev/null", "/dev/zero", "/dev/full", "/dev/random", "/dev/urandom", "/dev/tty", "/dev/ptmx", "/dev/pts"];

/// Variables that a program keeps; every `LC_*` beside.
const ENVIRONMENT: [&str; 17] = [
    "PATH",
    "HOME",
    "USER",
    "LOGNAME",
    "LANG",
    "LANGUAGE",
    "TZ",
    "TERM",
    "NO_COLOR",
    "VIRTUAL_ENV",
    "LD_LIBRARY_PATH",
    "PYTHONPATH",
    "PYTHONHOME",
    "PYTHONUTF8",
    "PYTHONIOENCODING",
    "PYTHONHASHSEED",
    "PYTHONDONTWRITEBYTECODE",
];

/// Where a confined program may be and write.
#[derive(Debug, Clone, Serialize, Deserialize)]
pub struct Confinement {
    /// The work folder: the one place on disk that it may write to.
    pub work: PathBuf,
    /// Folders it must be able to read wherever they are: the interpreter's, the program's own.
    pub visible: Vec<PathBuf>,
}

impl Confinement {
    /// For a program in `work`, in a file of `folder` if in any, under this interpreter.
    pub fn new(work: &Path, folder: Option<&Path>, python: &Path) -> Result<Self, Unusable> {
        let unusable = |path: &Path, error| Unusable(format!("--confine: {}: {error}", path.display()));
        let work = work.canonicalize().map_err(|error| unusable(work, error))?;
        if let Some((hidden, _)) = HIDDEN.iter().find(|(hidden, _)| Path::new(hidden).starts_with(&work)) {
            return Err(Unusable(format!(
                "--confine: the working folder {} holds {hidden}, which is to be the program's own and empty; name another with --cwd",
                work.display()
            )));
        }
        let mut visible = Vec::new();
        let real = python.canonicalize().map_err(|error| unusable(python, error))?;
        // `<prefix>/bin/python`: the libraries are below the prefix.
        visible.extend([python, &real].into_iter().filter_map(|path| path.parent()?.parent()).map(Path::to_path_buf));
        visible.extend(folder.map(Path::to_path_buf));
        Ok(Confinement { work, visible })
    }

    /// The folders whose contents are in memory.
    pub fn in_memory() -> impl Iterator<Item = &'static str> {
        HIDDEN.iter().filter(|(_, writable)| *writable).map(|(folder, _)| *folder)
    }
}

/// Whether the program keeps a variable of the host's environment.
pub fn keeps(name: &str) -> bool {
    name.starts_with("LC_") || ENVIRONMENT.contains(&name)
}

fn hidden(path: &Path) -> bool {
    HIDDEN.iter().any(|(folder, _)| path.starts_with(folder))
}

/// Arranges the mounts of this namespace. `/proc` must be the namespace's own.
pub fn hide(confinement: &Confinement, memory: u64) -> Result<(), String> {
    let failed = |what: &str, path: &Path, error: &dyn std::fmt::Display| format!("{what} {}: {error}", path.display());
    let work = confinement.work.as_path();
    let read_only = statvfs(work).map_err(|e| failed("looking at", work, &e))?.f_flag.contains(StatVfsMountFlags::RDONLY);
    let mut kept: Vec<(&Path, OwnedFd)> = Vec::new();
    for path in confinement.visible.iter().map(PathBuf::as_path).chain([work]).filter(|path| hidden(path)) {
        let fd = open(path, OFlags::PATH | OFlags::DIRECTORY | OFlags::CLOEXEC, Mode::empty()).map_err(|e| failed("opening", path, &e))?;
        kept.push((path, fd));
    }
    // What lies in another comes after it.
    kept.sort_by_key(|(path, _)| path.components().count());
    for (folder, writable) in HIDDEN.iter().filter(|(folder, _)| Path::new(folder).is_dir()) {
        let options = if *writable { format!("mode=1777,size={memory},nr_inodes=65536") } else { "mode=755,size=1m,nr_inodes=1024".into() };
        let options = std::ffi::CString::new(options).map_err(|e| e.to_string())?;
        let flags = MountFlags::NOSUID | MountFlags::NODEV;
        mount("tmpfs", *folder, "tmpfs", flags, options.as_c_str()).map_err(|e| failed("an empty", Path::new(folder), &e))?;
    }
    for (path, fd) in kept {
        std::fs::create_dir_all(path).map_err(|e| failed("a place for", path, &e))?;
        mount_bind_recursive(format!("/proc/self/fd/{}", fd.as_raw_fd()), path).map_err(|e| failed("keeping", path, &e))?;
    }
    mount_bind_recursive(work, work).map_err(|e| failed("a mount of", work, &e))?;
    super::sys::set_read_only(Path::new("/"), true, true).map_err(|e| failed("read-only", Path::new("/"), &e))?;
    let mut writable: Vec<&Path> = if read_only { Vec::new() } else { vec![work] };
    for folder in Confinement::in_memory().chain(["/proc"]).filter(|folder| Path::new(folder).is_dir()) {
        writable.push(Path::new(folder));
    }
    for path in writable {
        super::sys::set_read_only(path, false, false).map_err(|e| failed("writing to", path, &e))?;
    }
    Ok(())
}

/// Takes from this process, and all it will start, everything it does not need.
pub fn restrict(confinement: &Confinement) -> Result<(), String> {
    drop_capabilities().map_err(|error| format!("dropping capabilities: {error}"))?;
    landlock(confinement).map_err(|error| format!("Landlock: {error}"))?;
    seccomp().map_err(|error| format!("seccomp: {error}"))
}

fn drop_capabilities() -> rustix::io::Result<()> {
    rustix::thread::clear_ambient_capability_set()?;
    for capability in CapabilitySet::all().iter() {
        match rustix::thread::remove_capability_from_bounding_set(capability) {
            // The kernel does not know this one.
            Ok(()) | Err(rustix::io::Errno::INVAL) => {}
            Err(error) => return Err(error),
        }
    }
    let none = CapabilitySet::empty();
    rustix::thread::set_capabilities(None, CapabilitySets { effective: none, permitted: none, inheritable: none })
}

/// Writing in the work folder and in memory only. Without Landlock's rights up to the third version (truncating) it is an error; the later
/// ones (TCP, signals, abstract sockets) are a second hold on what namespaces hold already.
fn landlock(confinement: &Confinement) -> Result<(), Box<dyn std::error::Error>> {
    let mut rules = Ruleset::default()
        .set_compatibility(CompatLevel::HardRequirement)
        .handle_access(AccessFs::from_write(ABI::V3))?
        .set_compatibility(CompatLevel::BestEffort)
        .handle_access(AccessFs::IoctlDev)?
        .handle_access(AccessNet::from_all(ABI::V4))?
        .scope(Scope::from_all(ABI::V6))?
        .create()?;
    let all = AccessFs::from_write(ABI::V3) | AccessFs::IoctlDev;
    let mut writable = vec![confinement.work.as_path()];
    for folder in Confinement::in_memory().filter(|folder| Path::new(folder).is_dir()) {
        writable.push(Path::new(folder));
    }
    for path in writable {
        rules = rules.add_rule(PathBeneath::new(PathFd::new(path)?, all))?;
    }
    let device = AccessFs::WriteFile | AccessFs::Truncate | AccessFs::IoctlDev;
    for path in DEVICES.iter().filter(|path| Path::new(path).exists()) {
        rules = rules.add_rule(PathBeneath::new(PathFd::new(path)?, device))?;
    }
    let status = rules.restrict_self()?;
    if status.ruleset == RulesetStatus::NotEnforced || !status.no_new_privs {
        return Err("this kernel does not enforce it".into());
    }
    Ok(())
}

fn seccomp() -> Result<(), Box<dyn std::error::Error>> {
    let arch: TargetArch = std::env::consts::ARCH.try_into()?;
    let refused = [
        libc::SYS_ptrace,
        libc::SYS_process_vm_readv,
        libc::SYS_process_vm_writev,
        libc::SYS_kcmp,
        libc::SYS_pidfd_getfd,
        libc::SYS_unshare,
        libc::SYS_setns,
        libc::SYS_mount,
        libc::SYS_umount2,
        libc::SYS_pivot_root,
        libc::SYS_chroot,
        libc::SYS_move_mount,
        libc::SYS_open_tree,
        libc::SYS_fsopen,
        libc::SYS_fsmount,
        libc::SYS_fsconfig,
        libc::SYS_fspick,
        libc::SYS_mount_setattr,
        libc::SYS_keyctl,
        libc::SYS_add_key,
        libc::SYS_request_key,
        libc::SYS_bpf,
        libc::SYS_perf_event_open,
        libc::SYS_userfaultfd,
        libc::SYS_io_uring_setup,
        libc::SYS_io_uring_enter,
        libc::SYS_io_uring_register,
    ];
    let mut rules: BTreeMap<i64, Vec<SeccompRule>> = refused.into_iter().map(|call| (call, Vec::new())).collect();
    let flags = [
        libc::CLONE_NEWUSER,
        libc::CLONE_NEWNS,
        libc::CLONE_NEWPID,
        libc::CLONE_NEWNET,
        libc::CLONE_NEWIPC,
        libc::CLONE_NEWUTS,
        libc::CLONE_NEWCGROUP,
    ];
    let mut namespaces = Vec::new();
    for flag in flags {
        let flag = u64::from(flag as u32);
        namespaces.push(SeccompRule::new(vec![SeccompCondition::new(0, SeccompCmpArgLen::Qword, SeccompCmpOp::MaskedEq(flag), flag)?])?);
    }
    rules.insert(libc::SYS_clone, namespaces);
    let not_unix = SeccompCondition::new(0, SeccompCmpArgLen::Dword, SeccompCmpOp::Ne, libc::AF_UNIX as u64)?;
    let sockets = BTreeMap::from([(libc::SYS_socket, vec![SeccompRule::new(vec![not_unix])?])]);
    // Its flags are in memory, which a filter cannot read; without it the C library uses `clone`.
    let clone3 = BTreeMap::from([(libc::SYS_clone3, Vec::new())]);
    for (rules, error) in [(rules, libc::EPERM), (sockets, libc::EACCES), (clone3, libc::ENOSYS)] {
        let filter = SeccompFilter::new(second_numbers(rules), SeccompAction::Allow, SeccompAction::Errno(error as u32), arch)?;
        let program: seccompiler::BpfProgram = filter.try_into()?;
        seccompiler::apply_filter(&program)?;
    }
    Ok(())
}

/// On x86-64 every call has a second number, of the x32 interface, under the same architecture; and a few have a third.
#[cfg(target_arch = "x86_64")]
fn second_numbers(rules: BTreeMap<i64, Vec<SeccompRule>>) -> BTreeMap<i64, Vec<SeccompRule>> {
    const X32: i64 = 0x4000_0000;
    const PTRACE: i64 = 521;
    const READ: i64 = 539;
    const WRITE: i64 = 540;
    let mut all = rules.clone();
    for (call, rule) in rules {
        all.insert(call | X32, rule.clone());
        match call {
            libc::SYS_ptrace => drop(all.insert(PTRACE | X32, rule)),
            libc::SYS_process_vm_readv => drop(all.insert(READ | X32, rule)),
            libc::SYS_process_vm_writev => drop(all.insert(WRITE | X32, rule)),
            _ => {}
        }
    }
    all
}

#[cfg(not(target_arch = "x86_64"))]
fn second_numbers(rules: BTreeMap<i64, Vec<SeccompRule>>) -> BTreeMap<i64, Vec<SeccompRule>> {
    rules
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_work_folder_that_holds_tmp_is_refused() {
        let error = Confinement::new(Path::new("/"), None, Path::new("/bin/sh")).expect_err("/ holds /tmp");
        assert!(error.0.contains("/tmp") && error.0.contains("--cwd"), "{}", error.0);
    }

    #[test]
    fn secrets_are_not_kept() {
        assert!(keeps("PATH") && keeps("LC_ALL"));
        assert!(!keeps("AWS_SECRET_ACCESS_KEY") && !keeps("SSH_AUTH_SOCK") && !keeps("PYTHONSTARTUP"));
    }
}
