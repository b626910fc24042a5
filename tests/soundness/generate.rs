//! Random programs that end: every loop is bounded by construction, functions call only functions defined before them, and recursion counts
//! down. What they compute often depends on things outside the program, so that paths fork and join.

use std::fmt::Write as _;

use super::templates::{EXPRESSIONS, FUNCTIONS, PRELUDE, RISKY, STATEMENTS};

/// SplitMix64 (Steele, Lea, Flood 2014): small, seeded, the same everywhere.
#[derive(Debug)]
pub struct Random(pub u64);

impl Random {
    pub fn next(&mut self) -> u64 {
        self.0 = self.0.wrapping_add(0x9e37_79b9_7f4a_7c15);
        let mut z = self.0;
        z = (z ^ (z >> 30)).wrapping_mul(0xbf58_476d_1ce4_e5b9);
        z = (z ^ (z >> 27)).wrapping_mul(0x94d0_49bb_1331_11eb);
        z ^ (z >> 31)
    }

    pub fn below(&mut self, limit: usize) -> usize {
        (self.next() % limit.max(1) as u64) as usize
    }

    pub fn chance(&mut self, percent: usize) -> bool {
        self.below(100) < percent
    }

    pub fn pick<'a, T>(&mut self, from: &'a [T]) -> &'a T {
        &from[self.below(from.len())]
    }
}

/// What a variable holds, as far as the generator minds.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum Ty {
    Int,
    Float,
    Str,
    List,
    Dict,
    Set,
    Tuple,
    Object,
}

impl Ty {
    const ALL: [Ty; 8] = [Ty::Int, Ty::Float, Ty::Str, Ty::List, Ty::Dict, Ty::Set, Ty::Tuple, Ty::Object];

    /// The letter that stands for an expression of this type in a template.
    pub fn of(letter: char) -> Option<Ty> {
        Some(match letter {
            'i' => Ty::Int,
            'f' => Ty::Float,
            's' => Ty::Str,
            'l' => Ty::List,
            'd' => Ty::Dict,
            'e' => Ty::Set,
            't' => Ty::Tuple,
            'o' => Ty::Object,
            _ => return None,
        })
    }
}

struct Function {
    name: String,
    parameters: Vec<Ty>,
    result: Ty,
}

#[derive(Clone, Copy, Default)]
struct Place {
    indent: usize,
    in_loop: bool,
    in_function: bool,
}

struct Generator {
    random: Random,
    out: String,
    /// Visible variables, innermost scope last.
    scopes: Vec<Vec<(String, Ty)>>,
    functions: Vec<Function>,
    fresh: usize,
    /// Statements left to write.
    budget: usize,
    /// Percent of conditions and numbers that come from outside.
    outside: usize,
    has_class: bool,
    /// Whether something around this place catches what is raised.
    guarded: bool,
}

fn risky(template: &str) -> bool {
    RISKY.iter().any(|part| part.strip_suffix('\0').map_or_else(|| template.contains(part), |end| template.ends_with(end)))
}

/// A program for a seed.
pub fn program(seed: u64) -> String {
    let mut random = Random(seed.wrapping_mul(0x5851_f42d_4c95_7f2d));
    let outside = *random.pick(&[0, 0, 0, 5, 15, 40]);
    let budget = 6 + random.below(22);
    let mut g = Generator {
        random,
        out: String::new(),
        scopes: vec![Vec::new()],
        functions: Vec::new(),
        fresh: 0,
        budget,
        outside,
        has_class: false,
        guarded: false,
    };
    if outside > 0 {
        g.out.push_str("import os, random, time\n");
    }
    let top = Place::default();
    if g.random.chance(75) {
        g.has_class = true;
        let class = *g.random.pick(PRELUDE);
        g.template(class, top);
    }
    for _ in 0..g.random.below(3) {
        g.function(top);
    }
    for ty in [Ty::Int, Ty::List, Ty::Str] {
        g.declare(ty, top);
    }
    while g.budget > 0 {
        g.statement(top, 3);
    }
    g.out
}

