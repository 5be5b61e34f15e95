// The C API: functions over pointers into the unified buffer, for the data types that A2 has. `…_sync` waits for what
// it started; without it the kernel orders pipes itself. Those with a count set the mask, the others work under the
// mask registers, with a number of repeats and strides in blocks.
#ifndef HOSTCANN_ASCENDC_KERNEL_C_API_H
#define HOSTCANN_ASCENDC_KERNEL_C_API_H

#include "kernel_operator.h"

HOSTCANN_API void asc_init() { AscendC::InitSocState(); }
HOSTCANN_API int64_t asc_get_block_idx() { return get_block_idx(); }
HOSTCANN_API int64_t asc_get_block_num() { return get_block_num(); }
HOSTCANN_API int64_t asc_get_sub_block_id() { return get_subblockid(); }
HOSTCANN_API int64_t asc_get_sub_block_num() { return get_subblockdim(); }
HOSTCANN_API int64_t asc_get_system_cycle() { return get_sys_cnt(); }
HOSTCANN_API int64_t asc_get_rsvd_count() { return get_rsvd_cnt(); }
HOSTCANN_API int64_t asc_get_acc_val() { return get_acc_val(); }

HOSTCANN_API void asc_sync() { pipe_barrier(PIPE_ALL); }
HOSTCANN_API void asc_sync_vec() { pipe_barrier(PIPE_V); }
HOSTCANN_API void asc_sync_pipe(pipe_t pipe) { pipe_barrier(pipe); }
HOSTCANN_API void asc_sync_notify(pipe_t from, pipe_t to, int32_t id) { set_flag(from, to, id); }
HOSTCANN_API void asc_sync_wait(pipe_t from, pipe_t to, int32_t id) { wait_flag(from, to, id); }

HOSTCANN_API void asc_set_mask_count() { set_mask_count(); }
HOSTCANN_API void asc_set_mask_norm() { set_mask_norm(); }
HOSTCANN_API void asc_set_vector_mask(uint64_t high, uint64_t low) { set_vector_mask(high, low); }

HOSTCANN_API void asc_dcci_single(__gm__ void* dst) { aic_dcci(dst, 0); }
HOSTCANN_API void asc_dcci_entire_out() { aic_dcci(nullptr, 1); }
HOSTCANN_API void asc_dcci_entire_all() { aic_dcci(nullptr, 1); }

// Copies of whole blocks: a size in bytes, or bursts with lengths and gaps in blocks.
#define HOSTCANN_C_COPY(Name, Raw, D, S)                                                                               \
    HOSTCANN_API void Name(D dst, S src, uint16_t nBurst, uint16_t lenBurst, uint16_t srcGap, uint16_t dstGap)         \
    {                                                                                                                  \
        Raw(reinterpret_cast<uint8_t*>(dst), reinterpret_cast<uint8_t*>(src), 0, nBurst, lenBurst, srcGap, dstGap);    \
    }                                                                                                                  \
    HOSTCANN_API void Name(D dst, S src, uint32_t size) { Name(dst, src, 1, static_cast<uint16_t>(size / 32), 0, 0); } \
    HOSTCANN_API void Name##_sync(D dst, S src, uint32_t size)                                                         \
    {                                                                                                                  \
        Name(dst, src, size);                                                                                          \
        asc_sync();                                                                                                    \
    }
HOSTCANN_C_COPY(asc_copy_gm2ub, copy_gm_to_ubuf, __ubuf__ void*, __gm__ void*)
HOSTCANN_C_COPY(asc_copy_ub2gm, copy_ubuf_to_gm, __gm__ void*, __ubuf__ void*)
HOSTCANN_C_COPY(asc_copy_ub2ub, copy_ubuf_to_ubuf, __ubuf__ void*, __ubuf__ void*)
#undef HOSTCANN_C_COPY

