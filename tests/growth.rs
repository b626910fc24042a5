//! Twice the program is at most about twice the work, counted in fuel, so that no shape of program stalls the gate long before
//! its size is bounded.

use std::fmt::Write as _;

use antifreeze::eval::Settings;
use antifreeze::rules::Profile;
use antifreeze::source::Source;
use antifreeze::verdict;

/// Most that a program of twice the size may cost, as a multiple.
const GROWTH: f64 = 2.3;

/// Doublings that are measured.
const DOUBLINGS: u32 = 3;

struct Family {
    name: &'static str,
    /// The smallest size.
    start: usize,
    program: fn(usize) -> String,
}

/// `line` once for each number.
fn repeat(n: usize, line: impl Fn(usize) -> String) -> String {
    (0..n).map(|i| line(i) + "\n").collect()
}

/// `lines` nested in each other, with `inner` in the middle.
fn nest(n: usize, line: impl Fn(usize) -> String, inner: &str) -> String {
    let mut text = String::new();
    for i in 0..n {
        let _ = writeln!(text, "{}{}", " ".repeat(i), line(i));
    }
    text + &" ".repeat(n) + inner + "\n"
}

const FAMILIES: &[Family] = &[
    Family { name: "statements", start: 500, program: |n| repeat(n, |i| format!("x{i} = {i} + 1")) },
    Family { name: "one variable", start: 500, program: |n| "x = 0\n".to_owned() + &repeat(n, |i| format!("x += {i}")) },
    Family {
        name: "called functions",
        start: 100,
        program: |n| repeat(n, |i| format!("def f{i}(x):\n    return x + {i}\ny{i} = f{i}(1)")),
    },
    Family { name: "uncalled functions", start: 100, program: |n| repeat(n, |i| format!("def f{i}(x):\n    return x + {i}")) },
    Family {
        name: "functions that call the one before",
        start: 8,
        program: |n| {
            "def f0(x):\n    return x\n".to_owned()
                + &repeat(n, |i| format!("def f{}(x):\n    return f{i}(x) + 1", i + 1))
                + &format!("f{n}(1)\n")
        },
    },
    Family {
        name: "functions that call the one before twice",
        start: 8,
        program: |n| {
            "def f0(x):\n    return x\n".to_owned()
                + &repeat(n, |i| format!("def f{}(x):\n    return f{i}(x) + f{i}(x)", i + 1))
                + &format!("f{n}(1)\n")
        },
    },
    Family {
        name: "branches on what is unknown",
        start: 100,
        program: |n| "x = 0\n".to_owned() + &repeat(n, |i| format!("if given{i}:\n    x += 1\nelse:\n    x -= 1")),
    },
    Family { name: "nested branches", start: 10, program: |n| nest(n, |i| format!("if given{i}:"), "x = 1") },
    Family {
        name: "loops with unknown conditions",
        start: 20,
        program: |n| "x = 0\n".to_owned() + &repeat(n, |i| format!("while given{i}():\n    x += 1")),
    },
    Family {
        name: "loops over what is unknown",
        start: 20,
        program: |n| "x = 0\n".to_owned() + &repeat(n, |i| format!("for y in given{i}:\n    x += 1")),
    },
    Family { name: "a loop with more iterations", start: 200, program: |n| format!("x = 0\nfor i in range({n}):\n    x += i\n") },
    Family {
        name: "a loop with a longer body",
        start: 50,
        program: |n| "for i in given:\n".to_owned() + &repeat(n, |i| format!("    x{i} = i")),
    },
    Family {
        name: "classes",
        start: 50,
        program: |n| repeat(n, |i| format!("class C{i}:\n    def m(self):\n        return {i}\nx{i} = C{i}().m()")),
    },
    Family {
        name: "a hierarchy",
        start: 10,
        program: |n| {
            "class C0:\n    def m(self):\n        return 1\n".to_owned()
                + &repeat(n, |i| format!("class C{}(C{i}):\n    pass", i + 1))
                + &format!("x = C{n}().m()\n")
        },
    },
    Family { name: "a list", start: 1000, program: |n| format!("x = [{}]\n", "1, ".repeat(n)) },
    Family { name: "a dict", start: 1000, program: |n| format!("x = {{{}}}\n", repeat(n, |i| format!("{i}: {i},")).replace('\n', " ")) },
    Family { name: "a long expression", start: 50, program: |n| format!("x = 1{}\n", " + 1".repeat(n)) },
    Family { name: "a growing string", start: 100, program: |n| "x = ''\n".to_owned() + &repeat(n, |i| format!("x += '{}'", i % 10)) },
    Family { name: "a list appended to", start: 100, program: |n| "x = []\n".to_owned() + &repeat(n, |i| format!("x.append({i})")) },
    Family {
        name: "exceptions",
        start: 50,
        program: |n| repeat(n, |i| format!("try:\n    x = given{i}()\nexcept ValueError:\n    x = {i}\nfinally:\n    y = x")),
    },
    Family {
        name: "generators",
        start: 50,
        program: |n| repeat(n, |i| format!("def g{i}():\n    yield {i}\n    yield 2\nx{i} = list(g{i}())")),
    },
    Family { name: "comprehensions", start: 50, program: |n| repeat(n, |i| format!("x{i} = [y * y for y in range(10)]")) },
    Family {
        name: "matches",
        start: 50,
        program: |n| repeat(n, |i| format!("match given{i}:\n    case [a, b]:\n        x = a\n    case _:\n        x = 0")),
    },
];

fn fuel(text: String) -> (u64, bool) {
    let source = Source::from_text("growth.py", &text).expect("the programs are text");
    let checked = verdict::check(source, &Settings::default(), Profile::Agent);
    assert!(checked.verdict.findings.iter().all(|finding| finding.code != "AF901"), "{text}");
    (checked.facts.fuel_spent, checked.facts.coverage.out_of_fuel)
}

#[test]
fn twice_the_program_is_about_twice_the_work() {
    let mut failures = String::new();
    for family in FAMILIES {
        let spent: Vec<(u64, bool)> = (0..=DOUBLINGS).map(|k| fuel((family.program)(family.start << k))).collect();
        let ratios: Vec<f64> = spent.windows(2).map(|pair| pair[1].0 as f64 / pair[0].0 as f64).collect();
        if spent.iter().any(|(fuel, out)| *out || *fuel == 0) {
            let _ = writeln!(failures, "{}: out of fuel, {spent:?}", family.name);
        } else if ratios.iter().any(|ratio| *ratio > GROWTH) {
            let _ = writeln!(failures, "{}: {spent:?} grows by {ratios:.2?}", family.name);
        }
    }
    assert!(failures.is_empty(), "{failures}");
}
