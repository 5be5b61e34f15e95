"""hostcann: build, check, price, test and package Ascend C operators without an NPU."""

import os
import sys


def main():
    """Becomes the program, so that signals and the exit code are its own."""
    program = os.path.join(os.path.dirname(os.path.abspath(__file__)), "bin", "hostcann")
    os.execv(program, [program, *sys.argv[1:]])
