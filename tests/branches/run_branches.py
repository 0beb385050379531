#!/usr/bin/env python3
"""Programs whose branches depend on the schedule, and branches that do not, under `heddle branches`.
A test is one file of tests/programs/branches; its first comment says what is expected:

 * check-name: one line for people
 * branch-bug: LABEL        the line with the comment BRANCH: LABEL is reported as a bug
 * branch-adhoc: LABEL      … ad-hoc synchronization
 * branch-unclear: LABEL    … unclear
 * branch-any: LABEL        … whatever its class
 * branch-kind: WORD LABEL  … and what decides there is that (the words of FLIP_KINDS in
                            src/finding/finding.h)
 * branch-may: LABEL        it may be reported, or not: what is true depends on more than is traced
 * branch-not: LABEL        the line is not reported
 * branch-none              nothing is reported at all
 * branch-args: WORDS       options for the command
 * check-flags: -DX         more words for heddle-cc (default -O2 -g -pthread)
 * check-timeout: N         seconds for the command (default 60)
 * check-known-to-fail: reason

All with a LABEL may be repeated. Every line that is reported must have a label that says so, every
report must be confirmed, and a line must have one report. There may be several words after BRANCH:.

run_branches.py --build DIR [--tap] [-j N] [--keep DIR] [--must-fail] [--flags WORDS] [PATH...]
	a PATH is a file or a folder of them; without one, all of tests/programs/branches. With
	--must-fail every test has to fail, with the text that stands after `must-fail: `. With
	--flags, as --flags=-O0, heddle-cc gets these words too
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

HERE = os.path.dirname(os.path.abspath(__file__))
sys.path.insert(0, os.path.join(HERE, ".."))
from run_programs import Failure, Program, Report, comment_lines

PROGRAMS = os.path.join(HERE, "..", "programs", "branches")
FINDING_H = os.path.join(HERE, "..", "..", "src", "finding", "finding.h")
KEY = re.compile(r"^((?:check|branch)-[a-z-]+)(?::\s?(.*))?$")
ONCE = {"check-name", "check-flags", "check-timeout", "check-known-to-fail", "branch-args"}
CLASSES = ("bug", "adhoc", "unclear", "any")
REPEATED = {"branch-not", "branch-may", "branch-kind"} | {"branch-" + c for c in CLASSES}


# ---- annotations ----------------------------------------------------------------------------

def flip_kinds():
    with open(FINDING_H) as f:
        m = re.search(r"#define FLIP_KINDS\(X\)(.*?)\nenum", f.read(), re.S)
    return set(re.findall(r'X\(\w+, "([a-z ]+)"\)', m[1]))


def labels(path):
    """Lines by label: {label: {line}}"""
    found = {}
    with open(path) as f:
        for n, line in enumerate(f, 1):
            m = re.search(r"/\* BRANCH: (.*?) \*/", line)
            for label in m[1].split() if m else []:
                found.setdefault(label, set()).add(n)
    return found


def parse(path):
    with open(path) as f:
        text = f.read()
    notes = {key: [] for key in REPEATED}
    for line in comment_lines(text):
        m = KEY.match(line)
        if not m:
            continue
        key, value = m[1], m[2]
        if key == "branch-none" and not value:
            notes[key] = True
        elif key in REPEATED and value:
            notes[key].append(value)
        elif key in ONCE and value and key not in notes:
            notes[key] = value
        else:
            raise Failure(f"bad annotation '{key}'")
    if "check-name" not in notes:
        raise Failure("no check-name in the first comment")
    notes["labels"] = labels(path)
    expected = [label for c in CLASSES for label in notes["branch-" + c]]
    if bool(expected) == ("branch-none" in notes):
        raise Failure("neither branches that are reported nor branch-none, or both")
    named = [line.split()[-1] for line in notes["branch-kind"]]
    for label in expected + notes["branch-not"] + notes["branch-may"] + named:
        if label not in notes["labels"]:
            raise Failure(f"no line has the label '{label}'")
    for line in notes["branch-kind"]:
        if line.rpartition(" ")[0] not in flip_kinds():
            raise Failure(f"branch-kind: no kind '{line}'")
    # names as run_programs.py has them
    notes.update({key[6:]: notes[key] for key in ONCE if key.startswith("check-") and key in notes})
    return notes


# ---- heddle branches ------------------------------------------------------------------------

def line_of(finding):
    """Where the decision is: (file, line)"""
    m = re.match(r"(.*?):(\d+)(?::\d+)? in ", finding.get("summary") or "")
    return (os.path.basename(m[1]), int(m[2])) if m else (None, None)


def shown(finding):
    flip = finding.get("flip") or {}
    return (f"{os.path.basename(finding.get('summary') or '?')}: {flip.get('kind')}, "
            f"{flip.get('class')} ({flip.get('why')}), {finding.get('status')}; "
            f"{flip.get('recorded')} -> {flip.get('flipped')}; "
            f"{finding.get('divergence') or finding.get('outcome')}")


class Branches(Program):
    def fail(self, what, r):
        try:
            output = "".join(shown(f) + "\n" for f in json.loads(r.output)["findings"])
        except (ValueError, KeyError, TypeError):
            output = r.output
        raise Failure(f"{what}\n--- output\n{output}--- error\n{r.error}", self.command)

    def findings(self):
        self.command = f"heddle branches --json {self.notes.get('branch-args', '')} -- $exe"
        r = self.run(self.command)
        try:
            return json.loads(r.output)["findings"], r
        except (ValueError, KeyError, TypeError) as e:
            self.fail(f"status {r.status}, --json: {e}", r)

    def by_line(self, findings, r):
        lines = {}
        for f in findings:
            file, line = line_of(f)
            if f["kind"] != "branch":
                self.fail(f"no branch: {shown(f)}", r)
            if file != os.path.basename(self.path):
                self.fail(f"in another file: {shown(f)}", r)
            if f["status"] != "confirmed":
                self.fail(f"not confirmed: {shown(f)}", r)
            lines.setdefault(line, []).append(f)
        return lines

    def check(self):
        n = self.notes
        findings, r = self.findings()
        lines = self.by_line(findings, r)
        for label in n["branch-not"]:
            for line in n["labels"][label] & set(lines):
                self.fail(f"branch-not: '{label}' is reported: {shown(lines[line][0])}", r)
        expected = {line for label in n["branch-may"] for line in n["labels"][label]}
        for c in CLASSES:
            for label in n["branch-" + c]:
                self.expect_class(c, label, lines, r)
                expected |= n["labels"][label]
        for line in sorted(set(lines) - expected):
            self.fail(f"a report too many: {shown(lines[line][0])}", r)
        for line, fs in lines.items():
            if len({f["flip"]["kind"] for f in fs}) != len(fs):
                self.fail(f"line {line} is reported twice", r)
        bugs = [f for f in findings if f["flip"]["class"] == "bug"]
        if r.status != (66 if bugs else 0):
            self.fail(f"status {r.status}, expected {66 if bugs else 0}", r)

    def expect_class(self, c, label, lines, r):
        found = [f for line in self.notes["labels"][label] for f in lines.get(line, [])]
        if not found:
            self.fail(f"branch-{c}: '{label}' is not reported", r)
        if c != "any" and not any(f["flip"]["class"] == c for f in found):
            self.fail(f"branch-{c}: '{label}' is {found[0]['flip']['class']}", r)
        kinds = [k.rpartition(" ")[0] for k in self.notes["branch-kind"] if k.split()[-1] == label]
        for kind in kinds:
            if not any(f["flip"]["kind"] == kind for f in found):
                self.fail(f"branch-kind: '{label}' is {found[0]['flip']['kind']}", r)


def run_test(path, args):
    notes, tmp = None, None
    try:
        notes = parse(path)
        notes["flags"] = notes.get("flags", "") + " " + args.flags
        tmp = tempfile.mkdtemp(prefix="heddle-branches-", dir=args.keep)
        program = Branches(path, notes, os.path.abspath(args.build), tmp)
        built = program.compile()
        program.tmp = os.path.join(tmp, "cwd")
        os.mkdir(program.tmp)
        try:
            program.check()
        except Failure as f:
            raise Failure(str(f),
                          f"{shlex.join(built)} && exe={program.exe} {f.command}") from None
    except Failure as f:
        return f, notes
    finally:
        if tmp and not args.keep:
            shutil.rmtree(tmp, ignore_errors=True)
    return None, notes


# ---- all of them ----------------------------------------------------------------------------

def collect(paths, default):
    files = []
    for path in paths or [default]:
        files += sorted(os.path.join(path, n) for n in os.listdir(path) if n.endswith(".c")) \
            if os.path.isdir(path) else [path]
    return files


def main():
    ap = argparse.ArgumentParser(usage=__doc__)
    ap.add_argument("--build", required=True)
    ap.add_argument("--tap", action="store_true")
    ap.add_argument("-j", "--jobs", type=int, default=os.cpu_count())
    ap.add_argument("--keep")
    ap.add_argument("--must-fail", action="store_true")
    ap.add_argument("--flags", default="")
    ap.add_argument("paths", nargs="*")
    args = ap.parse_args()
    if args.keep:
        args.keep = os.path.abspath(args.keep)
        os.makedirs(args.keep, exist_ok=True)
    report = Report(args.tap, args.must_fail)
    paths = collect(args.paths, PROGRAMS)
    with concurrent.futures.ThreadPoolExecutor(args.jobs) as pool:
        results = pool.map(lambda p: run_test(p, args), paths)
        for path, (failure, notes) in zip(paths, results):
            report.add(os.path.relpath(path), failure, notes)
    sys.exit(report.end())


if __name__ == "__main__":
    main()
