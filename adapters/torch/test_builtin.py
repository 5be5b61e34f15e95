"""The built-in operators beside the package's own: what scripts call on `npu` tensors, against torch on the CPU. Moves,
comparisons, integers and `+ - * /` have the same bits, other functions are near."""

import os
import subprocess
import sys
import tempfile
import unittest

import torch
import torch_npu  # noqa: F401
from alike import ALL, FLOATS, INTEGERS, Alike, values


class Builtin(Alike):
    def test_arithmetic(self):
        def run(x, y):
            return [x + y, x - y, x * y, x / y, x + 2, x * 3, 5 - x, x / 4, -x, x // y, x % y, torch.maximum(x, y)]

        for dtype in FLOATS + [torch.int8, torch.int32, torch.int64]:
            divisor = values(dtype, 6)
            divisor[divisor == 0] = 3
            self.same(run, values(dtype, 5, 6), divisor)
            self.same(run, values(dtype, 6, 5).t()[1:, ::2], divisor[:3])

    def test_bits(self):
        def run(x, y):
            return [x & y, x | y, x ^ y, ~x]

        for dtype in INTEGERS + [torch.bool]:
            self.same(run, values(dtype, 4, 5), values(dtype, 5))
        self.same(lambda x: [x << 2, x >> 1], values(torch.int32, 9))

    def test_comparisons(self):
        def run(x, y):
            return [x < y, x <= y, x > y, x >= y, x == y, x != y, x > 1, x == 0]

        for dtype in ALL:
            self.same(run, values(dtype, 4, 5), values(dtype, 5))
        self.same(lambda x, y: [x < y, x == y], values(torch.float32, 7), values(torch.int32, 7))

    def test_logic(self):
        def run(x):
            return [torch.logical_and(x > 0, x < 5), torch.logical_or(x > 5, x < 0), torch.logical_not(x), x.any(), x.all(1)]

        self.same(run, values(torch.float32, 4, 5))
        odd = torch.tensor([1.0, float("nan"), float("inf"), -float("inf")])
        self.same(lambda x: [torch.isfinite(x), torch.isinf(x), torch.isnan(x)], odd)

    def test_casts(self):
        for source in ALL:
            for target in ALL:
                numbers = values(torch.float32, 4, 5).abs().to(source)
                self.same(lambda x: x.to(target), numbers)

    def test_functions(self):
        def run(x):
            names = "exp sin cos tanh sigmoid erf expm1 atan sinh square rsqrt log1p".split()
            return [getattr(torch, name)(x) for name in names] + [x.pow(3), x**0.5, torch.softmax(x, -1)]

        self.same(run, torch.rand(4, 5) + 0.1, near=True)

        def exact(x):
            names = "abs neg trunc floor ceil round sign relu reciprocal".split()
            return [getattr(torch, name)(x) for name in names] + [x.clamp(-2, 2), x.clamp(min=0), torch.where(x > 0, x, 1.5)]

        for dtype in FLOATS:
            self.same(exact, values(dtype, 4, 5))

    def test_reductions(self):
        def run(x):
            return [x.sum(), x.sum(1), x.amax(0), x.amin((0, 1)), x.max(), x.argmax(1), x.max(1)[1], x.cumsum(0), x.min(0)[0]]

        self.same(run, values(torch.int32, 5, 6))
        self.same(lambda x: [x.mean(), x.mean(0, keepdim=True), x.sum(1), x.var(), x.std(1), x.norm(), x.prod(1)],
                  values(torch.float32, 5, 6), near=True)

    def test_factories(self):
        def run(x):
            device = x.device
            return [torch.zeros(2, 3, device=device), torch.ones(3, device=device), torch.full((2,), 3.5, device=device),
                    torch.arange(7, device=device), torch.arange(0, 1, 0.25, device=device), torch.eye(3, device=device),
                    torch.zeros_like(x), torch.ones_like(x), x.new_full((2,), 2.0), torch.tensor([1, 2], device=device)]

        self.same(run, values(torch.float32, 2, 3))

    def test_shapes(self):
        def run(x):
            return [torch.cat([x, x[:1]]), torch.stack([x, x], 1), x.t().contiguous(), x.flip(0), x.repeat(2, 1), x.roll(2, 1),
                    x.expand(2, *x.shape).contiguous(), x[1:, ::2].clone(), x.reshape(-1), torch.tril(x), torch.triu(x, 1)]

        for dtype in [torch.float32, torch.bfloat16, torch.int64, torch.bool]:
            self.same(run, values(dtype, 4, 5))

    def test_indices(self):
        def run(x):
            at = torch.tensor([2, 0, -1], device=x.device)
            positive = torch.tensor([2, 0], device=x.device)
            written = x.clone()
            written[0] = 1
            written[:, at] = 7
            written[written > 5] = -1
            return [x[at], x[:, at], x[x > 0], x.nonzero(), x.index_select(1, positive), x.gather(1, positive.view(1, 2)),
                    torch.masked_select(x, x < 0), x.masked_fill(x > 0, 9), torch.sort(x, dim=1, stable=True)[1],
                    x.topk(2)[0], written]

        self.same(run, values(torch.float32, 4, 5))
        self.same(run, values(torch.int64, 4, 5))

    def test_clamp_of_tensors(self):
        """Both bounds, or one. The result has the type of the first argument: op-plugin makes it so. torch promotes."""
        low, high = torch.tensor([-3, 2, -200], dtype=torch.int32), torch.tensor([5, 200, 0], dtype=torch.int32)
        for dtype in [torch.int8, torch.int16, torch.uint8, torch.int32, torch.float32, torch.float16]:
            x = values(dtype, 4, 3)
            for bounds in [{"min": low}, {"max": high}, {"min": low, "max": high}]:
                bounds = {name: bound.abs() if dtype == torch.uint8 else bound for name, bound in bounds.items()}
                with self.subTest(dtype=dtype, bounds=list(bounds)):
                    got = x.npu().clamp(**{name: bound.npu() for name, bound in bounds.items()})
                    self.assertEqual(got.dtype, dtype)
                    self.assertTrue(torch.equal(got.cpu(), x.clamp(**bounds).to(dtype)), (x, got))

    def test_floor_division(self):
        for dtype in FLOATS + INTEGERS:
            x, y = values(dtype, 40, 30), values(dtype, 30)
            y[y == 0] = 3
            self.same(lambda x, y: [x // y, torch.floor_divide(x, y), x // 3, x.clone().floor_divide_(y)], x, y)
            if dtype.is_signed:
                self.same(lambda x, y: [x // y, x // -3], x, -y)
        odd = torch.tensor([0.0, -0.0, 1.0, -1.0, float("inf"), -float("inf"), float("nan"), 5.5])
        self.same(lambda x, y: x // y, odd[:, None], odd)

    def test_equal_values_are_chosen_in_some_order(self):
        """Which place sort and topk give of equal values is nobody's promise: their values are at those places."""
        for dtype in [torch.float32, torch.int8, torch.int64]:
            x = (values(torch.float32, 6, 50) / 9).to(dtype)
            for call in [lambda x: torch.sort(x, 1), lambda x: torch.topk(x, 7, 1), lambda x: torch.topk(x, 7, largest=False)]:
                (got, at), (expected, _) = call(x.npu()), call(x)
                self.assertTrue(torch.equal(got.cpu(), expected))
                self.assertTrue(torch.equal(x.gather(1, at.cpu()), expected))
            self.same(lambda x: list(torch.sort(x, dim=1, stable=True)), x)

    def test_a_result_over_its_own_operands_is_an_error(self):
        """torch refuses memory that overlaps; op-plugin does not look, and a device reads and writes in any order."""
        x, at = torch.arange(24.0).view(4, 6).npu(), torch.tensor([0, 1, 2]).npu()
        calls = {
            "aclnnCat": lambda: torch.cat([x + 1, x], out=x[:2]),
            "aclnnGather": lambda: torch.gather(at + 3, 0, at[:2], out=at[1:]),
        }
        for name, call in calls.items():
            with self.subTest(name):
                with self.assertRaisesRegex(RuntimeError, f"{name} on the host: argument .out.: its memory overlaps"):
                    call()
                    torch.npu.synchronize()
        with self.assertRaisesRegex(RuntimeError, "aclnnInplaceMaskedFillTensor failed"):
            x.masked_fill(x > 1, torch.ones(1).npu())

    def test_matrices(self):
        x = torch.randint(-5, 5, (4, 5)).float()
        self.same(lambda x: [x @ x.t(), torch.mm(x, x.t()), torch.bmm(x[None], x.t()[None]), x @ x[0]], x)

    def test_repeat_interleave(self):
        def run(x, each, rows):
            return [torch.repeat_interleave(x, 2), torch.repeat_interleave(x, each), x.repeat_interleave(3, dim=1),
                    torch.repeat_interleave(x.t(), rows, dim=1), torch.repeat_interleave(rows),
                    torch.repeat_interleave(x, rows, dim=0, output_size=5)]

        for dtype in [torch.float32, torch.bfloat16, torch.int64, torch.bool]:
            self.same(run, values(dtype, 3, 4), torch.arange(12) % 3, torch.tensor([2, 0, 3]))
        x = torch.ones(3).npu()
        with self.assertRaisesRegex(RuntimeError, "expected 4, the sum of .repeats., got 5"):
            torch.repeat_interleave(x, torch.tensor([1, 1, 2]).npu(), output_size=5)
            torch.npu.synchronize()

    def test_equality(self):
        def run(x):
            return [torch.equal(x, x.clone()), torch.equal(x, x + 1), torch.allclose(x, x + 1e-9), torch.allclose(x, x + 1)]

        self.same(run, values(torch.float32, 4, 5))

    def test_printing(self):
        odd = torch.tensor([[1.5, float("nan")], [float("inf"), -0.25]])
        tensors = [values(dtype, 3, 4) for dtype in ALL]
        for tensor in tensors + [odd, torch.zeros(0, 2), torch.tensor(3.25), torch.arange(5000).view(50, 100)]:
            got = repr(tensor.npu()).replace(", device='npu:0'", "")
            self.assertEqual("".join(got.split()), "".join(repr(tensor).split()))

    def test_autograd(self):
        def gradients(x, y):
            x, y = x.detach().requires_grad_(), y.detach().requires_grad_()
            (torch.fmod(x, y) * torch.sigmoid(x) + torch.cat([x, x])[1:5].relu()).pow(2).mean().backward()
            return [x.grad, y.grad]

        self.same(gradients, torch.randn(4, 5) * 5, torch.rand(5) + 0.5, near=True)

    def test_training(self):
        def run(measure, x):
            torch.manual_seed(0)
            layer = torch.nn.Linear(5, 2).to(x.device)
            optimizer = torch.optim.SGD(layer.parameters(), lr=0.1, foreach=False)
            losses = []
            for _ in range(3):
                optimizer.zero_grad()
                loss = measure(layer(x), x[:, :2].sigmoid())
                loss.backward()
                optimizer.step()
                losses.append(loss.detach())
            return losses + [layer.weight.detach()]

        functional = torch.nn.functional
        for measure in [functional.mse_loss, functional.l1_loss, functional.smooth_l1_loss,
                        functional.binary_cross_entropy_with_logits,
                        lambda x, y: functional.binary_cross_entropy(x.sigmoid(), y)]:
            self.same(lambda x: run(measure, x), torch.randn(6, 5), near=True)

    def test_optimizers_as_they_are(self):
        """Adam and SGD call functions over lists of parameters where the device has them."""

        def run(make, x, y):
            torch.manual_seed(0)
            layers = torch.nn.Sequential(torch.nn.Linear(5, 4), torch.nn.GELU("tanh"), torch.nn.Linear(4, 3)).to(x.device)
            optimizer = make(layers.parameters())
            losses = []
            for _ in range(3):
                optimizer.zero_grad()
                loss = torch.nn.functional.cross_entropy(layers(x), y)
                loss.backward()
                torch.nn.utils.clip_grad_norm_(layers.parameters(), 0.1)
                optimizer.step()
                losses.append(loss.detach())
            return losses + [parameter.detach() for parameter in layers.parameters()]

        x, y = torch.randn(6, 5), torch.tensor([0, 2, 1, 1, -100, 2])
        for make in (
            lambda parameters: torch.optim.SGD(parameters, lr=0.1),
            lambda parameters: torch.optim.SGD(parameters, lr=0.1, momentum=0.9, weight_decay=0.1, nesterov=True),
            lambda parameters: torch.optim.Adam(parameters, lr=0.01),
            lambda parameters: torch.optim.AdamW(parameters, lr=0.01, weight_decay=0.1),
        ):
            self.same(lambda x, y: run(make, x, y), x, y, near=True)

    def test_random_numbers(self):
        def draw():
            torch.manual_seed(11)
            return [torch.rand(1000, device="npu"), torch.randn(1000, device="npu"),
                    torch.randint(-3, 9, (1000,), device="npu"), torch.randperm(50, device="npu"),
                    torch.rand(1000, device="npu", dtype=torch.float16)]

        first, again = draw(), draw()
        for one, other in zip(first, again):
            self.assertTrue(torch.equal(one, other), "the seed decides")
        flat, bell, whole, order, half = (tensor.cpu().double() for tensor in first)
        for numbers in (flat, half):
            self.assertTrue(0 <= numbers.min() < 0.02 and 0.98 < numbers.max() < 1)
        self.assertFalse(torch.equal(torch.rand(1000, device="npu").cpu().double(), flat), "the next ones are others")
        self.assertTrue(abs(bell.mean()) < 0.15 and abs(bell.std() - 1) < 0.1)
        self.assertEqual(sorted(set(whole.tolist())), list(range(-3, 9)))
        self.assertEqual(sorted(order.tolist()), list(range(50)))

    def test_an_operator_that_is_not_there_is_named(self):
        script = "import torch, torch_npu\nprint(torch.linalg.qr(torch.eye(3).npu()))"
        run = subprocess.run([sys.executable, "-c", script], capture_output=True, text=True, timeout=300)
        self.assertNotEqual(run.returncode, 0)
        self.assertIn("single-operator calls of Qr are not supported by the host toolkit", run.stdout + run.stderr)
        self.assertRegex(run.stderr, "RuntimeError:(.|\\n)*Qr")
        # The exception is torch_npu's, whose first line is a place in its source: the toolkit's own line stands before it.
        said, _, _ = run.stderr.partition("Traceback")
        first = next(line for line in said.splitlines() if line.startswith("[ERROR]"))
        self.assertIn("single-operator calls of Qr are not supported by the host toolkit, which has Identity, DynamicRNN", first)
        self.assertIn("Compute this part on the CPU (tensor.cpu()), or install a package with the aclnn function", first)

    def test_after_a_refused_operator_results_are_right(self):
        """The refusal is an exception at the next synchronisation at the latest. Later calls compute, queued or not."""
        x = torch.arange(12.0).view(3, 4).npu()
        image = torch.ones(1, 1, 4, 4).npu()
        refused = {
            "Erfinv": lambda: torch.erfinv(x),
            "ResizeNearestNeighborV2": lambda: torch.nn.functional.interpolate(image, scale_factor=2),
            "Qr": lambda: torch.linalg.qr(x),
            # These raise at the call.
            "UniqueWithCountsAndSorting": lambda: torch.unique(x),
            "aclnnInplaceOne": lambda: torch.ones(2, dtype=torch.complex64, device="npu"),
            "aclnnGather": lambda: torch.gather(x, 0, torch.zeros(1, 4).npu()),
        }
        later = {
            "sum": (lambda: (x + 1).sum().item(), 78.0),
            "ones": (lambda: torch.ones(3, device="npu").tolist(), [1.0, 1.0, 1.0]),
            "masked_select": (lambda: torch.masked_select(x, x > 9).tolist(), [10.0, 11.0]),
            "repr": (lambda: repr(x[0]).split(",device")[0].split(", device")[0], "tensor([0., 1., 2., 3.]"),
            "fmod": (lambda: torch.fmod(x, 2.0).flatten().tolist(), [0.0, 1.0] * 6),
        }
        later["synchronize"] = (torch.npu.synchronize, None)
        at_the_call = [name for name in refused if name.startswith("aclnn") or name.startswith("Unique")]
        for name, call in refused.items():
            text = f"call {name} failed" if name.startswith("aclnn") else f"single-operator calls of {name} are not supported"
            for first, (get, _) in later.items():
                # A copy to the host that fails has the code in the exception, and the text on stderr.
                named = first == "synchronize" or os.environ.get("ASCEND_LAUNCH_BLOCKING") == "1" or name in at_the_call
                with self.subTest(operator=name, later=first):
                    with self.assertRaisesRegex(RuntimeError, text if named else f"{text}|error code:507000"):
                        call()
                        self.assertNotIn(name, at_the_call)
                        get()
                    for again, right in later.values():
                        self.assertEqual(again(), right)

    def test_a_refusal_hides_no_later_one(self):
        """torch_npu only warns of what the toolkit has not, and takes it for the code of later failures where it may."""
        x = torch.arange(12.0).view(3, 4).npu()
        faults = {
            "a refused operator": lambda: torch.erfinv(x),
            "a kernel fault": lambda: x[torch.tensor([9]).npu()],
        }
        for name, call in faults.items():
            with self.subTest(later=name):
                with self.assertRaises(RuntimeError):
                    torch.unique(x)
                with self.assertRaises(RuntimeError):
                    call().sum().item()

    def test_refusals_name_the_argument(self):
        x = torch.ones(3).npu()
        with self.assertRaises(RuntimeError) as raised:
            torch.index_select(x, 0, torch.tensor([5]).npu())
            torch.npu.synchronize()
        self.assertIn("index 5 is out of range", str(raised.exception))
        self.assertTrue(torch.equal((x + 1).cpu(), torch.full((3,), 2.0)))

    def test_a_refusal_after_a_fault_has_its_own_code(self):
        x = torch.ones(3).npu()
        with self.assertRaises(RuntimeError):
            torch.index_select(x, 0, torch.tensor([5]).npu())
            torch.npu.synchronize()
        with self.assertRaises(RuntimeError):
            torch.index_select(x, 0, torch.tensor([5]).npu())
            torch.nonzero(x)
        self.assertTrue(torch.equal((x + 1).cpu(), torch.full((3,), 2.0)))
        with self.assertRaisesRegex(RuntimeError, "error code is 161002"):
            torch.gather(x, 0, torch.zeros(1).npu())
            torch.npu.synchronize()


PACKAGE = """
extern "C" {
int aclnnNegGetWorkspaceSize(const void*, void*, unsigned long*, void**) { return 161002; }
int aclnnNeg(void*, unsigned long, void*, void*) { return 161002; }
}
"""


class Precedence(unittest.TestCase):
    def test_a_package_comes_before_the_built_in(self):
        """A package's aclnnNeg that only refuses is the one that is called."""
        script = "import torch, torch_npu\nprint((-torch.ones(2).npu()).cpu().tolist())"
        with tempfile.TemporaryDirectory() as vendor:
            library = os.path.join(vendor, "op_api/lib/libcust_opapi.so")
            os.makedirs(os.path.dirname(library))
            compiler = os.environ.get("CXX", "g++")
            subprocess.run([compiler, "-shared", "-fPIC", "-xc++", "-", "-o", library], input=PACKAGE, text=True, check=True)
            environment = dict(os.environ, ASCEND_LAUNCH_BLOCKING="1")
            plain = subprocess.run([sys.executable, "-c", script], env=environment, capture_output=True, text=True)
            self.assertIn("[-1.0, -1.0]", plain.stdout, plain.stderr)
            custom = os.environ.get("ASCEND_CUSTOM_OPP_PATH", "")
            environment["ASCEND_CUSTOM_OPP_PATH"] = f"{vendor}:{custom}" if custom else vendor
            refused = subprocess.run([sys.executable, "-c", script], env=environment, capture_output=True, text=True)
            self.assertNotEqual(refused.returncode, 0, refused.stdout)
            self.assertIn("aclnnNeg", refused.stderr)


if __name__ == "__main__":
    unittest.main()
