#!/usr/bin/env python3
"""Changed copies of the files that heddle reads, through the commands that read them. Prints TAP.

usage: run.py HEDDLE HEDDLE_CC FORGE_TRACE [--count N] [--seed N] [--keep DIR] [--audit] [KIND...]

For each kind of file, N copies of a good one (300), each with some bytes changed, removed, doubled or cut off;
`forged` are traces whose checksums are right again. No command may crash, exceed its time, or make a claim that it
does not make of the good file: it says what is wrong (exit code 1), that its result is incomplete (3), or exactly
what it says of the good file. --audit: a heddle that crashes, hangs or makes another claim on one copy must be
noticed. `work` are a few traces that ask for endless work. Forged traces are of runs that might have happened, so only crashes and time count.
"""
import argparse
import concurrent.futures
import os
import random
import re
import resource
import shutil
import sqlite3
import subprocess
import sys
import tempfile

HERE = os.path.dirname(os.path.abspath(__file__))
SECONDS = 10           # of processor time, for one command
MEMORY = 3 << 30       # address space beyond which a command may not go
KINDS = {}


def kind(f):
    KINDS[f.__name__] = f
    return f


class Failure(Exception):
    pass


def limit():
    resource.setrlimit(resource.RLIMIT_CPU, (SECONDS, SECONDS + 1))
    resource.setrlimit(resource.RLIMIT_CORE, (0, 0))
    resource.setrlimit(resource.RLIMIT_DATA, (MEMORY, MEMORY))


class Result:
    def __init__(self, words, cwd, env=None):
        self.words = words
        p = subprocess.run(words, capture_output=True, cwd=cwd, preexec_fn=limit, stdin=subprocess.DEVNULL,
                           timeout=300, env=env)
        self.code = p.returncode
        self.out, self.err = (s.decode(errors="replace") for s in (p.stdout, p.stderr))

    def __str__(self):
        return f"exit code {self.code}: {' '.join(self.words)}\n{self.out[-1500:]}{self.err[-1500:]}"

    def claim(self):
        """What the command says, without times and names of directories."""
        text = re.sub(r"\d+\.\d+ s\b", "- s", self.out)
        return self.code, re.sub(r"\S*heddle-mutation-\S*", "-", text)


def broken(r):
    """How the command failed to keep its rules; None."""
    if r.code < 0 or r.code >= 128:
        return "a crash, or more than %d seconds" % SECONDS
    if re.search(r"\bBUG\b|internal error|Sanitizer|runtime error:", r.err):
        return "an internal error"
    if r.code == 1 and "error" not in r.err:
        return "an exit code 1 without a message"
    return None


def mutate(data, rng):
    """Some bytes changed, removed, doubled, exchanged for others; or the end cut off."""
    data = bytearray(data)
    for _ in range(rng.choice((1, 1, 1, 2, 5))):
        if not data:
            return bytes(data)
        at, how = rng.randrange(len(data)), rng.randrange(8)
        n = rng.choice((1, 2, 4, 8, 40))
        if how < 3:
            data[at] ^= 1 << rng.randrange(8)
        elif how == 3:
            data[at:at + n] = rng.choice((b"\0", b"\xff", b"9", b"\x7f")) * len(data[at:at + n])
        elif how == 4:
            del data[at:at + n]
        elif how == 5:
            data[at:at] = data[at:at + n]
        elif how == 6:
            data[at] = rng.randrange(256)
        elif rng.random() < 0.3:
            del data[at:]
    return bytes(data)


def read(path):
    with open(path, "rb") as f:
        return f.read()


def write(path, data):
    with open(path, "wb") as f:
        f.write(data)


