#!/usr/bin/env python3
"""The command line from outside: help, exit codes, messages, completions, manual pages, and what it
says to input that is not what it should be. Prints TAP. usage: run_cli.py BUILD_DIR"""
import os
import re
import shutil
import subprocess
import sys

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
        (["completion"], "'heddle completion' wants bash|zsh|fish"),
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
    for subject in ("compiler", "linker", "solver", "cores", "memory", "disk", "kernel"):
        expect(re.search(rf"^{subject} ", r.out, re.M), r, f"doctor on {subject}")


@test
def doctor_names_what_is_missing():
    r = heddle("doctor", env=dict(os.environ, TMPDIR="/nonexistent/folder"))
    expect(r.code == 1 and re.search(r"^temporary  MISSING ", r.out, re.M), r, "doctor")


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
        for option in re.findall(r"^ +(?:-\w, )?(--[a-z-]+)", heddle(*name.split("-", 1)[1:], "--help").out
                                 if name not in ("heddle", "heddle-cc") else "", re.M):
            expect(option in r.out.replace("\u2010", "-").replace("−", "-"), r, f"{option} in {page}")


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
