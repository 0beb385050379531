#!/usr/bin/env python3
"""Suppressions and baselines from outside: heddle.supp, files of ThreadSanitizer, heddle suppress, --new, --baseline.
Prints TAP.

usage: run_suppress.py HEDDLE HEDDLE_CC [NAME...]     NAME: run only these tests
"""
import json
import os
import re
import sys

import boxes
from boxes import ROOT, build, example, expect, heddle, path, read, run, test, write

RACES = """#include <pthread.h>
int left, right;
static void count_left(void) { left++; }
static void count_right(void) { right++; }
static void *one(void *arg)
{
	count_left();
	count_right();
	return arg;
}
int main(void)
{
	pthread_t a, b;
	pthread_create(&a, 0, one, 0);
	pthread_create(&b, 0, one, 0);
	pthread_join(a, 0);
	pthread_join(b, 0);
	return 0;
}
"""


def races():
    write("races.c", RACES)
    return build("races.c", "races")


def check(*words, code=None):
    return heddle("check", "--quick", "--only=race", *words, "--", "./races", code=code)


def found(r):
    return {f["title"] for f in json.loads(r.out)["findings"]}


LEFT, RIGHT = "data race on 'left'", "data race on 'right'"


@test
def files_of_thread_sanitizer_are_read_as_they_are():
    races()
    expect(found(check("--json", code=66)) == {LEFT, RIGHT}, "both without a file")
    for text, rest in (
            ("race:count_left\n", {RIGHT}),
            ("race:^right$\n", {LEFT}),
            ("# third party\n\nrace:races.c\nthread:pool\nsignal:handler\ncalled_from_lib:libz.so\n", set()),
            ("race_top:one\n", {LEFT, RIGHT}),
            ("race:^one$\n", set()),
            ("race_top:count_*t\nmutex:x\n", set()),
            ("deadlock:count_left\n", {LEFT, RIGHT}),
            ("  race:count_left  \r\n", {RIGHT}),
            ("assert:count_left\natomicity:left\n", {LEFT, RIGHT}),
    ):
        write("tsan.supp", text)
        r = check("--json", "--suppressions=tsan.supp", code=66 if rest else 0)
        expect(found(r) == rest, (text, r))
        out = json.loads(r.out)
        expect({f["title"] for f in out["suppressed"]} == {LEFT, RIGHT} - rest, (text, r))
        expect(out["verdict"]["result"] == ("failure" if rest else "clear"), r)


@test
def unused_suppressions_are_listed():
    races()
    write("heddle.supp", "# progress only\nrace:count_left\nrace:count_nothing\nthread:x\n")
    r = check(code=66)
    expect("suppressed: 1 finding\n" in r.out and "data race on 'left', races.c:3: progress only" in r.out, r)
    expect("unused suppression: heddle.supp:3: race:count_nothing\n" in r.out and "heddle.supp:2" not in r.out, r)
    expect(r.out.count("WARNING: heddle:") == 1, "a suppressed finding has no report")
    out = json.loads(check("--json", code=66).out)
    expect([s["line"] for s in out["unused_suppressions"]] == [3, 4], out["unused_suppressions"])
    expect([(s["title"], s["why"]) for s in out["suppressed"]] == [(LEFT, "progress only")], out["suppressed"])


@test
def mistakes_in_the_file_are_named():
    races()
    for text, word in ("race:x\nrase:y\n", "heddle.supp:2"), ("nothing\n", "heddle.supp:1"), ("race:\n", "heddle.supp:1"):
        write("heddle.supp", text)
        r = check(code=1)
        expect(word in r.err, r)
    os.remove(path("heddle.supp"))
    r = check("--suppressions=nowhere", code=1)
    expect("nowhere" in r.err, r)


