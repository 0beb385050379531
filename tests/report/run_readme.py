#!/usr/bin/env python3
"""Runs the commands of README.md whose output it shows, and compares. Which thread comes first in the recorded run is
the system's choice: a command is run again, up to RUNS times, until its output is that of README.md. Prints TAP.

usage: run_readme.py HEDDLE HEDDLE_CC
"""
import os
import re
import shutil
import subprocess
import sys
import tempfile

HEDDLE, CC = map(os.path.abspath, sys.argv[1:3])
ROOT = os.path.dirname(os.path.dirname(os.path.dirname(os.path.abspath(__file__))))
RUNS = 25


def blocks(text):
    """The indented blocks that begin with a command, as lists of (command, lines of its output)."""
    out, block = [], None
    for line in text.split("\n") + [""]:
        inside = line.startswith("    ") or not line
        if inside and line.startswith("    $ "):
            block = block or []
            block.append((line[6:], []))
        elif inside and block:
            block[-1][1].append(line[4:])
        elif block:
            out.append(block)
            block = None
    if block:
        out.append(block)
    return [[(c, "\n".join(lines).strip("\n").split("\n") if any(lines) else []) for c, lines in b] for b in out]


def normalize(line):
    """Without what differs from run to run: times, addresses, sizes of recordings."""
    line = re.sub(r"\d+\.\d+ s\b", "N s", line)
    line = re.sub(r"0x[0-9a-f]+", "0xN", line)
    line = re.sub(r"\b[\d.]+ (bytes|KB) in 'heddle.trace'", "N bytes in 'heddle.trace'", line)
    if re.match(r" *(analysed|other paths): ", line):  # they depend on the recorded run
        line = re.sub(r"\d+", "N", line)
    return line.rstrip()


def fits(want, got):
    """A line '...' stands for any lines."""
    if not want:
        return not got
    if want[0].strip() == "...":
        return any(fits(want[1:], got[i:]) for i in range(len(got) + 1))
    return bool(got) and normalize(want[0]) == normalize(got[0]) and fits(want[1:], got[1:])


def run(command, folder):
    environment = {"PATH": os.path.join(folder, "bin") + ":" + os.environ["PATH"], "XDG_CACHE_HOME": os.path.join(folder, "cache")}
    p = subprocess.run(["sh", "-c", command], stdin=subprocess.DEVNULL, stdout=subprocess.PIPE, stderr=subprocess.STDOUT, text=True,
                       errors="replace", cwd=os.path.join(folder, "examples"), env=environment, timeout=300)
    return p.stdout.strip("\n").split("\n") if p.stdout.strip("\n") else []


def arrange(folder):
    """The examples beside the header that they include, built as README.md says."""
    for name in "examples", "include":
        shutil.copytree(os.path.join(ROOT, name), os.path.join(folder, name))
    os.mkdir(os.path.join(folder, "bin"))
    for name, exe in ("heddle", HEDDLE), ("heddle-cc", CC):
        os.symlink(exe, os.path.join(folder, "bin", name))
    for source in sorted(os.listdir(os.path.join(folder, "examples"))):
        if source.endswith(".c"):
            out = run(f"heddle-cc -O2 -g -pthread {source} -o {source[:-2]}", folder)
            if out:
                raise RuntimeError("\n".join(out))


def try_block(block, folder):
    """None, or what differs."""
    for name in ".heddle", "heddle.trace":
        shutil.rmtree(os.path.join(folder, "examples", name), ignore_errors=True)
    for command, want in block:
        got = run(command, folder)
        if not fits(want, got):
            return f"$ {command}\n" + "\n".join(got)
    return None


def main():
    text = open(os.path.join(ROOT, "README.md")).read()
    shown = [b for b in blocks(text) if any(lines for _, lines in b)]
    folder = tempfile.mkdtemp(prefix="heddle-readme-")
    arrange(folder)
    print(f"1..{len(shown) + 1}", flush=True)
    failed = 0
    ok = fits(["a", "...", "c 1.25 s"], ["a", "x", "y", "c 3.5 s"]) and not fits(["a", "..."], ["b"]) and not fits(["a"], ["a", "b"])
    print(("ok" if ok else "not ok") + " 1 - the comparison sees differences", flush=True)
    for i, block in enumerate(shown, 2):
        name = block[-1][0]
        for _ in range(RUNS):
            difference = try_block(block, folder)
            if not difference:
                break
        print(f"{'not ok' if difference else 'ok'} {i} - {name}", flush=True)
        if difference:
            failed += 1
            for line in (f"README.md is not what this prints, in {RUNS} runs; the last:\n" + difference).split("\n"):
                print("# " + line, flush=True)
    shutil.rmtree(folder, ignore_errors=True)
    return 1 if failed or not ok else 0


if __name__ == "__main__":
    sys.exit(main())
