#!/usr/bin/env python3
"""Programs and files that attack heddle: no command crashes, hangs, or leaves a process behind, and each
says what is wrong. Prints TAP.

usage: run.py HEDDLE HEDDLE_CC [--part I/N | NAME...]     NAME: run only these tests
"""
import json
import os
import shutil
import signal
import sys
import time

sys.path.insert(0, os.path.join(os.path.dirname(os.path.abspath(__file__)), ".."))
from harness.command import Skip, Suite, execute, expect

SUITE = Suite(__file__, "hostile")
HEDDLE, CC = SUITE.tools
HERE, WORK, ENVIRONMENT, test = SUITE.here, SUITE.work, SUITE.environment, SUITE.test
MARK = "HOSTILE_TEST=" + os.path.basename(WORK)
ENVIRONMENT.update(HOME=WORK, HOSTILE_TEST=os.path.basename(WORK))


def run(*words, env=None, cwd=None, **kw):
    return execute(words, cwd or BOX, {**ENVIRONMENT, **(env or {})}, **kw)


def heddle(*words, **kw):
    return run(HEDDLE, *words, **kw)


def path(*names):
    return os.path.join(BOX, *names)


def write(name, text):
    with open(path(name), "w") as f:
        f.write(text)
    return path(name)


def compile_c(text, name, *flags):
    r = run(CC, "-g", "-O1", "-pthread", write(name + ".c", text), "-o", name, *flags)
    expect(r.code == 0, r)
    return path(name)


program = SUITE.program


def left_behind():
    """Processes of this test that still run."""
    found = []
    for pid in filter(str.isdigit, os.listdir("/proc")):
        try:
            with open(f"/proc/{pid}/environ", "rb") as f:
                if MARK.encode() in f.read().split(b"\0"):
                    with open(f"/proc/{pid}/cmdline", "rb") as c:
                        found.append((int(pid), c.read()))
        except OSError:
            pass
    return found


def end_left_behind():
    """A failed test must not disturb the next one."""
    for pid, _ in left_behind():
        os.kill(pid, signal.SIGKILL)


# ---- hostile programs -----------------------------------------------------------------------------

COMMANDS = {
    "record": ["record", "-o", "t", "--"],
    "check": ["check", "--quick", "--seconds=20", "--"],
    "fuzz": ["fuzz", "--runs=3", "--timeout=10", "--"],
}
DAMAGED = "wrote over the memory that heddle shares with it"


def attack(command, how):
    shutil.rmtree(path("t"), ignore_errors=True)
    r = heddle(*COMMANDS[command], program("hostile"), how)
    for _ in range(100):  # the kernel kills the program of a heddle that was killed; one of `record` ends by itself
        if how != "kill" or not left_behind():
            break
        time.sleep(0.1)
    left = left_behind()
    end_left_behind()
    expect(not left, f"{command} {how} left behind: {left}\n{r}")
    return r


def survive(command, how):
    """heddle ends by itself, with an exit code that it documents. Returns its result."""
    r = attack(command, how)
    expect(r.code in (0, 1, 2, 3, 66), f"{command} {how}: {r}")
    expect("heddle: BUG" not in r.err and "internal error" not in r.err, f"{command} {how}: {r}")
    return r


@test
def truncated_memory():
    for how in "cut", "grow":
        for command in COMMANDS:
            r = survive(command, how)
            expect(r.code != 1, f"{command} {how}: {r}")
            if command == "record":
                expect("truncate: refused" in r.out and "truncate: done" not in r.out, r)


@test
def overwritten_memory():
    for how in "ones", "zeros", "random", "few", "large":
        for command in COMMANDS:
            r = survive(command, how)
            if command == "fuzz" and how != "few":
                expect(r.code == 1 and DAMAGED in r.err, f"{command} {how}: {r}")
        r = heddle("trace", "t")
        expect(r.code in (0, 1, 3), f"trace after {how}: {r}")
        r = heddle("predict", "--seconds=10", "t")
        expect(r.code in (0, 1, 3, 66), f"predict after {how}: {r}")


