#!/usr/bin/env python3
"""`heddle trace` from outside, on a recording of bank.c. Prints TAP. usage: run.py HEDDLE HEDDLE_CC"""
import collections
import json
import os
import subprocess
import sys
import tempfile

HEDDLE, HEDDLE_CC = map(os.path.abspath, sys.argv[1:3])
HERE = os.path.dirname(os.path.abspath(__file__))
TESTS = []
ROUNDS, WORKERS = 20, 3


def test(f):
    TESTS.append(f)
    return f


class Result:
    def __init__(self, p):
        self.code, self.out, self.err = p.returncode, p.stdout, p.stderr


def run(*words, **kw):
    return Result(subprocess.run(words, capture_output=True, text=True, timeout=120, **kw))


def expect(condition, r, what):
    if not condition:
        raise AssertionError(f"{what}: exit code {r.code}\n{r.out}{r.err}")


def record(folder):
    r = run(HEDDLE_CC, "-g", "-O1", "-pthread", os.path.join(HERE, "bank.c"), "-o", "bank",
            cwd=folder)
    expect(r.code == 0, r, "heddle-cc")
    dump = os.path.join(folder, "dump")
    r = run(HEDDLE, "record", "-o", "run", "--", "./bank", "an argument", cwd=folder,
            env={**os.environ, "HEDDLE_OPTIONS": f"dump={dump}"})
    expect(r.code == 0, r, "heddle record")


def trace(*words, code=0):
    r = run(HEDDLE, "trace", *words, "run", cwd=FOLDER)
    expect(r.code == code, r, f"heddle trace {' '.join(words)}")
    return r


def events(*words):
    return [json.loads(line) for line in trace("--events", "--json", *words).out.splitlines()]


@test
def summary():
    r = trace()
    for text in ["./bank an argument", "exit status 0", "4 threads", "work, created by 0",
                 "re-executed exactly: all hashes equal", "first at ", "trace is consistent",
                 "load instructions are logged"]:
        expect(text in r.out, r, f"'{text}'")
    lines = r.out.splitlines()
    for name, words in [("accounts[*].balance", f"{ROUNDS * WORKERS} writes"),
                        ("unguarded", "no common lock"), ("ready", "always under mutex"),
                        ("ids[*]", "3 writes")]:
        found = [line for line in lines if line.strip().startswith(name + " ")]
        expect(found and words in found[0], r, f"'{name}' with '{words}'")
    for name, kind in [("mutex", "mutex"), ("changed", "condition variable"), ("rates", "rwlock"),
                       ("start", "barrier"), ("once", "once"), ("tickets", "semaphore"),
                       ("accounts[0].lock", "mutex"), ("accounts[1].lock", "mutex")]:
        found = [line for line in lines if line.split()[:2] == [name, kind.split()[0]]]
        expect(len(found) == 1, r, f"object '{name}'")
    # blocks of different threads at one address are not shared
    expect("note" not in r.out.replace("notes", ""), r, "memory used again")


@test
def summary_as_json():
    r = trace("--json")
    d = json.loads(r.out)
    expect(d["status"] == 0 and len(d["threads"]) == 4, r, "the run")
    expect(all(t["reproduced"] and t["ended"] for t in d["threads"]), r, "threads")
    expect(d["check"]["violations"] == 0 and d["check"]["misuses"] == 0, r, "check")
    expect(d["check"]["checked"]["mutex"] >= 2 * ROUNDS * WORKERS, r, "operations checked")
    ready = [g for g in d["locations"] if g["name"] == "ready"][0]
    expect(ready["locks"] == "mutex" and ready["size"] == 1, r, "locks of 'ready'")


