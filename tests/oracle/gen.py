#!/usr/bin/env python3
"""Small random pthread programs in C, from a seed, for which every interleaving can be tried.

gen.py [--seed N] [--mode predict|branches|deep] [-o FILE]

2 to 4 threads with about a dozen operations on shared memory in all: plain and atomic integers, blocks
of the heap, mutexes, read-write locks, condition variables, semaphores, barriers, branches on
shared data, assertions, divisions, published pointers, transactions. Most of them pass in the order
in which threads naturally run, and many fail in another one. Some hang, or fail at once: whoever
runs them must expect that.

Other modes have more that decides (switches, function pointers, loops that wait, flags handed over,
checks behind checks); `deep` has nothing whose effect is undefined, such as a use of freed memory.

A program is a tree of statements (Node), so that what does not matter can be taken out again:
reduced() gives every program that lacks one statement.
"""
import argparse
import copy
import random
import sys

FLAGS = ("-O0", "-O0", "-O1", "-O2")


class Node:
    """A statement: a line before, statements inside, a line after."""

    def __init__(self, head, body=None, tail=None, cost=1):
        self.head, self.body, self.tail, self.cost = head, body, tail, cost

    def lines(self, depth):
        out = ["\t" * depth + self.head] if self.head else []
        if self.body is not None:
            inner = depth + (1 if self.head and self.head.endswith("{") else 0)
            for n in self.body:
                out += n.lines(inner)
        if self.tail:
            out.append("\t" * depth + self.tail)
        return out


class Program:
    def __init__(self):
        self.seed, self.mode, self.flags = 0, "predict", "-O0"
        self.globals = []   # declarations
        self.setup = []     # Nodes of main before the threads
        self.bodies = []    # of functions: lists of Nodes
        self.threads = []   # numbers of functions, in the order of their creation
        self.finish = []    # Nodes of main after them

    def text(self):
        out = ["/* tests/oracle/gen.py --seed %d%s; flags: %s */" % (
            self.seed, "" if self.mode == "predict" else " --mode " + self.mode, self.flags)]
        out += ["#include <assert.h>", "#include <pthread.h>", "#include <semaphore.h>",
                "#include <stdatomic.h>", "#include <stdlib.h>", "#include <heddle/heddle.h>", ""]
        out += self.globals + [""]
        for i, body in enumerate(self.bodies):
            if i not in self.threads:
                continue
            out += ["static void *f%d(void *arg)" % i, "{", "\tint r = 0, s = 0, *q = NULL;", ""]
            for n in body:
                out += n.lines(1)
            out += ["\t(void)r, (void)s, (void)q;", "\treturn arg;", "}", ""]
        out += ["int main(void)", "{", "\tpthread_t t[4];", ""]
        for n in self.setup:
            out += n.lines(1)
        for i, f in enumerate(self.threads):
            out.append("\tpthread_create(&t[%d], NULL, f%d, NULL);" % (i, f))
        for i in range(len(self.threads)):
            out.append("\tpthread_join(t[%d], NULL);" % i)
        for n in self.finish:
            out += n.lines(1)
        out += ["\treturn 0;", "}", ""]
        return "\n".join(out)

    def reduced(self):
        """Programs with one statement or one thread less."""
        for i in range(len(self.threads)):
            p = copy.deepcopy(self)
            del p.threads[i]
            yield p
        for path in list(self.paths()):
            p = copy.deepcopy(self)
            nodes = p.at(path[:-1])
            del nodes[path[-1]]
            yield p
            p = copy.deepcopy(self)
            nodes = p.at(path[:-1])
            if nodes[path[-1]].body:
                nodes[path[-1]:path[-1] + 1] = nodes[path[-1]].body
                yield p

    def at(self, path):
        nodes = [self.finish] + self.bodies
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
        for i, nodes in enumerate([self.finish] + self.bodies):
            yield from walk(nodes, (i,))


