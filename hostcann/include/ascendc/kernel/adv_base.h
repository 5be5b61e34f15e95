// What the high-level functions share: rules for their operands and their temporary space.
#ifndef HOSTCANN_ASCENDC_KERNEL_ADV_BASE_H
#define HOSTCANN_ASCENDC_KERNEL_ADV_BASE_H

#include "ascendc/adv_factors.h"
#include "ascendc/kernel/emit.h"
#include "ascendc/kernel/gm_fill.h"
#include "ascendc/kernel/vec_arith.h"
#include "ascendc/kernel/vec_cast.h"

namespace AscendC {
namespace hostcann {

// Temporary space of a call in bytes: what the algorithm cannot do without, and the minimum of the page.
struct AdvTmp {
    uint32_t least;
    uint32_t documented;
    constexpr AdvTmp(uint32_t bytes) : least(bytes), documented(bytes) {}
    constexpr AdvTmp(uint32_t algorithm, uint32_t page) : least(algorithm), documented(page) {}
};

struct AdvFactor {
    uint32_t forHalf;
    uint32_t forFloat;
    uint32_t forReuse;

    template <typename T, bool isReuseSource = false>
    constexpr uint32_t MinBytes() const
    {
        return 256 * (sizeof(T) == sizeof(half) ? forHalf : isReuseSource ? forReuse : forFloat);
    }
    // The toolkit's functions work in parts of 32 elements if they have no more room; half works in float.
    template <typename T, bool isReuseSource = false>
    constexpr AdvTmp Tmp() const
    {
        const uint32_t documented = MinBytes<T, isReuseSource>();
        const uint32_t parts = documented / 256 * 32 * sizeof(T);
        return {documented == 0 || parts > 128 ? parts : 128, documented};
    }
};
#define HOSTCANN_ADV_FACTOR(name, h, f, r) constexpr AdvFactor ADV_##name{h, f, r};
HOSTCANN_ADV_FACTORS(HOSTCANN_ADV_FACTOR)
#undef HOSTCANN_ADV_FACTOR

template <typename T>
HOSTCANN_API aic_operand Used(const LocalTensor<T>& tensor, uint64_t elements)
{
    aic_operand used = Access::Operand(tensor);
    used.bytes = static_cast<uint32_t>(ByteCount<T>(elements));
    return used;
}

// The temporary space that a call takes from the pipe when it was not given any.
HOSTCANN_API LocalTensor<uint8_t> AdvStack(uint32_t minBytes)
{
    LocalTensor<uint8_t> tmp;
    if (minBytes != 0) {
        PopStackBuffer<uint8_t, TPosition::VECCALC>(tmp);
    }
    return tmp;
}

// Whether dst may be a source (the function's page).
enum : uint32_t {
    ADV_APART = 0,
    ADV_IN_PLACE = 1,
    // It may not, and the toolkit's function has read every source by the time it writes its place.
    ADV_READS_FIRST = 2
};

// Checks one call: room in the temporary space, and which operands may lie over each other.
HOSTCANN_API void AdvCall(const char* name, const aic_operand& dst, const aic_operand& src0, const aic_operand& src1,
                          const LocalTensor<uint8_t>& tmp, const AdvTmp& bytes, uint32_t overlap = ADV_APART)
{
    const aic_adv_call call{name, {dst, src0, src1}, Access::Operand(tmp), bytes.least, bytes.documented, overlap};
    aic_adv(&call);
}

// Elements of T that fit into each of `parts` parts of the temporary space, in whole blocks.
template <typename T>
HOSTCANN_API uint32_t AdvChunk(const LocalTensor<uint8_t>& tmp, uint32_t parts)
{
    return tmp.GetSize() / parts / static_cast<uint32_t>(sizeof(T)) / 32 * 32;
}

} // namespace hostcann
} // namespace AscendC