@test
def memory_overwritten_by_a_process_left_behind():
    for command in COMMANDS:
        survive(command, "later")


@test
def killed_collector():
    expect(attack("record", "kill").code == -signal.SIGKILL, "the program cannot kill its parent")
    for command in "check", "fuzz":
        expect(attack(command, "kill").code in (0, 1, 3, -signal.SIGKILL), command)


@test
def processes_left_behind():
    for how in "tree", "chain", "fast-chain":
        for command in COMMANDS:
            r = survive(command, how)
            if command == "record":
                expect("that the program left behind" in r.err, r)


# ---- the cache ------------------------------------------------------------------------------------

SMALL = "#include <stdio.h>\nint main(void) { puts(\"%s\"); return 0; }\n"


def cached(exe, **env):
    return heddle("image", "--cached", "--kind", "record", exe, env=env)


@test
def cache_of_others():
    """heddle executes what is in the cache, so only the user may write there."""
    exe = compile_c(SMALL % "one", "one")
    r = cached(exe, XDG_CACHE_HOME="", HOME="")
    expect(r.code == 1 and "no directory for the cache" in r.err and not r.out, r)
    os.makedirs(path("c", "heddle"))
    os.chmod(path("c", "heddle"), 0o777)
    r = cached(exe, XDG_CACHE_HOME=path("c"))
    expect(r.code == 1 and "can be written by other users" in r.err, r)
    os.chmod(path("c", "heddle"), 0o755)
    r = cached(exe, XDG_CACHE_HOME=path("c"))
    expect(r.code == 0 and os.stat(path("c", "heddle")).st_mode & 0o777 == 0o700, r)
    if os.getuid() == 0:
        os.chown(path("c", "heddle"), 65534, 65534)
        r = cached(exe, XDG_CACHE_HOME=path("c"))
        expect(r.code == 1 and "belongs to another user" in r.err, r)


@test
def changed_images():
    """An image that was changed, or that is another program's, is built again and not executed."""
    one, two = compile_c(SMALL % "one", "one"), compile_c(SMALL % "two", "two")
    images = [cached(one).out.strip(), cached(two).out.strip()]
    expect(len(os.path.basename(images[0])) == 64 and images[0] != images[1], images)
    with open(images[0], "rb") as f:
        good = f.read()
    with open(images[1], "rb") as f:
        other = f.read()
    at = good.index(b"one\0")
    for bad in other, good[:at] + b"bad" + good[at + 3:], good[:-1], good + b"x", b"", b"#!/bin/sh\necho bad\n":
        os.unlink(images[0])
        with open(images[0], "wb") as f:
            f.write(bad)
        os.chmod(images[0], 0o755)
        r = heddle("record", "-o", "t", "--", one)
        expect(r.code == 0 and r.out == "one\n" and "was changed after heddle built it" in r.err, r)


# ---- bitcode --------------------------------------------------------------------------------------

@test
def bitcode_that_crashes_llvm():
    """LLVM 19 crashes on crash.bc; whatever a version of LLVM does with it, heddle ends with an error."""
    bad = os.path.join(HERE, "crash.bc")
    for command in "dump", "exec", "explore":
        r = heddle(command, bad)
        expect(r.code == 1 and "is not valid LLVM bitcode" in r.err and r.err.count("\n") == 1, r)
    objcopy = shutil.which("objcopy")
    if not objcopy:
        raise Skip("no objcopy")
    exe = compile_c(SMALL % "one", "one")
    r = run(objcopy, "--update-section", f".heddle.bc={bad}", exe, path("bad"))
    expect(r.code == 0, r)
    r = heddle("image", path("bad"), "-o", "image")
    expect(r.code == 1 and "damaged so that LLVM cannot" in r.err or "unreadable bitcode" in r.err, r)


