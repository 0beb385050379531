#!/usr/bin/env python3
"""Programs under schedules, with drive.c. Prints TAP.

usage: run.py --build DIR [--seeds N] [--only WORD]

 1. cases/*.c. The first comment of a file has, besides check-name:
	args: WORDS       of the program, from here on
	drive: OPTIONS    one run under that schedule; --names P.N,P.N… are its threads (0.0,0.1,0.2,0.3)
	expect: TEXT      a regular expression that a line of what drive prints begins with; LINE is any
			  number, CASE the folder of the cases
	same: output      the program printed what it printed in the case's first run with this
    Every run is made twice, and its hash must be the same.
 2. the programs of tests/programs at random: their output is the expected one, equal seeds have
    equal hashes, a trace of the run counts the same points for each thread, and the switches of the
    run, given back as steps, are the same run.
"""
import argparse
import os
import re
import shlex
import subprocess
import sys
import tempfile

HERE = os.path.dirname(os.path.abspath(__file__))
sys.path.insert(0, os.path.dirname(HERE))
from harness import annotations  # noqa: E402
from harness.program import compile_cached  # noqa: E402

PROGRAMS = os.path.join(os.path.dirname(HERE), "programs")

# Programs whose output at random is not the expected one, or not comparable, and why.
NOT_AT_RANDOM = {
    "sleep_order.c": "its order comes from sleeps, which order nothing at random",
    "rwlock_writer_preference.c": "sleeps so that the writer waits by then",
}
# What the switches of these do not say, and why.
NOT_REPLAYED = {
    "cancel_points.c": "a thread that is cancelled where it waits passes no point",
    "cancel_cond_cleanup.c": "a thread that is cancelled where it waits passes no point",
    "rwlock_writer_preference.c": "a writer that was let run up to where it waits keeps others out",
}
# The order is the operating system's, too: no hash, no replay.
NATIVE = {
    "libc_futex.c": "threads wait in futex() calls of their own",
}
# A trace of these ends early, so that it cannot tell how many points there were.
CUT = {
    "libc_signal.c": "a handler is left by longjmp, which ends the recording of the thread",
    "bug_uninitialized_branch.c": "decides by memory that nobody has set: not reproducible from there",
}


CUT_OFF = 1  # FOLLOW_CUT


class Failure(Exception):
    pass


class Run:
    """What drive printed."""

    def __init__(self, text):
        head, _, self.output = text.partition("\noutput\n")
        self.lines = head.split("\n")

    def word(self, key):
        for line in self.lines:
            if line.startswith(key + " "):
                return line[len(key) + 1:]
        return ""

    def all(self, key):
        return [line.split()[1:] for line in self.lines if line.startswith(key + " ")]


class Driver:
    def __init__(self, build, tmp):
        self.build = build
        self.drive = os.path.join(build, "tests/enforce/enforce_drive")
        self.cc = os.path.join(build, "heddle-cc")
        self.tmp = tmp
        self.outputs = {}  # by case: of its first run that others must agree with
        self.env = dict(os.environ, XDG_CACHE_HOME=os.path.join(tmp, "cache"), LC_ALL="C")
        self.include = os.path.join(os.path.dirname(os.path.dirname(HERE)), "include")

    def call(self, words, timeout=120):
        try:
            p = subprocess.run(words, cwd=self.tmp, env=self.env, timeout=timeout,
                               stdin=subprocess.DEVNULL, stdout=subprocess.PIPE,
                               stderr=subprocess.PIPE, encoding="latin-1")
        except subprocess.TimeoutExpired:
            raise Failure(f"no end in {timeout} s: {shlex.join(words)}") from None
        if p.returncode:
            raise Failure(f"exit status {p.returncode}: {shlex.join(words)}\n{p.stderr}")
        return p.stdout

    def compile(self, source, flags=()):
        exe = os.path.join(self.tmp, os.path.splitext(os.path.basename(source))[0])
        command = [self.cc, "-O2", "-g", "-pthread", *flags, "-I", self.include, source, "-lm"]
        r = compile_cached(self.build, command, source, exe, self.env)
        if r.status:
            raise Failure(f"heddle-cc: status {r.status}: {shlex.join(command)}\n{r.error}")
        return exe

    def run(self, options, command):
        return Run(self.call([self.drive, "--seconds", "40", *options, "--", *command]))


