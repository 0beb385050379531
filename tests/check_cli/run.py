#!/usr/bin/env python3
"""`heddle check`, `heddle branches` and `heddle predict` from outside: what they say of runs that pass, fail,
crash and hang, their options, exit codes and JSON, several runs together, standard input, signals, bad input.
Prints TAP.

usage: run.py HEDDLE HEDDLE_CC [--part I/N | NAME...]     NAME: run only these tests
"""
import glob
import json
import os
import re
import resource
import signal
import subprocess
import sys
import time

sys.path.insert(0, os.path.join(os.path.dirname(os.path.abspath(__file__)), ".."))
from harness.command import Result as Finished, Suite, execute, expect

SUITE = Suite(__file__, "check")
HEDDLE, CC = SUITE.tools
HERE, WORK, ENVIRONMENT, test = SUITE.here, SUITE.work, SUITE.environment, SUITE.test
BOX = WORK


class Result(Finished):
    def json(self):
        return json.loads(self.out)

    def kinds(self):
        return sorted({f["kind"] for f in self.json()["findings"]})

    def of(self, kind):
        return [f for f in self.json()["findings"] if f["kind"] == kind]


def run(*words, env=None, **kw):
    return execute(words, BOX, {**ENVIRONMENT, **(env or {})}, Result, **kw)


def program(name, folder=HERE):
    """A program of this folder or another one, built once."""
    return SUITE.program(name, folder=folder)


def check(*words, **kw):
    """The first stage of heddle check: prediction from the recorded run."""
    return run(HEDDLE, "check", "--quick", *words, **kw)


def branches(*words, **kw):
    """With time for a machine that has other work."""
    return run(HEDDLE, "branches", "--seconds=600", *words, timeout=700, **kw)


# ---- the recorded run itself ------------------------------------------------------------------

@test
def a_hang_is_said_at_once():
    r = check("--json", "--timeout=100000", "--", program("hang"), timeout=600)
    expect(r.code == 66 and "hangs" in r.err, r)
    first = r.json()["findings"][0]
    expect(first["kind"] == "deadlock" and first["status"] == "observed", first)
    lines = {s["place"]["line"] for s in first["steps"] if s["key"]}
    expect(lines == {11, 25}, lines)


@test
def a_deadlock_is_the_same_seen_or_predicted():
    told = []
    for command, words, status in ((check, [], "confirmed"), (check, ["now"], "observed"),
                                   (lambda *w: run(HEDDLE, "check", *w), ["now"], "observed")):
        r = command("--json", "--", program("two_orders"), *words)
        expect(r.code == 66 and [f["status"] for f in r.of("deadlock")] == [status], r)
        f = r.of("deadlock")[0]
        told.append((f["fingerprint"], f["title"], f["summary"],
                     [s["place"]["line"] for s in f["steps"] if s["key"]]))
        also = any("Also blocked: the main thread" in n["text"] for n in f["notes"])
        expect(also == (status == "observed"), f["notes"])
    expect(told[0] == told[1] == told[2] and told[0][3] == [14, 27], told)


@test
def a_failed_assertion_is_the_first_finding():
    r = check("--json", "--", program("fails"), "assert")
    first = r.json()["findings"][0]
    expect(r.code == 66 and first["kind"] == "assert" and first["status"] == "observed", r)
    expect("fails.c:19" in first["summary"] and "work" in first["summary"], first["summary"])


@test
def a_crash_is_the_first_finding():
    r = check("--json", "--", program("fails"), "segv")
    first = r.json()["findings"][0]
    expect(r.code == 66 and first["kind"] == "null", r)
    expect(first["status"] == "observed", first["status"])
    expect("fails.c:21" in first["summary"], first["summary"])


@test
def a_run_that_does_not_end_is_ended():
    r = check("--json", "--timeout=2", "--", program("fails"), "loop")
    expect("did not end within 2 s" in r.err, r)
    expect(r.kinds() == ["hang"] and r.code == 66, r)


