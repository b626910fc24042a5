//! CSV with a named column of code or of records.

use std::io::Read;

/// A cell: its row from 1, its line, and its text.
pub type Cell = (u64, u64, String);

/// Reads the cells of a column of CSV.
///
/// # Errors
/// Where there is no such column, with those there are.
pub fn csv(input: impl Read, column: &str, mut cell: impl FnMut(Result<Cell, (u64, u64, String)>) -> bool) -> Result<(), String> {
    let mut reader = csv::ReaderBuilder::new().flexible(true).from_reader(input);
    let headers = reader.byte_headers().map_err(|error| format!("it is no CSV: {error}"))?;
    let names: Vec<String> = headers.iter().map(|name| String::from_utf8_lossy(name).trim_start_matches('\u{feff}').to_owned()).collect();
    let Some(index) = names.iter().position(|name| name == column) else {
        let names: Vec<String> = names.into_iter().take(20).collect();
        return Err(format!("it has no column `{column}`; it has {}", names.join(", ")));
    };
    let mut record = csv::ByteRecord::new();
    let mut row = 0;
    loop {
        row += 1;
        let line = reader.position().line();
        let went_on = match reader.read_byte_record(&mut record) {
            Ok(false) => return Ok(()),
            Ok(true) => match record.get(index) {
                Some(bytes) => match std::str::from_utf8(bytes) {
                    Ok(text) => cell(Ok((row, line, text.to_owned()))),
                    Err(_) => {
                        let text = String::from_utf8_lossy(bytes).into_owned();
                        cell(Err((row, line, "the cell is not valid UTF-8; it is read with `\u{fffd}`".into())))
                            && cell(Ok((row, line, text)))
                    }
                },
                None => cell(Err((row, line, format!("the row has no column `{column}`")))),
            },
            Err(error) => cell(Err((row, line, format!("it is no row: {error}")))),
        };
        if !went_on {
            return Ok(());
        }
    }
}
