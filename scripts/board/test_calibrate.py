"""The calibration without a board: a stand-in for msprof turns the timing model's own times, some of them stretched by a known
factor, into op_summary files; the fit has to find the factors. ASCEND_HOME_PATH is hostcann's root."""

import os
import re
import stat
import subprocess
import sys
import tempfile
import unittest
from pathlib import Path

HERE = Path(__file__).resolve().parent
sys.path.insert(0, str(HERE))
sys.dont_write_bytecode = True
import calibrate  # noqa: E402

SOC = "Ascend910B3"
# What each kernel takes in place of the model's time.
FACTORS = {"cal_empty": 1.2, "cal_in": 1.25, "cal_out": 0.8, "cal_repeat": 1.0, "cal_count": 1.1, "cal_stream": 1.6}

MSPROF = r'''#!{python}
import csv, json, os, re, subprocess, sys
FACTORS = {factors}
flags = [word for word in sys.argv[1:] if word.startswith("--")]
words = [word for word in sys.argv[1:] if not word.startswith("--")]
assert "--task-time=l1" in flags and "--aic-metrics=PipeUtilization" in flags, flags
out = next(flag for flag in flags if flag.startswith("--output=")).split("=", 1)[1]
place = os.path.join(out, "PROF_000001_20260101000000000_A", "mindstudio_profiler_output")
os.makedirs(place)
answers = os.path.join(out, "sim.json")
subprocess.run(words, env=dict(os.environ, HOSTCANN_SIM="warm:" + answers, HOSTCANN_SOC="{soc}"), check=True)
rows, start = [], 1000.5
# A task that is none of the kernels', as a real run has them.
rows.append([0, "N/A", 1, 3, "MemSet", "MemSet", "AI_VECTOR_CORE", start - 10, 3.2, 0, 40, 1.0, 1800])
for number, line in enumerate(open(answers)):
    launch = json.loads(line)
    factor = FACTORS[re.search(r"cal_[a-z]+", launch["kernel"]).group(0)]
    cycles = [core["cycles"] for core in launch["cores"]]
    core_us = sum(cycles) / len(cycles) / launch["mhz"] * factor
    # The first launch is a slow one.
    task_us = launch["task_us"] * factor * (3 if number % {launches} == 0 else 1)
    name = launch["kernel"] + "_mix_aiv"
    rows.append([0, "N/A", number + 2, 3, name, name, "AI_VECTOR_CORE", start, task_us, 0, launch["blocks"], core_us, sum(cycles)])
    start += task_us + 1
head = ["Device_id", "Model ID", "Task ID", "Stream ID", "Op Name", "OP Type", "Task Type", "Task Start Time(us)",
        "Task Duration(us)", "Task Wait Time(us)", "{blocks}", "aiv_time(us)", "aiv_total_cycles"]
# In no order of time, and in two files.
for part in (0, 1):
    with open(os.path.join(place, "op_summary_2026010100000%d.csv" % part), "w", newline="") as file:
        csv.writer(file).writerows([head] + rows[part::2][::-1])
'''


class Lines(unittest.TestCase):
    def test_least_squares(self):
        self.assertEqual(calibrate.line_through([(0, 1.0), (1, 3.0), (2, 5.0)]), (1.0, 2.0, 0.0))
        intercept, slope, rest = calibrate.line_through([(0, 0.0), (1, 3.0), (2, 0.0)])
        self.assertEqual((intercept, slope), (1.0, 0.0))
        self.assertAlmostEqual(rest, 2 ** 0.5)

    def test_only_fitted_parameters_change(self):
        text = ('# top\n[base]\nclock = { value = 1800, unit = "MHz", mark = "measured", source = "a" }\n'
                'port = { value = 165, unit = "B/cycle", mark = "fitted", source = "b" }\n\n[soc.A]\n'
                'clock = { value = 1850, unit = "MHz", mark = "measured", source = "c" }\n\n[soc."A-1"]\n'
                'port = { value = 1, unit = "B/cycle", mark = "fitted", source = "d" }\n\n[[instruction]]\nops = ["Add"]\n')
        values = {"clock": (1700.0, "rows"), "unknown": (1.0, "rows")}
        new = 'clock = { value = 1700, unit = "MHz", mark = "measured", source = "rows" }'
        old = 'clock = { value = 1850, unit = "MHz", mark = "measured", source = "c" }'
        self.assertEqual(calibrate.fitted(text, "A", values), text.replace(old, new))
        self.assertEqual(calibrate.fitted(text, "A-1", values), text.replace('[soc."A-1"]', '[soc."A-1"]\n' + new))
        other = calibrate.fitted(text, "B", values)
        self.assertEqual(other, text.replace("[[instruction]]", f"[soc.B]\n{new}\n\n[[instruction]]"))

    def test_other_launches_than_planned_are_refused(self):
        cases = [calibrate.Case("cal_empty", 1), calibrate.Case("cal_in", 1, 32, 4096)]
        row = calibrate.Row(1.0, 1.0, 1.0)
        good = [("cal_empty", 1, row)] * calibrate.LAUNCHES + [("cal_in", 1, row)] * calibrate.LAUNCHES
        self.assertEqual(calibrate.measured(cases, good)[("cal_in", 1, 32, 4096)].task_us, 1.0)
        with self.assertRaisesRegex(calibrate.Failure, "23 launches, expected 24; they differ from launch 11 on"):
            calibrate.measured(cases, good[1:])


