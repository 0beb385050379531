#!/usr/bin/env python3
"""`heddle replay`, `heddle verify` and `heddle fuzz` from outside, on small programs whose failures are
known. Prints TAP.

usage: run.py HEDDLE HEDDLE_CC FLIPS [--part I/N | NAME...]     NAME: run only these tests
"""
import json
import os
import re
import shutil
import sys

sys.path.insert(0, os.path.join(os.path.dirname(os.path.abspath(__file__)), ".."))
from harness.command import Skip, Suite, execute, expect

SUITE = Suite(__file__, "replay", tools=3)
HEDDLE, CC, FLIPS = SUITE.tools
HERE, WORK, ENVIRONMENT, test = SUITE.here, SUITE.work, SUITE.environment, SUITE.test
ENVIRONMENT.update(HOME=WORK)
NONE = 0xffffffff
GOAL_NONE, GOAL_RACE = 0, 1


def run(*words, cwd=None, **kw):
    kw.setdefault("timeout", 180)
    return execute(words, cwd or BOX, ENVIRONMENT, **kw)


def heddle(*words, **kw):
    return run(HEDDLE, *words, **kw)


def path(*names):
    return os.path.join(BOX, *names)


def build(name, *flags, out=None):
    """A program of this folder, its source beside it."""
    shutil.copy(os.path.join(HERE, name + ".c"), BOX)
    r = run(CC, "-g", "-O1", "-pthread", *flags, name + ".c", "-o", out or name)
    expect(r.code == 0 and not r.err, r)
    return path(out or name)


def findings():
    """What is kept, by name."""
    import sqlite3
    db = sqlite3.connect(path(".heddle", "findings.db"))
    try:
        return {f"H{n}": json.loads(t) for n, t in db.execute("select number, finding from findings")}
    finally:
        db.close()


def place(function, line):
    return {"file": "lost.c", "function": function, "line": line, "column": 1}


def line_of(name, text):
    with open(os.path.join(HERE, name + ".c")) as f:
        for number, line in enumerate(f, 1):
            if text in line:
                return number
    raise AssertionError(f"no '{text}' in {name}.c")


def race_finding(exe, moves=None, at=(1, 0), **more):
    """The data race of lost.c: one thread before its write, the other before its read."""
    f = {
        "name": "H1", "kind": "race", "status": "predicted", "fingerprint": "0x1",
        "title": "data race on 'counter'", "summary": "lost.c in 'add'",
        "threads": [{"parent": None, "nth": None, "name": "main"},
                    {"parent": 0, "nth": 0, "name": "add"}, {"parent": 0, "nth": 1, "name": "add"}],
        "steps": [
            {"thread": 1, "key": True, "last": True, "point": at[0], "what": "writes counter = 1",
             "place": place("add", line_of("lost", "counter = seen")), "source": "counter = seen + 1;"},
            {"thread": 2, "key": True, "last": True, "point": at[1], "what": "reads counter = 0",
             "place": place("add", line_of("lost", "seen = counter")), "source": "seen = counter;"}],
        "notes": [],
        "moves": [{"thread": t, "until": u} for t, u in moves or [(0, 2), (1, at[0]), (2, at[1])]],
        "goal": GOAL_RACE, "a": 1, "b": 2, "at_a": at[0], "at_b": at[1],
        "switches": 2, "argv": ["./lost"], "exclude": [], "exe": exe, "cwd": BOX,
        "bitcode": more.pop("bitcode", "0x0"),
    }
    f.update(more)
    with open(path("finding.json"), "w") as out:
        json.dump(f, out)
    return path("finding.json")


# ---- replay ---------------------------------------------------------------------------------------

@test
def replay_shows_a_race():
    r = heddle("replay", race_finding(build("lost", "-DLOCKED=0")))
    expect(r.code == 66, r)
    expect("data race on 'counter'" in r.out and "seen again" in r.out, r)
    expect(r.out.index("counter ") < r.out.index("seen again"), r)
    expect("writes 4 bytes" in r.out and "reads 4 bytes" in r.out, r)


