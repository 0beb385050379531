#!/usr/bin/env python3
"""Small random C programs with inputs of a few bits, for which every input and every schedule can be
tried.

gen_explore.py [--seed N] [--mode single|sync|access] [-o FILE]

The inputs are the bytes of the global 'in', made known by heddle_input and bounded by heddle_assume;
Program.limits says how many values each has. `single` programs have one thread: arithmetic of all
widths, arrays, pointers and function pointers chosen by inputs, loops, recursion, blocks of the heap
of symbolic size, structures, strings, divisions, assertions, assumptions. The others have two or
three threads, few operations, and locks, semaphores, barriers and conditions that inputs choose, several
waiters at one condition, waits that may time out, sleeps, state of the C library (rand, environment, strtok); they
are meant for schedules that switch at synchronization, or at accesses too. Program.racy says that
accesses to shared memory are not all ordered by locks.

What a program computes is told at its end by bytes that it writes, chosen by branches, so that every
path has one output. Many programs fail on some inputs: that is what they are for.
"""
import argparse
import os
import random
import sys

sys.path.insert(0, os.path.join(os.path.dirname(os.path.abspath(__file__)), "..", "oracle"))
import gen
from gen import Node

FLAGS = ("-O0", "-O1", "-O1", "-O2")
INTS = ("a", "b", "c")
TYPES = ("int", "int", "unsigned", "short", "unsigned char", "signed char", "long long",
         "unsigned long long")


class Program(gen.Program):
    def __init__(self):
        super().__init__()
        self.limits = []
        self.locals = []
        self.mine = []   # Nodes of main beside the threads
        self.printed = True # nothing but constants is written
        self.racy = False

    def text(self):
        out = ["/* tests/explore/gen_explore.py --seed %d --mode %s; limits: %s; flags: %s%s */" % (
            self.seed, self.mode, " ".join(map(str, self.limits)), self.flags,
            ("" if self.printed else "; prints values") + ("; races" if self.racy else ""))]
        out += ["#include <assert.h>", "#include <pthread.h>", "#include <semaphore.h>",
                "#include <stdatomic.h>", "#include <stdio.h>", "#include <stdlib.h>",
                "#include <string.h>", "#include <time.h>", "#include <unistd.h>",
                "#include <heddle/heddle.h>", "",
                "unsigned char in[%d];" % len(self.limits)]
        out += ["static void put(char c) { if (write(1, &c, 1) < 0) _exit(9); }"] + self.globals + [""]
        for i, body in enumerate(self.bodies):
            if i not in self.threads:
                continue
            out += ["static void *f%d(void *arg)" % i, "{", "\tint r = 0;", ""]
            for n in body:
                out += n.lines(1)
            out += ["\t(void)r;", "\treturn arg;", "}", ""]
        out += ["int main(void)", "{"] + self.locals
        if self.threads:
            out.append("\tpthread_t t[3];")
        out += ["", '\theddle_input(in, sizeof in, "in");']
        out += ["\theddle_assume(in[%d] < %d);" % (i, n) for i, n in enumerate(self.limits)]
        for n in self.setup:
            out += n.lines(1)
        for i, f in enumerate(self.threads):
            out.append("\tpthread_create(&t[%d], NULL, f%d, NULL);" % (i, f))
        for n in self.mine:
            out += n.lines(1)
        for i in range(len(self.threads)):
            out.append("\tpthread_join(t[%d], NULL);" % i)
        for n in self.finish:
            out += n.lines(1)
        out += ["\treturn 0;", "}", ""]
        return "\n".join(out)

    def at(self, path):
        nodes = [self.finish, self.setup, self.mine] + self.bodies
        nodes = nodes[path[0]]
        for i in path[1:]:
            nodes = nodes[i].body
        return nodes

    def paths(self):
        def walk(nodes, path):
            for i, n in enumerate(nodes):
                yield path + (i,)
                if n.body:
                    yield from walk(n.body, path + (i,))
        for i, nodes in enumerate([self.finish, self.setup, self.mine] + self.bodies):
            yield from walk(nodes, (i,))


