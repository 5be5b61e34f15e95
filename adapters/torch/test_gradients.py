"""Losses of built-in operators on `npu` tensors, results and gradients, against torch on the CPU."""

import unittest

import torch
import torch_npu  # noqa: F401
from alike import FLOATS, Alike


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


if __name__ == "__main__":
    unittest.main()
