#!/usr/bin/env python3
"""Prediction: the tables of the Fusion paper (Tables 1 and 2), rebuilt as programs, with the paper's
figures and with the paper's own encoding (--encoding=cssa) in the same run; a long trace; and how many of the
programs with known bugs random schedules, PCT and prediction find in the same time.

Seconds are those of `heddle predict` after recording: `solve` is candidates, queries and explanations,
`all` the whole command (reading the trace, executing it again, and solving). docs/prediction-cost.md
keeps what was measured.
"""
import argparse
import json
import os
import re
import resource
import subprocess
import sys
import tempfile
import time

sys.path.insert(0, os.path.join(os.path.dirname(os.path.abspath(__file__)), "predict"))
import long_trace

ROOT = os.path.dirname(os.path.dirname(os.path.abspath(__file__)))
CHECK = os.path.join(ROOT, "tests/programs/check")
TABLE2 = os.path.join(ROOT, "bench/predict_programs")

# name, program, arguments, the paper's seconds
ONE = [
    ("banking-2", "bank_2_fixed", 0.1), ("banking-2a", "bank_2", 0.1),
    ("banking-5", "bank_5_fixed", 0.3), ("banking-5a", "bank_5", 0.1),
    ("banking-10", "bank_10_fixed", 1.6), ("banking-10a", "bank_10", 0.1),
    ("indexer-10", "indexer_10", 0.1), ("indexer-15", "indexer_15_fixed", 0.1),
    ("indexer-15a", "indexer_15", 0.4), ("indexer-20", "indexer_20_fixed", 0.4),
    ("indexer-20a", "indexer_20", 3.2), ("indexer-25", "indexer_25_fixed", 0.9),
    ("indexer-25a", "indexer_25", 26.1),
]
TWO = [
    ("atom001", "atom001", (), 0.03), ("atom001a", "atom001a", (), 0.03),
    ("atom002", "atom002", (), 20.4), ("atom002a", "atom002a", (), 17.6),
] + [("bank-%s-%d" % (kind, n), "bank_" + kind, (str(n),), s)
     for kind, times in (("av", (0.1, 0.6, 2.3, 2.5)), ("sav", (0.2, 0.9, 3.8, 4.6)),
                         ("nav", (0.2, 0.2, 3.7, 140.6)))
     for n, s in zip((2, 4, 6, 8), times)]


def run(command, seconds=300, **more):
    """(status, output, errors, wall seconds); status None if it took too long."""
    start = time.monotonic()
    try:
        r = subprocess.run(command, stdout=subprocess.PIPE, stderr=subprocess.PIPE,
                           stdin=subprocess.DEVNULL, timeout=seconds, **more)
    except subprocess.TimeoutExpired:
        return None, "", "", time.monotonic() - start
    return (r.returncode, r.stdout.decode(errors="replace"), r.stderr.decode(errors="replace"),
            time.monotonic() - start)


class Bench:
    def __init__(self, build, z3_seconds, folder):
        self.build, self.z3_seconds, self.folder = os.path.abspath(build), z3_seconds, folder

    def tool(self, name):
        return os.path.join(self.build, name)

    def compile(self, source, flags=("-O2",)):
        exe = os.path.join(self.folder, os.path.basename(source)[:-2])
        rc, _, err, _ = run([self.tool("heddle-cc"), *flags, "-g", "-w", "-pthread",
                             "-I" + os.path.join(ROOT, "include"), source, "-o", exe])
        if rc:
            raise RuntimeError("%s: %s" % (source, err.strip()))
        return exe

    def record(self, exe, arguments=()):
        """A trace of a run that passed; programs with bugs may fail by themselves."""
        trace = exe + ".trace"
        for _ in range(20):
            _, _, err, _ = run([self.tool("heddle"), "record", "-o", trace, "--", exe, *arguments])
            if "exited with 0" in err:
                return trace
        raise RuntimeError("%s does not pass: %s" % (exe, err.strip()))

    def predict(self, trace, kind, *options):
        before = resource.getrusage(resource.RUSAGE_CHILDREN).ru_maxrss
        rc, out, err, wall = run([self.tool("heddle"), "predict", "--json", "--no-replay",
                                  "--only", kind, "--dir", self.folder, *options, trace])
        try:
            d = json.loads(out)
        except ValueError:
            raise RuntimeError("predict: status %s: %s" % (rc, err.strip()))
        d["wall"] = wall
        d["memory"] = max(before, resource.getrusage(resource.RUSAGE_CHILDREN).ru_maxrss)
        return d

    def paper(self, trace, kind):
        """Seconds of the same prediction in the paper's encoding; '>' and how many queries were decided, if not
        all were."""
        seconds = str(max(1, round(self.z3_seconds)))
        d = self.predict(trace, kind, "--encoding=cssa", "--seconds", seconds, "--query-seconds", seconds)
        c, decided = d["coverage"], d["coverage"]["yes"] + d["coverage"]["no"]
        if d["verdict"]["claims"][0]["gaps"]:
            return ">%.0f (%d of %d)" % (c["seconds"], decided, c["candidates"])
        return "%.2f" % c["seconds"] if decided else "no query"

    def row(self, name, exe, arguments, kind, paper_seconds):
        trace = self.record(exe, arguments)
        d = self.predict(trace, kind)
        c, z3 = d["coverage"], self.paper(trace, kind)
        verdict = "%d found" % len(d["findings"]) if d["findings"] else "none"
        if c["unknown"] or c["bounded"]:
            verdict += ", %d unknown, %d bounded" % (c["unknown"], c["bounded"])
        print("| %-11s | %7d | %8d | %7d | %-18s | %6.3f | %5.2f | %8s | %-16s |" % (
            name, c["threads"], c["events"], c["queries"], verdict, c["seconds"], d["wall"],
            paper_seconds, z3), flush=True)
        return c["seconds"]


