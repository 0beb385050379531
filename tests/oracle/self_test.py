#!/usr/bin/env python3
"""The enumerator against what can be counted or seen by hand: how many schedules independent threads
have, with and without its memory of states, and the violations, flips and ends of programs small
enough to know.

self_test.py --build DIR
"""
import argparse
import functools
import json
import os
import sys
import tempfile

import run

HEAD = """#include <assert.h>
#include <pthread.h>
#include <semaphore.h>
#include <stdatomic.h>
#include <stdlib.h>
static int x, y, *p, at[2];
static const int table[2] = {3, 4};
static atomic_int a;
static int one(int v) { return v + 1; }
static int two(int v) { return v + 2; }
static int (*fp)(int) = one;
static pthread_mutex_t m = PTHREAD_MUTEX_INITIALIZER, n = PTHREAD_MUTEX_INITIALIZER;
static pthread_cond_t c = PTHREAD_COND_INITIALIZER;
static sem_t sem;
"""
# Two threads, f and g, which main() starts and joins; lines are named by comments at their ends.
MAIN = """
int main(void)
{
	pthread_t t, u;
	%s
	pthread_create(&t, NULL, f, NULL);
	pthread_create(&u, NULL, g, NULL);
	pthread_join(t, NULL);
	pthread_join(u, NULL);
	%s
	return 0;
}
"""

KNOWN = [
    ("a race, and a lost update that main() sees", "",
     "x = x + 1; /*A*/", "x = x + 1; /*B*/", "assert(x == 2); /*C*/",
     {"race A B", "assert C"}),
    ("the same under a lock", "",
     "pthread_mutex_lock(&m);\nx = x + 1;\npthread_mutex_unlock(&m);",
     "pthread_mutex_lock(&m);\nx = x + 1;\npthread_mutex_unlock(&m);", "assert(x == 2);", set()),
    ("two locks in two orders", "",
     "pthread_mutex_lock(&m);\npthread_mutex_lock(&n); /*A*/\n"
     "pthread_mutex_unlock(&n);\npthread_mutex_unlock(&m);",
     "pthread_mutex_lock(&n);\npthread_mutex_lock(&m); /*B*/\n"
     "pthread_mutex_unlock(&m);\npthread_mutex_unlock(&n);", "", {"deadlock A B"}),
    ("a free too early", "p = calloc(1, sizeof *p);",
     "pthread_mutex_lock(&m);\nx = *p; /*A*/\npthread_mutex_unlock(&m);",
     "pthread_mutex_lock(&m);\nfree(p); /*F*/\npthread_mutex_unlock(&m);", "",
     {"use-after-free A F"}),
    ("a pointer that is not there yet", "",
     "pthread_mutex_lock(&m);\np = malloc(sizeof *p);\n*p = 1; /*P*/\npthread_mutex_unlock(&m);",
     "pthread_mutex_lock(&m);\ny = *p; /*A*/\npthread_mutex_unlock(&m);", "", {"null A"}),
    ("a division under another schedule", "",
     "pthread_mutex_lock(&m);\nx = 1;\npthread_mutex_unlock(&m);",
     "pthread_mutex_lock(&m);\ny = 12 / x; /*A*/\npthread_mutex_unlock(&m);", "", {"division A"}),
    ("only along the recorded path", "", # g would fail only if it did not see x == 1
     "pthread_mutex_lock(&m);\nx = 1;\npthread_mutex_unlock(&m);",
     "pthread_mutex_lock(&m);\nif (!x)\n\tabort(); /*B*/\npthread_mutex_unlock(&m);", "",
     {"assert L"}),
    ("a thread that left its path does not end", "",
     "pthread_mutex_lock(&m);\nx = 1;\npthread_mutex_unlock(&m);",
     "int v;\npthread_mutex_lock(&m);\nv = x;\npthread_mutex_unlock(&m);\nif (v)\n\ty = 1;",
     "assert(!x || y);",
     set()), # g came second in the recorded run, or that would have failed
    ("a signal that nobody waits for yet", "",
     "pthread_mutex_lock(&m);\nif (x == 0)\n\tpthread_cond_wait(&c, &m);\npthread_mutex_unlock(&m);",
     "pthread_mutex_lock(&m);\nx = 1;\npthread_cond_signal(&c);\npthread_mutex_unlock(&m);", "", set()),
    ("one semaphore for two", "sem_init(&sem, 0, 1);",
     "sem_wait(&sem);\nsem_post(&sem);", "sem_wait(&sem);\nsem_post(&sem);", "", set()),
    ("a try that failed once cannot succeed", "", # main holds nothing: both tries succeed
     "if (pthread_mutex_trylock(&m) == 0) {\n\tx = 1;\n\tpthread_mutex_unlock(&m);\n}",
     "if (pthread_mutex_trylock(&m) == 0) {\n\tx = 2;\n\tpthread_mutex_unlock(&m);\n}", "", set()),
]

