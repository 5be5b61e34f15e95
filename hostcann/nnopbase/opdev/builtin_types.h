// How operators that run on the host read and write elements.
#ifndef HOSTCANN_NNOPBASE_BUILTIN_TYPES_H
#define HOSTCANN_NNOPBASE_BUILTIN_TYPES_H

#include <cstddef>
#include <cstdint>

#include "opdev/bfloat16.h"
#include "opdev/common_types.h"
#include "opdev/fp16_t.h"

namespace op {
namespace internal {

// How a type is stored and what it is calculated in. Integers wrap: they are calculated unsigned.
template <typename Stored, typename Number>
struct Plain {
    static Number Load(const void* from, size_t at)
    {
        return static_cast<Number>(static_cast<const Stored*>(from)[at]);
    }
    static void Store(void* to, size_t at, Number value) { static_cast<Stored*>(to)[at] = static_cast<Stored>(value); }
};
struct Half {
    static float Load(const void* from, size_t at) { return HalfBitsToFloat(static_cast<const uint16_t*>(from)[at]); }
    static void Store(void* to, size_t at, float value) { static_cast<uint16_t*>(to)[at] = FloatToHalfBits(value); }
};
struct Brain {
    static float Load(const void* from, size_t at)
    {
        return Bfloat16BitsToFloat(static_cast<const uint16_t*>(from)[at]);
    }
    static void Store(void* to, size_t at, float value) { static_cast<uint16_t*>(to)[at] = FloatToBfloat16Bits(value); }
};
struct Truth {
    static int64_t Load(const void* from, size_t at) { return static_cast<const uint8_t*>(from)[at] != 0 ? 1 : 0; }
    static void Store(void* to, size_t at, int64_t value) { static_cast<uint8_t*>(to)[at] = value != 0 ? 1 : 0; }
};

// Calls use(access, number) for the type. False when it is none of these.
template <typename Use>
bool WithType(DataType dataType, Use use)
{
    switch (dataType) {
        case DataType::DT_FLOAT:
            use(Plain<float, float>(), float{});
            return true;
        case DataType::DT_FLOAT16:
            use(Half(), float{});
            return true;
        case DataType::DT_BF16:
            use(Brain(), float{});
            return true;
        case DataType::DT_DOUBLE:
            use(Plain<double, double>(), double{});
            return true;
        case DataType::DT_INT8:
            use(Plain<int8_t, int64_t>(), int64_t{});
            return true;
        case DataType::DT_UINT8:
            use(Plain<uint8_t, int64_t>(), int64_t{});
            return true;
        case DataType::DT_INT16:
            use(Plain<int16_t, int64_t>(), int64_t{});
            return true;
        case DataType::DT_UINT16:
            use(Plain<uint16_t, int64_t>(), int64_t{});
            return true;
        case DataType::DT_INT32:
            use(Plain<int32_t, int64_t>(), int64_t{});
            return true;
        case DataType::DT_UINT32:
            use(Plain<uint32_t, int64_t>(), int64_t{});
            return true;
        case DataType::DT_INT64:
            use(Plain<int64_t, int64_t>(), int64_t{});
            return true;
        case DataType::DT_BOOL:
            use(Truth(), int64_t{});
            return true;
        default:
            return false;
    }
}

} // namespace internal
} // namespace op
#endif // HOSTCANN_NNOPBASE_BUILTIN_TYPES_H
