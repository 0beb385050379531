#!/usr/bin/env python3
"""Fails when the library of a room needs a symbol of a room that it may not use (src/rooms), and when
a function with external linkage has no user.

An #include that goes against the direction is seen by check_includes.py; this sees functions that are
declared by hand, and symbols that two rooms define.

A function of src/ needs a user in another file of src/ or of the runtime. A function that only its own
file uses is static, unless a test calls it too. A function that only tests call is an error, unless its
declaration begins with FOR_TESTS, which then must be true.

usage: check_symbols.py ROOT BUILD     check the libraries of a build
       check_symbols.py --self-test    check that each rule can fail
"""
import glob
import os
import re
import subprocess
import sys

sys.path.insert(0, os.path.dirname(os.path.abspath(__file__)))
from check_includes import Rooms


def read_symbols(library):
    """The symbols that a library defines, and those that it needs."""
    defined, needed = set(), set()
    out = subprocess.run(["nm", "-P", "-g", library], check=True, capture_output=True, text=True).stdout
    for line in out.splitlines():
        words = line.split()
        if len(words) >= 2 and not line.endswith(":"):
            (needed if words[1] in "Uw" else defined).add(words[0])
    return defined, needed - defined


def check_rooms(rooms, symbols):
    """rooms: each with all that it may use; symbols: each room's (defined, needed)."""
    complaints = []
    home = {}
    for room, (defined, _) in symbols.items():
        for name in sorted(defined):
            if name in home:
                complaints.append(f"'{name}' is defined in room '{home[name]}' and in room '{room}'")
            home[name] = room
    for room, (_, needed) in symbols.items():
        for name in sorted(needed):
            if name in home and home[name] not in rooms[room]:
                complaints.append(f"room '{room}' needs '{name}' of room '{home[name]}', "
                                  "which it may not use")
    return complaints


def read_objects(build):
    """By object file of src/: the functions that it defines; and those that each product object needs."""
    defined, needed = {}, {}
    objects = glob.glob(f"{build}/*.p/src_*.o") + glob.glob(f"{build}/runtime/**/*.o", recursive=True)
    out = subprocess.run(["nm", "-A", "-P", "-g"] + objects, check=True, capture_output=True, text=True).stdout
    for line in out.splitlines():
        path, name, kind = line.split()[:3]
        path = path.rstrip(":")
        if kind in "Uw":
            needed.setdefault(path, set()).add(name)
        elif kind == "T" and "/src_" in path:
            defined.setdefault(path, set()).add(name)
    return defined, needed


def read_text(root, folders, pattern):
    """The files, without comments."""
    text = []
    for folder in folders:
        for path in glob.glob(f"{root}/{folder}/**/{pattern}", recursive=True):
            with open(path, errors="replace") as f:
                text.append(re.sub(r"/\*.*?\*/", "", f.read(), flags=re.S))
    return "\n".join(text)


def count_words(text):
    words = {}
    for word in re.findall(r"\w+", text):
        words[word] = words.get(word, 0) + 1
    return words


def check_users(defined, needed, uses_in_src, tests, for_tests):
    """uses_in_src: occurrences of a word in the .c files of src/, a definition is one; tests: words of
    the tests; for_tests: functions that are declared with FOR_TESTS."""
    complaints = []
    for path, names in sorted(defined.items()):
        for name in sorted(names - {"main"}):
            elsewhere = any(name in needs for user, needs in needed.items() if user != path)
            at_home = uses_in_src.get(name, 0) > 1
            if name in for_tests:
                if elsewhere or at_home or name not in tests:
                    complaints.append(f"'{name}' is declared FOR_TESTS, but the product uses it or no test does")
            elif not elsewhere and not at_home:
                complaints.append(f"'{name}' is used by tests only" if name in tests else f"nothing uses '{name}'")
            elif not elsewhere and name not in tests:
                complaints.append(f"'{name}' is used by its own file only: make it static")
    return complaints


def self_test_users():
    defined, needed = {"src_a.o": {"f", "main"}}, {"src_b.o": {"f"}, "src_a.o": {"f"}}
    alone = {"src_a.o": {"f"}}
    cases = [
        ((defined, needed, {"f": 2}, set(), set()), 0),
        ((defined, alone, {"f": 1}, set(), set()), 1),
        ((defined, alone, {"f": 1}, {"f"}, set()), 1),
        ((defined, alone, {"f": 1}, {"f"}, {"f"}), 0),
        ((defined, needed, {"f": 2}, {"f"}, {"f"}), 1),
        ((defined, alone, {"f": 1}, set(), {"f"}), 1),
        ((defined, alone, {"f": 2}, set(), set()), 1),
        ((defined, alone, {"f": 2}, {"f"}, set()), 0),
    ]
    return [len(check_users(*given)) == want for given, want in cases]


def self_test():
    rooms = {"base": {"base"}, "ir": {"base", "ir"}}
    cases = [
        ({"base": ({"a"}, set()), "ir": ({"b"}, {"a", "malloc"})}, 0),
        ({"base": ({"a"}, {"b"}), "ir": ({"b"}, set())}, 1),
        ({"base": ({"a"}, set()), "ir": ({"a"}, set())}, 1),
    ]
    results = [len(check_rooms(rooms, symbols)) == want for symbols, want in cases] + self_test_users()
    print(f"{sum(results)} passed, {len(results) - sum(results)} failed")
    return 0 if all(results) else 1


def main():
    if sys.argv[1:] == ["--self-test"]:
        sys.exit(self_test())
    root, build = sys.argv[1:]
    table = Rooms(root)
    rooms = {room: table.allowed(room) for room in table.uses if room != "cli"}
    symbols = {room: read_symbols(os.path.join(build, f"lib{room}.a")) for room in rooms}
    complaints = check_rooms(rooms, symbols)
    for_tests = set(re.findall(r"^FOR_TESTS [^;(]*?(\w+)\(", read_text(root, ["src"], "*.h"), re.M))
    complaints += check_users(*read_objects(build), count_words(read_text(root, ["src"], "*.c")),
                              set(count_words(read_text(root, ["tests", "bench"], "*.[ch]"))), for_tests)
    print("\n".join(complaints))
    sys.exit(1 if complaints else 0)


if __name__ == "__main__":
    main()
