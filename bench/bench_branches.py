#!/usr/bin/env python3
"""Schedule-sensitive branches: how long they take, in short runs with many and in long ones.

usage: bench_branches.py [--build DIR] [--rounds N,N,...] [--plot FILE]

rays:   the shape of the paper's RayTracer (Table 2: 651 s): 1,352 branches over 1,352 shared accesses,
        none of which another schedule changes. Goal: under 10 s
long:   runs of growing length, the longest with 10^7 shared accesses and 6 * 10^7 instructions, in chunks:
        recorded trace to branches, with their replays. Goal: a minute, and 2 GB
--plot: draws time and memory over length as SVG (docs/branches-growth.svg)

Seconds are of the clock and, beside them, of the CPU (its children included): on a machine with other work
only these can be compared.
"""
import argparse
import json
import math
import os
import resource
import subprocess
import tempfile
import time

HERE = os.path.dirname(os.path.abspath(__file__))


def measured(*words, cwd):
    """seconds, seconds of CPU, MB, output"""
    before = resource.getrusage(resource.RUSAGE_CHILDREN)
    begun = time.time()
    p = subprocess.Popen(["/usr/bin/time", "-f", "%M", *words], cwd=cwd, stdin=subprocess.DEVNULL,
                         stdout=subprocess.PIPE, stderr=subprocess.PIPE, text=True)
    out, err = p.communicate(timeout=1000)
    after = resource.getrusage(resource.RUSAGE_CHILDREN)
    cpu = after.ru_utime - before.ru_utime + after.ru_stime - before.ru_stime
    return time.time() - begun, cpu, int(err.split()[-1]) / 1024, out


def build(heddle_cc, name, folder):
    subprocess.run([heddle_cc, "-g", "-O1", f"{HERE}/branches/{name}.c", "-o", f"{folder}/{name}",
                    "-pthread"], check=True, capture_output=True)


def record(heddle, folder, *words):
    subprocess.run([heddle, "record", "-o", f"{folder}/run", "--", *words], check=True, cwd=folder,
                   capture_output=True, stdin=subprocess.DEVNULL)


def branches(heddle, folder, *options):
    words = [heddle, "branches", "--json", "--dir", folder, *options, folder + "/run"]
    s, cpu, mb, out = measured(*words, cwd=folder)
    return s, cpu, mb, json.loads(out)


def rays(heddle, heddle_cc):
    with tempfile.TemporaryDirectory() as folder:
        build(heddle_cc, "rays", folder)
        record(heddle, folder, "./rays")
        s, cpu, mb, out = branches(heddle, folder)
    print(f"rays: {s:.1f} s, {cpu:.1f} s of CPU, {mb:.0f} MB, {len(out.get('findings', []))} found")


def events_of(heddle, folder):
    r = subprocess.run([heddle, "trace", "--json", folder + "/run"], capture_output=True, text=True)
    t = json.loads(r.stdout)
    return (sum(t["events"].get(k, 0) for k in ("read", "write", "rmw", "sync")),
            sum(x["instructions"] for x in t["threads"]))


def long_run(heddle, heddle_cc, rounds):
    with tempfile.TemporaryDirectory() as folder:
        build(heddle_cc, "long_run", folder)
        record(heddle, folder, "./long_run", str(rounds))
        events, insns = events_of(heddle, folder)
        s, cpu, mb, out = branches(heddle, folder, "--partition=distributed", "--show=all")
    found = out.get("findings", [])
    confirmed = sum(f.get("status") == "confirmed" for f in found)
    print(f"long: {events:>9} events {insns:>9} instructions: {s:6.1f} s, {cpu:5.1f} s of CPU, "
          f"{mb:4.0f} MB, {len(found)} found, {confirmed} confirmed", flush=True)
    return events, s, cpu, mb


# ---- the plot -------------------------------------------------------------------------------------

W, H, LEFT, TOP, RIGHT, BOTTOM = 640, 400, 70, 30, 70, 50
SERIES = (("seconds", 1, "#1f77b4"), ("seconds of CPU", 2, "#d62728"), ("MB", 3, "#2ca02c"))


def scale(lo, hi, a, b):
    return lambda v: a + (math.log10(v) - lo) / (hi - lo) * (b - a)


def plot(rows, path):
    x = scale(math.floor(math.log10(rows[0][0])), math.ceil(math.log10(rows[-1][0])), LEFT, W - RIGHT)
    y = scale(-1, 3, H - BOTTOM, TOP)
    out = [f'<svg xmlns="http://www.w3.org/2000/svg" viewBox="0 0 {W} {H}" font-family="sans-serif" '
           f'font-size="12"><rect width="{W}" height="{H}" fill="white"/>']
    for e in range(math.floor(math.log10(rows[0][0])), math.ceil(math.log10(rows[-1][0])) + 1):
        out.append(f'<line x1="{x(10**e):.1f}" y1="{TOP}" x2="{x(10**e):.1f}" y2="{H - BOTTOM}" '
                   f'stroke="#ddd"/><text x="{x(10**e):.1f}" y="{H - BOTTOM + 18}" '
                   f'text-anchor="middle">10<tspan dy="-5" font-size="9">{e}</tspan></text>')
    for e in range(-1, 4):
        out.append(f'<line x1="{LEFT}" y1="{y(10**e):.1f}" x2="{W - RIGHT}" y2="{y(10**e):.1f}" '
                   f'stroke="#ddd"/><text x="{LEFT - 8}" y="{y(10**e) + 4:.1f}" '
                   f'text-anchor="end">{10.0**e:g}</text>')
    out.append(f'<line x1="{LEFT}" y1="{y(60):.1f}" x2="{W - RIGHT}" y2="{y(60):.1f}" stroke="#888" '
               f'stroke-dasharray="4 4"/><text x="{LEFT + 400}" y="{y(60) - 5:.1f}" fill="#666">a minute'
               '</text>')
    for name, i, color in SERIES:
        points = " ".join(f"{x(r[0]):.1f},{y(max(r[i], 0.1)):.1f}" for r in rows)
        out.append(f'<polyline points="{points}" fill="none" stroke="{color}" stroke-width="2"/>')
        out += [f'<circle cx="{p.split(",")[0]}" cy="{p.split(",")[1]}" r="3" fill="{color}"/>'
                for p in points.split()]
        out.append(f'<text x="{LEFT + 20 + (i - 1) * 150}" y="{TOP - 10}" fill="{color}">{name}</text>')
    out.append(f'<text x="{W / 2:.0f}" y="{H - 12}" text-anchor="middle">events of the run (shared accesses '
               'and synchronization)</text></svg>')
    with open(path, "w") as f:
        f.write("\n".join(out) + "\n")


def main():
    p = argparse.ArgumentParser()
    p.add_argument("--build", default="build")
    p.add_argument("--rounds", default="39,122,390,1220,3900")
    p.add_argument("--plot")
    a, _ = p.parse_known_args()
    heddle, heddle_cc = (os.path.abspath(f"{a.build}/{n}") for n in ("heddle", "heddle-cc"))
    rays(heddle, heddle_cc)
    rows = [long_run(heddle, heddle_cc, int(n)) for n in a.rounds.split(",")]
    if len(rows) > 1:  # over the last decade: short runs are all start
        first = next(r for r in rows if r[0] * 12 > rows[-1][0])
        slope = math.log(rows[-1][2] / first[2]) / math.log(rows[-1][0] / first[0])
        print(f"slope of CPU seconds in logarithms, from {first[0]} events on: {slope:.2f}")
    if a.plot:
        plot(rows, a.plot)


if __name__ == "__main__":
    main()
