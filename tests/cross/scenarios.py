"""Small pthread programs from scenarios that real programs are made of, each right or with one mistake, by a seed.

scenarios.py [--seed N] [--only NAME] [--list]

A scenario is a function of a Part, to which it adds declarations, functions of threads, and statements of main before
the threads start and after they were joined. A program has one scenario, or two that do not know of each other.
Unlike those of tests/oracle, these programs use all that the engines say they know, or say they do not know: several
waiters, tries and timeouts, spin loops with several exits, ends of the process while threads run, block operations,
state hidden in the C library, failures in helpers, missing joins, sleeps, pipes, detached threads, signals, cancellation.
"""
import argparse
import random

HEADERS = ("assert", "errno", "pthread", "sched", "semaphore", "signal", "stdatomic", "stdio", "stdlib", "string",
           "time", "unistd")
SCENARIOS = {}


def scenario(f):
    SCENARIOS[f.__name__] = f
    return f


class Part:
    """One scenario's share of a program. `k` makes its names its own."""

    def __init__(self, rng, k):
        self.rng, self.k = rng, k
        self.globals, self.functions = [], []
        self.setup, self.between, self.finish = [], [], []
        self.threads = [] # (function, joined)

    def name(self, text):
        return text.replace("@", self.k)

    def declare(self, *lines):
        self.globals += [self.name(line) for line in lines]

    def function(self, head, *lines):
        self.functions.append([self.name(head), "{", *("\t" + self.name(line) for line in lines if line), "}", ""])

    def thread(self, name, *lines, joined=True, times=1):
        self.function("static void *%s(void *arg)" % name, *lines, "return arg;")
        self.threads += [(self.name(name), joined)] * times

    def main(self, *lines):
        self.setup += [self.name(line) for line in lines if line]

    def meanwhile(self, *lines):
        self.between += [self.name(line) for line in lines if line]

    def end(self, *lines):
        self.finish += [self.name(line) for line in lines if line]

    def coin(self, share=0.5):
        return self.rng.random() < share

    def pick(self, *choices):
        return self.rng.choice(choices)

    def fail(self, condition):
        """A statement that fails if the condition holds, written in one of the ways of real programs."""
        way = self.rng.randrange(7)
        if way == 0:
            return "assert(!(%s));" % condition
        if way == 1:
            return "if (%s) abort();" % condition
        if way == 2:
            return "if (%s) { fprintf(stderr, \"bad\\n\"); assert(0); }" % condition
        if way == 3:
            self.need_helper("static void die@(void)", "fprintf(stderr, \"bad\\n\");", "abort();")
            return "if (%s) die@();" % condition
        if way == 4:
            self.need_helper("static void check@(int ok)", "if (!ok)", "\tassert(0 && \"bad\");")
            return "check@(!(%s));" % condition
        if way == 5:
            return "if (%s) exit(3);" % condition
        return "heddle_assert(!(%s));" % condition

    def need_helper(self, head, *lines):
        if not any(f[0] == self.name(head) for f in self.functions):
            self.function(head, *lines)


# ---- condition variables

@scenario
def buffer(p):
    wake = p.pick("signal", "signal", "broadcast")
    word = p.pick("while", "while", "if")
    one = p.coin()
    p.declare("static pthread_mutex_t m@ = PTHREAD_MUTEX_INITIALIZER;",
              "static pthread_cond_t full@ = PTHREAD_COND_INITIALIZER, empty@ = PTHREAD_COND_INITIALIZER;",
              "static int count@;")
    full, empty = ("full@", "full@") if one else ("full@", "empty@")
    p.thread("put@", "pthread_mutex_lock(&m@);", "%s (count@ == 1)" % word, "\tpthread_cond_wait(&%s, &m@);" % empty,
             "count@++;", p.fail("count@ > 1"), "pthread_cond_%s(&%s);" % (wake, full), "pthread_mutex_unlock(&m@);",
             times=2)
    p.thread("get@", "pthread_mutex_lock(&m@);", "%s (count@ == 0)" % word, "\tpthread_cond_wait(&%s, &m@);" % full,
             "count@--;", p.fail("count@ < 0"), "pthread_cond_%s(&%s);" % (wake, empty), "pthread_mutex_unlock(&m@);",
             times=p.pick(1, 2))
    if len(p.threads) == 3:
        p.main("count@ = 0;")
        p.threads = p.threads[1:] # one put, one get


