#!/usr/bin/env python3
"""heddle-cc from outside, in front of make, autotools, CMake and by hand.

usage: run.py [--tap] HEDDLE HEDDLE_CC [NAME...]     NAME: run only these tests
"""
import os
import re
import shutil
import subprocess
import sys
import tempfile
import traceback

import llvm_text

words = sys.argv[1:]
TAP = "--tap" in words
words = [w for w in words if w != "--tap"]
HEDDLE, CC = map(os.path.abspath, words[:2])
ONLY = words[2:]
HERE = os.path.dirname(os.path.abspath(__file__))
ROOT = os.path.dirname(os.path.dirname(HERE))
LLVM = re.search(r"LLVM (\d+)", subprocess.run([HEDDLE, "--version"], capture_output=True, text=True,
                                               check=True).stdout).group(1)
CLANG = f"clang-{LLVM}"
TESTS = []


class Skip(Exception):
    pass


class Result:
    def __init__(self, p):
        self.code, self.out, self.err = p.returncode, p.stdout, p.stderr

    def __str__(self):
        return f"exit code {self.code}\n{self.out}{self.err}"


class Box:
    """A directory of its own for one test."""

    def __init__(self, path):
        self.path = path

    def __truediv__(self, name):
        return os.path.join(self.path, name)

    def write(self, name, text):
        os.makedirs(os.path.dirname(self / name), exist_ok=True)
        with open(self / name, "w") as f:
            f.write(text)

    def read(self, name, mode="r"):
        with open(self / name, mode) as f:
            return f.read()

    def copy(self, fixture):
        shutil.copytree(os.path.join(HERE, fixture), self.path, dirs_exist_ok=True)

    def run(self, *command, env=None, stdin=None, timeout=120, cwd=None):
        return Result(subprocess.run(command, capture_output=True, text=True, errors="replace",
                                     cwd=cwd or self.path, env={**os.environ, **(env or {})},
                                     input=stdin, timeout=timeout))

    def ok(self, *command, **kw):
        r = self.run(*command, **kw)
        expect(r.code == 0, f"{' '.join(command)}: {r}")
        return r

    def cc(self, *arguments, **kw):
        return self.run(CC, *arguments, **kw)

    def build(self, *arguments, quiet=True, **kw):
        """heddle-cc must succeed and, unless told otherwise, say nothing."""
        r = self.ok(CC, *arguments, **kw)
        expect(not quiet or not r.err, f"heddle-cc {' '.join(arguments)} says\n{r.err}")
        return r

    def info(self, program):
        return self.ok(HEDDLE, "info", program).out

    def section(self, file, name):
        """The contents, or None."""
        out = self / "section.out"
        if os.path.exists(out):
            os.unlink(out)
        r = self.run(f"llvm-objcopy-{LLVM}", f"--dump-section={name}={out}", file, "/dev/null")
        if r.code:
            return None
        with open(out, "rb") as f:
            return f.read()

    def module(self, file):
        """The text of the bitcode in an object or program."""
        bitcode = self.section(file, ".heddle.bc")
        expect(bitcode, f"'{file}' has no bitcode")
        with open(self / "module.bc", "wb") as f:
            f.write(bitcode)
        return self.ok(f"llvm-dis-{LLVM}", "module.bc", "-o", "-").out

    def image(self, program):
        """A plain image of the program, built where nothing of the build tree can be found."""
        away = tempfile.mkdtemp()
        try:
            shutil.copy(self / program, os.path.join(away, "program"))
            hidden = self.path + ".hidden"
            os.rename(self.path, hidden)
            try:
                r = self.run(HEDDLE, "image", "program", "-o", "image", cwd=away)
            finally:
                os.rename(hidden, self.path)
            expect(r.code == 0, f"image of {program}: {r}")
            shutil.copy(os.path.join(away, "image"), self / "image")
        finally:
            shutil.rmtree(away)
        return self / "image"

    def same_behaviour(self, program, *arguments):
        """Natively and rebuilt from what travels in it."""
        native = self.run(self / program, *arguments)
        image = self.run(self.image(program), *arguments)
        expect((native.code, native.out) == (image.code, image.out),
               f"the image differs: {native}\nimage: {image}")
        return native


def expect(condition, what):
    if not condition:
        raise AssertionError(what)


def test(f):
    TESTS.append(f)
    return f


HELLO = '#include <stdio.h>\nint main(void)\n{\n\tputs("hello");\n\treturn 0;\n}\n'


def defined(module):
    return set(re.findall(r"^define [^\n]*?@([\w.]+)\(", module, re.M))


# ---- build systems ----------------------------------------------------------------------------


@test
def makefile(d):
    d.copy("make")
    d.ok("make", "-j2", f"CC={CC}")
    expect(d.same_behaviour("prog").out == "sum 15\n", "output")
    expect(defined(d.module("prog")) == {"main", "consume", "queue_put", "queue_get"}, "functions")
    expect("up to date" in d.ok("make", f"CC={CC}").out, "built again for nothing")
    os.utime(d / "queue.h", (4e9, 4e9))
    expect("queue.c" in d.run("make", "-n", f"CC={CC}").out, "the dependency files are lost")


@test
def makefile_info(d):
    d.copy("make")
    d.ok("make", f"CC={CC}")
    info = d.info("prog")
    for line in [r"taken in: 4 functions of 2 units", r"  consume +\S*main\.c:8",
                 r"left native: 0 functions of 0 objects",
                 r"  printf +libc\.so\.6 +\S*main\.c:23",
                 r"  pthread_cond_wait +1 +\S*queue\.c:17",
                 r"  pthread_mutex_lock +2 +\S*queue\.c:5, \S*queue\.c:15",
                 r"  atomic rmw\.add, seq_cst +1 +\S*main\.c:11",
                 r"  \S*main\.c:19 in main: runs consume"]:
        expect(re.search(f"^{line}$", info, re.M), f"no line '{line}' in\n{info}")


