#!/usr/bin/env python3
"""A long test of many seeds, in parts that are not repeated: COMMAND --seed S --count N for each part of the range.
The parts that passed are kept in a file, so a campaign that was interrupted continues where it stopped. A part that
failed is executed again. If heddle, the command or its files have changed, the campaign begins anew.

campaign.py --build DIR --state FILE --seeds FIRST-LAST [--step N] [--jobs N] -- COMMAND...
campaign.py --self-test

HEDDLE_LONG_UNTIL in the environment is a time in seconds since 1970: no part begins after it. FILE.left then
contains the number of the parts that are left; without such parts there is no FILE.left. As many parts as there are
processors are executed at the same time, unless --jobs says another number.
"""
import argparse
import concurrent.futures
import glob
import hashlib
import os
import subprocess
import sys
import tempfile
import time

HERE = os.path.dirname(os.path.abspath(__file__))


def key_of(build, command):
    """Changes with heddle, the words of the command, the contents of the files among them and the Python files
    beside these."""
    h = hashlib.sha256()
    names = [os.path.join(build, name) for name in ("heddle", "heddle-cc")] + command
    for folder in (os.path.join(HERE, "harness"), *(os.path.dirname(w) for w in command if w.endswith(".py"))):
        names += sorted(glob.glob(os.path.join(folder, "*.py")))
    for name in names:
        h.update(name.encode() + b"\0")
        if os.path.isfile(name):
            with open(name, "rb") as f:
                h.update(f.read())
    return h.hexdigest()[:16]


class State:
    """The parts that passed: a line "KEY FIRST COUNT" for each."""

    def __init__(self, path, key):
        self.path, self.key, self.passed = path, key, set()
        os.makedirs(os.path.dirname(path) or ".", exist_ok=True)
        if not os.path.exists(path):
            return
        with open(path) as f:
            for words in map(str.split, f):
                if len(words) == 3 and words[0] == key:
                    self.passed.add((int(words[1]), int(words[2])))

    def add(self, part):
        self.passed.add(part)
        with open(self.path, "a") as f:
            f.write("%s %d %d\n" % (self.key, *part))

    def set_left(self, n):
        if n:
            with open(self.path + ".left", "w") as f:
                f.write("%d\n" % n)
        elif os.path.exists(self.path + ".left"):
            os.unlink(self.path + ".left")


def parts_of(first, last, step):
    return [(s, min(step, last + 1 - s)) for s in range(first, last + 1, step)]


def execute(command, part):
    """Whether the part passed, and its output as comments: all of it if it failed, else the last line."""
    r = subprocess.run([*command, "--seed", str(part[0]), "--count", str(part[1])], stdin=subprocess.DEVNULL,
                       stdout=subprocess.PIPE, stderr=subprocess.STDOUT)
    lines = r.stdout.decode(errors="replace").strip().split("\n")
    notes = [line for line in lines if line.startswith("#")]
    return r.returncode == 0, ["# " + line.removeprefix("# ") for line in (notes[-1:] if r.returncode == 0 else lines)]


class Campaign:
    def __init__(self, o):
        self.command, self.until = o.command, float(os.environ.get("HEDDLE_LONG_UNTIL", "inf"))
        self.state = State(o.state, key_of(o.build, o.command))
        self.failed = self.left = 0

    def try_part(self, part):
        """(how it went, lines to print)"""
        if part in self.state.passed:
            return "passed before", []
        if time.time() > self.until:
            return "left", []
        ok, lines = execute(self.command, part)
        return "passed" if ok else "failed", lines

    def add(self, n, part, how, lines):
        name = "seeds %d to %d" % (part[0], part[0] + part[1] - 1)
        print("".join(line + "\n" for line in lines), end="")
        if how == "passed":
            self.state.add(part)
        self.failed += how == "failed"
        self.left += how == "left"
        print("%s %d - %s%s" % ("not ok" if how == "failed" else "ok", n, name, {
            "left": " # SKIP no time left", "passed before": ", passed before"}.get(how, "")), flush=True)


def run_campaign(o):
    campaign, parts = Campaign(o), parts_of(*map(int, o.seeds.split("-")), o.step)
    with concurrent.futures.ThreadPoolExecutor(o.jobs) as pool:
        results = {pool.submit(campaign.try_part, part): part for part in parts}
        for n, f in enumerate(concurrent.futures.as_completed(results), 1):
            campaign.add(n, results[f], *f.result())
    print("1..%d" % len(parts))
    campaign.state.set_left(campaign.left)
    return 1 if campaign.failed else 0


# ---- self-test

SCRIPT = """import os, sys
seed = sys.argv[2]
with open("executed", "a") as f:
    f.write(seed + " ")
sys.exit(seed == "3" and os.path.exists("bad"))
"""


def self_test():
    results = []

    def campaign(**environment):
        """(exit status, seeds of the parts that were executed, number in FILE.left)"""
        status = subprocess.run([sys.executable, os.path.abspath(__file__), "--build", ".", "--state", "state",
                                 "--seeds", "1-6", "--step", "2", "--jobs", "1", "--", sys.executable, "script.py"], cwd=folder,
                                env={**os.environ, **environment}, stdout=subprocess.DEVNULL).returncode
        texts = []
        for name in ("executed", "state.left"):
            path = os.path.join(folder, name)
            texts.append(open(path).read().strip() if os.path.exists(path) else "")
        if texts[0]:
            os.unlink(os.path.join(folder, "executed"))
        return status, *texts

    def write(name, text):
        with open(os.path.join(folder, name), "w") as f:
            f.write(text)

    with tempfile.TemporaryDirectory(prefix="campaign.") as folder:
        write("script.py", SCRIPT)
        write("bad", "")
        results.append(("no time is left", campaign(HEDDLE_LONG_UNTIL="1"), (0, "", "3")))
        results.append(("a part fails", campaign(), (1, "1 3 5", "")))
        os.unlink(os.path.join(folder, "bad"))
        results.append(("only the failed part is executed again", campaign(), (0, "3", "")))
        results.append(("all parts have passed", campaign(), (0, "", "")))
        write("script.py", SCRIPT + "# changed\n")
        results.append(("the command has changed", campaign(), (0, "1 3 5", "")))
    for n, (name, got, want) in enumerate(results, 1):
        print("%s %d - %s" % ("ok" if got == want else "not ok", n, name))
        if got != want:
            print("# got %s, not %s" % (got, want))
    print("1..%d" % len(results))
    return any(got != want for _, got, want in results)


def main():
    if sys.argv[1:] == ["--self-test"]:
        return self_test()
    ap = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    ap.add_argument("--build", required=True)
    ap.add_argument("--state", required=True)
    ap.add_argument("--seeds", required=True)
    ap.add_argument("--step", type=int, default=200)
    ap.add_argument("--jobs", type=int, default=os.cpu_count())
    ap.add_argument("command", nargs="+")
    return run_campaign(ap.parse_args())


if __name__ == "__main__":
    sys.exit(main())
