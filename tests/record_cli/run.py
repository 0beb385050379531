#!/usr/bin/env python3
"""`heddle record` from outside: what the program sees of it, what it says, where it puts the trace, what
happens when the program or the disk come to a bad end, and programs that record themselves
(HEDDLE_OPTIONS). Prints TAP.

usage: run.py HEDDLE HEDDLE_CC [--part I/N | NAME...]     NAME: run only these tests
"""
import os
import pty
import random
import re
import select
import shutil
import signal
import struct
import subprocess
import sys
import tempfile
import time

sys.path.insert(0, os.path.join(os.path.dirname(os.path.abspath(__file__)), ".."))
from harness.command import Skip, Suite, execute, expect

SUITE = Suite(__file__, "record")
HEDDLE = SUITE.tools[0]
WORK, ENVIRONMENT, test = SUITE.work, SUITE.environment, SUITE.test
os.environ.clear()
os.environ.update(ENVIRONMENT)
FRAME = struct.Struct("<6IQQ")  # struct store_frame
MAGIC = 0x6b6e6863
LAST, PARTIAL = 1, 1 << 6


def run(*words, env=None, cwd=None, **kw):
    return execute(words, cwd or BOX, {**ENVIRONMENT, **(env or {})}, **kw)


def record(*words, **kw):
    return run(HEDDLE, "record", *words, **kw)


def path(*names):
    return os.path.join(BOX, *names)


program = SUITE.program


def meta(trace):
    """The keys of `meta`; argv is a list."""
    keys = {"argv": []}
    with open(path(trace, "meta"), errors="surrogateescape") as f:
        lines = f.read().split("\n")
    expect(lines[0] == "heddle-trace=2", lines[0])
    for line in filter(None, lines[1:]):
        key, value = line.split("=", 1)
        if key == "argv":
            keys[key].append(value)
        else:
            keys[key] = value
    return keys


def frames(trace, live=False):
    """(thread, seq, flags) of each frame of the logs; live: the last one may not be whole yet."""
    found = []
    for name in os.listdir(path(trace)):
        if not re.fullmatch(r"log(\.\d+)?|first", name):
            continue
        with open(path(trace, name), "rb") as f:
            data = f.read()
        at = 0
        while at + FRAME.size <= len(data):
            magic, thread, seq, _, packed, flags, _, _ = FRAME.unpack_from(data, at)
            expect(magic == MAGIC, f"{trace}/{name}: no frame at {at}")
            found.append((thread, seq, flags))
            at += FRAME.size + packed
        expect(live or at == len(data), f"{trace}/{name} ends in a piece of a frame")
    return found


def streams(trace):
    """How many chunks there are of each thread, parts not counted; they are without a gap."""
    by_thread = {}
    for thread, seq, flags in sorted(frames(trace)):
        if flags & PARTIAL:
            continue
        expect(by_thread.setdefault(thread, 0) == seq, f"thread {thread}: chunk {seq} comes next")
        by_thread[thread] += 1
    return by_thread


def wait_for(condition, what, seconds=20):
    end = time.monotonic() + seconds
    while not condition():
        expect(time.monotonic() < end, f"waited for {what}")
        time.sleep(0.01)


def complete(trace):
    return os.path.exists(path(trace, "meta")) and meta(trace)["complete"] == "1"


# ---- what is recorded, and what the program sees ----------------------------------------------


@test
def a_run():
    exe = program("work")
    r = record(exe, "3", "2000")
    expect(r.code == 0 and r.out == "6000\n", r)
    expect(re.fullmatch(r"heddle: recorded 4 threads, [\d.]+ (bytes|KB|MB) in 'heddle.trace' \(program "
                        r"exited with 0\); to show it: heddle trace heddle.trace\n", r.err), r)
    m = meta("heddle.trace")
    expect(m["complete"] == "1" and m["exited"] == "1" and m["status"] == "0", m)
    expect(m["argv"] == [exe, "3", "2000"] and m["exe"] == exe and m["cwd"] == BOX, m)
    expect(m["nthreads"] == "4" and m["image"] == "record" and int(m["plan"], 16), m)
    expect(int(m["tsc_end"]) > int(m["tsc_start"]) and int(m["ns_end"]) > int(m["ns_start"]), m)
    expect(len(streams("heddle.trace")) == 4, streams("heddle.trace"))
    expect(sum(flags & LAST for _, _, flags in frames("heddle.trace")) == 4, "all threads ended")