@test
def events_have_names_and_values():
    lines = events()
    written = [e["value"] for e in lines if e["kind"] == "write" and e.get("variable") == "*note"]
    want = sorted(10 * t + i for t in range(WORKERS) for i in range(ROUNDS))
    if sorted(map(int, written)) != want:
        raise AssertionError(f"'*note' was written {written}")
    counts = [e for e in lines if e.get("variable") == "a->entry[i % 4].count"]
    if len(counts) != 2 * ROUNDS * WORKERS:
        raise AssertionError(f"{len(counts)} accesses to a->entry[i % 4].count")
    values = {(e["kind"], e["variable"]): e.get("value") for e in lines if "variable" in e}
    for key, value in [(("write", "ready"), "true"), (("write", "rate"), "1.5")]:
        if values.get(key) != value:
            raise AssertionError(f"{key} is {values.get(key)}")


@test
def events_are_in_the_observed_order():
    balance, held = collections.defaultdict(int), {}
    for e in events():
        if e["kind"] == "lock":
            if e["address"] in held:
                raise AssertionError(f"{e['address']} is held by {held[e['address']]}: {e}")
            held[e["address"]] = e["thread"]
        elif e["kind"] == "unlock":
            held.pop(e["address"], None)
        elif e["kind"] == "cond-wait":
            held = {a: t for a, t in held.items() if t != e["thread"]}
        elif e.get("variable") == "a->balance":
            # under its lock, what is read is what was written last
            if e["kind"] == "read" and int(e["value"]) != balance[e["address"]]:
                raise AssertionError(f"not {balance[e['address']]}: {e}")
            if e["kind"] == "write":
                balance[e["address"]] = int(e["value"])
    total = sum(10 * t + i for t in range(WORKERS) for i in range(ROUNDS))
    if sum(balance.values()) != total:
        raise AssertionError(f"{dict(balance)} is not {total}")


@test
def text_and_json_say_the_same():
    text = trace("--events").out.splitlines()
    lines = events()
    if len(text) != len(lines):
        raise AssertionError(f"{len(text)} lines and {len(lines)} objects")
    for t, j in zip(text, lines):
        if t.split()[1:3] != [f"T{j['thread']}", j["kind"]] or j.get("variable", "") not in t:
            raise AssertionError(f"{t}\n{j}")


@test
def filters():
    every = events()
    for words, keep in [
            (["--thread", "2"], lambda e: e["thread"] == 2),
            (["--thread", "1", "--thread", "3"], lambda e: e["thread"] in (1, 3)),
            (["--kind", "write"], lambda e: e["kind"] == "write"),
            (["--kind", "lock", "--kind", "unlock"], lambda e: e["kind"] in ("lock", "unlock")),
            (["--location", "unguarded"], lambda e: e.get("variable") == "unguarded"),
            (["--kind", "read", "--thread", "1", "--location", "a->balance"],
             lambda e: (e["kind"], e["thread"], e.get("variable")) == ("read", 1, "a->balance"))]:
        got, want = events(*words), [e for e in every if keep(e)]
        if got != want or not want:
            raise AssertionError(f"{words}: {len(got)} events, not {len(want)}")
    address = [e for e in every if e.get("variable") == "unguarded"][0]["address"]
    if len(events("--location", address)) != 2 * ROUNDS * WORKERS:
        raise AssertionError("--location by address")


@test
def jobs_change_nothing():
    expect(trace("-j1").out == trace("-j4").out, trace("-j1"), "-j1 and -j4")
    expect(trace("-j1", "--events").out == trace("-j4", "--events").out, trace("-j1"), "events")


@test
def perfetto():
    path = os.path.join(FOLDER, "perfetto.json")
    trace("--perfetto", path)
    with open(path, encoding="utf-8") as f:
        d = json.load(f)
    depth, last, flows = collections.defaultdict(int), {}, collections.Counter()
    for e in d["traceEvents"]:
        if e["ph"] in "BEi":
            if e["ts"] < last.get(e["tid"], 0):
                raise AssertionError(f"time goes back: {e}")
            last[e["tid"]] = e["ts"]
        depth[e["tid"]] += {"B": 1, "E": -1}.get(e["ph"], 0)
        if depth[e["tid"]] < 0:
            raise AssertionError(f"ends what did not begin: {e}")
        if e["ph"] in "sf":
            flows[e["name"], e["ph"]] += 1
    if any(depth.values()):
        raise AssertionError(f"slices left open: {dict(depth)}")
    for name in ("creates", "is joined"):
        if flows[name, "s"] != WORKERS or flows[name, "f"] != WORKERS:
            raise AssertionError(f"flows: {flows}")
    names = {e["args"]["name"] for e in d["traceEvents"] if e.get("name") == "thread_name"}
    if names != {"main", "work"}:
        raise AssertionError(f"threads: {names}")


