"""What scripts call on `npu` tensors gives what it gives on the CPU: the base of tests that say so."""

import unittest

import torch

FLOATS = [torch.float32, torch.float16, torch.bfloat16]
INTEGERS = [torch.int8, torch.uint8, torch.int16, torch.int32, torch.int64]
ALL = FLOATS + INTEGERS + [torch.bool]


def values(dtype, *shape):
    made = torch.randn(*shape) * 9
    return made > 0 if dtype == torch.bool else made.abs().to(dtype) if dtype == torch.uint8 else made.to(dtype)


class Alike(unittest.TestCase):
    def setUp(self):
        torch.manual_seed(3)

    def same(self, function, *tensors, near=False):
        """The function gives the same on both devices: a tensor, a number, or a list of them."""
        expected = function(*tensors)
        got = function(*[tensor.npu() for tensor in tensors])
        pairs = list(zip(got, expected)) if isinstance(expected, (list, tuple)) else [(got, expected)]
        for place, (result, golden) in enumerate(pairs):
            with self.subTest(place=place, types=[tensor.dtype for tensor in tensors]):
                if not isinstance(golden, torch.Tensor):
                    self.assertEqual(result, golden)
                elif near:
                    torch.testing.assert_close(result.cpu(), golden, equal_nan=True)
                else:
                    torch.testing.assert_close(result.cpu(), golden, rtol=0, atol=0, equal_nan=True)

    def gradients(self, function, *tensors):
        """The same result, and gradient of the first tensor; of 16-bit types that of float, rounded: the CPU rounds between."""

        def run(*tensors):
            x, *others = tensors if tensors[0].is_npu else [tensor.float() for tensor in tensors]
            x = x.detach().requires_grad_()
            result = function(x, *others)
            (grad,) = torch.autograd.grad(result, x, torch.ones_like(result))
            return [value.detach().to(tensors[0].dtype) for value in [result, grad]]

        self.same(run, *tensors, near=True)
