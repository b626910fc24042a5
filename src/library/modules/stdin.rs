//! What reads standard input: `sys.stdin`, `os.read`, debuggers, `getpass`, `fileinput`, `select`.

use crate::fact::{FactKind, Proof};
use crate::library::{Args, Entry, Host, R, Stdin, list_of};
use crate::value::object::{Sym, Text, V, Why};

use super::support::{bag, bind, look, outside_any};

/// The class of `sys.stdin`, which has the same name.
pub const STDIN: &str = "sys.stdin";

/// The entry for a qualified name.
pub fn find(name: &str) -> Option<Entry> {
    Some(match name {
        "sys.stdin" | "sys.stdin.buffer" | "sys.__stdin__" => Entry::Constant(V::Instance(Sym::new(STDIN), Why::OUTSIDE)),
        "sys.stdin.fileno" => Entry::Function(|_, _| Ok(V::Int(0))),
        "sys.stdin.isatty" => Entry::Function(|_, _| Ok(V::AnyBool(Why::OUTSIDE))),
        "sys.stdin.read" | "sys.stdin.readline" => Entry::Function(|host, args| {
            read(host, "sys.stdin", "OSError");
            look(host, &args);
            // Of its buffer they are bytes.
            Ok(V::Unknown(Why::OUTSIDE))
        }),
        "sys.stdin.readlines" => Entry::Function(|host, args| {
            read(host, "sys.stdin", "OSError");
            look(host, &args);
            Ok(list_of(host, bag(V::Unknown(Why::OUTSIDE), 0, u64::MAX)))
        }),
        "os.read" => Entry::Function(os_read),
        "breakpoint" | "pdb.set_trace" | "ipdb.set_trace" => Entry::Function(debugger),
        "pdb.run" | "pdb.runcall" | "pdb.post_mortem" | "pdb.pm" | "code.interact" => Entry::Function(debugger),
        "getpass.getpass" => Entry::Function(|host, args| {
            read(host, "getpass.getpass", "EOFError");
            look(host, &args);
            Ok(V::strs(0, u64::MAX, Why::OUTSIDE))
        }),
        "fileinput.input" => Entry::Function(|host, args| {
            // Of files that are named on the command line it reads those.
            if args.exactly(0) && host.is_bare() && host.is_iterated_at_once() {
                read(host, "fileinput.input", "OSError");
            }
            outside_any(host, args)
        }),
        "select.select" => Entry::Function(select),
        _ => return None,
    })
}

/// Something reads standard input. What it would raise at the end of it, the program may handle: then its author thought of it.
pub fn read(host: &mut dyn Host, callee: &str, at_end: &str) {
    let is_replaced = ["sys.stdin", "builtins.input", "input", "os.dup2"].iter().any(|name| host.store().is_patched(Sym::new(name)));
    if is_replaced || host.mentions(&["dup2"]) || host.is_handled(at_end) {
        return;
    }
    let proof = match host.stdin() {
        Stdin::Given => return,
        Stdin::Silent => Proof::Proven,
        // An error there, sooner or later; an empty input is none.
        Stdin::Empty if at_end == "EOFError" => Proof::Proven,
        Stdin::Empty => Proof::Likely,
    };
    host.fact(FactKind::ReadsStdin, None, proof, &[("callee", callee.to_owned())]);
}

fn os_read(host: &mut dyn Host, args: Args) -> R<V> {
    if args.get(0, "fd").and_then(V::exact_int) == Some(0) {
        read(host, "os.read", "OSError");
    }
    super::pipes::read(host, &args)?;
    look(host, &args);
    Ok(V::ManyBytes(Text::between(0, u64::MAX, Why::OUTSIDE)))
}

/// Asks what to do next; whoever answers may do anything to the program.
fn debugger(host: &mut dyn Host, args: Args) -> R<V> {
    read(host, "the debugger", "bdb.BdbQuit");
    let mut given = args;
    let globals = host.special("globals", Args::default())?;
    given.pos.push(globals);
    host.unknown_call(&given);
    host.interruptible();
    Ok(V::None)
}

/// Waits until one of some files is ready: standard input, where nothing else is asked for and no time is set.
fn select(host: &mut dyn Host, args: Args) -> R<V> {
    let [readers, writers, errors, timeout] = bind(host, &args, ["/r", "/w", "/x", "/timeout"], 3)?;
    if matches!(timeout, None | Some(V::None)) {
        let mut lists = Vec::new();
        for list in [&readers, &writers, &errors] {
            let taken = host.foresee(list.as_ref().unwrap_or(&V::None))?;
            lists.push(taken.filter(|taken| taken.items.rest.is_none()).map(|taken| taken.items.exact));
        }
        if let [Some(readers), Some(writers), Some(errors)] = lists.as_slice()
            && writers.is_empty()
            && errors.is_empty()
        {
            let is_stdin = |v: &V| matches!(v, V::Int(0)) || matches!(v, V::Instance(class, _) if &*class.text() == STDIN);
            if readers.is_empty() {
                return Err(host.waits_forever(FactKind::EndlessWait, "select.select", "it waits for nothing, and no time is set"));
            }
            if readers.iter().all(|reader| super::pipes::is_silent(host, reader)) || super::socket::all_silent(host, readers) {
                return Err(host.waits_forever(FactKind::EndlessWait, "select.select", "nothing is written to what it waits for"));
            }
            // At the end of the input it is ready.
            if readers.iter().all(is_stdin) {
                read(host, "select.select", "OSError");
            }
        }
    }
    outside_any(host, args)
}
