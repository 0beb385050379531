#!/usr/bin/env python3
"""Random pthread programs in C, from a seed: the same seed and options give the same program.

gen.py [--seed N] [--only A,B] [--without A,B] [--threads N] [--size N] [--list] [-o FILE]

Every program ends, whatever the schedule, and its behaviour is defined, but for data races on plain
integers if feature `race` is among its own (and for what a signal handler may touch). The last line
that it prints is `det HEX`: a checksum of everything that does not depend on the schedule. `mix HEX`
stands before it and may differ from run to run.

Each program has a random choice of the features in FEATURES (--only and --without change it), so
that combinations of few of them come up as well as of many. The parts that it is put together from
are in gen_parts.py (what one thread does) and gen_rounds.py (what threads do together).

The shape of a program:
 - main() sets up tables and locks, works a little, and starts one group of threads after another
 - the threads of a group go through the same rounds in the same order; a round is work of each for
   itself, or a meeting: barrier, gate, queue, ring of semaphores
 - locks are held only across code that does not wait, or taken in a fixed order
A struct ctx travels with each thread: c->det holds what does not depend on the schedule, c->mix what
may.
"""
import argparse
import random
import sys

import gen_parts
import gen_rounds

FEATURES = {**gen_parts.PARTS, **gen_rounds.ROUNDS}

PRELUDE = """\
#include <alloca.h>
#include <errno.h>
#include <fcntl.h>
#include <math.h>
#include <pthread.h>
#include <sched.h>
#include <semaphore.h>
#include <setjmp.h>
#include <signal.h>
#include <stdarg.h>
#include <stdatomic.h>
#include <stdint.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <time.h>
#include <unistd.h>

typedef uint32_t u32;
typedef uint64_t u64;

struct ctx {
	u64 det, mix; /* what does not depend on the schedule, and what may */
	u32 id, depth;
	double d;
};

#define NOINLINE __attribute__((noinline))
#define CHECK(e) ((e) ? (void)0 : (fprintf(stderr, "line %d: %s\\n", __LINE__, #e), abort()))

static u64 hash(u64 x)
{
	x ^= x >> 31;
	x *= 0x9e3779b97f4a7c15u;
	return x ^ x >> 29;
}

static u64 bits_of(double d)
{
	u64 u;

	memcpy(&u, &d, sizeof u);
	return u;
}

static pthread_mutex_t total_lock = PTHREAD_MUTEX_INITIALIZER;
static pthread_cond_t total_changed = PTHREAD_COND_INITIALIZER;
static u64 total_det, total_mix;
static int detached; /* threads that nobody joins and that still run */

static void add_up(const struct ctx *c)
{
	pthread_mutex_lock(&total_lock);
	total_det += hash(c->det + c->id) + bits_of(c->d) % 1021;
	total_mix ^= hash(c->mix);
	pthread_mutex_unlock(&total_lock);
}
"""


