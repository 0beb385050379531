#!/usr/bin/env python3
"""The machine beside lli's interpreter on the same bitcode, and beside native code.

For each kernel in bench/kernels: the program is built by heddle-cc; its merged bitcode is taken out
of the executable and given to `lli --force-interpreter` as it is. Reported are CPU seconds (best of
some runs, interleaved), the ratio, and how the machine stands to the floor of any interpreter of
this kind: nanoseconds for one IR instruction, against a bare dispatch loop (bench/floor.c).
Goal: at least 10 times faster than lli on every kernel. Start-up (loading LLVM, importing the models)
is measured on an empty program and subtracted from neither.

Also: the executable that heddle-cc leaves behind, run plainly, beside plain clang at the same flags.
"""
import argparse, glob, os, resource, shutil, subprocess, sys, tempfile

GOAL = 10.0
NATIVE_GOAL = 1.05


def cpu(cmd, quiet=True):
    before = resource.getrusage(resource.RUSAGE_CHILDREN)
    p = subprocess.run(cmd, stdin=subprocess.DEVNULL, stdout=subprocess.PIPE,
                       stderr=subprocess.PIPE)
    after = resource.getrusage(resource.RUSAGE_CHILDREN)
    return (after.ru_utime - before.ru_utime + after.ru_stime - before.ru_stime, p.returncode,
            p.stdout, p.stderr.decode(errors="replace"))


def best(cmds, runs):
    """CPU seconds of each command, the best of interleaved runs; and the last result of each."""
    times, last = [float("inf")] * len(cmds), [None] * len(cmds)
    for _ in range(runs):
        for i, c in enumerate(cmds):
            r = cpu(c)
            times[i] = min(times[i], r[0])
            last[i] = r
    return times, last


def section(exe, name, out):
    subprocess.run(["objcopy", "--dump-section", "%s=%s" % (name, out), exe, "/dev/null"],
                   check=True, stderr=subprocess.DEVNULL)


def main():
    ap = argparse.ArgumentParser(description=__doc__)
    ap.add_argument("--build", default="build")
    ap.add_argument("--runs", type=int, default=3)
    ap.add_argument("--llvm", default=os.environ.get("LLVM", "19"))
    opts = ap.parse_args()
    here = os.path.dirname(os.path.abspath(__file__))
    heddle = os.path.join(opts.build, "heddle")
    cc = os.path.join(opts.build, "heddle-cc")
    lli = shutil.which("lli-" + opts.llvm)
    if not lli:
        sys.exit("bench_exec: lli-%s is missing (make deps installs it)" % opts.llvm)
    work = tempfile.mkdtemp(prefix="heddle-bench-")
    missed = 0
    print("== machine against lli --force-interpreter, CPU seconds, best of %d" % opts.runs)
    print("%-8s %9s %9s %7s %12s %8s" % ("kernel", "lli", "heddle", "ratio", "IR insns", "ns/insn"))
    product, n, fastest = 1.0, 0, float("inf")
    for c in sorted(glob.glob(os.path.join(here, "kernels", "*.c"))):
        name = os.path.basename(c)[:-2]
        exe, bc = os.path.join(work, name), os.path.join(work, name + ".bc")
        # lli knows no llvm.fmuladd
        subprocess.run([cc, "-O2", "-ffp-contract=off", c, "-o", exe], check=True)
        section(exe, ".heddle.bc", bc)
        t, last = best([[lli, "--force-interpreter", bc], [heddle, "exec", "--stats", exe]],
                       opts.runs)
        if last[0][1] != 0 or last[0][2] != last[1][2]:
            print("%-8s lli cannot run it (%s)" % (name, (last[0][3] or "wrong output")[:60]))
            continue
        insns = int(last[1][3].split("instructions")[0].split()[-1].replace(",", ""))
        ratio = t[0] / t[1]
        missed += ratio < GOAL
        product, n = product * ratio, n + 1
        fastest = min(fastest, t[1] * 1e9 / insns)
        print("%-8s %9.3f %9.3f %6.1fx %12d %8.2f%s" % (name, t[0], t[1], ratio, insns,
              t[1] * 1e9 / insns, "" if ratio >= GOAL else "  <- below %gx" % GOAL))
    if n:
        print("geometric mean %.1fx, goal %gx on each: %s" % (
            product ** (1 / n), GOAL, "met" if not missed else "missed on %d" % missed))
    floor = os.path.join(work, "floor")
    subprocess.run(["cc", "-O2", os.path.join(here, "floor.c"), "-o", floor], check=True)
    bare = min(float(cpu([floor])[2].split()[0]) for _ in range(opts.runs))
    print("floor: a bare threaded loop of register operations takes %.2f ns for each; the machine's "
          "best kernel takes %.2f ns (%.1f times), with checked memory and counting" % (
              bare, fastest, fastest / bare))
    print("\n== heddle-cc executable run plainly against plain clang, CPU seconds")
    print("%-8s %9s %9s %7s" % ("kernel", "clang", "heddle-cc", "ratio"))
    for c in sorted(glob.glob(os.path.join(here, "kernels", "*.c"))):
        name = os.path.basename(c)[:-2]
        plain, exe = os.path.join(work, name + "-plain"), os.path.join(work, name)
        subprocess.run(["clang-" + opts.llvm, "-O2", "-ffp-contract=off", "-fuse-ld=lld", c,
                        "-o", plain], check=True)
        many = "for i in 1 2 3 4 5 6 7 8 9 10; do %s; done"
        t, _ = best([["sh", "-c", many % plain], ["sh", "-c", many % exe]], opts.runs + 2)
        print("%-8s %9.3f %9.3f %6.2fx" % (name, t[0], t[1], t[1] / max(t[0], 1e-9)))
    shutil.rmtree(work, ignore_errors=True)
    return 0


if __name__ == "__main__":
    sys.exit(main())
