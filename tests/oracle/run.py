#!/usr/bin/env python3
"""The oracle of prediction: small random programs (gen.py) are recorded once, every interleaving along
the recorded paths is tried on heddle's machine (enumerate), and for each property the violations that
were met must be those that `heddle predict` says.

run.py --build DIR [--mode predict|branches|chunks|deep] [--count N] [--seed N] [--jobs N] [--tap] [--keep DIR] [--minimize] [FILE.c ...]

Modes: `branches`: the decisions that some interleaving along prefixes of the recorded paths changes
must be those that `heddle branches` says. `chunks`: what it says of small chunks of the run must be
among them. `deep`: what goes wrong in any interleaving, and how the program can end, must be what
src/deep finds from flips that become runs (final_states); every tenth is also given to `heddle check
--deep`. What is not complete must be true.

A program whose recorded run does not end well, or that has too many states, says nothing and is left
out; the summary counts them. Files given by name are looked at in place of random ones. With
--keep, programs with a difference are kept there, with --minimize cut down to what matters.
"""
import argparse
import concurrent.futures
import json
import os
import re
import shutil
import subprocess
import sys
import tempfile
import zlib

import gen

SECONDS = 20

# Waits other than for locks, by how elusive what they wait for is; enumerate names a stuck state by
# the first.
WAITS = (("cond_wait", 4), ("sem_wait", 3), ("barrier_wait", 2), ("pthread_join", 1))


class Skip(Exception):
    """The program says nothing."""


class Wrong(Exception):
    """A tool did not do its work."""


def run(command, seconds=60):
    try:
        r = subprocess.run(command, stdout=subprocess.PIPE, stderr=subprocess.PIPE,
                           stdin=subprocess.DEVNULL, timeout=seconds)
    except subprocess.TimeoutExpired:
        return None, "", "timed out: " + " ".join(command)
    return r.returncode, r.stdout.decode(), r.stderr.decode(errors="replace")


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


def function_of(source, line):
    return next((text for text in reversed(source[:line]) if text.startswith("static void *f")), "main")


def name_of(finding):
    """The global variable in its title, without an index."""
    word = re.search(r"'\W*(\w+)", finding["title"])
    return word and word.group(1)


def covered(missed, got, source):
    """The violation is one bug with another that is told: a race of the same variable and functions
    or, of two threads at one line, one of that line and another; a use of the same function after
    the same free; an atomicity violation of the same variable and function."""
    kind, lines, name = missed
    functions = sorted(function_of(source, n) for n in lines)
    if kind in ("race", "use-after-free"):
        return any(g[0] == kind and
                   (sorted(function_of(source, n) for n in g[1]) == functions
                    and (all(re.search(r"\b%s\b" % g[2], source[n - 1]) for n in lines)
                         if kind == "race" else set(g[1]) & set(lines))
                    or kind == "race" and lines[0] == lines[1] and lines[0] in g[1]) for g in got)
    return kind == "atomicity" and any(
        g[0] == "atomicity" and function_of(source, g[1][0]) == function_of(source, lines[0])
        and (name is None or g[2] == name) for g in got)


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


