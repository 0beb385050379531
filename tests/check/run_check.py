#!/usr/bin/env python3
"""Programs with known concurrency bugs and their fixed twins, under `heddle check`. A test is one file
of tests/programs/check; its first comment says what is expected:

 * check-name: one line for people
 * check-command: heddle check -- $exe args   in an empty directory; $exe is the program
 * check-exit: N                 exit status of the command: 66, 0 or 3
 * check-output-contains: text   in what the command prints; may be repeated, as the next one
 * check-output-excludes: text
 * check-finds: KIND LABEL       a finding of that kind (the word in src/finding/kinds.def), confirmed or
                                 observed. Its steps that are marked as key or last have, in their
                                 places or stacks, every line with the comment BUG: LABEL (there may
                                 be several words after BUG:). May be repeated
 * check-finds: nothing          there is no finding at all
 * check-predicts: KIND LABEL    as check-finds, but the finding must be neither confirmed nor observed:
                                 the program is not deterministic
 * check-allows: KIND TEXT       findings of that kind whose title has the text (none: all of the kind)
                                 are true too. Every other finding that no line here speaks of fails
                                 the test, and so does one that stays predicted
 * check-flags: -DX              more words for heddle-cc (default -O2 -g -pthread)
 * check-timeout: N              seconds for the command (default 60)
 * check-known-to-fail: reason
 * check-natural: HOW            how an ordinary run ends, if not with status 0: SIGABRT, hang, …
 * check-force: HOW              how a build with -DFORCE ends: SIGSEGV, exit N, hang; or `tsan TEXT`,
                                 `asan TEXT`: what that sanitizer says; or `no, REASON` (of a fixed
                                 twin: why ThreadSanitizer is not asked)

Markers may stand in files of the same folder that the program includes. A PATH is a file or a folder
of them; without one, all of tests/programs/check.

run_check.py --build DIR [--tap] [-j N] [--keep DIR] [--must-fail] [PATH...]
	every command twice, with --json for the findings and without for the text. With
	--must-fail every test has to fail, with the text that stands after `must-fail: `
run_check.py --native N [PATH...]
	every program passes N of N ordinary runs without heddle, in less than 0.3 s each
run_check.py --force [PATH...]
	builds with -DFORCE show their bugs; fixed twins pass, and ThreadSanitizer has nothing to say
"""
import argparse
import concurrent.futures
import json
import os
import re
import shlex
import shutil
import signal
import subprocess
import sys
import tempfile
import time

HERE = os.path.dirname(os.path.abspath(__file__))
sys.path.insert(0, os.path.join(HERE, ".."))
from run_programs import Failure, KEY, Program, Report, comment_lines

PROGRAMS = os.path.join(HERE, "..", "programs", "check")
KINDS = os.path.join(HERE, "..", "..", "src", "finding", "kinds.def")
ONCE = {"name", "command", "exit", "flags", "timeout", "known-to-fail", "natural", "force"}
REPEATED = {"output-contains", "output-excludes", "finds", "predicts", "allows"}
SEEN = ("confirmed", "observed")
SLOW = 0.3


# ---- annotations ----------------------------------------------------------------------------

def kinds():
    with open(KINDS) as f:
        return set(re.findall(r'^FINDING\(\w+, "([a-z-]+)"', f.read(), re.M))


def markers(path, found=None):
    """Lines by label: {label: {(file, line)}}, of the program and the headers beside it."""
    found = {} if found is None else found
    with open(path) as f:
        for n, line in enumerate(f, 1):
            m = re.search(r"/\* BUG: (.*?) \*/", line)
            for label in m[1].split() if m else []:
                found.setdefault(label, set()).add((os.path.basename(path), n))
            m = re.match(r'#include "([\w.]+)"', line)
            if m:
                markers(os.path.join(os.path.dirname(path), m[1]), found)
    return found


def parse(path, known=kinds()):
    with open(path) as f:
        text = f.read()
    notes = {key: [] for key in REPEATED}
    for line in comment_lines(text):
        m = KEY.match(line)
        if not m:
            continue
        key, value = m[1], m[2]
        if key in REPEATED and value:
            notes[key].append(value)
        elif key in ONCE and value and key not in notes:
            notes[key] = value
        else:
            raise Failure(f"bad annotation 'check-{key}'")
    for key in ("name", "command", "exit"):
        if key not in notes:
            raise Failure(f"no check-{key} in the first comment")
    if not notes["command"].startswith("heddle check "):
        raise Failure("bad annotation 'check-command': not 'heddle check …'")
    notes["fixed"] = notes["finds"] == ["nothing"]
    if not notes["fixed"] and not notes["finds"] + notes["predicts"]:
        raise Failure("no check-finds in the first comment")
    notes["marks"] = markers(path)
    for line in ([] if notes["fixed"] else notes["finds"]) + notes["predicts"]:
        words = line.split()
        if len(words) != 2 or words[0] not in known or words[1] not in notes["marks"]:
            raise Failure(f"'{line}': not a kind and a label that a line has")
    for line in notes["allows"]:
        if line.split()[0] not in known:
            raise Failure(f"check-allows: no kind '{line}'")
    if not notes["fixed"] and "force" not in notes and "natural" not in notes:
        raise Failure("no check-force in the first comment")
    return notes


