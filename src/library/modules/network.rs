//! Clients of the network: calls that wait as long as the other side likes, where nobody set a time.

use std::rc::Rc;

use crate::fact::{FactKind, Proof};
use crate::library::{Args, Entry, Host, R};
use crate::value::object::{Obj, Sym, V, Why};

use super::support::{attribute_of, instance, look, outside_any};

/// Names of what sets a time for all sockets, or of what stands for the network in a test.
const ELSEWHERE: &[&str] =
    &["setdefaulttimeout", "betamax", "httpretty", "mock", "monkeypatch", "patch", "requests_mock", "responses", "respx", "vcr"];

/// The entry for a qualified name.
pub fn find(name: &str) -> Option<Entry> {
    Some(Entry::Function(match name {
        "requests.get" => |host, args| without(host, args, "requests.get", usize::MAX),
        "requests.post" => |host, args| without(host, args, "requests.post", usize::MAX),
        "requests.put" => |host, args| without(host, args, "requests.put", usize::MAX),
        "requests.delete" => |host, args| without(host, args, "requests.delete", usize::MAX),
        "requests.head" => |host, args| without(host, args, "requests.head", usize::MAX),
        "requests.options" => |host, args| without(host, args, "requests.options", usize::MAX),
        "requests.patch" => |host, args| without(host, args, "requests.patch", usize::MAX),
        "requests.request" => |host, args| without(host, args, "requests.request", usize::MAX),
        "requests.Session" | "requests.session" => |host, args| client(host, &args, "requests.Session"),
        "requests.Session.get"
        | "requests.Session.post"
        | "requests.Session.put"
        | "requests.Session.delete"
        | "requests.Session.head"
        | "requests.Session.options"
        | "requests.Session.patch"
        | "requests.Session.request" => |host, args| of_client(host, args, "Session.request"),
        "requests.Session.__enter__" | "urllib3.PoolManager.__enter__" => |_, args| Ok(args.pos.first().cloned().unwrap_or(V::None)),
        "requests.Session.__exit__" | "urllib3.PoolManager.__exit__" => |_, _| Ok(V::None),
        "urllib3.PoolManager" => |host, args| client(host, &args, "urllib3.PoolManager"),
        "urllib3.PoolManager.request" | "urllib3.PoolManager.urlopen" => |host, args| of_client(host, args, "PoolManager.request"),
        "urllib3.request" => |host, args| without(host, args, "urllib3.request", usize::MAX),
        "urllib.request.urlopen" => urlopen,
        "http.client.HTTPConnection" => |host, args| without(host, args, "http.client.HTTPConnection", 2),
        "http.client.HTTPSConnection" => |host, args| without(host, args, "http.client.HTTPSConnection", usize::MAX),
        "ftplib.FTP" => |host, args| to_host(host, args, "ftplib.FTP", 4),
        "ftplib.FTP_TLS" => |host, args| to_host(host, args, "ftplib.FTP_TLS", usize::MAX),
        "smtplib.SMTP" => |host, args| to_host(host, args, "smtplib.SMTP", 3),
        "smtplib.SMTP_SSL" => |host, args| to_host(host, args, "smtplib.SMTP_SSL", usize::MAX),
        "poplib.POP3" => |host, args| to_host(host, args, "poplib.POP3", 2),
        "imaplib.IMAP4" => |host, args| to_host(host, args, "imaplib.IMAP4", 2),
        "imaplib.IMAP4_SSL" => |host, args| to_host(host, args, "imaplib.IMAP4_SSL", usize::MAX),
        "telnetlib.Telnet" => |host, args| to_host(host, args, "telnetlib.Telnet", 2),
        "psycopg2.connect" => |host, args| database(host, args, "psycopg2.connect"),
        "psycopg.connect" => |host, args| database(host, args, "psycopg.connect"),
        "httpx.get" | "httpx.post" | "httpx.put" | "httpx.delete" | "httpx.head" | "httpx.options" | "httpx.patch" | "httpx.request" => {
            |host, args| never(host, args, "httpx")
        }
        "httpx.Client" => |host, args| never(host, args, "httpx.Client"),
        "httpx.AsyncClient" => |host, args| never(host, args, "httpx.AsyncClient"),
        _ => return None,
    }))
}

