"""Random expressions through torch.compile against torch on the CPU: element by element, and reduced along random axes.
AUTOFUSE_EXPRESSIONS is their number; several are the results of one function, because most of the time goes into compiling what is
around a kernel."""

import os
import random
import unittest

import torch
import torch._inductor.config
import torch_npu  # noqa: F401
from comparing import ulps

# Inductor stores long expressions half way, which rounds 16-bit ones once more.
WHOLE = {"realize_opcount_threshold": 10**6, "realize_reads_threshold": 10**6}

COUNT = int(os.environ.get("AUTOFUSE_EXPRESSIONS", "200"))
TOGETHER = 10
DEPTH = 8

# How operands of a function with the axes (rows, columns) lie.
SHAPES = [lambda r, c: (r, c), lambda r, c: (c,), lambda r, c: (r, 1), lambda r, c: (1, c)]

UNARY = {"abs": torch.abs, "neg": torch.neg, "relu": torch.relu, "half": lambda a: a * 0.5, "sqrt": lambda a: torch.sqrt(torch.abs(a))}
BINARY = {"add": torch.add, "sub": torch.sub, "mul": torch.mul, "div": torch.div, "max": torch.maximum, "min": torch.minimum}
# torch's own square root on the CPU is not always the nearest float (32 of 240 random numbers differ from numpy's); this one is.
NEAREST = {"sqrt": lambda a: torch.sqrt(torch.abs(a).double()).float()}

LIKE = {
    torch.float32: (list(UNARY), list(BINARY)),
    torch.float16: (list(UNARY), list(BINARY)),
    torch.bfloat16: (list(UNARY), list(BINARY)),
    torch.int32: (["abs", "neg", "relu"], ["add", "sub", "mul", "max", "min"]),
}

REDUCED = {"sum": torch.sum, "mean": torch.mean, "amax": torch.amax, "amin": torch.amin}
DIGITS = {torch.float32: 23, torch.float16: 10, torch.bfloat16: 7}
# Every so many functions one has reductions.
OFTEN = 4

# One rounding after the other is the same on both sides, and what is computed of 16-bit floats is computed in float; Exp is the
# only step whose bits no document gives.
MOST = {"exact": 0, "exp": 2}


def grown(rng, depth, operands, dtype):
    """A tree: ("leaf", n), (name, tree), (name, tree, tree)."""
    if depth == 0 or rng.random() < 0.1:
        return ("leaf", rng.randrange(operands))
    unary, binary = LIKE[dtype]
    if rng.random() < 0.3:
        return (rng.choice(unary), grown(rng, depth - 1, operands, dtype))
    return (rng.choice(binary), grown(rng, depth - 1, operands, dtype), grown(rng, rng.randrange(depth), operands, dtype))


def value(tree, operands, seen=None, own=None):
    """Every step's result is also put into `seen`; `own` has functions in place of torch's."""
    if tree[0] == "leaf":
        return operands[tree[1]]
    parts = [value(part, operands, seen, own) for part in tree[1:]]
    if tree[0] == "exp":
        result = torch.exp(torch.clamp(parts[0], -4.0, 4.0))
    else:
        result = {**UNARY, **BINARY, **(own or {})}[tree[0]](*parts)
    if seen is not None:
        seen.append(result)
    return result


def tensors(rng, shapes, dtype, rows, columns):
    made = []
    for shape in shapes:
        size = SHAPES[shape](rows, columns)
        if dtype == torch.int32:
            made.append(torch.tensor([rng.randrange(-9, 10) for _ in range(torch.Size(size).numel())]).reshape(size).int())
        else:
            signs = torch.tensor([rng.choice([-1.0, 1.0]) * rng.uniform(0.5, 2) for _ in range(torch.Size(size).numel())])
            made.append(signs.reshape(size).to(dtype))
    return made


def wide(operands):
    """Inductor computes 16-bit floats in float and rounds once: so does the comparison."""
    return [operand.float() if operand.dtype in (torch.float16, torch.bfloat16) else operand for operand in operands]


def is_tame(tree, operands):
    """No overflow, no NaN, nothing that a flush of small numbers could change."""
    seen = []
    try:
        value(tree, wide(operands), seen)
    except RuntimeError:
        return False
    most = 1e4 if operands[0].dtype == torch.float16 else 2.0**30

    def small(step):
        return step.dtype.is_floating_point and bool(((step != 0) & (step.abs() < 1e-4)).any())

    return all(bool(step.isfinite().all()) and bool((step.abs() < most).all()) and not small(step) for step in seen)


def reduced(kind, tree, masked, less, axes, operands, own=None):
    """A tree, 0.5 where the mask is not set, or 5; reduced; and what that differs from each element."""
    x, y = operands[:2]
    element = value(tree, operands, own=own)
    is_int = element.dtype == torch.int32
    if masked:
        element = torch.where(x > y, element, torch.full_like(element, 5 if is_int else 0.5))
    # torch's own sum of integers is one of int64.
    result = REDUCED[kind](element, axes, keepdim=True, **({"dtype": torch.int32} if is_int and kind == "sum" else {}))
    return element, result, element - result if less else result