impl Generator {
    fn line(&mut self, place: Place, text: &str) {
        let _ = writeln!(self.out, "{:width$}{text}", "", width = place.indent * 4);
    }

    fn name(&mut self, letter: char) -> String {
        self.fresh += 1;
        format!("{letter}{}", self.fresh)
    }

    /// A variable of this type that can be seen here.
    fn variable(&mut self, ty: Ty) -> Option<String> {
        let fitting: Vec<&String> = self.scopes.iter().flatten().filter(|(_, t)| *t == ty).map(|(n, _)| n).collect();
        (!fitting.is_empty()).then(|| (*self.random.pick(&fitting)).clone())
    }

    /// A variable of this type in the innermost scope, which may be assigned.
    fn own_variable(&mut self, ty: Ty) -> Option<String> {
        let fitting: Vec<&String> = self.scopes.last()?.iter().filter(|(_, t)| *t == ty).map(|(n, _)| n).collect();
        (!fitting.is_empty()).then(|| (*self.random.pick(&fitting)).clone())
    }

    fn declare(&mut self, ty: Ty, place: Place) -> String {
        let value = self.expression(ty, 2);
        let name = self.name('v');
        self.line(place, &format!("{name} = {value}"));
        self.see(&name, ty);
        name
    }

    fn see(&mut self, name: &str, ty: Ty) {
        if let Some(scope) = self.scopes.last_mut() {
            scope.push((name.to_owned(), ty));
        }
    }

    #[expect(clippy::wrong_self_convention, reason = "the value comes from outside, in the generated program")]
    fn from_outside(&mut self) -> String {
        const INTS: &[&str] = &[
            "int(time.time()) % 3",
            "random.randint(0, 3)",
            "len(os.environ.get('ANTIFREEZE_SEED', 'abc'))",
            "random.randrange(5)",
            "int(random.random() * 4)",
            "len(os.environ.get('ANTIFREEZE_FLAG', ''))",
            "random.choice([1, 2, 5])",
            "id(os) % 2",
        ];
        (*self.random.pick(INTS)).to_owned()
    }

    fn condition(&mut self, depth: usize) -> String {
        if self.random.chance(self.outside) {
            return match self.random.below(4) {
                0 => "random.random() < 0.5".to_owned(),
                1 => "os.environ.get('ANTIFREEZE_FLAG')".to_owned(),
                _ => format!("{} > {}", self.from_outside(), self.random.below(3)),
            };
        }
        let op = *self.random.pick(&["<", ">", "==", "!=", "<=", ">="]);
        match self.random.below(14) {
            0 => format!("not ({})", if depth > 0 { self.condition(depth - 1) } else { self.expression(Ty::Int, 0) }),
            1 if depth > 0 => format!("{} and {}", self.condition(depth - 1), self.condition(depth - 1)),
            2 if depth > 0 => format!("{} or {}", self.condition(depth - 1), self.condition(depth - 1)),
            3 => format!("{} in {}", self.expression(Ty::Int, 1), self.expression(Ty::List, 0)),
            4 => format!("{} in {}", self.expression(Ty::Str, 0), self.expression(Ty::Str, 1)),
            5 => {
                let ty = *self.random.pick(&[Ty::List, Ty::Str, Ty::Dict, Ty::Set]);
                self.expression(ty, 1)
            }
            6 => format!("{} {op} {}", self.expression(Ty::Str, 1), self.expression(Ty::Str, 1)),
            7 => format!("{} {op} {}", self.expression(Ty::Float, 1), self.expression(Ty::Int, 1)),
            8 => format!("{} {op} {} {op} {}", self.expression(Ty::Int, 0), self.expression(Ty::Int, 1), self.expression(Ty::Int, 0)),
            9 => format!(
                "{} is {}",
                self.variable(Ty::List).unwrap_or_else(|| "None".to_owned()),
                self.variable(Ty::List).unwrap_or_else(|| "None".to_owned())
            ),
            10 => format!("isinstance({}, {})", self.expression(Ty::Int, 1), self.random.pick(&["int", "str", "(int, float)", "bool"])),
            _ => format!("{} {op} {}", self.expression(Ty::Int, 1), self.expression(Ty::Int, 1)),
        }
    }

