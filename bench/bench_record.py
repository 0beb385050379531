#!/usr/bin/env python3
"""What recording costs, side by side with ThreadSanitizer and helgrind, and what re-execution takes.

bench_record.py [--build DIR] [--runs N] [--scale X] [--only A,B] [--no-growth] [--no-helgrind]

For each kernel in bench/record, and lbzip2 from Debian's sources if it can be had: CPU seconds (user and
system) of the program, the median of interleaved runs, as
 - native: clang -O2
 - heddle: the image that `heddle record` runs, without the collector, whose CPU time is a column of
   its own (it compresses and writes beside the program)
 - tsan: clang -O2 -fsanitize=thread
 - helgrind: valgrind, once, at a smaller size, against native at that size
Then the size of the log for each event, how fast re-execution is, and how both grow with the length
of the run. Goals are printed with what was measured; a missed goal is no error.
"""
import argparse
import glob
import json
import math
import os
import shutil
import statistics
import subprocess
import sys
import tempfile
import time

GOAL_NATIVE, GOAL_STENCIL, GOAL_TSAN, GOAL_SPEED = 2.0, 4.0, 4.0, 50.0
# size for helgrind, and to show growth: about 10^6 IR instructions
SMALL = {"alloc": 200000, "chase": 1, "hash": 100000, "phases": 200, "pipeline": 2000,
         "queue_atomic": 200000, "stencil": 20, "strings": 100}
GROWTH = [("hash", 12000), ("pipeline", 60), ("queue_atomic", 10000)]
DEBIAN_SOURCE = "deb-src http://deb.debian.org/debian bookworm main\n"


# ---- measuring ---------------------------------------------------------------------------------

def ticks_of_zombie(pid):
    """CPU seconds of a process that ended and was not waited for: its own, not its children's."""
    with open("/proc/%d/stat" % pid) as f:
        fields = f.read().rsplit(")", 1)[1].split()
    return (int(fields[11]) + int(fields[12])) / os.sysconf("SC_CLK_TCK")


class Run:
    """CPU seconds of a command; for `heddle record`, those of the program and of the collector."""

    def __init__(self, command, env=None, split=False):
        began = time.monotonic()
        with tempfile.TemporaryFile() as out, tempfile.TemporaryFile() as err:
            p = subprocess.Popen(command, stdin=subprocess.DEVNULL, stdout=out, stderr=err, env=env)
            os.waitid(os.P_PID, p.pid, os.WEXITED | os.WNOWAIT)
            own = ticks_of_zombie(p.pid) if split else 0
            _, status, usage = os.wait4(p.pid, 0)
            p.returncode = os.waitstatus_to_exitcode(status)
            out.seek(0)
            err.seek(0)
            self.output, self.error = out.read(), err.read().decode(errors="replace")
        self.wall = time.monotonic() - began
        self.status, self.collector = p.returncode, own
        self.cpu = usage.ru_utime + usage.ru_stime - own


def need(command, **kw):
    r = subprocess.run(command, stdin=subprocess.DEVNULL, stdout=subprocess.PIPE,
                       stderr=subprocess.STDOUT, **kw)
    if r.returncode:
        sys.exit("bench_record: '%s' failed:\n%s" % (" ".join(command[:6]),
                                                    r.stdout.decode(errors="replace")[-2000:]))


# ---- programs -----------------------------------------------------------------------------------

class Subject:
    """One program in its three builds; args(size) are its arguments."""

    def __init__(self, name, native, heddle, tsan, args, small, goal=GOAL_NATIVE):
        self.name, self.native, self.heddle, self.tsan = name, native, heddle, tsan
        self.args, self.small, self.goal = args, small, goal


