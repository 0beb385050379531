"""The annotations of a test: lines `check-KEY: VALUE` in the first comment of a C file.

tests/README.md lists all keys. KEYS is the only table of them: the type of each value, and the suites that
read it. A key that is not in the table, that its suite does not read, or that is given twice is a failure, so that
a misspelled expectation cannot pass silently.

The suite of a file follows from its check-command:

    (none), heddle exec ...     programs    another command is of suite `programs`, too
    heddle check --deep ...     deep        if there is a check-finds or check-complete
    heddle check ...            check       if there is a check-finds or check-predicts
    heddle branches ...         branches    if there is a check-branch
    heddle explore ...          explore     if there is a check-finds or check-run
"""
import os
import re

from harness.failure import Failure

ALL = ("programs", "check", "deep", "branches", "explore")
FINDING = ("check", "deep", "explore")

# key: (type of the value, suites). Types: line, lines (may be repeated), number, or the words allowed.
KEYS = {
    "name": ("line", ALL),
    "flags": ("line", ALL),
    "command": ("line", ALL),
    "timeout": ("number", ALL),
    "known-to-fail": ("line", ALL),
    "exit": ("number", ("programs", "check", "branches")),
    "output-contains": ("lines", ("programs", "check")),
    "output-excludes": ("lines", ("programs", "check")),
    "error-contains": ("lines", ("programs",)),
    "error-excludes": ("lines", ("programs",)),
    "output": ("block", ("programs",)),
    "args": ("line", ("programs",)),
    "stdin": ("line", ("programs",)),
    "seeds": ("number", ("programs",)),
    "switch": (("sync", "access", "both"), ("programs",)),
    "native": (("no",), ("programs",)),
    "export": ("line", ("programs",)),
    "long": (("yes",), ("programs",)),
    "finds": ("lines", FINDING),
    "allows": ("lines", FINDING),
    "predicts": ("lines", ("check",)),
    "natural": ("line", ("check",)),
    "force": ("line", ("check",)),
    "complete": (("yes",), ("deep",)),
    "branch": ("lines", ("branches",)),
    "branch-kind": ("lines", ("branches",)),
    "run": ("lines", ("explore",)),
    "order": ("line", ("explore",)),
    "paths": ("number", ("explore",)),
    "incomplete": ("line", ("explore",)),
    "correct": (("no",), ("explore",)),
    "test": (("no",), ("explore",)),
}
KEY = re.compile(r"^check-([a-z-]+)(?::\s?(.*))?$")
SUITES = (("heddle check --deep ", "deep", ("finds", "complete")),
          ("heddle check ", "check", ("finds", "predicts")),
          ("heddle branches ", "branches", ("branch",)),
          ("heddle explore ", "explore", ("finds", "run")))


def comment_lines(text):
    """The lines of the first comment, without the stars at their beginning."""
    m = re.match(r"\s*/\*(.*?)\*/", text, re.S)
    for line in m[1].split("\n") if m else []:
        yield re.sub(r"^\s*\* ?", "", line).rstrip()


def bad(key, why):
    return Failure(f"bad annotation 'check-{key}': {why}")


def block_of(lines):
    block = []
    for line in lines:
        if line == "check-output-end":
            return "".join(block)
        block.append(line + "\n")
    raise Failure("check-output without check-output-end")


def value_of(key, text):
    kind = KEYS[key][0]
    if not text:
        raise bad(key, "no value")
    if kind == "number" and not text.isdigit():
        raise bad(key, "not a number")
    if isinstance(kind, tuple) and text not in kind:
        raise bad(key, f"not one of {', '.join(kind)}")
    return text


def suite_of(notes):
    command = notes.get("command", "")
    for start, suite, keys in SUITES:
        if command.startswith(start) and any(notes.get(key) for key in keys):
            return suite
    return "programs"


def read_lines(lines):
    notes = {key: [] for key, (kind, _) in KEYS.items() if kind == "lines"}
    given = []
    for line in lines:
        m = KEY.match(line)
        if not m:
            continue
        key, text = m[1], m[2]
        if key not in KEYS:
            raise bad(key, "unknown")
        given.append(key)
        if KEYS[key][0] == "lines":
            notes[key].append(value_of(key, text))
        elif key in notes:
            raise bad(key, "given twice")
        else:
            notes[key] = block_of(lines) if key == "output" else value_of(key, text)
    return notes, given


def parse(path):
    """The annotations of a file as a dictionary, with its `suite`; Failure if they make no sense."""
    with open(path, errors="surrogateescape") as f:
        text = f.read()
    notes, given = read_lines(comment_lines(text))
    if "name" not in notes:
        raise Failure("no check-name in the first comment")
    notes["suite"] = suite_of(notes)
    for key in given:
        if notes["suite"] not in KEYS[key][1]:
            raise bad(key, f"suite '{notes['suite']}' does not read it")
    if "seeds" in notes and not notes.get("command", "heddle exec ").startswith("heddle exec "):
        raise bad("seeds", "the command is not 'heddle exec ...'")
    notes["text"] = text
    return notes


def marked_lines(path, word, found=None):
    """The lines with a comment `WORD: LABEL...`, as {label: {(file, line)}}. Headers in the folder of the
    program that it includes may have such comments, too."""
    found = {} if found is None else found
    with open(path) as f:
        for n, line in enumerate(f, 1):
            m = re.search(rf"/\* {word}: (.*?) \*/", line)
            for label in m[1].split() if m else []:
                found.setdefault(label, set()).add((os.path.basename(path), n))
            m = re.match(r'#include "([\w.]+)"', line)
            if m:
                marked_lines(os.path.join(os.path.dirname(path), m[1]), word, found)
    return found


def c_files(paths):
    """The files named by the paths; a folder stands for its *.c files."""
    files = []
    for path in paths:
        files += sorted(os.path.join(path, n) for n in os.listdir(path) if n.endswith(".c")) \
            if os.path.isdir(path) else [path]
    return files
