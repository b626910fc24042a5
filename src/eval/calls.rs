//! Calls: binding arguments, functions, classes, generators, and what bounds recursion.

use std::collections::HashMap;
use std::rc::Rc;

use crate::fact::{Fact, FactKind, Measure, Proof, Unit};
use crate::library::modules::stands_for_others;
use crate::library::{Args, Entry, R, Stop};
use crate::syntax::code::{Code, CodeId, CodeKind, Op, Pc};
use crate::value::cost::{CALL, FUNCTION_CALL};
use crate::value::object::{Class, Exc, Frame, Function, Generator, Obj, ObjId, Source, Sym, Tuple, V, Why};
use crate::value::store::{Path, refers_to};

use super::machine::{Exit, Machine};

/// Python's default recursion limit.
pub const RECURSION_LIMIT: usize = 1000;

/// How far the depth at which CPython gives up may be from the limit: its own frames and those of a runner count too.
pub const RECURSION_SLACK: usize = 100;

/// Calls of one function with unknown arguments inside each other before its result is given up.
const ABSTRACT_RECURSION: u32 = 4;

/// Calls that lead to calls without a frame in between before the outcome is given up.
const MAX_CALL_CHAIN: u32 = 100;

/// How often a generator that nobody runs goes on from the same `yield`.
const YIELDS_ALONE: u32 = 32;

/// Builtins that keep nothing of an iterator.
const CONSUMERS: &[&str] = &["all", "any", "dict", "frozenset", "list", "max", "min", "set", "sorted", "sum", "tuple"];

/// Steps for what runs beside the program.
const ALONE: u64 = 100_000;

