// For paddle/phi/infermeta/binary.h and binary.cc.
#pragma once

#include <algorithm>
#include <string>
#include <vector>

#include "paddle/common/enforce.h"
#include "paddle/common/errors.h"
#include "paddle/phi/core/meta_tensor.h"

namespace phi {

// A dimension of -1 is not known when a program is built. It says nothing then: against n > 1 the result is n, against
// anything else it stays unknown. What is known on both sides is checked at once.
inline void FmodInferMeta(const MetaTensor& x, const MetaTensor& y, int precision_mode, MetaTensor* out,
                          MetaConfig config = MetaConfig())
{
    if (precision_mode < -1 || precision_mode > 1) {
        PADDLE_THROW(common::errors::InvalidArgument("fmod: precision_mode must be -1, 0 (tbe) or 1 (exact), got %d",
                                                     precision_mode));
    }
    if (x.dtype() != y.dtype()) {
        PADDLE_THROW(common::errors::InvalidArgument("fmod: x and y must have the same data type"));
    }
    const auto x_dims = common::vectorize<int64_t>(x.dims());
    const auto y_dims = common::vectorize<int64_t>(y.dims());
    const size_t rank = std::max(x_dims.size(), y_dims.size());
    const auto dim_of = [rank](const std::vector<int64_t>& dims, size_t i) {
        return i + dims.size() < rank ? int64_t{1} : dims[i + dims.size() - rank];
    };
    std::vector<int64_t> out_dims(rank);
    for (size_t i = 0; i < rank; ++i) {
        const int64_t dim_x = dim_of(x_dims, i);
        const int64_t dim_y = dim_of(y_dims, i);
        if (dim_x < 0 || dim_y < 0) {
            if (config.is_runtime) {
                PADDLE_THROW(common::errors::InvalidArgument("fmod: dimension %d is not known, but the program runs",
                                                             static_cast<int>(i)));
            }
            const int64_t known = std::max(dim_x, dim_y);
            out_dims[i] = known > 1 ? known : -1;
            continue;
        }
        if (dim_x != dim_y && dim_x != 1 && dim_y != 1) {
            PADDLE_THROW(
                common::errors::InvalidArgument("fmod: shapes of x and y do not broadcast: expected equal "
                                                "dimensions or 1, got %d and %d",
                                                static_cast<int>(dim_x), static_cast<int>(dim_y)));
        }
        out_dims[i] = dim_x == 1 ? dim_y : dim_x;
    }
    out->set_dims(common::make_ddim(out_dims));
    out->set_dtype(x.dtype());
    out->share_lod(rank == x_dims.size() ? x : y);
}

} // namespace phi