def kernels(o, work):
    here = os.path.dirname(os.path.abspath(__file__))
    for c in sorted(glob.glob(os.path.join(here, "record", "*.c"))):
        name = os.path.basename(c)[:-2]
        if o.only and name not in o.only:
            continue
        exe = os.path.join(work, name)
        clang = ["clang-" + o.llvm, "-O2", "-g", "-pthread", c, "-lm", "-o"]
        need(clang + [exe])
        need(clang + [exe + "-tsan", "-fsanitize=thread"])
        need([o.cc, "-O2", "-g", "-pthread", c, "-lm", "-o", exe + "-heddle"])
        size = default_size(c)
        full = [str(max(1, int(size * o.scale)))]
        yield Subject(name, exe, exe + "-heddle", exe + "-tsan",
                      lambda n, full=full: full if n is None else [str(max(1, int(n)))],
                      SMALL.get(name, size / 10), GOAL_STENCIL if name == "stencil" else GOAL_NATIVE)


def default_size(path):
    """The number in `argc > 1 ? … : N`, which a kernel takes without an argument."""
    with open(path) as f:
        return int(f.read().split("argc > 1 ?")[1].split(":")[1].split(";")[0])


def lbzip2(o, work):
    """lbzip2 by Debian's source package; None, with a word, if it cannot be had."""
    apt = os.path.join(work, "apt")
    for d in ("lists/partial", "cache/archives/partial"):
        os.makedirs(os.path.join(apt, d))
    with open(os.path.join(apt, "sources.list"), "w") as f:
        f.write(DEBIAN_SOURCE)
    with open(os.path.join(apt, "apt.conf"), "w") as f:
        f.write('Dir::Etc::SourceList "%s/sources.list";\nDir::Etc::SourceParts "-";\n'
                'Dir::State::Lists "%s/lists";\nDir::Cache "%s/cache";\n'
                'APT::Sandbox::User "root";\n' % (apt, apt, apt))
    env = dict(os.environ, APT_CONFIG=os.path.join(apt, "apt.conf"))
    for command in (["apt-get", "update", "-q"], ["apt-get", "source", "-q", "--download-only", "lbzip2"]):
        try:
            subprocess.run(command, cwd=apt, env=env, timeout=120, stdin=subprocess.DEVNULL,
                           stdout=subprocess.DEVNULL, stderr=subprocess.DEVNULL)
        except (OSError, subprocess.TimeoutExpired):
            break
    tars = glob.glob(os.path.join(apt, "lbzip2_*.orig.tar.*"))
    if not tars:
        print("lbzip2: its source package cannot be had here; skipped")
        return None
    source = os.path.join(work, "lbzip2-source")
    os.mkdir(source)
    need(["tar", "xf", tars[0], "-C", source, "--strip-components=1"])
    # gnulib of that age asks for names that glibc no longer shows
    old = "-D_IO_ftrylockfile -D_IO_IN_BACKUP=0x100 -D_IO_ERR_SEEN=0x20"
    clang = "clang-" + o.llvm
    need(["./configure", "CC=" + clang, "CFLAGS=-O2 -g"], cwd=source)
    exes = []
    for kind, cc, flags in (("native", clang, ""), ("heddle", o.cc, ""),
                            ("tsan", clang, " -fsanitize=thread")):
        tree = os.path.join(work, "lbzip2-" + kind)
        shutil.copytree(source, tree, symlinks=True)
        need(["make", "-j2", "CC=" + cc, "CPPFLAGS=" + old, "CFLAGS=-O2 -g" + flags], cwd=tree)
        exes.append(os.path.join(tree, "src", "lbzip2"))
    text = b"".join(b"%d warp weft %d shuttle %d\n" % (i, i * i % 7919, i * 31 % 104729)
                    for i in range(1000000))

    def args(size):
        n = 20000000 * o.scale if size is None else size
        path = os.path.join(work, "text-%d" % n)
        if not os.path.exists(path):
            with open(path, "wb") as f:
                f.write(text[:int(n)])
        return ["-n", "2", "-c", path]
    return Subject("lbzip2", *exes, args, 1000000)


# ---- what a trace says ---------------------------------------------------------------------------

def size_of(trace):
    return sum(os.path.getsize(os.path.join(trace, f)) for f in os.listdir(trace)
               if f.startswith("log"))


def follow(o, trace):
    """Instructions, bytes of log and CPU seconds of re-executing a trace; a reason if it fails."""
    r = Run([os.path.join(o.build, "bench_follow"), trace])
    if r.status:
        return None, r.error.strip().split("\n")[-1] or "a thread is not reproduced"
    insns, bytes_, seconds = r.output.split()
    return (int(insns), int(bytes_), float(seconds)), None


