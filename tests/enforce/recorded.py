#!/usr/bin/env python3
"""Random programs (tests/oracle/gen.py) that are recorded while they run under random schedules, whatever
becomes of them: an exit, a failed assertion, a crash, a deadlock, a livelock. Each trace must count the
points that the run counted, be extracted with an exact order and without a fault (check_ctp), and its
switches as steps must be the same run. Prints TAP.

usage: recorded.py --build DIR [--count N] [--seed N] [--schedules N] [--mode predict|branches|deep]
"""
import argparse
import os
import shlex
import sys
import tempfile

import run as enforce

sys.path.insert(0, os.path.join(os.path.dirname(enforce.HERE), "oracle"))
import gen  # noqa: E402


def check(driver, build, exe, options, fates):
    trace = os.path.join(driver.tmp, "trace")
    run = driver.run(options + ["--trace", trace], [exe])
    fate = run.word("fate").split()[0]
    fates[fate] = fates.get(fate, 0) + 1
    if run.word("flags") != "0":
        raise enforce.Failure(f"flags {run.word('flags')}")
    enforce.check_counts(driver, run, trace)
    driver.call([os.path.join(build, "tests/predict_extract/check_ctp"), "-x", trace])
    enforce.check_replayed(driver, run, [exe], [])


def check_seed(driver, build, seed, mode, schedules, fates):
    program = gen.generate(seed, mode)
    source = os.path.join(driver.tmp, "program.c")
    with open(source, "w") as f:
        f.write(program.text())
    exe = driver.compile(source, shlex.split(program.flags))
    for k in range(schedules):
        how = ["random", "pct"][k % 2]
        options = ["--mode", how, "--seed", str(seed * 100 + k), "--depth", "3", "--length", "40"]
        try:
            check(driver, build, exe, options, fates)
        except enforce.Failure as e:
            raise enforce.Failure(f"gen.py --seed {seed} --mode {mode}, {shlex.join(options)}: {e}") \
                from None


def main():
    parser = argparse.ArgumentParser()
    parser.add_argument("--build", required=True)
    parser.add_argument("--count", type=int, default=25)
    parser.add_argument("--seed", type=int, default=1)
    parser.add_argument("--schedules", type=int, default=4)
    parser.add_argument("--mode", default="deep")
    args = parser.parse_args()
    build = os.path.abspath(args.build)
    failed, fates = 0, {}
    with tempfile.TemporaryDirectory(prefix="heddle-recorded-") as tmp:
        driver = enforce.Driver(build, tmp)
        for n, seed in enumerate(range(args.seed, args.seed + args.count), 1):
            try:
                check_seed(driver, build, seed, args.mode, args.schedules, fates)
                print(f"ok {n} - program {seed}", flush=True)
            except enforce.Failure as e:
                failed += 1
                print(f"not ok {n} - program {seed}", flush=True)
                for line in str(e).split("\n")[:30]:
                    print("# " + line, flush=True)
    print(f"1..{args.count}")
    print("# " + ", ".join(f"{n} {fate}" for fate, n in sorted(fates.items())))
    return failed != 0


if __name__ == "__main__":
    sys.exit(main())
