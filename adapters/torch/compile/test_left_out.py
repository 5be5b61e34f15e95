"""What no kernel is made of stays an operator of torch_npu, and a line says which and why; the rest is fused."""

import os
import types
import unittest
import unittest.mock

import torch
import torch._dynamo
import torch_npu  # noqa: F401


class LeftOut(unittest.TestCase):
    def compiled(self, function, *operands):
        """Values of torch on the CPU within 1e-5, and what was said."""
        torch._dynamo.reset()
        from autofuse import left_out

        left_out._say.cache_clear()
        wanted = function(*operands)
        with self.assertLogs("autofuse", "WARNING") as told:
            left_out.log.warning("begin")
            results = torch.compile(function)(*[operand.npu() for operand in operands])
        several = isinstance(wanted, tuple)
        for one, other in zip(wanted if several else [wanted], results if several else [results]):
            torch.testing.assert_close(other.cpu(), one, rtol=1e-5, atol=1e-5)
        return [record.getMessage() for record in told.records][1:]

    def test_gates_are_fused(self):
        def cell(gates, state):
            i, f, g, o = gates.chunk(4, 1)
            after = torch.sigmoid(f) * state + torch.sigmoid(i) * torch.tanh(g)
            return torch.sigmoid(o) * torch.tanh(after), torch.where(torch.logical_and(f > 0, torch.logical_not(g > 0)), f, g)

        self.assertEqual(self.compiled(cell, torch.randn(4, 160), torch.randn(4, 40)), [])

    def test_reductions_of_any_axes_are_fused(self):
        x = torch.randn(3, 6, 40)
        for function in (lambda x: torch.softmax(x * 2, 0), lambda x: x.abs().amax(1) + 1, lambda x: x.abs().sum((0, 2)),
                         lambda x: torch.var_mean(x * 2, (0, 2)), lambda x: x - x.mean((0, 1), keepdim=True)):
            self.assertEqual(self.compiled(function, x), [])

    def test_headers_stay_in_the_project(self):
        from torch_npu._inductor.ascendc.compiler import _compiler

        self.assertEqual(str(_compiler.PCH_CACHE_ROOT), os.environ["AUTOFUSE_HEADERS"])

    def test_erf_and_powers_are_fused(self):
        def function(x, y):
            return torch.erf(x) * 2 + (x.abs() + 1) ** 2.5, torch.nn.functional.gelu(x * 2), torch.pow(x.abs() + 1, y)

        self.assertEqual(self.compiled(function, torch.randn(6, 40), torch.randn(40)), [])

    def test_joined_rows_are_computed_with(self):
        def rotated(x, cos, sin):
            half = x.shape[-1] // 2
            return x * cos + torch.cat([-x[..., half:], x[..., :half]], -1) * sin

        self.assertEqual(self.compiled(rotated, torch.randn(3, 6, 64), torch.randn(6, 64), torch.randn(6, 64)), [])

    def test_single_operators(self):
        def function(x, n):
            return torch.cat([x, x * 2], 0), torch.pow(n + 1, n) * 2

        self.assertEqual(sorted(self.compiled(function, torch.randn(6, 40), torch.arange(8, dtype=torch.int32))), [
            "aten.cat.default is left to torch_npu: it joins along the axis 0, only rows are joined",
            "aten.pow.Tensor_Tensor is left to torch_npu: there is no AscIR type for powers of integers that are no products"])

    def test_powers(self):
        from autofuse import left_out

        def told(dtype, exponent):
            node = types.SimpleNamespace(meta={"val": torch.ones(2, dtype=dtype)})
            return left_out._pow(types.SimpleNamespace(args=(node, exponent), all_input_nodes=[node]))

        exponents = (2, -31, 3.0, 0.5, 2.5, 32, float("inf"), float("nan"), object())
        self.assertEqual([told(torch.float32, exponent) for exponent in exponents], [None] * 9)
        self.assertEqual([told(torch.int32, exponent) for exponent in exponents[:4]], [None] * 4)
        for exponent in exponents[4:]:
            self.assertIn("no AscIR type", told(torch.int32, exponent), exponent)

    def test_a_level_that_is_none(self):
        from autofuse import left_out

        with unittest.mock.patch.dict(os.environ, {left_out.LOGS: "loud"}):
            with self.assertRaisesRegex(ValueError, "AUTOFUSE_LOGS=loud: one of debug, info, warning, error, critical"):
                left_out.watch()

    def test_a_graph_that_is_refused(self):
        told = self.compiled(lambda x, y: x.t() + y.t().contiguous() * 2, torch.randn(6, 40), torch.randn(6, 40))
        self.assertEqual(len(told), 1, told)
        self.assertRegex(told[0], r"^nothing of a graph is fused: .*AG119.*load")


if __name__ == "__main__":
    unittest.main()
