//! The symbol table: which scope owns each name, as CPython's `symtable.c` decides it.
//!
//! One walk over the tree notes for every scope which names it binds and uses; [`Table::resolve`] then settles where each
//! one lives. Lowering finds a node's scope by the node's address, which is stable because the tree is not moved between
//! the two walks.

use std::collections::HashMap;

use ruff_python_ast::visitor::{self, Visitor};
use ruff_python_ast::{self as ast, Expr, ExprContext, Pattern, Stmt};

use super::code::{Capture, CodeKind, NameId};
use super::names::{IdMap, Interner, mangle};

/// What a scope does with a name.
#[derive(Debug, Clone, Copy, Default)]
struct Flags {
    bound: bool,
    parameter: bool,
    global: bool,
    nonlocal: bool,
    cell: bool,
}

/// Where a name lives, seen from one scope.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(super) enum Place {
    /// A fast local.
    Local(u32),
    /// A cell or free variable.
    Deref(u32),
    /// Module global, else builtin.
    Global,
    /// The namespace of the class body.
    Name,
    /// In a class body: its namespace, else a free variable. Bindings go to the free variable.
    NameOrDeref(u32),
    /// A type parameter (PEP 695), about whose value nothing is known.
    TypeParameter,
}

/// One scope.
#[derive(Debug)]
pub(super) struct Scope {
    pub kind: CodeKind,
    pub parent: Option<usize>,
    /// Contains `yield`.
    pub yields: bool,
    /// A comprehension that awaits or iterates asynchronously.
    pub is_async: bool,
    /// A generator expression, as opposed to the other comprehensions.
    pub is_generator_expression: bool,
    /// The names of the parameters in slot order, duplicates included.
    pub parameters: Vec<NameId>,
    pub slots: Vec<NameId>,
    pub cells: Vec<(NameId, Option<u32>)>,
    pub frees: Vec<(NameId, Capture)>,
    /// The class whose private names are mangled here.
    pub private: Option<Box<str>>,
    type_parameters: Vec<NameId>,
    flags: IdMap<NameId, Flags>,
    order: Vec<NameId>,
    free_names: Vec<NameId>,
    free_numbers: IdMap<NameId, u32>,
    cell_numbers: IdMap<NameId, u32>,
    places: IdMap<NameId, Place>,
}

impl Scope {
    fn flags(&mut self, name: NameId) -> &mut Flags {
        let order = &mut self.order;
        self.flags.entry(name).or_insert_with(|| {
            order.push(name);
            Flags::default()
        })
    }

    fn is_function_like(&self) -> bool {
        matches!(self.kind, CodeKind::Function | CodeKind::Lambda | CodeKind::Comprehension)
    }

    /// Where `name` lives. A name the walk did not see is a global.
    pub fn place(&self, name: NameId) -> Place {
        self.places.get(&name).copied().unwrap_or(if self.kind == CodeKind::Class { Place::Name } else { Place::Global })
    }
}

/// All scopes of a program; number 0 is the module.
#[derive(Debug)]
pub(super) struct Table {
    pub scopes: Vec<Scope>,
    by_node: HashMap<usize, usize>,
}

/// The identity of a node that makes a scope.
fn address<T>(node: &T) -> usize {
    std::ptr::from_ref(node) as usize
}

impl Table {
    /// Walks the tree and resolves every name.
    pub fn build(body: &[Stmt], names: &mut Interner) -> Table {
        let mut builder = Builder {
            table: Table { scopes: Vec::new(), by_node: HashMap::new() },
            class_name: names.intern("__class__"),
            iterator_name: names.intern(".0"),
            names,
            current: 0,
            pending_type_parameters: Vec::new(),
        };
        builder.push(CodeKind::Module, None);
        builder.visit_body(body);
        let class_name = builder.class_name;
        let mut table = builder.table;
        table.resolve(class_name);
        table
    }

