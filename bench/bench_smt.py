#!/usr/bin/env python3
"""The solver on made-up traces of the shapes that prediction meets, lazily, eagerly and by Z3;
and questions of a symbolic execution in layers."""
import argparse, os, subprocess, sys


def main():
    ap = argparse.ArgumentParser(description=__doc__)
    ap.add_argument("--build", default="build")
    ap.add_argument("--seconds", default="3", help="for each row")
    opts, _ = ap.parse_known_args()
    subprocess.run(["ninja", "-C", opts.build, "bench_smt", "bench_ask"], check=True, stdout=subprocess.DEVNULL)
    print("\n== queries, CPU seconds", flush=True)
    status = subprocess.run([os.path.join(opts.build, "bench_smt"), opts.seconds]).returncode
    print("\n== questions of a symbolic execution", flush=True)
    return subprocess.run([os.path.join(opts.build, "bench_ask"), opts.seconds]).returncode or status


if __name__ == "__main__":
    sys.exit(main())
