#!/usr/bin/env python3
"""Draws docs/pictures/race-and-timeline.svg, the picture of README.md, from two real runs.

    python3 scripts/pictures.py

1. The sample tests/samples/scaled_sum, in a copy without the queue between Muls and the copy out, under --check: the
   finding of the checker as it is printed, next to the lines that it names.
2. The operator that `cargo xtask new` writes, by `cargo xtask sim --trace`: the timeline of core 0 by the model.
"""

import json
import re
import shutil
import subprocess
import sys
import textwrap
from html import escape
from pathlib import Path

REPO = Path(__file__).resolve().parent.parent
WORK = REPO / "target" / "pictures"
PICTURE = REPO / "docs" / "pictures" / "race-and-timeline.svg"
ELEMENTS = 1500003
WIDTH, LINE, LEFT, COLUMNS = 960, 19, 24, 112
LANES = [(200, "SCALAR", "#8b98a9"), (300, "MTE2", "#63a4ff"), (400, "VECTOR", "#f2b84b"), (500, "MTE3", "#5fd38d")]


def run(*command):
    """What the command prints; it may fail, as the broken kernel has to."""
    done = subprocess.run(command, cwd=REPO, text=True, stdout=subprocess.PIPE, stderr=subprocess.STDOUT, check=False)
    return done.stdout


def need(found, what, output):
    if not found:
        sys.exit(f"{what} is expected in this output, and is not there:\n{output}")
    return found


def race():
    """The numbered lines of the kernel, and the finding about its copy out."""
    sample = WORK / "scaled_sum"
    shutil.rmtree(sample, ignore_errors=True)
    shutil.copytree(REPO / "tests" / "samples" / "scaled_sum", sample)
    kernel = sample / "kernels.asc"
    lines = [line for line in kernel.read_text().splitlines() if "VECOUT, AscendC::TPosition::GM" not in line]
    kernel.write_text("\n".join(lines) + "\n")
    output = run("cargo", "xtask", "sample", str(sample), "--check").replace(str(sample) + "/", "")
    found = re.search(r"^kernel fault: .*\(race\)\n    operand src: .*\n    expected .*\n    got .*\n    Fix: .*", output, re.M)
    finding = need(found, "a race of the copy out", output)[0]
    named = sorted({int(line) for line in re.findall(r"kernels\.asc:(\d+)", finding)})
    source = [(at, lines[at - 1]) for at in range(named[0] - 3, named[-1] + 1)]
    return source, named, finding


def timeline():
    """The line of the launch in the table, and the events of core 0, from the start of its task."""
    shutil.rmtree(WORK / "math", ignore_errors=True)
    run("cargo", "xtask", "new", "math/square", "--dir", str(WORK))
    example = WORK / "math" / "square" / "examples" / "test_aclnn_square.cpp"
    example.write_text(example.read_text().replace("100003", str(ELEMENTS)))
    trace = WORK / "trace.json"
    where = ["--op-dir", str(WORK / "math" / "square"), "--soc=ascend910b"]
    output = run("cargo", "xtask", "sim", *where, "--trace", str(trace), "--core", "0")
    row = rf"^ +\d+ +Square +(float32\[{ELEMENTS}\]) -> .*? (\d+) +(\d+) +([\d.]+) .*?(± \d+ %)"
    run("cargo", "xtask", "uninstall", "--vendor_name=square")
    shape, _, blocks, duration, error = need(re.search(row, output, re.M), "the large launch", output).groups()
    events = json.loads(trace.read_text())
    events = [event for event in events.get("traceEvents", events) if event["ph"] == "X"]
    task = next(event for event in events if event["cat"] == "launch" and event["dur"] > 0.7 * float(duration))
    start, end = task["ts"], task["ts"] + task["dur"]
    events = [event for event in events if start <= event["ts"] < end and event["tid"] >= 200]
    title = f"Square, {shape}, {blocks} blocks, Ascend910B3: {duration} µs {error}, predicted by the timing model"
    return title, start, task["dur"], events


def text(x, y, content, fill="#d7dee8", more=""):
    return f'<text x="{x}" y="{y}" fill="{fill}" xml:space="preserve"{more}>{escape(content)}</text>'


def draw(source, named, finding, title, start, duration, events):
    out, y = [], 34
    out.append(text(LEFT, y, "$ cargo xtask sample scaled_sum --check", "#9fb3c8"))
    y += LINE + 8
    for at, line in source:
        if at in named:
            out.append(f'<rect x="{LEFT - 6}" y="{y - 14}" width="{WIDTH - 2 * LEFT + 12}" height="{LINE}" fill="#3a2a2e"/>')
        out.append(text(LEFT, y, f"{at:>4}  {line}", "#ffffff" if at in named else "#8b98a9"))
        y += LINE
    y += 8
    for line in finding.splitlines():
        head = line.startswith("kernel fault")
        fill = "#ff8a80" if head else "#7ee0a3" if line.strip().startswith("Fix") else "#d7dee8"
        for part in textwrap.wrap(line, COLUMNS, subsequent_indent="    " if head else "        "):
            out.append(text(LEFT, y, part, fill))
            y += LINE
    y += 14
    out.append(f'<path d="M0 {y - 10}H{WIDTH}" stroke="#2d3642"/>')
    y += 14
    out.append(text(LEFT, y, "$ cargo xtask sim --trace trace.json", "#9fb3c8"))
    y += LINE
    out.append(text(LEFT, y, f"{title}; core 0:"))
    y += 14
    left, scale = LEFT + 70, (WIDTH - 2 * LEFT - 70) / duration
    for lane, name, fill in LANES:
        out.append(text(LEFT, y + 16, name, fill))
        for event in (event for event in events if event["tid"] == lane and event["dur"] > 0):
            idle = event["name"].startswith(("Wait", "PipeBarrier", "entry"))
            x, width = left + (event["ts"] - start) * scale, max(event["dur"] * scale, 1)
            out.append(
                f'<rect x="{x:.1f}" y="{y + 2}" width="{width:.1f}" height="18" rx="2" fill="{fill}"'
                f' opacity="{0.25 if idle else 1}"><title>{escape(event["name"])}</title></rect>'
            )
        y += 26
    for at in range(int(duration) + 1):
        out.append(text(f"{left + at * scale:.1f}", y + 12, f"{at} µs", "#8b98a9", ' font-size="12"'))
    height = y + 30
    about = "A race that the checker finds, with its lines, and the timeline of a core by the timing model"
    head = (
        f'<svg xmlns="http://www.w3.org/2000/svg" viewBox="0 0 {WIDTH} {height}" width="{WIDTH}" height="{height}" role="img"'
        f' font-family="ui-monospace,SFMono-Regular,Menlo,Consolas,monospace" font-size="13">\n<title>{about}</title>\n'
        f'<rect width="{WIDTH}" height="{height}" rx="10" fill="#161b22"/>'
    )
    return "\n".join([head, *out, "</svg>"]) + "\n"


def main():
    WORK.mkdir(parents=True, exist_ok=True)
    PICTURE.write_text(draw(*race(), *timeline()), encoding="utf-8")
    print(f"wrote {PICTURE}")


if __name__ == "__main__":
    main()
