// The names of Matmul. It needs a cube core, which is not modelled: including this is free, and so are its
// configurations, which are plain values; using Matmul itself is an error that says so.
#ifndef HOSTCANN_ASCENDC_KERNEL_MATMUL_ABSENT_H
#define HOSTCANN_ASCENDC_KERNEL_MATMUL_ABSENT_H

#include "kernel_operator.h"
#include "kernel_tiling/kernel_tiling.h"

enum class CubeFormat {
    ND = 0,
    NZ,
    ZN,
    ZZ,
    NN,
    ND_ALIGN,
    SCALAR,
    VECTOR,
    ROW_MAJOR = ND,
    COLUMN_MAJOR = 8,
};
enum class LayoutMode { NONE = 0, BSNGD, SBNGD, BNGS1S2, NORMAL };
enum class BatchMode { NONE = 0, BATCH_LESS_THAN_L1, BATCH_LARGE_THAN_L1, SINGLE_LARGE_THAN_L1 };
enum BatchOutMode { SINGLE_BATCH = 0, MULTI_BATCH, DYNAMIC };
enum class IterateOrder { ORDER_M = 0, ORDER_N, UNDEF };
enum class ScheduleType { INNER_PRODUCT = 0, OUTER_PRODUCT };
enum IterateMode : uint8_t {
    ITERATE_MODE_NORMAL = 1,
    ITERATE_MODE_ALL = 2,
    ITERATE_MODE_BATCH = 4,
    ITERATE_MODE_N_BATCH = 8,
    ITERATE_MODE_DEFAULT = 255,
};
enum class MatmulConfigMode { CONFIG_NORM, CONFIG_MDL, CONFIG_SPECIALMDL, CONFIG_IBSHARE };

// No value of it is ever used.
struct MatmulConfig {
    bool doNorm = false;
    bool doBasicBlock = false;
    bool doMultiDataLoad = false;
    uint32_t basicM = 0;
    uint32_t basicN = 0;
    uint32_t basicK = 0;
    bool intrinsicsCheck = false;
    bool isNBatch = false;
    bool enVecND2NZ = false;
    bool doSpecialBasicBlock = false;
    uint32_t doMTE2Preload = 0;
    uint32_t singleCoreM = 0;
    uint32_t singleCoreN = 0;
    uint32_t singleCoreK = 0;
    uint32_t stepM = 0;
    uint32_t stepN = 0;
    uint32_t baseMN = 0;
    uint32_t singleCoreMN = 0;
    bool enUnitFlag = true;
    bool isPerTensor = false;
    bool hasAntiQuantOffset = false;
    bool doIBShareNorm = false;
    bool doSpecialMDL = false;
    bool enableInit = true;
    BatchMode batchMode = BatchMode::NONE;
    bool enableEnd = true;
    bool enableGetTensorC = true;
    bool enableSetOrgShape = true;
    bool enableSetBias = true;
    bool enableSetTail = true;
    bool enableQuantVector = true;
    bool enableSetDefineData = true;
    uint8_t iterateMode = ITERATE_MODE_DEFAULT;
    bool enableReuse = true;
    bool enableUBReuse = false;
    bool enableL1CacheUB = false;
    bool intraBlockPartSum = false;
    IterateOrder iterateOrder = IterateOrder::UNDEF;
    ScheduleType scheduleType = ScheduleType::INNER_PRODUCT;
    bool enableDoubleCache = false;
    bool isBiasBatch = true;
    bool enableStaticPadZeros = false;
    bool isPartialOutput = false;
    bool enableMixDualMaster = false;
    bool isA2B2Shared = false;
    bool isEnableChannelSplit = false;
    bool enableKdimReorderLoad = false;
    bool isCO1Shared = false;
    uint32_t sharedCO1BufferSize = 64 * 1024;
    BatchOutMode bmmOutMode = SINGLE_BATCH;
    bool enableL1BankConflictOptimise = false;
    bool enableRelu = false;
};