def count_events(o, trace):
    r = Run([o.heddle, "trace", "--json", trace])
    return sum(t["events"] for t in json.loads(r.output)["threads"]) if r.status == 0 else None


# ---- tables -----------------------------------------------------------------------------------------

def verdict(ok):
    return "met" if ok else "missed"


def measure(o, s, work):
    """One row: medians of interleaved runs."""
    trace = os.path.join(work, "trace")

    def record(args):
        shutil.rmtree(trace, ignore_errors=True)
        return Run([o.heddle, "record", "-o", trace, "--", s.heddle, *args], split=True)

    args = s.args(None)
    first = record(args)  # builds the image
    native, heddle, collector, tsan = [], [], [], []
    want = Run([s.native, *args]).output
    if first.status or first.output != want:
        print("%-13s cannot be recorded: %s" % (s.name, first.error.strip().split("\n")[-1][:80]))
        return None
    for _ in range(o.runs):
        native.append(Run([s.native, *args]).cpu)
        r = record(args)
        heddle.append(r.cpu)
        collector.append(r.collector)
        tsan.append(Run([s.tsan, *args]).cpu)
    row = {"name": s.name, "goal": s.goal, "trace": trace, "bytes": size_of(trace)}
    for key, values in (("native", native), ("heddle", heddle), ("collector", collector),
                        ("tsan", tsan)):
        row[key] = statistics.median(values)
    row["helgrind"] = None
    if shutil.which("valgrind") and not o.no_helgrind:
        args = s.args(s.small)
        # so short that one run says little
        base = statistics.median(Run([s.native, *args]).cpu for _ in range(7))
        slow = Run(["valgrind", "--tool=helgrind", "-q", s.native, *args]).cpu
        row["helgrind"] = slow / max(base, 0.001)
    return row


def print_row(row):
    n = max(row["native"], 1e-9)
    ratio = row["heddle"] / n
    print("%-13s %8.2f %8.2fx %9.2fx %8.1fx %9s %11.1fx  %s" % (
        row["name"], row["native"], ratio, row["collector"] / n, row["tsan"] / n,
        "%.0fx" % row["helgrind"] if row["helgrind"] else "-", row["tsan"] / row["heddle"],
        "%s (goal %gx)" % (verdict(ratio <= row["goal"]), row["goal"])), flush=True)


def cost(o, subjects, work):
    print("\n== recording, CPU time against native -O2, median of %d interleaved runs" % o.runs)
    print("%-13s %8s %9s %10s %9s %9s %12s" % ("program", "native s", "heddle", "collector", "tsan",
                                              "helgrind", "tsan/heddle"))
    rows, numbers = [], []
    for s in subjects:
        row = measure(o, s, work)
        if not row:
            continue
        print_row(row)
        rows.append(row)
        numbers.append((row, *follow(o, row["trace"]), *sizes(o, s, row["trace"])))
    if rows:
        mean = math.exp(statistics.fmean(math.log(r["tsan"] / r["heddle"]) for r in rows))
        print("cheaper than ThreadSanitizer, geometric mean: %.1fx, goal %gx: %s" % (
            mean, GOAL_TSAN, verdict(mean >= GOAL_TSAN)))
        within = sum(r["heddle"] <= r["goal"] * r["native"] for r in rows)
        print("within their goals against native: %d of %d" % (within, len(rows)))
    return numbers


def sizes(o, s, trace):
    """Bytes for each event, as logged and in the file, of a small run; None if that fails."""
    shutil.rmtree(trace, ignore_errors=True)
    r = Run([o.heddle, "record", "-o", trace, "--", s.heddle, *s.args(s.small)])
    numbers = follow(o, trace)[0] if r.status == 0 else None
    events = count_events(o, trace) if numbers else None
    if not events:
        return None, None
    return numbers[1] / events, size_of(trace) / events