@test
def the_program_sees_nothing_of_it():
    """Arguments, environment, descriptors, directory, parent and signals are as they would be."""
    exe = program("show")
    weird = ["", "a b", "\\x", "new\nline", "-o", "--", "ä"]
    os.mkdir(path("sub"))
    plain = run(exe, *weird, input="line\n", cwd=path("sub"))
    r = record("-o", path("t"), "--", exe, *weird, input="line\n", cwd=path("sub"))
    expect(r.code == 0 and r.out == plain.out, f"{r}\n{plain}")
    expect("in: line" in r.out and "HEDDLE" not in r.out, r)
    shown = [w.replace("\\", "\\\\").replace("\n", "\\x0a") for w in weird]
    expect(meta("t")["argv"] == [exe, *shown], meta("t")["argv"])


@test
def how_it_is_found():
    shutil.copy(program("work"), path("prog"))
    r = record("prog", "1", "1")
    expect(r.code == 1 and "no directory of PATH has it" in r.err and "'./prog'" in r.err, r)
    expect(not os.path.exists(path("heddle.trace")), "a program of the directory was run")
    expect(record("./prog", "1", "1").code == 0, "by path")
    os.makedirs(path("bin"))
    os.rename(path("prog"), path("bin/prog"))
    r = record("prog", "1", "1", env={"PATH": path("bin") + ":" + os.environ["PATH"]})
    expect(r.code == 0 and meta("heddle.trace")["argv"][0] == "prog", r)


@test
def fates():
    exe = program("work")
    for fate, words, status in [("7", "program exited with 7", 7 << 8),
                                ("segv", "program was killed by SIGSEGV", signal.SIGSEGV),
                                ("abort", "program was killed by SIGABRT", signal.SIGABRT),
                                ("kill", "program was killed by SIGKILL", signal.SIGKILL),
                                ("_exit", "program exited with 3", 3 << 8)]:
        r = record(exe, "2", "100", fate)
        expect(r.code == 0 and words in r.err, r)
        m = meta("heddle.trace")
        expect(int(m["status"]) & 0xff7f == status and m["complete"] == "1", (fate, m))
        expect(m["exited"] == str(int(status >= 256 or status == 0)), (fate, m))
        expect(len(streams("heddle.trace")) == 3, fate)
        if fate == "segv":
            expect(re.fullmatch(r"0 11 8 [0-9a-f]+ \d+", m["crashes"]), m)


@test
def killed_at_any_time():
    exe = program("work")
    rng = random.Random(3)
    record(exe, "1", "1")
    threads = 0
    for _ in range(12):
        p = subprocess.Popen([HEDDLE, "record", exe, "4", "0"], cwd=BOX, stdout=subprocess.PIPE,
                             stderr=subprocess.PIPE, text=True)
        pid = int(p.stdout.readline())
        time.sleep(rng.random() * 0.15)
        os.kill(pid, signal.SIGKILL)
        err = p.communicate(timeout=60)[1]
        expect(p.returncode == 0 and "killed by SIGKILL" in err, err)
        m = meta("heddle.trace")
        expect(m["complete"] == "1" and m["exited"] == "0", m)
        threads += len(streams("heddle.trace"))
    expect(threads > 12, "nothing but the main thread was ever recorded")


