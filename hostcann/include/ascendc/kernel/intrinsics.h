// Instructions of the device compiler that vector kernels call by their own names.
#ifndef HOSTCANN_ASCENDC_KERNEL_INTRINSICS_H
#define HOSTCANN_ASCENDC_KERNEL_INTRINSICS_H

#include "ascendc/kernel/raw_instructions.h"
#include "ascendc/kernel/sync.h"
#include "ascendc/kernel/system.h"

HOSTCANN_API void pipe_barrier(pipe_t pipe) { aic_barrier(static_cast<uint32_t>(pipe)); }
HOSTCANN_API void set_flag(pipe_t src, pipe_t dst, int32_t id)
{
    aic_set_flag(static_cast<uint32_t>(AscendC::hostcann::EventBetween(src, dst)), id);
}
HOSTCANN_API void wait_flag(pipe_t src, pipe_t dst, int32_t id)
{
    aic_wait_flag(static_cast<uint32_t>(AscendC::hostcann::EventBetween(src, dst)), id);
}

HOSTCANN_API void set_mask_count() { aic_mask_mode(1); }
HOSTCANN_API void set_mask_norm() { aic_mask_mode(0); }
HOSTCANN_API void set_vector_mask(uint64_t high, uint64_t low) { aic_mask_set(high, low); }

HOSTCANN_API int64_t get_block_idx() { return aic_block_idx(); }
HOSTCANN_API int64_t get_block_num() { return aic_block_num(); }
HOSTCANN_API int64_t get_subblockid() { return AscendC::GetSubBlockIdx(); }
HOSTCANN_API int64_t get_subblockdim() { return AscendC::GetSubBlockNum(); }
HOSTCANN_API int64_t get_sys_cnt() { return aic_system_cycle(); }

// One bit of a word cleared or set.
HOSTCANN_API uint64_t sbitset0(uint64_t x, int64_t idx) { return x & ~(uint64_t{1} << (idx & 63)); }
HOSTCANN_API uint64_t sbitset1(uint64_t x, int64_t idx) { return x | uint64_t{1} << (idx & 63); }

// The kernel's parameters as they lie in memory: the arguments, then the tiling data itself.
HOSTCANN_API uint64_t get_para_base() { return reinterpret_cast<uint64_t>(aic_para_base()); }

namespace AscendC {
namespace hostcann {
struct BlockIdx {
    HOSTCANN_API operator int64_t() const { return aic_block_idx(); }
};
} // namespace hostcann

// A copy between raw pointers; one of the unified buffer is an offset, as GetPhyAddr gives it.
template <typename T>
HOSTCANN_API void DataCopyUB2GMImpl(__gm__ T* dst, __ubuf__ T* src, const DataCopyParams& params)
{
    GlobalTensor<T> gm;
    gm.SetGlobalBuffer(dst);
    DataCopy(gm, hostcann::Raw(src), params);
}
template <typename T>
HOSTCANN_API void DataCopyGM2UBImpl(__ubuf__ T* dst, __gm__ T* src, const DataCopyParams& params)
{
    GlobalTensor<T> gm;
    gm.SetGlobalBuffer(src);
    DataCopy(hostcann::Raw(dst), gm, params);
}

// Functions of the toolkit behind BlockReduceMax and its like, with the operands of vcgmax.
constexpr hostcann::RawReduce BlockReduceMaxIntrinsicsImpl{AIC_OP_BlockReduceMax};
constexpr hostcann::RawReduce BlockReduceMinIntrinsicsImpl{AIC_OP_BlockReduceMin};
constexpr hostcann::RawReduce BlockReduceSumIntrinsicsImpl{AIC_OP_BlockReduceSum};
} // namespace AscendC

// An object and not a macro: kernels have variables of this name.
[[maybe_unused]] constexpr AscendC::hostcann::BlockIdx block_idx{};

// Vector and copy instructions. What each does says the page of the interface that stands on it: vadd is Add. The names
// are objects of a few kinds, not a function each: kernels that use none of them should not pay for all.

