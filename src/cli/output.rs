//! Writes a report to a file: whole or not at all.

use std::io::{self, BufWriter, Write};
use std::path::Path;

use crate::report::replacement::Replacement;

/// Writes to a file through `write`. What was there stays until all of the new is written; what is no regular file (a pipe, a
/// device) is written to as it is.
pub fn write(path: &Path, write: impl FnOnce(&mut dyn Write) -> io::Result<()>) -> io::Result<()> {
    let (file, replacement) = Replacement::begin(path)?;
    let mut out = BufWriter::new(file);
    write(&mut out)?;
    out.flush()?;
    drop(out);
    replacement.finish()
}
