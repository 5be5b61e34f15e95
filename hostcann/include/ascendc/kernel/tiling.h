// Tiling data: the structs a kernel registers and the macros that read them from global memory.
#ifndef HOSTCANN_ASCENDC_KERNEL_TILING_H
#define HOSTCANN_ASCENDC_KERNEL_TILING_H

#include <cstddef>
#include <type_traits>

#include "ascendc/kernel/macros.h"
#include "hostcann/aicore_abi.h"

namespace AscendC {
namespace hostcann {

template <typename T>
__aicore__ inline void LoadTiling(T* dst, const void* src)
{
    static_assert(std::is_trivially_copyable<T>::value, "tiling data is copied bytewise: use plain structs");
    aic_load_tiling(dst, src, sizeof(T));
}

} // namespace hostcann
} // namespace AscendC

// GET_TILING_DATA without a struct uses the registered default.
#define REGISTER_TILING_DEFAULT(TilingStruct) using HostcannTilingDefault [[maybe_unused]] = TilingStruct
#define REGISTER_TILING_FOR_TILINGKEY(expression, TilingStruct) \
    static_assert(sizeof(TilingStruct) > 0, "tiling struct of " expression)
#define REGISTER_NONE_TILING

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
    __tiling_data_ptr__ TilingStruct* dstPtr = reinterpret_cast<__tiling_data_ptr__ TilingStruct*>(tilingArg)

// Declares dstPtr and lets it point to a copy on the stack.
#define COPY_TILING_WITH_STRUCT(TilingStruct, srcPtr, dstPtr)       \
    TilingStruct dstPtr##HostcannCopy;                              \
    ::AscendC::hostcann::LoadTiling(&dstPtr##HostcannCopy, srcPtr); \
    __tiling_data_ptr__ TilingStruct* dstPtr = &dstPtr##HostcannCopy

#endif // HOSTCANN_ASCENDC_KERNEL_TILING_H
