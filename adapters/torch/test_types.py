"""Every pair of data types that torch.fmod takes on `npu` tensors: what C's fmod gives, in torch's type, or a refusal."""

import math
import unittest

import aclnn
import torch
import torch_npu  # noqa: F401

DTYPES = list(aclnn.DTYPES)
# They compute in a type of which the operator has no kernel: a package with the AI CPU operator Mod is needed.
WIDE = [torch.int64, torch.float64]
VALUES = [17, 5, 100]


def golden(divisor, dtype, source=torch.float64):
    """Whole numbers and halves: every type that the results are in holds them."""
    return torch.tensor([math.fmod(value, divisor) for value in VALUES], dtype=source).to(dtype)


class Pairs(unittest.TestCase):
    def refused(self, pattern, call):
        with self.assertRaisesRegex(RuntimeError, pattern):
            call()
            torch.npu.synchronize()
        self.assertEqual(torch.fmod(torch.tensor([7.0]).npu(), 4).tolist(), [3.0], "the process goes on")

    def check(self, call, computes_in, expected):
        if computes_in in WIDE:
            self.refused("Mod on the AI CPU", call)
            return
        result = call()
        self.assertEqual(result.dtype, expected.dtype)
        self.assertEqual(result.tolist(), expected.tolist())

    def test_python_numbers(self):
        for dtype in DTYPES + WIDE:
            for number in (7, 2.5, True):
                with self.subTest(dtype=dtype, number=number):
                    x = torch.tensor(VALUES).to(dtype)
                    kind = torch.result_type(x, number)
                    self.check(lambda: torch.fmod(x.npu(), number), kind, golden(number, kind))

    def test_numbers_beyond_the_type(self):
        """torch on the CPU refuses them. As divisors they leave whatever the type holds as it is."""
        x = torch.tensor([7, -128, 127], dtype=torch.int8)
        for number in (300, -1000, 1 << 40):
            self.check(lambda: torch.fmod(x.npu(), number), torch.int8, x)

    def test_python_numbers_in_place(self):
        for dtype in DTYPES + WIDE:
            for number in (7, True, *([2.5] if dtype.is_floating_point else [])):
                with self.subTest(dtype=dtype, number=number):
                    x = torch.tensor(VALUES).to(dtype)
                    self.check(lambda: x.npu().fmod_(number), dtype, golden(number, dtype))

    def test_tensors_without_dimensions(self):
        """torch's type of the result is that of the tensor with dimensions; CANN computes in what both promote to."""
        for dtype in DTYPES + WIDE:
            for other in DTYPES + WIDE:
                with self.subTest(dtype=dtype, other=other):
                    x, y = torch.tensor(VALUES).to(dtype), torch.tensor(7).to(other)
                    expected = golden(7, torch.result_type(x, y))
                    self.check(lambda: torch.fmod(x.npu(), y.npu()), torch.promote_types(dtype, other), expected)


class Out(unittest.TestCase):
    """`out` of another type than the result's."""

    def out(self, dtype, x, y):
        out = torch.zeros(x.shape, dtype=dtype, device="npu")
        self.assertIs(torch.fmod(x.npu(), y.npu() if isinstance(y, torch.Tensor) else y, out=out), out)
        return out.tolist()

    def test_a_type_that_holds_more_or_less(self):
        x, y = torch.tensor([5.5, -5.5, 100.0]), torch.tensor([2.0, 2.0, 8.0])
        for dtype in [torch.float16, torch.bfloat16]:
            self.assertEqual(self.out(dtype, x, y), [1.5, -1.5, 4.0])
            self.assertEqual(self.out(torch.float32, x.to(dtype), y.to(dtype)), [1.5, -1.5, 4.0])
        self.assertEqual(self.out(torch.float32, x.int(), y.int()), [1.0, -1.0, 4.0])

    def test_integers_of_floats_are_truncated(self):
        """torch on the CPU refuses this. CANN's operator does not, and neither do torch_npu and the package in its place."""
        x, y = torch.tensor([5.5, -5.5, 100.0]), torch.tensor([2.0, 2.0, 8.0])
        for dtype in [torch.int32, torch.int16, torch.int8]:
            self.assertEqual(self.out(dtype, x, y), [1, -1, 4])
        self.assertEqual(x.int().npu().fmod_(torch.tensor([1.5, 3.5, 8.0]).npu()).tolist(), [0, -1, 4])

    def test_types_that_no_result_is_cast_to(self):
        x = torch.tensor([5.5, -5.5, 100.0])
        for dtype in [torch.bool, torch.complex64]:
            with self.subTest(dtype=dtype):
                with self.assertRaises(RuntimeError):
                    self.out(dtype, x, x)
                    torch.npu.synchronize()
        self.assertEqual(self.out(torch.float32, x, x), [0, 0, 0])


if __name__ == "__main__":
    unittest.main()
