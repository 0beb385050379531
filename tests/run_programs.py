#!/usr/bin/env python3
"""Runs annotated C programs as tests. A test is one file; its first comment says what is expected:

 * check-name: one line for people
 * check-flags: -O0 -DX          more words for heddle-cc (default -O2 -g -pthread, -lm at the end)
 * check-args: a b               arguments of the program
 * check-stdin: text\\n           standard input, with C escapes
 * check-exit: N                 exit status of the program (of the command, with check-command)
 * check-output-contains: text   in standard output; may be repeated, as the next three
 * check-output-excludes: text
 * check-error-contains: text    in standard error (of heddle, not of the native run)
 * check-error-excludes: text
 * check-output:                 the whole of standard output, up to the end line
 * ...
 * check-output-end
 * check-seeds: N                under each of the seeds 1..N too
 * check-switch: sync|access|both  where threads switch in these runs (default sync)
 * check-native: no              the native run would not be the same
 * check-command: heddle exec -- $exe   run this instead of the default; $exe is the program,
                                 $src its source, $tmp a directory of the test's own
 * check-known-to-fail: reason
 * check-long: yes               only with --long
 * check-timeout: N              seconds for each run (default 60)

Without check-command the program runs natively, under `heddle exec`, and under `heddle exec` once
more after a round trip through the textual IR; output and exit status must be the same, and fit the
annotations. With check-command and check-seeds the command must begin with `heddle exec`.

usage: run_programs.py --build DIR [--long] [--tap] [--jobs N] [--must-fail] [--keep DIR] PATH...
A PATH is a file, or a folder whose *.c files are taken. With --must-fail every test has to fail,
with the text that stands after `must-fail: ` in its comment: so the harness itself is tested.
"""
import argparse
import concurrent.futures
import os
import re
import shlex
import shutil
import signal
import subprocess
import sys
import tempfile

ONCE = {"name", "command", "args", "stdin", "exit", "seeds", "native", "flags", "known-to-fail",
        "long", "switch", "timeout"}
REPEATED = {"output-contains", "output-excludes", "error-contains", "error-excludes"}
KEY = re.compile(r"^check-([a-z-]+)(?::\s?(.*))?$")
EXITED = re.compile(r"^heddle: note: the program ended with status (\d+)$", re.M)


class Failure(Exception):
    """What went wrong, and the command line that shows it again."""

    def __init__(self, what, command=None):
        super().__init__(what)
        self.command = command


# ---- annotations ----------------------------------------------------------------------------

def comment_lines(text):
    m = re.match(r"\s*/\*(.*?)\*/", text, re.S)
    for line in m[1].split("\n") if m else []:
        yield re.sub(r"^\s*\* ?", "", line).rstrip()


def parse(path):
    """The annotations of a file as a dictionary; Failure if they make no sense."""
    with open(path, errors="surrogateescape") as f:
        text = f.read()
    notes = {key: [] for key in REPEATED}
    lines = comment_lines(text)
    for line in lines:
        m = KEY.match(line)
        if not m:
            continue
        key, value = m[1], m[2]
        if key == "output":
            block = []
            for line in lines:
                if line == "check-output-end":
                    break
                block.append(line + "\n")
            else:
                raise Failure("check-output without check-output-end")
            notes["output"] = "".join(block)
        elif key in REPEATED and value:
            notes[key].append(value)
        elif key in ONCE and value and key not in notes:
            notes[key] = value
        else:
            raise Failure(f"bad annotation 'check-{key}': " + (
                "unknown" if key not in ONCE | REPEATED else
                "no value" if not value else "given twice"))
    if "name" not in notes:
        raise Failure("no check-name in the first comment")
    for key, words in (("native", ("no",)), ("long", ("yes",)),
                       ("switch", ("sync", "access", "both"))):
        if key in notes and notes[key] not in words:
            raise Failure(f"bad annotation 'check-{key}': not one of {', '.join(words)}")
    for key in ("seeds", "exit", "timeout"):
        if key in notes and not notes[key].isdigit():
            raise Failure(f"bad annotation 'check-{key}': not a number")
    if "seeds" in notes and not notes.get("command", "heddle exec ").startswith("heddle exec "):
        raise Failure("bad annotation 'check-seeds': the command is not 'heddle exec ...'")
    return notes


# ---- running --------------------------------------------------------------------------------

class Run:
    """A finished process: output, error, and the program's exit status (heddle's for a command)."""

    def __init__(self, output, error, status):
        self.output, self.error, self.status = output, error, status


