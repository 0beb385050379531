#!/usr/bin/env python3
"""Fails when an #include goes against the direction of dependence between the rooms (src/rooms).

usage: check_includes.py ROOT          check the tree
       check_includes.py --self-test   check that each rule can fail
"""
import os
import re
import sys
import tempfile

INCLUDE = re.compile(r'^\s*#\s*include\s*([<"])([^>"]+)[>"]')

# Headers of libraries that only some rooms may know; the value lists rooms or files.
RESTRICTED = [
    (re.compile(r"^llvm-c/|^llvm/|^clang-c/"), ["src/import/", "src/bitcode/", "src/instrument/"]),
    (re.compile(r"^z3"), ["src/smt/z3"]),
    (re.compile(r"^zstd"), ["src/log/"]),
    (re.compile(r"^sqlite3\.h$"), ["src/finding/", "src/cli/", "src/deep/"]),
    (re.compile(r"^jansson\.h$"), ["src/finding/", "src/explore/", "src/cli/"]),
]
# What the machine and the models agree on, and instrumented code and the runtime: the only files of
# models/ and runtime/ that a room knows.
CONTRACTS = [("models/heddle_model.h", "machine"), ("runtime/hooks.h", "instrument")]
# Folders outside src/, and what of ours they may include besides files of their own.
OUTSIDE = {"runtime": ["runtime/", "log/", "heddle/"], "models": ["heddle/"], "include": []}


def read_rooms(root):
    """Each room with all the rooms it may use, itself included."""
    rooms = {}
    with open(os.path.join(root, "src/rooms")) as f:
        for line in f:
            line = line.split("#")[0].strip()
            if not line:
                continue
            name, uses = line.split(":")
            allowed = {name.strip()}
            for used in uses.split():
                if used not in rooms:
                    sys.exit(f"src/rooms: '{name}' uses '{used}', which does not come before it")
                allowed |= rooms[used]
            rooms[name.strip()] = allowed
    rooms["cli"] = set(rooms) | {"cli"}
    return rooms


def check_include(path, kind, header, rooms, folder_files):
    """The complaint about one include, or None."""
    for pattern, places in RESTRICTED:
        if pattern.search(header) and not any(path.startswith(p) for p in places):
            return f"'{header}' may only be included in {', '.join(places)}"
    parts = path.split("/")
    if parts[0] != "src":
        allowed = OUTSIDE[parts[0]]
        if kind == '"' and header not in folder_files and \
                not any(header == a or (a.endswith("/") and header.startswith(a)) for a in allowed):
            return f"'{header}' may not be included in {parts[0]}/"
        return None
    room = parts[1]
    target = header.split("/")[0]
    if kind == "<":
        return f"'{header}' is ours: write it in quotes" if target in rooms else None
    if (header, room) in CONTRACTS:
        return None
    if header == "config.h" or header.startswith("heddle/"):
        return None
    if target not in rooms or "/" not in header:
        return f"'{header}' names no room (write \"room/file.h\")"
    if target not in rooms[room]:
        return f"room '{room}' may not use room '{target}'"
    return None


def check_tree(root):
    rooms = read_rooms(root)
    complaints = []
    files = 0
    for top in ["src", *OUTSIDE]:
        for folder, _, names in os.walk(os.path.join(root, top)):
            rel_folder = os.path.relpath(folder, root)
            if top == "src" and rel_folder != "src" and rel_folder.split("/")[1] not in rooms:
                complaints.append(f"{rel_folder}: error: not a room of src/rooms")
                continue
            for name in sorted(names):
                if not name.endswith((".c", ".h", ".S", ".def")):
                    continue
                files += 1
                path = f"{rel_folder}/{name}"
                with open(os.path.join(root, path), errors="replace") as f:
                    for number, line in enumerate(f, 1):
                        m = INCLUDE.match(line)
                        bad = m and check_include(path, m[1], m[2], rooms, names)
                        if bad:
                            complaints.append(f"{path}:{number}: error: {bad}")
    if not files:
        complaints.append(f"{root}: error: no source files here")
    return complaints


# path of a file in an otherwise empty tree, one line of it, and whether that must be refused
SELF_TEST = [
    ("src/base/x.c", '#include "base/y.h"', False),
    ("src/base/x.c", '#include "ir/ir.h"', True),
    ("src/ir/x.c", '#include "base/base.h"', False),
    ("src/ir/x.c", '  #  include "machine/exec.h"', True),
    ("src/facts/x.c", '#include "import/import.h"', True),
    ("src/machine/x.c", '#include "ir/ir.h"', False),
    ("src/predict/x.c", '#include "machine/exec.h"', False),
    ("src/predict/x.c", '#include "deep/deep.h"', True),
    ("src/finding/x.c", '#include "extract/ctp.h"', True),
    ("src/cli/x.c", '#include "extract/ctp.h"', False),
    ("src/machine/x.c", '#include "cli/command.h"', True),
    ("src/machine/x.c", '#include "models/heddle_model.h"', False),
    ("src/facts/x.c", '#include "models/heddle_model.h"', True),
    ("src/machine/x.c", '#include "models/model.h"', True),
    ("src/instrument/x.c", '#include "runtime/hooks.h"', False),
    ("src/instrument/x.c", '#include "runtime/runtime.h"', True),
    ("src/log/x.c", '#include "runtime/hooks.h"', True),
    ("src/ir/x.c", '#include "ir.h"', True),
    ("src/ir/x.c", "#include <base/vec.h>", True),
    ("src/attic/x.c", "", True),
    ("src/import/x.c", "#include <llvm-c/Core.h>", False),
    ("src/machine/x.c", "#include <llvm-c/Core.h>", True),
    ("src/cc/x.c", "#include <llvm-c/Core.h>", True),
    ("src/image/x.c", '#include "cc/args.h"', True),
    ("src/smt/z3.c", "#include <z3.h>", False),
    ("src/smt/term.c", "#include <z3.h>", True),
    ("src/log/store_read.c", "#include <zstd.h>", False),
    ("src/trace/x.c", "#include <zstd.h>", True),
    ("runtime/x.c", '#include "log/format.h"', False),
    ("runtime/x.c", '#include "runtime/hooks.h"', False),
    ("runtime/x.c", '#include "base/vec.h"', True),
    ("models/x.c", '#include "ir/ir.h"', True),
    ("include/heddle/x.h", '#include "base/base.h"', True),
    ("docs/x.c", "", True),
]


def self_test():
    here = os.path.dirname(os.path.dirname(os.path.abspath(__file__)))
    with open(os.path.join(here, "src/rooms")) as f:
        rooms = f.read()
    wrong = 0
    for path, line, refused in SELF_TEST:
        with tempfile.TemporaryDirectory() as root:
            os.makedirs(os.path.join(root, os.path.dirname(path)))
            os.makedirs(os.path.join(root, "src"), exist_ok=True)
            with open(os.path.join(root, "src/rooms"), "w") as f:
                f.write(rooms)
            with open(os.path.join(root, path), "w") as f:
                f.write(line + "\n")
            complaints = check_tree(root)
            if bool(complaints) != refused:
                print(f"{path}: '{line}' was {'accepted' if refused else complaints}")
                wrong += 1
    print(f"{len(SELF_TEST) - wrong} passed, {wrong} failed")
    return wrong


def main():
    if sys.argv[1:] == ["--self-test"]:
        sys.exit(1 if self_test() else 0)
    if len(sys.argv) != 2:
        sys.exit(__doc__)
    complaints = check_tree(sys.argv[1])
    for complaint in complaints:
        print(complaint)
    sys.exit(1 if complaints else 0)


main()