class Campaign:
    def __init__(self, opts):
        self.opts = opts
        shared = "/dev/shm" if os.access("/dev/shm", os.W_OK) else None
        self.dir = tempfile.mkdtemp(prefix="heddle-mutation-", dir=opts.keep or shared)
        self.exe = self.path("target")
        self.need("heddle-cc", [opts.heddle_cc, "-g", "-O1", "-pthread", os.path.join(HERE, "target.c"),
                                "-o", self.exe])

    def path(self, *names):
        return os.path.join(self.dir, *names)

    def need(self, what, words, codes=(0,)):
        r = Result(words, self.dir)
        if r.code not in codes:
            raise Failure(f"{what}: {r}")
        return r

    def heddle(self, *words, cwd=None):
        return Result([self.opts.heddle, *words], cwd or self.dir)

    def box(self, i):
        """A directory for copy i."""
        path = self.path("box%d" % i)
        os.makedirs(path)
        return path

    def each(self, check):
        """Calls check(i, rng, box) for each copy; gives the failures."""
        def one(i):
            box = self.box(i)
            try:
                check(i, random.Random(self.opts.seed * 1000003 + i), box)
                shutil.rmtree(box)
            except Failure as e:
                if not self.opts.keep:
                    shutil.rmtree(box)
                return f"copy {i}: {e}"
            return None
        with concurrent.futures.ThreadPoolExecutor(self.opts.jobs) as pool:
            return [f for f in pool.map(one, range(self.opts.count)) if f]


def judge(r, good=None, incomplete=(1, 2, 3)):
    """Raises Failure if the command broke its rules, or says other things than of the good file."""
    why = broken(r)
    if why:
        raise Failure(f"{why}: {r}")
    if good and r.code not in incomplete and r.claim() != good.claim():
        raise Failure(f"another claim: {r}\nof the good file: {good}")


# ---- traces ----------------------------------------------------------------------------------------------------

def record(c):
    c.need("heddle record", [c.opts.heddle, "record", "-o", c.path("trace"), c.exe])
    good = c.heddle("predict", "--no-replay", "--dir", c.box(1000000), c.path("trace"))
    if good.code or "no failure in any schedule" not in good.out:
        raise Failure(f"heddle predict: {good}")
    return good, c.heddle("trace", c.path("trace"))


@kind
def trace(c):
    """a trace with changed bytes"""
    good, shown = record(c)

    def check(_, rng, box):
        name = rng.choice(("log", "log", "log", "log", "meta", "program"))
        copy = os.path.join(box, "trace")
        shutil.copytree(c.path("trace"), copy)
        write(os.path.join(copy, name), mutate(read(os.path.join(copy, name)), rng))
        judge(c.heddle("predict", "--no-replay", "--dir", box, copy), good)
        if rng.randrange(4) == 0:
            judge(c.heddle("trace", copy), shown)
    return c.each(check)


@kind
def forged(c):
    """a trace with changed bytes and right checksums"""
    record(c)
    os.makedirs(c.path("forged"))
    c.need("forge_trace", [c.opts.forge, c.path("trace"), c.path("forged"), str(c.opts.seed), str(c.opts.count)])

    def check(i, rng, box):
        copy = c.path("forged", str(i))
        judge(c.heddle("predict", "--no-replay", "--seconds=5", "--dir", box, copy))
        if rng.randrange(4) == 0:
            judge(c.heddle("trace", copy))
        if not c.opts.keep:
            shutil.rmtree(copy)
    return c.each(check)


@kind
def work(c):
    """a trace that would need much work"""
    record(c)
    c.need("forge_trace", [c.opts.forge, "--threads", c.path("trace"), c.path("threads"), "60000"])
    judge(c.heddle("predict", "--no-replay", "--seconds=3", "--dir", c.dir, c.path("threads")))
    exe = c.path("loop")
    c.need("heddle-cc", [c.opts.heddle_cc, "-g", "-O1", os.path.join(HERE, "loop.c"), "-o", exe])
    c.need("heddle record", [c.opts.heddle, "record", "-o", c.path("short"), exe])
    c.need("forge_trace", [c.opts.forge, "--number", c.path("short"), c.path("endless"), "123457", str(1 << 62)])
    r = c.heddle("trace", c.path("endless"))
    judge(r)
    if r.code != 3 or "more instructions than the time of the run allows" not in r.out:
        raise Failure(f"an endless loop: {r}")
    return []


# ---- programs, findings, test cases, frontiers -----------------------------------------------------------------