class Board(unittest.TestCase):
    def calibrate(self, out, factors, blocks):
        """Runs the script with the stand-in first on the PATH."""
        tools = Path(out) / "tools"
        tools.mkdir()
        text = MSPROF
        for mark, value in [("{python}", sys.executable), ("{factors}", repr(factors)), ("{soc}", SOC), ("{blocks}", blocks),
                            ("{launches}", str(calibrate.LAUNCHES))]:
            text = text.replace(mark, value)
        (tools / "msprof").write_text(text)
        (tools / "msprof").chmod(stat.S_IRWXU)
        home = os.environ["ASCEND_HOME_PATH"]
        line = [sys.executable, HERE / "calibrate.py", "--soc", SOC, "--out", Path(out) / "out", "--hostcann", home]
        done = subprocess.run(line, env=dict(os.environ, PATH=f"{tools}:{os.environ['PATH']}"), capture_output=True, text=True)
        self.assertEqual(done.returncode, 0, done.stdout + done.stderr)
        return Path(out) / "out"

    def expected(self):
        text = (calibrate.REPOSITORY / "hostcann/soc/timing/model.toml").read_text()
        before = {name: value for name, (value, _) in calibrate.entries(text, SOC).items()}
        want = dict(before)
        for name in ("launch_base", "launch_step", "entry", "entry_pair"):
            want[name] *= 1.2
        want["mte2_latency"] *= 1.25
        want["mte2_rate"] /= 1.25
        want["mte3_latency"] *= 0.8
        want["mte3_rate"] /= 0.8
        for name in ("pair_read", "hbm_read"):
            want[name] /= 1.6
        # The longer count form is one cycle a repeat and the fixed part of Add longer, too.
        row = re.search(r'ops = \["Add".*?\nii = ([\d.]+).*?\nfixed = ([\d.]+)', text, re.S)
        add = float(row.group(2)) + float(row.group(1)) * sum((32, 64, 128)) / 3
        want["vector_count_next"] = 1.1 * (before["vector_count_next"] + add) - add
        want["vector_partial"] *= 1.1
        return text, before, want

    def test_known_factors_are_found(self):
        text, before, want = self.expected()
        fitted = {"clock", "launch_base", "launch_step", "entry", "entry_pair", "mte2_latency", "mte2_rate", "mte3_latency",
                  "mte3_rate", "vector_count_next", "vector_partial", "scalar_vector", "pair_read", "hbm_read"}
        with tempfile.TemporaryDirectory() as out:
            place = self.calibrate(out, FACTORS, "Block Dim")
            after = (place / "model.toml").read_text()
            got = {name: value for name, (value, _) in calibrate.entries(after, SOC).items()}
            for name, value in want.items():
                self.assertAlmostEqual(got[name] / value, 1.0, delta=0.005, msg=name)
            changed = {line.split(" = ")[0] for line in after.splitlines() if "mark = \"measured\"" in line and "cal_" in line}
            self.assertEqual(changed, fitted)
            # Nothing but the chip's own section.
            base = after[: after.index("[soc.")]
            self.assertEqual(base, text[: text.index("[soc.")])
            self.assertEqual(after[after.rindex("[[instruction]]"):], text[text.rindex("[[instruction]]"):])
            rows = (place / "rows.csv").read_text().splitlines()
            self.assertEqual(len(rows), 1 + len(calibrate.plan(20)))
            self.assertTrue(rows[1].startswith("cal_empty,1,0,0,") and rows[1].endswith(",0.833"), rows[1])
            self.assertIn("| cal_in | 1 | 32 | 4096 |", (place / "calibration.md").read_text())

    def test_a_board_as_the_model_is_leaves_it_as_it_is(self):
        text, before, _ = self.expected()
        with tempfile.TemporaryDirectory() as out:
            place = self.calibrate(out, dict.fromkeys(FACTORS, 1.0), "Block Num")
            got = {name: value for name, (value, _) in calibrate.entries((place / "model.toml").read_text(), SOC).items()}
        for name, value in before.items():
            self.assertAlmostEqual(got[name] / value if value else got[name] + 1, 1.0, delta=0.001, msg=name)


if __name__ == "__main__":
    unittest.main()
