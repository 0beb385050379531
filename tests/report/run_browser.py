#!/usr/bin/env python3
"""The page of `heddle report` in a browser: what it shows, keys, filters, sizes and colour schemes, ten thousand
steps, text of the program that looks like markup. No test may leave an error in the console or make a request.
Prints TAP.

usage: run_browser.py HEDDLE HEDDLE_CC [NAME...]     NAME: run only these tests
       HEDDLE_PICTURES=DIR: also keep pictures of the pages there
"""
import json
import os
import re
import sys

import boxes
from boxes import ROOT, build, example, expect, heddle, path, read, read_json, test, write
from browser import Browser

PICTURES = os.environ.get("HEDDLE_PICTURES")
BROWSER = None


def browser():
    global BROWSER
    if not BROWSER:
        BROWSER = Browser()
    return BROWSER


class Page:
    """An open page; its end checks that the browser did not complain."""

    def __init__(self, name, width=1440, height=1000, dark=False, mobile=False):
        self.b, self.name = browser(), name
        self.b.size(width, height, dark, mobile)
        self.b.open(path(name))

    def __enter__(self):
        return self

    def __exit__(self, kind, *_):
        if PICTURES and not kind:
            self.b.picture(os.path.join(PICTURES, os.path.basename(boxes.box) + ".png"))
        if not kind:
            expect(not self.b.complaints(), self.b.complaints())

    def js(self, code):
        return self.b.evaluate(code)

    def text(self, selector):
        return self.js(f"[...document.querySelectorAll({json.dumps(selector)})].map(e => e.innerText)")

    def click(self, selector, n=0):
        self.js(f"document.querySelectorAll({json.dumps(selector)})[{n}].click()")

    def sentence(self):
        return self.text(".sentence")[0]

    def step(self):
        return int(re.match(r"Step (\d+) of", self.text(".now")[0])[1])

    def press(self, *keys):
        for k in keys:
            self.b.press(k)

    def overflow(self):
        """Pixels by which the page is wider than the window."""
        return self.js("document.documentElement.scrollWidth - innerWidth")


def deposit():
    heddle("check", "--quick", "--html=page.html", "--", example("deposit"), code=66)
    r = heddle("report", "--format=json", code=0)
    return {f["kind"]: f for f in map(json.loads, r.out.strip().split("\n"))}


def shown(f):
    return [s for s in f["steps"] if not s["minor"]]


@test
def the_page_shows_the_finding():
    f = deposit()["assert"]
    with Page("page.html") as p:
        expect(p.text("h1") == ["Assertion failure in 'main'"], p.text("h1"))
        expect("H" in p.text("nav .name")[0] and "confirmed by replay" in p.text(".meta")[0], p.text(".meta"))
        rows = [t.split("\n")[0] for t in p.text(".step:not(.rec) .what")]
        for s, row in zip(shown(f), rows):
            expect(s["what"] in row and (not s["recorded"] or f"(recorded: {s['recorded']})" in row), (s, row))
        expect("Why the recorded run passed" in p.text("main")[0] and "Why this order is possible" in p.text("main")[0], p.text("main"))
        expect("heddle replay " + f["name"] in p.text(".cmd"), p.text(".cmd"))
        heads = p.text(".head b")
        expect(heads[:3] == ["Main thread", "Thread 1 'teller'", "Thread 2 'teller'"] and heads[3] == "Recorded order", heads)
        expect(p.js("document.querySelectorAll('.hold').length") >= 4, "a bar for each critical section")
        expect(p.js("document.querySelectorAll('.flow').length") >= 1, "an arrow from a write to a read of another thread")


@test
def a_step_is_in_the_lane_of_its_thread():
    f = deposit()["assert"]
    with Page("page.html") as p:
        lefts = p.js("[...document.querySelectorAll('.step:not(.rec)')].map(e => [e.offsetLeft, e.offsetTop])")
        heads = p.js("[...document.querySelectorAll('.head:not(.recorded)')].map(e => [e.offsetLeft, e.offsetWidth])")
        lanes = sorted({s["thread"] for s in shown(f)})
        for s, (left, _) in zip(shown(f), lefts):
            begin, width = heads[lanes.index(s["thread"])]
            expect(begin <= left < begin + width, (s, left, heads))
        tops = [top for _, top in lefts]
        expect(tops == sorted(tops) and len(set(tops)) == len(tops), "time goes down")


