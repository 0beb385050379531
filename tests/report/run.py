#!/usr/bin/env python3
"""The formats of findings from outside: text, SARIF, JUnit, JSON, Perfetto, Graphviz, of every command that writes them.
Prints TAP.

usage: run.py HEDDLE HEDDLE_CC [NAME...]     NAME: run only these tests
"""
import json
import os
import re
import subprocess
import sys
import urllib.parse
import xml.etree.ElementTree

import boxes
from boxes import HERE, ROOT, build, example, expect, heddle, path, read, read_json, run, test, write
from json_schema import validate

SARIF = json.load(open(os.path.join(HERE, "sarif-schema-2.1.0.json")))
FINDING = json.load(open(os.path.join(ROOT, "docs", "finding.schema.json")))

RACE = """#include <pthread.h>
int x;
static void *one(void *arg) { x++; return arg; }
int main(int argc, char **argv)
{
	pthread_t a, b;
	(void)argc, (void)argv;
	pthread_create(&a, 0, one, 0);
	pthread_create(&b, 0, one, 0);
	pthread_join(a, 0);
	pthread_join(b, 0);
	return 0;
}
"""
DIVIDES = """#include <heddle/heddle.h>
int main(void)
{
	unsigned char n = 1;
	heddle_input(&n, 1, "n");
	return 10 / n;
}
"""


# ---- SARIF -----------------------------------------------------------------------------------------

def results(name):
    log = read_json(name)
    expect(not validate(log, SARIF), validate(log, SARIF)[:5])
    expect(len(log["runs"]) == 1, log)
    return log["runs"][0]["results"]


def check_flows(r):
    """The first flow has all threads, the second one a flow for each of them: the same steps in the same order."""
    merged, split = r["codeFlows"]
    expect(len(merged["threadFlows"]) == 1, merged)
    steps = merged["threadFlows"][0]["locations"]
    orders = [s["executionOrder"] for s in steps]
    expect(orders == sorted(set(orders)), orders)
    by_order = {}
    for flow in split["threadFlows"]:
        for s in flow["locations"]:
            by_order[s["executionOrder"]] = f"[{flow['id']}] {s['location']['message']['text']}"
    expect([by_order[o] for o in orders] == [s["location"]["message"]["text"] for s in steps], (by_order, steps))
    expect(len(by_order) == len(steps), by_order)
    return steps


def check_places(value, base):
    """Every URI is relative, and is a file below the base."""
    if isinstance(value, dict):
        at = value.get("artifactLocation")
        if at:
            expect(at["uriBaseId"] == "SRCROOT" and not at["uri"].startswith("/"), at)
            name = os.path.join(base, urllib.parse.unquote(at["uri"]))
            lines = open(name).read().split("\n")
            region = value["region"]
            expect(region["startLine"] <= len(lines), region)
            if "snippet" in region:
                expect(lines[region["startLine"] - 1].strip() == region["snippet"]["text"], region)
        for inside in value.values():
            check_places(inside, base)
    elif isinstance(value, list):
        for inside in value:
            check_places(inside, base)


@test
def sarif_of_check_has_the_steps_of_all_threads():
    exe = example("deposit")
    heddle("check", "--quick", "--sarif=out.sarif", "--", exe, code=66)
    found = results("out.sarif")
    expect({r["ruleId"] for r in found} >= {"assert"}, found)
    expect(found[0]["ruleId"] == "assert" and found[0]["level"] == "error", "the failure comes before what led to it")
    run_ = read_json("out.sarif")["runs"][0]
    base = urllib.parse.unquote(run_["originalUriBaseIds"]["SRCROOT"]["uri"][len("file://"):])
    expect(os.path.realpath(base) == os.path.realpath(boxes.box), base)
    for r in found:
        expect(run_["tool"]["driver"]["rules"][r["ruleIndex"]]["id"] == r["ruleId"], r)
        steps = check_flows(r)
        expect(any(s["importance"] == "essential" for s in steps), steps)
        expect(all(re.match(r"\[T\d+\] ", s["location"]["message"]["text"]) for s in steps), steps)
        expect(len(r["codeFlows"][1]["threadFlows"]) >= 2, r)
        check_places(r, base)
    first = {(s["location"]["message"]["text"]): s for s in check_flows(found[0])}
    writes = [s for text, s in first.items() if "writes balance" in text]
    expect(writes and all(s["state"]["balance"]["text"] and "memory" in s["kinds"] for s in writes), first)
    locks = [s for text, s in first.items() if "] locks lock" in text]
    expect(locks and all(s["kinds"] == ["acquire", "lock"] for s in locks), first)