    /// The scope a function, lambda, class or comprehension makes.
    pub fn of<T>(&self, node: &T) -> usize {
        self.by_node[&address(node)]
    }

    fn resolve(&mut self, class_name: NameId) {
        for scope in 1..self.scopes.len() {
            let order = std::mem::take(&mut self.scopes[scope].order);
            for &name in &order {
                let flags = self.scopes[scope].flags[&name];
                let owned = (flags.bound || flags.parameter) && !flags.nonlocal;
                if !flags.global && !owned {
                    self.find_owner(scope, name, class_name);
                }
            }
            self.scopes[scope].order = order;
        }
        for scope in 0..self.scopes.len() {
            self.number(scope);
        }
        for scope in 1..self.scopes.len() {
            let Some(parent) = self.scopes[scope].parent else { continue };
            let frees = self.scopes[scope]
                .free_names
                .iter()
                .filter_map(|&name| {
                    let outer = &self.scopes[parent];
                    let cell = outer.cell_numbers.get(&name).map(|i| Capture::Cell(*i as u16));
                    let free = || outer.free_numbers.get(&name).map(|i| Capture::Free(*i as u16));
                    cell.or_else(free).map(|capture| (name, capture))
                })
                .collect();
            self.scopes[scope].frees = frees;
        }
    }

    /// Looks outwards for the function that owns a name; makes it a cell there and a free variable on the way.
    fn find_owner(&mut self, scope: usize, name: NameId, class_name: NameId) {
        let mut chain = vec![scope];
        let mut at = scope;
        loop {
            if self.scopes[at].type_parameters.contains(&name) {
                self.scopes[scope].places.insert(name, Place::TypeParameter);
                return;
            }
            let Some(parent) = self.scopes[at].parent else { return };
            at = parent;
            let outer = &mut self.scopes[at];
            if outer.kind == CodeKind::Class {
                if name == class_name {
                    outer.flags(name).cell = true;
                    break;
                }
            } else if outer.is_function_like()
                && let Some(flags) = outer.flags.get_mut(&name)
            {
                if flags.global {
                    return;
                }
                if (flags.bound || flags.parameter) && !flags.nonlocal {
                    flags.cell = true;
                    break;
                }
            }
            chain.push(at);
        }
        for scope in chain {
            let Scope { free_names, free_numbers, .. } = &mut self.scopes[scope];
            free_numbers.entry(name).or_insert_with(|| {
                free_names.push(name);
                free_names.len() as u32 - 1
            });
        }
    }

    /// Gives every name of a scope its place, once it is known which names inner scopes capture.
    fn number(&mut self, index: usize) {
        let scope = &mut self.scopes[index];
        scope.slots.clone_from(&scope.parameters);
        let module = scope.kind == CodeKind::Module;
        let class = scope.kind == CodeKind::Class;
        let mut parameter_slots = IdMap::default();
        for (slot, name) in scope.parameters.iter().enumerate() {
            parameter_slots.insert(*name, slot as u32);
        }
        if !module {
            for &name in &scope.order {
                if scope.flags[&name].cell {
                    scope.cells.push((name, parameter_slots.get(&name).copied()));
                }
            }
        }
        for (i, (name, _)) in scope.cells.iter().enumerate() {
            scope.cell_numbers.insert(*name, i as u32);
        }
        let cells = scope.cells.len() as u32;
        for &name in &scope.order {
            let flags = scope.flags[&name];
            let owned = (flags.bound || flags.parameter) && !flags.nonlocal;
            let place = if module || flags.global {
                Place::Global
            } else if class {
                match scope.free_numbers.get(&name) {
                    Some(&free) if !owned => Place::NameOrDeref(cells + free),
                    _ if scope.places.contains_key(&name) => continue,
                    _ => Place::Name,
                }
            } else if owned && let Some(&cell) = scope.cell_numbers.get(&name) {
                Place::Deref(cell)
            } else if owned && let Some(&slot) = parameter_slots.get(&name) {
                Place::Local(slot)
            } else if owned {
                scope.slots.push(name);
                Place::Local(scope.slots.len() as u32 - 1)
            } else if let Some(&free) = scope.free_numbers.get(&name) {
                Place::Deref(cells + free)
            } else if scope.places.contains_key(&name) {
                continue;
            } else {
                Place::Global
            };
            scope.places.insert(name, place);
        }
    }
}