class Gen:
    """Statements are made in the order in which the threads would run one after the other, and `now`
    has the values that the variables have then: most programs pass when they run like that."""

    def __init__(self, seed, mode):
        self.rng = random.Random(seed)
        self.mode = mode
        self.p = Program()
        self.p.seed, self.p.mode, self.p.flags = seed, mode, self.rng.choice(FLAGS)
        self.nthreads = self.rng.choice((2, 2, 2, 2, 3, 3, 4))
        self.ints = ["x", "y", "z"][:self.rng.choice((1, 1, 2, 2, 3))]
        self.left = self.rng.randint(5, 10)
        if mode != "predict":
            self.ints = self.ints[:2]
            self.nthreads = min(3, self.nthreads)
            self.left -= 3 if mode == "deep" else 2
        self.features = [f for f in FEATURES[mode] if self.rng.random() < 0.35] or ["assign"]
        self.used = set()
        self.held = []
        self.now = {"a": 0, "sem": 0, "p": None, "r": 0, "s": 0}
        self.first = []     # Nodes that another thread begins with: (number of the function, Node)
        self.owed = []      # Nodes that a later thread must have, so that somebody is woken
        self.last = False   # this is the last thread

    def chance(self, share):
        return self.rng.random() < share

    def const(self):
        return self.rng.choice((0, 0, 1, 1, 2, 3))

    def var(self):
        return self.rng.choice(self.ints)

    def need(self, name, text):
        if name not in self.used:
            self.used.add(name)
            self.p.globals.append(text)
        return name

    def mutex(self):
        free = [m for m in ("m", "m", "n") if m not in self.held]
        if not free:
            return None
        m = self.rng.choice(free)
        return self.need(m, "static pthread_mutex_t %s = PTHREAD_MUTEX_INITIALIZER;" % m)

    def pointer(self):
        if "p" not in self.used:
            self.need("p", "static int *p;")
            if self.chance(0.6):
                self.p.setup += [Node("p = calloc(2, sizeof *p);"),
                                 Node("p[0] = p[1] = %d;" % self.const())]
                self.now["p"] = "block"

    def condition(self, what, holds=None):
        """A comparison that is true now, or false, or either."""
        if self.mode != "predict" and self.chance(0.8): # what others write, and as it is now
            what = [v for v in what if v != "r"]
            v = self.rng.choice(what)
            if self.chance(0.5):
                yes = self.chance(0.5) if holds is None else holds
                return "%s %s %d" % (v, "==" if yes else "!=", self.now[v])
        for _ in range(20):
            e = "%s %s %d" % (self.rng.choice(what), self.rng.choice(("==", "!=", "<", ">")),
                              self.const())
            if holds is None or eval(e, {}, self.now) == holds:
                return e
        return "%s == %s" % (what[0], self.now[what[0]])

    # ---- statements

    def statement(self, depth=0):
        kinds = self.features + ["assign", "assign", "lock"]
        if self.mode != "predict":
            kinds = self.features + ["assign", "put", "put", "branch", "nested"]
        for _ in range(10):
            kind = self.rng.choice(kinds)
            if kind in NESTED and (depth > 1 or self.left < 3):
                continue
            n = STATEMENTS[kind](self, depth)
            if n is not None:
                self.left -= n.cost
                return n
        self.left -= 1
        return self.assign(depth)

    def block(self, depth, most=2, runs=True):
        """Statements inside of another; if they are not executed, nothing changes."""
        before = dict(self.now)
        body = [self.statement(depth + 1) for _ in range(self.rng.randint(1, most))]
        if not runs:
            self.now = before
        return body

    def region(self, lock, depth, most=2):
        self.held.append(lock)
        body = self.block(depth, most)
        self.held.pop()
        return body

    def assign(self, depth):
        v, w, c, way = self.var(), self.var(), self.const(), self.rng.random()
        if way < 0.35:
            self.now[v] = c
            return Node("%s = %d;" % (v, c))
        if way < 0.55:
            self.now[v] += 1
            return Node("%s = %s + 1;" % (v, v), cost=2)
        if way < 0.7:
            self.now["r"] = self.now[v]
            return Node("r = %s;" % v)
        if way < 0.85:
            self.now[v] = self.now["r"] + c
            return Node("%s = r + %d;" % (v, c))
        self.now[v] = self.now[w] + c
        return Node("%s = %s + %d;" % (v, w, c), cost=2)

    def put(self, depth):
        v, c = self.var(), self.rng.randrange(4)
        c += c == self.now[v]
        self.now[v] = c
        return Node("%s = %d;" % (v, c))

    def lock(self, depth):
        m = self.mutex()
        if not m:
            return None
        return Node("pthread_mutex_lock(&%s);" % m, self.region(m, depth, 3),
                    "pthread_mutex_unlock(&%s);" % m, 2)

    def trylock(self, depth):
        m = self.mutex()
        if not m:
            return None
        return Node("if (pthread_mutex_trylock(&%s) == 0) {" % m,
                    self.region(m, depth) + [Node("pthread_mutex_unlock(&%s);" % m)], "}", 2)

    def rwlock(self, depth):
        self.need("rw", "static pthread_rwlock_t rw = PTHREAD_RWLOCK_INITIALIZER;")
        if "rw" in self.held:
            return None
        how = self.rng.choice(("rd", "rd", "wr"))
        return Node("pthread_rwlock_%slock(&rw);" % how, self.region("rw", depth),
                    "pthread_rwlock_unlock(&rw);", 2)

    def branch(self, depth):
        runs = self.chance(0.75)
        e = self.condition(self.ints + ["r"], runs)
        runs = eval(e, {}, self.now)
        return Node("if (%s) {" % e, self.block(depth, 2, runs), "}")

    def check(self, depth):
        e = self.condition(self.ints * 2 + ["r"], True)
        v, w = self.var(), self.var()
        if self.chance(0.3) and self.now[v] <= self.now[w] + 1:
            e = "%s <= %s + 1" % (v, w)
        return Node("%s(%s);" % (self.rng.choice(("assert", "heddle_assert")), e))

    def divide(self, depth):
        v = self.var()
        c = self.rng.choice([k for k in range(-1, 4) if k != self.now[v]])
        self.now["r"] = int(12 / (self.now[v] - c))
        return Node("r = 12 / (%s - %d);" % (v, c))

    def atomic(self, depth):
        self.need("a", "static atomic_int a;")
        way, c, now = self.rng.random(), self.const(), self.now
        if way < 0.4:
            r = self.chance(0.5)
            if r:
                now["r"] = now["a"]
            now["a"] += 1
            return Node("%satomic_fetch_add(&a, 1);" % ("r = " if r else ""))
        if way < 0.55:
            now["a"] = c
            return Node("atomic_store(&a, %d);" % c)
        if way < 0.7:
            now["r"] = now["a"]
            return Node("r = atomic_load(&a);")
        if depth > 1:
            return None
        if way < 0.85:
            runs, now["a"] = now["a"] == 0, 1
            return Node("if (atomic_exchange(&a, 1) == 0) {", self.block(depth, 2, runs), "}")
        want = now["a"] if self.chance(0.7) else self.const()
        runs = now["a"] == want
        now["s"], now["a"] = now["a"], c if runs else now["a"]
        cas = "if (atomic_compare_exchange_strong(&a, &s, %d)) {" % c
        return Node("s = %d;" % want, [Node(cas, self.block(depth, 2, runs), "}")])

    def sem(self, depth):
        if "sem" not in self.used:
            self.now["sem"] = self.rng.choice((0, 0, 1, 2))
            self.need("sem", "static sem_t sem;")
            self.p.setup.append(Node("sem_init(&sem, 0, %d);" % self.now["sem"]))
        way = self.rng.random()
        if way < 0.4:
            self.now["sem"] += 1
            return Node("sem_post(&sem);")
        if way < 0.8:
            if not self.now["sem"]:
                if self.last or self.held or self.chance(0.5):
                    return None
                self.owed.append(Node("sem_post(&sem);"))
                self.now["sem"] += 1
            self.now["sem"] -= 1
            return Node("sem_wait(&sem);")
        if depth > 1:
            return None
        runs = self.now["sem"] > 0
        self.now["sem"] -= runs
        return Node("if (sem_trywait(&sem) == 0) {", self.block(depth, 2, runs), "}", 2)

    def tell(self, depth):
        """A flag is set and its condition variable told, right or wrong."""
        v = self.ints[-1]
        self.need("m", "static pthread_mutex_t m = PTHREAD_MUTEX_INITIALIZER;")
        self.need("c", "static pthread_cond_t c = PTHREAD_COND_INITIALIZER;")
        self.now[v] = 1
        tell = Node("pthread_cond_%s(&c);" % self.rng.choice(("signal", "signal", "broadcast")))
        if self.chance(0.25):
            return Node(None, [Node("pthread_mutex_lock(&m);", [Node("%s = 1;" % v)],
                                    "pthread_mutex_unlock(&m);"), tell], None, 4)
        return Node("pthread_mutex_lock(&m);", [Node("%s = 1;" % v), tell],
                    "pthread_mutex_unlock(&m);", 4)

    def signal(self, depth):
        """One side of a flag under a condition variable."""
        if depth or self.chance(0.5):
            return None if depth else self.tell(depth)
        v = self.ints[-1]
        if not self.now[v]:
            if self.last:
                return None
            self.owed.append(self.tell(depth))
        self.tell(depth)
        word = self.rng.choice(("while", "while", "if"))
        return Node("pthread_mutex_lock(&m);",
                    [Node("%s (%s == 0)" % (word, v), [Node("\tpthread_cond_wait(&c, &m);")])],
                    "pthread_mutex_unlock(&m);", 4)

    def publish(self, depth):
        self.pointer()
        self.now["p"] = "block"
        return Node("q = calloc(1, sizeof *q);", self.rng.sample(
            [Node("*q = %d;" % self.const()), Node("p = q;")], 2), cost=3)

    def use(self, depth):
        self.pointer()
        way = self.rng.random()
        self.now["r"] = 0
        if self.now["p"] == "freed" or (way < 0.6 and self.now["p"] != "block"):
            return None
        if way < 0.3:
            return Node("p[%d] = %d;" % (self.rng.choice((0, 0, 0, 1)), self.const()), cost=2)
        if way < 0.6:
            return Node("r = *p;", cost=2)
        if way < 0.8:
            return Node("if (p) {", [Node("r = *p;")], "}", 3)
        return Node("q = p;", [Node("if (q) {", [Node("*q = %d;" % self.const())], "}")], cost=2)

    def free(self, depth):
        self.pointer()
        if self.now["p"] == "freed" or ("free" in self.used and self.chance(0.7)):
            return None
        self.used.add("free")
        way = self.rng.random()
        self.now["p"] = "freed" if way < 0.4 else None
        if way < 0.4:
            return Node("free(p);", cost=2)
        if way < 0.7:
            return Node("free(p);", [Node("p = NULL;")], cost=3)
        return Node("q = p;", [Node("p = NULL;"), Node("free(q);")], cost=3)

    def index(self, depth):
        self.need("at", "static int at[4];")
        self.need("i", "static int i;")
        way = self.rng.random()
        if way < 0.4:
            return Node("i = %d;" % self.const())
        if way < 0.7:
            return Node("at[i] = %d;" % self.const(), cost=2)
        self.now["r"] = 0
        return Node("r = at[i];", cost=2)

    def transaction(self, depth):
        if depth:
            return None
        return Node("heddle_atomic_begin();", self.block(depth, 3), "heddle_atomic_end();", 2)

    # ---- what decides

    def decided(self, e, depth, most=2):
        """The block that runs if the expression holds."""
        return self.block(depth, most, bool(eval(e, {}, self.now)))

    def nested(self, depth):
        """A decision behind a decision, mostly not taken."""
        e = self.condition(self.ints + ["r"], self.chance(0.5))
        runs, before = eval(e, {}, self.now), dict(self.now)
        f = self.condition(self.ints, self.chance(0.5))
        inner = Node("if (%s) {" % f, self.decided(f, depth + 1), "}")
        n = Node("if (%s) {" % e, [inner] if self.chance(0.6) else [self.assign(depth), inner], "}", 2)
        if not runs:
            self.now = before
        if self.chance(0.6):
            return n
        return Node(None, [n, Node("else {", self.block(depth, 1, not runs), "}")], cost=2)

    def choose(self, depth):
        v, before, body = self.var(), dict(self.now), []
        after = before
        cases = self.rng.sample(range(4), self.rng.randint(1, 3))
        for c in cases + (["default"] if self.chance(0.5) else []):
            self.now = dict(before)
            head = "default: {" if c == "default" else "case %d: {" % c
            body.append(Node(head, self.block(depth, 1), "} break;"))
            if c == before[v] or (c == "default" and before[v] not in cases):
                after = self.now
        self.now = after
        return Node("switch (%s) {" % v, body, "}", 2)

    def function(self, depth):
        v = self.ints[0]
        self.need("fp", "static int one(int v) { return v + 1; }\n"
                        "static int two(int v) { %s = v; return 2; }\n"
                        "static int (*fp)(int) = one;" % v)
        self.now.setdefault("fp", "one")
        if self.chance(0.4):
            self.now["fp"] = self.rng.choice(("one", "two", "two"))
            return Node("fp = %s;" % self.now["fp"])
        if self.now["fp"] == "two":
            self.now[v] = self.now["r"]
        self.now["r"] = 2 if self.now["fp"] == "two" else self.now["r"] + 1
        return Node("r = fp(r);", cost=2)

    def aim(self, depth):
        """A pointer to one of the variables."""
        self.need("w", "static int *w = &%s;" % self.ints[0])
        self.now.setdefault("w", self.ints[0])
        way = self.rng.random()
        if way < 0.4:
            self.now["w"] = self.var()
            return Node("w = &%s;" % self.now["w"])
        if way < 0.7:
            self.now[self.now["w"]] = c = self.const()
            return Node("*w = %d;" % c, cost=2)
        self.now["r"] = self.now[self.now["w"]]
        return Node("r = *w;", cost=2)

    def look_up(self, depth):
        v, way = self.var(), self.rng.random()
        if way < 0.4:
            self.need("table", "static const int table[4] = {1, 0, 3, 2};")
            self.now["r"] = (1, 0, 3, 2)[self.now[v] & 3]
            return Node("r = table[%s & 3];" % v)
        self.need("at", "static int at[4];")
        if way < 0.7:
            return Node("at[%s & 3] = %d;" % (v, self.const()), cost=2)
        self.now["r"] = 0
        return Node("r = at[%s & 3];" % v, cost=2)

    def wait(self, depth):
        """A loop that waits for a while."""
        way = self.rng.random()
        if way < 0.3:
            m = self.mutex()
            if not m or depth > 1:
                return None
            return Node("for (s = 0; s < 2 && pthread_mutex_trylock(&%s); s++) ;" % m, [
                Node("if (s < 2) {", self.region(m, depth) +
                     [Node("pthread_mutex_unlock(&%s);" % m)], "}")], cost=3)
        v = self.var()
        c, read = self.now[v] if self.chance(0.8) else self.const(), v
        if self.chance(0.5):
            self.need("a", "static atomic_int a;")
            c, read = self.now["a"] if self.chance(0.8) else self.const(), "atomic_load(&a)"
        self.now["s"] = 0
        n = "for (s = 0; s < %d && %s != %d; s++) ;" % (self.rng.choice((1, 2)), read, c)
        if self.chance(0.5) or depth > 1:
            return Node(n, cost=2)
        e = self.rng.choice(("s == 0", "s < 2"))
        return Node(n, [Node("if (%s) {" % e, self.block(depth, 1), "}")], cost=2)

    def hand_over(self, depth):
        """Something is set, then a flag: who sees the flag relies on it."""
        if depth or self.held:
            return None
        v, c = self.ints[-1], self.const()
        if "ready" not in self.used:
            self.need("ready", "static atomic_int ready;")
            self.giver = self.rng.randrange(self.nbodies)
            give = [Node("%s = %d;" % (v, c)), Node("atomic_store(&ready, 1);")]
            self.first.append((self.giver, Node(None, give, cost=2)))
        if self.number == self.giver:
            return None
        seen = self.chance(0.5)
        take = [Node("r = %s;" % v)] + self.block(depth, 1)
        if seen:
            return Node("if (atomic_load(&ready)) {", take, "}", 2)
        return Node("while (!atomic_load(&ready)) ;", take, cost=3)

    def barrier(self):
        self.need("b", "static pthread_barrier_t b;")
        self.p.setup.append(Node("pthread_barrier_init(&b, NULL, %d);" % self.nthreads))
        for body in self.p.bodies:
            body.insert(self.rng.randint(0, len(body)), Node("pthread_barrier_wait(&b);"))

    # ---- the program

    def program(self):
        p = self.p
        nbodies = self.nthreads - (self.nthreads > 1 and self.chance(0.2))
        self.nbodies = nbodies
        for v in self.ints:
            self.now[v] = self.rng.choice((0, 0, 0, 1, 2))
            p.globals.append("static int %s%s;" % (v, " = %d" % self.now[v] if self.now[v] else ""))
        share = self.left / nbodies # so that every thread has something to do
        for i in range(nbodies):
            self.last, self.number = i == nbodies - 1, i
            self.left, self.now["r"] = share, 0
            body = self.owed
            self.owed = []
            if self.mode != "predict" and self.chance(0.7):
                body.append(self.put(0))
            while self.left > 0:
                body.append(self.statement())
            if self.mode != "predict" and self.chance(0.7):
                kind = self.rng.choice(("branch", "branch", "nested", "choose", "look_up"))
                body.append(STATEMENTS[kind](self, 1))
            p.bodies.append(body)
        p.bodies[-1] += self.owed
        for i, n in self.first:
            p.bodies[i].insert(0, n)
        p.threads = list(range(nbodies))
        while len(p.threads) < self.nthreads:
            p.threads.append(self.rng.randrange(nbodies))
        if self.chance(0.1):
            self.barrier()
        if self.chance(0.6):
            p.finish.append(Node("assert(%s);" % self.condition(self.ints, True)))
        return p


