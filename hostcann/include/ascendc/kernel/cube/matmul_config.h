// Configurations of a Matmul object. They are plain values: most of them choose how a device schedules its buffers,
// which decides no result; those that do and are not modelled are refused where an object is made.
#ifndef HOSTCANN_ASCENDC_KERNEL_CUBE_MATMUL_CONFIG_H
#define HOSTCANN_ASCENDC_KERNEL_CUBE_MATMUL_CONFIG_H

#include "ascendc/tiling_structs.h"
#include "kernel_operator.h"

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
struct MatmulQuantParams {
    bool isPerTensor;
    bool hasAntiQuantOffset;
};
struct MatmulBatchParams {
    bool isNBatch;
    BatchMode batchMode;
    bool isBiasBatch = true;
    BatchOutMode bmmOutMode = SINGLE_BATCH;
};
struct MatmulFuncParams {
    bool intrinsicsCheck;
    bool enVecND2NZ;
    bool enableDoubleCache;
    bool enableL1CacheUB;
    uint32_t doMTE2Preload;
    IterateOrder iterateOrder;
    ScheduleType scheduleType;
    bool enableReuse = true;
    bool enableUBReuse;
    bool isPartialOutput = false;
    bool isA2B2Shared = false;
    bool isEnableChannelSplit = false;
    bool enableKdimReorderLoad = false;
    bool enableL1BankConflictOptimise = false;
    bool enableRelu = false;
};
struct MatmulBiasParams {
    bool enableSetBias = true;
};

constexpr MatmulConfig GetNormalConfig(bool intrinsicsLimit = false, bool batchLoop = false, bool isVecND2NZ = false,
                                       BatchMode bmmMode = BatchMode::BATCH_LESS_THAN_L1, bool isMsgReuse = true,
                                       IterateOrder iterateOrder = IterateOrder::UNDEF,
                                       ScheduleType scheduleType = ScheduleType::INNER_PRODUCT, bool enUnitFlag = true,
                                       bool enableMixDualMaster = false, BatchOutMode bmmOutMode = SINGLE_BATCH)
{
    MatmulConfig config;
    config.doNorm = true;
    config.intrinsicsCheck = intrinsicsLimit;
    config.isNBatch = batchLoop;
    config.enVecND2NZ = isVecND2NZ;
    config.batchMode = bmmMode;
    config.enableReuse = isMsgReuse;
    config.iterateOrder = iterateOrder;
    config.scheduleType = scheduleType;
    config.enUnitFlag = enUnitFlag;
    config.enableMixDualMaster = enableMixDualMaster;
    config.bmmOutMode = bmmOutMode;
    return config;
}
constexpr MatmulConfig GetMDLConfig(bool intrinsicsLimit = false, bool batchLoop = false, uint32_t doMTE2Preload = 0,
                                    bool isVecND2NZ = false, bool isPerTensor = false, bool hasAntiQuantOffset = false,
                                    bool enUnitFlag = false, bool isMsgReuse = true, bool enableUBReuse = true,
                                    bool enableL1CacheUB = false, bool enableMixDualMaster = false,
                                    bool enableKdimReorderLoad = false, bool enableL1BankConflictOptimise = false)
{
    MatmulConfig config;
    config.doMultiDataLoad = true;
    config.intrinsicsCheck = intrinsicsLimit;
    config.isNBatch = batchLoop;
    config.doMTE2Preload = doMTE2Preload;
    config.enVecND2NZ = isVecND2NZ;
    config.isPerTensor = isPerTensor;
    config.hasAntiQuantOffset = hasAntiQuantOffset;
    config.enUnitFlag = enUnitFlag;
    config.enableReuse = isMsgReuse;
    config.enableUBReuse = enableUBReuse;
    config.enableL1CacheUB = enableL1CacheUB;
    config.enableMixDualMaster = enableMixDualMaster;
    config.enableKdimReorderLoad = enableKdimReorderLoad;
    config.enableL1BankConflictOptimise = enableL1BankConflictOptimise;
    return config;
}
constexpr MatmulConfig GetSpecialMDLConfig(bool intrinsicsLimit = false, bool batchLoop = false,
                                           uint32_t doMTE2Preload = 0, bool isVecND2NZ = false,
                                           bool isPerTensor = false, bool hasAntiQuantOffset = false)
{
    MatmulConfig config = GetMDLConfig(intrinsicsLimit, batchLoop, doMTE2Preload, isVecND2NZ, isPerTensor,
                                       hasAntiQuantOffset);
    config.doMultiDataLoad = false;
    config.doSpecialMDL = true;
    return config;
}
constexpr MatmulConfig GetBasicConfig(uint32_t basicM, uint32_t basicN, uint32_t basicK, bool intrinsicsLimit = false,
                                      bool batchLoop = false, BatchMode bmmMode = BatchMode::BATCH_LESS_THAN_L1)
{
    MatmulConfig config;
    config.doBasicBlock = true;
    config.basicM = basicM;
    config.basicN = basicN;
    config.basicK = basicK;
    config.intrinsicsCheck = intrinsicsLimit;
    config.isNBatch = batchLoop;
    config.batchMode = bmmMode;
    return config;
}
constexpr MatmulConfig GetIBShareNormConfig(bool intrinsicsLimit = false, bool batchLoop = false,
                                            bool isVecND2NZ = false, BatchMode bmmMode = BatchMode::BATCH_LESS_THAN_L1,
                                            bool isDoubleCache = false, bool enUnitFlag = true)
{
    MatmulConfig config = GetNormalConfig(intrinsicsLimit, batchLoop, isVecND2NZ, bmmMode);
    config.doNorm = false;
    config.doIBShareNorm = true;
    config.enableDoubleCache = isDoubleCache;
    config.enUnitFlag = enUnitFlag;
    return config;
}