# ---- heddle check ---------------------------------------------------------------------------

def key_lines(finding):
    """What the steps that make a finding name: {(file, line)}"""
    places = set()
    for step in finding.get("steps", []):
        if step.get("key") or step.get("last"):
            for p in [step.get("place") or {}, *step.get("stack", [])]:
                if p.get("file"):
                    places.add((os.path.basename(p["file"]), p.get("line")))
    return places


def shown(finding):
    lines = ", ".join(f"{f}:{n}" for f, n in sorted(key_lines(finding)))
    return (f"{finding.get('name')}: {finding.get('kind')} ({finding.get('status')}) "
            f"{finding.get('title')}; {lines}; {finding.get('divergence') or finding.get('outcome')}")


class Checked(Program):
    def findings(self):
        command = self.notes["command"].replace("heddle check", "heddle check --json", 1)
        r = self.run(command)
        if r.status != int(self.notes["exit"]):
            self.fail(f"status {r.status}, expected {self.notes['exit']}", r, command)
        try:
            return json.loads(r.output)["findings"], r, command
        except (ValueError, KeyError, TypeError) as e:
            self.fail(f"--json: {e}", r, command)

    def fail(self, what, r, command):
        raise Failure(f"{what}\n--- output\n{self.short(r.output)}--- error\n{r.error}",
                      self.shown(command))

    @staticmethod
    def short(output):
        """Findings on a line each, if that is what it is."""
        try:
            return "".join(shown(f) + "\n" for f in json.loads(output)["findings"])
        except (ValueError, KeyError, TypeError):
            return output

    def fits(self, finding, line):
        kind, label = line.split()
        return finding["kind"] == kind and self.notes["marks"][label] <= key_lines(finding)

    def allowed(self, finding):
        for line in self.notes["allows"]:
            kind, _, text = line.partition(" ")
            if finding["kind"] == kind and text in finding["title"]:
                return True
        return False

    def check(self):
        n = self.notes
        findings, r, command = self.findings()
        left = list(findings)
        for key in ("finds", "predicts"):
            for line in [] if n["fixed"] else n[key]:
                fit = [f for f in findings if self.fits(f, line)]
                if not fit:
                    self.fail(f"check-{key}: no finding for '{line}'", r, command)
                for f in fit:
                    if (f["status"] in SEEN) != (key == "finds"):
                        self.fail(f"check-{key}: '{line}' is {f['status']}", r, command)
                left = [f for f in left if f not in fit]
        for f in left:
            if not self.allowed(f):
                self.fail(f"a finding too many: {shown(f)}", r, command)
            if f["status"] not in SEEN and not n["predicts"]:
                self.fail(f"not confirmed: {shown(f)}", r, command)
        r = self.run(n["command"])
        self.expect(r, n["command"], with_error=False)


def check_program(path, notes, args, tmp):
    # the directory of the run is empty: the program is beside it
    notes = dict(notes, **{"error-contains": [], "error-excludes": []})
    program = Checked(path, notes, os.path.abspath(args.build), tmp)
    built = program.compile()
    program.tmp = os.path.join(tmp, "cwd")
    os.mkdir(program.tmp)
    try:
        program.check()
    except Failure as f:
        raise Failure(str(f), f"{shlex.join(built)} && exe={program.exe} {f.command}") from None


# ---- without heddle -------------------------------------------------------------------------

def build(path, notes, exe, *flags):
    cc = "clang-19" if any("sanitize" in f for f in flags) else "cc"
    command = [cc, "-O2", "-g", "-pthread", *flags, *shlex.split(notes.get("flags", "")), path,
               "-o", exe]
    r = subprocess.run(command, capture_output=True, text=True)
    if r.returncode:
        raise Failure(f"status {r.returncode}\n{r.stderr}", shlex.join(command))
    return command


def arguments(notes):
    return shlex.split(notes["command"].partition(" -- ")[2])[1:]


