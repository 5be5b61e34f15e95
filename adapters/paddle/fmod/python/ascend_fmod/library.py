"""Finds the compiled operator and registers it with Paddle, once per process."""

import ctypes
from pathlib import Path

from paddle.utils.cpp_extension import load_op_meta_info_and_register_op

OPERATOR = "ascend_fmod"


def find():
    """The library that setup.py built: beside this package."""
    beside = Path(__file__).resolve().parent.parent
    # `setup.py install` puts `_pd_` behind the name, so that Python does not take the library for a module.
    found = sorted(beside.glob(f"{OPERATOR}_op*.so"))
    if not found:
        raise ImportError(
            f"{OPERATOR}: no {OPERATOR}_op*.so in {beside}; build it with `cargo xtask paddle test` or "
            "`pip install --no-build-isolation adapters/paddle/fmod`"
        )
    return found[0]


def register():
    path = find()
    try:
        # Paddle's own loader ends the process when a library that this one needs is missing.
        ctypes.CDLL(str(path))
    except OSError as error:
        raise ImportError(
            f"{OPERATOR}: {path} does not load: {error}; the toolkit's lib64 and the operator package must be where they "
            "were when it was built, or in LD_LIBRARY_PATH"
        ) from error
    names = load_op_meta_info_and_register_op(str(path))
    if OPERATOR not in names:
        raise ImportError(f"{path} registers {names}, expected {OPERATOR}")