@test
def autotools(d):
    d.copy("autotools")
    d.ok("autoreconf", "-i", timeout=300)
    for kind, compiler in [("plain", CLANG), ("ours", CC)]:
        os.mkdir(d / kind)
        d.ok("../configure", f"CC={compiler}", cwd=d / kind, timeout=300)
    expect(d.read("plain/config.h") == d.read("ours/config.h"), "configure finds other things")
    expect("loom_cv_warns=no" in d.read("ours/config.log"), "heddle-cc warns without a reason")
    d.ok("make", "-j2", cwd=d / "ours")
    expect(d.ok(d / "ours/loom").out == "loom 1.0 wove 4\n", "output")
    info = d.info("ours/loom")
    expect(re.search(r"libloom\.a: 1 of 2 members used", info), info)
    expect("unused.o (not used)" in info, info)


@test
def cmake(d):
    d.copy("cmake")
    d.ok("cmake", "-S", ".", "-B", "out", f"-DCMAKE_C_COMPILER={CC}", "-DCMAKE_BUILD_TYPE=Release",
         timeout=300)
    d.ok("cmake", "--build", "out", "-j2", timeout=300)
    expect(d.same_behaviour("out/shuttle").out == "3 1\n", "output")
    expect(defined(d.module("out/shuttle")) == {"main", "step", "count_to"}, "functions")
    expect("libthread.a: 1 of 2 members used" in d.info("out/shuttle"), "archive")


# ---- archives ---------------------------------------------------------------------------------

MEMBERS = ["first", "second", "third", "fourth", "fifth"]


def check_archive(d, program):
    expect(d.same_behaviour(program).code == 0, "exit code")
    expect(defined(d.module(program)) == {"main", "first", "second"}, "functions")
    info = d.info(program)
    expect("2 of 5 members used" in info and "third.o (not used)" in info, info)


@test
def archive(d):
    d.copy("archive")
    d.build("-c", "-O1", *[m + ".c" for m in MEMBERS], "main.c")
    d.ok("ar", "rc", "libnumbers.a", *[m + ".o" for m in MEMBERS])
    d.build("main.o", "libnumbers.a", "-o", "by-path")
    d.build("main.o", "-L.", "-lnumbers", "-o", "by-name")
    d.build("main.o", "-Wl,-L.,-lnumbers", "-o", "by-linker")
    for program in ["by-path", "by-name", "by-linker"]:
        check_archive(d, program)


@test
def archives_of_other_makes(d):
    d.copy("archive")
    d.build("-c", *[m + ".c" for m in MEMBERS], "main.c")
    objects = [m + ".o" for m in MEMBERS]
    d.ok("ar", "rcT", "thin.a", *objects)
    d.ok(f"llvm-ar-{LLVM}", "rc", "llvm.a", *objects)
    d.ok(f"llvm-ar-{LLVM}", "--format=bsd", "-rc", "bsd.a", *objects)
    os.rename(d / "first.o", d / "a_first_member_with_a_long_name.o")
    d.ok("ar", "rc", "long.a", "a_first_member_with_a_long_name.o", *objects[1:])
    os.rename(d / "a_first_member_with_a_long_name.o", d / "first.o")
    for a in ["thin", "llvm", "bsd", "long"]:
        d.build("main.o", a + ".a", "-o", a)
        check_archive(d, a)


@test
def archive_with_members_of_one_name(d):
    d.copy("archive")
    for i, m in enumerate(["first", "second"]):
        os.mkdir(d / m)
        d.build("-c", m + ".c", "-o", f"{m}/same.o")
    d.ok("ar", "qc", "same.a", "first/same.o", "second/same.o")
    d.build("-c", "main.c")
    r = d.build("main.o", "same.a", "-o", "prog", quiet=False)
    expect("2 parts of 'prog' stay native" in r.err, r)
    expect("several members of this name" in d.info("prog"), "reason")
    expect(d.same_behaviour("prog").code == 0, "exit code")


@test
def archive_that_is_not_used(d):
    d.copy("archive")
    d.build("-c", "third.c")
    d.ok("ar", "rc", "libspare.a", "third.o")
    d.write("hello.c", HELLO)
    d.build("hello.c", "-L.", "-lspare", "-o", "hello")
    expect("libspare.a: 0 of 1 members used" in d.info("hello"), "archive")
    expect(d.same_behaviour("hello").out == "hello\n", "output")


# ---- command lines ----------------------------------------------------------------------------


@test
def one_shot(d):
    d.copy("archive")
    d.build("-O2", "main.c", "first.c", "second.c", "-o", "prog")
    expect(d.same_behaviour("prog").code == 0, "exit code")
    expect(defined(d.module("prog")) == {"main", "first", "second"}, "functions")
    expect(sorted(f for f in os.listdir(d.path) if f.endswith(".o")) == [], "objects are left")


@test
def a_out(d):
    d.write("hello.c", HELLO)
    d.build("hello.c")
    expect(d.same_behaviour("a.out").out == "hello\n", "output")


@test
def compile_only(d):
    d.copy("archive")
    d.build("-c", "main.c", "-o", "elsewhere.obj")
    expect(defined(d.module("elsewhere.obj")) == {"main"}, "functions")
    d.build("-c", "first.c", "second.c")
    expect(defined(d.module("first.o")) == {"first"}, "first.o")
    expect(defined(d.module("second.o")) == {"second"}, "second.o")
    d.build("-c", "-ofirst2.o", "first.c")
    expect(d.section("first2.o", ".heddle.bc"), "joined -o")


