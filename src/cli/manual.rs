//! What is made of the command line's definition: completions and the manual page.

use std::io::{self, Write};

use clap::CommandFactory;

use super::args::{Args, CompletionsArgs};
use super::{Exit, written};

/// Prints what a shell needs to complete the command line.
pub fn completions(args: &CompletionsArgs) -> Exit {
    let mut script = Vec::new();
    clap_complete::generate(args.shell, &mut Args::command(), "antifreeze", &mut script);
    written(io::stdout().write_all(&script), Exit::Fine)
}

/// Prints the manual: the command's page, then those of its subcommands.
pub fn page() -> Exit {
    let mut text = Vec::new();
    let command = Args::command().disable_help_subcommand(true);
    let mut result = clap_mangen::Man::new(command.clone()).render(&mut text);
    for subcommand in command.get_subcommands().filter(|subcommand| !subcommand.is_hide_set()) {
        let name: &'static str = format!("antifreeze-{}", subcommand.get_name()).leak();
        result = result.and_then(|()| clap_mangen::Man::new(subcommand.clone().name(name)).render(&mut text));
    }
    written(result.and_then(|()| io::stdout().write_all(&text)), Exit::Fine)
}
