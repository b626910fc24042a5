//! The native half of the Python package, `antifreeze._native`. What it gives is JSON or plain values; `python/antifreeze` makes objects
//! of it. Whatever waits, waits without the interpreter lock; on the main thread it looks for Ctrl-C meanwhile.

use std::collections::HashMap;
use std::io::Write;
use std::path::{Path, PathBuf};
use std::sync::mpsc::{RecvTimeoutError, channel};
use std::sync::{Arc, LazyLock, Mutex};
use std::time::Duration;

use pyo3::exceptions::{PyRuntimeError, PyValueError};
use pyo3::prelude::*;
use pyo3::types::{PyBytes, PyString};
use serde::Deserialize;
use serde_json::{Map, Value};

use crate::eval::{self, Settings};
use crate::executor::{self, Request, Stream};
use crate::limits::Limits;
use crate::once;
use crate::outcome::Outcome;
use crate::report::{self, FileReport, text};
use crate::rules::Profile;
use crate::session::{self, Engine, Options};
use crate::source::Source;
use crate::stack;
use crate::telemetry::{self, About, Choices, Telemetry};
use crate::verdict::{self, Verdict};

/// How often a waiting main thread looks for Ctrl-C.
const LOOK: Duration = Duration::from_millis(20);

#[pymodule]
mod _native {
    #[pymodule_export]
    use super::{PySession, PyVerdict, check, finish_telemetry, run, sentry_event, take_warning, version};

    #[pymodule_init]
    fn init(_: &super::Bound<'_, super::PyModule>) -> super::PyResult<()> {
        crate::stack::keep_threads();
        Ok(())
    }
}

/// Code is parsed, evaluated and judged on one thread.
const STACKS: [usize; 2] = [stack::LARGE, stack::SMALL];

#[pyfunction]
fn version() -> &'static str {
    env!("CARGO_PKG_VERSION")
}

/// What the gate says of code.
#[pyclass(frozen, name = "Verdict")]
struct PyVerdict {
    report: FileReport,
}

impl PyVerdict {
    fn new(source: Source, verdict: Verdict) -> PyVerdict {
        PyVerdict { report: FileReport::of(source, verdict, Duration::ZERO) }
    }
}

#[pymethods]
impl PyVerdict {
    #[getter]
    fn rejects(&self) -> bool {
        self.report.rejects()
    }

    fn json(&self) -> String {
        report::json::file(&self.report).to_string()
    }

    fn render(&self) -> PyResult<String> {
        let mut out = Vec::new();
        text::write_full(&mut out, std::slice::from_ref(&self.report), text::Style::default())?;
        Ok(String::from_utf8_lossy(&out).into_owned())
    }
}

#[pyfunction]
fn check(py: Python<'_>, code: &str, name: &str, limits: &str) -> PyResult<PyVerdict> {
    let limits: Limits = parsed(limits)?;
    let checked = py.detach(|| {
        let work = || {
            let source = Source::from_text(name, code).map_err(|error| error.to_string())?;
            let settings = Settings { limits, describe: false, ..Settings::default() };
            Ok(verdict::check(source, &settings, Profile::Agent))
        };
        stack::on_large("check", &STACKS, work)
    });
    let checked = checked.map_err(|failure| PyRuntimeError::new_err(format!("antifreeze failed over this code: {failure}")))?;
    let checked = checked.map_err(|error: String| PyValueError::new_err(error))?;
    Ok(PyVerdict::new(checked.source, checked.verdict))
}

fn parsed<T: for<'a> Deserialize<'a>>(json: &str) -> PyResult<T> {
    serde_json::from_str(json).map_err(|error| PyValueError::new_err(error.to_string()))
}

/// What `run` is asked for, besides the code.
#[derive(Deserialize)]
struct RunOptions {
    limits: Limits,
    args: Vec<String>,
    python: PathBuf,
    cwd: Option<PathBuf>,
    env: Vec<(String, String)>,
    gate: bool,
    guards: bool,
    confine: bool,
    strict_output: bool,
    helper: PathBuf,
    telemetry: TelemetryOptions,
}

