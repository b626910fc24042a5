//! The arithmetic of abstract values against brute force and against CPython.
//!
//! A bound that excludes a value CPython computes would become a wrong claim about somebody's program, so everything here asks one question: is the
//! real result a member of the abstract one, and are the exceptions that really happen among those announced?

mod costs;
mod cpython;
mod floats;
mod integers;
mod strings;
mod support;
