#!/usr/bin/env python3
"""Small random C programs without data races whose inputs decide how they synchronize.

gen_cover.py [--seed N] [-o FILE]

The inputs are the bytes of the global 'in', made known by heddle_input and bounded by heddle_assume; the
first comment says how many values each has, and the compiler's flags. Two or three threads execute
critical sections, semaphores, condition variables, a barrier, read-write locks, once-routines, tries and atomics, under
conditions on inputs, on values that are computed from them (by loops, functions, arrays, pointers, switches), and on shared
variables that other threads write, in loops, too. Shared variables are accessed under the lock 'g' only; every other variable
belongs to one thread. Some programs leave early, from any thread.
"""
import argparse
import random

FLAGS = ("-O0", "-O1", "-O1", "-O2")


class Generator:
    def __init__(self, seed):
        self.rng = random.Random("cover %d" % seed)
        self.seed = seed
        self.limits = [self.rng.randint(2, 4) for _ in range(self.rng.randint(1, 3))]
        self.threads = self.rng.randint(2, 3)
        self.made = None
        self.depth = 0
        self.in_g = False # the statements are inside the lock 'g'

    def pick(self, *what):
        return self.rng.choice(what)

    def chance(self, share):
        return self.rng.random() < share

    def value(self):
        """An expression over inputs and the variables of the thread."""
        i = self.rng.randrange(len(self.limits))
        return self.pick("in[%d]" % i, "in[%d]" % i, "v", "a[in[%d]]" % i, "a[v & 3]", "twice(in[%d])" % i,
                         "sum(in[%d])" % i, "*p", "(in[%d] ^ %d)" % (i, self.rng.randint(0, 3)))

    def condition(self):
        op = self.pick("==", "!=", "<", ">")
        c = "%s %s %d" % (self.value(), op, self.rng.randint(0, 4))
        return "%s && %s > 0" % (c, self.value()) if self.chance(0.15) else c

    def section(self):
        """A critical section; nested ones take the locks in one order."""
        if not self.in_g and self.chance(0.4):
            self.in_g = True
            inner = self.statements(1) if self.depth < 3 else []
            self.in_g = False
            return ["pthread_mutex_lock(&g);", "s += %s;" % self.value(), *inner, "pthread_mutex_unlock(&g);"]
        lock = self.pick("m", "n")
        return ["pthread_mutex_lock(&%s);" % lock, "v++;", "pthread_mutex_unlock(&%s);" % lock]

    def shared_read(self):
        return [] if self.in_g else ["pthread_mutex_lock(&g);", "v = s & 3;", "pthread_mutex_unlock(&g);"]

    def branch(self):
        self.depth += 1
        yes, no = self.statements(2), self.statements(1) if self.chance(0.5) else []
        self.depth -= 1
        return ["if (%s) {" % self.condition(), *yes, *(["} else {", *no] if no else []), "}"]

    def switch(self):
        self.depth += 1
        out = ["switch (%s & 3) {" % self.value()]
        for k in range(self.rng.randint(1, 3)):
            out += ["case %d:" % k, *self.statements(1), "break;"]
        self.depth -= 1
        return out + ["default: v ^= 1;", "}"]

    def loop(self):
        """A loop that synchronizes: it has a marker, and iterations have schedules of their own."""
        self.depth += 1
        k = "k%d" % self.depth
        body = self.statements(2) + self.section()
        self.depth -= 1
        bound = self.pick("in[%d]" % self.rng.randrange(len(self.limits)), "(%s & 3)" % self.value(), "2", "3")
        way = self.rng.randrange(3)
        if way == 0:
            return ["for (int %s = 0; %s < %s; %s++) {" % (k, k, bound, k), *body, "}"]
        if way == 1:
            return ["{", "int %s = %s;" % (k, bound), "while (%s-- > 0) {" % k, *body, "}", "}"]
        return ["{", "int %s = 0;" % k, "do {", *body, "} while (++%s < %s);" % (k, bound), "}"]

    def leaf(self):
        k = self.rng.randrange(11)
        return {0: ["sem_post(&sem);"],
                1: ["if (!sem_trywait(&sem)) v++;"],
                2: ["if (!pthread_mutex_trylock(&m)) { v ^= 2; pthread_mutex_unlock(&m); }"],
                3: ["pthread_rwlock_rdlock(&rw);", "pthread_rwlock_unlock(&rw);"],
                4: ["pthread_rwlock_wrlock(&rw);", "pthread_rwlock_unlock(&rw);"],
                5: ["pthread_once(&once, routine);"],
                6: ["v += atomic_fetch_add(&count, 1);"],
                7: ["v = %s;" % self.value(), "p = &a[%s & 3];" % self.value()],
                8: ["a[%s & 3] = %s;" % (self.value(), self.value())],
                9: ["pthread_cond_broadcast(&c);"],
                10: ["memset(a, %s, sizeof a);" % self.value()]}[k]

    def statements(self, most):
        out = []
        for _ in range(self.rng.randint(1, most)):
            way = self.rng.random()
            if way < 0.3 and self.depth < 3:
                out += self.branch()
            elif way < 0.36 and self.depth < 2:
                out += self.switch()
            elif way < 0.42 and self.depth < 2 and not self.in_g:
                out += self.loop()
            elif way < 0.6:
                out += self.section()
            elif way < 0.7:
                out += self.shared_read()
            else:
                out += self.leaf()
        return out

    def body(self, i):
        out = self.statements(4)
        if self.waits:
            out += (["pthread_mutex_lock(&m);", "ready = 1;", "pthread_cond_broadcast(&c);", "pthread_mutex_unlock(&m);"]
                    if i == 0 else ["pthread_mutex_lock(&m);", "while (!ready)", "pthread_cond_wait(&c, &m);",
                                    "pthread_mutex_unlock(&m);"])
        if self.barrier:
            out += ["pthread_barrier_wait(&bar);"]
        if self.rounds:
            out += ["for (int r = 0; r < %s; r++) {" % self.rounds, *self.statements(1), "pthread_barrier_wait(&bar);", "}"]
        out += self.statements(2)
        if self.chance(0.15):
            out += ["if (%s)" % self.condition(), "exit(%s);" % self.value()]
        return out

    def text(self):
        """The program; the same for each call."""
        if not self.made:
            self.made = self.make()
        return self.made

    def make(self):
        self.waits, self.barrier = self.chance(0.4), self.chance(0.3)
        self.rounds = self.pick("in[0]", "2", "in[0] + 1") if self.chance(0.2) else None
        bodies = [self.body(i) for i in range(self.threads)]
        out = ["/* tests/cover/gen_cover.py --seed %d; limits: %s; flags: %s */" % (
            self.seed, " ".join(map(str, self.limits)), self.rng.choice(FLAGS))]
        out += ["#include <pthread.h>", "#include <semaphore.h>", "#include <stdatomic.h>", "#include <stdlib.h>",
                "#include <string.h>", "#include <heddle/heddle.h>", "",
                "unsigned char in[%d];" % len(self.limits), "static int s, ready;", "static atomic_int count;",
                "static pthread_mutex_t g = PTHREAD_MUTEX_INITIALIZER;",
                "static pthread_mutex_t m = PTHREAD_MUTEX_INITIALIZER, n = PTHREAD_MUTEX_INITIALIZER;",
                "static pthread_cond_t c = PTHREAD_COND_INITIALIZER;",
                "static pthread_rwlock_t rw = PTHREAD_RWLOCK_INITIALIZER;",
                "static pthread_once_t once = PTHREAD_ONCE_INIT;",
                "static pthread_barrier_t bar;", "static sem_t sem;", "",
                "static void routine(void) { }",
                "static int twice(int x) { return x > 2 ? x : 2 * x; }",
                "static int sum(int n) { int r = 0; for (int i = 0; i < n; i++) r += i; return r; }", ""]
        for i, body in enumerate(bodies):
            out += ["static void *f%d(void *arg)" % i, "{", "int v = %d, a[4] = {0, 1, 2, 3}, *p = a;" % self.rng.randint(0, 2),
                    "(void)p;", *body, "(void)v;", "return arg;", "}", ""]
        out += ["int main(void)", "{", "pthread_t t[3];", 'heddle_input(in, sizeof in, "in");']
        out += ["heddle_assume(in[%d] < %d);" % (i, n) for i, n in enumerate(self.limits)]
        out += ["sem_init(&sem, 0, 0);", "pthread_barrier_init(&bar, NULL, %d);" % self.threads]
        out += ["pthread_create(&t[%d], NULL, f%d, NULL);" % (i, i) for i in range(self.threads)]
        out += ["pthread_join(t[%d], NULL);" % i for i in range(self.threads)]
        return "\n".join(out + ["return 0;", "}", ""])


def main():
    ap = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    ap.add_argument("--seed", type=int, default=1)
    ap.add_argument("-o", "--output")
    o = ap.parse_args()
    with open(o.output or "/dev/stdout", "w") as f:
        f.write(Generator(o.seed).text())


if __name__ == "__main__":
    main()
