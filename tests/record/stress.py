#!/usr/bin/env python3
"""Recordings that end badly, or meet a hostile world.

stress.py --build DIR [--long] [--seed N] [--tap] [--keep DIR] [NAME...]

Each scenario records programs of tests/record/victims and reads the traces. The program itself must
never notice; heddle must say clearly what is wrong, never die of a signal, and never show an event
that did not happen. With --long every random scenario runs many times more. NAMEs choose scenarios.
"""
import argparse
import collections
import os
import random
import shlex
import shutil
import signal
import subprocess
import sys
import tempfile
import time

sys.path.insert(0, os.path.dirname(os.path.abspath(__file__)))
from recorded import Failure, Heddle, Report, run

HERE = os.path.dirname(os.path.abspath(__file__))
SCENARIOS = {}


class Skip(Exception):
    pass


def scenario(function):
    SCENARIOS[function.__name__] = function
    return function


class World:
    """What a scenario gets: heddle, a folder of its own, chance, and the programs."""

    def __init__(self, heddle, tmp, exes, seed, long):
        self.heddle, self.tmp, self.exes, self.long = heddle, tmp, exes, long
        self.rng = random.Random(seed)
        self.trace = os.path.join(tmp, "trace")

    def times(self, short, long):
        return long if self.long else short

    def fresh(self, path=None):
        path = path or self.trace
        shutil.rmtree(path, ignore_errors=True)
        return path

    def record(self, name, *args, options=(), **kw):
        return self.heddle.record(self.exes[name], [str(a) for a in args], self.fresh(), *options,
                                  cwd=self.tmp, **kw)

    def need(self, ok, what, r):
        if not ok:
            raise Failure("%s\n%s" % (what, r.said()), [getattr(r, "shown", shlex.join(r.command))])

    def ended(self, r, fate, output=None):
        self.need(r.status == 0, "heddle record: status %s" % r.status, r)
        self.need(r.fate == fate, "the program ended with %s, expected %s" % (r.fate, fate), r)
        self.need(output is None or output in r.output, "'%s' is not in the output" % output, r)


def size_of(folder):
    return sum(os.path.getsize(os.path.join(folder, f)) for f in os.listdir(folder)
               if f.startswith("log"))


def child_of(pid, seconds=5):
    """The first child of a process, when it has one."""
    until = time.monotonic() + seconds
    while time.monotonic() < until:
        try:
            with open("/proc/%d/task/%d/children" % (pid, pid)) as f:
                words = f.read().split()
        except OSError:
            return None
        if words:
            return int(words[0])
        time.sleep(0.002)
    return None


# ---- killed ---------------------------------------------------------------------------------------

def start(w, *args):
    """`heddle record` on the busy program, that runs until somebody ends it; and the program."""
    command = [w.heddle.heddle, "record", "-o", w.fresh(), "--", w.exes["busy"], *map(str, args)]
    p = subprocess.Popen(command, stdin=subprocess.DEVNULL, stdout=subprocess.PIPE,
                         stderr=subprocess.DEVNULL, env=w.heddle.env, start_new_session=True)
    p.stdout.readline()  # "started"
    target = child_of(p.pid)
    if not target:
        p.kill()
        raise Failure("the program was not started", [shlex.join(command)])
    return p, target


def finish(p, target):
    for pid in (target, p.pid):
        try:
            os.kill(pid, signal.SIGKILL)
        except ProcessLookupError:
            pass
    p.stdout.close()
    return p.wait()


@scenario
def kill_target(w):
    """SIGKILL to the program at random times: everything before it is reproduced"""
    for _ in range(w.times(4, 200)):
        p, target = start(w, 1000000000, w.rng.randint(1, 6))
        time.sleep(w.rng.choice((0, 0.002, 0.02, 0.1, 0.3)) * w.rng.random())
        os.kill(target, signal.SIGKILL)
        try:
            status = p.wait(60)
        except subprocess.TimeoutExpired:
            finish(p, target)
            raise Failure("heddle record does not end after its program was killed") from None
        p.stdout.close()
        if status:
            raise Failure("heddle record: status %d after its program was killed" % status)
        w.heddle.trace(w.trace)


