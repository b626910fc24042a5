//! Threads with a stack that no source can exhaust: the parser, the evaluator and the end of a deep tree all recurse.

use std::any::Any;
use std::cell::Cell;
use std::sync::{Mutex, MutexGuard, PoisonError};
use std::thread::Builder;

/// Reserved for such a stack; only what is used of it is ever backed by memory.
pub const LARGE: usize = 256 << 20;

/// The stack of a thread that only waits for one with a larger stack.
pub const SMALL: usize = 16 << 20;

thread_local! {
    static IS_LARGE: Cell<bool> = const { Cell::new(false) };
}

/// To be called at the start of a thread that was given [`LARGE`]: work is then done on it, without another thread.
fn is_large_here() {
    IS_LARGE.set(true);
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
pub fn pool(threads: usize) -> Result<rayon::ThreadPool, rayon::ThreadPoolBuildError> {
    let builder = |size| rayon::ThreadPoolBuilder::new().num_threads(threads).stack_size(size);
    builder(LARGE).start_handler(|_| is_large_here()).build().or_else(|_| builder(SMALL).build())
}

/// Does work on a stack of one of these sizes, the first that can be had; on this thread's own, if it is large.
pub fn on_large<T: Send>(name: &str, sizes: &[usize], work: impl FnOnce() -> T + Send) -> Result<T, Failure> {
    if IS_LARGE.get() {
        return std::panic::catch_unwind(std::panic::AssertUnwindSafe(work)).map_err(Failure::Panic);
    }
    let mut work = Some(work);
    for &size in sizes {
        let work = &mut work;
        let done = std::thread::scope(|scope| {
            let once = move || {
                if size >= LARGE {
                    is_large_here();
                }
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

#[cfg(test)]
mod tests {
    use super::{Failure, LARGE, on_large};

    #[test]
    fn work_stays_on_a_thread_that_is_large() {
        let outer = on_large("outer", &[LARGE], || {
            let here = std::thread::current().id();
            matches!(on_large("inner", &[LARGE], || std::thread::current().id()), Ok(there) if there == here)
        });
        assert!(matches!(outer, Ok(true)));
    }

    #[test]
    fn a_panic_is_told_from_a_missing_thread() {
        assert!(matches!(on_large("", &[1 << 20], || panic!("no")), Err::<(), _>(Failure::Panic(_))));
        assert!(matches!(on_large("", &[], || 1), Err(Failure::NoThread)));
    }
}
