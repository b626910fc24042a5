"""Plants one deliberate error at a time in a copy of the tree, and asks the soundness check to find it.

    python3 tests/soundness/mutants.py [NAME…]       ANTIFREEZE_SOAK as for the check itself

Each is a replacement that must fit exactly once; a mutant that survives, or no longer fits, fails the run.
"""
import os, pathlib, shutil, subprocess, sys

ROOT = pathlib.Path(__file__).resolve().parents[2]
MUTANTS = {
    "range-end-off-by-one": ("src/eval/iteration.rs", "(step > 0 && at >= stop)", "(step > 0 && at > stop)"),
    "join-keeps-the-left": ("src/value/store.rs", "let joined = join(a, b, widen, &mut escapes);\n            if joined != *a", "let joined = a.clone();\n            if joined != *a"),
    "possible-write-is-certain": ("src/value/store.rs", "slot.obj = join_obj(&slot.obj, &copy, false, &mut escapes);", "slot.obj = copy;"),
    "max-is-min": ("src/library/builtins/order.rs", "Some(true) => next,\n        Some(false) => best,", "Some(true) => best,\n        Some(false) => next,"),
    "bool-join-is-true": ("src/value/store.rs", "V::Bool(_) | V::AnyBool(_)) => V::AnyBool(why()),", "V::Bool(_) | V::AnyBool(_)) => V::Bool(true),"),
    "tail-of-a-join-certain": ("src/value/store.rs", "(Some(r), None) => Some(Rest { low: 0, ..r.clone() }),", "(Some(r), None) => Some(r.clone()),"),
    "raise-ends-a-loop-never": ("src/eval/iteration.rs", "Some(true) => may_end = true,", "Some(true) => {}"),
    "yield-from-is-certain": ("src/eval/step.rs", "Ok(Flow::YieldLost)", "Ok(Flow::YieldAgain(V::Unknown(Why::Lost)))"),
    "generator-forgets-its-end": ("src/eval/iteration.rs", "if may_be_done { Next::Maybe(v) } else { Next::Item(v) }", "Next::Item(v)"),
    "sum-forgets-the-start": ("src/library/builtins/order.rs", "let mut total = start;", "let mut total = V::Int(0);"),
}


def main():
    wanted = sys.argv[1:] or list(MUTANTS)
    copy = ROOT / "target" / "mutants"
    survivors = []
    for name in wanted:
        file, old, new = MUTANTS[name]
        shutil.rmtree(copy / "src", ignore_errors=True)
        for part in ("src", "tests", "rules", "snapshots", "examples", "benches"):
            if (ROOT / part).is_dir():
                shutil.copytree(ROOT / part, copy / part, dirs_exist_ok=True)
        for part in ("Cargo.toml", "Cargo.lock", "README.md", "build.rs"):
            shutil.copy(ROOT / part, copy / part)
        text = (copy / file).read_text()
        if text.count(old) != 1:
            survivors.append(name)
            print(f"{name}: fits {text.count(old)} times in {file}", flush=True)
            continue
        (copy / file).write_text(text.replace(old, new))
        env = {**os.environ, "ANTIFREEZE_SHRINK": "1", "CARGO_TARGET_DIR": str(copy / "target")}
        build = subprocess.run(["cargo", "test", "--test", "soundness", "--no-run"], cwd=copy, env=env, capture_output=True, text=True)
        if build.returncode:
            survivors.append(name)
            print(f"{name}: does not build\n{build.stderr[-2000:]}", flush=True)
            continue
        run = subprocess.run(["cargo", "test", "--test", "soundness", "random_programs", "--", "--nocapture"], cwd=copy, env=env, capture_output=True, text=True)
        said = [line for line in run.stderr.splitlines() if line.startswith(("random programs:", "---"))]
        caught = run.returncode != 0 and any("something untrue" in line for line in said)
        if not caught:
            survivors.append(name)
        print(f"{name}: {'caught' if caught else 'SURVIVED'}: {said[1][:200] if len(said) > 1 else said}", flush=True)
    sys.exit(f"not caught: {survivors}" if survivors else 0)


main()
