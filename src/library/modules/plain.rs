//! Modules of which little more is known than the types of their results, as one table, and constants.

use std::rc::Rc;

use crate::fact::{FactKind, Proof};
use crate::library::common::{bag, why_of};
use crate::library::{Args, Entry, Host, R, list_of};
use crate::value::object::{Obj, Sym, Text, V, Why};

use super::support::{
    all, identity, interrupting, look, outside_any, outside_bool, outside_float, outside_none, outside_size, outside_str,
    outside_str_or_none, outside_strings,
};
use super::{BY_TEXT, INERT};

/// The entry for a qualified name.
pub fn find(name: &str) -> Option<Entry> {
    if let Some(constant) = constant(name) {
        return Some(Entry::Constant(constant));
    }
    Some(Entry::Function(match name {
        "os.getcwd"
        | "os.path.abspath"
        | "os.path.expanduser"
        | "os.path.realpath"
        | "os.path.relpath"
        | "platform.node"
        | "getpass.getuser"
        | "traceback.format_exc"
        | "socket.gethostname"
        | "time.ctime" => outside_str,
        "textwrap.dedent"
        | "textwrap.fill"
        | "textwrap.shorten"
        | "textwrap.indent"
        | "pprint.pformat"
        | "os.path.join"
        | "os.path.basename"
        | "os.path.dirname"
        | "os.path.normpath"
        | "html.escape"
        | "html.unescape"
        | "urllib.parse.quote"
        | "urllib.parse.unquote"
        | "urllib.parse.urlencode"
        | "json.JSONEncoder.encode"
        | "string.capwords"
        | "urllib.parse.quote_plus"
        | "urllib.parse.unquote_plus"
        | "urllib.parse.urljoin"
        | "unicodedata.normalize"
        | "platform.system"
        | "platform.machine"
        | "platform.platform"
        | "platform.python_version" => |host, args| Ok(V::strs(0, u64::MAX, computed(host, &args))),
        "shutil.which" => outside_str_or_none,
        "os.environ.get" | "os.getenv" | "os.environ.copy" | "os.stat" | "typing.TypeVar" | "typing.ParamSpec" | "typing.NewType"
        | "sys.exc_info" | "uuid.uuid4" => outside_any,
        "os.path.splitext" | "os.path.split" | "unicodedata.name" | "hashlib.sha256" | "hashlib.md5" | "hashlib.sha1"
        | "hashlib.sha512" => |host, args| Ok(V::Unknown(computed(host, &args))),
        "datetime.datetime.now" | "datetime.datetime.utcnow" | "datetime.datetime.today" => |host, args| {
            if !args.exactly(0) {
                look(host, &args);
            }
            Ok(V::Instance(Sym::new("datetime.datetime"), Why::OUTSIDE))
        },
        "datetime.date.today" => |_, _| Ok(V::Instance(Sym::new("datetime.date"), Why::OUTSIDE)),
        "time.clock_getres" | "time.clock_gettime" => outside_float,
        "os.listdir" | "glob.glob" => outside_strings,
        "textwrap.wrap" | "shlex.split" => |host, args| {
            let why = computed(host, &args);
            Ok(list_of(host, bag(Some(V::strs(0, u64::MAX, why)), 0, u64::MAX)))
        },
        "os.getpid"
        | "os.getppid"
        | "os.path.getsize"
        | "sys.getrecursionlimit"
        | "sys.getrefcount"
        | "threading.active_count"
        | "threading.get_ident" => outside_size,
        "zlib.crc32" | "zlib.adler32" | "binascii.crc32" | "sys.getsizeof" => |host, args| Ok(V::any_int(computed(host, &args))),
        "os.path.isabs" | "keyword.iskeyword" => |host, args| Ok(V::AnyBool(computed(host, &args))),
        "os.path.exists" | "os.path.isfile" | "os.path.isdir" | "os.path.islink" | "sys.is_finalizing" | "gc.isenabled" => outside_bool,
        "os.path.getmtime" | "os.path.getctime" | "os.path.getatime" => outside_float,
        "os.urandom" => super::random::urandom,
        "base64.b64encode" | "base64.b64decode" | "binascii.hexlify" => {
            |host, args| Ok(V::ManyBytes(Text::between(0, u64::MAX, computed(host, &args))))
        }
        "warnings.warn"
        | "warnings.filterwarnings"
        | "warnings.simplefilter"
        | "pprint.pprint"
        | "traceback.print_exc"
        | "logging.basicConfig"
        | "os.makedirs"
        | "os.mkdir"
        | "sys.stdout.flush"
        | "sys.stderr.flush" => outside_none,
        "abc.abstractmethod" => abstract_method,
        "typing.final" | "typing.overload" | "typing.override" | "typing.no_type_check" | "typing.runtime_checkable" => identity,
        "typing.cast" => cast,
        "sys.exit" => exit,
        "sys.setrecursionlimit" => set_recursion_limit,
        "sys.set_int_max_str_digits" => set_digits,
        "signal.signal" => handle,
        "atexit.register" => at_exit,
        "unittest.main" => run_tests,
        "signal.pause" => |host, args| pause(host, args, "signal.pause"),
        "signal.pthread_sigmask" => |host, args| {
            host.may_raise("");
            super::support::outside_any(host, args)
        },
        "signal.sigwait" | "signal.sigwaitinfo" => |host, args| {
            look(host, &args);
            pause(host, args, "signal.sigwait")
        },
        "sys.stdout.write" | "sys.stderr.write" => write,
        "signal.alarm"
        | "signal.setitimer"
        | "signal.pthread_kill"
        | "sys.settrace"
        | "sys.setprofile"
        | "_thread.start_new_thread"
        | "_thread.interrupt_main"
        | "resource.setrlimit"
        | "resource.prlimit"
        | "faulthandler.dump_traceback_later" => interrupting,
        _ => return None,
    }))
}