@test
def sarif_fingerprints_do_not_have_line_numbers():
    prints, lines = [], []
    for name, text in ("a", RACE), ("b", "/* more\n * lines */\n\n" + RACE):
        os.mkdir(path(name))
        write(os.path.join(name, "race.c"), text)
        exe = build(os.path.join(name, "race.c"), os.path.join(name, "race"))
        heddle("check", "--quick", "--only=race", f"--dir={name}", f"--sarif={name}.sarif", "--", exe, code=66)
        found = results(name + ".sarif")
        prints.append([r["partialFingerprints"] for r in found])
        lines.append([r["locations"][0]["physicalLocation"]["region"]["startLine"] for r in found])
    expect(prints[0] == prints[1] and prints[0], prints)
    expect([n + 3 for n in lines[0]] == lines[1], lines)


@test
def sarif_says_what_was_not_examined():
    write("race.c", RACE)
    heddle("check", "--quick", "--no-replay", "--sarif=out.sarif", "--", build("race.c", "race"), code=3)
    found = results("out.sarif")
    expect(found and all(r["level"] == "warning" for r in found), "predicted only")
    notes = read_json("out.sarif")["runs"][0]["invocations"][0]["toolExecutionNotifications"]
    headline = heddle("check", "--quick", "--no-replay", "--json", "--", "./race", code=3)
    gaps = [g for c in json.loads(headline.out)["verdict"]["claims"] for g in c["gaps"]]
    expect([n["message"]["text"].split(": ", 1)[1] for n in notes] == gaps, (notes, gaps))


@test
def sarif_without_findings_is_valid():
    write("fine.c", RACE.replace("x++;", ";"))
    heddle("check", "--quick", "--sarif=out.sarif", "--", build("fine.c", "fine"))
    expect(results("out.sarif") == [], "no results")


@test
def sarif_of_predict_branches_explore_and_report():
    exe = example("deposit")
    heddle("record", "-o", "t", "--", exe, code=0)
    heddle("predict", "--sarif=p.sarif", "t", code=66)
    expect({r["ruleId"] for r in results("p.sarif")} >= {"assert"}, "predict")
    heddle("branches", "--sarif=b.sarif", "--", boxes.branch_program())
    found = results("b.sarif")
    expect(found and all(r["ruleId"] == "branch" for r in found), found)
    expect({r["level"] for r in found} <= {"error", "note"}, found)
    write("divides.c", DIVIDES)
    r = run(boxes.CC, "-g", "-I", os.path.join(ROOT, "include"), "divides.c", "-o", "divides")
    expect(r.code == 0, r)
    heddle("explore", "--sarif=e.sarif", "./divides", code=66)
    found = results("e.sarif")
    expect([r["ruleId"] for r in found] == ["division"], found)
    expect(found[0]["locations"][0]["physicalLocation"]["region"]["startLine"] == 6, found)
    heddle("report", "--format=sarif", "-o", "all.sarif", code=0)
    expect({r["ruleId"] for r in results("all.sarif")} >= {"assert", "branch", "division"}, "report")
    heddle("report", "H1", "--format=sarif", "-o", "one.sarif", code=0)
    expect([r["properties"]["heddle/name"] for r in results("one.sarif")] == ["H1"], "one")


@test
def a_file_that_cannot_be_written_is_an_error():
    write("race.c", RACE)
    exe = build("race.c", "race")
    for option in "--sarif", "--junit", "--html":
        r = heddle("check", "--quick", f"{option}=nowhere/out", "--", exe, code=1)
        expect("nowhere/out" in r.err and "data race" in r.out, r)


# ---- JUnit -----------------------------------------------------------------------------------------

def cases(name):
    suite = xml.etree.ElementTree.parse(path(name)).getroot().find("testsuite")
    out = suite.findall("testcase")
    expect(int(suite.get("tests")) == len(out), suite.attrib)
    for word, element in ("failures", "failure"), ("skipped", "skipped"), ("errors", "error"):
        expect(int(suite.get(word)) == sum(c.find(element) is not None for c in out), suite.attrib)
    return out


