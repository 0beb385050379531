"""Reads the text of an LLVM module as far as the tests of clean-up level need it: per function and
block, the accesses that are not to promoted locals, with their places in the source. It shares no
code with what it checks."""
import re

ACCESS = re.compile(r"^(?:%\S+ = )?(?:tail |musttail |notail )?"
                    r"(load|store|atomicrmw|cmpxchg|fence|call)\b(.*)$")
MEMORY = re.compile(r"@llvm\.(memcpy|memmove|memset)\.")
KIND = {"atomicrmw": "rmw"}


class Block:
    def __init__(self):
        self.items = []       # (kind, "line:col")
        self.successors = []
        self.choices = 0      # terminator with more than one way


class Function:
    def __init__(self, name):
        self.name, self.blocks, self.undef, self.defs = name, {}, False, {}

    def count(self, kind):
        return sum(k == kind for b in self.blocks.values() for k, _ in b.items)

    def branches(self):
        return sum(b.choices for b in self.blocks.values())

    def items(self):
        return sorted(i for b in self.blocks.values() for i in b.items)

    def has_loop_with_load(self):
        for name, block in self.blocks.items():
            if not any(k == "load" for k, _ in block.items):
                continue
            seen, todo = set(), list(block.successors)
            while todo:
                n = todo.pop()
                if n == name:
                    return True
                if n not in seen:
                    seen.add(n)
                    todo += self.blocks[n].successors
        return False


def pointers_of(text):
    """The operands of pointer type, in order."""
    return re.findall(r"ptr (?:\w+ )*(?:align \d+ )?"
                      r"(%[\w.\"-]+|@[\w.\"-]+|null|getelementptr[^)]*\))", text)


def base_of(function, pointer):
    while pointer.startswith("%"):
        d = function.defs.get(pointer, "")
        m = re.match(r"getelementptr .*?, ptr (%[\w.\"-]+|@[\w.\"-]+)", d)
        if not m:
            return d
        pointer = m.group(1)
    m = re.search(r"@[\w.\"-]+", pointer)
    return m.group(0) if m else pointer


def is_private(module, function, pointer):
    base = base_of(function, pointer)
    return base.startswith("alloca") or base in module.constants


class Module:
    def __init__(self, text):
        self.constants = set(re.findall(r"^(@[\w.\"-]+) = [^\n]*\bconstant\b", text, re.M))
        self.places = dict(re.findall(
            r"^(!\d+) = (?:distinct )?!DILocation\(line: (\d+, column: \d+)", text, re.M))
        self.functions = {}
        for m in re.finditer(r"^define [^\n]*?@([\w.]+)\([^\n]*\{\n(.*?)^\}", text, re.M | re.S):
            self.functions[m.group(1)] = self.read(Function(m.group(1)), m.group(2))

    def read(self, f, body):
        lines = [l.strip() for l in body.split("\n")]
        for l in lines:
            m = re.match(r"(%[\w.\"-]+) = (.*)", l)
            if m:
                f.defs[m.group(1)] = m.group(2)
        block = f.blocks.setdefault("entry", Block())
        in_switch = False
        for l in lines:
            m = re.match(r"([\w.\"-]+):", l)
            if m:
                block = f.blocks.setdefault(m.group(1), Block())
                continue
            if not l or l.startswith((";", "#dbg")):
                continue
            self.read_line(f, block, l)
            if l.startswith("switch"):
                block.choices = 1
                in_switch = True
            if l.startswith("br i1"):
                block.choices = 1
            if l.startswith(("br ", "switch")) or in_switch:
                block.successors += re.findall(r"label %([\w.\"-]+)", l)
            if l.startswith("]"):
                in_switch = False
        return f

    def read_line(self, f, block, l):
        if not l.startswith("call void @llvm.dbg"):
            f.undef |= bool(re.search(r"\bundef\b", l.split(", !")[0]))
        m = ACCESS.match(l)
        if not m:
            return
        kind, rest = m.groups()
        place = re.search(r"!dbg (!\d+)", l)
        place = self.places.get(place.group(1), "?") if place else "?"
        if kind == "call":
            if MEMORY.search(rest):
                if all(is_private(self, f, p) for p in pointers_of(rest)[:2]):
                    return
                kind = "memory"
            elif "@llvm." in rest:
                return
        elif kind != "fence":
            pointers = pointers_of(rest)
            pointer = pointers[-1] if kind == "store" else pointers[0]
            if is_private(self, f, pointer):
                return
        block.items.append((KIND.get(kind, kind), place))
