//! Opens files: plain, gzip, zstd, or members of a ZIP archive, told apart by their first bytes.

use std::fs::File;
use std::io::{self, BufReader, Read, Seek};
use std::path::Path;
use std::sync::Arc;
use std::sync::atomic::{AtomicU64, Ordering};

use flate2::read::MultiGzDecoder;
use ruzstd::decoding::StreamingDecoder;

/// Counts what is read of a file.
#[derive(Debug)]
pub struct Counting<R> {
    inner: R,
    read: Arc<AtomicU64>,
}

impl<R: Read> Read for Counting<R> {
    fn read(&mut self, buffer: &mut [u8]) -> io::Result<usize> {
        let read = self.inner.read(buffer)?;
        self.read.fetch_add(read as u64, Ordering::Relaxed);
        Ok(read)
    }
}

impl<R: Seek> Seek for Counting<R> {
    fn seek(&mut self, to: io::SeekFrom) -> io::Result<u64> {
        self.inner.seek(to)
    }
}

/// What a file is packed in.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum Packing {
    /// Nothing.
    Plain,
    /// gzip.
    Gzip,
    /// Zstandard.
    Zstd,
    /// A ZIP archive.
    Zip,
    /// Columns in Parquet.
    Parquet,
}

impl Packing {
    /// Tells by the first bytes.
    pub fn of(start: &[u8]) -> Packing {
        match start {
            [0x1f, 0x8b, ..] => Packing::Gzip,
            [0x28, 0xb5, 0x2f, 0xfd, ..] => Packing::Zstd,
            [b'P', b'K', 3, 4, ..] | [b'P', b'K', 5, 6, ..] => Packing::Zip,
            [b'P', b'A', b'R', b'1', ..] => Packing::Parquet,
            _ => Packing::Plain,
        }
    }
}

/// A file that was opened.
pub struct Opened {
    /// The file, from its beginning.
    pub file: Counting<File>,
    /// What it is packed in.
    pub packing: Packing,
}

/// Opens a regular file, or a pipe.
///
/// # Errors
/// When it cannot be read.
pub fn open(path: &Path, read: &Arc<AtomicU64>) -> io::Result<Opened> {
    let mut file = File::open(path)?;
    if file.metadata()?.is_dir() {
        return Err(io::Error::other("it is a folder"));
    }
    let mut start = [0; 4];
    let mut length = 0;
    let packing = if file.metadata()?.is_file() {
        while length < 4 {
            match file.read(&mut start[length..])? {
                0 => break,
                more => length += more,
            }
        }
        file.rewind()?;
        Packing::of(&start[..length])
    } else {
        Packing::Plain
    };
    Ok(Opened { file: Counting { inner: file, read: Arc::clone(read) }, packing })
}

/// What files begin with that are pictures, sounds, films, fonts, documents to print and compiled Python.
const MEDIA: [&[u8]; 14] = [
    b"\x89PNG",
    b"\xff\xd8\xff",
    b"GIF8",
    b"BM",
    b"RIFF",
    b"\x00\x00\x01\x00",
    b"%PDF-",
    b"OggS",
    b"ID3",
    b"fLaC",
    b"wOF",
    b"\x00\x01\x00\x00",
    b"OTTO",
    b"\x1aE\xdf\xa3",
];

/// Whether a file is none that could be a log, by its first bytes.
pub fn is_media(path: &Path) -> bool {
    let mut start = Vec::new();
    let read = File::open(path).and_then(|file| file.take(12).read_to_end(&mut start));
    let film = start.get(4..8) == Some(b"ftyp");
    let compiled = start.get(2..4) == Some(b"\r\n") && start.first().is_some_and(|byte| !byte.is_ascii_graphic());
    read.is_ok()
        && (film || compiled || MEDIA.iter().any(|mark| start.starts_with(mark)) && start.contains(&0) || start.starts_with(b"%PDF-"))
}

/// The content of a file that is one stream.
pub fn unpacked(reader: impl Read + Send + 'static, packing: Packing) -> Box<dyn Read + Send> {
    let reader = BufReader::with_capacity(256 << 10, reader);
    match packing {
        Packing::Gzip => Box::new(MultiGzDecoder::new(reader)),
        Packing::Zstd => Box::new(Zstd { next: Some(reader), frame: None }),
        _ => Box::new(reader),
    }
}

/// Frames of Zstandard, one behind the other.
struct Zstd<R: Read> {
    next: Option<R>,
    frame: Option<StreamingDecoder<R, ruzstd::decoding::FrameDecoder>>,
}

/// Windows of `zstd --ultra --long=27`; larger ones ask for memory that nobody offered.
const WINDOW: u64 = 128 << 20;

impl<R: Read + io::BufRead> Read for Zstd<R> {
    fn read(&mut self, buffer: &mut [u8]) -> io::Result<usize> {
        loop {
            if let Some(frame) = &mut self.frame {
                let read = frame.read(buffer)?;
                if read > 0 || buffer.is_empty() {
                    return Ok(read);
                }
                self.next = self.frame.take().map(StreamingDecoder::into_inner);
            }
            let Some(mut source) = self.next.take() else { return Ok(0) };
            if source.fill_buf()?.is_empty() {
                return Ok(0);
            }
            self.frame = Some(StreamingDecoder::new_with_max_window_size(source, WINDOW).map_err(io::Error::other)?);
        }
    }
}
