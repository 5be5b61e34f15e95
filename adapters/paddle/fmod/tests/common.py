"""What the tests share: places, data, a process of its own."""

import os
import subprocess
import sys

import numpy as np

import paddle

FLOATS = ("float32", "float16", "bfloat16")
INTEGERS = ("int32", "int16", "int8", "uint8")
DEVICE = "npu" in paddle.device.get_all_custom_device_type()


def places():
    return [paddle.CPUPlace(), *([paddle.CustomPlace("npu", 0)] if DEVICE else [])]


def tensor(values, dtype, place):
    """paddle cannot read bfloat16 from numpy."""
    if dtype == "bfloat16":
        return paddle.to_tensor(np.asarray(values, "float32"), place=place).astype("bfloat16")
    return paddle.to_tensor(np.asarray(values, dtype), place=place)


def numpy(one):
    return one.astype("float32").numpy() if one.dtype == paddle.bfloat16 else one.numpy()


def values(shape, dtype, seed):
    """Small integers, which every type holds: all formulas give the same for them. No divisor is 0."""
    low = 1 if dtype == "uint8" else -100
    found = np.random.default_rng(seed).integers(low, 100, shape)
    return np.where(found == 0, 7, found).astype("float32" if dtype == "bfloat16" else dtype)


def truncated(x, y):
    """The formula of precision "tbe": every step rounded to float32."""
    x, y = np.asarray(x, "float32"), np.asarray(y, "float32")
    return x - np.trunc(x / y) * y


def run(code, **environment):
    """Status and output of a Python of its own: for what a process can do only once."""
    ran = subprocess.run(
        [sys.executable, "-W", "ignore", "-c", "import numpy as np, paddle\nfrom ascend_fmod import fmod\n" + code],
        env={**os.environ, **environment},
        stdout=subprocess.PIPE,
        stderr=subprocess.STDOUT,
        text=True,
        timeout=300,
        check=False,
    )
    return ran.returncode, ran.stdout
