// What the tiling of a reduction of chips with register vectors gives its kernel (opbase, atvoss).
#ifndef HOSTCANN_OP_COMMON_ATVOSS_REDUCE_TILING_DATA_H
#define HOSTCANN_OP_COMMON_ATVOSS_REDUCE_TILING_DATA_H

#include <cstdint>

namespace Ops {
namespace Base {
namespace ReduceOpTmpl {
constexpr int32_t MAX_DIM = 9;
} // namespace ReduceOpTmpl

struct ReduceOpTilingData {
    uint64_t factorACntPerCore;
    uint64_t factorATotalCnt;
    uint64_t ubFactorA;
    uint64_t factorRCntPerCore;
    uint64_t factorRTotalCnt;
    uint64_t ubFactorR;
    uint64_t groupR;
    uint64_t outSize;
    uint64_t basicBlock;
    uint64_t resultBlock;
    int32_t coreNum;
    int32_t useNddma;
    float meanVar;
    uint64_t shape[ReduceOpTmpl::MAX_DIM];
    int64_t stride[ReduceOpTmpl::MAX_DIM];
    int64_t dstStride[ReduceOpTmpl::MAX_DIM];
};
} // namespace Base
} // namespace Ops

#endif
