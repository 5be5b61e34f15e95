// The tiling classes of Matmul: how a multiplication is cut for the cores and for the buffers of a cube core.
#ifndef HOSTCANN_ASCENDC_HOST_API_TILING_MATMUL_TILING_H
#define HOSTCANN_ASCENDC_HOST_API_TILING_MATMUL_TILING_H

#include <string>

#include "ascendc/host_api/tiling/tiling_classes.h"
#include "tiling/platform/platform_ascendc.h"

namespace matmul_tiling {

#ifndef __NPU_HOST__
// What tiling functions get by `using namespace matmul_tiling`, as in the toolkit.
using half = double;
#endif

// Numbers of ge::DataType, but for DT_BFLOAT16.
enum class DataType : int32_t {
    DT_FLOAT = 0,
    DT_FLOAT16 = 1,
    DT_INT8 = 2,
    DT_INT32 = 3,
    DT_UINT8 = 4,
    DT_INT16 = 6,
    DT_UINT16 = 7,
    DT_UINT32 = 8,
    DT_INT64 = 9,
    DT_UINT64 = 10,
    DT_DOUBLE = 11,
    DT_BOOL = 12,
    DT_BF16 = 27,
    DT_UNDEFINED = 28,
    DT_INT4 = 29,
    DT_BFLOAT16 = 33,
};
enum class TPosition : int32_t {
    GM,
    A1,
    A2,
    B1,
    B2,
    C1,
    C2,
    CO1,
    CO2,
    VECIN,
    VECOUT,
    VECCALC,
    LCM = VECCALC,
    SPM,
    SHM = SPM,
    TSCM,
    MAX,
};
enum class CubeFormat : int32_t { ND = 0, NZ, ZN, ZZ, NN, ND_ALIGN, SCALAR, VECTOR, ROW_MAJOR = ND, COLUMN_MAJOR = 8 };
enum class MatrixTraverse : int32_t { NOSET = 0, FIRSTM = 1, FIRSTN = 2 };
enum class MatrixMadType : int32_t { NORMAL = 0, HF32 = 1, MXMODE = 2 };
enum class DequantType : int32_t { SCALAR = 0, TENSOR = 1 };
enum class ScheduleType : int32_t { INNER_PRODUCT = 0, OUTER_PRODUCT = 1, N_BUFFER_33 = 2 };

struct SysTilingTempBufSize {
    int32_t ubSize = 0;
    int32_t l1Size = 0;
    int32_t l0cSize = 0;
};
struct PlatformInfo {
    platform_ascendc::SocVersion socVersion;
    uint64_t l1Size = 0;
    uint64_t l0CSize = 0;
    uint64_t ubSize = 0;
    uint64_t l0ASize = 0;
    uint64_t l0BSize = 0;
};
struct MatmulConfigParams {
    MatmulConfigParams(int32_t type = 1, bool cache = false, ScheduleType schedule = ScheduleType::INNER_PRODUCT,
                       MatrixTraverse order = MatrixTraverse::NOSET, bool nd2nz = false)
        : mmConfigType(type), enableL1CacheUB(cache), scheduleType(schedule), traverse(order), enVecND2NZ(nd2nz)
    {
    }
    int32_t mmConfigType;
    bool enableL1CacheUB;
    ScheduleType scheduleType;
    MatrixTraverse traverse;
    bool enVecND2NZ;
};

struct MatTilingType {
    TPosition pos = TPosition::GM;
    CubeFormat type = CubeFormat::ND;
    DataType dataType = DataType::DT_FLOAT;
    bool isTrans = false;
};

class MatmulApiTilingBase {
public:
    MatmulApiTilingBase();
    explicit MatmulApiTilingBase(const platform_ascendc::PlatformAscendC& ascendcPlatform);
    explicit MatmulApiTilingBase(const PlatformInfo& platform);
    virtual ~MatmulApiTilingBase() = default;

    int32_t SetAType(TPosition pos, CubeFormat type, DataType dataType, bool isTrans = false);
    int32_t SetBType(TPosition pos, CubeFormat type, DataType dataType, bool isTrans = false);
    int32_t SetCType(TPosition pos, CubeFormat type, DataType dataType);
    int32_t SetBiasType(TPosition pos, CubeFormat type, DataType dataType);
    int32_t SetDequantType(DequantType dequantType);
    virtual int32_t SetShape(int32_t m, int32_t n, int32_t k);
    int32_t SetOrgShape(int32_t orgMIn, int32_t orgNIn, int32_t orgKIn);
    int32_t SetOrgShape(int32_t orgMIn, int32_t orgNIn, int32_t orgKaIn, int32_t orgKbIn);
    int32_t SetALayout(int32_t b, int32_t s, int32_t n, int32_t g, int32_t d);
    int32_t SetBLayout(int32_t b, int32_t s, int32_t n, int32_t g, int32_t d);
    int32_t SetCLayout(int32_t b, int32_t s, int32_t n, int32_t g, int32_t d);
    int32_t SetBatchInfoForNormal(int32_t batchA, int32_t batchB, int32_t m, int32_t n, int32_t k);
    int32_t SetBatchNum(int32_t batch);
    int32_t EnableBias(bool isBiasIn = false);
    int32_t SetBias(bool isBiasIn = false);
    // -1: the class chooses.
    int32_t SetFixSplit(int32_t baseMIn = -1, int32_t baseNIn = -1, int32_t baseKIn = -1);
    // -1: all there is.
    int32_t SetBufferSpace(int32_t l1Size = -1, int32_t l0CSize = -1, int32_t ubSize = -1, int32_t btSize = -1);
    int32_t SetTraverse(MatrixTraverse traverse);
    int32_t SetMadType(MatrixMadType madType);
    int32_t SetSplitRange(int32_t maxBaseM = -1, int32_t maxBaseN = -1, int32_t maxBaseK = -1, int32_t minBaseM = -1,
                          int32_t minBaseN = -1, int32_t minBaseK = -1);
    int32_t SetDoubleBuffer(bool a, bool b, bool c, bool bias, bool transND2NZ = true, bool transNZ2ND = true);
    void SetMatmulConfigParams(int32_t mmConfigTypeIn = 1, bool enableL1CacheUBIn = false,
                               ScheduleType scheduleTypeIn = ScheduleType::INNER_PRODUCT,
                               MatrixTraverse traverseIn = MatrixTraverse::NOSET, bool enVecND2NZIn = false);
    void SetMatmulConfigParams(const MatmulConfigParams& configParams);
    int32_t GetBaseM() const { return base_[0]; }
    int32_t GetBaseN() const { return base_[1]; }
    int32_t GetBaseK() const { return base_[2]; }
    // 0, or -1 and a line in the log.
    int64_t GetTiling(optiling::TCubeTiling& tiling);
    int64_t GetTiling(AscendC::tiling::TCubeTiling& tiling);

protected:
    // M, N and K of one core, and the cores it takes.
    virtual bool SplitCores() = 0;
    bool Fail(const std::string& what, const std::string& expected, const std::string& got) const;
    int32_t AlignOf(int32_t axis) const;
    int32_t SizeOf(DataType type) const;

