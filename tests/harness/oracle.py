"""Oracles: heddle's result for random programs, compared with the result of a slow and simple twin.

A program that heddle-cc does not compile, or that heddle does not execute to its end, is a failure. A program that
the twin cannot enumerate, or whose recorded run always fails, loses statements at random until it can be
compared; if that does not help, it is left out. A program on which heddle calls its own result incomplete is not
reduced: what heddle reported must be true, but the program does not count as compared. The report counts the programs
that were reduced or not compared by reason, and fails if fewer than 95 of 100 programs are compared.

Most of the cost of a small program is that of compiling it, and of building its images. So programs are compiled
in batches (batch.py), and one of ALONE seeds is compiled alone. What differs in a batch is compared again alone, and reported in
any case. The result for a seed does not depend on the other seeds.
"""
import argparse
import concurrent.futures
import os
import random
import re
import subprocess
import sys
import tempfile

from harness import batch
from harness.failure import Failure
from harness.program import INCLUDE, run_process

SECONDS = 20
SHARE = 95      # per cent of the programs that must be compared, unless the oracle has a share of its own
ALONE = 20      # one of so many seeds is compiled alone
IN_BATCH = "only in a batch"
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


def twin_words(words):
    """The words of a program for a twin, whose operands after the program are others."""
    return ["--program", str(len(words) - 2), words[0]] if len(words) > 1 else words


def flags_of(text):
    flags = re.search(r"flags: ([-\w ]*)", text)
    return flags[1].split() if flags else []


class Oracle:
    """A subclass has difference(text, folder): '' if both agree, else the differences, one a line."""
    name = "oracle"
    share = SHARE
    batch = 20 # programs that are compiled as one

    def __init__(self, build):
        self.heddle = os.path.join(build, "heddle")
        self.cc = os.path.join(build, "heddle-cc")
        self.batched = {} # the words that execute a program of a batch, by its text

    def compile(self, text, folder):
        source, exe = os.path.join(folder, "prog.c"), os.path.join(folder, "prog")
        with open(source, "w") as f:
            f.write(text)
        rc, _, err = run([self.cc, "-g", "-w", "-pthread", "-I" + INCLUDE, *flags_of(text), source, "-o", exe])
        if rc:
            raise Wrong("heddle-cc: status %s: %s" % (rc, err.strip().split("\n")[0]))
        return exe

    def compile_batch(self, texts, folder):
        exe = self.compile(batch.combined(texts), folder)
        for i, text in enumerate(texts):
            source = os.path.join(folder, batch.source_name(i))
            os.mkdir(os.path.dirname(source))
            with open(source, "w") as f:
                f.write(text)
            self.batched[text] = [exe, *batch.arguments(i)]

    def build(self, text, folder):
        """The words that execute the program."""
        return self.batched.get(text) or [self.compile(text, folder)]

    def try_text(self, text):
        with tempfile.TemporaryDirectory(prefix=self.name + ".") as folder:
            try:
                return self.difference(text, folder)
            except Wrong as w:
                return str(w)

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


class Work:
    """One seed: its program, smaller after each attempt that cannot be compared, until there is a result."""

    def __init__(self, seed, program):
        self.seed, self.program, self.text = seed, program, program.text()
        self.whole, self.rng, self.why = self.text, random.Random(seed), ""
        self.statements = iter((*REDUCTIONS, 0))
        self.result = None

    def is_alone(self):
        return self.seed % ALONE == 0

    def end(self, **how):
        name = "seed %d%s" % (self.seed, ", reduced" if self.why and "skipped" not in how else "")
        self.result = Result(name, self.whole if "skipped" in how else self.text, reduced=self.why, **how)

    def attempt(self, oracle, minimize):
        try:
            wrong = oracle.try_text(self.text)
        except Skip as s:
            self.reduce(str(s))
        except Incomplete as i:
            self.why = ""
            self.end(skipped=str(i))
        else:
            if wrong:
                wrong = self.again_alone(oracle, wrong)
                if minimize and not wrong.startswith(IN_BATCH):
                    self.program, wrong = oracle.minimized(self.program, wrong)
                    self.text = self.program.text()
            self.end(wrong=wrong)

    def reduce(self, why):
        smaller = without(self.program, next(self.statements), self.rng)
        if smaller is self.program:
            self.why = ""
            self.end(skipped=why)
        else:
            self.program, self.text, self.why = smaller, smaller.text(), why

    def again_alone(self, oracle, wrong):
        """The differences of the program compiled alone; if there are none, those of the batch, and the whole of it."""
        words = oracle.batched.pop(self.text, None)
        if not words:
            return wrong
        for _ in range(3): # recorded runs vary
            try:
                alone = oracle.try_text(self.text)
            except (Skip, Incomplete):
                continue
            if alone:
                return alone
        with open(words[0] + ".c") as f:
            self.text = f.read()
        return IN_BATCH + ", with %d arguments: %s" % (len(words) - 1, wrong)


def batches_of(works, size):
    """Programs with the same flags, and some that are compiled alone."""
    groups = {}
    for w in works:
        groups.setdefault(w.seed if w.is_alone() else tuple(flags_of(w.text)), []).append(w)
    return [g[i:i + size] for g in groups.values() for i in range(0, len(g), size)]


def compare_batch(oracle, works, minimize):
    with tempfile.TemporaryDirectory(prefix=oracle.name + "-batch.") as folder:
        texts, failure = [w.text for w in works], ""
        if len(works) > 1:
            try:
                oracle.compile_batch(texts, folder)
            except Wrong as w:
                failure = str(w)
        for w, text in zip(works, texts):
            w.attempt(oracle, minimize)
            oracle.batched.pop(text, None)
        if failure and not any(w.result and w.result.wrong.startswith("heddle-cc:") for w in works):
            works[0].text = batch.combined(texts)
            works[0].end(wrong="%s: %s" % (IN_BATCH, failure))


def compare_seeds(pool, oracle, generate, seeds, minimize):
    """The results, in the order of the seeds."""
    works = [Work(seed, generate(seed)) for seed in seeds]
    told = 0
    while told < len(works):
        left = batches_of([w for w in works if not w.result], oracle.batch)
        list(pool.map(lambda works: compare_batch(oracle, works, minimize), left))
        while told < len(works) and works[told].result:
            yield works[told].result
            told += 1


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
        results = pool.map(lambda f: compare_file(oracle, f), o.files) if o.files else compare_seeds(
            pool, oracle, generate, range(o.seed, o.seed + o.count), o.minimize)
        for r in results:
            report.add(r)
    return report.end(oracle.summary())
