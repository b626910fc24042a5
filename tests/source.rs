//! Decoding, and the way back to the original bytes.

use antifreeze::source::{Source, SourceError};
use antifreeze::syntax;

fn source(bytes: &[u8]) -> Source {
    Source::from_bytes("t.py", bytes).expect("decodes")
}

fn error(bytes: &[u8]) -> SourceError {
    Source::from_bytes("t.py", bytes).expect_err("does not decode")
}

/// Line, column and byte offset of the first `@` in the canonical text.
fn place(source: &Source) -> (u32, u32, u32) {
    let at = source.text.find('@').expect("has a mark") as u32;
    let position = source.position(at);
    (position.line, position.column, position.offset)
}

/// The mark's place must be where the mark is in the original bytes (for encodings that keep ASCII as it is).
fn check_offset(bytes: &[u8]) -> (u32, u32) {
    let source = source(bytes);
    let (line, column, offset) = place(&source);
    let original = bytes.iter().position(|byte| *byte == b'@').expect("has a mark");
    assert_eq!(offset as usize, original, "in {:?}", source.text);
    (line, column)
}

#[test]
fn utf8_is_the_default() {
    assert_eq!(check_offset("é = 1\nü@".as_bytes()), (2, 2));
    assert_eq!(&*source("x = 'é'\n".as_bytes()).text, "x = 'é'\n");
    assert_eq!(&*source(b"").text, "");
}

#[test]
fn a_byte_order_mark_is_left_out() {
    assert_eq!(check_offset(b"\xef\xbb\xbfx @"), (1, 3));
    assert_eq!(&*source(b"\xef\xbb\xbfx\n").text, "x\n");
    assert_eq!(&*source(b"\xef\xbb\xbf# coding: utf-8\n").text, "# coding: utf-8\n");
    let conflict = error(b"\xef\xbb\xbf# coding: latin-1\n");
    assert!(conflict.message.contains("byte order mark"), "{conflict}");
}

#[test]
fn line_ends_are_universal() {
    assert_eq!(&*source(b"a\r\nb\rc\nd\r\n\r\n").text, "a\nb\nc\nd\n\n");
    assert_eq!(check_offset(b"a\r\nb\rc\n\r\n  @\r\n"), (5, 3));
    assert_eq!(check_offset("é\r\r\né @".as_bytes()), (3, 3));
}

#[test]
fn form_feeds_stay() {
    assert_eq!(&*source(b"\x0cx = 1\n").text, "\x0cx = 1\n");
    let (_, program) = syntax::parse(source(b"if x:\n    y\n\x0c\nz = 1\n"));
    assert!(program.errors.is_empty() && program.statements == 3, "{:?}", program.errors);
}

#[test]
fn cookies_are_obeyed_as_cpython_does() {
    assert_eq!(&*source(b"# coding: latin-1\nx = '\xe9\x80'\n").text, "# coding: latin-1\nx = 'é\u{80}'\n");
    assert_eq!(&*source(b"#!/bin/sh\n# -*- coding: iso-8859-15 -*-\n'\xa4'").text, "#!/bin/sh\n# -*- coding: iso-8859-15 -*-\n'€'");
    assert_eq!(&*source(b"# vim: set fileencoding=cp1251 :\n'\xe9'").text, "# vim: set fileencoding=cp1251 :\n'й'");
    assert_eq!(&*source(b"\n# coding=koi8-r\n'\xc1'").text, "\n# coding=koi8-r\n'а'");
    assert_eq!(&*source(b"# coding: utf-8-sig\n'x'").text, "# coding: utf-8-sig\n'x'");
    // A cookie in the third line, behind code, or in a string is none.
    assert_eq!(error(b"\n\n# coding: latin-1\n'\xe9'").place, Some((4, 21)));
    assert_eq!(error(b"x = 1\n# coding: latin-1\n'\xe9'").place.map(|p| p.0), Some(3));
    assert_eq!(error(b"'# coding: latin-1'\n'\xe9'").place.map(|p| p.0), Some(2));
}

#[test]
fn offsets_lead_back_through_other_encodings() {
    assert_eq!(check_offset(b"# coding: latin-1\r\n'\xe9\xe8 \xe9' @"), (2, 8));
    assert_eq!(check_offset(b"# coding: shift_jis\n'\x82\xa0\x82\xa2a\x82\xa4' @"), (2, 8));
    assert_eq!(check_offset(b"# coding: gbk\n'\xc4\xe3\xba\xc3' @"), (2, 6));
    assert_eq!(check_offset(b"# coding: euc-jp\r\n'\xa4\xa2' @"), (2, 5));
}

