#!/usr/bin/env python3
"""Test cases on the real program: cases/*.c. Prints TAP. The first comment of a file says what is tried:

 * check-name: one line for people
 * explore: OPTIONS         `heddle explore` with these, and every test that it writes has the same outcome
                            on the real program. args: WORDS are the program's
 * paths: N                 at least so many tests, 1 if it is not there
 * machine-only: N          so many of them are of faults that the program shows no sign of; else none is
 * seeds: N [--access]      so many random schedules of the machine, with trial_drive: the program does the
                            same, and each of its threads passes the same points
 * test: JSON               a test by hand, without 'heddle-test' and 'program', and without 'argv' if there
                            are no arguments; lines that follow each other are one
 * says: REGEX              what `heddle test` says of it, behind the name of the file
 * files: NAME=TEXT         is there before each test by hand
 * files-after: NAME=TEXT   is there, with these contents, after them
 * options: WORDS           the tests by hand are run once more with these; files-after below it is about
                            that run

After the cases come the command line itself (exit codes, broken files, JUnit, --keep) and one case that must
fail, to see that it can.

usage: run_trial.py --build DIR [--only WORD] [--jobs N] [--seeds FACTOR]
"""
import argparse
import concurrent.futures
import json
import os
import re
import shlex
import shutil
import subprocess
import sys
import tempfile
import xml.etree.ElementTree

HERE = os.path.dirname(os.path.abspath(__file__))
sys.path.insert(0, os.path.dirname(HERE))
from harness.annotations import comment_lines  # noqa: E402

KEY = re.compile(r"^(check-name|explore|args|paths|machine-only|seeds|test|says|files|files-after|options):\s?(.*)$")


class Failure(Exception):
    pass


class Done:
    def __init__(self, code, out, err):
        self.code, self.out, self.err = code, out, err


class Case:
    def __init__(self, path):
        self.path = path
        self.name = os.path.basename(path)[:-2]
        self.args, self.paths, self.machine_only, self.seeds, self.explore = [], 1, 0, None, None
        self.tests, self.files, self.after, self.options = [], {}, [{}], []
        last = ""
        with open(path) as f:
            lines = list(comment_lines(f.read()))
        for line in lines:
            m = KEY.match(line)
            if not m:
                if line.strip():
                    raise Failure(f"{path}: '{line}' is not understood")
                continue
            self.take(m[1], m[2], last)
            last = m[1]

    def take(self, key, value, last):
        if key == "explore":
            self.explore = shlex.split(value)
        elif key == "args":
            self.args = shlex.split(value)
        elif key in ("paths", "machine-only"):
            setattr(self, key.replace("-", "_"), int(value))
        elif key == "seeds":
            self.seeds = value.split()
        elif key == "test" and last == "test":
            self.tests[-1][0] += value
        elif key == "test":
            self.tests.append([value, ""])
        elif key == "says":
            self.tests[-1][1] = value
        elif key == "files":
            name, _, text = value.partition("=")
            self.files[name] = text
        elif key == "files-after":
            name, _, text = value.partition("=")
            self.after[-1][name] = text
        elif key == "options":
            self.options.append(shlex.split(value))
            self.after.append({})


