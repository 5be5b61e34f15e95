// The names of the cube core's own instructions, which are not modelled. Their parameters are plain structures, so that
// code that is never called compiles; a call is an error that says why.
#ifndef HOSTCANN_ASCENDC_KERNEL_CUBE_ABSENT_H
#define HOSTCANN_ASCENDC_KERNEL_CUBE_ABSENT_H

#include <cstdint>

namespace AscendC {

enum QuantMode_t { NoQuant, F322F16, F322BF16, DEQF16, VDEQF16, QF322B8_PRE, VQF322B8_PRE, REQ8, VREQ8 };
enum class CO2Layout : uint8_t { NZ, ROW_MAJOR, COLUMN_MAJOR };
struct FixpipeConfig {
    CO2Layout format;
    bool isToUB = false;
};
constexpr FixpipeConfig CFG_NZ = {CO2Layout::NZ};
constexpr FixpipeConfig CFG_ROW_MAJOR = {CO2Layout::ROW_MAJOR};

struct MmadParams {
    uint16_t m = 0;
    uint16_t n = 0;
    uint16_t k = 0;
    bool isBias = false;
    int32_t fmOffset = 0;
    bool enSsparse = false;
    bool enWinogradA = false;
    bool enWinogradB = false;
    int8_t unitFlag = 0;
    bool kDirectionAlign = false;
    bool cmatrixSource = false;
    bool cmatrixInitVal = true;
};

struct LoadData2DParams {
    uint16_t startIndex = 0;
    uint16_t dstGap = 0;
    uint16_t srcStride = 0;
    bool ifTranspose = false;
    uint8_t repeatTimes = 0;
    uint8_t sid = 0;
    uint8_t addrMode = 0;
};

struct LoadData2DParamsV2 {
    uint32_t mStartPosition = 0;
    uint32_t kStartPosition = 0;
    uint16_t mStep = 0;
    uint16_t kStep = 0;
    int32_t srcStride = 0;
    uint16_t dstStride = 0;
    bool ifTranspose = false;
    uint8_t sid = 0;
};

struct LoadData2dTransposeParams {
    uint16_t startIndex = 0;
    uint8_t repeatTimes = 0;
    uint16_t srcStride = 0;
    uint16_t dstGap = 0;
    uint16_t dstFracGap = 0;
    uint8_t addrMode = 0;
};

template <typename T>
struct LoadData3DParamsV2 {
    uint8_t padList[4] = {};
    uint16_t l1H = 0;
    uint16_t l1W = 0;
    uint16_t channelSize = 0;
    uint16_t kExtension = 0;
    uint16_t mExtension = 0;
    uint16_t kStartPt = 0;
    uint16_t mStartPt = 0;
    uint8_t strideW = 1;
    uint8_t strideH = 1;
    uint8_t filterW = 1;
    uint8_t filterH = 1;
    uint8_t dilationFilterW = 1;
    uint8_t dilationFilterH = 1;
    bool enTranspose = false;
    bool enSmallK = false;
    T padValue = 0;
    bool filterSizeW = false;
    bool filterSizeH = false;
    bool fMatrixCtrl = false;
};

template <typename T>
struct InitConstValueParams {
    uint16_t repeatTimes = 0;
    uint16_t blockNum = 0;
    uint16_t dstGap = 0;
    T initValue = 0;
};

struct FixpipeParamsV220 {
    uint16_t nSize = 0;
    uint16_t mSize = 0;
    uint16_t srcStride = 0;
    uint32_t dstStride = 0;
    QuantMode_t quantPre = QuantMode_t::NoQuant;
    uint64_t deqScalar = 0;
    uint16_t ndNum = 1;
    uint16_t srcNdStride = 0;
    uint16_t dstNdStride = 0;
    bool reluEn = false;
    uint8_t unitFlag = 0;
    bool isChannelSplit = false;
};

// A function of any arguments, with or without types and a value in front: the compiler stops where it is called.
#define HOSTCANN_ABSENT __aicore__
#define HOSTCANN_NEEDS_CUBE(name) \
    HOSTCANN_ABSENT __attribute__((error("hostcann models vector cores only: " #name " needs a cube core")))
#define HOSTCANN_CUBE_FUNCTION(name)                                                     \
    template <typename First = void, typename Second = void, typename... Arguments>      \
    HOSTCANN_NEEDS_CUBE(name)                                                            \
    HOSTCANN_ABSENT void name(const Arguments&... arguments);                            \
    template <typename First, typename Second, auto Value, typename... Arguments>        \
    HOSTCANN_NEEDS_CUBE(name)                                                            \
    HOSTCANN_ABSENT void name(const Arguments&... arguments);                            \
    template <typename First, typename Second, const auto& Value, typename... Arguments> \
    HOSTCANN_NEEDS_CUBE(name)                                                            \
    HOSTCANN_ABSENT void name(const Arguments&... arguments);                            \
    template <typename First, auto Value, typename... Arguments>                         \
    HOSTCANN_NEEDS_CUBE(name)                                                            \
    HOSTCANN_ABSENT void name(const Arguments&... arguments);

HOSTCANN_CUBE_FUNCTION(Mmad)
HOSTCANN_CUBE_FUNCTION(MmadWithSparse)
HOSTCANN_CUBE_FUNCTION(LoadData)
HOSTCANN_CUBE_FUNCTION(LoadDataWithTranspose)
HOSTCANN_CUBE_FUNCTION(LoadDataWithSparse)
HOSTCANN_CUBE_FUNCTION(LoadDataUnzip)
HOSTCANN_CUBE_FUNCTION(LoadImageToLocal)
HOSTCANN_CUBE_FUNCTION(InitConstValue)
HOSTCANN_CUBE_FUNCTION(Fixpipe)
HOSTCANN_CUBE_FUNCTION(SetFixPipeConfig)
HOSTCANN_CUBE_FUNCTION(SetFixpipeNz2ndFlag)
HOSTCANN_CUBE_FUNCTION(SetFixpipePreQuantFlag)
HOSTCANN_CUBE_FUNCTION(SetFixPipeClipRelu)
HOSTCANN_CUBE_FUNCTION(SetFixPipeAddr)
HOSTCANN_CUBE_FUNCTION(SetLoadDataBoundary)
HOSTCANN_CUBE_FUNCTION(SetLoadDataRepeat)
HOSTCANN_CUBE_FUNCTION(SetLoadDataPaddingValue)
HOSTCANN_CUBE_FUNCTION(SetFmatrix)
HOSTCANN_CUBE_FUNCTION(SetMMLayoutTransform)
HOSTCANN_CUBE_FUNCTION(BroadCastVecToMM)

#undef HOSTCANN_CUBE_FUNCTION

} // namespace AscendC

#endif // HOSTCANN_ASCENDC_KERNEL_CUBE_ABSENT_H