    MatTilingType a_;
    MatTilingType b_;
    MatTilingType c_;
    MatTilingType bias_;
    bool isBias_ = false;
    // Of all cores, and the whole matrices with Kb.
    int32_t shape_[3] = {0, 0, 0};
    int32_t org_[4] = {0, 0, 0, 0};
    int32_t single_[3] = {0, 0, 0};
    int32_t usedCores_ = 1;
    int32_t fix_[3] = {-1, -1, -1};
    int32_t base_[3] = {0, 0, 0};
    int32_t most_[3] = {-1, -1, -1};
    int32_t least_[3] = {-1, -1, -1};

private:
    bool Compute(AscendC::tiling::TCubeTiling& tiling);
    bool Check() const;
    bool ChooseBase();
    bool FitsL0(const int32_t (&base)[3], int32_t buffers) const;
    int64_t BytesInL1(int32_t step, int32_t buffers) const;

    int64_t l1_;
    int64_t l0a_;
    int64_t l0b_;
    int64_t l0c_;
    int64_t ub_;
    // What SetBufferSpace starts from.
    int64_t all_[3];
    MatrixTraverse traverse_ = MatrixTraverse::NOSET;
    int32_t layouts_[15] = {};
    int32_t batches_ = 0;
};

// For one core: SetShape is its part.
class MatmulApiTiling : public MatmulApiTilingBase {
public:
    using MatmulApiTilingBase::MatmulApiTilingBase;

protected:
    bool SplitCores() override;
};

// For several cores.
class MultiCoreMatmulTiling : public MatmulApiTilingBase {
public:
    using MatmulApiTilingBase::MatmulApiTilingBase;

    int32_t SetDim(int32_t dim);
    int32_t SetSingleShape(int32_t singleMIn = -1, int32_t singleNIn = -1, int32_t singleKIn = -1);
    int32_t SetSingleRange(int32_t maxM = -1, int32_t maxN = -1, int32_t maxK = -1, int32_t minM = -1,
                           int32_t minN = -1, int32_t minK = -1);
    int32_t SetAlignSplit(int32_t alignM, int32_t alignN, int32_t alignK);
    // Of a core, after GetTiling.
    int32_t GetSingleShape(int32_t& shapeM, int32_t& shapeN, int32_t& shapeK);
    int32_t GetCoreNum(int32_t& dim, int32_t& mDim, int32_t& nDim);
    int32_t EnableMultiCoreSplitK(bool flag);
    int32_t SetSplitK(bool flag) { return EnableMultiCoreSplitK(flag); }

protected:
    bool SplitCores() override;

private:
    int32_t dim_ = 1;
    int32_t fixSingle_[3] = {-1, -1, -1};
    int32_t mostSingle_[3] = {-1, -1, -1};
    int32_t leastSingle_[3] = {-1, -1, -1};
    int32_t alignSingle_[3] = {1, 1, 1};
    bool splitK_ = false;
};

// For one core and several matrices, which the layouts describe.
class BatchMatmulTiling : public MatmulApiTiling {
public:
    using MatmulApiTiling::MatmulApiTiling;
};

} // namespace matmul_tiling

#define HOSTCANN_MATMUL_TMP_SIZE(name, tiling) \
    int32_t name(tiling& tilingData, matmul_tiling::SysTilingTempBufSize& bufSize);
extern "C" {
HOSTCANN_MATMUL_TMP_SIZE(MatmulGetTmpBufSize, optiling::TCubeTiling)
HOSTCANN_MATMUL_TMP_SIZE(MultiCoreMatmulGetTmpBufSize, optiling::TCubeTiling)
HOSTCANN_MATMUL_TMP_SIZE(BatchMatmulGetTmpBufSize, optiling::TCubeTiling)
HOSTCANN_MATMUL_TMP_SIZE(MatmulGetTmpBufSizeV2, AscendC::tiling::TCubeTiling)
HOSTCANN_MATMUL_TMP_SIZE(MultiCoreMatmulGetTmpBufSizeV2, AscendC::tiling::TCubeTiling)
HOSTCANN_MATMUL_TMP_SIZE(BatchMatmulGetTmpBufSizeV2, AscendC::tiling::TCubeTiling)
}
#undef HOSTCANN_MATMUL_TMP_SIZE

#endif // HOSTCANN_ASCENDC_HOST_API_TILING_MATMUL_TILING_H
