//! What became of a bounded run (data only).
