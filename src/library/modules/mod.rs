//! Modules of the standard library, one file each.

use crate::value::object::V;
use crate::value::store::class_of_kind;

use crate::syntax::code::{BinaryOp, CompareOp};

use super::{Args, Entry, Host, R};
pub use support::{attribute_of as attribute, exact_tuple};

mod argparse;
pub mod array;
mod asyncio;
mod collections;
mod contextlib;
mod copy;
mod dataclasses;
mod datetime;
pub mod decimal;
pub mod enums;
pub mod functools;
mod futures;
mod heapq;
mod itertools;
mod json;
mod logging;
mod math;
pub mod namedtuple;
mod multiprocessing;
mod network;
mod numpy;
mod operator;
mod pipes;
pub mod plain;
mod pool;
mod random;
pub mod re;
mod sched;
mod selectors;
mod serving;
mod shell;
mod statistics;
pub mod stdin;
mod socket;
mod subprocess;
mod support;
mod threading;
mod time;

/// Names of what ends the program, or lets another take its place, whatever its threads do.
pub const ENDING_ALL: &[&str] = &[
    "_exit",
    "abort",
    "execl",
    "execle",
    "execlp",
    "execv",
    "execve",
    "execvp",
    "execvpe",
    "interrupt_main",
    "kill",
    "killpg",
    "raise_signal",
];

/// Names of what reaches an attribute or a variable by a text.
pub const BY_TEXT: &[&str] = &[
    "__dict__",
    "__getattribute__",
    "__import__",
    "attrgetter",
    "eval",
    "exec",
    "getattr",
    "import_module",
    "methodcaller",
    "run_module",
    "run_path",
    "vars",
];

/// Modules with which a thread cannot end what another one waits for but by an object that both hold.
pub const APART: &[&str] = &[
    "__future__",
    "abc",
    "argparse",
    "atexit",
    "base64",
    "collections",
    "concurrent",
    "contextlib",
    "copy",
    "dataclasses",
    "datetime",
    "enum",
    "functools",
    "hashlib",
    "heapq",
    "itertools",
    "json",
    "logging",
    "math",
    "operator",
    "os",
    "pathlib",
    "queue",
    "multiprocessing",
    "random",
    "re",
    "select",
    "selectors",
    "socket",
    "ssl",
    "statistics",
    "string",
    "sys",
    "tempfile",
    "textwrap",
    "threading",
    "time",
    "traceback",
    "types",
    "typing",
    "uuid",
    "warnings",
];

/// Modules that do to the program's objects nothing but what it names: those, and more. What others do with those they are given is not
/// seen.
pub const INERT: [&[&str]; 2] = [APART, MORE];

const MORE: &[&str] = &[
    "array",
    "asyncio",
    "bisect",
    "decimal",
    "fractions",
    "gc",
    "io",
    "numpy",
    "pickle",
    "platform",
    "pprint",
    "secrets",
    "shutil",
    "signal",
    "struct",
    "subprocess",
    "urllib",
    "weakref",
];

/// A call of a function that code in a string defines.
pub const TEXT_CALL: &str = "text.call";

/// What adds something to a container that others may hold.
pub const KEEP: &str = "append to what is shared";

fn keep(host: &mut dyn Host, args: Args) -> R<V> {
    host.store().escape_all(&args.values());
    if args.exactly(1) { Ok(V::None) } else { Err(host.raise("TypeError", "")) }
}

/// The entry for a qualified name.
pub fn find(name: &str) -> Option<Entry> {
    if name == KEEP {
        return Some(Entry::Function(keep));
    }
    if name == TEXT_CALL {
        return Some(Entry::Function(|host, args| host.special("call of text", args)));
    }
    if is_modelled(name) {
        return Some(Entry::Module);
    }
    if let Some(found) = stdin::find(name).or_else(|| serving::find(name)).or_else(|| network::find(name)) {
        return Some(found);
    }
    let (module, rest) = name.split_once('.')?;
    match module {
        "subprocess" => subprocess::find(name),
        "os" => pipes::find(name).or_else(|| subprocess::find_os(rest)).or_else(|| subprocess::find(name)).or_else(|| plain::find(name)),
        "socket" => socket::find(rest).or_else(|| plain::find(name)),
        "multiprocessing" => multiprocessing::find(rest),
        "threading" => threading::find(rest).or_else(|| plain::find(name)),
        "queue" => threading::find_queue(rest),
        "argparse" => argparse::find(rest),
        "array" => array::find(rest),
        "asyncio" => asyncio::find(rest),
        "bisect" => heapq::find_bisect(rest),
        "collections" => collections::find(rest),
        "concurrent" => futures::find(rest),
        "contextlib" => contextlib::find(rest),
        "copy" => copy::find(rest),
        "dataclasses" => dataclasses::find(rest),
        "datetime" => datetime::find(rest).or_else(|| plain::find(name)),
        "decimal" => decimal::find(rest),
        "enum" => enums::find(rest),
        "fractions" => decimal::find_fractions(rest),
        "functools" => functools::find(rest),
        "heapq" => heapq::find(rest),
        "itertools" => itertools::find(rest),
        "json" => json::find(rest).or_else(|| plain::find(name)),
        "logging" => logging::find(rest).or_else(|| plain::find(name)),
        "math" => math::find(rest),
        "numpy" => numpy::find(rest),
        "operator" => operator::find(rest),
        "random" => random::find(rest),
        "re" => re::find(rest),
        "sched" => sched::find(rest),
        "secrets" => random::find_secrets(rest),
        "selectors" => selectors::find(rest),
        "shlex" => shell::find(rest),
        "statistics" => statistics::find(rest),
        "time" => time::find(rest),
        _ => plain::find(name),
    }
}

