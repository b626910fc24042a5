//! `antifreeze init`: a configuration to start from.

use std::io::{self, Write};

use super::args::InitArgs;
use super::{Exit, complain, output, written};
use crate::config::{TEMPLATE, find};
use crate::report::text::plain;

/// Writes `antifreeze.toml`.
pub fn run(args: &InitArgs) -> Exit {
    let file = args.folder.join(find::FILE);
    if !args.force && file.symlink_metadata().is_ok() {
        complain(&format!("{} is there already; `--force` replaces it", file.display()));
        return Exit::Usage;
    }
    if let Ok(Some(project)) = find::project(&args.folder)
        && !args.force
    {
        let project = project.display();
        complain(&format!(
            "{project} has `[tool.antifreeze]`, which would not count beside an {}; configure there, or write it with `--force` and move \
             the keys",
            find::FILE
        ));
        return Exit::Usage;
    }
    if let Err(why) = output::write(&file, |out| out.write_all(TEMPLATE.as_bytes())) {
        complain(&format!("cannot write {}: {why}", file.display()));
        return Exit::Usage;
    }
    written(writeln!(io::stdout(), "{} was written", plain(&file.to_string_lossy())), Exit::Fine)
}
