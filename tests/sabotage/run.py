#!/usr/bin/env python3
"""Sabotage: each *.patch here plants one defect in heddle, and the tests that it names must notice it.

run.py --build DIR [--seed N] [--count N] PATCH...    plants the patches from the Nth on, one after the other
run.py --build DIR --check PATCH...                   only checks the patches themselves
run.py --self-test

A patch begins with lines "What:" (the defect), "Caught by:" (tests of meson; the name of a suite without its number
means all its parts) and, for a defect that no test can notice, "Survives:" with the reason. It changes one place
of one file. The place is found by its lines, not by their numbers, and must be unique.

The defects are planted in a copy of the tree, DIR/long/sabotage, which is built with the options of DIR. The tests of a
patch must pass in the copy before its defect is planted: otherwise their failure would prove nothing.
"""
import argparse
import contextlib
import io
import json
import os
import re
import shutil
import subprocess
import sys
import tempfile

ROOT = os.path.dirname(os.path.dirname(os.path.dirname(os.path.abspath(__file__))))
MAY_SURVIVE = 0.05


class Wrong(Exception):
    """The patch is not one that can be planted."""


class Patch:
    def __init__(self, path):
        self.name = os.path.splitext(os.path.basename(path))[0]
        with open(path) as f:
            head, _, rest = f.read().partition("--- a/")
        self.fields = dict(re.findall(r"^(What|Caught by|Survives): (.*)$", head, re.M))
        lines = rest.split("\n")
        self.file = lines[0].strip()
        hunk = lines[3:-1] if lines[-1] == "" else lines[3:]
        if len(lines) < 4 or not lines[2].startswith("@@") or any(line.startswith("@@") for line in hunk):
            raise Wrong("it does not have exactly one hunk")
        if not self.fields.get("What") or not self.fields.get("Caught by"):
            raise Wrong("it has no line 'What:' or no line 'Caught by:'")
        self.old = "".join(line[1:] + "\n" for line in hunk if line[:1] in (" ", "-"))
        self.new = "".join(line[1:] + "\n" for line in hunk if line[:1] in (" ", "+"))

    def tests(self, known):
        """The names of the tests, from those that exist."""
        found = []
        for word in self.fields["Caught by"].split():
            these = [name for name in known if name == word or re.fullmatch(re.escape(word) + r"_\d+", name)]
            if not these:
                raise Wrong("there is no test '%s'" % word)
            found += these
        return found

    def planted(self, text):
        if text.count(self.old) != 1:
            raise Wrong("its place occurs %d times in %s" % (text.count(self.old), self.file))
        return text.replace(self.old, self.new)


def known_tests(build):
    with open(os.path.join(build, "meson-info/intro-tests.json")) as f:
        return [t["name"] for t in json.load(f)]


def read(path):
    with open(path, "rb") as f:
        return f.read()


def check(path, known):
    """What is wrong with a patch; '' if nothing is."""
    try:
        patch = Patch(path)
        patch.tests(known)
        patch.planted(read(os.path.join(ROOT, patch.file)).decode())
    except (Wrong, OSError) as e:
        return str(e)
    return ""


def check_all(paths, known):
    failed = 0
    print("1..%d" % (len(paths) + 1))
    for n, path in enumerate(paths, 1):
        wrong = check(path, known)
        failed += bool(wrong)
        print("%s %d - %s%s" % ("not ok" if wrong else "ok", n, os.path.basename(path), wrong and ": " + wrong))
    survive = sum("Survives: " in read(path).decode() for path in paths)
    few = survive <= MAY_SURVIVE * len(paths)
    print("%s %d - %d of %d defects survive, at most %d%% may" % (
        "ok" if few else "not ok", len(paths) + 1, survive, len(paths), 100 * MAY_SURVIVE))
    return 1 if failed or not few else 0


PATCH = """What: a planted defect
Caught by: test_a suite
%s
--- a/%s
+++ b/%s
@@ -1,2 +1,2 @@
 %s
-two
+three
"""


def self_test():
    """Each mistake in a patch is noticed, and a right patch passes."""
    here = os.path.relpath(os.path.abspath(__file__), ROOT)
    known, failed = ["test_a", "suite_1", "suite_2"], 0
    with tempfile.TemporaryDirectory(prefix="sabotage.") as folder:
        name = os.path.join(folder, "text")
        file = os.path.relpath(name, ROOT)
        with open(name, "w") as f:
            f.write("one\ntwo\nfour\n")
        right = PATCH % ("", file, file, "one")
        cases = [
            ("a right patch", [right], 0, 0),
            ("an unknown test", [right.replace("test_a", "test_b")], 1, 1),
            ("no line 'What:'", [right.replace("What", "Where")], 1, 1),
            ("another text", [PATCH % ("", file, file, "none")], 1, 1),
            ("no such file", [PATCH % ("", here + "x", here + "x", "one")], 1, 1),
            ("two hunks", [right + "@@ -9,1 +9,1 @@\n-four\n+five\n"], 1, 1),
            ("too many survivors", [PATCH % ("Survives: why", file, file, "one"), right], 0, 1),
        ]
        print("1..%d" % (len(cases) + 1))
        for n, (what, texts, wrong, status) in enumerate(cases, 1):
            paths = [os.path.join(folder, "%d.patch" % i) for i in range(len(texts))]
            for path, text in zip(paths, texts):
                with open(path, "w") as f:
                    f.write(text)
            with contextlib.redirect_stdout(io.StringIO()):
                got = check_all(paths, known)
            ok = got == status and sum(bool(check(path, known)) for path in paths) == wrong
            failed += not ok
            print("%s %d - %s" % ("ok" if ok else "not ok", n, what))
        patch = Patch(paths[1])
        ok = patch.planted("one\ntwo\nfour\n") == "one\nthree\nfour\n" and patch.tests(known) == known
        print("%s %d - the defect is planted" % ("ok" if ok else "not ok", len(cases) + 1))
    return 1 if failed or not ok else 0


