//! A callable that a rule knows: a row of the table `[[callable]]`, in a card and in a configuration alike.

use serde::{Deserialize, Serialize};

/// A callable that a card knows.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize)]
#[serde(deny_unknown_fields)]
pub struct Callable {
    /// The qualified name: `time.sleep`.
    pub name: String,
    /// What the argument that decides means (`seconds`, `exponent`, `bits`).
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub measures: Option<String>,
    /// The position of that argument, from 0.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub argument: Option<u16>,
    /// The keyword by which that argument may be given.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub keyword: Option<String>,
    /// The operator it stands for (`**`).
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub operator: Option<String>,
}