// The four ways to call a function of one or two sources: temporary space and count are both optional. `function` is
// called as function<T, isReuseSource>(dst, sources..., tmp, calCount).
#define HOSTCANN_ADV_UNARY(Name, function, minBytes)                                                                  \
    template <typename T, bool isReuseSource = false>                                                                 \
    HOSTCANN_API void Name(const LocalTensor<T>& dstTensor, const LocalTensor<T>& srcTensor,                          \
                           const LocalTensor<uint8_t>& sharedTmpBuffer, const uint32_t calCount)                      \
    {                                                                                                                 \
        function<T, isReuseSource>(dstTensor, srcTensor, sharedTmpBuffer, calCount);                                  \
    }                                                                                                                 \
    template <typename T, bool isReuseSource = false>                                                                 \
    HOSTCANN_API void Name(const LocalTensor<T>& dstTensor, const LocalTensor<T>& srcTensor, const uint32_t calCount) \
    {                                                                                                                 \
        function<T, isReuseSource>(dstTensor, srcTensor, hostcann::AdvStack(minBytes), calCount);                     \
    }

#define HOSTCANN_ADV_UNARY_WHOLE(Name, function, minBytes)                                                   \
    HOSTCANN_ADV_UNARY(Name, function, minBytes)                                                             \
    template <typename T, bool isReuseSource = false>                                                        \
    HOSTCANN_API void Name(const LocalTensor<T>& dstTensor, const LocalTensor<T>& srcTensor,                 \
                           const LocalTensor<uint8_t>& sharedTmpBuffer)                                      \
    {                                                                                                        \
        function<T, isReuseSource>(dstTensor, srcTensor, sharedTmpBuffer, srcTensor.GetSize());              \
    }                                                                                                        \
    template <typename T, bool isReuseSource = false>                                                        \
    HOSTCANN_API void Name(const LocalTensor<T>& dstTensor, const LocalTensor<T>& srcTensor)                 \
    {                                                                                                        \
        function<T, isReuseSource>(dstTensor, srcTensor, hostcann::AdvStack(minBytes), srcTensor.GetSize()); \
    }

#define HOSTCANN_ADV_BINARY_WHOLE(Name, function, minBytes)                                                    \
    template <typename T, bool isReuseSource = false>                                                          \
    HOSTCANN_API void Name(const LocalTensor<T>& dstTensor, const LocalTensor<T>& src0Tensor,                  \
                           const LocalTensor<T>& src1Tensor, const LocalTensor<uint8_t>& sharedTmpBuffer,      \
                           const uint32_t calCount)                                                            \
    {                                                                                                          \
        function<T, isReuseSource>(dstTensor, src0Tensor, src1Tensor, sharedTmpBuffer, calCount);              \
    }                                                                                                          \
    template <typename T, bool isReuseSource = false>                                                          \
    HOSTCANN_API void Name(const LocalTensor<T>& dstTensor, const LocalTensor<T>& src0Tensor,                  \
                           const LocalTensor<T>& src1Tensor, const LocalTensor<uint8_t>& sharedTmpBuffer)      \
    {                                                                                                          \
        function<T, isReuseSource>(dstTensor, src0Tensor, src1Tensor, sharedTmpBuffer, src0Tensor.GetSize());  \
    }                                                                                                          \
    template <typename T, bool isReuseSource = false>                                                          \
    HOSTCANN_API void Name(const LocalTensor<T>& dstTensor, const LocalTensor<T>& src0Tensor,                  \
                           const LocalTensor<T>& src1Tensor, const uint32_t calCount)                          \
    {                                                                                                          \
        function<T, isReuseSource>(dstTensor, src0Tensor, src1Tensor, hostcann::AdvStack(minBytes), calCount); \
    }                                                                                                          \
    template <typename T, bool isReuseSource = false>                                                          \
    HOSTCANN_API void Name(const LocalTensor<T>& dstTensor, const LocalTensor<T>& src0Tensor,                  \
                           const LocalTensor<T>& src1Tensor)                                                   \
    {                                                                                                          \
        function<T, isReuseSource>(dstTensor, src0Tensor, src1Tensor, hostcann::AdvStack(minBytes),            \
                                   src0Tensor.GetSize());                                                      \
    }

#endif // HOSTCANN_ASCENDC_KERNEL_ADV_BASE_H