def reading(numbers):
    print("\n== traces: re-execution, one thread at a time; bytes of log for each event (small runs)")
    print("%-13s %14s %9s %13s %11s %11s" % ("program", "instructions", "million/s",
                                            "log B/insn", "raw B/event", "file B/event"))
    for row, n, why, raw, packed in numbers:
        if n is None:
            print("%-13s cannot be executed again: %s" % (row["name"], why))
            continue
        speed = n[0] / max(n[2], 1e-9) / 1e6
        print("%-13s %14d %9.1f %13.3f %11s %11s  %s (goal %g million/s)" % (
            row["name"], n[0], speed, n[1] / max(n[0], 1), "%.2f" % raw if raw else "-",
            "%.2f" % packed if packed else "-", verdict(speed >= GOAL_SPEED), GOAL_SPEED), flush=True)


def slope(points):
    """Of the line through points in logarithms: 1 is linear growth."""
    xs, ys = [math.log(x) for x, _ in points], [math.log(max(y, 1e-9)) for _, y in points]
    mx, my = statistics.fmean(xs), statistics.fmean(ys)
    return sum((x - mx) * (y - my) for x, y in zip(xs, ys)) / sum((x - mx) ** 2 for x in xs)


def growth(o, subjects, work):
    print("\n== growth with the length of the run")
    print("%-13s %14s %14s %14s %13s %13s" % ("program", "instructions", "raw bytes", "file bytes",
                                             "follow CPU s", "program CPU s"))
    by_name = {s.name: s for s in subjects}
    trace = os.path.join(work, "trace")
    for name, size in GROWTH:
        if name not in by_name:
            continue
        points = []
        for k in range(o.decades):
            shutil.rmtree(trace, ignore_errors=True)
            s = by_name[name]
            r = Run([o.heddle, "record", "-o", trace, "--", s.heddle, *s.args(size * 10 ** k)],
                    split=True)
            n, why = follow(o, trace)
            if n is None:
                print("%-13s cannot be executed again: %s" % (name, why))
                break
            points.append((n[0], n[1], size_of(trace), n[2], r.cpu))
            print("%-13s %14d %14d %14d %13.3f %13.3f" % (name, *points[-1]), flush=True)
        # the shortest runs are mostly what is the same for every run
        tail = points[-3:]
        if len(tail) > 1:
            print("%-13s slope (1 = linear): raw bytes %.3f, file bytes %.3f, re-execution %.3f" % (
                name, *(slope([(p[0], p[i]) for p in tail]) for i in (1, 2, 3))))


def main():
    ap = argparse.ArgumentParser(description=__doc__,
                                 formatter_class=argparse.RawDescriptionHelpFormatter)
    ap.add_argument("--build", default="build")
    ap.add_argument("--runs", type=int, default=5)
    ap.add_argument("--scale", type=float, default=0.25,
                    help="of the kernels' sizes; at 1 they take a second and log up to 20 GB")
    ap.add_argument("--only", help="these programs, comma between them")
    ap.add_argument("--no-growth", action="store_true")
    ap.add_argument("--no-helgrind", action="store_true")
    ap.add_argument("--decades", type=int, default=4, help="of growth: 4 ends near 10^9")
    ap.add_argument("--llvm", default=os.environ.get("LLVM", "19"))
    o = ap.parse_args()
    o.only = o.only.split(",") if o.only else None
    o.build = os.path.abspath(o.build)
    o.heddle, o.cc = os.path.join(o.build, "heddle"), os.path.join(o.build, "heddle-cc")
    subprocess.run(["ninja", "-C", o.build, "bench_follow"], check=True, stdout=subprocess.DEVNULL)
    work = tempfile.mkdtemp(prefix="heddle-bench-")
    os.environ["XDG_CACHE_HOME"] = os.path.join(work, "cache")  # of images
    subjects = list(kernels(o, work))
    if not o.only or "lbzip2" in o.only:
        real = lbzip2(o, work)
        subjects += [real] if real else []
    reading(cost(o, subjects, work))
    if not o.no_growth:
        growth(o, subjects, work)
    shutil.rmtree(work, ignore_errors=True)
    return 0


if __name__ == "__main__":
    sys.exit(main())
