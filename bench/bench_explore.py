#!/usr/bin/env python3
"""Exploration: the table of the paper on arbitrary contexts (§6), on programs of the same shapes, and
single-threaded anchors.

For each context of bench/explore/*.c (its first comment has them: where the threads stand, how many
conditional branches a path may have): the paths up to that bound with everything on (full), without
reaching definitions (-RD, --no-reach), without synchronization invariants (-SI, --no-invariants), and
with neither (naive); instructions a second and the share of the solver for each. The paper schedules
threads cooperatively: here a path switches at most once away from a thread that could go on. What naive has and
full has not are paths that cannot happen. The last columns are naive / full here and in the paper
(goal: at least as much).

For each anchor of bench/explore/anchors: all paths, paths and instructions a second. Last, the speed
of the machine while values are concrete, under `heddle explore` (goal: 20 million instructions a
second).
"""
import argparse
import glob
import json
import os
import re
import subprocess
import sys
import tempfile

# paths of full and naive in Table 1
PAPER = {"blackscholes": (763, 1087), "dedup-1": (103, 971), "dedup-2": (458, 1904),
         "lu-1": (681, 1864), "lu-2": (554, 4680), "pfscan": (246, 3785), "streamcluster": (60, 1004)}
VARIANTS = (("full", []), ("-RD", ["--no-reach"]), ("-SI", ["--no-invariants"]),
            ("naive", ["--no-reach", "--no-invariants"]))
GOAL = 20e6


class Bench:
    def __init__(self, build, seconds):
        self.heddle = os.path.join(build, "heddle")
        self.cc = os.path.join(build, "heddle-cc")
        self.seconds = seconds
        self.work = tempfile.mkdtemp(prefix="heddle-bench-explore-")

    def compile(self, source):
        exe = os.path.join(self.work, os.path.basename(source)[:-2])
        subprocess.run([self.cc, "-O1", "-g", "-pthread", source, "-o", exe], check=True)
        return exe

    def explore(self, exe, options, args=()):
        """What explore says at its end; None with a message if it fails."""
        command = [self.heddle, "explore", "--json", "--no-replay", "--tests", "none", "-o",
                   os.path.join(self.work, "out"), "--seconds", str(self.seconds), *options, "--", exe,
                   *args]
        try:
            r = subprocess.run(command, stdin=subprocess.DEVNULL, stdout=subprocess.PIPE,
                               stderr=subprocess.PIPE, timeout=self.seconds + 30)
        except subprocess.TimeoutExpired:
            print("  explore: no end after %d s" % (self.seconds + 30))
            return None
        try:
            return json.loads(r.stdout.decode().strip().split("\n")[-1])
        except ValueError:
            print("  explore: status %d: %s" % (r.returncode, r.stderr.decode().strip()[-300:]))
            return None


def contexts(source):
    """(name, --from, branches) of the first comment."""
    with open(source) as f:
        text = f.read()
    lines = {}
    for n, line in enumerate(text.split("\n"), 1):
        for label in re.findall(r"HERE: (\w+)", line):
            lines[label] = n
    for name, spec, branches in re.findall(
            r"^ \* context ([\w-]+): (.*)\n \* branches: (\d+)$", text, re.M):
        yield name, re.sub(r"\{(\w+)\}", lambda m: str(lines[m[1]]), spec), int(branches)


def paths(whole):
    return sum(whole["ends"].values()) - whole["ends"]["assumption"]


def cell(whole):
    if not whole:
        return "-"
    return "%d%s" % (paths(whole), ">" if whole["stopped"] else "")


