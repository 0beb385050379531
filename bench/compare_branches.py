#!/usr/bin/env python3
"""What one run shows of the branches in tests/programs/branches: heddle, ThreadSanitizer, helgrind.

heddle branches records one run and classifies; the other two watch one run each of the same source.
A branch is *found* by one of them if some report of that run names the branch's line in one of its
stacks, or a variable that decides the branch: those that stand in its line, those that heddle gives
with their values for its two ways, and those that the schedule of the flip reads with other values.

Prints the tables of docs/branches-compare.md. Figures are of this machine and this run.
"""
import argparse
import json
import os
import re
import shutil
import subprocess
import sys
import tempfile

ROOT = os.path.dirname(os.path.dirname(os.path.abspath(__file__)))
sys.path.insert(0, os.path.join(ROOT, "tests"))
from harness import annotations
from harness.findings import summary_line

PROGRAMS = os.path.join(ROOT, "tests", "programs", "branches")

TSAN = ["clang-19", "-O2", "-g", "-pthread", "-fsanitize=thread"]
PLAIN = ["cc", "-O2", "-g", "-pthread"]
# our program, the paper's name for its model, its Table 1: branches found, of these harmful
PAPER = [("account", "Account", 1, 1), ("airline", "Airline", 0, 0),
         ("allocation_vector", "Allocation", 0, 0), ("critical", "Critical", 2, 1),
         ("string_buffer", "StringBuffer", 4, 2), ("buf_writer", "BufWriter", 1, 1),
         ("linked_list", "LinkedList", 0, 0), ("piper", "Piper", 4, 1), ("loader", "Loader", 3, 2),
         ("shop", "Shop", 3, 0), ("sor", "Sor", 2, 0), ("philo", "Philo", 0, 0)]
HELGRIND = ["valgrind", "--tool=helgrind", "--history-level=full"]


def run(command, cwd, seconds, **more):
    """What it printed, output and errors; what it did not end in time is cut off."""
    try:
        r = subprocess.run(command, cwd=cwd, stdin=subprocess.DEVNULL, stdout=subprocess.PIPE,
                           stderr=subprocess.PIPE, timeout=seconds, **more)
        return r.returncode, r.stdout.decode(errors="replace"), r.stderr.decode(errors="replace")
    except subprocess.TimeoutExpired as e:
        return None, (e.stdout or b"").decode(errors="replace"), (e.stderr or b"").decode(
            errors="replace")


def compile_with(command, source, exe):
    status, _, err = run([*command, source, "-o", exe], ROOT, 60)
    if status:
        sys.exit(f"compare_branches.py: {source}: {err}")


# ---- what each tool says --------------------------------------------------------------------

def heddle(build, source, notes, folder):
    exe = os.path.join(folder, "heddle.exe")
    compile_with([os.path.join(build, "heddle-cc"), "-O2", "-g", "-pthread"], source, exe)
    words = notes["command"].partition(" -- ")[0].split()[2:]
    _, out, err = run([os.path.join(build, "heddle"), "branches", "--json", *words, "--", exe],
                      folder, 120)
    try:
        return json.loads(out)["findings"]
    except (ValueError, KeyError):
        sys.exit(f"compare_branches.py: {source}: {err}")


def reports(text, begin):
    """The reports of a tool, each as one text."""
    found, current = [], None
    for line in text.split("\n"):
        if re.search(begin, line):
            current = []
            found.append(current)
        if current is not None:
            current.append(line)
    return ["\n".join(r) for r in found]


def tsan(source, folder):
    exe = os.path.join(folder, "tsan.exe")
    compile_with(TSAN, source, exe)
    _, _, err = run([exe], folder, 30)
    return reports(err, r"WARNING: ThreadSanitizer:")


def helgrind(source, folder):
    exe = os.path.join(folder, "plain.exe")
    compile_with(PLAIN, source, exe)
    _, _, err = run([*HELGRIND, exe], folder, 60)
    text = re.sub(r"^==\d+== ?", "", err, flags=re.M)
    return reports(text, r"^(Possible data race|Thread #\d+.*(lock order|unlock|pthread_cond)|"
                         r"Thread #\d+: )")


# ---- who found what -------------------------------------------------------------------------

def variables(finding, text):
    """The names of what decides: 'column_map', the 'size' of '(size = 1)', those of the line."""
    flip = finding["flip"]
    names = set(re.findall(r"[A-Za-z_]\w*", text))
    for way in (flip["recorded"] or "", flip["flipped"] or ""):
        for group in re.findall(r"\(([^()]*)\)", way):
            names |= set(re.findall(r"([A-Za-z_]\w*)[^,=]* = ", group))
        names |= set(re.findall(r"uses ([A-Za-z_]\w*)[.\[]", way))
    for step in finding["steps"]:
        m = re.match(r"reads ([A-Za-z_]\w*)", step.get("what") or "")
        if m and step.get("recorded"):
            names.add(m[1])
    return names