@test
def mixed_inputs(d):
    d.copy("archive")
    d.build("-c", "first.c", "second.c")
    d.ok("ar", "rc", "libsecond.a", "second.o")
    d.build("main.c", "first.o", "libsecond.a", "-o", "prog")
    expect(d.same_behaviour("prog").code == 0, "exit code")
    expect(defined(d.module("prog")) == {"main", "first", "second"}, "functions")


@test
def what_only_the_compiler_does(d):
    """Output, messages and exit status are clang's, byte for byte."""
    d.write("hello.c", HELLO)
    for words in [["-E", "hello.c"], ["-S", "-o", "-", "hello.c"], ["-M", "hello.c"],
                  ["-MM", "hello.c"], ["-fsyntax-only", "hello.c"], ["--version"], ["-v"],
                  ["-dumpversion"], ["-dumpmachine"], ["-print-prog-name=ld"],
                  ["-print-file-name=libc.so"], ["-print-search-dirs"], ["--help"],
                  ["-S", "-emit-llvm", "-o", "-", "hello.c"], ["-dM", "-E", "hello.c"],
                  [], ["no-such-file.c"], ["-c", "no-such-file.c"], ["--no-such-option"],
                  ["-x", "c", "-E", "/dev/null"]]:
        ours, theirs = d.cc(*words), d.run(shutil.which(CLANG), *words)
        expect((ours.code, ours.out, ours.err) == (theirs.code, theirs.out, theirs.err),
               f"{words}: {ours}\nclang: {theirs}")
    d.build("-###", "hello.c", quiet=False)
    expect(not os.path.exists(d / "a.out"), "-### makes something")
    d.build("-emit-llvm", "-c", "hello.c")
    expect(d.read("hello.bc", "rb")[:2] == b"BC", "-emit-llvm")
    d.build("-S", "hello.c")
    expect("main:" in d.read("hello.s"), "-S")


@test
def dependency_files(d):
    d.copy("make")
    for words in [["-MD"], ["-MMD"], ["-MMD", "-MF", "x.dep"], ["-MMD", "-MT", "target"],
                  ["-MMD", "-MP"], ["-MD", "-MFx.dep", "-MQ", "a b"], ["-Wp,-MD,x.dep"]]:
        made = []
        for compiler in [CC, CLANG]:
            d.ok(compiler, *words, "-c", "main.c", "-o", "main.o")
            name = "x.dep" if "x.dep" in " ".join(words) else "main.d"
            made.append(d.read(name))
            os.unlink(d / name)
        expect(made[0] == made[1], f"{words}: {made}")
    d.ok(CC, "-MMD", "main.c", "queue.c", "-pthread", "-o", "prog")
    ours = sorted(f for f in os.listdir(d.path) if f.endswith(".d"))
    for f in ours:
        os.unlink(d / f)
    d.ok(CLANG, "-MMD", "main.c", "queue.c", "-pthread", "-o", "prog")
    theirs = sorted(f for f in os.listdir(d.path) if f.endswith(".d"))
    expect(ours == theirs, f"{ours} {theirs}")


@test
def verbose(d):
    d.write("hello.c", HELLO)
    r = d.build("-v", "hello.c", "-o", "hello", quiet=False)
    expect("-cc1" in r.err and r.err.count("clang version") == 1, r)
    expect(d.section("hello", ".heddle.bc"), "no bitcode")


@test
def from_stdin(d):
    d.build("-x", "c", "-", "-o", "hello", stdin=HELLO)
    expect(d.same_behaviour("hello").out == "hello\n", "output")
    d.build("-c", "-x", "c", "-", "-o", "hello.o", stdin=HELLO)
    expect(defined(d.module("hello.o")) == {"main"}, "functions")
    d.write("main.c", "int f(void);\nint main(void) { return f() - 3; }\n")
    d.build("main.c", "-x", "c", "-", "-o", "two", stdin="int f(void) { return 3; }\n")
    expect(d.same_behaviour("two").code == 0, "exit code")


@test
def response_files(d):
    d.copy("archive")
    d.write("with space/second.c", d.read("second.c"))
    d.write("inner.rsp", "first.c 'with space/second.c'\n")
    d.write("outer.rsp", '-O2 "-DX=\\"a b\\""\nmain.c @inner.rsp -o prog\n')
    d.build("@outer.rsp")
    expect(d.same_behaviour("prog").code == 0, "exit code")
    expect(defined(d.module("prog")) == {"main", "first", "second"}, "functions")


@test
def paths_with_spaces(d):
    d.write("a dir/hello, world.c", HELLO)
    d.build("-c", "a dir/hello, world.c", "-o", "a dir/hello\tworld.o")
    d.build("a dir/hello\tworld.o", "-o", "a dir/the program")
    expect(d.same_behaviour("a dir/the program").out == "hello\n", "output")
    expect("hello, world.c:2" in d.info("a dir/the program"), "info")


@test
def languages_by_option(d):
    d.write("hello.txt", HELLO)
    d.build("-x", "c", "hello.txt", "-o", "hello")
    expect(d.ok(d / "hello").out == "hello\n", "output")
    d.write("pre.i", "int main(void) { return 0; }\n")
    d.build("-c", "pre.i")
    expect(d.section("pre.o", ".heddle.bc"), "preprocessed source")