constexpr AscendC::hostcann::RawBinary vadd{AIC_OP_Add};
constexpr AscendC::hostcann::RawBinary vsub{AIC_OP_Sub};
constexpr AscendC::hostcann::RawBinary vmul{AIC_OP_Mul};
constexpr AscendC::hostcann::RawBinary vdiv{AIC_OP_Div};
constexpr AscendC::hostcann::RawBinary vmax{AIC_OP_Max};
constexpr AscendC::hostcann::RawBinary vmin{AIC_OP_Min};
constexpr AscendC::hostcann::RawBinary vand{AIC_OP_And};
constexpr AscendC::hostcann::RawBinary vor{AIC_OP_Or};
constexpr AscendC::hostcann::RawBinary vmadd{AIC_OP_FusedMulAdd};
constexpr AscendC::hostcann::RawBinary vmaddrelu{AIC_OP_FusedMulAddRelu};
constexpr AscendC::hostcann::RawBinary vaddrelu{AIC_OP_AddRelu};
constexpr AscendC::hostcann::RawBinary vsubrelu{AIC_OP_SubRelu};
constexpr AscendC::hostcann::RawUnary vabs{AIC_OP_Abs};
constexpr AscendC::hostcann::RawUnary vexp{AIC_OP_Exp};
constexpr AscendC::hostcann::RawUnary vln{AIC_OP_Ln};
constexpr AscendC::hostcann::RawUnary vsqrt{AIC_OP_Sqrt};
constexpr AscendC::hostcann::RawUnary vrec{AIC_OP_Reciprocal};
constexpr AscendC::hostcann::RawUnary vrsqrt{AIC_OP_Rsqrt};
constexpr AscendC::hostcann::RawUnary vrelu{AIC_OP_Relu};
constexpr AscendC::hostcann::RawUnary vnot{AIC_OP_Not};
constexpr AscendC::hostcann::RawUnary vcopy{AIC_OP_Copy};
constexpr AscendC::hostcann::RawScalar vadds{AIC_OP_Adds};
constexpr AscendC::hostcann::RawScalar vmuls{AIC_OP_Muls};
constexpr AscendC::hostcann::RawScalar vmaxs{AIC_OP_Maxs};
constexpr AscendC::hostcann::RawScalar vmins{AIC_OP_Mins};
constexpr AscendC::hostcann::RawScalar vlrelu{AIC_OP_LeakyRelu};
constexpr AscendC::hostcann::RawScalar vaxpy{AIC_OP_Axpy};
constexpr AscendC::hostcann::RawScalar vshl{AIC_OP_ShiftLeft};
constexpr AscendC::hostcann::RawScalar vshr{AIC_OP_ShiftRight};
constexpr AscendC::hostcann::RawDuplicate vector_dup{};
constexpr AscendC::hostcann::RawCompare vcmpv_lt{AscendC::CMPMODE::LT};
constexpr AscendC::hostcann::RawCompareScalar vcmpvs_lt{AscendC::CMPMODE::LT};
constexpr AscendC::hostcann::RawCompareRegister vcmp_lt{AscendC::CMPMODE::LT};
constexpr AscendC::hostcann::RawCompare vcmpv_gt{AscendC::CMPMODE::GT};
constexpr AscendC::hostcann::RawCompareScalar vcmpvs_gt{AscendC::CMPMODE::GT};
constexpr AscendC::hostcann::RawCompareRegister vcmp_gt{AscendC::CMPMODE::GT};
constexpr AscendC::hostcann::RawCompare vcmpv_eq{AscendC::CMPMODE::EQ};
constexpr AscendC::hostcann::RawCompareScalar vcmpvs_eq{AscendC::CMPMODE::EQ};
constexpr AscendC::hostcann::RawCompareRegister vcmp_eq{AscendC::CMPMODE::EQ};
constexpr AscendC::hostcann::RawCompare vcmpv_le{AscendC::CMPMODE::LE};
constexpr AscendC::hostcann::RawCompareScalar vcmpvs_le{AscendC::CMPMODE::LE};
constexpr AscendC::hostcann::RawCompareRegister vcmp_le{AscendC::CMPMODE::LE};
constexpr AscendC::hostcann::RawCompare vcmpv_ge{AscendC::CMPMODE::GE};
constexpr AscendC::hostcann::RawCompareScalar vcmpvs_ge{AscendC::CMPMODE::GE};
constexpr AscendC::hostcann::RawCompareRegister vcmp_ge{AscendC::CMPMODE::GE};
constexpr AscendC::hostcann::RawCompare vcmpv_ne{AscendC::CMPMODE::NE};
constexpr AscendC::hostcann::RawCompareScalar vcmpvs_ne{AscendC::CMPMODE::NE};
constexpr AscendC::hostcann::RawCompareRegister vcmp_ne{AscendC::CMPMODE::NE};
constexpr AscendC::hostcann::RawSelect vsel{};
constexpr AscendC::hostcann::RawCmpMask set_cmpmask{AIC_OP_SetCmpMask};
constexpr AscendC::hostcann::RawCmpMask get_cmpmask{AIC_OP_GetCmpMask};
constexpr AscendC::hostcann::RawReduce vcmax{AIC_OP_WholeReduceMax};
constexpr AscendC::hostcann::RawReduce vcmin{AIC_OP_WholeReduceMin};
constexpr AscendC::hostcann::RawReduce vcgmax{AIC_OP_BlockReduceMax};
constexpr AscendC::hostcann::RawReduce vcgmin{AIC_OP_BlockReduceMin};
constexpr AscendC::hostcann::RawReduce vcgadd{AIC_OP_BlockReduceSum};
constexpr AscendC::hostcann::RawReduce vcpadd{AIC_OP_PairReduceSum};
constexpr AscendC::hostcann::RawSum vcadd{};
constexpr AscendC::hostcann::RawGather vgather{};
constexpr AscendC::hostcann::RawGatherMask vreducev2{};
constexpr AscendC::hostcann::RawBrcb vbrcb{};
constexpr AscendC::hostcann::RawLoad copy_gm_to_ubuf{};
constexpr AscendC::hostcann::RawStore copy_ubuf_to_gm{};
constexpr AscendC::hostcann::RawMove copy_ubuf_to_ubuf{};
constexpr AscendC::hostcann::RawLoadAlign<uint8_t> copy_gm_to_ubuf_align_b8{};
constexpr AscendC::hostcann::RawStoreAlign<uint8_t> copy_ubuf_to_gm_align_b8{};
constexpr AscendC::hostcann::RawLoadAlign<uint16_t> copy_gm_to_ubuf_align_b16{};
constexpr AscendC::hostcann::RawStoreAlign<uint16_t> copy_ubuf_to_gm_align_b16{};
constexpr AscendC::hostcann::RawLoadAlign<uint32_t> copy_gm_to_ubuf_align_b32{};
constexpr AscendC::hostcann::RawStoreAlign<uint32_t> copy_ubuf_to_gm_align_b32{};