@test
def junit_has_a_case_for_each_finding_and_one_for_the_rest():
    write("race.c", RACE.replace("x++;", '\n\tx += "<&]]>"[0] > 0;'))
    exe = build("race.c", "race")
    heddle("check", "--quick", "--junit=out.xml", "--", exe, "<&>", code=66)
    found = cases("out.xml")
    failed = [c for c in found if c.find("failure") is not None]
    expect(failed and all(c.get("classname").startswith("heddle.") for c in failed), found)
    expect("race.c:4" in failed[0].get("name") and "WARNING: heddle:" in failed[0].find("failure").text, failed[0].attrib)
    expect('x += "<&]]>"[0]' in failed[0].find("failure").text, failed[0].find("failure").text)
    rest = found[-1]
    expect(rest.get("name") == "every schedule was examined", rest.attrib)
    heddle("check", "--quick", "--no-replay", "--junit=predicted.xml", "--", exe)
    expect(any(c.find("skipped") is not None for c in cases("predicted.xml")), "predicted is no failure")
    heddle("report", "--format=junit", "-o", "all.xml", code=0)
    expect(len(cases("all.xml")) == len(failed), "report")


# ---- JSON ------------------------------------------------------------------------------------------

def check_finding(f):
    errors = validate(f, FINDING)
    expect(not errors, errors[:5])


def keys_of(value, at, out):
    if isinstance(value, dict):
        for k, v in value.items():
            out.add(f"{at}.{k}")
            if k != "test":
                keys_of(v, f"{at}.{k}", out)
    elif isinstance(value, list):
        for v in value:
            keys_of(v, at, out)


@test
def findings_match_their_schema():
    found = []
    for name in "deposit", "bank", "session":
        r = heddle("check", "--quick", "--json", "--", example(name))
        found += json.loads(r.out)["findings"]
    r = heddle("branches", "--json", "--", boxes.branch_program())
    found += json.loads(r.out)["findings"]
    write("divides.c", DIVIDES)
    expect(run(boxes.CC, "-g", "-I", os.path.join(ROOT, "include"), "divides.c", "-o", "divides").code == 0, "build")
    r = heddle("explore", "--json", "./divides", code=66)
    found += json.loads(r.out.strip().split("\n")[-1])["findings"]
    kinds = {f["kind"] for f in found}
    expect(kinds >= {"assert", "deadlock", "branch", "division"}, kinds)
    keys = set()
    for f in found:
        check_finding(f)
        keys_of(f, "", keys)
    # nothing is in the schema that no finding has
    for name in FINDING["properties"]:
        expect("." + name in keys, name)
    for where, fields in (".steps", "step"), (".threads", "thread"), (".flip", "flip"), (".snippets", "snippet"):
        for name in FINDING["$defs"][fields]["properties"]:
            expect(f"{where}.{name}" in keys, (where, name))
    text = heddle("report", "--format=json", code=0).out
    for line in text.strip().split("\n"):
        check_finding(json.loads(line))


@test
def the_check_of_schemas_sees_differences():
    expect(validate({"version": "2.1.0", "runs": [{"tool": {"driver": {}}}]}, SARIF), "a driver without a name")
    expect(validate({"name": "H1"}, FINDING), "a finding without a kind")
    expect(validate({"version": "2.1.0", "runs": [{"tool": {"driver": {"name": "x"}}, "results": [{"message": {"text": "x"}, "level": "bad"}]}]},
                    SARIF), "a level that does not exist")


@test
def steps_say_what_they_read_from_and_which_locks_are_held():
    r = heddle("check", "--quick", "--json", "--", example("deposit"), code=66)
    f = [f for f in json.loads(r.out)["findings"] if f["kind"] == "assert"][0]
    reads = 0
    for i, s in enumerate(f["steps"]):
        if s["reads_from"]:
            w = f["steps"][s["reads_from"] - 1]
            expect(s["reads_from"] - 1 < i and w["op"] in ("write", "update") and w["data"] == s["data"] and w["value"] == s["value"], (w, s))
            reads += 1
        if s["data"] == "balance" and s["thread"]:
            expect(s["held"] == ["lock"], s)
    expect(reads, f["steps"])
    recorded = [s["recorded_at"] for s in f["steps"] if s["recorded_at"]]
    expect(len(set(recorded)) == len(recorded) and recorded != sorted(recorded), recorded)
    source = open(path("deposit.c")).read().split("\n")
    for snip in f["snippets"]:
        lines = snip["text"].rstrip("\n").split("\n")
        expect(source[snip["first"] - 1:][:len(lines)] == lines, snip)
    shown = {n for s in f["snippets"] for n in range(s["first"], s["first"] + s["text"].count("\n"))}
    expect(all(s["minor"] or s["place"]["line"] in shown for s in f["steps"]), shown)


