"""PyTorch's own tests of Inductor, those of element-wise operators and reductions, with tensors on `npu`.

AUTOFUSE_SUITE is its test/inductor/test_torchinductor.py. Of each test its own function and operands are taken; compiled on the
device, results are compared with the function on the CPU within the test's tolerances, in float and, unless the test says
otherwise, in half. 16-bit operands are computed in float on the CPU, as in that file. Gradients are not compared.
"""

import copy
import importlib
import importlib.util
import os
import re
import sys
import unittest

# Whatever is compiled is counted: nothing comes whole out of a cache.
os.environ.update(INDUCTOR_TEST_DISABLE_FRESH_CACHE="1", TORCHINDUCTOR_FX_GRAPH_CACHE="0")

import torch
from torch._inductor.test_case import TestCase
from torch.utils import _pytree as pytree

from chosen import CLASS, chosen
from forked import Different, Elsewhere, Table

SUITE = os.environ.get("AUTOFUSE_SUITE", "")
LOW = (torch.float16, torch.bfloat16)


def suite(path):
    """The module. Names that another version of torch had are left empty: a test that uses one fails by itself."""
    sys.path.insert(0, os.path.dirname(os.path.dirname(path)))
    sys.path.insert(0, os.path.dirname(path))
    spec = importlib.util.spec_from_file_location("test_torchinductor", path)
    gone = []
    while True:
        module = importlib.util.module_from_spec(spec)
        try:
            spec.loader.exec_module(module)
            return module, gone
        except ImportError as error:
            name = re.match(r"cannot import name '(\w+)' from '(\S+)'", str(error))
            if name is None or name.groups() in gone:
                raise
            gone.append(name.groups())
            setattr(sys.modules[name[2]], name[1], None)


def moved(value, device, dtype=None):
    """A tensor elsewhere, as it lies: repeated elements stay repeated."""
    if isinstance(value, torch.nn.Module):
        value = copy.deepcopy(value).to(device)
        return value.to(dtype) if dtype else value
    if not isinstance(value, torch.Tensor):
        return value
    dtype = dtype or value.dtype
    once = value.detach()
    for axis, stride in enumerate(value.stride()):
        if stride == 0 and value.shape[axis] > 1:
            once = once.narrow(axis, 0, 1)
    made = torch.empty_strided(once.size(), once.stride(), dtype=dtype, device=device)
    return made.copy_(once).expand(value.shape)


def lowered(values, dtype_of):
    return pytree.tree_map_only((torch.Tensor, torch.nn.Module), lambda value: moved(value, "cpu", dtype_of(value)), values)


def half(value):
    return torch.float16 if isinstance(value, torch.nn.Module) or value.dtype == torch.float32 else None


def wide(value):
    return torch.float32 if isinstance(value, torch.nn.Module) or value.dtype in LOW else None


class Npu(TestCase):
    device = "npu"

    def common(self, model, example_inputs, kwargs=None, *, atol=None, rtol=None, check_lowp=True, exact_dtype=True, nopython=True,
               reference_in_float=True, assert_equal=True, **_):
        given = (model, list(example_inputs), dict(kwargs or {}))
        given = lowered(given, lambda value: None)
        self.compared(given, atol, rtol, exact_dtype, nopython, reference_in_float, assert_equal)
        if check_lowp:
            rtol = rtol if rtol is None else max(2e-3, rtol)
            self.compared(lowered(given, half), atol, rtol, exact_dtype, nopython, reference_in_float, assert_equal)

    def called(self, given, device, way=lambda model: model):
        model, operands, named = pytree.tree_map_only(
            (torch.Tensor, torch.nn.Module), lambda value: moved(value, device), given)
        self.device = device
        torch.manual_seed(0)
        results = way(model)(*operands, **named)
        # What it has written into its operands is a result, too.
        return pytree.tree_map_only(torch.Tensor, lambda value: value.detach().cpu(), (results, operands))

    def compared(self, given, atol, rtol, exact_dtype, nopython, in_float, values):
        if not in_float:
            expected = self.called(given, "cpu")
        else:
            expected = self.called(lowered(given, wide), "cpu")
        torch._dynamo.reset()
        try:
            results = self.called(given, "npu", lambda model: torch.compile(model, fullgraph=nopython))
            flat, tree = pytree.tree_flatten(expected)
            for at, (one, other) in enumerate(zip(flat, pytree.tree_leaves(results))):
                if in_float and isinstance(one, torch.Tensor) and one.is_floating_point() and isinstance(other, torch.Tensor):
                    flat[at] = one.to(other.dtype)
            if not values:
                return
            expected = pytree.tree_unflatten(flat, tree)
            within = dict(atol=atol, rtol=rtol, equal_nan=True, exact_dtype=exact_dtype)
            try:
                self.assertEqual(results, expected, **within)
            except AssertionError as error:
                try:
                    self.assertEqual(results, self.called(given, "npu"), **within)
                except Exception:
                    raise Different(str(error)) from None
                raise Elsewhere(f"torch's operators give the same on the device, not on the CPU: {error}") from None
        finally:
            self.device = "npu"


def case(name):
    """What a child does: an exception says what was wrong."""
    def run():
        result = unittest.TestResult()
        own = Npu(name)
        seen = []
        call = getattr(own, name)

        def kept():
            try:
                call()
            except BaseException as error:
                seen.append(error)
                raise

        setattr(own, name, kept)
        own.run(result)
        for error in seen:
            if isinstance(error, AssertionError) and re.match(r"(Tensor-likes|Scalars) are not", str(error)):
                raise Different(str(error)) from error
            raise error
        for _, text in [*result.errors, *result.failures]:
            raise Elsewhere(text.strip().splitlines()[-1])
        for _, text in result.skipped:
            raise unittest.SkipTest(text)
    return run


def load_tests(loader, standard, pattern):
    if not SUITE:
        return unittest.TestSuite()
    with open(SUITE, encoding="utf-8") as file:
        names, left = chosen(file.read())
    module, gone = suite(SUITE)
    template = getattr(module, CLASS)
    for name in names:
        setattr(Npu, name, template.__dict__[name])
    title = (f"{len(names)} of {len(names) + len(left)} tests; torch {torch.__version__}"
             + "".join(f"; without {module}.{name}" for name, module in gone))
    table = Table(title)

    class Suite(unittest.TestCase):
        tearDownClass = classmethod(lambda cls: print(table.text(), flush=True))

    for name in names:
        setattr(Suite, name, lambda self, name=name: table.check(self, name, case(name)))
    return loader.loadTestsFromTestCase(Suite)
