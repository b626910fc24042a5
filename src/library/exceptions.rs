//! The builtin exception classes and their hierarchy.

use super::Entry;

/// `(class, base)`, for every builtin exception.
pub const HIERARCHY: &[(&str, &str)] = &[
    ("BaseException", "object"),
    ("SystemExit", "BaseException"),
    ("KeyboardInterrupt", "BaseException"),
    ("GeneratorExit", "BaseException"),
    ("BaseExceptionGroup", "BaseException"),
    ("Exception", "BaseException"),
    ("ExceptionGroup", "Exception"),
    ("StopIteration", "Exception"),
    ("StopAsyncIteration", "Exception"),
    ("ArithmeticError", "Exception"),
    ("FloatingPointError", "ArithmeticError"),
    ("OverflowError", "ArithmeticError"),
    ("ZeroDivisionError", "ArithmeticError"),
    ("AssertionError", "Exception"),
    ("AttributeError", "Exception"),
    ("BufferError", "Exception"),
    ("EOFError", "Exception"),
    ("ImportError", "Exception"),
    ("ModuleNotFoundError", "ImportError"),
    ("LookupError", "Exception"),
    ("IndexError", "LookupError"),
    ("KeyError", "LookupError"),
    ("MemoryError", "Exception"),
    ("NameError", "Exception"),
    ("UnboundLocalError", "NameError"),
    ("OSError", "Exception"),
    ("BlockingIOError", "OSError"),
    ("ChildProcessError", "OSError"),
    ("ConnectionError", "OSError"),
    ("BrokenPipeError", "ConnectionError"),
    ("ConnectionAbortedError", "ConnectionError"),
    ("ConnectionRefusedError", "ConnectionError"),
    ("ConnectionResetError", "ConnectionError"),
    ("FileExistsError", "OSError"),
    ("FileNotFoundError", "OSError"),
    ("InterruptedError", "OSError"),
    ("IsADirectoryError", "OSError"),
    ("NotADirectoryError", "OSError"),
    ("PermissionError", "OSError"),
    ("ProcessLookupError", "OSError"),
    ("TimeoutError", "OSError"),
    ("ReferenceError", "Exception"),
    ("RuntimeError", "Exception"),
    ("NotImplementedError", "RuntimeError"),
    ("RecursionError", "RuntimeError"),
    ("PythonFinalizationError", "RuntimeError"),
    ("SyntaxError", "Exception"),
    ("IndentationError", "SyntaxError"),
    ("TabError", "IndentationError"),
    ("SystemError", "Exception"),
    ("TypeError", "Exception"),
    ("ValueError", "Exception"),
    ("UnicodeError", "ValueError"),
    ("UnicodeDecodeError", "UnicodeError"),
    ("UnicodeEncodeError", "UnicodeError"),
    ("UnicodeTranslateError", "UnicodeError"),
    ("Warning", "Exception"),
    ("BytesWarning", "Warning"),
    ("DeprecationWarning", "Warning"),
    ("EncodingWarning", "Warning"),
    ("FutureWarning", "Warning"),
    ("ImportWarning", "Warning"),
    ("PendingDeprecationWarning", "Warning"),
    ("ResourceWarning", "Warning"),
    ("RuntimeWarning", "Warning"),
    ("SyntaxWarning", "Warning"),
    ("UnicodeWarning", "Warning"),
    ("UserWarning", "Warning"),
    ("dataclasses.FrozenInstanceError", "AttributeError"),
    ("statistics.StatisticsError", "ValueError"),
];

/// Other names of the same classes.
fn canonical(name: &str) -> &str {
    match name {
        "IOError" | "EnvironmentError" | "socket.error" | "select.error" => "OSError",
        "json.JSONDecodeError" | "json.decoder.JSONDecodeError" => "ValueError",
        "builtins.Exception" => "Exception",
        other => other,
    }
}

/// The builtin exception class of that name, if it is one.
pub fn class(name: &str) -> Option<&'static str> {
    let name = canonical(name);
    HIERARCHY.iter().find(|(class, _)| *class == name).map(|(class, _)| *class)
}

/// Whether one builtin exception class derives from another (or is it). None when either is not builtin.
pub fn derives(name: &str, base: &str) -> Option<bool> {
    let (mut at, base) = (class(name)?, canonical(base));
    if base == "object" {
        return Some(true);
    }
    class(base)?;
    loop {
        if at == base {
            return Some(true);
        }
        match HIERARCHY.iter().find(|(class, _)| *class == at) {
            Some((_, parent)) if *parent != "object" => at = parent,
            _ => return Some(false),
        }
    }
}

/// The entry for a name.
pub fn find(name: &str) -> Option<Entry> {
    class(name).map(|_| Entry::Exception)
}
