"""Losses and other functions of built-in operators on `npu` tensors, results and gradients, against torch on the CPU."""

import unittest

import torch
import torch_npu  # noqa: F401
from alike import ALL, FLOATS, Alike, values


class Gradients(Alike):
    def test_losses(self):
        functional = torch.nn.functional
        for dtype in FLOATS:
            x, y, weight = torch.randn(4, 5).to(dtype), torch.rand(4, 5).to(dtype), torch.rand(5).to(dtype) + 0.5
            for reduction in ["none", "mean", "sum"]:
                last = {"reduction": reduction}
                self.gradients(lambda x, y: functional.l1_loss(x, y, **last), x, y)
                self.gradients(lambda x, y: functional.smooth_l1_loss(x, y, beta=0.5, **last), x, y)
                self.gradients(lambda x, y: functional.binary_cross_entropy(x, y, **last), x.sigmoid(), y)
                self.gradients(lambda x, y, w: functional.binary_cross_entropy(x, y, w, **last), x.sigmoid(), y, weight)
                logits = functional.binary_cross_entropy_with_logits
                self.gradients(lambda x, y: logits(x, y, **last), x, y)
                self.gradients(lambda x, y, w: logits(x, y, weight=w, **last), x, y, weight)
                self.gradients(lambda x, y, w: logits(x, y, pos_weight=w, **last), x, y, weight)
                self.gradients(lambda x, y, w: logits(x, y, w, pos_weight=w.flip(0), **last), x, y, weight)
        odd = torch.tensor([0.0, 200.0, -200.0, float("inf"), -float("inf"), float("nan")])
        for label in [0.0, 0.5, 1.0]:
            y = torch.full((6,), label)
            self.gradients(lambda x, y: logits(x, y, reduction="none"), odd, y)
            self.gradients(lambda x, y: functional.smooth_l1_loss(x, y, reduction="none"), odd, y)
        edge = torch.tensor([0.0, 1.0, 1e-30, 0.5])
        for y in [torch.zeros(4), torch.ones(4), edge]:
            self.gradients(lambda x, y: functional.binary_cross_entropy(x, y, reduction="none"), edge, y)

    def test_gated_linear_units(self):
        for dtype in FLOATS:
            x = torch.randn(4, 6, 3).to(dtype)
            for dim in [0, 1, -2]:
                self.gradients(lambda x: torch.nn.functional.glu(x, dim), x)
            self.gradients(lambda x: torch.nn.functional.glu(x.transpose(1, 2)), x)

    def test_nan_to_num(self):
        odd = torch.tensor([1.5, -0.0, float("nan"), float("inf"), -float("inf")])
        for dtype in ALL:
            x = odd.to(dtype) if dtype in FLOATS else values(dtype, 5)
            self.same(lambda x: [x.nan_to_num(), x.nan_to_num(2.5, 7.0, -9.0), x.nan_to_num(posinf=1e30), x.clone().nan_to_num_(1.0)], x)

    def test_logsumexp(self):
        inf = float("inf")
        rows = torch.tensor([[1e4, 1e4], [-1e4, -1e4], [-inf, -inf], [inf, -inf], [inf, inf], [1.0, float("nan")]])
        self.same(lambda x: [x.logsumexp(1), x.logsumexp(0, keepdim=True), x.logsumexp((0, 1))], rows, near=True)
        self.gradients(lambda x: x.logsumexp(-1), torch.randn(4, 5))
        for dtype in FLOATS:
            self.same(lambda x: x.float().logsumexp(0).to(dtype) if x.is_cpu else x.logsumexp(0), values(dtype, 4, 5), near=True)
        self.same(lambda x: x.logsumexp(1), torch.arange(-6, 6).view(3, 4), near=True)


if __name__ == "__main__":
    unittest.main()
