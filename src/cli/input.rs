//! From what was named on the command line to sources, and from sources to verdicts: on threads with a large stack, and so that a
//! panic over one source does not cost the others.

use std::io;
use std::panic::{AssertUnwindSafe, catch_unwind};
use std::path::{Path, PathBuf};

use rayon::prelude::*;

use crate::rules::Profile;
use crate::source::{Source, SourceError};
use crate::stack;

/// Something to check.
#[derive(Debug, Clone)]
pub enum Input {
    /// A file named on the command line.
    File(PathBuf),
    /// A file found in a folder.
    Found(PathBuf),
    /// Standard input, and its name in reports.
    Stdin(String),
    /// `-c CODE`.
    Command(String),
}

impl Input {
    /// How reports call it.
    pub fn name(&self) -> String {
        match self {
            Input::File(path) | Input::Found(path) => path.to_string_lossy().into_owned(),
            Input::Stdin(name) => name.clone(),
            Input::Command(_) => "<command>".to_owned(),
        }
    }

    /// What it is judged for where nobody says.
    pub fn profile(&self) -> Profile {
        match self {
            Input::Found(_) => Profile::Library,
            Input::File(_) | Input::Stdin(_) | Input::Command(_) => Profile::Agent,
        }
    }

    /// The path it has: that of the file, or the name given to standard input.
    pub fn path(&self) -> Option<&Path> {
        match self {
            Input::File(path) | Input::Found(path) => Some(path),
            Input::Stdin(name) if !name.starts_with('<') => Some(Path::new(name)),
            Input::Stdin(_) | Input::Command(_) => None,
        }
    }

    /// Reads it. The error names it.
    pub fn load(&self) -> Result<Source, SourceError> {
        match self {
            Input::File(path) | Input::Found(path) => Source::from_path(path),
            Input::Stdin(name) => Source::from_reader(name, io::stdin().lock()),
            Input::Command(code) => Source::from_text(&self.name(), code),
        }
    }
}

/// What answers are given for.
pub trait Named: Sync {
    /// How reports call it.
    fn name(&self) -> String;
}

impl Named for Input {
    fn name(&self) -> String {
        Input::name(self)
    }
}

/// Why there is no answer for an input.
#[derive(Debug, Clone, PartialEq, Eq)]
pub enum Failure {
    /// It could not be read.
    Unreadable(String),
    /// antifreeze itself failed over it.
    Internal(String),
}

/// Does `work` for each input, in parallel, and gives the answers in order. A panic is an answer too.
pub fn for_each<I: Named, T: Send>(inputs: &[I], work: impl Fn(&I) -> Result<T, SourceError> + Sync) -> Vec<Result<T, Failure>> {
    let one = |input: &I| match catch_unwind(AssertUnwindSafe(|| work(input))) {
        Ok(Ok(answer)) => Ok(answer),
        Ok(Err(unreadable)) => Err(Failure::Unreadable(unreadable.to_string())),
        Err(panic) => Err(Failure::Internal(format!("internal error over {}: {}", input.name(), stack::panic_message(panic.as_ref())))),
    };
    let threads = stack::processors().min(inputs.len().max(1));
    match stack::pool(threads) {
        Ok(pool) => pool.install(|| inputs.par_iter().map(one).collect()),
        Err(error) => vec![Err(Failure::Internal(format!("cannot start threads: {error}")))],
    }
}

#[cfg(test)]
mod tests {
    use super::{Failure, Input, for_each};

    #[test]
    fn a_panic_over_one_input_leaves_the_others_their_answers() {
        let inputs: Vec<Input> = ["a", "boom", "a\0b", "b"].map(|code| Input::Command(code.to_owned())).into();
        let answers = for_each(&inputs, |input| match input {
            Input::Command(code) if code == "boom" => panic!("the evaluator tripped"),
            Input::Command(code) if code == "a\0b" => input.load().map(|_| String::new()),
            Input::Command(code) => Ok(code.clone()),
            _ => unreachable!("only commands were given"),
        });
        let unreadable = inputs[2].load().expect_err("NUL is no Python").to_string();
        assert_eq!(
            answers,
            [
                Ok("a".to_owned()),
                Err(Failure::Internal("internal error over <command>: the evaluator tripped".to_owned())),
                Err(Failure::Unreadable(unreadable)),
                Ok("b".to_owned()),
            ]
        );
    }

    #[test]
    fn the_stack_is_large() {
        fn deep(n: usize) -> usize {
            let frame = std::hint::black_box([n; 128]);
            if n == 0 { frame[0] } else { deep(n - 1) + frame[1].min(1) }
        }
        let answers = for_each(&[Input::Command(String::new())], |_| Ok(deep(20_000)));
        assert_eq!(answers, [Ok(20_000)]);
    }
}
