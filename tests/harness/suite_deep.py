"""Suite `deep`: programs whose failure lies behind a branch that the recorded run does not take, and correct
ones, under `heddle check --deep`. With --quick nothing of the expected kind may be found."""
import json

from harness import annotations, findings
from harness.failure import Failure
from harness.program import Program

FOLDERS = ("tests/programs/deep",)
RECORDED = 10 # attempts to record a run that passes


def examine(path, notes, known):
    if bool(notes["finds"]) == ("complete" in notes):
        raise Failure("neither check-finds nor check-complete, or both")
    notes["marks"] = annotations.marked_lines(path, "BUG")
    for line in notes["finds"]:
        words = line.split()
        if len(words) != 2 or words[0] not in known or words[1] not in notes["marks"]:
            raise Failure(f"'{line}': not a kind and a label that a line has")
    for line in notes["allows"]:
        if line not in known:
            raise Failure(f"check-allows: no kind '{line}'")


class Deep(Program):
    def fail(self, what, r):
        try:
            answer = json.loads(r.output)
            output = "".join(findings.shown(f) + "\n" for f in answer["findings"])
            output += json.dumps({k: v for k, v in answer.items() if k != "findings"}) + "\n"
        except (ValueError, KeyError, TypeError):
            output = r.output
        raise Failure(f"{what}\n--- output\n{output}--- error\n{r.error}", self.command)

    def ask(self, command):
        """The answer of heddle check, and the run."""
        self.command = command.replace("heddle check", "heddle check --json", 1)
        r = self.run(self.command)
        try:
            answer = json.loads(r.output)
            bad = [f for f in answer["findings"] if f["status"] not in findings.SEEN]
        except (ValueError, KeyError, TypeError) as e:
            self.fail(f"status {r.status}, --json: {e}", r)
        if bad:
            self.fail(f"not confirmed: {findings.shown(bad[0])}", r)
        return answer, r

    def fits(self, finding, line):
        kind, label = line.split()
        places = findings.key_lines(finding) | {findings.summary_line(finding)}
        return finding["kind"] == kind and self.notes["marks"][label] & places

    def check_plain(self):
        """Prediction alone finds nothing. Where the recorded run itself took the schedule that fails, there is
        nothing to predict: another run is recorded."""
        for _ in range(RECORDED):
            answer, r = self.ask(self.notes["command"].replace(" --deep", " --quick", 1))
            if not any(f["status"] == "observed" for f in answer["findings"]):
                break
        else:
            self.fail(f"{RECORDED} recorded runs failed by themselves", r)
        for line in self.notes["finds"]:
            for f in answer["findings"]:
                if f["kind"] == line.split()[0]:
                    self.fail(f"found with --quick: {findings.shown(f)}", r)

    def check_deep(self):
        n = self.notes
        answer, r = self.ask(n["command"])
        left = list(answer["findings"])
        for line in n["finds"]:
            fit = [f for f in left if self.fits(f, line)]
            if not fit:
                self.fail(f"check-finds: no finding for '{line}'", r)
            left = [f for f in left if f not in fit]
        for f in left:
            if f["kind"] not in n["allows"]:
                self.fail(f"a finding too many: {findings.shown(f)}", r)
        if "complete" in n and not answer["coverage"]["deep"]["complete"]:
            self.fail("check-complete: not complete", r)
        if r.status != (66 if n["finds"] else 0):
            self.fail(f"status {r.status}", r)
        return answer["coverage"]["deep"]["runs"]


def check(path, notes, tmp, o):
    examine(path, notes, findings.kinds())
    p = Deep(path, notes, o.build, tmp)
    p.compile(*o.flags)
    try:
        p.enter_empty_folder()
        runs = p.check_deep()
        if (notes["finds"] or o.long) and not o.quick:
            p.enter_empty_folder("cwd-plain")
            p.check_plain()
    except Failure as f:
        raise Failure(str(f), p.again(f.command)) from None
    return f"{runs} runs"
