"""What the tests of this folder share: a folder for each test, programs that are built once, TAP.

usage of a test: FILE HEDDLE HEDDLE_CC [NAME...]     NAME: run only these tests
"""
import json
import os
import shutil
import subprocess
import sys
import tempfile
import traceback

HEDDLE, CC = map(os.path.abspath, sys.argv[1:3])
HERE = os.path.dirname(os.path.abspath(__file__))
ROOT = os.path.dirname(os.path.dirname(HERE))
WORK = tempfile.mkdtemp(prefix="heddle-report-test-")
TESTS = []
box = WORK


def test(f):
    TESTS.append(f)
    return f


def expect(condition, what):
    if not condition:
        raise AssertionError(str(what))


class Result:
    def __init__(self, p):
        self.code, self.out, self.err = p.returncode, p.stdout, p.stderr

    def __str__(self):
        return f"exit code {self.code}\n{self.out}{self.err}"


def run(*words, env=None, **kw):
    kw.setdefault("timeout", 120)
    kw.setdefault("stdin", subprocess.DEVNULL)
    environment = {"PATH": os.environ["PATH"], "XDG_CACHE_HOME": os.path.join(WORK, "cache"), **(env or {})}
    return Result(subprocess.run(words, capture_output=True, text=True, errors="replace", cwd=box, env=environment, **kw))


def heddle(*words, code=None, **kw):
    r = run(HEDDLE, *words, **kw)
    expect(code is None or r.code == code, r)
    return r


def path(name):
    return os.path.join(box, name)


def write(name, text):
    with open(path(name), "w") as f:
        f.write(text)


def read(name):
    with open(path(name), encoding="utf-8") as f:
        return f.read()


def read_json(name):
    return json.loads(read(name))


def build(source, out):
    r = run(CC, "-g", "-O1", "-pthread", source, "-o", out)
    expect(r.code == 0, r)
    return os.path.join(box, out)


def example(name):
    """A program of examples/, in the current box, built from a copy of its source there."""
    shutil.copy(os.path.join(ROOT, "examples", name + ".c"), box)
    return build(name + ".c", name)


BRANCH = """#include <pthread.h>
#include <stdio.h>
static pthread_mutex_t m = PTHREAD_MUTEX_INITIALIZER;
static int open_;
static void *opener(void *arg)
{
	pthread_mutex_lock(&m);
	open_ = 1;
	pthread_mutex_unlock(&m);
	return arg;
}
int main(void)
{
	pthread_t t;
	int seen;
	pthread_create(&t, 0, opener, 0);
	pthread_mutex_lock(&m);
	seen = open_;
	pthread_mutex_unlock(&m);
	if (seen)
		puts("open");
	return pthread_join(t, 0);
}
"""


def branch_program():
    """A program with one branch that depends on the schedule."""
    write("branch.c", BRANCH)
    return build("branch.c", "branch")


def main():
    global box
    only = sys.argv[3:]
    tests = [t for t in TESTS if not only or t.__name__ in only]
    failed = 0
    print(f"1..{len(tests)}", flush=True)
    for i, t in enumerate(tests, 1):
        box = os.path.join(WORK, t.__name__)
        os.mkdir(box)
        try:
            t()
            print(f"ok {i} - {t.__name__}", flush=True)
        except Exception:
            failed += 1
            print(f"not ok {i} - {t.__name__}", flush=True)
            for line in traceback.format_exc().splitlines():
                print("# " + line, flush=True)
    shutil.rmtree(WORK, ignore_errors=True)
    return 1 if failed else 0