/// Whether a library callable, as an attribute of a class, is given the instance as functions are.
pub fn binds(name: &str) -> bool {
    name == "functools._lru_cache_wrapper"
        || ["dataclasses.method.", "collections.namedtuple.", "enum.method.", "functools.total_ordering."]
            .iter()
            .any(|p| name.starts_with(p))
}

/// `a op b` where one side is an exact value of the library.
pub fn binary(host: &mut dyn Host, op: BinaryOp, a: &V, b: &V) -> R<Option<V>> {
    if !matches!(a, V::Ref(_)) && !matches!(b, V::Ref(_)) {
        return Ok(None);
    }
    match decimal::binary(host, op, a, b)? {
        Some(value) => Ok(Some(value)),
        None => datetime::binary(host, op, a, b),
    }
}

/// A comparison where one side is an exact value of the library.
pub fn compared(host: &mut dyn Host, op: CompareOp, a: &V, b: &V) -> R<Option<V>> {
    match decimal::compared(host, op, a, b) {
        Some(value) => Ok(Some(value)),
        None => datetime::compared(host, op, a, b),
    }
}

/// `-value` and the like of an exact value of the library, of whose number it is the same.
pub fn signed(host: &mut dyn Host, value: &V, of: fn(i128) -> i128) -> R<Option<V>> {
    match decimal::signed(host, value, of)? {
        Some(value) => Ok(Some(value)),
        None => datetime::signed(host, value, of),
    }
}

/// `bool(value)` of an exact value of the library.
pub fn truth(host: &mut dyn Host, value: &V) -> Option<bool> {
    decimal::truth(host, value).or_else(|| datetime::truth(host, value))
}

/// What `str` and `repr` give of an exact value of the library.
pub fn text(host: &mut dyn Host, value: &V, repr: bool) -> Option<String> {
    decimal::text(host, value, repr).or_else(|| datetime::text(host, value, repr))
}

/// A value with the equality and hash of an exact value of the library.
pub fn exact_key(host: &mut dyn Host, value: &V) -> Option<V> {
    datetime::key_instead(host, value)
}

/// For an instance of a class that the library gives its equality and hash: a value with the same of both.
pub fn key_instead(host: &mut dyn Host, value: &V) -> R<Option<V>> {
    match namedtuple::items_of(host, value) {
        Some(items) => Ok(Some(items)),
        None => dataclasses::key_instead(host, value),
    }
}

/// Whether a partial of this function is an awaitable, which runs it.
pub fn is_awaitable(name: &str) -> bool {
    asyncio::is_awaitable(name)
}

/// What waiting for an instance of a library class calls, where it may be waited for.
pub fn waiting(class: &str) -> Option<&'static str> {
    asyncio::waiting(class)
}

