"""The device `npu`: what runs where, what is copied, errors, memory, threads."""

import ctypes
import os
import threading
import unittest
from pathlib import Path

import numpy as np
from ascend_fmod import fmod
from common import DEVICE, run, tensor

import paddle

NPU = paddle.CustomPlace("npu", 0) if DEVICE else None
SYMBOLS = """
import ctypes, gc, os, pathlib
acl = ctypes.CDLL("libascendcl.so")
plugin = ctypes.CDLL(str(pathlib.Path(os.environ["CUSTOM_DEVICE_ROOT"]) / "libpaddle-npu.so"))
npu = paddle.CustomPlace("npu", 0)
def live():
    free, total = ctypes.c_size_t(), ctypes.c_size_t()
    assert acl.aclrtGetMemInfo(1, ctypes.byref(free), ctypes.byref(total)) == 0
    return total.value - free.value
"""


def copies():
    plugin = ctypes.CDLL(str(Path(os.environ["CUSTOM_DEVICE_ROOT"]) / "libpaddle-npu.so"))
    numbers = [ctypes.c_uint64() for _ in range(3)]
    plugin.NpuCopies(*(ctypes.byref(number) for number in numbers))
    return [number.value for number in numbers]


@unittest.skipUnless(DEVICE, "no device plug-in: CUSTOM_DEVICE_ROOT names the directory of libpaddle-npu.so")
class Device(unittest.TestCase):
    def test_the_device_is_there(self):
        self.assertEqual(paddle.device.get_all_custom_device_type(), ["npu"])
        # With a number behind each where there are several.
        self.assertEqual(paddle.device.get_available_custom_device(), ["npu"])

    def test_moving(self):
        x = paddle.to_tensor([1.0, 2.0], place=NPU)
        self.assertEqual(x.place, NPU)
        self.assertTrue(x.cpu().place.is_cpu_place())
        self.assertEqual(x.cpu().to("npu:0").place, NPU)
        self.assertEqual(x.cpu().to("npu").tolist(), [1, 2])

    def test_the_operator_copies_nothing(self):
        """It runs on the tensors' own memory: one copy per input before, one per result behind it, none between."""
        for shape_y in ([64, 65], [65], [64, 1]):
            x, y = tensor(np.full((64, 65), 7), "float32", NPU), tensor(np.full(shape_y, 4), "float32", NPU)
            before = copies()
            out = fmod(x, y)
            paddle.device.synchronize("npu:0")
            self.assertEqual(copies(), before)
            self.assertEqual(out.place, NPU)
            self.assertEqual(float(out.sum()), 3 * 64 * 65)

    def test_work_on_one_stream_keeps_its_order(self):
        x = tensor(np.full(300_000, 1000.0), "float32", NPU)
        for divisor in (900.0, 70.0, 20.0, 7.0):
            x = fmod(x, tensor([divisor], "float32", NPU))
        np.testing.assert_array_equal(x.numpy(), np.full(300_000, 3.0, "float32"))

    def test_results_are_waited_for(self):
        """Whatever way they leave the device by: a launch that takes its time is under way when they are asked for."""
        x = np.full(400_000, 1e30, "float32")
        expected = float(np.fmod(x[0], np.float32(3)))
        leave = {
            "numpy": lambda out: out.numpy(),
            "cpu": lambda out: out.cpu().numpy(),
            "operator of the host": lambda out: (out * 1).numpy(),
            "item": lambda out: np.full(x.shape, out.max().item(), "float32"),
        }
        given = tensor(x, "float32", NPU)
        for name, way in leave.items():
            for _ in range(3):
                out = fmod(given, tensor([3.0], "float32", NPU), precision="exact")
                np.testing.assert_array_equal(way(out), np.full(x.shape, expected, "float32"), err_msg=name)

    def test_set_device(self):
        status, text = run(
            """
paddle.set_device("npu")
x = paddle.to_tensor([5.5, -5.5])
print("place", x.place, fmod(x, 2.0).place, fmod(x, 2.0).tolist())
paddle.set_device("npu:0")
print("device", paddle.get_device())
paddle.set_device("cpu")
print("host", fmod(paddle.to_tensor([5.5]), 2.0).place)
"""
        )
        self.assertEqual(status, 0, text)
        self.assertIn("place Place(npu:0) Place(npu:0) [1.5, -1.5]", text)
        self.assertIn("device npu:0", text)
        self.assertIn("host Place(cpu)", text)

    def test_the_plug_in_finds_the_toolkit_by_itself(self):
        code = 'print("place", fmod(paddle.to_tensor([5.5], place=paddle.CustomPlace("npu", 0)), 2.0).place)'
        status, text = run(code, LD_LIBRARY_PATH="")
        self.assertEqual((status, "place Place(npu:0)" in text), (0, True), text)

    def test_views_need_the_flag(self):
        """Without it Paddle asks for a kernel that the device does not have: an error, and no wrong data."""
        code = 'x = paddle.to_tensor(np.eye(2, 3, dtype="float32"), place=paddle.CustomPlace("npu", 0))\nprint((x.t() + 1).tolist())'
        status, text = run(code, FLAGS_use_stride_kernel="0")
        self.assertEqual((status, "[[2.0, 1.0], [1.0, 2.0], [1.0, 1.0]]" in text), (0, True), text)
        status, text = run(code, FLAGS_use_stride_kernel="1")
        self.assertNotEqual(status, 0, text)
        self.assertIn("kernel `contiguous` is not registered", text)

    def test_a_device_that_is_not_there(self):
        for call in (lambda: paddle.set_device("npu:1"), lambda: paddle.ones([1]).to("npu:1")):
            with self.assertRaises(ValueError):
                call()
        self.assertEqual(fmod(tensor([7.0], "float32", NPU), tensor([4.0], "float32", NPU)).tolist(), [3])

    def test_memory_that_is_not_there(self):
        x, y = tensor(np.ones((1 << 18, 1)), "float32", NPU), tensor(np.ones(1 << 17), "float32", NPU)
        with self.assertRaisesRegex(MemoryError, r"Out of memory error on npu:0. Cannot allocate 128.\d+GB memory"):
            fmod(x, y)
        self.assertEqual(fmod(x[:2], y[:3]).numpy().tolist(), np.zeros((2, 3)).tolist())

    def test_memory_is_given_back(self):
        status, text = run(
            SYMBOLS
            + """
x = paddle.to_tensor(np.full((512, 512), 7, "float32"), place=npu)
y = paddle.to_tensor(np.full((512,), 4, "float32"), place=npu)
y.stop_gradient = False
for _ in range(3):
    out = fmod(x, y)
    out.sum().backward()
print("used", live() > 3 * 4 * 512 * 512)
del x, y, out
gc.collect()
paddle.device.empty_cache()
print("left", live())
"""
        )
        self.assertEqual(status, 0, text)
        self.assertIn("used True", text)
        self.assertIn("left 0\n", text)

    def test_eight_threads(self):
        wrong, rounds = [], 20

        def work(seed):
            rng = np.random.default_rng(seed)
            for _ in range(rounds):
                x, y = rng.integers(-99, 99, (33, 47)), rng.integers(1, 9, 47)
                a, b = tensor(x, "float32", NPU), tensor(y, "float32", NPU)
                b.stop_gradient = False
                out = fmod(a, b)
                out.sum().backward()
                if not np.array_equal(out.numpy(), np.fmod(x, y)):
                    wrong.append(("result", seed))
                if not np.array_equal(b.grad.numpy(), -np.trunc(x / y).sum(0)):
                    wrong.append(("gradient", seed))

        threads = [threading.Thread(target=work, args=(seed,)) for seed in range(8)]
        for one in threads:
            one.start()
        for one in threads:
            one.join()
        self.assertEqual(wrong, [])


