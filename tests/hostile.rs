//! Inputs made to break the tool: each goes through a child process with a limit on memory and a hard kill after 20 s, on
//! a thread with a 2 MiB stack, and must come back with an answer.
//!
//! The child is this very test binary, running the test `child`: it parses, checks the flat code, and runs the whole gate.
#![expect(clippy::print_stderr, reason = "the child answers on its standard error")]
#![expect(clippy::format_collect, reason = "a few allocations more do not matter here")]

use std::io::{Read, Write};
use std::process::{Command, Stdio};
use std::time::{Duration, Instant};

const CHILD: &str = "ANTIFREEZE_HOSTILE_CHILD";
const KILL_AFTER: Duration = Duration::from_secs(20);
const MIB: usize = 1 << 20;

/// The command that reads a program from its standard input and judges it.
fn gate() -> Command {
    let mut command = Command::new("sh");
    let this = std::env::current_exe().expect("the path of this binary");
    command.args(["-c", "ulimit -v 4000000; exec \"$0\" \"$@\""]).arg(this).args(["--exact", "child", "--nocapture"]);
    command.env(CHILD, "1");
    command
}

/// Not a test by itself: what [`gate`] starts.
#[test]
fn child() {
    if std::env::var_os(CHILD).is_none() {
        return;
    }
    let mut bytes = Vec::new();
    std::io::stdin().read_to_end(&mut bytes).expect("reads standard input");
    let work = move || {
        let source = match antifreeze::source::Source::from_bytes("<stdin>", &bytes) {
            Ok(source) => source,
            Err(error) => return format!("source error: {error}"),
        };
        let (parsed, program) = antifreeze::syntax::parse(source.clone());
        program.verify(parsed.text.len()).expect("keeps the promises of the flat code");
        // The whole gate, within its fuel: twice as much at most, because functions that nobody calls have their own half.
        let settings = antifreeze::eval::Settings::default();
        let checked = antifreeze::verdict::check(source, &settings, antifreeze::rules::Profile::Agent);
        assert!(checked.facts.fuel_spent <= 2 * settings.fuel, "spent {} steps", checked.facts.fuel_spent);
        match (&program.not_analysed, program.errors.first()) {
            (Some(issue), _) => format!("not analysed: {}", issue.message),
            (None, Some(issue)) => format!("syntax error: {}", issue.message),
            (None, None) => format!("lowered {} statements", program.statements),
        }
    };
    let thread = std::thread::Builder::new().stack_size(2 * MIB).spawn(work).expect("starts a thread");
    eprintln!("ANSWER {}", thread.join().expect("does not panic"));
}

/// Runs one input; gives what the child answered.
fn answer(name: &str, input: &[u8]) -> Result<String, String> {
    let mut child =
        gate().stdin(Stdio::piped()).stdout(Stdio::null()).stderr(Stdio::piped()).spawn().map_err(|error| format!("{name}: {error}"))?;
    let started = Instant::now();
    let mut stdin = child.stdin.take().ok_or("no standard input")?;
    let mut stderr = child.stderr.take().ok_or("no standard error")?;
    let input = input.to_vec();
    // A child that dies early closes the pipe; that shows in its status.
    let writer = std::thread::spawn(move || drop(stdin.write_all(&input)));
    let reader = std::thread::spawn(move || {
        let mut text = Vec::new();
        let _ = stderr.read_to_end(&mut text);
        String::from_utf8_lossy(&text).into_owned()
    });
    let status = loop {
        if let Some(status) = child.try_wait().map_err(|error| error.to_string())? {
            break status;
        }
        if started.elapsed() > KILL_AFTER {
            let _ = child.kill();
            let _ = child.wait();
            return Err(format!("{name}: no answer after {KILL_AFTER:?}"));
        }
        std::thread::sleep(Duration::from_millis(5));
    };
    let _ = writer.join();
    let text = reader.join().unwrap_or_default();
    match text.lines().find_map(|line| line.strip_prefix("ANSWER ")) {
        Some(answer) if status.success() => Ok(answer.to_owned()),
        _ => Err(format!("{name}: {status}, {}", text.chars().take(400).collect::<String>())),
    }
}