@test
def heddle_itself_is_killed():
    """What was written stays and is whole; the program goes on."""
    exe = program("work")
    p = subprocess.Popen([HEDDLE, "record", exe, "2", "0"], cwd=BOX, stdout=subprocess.PIPE, text=True)
    pid = int(p.stdout.readline())
    wait_for(lambda: os.path.getsize(path("heddle.trace/log")) > 100000, "the log to grow")
    # of the main thread, which logs little, there is a part of a chunk
    wait_for(lambda: {f[0] for f in frames("heddle.trace", True)} == {0, 1, 2}, "all threads")
    p.kill()
    p.wait()
    time.sleep(0.3)
    os.kill(pid, 0)
    os.kill(pid, signal.SIGKILL)
    m = meta("heddle.trace")
    expect(m["complete"] == "0" and int(m["plan"], 16) and m["image"] == "record", m)
    expect({f[0] for f in frames("heddle.trace", True)} == {0, 1, 2}, "threads")
    expect(record(exe, "1", "1").code == 0, "replacing an unfinished trace")


# ---- signals and the terminal -----------------------------------------------------------------


@test
def signals_for_heddle_reach_the_program():
    exe = program("signals")
    for sig in [signal.SIGTERM, signal.SIGINT, signal.SIGUSR1, signal.SIGHUP]:
        p = subprocess.Popen([HEDDLE, "record", exe], cwd=BOX, stdout=subprocess.PIPE,
                             stderr=subprocess.PIPE, text=True)
        expect(p.stdout.readline() == "ready\n", "start")
        p.send_signal(sig)
        out, err = p.communicate(timeout=60)
        expect(out == f"got {int(sig)}\n" and p.returncode == 0, out + err)
        expect("program exited with 5" in err, err)


@test
def a_program_without_handlers_dies_of_them():
    p = subprocess.Popen([HEDDLE, "record", program("work"), "1", "0"], cwd=BOX,
                         stdout=subprocess.PIPE, stderr=subprocess.PIPE, text=True)
    p.stdout.readline()
    p.terminate()
    err = p.communicate(timeout=60)[1]
    expect(p.returncode == 0 and "killed by SIGTERM" in err and complete("heddle.trace"), err)


@test
def control_c_at_a_terminal():
    exe = program("signals")
    pid, fd = pty.fork()
    if pid == 0:
        try:
            os.chdir(BOX)
            os.execv(HEDDLE, [HEDDLE, "record", exe])
        finally:
            os._exit(99)
    text = b""

    def read_until(word):
        nonlocal text
        end = time.monotonic() + 60
        while word not in text and time.monotonic() < end:
            if select.select([fd], [], [], 1)[0]:
                try:
                    text += os.read(fd, 4096)
                except OSError:
                    return
    read_until(b"ready")
    os.write(fd, b"\x03")
    read_until(b"heddle trace")
    status = os.waitpid(pid, 0)[1]
    os.close(fd)
    expect(status == 0 and text.count(b"got 2") == 1 and b"program exited with 5" in text, text)
    expect(complete("heddle.trace"), "the trace is complete")


# ---- where the trace goes ---------------------------------------------------------------------


@test
def places():
    exe = program("work")
    expect(record("-o", "sub", exe, "1", "1").code == 0 and complete("sub"), "a new one")
    first = meta("sub")["id"]
    expect(record("-o", "sub/", exe, "1", "1").code == 0 and meta("sub")["id"] != first, "replaced")
    os.mkdir(path("empty"))
    expect(record("-o", "empty", exe, "1", "1").code == 0 and complete("empty"), "an empty one")
    os.mkdir(path("mine"))
    open(path("mine/letter"), "w").close()
    for place in ["mine", "mine/letter"]:
        r = record("-o", place, exe, "1", "1")
        expect(r.code == 1 and not r.out and f"'{place}' exists and is not a trace of heddle" in r.err
               and r.err.count("\n") == 1, r)
    r = record("-o", "no/such/place", exe, "1", "1")
    expect(r.code == 1 and not r.out and "cannot make the directory 'no/such/place'" in r.err, r)
    expect(sorted(os.listdir(BOX)) == ["empty", "mine", "sub"], os.listdir(BOX))


