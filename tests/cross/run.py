#!/usr/bin/env python3
"""The engines judge each other: `heddle check --deep`, `heddle explore --switch access` and random enforced runs
(`heddle fuzz`) of one program must not contradict. It is a contradiction if one of them claims that no schedule fails and
another one has a failure that the real program showed.

run.py --build DIR [--count N] [--seed N] [--seconds S] [-j N] [--tap] [--keep DIR] [FILE.c ...]
run.py --self-test

Without files the programs are those of scenarios.py. A program of which no engine claims or shows anything does not
count as compared. Every engine also has to end within its time, with a status that it documents.
"""
import json
import os
import sys

sys.path.insert(0, os.path.join(os.path.dirname(os.path.abspath(__file__)), ".."))
import scenarios
from harness import oracle
from harness.findings import SEEN
from harness.oracle import Incomplete, Wrong, run

# What check looks for and explore does not: exploration has no idea of a transaction.
ONLY_CHECK = {"atomicity"}
LATE = 30 # seconds that a command may need beyond its budget on a busy machine
FUZZ_RUNS = 60


class Program:
    """One program of scenarios.py, as harness/oracle.py wants it."""

    def __init__(self, seed):
        self.names, self.source = scenarios.program(seed)

    def text(self):
        return self.source

    def reduced(self):
        return []


class Opinion:
    """What one engine said: it claims that nothing fails, or it showed failures of these kinds."""

    def __init__(self, engine, clear=False, shown=(), why=""):
        self.engine, self.clear, self.shown, self.why = engine, clear, set(shown), why


def contradictions(opinions):
    found = []
    for a in opinions:
        for b in opinions:
            kinds = b.shown - ONLY_CHECK if a.engine == "explore" else b.shown
            if a.clear and kinds:
                found.append("%s claims that no schedule fails, but %s showed: %s" % (
                    a.engine, b.engine, ", ".join(sorted(kinds))))
    return found


class Cross(oracle.Oracle):
    name = "cross"
    batch = 10 # exploration computes facts of the whole batch
    share = 80 # signal handlers, cancellation and the like are named by every engine as not modelled

    def __init__(self, build, seconds):
        super().__init__(build)
        self.seconds, self.counts = seconds, {}

    def ask(self, engine, folder, words, *options):
        """The status and the last line of JSON."""
        rc, out, err = run([self.heddle, engine, "--json", "--seconds=%d" % self.seconds, *options, "--", *words],
                           self.seconds + LATE)
        if rc is None:
            raise Wrong("%s: no end %d s after its %d s" % (engine, LATE, self.seconds))
        if rc not in (0, 3, 66):
            raise Wrong("%s: status %s: %s" % (engine, rc, err.strip()[-300:]))
        try:
            return rc, json.loads(out.strip().split("\n")[-1])
        except ValueError:
            raise Wrong("%s: status %s, but no JSON: %s" % (engine, rc, out[-300:])) from None

    def check(self, folder, words):
        rc, j = self.ask("check", folder, words, "--deep", "-j1", "--dir", folder)
        claims = {c["scope"] for c in j["verdict"]["claims"] if not c["gaps"]}
        shown = {f["kind"] for f in j["findings"] if f["status"] in SEEN}
        if (rc == 66) != bool(shown):
            raise Wrong("check: status %d, but shown: %s" % (rc, ", ".join(shown) or "nothing"))
        gaps = [g for c in j["verdict"]["claims"] for g in c["gaps"]]
        return Opinion("check", rc == 0 and "input" in claims, shown, gaps[-1] if gaps else "")

    def explore(self, folder, words):
        rc, j = self.ask("explore", folder, words, "--switch=access", "--tests=failing", "--out",
                         os.path.join(folder, "explored"), "--dir", folder)
        shown = {f["kind"] for f in j["findings"] if f["status"] in SEEN}
        if (rc == 66) != bool(shown):
            raise Wrong("explore: status %d, but shown: %s" % (rc, ", ".join(shown) or "nothing"))
        return Opinion("explore", rc == 0, shown, next(iter(j["reasons"]), "") if rc == 3 else "")

    def fuzz(self, folder, words):
        _, j = self.ask("fuzz", folder, words, "--runs=%d" % FUZZ_RUNS, "--timeout=10", "--dir", folder)
        return Opinion("fuzz", False, {f["kind"] for f in j["failures"] if f["status"] in SEEN})

    def difference(self, text, folder):
        words = self.build(text, folder)
        opinions = [self.check(folder, words), self.explore(folder, words), self.fuzz(folder, words)]
        for o in opinions:
            key = o.engine, "proof" if o.clear else "failure" if o.shown else "neither"
            self.counts[key] = self.counts.get(key, 0) + 1
        found = contradictions(opinions)
        if not found and not any(o.clear or o.shown for o in opinions):
            raise Incomplete(", ".join("%s: %s" % (o.engine, o.why.split(":")[0][:60]) for o in opinions if o.why))
        return "\n".join(found)

    def summary(self):
        return ["%s: %s %d" % (engine, what, n) for (engine, what), n in sorted(self.counts.items())]


def self_test():
    cases = [
        ("agreement on a proof", [Opinion("check", True), Opinion("explore", True)], 0),
        ("agreement on a failure", [Opinion("check", False, {"assert"}), Opinion("fuzz", False, {"assert"})], 0),
        ("check claims, explore shows", [Opinion("check", True), Opinion("explore", False, {"race"})], 1),
        ("explore claims, fuzz shows", [Opinion("explore", True), Opinion("fuzz", False, {"hang"})], 1),
        ("both claim, fuzz shows", [Opinion("check", True), Opinion("explore", True), Opinion("fuzz", False, {"a"})], 2),
        ("what only check looks for", [Opinion("explore", True), Opinion("check", False, {"atomicity"})], 0),
        ("neither", [Opinion("check"), Opinion("explore")], 0),
    ]
    failed = 0
    print("1..%d" % (len(cases) + 1))
    for n, (what, opinions, want) in enumerate(cases, 1):
        ok = len(contradictions(opinions)) == want
        failed += not ok
        print("%s %d - %s" % ("ok" if ok else "not ok", n, what))
    texts = [scenarios.program(seed, only)[1] for only in scenarios.SCENARIOS for seed in range(8)]
    ok = all(oracle.is_c(text) for text in texts)
    print("%s %d - every scenario is C" % ("ok" if ok else "not ok", len(cases) + 1))
    return 1 if failed or not ok else 0


def main():
    if sys.argv[1:] == ["--self-test"]:
        return self_test()
    ap = oracle.arguments(__doc__)
    ap.add_argument("--seconds", type=int, default=10)
    o = ap.parse_args()
    return oracle.compare_all(o, Cross(o.build, o.seconds), Program)


if __name__ == "__main__":
    sys.exit(main())