@scenario
def two_predicates(p):
    wake = p.pick("signal", "broadcast")
    p.declare("static pthread_mutex_t m@ = PTHREAD_MUTEX_INITIALIZER;",
              "static pthread_cond_t c@ = PTHREAD_COND_INITIALIZER;", "static int a@, b@;")
    for v in ("a@", "b@"):
        p.thread("wait_" + v, "pthread_mutex_lock(&m@);", "while (!%s)" % v, "\tpthread_cond_wait(&c@, &m@);",
                 "pthread_mutex_unlock(&m@);")
    both = p.coin()
    p.meanwhile("pthread_mutex_lock(&m@);", "a@ = 1;", "b@ = 1;" if both else "", "pthread_cond_%s(&c@);" % wake,
                "pthread_mutex_unlock(&m@);", "pthread_mutex_lock(&m@);", "b@ = 1;",
                "pthread_cond_%s(&c@);" % wake, "pthread_mutex_unlock(&m@);")


@scenario
def timed_wait(p):
    p.declare("static pthread_mutex_t m@ = PTHREAD_MUTEX_INITIALIZER;",
              "static pthread_cond_t c@ = PTHREAD_COND_INITIALIZER;", "static int ready@;")
    p.thread("wait@", "struct timespec t;", "int rc = 0;", "clock_gettime(CLOCK_REALTIME, &t);", "t.tv_sec += 1;",
             "pthread_mutex_lock(&m@);", "while (!ready@ && rc == 0)", "\trc = pthread_cond_timedwait(&c@, &m@, &t);",
             p.fail("rc != 0" if p.coin(0.3) else "rc == 0 && !ready@"), "pthread_mutex_unlock(&m@);")
    p.meanwhile("pthread_mutex_lock(&m@);", "ready@ = 1;", "pthread_cond_signal(&c@);", "pthread_mutex_unlock(&m@);")


# ---- tries, spin loops, polling

@scenario
def try_lock(p):
    p.declare("static pthread_mutex_t m@ = PTHREAD_MUTEX_INITIALIZER;", "static int done@;")
    p.thread("work@", "if (pthread_mutex_trylock(&m@) == 0) {", "\tdone@++;", "\tpthread_mutex_unlock(&m@);", "}",
             times=2)
    p.end(p.fail("done@ == 0" if p.coin() else "done@ != 2"))


@scenario
def pulse(p):
    kind = p.pick("atomic_int", "atomic_int", "_Atomic _Bool")
    exits = p.coin()
    p.declare("static %s flag@, stop@;" % kind)
    p.thread("wait@", "while (!flag@%s)" % (" && !stop@" if exits else ""), "\tsched_yield();",
             p.fail("stop@ && !flag@") if exits and p.coin() else "")
    p.meanwhile("flag@ = 1;", "flag@ = 0;" if p.coin() else "", "stop@ = 1;" if exits else "")


@scenario
def peterson(p):
    first, second = "want@[i] = 1;", "turn@ = 1 - i;"
    if p.coin():
        first, second = second, first
    p.declare("static atomic_int want@[2], turn@;", "static int inside@;", "static atomic_int next@;")
    p.thread("enter@", "int i = atomic_fetch_add(&next@, 1);", first, second,
             "while (want@[1 - i] && turn@ == 1 - i)", "\t;", "inside@++;", p.fail("inside@ != 1"), "inside@--;",
             "want@[i] = 0;", times=2)