    fn expression(&mut self, ty: Ty, depth: usize) -> String {
        if self.random.chance(45) || depth == 0 {
            if let Some(name) = self.variable(ty)
                && self.random.chance(70)
            {
                return name;
            }
            return self.literal(ty, depth);
        }
        if self.random.chance(12) {
            let fitting: Vec<usize> = (0..self.functions.len()).filter(|i| self.functions[*i].result == ty).collect();
            if !fitting.is_empty() {
                let at = *self.random.pick(&fitting);
                return self.call(at, depth - 1);
            }
        }
        if self.random.chance(5) {
            return format!(
                "({} if {} else {})",
                self.expression(ty, depth - 1),
                self.condition(depth - 1),
                self.expression(ty, depth - 1)
            );
        }
        let fitting: Vec<&str> = EXPRESSIONS.iter().filter(|(letter, _)| Ty::of(*letter) == Some(ty)).map(|(_, text)| *text).collect();
        if fitting.is_empty() {
            return self.literal(ty, depth);
        }
        let template = *self.random.pick(&fitting);
        if !self.suits(template, 5) {
            return self.literal(ty, depth);
        }
        // Quotes inside an f-string may not be nested before 3.12.
        self.fill(template, if template.starts_with("f\"") { 0 } else { depth - 1 })
    }

    /// Whether the template fits here: what needs a class has one, and what may raise is caught (but for some percent).
    fn suits(&mut self, template: &str, percent: usize) -> bool {
        let needs_class = ["Thing", "$o", "$O"].iter().any(|part| template.contains(part));
        (self.has_class || !needs_class) && (self.guarded || !risky(template) || self.random.chance(percent))
    }

    fn call(&mut self, at: usize, depth: usize) -> String {
        let (name, parameters) = (self.functions[at].name.clone(), self.functions[at].parameters.clone());
        let arguments: Vec<String> = parameters.iter().map(|ty| self.expression(*ty, depth)).collect();
        format!("{name}({})", arguments.join(", "))
    }

    fn literal(&mut self, ty: Ty, depth: usize) -> String {
        let depth = depth.saturating_sub(1);
        match ty {
            Ty::Int => {
                if self.random.chance(self.outside) {
                    return self.from_outside();
                }
                match self.random.below(12) {
                    0 => (*self.random.pick(&["True", "False", "255", "1000", "(-7)", "65536", "(2 ** 40)", "(10 ** 12)", "(-1)"]))
                        .to_owned(),
                    1 => format!("{}", self.random.below(100_000)),
                    _ => format!("{}", self.random.below(8)),
                }
            }
            Ty::Float => (*self.random.pick(&["0.5", "1.0", "(-2.25)", "0.1", "3.0", "1e3", "(-0.0)", "100.75"])).to_owned(),
            Ty::Str => {
                (*self.random.pick(&["'a'", "'abc'", "''", "'hello world'", "'x,y,z'", "'Ab1'", "'ba'", "'é ß'", "'12'"])).to_owned()
            }
            Ty::List => {
                let n = self.random.below(5);
                let items: Vec<String> = (0..n).map(|_| self.expression(Ty::Int, depth.min(1))).collect();
                format!("[{}]", items.join(", "))
            }
            Ty::Set => {
                let n = 1 + self.random.below(3);
                let items: Vec<String> = (0..n).map(|_| self.expression(Ty::Int, 0)).collect();
                format!("{{{}}}", items.join(", "))
            }
            Ty::Tuple => {
                let n = 2 + self.random.below(2);
                let items: Vec<String> = (0..n).map(|_| self.expression(Ty::Int, depth.min(1))).collect();
                format!("({})", items.join(", "))
            }
            Ty::Dict => {
                let n = self.random.below(4);
                let items: Vec<String> = (0..n)
                    .map(|_| {
                        let key = if self.random.chance(60) { self.literal(Ty::Str, 0) } else { format!("{}", self.random.below(5)) };
                        format!("{key}: {}", self.expression(Ty::Int, depth.min(1)))
                    })
                    .collect();
                format!("{{{}}}", items.join(", "))
            }
            Ty::Object if self.has_class => format!("Thing({})", self.expression(Ty::Int, 0)),
            Ty::Object => "None".to_owned(),
        }
    }

