#!/usr/bin/env python3
"""`heddle explore` from outside: searches, budgets, orders, what it writes, going on with --resume, signals,
exit codes, bad input. Prints TAP.

usage: run_explore_cli.py HEDDLE HEDDLE_CC [--part I/N | NAME...]     NAME: run only these tests
"""
import collections
import json
import os
import pty
import re
import select
import shutil
import signal
import subprocess
import sys
import time

sys.path.insert(0, os.path.join(os.path.dirname(os.path.abspath(__file__)), ".."))
from harness.command import Result as Finished, Suite, execute, expect
from harness.program import INCLUDE

SUITE = Suite(__file__, "explore")
HEDDLE, CC = SUITE.tools
HERE, WORK, ENVIRONMENT, test = SUITE.here, SUITE.work, SUITE.environment, SUITE.test
BOX = WORK
DIR = os.path.join(".heddle", "explore")


class Result(Finished):
    def lines(self):
        return [json.loads(line) for line in self.out.splitlines()]

    def whole(self):
        return self.lines()[-1]

    def ends(self):
        """How often paths end in each way, with what is known of their input."""
        return collections.Counter((p["end"], p["kind"], p["line"], p["test"]["outcome"]["status"])
                                   for p in self.lines()[:-1])

    def kinds(self):
        return {(p["kind"], p["line"]) for p in self.lines()[:-1] if p["end"] in ("fault", "deadlock")}


def run(*words, env=None):
    return execute(words, BOX, {**ENVIRONMENT, **(env or {})}, Result, timeout=60)


def program(name):
    """A program of this folder, built once."""
    return SUITE.program(name, "-I", INCLUDE)


def explore(name, *options, args=(), **kw):
    return run(HEDDLE, "explore", *options, "--", program(name), *args, **kw)


def quick(name, *options, **kw):
    """As JSON, and nothing is run on the real program."""
    return explore(name, "--json", "--no-replay", *options, **kw)


def written(ending=".json"):
    folder = os.path.join(BOX, DIR)
    return sorted(f for f in os.listdir(folder) if f.endswith(ending) and f != "frontier.json")


def frontier():
    return os.path.join(BOX, DIR, "frontier.json")


def line_of(name, text):
    with open(os.path.join(HERE, name + ".c")) as f:
        return next(n for n, line in enumerate(f, 1) if text in line)


# ---- searches ------------------------------------------------------------------------------------

@test
def every_search_sees_the_same():
    for name in "ways", "orders", "bytes":
        first = quick(name, "--search=dfs", "--no-merge")
        expect(first.whole()["complete"] and len(first.lines()) > 10, first)
        for search in ["dfs"], ["cover"], ["bfs"], ["random", "--seed=1"], ["random", "--seed=2"]:
            r = quick(name, "--no-merge", "--search=" + search[0], *search[1:])
            expect(r.ends() == first.ends() and r.code == first.code, f"{name} {search}: {r.ends()}")
            expect(r.whole()["complete"], r)
            r = quick(name, "--search=" + search[0], *search[1:])  # merged: the same ends, each at least once
            expect(set(r.ends()) == set(first.ends()) and r.code == first.code, f"{name} {search}: {r.ends()}")
            expect(r.whole()["complete"] and r.whole()["paths"] <= first.whole()["paths"], r)


@test
def all_that_fails_is_found():
    r = quick("ways")
    expect(r.kinds() == {("assert", line_of("ways", "assert(b")),
                         ("division", line_of("ways", "10 /"))}, r.kinds())
    expect({p["test"]["outcome"]["status"] for p in r.lines()[:-1] if p["end"] == "exit"} >= set(range(5)), r)
    r = quick("orders")
    expect({k for k, _ in r.kinds()} == {"assert", "deadlock"}, r.kinds())


@test
def all_orders_fail_as_fewer_do():
    few, all_of_them = quick("pair"), quick("pair", "--all-orders")
    kinds = [{kind for kind, _ in r.kinds()} for r in (few, all_of_them)]  # of a deadlock, who is last differs
    expect(kinds[0] == kinds[1] == {"assert", "deadlock"}, kinds)
    expect(few.whole()["paths"] < all_of_them.whole()["paths"], all_of_them)
    expect(all_of_them.whole()["complete"], all_of_them)


