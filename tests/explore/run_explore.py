#!/usr/bin/env python3
"""Programs with a bug that needs an input, a schedule, or both, and the same programs without it,
under `heddle explore`. A test is one file of tests/programs/explore; its first comment says what is
expected:

 * check-name: one line for people
 * explore-finds: KIND LABEL  a path ends in that kind of fault (the word of heddle exec) at a line
                              with the comment BUG: LABEL; LABEL * is any place. May be repeated
 * explore-allows: KIND       with the bug, faults of that kind are true too; any other fails
                              the test
 * explore-args: WORDS        options, as --sym stdin:3
 * explore-paths: N           so many paths end by themselves or in a fault in the program with the
                              bug; --all-orders is given then
 * explore-incomplete: why    it cannot be followed to the end, with or without the bug
 * explore-correct: no        there is no program without the bug
 * explore-test: no           the test case of the bug is not run on the real program
 * explore-run: WORDS => WHAT  instead of explore-finds: one exploration with these options; WHAT
                              is a number of paths that end or return, faults as KIND LABEL, text
                              in "", all separated by commas; no other faults. May be repeated
 * explore-order: N, M, ...   the numbers of paths of these runs fall: run N has fewer than run M
 * check-args, check-flags, check-timeout, check-known-to-fail: as in run_programs.py

Every file is compiled twice: as it is, when what is said must be found and nothing else (exit code
66), and with -DCORRECT, when nothing is found and every path was followed to its end (exit code 0).
The test case of each finding is then run on the real program by `heddle test`, and must end as said,
as far as a program shows it.
In options, $LABEL is the number of the line with the comment AT: LABEL.
A file with check-command instead is a test of run_programs.py.

run_explore.py --build DIR [--tap] [-j N] [--keep DIR] [--must-fail] [--quick] [PATH...]
	a PATH is a file or a folder; without one, all of tests/programs/explore. --quick leaves the
	runs of `heddle test` out. With --must-fail every test has to fail, with the text that stands
	after `must-fail: `
"""
import argparse
import concurrent.futures
import json
import os
import re
import shlex
import shutil
import sys
import tempfile
import time

HERE = os.path.dirname(os.path.abspath(__file__))
sys.path.insert(0, os.path.join(HERE, ".."))
import run_programs
from run_programs import Failure, Program, Report, comment_lines

PROGRAMS = os.path.join(HERE, "..", "programs", "explore")
INCLUDE = os.path.join(HERE, "..", "..", "include")
KEY = re.compile(r"^((?:check|explore)-[a-z-]+)(?::\s?(.*))?$")
ONCE = {"check-name", "check-flags", "check-args", "check-timeout", "check-known-to-fail",
        "explore-args", "explore-paths", "explore-incomplete", "explore-correct", "explore-test",
        "explore-order"}
REPEATED = {"explore-finds", "explore-allows", "explore-run"}
# what the real program shows for sure; and what `heddle test` may say of anything else, as of an
# access that is out of bounds and does no harm
SEEN = ("assertion-failure", "deadlock", "division-by-zero", "division-overflow", "null-call")
NATIVE = ("same", "unseen", "different")


def markers(text):
    marks = {}
    for n, line in enumerate(text.split("\n"), 1):
        for label in re.findall(r"BUG: (\w+)", line):
            marks.setdefault(label, set()).add(n)
    return marks


def with_lines(text, words):
    """The words with line numbers in the place of $LABEL."""
    def number(m):
        for n, line in enumerate(text.split("\n"), 1):
            if re.search(rf"AT: {m[1]}\b", line):
                return str(n)
        raise Failure(f"no line has 'AT: {m[1]}'")
    return re.sub(r"\$([a-z_]\w*)", number, words)