struct MatmulShapeParams {
    uint32_t singleCoreM;
    uint32_t singleCoreN;
    uint32_t singleCoreK;
    uint32_t basicM;
    uint32_t basicN;
    uint32_t basicK;
};

#define HOSTCANN_MATMUL_CONFIG(name)                        \
    template <typename... Arguments>                        \
    constexpr MatmulConfig name(const Arguments&... unused) \
    {                                                       \
        (static_cast<void>(unused), ...);                   \
        return {};                                          \
    }
HOSTCANN_MATMUL_CONFIG(GetNormalConfig)
HOSTCANN_MATMUL_CONFIG(GetMDLConfig)
HOSTCANN_MATMUL_CONFIG(GetSpecialMDLConfig)
HOSTCANN_MATMUL_CONFIG(GetBasicConfig)
HOSTCANN_MATMUL_CONFIG(GetSpecialBasicConfig)
HOSTCANN_MATMUL_CONFIG(GetIBShareNormConfig)
#undef HOSTCANN_MATMUL_CONFIG
template <MatmulConfigMode mode, typename... Arguments>
constexpr MatmulConfig GetMMConfig(const Arguments&... unused)
{
    return GetNormalConfig(unused...);
}

// Tiling that is constant in the kernel: from the matrices' types and a configuration.
using MatmulApiStaticTiling = MatmulConfig;
template <typename... Types>
constexpr MatmulApiStaticTiling GetMatmulApiTiling(const MatmulConfig& config, int32_t = 0)
{
    return config;
}

constexpr MatmulConfig CFG_NORM = GetNormalConfig();
constexpr MatmulConfig CFG_MDL = GetMDLConfig();
constexpr MatmulConfig MM_CFG_BB = GetBasicConfig();
constexpr MatmulConfig CFG_IBSHARE_NORM = GetIBShareNormConfig();

namespace AscendC {

using ::CFG_IBSHARE_NORM;
using ::CFG_MDL;
using ::CFG_NORM;
using ::GetBasicConfig;
using ::GetIBShareNormConfig;
using ::GetMatmulApiTiling;
using ::GetMDLConfig;
using ::GetMMConfig;
using ::GetNormalConfig;
using ::GetSpecialMDLConfig;

template <TPosition Position, CubeFormat Format, typename Type, auto... Rest>
struct MatmulType {
    using T = Type;
    static constexpr TPosition pos = Position;
    static constexpr CubeFormat format = Format;
};

template <auto CopyOut = nullptr, auto CopyA1 = nullptr, auto CopyB1 = nullptr>
struct MatmulCallBackFunc {};
template <const auto& config, typename... Types>
struct MatmulPolicy {};

// The policies of a Matmul, if it has any, are templates themselves.
#define HOSTCANN_MATMUL(name)                                                                                \
    template <typename A, typename B, typename C, typename Bias = C, const auto& config = CFG_NORM,          \
              typename CallBack = MatmulCallBackFunc<>, template <const auto&, typename...> class... Policy> \
    struct name {                                                                                            \
        static_assert(!sizeof(A), "hostcann models vector cores only: " #name " needs a cube core");         \
    };
HOSTCANN_MATMUL(Matmul)
HOSTCANN_MATMUL(MatmulImpl)
#undef HOSTCANN_MATMUL

namespace hostcann {
template <typename... Arguments>
HOSTCANN_NEEDS_CUBE(REGIST_MATMUL_OBJ)
HOSTCANN_ABSENT void RegistMatmul(const Arguments&... arguments);
} // namespace hostcann

} // namespace AscendC

namespace matmul = AscendC;

#define REGIST_MATMUL_OBJ(...) AscendC::hostcann::RegistMatmul(__VA_ARGS__)

#endif // HOSTCANN_ASCENDC_KERNEL_MATMUL_ABSENT_H