/// A block nested `depth` deep, each level one space further in.
fn nested(depth: usize, line: &str) -> String {
    let mut text = String::new();
    for level in 0..depth {
        text.push_str(&" ".repeat(level));
        text.push_str(line);
        text.push('\n');
    }
    text.push_str(&" ".repeat(depth));
    text.push_str("pass\n");
    text
}

/// The inputs, and what the answer must begin with.
fn cases() -> Vec<(&'static str, String, &'static str)> {
    let many = 200_000;
    let refused = "not analysed";
    let fits = MIB - 64;
    let chain = |unit: &str, count: usize| format!("a{}\n", unit.repeat(count));
    vec![
        ("calls of many functions", (0..80_000).map(|i| format!("f{i}(1)\n")).collect(), "lowered"),
        ("nested parentheses", format!("x = {}1{}\n", "(".repeat(many), ")".repeat(many)), refused),
        ("parentheses never closed", "(".repeat(many), refused),
        ("nested lists", format!("x = {}{}\n", "[".repeat(many), "]".repeat(many)), refused),
        ("nested dicts", format!("x = {}1{}\n", "{1:".repeat(many), "}".repeat(many)), refused),
        ("nested subscripts", format!("x = {}1{}\n", "a[".repeat(many), "]".repeat(many)), refused),
        ("unary minus", format!("x = {}1\n", "-".repeat(many)), refused),
        ("not", format!("x = {}1\n", "not ".repeat(many)), refused),
        ("await", format!("x = {}1\n", "await ".repeat(100_000)), refused),
        ("async", "async ".repeat(100_000), refused),
        ("stars", format!("x = {}1\n", "*".repeat(many)), refused),
        ("powers", chain("**a", many), refused),
        ("lambdas", format!("x = {}1\n", "lambda:".repeat(100_000)), refused),
        ("lambdas with parameters", format!("x = {}1\n", "lambda a,b:".repeat(90_000)), refused),
        ("lambdas in defaults", format!("x = {}1\n", "lambda a=".repeat(90_000)), refused),
        ("yields", format!("def f(): {}1\n", "yield ".repeat(100_000)), ""),
        ("sum", chain("+a", many), refused),
        ("attributes", chain(".b", many), refused),
        ("calls", chain("()", many), refused),
        ("subscripts", chain("[0]", many), refused),
        ("comparisons", chain("<a", many), refused),
        ("boolean operators", chain(" and a", 100_000), refused),
        ("ternaries", format!("x = {}1\n", "1 if a else ".repeat(80_000)), refused),
        ("walruses", format!("({}1)\n", "a:=".repeat(many)), refused),
        ("assignments", format!("{}1\n", "a=".repeat(many)), refused),
        ("nested ifs", nested(1_000, "if x:"), refused),
        ("nested functions", nested(1_000, "def f():"), refused),
        ("nested classes", nested(1_000, "class C:"), refused),
        ("nested tries", nested(1_000, "try:"), refused),
        ("99 nested ifs", nested(99, "if x:"), "lowered"),
        ("elifs", format!("if a: pass\n{}", "elif a: pass\n".repeat(70_000)), "lowered"),
        ("nested comprehensions", format!("x = {}1{}\n", "[".repeat(50_000), " for a in b]".repeat(50_000)), refused),
        ("for clauses", format!("x = [1{}]\n", " for a in b".repeat(80_000)), refused),
        ("for clauses with commas", format!("x = [1{}]\n", " for a,b in c".repeat(70_000)), refused),
        ("with items", format!("with {}a:\n pass\n", "a,".repeat(many)), refused),
        ("nested f-strings", format!("x = {}1{}\n", "f'{".repeat(50_000), "}'".repeat(50_000)), refused),
        ("f-strings of alternating quotes", format!("x = {}1{}\n", "f'{f\"{".repeat(40_000), "}\"}'".repeat(40_000)), refused),
        ("f-strings never closed", "f'{".repeat(100_000), refused),
        ("f-string lines never closed", "f'{a\n".repeat(100_000), ""),
        ("nested format specs", format!("x = f'{}'\n", "{a:".repeat(100_000)), refused),
        ("a string in an f-string that hides minuses", format!("f'{{'''{}", "-".repeat(many)), ""),
        ("a small string in an f-string that hides minuses", format!("f'{{'''{}", "-".repeat(100_000)), ""),
        ("a parenthesis never closed, then nested whiles", format!("(\n{}", nested(1_200, "while x:")), refused),
        ("a parenthesis never closed, then few nested whiles", format!("(\n{}", nested(120, "while x:")), ""),
        ("digits", format!("x = {}\n", "9".repeat(fits)), "lowered"),
        ("hexadecimal digits", format!("x = 0x{}\n", "f".repeat(fits)), "lowered"),
        ("float digits", format!("x = 1.{}e5\n", "9".repeat(fits)), "lowered"),
        ("an exponent", format!("x = 1e{}\n", "9".repeat(fits)), ""),
        ("string concatenations", format!("x = ({})\n", "'a' ".repeat(fits / 4 - 4)), "lowered"),
        ("f-string concatenations", format!("x = ({})\n", "f'{a}' ".repeat(fits / 7 - 4)), "lowered"),
        ("comments", "#\n".repeat(fits / 2), "lowered"),
        ("one comment", format!("#{}", "a".repeat(fits)), "lowered"),
        ("bad tokens", "$".repeat(fits), ""),
        ("bad lines", "$ ? €\n".repeat(100_000), ""),
        ("closing parentheses", ")".repeat(fits), ""),
        ("colons", ":".repeat(fits), ""),
        ("commas", ",".repeat(fits), ""),
        ("semicolons", ";".repeat(fits), ""),
        ("keywords", "def ".repeat(fits / 4), ""),
        ("broken functions", "def f(\n".repeat(fits / 7), ""),
        ("broken classes", "class\n".repeat(fits / 6), ""),
        ("dots", ".".repeat(fits), ""),
        ("backslashes", "\\\n".repeat(fits / 2), ""),
        ("decorators", format!("{}def f(): pass\n", "@a\n".repeat(fits / 3 - 10)), "lowered"),
        ("indents", (0..1_400).map(|i| format!("{}a\n", " ".repeat(i))).collect(), refused),
        ("a list of 100k entries", format!("x = [{}]\n", "1,".repeat(100_000)), "lowered"),
        ("a dict of 100k entries", format!("x = {{{}}}\n", "1:2,".repeat(100_000)), "lowered"),
        ("a call with 100k arguments", format!("f({})\n", "1,".repeat(100_000)), "lowered"),
        ("a call with 100k keywords", format!("f({})\n", (0..90_000).map(|i| format!("a{i}=1,")).collect::<String>()), "lowered"),
        ("100k targets", format!("{}=x\n", "a,".repeat(100_000)), "lowered"),
        ("100k local names", format!("def f():\n{}", (0..90_000).map(|i| format!(" a{i}=1\n")).collect::<String>()), refused),
        ("100k parameters", format!("def f({}): pass\n", (0..90_000).map(|i| format!("a{i},")).collect::<String>()), refused),
        ("100k loops", "for a in b:c\n".repeat(80_000), refused),
        ("100k functions", "def f():pass\n".repeat(80_000), "lowered"),
        ("100k lambdas in a list", format!("x=[{}]\n", "lambda:1,".repeat(110_000)), "lowered"),
        ("a match with 100k alternatives", format!("match x:\n case {}2: pass\n", "1|".repeat(100_000)), ""),
        (
            "a pattern with 100k names",
            format!("match x:\n case [{}]: pass\n", (0..90_000).map(|i| format!("a{i},")).collect::<String>()),
            refused,
        ),
        (
            "60k captured names",
            {
                let names = |form: &str| (0..30_000).map(|i| form.replace('#', &i.to_string())).collect::<String>();
                format!("def f():\n{} def g():\n{}", names(" a#=1\n"), names("  a#\n"))
            },
            "lowered",
        ),
        (
            "classes with 20k type parameters",
            format!(
                "class C[{}]:\n def f(self):\n{}",
                (0..20_000).map(|i| format!("T{i},")).collect::<String>(),
                (0..20_000).map(|i| format!("  T{i}\n")).collect::<String>()
            ),
            "lowered",
        ),
        ("tries", "try: a\nexcept: b\n".repeat(10_000), "lowered"),
        (
            "returns through withs and finallys",
            format!(
                "def f():\n{}",
                (0..15).map(|i| format!("{0}with a:\n", " ".repeat(i + 1))).collect::<String>()
                    + &format!("{}return\n", " ".repeat(17)).repeat(20_000)
            ),
            "lowered",
        ),
        ("nested patterns", format!("match x:\n case {}a{}: pass\n", "[".repeat(many), "]".repeat(many)), refused),
        ("binary zeros", "\0".repeat(fits), "source error"),
        ("fences", "```\n".repeat(fits / 4), ""),
        ("indented fences", format!("```python\n{}", "   x = (\n".repeat(90_000)), ""),
        ("call trees that double", (0..2_000).map(|i| format!("def f{}(): return f{i}() + f{i}()\n", i + 1)).collect(), "lowered"),
        ("mutual recursion", "def a(): return b()\ndef b(): return a()\na()\n".to_owned(), "lowered"),
        ("doubling", format!("x = 'a'\n{}", "x = x + x\n".repeat(10_000)), "lowered"),
        (
            "a call tree that is walked",
            (0..2_000).map(|i| format!("def f{}(): return f{i}() + f{i}()\n", i + 1)).collect::<String>() + "def f0(): return 1\nf2000()\n",
            "lowered",
        ),
        ("branching recursion", "def f(n):\n return f(n + 1) + f(n + 2) if n else f(1)\nf(1)\n".to_owned(), "lowered"),
        (
            "recursion over the unknown",
            "import m\ndef f(n):\n if m.a: return f(n - 1) + f(n - 2)\n return f(m.b) + f(m.c)\nf(m.d)\n".to_owned(),
            "lowered",
        ),
        ("conditions nobody knows", "import m\nx = 0\n".to_owned() + &"if m.a: x += 1\n".repeat(20_000), "lowered"),
        ("choices nobody knows", "import m\nx = []\n".to_owned() + &"x = x if m.a else [x, x]\n".repeat(20_000), "lowered"),
        ("tuples in tuples", "x = ()\nwhile True:\n x = (x, x)\n".to_owned(), "lowered"),
        ("lists in lists", "x = []\nwhile len(x) < 10 ** 9:\n x = [x]\n".to_owned(), "lowered"),
        ("a list of itself", "x = []\nx.append(x)\ny = str(x) == repr(x)\nz = x == x\n".to_owned(), "lowered"),
        ("two lists of each other", "x = []\ny = [x]\nx.append(y)\nz = x == y\nw = {1: x}\nsorted([x, y])\n".to_owned(), "lowered"),
        ("objects without end", "class C:\n def __init__(self, n): self.n = n\nx = None\nwhile True:\n x = C(x)\n".to_owned(), "lowered"),
        ("closures without end", "f = lambda: 1\nwhile True:\n f = (lambda g: lambda: g())(f)\n".to_owned(), "lowered"),
        (
            "generators in generators",
            "def g(i):\n yield from i\nx = iter([1])\nfor _ in range(10 ** 6):\n x = g(x)\nlist(x)\n".to_owned(),
            "lowered",
        ),
        ("text that doubles", "s = 'ab'\nwhile True:\n s += s\n".to_owned(), "lowered"),
        ("a list that doubles", "s = [1]\nwhile True:\n s += s\n".to_owned(), "lowered"),
        (
            "loops in loops",
            (0..60).map(|i| format!("{}while a{i}:\n", " ".repeat(i))).collect::<String>() + &" ".repeat(61) + "b += 1\n",
            "lowered",
        ),
        (
            "loops in loops over the unknown",
            "import m\n".to_owned()
                + &(0..60).map(|i| format!("{}for a{i} in m.b:\n", " ".repeat(i))).collect::<String>()
                + &" ".repeat(61)
                + "x = [a0]\n",
            "lowered",
        ),
        (
            "exceptions in loops",
            "import m\nwhile True:\n try:\n  m.a()\n finally:\n  try:\n   m.b()\n  except m.c:\n   continue\n".to_owned(),
            "lowered",
        ),
        (
            "many globals and a fork in each",
            (0..5_000).map(|i| format!("g{i} = [{i}]\nif m: g{i}.append(1)\n")).collect::<String>(),
            "lowered",
        ),
        ("50 MB", "x = 1\n".repeat(50 * MIB / 6), refused),
    ]
}