class Program:
    def __init__(self, path, notes, heddle_dir, tmp):
        self.path, self.notes, self.heddle_dir, self.tmp = path, notes, heddle_dir, tmp
        self.heddle = os.path.join(heddle_dir, "heddle")
        self.exe = os.path.join(tmp, os.path.splitext(os.path.basename(path))[0])
        self.args = shlex.split(notes.get("args", ""))
        self.timeout = int(notes.get("timeout", 60))
        self.env = dict(os.environ, PATH=heddle_dir + ":" + os.environ["PATH"], exe=self.exe,
                        src=os.path.abspath(path), tmp=tmp, LC_ALL="C")
        self.stdin = os.path.join(tmp, "stdin")
        with open(self.stdin, "wb") as f:
            f.write(notes.get("stdin", "").encode().decode("unicode_escape").encode("latin-1"))

    def shown(self, command):
        words = command if isinstance(command, str) else shlex.join(command)
        if "stdin" in self.notes:
            words += f" <{self.stdin}"
        return words

    def run(self, command, timeout=None):
        """A command line as a list of words, or a string for the shell."""
        limit = timeout or self.timeout
        with open(self.stdin, "rb") as stdin, tempfile.TemporaryFile() as out, \
                tempfile.TemporaryFile() as err:
            try:
                p = subprocess.Popen(command, shell=isinstance(command, str), stdin=stdin,
                                     stdout=out, stderr=err, env=self.env, cwd=self.tmp,
                                     start_new_session=True)
            except OSError as e:
                raise Failure(str(e)) from None
            try:
                status = p.wait(limit)
            except subprocess.TimeoutExpired:
                os.killpg(p.pid, signal.SIGKILL)
                p.wait()
                raise Failure(f"no end after {limit} s", self.shown(command)) from None
            streams = []
            for f in (out, err):
                f.seek(0)
                streams.append(f.read().decode(errors="backslashreplace"))
        return Run(*streams, status)

    def compile(self):
        command = [os.path.join(self.heddle_dir, "heddle-cc"), "-O2", "-g", "-pthread",
                   *shlex.split(self.notes.get("flags", "")), os.path.abspath(self.path),
                   "-o", self.exe, "-lm"]
        r = self.run(command)
        if r.status:
            raise Failure(f"heddle-cc: status {r.status}\n{r.error}", shlex.join(command))
        return command

    def exec_command(self, what, *options):
        return [self.heddle, "exec", *options, "--", what, *self.args]

    def interpret(self, command):
        """A run of `heddle exec` whose status becomes that of the program."""
        r = self.run(command)
        if r.status:
            raise Failure(f"heddle exec: exit code {r.status}\n{r.error}", self.shown(command))
        m = EXITED.search(r.error)
        r.status = int(m[1]) if m else 0
        return r

    # ---- what is expected

    def expect(self, r, command, with_error=True):
        n = self.notes
        where = self.shown(command)

        def fail(what):
            raise Failure(what + f"\n--- output\n{r.output}--- error\n{r.error}", where)

        if "exit" in n and r.status != int(n["exit"]):
            fail(f"status {r.status}, expected {n['exit']}")
        if "output" in n and r.output != n["output"]:
            fail(f"output differs; expected\n{n['output']}")
        for stream, name in ((r.output, "output"), (r.error, "error")):
            if name == "error" and not with_error:
                continue
            for text in n[name + "-contains"]:
                if text not in stream:
                    fail(f"'{text}' is not in the {name}")
            for text in n[name + "-excludes"]:
                if text in stream:
                    fail(f"'{text}' is in the {name}")

    def expect_same(self, r, native, command):
        if native and (r.output, r.status) != (native.output, native.status):
            raise Failure(f"status {r.status}, natively {native.status}; output\n{r.output}"
                          f"--- natively\n{native.output}--- error\n{r.error}", self.shown(command))

    # ---- the kinds of tests

    def switches(self):
        switch = self.notes.get("switch", "sync")
        return ["sync", "access"] if switch == "both" else [switch]

    def check_command(self):
        command = self.notes["command"]
        if "seeds" not in self.notes:
            self.expect(self.run(command), command)
            return
        for switch in self.switches():
            for seed in range(1, int(self.notes["seeds"]) + 1):
                seeded = command.replace("exec", f"exec --seed={seed} --switch={switch}", 1)
                self.expect(self.run(seeded), seeded)

    def check_exec(self, native, what, *options):
        command = self.exec_command(what, *options)
        r = self.interpret(command)
        self.expect(r, command)
        self.expect_same(r, native, command)
        return r

    def check_seeds(self, native, expected):
        """All the seeds in one process first, where the output is the same for all of them."""
        n = int(self.notes["seeds"])
        for switch in self.switches():
            if native or "output" in self.notes:
                command = self.exec_command(self.exe, f"--seeds={n}", f"--switch={switch}")
                r = self.run(command, timeout=self.timeout * 5)
                same_status = len(EXITED.findall(r.error)) == (n if expected.status else 0)
                if not r.status and same_status and r.output == expected.output * n:
                    continue
            for seed in range(1, n + 1):
                self.check_exec(native, self.exe, f"--seed={seed}", f"--switch={switch}")

    def check_default(self):
        native = None
        if self.notes.get("native") != "no":
            command = [self.exe, *self.args]
            native = self.run(command)
            self.expect(native, command, with_error=False)
            if "exit" not in self.notes and native.status:
                raise Failure(f"natively status {native.status}, expected 0\n{native.error}",
                              self.shown(command))
        r = self.check_exec(native, self.exe)
        hir = self.exe + ".hir"
        dump = [self.heddle, "dump", "--ir", self.exe]
        d = self.run(dump)
        if d.status:
            raise Failure(f"heddle dump: exit code {d.status}\n{d.error}", shlex.join(dump))
        with open(hir, "w", errors="surrogateescape") as f:
            f.write(d.output)
        again = [self.heddle, "dump", "--ir", hir]
        if self.run(again).output != d.output:
            raise Failure("the textual IR changes when it is read and written again",
                          shlex.join(again))
        self.check_exec(native, hir)
        if "seeds" in self.notes:
            self.check_seeds(native, r)


