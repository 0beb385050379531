#!/usr/bin/env python3
"""Fails when a page names an option or a command of heddle that does not exist, or when a command has no page.

The manual pages get their lists of options from the program (`heddle help --mdoc`), so every option is
documented. Pages in docs/, docs/man and README.md also name options by hand:

    heddle NAME ... --option     must be an option of that command, up to the end of the line or code span
    .Fl -option                  in docs/man/heddle-NAME.mdoc: an option of that command
    `--option`                   an option of some command of heddle, or of a script of this project

usage: check_options.py ROOT HEDDLE   check the pages against the program
       check_options.py --self-test   check that each rule can fail
"""
import glob
import os
import re
import subprocess
import sys

OPTION = re.compile(r"(?<![\w-])--([a-z][a-z0-9-]*[a-z0-9])")
# Options of compilers and linkers.
OTHERS = {"wrap", "dump-section"}


def command_lines(text):
    """The command lines of heddle in a line of a page: in code spans, or the whole line after "$ "."""
    spans = re.findall(r"`([^`]*)`", text)
    if re.match(r"\s*\$ ", text) or text.startswith("    heddle "):
        spans.append(text)
    for span in spans:
        for m in re.finditer(r"(?<![\w/.-])heddle ([a-z]+)\b((?:(?! -- | && |[|;]).)*)", span):
            yield m[1], OPTION.findall(m[2])


def complaints_of(page, text, options, known):
    """options: those of each command; known: options that any page may name by themselves."""
    m = re.match(r"heddle-(\w+)\.mdoc$", os.path.basename(page))
    own = m[1] if m else None
    for number, line in enumerate(text.splitlines(), 1):
        for name, given in command_lines(line):
            if name not in options:
                yield f"{page}:{number}: error: there is no command 'heddle {name}'"
                continue
            for o in given:
                if o not in options[name]:
                    yield f"{page}:{number}: error: 'heddle {name}' has no option '--{o}'"
        if page.endswith(".mdoc"):
            for o in re.findall(r"\.Fl \\?-([a-z][a-z0-9-]+)", line):
                if own and o not in options.get(own, set()):
                    yield f"{page}:{number}: error: 'heddle {own}' has no option '--{o}'"
        else:
            for span in re.findall(r"`(--[^`]*)`", line):
                for o in OPTION.findall(span):
                    if o not in known:
                        yield f"{page}:{number}: error: no command has an option '--{o}'"


def options_of(heddle):
    def run(*words):
        return subprocess.run([heddle, *words], capture_output=True, text=True, check=True).stdout

    names = re.findall(r"^  ([a-z]+) ", run("--help").split("commands:")[1].split("exit codes:")[0], re.M)
    return {n: set(re.findall(r"^ .*?--([a-z][a-z0-9-]*)", run("help", n), re.M)) for n in names}


def script_options(root):
    found = set()
    for top in ("tests", "tools", "bench"):
        for folder, _, files in os.walk(os.path.join(root, top)):
            for f in files:
                if f.endswith((".py", ".c")) or top == "tools" or "." not in f:
                    with open(os.path.join(folder, f), errors="replace") as text:
                        found |= set(OPTION.findall(text.read()))
    return found


def check(root, heddle):
    options = options_of(heddle)
    known = set().union(*options.values()) | script_options(root) | OTHERS | {"version"}
    pages = sorted(glob.glob(f"{root}/docs/*.md") + glob.glob(f"{root}/docs/man/*.mdoc"))
    complaints = []
    for page in pages + [f"{root}/README.md", f"{root}/tests/README.md"]:
        with open(page) as f:
            complaints += complaints_of(os.path.relpath(page, root), f.read(), options, known)
    complaints += [f"docs/man: error: the command '{name}' has no page" for name in options
                   if not os.path.exists(f"{root}/docs/man/heddle-{name}.mdoc")]
    return complaints


def self_test():
    options = {"check": {"only", "deep"}, "replay": {"times"}}
    known = {"only", "deep", "times", "build"}
    cases = [
        ("a.md", "    $ heddle check --only race -- ./test --frob", 0),
        ("a.md", "run `heddle replay --times 3 H1`, with `--deep` or `--build`", 0),
        ("a.md", "    $ heddle check --times 3 -- ./test", 1),
        ("a.md", "run `heddle replay --deep H1`", 1),
        ("a.md", "run `heddle weave`", 1),
        ("a.md", "with `--frob`", 1),
        ("docs/man/heddle-check.mdoc", ".Fl -deep", 0),
        ("docs/man/heddle-check.mdoc", ".Fl -times", 1),
        ("docs/man/heddle-check.mdoc", "$ heddle replay --only H1", 1),
    ]
    failed = [text for page, text, want in cases
              if len(list(complaints_of(page, text, options, known))) != want]
    for text in failed:
        print(f"wrong result for: {text}")
    print(f"{len(cases) - len(failed)} passed, {len(failed)} failed")
    return 1 if failed else 0


def main():
    if sys.argv[1:] == ["--self-test"]:
        sys.exit(self_test())
    complaints = check(*sys.argv[1:3])
    print("\n".join(complaints))
    sys.exit(1 if complaints else 0)


if __name__ == "__main__":
    main()
