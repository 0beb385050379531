#!/usr/bin/env python3
"""Programs are recorded and executed again: hashes equal, the observed order of synchronization obeys
every primitive, and memory at the end is what the re-execution computes.

run_record.py --build DIR [--runs N] [--load] [--count N] [--seed FIRST] [--jobs N] [--tap]
              [--no-memory] [--keep DIR] [PATH...]

A PATH is an annotated C file or a folder of them (tests/README.md describes the annotations).
What the recorded run prints must fit them as the native run does. Programs that show a bug
(check-command) or that behave differently natively (check-native) are recorded too, without a look at
what they print; if they do not end they are ended by SIGTERM, and their trace is read all the same.

--count N: as many programs of gen.py, from seed FIRST on. They must print the checksum that they
print natively. With --load two busy processes run beside everything.
"""
import argparse
import concurrent.futures
import os
import re
import shutil
import sys
import tempfile

sys.path[:0] = [os.path.dirname(os.path.abspath(__file__)),
                os.path.join(os.path.dirname(os.path.abspath(__file__)), "..")]
import gen
from harness import annotations
from harness.failure import Failure as Unexpected
from harness.program import Program
from recorded import Failure, Heddle, Load, Report, run

ENDLESS_SECONDS = 3
COMPARED = re.compile(r"\d+ bytes compared, 0 differ")

# These do what C does not define, and so may read what no log holds: their traces must be readable
# and may say that a run is not reproducible.
UNDEFINED = {"bug_heap_overflow", "bug_uninitialized_branch", "bug_use_after_free", "bug_double_free",
             "bug_stack_argument", "bug_tls_escape", "libc_fortify_overflow", "bug_use_destroyed",
             "bug_join_twice", "bug_join_detached", "bug_aba"}
# What heddle says about those that it cannot record to their end.
PARTLY = {"libc_signal": "a signal handler was left by longjmp"}


class Recorded:
    """One program, recorded several times."""

    def __init__(self, heddle, exe, tmp, built, memory):
        self.heddle, self.exe, self.tmp, self.built, self.memory = heddle, exe, tmp, built, memory

    def once(self, k, args, stdin=None, seconds=60, may=(0,), check=None, partly=None):
        trace, dump = self.exe + ".trace%d" % k, self.exe + ".dump%d" % k
        commands = [self.built]
        cwd = os.path.join(self.tmp, "run%d" % k)  # what the program leaves behind goes away
        os.mkdir(cwd)
        try:
            r = self.heddle.record(self.exe, args, trace, dump=dump, seconds=seconds, stdin=stdin,
                                   cwd=cwd)
            commands.append(r.shown)
            if r.status not in (0, None):
                raise Failure("heddle record: status %d\n%s" % (r.status, r.said()))
            if check:
                check(r)
            have_dump = os.path.exists(dump)
            if isinstance(r.fate, int) and r.status == 0 and not have_dump:
                raise Failure("the program ended in order, and its memory was not dumped")
            if partly:
                t = self.heddle.trace(trace, may=(3,))
                if partly not in t.output:
                    raise Failure("not a word about '%s'\n%s" % (partly, t.said()), [t.shown])
                may = (0, 3)
            t = self.heddle.trace(trace, dump=dump if have_dump and self.memory else None, may=may)
            if self.memory and have_dump and t.status == 0 and not COMPARED.search(t.output):
                raise Failure("no word about memory\n" + t.said(), [t.shown])
        except Failure as f:
            raise Failure(str(f), commands + f.commands) from None
        shutil.rmtree(trace, ignore_errors=True)
        shutil.rmtree(cwd, ignore_errors=True)
        if have_dump:
            os.unlink(dump)


# ---- annotated programs ----------------------------------------------------------------------------

