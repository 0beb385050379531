"""heddle-cc in front of build systems, with archives, and on all kinds of command lines."""
import os
import re
import shutil

from harness import CC, CLANG, HELLO, LLVM, defined, expect, test

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
    for line in [r"analysed: 4 functions in 2 units", r"  consume +\S*main\.c:8",
                 r"native, not analysed: 0 functions in 0 objects",
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
    expect("2 parts of 'prog' are native" in r.err, r)
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
    expect("native, not analysed: 0 functions in" in d.info("prog"), "libc is not listed")


@test
def math_library(d):
    d.write("m.c", '#include <math.h>\n#include <stdio.h>\n'
            'int main(int c, char **v)\n{\n\t(void)v;\n\tprintf("%.3f\\n", pow(2.5, c));\n'
            '\treturn 0;\n}\n')
    d.build("-O2", "m.c", "-lm", "-o", "m")
    expect(d.same_behaviour("m").out == "2.500\n", "output")
    expect(re.search(r"  pow +libm\.so\.6 +\S*m\.c:6", d.info("m")), d.info("m"))
