"""Suite `programs`: a program natively, on heddle's machine, on the machine after a round trip through the
textual IR, and natively after a round trip through the IR and back to bitcode. Output and exit status must be the
same, and fit the annotations. With check-command that command runs instead."""
import re
import shlex

from harness.failure import Failure
from harness.program import Program, clang

FOLDERS = ("tests/programs", "tests/programs/commands", "tests/regress", "examples")
EXITED = re.compile(r"^heddle: note: the program ended with status (\d+)$", re.M)
SEEDS = 20 # more only with --long


class Interpreted(Program):
    def __init__(self, path, notes, build, tmp, long):
        super().__init__(path, notes, build, tmp)
        self.seeds = int(notes.get("seeds", 0))
        if not long:
            self.seeds = min(self.seeds, SEEDS)

    def exec_command(self, what, *options):
        return [self.heddle, "exec", *options, "--", what, *self.args]

    def interpret(self, command):
        """A run of `heddle exec` whose status becomes that of the program."""
        r = self.run(command)
        if r.status:
            raise Failure(f"heddle exec: exit code {r.status}\n{r.error}", self.shown(command))
        m = EXITED.search(r.error)
        r.status = int(m[1]) if m else 0
        return r

    def expect_same(self, r, native, command):
        if native and (r.output, r.status) != (native.output, native.status):
            raise Failure(f"status {r.status}, natively {native.status}; output\n{r.output}"
                          f"--- natively\n{native.output}--- error\n{r.error}", self.shown(command))

    def switches(self):
        switch = self.notes.get("switch", "sync")
        return ["sync", "access"] if switch == "both" else [switch]

    def check_command(self):
        command = self.notes["command"]
        if not self.seeds:
            self.expect(self.run(command), command)
            return
        for switch in self.switches():
            for seed in range(1, self.seeds + 1):
                seeded = command.replace("exec", f"exec --seed={seed} --switch={switch}", 1)
                self.expect(self.run(seeded), seeded)

    def check_exec(self, native, what, *options):
        command = self.exec_command(what, *options)
        r = self.interpret(command)
        self.expect(r, command)
        self.expect_same(r, native, command)
        return r

    def check_seeds(self, native, expected):
        """All the seeds in one process first, where the output is the same for all of them."""
        n = self.seeds
        for switch in self.switches():
            if native or "output" in self.notes:
                command = self.exec_command(self.exe, f"--seeds={n}", f"--switch={switch}")
                r = self.run(command, timeout=self.timeout * 5)
                same_status = len(EXITED.findall(r.error)) == (n if expected.status else 0)
                if not r.status and same_status and r.output == expected.output * n:
                    continue
            for seed in range(1, n + 1):
                self.check_exec(native, self.exe, f"--seed={seed}", f"--switch={switch}")

    def check_native(self):
        command = [self.exe, *self.args]
        native = self.run(command)
        self.expect(native, command, with_error=False)
        if "exit" not in self.notes and native.status:
            raise Failure(f"natively status {native.status}, expected 0\n{native.error}",
                          self.shown(command))
        return native

    def check_text(self, native):
        """The IR as text, read and written again, and executed."""
        hir = self.exe + ".hir"
        dump = [self.heddle, "dump", "--ir", self.exe]
        d = self.run(dump)
        if d.status:
            raise Failure(f"heddle dump: exit code {d.status}\n{d.error}", shlex.join(dump))
        with open(hir, "w", errors="surrogateescape") as f:
            f.write(d.output)
        again = [self.heddle, "dump", "--ir", hir]
        if self.run(again).output != d.output:
            raise Failure("the textual IR changes when it is read and written again",
                          shlex.join(again))
        self.check_exec(native, hir)

    def check_export(self, native):
        """The IR as bitcode, compiled and run. A program that the IR does not express exactly is refused with
        the reason of check-export."""
        export = [self.heddle, "export", self.exe, "-o", self.exe + ".bc"]
        r = self.run(export)
        reason = self.notes.get("export")
        if reason:
            if not r.status or reason not in r.error:
                raise Failure(f"exported, or not refused with '{reason}': {r.error}", shlex.join(export))
            return
        compile = [clang(self.build), "-O1", "-pthread", self.exe + ".bc", "-o", self.exe + ".exported",
                   *(w for w in shlex.split(self.notes.get("flags", "")) if w[:2] in ("-l", "-L")), "-lm"]
        for command in (export, compile):
            r = self.run(command)
            if r.status or r.error:
                raise Failure(f"status {r.status}\n{r.error}", shlex.join(command))
        command = [self.exe + ".exported", *self.args]
        r = self.run(command)
        self.expect(r, command, with_error=False)
        self.expect_same(r, native, f"{shlex.join(export)} && {shlex.join(compile)} && {self.shown(command)}")

    def check_default(self):
        native = self.check_native() if self.notes.get("native") != "no" else None
        r = self.check_exec(native, self.exe)
        self.check_text(native)
        if native:
            self.check_export(native)
        if self.seeds:
            self.check_seeds(native, r)


def check(path, notes, tmp, o):
    p = Interpreted(path, notes, o.build, tmp, o.long)
    p.compile(*o.flags)
    try:
        p.check_command() if "command" in notes else p.check_default()
    except Failure as f:
        raise Failure(str(f), p.again(f.command)) from None