struct Builder<'n> {
    table: Table,
    names: &'n mut Interner,
    class_name: NameId,
    iterator_name: NameId,
    current: usize,
    /// Type parameters of the definition whose annotations or bases are being walked.
    pending_type_parameters: Vec<NameId>,
}

impl Builder<'_> {
    fn push(&mut self, kind: CodeKind, node: Option<usize>) -> usize {
        let parent = (!self.table.scopes.is_empty()).then_some(self.current);
        let private = parent.and_then(|parent| self.table.scopes[parent].private.clone());
        let index = self.table.scopes.len();
        self.table.scopes.push(Scope {
            kind,
            parent,
            yields: false,
            is_async: false,
            is_generator_expression: false,
            parameters: Vec::new(),
            slots: Vec::new(),
            cells: Vec::new(),
            frees: Vec::new(),
            private,
            type_parameters: self.pending_type_parameters.clone(),
            flags: IdMap::default(),
            order: Vec::new(),
            free_names: Vec::new(),
            free_numbers: IdMap::default(),
            cell_numbers: IdMap::default(),
            places: IdMap::default(),
        });
        if let Some(node) = node {
            self.table.by_node.insert(node, index);
        }
        self.current = index;
        index
    }

    fn pop(&mut self) {
        self.current = self.table.scopes[self.current].parent.unwrap_or(0);
    }

    fn scope(&mut self) -> &mut Scope {
        &mut self.table.scopes[self.current]
    }

    fn id(&mut self, name: &str) -> NameId {
        let mangled = mangle(self.table.scopes[self.current].private.as_deref(), name);
        self.names.intern(&mangled)
    }

    fn bind(&mut self, name: &str) {
        let id = self.id(name);
        self.scope().flags(id).bound = true;
    }

    fn mention(&mut self, name: &str) {
        let id = self.id(name);
        self.scope().flags(id);
        if name == "super" && self.scope().is_function_like() {
            let class_name = self.class_name;
            self.scope().flags(class_name);
        }
    }

    /// A walrus inside comprehensions binds in the function (or module) around them.
    fn bind_walrus(&mut self, name: &str) {
        let id = self.id(name);
        let mut target = self.current;
        while self.table.scopes[target].kind == CodeKind::Comprehension {
            let Some(parent) = self.table.scopes[target].parent else { break };
            target = parent;
        }
        let outside_functions = !self.table.scopes[target].is_function_like();
        let mut at = self.current;
        while at != target {
            let flags = self.table.scopes[at].flags(id);
            if outside_functions {
                flags.global = true;
            } else {
                flags.nonlocal = true;
            }
            at = self.table.scopes[at].parent.unwrap_or(0);
        }
        self.table.scopes[target].flags(id).bound = true;
    }

    fn type_parameter_names(&mut self, parameters: Option<&ast::TypeParams>) -> Vec<NameId> {
        let parameters = parameters.map_or(&[][..], |parameters| &parameters.type_params[..]);
        parameters.iter().map(|parameter| self.id(type_parameter_name(parameter))).collect()
    }

    fn parameters(&mut self, parameters: &ast::Parameters) {
        for name in slot_order(parameters) {
            let id = self.id(name);
            self.scope().flags(id).parameter = true;
            self.scope().parameters.push(id);
        }
    }

    fn defaults(&mut self, parameters: &ast::Parameters) {
        for parameter in parameters.iter_non_variadic_params() {
            if let Some(default) = parameter.default() {
                self.visit_expr(default);
            }
        }
    }

    fn comprehension(&mut self, node: usize, generators: &[ast::Comprehension], elements: &[Option<&Expr>], lazy: bool) {
        let Some(first) = generators.first() else { return };
        self.visit_expr(&first.iter);
        self.push(CodeKind::Comprehension, Some(node));
        let iterator = self.iterator_name;
        self.scope().flags(iterator).parameter = true;
        self.scope().parameters.push(iterator);
        self.scope().is_generator_expression = lazy;
        for (i, generator) in generators.iter().enumerate() {
            self.scope().is_async |= generator.is_async;
            self.visit_expr(&generator.target);
            if i > 0 {
                self.visit_expr(&generator.iter);
            }
            for condition in &generator.ifs {
                self.visit_expr(condition);
            }
        }
        for element in elements.iter().flatten() {
            self.visit_expr(element);
        }
        let asynchronous = self.scope().is_async && !lazy;
        self.pop();
        if asynchronous && self.scope().kind == CodeKind::Comprehension {
            self.scope().is_async = true;
        }
    }
}