constexpr MatmulConfig CFG_NORM = GetNormalConfig();
constexpr MatmulConfig CFG_MDL = GetMDLConfig();
constexpr MatmulConfig MM_CFG_BB = GetBasicConfig(128, 128, 128);
constexpr MatmulConfig CFG_IBSHARE_NORM = GetIBShareNormConfig();

namespace AscendC {
namespace hostcann {

constexpr void Change(MatmulConfig& config, const MatmulShapeParams& p)
{
    config.singleCoreM = p.singleCoreM;
    config.singleCoreN = p.singleCoreN;
    config.singleCoreK = p.singleCoreK;
    config.basicM = p.basicM;
    config.basicN = p.basicN;
    config.basicK = p.basicK;
}
constexpr void Change(MatmulConfig& config, const MatmulQuantParams& p)
{
    config.isPerTensor = p.isPerTensor;
    config.hasAntiQuantOffset = p.hasAntiQuantOffset;
}
constexpr void Change(MatmulConfig& config, const MatmulBatchParams& p)
{
    config.isNBatch = p.isNBatch;
    config.batchMode = p.batchMode;
    config.isBiasBatch = p.isBiasBatch;
    config.bmmOutMode = p.bmmOutMode;
}
constexpr void Change(MatmulConfig& config, const MatmulFuncParams& p)
{
    config.intrinsicsCheck = p.intrinsicsCheck;
    config.enVecND2NZ = p.enVecND2NZ;
    config.enableDoubleCache = p.enableDoubleCache;
    config.enableL1CacheUB = p.enableL1CacheUB;
    config.doMTE2Preload = p.doMTE2Preload;
    config.iterateOrder = p.iterateOrder;
    config.scheduleType = p.scheduleType;
    config.enableReuse = p.enableReuse;
    config.enableUBReuse = p.enableUBReuse;
    config.isPartialOutput = p.isPartialOutput;
    config.isA2B2Shared = p.isA2B2Shared;
    config.isEnableChannelSplit = p.isEnableChannelSplit;
    config.enableKdimReorderLoad = p.enableKdimReorderLoad;
    config.enableRelu = p.enableRelu;
}
constexpr void Change(MatmulConfig& config, const MatmulBiasParams& p) { config.enableSetBias = p.enableSetBias; }

} // namespace hostcann
} // namespace AscendC