/// Enters one of the managers of `contextlib` that are followed: its exit and what it gives.
pub fn enter_manager(host: &mut dyn Host, manager: &V) -> R<Option<(V, V)>> {
    contextlib::enter(host, manager)
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

/// The least minor version that has a name, where older supported ones lack it: looking it up may fail there.
pub fn since(name: &str) -> u8 {
    match name {
        "itertools.pairwise" => 10,
        "asyncio.Barrier" => 11,
        "math.cbrt" | "math.exp2" | "operator.call" => 11,
        "itertools.batched" | "math.sumprod" | "random.binomialvariate" | "typing.override" => 12,
        "math.fma" => 13,
        _ => 9,
    }
}

/// What `from module import *` binds, where that is modelled. Names that only some versions have are among them.
pub fn star(module: &str) -> Option<&'static [&'static str]> {
    Some(match module {
        "math" => &[
            "acos",
            "acosh",
            "asin",
            "asinh",
            "atan",
            "atan2",
            "atanh",
            "cbrt",
            "ceil",
            "comb",
            "copysign",
            "cos",
            "cosh",
            "degrees",
            "dist",
            "e",
            "erf",
            "erfc",
            "exp",
            "exp2",
            "expm1",
            "fabs",
            "factorial",
            "floor",
            "fma",
            "fmod",
            "frexp",
            "fsum",
            "gamma",
            "gcd",
            "hypot",
            "inf",
            "isclose",
            "isfinite",
            "isinf",
            "isnan",
            "isqrt",
            "lcm",
            "ldexp",
            "lgamma",
            "log",
            "log10",
            "log1p",
            "log2",
            "modf",
            "nan",
            "nextafter",
            "perm",
            "pi",
            "pow",
            "prod",
            "radians",
            "remainder",
            "sin",
            "sinh",
            "sqrt",
            "sumprod",
            "tan",
            "tanh",
            "tau",
            "trunc",
            "ulp",
        ],
        "itertools" => &[
            "accumulate",
            "batched",
            "chain",
            "combinations",
            "combinations_with_replacement",
            "compress",
            "count",
            "cycle",
            "dropwhile",
            "filterfalse",
            "groupby",
            "islice",
            "pairwise",
            "permutations",
            "product",
            "repeat",
            "starmap",
            "takewhile",
            "tee",
            "zip_longest",
        ],
        "functools" => &[
            "Placeholder",
            "WRAPPER_ASSIGNMENTS",
            "WRAPPER_UPDATES",
            "cache",
            "cached_property",
            "cmp_to_key",
            "lru_cache",
            "partial",
            "partialmethod",
            "reduce",
            "singledispatch",
            "singledispatchmethod",
            "total_ordering",
            "update_wrapper",
            "wraps",
        ],
        "random" => &[
            "Random",
            "SystemRandom",
            "betavariate",
            "binomialvariate",
            "choice",
            "choices",
            "expovariate",
            "gammavariate",
            "gauss",
            "getrandbits",
            "getstate",
            "lognormvariate",
            "normalvariate",
            "paretovariate",
            "randbytes",
            "randint",
            "random",
            "randrange",
            "sample",
            "seed",
            "setstate",
            "shuffle",
            "triangular",
            "uniform",
            "vonmisesvariate",
            "weibullvariate",
        ],
        "collections" => {
            &["ChainMap", "Counter", "OrderedDict", "UserDict", "UserList", "UserString", "defaultdict", "deque", "namedtuple"]
        }
        "string" => &[
            "Formatter",
            "Template",
            "ascii_letters",
            "ascii_lowercase",
            "ascii_uppercase",
            "capwords",
            "digits",
            "hexdigits",
            "octdigits",
            "printable",
            "punctuation",
            "whitespace",
        ],
        _ => return None,
    })
}

/// Whether a library type is a context manager that neither swallows exceptions nor interrupts what it surrounds.
pub fn is_plain_manager(name: &str) -> bool {
    matches!(
        name,
        "open"
            | "io.TextIOWrapper"
            | "io.IOBase"
            | "io.StringIO"
            | "io.BytesIO"
            | "tempfile.TemporaryDirectory"
            | "tempfile.NamedTemporaryFile"
            | "decimal.localcontext"
            | "serving.server"
            | "serving.aserver"
            | "serving.demo"
            | "requests.Session"
            | "urllib3.PoolManager"
            | "multiprocessing.spawnpool"
    )
}

/// The class of an object that others may hold, where its methods say what is so whoever holds it.
pub fn shared_class(kind: &str) -> Option<&str> {
    let class = class_of_kind(kind);
    ["threading.", "queue.", "asyncio.", "concurrent.", "multiprocessing."].iter().any(|module| class.starts_with(module)).then_some(class)
}

/// Whether a class is none of Python's, but what several of them have in common, or one that has no name.
pub fn stands_for_others(name: &str) -> bool {
    name.starts_with("serving.")
        || name.starts_with("os.fd.")
        || matches!(
            name,
            "sys.stdin"
                | "subprocess.pipe"
                | "asyncio.timeout"
                | "threading.Lock"
                | "queue.Queue"
                | "asyncio.Lock"
                | "multiprocessing.JoinableQueue"
                | "multiprocessing.Lock"
                | "multiprocessing.pool.AsyncResult"
                | "multiprocessing.Queue"
                | "multiprocessing.Semaphore"
                | "selectors.DefaultSelector"
                | "socket.stream"
                | "text.builtins"
                | "text.module"
                | "asyncio.Queue"
                | "multiprocessing.spawn"
                | "multiprocessing.spawnpool"
        )
}