    /// Replaces the placeholders of a template by expressions: see `templates.rs`.
    fn fill(&mut self, template: &str, depth: usize) -> String {
        let mut out = String::new();
        let mut names: Vec<(char, String)> = Vec::new();
        let mut letters = template.chars();
        while let Some(c) = letters.next() {
            if c != '$' {
                out.push(c);
                continue;
            }
            let Some(letter) = letters.next() else { break };
            match letter {
                'b' => out.push_str(&self.condition(depth)),
                'n' => out.push_str(&self.random.below(6).to_string()),
                'p' => out.push_str(&(1 + self.random.below(5)).to_string()),
                'c' => out.push_str(self.random.pick::<&str>(&["<", ">", "==", "!=", "<=", ">="])),
                'x' => {
                    let text = if self.outside > 0 { self.from_outside() } else { self.expression(Ty::Int, depth) };
                    out.push_str(&text);
                }
                '0'..='9' => {
                    // A fresh name, the same for the same digit.
                    let known = names.iter().find(|(digit, _)| *digit == letter).map(|(_, name)| name.clone());
                    let name = known.unwrap_or_else(|| {
                        let name = self.name('n');
                        names.push((letter, name.clone()));
                        name
                    });
                    out.push_str(&name);
                }
                upper if upper.is_ascii_uppercase() => {
                    // A variable to assign to or to change; one to assign to belongs to this scope.
                    let ty = Ty::of(upper.to_ascii_lowercase()).unwrap_or(Ty::Int);
                    let assigned = template.contains(&format!("${upper} "));
                    let name = if assigned { self.own_variable(ty) } else { self.variable(ty) };
                    let name = name.unwrap_or_else(|| "unbound".to_owned());
                    out.push_str(&name);
                }
                lower => match Ty::of(lower) {
                    Some(ty) => {
                        let text = self.expression(ty, depth);
                        out.push_str(&text);
                    }
                    None => out.push(lower),
                },
            }
        }
        out
    }

    /// Writes a template of several lines. A line `@` is replaced by random statements, `@loop` by such that may leave a loop; a line
    /// `!i name` says that a variable exists from there on.
    fn template(&mut self, template: &str, place: Place) {
        // Fresh names are the same throughout the template.
        let mut text = template.to_owned();
        for digit in '0'..='9' {
            let placeholder = format!("${digit}");
            if text.contains(&placeholder) {
                let name = self.name('n');
                text = text.replace(&placeholder, &name);
            }
        }
        for upper in "IFSLDETO".chars() {
            let ty = Ty::of(upper.to_ascii_lowercase()).unwrap_or(Ty::Int);
            if text.contains(&format!("${upper}")) && self.own_variable(ty).is_none() {
                self.declare(ty, place);
            }
        }
        let mut functions = Vec::new();
        for line in text.lines() {
            let body = line.trim_start();
            let indent = (line.len() - body.len()) / 4;
            let here = Place { indent: place.indent + indent, in_function: place.in_function, in_loop: place.in_loop };
            match body.split_once(' ') {
                _ if body == "@" => self.block(Place { in_loop: false, in_function: false, ..here }, 1),
                _ if body == "@loop" => self.block(Place { in_loop: true, in_function: false, ..here }, 1),
                Some((mark, name)) if mark.starts_with('!') && mark.len() == 2 => {
                    if let Some(ty) = mark.chars().nth(1).and_then(Ty::of) {
                        self.see(name, ty);
                    }
                }
                Some(("!fn", signature)) => functions.push(signature.to_owned()),
                _ => {
                    let filled = self.fill(body, 1);
                    self.line(here, &filled);
                }
            }
        }
        for signature in functions {
            let words: Vec<&str> = signature.split(' ').collect();
            let types: Vec<Ty> = words[1].chars().filter_map(Ty::of).collect();
            if let Some((result, parameters)) = types.split_first() {
                self.functions.push(Function { name: words[0].to_owned(), parameters: parameters.to_vec(), result: *result });
            }
        }
    }