#[test]
fn undecodable_bytes_name_place_and_remedy() {
    let bad = error(b"x = 1\ny = '\xe9'\n");
    assert_eq!(bad.place, Some((2, 11)));
    assert!(bad.message.contains("0xe9") && bad.help.contains("coding"), "{bad}");
    let ascii = error(b"# coding: ascii\n'\xc3\xa9'\n");
    assert_eq!(ascii.place, Some((2, 17)));
    let japanese = error(b"# coding: shift_jis\n'\x82\xff'\n");
    assert_eq!(japanese.place, Some((2, 21)));
    assert_eq!(error(b"a\r\nb\r\xff").place, Some((3, 5)));
}

#[test]
fn nul_bytes_name_their_place() {
    let nul = error(b"x = 1\n\0");
    assert_eq!(nul.place, Some((2, 6)));
    assert!(nul.message.contains("NUL") && !nul.help.is_empty());
    assert!(Source::from_text("<command>", "a\0").is_err());
    // UTF-16 without a cookie is no UTF-8, or full of NULs.
    assert!(Source::from_bytes("t.py", b"\xff\xfex\0=\x001\0").is_err());
}

#[test]
fn encodings_that_need_python_are_refused() {
    for label in ["utf-7", "rot13", "utf-16", "hex", "unicode_escape", "no-such-thing"] {
        let refused = error(format!("# coding: {label}\nx = 1\n").as_bytes());
        assert!(refused.message.contains(label) && refused.place == Some((1, 10)), "{refused}");
    }
}

#[test]
fn text_that_is_decoded_has_no_cookie() {
    let text = "# coding: latin-1\r\nx = 'é'\n";
    assert_eq!(&*Source::from_text("<command>", text).expect("is text").text, "# coding: latin-1\nx = 'é'\n");
}

#[test]
fn a_missing_file_is_a_clear_error() {
    let missing = Source::from_path(std::path::Path::new("/no/such/file.py")).expect_err("is missing");
    assert!(missing.to_string().starts_with("/no/such/file.py: it cannot be read"), "{missing}");
}

#[test]
fn large_input_is_fine() {
    let line = "x = 'é' + 1\r\n";
    let bytes = line.repeat(50 * 1024 * 1024 / line.len()).into_bytes();
    let big = source(&bytes);
    let at = big.text.len() as u32 - 2;
    let position = big.position(at);
    assert_eq!(position.offset as usize, bytes.len() - 3);
    assert_eq!(position.line as usize, bytes.len() / line.len());
}

/// Parses what must be rescued; gives the canonical text and the mark's place.
fn rescued(text: &str) -> (String, (u32, u32, u32)) {
    let (source, program) = syntax::parse(source(text.as_bytes()));
    assert!(program.errors.is_empty(), "{text:?}: {:?}", program.errors);
    assert!(source.is_rescued());
    let at = source.text.find("mark").expect("has a mark") as u32;
    let position = source.position(at);
    assert_eq!(text[position.offset as usize..].get(..4), Some("mark"));
    (source.text.to_string(), (position.line, position.column, position.offset))
}

#[test]
fn indentation_and_fences_are_stripped() {
    assert_eq!(rescued("    x = 1\n    mark = 2\n"), ("x = 1\nmark = 2\n".into(), (2, 5, 14)));
    assert_eq!(rescued("  x = 1\nmark = 2\n"), ("x = 1\nmark = 2\n".into(), (2, 1, 8)));
    assert_eq!(rescued("\n    if x:\n        mark\n\n    y\n").0, "\nif x:\n    mark\n\ny\n");
    assert_eq!(rescued("```python\nx = 1\nmark = 2\n```\n"), ("x = 1\nmark = 2\n".into(), (3, 1, 16)));
    assert_eq!(rescued("~~~py\nmark = 2\n~~~"), ("mark = 2\n".into(), (2, 1, 6)));
    assert_eq!(rescued("```\r\nmark = 2\r\n```\r\n"), ("mark = 2\n".into(), (2, 1, 5)));
    assert_eq!(rescued("x = 1\nmark = 1\n```\n").0, "x = 1\nmark = 1\n");
    assert_eq!(rescued("```python\n    x = 1\n    mark = 2\n```").0, "x = 1\nmark = 2\n");
}

#[test]
fn what_parses_is_left_alone() {
    for text in ["x = 1\n", "'''\n```python\n'''\n", "if x:\n    y\n"] {
        let (source, program) = syntax::parse(source(text.as_bytes()));
        assert!(program.errors.is_empty() && !source.is_rescued());
        assert_eq!(&*source.text, text);
    }
    let (source, program) = syntax::parse(source(b"    x = (\n"));
    assert!(!source.is_rescued() && !program.errors.is_empty());
}
