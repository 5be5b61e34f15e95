// ge::DataType, ge::Format and what is asked about them (metadef graph/types.h).
#ifndef INC_EXTERNAL_GRAPH_TYPES_H_
#define INC_EXTERNAL_GRAPH_TYPES_H_

#include <atomic>
#include <cstddef>
#include <cstdint>
#include <functional>
#include <initializer_list>
#include <map>
#include <memory>
#include <set>
#include <string>
#include <unordered_map>
#include <vector>

#include "graph/c_types.h"
#include "graph/error_codes.h"

#ifndef WEAK_SYMBOL
#define WEAK_SYMBOL __attribute__((weak))
#endif
#ifndef FORMAT_PRINTF
#define FORMAT_PRINTF(format_idx, first_arg) __attribute__((format(printf, (format_idx), (first_arg))))
#endif

namespace ge {
using char_t = char;
using float32_t = float;
using float64_t = double;
using vector_bit_t = std::vector<bool>;

static const int64_t SHAPE_RANGE_LOWER_LIMIT = 0;
static const int64_t UNKNOWN_DIM = -1;
static const int64_t UNKNOWN_DIM_NUM = -2;
static const std::vector<int64_t> UNKNOWN_SHAPE = {-1};
static const std::vector<int64_t> UNKNOWN_RANK = {-2};
static const std::vector<int64_t> DUMMY_SHAPE = {-3};
static constexpr int32_t kDataTypeSizeBitOffset = 1000;
static constexpr uint32_t kBitNumOfOneByte = 8U;
static constexpr uint32_t kBitThreeBytes = 24U;

enum DataType {
#define HC_DATA_TYPE(name, value, size, token, kernel) DT_##name = C_DT_##name,
#include "hostcann/data_types.inc"
#undef HC_DATA_TYPE
    DT_UNDEFINED = C_DT_UNDEFINED,
    DT_MAX = C_DT_MAX,
};

enum Format {
    FORMAT_NCHW = C_FORMAT_NCHW,
    FORMAT_NHWC = C_FORMAT_NHWC,
    FORMAT_ND = C_FORMAT_ND,
    FORMAT_NC1HWC0 = C_FORMAT_NC1HWC0,
    FORMAT_FRACTAL_Z = C_FORMAT_FRACTAL_Z,
    FORMAT_NC1C0HWPAD = C_FORMAT_NC1C0HWPAD,
    FORMAT_NHWC1C0 = C_FORMAT_NHWC1C0,
    FORMAT_FSR_NCHW = C_FORMAT_FSR_NCHW,
    FORMAT_FRACTAL_DECONV = C_FORMAT_FRACTAL_DECONV,
    FORMAT_C1HWNC0 = C_FORMAT_C1HWNC0,
    FORMAT_FRACTAL_DECONV_TRANSPOSE = C_FORMAT_FRACTAL_DECONV_TRANSPOSE,
    FORMAT_FRACTAL_DECONV_SP_STRIDE_TRANS = C_FORMAT_FRACTAL_DECONV_SP_STRIDE_TRANS,
    FORMAT_NC1HWC0_C04 = C_FORMAT_NC1HWC0_C04,
    FORMAT_FRACTAL_Z_C04 = C_FORMAT_FRACTAL_Z_C04,
    FORMAT_CHWN = C_FORMAT_CHWN,
    FORMAT_FRACTAL_DECONV_SP_STRIDE8_TRANS = C_FORMAT_FRACTAL_DECONV_SP_STRIDE8_TRANS,
    FORMAT_HWCN = C_FORMAT_HWCN,
    FORMAT_NC1KHKWHWC0 = C_FORMAT_NC1KHKWHWC0,
    FORMAT_BN_WEIGHT = C_FORMAT_BN_WEIGHT,
    FORMAT_FILTER_HWCK = C_FORMAT_FILTER_HWCK,
    FORMAT_HASHTABLE_LOOKUP_LOOKUPS = C_FORMAT_HASHTABLE_LOOKUP_LOOKUPS,
    FORMAT_HASHTABLE_LOOKUP_KEYS = C_FORMAT_HASHTABLE_LOOKUP_KEYS,
    FORMAT_HASHTABLE_LOOKUP_VALUE = C_FORMAT_HASHTABLE_LOOKUP_VALUE,
    FORMAT_HASHTABLE_LOOKUP_OUTPUT = C_FORMAT_HASHTABLE_LOOKUP_OUTPUT,
    FORMAT_HASHTABLE_LOOKUP_HITS = C_FORMAT_HASHTABLE_LOOKUP_HITS,
    FORMAT_C1HWNCoC0 = C_FORMAT_C1HWNCoC0,
    FORMAT_MD = C_FORMAT_MD,
    FORMAT_NDHWC = C_FORMAT_NDHWC,
    FORMAT_FRACTAL_ZZ = C_FORMAT_FRACTAL_ZZ,
    FORMAT_FRACTAL_NZ = C_FORMAT_FRACTAL_NZ,
    FORMAT_NCDHW = C_FORMAT_NCDHW,
    FORMAT_DHWCN = C_FORMAT_DHWCN,
    FORMAT_NDC1HWC0 = C_FORMAT_NDC1HWC0,
    FORMAT_FRACTAL_Z_3D = C_FORMAT_FRACTAL_Z_3D,
    FORMAT_CN = C_FORMAT_CN,
    FORMAT_NC = C_FORMAT_NC,
    FORMAT_DHWNC = C_FORMAT_DHWNC,
    FORMAT_FRACTAL_Z_3D_TRANSPOSE = C_FORMAT_FRACTAL_Z_3D_TRANSPOSE,
    FORMAT_FRACTAL_ZN_LSTM = C_FORMAT_FRACTAL_ZN_LSTM,
    FORMAT_FRACTAL_Z_G = C_FORMAT_FRACTAL_Z_G,
    FORMAT_RESERVED = C_FORMAT_RESERVED,
    FORMAT_ALL = C_FORMAT_ALL,
    FORMAT_NULL = C_FORMAT_NULL,
    FORMAT_ND_RNN_BIAS = C_FORMAT_ND_RNN_BIAS,
    FORMAT_FRACTAL_ZN_RNN = C_FORMAT_FRACTAL_ZN_RNN,
    FORMAT_NYUV = C_FORMAT_NYUV,
    FORMAT_NYUV_A = C_FORMAT_NYUV_A,
    FORMAT_NCL = C_FORMAT_NCL,
    FORMAT_FRACTAL_Z_WINO = C_FORMAT_FRACTAL_Z_WINO,
    FORMAT_C1HWC0 = C_FORMAT_C1HWC0,
    FORMAT_FRACTAL_NZ_C0_16 = C_FORMAT_FRACTAL_NZ_C0_16,
    FORMAT_FRACTAL_NZ_C0_32 = C_FORMAT_FRACTAL_NZ_C0_32,
    FORMAT_FRACTAL_NZ_C0_2 = C_FORMAT_FRACTAL_NZ_C0_2,
    FORMAT_FRACTAL_NZ_C0_4 = C_FORMAT_FRACTAL_NZ_C0_4,
    FORMAT_FRACTAL_NZ_C0_8 = C_FORMAT_FRACTAL_NZ_C0_8,
    FORMAT_END = C_FORMAT_END,
    FORMAT_MAX = C_FORMAT_MAX,
};

struct StringHead {
    int64_t addr;
    int64_t len;
};

enum UnknowShapeOpType { DEPEND_IN_SHAPE = 1, DEPEND_CONST_VALUE = 2, DEPEND_SHAPE_RANGE = 3, DEPEND_COMPUTE = 4 };
enum DeviceType { NPU = 0, CPU = 1 };
enum Placement { kPlacementHost = 0, kPlacementDevice = 1, kPlacementEnd };

struct TensorDescInfo {
    Format format_ = FORMAT_RESERVED;
    DataType dataType_ = DT_UNDEFINED;
};

// Bytes of one element; 1000 + bits for types below one byte; -1 for types without a size.
inline int GetSizeByDataType(DataType data_type)
{
    switch (data_type) {
#define HC_DATA_TYPE(name, value, size, token, kernel) \
    case DT_##name:                                    \
        return (size);
#include "hostcann/data_types.inc"
#undef HC_DATA_TYPE
        default:
            return -1;
    }
}

// Bytes of `element_count` elements, sub-byte types rounded up; -1 for a negative count, an unknown type or an
// overflow.
int64_t GetSizeInBytes(int64_t element_count, DataType data_type);

// A format word: bits 0-7 primary format, 8-23 sub format, 24-27 C0 code (C0 = 2^(code-1)).
inline int32_t GetPrimaryFormat(int32_t format) { return format & 0xff; }
inline int32_t GetSubFormat(int32_t format) { return (format >> 8) & 0xffff; }
inline bool HasSubFormat(int32_t format) { return GetSubFormat(format) > 0; }
inline int32_t GetC0Format(int32_t format) { return (format >> 24) & 0xf; }
inline bool HasC0Format(int32_t format) { return GetC0Format(format) > 0; }
inline int64_t GetC0Value(int32_t format) { return HasC0Format(format) ? int64_t{1} << (GetC0Format(format) - 1) : -1; }
inline int32_t GetFormatFromSub(int32_t primary_format, int32_t sub_format)
{
    return (primary_format & 0xff) | ((sub_format & 0xffff) << 8);
}
inline int32_t GetFormatFromC0(int32_t format, int32_t c0_format)
{
    return (format & 0xffffff) | ((c0_format & 0xf) << 24);
}
inline int32_t GetFormatFromSubAndC0(int32_t primary_format, int32_t sub_format, int32_t c0_format)
{
    return GetFormatFromC0(GetFormatFromSub(primary_format, sub_format), c0_format);
}

const char_t* GetFormatName(Format format);
} // namespace ge

#endif