class Runner:
    def __init__(self, build, tmp, factor):
        self.build, self.tmp, self.factor = build, tmp, factor
        self.env = dict(os.environ, XDG_CACHE_HOME=os.path.join(tmp, "cache"))

    def run(self, words, cwd, timeout=120):
        try:
            r = subprocess.run(words, cwd=cwd, env=self.env, stdin=subprocess.DEVNULL, capture_output=True,
                               timeout=timeout)
        except subprocess.TimeoutExpired:
            raise Failure(f"'{shlex.join(words)}' takes longer than {timeout} s")
        return Done(r.returncode, r.stdout.decode(errors="replace"), r.stderr.decode(errors="replace"))

    def heddle(self, *words, cwd):
        r = self.run([os.path.join(self.build, "heddle"), *words], cwd)
        if r.code < 0 or "BUG" in r.err:
            raise Failure(f"heddle {shlex.join(words)}: {r.code}\n{r.err}")
        return r

    def compile(self, case):
        d = os.path.join(self.tmp, case.name)
        os.mkdir(d)
        include = os.path.join(os.path.dirname(os.path.dirname(HERE)), "include")
        r = self.run([os.path.join(self.build, "heddle-cc"), "-g", "-O1", "-pthread", "-I", include, case.path,
                      "-o", "prog"], d)
        if r.code:
            raise Failure(r.err)
        return d

    # ---- the parts of a case -----------------------------------------------------------------

    def explored(self, case, d):
        r = self.heddle("explore", "--no-replay", "-o", "out", "--seconds", "20", *case.explore, "--", "./prog",
                        *case.args, cwd=d)
        if r.code not in (0, 3, 66):
            raise Failure(f"explore: {r.code}\n{r.err}")
        tests = sorted(os.path.join("out", t) for t in os.listdir(os.path.join(d, "out"))
                       if re.match(r"\d+-", t) and not t.endswith("stopped.json"))
        if len(tests) < case.paths:
            raise Failure(f"{len(tests)} tests, {case.paths} expected\n{r.out}{r.err}")
        r = self.heddle("test", "--expect", *tests, cwd=d)
        r.out = re.sub(r"^out/\S+: same: .*\n", "", r.out, flags=re.M) if r.code else r.out
        verdicts = re.findall(r"^out/\S+: ([\w ]+): ", r.out, re.M)
        if len(verdicts) != len(tests) or verdicts.count("machine only") != case.machine_only or \
                verdicts.count("same") + case.machine_only != len(tests) or r.code:
            raise Failure(f"exit code {r.code}\n{r.out}{r.err}")
        return f"{len(tests)} paths"

    def seeded(self, case, d):
        n = str(int(case.seeds[0]) * self.factor)
        r = self.run([os.path.join(self.build, "tests/trial/trial_drive"), *case.seeds[1:], "--seeds", n,
                      "./prog", *case.args], d, 600)
        if r.code:
            raise Failure(f"exit code {r.code}\n{r.out}{r.err}")
        if r.out.count("ok seed") != int(n):
            raise Failure(r.out)
        return f"{n} schedules"

    def by_hand(self, case, d, options, after):
        for i, (text, says) in enumerate(case.tests):
            for name, contents in case.files.items():
                with open(os.path.join(d, name), "w") as f:
                    f.write(contents)
            t = {"heddle-test": 1, "program": "./prog", "argv": ["prog"], **json.loads(text)}
            with open(os.path.join(d, f"hand{i}.json"), "w") as f:
                json.dump(t, f)
            r = self.heddle("test", *options, f"hand{i}.json", cwd=d)
            line = r.out.split("\n")[0].removeprefix(f"hand{i}.json: ")
            if not says or not re.match(says, line):
                raise Failure(f"{text}\nexpected: {says}\nheddle test: {r.out}{r.err}")
        for name, contents in after.items():
            with open(os.path.join(d, name)) as f:
                have = f.read()
            if have != contents:
                raise Failure(f"'{name}' is '{have}'")
        return f"{len(case.tests)} by hand"

    def case(self, path):
        case = Case(path)
        d = self.compile(case)
        did = []
        if case.explore is not None:
            did.append(self.explored(case, d))
        if case.seeds:
            did.append(self.seeded(case, d))
        if case.tests:
            for options, after in zip([[]] + case.options, case.after):
                did.append(self.by_hand(case, d, options, after))
        return ", ".join(did)


# ---- the command line ------------------------------------------------------------------------

def program_for_cli(run):
    d = os.path.join(run.tmp, "cli")
    os.mkdir(d)
    with open(os.path.join(d, "p.c"), "w") as f:
        f.write('#include <assert.h>\n#include <stdio.h>\nint main(int n, char **v) {\n'
                ' puts(v[n - 1]);\n assert(n < 3);\n return n - 1; }\n')
    r = run.run([os.path.join(run.build, "heddle-cc"), "-g", "p.c", "-o", "prog"], d)
    if r.code:
        raise Failure(r.err)
    return d


def write(d, name, **t):
    with open(os.path.join(d, name), "w") as f:
        json.dump({"heddle-test": 1, "program": "./prog", **t}, f)


def expect(ok, r, what):
    if not ok:
        raise Failure(f"{what}: exit code {r.code}\n{r.out}{r.err}")


