#!/usr/bin/env python3
"""The command line from outside: help, exit codes, messages, completions, manual pages, and what it
says to input that is not what it should be. Prints TAP. usage: run_cli.py BUILD_DIR"""
import os
import re
import shutil
import subprocess
import sys
import tempfile

BUILD = os.path.abspath(sys.argv[1])
HEDDLE = os.path.join(BUILD, "heddle")
ROOT = os.path.dirname(os.path.dirname(os.path.abspath(__file__)))
TESTS = []


def test(f):
    TESTS.append(f)
    return f


class Result:
    def __init__(self, p):
        self.code, self.out, self.err = p.returncode, p.stdout, p.stderr


def run(*words, **kw):
    return Result(subprocess.run(words, capture_output=True, text=True, errors="replace",
                                 timeout=60, **kw))


def heddle(*words, **kw):
    return run(HEDDLE, *words, **kw)


def expect(condition, r, what):
    if not condition:
        raise AssertionError(f"{what}: exit code {r.code}\n{r.out}{r.err}")


def commands():
    listing = heddle("--help").out.split("commands:\n")[1].split("\n\n")[0]
    return [line.split()[0] for line in listing.strip().split("\n")]


@test
def help_of_every_command():
    r = heddle("--help")
    expect(r.code == 0 and not r.err and "exit codes:" in r.out, r, "--help")
    for c in commands():
        r = heddle("help", c)
        expect(r.code == 0 and r.out.startswith(f"usage: heddle {c}"), r, f"help {c}")
        if c != "cc":
            again = heddle(c, "-h")
            expect(again.code == 0 and again.out == r.out, again, f"{c} -h")


@test
def help_lines_fit_a_terminal():
    for c in commands():
        r = heddle("help", c)
        expect(max(map(len, r.out.split("\n"))) <= 92, r, f"long lines in {c} -h")


@test
def version():
    r = heddle("--version")
    expect(r.code == 0 and re.fullmatch(r"heddle \d+\.\d+\.\d+ \(LLVM \d+\.\d+\.\d+\)\n", r.out),
           r, "--version")


@test
def usage_errors():
    for words, message in [
        ([], "no command"),
        (["doctr"], "unknown command 'doctr' (did you mean 'doctor'?)"),
        (["xyzzy"], "unknown command 'xyzzy' ('heddle --help' lists them)"),
        (["--frob"], "unknown option '--frob'"),
        (["doctor", "--frob"], "unknown option '--frob' (-h lists them)"),
        (["help", "--mdco"], "(did you mean '--mdoc'?)"),
        (["doctor", "extra"], "unexpected 'extra'"),
        (["completion"], "missing operand (usage: 'heddle completion bash|zsh|fish'"),
        (["completion", "csh"], "unknown shell 'csh'"),
        (["help", "nothing"], "unknown command 'nothing'"),
    ]:
        r = heddle(*words)
        expect(r.code == 2 and not r.out and message in r.err and r.err.count("\n") == 1, r,
               f"heddle {' '.join(words)}")


@test
def full_disk_is_an_error():
    with open("/dev/full", "w") as full:
        p = subprocess.run([HEDDLE, "--help"], stdout=full, stderr=subprocess.PIPE, text=True)
    assert p.returncode == 1 and "cannot write" in p.stderr, p


@test
def doctor_finds_the_machine_usable():
    r = heddle("doctor")
    expect(r.code == 0, r, "doctor")
    for subject in ("compiler", "linker", "solver", "cores", "memory", "disk", "kernel", "trial"):
        expect(re.search(rf"^{subject} ", r.out, re.M), r, f"doctor on {subject}")


@test
def doctor_names_what_is_missing():
    r = heddle("doctor", env=dict(os.environ, TMPDIR="/nonexistent/folder"))
    expect(r.code == 1 and re.search(r"^temporary  MISSING ", r.out, re.M), r, "doctor")
    r = heddle("doctor", env=dict(os.environ, HEDDLE_CC_CLANG="/nonexistent/clang"))
    expect(r.code == 1 and re.search(r"^trial      MISSING .*/nonexistent/clang", r.out, re.M), r,
           "doctor without a compiler")


@test
def completion_of_bash():
    script = heddle("completion", "bash").out

    def complete(*words):
        array = " ".join(f"'{w}'" for w in words)
        p = run("bash", "-c", script + f"compopt() {{ :; }}; COMP_WORDS=({array}); "
                f"COMP_CWORD={len(words) - 1}; _heddle; printf '%s\\n' \"${{COMPREPLY[@]}}\"")
        return p.out.split()

    for c in commands():
        assert c in complete("heddle", ""), c
    assert complete("heddle", "doct") == ["doctor"]
    assert "doctor" in complete("heddle", "help", "")
    assert complete("heddle", "completion", "z") == ["zsh"]
    assert "--mdoc" in complete("heddle", "help", "--")


