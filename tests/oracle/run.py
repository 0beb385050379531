#!/usr/bin/env python3
"""The oracle of prediction: small random programs (gen.py) are recorded once, every interleaving along
the recorded paths is tried on heddle's machine (enumerate), and for each property the violations that
were met must be those that `heddle predict` says. The findings of every tenth program are also replayed: a
witness from which the real program diverges is wrong.

run.py --build DIR [--mode predict|branches|chunks|deep|encodings] [--count N] [--seed N] [-j N] [--tap] [--keep DIR]
       [--minimize] [FILE.c ...]

Modes: `branches`: the decisions that some interleaving along prefixes of the recorded paths changes
must be those that `heddle branches` says. `chunks`: what it says of small chunks of the run must be
among them. `deep`: what goes wrong in any interleaving, and how the program can end, must be what
src/deep finds from flips that become runs (final_states); every tenth is also given to `heddle check
--deep`. `encodings`: the two encodings of queries (heddle predict --encoding) give the same answer to every
query; nothing is enumerated. What is reported of a program whose schedules are not all covered must be true; the program does
not count as compared, and its reason is counted.

harness/oracle.py says which programs are compared. Files given by name are compared in place of random programs.
With --keep, programs with a difference are kept in that folder, with --minimize reduced to the statements
that matter.
"""
import json
import os
import re
import sys
import zlib

sys.path.insert(0, os.path.join(os.path.dirname(os.path.abspath(__file__)), ".."))
import gen
from harness import oracle
from harness.oracle import SECONDS, Incomplete, Skip, Wrong, run

RECORD_SECONDS = 5 # a recorded run that takes longer hangs

# Waits other than for locks, by how elusive what they wait for is; enumerate names a stuck state by
# the first.
WAITS = (("cond_wait", 4), ("sem_wait", 3), ("barrier_wait", 2), ("pthread_join", 1))


# ---- what predict says, under the names of enumerate

def importance(text):
    for word, n in WAITS:
        if word in text:
            return n
    return 0


def in_transaction(source, line):
    for text in reversed(source[:line - 1]):
        if "heddle_atomic_end" in text or text == "{":
            return False
        if "heddle_atomic_begin" in text:
            return True
    return False


def line_of(step):
    """The line in the program itself: a failure may be inside of heddle.h."""
    frames = [step["place"]] + step["stack"]
    return next((f["line"] for f in frames if str(f["file"]).endswith("prog.c")), frames[0]["line"])


def key_of(finding, source):
    """(kind, lines) of a finding."""
    kind = finding["kind"]
    keys = [s for s in finding["steps"] if s.get("key")]
    lines = [line_of(s) for s in keys]
    if kind in ("deadlock", "lost-wakeup"):
        centre = max(keys, key=lambda s: (importance(source[s["place"]["line"] - 1]), -s["thread"]))
        if importance(source[centre["place"]["line"] - 1]) > 1:
            return "stuck", (centre["place"]["line"],)
    if kind == "atomicity": # what is inferred is predict's own idea
        marked = in_transaction(source, lines[0]) and in_transaction(source, lines[2])
        return ("atomicity" if marked else "inferred"), tuple(lines)
    return kind, tuple(sorted(lines))


KINDS = ("assert", "race", "atomicity", "deadlock", "stuck", "use-after-free", "double-free", "null",
         "wild", "overflow", "division")