@test
def an_exit_status_is_told():
    r = check("--", program("fails"), "exit")
    expect(r.code == 0 and "exit status 5" in r.out, r)


@test
def a_failure_before_the_predicted_one_confirms_nothing():
    r = check("--json", "--", program("fails_before"))
    expect([f["status"] for f in r.of("assert")] == ["predicted"] and r.code == 3, r)
    expect("another failure" in r.of("assert")[0]["outcome"], r.of("assert")[0]["outcome"])


@test
def what_the_end_of_the_process_cuts_off_is_not_covered():
    r = check("--", program("cut_off"), "once")
    expect(r.code == 3 and "the program ended while 2 of its threads still ran" in r.out, r)
    r = run(HEDDLE, "check", "--", program("cut_off"), "once")
    expect(r.code == 0 and "no failure in any schedule of this input" in r.out, r)
    r = run(HEDDLE, "check", "--deep", "--seconds=30", "--", program("cut_off"), "spins")
    expect(r.code == 3 and "the program ended while a thread still ran" in r.out, r)
    r = run(HEDDLE, "check", "--seconds=30", "--", program("cut_off"), "spins") # the exploration goes on with it
    expect(r.code == 0 and "exploration: " in r.out, r)


@test
def a_failure_of_the_run_is_no_branch():
    r = branches("--", program("fails"), "assert")
    expect(r.code == 66 and "no branch depends" in r.out, r)
    expect("the recorded run fails without another schedule: H1" in r.out and "fails.c:19" in r.out, r)
    expect("assertion failure in the recorded run (H1" in r.out, r)


@test
def two_branches_on_a_line_have_columns():
    r = branches("--json", "--", program("two_on_a_line"))
    places = {f["summary"] for f in r.of("branch")}
    expect(places and all(re.search(r"two_on_a_line.c:20:\d+ in 'main'", p) for p in places), r)
    r = branches("--json", "--", program("only_ctp"))
    expect(r.of("branch") and all(re.search(r"only_ctp.c:\d+ in", f["summary"])
                                  for f in r.of("branch")), r)


@test
def memory_used_again_is_no_prediction():
    r = branches("--json", "--", program("reuse"))
    expect(not [f for f in r.of("branch") if f["status"] != "confirmed"], r)
    expect(r.json()["coverage"]["reused"] == 1, r)


@test
def a_join_is_no_variable():
    check("--", program("no_signal"))
    traces = os.path.join(BOX, ".heddle", "traces")
    r = run(HEDDLE, "predict", "--json", os.path.join(traces, sorted(os.listdir(traces))[0]))
    expect([f["title"] for f in r.of("deadlock")] == ["deadlock of condition variable 'cond'"], r)


@test
def a_known_bug_is_still_one():
    for words in "1 bug", "(bug)":
        r = branches("--", program("only_ctp"))
        expect(r.code == 66 and words in r.out, r)


@test
def what_no_chunk_has_is_not_covered():
    for command in "check", "branches":
        r = run(HEDDLE, command, "--partition=window", "--chunk=2", "--", program("racy"))
        expect("analysed in 0 chunks, of about" in r.out, r)
        expect(r.code == 3 and "incomplete" in r.out and "no failure in any" not in r.out, r)


@test
def an_incomplete_analysis_is_accepted_by_option_only():
    words = "--partition=window", "--chunk=2", "--no=race", "--no=atomicity"
    expect(check(*words, "--", program("racy")).code == 3, "without the option")
    r = check(*words, "--accept-incomplete", "--", program("racy"))
    expect(r.code == 0 and "incomplete: nothing found" in r.out, r)


# ---- signals -----------------------------------------------------------------------------------

def words_of(pid):
    try:
        with open(f"/proc/{pid}/cmdline", "rb") as f:
            return f.read().split(b"\0")
    except OSError:
        return []