@test
def completion_scripts_are_well_formed():
    for shell in ("bash", "zsh", "fish"):
        r = heddle("completion", shell)
        expect(r.code == 0 and all(c in r.out for c in commands()), r, shell)
        if shutil.which(shell):
            p = run(shell, "-n", "/dev/stdin", input=r.out)
            expect(p.code == 0 and not p.err, p, f"{shell} -n")


@test
def manual_pages():
    for name in ["heddle"] + [f"heddle-{c}" for c in commands()]:
        page = os.path.join(BUILD, f"{name}.1")
        assert os.path.exists(page), f"no manual page for {name} (write docs/man/{name}.mdoc)"
        if not shutil.which("man"):
            continue
        r = run("man", "--warnings=w", page, env=dict(os.environ, MANWIDTH="80", LC_ALL="C.UTF-8"))
        expect(r.code == 0 and "NAME" in r.out and not r.err, r, page)
        if name in ("heddle", "heddle-cc"):
            continue
        shown = r.out.replace("\u2010", "-").replace("\u2212", "-")
        for option in re.findall(r"^ +(?:-\w, )?(--[a-z-]+)",
                                 heddle(name.split("-", 1)[1], "--help").out, re.M):
            expect(option in shown, r, f"{option} in {page}")


# ---- programs: what is no program gets one line and exit code 1 ------------------------------

def hello(tmp):
    """A small program that heddle-cc built."""
    source = os.path.join(tmp, "hello.c")
    with open(source, "w") as f:
        f.write('#include <stdio.h>\nstatic int twice(int x) { return 2 * x; }\n'
                'int main(int argc, char **argv) { while (argc > 3) *(char *volatile *)argv;'
                ' printf("%d\\n", twice(argc));'
                ' return argc == 1 ? 0 : 7; }\n')
    exe = os.path.join(tmp, "hello")
    r = run(os.path.join(BUILD, "heddle-cc"), "-g", "-O0", source, "-o", exe)
    expect(r.code == 0, r, "heddle-cc")
    return exe


def refuses(words, *texts):
    r = heddle(*words)
    expect(r.code == 1 and r.err.count("\n") == 1 and ": error: " in r.err and not r.out
           and all(t in r.err for t in texts), r, " ".join(words))


@test
def no_program_is_refused():
    with tempfile.TemporaryDirectory() as tmp:
        def file(name, data):
            path = os.path.join(tmp, name)
            with open(path, "wb") as f:
                f.write(data)
            return path

        for command in ("exec", "dump", "info"):
            if command not in commands():
                continue
            refuses([command, f"{tmp}/absent"], "absent", "No such file")
            refuses([command, tmp], tmp)
            refuses([command, file("empty", b"")], "empty")
            refuses([command, "/bin/true"], "/bin/true", "heddle-cc")
            refuses([command, file("noise", bytes(range(256)) * 8)], "noise")
            refuses([command, file("script", b"#!/bin/sh\nexit 0\n")], "script")
            refuses([command, file("elf", b"\x7fELF")], "elf")
        for command in ("exec", "dump"):
            refuses([command, file("x.bc", b"BC\xc0\xde" + b"\x35\x14" * 40)], "x.bc", "bitcode")
            refuses([command, file("x.hir", b"no such thing\n")], "x.hir:1:1")


