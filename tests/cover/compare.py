#!/usr/bin/env python3
"""`heddle cover` against the truth: random programs whose inputs of few values decide how they synchronize
(gen_cover.py), with one run for every input (cover_oracle.c).

compare.py --build DIR [--count N] [--seed N] [-j N] [--tap] [--keep DIR] [--self-test] [FILE.c ...]

For every input, from epoch to epoch until the run ends, exactly one schedule has a condition that holds, and the run of this
input has that schedule, or a prefix of it if it ends early, and arrives at the epoch that follows. A set that is not complete is not compared. With --self-test,
one condition of each set is negated, and that must be noticed.
"""
import os
import re
import sys

HERE = os.path.dirname(os.path.abspath(__file__))
sys.path[:0] = [HERE, os.path.join(HERE, "..")]
import gen_cover
from harness import oracle
from harness.oracle import Incomplete, Wrong, run


COUNTS = "inputs", "epochs", "schedules", "paths", "epochs of runs"


class Cover(oracle.Oracle):
    name = "cover"

    def __init__(self, build, spoil):
        super().__init__(build)
        self.twin = os.path.join(build, "tests/cover/cover_oracle")
        self.spoil = ["--spoil"] if spoil else []
        self.counts = [0] * len(COUNTS)

    def difference(self, text, folder):
        words = self.build(text, folder)
        limits = re.search(r"limits: ([\d ]*)", text)[1].split()
        rc, out, err = run([self.twin, *self.spoil, *oracle.twin_words(words), *limits], 120)
        lines = out.strip().split("\n")
        if rc == 3:
            raise Incomplete(re.sub(r"\d+", "N", lines[0]))
        if rc not in (0, 1):
            raise Wrong("cover_oracle: status %s: %s" % (rc, err.strip()[-300:]))
        counts = list(map(int, re.findall(r"\d+", lines[-1])))
        self.counts = [a + b for a, b in zip(self.counts, counts)]
        return "\n".join(lines[:-1])

    def summary(self):
        return [", ".join("%d %s" % (n, what) for n, what in zip(self.counts, COUNTS))]


def self_test(build):
    """A set with a wrong condition differs; programs whose schedules have no condition cannot show it."""
    seen = tried = 0
    for seed in range(1, 13):
        o = Cover(build, True)
        tried += 1
        seen += bool(o.try_text(gen_cover.Generator(seed).text()))
    ok = seen >= 10
    print("1..1\n%s 1 - wrong conditions are noticed # %d of %d" % ("ok" if ok else "not ok", seen, tried))
    return 0 if ok else 1


def main():
    ap = oracle.arguments(__doc__)
    ap.add_argument("--self-test", action="store_true")
    o = ap.parse_args()
    if o.self_test:
        return self_test(o.build)
    return oracle.compare_all(o, Cover(o.build, False), gen_cover.Generator)


if __name__ == "__main__":
    sys.exit(main())
