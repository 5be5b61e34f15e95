// What a tiling function sets of a Matmul tiling, and reads back.
#include <algorithm>
#include <string>

#include "ascendc/host_api/tiling/matmul_tiling.h"

namespace matmul_tiling {
namespace {

// Bytes of the buffers of a cube core on A2, and of the unified buffer.
constexpr int64_t L1 = 512 * 1024;
constexpr int64_t L0A = 64 * 1024;
constexpr int64_t L0B = 64 * 1024;
constexpr int64_t L0C = 128 * 1024;
constexpr int64_t UB = 192 * 1024;

} // namespace

MatmulApiTilingBase::MatmulApiTilingBase() : l1_(L1), l0a_(L0A), l0b_(L0B), l0c_(L0C), ub_(UB), all_{L1, L0C, UB} {}

MatmulApiTilingBase::MatmulApiTilingBase(const platform_ascendc::PlatformAscendC& ascendcPlatform)
    : MatmulApiTilingBase()
{
    const auto ask = [&ascendcPlatform](platform_ascendc::CoreMemType type, int64_t& size) {
        uint64_t found = 0;
        ascendcPlatform.GetCoreMemSize(type, found);
        size = found == 0 ? size : static_cast<int64_t>(found);
    };
    ask(platform_ascendc::CoreMemType::L1, l1_);
    ask(platform_ascendc::CoreMemType::L0_A, l0a_);
    ask(platform_ascendc::CoreMemType::L0_B, l0b_);
    ask(platform_ascendc::CoreMemType::L0_C, l0c_);
    ask(platform_ascendc::CoreMemType::UB, ub_);
    all_[0] = l1_;
    all_[1] = l0c_;
    all_[2] = ub_;
}

MatmulApiTilingBase::MatmulApiTilingBase(const PlatformInfo& platform) : MatmulApiTilingBase()
{
    const auto take = [](uint64_t given, int64_t& size) { size = given == 0 ? size : static_cast<int64_t>(given); };
    take(platform.l1Size, l1_);
    take(platform.l0ASize, l0a_);
    take(platform.l0BSize, l0b_);
    take(platform.l0CSize, l0c_);
    take(platform.ubSize, ub_);
    all_[0] = l1_;
    all_[1] = l0c_;
    all_[2] = ub_;
}

int32_t MatmulApiTilingBase::SetAType(TPosition pos, CubeFormat type, DataType dataType, bool isTrans)
{
    a_ = {pos, type, dataType, isTrans};
    return 0;
}
int32_t MatmulApiTilingBase::SetBType(TPosition pos, CubeFormat type, DataType dataType, bool isTrans)
{
    b_ = {pos, type, dataType, isTrans};
    return 0;
}
int32_t MatmulApiTilingBase::SetCType(TPosition pos, CubeFormat type, DataType dataType)
{
    c_ = {pos, type, dataType, false};
    return 0;
}
int32_t MatmulApiTilingBase::SetBiasType(TPosition pos, CubeFormat type, DataType dataType)
{
    bias_ = {pos, type, dataType, false};
    return 0;
}
int32_t MatmulApiTilingBase::SetDequantType(DequantType) { return 0; }

int32_t MatmulApiTilingBase::SetShape(int32_t m, int32_t n, int32_t k)
{
    const int32_t given[3] = {m, n, k};
    std::copy(given, given + 3, shape_);
    return 0;
}
int32_t MatmulApiTilingBase::SetOrgShape(int32_t orgMIn, int32_t orgNIn, int32_t orgKIn)
{
    return SetOrgShape(orgMIn, orgNIn, orgKIn, orgKIn);
}
int32_t MatmulApiTilingBase::SetOrgShape(int32_t orgMIn, int32_t orgNIn, int32_t orgKaIn, int32_t orgKbIn)
{
    const int32_t given[4] = {orgMIn, orgNIn, orgKaIn, orgKbIn};
    if (*std::min_element(given, given + 4) <= 0) {
        Fail("SetOrgShape", "sizes of at least 1", std::to_string(*std::min_element(given, given + 4)));
        return -1;
    }
    std::copy(given, given + 4, org_);
    return 0;
}

int32_t MatmulApiTilingBase::SetALayout(int32_t b, int32_t s, int32_t n, int32_t g, int32_t d)
{
    const int32_t given[5] = {b, s, n, g, d};
    std::copy(given, given + 5, layouts_);
    return 0;
}
int32_t MatmulApiTilingBase::SetBLayout(int32_t b, int32_t s, int32_t n, int32_t g, int32_t d)
{
    const int32_t given[5] = {b, s, n, g, d};
    std::copy(given, given + 5, layouts_ + 5);
    return 0;
}
int32_t MatmulApiTilingBase::SetCLayout(int32_t b, int32_t s, int32_t n, int32_t g, int32_t d)
{
    const int32_t given[5] = {b, s, n, g, d};
    std::copy(given, given + 5, layouts_ + 10);
    return 0;
}
int32_t MatmulApiTilingBase::SetBatchInfoForNormal(int32_t batchA, int32_t batchB, int32_t m, int32_t n, int32_t k)
{
    SetALayout(batchA, m, 1, 1, k);
    SetBLayout(batchB, n, 1, 1, k);
    return SetCLayout(std::max(batchA, batchB), m, 1, 1, n);
}
int32_t MatmulApiTilingBase::SetBatchNum(int32_t batch)
{
    batches_ = batch;
    return 0;
}
int32_t MatmulApiTilingBase::EnableBias(bool isBiasIn)
{
    isBias_ = isBiasIn;
    return 0;
}
int32_t MatmulApiTilingBase::SetBias(bool isBiasIn) { return EnableBias(isBiasIn); }

int32_t MatmulApiTilingBase::SetFixSplit(int32_t baseMIn, int32_t baseNIn, int32_t baseKIn)
{
    const int32_t given[3] = {baseMIn, baseNIn, baseKIn};
    if (std::any_of(given, given + 3, [](int32_t v) { return v == 0 || v < -1; })) {
        Fail("SetFixSplit", "-1 or a size of at least 1", std::to_string(*std::min_element(given, given + 3)));
        return -1;
    }
    std::copy(given, given + 3, fix_);
    return 0;
}
int32_t MatmulApiTilingBase::SetBufferSpace(int32_t l1Size, int32_t l0CSize, int32_t ubSize, int32_t)
{
    const auto take = [](int32_t given, int64_t all, int64_t& size) {
        size = given < 0 ? all : std::min<int64_t>(given, all);
    };
    take(l1Size, all_[0], l1_);
    take(l0CSize, all_[1], l0c_);
    take(ubSize, all_[2], ub_);
    return 0;
}
int32_t MatmulApiTilingBase::SetTraverse(MatrixTraverse traverse)
{
    traverse_ = traverse;
    return 0;
}
int32_t MatmulApiTilingBase::SetMadType(MatrixMadType) { return 0; }
int32_t MatmulApiTilingBase::SetSplitRange(int32_t maxBaseM, int32_t maxBaseN, int32_t maxBaseK, int32_t minBaseM,
                                           int32_t minBaseN, int32_t minBaseK)
{
    const int32_t most[3] = {maxBaseM, maxBaseN, maxBaseK};
    const int32_t least[3] = {minBaseM, minBaseN, minBaseK};
    std::copy(most, most + 3, most_);
    std::copy(least, least + 3, least_);
    return 0;
}
int32_t MatmulApiTilingBase::SetDoubleBuffer(bool, bool, bool, bool, bool, bool) { return 0; }
void MatmulApiTilingBase::SetMatmulConfigParams(int32_t, bool, ScheduleType, MatrixTraverse traverseIn, bool)
{
    traverse_ = traverseIn == MatrixTraverse::NOSET ? traverse_ : traverseIn;
}
void MatmulApiTilingBase::SetMatmulConfigParams(const MatmulConfigParams& configParams)
{
    SetMatmulConfigParams(configParams.mmConfigType, configParams.enableL1CacheUB, configParams.scheduleType,
                          configParams.traverse, configParams.enVecND2NZ);
}

int32_t MultiCoreMatmulTiling::SetDim(int32_t dim)
{
    if (dim <= 0) {
        Fail("SetDim", "at least 1 core", std::to_string(dim));
        return -1;
    }
    dim_ = dim;
    return 0;
}
int32_t MultiCoreMatmulTiling::SetSingleShape(int32_t singleMIn, int32_t singleNIn, int32_t singleKIn)
{
    const int32_t given[3] = {singleMIn, singleNIn, singleKIn};
    std::copy(given, given + 3, fixSingle_);
    return 0;
}
int32_t MultiCoreMatmulTiling::SetSingleRange(int32_t maxM, int32_t maxN, int32_t maxK, int32_t minM, int32_t minN,
                                              int32_t minK)
{
    const int32_t most[3] = {maxM, maxN, maxK};
    const int32_t least[3] = {minM, minN, minK};
    std::copy(most, most + 3, mostSingle_);
    std::copy(least, least + 3, leastSingle_);
    return 0;
}
int32_t MultiCoreMatmulTiling::SetAlignSplit(int32_t alignM, int32_t alignN, int32_t alignK)
{
    const int32_t given[3] = {alignM, alignN, alignK};
    std::transform(given, given + 3, alignSingle_, [](int32_t v) { return std::max(v, 1); });
    return 0;
}
int32_t MultiCoreMatmulTiling::GetSingleShape(int32_t& shapeM, int32_t& shapeN, int32_t& shapeK)
{
    shapeM = single_[0];
    shapeN = single_[1];
    shapeK = single_[2];
    return 0;
}
int32_t MultiCoreMatmulTiling::GetCoreNum(int32_t& dim, int32_t& mDim, int32_t& nDim)
{
    dim = usedCores_;
    mDim = (shape_[0] + single_[0] - 1) / single_[0];
    nDim = (shape_[1] + single_[1] - 1) / single_[1];
    return 0;
}
int32_t MultiCoreMatmulTiling::EnableMultiCoreSplitK(bool flag)
{
    splitK_ = flag;
    return 0;
}

} // namespace matmul_tiling
