#!/usr/bin/env python3
"""Import and points-to analysis on generated modules, for the anchors: 100,000 instructions are
imported in under a second and analysed in under ten. CPU seconds, the best of some runs; growth is
shown over four sizes.

The module has the shapes that programs have: modules with structs, lists and trees of their own,
tables of function pointers, wrappers of malloc, call chains, callbacks, and some recursion.
"""
import argparse, os, shutil, subprocess, sys, tempfile

UNIT = """
struct item%(i)d { struct item%(i)d *next; struct item%(p)d *peer; int key; void *data; };
struct ops%(i)d { int (*open)(struct item%(i)d *); int (*step)(struct item%(i)d *, int);
	void (*done)(void *); };
static struct item%(i)d *list%(i)d, *cache%(i)d[16];
static int open%(i)d(struct item%(i)d *x) { x->key = %(i)d; return x->key; }
static int step%(i)d(struct item%(i)d *x, int n)
{
	int sum = 0;
	for (struct item%(i)d *q = x; q && n--; q = q->next) {
		sum += q->key;
		if (q->peer) sum += q->peer->key;
		cache%(i)d[sum & 15] = q;
	}
	return sum;
}
static void done%(i)d(void *x) { struct item%(i)d *q = x; list%(i)d = q->next; free(q->data); free(q); }
static const struct ops%(i)d ops%(i)d[2] = {{open%(i)d, step%(i)d, done%(i)d},
	{open%(i)d, step%(i)d, free}};
struct item%(i)d *make%(i)d(int n, struct item%(p)d *peer)
{
	struct item%(i)d *x = grab(sizeof *x);
	x->next = list%(i)d;
	x->peer = peer;
	x->data = n ? grab((size_t)n) : (void *)cache%(i)d[n & 15];
	list%(i)d = x;
	return x;
}
int run%(i)d(int n)
{
	struct item%(i)d *x = make%(i)d(n, %(peer)s);
	const struct ops%(i)d *o = &ops%(i)d[n & 1];
	int r = o->open(x) + o->step(x, n);
	if (n > 3) { struct item%(i)d local = *x; local.next = cache%(i)d[n & 15]; r += o->step(&local, 2); }
	if (r & 1) o->done(x);
	return n ? r + run%(p)d(n - 1) : r;
}
"""


def module(units):
    out = ["#include <stdlib.h>", "static void *grab(size_t n) { void *p = malloc(n); "
           "if (!p) abort(); return p; }", "struct item0;", "int run0(int);", "struct item0 *make0(int, struct item0 *);"]
    for i in range(units):
        p = max(i - 1, 0)
        out.append(UNIT % {"i": i, "p": p, "peer": "make%d(1, 0)" % p if i % 3 else "0"})
    out.append("int main(void) { return run%d(7); }" % (units - 1))
    return "\n".join(out)


def main():
    ap = argparse.ArgumentParser(description=__doc__)
    ap.add_argument("--build", default="build")
    ap.add_argument("--runs", type=int, default=3)
    ap.add_argument("--llvm", default=os.environ.get("LLVM", "19"))
    opts = ap.parse_args()
    subprocess.run(["ninja", "-C", opts.build, "bench_analysis"], check=True,
                   stdout=subprocess.DEVNULL)
    tool = os.path.join(opts.build, "bench_analysis")
    work = tempfile.mkdtemp(prefix="heddle-bench-")
    print("\n== import and points-to, CPU seconds, best of %d" % opts.runs)
    print("%10s %10s %12s %14s" % ("IR insns", "import", "points-to", "us/insn"))
    for units in (100, 300, 1000, 3000):
        c, bc = os.path.join(work, "m.c"), os.path.join(work, "m.bc")
        with open(c, "w") as f:
            f.write(module(units))
        subprocess.run(["clang-" + opts.llvm, "-w", "-g", "-O1", "-Xclang", "-disable-llvm-passes",
                        "-emit-llvm", "-c", c, "-o", bc], check=True)
        subprocess.run(["opt-" + opts.llvm, "-passes=sroa", bc, "-o", bc], check=True)
        rows = [subprocess.run([tool, bc], check=True, stdout=subprocess.PIPE).stdout.split()
                for _ in range(opts.runs)]
        n, imp = int(rows[0][0]), min(float(r[1]) for r in rows)
        pts = min(float(r[2]) for r in rows)
        print("%10d %10.3f %12.3f %14.2f" % (n, imp, pts, (imp + pts) * 1e6 / n), flush=True)
    shutil.rmtree(work, ignore_errors=True)
    return 0


if __name__ == "__main__":
    sys.exit(main())