def names_it(report, source, line, names):
    if re.search(rf"\b{re.escape(os.path.basename(source))}:{line}\b", report):
        return True
    return any(re.search(rf"'{n}'|\"{n}\"|inside {n}\b|symbol \"{n}\"", report) for n in names)


class Table:
    def __init__(self):
        self.rows, self.classes, self.quiet = [], {}, []

    def add(self, source, notes, found, by_tsan, by_helgrind):
        for f in found:
            self.classes[f["flip"]["class"]] = self.classes.get(f["flip"]["class"], 0) + 1
        bugs = [f for f in found if f["flip"]["class"] == "bug"]
        for f in sorted(bugs, key=lambda f: summary_line(f)[1]):
            line = summary_line(f)[1]
            text = self.text_of(source, line)
            names = variables(f, text)
            hits = [any(names_it(r, source, line, names) for r in reports)
                    for reports in (by_tsan, by_helgrind)]
            self.rows.append((os.path.basename(source), line, f["flip"]["kind"], text, *hits))
        if not bugs:
            self.quiet.append((os.path.basename(source), len(by_tsan), len(by_helgrind)))

    @staticmethod
    def text_of(source, line):
        with open(source) as f:
            text = f.read().split("\n")[line - 1]
        return re.sub(r"\s*/\*.*?\*/", "", text).strip().replace("|", "\\|")

    def show(self):
        print("| program | line | what decides | branch | ThreadSanitizer | helgrind |")
        print("|---|---|---|---|---|---|")
        for name, line, kind, text, t, h in self.rows:
            print(f"| {name} | {line} | {kind} | `{text}` | {'yes' if t else '-'} | "
                  f"{'yes' if h else '-'} |")
        n = len(self.rows)
        print(f"\n| | bug branches of {n} |\n|---|---|")
        print(f"| heddle (by definition: what it calls bugs; each confirmed by replay) | {n} |")
        for k, tool in ((4, "ThreadSanitizer"), (5, "helgrind")):
            print(f"| {tool} | {sum(r[k] for r in self.rows)} |")
        print(f"| neither of the two | {sum(not (r[4] or r[5]) for r in self.rows)} |")
        print("\n" + ", ".join(f"{n} {c}" for c, n in sorted(self.classes.items())) +
              " branches in all.")
        print(f"Programs without a bug branch: {len(self.quiet)}; with reports of ThreadSanitizer: "
              f"{sum(1 for q in self.quiet if q[1])}, of helgrind: "
              f"{sum(1 for q in self.quiet if q[2])}.")


def paper(build):
    """The programs of the paper's Table 1, re-created, beside its figures."""
    print("| program | the paper's: found (harmful) | here: bug | ad hoc | unclear |")
    print("|---|---|---|---|---|")
    for name, theirs, n, harmful in PAPER:
        source = os.path.join(PROGRAMS, name + ".c")
        with tempfile.TemporaryDirectory(prefix="heddle-compare-") as folder:
            found = heddle(build, source, annotations.parse(source), folder)
        cells = []
        for c in ("bug", "adhoc", "unclear"):
            lines = [summary_line(f)[1] for f in found
                     if f["flip"]["class"] == c and f["status"] == "confirmed"]
            cells.append(", ".join(f"`{Table.text_of(source, line)}`" for line in lines) or "-")
        print(f"| {name} | {theirs}: {n} ({harmful}) | " + " | ".join(cells) + " |", flush=True)
    print()


def main():
    ap = argparse.ArgumentParser(description=__doc__,
                                 formatter_class=argparse.RawDescriptionHelpFormatter)
    ap.add_argument("--build", default="build")
    ap.add_argument("--paper", action="store_true", help="only the programs of the paper's table")
    ap.add_argument("paths", nargs="*")
    args = ap.parse_args()
    build, table = os.path.abspath(args.build), Table()
    if not args.paths:
        paper(build)
    if args.paper:
        return
    for source in annotations.c_files(args.paths or [PROGRAMS]):
        source = os.path.abspath(source)
        notes = annotations.parse(source)
        folder = tempfile.mkdtemp(prefix="heddle-compare-")
        try:
            found = heddle(build, source, notes, folder)
            table.add(source, notes, [f for f in found if f["status"] == "confirmed"],
                      tsan(source, folder), helgrind(source, folder))
        finally:
            shutil.rmtree(folder, ignore_errors=True)
    table.show()


if __name__ == "__main__":
    main()
