"""Results: data types, shapes, layouts and places, against numpy."""

import unittest

import numpy as np
from ascend_fmod import fmod
from common import FLOATS, INTEGERS, numpy, places, tensor, truncated, values

import paddle

SIGNS = ([5.3, -5.3, 5.3, -5.3], [2.0, 2.0, -2.0, -2.0])

SHAPES = {
    "same": ([5, 7], [5, 7]),
    "y repeated": ([5, 7], [7]),
    "y repeated inside": ([4, 3, 5], [3, 1]),
    "x repeated": ([7], [5, 7]),
    "both repeated": ([4, 1], [1, 6]),
    "one element": ([1], [1]),
    "y without dimensions": ([3, 5], []),
    "x without dimensions": ([], [3, 5]),
    "no dimensions": ([], []),
    "no elements": ([0, 3], [3]),
    "no elements after repeating": ([4, 1], [1, 0]),
    "eight dimensions": ([2, 1, 2, 1, 2, 1, 2, 3], [1, 2, 1, 2, 1, 2, 1, 3]),
    "several tiles": ([3, 40000], [40000]),
}


class Forward(unittest.TestCase):
    def test_types_and_shapes(self):
        for place in places():
            for dtype in FLOATS + INTEGERS:
                for name, (shape_x, shape_y) in SHAPES.items():
                    with self.subTest(place=str(place), dtype=dtype, shapes=name):
                        x, y = values(shape_x, dtype, 1), values(shape_y, dtype, 2)
                        out = fmod(tensor(x, dtype, place), tensor(y, dtype, place))
                        self.assertEqual(str(out.dtype), f"paddle.{dtype}")
                        np.testing.assert_array_equal(numpy(out), np.fmod(x, y).astype(x.dtype))
                        if out.size != 0:
                            self.assertEqual(out.place, place)

    def test_exact_is_c(self):
        rng = np.random.default_rng(5)
        x = np.concatenate([rng.standard_normal(4000) * 10.0 ** rng.integers(-3, 6, 4000), [0.0, -0.0, 1e30, np.inf]])
        y = np.concatenate([rng.standard_normal(4000), [-3.0, 2.0, np.inf, 2.0]])
        x, y = x.astype("float32"), y.astype("float32")
        with np.errstate(invalid="ignore"):
            expected = np.fmod(x, y)
        for place in places():
            out = fmod(tensor(x, "float32", place), tensor(y, "float32", place), precision="exact").numpy()
            np.testing.assert_array_equal(out.view("uint32") * ~np.isnan(out), expected.view("uint32") * ~np.isnan(out))
            np.testing.assert_array_equal(np.isnan(out), np.isnan(expected))

    def test_tbe_is_the_formula(self):
        rng = np.random.default_rng(6)
        x, y = rng.uniform(-50, 50, 5000).astype("float32"), rng.uniform(0.5, 9, 5000).astype("float32")
        for place in places():
            for precision in (None, "tbe"):
                out = fmod(tensor(x, "float32", place), tensor(y, "float32", place), precision=precision)
                np.testing.assert_array_equal(out.numpy(), truncated(x, y))

    def test_both_places_give_the_same_bits(self):
        rng = np.random.default_rng(8)
        for dtype in FLOATS:
            x, y = rng.uniform(-50, 50, (37, 41)), rng.uniform(0.5, 9, 41)
            first, *others = (numpy(fmod(tensor(x, dtype, place), tensor(y, dtype, place))) for place in places())
            for other in others:
                np.testing.assert_array_equal(first, other)

    def test_division_by_zero(self):
        for place in places():
            self.assertTrue(np.isnan(fmod(tensor([1.0], "float32", place), tensor([0.0], "float32", place)).numpy()[0]))
            self.assertEqual(fmod(tensor([5], "int32", place), tensor([0], "int32", place)).tolist(), [0])

    def test_layouts(self):
        base = np.arange(1, 49, dtype="float32").reshape(6, 8)
        views = {
            "transposed": lambda one: one.t() if isinstance(one, paddle.Tensor) else one.T,
            "rows": lambda one: one[1:4],
            "every second": lambda one: one[:, ::2],
            "offset": lambda one: one[2:, 3:],
        }
        for place in places():
            for name, view in views.items():
                with self.subTest(place=str(place), view=name):
                    out = fmod(view(tensor(base, "float32", place)), tensor(5.0, "float32", place))
                    np.testing.assert_array_equal(out.numpy(), np.fmod(view(base), np.float32(5)))

    def test_numbers(self):
        for place in places():
            x = tensor([5.5, -5.5], "float32", place)
            self.assertEqual(fmod(x, 2).tolist(), [1.5, -1.5])
            self.assertEqual(fmod(x, -2.0).tolist(), [1.5, -1.5])
            self.assertEqual(fmod(tensor([7, -7], "int16", place), 4).tolist(), [3, -3])
            self.assertEqual(fmod(x, 2).place, place)

    def test_inputs_stay_as_they_are(self):
        for place in places():
            x, y = tensor(SIGNS[0], "float32", place), tensor(SIGNS[1], "float32", place)
            fmod(x, y)
            np.testing.assert_array_equal(x.numpy(), np.float32(SIGNS[0]))
            np.testing.assert_array_equal(y.numpy(), np.float32(SIGNS[1]))


class OtherRemainders(unittest.TestCase):
    def test_fmod_is_not_mod(self):
        """The sign of the dividend here, of the divisor there."""
        for place in places():
            x, y = (tensor(values, "float32", place) for values in SIGNS)
            np.testing.assert_allclose(fmod(x, y).numpy(), [1.3, -1.3, 1.3, -1.3], rtol=1e-6)
            np.testing.assert_allclose(paddle.mod(x, y).numpy(), [1.3, 0.7, -0.7, -1.3], rtol=1e-6)
            self.assertEqual(fmod(tensor([-7], "int32", place), tensor([3], "int32", place)).tolist(), [-1])
            self.assertEqual(paddle.mod(tensor([-7], "int32", place), tensor([3], "int32", place)).tolist(), [2])

    def test_gradients_differ_too(self):
        wanted = {fmod: [-2, 2, 2, -2], paddle.mod: [-2, 3, 3, -2]}
        for place in places():
            for function, expected in wanted.items():
                x, y = (tensor(values, "float32", place) for values in SIGNS)
                x.stop_gradient = y.stop_gradient = False
                function(x, y).sum().backward()
                self.assertEqual(x.grad.tolist(), [1, 1, 1, 1])
                self.assertEqual(y.grad.tolist(), expected)