    fn function(&mut self, place: Place) {
        let outer = std::mem::take(&mut self.guarded);
        self.define(place);
        self.guarded = outer;
    }

    fn define(&mut self, place: Place) {
        if self.random.chance(55) {
            let template = *self.random.pick(FUNCTIONS);
            let outer = std::mem::take(&mut self.scopes);
            // Templates see module variables only through their own text.
            self.scopes = vec![outer.first().cloned().unwrap_or_default(), Vec::new()];
            self.template(template, place);
            self.scopes = outer;
            return;
        }
        let name = self.name('f');
        let parameters: Vec<Ty> = (0..self.random.below(4)).map(|_| *self.random.pick(&Ty::ALL[..7])).collect();
        let result = *self.random.pick(&Ty::ALL[..7]);
        let mut scope = Vec::new();
        let mut texts = Vec::new();
        for (i, ty) in parameters.iter().enumerate() {
            let parameter = self.name('p');
            let last = i + 1 == parameters.len();
            texts.push(if last && self.random.chance(40) { format!("{parameter}={}", self.literal(*ty, 1)) } else { parameter.clone() });
            scope.push((parameter, *ty));
        }
        match self.random.below(6) {
            0 => texts.push("*rest".to_owned()),
            1 => texts.push("*, key=3".to_owned()),
            2 => texts.push("**named".to_owned()),
            _ => {}
        }
        self.line(place, &format!("def {name}({}):", texts.join(", ")));
        self.scopes.push(scope);
        let body = Place { indent: place.indent + 1, in_loop: false, in_function: true };
        for _ in 0..=self.random.below(3) {
            self.statement(body, 2);
        }
        let value = self.expression(result, 2);
        self.line(body, &format!("return {value}"));
        self.scopes.pop();
        self.functions.push(Function { name, parameters, result });
    }

    fn block(&mut self, place: Place, depth: usize) {
        let before = self.out.len();
        let seen = self.scopes.last().map_or(0, Vec::len);
        for _ in 0..=self.random.below(3) {
            self.statement(place, depth);
        }
        // What is assigned on one path only is rarely used after it.
        if self.random.chance(95)
            && let Some(scope) = self.scopes.last_mut()
        {
            scope.truncate(seen);
        }
        if self.out.len() == before {
            self.line(place, "pass");
        }
    }

    fn inner(place: Place) -> Place {
        Place { indent: place.indent + 1, ..place }
    }