@test
def debug_and_optimization_options(d):
    """Options that concern files beside the object, or debug information, do not disturb."""
    d.write("hello.c", HELLO)
    for words in [["-g0"], ["-g", "-gsplit-dwarf"], ["-save-temps"], ["-O0"], ["-Os", "-g1"],
                  ["-pipe"], ["-ffunction-sections", "-fdata-sections", "-Wl,--gc-sections"],
                  ["-fno-pie", "-no-pie"], ["-fPIC"], ["-march=x86-64-v2"], ["-std=c99"],
                  ["-Werror", "-Wall", "-Wextra", "-pedantic"], ["-fstack-protector-all"],
                  ["-ftime-trace"], ["-s"], ["-O3"], ["-fno-builtin"], ["-Wl,-Map=x.map"]]:
        d.build(*words, "hello.c", "-o", "hello")
        expect(d.same_behaviour("hello").out == "hello\n", f"{words}: output")
        module = d.module("hello")
        expect("DILocation(line: 4" in module, f"{words}: no positions")
        d.build(*[w for w in words if not w.startswith(("-Wl", "-no-pie", "-s"))], "-c", "hello.c",
                "-o", "sub.o")
        expect(d.section("sub.o", ".heddle.bc"), f"{words}: -c")


@test
def static_program(d):
    d.copy("make")
    d.build("-static", "-pthread", "main.c", "queue.c", "-o", "prog")
    expect(d.same_behaviour("prog").out == "sum 15\n", "output")
    d.build("-static-pie", "-pthread", "main.c", "queue.c", "-o", "prog")
    expect(d.same_behaviour("prog").out == "sum 15\n", "output")
    expect("left native: 0 functions" in d.info("prog"), "libc is not listed")


@test
def math_library(d):
    d.write("m.c", '#include <math.h>\n#include <stdio.h>\n'
            'int main(int c, char **v)\n{\n\t(void)v;\n\tprintf("%.3f\\n", pow(2.5, c));\n\treturn 0;\n}\n')
    d.build("-O2", "m.c", "-lm", "-o", "m")
    expect(d.same_behaviour("m").out == "2.500\n", "output")
    expect(re.search(r"  pow +libm\.so\.6 +\S*m\.c:6", d.info("m")), d.info("m"))


# ---- native parts -----------------------------------------------------------------------------


@test
def mixed_languages(d):
    d.copy("mixed")
    d.build("-c", "main.c", "plus.S", "minus.s", "times.cc")
    d.ok("gcc", "-c", "over.c")
    r = d.build("main.o", "plus.o", "minus.o", "times.o", "over.o", "-o", "prog", quiet=False)
    expect(r.err == "heddle-cc: note: 4 parts of 'prog' stay native ('heddle info prog' says why)\n",
           r)
    expect(d.same_behaviour("prog").out == "9 3 18 2\n", "output")
    expect(defined(d.module("prog")) == {"main"}, "functions")
    info = d.info("prog")
    for line in [r"  plus\.o: assembler source\n    plus", r"  minus\.o: assembler source\n    minus",
                 r"  times\.o: C\+\+ source\n",
                 r"  over\.o: object not built by heddle-cc \(by GCC: .*\)\n    over",
                 r"  plus +plus\.o +\S*main\.c:10"]:
        expect(re.search(line, info), f"no '{line}' in\n{info}")


@test
def mixed_languages_in_one_shot(d):
    d.copy("mixed")
    d.ok("g++", "-c", "times.cc")
    d.ok("as", "minus.s", "-o", "minus.o")
    r = d.build("main.c", "plus.S", "minus.o", "times.o", "over.c", "-o", "prog", quiet=False)
    expect("3 parts of 'prog' stay native" in r.err, r)
    expect(d.same_behaviour("prog").out == "9 3 18 2\n", "output")
    expect(defined(d.module("prog")) == {"main", "over"}, "functions")
    info = d.info("prog")
    expect("  plus.S: assembler source" in info and "  times.o: C++ object" in info and
           "  minus.o: object not built by heddle-cc (assembler?)" in info, info)


@test
def shared_library(d):
    d.copy("archive")
    d.build("-shared", "-fPIC", "first.c", "second.c", "-o", "libnumbers.so")
    d.build("main.c", "-L.", "-lnumbers", "-Wl,-rpath," + d.path, "-o", "prog")
    expect(d.ok(d / "prog").code == 0, "exit code")
    info = d.info("prog")
    expect(re.search(r"^  \S*/libnumbers\.so$", info, re.M), info)
    expect(re.search(r"^  first +libnumbers\.so +\S*main\.c:4$", info, re.M), info)
    d.build("-c", "-fPIC", "first.c", "second.c")
    d.build("-shared", "first.o", "second.o", "-o", "libnumbers.so")
    d.ok("ldd", "./prog")
    expect(d.ok(d / "prog").code == 0, "exit code")
    expect(d.section("libnumbers.so", ".heddle.bc") is None, "bitcode of objects in the library")
    d.ok(HEDDLE, "image", "prog", "-o", "image")
    d.ok(d / "image")


@test
def partial_link(d):
    d.copy("archive")
    d.build("-c", *[m + ".c" for m in ["main", "first", "second"]])
    d.build("-r", "first.o", "second.o", "-o", "both.o")
    expect(defined(d.module("both.o")) == {"first", "second"}, "functions")
    d.build("main.o", "both.o", "-o", "prog")
    expect(defined(d.module("prog")) == {"main", "first", "second"}, "functions")
    expect(d.same_behaviour("prog").code == 0, "exit code")
    d.ok(CLANG, "-c", "second.c")
    r = d.build("-r", "first.o", "second.o", "-o", "both.o", quiet=False)
    expect("some have no bitcode" in r.err, r)
    r = d.build("main.o", "both.o", "-o", "prog", quiet=False)
    expect(defined(d.module("prog")) == {"main"}, "functions")
    expect("both.o: linked with -r from objects" in d.info("prog"), "reason")
    expect(d.same_behaviour("prog").code == 0, "exit code")
    d.build("-c", "second.c")
    d.ok(f"ld.lld-{LLVM}", "-r", "first.o", "second.o", "-o", "both.o")
    r = d.build("main.o", "both.o", "-o", "prog", quiet=False)
    expect("'both.o' was not taken in and stays native" in r.err, r)
    expect(d.same_behaviour("prog").code == 0, "exit code")


