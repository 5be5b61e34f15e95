// AscendQuant, AscendDequant, AscendAntiQuant: the flow of data types is that of the pages.
#ifndef HOSTCANN_ASCENDC_KERNEL_ADV_QUANT_H
#define HOSTCANN_ASCENDC_KERNEL_ADV_QUANT_H

#include "ascendc/kernel/adv_rows.h"

namespace AscendC {

struct AscendQuantConfig {
    constexpr AscendQuantConfig(const uint32_t calcCountIn, const uint32_t offsetCountIn, const uint32_t scaleCountIn,
                                const uint32_t workLocalSizeIn)
        : calcCount(calcCountIn), offsetCount(offsetCountIn), scaleCount(scaleCountIn), workLocalSize(workLocalSizeIn)
    {
    }
    uint32_t calcCount = 0;
    uint32_t offsetCount = 0;
    uint32_t scaleCount = 0;
    uint32_t workLocalSize = 0;
};
constexpr AscendQuantConfig ASCEND_QUANT_DEFAULT_CFG = {0, 0, 0, 0};

enum class DeQuantMode : int8_t { DEQUANT_WITH_SINGLE_ROW, DEQUANT_WITH_MULTI_ROW };
struct DequantParams {
    uint32_t m;
    uint32_t n; // whole 32-byte blocks of int32_t
    uint32_t calCount;
};

struct AntiQuantShapeInfo {
    uint32_t offsetHeight{0};
    uint32_t offsetWidth{0};
    uint32_t scaleHeight{0};
    uint32_t scaleWidth{0};
};

namespace hostcann {

constexpr AdvTmp QUANT_TMP{3 * 64, 2 * 256};

// x as half: itself, or narrowed into `room`.
HOSTCANN_API LocalTensor<half> AsHalf(const LocalTensor<half>& x, const LocalTensor<half>&, uint32_t) { return x; }
HOSTCANN_API LocalTensor<half> AsHalf(const LocalTensor<float>& x, const LocalTensor<half>& room, uint32_t n)
{
    Cast(room, x, RoundMode::CAST_NONE, n);
    Ordered();
    return room;
}

HOSTCANN_API void StoreInt8(const LocalTensor<int8_t>& dst, const LocalTensor<half>& x, uint32_t n)
{
    Cast(dst, x, RoundMode::CAST_RINT, n);
    Ordered();
}

// Everything narrows to half first; dst may lie over src, hence in the order of the elements.
template <typename T>
HOSTCANN_API void QuantTensor(const LocalTensor<int8_t>& dst, const LocalTensor<T>& src,
                              const LocalTensor<uint8_t>& tmp, float scale, float offset, uint32_t count)
{
    static_assert(IsOneOf<T, half, float>, "AscendQuant: half or float to int8_t on A2");
    AdvCall("AscendQuant", Used(dst, count), Used(src, count), {}, tmp, QUANT_TMP, true);
    const LocalTensor<half> work = tmp.template ReinterpretCast<half>();
    const uint32_t chunk = AdvChunk<half>(tmp, 1);
    for (uint32_t i = 0; i < count; i += chunk) {
        const uint32_t n = count - i < chunk ? count - i : chunk;
        Muls(work, AsHalf(src[i], work, n), static_cast<half>(scale), static_cast<int32_t>(n));
        Ordered();
        Adds(work, work, static_cast<half>(offset), static_cast<int32_t>(n));
        Ordered();
        StoreInt8(dst[i], work, n);
    }
}

// A scale for each of scaleCount columns; offset: a tensor of as many, or one for all.
template <typename T, typename Offset>
HOSTCANN_API void QuantChannels(const LocalTensor<int8_t>& dst, const LocalTensor<T>& src,
                                const LocalTensor<uint8_t>& tmp, const LocalTensor<T>& scale, const Offset& offset,
                                uint32_t scaleCount, uint32_t count)
{
    static_assert(IsOneOf<T, half, float>, "AscendQuant: half or float to int8_t on A2");
    if (scaleCount == 0 || scaleCount % 32 != 0 || count % scaleCount != 0) {
        const bool isScale = scaleCount == 0 || scaleCount % 32 != 0;
        aic_misuse("AscendQuant", isScale ? "scaleCount" : "calCount", "the scales do not fit the elements",
                   isScale ? "a multiple of 32" : "a multiple of scaleCount", isScale ? scaleCount : count,
                   "one scale per column, rows of whole 32-byte blocks of int8_t");
    }
    AdvCall("AscendQuant", Used(dst, count), Used(src, count), Used(scale, scaleCount), tmp, QUANT_TMP, true);
    const LocalTensor<half> work = tmp.template ReinterpretCast<half>();
    const uint32_t chunk = AdvChunk<half>(tmp, 3);
    for (uint32_t row = 0; row < count; row += scaleCount) {
        for (uint32_t c = 0; c < scaleCount; c += chunk) {
            const uint32_t n = scaleCount - c < chunk ? scaleCount - c : chunk;
            const int32_t lanes = static_cast<int32_t>(n);
            const LocalTensor<half> x = AsHalf(src[row + c], work, n);
            Mul(work, x, AsHalf(scale[c], work[chunk], n), lanes);
            Ordered();
            if constexpr (std::is_same<Offset, T>::value) {
                Adds(work, work, static_cast<half>(offset), lanes);
            } else {
                Add(work, work, AsHalf(offset[c], work[2 * chunk], n), lanes);
            }
            Ordered();
            StoreInt8(dst[row + c], work, n);
        }
    }
}

template <typename D, typename S>
constexpr bool IsDequantVector = (IsOneOf<D, half> && IsOneOf<S, uint64_t>) ||
                                 (IsOneOf<D, float, bfloat16_t> && IsOneOf<S, float, bfloat16_t>);
template <typename D, typename S>
constexpr bool IsDequantScalar = IsOneOf<D, float, bfloat16_t> && IsOneOf<S, float, bfloat16_t>;

// The scales as floats: themselves, widened, or the low words of uint64_t.
HOSTCANN_API LocalTensor<float> AsScales(const LocalTensor<float>& x, const LocalTensor<float>&, uint32_t) { return x; }
HOSTCANN_API LocalTensor<float> AsScales(const LocalTensor<bfloat16_t>& x, const LocalTensor<float>& room, uint32_t n)
{
    Cast(room, x, RoundMode::CAST_NONE, n);
    Ordered();
    return room;
}
HOSTCANN_API LocalTensor<float> AsScales(const LocalTensor<uint64_t>& x, const LocalTensor<float>& room, uint32_t n)
{
    const uint8_t everySecond = 1;
    uint64_t kept = 0;
    GatherMask(room, x.template ReinterpretCast<float>(), everySecond, true, 2 * n, {1, 1, 8, 0}, kept);
    Ordered();
    return room;
}

HOSTCANN_API float AsFloat(float x) { return x; }
HOSTCANN_API float AsFloat(half x) { return static_cast<float>(x); }
HOSTCANN_API float AsFloat(const bfloat16_t& x) { return ToFloat(x); }

template <typename T>
HOSTCANN_API void StoreFloats(const LocalTensor<T>& dst, const LocalTensor<float>& x, uint32_t n)
{
    if constexpr (std::is_same<T, float>::value) {
        Muls(dst, x, 1.0f, static_cast<int32_t>(n));
    } else {
        Cast(dst, x, std::is_same<T, half>::value ? RoundMode::CAST_NONE : RoundMode::CAST_RINT, n);
    }
    Ordered();
}

// scale(row, columns): multiplies a row of floats in place.
template <typename D, typename Scale>
HOSTCANN_API void DequantRows(const LocalTensor<D>& dst, const LocalTensor<int32_t>& src, const LocalTensor<float>& row,
                              const DequantParams& p, const Scale& scale)
{
    const uint32_t lanes = static_cast<uint32_t>(32 / sizeof(D));
    const uint32_t pitch = (p.n + lanes - 1) / lanes * lanes;
    for (uint32_t r = 0; r < p.m; ++r) {
        Cast(row, src[r * p.n], RoundMode::CAST_NONE, p.calCount);
        Ordered();
        scale(row, static_cast<int32_t>(p.calCount));
        Ordered();
        StoreFloats(dst[r * pitch], row, p.calCount);
    }
}

template <typename D, DeQuantMode mode>
HOSTCANN_API DequantParams DequantShape(DequantParams p)
{
    if (p.n % 8 != 0 || p.calCount == 0 || p.calCount > p.n) {
        const bool isRow = p.n % 8 != 0;
        aic_misuse("AscendDequant", isRow ? "params.n" : "params.calCount", "the row does not fit its blocks",
                   isRow ? "whole 32-byte blocks of int32_t" : "1 to n", isRow ? p.n : p.calCount,
                   "n is calCount rounded up to 8");
    }
    if (mode == DeQuantMode::DEQUANT_WITH_SINGLE_ROW && p.m == 1 && p.calCount * sizeof(D) % 32 == 0 &&
        p.n % p.calCount == 0) {
        return {p.n / p.calCount, p.calCount, p.calCount};
    }
    return p;
}

template <typename D>
HOSTCANN_API void DequantCall(const LocalTensor<D>& dst, const LocalTensor<int32_t>& src, const aic_operand& scale,
                              const LocalTensor<uint8_t>& tmp, const DequantParams& p)
{
    const uint32_t lanes = static_cast<uint32_t>(32 / sizeof(D));
    const uint32_t pitch = (p.n + lanes - 1) / lanes * lanes;
    AdvCall("AscendDequant", Used(dst, uint64_t{p.m} * pitch), Used(src, uint64_t{p.m} * p.n), scale, tmp,
            {8 * p.n, 4 * (2 * p.n + 8 + 64)});
}

// Antiquantisation. half adds and multiplies in half, bfloat16_t in float. `Value`: a tensor of columns or a number.
template <typename D>
using AntiType = std::conditional_t<std::is_same<D, bfloat16_t>::value, float, half>;

// Both halves of the temporary space of a bfloat16_t result; half results need none.
template <typename D>
constexpr AdvTmp AntiTmp(uint32_t documented)
{
    return std::is_same<D, half>::value ? AdvTmp{0, 0} : AdvTmp{512, documented};
}

HOSTCANN_API LocalTensor<half> AntiValues(const LocalTensor<half>& x, const LocalTensor<half>&, uint32_t) { return x; }
HOSTCANN_API LocalTensor<float> AntiValues(const LocalTensor<bfloat16_t>& x, const LocalTensor<float>& room, uint32_t n)
{
    return AsScales(x, room, n);
}

// dst = scale(offset(src)) over `count` elements that lie together. The two callbacks take a tensor of AntiType, room
// for as many values, the place of its first element, and how many.
template <typename D, typename S, typename Offset, typename Scale>
HOSTCANN_API void AntiStretch(const LocalTensor<D>& dst, const LocalTensor<S>& src, const LocalTensor<uint8_t>& tmp,
                              uint32_t count, const Offset& offset, const Scale& scale)
{
    if constexpr (std::is_same<D, half>::value) {
        Cast(dst, src, RoundMode::CAST_NONE, count);
        Ordered();
        offset(dst, dst, 0, count);
        scale(dst, dst, 0, count);
    } else {
        const uint32_t chunk = AdvChunk<float>(tmp, 2);
        const LocalTensor<float> x = tmp.template ReinterpretCast<float>();
        const LocalTensor<float> room = x[chunk];
        for (uint32_t i = 0; i < count; i += chunk) {
            const uint32_t n = count - i < chunk ? count - i : chunk;
            const LocalTensor<half> narrow = room.template ReinterpretCast<half>();
            Cast(narrow, src[i], RoundMode::CAST_NONE, n);
            Ordered();
            Cast(x, narrow, RoundMode::CAST_NONE, n);
            Ordered();
            offset(x, room, i, n);
            scale(x, room, i, n);
            Cast(dst[i], x, RoundMode::CAST_RINT, n);
            Ordered();
        }
    }
}

// The callbacks.
template <typename D>
struct AntiNumber {
    AntiType<D> value;
    bool isScale;
    HOSTCANN_API void operator()(const LocalTensor<AntiType<D>>& x, const LocalTensor<AntiType<D>>&, uint32_t,
                                 uint32_t n) const
    {
        if (isScale) {
            Muls(x, x, value, static_cast<int32_t>(n));
        } else {
            Adds(x, x, value, static_cast<int32_t>(n));
        }
        Ordered();
    }
};
template <typename D>
struct AntiColumns {
    LocalTensor<D> values;
    bool isScale;
    HOSTCANN_API void operator()(const LocalTensor<AntiType<D>>& x, const LocalTensor<AntiType<D>>& room, uint32_t at,
                                 uint32_t n) const
    {
        const LocalTensor<AntiType<D>> of = AntiValues(values[at], room, n);
        if (isScale) {
            Mul(x, x, of, static_cast<int32_t>(n));
        } else {
            Add(x, x, of, static_cast<int32_t>(n));
        }
        Ordered();
    }
};
struct AntiNothing {
    template <typename X>
    HOSTCANN_API void operator()(const X&, const X&, uint32_t, uint32_t) const
    {
    }
};

template <typename D>
HOSTCANN_API AntiType<D> AntiValue(const D& x)
{
    return static_cast<AntiType<D>>(AsFloat(x));
}

// Scales have the shape of shapeInfo, of their tensor, or of the offsets, whichever is there first.
HOSTCANN_API void AntiScaleShape(AntiQuantShapeInfo& info, const ShapeInfo& offset, const ShapeInfo& scale)
{
    const auto take = [&info](uint32_t height, uint32_t width) {
        if (info.scaleHeight == 0 || info.scaleWidth == 0) {
            info.scaleHeight = height;
            info.scaleWidth = width;
        }
    };
    for (const ShapeInfo& of : {scale, offset}) {
        if (of.shapeDim == 2) {
            take(of.shape[0], of.shape[1]);
        }
    }
    take(info.offsetHeight, info.offsetWidth);
}

// Groups of rows with a value per column, or, transposed, of columns with a value per row.
template <typename D, typename S, bool isTranspose, bool hasOffset>
HOSTCANN_API void AntiChannels(const LocalTensor<D>& dst, const LocalTensor<S>& src, const LocalTensor<D>& offset,
                               const LocalTensor<D>& scale, const LocalTensor<uint8_t>& tmp, uint32_t k,
                               AntiQuantShapeInfo info)
{
    static_assert(IsOneOf<D, half, bfloat16_t> && IsOneOf<S, int8_t, int4b_t>,
                  "AscendAntiQuant: int8_t or int4b_t to half or bfloat16_t");
    const uint32_t total = src.GetSize();
    const uint32_t other = k == 0 ? 0 : total / k;
    AntiScaleShape(info, offset.GetShapeInfo(), scale.GetShapeInfo());
    if (hasOffset && !isTranspose && (info.scaleHeight == 0 || info.scaleWidth == 0)) {
        // The device takes the columns from the source's size and reads no shape.
        info.scaleHeight = 1;
        info.scaleWidth = other;
    }
    const uint32_t groups = isTranspose ? info.scaleWidth : info.scaleHeight;
    const uint32_t across = isTranspose ? info.scaleHeight : info.scaleWidth;
    if (groups == 0 || k % groups != 0 || across != other) {
        aic_misuse("AscendAntiQuant", "shapeInfo", "the scales do not fit the source",
                   isTranspose ? "scaleHeight the rows of src, scaleWidth a divisor of k" :
                                 "scaleWidth the columns of src, scaleHeight a divisor of k",
                   across != other ? across : groups, "give shapeInfo, or set the shape of the scale tensor");
    }
    const uint32_t values = groups * across;
    const uint32_t documented = isTranspose ? 320 * values : 8 * values + 256 * k;
    AdvCall("AscendAntiQuant", Used(dst, total), Used(src, total), Used(scale, values), tmp, AntiTmp<D>(documented));
    const uint32_t group = k / groups;
    if constexpr (isTranspose) {
        // The scalar unit reads the values.
        Handover<HardEvent::V_S>();
        for (uint32_t i = 0; i < values; ++i) {
            const uint32_t at = i * group;
            const AntiNumber<D> by{AntiValue(scale.GetValue(i)), true};
            if constexpr (hasOffset) {
                AntiStretch(dst[at], src[at], tmp, group, AntiNumber<D>{AntiValue(offset.GetValue(i)), false}, by);
            } else {
                AntiStretch(dst[at], src[at], tmp, group, AntiNothing(), by);
            }
        }
    } else {
        for (uint32_t row = 0; row < k; ++row) {
            const uint32_t at = row * other;
            const AntiColumns<D> by{scale[row / group * other], true};
            if constexpr (hasOffset) {
                AntiStretch(dst[at], src[at], tmp, other, AntiColumns<D>{offset[row / group * other], false}, by);
            } else {
                AntiStretch(dst[at], src[at], tmp, other, AntiNothing(), by);
            }
        }
    }
}

template <typename D, typename S, typename Offset>
HOSTCANN_API void AntiTensor(const LocalTensor<D>& dst, const LocalTensor<S>& src, const Offset& offset, const D& scale,
                             const LocalTensor<uint8_t>& tmp)
{
    static_assert(IsOneOf<D, half, bfloat16_t> && IsOneOf<S, int8_t, int4b_t>,
                  "AscendAntiQuant: int8_t or int4b_t to half or bfloat16_t");
    const uint32_t total = src.GetSize();
    AdvCall("AscendAntiQuant", Used(dst, total), Used(src, total), {}, tmp, AntiTmp<D>(1024));
    AntiStretch(dst, src, tmp, total, offset, AntiNumber<D>{AntiValue(scale), true});
}

} // namespace hostcann
} // namespace AscendC

#endif // HOSTCANN_ASCENDC_KERNEL_ADV_QUANT_H
