"""How far compiled results may be from torch on the CPU."""

import torch

INTEGER = {torch.int32, torch.int64, torch.int16, torch.int8, torch.uint8, torch.bool}


def ulps(result, expected, least=0.0):
    """The largest distance in units of the last place of the expected value, or of `least` where that is larger. Infinite
    where one is a NaN, an infinity or of another sign of infinity and the other is not."""
    result, expected = result.cpu(), expected.cpu()
    assert result.shape == expected.shape and result.dtype == expected.dtype, (
        result.shape, result.dtype, expected.shape, expected.dtype)
    if result.numel() == 0:
        return 0.0
    if expected.dtype in INTEGER:
        return (result.long() - expected.long()).abs().max().item()
    digits = {torch.float32: 23, torch.float16: 10, torch.bfloat16: 7}[expected.dtype]
    smallest = {torch.float32: -126, torch.float16: -14, torch.bfloat16: -126}[expected.dtype]
    got, want = result.double(), expected.double()
    same = (got == want) | (got.isnan() & want.isnan())
    finite = got.isfinite() & want.isfinite()
    if not (same | finite).all():
        return float("inf")
    size = want.abs().clamp(min=max(least, 2.0**smallest))
    unit = torch.exp2(torch.floor(torch.log2(torch.where(finite, size, torch.ones_like(size)))) - digits)
    away = torch.where(same, torch.zeros_like(got), (got - want).abs() / unit)
    return away.max().item()
