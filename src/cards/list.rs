//! The one list of cards. A test compares it with the folder `rules/`.

/// The text of every card, in order of code.
pub const TEXTS: &[&str] = &[
    include_str!("../../rules/AF101.md"),
    include_str!("../../rules/AF102.md"),
    include_str!("../../rules/AF103.md"),
    include_str!("../../rules/AF104.md"),
    include_str!("../../rules/AF201.md"),
    include_str!("../../rules/AF202.md"),
    include_str!("../../rules/AF203.md"),
    include_str!("../../rules/AF204.md"),
    include_str!("../../rules/AF301.md"),
    include_str!("../../rules/AF302.md"),
    include_str!("../../rules/AF401.md"),
    include_str!("../../rules/AF402.md"),
    include_str!("../../rules/AF403.md"),
    include_str!("../../rules/AF404.md"),
    include_str!("../../rules/AF405.md"),
    include_str!("../../rules/AF406.md"),
    include_str!("../../rules/AF501.md"),
    include_str!("../../rules/AF602.md"),
    include_str!("../../rules/AF603.md"),
    include_str!("../../rules/AF901.md"),
    include_str!("../../rules/AF903.md"),
];
