"""`torch.ops.torch_extension`: scaled and remainder."""

import torch
import torch_npu  # noqa: F401

from . import _C  # noqa: F401

scaled = torch.ops.torch_extension.scaled
remainder = torch.ops.torch_extension.remainder
