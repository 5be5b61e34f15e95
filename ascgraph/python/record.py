"""record.py PROGRAM... -o DIR: what builder programs build, as JSON for `cargo xtask ascgraph`.

A program is Python text that builds an autofuse FusedGraph and calls Autofuser.schedule, as torch_npu writes it with
TORCH_COMPILE_DEBUG=1 (asc_graph.py). A model that runs needs no such program: AUTOFUSE_RECORD=DIR writes its graphs.
"""

import argparse
import os
import sys

from autofuse import pyautofuse
from autofuse.graph_json import dump


class Recorded(BaseException):
    """A program asked for a kernel: what it built is complete. No `except Exception` of it is meant."""

    def __init__(self, fused):
        super().__init__(fused.name)
        self.fused = fused


def _stop(_, fused):
    raise Recorded(fused)


def record(path):
    with open(path, encoding="utf-8") as file:
        text = file.read()
    try:
        exec(compile(text, path, "exec"), {"__name__": "__main__"})
    except Recorded as recorded:
        return dump(recorded.fused)
    raise SystemExit(f"{path}: it ended without a call of Autofuser.schedule")


def main():
    parser = argparse.ArgumentParser(description=__doc__.split("\n", 1)[0])
    parser.add_argument("programs", nargs="+", metavar="PROGRAM")
    parser.add_argument("-o", "--out", required=True, metavar="DIR")
    options = parser.parse_args()
    pyautofuse.Autofuser.schedule = _stop
    for path in options.programs:
        name = os.path.splitext(os.path.basename(path))[0] + ".json"
        text = record(path)
        with open(os.path.join(options.out, name), "w", encoding="utf-8") as file:
            file.write(text)


if __name__ == "__main__":
    sys.exit(main())