class Oracle:
    """The violations that prediction knows."""
    mode = "predict"
    states = 6000

    def __init__(self, build, only=None):
        self.heddle = os.path.join(build, "heddle")
        self.cc = os.path.join(build, "heddle-cc")
        self.enumerate = os.path.join(build, "tests/oracle/enumerate")
        self.include = os.path.join(os.path.dirname(__file__), "../../include")
        self.kinds = only or KINDS

    def build(self, text, folder):
        source, exe = os.path.join(folder, "prog.c"), os.path.join(folder, "prog")
        with open(source, "w") as f:
            f.write(text)
        flags = re.search(r"flags: (.*?) \*/", text)
        rc, _, err = run([self.cc, "-g", "-w", "-pthread", "-I" + self.include]
                         + (flags.group(1).split() if flags else []) + [source, "-o", exe])
        if rc:
            raise Skip("does not compile: " + err.strip().split("\n")[0])
        return exe

    def record(self, text, folder, tries=2):
        exe, trace = self.build(text, folder), os.path.join(folder, "prog.trace")
        for _ in range(tries): # it may fail by itself, now and then
            rc, _, err = run([self.heddle, "record", "-o", trace, "--", exe], SECONDS)
            if "program exited with 0" in err:
                return exe, trace
        raise Skip("the recorded run does not end well")

    def enumerated(self, exe, trace, *options):
        """What enumerate prints."""
        rc, out, err = run([self.enumerate, *options, "--states", str(self.states), exe, trace],
                           3 * SECONDS)
        if rc == 3:
            raise Skip("too many states")
        if rc != 0:
            raise Wrong("enumerate: status %s: %s" % (rc, err.strip()))
        return json.loads(out)

    def findings(self, trace, command, *options):
        """The findings that a command of heddle prints for the trace."""
        rc, out, err = run([self.heddle, command, "--no-replay", "-j1", "--json", *options,
                            "--dir", os.path.dirname(trace), trace], 3 * SECONDS)
        try:
            told = json.loads(out)
            findings, limits = told["findings"], told["coverage"]["limits"]
        except (ValueError, KeyError):
            raise Wrong("%s: status %s: %s" % (
                command, rc, err.strip() or out.strip()[:300])) from None
        # a load through null whose value nobody uses is gone from the native code, not from the IR
        if any("where it could be re-executed" in limit for limit in limits):
            raise Skip("the recorded run does not end well")
        return findings

    def difference(self, text, folder):
        """'' if both agree, else what is different; Skip if the program says nothing."""
        exe, trace = self.record(text, folder)
        source = text.split("\n")
        want = {(v["kind"], tuple(v["lines"]), v.get("name"))
                for v in self.enumerated(exe, trace)["violations"]}
        got = {(*key_of(f, source), name_of(f)) for f in self.findings(trace, "predict")}
        want = {k for k in want if k[0] in self.kinds}
        got = {k for k in got if k[0] in self.kinds}
        there = {k[:2] for k in want}
        said = {k[:2] for k in got}
        out = ["missed: %s at lines %s" % (k[0], list(k[1])) for k in sorted(want, key=str)
               if k[:2] not in said and not covered(k, got, source)]
        out += ["not there: %s at lines %s" % (k, list(n)) for k, n in sorted(said - there)]
        return "\n".join(out)

    def summary(self):
        return []

    def try_text(self, text):
        with tempfile.TemporaryDirectory(prefix="oracle.") as folder:
            try:
                return self.difference(text, folder)
            except Wrong as w:
                return str(w)

    def minimized(self, program, wrong):
        """The smallest program that still differs, going down one statement at a time."""
        def words(w):
            return {line.split(" at ")[0].split(": status")[0] for line in w.split("\n")}

        kinds, tries, again = words(wrong), 150, True
        while again:
            again = False
            for p in program.reduced():
                tries -= 1
                if not tries:
                    return program, wrong
                try:
                    w = self.try_text(p.text())
                except Skip:
                    continue
                if w and words(w) & kinds:
                    program, wrong, again = p, w, True
                    break
        return program, wrong


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

    def flips(self, exe, trace):
        return {place_of(f["what"], f["line"], f["col"], f["func"], f["insn"])
                for f in self.enumerated(exe, trace)["flips"]}

    def told(self, trace, *options):
        return {flip_of(f) for f in self.findings(trace, "branches", "--again", *options)}

    def difference(self, text, folder):
        exe, trace = self.record(text, folder)
        want, got = self.flips(exe, trace), self.told(trace, "--partition=auto")
        self.decisions += len(want)
        return "\n".join(["missed: %s at %s:%s" % k for k in sorted(want - got, key=str)] +
                         ["not there: %s at %s:%s" % k for k in sorted(got - want, key=str)])


    def summary(self):
        return ["%d decisions" % self.decisions]


class Chunks(Branches):
    """The same, of chunks of the run: what is told must be there."""
    mode = "chunks"

    def difference(self, text, folder):
        exe, trace = self.record(text, folder)
        want, out = self.flips(exe, trace), []
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


def hash_of(text):
    return zlib.crc32(text.encode())


class Deep(Oracle):
    """All schedules: how the program can end, and what can go wrong."""
    mode = "deep"
    strict = False
    states = 8000
    KINDS = ("assert", "deadlock", "stuck", "division", "null")

    def __init__(self, build, only=None):
        super().__init__(build, only or self.KINDS)
        self.final_states = os.path.join(build, "tests/oracle/final_states")
        self.complete = self.partly = 0
        self.runs, self.schedules, self.limits = [], [], {}

    def explored(self, exe, folder):
        """What src/deep says, and every way in which its model ends."""
        rc, out, err = run([self.final_states, "--dir", os.path.join(folder, "deep"), "--seconds",
                            str(SECONDS), exe], 3 * SECONDS)
        if rc != 0:
            raise Wrong("final_states: status %s: %s" % (rc, err.strip()[-300:]))
        return json.loads(out)

    def checked(self, exe, folder):
        """What the command says."""
        rc, out, err = run([self.heddle, "check", "--deep", "--no-replay", "-j1", "--json", "--seconds",
                            str(SECONDS), "--dir", folder, "--", exe], 6 * SECONDS)
        try:
            j = json.loads(out)
            return {"findings": j["findings"], "finals": None, **j["coverage"]["deep"]}
        except (ValueError, KeyError):
            raise Wrong("check --deep: status %s: %s" % (
                rc, err.strip() or out.strip()[:300])) from None

    def count(self, all_, deep):
        if not deep["complete"]:
            self.partly += 1
            for text in deep["limits"]:
                text = re.sub(r"\d+", "N", text.split(": ")[0])
                self.limits[text] = self.limits.get(text, 0) + 1
            return
        self.complete += 1
        self.runs.append(deep["runs"])
        self.schedules.append(int(all_["schedules"]))

    def difference(self, text, folder):
        exe, trace = self.build(text, folder), os.path.join(folder, "prog.trace")
        run([self.heddle, "record", "-o", trace, "--", exe], 5) # it may fail, or hang
        all_ = self.enumerated(exe, trace, "--all")
        deep = self.explored(exe, folder)
        self.count(all_, deep)
        if self.strict and not deep["complete"]:
            return "\n".join(re.sub(r"\d+", "N", "not complete: " + t) for t in deep["limits"])
        out = self.compared(text, all_, deep)
        if not out and hash_of(text) % 10 == 0: # it takes its time
            out = self.compared(text, all_, self.checked(exe, folder))
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

        return ["%d complete, %d not (%s)" % (self.complete, self.partly, "; ".join(
                    "%s: %d" % kv for kv in sorted(self.limits.items(), key=lambda kv: -kv[1]))),
                "runs: %d in all, %d in the middle, %d at most; interleavings: %s in all, %d in the "
                "middle, %s at most" % (
                    sum(self.runs), middle(self.runs), max(self.runs, default=0),
                    sum(self.schedules), middle(self.schedules), max(self.schedules, default=0))]