impl Machine<'_> {
    /// Runs something for each alternative from the same state, and joins what comes out.
    pub fn each(&mut self, all: &[V], mut run: impl FnMut(&mut Self, &V) -> R<V>) -> R<V> {
        let base = self.store.clone();
        let mut out: Option<(crate::value::store::Store, V)> = None;
        let mut exception: Option<Stop> = None;
        for v in all {
            if matches!(v, V::Undef) {
                continue;
            }
            self.store = base.clone();
            match run(self, v) {
                Ok(value) => {
                    out = Some(match out {
                        None => (self.store.clone(), value),
                        Some((mut store, old)) => {
                            store.join(&self.store, false);
                            let joined = store.join_values(&old, &value, false);
                            (store, joined)
                        }
                    });
                }
                Err(Stop::Raise(e)) => {
                    self.may_raise_value(e.clone());
                    exception = Some(match exception {
                        Some(Stop::Raise(old)) => Stop::Raise(self.store.join_values(&old, &e, false)),
                        _ => Stop::Raise(e),
                    });
                }
                Err(Stop::Fuel) => return Err(Stop::Fuel),
                Err(Stop::Dead) => exception = exception.or(Some(Stop::Dead)),
            }
        }
        let Some((mut store, value)) = out else {
            self.store = base;
            return Err(exception.unwrap_or(Stop::Dead));
        };
        store.path.mass = base.path.mass;
        store.path.lost = base.path.lost;
        store.path.decided = base.path.decided;
        self.store = store;
        Ok(value)
    }

    /// The effect of code without a model on these values.
    pub fn unknown_effect(&mut self, values: &[V]) -> V {
        let code = values.iter().any(|v| self.is_code(v));
        self.store.escape_all(values);
        if code {
            // It was given something to call: it may do so at any time from now on.
            self.store.path.interruptible = true;
        }
        self.may_raise_class("");
        V::Unknown(Why::OUTSIDE)
    }

    /// What is done with values nobody knows how often. Where once would leave something behind, all that the values lead to is
    /// unknown, and so is the answer.
    pub fn often(&mut self, values: &[V], run: &mut dyn FnMut(&mut Self) -> R<V>) -> R<V> {
        if values.iter().all(crate::library::common::is_plain) {
            return run(self);
        }
        let calm = self.rehearse(|machine| {
            let (before, known) = (machine.store.clone(), machine.store.allocated());
            run(machine)?;
            let (objects, globals) = machine.store.changes(&before, known);
            Ok(objects.is_empty() && globals.is_empty() && machine.store.path.interruptible == before.path.interruptible)
        })?;
        if calm == Some(true) {
            return run(self);
        }
        // It is one answer, which the program alone decides.
        self.unknown_effect(values);
        Ok(V::Unknown(Why::Lost))
    }

    fn is_code(&self, value: &V) -> bool {
        matches!(self.obj(value), Some(Obj::Function(_) | Obj::Bound { .. } | Obj::Partial { .. }))
    }

    pub fn call_value(&mut self, callable: &V, args: Args) -> R<V> {
        // An instance whose class has it as `__call__`, or a partial of itself, never comes to a frame.
        if self.call_chain >= MAX_CALL_CHAIN {
            let mut values = args.values();
            values.push(callable.clone());
            return Ok(self.unknown_effect(&values));
        }
        self.call_chain += 1;
        let result = self.call_link(callable, args);
        self.call_chain -= 1;
        result
    }

    fn call_link(&mut self, callable: &V, args: Args) -> R<V> {
        match callable {
            V::Ref(id) => match self.store.get(*id).clone() {
                Obj::Function(f) => self.call_function(*id, &f, args),
                Obj::Bound { function, this } => {
                    let mut args = args;
                    args.pos.insert(0, this);
                    self.call_value(&function, args)
                }
                Obj::Partial { function, args: first, keywords } => {
                    let mut all = Args { pos: first.iter().cloned().collect(), kw: keywords.as_ref().clone(), open: args.open };
                    all.pos.extend(args.pos);
                    for (name, v) in args.kw {
                        match all.kw.iter_mut().find(|(n, _)| *n == name) {
                            Some(slot) => slot.1 = v,
                            None => all.kw.push((name, v)),
                        }
                    }
                    self.call_value(&function, all)
                }
                Obj::Class(class) => self.instantiate(callable, &class, args),
                Obj::Instance { .. } => match self.dunder(callable, "__call__") {
                    Some(method) => {
                        let mut args = args;
                        args.pos.insert(0, callable.clone());
                        self.call_value(&method, args)
                    }
                    None if self.open_instance(callable) => {
                        let mut values = args.values();
                        values.push(callable.clone());
                        Ok(self.unknown_effect(&values))
                    }
                    None => Err(Stop::Raise(V::exception("TypeError"))),
                },
                Obj::StaticMethod(f) => self.call_value(&f, args),
                Obj::Escaped(_) => Ok(self.unknown_effect(&args.values())),
                Obj::Super { .. } | Obj::ClassMethod(_) | Obj::Property { .. } => {
                    let values = args.values();
                    Ok(self.unknown_effect(&values))
                }
                _ => Err(Stop::Raise(V::exception("TypeError"))),
            },
            V::Lib(name) => self.call_library(*name, args),
            V::OneOf(all) => {
                let all = all.clone();
                self.each(&all, |m, v| m.call_value(v, args.clone()))
            }
            V::Unknown(_) | V::Instance(..) | V::Module(_) | V::Undef | V::Null | V::Exc(_) => Ok(self.unknown_effect(&args.values())),
            _ => Err(Stop::Raise(V::exception("TypeError"))),
        }
    }

    fn call_library(&mut self, name: Sym, args: Args) -> R<V> {
        if self.store.is_patched(name) {
            return Ok(self.unknown_effect(&args.values()));
        }
        match self.entry(name) {
            Some(Entry::Function(transfer) | Entry::Type(transfer)) => {
                if args.open {
                    // Arguments nobody knows: the result is unknown, and what is known of them escapes.
                    return Ok(self.unknown_effect(&args.values()));
                }
                transfer(self, args)
            }
            Some(Entry::Exception) => {
                let deep = args.pos.iter().any(V::is_deep);
                if deep {
                    self.store.escape_all(&args.pos);
                }
                let args = if args.open || deep { None } else { Some(args.pos.to_vec()) };
                Ok(V::Exc(Rc::new(Exc { class: name, args })))
            }
            Some(Entry::Constant(_) | Entry::Module) => Err(Stop::Raise(V::exception("TypeError"))),
            None if leaves_the_process(&name.text()) => {
                self.may_raise_class("OSError");
                self.uncaught_raises += 1;
                Err(Stop::Dead)
            }
            None => {
                self.own_callable(name, &args);
                self.unmodelled(name, &args);
                Ok(self.unknown_effect(&args.values()))
            }
        }
    }

    /// A library call without a model: some install what can interrupt the program later.
    fn unmodelled(&mut self, name: Sym, _args: &Args) {
        let text = name.text();
        const INTERRUPTING: &[&str] = &[
            "signal.",
            "threading.",
            "_thread.",
            "multiprocessing.",
            "concurrent.",
            "sys.settrace",
            "sys.setprofile",
            "atexit.",
            "faulthandler.",
            "asyncio.",
            "sched.",
            "ctypes.",
            "gc.callbacks",
            // In a child, what follows is no longer what the caller waits for.
            "os.fork",
            "os.kill",
            "pty.fork",
        ];
        if INTERRUPTING.iter().any(|p| text.starts_with(p)) {
            self.store.path.interruptible = true;
        }
    }

    fn call_function(&mut self, id: ObjId, function: &Rc<Function>, args: Args) -> R<V> {
        let code = self.code(function.code);
        let exact = !args.open && args.pos.iter().chain(args.kw.iter().map(|(_, v)| v)).all(V::is_exact);
        let locals = self.bind(code, function, args)?;
        if code.is_generator || code.is_async {
            self.mark_called(function.code);
            let frame = self.new_frame(function.code, code, locals, &function.closure);
            let generator = Generator { frame: Some(Box::new(frame)), coroutine: code.is_async && !code.is_generator, may_be_done: false };
            if code.kind == CodeKind::Comprehension && self.is_consumed_at_once(function.code, self.spot().pc) {
                return Ok(self.alloc_anew(Obj::Generator(generator)));
            }
            return Ok(self.alloc(Obj::Generator(generator)));
        }
        self.store.path.cost += FUNCTION_CALL.seconds - CALL.seconds;
        let depth = self.frames.len();
        if depth >= RECURSION_LIMIT - RECURSION_SLACK {
            self.may_raise_class("RecursionError");
        }
        if depth >= RECURSION_LIMIT + RECURSION_SLACK {
            if self.uncertain_recursion_limit {
                return Ok(self.give_up_call(id, &locals));
            }
            let words = [("callee", self.program.name(code.name).to_owned())];
            self.report(FactKind::EndlessRecursion, None, None, Proof::Proven, &words);
            return Err(Stop::Raise(V::exception("RecursionError")));
        }
        let active = self.active.get(&function.code).copied().unwrap_or(0);
        let abstracted = !exact || self.abstract_loops > 0;
        if (abstracted && (active >= ABSTRACT_RECURSION || depth > 40)) || self.fuel < self.call_floor {
            return Ok(self.give_up_call(id, &locals));
        }
        self.mark_called(function.code);
        self.recursions += u64::from(active > 0);
        let key = if exact && self.blocked.is_none() { self.memo.key(&self.store, function, &locals) } else { None };
        if let Some(known) = key.as_ref().and_then(|key| self.memo.find(&self.store, key)) {
            let entry = self.store.path;
            self.store.path.cost += known.cost;
            self.store.path.output += known.output;
            self.store.uses_again(&known.objects, &known.globals);
            for tally in &known.counted {
                self.store.count(*tally, V::any_int(Why::Lost));
            }
            if active == 0 && self.passes_deadline(entry) {
                self.report_long_recursion(function, &locals, entry);
            }
            return Ok(known.value.clone());
        }
        // The outermost call of a function may spend half of what is left; what it calls itself with shares that.
        let floor = self.call_floor;
        if active == 0 {
            self.call_floor = floor + (self.fuel.saturating_sub(floor)) / 2;
        }
        *self.active.entry(function.code).or_insert(0) += 1;
        let entry = self.store.path;
        let (raises, facts) = (self.uncaught_raises, self.facts_reported);
        let (recursions, answers) = (self.recursions, self.answers_by_place.get());
        let arguments = (active == 0).then(|| locals.clone());
        if key.is_some() {
            self.store.watch_call();
        }
        let mut frame = self.new_frame(function.code, code, locals, &function.closure);
        let exit = self.run_frame(&mut frame);
        let used = if key.is_some() { self.store.end_watch() } else { None };
        if let Some(n) = self.active.get_mut(&function.code) {
            *n -= 1;
        }
        self.call_floor = floor;
        match exit {
            Exit::Return(value) => {
                let cost = (self.store.path.cost - entry.cost, self.store.path.output - entry.output);
                let quiet = self.facts_reported == facts;
                if let (Some(key), Some(used)) = (key, used)
                    && self.answers_by_place.get() == answers
                {
                    let same = Path { cost: entry.cost, output: entry.output, ..self.store.path } == entry;
                    // Far beyond every limit, the cost of one call is lost in rounding.
                    let alone = quiet && same && entry.cost < 1e5 && self.raised.is_none() && self.uncaught_raises == raises;
                    self.memo.keep(&self.store, key, &value, cost, used, alone);
                }
                if let Some(arguments) = arguments
                    && quiet
                    && self.recursions > recursions
                    && self.passes_deadline(entry)
                {
                    self.report_long_recursion(function, &arguments, entry);
                }
                Ok(value)
            }
            Exit::Raise(e) => Err(Stop::Raise(e)),
            Exit::Dead => Err(Stop::Dead),
            Exit::Fuel => Err(Stop::Fuel),
            Exit::Yield(..) | Exit::Lost => Ok(V::Unknown(Why::Lost)),
        }
    }

    /// Whether the generator expression that is being made is all that a builtin is given which takes it to its end or drops it: nobody
    /// holds it when the next one is made at the same place.
    pub fn is_consumed_at_once(&self, expression: CodeId, made_at: Pc) -> bool {
        let ops = &self.code(self.spot().code).ops;
        let at = made_at as usize;
        let called = matches!(ops.get(at + 1..at + 3), Some([Op::Call(1, None), _] | [Op::Const(_), Op::Call(2, None)]));
        let Some(made) = ops.get(..at).and_then(|before| before.iter().rposition(|op| *op == Op::MakeFunction(expression))) else {
            return false;
        };
        match made.checked_sub(1).map(|callee| ops[callee]) {
            Some(Op::LoadGlobal(name)) => {
                let consumes = CONSUMERS.contains(&&*self.program.names[name.0 as usize]);
                called && consumes && matches!(self.store.global(name.0), V::Undef) && !self.store.builtins_open
            }
            _ => false,
        }
    }

    /// Whether the program is over the time limit now, and was not at an earlier point.
    fn passes_deadline(&self, entry: Path) -> bool {
        let timeout = self.settings.limits.timeout;
        // Under another recursion limit it may end in RecursionError instead.
        !self.uncertain_recursion_limit && entry.cost <= timeout && self.store.path.cost > timeout
    }

    /// A call that calls itself so often that it takes too long.
    fn report_long_recursion(&mut self, function: &Function, arguments: &[V], entry: Path) {
        let seconds = self.store.path.cost;
        let code = self.code(function.code);
        let parameters = code.params.positional as usize;
        let name = self.program.name(code.name);
        let shown: Vec<String> = arguments.iter().take(parameters).map(|v| self.describe(v)).collect();
        let measure = Measure { unit: Unit::Seconds, low: seconds, high: f64::INFINITY };
        let proof = self.proof();
        let words = [("expression", format!("{name}({})", shown.join(", "))), ("callee", name.to_owned())];
        let before = Path { interruptible: self.store.path.interruptible, ..entry };
        let after = std::mem::replace(&mut self.store.path, before);
        self.report(FactKind::LongRecursion, None, Some(measure), proof, &words);
        self.store.path = after;
    }

    pub fn mark_called(&mut self, code: CodeId) {
        if !std::mem::replace(&mut self.called[code.0 as usize], true) {
            self.newly_called.push(code);
        }
    }

    /// From here on no call of a function of the program's is followed, and every loop is bounded at once.
    pub fn stay_shallow(&mut self) {
        (self.call_floor, self.loop_floor) = (u64::MAX, u64::MAX);
    }

    /// The call is not followed: everything the function could reach is given up.
    fn give_up_call(&mut self, id: ObjId, locals: &[V]) -> V {
        self.store.escape_all(locals);
        self.store.escape(&V::Ref(id));
        self.may_raise_class("");
        V::Unknown(Why::Lost)
    }

    pub fn new_frame(&mut self, id: CodeId, code: &Code, mut locals: Vec<V>, closure: &[ObjId]) -> Frame {
        locals.resize(code.slots.len(), V::Undef);
        let mut cells = Vec::with_capacity(code.cells.len() + closure.len());
        for (_, slot) in &code.cells {
            let value = slot.map_or(V::Undef, |s| locals[s as usize].clone());
            if let V::Ref(cell) = self.alloc(Obj::Cell(value)) {
                cells.push(cell);
            }
        }
        cells.extend_from_slice(closure);
        Frame { code: id, pc: 0, locals, stack: Vec::with_capacity(code.max_stack as usize), cells, handling: Vec::new(), namespace: None }
    }

    /// Binds arguments to parameters.
    fn bind(&mut self, code: &Code, function: &Function, args: Args) -> R<Vec<V>> {
        let p = &code.params;
        let positional = p.positional as usize;
        let keyword_only = p.keyword_only as usize;
        let mut locals: Vec<V> = vec![V::Undef; code.slots.len()];
        let Args { pos, kw, open } = args;
        let wrong = || Stop::Raise(V::exception("TypeError"));
        let given = pos.len();
        let mut extra = Vec::new();
        for (i, value) in pos.into_iter().enumerate() {
            if i < positional {
                locals[i] = value;
            } else if p.var_positional.is_some() {
                extra.push(value);
            } else if open {
                return Ok(self.unknown_arguments(code, &locals));
            } else {
                return Err(wrong());
            }
        }
        let mut named = Vec::new();
        for (name, value) in kw {
            let slot = (p.positional_only as usize..positional + keyword_only).find(|&s| self.name(code.slots[s]) == name);
            match slot {
                Some(s) if s < given.min(positional) => return Err(wrong()),
                Some(s) => locals[s] = value,
                None if p.var_keyword.is_some() => named.push((name, value)),
                None if open => return Ok(self.unknown_arguments(code, &locals)),
                None => return Err(wrong()),
            }
        }
        if open {
            // What is missing may come from the arguments nobody knows, or from the defaults.
            let mut values = locals.clone();
            values.extend(extra.iter().cloned());
            values.extend(named.iter().map(|(_, v)| v.clone()));
            self.store.escape_all(&values);
            self.may_raise_class("TypeError");
            for slot in locals.iter_mut().take(positional + keyword_only) {
                if matches!(slot, V::Undef) {
                    *slot = V::Unknown(Why::Lost);
                }
            }
        }
        let first_default = positional - (p.defaults as usize).min(positional);
        #[expect(clippy::needless_range_loop, reason = "the index names the parameter, in several tables")]
        for i in 0..positional {
            if matches!(locals[i], V::Undef) {
                match i.checked_sub(first_default).and_then(|d| function.defaults.get(d)) {
                    Some(v) => locals[i] = v.clone(),
                    None => return Err(wrong()),
                }
            }
        }
        #[expect(clippy::needless_range_loop, reason = "the index names the parameter, in several tables")]
        for i in positional..positional + keyword_only {
            if matches!(locals[i], V::Undef) {
                let name = self.name(code.slots[i]);
                match function.keyword_defaults.iter().find(|(n, _)| *n == name) {
                    Some((_, v)) => locals[i] = v.clone(),
                    None => return Err(wrong()),
                }
            }
        }
        if let Some(slot) = p.var_positional {
            locals[slot as usize] = if open { V::tuple_bag(V::Unknown(Why::Lost), 0, u64::MAX) } else { self.make_tuple(extra) };
        }
        if let Some(slot) = p.var_keyword {
            let mut table = crate::value::object::Table::default();
            for (name, value) in named {
                let text = V::str(&name.text());
                self.table_insert(&mut table, &text, value)?;
            }
            if open {
                let unknown = V::Unknown(Why::Lost);
                table = crate::value::object::Table::default();
                table.rest =
                    Some(crate::value::object::Rest { element: V::strs(0, u64::MAX, Why::Lost), value: unknown, low: 0, high: u64::MAX });
            }
            locals[slot as usize] = self.alloc(Obj::Dict(Rc::new(table), crate::value::object::DictKind::Plain));
        }
        Ok(locals)
    }

    fn unknown_arguments(&mut self, code: &Code, locals: &[V]) -> Vec<V> {
        self.store.escape_all(locals);
        self.may_raise_class("TypeError");
        let p = &code.params;
        let n = p.positional as usize
            + p.keyword_only as usize
            + usize::from(p.var_positional.is_some())
            + usize::from(p.var_keyword.is_some());
        let mut out: Vec<V> = vec![V::Unknown(Why::Lost); n];
        out.resize(code.slots.len(), V::Undef);
        out
    }

    /// Prepares for functions that nobody called here: whoever calls them does so at any time later, when other functions
    /// of the program have run in between, in any order and on any thread. So every global that some function assigns is
    /// unknown, and so is what globals refer to. When the program did not run to its end (`finished`), only what is
    /// assigned at one place, to one thing, is known at all.
    pub fn forget_module_state(&mut self, finished: bool) {
        let mut assigned: Vec<u32> = Vec::new();
        let mut stores: std::collections::HashMap<u32, u32> = std::collections::HashMap::new();
        let mut fixed: std::collections::HashSet<u32> = std::collections::HashSet::new();
        for (at, code) in self.program.codes.iter().enumerate() {
            for (pc, op) in code.ops.iter().enumerate() {
                let (Op::StoreGlobal(name) | Op::DeleteGlobal(name)) = op else { continue };
                if at != 0 {
                    assigned.push(name.0);
                }
                *stores.entry(name.0).or_default() += 1;
                // The module itself runs once.
                if at == 0 && self.settings.history.is_none() && !code.loops.iter().any(|l| l.holds(pc as u32)) {
                    fixed.insert(name.0);
                }
            }
        }
        for id in 0..self.names.len() as u32 {
            let value = self.store.global(id);
            if !matches!(value, V::Undef) {
                self.store.escape(&value);
            }
            let once = stores.get(&id) == Some(&1) && fixed.contains(&id) && !matches!(value, V::Undef);
            if !finished && stores.contains_key(&id) && !once {
                self.store.make_wild(id);
            }
        }
        for name in assigned {
            self.store.make_wild(name);
        }
    }

    /// At least how many seconds a call takes that runs on a thread of its own, in a process that has no other reason to end it.
    /// Everything that others could change meanwhile is unknown to it.
    pub fn lasts_beside(&mut self, function: &V, args: Args) -> R<f64> {
        let (seconds, _) = self.lasts_apart(function, &mut |machine| {
            machine.store.escape(function);
            machine.store.escape_all(&args.values());
            machine.call_value(function, args.clone())
        })?;
        Ok(seconds)
    }

    /// The same of what a task waits for, and whether it may raise.
    pub fn lasts_in_a_task(&mut self, awaitable: &V) -> R<(f64, bool)> {
        match self.obj(awaitable) {
            Some(Obj::Generator(Generator { frame: Some(frame), coroutine: true, may_be_done: false })) if frame.pc == 0 => {
                let held: Vec<V> = frame.locals.iter().cloned().chain(frame.cells.iter().map(|cell| V::Ref(*cell))).collect();
                self.lasts_apart(awaitable, &mut |machine| {
                    machine.store.escape_all(&held);
                    machine.await_value(awaitable)
                })
            }
            Some(Obj::Partial { function: V::Lib(name), args, .. }) if &*name.text() == "asyncio.create_task.wait" => {
                let coroutine = args[0].clone();
                self.lasts_in_a_task(&coroutine)
            }
            Some(Obj::Partial { function: V::Lib(name), args, .. }) if crate::library::modules::is_awaitable(&name.text()) => {
                let held = args.as_ref().clone();
                self.lasts_apart(awaitable, &mut |machine| {
                    machine.store.escape_all(&held);
                    machine.await_value(awaitable)
                })
            }
            Some(Obj::Instance { class: V::Lib(class), attrs }) if &*class.text() == "asyncio.Task" => {
                let part = |name| crate::library::modules::attribute(attrs, name);
                match (part("-seconds"), part("-raises")) {
                    (Some(V::Float(seconds)), Some(V::Bool(raises))) if !crate::library::Host::mentions(self, &["cancel"]) => {
                        Ok((seconds, raises))
                    }
                    _ => Ok((0.0, true)),
                }
            }
            _ => Ok((0.0, true)),
        }
    }

    /// What runs on a thread, or in a task, that the rest of the program does not wait for: its least seconds, which are none where it may
    /// raise, and whether it may.
    fn lasts_apart(&mut self, function: &V, run: &mut dyn FnMut(&mut Self) -> R<V>) -> R<(f64, bool)> {
        // What ends a thread from outside is not followed.
        let interrupting = self.program.names.iter().any(|name| super::INTERRUPTING.contains(&&**name));
        // A name that is deleted is an error for whoever looks it up.
        let deletes = self.program.codes.iter().any(|code| code.ops.iter().any(|op| matches!(op, Op::DeleteGlobal(_))));
        if interrupting || deletes || self.store.builtins_open || self.fuel < 2 * ALONE {
            return Ok((0.0, true));
        }
        let kept = (self.store.clone(), self.facts.clone(), self.called.clone(), self.raised.take(), self.uncaught_raises);
        let (fuel, loops) = (self.fuel, (self.call_floor, self.loop_floor));
        (self.fuel, self.call_floor, self.loop_floor) = (ALONE, 0, 0);
        let defined = std::mem::replace(&mut self.defined_only, true);
        self.beside.push(function.clone());
        self.facts.clear();
        self.forget_module_state(false);
        let path = &mut self.store.path;
        (path.cost, path.interruptible, path.unknown_managers, path.timeouts) = (0.0, false, 0, 0);
        let result = run(self);
        let raises = self.raised.is_some() || self.uncaught_raises != kept.4;
        let is_proven = self.facts.values().all(|fact| fact.proof == Proof::Proven);
        let ends = self.facts.values().any(|fact| fact.measure.is_some_and(|m| m.unit == Unit::Seconds && m.low == f64::INFINITY));
        let seconds = match &result {
            Err(Stop::Dead) if ends && is_proven && !raises => f64::INFINITY,
            Ok(_) if is_proven && !raises => self.store.path.cost,
            _ => 0.0,
        };
        let raises = raises || !matches!(result, Ok(_) | Err(Stop::Dead));
        self.fuel = fuel - (ALONE - self.fuel);
        (self.call_floor, self.loop_floor) = loops;
        self.defined_only = defined;
        self.beside.pop();
        let found = std::mem::replace(&mut self.facts, kept.1);
        (self.store, self.called, self.raised, self.uncaught_raises) = (kept.0, kept.2, kept.3, kept.4);
        if seconds == f64::INFINITY
            && let Some(Obj::Function(f)) = self.obj(function)
        {
            // That it does not end is no fault of its own.
            let code = f.code;
            self.mark_called(code);
            let endless = |fact: &Fact| fact.measure.is_some_and(|m| m.unit == Unit::Seconds && m.low == f64::INFINITY);
            for (key, fact) in found.into_iter().filter(|(_, fact)| !endless(fact)) {
                self.facts.entry(key).or_insert(fact);
            }
        }
        Ok((seconds, raises))
    }

    /// Whether a function is what is looked at as what runs on a thread of its own, on the same object.
    pub fn runs_beside(&self, function: &V) -> bool {
        let parts = |v: &V| match self.obj(v) {
            Some(Obj::Bound { function, this }) => (function.clone(), this.clone()),
            _ => (v.clone(), V::Null),
        };
        let wanted = parts(function);
        matches!(wanted, (V::Ref(_), _) | (_, V::Ref(_))) && self.beside.iter().any(|running| parts(running) == wanted)
    }

    /// A test of a class of `unittest` that surely never returns, by name. What is set up before it could fail.
    pub fn endless_test(&mut self) -> R<Option<String>> {
        for id in 0..self.names.len() as u32 {
            let value = self.store.global(id);
            let Some(Obj::Class(class)) = self.obj(&value).cloned() else { continue };
            let is_case = matches!(class.bases.as_slice(), [V::Lib(base)] if &*base.text() == "unittest.TestCase");
            if !is_case || class.attrs.iter().any(|(name, _)| name.text().starts_with("setUp")) {
                continue;
            }
            for (name, function) in &class.attrs {
                let is_test = name.text().starts_with("test") && matches!(self.obj(function), Some(Obj::Function(_)));
                if is_test && self.lasts_beside(function, Args::of([V::Unknown(Why::OUTSIDE)]))? == f64::INFINITY {
                    return Ok(Some(format!("{}.{}", class.name.text(), name.text())));
                }
            }
        }
        Ok(None)
    }

    /// Evaluates a function nobody called, with arguments nobody knows.
    pub fn evaluate_alone(&mut self, id: CodeId) {
        let code = self.code(id);
        // Whoever runs a coroutine can cancel it at each `await`.
        self.store.path.interruptible |= code.is_async;
        let p = &code.params;
        let n = p.positional as usize + p.keyword_only as usize;
        let mut locals: Vec<V> = vec![V::Undef; code.slots.len()];
        for (at, slot) in locals.iter_mut().enumerate().take(n) {
            *slot = V::Unknown(Why::Outside(Source::of((id, at))));
        }
        if let Some(slot) = p.var_positional {
            locals[slot as usize] = V::tuple_bag(V::Unknown(Why::Outside(Source::of((id, slot)))), 0, u64::MAX);
        }
        if let Some(slot) = p.var_keyword {
            locals[slot as usize] = V::Unknown(Why::Outside(Source::of((id, slot))));
        }
        if code.kind == CodeKind::Comprehension {
            locals[0] = V::Unknown(Why::OUTSIDE);
        }
        let closure: Vec<ObjId> = code.frees.iter().map(|_| self.store.alloc(Obj::Escaped(Sym::new("cell")))).collect();
        let mut frame = self.new_frame(id, code, locals, &closure);
        let mut yields: HashMap<Pc, u32> = HashMap::new();
        while let Exit::Yield(..) = self.run_frame(&mut frame) {
            let seen = yields.entry(frame.pc).or_default();
            *seen += 1;
            if *seen > YIELDS_ALONE {
                break;
            }
            self.store.escape_all(&frame.locals);
            frame.stack.push(V::Unknown(Why::OUTSIDE));
        }
    }

    /// Whether the class has methods that are abstract, and `object.__new__` is kept from making instances by that.
    fn is_abstract(&self, class: &Class, class_value: &V) -> bool {
        let checked = class.mro.iter().any(|base| matches!(base, V::Lib(name) if &*name.text() == "abc.ABC"))
            || self.class_lookup(class, class_value, Sym::new(super::classes::CHECKED)).is_some();
        checked && {
            let bases = class.mro.iter().filter_map(|base| self.class(base));
            let mut names = class.attrs.iter().map(|(name, _)| *name).collect::<Vec<Sym>>();
            bases.for_each(|base| names.extend(base.attrs.iter().map(|(name, _)| *name)));
            names.iter().any(|name| self.class_lookup(class, class_value, *name).is_some_and(|v| self.is_marked(&v)))
        }
    }

    fn is_marked(&self, value: &V) -> bool {
        let mark = crate::library::modules::plain::ABSTRACT;
        match self.obj(value) {
            Some(Obj::Function(f)) => f.attrs.iter().any(|(name, v)| &*name.text() == mark && matches!(v, V::Bool(true))),
            Some(Obj::Property { get, .. }) => self.is_marked(get),
            Some(Obj::StaticMethod(f) | Obj::ClassMethod(f)) => self.is_marked(f),
            _ => false,
        }
    }

    /// Makes an instance.
    fn instantiate(&mut self, class_value: &V, class: &Rc<Class>, args: Args) -> R<V> {
        if class.open {
            let mut values = args.values();
            values.push(class_value.clone());
            return Ok(self.unknown_effect(&values));
        }
        if let Some(made) = self.library_instance(class, class_value, &args) {
            return made;
        }
        let new = self.class_lookup(class, class_value, Sym::new("__new__"));
        if new.is_some() {
            if self.is_abstract(class, class_value) {
                // Whether it comes to `object.__new__` is not followed.
                self.store.path.doubtful = true;
                self.may_raise_class("TypeError");
            }
            // Made by code of the program: what comes out is followed only when it is an instance.
            let mut with_class = args.clone();
            with_class.pos.insert(0, class_value.clone());
            let function = match new.as_ref().and_then(|v| self.obj(v)) {
                Some(Obj::StaticMethod(f)) => f.clone(),
                _ => new.unwrap_or(V::Unknown(Why::Lost)),
            };
            let made = self.call_value(&function, with_class)?;
            let is_own = matches!(self.obj(&made), Some(Obj::Instance { class: c, .. }) if c == class_value);
            if is_own {
                self.initialise(&made, class, class_value, args)?;
            } else if matches!(made, V::Unknown(_)) {
                self.store.escape_all(&args.values());
            }
            return Ok(made);
        }
        // Derived from a library type other than object and exceptions: its behaviour is not followed.
        let mut exception = false;
        let mut base_init = None;
        for base in &class.mro {
            if let V::Lib(name) = base {
                let text = name.text();
                if crate::library::exceptions::class(&text).is_some() {
                    exception = true;
                } else if is_followed(&text) {
                    base_init = Some(V::lib(&format!("{text}.__init__")));
                } else if !matches!(&*text, "object" | "abc.ABC" | "typing.Generic" | "typing.Protocol") {
                    let mut values = args.values();
                    values.push(class_value.clone());
                    return Ok(self.unknown_effect(&values));
                }
            }
        }
        // Exceptions are made by a `__new__` of their own.
        if !exception && self.is_abstract(class, class_value) {
            return Err(Stop::Raise(V::exception("TypeError")));
        }
        let mut attrs = Vec::new();
        if exception {
            let all = self.make_tuple(args.pos.to_vec());
            attrs.push((Sym::new("args"), all));
        }
        let has_init = self.class_lookup(class, class_value, Sym::new("__init__")).is_some();
        let has_finaliser = self.class_lookup(class, class_value, Sym::new("__del__")).is_some();
        if has_init
            && !exception
            && !has_finaliser
            && self.abstract_loops > 0
            && let Some(made) = self.initialised_apart(class, class_value, &args)?
        {
            return Ok(made);
        }
        let made = self.alloc(Obj::Instance { class: class_value.clone(), attrs: Rc::new(attrs) });
        if has_init {
            self.initialise(&made, class, class_value, args)?;
        } else if let Some(init) = base_init {
            let mut args = args;
            args.pos.insert(0, made.clone());
            self.call_value(&init, args)?;
        } else if !exception && (!args.pos.is_empty() || !args.kw.is_empty()) {
            if args.open {
                self.may_raise_class("TypeError");
            } else {
                return Err(Stop::Raise(V::exception("TypeError")));
            }
        }
        if let Some(finaliser) = self.class_lookup(class, class_value, Sym::new("__del__")) {
            // It runs when the last reference goes, or later: at any time, as far as the evaluator is concerned.
            self.store.escape_all(&[made.clone(), finaliser]);
        }
        Ok(made)
    }

    /// Makes an instance in a loop that is being bounded. The object that stands for all that are made here takes it up once it is
    /// whole: its attributes would all be missing perhaps if that one were initialised. None where others hold it by then.
    fn initialised_apart(&mut self, class: &Rc<Class>, class_value: &V, args: &Args) -> R<Option<V>> {
        let before = self.store.clone();
        let id = self.store.alloc(Obj::Instance { class: class_value.clone(), attrs: Rc::default() });
        self.initialise(&V::Ref(id), class, class_value, args.clone())?;
        let raised = self.raised.as_ref().is_some_and(|raised| refers_to(&raised.exception, id));
        let named = (0..self.names.len() as u32).any(|name| refers_to(&self.store.global(name), id));
        let whole = self.store.get(id).clone();
        if raised || named || !matches!(whole, Obj::Instance { .. }) || self.store.references(id) > 0 {
            self.store = before;
            return Ok(None);
        }
        self.store.replace(id, Obj::Hole);
        Ok(Some(self.alloc(whole)))
    }

    fn initialise(&mut self, made: &V, class: &Rc<Class>, class_value: &V, args: Args) -> R<()> {
        if let Some(init) = self.class_lookup(class, class_value, Sym::new("__init__")) {
            let mut args = args;
            args.pos.insert(0, made.clone());
            self.call_value(&init, args)?;
        }
        Ok(())
    }

    /// Runs a class body and makes the class.
    pub fn make_class(&mut self, frame: &mut Frame, outer: &Code, id: CodeId, bases: Vec<V>, keywords: Vec<(Sym, V)>, open: bool) -> R<V> {
        let code = self.code(id);
        self.mark_called(id);
        let cells = outer.cells.len();
        let closure: Vec<ObjId> = code
            .frees
            .iter()
            .map(|(_, capture)| match capture {
                crate::syntax::code::Capture::Cell(at) => frame.cells[*at as usize],
                crate::syntax::code::Capture::Free(at) => frame.cells[cells + *at as usize],
            })
            .collect();
        let mut open = open || keywords.iter().any(|(_, v)| !matches!(v, V::Lib(_)));
        let mut mro: Vec<V> = Vec::new();
        for base in &bases {
            match base {
                V::Lib(_) => mro.push(base.clone()),
                V::Ref(r) => match self.store.get(*r).clone() {
                    Obj::Class(c) => {
                        open |= c.open;
                        mro.push(base.clone());
                        for b in &c.mro {
                            // A base that several share comes after all of them.
                            mro.retain(|m| m != b);
                            mro.push(b.clone());
                        }
                    }
                    _ => open = true,
                },
                _ => open = true,
            }
        }
        let by_metaclass = keywords.iter().any(|(_, value)| matches!(value, V::Lib(v) if &*v.text() == "abc.ABCMeta"));
        for (name, value) in &keywords {
            if let V::Lib(v) = value
                && &*name.text() == "metaclass"
                && &*v.text() != "abc.ABCMeta"
                && &*v.text() != "type"
            {
                open = true;
            }
        }
        // A library base whose behaviour has no model may do anything with the class.
        for base in &mro {
            if let V::Lib(name) = base {
                let text = name.text();
                let known = crate::library::exceptions::class(&text).is_some()
                    || matches!(&*text, "object" | "abc.ABC" | "typing.Generic" | "typing.Protocol" | "enum.Enum" | "typing.NamedTuple")
                    // The base of a named tuple, which is followed.
                    || (&*text == "tuple" && !bases.contains(base))
                    || (is_followed(&text) && bases.len() == 1);
                open |= !known || (bases.len() > 1 && matches!(&*text, "enum.Enum" | "typing.NamedTuple" | "tuple"));
            }
        }
        if bases.iter().filter(|b| matches!(b, V::Ref(_))).count() > 1 && bases.len() > 1 {
            // Several bases: the order of resolution is only right here when they share nothing but the root.
            let shared = mro.len() < bases.iter().filter_map(|b| self.class(b)).map(|c| c.mro.len() + 1).sum::<usize>();
            open |= shared && bases.len() > 2;
        }
        // What is defined inside something else has a longer qualified name.
        let nested = (code.parent != Some(CodeId(0))).then(|| (Sym::new(super::classes::NESTED), V::Bool(true)));
        let abstract_class = by_metaclass.then(|| (Sym::new(super::classes::CHECKED), V::Bool(true)));
        let attrs = nested.into_iter().chain(abstract_class).collect();
        let class = Class { name: self.name(code.name), bases: bases.clone(), mro, attrs, open };
        let value = self.alloc(Obj::Class(Rc::new(class)));
        let V::Ref(class_id) = value else { return Ok(V::Unknown(Why::Lost)) };
        let mut inner = self.new_frame(id, code, Vec::new(), &closure);
        inner.namespace = Some(class_id);
        match self.run_frame(&mut inner) {
            Exit::Return(_) => {}
            Exit::Raise(e) => return Err(Stop::Raise(e)),
            Exit::Fuel => return Err(Stop::Fuel),
            _ => return Err(Stop::Dead),
        }
        for (at, (name, _)) in code.cells.iter().enumerate() {
            if self.program.name(*name) == "__class__" {
                let cell = inner.cells[at];
                if matches!(self.store.get(cell), Obj::Cell(_)) {
                    let v = value.clone();
                    self.store.mutate(cell, true, |obj| *obj = Obj::Cell(v));
                }
            }
        }
        if !open && !self.finish_class(&value, class_id, code)? {
            open = true;
            self.store.mutate(class_id, true, |obj| {
                if let Obj::Class(class) = obj {
                    Rc::make_mut(class).open = true;
                }
            });
        }
        // `__init_subclass__` and `__set_name__` are calls of code that may do anything.
        let hooks = bases.iter().any(|b| match self.class(b) {
            Some(c) => self.class_lookup(&c, b, Sym::new("__init_subclass__")).is_some(),
            None => false,
        });
        if hooks || open {
            self.store.escape(&value);
            if open {
                self.may_raise_class("");
            }
        }
        Ok(value)
    }

    /// The attribute of a class, through its bases; the value as stored (not bound).
    pub fn class_lookup(&self, class: &Class, _this: &V, name: Sym) -> Option<V> {
        let own = class.attrs.iter().find(|(n, v)| *n == name && !matches!(v, V::Undef)).map(|(_, v)| v.clone());
        own.or_else(|| {
            class.mro.iter().find_map(|base| match self.obj(base) {
                Some(Obj::Class(c)) => c.attrs.iter().find(|(n, v)| *n == name && !matches!(v, V::Undef)).map(|(_, v)| v.clone()),
                _ => None,
            })
        })
    }

    /// The special method of an instance's class, as a function of `self`.
    pub fn dunder(&self, value: &V, name: &str) -> Option<V> {
        match self.obj(value)? {
            Obj::Instance { class, .. } => {
                let c = self.class(class)?;
                self.class_lookup(&c, class, Sym::new(name))
            }
            _ => None,
        }
    }

    /// Whether an instance's class may have behaviour nobody sees.
    pub fn open_instance(&self, value: &V) -> bool {
        match self.obj(value) {
            Some(Obj::Instance { class, .. }) => self.class(class).is_none_or(|c| c.open),
            _ => true,
        }
    }

    /// Whether the value is an instance of a class (or of one in a tuple), when known.
    pub fn instance_of(&mut self, value: &V, class: &V) -> Option<bool> {
        match class {
            V::Tuple(t) => {
                let Tuple::Exact(all) = &**t else { return None };
                let answers: Vec<Option<bool>> = all.iter().map(|c| self.instance_of(value, c)).collect();
                if answers.contains(&Some(true)) {
                    return Some(true);
                }
                return if answers.iter().all(|a| *a == Some(false)) { Some(false) } else { None };
            }
            V::Lib(name) if &*name.text() == "object" => return Some(true),
            V::Lib(_) | V::Ref(_) => {}
            _ => return None,
        }
        if let V::OneOf(all) = value {
            let answers: Vec<Option<bool>> = all.iter().map(|v| self.instance_of(v, class)).collect();
            return if answers.iter().all(|a| *a == answers[0]) { answers[0] } else { None };
        }
        let actual = self.class_of_value(value)?;
        self.subclass_of(&actual, class)
    }

    /// Whether one class derives from another, when known.
    pub fn subclass_of(&mut self, actual: &V, class: &V) -> Option<bool> {
        if actual == class {
            return Some(true);
        }
        match (actual, class) {
            (V::Ref(id), _) => {
                let Obj::Class(c) = self.store.get(*id).clone() else { return None };
                let mut unknown = c.open;
                for base in &c.mro {
                    if base == class {
                        return Some(true);
                    }
                    if let (V::Lib(b), V::Lib(k)) = (base, class) {
                        match library_subclass(&b.text(), &k.text()) {
                            Some(true) => return Some(true),
                            Some(false) => {}
                            None => unknown = true,
                        }
                    }
                }
                if unknown { None } else { Some(false) }
            }
            (V::Lib(a), V::Lib(b)) => library_subclass(&a.text(), &b.text()),
            // A library object is never an instance of a class of the program, unless that class plays tricks.
            (V::Lib(_), V::Ref(id)) => match self.store.get(*id) {
                Obj::Class(c) if !c.open => Some(false),
                _ => None,
            },
            _ => None,
        }
    }

    /// The class or library type of a value.
    pub fn class_of_value(&mut self, value: &V) -> Option<V> {
        if let Some(name) = value.type_name() {
            return Some(V::lib(name));
        }
        match value {
            V::Exc(e) => Some(V::Lib(e.class)),
            V::Instance(name, _) if &*name.text() == super::classes::ANNOTATION => None,
            V::Instance(name, _) => (!stands_for_others(&name.text())).then_some(V::Lib(*name)),
            V::Ref(id) => Some(match self.store.get(*id) {
                Obj::List(_) => V::lib("list"),
                Obj::Dict(_, crate::value::object::DictKind::Plain) => V::lib("dict"),
                Obj::Dict(_, crate::value::object::DictKind::Ordered) => V::lib("collections.OrderedDict"),
                Obj::Dict(_, crate::value::object::DictKind::Default(_)) => V::lib("collections.defaultdict"),
                Obj::Dict(_, crate::value::object::DictKind::Counter) => V::lib("collections.Counter"),
                Obj::Set(_, true) => V::lib("frozenset"),
                Obj::Set(_, false) => V::lib("set"),
                Obj::Deque(..) => V::lib("collections.deque"),
                Obj::ByteArray(_) => V::lib("bytearray"),
                Obj::Instance { class: V::Lib(name), .. } if stands_for_others(&name.text()) => return None,
                Obj::Instance { class, .. } => class.clone(),
                Obj::Class(_) => V::lib("type"),
                Obj::Function(_) => V::lib("function"),
                Obj::Generator(_) => V::lib("generator"),
                Obj::Escaped(name) if matches!(&*name.text(), "list" | "set" | "frozenset" | "bytearray") => V::Lib(*name),
                _ => return None,
            }),
            _ => None,
        }
    }

    /// Library objects that nothing more is known about.
    pub fn is_opaque(&mut self, value: &V) -> bool {
        match value {
            V::Unknown(_) | V::Instance(..) => true,
            V::Lib(name) => self.entry(*name).is_none(),
            V::Ref(id) => matches!(self.store.get(*id), Obj::Escaped(_)),
            _ => false,
        }
    }
}

