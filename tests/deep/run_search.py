#!/usr/bin/env python3
"""The search of src/deep itself (deep_main): how many runs it makes, that it ends by itself and says so,
that it goes on after a kill where it was, and what it says when it cannot.

run_search.py --build DIR [--tap]
"""
import argparse
import json
import math
import os
import shutil
import signal
import subprocess
import sys
import tempfile
import time

COUNTERS = r"""
#include <pthread.h>
static pthread_mutex_t m = PTHREAD_MUTEX_INITIALIZER;
static int n, a, b;
static void *work(void *p)
{
	for (int i = 0; i < ROUNDS; i++) {
		pthread_mutex_lock(&m);
		if (n % 2)
			a++;
		else
			b++;
		n++;
		pthread_mutex_unlock(&m);
	}
	return p;
}
int main(void)
{
	pthread_t t[THREADS];
	for (int i = 0; i < THREADS; i++)
		pthread_create(&t[i], 0, work, 0);
	for (int i = 0; i < THREADS; i++)
		pthread_join(t[i], 0);
	return 0;
}
"""
SPINS = r"""
#include <assert.h>
#include <pthread.h>
#include <stdatomic.h>
static atomic_int ready, lock, done;
static int data;
static void *produce(void *p)
{
	data = 7;
	atomic_store(&ready, 1);
	return p;
}
static void *consume(void *p)
{
	while (!atomic_load(&ready))
		;
	while (atomic_exchange(&lock, 1))
		;
	if (data == 7)
		done = done + 1;
	atomic_store(&lock, 0);
	return p;
}
int main(void)
{
	pthread_t t[3];
	pthread_create(&t[0], 0, consume, 0);
	pthread_create(&t[1], 0, consume, 0);
	pthread_create(&t[2], 0, produce, 0);
	while (atomic_load(&done) != 2)
		;
	for (int i = 0; i < 3; i++)
		pthread_join(t[i], 0);
	assert(done == 2);
	return 0;
}
"""
RESULTS = r"""
#include <assert.h>
#include <pthread.h>
static int x;
static void *look(void *p)
{
	return x ? p : 0;
}
static void *set(void *p)
{
	x = 1;
	return p;
}
int main(void)
{
	pthread_t a, b;
	void *r;
	pthread_create(&a, 0, look, &x);
	pthread_create(&b, 0, set, 0);
	pthread_join(a, &r);
	pthread_join(b, 0);
	%s
	return 0;
}
"""
STUCK = r"""
#include <pthread.h>
#include <semaphore.h>
static sem_t s;
static int x;
static void *take(void *p)
{
	sem_wait(&s);
	return p;
}
static void *give(void *p)
{
	if (!x)
		sem_post(&s);
	return p;
}
static void *forbid(void *p)
{
	x = 1;
	return p;
}
int main(void)
{
	pthread_t t[3];
	sem_init(&s, 0, 0);
	pthread_create(&t[0], 0, take, 0);
	pthread_create(&t[1], 0, give, 0);
	pthread_create(&t[2], 0, forbid, 0);
	for (int i = 0; i < 3; i++)
		pthread_join(t[i], 0);
	return 0;
}
"""


class Failure(Exception):
    pass


def expect(condition, message):
    if not condition:
        raise Failure(message)


class Bench:
    def __init__(self, build, folder):
        self.build, self.folder = build, folder

    def compile(self, name, text, *flags):
        source, exe = (os.path.join(self.folder, name + end) for end in (".c", ""))
        with open(source, "w") as f:
            f.write(text)
        subprocess.run([os.path.join(self.build, "heddle-cc"), "-O1", "-g", "-pthread", *flags,
                        source, "-o", exe], check=True, timeout=100)
        return exe

    def command(self, exe, folder, *options, args=()):
        return [os.path.join(self.build, "deep_main"), "--json", "--dir",
                os.path.join(self.folder, folder + ".deep"), *options, exe, *args]

    def search(self, exe, folder, *options, args=()):
        r = subprocess.run(self.command(exe, folder, *options, args=args), timeout=280,
                           stdout=subprocess.PIPE, stderr=subprocess.PIPE)
        expect(r.returncode in (0, 1), f"status {r.returncode}: {r.stderr.decode()[-300:]}")
        return json.loads(r.stdout), r.stderr.decode()


def titles(found):
    return [f["kind"] for f in found["findings"]]


# ---- the tests ------------------------------------------------------------------------------

def runs_are_few(b):
    exe = b.compile("counters", COUNTERS, "-DTHREADS=2", "-DROUNDS=3")
    r, _ = b.search(exe, "few", "--only-paths")
    orders = math.comb(6, 3)  # of whole regions; of single accesses there are far more
    expect(r["complete"] and r["merged"], f"not complete: {r['limits']}")
    expect(r["paths"] == 17, f"{r['paths']} paths")
    expect(r["runs"] < orders, f"{r['runs']} runs for {orders} orders of regions")
    return f"{r['runs']} runs, {orders} orders of regions"


def waiting_is_one_path(b):
    r, _ = b.search(b.compile("spins", SPINS), "spins")
    expect(r["complete"] and r["paths"] == 4 and not titles(r), json.dumps(r))


def results_are_not_mixed(b):
    """What a thread returned belongs to the way that it went."""
    exe = b.compile("right", RESULTS % "assert(!r || x);")
    r, _ = b.search(exe, "right")
    expect(r["complete"] and "assert" not in titles(r), json.dumps(r))
    r, _ = b.search(b.compile("wrong", RESULTS % "assert(!r);"), "wrong", "--confirm")
    expect("assert" in titles(r), json.dumps(r))