@test
def the_old_trace_stays_if_the_new_one_does_not_start():
    exe = program("work")
    record(exe, "1", "1")
    before = meta("heddle.trace")["id"]
    expect(record("/bin/true").code == 1, "a foreign executable")
    expect(meta("heddle.trace")["id"] == before, "it is gone")


@test
def a_trace_that_is_being_written():
    exe = program("work")
    p = subprocess.Popen([HEDDLE, "record", exe, "1", "0"], cwd=BOX, stdout=subprocess.PIPE,
                         stderr=subprocess.PIPE, text=True)
    p.stdout.readline()
    r = record(exe, "1", "1")
    p.terminate()
    p.communicate()
    expect(r.code == 1 and "'heddle.trace' is still being written" in r.err and not r.out, r)


@test
def an_unwritable_directory():
    if os.getuid():
        raise Skip("only root can become somebody else")
    os.chmod(WORK, 0o755)
    os.chmod(BOX, 0o755)
    cache = tempfile.mkdtemp(dir="/tmp")
    os.chown(cache, 65534, 65534)
    try:
        r = record(program("work"), "1", "1", user=65534, group=65534, env={"XDG_CACHE_HOME": cache})
    finally:
        shutil.rmtree(cache)
    expect(r.code == 1 and not r.out and r.err.count("\n") == 1 and
           "cannot make the directory 'heddle.trace': Permission denied" in r.err, r)


# ---- what is refused --------------------------------------------------------------------------


@test
def refused_programs():
    with open(path("script"), "w") as f:
        f.write("#!/bin/sh\necho started\n")
    os.chmod(path("script"), 0o755)
    shutil.copy(program("work"), path("data"))
    os.chmod(path("data"), 0o644)
    with open(program("work"), "rb") as f, open(path("cut"), "wb") as g:
        g.write(f.read()[:9000])
    os.chmod(path("cut"), 0o755)
    for words, message in [
        (["./nothing"], "No such file"),
        (["/bin/true"], "not built by heddle-cc"),
        (["./script"], "'./script'|./script:"),
        (["./cut"], "cut"),
        (["./data"], "cannot run './data': Permission denied"),
        (["--limit", "5", "./data"], "--limit"),
        (["--limit", "2M", "--window", "5", "./data"], "exclude each other"),
        (["--frob", "./data"], "unknown option '--frob'"),
        ([], "missing operand"),
    ]:
        r = record(*words)
        expect(r.code in (1, 2) and not r.out and re.search(message, r.err) and
               r.err.count("\n") == 1, f"{words}: {r}")
    expect(not os.path.exists(path("heddle.trace")), "a trace was left")


# ---- limits -----------------------------------------------------------------------------------


def log_size(trace):
    total = 0
    for name in os.listdir(path(trace)):
        try:
            total += os.path.getsize(path(trace, name)) if re.match("log|first", name) else 0
        except FileNotFoundError:
            pass
    return total


@test
def a_limit_holds_at_every_moment():
    exe = program("noise")
    p = subprocess.Popen([HEDDLE, "record", "--limit", "1M", exe, "2", "4000000"], cwd=BOX,
                         stdout=subprocess.PIPE, stderr=subprocess.PIPE, text=True)
    most = 0
    while p.poll() is None:
        if os.path.exists(path("heddle.trace")):
            most = max(most, log_size("heddle.trace"))
        time.sleep(0.002)
    out, err = p.communicate()
    expect(p.returncode == 0 and "program exited with 0" in err, out + err)
    m = meta("heddle.trace")
    expect(m["limit"] == str(1 << 20) and int(m["dropped"]) > 10 and m["image"] == "record-window", m)
    expect(0 < log_size("heddle.trace") <= 1 << 20, log_size("heddle.trace"))
    expect(most <= (1 << 20) + (1 << 17), most)
    found = frames("heddle.trace")
    for thread in (1, 2):
        seqs = sorted(s for t, s, _ in found if t == thread)
        expect(not seqs or seqs[0] == 0, f"thread {thread} has no first record")
        # of one that ended long before the other there may be nothing else
        expect(not seqs[1:] or seqs[1:] == list(range(seqs[1], seqs[-1] + 1)),
               f"a gap in thread {thread}")
    expect(len(found) > 8, found)
    expect((0, 0) in {f[:2] for f in found}, "the first record of the main thread")