@test
def replay_is_not_fooled():
    """The same places, but one thread is through with its write: the accesses do not meet."""
    exe = build("lost", "-DLOCKED=0")
    r = heddle("replay", race_finding(exe, moves=[(0, 2), (1, 2), (2, 0)], at=(2, 0)))
    expect(r.code == 0 and "not seen" in r.out, r)


@test
def replay_hundred_times():
    f = race_finding(build("lost", "-DLOCKED=0"))
    r = heddle("replay", "--quiet", "--times", "100", f)
    expect(r.code == 66, r)
    expect("100 replays: 100 showed the failure, 0 diverged, 100 executed the same events" in r.out, r)


@test
def replay_quiet_says_nothing_of_the_program():
    r = heddle("replay", "-q", race_finding(build("lost", "-DLOCKED=0")))
    expect(r.code == 66 and not re.search(r"counter \d", r.out) and "Assertion" not in r.err, r)


@test
def replay_records():
    r = heddle("replay", "--trace", "run", race_finding(build("lost", "-DLOCKED=0")))
    expect(r.code == 66, r)
    r = heddle("trace", "--events", "--location", "counter", "run")
    expect("counter" in r.out, r)


@test
def replay_diverges():
    """A point that the thread never comes to."""
    exe = build("lost", "-DLOCKED=0")
    r = heddle("replay", race_finding(exe, moves=[(0, 2), (1, 40), (2, 0)], at=(40, 0)))
    expect(r.code == 3, r)
    expect("diverged at segment 2 of 3 of the schedule: thread 1 ('add')" in r.out and "it has ended;" in r.out, r)


@test
def replay_of_a_random_program():
    """No thread of moody has 600 points, so every replay diverges; its length is a random number."""
    exe = build("moody")
    f = race_finding(exe, moves=[(0, 2), (1, 600), (2, 0)], at=(600, 0), argv=["./moody"])
    r = heddle("replay", "--times", "12", f)
    expect(r.code == 3, r)
    expect("likely cause: random numbers ('getrandom')" in r.out, r)
    expect("12 diverged" in r.out and "12 executed the same events" not in r.out, r)


@test
def replay_after_a_rebuild_is_refused():
    exe = build("lost", "-DLOCKED=0")
    f = race_finding(exe, bitcode="0x77")
    r = heddle("replay", "-q", f)
    expect(r.code == 1 and not r.out and "built again" in r.err and "heddle verify" in r.err, r)
    r = heddle("replay", "-q", "--force", f)
    expect(r.code == 66 and "seen again" in r.out and "built again" not in r.err, r)


@test
def replay_shows_what_it_runs():
    exe = build("lost", "-DLOCKED=0")
    r = heddle("replay", "-q", race_finding(exe, argv=["other", "a b", "\x1b[2Jc"]))
    expect(f"note: runs in '{BOX}': {exe} 'a b' '\ufffd[2Jc'\n" in r.err, r)


@test
def replay_words():
    r = heddle("replay", "H1")
    expect(r.code == 1 and "no findings" in r.err, r)
    r = heddle("replay", "nothing.json")
    expect(r.code == 1 and "nothing.json" in r.err, r)
    r = heddle("replay", "H1", "H2")
    expect(r.code == 2 and "unexpected 'H2'" in r.err, r)
    r = heddle("replay")
    expect(r.code == 2, r)


@test
def replay_in_gdb():
    if not shutil.which("gdb"):
        raise Skip("no gdb")
    f = race_finding(build("lost", "-DLOCKED=0"))
    r = heddle("replay", "--gdb", f, "--", "-batch", "-ex", "heddle-where", "-ex", "heddle-next",
               "-ex", "heddle-where", "-ex", "heddle-next", "-ex", "heddle-where", "-ex",
               "heddle-next 100")
    expect("heddle: H1: data race on 'counter'" in r.out, r)
    expect("segment 2 of 3: thread 1 ('add') runs up to lost.c" in r.out, r)
    expect(re.search(r"thread 1 \('add'\) \(gdb thread \d+\) at lost.c:\d+ in 'add': "
                     r"counter = seen \+ 1;", r.out), r)
    expect("thread 2 ('add') continues at" in r.out, r)
    expect("the program has ended" in r.out or "all 3 segments of the schedule are done" in r.out, r)


