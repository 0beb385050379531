"""Results of tests, as TAP or for people."""
import re
import sys

from harness.failure import Failure

LONGEST = 60 # lines of a failure that are printed


class Report:
    def __init__(self, tap, must_fail=False):
        self.tap, self.must_fail = tap, must_fail
        self.passed = self.failed = self.count = 0

    def add(self, path, failure, notes, remark=""):
        known = notes.get("known-to-fail") if notes else None
        if self.must_fail:
            failure = self.turn_round(path, failure)
        elif known and not failure:
            failure, known = Failure("passes now (remove check-known-to-fail)"), None
        self.count += 1
        ok = not failure or known
        self.passed, self.failed = self.passed + bool(ok), self.failed + (not ok)
        if self.tap:
            print(f"{'not ok' if failure else 'ok'} {self.count} - {path}"
                  + (f" # TODO {known}" if known else ""))
        if remark:
            print(f"#     {remark}")
        if failure and not known:
            self.explain(path, failure, notes)
        sys.stdout.flush()

    @staticmethod
    def turn_round(path, failure):
        """With --must-fail a test passes if it fails with the text of its comment."""
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
        if len(lines) > LONGEST:
            lines = lines[:40] + ["..."] + lines[41 - LONGEST:]
        mark = "# " if self.tap else ""
        print(f"{mark}FAILED {path} ({notes['name'] if notes else '?'}): {lines[0]}")
        for line in lines[1:]:
            print(f"{mark}    {line}")
        if failure.command:
            print(f"{mark}  again: {failure.command}")

    def end(self):
        print(f"1..{self.count}" if self.tap else f"{self.passed} passed, {self.failed} failed")
        return 1 if self.failed else 0
