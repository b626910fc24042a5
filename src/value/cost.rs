//! Cost floors.
