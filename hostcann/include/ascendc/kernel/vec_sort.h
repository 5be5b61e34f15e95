// Sort32 and MrgSort, and what is made of them: Concat, Sort, Extract. A sorted element is 8 bytes: score and index.
#ifndef HOSTCANN_ASCENDC_KERNEL_VEC_SORT_H
#define HOSTCANN_ASCENDC_KERNEL_VEC_SORT_H

#include "ascendc/kernel/data_copy.h"
#include "ascendc/kernel/vec_gather.h"
#include "ascendc/sort_config.h"

namespace AscendC {

template <typename T>
struct MrgSortSrcList {
    MrgSortSrcList() = default;
    MrgSortSrcList(const LocalTensor<T>& src1In, const LocalTensor<T>& src2In, const LocalTensor<T>& src3In,
                   const LocalTensor<T>& src4In)
        : src1(src1In), src2(src2In), src3(src3In), src4(src4In)
    {
    }
    LocalTensor<T> src1;
    LocalTensor<T> src2;
    LocalTensor<T> src3;
    LocalTensor<T> src4;
};

struct MrgSort4Info {
    MrgSort4Info() = default;
    MrgSort4Info(const uint16_t elementLengthsIn[4], const bool ifExhaustedSuspensionIn, const uint16_t validBitIn,
                 const uint16_t repeatTimesIn)
        : ifExhaustedSuspension(ifExhaustedSuspensionIn), validBit(validBitIn), repeatTimes(repeatTimesIn)
    {
        for (int i = 0; i < 4; ++i) {
            elementLengths[i] = elementLengthsIn[i];
        }
    }
    uint16_t elementLengths[4] = {0};
    bool ifExhaustedSuspension = false;
    uint16_t validBit = 0;
    hostcann::Narrow<uint8_t> repeatTimes{1};
};

namespace hostcann {
template <typename T>
HOSTCANN_API void CheckSortType()
{
    static_assert(IsOneOf<T, half, float>, "sorting: half and float only on A2");
}
// T elements in one sorted element.
template <typename T>
constexpr uint32_t SORT_STEP = 8 / sizeof(T);
constexpr uint32_t SORT_RUN = 32;
} // namespace hostcann

// Sorts every 32 scores with their indices in descending order.
template <typename T>
HOSTCANN_API void Sort32(const LocalTensor<T>& dst, const LocalTensor<T>& src0, const LocalTensor<uint32_t>& src1,
                         const int32_t repeatTime)
{
    hostcann::CheckSortType<T>();
    hostcann::Vec<T>(AIC_OP_Sort32, dst).Src(0, src0).Src(1, src1).template Repeat<false>(uint64_t{0}, repeatTime);
}

template <typename T>
HOSTCANN_API void MrgSort(const LocalTensor<T>& dst, const MrgSortSrcList<T>& src, const MrgSort4Info& params)
{
    hostcann::CheckSortType<T>();
    hostcann::Vec<T> v(AIC_OP_MrgSort, dst);
    const aic_operand last = hostcann::Access::Operand(src.src4);
    v.Src(0, src.src1).Src(1, src.src2).Src(2, src.src3).Scalar(last.addr | static_cast<uint64_t>(last.bytes) << 32);
    v.Flag(params.ifExhaustedSuspension).Mode(params.validBit < 256 ? static_cast<uint8_t>(params.validBit) : 0);
    uint64_t lengths = 0;
    for (int i = 3; i >= 0; --i) {
        lengths = lengths << 16 | params.elementLengths[i];
    }
    v.ins.repeat = v.Field("repeatTimes", params.repeatTimes);
    v.ins.form = AIC_FORM_MASK_REGISTER;
    v.ins.mask[0] = lengths;
    v.ins.mask[1] = last.begin | static_cast<uint64_t>(last.end) << 32;
    v.ins.base = last.lease;
    aic_vector(&v.ins);
}

HOSTCANN_API void GetMrgSortResult(uint16_t& mrgSortList1, uint16_t& mrgSortList2, uint16_t& mrgSortList3,
                                   uint16_t& mrgSortList4)
{
    const uint64_t taken = aic_spr(AIC_SPR_MRG_SORT);
    mrgSortList1 = static_cast<uint16_t>(taken);
    mrgSortList2 = static_cast<uint16_t>(taken >> 16);
    mrgSortList3 = static_cast<uint16_t>(taken >> 32);
    mrgSortList4 = static_cast<uint16_t>(taken >> 48);
}

template <typename T, bool isExhaustedSuspension = false>
HOSTCANN_API void MrgSort(const LocalTensor<T>& dst, const MrgSortSrcList<T>& sortList,
                          const uint16_t elementCountList[4], uint32_t sortedNum[4], uint16_t validBit,
                          const int32_t repeatTime)
{
    MrgSort4Info params(elementCountList, isExhaustedSuspension, validBit, 1);
    params.repeatTimes = repeatTime;
    MrgSort(dst, sortList, params);
    if (isExhaustedSuspension) {
        uint16_t taken[4];
        GetMrgSortResult(taken[0], taken[1], taken[2], taken[3]);
        for (int i = 0; i < 4; ++i) {
            sortedNum[i] = taken[i];
        }
    }
}

template <typename T>
HOSTCANN_API uint32_t GetSortOffset(const uint32_t elemOffset)
{
    hostcann::CheckSortType<T>();
    return elemOffset * hostcann::SORT_STEP<T>;
}
template <typename T>
HOSTCANN_API uint32_t GetSortLen(const uint32_t elemCount)
{
    return GetSortOffset<T>(elemCount);
}

// Scores need no conversion on A2: the result is the source itself (Concat page).
template <typename T>
HOSTCANN_API void Concat(LocalTensor<T>& concat, const LocalTensor<T>& src, const LocalTensor<T>&, const int32_t)
{
    hostcann::CheckSortType<T>();
    concat = src;
}

// repeatTime runs of 32; isFullSort merges the runs, four at a time, with tmp as the second buffer.
template <typename T, bool isFullSort>
HOSTCANN_API void Sort(const LocalTensor<T>& dst, const LocalTensor<T>& concat, const LocalTensor<uint32_t>& index,
                       LocalTensor<T>& tmp, const int32_t repeatTime)
{
    Sort32(dst, concat, index, repeatTime);
    if (!isFullSort || repeatTime <= 1) {
        return;
    }
    PipeBarrier<PIPE_V>();
    constexpr uint32_t step = hostcann::SORT_STEP<T>;
    const uint32_t total = static_cast<uint32_t>(repeatTime) * hostcann::SORT_RUN;
    LocalTensor<T> from = dst;
    LocalTensor<T> to = tmp;
    for (uint32_t run = hostcann::SORT_RUN; run < total; run *= 4) {
        for (uint32_t start = 0; start < total; start += 4 * run) {
            uint16_t lengths[4] = {0};
            LocalTensor<T> queue[4];
            uint16_t queues = 0;
            for (uint32_t at = start; queues < 4 && at < total; at += run) {
                queue[queues] = from[at * step];
                lengths[queues] = static_cast<uint16_t>(total - at < run ? total - at : run);
                ++queues;
            }
            if (queues == 1) {
                DataCopy(to[start * step], queue[0], lengths[0] * step);
                continue;
            }
            const MrgSortSrcList<T> list(queue[0], queue[1], queue[2], queue[3]);
            MrgSort(to[start * step], list, MrgSort4Info(lengths, false, static_cast<uint16_t>((1 << queues) - 1), 1));
        }
        PipeBarrier<PIPE_V>();
        const LocalTensor<T> next = from;
        from = to;
        to = next;
    }
    if (from.GetPhyAddr() != dst.GetPhyAddr()) {
        DataCopy(dst, from, total * step);
    }
}

// Scores and indices of repeatTime runs of 32 sorted elements.
template <typename T>
HOSTCANN_API void Extract(const LocalTensor<T>& dstValue, const LocalTensor<uint32_t>& dstIndex,
                          const LocalTensor<T>& sorted, const int32_t repeatTime)
{
    hostcann::CheckSortType<T>();
    uint64_t kept = 0;
    // A repeat of GatherMask is 256 bytes: 32 elements.
    GatherMaskParams params(1, 0, 8, 0);
    params.repeatTimes = repeatTime;
    GatherMask(dstValue, sorted, static_cast<uint8_t>(sizeof(T) == 2 ? 3 : 1), false, 0, params, kept);
    GatherMask(dstIndex, sorted.template ReinterpretCast<uint32_t>(), 2, false, 0, params, kept);
}

} // namespace AscendC

#endif // HOSTCANN_ASCENDC_KERNEL_VEC_SORT_H