// Copies of any number of bytes.
#define HOSTCANN_C_ALIGN(T, bits)                                                                              \
    HOSTCANN_API void asc_copy_gm2ub_align(__ubuf__ T* dst, __gm__ T* src, uint16_t nBurst, uint32_t lenBurst, \
                                           uint8_t left, uint8_t right, uint32_t srcGap, uint32_t dstGap)      \
    {                                                                                                          \
        copy_gm_to_ubuf_align_b##bits(dst, src, 0, nBurst, lenBurst, left, right, srcGap, dstGap);             \
    }                                                                                                          \
    HOSTCANN_API void asc_copy_gm2ub_align(__ubuf__ T* dst, __gm__ T* src, uint32_t size)                      \
    {                                                                                                          \
        asc_copy_gm2ub_align(dst, src, 1, size, 0, 0, 0, 0);                                                   \
    }                                                                                                          \
    HOSTCANN_API void asc_copy_gm2ub_align_sync(__ubuf__ T* dst, __gm__ T* src, uint32_t size)                 \
    {                                                                                                          \
        asc_copy_gm2ub_align(dst, src, size);                                                                  \
        asc_sync();                                                                                            \
    }                                                                                                          \
    HOSTCANN_API void asc_copy_ub2gm_align(__gm__ T* dst, __ubuf__ T* src, uint32_t size)                      \
    {                                                                                                          \
        copy_ubuf_to_gm_align_b##bits(dst, src, 0, 1, size, 0, 0, 0, 0);                                       \
    }                                                                                                          \
    HOSTCANN_API void asc_copy_ub2gm_align_sync(__gm__ T* dst, __ubuf__ T* src, uint32_t size)                 \
    {                                                                                                          \
        asc_copy_ub2gm_align(dst, src, size);                                                                  \
        asc_sync();                                                                                            \
    }
HOSTCANN_C_ALIGN(int8_t, 8)
HOSTCANN_C_ALIGN(uint8_t, 8)
HOSTCANN_C_ALIGN(half, 16)
HOSTCANN_C_ALIGN(bfloat16_t, 16)
HOSTCANN_C_ALIGN(int16_t, 16)
HOSTCANN_C_ALIGN(uint16_t, 16)
HOSTCANN_C_ALIGN(float, 32)
HOSTCANN_C_ALIGN(int32_t, 32)
HOSTCANN_C_ALIGN(uint32_t, 32)
#undef HOSTCANN_C_ALIGN

// The forms with a count: a repeat of the whole, with the count as the mask.
#define HOSTCANN_C_COUNTED(call) \
    set_mask_count();            \
    set_vector_mask(0, count);   \
    call;                        \
    set_mask_norm();             \
    AscendC::ResetMask();
#define HOSTCANN_C_FORMS(Name, call, parameters, arguments)                                                 \
    HOSTCANN_API void Name(HOSTCANN_C_LIST parameters, uint32_t count){                                     \
        HOSTCANN_C_COUNTED(call)} HOSTCANN_API void Name##_sync(HOSTCANN_C_LIST parameters, uint32_t count) \
    {                                                                                                       \
        Name(HOSTCANN_C_LIST arguments, count);                                                             \
        asc_sync();                                                                                         \
    }
#define HOSTCANN_C_LIST(...) __VA_ARGS__

#define HOSTCANN_C_BINARY(Name, Raw, T)                                                                           \
    HOSTCANN_C_FORMS(Name, Raw(dst, src0, src1, 1, 1, 1, 1, 8, 8, 8),                                             \
                     (__ubuf__ T * dst, __ubuf__ T * src0, __ubuf__ T * src1), (dst, src0, src1))                 \
    HOSTCANN_API void Name(__ubuf__ T* dst, __ubuf__ T* src0, __ubuf__ T* src1, uint8_t repeat, uint8_t dstBlock, \
                           uint8_t src0Block, uint8_t src1Block, uint8_t dstRepeat, uint8_t src0Repeat,           \
                           uint8_t src1Repeat)                                                                    \
    {                                                                                                             \
        Raw(dst, src0, src1, repeat, dstBlock, src0Block, src1Block, dstRepeat, src0Repeat, src1Repeat);          \
    }
#define HOSTCANN_C_UNARY(Name, Raw, D, S, dstStride, srcStride)                                                    \
    HOSTCANN_C_FORMS(Name, Raw(dst, src, 1, 1, 1, dstStride, srcStride), (__ubuf__ D * dst, __ubuf__ S * src),     \
                     (dst, src))                                                                                   \
    HOSTCANN_API void Name(__ubuf__ D* dst, __ubuf__ S* src, uint8_t repeat, uint16_t dstBlock, uint16_t srcBlock, \
                           uint16_t dstRepeat, uint16_t srcRepeat)                                                 \
    {                                                                                                              \
        Raw(dst, src, repeat, dstBlock, srcBlock, dstRepeat, srcRepeat);                                           \
    }
#define HOSTCANN_C_SCALAR(Name, Raw, T, S)                                                                     \
    HOSTCANN_C_FORMS(Name, Raw(dst, src, value, 1, 1, 1, 8, 8), (__ubuf__ T * dst, __ubuf__ T * src, S value), \
                     (dst, src, value))                                                                        \
    HOSTCANN_API void Name(__ubuf__ T* dst, __ubuf__ T* src, S value, uint8_t repeat, uint16_t dstBlock,       \
                           uint16_t srcBlock, uint16_t dstRepeat, uint16_t srcRepeat)                          \
    {                                                                                                          \
        Raw(dst, src, value, repeat, dstBlock, srcBlock, dstRepeat, srcRepeat);                                \
    }
