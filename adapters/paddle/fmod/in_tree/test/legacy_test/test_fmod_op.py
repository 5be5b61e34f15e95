"""Unit test of the operator in the shape of Paddle's test/legacy_test: it runs there with Paddle's own op_test."""

import unittest

import numpy as np
from op_test import OpTest, convert_float_to_uint16, convert_uint16_to_float

import paddle


def away_from_jumps(x, y, margin=0.1):
    """x moved so that x / y is no nearer than `margin` to an integer: there fmod is differentiable."""
    fraction = np.abs(x / y) % 1
    return np.where((fraction < margin) | (fraction > 1 - margin), (np.trunc(x / y) + np.sign(x / y) * 0.5) * y, x)


class TestFmodOp(OpTest):
    x_shape = [13, 17]
    y_shape = [13, 17]
    dtype = "float32"
    max_relative_error = 0.005

    def setUp(self):
        self.op_type = "fmod"
        self.python_api = paddle.fmod
        self.attrs = {}
        x, y = self.init_input()
        self.inputs = {"X": x, "Y": y}
        self.outputs = {"Out": np.fmod(x, y)}

    def init_input(self):
        rng = np.random.default_rng(2024)
        x = rng.uniform(-10, 10, self.x_shape)
        y = rng.uniform(1, 3, self.y_shape) * rng.choice([-1, 1], self.y_shape)
        # Where y is repeated, every x that meets it keeps away from the jumps.
        moved = away_from_jumps(np.broadcast_to(x, np.broadcast_shapes(x.shape, y.shape)), y)
        x = moved if list(moved.shape) == self.x_shape else x
        return x.astype(self.dtype), y.astype(self.dtype)

    def test_check_output(self):
        self.check_output(check_pir=True)

    def test_check_grad_normal(self):
        self.check_grad(["X", "Y"], "Out", max_relative_error=self.max_relative_error, check_pir=True)

    def test_check_grad_ignore_x(self):
        self.check_grad(["Y"], "Out", max_relative_error=self.max_relative_error, check_pir=True)

    def test_check_grad_ignore_y(self):
        self.check_grad(["X"], "Out", max_relative_error=self.max_relative_error, check_pir=True)


class TestFmodBroadcastY(TestFmodOp):
    x_shape = [4, 3, 5]
    y_shape = [3, 1]


class TestFmodBroadcastYTrailing(TestFmodOp):
    x_shape = [2, 6]
    y_shape = [6]


class TestFmodBroadcastX(TestFmodOp):
    x_shape = [1, 4]
    y_shape = [5, 1]

    def init_input(self):
        # One x meets every y: quotients between 2.2 and 2.8 for all pairs.
        x = np.array([[4.8, 4.9, 5.0, 5.1]])
        y = np.array([[1.9], [2.0], [-2.05], [2.1], [-2.1]])
        return x.astype(self.dtype), y.astype(self.dtype)


class TestFmodZeroDim(TestFmodOp):
    x_shape = []
    y_shape = []


class TestFmodZeroSize(TestFmodOp):
    x_shape = [0, 3]
    y_shape = [3]


class TestFmodFP16(TestFmodOp):
    dtype = "float16"

    def setUp(self):
        super().setUp()
        x, y = (self.inputs[name].astype("float32") for name in "XY")
        self.outputs = {"Out": np.fmod(x, y).astype("float16")}
        # Steps of 16 bits are too coarse for differences.
        self.user_defined = {"X": np.ones(self.x_shape), "Y": -np.trunc(x.astype("float64") / y)}

    def test_check_output(self):
        self.check_output(atol=2e-3, check_pir=True)

    def _grads(self, names):
        grads = [self.user_defined[name] for name in names]
        self.check_grad(names, "Out", max_relative_error=2e-3, user_defined_grads=grads, check_pir=True)

    def test_check_grad_normal(self):
        self._grads(["X", "Y"])

    def test_check_grad_ignore_x(self):
        self._grads(["Y"])

    def test_check_grad_ignore_y(self):
        self._grads(["X"])


class TestFmodBF16(TestFmodFP16):
    dtype = "float32"

    def setUp(self):
        super().setUp()
        self.inputs = {name: convert_float_to_uint16(values) for name, values in self.inputs.items()}
        x, y = (convert_uint16_to_float(self.inputs[name]) for name in "XY")
        self.outputs = {"Out": convert_float_to_uint16(np.fmod(x, y))}
        self.user_defined = {"X": np.ones(self.x_shape), "Y": -np.trunc(x.astype("float64") / y)}

    def test_check_output(self):
        self.check_output(atol=1e-2, check_pir=True)


class TestFmodInt32(OpTest):
    dtype = "int32"

    def setUp(self):
        self.op_type = "fmod"
        self.python_api = paddle.fmod
        rng = np.random.default_rng(7)
        low = 0 if self.dtype == "uint8" else -100
        x = rng.integers(low, 100, [6, 7]).astype(self.dtype)
        y = rng.integers(1, 12, [7]).astype(self.dtype)
        self.inputs = {"X": x, "Y": y}
        self.outputs = {"Out": np.fmod(x, y)}

    def test_check_output(self):
        self.check_output(atol=0, rtol=0, check_pir=True)


class TestFmodInt16(TestFmodInt32):
    dtype = "int16"


class TestFmodInt8(TestFmodInt32):
    dtype = "int8"


class TestFmodUint8(TestFmodInt32):
    dtype = "uint8"


if __name__ == "__main__":
    paddle.enable_static()
    unittest.main()