/// Calls after which the program does not go on.
fn leaves_the_process(name: &str) -> bool {
    name.starts_with("os.exec") || matches!(name, "os._exit" | "os.abort")
}

fn library_subclass(a: &str, b: &str) -> Option<bool> {
    if a == b || b == "object" {
        return Some(true);
    }
    if let Some(known) = crate::library::exceptions::derives(a, b) {
        return Some(known);
    }
    const PARENTS: &[(&str, &str)] =
        &[("bool", "int"), ("collections.defaultdict", "dict"), ("collections.Counter", "dict"), ("collections.OrderedDict", "dict")];
    if PARENTS.contains(&(a, b)) {
        return Some(true);
    }
    const CONCRETE: &[&str] = &[
        "int",
        "bool",
        "float",
        "complex",
        "str",
        "bytes",
        "bytearray",
        "list",
        "tuple",
        "dict",
        "set",
        "frozenset",
        "range",
        "slice",
        "NoneType",
        "function",
        "type",
        "generator",
        "module",
        "collections.defaultdict",
        "collections.Counter",
        "collections.OrderedDict",
        "collections.deque",
    ];
    let concrete = |x: &str| CONCRETE.contains(&x) || crate::library::exceptions::class(x).is_some();
    if concrete(a) && concrete(b) { Some(false) } else { None }
}

/// Library classes whose methods are followed on instances of classes that derive from them.
pub fn is_followed(name: &str) -> bool {
    matches!(name, "threading.Thread" | "multiprocessing.Process")
}