// Conversions: source, 2, destination, and how they round (Cast page).
#define HOSTCANN_RAW_CAST(pair, D, S, Mode) \
    constexpr AscendC::hostcann::RawCast<D, S> vconv_##pair{AscendC::RoundMode::CAST_##Mode};
#define HOSTCANN_RAW_ROUND(pair, D, S)      \
    HOSTCANN_RAW_CAST(pair##r, D, S, RINT)  \
    HOSTCANN_RAW_CAST(pair##f, D, S, FLOOR) \
    HOSTCANN_RAW_CAST(pair##c, D, S, CEIL)  \
    HOSTCANN_RAW_CAST(pair##a, D, S, ROUND) \
    HOSTCANN_RAW_CAST(pair##z, D, S, TRUNC)
HOSTCANN_RAW_CAST(bf162f32, float, bfloat16_t, NONE)
HOSTCANN_RAW_CAST(f162f32, float, half, NONE)
HOSTCANN_RAW_CAST(s162f32, float, int16_t, NONE)
HOSTCANN_RAW_CAST(s322s16, int16_t, int32_t, NONE)
HOSTCANN_RAW_CAST(s322s64, int64_t, int32_t, NONE)
HOSTCANN_RAW_CAST(s642s32, int32_t, int64_t, NONE)
HOSTCANN_RAW_CAST(s42f16, half, AscendC::int4b_t, NONE)
HOSTCANN_RAW_CAST(s82f16, half, int8_t, NONE)
HOSTCANN_RAW_CAST(u82f16, half, uint8_t, NONE)
HOSTCANN_RAW_CAST(f162s4, AscendC::int4b_t, half, NONE)
HOSTCANN_RAW_CAST(f162s8, int8_t, half, NONE)
HOSTCANN_RAW_CAST(f162u8, uint8_t, half, NONE)
HOSTCANN_RAW_CAST(f322f16, half, float, NONE)
HOSTCANN_RAW_CAST(f322f16o, half, float, ODD)
HOSTCANN_RAW_CAST(s162f16, half, int16_t, NONE)
HOSTCANN_RAW_CAST(s322f32, float, int32_t, NONE)
HOSTCANN_RAW_ROUND(bf162s32, int32_t, bfloat16_t)
HOSTCANN_RAW_ROUND(f162s16, int16_t, half)
HOSTCANN_RAW_ROUND(f162s32, int32_t, half)
HOSTCANN_RAW_ROUND(f162s4, AscendC::int4b_t, half)
HOSTCANN_RAW_ROUND(f162s8, int8_t, half)
HOSTCANN_RAW_ROUND(f162u8, uint8_t, half)
HOSTCANN_RAW_ROUND(f322bf16, bfloat16_t, float)
HOSTCANN_RAW_ROUND(f322f16, half, float)
HOSTCANN_RAW_ROUND(f322f32, float, float)
HOSTCANN_RAW_ROUND(f322s16, int16_t, float)
HOSTCANN_RAW_ROUND(f322s32, int32_t, float)
HOSTCANN_RAW_ROUND(f322s64, int64_t, float)
HOSTCANN_RAW_ROUND(s162f16, half, int16_t)
HOSTCANN_RAW_ROUND(s322f32, float, int32_t)
HOSTCANN_RAW_ROUND(s642f32, float, int64_t)
#undef HOSTCANN_RAW_ROUND
#undef HOSTCANN_RAW_CAST

HOSTCANN_API int64_t get_rsvd_cnt() { return static_cast<int64_t>(aic_spr(AIC_SPR_RSVD_CNT)); }
HOSTCANN_API int64_t get_acc_val() { return static_cast<int64_t>(aic_spr(AIC_SPR_ACC_VAL)); }
HOSTCANN_API void set_mov_pad_val(uint64_t bits) { aic_pad_value(bits); }

#endif // HOSTCANN_ASCENDC_KERNEL_INTRINSICS_H