/// Values that lead to themselves, or to one another in more ways than can be walked: how they come to be.
const TANGLES: [(&str, &str); 17] = [
    ("partials of themselves", "import functools\nw = None\nfor f in m():\n    w = functools.partial(f, w)\n"),
    ("partials by name of themselves", "import functools\nw = print\nwhile m():\n    w = functools.partial(w, key=w)\n"),
    (
        "methods of what holds them",
        "class A:\n    def m(self): return self.p\nw = None\nwhile m():\n    a = A()\n    a.p = w\n    w = a.m\n",
    ),
    ("properties of themselves", "w = None\nwhile m():\n    w = property(w, w)\n"),
    ("static methods of themselves", "w = None\nwhile m():\n    w = staticmethod(classmethod(w))\n"),
    ("views of what holds them", "w = {}\nwhile m():\n    w = {1: w}.items()\n"),
    ("iterators of themselves", "w = []\nwhile m():\n    w = map(w, iter([w]))\n"),
    ("caches of themselves", "import functools\ndef w(x): return x\nwhile m():\n    w = functools.lru_cache(w)\n"),
    ("iterators twice in iterators", "w = [1]\nfor i in range(60):\n    w = zip(w, w)\n"),
    ("lists twice in lists", "w = []\nfor i in range(200):\n    w = [w, w]\n"),
    ("dicts twice in dicts", "w = {}\nfor i in range(60):\n    w = {1: w, 2: w}\n"),
    ("tuples twice in tuples", "w = ('a', 1)\nfor i in range(60):\n    w = (w, w)\n"),
    ("exceptions twice in exceptions", "w = ValueError()\nfor i in range(60):\n    w = ValueError(w, w)\n"),
    ("slices twice in slices", "w = None\nfor i in range(60):\n    w = slice(w, w)\n"),
    ("frozen sets twice in frozen sets", "w = frozenset()\nfor i in range(60):\n    w = frozenset([w, (w,)])\n"),
    ("objects twice in objects", "class A:\n    def __init__(self, a): self.a = self.b = a\nw = None\nfor i in range(60):\n    w = A(w)\n"),
    ("partials twice in partials", "import functools\nw = print\nfor i in range(60):\n    w = functools.partial(w, w, w)\n"),
];