@test
def suppress_adds_a_finding_with_its_reason():
    races()
    check(code=66)
    r = heddle("suppress", "H1", code=2)
    expect("--why" in r.err and not os.path.exists(path("heddle.supp")), r)
    names = {line.split()[0]: line for line in heddle("show", code=0).out.strip().split("\n")}
    left = [n for n, line in names.items() if LEFT in line][0]
    right = [n for n, line in names.items() if RIGHT in line][0]
    heddle("suppress", left, "--why", "only for\npeople", code=0)
    expect(re.search(r"^# only for people\nfingerprint:[0-9a-f]{16}$", read("heddle.supp"), re.M), read("heddle.supp"))
    r = check(code=66)
    expect("suppressed: 1 finding" in r.out and "only for people" in r.out and "no other failure" in r.out, r)
    before = read("heddle.supp")
    r = heddle("suppress", left, "--why", "again", code=0)
    expect("suppressed already" in r.err and read("heddle.supp") == before, r)
    heddle("suppress", right, "--why", "the other one", code=0)
    r = check(code=0)
    expect("suppressed: 2 findings" in r.out and "heddle: no other failure in any" in r.out and "unused" not in r.out, r)
    # other lines do not change what it is
    write("races.c", "/* one\n * more */\n" + RACES)
    build("races.c", "races")
    r = check(code=0)
    expect("suppressed: 2 findings" in r.out and "races.c:5" in r.out, r)


@test
def new_findings_count():
    races()
    check("--new", code=66)
    r = check("--new", code=0)
    expect("known before, not counted: 2 findings" in r.out and "no other failure" in r.out, r)
    heddle("report", "--format=json", "-o", "baseline.json", code=0)
    os.rename(path(".heddle"), path("old"))
    r = check("--baseline=baseline.json", code=0)
    expect("known before, not counted: 2 findings" in r.out, r)
    write("races.c", RACES.replace("int left,", "int third, left,").replace("\tcount_left();", "\tthird++;\n\tcount_left();"))
    build("races.c", "races")
    r = heddle("check", "--quick", "--only=race", "--json", "--new", "--", "./races", code=66)
    out = json.loads(r.out)
    expect({f["title"] for f in out["findings"]} == {"data race on 'third'"}, r)
    expect({f["title"] for f in out["known"]} == {LEFT, RIGHT}, r)
    write("bad.json", "{}\n")
    r = check("--baseline=bad.json", code=1)
    expect("bad.json" in r.err, r)


@test
def a_suppressed_failure_does_not_end_the_search():
    exe = example("deposit")
    heddle("check", "--quick", "--", exe, code=66)
    heddle("suppress", "H1", "H2", "--why", "known", code=0)
    r = heddle("check", "--", exe, code=0, timeout=200)
    expect("suppressed: 2 findings" in r.out and "no other failure in any schedule of this input" in r.out, r)


@test
def explore_and_branches_have_suppressions():
    write("divides.c", '#include <heddle/heddle.h>\nint main(void)\n{\n\tunsigned char n = 1;\n\theddle_input(&n, 1, "n");\n\treturn 10 / n;\n}\n')
    r = run(boxes.CC, "-g", "-I", os.path.join(ROOT, "include"), "divides.c", "-o", "divides")
    expect(r.code == 0, r)
    heddle("explore", "./divides", code=66)
    r = heddle("explore", "--new", "./divides", code=0)
    expect("known before, not counted: 1 finding" in r.out and "no other failure" in r.out, r)
    write("heddle.supp", "# zero is not given\ndivision:divides.c\n")
    r = heddle("explore", "./divides", code=0)
    expect("suppressed: 1 finding" in r.out and "zero is not given" in r.out, r)
    exe = boxes.branch_program()
    expect(json.loads(heddle("branches", "--json", "--", exe, code=0).out)["findings"], "a branch")
    write("heddle.supp", "branch:branch.c\n")
    r = heddle("branches", "--again", "--json", "--", exe, code=0)
    expect(json.loads(r.out)["findings"] == [] and json.loads(r.out)["suppressed"], r)


if __name__ == "__main__":
    sys.exit(boxes.main())
