"""Holds `errors` of runner.py against arrays whose errors are known: runner_tests.py RUNNER DIRECTORY PYTHON_PATH..."""

import json
import os
import runpy
import sys

runner, directory, *paths = sys.argv[1:]
job = os.path.join(directory, "job.json")
with open(job, "w", encoding="utf-8") as text:
    json.dump({"python_path": paths, "edges": [0, 4], "cases": []}, text)
sys.argv = [runner, job, os.path.join(directory, "events.jsonl"), "0"]
errors = runpy.run_path(runner)["errors"]

import ml_dtypes  # noqa: E402
import numpy as np  # noqa: E402

# Places: below 1, 1 to 16, from 16 on, no number. Degrees: equal, 1 ulp, 32 ulp, farther, a number against none.
case = {"inputs": [{"name": "x"}, {"name": "y"}]}
f = np.float32
x, y = np.array([1, 1, 15, 16, 1, 0, 1, 3], f), np.array([2, 1, 1, 1, 0, 0, 1, 1], f)
golden = np.array([1, 1, 1, 1, np.nan, np.nan, 1, 1], f)
ulp = 2.0 ** -23
result = np.array([1, 1 + ulp, 1 + 32 * ulp, 1 + 33 * ulp, np.nan, 1, np.inf, 1], f)
found = errors(case, [x, y], result, golden)
assert found["by"] == "|x / y|", found
assert found["bins"] == [[1, 0, 0, 0, 0], [1, 1, 1, 0, 1], [0, 0, 0, 1, 0], [1, 0, 0, 0, 1]], found
# Broadcasting, a scalar, and integers, whose unit is 1.
found = errors(case, [np.array([[4], [64]], np.int16), np.array(4, np.int16)], np.array([[0], [7]], np.int16), np.array([[0], [5]], np.int16))
assert found["bins"] == [[0] * 5, [1, 0, 0, 0, 0], [0, 0, 1, 0, 0], [0] * 5], found
# One operand stands for itself; the unit of bfloat16 is 2^-7 at 1.
b = ml_dtypes.bfloat16
found = errors({"inputs": [{"name": "x"}]}, [np.array([0.5], b)], np.array([1 + 2.0 ** -7], b), np.array([1], b))
assert found == {"by": "|x|", "bins": [[0, 1, 0, 0, 0], [0] * 5, [0] * 5, [0] * 5]}, found
assert errors(case, [x, y], result, golden.astype(np.float64)) is None
