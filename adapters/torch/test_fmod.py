"""torch.fmod on `npu` tensors: the same bits as the operator called without torch, and as torch on the CPU where the formula is
exact."""

import os
import random
import subprocess
import sys
import unittest

import aclnn
import torch
import torch_npu  # noqa: F401

DTYPES = list(aclnn.DTYPES)
FLOATS = [torch.float32, torch.float16, torch.bfloat16]
BLOCKING = os.environ.get("ASCEND_LAUNCH_BLOCKING") == "1"


def bits(tensor):
    same = {1: torch.uint8, 2: torch.int16, 4: torch.int32}[tensor.element_size()]
    return tensor.cpu().contiguous().view(same)


def integers(shape, dtype, low, high):
    """Small integers: every quotient is exact, and so is the result."""
    if dtype == torch.uint8:
        low = max(low, 0)
    return torch.randint(low, high, shape).to(dtype)


def divisors(shape, dtype):
    values = torch.randint(1, 12, shape)
    return (values if dtype == torch.uint8 else values * (torch.randint(0, 2, shape) * 2 - 1)).to(dtype)


def layouts():
    """Name, then two functions that make operands from contiguous ones."""

    def same(x):
        return x

    yield "same", (4, 33), (4, 33), same
    yield "broadcast other", (4, 33), (33,), same
    yield "broadcast self", (1, 33), (4, 1), same
    yield "0-dim other", (4, 33), (), same
    yield "empty", (0, 33), (1, 33), same
    yield "8 dims", (1, 2, 1, 3, 1, 2, 1, 5), (2, 1, 3, 1, 2, 1, 5), same
    yield "transposed", (17, 6), (17, 6), lambda x: x.t()
    yield "strided", (8, 34), (8, 34), lambda x: x[::2, ::2]
    yield "offset view", (5, 40), (5, 40), lambda x: x[1:, 7:]


class Results(unittest.TestCase):
    def setUp(self):
        torch.manual_seed(7)
        random.seed(7)

    def check(self, result, expected, plain):
        self.assertEqual(result.dtype, expected.dtype)
        self.assertTrue(torch.equal(bits(result), bits(plain)), "not the bits of aclnn without torch")
        self.assertTrue(torch.equal(result.cpu(), expected), "not the values of torch on the CPU")

    def test_tensor_overloads(self):
        for dtype in DTYPES:
            for name, self_shape, other_shape, view in layouts():
                with self.subTest(dtype=dtype, layout=name):
                    x, y = integers(self_shape, dtype, -100, 100), divisors(other_shape, dtype)
                    a, b = view(x.npu()), view(y.npu()) if y.dim() == x.dim() else y.npu()
                    x, y = view(x), view(y) if y.dim() == x.dim() else y
                    expected = torch.fmod(x, y)
                    plain = torch.empty(expected.shape, dtype=dtype, device="npu")
                    aclnn.call("aclnnFmodTensor", a, b, plain)
                    self.check(torch.fmod(a, b), expected, plain)
                    out = torch.empty(expected.shape, dtype=dtype, device="npu")
                    self.assertIs(torch.fmod(a, b, out=out), out)
                    self.check(out, expected, plain)
                    if x.shape == expected.shape:
                        self.check(a.clone().fmod_(b), expected, plain)

    def test_scalar_overloads(self):
        for dtype in DTYPES:
            for name, shape, _, view in layouts():
                with self.subTest(dtype=dtype, layout=name):
                    x = integers(shape, dtype, -100, 100)
                    a, x = view(x.npu()), view(x)
                    expected = torch.fmod(x, 7)
                    plain = torch.empty(expected.shape, dtype=dtype, device="npu")
                    aclnn.call("aclnnFmodScalar", a, 7, plain)
                    self.check(torch.fmod(a, 7), expected, plain)
                    out = torch.empty(expected.shape, dtype=dtype, device="npu")
                    torch.fmod(a, 7, out=out)
                    self.check(out, expected, plain)
                    self.check(a.clone().fmod_(7), expected, plain)

    def test_any_floats_have_the_bits_of_aclnn(self):
        for dtype in FLOATS:
            with self.subTest(dtype=dtype):
                a, b = (torch.randn(3000) * 40).to(dtype).npu(), (torch.rand(3000) + 0.1).to(dtype).npu()
                plain = torch.empty(3000, dtype=dtype, device="npu")
                aclnn.call("aclnnFmodTensor", a, b, plain)
                self.assertTrue(torch.equal(bits(torch.fmod(a, b)), bits(plain)))

    def test_random_cases(self):
        wrong = []
        for case in range(300):
            dtype, rank = random.choice(DTYPES), random.randint(0, 5)
            shape = [random.randint(1, 7) for _ in range(rank)]
            other = [size if random.random() < 0.7 else 1 for size in shape][random.randint(0, rank) :]
            x, y = integers(shape, dtype, -100, 100), divisors(other, dtype)
            if rank > 1 and len(other) == rank and random.random() < 0.5:
                x, y = x.transpose(0, -1), y.transpose(0, -1)
            if not torch.equal(torch.fmod(x.npu(), y.npu()).cpu(), torch.fmod(x, y)):
                wrong.append((case, dtype, shape, other))
        self.assertEqual(wrong, [])

    def test_streams_and_events(self):
        x = integers((1 << 16,), torch.float32, -100, 100)
        a = x.npu()
        torch.npu.synchronize()
        stream, event = torch.npu.Stream(), torch.npu.Event()
        with torch.npu.stream(stream):
            first = torch.fmod(a, 7)
            event.record()
        event.wait()
        second = torch.fmod(first, 3)
        torch.npu.synchronize()
        self.assertTrue(torch.equal(second.cpu(), torch.fmod(torch.fmod(x, 7), 3)))
        self.assertTrue(event.query())