/// The time now as text, by a format that is plain text.
pub fn written_time(host: &mut dyn Host, args: Args) -> R<V> {
    let plain = |v: &V| matches!(v, V::Str(format) if format.is_ascii() && !format.contains('\0'));
    if !args.kw.is_empty() || !args.pos.iter().all(|v| plain(v) || matches!(v, V::Instance(..))) {
        look(host, &args);
    }
    Ok(V::strs(0, u64::MAX, Why::OUTSIDE))
}

/// Why a result is not known that depends on the arguments alone: it is one value, whatever it is, unless one of them comes from
/// outside.
fn computed(host: &mut dyn Host, args: &Args) -> Why {
    look(host, args);
    let values = args.values();
    why_of(&values.iter().collect::<Vec<&V>>())
}

fn constant(name: &str) -> Option<V> {
    let text = |text: &str| Some(V::str(text));
    match name {
        "string.ascii_lowercase" => text("abcdefghijklmnopqrstuvwxyz"),
        "string.ascii_uppercase" => text("ABCDEFGHIJKLMNOPQRSTUVWXYZ"),
        "string.ascii_letters" => text("abcdefghijklmnopqrstuvwxyzABCDEFGHIJKLMNOPQRSTUVWXYZ"),
        "string.digits" => text("0123456789"),
        "string.hexdigits" => text("0123456789abcdefABCDEF"),
        "string.octdigits" => text("01234567"),
        "string.punctuation" => text("!\"#$%&'()*+,-./:;<=>?@[\\]^_`{|}~"),
        "string.whitespace" => text(" \t\n\r\x0b\x0c"),
        "string.printable" => {
            text("0123456789abcdefghijklmnopqrstuvwxyzABCDEFGHIJKLMNOPQRSTUVWXYZ!\"#$%&'()*+,-./:;<=>?@[\\]^_`{|}~ \t\n\r\x0b\x0c")
        }
        "sys.maxsize" => Some(V::Int((1 << 63) - 1)),
        "sys.maxunicode" => Some(V::Int(0x0010_FFFF)),
        // The same in every run of one interpreter.
        "sys.platform" | "sys.version" | "os.name" | "os.sep" | "os.linesep" => Some(V::strs(0, u64::MAX, Why::Lost)),
        "sys.version_info" => Some(V::Unknown(Why::Lost)),
        "sys.executable" | "sys.prefix" => Some(V::strs(0, u64::MAX, Why::OUTSIDE)),
        "sys.argv" | "sys.path" | "sys.modules" | "sys.flags" | "sys.float_info" => Some(V::Unknown(Why::OUTSIDE)),
        "typing.TYPE_CHECKING" => Some(V::Bool(false)),
        _ => None,
    }
}

fn cast(host: &mut dyn Host, args: Args) -> R<V> {
    let [_, value] = all(host, &args, ["typ", "val"])?;
    Ok(value)
}

fn exit(host: &mut dyn Host, args: Args) -> R<V> {
    if args.pos.len() > 1 || !args.kw.is_empty() {
        return Err(host.raise("TypeError", "exit expected at most 1 argument"));
    }
    Err(host.raise("SystemExit", ""))
}

/// The limit on digits of conversions between int and str. Early releases of 3.9 and 3.10 lack it.
fn set_digits(host: &mut dyn Host, args: Args) -> R<V> {
    let [most] = all(host, &args, ["maxdigits"])?;
    let known = most.exact_int().and_then(|n| u64::try_from(n).ok());
    match known {
        Some(1..640) => return Err(host.raise("ValueError", "maxdigits must be 0 or larger than 640")),
        None => host.may_raise(""),
        _ => {}
    }
    host.store().path.switches.str_digits = known;
    Ok(V::None)
}