@test
def a_window():
    exe = program("noise")
    r = record("--window", "3", exe, "2", "3000000")
    expect(r.code == 0, r)
    m = meta("heddle.trace")
    expect(m["window"] == "3" and int(m["dropped"]) > 10, m)
    found = frames("heddle.trace")
    for thread in (1, 2):
        seqs = sorted(s for t, s, _ in found if t == thread)
        expect(len(seqs) >= 4 and seqs[0] == 0 and
               seqs[1:] == list(range(seqs[1], seqs[-1] + 1)), seqs)


@test
def exclude():
    exe = program("work")
    whole = record("-o", "whole", exe, "2", "2000")
    part = record("-o", "part", "--exclude", "add*", exe, "2", "2000")
    expect(part.code == 0 and part.out == whole.out, part)
    expect(meta("part")["exclude"] == "add*" and meta("part")["plan"] != meta("whole")["plan"],
           meta("part"))


# ---- a full disk ------------------------------------------------------------------------------


@test
def a_full_disk():
    place = path("small")
    os.mkdir(place)
    if subprocess.run(["mount", "-t", "tmpfs", "-o", "size=300k", "tmpfs", place],
                      capture_output=True).returncode:
        raise Skip("cannot mount a small tmpfs here")
    try:
        r = record("-o", "small/t", program("noise"), "2", "3000000")
        expect(r.code == 1 and r.out == "done\n", r)
        expect(re.search(r"^heddle: error: cannot write 'small/t/log': No space left on device", r.err,
                         re.M) and "program exited with 0" in r.err, r)
        expect(r.err.count("No space") == 1, r)
        m = meta("small/t")
        expect(m["complete"] == "1" and m["stop"] != "0" and m["status"] == "0", m)
        expect(len(streams("small/t")) >= 1, "what there is can be read")
        r = run(HEDDLE, "trace", "small/t")
        expect(r.code == 3 and "recording was stopped before the end: the trace could" in r.out, r)
        os.unlink(path("small/t/program"))
        fd = os.open(path("small/fill"), os.O_WRONLY | os.O_CREAT)
        try:
            while os.write(fd, bytes(4096)):
                pass
        except OSError:
            os.close(fd)
        r = record("-o", "small/u", program("work"), "1", "1")
        expect(r.code == 1 and not r.out and "No space left" in r.err and r.err.count("\n") == 1, r)
        expect(sorted(os.listdir(place)) == ["fill", "t"], os.listdir(place))
    finally:
        subprocess.run(["umount", place], check=True)


# ---- programs that record themselves -----------------------------------------------------------


def self_run(*words, options="record=t", **kw):
    return run(*words, env={"HEDDLE_OPTIONS": options}, **kw)


@test
def recording_itself():
    exe = program("work")
    r = self_run(exe, "2", "500", "7")
    expect(r.code == 7 and r.out == "1000\n" and not r.err, r)
    wait_for(lambda: complete("t"), "the trace")
    m = meta("t")
    expect(m["status"] == str(7 << 8) and m["exited"] == "1" and m["argv"] == [exe, "2", "500", "7"], m)
    expect(len(streams("t")) == 3, streams("t"))
    r = self_run(exe, "2", "500", "segv")
    expect(r.code == -signal.SIGSEGV, r)
    other = [n for n in os.listdir(BOX) if re.fullmatch(r"t\.\d+", n)]
    expect(len(other) == 1, os.listdir(BOX))
    wait_for(lambda: complete(other[0]), "the second trace")
    expect(meta(other[0])["status"] == str(int(signal.SIGSEGV)), meta(other[0]))