class Oracle(oracle.Oracle):
    """The violations that prediction knows."""
    mode = "predict"
    states = 6000
    hangs = 1 # runs that hang before the program is left out

    def __init__(self, build, only=None):
        super().__init__(build)
        self.enumerate = os.path.join(build, "tests/oracle/enumerate")
        self.kinds = only or KINDS

    def is_tenth(self, text):
        return zlib.crc32(text.encode()) % 10 == 0

    def record(self, text, folder, tries=6):
        """(the program's words, trace) of a run that ends with status 0."""
        words, trace = self.build(text, folder), os.path.join(folder, "prog.trace")
        hangs = 0
        for _ in range(tries): # another run may take another schedule and pass
            rc, _, err = run([self.heddle, "record", "-o", trace, "--", *words], RECORD_SECONDS)
            if "program exited with 0" in err:
                return words, trace
            hangs += rc is None
            if hangs == self.hangs:
                break # a program that hangs most likely hangs again
            if rc is None:
                continue
            if "(program " not in err:
                raise Wrong("record: status %s: %s" % (rc, err.strip()[-300:]))
        raise Skip("the recorded run fails or hangs")

    def enumerated(self, words, trace, *options):
        """What enumerate prints."""
        rc, out, err = run([self.enumerate, *options, "--states", str(self.states), words[0], trace],
                           3 * SECONDS)
        if rc == 3 or rc is None:
            raise Skip("more than %d states" % self.states)
        if rc != 0:
            raise Wrong("enumerate: status %s: %s" % (rc, err.strip()))
        return json.loads(out)

    def findings(self, trace, command, *options, replay=False):
        """The findings that a command of heddle prints for the trace."""
        rc, out, err = run([self.heddle, command, *([] if replay else ["--no-replay"]), "-j1", "--json",
                            *options, "--dir", os.path.dirname(trace), trace], 6 * SECONDS)
        try:
            told = json.loads(out)
            findings, limits = told["findings"], told["verdict"]["claims"][0]["gaps"]
        except (ValueError, KeyError):
            raise Wrong("%s: status %s: %s" % (
                command, rc, err.strip() or out.strip()[:300])) from None
        for limit in limits:
            if "could be re-executed" in limit:
                raise Wrong("%s: %s" % (command, limit))
        return findings

    def replayed(self, trace):
        """The same, each replayed on the real program."""
        return self.findings(trace, "predict", "--every", replay=True)

    def diverged(self, trace, source):
        return ["wrong witness: %s at lines %s" % key_of(f, source) for f in self.replayed(trace)
                if f["status"] == "diverged"]

    def difference(self, text, folder):
        """'' if both agree, else what is different; Skip if the program says nothing."""
        words, trace = self.record(text, folder)
        source = text.split("\n")
        want = {(v["kind"], tuple(v["lines"])) for v in self.enumerated(words, trace)["violations"]}
        got = {key_of(f, source) for f in self.findings(trace, "predict", "--every")}
        want = {k for k in want if k[0] in self.kinds}
        got = {k for k in got if k[0] in self.kinds}
        return "\n".join(
            ["missed: %s at lines %s" % (k, list(n)) for k, n in sorted(want - got)] +
            ["not there: %s at lines %s" % (k, list(n)) for k, n in sorted(got - want)] +
            (self.diverged(trace, source) if got and self.is_tenth(text) else []))


FLIPS = {"branch": "branch", "switch": "branch", "assertion": "branch", "divisor": "divisor",
         "indirect call": "call", "pointer dereference": "dereference",
         "array index": "dereference", "bounds": "dereference", "try": "try"}


def place_of(what, line, col, func, insn):
    """A decision by its place in the source, if it has one."""
    return (what, line, col) if line else (what, "function %d" % func, insn)


def flip_of(finding):
    flip = finding["flip"]
    place = next(s["place"] for s in reversed(finding["steps"])
                 if s.get("key") and s["thread"] == flip["thread"])
    return place_of(FLIPS[flip["kind"]], place.get("line", 0), place.get("column", 0),
                    flip["func"], flip["insn"])


class Branches(Oracle):
    """Decisions that depend on the schedule."""
    mode = "branches"
    states = 12000
    decisions = told_of = 0

    def flips(self, words, trace):
        return {place_of(f["what"], f["line"], f["col"], f["func"], f["insn"])
                for f in self.enumerated(words, trace)["flips"]}

    def told(self, trace, *options):
        return {flip_of(f) for f in self.findings(trace, "branches", "--again", *options)}

    def difference(self, text, folder):
        words, trace = self.record(text, folder)
        want, got = self.flips(words, trace), self.told(trace, "--partition=auto")
        self.decisions += len(want)
        return "\n".join(["missed: %s at %s:%s" % k for k in sorted(want - got, key=str)] +
                         ["not there: %s at %s:%s" % k for k in sorted(got - want, key=str)])


    def summary(self):
        return ["%d decisions" % self.decisions]


