//! Modules of the standard library, one file each.

use super::Entry;

/// The entry for a qualified name.
pub fn find(name: &str) -> Option<Entry> {
    if is_modelled(name) {
        return Some(Entry::Module);
    }
    let _ = name;
    None
}

/// Dotted names that are modules by themselves when reached through their parent.
fn is_modelled(name: &str) -> bool {
    matches!(
        name,
        "os.path"
            | "collections.abc"
            | "concurrent.futures"
            | "urllib.request"
            | "urllib.parse"
            | "xml.etree"
            | "importlib.util"
            | "email.message"
            | "multiprocessing.pool"
            | "asyncio.subprocess"
    )
}

/// Whether a top-level module is part of the standard library, so that importing it does not fail.
pub fn is_standard(name: &str) -> bool {
    const NAMES: &[&str] = &[
        "__future__",
        "_thread",
        "abc",
        "argparse",
        "array",
        "ast",
        "asyncio",
        "atexit",
        "base64",
        "binascii",
        "bisect",
        "builtins",
        "bz2",
        "calendar",
        "cmath",
        "cmd",
        "code",
        "codecs",
        "collections",
        "colorsys",
        "concurrent",
        "configparser",
        "contextlib",
        "contextvars",
        "copy",
        "copyreg",
        "csv",
        "ctypes",
        "dataclasses",
        "datetime",
        "decimal",
        "difflib",
        "dis",
        "doctest",
        "email",
        "enum",
        "errno",
        "faulthandler",
        "filecmp",
        "fileinput",
        "fnmatch",
        "fractions",
        "ftplib",
        "functools",
        "gc",
        "getopt",
        "getpass",
        "gettext",
        "glob",
        "graphlib",
        "gzip",
        "hashlib",
        "heapq",
        "hmac",
        "html",
        "http",
        "imaplib",
        "importlib",
        "inspect",
        "io",
        "ipaddress",
        "itertools",
        "json",
        "keyword",
        "linecache",
        "locale",
        "logging",
        "lzma",
        "mailbox",
        "marshal",
        "math",
        "mimetypes",
        "mmap",
        "multiprocessing",
        "netrc",
        "numbers",
        "operator",
        "os",
        "pathlib",
        "pdb",
        "pickle",
        "pkgutil",
        "platform",
        "plistlib",
        "poplib",
        "pprint",
        "profile",
        "pstats",
        "py_compile",
        "queue",
        "quopri",
        "random",
        "re",
        "reprlib",
        "runpy",
        "sched",
        "secrets",
        "select",
        "selectors",
        "shelve",
        "shlex",
        "shutil",
        "signal",
        "site",
        "smtplib",
        "socket",
        "socketserver",
        "sqlite3",
        "ssl",
        "stat",
        "statistics",
        "string",
        "stringprep",
        "struct",
        "subprocess",
        "symtable",
        "sys",
        "sysconfig",
        "tarfile",
        "tempfile",
        "textwrap",
        "threading",
        "time",
        "timeit",
        "token",
        "tokenize",
        "trace",
        "traceback",
        "tracemalloc",
        "types",
        "typing",
        "unicodedata",
        "unittest",
        "urllib",
        "uuid",
        "venv",
        "warnings",
        "wave",
        "weakref",
        "webbrowser",
        "xml",
        "xmlrpc",
        "zipapp",
        "zipfile",
        "zipimport",
        "zlib",
    ];
    NAMES.binary_search(&name).is_ok()
}

/// What `from module import *` binds, where that is modelled.
pub fn star(module: &str) -> Option<&'static [&'static str]> {
    let _ = module;
    None
}

/// Whether a library type is a context manager that neither swallows exceptions nor interrupts what it surrounds.
pub fn is_plain_manager(name: &str) -> bool {
    matches!(
        name,
        "open"
            | "io.TextIOWrapper"
            | "io.StringIO"
            | "io.BytesIO"
            | "tempfile.TemporaryDirectory"
            | "tempfile.NamedTemporaryFile"
            | "decimal.localcontext"
    )
}