def deposit(c):
    """A small program with an assertion that fails under some schedules."""
    exe = c.path("deposit")
    c.need("heddle-cc", [c.opts.heddle_cc, "-g", "-O1", "-pthread",
                         os.path.join(HERE, "../../examples/deposit.c"), "-o", exe])
    return exe


def predict_failure(c):
    """The finding, in .heddle of the campaign's directory, and what its replay says."""
    c.need("heddle record", [c.opts.heddle, "record", "-o", c.path("trace"), deposit(c)])
    c.need("heddle predict", [c.opts.heddle, "predict", "--only=assert", "--dir", c.dir, c.path("trace")], (66,))
    good = c.heddle("replay", "-q", "H1")
    if good.code != 66 or "seen again" not in good.out:
        raise Failure(f"heddle replay: {good}")
    return good


@kind
def executable(c):
    """an executable of heddle-cc"""
    data = read(deposit(c))

    def check(_, rng, box):
        exe = os.path.join(box, "program")
        write(exe, mutate(data, rng))
        judge(c.heddle(rng.choice(("info", "dump")), exe))
    return c.each(check)


@kind
def database(c):
    """a database of findings"""
    good = predict_failure(c)
    data = read(c.path(".heddle", "findings.db"))

    def check(_, rng, box):
        os.mkdir(os.path.join(box, ".heddle"))
        write(os.path.join(box, ".heddle", "findings.db"), mutate(data, rng))
        judge(c.heddle("replay", "-q", "-C", box, "H1"), good)
    return c.each(check)


@kind
def finding(c):
    """a finding in a file"""
    good = predict_failure(c)
    db = sqlite3.connect(c.path(".heddle", "findings.db"))
    text, = db.execute("select finding from findings").fetchone()
    db.close()

    def check(_, rng, box):
        path = os.path.join(box, "finding.json")
        write(path, mutate(text.encode(), rng))
        r = c.heddle("replay", "-q", "--timeout=10", path)
        judge(r)
        # a failure that is seen is that of the real program, whatever the file calls it
        if r.code == 66 and r.out.splitlines()[-1] != good.out.splitlines()[-1]:
            raise Failure(f"another claim: {r}\nof the good file: {good}")
    return c.each(check)


@kind
def testcase(c):
    """a test case"""
    c.need("heddle explore", [c.opts.heddle, "explore", "--no-replay", "-o", c.path("tests"), deposit(c)], (3,))
    texts = [read(c.path("tests", name)) for name in sorted(os.listdir(c.path("tests"))) if "assert" in name]

    def check(_, rng, box):
        path = os.path.join(box, "test.json")
        write(path, mutate(rng.choice(texts), rng))
        judge(c.heddle("test", "--machine", "--timeout=10", path))
    return c.each(check)


@kind
def frontier(c):
    """the states that an exploration has left"""
    exe = c.path("fine")
    c.need("heddle-cc", [c.opts.heddle_cc, "-g", "-O1", "-pthread", os.path.join(HERE, "fine.c"), "-o", exe])
    c.need("heddle explore", [c.opts.heddle, "explore", "--max-paths=2", "-o", c.path("left"), exe], (3,))
    shutil.copytree(c.path("left"), c.path("good"))

    def resume(folder):
        return c.heddle("explore", "--resume", "--seconds=5", "-o", folder, exe, cwd=os.path.dirname(folder))
    good = resume(c.path("good"))
    if good.code or "every path was executed" not in good.out:
        raise Failure(f"heddle explore: {good}")
    data = read(c.path("left", "frontier.json"))

    def check(_, rng, box):
        folder = os.path.join(box, "left")
        shutil.copytree(c.path("left"), folder)
        write(os.path.join(folder, "frontier.json"), mutate(data, rng))
        judge(resume(folder), good)
    return c.each(check)