def descendants(pid):
    """The processes that heddle started, and those that they started."""
    found = []
    for at in glob.glob(f"/proc/{pid}/task/*/children"):
        try:
            with open(at) as f:
                found += map(int, f.read().split())
        except OSError:
            pass
    return found + [p for child in found for p in descendants(child)]


def start(*words):
    """heddle on a program that does not end; it runs when this returns."""
    p = subprocess.Popen([HEDDLE, *words, "--", program("fails"), "loop"], cwd=BOX, env=ENVIRONMENT,
                         stdin=subprocess.DEVNULL, stdout=subprocess.PIPE, stderr=subprocess.PIPE, text=True)
    until = time.monotonic() + 30
    while time.monotonic() < until:
        for child in descendants(p.pid):
            if b"loop" in words_of(child)[1:2]:
                return p, child
        time.sleep(0.05)
    p.kill()
    raise AssertionError("the program did not start")


def gone(pid):
    until = time.monotonic() + 10
    while time.monotonic() < until:
        try:
            with open(f"/proc/{pid}/stat") as f:
                if f.read().rpartition(")")[2].split()[0] == "Z":
                    return True
        except OSError:
            return True
        time.sleep(0.05)
    return False


@test
def a_run_that_is_ended_from_outside_is_no_proof():
    for command in "check", "branches":
        p, child = start(command)
        time.sleep(0.5)
        p.terminate()
        out, err = p.communicate(timeout=60)
        expect(p.returncode == 3 and "SIGTERM ended the recorded run" in out, (p.returncode, out, err))


@test
def the_program_does_not_outlive_heddle():
    for command in "check", "branches":
        p, child = start(command)
        time.sleep(0.5)
        p.kill()
        p.wait(timeout=60)  # the program may have the pipes, if it lives
        alive = not gone(child)
        if alive:
            os.kill(child, signal.SIGKILL)
        expect(not alive, f"{command}: the program goes on")


# ---- one command, one budget -----------------------------------------------------------------------

DEEP = os.path.join(HERE, os.pardir, "programs", "deep")


@test
def a_failure_behind_a_branch_needs_no_option():
    r = run(HEDDLE, "check", "--json", "--seconds=100", "--", program("guarded_check", DEEP), timeout=200)
    expect(r.code == 66 and "assert" in r.kinds(), r)
    expect("assert" not in check("--json", "--", program("guarded_check", DEEP)).kinds(), "--quick")


@test
def a_proof_ends_it():
    r = run(HEDDLE, "check", "--json", "--seconds=1000", "--", program("guarded_check_fixed", DEEP), timeout=300)
    claims = {c["scope"]: c["gaps"] for c in r.json()["verdict"]["claims"]}
    expect(r.code == 0 and claims == {"recorded-paths": [], "input": []}, r)
    expect(r.json()["coverage"]["random_runs"] == 0, r)


@test
def a_confirmed_failure_ends_it():
    """What was not done is said."""
    r = run(HEDDLE, "check", "--only=assert", "--", program("racy"), input="fatal\n")
    expect(r.code == 66 and "other paths were not searched for, because a failure is confirmed" in r.out, r)
    r = run(HEDDLE, "check", "--deep", "--only=assert", "--", program("racy"), input="fatal\n")
    expect(r.code == 66 and "other paths: " in r.out, r)


@test
def a_violation_without_a_failure_does_not_end_it():
    """The atomicity violation that prediction confirms shows as a failed assertion on another path."""
    r = run(HEDDLE, "check", "--json", "--seconds=100", "--", program("no_join", DEEP), timeout=300)
    expect(r.code == 66 and "assert" in r.kinds(), r)


@test
def random_schedules_use_the_time_that_is_left():
    """One run for other paths does not show the failure; some random schedule does."""
    r = run(HEDDLE, "check", "--json", "--seconds=100", "--max-runs=1", "--", program("random_only"), timeout=200)
    expect(r.json()["coverage"]["random_runs"] > 0, r)
    expect(r.code == 66 and r.of("assert")[0]["status"] == "confirmed", r)