    fn statement(&mut self, place: Place, depth: usize) {
        self.budget = self.budget.saturating_sub(1);
        let inner = Self::inner(place);
        let choice = self.random.below(100);
        match choice {
            0..=21 => {
                let ty = *self.random.pick(if self.has_class { &Ty::ALL } else { &Ty::ALL[..7] });
                if let (Some(name), true) = (self.own_variable(ty), self.random.chance(55)) {
                    let value = self.expression(ty, 3);
                    self.line(place, &format!("{name} = {value}"));
                } else {
                    self.declare(ty, place);
                }
            }
            22..=29 => {
                // An alias: two names for one object.
                let ty = *self.random.pick(&[Ty::List, Ty::Dict, Ty::Set, Ty::Object]);
                if let Some(other) = self.variable(ty) {
                    let name = self.own_variable(ty).filter(|_| self.random.chance(40)).unwrap_or_else(|| self.name('v'));
                    self.line(place, &format!("{name} = {other}"));
                    if !self.scopes.iter().flatten().any(|(n, _)| *n == name) {
                        self.see(&name, ty);
                    }
                }
            }
            30..=59 => {
                let template = *self.random.pick(STATEMENTS);
                if !self.suits(template, 100) {
                    return;
                }
                let wrapped =
                    !template.contains("\n!") && (self.random.chance(15) || (risky(template) && !self.guarded && self.random.chance(90)));
                if wrapped {
                    self.line(place, "try:");
                    let outer = std::mem::replace(&mut self.guarded, true);
                    self.template(template, inner);
                    self.guarded = outer;
                    let error = *self.random.pick(&["Exception", "Exception", "Exception", "(IndexError, KeyError)", "LookupError"]);
                    let name = self.name('e');
                    self.line(place, &format!("except {error} as error:"));
                    self.line(inner, &format!("{name} = type(error).__name__"));
                } else {
                    self.template(template, place);
                }
            }
            60..=69 if depth > 0 => self.branch(place, depth),
            70..=79 if depth > 0 => self.for_loop(place, depth),
            80..=84 if depth > 0 => self.while_loop(place, depth),
            85..=90 if depth > 0 => self.try_statement(place, depth),
            91..=93 if depth > 0 && place.indent < 3 => self.function(place),
            94 | 95 if place.in_loop => {
                let condition = self.condition(1);
                let word = *self.random.pick(&["break", "continue"]);
                self.line(place, &format!("if {condition}:"));
                self.line(inner, word);
            }
            96 if place.in_function => {
                let condition = self.condition(1);
                let value = self.expression(Ty::Int, 1);
                self.line(place, &format!("if {condition}:"));
                self.line(inner, &format!("return {value}"));
            }
            97 => {
                let condition = self.condition(1);
                let error = *self.random.pick(&["ValueError('no')", "KeyError", "RuntimeError()", "IndexError(3)"]);
                self.line(place, "try:");
                self.line(inner, &format!("if {condition}:"));
                self.line(Self::inner(inner), &format!("raise {error}"));
                self.block(inner, 0);
                self.line(place, "except Exception as error:");
                let name = self.name('e');
                self.line(inner, &format!("{name} = str(error)"));
            }
            _ => {
                let ty = *self.random.pick(&[Ty::Int, Ty::Int, Ty::Str, Ty::List]);
                self.declare(ty, place);
            }
        }
    }

    fn branch(&mut self, place: Place, depth: usize) {
        let inner = Self::inner(place);
        let condition = self.condition(2);
        self.line(place, &format!("if {condition}:"));
        self.block(inner, depth - 1);
        if self.random.chance(30) {
            let condition = self.condition(1);
            self.line(place, &format!("elif {condition}:"));
            self.block(inner, depth - 1);
        }
        if self.random.chance(50) {
            self.line(place, "else:");
            self.block(inner, depth - 1);
        }
    }

    fn for_loop(&mut self, place: Place, depth: usize) {
        let inner = Place { in_loop: true, ..Self::inner(place) };
        let name = self.name('v');
        let (target, iterable, ty) = match self.random.below(12) {
            0 => (name.clone(), self.expression(Ty::List, 1), Ty::Int),
            1 => (name.clone(), self.expression(Ty::Str, 1), Ty::Str),
            2 => (name.clone(), format!("sorted({})", self.expression(Ty::Set, 1)), Ty::Int),
            3 => (format!("_, {name}"), format!("{}.items()", self.expression(Ty::Dict, 0)), Ty::Int),
            4 => (format!("{name}, _"), format!("enumerate({})", self.expression(Ty::Str, 1)), Ty::Int),
            5 => (format!("_, {name}"), format!("zip({}, {})", self.expression(Ty::Str, 1), self.expression(Ty::List, 1)), Ty::Int),
            6 => (name.clone(), self.expression(Ty::Tuple, 1), Ty::Int),
            7 => (
                name.clone(),
                format!("range({}, {}, {})", self.random.below(6), self.random.below(9), self.random.pick(&["1", "2", "-1", "3"])),
                Ty::Int,
            ),
            8 => (name.clone(), format!("list({})", self.expression(Ty::List, 0)), Ty::Int),
            9 => (name.clone(), format!("range(min({}, 5))", self.expression(Ty::Int, 1)), Ty::Int),
            10 => (name.clone(), format!("reversed({})", self.expression(Ty::List, 0)), Ty::Int),
            _ => (name.clone(), format!("range({})", self.random.below(7)), Ty::Int),
        };
        // A list that grows while it is iterated would never end.
        let iterable = if iterable.starts_with(['v', 'p', 'n']) && !iterable.contains('(') { format!("{iterable}[:4]") } else { iterable };
        self.line(place, &format!("for {target} in {iterable}:"));
        self.see(&name, ty);
        self.block(inner, depth - 1);
        if self.random.chance(25) {
            let condition = self.condition(1);
            self.line(inner, &format!("if {condition}:"));
            let word = *self.random.pick(&["break", "continue", "break"]);
            self.line(Self::inner(inner), word);
        }
        if self.random.chance(20) {
            self.line(place, "else:");
            self.block(Self::inner(place), depth - 1);
        }
    }