@scenario
def poll_under_lock(p):
    nap = p.pick("sched_yield();", "usleep(100);", "")
    p.declare("static pthread_mutex_t m@ = PTHREAD_MUTEX_INITIALIZER;", "static int flag@, value@;")
    p.thread("poll@", "int seen = 0;", "while (!seen) {", "\tpthread_mutex_lock(&m@);", "\tseen = flag@;",
             "\tpthread_mutex_unlock(&m@);", "\tif (!seen) { %s }" % nap, "}", p.fail("value@ != 7"))
    set_first = p.coin(0.7)
    p.meanwhile("value@ = 7;" if set_first else "", "pthread_mutex_lock(&m@);", "flag@ = 1;",
                "pthread_mutex_unlock(&m@);", "" if set_first else "value@ = 7;")


@scenario
def retries(p):
    p.declare("static atomic_int flag@;")
    p.thread("try@", "int left = 3;", "while (!flag@ && left > 0) {", "\tleft--;", "\tsched_yield();", "}",
             p.fail("left == 0") if p.coin() else p.fail("left < 0"))
    p.meanwhile("flag@ = 1;")


# ---- semaphores, barriers, once, joins

@scenario
def semaphore_value(p):
    p.declare("static sem_t s@;", "static int value@;")
    p.main("sem_init(&s@, 0, 0);")
    p.thread("post@", "sem_post(&s@);")
    p.thread("look@", "sem_getvalue(&s@, &value@);", p.fail("value@ == 1" if p.coin() else "value@ > 1"))


@scenario
def semaphore_try(p):
    p.declare("static sem_t s@;", "static atomic_int got@;")
    p.main("sem_init(&s@, 0, %d);" % p.pick(1, 2))
    p.thread("take@", "if (sem_trywait(&s@) == 0)", "\tgot@++;", times=2)
    p.end(p.fail("got@ == 2" if p.coin() else "got@ == 0"))


@scenario
def serial_thread(p):
    p.declare("static pthread_barrier_t b@;", "static atomic_int serial@;", "static int who@;")
    p.main("pthread_barrier_init(&b@, NULL, 2);")
    p.thread("one@", "if (pthread_barrier_wait(&b@) == PTHREAD_BARRIER_SERIAL_THREAD)", "\tserial@++, who@ = 1;")
    p.thread("two@", "if (pthread_barrier_wait(&b@) == PTHREAD_BARRIER_SERIAL_THREAD)", "\tserial@++, who@ = 2;")
    p.end(p.fail("serial@ != 1" if p.coin() else "who@ == 1"))


@scenario
def once(p):
    p.declare("static pthread_once_t once@ = PTHREAD_ONCE_INIT;", "static int runs@;", "static __thread int mine@;",
              "static atomic_int second@;")
    p.function("static void run@(void)", "runs@++;", "mine@ = 1;")
    p.thread("first@", "pthread_once(&once@, run@);")
    p.thread("other@", "pthread_once(&once@, run@);", "if (mine@)", "\tsecond@ = 1;")
    p.end(p.fail("runs@ != 1" if p.coin() else "second@"))


@scenario
def try_join(p):
    p.declare("static int value@;")
    p.function("static void *slow@(void *arg)", "value@ = 1;", "return arg;")
    p.main("pthread_t j@;", "pthread_create(&j@, NULL, slow@, NULL);")
    early = p.coin()
    p.meanwhile("if (pthread_tryjoin_np(j@, NULL) != 0)",
                ("\t{ %s pthread_join(j@, NULL); }" % (p.fail("value@ == 0") if early else "")))
    p.end(p.fail("value@ != 1"))