def run_test(path, heddle_dir, keep):
    """None if the test passed, else the Failure; and its annotations (None if they are broken)."""
    try:
        notes = parse(path)
    except Failure as failure:
        return failure, None
    tmp = tempfile.mkdtemp(prefix="heddle-test-", dir=keep)
    failure = None
    try:
        program = Program(path, notes, heddle_dir, tmp)
        built = program.compile()
        try:
            program.check_command() if "command" in notes else program.check_default()
        except Failure as f:
            failure = Failure(str(f), f"{shlex.join(built)} && exe={program.exe} {f.command}")
    except Failure as f:
        failure = f
    finally:
        if not keep:
            shutil.rmtree(tmp, ignore_errors=True)
    return failure, notes


# ---- reporting ------------------------------------------------------------------------------

class Report:
    def __init__(self, tap, must_fail):
        self.tap, self.must_fail = tap, must_fail
        self.passed = self.failed = self.count = 0

    def add(self, path, failure, notes):
        known = notes.get("known-to-fail") if notes else None
        if self.must_fail:
            failure = self.turn_round(path, failure)
        elif known and not failure:
            failure, known = Failure("passes now (take check-known-to-fail away)"), None
        self.count += 1
        ok = not failure or known
        self.passed, self.failed = self.passed + bool(ok), self.failed + (not ok)
        if self.tap:
            print(f"{'not ok' if failure else 'ok'} {self.count} - {path}"
                  + (f" # TODO {known}" if known else ""))
        if failure and not known:
            self.explain(path, failure, notes)
        sys.stdout.flush()

    @staticmethod
    def turn_round(path, failure):
        with open(path) as f:
            m = re.search(r"^ \* must-fail: (.*)$", f.read(), re.M)
        if not m:
            return Failure("no 'must-fail: TEXT' in the comment")
        if not failure:
            return Failure("passes, but has to fail")
        if m[1] not in str(failure):
            return Failure(f"does not fail with '{m[1]}' but: {failure}", failure.command)
        return None

    def explain(self, path, failure, notes):
        lines = str(failure).strip().split("\n")
        if len(lines) > 60:
            lines = lines[:40] + ["..."] + lines[-19:]
        mark = "# " if self.tap else ""
        print(f"{mark}FAILED {path} ({notes['name'] if notes else '?'}): {lines[0]}")
        for line in lines[1:]:
            print(f"{mark}    {line}")
        if failure.command:
            print(f"{mark}  again: {failure.command}")

    def end(self):
        if self.tap:
            print(f"1..{self.count}")
        else:
            print(f"{self.passed} passed, {self.failed} failed")
        return 1 if self.failed else 0


def collect(paths, long):
    files = []
    for path in paths:
        if not path.endswith(".c"):
            if not os.path.isdir(path):
                sys.exit(f"run_programs.py: no folder '{path}'")
            files += sorted(os.path.join(path, n) for n in os.listdir(path) if n.endswith(".c"))
        else:
            files.append(path)

    def wanted(path):
        try:
            return long or "long" not in parse(path)
        except Failure:
            return True

    return [f for f in files if wanted(f)]


def main():
    ap = argparse.ArgumentParser(usage=__doc__)
    ap.add_argument("--build", required=True)
    ap.add_argument("--long", action="store_true")
    ap.add_argument("--tap", action="store_true")
    ap.add_argument("--must-fail", action="store_true")
    ap.add_argument("--jobs", type=int, default=os.cpu_count())
    ap.add_argument("--keep")
    ap.add_argument("paths", nargs="+")
    args = ap.parse_args()
    heddle_dir = os.path.abspath(args.build)
    keep = os.path.abspath(args.keep) if args.keep else None
    if keep:
        os.makedirs(keep, exist_ok=True)
    report = Report(args.tap, args.must_fail)
    files = collect(args.paths, args.long)
    with concurrent.futures.ThreadPoolExecutor(args.jobs) as pool:
        results = pool.map(lambda f: run_test(f, heddle_dir, keep), files)
        for path, (failure, notes) in zip(files, results):
            report.add(os.path.relpath(path), failure, notes)
    sys.exit(report.end())


if __name__ == "__main__":
    main()