    fn while_loop(&mut self, place: Place, depth: usize) {
        // The counter is a name of its own that nothing else assigns.
        let counter = self.name('c');
        let inner = Place { in_loop: true, ..Self::inner(place) };
        let bound = self.random.below(7);
        self.line(place, &format!("{counter} = 0"));
        match self.random.below(4) {
            0 => {
                let condition = self.condition(1);
                self.line(place, &format!("while {condition}:"));
                self.line(inner, &format!("{counter} += 1"));
                self.line(inner, &format!("if {counter} > {bound}:"));
                self.line(Self::inner(inner), "break");
            }
            1 => {
                let condition = self.condition(1);
                self.line(place, &format!("while {counter} < {bound} and ({condition}):"));
                self.line(inner, &format!("{counter} += 1"));
            }
            2 => {
                self.line(place, "while True:");
                let step = 1 + self.random.below(2);
                self.line(inner, &format!("{counter} += {step}"));
                self.line(inner, &format!("if {counter} >= {bound}:"));
                self.line(Self::inner(inner), "break");
            }
            _ => {
                self.line(place, &format!("while {counter} < {bound}:"));
                self.line(inner, &format!("{counter} += 1"));
            }
        }
        self.block(inner, depth - 1);
        if self.random.chance(20) {
            self.line(place, "else:");
            self.block(Self::inner(place), depth - 1);
        }
    }

    fn try_statement(&mut self, place: Place, depth: usize) {
        let inner = Self::inner(place);
        self.line(place, "try:");
        let handlers = self.random.below(3);
        let outer = self.guarded;
        self.guarded |= handlers > 0;
        self.block(inner, depth - 1);
        if (self.guarded || self.random.chance(5)) && self.random.chance(40) {
            let risk = *self.random.pick(&[
                "1 // $i",
                "[1, 2][$i]",
                "{'a': 1}[$s]",
                "int($s)",
                "$l.index($i)",
                "$s + $i",
                "$l[$i] = $i",
                "raise ValueError($i)",
            ]);
            let text = self.fill(risk, 1);
            self.line(inner, &text);
        }
        self.guarded = outer;
        for i in 0..handlers {
            let classes: &[&str] = if i + 1 == handlers {
                &["Exception as error", "Exception", "Exception as error", "BaseException", "LookupError as error"]
            } else {
                &["ValueError as error", "ZeroDivisionError", "(KeyError, IndexError) as error", "LookupError", "TypeError"]
            };
            let class = *self.random.pick(classes);
            self.line(place, &format!("except {class}:"));
            if class.ends_with("as error") && self.random.chance(60) {
                let name = self.name('e');
                let value = *self.random.pick(&["type(error).__name__", "str(error)", "error.args", "isinstance(error, LookupError)"]);
                self.line(inner, &format!("{name} = {value}"));
            }
            self.block(inner, depth - 1);
        }
        if handlers > 0 && self.random.chance(30) {
            self.line(place, "else:");
            self.block(inner, depth - 1);
        }
        if handlers == 0 || self.random.chance(35) {
            self.line(place, "finally:");
            // `break` and `return` in a finally clause discard what was raised; 3.14 warns about them.
            let quiet = Place {
                in_loop: place.in_loop && self.random.chance(20),
                in_function: place.in_function && self.random.chance(20),
                ..inner
            };
            self.block(quiet, depth - 1);
        }
    }
}