LOCKED = "pthread_mutex_lock(&m);\n%s\npthread_mutex_unlock(&m);"

# Decisions that another schedule changes, whatever the recorded one was.
FLIPS = [
    ("an if on what the other writes", "",
     "x = 1;", "if (x) /*A*/\n\ty = 1;", "", {"branch A"}),
    ("the same after the write, before it, and on its own data", "x = 1;",
     "if (x) /*A*/\n\ty = 1;", "int v = 2;\nif (v) /*B*/\n\tv = 3;", "if (y) /*C*/\n\tx = 2;", set()),
    ("an if behind one that decides the same way", "",
     LOCKED % "x = 1;", LOCKED % "if (x) { /*A*/\n\tif (x != 0) /*B*/\n\t\ty = 1;\n}", "",
     {"branch A"}),
    ("a switch", "", "x = 2;", "switch (x) { /*A*/\ncase 0: y = 1; break;\ncase 2: y = 2; break;\n}",
     "", {"branch A"}),
    ("a switch whose cases the values are not", "",
     "x = 2;", "switch (x) { /*A*/\ncase 5: y = 1; break;\n}", "", set()),
    ("an index, a pointer, a function", "p = &x;",
     "y = 1; p = &y; fp = two;", "x = at[y]; /*A*/\nx = *p; /*B*/\nx = fp(1); /*C*/", "",
     {"dereference A", "dereference B", "call C"}),
    ("an index into what nobody writes", "", "x = 1;", "y = table[x]; /*A*/", "", {"dereference A"}),
    ("a divisor that may be zero, one that may not", "x = 1;",
     "x = 2;", "y = 12 / x; /*A*/\ny = 12 / (x - 1); /*B*/", "", {"divisor B"}),
    ("an assertion", "", "x = 1;", "assert(x < 1 || y == 0); /*A*/", "assert(x == 1); /*B*/", {"branch A"}),
    ("tries for a lock that the other takes", "",
     "if (pthread_mutex_trylock(&m) == 0) { /*A*/\n\tx = 1;\n\tpthread_mutex_unlock(&m);\n}",
     LOCKED % "y = 1;", "", {"try A"}),
]

# Every interleaving: how it can end, and what goes wrong.
ALL = [
    ("a lost update", "", "x = x + 1;", "x = x + 1;", "assert(x == 2); /*A*/", {"assert A"}, {(2, 0)}),
    ("updates under a lock", "", LOCKED % "x = x + 1;", LOCKED % "x = x + 2;", "", set(), {(3, 0)}),
    ("two orders", "", LOCKED % "x = x + 1;", LOCKED % "x = x * 2;", "", set(), {(2, 0), (1, 0)}),
    ("a failure behind a branch", "",
     LOCKED % "if (y == 1)\n\tassert(x == 0); /*A*/", "x = 1;\ny = 1;", "", {"assert A"}, {(1, 1)}),
    ("no failure there", "",
     "if (y == 1)\n\tassert(x == 1);", "atomic_store(&a, 1);\nx = 1;", "", set(), {(1, 0)}),
    ("a loop that waits, and what was handed over", "",
     "while (!atomic_load(&a))\n\t;\ny = x;", "x = 3;\natomic_store(&a, 1);", "", set(), {(3, 3)}),
    ("the flag too early", "", "while (!atomic_load(&a))\n\t;\ny = x;",
     "atomic_store(&a, 1);\nx = 3;", "", set(), {(3, 3), (3, 0)}),
    ("two locks in two orders", "",
     "pthread_mutex_lock(&m);\npthread_mutex_lock(&n); /*A*/\n"
     "pthread_mutex_unlock(&n);\npthread_mutex_unlock(&m);",
     "pthread_mutex_lock(&n);\npthread_mutex_lock(&m); /*B*/\n"
     "pthread_mutex_unlock(&m);\npthread_mutex_unlock(&n);", "", {"deadlock A B"}, {(0, 0)}),
    ("a lost wake-up behind a branch", "",
     "if (x)\n\t{ " + (LOCKED % "pthread_cond_wait(&c, &m); /*A*/").replace("\n", "\n\t") + " }",
     "x = 1;\n" + LOCKED % "pthread_cond_signal(&c);", "", {"stuck A"}, {(1, 0)}),
    ("a semaphore that is taken once too often", "sem_init(&sem, 0, 1);",
     "sem_wait(&sem); /*A*/\nx = 1;\nsem_post(&sem);", "sem_wait(&sem);\ny = x;", "", {"stuck A"},
     {(1, 1)}),
    ("tries", "",
     "if (pthread_mutex_trylock(&m) == 0) {\n\tx = 1;\n\tpthread_mutex_unlock(&m);\n}",
     LOCKED % "y = 1;", "", set(), {(0, 1), (1, 1)}),
    ("a division, a null pointer", "x = 1;",
     "x = 0;\nx = 2;", "y = 12 / x; /*A*/\nif (y == 6)\n\ty = *p; /*B*/", "", {"division A", "null B"},
     {(2, 12)}),
    ("a function that is called", "", "fp = two;", "y = fp(1);", "", set(), {(0, 2), (0, 3)}),
]