MODES = {c.mode: c for c in (Oracle, Branches, Chunks, Deep)}


def one(job):
    """The result of one program: (name, 'ok' | 'skip' | 'not ok', what, text)."""
    oracle, name, text, program, minimize = job
    try:
        wrong = oracle.try_text(text)
    except Skip as s:
        return name, "skip", str(s), text
    except OSError as e:
        return name, "not ok", str(e), text
    if not wrong:
        return name, "ok", "", text
    if minimize and program is not None:
        program, wrong = oracle.minimized(program, wrong)
        text = program.text()
    return name, "not ok", wrong, text


def jobs_of(o, oracle):
    if o.files:
        for path in o.files:
            with open(path) as f:
                yield oracle, path, f.read(), None, False
        return
    gen_mode = "branches" if o.mode == "chunks" else o.mode
    for seed in range(o.seed, o.seed + o.count):
        program = gen.generate(seed, gen_mode)
        yield oracle, "seed %d" % seed, program.text(), program, o.minimize


def main():
    ap = argparse.ArgumentParser(description=__doc__,
                                 formatter_class=argparse.RawDescriptionHelpFormatter)
    ap.add_argument("--build", required=True)
    ap.add_argument("--mode", choices=list(MODES), default="predict")
    ap.add_argument("--count", type=int, default=300)
    ap.add_argument("--seed", type=int, default=1)
    ap.add_argument("--jobs", type=int, default=2)
    ap.add_argument("--tap", action="store_true")
    ap.add_argument("--keep", metavar="DIR")
    ap.add_argument("--minimize", action="store_true")
    ap.add_argument("--only", help="these kinds, comma between them")
    ap.add_argument("--strict", action="store_true",
                    help="deep: what is not complete is a difference")
    ap.add_argument("files", nargs="*")
    o = ap.parse_args()
    oracle = MODES[o.mode](os.path.abspath(o.build), o.only and o.only.split(","))
    oracle.strict = o.strict
    counts, skipped, n = {"ok": 0, "skip": 0, "not ok": 0}, {}, 0
    if o.keep:
        os.makedirs(o.keep, exist_ok=True)
    with concurrent.futures.ThreadPoolExecutor(o.jobs) as pool:
        for name, verdict, what, text in pool.map(one, jobs_of(o, oracle)):
            n += 1
            counts[verdict] += 1
            if verdict == "skip":
                skipped[what.split(":")[0]] = skipped.get(what.split(":")[0], 0) + 1
            if verdict == "not ok" and o.keep:
                path = os.path.join(o.keep, name.replace(" ", "-") + ".c")
                with open(path, "w") as f:
                    f.write(text)
                name += " (" + path + ")"
            if o.tap or verdict == "not ok":
                print("%s %d - %s%s" % ("not ok" if verdict == "not ok" else "ok", n, name,
                                        " # SKIP " + what if verdict == "skip" else ""))
                if verdict == "not ok":
                    print("".join("# %s\n" % line for line in what.split("\n")), end="")
                    if not o.keep:
                        print("".join("# | %s\n" % line for line in text.split("\n")), end="")
                sys.stdout.flush()
    if o.tap:
        # a test that looks at nothing is none
        enough = counts["ok"] * 3 >= n
        n += 1
        print("%s %d - at least a third of the programs says something" %
              ("ok" if enough else "not ok", n))
        print("1..%d" % n)
        counts["not ok"] += not enough
    for line in oracle.summary():
        print("# " + line)
    print("# %d agree, %d differ, %d say nothing (%s)" % (
        counts["ok"], counts["not ok"], counts["skip"],
        ", ".join("%s: %d" % kv for kv in sorted(skipped.items()))))
    return 1 if counts["not ok"] else 0


if __name__ == "__main__":
    sys.exit(main())
