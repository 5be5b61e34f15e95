// Address spaces, attributes and the macros a kernel file uses at its top level.
#ifndef HOSTCANN_ASCENDC_KERNEL_MACROS_H
#define HOSTCANN_ASCENDC_KERNEL_MACROS_H

#include <cstdint>

// Attributes and address spaces of the device compiler; on the host every pointer is a plain pointer.
#if defined(HOSTCANN_DEVICE_CHECK)
// Read by clang in its device mode, which lets device functions call device functions only. A kernel's entry has to be
// marked as a kernel and as device code.
#define __aicore__ __attribute__((device))
#define __global__
#define __host_aicore__ __attribute__((host, device))
#else
#define __aicore__
#if defined(HOSTCANN_MARK_KERNELS)
// bisheng finds the kernels of a library by it, and removes it.
#define __global__ HOSTCANN_KERNEL
#else
#define __global__
#endif
#define __host_aicore__
#endif
#define __gm__
#if defined(HOSTCANN_MARK_ARRAYS)
// bisheng finds arrays of the unified buffer by it, and removes it.
#define __ubuf__ HOSTCANN_UBUF
#else
#define __ubuf__
#endif
#define __cbuf__
#define __ca__
#define __cb__
#define __cc__
#define __fbuf__
#define __ssbuf__
#define __biasbuf__
#define __kfc_workspace__
#ifndef __forceinline__
#define __forceinline__ inline __attribute__((always_inline))
#endif
#define __inout_pipe__(pipe)
#define __in_pipe__(pipe)
#define __out_pipe__(pipe)

// Which cores run a kernel. The host's bisheng makes a call of it at the start of the kernel; elsewhere a call of a
// kernel with a cube core does not compile, an unused one next to a vector kernel does.
#define __vector__
#define __schedmode__(mode)
#if defined(HOSTCANN_MARK_TYPES)
#define __cube__ HOSTCANN_TYPE_AIC_ONLY
#define __mix__(cube, vector) HOSTCANN_MIX_##cube##_##vector
#define HOSTCANN_MIX_0_1
#define HOSTCANN_MIX_1_0 HOSTCANN_TYPE_AIC_ONLY
#define HOSTCANN_MIX_1_1 HOSTCANN_TYPE_MIX_AIC_1_1
#define HOSTCANN_MIX_1_2 HOSTCANN_TYPE_MIX_AIC_1_2
#else
#define HOSTCANN_NO_CUBE(text) _Pragma(text)
#define __cube__ \
    __attribute__((noinline, error("hostcann's bisheng alone knows __cube__: name it by KERNEL_TASK_TYPE")))
#define __mix__(cube, vector) HOSTCANN_MIX_##cube
#define HOSTCANN_MIX_0
#define HOSTCANN_MIX_1 HOSTCANN_NO_CUBE("GCC error \"hostcann's bisheng alone knows __mix__: write KERNEL_TASK_TYPE\"")
#endif

#define GM_ADDR __gm__ uint8_t*

// Every function a kernel calls here is inlined, at -O0 too: the call into the core (aic_*) then returns into the
// kernel author's function, and its return address names the author's line.
#define HOSTCANN_API __attribute__((always_inline)) inline
// The same behind the parameters of a lambda.
#define HOSTCANN_API_LAMBDA __attribute__((always_inline))

// Selected by the kernel compiler per object; a host unit test sets it with ICPU_SET_TILING_KEY. Sources that ask the
// preprocessor whether there is a TILING_KEY_VAR are told no: one unit holds all keys.
#if !defined(TILING_KEY_VAR) && !defined(HOSTCANN_NO_TILING_KEY_VAR)
#define TILING_KEY_VAR (::aic_tiling_key())
#endif
#if defined(ASCENDC_TPL_PRE)
// clang-format off
#define TILING_KEY_IS(k) @@HC_KEY@@ k @@END@@
// clang-format on
#elif defined(HOSTCANN_KEY_PROBE)
// The kernel compiler reads the keys off the object's symbols: any constant expression will do.
template <uint64_t Key>
__attribute__((noinline, used)) bool HostcannKeyProbe()
{
    return false;
}
#define TILING_KEY_IS(k) (::HostcannKeyProbe<static_cast<uint64_t>(k)>())
#elif defined(TILING_KEY_VAR)
#define TILING_KEY_IS(k) (TILING_KEY_VAR == (k))
#else
#define TILING_KEY_IS(k) (::aic_tiling_key() == (k))
#endif

// Which cores run a block. A launch starts as one of vector cores, and anew where the kernel names others.
#define KERNEL_TASK_TYPE_DEFAULT(type) (::aic_kernel_type((type), 0))
#define KERNEL_TASK_TYPE(key, type) (::aic_tiling_key() == (key) ? ::aic_kernel_type((type), 1) : void())

#endif // HOSTCANN_ASCENDC_KERNEL_MACROS_H
