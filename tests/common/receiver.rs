//! A Sentry of this process's own: takes envelopes over HTTP as the real one does, in one of several moods.

use std::io::{BufRead, BufReader, Read, Write};
use std::net::{TcpListener, TcpStream};
use std::sync::{Arc, Mutex};
use std::time::{Duration, Instant};

use serde_json::Value;

/// How it answers.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum Mood {
    /// At once.
    Well,
    /// After so long.
    Slow(Duration),
    /// With this status.
    Refusing(u16),
}

/// One request.
#[derive(Debug, Clone)]
pub struct Received {
    pub method: String,
    pub path: String,
    /// In lower case.
    pub headers: Vec<(String, String)>,
    pub body: Vec<u8>,
}

/// It, and what it has received.
pub struct Receiver {
    port: u16,
    received: Arc<Mutex<Vec<Received>>>,
}

impl Receiver {
    pub fn start(mood: Mood) -> Receiver {
        let listener = TcpListener::bind("127.0.0.1:0").expect("a port");
        let port = listener.local_addr().expect("it has one").port();
        let received = Arc::new(Mutex::new(Vec::new()));
        let all = Arc::clone(&received);
        std::thread::spawn(move || {
            for stream in listener.incoming().map_while(Result::ok) {
                let all = Arc::clone(&all);
                std::thread::spawn(move || serve(stream, mood, &all));
            }
        });
        Receiver { port, received }
    }

    pub fn dsn(&self) -> String {
        format!("http://key@127.0.0.1:{}/42", self.port)
    }

    pub fn url(&self, path: &str) -> String {
        format!("http://127.0.0.1:{}{path}", self.port)
    }

    pub fn all(&self) -> Vec<Received> {
        self.received.lock().expect("nobody panicked").clone()
    }

    /// The requests once there are so many, or those there are after a while.
    pub fn wait_for(&self, n: usize) -> Vec<Received> {
        let begin = Instant::now();
        while self.all().len() < n && begin.elapsed() < Duration::from_secs(20) {
            std::thread::sleep(Duration::from_millis(10));
        }
        self.all()
    }

    /// The items of this kind in the envelopes there are once there are so many requests.
    pub fn items(&self, n: usize, kind: &str) -> Vec<Value> {
        self.wait_for(n).iter().flat_map(items).filter(|(found, _)| found == kind).map(|(_, item)| item).collect()
    }

    /// The only event.
    pub fn event(&self) -> Value {
        let mut events = self.items(1, "event");
        assert_eq!(events.len(), 1, "{events:#?}");
        events.remove(0)
    }
}

/// Reads an envelope as Sentry's documentation has it, and as Sentry's own crate does.
pub fn items(received: &Received) -> Vec<(String, Value)> {
    if received.method != "POST" {
        return Vec::new();
    }
    assert_eq!(received.path, "/api/42/envelope/");
    let auth = received.headers.iter().find(|(name, _)| name == "x-sentry-auth").expect("it says who it is");
    assert!(auth.1.contains("sentry_key=key") && auth.1.contains("sentry_client=antifreeze/"), "{auth:?}");
    sentry_types::protocol::v7::Envelope::from_slice(&received.body).expect("Sentry's crate reads it");
    let text = std::str::from_utf8(&received.body).expect("it is UTF-8");
    let (head, mut rest) = text.split_once('\n').expect("there is a header");
    serde_json::from_str::<Value>(head).expect("the header is JSON");
    let mut items = Vec::new();
    while let Some((head, after)) = rest.split_once('\n') {
        let head: Value = serde_json::from_str(head).expect("an item's header is JSON");
        let length = head["length"].as_u64().expect("items say how long they are") as usize;
        let item = serde_json::from_str(&after[..length]).expect("an item is JSON");
        items.push((head["type"].as_str().expect("items have a type").to_owned(), item));
        rest = after[length..].trim_start_matches('\n');
    }
    items
}

fn serve(stream: TcpStream, mood: Mood, all: &Mutex<Vec<Received>>) {
    let mut reader = BufReader::new(stream.try_clone().expect("sockets are cloned"));
    let mut stream = stream;
    loop {
        let mut line = String::new();
        if reader.read_line(&mut line).unwrap_or(0) == 0 {
            return;
        }
        let mut words = line.split_whitespace().map(str::to_owned);
        let (method, path) = (words.next().unwrap_or_default(), words.next().unwrap_or_default());
        let mut headers = Vec::new();
        loop {
            let mut line = String::new();
            if reader.read_line(&mut line).unwrap_or(0) == 0 {
                return;
            }
            match line.trim().split_once(':') {
                Some((name, value)) => headers.push((name.to_lowercase(), value.trim().to_owned())),
                None => break,
            }
        }
        let length = headers.iter().find(|(name, _)| name == "content-length").and_then(|(_, value)| value.parse().ok()).unwrap_or(0);
        let mut body = vec![0; length];
        if reader.read_exact(&mut body).is_err() {
            return;
        }
        let is_get = method == "GET";
        all.lock().expect("nobody panicked").push(Received { method, path, headers, body });
        let status = match mood {
            Mood::Well => 200,
            Mood::Slow(time) => {
                std::thread::sleep(time);
                200
            }
            Mood::Refusing(300..400) if is_get => 200,
            Mood::Refusing(status) => status,
        };
        let retry = match status {
            429 => "Retry-After: 18446744073709551615\r\n",
            300..400 => "Location: /login\r\n",
            _ => "",
        };
        if write!(stream, "HTTP/1.1 {status} Said\r\nContent-Length: 2\r\n{retry}\r\n{{}}").is_err() {
            return;
        }
    }
}
