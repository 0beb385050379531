#!/usr/bin/env python3
"""`heddle explore` against the truth: random programs with inputs of few values (gen_explore.py), of
which every input times every schedule is run on the concrete machine (brute).

compare.py --build DIR [--mode single|sync|access] [--count N] [--seed N] [-j N] [--tap] [--keep DIR]
           [--minimize] [--self-test] [FILE.c ...]

An outcome is how a run ends: exit status and output, or kind and line of a fault, or a deadlock.
 - every path's test case has an input of the program, and an outcome that this input has
 - every outcome of some input and schedule is the outcome of some path, if explore says that it
   followed every path to its end
 - the paths that explore prints are as many as it counts
 - single: the inputs of the paths are different ones, each way through the program's branches that an
   input takes is that of some path's input, and no path is left out of the count: paths partition
   the inputs
What is reported of a program that explore does not follow to the end of every path must be true; the program does not
count as compared, and its reason is counted. harness/oracle.py says which programs are compared. Programs whose accesses
race are explored with --all-orders, unless schedules switch at accesses. Files given by name are compared
in place of random programs. With --keep, programs with a difference are kept in that folder, with --minimize reduced
to the statements that matter.
"""
import json
import os
import re
import sys

HERE = os.path.dirname(os.path.abspath(__file__))
sys.path[:0] = [HERE, os.path.join(HERE, "..")]
import gen_explore
from harness import oracle
from harness.oracle import SECONDS, Incomplete, Skip, Wrong, run

RUNS = 1500     # brute leaves states that it knows; explore, with --all-orders, does not
RUNS_RACY = 200


def bytes_of(value):
    """Bytes of a test case (docs/testcase.md), as hexadecimal digits."""
    if value is None:
        return None
    return value.encode().hex() if isinstance(value, str) else value["hex"]


def outcome_of(path):
    """(fate, status, kind, line, output) of a path of explore; None if it is of no interest."""
    test, end = path.get("test"), path["end"]
    if end == "exit":
        return ("exited", test["outcome"]["status"] & 0xff, "", 0,
                bytes_of(test["outcome"]["output"])) if test else None
    if end == "deadlock":
        return ("deadlock", 0, "", 0, "")
    if end == "fault" and path["kind"] != "race":
        return ("fault", 0, path["kind"], path["line"], "")
    return None


def input_of(path):
    for i in path["test"]["inputs"]:
        if i["name"] in ("object:in#1", "object:in"):
            return tuple(bytes.fromhex(bytes_of(i["bytes"])))
    return None


def shown(o):
    fate, status, kind, line, output = o
    if fate == "exited":
        return "exit %d, output '%s'" % (status, bytes.fromhex(output or "").decode(errors="replace"))
    return "%s at line %d" % (kind, line) if fate == "fault" else fate


