"""Suite `check`: programs with known concurrency bugs, and their fixed twins, under `heddle check --quick`: what
prediction finds from the recorded run. The command runs with --json for the findings, and once more without for
its text (only with --long, if the file expects nothing of the text)."""
import json

from harness import annotations, findings
from harness.failure import Failure
from harness.program import Program

FOLDERS = ("tests/programs/check",)


def examine(path, notes, known):
    """What parse() cannot know: labels and kinds."""
    if "exit" not in notes:
        raise Failure("no check-exit in the first comment")
    notes["fixed"] = notes["finds"] == ["nothing"]
    notes["marks"] = annotations.marked_lines(path, "BUG")
    for line in ([] if notes["fixed"] else notes["finds"]) + notes["predicts"]:
        words = line.split()
        if len(words) != 2 or words[0] not in known or words[1] not in notes["marks"]:
            raise Failure(f"'{line}': not a kind and a label that a line has")
    for line in notes["allows"]:
        if line.split()[0] not in known:
            raise Failure(f"check-allows: no kind '{line}'")
    if not notes["fixed"] and "force" not in notes and "natural" not in notes:
        raise Failure("no check-force in the first comment")


class Checked(Program):
    def findings(self):
        command = self.notes["command"].replace("heddle check", "heddle check --quick --json", 1)
        r = self.run(command)
        if r.status != int(self.notes["exit"]):
            self.fail(f"status {r.status}, expected {self.notes['exit']}", r, command)
        try:
            return json.loads(r.output)["findings"], r, command
        except (ValueError, KeyError, TypeError) as e:
            self.fail(f"--json: {e}", r, command)

    def fail(self, what, r, command):
        raise Failure(f"{what}\n--- output\n{self.short(r.output)}--- error\n{r.error}",
                      self.shown(command))

    @staticmethod
    def short(output):
        """Findings on a line each, if the output has findings."""
        try:
            return "".join(findings.shown(f) + "\n" for f in json.loads(output)["findings"])
        except (ValueError, KeyError, TypeError):
            return output

    def fits(self, finding, line):
        kind, label = line.split()
        return finding["kind"] == kind and self.notes["marks"][label] <= findings.key_lines(finding)

    def allowed(self, finding):
        for line in self.notes["allows"]:
            kind, _, text = line.partition(" ")
            if finding["kind"] == kind and text in finding["title"]:
                return True
        return False

    def check_findings(self):
        n = self.notes
        found, r, command = self.findings()
        left = list(found)
        for key in ("finds", "predicts"):
            for line in [] if n["fixed"] else n[key]:
                fit = [f for f in found if self.fits(f, line)]
                if not fit:
                    self.fail(f"check-{key}: no finding for '{line}'", r, command)
                for f in fit:
                    if (f["status"] in findings.SEEN) != (key == "finds"):
                        self.fail(f"check-{key}: '{line}' is {f['status']}", r, command)
                left = [f for f in left if f not in fit]
        for f in left:
            if not self.allowed(f):
                self.fail(f"a finding too many: {findings.shown(f)}", r, command)
            if f["status"] not in findings.SEEN and not n["predicts"]:
                self.fail(f"not confirmed: {findings.shown(f)}", r, command)

    def check_text(self):
        command = self.notes["command"].replace("heddle check", "heddle check --quick", 1)
        self.expect(self.run(command), command, with_error=False)


def check(path, notes, tmp, o):
    examine(path, notes, findings.kinds())
    p = Checked(path, notes, o.build, tmp)
    p.compile(*o.flags)
    try:
        p.enter_empty_folder()
        p.check_findings()
        if o.long or notes["output-contains"] or notes["output-excludes"]:
            p.check_text()
    except Failure as f:
        raise Failure(str(f), p.again(f.command)) from None
