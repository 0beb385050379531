"""Parts that stay native, linking again, and that native code is the compiler's own."""
import os
import re
import shutil

from harness import CLANG, HEDDLE, HELLO, LLVM, defined, expect, test

# ---- native parts -----------------------------------------------------------------------------


@test
def mixed_languages(d):
    d.copy("mixed")
    d.build("-c", "main.c", "plus.S", "minus.s", "times.cc")
    d.ok("gcc", "-c", "over.c")
    r = d.build("main.o", "plus.o", "minus.o", "times.o", "over.o", "-o", "prog", quiet=False)
    expect(r.err == "heddle-cc: note: 4 parts of 'prog' are native and not analysed "
           "(run 'heddle info prog' for the reasons)\n", r)
    expect(d.same_behaviour("prog").out == "9 3 18 2\n", "output")
    expect(defined(d.module("prog")) == {"main"}, "functions")
    info = d.info("prog")
    for line in [r"  plus\.o: assembler source\n    plus",
                 r"  minus\.o: assembler source\n    minus",
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
    expect("3 parts of 'prog' are native" in r.err, r)
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
    expect("'both.o' stays native and is not analysed" in r.err, r)
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
    expect("libsecond.a: archive, and the linker did not list" in d.info("prog"), d.info("prog"))
    expect(d.same_behaviour("prog").code == 0, "exit code")


@test
def what_lld_refuses(d):
    d.write("hello.c", HELLO)
    refused = "-Wl,--embedded-relocs"
    expect(d.run(CLANG, "-fuse-ld=lld", refused, "hello.c").code, "lld accepts it now")
    # the default linker may be lld too: here it is the one of binutils
    os.mkdir(d / "bin")
    os.symlink(shutil.which("ld.bfd"), d / "bin/ld")
    d.build(f"-B{d / 'bin'}", refused, "hello.c", "-o", "hello")
    expect(d.ok(d / "hello").out == "hello\n", "output")
    expect(defined(d.module("hello")) == {"main"}, "functions")


@test
def symbols_defined_twice(d):
    d.write("one.c", "int twice(void) { return 1; }\nint main(void) { return twice() - 1; }\n")
    d.write("two.c", "int twice(void) { return 2; }\nint other(void) { return 3; }\n")
    r = d.build("-Wl,-z,muldefs", "one.c", "two.c", "-o", "prog", quiet=False)
    expect("'two.c' stays native and is not analysed: 'twice' is defined twice" in r.err, r)
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
    """Constructors, weak and common symbols, aliases, TLS, statics of one name, inline asm."""
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
    expect(r.code == 1 and "unknown kind of image 'odd'" in r.err, r)


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
    for line in [r"analysed: 4 functions in 1 unit",
                 r"  a\.c:17 in start: runs a function that is only known at run time",
                 r"  a\.c:18 in start: runs run", r"places that create threads: 2",
                 r"  sem_wait +1 +a\.c:26", r"  call_once +1 +a\.c:28", r"  mtx_lock +1 +a\.c:12",
                 r"  atomic rmw\.xchg, acquire +1 +a\.c:29", r"  atomic store, release +1 +a\.c:31",
                 r"  memory fence, acq_rel +1 +a\.c:32", r"  pthread_detach +1 +a\.c:19",
                 r"not supported: 1", r"  inline assembler +1 +a\.c:33"]:
        expect(re.search(f"^{line}$", info, re.M), f"no line '{line}' in\n{info}")


# ---- native code is clang's -------------------------------------------------------------------


def hook_object(d, words):
    """The one object that heddle-cc adds to the link: taken from a link that leaves all there is."""
    d.write("catch.sh", "#!/bin/sh\nfor w; do case $w in */heddle-start-*.o) cp $w caught.o;; esac; done\n"
            f'exec {shutil.which(CLANG)} "$@"\n')
    os.chmod(d / "catch.sh", 0o755)
    d.build(*words, env={"HEDDLE_CC_CLANG": d / "catch.sh"})
    return "caught.o"


def instructions(d, program):
    """Of the section .text, without the addresses, which the hook's sections move."""
    text = d.ok("objdump", "-d", "-j", ".text", "--no-show-raw-insn", program).out.split("\n", 3)[3]
    return re.sub(r"^ *[0-9a-f]+|0x[0-9a-f]+|\b[0-9a-f]{3,}\b", "", text, flags=re.M)


@test
def native_code_is_the_compilers(d):
    """What heddle-cc links is what the compiler links of the same files and the start-up hook, and the
    hook has sections of its own: nothing of it is in the program's."""
    d.copy("make")
    hook = hook_object(d, ["-O2", "-pthread", "main.c", "queue.c", "-o", "ours"])
    sections = [".text", ".rodata", ".data", ".dynsym", ".eh_frame", ".plt", ".rela.dyn"]
    for section in sections:
        expect(not d.section(hook, section), f"section {section} of the start-up hook")
    for words in [["-O2", "-pthread"], ["-O0", "-g", "-pthread"]]:
        d.build(*words, "main.c", "queue.c", "-o", "ours")
        d.ok(CLANG, "-fuse-ld=lld", *words, hook, "main.c", "queue.c", "-o", "theirs")
        d.ok(CLANG, "-fuse-ld=lld", *words, "main.c", "queue.c", "-o", "without")
        for section in [*sections, "heddle_start", "heddle_start_data", ".preinit_array"]:
            ours, theirs = d.section("ours", section), d.section("theirs", section)
            expect(ours == theirs, f"{words}: section {section} differs")
        for section in [".rodata", ".data"]:
            expect(d.section("ours", section) == d.section("without", section),
                   f"{words}: section {section} is not what it is without the hook")
        expect(instructions(d, "ours") == instructions(d, "without"),
               f"{words}: other instructions than without the hook")
        expect(d.section("ours", ".text"), "no code at all")
        headers = [d.ok("readelf", "-lW", p).out.split("\n", 3)[3] for p in ["ours", "theirs"]]
        expect(headers[0] == headers[1], "segments differ")


@test
def start_up_hook_where_it_belongs(d):
    """Programs have it; what has no start-up of the C library, or is no program, has not."""
    d.write("hello.c", HELLO)
    d.write("bare.c", "void _start(void) { for (;;) ; }\n")
    for words, there in [(["hello.c"], True), (["-static", "hello.c"], True),
                         (["-no-pie", "hello.c"], True), (["-flto", "hello.c"], True),
                         (["-Wl,--gc-sections", "hello.c"], True),
                         (["-fuse-ld=bfd", "hello.c"], True),
                         (["-fsanitize=address", "hello.c"], True),
                         (["-nostdlib", "bare.c"], False), (["-r", "hello.c"], False),
                         (["-shared", "-fPIC", "hello.c"], False)]:
        if "-fsanitize=address" in words and d.run(CLANG, *words, "-o", "out").code:
            continue  # clang is installed without its run-time libraries
        d.build(*words, "-o", "out", quiet=False)
        expect((d.section("out", "heddle_start") is not None) == there, f"{words}")
        if there:
            expect(d.ok(d / "out").out == "hello\n", f"{words}: output")
            expect(d.ok(d / "out", env={"HEDDLE_OPTIONS": "x=1:recorded=2"}).err == "", f"{words}")
    d.build("hello.c", "-o", "hello")
    expect("heddle-start" not in d.info("hello"), "the hook is listed as a part of the program")
    expect("heddle-start" not in d.build("-Wl,-t", "hello.c").out, "the hook in the list of files")


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
