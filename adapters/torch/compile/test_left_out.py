"""What no kernel is made of stays an operator of torch_npu, and a line says which and why; the rest is fused."""

import collections
import os
import re
import types
import unittest
import unittest.mock

import torch
import torch._dynamo
import torch_npu  # noqa: F401


class LeftOut(unittest.TestCase):
    def compiled(self, function, *operands, dynamic=None):
        """Values of torch on the CPU within 1e-5, and what was said."""
        torch._dynamo.reset()
        from autofuse import left_out

        left_out._say.cache_clear()
        wanted = function(*operands)
        with self.assertLogs("autofuse", "WARNING") as told:
            left_out.log.warning("begin")
            results = torch.compile(function, dynamic=dynamic)(*[operand.npu() for operand in operands])
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

    def test_sizes_that_are_computed_with_are_fused(self):
        x = torch.randn(3, 6, 40)
        for function in (lambda x: x - x.mean(-1, keepdim=True), lambda x: x.mean((0, 2)), lambda x: x.var(0) * 2):
            self.assertEqual(self.compiled(function, x, dynamic=True), [])

    def test_sizes_that_are_squares(self):
        def masked(x):
            square = torch.ones((x.shape[-1], x.shape[-1]), dtype=torch.bool, device=x.device).tril()
            return (square * 2.0).sum() + x

        self.assertEqual([line for line in self.compiled(masked, torch.randn(6, 40), dynamic=True) if "**" in line], [])

    def test_masks_of_rows_are_fused(self):
        def function(x):
            most = x.amax(-1, keepdim=True)
            return torch.where(most > 2, x - most, x)

        self.assertEqual(self.compiled(function, torch.randn(6, 40)), [])

    def test_powers_of_two(self):
        said = self.compiled(lambda x: (2.0 ** x, x.abs() * 3), torch.randn(6, 40))
        self.assertEqual(said, ["aten.pow.Scalar is left to torch_npu: there is no AscIR type for powers of 2"])

    def test_short_constants_are_read(self):
        def function(x):
            return (x == torch.tensor([1, float("inf"), 2, float("nan"), 0], device=x.device)).float() * 2

        self.assertEqual(self.compiled(function, torch.tensor([1, float("inf"), 3, float("nan"), 0])), [])

    def test_graphs_that_cannot_be_written_are_left_out(self):
        from autofuse import pyautofuse

        create = pyautofuse.HintGraph.create_axis

        def refuses(graph, name, size):
            if size == 41:
                raise TypeError("an axis of 41")
            return create(graph, name, size)

        with unittest.mock.patch.object(pyautofuse.HintGraph, "create_axis", refuses):
            said = self.compiled(lambda x, y: (x.abs() + 1, y.abs() + 1), torch.randn(41), torch.randn(40))
        self.assertEqual(said, ["aten.abs.default, aten.add.Tensor of one graph are left to torch_npu: no graph: TypeError: an axis of 41"])

    def test_reductions_of_integers_are_fused(self):
        """Of int32; torch's own sum of integers is one of int64, which stays an operator."""
        from torch._inductor.utils import run_and_get_code

        def function(n, x):
            sums = (n * 3).sum(-1, dtype=torch.int32), (n + 1).sum((0, 2), dtype=torch.int32), (x * 9).sum(1, dtype=torch.int32)
            return *sums, n.abs().amax(1) - 1, n.amin(-1, keepdim=True) + n, (n - 7).max(), (n * 2).sum(-1)

        n, x = torch.randint(-2**31, 2**31 - 1, (3, 6, 40), dtype=torch.int32), torch.randn(3, 6, 40)
        torch._dynamo.reset()
        results, code = run_and_get_code(torch.compile(function), n.npu(), x.npu())
        for result, wanted in zip(results, function(n, x), strict=True):
            torch.testing.assert_close(result.cpu(), wanted, rtol=0, atol=0)
        self.assertEqual(re.findall(r" = torch\.ops\.(aten\.\w+)", "\n".join(code)), ["aten.sum"])

    def test_headers_stay_in_the_project(self):
        from torch_npu._inductor.ascendc.compiler import _compiler

        self.assertEqual(str(_compiler.PCH_CACHE_ROOT), os.environ["AUTOFUSE_HEADERS"])

    def test_erf_and_powers_are_fused(self):
        def function(x, y):
            return torch.erf(x) * 2 + (x.abs() + 1) ** 2.5, x * (1 + torch.erf(x * 2 ** 0.5)), torch.pow(x.abs() + 1, y)

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

    def test_what_fails_without_the_operators_of_a_graph(self):
        """Then nothing is fused; what fails at once is none of ours."""
        from autofuse import left_out
        from torch_npu._inductor.ascendc.config import debug_options

        left_out._say.cache_clear()
        turns = []

        def compile_graph(first):
            turns.append((set(left_out._excluded), "allfallback" in debug_options))
            if len(turns) == first:
                left_out._refusals["no kernel"] = {collections.namedtuple("Node", "name target")("mul_1", "aten.mul")}
                raise left_out.LeftOut("no kernel")
            if len(turns) == 2:
                raise ValueError("elsewhere")
            return len(turns)

        with self.assertLogs("autofuse", "WARNING") as told:
            self.assertEqual(left_out._once_more(compile_graph)(1), 3)
        self.assertEqual(turns, [(set(), False), ({"mul_1"}, False), (set(), True)])
        self.assertEqual([record.getMessage() for record in told.records], [
            "aten.mul of one graph is left to torch_npu: no kernel", "nothing of a graph is fused: elsewhere"])
        turns[:] = [None]
        self.assertRaisesRegex(ValueError, "elsewhere", left_out._once_more(compile_graph), 9)

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

    def test_axes_in_another_order(self):
        """Heads of an attention, there and back, in one kernel each."""
        def heads(x, y):
            return x.transpose(1, 2) * 2 + y, (y.transpose(1, 2) - 1).contiguous()

        for dtype in (torch.float32, torch.bfloat16):
            x, y = torch.randn(2, 7, 4, 16).to(dtype), torch.randn(2, 4, 7, 16).to(dtype)
            self.assertEqual(self.compiled(heads, x, y), [])

    def test_tensors_are_turned(self):
        """Rows that become columns, with what is computed of them and reduced."""
        def turned(x, y):
            return x.t() + y.t().contiguous() * 2, torch.relu(x).t().contiguous(), x.t().amax(-1)

        for dtype in (torch.float32, torch.float16):
            self.assertEqual(self.compiled(turned, torch.randn(6, 40).to(dtype), torch.randn(6, 40).to(dtype)), [])

    def test_one_graph_of_two_is_refused(self):
        """A number that is a tensor on the CPU is refused; what has another shape is a graph of its own, and fused."""
        from torch._inductor.utils import run_and_get_code

        number = torch.tensor(1.25)

        def function(x, y):
            return (x.abs() + 1) * number + x, y - (y * 2).amax(-1, keepdim=True)

        x, y = torch.randn(6, 40), torch.randn(5, 24)
        torch._dynamo.reset()
        from autofuse import left_out

        left_out._say.cache_clear()
        with self.assertLogs("autofuse", "WARNING") as told:
            results, code = run_and_get_code(torch.compile(function), x.npu(), y.npu())
        for result, wanted in zip(results, function(x, y)):
            torch.testing.assert_close(result.cpu(), wanted, rtol=1e-5, atol=1e-5)
        self.assertEqual(len(told.records), 1, told.output)
        self.assertRegex(told.records[0].getMessage(), r"^aten.abs.default, aten.add.Tensor, aten.mul.Tensor of one graph are left to "
                                                       r"torch_npu: .*ScalarData")
        code = "\n".join(code)
        self.assertIn(" = torch.ops.aten.abs.default(", code)
        self.assertNotIn(" = torch.ops.aten.amax.default(", code)
        self.assertRegex(code, r"\n *autofused_amax_mul_sub_\w+\(arg")
        self.assertEqual((left_out._excluded, left_out._refusals), (set(), {}))


if __name__ == "__main__":
    unittest.main()