@test
def link_time_optimization(d):
    d.copy("archive")
    r = d.build("-flto", "-O2", "-c", "first.c", "second.c", "main.c", quiet=False)
    r = d.build("-flto", "-O2", "main.o", "first.o", "second.o", "-o", "prog", quiet=False)
    expect(d.ok(d / "prog").code == 0, "exit code")
    expect(defined(d.module("prog")) == {"main", "first", "second"}, d.info("prog"))
    expect(d.same_behaviour("prog").code == 0, "exit code")


@test
def another_linker(d):
    d.copy("archive")
    d.build("-c", "main.c", "first.c", "second.c")
    d.ok("ar", "rc", "libsecond.a", "second.o")
    r = d.build("-fuse-ld=bfd", "main.o", "first.o", "libsecond.a", "-o", "prog", quiet=False)
    expect(defined(d.module("prog")) == {"main", "first"}, "functions")
    expect("libsecond.a: archive, and the linker did not say" in d.info("prog"), d.info("prog"))
    expect(d.same_behaviour("prog").code == 0, "exit code")


@test
def what_lld_refuses(d):
    d.write("hello.c", HELLO)
    refused = "-Wl,--embedded-relocs"
    expect(d.run(CLANG, "-fuse-ld=lld", refused, "hello.c").code, "lld accepts it now")
    d.build(refused, "hello.c", "-o", "hello")
    expect(d.ok(d / "hello").out == "hello\n", "output")
    expect(defined(d.module("hello")) == {"main"}, "functions")


@test
def symbols_defined_twice(d):
    d.write("one.c", "int twice(void) { return 1; }\nint main(void) { return twice() - 1; }\n")
    d.write("two.c", "int twice(void) { return 2; }\nint other(void) { return 3; }\n")
    r = d.build("-Wl,-z,muldefs", "one.c", "two.c", "-o", "prog", quiet=False)
    expect("'two.c' was not taken in and stays native: 'twice' is defined twice" in r.err, r)
    expect(d.same_behaviour("prog").code == 0, "exit code")
    expect("two.c: 'twice' is defined twice" in d.info("prog"), "info")


@test
def wrapped_symbols(d):
    d.write("a.c", "#include <stdlib.h>\n#include <stdio.h>\nint f(int);\nint n;\n"
            "void *__real_malloc(size_t);\n"
            "void *__wrap_malloc(size_t k) { n++; return __real_malloc(k); }\n"
            "int __real_f(int);\nint __wrap_f(int x) { return __real_f(x) + 100; }\n"
            'int main(void) { free(malloc(5)); printf("%d %d\\n", n, f(1)); return 0; }\n')
    d.write("b.c", "int f(int x) { return x + 1; }\nint g(void) { return f(2); }\n")
    d.build("-Wl,--wrap=malloc", "-Wl,--wrap=f", "a.c", "b.c", "-o", "prog")
    expect(d.same_behaviour("prog").out == "1 102\n", d.run(d / "prog"))


@test
def files_that_the_linker_reads(d):
    d.write("a.c", "int hidden(void) { return 1; }\nint shown(void) { return 2; }\n"
            "int main(void) { return hidden() + shown() - 3; }\n")
    d.write("export.map", "{ global: shown; local: *; };\n")
    d.write("export.list", "{ shown; };\n")
    d.build("-rdynamic", "-Wl,--version-script=export.map", "a.c", "-o", "prog")
    expect(d.same_behaviour("prog").code == 0, "exit code")
    d.build("-Wl,--dynamic-list,export.list", "-Xlinker", "--version-script", "-Xlinker",
            "export.map", "a.c", "-o", "prog")
    expect(d.same_behaviour("prog").code == 0, "exit code")


@test
def language_of_the_linker(d):
    """Constructors, weak and common symbols, aliases, TLS, statics of one name, inline assembler."""
    d.write("a.c", r"""
#include <stdio.h>
int common_one, weak_value(void);
extern _Thread_local int tls;
extern int aliased(int);
static int own(void) { return 1; }
__attribute__((weak)) int weak_value(void) { return 1; }
__attribute__((constructor)) static void early(void) { printf("early\n"); }
__attribute__((destructor)) static void late(void) { printf("late\n"); }
int own_b(void);
inline int shared_inline(int x) { return x * 3; }
extern int shared_inline(int x);
int main(void)
{
	int x = 5;
	__asm__("addl $2, %0" : "+r"(x));
	tls += 4;
	printf("%d %d %d %d %d %d %d\n", common_one, weak_value(), tls, aliased(4), own() + own_b(), x,
		shared_inline(3));
	return 0;
}
""")
    d.write("b.c", r"""
int common_one = 7;
_Thread_local int tls = 3;
int weak_value(void) { return 2; }
static int own(void) { return 10; }
int own_b(void) { return own(); }
static int real(int x) { return x + 1; }
int aliased(int) __attribute__((alias("real")));
__asm__(".pushsection .note.test,\"\",@note\n.popsection");
""")
    d.build("-O2", "-fcommon", "a.c", "b.c", "-o", "prog")
    expect(d.same_behaviour("prog").out == "early\n7 2 7 5 11 7 9\nlate\n", d.run(d / "prog"))


