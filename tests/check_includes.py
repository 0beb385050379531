#!/usr/bin/env python3
"""Checks the rooms of src/ and the includes between them.

 - an #include follows the direction of dependence in src/rooms
 - src/rooms has every folder of src/, each with sources, and no edge that no include needs
 - a file includes the headers of src/base whose names it uses. It includes them itself; a .c file may
   also leave that to the header of its own name, or to a header that only its own room includes
 - a room has at most 10,000 lines, and a file of src/, runtime/ and models/ at most 800: past that it holds
   a second job

usage: check_includes.py ROOT          check the tree
       check_includes.py --self-test   check that each rule can fail
"""
import os
import re
import sys
import tempfile

INCLUDE = re.compile(r'^\s*#\s*include\s*([<"])([^>"]+)[>"]', re.M)

# Headers of libraries that only some rooms may know; the value lists rooms or files.
RESTRICTED = [
    (re.compile(r"^llvm-c/|^llvm/|^clang-c/"), ["src/import/", "src/export/", "src/bitcode/", "src/instrument/"]),
    (re.compile(r"^z3"), ["src/smt/z3"]),
    (re.compile(r"^zstd"), ["src/log/"]),
    (re.compile(r"^sqlite3\.h$"), ["src/finding/db.c"]),
    (re.compile(r"^jansson\.h$"), ["src/finding/", "src/explore/", "src/cli/"]),
]
# What the machine and the models agree on, and instrumented code and the runtime: the only files of
# models/ and runtime/ that a room knows.
CONTRACTS = [("models/heddle_model.h", "machine"), ("runtime/hooks.h", "instrument")]
# Folders outside src/, and what of ours they may include besides files of their own.
OUTSIDE = {"runtime": ["runtime/", "log/", "heddle/"], "models": ["heddle/", "../src/log/faults.def"],
    "include": []}
# Folders whose files include our headers without being in a room: only the names that they use count.
USERS = ["tests", "bench"]
# The rooms whose headers a file must include when it uses their names.
DECLARING = ["base"]
MAX_ROOM, MAX_FILE = 10000, 800  # lines


class Rooms:
    """The table of src/rooms."""

    def __init__(self, root):
        self.uses = {}
        with open(os.path.join(root, "src/rooms")) as f:
            for line in f:
                line = line.split("#")[0].strip()
                if not line:
                    continue
                name, uses = line.split(":")
                for used in uses.split():
                    if used not in self.uses:
                        sys.exit(f"src/rooms: '{name}' uses '{used}', which does not come before it")
                self.uses[name.strip()] = uses.split()

    def allowed(self, room, without=None):
        """The rooms that a room may use, itself included; `without` one of its edges."""
        found, open_rooms = {room}, [u for u in self.uses[room] if u != without]
        while open_rooms:
            one = open_rooms.pop()
            if one not in found:
                found.add(one)
                open_rooms += self.uses[one]
        return found


class Source:
    """One file: its path, its includes as (line, kind, header), and the words of its code."""

    def __init__(self, root, path):
        self.path = path
        with open(os.path.join(root, path), errors="replace") as f:
            self.text = f.read()
        self.includes = [(self.text.count("\n", 0, m.start(1)) + 1, m[1], m[2])
                         for m in INCLUDE.finditer(self.text)]
        self.headers = {header for _, kind, header in self.includes if kind == '"'}


# ---- direction -----------------------------------------------------------------------------------

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
        return f"'{header}' is ours: write it in quotes" if target in rooms.uses else None
    if (header, room) in CONTRACTS:
        return None
    if header == "config.h" or header.startswith("heddle/"):
        return None
    if target not in rooms.uses or "/" not in header:
        return f"'{header}' names no room (write \"room/file.h\")"
    if target not in rooms.allowed(room):
        return f"room '{room}' may not use room '{target}'"
    return None


def check_table(rooms, sources):
    """Complaints about rooms without sources and edges that no include needs."""
    used = {room: set() for room in rooms.uses}
    filled = set()
    for s in sources:
        parts = s.path.split("/")
        if parts[0] != "src" or len(parts) < 3 or parts[1] not in used:
            continue
        filled.add(parts[1])
        used[parts[1]] |= {h.split("/")[0] for h in s.headers}
    for room, edges in rooms.uses.items():
        if room not in filled:
            yield f"src/rooms: error: room '{room}' has no sources"
        needed = used[room] & rooms.allowed(room)
        for edge in edges:
            if needed <= rooms.allowed(room, without=edge):
                yield f"src/rooms: error: no include needs the edge from '{room}' to '{edge}'"