def timed(*words, most, **kw):
    """The limits hold within a tenth on a machine with nothing else to do; a test needs more room."""
    began = time.monotonic()
    r = run(HEDDLE, *words, timeout=20 * most, **kw)
    expect(time.monotonic() - began < most, f"{time.monotonic() - began:.1f} s: {r}")
    return r


@test
def the_time_holds_for_a_long_run():
    for command in ("check",), ("check", "--quick"), ("branches",):
        r = timed(*command, "--seconds=4", "--", program("long_run"), "2000000", most=15)
        expect(r.code == 3 and "(4 s in all, --seconds)" in r.out, r)


@test
def the_time_holds_for_a_hard_query():
    r = timed("check", "--seconds=5", "--no=race,atomicity", "--", program("hard_query"), most=15)
    expect(r.code == 3 and "incomplete: " in r.out, r)
    traces = os.path.join(BOX, ".heddle", "traces")
    r = timed("predict", "--seconds=5", "--only=assert", os.path.join(traces, "run-1"), most=15)
    expect(r.code == 3 and "incomplete: " in r.out, r)


@test
def the_time_holds_for_a_program_that_does_not_end():
    """It is no hang: the program was not given the time that --timeout says."""
    r = timed("check", "--seconds=3", "--", program("hungry"), "1", most=13)
    expect(r.code == 3 and "(--seconds); it was killed" in r.err, r)
    expect("SIGKILL ended the recorded run" in r.out and "hang" not in r.out, r)


@test
def the_memory_holds():
    p = subprocess.Popen([HEDDLE, "check", "--memory=200M", "--seconds=60", "--", program("hungry"), "5000"], cwd=BOX,
                         env=ENVIRONMENT, stdin=subprocess.DEVNULL, stdout=subprocess.PIPE, stderr=subprocess.PIPE,
                         text=True)
    most = 0
    while p.poll() is None:
        most = max(most, sum(map(resident, [p.pid] + descendants(p.pid))))
        time.sleep(0.05)
    out, err = p.communicate()
    expect(p.returncode == 3 and "the memory of 200 MB (--memory) was used up in the recording" in out, (out, err))
    expect(most < 600 << 20, most)


def resident(pid):
    try:
        with open(f"/proc/{pid}/statm") as f:
            return int(f.read().split()[1]) * os.sysconf("SC_PAGESIZE")
    except (OSError, IndexError):
        return 0


@test
def a_signal_gives_the_summary():
    for signo in signal.SIGTERM, signal.SIGINT:
        p = subprocess.Popen([HEDDLE, "check", "--seconds=300", "--", program("long_run"), "2000000"], cwd=BOX,
                             env=ENVIRONMENT, stdin=subprocess.DEVNULL, stdout=subprocess.PIPE,
                             stderr=subprocess.PIPE, text=True)
        time.sleep(4)
        children = descendants(p.pid)
        p.send_signal(signo)
        began = time.monotonic()
        out, err = p.communicate(timeout=200)
        expect(time.monotonic() - began < 10, f"{time.monotonic() - began:.1f} s")
        expect(p.returncode == 3 and signo.name in out and "incomplete: " in out, (p.returncode, out, err))
        expect(children and all(map(gone, children)), children)


