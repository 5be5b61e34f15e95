"""Gradients beyond what the unit test of the operator checks."""

import unittest

import numpy as np
from ascend_fmod import fmod
from common import numpy, places, tensor

import paddle


def leaf(values, place, dtype="float32", stop=False):
    one = tensor(values, dtype, place)
    one.stop_gradient = stop
    return one


class Gradient(unittest.TestCase):
    def test_any_cotangent_with_broadcast_in_both_directions(self):
        rng = np.random.default_rng(3)
        x, y = rng.uniform(-10, 10, (4, 1, 5)), rng.uniform(0.5, 3, (3, 1))
        g = rng.standard_normal((4, 3, 5)).astype("float32")
        x, y = x.astype("float32"), y.astype("float32")
        dx = g.astype("float64").sum(1, keepdims=True)
        dy = -(g.astype("float64") * np.trunc(x / y)).sum((0, 2), keepdims=True)[0]
        for place in places():
            a, b = leaf(x, place), leaf(y, place)
            fmod(a, b).backward(tensor(g, "float32", place))
            np.testing.assert_allclose(a.grad.numpy(), dx, rtol=1e-5, atol=1e-6)
            np.testing.assert_allclose(b.grad.numpy(), dy, rtol=1e-5, atol=1e-5)
            self.assertEqual((a.grad.place, b.grad.place), (place, place))
            self.assertEqual((a.grad.dtype, b.grad.dtype), (paddle.float32, paddle.float32))

    def test_central_differences_in_double(self):
        rng = np.random.default_rng(4)
        y = rng.uniform(0.5, 3, 6)
        x = (rng.integers(-5, 5, (4, 6)) + rng.uniform(0.2, 0.8, (4, 6))) * y
        x, y = x.astype("float32"), y.astype("float32")
        step = 1e-6
        wide = x.astype("float64"), y.astype("float64")
        numeric = [
            ((np.fmod(wide[0], wide[1] + step * one) - np.fmod(wide[0], wide[1] - step * one)) / (2 * step)).sum()
            for one in np.eye(6)
        ]
        for place in places():
            b = leaf(y, place)
            fmod(leaf(x, place), b).sum().backward()
            np.testing.assert_allclose(b.grad.numpy(), numeric, rtol=1e-6)

    def test_one_input_only(self):
        for place in places():
            x, y = leaf([5.0, 7.0], place), leaf([3.0], place, stop=True)
            fmod(x, y).sum().backward()
            self.assertEqual((x.grad.tolist(), y.grad), ([1, 1], None))
            x, y = leaf([5.0, 7.0], place, stop=True), leaf([3.0], place)
            fmod(x, y).sum().backward()
            self.assertEqual((x.grad, y.grad.tolist()), (None, [-3]))

    def test_sixteen_bits_are_summed_in_thirty_two(self):
        """4096 ones in float16 one after the other stay at 2048."""
        for place in places():
            for dtype in ("float16", "bfloat16"):
                x, y = leaf(np.full(4096, 5.0), place, dtype), leaf([3.0], place, dtype)
                fmod(x, y).sum().backward()
                self.assertEqual(float(numpy(y.grad)[0]), -4096)
                self.assertEqual(y.grad.dtype, y.dtype)

    def test_a_chain(self):
        for place in places():
            x = leaf([5.5, -4.0], place)
            (fmod(x * 2, 3.0) ** 2).sum().backward()
            self.assertEqual(x.grad.tolist(), [8.0, -8.0])

    def test_both_are_one_tensor(self):
        for place in places():
            x = leaf([5.5], place)
            fmod(x, x).sum().backward()
            self.assertEqual(x.grad.tolist(), [0.0])

    def test_second_derivative_is_refused(self):
        for place in places():
            x, y = leaf([5.0], place), leaf([3.0], place)
            first = paddle.grad(fmod(x, y).sum(), [y], create_graph=True)[0]
            self.assertEqual(first.tolist(), [-1])
            with self.assertRaisesRegex(NotImplementedError, "a second derivative is not implemented; call .* without create_graph=True"):
                first.sum().backward()
            self.assertEqual(fmod(x, y).tolist(), [2])
