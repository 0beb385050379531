"""A test program: compiled with heddle-cc, run with a time limit, its output compared with the annotations."""
import functools
import hashlib
import os
import re
import shlex
import shutil
import signal
import subprocess
import tempfile

from harness.failure import Failure

ROOT = os.path.dirname(os.path.dirname(os.path.dirname(os.path.abspath(__file__))))
INCLUDE = os.path.join(ROOT, "include")


class Run:
    """A finished process."""

    def __init__(self, output, error, status):
        self.output, self.error, self.status = output, error, status


def run_process(command, seconds, env=None, cwd=None, stdin=os.devnull):
    """Runs a list of words, or a string for the shell; Failure if it takes longer than that."""
    with open(stdin, "rb") as f, tempfile.TemporaryFile() as out, tempfile.TemporaryFile() as err:
        try:
            p = subprocess.Popen(command, shell=isinstance(command, str), stdin=f, stdout=out,
                                 stderr=err, env=env, cwd=cwd, start_new_session=True)
        except OSError as e:
            raise Failure(str(e)) from None
        try:
            status = p.wait(seconds)
        except subprocess.TimeoutExpired:
            os.killpg(p.pid, signal.SIGKILL)
            p.wait()
            raise Failure(f"no end after {seconds} s") from None
        streams = []
        for f in (out, err):
            f.seek(0)
            streams.append(f.read().decode(errors="backslashreplace"))
    return Run(*streams, status)


@functools.lru_cache(None)
def clang(build):
    """The compiler of the LLVM that heddle was built with."""
    with open(os.path.join(build, "config.h")) as f:
        return re.search(r'HEDDLE_CLANG "([^"]+)"', f.read())[1]


# ---- compiled programs, kept by content -----------------------------------------------------

@functools.lru_cache(None)
def digest_of_version(path, size, changed):
    with open(path, "rb") as f:
        return hashlib.sha256(f.read()).hexdigest()


def digest_of_file(path):
    s = os.stat(path)
    return digest_of_version(path, s.st_size, s.st_mtime_ns)


def headers_of(path, found=None):
    """The files that a source includes by a name in quotes, as far as they are there."""
    found = set() if found is None else found
    with open(path, errors="replace") as f:
        names = re.findall(r'^\s*#\s*include\s+"([^"]+)"', f.read(), re.M)
    for name in names:
        for folder in (os.path.dirname(path), INCLUDE, ROOT):
            header = os.path.normpath(os.path.join(folder, name))
            if os.path.isfile(header) and header not in found:
                found.add(header)
                headers_of(header, found)
    return found


@functools.lru_cache(None)
def compiled_folder(build):
    """The folder of the programs that this heddle-cc compiled; programs of an older one are removed."""
    tools = [digest_of_file(os.path.join(build, name)) for name in ("heddle", "heddle-cc")]
    parent = os.path.join(build, "tests", "compiled")
    name = hashlib.sha256("".join(tools).encode()).hexdigest()[:16]
    os.makedirs(os.path.join(parent, name), exist_ok=True)
    for other in os.listdir(parent):
        if other != name:
            shutil.rmtree(os.path.join(parent, other), ignore_errors=True)
    return os.path.join(parent, name)


def compile_key(command, source):
    own = os.path.join(INCLUDE, "heddle")
    h = hashlib.sha256("\0".join(command).encode())
    for path in (source, *sorted(headers_of(source)),
                 *(os.path.join(own, name) for name in sorted(os.listdir(own)))):
        h.update(f"{path} {digest_of_file(path)}\n".encode())
    return h.hexdigest()


def compile_cached(build, command, source, exe, env=None, cwd=None):
    """Runs command + ["-o", exe], or copies the result of the same compilation by another test. The key is the
    content of the tools, the source and its headers, so an entry is never out of date. A program of
    which the compiler prints something is not kept."""
    kept = os.path.join(compiled_folder(build), compile_key(command, source))
    if os.path.exists(kept):
        shutil.copy2(kept, exe)
        return Run("", "", 0)
    r = run_process([*command, "-o", exe], 300, env=env, cwd=cwd)
    if not r.status and not r.error:
        fd, new = tempfile.mkstemp(dir=os.path.dirname(kept))
        os.close(fd)
        shutil.copy2(exe, new)
        os.rename(new, kept)
    return r


class Program:
    """One test program with its annotations, in a folder of its own."""

    def __init__(self, path, notes, build, tmp):
        self.path, self.notes, self.build, self.tmp = path, notes, build, tmp
        self.heddle = os.path.join(build, "heddle")
        self.cc = os.path.join(build, "heddle-cc")
        self.exe = os.path.join(tmp, os.path.splitext(os.path.basename(path))[0])
        self.args = shlex.split(notes.get("args", ""))
        self.timeout = int(notes.get("timeout", 60))
        self.env = dict(os.environ, PATH=build + ":" + os.environ["PATH"], exe=self.exe, clang=clang(build),
                        src=os.path.abspath(path), tmp=tmp, LC_ALL="C")
        self.cwd = tmp
        self.stdin = os.path.join(tmp, "stdin")
        with open(self.stdin, "wb") as f:
            f.write(notes.get("stdin", "").encode().decode("unicode_escape").encode("latin-1"))
        self.built = None

    def shown(self, command):
        words = command if isinstance(command, str) else shlex.join(command)
        return words + (f" <{self.stdin}" if "stdin" in self.notes else "")

    def again(self, command):
        """The whole command line that shows a failure of this program again."""
        return f"{self.built} && exe={self.exe} {command}" if command and self.built else command

    def run(self, command, timeout=None):
        try:
            return run_process(command, timeout or self.timeout, self.env, self.cwd, self.stdin)
        except Failure as f:
            raise Failure(str(f), self.shown(command)) from None

    def compile(self, *flags):
        command = [self.cc, "-O2", "-g", "-pthread", *shlex.split(self.notes.get("flags", "")),
                   *flags, os.path.abspath(self.path), "-lm"]
        r = compile_cached(self.build, command, os.path.abspath(self.path), self.exe, self.env)
        self.built = shlex.join([*command, "-o", self.exe])
        if r.status:
            raise Failure(f"heddle-cc: status {r.status}\n{r.error}", self.built)

    def enter_empty_folder(self, name="cwd"):
        """Later runs start in an empty folder: the program lies beside it."""
        self.cwd = os.path.join(self.tmp, name)
        os.mkdir(self.cwd)

    def expect(self, r, command, with_error=True):
        """Exit status and output fit the annotations."""
        n = self.notes

        def fail(what):
            raise Failure(what + f"\n--- output\n{r.output}--- error\n{r.error}", self.shown(command))

        if "exit" in n and r.status != int(n["exit"]):
            fail(f"status {r.status}, expected {n['exit']}")
        if "output" in n and r.output != n["output"]:
            fail(f"output differs; expected\n{n['output']}")
        for stream, name in ((r.output, "output"), (r.error, "error")):
            if name == "error" and not with_error:
                continue
            for text in n[name + "-contains"]:
                if text not in stream:
                    fail(f"'{text}' is not in the {name}")
            for text in n[name + "-excludes"]:
                if text in stream:
                    fail(f"'{text}' is in the {name}")