#define HOSTCANN_C_FILL(T)                                                                                         \
    HOSTCANN_C_FORMS(asc_duplicate, vector_dup(dst, src, 1, 1, 1, 8, 0), (__ubuf__ T * dst, T src), (dst, src))    \
    HOSTCANN_API void asc_duplicate(__ubuf__ T* dst, T src, uint8_t repeat, uint16_t dstBlock, uint16_t dstRepeat) \
    {                                                                                                              \
        vector_dup(dst, src, repeat, dstBlock, 1, dstRepeat, 0);                                                   \
    }

#define HOSTCANN_C_FLOATS(Kind, Name, Raw) Kind(Name, Raw, half) Kind(Name, Raw, float)
#define HOSTCANN_C_NUMBERS(Kind, Name, Raw) \
    Kind(Name, Raw, half) Kind(Name, Raw, float) Kind(Name, Raw, int16_t) Kind(Name, Raw, int32_t)
#define HOSTCANN_C_BITS(Kind, Name, Raw) Kind(Name, Raw, int16_t) Kind(Name, Raw, uint16_t)
#define HOSTCANN_C_SAME(Name, Raw, T) HOSTCANN_C_UNARY(Name, Raw, T, T, 8, 8)
#define HOSTCANN_C_VALUE(Name, Raw, T) HOSTCANN_C_SCALAR(Name, Raw, T, T)
#define HOSTCANN_C_SHIFT(Name, Raw, T, S) HOSTCANN_C_SCALAR(Name, Raw, T, S)

HOSTCANN_C_NUMBERS(HOSTCANN_C_BINARY, asc_add, vadd)
HOSTCANN_C_NUMBERS(HOSTCANN_C_BINARY, asc_sub, vsub)
HOSTCANN_C_NUMBERS(HOSTCANN_C_BINARY, asc_mul, vmul)
HOSTCANN_C_NUMBERS(HOSTCANN_C_BINARY, asc_max, vmax)
HOSTCANN_C_NUMBERS(HOSTCANN_C_BINARY, asc_min, vmin)
HOSTCANN_C_FLOATS(HOSTCANN_C_BINARY, asc_div, vdiv)
HOSTCANN_C_FLOATS(HOSTCANN_C_BINARY, asc_mul_add, vmadd)
HOSTCANN_C_FLOATS(HOSTCANN_C_BINARY, asc_mul_add_relu, vmaddrelu)
HOSTCANN_C_BITS(HOSTCANN_C_BINARY, asc_and, vand)
HOSTCANN_C_BITS(HOSTCANN_C_BINARY, asc_or, vor)
HOSTCANN_C_BITS(HOSTCANN_C_SAME, asc_not, vnot)
HOSTCANN_C_FLOATS(HOSTCANN_C_SAME, asc_abs, vabs)
HOSTCANN_C_FLOATS(HOSTCANN_C_SAME, asc_exp, vexp)
HOSTCANN_C_FLOATS(HOSTCANN_C_SAME, asc_log, vln)
HOSTCANN_C_FLOATS(HOSTCANN_C_SAME, asc_sqrt, vsqrt)
HOSTCANN_C_FLOATS(HOSTCANN_C_SAME, asc_rsqrt, vrsqrt)
HOSTCANN_C_FLOATS(HOSTCANN_C_SAME, asc_rcp, vrec)
HOSTCANN_C_FLOATS(HOSTCANN_C_SAME, asc_relu, vrelu)
HOSTCANN_C_SAME(asc_relu, vrelu, int32_t)
HOSTCANN_C_NUMBERS(HOSTCANN_C_VALUE, asc_add_scalar, vadds)
HOSTCANN_C_NUMBERS(HOSTCANN_C_VALUE, asc_mul_scalar, vmuls)
HOSTCANN_C_NUMBERS(HOSTCANN_C_VALUE, asc_max_scalar, vmaxs)
HOSTCANN_C_NUMBERS(HOSTCANN_C_VALUE, asc_min_scalar, vmins)
HOSTCANN_C_FLOATS(HOSTCANN_C_VALUE, asc_leakyrelu, vlrelu)
HOSTCANN_C_FLOATS(HOSTCANN_C_VALUE, asc_axpy, vaxpy)
HOSTCANN_C_SHIFT(asc_shiftleft, vshl, int16_t, uint32_t)
HOSTCANN_C_SHIFT(asc_shiftleft, vshl, uint16_t, uint32_t)
HOSTCANN_C_SHIFT(asc_shiftleft, vshl, int32_t, uint32_t)
HOSTCANN_C_SHIFT(asc_shiftleft, vshl, uint32_t, uint32_t)
HOSTCANN_C_SHIFT(asc_shiftright, vshr, int16_t, int32_t)
HOSTCANN_C_SHIFT(asc_shiftright, vshr, uint16_t, uint32_t)
HOSTCANN_C_SHIFT(asc_shiftright, vshr, int32_t, int32_t)
HOSTCANN_C_SHIFT(asc_shiftright, vshr, uint32_t, uint32_t)
HOSTCANN_C_FILL(half)
HOSTCANN_C_FILL(float)
HOSTCANN_C_FILL(int16_t)
HOSTCANN_C_FILL(uint16_t)
HOSTCANN_C_FILL(int32_t)
HOSTCANN_C_FILL(uint32_t)