template <MatmulConfigMode mode, typename... Params>
constexpr MatmulConfig GetMMConfig(const Params&... params)
{
    MatmulConfig config = mode == MatmulConfigMode::CONFIG_MDL        ? CFG_MDL :
                          mode == MatmulConfigMode::CONFIG_SPECIALMDL ? GetSpecialMDLConfig() :
                          mode == MatmulConfigMode::CONFIG_IBSHARE    ? CFG_IBSHARE_NORM :
                                                                        CFG_NORM;
    (AscendC::hostcann::Change(config, params), ...);
    return config;
}

// Tiling that is constant in the kernel; -1 is what the tiling at run time says.
struct MatmulApiStaticTiling {
#define HOSTCANN_STATIC_FIELD(type, name) type name = -1;
    HOSTCANN_FIELDS_TCubeTiling(HOSTCANN_STATIC_FIELD)
#undef HOSTCANN_STATIC_FIELD
        MatmulConfig cfg;
};

// The shapes that the configuration names; all else is for the tiling at run time.
template <typename A, typename B, typename C, typename Bias>
constexpr MatmulApiStaticTiling GetMatmulApiTiling(const MatmulConfig& mmCFG, int32_t = 0)
{
    MatmulApiStaticTiling tiling;
    tiling.cfg = mmCFG;
    if (mmCFG.basicM != 0 && mmCFG.basicN != 0 && mmCFG.basicK != 0) {
        tiling.baseM = static_cast<int32_t>(mmCFG.basicM);
        tiling.baseN = static_cast<int32_t>(mmCFG.basicN);
        tiling.baseK = static_cast<int32_t>(mmCFG.basicK);
        tiling.isBias = mmCFG.enableSetBias ? 1 : 0;
    }
    if (mmCFG.singleCoreM != 0 && mmCFG.singleCoreN != 0 && mmCFG.singleCoreK != 0) {
        tiling.M = tiling.singleCoreM = static_cast<int32_t>(mmCFG.singleCoreM);
        tiling.N = tiling.singleCoreN = static_cast<int32_t>(mmCFG.singleCoreN);
        tiling.Ka = tiling.Kb = tiling.singleCoreK = static_cast<int32_t>(mmCFG.singleCoreK);
    }
    return tiling;
}

namespace AscendC {

using ::CFG_IBSHARE_NORM;
using ::CFG_MDL;
using ::CFG_NORM;
using ::CubeFormat;
using ::GetBasicConfig;
using ::GetIBShareNormConfig;
using ::GetMatmulApiTiling;
using ::GetMDLConfig;
using ::GetMMConfig;
using ::GetNormalConfig;
using ::GetSpecialMDLConfig;

// Operators take these from the headers of Matmul. CeilDiv is one of uint16_t there, too.
HOSTCANN_API uint16_t CeilDiv(uint16_t num1, uint16_t num2) { return static_cast<uint16_t>(CeilDivision(num1, num2)); }
HOSTCANN_API uint16_t CeilAlign(uint16_t num1, uint16_t num2)
{
    return static_cast<uint16_t>(CeilDiv(num1, num2) * num2);
}
template <typename T>
HOSTCANN_API T CeilAlign(T num1, T num2)
{
    return num2 == 0 ? 0 : (num1 + num2 - 1) / num2 * num2;
}

namespace hostcann {
constexpr const MatmulConfig& ConfigOf(const MatmulConfig& config) { return config; }
constexpr const MatmulConfig& ConfigOf(const MatmulApiStaticTiling& tiling) { return tiling.cfg; }
} // namespace hostcann

} // namespace AscendC

#endif // HOSTCANN_ASCENDC_KERNEL_CUBE_MATMUL_CONFIG_H