@test
def arrow_keys_step_and_show_values():
    f = deposit()["assert"]
    steps = shown(f)
    with Page("page.html") as p:
        for i, s in enumerate(steps):
            expect(p.step() == i + 1 and s["what"] in p.sentence(), (i, p.sentence()))
            expect(p.js("document.querySelector('.step[aria-selected=true]:not(.rec)').id") ==
                   p.js("document.querySelector('.view').getAttribute('aria-activedescendant')"), "the selected step")
            code = p.text(".code .at")
            expect(code and s["source"] in code[0], code)
            if s["op"] in ("read", "write"):
                row = [r.split("\t") for r in p.text("tbody tr") if r.startswith(s["data"])][0]
                expect(row[1] == s["value"] and row[2] == (s["recorded"] or s["value"]), (s, row))
            p.press("ArrowDown")
        expect(p.step() == len(steps), "the last step stays")
        p.press("ArrowUp")
        expect(p.step() == len(steps) - 1, "up")
        p.press("Home")
        expect(p.step() == 1, "Home")
        p.press("End")
        expect(p.step() == len(steps), "End")
        thread = steps[-1]["thread"]
        before = [i for i, s in enumerate(steps[:-1]) if s["thread"] == thread]
        p.press("ArrowLeft")
        expect(p.step() == (before[-1] + 1 if before else len(steps)), "the step of the same thread before it")


@test
def filters_hide_threads_and_data():
    f = deposit()["assert"]
    with Page("page.html") as p:
        p.click("fieldset input", 0)
        rows = p.text(".step:not(.rec) .what")
        expect(len(rows) == sum(s["thread"] != 0 for s in shown(f)), rows)
        p.click("fieldset input", 0)
        p.js("(s => { s.value = 'balance'; s.dispatchEvent(new Event('change')); })(document.querySelector('.bar select'))")
        rows = p.text(".step:not(.rec) .what")
        expect(len(rows) == sum(s["data"] == "balance" or s["key"] for s in shown(f)), rows)
        p.js("(s => { s.selectedIndex = 0; s.dispatchEvent(new Event('change')); })(document.querySelector('.bar select'))")
        p.js("[...document.querySelectorAll('.bar label')].find(l => l.innerText.includes('every step')).click()")
        expect(p.text(".now")[0].startswith(f"Step 1 of {len(f['steps'])}") or f" of {len(f['steps'])}" in p.text(".now")[0], p.text(".now"))


@test
def the_recorded_order_is_beside_the_failing_one():
    f = deposit()["assert"]
    with Page("page.html") as p:
        rows = p.text(".step.rec .what")
        want = sorted((s for s in shown(f) if s["recorded_at"]), key=lambda s: s["recorded_at"])
        for s, row in zip(want, rows):
            what = s["what"][:-len(s["value"])] + s["recorded"] if s["recorded"] and s["value"] else s["what"]
            expect("".join(row.split()) == "".join(f"T{s['thread']}{what}".split()), (row, s))
        expect(p.js("document.querySelectorAll('.step.rec.moved').length") > 0, "what has another place is marked")
        p.js("[...document.querySelectorAll('.bar label')].find(l => l.innerText.includes('recorded order')).click()")
        expect(p.text(".step.rec") == [], "it can be hidden")
        p.js("[...document.querySelectorAll('.bar label')].find(l => l.innerText.includes('recorded order')).firstChild.focus()")
        p.press("ArrowDown")
        expect(p.step() == 2, "arrow keys step also from a box")


@test
def findings_are_ranked_and_linked():
    found = deposit()
    heddle("check", "--quick", "--", example("session"), code=66)
    heddle("report", "-o", "all.html", code=0)
    with Page("all.html") as p:
        titles = p.text("nav .title")
        harms = p.text("nav h2")
        expect(harms[0] == "Crash or corruption" and harms[1] == "Failure", harms)
        expect(titles.index("use after free on 's->users'") < titles.index("data race on 's->users'"), titles)
        expect(any("data race on 's->users'" in t for t in p.text("nav li.cause")), "the race is below what it leads to")
        expect("Other signs of the same cause:" in p.text("main")[0], p.text("main"))
        p.click(".related .link")
        expect("Also seen as:" in p.text("main")[0] and p.text("h1") != ["Use after free on 's->users'"], p.text("h1"))
        p.press("]")
        expect(p.text("nav button[aria-current=true]") and p.text("h1")[0].lower() in [t.lower() for t in titles], p.text("h1"))
        for i in range(len(titles)):
            p.click("nav button", i)
            expect(p.text("h1")[0].lower() == titles[i].lower(), (titles[i], p.text("h1")))
    expect(found, "findings")


@test
def it_fits_a_phone_and_is_dark_where_asked():
    deposit()
    for width in 320, 390, 820, 1180:
        with Page("page.html", width=width, height=844, mobile=width < 800) as p:
            expect(p.overflow() <= 0, f"{width}: {p.overflow()} pixels too wide")
            expect(p.text(".step:not(.rec) .what"), "steps")
    colors = []
    for dark in False, True:
        with Page("page.html", dark=dark) as p:
            colors.append(p.js("getComputedStyle(document.body).backgroundColor + getComputedStyle(document.body).color"))
    expect(colors[0] != colors[1], colors)


@test
def it_can_be_printed():
    f = deposit()["assert"]
    with Page("page.html") as p:
        p.b.media("print")
        p.js("dispatchEvent(new Event('beforeprint'))")
        expect(len(p.text(".step:not(.rec)")) == len(shown(f)), "every step")
        expect(p.js("getComputedStyle(document.querySelector('nav')).display") == "none", "no list")
        p.b.media("")


