//! A pids cgroup around a run: the hard cap on processes where neither a namespace nor a user's limit gives one.

use std::fs;
use std::path::PathBuf;

/// A cgroup made for one run.
#[derive(Debug)]
pub struct Cgroup {
    folder: PathBuf,
    parent: PathBuf,
}

impl Cgroup {
    /// The cgroup of the run with this name, whether it exists or not. None where there is no pids controller.
    pub fn of(name: &str) -> Option<Self> {
        let parent = parent()?;
        Some(Cgroup { folder: parent.join(format!("antifreeze-{name}")), parent })
    }

    /// Makes it, caps it, and moves this process in. Known to work by doing it; false, with nothing left, where not.
    pub fn enter(&self, processes: u32) -> bool {
        if fs::create_dir(&self.folder).is_err() {
            return false;
        }
        let entered = fs::write(self.folder.join("pids.max"), processes.to_string()).is_ok()
            && fs::write(self.folder.join("cgroup.procs"), "0").is_ok();
        if !entered {
            let _ = fs::remove_dir(&self.folder);
        }
        entered
    }

    /// Moves another process in.
    pub fn add(&self, pid: i32) -> bool {
        fs::write(self.folder.join("cgroup.procs"), pid.to_string()).is_ok()
    }

    /// Moves this process out again and removes it.
    pub fn leave(&self) {
        let _ = fs::write(self.parent.join("cgroup.procs"), "0");
        self.remove();
    }

    /// Removes it; all its processes have ended.
    pub fn remove(&self) {
        // The kernel may take a moment to forget the last of many.
        for _ in 0..50 {
            match fs::remove_dir(&self.folder) {
                Err(error) if error.kind() == std::io::ErrorKind::ResourceBusy => std::thread::sleep(std::time::Duration::from_millis(1)),
                _ => return,
            }
        }
    }
}

/// Where this process's cgroup is: version 1's own hierarchy for pids, else version 2's.
fn parent() -> Option<PathBuf> {
    let text = fs::read_to_string("/proc/self/cgroup").ok()?;
    [("/sys/fs/cgroup/pids", "pids"), ("/sys/fs/cgroup", "")].into_iter().find_map(|(mount, controller)| {
        let path = text.lines().find_map(|line| {
            let mut parts = line.splitn(3, ':').skip(1);
            let controllers = parts.next()?;
            let path = parts.next()?;
            controllers.split(',').any(|name| name == controller).then_some(path)
        })?;
        let folder = PathBuf::from(format!("{mount}{path}"));
        folder.join("cgroup.procs").exists().then_some(folder)
    })
}