STATEMENTS = {
    "assign": Gen.assign, "lock": Gen.lock, "trylock": Gen.trylock, "rwlock": Gen.rwlock,
    "branch": Gen.branch, "check": Gen.check, "divide": Gen.divide, "atomic": Gen.atomic,
    "sem": Gen.sem, "signal": Gen.signal, "publish": Gen.publish, "use": Gen.use,
    "free": Gen.free, "index": Gen.index, "transaction": Gen.transaction,
}


DECISIONS = {
    "put": Gen.put, "nested": Gen.nested, "choose": Gen.choose, "function": Gen.function, "aim": Gen.aim,
    "look_up": Gen.look_up, "wait": Gen.wait, "hand_over": Gen.hand_over,
}

FEATURES = {
    "predict": list(STATEMENTS),
    "branches": list(STATEMENTS) + list(DECISIONS),
    "deep": [f for f in STATEMENTS if f not in ("free", "transaction")] + list(DECISIONS),
}
STATEMENTS = {**STATEMENTS, **DECISIONS}
NESTED = ("lock", "trylock", "rwlock", "branch", "transaction", "signal", "nested", "choose")


def generate(seed, mode="predict"):
    return Gen(seed, mode).program()


def main():
    ap = argparse.ArgumentParser(description=__doc__,
                                 formatter_class=argparse.RawDescriptionHelpFormatter)
    ap.add_argument("--seed", type=int, default=1)
    ap.add_argument("--mode", choices=list(FEATURES), default="predict")
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