def check_sizes(sources):
    """Complaints about rooms and files that are too long."""
    rooms = {}
    for s in sources:
        parts = s.path.split("/")
        n = s.text.count("\n")
        if parts[0] == "src":
            rooms[parts[1]] = rooms.get(parts[1], 0) + n
        if parts[0] not in USERS and s.path.endswith((".c", ".h")) and n > MAX_FILE:
            yield f"{s.path}:{n}: error: more than {MAX_FILE} lines: find the second idea in it"
    for room, n in sorted(rooms.items()):
        if n > MAX_ROOM:
            yield f"src/{room}: error: {n} lines, more than {MAX_ROOM}: find the second job in it"


# ---- names ---------------------------------------------------------------------------------------

def code_of(text):
    """The text without comments, literals and #include lines; continued lines are joined."""
    text = text.replace("\\\n", " ")
    text = re.sub(r'/\*.*?\*/|//[^\n]*|"(?:\\.|[^"\\\n])*"|\'(?:\\.|[^\'\\\n])+\'',
                  lambda m: " " if m[0].startswith("/") else '""', text, flags=re.S)
    return re.sub(r"^\s*#\s*include\b.*$", "", text, flags=re.M)


def outer_level(code):
    """The code with a single '}' for each outermost pair of braces."""
    out, depth = [], 0
    for piece in re.split(r"([{}])", code):
        depth += piece == "{"
        if not depth:
            out.append(piece)
        if piece == "}":
            depth -= 1
            if not depth:
                out.append(" }")
    return "".join(out)


def declared_names(text):
    """(names, tags) that a header declares: macros, functions, variables, typedefs, enumerators; and
    tags of structs, unions and enumerations with their bodies."""
    code = code_of(text)
    names = set(re.findall(r"^[ \t]*#[ \t]*define[ \t]+(\w+)", code, re.M))
    names -= set(re.findall(r"^[ \t]*#[ \t]*undef[ \t]+(\w+)", code, re.M))
    names = {n for n in names if not n.startswith("HEDDLE_")}
    code = re.sub(r"^[ \t]*#.*$", "", code, flags=re.M)
    for body in re.findall(r"\benum\b[^{};()]*\{([^{}]*)\}", code):
        names |= set(re.findall(r"(?:^|,)\s*(\w+)\s*(?==|,|$)", body))
    top = outer_level(code)
    names |= set(re.findall(r"\b(\w+)\s*\((?:[^()]|\([^()]*\))*\)\s*(?:PRINTF\s*\([^)]*\)\s*)?[;}]", top))
    names |= set(re.findall(r"\bextern\b[^;()]*?\b(\w+)\s*(?:\[[^\]]*\]\s*)*;", top))
    names |= set(re.findall(r"\btypedef\b[^;(]*?\b(\w+)\s*;", top))
    names |= set(re.findall(r"\btypedef\b[^;(]*\(\s*\*\s*(\w+)\s*\)", top))
    tags = set(re.findall(r"\b(?:struct|union|enum)\s+(\w+)\s*\}", top))
    return names - {"_Static_assert"}, tags


def used_headers(source, names, tags):
    """The headers that declare what the file uses. A tag that the file itself declares without a body
    needs no header."""
    code = code_of(source.text)
    used = {names[w] for w in re.findall(r"(?<![\w.])(?<!->)[A-Za-z_]\w*", code) if w in names}
    forward = set(re.findall(r"^\s*(?:struct|union|enum)\s+(\w+)\s*;", code, re.M))
    used |= {tags[t] for t in re.findall(r"\b(?:struct|union|enum)\s+(\w+)", code)
             if t in tags and t not in forward}
    return used


def given_headers(source, by_header, foreign):
    """The headers that the file includes, with those that a .c file gets from the header of its own name
    and from headers that no other room includes."""
    given, open_files = set(), [source]
    own = source.path[len("src/"):-len(".c")] + ".h"
    room = source.path.split("/")[1] + "/"
    while open_files:
        for header in open_files.pop().headers - given:
            given.add(header)
            private = header.startswith(room) and header not in foreign
            if source.path.endswith(".c") and header in by_header and (header == own or private):
                open_files.append(by_header[header])
    return given