# Memory that Paddle believes to have is taken away, which the checker sees when the kernel reads it.
FAULT = (
    SYMBOLS
    + """
big = paddle.to_tensor(np.full((4 << 20) // 4, 7, "float32"), place=npu)
four = paddle.to_tensor(np.full(1, 4, "float32"), place=npu)
paddle.device.synchronize("npu:0")
print("freed", acl.aclrtFree(ctypes.c_void_p(big.data_ptr())))
try:
    out = fmod(big, four)
    print("called", flush=True)
    out.numpy()
    print("no exception")
except Exception as error:
    print("raised", type(error).__name__, str(error).replace(chr(10), " "), flush=True)
try:
    print("next", fmod(paddle.to_tensor([7.0], place=npu), four).tolist(), flush=True)
except Exception as error:
    print("next raised", error)
os._exit(0)
"""
)


@unittest.skipUnless(DEVICE, "no device plug-in")
class Fault(unittest.TestCase):
    def test_blocking_it_comes_from_the_call(self):
        status, text = run(FAULT, HOSTCANN_CHECK="1", ASCEND_LAUNCH_BLOCKING="1")
        self.assertEqual(status, 0, text)
        self.assertNotIn("called", text)
        self.assertIn("raised OSError", text)
        self.assertRegex(text, "raised OSError.*a kernel on the stream of this operator failed with status 507035: .*core 0, pipe")
        self.assertIn("next [3.0]", text)

    def test_otherwise_from_the_first_call_that_waits(self):
        status, text = run(FAULT, HOSTCANN_CHECK="1")
        self.assertEqual(status, 0, text)
        self.assertIn("called", text)
        self.assertIn("raised OSError", text)
        self.assertRegex(text, r"npu: aclrtSynchronizeStream failed with status 507035: .*kernel Fmod, core 0, pipe MTE3")
        self.assertIn("next [3.0]", text)