HEAD = """
| row | threads | events | queries | verdict | solve, s | all, s | paper, s | Z3, paper's encoding, s |
|---|---|---|---|---|---|---|---|---|"""


def tables(b):
    print("\n== Table 1: assertion failures" + HEAD, flush=True)
    worst = max(b.row(name, b.compile(os.path.join(CHECK, src + ".c")), (), "assert", s)
                for name, src, s in ONE)
    print("slowest row: %.3f s (wanted: under 0.3)" % worst)
    print("\n== Table 2: atomicity violations" + HEAD, flush=True)
    worst = max(b.row(name, b.compile(os.path.join(TABLE2, src + ".c")), args, "atomicity", s)
                for name, src, args, s in TWO)
    print("slowest row: %.3f s (wanted: under 1)" % worst)


def long_run(b, rounds):
    print("\n== a long trace, one query for each pair of places", flush=True)
    source = os.path.join(b.folder, "long.c")
    with open(source, "w") as f:
        f.write(long_trace.program(rounds))
    trace = b.record(b.compile(source, ("-O1",)))
    for kind in ("race", "atomicity"):
        d = b.predict(trace, kind, "--seconds", "120")
        c = d["coverage"]
        print("%-9s %d events, %d candidates, %d filtered; %d queries (%d yes, %d no, %d bounded, "
              "%d unknown) in %.2f s, the command %.2f s, %d MB" % (
                  kind, c["events"], c["candidates"], c["filtered"], c["queries"], c["yes"],
                  c["no"], c["bounded"], c["unknown"], c["seconds"], d["wall"],
                  d["memory"] // 1024), flush=True)


# ---- random, PCT and prediction in the same time

def bugs():
    """Programs with a bug that a schedule shows, and what they are expected to show."""
    for name in sorted(os.listdir(CHECK)):
        if not name.endswith(".c"):
            continue
        with open(os.path.join(CHECK, name)) as f:
            head = f.read().split("*/")[0]
        kinds = [k for k in re.findall(r"check-finds: (\S+)", head) if k != "nothing"]
        command = re.search(r"check-command: heddle check -- \$exe *(.*)", head)
        if kinds and command and "check-natural" not in head:
            flags = re.search(r"check-flags: (.*)", head)
            yield name, kinds, command.group(1).split(), flags.group(1).split() if flags else []


def hunt(b, limit):
    print("\n== programs with known bugs: found in the same time (that of 'heddle check')", flush=True)
    found = {"check": 0, "random": 0, "pct": 0}
    failing = {"check": 0, "random": 0, "pct": 0}
    n = nfailing = 0
    for name, kinds, arguments, flags in list(bugs())[:limit]:
        exe = b.compile(os.path.join(CHECK, name), ("-O2", *flags))
        folder = ["--dir", tempfile.mkdtemp(dir=b.folder)]
        _, out, _, wall = run([b.tool("heddle"), "check", "--json", *folder, "--", exe, *arguments],
                              cwd=b.folder)
        hit = {}
        try:
            said = {f["kind"] for f in json.loads(out)["findings"]
                    if f["status"] in ("confirmed", "observed")}
        except (ValueError, KeyError):
            said = set()
        hit["check"] = set(kinds) <= said
        seconds = str(max(1, round(wall)))
        for how, options in (("random", ()), ("pct", ("--pct=3",))):
            _, out, _, _ = run([b.tool("heddle"), "fuzz", "--json", "--max=1", "--timeout=5",
                                "--seconds", seconds, *options, *folder, "--", exe, *arguments],
                               cwd=b.folder)
            try:
                hit[how] = bool(json.loads(out)["failures"])
            except (ValueError, KeyError):
                hit[how] = False
        n += 1
        # a race or an atomicity violation alone makes no run fail: schedules cannot show it
        fails = bool(set(kinds) - {"race", "atomicity"})
        nfailing += fails
        for how in found:
            found[how] += hit[how]
            failing[how] += hit[how] and fails
        print("%-28s %-28s %4.1f s  check %-3s random %-3s pct %-3s" % (
            name, ",".join(sorted(set(kinds))), wall, *("yes" if hit[h] else "-" for h in found)),
            flush=True)
    print("\nof %d programs: prediction %d, random %d, PCT %d" % (
        n, found["check"], found["random"], found["pct"]))
    print("of the %d whose bug makes a run fail: prediction %d, random %d, PCT %d" % (
        nfailing, failing["check"], failing["random"], failing["pct"]))


def main():
    ap = argparse.ArgumentParser(description=__doc__,
                                 formatter_class=argparse.RawDescriptionHelpFormatter)
    ap.add_argument("--build", default="build")
    ap.add_argument("--z3-seconds", type=float, default=10, help="for each row")
    ap.add_argument("--rounds", type=int, default=100, help="of the long trace")
    ap.add_argument("--programs", type=int, default=1000, help="at most so many for the hunt")
    ap.add_argument("--only", choices=("tables", "long", "hunt"))
    ap.add_argument("--as-built", action="store_true", help="the tools in the build directory as they are")
    o, _ = ap.parse_known_args()
    if not o.as_built:
        subprocess.run(["ninja", "-C", o.build, "heddle", "heddle-cc"], check=True,
                       stdout=subprocess.DEVNULL)
    with tempfile.TemporaryDirectory(prefix="bench-predict.") as folder:
        b = Bench(o.build, o.z3_seconds, folder)
        if o.only in (None, "tables"):
            tables(b)
        if o.only in (None, "long"):
            long_run(b, o.rounds)
        if o.only in (None, "hunt"):
            hunt(b, o.programs)
    return 0


if __name__ == "__main__":
    sys.exit(main())
