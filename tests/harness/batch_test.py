#!/usr/bin/env python3
"""Batches of programs (batch.py, oracle.py): every generator's programs compile together, and a difference is
reported for the right seed, whether the program shows it alone or in its batch only.

batch_test.py
"""
import os
import subprocess
import sys
import tempfile

TESTS = os.path.dirname(os.path.dirname(os.path.abspath(__file__)))
sys.path[:0] = [TESTS, *(os.path.join(TESTS, name) for name in ("oracle", "explore", "cover", "cross"))]
import gen
import gen_cover
import gen_explore
import scenarios
from harness import batch, oracle

COUNT = 120 # programs of each generator

NAMES = """#include <pthread.h>
/* int comment; */
struct pair { int first, second; };
enum { RED, GREEN = 2 };
typedef int number;
static int x, *y = &x, z[2] = {1, 2};
static int one(int v) { int local = v; return local; }
static int (*fp)(int) = one;
static int (*const table[2])(int) = {one, one};
static __attribute__((noinline)) void *f(void *arg)
{
	struct pair p = {.first = x};
	return p.second ? arg : NULL;
}
"""


class Program:
    """Loses its statement if it is reduced."""

    def __init__(self, seed, statement="x = 1;"):
        self.seed, self.statement = seed, statement

    def text(self):
        return "/* seed %d; flags: -O%d */\nint x;\nint main(void) { %s return 0; }\n" % (
            self.seed, self.seed % 2, self.statement)

    def reduced(self):
        return [Program(self.seed, "")] if self.statement else []


class Planted(oracle.Oracle):
    """A difference of seed 7 always, of seed 8 in a batch only; seed 9 must be reduced; seed 10 is not complete; seed 11
    cannot be compared at all."""
    name = "planted"

    def __init__(self):
        super().__init__(".")
        self.compiled = []

    def compile(self, text, folder):
        self.compiled.append(text)
        with open(os.path.join(folder, "prog.c"), "w") as f:
            f.write(text)
        return os.path.join(folder, "prog")

    def difference(self, text, folder):
        words = self.build(text, folder)
        if "seed 7;" in text or "seed 8;" in text and len(words) > 1:
            return "wrong"
        if "seed 10;" in text:
            raise oracle.Incomplete("a planted reason")
        if "seed 11;" in text or "seed 9;" in text and "x = 1" in text:
            raise oracle.Skip("too large")
        return ""


class Fragile(Planted):
    """Only its batches do not compile."""

    def compile(self, text, folder):
        if "#line" in text:
            raise oracle.Wrong("heddle-cc: planted")
        return super().compile(text, folder)


def broken_batch():
    with oracle.concurrent.futures.ThreadPoolExecutor(1) as pool:
        got = [r.wrong for r in oracle.compare_seeds(pool, Fragile(), Program, (2, 4, 5), False)]
    return "" if got == ["only in a batch: heddle-cc: planted", "", ""] else "differences: %s" % got


def compile_together(generate):
    text = batch.combined([generate(seed) for seed in range(1, COUNT + 1)])
    r = subprocess.run(["cc", "-fsyntax-only", "-w", "-I" + oracle.INCLUDE, "-xc", "-"], input=text.encode(),
                       stderr=subprocess.PIPE)
    return r.stderr.decode()[:500] if r.returncode else ""


def run_natively():
    """The number of arguments selects the program, and each has variables of its own."""
    texts = ["static int x = %d;\nint main(void) { return x++; }\n" % i for i in range(3)]
    with tempfile.TemporaryDirectory(prefix="batch.") as folder:
        exe = os.path.join(folder, "prog")
        subprocess.run(["cc", "-xc", "-", "-o", exe], input=batch.combined(texts).encode(), check=True)
        got = [subprocess.run([exe, *batch.arguments(i)]).returncode for i in range(4)]
    return "" if got == [0, 1, 2, 99] else "exit codes %s" % got


def names_of_file_scope():
    want = {"pair", "RED", "GREEN", "number", "x", "y", "z", "one", "fp", "table", "f"}
    got = batch.file_scope_names(NAMES)
    return "" if got == want else "found %s" % sorted(got)


def planted():
    twin = Planted()
    with oracle.concurrent.futures.ThreadPoolExecutor(2) as pool:
        results = {r.name: r for r in oracle.compare_seeds(pool, twin, Program, range(1, 61), False)}
    wrong = {name: r.wrong for name, r in results.items() if r.wrong}
    out = []
    if wrong != {"seed 7": "wrong", "seed 8": "only in a batch, with 4 arguments: wrong"}:
        out.append("differences: %s" % wrong)
    elif "seed 8;" not in results["seed 8"].text or "seed 6;" not in results["seed 8"].text:
        out.append("the batch of seed 8 is not shown")
    if results.get("seed 9, reduced", oracle.Result("", "")).reduced != "too large":
        out.append("seed 9 is not reduced")
    if {n: r.skipped for n, r in results.items() if r.skipped} != {
            "seed 10": "a planted reason", "seed 11": "too large"}:
        out.append("programs that are not compared")
    if len(results) != 60 or list(results)[0] != "seed 1" or twin.batched:
        out.append("%d results, from %s on" % (len(results), list(results)[0]))
    for seed in (20, 40, 60):
        if Program(seed).text() not in twin.compiled:
            out.append("seed %d is not compiled alone" % seed)
    if len(twin.compiled) > 20:
        out.append("%d compilations" % len(twin.compiled))
    return "\n".join(out)


def main():
    checks = [("names of file scope", names_of_file_scope), ("the program is selected", run_natively),
              ("differences in batches", planted), ("a batch that does not compile", broken_batch)]
    generators = {"oracle " + mode: lambda seed, m=mode: gen.generate(seed, m).text() for mode in gen.FEATURES}
    generators |= {"explore " + mode: lambda seed, m=mode: gen_explore.generate(seed, m).text()
                   for mode in gen_explore.MODES}
    generators |= {"cover": lambda seed: gen_cover.Generator(seed).text(), "cross": lambda seed: scenarios.program(seed)[1]}
    checks += [("programs of %s compile together" % name, lambda g=g: compile_together(g))
               for name, g in generators.items()]
    failed = 0
    for n, (name, check) in enumerate(checks, 1):
        why = check()
        failed += bool(why)
        print("%s %d - %s" % ("not ok" if why else "ok", n, name))
        print("".join("# %s\n" % line for line in why.split("\n") if line), end="")
    print("1..%d" % len(checks))
    return 1 if failed else 0


if __name__ == "__main__":
    sys.exit(main())
