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
"""Goldens of the *_cases.json beside this file: numpy's fmod, which is C's, and 0 for an integer zero divisor."""

import numpy as np
from ml_dtypes import bfloat16


def result_type(self, other):
    """The type that is computed in. A shape of [] makes other an aclScalar, which does not widen a type of its kind."""

    def floating(dtype):
        return dtype == bfloat16 or np.issubdtype(dtype, np.floating)

    if other.ndim == 0:
        if floating(self.dtype):
            return self.dtype
        return np.dtype(np.float32) if floating(other.dtype) else self.dtype
    if floating(self.dtype) != floating(other.dtype):
        return self.dtype if floating(self.dtype) else other.dtype
    return np.promote_types(self.dtype, other.dtype)


def fmod(self, other):
    """The remainder of every format is a number of the format, so a wider one computes the same."""
    dtype = result_type(self, other)
    if dtype in (bfloat16, np.float16):
        wide = np.float32
    elif dtype == np.float32:
        wide = np.float64
    else:
        wide = np.int64
    # A floating-point divisor is rounded to the type that is computed in; an integer one counts as it is given.
    y = other.astype(wide) if wide is np.int64 else other.astype(dtype).astype(wide)
    x = self.astype(dtype).astype(wide)
    with np.errstate(all="ignore"):
        return [np.ascontiguousarray(np.fmod(x, y).astype(dtype))]


def fmod_v2(self, other, precisionMode):
    """Both precision modes approximate the same remainder."""
    return fmod(self, other)
