"""Six models trained on `npu` as their authors wrote them, next to the same training on the CPU: the same seed, the same
data, the loss of every step compared. Masks of a dropout are random on both sides, so the model with one is compared by
what it learns, and the dropout itself by its statistics."""

import math
import unittest

import torch
import torch_npu  # noqa: F401
from torch import nn
from torch.nn import functional

STEPS = 12


class Attention(nn.Module):
    """A language model's layer on top of vectors: attention with a causal mask, a pooled classifier."""

    def __init__(self):
        super().__init__()
        self.layer = nn.TransformerEncoderLayer(16, 4, 32, dropout=0.0, batch_first=True, activation="gelu", norm_first=True)
        self.head = nn.Linear(16, 3)

    def forward(self, x):
        mask = nn.Transformer.generate_square_subsequent_mask(x.size(1), device=x.device)
        return self.head(self.layer(x, src_mask=mask, is_causal=True).mean(1))


class Recurrent(nn.Module):
    def __init__(self, layers, bidirectional):
        super().__init__()
        self.layers = nn.LSTM(6, 8, num_layers=layers, batch_first=True, bidirectional=bidirectional)
        self.head = nn.Linear(16 if bidirectional else 8, 3)

    def forward(self, x):
        states, (last, _) = self.layers(x)
        return self.head(states.mean(1)) + last[-1, :, :3]


class Step(nn.Module):
    """A cell, called step by step."""

    def __init__(self):
        super().__init__()
        self.cell = nn.LSTMCell(6, 8)
        self.head = nn.Linear(8, 3)

    def forward(self, x):
        state = None
        for step in x.unbind(1):
            state = self.cell(step, state)
        return self.head(state[0])


class Words(nn.Module):
    def __init__(self, dropout):
        super().__init__()
        self.table = nn.Embedding(20, 12, padding_idx=0)
        self.drop = nn.Dropout(dropout)
        self.head = nn.Linear(12, 3)

    def forward(self, x):
        return self.head(self.drop(self.table(x)).mean(1))


def perceptron():
    return nn.Sequential(nn.Linear(8, 32), nn.LayerNorm(32), nn.GELU(), nn.Linear(32, 32), nn.ReLU6(), nn.Linear(32, 3))


def convolutional():
    return nn.Sequential(
        nn.Conv2d(2, 6, 3, padding=1, bias=False), nn.BatchNorm2d(6), nn.ReLU(), nn.MaxPool2d(2),
        nn.Conv2d(6, 8, 3, stride=2, padding=1, groups=2), nn.BatchNorm2d(8), nn.ReLU(),
        nn.AdaptiveAvgPool2d(1), nn.Flatten(), nn.Linear(8, 3))


def adam(parameters):
    return torch.optim.AdamW(parameters, lr=0.01, weight_decay=0.05)


def momentum(parameters):
    return torch.optim.SGD(parameters, lr=0.05, momentum=0.9)


def labels(x):
    """A class that a model can learn from its input."""
    flat = x.flatten(1).float()
    return (flat[:, 0] > 0).long() + (flat[:, 1] > flat[:, 2]).long()


