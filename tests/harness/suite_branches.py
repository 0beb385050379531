"""Suite `branches`: programs whose branches depend on the schedule, and branches that do not, under `heddle
branches`. Every line that is reported must have a label that says so, every report must be confirmed,
and a line must have one report."""
import json
import os

from harness import annotations, findings
from harness.failure import Failure
from harness.program import Program

FOLDERS = ("tests/programs/branches",)
CLASSES = ("bug", "adhoc", "unclear", "any")
WORDS = (*CLASSES, "may", "not")


def examine(path, notes):
    notes["labels"] = labels = {
        label: {line for _, line in at} for label, at in annotations.marked_lines(path, "BRANCH").items()}
    branches = {word: [] for word in WORDS}
    for line in notes["branch"]:
        word, _, label = line.partition(" ")
        if line == "none":
            continue
        if word not in WORDS:
            raise Failure(f"bad annotation 'check-branch': no class '{word}'")
        if label not in labels:
            raise Failure(f"no line has the label '{label}'")
        branches[word].append(label)
    if any(branches[c] for c in CLASSES) == ("none" in notes["branch"]):
        raise Failure("neither branches that are reported nor 'check-branch: none', or both")
    for line in notes["branch-kind"]:
        kind, _, label = line.rpartition(" ")
        if kind not in findings.flip_kinds():
            raise Failure(f"check-branch-kind: no kind '{kind}'")
        if label not in labels:
            raise Failure(f"no line has the label '{label}'")
    notes["branches"] = branches


class Branches(Program):
    def fail(self, what, r):
        try:
            output = "".join(findings.shown_branch(f) + "\n" for f in json.loads(r.output)["findings"])
        except (ValueError, KeyError, TypeError):
            output = r.output
        raise Failure(f"{what}\n--- output\n{output}--- error\n{r.error}", self.command)

    def findings(self):
        self.command = self.notes["command"].replace("heddle branches", "heddle branches --json", 1)
        r = self.run(self.command)
        try:
            return json.loads(r.output)["findings"], r
        except (ValueError, KeyError, TypeError) as e:
            self.fail(f"status {r.status}, --json: {e}", r)

    def by_line(self, found, r):
        lines = {}
        for f in found:
            file, line = findings.summary_line(f)
            if f["kind"] != "branch":
                self.fail(f"no branch: {findings.shown_branch(f)}", r)
            if file != os.path.basename(self.path):
                self.fail(f"in another file: {findings.shown_branch(f)}", r)
            if f["status"] != "confirmed":
                self.fail(f"not confirmed: {findings.shown_branch(f)}", r)
            lines.setdefault(line, []).append(f)
        return lines

    def check(self):
        labels, branches = self.notes["labels"], self.notes["branches"]
        found, r = self.findings()
        lines = self.by_line(found, r)
        for label in branches["not"]:
            for line in labels[label] & set(lines):
                self.fail(f"check-branch: not {label}: {findings.shown_branch(lines[line][0])}", r)
        expected = {line for label in branches["may"] for line in labels[label]}
        for c in CLASSES:
            for label in branches[c]:
                self.expect_class(c, label, lines, r)
                expected |= labels[label]
        for line in sorted(set(lines) - expected):
            self.fail(f"a report too many: {findings.shown_branch(lines[line][0])}", r)
        for line, fs in lines.items():
            if len({f["flip"]["kind"] for f in fs}) != len(fs):
                self.fail(f"line {line} is reported twice", r)
        bugs = [f for f in found if f["flip"]["class"] == "bug"]
        status = int(self.notes.get("exit", 66 if bugs else 0))
        if r.status != status:
            self.fail(f"status {r.status}, expected {status}", r)

    def expect_class(self, c, label, lines, r):
        found = [f for line in self.notes["labels"][label] for f in lines.get(line, [])]
        if not found:
            self.fail(f"check-branch: {c} {label}: not reported", r)
        if c != "any" and not any(f["flip"]["class"] == c for f in found):
            self.fail(f"check-branch: {c} {label}: is {found[0]['flip']['class']}", r)
        for line in self.notes["branch-kind"]:
            kind, _, of = line.rpartition(" ")
            if of == label and not any(f["flip"]["kind"] == kind for f in found):
                self.fail(f"check-branch-kind: {line}: is {found[0]['flip']['kind']}", r)


def check(path, notes, tmp, o):
    examine(path, notes)
    p = Branches(path, notes, o.build, tmp)
    p.compile(*o.flags)
    try:
        p.enter_empty_folder()
        p.check()
    except Failure as f:
        raise Failure(str(f), p.again(f.command)) from None
