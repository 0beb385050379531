#!/usr/bin/env python3
"""Live states: 100,000 states of a small multithreaded program with stdio in use, kept at once.
Goal: under 2 GB for all of them, a few microseconds for a save and a restore.

The states are those of a breadth-first walk over the schedules of bench/states_program.c, each with
a history of its own.
"""
import argparse, os, shutil, subprocess, sys, tempfile

GOAL = 2e9


def main():
    ap = argparse.ArgumentParser(description=__doc__)
    ap.add_argument("--build", default="build")
    ap.add_argument("--states", type=int, default=100000)
    ap.add_argument("--runs", type=int, default=1, help="ignored: memory is the same in every run")
    opts = ap.parse_args()
    here = os.path.dirname(os.path.abspath(__file__))
    subprocess.run(["ninja", "-C", opts.build, "bench_states"], check=True,
                   stdout=subprocess.DEVNULL)
    work = tempfile.mkdtemp(prefix="heddle-bench-")
    exe, bc = os.path.join(work, "program"), os.path.join(work, "program.bc")
    subprocess.run([os.path.join(opts.build, "heddle-cc"), "-O2", "-pthread",
                    os.path.join(here, "states_program.c"), "-o", exe], check=True)
    subprocess.run(["objcopy", "--dump-section", ".heddle.bc=" + bc, exe, "/dev/null"], check=True,
                   stderr=subprocess.DEVNULL)
    print("== states of a small program with threads and stdio, breadth first over its schedules")
    print("%10s %12s %10s %9s %11s" % ("states", "bytes each", "peak MB", "save us", "restore us"))
    peak = 0
    for n in (opts.states // 100, opts.states // 10, opts.states):
        out = subprocess.run([os.path.join(opts.build, "bench_states"), bc, str(n)], check=True,
                             stdout=subprocess.PIPE).stdout.split()
        peak = int(out[2])
        print("%10s %12s %10.0f %9s %11s" % (out[0].decode(), out[1].decode(), peak / 1e6,
                                             out[3].decode(), out[4].decode()))
    print("goal: under %.0f MB for %d states: %s" % (GOAL / 1e6, opts.states,
                                                   "met" if peak < GOAL else "missed"))
    shutil.rmtree(work, ignore_errors=True)
    return 0


if __name__ == "__main__":
    sys.exit(main())
