"""Blocks of models through torch.compile on `npu`, compared with themselves on the CPU: no value farther than its tolerance, of the
largest size of the result."""

import math
import os
import unittest

# Whatever is compiled is counted: nothing comes whole out of a cache.
os.environ["TORCHINDUCTOR_FX_GRAPH_CACHE"] = "0"

import torch
import torch.nn as nn
import torch.nn.functional as F

from forked import Different, Table

# Of float; matrix products and convolutions add in another order.
CLOSE = 1e-5
PRODUCTS = 1e-4
# bfloat16 has 8 bits, and each operator rounds to it.
BFLOAT = 3e-2


def rms_norm(x, weight):
    return x * torch.rsqrt(x.pow(2).mean(-1, keepdim=True) + 1e-6) * weight


def swiglu(x):
    gate, up = x.chunk(2, -1)
    return F.silu(gate) * up


def rope(x, cos, sin):
    first, second = x.chunk(2, -1)
    return x * cos + torch.cat([-second, first], -1) * sin


class Attention(nn.Module):
    """Written out, with a causal mask."""

    def __init__(self, width, heads):
        super().__init__()
        self.heads, self.size = heads, width // heads
        self.qkv, self.out = nn.Linear(width, 3 * width, bias=False), nn.Linear(width, width, bias=False)

    def forward(self, x, cos, sin):
        batch, length, width = x.shape
        q, k, v = (part.view(batch, length, self.heads, self.size).transpose(1, 2) for part in self.qkv(x).chunk(3, -1))
        q, k = rope(q, cos, sin), rope(k, cos, sin)
        scores = q @ k.transpose(-1, -2) / math.sqrt(self.size)
        hidden = torch.ones(length, length, dtype=torch.bool, device=x.device).triu(1)
        shares = torch.softmax(scores.masked_fill(hidden, float("-inf")), -1)
        return self.out((shares @ v).transpose(1, 2).reshape(batch, length, width))


class Transformer(nn.Module):
    def __init__(self, width=64, heads=4):
        super().__init__()
        self.first, self.second = nn.Parameter(torch.rand(width) + 0.5), nn.Parameter(torch.rand(width) + 0.5)
        self.attention = Attention(width, heads)
        self.up, self.down = nn.Linear(width, 4 * width, bias=False), nn.Linear(2 * width, width, bias=False)

    def forward(self, x, cos, sin):
        x = x + self.attention(rms_norm(x, self.first), cos, sin)
        return x + self.down(swiglu(self.up(rms_norm(x, self.second))))


class Residual(nn.Module):
    """Of a ResNet, as it is used once trained."""

    def __init__(self, channels=16):
        super().__init__()
        self.first = nn.Conv2d(channels, channels, 3, padding=1, bias=False)
        self.second = nn.Conv2d(channels, channels, 3, padding=1, bias=False)
        self.norms = nn.ModuleList(nn.BatchNorm2d(channels) for _ in range(2))
        for norm in self.norms:
            nn.init.uniform_(norm.running_mean, -1, 1)
            nn.init.uniform_(norm.running_var, 0.5, 2)
        self.eval()

    def forward(self, x):
        return torch.relu(self.norms[1](self.second(torch.relu(self.norms[0](self.first(x))))) + x)


class Cell(nn.Module):
    """Of an LSTM."""

    def __init__(self, width=48):
        super().__init__()
        self.given, self.kept = nn.Linear(width, 4 * width), nn.Linear(width, 4 * width)

    def forward(self, x, hidden, state):
        i, f, g, o = (self.given(x) + self.kept(hidden)).chunk(4, 1)
        after = torch.sigmoid(f) * state + torch.sigmoid(i) * torch.tanh(g)
        return torch.sigmoid(o) * torch.tanh(after), after


def angles(length, size):
    turn = torch.arange(length)[:, None] * 1e4 ** (-torch.arange(0, size, 2) / size)
    turn = torch.cat([turn, turn], -1)
    return turn.cos(), turn.sin()


def cross_entropy_and_gradient(logits, wanted):
    logits = logits.detach().requires_grad_()
    loss = F.cross_entropy(logits, wanted)
    return loss, torch.autograd.grad(loss, logits)[0]


# Name: function or module, operands, tolerance.
MODELS = {
    "rms_norm": lambda: (rms_norm, (torch.randn(6, 200), torch.rand(200)), CLOSE),
    "rms_norm_bfloat16": lambda: (rms_norm, (torch.randn(6, 200).bfloat16(), torch.rand(200).bfloat16()), BFLOAT),
    "layer_norm": lambda: (nn.LayerNorm(200), (torch.randn(6, 200),), CLOSE),
    "swiglu": lambda: (swiglu, (torch.randn(6, 256),), CLOSE),
    "swiglu_bfloat16": lambda: (swiglu, (torch.randn(6, 256).bfloat16(),), BFLOAT),
    "rope": lambda: (rope, (torch.randn(2, 4, 12, 64), *angles(12, 64)), CLOSE),
    "cross_entropy": lambda: (F.cross_entropy, (torch.randn(12, 100), torch.randint(100, (12,))), CLOSE),
    "cross_entropy_soft": lambda: (F.cross_entropy, (torch.randn(12, 100), torch.randn(12, 100).softmax(-1)), CLOSE),
    "cross_entropy_gradient": lambda: (cross_entropy_and_gradient, (torch.randn(12, 100), torch.randint(100, (12,))), CLOSE),
    "lstm_cell": lambda: (Cell(), tuple(torch.randn(5, 48) for _ in range(3)), PRODUCTS),
    "resnet_block": lambda: (Residual(), (torch.randn(2, 16, 8, 8),), PRODUCTS),
    "transformer_block": lambda: (Transformer(), (torch.randn(2, 12, 64), *angles(12, 16)), PRODUCTS),
}


def case(make):
    def run():
        torch.manual_seed(0)
        model, operands, tolerance = make()
        with torch.set_grad_enabled(model is cross_entropy_and_gradient):
            expected = model(*operands)
            model = model.to("npu") if isinstance(model, nn.Module) else model
            results = torch.compile(model)(*[operand.npu() for operand in operands])
        several = isinstance(expected, tuple)
        for wanted, result in zip(expected if several else [expected], results if several else [results]):
            if (wanted.shape, wanted.dtype) != (result.shape, result.dtype):
                raise Different(f"{result.dtype} {tuple(result.shape)} in place of {wanted.dtype} {tuple(wanted.shape)}")
            away = ((result.cpu().double() - wanted.double()).abs().max() / wanted.double().abs().max()).item()
            if not away <= tolerance:
                raise Different(f"{away:.1e} of the largest size, {tolerance:.0e} is allowed")
    return run


TABLE = Table(f"torch {torch.__version__}")


class Models(unittest.TestCase):
    tearDownClass = classmethod(lambda cls: print(TABLE.text(), flush=True))


for _name, _make in MODELS.items():
    setattr(Models, f"test_{_name}", lambda self, name=_name, make=_make: TABLE.check(self, name, case(make)))


if __name__ == "__main__":
    unittest.main()