def deadlocks_are_ends(b):
    r, _ = b.search(b.compile("stuck", STUCK), "stuck", "--confirm")
    expect(r["complete"] and "deadlock" in titles(r), json.dumps(r))


def work_is_spread(b):
    exe = b.compile("counters", COUNTERS, "-DTHREADS=2", "-DROUNDS=3")
    one, _ = b.search(exe, "one", "--only-paths")
    two, _ = b.search(exe, "two", "--only-paths", "--jobs", "2")
    expect(two["complete"] and two["paths"] == one["paths"], f"{one}\n{two}")


def kill_when(b, seen, exe, *options):
    """Kills a search in the folder "killed" as soon as seen(what lies there)."""
    folder = os.path.join(b.folder, "killed.deep")
    p = subprocess.Popen(b.command(exe, "killed", "--only-paths", *options),
                         stdout=subprocess.DEVNULL, stderr=subprocess.DEVNULL)
    try:
        end = time.monotonic() + 100
        while not (os.path.isdir(folder) and seen(os.listdir(folder))):
            expect(p.poll() is None, "it ended before it was to be killed")
            expect(time.monotonic() < end, "it did not come to where it was to be killed")
            time.sleep(0.0005)
    finally:
        p.send_signal(signal.SIGKILL)
        p.wait()


def a_kill_is_survived(b):
    exe = b.compile("counters", COUNTERS, "-DTHREADS=2", "-DROUNDS=3")
    whole, _ = b.search(exe, "whole", "--only-paths")
    run = os.path.join(b.folder, "killed.deep", "run-%u")
    kept = []
    for number in 1, 2, 4, 6:  # each is under way; those before it are safe
        kill_when(b, lambda names: f"run-{number}" in names, exe,
                  *(["--resume"] if number > 1 else []))
        kept.append([os.stat(run % i).st_mtime_ns for i in range(1, number)])
    r, _ = b.search(exe, "killed", "--only-paths", "--resume")
    expect(r["complete"] and r["paths"] == whole["paths"], f"{whole}\n{r}")
    for times in kept:
        now = [os.stat(run % i).st_mtime_ns for i in range(1, len(times) + 1)]
        expect(times == now, f"runs were made again: {times}, {now}")


def an_early_kill_is_survived(b):
    """Also one that leaves a database in which nothing was written yet."""
    exe = b.compile("counters", COUNTERS, "-DTHREADS=2", "-DROUNDS=3")
    folder = os.path.join(b.folder, "killed.deep")
    for state in "lock", "frontier.db", None:
        shutil.rmtree(folder, ignore_errors=True)
        if state:
            kill_when(b, lambda names: state in names, exe)
        else:
            os.mkdir(folder)
            with open(os.path.join(folder, "frontier.db"), "w"):
                pass
        r, err = b.search(exe, "killed", "--only-paths", "--resume")
        expect(r["complete"] and r["paths"] == 17, f"{state}: {r} {err}")


def a_kill_before_a_new_beginning_is_survived(b):
    """While the old search is removed: what is left of it is not gone on with."""
    exe = b.compile("counters", COUNTERS, "-DTHREADS=2", "-DROUNDS=3")
    old, _ = b.search(exe, "killed", "--only-paths")
    kill_when(b, lambda names: sum(n.startswith("run-") for n in names) < old["runs"], exe)
    r, err = b.search(exe, "killed", "--only-paths", "--resume")
    expect(r["complete"] and r["paths"] == old["paths"], f"{r} {err}")


def budgets_are_kept(b):
    exe = b.compile("counters", COUNTERS, "-DTHREADS=2", "-DROUNDS=3")
    r, _ = b.search(exe, "budget", "--only-paths", "--runs", "3")
    expect(r["runs"] == 3 and not r["complete"] and r["open"] and r["limits"], json.dumps(r))
    r, _ = b.search(exe, "budget", "--only-paths", "--resume")
    expect(r["complete"] and r["paths"] == 17, json.dumps(r))


def others_are_refused(b):
    exe = b.compile("right", RESULTS % "assert(!r || x);")
    b.search(exe, "mine", "--only-paths")
    r, err = b.search(exe, "mine", "--resume", args=["x"])
    expect(r["rc"] == -1 and "another list of arguments" in err, err)
    other = b.compile("wrong", RESULTS % "assert(!r);")
    r, err = b.search(other, "mine", "--resume")
    expect(r["rc"] == -1 and "another program" in err, err)


TESTS = [runs_are_few, waiting_is_one_path, results_are_not_mixed, deadlocks_are_ends,
         work_is_spread, a_kill_is_survived, an_early_kill_is_survived,
         a_kill_before_a_new_beginning_is_survived, budgets_are_kept, others_are_refused]


def main():
    ap = argparse.ArgumentParser()
    ap.add_argument("--build", required=True)
    ap.add_argument("--tap", action="store_true")
    a = ap.parse_args()
    failed = 0
    print(f"1..{len(TESTS)}")
    for i, test in enumerate(TESTS, 1):
        with tempfile.TemporaryDirectory(prefix="heddle-deep.") as folder:
            try:
                said = test(Bench(os.path.abspath(a.build), folder))
                print(f"ok {i} - {test.__name__}" + (f": {said}" if said else ""), flush=True)
            except (Failure, subprocess.SubprocessError, ValueError) as e:
                failed += 1
                print(f"not ok {i} - {test.__name__}", flush=True)
                for line in str(e).splitlines():
                    print("# " + line)
    return 1 if failed else 0


sys.exit(main())
