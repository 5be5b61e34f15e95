#ifndef HOSTCANN_EXE_GRAPH_SHAPE_H
#define HOSTCANN_EXE_GRAPH_SHAPE_H

#include <array>
#include <cstddef>
#include <cstdint>
#include <cstring>
#include <initializer_list>
#include <iostream>
#include <limits>
#include <type_traits>
#include <vector>

#include "utils/extern_math_util.h"

namespace gert {
struct Shape {
public:
    static constexpr size_t kMaxDimNum = 25;
    static constexpr int64_t kInvalidDimValue = std::numeric_limits<int64_t>::min();

    Shape() : dim_num_(0), dims_{}, reserved_{} {}
    // More than kMaxDimNum values give an empty shape.
    Shape(const std::initializer_list<int64_t>& args) : Shape()
    {
        if (args.size() > kMaxDimNum) {
            return;
        }
        for (const int64_t value : args) {
            dims_[dim_num_++] = value;
        }
    }
    Shape(const Shape& other) : Shape() { *this = other; }
    Shape& operator=(const Shape& other)
    {
        if (this != &other) {
            dim_num_ = other.dim_num_;
            for (size_t i = 0; i < kMaxDimNum; ++i) {
                dims_[i] = other.dims_[i];
            }
        }
        return *this;
    }

    bool operator==(const Shape& rht) const
    {
        if (dim_num_ != rht.dim_num_) {
            return false;
        }
        for (size_t i = 0; i < dim_num_; ++i) {
            if (dims_[i] != rht.dims_[i]) {
                return false;
            }
        }
        return true;
    }
    bool operator!=(const Shape& rht) const { return !(*this == rht); }

    // Product of the dims: 1 for a scalar, INT64_MIN on overflow.
    int64_t GetShapeSize() const
    {
        int64_t size = 1;
        for (size_t i = 0; i < dim_num_; ++i) {
            if (__builtin_mul_overflow(size, dims_[i], &size)) {
                return kInvalidDimValue;
            }
        }
        return size;
    }
    bool IsScalar() const { return dim_num_ == 0; }
    void SetScalar() { dim_num_ = 0; }

    size_t GetDimNum() const { return dim_num_; }
    // A count above kMaxDimNum is ignored.
    void SetDimNum(const size_t dim_num)
    {
        if (dim_num <= kMaxDimNum) {
            dim_num_ = dim_num;
        }
    }
    // Bounded by kMaxDimNum, not by the dim count.
    int64_t GetDim(const size_t idx) const { return idx < kMaxDimNum ? dims_[idx] : kInvalidDimValue; }
    // No bounds check against the dim count: the caller keeps idx < kMaxDimNum.
    const int64_t& operator[](const size_t idx) const { return dims_[idx]; }
    int64_t& operator[](const size_t idx) { return dims_[idx]; }
    // Raises the dim count to idx, not idx + 1, as upstream does: call SetDimNum first.
    void SetDim(size_t idx, const int64_t dim_value)
    {
        if (idx >= kMaxDimNum) {
            return;
        }
        dims_[idx] = dim_value;
        dim_num_ = dim_num_ < idx ? idx : dim_num_;
    }
    Shape& AppendDim(const int64_t value)
    {
        if (dim_num_ < kMaxDimNum) {
            dims_[dim_num_++] = value;
        }
        return *this;
    }

private:
    size_t dim_num_;
    int64_t dims_[kMaxDimNum];
    uint8_t reserved_[40];
};
static_assert(std::is_standard_layout<Shape>::value, "contexts address Shape by its binary layout");
static_assert(sizeof(Shape) == 248, "size of gert::Shape on a real toolkit");
} // namespace gert

#endif
