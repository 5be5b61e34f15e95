"""What is refused, by which exception, in which words; and that the next call works."""

import unittest

import numpy as np
from ascend_fmod import fmod
from common import DEVICE, places, tensor

import paddle
from paddle import _C_ops


class Refused(unittest.TestCase):
    def refused(self, kind, text, *arguments, **more):
        with self.assertRaisesRegex(kind, text):
            fmod(*arguments, **more)
        for place in places():
            self.assertEqual(fmod(tensor([7.0], "float32", place), tensor([4.0], "float32", place)).tolist(), [3])

    def test_what_is_no_tensor(self):
        x = tensor([1.0], "float32", paddle.CPUPlace())
        self.refused(TypeError, r"x must be a paddle.Tensor, got list; paddle.to_tensor makes one", [1.0], x)
        self.refused(TypeError, r"x must be a paddle.Tensor, got float", 1.0, x)
        self.refused(TypeError, r"y must be a paddle.Tensor, got numpy.ndarray", x, np.ones(1))
        self.refused(TypeError, r"y must be a paddle.Tensor, got NoneType", x, None)
        self.refused(TypeError, r"y must be a paddle.Tensor, got bool", x, True)
        self.refused(TypeError, r"y must be a paddle.Tensor, got complex", x, 1j)

    def test_types_that_do_not_exist_there(self):
        supported = "expected one of float32, float16, bfloat16, int32, int16, int8, uint8, float64, int64"
        for place in places():
            for dtype in ("bool", "complex64", "complex128"):
                one = tensor([1], dtype, place)
                self.refused(TypeError, f"x has data type {dtype}, {supported}", one, one)

    def test_types_that_need_another_package(self):
        """Not an error of the adapter: the package says which kernel is missing."""
        for dtype in ("float64", "int64"):
            for place in places():
                one = tensor([7], dtype, place)
                try:
                    self.assertEqual(fmod(one, tensor([4], dtype, place)).tolist(), [3])
                except OSError as error:
                    self.assertIn("no package has the AI CPU kernel Mod", str(error))

    def test_different_types(self):
        for place in places():
            x, y = tensor([1], "float32", place), tensor([1], "int32", place)
            self.refused(TypeError, "same data type, got float32 and int32; cast one of them", x, y)
            self.refused(TypeError, "same data type, got int32 and float32", y, x)

    def test_shapes(self):
        for place in places():
            x, y = tensor(np.ones((2, 3)), "float32", place), tensor(np.ones(4), "float32", place)
            text = r"shapes of x \[2, 3\] and y \[4\] do not broadcast: expected equal dimensions or 1, got 3 and 4"
            self.refused(ValueError, text, x, y)
            self.refused(ValueError, r"got 0 and 4", tensor(np.ones((2, 0)), "float32", place), y)

    def test_nine_dimensions(self):
        for place in places():
            x = tensor(np.ones([1] * 9), "float32", place)
            self.refused(ValueError, "status 161002.*expected at most 8 dims, got 9", x, x)

    def test_numbers_that_do_not_fit(self):
        for place in places():
            x = tensor([1], "int8", place)
            self.refused(ValueError, "y is 2.5, which x's data type int8 cannot hold", x, 2.5)
            self.refused(ValueError, "y is 128, which x's data type int8 cannot hold", x, 128)
            self.refused(ValueError, "y is -1, which x's data type uint8 cannot hold", tensor([1], "uint8", place), -1)

    def test_precision(self):
        x = tensor([1.0], "float32", paddle.CPUPlace())
        self.refused(ValueError, "precision is 'high', expected None, 'tbe' or 'exact'", x, x, precision="high")

    @unittest.skipUnless(DEVICE, "one place only")
    def test_places(self):
        host, device = (tensor([1.0], "float32", place) for place in places())
        text = r"x is on Place\(cpu\), but y is on Place\(npu:0\); move one of them"
        self.refused(ValueError, text, host, device)
        self.refused(ValueError, r"x is on Place\(npu:0\), but y is on Place\(cpu\)", device, host)


class OperatorItself(unittest.TestCase):
    """Below the Python API, as generated code calls it."""

    def refused(self, text, *arguments):
        with self.assertRaisesRegex(ValueError, text):
            _C_ops._run_custom_op("ascend_fmod", *arguments)

    def test_what_the_python_api_refuses(self):
        for place in places():
            x = tensor(np.ones((2, 3)), "float32", place)
            self.refused(r"x \[2, 3\] and y \[2\] do not broadcast", x, tensor([1, 1], "float32", place), -1)
            self.refused("same data type, got float32 and int32", x, tensor([1], "int32", place), -1)
            self.refused("precision_mode must be -1 .*, got 2", x, x, 2)
            flags = tensor([1], "bool", place)
            self.refused("x has data type bool; expected float32, float16", flags, flags, -1)

    @unittest.skipUnless(DEVICE, "one place only")
    def test_host_memory_goes_to_the_device_of_the_other(self):
        """Programs leave results of operators without a kernel for the device in host memory."""
        host, device = (tensor([7.0], "float32", place) for place in places())
        for x, y in ((host, device), (device, host)):
            (out,) = _C_ops._run_custom_op("ascend_fmod", x, y * 0 + 4 if y is host else y, -1)
            self.assertTrue(out.place.is_custom_place())
