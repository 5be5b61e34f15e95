// Broadcasting of two tensors for AI CPU kernels.
#ifndef HOSTCANN_AICPU_BCAST_H
#define HOSTCANN_AICPU_BCAST_H

#include <cstdint>
#include <vector>

#include "cpu_context.h"

namespace aicpu {

enum class BcastShapeType { SAME_SHAPE = 0, X_ONE_ELEMENT = 1, Y_ONE_ELEMENT = 2, DIFF_SHAPE = 3 };

struct BCalcInfo {
    Tensor* input_0{nullptr};
    Tensor* input_1{nullptr};
    Tensor* output{nullptr};
    // Of the inputs, with 1 in front to the result's rank, and how often each of its dims repeats.
    std::vector<int64_t> reshape_0;
    std::vector<int64_t> reshape_1;
    std::vector<int64_t> shape_out;
    std::vector<int64_t> bcast_0;
    std::vector<int64_t> bcast_1;
    // Element of each input for every element of the result.
    std::vector<int64_t> x_indexes;
    std::vector<int64_t> y_indexes;
};

class AICPU_VISIBILITY Bcast {
public:
    Bcast() = default;
    Bcast(std::vector<int64_t>& x_shape, std::vector<int64_t>& y_shape);

    // From the shapes of the inputs; KERNEL_STATUS_PARAM_INVALID when they do not broadcast.
    uint32_t GenerateBcastInfo(const BCalcInfo& calc_info);
    void GetBcastVec(BCalcInfo& calc_info);
    void BCastIndexes(std::vector<int64_t>& x_indexes, std::vector<int64_t>& y_indexes);
    int64_t GetBroadcastXIndex(int64_t index) const { return IndexIn(x_reshape_, index); }
    int64_t GetBroadcastYIndex(int64_t index) const { return IndexIn(y_reshape_, index); }
    bool IsValid() const { return valid_; }
    const std::vector<int64_t>& XReshape() const { return x_reshape_; }
    const std::vector<int64_t>& YReshape() const { return y_reshape_; }
    const std::vector<int64_t>& ResultShape() const { return result_shape_; }
    const std::vector<int64_t>& XBcast() const { return x_bcast_; }
    const std::vector<int64_t>& YBcast() const { return y_bcast_; }

private:
    uint32_t Init(const std::vector<int64_t>& x, const std::vector<int64_t>& y);
    int64_t IndexIn(const std::vector<int64_t>& shape, int64_t index) const;

    bool valid_{true};
    std::vector<int64_t> x_reshape_;
    std::vector<int64_t> y_reshape_;
    std::vector<int64_t> x_bcast_;
    std::vector<int64_t> y_bcast_;
    std::vector<int64_t> result_shape_;
};

} // namespace aicpu

#endif // HOSTCANN_AICPU_BCAST_H
