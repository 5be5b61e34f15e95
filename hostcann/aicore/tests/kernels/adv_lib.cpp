// High-level functions made of basic instructions: reductions over a pattern, sorting, shapes, normalization. A kernel
// takes its sizes from args[0] and its tensors from the rest; the temporary space holds exactly what is asked for.
#include "adv_lib.h"

#include "adv_api/pad/pad.h"
#include "adv_api/reduce/reduce.h"
#include "adv_api/reduce/reduce_xor_sum.h"
#include "adv_api/sort/topk.h"

namespace {

// sizes: rows, columns, bytes of temporary space. in: rows of whole blocks; out.
template <typename T, bool isAR, typename Compute>
void Reduce(const Args& args, const Compute& compute)
{
    Ub ub;
    const uint32_t shape[2] = {args.Size(0), args.Size(1)};
    const uint32_t pitch = Whole<T>(shape[1]);
    const uint32_t results = isAR ? shape[0] : shape[1];
    const LocalTensor<T> x = ub.In<T>(args, 1, shape[0] * pitch);
    const LocalTensor<T> y = ub.Take<T>(results);
    const LocalTensor<uint8_t> tmp = ub.Tmp(args.Size(2));
    ub.Start();
    compute(y, x, tmp, shape);
    ub.Out(args, 2, y, results);
}

} // namespace

#define REDUCE(name, T, Function, pattern, reuse)                                                                 \
    extern "C" void name(void* const* args)                                                                       \
    {                                                                                                             \
        Reduce<T, std::is_same<Pattern::Reduce::pattern, Pattern::Reduce::AR>::value>(                            \
            Args{args},                                                                                           \
            [](const LocalTensor<T>& y, const LocalTensor<T>& x, const LocalTensor<uint8_t>& tmp,                 \
               const uint32_t* shape) { Function<T, Pattern::Reduce::pattern, reuse>(y, x, tmp, shape, true); }); \
    }