def missing_includes(sources):
    """(source, header) for each header whose names a file uses without including it."""
    by_header = {s.path[len("src/"):]: s for s in sources
                 if s.path.startswith("src/") and s.path.endswith(".h")}
    names, tags = {}, {}
    for header, s in by_header.items():
        if header.split("/")[0] in DECLARING:
            for table, found in zip((names, tags), declared_names(s.text)):
                table.update(dict.fromkeys(found, header))
    foreign = {h for s in sources for h in s.headers
               if not s.path.startswith("src/" + h.split("/")[0] + "/")}
    ours = {header.split("/")[0] for header in by_header}
    for s in sources:
        if not s.path.endswith((".c", ".h")) or s.path.split("/")[0] not in ["src", *USERS] or \
                not any(h.split("/")[0] in ours for h in s.headers):
            continue
        given = given_headers(s, by_header, foreign) | {s.path[len("src/"):]}
        for header in sorted(used_headers(s, names, tags) - given):
            yield s, header


# ---- the tree ------------------------------------------------------------------------------------

def read_tree(root):
    for top in ["src", *OUTSIDE, *USERS]:
        for folder, _, names in os.walk(os.path.join(root, top)):
            rel_folder = os.path.relpath(folder, root)
            for name in sorted(names):
                if name.endswith((".c", ".h", ".S", ".def")):
                    yield Source(root, f"{rel_folder}/{name}")


def check_tree(root):
    rooms = Rooms(root)
    sources = list(read_tree(root))
    if not sources:
        return [f"{root}: error: no source files here"]
    complaints = []
    folders = {}
    for s in sources:
        folders.setdefault(os.path.dirname(s.path), []).append(os.path.basename(s.path))
    for folder in sorted(folders):
        parts = folder.split("/")
        if parts[0] == "src" and parts[1:2] and parts[1] not in rooms.uses:
            complaints.append(f"{folder}: error: not a room of src/rooms")
    for s in sources:
        parts = s.path.split("/")
        if parts[0] in USERS or (parts[0] == "src" and parts[1] not in rooms.uses):
            continue
        for number, kind, header in s.includes:
            bad = check_include(s.path, kind, header, rooms, folders[os.path.dirname(s.path)])
            if bad:
                complaints.append(f"{s.path}:{number}: error: {bad}")
    for s, header in missing_includes(sources):
        complaints.append(f"{s.path}:1: error: uses names of '{header}' without including it")
    return complaints + list(check_table(rooms, sources)) + list(check_sizes(sources))


# ---- the test of this script ---------------------------------------------------------------------

