//! Threads with a stack that no source can exhaust: the parser, the evaluator and the end of a deep tree all recurse.

use std::any::Any;
use std::cell::Cell;
use std::panic::{AssertUnwindSafe, catch_unwind};
use std::sync::atomic::{AtomicBool, Ordering};
use std::sync::{Mutex, MutexGuard, PoisonError, TryLockError};
use std::thread::Builder;

use rayon::{ThreadPool, ThreadPoolBuildError, ThreadPoolBuilder};

/// Reserved for such a stack; only what is used of it is ever backed by memory.
pub const LARGE: usize = 256 << 20;

/// The stack of a thread that only waits for one with a larger stack.
pub const SMALL: usize = 16 << 20;

/// So many threads wait for work at most. What they used of their stacks stays with them.
const IDLE: usize = 4;

thread_local! {
    /// How large this thread's stack is at least, as far as is known.
    static HERE: Cell<usize> = const { Cell::new(0) };
}

/// To be called at the start of a thread that was given a stack of this size: work is then done on it, without another thread.
pub fn is_here(size: usize) {
    HERE.set(size);
}

/// Why work was not done.
#[derive(Debug)]
pub enum Failure {
    /// No thread is to be had.
    NoThread,
    /// It panicked.
    Panic(Box<dyn Any + Send>),
}

impl std::fmt::Display for Failure {
    fn fmt(&self, f: &mut std::fmt::Formatter<'_>) -> std::fmt::Result {
        match self {
            Failure::NoThread => f.write_str("there is not enough memory for a stack"),
            Failure::Panic(panic) => f.write_str(panic_message(panic.as_ref())),
        }
    }
}

/// What a panic said.
pub fn panic_message(panic: &(dyn Any + Send)) -> &str {
    panic.downcast_ref::<&str>().copied().or_else(|| panic.downcast_ref::<String>().map(String::as_str)).unwrap_or("unknown panic")
}

/// What a mutex holds. It is good still where a thread panicked that had it.
pub fn lock<T>(mutex: &Mutex<T>) -> MutexGuard<'_, T> {
    mutex.lock().unwrap_or_else(PoisonError::into_inner)
}

/// How many threads run at once here.
pub fn processors() -> usize {
    std::thread::available_parallelism().map_or(1, usize::from)
}

/// Threads for many analyses. Where they cannot have a large stack, each analysis finds itself one as far as there is one.
pub fn pool(threads: usize) -> Result<ThreadPool, ThreadPoolBuildError> {
    threads_of(threads, LARGE).or_else(|_| threads_of(threads, SMALL))
}

fn threads_of(number: usize, size: usize) -> Result<ThreadPool, ThreadPoolBuildError> {
    ThreadPoolBuilder::new().num_threads(number).stack_size(size).start_handler(move |_| is_here(size)).build()
}

/// Whether threads are kept for the next work.
static KEEPS: AtomicBool = AtomicBool::new(false);

/// Threads with a large stack that wait for work, and the process they are of: one that was forked has none of them.
static KEPT: Mutex<Vec<(u32, ThreadPool)>> = Mutex::new(Vec::new());

/// For a process that analyses one small source after another, in which starting a thread for each takes longer than the work.
pub fn keep_threads() {
    KEEPS.store(true, Ordering::Relaxed);
}

/// A thread with a large stack, kept once its work is done.
struct Kept(Option<ThreadPool>);

impl Kept {
    /// None where none are kept, or none can be had.
    fn take() -> Option<Kept> {
        if !KEEPS.load(Ordering::Relaxed) {
            return None;
        }
        let here = std::process::id();
        // Whoever has it locked may have been left behind by a fork.
        let mut kept = match KEPT.try_lock() {
            Ok(kept) => Some(kept),
            Err(TryLockError::Poisoned(kept)) => Some(kept.into_inner()),
            Err(TryLockError::WouldBlock) => None,
        };
        while let Some((process, pool)) = kept.as_mut().and_then(|kept| kept.pop()) {
            if process == here {
                return Some(Kept(Some(pool)));
            }
            // To end what is not there could wait for it.
            std::mem::forget(pool);
        }
        drop(kept);
        Some(Kept(Some(threads_of(1, LARGE).ok()?)))
    }

    /// Does work on it.
    fn run<T: Send>(&self, work: impl FnOnce() -> T + Send) -> Option<std::thread::Result<T>> {
        Some(self.0.as_ref()?.install(|| catch_unwind(AssertUnwindSafe(work))))
    }
}

