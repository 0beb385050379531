#!/usr/bin/env python3
"""Records programs and holds their concurrent trace programs against themselves (check_ctp.c).

usage: run.py HEDDLE HEDDLE_CC CHECK_CTP [FOLDER]

Programs beside this file say in their first comment what must be there, one regular expression a
line (`ctp: …`, of a line that check_ctp -p prints), and what must not (`ctp-not: …`). Those of
another folder must only be right. A run with much contention may have no order that is found; of three
in a row one must. Prints TAP.
"""
import glob
import os
import re
import subprocess
import sys
import tempfile

sys.path.insert(0, os.path.join(os.path.dirname(os.path.abspath(__file__)), ".."))
from harness.program import compile_cached

HEDDLE, HEDDLE_CC, CHECK = map(os.path.abspath, sys.argv[1:4])
HERE = os.path.dirname(os.path.abspath(__file__))
FOLDER = sys.argv[4] if len(sys.argv) > 4 else HERE
TRIES = 3
INEXACT = "the order is not exact"
HANGS = 5  # seconds; some programs deadlock, and their trace is good up to there


def run(*words, **kw):
    return subprocess.run(words, capture_output=True, text=True, timeout=300,
                          stdin=subprocess.DEVNULL, **kw)


def record(source, folder):
    flags = re.findall(r"check-flags: (.*)", open(source).read())
    source = os.path.abspath(source)
    command = [HEDDLE_CC, "-g", "-O1", "-Iinclude", "-I.", source, "-pthread", "-lm",
               *" ".join(flags).split()]
    r = compile_cached(os.path.dirname(HEDDLE_CC), command, source, folder + "/prog")
    if r.status:
        return f"heddle-cc: {r.error}"
    r = run("timeout", "-s", "INT", str(HANGS), HEDDLE, "record", "-o", folder + "/run", "--",
            folder + "/prog", cwd=folder)
    if not os.path.isdir(folder + "/run"):
        return f"heddle record: {r.stderr}"
    return None


def wrong(source):
    with tempfile.TemporaryDirectory() as folder:
        why = record(source, folder)
        if why:
            return why
        r = run(CHECK, "-x", "-p", folder + "/run")
    text = open(source).read()
    lines = r.stdout.splitlines()
    if r.returncode:
        return "\n".join(lines[-12:]) + r.stderr
    for want in re.findall(r"^ \* ctp: (.*)$", text, re.M):
        if not any(re.search(want, line) for line in lines):
            return f"no line like '{want}' in\n{r.stdout}"
    for never in re.findall(r"^ \* ctp-not: (.*)$", text, re.M):
        if any(re.search(never, line) for line in lines):
            return f"a line like '{never}' in\n{r.stdout}"
    return None


def main():
    sources = sorted(glob.glob(os.path.join(FOLDER, "*.c")))
    sources = [s for s in sources if os.path.basename(s) != "check_ctp.c"]
    failed = 0
    print(f"1..{len(sources)}", flush=True)
    for i, source in enumerate(sources, 1):
        why = wrong(source)
        for _ in range(TRIES - 1):
            if why and INEXACT in why:
                why = wrong(source)
        failed += why is not None
        print(f"{'not ok' if why else 'ok'} {i} - {os.path.basename(source)}")
        for line in (why or "").splitlines():
            print(f"# {line}")
        sys.stdout.flush()
    return failed > 0


sys.exit(main())