@kind
def search(c):
    """the runs that a search of `check --deep` has made"""
    exe = c.path("fine")
    c.need("heddle-cc", [c.opts.heddle_cc, "-g", "-O1", "-pthread", os.path.join(HERE, "fine.c"), "-o", exe])
    os.mkdir(c.path("good"))
    c.need("heddle check", [c.opts.heddle, "check", "--deep", "--dir", c.path("good"), "--", exe])

    def resume(folder):
        return c.heddle("check", "--resume", "--seconds=10", "--dir", folder, "--", exe)
    good = resume(c.path("good"))
    if good.code or "no failure in any schedule" not in good.out:
        raise Failure(f"heddle check: {good}")
    data = read(c.path("good", ".heddle", "deep", "frontier.db"))

    def check(_, rng, box):
        folder = os.path.join(box, "search")
        shutil.copytree(c.path("good"), folder)
        write(os.path.join(folder, ".heddle", "deep", "frontier.db"), mutate(data, rng))
        judge(resume(folder), good)
    return c.each(check)


# ---- the campaign can fail ---------------------------------------------------------------------------------------

# A heddle that goes wrong on one copy of each kind (its directory is box1), in each of these ways.
FAULTS = {
    "crash": "kill -SEGV $$",
    "hang": "while :; do :; done",
    "internal error": "echo 'heddle: BUG: spoiled' >&2; exit 1",
    "silent error": "exit 1",
    "other claim": "echo 'heddle: no failure in any schedule of another program'; exit 0",
}
NO_CLAIM = ("forged", "executable", "finding", "testcase")  # only crashes and messages count


def audit(opts):
    """Each kind must report each fault of a spoiled heddle."""
    global SECONDS
    real, failed, n = opts.heddle, 0, 0
    opts.count, SECONDS = 2, 3
    for name in opts.kinds or [k for k in KINDS if k != "work"]:
        for fault, commands in FAULTS.items():
            if fault == "other claim" and name in NO_CLAIM:
                continue
            with tempfile.TemporaryDirectory(prefix="heddle-audit-") as d:
                opts.heddle = os.path.join(d, "heddle")
                with open(opts.heddle, "w") as f:
                    f.write(f'#!/bin/sh\ncase "$* " in\n*/box1/*|*/box1\\ *|*/forged/1\\ *) {commands};;\nesac\n'
                            f'exec {real} "$@"\n')
                os.chmod(opts.heddle, 0o755)
                c = Campaign(opts)
                try:
                    failures = KINDS[name](c)
                except Failure as e:
                    failures = [f"the good file: {e}"]
                shutil.rmtree(c.dir)
            n += 1
            seen = len(failures) == 1 and failures[0].startswith("copy 1:")
            failed += not seen
            print(f"{'ok' if seen else 'not ok'} {n} - {name}: {fault}", flush=True)
            for f in failures if not seen else []:
                print("#   " + f.replace("\n", "\n#   "))
    print(f"1..{n}")
    return 1 if failed else 0


# ---- all of them -----------------------------------------------------------------------------------------------

def main():
    ap = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    ap.add_argument("heddle", type=os.path.abspath)
    ap.add_argument("heddle_cc", type=os.path.abspath)
    ap.add_argument("forge", type=os.path.abspath)
    ap.add_argument("--count", type=int, default=300, help="copies of each kind")
    ap.add_argument("--seed", type=int, default=1)
    ap.add_argument("--jobs", type=int, default=1)
    ap.add_argument("--audit", action="store_true", help="a spoiled heddle must be noticed")
    ap.add_argument("--keep", help="what failed stays in this directory")
    ap.add_argument("kinds", nargs="*", metavar="KIND")
    opts = ap.parse_args()
    if opts.audit:
        return audit(opts)
    names, failed = opts.kinds or list(KINDS), 0
    print(f"1..{len(names)}")
    for n, name in enumerate(names, 1):
        c = None
        try:
            c = Campaign(opts)
            failures = KINDS[name](c)
        except Failure as e:
            failures = [str(e)]
        if c and not (opts.keep and failures):
            shutil.rmtree(c.dir)
        failed += bool(failures)
        print(f"{'not ok' if failures else 'ok'} {n} - {KINDS[name].__doc__}")
        for f in failures[:5]:
            print("#   " + f.replace("\n", "\n#   "))
        if failures:
            print(f"#   {len(failures)} of {opts.count} copies")
        sys.stdout.flush()
    return 1 if failed else 0


sys.exit(main())