class Copy:
    """A copy of the tree, built like DIR."""

    def __init__(self, build):
        self.root = os.path.join(build, "long/sabotage")
        self.build = os.path.join(self.root, "build")
        changed = self.refresh()
        if not os.path.exists(os.path.join(self.build, "build.ninja")):
            with open(os.path.join(build, ".configured-for")) as f:
                options = f.readline().partition(": ")[2].split()
            self.run(["tools/configure", "build", *options], True)
        self.run(["ninja", "-C", "build", "build.ninja"], True) # configures again if that is needed
        self.kept = os.path.join(self.root, "passed-tests")
        if changed and os.path.exists(self.kept):
            os.unlink(self.kept)
        self.passed = set(read(self.kept).decode().split()) if os.path.exists(self.kept) else set()

    def refresh(self):
        """Whether a file of the copy was out of date."""
        names = subprocess.run(["git", "ls-files", "--cached", "--others", "--exclude-standard"], cwd=ROOT, check=True,
                               capture_output=True, text=True).stdout.split("\n")
        changed = False
        for name in filter(None, names):
            source, target = os.path.join(ROOT, name), os.path.join(self.root, name)
            if not os.path.isfile(source):
                if os.path.exists(target):
                    os.unlink(target)
                    changed = True
            elif not os.path.exists(target) or read(source) != read(target):
                os.makedirs(os.path.dirname(target), exist_ok=True)
                shutil.copy(source, target)
                changed = True
        return changed

    def make(self, tests, must=False):
        """Builds what these tests execute: to link the other tests would take most of the time."""
        info = [json.loads(read(os.path.join(self.build, "meson-info", name)))
                for name in ("intro-tests.json", "intro-targets.json")]
        needed = {d for t in info[0] if t["name"] in tests for d in t["depends"]}
        files = [os.path.relpath(t["filename"][0], self.build) for t in info[1] if t["id"] in needed]
        return self.run(["ninja", "-C", "build", "heddle", "heddle-cc", *files], must)

    def run(self, command, must=False):
        p = subprocess.run(command, cwd=self.root, stdout=subprocess.PIPE, stderr=subprocess.STDOUT, text=True)
        if must and p.returncode:
            raise SystemExit("%s: status %d\n%s" % (" ".join(command), p.returncode, p.stdout[-3000:]))
        return p

    def failed(self, tests):
        """The first test that fails, or ''."""
        for name in tests:
            if self.run(["meson", "test", "-C", "build", "--no-rebuild", name]).returncode:
                return name
        return ""

    def passes(self, tests):
        """The first test that fails without a defect, or ''. The tests that passed are not executed again for another
        patch, as long as the tree does not change."""
        new = [t for t in tests if t not in self.passed]
        if not new:
            return ""
        self.make(new, True)
        wrong = self.failed(new)
        if not wrong:
            self.passed.update(new)
            with open(self.kept, "w") as f:
                f.write("\n".join(sorted(self.passed)))
        return wrong

    def plant(self, patch, tests):
        """The test that notices the defect, '' if none does."""
        path = os.path.join(self.root, patch.file)
        clean = read(path)
        try:
            with open(path, "w") as f:
                f.write(patch.planted(clean.decode()))
            p = self.make(tests)
            if p.returncode:
                raise Wrong("it does not compile: " + p.stdout[-1000:])
            return self.failed(tests)
        finally:
            with open(path, "wb") as f:
                f.write(clean)


def judge(copy, path, known):
    """(ok, sentence) of one patch."""
    try:
        patch = Patch(path)
        tests = patch.tests(known)
        wrong = copy.passes(tests)
        if wrong:
            return False, "%s: %s fails without the defect" % (patch.name, wrong)
        by = copy.plant(patch, tests)
    except Wrong as e:
        return False, "%s: %s" % (os.path.basename(path), e)
    survives = patch.fields.get("Survives")
    if by:
        return not survives, "%s: caught by %s%s" % (patch.name, by, survives and ", but 'Survives:' is claimed" or "")
    return bool(survives), "%s: survives%s" % (patch.name, survives and ": " + survives or "")


def main():
    ap = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    ap.add_argument("--build", type=os.path.abspath)
    ap.add_argument("--self-test", action="store_true")
    ap.add_argument("--check", action="store_true")
    ap.add_argument("--seed", type=int, default=1)
    ap.add_argument("--count", type=int)
    ap.add_argument("patches", nargs="*")
    o = ap.parse_args()
    if o.self_test:
        return self_test()
    known = known_tests(o.build)
    if o.check:
        return check_all(o.patches, known)
    paths = o.patches[o.seed - 1:][:o.count]
    copy, failed = Copy(o.build), 0
    print("1..%d" % len(paths))
    for n, path in enumerate(paths, 1):
        ok, sentence = judge(copy, path, known)
        failed += not ok
        print("%s %d - %s" % ("ok" if ok else "not ok", n, sentence.split("\n")[0]))
        print("".join("# %s\n" % line for line in sentence.split("\n")[1:]), end="")
        sys.stdout.flush()
    return 1 if failed else 0


if __name__ == "__main__":
    sys.exit(main())
