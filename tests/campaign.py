#!/usr/bin/env python3
"""A long test of many seeds, in parts that are not repeated: COMMAND --seed S --count N for each part of the range.
The parts that passed are kept in a file, so a campaign that was interrupted continues where it stopped. A part that
failed is executed again. If heddle, the command or its files have changed, the campaign begins anew.

campaign.py --build DIR --state FILE --seeds FIRST-LAST [--step N] [--jobs N] -- COMMAND...
campaign.py --self-test

HEDDLE_LONG_UNTIL in the environment is a time in seconds since 1970: no part begins after it. FILE.left then
contains the number of the parts that are left; without such parts there is no FILE.left. As many parts as there are
processors are executed at the same time, unless --jobs says another number. FILE.summary has one line: the programs of
the parts so far, in this run and before it, how many of them were compared, how many disagree, and why others were not compared.
"""
import argparse
import concurrent.futures
import glob
import hashlib
import os
import re
import subprocess
import sys
import tempfile
import time

HERE = os.path.dirname(os.path.abspath(__file__))


def key_of(build, command):
    """Changes with heddle, the words of the command, the contents of the files among them, the Python files
    beside these, and the programs that are built from the same folder."""
    h = hashlib.sha256()
    names = [os.path.join(build, name) for name in ("heddle", "heddle-cc")] + command
    for folder in (os.path.join(HERE, "harness"), *(os.path.dirname(w) for w in command if w.endswith(".py"))):
        names += sorted(glob.glob(os.path.join(folder, "*.py")))
        names += sorted(glob.glob(os.path.join(build, "tests", os.path.basename(folder), "*")))
    for name in names:
        h.update(name.encode() + b"\0")
        if os.path.isfile(name):
            with open(name, "rb") as f:
                h.update(f.read())
    return h.hexdigest()[:16]


class Summary:
    """What parts say in their last comment (Report.end() in harness/oracle.py), added up."""

    def __init__(self):
        self.programs = self.compared = self.differ = self.left = 0
        self.others = {} # programs that were not compared, by reason

    def add(self, part, note):
        share = re.search(r"(\d+) of (\d+) programs compared", note)
        differ = re.search(r"(\d+) differ$", note)
        self.programs += int(share[2]) if share else part[1]
        self.compared += int(share[1]) if share else part[1]
        self.differ += int(differ[1]) if differ else 0
        for n, why in re.findall(r"; (\d+) not: ([^;]*)", note):
            self.others[why] = self.others.get(why, 0) + int(n)

    def __str__(self):
        return "%d programs, %d compared, %d disagree%s%s" % (
            self.programs, self.compared, self.differ,
            "".join("; %d not compared: %s" % (n, why) for why, n in sorted(self.others.items(), key=lambda o: -o[1])),
            "; %d seeds left" % self.left if self.left else "")


class State:
    """The parts that passed: a line "KEY FIRST COUNT NOTE" for each."""

    def __init__(self, path, key):
        self.path, self.key, self.passed = path, key, {}
        os.makedirs(os.path.dirname(path) or ".", exist_ok=True)
        if not os.path.exists(path):
            return
        with open(path) as f:
            text = f.read()
        if text and not text.endswith("\n"): # the process was killed while it wrote
            text = text[:text.rfind("\n") + 1]
            with open(path, "w") as f:
                f.write(text)
        for words in (line.split(" ", 3) for line in text.splitlines()):
            if len(words) == 4 and words[0] == key:
                self.passed[int(words[1]), int(words[2])] = words[3]

    def add(self, part, note):
        self.passed[part] = note
        with open(self.path, "a") as f:
            f.write("%s %d %d %s\n" % (self.key, *part, note))

    def set_left(self, n):
        if n:
            with open(self.path + ".left", "w") as f:
                f.write("%d\n" % n)
        elif os.path.exists(self.path + ".left"):
            os.unlink(self.path + ".left")


def parts_of(first, last, step):
    return [(s, min(step, last + 1 - s)) for s in range(first, last + 1, step)]