@test
def preemptions_bound_the_orders():
    counts = []
    for n in "1", "2", "30":
        whole = quick("pair", "--all-orders", "--preemptions=" + n).whole()
        counts.append(whole["paths"])
        expect(whole["complete"] == (n == "30") and ("--preemptions" in str(whole["reasons"])) == (n != "30"), whole)
    r = explore("mutual", "--preemptions=1")
    expect(r.code == 3 and "--preemptions" in r.out, r)
    expect(explore("mutual").code == 0, "mutual")
    expect(counts[0] < counts[1] < counts[2], counts)
    expect(counts[2] == quick("pair", "--all-orders").whole()["paths"], counts)


# ---- budgets -------------------------------------------------------------------------------------

def cut(r, why, code=3):
    whole = r.whole()
    expect(not whole["complete"] and r.code == code, r)
    expect(why in json.dumps([whole["stopped"], whole["reasons"]]), r)
    return whole


@test
def paths_are_counted():
    whole = cut(quick("bytes", "--max-paths=5"), "--max-paths")
    expect(whole["paths"] == 5 and os.path.exists(frontier()), whole)


@test
def a_path_can_be_too_deep():
    r = quick("bytes", "--max-depth=2")
    whole = cut(r, "--max-depth")
    expect(whole["ends"]["budget"] > 0 and not os.path.exists(frontier()), whole)
    expect(max(p["depth"] for p in r.lines()[:-1]) <= 3, r)
    expect(quick("bytes", "--max-depth=20").whole()["complete"], "20 is enough")


@test
def a_path_can_have_too_many_branches():
    expect(cut(quick("bytes", "--max-branches=3"), "branches")["ends"]["budget"] > 0, "no end")


@test
def a_path_can_be_too_long():
    whole = cut(quick("long", "--max-instructions=100000"), "--max-instructions")
    expect(whole["ends"] == {**whole["ends"], "budget": 1, "exit": 1}, whole)
    expect(quick("long").whole()["complete"], "the default is enough")


@test
def the_time_can_be_used_up():
    cut(quick("many", "--sym=stdin:40", "--seconds=1", "--tests=none"), "--seconds")


@test
def states_without_memory_are_found_again():
    """What is held does not fit into the smallest budget."""
    for name in "large", "threads":
        free = quick(name, "--search=bfs", "--tests=none")
        tight = quick(name, "--search=bfs", "--tests=none", "--max-memory=1M")
        expect(free.whole()["most_bytes"] > 1.5e6, f"{name}: only {free.whole()['most_bytes']} bytes")
        expect(tight.whole()["instructions"] > free.whole()["instructions"], f"{name}: nothing was dropped")
        expect(tight.ends() == free.ends() and tight.whole()["complete"], f"{name}: {tight}")


# ---- going on --------------------------------------------------------------------------------------

def totals(r):
    whole = r.whole()
    return {k: whole[k] for k in ("paths", "ends", "complete", "incomplete", "lines_hit", "branches_hit")}


def go_on(name, *options, step):
    """In pieces of so many paths; the ends of all of them, and the last piece."""
    ends = collections.Counter()
    for i in range(100):
        r = quick(name, f"--max-paths={step}", *options, *["--resume"] * (i > 0))
        ends += r.ends()
        if not os.path.exists(frontier()):
            expect(i > 1, f"{name}: not in pieces")
            return ends, r
        expect(r.whole()["stopped"] and not r.whole()["complete"], r)
    raise AssertionError("it does not come to an end")