@test
def markup_in_the_program_is_text():
    evil = "</script><script>document.title='owned'</script><img src=x onerror=alert(1)>"
    write("evil.c", """#include <pthread.h>
int x;
static void *one(void *arg) {
	x += "%s"[0] > 0;
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
""" % evil)
    heddle("check", "--quick", "--html=page.html", "--", build("evil.c", "evil"), evil, b"\xff\xfe<b>".decode("utf-8", "surrogateescape"), code=66)
    text = read("page.html")
    expect(text.count("<script") == 2 and "<img" not in text, "two scripts: the data and the page's own")
    policy = re.search(r'Content-Security-Policy" content="([^"]*)"', text)[1]
    expect("default-src 'none'" in policy and "unsafe" not in policy and "http" not in policy, policy)
    with Page("page.html") as p:
        expect("heddle" in p.js("document.title") and "owned" not in p.js("document.title"), p.js("document.title"))
        expect(p.js("document.querySelectorAll('main img, main script, main b b').length") == 0, "no element of the program's")
        expect(any(evil in t for t in p.text(".step .src")), p.text(".step .src"))
        expect(any(evil in t for t in p.text(".cmd")), p.text(".cmd"))


@test
def the_policy_stops_a_script_that_gets_in():
    deposit()
    write("changed.html", read("page.html").replace("</main>", "</main><script>document.title='owned'</script>"))
    b = browser()
    b.size(1000, 800)
    b.open(path("changed.html"))
    expect(b.evaluate("document.title") != "owned", "it was executed")
    expect(any("Content Security Policy" in c or "content security policy" in c.lower() for c in b.complaints()), b.complaints())


@test
def ten_thousand_steps_are_drawn_in_parts():
    f = deposit()["assert"]
    many = dict(f, steps=[])
    for i in range(10000):
        s = dict(f["steps"][i % len(f["steps"])], minor=False, key=i == 9999, last=False, reads_from=i if i % 7 == 3 else 0,
                 recorded_at=10000 - i, what=f"reads x = {i}", value=str(i), data="x", op="read")
        many["steps"].append(s)
    write("many.json", json.dumps(many))
    heddle("report", "./many.json", "-o", "many.html", code=0)
    with Page("many.html") as p:
        nodes = p.js("document.querySelectorAll('*').length")
        expect(nodes < 1500 and "Step 1 of 10000" in p.text(".now")[0], nodes)
        p.press("End")
        expect("Step 10000 of 10000" in p.text(".now")[0] and "reads x = 9999" in p.sentence(), p.sentence())
        box = p.js("(r => [r.top, r.bottom])(document.querySelector('.step[aria-selected=true]:not(.rec)').getBoundingClientRect())")
        view = p.js("(r => [r.top, r.bottom])(document.querySelector('.view').getBoundingClientRect())")
        expect(view[0] <= box[0] and box[1] <= view[1] + 1, (box, view))
        p.press("ArrowUp", "ArrowUp")
        expect("Step 9998 of 10000" in p.text(".now")[0], p.text(".now"))
        p.js("document.querySelector('.view').scrollTop = 200000")
        p.js("new Promise(r => requestAnimationFrame(() => requestAnimationFrame(r)))")
        expect(any("reads x = 3" in t or "reads x = 2" in t for t in p.text(".step:not(.rec) .what")), "the rows in sight")
        expect(p.js("document.querySelectorAll('*').length") < 1500, "still few")


@test
def findings_of_explore_and_branches_are_shown():
    heddle("branches", "--", boxes.branch_program())
    write("divides.c", '#include <heddle/heddle.h>\nint main(void)\n{\n\tunsigned char n = 1;\n\theddle_input(&n, 1, "n");\n\treturn 10 / n;\n}\n')
    r = boxes.run(boxes.CC, "-g", "-I", os.path.join(ROOT, "include"), "divides.c", "-o", "divides")
    expect(r.code == 0, r)
    heddle("explore", "--html=e.html", "./divides", code=66)
    with Page("e.html") as p:
        expect("Division by zero" in p.text("h1")[0] and "n" in p.text("main")[0], p.text("main"))
        p.press("ArrowDown")
    heddle("report", "-o", "all.html", code=0)
    with Page("all.html") as p:
        for i in range(len(p.text("nav .title"))):
            p.click("nav button", i)
            expect(p.text("h1"), i)
        expect("Depends on the schedule" in p.text("nav h2"), p.text("nav h2"))


@test
def a_page_without_findings_says_what_was_examined():
    write("fine.c", "#include <pthread.h>\nstatic void *one(void *a) { return a; }\n"
                    "int main(void) { pthread_t t; pthread_create(&t, 0, one, 0); return pthread_join(t, 0); }\n")
    heddle("check", "--quick", "--html=page.html", "--", build("fine.c", "fine"))
    with Page("page.html") as p:
        expect("No findings" in p.text("h1")[0] and "no failure in any" in p.text("main")[0].lower(), p.text("main"))


if __name__ == "__main__":
    status = boxes.main()
    if BROWSER:
        BROWSER.close()
    sys.exit(status)