@test
def truncated_executable_is_refused():
    with tempfile.TemporaryDirectory() as tmp:
        exe = hello(tmp)
        with open(exe, "rb") as f:
            data = f.read()
        for share in (3, 50, 90, 99):
            cut = os.path.join(tmp, f"cut{share}")
            with open(cut, "wb") as f:
                f.write(data[:len(data) * share // 100])
            for command in ("exec", "dump", "info"):
                refuses([command, cut], cut)


@test
def exec_says_how_the_program_ended():
    with tempfile.TemporaryDirectory() as tmp:
        exe = hello(tmp)
        r = heddle("exec", exe)
        expect(r.code == 0 and r.out == "2\n" and not r.err, r, "exec")
        r = heddle("exec", "--", exe, "--seed=x")
        expect(r.code == 0 and r.out == "4\n" and
               r.err == "heddle: note: the program ended with status 7\n", r, "exec with arguments")
        r = heddle("exec", "--seeds=3", "--stats", exe)
        expect(r.code == 0 and r.out == "2\n" * 3 and r.err.count(" instructions, ") == 3, r,
               "seeds")
        r = heddle("exec", "--max-instructions=100000", exe, "forever", "and", "ever")
        expect(r.code == 3 and "limit of 100000 instructions" in r.err, r, "budget")
        for words in (["--seed=1", "--seeds=2"], ["--stub=f"], ["--stub==1"], ["--stub=f=x"]):
            r = heddle("exec", *words, exe)
            expect(r.code == 2 and r.err.count("\n") == 1, r, " ".join(words))


@test
def exec_stops_at_what_it_does_not_know():
    with tempfile.TemporaryDirectory() as tmp:
        source = os.path.join(tmp, "odd.c")
        with open(source, "w") as f:
            f.write("#include <stdio.h>\nint heddle_test_oddity(int);\n"
                    "int main(void) { printf(\"%d\\n\", heddle_test_oddity(1)); return 0; }\n")
        native = os.path.join(tmp, "native.o")
        r = run("cc", "-x", "c", "-c", "-", "-o", native,
                input="int heddle_test_oddity(int x) { return x + 1; }")
        expect(r.code == 0, r, "cc")
        exe = os.path.join(tmp, "odd")
        r = run(os.path.join(BUILD, "heddle-cc"), "-g", source, native, "-o", exe)
        expect(r.code == 0, r, "heddle-cc")
        r = heddle("exec", exe)
        expect(r.code == 3 and "heddle_test_oddity" in r.err and "odd.c:3" in r.err, r,
               "unmodelled")
        r = heddle("exec", "--stub=heddle_test_oddity=-5", exe)
        expect(r.code == 0 and r.out == "-5\n", r, "stub")


@test
def debug_log_names_its_rooms():
    env = dict(os.environ)
    env.pop("HEDDLE_LOG", None)
    with tempfile.TemporaryDirectory() as tmp:
        exe, trace = os.path.join(tmp, "race"), os.path.join(tmp, "race.trace")
        source = os.path.join(ROOT, "examples/deposit.c")
        r = run(os.path.join(BUILD, "heddle-cc"), "-g", "-pthread", source, "-o", exe)
        expect(r.code == 0, r, "heddle-cc")
        r = heddle("record", "-o", trace, "--", exe, cwd=tmp, env=env)
        expect(os.path.isdir(trace), r, "record")
        words = ["predict", "--no-replay", trace]
        off = heddle(*words, cwd=tmp, env=env)
        expect("heddle: model: " not in off.err, off, "no HEDDLE_LOG")
        on = heddle(*words, cwd=tmp, env={**env, "HEDDLE_LOG": "model,predict"})
        expect(on.code == off.code and re.search("^heddle: model: .*query.* window", on.err, re.M) and
               re.search("^heddle: predict: property race: [0-9]+ candidates", on.err, re.M) and
               "heddle: extract: " not in on.err, on, "HEDDLE_LOG=model,predict")
        odd = heddle("--version", env={**env, "HEDDLE_LOG": "extract,loom"})
        expect(odd.code == 0 and "unknown room 'loom'" in odd.err and "base, ir, " in odd.err and
               "'extract'" not in odd.err, odd, "an unknown room")


@test
def dump_can_be_read_again():
    with tempfile.TemporaryDirectory() as tmp:
        exe = hello(tmp)
        first = heddle("dump", "--ir", exe)
        expect(first.code == 0 and first.out.startswith("heddle-ir 1"), first, "dump")
        hir = os.path.join(tmp, "x.hir")
        with open(hir, "w") as f:
            f.write(first.out)
        again = heddle("dump", hir)
        expect(again.out == first.out, again, "dump of a dump")
        r = heddle("exec", hir)
        expect(r.code == 0 and r.out == "2\n", r, "exec of a dump")
        r = heddle("dump", exe, "twice")
        expect(r.code == 0 and "func @twice" in r.out and "@main" not in r.out, r, "one function")
        r = heddle("dump", exe, "twcie")
        expect(r.code == 1 and "did you mean 'twice'?" in r.err, r, "wrong function")


def main():
    failed = 0
    for i, t in enumerate(TESTS, 1):
        try:
            t()
            print(f"ok {i} - {t.__name__}")
        except Exception as e:  # noqa: BLE001 any failure of a test is reported the same way
            failed += 1
            print(f"not ok {i} - {t.__name__}")
            print("\n".join("# " + line for line in f"{type(e).__name__}: {e}".split("\n")))
    print(f"1..{len(TESTS)}")
    sys.exit(1 if failed else 0)


main()