@test
def replay_in_gdb_takes_arguments_as_data():
    """A newline in an argument does not end a command of gdb. The scripts are in TMPDIR."""
    if not shutil.which("gdb"):
        raise Skip("no gdb")
    with open(path("args.c"), "w") as f:
        f.write('#include <stdio.h>\nint main(int n, char **v)\n{\n\tfor (int i = 1; i < n; i++)\n'
                '\t\tprintf("<%s>", v[i]);\n\tputs("");\n}\n')
    r = run(CC, "-g", "args.c", "-o", "args")
    expect(r.code == 0, r)
    words = ["a\nshell touch owned\n", "it's \"$HOME\" `x` \\", "", "*"]
    f = race_finding(path("args"), moves=[(0, 0)], argv=["./args", *words])
    os.mkdir(path("my tmp"))
    ENVIRONMENT["TMPDIR"] = path("my tmp")
    try:
        r = heddle("replay", "--gdb", f, "--", "-batch", "-ex", "show exec-wrapper", "-ex", "heddle-next 100")
    finally:
        del ENVIRONMENT["TMPDIR"]
    expect("".join(f"<{w}>" for w in words) in r.out, r)
    expect(not os.path.exists(path("owned")), "a command of gdb was executed")
    expect("my tmp/heddle-gdb-" in r.out and os.listdir(path("my tmp")) == [], r)


@test
def replay_that_cannot_be_recorded():
    r = heddle("replay", "--trace", "/proc/nothing/run", race_finding(build("lost", "-DLOCKED=0")))
    expect(r.code == 1 and "/proc/nothing/run" in r.err, r)


# ---- flips ----------------------------------------------------------------------------------------

def flips(*words, recorded=True):
    """Lines of flips.c. The first run is recorded in the recording image, or in the enforcing one."""
    exe = build("decide")
    shutil.rmtree(path("scratch"), ignore_errors=True)
    os.mkdir(path("scratch"))
    if recorded:
        r = heddle("record", "-o", path("scratch", "recorded"), "--", exe, *words)
        expect(not r.err.count("error"), r)
    r = run(FLIPS, exe, path("scratch"), *words)
    expect(r.code == 0 and "wrong" not in r.out and not r.err, r)
    return r.out.splitlines()


def both(lines):
    """It shows in some schedules, and in others not."""
    expect(any(s.startswith("confirmed unclear") for s in lines), lines)
    expect(any("the branch had its recorded outcome" in s for s in lines), lines)


def make_flip_test(kind, by):
    def f():
        for recorded in True, False:
            lines = flips(kind, recorded=recorded)
            expect(re.fullmatch("decides by " + by, lines[0]), lines)
            both(lines)
    f.__name__ = "flip_of_" + kind
    return f


for kind, by in (("if", "a value"), ("switch", "a value"), ("pointer", r"global \d+\+0"),
                 ("heap", r"block 0 of main\.0\+0"), ("index", r"global \d+\+12"),
                 ("try", "a value")):
    test(make_flip_test(kind, by))


@test
def flip_of_a_divisor():
    """Another divisor is no other decision unless it is zero."""
    lines = flips("divisor")
    expect(all("the branch had its recorded outcome" in s for s in lines[1:]), lines)
    lines = flips("zero")
    expect(any(s.startswith("confirmed bug: thread 2 executed the branch with another outcome: 0, not 3; then the program was "
                            "killed by SIGFPE") for s in lines), lines)


@test
def flip_that_fails():
    for then, words in (("assert", "Assertion `result > 1000' failed"), ("crash", "SIGSEGV in thread 2"),
                        ("deadlock", "threads waiting")):
        lines = [s for s in flips("switch", then) if s.startswith("confirmed")]
        expect(lines, then)
        for s in lines:
            expect(s.startswith("confirmed bug: thread 2 executed the branch with another outcome: 0, not 3; then the program")
                   and words in s, s)


# ---- fuzz -----------------------------------------------------------------------------------------

