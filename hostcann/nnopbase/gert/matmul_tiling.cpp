// Tilings of Matmul. They keep the limits of the TCubeTiling page; which of those that do is chosen is ours: the base
// block that loads least for its sums, and the cores that end first.
#include "ascendc/host_api/tiling/matmul_tiling.h"

#include <algorithm>
#include <string>

#include "hostcann/host_abi.h"

namespace matmul_tiling {
namespace {

constexpr int32_t FRACTAL = 16;
// Bytes of the bias table.
constexpr int64_t BIAS_TABLE = 1024;
// What SetFixSplit leaves to the class: no base block is longer in K.
constexpr int32_t MOST_K = 1024;
// Blocks of sums in L0C where C goes to UB: one is multiplied while the kernel works on the last.
constexpr int64_t BLOCKS_FOR_UB = 2;

int32_t CeilDiv(int32_t a, int32_t b) { return b <= 0 ? 0 : (a + b - 1) / b; }
int32_t Align(int32_t a, int32_t b) { return CeilDiv(a, b) * b; }
bool IsInUb(TPosition pos) { return pos == TPosition::VECIN || pos == TPosition::VECOUT || pos == TPosition::VECCALC; }

} // namespace

bool MatmulApiTilingBase::Fail(const std::string& what, const std::string& expected, const std::string& got) const
{
    const std::string message = "Matmul tiling: " + what + ". Expected " + expected + ", got " + got;
    hc_log(HC_LOG_ERROR, "OP", message.c_str());
    return false;
}

int32_t MatmulApiTilingBase::SizeOf(DataType type) const
{
    switch (type) {
        case DataType::DT_FLOAT:
        case DataType::DT_INT32:
        case DataType::DT_UINT32:
            return 4;
        case DataType::DT_FLOAT16:
        case DataType::DT_BF16:
        case DataType::DT_BFLOAT16:
            return 2;
        case DataType::DT_INT8:
        case DataType::DT_UINT8:
        case DataType::DT_INT4: // half a byte, which is counted as a whole one
            return 1;
        default:
            return 0;
    }
}

// Elements that a base block is a multiple of: fractals, and in K whole rows of 32 bytes.
int32_t MatmulApiTilingBase::AlignOf(int32_t axis) const
{
    if (axis != 2) {
        return FRACTAL;
    }
    const bool isInt4 = a_.dataType == DataType::DT_INT4;
    return std::max(FRACTAL, isInt4 ? 64 : 32 / SizeOf(a_.dataType));
}

bool MatmulApiTilingBase::Check() const
{
    const int32_t sizes[3] = {SizeOf(a_.dataType), SizeOf(b_.dataType), SizeOf(c_.dataType)};
    if (*std::min_element(sizes, sizes + 3) == 0) {
        return Fail("SetAType, SetBType, SetCType", "float, half, bfloat16_t, int8_t, int4 or int32_t", "another type");
    }
    const int32_t least = *std::min_element(shape_, shape_ + 3);
    return least > 0 || Fail("SetShape", "M, N and K of at least 1", std::to_string(least));
}

bool MatmulApiTilingBase::FitsL0(const int32_t (&base)[3], int32_t buffers) const
{
    const int64_t m = base[0];
    const int64_t n = base[1];
    const int64_t k = base[2];
    const bool inUb = IsInUb(c_.pos) && m * n * SizeOf(c_.dataType) > ub_;
    const bool biasFits = !isBias_ || n * 4 <= BIAS_TABLE;
    return m * k * SizeOf(a_.dataType) * buffers <= l0a_ && n * k * SizeOf(b_.dataType) * buffers <= l0b_ &&
           m * n * 4 <= l0c_ && !inUb && biasFits;
}

// The block that loads least for its sums: rows and columns once for every block, and no more padding than needed.
bool MatmulApiTilingBase::ChooseBase()
{
    int32_t whole[3];
    int32_t most[3];
    for (int32_t axis = 0; axis < 3; ++axis) {
        whole[axis] = Align(single_[axis], AlignOf(axis));
        most[axis] = std::min(whole[axis], most_[axis] > 0 ?
                                               std::max(AlignOf(axis), most_[axis] / AlignOf(axis) * AlignOf(axis)) :
                                               whole[axis]);
    }
    const auto least = [this](int32_t axis) {
        return fix_[axis] > 0 ? fix_[axis] : Align(std::max(least_[axis], AlignOf(axis)), AlignOf(axis));
    };
    const auto last = [this, &most](int32_t axis) { return fix_[axis] > 0 ? fix_[axis] : most[axis]; };
    int64_t best = -1;
    for (int32_t m = least(0); m <= last(0); m += FRACTAL) {
        for (int32_t n = least(1); n <= last(1); n += FRACTAL) {
            const int32_t smallest[3] = {m, n, least(2)};
            const bool isAlone = IsInUb(c_.pos) && int64_t{m} * n * 4 * BLOCKS_FOR_UB > l0c_;
            if (!FitsL0(smallest, 1) || (isAlone && best >= 0)) {
                break;
            }
            const int64_t blocks = int64_t{CeilDiv(single_[0], m)} * CeilDiv(single_[1], n);
            const int64_t cost = blocks * (m + n) + blocks * m * n / 64;
            if (best < 0 || cost < best) {
                best = cost;
                base_[0] = m;
                base_[1] = n;
            }
        }
    }
    if (best < 0) {
        const int32_t asked[3] = {least(0), least(1), least(2)};
        return Fail("no base block fits L0A, L0B and L0C",
                    "baseM * baseK and baseN * baseK of at most 64 KiB, baseM * baseN * 4 of at most 128 KiB",
                    std::to_string(asked[0]) + " x " + std::to_string(asked[1]) + " x " + std::to_string(asked[2]));
    }
    base_[2] = least(2);
    for (int32_t k = least(2); fix_[2] <= 0 && k <= std::min(most[2], MOST_K); k += AlignOf(2)) {
        const int32_t longer[3] = {base_[0], base_[1], k};
        base_[2] = FitsL0(longer, 2) ? k : base_[2];
    }
    return true;
}

int64_t MatmulApiTilingBase::BytesInL1(int32_t step, int32_t buffers) const
{
    const int64_t k = int64_t{base_[2]} * step * buffers;
    return base_[0] * k * SizeOf(a_.dataType) + base_[1] * k * SizeOf(b_.dataType) + (isBias_ ? base_[1] * 4 : 0);
}

bool MatmulApiTilingBase::Compute(AscendC::tiling::TCubeTiling& t)
{
    // Either of SetShape and SetOrgShape stands for both.
    for (int32_t axis = 0; axis < 3; ++axis) {
        shape_[axis] = shape_[axis] > 0 ? shape_[axis] : org_[axis];
        org_[axis] = org_[axis] > 0 ? org_[axis] : shape_[axis];
    }
    if (!Check()) {
        return false;
    }
    org_[3] = org_[3] > 0 ? org_[3] : shape_[2];
    if (!SplitCores() || !ChooseBase()) {
        return false;
    }
    int32_t buffers = BytesInL1(1, 2) <= l1_ ? 2 : 1;
    if (BytesInL1(1, buffers) > l1_) {
        return Fail("the base blocks do not fit L1", std::to_string(l1_) + " bytes at most",
                    std::to_string(BytesInL1(1, buffers)));
    }
    int32_t step = 1;
    while (step < CeilDiv(single_[2], base_[2]) && BytesInL1(step + 1, buffers) <= l1_) {
        ++step;
    }
    t = {};
    t.usedCoreNum = usedCores_;
    t.M = org_[0];
    t.N = org_[1];
    t.Ka = org_[2];
    t.Kb = org_[3];
    t.singleCoreM = single_[0];
    t.singleCoreN = single_[1];
    t.singleCoreK = single_[2];
    t.baseM = base_[0];
    t.baseN = base_[1];
    t.baseK = base_[2];
    t.depthA1 = t.depthB1 = step * buffers;
    t.stepM = t.stepN = 1;
    t.stepKa = t.stepKb = step;
    t.isBias = isBias_ ? 1 : 0;
    t.transLength = IsInUb(c_.pos) ? base_[0] * base_[1] * SizeOf(c_.dataType) : 0;
    t.iterateOrder = traverse_ == MatrixTraverse::FIRSTN ? 1 : 0;
    t.shareL1Size = static_cast<int32_t>(BytesInL1(step, buffers));
    t.shareL0CSize = base_[0] * base_[1] * 4;
    t.batchM = t.batchN = t.singleBatchM = t.singleBatchN = 1;
    t.dbL0A = t.dbL0B = FitsL0(base_, 2) ? 2 : 1;
    t.dbL0C = 1;
    t.ALayoutInfoB = layouts_[0];
    t.ALayoutInfoS = layouts_[1];
    t.ALayoutInfoN = layouts_[2];
    t.ALayoutInfoG = layouts_[3];
    t.ALayoutInfoD = layouts_[4];
    t.BLayoutInfoB = layouts_[5];
    t.BLayoutInfoS = layouts_[6];
    t.BLayoutInfoN = layouts_[7];
    t.BLayoutInfoG = layouts_[8];
    t.BLayoutInfoD = layouts_[9];
    t.CLayoutInfoB = layouts_[10];
    t.CLayoutInfoS1 = layouts_[11];
    t.CLayoutInfoN = layouts_[12];
    t.CLayoutInfoG = layouts_[13];
    t.CLayoutInfoS2 = layouts_[14];
    t.BatchNum = batches_;
    return true;
}

int64_t MatmulApiTilingBase::GetTiling(AscendC::tiling::TCubeTiling& tiling) { return Compute(tiling) ? 0 : -1; }
int64_t MatmulApiTilingBase::GetTiling(optiling::TCubeTiling& tiling)
{
    AscendC::tiling::TCubeTiling plain;
    if (!Compute(plain)) {
        return -1;
    }
    AscendC::hostcann::ToClass(plain, tiling);
    return 0;
}

bool MatmulApiTiling::SplitCores()
{
    std::copy(shape_, shape_ + 3, single_);
    usedCores_ = 1;
    return true;
}

// The split whose largest part is the smallest, with as little to load for it as can be. With base blocks that are
// given, whole ones count, and N is cut first.
bool MultiCoreMatmulTiling::SplitCores()
{
    int64_t best[3] = {-1, 0, 0};
    const bool fixed = fix_[0] > 0 && fix_[1] > 0;
    const auto part = [this](int32_t axis, int32_t parts) {
        if (fixSingle_[axis] > 0) {
            return fixSingle_[axis];
        }
        const int32_t unit = std::max({alignSingle_[axis], fix_[axis], parts > 1 ? AlignOf(axis) : 1});
        const int32_t one = parts > 1 ? Align(CeilDiv(shape_[axis], parts), unit) : shape_[axis];
        return std::min(one, shape_[axis]);
    };
    const auto allowed = [this](int32_t axis, int32_t size) {
        return fixSingle_[axis] > 0 ||
               ((mostSingle_[axis] <= 0 || size <= mostSingle_[axis]) &&
                (leastSingle_[axis] <= 0 || size >= std::min(leastSingle_[axis], shape_[axis])));
    };
    for (int32_t m = 1; m <= dim_; ++m) {
        for (int32_t n = 1; m * n <= dim_; ++n) {
            const int32_t k = splitK_ ? dim_ / (m * n) : 1;
            const int32_t one[3] = {part(0, m), part(1, n), part(2, k)};
            const int64_t used = int64_t{CeilDiv(shape_[0], one[0])} * CeilDiv(shape_[1], one[1]) *
                                 CeilDiv(shape_[2], one[2]);
            if (used > dim_ || !allowed(0, one[0]) || !allowed(1, one[1]) || !allowed(2, one[2])) {
                continue;
            }
            const int64_t rows = fixed ? Align(one[0], fix_[0]) : Align(one[0], FRACTAL);
            const int64_t columns = fixed ? Align(one[1], fix_[1]) : Align(one[1], FRACTAL);
            const int64_t cost[3] = {rows * columns * one[2], fixed ? one[1] : rows + columns, used};
            // Of equal ones the last: it has the most parts of M.
            if (best[0] < 0 || !std::lexicographical_compare(best, best + 3, cost, cost + 3)) {
                std::copy(cost, cost + 3, best);
                std::copy(one, one + 3, single_);
                usedCores_ = static_cast<int32_t>(used);
            }
        }
    }
    return best[0] >= 0 || Fail("the parts of SetSingleShape or SetSingleRange need more cores than SetDim gives",
                                std::to_string(dim_) + " cores at most", "more");
}

} // namespace matmul_tiling

namespace {

int32_t TmpSize(int32_t ub, int32_t l1, int32_t l0c, matmul_tiling::SysTilingTempBufSize& size)
{
    size = {ub, l1, l0c};
    return 0;
}

} // namespace

#define HOSTCANN_MATMUL_TMP_SIZE(name)                                                              \
    int32_t name(optiling::TCubeTiling& t, matmul_tiling::SysTilingTempBufSize& bufSize)            \
    {                                                                                               \
        return TmpSize(t.get_transLength(), t.get_shareL1Size(), t.get_shareL0CSize(), bufSize);    \
    }                                                                                               \
    int32_t name##V2(AscendC::tiling::TCubeTiling& t, matmul_tiling::SysTilingTempBufSize& bufSize) \
    {                                                                                               \
        return TmpSize(t.transLength, t.shareL1Size, t.shareL0CSize, bufSize);                      \
    }
extern "C" {
HOSTCANN_MATMUL_TMP_SIZE(MatmulGetTmpBufSize)
HOSTCANN_MATMUL_TMP_SIZE(MultiCoreMatmulGetTmpBufSize)
HOSTCANN_MATMUL_TMP_SIZE(BatchMatmulGetTmpBufSize)
}
