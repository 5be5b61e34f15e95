// Tiling data: the structs a kernel registers and the macros that read them from global memory.
#ifndef HOSTCANN_ASCENDC_KERNEL_TILING_H
#define HOSTCANN_ASCENDC_KERNEL_TILING_H

#include <cstddef>
#include <cstring>
#include <type_traits>

#include "ascendc/kernel/macros.h"
#include "hostcann/aicore_abi.h"

namespace AscendC {
namespace hostcann {

// A byte per byte of T, not 0 where the struct has padding: no tiling function needs to write those.
template <typename T>
struct TilingPadding {
    unsigned char bytes[sizeof(T)];
    TilingPadding()
    {
        alignas(T) unsigned char image[sizeof(T)];
        std::memset(image, 0xFF, sizeof(T));
#if __has_builtin(__builtin_clear_padding)
        __builtin_clear_padding(reinterpret_cast<T*>(image));
#endif
        for (std::size_t i = 0; i < sizeof(T); ++i) {
            bytes[i] = image[i] == 0 ? 1 : 0;
        }
    }
};

template <typename T>
HOSTCANN_API void LoadTiling(T* dst, const void* src)
{
    static_assert(std::is_trivially_copyable<T>::value, "tiling data is copied bytewise: use plain structs");
    static const TilingPadding<T> padding;
    aic_load_tiling(dst, src, sizeof(T), padding.bytes);
}

template <typename T, typename P>
HOSTCANN_API const T* PointToTiling(const P* src)
{
    aic_tiling_pointer(src);
    return reinterpret_cast<const T*>(src);
}

} // namespace hostcann
} // namespace AscendC

// GET_TILING_DATA without a struct uses the registered default.
#define REGISTER_TILING_DEFAULT(TilingStruct) using HostcannTilingDefault [[maybe_unused]] = TilingStruct
#define REGISTER_TILING_FOR_TILINGKEY(expression, TilingStruct) \
    static_assert(sizeof(TilingStruct) > 0, "tiling struct of " expression)
#define REGISTER_NONE_TILING using HostcannTilingNone [[maybe_unused]] = void

#define GET_TILING_DATA(tilingData, tilingArg) GET_TILING_DATA_WITH_STRUCT(HostcannTilingDefault, tilingData, tilingArg)

#define GET_TILING_DATA_WITH_STRUCT(TilingStruct, tilingData, tilingArg) \
    TilingStruct tilingData;                                             \
    ::AscendC::hostcann::LoadTiling(&tilingData, tilingArg)

#define GET_TILING_DATA_MEMBER(TilingStruct, member, variable, tilingArg) \
    decltype(TilingStruct::member) variable;                              \
    ::AscendC::hostcann::LoadTiling(&variable, (tilingArg) + offsetof(TilingStruct, member))

// Qualifier of pointers to tiling data.
#define __tiling_data_ptr__ const

#define GET_TILING_DATA_PTR_WITH_STRUCT(TilingStruct, dstPtr, tilingArg) \
    __tiling_data_ptr__ TilingStruct* dstPtr = ::AscendC::hostcann::PointToTiling<TilingStruct>(tilingArg)

// Declares dstPtr and lets it point to a copy on the stack.
#define COPY_TILING_WITH_STRUCT(TilingStruct, srcPtr, dstPtr)       \
    TilingStruct dstPtr##HostcannCopy;                              \
    ::AscendC::hostcann::LoadTiling(&dstPtr##HostcannCopy, srcPtr); \
    __tiling_data_ptr__ TilingStruct* dstPtr = &dstPtr##HostcannCopy

// Declares dst_ptr, a pointer to a copy of the array on the stack.
#define COPY_TILING_WITH_ARRAY(arr_type, arr_count, src_ptr, dst_ptr)                        \
    arr_type dst_ptr##HostcannCopy[arr_count];                                               \
    aic_load_tiling(dst_ptr##HostcannCopy, src_ptr, sizeof(dst_ptr##HostcannCopy), nullptr); \
    __tiling_data_ptr__ arr_type(*dst_ptr)[arr_count] = &dst_ptr##HostcannCopy

#endif // HOSTCANN_ASCENDC_KERNEL_TILING_H
