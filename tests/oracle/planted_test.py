#!/usr/bin/env python3
"""The oracles of run.py are able to fail: heddle's result for a small program is falsified in one way each, and
the oracle must name the difference.

planted_test.py --build DIR
"""
import argparse
import copy
import os
import sys
import tempfile

import run
from harness.oracle import Incomplete
from self_test import ALL, FLIPS, KNOWN, program


def text_of(table, name):
    return program(*next(row for row in table if row[0] == name)[1:5])


RACE = text_of(KNOWN, "a race, and a lost update that main() sees")
LOCKS = text_of(KNOWN, "two locks in two orders")
BRANCH = text_of(FLIPS, "an if on what the other writes")
LOST = text_of(ALL, "a lost update")
DEEP_LOCKS = text_of(ALL, "two locks in two orders")


# ---- falsifications: of a list of findings, of flips, of what src/deep says

def honest(result):
    return result


def without(kind):
    return lambda findings: [f for f in findings if f["kind"] != kind]


def moved(kind):
    """One more finding of the kind, two lines below."""
    def falsify(findings):
        extra = copy.deepcopy(next(f for f in findings if f["kind"] == kind))
        for s in extra["steps"]:
            for place in (s["place"], *s["stack"]):
                place["line"] += 2
        return findings + [extra]
    return falsify


def diverged(findings):
    return [dict(f, status="diverged") for f in findings]


def no_flip(flips):
    return set()


def one_more_flip(flips):
    return flips | {("branch", 1, 1)}


def in_findings(falsify):
    return lambda deep: dict(deep, findings=falsify(deep["findings"]))


def one_end_less(deep):
    return dict(deep, finals=deep["finals"][1:])


def one_end_more(deep):
    return dict(deep, finals=deep["finals"] + [[None if v is None else "77" for v in deep["finals"][0]]])


def incomplete(deep):
    return dict(deep, complete=False, limits=["a planted reason: 1"])


# mode, program, the method whose result is falsified, how, the difference; the first of a program is honest
PLANTED = [
    ("predict", RACE, "findings", honest, ""),
    ("predict", RACE, "findings", without("race"), "missed: race"),
    ("predict", RACE, "findings", moved("race"), "not there: race"),
    ("predict", RACE, "findings", without("assert"), "missed: assert"),
    ("predict", RACE, "findings", moved("assert"), "not there: assert"),
    ("predict", RACE, "replayed", diverged, "wrong witness: race"),
    ("predict", LOCKS, "findings", honest, ""),
    ("predict", LOCKS, "findings", without("deadlock"), "missed: deadlock"),
    ("predict", LOCKS, "findings", moved("deadlock"), "not there: deadlock"),
    ("branches", BRANCH, "told", honest, ""),
    ("branches", BRANCH, "told", no_flip, "missed: branch"),
    ("branches", BRANCH, "told", one_more_flip, "not there: branch at 1:1"),
    ("chunks", BRANCH, "told", honest, ""),
    ("chunks", BRANCH, "told", one_more_flip, "not there (cut of 3): branch at 1:1"),
    ("deep", LOST, "explored", honest, ""),
    ("deep", LOST, "explored", in_findings(without("assert")), "missed: assert"),
    ("deep", LOST, "explored", in_findings(moved("assert")), "not there: assert"),
    ("deep", LOST, "checked", in_findings(without("assert")), "missed: assert"),
    ("deep", LOST, "explored", one_end_less, "end missed"),
    ("deep", LOST, "explored", one_end_more, "end not there"),
    ("deep", LOST, "explored", incomplete, "incomplete: deep is not complete: a planted reason"),
    ("deep", DEEP_LOCKS, "explored", honest, ""),
    ("deep", DEEP_LOCKS, "explored", in_findings(without("deadlock")), "missed: deadlock"),
    ("deep", DEEP_LOCKS, "explored", in_findings(moved("deadlock")), "not there: deadlock"),
]
METHODS = ("build", "record", "enumerated", "findings", "replayed", "told", "explored", "checked")


class Kept:
    """The oracle of a mode, with the results that its methods had for one program."""

    def __init__(self, build, mode, text):
        self.mode, self.text, self.results = run.MODES[mode], text, {}
        self.build = build

    def twin(self, method=None, falsify=honest):
        twin = self.mode(self.build)
        twin.is_tenth = lambda text: True
        twin.hangs = 6 # the programs are known to end in most runs
        for name in METHODS:
            if hasattr(twin, name):
                setattr(twin, name, self.stand_in(name, getattr(twin, name),
                                                  falsify if name == method else honest))
        return twin

    def stand_in(self, name, real, falsify):
        """Calls the method once for each kind of question; falsifies a copy of its result."""
        def call(*args, **options):
            key = (name, [a for a in args if str(a).startswith("--")], sorted(options))
            if str(key) not in self.results:
                self.results[str(key)] = real(*args, **options)
            return falsify(copy.deepcopy(self.results[str(key)]))
        return call

    def difference(self, method, falsify):
        with tempfile.TemporaryDirectory(prefix="planted.") as folder:
            try:
                return self.twin(method, falsify).difference(self.text, folder)
            except Incomplete as i:
                return "incomplete: %s" % i


def main():
    ap = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    ap.add_argument("--build", required=True, type=os.path.abspath)
    build, failed, kept = ap.parse_args().build, 0, {}
    print("1..%d" % len(PLANTED))
    for n, (mode, text, method, falsify, want) in enumerate(PLANTED, 1):
        if (mode, text) not in kept:
            kept[mode, text] = Kept(build, mode, text)
        got = kept[mode, text].difference(method, falsify)
        ok = want in got if want else not got
        failed += not ok
        print("%s %d - %s: %s" % ("ok" if ok else "not ok", n, mode, want or "no difference"))
        if not ok:
            print("".join("# %s\n" % line for line in (got or "no difference").split("\n")), end="")
        sys.stdout.flush()
    return 1 if failed else 0


if __name__ == "__main__":
    sys.exit(main())
