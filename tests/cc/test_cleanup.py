"""Clean-up level: what is shared stays one for one."""
import os
import re
import shutil
import subprocess

import llvm_text
from harness import HEDDLE, LLVM, ROOT, Skip, expect, test


def levels(d, source, *words):
    modules = {}
    for level in ["none", "sroa", "full"]:
        r = d.build(*words, "-c", source, "-o", f"{level}.o", env={"HEDDLE_CC_CLEANUP": level},
                    quiet=False)
        expect("not analysed" not in r.err, r)
        modules[level] = llvm_text.Module(d.module(f"{level}.o"))
    return modules


def contains(big, small):
    return any(big[i:i + len(small)] == small for i in range(len(big) - len(small) + 1))


def compare(before, after, source):
    """Every access is there once, and the accesses of a block stand together in their order."""
    expect(set(before.functions) == set(after.functions), f"{source}: functions")
    for name, f in before.functions.items():
        g = after.functions[name]
        expect(f.items() == g.items(), f"{source}: {name}: {f.items()}\nnow {g.items()}")
        for block in f.blocks.values():
            expect(any(contains(b.items, block.items) for b in g.blocks.values()),
                   f"{source}: {name}: order of {block.items}")


@test
def clean_up_keeps_what_is_shared(d):
    d.copy("clean")
    text = d.read("golden.c")
    wanted = {name: want for want, name in
              re.findall(r"/\* expect: ?(.*?) ?\*/\n[^\n]*?(\w+)\([^;{]*\)\n\{", text)}
    expect(len(wanted) == text.count("expect:"), "an expectation is not read")
    for words in [["-O0"], ["-O2"]]:
        full = levels(d, "golden.c", "-w", *words)["full"]
        for name, want in wanted.items():
            f = full.functions[name]
            counts = dict(re.findall(r"(\w+)=(\d+)", want))
            for kind in ["load", "store", "call", "memory", "fence", "rmw", "cmpxchg"]:
                expect(f.count(kind) == int(counts.get(kind, 0)),
                       f"{words} {name}: {f.count(kind)} {kind}, not {counts.get(kind, 0)}")
            expect(f.branches() == int(counts.get("branch", 0)), f"{words} {name}: branches")
            expect("loop" not in want.split() or f.has_loop_with_load(), f"{words} {name}: no loop")
            expect(f.undef == ("undef" in want.split()), f"{words} {name}: undefined value")


@test
def clean_up_of_many_sources(d):
    """Static counts and order of the front end, after promotion, and at full level agree."""
    d.copy("clean")
    d.copy("make")
    d.copy("cmake/lib")
    sources = [d / n for n in ["golden.c", "main.c", "queue.c", "count.c"]]
    for folder in ["src/base", "src/ir", "src/cc"]:
        path = os.path.join(ROOT, folder)
        sources += [os.path.join(path, n) for n in sorted(os.listdir(path)) if n.endswith(".c")]
    llvm_c = d.ok(f"llvm-config-{LLVM}", "--includedir").out.strip()
    before = after = 0
    for i, source in enumerate(sources):
        words = ["-O2"] if i % 2 else ["-O0"]
        # loads from constants may be folded, and which are is seen after promotion only: have none
        m = levels(d, source, "-w", "-Dconst=", *words, "-D_GNU_SOURCE",
                   "-I" + os.path.join(ROOT, "src"), "-I" + ROOT,
                   "-I" + os.path.dirname(HEDDLE), "-isystem", llvm_c)
        compare(m["none"], m["sroa"], source)
        compare(m["none"], m["full"], source)
        for name, f in m["sroa"].functions.items():
            # with -O2 clang adds switches of its own, where a scope is left early, which the way
            # there decides: they may go
            expect(words == ["-O2"] or f.branches() == m["full"].functions[name].branches(),
                   f"{source}: {name}: branches")
        before += sum(len(f.items()) for f in m["none"].functions.values())
        after += sum(len(f.items()) for f in m["full"].functions.values())
    expect(before == after and before > 3000, f"{before} accesses became {after}")


@test
def clean_up_check_can_fail(d):
    """The comparison notices what ordinary optimization does."""
    d.copy("clean")
    m = levels(d, "golden.c", "-w", "-O2")
    d.ok(f"opt-{LLVM}", "-passes=default<O1>", "module.bc", "-o", "opt.bc")
    bad = llvm_text.Module(d.ok(f"llvm-dis-{LLVM}", "opt.bc", "-o", "-").out)
    try:
        compare(m["none"], bad, "golden.c")
    except AssertionError:
        return
    raise AssertionError("nothing was noticed")


@test
def random_programs(d):
    """csmith: the image built from clean-up level computes what the native program computes."""
    if not shutil.which("csmith"):
        raise Skip("csmith is not installed")
    for seed in range(1, 6):
        for words in [["-O0"], ["-O2"]]:
            d.ok("csmith", "-s", str(seed), "--no-packed-struct", "-o", "r.c")
            r = d.build("-w", "-I/usr/include/csmith", *words, "r.c", "-o", "prog")
            try:
                native = d.run(d / "prog", timeout=10)
            except subprocess.TimeoutExpired:
                continue
            image = d.run(d.image("prog"), timeout=60)
            expect(native.out == image.out and native.code == image.code,
                   f"seed {seed} {words}: {native}\nimage: {image}")