class Chunks(Branches):
    """The same, of chunks of the run: what is told must be there."""
    mode = "chunks"

    def difference(self, text, folder):
        words, trace = self.record(text, folder)
        want, out = self.flips(words, trace), []
        for partition in ("cut", "distributed", "window"):
            for chunk in (3, 8):
                got = self.told(trace, "--partition=" + partition, "--chunk=%d" % chunk)
                self.decisions += len(want)
                self.told_of += len(got & want)
                out += ["not there (%s of %d): %s at %s:%s" % (partition, chunk, *k)
                        for k in sorted(got - want, key=str)]
        return "\n".join(out)

    def summary(self):
        return ["%d of %d decisions are told of chunks" % (self.told_of, self.decisions)]


class Deep(Oracle):
    """All schedules: how the program can end, and what can go wrong."""
    mode = "deep"
    states = 8000
    KINDS = ("assert", "deadlock", "stuck", "division", "null")

    def __init__(self, build, only=None):
        super().__init__(build, only or self.KINDS)
        self.final_states = os.path.join(build, "tests/oracle/final_states")
        self.runs, self.schedules = [], []

    def explored(self, words, folder):
        """What src/deep says, and every way in which its model ends."""
        rc, out, err = run([self.final_states, "--dir", os.path.join(folder, "deep"), "--seconds",
                            str(SECONDS), *words], 3 * SECONDS)
        if rc != 0:
            raise Wrong("final_states: status %s: %s" % (rc, err.strip()[-300:]))
        return json.loads(out)

    def checked(self, words, folder):
        """What the command says."""
        rc, out, err = run([self.heddle, "check", "--deep", "--no-replay", "-j1", "--json", "--seconds",
                            str(SECONDS), "--dir", folder, "--", *words], 6 * SECONDS)
        try:
            j = json.loads(out)
            return {"findings": j["findings"], "finals": None, **j["coverage"]["deep"]}
        except (ValueError, KeyError):
            raise Wrong("check --deep: status %s: %s" % (
                rc, err.strip() or out.strip()[:300])) from None

    def count(self, all_, deep):
        if not deep["complete"]:
            return
        self.runs.append(deep["runs"])
        self.schedules.append(int(all_["schedules"]))

    def difference(self, text, folder):
        words, trace = self.build(text, folder), os.path.join(folder, "prog.trace")
        run([self.heddle, "record", "-o", trace, "--", *words], 5) # it may fail, or hang
        all_ = self.enumerated(words, trace, "--all")
        deep = self.explored(words, folder)
        self.count(all_, deep)
        out = self.compared(text, all_, deep)
        if not out and self.is_tenth(text): # it takes its time
            out = self.compared(text, all_, self.checked(words, folder))
        if not out and not deep["complete"]:
            raise Incomplete("deep is not complete: " + re.sub(
                r"\d+", "N", (deep["limits"] or ["no reason"])[0].split(": ")[0]))
        return "\n".join(out)

    def compared(self, text, all_, deep):
        source = text.split("\n")
        want = {(v["kind"], tuple(v["lines"])) for v in all_["violations"]}
        got = {key_of(f, source) for f in deep["findings"]}
        strange = {k for k in want if k[0] not in KINDS}
        want = {k for k in want if k[0] in self.kinds}
        got = {k for k in got if k[0] in self.kinds}
        out = ["strange: %s at lines %s" % (k, list(n)) for k, n in sorted(strange)]
        out += ["not there: %s at lines %s" % (k, list(n)) for k, n in sorted(got - want)]
        if deep["complete"]:
            out += ["missed: %s at lines %s" % (k, list(n)) for k, n in sorted(want - got)]
        if deep["finals"] is not None:
            out += self.finals(all_["finals"], deep)
        return out

    def finals(self, want, deep):
        """Ways to end that only one of the two knows, by the cells of integers in the model."""
        cells = [(i, c) for i, c in enumerate(deep["cells"]) if c["size"] <= 4]
        names = ["%s+%d" % (c["name"], c["offset"]) for _, c in cells]

        def value(globals_, c):
            hex_ = globals_[c["name"]][2 * c["offset"]:2 * (c["offset"] + c["size"])]
            return int.from_bytes(bytes.fromhex(hex_), "little")

        want = {tuple(value(f["globals"], c) for _, c in cells) for f in want}
        got = {tuple(None if f[i] is None else int(f[i], 16) for i, _ in cells)
               for f in deep["finals"]}

        def words(final):
            return ", ".join("%s = %s" % nv for nv in zip(names, final))

        out = ["end not there: at " + words(f) for f in sorted(got - want, key=str)]
        if deep["complete"]:
            out += ["end missed: at " + words(f) for f in sorted(want - got, key=str)]
        return out[:10]

    def summary(self):
        def middle(xs):
            return sorted(xs)[len(xs) // 2] if xs else 0

        return ["runs: %d in all, %d in the middle, %d at most; interleavings: %s in all, %d in the "
                "middle, %s at most" % (
                    sum(self.runs), middle(self.runs), max(self.runs, default=0),
                    sum(self.schedules), middle(self.schedules), max(self.schedules, default=0))]


class Encodings(Oracle):
    """The two encodings of queries: query by query the answer is the same, and so is what is found."""
    mode = "encodings"
    ANSWER = re.compile(r"^heddle: model: .* query .*: (yes|no|unknown)( \(bounded\))? by (\w+) ", re.M)

    def __init__(self, build, only=None):
        super().__init__(build, only)
        self.answers = {"yes": 0, "no": 0}

    def asked(self, trace, encoding, command, *options):
        """The answers in their order, with the stages that gave them, and the findings."""
        rc, out, err = run(["env", "HEDDLE_LOG=model", self.heddle, command, "--no-replay", "-j1", "--json",
                            "--encoding=" + encoding, *options, "--dir", os.path.dirname(trace), trace],
                           6 * SECONDS)
        if rc is None:
            raise Skip("%s takes too long in one of the encodings" % command)
        try:
            findings = json.loads(out)["findings"]
        except (ValueError, KeyError):
            raise Wrong("%s: status %s: %s" % (command, rc, err.strip()[-300:])) from None
        return self.ANSWER.findall(err), sorted((f["kind"], f["fingerprint"]) for f in findings)

    def compared(self, trace, command, *options):
        (first, found), (second, found_too) = (
            self.asked(trace, e, command, *options) for e in ("order", "cssa"))
        for i, (a, b) in enumerate(zip(first, second)):
            if "unknown" in (a[0], b[0]):
                raise Incomplete("a query of %s is not decided" % command)
            if a[0] != b[0]:
                return ["%s: query %d: %s by %s, %s by %s" % (command, i, a[0], a[2], b[0], b[2])]
            self.answers[a[0]] += 1
        if any(b[2] != "cssa" for b in second):
            return ["%s: the second encoding was not asked" % command]
        if len(first) != len(second) or [k for k, _ in found] != [k for k, _ in found_too]:
            return ["%s: found: %s or %s" % (command, found, found_too)]
        return []

    def difference(self, text, folder):
        _, trace = self.record(text, folder)
        return "\n".join(self.compared(trace, "predict", "--every") +
                         self.compared(trace, "branches", "--again"))

    def summary(self):
        return ["%d queries with the answer yes, %d with no" % (self.answers["yes"], self.answers["no"])]


MODES = {c.mode: c for c in (Oracle, Branches, Chunks, Deep, Encodings)}


def main():
    ap = oracle.arguments(__doc__)
    ap.add_argument("--mode", choices=list(MODES), default="predict")
    ap.add_argument("--only", help="these kinds, comma between them")
    o = ap.parse_args()
    twin = MODES[o.mode](o.build, o.only and o.only.split(","))
    mode = {"chunks": "branches", "encodings": "predict"}.get(o.mode, o.mode)
    return oracle.compare_all(o, twin, lambda seed: gen.generate(seed, mode))


if __name__ == "__main__":
    sys.exit(main())
