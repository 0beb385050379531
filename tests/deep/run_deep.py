#!/usr/bin/env python3
"""Programs whose failure lies behind a branch that the recorded run does not take, and correct
ones, under `heddle check --deep`. A test is one file of tests/programs/deep; its first comment says
what is expected:

 * check-name: one line for people
 * deep-finds: KIND LABEL   a finding of that kind (the word in src/finding/kinds.def), confirmed or
                            observed, within 10 s. Its summary names a line with the comment
                            BUG: LABEL, or its steps that are marked as key or last do, in their
                            places or stacks. Without --deep nothing of that kind is found. May be
                            repeated
 * deep-allows: KIND        findings of that kind are true too. Every other finding that no line
                            here speaks of fails the test, and so does one that is neither
                            confirmed nor observed
 * deep-complete            there is no finding, and it ends by itself and says that every schedule
                            of this input is covered
 * deep-args: WORDS         options beside --deep
 * check-flags: -DX         more words for heddle-cc (default -O2 -g -pthread)
 * check-timeout: N         seconds for the command (default 60)
 * check-known-to-fail: reason

run_deep.py --build DIR [--tap] [-j N] [--keep DIR] [--must-fail] [--quick] [--flags WORDS]
		[PATH...]
	a PATH is a file or a folder of them; without one, all of tests/programs/deep. The number
	of runs is printed beside each. --quick leaves the check without --deep out. With
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
import time

HERE = os.path.dirname(os.path.abspath(__file__))
sys.path[:0] = [os.path.join(HERE, ".."), os.path.join(HERE, "..", "check")]
import run_check
from run_programs import Failure, Program, Report, comment_lines

PROGRAMS = os.path.join(HERE, "..", "programs", "deep")
KEY = re.compile(r"^((?:check|deep)-[a-z-]+)(?::\s?(.*))?$")
ONCE = {"check-name", "check-flags", "check-timeout", "check-known-to-fail", "deep-args"}
REPEATED = {"deep-finds", "deep-allows"}
LIMIT = 10.0


# ---- annotations ----------------------------------------------------------------------------

def parse(path, known=run_check.kinds()):
    with open(path) as f:
        text = f.read()
    notes = {key: [] for key in REPEATED}
    for line in comment_lines(text):
        m = KEY.match(line)
        if not m:
            continue
        key, value = m[1], m[2]
        if key == "deep-complete" and not value:
            notes[key] = True
        elif key in REPEATED and value:
            notes[key].append(value)
        elif key in ONCE and value and key not in notes:
            notes[key] = value
        else:
            raise Failure(f"bad annotation '{key}'")
    if "check-name" not in notes:
        raise Failure("no check-name in the first comment")
    if bool(notes["deep-finds"]) == ("deep-complete" in notes):
        raise Failure("neither deep-finds nor deep-complete, or both")
    notes["marks"] = run_check.markers(path)
    for line in notes["deep-finds"]:
        words = line.split()
        if len(words) != 2 or words[0] not in known or words[1] not in notes["marks"]:
            raise Failure(f"'{line}': not a kind and a label that a line has")
    for line in notes["deep-allows"]:
        if line not in known:
            raise Failure(f"deep-allows: no kind '{line}'")
    # names as run_programs.py has them
    notes.update({key[6:]: notes[key] for key in ONCE if key.startswith("check-") and key in notes})
    return notes


# ---- heddle check ---------------------------------------------------------------------------

class Deep(Program):
    def fail(self, what, r):
        try:
            answer = json.loads(r.output)
            output = "".join(run_check.shown(f) + "\n" for f in answer["findings"])
            output += json.dumps({k: v for k, v in answer.items() if k != "findings"}) + "\n"
        except (ValueError, KeyError, TypeError):
            output = r.output
        raise Failure(f"{what}\n--- output\n{output}--- error\n{r.error}", self.command)

    def ask(self, options):
        """The answer of heddle check, and the run."""
        self.command = f"heddle check {options} --json -- $exe"
        begin = time.monotonic()
        r = self.run(self.command)
        r.seconds = time.monotonic() - begin
        try:
            answer = json.loads(r.output)
            bad = [f for f in answer["findings"] if f["status"] not in run_check.SEEN]
        except (ValueError, KeyError, TypeError) as e:
            self.fail(f"status {r.status}, --json: {e}", r)
        if bad:
            self.fail(f"not confirmed: {run_check.shown(bad[0])}", r)
        return answer, r

    def fits(self, finding, line):
        kind, label = line.split()
        places = run_check.key_lines(finding)
        m = re.match(r"(.*?):(\d+)(?::\d+)? in ", finding.get("summary") or "")
        if m:
            places.add((os.path.basename(m[1]), int(m[2])))
        return finding["kind"] == kind and self.notes["marks"][label] & places

    def check_plain(self):
        answer, r = self.ask("")
        for line in self.notes["deep-finds"]:
            for f in answer["findings"]:
                if f["kind"] == line.split()[0]:
                    self.fail(f"found without --deep: {run_check.shown(f)}", r)

    def check_deep(self):
        n = self.notes
        answer, r = self.ask("--deep " + n.get("deep-args", ""))
        left = list(answer["findings"])
        for line in n["deep-finds"]:
            fit = [f for f in left if self.fits(f, line)]
            if not fit:
                self.fail(f"deep-finds: no finding for '{line}'", r)
            left = [f for f in left if f not in fit]
        for f in left:
            if f["kind"] not in n["deep-allows"]:
                self.fail(f"a finding too many: {run_check.shown(f)}", r)
        if "deep-complete" in n and not answer["coverage"]["deep"]["complete"]:
            self.fail("deep-complete: not complete", r)
        if r.status != (66 if n["deep-finds"] else 0):
            self.fail(f"status {r.status}", r)
        if r.seconds > LIMIT:
            self.fail(f"{r.seconds:.1f} s", r)
        return answer["coverage"]["deep"]["runs"], r.seconds


def run_test(path, args):
    notes, tmp = None, None
    try:
        notes = parse(path)
        notes["flags"] = notes.get("flags", "") + " " + args.flags
        tmp = tempfile.mkdtemp(prefix="heddle-deep-", dir=args.keep)
        program = Deep(path, notes, os.path.abspath(args.build), tmp)
        built = program.compile()
        program.tmp = os.path.join(tmp, "cwd")
        os.mkdir(program.tmp)
        try:
            notes["runs"], notes["seconds"] = program.check_deep()
            if not args.quick:
                program.tmp = os.path.join(tmp, "cwd-plain")
                os.mkdir(program.tmp)
                program.check_plain()
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

def collect(paths, default=PROGRAMS):
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
    ap.add_argument("--quick", action="store_true")
    ap.add_argument("paths", nargs="*")
    args = ap.parse_args()
    if args.keep:
        args.keep = os.path.abspath(args.keep)
        os.makedirs(args.keep, exist_ok=True)
    report = Report(args.tap, args.must_fail)
    paths = collect(args.paths)
    with concurrent.futures.ThreadPoolExecutor(args.jobs) as pool:
        results = pool.map(lambda p: run_test(p, args), paths)
        for path, (failure, notes) in zip(paths, results):
            report.add(os.path.relpath(path), failure, notes)
            if notes and "runs" in notes:
                print(f"#     {notes['runs']} runs, {notes['seconds']:.1f} s")
    sys.exit(report.end())


if __name__ == "__main__":
    main()