@scenario
def robust(p):
    p.declare("static pthread_mutex_t m@;", "static atomic_int dead@;")
    p.main("pthread_mutexattr_t a@;", "pthread_mutexattr_init(&a@);",
           "pthread_mutexattr_setrobust(&a@, PTHREAD_MUTEX_ROBUST);", "pthread_mutex_init(&m@, &a@);")
    p.thread("leave@", "pthread_mutex_lock(&m@);", "pthread_mutex_unlock(&m@);" if p.coin(0.3) else "")
    p.thread("next@", "int rc = pthread_mutex_lock(&m@);", "if (rc == EOWNERDEAD) {", "\tdead@ = 1;",
             "\tpthread_mutex_consistent(&m@);", "}", "pthread_mutex_unlock(&m@);")
    p.end(p.fail("dead@"))


@scenario
def read_locks(p):
    p.declare("static pthread_rwlock_t l@ = PTHREAD_RWLOCK_INITIALIZER;", "static int x@, y@;")
    p.thread("write@", "pthread_rwlock_wrlock(&l@);", "x@++;",
             "pthread_rwlock_unlock(&l@); pthread_rwlock_wrlock(&l@);" if p.coin() else "", "y@++;",
             "pthread_rwlock_unlock(&l@);")
    p.thread("read@", "if (pthread_rwlock_%srdlock(&l@) == 0) {" % p.pick("", "try"), "\t" + p.fail("x@ != y@"),
             "\tpthread_rwlock_unlock(&l@);", "}", times=p.pick(1, 2))


# ---- ends

@scenario
def no_join(p):
    p.declare("static atomic_int go@, x@;")
    p.thread("work@", "x@ = 1;", p.fail("go@") if p.coin() else p.fail("x@ != 1"), joined=False)
    p.meanwhile("go@ = 1;", "x@ = 1;")


@scenario
def exit_in_helper(p):
    p.declare("static atomic_int x@;")
    status = p.pick(0, 0, 1)
    p.function("static void leave@(void)", "fflush(stdout);", "exit(%d);" % status)
    p.thread("work@", "if (x@ == 1)", "\tleave@();", p.fail("x@ == 1"))
    p.meanwhile("x@ = 1;", "x@ = 0;" if p.coin() else "")


@scenario
def detached(p):
    p.declare("static sem_t s@;", "static int x@;", "static pthread_mutex_t m@ = PTHREAD_MUTEX_INITIALIZER;")
    p.main("sem_init(&s@, 0, 0);", "pthread_t d@;")
    late = p.coin()
    p.function("static void *work@(void *arg)", "pthread_detach(pthread_self());", "sem_post(&s@);" if late else "",
               "x@ = 1;", "" if late else "sem_post(&s@);", "return arg;")
    p.main("pthread_create(&d@, NULL, work@, NULL);")
    p.meanwhile("sem_wait(&s@);", p.fail("x@ != 1"))


@scenario
def cancel(p):
    p.declare("static pthread_mutex_t m@ = PTHREAD_MUTEX_INITIALIZER;", "static sem_t s@;", "static int clean@;")
    p.main("sem_init(&s@, 0, 0);", "pthread_t c@;")
    guarded = p.coin(0.7)
    p.function("static void tidy@(void *arg)", "clean@ = 1;", "pthread_mutex_unlock(arg);")
    p.function("static void *work@(void *arg)", "pthread_mutex_lock(&m@);",
               "pthread_cleanup_push(tidy@, &m@);" if guarded else "", "sem_wait(&s@);",
               "pthread_cleanup_pop(1);" if guarded else "pthread_mutex_unlock(&m@);", "return arg;")
    p.main("pthread_create(&c@, NULL, work@, NULL);")
    p.meanwhile("pthread_cancel(c@);", "pthread_join(c@, NULL);", "pthread_mutex_lock(&m@);",
                "pthread_mutex_unlock(&m@);")


@scenario
def handler(p):
    p.declare("static volatile sig_atomic_t got@;", "static atomic_int seen@;")
    p.function("static void on@(int sig)", "(void)sig;", "got@ = 1;")
    p.main("signal(SIGUSR1, on@);")
    p.thread("work@", "if (got@)", "\tseen@ = 1;", "raise(SIGUSR1);", p.fail("!got@"))
    p.end(p.fail("seen@") if p.coin() else "")


