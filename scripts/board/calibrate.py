#!/usr/bin/env python3
"""Measures the calibration kernels with msprof and fits the timing model's parameters to them. See README.md."""

import argparse
import csv
import json
import os
import re
import shutil
import statistics
import subprocess
import sys
from pathlib import Path

HERE = Path(__file__).resolve().parent
REPOSITORY = HERE.parent.parent
LAUNCHES = 12
# The first launches of a case warm caches and code.
WARM_UP = 2
KIB = 1024
# n of the two rows whose difference is the cost of one call.
FEW, MANY = 32, 128


class Failure(Exception):
    """What the user can do something about."""


class Case:
    """Equal launches: the kernel, its blocks, and its two numbers (calibrate.asc says what they mean)."""

    def __init__(self, kernel, blocks, n=0, size=0):
        self.kernel, self.blocks, self.n, self.size = kernel, blocks, n, size

    def key(self):
        return self.kernel, self.blocks, self.n, self.size


class Row:
    """What a launch took: microseconds, and cycles as the sum over cores."""

    def __init__(self, task_us, core_us, cycles):
        self.task_us, self.core_us, self.cycles = task_us, core_us, cycles


def plan(ai_cores):
    """All cases, in the order in which they are launched."""
    series = [1, 2, 4, 8, 16, ai_cores]
    cases = [Case("cal_empty", blocks) for blocks in sorted(set(series))] + [Case("cal_empty", 2 * ai_cores)]
    for kernel in ("cal_in", "cal_out"):
        cases += [Case(kernel, 1, n, size * KIB) for size in (4, 8, 16, 32, 64) for n in (FEW, MANY)]
    cases += [Case("cal_repeat", 1, n, repeats) for repeats in (1, 32, 64, 128) for n in (FEW, MANY)]
    for repeats in (32, 64, 128):
        cases += [Case("cal_count", 1, n, 64 * repeats - less) for less in (0, 32) for n in (FEW, MANY)]
    cases += [Case("cal_stream", 2 * ai_cores, n, 32 * KIB) for n in (16, 64)]
    chunk = 2 * ai_cores * 32 * KIB
    cases += [Case("cal_stream", 2 * ai_cores, total * KIB * KIB // chunk, 32 * KIB) for total in (256, 500)]
    return cases


def write_plan(cases, path):
    lines = [f"{c.kernel} {c.blocks} {c.n} {c.size} {LAUNCHES}\n" for c in cases]
    path.write_text("".join(lines))


def run(line, what, **more):
    """A command that must succeed."""
    try:
        done = subprocess.run([str(word) for word in line], text=True, capture_output=True, **more)
    except OSError as error:
        raise Failure(f"{what}: cannot run {line[0]}: {error.strerror}; put it on the PATH") from error
    if done.returncode != 0:
        said = "\n".join((done.stdout + done.stderr).splitlines()[-20:])
        raise Failure(f"{said}\n{what} failed with status {done.returncode}; its last lines are above")
    return done


def build(home, place):
    """The program against a toolkit, a real one or hostcann."""
    environment = dict(os.environ, ASCEND_HOME_PATH=str(home), CMAKE_PREFIX_PATH=f"{home}/lib64/cmake:{home}")
    libraries = [f"{home}/lib64", os.environ.get("LD_LIBRARY_PATH", "")]
    environment["LD_LIBRARY_PATH"] = ":".join(part for part in libraries if part)
    run(["cmake", "-S", HERE, "-B", place, "-DCMAKE_BUILD_TYPE=Release"], "cmake", env=environment)
    run(["cmake", "--build", place], "the build", env=environment)
    return place / "calibrate", environment


def number(row, *names):
    for name in names:
        if name in row:
            return float(row[name])
    raise Failure(f"op_summary has no column {names[0]}; run msprof with --task-time=l1 --aic-metrics=PipeUtilization")


def op_summary(directory):
    """Rows of the calibration kernels in the order of their start: kernel, blocks and what it took."""
    files = sorted(Path(directory).glob("**/op_summary_*.csv"))
    if not files:
        raise Failure(f"msprof left no op_summary_*.csv below {directory}")
    found = []
    for file in files:
        with open(file, newline="", encoding="utf-8-sig") as text:
            for row in csv.DictReader(text):
                kernel = re.search(r"cal_(empty|in|out|repeat|count|stream)", row.get("Op Name", ""))
                if not kernel:
                    continue
                taken = Row(number(row, "Task Duration(us)"), number(row, "aiv_time(us)"), number(row, "aiv_total_cycles"))
                blocks = int(number(row, "Block Dim", "Block Num"))
                found.append((number(row, "Task Start Time(us)"), kernel.group(0), blocks, taken))
    found.sort(key=lambda one: one[0])
    return [one[1:] for one in found]


def measured(cases, rows):
    """The median of every case; the rows must be those of the plan."""
    wanted = [(case.kernel, case.blocks) for case in cases for _ in range(LAUNCHES)]
    got = [(kernel, blocks) for kernel, blocks, _ in rows]
    if got != wanted:
        at = next((i for i, pair in enumerate(zip(got, wanted)) if pair[0] != pair[1]), min(len(got), len(wanted)))
        raise Failure(f"op_summary has {len(got)} launches, expected {len(wanted)}; they differ from launch {at} on")
    medians = {}
    for i, case in enumerate(cases):
        part = [row for _, _, row in rows[i * LAUNCHES + WARM_UP : (i + 1) * LAUNCHES]]
        values = [statistics.median(getattr(row, name) for row in part) for name in ("task_us", "core_us", "cycles")]
        medians[case.key()] = Row(*values)
    return medians


def modelled(cases, program, environment, soc, place):
    """What hostcann's timing model says of the same cases, warm."""
    answers = place / "model.json"
    if answers.exists():
        answers.unlink()
    write_plan(cases, place / "plan.txt")
    run([program, place / "plan.txt"], "the program on hostcann",
        env=dict(environment, HOSTCANN_SIM=f"warm:{answers}", HOSTCANN_SOC=soc))
    rows = []
    for line in answers.read_text().splitlines():
        launch = json.loads(line)
        cycles = [core["cycles"] for core in launch["cores"]]
        core_us = sum(cycles) / len(cycles) / launch["mhz"]
        rows.append((re.search(r"cal_\w+", launch["kernel"]).group(0), launch["blocks"],
                     Row(launch["task_us"], core_us, sum(cycles))))
    return measured(cases, rows)


def line_through(points):
    """Least squares: intercept, slope, and the root mean square of what is left."""
    count = len(points)
    mean_x, mean_y = sum(x for x, _ in points) / count, sum(y for _, y in points) / count
    slope = sum((x - mean_x) * (y - mean_y) for x, y in points) / sum((x - mean_x) ** 2 for x, _ in points)
    intercept = mean_y - slope * mean_x
    rest = (sum((y - intercept - slope * x) ** 2 for x, y in points) / count) ** 0.5
    return intercept, slope, rest


class Fit:
    """Every parameter by the rows that show it."""

    def __init__(self, rows, ai_cores):
        self.rows, self.ai_cores, self.values = rows, ai_cores, {}
        self.clock()
        self.launch()
        self.copies("cal_in", "mte2")
        self.copies("cal_out", "mte3")
        self.vector()
        self.bandwidths()

    def put(self, name, value, source):
        if value > 0:
            self.values[name] = (float(f"{value:.4g}"), source)

    def clock(self):
        """Cycles over time, least squares through the origin."""
        pairs = [(row.core_us * blocks, row.cycles)
                 for (kernel, blocks, _, _), row in self.rows.items() if kernel == "cal_repeat"]
        self.mhz = sum(t * c for t, c in pairs) / sum(t * t for t, _ in pairs)
        self.put("clock", self.mhz, f"cal_repeat, {len(pairs)} rows: aiv_total_cycles by aiv_time")

    def launch(self):
        empty = {blocks: row for (kernel, blocks, _, _), row in self.rows.items() if kernel == "cal_empty"}
        alone = {blocks: row for blocks, row in empty.items() if blocks <= self.ai_cores}
        points = [(blocks - 1, row.task_us - row.core_us) for blocks, row in alone.items()]
        base, step, rest = line_through(points)
        source = f"cal_empty, {len(points)} rows: Task Duration less aiv_time over blocks; rms {rest:.3g} us"
        self.put("launch_base", base, source)
        self.put("launch_step", step, source)
        entry = sum(row.core_us for row in alone.values()) / len(alone) * self.mhz
        self.put("entry", entry, f"cal_empty, {len(alone)} rows: mean aiv_time")
        both = empty[2 * self.ai_cores].core_us * self.mhz
        self.put("entry_pair", both - entry, "cal_empty: aiv_time with both cores of every AI core less entry")

    def cycles(self, kernel, size):
        """Of one call: what MANY take more than FEW."""
        few, many = (self.rows[(kernel, 1, n, size)].task_us for n in (FEW, MANY))
        return (many - few) / (MANY - FEW) * self.mhz

    def sizes(self, kernel):
        return sorted({size for (name, _, _, size) in self.rows if name == kernel})

    def copies(self, kernel, engine):
        points = [(size, self.cycles(kernel, size)) for size in self.sizes(kernel)]
        latency, slope, rest = line_through(points)
        source = f"{kernel}, {len(points)} sizes, {FEW} and {MANY} copies: cycles over bytes; rms {rest:.3g} cycles"
        self.put(f"{engine}_latency", latency, source)
        self.put(f"{engine}_rate", 1 / slope if slope > 0 else 0, source)

    def vector(self):
        repeats = [size for size in self.sizes("cal_repeat") if size > 1]
        fixed, interval, _ = line_through([(size, self.cycles("cal_repeat", size)) for size in repeats])
        count = {size: self.cycles("cal_count", size) for size in self.sizes("cal_count")}
        form = [count[64 * size] - self.cycles("cal_repeat", size) for size in repeats]
        part = [count[64 * size - 32] - count[64 * size] for size in repeats]
        self.put("vector_count_next", sum(form) / len(form), f"cal_count less cal_repeat, mean of {len(form)} sizes")
        self.put("vector_partial", sum(part) / len(part), f"cal_count, a part of a repeat less whole ones, mean of {len(part)}")
        one = self.cycles("cal_repeat", 1)
        # Where the vector unit is the slower one, the scalar unit does not show.
        if one > fixed + interval + 2:
            self.put("scalar_vector", one, f"cal_repeat of one repeat: {one:.3g} cycles where V needs {fixed + interval:.3g}")

    def bandwidths(self):
        stream = sorted((n, row.task_us) for (kernel, _, n, _), row in self.rows.items() if kernel == "cal_stream")
        chunk = 2 * self.ai_cores * 32 * KIB
        rates = [(b[0] - a[0]) * chunk / (b[1] - a[1]) for a, b in (stream[:2], stream[2:])]
        self.put("pair_read", rates[0] / self.ai_cores / self.mhz, "cal_stream, two sizes that the L2 holds, all cores")
        self.put("hbm_read", rates[1] / 1e6, "cal_stream, two sizes that the L2 does not hold, all cores")


def table(cases, rows, model):
    """Measured next to modelled, a line for each case."""
    head = ["kernel", "blocks", "n", "size", "measured us", "model us", "model / measured"]
    lines = [head]
    for case in cases:
        us, said = rows[case.key()].task_us, model[case.key()].task_us
        lines.append([case.kernel, case.blocks, case.n, case.size, f"{us:.3f}", f"{said:.3f}", f"{said / us:.3f}"])
    return lines


def markdown(lines):
    text = ["| " + " | ".join(str(cell) for cell in line) + " |" for line in lines]
    return "\n".join([text[0], "|" + "---|" * len(lines[0]), *text[1:]]) + "\n"


ENTRY = re.compile(r'^(\w+) = \{ value = ([-\d.e]+), unit = "([^"]*)"')


def sections(text):
    """Lines with the name of the section they are in."""
    name = None
    for line in text.splitlines():
        head = re.match(r"^\[+([^\]]+)\]+$", line)
        if head:
            name = head.group(1)
        yield name, line


def section_of(soc):
    return f"soc.{soc}" if re.fullmatch(r"\w+", soc) else f'soc."{soc}"'


def entries(text, soc):
    """Value and unit of every parameter as the chip has it."""
    found = {}
    for wanted in ("base", section_of(soc)):
        for name, line in sections(text):
            entry = ENTRY.match(line)
            if name == wanted and entry:
                found[entry.group(1)] = (float(entry.group(2)), entry.group(3))
    return found


def fitted(text, soc, values):
    """The parameter file with the fitted values in the chip's own section; everything else stays as it is."""
    known, own = entries(text, soc), section_of(soc)
    new = []
    for name, (value, source) in values.items():
        if name in known:
            unit = known[name][1]
            new.append(f'{name} = {{ value = {value:g}, unit = "{unit}", mark = "measured", source = "{source}" }}')
    kept, there = [], False
    for section, line in sections(text):
        entry = ENTRY.match(line)
        if section == own and entry and entry.group(1) in values:
            continue
        kept.append(line)
        if line == f"[{own}]":
            there = True
            kept += new
    if not there:
        at = next(i for i, line in enumerate(kept) if line.startswith("[[instruction]]"))
        kept[at:at] = [f"[{own}]", *new, ""]
    return "\n".join(kept) + "\n"


def ai_cores_of(soc):
    cores = {}
    for name, line in sections((REPOSITORY / "hostcann" / "soc" / "chips.toml").read_text()):
        entry = re.match(r"^SoCInfo\.ai_core_cnt = (\d+)", line)
        if entry:
            cores[name] = int(entry.group(1))
    if soc not in cores:
        raise Failure(f"--soc {soc}: expected one of {', '.join(sorted(cores))}")
    return cores[soc]


def arguments():
    parser = argparse.ArgumentParser(description=__doc__)
    parser.add_argument("--soc", required=True, help="the chip, for example Ascend910B3 (npu-smi info names it)")
    parser.add_argument("--out", type=Path, default=Path("calibration"), help="where results go [%(default)s]")
    parser.add_argument("--hostcann", type=Path, default=REPOSITORY / "target" / "hostcann",
                        help="hostcann's toolkit root, for the model's rows [%(default)s]")
    return parser.parse_args()


def main():
    args = arguments()
    home = os.environ.get("ASCEND_HOME_PATH")
    if not home:
        raise Failure("ASCEND_HOME_PATH is not set; source set_env.sh of the toolkit")
    if not shutil.which("msprof"):
        raise Failure("msprof is not on the PATH; source set_env.sh of the toolkit")
    if not (args.hostcann / "lib64").is_dir():
        raise Failure(f"{args.hostcann} is no toolkit; build it with `cargo xtask build`, or name it with --hostcann")
    ai_cores = ai_cores_of(args.soc)
    cases = plan(ai_cores)
    out = args.out.resolve()
    out.mkdir(parents=True, exist_ok=True)
    program, environment = build(Path(home).resolve(), out / "build-board")
    write_plan(cases, out / "plan.txt")
    profile = out / "msprof"
    shutil.rmtree(profile, ignore_errors=True)
    run(["msprof", f"--output={profile}", "--task-time=l1", "--ai-core=on", "--aic-metrics=PipeUtilization", program,
         out / "plan.txt"], "msprof", env=environment)
    rows = measured(cases, op_summary(profile))
    program, environment = build(args.hostcann.resolve(), out / "build-hostcann")
    model = modelled(cases, program, environment, args.soc, out)
    lines = table(cases, rows, model)
    with open(out / "rows.csv", "w", newline="", encoding="utf-8") as text:
        csv.writer(text).writerows(lines)
    before = (REPOSITORY / "hostcann" / "soc" / "timing" / "model.toml").read_text()
    fit = Fit(rows, ai_cores)
    (out / "model.toml").write_text(fitted(before, args.soc, fit.values))
    known = entries(before, args.soc)
    changes = [["parameter", "before", "fitted", "unit", "rows"]]
    changes += [[name, f"{known[name][0]:g}", f"{value:g}", known[name][1], source]
                for name, (value, source) in fit.values.items() if name in known]
    text = f"# Calibration of {args.soc}\n\n{markdown(changes)}\n{markdown(lines)}"
    (out / "calibration.md").write_text(text)
    print(text)
    print(f"written: {out}/model.toml, calibration.md, rows.csv; plan.txt and msprof's files beside them")


if __name__ == "__main__":
    try:
        main()
    except Failure as failure:
        sys.exit(f"error: {failure}")