@test
def memory_at_the_end():
    dump = os.path.join(FOLDER, "dump")
    r = trace("--check-memory", dump)
    expect(" 0 differ, 0 unknown" in r.out, r, "equal memory")
    with open(dump, "rb") as f:
        data = bytearray(f.read())
    at = data.index(b"\0\0\0\0\0\0\xf8\x3f")
    data[at + 7] ^= 1
    wrong = os.path.join(FOLDER, "wrong")
    with open(wrong, "wb") as f:
        f.write(data)
    r = trace("--check-memory", wrong, code=3)
    expect("of global 'rate' is 0x3e in the program, but 0x3f" in r.err, r, "a changed byte")


@test
def crashes():
    """Everything up to the access that crashed, and nothing that did not happen."""
    source = os.path.join(HERE, "crash.c")
    r = run(HEDDLE_CC, "-g", "-O2", "-w", "-pthread", source, "-o", "crash", cwd=FOLDER)
    expect(r.code == 0, r, "heddle-cc")
    lines = open(source).read().splitlines()
    for how, text, word, last in [
            ("n", 'printf("%ld\\n", list->v)', "null pointer dereference", ("read", "list", "NULL")),
            ("l", "sum += n->v", "null pointer dereference", ("write", "sum", "10")),
            ("m", "area[i] = (char)i", "inaccessible address", None),
            ("w", "sum += list->v", "wild pointer dereference", ("read", "list", "0xdeadbeefcafef00d")),
            ("d", "sum /= ", "division by zero", None)]:
        r = run(HEDDLE, "record", "-o", "crashed", "--", "./crash", how, cwd=FOLDER)
        expect(r.code == 0, r, f"heddle record ./crash {how}")
        r = run(HEDDLE, "trace", "crashed", cwd=FOLDER)
        line = next(i for i, l in enumerate(lines, 1) if text in l)
        expect(f"crash.c:{line}:" in r.out and f"in 'work': {word}" in r.out, r, f"crash {how}")
        r = run(HEDDLE, "trace", "-e", "--json", "-t1", "crashed", cwd=FOLDER)
        told = [json.loads(l) for l in r.out.splitlines()]
        if how == "m":
            expect(sum(e["kind"] == "write" for e in told) == 4096, r, "writes before the crash")
        if last:
            e = told[-1]
            expect((e["kind"], e["variable"], str(e["value"])) == last, r, f"last event, {how}")


@test
def mistakes():
    for words, code, text in [
            (["--events", "--kind", "lokc"], 2, "did you mean 'lock'"),
            (["--events", "--thread", "77"], 2, "no thread 77"),
            (["--thread", "1"], 2, "need --events"),
            (["--perfetto", "/no/such/folder/x"], 1, "cannot write"),
            (["--check-memory", "/no/such/file"], 1, "/no/such/file")]:
        r = trace(*words, code=code)
        expect(text in r.err, r, " ".join(words))
    r = run(HEDDLE, "trace", HERE)
    expect(r.code == 1 and r.err, r, "a folder that is no trace")


def main():
    print(f"1..{len(TESTS)}")
    failed = 0
    for i, t in enumerate(TESTS, 1):
        try:
            t()
            print(f"ok {i} - {t.__name__}")
        except Exception as e:
            failed += 1
            print(f"not ok {i} - {t.__name__}")
            for line in str(e).splitlines()[:60]:
                print(f"# {line}")
        sys.stdout.flush()
    return 1 if failed else 0


with tempfile.TemporaryDirectory() as FOLDER:
    record(FOLDER)
    sys.exit(main())
