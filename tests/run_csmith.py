#!/usr/bin/env python3
"""Random C programs: native run, the machine, the machine after a round trip through text, and with --export the
native run of the program that is exported as bitcode.

run_csmith.py --build DIR [--count N] [--seed FIRST] [-j N] [--tap] [--careful] [--instructions N] [--export]

Each program must print the same checksum three times (with --careful every fifth one four times: the careful
mode alone is the twin of the fast mode; with --export three of five are exported). Programs that do not end natively within two seconds, or with
--instructions within N instructions of the machine, are replaced by the next seed. A failure leaves its program behind and
prints how to run it again.
"""
import argparse, concurrent.futures, os, shutil, subprocess, sys, tempfile

from harness.program import clang

NATIVE_SECONDS = 2
MACHINE_SECONDS = 300


def run(cmd, seconds, **kw):
    try:
        p = subprocess.run(cmd, timeout=seconds, stdin=subprocess.DEVNULL,
                           stdout=subprocess.PIPE, stderr=subprocess.PIPE, **kw)
        return p.returncode, p.stdout, p.stderr.decode(errors="replace")
    except subprocess.TimeoutExpired:
        return None, b"", "no end after %d s" % seconds


def one(opts, work, seed):  # csmith leaves a platform.info where it stands
    """None: the program runs too long; else (seed, problem or '')."""
    c = os.path.join(work, "%d.c" % seed)
    exe, hir = c[:-2], c[:-2] + ".hir"
    heddle = os.path.join(opts.build, "heddle")
    if run(["csmith", "--seed", str(seed), "-o", c], 30, cwd=work)[0] != 0:
        return None
    rc, _, said = run([os.path.join(opts.build, "heddle-cc"), "-w", "-O1", "-I/usr/include/csmith",
                       c, "-o", exe], 120)
    if rc != 0:
        return seed, "heddle-cc: " + said
    limit = ["--max-instructions=%d" % opts.instructions] if opts.instructions else []
    results = []
    if limit: # by this run, not by the clock, is the program too long or not
        results.append(("exec", run([heddle, "exec", *limit, exe], MACHINE_SECONDS)))
        if "instructions was reached" in results[0][1][2]:
            return None
    rc, want, _ = run([exe], MACHINE_SECONDS if limit else NATIVE_SECONDS)
    if rc is None or rc < 0:
        return None
    if not limit:
        results.append(("exec", run([heddle, "exec", exe], MACHINE_SECONDS)))
    rc, text, err = run([heddle, "dump", "--ir", exe], 120)
    if rc != 0:
        return seed, f"dump: {err}, heddle-cc had said: {said}"
    with open(hir, "wb") as f:
        f.write(text)
    results.append(("exec of the text", run([heddle, "exec", hir], MACHINE_SECONDS)))
    rc, again, err = run([heddle, "dump", "--ir", hir], 120)
    if again != text:
        return seed, "the text does not print back to itself: " + err
    if opts.careful and seed % 5 == 0:
        results.append(("exec --careful", run([heddle, "exec", "--careful", exe], MACHINE_SECONDS)))
    if opts.export and seed % 5 < 3:
        bc, exported = exe + ".bc", exe + ".exported"
        for cmd in ([heddle, "export", exe, "-o", bc], [clang(opts.build), "-O1", bc, "-o", exported]):
            rc, _, err = run(cmd, 120)
            if rc != 0 or err:
                return seed, "%s: exit %s\n%s" % (" ".join(cmd), rc, err[:600])
        results.append(("the exported program", run([exported], MACHINE_SECONDS)))
        os.unlink(bc)
        os.unlink(exported)
    for name, (rc, got, err) in results:
        if rc != 0 or got != want:
            return seed, "%s: exit %s, printed %r instead of %r\n%s" % (name, rc, got[-80:],
                                                                       want[-80:], err[:600])
    for f in (c, exe, hir):
        os.unlink(f)
    return seed, ""


def main():
    ap = argparse.ArgumentParser(description=__doc__)
    ap.add_argument("--build", default="build")
    ap.add_argument("--count", type=int, default=200)
    ap.add_argument("--seed", type=int, default=1)
    ap.add_argument("-j", "--jobs", type=int, default=os.cpu_count())
    ap.add_argument("--tap", action="store_true")
    ap.add_argument("--careful", action="store_true")
    ap.add_argument("--instructions", type=int)
    ap.add_argument("--export", action="store_true")
    opts = ap.parse_args()
    opts.build = os.path.abspath(opts.build)
    if not shutil.which("csmith"):
        sys.exit("run_csmith: csmith is missing (make deps installs it)")
    work = tempfile.mkdtemp(prefix="heddle-csmith-")
    passed, failed, seed = 0, 0, opts.seed
    with concurrent.futures.ThreadPoolExecutor(opts.jobs) as pool:
        waiting = set()
        while passed + failed < opts.count:
            while len(waiting) < min(2 * opts.jobs, opts.count - passed - failed):
                waiting.add(pool.submit(one, opts, work, seed))
                seed += 1
            done, waiting = concurrent.futures.wait(
                waiting, return_when=concurrent.futures.FIRST_COMPLETED)
            for r in (f.result() for f in done):
                if r is None:
                    continue
                ok = not r[1]
                passed, failed = passed + ok, failed + (not ok)
                if opts.tap:
                    print("%sok %d - csmith seed %d" % ("" if ok else "not ", passed + failed, r[0]))
                if not ok:
                    print("# seed %d: %s\n# program left in %s/%d.c" %
                          (r[0], r[1].replace("\n", "\n# "), work, r[0]), flush=True)
    if opts.tap:
        print("1..%d" % (passed + failed))
    else:
        print("%d passed, %d failed" % (passed, failed))
    if not failed:
        shutil.rmtree(work, ignore_errors=True)
    return 1 if failed else 0


if __name__ == "__main__":
    sys.exit(main())
