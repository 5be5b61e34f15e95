#include "bcast.h"

#include "kernel_util.h"

namespace aicpu {

Bcast::Bcast(std::vector<int64_t>& x_shape, std::vector<int64_t>& y_shape) { (void)Init(x_shape, y_shape); }

uint32_t Bcast::Init(const std::vector<int64_t>& x, const std::vector<int64_t>& y)
{
    const size_t rank = std::max(x.size(), y.size());
    x_reshape_.assign(rank - x.size(), 1);
    x_reshape_.insert(x_reshape_.end(), x.begin(), x.end());
    y_reshape_.assign(rank - y.size(), 1);
    y_reshape_.insert(y_reshape_.end(), y.begin(), y.end());
    result_shape_.clear();
    x_bcast_.clear();
    y_bcast_.clear();
    for (size_t d = 0; d < rank; ++d) {
        const int64_t a = x_reshape_[d];
        const int64_t b = y_reshape_[d];
        valid_ = a == b || a == 1 || b == 1;
        KERNEL_CHECK_FALSE(valid_, KERNEL_STATUS_PARAM_INVALID, "the shapes [%s] and [%s] do not broadcast",
                           VectorToString(x).c_str(), VectorToString(y).c_str());
        const int64_t dim = a == 1 ? b : a;
        result_shape_.push_back(dim);
        x_bcast_.push_back(a == 1 ? dim : 1);
        y_bcast_.push_back(b == 1 ? dim : 1);
    }
    return KERNEL_STATUS_OK;
}

int64_t Bcast::IndexIn(const std::vector<int64_t>& shape, int64_t index) const
{
    int64_t place = 0;
    int64_t step = 1;
    for (size_t d = shape.size(); d-- > 0;) {
        const int64_t at = result_shape_[d] == 0 ? 0 : index % result_shape_[d];
        index = result_shape_[d] == 0 ? 0 : index / result_shape_[d];
        place += shape[d] == 1 ? 0 : at * step;
        step *= shape[d];
    }
    return place;
}

uint32_t Bcast::GenerateBcastInfo(const BCalcInfo& calc_info)
{
    return Init(calc_info.input_0->GetTensorShape()->GetDimSizes(), calc_info.input_1->GetTensorShape()->GetDimSizes());
}

void Bcast::GetBcastVec(BCalcInfo& calc_info)
{
    calc_info.reshape_0 = x_reshape_;
    calc_info.reshape_1 = y_reshape_;
    calc_info.shape_out = result_shape_;
    calc_info.bcast_0 = x_bcast_;
    calc_info.bcast_1 = y_bcast_;
}

void Bcast::BCastIndexes(std::vector<int64_t>& x_indexes, std::vector<int64_t>& y_indexes)
{
    int64_t count = 1;
    for (const int64_t dim : result_shape_) {
        count *= dim;
    }
    for (int64_t i = 0; i < count; ++i) {
        x_indexes.push_back(GetBroadcastXIndex(i));
        y_indexes.push_back(GetBroadcastYIndex(i));
    }
}

} // namespace aicpu
