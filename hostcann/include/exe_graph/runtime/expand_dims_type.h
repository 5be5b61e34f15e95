#ifndef HOSTCANN_EXE_GRAPH_EXPAND_DIMS_TYPE_H
#define HOSTCANN_EXE_GRAPH_EXPAND_DIMS_TYPE_H

#include <cstddef>
#include <cstdint>
#include <cstring>

#include "exe_graph/runtime/shape.h"
#include "graph/error_codes.h"
#include "graph/types.h"

namespace gert {
// Which axes of the full shape are inserted ones. Text form: one character per axis, '1' = inserted, '0' = kept.
class ExpandDimsType {
public:
    using AxisIndex = uint64_t;
    static constexpr size_t kMaxExpandSize = 56;

    ExpandDimsType() : size_(0U), mask_(0U), reserved_{} {}
    explicit ExpandDimsType(const ge::char_t* const expand_dims_type) : ExpandDimsType()
    {
        const size_t size = expand_dims_type == nullptr ? 0U : std::strlen(expand_dims_type);
        if (size > kMaxExpandSize) {
            return;
        }
        size_ = size;
        for (AxisIndex i = 0; i < size; ++i) {
            if (expand_dims_type[i] == '1') {
                SetExpandIndex(i);
            }
        }
    }
    // Highest byte: number of axes; the rest: the mask.
    explicit ExpandDimsType(const int64_t reshape_type_mask) : ExpandDimsType()
    {
        if (reshape_type_mask == 0) {
            return;
        }
        const uint64_t word = static_cast<uint64_t>(reshape_type_mask);
        size_ = word >> kMaxExpandSize;
        mask_ = word & ((uint64_t{1} << kMaxExpandSize) - 1U);
    }

    bool operator==(const ExpandDimsType& other) const { return size_ == other.size_ && mask_ == other.mask_; }
    AxisIndex GetFullSize() const { return size_; }
    void SetExpandIndex(const AxisIndex index)
    {
        if (index < kMaxExpandSize) {
            mask_ = mask_ | (uint64_t{1} << index);
        }
    }
    bool IsExpandIndex(const AxisIndex index) const { return index < size_ && ((mask_ >> index) & 1U) != 0U; }

    ge::graphStatus Expand(const Shape& shape, Shape& out_shape) const
    {
        if (shape.GetDimNum() == static_cast<size_t>(size_)) {
            out_shape = shape;
            return ge::GRAPH_SUCCESS;
        }
        Shape expanded;
        size_t taken = 0;
        for (AxisIndex axis = 0; axis < size_; ++axis) {
            const bool inserted = IsExpandIndex(axis) || taken >= shape.GetDimNum();
            (void)expanded.AppendDim(inserted ? 1 : shape.GetDim(taken++));
        }
        while (taken < shape.GetDimNum()) {
            (void)expanded.AppendDim(shape.GetDim(taken++));
        }
        out_shape = expanded;
        return ge::GRAPH_SUCCESS;
    }
    ge::graphStatus Expand(Shape& shape) const { return Expand(Shape(shape), shape); }

private:
    uint64_t size_ : 8;
    uint64_t mask_ : kMaxExpandSize;
    uint8_t reserved_[40];
};
} // namespace gert

#endif