class MixedTypes(unittest.TestCase):
    """Every pair that the built-in operator takes: torch's result, or a refusal that names the type."""

    def test_every_pair(self):
        wide = [torch.int64, torch.float64]
        for one in DTYPES + wide:
            for other in DTYPES + wide:
                with self.subTest(self_dtype=one, other_dtype=other):
                    x, y = torch.tensor([17, 5, 100]).to(one), torch.tensor([5, 7, 9]).to(other)
                    expected = torch.fmod(x, y)
                    if expected.dtype in wide:
                        with self.assertRaisesRegex(RuntimeError, "DT_INT64|DT_DOUBLE") as caught:
                            torch.fmod(x.npu(), y.npu())
                            torch.npu.synchronize()
                        self.assertIn("Mod on the AI CPU", str(caught.exception))
                        continue
                    result = torch.fmod(x.npu(), y.npu())
                    self.assertEqual(result.dtype, expected.dtype)
                    self.assertTrue(torch.equal(result.cpu(), expected))


class Refusals(unittest.TestCase):
    """The code beside the text may be an older one: torch_npu prefers the runtime's last error, which stays."""

    def refused(self, pattern, call):
        with self.assertRaisesRegex(RuntimeError, pattern):
            call()
        # The process goes on, with right results.
        x = torch.tensor([5.5, -5.5, 7.25])
        self.assertTrue(torch.equal(torch.fmod(x.npu(), 2).cpu(), torch.fmod(x, 2)))

    def test_too_many_dimensions(self):
        x = torch.ones([2] * 9).npu()
        self.refused("expected at most 8 dims, got 9", lambda: torch.fmod(x, 2))

    def test_the_code_of_the_first_refusal(self):
        """In a process of its own nothing older stands before it: what torch_npu asks before there is a device is no error."""
        script = "import torch, torch_npu\nx = torch.ones([2] * 9).npu()\ntorch.fmod(x, 2)\ntorch.npu.synchronize()"
        run = subprocess.run([sys.executable, "-c", script], capture_output=True, text=True, timeout=300)
        self.assertNotEqual(run.returncode, 0)
        self.assertRegex(run.stderr, "RuntimeError:.*161002")
        self.assertIn("expected at most 8 dims, got 9", run.stderr)

    def test_shapes_that_do_not_broadcast(self):
        a, b = torch.ones(3).npu(), torch.ones(4).npu()
        self.refused("must match the size of tensor b", lambda: torch.fmod(a, b))

    def test_in_place_on_a_smaller_tensor(self):
        a, b = torch.ones(1, 4).npu(), torch.ones(3, 4).npu()
        self.refused("expected shape \\[3, 4\\], got \\[1, 4\\]", lambda: a.fmod_(b))

    def test_two_devices(self):
        a = torch.ones(3).npu()
        self.refused("same device", lambda: torch.fmod(a, torch.ones(3)))