# ---- cases ----------------------------------------------------------------------------------

def threads(names):
    return [word for name in names.split(",") for word in ("--thread", name)]


def parse_case(path):
    """(name, [(args, options, [expectation], the output is to be the same)])"""
    with open(path) as f:
        lines = list(annotations.comment_lines(f.read()))
    name, args, runs = None, [], []
    for line in lines:
        key, _, value = line.partition(":")
        if key == "check-name":
            name = value.strip()
        elif key == "args":
            args = shlex.split(value)
        elif key == "drive":
            options = shlex.split(value)
            names = "0.0,0.1,0.2,0.3"
            if "--names" in options:
                at = options.index("--names")
                names = options[at + 1]
                del options[at:at + 2]
            runs.append([args, threads(names) + options, [], False])
        elif key == "expect":
            runs[-1][2].append(value.strip())
        elif key == "same":
            runs[-1][3] = True
    return name, runs


def check_case(driver, path, args, options, expect, same):
    exe = driver.compile(path) if not os.path.exists(
        os.path.join(driver.tmp, os.path.basename(path)[:-2])) else \
        os.path.join(driver.tmp, os.path.basename(path)[:-2])
    run = driver.run(options, [exe, *args])
    folder = re.escape(os.path.dirname(path))
    for text in expect:
        pattern = text
        if re.match(r"text .*LINE", text):
            pattern = re.escape(text).replace("LINE", r"\d+").replace("CASE", folder)
        if not any(re.match(pattern, line) for line in run.lines):
            raise Failure(f"no line '{text}' with {shlex.join(options)} {args}:\n" +
                          "\n".join(run.lines[:40]))
    if same and driver.outputs.setdefault(path, run.output) != run.output:
        raise Failure(f"another output with {shlex.join(options)}:\n{run.output}\nthe first was:\n"
                      f"{driver.outputs[path]}")
    again = driver.run(options, [exe, *args])
    native = int(run.word("flags")) & 1 or "free" in options
    if not native and run.word("hash") != again.word("hash"):
        raise Failure(f"another hash the second time with {shlex.join(options)} {args}")


# ---- programs at random ---------------------------------------------------------------------

def counts_of_run(run):
    """(parent, nth) and points by number"""
    return {int(n): (int(parent), int(nth), int(points))
            for n, parent, nth, points in run.all("count")}


def check_counts(driver, run, trace):
    counts = counts_of_run(run)
    numbers = {(parent, nth): n for n, (parent, nth, _) in counts.items()}
    of_log = {}
    lines = Run(driver.call([driver.drive, "--count", trace])).all("counted")
    for log, kind, parent, nth, points, status in (map(int, words) for words in lines):
        if kind > 1:
            continue  # a handler, or a thread that native code made
        n = 0 if kind == 0 else numbers.get((of_log.get(parent), nth))
        if n is None:
            raise Failure(f"thread {log} of the trace has no name in the run")
        of_log[log] = n
        if status == CUT_OFF and points > counts[n][2]:
            continue  # followed on as far as it needs nothing from others
        if counts[n][2] != points:
            raise Failure(f"thread {n} passed {counts[n][2]} points, its trace has {points} "
                          f"(status {status})")
    return len(of_log)


def check_output(notes, run):
    fate = run.word("fate").split()
    if fate[0] not in ("exited", "misuse") or int(run.word("status")) != int(notes.get("exit", 0)) << 8:
        raise Failure(f"fate {' '.join(fate)}, status {run.word('status')}: {run.word('text')}")
    if "output" in notes and run.output != notes["output"]:
        raise Failure("another output:\n" + run.output)
    for text in notes["output-contains"]:
        if text not in run.output:
            raise Failure(f"'{text}' is not in the output:\n{run.output}")