@test
def image_cache(d):
    d.write("hello.c", HELLO)
    d.build("hello.c", "-o", "hello")
    env = {"XDG_CACHE_HOME": d / "new/cache"}
    first = d.ok(HEDDLE, "image", "--cached", "hello", env=env).out.strip()
    expect(first.startswith(d / "new/cache/heddle/") and d.ok(first).out == "hello\n", first)
    made = os.stat(first).st_mtime_ns
    shutil.copy(d / "hello", d / "copy")
    expect(d.ok(HEDDLE, "image", "--cached", "copy", env=env).out.strip() == first, "by content")
    expect(os.stat(first).st_mtime_ns == made, "built again for nothing")
    d.write("hello.c", HELLO.replace("hello", "goodbye"))
    d.build("hello.c", "-o", "hello")
    second = d.ok(HEDDLE, "image", "--cached", "hello", env=env).out.strip()
    expect(second != first and d.ok(second).out == "goodbye\n", second)
    expect(len(os.listdir(d / "new/cache/heddle")) == 2, "left-overs in the cache")
    r = d.run(HEDDLE, "image", "--cached", "--kind", "odd", "hello", env=env)
    expect(r.code == 1 and "no image of kind 'odd'" in r.err, r)


@test
def the_command_and_the_program(d):
    """`heddle cc` is heddle-cc."""
    d.write("hello.c", HELLO)
    d.ok(HEDDLE, "cc", "-O2", "hello.c", "-o", "one")
    d.build("-O2", "hello.c", "-o", "two")
    expect(d.read("one", "rb") == d.read("two", "rb"), "they differ")


@test
def what_info_says(d):
    d.write("a.c", r"""
#include <pthread.h>
#include <semaphore.h>
#include <stdatomic.h>
#include <threads.h>
static sem_t s;
static mtx_t m;
static once_flag once = ONCE_FLAG_INIT;
static atomic_flag f;
void *(*chosen)(void *);
static void nothing(void) { }
static int run(void *arg) { mtx_lock(&m); mtx_unlock(&m); (void)arg; return 0; }
void start(void)
{
	pthread_t t;
	thrd_t u;
	pthread_create(&t, 0, chosen, 0);
	thrd_create(&u, run, 0);
	pthread_detach(t);
	thrd_join(u, 0);
}
int main(void)
{
	int x = 1;
	sem_init(&s, 0, 1);
	sem_wait(&s);
	sem_post(&s);
	call_once(&once, nothing);
	while (atomic_flag_test_and_set_explicit(&f, memory_order_acquire))
		;
	atomic_flag_clear_explicit(&f, memory_order_release);
	atomic_thread_fence(memory_order_acq_rel);
	__asm__ volatile("fnop" : "+r"(x));
	return x - 1;
}
""")
    d.build("-g", "a.c", "-o", "prog")
    info = d.info("prog")
    for line in [r"taken in: 4 functions of 1 unit", r"  a\.c:17 in start: runs a function known at run time only",
                 r"  a\.c:18 in start: runs run", r"threads created: at 2 places",
                 r"  sem_wait +1 +a\.c:26", r"  call_once +1 +a\.c:28", r"  mtx_lock +1 +a\.c:12",
                 r"  atomic rmw\.xchg, acquire +1 +a\.c:29", r"  atomic store, release +1 +a\.c:31",
                 r"  memory fence, acq_rel +1 +a\.c:32", r"  pthread_detach +1 +a\.c:19",
                 r"taken in, but not understood: 1", r"  inline assembler +1 +a\.c:33"]:
        expect(re.search(f"^{line}$", info, re.M), f"no line '{line}' in\n{info}")


# ---- native code is clang's -------------------------------------------------------------------


@test
def native_code_is_the_compilers(d):
    d.copy("make")
    for words in [["-O2", "-pthread"], ["-O0", "-g", "-pthread"]]:
        d.build(*words, "main.c", "queue.c", "-o", "ours")
        d.ok(CLANG, "-fuse-ld=lld", *words, "main.c", "queue.c", "-o", "theirs")
        for section in [".text", ".rodata", ".data", ".dynsym", ".eh_frame", ".plt", ".rela.dyn"]:
            ours, theirs = d.section("ours", section), d.section("theirs", section)
            expect(ours == theirs, f"{words}: section {section} differs")
        expect(d.section("ours", ".text"), "no code at all")
        headers = [d.ok("readelf", "-lW", p).out.split("\n", 3)[3] for p in ["ours", "theirs"]]
        expect(headers[0] == headers[1], "segments differ")


@test
def objects_are_the_compilers(d):
    """The object is clang's with something behind it, for every other tool as well."""
    d.copy("make")
    d.build("-O2", "-g", "-c", "queue.c", "-o", "queue.o")
    d.ok(CLANG, "-O2", "-g", "-c", "queue.c", "-o", "plain.o")
    ours, theirs = d.read("queue.o", "rb"), d.read("plain.o", "rb")
    expect(ours[64:len(theirs)] == theirs[64:], "the compiler's bytes were changed")
    d.build("-O2", "-c", "main.c")
    for linker in [["gcc"], ["gcc", "-fuse-ld=gold"], [CLANG, "-fuse-ld=lld"], [CLANG]]:
        r = d.run(*linker, "main.o", "queue.o", "-pthread", "-o", "prog")
        if r.code and "gold" in " ".join(linker):
            continue
        expect(r.code == 0, f"{linker}: {r}")
        expect(d.ok(d / "prog").out == "sum 15\n", f"{linker}: output")
        expect(d.section("prog", ".heddle.bc") is None, f"{linker}: bitcode was linked in")
    d.ok("strip", "-g", "queue.o")
    d.build("main.o", "queue.o", "-pthread", "-o", "prog")
    expect("queue_put" in defined(d.module("prog")), "strip -g of an object")


@test
def strip(d):
    d.write("hello.c", HELLO)
    d.build("hello.c", "-o", "hello")
    d.ok("strip", "hello", "-o", "stripped")
    expect(d.same_behaviour("stripped").out == "hello\n", "after strip")
    d.ok(f"llvm-strip-{LLVM}", "hello", "-o", "bare")
    expect(d.ok(d / "bare").out == "hello\n", "after llvm-strip")
    r = d.run(HEDDLE, "info", "bare")
    expect(r.code == 1 and "not built by heddle-cc" in r.err and r.err.count("\n") == 1, r)


