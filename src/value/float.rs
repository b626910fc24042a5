//! Floats as intervals.