def check_replayed(driver, run, command, options):
    """The switches of a run are a schedule: the same run."""
    if int(run.word("flags")):
        return
    names = sorted(counts_of_run(run).items())
    if any(parent == 2 ** 32 - 1 for n, (parent, _, _) in names if n) or \
            any(int(words[0].split(":")[0]) < 0 for words in run.all("switch")):
        return  # there are threads without a name
    words = []
    for n, (parent, nth, _) in names:
        words += ["--thread", f"{parent}.{nth}"] if n else []
    for (switch,) in run.all("switch"):
        words += ["--step", switch]
    again = driver.run(words + options, command)
    if again.word("hash") != run.word("hash"):
        raise Failure(f"its switches as steps are another run: {again.word('text')}")


def check_program(driver, path, notes, seeds):
    name = os.path.basename(path)
    exe = driver.compile(path, shlex.split(notes.get("flags", "")))
    command = [exe, *shlex.split(notes.get("args", ""))]
    stdin = os.path.join(driver.tmp, name + ".in")
    with open(stdin, "wb") as f:
        f.write(notes.get("stdin", "").encode().decode("unicode_escape").encode("latin-1"))
    for seed in range(1, seeds + 1):
        trace = os.path.join(driver.tmp, "trace")
        options = ["--input", stdin]
        at_random = ["--mode", "random", "--seed", str(seed), *options]
        run = driver.run(at_random + ["--trace", trace], command)
        if "command" not in notes and name not in NOT_AT_RANDOM:
            check_output(notes, run)
        if name not in CUT:
            check_counts(driver, run, trace)
        if name in NATIVE:
            continue
        again = driver.run(at_random, command)
        if again.word("hash") != run.word("hash"):
            raise Failure(f"seed {seed}: another hash the second time")
        if name not in NOT_REPLAYED:
            check_replayed(driver, run, command, options)


def check_same(driver):
    """Equal seeds give equal hashes, 20 times; different ones do not."""
    exe = driver.compile(os.path.join(PROGRAMS, "cond_producers_consumers.c"))
    for mode in (["--mode", "random"], ["--mode", "pct", "--depth", "3", "--length", "500"]):
        hashes = {driver.run(mode + ["--seed", "7"], [exe]).word("hash") for _ in range(20)}
        if len(hashes) != 1:
            raise Failure(f"{len(hashes)} hashes of one seed with {mode}")
        hashes = {driver.run(mode + ["--seed", str(seed)], [exe]).word("hash")
                  for seed in range(10)}
        if len(hashes) < 8:
            raise Failure(f"only {len(hashes)} hashes of ten seeds with {mode}")


# ---- all of it ------------------------------------------------------------------------------

def tests(driver, seeds, only):
    for name in sorted(os.listdir(os.path.join(HERE, "cases"))):
        path = os.path.join(HERE, "cases", name)
        if only and only not in name:
            continue
        title, runs = parse_case(path)
        for i, run in enumerate(runs):
            yield f"{name} {i + 1}: {title}", check_case, (path, *run)
    if not only:
        yield "equal seeds, equal hashes", check_same, ()
    for name in sorted(os.listdir(PROGRAMS)):
        path = os.path.join(PROGRAMS, name)
        if not name.endswith(".c") or (only and only not in name):
            continue
        yield f"{name} at random", check_program, (path, annotations.parse(path), seeds)


def main():
    parser = argparse.ArgumentParser()
    parser.add_argument("--build", required=True)
    parser.add_argument("--seeds", type=int, default=3)
    parser.add_argument("--only")
    args = parser.parse_args()
    failed = 0
    with tempfile.TemporaryDirectory(prefix="heddle-enforce-") as tmp:
        driver = Driver(os.path.abspath(args.build), tmp)
        n = 0
        for n, (title, check, words) in enumerate(tests(driver, args.seeds, args.only), 1):
            try:
                check(driver, *words)
                print(f"ok {n} - {title}", flush=True)
            except Failure as e:
                failed += 1
                print(f"not ok {n} - {title}", flush=True)
                for line in str(e).split("\n"):
                    print("# " + line, flush=True)
        print(f"1..{n}")
    return failed != 0


if __name__ == "__main__":
    sys.exit(main())