# path of a file, its text, and whether it must be refused
FILES = [
    ("src/base/x.c", '#include "base/y.h"', False),
    ("src/base/x.c", '#include "ir/ir.h"', True),
    ("src/ir/x.c", '#include "base/base.h"', False),
    ("src/ir/x.c", '  #  include "machine/exec.h"', True),
    ("src/facts/x.c", '#include "import/import.h"', True),
    ("src/machine/x.c", '#include "ir/ir.h"', False),
    ("src/predict/x.c", '#include "machine/exec.h"', False),
    ("src/predict/x.c", '#include "deep/deep.h"', True),
    ("src/finding/x.c", '#include "ctp/ctp.h"', True),
    ("src/cli/x.c", '#include "ctp/ctp.h"', False),
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
    ("src/smt/solve.c", "#include <z3.h>", True),
    ("src/log/store_read.c", "#include <zstd.h>", False),
    ("src/trace/x.c", "#include <zstd.h>", True),
    ("runtime/x.c", '#include "log/format.h"', False),
    ("runtime/x.c", '#include "runtime/hooks.h"', False),
    ("runtime/x.c", '#include "base/vec.h"', True),
    ("models/x.c", '#include "ir/ir.h"', True),
    ("include/heddle/x.h", '#include "base/base.h"', True),
    ("src/ir/x.c", "\n" * (MAX_FILE - 1), False),
    ("src/ir/x.c", "\n" * MAX_FILE, True),
    ("runtime/x.c", "\n" * MAX_FILE, True),
    ("src/ir/x.def", "\n" * (MAX_FILE + 1), False),
    ("src/ir/x.def", "\n" * MAX_ROOM, True),
]
# Names that the headers of the test's tree declare, used with and without the include.
IR = '#include "ir/ir.h"\n'
KNOT = '#include "base/knot.h"\n'
NAMES = [
    ("src/ir/x.c", IR + "int f(void) { return knot_tie(1); }", True),
    ("src/ir/x.c", KNOT + "int f(void) { return knot_tie(1); }", False),
    ("src/ir/x.c", IR + "int f(void) { return KNOT_SIZE(2); }", True),
    ("src/ir/x.c", IR + "struct loop { struct knot k; };", True),
    ("src/ir/x.c", IR + "int f(void) { return KNOT_REEF; }", True),
    ("src/ir/x.c", IR + "int f(void) { return knots_made; }", True),
    ("src/ir/x.c", IR + "knot_id f(void);", True),
    ("src/ir/x.c", IR + "knot_fn f(void);", True),
    ("src/ir/x.c", IR + "int f(void) { return knot_half(1); }", True),
    ("src/ir/x.h", IR + "#define USE(x) knot_tie(x)", True),
    ("src/ir/x.h", IR + "struct knot;\nint f(struct knot *k);", False),
    ("src/ir/x.c", IR + '/* knot_tie() */ const char *s = "knot_tie";', False),
    ("src/ir/x.c", IR + "int f(struct loop *l) { return l->knot_tie + l.knot_tie; }", False),
    ("src/ir/own.c", '#include "ir/own.h"\nint f(void) { return knot_tie(1); }', False),
    ("src/ir/x.c", '#include "ir/own.h"\nint f(void) { return knot_tie(1); }', True),
    ("src/ir/x.c", '#include "ir/ir_internal.h"\nint f(void) { return knot_tie(1); }', False),
    ("src/ir/x.h", '#include "ir/ir_internal.h"\nint f(void) { return knot_tie(1); }', True),
    ("tests/unit/x.c", IR + "int f(void) { return knot_tie(1); }", True),
    ("tests/programs/x.c", "int f(void) { return knot_tie(1); }", False),
]
HEADERS = {
    "src/base/knot.h": "#define KNOT_SIZE(n) \\\n\t((n) * 2)\nstruct knot {\n\tint n;\n};\n"
                       "enum knot_kind { KNOT_BOW, KNOT_REEF = 3 };\nextern int knots_made;\n"
                       "typedef unsigned knot_id;\ntypedef int (*knot_fn)(int n);\nint knot_tie(int n);\n"
                       "static inline int knot_half(int n)\n{\n\treturn n / 2;\n}\n",
    "src/ir/own.h": KNOT,
    "src/ir/ir_internal.h": KNOT,
    "src/facts/uses_own.c": '#include "ir/own.h"\n',
}
# a change to src/rooms, and what the complaint must say; None: there must be none
TABLES = [
    (lambda t: t, None),
    (lambda t: t + "attic: base\n", "room 'attic' has no sources"),
    (lambda t: t.replace("ir:         base", "ir:"), "room 'ir' may not use room 'base'"),
    (lambda t: t.replace("finding:    log", "finding:    log ir"), "the edge from 'finding' to 'ir'"),
    (lambda t: t.replace("model:      ctp", "model:      ctp trace"), "the edge from 'model' to 'trace'"),
    (lambda t: re.sub(r"^cli:.*\n", "", t, flags=re.M), "src/cli: error: not a room"),
]


def write_file(root, path, text):
    os.makedirs(os.path.join(root, os.path.dirname(path)), exist_ok=True)
    with open(os.path.join(root, path), "w") as f:
        f.write(text + "\n")


def make_tree(root, table, changed):
    """A tree without a fault: one file in each room, which includes a header of each room that it uses."""
    write_file(root, "src/rooms", changed)
    for line in table.split("\n"):
        name, _, uses = line.split("#")[0].partition(":")
        if name:
            write_file(root, f"src/{name}/room.c",
                       "\n".join(f'#include "{used}/x.h"' for used in uses.split()))


def self_test():
    here = os.path.dirname(os.path.dirname(os.path.abspath(__file__)))
    with open(os.path.join(here, "src/rooms")) as f:
        table = f.read()
    wrong = 0
    for path, text, refused in FILES + NAMES:
        with tempfile.TemporaryDirectory() as root:
            make_tree(root, table, table)
            for header, declarations in HEADERS.items():
                write_file(root, header, declarations)
            write_file(root, path, text)
            complaints = check_tree(root)
            at_path = [c for c in complaints if c.startswith((path, os.path.dirname(path) + ":"))]
            if bool(complaints) != refused or complaints != at_path:
                print(f"{path}: '{text[:80]}': {complaints or 'accepted'}")
                wrong += 1
    for change, expected in TABLES:
        with tempfile.TemporaryDirectory() as root:
            make_tree(root, table, change(table))
            complaints = check_tree(root)
            if not (any(expected in c for c in complaints) if expected else not complaints):
                print(f"src/rooms: expected '{expected}': {complaints}")
                wrong += 1
    with tempfile.TemporaryDirectory() as root:
        write_file(root, "src/rooms", table)
        if not any("no source files" in c for c in check_tree(root)):
            print("a tree without sources was accepted")
            wrong += 1
    print(f"{len(FILES) + len(NAMES) + len(TABLES) + 1 - wrong} passed, {wrong} failed")
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


if __name__ == "__main__":
    main()
