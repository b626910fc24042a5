//! One instruction.

use std::rc::Rc;

use crate::fact::FactKind;
use crate::library::common::{POINTER, allocates, concat, hoards, push};
use crate::library::{Args, Next, R, Stop};
use crate::syntax::code::{BinaryOp, Code, CodeId, CodeKind, CompareOp, Conversion, NamesId, Op, Pc, UnaryOp};
use crate::value::object::{Class, DictKind, Exc, Frame, Function, Items, MAX_EXACT_ITEMS, Obj, Sym, Table, Tuple, V, Why};
use crate::value::store::Tally;

use super::machine::{Context, Flow, Machine};

fn pop(frame: &mut Frame) -> V {
    frame.stack.pop().unwrap_or(V::Unknown(Why::Lost))
}

fn pop_n(frame: &mut Frame, n: usize) -> Vec<V> {
    let at = frame.stack.len().saturating_sub(n);
    frame.stack.split_off(at)
}

impl Machine<'_> {
    pub fn step(&mut self, frame: &mut Frame, cx: &mut Context, code: &Code, op: Op) -> R<Flow> {
        self.store.path.cost += self.floors[frame.code.0 as usize][frame.pc as usize];
        match op {
            Op::Const(id) => frame.stack.push(self.consts[id.0 as usize].clone()),
            Op::Unknown => frame.stack.push(V::Unknown(Why::Lost)),
            Op::LoadLocal(slot) => {
                let value = frame.locals[slot as usize].clone();
                let value = self.bound(value, "UnboundLocalError")?;
                frame.stack.push(value);
            }
            Op::StoreLocal(slot) => frame.locals[slot as usize] = pop(frame),
            Op::DeleteLocal(slot) => {
                let value = std::mem::replace(&mut frame.locals[slot as usize], V::Undef);
                self.bound(value, "UnboundLocalError")?;
            }
            Op::LoadDeref(at) if self.counts_at(frame.code, code, frame.pc as usize) => {
                let known = self.store.tally(Tally::Cell(frame.cells[at as usize])).cloned();
                let value = if let Some(known) = known { known } else { self.load_cell(frame, at as usize)? };
                frame.stack.push(value);
            }
            Op::StoreDeref(at) if self.counts_at(frame.code, code, (frame.pc as usize).saturating_sub(3)) => {
                let (value, tally) = (pop(frame), Tally::Cell(frame.cells[at as usize]));
                match value {
                    V::Int(_) | V::Ints(_) if self.store.tally(tally).is_some() => self.store.count(tally, value),
                    _ => self.store_cell(frame, at as usize, value),
                }
            }
            Op::LoadDeref(at) => {
                let value = self.load_cell(frame, at as usize)?;
                frame.stack.push(value);
            }
            Op::StoreDeref(at) => {
                let value = pop(frame);
                self.store_cell(frame, at as usize, value);
            }
            Op::DeleteDeref(at) => {
                self.load_cell(frame, at as usize)?;
                self.store_cell(frame, at as usize, V::Undef);
            }
            Op::LoadGlobal(name) if self.counts_at(frame.code, code, frame.pc as usize) => {
                let known = self.store.tally(Tally::Global(name.0)).cloned();
                let value = if let Some(known) = known { known } else { self.load_global(name)? };
                let value = self.traced_name(value, name);
                frame.stack.push(value);
            }
            Op::StoreGlobal(name) if self.counts_at(frame.code, code, (frame.pc as usize).saturating_sub(3)) => {
                let (value, tally) = (pop(frame), Tally::Global(name.0));
                match value {
                    V::Int(_) | V::Ints(_) if self.store.tally(tally).is_some() => self.store.count(tally, value),
                    _ => self.store.set_global(name.0, value),
                }
            }
            Op::LoadGlobal(name) => {
                let value = self.load_global(name)?;
                let value = self.traced_name(value, name);
                frame.stack.push(value);
            }
            Op::StoreGlobal(name) => {
                let value = pop(frame);
                self.store.set_global(name.0, value);
            }
            Op::DeleteGlobal(name) => {
                let value = self.store.global(name.0);
                if matches!(value, V::Undef) {
                    self.may_raise_class("NameError");
                } else {
                    self.bound(value, "NameError")?;
                }
                self.store.set_global(name.0, V::Undef);
            }
            Op::LoadName(name) => {
                let value = match self.namespace_get(frame, self.name(name)) {
                    Some(V::Undef) | None => self.load_global(name)?,
                    Some(v) => self.or_else_global(v, name)?,
                };
                let value = self.traced_name(value, name);
                frame.stack.push(value);
            }
            Op::LoadNameOrDeref(name, at) => {
                let value = match self.namespace_get(frame, self.name(name)) {
                    Some(V::Undef) | None => self.load_cell(frame, at as usize)?,
                    Some(v) => v,
                };
                frame.stack.push(value);
            }
            Op::StoreName(name) => {
                let value = pop(frame);
                self.namespace_set(frame, self.name(name), value);
            }
            Op::DeleteName(name) => self.namespace_set(frame, self.name(name), V::Undef),

            Op::Annotate(name) => {
                let annotation = pop(frame);
                self.annotate(frame, name, annotation);
            }

            Op::Pop => {
                frame.stack.pop();
            }
            Op::Dup => {
                let top = frame.stack.last().cloned().unwrap_or(V::Unknown(Why::Lost));
                frame.stack.push(top);
            }
            Op::Dup2 => {
                let n = frame.stack.len();
                if n >= 2 {
                    let two = [frame.stack[n - 2].clone(), frame.stack[n - 1].clone()];
                    frame.stack.extend(two);
                }
            }
            Op::Copy(n) => {
                let at = frame.stack.len() - n as usize;
                frame.stack.push(frame.stack[at].clone());
            }
            Op::Swap(n) => {
                let top = frame.stack.len() - 1;
                frame.stack.swap(top, top + 1 - n as usize);
            }

            Op::Unary(op) => {
                let a = pop(frame);
                let value = self.unary(op, &a)?;
                frame.stack.push(value);
            }
            Op::Binary(op) => {
                let b = pop(frame);
                let a = pop(frame);
                let value = self.binary_op(op, &a, &b, false)?;
                self.fails_by(&[&a, &b]);
                frame.stack.push(Self::traced_binary(op, &a, &b, value));
            }
            Op::Inplace(op) => {
                let b = pop(frame);
                let a = pop(frame);
                let value = self.binary_op(op, &a, &b, true)?;
                self.fails_by(&[&a, &b]);
                frame.stack.push(Self::traced_binary(op, &a, &b, value));
            }
            Op::Compare(op) => {
                let b = pop(frame);
                let a = pop(frame);
                let value = self.compare_op(op, &a, &b)?;
                let value = self.traced_comparison(op, &a, &b, value);
                frame.stack.push(value);
            }

            Op::Jump(target) => return Ok(Flow::Jump(target)),
            Op::JumpIfFalse(target) => return self.branch(frame, cx, code, target, false, false),
            Op::JumpIfTrue(target) => return self.branch(frame, cx, code, target, true, false),
            Op::JumpIfFalseOrPop(target) => return self.branch(frame, cx, code, target, false, true),
            Op::JumpIfTrueOrPop(target) => return self.branch(frame, cx, code, target, true, true),

            Op::LoadAttr(name) => {
                let object = pop(frame);
                let value = self.load_attr(&object, self.name(name))?;
                let value = if value.is_exact() { value } else { self.traced_attribute(&object, name, value) };
                frame.stack.push(value);
            }
            Op::StoreAttr(name) => {
                let object = pop(frame);
                let value = pop(frame);
                self.store_attr(&object, self.name(name), value)?;
            }
            Op::DeleteAttr(name) => {
                let object = pop(frame);
                self.store_attr(&object, self.name(name), V::Undef)?;
            }
            Op::LoadMethod(name) => {
                let object = pop(frame);
                let (callable, this) = self.load_method(&object, self.name(name))?;
                frame.stack.push(callable);
                frame.stack.push(this);
            }
            Op::LoadItem => {
                let index = pop(frame);
                let object = pop(frame);
                let value = self.load_item(&object, &index)?;
                self.fails_at(&object, &index);
                let value = self.traced_item(&object, &index, value);
                frame.stack.push(value);
            }
            Op::StoreItem => {
                let index = pop(frame);
                let object = pop(frame);
                let value = pop(frame);
                self.store_item(&object, &index, value)?;
            }
            Op::DeleteItem => {
                let index = pop(frame);
                let object = pop(frame);
                self.delete_item(&object, &index)?;
            }
            Op::BuildSlice(n) => {
                let step = if n == 3 { pop(frame) } else { V::None };
                let stop = pop(frame);
                let start = pop(frame);
                frame.stack.push(self.store.slice([start, stop, step]));
            }
            Op::BuildList(n) => {
                let items = pop_n(frame, n as usize);
                let value = self.alloc(Obj::List(Rc::new(Items { exact: items, rest: None })));
                frame.stack.push(value);
            }
            Op::BuildTuple(n) => {
                let items = pop_n(frame, n as usize);
                let value = self.make_tuple(items);
                frame.stack.push(value);
            }
            Op::BuildSet(n) => {
                let items = pop_n(frame, n as usize);
                let mut table = Table::default();
                for item in items {
                    self.table_insert(&mut table, &item, V::None)?;
                }
                let value = self.alloc(Obj::Set(Rc::new(table), false));
                frame.stack.push(value);
            }
            Op::BuildDict(n) => {
                let items = pop_n(frame, 2 * n as usize);
                let mut table = Table::default();
                for pair in items.chunks(2) {
                    self.table_insert(&mut table, &pair[0], pair[1].clone())?;
                }
                let value = self.alloc(Obj::Dict(Rc::new(table), DictKind::Plain));
                frame.stack.push(value);
            }
            Op::ListAppend(n) => {
                let value = pop(frame);
                let list = frame.stack[frame.stack.len() - n as usize].clone();
                self.append(&list, value);
                if let (V::Ref(id), CodeKind::Comprehension) = (&list, self.code(frame.code).kind) {
                    hoards(self, FactKind::Materialisation, "comprehension", *id);
                }
            }
            Op::SetAdd(n) => {
                let value = pop(frame);
                let set = frame.stack[frame.stack.len() - n as usize].clone();
                self.table_store(&set, &value, V::None)?;
            }
            Op::DictInsert(n) => {
                let value = pop(frame);
                let key = pop(frame);
                let dict = frame.stack[frame.stack.len() - n as usize].clone();
                self.table_store(&dict, &key, value)?;
            }
            Op::ListExtend => {
                let iterable = pop(frame);
                let list = frame.stack.last().cloned().unwrap_or(V::Null);
                self.extend(&list, &iterable)?;
            }
            Op::SetUpdate => {
                let iterable = pop(frame);
                let set = frame.stack.last().cloned().unwrap_or(V::Null);
                let update = V::lib("set.update");
                self.call_value(&update, Args::of([set, iterable]))?;
            }
            Op::DictMerge => {
                let mapping = pop(frame);
                let dict = frame.stack.last().cloned().unwrap_or(V::Null);
                let update = V::lib("dict.update");
                self.call_value(&update, Args::of([dict, mapping]))?;
            }
            Op::ListToTuple => {
                let list = pop(frame);
                let items = match &list {
                    V::Ref(id) => match self.store.get(*id) {
                        Obj::List(items) => Some(items.clone()),
                        _ => None,
                    },
                    _ => None,
                };
                let value = match items {
                    Some(items) => self.tuple_from_items(&items),
                    None => V::tuple_bag(V::Unknown(Why::Lost), 0, u64::MAX),
                };
                frame.stack.push(value);
            }
            Op::FormatValue(conversion, has_spec) => {
                let spec = if has_spec { Some(pop(frame)) } else { None };
                let value = pop(frame);
                let text = self.format_value(&value, conversion, spec.as_ref())?;
                frame.stack.push(text.lost());
            }
            Op::BuildString(n) => {
                let parts = pop_n(frame, n as usize);
                let value = self.join_strings(&parts)?;
                frame.stack.push(value);
            }
            Op::BuildTemplate(n) => {
                let parts = pop_n(frame, n as usize);
                self.store.escape_all(&parts);
                frame.stack.push(V::Unknown(Why::Lost));
            }

            Op::GetIter => {
                let iterable = pop(frame);
                // The iterator of a `for` statement lives on the stack alone: the one made here before is gone by now. That
                // is not so in a generator, which may be suspended in the middle of its loop.
                let next = code.ops.get(frame.pc as usize + 1);
                let for_loop = matches!(next, Some(Op::LoopEnter(_)));
                // That of a comprehension lives in its frame alone.
                let comprehension = matches!(next, Some(Op::Call(1, None))) && self.is_comprehension(frame.stack.last(), frame.pc + 1);
                self.fresh_iterator =
                    (for_loop || comprehension) && !code.is_generator && !code.is_async && self.is_plain_iterable(&iterable);
                self.fresh_count = 0;
                let iterator = self.iterate_value(&iterable);
                self.fresh_iterator = false;
                let iterator = iterator?;
                frame.stack.push(iterator);
            }
            Op::GetAsyncIter => {
                let iterable = pop(frame);
                let iterator = self.async_iterate(&iterable)?;
                frame.stack.push(iterator);
            }
            Op::ForIter(target) | Op::AsyncForIter(target) => {
                let iterator = frame.stack.last().cloned().unwrap_or(V::Null);
                let next = if matches!(op, Op::AsyncForIter(_)) { self.async_next(&iterator)? } else { self.next_value(&iterator)? };
                let (next, why) = match next {
                    Next::Item(value) if value.is_exact() => (Next::Item(value), Why::Lost),
                    next => self.traced_next(next),
                };
                match next {
                    Next::Item(value) => frame.stack.push(value),
                    Next::Maybe(value) => {
                        let bounded = cx.loops.last().map(|l| l.left);
                        frame.stack.pop();
                        let container = self.exhaust(&iterator);
                        self.fork(frame, cx, target, why);
                        self.revive(&iterator, container);
                        frame.stack.push(iterator);
                        frame.stack.push(value);
                        // Exhaustion is the ordinary end of the loop: it is told apart from leaving early.
                        if let (Some(l), Some(left)) = (cx.loops.last_mut(), bounded) {
                            l.left = left;
                            l.may_exhaust = true;
                        }
                    }
                    Next::End => {
                        frame.stack.pop();
                        return Ok(Flow::Jump(target));
                    }
                }
            }
            Op::LoopEnter(id) => self.loop_enter(frame, cx, id),
            Op::LoopHead(id) => self.loop_head(frame, cx, code, id)?,
            Op::LoopBack(id) => {
                if let Some(l) = code.loops.get(id as usize) {
                    return Ok(Flow::Back(l.head));
                }
            }
            Op::LoopExit(id) => {
                while cx.loops.last().is_some_and(|l| l.id >= id) {
                    let last = cx.loops.last().map(|l| l.id);
                    self.pop_loop(cx);
                    if last == Some(id) {
                        break;
                    }
                }
            }

            Op::UnpackSequence(n) => {
                let value = pop(frame);
                let items = self.unpack(&value, n as usize, None)?;
                self.fails_by(&[&value]);
                frame.stack.extend(items.into_iter().rev());
            }
            Op::UnpackEx(before, after) => {
                let value = pop(frame);
                let items = self.unpack(&value, before as usize, Some(after as usize))?;
                frame.stack.extend(items.into_iter().rev());
            }

            Op::Call(n, names) => {
                let args = self.pop_args(frame, n, names);
                let callable = pop(frame);
                // What `for` iterates over with `enumerate` or `zip` lives as long as the loop's own iterator; so it is in a comprehension.
                let for_loop = match code.ops.get(frame.pc as usize + 1..frame.pc as usize + 3) {
                    Some([Op::GetIter, Op::LoopEnter(_)]) => true,
                    Some([Op::GetIter, Op::Call(1, None)]) => self.is_comprehension(frame.stack.last(), frame.pc + 2),
                    _ => false,
                };
                self.fresh_iterator = for_loop
                    && !code.is_generator
                    && !code.is_async
                    && matches!(&callable, V::Lib(name) if matches!(&*name.text(), "enumerate" | "zip" | "reversed"))
                    && args.pos.iter().all(|v| self.is_plain_iterable(v));
                self.fresh_count = 0;
                let value = self.call_traced(&callable, args);
                self.fresh_iterator = false;
                frame.stack.push(value?);
            }
            Op::CallMethod(n, names) => {
                let mut args = self.pop_args(frame, n, names);
                let this = pop(frame);
                let callable = pop(frame);
                if !matches!(this, V::Null) {
                    args.pos.insert(0, this);
                }
                let value = self.call_traced(&callable, args)?;
                frame.stack.push(value);
            }
            Op::CallEx(has_kwargs) => {
                let kwargs = if has_kwargs { Some(pop(frame)) } else { None };
                let args = pop(frame);
                let callable = pop(frame);
                let args = self.spread(&args, kwargs.as_ref())?;
                let value = self.call_traced(&callable, args)?;
                frame.stack.push(value);
            }
            Op::MakeFunction(id) => {
                let inner = self.code(id);
                let keyword_defaults: Vec<Sym> = inner
                    .params
                    .keyword_defaults
                    .iter()
                    .enumerate()
                    .filter(|(_, has)| **has)
                    .map(|(i, _)| self.name(inner.slots[inner.params.positional as usize + i]))
                    .collect();
                let values = pop_n(frame, keyword_defaults.len());
                let defaults = pop_n(frame, inner.params.defaults as usize);
                let cells = code.cells.len();
                let closure = inner
                    .frees
                    .iter()
                    .map(|(_, capture)| match capture {
                        crate::syntax::code::Capture::Cell(at) => frame.cells[*at as usize],
                        crate::syntax::code::Capture::Free(at) => frame.cells[cells + *at as usize],
                    })
                    .collect();
                let function = Function {
                    code: id,
                    defaults,
                    keyword_defaults: keyword_defaults.into_iter().zip(values).collect(),
                    closure,
                    attrs: Vec::new(),
                };
                let value = self.alloc(Obj::Function(Rc::new(function)));
                frame.stack.push(value);
            }
            Op::MakeClass(id, bases, names) => {
                let names: Vec<Sym> =
                    names.map_or_else(Vec::new, |n| self.program.name_lists[n.0 as usize].iter().map(|n| self.name(*n)).collect());
                let keywords = pop_n(frame, names.len());
                let bases = pop_n(frame, bases as usize);
                let value = self.make_class(frame, code, id, bases, names.into_iter().zip(keywords).collect(), false)?;
                frame.stack.push(value);
            }
            Op::MakeClassEx(id) => {
                let keywords = pop(frame);
                let bases = pop(frame);
                let args = self.spread(&bases, Some(&keywords))?;
                let open = args.open;
                let value = self.make_class(frame, code, id, args.pos.to_vec(), args.kw, open)?;
                frame.stack.push(value);
            }
            Op::Import(name, level, root) => {
                let value = self.import(name, level, root);
                frame.stack.push(value);
            }
            Op::ImportFrom(name) => {
                let module = frame.stack.last().cloned().unwrap_or(V::Null);
                let value = self.import_from(&module, self.name(name))?;
                frame.stack.push(value);
            }
            Op::ImportStar => {
                let module = pop(frame);
                self.import_star(&module);
            }

            Op::Return => return Ok(Flow::Return(pop(frame))),
            Op::Yield => return Ok(Flow::Yield(pop(frame))),
            Op::YieldFrom => {
                // One value of the inner iterator is yielded each time this instruction runs; the iterator waits below.
                return self.yield_from(frame, cx);
            }
            Op::Await => {
                let awaitable = pop(frame);
                let value = self.await_value(&awaitable)?;
                frame.stack.push(value);
            }

            Op::Raise(n) => {
                if n == 2 {
                    // The cause is kept by the exception, which does not show it to anything followed here.
                    pop(frame);
                }
                let exception = if n == 0 {
                    match frame.handling.last() {
                        Some(e) => e.clone(),
                        None => V::Unknown(Why::Lost),
                    }
                } else {
                    let e = pop(frame);
                    self.exception_from(&e)?
                };
                return Err(Stop::Raise(exception));
            }
            Op::Reraise => return Err(Stop::Raise(pop(frame))),
            Op::EnterHandler => {
                let top = frame.stack.last().cloned().unwrap_or(V::Unknown(Why::Lost));
                frame.handling.push(top);
            }
            Op::LeaveHandler => {
                frame.handling.pop();
            }
            Op::MatchException => {
                let class = pop(frame);
                let exception = frame.stack.last().cloned().unwrap_or(V::Unknown(Why::Lost));
                let matched = self.exception_matches(&exception, &class);
                let why = exception.why().unwrap_or(Why::Lost);
                frame.stack.push(V::boolean(matched, why));
            }
            Op::MatchExceptionGroup => {
                pop(frame);
                pop(frame);
                // Which part of a group matches is not followed: either may be there.
                frame.stack.push(V::OneOf(Rc::new([V::None, V::Unknown(Why::Lost)])));
                frame.stack.push(V::OneOf(Rc::new([V::None, V::Unknown(Why::Lost)])));
            }
            Op::PushToken(target) => frame.stack.push(V::Token(Rc::new((target, None)))),
            Op::ReturnToken(target) => {
                let value = pop(frame);
                frame.stack.push(V::Token(Rc::new((target, Some(value)))));
            }
            Op::RaiseToken => {
                let exception = pop(frame);
                frame.stack.push(V::Token(Rc::new((crate::syntax::code::Pc::MAX, Some(exception)))));
            }
            Op::EndFinally => return self.end_finally(frame, cx),
            Op::WithEnter(is_async) => {
                let manager = pop(frame);
                let (exit, value) = self.with_enter(&manager, is_async)?;
                frame.stack.push(exit);
                frame.stack.push(value);
            }
            Op::WithExit(is_async) => {
                let exit = pop(frame);
                self.with_exit(&exit, is_async, &[V::None, V::None, V::None])?;
            }
            Op::WithExcept(is_async) => {
                let n = frame.stack.len();
                let (exit, exception) = (frame.stack[n - 2].clone(), frame.stack[n - 1].clone());
                let class = self.class_of_value(&exception).unwrap_or(V::Unknown(Why::Lost));
                let result = self.with_exit(&exit, is_async, &[class, exception, V::Unknown(Why::Lost)])?;
                let truth = self.truth_value(&result)?;
                frame.stack.push(V::boolean(truth, result.why().unwrap_or(Why::Lost)));
            }
            Op::LoadAssertionError => frame.stack.push(V::lib("AssertionError")),
            Op::MatchPattern(id) => {
                let operands = self.pattern_operands(id);
                let values = pop_n(frame, operands);
                let subject = frame.stack.last().cloned().unwrap_or(V::Null);
                let captures = self.program.pattern_captures(id);
                let mut bound: Vec<V> = vec![V::Undef; captures.len()];
                let matched = self.match_pattern(id, &subject, &values, &captures, &mut bound)?;
                frame.stack.extend(bound);
                frame.stack.push(V::boolean(matched, subject.why().unwrap_or(Why::Lost)));
            }
            Op::Magic => return Err(Stop::Raise(V::exception("SyntaxError"))),
            Op::Nop => {}
        }
        Ok(Flow::Next)
    }

    /// A variable's value, if it is bound.
    pub fn bound(&mut self, value: V, class: &str) -> R<V> {
        match &value {
            V::Undef => Err(Stop::Raise(V::exception(class))),
            V::OneOf(all) if all.contains(&V::Undef) => {
                self.may_raise_class(class);
                Ok(self.without_undef(all))
            }
            _ => Ok(value),
        }
    }

    fn without_undef(&mut self, all: &[V]) -> V {
        let mut out: Option<V> = None;
        for v in all.iter().filter(|v| !matches!(v, V::Undef)) {
            out = Some(match out {
                None => v.clone(),
                Some(o) => self.store.join_values(&o, v, false),
            });
        }
        out.unwrap_or(V::Unknown(Why::Lost))
    }

    /// Whether a variable is loaded here for nothing but adding a constant to it, in a call that is being watched: `count += 1`.
    fn counts_at(&mut self, id: CodeId, code: &Code, at: usize) -> bool {
        let Some([load, Op::Const(_), Op::Inplace(BinaryOp::Add | BinaryOp::Sub), store]) = code.ops.get(at..at + 4) else { return false };
        let same = match (load, store) {
            (Op::LoadGlobal(a), Op::StoreGlobal(b)) => a == b,
            (Op::LoadDeref(a), Op::StoreDeref(b)) => a == b,
            _ => false,
        };
        let Op::Const(by) = code.ops[at + 1] else { return false };
        let is_int = matches!(self.consts[by.0 as usize], V::Int(_));
        same && is_int && self.store.is_watched() && !(at + 1..at + 4).any(|at| self.is_target(id, at))
    }

    fn load_cell(&mut self, frame: &Frame, at: usize) -> R<V> {
        match self.store.get(frame.cells[at]) {
            Obj::Cell(v) => {
                let v = v.clone();
                self.bound(v, "NameError")
            }
            _ => Ok(V::Unknown(Why::Lost)),
        }
    }

    fn store_cell(&mut self, frame: &Frame, at: usize, value: V) {
        let id = frame.cells[at];
        if matches!(self.store.get(id), Obj::Cell(_)) {
            self.store.mutate(id, true, |obj| *obj = Obj::Cell(value));
        } else {
            self.store.escape(&value);
        }
    }

    pub fn load_global(&mut self, name: crate::syntax::code::NameId) -> R<V> {
        let value = self.store.global(name.0);
        self.or_else_global(value, name)
    }

    /// A value that may be unbound: then the builtin of that name.
    fn or_else_global(&mut self, value: V, name: crate::syntax::code::NameId) -> R<V> {
        let fallback = |m: &mut Self| {
            if m.store.builtins_open {
                return V::Unknown(Why::OUTSIDE);
            }
            match m.builtin(name) {
                V::Undef => {
                    // Not defined here: perhaps by code that ran before, perhaps nowhere.
                    m.may_raise_class("NameError");
                    m.store.path.doubtful = true;
                    V::Unknown(Why::OUTSIDE)
                }
                V::Lib(sym) if m.store.is_patched(sym) => V::Unknown(Why::Lost),
                v => v,
            }
        };
        match &value {
            V::Undef => Ok(fallback(self)),
            V::OneOf(all) if all.contains(&V::Undef) => {
                let rest = self.without_undef(all);
                let other = fallback(self);
                Ok(self.store.join_values(&rest, &other, false))
            }
            _ => Ok(value),
        }
    }

    fn namespace_get(&self, frame: &Frame, name: Sym) -> Option<V> {
        let id = frame.namespace?;
        match self.store.get(id) {
            Obj::Class(c) => c.attrs.iter().find(|(n, _)| *n == name).map(|(_, v)| v.clone()),
            _ => Some(V::Unknown(Why::Lost)),
        }
    }

    fn namespace_set(&mut self, frame: &Frame, name: Sym, value: V) {
        let Some(id) = frame.namespace else { return };
        if !matches!(self.store.get(id), Obj::Class(_)) {
            self.store.escape(&value);
            return;
        }
        self.store.mutate(id, true, |obj| {
            if let Obj::Class(class) = obj {
                set_attr(&mut Rc::make_mut(class).attrs, name, value);
            }
        });
    }

    /// A conditional jump.
    fn branch(&mut self, frame: &mut Frame, cx: &mut Context, code: &Code, target: u32, when: bool, keep: bool) -> R<Flow> {
        let condition = frame.stack.last().cloned().unwrap_or(V::Unknown(Why::Lost));
        let truth = self.truth_value(&condition)?;
        match truth {
            Some(t) if t == when => {
                if !keep {
                    frame.stack.pop();
                }
                Ok(Flow::Jump(target))
            }
            Some(_) => {
                frame.stack.pop();
                Ok(Flow::Next)
            }
            None => {
                let why = self.why_truth(&condition);
                if !keep {
                    frame.stack.pop();
                }
                let saved = (frame.locals.clone(), self.store.clone());
                // The side that jumps.
                let possible = self.refine(frame, code, when);
                if possible {
                    self.fork(frame, cx, target, why);
                }
                let path = self.store.path;
                frame.locals = saved.0;
                self.store = saved.1;
                if possible {
                    self.store.path = path;
                }
                // The side that falls through.
                let other = self.refine(frame, code, !when);
                if keep {
                    frame.stack.pop();
                }
                if other { Ok(Flow::Next) } else { Err(Stop::Dead) }
            }
        }
    }

    fn pop_args(&mut self, frame: &mut Frame, n: u16, names: Option<NamesId>) -> Args {
        let program = self.program;
        let names: &[crate::syntax::code::NameId] = names.map_or(&[], |id| &program.name_lists[id.0 as usize]);
        let keywords = pop_n(frame, names.len());
        let at = frame.stack.len().saturating_sub(n as usize - names.len().min(n as usize));
        let pos = frame.stack.drain(at..).collect();
        Args { pos, kw: names.iter().map(|n| self.name(*n)).zip(keywords).collect(), open: false }
    }

    /// `f(*args, **kwargs)`.
    fn spread(&mut self, args: &V, kwargs: Option<&V>) -> R<Args> {
        let taken = self.take_value(args)?;
        let mut out = Args { pos: taken.items.exact.into(), kw: Vec::new(), open: false };
        if let Some(rest) = taken.items.rest {
            self.store.escape(&rest.element);
            out.open = true;
        }
        if let Some(kwargs) = kwargs {
            match kwargs {
                V::Ref(id) => match self.store.get(*id).clone() {
                    Obj::Dict(table, _) => {
                        for (key, value) in table.exact.values() {
                            match key {
                                V::Str(s) => out.kw.push((Sym::new(s), value.clone())),
                                _ => out.open = true,
                            }
                        }
                        if let Some(rest) = &table.rest {
                            self.store.escape(&rest.value);
                            out.open = true;
                        }
                    }
                    _ => out.open = true,
                },
                _ => out.open = true,
            }
        }
        Ok(out)
    }

    pub fn make_tuple(&mut self, items: Vec<V>) -> V {
        let nested = items.iter().any(|v| matches!(v, V::Tuple(_) | V::OneOf(_) | V::Slice(_) | V::Exc(_)));
        if items.len() > MAX_EXACT_ITEMS || (nested && items.iter().any(V::is_deep)) {
            let n = items.len() as u64;
            self.store.escape_all(&items);
            return V::tuple_bag(V::Unknown(Why::Lost), n, n);
        }
        self.store.charge(32 * (items.len() as u64 / 8));
        V::tuple(items)
    }

    pub fn tuple_from_items(&mut self, items: &Items) -> V {
        match &items.rest {
            None => self.make_tuple(items.exact.clone()),
            Some(rest) => {
                let mut element = rest.element.clone();
                for v in &items.exact {
                    element = self.store.join_values(&element, v, false);
                }
                if element.is_deep() {
                    self.store.escape(&element);
                    element = V::Unknown(Why::Lost);
                }
                let n = items.exact.len() as u64;
                V::tuple_bag(element, n + rest.low, n.saturating_add(rest.high))
            }
        }
    }

    /// Appends to a list.
    pub fn append(&mut self, list: &V, value: V) {
        let V::Ref(id) = list else {
            self.store.escape(&value);
            return;
        };
        match self.store.get(*id) {
            Obj::List(_) | Obj::Deque(..) => {}
            _ => {
                self.store.escape(&value);
                return;
            }
        }
        let mut escapes = Vec::new();
        let followed = self.store.mutate(*id, true, |obj| match obj {
            Obj::List(items) | Obj::Deque(items, None) => {
                push(Rc::make_mut(items), value.clone(), &mut escapes);
                true
            }
            Obj::Deque(items, Some(max)) if items.rest.is_none() => {
                let items = Rc::make_mut(items);
                items.exact.push(value.clone());
                if items.exact.len() as u64 > *max {
                    items.exact.remove(0);
                }
                true
            }
            _ => false,
        });
        if !followed {
            // A deque of bounded length that holds nobody knows how much: what falls out of it is not followed.
            escapes.extend([list.clone(), value]);
        }
        self.store.escape_all(&escapes);
    }

    /// Extends a list by an iterable.
    pub fn extend(&mut self, list: &V, iterable: &V) -> R<()> {
        let taken = self.take_value(iterable)?;
        if taken.endless {
            return Err(self.endless_consumption(iterable, "unpacking", true));
        }
        self.burn(taken.items.exact.len() as u64 / 4)?;
        let (mut low, mut high) = crate::library::count(&taken.items);
        if let Some(Obj::List(items)) = self.obj(list) {
            let (least, most) = crate::library::count(items);
            (low, high) = (low.saturating_add(least), high.saturating_add(most));
        }
        if matches!(iterable, V::Range(_)) {
            // A range whose length does not fit raises.
            self.length_of(iterable)?;
        }
        allocates(self, FactKind::Materialisation, "list", low.saturating_mul(POINTER), high.saturating_mul(POINTER));
        let V::Ref(id) = list else {
            self.store.escape_all(&taken.items.exact);
            return Ok(());
        };
        let mut escapes = Vec::new();
        if !matches!(self.store.get(*id), Obj::List(_) | Obj::Deque(_, None)) {
            self.store.escape_all(&taken.items.exact);
            if let Some(rest) = &taken.items.rest {
                self.store.escape(&rest.element);
            }
            let list = list.clone();
            self.store.escape(&list);
            return Ok(());
        }
        self.store.mutate(*id, true, |obj| {
            if let Obj::List(items) | Obj::Deque(items, None) = obj {
                let items = Rc::make_mut(items);
                concat(items, &taken.items, &mut escapes);
            }
        });
        self.store.escape_all(&escapes);
        Ok(())
    }

    /// Whether a value is the function of a comprehension that is run at once, where it is called, and gone afterwards.
    fn is_comprehension(&self, value: Option<&V>, called_at: Pc) -> bool {
        let Some(Obj::Function(f)) = value.and_then(|v| self.obj(v)) else { return false };
        let code = self.code(f.code);
        let gone = !code.is_generator || self.is_consumed_at_once(f.code, called_at);
        code.kind == CodeKind::Comprehension && gone && !code.is_async
    }

    /// Whether iterating over a value makes an iterator and runs no code of the program.
    fn is_plain_iterable(&self, value: &V) -> bool {
        matches!(value, V::Range(_) | V::Str(_) | V::Strs(_) | V::Bytes(_) | V::Tuple(_))
            || matches!(self.obj(value), Some(Obj::List(_) | Obj::Dict(..) | Obj::Set(..) | Obj::Deque(..)))
            || matches!(value, V::OneOf(all) if all.iter().all(|v| self.is_known_sequence(v)) || all.iter().all(|v| self.is_known_dict(v)))
            || matches!(self.obj(value), Some(Obj::View { of, .. }) if of.alternatives().iter().all(|v| self.is_known_dict(v)))
    }

    fn format_value(&mut self, value: &V, conversion: Conversion, spec: Option<&V>) -> R<V> {
        let value = match conversion {
            Conversion::None => value.clone(),
            Conversion::Str => self.text_of(value, false)?,
            Conversion::Repr | Conversion::Ascii => self.text_of(value, true)?,
        };
        match spec {
            None => match value {
                V::Str(_) | V::Strs(_) => Ok(value),
                v => self.text_of(&v, false),
            },
            Some(V::Str(s)) if s.is_empty() => self.text_of(&value, false),
            Some(spec) => {
                let format = V::lib("format");
                self.call_value(&format, Args::of([value, spec.clone()]))
            }
        }
    }

    fn join_strings(&mut self, parts: &[V]) -> R<V> {
        if parts.iter().all(|p| matches!(p, V::Str(_))) {
            let mut out = String::new();
            for p in parts {
                if let V::Str(s) = p {
                    out.push_str(s);
                }
            }
            self.burn(out.len() as u64 / 64)?;
            return Ok(V::str(&out));
        }
        let mut total = V::str("");
        for p in parts {
            total = match p {
                V::Str(_) | V::Strs(_) => self.binary_op(BinaryOp::Add, &total, p, false)?,
                _ => {
                    let why = p.why().unwrap_or(Why::Lost);
                    self.binary_op(BinaryOp::Add, &total, &V::strs(0, u64::MAX, why), false)?
                }
            };
        }
        Ok(total)
    }

    /// Leaves a `finally` body by its tokens.
    fn end_finally(&mut self, frame: &mut Frame, cx: &mut Context) -> R<Flow> {
        let token = pop(frame);
        let mut ways: Vec<(u32, Option<V>)> = Vec::new();
        for alternative in token.alternatives() {
            match alternative {
                V::Token(t) => {
                    if let Some(same) = ways.iter_mut().find(|w| w.0 == t.0) {
                        same.1 = match (same.1.take(), &t.1) {
                            (Some(a), Some(b)) => Some(self.store.join_values(&a, b, false)),
                            (a, _) => a,
                        };
                    } else {
                        ways.push((t.0, t.1.clone()));
                    }
                }
                _ => return Err(Stop::Dead),
            }
        }
        ways.sort_by_key(|w| std::cmp::Reverse(w.0));
        let n = ways.len();
        let depth = frame.stack.len();
        for (i, (target, value)) in ways.into_iter().enumerate() {
            if i + 1 == n {
                if target == u32::MAX {
                    return Err(Stop::Raise(value.unwrap_or(V::Unknown(Why::Lost))));
                }
                frame.stack.extend(value);
                return Ok(Flow::Jump(target));
            }
            if target == u32::MAX {
                let exception = value.unwrap_or(V::Unknown(Why::Lost));
                self.may_raise_value(exception);
                continue;
            }
            frame.stack.extend(value);
            self.fork(frame, cx, target, Why::Lost);
            frame.stack.truncate(depth);
        }
        Err(Stop::Dead)
    }

    fn yield_from(&mut self, frame: &mut Frame, _cx: &mut Context) -> R<Flow> {
        // `iterable` is replaced by its iterator the first time; a marker on top tells the two apart.
        let top = pop(frame);
        let iterator = match &top {
            V::Token(t) => t.1.clone().unwrap_or(V::Unknown(Why::Lost)),
            other => self.iterate_value(other)?,
        };
        match self.next_value(&iterator)? {
            Next::End => {
                frame.stack.push(self.last_return.take().unwrap_or(V::None));
                Ok(Flow::Next)
            }
            Next::Item(value) => {
                frame.stack.push(V::Token(Rc::new((0, Some(iterator)))));
                Ok(Flow::YieldAgain(value))
            }
            Next::Maybe(_) => {
                // It may go on here or behind: where it stands is lost.
                self.store.escape(&iterator);
                frame.stack.push(V::Token(Rc::new((0, Some(V::Unknown(Why::Lost))))));
                Ok(Flow::YieldLost)
            }
        }
    }

    /// The exception that `raise value` raises.
    fn exception_from(&mut self, value: &V) -> R<V> {
        match value {
            V::Lib(name) => {
                if crate::library::exceptions::class(&name.text()).is_some() {
                    Ok(V::Exc(Rc::new(Exc { class: *name, args: Some(Vec::new()) })))
                } else {
                    Ok(V::Unknown(Why::OUTSIDE))
                }
            }
            V::Exc(_) => Ok(value.clone()),
            V::Ref(id) => match self.store.get(*id) {
                Obj::Class(_) => self.call_value(value, Args::default()),
                Obj::Instance { .. } | Obj::Escaped(_) => Ok(value.clone()),
                _ => Err(Stop::Raise(V::exception("TypeError"))),
            },
            V::Int(_) | V::Str(_) | V::None | V::Float(_) | V::Bool(_) | V::Tuple(_) => Err(Stop::Raise(V::exception("TypeError"))),
            _ => {
                self.store.escape(value);
                Ok(V::Unknown(value.why().unwrap_or(Why::Lost)))
            }
        }
    }

    /// Whether an exception is of a class (or of one of a tuple of classes).
    pub fn exception_matches(&mut self, exception: &V, class: &V) -> Option<bool> {
        if let V::Tuple(t) = class {
            let Tuple::Exact(classes) = &**t else { return None };
            let mut all_no = true;
            for c in classes {
                match self.exception_matches(exception, c) {
                    Some(true) => return Some(true),
                    Some(false) => {}
                    None => all_no = false,
                }
            }
            return all_no.then_some(false);
        }
        if let V::OneOf(all) = exception {
            let answers: Vec<Option<bool>> = all.iter().map(|e| self.exception_matches(e, class)).collect();
            return if answers.iter().all(|a| *a == answers[0]) { answers[0] } else { None };
        }
        if let V::Lib(name) = class
            && &*name.text() == "BaseException"
        {
            return Some(true);
        }
        self.instance_of(exception, class)
    }

    fn pattern_operands(&self, id: crate::syntax::code::PatternId) -> usize {
        use crate::syntax::code::Pattern;
        fn walk(m: &Machine<'_>, id: crate::syntax::code::PatternId, out: &mut usize) {
            let mut see = |n: u16| *out = (*out).max(n as usize + 1);
            match &m.program.patterns[id.0 as usize] {
                Pattern::Value(n) => see(*n),
                Pattern::Singleton(_) | Pattern::Capture(_) => {}
                Pattern::As(inner, _) => walk(m, *inner, out),
                Pattern::Or(parts) | Pattern::Sequence(parts, _) => parts.iter().for_each(|p| walk(m, *p, out)),
                Pattern::Mapping(items, _) => {
                    for (n, p) in items {
                        *out = (*out).max(*n as usize + 1);
                        walk(m, *p, out);
                    }
                }
                Pattern::Class(n, positional, keyword) => {
                    see(*n);
                    for p in positional {
                        walk(m, *p, out);
                    }
                    for (_, p) in keyword {
                        walk(m, *p, out);
                    }
                }
            }
        }
        let mut out = 0;
        walk(self, id, &mut out);
        out
    }

    pub fn unary(&mut self, op: UnaryOp, a: &V) -> R<V> {
        if let V::OneOf(all) = a {
            let all = all.clone();
            return self.each(&all, |m, v| m.unary(op, v));
        }
        if op == UnaryOp::Not {
            let truth = self.truth_value(a)?;
            let why = self.why_truth(a);
            return Ok(V::boolean(truth.map(|t| !t), why));
        }
        match a {
            V::Int(n) => {
                let exact = match op {
                    UnaryOp::Neg => n.checked_neg(),
                    UnaryOp::Invert => Some(!*n),
                    _ => Some(*n),
                };
                if let Some(n) = exact {
                    return Ok(V::Int(n));
                }
            }
            V::Float(f) => match op {
                UnaryOp::Neg => return Ok(V::Float(-f)),
                UnaryOp::Pos => return Ok(V::Float(*f)),
                _ => return Err(Stop::Raise(V::exception("TypeError"))),
            },
            _ => {}
        }
        if let Some(int) = a.as_int() {
            let why = a.why().unwrap_or(Why::Lost);
            return Ok(V::int(
                match op {
                    UnaryOp::Neg => int.neg(),
                    UnaryOp::Invert => int.invert(),
                    _ => int,
                },
                why,
            ));
        }
        match a {
            V::Floats(r) => Ok(match op {
                UnaryOp::Neg => V::float(r.0.neg(), r.1),
                UnaryOp::Pos => a.clone(),
                _ => return Err(Stop::Raise(V::exception("TypeError"))),
            }),
            V::Complex(_) if op != UnaryOp::Invert => Ok(a.clone()),
            V::Str(_) | V::Strs(_) | V::None | V::Tuple(_) | V::Bytes(_) | V::Complex(_) => Err(Stop::Raise(V::exception("TypeError"))),
            V::Ref(id) => {
                let name = match op {
                    UnaryOp::Neg => "__neg__",
                    UnaryOp::Pos => "__pos__",
                    _ => "__invert__",
                };
                let of: fn(i128) -> i128 = if op == UnaryOp::Neg { i128::wrapping_neg } else { |n| n };
                if op != UnaryOp::Invert
                    && let Some(known) = crate::library::modules::signed(self, a, of)?
                {
                    return Ok(known);
                }
                match self.store.get(*id) {
                    Obj::Instance { .. } => match self.dunder(a, name) {
                        Some(method) => self.call_value(&method, Args::of([a.clone()])),
                        None if self.open_instance(a) => Ok(self.unknown_effect(std::slice::from_ref(a))),
                        None => Err(Stop::Raise(V::exception("TypeError"))),
                    },
                    Obj::Escaped(_) | Obj::Dict(_, DictKind::Counter) => {
                        self.may_raise_class("");
                        Ok(V::Unknown(Why::Lost))
                    }
                    _ => Err(Stop::Raise(V::exception("TypeError"))),
                }
            }
            _ => {
                self.may_raise_class("");
                Ok(V::Unknown(a.why().unwrap_or(Why::OUTSIDE)))
            }
        }
    }

    /// Compares for the binary operators of the language.
    pub fn compare_op(&mut self, op: CompareOp, a: &V, b: &V) -> R<V> {
        self.compare_values(op, a, b)
    }

    pub fn obj(&self, value: &V) -> Option<&Obj> {
        match value {
            V::Ref(id) => Some(self.store.get(*id)),
            _ => None,
        }
    }

    /// The class object, if the value is one of the program's classes.
    pub fn class(&self, value: &V) -> Option<Rc<Class>> {
        match self.obj(value) {
            Some(Obj::Class(c)) => Some(c.clone()),
            _ => None,
        }
    }
}

/// Sets or adds an attribute.
pub fn set_attr(attrs: &mut Vec<(Sym, V)>, name: Sym, value: V) {
    match attrs.iter_mut().find(|(n, _)| *n == name) {
        Some(slot) => slot.1 = value,
        None => attrs.push((name, value)),
    }
}