def read_what_is_left(w, may_be_whole=False):
    """Chunks that nobody had taken away yet died with the collector: what is left is shown as a part. A run that ended
    before the kill is whole: then its end is in the trace."""
    r = w.heddle.trace(w.trace, may=(0, 1, 3) if may_be_whole else (1, 3))
    if r.status == 0:
        w.need("end         exit status 0" in r.output, "a part is shown as a whole run", r)
        return
    missing = ("beginning of its log is missing", "the main thread's log is missing",
               "the log ends early")
    w.need(any(m in r.output + r.error for m in missing), "no clear error", r)
    w.need("re-execution diverged" not in r.output and "not re-executed" not in r.output,
           "a thread cannot be re-executed", r)


@scenario
def kill_both(w):
    """SIGKILL to program and collector at once: what was written can be read"""
    for _ in range(w.times(3, 150)):
        p, target = start(w, 1000000000, 3)
        time.sleep(0.3 * w.rng.random())
        os.killpg(p.pid, signal.SIGKILL)
        finish(p, target)
        read_what_is_left(w)


@scenario
def kill_collector(w):
    """SIGKILL to the collector alone: the program goes on and ends as if nothing had happened"""
    for _ in range(w.times(2, 50)):
        p, target = start(w, w.times(30000, 60000), 3)
        time.sleep(0.02 + 0.1 * w.rng.random())
        os.kill(p.pid, signal.SIGKILL)
        rest = p.stdout.read().decode()  # to the end: the program holds the other end of the pipe
        p.stdout.close()
        p.wait()
        if "steps" not in rest:
            raise Failure("the program did not survive its collector: %r" % rest)
        read_what_is_left(w, may_be_whole=True)


@scenario
def ends(w):
    """exit, _exit, quick_exit, abort, assertions, crashes, exec, fork, in any thread"""
    fates = {"exit": 3, "_exit": 4, "quick_exit": 5, "abort": "SIGABRT", "assert": "SIGABRT",
             "segv": "SIGSEGV", "kill": "SIGKILL", "term": "SIGTERM", "exec": 0, "fork": 0,
             "return": 0}
    for _ in range(w.times(1, 20)):
        for way, fate in fates.items():
            for name in (way, "thread-" + way):
                dump = os.path.join(w.tmp, "dump")
                r = w.record("ends", name, dump=dump)
                w.ended(r, fate)
                have = os.path.exists(dump)
                w.heddle.trace(w.trace, dump=dump if have and way != "exec" else None)
                if have:
                    os.unlink(dump)
                if way == "exec":
                    w.need("hello from echo" in r.output, "exec did not happen", r)
                if way == "fork":
                    w.need("parent saw 7" in r.output and "main ends" in r.output, "fork", r)


# ---- little room -------------------------------------------------------------------------------------

@scenario
def limit(w):
    """--limit: the log never grows past it, and what is left can be read"""
    for size in (1, 2) if not w.long else (1, 2, 3, 8, 64) * 4:
        r = w.record("busy", w.times(30000, 200000), 3, options=["--limit", "%dM" % size])
        w.ended(r, 0, "steps")
        bytes_ = size_of(w.trace)
        w.need(bytes_ <= size << 20, "the log has %d bytes, more than %d MiB" % (bytes_, size), r)
        w.heddle.trace(w.trace)


@scenario
def window(w):
    """--window: the newest chunks of each thread"""
    for n in (1, 4) if not w.long else (1, 2, 3, 4, 7, 20) * 3:
        r = w.record("busy", w.times(5000, 50000), w.rng.randint(1, 5), options=["--window", str(n)])
        w.ended(r, 0, "steps")
        w.heddle.trace(w.trace)


@scenario
def full_disk(w):
    """the disk is full: the program does not notice, heddle says so, the trace is readable"""
    disk = os.path.join(w.tmp, "disk")
    os.makedirs(disk, exist_ok=True)
    if run(["mount", "-t", "tmpfs", "-o", "size=%dk" % w.times(1024, 4096), "none", disk]).status:
        raise Skip("no right to mount a small tmpfs")
    try:
        for _ in range(w.times(1, 10)):
            trace = w.fresh(os.path.join(disk, "trace"))
            r = w.heddle.record(w.exes["busy"], ["200000", "3"], trace, cwd=w.tmp)
            w.need(r.fate == 0 and "steps" in r.output, "the program did not end in order", r)
            w.need(r.status == 1 and "o space left" in r.error, "a full disk is not reported", r)
            r = w.heddle.trace(trace, may=(3,))
            w.need("stopped before the end" in r.output, "that the trace is not whole is not said", r)
        with open(os.path.join(disk, "filler"), "wb") as f:
            shutil.rmtree(trace)
            f.write(b"x" * (w.times(1024, 4096) * 1024 - 20000))
        r = w.heddle.record(w.exes["busy"], ["10"], trace, cwd=w.tmp)
        w.need(r.status == 1, "no room at all: status %s" % r.status, r)
    finally:
        run(["umount", disk])


