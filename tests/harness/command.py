"""Tests of a command from outside: functions with @test in one file, each in an empty folder of its own. Prints TAP.

A file of tests is executed with the tools that it needs (HEDDLE HEDDLE_CC ...), then `--part I/N` or the names of tests:

    SUITE = Suite(__file__, "check")
    (HEDDLE, CC), WORK, ENVIRONMENT, test = SUITE.tools, SUITE.work, SUITE.environment, SUITE.test
    ...
    sys.exit(SUITE.main(enter)) # enter(folder) is called before each test

The programs that a file compiles with SUITE.program() are shared with all other tests.
"""
import argparse
import os
import resource
import shutil
import subprocess
import sys
import tempfile
import traceback

from harness.program import compile_cached


EXPENSIVE = 5 # seconds of processor time that are worth a note


class Skip(Exception):
    """The test cannot be executed here, for the reason that the message names."""


class Result:
    """A finished process."""

    def __init__(self, p):
        self.code, self.out, self.err = p.returncode, p.stdout, p.stderr

    def __str__(self):
        return f"exit code {self.code}\n{self.out}{self.err}"


def expect(condition, what):
    if not condition:
        raise AssertionError(str(what))


def execute(words, cwd, env, result=Result, **kw):
    """Standard input is empty unless there is `input` or `stdin`."""
    kw.setdefault("timeout", 120)
    if "input" not in kw:
        kw.setdefault("stdin", subprocess.DEVNULL)
    return result(subprocess.run(words, capture_output=True, text=True, errors="replace", cwd=cwd, env=env, **kw))


def arguments(tools):
    ap = argparse.ArgumentParser()
    ap.add_argument("tools", nargs=tools, type=os.path.abspath)
    ap.add_argument("--part", default="1/1")
    ap.add_argument("names", nargs="*")
    return ap.parse_args()


class Suite:
    def __init__(self, file, name, tools=2):
        o = arguments(tools)
        self.tools, self.names = o.tools, o.names
        self.part, self.parts = map(int, o.part.split("/"))
        self.here = os.path.dirname(os.path.abspath(file))
        self.work = os.path.realpath(tempfile.mkdtemp(prefix=f"heddle-{name}-test-"))
        # little enough to be shown when a test fails
        self.environment = {"PATH": os.environ["PATH"], "XDG_CACHE_HOME": os.path.join(self.work, "cache")}
        self.tests = []

    def test(self, f):
        self.tests.append(f)
        return f

    def program(self, name, *flags, folder=None):
        """A program of this folder or another one, built once: outside the sources, so that reports have whole paths."""
        source, exe = os.path.join(folder or self.here, name + ".c"), os.path.join(self.work, name)
        if not os.path.exists(exe):
            r = compile_cached(os.path.dirname(self.tools[0]), [self.tools[1], "-g", "-O1", "-pthread", *flags, source],
                               source, exe, self.environment, self.work)
            expect(r.status == 0 and not r.error, f"heddle-cc: status {r.status}\n{r.output}{r.error}")
        return exe

    def chosen(self):
        """Neighbours cost about the same, so the parts take turns."""
        if self.names:
            return [t for t in self.tests if t.__name__ in self.names]
        return self.tests[self.part - 1::self.parts]

    def main(self, enter=lambda folder: None, leave=lambda: None):
        """The exit status. leave() is called after each test, whatever became of it."""
        chosen, failed = self.chosen(), 0
        print(f"1..{len(chosen)}", flush=True)
        for number, t in enumerate(chosen, 1):
            before = processor_seconds()
            fate, text = run_one(t, enter, leave, os.path.join(self.work, "box-" + t.__name__))
            seconds = processor_seconds() - before
            failed += fate == "not ok"
            print(f"{fate} {number} - {t.__name__}{' # SKIP ' + text if text and fate == 'ok' else ''}")
            if fate == "not ok":
                print("".join(f"# {line}\n" for line in text.split("\n")), end="")
            if seconds > EXPENSIVE:
                print(f"# {seconds:.1f} s of processor time")
            sys.stdout.flush()
        if not failed:
            shutil.rmtree(self.work, ignore_errors=True)
        return 1 if failed or not chosen else 0


def processor_seconds():
    used = resource.getrusage(resource.RUSAGE_CHILDREN)
    return used.ru_utime + used.ru_stime


def run_one(t, enter, leave, folder):
    """("ok" or "not ok", reason)"""
    os.mkdir(folder)
    enter(folder)
    try:
        t()
        return "ok", ""
    except Skip as s:
        return "ok", str(s)
    except Exception: # whatever it is, the others run
        return "not ok", traceback.format_exc().rstrip()
    finally:
        leave()
