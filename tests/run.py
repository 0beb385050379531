#!/usr/bin/env python3
"""Runs annotated C programs as tests; tests/README.md describes the annotations.

usage: tests/run.py [options] SUITE|FILE|FOLDER...

A SUITE is programs, check, branches, deep or explore. A file is run by the suite that its check-command
belongs to, whatever folder it is in. Options:

  --build DIR    where heddle is built (default: build)
  --tap          print TAP
  -j N           jobs (default: one for each processor)
  --part K/N     only each N-th test, from the K-th on: N of these are the whole
  --long         everything: all seeds, the text of every command, tests with check-long
  --quick        deep: no check without --deep; explore: no native runs of test cases
  --flags WORDS  more words for heddle-cc, as --flags=-O0
  --keep DIR     keep the folders of the tests there
  --must-fail    every test has to fail with the text after `must-fail: ` in its comment
  --native N     suite check, without heddle: every program passes N of N ordinary runs
  --force        suite check, without heddle: builds with -DFORCE show their bugs
"""
import argparse
import concurrent.futures
import os
import shlex
import shutil
import sys
import tempfile

sys.path.insert(0, os.path.dirname(os.path.abspath(__file__)))
from harness import (annotations, suite_branches, suite_check, suite_deep, suite_explore,
                     suite_native, suite_programs)
from harness.failure import Failure
from harness.program import ROOT
from harness.report import Report

SUITES = {"programs": suite_programs, "check": suite_check, "branches": suite_branches,
          "deep": suite_deep, "explore": suite_explore}


def options():
    ap = argparse.ArgumentParser(usage=__doc__)
    ap.add_argument("--build", default="build", type=os.path.abspath)
    ap.add_argument("--tap", action="store_true")
    ap.add_argument("-j", "--jobs", type=int, default=os.cpu_count())
    ap.add_argument("--part", default="1/1")
    ap.add_argument("--long", action="store_true")
    ap.add_argument("--quick", action="store_true")
    ap.add_argument("--flags", default=[], type=shlex.split)
    ap.add_argument("--keep", type=os.path.abspath)
    ap.add_argument("--must-fail", action="store_true")
    ap.add_argument("--native", type=int)
    ap.add_argument("--force", action="store_true")
    ap.add_argument("tests", nargs="+")
    return ap.parse_args()


def files_of(o):
    """The files of the suites and paths; those of one folder that --long alone takes are left out."""
    paths = []
    for test in o.tests:
        if test in SUITES:
            paths += [os.path.join(ROOT, folder) for folder in SUITES[test].FOLDERS
                      if os.path.isdir(os.path.join(ROOT, folder))]
        elif os.path.exists(test):
            paths.append(test)
        else:
            sys.exit(f"run.py: '{test}' is neither a suite nor a file")
    part, parts = map(int, o.part.split("/"))
    return [f for f in annotations.c_files(paths) if o.long or not is_long(f)][part - 1::parts]


def is_long(path):
    try:
        return "long" in annotations.parse(path)
    except Failure:
        return False # it fails when it is run


def check_of(notes, o):
    if o.native:
        return suite_native.check_native
    if o.force:
        return suite_native.check_force
    return SUITES[notes["suite"]].check


def run_test(path, o):
    """(Failure or None, annotations or None if they are broken, a remark)"""
    notes, tmp = None, None
    try:
        notes = annotations.parse(path)
        tmp = tempfile.mkdtemp(prefix="heddle-test-", dir=o.keep)
        return None, notes, check_of(notes, o)(path, notes, tmp, o)
    except Failure as f:
        return f, notes, None
    finally:
        if tmp and not o.keep:
            shutil.rmtree(tmp, ignore_errors=True)


def main():
    o = options()
    if o.keep:
        os.makedirs(o.keep, exist_ok=True)
    report = Report(o.tap, o.must_fail)
    files = files_of(o)
    with concurrent.futures.ThreadPoolExecutor(o.jobs) as pool:
        for path, (failure, notes, remark) in zip(files, pool.map(lambda f: run_test(f, o), files)):
            if o.native or o.force:
                notes = notes and dict(notes, **{"known-to-fail": None})
            report.add(os.path.relpath(path), failure, notes, remark)
    return report.end()


if __name__ == "__main__":
    sys.exit(main())