class Explored(oracle.Oracle):
    name = "explore"

    def __init__(self, build, mode):
        super().__init__(build)
        self.brute = os.path.join(build, "tests/explore/brute")
        self.mode = mode
        self.complete = self.partly = self.paths = self.runs = 0

    def switches(self):
        return ["--switch", "access"] if self.mode == "access" else []

    def all_orders(self, text):
        return "; races" in text and self.mode != "access"

    def truth(self, text, words):
        """Outcomes by input, and the trace of each input."""
        limits = re.search(r"limits: ([\d ]*)", text)[1].split()
        runs = RUNS_RACY if self.all_orders(text) else RUNS
        rc, out, err = run([self.brute, "--runs", str(runs), *self.switches(), *oracle.twin_words(words), *limits],
                           3 * SECONDS)
        if rc == 3 or rc is None:
            raise Skip("more than %d concrete runs" % runs)
        if rc != 0:
            raise Wrong("brute: status %s: %s" % (rc, err.strip()))
        answer = json.loads(out)
        self.runs += answer["runs"]
        outcomes, traces = {}, {}
        for i in answer["inputs"]:
            if i["outcomes"]:
                outcomes[tuple(i["in"])] = {
                    (o["fate"], o["status"], o["kind"] if o["fate"] == "fault" else "", o["line"],
                     o["output"]) for o in i["outcomes"]}
                traces[tuple(i["in"])] = i["trace"]
        if any(o[0] == "stopped" for os_ in outcomes.values() for o in os_):
            raise Wrong("brute: the machine stops: " + "; ".join(sorted({
                shown(o) for os_ in outcomes.values() for o in os_ if o[0] == "stopped"})))
        return outcomes, traces

    def explored(self, text, words, folder):
        """The paths, and what is said at the end."""
        options = self.switches() + (["--all-orders"] if self.all_orders(text) else [])
        rc, out, err = run([self.heddle, "explore", "--json", "--no-replay", "--tests", "none",
                            "--seconds", str(SECONDS), "-o", os.path.join(folder, "out"), *options,
                            "--", *words], 3 * SECONDS)
        try:
            lines = [json.loads(line) for line in out.split("\n") if line]
            if rc not in (0, 3, 66) or "paths" not in lines[-1]:
                raise ValueError
        except (ValueError, IndexError):
            raise Wrong("explore: status %s: %s" % (rc, err.strip()[-500:] or out[-300:])) from None
        # an exploration that begins again numbers its paths from 1 again
        first = max((i for i, p in enumerate(lines[:-1]) if p["path"] == 1), default=0)
        return lines[first:-1], lines[-1]

    def difference(self, text, folder):
        """'' if both agree, else what is different; Skip if the program says nothing."""
        words = self.build(text, folder)
        want, traces = self.truth(text, words)
        paths, whole = self.explored(text, words, folder)
        self.paths += len(paths)
        got, inputs, out = {}, [], []
        for p in paths:
            o = outcome_of(p)
            if o is None:
                continue
            if not p.get("test"):
                got.setdefault(o, None)
                continue
            i = input_of(p)
            got.setdefault(o, i)
            inputs.append(i)
            if p["incomplete"]:
                continue
            if i not in want:
                out.append("not there: input %s of path %d" % (list(i or ()), p["path"]))
            elif o not in want[i]:
                out.append("not there: %s with input %s, which has %s" % (
                    shown(o), list(i), "; ".join(map(shown, sorted(want[i])))))
        if len(paths) != whole["paths"]:
            out.append("%d paths printed, %d counted" % (len(paths), whole["paths"]))
        if not whole["complete"]:
            self.partly += 1
            if not out:
                why = (list(whole["reasons"]) or [whole.get("stopped") or "no reason"])[0]
                raise Incomplete("explore is not complete: " + re.sub(r"\d+", "N", why.split("\n")[0]))
            return "\n".join(out)
        self.complete += 1
        every = set().union(*want.values()) if want else set()
        if "prints values" not in text:
            out += ["missed: %s, with input %s" % (
                shown(o), next(list(i) for i in want if o in want[i]))
                    for o in sorted(every - set(got))]
        if self.mode == "single":
            out += self.partition(want, traces, inputs)
        return "\n".join(out)

    def partition(self, want, traces, inputs):
        out = ["the same input twice: %s" % list(i) for i in sorted({
            i for i in inputs if i is not None and inputs.count(i) > 1})]
        ways = {traces[i] for i in inputs if i in traces}
        missed = {}
        for i in want:
            if traces[i] not in ways:
                missed.setdefault(traces[i], i)
        return out + ["missed: the way of input %s" % list(i) for i in sorted(missed.values())]

    def summary(self):
        return ["%d complete, %d not; %d paths, %d concrete runs" % (
            self.complete, self.partly, self.paths, self.runs)]


# ---- the oracle is able to fail ---------------------------------------------------------------

