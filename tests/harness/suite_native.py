"""Without heddle: the programs of suite `check` pass ordinary runs (--native), and show their bugs when they are
compiled with -DFORCE (--force); fixed twins pass then, and ThreadSanitizer reports nothing."""
import os
import shlex
import signal
import subprocess
import time

from harness import findings, suite_check
from harness.failure import Failure

SLOW = 0.3 # seconds
SANITIZERS = {"tsan": "thread", "asan": "address"}
RUNS = 3


def build(path, notes, exe, *flags):
    cc = "clang-19" if any("sanitize" in f for f in flags) else "cc"
    command = [cc, "-O2", "-g", "-pthread", *flags, *shlex.split(notes.get("flags", "")), path,
               "-o", exe]
    r = subprocess.run(command, capture_output=True, text=True)
    if r.returncode:
        raise Failure(f"status {r.returncode}\n{r.stderr}", shlex.join(command))
    return command


def arguments(notes):
    return shlex.split(notes["command"].partition(" -- ")[2])[1:]


def ends(command, seconds):
    """How it ends: "exit N", "SIGABRT", "hang"; its output and how long it took."""
    begin = time.monotonic()
    p = subprocess.Popen(command, stdin=subprocess.DEVNULL, stdout=subprocess.PIPE,
                         stderr=subprocess.STDOUT, text=True)
    try:
        out, _ = p.communicate(timeout=seconds)
    except subprocess.TimeoutExpired:
        p.kill()
        out, _ = p.communicate()
        return "hang", out, seconds
    took = time.monotonic() - begin
    if p.returncode < 0:
        return signal.Signals(-p.returncode).name, out, took
    return f"exit {p.returncode}", out, took


def until(command, seconds, fits, tries=5):
    """Even a forced order may be missed on a busy machine."""
    for _ in range(tries):
        how, out, _ = ends(command, seconds)
        if fits(how, out):
            break
    return how, out


def check_native(path, notes, tmp, o):
    suite_check.examine(path, notes, findings.kinds())
    exe = os.path.join(tmp, "exe")
    build(path, notes, exe)
    expected = notes.get("natural", "exit 0")
    took = []
    for k in range(o.native):
        how, out, seconds = ends([exe, *arguments(notes)], 2)
        if how != expected:
            raise Failure(f"run {k + 1}: {how}, expected {expected}\n{out}")
        took.append(seconds)
    if expected != "hang" and min(took) > SLOW:
        raise Failure(f"{min(took):.2f} s at best")


def force_fixed(path, notes, exe, command):
    build(path, notes, exe, "-DFORCE")
    how, out, _ = ends(command, 10)
    if how != "exit 0":
        raise Failure(f"-DFORCE: {how}\n{out}")
    if "force" in notes:
        return
    for flags in [], ["-DFORCE"]:
        # lock orders that a third lock guards are no deadlock
        built = build(path, notes, exe, "-fsanitize=thread", *flags)
        for _ in range(RUNS):
            how, out, _ = ends(["env", "TSAN_OPTIONS=detect_deadlocks=0", *command], 20)
            if how != "exit 0" or "ThreadSanitizer" in out:
                raise Failure(f"under ThreadSanitizer: {how}\n{out}", shlex.join(built))


def check_force(path, notes, tmp, o):
    suite_check.examine(path, notes, findings.kinds())
    exe = os.path.join(tmp, "exe")
    command = [exe, *arguments(notes)]
    force = notes.get("force", "no")
    tool, _, text = force.partition(" ")
    tool = tool.rstrip(",")
    if notes["fixed"] and tool == "no":
        force_fixed(path, notes, exe, command)
    elif tool in SANITIZERS:
        built = build(path, notes, exe, "-DFORCE", "-fsanitize=" + SANITIZERS[tool])
        how, out = until(command, 20, lambda how, out: text in out)
        if text not in out:
            raise Failure(f"{tool} does not report '{text}': {how}\n{out}", shlex.join(built))
    elif tool != "no":
        built = build(path, notes, exe, "-DFORCE")
        how, out = until(command, 2, lambda how, out: how == force)
        if how != force:
            raise Failure(f"-DFORCE: {how}, expected {force}\n{out}", shlex.join(built))
