// Shapes of an element-wise operator with two inputs, as ElementwiseInferMeta and paddle's other operators infer them.
#ifndef ADAPTERS_PADDLE_FMOD_BROADCAST_H_
#define ADAPTERS_PADDLE_FMOD_BROADCAST_H_

#include <algorithm>
#include <cstdint>
#include <string>
#include <vector>

#include "acl_call.h"

namespace ascend_fmod {

inline std::string Brackets(const std::vector<int64_t>& shape)
{
    std::string text = "[";
    for (int64_t dim : shape) {
        text += (text.size() > 1 ? ", " : "") + std::to_string(dim);
    }
    return text + "]";
}

// Dimension i of a shape that is aligned to `rank` dimensions on the right.
inline int64_t DimOf(const std::vector<int64_t>& shape, size_t rank, size_t i)
{
    return i + shape.size() < rank ? 1 : shape[i + shape.size() - rank];
}

// One dimension. -1 is not known yet: whatever it turns out to be, only 1 and n go together with n > 1, so the result
// is n; everything else stays unknown and is checked when the program runs.
inline bool BroadcastDim(int64_t x, int64_t y, int64_t* out)
{
    if (x == -1 || y == -1) {
        const int64_t known = x == -1 ? y : x;
        *out = known > 1 ? known : -1;
        return true;
    }
    *out = x == 1 ? y : x;
    return x == y || x == 1 || y == 1;
}

// For shapes that may have unknown dimensions. It never fails: an exception out of InferShape ends the process in
// static graphs, so a mismatch stays unknown, too, and is told by the Python API or when the program runs.
inline std::vector<int64_t> InferBroadcast(const std::vector<int64_t>& x, const std::vector<int64_t>& y)
{
    const size_t rank = std::max(x.size(), y.size());
    std::vector<int64_t> out(rank);
    for (size_t i = 0; i < rank; ++i) {
        if (!BroadcastDim(DimOf(x, rank, i), DimOf(y, rank, i), &out[i])) {
            out[i] = -1;
        }
    }
    return out;
}

// For shapes of tensors that are there.
inline std::vector<int64_t> BroadcastShape(const std::vector<int64_t>& x, const std::vector<int64_t>& y)
{
    const size_t rank = std::max(x.size(), y.size());
    std::vector<int64_t> out(rank);
    for (size_t i = 0; i < rank; ++i) {
        const int64_t dim_x = DimOf(x, rank, i);
        const int64_t dim_y = DimOf(y, rank, i);
        if (!BroadcastDim(dim_x, dim_y, &out[i])) {
            acl_call::Refuse(acl_call::Text("ascend_fmod: shapes of x ", Brackets(x), " and y ", Brackets(y),
                                            " do not broadcast: expected equal dimensions or 1, got ", dim_x, " and ",
                                            dim_y));
        }
    }
    return out;
}

// The axes of `shape` along which an input of shape `input` was repeated.
inline std::vector<int64_t> RepeatedAxes(const std::vector<int64_t>& shape, const std::vector<int64_t>& input)
{
    std::vector<int64_t> axes;
    const size_t more = shape.size() - input.size();
    for (size_t i = 0; i < shape.size(); ++i) {
        if (i < more || (input[i - more] == 1 && shape[i] != 1)) {
            axes.push_back(static_cast<int64_t>(i));
        }
    }
    return axes;
}

} // namespace ascend_fmod

#endif // ADAPTERS_PADDLE_FMOD_BROADCAST_H_