def parse(path):
    with open(path) as f:
        text = f.read()
    notes = {key: [] for key in REPEATED}
    for line in comment_lines(text):
        m = KEY.match(line)
        if not m:
            continue
        key, value = m[1], m[2]
        if key in ("explore-run", "explore-args"):
            value = with_lines(text, value)
        if key in REPEATED and value:
            notes[key].append(value)
        elif key in ONCE and value and key not in notes:
            notes[key] = value
        else:
            raise Failure(f"bad annotation '{key}'")
    if "check-name" not in notes:
        raise Failure("no check-name in the first comment")
    if not notes["explore-finds"] and not notes["explore-run"]:
        raise Failure("no explore-finds in the first comment")
    notes["marks"] = markers(text)
    for line in notes["explore-finds"]:
        words = line.split()
        if len(words) != 2 or (words[1] != "*" and words[1] not in notes["marks"]):
            raise Failure(f"'{line}': not a kind and a label that a line has")
    # names as run_programs.py has them
    notes.update({key[6:]: notes[key] for key in ONCE if key.startswith("check-") and key in notes})
    return notes


class Explored(Program):
    def fail(self, what, r):
        raise Failure(f"{what}\n--- output\n{r.output[-3000:]}\n--- error\n{r.error[-3000:]}",
                      self.command)

    def explore(self, out, *options):
        """The paths, what is said at the end, and the run."""
        words = ["heddle", "explore", "--json", "--no-replay", "-o", out, *options,
                 *shlex.split(self.notes.get("explore-args", "")), "--", self.exe, *self.args]
        self.command = shlex.join(words)
        r = self.run(words)
        try:
            lines = [json.loads(line) for line in r.output.split("\n") if line]
            if "paths" not in lines[-1]:
                raise ValueError("no last line")
        except (ValueError, IndexError) as e:
            self.fail(f"status {r.status}, --json: {e}", r)
        return lines[:-1], lines[-1], r

    def fits(self, path, line):
        kind, label = line.split()
        return path["kind"] == kind and (label == "*" or path["line"] in self.notes["marks"][label])

    def complete(self, whole, r):
        why = self.notes.get("explore-incomplete")
        if not whole["complete"] and not why:
            self.fail("not complete: " + (whole.get("stopped") or "; ".join(whole["reasons"])), r)
        if whole["complete"] and why:
            self.fail("complete now (take explore-incomplete away)", r)

    def check_bug(self):
        n, out = self.notes, os.path.join(self.tmp, "out")
        options = ["--all-orders"] if "explore-paths" in n else []
        paths, whole, r = self.explore(out, *options)
        faults = [p for p in paths if p["end"] in ("fault", "deadlock")]
        found = []
        for line in n["explore-finds"]:
            fit = [p for p in faults if self.fits(p, line)]
            if not fit:
                self.fail(f"explore-finds: nothing for '{line}'", r)
            found.append(next((p for p in fit if p["new"] and p["test_file"]), fit[0]))
            faults = [p for p in faults if p not in fit]
        for p in faults:
            if p["kind"] not in n["explore-allows"]:
                self.fail(f"one too many: {p['kind']} at {p['file']}:{p['line']}", r)
        if r.status != 66:
            self.fail(f"status {r.status}", r)
        ended = sum(p["end"] in ("exit", "fault", "deadlock") for p in paths)
        if ended != int(n.get("explore-paths", ended)):
            self.fail(f"{ended} paths", r)
        if "explore-paths" in n:
            self.complete(whole, r)
        return len(paths), found

    def check_tests(self, found):
        if self.notes.get("explore-test") == "no":
            return
        for p in found:
            if not p.get("test_file"):
                raise Failure(f"no test case for {p['kind']}", self.command)
            words = ["heddle", "test", p["test_file"]]
            r = self.run(words)
            m = re.search(r"^\S+\.json: (\w+): ", r.output, re.M)
            if not m or m[1] not in (("same",) if p["kind"] in SEEN else NATIVE):
                self.command += " && " + shlex.join(words)
                self.fail(f"heddle test: status {r.status}", r)

    def check_run(self, line):
        """One exploration with options of its own; the number of its paths."""
        options, _, what = line.partition(" => ")
        wants = [w.strip() for w in re.findall(r'"[^"]*"|[^,"]+', what) if w.strip()]
        if not wants:
            raise Failure(f"'{line}': nothing after =>")
        words = shlex.split(options)
        self.command = shlex.join(words)
        paths, whole, r = self.explore(os.path.join(self.tmp, "out"), *words)
        ended = sum(p["end"] in ("exit", "fault", "deadlock", "returned") for p in paths)
        faults = [p for p in paths if p["end"] in ("fault", "deadlock")]
        for want in wants:
            if want.isdigit():
                if ended != int(want):
                    self.fail(f"{ended} paths, not {want}", r)
                self.complete(whole, r)
            elif want[0] == '"':
                if want[1:-1] not in r.output + r.error:
                    self.fail(f"no {want}", r)
            elif want != "any":
                fit = [p for p in faults if self.fits(p, want)]
                if not fit:
                    self.fail(f"nothing for '{want}'", r)
                faults = [p for p in faults if p not in fit]
        for p in faults:
            if p["kind"] not in self.notes["explore-allows"]:
                self.fail(f"one too many: {p['kind']} at {p['file']}:{p['line']}", r)
        return ended

    def check_runs(self):
        ran = [self.check_run(line) for line in self.notes["explore-run"]]
        order = [int(k) for k in self.notes.get("explore-order", "").split(",") if k]
        for a, b in zip(order, order[1:]):
            if ran[a - 1] >= ran[b - 1]:
                raise Failure(f"run {a} has {ran[a - 1]} paths, run {b} {ran[b - 1]}")
        return sum(ran)

    def check_correct(self):
        paths, whole, r = self.explore(os.path.join(self.tmp, "out"))
        for p in paths:
            if p["end"] in ("fault", "deadlock"):
                self.fail(f"CORRECT has {p['kind']} at {p['file']}:{p['line']}", r)
        self.complete(whole, r)
        if r.status != (3 if "explore-incomplete" in self.notes else 0):
            self.fail(f"CORRECT: status {r.status}", r)
        return len(paths)


