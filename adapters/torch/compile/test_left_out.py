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

    def test_single_operators(self):
        def function(x):
            return torch.erf(x) * 2 + (x.abs() + 1) ** 2.5, torch.softmax(x.abs(), 0) + 1, torch.cat([x, x * 2], 0)

        self.assertEqual(sorted(self.compiled(function, torch.randn(6, 40))), [
            "aten.amax.default is left to torch_npu: it reduces the axes [0] of 2, only the last ones are reduced",
            "aten.cat.default is left to torch_npu: it joins along the axis 0, only rows are joined",
            "aten.erf.default is left to torch_npu: there is no AscIR type for it",
            "aten.pow.Tensor_Scalar is left to torch_npu: there is no AscIR type for powers that are no products",
            "aten.sum.dim_IntList is left to torch_npu: it reduces the axes [0] of 2, only the last ones are reduced"])

    def test_powers(self):
        from autofuse import left_out

        def told(*arguments):
            return left_out._pow(types.SimpleNamespace(args=arguments))

        self.assertEqual([told(None, exponent) for exponent in (2, -31, 3.0, 0.5)], [None] * 4)
        for exponent in (2.5, 32, float("inf"), float("nan"), object()):
            self.assertIn("no AscIR type", told(None, exponent), exponent)

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