/// Who is told; what is absent is looked for in the environment.
#[derive(Deserialize)]
struct TelemetryOptions {
    dsn: Option<String>,
    send_code: Option<bool>,
}

/// What is to be said to the user of this process, once.
static WARNINGS: Mutex<Vec<String>> = Mutex::new(Vec::new());

/// Who is told of what is run with these options: one for all that have the same.
fn telemetry_of(options: TelemetryOptions, helper: &Path) -> Arc<Telemetry> {
    let key = format!("{:?} {:?} {}", options.dsn, options.send_code, helper.display());
    let mut all = stack::lock(&TELEMETRY);
    let made = all.entry(key).or_insert_with(|| {
        let choices = Choices { dsn: options.dsn, send_code: options.send_code, flush: None, helper: Some(helper.to_owned()) };
        let (settings, wrong) = telemetry::Settings::new(choices);
        stack::lock(&WARNINGS).extend(wrong);
        Arc::new(Telemetry::new(settings))
    });
    Arc::clone(made)
}

static TELEMETRY: LazyLock<Mutex<HashMap<String, Arc<Telemetry>>>> = LazyLock::new(Mutex::default);

/// What is to be said to the user, if there is anything.
#[pyfunction]
fn take_warning() -> Option<String> {
    let of_deliveries = stack::lock(&TELEMETRY).values().filter_map(|telemetry| telemetry.take_warning()).collect::<Vec<_>>();
    let mut warnings = stack::lock(&WARNINGS);
    warnings.extend(of_deliveries);
    if warnings.is_empty() { None } else { Some(warnings.remove(0)) }
}

/// Waits, at the end of the process, for what was sent; gives what is to be said.
#[pyfunction]
fn finish_telemetry(py: Python<'_>) -> Option<String> {
    let all = stack::lock(&TELEMETRY).drain().map(|(_, telemetry)| telemetry).collect::<Vec<_>>();
    // Each is waited for, whatever the others said.
    let said = py.detach(|| all.iter().filter_map(|telemetry| telemetry.finish()).collect::<Vec<_>>());
    said.into_iter().next()
}

/// Sentry's event of an outcome, as JSON, for the host's own library of Sentry's; none for what is not worth one.
#[pyfunction]
fn sentry_event(outcome: &str, limits: Option<&str>, code: Option<&str>, name: &str, send_code: bool) -> PyResult<Option<String>> {
    let outcome = parsed(outcome)?;
    let limits: Option<Limits> = limits.map(parsed).transpose()?;
    let (settings, _) = telemetry::Settings::new(Choices { dsn: Some(String::new()), send_code: Some(send_code), ..Choices::default() });
    let about = About { outcome: &outcome, limits: limits.as_ref(), code, name };
    Ok(telemetry::event(&about, &settings).map(|event| json(&event)))
}

#[pyfunction]
fn run(py: Python<'_>, code: &Bound<'_, PyString>, request: &str, on_output: Option<Py<PyAny>>) -> PyResult<String> {
    let options: RunOptions = parsed(request)?;
    let telemetry = telemetry_of(options.telemetry, &options.helper);
    let limits = options.limits;
    let code = match code.to_cow() {
        Ok(code) => code,
        Err(error) => return Ok(json(&uncompiled(py, &error))),
    };
    let source = match Source::from_text("<command>", &code) {
        Ok(source) => source,
        Err(error) => return Ok(json(&once::uncompiled(&error))),
    };
    let program = once::Program {
        gate: options.gate,
        guards: options.guards,
        request: Request {
            args: options.args,
            limits: options.limits,
            cwd: options.cwd,
            env: options.env,
            strict_output: options.strict_output,
            confine: options.confine,
            helper: Some(options.helper),
            ..Request::of_command(options.python)
        },
        stdin: eval::Stdin::Empty,
    };
    let (reader, writer) = std::io::pipe()?;
    let signals = reader.into();
    let work =
        |output: &mut dyn FnMut(Stream, &[u8])| once::gate(|| Ok(source), program)?.run(Some(&signals), output).map(|ran| ran.outcome);
    // Ctrl-C reaches the program as it would reach one that was started from a terminal.
    let interrupt = || {
        let _ = (&writer).write_all(&executor::signal_record(libc::SIGINT));
    };
    let outcome = waited_for(py, on_output, work, interrupt)?.map_err(|error| setup_error(py, &error.to_string()))?;
    py.detach(|| telemetry.observe(&About { outcome: &outcome, limits: Some(&limits), code: Some(&code), name: "<command>" }));
    Ok(json(&outcome))
}

