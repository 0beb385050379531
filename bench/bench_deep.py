#!/usr/bin/env python3
"""All schedules of one input against random ones, at equal time: on each program of
tests/programs/deep with a failure, `heddle check --deep`, and then `heddle fuzz` with random choices
and with priorities (PCT, depth 3) until they find something or the seconds are over. Beside it the
number of interleavings, where the enumerator of the tests can count them.

`runs` is how often the program was run before the failure was known; of --deep all runs that it needed
to cover everything, its first one included. `interleavings` are those of the program without its
pauses in which no state comes twice. docs/branches-compare.md keeps what was measured.

bench_deep.py --build DIR [--seconds N] [--count SECONDS] [PATH...]
"""
import argparse
import json
import os
import shutil
import subprocess
import sys
import tempfile
import time

ROOT = os.path.dirname(os.path.dirname(os.path.abspath(__file__)))
sys.path.insert(0, os.path.join(ROOT, "tests"))
from harness import annotations

PROGRAMS = os.path.join(ROOT, "tests", "programs", "deep")


def run(command, cwd, seconds):
    """(status, output, wall seconds); status None if it took too long."""
    begin = time.monotonic()
    try:
        r = subprocess.run(command, cwd=cwd, stdin=subprocess.DEVNULL, stdout=subprocess.PIPE,
                           stderr=subprocess.DEVNULL, timeout=seconds)
    except subprocess.TimeoutExpired:
        return None, "", seconds
    return r.returncode, r.stdout.decode(errors="replace"), time.monotonic() - begin


class Bench:
    def __init__(self, build, seconds, count, folder):
        self.build, self.seconds, self.count = os.path.abspath(build), seconds, count
        self.folder = folder

    def tool(self, name):
        return os.path.join(self.build, name)

    def compile(self, source, *flags):
        exe = os.path.join(self.folder, os.path.basename(source)[:-2] + "".join(flags))
        status, _, _ = run([self.tool("heddle-cc"), "-O2", "-g", "-pthread", *flags, source, "-o",
                            exe], ROOT, 60)
        if status:
            raise RuntimeError(f"{source}: heddle-cc: status {status}")
        return exe

    def fresh(self):
        """Findings of one tool must not be those of the one before."""
        return tempfile.mkdtemp(dir=self.folder)

    def deep(self, exe):
        """(found, runs, wall seconds, complete)"""
        _, out, wall = run([self.tool("heddle"), "check", "--deep", "--json", "--", exe],
                           self.fresh(), self.seconds)
        try:
            answer = json.loads(out)
        except ValueError:
            return False, None, wall, False
        d = answer["coverage"]["deep"]
        found = any(f["status"] in ("confirmed", "observed") for f in answer["findings"])
        return found, d["runs"], wall, d["complete"]

    def fuzz(self, exe, *options):
        """(found, runs, wall seconds). The time in which schedules are made shorter is not the
        search's."""
        _, out, wall = run([self.tool("heddle"), "fuzz", "--json", "--max", "1", "--seconds",
                            f"{self.seconds:g}", *options, "--", exe], self.fresh(),
                           4 * self.seconds + 20)
        try:
            answer = json.loads(out)
        except ValueError:
            return False, None, wall
        failures = answer["failures"]
        if not failures:
            return False, answer["runs"], answer["seconds"]
        return True, failures[0]["run"], failures[0]["seconds"]

    def interleavings(self, source):
        """As a text: without the pauses, which are points of the schedule too."""
        exe, trace = self.compile(source, "-DFORCE"), os.path.join(self.folder, "trace")
        shutil.rmtree(trace, ignore_errors=True)
        run([self.tool("heddle"), "record", "-o", trace, "--", exe], self.folder, 30)
        status, out, _ = run([self.tool("tests/oracle/enumerate"), "--all", exe, trace],
                             self.folder, self.count)
        try:
            return format(int(json.loads(out)["schedules"]), ",")
        except (ValueError, KeyError):
            return "not counted"

    def row(self, source):
        exe = self.compile(source)
        found, runs, wall, complete = self.deep(exe)
        cells = [os.path.basename(source)[:-2], self.interleavings(source),
                 self.cell(found, runs, wall) + (", complete" if complete else "")]
        results = [found]
        for options in ((), ("--pct", "3")):
            found, runs, wall = self.fuzz(exe, *options)
            cells.append(self.cell(found, runs, wall))
            results.append(found)
        print("| " + " | ".join(cells) + " |", flush=True)
        return results

    @staticmethod
    def cell(found, runs, wall):
        return f"{runs if runs is not None else '?'} runs, {wall:.2f} s" if found else \
            f"**no** ({runs if runs is not None else '?'} runs, {wall:.1f} s)"


def main():
    ap = argparse.ArgumentParser(usage=__doc__)
    ap.add_argument("--build", default="build")
    ap.add_argument("--seconds", type=float, default=10)
    ap.add_argument("--count", type=float, default=10)
    ap.add_argument("paths", nargs="*")
    args = ap.parse_args()
    folder = tempfile.mkdtemp(prefix="heddle-bench-deep-")
    bench = Bench(args.build, args.seconds, args.count, folder)
    totals = []
    print(f"\nFailures behind branches, {args.seconds:.0f} s each; load "
          f"{os.getloadavg()[0]:.1f} on {os.cpu_count()} processors\n")
    print("| program | interleavings | check --deep | fuzz, random | fuzz --pct 3 |")
    print("|---|---|---|---|---|")
    try:
        for source in annotations.c_files(args.paths or [PROGRAMS]):
            if annotations.parse(source)["finds"]:
                totals.append(bench.row(os.path.abspath(source)))
    finally:
        shutil.rmtree(folder, ignore_errors=True)
    n = len(totals)
    print("| found | | " + " | ".join(f"{sum(t[k] for t in totals)} of {n}" for k in range(3)) +
          " |")


if __name__ == "__main__":
    main()