class Training(unittest.TestCase):
    """Tolerances hold for the loss of each step and, after the last one, for each parameter and buffer."""

    def train(self, device, make, optimizer, x, y, forward=None, steps=STEPS):
        torch.manual_seed(5)
        model = make()
        model.to(device).train()
        optimizer, x, y = optimizer(model.parameters()), x.to(device), y.to(device)
        losses = []
        for _ in range(steps):
            optimizer.zero_grad()
            loss = functional.cross_entropy(model(x) if forward is None else forward(model, x), y)
            loss.backward()
            optimizer.step()
            losses.append(loss.item())
        return losses, {name: value.detach().cpu() for name, value in model.state_dict().items()}

    def same(self, make, optimizer, x, y, loss=1e-4, weight=2e-3, steps=STEPS):
        """`loss` is relative, `weight` absolute: AdamW divides by the size of a gradient, so that a gradient near 0 makes a
        step of any sign."""
        expected, golden = self.train("cpu", make, optimizer, x, y, steps=steps)
        losses, weights = self.train("npu", make, optimizer, x, y, steps=steps)
        print(f"{self._testMethodName}: {losses[0]:.4f} -> {losses[-1]:.4f}, cpu {expected[-1]:.4f}", flush=True)
        for step, (got, cpu) in enumerate(zip(losses, expected)):
            self.assertTrue(math.isclose(got, cpu, rel_tol=loss), (step, losses, expected))
        self.assertLess(losses[-1], 0.8 * losses[0])
        for name, value in golden.items():
            torch.testing.assert_close(weights[name], value, rtol=0, atol=weight, msg=lambda text: f"{name}: {text}")

    def setUp(self):
        torch.manual_seed(4)

    def test_perceptron_with_layer_norm(self):
        x = torch.randn(48, 8)
        self.same(perceptron, adam, x, labels(x))

    def test_convolutions_with_batch_norm(self):
        x = torch.randn(24, 2, 8, 8)
        x[:, 0] += x[:, 0, :1, :1] * 2
        self.same(convolutional, momentum, x, (x[:, 0, 0, 0] > 0).long())

    def test_batch_norm_in_evaluation(self):
        x = torch.randn(24, 2, 8, 8)
        results = []
        for device in ["cpu", "npu"]:
            torch.manual_seed(5)
            model = convolutional().to(device)
            model(x.to(device))
            results.append(model.eval()(x.to(device)).detach().cpu())
        torch.testing.assert_close(*results)

    def test_transformer_layer(self):
        x = torch.randn(16, 6, 16)
        self.same(Attention, adam, x, labels(x), weight=1e-2)

    def test_recurrent_layer(self):
        """torch_npu calls aclnnLSTM for it."""
        x = torch.randn(24, 7, 6)
        self.same(lambda: Recurrent(1, False), adam, x, labels(x), steps=3 * STEPS)

    def test_recurrent_layers(self):
        """torch_npu calls DynamicRNN for each layer and direction."""
        x = torch.randn(24, 7, 6)
        self.same(lambda: Recurrent(2, True), adam, x, labels(x), steps=3 * STEPS)

    def test_recurrent_cell(self):
        x = torch.randn(24, 4, 6)
        self.same(Step, adam, x, labels(x.flip(1)), steps=3 * STEPS)

    def test_embedding(self):
        x = torch.randint(0, 20, (48, 4))
        self.same(lambda: Words(0.0), adam, x, (x[:, 0] > 9).long())

    def test_embedding_with_dropout(self):
        """The masks differ from the CPU's: the mean of the last losses is near, and falls as far."""
        x = torch.randint(0, 20, (48, 4))
        y = (x > 9).sum(1).clamp(max=2)
        means = []
        for device in ["cpu", "npu"]:
            losses, _ = self.train(device, lambda: Words(0.3), adam, x, y, steps=60)
            print(f"{self._testMethodName}: {device} {losses[0]:.4f} -> {losses[-1]:.4f}", flush=True)
            means.append(sum(losses[-10:]) / 10)
            self.assertLess(means[-1], 0.7 * losses[0])
        self.assertTrue(math.isclose(*means, rel_tol=0.15), means)

    def test_dropout(self):
        """What is kept is divided by the probability to keep it, 0 is the rest, and gradients have the same mask."""
        for dtype in [torch.float32, torch.float16, torch.bfloat16]:
            x = torch.full((64, 512), 3.0, dtype=dtype, device="npu", requires_grad=True)
            for probability in [0.1, 0.5, 0.9]:
                result = functional.dropout(x, probability)
                (grad,) = torch.autograd.grad(result, x, torch.ones_like(result))
                kept = (result != 0).cpu()
                share = kept.float().mean().item()
                # 32768 draws: five standard deviations are less than 0.014.
                self.assertLess(abs(share - (1 - probability)), 0.014)
                value = torch.tensor(3.0 / (1 - probability)).to(dtype)
                self.assertEqual(set(result.cpu()[kept].tolist()), {value.item()})
                self.assertTrue(torch.equal((grad != 0).cpu(), kept))
                for dim in [0, 1]:
                    rows = kept.float().mean(dim)
                    self.assertLess((rows - share).abs().max().item(), 0.35, "the mask has no pattern")
            torch.manual_seed(3)
            first = functional.dropout(x, 0.5)
            second = functional.dropout(x, 0.5)
            torch.manual_seed(3)
            self.assertTrue(torch.equal(functional.dropout(x, 0.5), first), "the seed decides")
            self.assertFalse(torch.equal(first, second), "the next mask is another")
        whole = torch.ones(7, device="npu")
        self.assertTrue(torch.equal(functional.dropout(whole, 0.0), whole))
        self.assertTrue(torch.equal(functional.dropout(whole, 1.0), torch.zeros_like(whole)))
        self.assertTrue(torch.equal(functional.dropout(whole, 0.5, training=False), whole))

    def test_mixed_precision(self):
        """float16 where autocast says so, with a scaled loss: near the training in float32. A gradient that overflows skips
        its step and halves the scale."""
        x = torch.randn(48, 8)
        y = labels(x)
        expected, _ = self.train("cpu", perceptron, adam, x, y)
        torch.manual_seed(5)
        model = perceptron()
        model.to("npu")
        optimizer, scaler = adam(model.parameters()), torch.amp.GradScaler("npu", init_scale=2.0**10, growth_interval=5)
        losses = []
        for _ in range(STEPS):
            optimizer.zero_grad()
            with torch.autocast("npu", dtype=torch.float16):
                result = model(x.npu())
                loss = functional.cross_entropy(result.float(), y.npu())
            self.assertEqual(result.dtype, torch.float16)
            scaler.scale(loss).backward()
            scaler.unscale_(optimizer)
            nn.utils.clip_grad_norm_(model.parameters(), 10.0)
            scaler.step(optimizer)
            scaler.update()
            losses.append(loss.item())
        print(f"{self._testMethodName}: {losses[0]:.4f} -> {losses[-1]:.4f}, float32 {expected[-1]:.4f}", flush=True)
        for got, cpu in zip(losses, expected):
            self.assertTrue(math.isclose(got, cpu, rel_tol=0.02), (losses, expected))
        self.assertLess(losses[-1], 0.8 * losses[0])
        self.assertEqual(scaler.get_scale(), 2.0**12, "it has grown every fifth step")
        before = [parameter.detach().clone() for parameter in model.parameters()]
        optimizer.zero_grad()
        scaler.scale(functional.cross_entropy(model(x.npu()), y.npu())).backward()
        next(model.parameters()).grad[0, 0] = float("inf")
        scaler.step(optimizer)
        scaler.update()
        self.assertEqual(scaler.get_scale(), 2.0**11)
        for old, new in zip(before, model.parameters()):
            self.assertTrue(torch.equal(old, new.detach()), "no step")


if __name__ == "__main__":
    unittest.main()
