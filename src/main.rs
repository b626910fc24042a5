//! The `antifreeze` command.

/// The evaluator makes and drops many small values; a third of its time went into the system's allocator.
#[global_allocator]
static ALLOCATOR: mimalloc::MiMalloc = mimalloc::MiMalloc;

fn main() -> std::process::ExitCode {
    antifreeze::cli::main()
}