def ends(command, seconds):
    """How it ends: "exit N", "SIGABRT", "hang"; with what it said and how long it took."""
    begin = time.monotonic()
    p = subprocess.Popen(command, stdin=subprocess.DEVNULL, stdout=subprocess.PIPE,
                         stderr=subprocess.STDOUT, text=True)
    try:
        out, _ = p.communicate(timeout=seconds)
    except subprocess.TimeoutExpired:
        p.kill()
        out, _ = p.communicate()
        return "hang", out, seconds
    took = time.monotonic() - begin
    if p.returncode < 0:
        return signal.Signals(-p.returncode).name, out, took
    return f"exit {p.returncode}", out, took


def until(command, seconds, fits, tries=5):
    """Even a forced order may be missed on a busy machine."""
    for _ in range(tries):
        how, out, _ = ends(command, seconds)
        if fits(how, out):
            break
    return how, out


def native_program(path, notes, args, tmp):
    exe = os.path.join(tmp, "exe")
    build(path, notes, exe)
    expected = notes.get("natural", "exit 0")
    took = []
    for k in range(args.native):
        how, out, seconds = ends([exe, *arguments(notes)], 2)
        if how != expected:
            raise Failure(f"run {k + 1}: {how}, expected {expected}\n{out}")
        took.append(seconds)
    if expected != "hang" and min(took) > SLOW:
        raise Failure(f"{min(took):.2f} s at best")


def force_program(path, notes, args, tmp):
    exe = os.path.join(tmp, "exe")
    command = [exe, *arguments(notes)]
    force = notes.get("force", "no")
    tool, _, text = force.partition(" ")
    if notes["fixed"] and tool.rstrip(",") == "no":
        build(path, notes, exe, "-DFORCE")
        how, out, _ = ends(command, 10)
        if how != "exit 0":
            raise Failure(f"-DFORCE: {how}\n{out}")
        if "force" in notes:
            return
        for flags in [], ["-DFORCE"]:
            # lock orders that a third lock guards are no deadlock, and not what it is asked for
            built = build(path, notes, exe, "-fsanitize=thread", *flags)
            for _ in range(args.runs):
                how, out, _ = ends(["env", "TSAN_OPTIONS=detect_deadlocks=0", *command], 20)
                if how != "exit 0" or "ThreadSanitizer" in out:
                    raise Failure(f"under ThreadSanitizer: {how}\n{out}", shlex.join(built))
        return
    if tool in ("tsan", "asan"):
        sanitizer = {"tsan": "thread", "asan": "address"}[tool]
        built = build(path, notes, exe, "-DFORCE", "-fsanitize=" + sanitizer)
        how, out = until(command, 20, lambda how, out: text in out)
        if text not in out:
            raise Failure(f"'{text}' is not said by {tool}: {how}\n{out}", shlex.join(built))
    elif tool.rstrip(",") != "no":
        built = build(path, notes, exe, "-DFORCE")
        how, out = until(command, 2, lambda how, out: how == force)
        if how != force:
            raise Failure(f"-DFORCE: {how}, expected {force}\n{out}", shlex.join(built))


# ---- all of them ----------------------------------------------------------------------------

def run_test(path, args):
    notes, tmp = None, None
    try:
        notes = parse(path)
        tmp = tempfile.mkdtemp(prefix="heddle-check-", dir=args.keep)
        work = native_program if args.native else force_program if args.force else check_program
        work(path, notes, args, tmp)
    except Failure as f:
        return f, notes
    finally:
        if tmp and not args.keep:
            shutil.rmtree(tmp, ignore_errors=True)
    return None, notes


def main():
    ap = argparse.ArgumentParser(usage=__doc__)
    ap.add_argument("--build")
    ap.add_argument("--tap", action="store_true")
    ap.add_argument("-j", "--jobs", type=int, default=os.cpu_count())
    ap.add_argument("--keep")
    ap.add_argument("--native", type=int)
    ap.add_argument("--force", action="store_true")
    ap.add_argument("--must-fail", action="store_true")
    ap.add_argument("--runs", type=int, default=3)
    ap.add_argument("paths", nargs="*")
    args = ap.parse_args()
    if not (args.build or args.native or args.force):
        ap.error("--build is needed")
    if args.keep:
        args.keep = os.path.abspath(args.keep)
        os.makedirs(args.keep, exist_ok=True)
    paths = []
    for path in args.paths or [PROGRAMS]:
        paths += sorted(os.path.join(path, n) for n in os.listdir(path) if n.endswith(".c")) \
            if os.path.isdir(path) else [path]
    report = Report(args.tap, args.must_fail)
    with concurrent.futures.ThreadPoolExecutor(args.jobs) as pool:
        results = pool.map(lambda p: run_test(p, args), paths)
        for path, (failure, notes) in zip(paths, results):
            known = not (args.native or args.force)
            report.add(os.path.relpath(path), failure,
                       notes if known or not notes else dict(notes, **{"known-to-fail": None}))
    sys.exit(report.end())


if __name__ == "__main__":
    main()