@test
def in_pieces_it_is_the_same():
    for name, options in ("ways", []), ("bytes", []), ("orders", ["--no-merge"]), \
            ("orders", ["--no-merge", "--search=dfs"]), ("pair", ["--all-orders"]), \
            ("racy", ["--no-merge", "--switch=access"]):
        once = quick(name, *options)
        files = len(written())
        ends, last = go_on(name, *options, step=max(2, once.whole()["paths"] // 4))
        expect(totals(last) == totals(once) and last.code == once.code,
               f"{name} {options}: {totals(last)} instead of {totals(once)}")
        expect(ends == once.ends(), f"{name} {options}: {ends} instead of {once.ends()}")
        expect(len(written()) == files, f"{name}: {written()}")


@test
def findings_are_told_again_at_the_end():
    """A finding of the first piece makes the exit code of the last."""
    r = quick("orders", "--no-merge", "--search=dfs", "--max-paths=30")
    expect(r.code == 3 and r.kinds() and os.path.exists(frontier()), r)
    r = explore("orders", "--resume")
    expect(r.code == 66 and r.out.count(", confirmed by replay)") == 2, r)
    expect("every path was executed to its end" in r.out, r)


@test
def a_resumed_one_that_is_killed_can_be_resumed():
    once = quick("orders", "--no-merge")
    r = quick("orders", "--no-merge", "--max-paths=5")
    with open(frontier()) as f:
        before = f.read()
    p = subprocess.Popen([HEDDLE, "explore", "--resume", "--no-replay", "--json", "--", program("orders")],
                         cwd=BOX, env=ENVIRONMENT, stdin=subprocess.DEVNULL, stdout=subprocess.PIPE, text=True)
    p.stdout.readline()
    p.kill()
    p.communicate(timeout=30)
    if os.path.exists(frontier()):  # else it was done before
        with open(frontier()) as f:
            expect(f.read() == before, "the frontier has changed")
        last = quick("orders", "--resume")
        expect(totals(last) == totals(once), f"{totals(last)} instead of {totals(once)}")


@test
def another_environment_is_no_harm():
    once = quick("orders")
    quick("orders", "--max-paths=5")
    r = quick("orders", "--resume", env={"SOMETHING": "x" * 100})
    expect(r.whole()["complete"] and r.code == 3 and r.kinds() == once.kinds(), r)


@test
def what_cannot_be_resumed_is_refused():
    r = explore("ways", "--resume")
    expect(r.code == 1 and "nothing to resume" in r.err, r)
    quick("bytes", "--max-paths=5")
    r = explore("ways", "--resume")
    expect(r.code == 1 and "another program" in r.err, r)
    for other in ["--switch=access"], ["--sym=stdin:1"], ["--no-summaries"], ["--stub=nobody=1"]:
        r = explore("bytes", "--resume", *other)
        expect(r.code == 1 and "other inputs" in r.err, f"{other}: {r}")
    with open(frontier(), "r+") as f:
        f.truncate(100)
    r = explore("bytes", "--resume")
    expect(r.code == 1 and "frontier.json" in r.err and "start again" in r.err, r)


# ---- signals -----------------------------------------------------------------------------------------

@test
def ctrl_c_ends_it_in_good_order():
    p = subprocess.Popen([HEDDLE, "explore", "--sym=stdin:40", "--no-replay", "--", program("many")],
                         cwd=BOX, env=ENVIRONMENT, stdin=subprocess.DEVNULL, stdout=subprocess.PIPE,
                         stderr=subprocess.PIPE, text=True)
    seen = ""
    while "heddle test" not in seen:  # it has found something
        line = p.stdout.readline()
        expect(line, "it ended by itself")
        seen += line
    p.send_signal(signal.SIGINT)
    out, err = p.communicate(timeout=30)
    expect(p.returncode == 3 and "interrupted; " in out and "--resume" in out, (p.returncode, seen + out + err))
    expect(os.path.exists(frontier()) and written("assert.json"), written())
    r = quick("many", "--sym=stdin:40", "--resume", "--max-paths=3", "--tests=none")
    expect(len(r.lines()) == 4 and r.whole()["paths"] > 3 and r.code == 3, r)


# ---- what is written ---------------------------------------------------------------------------------

@test
def the_text_says_what_the_lines_say():
    r, j = explore("ways", "--stats"), explore("ways", "--json")
    whole = j.whole()
    expect(r.code == j.code == 66, (r, j))
    expect(f"{whole['paths']} paths: {whole['ends']['exit']} exit, {whole['ends']['fault']} fault" in r.out, r)
    expect("every path was executed to its end" in r.out and whole["complete"], r)
    expect(f"{whole['lines_hit']} of {whole['lines']} lines" in r.out, r)
    expect(re.search(r"\d instructions .*million/s.* \d+ forks", r.out) and " queries: " in r.out, r)
    expect(" queries: " not in explore("ways").out, "statistics without --stats")
    for p in j.lines()[:-1]:
        expect(os.path.exists(os.path.join(BOX, p["test_file"])), p)
        with open(os.path.join(BOX, p["test_file"])) as f:
            expect(json.load(f) == p["test"], p["test_file"])


@test
def tests_are_written_as_wanted():
    n = quick("ways").whole()["paths"]
    expect(len(written()) == n, written())
    quick("ways", "--tests=failing")
    expect(sorted(f[7:-5] for f in written()) == ["assert", "division"], written())
    quick("ways", "--tests=none")
    expect(written() == [], written())
    quick("ways", "-o", "deep/down")
    expect(len(os.listdir(os.path.join(BOX, "deep/down"))) == n, "-o")


@test
def the_tests_of_all_paths_do_what_they_say():
    quick("ways")
    r = run(HEDDLE, "test", *(os.path.join(DIR, f) for f in written()))
    expect(r.code == 66 and r.out.count(": same: ") == len(written()), r)


@test
def only_its_own_files_are_cleared_away():
    quick("bytes")
    with open(os.path.join(BOX, DIR, "notes.json"), "w") as f:
        f.write("{}")
    quick("ways", "--tests=none")
    expect(written() == ["notes.json"], written())
    quick("ways")
    n = len(written())
    for bad in ["./nowhere"], ["--from=nowhere@T0", program("ways")]:
        expect(run(HEDDLE, "explore", *bad).code != 0, bad)
        expect(len(written()) == n, f"{bad}: the tests are gone")


@test
def coverage_is_for_lcov():
    r = quick("ways", "--lcov=out.info")
    with open(os.path.join(BOX, "out.info")) as f:
        lines = f.read().split("\n")
    expect(any(x.startswith("SF:") and x.endswith("ways.c") for x in lines) and lines[-2] == "end_of_record", lines)
    known = re.compile(r"TN:|SF:.+|FN:\d+,|FNDA:\d+,|FN[FH]:\d+$|DA:\d+,\d+$|BRDA:\d+,\d+,\d+,(\d+|-)$|"
                       r"BR[FH]:\d+$|L[FH]:\d+$|end_of_record$|$")
    expect(all(known.match(x) for x in lines), [x for x in lines if not known.match(x)])
    hit = [x for x in lines if x.startswith("DA:") and not x.endswith(",0")]
    expect(f"LH:{len(hit)}" in lines and len(hit) == r.whole()["lines_hit"], lines)
    r = quick("ways", "--lcov=nowhere/out.info")
    expect(r.code == 1 and "nowhere/out.info" in r.err, r)


def balanced(text):
    depth = 0
    for c in re.sub(r"\|[^|]*\||;[^\n]*|\"[^\"]*\"", "", text):
        depth += (c == "(") - (c == ")")
        if depth < 0:
            return False
    return depth == 0


@test
def questions_can_be_written_down():
    quick("product", "--dump-smt=smt")
    folder = os.path.join(BOX, "smt")
    files = sorted(os.listdir(folder))
    expect(files, "no file")
    z3 = shutil.which("z3")
    for name in files:
        with open(os.path.join(folder, name)) as f:
            text = f.read()
        expect("(assert " in text and "(check-sat)" in text and balanced(text), f"{name}: {text}")
        if z3:
            r = run(z3, os.path.join(folder, name))
            expect(r.out.split("\n")[0] in ("sat", "unsat"), f"{name}: {r}\n{text}")


@test
def findings_are_confirmed_unless_not_wanted():
    r = explore("ways")
    expect(r.code == 66 and r.out.count(", confirmed by replay)") == 2, r)
    expect("heddle: 2 findings: 2 confirmed by replay\n  no other failure" in r.out, r)
    r = explore("ways", "--no-replay")
    expect("heddle: 2 findings: 2 not shown by the real program\n" in r.out, r)
    expect(r.code == 3 and r.out.count(", predicted)") == 2 and "confirmed" not in r.out, r)
    r = explore("ways", "--from=main@T0")
    expect(r.code == 3 and ", predicted)" in r.out and "confirmed" not in r.out, r)


@test
def a_fault_that_the_program_does_not_show_is_machine_only():
    """It is not confirmed: exit code 3."""
    r = explore("beyond", "--sym", "stdin:1")
    expect(r.code == 3 and "WARNING: heddle: stack buffer overflow at " in r.out, r)
    expect("(H1, machine only)" in r.out and "seen on heddle's machine" in r.out, r)
    expect("confirmed" not in r.out, r)
    r = run(HEDDLE, "replay", "-q", "H1")
    expect(r.code == 3 and "machine only: exited with " in r.out, r)
    file = os.path.join(DIR, written("-stack-buffer-overflow.json")[0])
    r = run(HEDDLE, "test", file)
    expect(r.code == 3 and ": machine only: exited with " in r.out, r)
    r = run(HEDDLE, "test", "--expect", file)
    expect(r.code == 0, r)


@test
def a_finding_is_kept_replayed_and_verified_by_its_name():
    r = explore("ways", "--json")
    findings = r.whole()["findings"]
    expect(r.code == 66 and sorted(f["name"] for f in findings) == ["H1", "H2"], findings)
    expect(all(f["status"] == "confirmed" for f in findings), findings)
    for f in findings:
        r = run(HEDDLE, "replay", f["name"])
        expect(r.code == 66 and f"{f['name']}: {f['title']}" in r.out and "seen again: " in r.out, r)
        r = run(HEDDLE, "verify", f["name"])
        expect(r.code == 66 and "still fails: " in r.out, r)
    again = explore("ways", "--json").whole()["findings"]
    expect(sorted(f["name"] for f in again) == ["H1", "H2"], again)


@test
def a_finding_is_replayed_often_recorded_and_debugged():
    """With its inputs, under the schedule of its rehearsal; without a stored schedule it is rehearsed anew."""
    for options in [], ["--no-replay"]:
        shutil.rmtree(os.path.join(BOX, ".heddle"), ignore_errors=True)
        f = next(f for f in explore("orders", "--json", *options).whole()["findings"] if f["kind"] == "assert")
        expect(bool(f["moves"]) == (not options) and bool(f["threads"]) == (not options), f)
        r = run(HEDDLE, "replay", "--quiet", "--times", "5", f["name"])
        expect(r.code == 66 and "5 replays: 5 showed the failure, 0 diverged, 5 executed the same events" in r.out, r)
        shutil.rmtree(os.path.join(BOX, "run"), ignore_errors=True)
        r = run(HEDDLE, "replay", "--trace", "run", f["name"])
        expect(r.code == 66 and "seen again: " in r.out, r)
        r = run(HEDDLE, "trace", "run")
        expect(r.code == 0 and "thread" in r.out, r)
        if shutil.which("gdb"):
            r = run(HEDDLE, "replay", "--gdb", f["name"], "--", "-batch", "-ex", "heddle-where", "-ex",
                    "heddle-next 1000")
            expect(f"heddle: {f['name']}: {f['title']}" in r.out and "Assertion" in r.out + r.err, r)
            expect(re.search(r"segment \d+ of \d+: .* orders.c:\d+", r.out), r)


@test
def a_finding_of_a_mended_program_is_not_seen():
    out = os.path.join(WORK, "mended")
    source = os.path.join(HERE, "ways.c")
    for flags, code, words in ([], 66, "still fails: "), (["-DNDEBUG"], 0, "not seen: "):
        r = run(CC, "-g", "-O1", "-pthread", "-I", INCLUDE, *flags, source, "-o", out)
        expect(r.code == 0, r)
        if not flags:
            findings = run(HEDDLE, "explore", "--json", "--", out).whole()["findings"]
            name = next(f["name"] for f in findings if f["kind"] == "assert")
        r = run(HEDDLE, "verify", name)
        expect(r.code == code and words in r.out, r)


def on_terminal(*words, seconds):
    """What comes to a terminal that is standard error."""
    master, slave = pty.openpty()
    p = subprocess.Popen(words, cwd=BOX, env={**ENVIRONMENT, "TERM": "xterm"}, stdin=subprocess.DEVNULL,
                         stdout=subprocess.PIPE, stderr=slave)
    os.close(slave)
    shown, until = b"", time.monotonic() + seconds
    while time.monotonic() < until:
        if select.select([master], [], [], 0.2)[0]:
            try:
                shown += os.read(master, 65536)
            except OSError:  # nobody has it open any more
                break
    p.communicate(timeout=30)
    os.close(master)
    return shown.decode(errors="replace")


@test
def progress_is_for_terminals():
    words = HEDDLE, "explore", "--sym=stdin:40", "--seconds=2", "--tests=none", "--no-replay", "--", program("many")
    shown = on_terminal(*words, seconds=20)
    expect(re.search(r"\r\x1b\[K\d+ s: \d+ paths, \d+ states, \d+ queries, \d+% solver, \d+ of \d+ lines", shown),
           repr(shown))
    expect(shown.endswith("\r\x1b[K"), f"the line stays: {shown[-50:]!r}")
    r = run(*words)
    expect(r.err == "" and "\r" not in r.out, r)


# ---- exit codes and bad input --------------------------------------------------------------------------

@test
def nothing_found_is_said():
    r = explore("fine", "--sym=argv[1]:3")
    expect(r.code == 0 and "every path was executed to its end" in r.out, r)
    expect("heddle: no failure in any schedule of any symbolic input\n" in r.out, r)
    expect("data races" not in r.out and "timeouts" not in r.out, r)


@test
def what_every_path_rests_on_is_said():
    r = explore("threads")
    expect("every path was executed" in r.out and "no data races (--switch access" in r.out, r)
    expect("if the program has no data races\n" in r.out and "spurious wake-ups (--spurious)" in r.out, r)
    r = explore("threads", "--spurious")
    expect(r.code == 0 and "spurious" not in r.out, r)


@test
def a_time_out_may_come_at_any_moment():
    for options in [], ["--switch=access"]:
        r = explore("timeout", *options)
        expect(r.code == 66 and "1 confirmed by replay" in r.out and
               "other times that the program reads from the clock" in r.out, r)


@test
def bad_words_are_refused():
    for word in "argv[1]", "argv[x]:3", "stdin:", "stdin:-1", "file:3", "env:3", "nothing:3", "":
        r = explore("fine", "--sym=" + word)
        expect(r.code == 2 and r.err.startswith("heddle: error:"), f"{word}: {r}")
    for places in "nowhere@T0", "main", "main:99999@T0", "main@T0,main@T0", "main@", "@T0", "":
        r = explore("fine", "--from=" + places)
        expect(r.code == 2 and r.err.startswith("heddle: error:"), f"{places}: {r}")
    for word in "--search=best", "--tests=some", "--switch=never", "--max-paths=0", "--max-memory=1K", \
            "--preemptions=x", "--seconds=0", "--nothing", "--stub=x":
        r = explore("fine", word)
        expect(r.code == 2 and "error:" in r.err, f"{word}: {r}")
    r = run(HEDDLE, "explore")
    expect(r.code == 2, r)


@test
def what_is_no_program_is_refused():
    r = run(HEDDLE, "explore", "./nowhere")
    expect(r.code == 1 and "nowhere" in r.err, r)
    r = run(HEDDLE, "explore", "/bin/true")
    expect(r.code == 1 and "heddle-cc" in r.err, r)


@test
def where_nothing_can_be_written_is_said():
    with open(os.path.join(BOX, "file"), "w") as f:
        f.write("no directory")
    for folder in "file", "file/below", "/proc/nothing":
        r = explore("ways", "-o", folder)
        expect(r.code == 1 and folder in r.err, f"{folder}: {r}")
    r = explore("ways", "--no-replay", "--dump-smt=file/smt")
    expect("file/smt" in r.err, r)


# ---- all of them -------------------------------------------------------------------------------------

def enter(folder):
    global BOX
    BOX = folder


if __name__ == "__main__":
    sys.exit(SUITE.main(enter))
