//! What transfer functions may ask of the evaluator.

use crate::fact::{FactKind, Measure, Proof, Unit};
use crate::library::modules::{BY_TEXT, ENDING_ALL, INERT};
use crate::library::{Args, Host, Next, R, Stdin, Stop, Taken};
use crate::limits::Limits;
use crate::syntax::code::{BinaryOp, Code, CodeId, CodeKind, CompareOp, Const, NameId, Op, Pc};
use crate::value::object::{Key, Obj, Sym, V, Why};
use crate::value::store::Store;

use super::calls::{RECURSION_LIMIT, RECURSION_SLACK};
use super::machine::{GuardState, Machine};

/// Names of what ends the program when it is called.
const EXITS: &[&str] = &["_exit", "abort", "exit", "quit"];

/// Names of what raises exceptions in other threads.
const REACHING_OTHERS: &[&str] = &["pthread_kill", "pythonapi"];

/// Names of what makes threads and processes that are counted.
const MAKING: &[&str] = &["Pool", "Process", "ProcessPoolExecutor", "Thread", "ThreadPool", "ThreadPoolExecutor", "Timer"];

/// Names of what runs code of the program beside it in another way.
const MAKING_UNCOUNTED: &[&str] = &[
    "Manager",
    "QueueListener",
    "ThreadingMixIn",
    "__del__",
    "_start_new_thread",
    "add_done_callback",
    "atexit",
    "dummy",
    "finalize",
    "fork",
    "forkpty",
    "get_context",
    "run_in_executor",
    "start_new_thread",
    "to_thread",
];

/// Names of what lets the standard streams lead elsewhere.
const REDIRECTING: &[&str] = &["StringIO", "capfd", "capsys", "dup2", "redirect_stderr", "redirect_stdout"];

/// Names of what ends threads and processes, or waits for their end.
const ENDINGS: &[&str] = &["alarm", "cancel", "exit", "quit", "setitimer", "terminate", "wait", "waitpid"];