// Conversions: how they round is the end of the name, as in the table of RoundMode.
#define HOSTCANN_C_ROUND(Name, Raw, D, S, dstStride, srcStride)      \
    HOSTCANN_C_UNARY(Name##_rn, Raw##r, D, S, dstStride, srcStride)  \
    HOSTCANN_C_UNARY(Name##_rna, Raw##a, D, S, dstStride, srcStride) \
    HOSTCANN_C_UNARY(Name##_rd, Raw##f, D, S, dstStride, srcStride)  \
    HOSTCANN_C_UNARY(Name##_ru, Raw##c, D, S, dstStride, srcStride)  \
    HOSTCANN_C_UNARY(Name##_rz, Raw##z, D, S, dstStride, srcStride)
HOSTCANN_C_UNARY(asc_half2float, vconv_f162f32, float, half, 8, 4)
HOSTCANN_C_UNARY(asc_bfloat162float, vconv_bf162f32, float, bfloat16_t, 8, 4)
HOSTCANN_C_UNARY(asc_float2half, vconv_f322f16, half, float, 4, 8)
HOSTCANN_C_UNARY(asc_float2half_ro, vconv_f322f16o, half, float, 4, 8)
HOSTCANN_C_UNARY(asc_int162half, vconv_s162f16, half, int16_t, 8, 8)
HOSTCANN_C_UNARY(asc_int162float, vconv_s162f32, float, int16_t, 8, 4)
HOSTCANN_C_UNARY(asc_int322float, vconv_s322f32, float, int32_t, 8, 8)
HOSTCANN_C_UNARY(asc_int322int16, vconv_s322s16, int16_t, int32_t, 4, 8)
HOSTCANN_C_UNARY(asc_int82half, vconv_s82f16, half, int8_t, 8, 4)
HOSTCANN_C_UNARY(asc_uint82half, vconv_u82f16, half, uint8_t, 8, 4)
HOSTCANN_C_UNARY(asc_half2int8, vconv_f162s8, int8_t, half, 4, 8)
HOSTCANN_C_UNARY(asc_half2uint8, vconv_f162u8, uint8_t, half, 4, 8)
HOSTCANN_C_ROUND(asc_float2half, vconv_f322f16, half, float, 4, 8)
HOSTCANN_C_ROUND(asc_float2bfloat16, vconv_f322bf16, bfloat16_t, float, 4, 8)
HOSTCANN_C_ROUND(asc_float2float, vconv_f322f32, float, float, 8, 8)
HOSTCANN_C_ROUND(asc_float2int16, vconv_f322s16, int16_t, float, 4, 8)
HOSTCANN_C_ROUND(asc_float2int32, vconv_f322s32, int32_t, float, 8, 8)
HOSTCANN_C_ROUND(asc_half2int16, vconv_f162s16, int16_t, half, 8, 8)
HOSTCANN_C_ROUND(asc_half2int32, vconv_f162s32, int32_t, half, 8, 4)
HOSTCANN_C_ROUND(asc_bfloat162int32, vconv_bf162s32, int32_t, bfloat16_t, 8, 4)
HOSTCANN_C_ROUND(asc_int162half, vconv_s162f16, half, int16_t, 8, 8)
HOSTCANN_C_ROUND(asc_int322float, vconv_s322f32, float, int32_t, 8, 8)

#undef HOSTCANN_C_ROUND
#undef HOSTCANN_C_SHIFT
#undef HOSTCANN_C_VALUE
#undef HOSTCANN_C_SAME
#undef HOSTCANN_C_BITS
#undef HOSTCANN_C_NUMBERS
#undef HOSTCANN_C_FLOATS
#undef HOSTCANN_C_FILL
#undef HOSTCANN_C_SCALAR
#undef HOSTCANN_C_UNARY
#undef HOSTCANN_C_BINARY
#undef HOSTCANN_C_LIST
#undef HOSTCANN_C_FORMS
#undef HOSTCANN_C_COUNTED

#endif // HOSTCANN_ASCENDC_KERNEL_C_API_H