/// Of text that holds half a surrogate pair: CPython cannot encode it either.
fn uncompiled(py: Python<'_>, error: &PyErr) -> Outcome {
    Outcome::uncompiled("UnicodeEncodeError", error.value(py).to_string(), None)
}

fn json(value: &impl serde::Serialize) -> String {
    serde_json::to_string(value).unwrap_or_default()
}

/// Does what blocks on a thread of its own, passes output on as it comes, and looks for signals if this is the thread that gets them.
fn waited_for<T: Send>(
    py: Python<'_>,
    on_output: Option<Py<PyAny>>,
    work: impl FnOnce(&mut dyn FnMut(Stream, &[u8])) -> T + Send,
    interrupt: impl Fn() + Sync,
) -> PyResult<T> {
    let mut pass_on = |stream: Stream, bytes: &[u8]| {
        let Some(function) = &on_output else { return };
        Python::attach(|py| {
            if let Err(error) = function.call1(py, (stream.name(), PyBytes::new(py, bytes))) {
                error.write_unraisable(py, Some(function.bind(py)));
            }
        });
    };
    if !on_main_thread(py)? {
        return Ok(py.detach(|| work(&mut pass_on)));
    }
    let (send, receive) = channel();
    let receive = Mutex::new(receive);
    let work = move || {
        let _ = send.send(work(&mut pass_on));
    };
    stack::beside(work, || {
        let mut raised = None;
        loop {
            match py.detach(|| stack::lock(&receive).recv_timeout(LOOK)) {
                Ok(value) => return raised.map_or(Ok(value), Err),
                Err(RecvTimeoutError::Timeout) => {
                    if let Err(error) = py.check_signals() {
                        interrupt();
                        raised.get_or_insert(error);
                    }
                }
                Err(RecvTimeoutError::Disconnected) => return Err(PyRuntimeError::new_err("antifreeze failed over this code")),
            }
        }
    })
}

fn on_main_thread(py: Python<'_>) -> PyResult<bool> {
    static MAIN: LazyLock<Mutex<Option<u64>>> = LazyLock::new(Mutex::default);
    let threading = py.import("threading")?;
    let here: u64 = threading.call_method0("get_ident")?.extract()?;
    let mut main = stack::lock(&MAIN);
    if main.is_none() {
        *main = Some(threading.call_method0("main_thread")?.getattr("ident")?.extract()?);
    }
    Ok(*main == Some(here))
}

fn exception(py: Python<'_>, name: &str, message: &str) -> PyErr {
    let made = py.import("antifreeze._exceptions").and_then(|module| module.getattr(name)).and_then(|kind| kind.call1((message,)));
    match made {
        Ok(error) => PyErr::from_value(error),
        Err(error) => error,
    }
}

fn setup_error(py: Python<'_>, message: &str) -> PyErr {
    exception(py, "SetupError", message)
}

fn session_error(py: Python<'_>, error: &session::Error) -> PyErr {
    match error {
        session::Error::Closed => exception(py, "SessionClosed", &error.to_string()),
        session::Error::Unusable(_) => setup_error(py, &error.to_string()),
        session::Error::Failed(_) => exception(py, "AntifreezeError", &error.to_string()),
    }
}