fn said(host: &mut dyn Host, callee: &str, reason: &str) {
    if host.mentions(ELSEWHERE) {
        return;
    }
    let words = [("callee", callee.to_owned()), ("reason", reason.to_owned())];
    host.fact(FactKind::Network, None, Proof::Proven, &words);
}

/// Whether a call sets a time: by keyword, or at a position. None and what is not known are told apart.
fn time_of(args: &Args, name: &str, at: usize) -> Option<V> {
    args.keyword(name).or_else(|| args.pos.get(at)).cloned()
}

fn without(host: &mut dyn Host, args: Args, callee: &str, at: usize) -> R<V> {
    match time_of(&args, "timeout", at) {
        None => said(host, callee, "it is called without a timeout"),
        Some(V::None) => said(host, callee, "its timeout is None"),
        Some(_) => {}
    }
    outside_any(host, args)
}

/// Without a host they do not connect.
fn to_host(host: &mut dyn Host, args: Args, callee: &str, at: usize) -> R<V> {
    let connects = match args.get(0, "host") {
        None => callee.starts_with("imaplib"),
        Some(V::Str(name)) => !name.is_empty(),
        Some(_) => true,
    };
    if connects { without(host, args, callee, at) } else { outside_any(host, args) }
}

/// What is read from a file or from the address itself does not come from the network.
fn urlopen(host: &mut dyn Host, args: Args) -> R<V> {
    let is_local = matches!(args.get(0, "url"), Some(V::Str(url)) if url.starts_with("file:") || url.starts_with("data:"));
    if is_local { outside_any(host, args) } else { without(host, args, "urllib.request.urlopen", 2) }
}

/// A time may stand in the text that says what to connect to, or in the environment.
fn database(host: &mut dyn Host, args: Args, callee: &str) -> R<V> {
    let in_text = args.pos.iter().any(|v| !matches!(v, V::Str(text) if !text.contains("connect_timeout") && !text.contains("service=")));
    if !in_text && args.keyword("connect_timeout").is_none() && args.keyword("dsn").is_none() {
        said(host, callee, "it is called without `connect_timeout`");
    }
    outside_any(host, args)
}

/// Five seconds by default.
fn never(host: &mut dyn Host, args: Args, callee: &str) -> R<V> {
    if args.keyword("timeout") == Some(&V::None) {
        said(host, callee, "its timeout is None");
    }
    outside_any(host, args)
}

/// A client: whether it has a time for all of its calls.
fn client(host: &mut dyn Host, args: &Args, class: &str) -> R<V> {
    look(host, args);
    let timed = args.keyword("timeout").is_some_and(|v| !matches!(v, V::None));
    // What programs set on it has no part in this.
    let mut attrs = vec![(Sym::new("-timed"), V::Bool(timed))];
    attrs.extend(
        ["headers", "params", "auth", "cookies", "verify", "proxies", "cert"]
            .map(|name| (Sym::new(&format!(" {name}")), V::Unknown(Why::OUTSIDE))),
    );
    Ok(host.alloc(Obj::Instance { class: V::lib(class), attrs: Rc::new(attrs) }))
}

/// Attributes that somebody set on a session, and adapters mounted on it, may bring a time of their own.
fn of_client(host: &mut dyn Host, mut args: Args, callee: &str) -> R<V> {
    let this = if args.pos.is_empty() { V::None } else { args.pos.remove(0) };
    let known = instance(host, &this).is_some_and(|(_, attrs)| {
        matches!(attribute_of(&attrs, "-timed"), Some(V::Bool(false))) && attrs.iter().all(|(name, _)| !is_call(&name.text()))
    });
    if known && !host.mentions(&["mount", "HTTPAdapter", "partial"]) {
        return without(host, args, callee, usize::MAX);
    }
    outside_any(host, args)
}

/// Whether a name is that of a method that sends.
fn is_call(name: &str) -> bool {
    matches!(name, "request" | "send" | "get" | "post" | "urlopen")
}
