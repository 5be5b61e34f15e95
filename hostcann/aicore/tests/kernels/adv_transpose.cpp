// High-level functions that move elements: Transpose with the tiling of its tiling function, TransData.
#include "adv_lib.h"
#include "tiling/tiling_api.h"

namespace {

// sizes: type, the axes that the tiling function gets, bytes of temporary space; a matrix has its axes at the end.
template <typename T>
void TransposeKernel(const Args& args)
{
    const uint32_t type = args.Size(0);
    const int64_t axes[4] = {args.Size(1), args.Size(2), args.Size(3), args.Size(4)};
    const uint32_t n = args.Size(1) * args.Size(2) * args.Size(3) * args.Size(4);
    const ge::Shape shape = type == 7 ? ge::Shape({axes[2], axes[3]}) : ge::Shape({axes[0], axes[1], axes[2], axes[3]});
    uint32_t most = 0;
    uint32_t least = 0;
    GetTransposeMaxMinTmpSize(shape, sizeof(T), type, most, least);
    tiling::ConfusionTransposeTiling tiling{};
    GetTransposeTilingInfo(shape, least, sizeof(T), args.Size(5), tiling);
    Ub ub;
    const auto x = ub.In<T>(args, 1, n);
    const auto y = ub.Take<T>(n);
    const auto tmp = ub.Tmp(least);
    ub.Start();
    if constexpr (sizeof(T) == 4) {
        ConfusionTranspose(y, x, tmp, static_cast<TransposeType>(type), tiling);
    } else {
        Transpose(y, x, tmp, static_cast<TransposeType>(type), tiling);
    }
    ub.Out(args, 2, y, n);
}

constexpr TransDataConfig TO_BLOCKS = {DataFormat::NCDHW, DataFormat::NDC1HWC0};
constexpr TransDataConfig FROM_BLOCKS = {DataFormat::NDC1HWC0, DataFormat::NCDHW};
constexpr TransDataConfig TO_FRACTALS = {DataFormat::NCDHW, DataFormat::FRACTAL_Z_3D};
constexpr TransDataConfig FROM_FRACTALS = {DataFormat::FRACTAL_Z_3D, DataFormat::NCDHW};

// sizes: n, c, d, h, w, what the temporary space lacks, what is added to C1.
template <const TransDataConfig& config, typename T>
void TransDataKernel(const Args& args)
{
    const uint32_t n = args.Size(0);
    const uint32_t c = args.Size(1);
    const uint32_t d = args.Size(2);
    const uint32_t h = args.Size(3);
    const uint32_t w = args.Size(4);
    const uint32_t n1 = (n + 15) / 16;
    const uint32_t c1 = (c + 15) / 16 + args.Size(6);
    const hostcann::TransDataShape shape{n, c, d, h * w};
    constexpr bool TO = hostcann::TransDataToBlocks(config);
    constexpr bool FRACTAL = hostcann::TransDataIsFractal(config);
    const auto rows = static_cast<uint32_t>(shape.Rows());
    const auto blocks = static_cast<uint32_t>(shape.Blocks(FRACTAL));
    Ub ub;
    const auto x = ub.In<T>(args, 1, TO ? rows : blocks);
    const auto y = ub.Take<T>(TO ? blocks : rows);
    const auto tmp = ub.Tmp(shape.Tmp(TO, FRACTAL) - args.Size(5));
    ub.Start();
    const auto ncdhw = MakeLayout(MakeShape(n, c, d, h, w), MakeStride());
    const auto fractals = MakeLayout(MakeShape(d, c1, h, w, n1, 16u, 16u), MakeStride());
    const auto images = MakeLayout(MakeShape(n, d, c1, h, w, 16u), MakeStride());
    const auto call = [&](const auto& from, const auto& to) {
        const TransDataParams<std::decay_t<decltype(from)>, std::decay_t<decltype(to)>> params{from, to};
        TransData<config>(y, x, tmp, params);
    };
    if constexpr (FRACTAL && TO) {
        call(ncdhw, fractals);
    } else if constexpr (FRACTAL) {
        call(fractals, ncdhw);
    } else if constexpr (TO) {
        call(ncdhw, images);
    } else {
        call(images, ncdhw);
    }
    ub.Out(args, 2, y, TO ? blocks : rows);
}

} // namespace

KERNEL(transpose_u16) { TransposeKernel<uint16_t>(args); }
KERNEL(transpose_u32) { TransposeKernel<uint32_t>(args); }
KERNEL(to_blocks) { TransDataKernel<TO_BLOCKS, half>(args); }
KERNEL(from_blocks) { TransDataKernel<FROM_BLOCKS, uint16_t>(args); }
KERNEL(to_fractals) { TransDataKernel<TO_FRACTALS, bfloat16_t>(args); }
KERNEL(from_fractals) { TransDataKernel<FROM_FRACTALS, int16_t>(args); }