def run_annotated(heddle, path, runs, tmp, memory):
    notes = annotations.parse(path)
    if "exec --symbolic" in notes.get("command", ""):
        return "for the machine only"
    if "known-to-fail" in notes:
        return notes["known-to-fail"]
    p = Program(path, notes, heddle.dir, tmp)
    stem = os.path.splitext(os.path.basename(path))[0]
    p.compile()
    free = "command" in notes or "native" in notes
    recorded = Recorded(heddle, p.exe, tmp, p.built, memory)

    def check(r):
        if r.fate is None:
            raise Failure("'heddle record' did not say how the program ended\n" + r.said())
        r.status = r.fate
        try:
            p.expect(r, r.command, with_error=False)
        except Unexpected as f:
            raise Failure(str(f)) from None
        if "exit" not in notes and r.fate != 0:
            raise Failure("the program's status is %s" % r.fate)
        r.status = 0

    for k in range(runs):
        recorded.once(k, p.args, p.stdin, ENDLESS_SECONDS if free else 60,
                      (0, 3) if stem in UNDEFINED else (0,), None if free else check,
                      PARTLY.get(stem))
    return None


# ---- generated programs ------------------------------------------------------------------------------

def checksum(text):
    return [line for line in text.split("\n") if line.startswith("det ")]


def run_generated(heddle, seed, runs, tmp, memory):
    source, exe = os.path.join(tmp, "g%d.c" % seed), os.path.join(tmp, "g%d" % seed)
    with open(source, "w") as f:
        f.write(gen.generate(seed))
    built = heddle.compile(source, exe)
    native = run([exe], 60)
    want = checksum(native.output)
    if native.status or len(want) != 1:
        raise Failure("natively: status %s\n%s" % (native.status, native.said()), [built, exe])

    def check(r):
        if r.fate != 0 or checksum(r.output) != want:
            raise Failure("the recorded run ended with %s and printed %s, natively %s\n%s" % (
                r.fate, checksum(r.output), want, r.said()))

    for k in range(runs):
        Recorded(heddle, exe, tmp, built, memory).once(k, [], check=check)


# ---- all of them -------------------------------------------------------------------------------------

def one(opts, job):
    """(name, failure, reason to skip)"""
    tmp = tempfile.mkdtemp(prefix="heddle-record-", dir=opts.keep)
    heddle, failure, skip = Heddle(opts.build), None, None
    try:
        if isinstance(job, int):
            name = "generated, seed %d" % job
            run_generated(heddle, job, opts.generated_runs, tmp, opts.memory)
        else:
            name = os.path.relpath(job)
            skip = run_annotated(heddle, job, opts.runs, tmp, opts.memory)
    except (Failure, Unexpected) as f:
        failure = f
    if not failure or not opts.keep:
        shutil.rmtree(tmp, ignore_errors=True)
    return name, failure, skip


def main():
    ap = argparse.ArgumentParser(description=__doc__,
                                 formatter_class=argparse.RawDescriptionHelpFormatter)
    ap.add_argument("--build", required=True)
    ap.add_argument("--runs", type=int, default=3)
    ap.add_argument("--count", type=int, default=0)
    ap.add_argument("--generated-runs", type=int, default=1)
    ap.add_argument("--seed", type=int, default=1)
    ap.add_argument("--no-memory", dest="memory", action="store_false", help="hashes only")
    ap.add_argument("--load", action="store_true")
    ap.add_argument("-j", "--jobs", type=int, default=os.cpu_count())
    ap.add_argument("--tap", action="store_true")
    ap.add_argument("--keep", help="programs and traces of failures stay in this folder")
    ap.add_argument("paths", nargs="*")
    opts = ap.parse_args()
    if opts.keep:
        opts.keep = os.path.abspath(opts.keep)
        os.makedirs(opts.keep, exist_ok=True)
    jobs = annotations.c_files(opts.paths) + list(range(opts.seed, opts.seed + opts.count))
    report = Report(opts.tap)
    with Load(opts.load), concurrent.futures.ThreadPoolExecutor(opts.jobs) as pool:
        for name, failure, skip in pool.map(lambda j: one(opts, j), jobs):
            report.add(name, failure, skip)
    return report.end()


if __name__ == "__main__":
    sys.exit(main())
