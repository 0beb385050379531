"""What the tests of recording share: a program is built, recorded, and its trace is read again.

The rules that every trace has to keep, however its run ended:
 - heddle itself never dies of a signal and never hangs
 - `heddle trace` says that every thread was reproduced up to where its log ends
 - if the run ended in order, memory at its end is what the re-execution computes
"""
import os
import re
import shlex
import signal
import subprocess
import sys
import tempfile

FATE = re.compile(r"\(program (?:exited with (\d+)|was killed by (\w+))")


class Failure(Exception):
    """What went wrong, and the commands that show it again."""

    def __init__(self, what, commands=()):
        super().__init__(what)
        self.commands = list(commands)


class Done:
    """A process that ended: status (negative for a signal, None if it had to be killed)."""

    def __init__(self, command, status, output, error):
        self.command, self.status, self.output, self.error = command, status, output, error

    def said(self):
        text = (self.output + self.error).strip().split("\n")
        return "\n".join(text if len(text) < 25 else text[:14] + ["..."] + text[-10:])


def run(command, seconds=60, stdin=None, env=None, cwd=None, end=signal.SIGKILL):
    """Runs a command to its end, or ends it after so many seconds by signal `end` to its leader."""
    with tempfile.TemporaryFile() as out, tempfile.TemporaryFile() as err:
        with open(stdin or os.devnull, "rb") as f:
            p = subprocess.Popen(command, stdin=f, stdout=out, stderr=err, env=env, cwd=cwd,
                                 start_new_session=True)
        try:
            status = p.wait(seconds)
        except subprocess.TimeoutExpired:
            status = None
            os.kill(p.pid, end)
            try:
                p.wait(seconds)
            except subprocess.TimeoutExpired:
                pass
        try:
            os.killpg(p.pid, signal.SIGKILL)  # whatever it left behind
        except ProcessLookupError:
            pass
        p.wait()
        out.seek(0)
        err.seek(0)
        return Done(command, status, out.read().decode(errors="backslashreplace"),
                    err.read().decode(errors="backslashreplace"))


class Heddle:
    def __init__(self, build):
        self.dir = os.path.abspath(build)
        self.heddle = os.path.join(self.dir, "heddle")
        self.cc = os.path.join(self.dir, "heddle-cc")
        self.env = dict(os.environ, PATH=self.dir + ":" + os.environ["PATH"], LC_ALL="C")
        self.env.pop("HEDDLE_OPTIONS", None)

    def compile(self, source, exe, *flags):
        command = [self.cc, "-O2", "-g", "-w", "-pthread", *flags, source, "-o", exe, "-lm"]
        r = run(command, 120, env=self.env)
        if r.status:
            raise Failure("heddle-cc: status %s\n%s" % (r.status, r.said()), [shlex.join(command)])
        return shlex.join(command)

    def record(self, exe, args, trace, *options, dump=None, seconds=60, stdin=None, env=None,
               cwd=None):
        """The run of `heddle record`, with .fate: the program's exit status, or a signal's name."""
        command = [self.heddle, "record", *options, "-o", trace, "--", exe, *args]
        env = dict(env or self.env)
        if dump:
            env["HEDDLE_OPTIONS"] = "dump=" + dump
        r = run(command, seconds, stdin, env, cwd, end=signal.SIGTERM)
        r.shown = ("HEDDLE_OPTIONS=dump=%s " % dump if dump else "") + shlex.join(command)
        if stdin:
            r.shown += " <" + stdin
        m = FATE.search(r.error)
        r.fate = None if not m else int(m[1]) if m[1] else m[2]
        if r.status is not None and r.status < 0:
            raise Failure("heddle record: signal %d\n%s" % (-r.status, r.said()), [r.shown])
        return r

    def trace(self, trace, *options, dump=None, seconds=120, may=(0,)):
        """`heddle trace`, whose exit status must be one of `may`."""
        command = [self.heddle, "trace", *(["--check-memory", dump] if dump else []), *options, trace]
        r = run(command, seconds, env=self.env)
        if r.status not in may:
            raise Failure("heddle trace: %s\n%s" % (
                "no end after %d s" % seconds if r.status is None else "status %d" % r.status,
                r.said()), [shlex.join(command)])
        r.shown = shlex.join(command)
        return r


class Load:
    """Two processes that keep the machine busy, so that schedules vary."""

    def __init__(self, wanted):
        self.n, self.processes = 2 if wanted else 0, []

    def __enter__(self):
        busy = "import time\nwhile True:\n for i in range(200000): pass\n time.sleep(0.001)\n"
        self.processes = [subprocess.Popen([sys.executable, "-c", busy]) for _ in range(self.n)]

    def __exit__(self, *_):
        for p in self.processes:
            p.kill()
            p.wait()


class Report:
    def __init__(self, tap):
        self.tap, self.count, self.failed, self.skipped = tap, 0, 0, 0

    def add(self, name, failure=None, skip=None):
        self.count += 1
        self.failed += bool(failure)
        self.skipped += bool(skip)
        mark = ""
        if self.tap:
            mark = "# "
            print("%sok %d - %s%s" % ("not " if failure else "", self.count, name,
                                      " # SKIP " + skip if skip else ""))
        elif skip:
            print("skipped %s: %s" % (name, skip))
        if failure:
            lines = str(failure).strip().split("\n")
            print("%sFAILED %s: %s" % (mark, name, lines[0]))
            for line in lines[1:]:
                print("%s    %s" % (mark, line))
            for c in getattr(failure, "commands", ()):
                print("%s  again: %s" % (mark, c))
        sys.stdout.flush()

    def end(self):
        if self.tap:
            print("1..%d" % self.count)
        else:
            print("%d passed, %d failed, %d skipped" % (
                self.count - self.failed - self.skipped, self.failed, self.skipped))
        return 1 if self.failed else 0
