//! Reads what CPython's `faulthandler` writes about the threads of a frozen process. The text comes from the program's
//! own process, so nothing about it is taken for granted.

use crate::outcome::{Frame, ThreadInfo};

/// The file name of the worker's own code.
pub const WORKER_FILE: &str = "<antifreeze>";

/// The most frames kept of a thread, and threads of a dump.
const MOST: usize = 100;

/// The threads of a dump; the one that wrote it first, each with its outermost frame first.
pub fn parse_asked(text: &str, pid: u32) -> Vec<ThreadInfo> {
    let mut threads = read(text, pid);
    for (thread, _) in &mut threads {
        thread.frames.truncate(MOST);
        thread.frames.reverse();
    }
    if let Some(at) = threads.iter().position(|(_, current)| *current).or(threads.len().checked_sub(1)) {
        let current = threads.remove(at);
        threads.insert(0, current);
    }
    threads.into_iter().map(|(thread, _)| thread).collect()
}

/// The threads of a dump as they come, and whether each is the one that wrote it. The innermost frame of each is first.
fn read(text: &str, pid: u32) -> Vec<(ThreadInfo, bool)> {
    let mut threads: Vec<(ThreadInfo, bool)> = Vec::new();
    for line in text.lines() {
        if let Some(frame) = parse_frame(line) {
            if let Some((thread, _)) = threads.last_mut()
                && thread.frames.len() < MOST + 10
            {
                thread.frames.push(frame);
            }
        } else if let Some(name) = parse_header(line)
            && threads.len() < MOST
        {
            threads.push((ThreadInfo { pid, thread: Some(name), command: None, frames: Vec::new() }, line.starts_with("Current ")));
        }
    }
    threads
}

/// The threads of a dump; the main thread first, each with its outermost frame first. The worker's own frames are left out.
pub fn parse(text: &str, pid: u32) -> Vec<ThreadInfo> {
    let mut threads = read(text, pid);
    for (thread, main) in &mut threads {
        *main = false;
        // Most recent first so far. A guard's own frames are on top, the worker's below the program's.
        let top = thread.frames.iter().take_while(|frame| frame.file == WORKER_FILE).count();
        thread.frames.drain(..top);
        if let Some(at) = thread.frames.iter().position(|frame| frame.file == WORKER_FILE) {
            thread.frames.truncate(at);
            *main = true;
        } else if thread.frames.is_empty() {
            *main = true;
        }
        thread.frames.truncate(MOST);
        thread.frames.reverse();
    }
    // Without a mark (the exit phase runs below no code of ours) the last one is the main thread: it is the oldest.
    if let Some(at) = threads.iter().rposition(|(_, main)| *main).or(threads.len().checked_sub(1)) {
        let main = threads.remove(at);
        threads.insert(0, main);
    }
    threads.into_iter().map(|(thread, _)| thread).collect()
}

/// `Thread 0x00007f12 (most recent call first):`, `Current thread 0x… [name] (most recent call first):`
fn parse_header(line: &str) -> Option<String> {
    let rest = line.strip_prefix("Current thread ").or_else(|| line.strip_prefix("Thread "))?;
    rest.contains("most recent call first").then(|| rest.split_whitespace().next().unwrap_or("").chars().take(40).collect())
}

/// `  File "x.py", line 3 in f`
fn parse_frame(line: &str) -> Option<Frame> {
    let rest = line.strip_prefix("  File ")?;
    let at = rest.rfind(", line ")?;
    let file = rest[..at].trim_matches('"').to_owned();
    let (number, function) = rest[at + ", line ".len()..].split_once(" in ")?;
    Some(Frame { file, line: number.trim().parse().ok()?, function: function.trim().to_owned(), source: None })
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn main_thread_comes_first_without_the_workers_frames() {
        let text = "Thread 0x01 (most recent call first):\n  File \"/t.py\", line 4 in wait\n  File \"/t.py\", line 9 in run\n\n\
                    Current thread 0x02 (most recent call first):\n  File \"<antifreeze>\", line 7 in check\n  File \"x.py\", line 3 in f\n  \
                    File \"x.py\", line 5 in <module>\n  File \"<antifreeze>\", line 30 in main\n  File \"<string>\", line 1 in <module>\n";
        let threads = parse(text, 7);
        let shape = threads.iter().map(|t| t.frames.iter().map(|f| f.line).collect::<Vec<_>>()).collect::<Vec<_>>();
        assert_eq!(shape, [vec![5, 3], vec![9, 4]]);
        assert_eq!(threads[0].thread.as_deref(), Some("0x02"));
        assert_eq!(threads[0].frames[1].function, "f");
    }

    #[test]
    fn the_thread_that_was_asked_comes_first_where_that_counts() {
        let text = "Thread 0x01 (most recent call first):\n  File \"/t.py\", line 4 in wait\n\nCurrent thread 0x02 (most recent call first):\n  \
                    File \"x.py\", line 3 in f\n  File \"x.py\", line 5 in <module>\n\nThread 0x03 (most recent call first):\n  File \"x.py\", line 9 in g\n";
        let threads = parse_asked(text, 7);
        let shape = threads.iter().map(|t| t.frames.iter().map(|f| f.line).collect::<Vec<_>>()).collect::<Vec<_>>();
        assert_eq!(shape, [vec![5, 3], vec![4], vec![9]]);
    }

    #[test]
    fn forged_and_cut_lines_are_harmless() {
        assert!(parse("  File \"x\", line 99999999999999 in f\n  File x\nThread\n, line 3 in \n", 1).is_empty());
        assert_eq!(parse("Current thread 0x1 (most recent call first):\n  File \"a\", line ", 1)[0].frames, []);
    }
}