def cli(run):
    d = program_for_cli(run)
    write(d, "pass.json", argv=["p"], outcome={"fate": "exited", "status": 0, "output": "p\n"})
    write(d, "fail.json", argv=["p", "a", "b"], outcome={"fate": "fault", "kind": "assert", "line": 5})
    write(d, "gone.json", argv=["p", "a"], outcome={"fate": "fault", "kind": "assert", "line": 5})
    write(d, "other.json", argv=["p", "a"], outcome={"fate": "exited", "status": 7})
    write(d, "line.json", argv=["p", "a", "b"], outcome={"fate": "fault", "kind": "assert", "line": 6})
    write(d, "stale.json", argv=["p"], identity="0x1", outcome={"fate": "exited", "status": 0})
    with open(os.path.join(d, "broken.json"), "w") as f:
        f.write('{"heddle-test": 1, "program": "./prog", "argv": ["p"],\n "inputs": [{"name": "stdin", '
                '"bytes": {"hex": "0"}}], "outcome": {"fate": "exited"}}')
    codes = [
        (["pass.json"], 0), (["fail.json"], 66), (["--expect", "fail.json", "pass.json"], 0),
        (["gone.json"], 0), (["--expect", "gone.json"], 66), (["other.json"], 66), (["line.json"], 66),
        (["--machine", "fail.json"], 66), (["--machine", "--expect", "fail.json"], 0),
        (["--native-only", "--expect", "fail.json", "pass.json"], 0), (["broken.json"], 1), ([], 2),
        (["--machine", "--native-only", "pass.json"], 2), (["nothing.json"], 1),
        (["broken.json", "fail.json"], 66),
    ]
    for words, code in codes:
        r = run.heddle("test", *words, cwd=d)
        expect(r.code == code, r, f"heddle test {shlex.join(words)}, expected {code}")
    r = run.heddle("test", "broken.json", cwd=d)
    expect("'broken.json' is not a test case of heddle: 'inputs[0].bytes.hex' has an odd number of digits" in r.err, r,
           "broken")
    r = run.heddle("test", "stale.json", cwd=d)
    expect("was built again since" in r.out and r.code == 0, r, "stale")
    r = run.heddle("test", "--show", "pass.json", cwd=d)
    expect("\np\n" in "\n" + r.out, r, "--show")
    os.mkdir(os.path.join(d, "all"))
    r = run.heddle("test", "all", cwd=d)
    expect(r.code == 1 and "no test cases in 'all'" in r.err, r, "an empty directory")
    for name in ("pass.json", "fail.json", "frontier.json"):
        shutil.copy(os.path.join(d, "pass.json" if name == "frontier.json" else name), os.path.join(d, "all", name))
    r = run.heddle("test", "--expect", "all", "all/frontier.json", cwd=d)
    expect(r.code == 0 and "2 tests: 2 same, 1 failure" in r.out, r, "a directory")
    r = run.heddle("test", "-q", "pass.json", "gone.json", cwd=d)
    expect("pass.json" not in r.out and "gone.json" in r.out and "1 same, 1 gone" in r.out, r, "-q")
    r = run.heddle("test", "--keep", "kept", "pass.json", cwd=d)
    with open(os.path.join(d, "kept", "pass", "stdout")) as f:
        expect(f.read() == "p\n", r, "--keep")
    r = run.heddle("test", "--junit", "r.xml", "pass.json", "other.json", "broken.json", cwd=d)
    root = xml.etree.ElementTree.parse(os.path.join(d, "r.xml")).getroot()
    suite = root.find("testsuite")
    expect(suite.get("tests") == "3" and suite.get("failures") == "1" and suite.get("errors") == "1", r,
           "--junit")
    return f"{len(codes)} command lines"


def must_fail(run):
    """A test that says the wrong thing is noticed, by explore's way and by hand."""
    path = os.path.join(run.tmp, "wrong.c")
    with open(path, "w") as f:
        f.write('/*\n * check-name: wrong\n * test: {"outcome": {"fate": "exited", "status": 1}}\n'
                ' * says: same: exited with 1\n */\nint main(void) { return 2; }\n')
    try:
        run.case(path)
    except Failure as e:
        if "different: exited with 2; expected: exits with 1" in str(e):
            return "it failed"
        raise
    raise Failure("a wrong test passed")


def main():
    ap = argparse.ArgumentParser()
    ap.add_argument("--build", required=True)
    ap.add_argument("--only", default="")
    ap.add_argument("--jobs", type=int, default=2)
    ap.add_argument("--seeds", type=int, default=1)
    a = ap.parse_args()
    tmp = tempfile.mkdtemp(prefix="heddle-trial-")
    run = Runner(os.path.abspath(a.build), tmp, a.seeds)
    cases = os.path.join(HERE, "cases")
    todo = [(n, lambda n=n: run.case(os.path.join(cases, n))) for n in sorted(os.listdir(cases))]
    todo += [("command line", lambda: cli(run)), ("must fail", lambda: must_fail(run))]
    todo = [t for t in todo if a.only in t[0]]
    failed = 0
    print(f"1..{len(todo)}", flush=True)
    with concurrent.futures.ThreadPoolExecutor(a.jobs) as pool:
        for i, ((name, _), job) in enumerate([(t, pool.submit(t[1])) for t in todo], 1):
            try:
                print(f"ok {i} - {name}: {job.result()}", flush=True)
            except Exception as e:  # noqa: BLE001
                failed += 1
                what = str(e) if isinstance(e, Failure) else repr(e)
                if len(what) > 4000:
                    what = what[:2000] + "\n...\n" + what[-2000:]
                print(f"not ok {i} - {name}\n# " + what.strip().replace("\n", "\n# "), flush=True)
    shutil.rmtree(tmp, ignore_errors=True)
    return failed > 0


if __name__ == "__main__":
    sys.exit(main())
