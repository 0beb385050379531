#!/usr/bin/env python3
"""Fails when the library of a room needs a symbol of a room that it may not use (src/rooms).

An #include that goes against the direction is seen by check_includes.py; this sees functions that are
declared by hand, and symbols that two rooms define.

usage: check_symbols.py ROOT BUILD     check the libraries of a build
       check_symbols.py --self-test    check that each rule can fail
"""
import os
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


def self_test():
    rooms = {"base": {"base"}, "ir": {"base", "ir"}}
    cases = [
        ({"base": ({"a"}, set()), "ir": ({"b"}, {"a", "malloc"})}, 0),
        ({"base": ({"a"}, {"b"}), "ir": ({"b"}, set())}, 1),
        ({"base": ({"a"}, set()), "ir": ({"a"}, set())}, 1),
    ]
    failed = sum(len(check_rooms(rooms, symbols)) != want for symbols, want in cases)
    print(f"{len(cases) - failed} passed, {failed} failed")
    return 1 if failed else 0


def main():
    if sys.argv[1:] == ["--self-test"]:
        sys.exit(self_test())
    root, build = sys.argv[1:]
    table = Rooms(root)
    rooms = {room: table.allowed(room) for room in table.uses if room != "cli"}
    symbols = {room: read_symbols(os.path.join(build, f"lib{room}.a")) for room in rooms}
    complaints = check_rooms(rooms, symbols)
    print("\n".join(complaints))
    sys.exit(1 if complaints else 0)


if __name__ == "__main__":
    main()
