#!/usr/bin/env python3
"""How many programs does `heddle check` decide? Each program of tests/programs/check is checked with all stages in
--seconds (10). It is decided if a failure is confirmed, or if every schedule of its input is covered; else its
first reason is counted. With --repeat N each program is checked N times, and verdicts that differ are listed.

A verdict that contradicts the program's annotations ends the bench with status 1: a proof of a program that has a
failure, or a failure in a program that has none. docs/decided.md keeps what was measured.

bench_decided.py --build DIR [--seconds N] [--repeat N] [--json FILE] [PATH...]
"""
import argparse
import collections
import glob
import json
import os
import re
import sys
import tempfile
import time

ROOT = os.path.dirname(os.path.dirname(os.path.abspath(__file__)))
sys.path.insert(0, os.path.join(ROOT, "tests"))
from harness import annotations
from harness.failure import Failure
from harness.program import Program

FOLDER = os.path.join(ROOT, "tests", "programs", "check")


def sources(paths):
    for path in paths or [FOLDER]:
        yield from sorted(glob.glob(os.path.join(path, "*.c"))) if os.path.isdir(path) else [path]


def get_reason(verdict):
    """The first gap of the widest claim, without its numbers."""
    claims = [c for c in verdict["claims"] if c["gaps"]]
    if not claims:
        return "a finding is not confirmed"
    return re.sub(r"\d[\d.]*", "N", claims[-1]["gaps"][0])


def check_once(program, seconds):
    """(result, reason, wall seconds, kinds of the findings)"""
    command = re.sub(r"heddle check( --(quick|deep))*", f"heddle check --json --seconds={seconds}",
                     program.notes["command"], count=1)
    folder = tempfile.mkdtemp(dir=program.tmp)
    program.cwd = folder
    began = time.monotonic()
    try:
        r = program.run(command, 5 * seconds + 60)
        wall = time.monotonic() - began
        answer = json.loads(r.output)
    except (Failure, ValueError) as e:
        return "broken", str(e).splitlines()[0], time.monotonic() - began, []
    kinds = sorted({f["kind"] for f in answer["findings"] if f["status"] in ("confirmed", "observed")})
    result = answer["verdict"]["result"]
    return result, "" if result != "incomplete" else get_reason(answer["verdict"]), wall, kinds


def contradicts(notes, result):
    """A clear verdict where a failure is known, or a failure where there is none. A program without failures in its
    recorded paths (check-finds: nothing) may have one on another path."""
    if result == "clear":
        return notes.get("exit") == "66"
    return result == "failure" and notes.get("complete") == "yes"


def measure(path, a):
    notes = annotations.parse(path)
    with tempfile.TemporaryDirectory() as tmp:
        program = Program(path, notes, a.build, tmp)
        program.compile()
        return notes, [check_once(program, a.seconds) for _ in range(a.repeat)]


def report(rows, a):
    n = len(rows)
    results = collections.Counter(r[0][0] for r in rows.values())
    decided = results["clear"] + results["failure"]
    print(f"{decided} of {n} programs are decided within {a.seconds} s each ({100 * decided / max(n, 1):.1f}%): "
          f"{results['failure']} failures confirmed, {results['clear']} proofs; "
          f"{results['incomplete']} incomplete, {results['broken']} broken")
    walls = sorted(r[0][2] for r in rows.values())
    print(f"wall time: median {walls[n // 2]:.1f} s, longest {walls[-1]:.1f} s, sum {sum(walls):.0f} s")
    reasons = collections.defaultdict(list)
    for name, runs in rows.items():
        if runs[0][0] not in ("clear", "failure"):
            reasons[runs[0][1]].append(name)
    for reason, names in sorted(reasons.items(), key=lambda x: -len(x[1])):
        print(f"  {len(names):3} {reason}: {' '.join(names)}")
    if a.repeat > 1:
        changed = {name: runs for name, runs in rows.items() if len({(r[0], *r[3]) for r in runs}) > 1}
        print(f"{len(changed)} of {n} programs have another verdict in one of {a.repeat} checks")
        for name, runs in changed.items():
            print(f"  {name}: " + "; ".join(" ".join((r[0], *r[3], r[1])) for r in runs))


def main():
    p = argparse.ArgumentParser()
    p.add_argument("--build", default="build")
    p.add_argument("--seconds", type=int, default=10)
    p.add_argument("--repeat", type=int, default=1)
    p.add_argument("--json")
    p.add_argument("paths", nargs="*")
    a = p.parse_args()
    a.build = os.path.abspath(a.build)
    rows, wrong = {}, []
    for path in sources(a.paths):
        name = os.path.basename(path)[:-2]
        try:
            notes, rows[name] = measure(path, a)
        except Failure as e:
            print(f"{name}: {e}", file=sys.stderr)
            continue
        wrong += [name] if any(contradicts(notes, r[0]) for r in rows[name]) else []
        if a.json:
            with open(a.json, "w") as f:
                json.dump(rows, f, indent=1)
    report(rows, a)
    for name in wrong:
        print(f"WRONG: {name}: the verdict contradicts the annotations")
    return 1 if wrong else 0


if __name__ == "__main__":
    sys.exit(main())
