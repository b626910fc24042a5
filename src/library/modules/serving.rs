//! Servers and the loops of user interfaces: calls that return when somebody stops them.

use crate::fact::{FactKind, Measure, Proof, Unit};
use crate::library::{Args, Entry, Host, R};
use crate::value::object::{Sym, V, Why};

use super::support::{look, outside_any};

/// Names of what stops a server or a loop, or the program with it.
const STOPPING: &[&str] = &[
    "KeyboardInterrupt",
    "SystemExit",
    "_exit",
    "abort",
    "after",
    "alarm",
    "call_later",
    "cancel",
    "exit",
    "interrupt_main",
    "kill",
    "quit",
    "raise_signal",
    "setitimer",
    "should_exit",
    "shutdown",
    "stop",
    "stop_event",
    "terminate",
    "timeout",
];

/// The entry for a qualified name.
pub fn find(name: &str) -> Option<Entry> {
    Some(Entry::Function(match name {
        "http.server.HTTPServer"
        | "http.server.ThreadingHTTPServer"
        | "socketserver.TCPServer"
        | "socketserver.UDPServer"
        | "socketserver.ThreadingTCPServer"
        | "wsgiref.simple_server.make_server"
        | "xmlrpc.server.SimpleXMLRPCServer" => |host, args| make(host, &args, "serving.server"),
        "flask.Flask" | "bottle.Bottle" => |host, args| make(host, &args, "serving.application"),
        "asyncio.new_event_loop" | "asyncio.get_event_loop" => |host, args| make(host, &args, "serving.loop"),
        "tkinter.Tk" => |host, args| make(host, &args, "serving.window"),
        "serving.server.serve_forever" => |host, args| forever(host, args, "serve_forever", Proof::Proven),
        "serving.aserver.serve_forever" => |host, _| Ok(super::support::partial(host, "serving.aserver.serve_forever.wait", Vec::new())),
        "serving.aserver.serve_forever.wait" => |host, args| forever(host, args, "serve_forever", Proof::Proven),
        "serving.loop.run_forever" => |host, args| forever(host, args, "run_forever", Proof::Proven),
        "serving.loop.run_until_complete" => |host, mut args| {
            args.pos.remove(0);
            super::asyncio::run(host, args)
        },
        "serving.application.run" => |host, args| forever(host, args, "run", Proof::Proven),
        "serving.window.mainloop" | "tkinter.mainloop" => |host, args| forever(host, args, "mainloop", Proof::Likely),
        "uvicorn.run" => |host, args| forever(host, args, "uvicorn.run", Proof::Proven),
        "aiohttp.web.run_app" => |host, args| forever(host, args, "run_app", Proof::Proven),
        "waitress.serve" => |host, args| forever(host, args, "waitress.serve", Proof::Proven),
        "bottle.run" => |host, args| forever(host, args, "bottle.run", Proof::Proven),
        "matplotlib.pyplot.show" => |host, args| forever(host, args, "show", Proof::Likely),
        _ => return None,
    }))
}

/// Whether the program names what stops a server or a loop, or closed it before.
pub fn may_be_stopped(host: &dyn Host) -> bool {
    host.mentions(STOPPING) || host.mentions(&["close", "server_close"])
}

fn make(host: &mut dyn Host, args: &Args, class: &str) -> R<V> {
    look(host, args);
    Ok(V::Instance(Sym::new(class), Why::OUTSIDE))
}

/// Serves until somebody stops it; without a screen the loop of a window may end at once.
fn forever(host: &mut dyn Host, args: Args, callee: &str, proof: Proof) -> R<V> {
    host.may_raise("");
    // Closed before, or told what it does not take, it never starts.
    // What a coroutine awaits can be cancelled from outside it, where anything is outside.
    let is_stopped = may_be_stopped(host);
    let proof = if is_stopped || proof == Proof::Likely { Proof::Likely } else { host.proof() };
    let measure = Measure { unit: Unit::Seconds, low: f64::INFINITY, high: f64::INFINITY };
    host.fact(FactKind::ServesForever, Some(measure), proof, &[("callee", callee.to_owned())]);
    outside_any(host, args)
}