@test
def budgets_hold_under_stress():
    """Each command has 5 s and 500 MB. The bound of the processor time is exact, because work of others on the machine
    does not count; that of the wall time and of the memory, which is looked at in steps, is generous."""
    processors = os.sysconf("SC_NPROCESSORS_ONLN")
    for how in "threads", "events", "memory", "compute", "branches", "schedules", "solver":
        before, began, most = resource.getrusage(resource.RUSAGE_CHILDREN), time.monotonic(), 0
        p = subprocess.Popen([HEDDLE, "check", "--seconds=5", "--memory=500M", "--", program("stress"), how], cwd=BOX,
                             env=ENVIRONMENT, stdin=subprocess.DEVNULL, stdout=subprocess.PIPE,
                             stderr=subprocess.STDOUT, text=True)
        while p.poll() is None:
            most = max(most, sum(map(proportional, [p.pid] + descendants(p.pid))))
            time.sleep(0.1)
        wall, after = time.monotonic() - began, resource.getrusage(resource.RUSAGE_CHILDREN)
        busy = after.ru_utime + after.ru_stime - before.ru_utime - before.ru_stime
        out = p.stdout.read()
        told = f"{how}: {wall:.1f} s, {busy:.1f} s of processors, {most >> 20} MB\n{out}"
        expect(p.returncode == 3 and "incomplete: " in out, told)
        expect(busy < (5 * 1.1 + 1) * processors and wall < 30 and most < 750 << 20, told)


def proportional(pid):
    """Bytes of the process, with its part of what it shares."""
    try:
        with open(f"/proc/{pid}/smaps_rollup") as f:
            return sum(int(line.split()[1]) << 10 for line in f if line.startswith("Pss:"))
    except OSError:
        return 0


@test
def an_ignored_signal_is_ignored():
    """As under nohup."""
    p = subprocess.Popen([HEDDLE, "check", "--seconds=8", "--", program("long_run"), "2000000"], cwd=BOX,
                         env=ENVIRONMENT, stdin=subprocess.DEVNULL, stdout=subprocess.PIPE, stderr=subprocess.PIPE,
                         text=True, preexec_fn=lambda: signal.signal(signal.SIGHUP, signal.SIG_IGN))
    time.sleep(3)
    p.send_signal(signal.SIGHUP)
    out, err = p.communicate(timeout=200)
    expect(p.returncode == 3 and "SIGHUP" not in out and "--seconds" in out, (p.returncode, out, err))


@test
def input_that_does_not_end_has_the_same_time():
    p = subprocess.Popen([HEDDLE, "check", "--seconds=2", "--", program("racy")], cwd=BOX, env=ENVIRONMENT,
                         stdin=subprocess.PIPE, stdout=subprocess.PIPE, stderr=subprocess.PIPE, text=True)
    code = p.wait(timeout=60)
    expect(code == 1 and "standard input did not end in time" in p.stderr.read(), code)
    p.stdin.close()


@test
def runs_before_the_limit_are_kept():
    """The recording of many runs is killed at its limit: those that ended are analysed."""
    r = check("--json", "--seconds=4", "-n", "10000", "--", program("only_ctp"))
    expect(r.code in (3, 66) and r.json()["coverage"]["runs"] > 0, r)


# ---- standard input ----------------------------------------------------------------------------

@test
def input_is_the_users_own_and_is_kept_for_replays():
    r = check("--json", "--", program("racy"), input="fatal\n")
    expect("assert" in r.kinds() and r.code == 66, r)
    expect(all(f["status"] == "confirmed" for f in r.json()["findings"]), r)
    name = r.of("assert")[0]["name"]
    again = run(HEDDLE, "replay", name)
    expect(again.code == 66, again)
    other = check("--json", "--only=assert", "--", program("racy"), input="good\n")
    expect(other.code == 0, other)


# ---- options -------------------------------------------------------------------------------------

@test
def kinds_can_be_chosen():
    r = check("--json", "--only=race", "--", program("racy"), input="fatal\n")
    expect(r.kinds() == ["race"], r)
    r = check("--json", "--no=race,atomicity", "--", program("racy"), input="fatal\n")
    expect(r.kinds() == ["assert"], r)
    r = check("--only=rase", "--", program("racy"))
    expect(r.code == 2 and "did you mean 'race'?" in r.err, r)


@test
def switches_bound_the_schedules():
    r = check("--json", "--only=assert", "--switches=0", "--", program("racy"), input="fatal\n")
    expect(r.kinds() == [], r)
    r = check("--json", "--only=assert", "--switches=9", "--", program("racy"), input="fatal\n")
    expect(r.kinds() == ["assert"], r)


