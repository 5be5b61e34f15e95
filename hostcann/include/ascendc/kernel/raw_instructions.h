// Kinds of instructions of the device compiler (intrinsics.h): operands are pointers into the unified buffer, masks
// are in the mask registers.
#ifndef HOSTCANN_ASCENDC_KERNEL_RAW_INSTRUCTIONS_H
#define HOSTCANN_ASCENDC_KERNEL_RAW_INSTRUCTIONS_H

#include "ascendc/kernel/constants.h"
#include "ascendc/kernel/data_copy.h"
#include "ascendc/kernel/vec_arith.h"
#include "ascendc/kernel/vec_cast.h"
#include "ascendc/kernel/vec_compare.h"
#include "ascendc/kernel/vec_gather.h"
#include "ascendc/kernel/vec_reduce.h"

// ReduceOrder of the interface.
enum class Order_t : uint8_t { VALUE_INDEX = 0, INDEX_VALUE, ONLY_VALUE, ONLY_INDEX };

namespace AscendC {
namespace hostcann {

// All of the unified buffer behind a raw pointer into it.
template <typename T>
HOSTCANN_API LocalTensor<T> Raw(__ubuf__ T* from)
{
    const auto addr = static_cast<uint32_t>(reinterpret_cast<uint64_t>(from));
    const uint32_t bytes = addr < TOTAL_UB_SIZE ? TOTAL_UB_SIZE - addr : 0;
    return Access::Make<T>(aic_buffer{addr, bytes, 0, 0}, TPosition::VECCALC);
}

// The end of the arrays that are declared. A core is a thread.
HOSTCANN_API uint32_t& ArraysEnd()
{
    static thread_local uint32_t end = 0;
    return end;
}

// An array that a function declares in the unified buffer, after those that are there.
template <typename A>
class UbArray;
template <typename E, size_t N>
class UbArray<E[N]> {
public:
    HOSTCANN_API UbArray() : start_(ArraysEnd())
    {
        ArraysEnd() += (sizeof(E[N]) + BLOCK_BYTES - 1) / BLOCK_BYTES * BLOCK_BYTES;
    }
    HOSTCANN_API ~UbArray() { ArraysEnd() = start_; }
    UbArray(const UbArray&) = delete;
    UbArray& operator=(const UbArray&) = delete;
    HOSTCANN_API operator E*() const { return reinterpret_cast<E*>(static_cast<uintptr_t>(start_)); }

private:
    uint32_t start_;
};

using Num8 = NarrowArg<uint8_t>;
using Num16 = NarrowArg<uint16_t>;

// The last step of each instruction: its strides, and off it goes under the mask registers.
template <typename V>
HOSTCANN_API void RawIssue(V& v, RepeatTime repeat, Num8 dstBlk, Num8 src0Blk, Num8 src1Blk, Num8 dstRep, Num8 src0Rep,
                           Num8 src1Rep)
{
    v.ins.blk[0] = v.Field("dstBlkStride", dstBlk);
    v.ins.blk[1] = v.Field("src0BlkStride", src0Blk);
    v.ins.blk[2] = v.Field("src1BlkStride", src1Blk);
    v.ins.rep[0] = v.Field("dstRepStride", dstRep);
    v.ins.rep[1] = v.Field("src0RepStride", src0Rep);
    v.ins.rep[2] = v.Field("src1RepStride", src1Rep);
    v.template Repeat<false>(uint64_t{0}, repeat);
}
template <typename V>
HOSTCANN_API void RawIssue(V& v, RepeatTime repeat, Num16 dstBlk, Num16 srcBlk, Num16 dstRep, Num16 srcRep)
{
    v.ins.blk[0] = v.Field("dstBlkStride", dstBlk);
    v.ins.blk[1] = v.Field("srcBlkStride", srcBlk);
    v.ins.rep[0] = v.Field("dstRepStride", dstRep);
    v.ins.rep[1] = v.Field("srcRepStride", srcRep);
    v.template Repeat<false>(uint64_t{0}, repeat);
}

// dst, src0, src1; then repeat, the block strides of all three and their repeat strides.
struct RawBinary {
    uint16_t opcode;
    template <typename T, typename... Strides>
    HOSTCANN_API void operator()(__ubuf__ T* dst, __ubuf__ T* src0, __ubuf__ T* src1, Strides... strides) const
    {
        Vec<T> v(opcode, Raw(dst));
        v.Src(0, Raw(src0)).Src(1, Raw(src1));
        RawIssue(v, strides...);
    }
};
// dst, src; then repeat, two block and two repeat strides. So are the next ones with a source.
struct RawUnary {
    uint16_t opcode;
    template <typename T, typename... Strides>
    HOSTCANN_API void operator()(__ubuf__ T* dst, __ubuf__ T* src, Strides... strides) const
    {
        Vec<T> v(opcode, Raw(dst));
        v.Src(0, Raw(src));
        RawIssue(v, strides...);
    }
};
struct RawScalar {
    uint16_t opcode;
    template <typename T, typename S, typename... Strides>
    HOSTCANN_API void operator()(__ubuf__ T* dst, __ubuf__ T* src, const S scalar, Strides... strides) const
    {
        Vec<T> v(opcode, Raw(dst));
        v.Src(0, Raw(src)).Scalar(ScalarBits(opcode, static_cast<T>(scalar)));
        RawIssue(v, strides...);
    }
};
template <typename D, typename S>
struct RawCast {
    RoundMode mode;
    template <typename... Strides>
    HOSTCANN_API void operator()(__ubuf__ D* dst, __ubuf__ S* src, Strides... strides) const
    {
        Vec<D, S> v(AIC_OP_Cast, Raw(dst));
        v.Src(0, Raw(src)).Mode(static_cast<uint8_t>(mode));
        RawIssue(v, strides...);
    }
};
// The strides of a source are the compiler's: nothing is read.
struct RawDuplicate {
    template <typename T, typename S>
    HOSTCANN_API void operator()(__ubuf__ T* dst, const S value, RepeatTime repeat, Num16 dstBlk, Num16, Num8 dstRep,
                                 Num8) const
    {
        Duplicate<T, false>(Raw(dst), static_cast<T>(value), uint64_t{0}, repeat, dstBlk, dstRep);
    }
};

struct RawCompare {
    CMPMODE mode;
    template <typename T, typename... Strides>
    HOSTCANN_API void operator()(__ubuf__ uint8_t* dst, __ubuf__ T* src0, __ubuf__ T* src1, Strides... strides) const
    {
        static_assert(IsCompare<T>, "vcmpv: half, float or int32_t on A2");
        Vec<uint8_t, T> v(AIC_OP_Compare, Raw(dst));
        v.Src(0, Raw(src0)).Src(1, Raw(src1)).Mode(static_cast<uint8_t>(mode));
        RawIssue(v, strides...);
    }
};
struct RawCompareScalar {
    CMPMODE mode;
    template <typename T, typename S, typename... Strides>
    HOSTCANN_API void operator()(__ubuf__ uint8_t* dst, __ubuf__ T* src, const S scalar, Strides... strides) const
    {
        static_assert(IsCompare<T>, "vcmpvs: half, float or int32_t on A2");
        Vec<uint8_t, T> v(AIC_OP_CompareScalar, Raw(dst));
        v.Src(0, Raw(src)).Scalar(Bits(static_cast<T>(scalar))).Mode(static_cast<uint8_t>(mode));
        RawIssue(v, strides...);
    }
};
// Into the CMPMASK register.
struct RawCompareRegister {
    CMPMODE mode;
    template <typename T, typename... Strides>
    HOSTCANN_API void operator()(__ubuf__ T* src0, __ubuf__ T* src1, Strides... strides) const
    {
        static_assert(IsSelect<T>, "vcmp: half or float on A2");
        Vec<T> v(AIC_OP_Compare, LocalTensor<T>());
        v.Src(0, Raw(src0)).Src(1, Raw(src1)).Mode(static_cast<uint8_t>(mode));
        v.ins.flags = AIC_FLAG_REGISTER;
        RawIssue(v, strides...);
    }
};
// Bits and scalar come from CMPMASK: mode 0 the bits, mode 1 the scalar (src1 are the bits), mode 2 their address.
struct RawSelect {
    template <typename T, typename M>
    HOSTCANN_API void operator()(__ubuf__ T* dst, __ubuf__ T* src0, __ubuf__ M* src1, RepeatTime repeat, Num8 dstBlk,
                                 Num8 src0Blk, Num8 src1Blk, Num8 dstRep, Num8 src0Rep, Num8 src1Rep,
                                 const uint8_t mode = 0) const
    {
        static_assert(IsSelect<T>, "vsel: half or float on A2");
        Vec<T> v(AIC_OP_Select, Raw(dst));
        const bool scalar = mode == static_cast<uint8_t>(SELMODE::VSEL_TENSOR_SCALAR_MODE);
        v.Src(scalar ? 0 : 2, Raw(src1)).Src(1, Raw(src0)).Mode(mode);
        v.ins.flags = AIC_FLAG_REGISTER;
        RawIssue(v, repeat, dstBlk, src0Blk, src1Blk, dstRep, src0Rep, src1Rep);
    }
};
struct RawCmpMask {
    uint16_t opcode;
    template <typename T>
    HOSTCANN_API void operator()(__ubuf__ T* bits) const
    {
        const auto tensor = Raw(reinterpret_cast<__ubuf__ uint8_t*>(bits));
        Vec<uint8_t>(opcode, tensor).Src(0, tensor).template Repeat<false>(uint64_t{0}, 1);
    }
};

struct RawReduce {
    uint16_t opcode;
    template <typename T>
    HOSTCANN_API void operator()(__ubuf__ T* dst, __ubuf__ T* src, RepeatTime repeat, Num16 dstRep, Num16 srcBlk,
                                 Num16 srcRep, Order_t order = Order_t::VALUE_INDEX) const
    {
        static_assert(IsSelect<T>, "reductions have half and float only on A2");
        Vec<T> v(opcode, Raw(dst));
        v.Src(0, Raw(src)).Mode(static_cast<uint8_t>(order));
        v.ins.rep[0] = v.Field("dstRepStride", dstRep);
        v.ins.blk[1] = v.Field("srcBlkStride", srcBlk);
        v.ins.rep[1] = v.Field("srcRepStride", srcRep);
        v.template Reduce<false>(0, v.Field("repeat", repeat));
    }
};
// Mode 0: a sum per repeat.
struct RawSum {
    template <typename T>
    HOSTCANN_API void operator()(__ubuf__ T* dst, __ubuf__ T* src, RepeatTime repeat, Num16 dstRep, Num16 srcBlk,
                                 Num16 srcRep, const bool all = false) const
    {
        if (all) {
            aic_unsupported("vcadd over all repeats: ReduceSum does that");
        }
        RawReduce{AIC_OP_WholeReduceSum}(dst, src, repeat, dstRep, srcBlk, srcRep);
    }
};

// Offsets in bytes from an address.
struct RawGather {
    template <typename T>
    HOSTCANN_API void operator()(__ubuf__ T* dst, __ubuf__ uint32_t* offset, const uint32_t address, Num16 dstRep,
                                 RepeatTime repeat) const
    {
        Vec<T> v(AIC_OP_Gather, Raw(dst));
        v.ins.base = address;
        v.ins.rep[0] = v.Field("dstRepStride", dstRep);
        v.Src(0, Raw(static_cast<__ubuf__ T*>(nullptr)))
            .Src(1, Raw(offset))
            .template Repeat<false>(uint64_t{0}, repeat);
    }
};
// In counter mode each repeat takes as many elements as the mask says. Pattern 0: bits of src1.
struct RawGatherMask {
    template <typename T>
    HOSTCANN_API void operator()(__ubuf__ T* dst, __ubuf__ T* src0, __ubuf__ T* src1, Num16 repeat, Num8 src0Blk,
                                 const uint8_t pattern, Num16 src0Rep, Num8 src1Rep) const
    {
        Vec<T> v(AIC_OP_GatherMask, Raw(dst));
        v.Src(0, Raw(src0)).Src(1, Raw(src1)).Mode(pattern);
        v.ins.form = AIC_FORM_MASK_REGISTER;
        v.ins.flags = AIC_FLAG_REGISTER;
        v.ins.count = v.Field("repeat", repeat);
        v.ins.blk[1] = v.Field("src0BlockStride", src0Blk);
        v.ins.rep[1] = v.Field("src0RepeatStride", src0Rep);
        v.ins.rep[2] = v.Field("src1RepeatStride", src1Rep);
        aic_vector(&v.ins);
    }
};
struct RawBrcb {
    template <typename T>
    HOSTCANN_API void operator()(__ubuf__ T* dst, __ubuf__ T* src, Num16 dstBlk, Num16 dstRep, RepeatTime repeat) const
    {
        Vec<T> v(AIC_OP_Brcb, Raw(dst));
        v.Src(0, Raw(src));
        v.ins.blk[0] = v.Field("dstBlkStride", dstBlk);
        v.ins.rep[0] = v.Field("dstRepStride", dstRep);
        v.template Repeat<false>(uint64_t{0}, repeat);
    }
};

// A copy is one of bytes: its element is what the name says, and with an atomic operation what that works on. sid is
// not used.
template <typename E, typename T>
HOSTCANN_API aic_copy_ins RawCopy(uint8_t direction, uint8_t kind, __ubuf__ T* ub, const void* gm, Num16 blocks)
{
    aic_copy_ins ins = NewCopy(direction, kind, Raw(reinterpret_cast<__ubuf__ E*>(ub)));
    const uint32_t atomic = direction == AIC_UB_TO_GM ? aic_atomic_state() : 0;
    if (atomic != 0) {
        ins.dtype = static_cast<uint8_t>(atomic);
    }
    ins.gm = const_cast<void*>(gm);
    ins.block_count = Field(ins, "nBurst", blocks);
    return ins;
}
// Lengths and gaps in units of 32 bytes.
HOSTCANN_API void RawBlocks(aic_copy_ins& ins, Num16 lenBurst, Num16 srcGap, Num16 dstGap)
{
    ins.block_len = Field(ins, "lenBurst", lenBurst) * BLOCK_BYTES;
    ins.src_stride = Field(ins, "srcGap", srcGap);
    ins.dst_stride = Field(ins, "dstGap", dstGap);
    aic_copy(&ins);
}
struct RawLoad {
    template <typename D, typename S>
    HOSTCANN_API void operator()(__ubuf__ D* dst, __gm__ S* src, uint8_t, Num16 nBurst, Num16 lenBurst, Num16 srcGap,
                                 Num16 dstGap) const
    {
        aic_copy_ins ins = RawCopy<uint8_t>(AIC_GM_TO_UB, AIC_COPY_BLOCKS, dst, src, nBurst);
        RawBlocks(ins, lenBurst, srcGap, dstGap);
    }
};
struct RawStore {
    template <typename D, typename S>
    HOSTCANN_API void operator()(__gm__ D* dst, __ubuf__ S* src, uint8_t, Num16 nBurst, Num16 lenBurst, Num16 srcGap,
                                 Num16 dstGap) const
    {
        aic_copy_ins ins = RawCopy<uint8_t>(AIC_UB_TO_GM, AIC_COPY_BLOCKS, src, dst, nBurst);
        RawBlocks(ins, lenBurst, srcGap, dstGap);
    }
};
struct RawMove {
    template <typename D, typename S>
    HOSTCANN_API void operator()(__ubuf__ D* dst, __ubuf__ S* src, uint8_t, Num16 nBurst, Num16 lenBurst, Num16 srcGap,
                                 Num16 dstGap) const
    {
        aic_copy_ins ins = RawCopy<uint8_t>(AIC_UB_TO_UB, AIC_COPY_BLOCKS, dst, nullptr, nBurst);
        ins.ub_src = Access::Operand(Raw(reinterpret_cast<__ubuf__ uint8_t*>(src)));
        RawBlocks(ins, lenBurst, srcGap, dstGap);
    }
};
// Lengths in bytes; gaps in bytes of global memory and in blocks of the unified buffer. Pads, in elements, hold the
// value of set_mov_pad_val or SetPadValue.
template <typename E>
struct RawLoadAlign {
    template <typename D, typename S>
    HOSTCANN_API void operator()(__ubuf__ D* dst, __gm__ S* src, uint8_t, Num16 nBurst, const uint64_t lenBurst,
                                 Num8 leftPadding, Num8 rightPadding, const uint64_t srcGap,
                                 const uint64_t dstGap) const
    {
        aic_copy_ins ins = RawCopy<E>(AIC_GM_TO_UB, AIC_COPY_PAD, dst, src, nBurst);
        ins.left_pad = Field(ins, "leftPadding", leftPadding);
        ins.right_pad = Field(ins, "rightPadding", rightPadding);
        ins.block_len = static_cast<uint32_t>(lenBurst);
        ins.src_stride = static_cast<uint32_t>(srcGap);
        ins.dst_stride = static_cast<uint32_t>(dstGap);
        aic_copy(&ins);
    }
};
template <typename E>
struct RawStoreAlign {
    template <typename D, typename S>
    HOSTCANN_API void operator()(__gm__ D* dst, __ubuf__ S* src, uint8_t, Num16 nBurst, const uint64_t lenBurst, Num8,
                                 Num8, const uint64_t srcGap, const uint64_t dstGap) const
    {
        aic_copy_ins ins = RawCopy<E>(AIC_UB_TO_GM, AIC_COPY_PAD, src, dst, nBurst);
        ins.block_len = static_cast<uint32_t>(lenBurst);
        ins.src_stride = static_cast<uint32_t>(srcGap);
        ins.dst_stride = static_cast<uint32_t>(dstGap);
        aic_copy(&ins);
    }
};

} // namespace hostcann

// What DataCopyPad is made of; kernels copy 64-bit elements so, as twice as many of 32 bits.
template <typename T>
HOSTCANN_API void DataCopyPadGm2UBImpl(__ubuf__ T* dst, __gm__ T* src, const DataCopyExtParams& dataCopyParams,
                                       const DataCopyPadExtParams<T>& padParams)
{
    GlobalTensor<T> from;
    from.SetGlobalBuffer(src);
    DataCopyPad(hostcann::Raw(dst), from, dataCopyParams, padParams);
}
template <typename T>
HOSTCANN_API void DataCopyPadUB2GMImpl(__gm__ T* dst, __ubuf__ T* src, const DataCopyExtParams& dataCopyParams)
{
    GlobalTensor<T> to;
    to.SetGlobalBuffer(dst);
    DataCopyPad(to, hostcann::Raw(src), dataCopyParams);
}
} // namespace AscendC

#endif // HOSTCANN_ASCENDC_KERNEL_RAW_INSTRUCTIONS_H