@test
def fuzz_finds_a_lost_update():
    build("lost", "-DLOCKED=0")
    r = heddle("fuzz", "--runs", "200", "--", "./lost")
    expect(r.code == 66, r)
    expect("H1: assertion 'counter == 2' fails" in r.out and "1 failure" in r.out, r)
    expect(re.search(r"200 runs in .* s \(\d+ a second\), \d+ different schedules", r.out), r)
    f = findings()["H1"]
    expect(f["kind"] == "assert" and f["status"] == "confirmed", f)
    expect(len(f["moves"]) <= 6, f["moves"])
    r = heddle("replay", "H1")
    expect(r.code == 66 and "counter 1" in r.out and "Assertion" in r.err + r.out, r)


@test
def fuzz_is_the_same_with_the_same_seed():
    build("lost", "-DLOCKED=0")
    r = heddle("fuzz", "--json", "--runs", "200", "--", "./lost")
    first = json.loads(r.out)
    expect(r.code == 66 and first["runs"] == 200 and first["schedules"] > 10, r)
    seed = first["failures"][0]["seed"]
    r = heddle("fuzz", "--json", "--runs", "1", "--seed", str(seed), "--", "./lost")
    again = json.loads(r.out)
    expect(len(again["failures"]) == 1 and again["failures"][0]["name"] == "H1", r)
    expect(len(findings()) == 1, findings().keys())


@test
def fuzz_finds_nothing_where_nothing_is():
    build("lost", "-DLOCKED=1")
    r = heddle("fuzz", "--runs", "200", "--", "./lost")
    expect(r.code == 0 and "0 failures" in r.out, r)


@test
def fuzz_finds_a_deadlock():
    build("cycle", "-DSAME_ORDER=0")
    r = heddle("fuzz", "--runs", "200", "--", "./cycle")
    expect(r.code == 66 and "deadlock" in r.out, r)
    f = findings()["H1"]
    expect(f["status"] == "confirmed", f)
    lines = {s["source"] for s in f["steps"] if s.get("key")}
    expect("pthread_mutex_lock(&right);" in lines and "pthread_mutex_lock(&left);" in lines, f["steps"])
    r = heddle("replay", "H1")
    expect(r.code == 66 and "waits at cycle.c" in r.out, r)


@test
def a_slow_run_is_no_confirmed_hang():
    build("slow")
    r = heddle("fuzz", "--runs", "1", "--timeout", "1", "--", "./slow")
    expect(r.code == 3 and "hang" in r.out and "confirmed" not in r.out, r)
    expect("seen once" in r.out and "heddle replay" not in r.err, r)
    expect(findings()["H1"]["status"] == "observed", findings())


@test
def fuzz_by_priorities():
    build("lost", "-DLOCKED=0")
    r = heddle("fuzz", "--pct", "2", "--runs", "300", "--", "./lost")
    expect(r.code == 66 and "assertion 'counter == 2' fails" in r.out, r)


@test
def fuzz_gives_every_run_the_same_input():
    build("filter")
    r = heddle("fuzz", "--runs", "50", "--", "./filter", "fail", input="one\ntwo\n")
    expect(r.code == 66, r)
    f = findings()["H1"]
    expect(os.path.dirname(f["input"]) == os.path.realpath(path(".heddle", "inputs")), f["input"])
    r = heddle("replay", "H1")
    expect(r.code == 66, r)
    r = heddle("fuzz", "--runs", "50", "--", "./filter", "fail", input="one\n")
    expect(r.code == 0, r)


@test
def fuzz_words():
    r = heddle("fuzz", "--", "./nothing")
    expect(r.code == 1 and "nothing" in r.err, r)
    r = heddle("fuzz", "--", "/bin/true")
    expect(r.code == 1 and "heddle-cc" in r.err, r)
    r = heddle("fuzz", "--pct", "0", "--", "./nothing")
    expect(r.code == 2, r)


# ---- verify ---------------------------------------------------------------------------------------

@test
def verify_of_the_same_program():
    build("lost", "-DLOCKED=0")
    heddle("fuzz", "--runs", "200", "--", "./lost")
    r = heddle("verify", "H1")
    expect(r.code == 66 and "still fails" in r.out and "has not changed since" in r.err, r)