@test
def models_differ_as_they_should():
    """A failure that only the concurrent trace program predicts, and a false one of control only."""
    for model, found in ("ctp", ["assert"]), ("mcm", []):
        r = check("--json", "--only=assert", "--model=" + model, "--", program("only_ctp"))
        expect(r.kinds() == found, f"{model}: {r}")
    r = check("--json", "--only=assert", "--", program("false_control"))
    expect(r.kinds() == [] and r.code == 0, r)
    r = check("--json", "--only=assert", "--model=control", "--", program("false_control"))
    expect(r.kinds() == ["assert"] and r.code == 3, r)
    expect(all(f["status"] != "confirmed" for f in r.json()["findings"]), r)


@test
def questions_can_be_written_down():
    r = check("--json", "--only=assert", "--no-replay", "--dump-smt=smt", "-j1", "--",
              program("racy"), input="fatal\n")
    expect(r.kinds() == ["assert"] and r.code == 3, r)
    files = os.listdir(os.path.join(BOX, "smt"))
    expect(files, "no file")
    with open(os.path.join(BOX, "smt", files[0])) as f:
        expect("(check-sat)" in f.read(), files[0])


@test
def other_solvers_answer_the_same():
    """What --dump-smt writes, in both encodings, is a problem for z3 and cvc5 with heddle's own answer."""
    exe = os.path.join(WORK, "queries")
    r = run(CC, "-g", "-O1", "-pthread", os.path.join(HERE, "queries.c"), "-o", exe)
    expect(r.code == 0, r)
    expect(run(HEDDLE, "record", "-o", "trace", "--", exe).code == 0, "record")
    for encoding in "order", "cssa":
        folder = "smt-" + encoding
        r = run(HEDDLE, "predict", "--no-replay", "--every", "--encoding=" + encoding, "--dump-smt=" + folder,
                "trace")
        expect(r.code == 3, r)
        answers = set()
        for name in sorted(os.listdir(os.path.join(BOX, folder))):
            with open(os.path.join(BOX, folder, name)) as f:
                status = re.search(r":status (\w+)", f.read())[1]
            answers.add(status)
            for solver in "z3", "cvc5":
                r = run(solver, os.path.join(folder, name))
                expect(r.code == 0 and not r.err and r.out.split() == [status],
                       f"{solver} {name}, {status}: {r}")
        expect(answers == {"sat", "unsat"}, f"{encoding}: {answers}")


@test
def the_second_encoding_finds_the_same():
    """A confirmed finding, and the proof that there is no other."""
    for name, kinds, code in ("racy", ["assert"], 66), ("false_control", [], 0):
        for encoding in "order", "cssa":
            r = check("--json", "--only=assert", "--encoding=" + encoding, "--", program(name),
                      input="fatal\n")
            expect(r.kinds() == kinds and r.code == code, f"{name}, {encoding}: {r}")
    r = check("--only=assert", "--encoding=cssa", "--switches=0", "--", program("racy"), input="fatal\n")
    expect(r.code == 3 and "has no bound on context switches" in r.out, r)


@test
def names_stay():
    first = check("--json", "--", program("racy"), input="fatal\n").json()["findings"]
    again = check("--json", "--", program("racy"), input="fatal\n").json()["findings"]
    names = [{f["fingerprint"]: f["name"] for f in fs} for fs in (first, again)]
    expect(names[0] == names[1] and names[0], names)


# ---- exploration ---------------------------------------------------------------------------------

def explored(*words):
    """All stages of heddle check."""
    return run(HEDDLE, "check", "--json", *words, timeout=300)


@test
def exploration_confirms_what_flips_do_not_show():
    """The order of two writes to a pipe is no flip of a branch."""
    r = explored("--", program("pipe_order"), "strict")
    expect(r.kinds() == ["assert"] and r.code == 66, r)
    expect(r.of("assert")[0]["status"] == "confirmed", r)
    r = run(HEDDLE, "replay", r.of("assert")[0]["name"])
    expect(r.code == 66, r)