# ---- failures ---------------------------------------------------------------------------------


@test
def errors_are_the_compilers(d):
    d.write("bad.c", "int main(void) { return x }\n#error no\n")
    d.write("warn.c", "int main(void) { int unused; }\n")
    d.write("undefined.c", "int f(void);\nint main(void) { return f(); }\n")
    for words in [["-c", "bad.c"], ["bad.c"], ["-Wall", "-c", "warn.c"], ["-Wall", "-Werror", "warn.c"],
                  ["-c", "warn.c", "-o", "no/such/directory/x.o"],
                  ["-fuse-ld=lld", "warn.c", "-o", "no/such/directory/x"], ["-c", "--no-such-option", "warn.c"],
                  ["-fuse-ld=lld", "undefined.c", "-o", "undefined"]]:
        ours, theirs = d.cc(*words), d.run(shutil.which(CLANG), *words)
        mask = lambda s: re.sub(r"/\S*-[0-9a-f]{6}\.o", "TEMPORARY", s)
        expect((ours.code, ours.out, mask(ours.err)) == (theirs.code, theirs.out, mask(theirs.err)),
               f"{words}: {ours}\nclang: {theirs}")
    r = d.cc("undefined.c", "-o", "undefined")
    expect(r.code == 1 and r.err.count("undefined symbol: f") == 1 and "undefined reference" not in r.err,
           r)
    expect(not os.path.exists(d / "bad.o") and not os.path.exists(d / "undefined"), "left-overs")


@test
def one_good_and_one_bad_source(d):
    d.write("bad.c", "int\n")
    d.write("good.c", "int good(void) { return 0; }\n")
    r = d.cc("-c", "good.c", "bad.c")
    expect(r.code == 1 and "not taken in" not in r.err, r)
    expect(defined(d.module("good.o")) == {"good"}, "good.o")


@test
def outputs_that_are_no_files(d):
    d.write("hello.c", HELLO)
    d.build("-c", "hello.c", "-o", "/dev/null")
    r = subprocess.run([CC, "-c", "hello.c", "-o", "-"], cwd=d.path, capture_output=True)
    expect(r.returncode == 0 and r.stdout[:4] == b"\x7fELF" and not r.stderr, r.stderr)


@test
def directory_without_permission(d):
    if not os.geteuid():
        raise Skip("root may write everywhere")
    d.write("hello.c", HELLO)
    os.mkdir(d / "closed", 0o555)
    r = d.cc("-c", "hello.c", "-o", "closed/hello.o")
    expect(r.code == 1 and "ermission denied" in r.err and "not taken in" not in r.err, r)


@test
def missing_compiler(d):
    d.write("hello.c", HELLO)
    for words in [["-c", "hello.c"], ["hello.c"], ["--version"]]:
        r = d.cc(*words, env={"HEDDLE_CC_CLANG": "/no/such/clang"})
        expect(r.code == 1 and not r.out, r)
        expect(re.fullmatch(r"heddle-cc: error: compiler '/no/such/clang' not found \(.*\)\n", r.err), r)


@test
def bitcode_that_cannot_be_made(d):
    d.write("hello.c", HELLO)
    d.write("clang", f'#!/bin/sh\ncase "$*" in *-emit-llvm*) echo "x: error: no bitcode today" >&2; '
            f'exit 1;; esac\nexec {shutil.which(CLANG)} "$@"\n')
    os.chmod(d / "clang", 0o755)
    env = {"HEDDLE_CC_CLANG": d / "clang"}
    r = d.build("-c", "hello.c", quiet=False, env=env)
    expect(r.err == "heddle-cc: warning: 'hello.c' was not taken in and stays native: no bitcode: "
           "no bitcode today\n", r)
    r = d.build("hello.o", "-o", "hello", quiet=False)
    expect(d.same_behaviour("hello").out == "hello\n", "output")
    expect("hello.o: no bitcode: no bitcode today" in d.info("hello"), d.info("hello"))
    r = d.build("hello.c", "-o", "hello", quiet=False, env=env)
    expect("hello.c: no bitcode" in d.info("hello"), d.info("hello"))


@test
def worker_that_fails(d):
    d.write("hello.c", HELLO)
    d.write("killed", "#!/bin/sh\nkill -9 $$\n")
    os.chmod(d / "killed", 0o755)
    for worker, why in [("/bin/false", "ended with status 1"), (d / "killed", "signal 9"),
                        ("/no/such/worker", "not beside")]:
        for words in [["-c", "hello.c"], ["hello.c", "-o", "hello"]]:
            r = d.build(*words, quiet=False, env={"HEDDLE_CC_WORKER": worker})
            expect(r.err.count("\n") == 1 and "was not taken in" in r.err and why in r.err, r)
        expect(d.ok(d / "hello").out == "hello\n", "output")


@test
def worker_that_crashes_over_one_unit(d):
    d.copy("archive")
    d.write("worker", f"""#!/bin/sh
# reads the order, dies over the unit second.c, does the rest
order=$(mktemp); cat > $order
case $(cat $order) in
*second.c*) echo "begin	$(grep '^unit' $order | grep -n 'second\\.c' | cut -d: -f1 | awk '{{print $1-1}}')" >&3
	rm $order; kill -SEGV $$;;
esac
{HEDDLE} cc-worker < $order; status=$?; rm $order; exit $status
""")
    os.chmod(d / "worker", 0o755)
    r = d.build("main.c", "first.c", "second.c", "-o", "prog", quiet=False,
                env={"HEDDLE_CC_WORKER": d / "worker"})
    expect("'second.c' was not taken in and stays native: the worker was ended by signal 11" in r.err, r)
    expect(defined(d.module("prog")) == {"main", "first"}, "functions")
    expect(d.same_behaviour("prog").code == 0, "exit code")