/// A handler may interrupt the program at any time; what ignores a signal does not, nor does the system's own answer, which ends it.
fn handle(host: &mut dyn Host, args: Args) -> R<V> {
    let named = |v: Option<&V>, names: &[&str]| matches!(v, Some(V::Lib(name)) if names.contains(&&*name.text()));
    if !named(args.pos.get(1), &["signal.SIG_IGN", "signal.SIG_DFL"]) {
        return interrupting(host, args);
    }
    if named(args.pos.get(1), &["signal.SIG_IGN"]) && named(args.pos.first(), &["signal.SIGTERM", "signal.SIGINT"]) {
        host.fact(FactKind::IgnoresTermination, None, Proof::Proven, &[]);
    }
    outside_any(host, args)
}

fn write(host: &mut dyn Host, args: Args) -> R<V> {
    let [text] = all(host, &args, ["/s"])?;
    match &text {
        V::Str(_) | V::Strs(_) => {
            let low = crate::value::store::text_of(&text).map_or(0, |text| text.low);
            host.writes(low, "sys.stdout.write");
            Ok(V::any_size(Why::Lost))
        }
        _ => outside_any(host, args),
    }
}

/// A function that runs once the program is over, and keeps it from ending where it never returns.
fn at_exit(host: &mut dyn Host, args: Args) -> R<V> {
    let Some(function) = args.pos.first().cloned() else { return Err(host.raise("TypeError", "")) };
    if args.kw.is_empty() && host.lasts(&function, Args::of(args.pos[1..].iter().cloned()))? == f64::INFINITY {
        super::threading::hangs_at_exit(host, "atexit.register", "the function never returns");
    }
    host.store().escape_all(&args.values());
    Ok(function)
}

/// Runs the tests of the program, of which one may never return.
fn run_tests(host: &mut dyn Host, args: Args) -> R<V> {
    if args.pos.is_empty()
        && !host.mentions(&["load_tests", "setUpModule", "skip", "skipIf", "skipUnless", "argv", "defaultTest"])
        && let V::Str(name) = host.special("tests", Args::default())?
    {
        return Err(host.waits_forever(FactKind::EndlessWait, "unittest.main", &format!("the test `{name}` never returns")));
    }
    host.unknown_call(&args);
    host.interruptible();
    // It ends the program, unless it is told not to.
    if args.exactly(0) { Err(host.raise("SystemExit", "")) } else { Ok(V::Unknown(Why::OUTSIDE)) }
}

/// Waits for a signal: one that the program asked for, or one from outside.
fn pause(host: &mut dyn Host, args: Args, callee: &str) -> R<V> {
    const SENDING: &[&str] =
        &["alarm", "setitimer", "Timer", "Thread", "Process", "Popen", "fork", "raise_signal", "kill", "system", "run"];
    // What ends such a wait beside them, where the program asked for a signal.
    const MORE: &[&str] = &[
        "Pool",
        "ThreadPool",
        "ThreadPoolExecutor",
        "ProcessPoolExecutor",
        "SIGCHLD",
        "SIGCLD",
        "call",
        "check_call",
        "check_output",
        "create_subprocess_exec",
        "create_subprocess_shell",
        "forkpty",
        "getoutput",
        "getstatusoutput",
        "killpg",
        "popen",
        "posix_spawn",
        "posix_spawnp",
        "pthread_kill",
        "run_in_executor",
        "spawnl",
        "spawnle",
        "spawnlp",
        "spawnlpe",
        "spawnv",
        "spawnve",
        "spawnvp",
        "spawnvpe",
        "start_new_thread",
        "to_thread",
    ];
    if host.mentions(SENDING) {
        return interrupting(host, args);
    }
    // A handler is called when the signal is there, and not before.
    if !host.mentions(MORE) && !host.mentions(BY_TEXT) && host.imports_only(&INERT) {
        host.store().path.interruptible = false;
    }
    Err(host.waits_forever(FactKind::EndlessWait, callee, "nothing in the program sends a signal"))
}

/// Limits beyond this hold more frames than a C stack does.
const DEEP: i128 = 100_000;

fn set_recursion_limit(host: &mut dyn Host, args: Args) -> R<V> {
    if let Some(limit) = args.pos.first().and_then(V::exact_int) {
        if limit >= 1 << 31 {
            return Err(host.raise("OverflowError", "signed integer is greater than maximum"));
        }
        if limit > DEEP {
            let words = [("callee", "sys.setrecursionlimit".to_owned()), ("depth", limit.to_string())];
            host.fact(FactKind::RaisedRecursionLimit, None, Proof::Proven, &words);
        }
    }
    host.may_raise("");
    host.special("setrecursionlimit", args)
}

/// The name under which a function, or a class by its metaclass, is marked as abstract.
pub const ABSTRACT: &str = "__isabstractmethod__";

fn abstract_method(host: &mut dyn Host, args: Args) -> R<V> {
    let made = identity(host, args)?;
    if let V::Ref(id) = &made {
        host.store().mutate(*id, true, |obj| {
            if let Obj::Function(f) = obj {
                Rc::make_mut(f).attrs.push((Sym::new(ABSTRACT), V::Bool(true)));
            }
        });
    }
    Ok(made)
}
