"""What the tests of heddle-cc share: where things are, a directory for each test, checks."""
import os
import re
import shutil
import subprocess
import sys
import tempfile

words = sys.argv[1:]
TAP = "--tap" in words
words = [w for w in words if w != "--tap"]
HEDDLE, CC = map(os.path.abspath, words[:2])
ONLY = words[2:]
HERE = os.path.dirname(os.path.abspath(__file__))
ROOT = os.path.dirname(os.path.dirname(HERE))
VERSION = subprocess.run([HEDDLE, "--version"], capture_output=True, check=True, text=True).stdout
LLVM = re.search(r"LLVM (\d+)", VERSION).group(1)
CLANG = f"clang-{LLVM}"
TESTS = []


class Skip(Exception):
    pass


class Result:
    def __init__(self, p):
        self.code, self.out, self.err = p.returncode, p.stdout, p.stderr

    def __str__(self):
        return f"exit code {self.code}\n{self.out}{self.err}"


class Box:
    """A directory of its own for one test."""

    def __init__(self, path):
        self.path = path

    def __truediv__(self, name):
        return os.path.join(self.path, name)

    def write(self, name, text):
        os.makedirs(os.path.dirname(self / name), exist_ok=True)
        with open(self / name, "w") as f:
            f.write(text)

    def read(self, name, mode="r"):
        with open(self / name, mode) as f:
            return f.read()

    def copy(self, fixture):
        shutil.copytree(os.path.join(HERE, fixture), self.path, dirs_exist_ok=True)

    def run(self, *command, env=None, stdin=None, timeout=120, cwd=None):
        return Result(subprocess.run(command, capture_output=True, text=True, errors="replace",
                                     cwd=cwd or self.path, env={**os.environ, **(env or {})},
                                     input=stdin, timeout=timeout))

    def ok(self, *command, **kw):
        r = self.run(*command, **kw)
        expect(r.code == 0, f"{' '.join(command)}: {r}")
        return r

    def cc(self, *arguments, **kw):
        return self.run(CC, *arguments, **kw)

    def build(self, *arguments, quiet=True, **kw):
        """heddle-cc must succeed and, unless told otherwise, say nothing."""
        r = self.ok(CC, *arguments, **kw)
        expect(not quiet or not r.err, f"heddle-cc {' '.join(arguments)} says\n{r.err}")
        return r

    def info(self, program):
        return self.ok(HEDDLE, "info", program).out

    def section(self, file, name):
        """The contents, or None."""
        out = self / "section.out"
        if os.path.exists(out):
            os.unlink(out)
        r = self.run(f"llvm-objcopy-{LLVM}", f"--dump-section={name}={out}", file, "/dev/null")
        if r.code:
            return None
        with open(out, "rb") as f:
            return f.read()

    def module(self, file):
        """The text of the bitcode in an object or program."""
        bitcode = self.section(file, ".heddle.bc")
        expect(bitcode, f"'{file}' has no bitcode")
        with open(self / "module.bc", "wb") as f:
            f.write(bitcode)
        return self.ok(f"llvm-dis-{LLVM}", "module.bc", "-o", "-").out

    def image(self, program):
        """A plain image of the program, built where nothing of the build tree can be found."""
        away = tempfile.mkdtemp()
        try:
            shutil.copy(self / program, os.path.join(away, "program"))
            hidden = self.path + ".hidden"
            os.rename(self.path, hidden)
            try:
                r = self.run(HEDDLE, "image", "program", "-o", "image", cwd=away)
            finally:
                os.rename(hidden, self.path)
            expect(r.code == 0, f"image of {program}: {r}")
            shutil.copy(os.path.join(away, "image"), self / "image")
        finally:
            shutil.rmtree(away)
        return self / "image"

    def same_behaviour(self, program, *arguments):
        """Natively and rebuilt from what travels in it."""
        native = self.run(self / program, *arguments)
        image = self.run(self.image(program), *arguments)
        expect((native.code, native.out) == (image.code, image.out),
               f"the image differs: {native}\nimage: {image}")
        return native


def expect(condition, what):
    if not condition:
        raise AssertionError(what)


def test(f):
    TESTS.append(f)
    return f


HELLO = '#include <stdio.h>\nint main(void)\n{\n\tputs("hello");\n\treturn 0;\n}\n'


def defined(module):
    return set(re.findall(r"^define [^\n]*?@([\w.]+)\(", module, re.M))
