"""The unit test for Paddle's tree, on the operator outside of it."""

import sys
from pathlib import Path

import paddle
from ascend_fmod import fmod

paddle.fmod = fmod
sys.path.insert(0, str(Path(__file__).resolve().parent.parent / "in_tree/test/legacy_test"))

from test_fmod_op import *  # noqa: E402,F403
