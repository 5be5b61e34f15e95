"""Functions of tensors through torch.compile and torch_npu's back end `ascendc`: their fused parts are kernels of ours."""

import json
import os
import subprocess
import sys
import tempfile
import unittest

import torch
import torch_npu  # noqa: F401
from comparing import ulps

torch.manual_seed(0)
X = torch.randn(6, 40) * 5
Y = torch.rand(40) + 0.5
C = torch.rand(6, 1) + 0.5
H = X.half()


def formula(a, b):
    """The operator's default formula for the remainder, each step rounded to float."""
    return a - torch.trunc(a / b) * b


# Name: function, operands, what it is compared with on the CPU, ulps, of at least which size.
FUNCTIONS = {
    "fmod_formula": (formula, (X, Y), formula, 0, 0),
    "fmod": (lambda a, b: torch.fmod(a, b).abs() + b, (X, Y), lambda a, b: formula(a, b).abs() + b, 0, 0),
    "fmod_scalar": (lambda a: torch.fmod(a, 2.5) * 2, (X,), lambda a: formula(a, torch.tensor(2.5)) * 2, 0, 0),
    "broadcasts": (lambda a, b, d: (a * b + d).relu(), (X, Y, C), None, 0, 0),
    "half": (lambda a: (a.abs() + 1) * 2, (H,), lambda a: ((a.float().abs() + 1) * 2).half(), 0, 0),
    "cast": (lambda a: a.float() * 1.5, (H,), None, 0, 0),
    "sum": (lambda a: a.abs().sum(-1), (X,), None, 4, 0),
    "softmax": (lambda a: torch.softmax(a, -1), (X,), None, 8, 0),
    "layer_norm": (lambda a: torch.nn.functional.layer_norm(a, (40,)), (X,), None, 8, 1),
    "where": (lambda a, b: torch.where(a > b, a, b * 2), (X, Y), None, 0, 0),
    "transpose": (lambda a: a.t() + 1, (X,), None, 0, 0),
    "cat": (lambda a, b: torch.cat([a, a * 2], 1), (X, Y), None, 0, 0),
    "int_remainder": (lambda a: torch.remainder(a, 7) + 1, ((X * 10).int(),), None, 0, 0),
    "two_outputs": (lambda a: (a.exp(), a.exp() + 1), (X,), None, 2, 0),
}


def on_npu(function, operands, **options):
    torch._dynamo.reset()
    results = torch.compile(function, **options)(*[operand.npu() for operand in operands])
    return results if isinstance(results, tuple) else (results,)


class Functions(unittest.TestCase):
    def check(self, name, **options):
        function, operands, reference, most, least = FUNCTIONS[name]
        results = on_npu(function, operands, **options)
        expected = (reference or function)(*operands)
        expected = expected if isinstance(expected, tuple) else (expected,)
        self.assertEqual(len(results), len(expected))
        for result, one in zip(results, expected):
            away = ulps(result, one, least)
            self.assertLessEqual(away, most, f"{name}: {away} ulp")

    def test_dynamic_shapes(self):
        """One kernel for several shapes: nothing is compiled anew."""
        torch._dynamo.reset()
        compiled = torch.compile(formula, dynamic=True)
        for rows, columns in [(6, 40), (7, 33), (3, 2000)]:
            a, b = torch.randn(rows, columns) * 5, torch.rand(columns) + 0.5
            with torch._dynamo.config.patch(error_on_recompile=(rows, columns) != (6, 40)):
                self.assertEqual(ulps(compiled(a.npu(), b.npu()), formula(a, b)), 0)

    def test_gelu(self):
        """What the back end does not fuse is an operator of torch: aclnnGelu, which computes the formula with tanh."""
        gelu = torch.nn.functional.gelu
        (result,) = on_npu(lambda a: gelu(a), (X,))
        self.assertLessEqual(ulps(result, gelu(X, approximate="tanh"), 1), 8)

    def test_all_is_left_to_operators_where_that_is_wanted(self):
        code = ("import torch, torch_npu; x = torch.arange(-8., 8.).reshape(4, 4); f = lambda a: (a * 3).abs() + 1\n"
                "assert torch.equal(torch.compile(f)(x.npu()).cpu(), f(x))")
        with tempfile.TemporaryDirectory() as temp:
            settings = {"TORCHINDUCTOR_ASCENDC_DEBUG": "allfallback", "AUTOFUSE_RECORD": temp}
            subprocess.run([sys.executable, "-c", code], env={**os.environ, **settings}, check=True)
            self.assertEqual(os.listdir(temp), [], "no graph")


def _add(name):
    setattr(Functions, f"test_{name}", lambda self: self.check(name))


for _name in FUNCTIONS:
    _add(_name)


class Order(unittest.TestCase):
    def test_kernels_and_operators_on_one_stream(self):
        """Launches are queued: what comes before and behind a kernel on the stream is so for its memory, too."""
        compiled = torch.compile(lambda a: a * 2 - 1)
        torch._dynamo.reset()
        for stream in [torch.npu.current_stream(), torch.npu.Stream()]:
            with torch.npu.stream(stream):
                x = torch.full((6, 40), 1.5, device="npu")
                expected = 1.5
                for _ in range(20):
                    x = torch.add(compiled(torch.add(x, 1)), -2)
                    expected = (expected + 1) * 2 - 1 - 2
                    x, expected = (x.fmod(7), expected % 7)
                stream.synchronize()
                self.assertTrue(torch.equal(x.cpu(), torch.full((6, 40), expected)))


class Switches(unittest.TestCase):
    """What `torch run` is told acts on compiled kernels as on every kernel."""

    CODE = ("import torch, torch_npu; a, b = torch.full((6, 40), 5.0), torch.full((6, 40), 3.0)\n"
            "assert torch.equal(torch.compile(lambda a, b: (a / b).abs())(a.npu(), b.npu()).cpu(), a / b)")

    def run_with(self, **settings):
        # A failure that is wanted is none of this run's.
        environment = {name: value for name, value in os.environ.items() if name != "HOSTCANN_VERDICT"}
        return subprocess.run([sys.executable, "-c", self.CODE], env={**environment, **settings}, capture_output=True,
                              text=True, check=False)

    def test_predictions_name_lines_that_can_be_read(self):
        with tempfile.TemporaryDirectory() as temp:
            file = os.path.join(temp, "model.jsonl")
            done = self.run_with(HOSTCANN_SIM=f"warm,what-if:{file}")
            self.assertEqual(done.returncode, 0, done.stderr)
            with open(file, encoding="utf-8") as text:
                (launch,) = [json.loads(line) for line in text if '"autofused_' in line]
        read = set()
        for place in launch["lines"]:
            path, number = place["line"].rsplit(":", 1)
            with open(path, encoding="utf-8") as text:
                read.add(text.read().splitlines()[int(number) - 1].split("(")[0].strip())
        self.assertTrue(any(line.endswith("Div") for line in read), read)

    def test_what_follows_of_nothing_documented(self):
        done = self.run_with(HOSTCANN_FLIP="1")
        self.assertEqual(done.returncode, 1, done.stderr)
        self.assertRegex(done.stderr, r"kernel autofused_abs_div_[^\n]*\n[^\n]* div_ulp=")
        done = self.run_with(HOSTCANN_FLIP="1,-div_ulp")
        self.assertEqual(done.returncode, 0, done.stderr)


if __name__ == "__main__":
    unittest.main()
