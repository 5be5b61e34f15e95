// The k largest or smallest elements of each row and where they were.
#include "kernel_operator.h" // before the guard: it includes this header

#ifndef HOSTCANN_ADV_API_SORT_TOPK_H
#define HOSTCANN_ADV_API_SORT_TOPK_H

#include "ascendc/kernel/adv_rows.h"
#include "ascendc/tiling_structs.h"
#include "ascendc/sort_config.h"

namespace AscendC {

struct TopKInfo {
    int32_t outter = 1;
    int32_t inner; // n rounded up to 32
    int32_t n;
};

namespace hostcann {

// 0 to 31 in each of `rows` rows, or 0 to inner - 1 once.
HOSTCANN_API void TopKIndices(const LocalTensor<int32_t>& index, uint32_t inner, uint32_t rows)
{
    Arange(index, 0, 1, static_cast<int32_t>(inner));
    Ordered();
    for (uint32_t done = inner; done < inner * rows; done += inner) {
        DataCopy(index[done], index, inner);
    }
    Ordered();
}

// Elements of a sorted record are `step` apart: the bits of the first k values, and of their indices.
template <typename T>
HOSTCANN_API void TopKMasks(const LocalTensor<uint8_t>& masks, uint32_t k)
{
    using Word = std::conditional_t<sizeof(T) == 2, uint16_t, uint32_t>;
    const LocalTensor<Word> values = masks.ReinterpretCast<Word>();
    const LocalTensor<uint32_t> indices = masks[32].ReinterpretCast<uint32_t>();
    constexpr uint32_t STEP = 8 / sizeof(T);
    constexpr uint32_t BITS = 8 * sizeof(Word);
    Handover<HardEvent::V_S>();
    for (uint32_t word = 0; word < 256 / sizeof(T) / BITS; ++word) {
        uint32_t bits = 0;
        for (uint32_t bit = 0; bit < BITS; bit += STEP) {
            bits |= word * BITS + bit < k * STEP ? 1U << bit : 0U;
        }
        values.SetValue(word, static_cast<Word>(bits));
    }
    for (uint32_t word = 0; word < 2; ++word) {
        uint32_t bits = 0;
        for (uint32_t bit = 0; bit < 32; bit += 2) {
            bits |= word * 32 + bit < k * 2 ? 2U << bit : 0U;
        }
        indices.SetValue(word, bits);
    }
    Handover<HardEvent::S_V>();
}

template <typename T>
HOSTCANN_API void TopKNormal(const LocalTensor<T>& values, const LocalTensor<int32_t>& indices,
                             const LocalTensor<T>& src, const LocalTensor<int32_t>& index,
                             const LocalTensor<uint8_t>& tmp, uint32_t inner, uint32_t rows, uint32_t k, bool isLargest)
{
    const LocalTensor<T> sorted = tmp.ReinterpretCast<T>();
    LocalTensor<T> other = tmp[inner * 8].ReinterpretCast<T>();
    const uint8_t pattern = sizeof(T) == 2 ? 3 : 1;
    const GatherMaskParams once(1, 1, 8, 0);
    for (uint32_t row = 0; row < rows; ++row) {
        LocalTensor<T> from = src[row * inner];
        if (!isLargest) {
            // Sorting descends: the opposites, where the merge has its second buffer.
            Muls(other, from, static_cast<T>(-1), static_cast<int32_t>(inner));
            Ordered();
            from = other;
        }
        Sort<T, true>(sorted, from, index.ReinterpretCast<uint32_t>(), other, static_cast<int32_t>(inner / 32));
        Ordered();
        const LocalTensor<T> to = values[row * RoundUp(k, 32 / sizeof(T))];
        uint64_t kept = 0;
        GatherMask(to, sorted, pattern, true, k * SORT_STEP<T>, once, kept);
        GatherMask(indices[row * RoundUp(k, 8)].ReinterpretCast<uint32_t>(),
                   sorted.template ReinterpretCast<uint32_t>(), 2, true, k * 2, once, kept);
        Ordered();
        if (!isLargest) {
            Muls(to, to, static_cast<T>(-1), static_cast<int32_t>(k));
            Ordered();
        }
    }
}

template <typename T>
HOSTCANN_API void TopKSmall(const LocalTensor<T>& values, const LocalTensor<int32_t>& indices,
                            const LocalTensor<T>& src, const LocalTensor<int32_t>& index,
                            const LocalTensor<uint8_t>& tmp, uint32_t rows, uint32_t k, bool isLargest)
{
    const uint32_t all = rows * 32;
    const LocalTensor<T> sorted = tmp[64].ReinterpretCast<T>();
    LocalTensor<T> from = src;
    if (!isLargest) {
        from = tmp[64 + all * 8].ReinterpretCast<T>();
        Muls(from, src, static_cast<T>(-1), static_cast<int32_t>(all));
        Ordered();
    }
    TopKMasks<T>(tmp, k);
    using Word = std::conditional_t<sizeof(T) == 2, uint16_t, uint32_t>;
    for (uint32_t row = 0; row < rows; row += 255) {
        const uint32_t now = rows - row < 255 ? rows - row : 255;
        Sort32(sorted[row * 256 / sizeof(T)], from[row * 32], index[row * 32].ReinterpretCast<uint32_t>(),
               static_cast<int32_t>(now));
    }
    Ordered();
    GatherMaskParams each(1, 1, 8, 0);
    each.repeatTimes = rows;
    uint64_t kept = 0;
    GatherMask(values, sorted, tmp.ReinterpretCast<Word>(), false, 0, each, kept);
    GatherMask(indices.ReinterpretCast<uint32_t>(), sorted.template ReinterpretCast<uint32_t>(),
               tmp[32].ReinterpretCast<uint32_t>(), false, 0, each, kept);
    Ordered();
    if (!isLargest) {
        Muls(values, values, static_cast<T>(-1), static_cast<int32_t>(rows * k));
        Ordered();
    }
}

} // namespace hostcann

// Normal mode: rows of k values in whole blocks, and of k indices in whole blocks. Small mode: k after k, inner is 32.
template <typename T, bool isInitIndex = false, bool isHasfinish = false, bool isReuseSrc = false,
          enum TopKMode topkMode = TopKMode::TOPK_NORMAL, const TopKConfig& config = defaultTopKConfig>
HOSTCANN_API void TopK(const LocalTensor<T>& dstValueLocal, const LocalTensor<int32_t>& dstIndexLocal,
                       const LocalTensor<T>& srcLocal, const LocalTensor<int32_t>& srcIndexLocal,
                       const LocalTensor<bool>& finishLocal, const LocalTensor<uint8_t>& tmpLocal, const int32_t k,
                       const tiling::TopkTiling& tilling, const TopKInfo& topKInfo, const bool isLargest = true)
{
    static_assert(hostcann::IsOneOf<T, half, float>, "TopK: half or float on A2");
    static_assert(config.algo == TopKAlgo::MERGE_SORT, "TopK: the radix selection does not exist on A2");
    (void)tilling;
    constexpr bool SMALL = topkMode == TopKMode::TOPK_NSMALL;
    const uint32_t rows = static_cast<uint32_t>(topKInfo.outter);
    const uint32_t inner = static_cast<uint32_t>(topKInfo.inner);
    const uint32_t all = rows * inner;
    if (topKInfo.outter < 1 || topKInfo.inner < 32 || inner % 32 != 0 || inner > 4096 || (SMALL && inner != 32) ||
        topKInfo.n < 1 || topKInfo.n > topKInfo.inner) {
        aic_misuse(
            "TopK", "topKInfo", "the rows cannot be sorted",
            "outter of 1 or more, inner a multiple of 32 up to 4096 (small mode: 32), n of 1 to inner (got: inner)",
            topKInfo.inner, "pad the rows to a multiple of 32");
    }
    if (k < 1 || k > topKInfo.n) {
        aic_misuse("TopK", "k", "not that many elements", "1 to n", k, "take a k within the row");
    }
    const uint32_t count = static_cast<uint32_t>(k);
    const uint32_t results = SMALL ? rows * count : rows * hostcann::RoundUp(count, 32 / sizeof(T));
    const uint32_t bytes = hostcann::TopKTmp(inner, rows, isInitIndex, topkMode, isLargest);
    hostcann::AdvCall("TopK", hostcann::Used(dstValueLocal, results), hostcann::Used(srcLocal, all), {}, tmpLocal,
                      bytes);
    LocalTensor<int32_t> index = srcIndexLocal;
    if (!isInitIndex) {
        index = tmpLocal[bytes - (SMALL ? all : inner) * 4].template ReinterpretCast<int32_t>();
        hostcann::TopKIndices(index, inner, SMALL ? rows : 1);
    }
    if constexpr (SMALL) {
        hostcann::TopKSmall(dstValueLocal, dstIndexLocal, srcLocal, index, tmpLocal, rows, count, isLargest);
    } else {
        hostcann::TopKNormal(dstValueLocal, dstIndexLocal, srcLocal, index, tmpLocal, inner, rows, count, isLargest);
    }
    // The small mode has no finished rows and does not look at the flag.
    if constexpr (isHasfinish && !SMALL) {
        for (uint32_t row = 0; row < rows; ++row) {
            if (hostcann::ReadBack(finishLocal, row)) {
                Duplicate(dstIndexLocal[row * hostcann::RoundUp(count, 8)], topKInfo.n, k);
            }
        }
        hostcann::Ordered();
    }
}
template <typename T, bool isInitIndex = false, bool isHasfinish = false, bool isReuseSrc = false,
          enum TopKMode topkMode = TopKMode::TOPK_NORMAL, const TopKConfig& config = defaultTopKConfig>
HOSTCANN_API void TopK(const LocalTensor<T>& dstValueLocal, const LocalTensor<int32_t>& dstIndexLocal,
                       const LocalTensor<T>& srcLocal, const LocalTensor<int32_t>& srcIndexLocal,
                       const LocalTensor<bool>& finishLocal, const int32_t k, const tiling::TopkTiling& tilling,
                       const TopKInfo& topKInfo, const bool isLargest = true)
{
    TopK<T, isInitIndex, isHasfinish, isReuseSrc, topkMode, config>(dstValueLocal, dstIndexLocal, srcLocal,
                                                                    srcIndexLocal, finishLocal, hostcann::AdvStack(1),
                                                                    k, tilling, topKInfo, isLargest);
}

} // namespace AscendC

#endif // HOSTCANN_ADV_API_SORT_TOPK_H