/// And what is done with them.
const USES: [&str; 12] = [
    "m(w)\n",
    "w()\nw(w)\n",
    "w == w\nv = [w]\nw in v\nw in w\n",
    "repr(w)\nf'{w}' + '%s' % w\nprint(w)\n",
    "hash(w)\n{w: 1}\n",
    "list(w)\nsum(w)\nsorted([w, w])\nmax(w, w)\n",
    "import copy\ncopy.deepcopy(w)\n",
    "import json\njson.dumps(w)\n",
    "for i in range(3):\n    w = (w, w)\n    m(i)\nm(w)\n",
    "def f():\n    global w\n    w = (w, w)\n    return w\nf()\nm(f)\n",
    "match w:\n    case (a, b): m(a)\n    case {1: x}: m(x)\n",
    "def walk(x):\n    if isinstance(x, (list, tuple)): return sum(walk(y) for y in x)\n    return 1\nwalk(w)\nraise w\n",
];

/// Every tangle in every use, and every tangle compared with another one like it.
fn tangles() -> Vec<(String, String)> {
    let twice = |grown: &str| format!("{grown}v = w\n{grown}v == w\nv != w\nv < w\n");
    let used = TANGLES.iter().flat_map(|(name, grown)| USES.iter().map(move |used| (format!("{name}: {used}"), format!("{grown}{used}"))));
    used.chain(TANGLES.iter().map(|(name, grown)| (format!("two {name}"), twice(grown)))).collect()
}

fn assert_answers<N: AsRef<str>>(cases: &[(N, String, &str)]) {
    let mut failures = Vec::new();
    for (name, input, expected) in cases {
        let name = name.as_ref();
        match answer(name, input.as_bytes()) {
            Ok(answer) if answer.starts_with(expected) => {}
            Ok(answer) => failures.push(format!("{name}: `{answer}` instead of `{expected}`")),
            Err(failure) => failures.push(failure),
        }
    }
    assert!(failures.is_empty(), "{}", failures.join("\n"));
}

#[test]
fn hostile_inputs_get_an_answer() {
    assert_answers(&cases());
}

#[test]
fn values_that_cannot_be_walked_get_an_answer() {
    assert_answers(&tangles().into_iter().map(|(name, input)| (name, input, "lowered")).collect::<Vec<_>>());
}