def execute(command, part):
    """Whether the part passed, its output as comments (all of it if it failed, else the last line), and its last comment."""
    r = subprocess.run([*command, "--seed", str(part[0]), "--count", str(part[1])], stdin=subprocess.DEVNULL,
                       stdout=subprocess.PIPE, stderr=subprocess.STDOUT)
    lines = r.stdout.decode(errors="replace").strip().split("\n")
    notes = [line for line in lines if line.startswith("#")]
    shown = notes[-1:] if r.returncode == 0 else lines
    return r.returncode == 0, ["# " + line.removeprefix("# ") for line in shown], notes[-1] if notes else "#"


class Campaign:
    def __init__(self, o):
        self.command, self.until = o.command, float(os.environ.get("HEDDLE_LONG_UNTIL", "inf"))
        self.state, self.summary = State(o.state, key_of(o.build, o.command)), Summary()
        self.failed = self.left = 0

    def try_part(self, part):
        """(how it went, lines to print, the last comment)"""
        if part in self.state.passed:
            return "passed before", [], self.state.passed[part]
        if time.time() > self.until:
            return "left", [], ""
        ok, lines, note = execute(self.command, part)
        return "passed" if ok else "failed", lines, note

    def add(self, n, part, how, lines, note):
        name = "seeds %d to %d" % (part[0], part[0] + part[1] - 1)
        print("".join(line + "\n" for line in lines), end="")
        if how == "passed":
            self.state.add(part, note)
        self.failed += how == "failed"
        self.left += how == "left"
        if how == "left":
            self.summary.left += part[1]
        else:
            self.summary.add(part, note)
        print("%s %d - %s%s" % ("not ok" if how == "failed" else "ok", n, name, {
            "left": " # SKIP no time left", "passed before": ", passed before"}.get(how, "")), flush=True)


def run_campaign(o):
    campaign, parts = Campaign(o), parts_of(*map(int, o.seeds.split("-")), o.step)
    with concurrent.futures.ThreadPoolExecutor(o.jobs) as pool:
        results = {pool.submit(campaign.try_part, part): part for part in parts}
        for n, f in enumerate(concurrent.futures.as_completed(results), 1):
            campaign.add(n, results[f], *f.result())
    print("1..%d" % len(parts))
    print("# %s" % campaign.summary)
    with open(o.state + ".summary", "w") as f:
        f.write("%s\n" % campaign.summary)
    campaign.state.set_left(campaign.left)
    return 1 if campaign.failed else 0


# ---- self-test

SCRIPT = """import os, signal, sys
seed = sys.argv[2]
with open("executed", "a") as f:
    f.write(seed + " ")
if seed == "5" and os.path.exists("kill"):
    os.kill(os.getppid(), signal.SIGKILL)
bad = seed == "3" and os.path.exists("bad")
print("# a line")
print("# 1 of 2 programs compared; 1 not: too large; %d differ" % bad)
sys.exit(bad)
"""
WHOLE = "6 programs, 3 compared, 0 disagree; 3 not compared: too large"


def self_test():
    results = []

    def campaign(**environment):
        """(exit status, seeds of the parts that were executed, number in FILE.left, summary)"""
        status = subprocess.run([sys.executable, os.path.abspath(__file__), "--build", ".", "--state", "state",
                                 "--seeds", "1-6", "--step", "2", "--jobs", "1", "--", sys.executable, "script.py"], cwd=folder,
                                env={**os.environ, **environment}, stdout=subprocess.DEVNULL).returncode
        texts = []
        for name in ("executed", "state.left", "state.summary"):
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
        results.append(("no time is left", campaign(HEDDLE_LONG_UNTIL="1"), (
            0, "", "3", "0 programs, 0 compared, 0 disagree; 6 seeds left")))
        results.append(("a part fails", campaign(), (1, "1 3 5", "", WHOLE.replace("0 dis", "1 dis"))))
        os.unlink(os.path.join(folder, "bad"))
        results.append(("only the failed part is executed again", campaign(), (0, "3", "", WHOLE)))
        results.append(("all parts have passed", campaign(), (0, "", "", WHOLE)))
        write("script.py", SCRIPT + "# changed\n")
        write("kill", "")
        results.append(("the command has changed, and the campaign is killed", campaign()[:2], (-9, "1 3 5")))
        os.unlink(os.path.join(folder, "kill"))
        with open(os.path.join(folder, "state"), "a") as f:
            f.write("half a li")
        results.append(("it continues where it was killed", campaign(), (0, "5", "", WHOLE)))
        results.append(("all parts have passed again", campaign(), (0, "", "", WHOLE)))
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
