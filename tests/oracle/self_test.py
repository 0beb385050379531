#!/usr/bin/env python3
"""The enumerator against what can be counted or seen by hand: how many schedules independent threads
have, with and without its memory of states, and the violations of programs small enough to know.

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
#include <stdlib.h>
static int x, y, *p;
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


def program(setup, f, g, end):
    out = HEAD
    for name, body in (("f", f), ("g", g)):
        body = "\n".join("\t" + line for line in body.split("\n"))
        out += "static void *%s(void *arg)\n{\n%s\n\treturn arg;\n}\n" % (name, body)
    return out + MAIN % (setup, end)


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
            exe, trace = self.oracle.record(text, folder, 50)
            rc, out, err = run.run([self.oracle.enumerate, *options, exe, trace])
            if rc:
                raise AssertionError("enumerate: status %s: %s" % (rc, err))
            return json.loads(out)

    def count(self, a, b):
        text = program("", "\n".join("x = %d;" % k for k in range(a)),
                       "\n".join("y = %d;" % k for k in range(b)), "")
        for options in ((), ("--every",)):
            got = int(self.enumerate(text, *options)["schedules"])
            self.check(got == schedules(a, b), "threads of %d and %d points %s" % (
                a, b, " ".join(options)), "%d schedules, not %d" % (got, schedules(a, b)))

    def known(self, name, setup, f, g, end, want):
        text = program(setup, f, g, end)
        want = {(w.split()[0], tuple(sorted(line_of(text, k) for k in w.split()[1:])))
                for w in want}
        found = self.enumerate(text)["violations"]
        got = {(v["kind"], tuple(v["lines"])) for v in found}
        self.check(got == want, name, "expected %s\ngot %s" % (sorted(want), sorted(got)))


def main():
    ap = argparse.ArgumentParser(description=__doc__,
                                 formatter_class=argparse.RawDescriptionHelpFormatter)
    ap.add_argument("--build", required=True)
    t = Test(ap.parse_args().build)
    for a, b in ((1, 1), (2, 3), (4, 4)):
        t.count(a, b)
    for k in KNOWN:
        t.known(*k)
    print("1..%d" % t.n)
    return 1 if t.failed else 0


if __name__ == "__main__":
    sys.exit(main())