class Base:
    def __init__(self, seed, mode):
        self.rng = random.Random("%s %d" % (mode, seed))
        self.p = Program()
        self.p.seed, self.p.mode, self.p.flags = seed, mode, self.rng.choice(FLAGS)
        self.used = set()

    def chance(self, share):
        return self.rng.random() < share

    def pick(self, *what):
        return self.rng.choice(what)

    def need(self, name, text):
        if name not in self.used:
            self.used.add(name)
            self.p.globals.append(text)
        return name

    def input(self):
        return "in[%d]" % self.rng.randrange(len(self.p.limits))

    def tell(self, v):
        """The value, by branches."""
        way = self.rng.random()
        put = "put('%s');"
        if way < 0.5:
            return Node("switch (%s & 3) {" % v, [
                Node("case %d: %s break;" % (i, put % i)) for i in range(4)], "}")
        return Node("if (%s < %d) {" % (v, self.rng.randrange(12)), [
            Node(put % "l"), Node("} else if (%s == %d) {" % (v, self.rng.randrange(20))),
            Node(put % "e")], "}")


# ---- one thread -----------------------------------------------------------------------------

class Single(Base):
    def __init__(self, seed, mode):
        super().__init__(seed, mode)
        self.p.limits = list(self.pick((4, 4), (16, 8), (8, 8, 3), (4, 4, 4), (200,), (64, 2),
                                       (2, 3, 4, 5)))
        self.left = self.rng.randint(4, 12)
        self.loops = 0
        self.features = [f for f in SINGLE if self.chance(0.4)]

    def value(self, depth=0):
        """An expression; no division, no memory access but of variables and inputs."""
        way = self.rng.random()
        if depth > 2 or way < 0.3:
            return self.pick(self.input(), self.input(), self.rng.choice(INTS),
                             str(self.rng.choice((0, 1, 2, 3, 5, 7, 255, -1))))
        x, y = self.value(depth + 1), self.value(depth + 1)
        if way < 0.7:
            return "(%s %s %s)" % (x, self.pick("+", "-", "*", "&", "|", "^", "+"), y)
        if way < 0.78:
            return "(%s %s (%s & 7))" % (x, self.pick("<<", ">>"), y)
        if way < 0.86:
            return "(%s)%s" % (self.rng.choice(TYPES), x if x[0] == "(" else "(%s)" % x)
        if way < 0.93:
            return "(%s ? %s : %s)" % (self.condition(depth + 1), x, y)
        return self.pick("~%s", "-%s", "!%s") % ("(%s)" % x)

    def condition(self, depth=0):
        way = self.rng.random()
        if depth < 2 and way < 0.2:
            return "(%s %s %s)" % (self.condition(depth + 1), self.pick("&&", "||"),
                                   self.condition(depth + 1))
        return "(%s %s %s)" % (self.value(max(1, depth)),
                               self.pick("==", "!=", "<", ">", "<=", ">="),
                               self.value(2))

    def block(self, depth, most=2):
        return [self.statement(depth + 1) for _ in range(self.rng.randint(1, most))]

    def statement(self, depth=0):
        self.left -= 1
        for _ in range(8):
            kind = self.rng.choice(self.features + ["assign", "assign", "branch"])
            if kind in ("branch", "loop", "choose", "assume", "local_array") and depth > 1:
                continue
            n = SINGLE.get(kind, Single.assign)(self, depth)
            if n is not None:
                return n
        return self.assign(depth)

    def assign(self, depth):
        return Node("%s %s %s;" % (self.rng.choice(INTS), self.pick("=", "=", "+=", "-=", "^="),
                                   self.value()))

    def branch(self, depth):
        n = Node("if (%s) {" % self.condition(), self.block(depth), "}")
        if self.chance(0.5):
            n.tail = None
            return Node(None, [n, Node("} else {", self.block(depth), "}")])
        return n

    def loop(self, depth):
        i = "i%d" % self.loops
        self.loops += 1
        return Node("for (int %s = 0; %s < (%s & 3); %s++) {" % (i, i, self.value(1), i),
                    self.block(depth), "}")

    def choose(self, depth):
        body = [Node("case %d: {" % c, self.block(depth, 1), "} break;")
                for c in self.rng.sample(range(4), self.rng.randint(1, 3))]
        if self.chance(0.6):
            body.append(Node("default: {", self.block(depth, 1), "} break;"))
        return Node("switch (%s & %d) {" % (self.value(1), self.pick(3, 7)), body, "}")

    def array(self, depth):
        self.need("arr", "static %s arr[6] = {3, 1, 4, 1, 5, 9};" % self.pick("int", "short", "unsigned char"))
        i = "%s & %d" % (self.value(1), self.pick(3, 3, 3, 7))
        if self.chance(0.5):
            return Node("arr[%s] = %s;" % (i, self.value(1)))
        return Node("%s = arr[%s];" % (self.rng.choice(INTS), i))

    def matrix(self, depth):
        self.need("grid", "static int grid[3][4];")
        i = "grid[%s & 3][%s & 3]" % (self.value(2), self.value(2))
        if self.chance(0.5):
            return Node("%s = %s;" % (i, self.value(1)))
        return Node("%s += %s;" % (self.rng.choice(INTS), i))

    def pointer(self, depth):
        way = self.rng.random()
        if "p" not in self.used:
            self.used.add("p")
            self.p.locals.append("\tint *p = &a;")
        if way < 0.4:
            x, y = self.rng.sample(INTS, 2)
            return Node("p = %s ? &%s : &%s;" % (self.condition(1), x, y))
        if way < 0.7:
            return Node("*p = %s;" % self.value(1))
        if way < 0.95:
            return Node("%s = *p;" % self.rng.choice(INTS))
        return Node("if (%s)" % self.condition(1), [Node("p = NULL;")])

    def heap(self, depth):
        way = self.rng.random()
        if "q" not in self.used:
            self.used.add("q")
            self.p.locals.append("\tunsigned char *q = NULL;")
            if self.chance(0.6):
                return Node("q = malloc((%s & 3) + 1);" % self.value(1), [
                    Node("memset(q, 0, 1);")])
            return Node("q = calloc(1, (%s & 3) + 2);" % self.value(1))
        if way < 0.4:
            return Node("q[%s & 3] = %s;" % (self.value(1), self.value(1)))
        if way < 0.7:
            return Node("%s = q[%s & %d];" % (self.rng.choice(INTS), self.value(1), self.pick(0, 1, 3)))
        if way < 0.85:
            return Node("if (%s) {" % self.condition(1), [Node("free(q);")] + (
                [Node("q = calloc(1, 4);")] if self.chance(0.7) else []), "}")
        return Node("if (%s)" % self.condition(1), [Node("q[0] = 1;")])

    def divide(self, depth):
        """By any small number, by a power of two, by a number of few values, by one that a branch has fixed."""
        to, by, op = self.rng.choice(INTS), self.rng.choice(INTS), self.pick("/", "%")
        way = self.rng.random()
        if way < 0.2:
            return Node("%s = %s %s (%s1 << (%s & %d));" % (
                to, self.value(1), op, self.pick("", "(unsigned char)", "(long)"), self.value(1), self.pick(3, 7)))
        if way < 0.6:
            fact = self.pick("%s > 0 && !(%s & (%s - 1))" % (by, by, by), "%s && (%s & (%s - 1)) == 0" % (by, by, by),
                             "%s >= 1 && %s < 6" % (by, by), "%s > 2 && %s <= 4" % (by, by), "%s == 3" % by)
            return Node("if (%s) {" % fact, [
                Node("%s = %s %s %s%s;" % (to, self.value(1), op, self.pick("", "(unsigned)", "(long)"), by))], "}")
        return Node("%s = %s %s (%s & %d);" % (
            self.rng.choice(INTS), "(%s & 255)" % self.value(1), self.pick("/", "%"), self.value(1),
            self.pick(3, 7)))

    def check(self, depth):
        return Node("assert(%s);" % self.condition())

    def assume(self, depth):
        return Node("heddle_assume(%s);" % self.condition())

    def call(self, depth):
        self.need("table", "static int inc(int v) { return v + 1; }\n"
                  "static int dbl(int v) { return v * 2; }\n"
                  "static int neg(int v) { return v < 3 ? -v : v; }\n"
                  "static int (*const table[4])(int) = {inc, dbl, neg, %s};" % (
                      self.pick("inc", "inc", "NULL")))
        return Node("%s = table[%s & 3](%s);" % (self.rng.choice(INTS), self.value(2), self.value(1)))

    def recursion(self, depth):
        self.need("sum", "static __attribute__((noinline)) int sum(int n, int x)\n{\n"
                  "\treturn n <= 0 ? x : sum(n - 1, x + n) ^ n;\n}")
        return Node("%s = sum(%s & 3, %s);" % (self.rng.choice(INTS), self.value(1), self.value(2)))

    def structure(self, depth):
        self.need("s", "struct s { unsigned x : 3; int y : 5; unsigned char z; short w; };\n"
                  "static struct s s, u[2];")
        f = self.pick("x", "y", "z", "w")
        way = self.rng.random()
        if way < 0.4:
            return Node("s.%s = %s;" % (f, self.value(1)))
        if way < 0.6:
            return Node("u[%s & 1] = s;" % self.value(2))
        if way < 0.7:
            return Node("s = u[%s & 1];" % self.value(2))
        return Node("%s = s.%s;" % (self.rng.choice(INTS), f))

    def union(self, depth):
        self.need("un", "static union { unsigned w; unsigned char b[4]; short h[2]; } un;")
        way = self.rng.random()
        if way < 0.4:
            return Node("un.w = %s;" % self.value(1))
        if way < 0.7:
            return Node("un.b[%s & 3] = %s;" % (self.value(2), self.value(2)))
        return Node("%s = un.%s;" % (self.rng.choice(INTS), self.pick("w", "b[1]", "h[0]", "h[1]")))

    def wide(self, depth):
        self.need("wide", "static unsigned __int128 wide = 1;")
        way = self.rng.random()
        if way < 0.5:
            return Node("wide = wide * (unsigned)%s + %s;" % (self.value(2), self.value(2)))
        if way < 0.7:
            return Node("wide <<= %s & 63;" % self.value(2))
        return Node("%s = (int)(wide >> %d);" % (self.rng.choice(INTS), self.pick(0, 3, 64, 100)))

    def string(self, depth):
        self.need("text", 'static char text[8] = "abc";')
        way = self.rng.random()
        if way < 0.4:
            return Node("text[%s & 3] = %s ? 'x' : 0;" % (self.value(2), self.condition(1)))
        if way < 0.6:
            return Node("%s = (int)strlen(text);" % self.rng.choice(INTS))
        if way < 0.8:
            return Node("if (!strcmp(text, \"%s\"))" % self.pick("xbc", "ax", "abx", ""),
                        [Node("%s++;" % self.rng.choice(INTS))])
        return Node("%s = memcmp(text, \"axc\", %d) == 0;" % (self.rng.choice(INTS), self.pick(1, 2, 3)))

    def bulk(self, depth):
        self.need("from", "static unsigned char from[8] = {1, 2, 3, 4}, to[8];")
        way = self.rng.random()
        if way < 0.4:
            return Node("from[%s & 7] = %s;" % (self.value(2), self.value(2)))
        if way < 0.6:
            return Node("memcpy(to, from, 4);")
        if way < 0.75:
            return Node("memcpy(to + %d, from, %s & 3);" % (self.pick(0, 4), self.value(2)))
        return Node("%s = to[%s & 7];" % (self.rng.choice(INTS), self.value(2)))

    def real(self, depth):
        x = "(%s)(%s & 15)" % (self.pick("float", "double"), self.value(2))
        return Node("if (%s * 0.5 %s %s)" % (x, self.pick("<", "==", ">="), self.pick("1.5", "2.0", "3.25")),
                    [Node("%s++;" % self.rng.choice(INTS))])

    def variadic(self, depth):
        self.need("add", "#include <stdarg.h>\nstatic int add(int n, ...)\n{\n\tva_list ap;\n\tint s = 0;\n\n"
                  "\tva_start(ap, n);\n\twhile (n-- > 0)\n\t\ts += va_arg(ap, int);\n\tva_end(ap);\n\treturn s;\n}")
        return Node("%s = add(%d, (int)%s, (int)%s);" % (
            self.rng.choice(INTS), self.pick(1, 2), self.value(2), self.value(2)))

    def jump(self, depth):
        self.need("env", "#include <setjmp.h>\nstatic jmp_buf env;\n"
                  "static void leave(int v) { if (v > 2) longjmp(env, v); }")
        if depth or "jumped" in self.used:
            return None
        self.used.add("jumped")
        return Node("if (!setjmp(env)) {", [Node("leave(%s & 7);" % self.value(2))],
                    "} else { put('j'); }")

    def unset(self, depth):
        if "unset" in self.used or depth:
            return None
        self.used.add("unset")
        self.p.locals.append("\tint *late = malloc(sizeof *late);")
        return Node("if (%s)" % self.condition(1), [Node("*late = %s;" % self.value(1))],
                    "if (*late == 2) c++;")

    def program(self):
        p = self.p
        kind = "static int %s;" if self.chance(0.3) else None
        for v in INTS:
            if kind:
                p.globals.append(kind % v)
            else:
                p.locals.append("\tint %s = %d;" % (v, self.rng.randrange(3)))
        for v in INTS:
            if self.chance(0.7):
                p.finish.append(Node("%s = %s;" % (v, self.value(1))))
        while self.left > 0:
            p.finish.append(self.statement())
        if self.chance(0.1):
            p.printed = False
            p.finish.append(Node('printf("%d %x\\n", a, b);'))
        else:
            p.finish += [self.tell(v) for v in self.rng.sample(INTS, self.pick(1, 1, 2))]
        return p


