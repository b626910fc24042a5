//! What this system offers the executor, for bug reports: nothing that names a user, a host or a path of theirs.

use std::fs;

use rustix::process::{Resource, getrlimit};
use serde_json::{Map, Value, json};

/// Files that say how the kernel is set, each with one short value.
const SETTINGS: [&str; 9] = [
    "/proc/sys/kernel/osrelease",
    "/proc/sys/kernel/pid_max",
    "/proc/sys/kernel/yama/ptrace_scope",
    "/proc/sys/kernel/unprivileged_userns_clone",
    "/proc/sys/kernel/apparmor_restrict_unprivileged_userns",
    "/proc/sys/kernel/seccomp/actions_avail",
    "/proc/sys/user/max_user_namespaces",
    "/proc/sys/user/max_pid_namespaces",
    "/proc/sys/vm/overcommit_memory",
];

/// The kernel's version, settings and limits.
pub fn features() -> Value {
    let settings = SETTINGS.iter().map(|path| {
        let value = fs::read_to_string(path).map_or(Value::Null, |text| text.trim().into());
        ((*path).to_owned(), value)
    });
    let limit = |resource| getrlimit(resource).current;
    let memory = fs::read_to_string("/proc/meminfo").unwrap_or_default();
    let kib = |key: &str| memory.lines().find_map(|line| line.strip_prefix(key)?.split_whitespace().next()?.parse::<u64>().ok());
    let cgroups = fs::read_to_string("/proc/self/cgroup").unwrap_or_default();
    // Their paths are named after users and containers.
    let controllers = cgroups.lines().filter_map(|line| line.split(':').nth(1)).map(|name| if name.is_empty() { "v2" } else { name });
    json!({
        "settings": settings.collect::<Map<_, _>>(),
        "root": rustix::process::geteuid().is_root(),
        "cpus": std::thread::available_parallelism().map(usize::from).ok(),
        "memory_kib": kib("MemTotal:"),
        "swap_kib": kib("SwapTotal:"),
        "cgroups": controllers.collect::<Vec<_>>(),
        "landlock": super::sys::landlock_version(),
        "limits": {"files": limit(Resource::Nofile), "processes": limit(Resource::Nproc), "data": limit(Resource::Data)},
    })
}