class Gradients(unittest.TestCase):
    """gradcheck needs float64, which the operator has not; torch on the CPU is the reference."""

    def check(self, self_shape, other_shape, dtype):
        x, y = integers(self_shape, dtype, -60, 60) + 0.25, divisors(other_shape, dtype)
        weight = integers(torch.broadcast_shapes(self_shape, other_shape), dtype, -4, 4)
        grads = []
        for device in ("cpu", "npu"):
            a, b = (tensor.clone().to(device).requires_grad_() for tensor in (x, y))
            torch.fmod(a, b).backward(weight.to(device))
            grads.append((a.grad.cpu(), b.grad.cpu()))
        for own, expected in zip(grads[1], grads[0]):
            self.assertTrue(torch.equal(own, expected), f"{own} is not {expected}")

    def test_gradients(self):
        torch.manual_seed(3)
        for shapes in [((4, 5), (4, 5)), ((4, 5), (5,)), ((1, 5), (4, 1)), ((4, 5), ())]:
            with self.subTest(shapes=shapes):
                self.check(*shapes, torch.float32)

    def test_against_differences(self):
        x, y, step = torch.tensor([5.3, -5.3, 7.1]), torch.tensor([2.0, 2.5, -3.0]), 2.0**-6
        a, b = x.npu().requires_grad_(), y.npu().requires_grad_()
        torch.fmod(a, b).sum().backward()
        x, y = x.double(), y.double()
        dx = (torch.fmod(x + step, y) - torch.fmod(x - step, y)) / (2 * step)
        dy = (torch.fmod(x, y + step) - torch.fmod(x, y - step)) / (2 * step)
        self.assertTrue(torch.allclose(a.grad.cpu().double(), dx, atol=1e-5))
        self.assertTrue(torch.allclose(b.grad.cpu().double(), dy, atol=1e-5))


FAULT = """
import ctypes, os, torch, torch_npu
big = torch.full((8 << 20,), 7.0).npu()
torch.npu.synchronize()
print("freed", ctypes.CDLL("libascendcl.so").aclrtFree(ctypes.c_void_p(big.data_ptr())))
try:
    out = torch.fmod(big, 4)
    print("called", flush=True)
    torch.npu.synchronize()
    print("no exception")
except Exception as error:
    print("raised", type(error).__name__, str(error).replace(chr(10), " "), flush=True)
try:
    print("next", torch.fmod(torch.tensor([7.0]).npu(), 4).tolist(), flush=True)
except Exception as error:
    print("next raised", error, flush=True)
os._exit(0)
"""


class Fault(unittest.TestCase):
    """The memory of an operand is given back behind torch's back: the kernel reads what is no longer there."""

    def run_with(self, **variables):
        # A variable of the environment is read once a process.
        run = subprocess.run(
            [sys.executable, "-c", FAULT],
            env=dict(os.environ, HOSTCANN_CHECK="1", **variables),
            capture_output=True,
            text=True,
            timeout=300,
        )
        self.assertEqual(run.returncode, 0, run.stderr)
        self.assertIn("freed 0", run.stdout)
        self.assertRegex(run.stdout, "raised RuntimeError.*507035")
        self.assertRegex(run.stdout + run.stderr, "(?s)kernel Fmod, core [0-9]+, pipe MTE3, .*never-written bytes")
        self.assertIn("next [3.0]", run.stdout)
        return run.stdout

    def test_blocking_it_comes_from_the_call(self):
        self.assertNotIn("called", self.run_with(ASCEND_LAUNCH_BLOCKING="1"))

    def test_otherwise_from_the_first_call_that_waits(self):
        self.assertIn("called", self.run_with(ASCEND_LAUNCH_BLOCKING="0"))


class Printing(unittest.TestCase):
    def test_print(self):
        self.assertEqual(
            repr(torch.fmod(torch.tensor([5.5, -7.0]).npu(), 2)), "tensor([ 1.5000, -1.0000], device='npu:0')"
        )


class TheOtherDevice(unittest.TestCase):
    """Last: the runtime's last error stays, and torch_npu prefers it to the code of a later call."""

    def test_there_is_none(self):
        with self.assertRaisesRegex(RuntimeError, "107001|[Ii]nvalid device"):
            torch.ones(3).to("npu:1")
        x = torch.tensor([5.5, -5.5, 7.25])
        self.assertTrue(torch.equal(torch.fmod(x.npu(), 2).cpu(), torch.fmod(x, 2)))


if __name__ == "__main__":
    unittest.main()
