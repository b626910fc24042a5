//! Nodes that make a code object of their own: functions, lambdas, classes, comprehensions.

use ruff_python_ast::{self as ast, Expr};

use super::super::code::{CodeId, CodeKind, LoopKind, NameId, Op, Params, Span};
use super::super::scope::type_parameter_name;
use super::builder::{Builder, Frame};
use super::{Lowering, Made, span};

/// What the elements of a comprehension become.
#[derive(Clone, Copy)]
enum Collect<'t> {
    List(&'t Expr),
    Set(&'t Expr),
    Dict(Option<&'t Expr>, &'t Expr),
    Generator(&'t Expr),
}

impl Lowering<'_> {
    /// Starts a code object; gives the one it interrupts.
    fn enter(&mut self, scope: usize) -> (CodeId, Builder) {
        let id = CodeId(self.codes.len() as u32);
        self.codes.push(None);
        let inner = Builder::new(id, Some(self.b.id), scope);
        (id, std::mem::replace(&mut self.b, inner))
    }

    /// Finishes a code object and returns to the one around it.
    fn leave(&mut self, outer: Builder, name: NameId, is_async: bool, params: Params, at: Span) {
        let inner = std::mem::replace(&mut self.b, outer);
        let id = inner.id;
        let scope = &self.table.scopes[inner.scope];
        let (kind, yields, generator_expression) = (scope.kind, scope.yields, scope.is_generator_expression);
        let (slots, frees) = (scope.slots.clone(), scope.frees.clone());
        let cells = scope.cells.iter().map(|(name, slot)| (*name, slot.map(|slot| slot as u16))).collect();
        self.narrow(slots.len().max(frees.len()), "variables in one function", at);
        let is_generator = generator_expression || (yields && matches!(kind, CodeKind::Function | CodeKind::Lambda));
        let frame = Frame { name, kind, is_async, is_generator, params, slots, cells, frees, span: at };
        self.codes[id.0 as usize] = Some(inner.finish(frame));
    }

    /// Pushes the defaults; describes the parameters.
    fn parameters(&mut self, parameters: Option<&ast::Parameters>, at: Span) -> Params {
        let Some(parameters) = parameters else { return Params::default() };
        let mut seen = std::collections::HashSet::new();
        for parameter in parameters {
            if !seen.insert(parameter.name().as_str()) {
                self.issue(span(parameter.name()), format!("duplicate argument '{}' in function definition", parameter.name()));
            }
        }
        let positional = parameters.posonlyargs.len() + parameters.args.len();
        let mut defaults = 0;
        for parameter in parameters.posonlyargs.iter().chain(&parameters.args) {
            if let Some(default) = parameter.default() {
                self.expr(default);
                defaults += 1;
            }
        }
        let keyword_defaults: Vec<bool> = parameters
            .kwonlyargs
            .iter()
            .map(|parameter| {
                if let Some(default) = parameter.default() {
                    self.expr(default);
                }
                parameter.default().is_some()
            })
            .collect();
        let keyword_only = keyword_defaults.len();
        let total = self.narrow(positional + keyword_only + 2, "parameters", at);
        let variadic = total.saturating_sub(2);
        Params {
            positional_only: parameters.posonlyargs.len() as u16,
            positional: positional as u16,
            keyword_only: keyword_only as u16,
            defaults,
            keyword_defaults,
            var_positional: parameters.vararg.as_ref().map(|_| variadic),
            var_keyword: parameters.kwarg.as_ref().map(|_| variadic + u16::from(parameters.vararg.is_some())),
        }
    }

    /// CPython's compiler refuses asynchronous constructs in functions that are not `async`.
    pub(super) fn check_async(&mut self, what: &str, at: Span) {
        match self.kind() {
            CodeKind::Module | CodeKind::Class => self.issue(at, format!("'{what}' outside function")),
            CodeKind::Function if !self.b.is_async => self.issue(at, format!("'{what}' outside async function")),
            CodeKind::Function | CodeKind::Lambda | CodeKind::Comprehension => {}
        }
    }

    pub(super) fn check_yield(&mut self, at: Span) {
        match self.kind() {
            CodeKind::Module | CodeKind::Class => self.issue(at, "'yield' outside function"),
            CodeKind::Comprehension => self.issue(at, "'yield' inside a comprehension"),
            CodeKind::Function | CodeKind::Lambda => {}
        }
    }

    fn make_function(&mut self, code: CodeId, params_defaults: u32, at: Span) {
        self.emit_made(Op::MakeFunction(code), at, Made { defaults: params_defaults, keywords: 0 });
    }

    fn type_parameter_ids(&mut self, parameters: Option<&ast::TypeParams>) -> Vec<NameId> {
        let parameters = parameters.map_or(&[][..], |parameters| &parameters.type_params[..]);
        parameters.iter().map(|parameter| self.id(type_parameter_name(parameter))).collect()
    }

    pub(super) fn function(&mut self, def: &ast::StmtFunctionDef) {
        let at = span(def);
        for decorator in &def.decorator_list {
            self.expr(&decorator.expression);
        }
        // The bounds of type parameters are evaluated lazily, in scopes that nothing else sees: they are left out.
        let type_parameters = self.type_parameter_ids(def.type_params.as_deref());
        let outer_types = std::mem::replace(&mut self.type_parameters, type_parameters);
        let params = self.parameters(Some(&def.parameters), at);
        if !self.lazy_annotations {
            let annotations = def.parameters.iter().filter_map(ast::AnyParameterRef::annotation).chain(def.returns.as_deref());
            for annotation in annotations {
                self.expr_or_starred(annotation);
                self.emit(Op::Pop, span(annotation));
            }
        }
        let defaults = u32::from(params.defaults) + params.keyword_defaults.iter().filter(|d| **d).count() as u32;
        let name = self.names.intern(&def.name);
        let (id, outer) = self.enter(self.table.of(def));
        self.b.is_async = def.is_async;
        let inner_types = std::mem::take(&mut self.type_parameters);
        self.body(&def.body);
        self.return_none(Span { start: at.end, end: at.end });
        self.leave(outer, name, def.is_async, params, at);
        self.type_parameters = inner_types;
        self.make_function(id, defaults, at);
        self.type_parameters = outer_types;
        self.decorate(&def.decorator_list, &def.name, at);
    }

    /// `*args: *Ts` has a starred annotation.
    fn expr_or_starred(&mut self, expr: &Expr) {
        match expr {
            Expr::Starred(starred) => self.expr(&starred.value),
            _ => self.expr(expr),
        }
    }

    fn decorate(&mut self, decorators: &[ast::Decorator], name: &ast::Identifier, at: Span) {
        for decorator in decorators.iter().rev() {
            self.emit(Op::Call(1, None), span(&decorator.expression));
        }
        let id = self.id(name);
        let name_span = span(name);
        self.store(id, if name_span.end > name_span.start { name_span } else { at });
    }

    pub(super) fn lambda(&mut self, lambda: &ast::ExprLambda) {
        let at = span(lambda);
        let params = self.parameters(lambda.parameters.as_deref(), at);
        let defaults = u32::from(params.defaults) + params.keyword_defaults.iter().filter(|d| **d).count() as u32;
        let name = self.names.intern("<lambda>");
        let (id, outer) = self.enter(self.table.of(lambda));
        let types = std::mem::take(&mut self.type_parameters);
        self.expr(&lambda.body);
        self.emit(Op::Return, span(&*lambda.body));
        self.type_parameters = types;
        self.leave(outer, name, false, params, at);
        self.make_function(id, defaults, at);
    }

    pub(super) fn class(&mut self, def: &ast::StmtClassDef) {
        let at = span(def);
        for decorator in &def.decorator_list {
            self.expr(&decorator.expression);
        }
        let type_parameters = self.type_parameter_ids(def.type_params.as_deref());
        let outer_types = std::mem::replace(&mut self.type_parameters, type_parameters);
        let (bases, keywords) = def.arguments.as_ref().map_or((&[][..], &[][..]), |a| (&a.args[..], &a.keywords[..]));
        let spread = bases.iter().any(Expr::is_starred_expr) || keywords.iter().any(|k| k.arg.is_none()) || bases.len() > 10_000;
        let mut names = None;
        if spread {
            self.list(bases, at);
            self.keyword_dict(keywords, at);
        } else {
            self.exprs(bases);
            names = self.keywords(keywords);
        }
        let inner_types = std::mem::take(&mut self.type_parameters);
        let name = self.names.intern(&def.name);
        let (id, outer) = self.enter(self.table.of(def));
        self.body(&def.body);
        self.return_none(Span { start: at.end, end: at.end });
        self.leave(outer, name, false, Params::default(), at);
        self.type_parameters = inner_types;
        if spread {
            self.emit(Op::MakeClassEx(id), at);
        } else {
            let made = Made { defaults: 0, keywords: keywords.len() as u32 };
            self.emit_made(Op::MakeClass(id, bases.len() as u16, names), at, made);
        }
        self.type_parameters = outer_types;
        self.decorate(&def.decorator_list, &def.name, at);
    }

    /// `→ value` of a comprehension or generator expression: its function is made and called with the first iterator.
    pub(super) fn comprehension(&mut self, expr: &Expr) {
        let at = span(expr);
        let (scope, generators, collect, name) = match expr {
            Expr::ListComp(c) => (self.table.of(c), &c.generators, Collect::List(&c.elt), "<listcomp>"),
            Expr::SetComp(c) => (self.table.of(c), &c.generators, Collect::Set(&c.elt), "<setcomp>"),
            Expr::DictComp(c) => (self.table.of(c), &c.generators, Collect::Dict(c.key.as_deref(), &c.value), "<dictcomp>"),
            Expr::Generator(c) => (self.table.of(c), &c.generators, Collect::Generator(&c.elt), "<genexpr>"),
            _ => return self.emit(Op::Unknown, at),
        };
        let Some(first) = generators.first() else { return self.emit(Op::Unknown, at) };
        if generators.len() > super::MAX_BLOCKS {
            return self.too_many_blocks(at);
        }
        let is_async = self.table.scopes[scope].is_async;
        let name = self.names.intern(name);
        let (id, outer) = self.enter(scope);
        let types = std::mem::take(&mut self.type_parameters);
        match collect {
            Collect::List(_) => self.emit(Op::BuildList(0), at),
            Collect::Set(_) => self.emit(Op::BuildSet(0), at),
            Collect::Dict(..) => self.emit(Op::BuildDict(0), at),
            Collect::Generator(_) => {}
        }
        self.emit(Op::LoadLocal(0), span(&first.iter));
        self.clause(generators, 0, collect);
        if matches!(collect, Collect::Generator(_)) {
            self.none(at);
        }
        self.emit(Op::Return, at);
        self.type_parameters = types;
        self.leave(outer, name, is_async, Params { positional_only: 1, positional: 1, ..Params::default() }, at);
        self.make_function(id, 0, at);
        self.expr(&first.iter);
        self.emit(if first.is_async { Op::GetAsyncIter } else { Op::GetIter }, span(&first.iter));
        self.emit(Op::Call(1, None), at);
        if is_async && !matches!(collect, Collect::Generator(_)) {
            self.emit(Op::Await, at);
        }
    }

    /// One `for` clause with its iterator on the stack, and everything inside it.
    fn clause(&mut self, generators: &[ast::Comprehension], index: usize, collect: Collect) {
        let clause = &generators[index];
        let kind = if clause.is_async { LoopKind::AsyncFor } else { LoopKind::For };
        let test = span(&clause.iter);
        let whole = span(clause);
        let header = Span { start: whole.start, end: test.end };
        let (number, exhausted, back) = self.start_for(kind, whole, test, header);
        self.assign(&clause.target);
        for condition in &clause.ifs {
            self.condition(condition, false, back);
        }
        if index + 1 < generators.len() {
            let next = &generators[index + 1];
            self.expr(&next.iter);
            self.emit(if next.is_async { Op::GetAsyncIter } else { Op::GetIter }, span(&next.iter));
            self.clause(generators, index + 1, collect);
        } else {
            let below = self.narrow(generators.len() + 1, "nested loops", whole);
            match collect {
                Collect::List(element) => {
                    self.expr(element);
                    self.emit(Op::ListAppend(below), span(element));
                }
                Collect::Set(element) => {
                    self.expr(element);
                    self.emit(Op::SetAdd(below), span(element));
                }
                Collect::Dict(Some(key), value) => {
                    self.expr(key);
                    self.expr(value);
                    self.emit(Op::DictInsert(below), Span { start: span(key).start, end: span(value).end });
                }
                // `{**mapping for …}` (PEP 798): what is merged is unknown to the instruction set, its value is not.
                Collect::Dict(None, value) => {
                    self.expr(value);
                    self.emit(Op::Pop, span(value));
                }
                Collect::Generator(element) => {
                    self.expr(element);
                    self.emit(Op::Yield, span(element));
                    self.emit(Op::Pop, span(element));
                }
            }
        }
        self.b.place(back);
        self.end_loop_body(number, header);
        self.b.place(exhausted);
        self.b.set_depth(self.b.depth - 1);
        self.loop_exit(number, header);
    }
}