# ---- Perfetto and Graphviz -------------------------------------------------------------------------

@test
def perfetto_has_slices_that_nest_and_arrows():
    heddle("check", "--quick", "--", example("deposit"), code=66)
    for h in "H1", "H2":
        text = heddle("report", "--format=perfetto", h).out
        if "assertion" in text.split("\n")[0]:
            break
    events = json.loads(text)["traceEvents"]
    open_, last, flows = {}, {}, {}
    for e in events:
        if e["ph"] in "BE":
            expect(e["ts"] >= last.get(e["tid"], 0), e)
            last[e["tid"]] = e["ts"]
            open_[e["tid"]] = open_.get(e["tid"], 0) + (1 if e["ph"] == "B" else -1)
            expect(open_[e["tid"]] >= 0, e)
        if e["ph"] in "sf":
            flows.setdefault(e["id"], []).append(e)
    expect(not any(open_.values()) and len(open_) >= 2, open_)
    expect(flows and all(len(v) == 2 and v[0]["ts"] < v[1]["ts"] for v in flows.values()), flows)
    names = {e.get("name") for e in events}
    expect(any(n and n.startswith("holds lock") for n in names) and any(n and n.startswith("writes balance") for n in names), names)


@test
def dot_has_a_node_for_each_step_and_quotes():
    write("race.c", RACE.replace("x++;", 'x++; /* "a\\\\" -> } */'))
    heddle("check", "--quick", "--only=race", "--", build("race.c", "race"), code=66)
    text = heddle("report", "--format=dot", "H1", code=0).out
    expect(text.startswith("digraph finding {\n") and text.endswith("}\n"), text)
    bare = re.sub(r'"(\\.|[^"\\])*"', '""', text)
    expect(bare.count("{") == bare.count("}") and '"' not in bare.replace('""', ""), bare)
    nodes = set(re.findall(r"^  (\w+) \[group", bare, re.M))
    edges = re.findall(r"^  (\w+) -> (\w+)", bare, re.M)
    expect(edges and all(a in nodes and b in nodes for a, b in edges), (nodes, edges))
    r = heddle("report", "--format=dot", code=0)
    expect(r.out == text, "the only finding of the directory")


@test
def dot_and_perfetto_are_of_one_finding():
    heddle("check", "--quick", "--", example("deposit"), code=66)
    heddle("check", "--quick", "--", example("bank"))
    for form in "dot", "perfetto":
        r = heddle("report", f"--format={form}", code=1)
        expect("one finding" in r.err, r)


# ---- text ------------------------------------------------------------------------------------------

@test
def the_list_comes_before_the_reports_and_names_the_same_cause():
    r = heddle("check", "--quick", "--", example("deposit"), code=66)
    lines = r.out.split("\n")
    head = lines.index("heddle: 2 findings: 2 confirmed by replay")
    first = lines.index("==================")
    expect(head < first and sum(line.startswith("found: H") for line in lines[:head]) == 2, r)
    listed = [line for line in lines[head:first] if re.match(r" +H\d+ ", line)]
    expect(re.fullmatch(r"  H\d+   assertion failure in 'main', deposit.c:48", listed[0]), listed)
    expect(re.fullmatch(r"       H\d+   same cause: atomicity violation on 'balance', deposit.c:\d+", listed[1]), listed)
    reports = r.out.split("WARNING: heddle: ")[1:]
    expect(reports[0].startswith("assertion failure") and reports[1].startswith("atomicity"), "the failure first")
    name = re.match(r"  (H\d+)", listed[0])[1]
    other = re.match(r" +(H\d+)", listed[1])[1]
    expect(f"Other signs of the same cause: {other} atomicity" in reports[0] and f"Also seen as: {name} assertion" in reports[1], reports)
    r = heddle("show", code=0)
    expect(r.out.rstrip("\n").split("\n") == listed, r)
    r = heddle("show", name, code=0)
    expect("WARNING: heddle: " + reports[0].split("==================")[0].rstrip() in r.out, r)
    heddle("report", "--format=json", name, "-o", "one.json", code=0)
    shown = heddle("show", "./one.json", code=0)
    expect(shown.out == r.out, "a finding in a file")
    os.rename(path(".heddle"), path("gone"))
    expect("WARNING: heddle: assertion failure" in heddle("show", "./one.json", code=0).out, "without a database")
    heddle("show", code=1)