@test
def recording_itself_changes_nothing():
    exe = program("show")
    plain = run(exe, "a", "", "b", input="line\n")
    r = self_run(exe, "a", "", "b", input="line\n")
    expect(r.code == 0 and not r.err and r.out == plain.out, f"{r}\n{plain}")
    wait_for(lambda: complete("t"), "the trace")


@test
def the_process_stays_the_same():
    """Its number is kept, and it has no child that it did not make."""
    exe = program("children")
    p = subprocess.Popen([exe], cwd=BOX, env={**os.environ, "HEDDLE_OPTIONS": "record=t"},
                         stdout=subprocess.PIPE, text=True)
    out = p.communicate(timeout=60)[0]
    expect(out == f"pid {p.pid}\nno child\n" and p.returncode == 0, out)
    wait_for(lambda: complete("t"), "the trace")


@test
def children_record_themselves():
    r = self_run("/bin/sh", "-c", f"{program('work')} 1 10; {program('work')} 1 20 & wait")
    expect(r.code == 0 and sorted(r.out.split()) == ["10", "20"], r)
    names = sorted(n for n in os.listdir(BOX) if n.startswith("t"))
    expect(len(names) == 2 and names[0] == "t" and re.fullmatch(r"t\.\d+", names[1]), names)
    wait_for(lambda: all(map(complete, names)), "the traces")


@test
def killed_while_recording_itself():
    p = subprocess.Popen([program("work"), "2", "0"], cwd=BOX, stdout=subprocess.PIPE, text=True,
                         env={**os.environ, "HEDDLE_OPTIONS": "record=t"})
    expect(int(p.stdout.readline()) == p.pid, "its number")
    time.sleep(0.1)
    p.kill()
    p.communicate()
    wait_for(lambda: complete("t"), "the trace")
    expect(meta("t")["exited"] == "0" and len(streams("t")) == 3, meta("t"))


@test
def where_heddle_is_looked_for():
    exe = program("work")
    r = self_run(exe, "1", "5", options="heddle=/no/heddle:record=t")
    expect(r.code == 0 and r.out == "5\n" and "cannot run heddle, and nothing is recorded" in r.err and
           r.err.count("\n") == 1, r)
    os.mkdir(path("bin"))
    os.symlink(HEDDLE, path("bin/heddle"))
    r = run(exe, "1", "5", env={"HEDDLE_OPTIONS": f"heddle={path('bin/heddle')}:record=t"})
    expect(r.code == 0 and not r.err, r)
    wait_for(lambda: complete("t"), "the trace")


@test
def what_goes_wrong_leaves_the_program_alone():
    exe = program("work")
    for options, message in [("record=/no/such/dir", "cannot make the directory"),
                             ("record=", "needs a directory"),
                             ("record=t:limit=x", "'limit'"),
                             ("record=t:limit=2M:window=3", "exclude each other")]:
        r = self_run(exe, "1", "5", "3", options=options)
        expect(r.code == 3 and r.out == "5\n" and message in r.err, f"{options}: {r}")
    r = self_run(program("show"), options="record=/no/such/dir", input="")
    expect("HEDDLE_PLAIN" not in r.out, r)
    r = self_run(exe, "1", "5", options="recrd=1:record=t")
    expect(r.code == 0 and r.out == "5\n" and
           "unknown key 'recrd' (did you mean 'record'?)" in r.err, r)
    r = self_run(exe, "1", "5", options="colour=blue")
    expect(r.code == 0 and not r.err, r)


# ---- running the tests ------------------------------------------------------------------------


def enter(folder):
    global BOX
    BOX = folder


def leave():
    shutil.rmtree(BOX, ignore_errors=True)


sys.exit(SUITE.main(enter, leave))