@scenario
def unwritable(w):
    """the trace cannot be made: a clear error"""
    plain = os.path.join(w.tmp, "file")
    with open(plain, "w") as f:
        f.write("mine")
    for trace in (plain, plain + "/trace", "/proc/trace", os.path.join(w.tmp, "no/such/folder")):
        r = w.heddle.record(w.exes["busy"], ["10"], trace, cwd=w.tmp)
        w.need(r.status == 1 and "error" in r.error and trace.split("/")[-1] in r.error,
               "no clear error for '%s'" % trace, r)
    with open(plain) as f:
        if f.read() != "mine":
            raise Failure("a file of the user was overwritten")
    other = os.path.join(w.tmp, "other")
    os.mkdir(other)
    with open(os.path.join(other, "letter"), "w") as f:
        f.write("mine")
    r = w.heddle.record(w.exes["busy"], ["10"], other, cwd=w.tmp)
    w.need(r.status == 1 and os.listdir(other) == ["letter"], "a folder of the user was taken", r)


# ---- many, and from elsewhere ---------------------------------------------------------------------

@scenario
def threads(w):
    """a thousand threads: short ones, and all at once"""
    n = 1000
    for at_once in (20, n):
        dump = os.path.join(w.tmp, "dump")
        r = w.record("many", n, at_once, dump=dump)
        w.ended(r, 0, "%d\n" % (n * (n - 1) // 2))
        w.heddle.trace(w.trace, dump=dump)
        t = w.heddle.trace(w.trace)
        w.need("%d threads" % (n + 1) in t.output, "not all threads are in the summary", t)
    if w.long:
        w.ended(w.record("many", 20000, 100), 0)
        w.heddle.trace(w.trace)


@scenario
def piped(w):
    """standard input and output are the program's own"""
    text = os.path.join(w.tmp, "text")
    with open(text, "w") as f:
        f.write("warp\nweft\n" * 50)
    dump = os.path.join(w.tmp, "dump")
    r = w.record("filter", stdin=text, dump=dump)
    w.ended(r, 0, "100: weft\n")
    w.heddle.trace(w.trace, dump=dump)


@scenario
def by_a_script(w):
    """HEDDLE_OPTIONS reaches programs that a script starts"""
    script = os.path.join(w.tmp, "runner.sh")
    with open(script, "w") as f:
        f.write("#!/bin/sh\n%s 100 2\n%s 2>/dev/null\n%s exit\necho status $?\n" % (
            w.exes["busy"], w.exes["many"], w.exes["ends"]))
    os.chmod(script, 0o755)
    folder = w.fresh(os.path.join(w.tmp, "traces"))
    env = dict(w.heddle.env, HEDDLE_OPTIONS="record=" + folder)
    r = run([script], 60, env=env, cwd=w.tmp)
    w.need(r.status == 0 and "200 steps" in r.output and "499500" in r.output and
           "status 3" in r.output, "the script's programs did not run as they do", r)
    found = [folder] if os.path.exists(os.path.join(folder, "meta")) else \
        [os.path.join(folder, d) for d in os.listdir(folder)] if os.path.isdir(folder) else []
    w.need(bool(found), "nothing was recorded in %s" % folder, r)
    for trace in found:
        for _ in range(100):  # the collector ends a moment after its program
            with open(os.path.join(trace, "meta"), errors="replace") as f:
                if "complete=1" in f.read():
                    break
            time.sleep(0.1)
        w.heddle.trace(trace)


@scenario
def foreign(w):
    """what was not built by heddle-cc, or is no program at all"""
    for exe in ("/bin/true", "/etc/passwd", os.path.join(w.tmp, "missing")):
        r = w.heddle.record(exe, [], w.fresh(), cwd=w.tmp)
        w.need(r.status == 1 and "error" in r.error and not os.path.exists(w.trace),
               "no clear error for '%s'" % exe, r)
    for trace in ("/", "/etc/passwd", os.path.join(w.tmp, "missing")):
        w.heddle.trace(trace, may=(1,))


@scenario
def exclude(w):
    """functions that are not traced: their results are taken as given"""
    for pattern in ("put", "take", "work", "*"):
        r = w.record("busy", 300, 3, options=["--exclude", pattern])
        w.ended(r, 0, "900 steps")
        w.heddle.trace(w.trace)


# ---- damaged -----------------------------------------------------------------------------------------

def events_of(w, trace, may=(0, 1, 3)):
    r = w.heddle.trace(trace, "--events", may=may)
    # without the time, which is interpolated between those of all threads
    return r, collections.Counter(line.lstrip(" .0123456789") for line in r.output.split("\n"))


def damage(w, data):
    """Some bytes of a file changed, cut off, or put in."""
    data, kind = bytearray(data), w.rng.randrange(6)
    at = w.rng.randrange(len(data))
    if kind == 0:
        del data[at:]
    elif kind == 1:
        del data[at:at + w.rng.choice((1, 4, 40, 4096))]
    elif kind == 2:
        data[at:at] = bytes(w.rng.randrange(256) for _ in range(w.rng.choice((1, 8, 64))))
    elif kind == 3:
        data[at:at + 64] = bytes(len(data[at:at + 64]))
    else:
        for _ in range(w.rng.choice((1, 1, 3, 30))):
            data[w.rng.randrange(len(data))] ^= 1 << w.rng.randrange(8)
    return bytes(data)


@scenario
def damaged(w):
    """changed bytes in a trace: no crash, and no event that the whole trace does not have"""
    w.ended(w.record("busy", 60, 3), 0)
    whole, events = events_of(w, w.trace, (0,))
    w.need(sum(events.values()) > 100, "hardly any events", whole)
    for k in range(w.times(40, 2000)):
        bad = w.fresh(os.path.join(w.tmp, "damaged"))
        shutil.copytree(w.trace, bad)
        name = w.rng.choice(["log"] * 4 + ["meta", "program"])
        with open(os.path.join(bad, name), "rb") as f:
            data = f.read()
        with open(os.path.join(bad, name), "wb") as f:
            changed = damage(w, data)
            f.write(changed)
        r, left = events_of(w, bad)
        w.need(r.status or changed == data or (name == "meta" and left == events),
               "damage %d of '%s' is not noticed" % (k, name), r)
        # a thread that is gone has no name any more where others create or join it
        more = [e for e in left - events if not any(known.startswith(e) for known in events)]
        if more:
            raise Failure("damage %d of '%s' gives events that did not happen:\n%s" % (
                k, name, "\n".join(sorted(more)[:5])), [r.shown])


# ---- all of them ----------------------------------------------------------------------------------------

def main():
    ap = argparse.ArgumentParser(description=__doc__,
                                 formatter_class=argparse.RawDescriptionHelpFormatter)
    ap.add_argument("--build", required=True)
    ap.add_argument("--long", action="store_true")
    ap.add_argument("--seed", type=int, default=1)
    ap.add_argument("--tap", action="store_true")
    ap.add_argument("--keep", help="what failing scenarios left stays in this folder")
    ap.add_argument("names", nargs="*", metavar="NAME")
    opts = ap.parse_args()
    for name in opts.names:
        if name not in SCENARIOS:
            sys.exit("stress.py: there is no scenario '%s' (%s)" % (name, ", ".join(SCENARIOS)))
    heddle, report = Heddle(opts.build), Report(opts.tap)
    base = tempfile.mkdtemp(prefix="heddle-stress-", dir=opts.keep)
    victims = os.path.join(HERE, "victims")
    exes = {f[:-2]: os.path.join(base, f[:-2]) for f in sorted(os.listdir(victims))
            if f.endswith(".c")}
    for name, exe in exes.items():
        heddle.compile(os.path.join(victims, name + ".c"), exe)
    for name, function in SCENARIOS.items():
        if opts.names and name not in opts.names:
            continue
        tmp, failure, skip = os.path.join(base, "in-" + name), None, None
        os.mkdir(tmp)
        began = time.monotonic()
        try:
            function(World(heddle, tmp, exes, opts.seed, opts.long))
        except Failure as f:
            failure = f
        except Skip as s:
            skip = str(s)
        report.add("%s: %s" % (name, function.__doc__), failure, skip)
        if not opts.tap:
            print("%-16s %5.1f s" % (name, time.monotonic() - began), flush=True)
        if not (opts.keep and failure):
            shutil.rmtree(tmp, ignore_errors=True)
    if not (opts.keep and report.failed):
        shutil.rmtree(base, ignore_errors=True)
    return report.end()


if __name__ == "__main__":
    sys.exit(main())
