#!/usr/bin/env python3
"""The instrumented image of a program does what the program does.

run.py HEDDLE HEDDLE_CC [PROGRAM.c...]

Each program of this folder is built at several levels of optimization. Its image of kind 'record' must
print and return the same as the program itself; recorded, it must do so too, and its trace must be
re-executed to the end ('heddle trace'). So must an image of kind 'record-window', and one with functions
excluded. 'check-flags:' in a program's first comment replaces the levels.
"""
import os
import re
import subprocess
import sys
import tempfile

HERE = os.path.dirname(os.path.abspath(__file__))
LEVELS = [["-O0", "-g"], ["-O2", "-g"], ["-O2", "-fexceptions", "-fno-strict-aliasing"]]
EXCLUDE = {"control.c": ["jump", "descending"], "values.c": ["get_*", "sum_big"]}
heddle, heddle_cc = None, None
number, failed = 0, 0


def run(*words, **more):
    return subprocess.run(words, stdout=subprocess.PIPE, stderr=subprocess.PIPE, timeout=120,
                          stdin=subprocess.DEVNULL, **more)


def check(name, problem):
    global number, failed
    number += 1
    failed += bool(problem)
    print("%sok %d - %s" % ("not " if problem else "", number, name))
    for line in (problem or "").splitlines():
        print("# " + line)
    sys.stdout.flush()


def difference(want, got):
    if want.stdout == got.stdout and want.returncode == got.returncode:
        return None
    return "native (%d):\n%s\nimage (%d):\n%s\n%s" % (
        want.returncode, want.stdout.decode(errors="replace"), got.returncode,
        got.stdout.decode(errors="replace"), got.stderr.decode(errors="replace"))


def followed(trace):
    """None, or what 'heddle trace' says instead of that every thread was re-executed."""
    r = run(heddle, "trace", trace)
    text = r.stdout.decode(errors="replace") + r.stderr.decode(errors="replace")
    threads = re.search(r"^(\d+) threads?$", text, re.M)
    if r.returncode or not threads or text.count(": all hashes equal") != int(threads.group(1)):
        return "heddle trace (%d): %s" % (r.returncode, text)
    return None


def recorded(exe, trace, want, *words):
    got = run(heddle, "record", "-o", trace, *words, "--", exe)
    got.returncode = want.returncode
    return difference(want, got) or followed(trace)


def test_program(path, flags, folder):
    base = os.path.basename(path)
    name = "%s %s" % (base, " ".join(flags))
    exe = os.path.join(folder, "program")
    built = run(heddle_cc, *flags, "-pthread", path, "-o", exe, "-lm")
    if built.returncode or built.stderr:
        check(name, built.stderr.decode(errors="replace"))
        return
    want = run(exe)
    image = run(heddle, "image", "--kind", "record", "-o", exe + ".image", exe)
    if image.returncode or image.stderr:
        check(name, image.stderr.decode(errors="replace"))
        return
    check(name, difference(want, run(exe + ".image")))
    check(name + ", recorded", recorded(exe, os.path.join(folder, "trace"), want))
    check(name + ", in windows",
          recorded(exe, os.path.join(folder, "window"), want, "--window", "100000"))
    if base in EXCLUDE:
        words = [w for e in EXCLUDE[base] for w in ("--exclude", e)]
        check(name + ", partly", recorded(exe, os.path.join(folder, "part"), want, *words))


def flags_of(path):
    with open(path) as f:
        m = re.search(r"check-flags: (.*)", f.read())
    return [m.group(1).split()] if m else LEVELS


def main(programs):
    programs = programs or sorted(os.path.join(HERE, f) for f in os.listdir(HERE)
                                  if f.endswith(".c"))
    for path in programs:
        for flags in flags_of(path):
            with tempfile.TemporaryDirectory(prefix="heddle-instrument-") as folder:
                os.environ["XDG_CACHE_HOME"] = folder
                test_program(path, flags, folder)
    print("1..%d" % number)
    return 1 if failed else 0


if __name__ == "__main__":
    heddle, heddle_cc = sys.argv[1:3]
    sys.exit(main(sys.argv[3:]))
