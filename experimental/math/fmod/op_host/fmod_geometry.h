/**
 * Copyright (c) 2026 The Fmod operator authors.
 * This program is free software, you can redistribute it and/or modify it under the terms and conditions of
 * CANN Open Software License Agreement Version 2.0 (the "License").
 * Please refer to the License for details. You may not use this file except in compliance with the License.
 * THIS SOFTWARE IS PROVIDED ON AN "AS IS" BASIS, WITHOUT WARRANTIES OF ANY KIND, EITHER EXPRESS OR IMPLIED,
 * INCLUDING BUT NOT LIMITED TO NON-INFRINGEMENT, MERCHANTABILITY, OR FITNESS FOR A PARTICULAR PURPOSE.
 * See LICENSE in the root of the software repository for the full text of the License.
 */

/*!
 * \file fmod_geometry.h
 * \brief Strides of tensors along the axes of the result, for tiling and aclnn: broadcasting as stride 0, merged axes.
 */
#ifndef FMOD_GEOMETRY_H
#define FMOD_GEOMETRY_H

#include <cstddef>
#include <cstdint>
#include <vector>

namespace fmod_geometry {
using Dims = std::vector<int64_t>;

// The walk over the output shape with the element strides of every tensor, outermost axis first.
struct Walk {
    Dims dims;
    Dims x1;
    Dims x2;
    Dims y;
};

inline Dims ContiguousStrides(const Dims& shape)
{
    Dims strides(shape.size(), 1);
    for (size_t i = shape.size(); i > 1; i--) {
        strides[i - 2] = strides[i - 1] * shape[i - 1];
    }
    return strides;
}

// Strides of a tensor along the axes of the broadcast shape: 0 where it has one element for many.
inline Dims BroadcastStrides(const Dims& shape, const Dims& strides, const Dims& target)
{
    Dims result(target.size(), 0);
    const size_t shift = target.size() - shape.size();
    for (size_t i = 0; i < shape.size(); i++) {
        result[i + shift] = shape[i] == 1 ? 0 : strides[i];
    }
    return result;
}

// Drops axes of one element and merges neighbours that every tensor walks in one stride.
inline Walk Merge(const Walk& walk)
{
    Walk merged;
    for (size_t i = 0; i < walk.dims.size(); i++) {
        if (walk.dims[i] == 1) {
            continue;
        }
        const bool joins = !merged.dims.empty() && merged.x1.back() == walk.x1[i] * walk.dims[i] &&
                           merged.x2.back() == walk.x2[i] * walk.dims[i] && merged.y.back() == walk.y[i] * walk.dims[i];
        if (joins) {
            merged.dims.back() *= walk.dims[i];
            merged.x1.back() = walk.x1[i];
            merged.x2.back() = walk.x2[i];
            merged.y.back() = walk.y[i];
        } else {
            merged.dims.push_back(walk.dims[i]);
            merged.x1.push_back(walk.x1[i]);
            merged.x2.push_back(walk.x2[i]);
            merged.y.push_back(walk.y[i]);
        }
    }
    return merged;
}

// Whether strided copies can move a tensor: elements of a row are adjacent and rows do not overlap, or rows are one
// element each and these are adjacent. An axis along which the tensor is broadcast has stride 0.
inline bool HasDenseRows(const Dims& dims, const Dims& strides)
{
    const int64_t rowStride = dims.size() > 1 ? strides[dims.size() - 2] : 0;
    if (strides.back() == 1) {
        return rowStride == 0 || rowStride >= dims.back();
    }
    return strides.back() == 0 && (rowStride == 0 || rowStride == 1);
}

inline bool HasDenseRows(const Walk& merged)
{
    return merged.dims.empty() || (merged.y.back() == 1 && HasDenseRows(merged.dims, merged.y) &&
                                   HasDenseRows(merged.dims, merged.x1) && HasDenseRows(merged.dims, merged.x2));
}
} // namespace fmod_geometry
#endif // FMOD_GEOMETRY_H