class Gen:
    """The program as it grows: declarations, set-up code in main, and a counter for names."""

    def __init__(self, seed, only=None, without=(), threads=8, size=6):
        self.rng = random.Random(seed)
        self.threads, self.size = threads, size
        self.decls, self.setup, self.finish = [], [], []
        self.names = 0
        self.shared = {}
        self.depth = 0
        names = sorted(FEATURES)
        if only is not None:
            self.features = [n for n in names if n in only]
        else:
            share = self.rng.choice((0.15, 0.3, 0.6, 1.0))
            self.features = [n for n in names if self.rng.random() < share and n not in without]
        self.parts = [gen_parts.PARTS[n] for n in self.features if n in gen_parts.PARTS] or \
            [gen_parts.PARTS["arith"]]
        self.rounds = [gen_rounds.ROUNDS[n] for n in self.features if n in gen_rounds.ROUNDS]

    # ---- small choices

    def has(self, name):
        return name in self.features

    def name(self, stem):
        self.names += 1
        return "%s%d" % (stem, self.names)

    def pick(self, *choices):
        return self.rng.choice(choices)

    def num(self, lo, hi):
        return self.rng.randint(lo, hi)

    def const(self):
        r = self.rng
        return "%#xul" % r.choice((r.getrandbits(3), r.getrandbits(8), r.getrandbits(32),
                                  1 << r.randint(0, 31), 0xffffffff))

    def decl(self, text):
        self.decls.append(text.strip("\n") + "\n")

    def once(self, key, make):
        """Something that several parts of the program share, made when it is first wanted."""
        if key not in self.shared:
            self.shared[key] = make()
        return self.shared[key]

    # ---- expressions: u64 values, every operation defined

    def expr(self, leaves, depth=2):
        if depth == 0 or self.rng.random() < 0.2:
            return self.pick(*leaves, self.const())
        a, b = self.expr(leaves, depth - 1), self.expr(leaves, depth - 1)
        return self.pick(
            "(%s + %s)", "(%s - %s)", "(%s * %s)", "(%s ^ %s)", "(%s & %s)", "(%s | %s)",
            "(%s / (%s | 1))", "(%s %% (%s | 1))", "(%s << (%s & 31))", "(%s >> (%s & 63))",
            "((u64)(%s < %s) + 3)", "(u64)(int64_t)(int32_t)(%s ^ (%s >> 7))",
            "(%s > 9 ? %s : 77)") % (a, b)

    def det(self, depth=2):
        return self.expr(("c->det", "(u64)c->id", "(c->det >> 32)"), depth)

    def mix(self, depth=2):
        return self.expr(("c->mix", "c->det", "(u64)c->id"), depth)

    # ---- statements

    def work(self, n=None):
        """Text of what one thread does for itself; nested calls give less and less."""
        if self.depth > 2:
            return "c->det = hash(c->det ^ %s);" % self.const()
        self.depth += 1
        n = n or self.num(1, max(1, self.size // self.depth))
        text = "\n".join(self.rng.choice(self.parts)(self) for _ in range(n))
        self.depth -= 1
        return text

    def function(self, body, stem="step"):
        """A function of its own around some statements; returns a call of it."""
        name = self.name(stem)
        static = self.pick("static ", "static NOINLINE ", "static inline ", "NOINLINE ")
        if static == "NOINLINE ":
            self.decl("void %s(struct ctx *c);" % name)
        self.decl("%svoid %s(struct ctx *c)\n{\n%s\n}" % (static, name, body))
        return "%s(c);" % name

    def group(self):
        """One group of threads: its worker, and the statements of main that run it."""
        n = self.num(1, min(8, self.threads))
        worker = self.name("worker")
        lines = []
        for _ in range(self.num(1, self.size)):
            if self.rounds and self.rng.random() < 0.5:
                lines.append(self.rng.choice(self.rounds)(self, n))
            else:
                lines.append(self.uneven(n))
        body = "\n".join(lines)
        end = self.pick("return (void *)(uintptr_t)(c->det & 0xffff);",
                        "pthread_exit((void *)(uintptr_t)(c->det & 0xffff));")
        self.decl("static void *%s(void *arg)\n{\n\tstruct ctx *c = arg;\n\n%s\n\tadd_up(c);\n\t%s\n}"
                  % (worker, body, end))
        ctxs, ids = self.name("ctxs"), self.name("threads")
        self.decl("static struct ctx %s[%d];" % (ctxs, n))
        return """{
	pthread_t %(ids)s[%(n)d];

	for (u32 i = 0; i < %(n)d; i++) {
		%(ctxs)s[i] = (struct ctx){.det = hash(c->det + i), .mix = c->mix, .id = i};
		CHECK(!pthread_create(&%(ids)s[i], NULL, %(worker)s, &%(ctxs)s[i]));
	}
%(meanwhile)s
	for (u32 i = 0; i < %(n)d; i++) {
		void *result;

		CHECK(!pthread_join(%(ids)s[i], &result));
		c->det += (uintptr_t)result;
		c->mix ^= %(ctxs)s[i].mix;
	}
}""" % dict(ids=ids, n=n, ctxs=ctxs, worker=worker,
            meanwhile=self.work(1) if self.rng.random() < 0.5 else "")

    def uneven(self, n):
        """Work of each thread for itself: the same for all, or by its number."""
        if n == 1 or self.rng.random() < 0.5:
            return self.work() if self.rng.random() < 0.5 else self.function(self.work())
        cases = "\n".join("case %d:\n%s\n\tbreak;" % (i, self.function(self.work(2)))
                          for i in range(self.num(1, min(n, 3))))
        return "switch (c->id) {\n%s\ndefault:\n%s\n\tbreak;\n}" % (cases, self.work(1))

    def program(self):
        before = self.work() if self.rng.random() < 0.7 else ""
        groups = "\n".join(self.group() for _ in range(self.num(1, 3)))
        after = self.work() if self.rng.random() < 0.7 else ""
        main = """
int main(int argc, char **argv)
{
	static struct ctx main_ctx = {.det = %s, .mix = 1, .id = 99}; /* jumps leave it whole */
	struct ctx *c = &main_ctx;

	(void)argv;
	c->det += (u64)argc;
%s
%s
%s
%s
	pthread_mutex_lock(&total_lock);
	while (detached)
		pthread_cond_wait(&total_changed, &total_lock);
	pthread_mutex_unlock(&total_lock);
%s
	add_up(c);
	pthread_mutex_lock(&total_lock);
	printf("mix %%llx\\n", (unsigned long long)total_mix);
	printf("det %%llx\\n", (unsigned long long)total_det);
	pthread_mutex_unlock(&total_lock);
%s
}
""" % (self.const(), "\n".join(self.setup), before, groups, after, "\n".join(self.finish),
            self.pick("\treturn 0;", "\texit(0);", "\tfflush(stdout);\n\t_exit(0);",
                      "\treturn 0;", "\tpthread_exit(NULL);"))
        return PRELUDE + "\n" + "\n".join(self.decls) + main


def indent(text):
    """Tabs by depth of braces: the templates need not care."""
    out, depth = [], 0
    for line in text.split("\n"):
        s = line.strip()
        if s.startswith("#") or not s:
            out.append(s)
            continue
        low = depth - (s.startswith("}") or s.startswith(")"))
        if s.startswith(("case ", "default:")):
            low -= 1
        out.append("\t" * max(low, 0) + s)
        depth += s.count("{") - s.count("}")
    return "\n".join(out)


def generate(seed, **options):
    g = Gen(seed, **options)
    text = g.program()
    head = "/* tests/record/gen.py --seed %d: %s */\n" % (seed, " ".join(g.features))
    return indent(head + text)


def main():
    ap = argparse.ArgumentParser(description=__doc__,
                                 formatter_class=argparse.RawDescriptionHelpFormatter)
    ap.add_argument("--seed", type=int, default=1)
    ap.add_argument("--only", help="these features, comma between them")
    ap.add_argument("--without", default="")
    ap.add_argument("--threads", type=int, default=8, help="at most so many in a group")
    ap.add_argument("--size", type=int, default=6, help="parts of each piece of work")
    ap.add_argument("--list", action="store_true", help="the features")
    ap.add_argument("-o", "--output")
    o = ap.parse_args()
    if o.list:
        for name in sorted(FEATURES):
            print("%-12s %s" % (name, FEATURES[name].__doc__))
        return 0
    only = o.only.split(",") if o.only else None
    without = o.without.split(",") if o.without else []
    for name in (only or []) + without:
        if name not in FEATURES:
            sys.exit("gen.py: there is no feature '%s' (--list shows them)" % name)
    text = generate(o.seed, only=only, without=without, threads=o.threads, size=o.size)
    if o.output:
        with open(o.output, "w") as f:
            f.write(text)
    else:
        sys.stdout.write(text)
    return 0


if __name__ == "__main__":
    sys.exit(main())