# ---- memory

@scenario
def block_length(p):
    p.declare("static char *b@;", "static atomic_int n@ = 8;")
    p.main("b@ = malloc(16);", "b@[0] = 0;")
    how = p.pick("memset(b@, 0, n@);", "memcpy(b@, \"0123456789abcdefghijklmnopqrstuvwxyz\", n@);",
                 "snprintf(b@, n@, \"%s\", \"0123456789abcdefghijklmnopqrst\");")
    p.thread("fill@", how)
    p.meanwhile("n@ = %d;" % p.pick(12, 16, 24, 32))


@scenario
def frame_gone(p):
    p.declare("static int *_Atomic at@;")
    p.function("static __attribute__((noinline)) void lend@(void)", "int x = 5;", "at@ = &x;",
               "" if p.coin() else "at@ = NULL;", "__asm__ volatile (\"\" ::: \"memory\");")
    p.thread("use@", "int *q = at@;", "if (q)", "\t*q = 6;")
    p.meanwhile("lend@();", "lend@();")


@scenario
def lazy_init(p):
    locked = p.coin()
    p.declare("static int *_Atomic cache@;", "static pthread_mutex_t m@ = PTHREAD_MUTEX_INITIALIZER;",
              "static atomic_int made@;")
    p.thread("get@", "pthread_mutex_lock(&m@);" if locked else "", "if (!cache@) {",
             "\tint *q = malloc(sizeof *q);", "\t*q = 1;", "\tcache@ = q;", "\tmade@++;", "}",
             "pthread_mutex_unlock(&m@);" if locked else "", p.fail("*cache@ != 1"), times=2)
    p.end(p.fail("made@ != 1"))


@scenario
def seats(p):
    p.declare("static pthread_mutex_t m@ = PTHREAD_MUTEX_INITIALIZER;", "static int left@ = 1;")
    p.function("static int free@(void)", "int n;", "pthread_mutex_lock(&m@);", "n = left@;",
               "pthread_mutex_unlock(&m@);", "return n;")
    p.function("static void take@(void)", "pthread_mutex_lock(&m@);", "left@--;", "pthread_mutex_unlock(&m@);")
    p.thread("book@", "if (free@() > 0)", "\ttake@();", times=2)
    p.end(p.fail("left@ < 0"))


@scenario
def published(p):
    p.declare("static int *_Atomic at@;", "static int x@;")
    order = p.coin()
    p.thread("put@", "int *q = malloc(sizeof *q);", "at@ = q;" if order else "*q = 3;", "*q = 3;" if order else "at@ = q;")
    p.thread("get@", "int *q = at@;", "if (q)", "\t{ %s }" % p.fail("*q != 3"))


# ---- state of the library and of the system

@scenario
def random_stream(p):
    p.declare("static int a@, b@, c@;")
    p.main("srand(1);", "c@ = rand();", "srand(1);")
    p.thread("one@", "a@ = rand%s;" % ("()" if p.coin(0.7) else "_r(&(unsigned){1})"))
    p.thread("two@", "b@ = rand();")
    p.end(p.fail("a@ != c@" if p.coin() else "a@ == b@"))


@scenario
def tokens(p):
    safe = p.coin()
    p.declare("static char one@[] = \"a b\", two@[] = \"c d\";")
    for k, first, last in (("one@", "a", "b"), ("two@", "c", "d")):
        call, more = ("strtok_r(%s, \" \", &save)" % k, "strtok_r(NULL, \" \", &save)") if safe else (
            "strtok(%s, \" \")" % k, "strtok(NULL, \" \")")
        p.thread("cut_" + k, "char *save = NULL, *t = %s;" % call, "(void)save;", p.fail("!t || *t != '%s'" % first),
                 "t = %s;" % more, p.fail("!t || *t != '%s'" % last))