/// One helper process serves all sessions of this process.
fn engine(helper: PathBuf) -> Arc<Engine> {
    static ENGINES: LazyLock<Mutex<HashMap<PathBuf, Arc<Engine>>>> = LazyLock::new(Mutex::default);
    let mut engines = stack::lock(&ENGINES);
    engines.entry(helper.clone()).or_insert_with(|| Arc::new(Engine::new(Some(helper)))).clone()
}

/// One Python whose variables live on.
#[pyclass(frozen, name = "Session")]
struct PySession {
    session: session::Session,
}

#[pymethods]
impl PySession {
    #[new]
    fn new(
        py: Python<'_>,
        options: &str,
        helper: PathBuf,
        tools: Vec<String>,
        call_tool: Py<PyAny>,
        telemetry: &str,
    ) -> PyResult<PySession> {
        let mut options: Options = parsed(options)?;
        options.telemetry = Some(telemetry_of(parsed(telemetry)?, &helper));
        let call_tool = Arc::new(call_tool);
        for name in tools {
            let (call_tool, called) = (call_tool.clone(), name.clone());
            options.tools.insert(name, Arc::new(move |args, kwargs| called_in_python(&call_tool, &called, args, kwargs)));
        }
        let engine = engine(helper);
        let session = py.detach(|| engine.open(options)).map_err(|error| session_error(py, &error))?;
        Ok(PySession { session })
    }

    fn run(&self, py: Python<'_>, code: &Bound<'_, PyString>, timeout: Option<f64>, on_output: Option<Py<PyAny>>) -> PyResult<String> {
        let code = match code.to_cow() {
            Ok(code) => code,
            Err(error) => {
                let outcome = Outcome { state: Some("kept".into()), threads_lost: Some(0), ..uncompiled(py, &error) };
                return Ok(json(&outcome));
            }
        };
        let work = |output: &mut dyn FnMut(Stream, &[u8])| self.session.run_with(&code, timeout, output);
        let outcome = waited_for(py, on_output, work, || self.session.interrupt())?;
        outcome.map(|outcome| json(&outcome)).map_err(|error| session_error(py, &error))
    }

    fn check(&self, py: Python<'_>, code: &str) -> PyResult<PyVerdict> {
        let checked = py.detach(|| self.session.check(code)).map_err(|error| session_error(py, &error))?;
        Ok(PyVerdict::new(checked.0, checked.1))
    }

    fn set(&self, py: Python<'_>, name: &str, value: &str) -> PyResult<String> {
        let value: Value = parsed(value)?;
        let outcome = waited_for(py, None, |_| self.session.set(name, &value), || self.session.interrupt())?;
        outcome.map(|outcome| json(&outcome)).map_err(|error| session_error(py, &error))
    }

    fn get(&self, py: Python<'_>, name: &str) -> PyResult<String> {
        let outcome = waited_for(py, None, |_| self.session.get(name), || self.session.interrupt())?;
        outcome.map(|outcome| json(&outcome)).map_err(|error| session_error(py, &error))
    }

    fn interrupt(&self) {
        self.session.interrupt();
    }

    fn close(&self, py: Python<'_>) {
        py.detach(|| self.session.close());
    }

    #[getter]
    fn supervisor_pid(&self) -> Option<i32> {
        self.session.supervisor_pid()
    }
}

/// Calls a tool of the host's. What it raises is what the code in the session gets to see.
fn called_in_python(call_tool: &Py<PyAny>, name: &str, args: Vec<Value>, kwargs: Map<String, Value>) -> Result<Value, String> {
    let arguments = Value::Array(vec![Value::Array(args), Value::Object(kwargs)]).to_string();
    Python::attach(|py| {
        let given = call_tool.call1(py, (name, arguments)).map_err(|error| {
            let value = error.value(py);
            format!("{}: {}", value.get_type().name().map_or_else(|_| "Exception".into(), |name| name.to_string()), value)
        })?;
        let text: String = given.extract(py).map_err(|error: PyErr| error.to_string())?;
        serde_json::from_str(&text).map_err(|error| error.to_string())
    })
}