@test
def exploration_proves_what_flips_leave_open():
    r = explored("--", program("pipe_order"))
    coverage, verdict = r.json()["coverage"], r.json()["verdict"]
    expect(r.code == 0 and verdict["result"] == "clear", r)
    expect(not coverage["deep"]["complete"] and coverage["explored"]["complete"], r)
    claims = {c["scope"]: c["gaps"] for c in verdict["claims"][1:] if not c["gaps"]}
    expect(claims == {"input": []}, r)
    r = run(HEDDLE, "check", "--seconds=60", "--", program("pipe_order"))
    expect("no failure in any schedule of this input" in r.out and "exploration: " in r.out, r)


@test
def schedules_that_differ_in_their_exit_status_are_no_proof():
    r = explored("--seconds=20", "--", program("exit_status"))
    expect(r.code == 3, r)
    gaps = [g for c in r.json()["verdict"]["claims"] if c["scope"] == "input" for g in c["gaps"]]
    expect(any("exit status 0, another with 1" in g or "exit status 1, another with 0" in g for g in gaps), r)


@test
def a_file_that_the_recorded_run_made_is_another_input():
    flag = os.path.join(BOX, "made")
    for options in (), ("--deep",), ("--spurious",):
        if os.path.exists(flag):
            os.remove(flag)
        r = explored(*options, "--seconds=5", "--", program("first_run_only"), flag)
        expect(r.code == 3 and not r.json()["findings"], r)
        claims = [c for c in r.json()["verdict"]["claims"] if c["scope"] == "input"]
        expect(claims and all(any("may have changed" in g for g in c["gaps"]) for c in claims), r)
    r = explored("--seconds=20", "--", program("first_run_only"), flag)
    expect(r.code == 0, r)


@test
def spurious_wake_ups_are_an_option():
    exe = program("spurious", os.path.join(HERE, "../programs/explore"))
    r = run(HEDDLE, "check", "--seconds=60", "--", exe)
    expect(r.code == 0 and "spurious wake-ups (check --spurious)" in r.out, r)
    r = explored("--spurious", "--", exe)
    expect(r.kinds() == ["assert"] and r.code == 66, r)
    expect(r.of("assert")[0]["status"] == "confirmed", r)
    r = run(HEDDLE, "check", "--spurious", "--quick", "--", exe)
    expect(r.code == 3 and "spurious wake-ups are not predicted" in r.out, r)


@test
def spurious_wake_ups_are_proved_harmless():
    exe = os.path.join(BOX, "correct")
    r = run(CC, "-g", "-O1", "-pthread", "-DCORRECT",
            os.path.join(HERE, "../programs/explore/spurious.c"), "-o", exe)
    expect(r.code == 0, r)
    r = run(HEDDLE, "check", "--spurious", "--seconds=60", "--", exe)
    expect(r.code == 0 and "not covered" in r.out and "spurious" not in r.out, r)


@test
def flips_with_excluded_functions_are_replayed():
    r = run(HEDDLE, "check", "--deep", "--json", "--exclude=library_*", "--", program("excluded"), timeout=300)
    expect(r.code == 66 and {f["status"] for f in r.of("assert")} <= {"confirmed", "observed"}, r)
    expect(r.of("assert"), r)
    r = branches("--json", "--again", "--exclude=library_*", "--", program("excluded"))
    expect(r.of("branch") and all(f["status"] == "confirmed" for f in r.of("branch")), r)


# ---- several runs --------------------------------------------------------------------------------

@test
def runs_are_merged():
    """Each run alone predicts nothing; thread one of the first with thread two of the second does."""
    exe = program("merge")
    for name, steer in ("a", "60 0 120"), ("b", "0 120 60"):
        r = run(HEDDLE, "record", "-o", name, "--", exe, env={"STEER": steer})
        expect(r.code == 0, r)
        r = run(HEDDLE, "predict", "--json", "--only=assert", name)
        expect(r.kinds() == [] and r.code == 0, f"{name}: {r}")
    r = run(HEDDLE, "predict", "--json", "--only=assert", "a", "b")
    expect(r.kinds() == ["assert"] and r.code == 66, r)
    expect(r.of("assert")[0]["status"] == "confirmed", r)