@scenario
def environment(p):
    p.thread("set@", "setenv(\"HEDDLE_CROSS@\", \"1\", 1);")
    p.thread("get@", "char *v = getenv(\"HEDDLE_CROSS@\");", p.fail("v && *v == '1'" if p.coin() else "v && *v != '1'"))


@scenario
def pipe_of_two(p):
    p.declare("static int fd@[2];", "static int x@;")
    p.main("if (pipe(fd@)) return 0;")
    if p.coin():
        p.thread("put@", "x@ = 1;" if p.coin(0.8) else "", "if (write(fd@[1], \"A\", 1) != 1)", "\tabort();", "x@ = 1;")
        p.meanwhile("char c@;", "if (read(fd@[0], &c@, 1) != 1)", "\tabort();", p.fail("x@ != 1"))
    else:
        for c in "AB":
            p.thread("put%s@" % c, "if (write(fd@[1], \"%s\", 1) != 1)" % c, "\tabort();")
        p.end("char c@;", "if (read(fd@[0], &c@, 1) != 1)", "\tabort();", p.fail("c@ != 'A'"))


@scenario
def printing(p):
    p.declare("static pthread_mutex_t m@ = PTHREAD_MUTEX_INITIALIZER;", "static int n@;")
    p.thread("say@", "pthread_mutex_lock(&m@);", "n@++;", "printf(\"%d\\n\", n@);", "pthread_mutex_unlock(&m@);",
             times=2)
    p.end(p.fail("n@ != 2"))


@scenario
def sleeping(p):
    p.declare("static atomic_int x@;", "static int y@;")
    p.thread("early@", "y@ = 1;", "x@ = 1;")
    p.thread("late@", "usleep(1000);" if p.coin() else "struct timespec t = {0, 1000000};\n\tnanosleep(&t, NULL);",
             p.fail("!x@") if p.coin() else "if (x@)\n\t\t" + p.fail("!y@"))


def program(seed, only=None):
    """(names of the scenarios, text)"""
    rng = random.Random(seed)
    names = [only] if only else rng.sample(sorted(SCENARIOS), rng.choice((1, 1, 1, 2)))
    parts = []
    for k, name in zip("12", names):
        part = Part(rng, k)
        SCENARIOS[name](part)
        parts.append(part)
    out = ["/* tests/cross/scenarios.py --seed %d: %s */" % (seed, ", ".join(names)), "#define _GNU_SOURCE"]
    out += ["#include <%s.h>" % h for h in HEADERS] + ["#include <heddle/heddle.h>", ""]
    for p in parts:
        out += p.globals
    out.append("")
    for p in parts: # helpers of failures before the functions that call them
        for f in sorted(p.functions, key=lambda f: "(void *arg)" in f[0]):
            out += f
    threads = [t for p in parts for t in p.threads]
    out += ["int main(void)", "{", "\tpthread_t t[%d];" % max(len(threads), 1), ""]
    out += ["\t" + line for p in parts for line in p.setup]
    out += ["\tpthread_create(&t[%d], NULL, %s, NULL);" % (i, f) for i, (f, _) in enumerate(threads)]
    out += ["\t" + line for p in parts for line in p.between]
    out += ["\tpthread_join(t[%d], NULL);" % i for i, (_, joined) in enumerate(threads) if joined]
    out += ["\t(void)t;"] + ["\t" + line for p in parts for line in p.finish] + ["\treturn 0;", "}", ""]
    return names, "\n".join(out)


def main():
    ap = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    ap.add_argument("--seed", type=int, default=1)
    ap.add_argument("--only", choices=sorted(SCENARIOS))
    ap.add_argument("--list", action="store_true")
    o = ap.parse_args()
    print("\n".join(sorted(SCENARIOS)) if o.list else program(o.seed, o.only)[1], end="\n" if o.list else "")


if __name__ == "__main__":
    main()
