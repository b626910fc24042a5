//! Servers and the loops of user interfaces: calls that return when somebody stops them.

use crate::fact::{FactKind, Measure, Proof, Unit};
use crate::library::{Args, Entry, Host, R};
use crate::value::object::{Sym, V, Why};

use super::support::outside_any;

/// Names of what stops a server or a loop, or the program with it.
const STOPPING: &[&str] = &[
    "GracefulExit",
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
        | "socketserver.ThreadingUDPServer"
        | "socketserver.ForkingTCPServer"
        | "socketserver.UnixStreamServer"
        | "wsgiref.simple_server.make_server"
        | "xmlrpc.server.SimpleXMLRPCServer" => |host, args| make(host, &args, "serving.server"),
        "flask.Flask" | "bottle.Bottle" | "quart.Quart" | "sanic.Sanic" | "dash.Dash" => {
            |host, args| make(host, &args, "serving.application")
        }
        "fastapi.FastAPI"
        | "fastapi.APIRouter"
        | "flask.Blueprint"
        | "starlette.applications.Starlette"
        | "aiohttp.web.Application"
        | "aiohttp.web.RouteTableDef" => |host, args| make(host, &args, "serving.handlers"),
        "gradio.Interface" | "gradio.ChatInterface" | "gradio.Blocks" | "gradio.TabbedInterface" => {
            |host, args| make(host, &args, "serving.demo")
        }
        "serving.demo.queue" => |host, args| {
            host.may_raise("");
            let this = args.pos.first().cloned();
            host.store().escape_all(&args.values());
            Ok(this.unwrap_or(V::None))
        },
        "serving.demo.launch" => |host, args| {
            if args.kw.iter().any(|(name, _)| &*name.text() == "prevent_thread_lock") {
                return outside_any(host, args);
            }
            forever(host, args, "launch", Proof::Proven)
        },
        "asyncio.new_event_loop" | "asyncio.get_event_loop" | "asyncio.get_running_loop" => |host, args| make(host, &args, "serving.loop"),
        "asyncio.set_event_loop" => |host, args| {
            host.store().escape_all(&args.values());
            Ok(V::None)
        },
        "http.server.test" => |host, args| forever(host, args, "http.server.test", Proof::Proven),
        "turtle.done" | "turtle.mainloop" => |host, args| forever(host, args, "mainloop", Proof::Likely),
        "serving.loop.create_future" => |host, _| host.call(&V::lib("asyncio.Future"), Args::default()),
        "serving.loop.create_task" => |host, mut args| {
            args.pos.remove(0);
            host.call(&V::lib("asyncio.create_task"), args)
        },
        "tornado.ioloop.IOLoop.current" | "tornado.ioloop.IOLoop.instance" => |host, args| make(host, &args, "serving.ioloop"),
        "serving.ioloop.start" => |host, args| forever(host, args, "IOLoop.start", Proof::Proven),
        "twisted.internet.reactor.run" => |host, args| forever(host, args, "reactor.run", Proof::Proven),
        "serving.server.handle_request" => |host, args| {
            super::socket::handle_request(host)?;
            outside_any(host, args)
        },
        "serving.server.register_function" | "serving.server.register_instance" => keep,
        "serving.kept" => keep,
        name if registers(name) => |host, args| {
            keep(host, args)?;
            Ok(V::lib("serving.kept"))
        },
        "tkinter.Tk" => |host, args| make(host, &args, "serving.window"),
        "serving.server.serve_forever" => |host, args| forever(host, args, "serve_forever", Proof::Proven),
        "serving.aserver.serve_forever" => |host, _| Ok(super::support::partial(host, "serving.aserver.serve_forever.wait", Vec::new())),
        "serving.aserver.serve_forever.wait" => |host, args| {
            // A timeout around it ends it.
            let proof = if host.store().path.timeouts > 0 { Proof::Likely } else { Proof::Proven };
            forever(host, args, "serve_forever", proof)
        },
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

/// Methods of applications that are given what answers requests, and decorators that are.
const REGISTERING: &[&str] = &[
    "add_middleware",
    "add_routes",
    "add_url_rule",
    "after_request",
    "api_route",
    "before_request",
    "callback",
    "delete",
    "errorhandler",
    "exception_handler",
    "get",
    "include_router",
    "middleware",
    "mount",
    "on_event",
    "patch",
    "post",
    "put",
    "register_blueprint",
    "route",
    "websocket",
];

fn registers(name: &str) -> bool {
    let method = name.strip_prefix("serving.application.").or_else(|| name.strip_prefix("serving.handlers."));
    method.is_some_and(|method| REGISTERING.contains(&method))
        || ["aiohttp.web.", "bottle."]
            .iter()
            .any(|module| name.strip_prefix(module).is_some_and(|function| REGISTERING.contains(&function)))
}

/// Keeps what answers requests, for when they come: while it serves.
fn keep(host: &mut dyn Host, args: Args) -> R<V> {
    host.store().escape_all(&args.values());
    host.may_raise("");
    Ok(V::Unknown(Why::OUTSIDE))
}

/// Whether the program names what stops a server or a loop, or closed it before.
pub fn may_be_stopped(host: &dyn Host) -> bool {
    host.mentions_yet(STOPPING) || host.mentions_yet(&["close", "server_close"])
}

fn make(host: &mut dyn Host, args: &Args, class: &str) -> R<V> {
    keep(host, args.clone())?;
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
