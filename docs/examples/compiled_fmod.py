"""torch.compile on the host toolkit: `cargo xtask torch run docs/examples/compiled_fmod.py`."""

import os
import tempfile

import torch
import torch_npu  # noqa: F401

graphs = os.environ.setdefault("AUTOFUSE_RECORD", tempfile.mkdtemp())


def remainder(x, y):
    return x - torch.trunc(x / y) * y


def step(x, y, z):
    return torch.fmod(x, y).abs() + z


x, y, z = torch.randn(6, 40) * 5, torch.rand(40) + 0.5, torch.rand(6, 1)
first = torch.compile(remainder)(x.npu(), y.npu())
second = torch.compile(step, dynamic=True)(x.npu(), y.npu(), z.npu())
assert torch.equal(first.cpu(), remainder(x, y))
assert torch.equal(second.cpu(), remainder(x, y).abs() + z)
print("the same bits as torch on the CPU")
for name in sorted(os.listdir(graphs)):
    print(f"cargo xtask ascgraph dump {os.path.join(graphs, name)}")
