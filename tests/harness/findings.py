"""Findings as `heddle check --json` and `heddle branches --json` print them."""
import os
import re

from harness.program import ROOT

KINDS = os.path.join(ROOT, "src", "log", "faults.def")
FINDING_H = os.path.join(ROOT, "src", "finding", "finding.h")
SEEN = ("confirmed", "observed")


def kinds():
    """The words for kinds of findings."""
    with open(KINDS) as f:
        return set(re.findall(r'^(?:FAULT|PREDICTED)\(\w+,\s*"([a-z-]+)"', f.read(), re.M))


def flip_kinds():
    """The words for what can decide a branch."""
    with open(FINDING_H) as f:
        m = re.search(r"#define FLIP_KINDS\(X\)(.*?)\nenum", f.read(), re.S)
    return set(re.findall(r'X\(\w+, "([a-z ]+)"\)', m[1]))


def key_lines(finding):
    """The places and stacks of the steps that make a finding: {(file, line)}"""
    places = set()
    for step in finding.get("steps", []):
        if step.get("key") or step.get("last"):
            for p in [step.get("place") or {}, *step.get("stack", [])]:
                if p.get("file"):
                    places.add((os.path.basename(p["file"]), p.get("line")))
    return places


def summary_line(finding):
    """The place in the summary: (file, line)"""
    m = re.match(r"(.*?):(\d+)(?::\d+)? in ", finding.get("summary") or "")
    return (os.path.basename(m[1]), int(m[2])) if m else (None, None)


def shown(finding):
    lines = ", ".join(f"{f}:{n}" for f, n in sorted(key_lines(finding)))
    return (f"{finding.get('name')}: {finding.get('kind')} ({finding.get('status')}) "
            f"{finding.get('title')}; {lines}; {finding.get('divergence') or finding.get('outcome')}")


def shown_branch(finding):
    flip = finding.get("flip") or {}
    return (f"{os.path.basename(finding.get('summary') or '?')}: {flip.get('kind')}, "
            f"{flip.get('class')} ({flip.get('why')}), {finding.get('status')}; "
            f"{flip.get('recorded')} -> {flip.get('flipped')}; "
            f"{finding.get('divergence') or finding.get('outcome')}")
