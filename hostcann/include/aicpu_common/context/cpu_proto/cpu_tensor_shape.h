// Shape and format of a tensor of an AI CPU kernel.
#ifndef HOSTCANN_AICPU_CPU_TENSOR_SHAPE_H
#define HOSTCANN_AICPU_CPU_TENSOR_SHAPE_H

#include <cstdint>
#include <memory>
#include <vector>

#include "cpu_types.h"

namespace aicpu {

class AICPU_VISIBILITY TensorShape {
    friend class CpuKernelUtils;

public:
    void SetFormat(Format format) { format_ = format; }
    Format GetFormat() const { return format_; }
    bool GetUnknownRank() const { return unknownRank_; }
    void SetUnknownRank(bool unknownRank) { unknownRank_ = unknownRank; }
    void SetDimSizes(const std::vector<int64_t>& dims) { dims_ = dims; }
    std::vector<int64_t> GetDimSizes() const { return dims_; }
    // 0 for an index out of range.
    int64_t GetDimSize(int32_t index) const;
    // -1 when the rank is unknown.
    int32_t GetDims() const;
    // -1 when the rank or a dim is unknown.
    int64_t NumElements() const;

private:
    TensorShape() = default;

    std::vector<int64_t> dims_;
    Format format_{FORMAT_ND};
    bool unknownRank_{false};
};

} // namespace aicpu

#endif // HOSTCANN_AICPU_CPU_TENSOR_SHAPE_H