@test
def broken_bitcode_in_an_object(d):
    d.copy("archive")
    d.build("-c", "main.c", "first.c", "second.c")
    d.write("junk", "BC\xc0\xdejunk" * 100)
    d.ok(f"llvm-objcopy-{LLVM}", f"--update-section=.heddle.bc={d / 'junk'}", "second.o")
    r = d.build("main.o", "first.o", "second.o", "-o", "prog", quiet=False)
    expect("'second.o' was not taken in and stays native: unreadable bitcode" in r.err, r)
    expect(defined(d.module("prog")) == {"main", "first"}, "functions")
    expect(d.same_behaviour("prog").code == 0, "exit code")


@test
def files_that_are_no_program_of_ours(d):
    """One clear line, exit code 1, from every command that opens a program."""
    d.write("hello.c", HELLO)
    d.build("hello.c", "-o", "hello")
    d.ok(CLANG, "hello.c", "-o", "plain")
    whole = d.read("hello", "rb")
    d.write("text", "just text\n")
    d.write("empty", "")
    cases = [("plain", "not built by heddle-cc"), ("missing", "cannot open"), (".", "regular file|directory"),
             ("text", ""), ("empty", "")]
    for n in [10, 63, 64, 1000, len(whole) // 2, len(whole) - 1]:
        with open(d / f"cut{n}", "wb") as f:
            f.write(whole[:n])
        cases.append((f"cut{n}", "truncated|not an ELF file"))
    for name, message in cases:
        r = d.run(HEDDLE, "info", name)
        expect(r.code == 1 and not r.out and r.err.count("\n") == 1 and re.search(message, r.err),
               f"{name}: {r}")
        r = d.run(HEDDLE, "image", name, "-o", "image")
        expect(r.code == 1 and r.err.count("\n") == 1 and not os.path.exists(d / "image"),
               f"{name}: {r}")


@test
def damaged_programs(d):
    """Any byte of the headers or of the payload may be wrong: no crash."""
    d.write("hello.c", HELLO)
    d.build("hello.c", "-o", "hello")
    whole = bytearray(d.read("hello", "rb"))
    places = list(range(0, 64, 3)) + list(range(len(whole) - 2200, len(whole), 97))
    for at in places:
        bad = bytearray(whole)
        bad[at] ^= 0xff
        with open(d / "bad", "wb") as f:
            f.write(bad)
        r = d.run(HEDDLE, "image", "bad", "-o", "image")
        expect(r.code in (0, 1), f"byte {at}: {r}")


# ---- clean-up level ---------------------------------------------------------------------------


def levels(d, source, *words):
    modules = {}
    for level in ["none", "sroa", "full"]:
        r = d.build(*words, "-c", source, "-o", f"{level}.o", env={"HEDDLE_CC_CLEANUP": level},
                    quiet=False)
        expect("not taken in" not in r.err, r)
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
    """Static counts and order: the front end's, mem2reg and sroa's, and those at full level agree."""
    d.copy("clean")
    d.copy("make")
    d.copy("cmake/lib")
    sources = [d / n for n in ["golden.c", "main.c", "queue.c", "count.c"]]
    for folder in ["src/base", "src/ir", "src/build"]:
        path = os.path.join(ROOT, folder)
        sources += [os.path.join(path, n) for n in sorted(os.listdir(path)) if n.endswith(".c")]
    sources = [s for s in sources if '"config.h"' not in open(s).read()]
    llvm_c = d.ok(f"llvm-config-{LLVM}", "--includedir").out.strip()
    before = after = 0
    for i, source in enumerate(sources):
        words = ["-O2"] if i % 2 else ["-O0"]
        # loads from constants may be folded, and which are is seen after promotion only: have none
        m = levels(d, source, "-w", "-Dconst=", *words, "-D_GNU_SOURCE",
                   "-I" + os.path.join(ROOT, "src"), "-isystem", llvm_c)
        compare(m["none"], m["sroa"], source)
        compare(m["none"], m["full"], source)
        for name, f in m["sroa"].functions.items():
            # with -O2 clang adds switches over constants of its own, where a scope is left early
            expect(words == ["-O2"] or f.branches() == m["full"].functions[name].branches(), f"{source}: {name}: branches")
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


# ---- the runner -------------------------------------------------------------------------------


def run_one(f):
    box = Box(tempfile.mkdtemp(prefix="heddle-cc-test-"))
    try:
        f(box)
        return "passed", ""
    except Skip as why:
        return "skipped", str(why)
    except (AssertionError, subprocess.TimeoutExpired, OSError) as e:
        return "failed", f"{e}" if isinstance(e, AssertionError) else traceback.format_exc()
    finally:
        os.chdir(HERE)
        shutil.rmtree(box.path, ignore_errors=True)


def main():
    chosen = [t for t in TESTS if not ONLY or t.__name__ in ONLY]
    counts = {"passed": 0, "failed": 0, "skipped": 0}
    if TAP:
        print(f"1..{len(chosen)}", flush=True)
    for i, t in enumerate(chosen, 1):
        fate, text = run_one(t)
        counts[fate] += 1
        name = t.__name__.replace("_", " ")
        if TAP:
            print(f"{'not ok' if fate == 'failed' else 'ok'} {i} - {name}"
                  f"{' # SKIP ' + text if fate == 'skipped' else ''}")
            for line in text.split("\n") if fate == "failed" else []:
                print(f"# {line}")
        else:
            print(f"{fate}: {name}{': ' + text if text else ''}")
        sys.stdout.flush()
    print(f"{'# ' if TAP else ''}{counts['passed']} passed, {counts['failed']} failed")
    return 1 if counts["failed"] else 0


sys.exit(main())
