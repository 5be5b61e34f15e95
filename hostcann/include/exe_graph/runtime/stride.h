#ifndef HOSTCANN_EXE_GRAPH_STRIDE_H
#define HOSTCANN_EXE_GRAPH_STRIDE_H

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
struct Stride {
public:
    static constexpr size_t kMaxDimNum = 25;
    static constexpr int64_t kInvalidStrideValue = std::numeric_limits<int64_t>::min();

    Stride() : dim_num_(0), strides_{}, reserved_{} {}
    // More than kMaxDimNum values give an empty stride.
    Stride(const std::initializer_list<int64_t>& args) : Stride()
    {
        if (args.size() > kMaxDimNum) {
            return;
        }
        for (const int64_t value : args) {
            strides_[dim_num_++] = value;
        }
    }
    Stride(const Stride& other) : Stride() { *this = other; }
    Stride& operator=(const Stride& other)
    {
        if (this != &other) {
            dim_num_ = other.dim_num_;
            for (size_t i = 0; i < kMaxDimNum; ++i) {
                strides_[i] = other.strides_[i];
            }
        }
        return *this;
    }

    bool operator==(const Stride& rht) const
    {
        if (dim_num_ != rht.dim_num_) {
            return false;
        }
        for (size_t i = 0; i < dim_num_; ++i) {
            if (strides_[i] != rht.strides_[i]) {
                return false;
            }
        }
        return true;
    }
    bool operator!=(const Stride& rht) const { return !(*this == rht); }

    size_t GetDimNum() const { return dim_num_; }
    // A count above kMaxDimNum is ignored.
    void SetDimNum(const size_t dim_num)
    {
        if (dim_num <= kMaxDimNum) {
            dim_num_ = dim_num;
        }
    }
    // Bounded by kMaxDimNum, not by the dim count.
    int64_t GetStride(const size_t idx) const { return idx < kMaxDimNum ? strides_[idx] : kInvalidStrideValue; }
    // No bounds check against the dim count: the caller keeps idx < kMaxDimNum.
    const int64_t& operator[](const size_t idx) const { return strides_[idx]; }
    int64_t& operator[](const size_t idx) { return strides_[idx]; }
    // Raises the dim count to idx, not idx + 1, as upstream does: call SetDimNum first.
    void SetStride(size_t idx, const int64_t stride_value)
    {
        if (idx >= kMaxDimNum) {
            return;
        }
        strides_[idx] = stride_value;
        dim_num_ = dim_num_ < idx ? idx : dim_num_;
    }
    Stride& AppendStride(const int64_t value)
    {
        if (dim_num_ < kMaxDimNum) {
            strides_[dim_num_++] = value;
        }
        return *this;
    }

private:
    size_t dim_num_;
    int64_t strides_[kMaxDimNum];
    uint8_t reserved_[40];
};
static_assert(std::is_standard_layout<Stride>::value, "contexts address Stride by its binary layout");
static_assert(sizeof(Stride) == 248, "size of gert::Stride on a real toolkit");
} // namespace gert

#endif
