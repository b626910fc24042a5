//! Parquet: a named column of code or of records is read, and what was found is written, a row per snippet.

use std::io;
use std::sync::Arc;

use parquet::basic::Compression;
use parquet::data_type::{ByteArray, ByteArrayType, Int64Type};
use parquet::errors::ParquetError;
use parquet::file::properties::WriterProperties;
use parquet::file::reader::{FileReader, SerializedFileReader};
use parquet::file::writer::SerializedFileWriter;
use parquet::record::Field;
use parquet::schema::parser::parse_message_type;
use parquet::schema::types::Type;

use super::report::{COLUMNS, Entry};
use super::table::Cell;

/// So many rows are written together.
const GROUP: usize = 10_000;

/// Reads the cells of a column.
///
/// # Errors
/// Where it is not readable, or there is no such column.
pub fn read(file: std::fs::File, column: &str, mut cell: impl FnMut(Result<Cell, (u64, u64, String)>) -> bool) -> Result<(), String> {
    let reader = SerializedFileReader::new(file).map_err(|error| format!("it is no Parquet: {error}"))?;
    let schema = reader.metadata().file_metadata().schema().clone();
    let Some(field) = schema.get_fields().iter().find(|field| field.name() == column).cloned() else {
        let names: Vec<&str> = schema.get_fields().iter().map(|field| field.name()).take(20).collect();
        return Err(format!("it has no column `{column}`; it has {}", names.join(", ")));
    };
    let only = Type::group_type_builder(schema.name()).with_fields(vec![field]).build();
    let only = only.map_err(|error| format!("its schema cannot be read: {error}"))?;
    let rows = reader.get_row_iter(Some(only)).map_err(|error| format!("its rows cannot be read: {error}"))?;
    for (row, read) in (1..).zip(rows) {
        let went_on = match read {
            Ok(read) => match read.into_columns().into_iter().next().map(|(_, field)| field) {
                Some(Field::Str(text)) => cell(Ok((row, row, text))),
                Some(Field::Bytes(bytes)) => cell(Ok((row, row, String::from_utf8_lossy(bytes.data()).into_owned()))),
                Some(Field::Null) | None => true,
                Some(_) => cell(Err((row, row, format!("column `{column}` holds no text")))),
            },
            Err(error) => return Err(format!("row {row} cannot be read: {error}")),
        };
        if !went_on {
            break;
        }
    }
    Ok(())
}

/// A table that is being written. What is ready is given back as bytes, for a target that need not be a file.
pub struct Table {
    writer: SerializedFileWriter<Vec<u8>>,
    waiting: Vec<[Entry; COLUMNS.len()]>,
}

impl Table {
    /// One without rows.
    ///
    /// # Errors
    /// Never, as the schema is its own.
    pub fn new() -> io::Result<Table> {
        let columns = COLUMNS.map(|(name, numbers)| {
            let kind = if numbers { format!("INT64 {name} (INTEGER(64, false))") } else { format!("BINARY {name} (STRING)") };
            format!("OPTIONAL {kind};")
        });
        let schema = parse_message_type(&format!("message snippet {{ {} }}", columns.join(" "))).map_err(other)?;
        let properties = WriterProperties::builder().set_compression(Compression::SNAPPY).build();
        let writer = SerializedFileWriter::new(Vec::new(), Arc::new(schema), Arc::new(properties)).map_err(other)?;
        Ok(Table { writer, waiting: Vec::new() })
    }

    /// One more row.
    ///
    /// # Errors
    /// When it cannot be encoded.
    pub fn add(&mut self, row: [Entry; COLUMNS.len()]) -> io::Result<Vec<u8>> {
        self.waiting.push(row);
        if self.waiting.len() < GROUP {
            return Ok(Vec::new());
        }
        self.write_group().map_err(other)?;
        Ok(std::mem::take(self.writer.inner_mut()))
    }

    /// The last of it.
    ///
    /// # Errors
    /// When it cannot be encoded.
    pub fn finish(&mut self) -> io::Result<Vec<u8>> {
        if !self.waiting.is_empty() {
            self.write_group().map_err(other)?;
        }
        self.writer.finish().map_err(other)?;
        Ok(std::mem::take(self.writer.inner_mut()))
    }

    fn write_group(&mut self) -> Result<(), ParquetError> {
        let rows = std::mem::take(&mut self.waiting);
        let mut group = self.writer.next_row_group()?;
        for (at, (_, numbers)) in COLUMNS.iter().enumerate() {
            let Some(mut column) = group.next_column()? else { break };
            let entries = || rows.iter().map(|row| &row[at]);
            let levels: Vec<i16> = entries().map(|entry| i16::from(!matches!(entry, Entry::Missing))).collect();
            if *numbers {
                let values: Vec<i64> =
                    entries().filter_map(|entry| if let Entry::Number(n) = entry { Some(n.cast_signed()) } else { None }).collect();
                column.typed::<Int64Type>().write_batch(&values, Some(&levels), None)?;
            } else {
                let values: Vec<ByteArray> =
                    entries().filter_map(|entry| if let Entry::Text(text) = entry { Some(text.as_str().into()) } else { None }).collect();
                column.typed::<ByteArrayType>().write_batch(&values, Some(&levels), None)?;
            }
            column.close()?;
        }
        group.close()?;
        self.writer.flush()?;
        Ok(())
    }
}

fn other(error: ParquetError) -> io::Error {
    io::Error::other(error)
}