@test
def verify_of_a_fix():
    """The lock is in the way of the step that came between."""
    race_finding(build("lost", "-DLOCKED=0"), moves=[(0, 2), (1, 1), (2, 1)], at=(1, 1))
    build("lost", "-DLOCKED=1")
    r = heddle("verify", "--seconds", "2", "finding.json")
    expect(r.code == 0, r)
    expect(re.search(r"blocked at segment 3 of 3 of the schedule by '&?lock': thread 2 \('add'\) waits at lost.c:\d+ in "
                     r"'add', held by thread 1 \('add'\)", r.out), r)
    expect(re.search(r"\d+ runs without and with random schedules: none failed", r.out), r)


@test
def verify_of_predictions():
    """What was predicted from a passing run, against the fix."""
    build("lost", "-DLOCKED=0")
    r = heddle("check", "--", "./lost")
    expect(r.code == 66, r)
    names = {f["kind"]: n for n, f in findings().items()}
    expect({"race", "assert"} <= set(names), names)
    build("lost", "-DLOCKED=1")
    for kind in "race", "assert":
        r = heddle("verify", "--seconds", "1", names[kind])
        expect(r.code == 0 and re.search(r"blocked at segment \d+ of \d+ of the schedule by '&?lock': ", r.out), r)


@test
def verify_of_a_change_that_is_no_fix():
    """Lines have moved, and something is done before: the places are found again."""
    exe = build("lost", "-DLOCKED=0")
    race_finding(exe)
    with open(path("lost.c")) as f:
        text = f.read()
    text = text.replace("static int counter;", "static int counter, calls;\n\n/* more lines */\n")
    text = text.replace("\tint seen;\n", "\tint seen;\n\n\tcalls = calls + 1;\n\tcalls = calls + 1;\n")
    with open(path("lost.c"), "w") as f:
        f.write(text)
    r = run(CC, "-g", "-O1", "-pthread", "-DLOCKED=0", "lost.c", "-o", "lost")
    expect(r.code == 0, r)
    r = heddle("verify", "--seconds", "1", "finding.json")
    expect(r.code == 66 and "still fails: both accesses" in r.out and "under the schedule of the finding" in r.out, r)


@test
def verify_of_a_place_that_is_gone():
    exe = build("lost", "-DLOCKED=0")
    race_finding(exe)
    with open(path("lost.c")) as f:
        text = f.read()
    text = text.replace("\tseen = counter;\n\tcounter = seen + 1;\n", "\tseen = 0;\n\t(void)seen;\n")
    text = text.replace("assert(counter == 2);", "")
    with open(path("lost.c"), "w") as f:
        f.write(text)
    r = run(CC, "-g", "-O1", "-pthread", "-DLOCKED=0", "lost.c", "-o", "lost")
    expect(r.code == 0, r)
    r = heddle("verify", "--seconds", "1", "finding.json")
    expect(r.code == 3 and "not reached: segment 2 of 3" in r.out, r)


@test
def verify_by_random_schedules():
    """A fix leaves nothing to find; a program without the witness's functions still fails at random."""
    build("cycle", "-DSAME_ORDER=0")
    r = heddle("fuzz", "--runs", "200", "--", "./cycle")
    expect(r.code == 66, r)
    build("cycle", "-DSAME_ORDER=1")
    r = heddle("verify", "--seconds", "2", "H1")
    expect(r.code == 0 and "the program exited with" in r.out and "none failed" in r.out, r)
    build("cycle_moved")
    os.rename(path("cycle_moved"), path("cycle"))
    r = heddle("verify", "--seconds", "5", "H1")
    expect(r.code == 66 and "still fails" in r.out and "under a random schedule" in r.out, r)


@test
def verify_after_an_unrelated_change():
    build("cycle", "-DSAME_ORDER=0")
    r = heddle("fuzz", "--runs", "200", "--", "./cycle")
    expect(r.code == 66, r)
    with open(path("cycle.c"), "a") as f:
        f.write("\nint more(void)\n{\n\treturn 1;\n}\n")
    r = run(CC, "-g", "-O1", "-pthread", "-DSAME_ORDER=0", "cycle.c", "-o", "cycle")
    expect(r.code == 0, r)
    r = heddle("verify", "--seconds", "5", "H1")
    expect(r.code == 66 and "still fails" in r.out and "under the schedule of the finding" in r.out, r)


# ---- running them ---------------------------------------------------------------------------------

def enter(folder):
    global BOX
    BOX = folder


sys.exit(SUITE.main(enter))
