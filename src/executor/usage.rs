//! What the processes of a run use together, looked at now and then.

use std::time::{Duration, Instant};

use super::confine::Confinement;
use super::tree::{Process, View};
use super::wire::Stop;
use crate::limits::Limits;

/// How long the processes of a tree are asked, one after the other, what they hold.
const LONGEST_LOOK: Duration = Duration::from_millis(200);

/// Looks at a tree of processes.
#[derive(Debug)]
pub struct Usage {
    /// Where the tree is read from.
    pub view: View,
    /// The folders of a confined program whose contents are in memory.
    in_memory: Vec<std::fs::File>,
    /// A process that waits beside the program and counts for its memory alone.
    pub spared: Option<i32>,
    /// How much of the most memory that any one process held resident were files.
    pub file_peak: u64,
    /// The most memory seen, in bytes.
    pub peak_memory: u64,
    /// The most processes and threads seen.
    pub peak_processes: u32,
}

impl Usage {
    /// Nothing seen yet.
    pub fn new(view: View) -> Self {
        Usage { view, in_memory: Vec::new(), spared: None, file_peak: 0, peak_memory: 0, peak_processes: 0 }
    }

    /// From now on counts the files that a confined program keeps in memory, seen from the root of the keeper.
    pub fn count_files(&mut self, keeper: i32) {
        let root = format!("/proc/{keeper}/root");
        self.in_memory = Confinement::in_memory().filter_map(|folder| std::fs::File::open(format!("{root}{folder}")).ok()).collect();
    }

    /// Memory and the number of processes and threads, and which of their limits that passes.
    pub fn look(&mut self, limits: &Limits) -> Option<Stop> {
        let list = self.view.list();
        let counted = list.iter().filter(|process| Some(process.pid) != self.spared);
        let count = counted.map(|process| process.threads).sum::<u32>();
        self.peak_processes = self.peak_processes.max(count);
        if count > limits.processes {
            // A bomb is not asked for its memory: a process that forks without a pause lets nobody look at that for seconds.
            return Some(Stop::Processes);
        }
        // Files in memory are nobody's resident pages unless they are mapped, and then they must not count twice.
        let used = |folder: &std::fs::File| rustix::fs::fstatvfs(folder).map_or(0, |s| (s.f_blocks - s.f_bfree) * s.f_frsize);
        let files = self.in_memory.iter().map(used).sum::<u64>();
        let mut memory = list.iter().map(|process| process.resident).sum::<u64>() + files;
        // What is resident may be copies of files, which take memory from nobody; and a forked family shares most of its pages,
        // which the sum counts many times over.
        if memory > limits.memory || list.len() == 1 && memory > limits.memory / 2 {
            memory = self.held(&list, files);
            if memory > limits.memory && list.len() > 1 {
                // Pages change hands while one process after the other is asked, when some of a family end: they are asked twice.
                memory = memory.min(self.held(&self.view.list(), files));
            }
        }
        self.peak_memory = self.peak_memory.max(memory);
        if memory > limits.memory { Some(Stop::Memory) } else { None }
    }

    /// What these processes hold of memory together, files in memory included.
    fn held(&mut self, list: &[Process], files: u64) -> u64 {
        let several = list.len() > 1;
        let begin = Instant::now();
        // Processes that fork without a pause cannot be asked for long: what was heard by then is held at least.
        let heard = list.iter().take_while(|_| begin.elapsed() < LONGEST_LOOK).map(|process| self.view.held(process.pid, several));
        let (private, shared) = heard.fold((0, 0), |sum, one| (sum.0 + one.0, sum.1 + one.1));
        if let [one] = list {
            self.file_peak = self.file_peak.max(one.resident.saturating_sub(private + shared));
        }
        // A child that was forked since the list was made takes its part of every page, and nobody counts it; but what the largest
        // of them has is held whoever shares it.
        let largest = list.iter().filter(|_| several).max_by_key(|process| process.resident);
        let largest = largest.map(|process| self.view.held(process.pid, false)).map_or(0, |(private, shared)| private + shared);
        largest.max(private + shared.max(files))
    }
}
