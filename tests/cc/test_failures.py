"""What goes wrong, and what is said about it."""
import os
import re
import shutil
import subprocess

from harness import CC, CLANG, HEDDLE, HELLO, LLVM, Result, Skip, defined, expect, test


@test
def errors_are_the_compilers(d):
    d.write("bad.c", "int main(void) { return x }\n#error no\n")
    d.write("warn.c", "int main(void) { int unused; }\n")
    d.write("undefined.c", "int f(void);\nint main(void) { return f(); }\n")
    for words in [["-c", "bad.c"], ["bad.c"], ["-Wall", "-c", "warn.c"],
                  ["-Wall", "-Werror", "warn.c"],
                  ["-c", "warn.c", "-o", "no/such/directory/x.o"],
                  ["-fuse-ld=lld", "warn.c", "-o", "no/such/directory/x"],
                  ["-c", "--no-such-option", "warn.c"],
                  ["-fuse-ld=lld", "undefined.c", "-o", "undefined"]]:
        ours, theirs = d.cc(*words), d.run(shutil.which(CLANG), *words)
        mask = lambda s: re.sub(r"/\S*-[0-9a-f]{6}\.o", "TEMPORARY", s)
        expect((ours.code, ours.out, mask(ours.err)) == (theirs.code, theirs.out, mask(theirs.err)),
               f"{words}: {ours}\nclang: {theirs}")
    r = d.cc("undefined.c", "-o", "undefined")
    expect(r.code == 1 and r.err.count("undefined symbol: f") == 1, r)
    expect("undefined reference" not in r.err, r)
    expect(not os.path.exists(d / "bad.o") and not os.path.exists(d / "undefined"), "left-overs")


@test
def one_good_and_one_bad_source(d):
    d.write("bad.c", "int\n")
    d.write("good.c", "int good(void) { return 0; }\n")
    r = d.cc("-c", "good.c", "bad.c")
    expect(r.code == 1 and "not analysed" not in r.err, r)
    expect(defined(d.module("good.o")) == {"good"}, "good.o")


@test
def outputs_that_are_no_files(d):
    d.write("hello.c", HELLO)
    d.build("-c", "hello.c", "-o", "/dev/null")
    r = subprocess.run([CC, "-c", "hello.c", "-o", "-"], cwd=d.path, capture_output=True)
    expect(r.returncode == 0 and r.stdout[:4] == b"\x7fELF" and not r.stderr, r.stderr)


@test
def directory_without_permission(d):
    d.write("hello.c", HELLO)
    os.mkdir(d / "closed", 0o555)
    os.chmod(d.path, 0o755)
    who = {} if os.geteuid() else {"user": 65534}
    try:
        r = Result(subprocess.run([CC, "-c", "hello.c", "-o", "closed/hello.o"], cwd=d.path,
                                  capture_output=True, text=True, timeout=60, **who))
    except PermissionError:
        raise Skip("heddle-cc is not there for others")
    expect(r.code == 1 and "ermission denied" in r.err and "not analysed" not in r.err, r)


@test
def missing_compiler(d):
    d.write("hello.c", HELLO)
    for words in [["-c", "hello.c"], ["hello.c"], ["--version"]]:
        r = d.cc(*words, env={"HEDDLE_CC_CLANG": "/no/such/clang"})
        expect(r.code == 1 and not r.out, r)
        line = r"heddle-cc: error: compiler '/no/such/clang' not found \(.*\)\n"
        expect(re.fullmatch(line, r.err), r)


@test
def bitcode_that_cannot_be_made(d):
    d.write("hello.c", HELLO)
    d.write("clang", '#!/bin/sh\ncase "$*" in *-emit-llvm*)\n'
            'echo "x: error: no bitcode today" >&2; '
            f'exit 1;; esac\nexec {shutil.which(CLANG)} "$@"\n')
    os.chmod(d / "clang", 0o755)
    env = {"HEDDLE_CC_CLANG": d / "clang"}
    r = d.build("-c", "hello.c", quiet=False, env=env)
    expect(r.err == "heddle-cc: warning: 'hello.c' stays native and is not analysed: no bitcode: "
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
                        ("/no/such/worker", "not in the directory of")]:
        for words in [["-c", "hello.c"], ["hello.c", "-o", "hello"]]:
            r = d.build(*words, quiet=False, env={"HEDDLE_CC_WORKER": worker})
            expect(r.err.count("\n") == 1 and "is not analysed" in r.err and why in r.err, r)
        expect(d.ok(d / "hello").out == "hello\n", "output")


@test
def worker_that_crashes_over_one_unit(d):
    d.copy("archive")
    d.write("worker", f"""#!/bin/sh
# reads the order, dies over the unit second.c, does the rest
order=$(mktemp); cat > $order
case $(cat $order) in
*second.c*) at=$(grep '^unit' $order | grep -n 'second\\.c' | cut -d: -f1)
	echo "begin	$((at - 1))" >&3
	rm $order; kill -SEGV $$;;
esac
{HEDDLE} cc-worker < $order; status=$?; rm $order; exit $status
""")
    os.chmod(d / "worker", 0o755)
    r = d.build("main.c", "first.c", "second.c", "-o", "prog", quiet=False,
                env={"HEDDLE_CC_WORKER": d / "worker"})
    expect("'second.c' stays native and is not analysed: the worker was killed by signal 11"
           in r.err, r)
    expect(defined(d.module("prog")) == {"main", "first"}, "functions")
    expect(d.same_behaviour("prog").code == 0, "exit code")


@test
def broken_bitcode_in_an_object(d):
    d.copy("archive")
    d.build("-c", "main.c", "first.c", "second.c")
    d.write("junk", "BC\xc0\xdejunk" * 100)
    d.ok(f"llvm-objcopy-{LLVM}", f"--update-section=.heddle.bc={d / 'junk'}", "second.o")
    r = d.build("main.o", "first.o", "second.o", "-o", "prog", quiet=False)
    expect("'second.o' stays native and is not analysed: unreadable bitcode" in r.err, r)
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
    cases = [("plain", "not built by heddle-cc"), ("missing", "cannot open"),
             (".", "regular file|directory"), ("text", ""), ("empty", "")]
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


@test
def recipe_with_a_word_that_is_not_allowed(d):
    """An executable from elsewhere cannot load a plugin, choose a linker or write a file."""
    d.write("hello.c", HELLO)
    d.build("hello.c", "-o", "hello")
    recipe = d.section("hello", ".heddle.recipe")
    for word in ("-fpass-plugin=./x.so", "--ld-path=./ld", "-Wl,-Map=made", "@words"):
        with open(d / "recipe", "wb") as f:
            f.write(recipe + b"word\t" + word.encode() + b"\n")
        d.ok("cp", "hello", "changed")
        d.ok(f"llvm-objcopy-{LLVM}", f"--update-section=.heddle.recipe={d / 'recipe'}", "changed")
        r = d.run(HEDDLE, "image", "changed", "-o", "image")
        expect(r.code == 1 and f"its recipe has the word '{word}'" in r.err and not os.path.exists(d / "image")
               and not os.path.exists(d / "made"), r)


@test
def link_that_an_image_cannot_repeat(d):
    """heddle-cc links it, and says why there is no image."""
    d.write("hello.c", HELLO)
    d.write("handler", "#!/bin/sh\n")
    d.build("hello.c", "-Wl,--error-handling-script=./handler", "-o", "hello")
    expect(d.ok(d / "hello").out == "hello\n", "output")
    r = d.run(HEDDLE, "image", "hello", "-o", "image")
    expect(r.code == 1 and "its link needs the word '--error-handling-script=" in r.err, r)
