#!/usr/bin/env python3
"""heddle-cc from outside, in front of make, autotools, CMake and by hand.

usage: run.py [--tap] HEDDLE HEDDLE_CC [NAME...]     NAME: run only these tests
"""
import shutil
import subprocess
import sys
import tempfile
import traceback

from harness import ONLY, TAP, TESTS, Box, Skip
import test_builds  # the tests register themselves
import test_native
import test_failures
import test_cleanup


def run_one(f):
    box = Box(tempfile.mkdtemp(prefix="heddle-cc-test-"))
    try:
        f(box)
        return "passed", ""
    except Skip as why:
        return "skipped", str(why)
    except (AssertionError, subprocess.TimeoutExpired, OSError) as e:
        return "failed", f"{e}" if isinstance(e, AssertionError) else traceback.format_exc()
    finally:
        shutil.rmtree(box.path, ignore_errors=True)


def main():
    chosen = [t for t in TESTS if not ONLY or t.__name__ in ONLY]
    counts = {"passed": 0, "failed": 0, "skipped": 0}
    if TAP:
        print(f"1..{len(chosen)}", flush=True)
    for i, t in enumerate(chosen, 1):
        fate, text = run_one(t)
        counts[fate] += 1
        name = t.__name__.replace("_", " ")
        if TAP:
            print(f"{'not ok' if fate == 'failed' else 'ok'} {i} - {name}"
                  f"{' # SKIP ' + text if fate == 'skipped' else ''}")
            for line in text.split("\n") if fate == "failed" else []:
                print(f"# {line}")
        else:
            print(f"{fate}: {name}{': ' + text if text else ''}")
        sys.stdout.flush()
    print(f"{'# ' if TAP else ''}{counts['passed']} passed, {counts['failed']} failed")
    return 1 if counts["failed"] else 0


sys.exit(main())
