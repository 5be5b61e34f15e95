"""The functions of torch against torch on the host."""

import unittest

import torch
import torch_extension


class Ops(unittest.TestCase):
    def test_scaled(self):
        for x in (torch.randn(10007), torch.randn(64, 33).t(), torch.randint(-3000, 3000, (5, 1001), dtype=torch.int32)):
            got = torch_extension.scaled(x.npu(), 2.0, -3.0).cpu()
            self.assertTrue(torch.equal(got, x * 2 - 3), x.dtype)

    def test_scaled_is_in_the_order_of_calls(self):
        x = torch.arange(100000, dtype=torch.float32)
        y = x.npu() + 1
        for _ in range(20):
            y = torch_extension.scaled(y, 1.0, 1.0) - 1
        self.assertTrue(torch.equal(y.cpu(), x + 1))

    def test_scaled_on_another_stream(self):
        x = torch.arange(5000, dtype=torch.float32).npu()
        stream = torch.npu.Stream()
        stream.wait_stream(torch.npu.current_stream())
        with torch.npu.stream(stream):
            y = torch_extension.scaled(x, 0.5, 0.0)
        torch.npu.current_stream().wait_stream(stream)
        self.assertTrue(torch.equal(y.cpu(), torch.arange(5000) * 0.5))

    def test_scaled_of_another_type(self):
        with self.assertRaisesRegex(RuntimeError, "scaled: expected float32 or int32, got Half"):
            torch_extension.scaled(torch.ones(3, dtype=torch.float16).npu(), 1.0, 0.0)

    def test_scaled_has_a_shape_before_it_runs(self):
        self.assertEqual(torch_extension.scaled(torch.empty(3, 5, device="meta"), 1.0, 0.0).shape, (3, 5))

    def test_remainder(self):
        x, y = torch.randn(7, 1, 300), torch.randn(4, 1) + 3
        got = torch_extension.remainder(x.npu() * 10, y.npu()).cpu()
        self.assertTrue(torch.allclose(got, torch.fmod(x * 10, y), atol=1e-5))


if __name__ == "__main__":
    unittest.main()