def program(setup, f, g, end):
    out = HEAD
    for name, body in (("f", f), ("g", g)):
        body = "\n".join("\t" + line for line in body.split("\n"))
        out += "static void *%s(void *arg)\n{\n%s\n\treturn arg;\n}\n" % (name, body)
    return out + MAIN % (setup, end)


def named(text, want):
    """Kinds, and the lines that the names stand for."""
    return {(w.split()[0], tuple(sorted(line_of(text, k) for k in w.split()[1:]))) for w in want}


def line_of(text, name):
    if name == "L": # the branch in front of the marked line
        return line_of(text, "B") - 1
    for i, line in enumerate(text.split("\n")):
        if "/*%s*/" % name in line:
            return i + 1
    raise KeyError(name)


def schedules(a, b):
    """Of threads with a and b points, none of which concerns the other; main() has create, create,
    join, join."""
    @functools.lru_cache(None)
    def count(main, i, j):
        if main == 4:
            return 1
        n = 0
        if main != 2 and main != 3 or (main == 2 and i == a) or (main == 3 and j == b):
            n += count(main + 1, i, j)
        if main >= 1 and i < a:
            n += count(main, i + 1, j)
        if main >= 2 and j < b:
            n += count(main, i, j + 1)
        return n
    return count(0, 0, 0)


class Test:
    def __init__(self, build):
        self.oracle = run.Oracle(os.path.abspath(build))
        self.n = self.failed = 0

    def check(self, good, name, why=""):
        self.n += 1
        self.failed += not good
        print("%s %d - %s" % ("ok" if good else "not ok", self.n, name))
        if not good:
            print("".join("# %s\n" % line for line in str(why).split("\n")), end="")

    def enumerate(self, text, *options):
        with tempfile.TemporaryDirectory(prefix="oracle.") as folder:
            if "--all" in options: # however that run ends
                words, trace = self.oracle.build(text, folder), os.path.join(folder, "prog.trace")
                run.run([self.oracle.heddle, "record", "-o", trace, "--", *words], 5)
            else:
                words, trace = self.oracle.record(text, folder, 50)
            rc, out, err = run.run([self.oracle.enumerate, *options, words[0], trace])
            if rc:
                raise AssertionError("enumerate: status %s: %s" % (rc, err))
            return json.loads(out)

    def count(self, a, b):
        text = program("", "\n".join("x = %d;" % k for k in range(a)),
                       "\n".join("y = %d;" % k for k in range(b)), "")
        for options in ((), ("--every",), ("--all",)):
            got = int(self.enumerate(text, *options)["schedules"])
            self.check(got == schedules(a, b), "threads of %d and %d points %s" % (
                a, b, " ".join(options)), "%d schedules, not %d" % (got, schedules(a, b)))

    def known(self, name, setup, f, g, end, want):
        text = program(setup, f, g, end)
        want = named(text, want)
        found = self.enumerate(text)["violations"]
        got = {(v["kind"], tuple(v["lines"])) for v in found}
        self.check(got == want, name, "expected %s\ngot %s" % (sorted(want), sorted(got)))

    def flips(self, name, setup, f, g, end, want):
        text = program(setup, f, g, end)
        want = named(text, want)
        got = {(v["what"], (v["line"],)) for v in self.enumerate(text)["flips"]}
        self.check(got == want, "flips: " + name, "expected %s\ngot %s" % (sorted(want), sorted(got)))

    def all(self, name, setup, f, g, end, want, ends):
        text = program(setup, f, g, end)
        want = named(text, want)
        found = self.enumerate(text, "--all")
        got = {(v["kind"], tuple(v["lines"])) for v in found["violations"]}
        finals = {tuple(int.from_bytes(bytes.fromhex(e["globals"].get(v, "")), "little") for v in "xy")
                  for e in found["finals"]}
        self.check(got == want and finals == ends, "all: " + name,
                   "expected %s %s\ngot %s %s" % (sorted(want), ends, sorted(got), sorted(finals)))


def main():
    ap = argparse.ArgumentParser(description=__doc__,
                                 formatter_class=argparse.RawDescriptionHelpFormatter)
    ap.add_argument("--build", required=True)
    t = Test(ap.parse_args().build)
    for a, b in ((1, 1), (2, 3), (4, 4)):
        t.count(a, b)
    for k in KNOWN:
        t.known(*k)
    for k in FLIPS:
        t.flips(*k)
    for k in ALL:
        t.all(*k)
    print("1..%d" % t.n)
    return 1 if t.failed else 0


if __name__ == "__main__":
    sys.exit(main())