# ---- what a file makes heddle run ------------------------------------------------------------------

@test
def a_program_that_was_built_again_is_not_run():
    text = """#include <pthread.h>
int n;
void *f(void *a) { n++; return a; }
int main(void) { pthread_t t; pthread_create(&t, 0, f, 0); n++; pthread_join(t, 0); return %d; }
"""
    exe = compile_c(text % 0, "racy")
    expect(heddle("record", "-o", "t", "--", exe).code == 0, "record")
    r = heddle("predict", "t")
    expect(r.code == 66 and f"note: runs in '{BOX}': {exe}" in r.err, r)
    compile_c(text % 1, "racy")
    shutil.rmtree(path(".heddle"))
    r = heddle("predict", "t")
    expect(r.code == 3 and "was built again since the run was recorded" in r.err and "runs in" not in r.err, r)
    expect("runs in" in heddle("predict", "--force", "t").err, "--force")


@test
def variables_that_load_code():
    """A test case sets variables of the dynamic linker, of heddle, and names that are no variables."""
    exe = compile_c(SMALL % "one", "one")
    for name in "LD_PRELOAD", "LD_AUDIT", "HEDDLE_OPTIONS", "GCONV_PATH", "LD_PRELOAD=/x.so;", "-S", "":
        write("t.json", json.dumps({
            "heddle-test": 1, "program": exe, "argv": [exe], "outcome": {"fate": "exited", "status": 0},
            "inputs": [{"name": "env:" + name, "bytes": path("evil.so")}]}))
        r = heddle("test", "--native-only", "t.json")
        expect((r.code == 3 and "was not run: heddle cannot pass it the input" in r.out) or
               (r.code == 1 and "is not a known input" in r.err), f"{name}: {r}")
        expect(r.code == 3 or not name.isupper(), f"{name}: {r}")
    write("t.json", json.dumps({
        "heddle-test": 1, "program": exe, "argv": [exe], "outcome": {"fate": "exited", "status": 0},
        "inputs": [{"name": "env:LANGUAGE", "bytes": "x"}]}))
    r = heddle("test", "--native-only", "t.json")
    expect(r.code == 0 and f"note: runs in '{BOX}': {exe}" in r.err, r)


# ---- text on the terminal --------------------------------------------------------------------------

def is_clean(r):
    return not any(ord(c) < 32 and c not in "\n\t" or 127 <= ord(c) < 160 for c in r.out + r.err)


@test
def text_without_control_characters():
    """Names of functions, variables and files have escape sequences."""
    os.mkdir(path("\x1b[31md"))
    name = path("\x1b[31md", "\x1b]0;x\x07.c")
    with open(name, "w") as f:
        f.write("""#include <assert.h>
#include <pthread.h>
int n __asm__("n\\033[2J");
void *f(void *a) __asm__("f\\033[2J");
void *f(void *a) { n++; return a; }
int main(void) { pthread_t t; pthread_create(&t, 0, f, 0); n++; pthread_join(t, 0); return 0; }
""")
    exe = path("\x1b[31md", "prog\x1b[0m\x9b")
    r = run(CC, "-g", "-O1", "-pthread", name, "-o", exe)
    expect(r.code == 0, r)
    for words in (["info", exe], ["record", "-o", "t", "--", exe, "\x1b[2J"], ["trace", "t"],
                  ["trace", "--events", "t"], ["predict", "t"], ["predict", "--json", "t"],
                  ["check", "--quick", "--", exe], ["fuzz", "--runs=2", "--", exe], ["info", exe + "\x1bx"],
                  ["explore", "--seconds=5", exe], ["replay", "-q", "H1"], ["image", exe]):
        r = heddle(*words)
        expect(r.code >= 0 and is_clean(r), f"{words!r}: {str(r)!r}")


# ---- running them ---------------------------------------------------------------------------------

def enter(folder):
    global BOX
    BOX = folder


sys.exit(SUITE.main(enter, end_left_behind))