def table(bench, sources):
    print("== contexts: paths up to the bound of branches (> = the time was used up)")
    print("%-14s %3s %3s " % ("context", "thr", "br")
          + "".join("%8s" % name for name, _ in VARIANTS)
          + "".join("%9s" % ("i/s " + name) for name, _ in VARIANTS)
          + "".join("%7s" % ("%" + name) for name, _ in VARIANTS) + "   naive/full  paper")
    missed = 0
    for source in sources:
        exe = bench.compile(source)
        for name, spec, branches in contexts(source):
            bound = ["--max-branches", str(branches), "--preemptions", "1"]
            got = [bench.explore(exe, ["--from", spec, *bound, *options])
                   for _, options in VARIANTS]
            row = "%-14s %3d %3d " % (name, spec.count("@"), branches)
            row += "".join("%8s" % cell(w) for w in got)
            row += "".join("%9s" % ("%.0f" % (w["instructions"] / max(w["seconds"], 1e-9)) if w else "-")
                           for w in got)
            row += "".join("%7s" % ("%.0f%%" % (100 * w["solver_seconds"] / max(w["seconds"], 1e-9))
                                    if w else "-") for w in got)
            if got[0] and got[-1] and paths(got[0]):
                factor, paper = paths(got[-1]) / paths(got[0]), PAPER[name][1] / PAPER[name][0]
                sure = not got[0]["stopped"]
                row += "   %9.1f  %5.1f%s" % (factor, paper, "" if factor >= paper and sure
                                              else "  <- below" if sure else "  <- full was cut off")
                missed += factor < paper or not sure
            else:
                missed += 1
            print(row)
            sys.stdout.flush()
    return missed


def anchors(bench, sources):
    print("== anchors: all paths of one thread")
    print("%-12s %8s %9s %10s %12s %8s %6s" % ("program", "paths", "seconds", "paths/s", "insns/s",
                                               "solver", "lines"))
    missed = 0
    for source in sources:
        with open(source) as f:
            words = re.search(r"explore: (.*?) --(.*?) \*/", f.read())
        w = bench.explore(bench.compile(source), words[1].split(), words[2].split())
        name = os.path.basename(source)[:-2]
        if not w:
            print("%-12s failed" % name)
            missed += 1
            continue
        s = max(w["seconds"], 1e-9)
        print("%-12s %8d %9.2f %10.0f %12.0f %7.0f%% %3d/%-3d%s" % (
            name, paths(w), s, paths(w) / s, w["instructions"] / s, 100 * w["solver_seconds"] / s,
            w["lines_hit"], w["lines"], "" if w["complete"] else "  not complete"))
        sys.stdout.flush()
        missed += not w["complete"]
    return missed


def concrete(bench, sources):
    print("== concrete values: instructions a second under explore, goal %.0f million" % (GOAL / 1e6))
    slow = 0
    for source in sources:
        w = bench.explore(bench.compile(source), ["--max-instructions", "100000000000"])
        name = os.path.basename(source)[:-2]
        if not w:
            continue
        rate = w["instructions"] / max(w["seconds"], 1e-9)
        slow += rate < GOAL
        print("%-12s %7.1f million/s, %d instructions%s" % (
            name, rate / 1e6, w["instructions"], "" if rate >= GOAL else "  <- below"))
        sys.stdout.flush()
    return slow


def main():
    ap = argparse.ArgumentParser(description=__doc__,
                                 formatter_class=argparse.RawDescriptionHelpFormatter)
    ap.add_argument("--build", default="build")
    ap.add_argument("--seconds", type=int, default=120, help="for each exploration")
    ap.add_argument("--only", choices=("contexts", "anchors", "concrete"))
    ap.add_argument("sources", nargs="*")
    o = ap.parse_args()
    here = os.path.dirname(os.path.abspath(__file__))
    bench = Bench(o.build, o.seconds)

    def files(*where):
        return o.sources or sorted(glob.glob(os.path.join(here, *where, "*.c")))

    missed = 0
    if o.only in (None, "contexts"):
        missed += table(bench, files("explore"))
    if o.only in (None, "anchors"):
        missed += anchors(bench, files("explore", "anchors"))
    if o.only in (None, "concrete"):
        missed += concrete(bench, files("kernels"))
    print("explore: %s" % ("every goal is met" if not missed else "%d goals are missed" % missed))
    return 0


if __name__ == "__main__":
    sys.exit(main())
