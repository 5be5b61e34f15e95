"""Static programs, shapes that are not known when they are built, and to_static."""

import unittest

import numpy as np
from ascend_fmod import fmod
from common import places, run

import paddle

X = np.array([[5.5, -5.5, 9.0], [1.0, -2.0, 7.25]], "float32")
Y = np.array([2.0, 3.0, -4.0], "float32")


class Program(unittest.TestCase):
    def setUp(self):
        paddle.enable_static()
        self.addCleanup(paddle.disable_static)
        self.program = paddle.static.Program()
        guard = paddle.static.program_guard(self.program)
        guard.__enter__()
        self.addCleanup(guard.__exit__, None, None, None)

    def shape(self, x, y):
        a, b = paddle.static.data("a", x, "float32"), paddle.static.data("b", y, "float32")
        return list(fmod(a, b).shape), list(paddle.remainder(a, b).shape)

    def test_shapes_are_inferred_as_paddles_own_operators_do(self):
        cases = {
            ((2, 3), (3,)): [2, 3],
            ((4, 1), (1, 6)): [4, 6],
            ((-1, 5), (1, 5)): [-1, 5],
            ((-1, 5), (5,)): [-1, 5],
            ((-1, 5), (4, 5)): [4, 5],
            ((4, 5), (-1, 5)): [4, 5],
            ((-1, 5), (-1, 1)): [-1, 5],
            ((-1, -1), (-1,)): [-1, -1],
            ((1, 5), (-1, 5)): [-1, 5],
            ((), (3, -1)): [3, -1],
        }
        for (x, y), expected in cases.items():
            with self.subTest(x=x, y=y):
                ours, theirs = self.shape(x, y)
                self.assertEqual(ours, expected)
                self.assertEqual(ours, theirs)

    def test_known_dimensions_are_checked_when_the_program_is_built(self):
        a = paddle.static.data("a", [-1, 5], "float32")
        with self.assertRaisesRegex(ValueError, r"x \[-1, 5\] and y \[2, 4\] do not broadcast.*got 5 and 4"):
            fmod(a, paddle.static.data("b", [2, 4], "float32"))
        with self.assertRaisesRegex(TypeError, "same data type, got float32 and int32"):
            fmod(a, paddle.static.data("c", [5], "int32"))

    def test_unknown_dimensions_are_checked_when_the_program_runs(self):
        out = fmod(paddle.static.data("x", [-1, 3], "float32"), paddle.static.data("y", [-1], "float32"))
        for place in places():
            executor = paddle.static.Executor(place)
            for rows in (1, 2):
                (got,) = executor.run(self.program, feed={"x": X[:rows], "y": Y}, fetch_list=[out])
                np.testing.assert_array_equal(got, np.fmod(X[:rows], Y))
            with self.assertRaisesRegex(ValueError, r"x \[2, 3\] and y \[2\] do not broadcast"):
                executor.run(self.program, feed={"x": X, "y": Y[:2]}, fetch_list=[out])
            (got,) = executor.run(self.program, feed={"x": X, "y": Y}, fetch_list=[out])
            np.testing.assert_array_equal(got, np.fmod(X, Y))

    def test_gradients(self):
        x, y = paddle.static.data("x", [-1, 3], "float32"), paddle.static.data("y", [3], "float32")
        x.stop_gradient = y.stop_gradient = False
        grads = paddle.static.gradients([fmod(x, y)], [x, y])
        for place in places():
            dx, dy = paddle.static.Executor(place).run(self.program, feed={"x": X, "y": Y}, fetch_list=grads)
            np.testing.assert_array_equal(dx, np.ones_like(X))
            np.testing.assert_array_equal(dy, -np.trunc(X / Y).sum(0))

    def test_inputs_without_dimensions(self):
        x, y = paddle.static.data("x", [], "float32"), paddle.static.data("y", [], "float32")
        x.stop_gradient = y.stop_gradient = False
        out = fmod(x, y)
        grads = paddle.static.gradients([out], [x, y])
        feed = {"x": np.array(7.0, "float32"), "y": np.array(3.0, "float32")}
        got = paddle.static.Executor(paddle.CPUPlace()).run(self.program, feed=feed, fetch_list=[out, *grads])
        self.assertEqual([(one.shape, float(one)) for one in got], [((), 1.0), ((), 1.0), ((), -2.0)])


class ToStatic(unittest.TestCase):
    def test_function(self):
        def function(x, y):
            return fmod(x, y) * 2 + fmod(x, 3.0)

        static = paddle.jit.to_static(function, full_graph=True)
        for place in places():
            x, y = paddle.to_tensor(X, place=place), paddle.to_tensor(Y, place=place)
            np.testing.assert_array_equal(static(x, y).numpy(), function(x, y).numpy())

    def test_layer_with_unknown_batch_and_gradient(self):
        class Wrapped(paddle.nn.Layer):
            def __init__(self):
                super().__init__()
                self.divisor = self.create_parameter([3], default_initializer=paddle.nn.initializer.Assign(Y))

            def forward(self, x):
                return fmod(x, self.divisor)

        spec = [paddle.static.InputSpec([None, 3], "float32", "x")]
        layer = paddle.jit.to_static(Wrapped(), input_spec=spec, full_graph=True)
        for rows in (1, 2):
            layer.clear_gradients()
            out = layer(paddle.to_tensor(X[:rows]))
            np.testing.assert_array_equal(out.numpy(), np.fmod(X[:rows], Y))
            out.sum().backward()
            np.testing.assert_array_equal(layer.divisor.grad.numpy(), -np.trunc(X[:rows] / Y).sum(0))


class OlderPrograms(unittest.TestCase):
    def test_without_pir(self):
        code = """
paddle.enable_static()
with paddle.static.program_guard(paddle.static.Program()):
    x = paddle.static.data("x", [-1, 3], "float32")
    y = paddle.static.data("y", [3], "float32")
    out = fmod(x, y, name="remainder")
    print("shape", tuple(out.shape), type(out).__name__)
    feed = {"x": np.float32([[5.5, -5.5, 9]]), "y": np.float32([2, 3, -4])}
    print("result", paddle.static.Executor().run(feed=feed, fetch_list=[out])[0].tolist())
"""
        status, text = run(code, FLAGS_enable_pir_api="0")
        self.assertEqual(status, 0, text)
        self.assertIn("shape (-1, 3) Variable", text)
        self.assertIn("result [[1.5, -2.5, 1.0]]", text)
