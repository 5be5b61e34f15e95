// DataCopy that changes the layout: ND to NZ, NZ to ND, slices. Upstream, too, they are loops over plain copies.
#ifndef HOSTCANN_ASCENDC_KERNEL_DATA_COPY_LAYOUT_H
#define HOSTCANN_ASCENDC_KERNEL_DATA_COPY_LAYOUT_H

#include "ascendc/kernel/data_copy.h"

namespace AscendC {

// Strides in elements, those of dst but for dstNzMatrixStride in blocks of 32 bytes.
struct Nd2NzParams {
    Nd2NzParams() = default;
    Nd2NzParams(const uint16_t ndNumIn, const uint16_t nValueIn, const uint16_t dValueIn,
                const uint16_t srcNdMatrixStrideIn, const uint16_t srcDValueIn, const uint16_t dstNzC0StrideIn,
                const uint16_t dstNzNStrideIn, const uint16_t dstNzMatrixStrideIn)
        : ndNum(ndNumIn),
          nValue(nValueIn),
          dValue(dValueIn),
          srcNdMatrixStride(srcNdMatrixStrideIn),
          srcDValue(srcDValueIn),
          dstNzC0Stride(dstNzC0StrideIn),
          dstNzNStride(dstNzNStrideIn),
          dstNzMatrixStride(dstNzMatrixStrideIn)
    {
    }
    hostcann::Narrow<uint16_t> ndNum{0};
    hostcann::Narrow<uint16_t> nValue{0};
    hostcann::Narrow<uint16_t> dValue{0};
    hostcann::Narrow<uint16_t> srcNdMatrixStride{0};
    hostcann::Narrow<uint16_t> srcDValue{0};
    hostcann::Narrow<uint16_t> dstNzC0Stride{0};
    hostcann::Narrow<uint16_t> dstNzNStride{0};
    hostcann::Narrow<uint16_t> dstNzMatrixStride{0};
};

// srcNdMatrixStride in 256 elements, srcNStride in 16, the strides of dst in elements.
struct Nz2NdParamsFull {
    Nz2NdParamsFull() = default;
    Nz2NdParamsFull(const uint16_t ndNumIn, const uint16_t nValueIn, const uint16_t dValueIn,
                    const uint16_t srcNdMatrixStrideIn, const uint16_t srcNStrideIn, const uint16_t dstDStrideIn,
                    const uint16_t dstNdMatrixStrideIn)
        : ndNum(ndNumIn),
          nValue(nValueIn),
          dValue(dValueIn),
          srcNdMatrixStride(srcNdMatrixStrideIn),
          srcNStride(srcNStrideIn),
          dstDStride(dstDStrideIn),
          dstNdMatrixStride(dstNdMatrixStrideIn)
    {
    }
    hostcann::Narrow<uint16_t> ndNum{1};
    hostcann::Narrow<uint16_t> nValue{0};
    hostcann::Narrow<uint16_t> dValue{0};
    hostcann::Narrow<uint16_t> srcNdMatrixStride{0};
    hostcann::Narrow<uint16_t> srcNStride{0};
    hostcann::Narrow<uint16_t> dstDStride{0};
    hostcann::Narrow<uint16_t> dstNdMatrixStride{0};
};

// One dimension: elements startIndex to endIndex in runs with gaps of stride; a run of the first one has burstLen
// blocks.
struct SliceInfo {
    SliceInfo() = default;
    SliceInfo(const uint32_t startIndexIn, const uint32_t endIndexIn, const uint32_t strideIn,
              const uint32_t burstLenIn, const uint32_t shapeValueIn = 0)
        : startIndex(startIndexIn),
          endIndex(endIndexIn),
          stride(strideIn),
          burstLen(burstLenIn),
          shapeValue(shapeValueIn)
    {
    }
    uint32_t startIndex = 0;
    uint32_t endIndex = 0;
    uint32_t stride = 0;
    uint32_t burstLen = 0;
    uint32_t shapeValue = 0;
};

namespace hostcann {

// A field of the parameters, at most `most`.
HOSTCANN_API uint32_t Limited(const char* name, const Narrow<uint16_t>& value, int64_t most)
{
    if (value.Given() < 0 || value.Given() > most) {
        aic_misuse("DataCopy", name, "parameter out of range", "a value of the table of the DataCopy page",
                   value.Given(), "split the copy into several calls");
    }
    return static_cast<uint32_t>(value.Given());
}

constexpr uint32_t MOST_BLOCKS = 4095;

// `rows` blocks of len bytes: `gmStep` bytes apart in global memory, `ubStep` blocks of 32 bytes apart in the buffer.
// What a block lacks to whole blocks of the buffer is filled with zeros.
template <typename T>
HOSTCANN_API void CopyRows(aic_copy_ins ins, uint32_t rows, uint32_t len, uint32_t gmStep, uint32_t ubStep)
{
    const uint32_t whole = (len + BLOCK_BYTES - 1) / BLOCK_BYTES;
    ins.block_len = len;
    if (ins.direction == AIC_GM_TO_UB && len % BLOCK_BYTES != 0) {
        ins.is_pad = 1;
        ins.right_pad = static_cast<uint8_t>((whole * BLOCK_BYTES - len) / sizeof(T));
    }
    // Rows that overlap have no gap that a field could hold.
    const bool single = gmStep < len || ubStep < whole;
    const uint32_t gmGap = single ? 0 : gmStep - len;
    const uint32_t ubGap = single ? 0 : ubStep - whole;
    ins.src_stride = ins.direction == AIC_GM_TO_UB ? gmGap : ubGap;
    ins.dst_stride = ins.direction == AIC_GM_TO_UB ? ubGap : gmGap;
    for (uint32_t row = 0; row < rows; row += ins.block_count) {
        const uint32_t left = rows - row;
        ins.block_count = single ? 1 : left < MOST_BLOCKS ? left : MOST_BLOCKS;
        aic_copy(&ins);
        ins.gm = static_cast<uint8_t*>(ins.gm) + uint64_t{ins.block_count} * gmStep;
        const uint32_t skip = ins.block_count * ubStep * BLOCK_BYTES;
        ins.ub.addr += skip;
        ins.ub.bytes -= skip < ins.ub.bytes ? skip : ins.ub.bytes;
    }
}

// The place of a slice in one operand, dimension by dimension.
struct SliceWalk {
    uint64_t offset[8];
    uint64_t step[8];
    uint32_t runs[8];
};

HOSTCANN_API SliceWalk WalkOf(const SliceInfo info[], uint32_t dims, uint32_t size)
{
    SliceWalk walk{};
    uint64_t unit = 1;
    for (uint32_t i = 0; i < dims; ++i) {
        const SliceInfo& s = info[i];
        const uint32_t run = i == 0 ? s.burstLen * BLOCK_BYTES / size : 1;
        const uint32_t step = run + s.stride;
        if (s.endIndex < s.startIndex || run == 0 || (s.endIndex - s.startIndex + 1 + s.stride) % step != 0) {
            aic_misuse("DataCopy", "SliceInfo", "the runs do not fill the slice",
                       "endIndex - startIndex + 1 = (N - 1) * stride + N * run", s.endIndex,
                       "a run has burstLen blocks of 32 bytes in the first dimension, one element in the others");
        }
        walk.offset[i] = s.startIndex * unit;
        walk.step[i] = step * unit;
        walk.runs[i] = (s.endIndex - s.startIndex + 1 + s.stride) / step;
        unit *= s.shapeValue;
    }
    return walk;
}

template <typename T>
HOSTCANN_API void CopySlices(aic_copy_ins ins, const SliceInfo ubInfo[], const SliceInfo gmInfo[], uint32_t dims)
{
    if (dims == 0 || dims > 8) {
        aic_misuse("DataCopy", "dimValue", "a slice has 1 to 8 dimensions", "1 to 8", dims, "split the copy");
    }
    const auto size = static_cast<uint32_t>(sizeof(T));
    const SliceWalk ub = WalkOf(ubInfo, dims, size);
    const SliceWalk gm = WalkOf(gmInfo, dims, size);
    uint64_t rows = 1;
    for (uint32_t i = 0; i < dims; ++i) {
        if (ub.runs[i] != gm.runs[i] || ubInfo[i].burstLen != gmInfo[i].burstLen) {
            aic_misuse("DataCopy", "SliceInfo", "source and destination have different runs",
                       "equal numbers of runs and equal burstLen", i, "the dimension that is shown differs");
        }
        rows *= i == 0 ? 1 : ub.runs[i];
    }
    if (ub.step[0] * size % BLOCK_BYTES != 0) {
        aic_misuse("DataCopy", "stride", "runs of the unified buffer do not start on whole blocks",
                   "a multiple of 32 bytes", ubInfo[0].stride * size, "choose the stride so");
    }
    for (uint64_t row = 0; row < rows; ++row) {
        uint64_t ubAt = ub.offset[0];
        uint64_t gmAt = gm.offset[0];
        uint64_t rest = row;
        for (uint32_t i = 1; i < dims; ++i) {
            ubAt += ub.offset[i] + rest % ub.runs[i] * ub.step[i];
            gmAt += gm.offset[i] + rest % ub.runs[i] * gm.step[i];
            rest /= ub.runs[i];
        }
        aic_copy_ins one = ins;
        one.gm = static_cast<T*>(ins.gm) + gmAt;
        one.ub.addr += static_cast<uint32_t>(ubAt * size);
        one.ub.bytes -= one.ub.bytes < ubAt * size ? one.ub.bytes : static_cast<uint32_t>(ubAt * size);
        CopyRows<T>(one, ub.runs[0], ubInfo[0].burstLen * BLOCK_BYTES, static_cast<uint32_t>(gm.step[0] * size),
                    static_cast<uint32_t>(ub.step[0] * size / BLOCK_BYTES));
    }
}

} // namespace hostcann

// Every row becomes a column of blocks; the last block is filled with zeros.
template <typename T, bool enableSmallC0 = false>
HOSTCANN_API void DataCopy(const LocalTensor<T>& dst, const GlobalTensor<T>& src, const Nd2NzParams& intriParams)
{
    static_assert(!enableSmallC0, "DataCopy: no small C0 on A2");
    static_assert(sizeof(T) <= 4, "DataCopy to NZ: 8, 16 and 32-bit types");
    const uint32_t matrices = hostcann::Limited("ndNum", intriParams.ndNum, 4095);
    const uint32_t rows = hostcann::Limited("nValue", intriParams.nValue, 16384);
    const uint32_t columns = hostcann::Limited("dValue", intriParams.dValue, 65535);
    const uint32_t srcMatrix = hostcann::Limited("srcNdMatrixStride", intriParams.srcNdMatrixStride, 65535);
    const uint32_t srcRow = hostcann::Limited("srcDValue", intriParams.srcDValue, 65535);
    const uint32_t dstColumn = hostcann::Limited("dstNzC0Stride", intriParams.dstNzC0Stride, 16384);
    const uint32_t dstRow = hostcann::Limited("dstNzNStride", intriParams.dstNzNStride, 16384);
    const uint32_t dstMatrix = hostcann::Limited("dstNzMatrixStride", intriParams.dstNzMatrixStride, 65535);
    constexpr uint32_t PER_BLOCK = hostcann::BLOCK_BYTES / sizeof(T);
    for (uint32_t m = 0; m < matrices; ++m) {
        for (uint32_t c = 0; c < columns; c += PER_BLOCK) {
            const uint32_t n = columns - c < PER_BLOCK ? columns - c : PER_BLOCK;
            const LocalTensor<T> to = dst[m * dstMatrix + c * dstColumn];
            const GlobalTensor<T> from = src[uint64_t{m} * srcMatrix + c];
            hostcann::CopyRows<T>(hostcann::NewCopy(AIC_GM_TO_UB, AIC_COPY_PAD, to, from), rows,
                                  n * static_cast<uint32_t>(sizeof(T)), srcRow * static_cast<uint32_t>(sizeof(T)),
                                  dstRow);
        }
    }
}

// Columns of 16 elements become rows.
template <typename T>
HOSTCANN_API void DataCopy(const GlobalTensor<T>& dst, const LocalTensor<T>& src, const Nz2NdParamsFull& intriParams)
{
    static_assert(sizeof(T) == 2 || sizeof(T) == 4, "DataCopy from NZ: 16 and 32-bit types");
    const uint32_t matrices = hostcann::Limited("ndNum", intriParams.ndNum, 4095);
    const uint32_t rows = hostcann::Limited("nValue", intriParams.nValue, 8192);
    const uint32_t columns = hostcann::Limited("dValue", intriParams.dValue, 8192);
    const uint32_t srcMatrix = hostcann::Limited("srcNdMatrixStride", intriParams.srcNdMatrixStride, 512);
    const uint32_t srcColumn = hostcann::Limited("srcNStride", intriParams.srcNStride, 4096);
    const uint32_t dstRow = hostcann::Limited("dstDStride", intriParams.dstDStride, 65535);
    const uint32_t dstMatrix = hostcann::Limited("dstNdMatrixStride", intriParams.dstNdMatrixStride, 65535);
    if (columns % 16 != 0) {
        aic_misuse("DataCopy", "dValue", "NZ has columns of 16 elements", "a multiple of 16", columns,
                   "pad the matrix");
    }
    constexpr uint32_t LENGTH = 16 * sizeof(T);
    for (uint32_t m = 0; m < matrices; ++m) {
        for (uint32_t c = 0; c < columns; c += 16) {
            const GlobalTensor<T> to = dst[uint64_t{m} * dstMatrix + c];
            const LocalTensor<T> from = src[m * srcMatrix * 256 + c * srcColumn];
            hostcann::CopyRows<T>(hostcann::NewCopy(AIC_UB_TO_GM, AIC_COPY_PAD, from, to), rows, LENGTH,
                                  dstRow * static_cast<uint32_t>(sizeof(T)), LENGTH / hostcann::BLOCK_BYTES);
        }
    }
}

template <typename T>
HOSTCANN_API void DataCopy(const LocalTensor<T>& dst, const GlobalTensor<T>& src, const SliceInfo dstSliceInfo[],
                           const SliceInfo srcSliceInfo[], const uint32_t dimValue = 1)
{
    hostcann::CopySlices<T>(hostcann::NewCopy(AIC_GM_TO_UB, AIC_COPY_PAD, dst, src), dstSliceInfo, srcSliceInfo,
                            dimValue);
}
template <typename T>
HOSTCANN_API void DataCopy(const GlobalTensor<T>& dst, const LocalTensor<T>& src, const SliceInfo dstSliceInfo[],
                           const SliceInfo srcSliceInfo[], const uint32_t dimValue = 1)
{
    hostcann::CopySlices<T>(hostcann::NewCopy(AIC_UB_TO_GM, AIC_COPY_PAD, src, dst), srcSliceInfo, dstSliceInfo,
                            dimValue);
}

} // namespace AscendC

#endif // HOSTCANN_ASCENDC_KERNEL_DATA_COPY_LAYOUT_H
