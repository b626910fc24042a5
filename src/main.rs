//! The `antifreeze` command.

use clap::{Parser, Subcommand};

#[derive(Debug, Parser)]
#[command(name = "antifreeze", version)]
struct Args {
    #[command(subcommand)]
    command: Command,
}

#[derive(Debug, Subcommand)]
enum Command {
    Run(Box<antifreeze::cli::run::RunArgs>),
}

fn main() -> std::process::ExitCode {
    if std::env::args_os().nth(1).is_some_and(|word| word == antifreeze::executor::SUPERVISE) {
        return antifreeze::executor::supervise();
    }
    match Args::parse().command {
        Command::Run(args) => antifreeze::cli::run::run(&args, std::env::var_os("NO_COLOR").is_none()),
    }
}
