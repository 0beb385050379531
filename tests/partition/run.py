#!/usr/bin/env python3
"""Long runs in chunks: nothing that is false, and what each kind of chunk finds.

usage: run.py HEDDLE HEDDLE_CC CHECK_PARTITION PARTITION_MAIN

Records programs of tests/programs with every sort of synchronization and holds the chunks of their runs
against the whole (check_partition.c). Then a run with two mistakes, bench/branches/long_run.c: windows of
all threads that lie far apart show both, a plain window shows not the one that is far, and what is found is
replayed. Last, a run of which only the end was recorded. Prints TAP.
"""
import json
import os
import re
import subprocess
import sys
import tempfile

sys.path.insert(0, os.path.join(os.path.dirname(os.path.abspath(__file__)), ".."))
from harness.program import compile_cached

HEDDLE, HEDDLE_CC, CHECK, MAIN = map(os.path.abspath, sys.argv[1:5])
PROGRAMS = """atomic_mpmc_queue atomic_treiber_stack atomic_work_stealing barrier_reuse barrier_stencil
bug_check_then_act bug_philosophers cond_pipeline cond_producers_consumers cond_thread_pool c11_threads
malloc_across_threads mutex_bank mutex_hand_over_hand mutex_recursive mutex_trylock once_init
rwlock_readers_writers rwlock_writer_preference sem_bounded_buffer sem_ping_pong thread_join_values thread_tree
tls_counters branches/balance_check branches/full_push branches/string_buffer
check/use_after_free""".split()
HANGS = 5  # seconds
NO_ORDER = 77  # of check_partition: tried again


def run(*words, **kw):
    return subprocess.run(words, capture_output=True, text=True, timeout=300,
                          stdin=subprocess.DEVNULL, **kw)


def record(source, folder, *words, options=()):
    flags = re.findall(r"check-flags: (.*)", open(source).read())
    source = os.path.abspath(source)
    command = [HEDDLE_CC, "-g", "-O1", "-Iinclude", "-I.", source, "-pthread", "-lm",
               *" ".join(flags).split()]
    r = compile_cached(os.path.dirname(HEDDLE_CC), command, source, folder + "/prog")
    if r.status:
        return f"heddle-cc: {r.error}"
    r = run("timeout", "-s", "INT", str(HANGS), HEDDLE, "record", *options, "-o", folder + "/run",
            "--", folder + "/prog", *words, cwd=folder)
    if not os.path.isdir(folder + "/run"):
        return f"heddle record: {r.stderr}"
    return None


def sound(name):
    for _ in range(3):
        with tempfile.TemporaryDirectory() as folder:
            why = record(f"tests/programs/{name}.c", folder)
            if why:
                return why
            r = run(CHECK, folder + "/run")
        if r.returncode != NO_ORDER:
            break
    return (r.stdout[-2000:] + r.stderr) if r.returncode not in (0, NO_ORDER) else None


def chunks(trace, kind):
    r = run(MAIN, "--kind", kind, "--chunk", "300", "--only", "assert,null", "--confirm", trace)
    try:
        return json.loads(r.stdout), r.stderr
    except ValueError:
        return None, r.stdout + r.stderr


def finds():
    with tempfile.TemporaryDirectory() as folder:
        why = record("bench/branches/long_run.c", folder, "60")
        if why:
            return why
        far, told = chunks(folder + "/run", "distributed")
        if not far or far["confirmed"] != 2 or "null pointer" not in told:
            return f"distributed: {far}\n{told}"
        near, told = chunks(folder + "/run", "window")
        if not near or "null pointer" in told or near["found"] != near["confirmed"]:
            return f"window: {near}\n{told}"
    return None


def recorded_end():
    """Threads that begin in the middle have chunks, too, or none; nothing breaks."""
    for options in (["--window", "4"], ["--limit", "1M"]):
        with tempfile.TemporaryDirectory() as folder:
            why = record("bench/branches/long_run.c", folder, "800", options=options)
            if why:
                return why
            r = run(HEDDLE, "predict", "--only=assert,race", "--no-replay", "--seconds=10",
                    folder + "/run")
            if r.returncode not in (3, 66) or "could not" in r.stderr: # a part of a run is no proof
                return f"{options}: exit {r.returncode}: {r.stdout}{r.stderr}"
            r = run(MAIN, "--chunk", "300", "--only", "assert", folder + "/run")
            if r.returncode:
                return f"{options} in chunks: exit {r.returncode}: {r.stdout}{r.stderr}"
    return None


def main():
    tests = [(name, sound, (name,)) for name in PROGRAMS]
    tests += [("finds", finds, ()), ("recorded end", recorded_end, ())]
    failed = 0
    print(f"1..{len(tests)}", flush=True)
    for i, (name, test, words) in enumerate(tests, 1):
        why = test(*words)
        failed += why is not None
        print(f"{'not ' if why else ''}ok {i} - {name}", flush=True)
        if why:
            print("\n".join("# " + line for line in why.splitlines()[:40]), flush=True)
    return 1 if failed else 0


if __name__ == "__main__":
    sys.exit(main())