impl Host for Machine<'_> {
    fn store(&mut self) -> &mut Store {
        &mut self.store
    }

    fn limits(&self) -> &Limits {
        &self.settings.limits
    }

    fn target(&self) -> (u8, u8) {
        self.settings.target
    }

    fn burn(&mut self, steps: u64) -> R<()> {
        Machine::burn(self, steps)
    }

    fn burn_on_pattern(&mut self, steps: u64) -> R<()> {
        let kept = steps.min(self.fuel_for_patterns);
        self.fuel_for_patterns -= kept;
        Machine::burn(self, steps - kept)
    }

    fn cost(&mut self, seconds: f64) {
        self.take_time(seconds, None, Proof::Proven);
    }

    fn spend(&mut self, seconds: f64, callee: &str, iterable: &V) {
        let proof = if Machine::interruptible(self) && self.runs_code(iterable) { Proof::Likely } else { Proof::Proven };
        self.take_time(seconds, Some(callee), proof);
    }

    fn writes(&mut self, bytes: u64, callee: &str) {
        self.write_output(bytes, callee);
    }

    fn may_raise(&mut self, class: &str) {
        self.may_raise_class(class);
    }

    fn raise(&mut self, class: &str, _message: &str) -> Stop {
        Stop::Raise(V::exception(class))
    }

    fn call(&mut self, callable: &V, args: Args) -> R<V> {
        self.call_value(callable, args)
    }

    fn iterate(&mut self, value: &V) -> R<V> {
        self.iterate_value(value)
    }

    fn next(&mut self, iterator: &V) -> R<Next> {
        self.next_value(iterator)
    }

    fn take(&mut self, iterable: &V) -> R<Taken> {
        self.take_value(iterable)
    }

    fn foresee(&mut self, iterable: &V) -> R<Option<Taken>> {
        Machine::foresee(self, iterable)
    }

    fn remaining(&mut self, iterator: &V) -> u64 {
        self.remaining_low(iterator)
    }

    fn steps(&mut self, iterator: &V) -> u64 {
        self.steps_low(iterator)
    }

    fn passing(&mut self, iterator: &V) -> f64 {
        let each = crate::value::cost::FOR_LIST.times(self.steps_low(iterator) as f64);
        each.max(self.passing_low(iterator))
    }

    fn truth(&mut self, value: &V) -> R<Option<bool>> {
        self.truth_value(value)
    }

    fn compare(&mut self, op: CompareOp, a: &V, b: &V) -> R<V> {
        self.compare_values(op, a, b)
    }

    fn binary(&mut self, op: BinaryOp, a: &V, b: &V) -> R<V> {
        self.binary_op(op, a, b, false)
    }

    fn attribute(&mut self, value: &V, name: Sym) -> R<V> {
        self.load_attr(value, name)
    }

    fn set_attribute(&mut self, value: &V, name: Sym, new: V) -> R<()> {
        self.store_attr(value, name, new)
    }

    fn each_of(&mut self, all: &[V], run: &mut dyn FnMut(&mut dyn Host, &V) -> R<V>) -> R<V> {
        self.each(all, |machine, v| run(machine, v))
    }

    fn length(&mut self, value: &V) -> R<V> {
        self.length_of(value)
    }

    fn item(&mut self, value: &V, index: &V) -> R<V> {
        self.load_item(value, index)
    }

    fn text(&mut self, value: &V, repr: bool) -> R<V> {
        self.text_of(value, repr)
    }

    fn alloc(&mut self, obj: Obj) -> V {
        Machine::alloc(self, obj)
    }

    fn join_state(&mut self, earlier: Store) {
        self.rejoin(&earlier);
    }

    fn join(&mut self, a: &V, b: &V) -> V {
        self.store.join_values(a, b, false)
    }

    fn key(&mut self, value: &V) -> R<Option<Key>> {
        self.key_of(value)
    }

    fn unknown_call(&mut self, args: &Args) -> V {
        self.unknown_effect(&args.values())
    }

    fn fact(&mut self, kind: FactKind, measure: Option<Measure>, proof: Proof, words: &[(&'static str, String)]) {
        self.report(kind, None, measure, proof, words);
    }

    fn integer(&mut self, kind: FactKind, op: &str, expression: String, bits: (u64, u64)) {
        self.check_integer(kind, op, expression, bits);
        if bits.1 > self.settings.limits.int_bits {
            self.mark_guard(GuardState::Needed);
            let spot = self.spot();
            if matches!(self.code(spot.code).ops.get(spot.pc as usize), Some(Op::Call(_, None) | Op::CallMethod(_, None))) {
                self.call_guards.insert((spot.code, spot.pc));
            }
        }
    }

    fn never_returns(&mut self, iterable: &V, callee: &str, collects: bool) -> Stop {
        self.endless_consumption(iterable, callee, collects)
    }

    fn often(&mut self, values: &[V], run: &mut dyn FnMut(&mut dyn Host) -> R<V>) -> R<V> {
        Machine::often(self, values, &mut |machine| run(machine))
    }

    fn certainly(&mut self, run: &mut dyn FnMut(&mut dyn Host) -> R<bool>) -> R<bool> {
        Ok(self.rehearse(|machine| run(machine))? == Some(true))
    }

    fn is_handled(&mut self, class: &str) -> bool {
        Machine::is_handled(self, class)
    }

    fn waits_forever(&mut self, kind: FactKind, callee: &str, reason: &str) -> Stop {
        let measure = Measure { unit: Unit::Seconds, low: f64::INFINITY, high: f64::INFINITY };
        let proof = self.proof();
        self.report(kind, None, Some(measure), proof, &[("callee", callee.to_owned()), ("reason", reason.to_owned())]);
        Stop::Dead
    }

    fn lasts(&mut self, function: &V, args: Args) -> R<f64> {
        self.lasts_beside(function, args)
    }

    fn lasts_meanwhile(&mut self, function: &V, args: Args) -> R<f64> {
        if self.defined_only || !self.beside.is_empty() {
            return Ok(0.0);
        }
        self.blocked = Some(self.frames.len());
        let seconds = self.lasts_beside(function, args);
        self.blocked = None;
        seconds
    }

    fn left_running(&mut self, function: V, args: Args, callee: &str) {
        if Host::is_certain(self) && self.beside.is_empty() {
            self.left_running.push((self.span(self.spot()), callee.to_owned(), function, args));
        }
    }

    fn queued(&mut self, queue: &V, item: &V) {
        let V::Ref(id) = queue else { return };
        let item = if crate::library::common::is_plain(item) { item.clone() } else { V::Unknown(Why::OUTSIDE) };
        let known = match self.queued.get(id) {
            Some(known) => self.store.join_values(&known.clone(), &item, false),
            None => item,
        };
        self.queued.insert(*id, known);
    }

    fn known_of_queue(&mut self, queue: &V) -> Option<V> {
        let V::Ref(id) = queue else { return None };
        let waiting = self.blocked?;
        let is_own = |code: CodeId| code.0 == 0 || self.frames[..waiting].iter().any(|spot| spot.code == code) && self.runs_once(code);
        let is_put = |(code, pc): (CodeId, Pc)| is_own(code) && matches!(self.code(code).ops[pc as usize], Op::LoadMethod(_));
        let only_here = self.attribute_places(&["put", "put_nowait"]).all(is_put) && !self.accesses(&["queue", "_put"]);
        let is_known = only_here && !self.lost_puts && !self.store.is_summary(*id);
        is_known.then(|| self.queued.get(id).cloned().unwrap_or(V::Undef))
    }

    fn lasts_awaited(&mut self, awaitable: &V) -> R<(f64, bool)> {
        self.lasts_in_a_task(awaitable)
    }

    fn spawned(&mut self, seconds: f64, callee: &str) {
        self.spawner = (callee.to_owned(), self.span(self.spot()));
        let path = &mut self.store.path;
        let limits = &self.settings.limits;
        if path.cost + seconds < limits.timeout {
            return;
        }
        path.spawned = path.spawned.saturating_add(1);
        let number = path.spawned;
        if number == limits.processes + 1 {
            self.report_spawn_bomb(f64::from(number));
        }
    }

    fn makes_others(&mut self, most: u32) {
        let most = if self.abstract_loops > 0 { u32::MAX } else { most };
        let path = &mut self.store.path;
        path.made = path.made.saturating_add(most);
    }

    fn flows_at_most(&mut self) -> Option<u32> {
        let interrupting = self.program.names.iter().any(|name| super::INTERRUPTING.contains(&&**name));
        if interrupting || self.mentions(MAKING_UNCOUNTED) || self.has_unseen_code() || self.store.path.made == u32::MAX {
            return None;
        }
        let waiting = match self.blocked {
            Some(waiting) => waiting,
            None if self.beside.is_empty() && !self.defined_only => self.frames.len(),
            None => return None,
        };
        let mut made = self.places(MAKING);
        let only_here = made.all(|(code, pc)| self.is_run_by(waiting, code) && self.is_called_at_once(code, pc));
        only_here.then_some(self.store.path.made + u32::from(self.blocked.is_none()))
    }

    fn proof(&self) -> Proof {
        Machine::proof(self)
    }

    fn proof_of_sum(&self, seconds: f64) -> Proof {
        if self.store.path.retries && seconds <= self.settings.limits.timeout { Proof::Likely } else { Machine::proof(self) }
    }

    fn stdin(&self) -> Stdin {
        self.settings.stdin
    }

    fn is_file(&self) -> bool {
        self.settings.is_file
    }

    fn is_bare(&self) -> bool {
        self.settings.is_bare
    }

    fn runs_code(&self, iterator: &V) -> bool {
        Machine::runs_code(self, iterator)
    }

    fn mentions(&self, names: &[&str]) -> bool {
        self.program.names.iter().any(|name| names.contains(&&**name))
    }

    fn mentions_yet(&self, names: &[&str]) -> bool {
        let found = self.program.names.iter().enumerate().filter(|(_, name)| names.contains(&&***name));
        found.map(|(at, _)| NameId(at as u32)).any(|name| {
            let mut places = self.program.places_of(name).peekable();
            let is_listed = self.program.name_lists.iter().any(|list| list.contains(&name));
            let is_exit = EXITS.contains(&&*self.program.names[name.0 as usize]);
            let is_harmless = |code, pc| {
                let is_own_exit = is_exit && self.is_own_call(code, pc);
                is_own_exit || self.is_caught(code, pc) || self.is_of_connection(code, pc) || self.comes_later(code, pc)
            };
            is_listed || places.peek().is_none() || places.any(|(code, pc)| !is_harmless(code, pc))
        })
    }

    fn spells(&self, letters: &str) -> bool {
        self.consts.iter().any(|value| matches!(value, V::Str(text) if text.contains(letters)))
    }

    fn accesses(&self, attributes: &[&str]) -> bool {
        self.attribute_places(attributes).any(|(code, pc)| !self.comes_later(code, pc)) || self.has_unseen_code()
    }

    fn is_only_place_of(&self, attribute: &str) -> bool {
        let here = self.spot().code;
        self.attribute_places(&[attribute]).all(|(code, _)| code == here) && !self.has_unseen_code()
    }

    fn imports_only(&self, modules: &[&[&str]]) -> bool {
        self.program.imports_only(modules)
    }

    fn is_certain(&self) -> bool {
        !self.defined_only && self.store.path.mass >= 1.0 && !self.store.path.doubtful
    }

    fn is_global(&self, value: &V) -> bool {
        matches!(value, V::Ref(_)) && (0..self.names.len() as u32).any(|name| self.store.global(name) == *value)
    }

    fn is_in_closed_loop(&self) -> bool {
        let spot = self.spot();
        let ops = &self.code(spot.code).ops;
        // The condition of `while True` is none.
        let is_true =
            |op: Op| matches!(op, Op::Const(id) if matches!(self.program.consts[id.0 as usize], Const::Bool(true) | Const::Int(1)));
        let is_open = |at: usize, back: u32| match ops[at] {
            Op::Return | Op::ReturnToken(_) | Op::Raise(_) => true,
            Op::JumpIfFalse(_) if at > 0 && is_true(ops[at - 1]) => false,
            op => op.jump_target().is_some_and(|to| to > back),
        };
        let mut around = self.code(spot.code).loops.iter().filter(|l| l.holds(spot.pc));
        around.any(|l| !(l.head as usize..=l.back as usize).any(|at| is_open(at, l.back)))
    }

    fn is_deep(&self) -> bool {
        self.uncertain_recursion_limit || 2 * self.frames.len() >= RECURSION_LIMIT - RECURSION_SLACK
    }

    fn is_discarded(&self) -> bool {
        let spot = self.spot();
        matches!(self.code(spot.code).ops.get(spot.pc as usize + 1), Some(Op::Pop))
    }

    fn is_iterated_at_once(&self) -> bool {
        let spot = self.spot();
        matches!(self.code(spot.code).ops.get(spot.pc as usize + 1..), Some([Op::GetIter, Op::LoopEnter(_), ..]))
    }

    fn call_text(&self) -> String {
        let span = self.span(self.spot());
        let text = self.text.get(span.start as usize..span.end as usize).unwrap_or_default();
        text.split_whitespace().collect()
    }

    fn sleep(&mut self, low: f64, high: f64, callee: &str) {
        self.sleeps += 1;
        let before = self.store.path.cost;
        self.store.path.cost += low;
        let total = before + low;
        let measure = Measure { unit: Unit::Seconds, low: total, high: before + high };
        let seconds = if low > 0.0 && before < self.settings.limits.timeout / 100.0 { low } else { total };
        let words =
            [("callee", callee.to_owned()), ("seconds", crate::value::decimal::repr_float(seconds)), ("total", format!("{total:.1}"))];
        if total > self.settings.limits.timeout && before <= self.settings.limits.timeout {
            let proof = self.proof_of_sum(low);
            self.report(FactKind::Sleep, None, Some(measure), proof, &words);
        }
    }

    fn wait(&mut self, awaitable: &V) -> R<V> {
        self.await_value(awaitable)
    }

    fn interruptible(&mut self) {
        self.store.path.interruptible = true;
    }

    fn class_of(&mut self, value: &V) -> Option<V> {
        self.class_of_value(value)
    }

    fn is_instance(&mut self, value: &V, classes: &V) -> Option<bool> {
        self.instance_of(value, classes)
    }

    fn special(&mut self, name: &str, args: Args) -> R<V> {
        match name {
            "super" => self.make_super(&args),
            "multiplies" => Ok(V::Bool(args.pos.first().is_some_and(|v| self.multiplies(v)))),
            "runs beside" => Ok(V::Bool(args.pos.first().is_some_and(|v| self.runs_beside(v)))),
            "handles" => {
                if let Some(Obj::Function(function)) = args.pos.first().and_then(|v| self.obj(v)) {
                    let code = function.code;
                    let name = self.code(code).name;
                    let uses =
                        self.program.places_of(name).filter(|(at, pc)| !matches!(self.code(*at).ops[*pc as usize], Op::StoreGlobal(_)));
                    if uses.count() == 1 {
                        self.connected.push(code);
                    }
                }
                Ok(V::None)
            }
            "coroutine" => Ok(V::Bool(self.frames.iter().any(|spot| self.code(spot.code).is_async))),
            "isolated" => Ok(V::Bool(args.pos.first().is_some_and(|v| self.is_isolated(v)))),
            "globals" if self.is_namespace_of_exec() => Ok(super::dynamic::module_namespace()),
            "globals" | "locals" | "vars" => {
                // The namespace handed out could be written to.
                self.give_up_globals();
                Ok(V::Unknown(Why::Lost))
            }
            "exec" | "eval" => self.run_text(name, &args),
            "call of text" => self.call_of_text(&args),
            "importable" => Ok(V::Bool(args.pos.first().is_some_and(|v| self.is_importable(v)))),
            // Nothing keeps a generator from being left in the midst of what it does.
            "thread" => {
                let is_plain = self.frames.iter().all(|spot| !self.code(spot.code).is_generator && !self.code(spot.code).is_async);
                Ok(if is_plain { V::Int(self.beside.len() as i128) } else { V::None })
            }
            // One that gives up breaks a barrier for all.
            "waits give up" => {
                let is_plain = |(code, pc): (CodeId, Pc)| {
                    matches!(self.code(code).ops[pc as usize..], [Op::LoadMethod(_), Op::CallMethod(0, None), ..])
                };
                Ok(V::Bool(!self.attribute_places(&["wait"]).all(is_plain)))
            }
            "defined" => {
                let number = (0..self.names.len() as u32).filter(|name| !matches!(self.store.global(*name), V::Undef)).count();
                Ok(V::Int(number as i128))
            }
            "program" => match args.pos.first() {
                Some(V::Str(text)) => {
                    let (seconds, bytes) = self.lasts_as_program(&text.clone())?;
                    Ok(V::tuple(vec![V::Float(seconds), V::Float(bytes)]))
                }
                _ => Ok(V::None),
            },
            "tests" => Ok(self.endless_test()?.map_or(V::None, |name| V::str(&name))),
            "compile" => Ok(super::dynamic::compiled(self, args.pos.first().cloned().unwrap_or(V::None))),
            "setrecursionlimit" => {
                self.uncertain_recursion_limit = true;
                Ok(V::None)
            }
            _ => Ok(self.unknown_effect(&args.values())),
        }
    }
}

impl Machine<'_> {
    /// Whether there may be code that does more to the program's objects than the program names.
    fn has_unseen_code(&self) -> bool {
        self.mentions(BY_TEXT) || !self.settings.given.is_empty() || !self.program.imports_only(&INERT)
    }

    /// Each place that names one of these.
    fn places(&self, names: &[&str]) -> impl Iterator<Item = (CodeId, Pc)> {
        let named = self.program.names.iter().enumerate().filter(|(_, name)| names.contains(&&***name));
        let places: Vec<_> = named.flat_map(|(at, _)| self.program.places_of(NameId(at as u32))).collect();
        places.into_iter()
    }

    /// Whether only the outermost frames that wait run this code, and do so once.
    fn is_run_by(&self, waiting: usize, code: CodeId) -> bool {
        let own = self.code(code);
        match own.parent {
            None => true,
            Some(parent) if own.kind == CodeKind::Comprehension && !own.is_generator => self.is_run_by(waiting, parent),
            Some(_) => self.frames[..waiting].iter().any(|spot| spot.code == code) && self.runs_once(code),
        }
    }

    /// Whether a name is imported at a place, or what it stands for called there.
    fn is_called_at_once(&self, code: CodeId, pc: Pc) -> bool {
        match self.code(code).ops[pc as usize] {
            Op::ImportFrom(_) | Op::LoadMethod(_) => true,
            Op::StoreGlobal(_) => pc > 0 && matches!(self.code(code).ops[pc as usize - 1], Op::ImportFrom(_)),
            Op::LoadGlobal(_) => {
                let end = self.code(code).spans[pc as usize].end as usize;
                self.text.get(end..).is_some_and(|rest| rest.starts_with('('))
            }
            _ => false,
        }
    }

    /// Each access to an attribute of one of these names.
    fn attribute_places(&self, attributes: &[&str]) -> impl Iterator<Item = (CodeId, Pc)> {
        let is_named = |name: NameId| attributes.contains(&&*self.program.names[name.0 as usize]);
        let mut places = Vec::new();
        for (at, code) in self.program.codes.iter().enumerate() {
            for (pc, op) in code.ops.iter().enumerate() {
                if matches!(op, Op::LoadAttr(n) | Op::LoadMethod(n) | Op::StoreAttr(n) if is_named(*n)) {
                    places.push((CodeId(at as u32), pc as Pc));
                }
            }
        }
        places.into_iter()
    }

    /// Whether a place is a call that nobody but the thread that waits here comes to.
    fn is_own_call(&self, code: CodeId, pc: Pc) -> bool {
        let is_main = self.beside.is_empty() && !self.defined_only && self.settings.history.is_none();
        let is_call = matches!(
            self.code(code).ops[pc as usize..],
            [Op::LoadMethod(_), ..] | [Op::LoadGlobal(_), Op::Call(0, None), ..] | [Op::LoadGlobal(_), Op::Const(_), Op::Call(1, None), ..]
        );
        is_main && is_call && self.frames.iter().any(|spot| spot.code == code) && self.runs_once(code)
    }

    /// Whether a place is an `except` clause's list of what it takes.
    fn is_caught(&self, code: CodeId, pc: Pc) -> bool {
        let mut next = self.code(code).ops[pc as usize + 1..].iter();
        matches!(self.code(code).ops[pc as usize], Op::LoadGlobal(_)) && matches!(next.next(), Some(Op::MatchException))
    }

    /// Whether a place is an attribute of the streams that a handler of connections is given, and it alone.
    fn is_of_connection(&self, code: CodeId, pc: Pc) -> bool {
        let Some(before) = pc.checked_sub(1).map(|before| self.code(code).ops[before as usize]) else { return false };
        // What a handler of `socketserver` finds in itself.
        let is_part = |name: NameId| matches!(&*self.program.names[name.0 as usize], "request" | "connection" | "rfile" | "wfile");
        match before {
            Op::LoadLocal(0 | 1) => self.connected.contains(&code),
            Op::LoadAttr(name) => is_part(name),
            _ => false,
        }
    }

    /// Whether only the code that waits for the operation being evaluated comes to a place, when that is over.
    fn comes_later(&self, code: CodeId, pc: Pc) -> bool {
        // What runs beside the program waits for something else than the program does, unless that waits for it.
        let waiting = match self.blocked {
            Some(waiting) => waiting,
            None if self.beside.is_empty() && !self.defined_only => self.frames.len(),
            None => return false,
        };
        if self.settings.history.is_some() || self.mentions(BY_TEXT) {
            return false;
        }
        let Some(waits) = self.frames[..waiting].iter().find(|spot| spot.code == code) else { return false };
        let own = self.code(code);
        let is_later = pc > waits.pc && !own.loops.iter().any(|l| l.holds(pc) && l.holds(waits.pc)) && self.runs_once(code);
        self.answers_by_place.set(self.answers_by_place.get() + u64::from(is_later));
        is_later
    }

    /// Whether code runs once: the module does, and so does what it alone calls, at one place.
    fn runs_once(&self, code: CodeId) -> bool {
        let is_in_loop = |code: &Code, at: Pc| code.loops.iter().any(|l| l.holds(at));
        let mut outer = code;
        while outer.0 != 0 {
            let own = self.code(outer);
            let mut places =
                self.program.places_of(own.name).filter(|(code, pc)| !matches!(self.code(*code).ops[*pc as usize], Op::StoreGlobal(_)));
            let (Some((caller, at)), None) = (places.next(), places.next()) else { return false };
            let is_plain = own.parent.is_some_and(|parent| {
                let ops = self.code(parent).ops.windows(2);
                let mut made = ops.filter(|pair| matches!(pair[0], Op::MakeFunction(code, ..) if code == outer));
                made.all(|pair| matches!(pair[1], Op::StoreGlobal(_)))
            });
            if !is_plain || is_in_loop(self.code(caller), at) || !matches!(self.code(caller).ops[at as usize], Op::LoadGlobal(_)) {
                return false;
            }
            outer = caller;
        }
        true
    }

    /// The threads that nobody waits for before the program's end, of which some never come to theirs.
    pub fn judge_threads(&mut self) {
        for (span, callee, function, args) in std::mem::take(&mut self.left_running) {
            self.blocked = Some(0);
            let seconds = self.lasts_beside(&function, args);
            self.blocked = None;
            if seconds == Ok(f64::INFINITY) {
                let proof = if self.mentions(ENDING_ALL) || self.mentions(REACHING_OTHERS) { Proof::Likely } else { Proof::Proven };
                let reason = "its function never returns, and the program waits for it at its end";
                let words = [("callee", callee), ("reason", reason.to_owned())];
                self.report(FactKind::HangsAtExit, Some(span), None, proof, &words);
            }
        }
    }

    /// So many processes or threads are started that still run.
    pub fn report_spawn_bomb(&mut self, number: f64) {
        let measure = Measure { unit: Unit::Processes, low: number, high: f64::INFINITY };
        let proof = if self.mentions(ENDINGS) || self.mentions(ENDING_ALL) { Proof::Likely } else { Machine::proof(self) };
        let (callee, span) = self.spawner.clone();
        self.report(FactKind::SpawnBomb, Some(span), Some(measure), proof, &[("callee", callee)]);
    }

    /// The bytes beyond which a program is ended.
    pub fn most_output(&self) -> f64 {
        self.settings.limits.most_output(false) as f64
    }

    /// The program writes at least so much: reported where that alone takes it over the limit.
    fn write_output(&mut self, bytes: u64, callee: &str) {
        // A text that is over the memory limit is not made at all.
        let bytes = if bytes > self.settings.limits.memory { 0 } else { bytes };
        let replaced = ["sys.stdout", "sys.stderr"].iter().any(|name| self.store.is_patched(Sym::new(name)));
        if bytes == 0 || replaced || self.mentions(REDIRECTING) {
            return;
        }
        let before = self.store.path.output;
        self.store.path.output += bytes as f64;
        let most = self.most_output();
        if before <= most && self.store.path.output > most && bytes as f64 > most / 2.0 {
            let total = self.store.path.output;
            let measure = Measure { unit: Unit::Bytes, low: total, high: f64::INFINITY };
            let words = [
                ("callee", callee.to_owned()),
                ("bytes", format!("{total:.0}")),
                ("reason", format!("its text has at least {bytes} characters")),
            ];
            let proof = if self.store.path.retries && bytes as f64 <= most { Proof::Likely } else { Machine::proof(self) };
            self.report(FactKind::OutputFlood, None, Some(measure), proof, &words);
        }
    }

    /// A call takes at least so long: reported where it takes the program over the timeout. One call that holds the interpreter
    /// cannot be interrupted by anything.
    fn take_time(&mut self, seconds: f64, callee: Option<&str>, proof: Proof) {
        if seconds <= 0.0 {
            return;
        }
        let before = self.store.path.cost;
        self.store.path.cost += seconds;
        let timeout = self.settings.limits.timeout;
        if before <= timeout && self.store.path.cost > timeout && seconds > timeout / 2.0 {
            let total = self.store.path.cost;
            let measure = Measure { unit: Unit::Seconds, low: total, high: f64::INFINITY };
            let proof = if proof == Proof::Proven && self.store.path.retries && seconds <= timeout { Proof::Likely } else { proof };
            let mut words = vec![("seconds", format!("{total:.0}")), ("reason", format!("it takes at least {total:.0} s"))];
            words.extend(callee.map(|callee| ("callee", callee.to_owned())));
            self.report(FactKind::LongIteration, None, Some(measure), proof, &words);
        }
    }

    /// Whether another process finds a function by its name.
    fn is_importable(&self, function: &V) -> bool {
        match self.obj(function) {
            Some(Obj::Function(f)) => {
                let code = self.code(f.code);
                code.parent == Some(CodeId(0)) && self.store.global(code.name.0) == *function
            }
            _ => matches!(function, V::Lib(_)),
        }
    }

    /// Whether a function of the program gives the product of its two arguments and does nothing else.
    fn multiplies(&self, function: &V) -> bool {
        let Some(Obj::Function(f)) = self.obj(function) else { return false };
        let code = self.code(f.code);
        let params = &code.params;
        if params.positional != 2 || params.keyword_only != 0 || code.is_generator || code.is_async {
            return false;
        }
        let body: Vec<&Op> = code.ops.iter().filter(|op| !matches!(op, Op::Nop)).collect();
        let loads = |a: &Op, b: &Op| matches!((a, b), (Op::LoadLocal(0), Op::LoadLocal(1)) | (Op::LoadLocal(1), Op::LoadLocal(0)));
        matches!(body.as_slice(), [a, b, Op::Binary(BinaryOp::Mul), Op::Return, ..] if loads(a, b))
    }

    /// Whether a coroutine that has not begun touches nothing but its own variables, and calls nothing of the program: whatever
    /// runs beside it makes no difference.
    fn is_isolated(&mut self, coroutine: &V) -> bool {
        let V::Ref(id) = coroutine else { return false };
        let Obj::Generator(generator) = self.store.get(*id) else { return false };
        let Some(frame) = generator.frame.clone().filter(|f| f.pc == 0 && generator.coroutine) else { return false };
        if frame.locals.iter().any(|v| !matches!(v, V::Undef) && !crate::library::common::is_plain(v)) || !frame.cells.is_empty() {
            return false;
        }
        let code = self.code(frame.code);
        code.handlers.is_empty()
            && code.ops.iter().all(|op| match op {
                Op::LoadGlobal(name) => matches!(self.store.global(name.0), V::Undef | V::Module(_) | V::Lib(_)),
                Op::LoadName(_) | Op::LoadDeref(_) | Op::LoadNameOrDeref(..) | Op::StoreGlobal(_) | Op::DeleteGlobal(_) => false,
                Op::StoreAttr(_) | Op::StoreItem | Op::DeleteAttr(_) | Op::DeleteItem | Op::MakeFunction(..) => false,
                _ => true,
            })
    }

    /// Code nobody sees may write any global from here on.
    pub fn give_up_globals(&mut self) {
        for id in 0..self.names.len() as u32 {
            let value = self.store.global(id);
            if !matches!(value, V::Undef) {
                self.store.escape(&value);
            }
            self.store.make_wild(id);
        }
    }

    /// `super()` and `super(class, self)`.
    fn make_super(&mut self, args: &Args) -> R<V> {
        if args.pos.len() == 2 {
            return Ok(self.alloc(Obj::Super { class: args.pos[0].clone(), this: args.pos[1].clone() }));
        }
        match self.super_context.last().cloned() {
            Some((class, this)) => Ok(self.alloc(Obj::Super { class, this })),
            None => Ok(self.unknown_effect(&args.values())),
        }
    }
}