@test
def several_runs_are_recorded():
    r = check("-n", "3", "--json", "--", program("racy"), input="fatal\n")
    expect(r.json()["coverage"]["runs"] == 3 and r.code == 66, r)
    expect(len(r.of("assert")) == 1, r)


# ---- branches ------------------------------------------------------------------------------------

def classes(r):
    return sorted((f["steps"][-1]["place"]["line"], f["flip"]["class"]) for f in r.of("branch"))


@test
def branches_have_classes():
    r = branches("--json", "--", program("stale"))
    found = classes(r)
    expect([c for _, c in found] == ["bug", "bug", "unclear", "adhoc"], r)
    expect(all(f["status"] == "confirmed" for f in r.of("branch")) and r.code == 66, r)


@test
def one_class_is_shown_in_full():
    """The others are lines of the list."""
    r = branches("--show=adhoc", "--", program("stale"))
    expect(r.out.count("In this order") == 1 and "while (!atomic_load(&ready))" in r.out, r)
    expect(r.out.count(" unclear ") >= 1 and r.out.count(" bug ") >= 1, r)
    r = branches("--show=all", "--again", "--", program("stale"))
    expect(r.out.count("In this order") == 4, r)


@test
def branches_that_are_known_are_not_asked_again():
    """A recorded run is as good as the program."""
    expect(run(HEDDLE, "record", "-o", "trace", "--", program("stale")).code == 0, "record")
    first = branches("--json", "trace")
    second = branches("trace")
    third = branches("--json", "--again", "trace")
    expect(len(first.of("branch")) == 4, first)
    expect("found by earlier runs" in second.out and "In this order" not in second.out, second)
    expect([f["name"] for f in third.of("branch")] == [f["name"] for f in first.of("branch")], third)


@test
def branches_in_chunks():
    """What is found in chunks is confirmed like anything else, and the end says what was looked at."""
    for kind in "distributed", "cut", "window":
        r = branches("--json", "--again", f"--partition={kind}", "--chunk=40",
                     "--", program("stale"))
        expect(all(f["status"] == "confirmed" for f in r.of("branch")), f"{kind}: {r}")
        expect(any("chunk" in s for s in r.json()["verdict"]["claims"][0]["gaps"]), f"{kind}: {r}")


# ---- bad input -------------------------------------------------------------------------------------

@test
def traces_of_different_programs_are_refused():
    for name, exe in ("a", "merge"), ("b", "only_ctp"):
        expect(run(HEDDLE, "record", "-o", name, "--", program(exe)).code == 0, name)
    r = run(HEDDLE, "predict", "a", "b")
    expect(r.code == 1 and "different programs" in r.err, r)


@test
def what_is_no_program_is_refused():
    r = check("--", "/bin/true")
    expect(r.code == 1 and "heddle-cc" in r.err, r)
    r = check("--", "./nowhere")
    expect(r.code == 1 and "nowhere" in r.err, r)
    r = run(HEDDLE, "predict", "nowhere")
    expect(r.code == 1 and "nowhere" in r.err, r)


@test
def a_damaged_database_is_named():
    os.mkdir(os.path.join(BOX, ".heddle"))
    with open(os.path.join(BOX, ".heddle", "findings.db"), "w") as f:
        f.write("this is no database, but long enough to look at\n" * 50)
    r = check("--", program("racy"))
    expect(r.code == 1 and "findings.db" in r.err, r)


# ---- all of them -------------------------------------------------------------------------------------

def enter(folder):
    global BOX
    BOX = folder


if __name__ == "__main__":
    sys.exit(SUITE.main(enter))