@test
def many_findings_are_listed_and_some_are_reported():
    body = "\n".join(f"static int v{i}; static void *f{i}(void *a) {{ v{i}++; return a; }}" for i in range(7))
    start = "\n".join(f"\tpthread_create(&t[{2 * i}], 0, f{i}, 0);\n\tpthread_create(&t[{2 * i + 1}], 0, f{i}, 0);" for i in range(7))
    write("many.c", f"#include <pthread.h>\n{body}\nint main(void)\n{{\n\tpthread_t t[14];\n{start}\n"
                    "\tfor (int i = 0; i < 14; i++)\n\t\tpthread_join(t[i], 0);\n\treturn 0;\n}\n")
    r = heddle("check", "--quick", "--only=race", "--", build("many.c", "many"), code=66)
    listed = re.findall(r"^  H\d+ .*data race on 'v\d'", r.out, re.M)
    expect(len(listed) == 7 and r.out.count("WARNING: heddle:") == 5, r)
    last = re.search(r"^2 more: heddle show (H\d+), or heddle report -o report.html$", r.out, re.M)
    expect(last and "WARNING: heddle:" in heddle("show", last[1], code=0).out, r)
    r = heddle("check", "--quick", "--full", "--only=race", "--", "./many", code=66)
    expect(r.out.count("WARNING: heddle:") == 7, "--full reports all")


@test
def width_and_colours_are_those_of_the_environment():
    heddle("check", "--quick", "--", example("deposit"), code=66)
    for columns in 60, 80, 140:
        r = heddle("show", "H1", env={"COLUMNS": str(columns)})
        table = [line for line in r.out.split("\n") if " | " in line or line.startswith("  ") and "#" not in line]
        expect(table and max(map(len, table)) <= columns, (columns, max(map(len, table))))
    plain, colored = terminal("show", "H1", env={"NO_COLOR": "1"}), terminal("show", "H1")
    expect("\033[" not in plain and "\033[" in colored, (plain[:200], colored[:200]))
    expect("\033[" in terminal("show", "H1", env={"NO_COLOR": ""}), "an empty NO_COLOR does not count")
    expect("\033[" not in heddle("show", "H1").out, "no terminal, no colours")


def terminal(*words, env=None):
    """What heddle writes to a terminal."""
    ours, theirs = os.openpty()
    p = subprocess.Popen([boxes.HEDDLE, *words], stdin=subprocess.DEVNULL, stdout=theirs, stderr=theirs, cwd=boxes.box,
                         env={"PATH": os.environ["PATH"], "TERM": "xterm", **(env or {})})
    os.close(theirs)
    out = b""
    try:
        while part := os.read(ours, 65536):
            out += part
    except OSError:  # the other end was closed
        pass
    p.wait(60)
    os.close(ours)
    return out.decode(errors="replace")


@test
def options_may_stand_after_the_finding():
    heddle("check", "--quick", "--", example("bank"))
    r = heddle("replay", "H1", "--times", "3", "--quiet", code=66)
    expect("3 replays: 3 showed the failure" in r.out, r)
    r = heddle("replay", "H1", "--nonsense", code=2)
    expect("--nonsense" in r.err, r)
    r = heddle("replay", "H1", "H2", code=2)
    expect("H2" in r.err, r)
    r = heddle("replay", "H1", "--gdb", "--", "-batch", "-ex", "info threads")
    expect("bank" in r.out, r)
    r = heddle("show", "H1", "-v", code=0)
    expect("WARNING: heddle:" in r.out, r)


@test
def report_names_what_it_cannot_read():
    r = heddle("report", "H1", code=1)
    expect("no findings" in r.err, r)
    write("bad.json", "{}")
    r = heddle("report", "./bad.json", code=1)
    expect("bad.json" in r.err, r)


if __name__ == "__main__":
    sys.exit(boxes.main())
