#!/usr/bin/env python3
"""Fails when a comment or a page names a file or a room of ours that does not exist.

A name is a path from the root of the project (src/log/format.h), a path in src/ (log/format.h), or a
folder of src/ (src/log). A name with capital letters (prop_NAME.c) stands for any name.

usage: check_paths.py ROOT          check the tree
       check_paths.py --self-test   check that each rule can fail
"""
import os
import re
import sys

TOPS = "src|runtime|models|tests|tools|bench|docs|include|examples"
READ = re.compile(r"\.(c|h|def|md|mdoc|py|S|build)$")
# Their texts name files of imaginary projects.
LEFT_OUT = re.compile(r"^tests/(unit|fuzz|check_includes\.py|check_paths\.py)")


def bad_names(path, text, files, rooms):
    """The names in a text that stand for no file or room."""
    file_name = re.compile(r"(?<![\w./-])((?:%s)/[\w./-]*\w\.(?:c|h|def|py|md|S)|(?:%s)/\w+\.(?:c|h|def))\b"
                           % (TOPS, "|".join(rooms)))
    folder = re.compile(r"(?<![\w/])(src/(\w+))\b(?!\.)")
    for number, line in enumerate(text.splitlines(), 1):
        for m in file_name.finditer(line):
            places = [m[1], f"src/{m[1]}", os.path.join(os.path.dirname(path), m[1])]
            if not re.search(r"[A-Z]{2}", m[1]) and not any(p in files for p in places):
                yield number, m[1]
        for m in folder.finditer(line):
            if m[2] not in rooms and m[1] not in files:
                yield number, m[1]


def check_tree(root):
    files = set()
    for top in TOPS.split("|"):
        for folder, _, names in os.walk(os.path.join(root, top)):
            files |= {os.path.relpath(os.path.join(folder, name), root) for name in names}
    rooms = sorted({f.split("/")[1] for f in files if re.match(r"src/\w+/", f)})
    complaints = []
    for path in sorted(files):
        if READ.search(path) and not LEFT_OUT.match(path):
            with open(os.path.join(root, path), errors="replace") as f:
                complaints += [f"{path}:{number}: error: there is no '{name}'"
                               for number, name in bad_names(path, f.read(), files, rooms)]
    return complaints


def self_test():
    files = {"src/log/format.h", "src/rooms", "tests/cc/run.py", "docs/ir.md"}
    cases = [
        ("/* see log/format.h, src/log/format.h and src/rooms */", 0),
        ("the format (src/log), tests/cc/run.py, docs/ir.md, src/log/prop_NAME.c", 0),
        ("/* log/gone.h */", 1),
        ("/* src/log/gone.c */", 1),
        ("in src/gone and src/gone/x.c", 3),
        ("docs/gone.md", 1),
    ]
    failed = [text for text, want in cases if len(list(bad_names("x.c", text, files, ["log"]))) != want]
    for text in failed:
        print(f"not as expected: {text}")
    print(f"{len(cases) - len(failed)} passed, {len(failed)} failed")
    return 1 if failed else 0


def main():
    if sys.argv[1:] == ["--self-test"]:
        sys.exit(self_test())
    complaints = check_tree(sys.argv[1])
    print("\n".join(complaints))
    sys.exit(1 if complaints else 0)


if __name__ == "__main__":
    main()
