"""Oracles: heddle's result for random programs, compared with the result of a slow and simple twin.

A program that heddle-cc does not compile, or that heddle does not execute to its end, is a failure. A program that
the twin cannot enumerate, or whose recorded run always fails, loses statements at random until it can be
compared; if that does not help, it is left out. A program on which heddle calls its own result incomplete is not
reduced: what heddle reported must be true, but the program does not count as compared. The report counts the programs
that were reduced or not compared by reason, and fails if fewer than 95 of 100 programs are compared.
"""
import argparse
import concurrent.futures
import os
import random
import re
import subprocess
import sys
import tempfile

from harness.failure import Failure
from harness.program import INCLUDE, run_process

SECONDS = 20
SHARE = 95      # per cent of the programs that must be compared, unless the oracle has a share of its own
REDUCTIONS = (1, 1, 2, 2, 4, 4, 8) # statements that a program loses each time, before it is left out


class Skip(Exception):
    """The program cannot be compared, for the reason that the message names."""


class Incomplete(Exception):
    """heddle's result is true but incomplete, for the reason that the message names."""


class Wrong(Exception):
    """A tool of heddle failed on the program."""


def run(command, seconds=60):
    """(status, output, error); status None if it took too long: then its children are killed too, because a
    recorded program that spins outlives a collector that was killed."""
    try:
        r = run_process(command, seconds)
    except Failure as f:
        return None, "", f"{f}: {' '.join(command)}"
    return r.status, r.output, r.error


def is_c(text):
    """A program that lost a statement may be none: an else without its if."""
    return subprocess.run(["cc", "-fsyntax-only", "-w", "-I" + INCLUDE, "-xc", "-"], input=text.encode(),
                          stderr=subprocess.DEVNULL).returncode == 0


def without(program, statements, rng):
    """The program without so many statements, chosen at random, or as many as it can lose."""
    for _ in range(statements):
        smaller = list(program.reduced())
        rng.shuffle(smaller)
        program = next((p for p in smaller if is_c(p.text())), program)
    return program


class Oracle:
    """A subclass has difference(text, folder): '' if both agree, else the differences, one a line."""
    name = "oracle"
    share = SHARE

    def __init__(self, build):
        self.heddle = os.path.join(build, "heddle")
        self.cc = os.path.join(build, "heddle-cc")

    def build(self, text, folder):
        source, exe = os.path.join(folder, "prog.c"), os.path.join(folder, "prog")
        with open(source, "w") as f:
            f.write(text)
        flags = re.search(r"flags: ([-\w ]*)", text)
        rc, _, err = run([self.cc, "-g", "-w", "-pthread", "-I" + INCLUDE]
                         + (flags[1].split() if flags else []) + [source, "-o", exe])
        if rc:
            raise Wrong("heddle-cc: status %s: %s" % (rc, err.strip().split("\n")[0]))
        return exe

    def try_text(self, text):
        with tempfile.TemporaryDirectory(prefix=self.name + ".") as folder:
            try:
                return self.difference(text, folder)
            except Wrong as w:
                return str(w)

    def try_program(self, program, seed):
        """(the program or a smaller one that can be compared, its differences, why it was reduced); Skip, Incomplete"""
        rng, why = random.Random(seed), ""
        for statements in (*REDUCTIONS, 0):
            try:
                return program, self.try_text(program.text()), why
            except Skip as s:
                why = str(s)
                smaller = without(program, statements, rng)
                if smaller is program:
                    raise
                program = smaller

    def minimized(self, program, wrong):
        """The smallest program that still differs, going down one statement at a time."""
        def words(w):
            return {line.split(" at ")[0].split(": status")[0] for line in w.split("\n")}

        kinds, tries, again = words(wrong), 150, True
        while again:
            again = False
            for p in program.reduced():
                tries -= 1
                if not tries:
                    return program, wrong
                try:
                    w = self.try_text(p.text()) if is_c(p.text()) else ""
                except (Skip, Incomplete):
                    continue
                if w and words(w) & kinds:
                    program, wrong, again = p, w, True
                    break
        return program, wrong

    def summary(self):
        """Lines for the end of the report."""
        return []


