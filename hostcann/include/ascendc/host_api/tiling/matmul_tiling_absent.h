// The tiling classes of Matmul, which needs a cube core: including this is free, making an object of one is an error
// that says so. Parameters are plain values.
#ifndef HOSTCANN_ASCENDC_HOST_API_TILING_MATMUL_TILING_ABSENT_H
#define HOSTCANN_ASCENDC_HOST_API_TILING_MATMUL_TILING_ABSENT_H

#include "ascendc/host_api/tiling/tiling_classes.h"
#include "tiling/platform/platform_ascendc.h"

namespace matmul_tiling {

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

// What the classes have: the compiler stops where an object is made.
#define HOSTCANN_METHOD(name)        \
    template <typename... Arguments> \
    int32_t name(Arguments&&... arguments);
class MatmulApiTilingBase {
public:
    HOSTCANN_METHOD(SetAType)
    HOSTCANN_METHOD(SetBType)
    HOSTCANN_METHOD(SetCType)
    HOSTCANN_METHOD(SetBiasType)
    HOSTCANN_METHOD(SetScaleAType)
    HOSTCANN_METHOD(SetScaleBType)
    HOSTCANN_METHOD(SetDequantType)
    HOSTCANN_METHOD(SetShape)
    HOSTCANN_METHOD(SetOrgShape)
    HOSTCANN_METHOD(SetSingleShape)
    HOSTCANN_METHOD(SetSingleRange)
    HOSTCANN_METHOD(SetAlignSplit)
    HOSTCANN_METHOD(SetFixSplit)
    HOSTCANN_METHOD(SetSplitRange)
    HOSTCANN_METHOD(SetSplitK)
    HOSTCANN_METHOD(EnableMultiCoreSplitK)
    HOSTCANN_METHOD(EnableL1BankConflictOptimise)
    HOSTCANN_METHOD(SetALayout)
    HOSTCANN_METHOD(SetBLayout)
    HOSTCANN_METHOD(SetCLayout)
    HOSTCANN_METHOD(SetBatchInfoForNormal)
    HOSTCANN_METHOD(SetBatchNum)
    HOSTCANN_METHOD(EnableBias)
    HOSTCANN_METHOD(SetBias)
    HOSTCANN_METHOD(SetBufferSpace)
    HOSTCANN_METHOD(SetTraverse)
    HOSTCANN_METHOD(SetMadType)
    HOSTCANN_METHOD(SetDoubleBuffer)
    HOSTCANN_METHOD(SetMatmulConfigParams)
    HOSTCANN_METHOD(SetSparse)
    HOSTCANN_METHOD(SetDim)
    HOSTCANN_METHOD(GetBaseM)
    HOSTCANN_METHOD(GetBaseN)
    HOSTCANN_METHOD(GetBaseK)
    HOSTCANN_METHOD(GetCoreNum)
    HOSTCANN_METHOD(GetSingleShape)
    HOSTCANN_METHOD(GetTiling)
};
#undef HOSTCANN_METHOD

// Twice: as an error of the code, and as a warning that comes even where something else does not compile.
#define HOSTCANN_CUBE_ONLY(name) "hostcann models vector cores only: " name " needs a cube core"
#define HOSTCANN_NEEDS_CUBE_CORE(name) \
    __attribute__((error(HOSTCANN_CUBE_ONLY(name)), deprecated(HOSTCANN_CUBE_ONLY(name))))
#define HOSTCANN_MATMUL_TILING(name)                                                                   \
    class name : public MatmulApiTilingBase {                                                          \
    public:                                                                                            \
        HOSTCANN_NEEDS_CUBE_CORE("matmul_tiling::" #name) name();                                      \
        HOSTCANN_NEEDS_CUBE_CORE("matmul_tiling::" #name) explicit name(const PlatformInfo& platform); \
        HOSTCANN_NEEDS_CUBE_CORE("matmul_tiling::" #name)                                              \
        explicit name(const platform_ascendc::PlatformAscendC& platform);                              \
    };
HOSTCANN_MATMUL_TILING(MatmulApiTiling)
HOSTCANN_MATMUL_TILING(MultiCoreMatmulTiling)
HOSTCANN_MATMUL_TILING(BatchMatmulTiling)
#undef HOSTCANN_MATMUL_TILING

} // namespace matmul_tiling

#define HOSTCANN_MATMUL_TMP_SIZE(name) \
    template <typename Tiling>         \
    HOSTCANN_NEEDS_CUBE_CORE(#name)    \
    int32_t name(Tiling& tiling, matmul_tiling::SysTilingTempBufSize& sizes);
HOSTCANN_MATMUL_TMP_SIZE(MatmulGetTmpBufSize)
HOSTCANN_MATMUL_TMP_SIZE(MatmulGetTmpBufSizeV2)
HOSTCANN_MATMUL_TMP_SIZE(MultiCoreMatmulGetTmpBufSize)
HOSTCANN_MATMUL_TMP_SIZE(MultiCoreMatmulGetTmpBufSizeV2)
HOSTCANN_MATMUL_TMP_SIZE(BatchMatmulGetTmpBufSize)
HOSTCANN_MATMUL_TMP_SIZE(BatchMatmulGetTmpBufSizeV2)
#undef HOSTCANN_MATMUL_TMP_SIZE
#undef HOSTCANN_NEEDS_CUBE_CORE
#undef HOSTCANN_CUBE_ONLY

#endif // HOSTCANN_ASCENDC_HOST_API_TILING_MATMUL_TILING_ABSENT_H