/// The name of a type parameter.
pub(super) fn type_parameter_name(parameter: &ast::TypeParam) -> &str {
    match parameter {
        ast::TypeParam::TypeVar(p) => p.name.as_str(),
        ast::TypeParam::TypeVarTuple(p) => p.name.as_str(),
        ast::TypeParam::ParamSpec(p) => p.name.as_str(),
    }
}

/// Parameter names in the order of their slots.
fn slot_order(parameters: &ast::Parameters) -> impl Iterator<Item = &str> {
    let fixed = parameters.posonlyargs.iter().chain(&parameters.args).chain(&parameters.kwonlyargs);
    let variadic = parameters.vararg.iter().chain(&parameters.kwarg);
    fixed.map(|p| p.parameter.name.as_str()).chain(variadic.map(|p| p.name.as_str()))
}

impl<'a> Visitor<'a> for Builder<'_> {
    fn visit_stmt(&mut self, stmt: &'a Stmt) {
        match stmt {
            Stmt::FunctionDef(def) => {
                self.bind(&def.name);
                for decorator in &def.decorator_list {
                    self.visit_expr(&decorator.expression);
                }
                let type_parameters = self.type_parameter_names(def.type_params.as_deref());
                let outer = std::mem::replace(&mut self.pending_type_parameters, type_parameters);
                self.defaults(&def.parameters);
                for parameter in &*def.parameters {
                    if let Some(annotation) = parameter.annotation() {
                        self.visit_expr(annotation);
                    }
                }
                if let Some(returns) = &def.returns {
                    self.visit_expr(returns);
                }
                self.push(CodeKind::Function, Some(address(def)));
                self.pending_type_parameters.clear();
                self.parameters(&def.parameters);
                self.visit_body(&def.body);
                self.pop();
                self.pending_type_parameters = outer;
            }
            Stmt::ClassDef(def) => {
                self.bind(&def.name);
                for decorator in &def.decorator_list {
                    self.visit_expr(&decorator.expression);
                }
                let type_parameters = self.type_parameter_names(def.type_params.as_deref());
                let outer = std::mem::replace(&mut self.pending_type_parameters, type_parameters);
                if let Some(arguments) = &def.arguments {
                    self.visit_arguments(arguments);
                }
                self.push(CodeKind::Class, Some(address(def)));
                self.pending_type_parameters.clear();
                self.scope().private = Some(def.name.as_str().into());
                self.visit_body(&def.body);
                self.pop();
                self.pending_type_parameters = outer;
            }
            Stmt::TypeAlias(alias) => {
                // The value is evaluated lazily, in a scope that nothing else sees.
                if let Expr::Name(name) = &*alias.name {
                    self.bind(&name.id);
                }
            }
            Stmt::AnnAssign(assign) => {
                match &*assign.target {
                    // `(x): int` is no declaration.
                    Expr::Name(name) if assign.simple || assign.value.is_some() => self.bind(&name.id),
                    Expr::Name(_) => {}
                    target => self.visit_expr(target),
                }
                self.visit_expr(&assign.annotation);
                if let Some(value) = &assign.value {
                    self.visit_expr(value);
                }
            }
            Stmt::Global(global) => {
                for name in &global.names {
                    let id = self.id(name);
                    self.scope().flags(id).global = true;
                }
            }
            Stmt::Nonlocal(nonlocal) => {
                for name in &nonlocal.names {
                    let id = self.id(name);
                    self.scope().flags(id).nonlocal = true;
                }
            }
            Stmt::Import(import) => {
                for alias in &import.names {
                    let name = alias.asname.as_ref().map_or_else(|| alias.name.split('.').next().unwrap_or(""), |name| name.as_str());
                    self.bind(name);
                }
            }
            Stmt::ImportFrom(import) => {
                for alias in &import.names {
                    if alias.name.as_str() != "*" {
                        self.bind(alias.asname.as_ref().unwrap_or(&alias.name).as_str());
                    }
                }
            }
            _ => visitor::walk_stmt(self, stmt),
        }
    }

    fn visit_except_handler(&mut self, handler: &'a ast::ExceptHandler) {
        let ast::ExceptHandler::ExceptHandler(clause) = handler;
        if let Some(name) = &clause.name {
            self.bind(name);
        }
        visitor::walk_except_handler(self, handler);
    }

    fn visit_expr(&mut self, expr: &'a Expr) {
        match expr {
            Expr::Name(name) => match name.ctx {
                ExprContext::Load | ExprContext::Invalid => self.mention(&name.id),
                ExprContext::Store | ExprContext::Del => self.bind(&name.id),
            },
            Expr::Named(named) => {
                self.visit_expr(&named.value);
                match &*named.target {
                    Expr::Name(name) => self.bind_walrus(&name.id),
                    other => self.visit_expr(other),
                }
            }
            Expr::Lambda(lambda) => {
                if let Some(parameters) = &lambda.parameters {
                    self.defaults(parameters);
                }
                self.push(CodeKind::Lambda, Some(address(lambda)));
                if let Some(parameters) = &lambda.parameters {
                    self.parameters(parameters);
                }
                self.visit_expr(&lambda.body);
                self.pop();
            }
            Expr::ListComp(c) => self.comprehension(address(c), &c.generators, &[Some(&c.elt)], false),
            Expr::SetComp(c) => self.comprehension(address(c), &c.generators, &[Some(&c.elt)], false),
            Expr::DictComp(c) => self.comprehension(address(c), &c.generators, &[c.key.as_deref(), Some(&c.value)], false),
            Expr::Generator(c) => self.comprehension(address(c), &c.generators, &[Some(&c.elt)], true),
            Expr::Yield(_) | Expr::YieldFrom(_) => {
                self.scope().yields = true;
                visitor::walk_expr(self, expr);
            }
            Expr::Await(_) => {
                if self.scope().kind == CodeKind::Comprehension {
                    self.scope().is_async = true;
                }
                visitor::walk_expr(self, expr);
            }
            _ => visitor::walk_expr(self, expr),
        }
    }

    fn visit_pattern(&mut self, pattern: &'a Pattern) {
        let name = match pattern {
            Pattern::MatchAs(p) => p.name.as_ref(),
            Pattern::MatchStar(p) => p.name.as_ref(),
            Pattern::MatchMapping(p) => p.rest.as_ref(),
            _ => None,
        };
        if let Some(name) = name {
            self.bind(name);
        }
        visitor::walk_pattern(self, pattern);
    }

    fn visit_annotation(&mut self, expr: &'a Expr) {
        self.visit_expr(expr);
    }
}