impl Drop for Kept {
    fn drop(&mut self) {
        let Some(pool) = self.0.take() else { return };
        if let Ok(mut kept) = KEPT.try_lock()
            && kept.len() < IDLE
        {
            kept.push((std::process::id(), pool));
        }
    }
}

/// Does work on a stack of one of these sizes, the first that can be had; on this thread's own, if it is as large as the first.
pub fn on_large<T: Send>(name: &str, sizes: &[usize], work: impl FnOnce() -> T + Send) -> Result<T, Failure> {
    let Some(wanted) = sizes.first() else { return Err(Failure::NoThread) };
    if HERE.get() >= *wanted {
        return catch_unwind(AssertUnwindSafe(work)).map_err(Failure::Panic);
    }
    let mut work = Some(work);
    let once = || work.take().map(|work| work());
    // A thread of a pool would take other work of its pool while it waits.
    let kept = if rayon::current_thread_index().is_none() { Kept::take() } else { None };
    match kept.and_then(|kept| kept.run(once)) {
        Some(Ok(Some(value))) => return Ok(value),
        Some(Err(panic)) => return Err(Failure::Panic(panic)),
        _ => {}
    }
    for &size in sizes {
        let work = &mut work;
        let done = std::thread::scope(|scope| {
            let once = move || {
                is_here(size);
                work.take().map(|work| work())
            };
            Some(Builder::new().name(name.to_owned()).stack_size(size).spawn_scoped(scope, once).ok()?.join())
        });
        match done {
            Some(Ok(Some(value))) => return Ok(value),
            Some(Err(panic)) => return Err(Failure::Panic(panic)),
            _ => {}
        }
    }
    Err(Failure::NoThread)
}

/// Does work on another thread, with a large stack if there is one, while this one does something else.
pub fn beside<T>(work: impl FnOnce() + Send, meanwhile: impl FnOnce() -> T) -> T {
    let work = move || {
        // Who waits for what it was to send sees that it will not.
        let _ = catch_unwind(AssertUnwindSafe(work));
    };
    match Kept::take() {
        Some(Kept(Some(ref pool))) => pool.in_place_scope(|scope| {
            scope.spawn(|_| work());
            meanwhile()
        }),
        _ => std::thread::scope(|scope| {
            scope.spawn(work);
            meanwhile()
        }),
    }
}

#[cfg(test)]
mod tests {
    use super::{Failure, LARGE, SMALL, beside, is_here, keep_threads, on_large};

    #[test]
    fn work_stays_on_a_thread_that_is_large() {
        let outer = on_large("outer", &[LARGE], || {
            let here = std::thread::current().id();
            matches!(on_large("inner", &[LARGE], || std::thread::current().id()), Ok(there) if there == here)
        });
        assert!(matches!(outer, Ok(true)));
    }

    #[test]
    fn work_that_needs_less_stays_where_there_is_enough() {
        let here = std::thread::Builder::new().stack_size(SMALL).spawn(|| {
            is_here(SMALL);
            let stays = |size| matches!(on_large("inner", &[size], || std::thread::current().id()), Ok(there) if there == std::thread::current().id());
            (stays(SMALL), stays(LARGE))
        });
        assert_eq!(here.expect("a thread").join().expect("no panic"), (true, false));
    }

    #[test]
    fn a_kept_thread_is_used_again_also_after_a_panic() {
        keep_threads();
        let on = || on_large("", &[LARGE], || std::thread::current().id()).expect("a thread");
        assert!(matches!(on_large("", &[LARGE], || panic!("no")), Err::<(), _>(Failure::Panic(_))));
        // Other tests may take it meanwhile.
        assert!((0..1000).any(|_| on() == on()), "no thread was kept");
    }

    #[test]
    fn what_is_done_beside_ends_before_it_returns() {
        for _ in 0..2 {
            let (mut done, mut sent) = (false, None);
            let (send, receive) = std::sync::mpsc::channel();
            let work = || {
                done = true;
                let _ = send.send(7);
            };
            beside(work, || sent = receive.recv().ok());
            assert!(done && sent == Some(7));
            let (send, receive) = std::sync::mpsc::channel::<i32>();
            let work = move || {
                let _send = send;
                panic!("no");
            };
            let sent = beside(work, || receive.recv());
            assert!(sent.is_err(), "who waits is not left waiting");
            keep_threads();
        }
    }

    #[test]
    fn a_panic_is_told_from_a_missing_thread() {
        assert!(matches!(on_large("", &[1 << 20], || panic!("no")), Err::<(), _>(Failure::Panic(_))));
        assert!(matches!(on_large("", &[], || 1), Err(Failure::NoThread)));
    }
}
