"""torch.fmod on the host toolkit: `cargo xtask torch run docs/examples/fmod.py`."""

import torch
import torch_npu  # noqa: F401

x = torch.tensor([5.3, -5.3, 5.3, -5.3])
y = torch.tensor([2.0, 2.0, -2.0, -2.0])
on_npu = torch.fmod(x.npu(), y.npu())
print("device   ", on_npu.device, torch.npu.get_device_name())
print("fmod     ", on_npu.cpu())
print("remainder", torch.remainder(x, y), "(torch's other one: the sign of the divisor)")
assert torch.equal(on_npu.cpu(), torch.fmod(x, y))

a, b = x.npu().requires_grad_(), y.npu().requires_grad_()
torch.fmod(a, b).sum().backward()
print("gradients", a.grad.cpu(), b.grad.cpu())

for dtype in (torch.float16, torch.bfloat16, torch.int32, torch.int16, torch.int8, torch.uint8):
    rows, divisors = torch.arange(12).reshape(3, 4).to(dtype), torch.tensor([5, 3, 7, 4]).to(dtype)
    assert torch.equal(torch.fmod(rows.npu(), divisors.npu()).cpu(), torch.fmod(rows, divisors)), dtype
print("the same as torch on the CPU, in every type")