#define REDUCE_ALL(name, T, Function)              \
    REDUCE(name##_ar, T, Function, AR, false)      \
    REDUCE(name##_ra, T, Function, RA, false)      \
    REDUCE(name##_ar_reuse, T, Function, AR, true) \
    REDUCE(name##_ra_reuse, T, Function, RA, true)

REDUCE_ALL(sum, float, ReduceSum)
REDUCE_ALL(mean, float, ReduceMean)
REDUCE_ALL(prod, float, ReduceProd)
REDUCE_ALL(max_f32, float, ReduceMax)
REDUCE_ALL(max_f16, half, ReduceMax)
REDUCE_ALL(min_f32, float, ReduceMin)
REDUCE_ALL(any_f32, float, ReduceAny)
REDUCE_ALL(any_u8, uint8_t, ReduceAny)
REDUCE_ALL(all_u8, uint8_t, ReduceAll)

KERNEL(sum_of_stack)
{
    Ub ub;
    const uint32_t shape[2] = {args.Size(0), args.Size(1)};
    const LocalTensor<float> x = ub.In<float>(args, 1, shape[0] * Whole<float>(shape[1]));
    const LocalTensor<float> y = ub.Take<float>(shape[0]);
    ub.Start();
    ReduceSum<float, Pattern::Reduce::AR>(y, x, shape, true);
    ub.Out(args, 2, y, shape[0]);
}

// sizes: elements, bytes of temporary space.
template <bool reuse>
void XorSum(const Args& args)
{
    Ub ub;
    const LocalTensor<int16_t> x = ub.In<int16_t>(args, 1, args.Size(0));
    const LocalTensor<int16_t> y = ub.In<int16_t>(args, 2, args.Size(0));
    LocalTensor<int16_t> z = ub.Take<int16_t>(1);
    LocalTensor<uint8_t> tmp = ub.Tmp(args.Size(1));
    ub.Start();
    ReduceXorSum<int16_t, reuse>(z, x, y, tmp, args.Size(0));
    ub.Out(args, 3, z, 1);
}
KERNEL(xor_sum) { XorSum<false>(args); }
KERNEL(xor_sum_reuse) { XorSum<true>(args); }

// sizes: outter, inner, n, k, whether the largest are wanted. in: values, indices, finished rows.
template <typename T, bool withIndex, bool withFinish, TopKMode mode>
void TopKKernel(const Args& args)
{
    constexpr bool SMALL = mode == TopKMode::TOPK_NSMALL;
    const uint32_t rows = args.Size(0);
    const uint32_t inner = args.Size(1);
    const uint32_t k = args.Size(3);
    const bool isLargest = args.Size(4) != 0;
    const uint32_t values = SMALL ? rows * k : rows * Whole<T>(k);
    const uint32_t indices = SMALL ? rows * k : rows * Whole<int32_t>(k);
    Ub ub;
    const auto x = ub.In<T>(args, 1, rows * inner);
    const auto index = ub.In<int32_t>(args, 2, SMALL ? rows * inner : inner);
    const auto finish = ub.In<uint8_t>(args, 3, rows);
    const auto y = ub.Take<T>(values);
    const auto at = ub.Take<int32_t>(indices);
    const auto tmp = ub.Tmp(hostcann::TopKTmp(inner, rows, withIndex, mode, isLargest));
    Duplicate(y, static_cast<T>(-7), static_cast<int32_t>(values));
    Duplicate(at, -7, static_cast<int32_t>(indices));
    PipeBarrier<PIPE_V>();
    ub.Start();
    TopK<T, withIndex, withFinish, false, mode>(
        y, at, x, index, finish.ReinterpretCast<bool>(), tmp, static_cast<int32_t>(k), TopkTiling(),
        TopKInfo{static_cast<int32_t>(rows), static_cast<int32_t>(inner), static_cast<int32_t>(args.Size(2))},
        isLargest);
    ub.Out(args, 4, y, values);
    ub.Out(args, 5, at, indices);
}
KERNEL(topk_f32) { TopKKernel<float, false, false, TopKMode::TOPK_NORMAL>(args); }
KERNEL(topk_f16) { TopKKernel<half, false, false, TopKMode::TOPK_NORMAL>(args); }
KERNEL(topk_index_f32) { TopKKernel<float, true, true, TopKMode::TOPK_NORMAL>(args); }
KERNEL(topk_small_f32) { TopKKernel<float, false, false, TopKMode::TOPK_NSMALL>(args); }
KERNEL(topk_small_f16) { TopKKernel<half, false, false, TopKMode::TOPK_NSMALL>(args); }
KERNEL(topk_small_index_f32) { TopKKernel<float, true, true, TopKMode::TOPK_NSMALL>(args); }

// sizes: rows, width, columns on the left and on the right, bytes of temporary space.
template <typename T>
void PadKernel(const Args& args)
{
    const uint32_t rows = args.Size(0);
    const uint32_t width = args.Size(1);
    Ub ub;
    const auto x = ub.In<T>(args, 1, rows * width);
    const auto y = ub.Take<T>(rows * Whole<T>(width));
    const auto tmp = ub.Tmp(args.Size(4));
    PadTiling tiling;
    tiling.srcHeight = rows;
    tiling.srcWidth = width;
    PadParams params{static_cast<uint16_t>(args.Size(2)), static_cast<uint16_t>(args.Size(3)), 321};
    ub.Start();
    Pad(y, x, params, tmp, tiling);
    ub.Out(args, 2, y, rows * Whole<T>(width));
}
KERNEL(pad_f16) { PadKernel<half>(args); }
KERNEL(pad_f32) { PadKernel<float>(args); }
KERNEL(pad_i16) { PadKernel<int16_t>(args); }

// sizes: rows, width, columns to take off.
template <typename T>
void UnPadKernel(const Args& args)
{
    const uint32_t rows = args.Size(0);
    const uint32_t width = args.Size(1);
    const uint32_t kept = rows * (width - args.Size(2));
    Ub ub;
    const auto x = ub.In<T>(args, 1, rows * width);
    const auto y = ub.Take<T>(kept);
    UnPadTiling tiling;
    tiling.srcHeight = rows;
    tiling.srcWidth = width;
    UnPadParams params{0, static_cast<uint16_t>(args.Size(2))};
    ub.Start();
    UnPad(y, x, params, tiling);
    ub.Out(args, 2, y, kept);
}
KERNEL(unpad_f32) { UnPadKernel<float>(args); }
KERNEL(unpad_f16) { UnPadKernel<half>(args); }