class Result:
    def __init__(self, name, text, wrong="", skipped="", reduced=""):
        self.name, self.text, self.wrong = name, text, wrong
        self.skipped, self.reduced = skipped, reduced


def compare_file(oracle, path):
    with open(path) as f:
        text = f.read()
    try:
        return Result(path, text, oracle.try_text(text))
    except (Skip, Incomplete) as s:
        return Result(path, text, skipped=str(s))


def compare_seed(oracle, generate, seed, minimize):
    name, program = "seed %d" % seed, generate(seed)
    whole = program.text()
    try:
        program, wrong, reduced = oracle.try_program(program, seed)
    except (Skip, Incomplete) as s:
        return Result(name, whole, skipped=str(s))
    if wrong and minimize:
        program, wrong = oracle.minimized(program, wrong)
    return Result(name + (", reduced" if reduced else ""), program.text(), wrong, reduced=reduced)


class Report:
    def __init__(self, tap, keep, share):
        self.tap, self.keep, self.share = tap, keep, share
        self.count = self.differ = 0
        self.skipped, self.reduced = {}, {} # programs by reason

    def add(self, r):
        self.count += 1
        self.differ += bool(r.wrong)
        for why, counts in ((r.skipped, self.skipped), (r.reduced, self.reduced)):
            if why:
                counts[why] = counts.get(why, 0) + 1
        if self.tap or r.wrong:
            print("%s %d - %s%s" % ("not ok" if r.wrong else "ok", self.count, r.name,
                                    " # SKIP " + r.skipped if r.skipped else ""))
        if r.wrong:
            self.explain(r)
        sys.stdout.flush()

    def explain(self, r):
        print("".join("# %s\n" % line for line in r.wrong.split("\n")), end="")
        if self.keep:
            path = os.path.join(self.keep, re.sub(r"\W+", "-", r.name) + ".c")
            with open(path, "w") as f:
                f.write(r.text + "".join("// %s\n" % line for line in r.wrong.split("\n")))
            print("# kept as " + path)
        else:
            print("".join("# | %s\n" % line for line in r.text.split("\n")), end="")

    def end(self, lines):
        compared = self.count - sum(self.skipped.values())
        ok = compared * 100 >= self.count * self.share
        share = "%d of %d programs compared%s%s" % (
            compared, self.count,
            "".join("; %d reduced: %s" % (k, why) for why, k in sorted(self.reduced.items())),
            "".join("; %d not: %s" % (k, why) for why, k in sorted(self.skipped.items())))
        if self.tap:
            print("%s %d - %s; at least %d%%" % ("ok" if ok else "not ok", self.count + 1, share, self.share))
            print("1..%d" % (self.count + 1))
        for line in [*lines, "%s; %d differ" % (share, self.differ)]:
            print("# " + line)
        return 0 if ok and not self.differ else 1


def arguments(doc):
    ap = argparse.ArgumentParser(description=doc, formatter_class=argparse.RawDescriptionHelpFormatter)
    ap.add_argument("--build", required=True, type=os.path.abspath)
    ap.add_argument("--count", type=int, default=300)
    ap.add_argument("--seed", type=int, default=1)
    ap.add_argument("-j", "--jobs", type=int, default=os.cpu_count())
    ap.add_argument("--tap", action="store_true")
    ap.add_argument("--keep", metavar="DIR")
    ap.add_argument("--minimize", action="store_true")
    ap.add_argument("files", nargs="*")
    return ap


def compare_all(o, oracle, generate):
    """The files, or random programs: generate(seed). The exit status."""
    if o.keep:
        os.makedirs(o.keep, exist_ok=True)
    report = Report(o.tap, o.keep, oracle.share)
    with tempfile.TemporaryDirectory(prefix=oracle.name + "-cache.") as cache, \
            concurrent.futures.ThreadPoolExecutor(o.jobs) as pool:
        os.environ["XDG_CACHE_HOME"] = cache # nobody executes these programs again
        results = pool.map(lambda f: compare_file(oracle, f), o.files) if o.files else pool.map(
            lambda seed: compare_seed(oracle, generate, seed, o.minimize),
            range(o.seed, o.seed + o.count))
        for r in results:
            report.add(r)
    return report.end(oracle.summary())
