//! Where the lines of a text begin, counted as CPython counts and as people do.

use crate::outcome::GuardSite;
use crate::syntax::Span;

/// Where the lines of a text begin.
#[derive(Debug)]
pub struct Lines<'a> {
    text: &'a str,
    starts: Vec<usize>,
}

impl<'a> Lines<'a> {
    /// Lines end as CPython ends them: `\n`, `\r\n` and `\r`.
    pub fn new(text: &'a str) -> Self {
        let bytes = text.as_bytes();
        let mut starts = vec![0];
        for (i, byte) in bytes.iter().enumerate() {
            if *byte == b'\n' || *byte == b'\r' && bytes.get(i + 1) != Some(&b'\n') {
                starts.push(i + 1);
            }
        }
        Lines { text, starts }
    }

    /// 1-based line and 0-based column in bytes, as CPython counts.
    pub fn bytes(&self, offset: u32) -> (u32, u32) {
        let line = self.starts.partition_point(|start| *start <= offset as usize) - 1;
        (line as u32 + 1, offset - self.starts[line] as u32)
    }

    /// 1-based line and 1-based column in characters, as our reports count.
    fn characters(&self, offset: u32) -> (u32, u32) {
        let (line, column) = self.bytes(offset);
        let start = self.starts[line as usize - 1];
        let before = self.text.get(start..start + column as usize).map_or(column as usize, |text| text.chars().count());
        (line, before as u32 + 1)
    }

    /// A guard site as reports show it.
    pub fn site(&self, span: Span, op: &str) -> GuardSite {
        let ((line, column), (end_line, end_column)) = (self.characters(span.start), self.characters(span.end));
        GuardSite { line, column, end_line, end_column, op: op.to_owned() }
    }

    /// A line's text, without its end.
    pub fn text(&self, line: u32) -> Option<&'a str> {
        let start = *self.starts.get(line.checked_sub(1)? as usize)?;
        let end = self.starts.get(line as usize).copied().unwrap_or(self.text.len());
        Some(self.text[start..end].trim_end_matches(['\n', '\r']))
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn columns_count_bytes_for_python_and_characters_for_people() {
        let lines = Lines::new("x = 1\r\né = 2 ** 3\ry");
        assert_eq!(lines.bytes(7), (2, 0));
        assert_eq!(lines.bytes(12), (2, 5));
        assert_eq!(lines.characters(12), (2, 5));
        assert_eq!(lines.text(2), Some("é = 2 ** 3"));
        assert_eq!(lines.text(3), Some("y"));
        assert_eq!(lines.text(4), None);
    }
}