def build(path, notes, args, tmp, flags):
    notes = dict(notes, flags=f"{notes.get('flags', '')} -I{INCLUDE} {flags}")
    os.makedirs(tmp)
    program = Explored(path, notes, os.path.abspath(args.build), tmp)
    program.built = shlex.join(program.compile())
    return program


def run_test(path, args):
    notes, tmp, program = None, None, None
    begin = time.monotonic()
    try:
        notes = parse(path)
        tmp = tempfile.mkdtemp(prefix="heddle-explore-", dir=args.keep)
        program = build(path, notes, args, os.path.join(tmp, "bug"), "")
        if notes["explore-run"]:
            notes["ran"] = program.check_runs()
            return None, notes
        notes["ran"], found = program.check_bug()
        if not args.quick:
            program.check_tests(found)
        if notes.get("explore-correct") != "no":
            program = build(path, notes, args, os.path.join(tmp, "correct"), "-DCORRECT")
            notes["ran"] += program.check_correct()
    except Failure as f:
        return Failure(str(f), f"{program.built} && {f.command}" if program and f.command else
                       f.command), notes
    finally:
        if tmp and not args.keep:
            shutil.rmtree(tmp, ignore_errors=True)
        if notes:
            notes["seconds"] = time.monotonic() - begin
    return None, notes


def commanded(path):
    with open(path) as f:
        return any(line.startswith("check-command:") for line in comment_lines(f.read()))


def main():
    ap = argparse.ArgumentParser(usage=__doc__)
    ap.add_argument("--build", required=True)
    ap.add_argument("--tap", action="store_true")
    ap.add_argument("-j", "--jobs", type=int, default=os.cpu_count())
    ap.add_argument("--keep")
    ap.add_argument("--must-fail", action="store_true")
    ap.add_argument("--quick", action="store_true")
    ap.add_argument("paths", nargs="*")
    args = ap.parse_args()
    if args.keep:
        args.keep = os.path.abspath(args.keep)
        os.makedirs(args.keep, exist_ok=True)
    report = Report(args.tap, args.must_fail)
    paths = run_programs.collect(args.paths or [PROGRAMS], True)

    def one(p):
        if commanded(p):
            return run_programs.run_test(p, os.path.abspath(args.build), args.keep)
        return run_test(p, args)

    with concurrent.futures.ThreadPoolExecutor(args.jobs) as pool:
        for path, (failure, notes) in zip(paths, pool.map(one, paths)):
            report.add(os.path.relpath(path), failure, notes)
            if notes and "ran" in notes and not failure:
                print(f"#     {notes['ran']} paths, {notes['seconds']:.1f} s")
    sys.exit(report.end())


if __name__ == "__main__":
    main()
