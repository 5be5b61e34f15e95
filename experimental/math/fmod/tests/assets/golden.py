#!/usr/bin/env python3
# -*- coding: UTF-8 -*-
# ----------------------------------------------------------------------------
# Copyright (c) 2026 The Fmod operator authors.
# This program is free software, you can redistribute it and/or modify it under the terms and conditions of
# CANN Open Software License Agreement Version 2.0 (the "License").
# Please refer to the License for details. You may not use this file except in compliance with the License.
# THIS SOFTWARE IS PROVIDED ON AN "AS IS" BASIS, WITHOUT WARRANTIES OF ANY KIND, EITHER EXPRESS OR IMPLIED,
# INCLUDING BUT NOT LIMITED TO NON-INFRINGEMENT, MERCHANTABILITY, OR FITNESS FOR A PARTICULAR PURPOSE.
# See LICENSE in the root of the software repository for the full text of the License.
# ----------------------------------------------------------------------------
import torch

__golden__ = {
    "aclnn": {
        "aclnnFmodTensor": "fmod_tensor",
        "aclnnInplaceFmodTensor": "fmod_tensor",
        "aclnnFmodTensorV2": "fmod_tensor",
        "aclnnInplaceFmodTensorV2": "fmod_tensor",
        "aclnnFmodScalar": "fmod_scalar",
        "aclnnInplaceFmodScalar": "fmod_scalar",
        "aclnnFmodScalarV2": "fmod_scalar",
        "aclnnInplaceFmodScalarV2": "fmod_scalar",
    },
}


def fmod(self, other):
    """torch.fmod, and 0 where an integer is divided by 0, for which torch raises an error."""
    if self.is_floating_point() or other.is_floating_point():
        return torch.fmod(self, other)
    zero = other == 0
    return torch.where(
        zero,
        torch.zeros_like(self),
        torch.fmod(self, torch.where(zero, torch.ones_like(other), other)),
    )


def fmod_tensor(self, other, *args, **kwargs):
    """Parameters follow the first phase: a precisionMode and out may come behind, both modes mean the same remainder."""
    return fmod(self, other)


def fmod_scalar(self, other, *args, **kwargs):
    """A scalar is rounded to the type of the tensor, which the golden may get in a wider one."""
    if self.is_floating_point():
        narrow = str(kwargs.get("tensor_dtypes", [""])[0])
        dtype = getattr(torch, narrow, self.dtype)
        other = torch.tensor(other, dtype=torch.float32).to(dtype).to(self.dtype)
    else:
        other = torch.tensor(other)
    return fmod(self, other)
