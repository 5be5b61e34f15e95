"""numpy's side of `cargo xtask bench host`; the lines it answers are described in tests/src/bin/bench.rs."""

import os
import platform
import sys
import time

sys.path.insert(0, sys.argv[1])

import numpy as np  # noqa: E402

DTYPES = {"f32": np.float32, "f16": np.float16, "i16": np.int16}
loaded = None


def load(dtype, elements, _mode, folder):
    def operand(name):
        return np.fromfile(os.path.join(folder, name), dtype=DTYPES[dtype])

    x, y = operand("x.bin"), operand("y.bin")
    if x.size != int(elements) or y.size != int(elements):
        raise ValueError(f"{x.size} and {y.size} operands, expected {elements}")
    global loaded
    loaded = x, y, np.empty_like(x)
    run()
    return "loaded"


def run():
    x, y, out = loaded
    start = time.perf_counter_ns()
    np.fmod(x, y, out=out)
    return str(time.perf_counter_ns() - start)


def save(path):
    loaded[2].tofile(path)
    return "saved"


def about():
    libc = " ".join(platform.libc_ver())
    return f"np.fmod, 1 thread (numpy {np.__version__}, Python {platform.python_version()}, {libc})"


ANSWERS = {"load": load, "run": run, "save": save, "about": about}

for line in sys.stdin:
    name, *arguments = line.split()
    try:
        answer = ANSWERS[name](*arguments)
    except Exception as error:
        answer = f"error {type(error).__name__}: {error}".replace("\n", " ")
    print(answer, flush=True)