SINGLE = {
    "branch": Single.branch, "loop": Single.loop, "choose": Single.choose, "array": Single.array,
    "matrix": Single.matrix, "pointer": Single.pointer, "heap": Single.heap, "divide": Single.divide,
    "check": Single.check, "assume": Single.assume, "call": Single.call,
    "recursion": Single.recursion, "structure": Single.structure, "union": Single.union,
    "wide": Single.wide, "string": Single.string, "bulk": Single.bulk, "real": Single.real,
    "variadic": Single.variadic, "jump": Single.jump, "unset": Single.unset,
}


# ---- threads --------------------------------------------------------------------------------

class Threads(Base):
    def __init__(self, seed, mode):
        super().__init__(seed, mode)
        self.access = mode == "access"
        self.nthreads = self.pick(1, 1, 2) if self.access else self.pick(1, 1, 2, 2, 2, 3)
        self.p.limits = list(self.pick((2,), (3,), (2, 2), (4,), (2, 3)))
        self.left = self.rng.randint(1, 2 if self.access else 3)
        self.features = [f for f in THREADS if self.chance(0.45)] or ["lock"]
        self.held = []
        self.p.racy = self.access or self.chance(0.5)
        self.joined = False

    def shared(self, *names):
        """Of these, what this thread may touch here; m guards x and y where there are no races."""
        ok = self.p.racy or self.joined or "m" in self.held
        return [v for v in names if ok or v not in ("x", "y")]

    def value(self):
        return self.rng.choice(self.shared(self.input(), self.input(), "x", "y", "r", "1", "2", "3"))

    def condition(self):
        return "%s %s %s" % (self.rng.choice(self.shared("x", "y", self.input(), self.input())),
                             self.pick("==", "!=", "<", ">"), self.pick("0", "1", "2", self.input()))

    def mutex(self):
        free = [m for m in ("m", "m", "n") if m not in self.held]
        if not free:
            return None
        m = self.rng.choice(free)
        return self.need(m, "static pthread_mutex_t %s = PTHREAD_MUTEX_INITIALIZER;" % m)

    def plain(self):
        if not self.shared("x"):
            if "n" in self.held: # no lock order that the program did not ask for
                return Node("r += %s;" % self.value())
            self.need("m", "static pthread_mutex_t m = PTHREAD_MUTEX_INITIALIZER;")
            self.held.append("m")
            n = Node("pthread_mutex_lock(&m);", [self.plain()], "pthread_mutex_unlock(&m);")
            self.held.remove("m")
            return n
        v = self.pick("x", "y")
        return Node(self.pick("%s = %s;", "%s += %s;", "%s = %s + 1;", "%s = 2 * %s;") % (v, self.value()))

    def region(self, lock):
        self.held.append(lock)
        body = [self.plain()] if self.chance(0.6) or self.left < 2 else [self.statement()]
        if self.chance(0.3):
            body.append(self.plain())
        self.held.remove(lock)
        return body

    def statement(self):
        self.left -= 1
        for _ in range(8):
            n = THREADS[self.rng.choice(self.features)](self)
            if n is not None:
                return n
        return self.plain()

    def lock(self):
        m = self.mutex()
        if not m:
            return None
        return Node("pthread_mutex_lock(&%s);" % m, self.region(m), "pthread_mutex_unlock(&%s);" % m)

    def chosen(self):
        """A lock that an input chooses."""
        if self.held:
            return None
        for m in ("m", "n"):
            self.need(m, "static pthread_mutex_t %s = PTHREAD_MUTEX_INITIALIZER;" % m)
        e = "%s & 1 ? &m : &n" % self.input()
        body = [self.plain() if self.p.racy else Node("r += %s;" % self.value())]
        return Node("pthread_mutex_lock(%s);" % e, body, "pthread_mutex_unlock(%s);" % e)

    def inside(self):
        self.held += ["m", "n"]
        n = self.plain()
        self.held = []
        return n

    def twice(self):
        """Two locks, in an order that an input says."""
        if self.held:
            return None
        for m in ("m", "n"):
            self.need(m, "static pthread_mutex_t %s = PTHREAD_MUTEX_INITIALIZER;" % m)
        self.left -= 1
        c = self.condition() if self.chance(0.3) else "%s == 1" % self.input()
        return Node("if (%s) {" % c, [
            Node("pthread_mutex_lock(&m);", [Node("pthread_mutex_lock(&n);", [self.inside()],
                                                  "pthread_mutex_unlock(&n);")],
                 "pthread_mutex_unlock(&m);"),
            Node("} else {"),
            Node("pthread_mutex_lock(&n);", [Node("pthread_mutex_lock(&m);", [self.inside()],
                                                  "pthread_mutex_unlock(&m);")],
                 "pthread_mutex_unlock(&n);")], "}")

    def trylock(self):
        m = self.mutex()
        if not m:
            return None
        return Node("if (pthread_mutex_trylock(&%s) == 0) {" % m,
                    self.region(m) + [Node("pthread_mutex_unlock(&%s);" % m)], "}")

    def rwlock(self):
        if self.held:
            return None
        self.need("rw", "static pthread_rwlock_t rw = PTHREAD_RWLOCK_INITIALIZER;")
        self.left -= 1
        return Node("pthread_rwlock_%slock(&rw);" % self.pick("rd", "wr"), self.region("rw"),
                    "pthread_rwlock_unlock(&rw);")

    def atomic(self):
        self.need("at", "static atomic_int at;")
        return Node(self.pick("atomic_fetch_add(&at, %s);", "r = atomic_fetch_add(&at, %s);",
                              "atomic_store(&at, %s);", "r = atomic_load(&at) + %s;") % self.value())

    def cas(self):
        self.need("at", "static atomic_int at;")
        self.need("old", "static _Thread_local int old;")
        return Node("old = %s;" % self.value(), [
            Node("if (atomic_compare_exchange_strong(&at, &old, %s))" % self.value(),
                 [self.plain()])])

    def sem(self):
        if "sem" not in self.used:
            self.need("sem", "static sem_t sem;")
            self.p.setup.append(Node("sem_init(&sem, 0, %s);" % self.pick("0", "1", self.input())))
        return Node(self.pick("sem_post(&sem);", "sem_post(&sem);", "sem_wait(&sem);",
                              "if (sem_trywait(&sem) == 0) r++;"))

    def signal(self):
        if self.held:
            return None
        self.need("m", "static pthread_mutex_t m = PTHREAD_MUTEX_INITIALIZER;")
        self.need("cv", "static pthread_cond_t cv = PTHREAD_COND_INITIALIZER;\nstatic int flag;")
        if self.chance(0.5):
            return Node("pthread_mutex_lock(&m);", [
                Node("flag = %s;" % self.pick("1", "1", self.input())),
                Node("pthread_cond_%s(&cv);" % self.pick("signal", "broadcast"))],
                        "pthread_mutex_unlock(&m);")
        return Node("pthread_mutex_lock(&m);", [
            Node("%s (!flag)" % self.pick("while", "if"), [Node("\tpthread_cond_wait(&cv, &m);")])],
                    "pthread_mutex_unlock(&m);")

    def token(self):
        """Threads that wait for tokens at one condition variable; the order of those that get one is told."""
        if self.held:
            return None
        self.need("m", "static pthread_mutex_t m = PTHREAD_MUTEX_INITIALIZER;")
        self.need("tokens", "static pthread_cond_t more = PTHREAD_COND_INITIALIZER;\nstatic int tokens;")
        if self.chance(0.4):
            return Node("pthread_mutex_lock(&m);", [
                Node("tokens += %s;" % self.pick("1", "1", self.input())),
                Node("pthread_cond_%s(&more);" % self.pick("signal", "signal", "broadcast"))],
                        "pthread_mutex_unlock(&m);")
        wait = "pthread_cond_wait(&more, &m);"
        if self.chance(0.3):
            self.soon()
            wait = "if (pthread_cond_timedwait(&more, &m, &soon)) break;"
        return Node("pthread_mutex_lock(&m);", [
            Node("while (!tokens) { %s }" % wait), # one statement: without its wait it never ends
            Node("if (tokens)", [Node("\ttokens--;")]),
            Node("x = 2 * x + %d;" % self.rng.randrange(2))], "pthread_mutex_unlock(&m);")

    def soon(self):
        return self.need("soon", "static const struct timespec soon = {1, 0};")

    def timed(self):
        """A wait that may time out."""
        self.soon()
        if self.chance(0.5):
            self.sem()
            return Node("if (sem_timedwait(&sem, &soon) == 0) r++;")
        m = self.mutex()
        if not m:
            return None
        return Node("if (pthread_mutex_timedlock(&%s, &soon) == 0) {" % m,
                    self.region(m) + [Node("pthread_mutex_unlock(&%s);" % m)], "}")

    def sleep(self):
        return Node(self.pick("usleep(100);", "usleep(20000);", "sleep(1);"))

    def hidden(self):
        """State that the C library has for all threads."""
        way = self.rng.random()
        if way < 0.5:
            return Node("r = rand() %% %d;" % self.pick(2, 3), [
                Node("if (r == %d) {" % self.rng.randrange(2), [self.plain()], "}")])
        if way < 0.7:
            return Node('setenv("HEDDLE_X", "%d", %d);' % (self.rng.randrange(2), self.pick(0, 1)))
        if way < 0.85:
            return Node('if (getenv("HEDDLE_X")) {', [self.plain()], "}")
        n = "text%d" % len(self.used)
        self.need(n, 'static char %s[] = "a,b";' % n)
        return Node('if (strtok(%s, ",") && strtok(NULL, ",")) {' % n, [self.plain()], "}")

    def branch(self):
        return Node("if (%s) {" % self.condition(), [self.statement()], "}")

    def check(self):
        return Node("assert(%s);" % self.condition())

    def divide(self):
        if not self.shared("x"):
            return None
        return Node("r = 12 / (%s + %s);" % (self.pick("x", "y"), self.pick("1", self.input())))

    def index(self):
        if not self.shared("x"):
            return None
        self.need("arr", "static int arr[2];")
        return Node("arr[%s %% 3 & 3] += 1;" % self.pick("x", "(unsigned)y", self.input()))

    def barrier(self):
        self.need("bar", "static pthread_barrier_t bar;")
        self.p.setup.append(Node("pthread_barrier_init(&bar, NULL, %s);" % self.pick(
            str(self.nthreads), str(self.nthreads), "%d + (%s & 1)" % (self.nthreads, self.input()))))
        for body in self.p.bodies:
            body.insert(self.rng.randint(0, len(body)), Node("pthread_barrier_wait(&bar);"))

    def program(self):
        p = self.p
        p.globals.append("static %sint x, y;" % self.pick("", "", "volatile "))
        share = self.left
        for _ in range(self.nthreads):
            self.left, body = self.pick(1, share), []
            while self.left > 0:
                body.append(self.statement())
            p.bodies.append(body)
        p.threads = list(range(self.nthreads))
        if self.chance(0.15):
            self.barrier()
        if self.nthreads == 1: # main is the other one
            p.locals.append("\tint r = 0;")
            p.mine = [self.statement() for _ in range(self.pick(1, 2))]
        self.joined = True
        p.finish += [self.tell(v) for v in self.pick(("x",), ("y",), ("x", "y"))]
        if self.chance(0.3):
            p.finish.append(Node("assert(%s);" % self.condition().replace("r", "x")))
        return p


THREADS = {
    "lock": Threads.lock, "chosen": Threads.chosen, "twice": Threads.twice,
    "trylock": Threads.trylock, "rwlock": Threads.rwlock, "atomic": Threads.atomic,
    "cas": Threads.cas, "sem": Threads.sem, "signal": Threads.signal, "branch": Threads.branch,
    "check": Threads.check, "divide": Threads.divide, "index": Threads.index,
    "plain": Threads.plain, "token": Threads.token, "timed": Threads.timed,
    "sleep": Threads.sleep, "hidden": Threads.hidden,
}
MODES = {"single": Single, "sync": Threads, "access": Threads}


def generate(seed, mode):
    return MODES[mode](seed, mode).program()


def main():
    ap = argparse.ArgumentParser(description=__doc__,
                                 formatter_class=argparse.RawDescriptionHelpFormatter)
    ap.add_argument("--seed", type=int, default=1)
    ap.add_argument("--mode", choices=list(MODES), default="single")
    ap.add_argument("-o", "--output")
    o = ap.parse_args()
    text = generate(o.seed, o.mode).text()
    if o.output:
        with open(o.output, "w") as f:
            f.write(text)
    else:
        sys.stdout.write(text)
    return 0


if __name__ == "__main__":
    sys.exit(main())