def bound(kind, element, result, expected, axes, dtype):
    """How far a reduction may be from the one in double: as many roundings as an element meets, of the sum of all sizes. A
    16-bit result is rounded, and so may be what it is computed of; a difference is rounded once."""
    unit = 2.0 ** -DIGITS[dtype]
    is_bare, is_float = expected.shape == result.shape, dtype == torch.float32
    away = (0 if is_bare and is_float else expected.abs() * unit) + (0 if is_float else result.abs() * unit)
    if kind in ("sum", "mean"):
        count = element.numel() // result.numel()
        sizes = element.double().abs().sum(axes, keepdim=True) * (count / 8 + 12) * 2.0**-24
        away = away + (sizes / count if kind == "mean" else sizes)
    return away


class Expressions(unittest.TestCase):
    def reductions(self, seed, count):
        """A function whose results are reduced along some axes of up to three, compiled once, for one shape or for any."""
        rng = random.Random(seed)
        dtype, dynamic, rank = rng.choice(list(LIKE)), rng.random() < 0.3, rng.randrange(1, 4)
        axes = sorted(rng.sample(range(rank), rng.randrange(1, rank + 1)))
        ones = [rng.random() < 0.3 for _ in range(rank)]
        calls = []
        for _ in range(2 if dynamic else 1):
            shape = [rng.choice([2, 3, 8, 9, 17, 40, 130]) for _ in range(rank)]
            calls.append([self.drawn(rng, shape, dtype), self.drawn(rng, [1 if one else n for one, n in zip(ones, shape)], dtype)])
        kinds = [kind for kind in REDUCED if kind != "mean" or dtype.is_floating_point]
        results = []
        while len(results) < count:
            tree = ("add", grown(rng, 3, 2, dtype), ("leaf", 0))
            if all(is_tame(tree, operands) for operands in calls):
                results.append((rng.choice(kinds), tree, rng.random() < 0.3, rng.random() < 0.4, axes))
        torch._dynamo.reset()
        compiled = torch.compile(lambda *operands: tuple(reduced(*what, operands)[2] for what in results), dynamic=dynamic)
        for operands in calls:
            with torch._inductor.config.patch(WHOLE):
                given = compiled(*[operand.npu() for operand in operands])
            for what, result in zip(results, given):
                if dtype == torch.int32:
                    with self.subTest(seed=seed, dtype=dtype, dynamic=dynamic, shape=operands[0].shape, what=what):
                        self.assertTrue(torch.equal(result.cpu(), reduced(*what, operands)[2]))
                    continue
                element = reduced(*what, wide(operands), own=NEAREST)[0]
                exact = REDUCED[what[0]](element.double(), axes, keepdim=True)
                expected = element.double() - exact if what[3] else exact
                away = (result.cpu().double() - expected).abs()
                with self.subTest(seed=seed, dtype=dtype, dynamic=dynamic, shape=operands[0].shape, what=what):
                    self.assertEqual((result.dtype, result.shape), (dtype, expected.shape))
                    self.assertTrue(bool((away <= bound(what[0], element, exact, expected, axes, dtype)).all()), away.max())
        return len(results)

    @staticmethod
    def drawn(rng, shape, dtype):
        size, most = torch.Size(shape), 2 if dtype.is_floating_point else 9
        return torch.tensor([rng.choice([-1.0, 1.0]) * rng.uniform(0.5, most) for _ in range(size.numel())]).reshape(size).to(dtype)

    def together(self, seed, count):
        """A function of `count` results, compiled once, for one shape or for any."""
        rng = random.Random(seed)
        dtype, dynamic = list(LIKE)[seed % 4], seed // 4 % 2 == 1
        shapes = [0] + [rng.randrange(len(SHAPES)) for _ in range(rng.randrange(4))]
        sizes = [(rng.randrange(2, 9), rng.choice([3, 8, 33, 40, 257, 600])) for _ in range(2 if dynamic else 1)]
        calls = [tensors(rng, shapes, dtype, *size) for size in sizes]
        trees = []
        while len(trees) < count:
            tree = grown(rng, DEPTH - 1, len(shapes), dtype)
            if tree[0] == "leaf":
                continue
            # All results have the first operand's shape: one kernel.
            tree = ("add", tree, ("leaf", 0))
            if dtype != torch.int32 and rng.random() < 0.2:
                tree = ("exp", tree)
            if all(is_tame(tree, operands) for operands in calls):
                trees.append(tree)
        torch._dynamo.reset()
        compiled = torch.compile(lambda *operands: tuple(value(tree, operands) for tree in trees), dynamic=dynamic)
        for at, operands in enumerate(calls):
            with torch._dynamo.config.patch(error_on_recompile=at > 0), torch._inductor.config.patch(WHOLE):
                results = compiled(*[operand.npu() for operand in operands])
            for tree, result in zip(trees, results):
                expected = value(tree, wide(operands), own=NEAREST).to(dtype)
                away = ulps(result, expected)
                most = MOST["exp" if tree[0] == "exp" else "exact"]
                with self.subTest(seed=seed, dtype=dtype, dynamic=dynamic, shapes=shapes, size=sizes[at], tree=tree):
                    self.assertLessEqual(away, most)
        return len(trees)

    def test_expressions(self):
        done = 0
        for seed in range((COUNT + TOGETHER - 1) // TOGETHER):
            several = self.reductions if seed % OFTEN == OFTEN - 1 else self.together
            done += several(seed, min(TOGETHER, COUNT - done))
            print(f"{done} of {COUNT} expressions", flush=True)


if __name__ == "__main__":
    unittest.main()
