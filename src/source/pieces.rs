//! A compact map between the offsets of two versions of a text.

/// A run of characters that each take `width` bytes in the new text and `original_width` in the original.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
struct Piece {
    start: u32,
    original: u32,
    width: u8,
    original_width: u8,
}

/// From byte offsets of a text to those of the text it was made from: runs of characters, in order.
#[derive(Debug, Clone, Default, PartialEq, Eq)]
pub struct Pieces(Vec<Piece>);

impl Pieces {
    /// A map that adds a constant.
    pub fn shifted(original: u32) -> Pieces {
        let mut pieces = Pieces::default();
        pieces.add(0, original, 1, 1);
        pieces
    }

    /// From `start` on, characters of `width` bytes came from characters of `original_width` bytes, the first of which
    /// stood at `original`. Called with increasing `start`; what goes on as before adds nothing.
    pub fn add(&mut self, start: u32, original: u32, width: u8, original_width: u8) {
        if let Some(last) = self.0.last_mut() {
            let same = (last.width, last.original_width) == (width, original_width);
            if same && last.map(start) == original && (start - last.start).is_multiple_of(u32::from(width)) {
                return;
            }
            if last.start == start {
                *last = Piece { start, original, width, original_width };
                return;
            }
        }
        self.0.push(Piece { start, original, width, original_width });
    }

    /// The offset in the original.
    pub fn original(&self, offset: u32) -> u32 {
        let index = self.0.partition_point(|piece| piece.start <= offset);
        match index.checked_sub(1) {
            Some(index) => self.0[index].map(offset),
            None => offset,
        }
    }
}

impl Piece {
    fn map(&self, offset: u32) -> u32 {
        let characters = (offset - self.start) / u32::from(self.width.max(1));
        self.original + characters * u32::from(self.original_width)
    }
}
