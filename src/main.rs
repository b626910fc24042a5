//! The `antifreeze` command.

fn main() -> std::process::ExitCode {
    antifreeze::cli::main()
}
