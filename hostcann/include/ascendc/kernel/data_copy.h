// DataCopy and DataCopyPad.
#ifndef HOSTCANN_ASCENDC_KERNEL_DATA_COPY_H
#define HOSTCANN_ASCENDC_KERNEL_DATA_COPY_H

#include "ascendc/kernel/emit.h"

namespace AscendC {

namespace hostcann {

constexpr uint32_t BLOCK_BYTES = 32;

template <typename T>
HOSTCANN_API aic_copy_ins NewCopy(uint8_t direction, uint8_t kind, const LocalTensor<T>& ub)
{
    aic_copy_ins ins{};
    ins.direction = direction;
    ins.kind = kind;
    ins.dtype = DtypeOf<T>::VALUE;
    ins.block_count = 1;
    ins.ub = Access::Operand(ub);
    return ins;
}

template <typename T>
HOSTCANN_API aic_copy_ins NewCopy(uint8_t direction, uint8_t kind, const LocalTensor<T>& ub, const GlobalTensor<T>& gm)
{
    aic_copy_ins ins = NewCopy(direction, kind, ub);
    ins.gm = const_cast<void*>(static_cast<const void*>(gm.GetPhyAddr()));
    ins.cache = Access::PastL2(gm, direction == AIC_GM_TO_UB ? CacheRwMode::READ : CacheRwMode::WRITE) ? 1 : 0;
    return ins;
}

// The value of a field, which has to fit it.
template <typename T>
HOSTCANN_API T Field(const aic_copy_ins& ins, const char* name, const Narrow<T>& value)
{
    if (!value.Fits()) {
        aic_copy_truncated(&ins, name, value.Given(), 8 * sizeof(T));
    }
    return value;
}

template <typename P>
HOSTCANN_API void Pad(aic_copy_ins& ins, const P& p)
{
    ins.is_pad = p.isPad;
    ins.left_pad = Field(ins, "leftPadding", p.leftPadding);
    ins.right_pad = Field(ins, "rightPadding", p.rightPadding);
    ins.pad_value = Bits(p.paddingValue);
}

HOSTCANN_API void Issue(aic_copy_ins& ins, const DataCopyParams& p, uint32_t unit)
{
    ins.block_count = Field(ins, "blockCount", p.blockCount);
    ins.block_len = Field(ins, "blockLen", p.blockLen) * unit;
    ins.src_stride = Field(ins, "srcStride", p.srcStride);
    ins.dst_stride = Field(ins, "dstStride", p.dstStride);
    aic_copy(&ins);
}

HOSTCANN_API void Issue(aic_copy_ins& ins, const DataCopyExtParams& p)
{
    ins.block_count = Field(ins, "blockCount", p.blockCount);
    ins.block_len = p.blockLen;
    ins.src_stride = p.srcStride;
    ins.dst_stride = p.dstStride;
    aic_copy(&ins);
}

} // namespace hostcann

template <typename T>
HOSTCANN_API void DataCopy(const LocalTensor<T>& dst, const GlobalTensor<T>& src, const uint32_t count)
{
    aic_copy_ins ins = hostcann::NewCopy(AIC_GM_TO_UB, AIC_COPY_COUNT, dst, src);
    ins.block_len = hostcann::ByteCount<T>(count);
    aic_copy(&ins);
}
template <typename T>
HOSTCANN_API void DataCopy(const GlobalTensor<T>& dst, const LocalTensor<T>& src, const uint32_t count)
{
    aic_copy_ins ins = hostcann::NewCopy(AIC_UB_TO_GM, AIC_COPY_COUNT, src, dst);
    ins.block_len = hostcann::ByteCount<T>(count);
    aic_copy(&ins);
}
template <typename T>
HOSTCANN_API void DataCopy(const LocalTensor<T>& dst, const LocalTensor<T>& src, const uint32_t count)
{
    aic_copy_ins ins = hostcann::NewCopy(AIC_UB_TO_UB, AIC_COPY_COUNT, dst);
    ins.ub_src = hostcann::Access::Operand(src);
    ins.block_len = hostcann::ByteCount<T>(count);
    aic_copy(&ins);
}

template <typename T>
HOSTCANN_API void DataCopy(const LocalTensor<T>& dst, const GlobalTensor<T>& src, const DataCopyParams& repeatParams)
{
    aic_copy_ins ins = hostcann::NewCopy(AIC_GM_TO_UB, AIC_COPY_BLOCKS, dst, src);
    hostcann::Issue(ins, repeatParams, hostcann::BLOCK_BYTES);
}
template <typename T>
HOSTCANN_API void DataCopy(const GlobalTensor<T>& dst, const LocalTensor<T>& src, const DataCopyParams& repeatParams)
{
    aic_copy_ins ins = hostcann::NewCopy(AIC_UB_TO_GM, AIC_COPY_BLOCKS, src, dst);
    hostcann::Issue(ins, repeatParams, hostcann::BLOCK_BYTES);
}
template <typename T>
HOSTCANN_API void DataCopy(const LocalTensor<T>& dst, const LocalTensor<T>& src, const DataCopyParams& repeatParams)
{
    aic_copy_ins ins = hostcann::NewCopy(AIC_UB_TO_UB, AIC_COPY_BLOCKS, dst);
    ins.ub_src = hostcann::Access::Operand(src);
    hostcann::Issue(ins, repeatParams, hostcann::BLOCK_BYTES);
}

template <typename T>
HOSTCANN_API void DataCopyPad(const LocalTensor<T>& dst, const GlobalTensor<T>& src,
                              const DataCopyExtParams& dataCopyParams, const DataCopyPadExtParams<T>& padParams)
{
    aic_copy_ins ins = hostcann::NewCopy(AIC_GM_TO_UB, AIC_COPY_PAD, dst, src);
    hostcann::Pad(ins, padParams);
    hostcann::Issue(ins, dataCopyParams);
}
template <typename T>
HOSTCANN_API void DataCopyPad(const GlobalTensor<T>& dst, const LocalTensor<T>& src,
                              const DataCopyExtParams& dataCopyParams)
{
    aic_copy_ins ins = hostcann::NewCopy(AIC_UB_TO_GM, AIC_COPY_PAD, src, dst);
    hostcann::Issue(ins, dataCopyParams);
}

// What later copies pad with that bring no value of their own.
template <typename T, TPosition pos = TPosition::MAX>
HOSTCANN_API void SetPadValue(T paddingValue)
{
    static_assert(pos == TPosition::MAX || pos == TPosition::VECIN || pos == TPosition::VECOUT,
                  "SetPadValue: VECIN, VECOUT or MAX");
    aic_pad_value(hostcann::Bits(paddingValue));
}

// The older structs: blockLen in bytes, at most 65535.
template <typename T>
HOSTCANN_API void DataCopyPad(const LocalTensor<T>& dst, const GlobalTensor<T>& src,
                              const DataCopyParams& dataCopyParams, const DataCopyPadParams& padParams)
{
    aic_copy_ins ins = hostcann::NewCopy(AIC_GM_TO_UB, AIC_COPY_PAD_SHORT, dst, src);
    hostcann::Pad(ins, padParams);
    hostcann::Issue(ins, dataCopyParams, 1);
}
template <typename T>
HOSTCANN_API void DataCopyPad(const GlobalTensor<T>& dst, const LocalTensor<T>& src,
                              const DataCopyParams& dataCopyParams)
{
    aic_copy_ins ins = hostcann::NewCopy(AIC_UB_TO_GM, AIC_COPY_PAD_SHORT, src, dst);
    hostcann::Issue(ins, dataCopyParams, 1);
}

} // namespace AscendC

#endif // HOSTCANN_ASCENDC_KERNEL_DATA_COPY_H
