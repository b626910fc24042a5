//! Bytes to text, as CPython's tokenizer reads a file.

use encoding_rs::{DecoderResult, Encoding};

use super::{Pieces, Source, SourceError};

pub(super) struct Decoded {
    pub text: String,
    pub pieces: Pieces,
}

/// How the bytes are to be read.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
enum Codec {
    Utf8,
    Ascii,
    Latin1,
    Other(&'static Encoding),
}

/// Texts larger than this in an encoding other than UTF-8 get no character-exact offsets.
const EXACT_OFFSETS: usize = 16 << 20;

pub(super) fn decode(name: &str, bytes: &[u8]) -> Result<Decoded, SourceError> {
    too_large(name, bytes.len())?;
    let bom = bytes.starts_with(b"\xef\xbb\xbf");
    let skipped = if bom { 3 } else { 0 };
    let body = &bytes[skipped..];
    let cookie = cookie(body);
    let codec = match &cookie {
        None => Codec::Utf8,
        Some((label, at)) => codec(label).ok_or_else(|| SourceError {
            name: name.to_owned(),
            place: Some((line_of(body, *at), (skipped + at) as u32)),
            message: format!("the encoding `{label}` its coding cookie names cannot be read without running Python"),
            help: "Save the file as UTF-8 and remove the cookie".to_owned(),
        })?,
    };
    if bom && codec != Codec::Utf8 {
        let (label, at) = cookie.unwrap_or_default();
        return Err(SourceError {
            name: name.to_owned(),
            place: Some((line_of(body, at), (skipped + at) as u32)),
            message: format!("it starts with a UTF-8 byte order mark, but its coding cookie says `{label}`"),
            help: "Remove the one or the other".to_owned(),
        });
    }
    let undecodable = |at: usize, what: &str| SourceError {
        name: name.to_owned(),
        place: Some((line_of(body, at), (skipped + at) as u32)),
        message: format!("the byte 0x{:02x} is not {what}", body.get(at).copied().unwrap_or_default()),
        help: if body.starts_with(b"\xff\xfe") || body.starts_with(b"\xfe\xff") {
            "It begins as UTF-16 does, which Python does not read; save the file as UTF-8".to_owned()
        } else {
            "Save the file as UTF-8, or name its encoding in a cookie on the first line (`# coding: latin-1`)".to_owned()
        },
    };
    match codec {
        Codec::Utf8 => match std::str::from_utf8(body) {
            Ok(text) => normalise(name, text, skipped as u32),
            Err(error) => Err(undecodable(error.valid_up_to(), "valid UTF-8")),
        },
        Codec::Ascii => match std::str::from_utf8(body) {
            Ok(text) if text.is_ascii() => normalise(name, text, 0),
            _ => Err(undecodable(body.iter().position(|byte| *byte >= 0x80).unwrap_or(0), "ASCII, which the coding cookie names")),
        },
        Codec::Latin1 => {
            let text: String = body.iter().map(|byte| char::from(*byte)).collect();
            let inner = normalise(name, &text, 0)?;
            let mut widths = Pieces::default();
            let mut at = 0;
            for (original, byte) in body.iter().enumerate() {
                let width = if *byte < 0x80 { 1 } else { 2 };
                widths.add(at, original as u32, width, 1);
                at += u32::from(width);
            }
            Ok(compose(inner, &widths))
        }
        Codec::Other(encoding) => {
            let (text, widths) = decode_with(encoding, body)
                .map_err(|at| undecodable(at, &format!("valid {}, which the coding cookie names", encoding.name())))?;
            let inner = normalise(name, &text, 0)?;
            Ok(compose(inner, &widths))
        }
    }
}

fn too_large(name: &str, length: usize) -> Result<(), SourceError> {
    if length <= Source::MAX_BYTES {
        return Ok(());
    }
    Err(SourceError {
        name: name.to_owned(),
        place: None,
        message: format!("it has more than {} bytes", Source::MAX_BYTES),
        help: "Split it".to_owned(),
    })
}

/// Universal newlines, and no NUL. `skipped` bytes came before the text.
pub(super) fn normalise(name: &str, text: &str, skipped: u32) -> Result<Decoded, SourceError> {
    too_large(name, text.len())?;
    if let Some(at) = text.bytes().position(|byte| byte == 0) {
        return Err(SourceError {
            name: name.to_owned(),
            place: Some((line_of(text.as_bytes(), at), skipped + at as u32)),
            message: "it contains a NUL byte, which Python refuses".to_owned(),
            help: "Remove it, or write it as `\\0` inside a string; a file full of them is often UTF-16, save that as UTF-8".to_owned(),
        });
    }
    let mut pieces = Pieces::shifted(skipped);
    if !text.contains('\r') {
        return Ok(Decoded { text: text.to_owned(), pieces });
    }
    let mut out = String::with_capacity(text.len());
    let mut rest = text;
    while let Some(at) = rest.find('\r') {
        out.push_str(&rest[..at]);
        out.push('\n');
        rest = &rest[at + 1..];
        rest = rest.strip_prefix('\n').unwrap_or(rest);
        let original = (text.len() - rest.len()) as u32 + skipped;
        pieces.add(out.len() as u32, original, 1, 1);
    }
    out.push_str(rest);
    Ok(Decoded { text: out, pieces })
}

/// Puts two maps behind each other.
fn compose(inner: Decoded, outer: &Pieces) -> Decoded {
    if inner.text.len() > EXACT_OFFSETS {
        return inner;
    }
    let mut pieces = Pieces::default();
    for (at, character) in inner.text.char_indices() {
        let original = outer.original(inner.pieces.original(at as u32));
        let after = outer.original(inner.pieces.original((at + character.len_utf8()) as u32));
        let width = character.len_utf8() as u8;
        let original_width = if character == '\n' { 1 } else { u8::try_from(after - original).unwrap_or(1) };
        pieces.add(at as u32, original, width, original_width);
    }
    Decoded { text: inner.text, pieces }
}

/// Decodes one byte at a time, so that each character's place is known. On an error, gives its byte offset.
fn decode_with(encoding: &'static Encoding, bytes: &[u8]) -> Result<(String, Pieces), usize> {
    let mut decoder = encoding.new_decoder_without_bom_handling();
    let mut text = String::with_capacity(bytes.len() * 2 + 16);
    let mut pieces = Pieces::default();
    let step = if bytes.len() > EXACT_OFFSETS { bytes.len() } else { 1 };
    let mut character_start = 0;
    let mut at = 0;
    while at < bytes.len() {
        let before = text.len();
        let end = (at + step).min(bytes.len());
        text.reserve((end - at) * 3 + 16);
        let (result, _) = decoder.decode_to_string_without_replacement(&bytes[at..end], &mut text, end == bytes.len());
        if let DecoderResult::Malformed(..) = result {
            return Err(character_start);
        }
        if text.len() > before {
            let width = (text.len() - before) as u8;
            pieces.add(before as u32, character_start as u32, width.max(1), u8::try_from(end - character_start).unwrap_or(1));
            character_start = end;
        }
        at = end;
    }
    Ok((text, pieces))
}

/// 1-based line of a byte offset.
fn line_of(bytes: &[u8], at: usize) -> u32 {
    let before = &bytes[..at.min(bytes.len())];
    let ends = before.iter().enumerate().filter(|(i, byte)| match byte {
        b'\n' => true,
        b'\r' => bytes.get(i + 1) != Some(&b'\n'),
        _ => false,
    });
    ends.count() as u32 + 1
}

/// The label of a PEP 263 cookie and its byte offset: in the first line, or in the second if the first is blank or a
/// comment.
fn cookie(bytes: &[u8]) -> Option<(String, usize)> {
    let mut start = 0;
    for _ in 0..2 {
        let rest = bytes.get(start..)?;
        let length = rest.iter().position(|byte| matches!(byte, b'\n' | b'\r')).unwrap_or(rest.len());
        let line = &rest[..length];
        if let Some((label, at)) = cookie_in(line) {
            return Some((label, start + at));
        }
        let blank = line.iter().position(|byte| !matches!(byte, b' ' | b'\t' | b'\x0c'));
        if blank.is_some_and(|at| line[at] != b'#') {
            return None;
        }
        let line_end = if rest[length..].starts_with(b"\r\n") { 2 } else { 1 };
        start += length + line_end;
    }
    None
}

/// The regular expression of PEP 263: `^[ \t\f]*#.*?coding[:=][ \t]*([-_.a-zA-Z0-9]+)`.
fn cookie_in(line: &[u8]) -> Option<(String, usize)> {
    let comment = line.iter().position(|byte| !matches!(byte, b' ' | b'\t' | b'\x0c'))?;
    if line[comment] != b'#' {
        return None;
    }
    let mut at = comment;
    while let Some(found) = line[at..].windows(6).position(|window| window == b"coding") {
        at += found + 6;
        if !matches!(line.get(at), Some(b':' | b'=')) {
            continue;
        }
        let blanks = line[at + 1..].iter().take_while(|byte| matches!(byte, b' ' | b'\t')).count();
        let label_at = at + 1 + blanks;
        let is_label = |byte: &&u8| byte.is_ascii_alphanumeric() || matches!(**byte, b'-' | b'_' | b'.');
        let label: Vec<u8> = line[label_at..].iter().take_while(is_label).copied().collect();
        if !label.is_empty() {
            return Some((String::from_utf8_lossy(&label).into_owned(), label_at));
        }
    }
    None
}

/// What a label means to Python. encoding_rs follows the web's rules, by which Latin-1 and ASCII are windows-1252: those
/// two are ours.
fn codec(label: &str) -> Option<Codec> {
    let label = label.to_ascii_lowercase().replace('_', "-");
    let is = |names: &[&str]| names.contains(&label.as_str());
    let with_suffix = |name: &str| label == name || label.strip_prefix(name).is_some_and(|rest| rest.starts_with('-'));
    if with_suffix("utf-8") || is(&["utf8", "u8", "utf", "cp65001", "utf8-ucs2", "utf8-ucs4", "utf8-sig"]) {
        return Some(Codec::Utf8);
    }
    let latin = ["latin-1", "iso-8859-1", "iso-latin-1"].iter().any(|name| with_suffix(name));
    if latin || is(&["latin1", "latin", "l1", "8859", "cp819", "iso8859", "iso8859-1", "iso-ir-100", "ibm819"]) {
        return Some(Codec::Latin1);
    }
    if is(&["ascii", "us-ascii", "646", "us", "ansi-x3.4-1968", "iso646-us", "iso-ir-6", "cp367", "ibm367"]) {
        return Some(Codec::Ascii);
    }
    let renamed = match label.strip_prefix("cp").or_else(|| label.strip_prefix("windows")) {
        Some("932") => "shift_jis".to_owned(),
        Some("949") => "euc-kr".to_owned(),
        Some("936") => "gbk".to_owned(),
        Some("950") => "big5".to_owned(),
        Some(number) if number.len() >= 3 && number.bytes().all(|b| b.is_ascii_digit()) => format!("windows-{number}"),
        _ => match label.as_str() {
            "eucjp" | "ujis" => "euc-jp".to_owned(),
            "euckr" | "uhc" => "euc-kr".to_owned(),
            "sjis" | "s-jis" | "shift-jis" => "shift_jis".to_owned(),
            "mac-roman" | "macroman" => "macintosh".to_owned(),
            "mac-cyrillic" => "x-mac-cyrillic".to_owned(),
            "latin9" | "l9" | "latin-9" => "iso-8859-15".to_owned(),
            _ => label.clone(),
        },
    };
    let found = Encoding::for_label(renamed.as_bytes()).or_else(|| Encoding::for_label(renamed.replace('-', "_").as_bytes()));
    // UTF-16 is no superset of ASCII: Python cannot read such a file's cookie. `replacement` stands for what browsers refuse.
    found
        .filter(|encoding| {
            encoding.is_ascii_compatible() && *encoding != encoding_rs::REPLACEMENT && *encoding != encoding_rs::X_USER_DEFINED
        })
        .map(Codec::Other)
}
