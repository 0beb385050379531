"""Suite `explore`: programs with a bug that needs an input, a schedule, or both, under `heddle explore`. A file
is compiled twice: as it is, when the expected faults must be found and no others (exit code 3: they are not replayed), and with
-DCORRECT, when nothing is found and every path is executed to its end (exit code 0). The test case of each
finding is then run on the real program by `heddle test`, and must end as expected, as far as a native
program shows it."""
import json
import os
import re
import shlex

from harness import annotations
from harness.failure import Failure
from harness.program import INCLUDE, Program

FOLDERS = ("tests/programs/explore",)
# Faults that the real program shows for sure; for other faults, such as a harmless access out of bounds,
# `heddle test` may give any of these verdicts.
SEEN = ("assert", "deadlock", "division", "division-overflow", "null-call")
NATIVE = ("same", "machine only", "different")
FAULTS = ("fault", "deadlock")


def with_lines(text, words):
    """The words with the line number of the comment AT: LABEL for each $LABEL."""
    def number(m):
        if m[1] in ("exe", "src", "tmp"):
            return m[0]
        for n, line in enumerate(text.split("\n"), 1):
            if re.search(rf"AT: {m[1]}\b", line):
                return str(n)
        raise Failure(f"no line has 'AT: {m[1]}'")
    return re.sub(r"\$([a-z_]\w*)", number, words)


def examine(path, notes):
    notes["marks"] = {label: {line for _, line in at}
                      for label, at in annotations.marked_lines(path, "BUG").items()}
    for line in notes["finds"]:
        words = line.split()
        if len(words) != 2 or (words[1] != "*" and words[1] not in notes["marks"]):
            raise Failure(f"'{line}': not a kind and a label that a line has")
    notes["run"] = [with_lines(notes["text"], line) for line in notes["run"]]
    notes["command"] = with_lines(notes["text"], notes["command"])


class Explored(Program):
    def fail(self, what, r):
        raise Failure(f"{what}\n--- output\n{r.output[-3000:]}\n--- error\n{r.error[-3000:]}",
                      self.command)

    def explore(self, *options):
        """The paths, the summary, and the run."""
        words = ["heddle", "explore", "--json", "--no-replay", "-o", os.path.join(self.tmp, "out"),
                 *options]
        self.command = self.notes["command"].replace("heddle explore", shlex.join(words), 1)
        r = self.run(self.command)
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

    def expect_complete(self, whole, r):
        why = self.notes.get("incomplete")
        if not whole["complete"] and not why:
            self.fail("not complete: " + (whole.get("stopped") or "; ".join(whole["reasons"])), r)
        if whole["complete"] and why:
            self.fail("complete now (remove check-incomplete)", r)

    def expect_no_more(self, faults, r):
        for p in faults:
            if p["kind"] not in self.notes["allows"]:
                self.fail(f"one too many: {p['kind']} at {p['file']}:{p['line']}", r)

    def check_bug(self):
        n = self.notes
        paths, whole, r = self.explore(*(["--all-orders"] if "paths" in n else []))
        faults = [p for p in paths if p["end"] in FAULTS]
        found = []
        for line in n["finds"]:
            fit = [p for p in faults if self.fits(p, line)]
            if not fit:
                self.fail(f"check-finds: nothing for '{line}'", r)
            found.append(next((p for p in fit if p["new"] and p["test_file"]), fit[0]))
            faults = [p for p in faults if p not in fit]
        self.expect_no_more(faults, r)
        if r.status != 3:
            self.fail(f"status {r.status}", r)
        ended = sum(p["end"] in ("exit", *FAULTS) for p in paths)
        if ended != int(n.get("paths", ended)):
            self.fail(f"{ended} paths", r)
        if "paths" in n:
            self.expect_complete(whole, r)
        return len(paths), found

    def check_tests(self, found):
        if self.notes.get("test") == "no":
            return
        for p in found:
            if not p.get("test_file"):
                raise Failure(f"no test case for {p['kind']}", self.command)
            words = ["heddle", "test", p["test_file"]]
            r = self.run(words)
            m = re.search(r"^\S+\.json: ([\w ]+): ", r.output, re.M)
            if not m or m[1] not in (("same",) if p["kind"] in SEEN else NATIVE) or \
                    (m[1] == "machine only") != (r.status == 3):
                self.command += " && " + shlex.join(words)
                self.fail(f"heddle test: status {r.status}", r)

    def check_run(self, line):
        """One exploration with options of its own; the number of its paths."""
        options, _, what = line.partition(" => ")
        wants = [w.strip() for w in re.findall(r'"[^"]*"|[^,"]+', what) if w.strip()]
        if not wants:
            raise Failure(f"'{line}': nothing after =>")
        paths, whole, r = self.explore(*shlex.split(options))
        ended = sum(p["end"] in ("exit", "returned", *FAULTS) for p in paths)
        faults = [p for p in paths if p["end"] in FAULTS]
        for want in wants:
            if want.isdigit():
                if ended != int(want):
                    self.fail(f"{ended} paths, not {want}", r)
                self.expect_complete(whole, r)
            elif want[0] == '"':
                if want[1:-1] not in r.output + r.error:
                    self.fail(f"no {want}", r)
            elif want != "any":
                fit = [p for p in faults if self.fits(p, want)]
                if not fit:
                    self.fail(f"nothing for '{want}'", r)
                faults = [p for p in faults if p not in fit]
        self.expect_no_more(faults, r)
        return ended

    def check_runs(self):
        ran = [self.check_run(line) for line in self.notes["run"]]
        order = [int(k) for k in self.notes.get("order", "").split(",") if k]
        for a, b in zip(order, order[1:]):
            if ran[a - 1] >= ran[b - 1]:
                raise Failure(f"run {a} has {ran[a - 1]} paths, run {b} {ran[b - 1]}")
        return sum(ran)

    def check_correct(self):
        paths, whole, r = self.explore()
        for p in paths:
            if p["end"] in FAULTS:
                self.fail(f"CORRECT has {p['kind']} at {p['file']}:{p['line']}", r)
        self.expect_complete(whole, r)
        if r.status != (3 if "incomplete" in self.notes else 0):
            self.fail(f"CORRECT: status {r.status}", r)
        return len(paths)


def build(path, notes, o, tmp, *flags):
    os.makedirs(tmp)
    p = Explored(path, notes, o.build, tmp)
    p.compile("-I" + INCLUDE, *flags, *o.flags)
    return p


def check(path, notes, tmp, o):
    examine(path, notes)
    p = build(path, notes, o, os.path.join(tmp, "bug"))
    try:
        if notes["run"]:
            return f"{p.check_runs()} paths"
        ran, found = p.check_bug()
        if not o.quick:
            p.check_tests(found)
        if notes.get("correct") != "no":
            p = build(path, notes, o, os.path.join(tmp, "correct"), "-DCORRECT")
            ran += p.check_correct()
    except Failure as f:
        raise Failure(str(f), p.again(f.command)) from None
    return f"{ran} paths"