SAMPLE = """/* limits: 4 3; flags: -O1 */
#include <assert.h>
#include <unistd.h>
#include <heddle/heddle.h>
unsigned char in[2];
int main(void)
{
	heddle_input(in, sizeof in, "in");
	heddle_assume(in[0] < 4);
	heddle_assume(in[1] < 3);
	assert(in[0] != 2 || in[1] != 1);
	if (in[0] > in[1] && write(1, "g", 1) < 0)
		return 1;
	return in[0] == 3 ? 5 : 0;
}
"""


LOCKS = """/* limits: 2; flags: -O1 */
#include <pthread.h>
#include <heddle/heddle.h>
unsigned char in[1];
static pthread_mutex_t m = PTHREAD_MUTEX_INITIALIZER, n = PTHREAD_MUTEX_INITIALIZER;
static void *f(void *arg)
{
	pthread_mutex_lock(in[0] ? &m : &n);
	pthread_mutex_lock(in[0] ? &n : &m);
	pthread_mutex_unlock(&m);
	pthread_mutex_unlock(&n);
	return arg;
}
int main(void)
{
	pthread_t t;
	heddle_input(in, sizeof in, "in");
	heddle_assume(in[0] < 2);
	pthread_create(&t, NULL, f, NULL);
	pthread_mutex_lock(&n);
	pthread_mutex_lock(&m);
	pthread_mutex_unlock(&m);
	pthread_mutex_unlock(&n);
	pthread_join(t, NULL);
	return 0;
}
"""


def honest(paths):
    return paths


def forget(paths):
    return [p for p in paths if p["end"] != "fault"]


def misplace(paths):
    return [dict(p, line=p["line"] + 1) if p["end"] == "fault" else p for p in paths]


def invent(paths):
    p = json.loads(json.dumps(next(p for p in paths if p["end"] == "exit")))
    p["test"]["outcome"]["status"] = 77
    return paths + [p]


def stray(paths):
    p = json.loads(json.dumps(next(p for p in paths if p["end"] == "exit")))
    next(i for i in p["test"]["inputs"] if i["name"].startswith("object:in"))["bytes"] = {"hex": "0900"}
    return paths + [p]


def forget_deadlocks(paths):
    return [p for p in paths if p["end"] != "deadlock"]


def forget_way(paths):
    """Leaves out the path of the inputs with in[0] > in[1], whose outcome other inputs have."""
    return [p for p in paths if p["end"] != "exit" or input_of(p)[0] <= input_of(p)[1]]


def repeat(paths):
    return paths + [p for p in paths if p["end"] == "exit"][:1]


def self_test(build):
    """What explore says is falsified in one way each; the oracle must see it."""
    bad = 0
    lies = ((honest, ""), (forget, "missed: assert"), (misplace, "not there: assert"),
            (invent, "not there: exit 77"), (stray, "not there: input [9, 0]"),
            (repeat, "the same input twice"), (forget_way, "missed: the way of input"),
            (forget, "paths printed,"), (repeat, "paths printed,"),
            (honest, "", LOCKS), (forget_deadlocks, "missed: deadlock", LOCKS))
    print("1..%d" % len(lies))
    for n, (lie, want, *text) in enumerate(lies, 1):
        twin = Explored(build, "sync" if text else "single")
        answer = twin.explored
        twin.explored = lambda *a, l=lie, h=answer: (lambda r: (l(r[0]), r[1]))(h(*a))
        wrong = twin.try_text(text[0] if text else SAMPLE)
        ok = want in wrong if want else not wrong
        bad += not ok
        print("%s %d - %s" % ("ok" if ok else "not ok", n, want or "nothing"))
        if not ok:
            print("\n".join("# " + line for line in wrong.split("\n")))
    return 1 if bad else 0


def main():
    ap = oracle.arguments(__doc__)
    ap.add_argument("--mode", choices=list(gen_explore.MODES), default="single")
    ap.add_argument("--self-test", action="store_true")
    o = ap.parse_args()
    if o.self_test:
        return self_test(o.build)
    return oracle.compare_all(o, Explored(o.build, o.mode),
                              lambda seed: gen_explore.generate(seed, o.mode))


if __name__ == "__main__":
    sys.exit(main())
