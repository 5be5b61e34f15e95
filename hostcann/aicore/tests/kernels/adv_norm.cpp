// Normalizations. A kernel takes its sizes from args[0], then tensors in, then tensors out; the temporary space holds
// one row.
#include "adv_lib.h"

#include "adv_api/normalization/batchnorm.h"
#include "adv_api/normalization/deepnorm.h"
#include "adv_api/normalization/groupnorm.h"
#include "adv_api/normalization/layernorm.h"
#include "adv_api/normalization/layernormgrad.h"
#include "adv_api/normalization/layernormgradbeta.h"
#include "adv_api/normalization/rmsnorm.h"
#include "adv_api/normalization/welfordfinalize.h"

namespace {
constexpr float EPSILON = 0.0009765625f;

// sizes: rows, columns as they count.
template <typename T>
struct Rows {
    explicit Rows(const Args& args) : rows(args.Size(0)), n(args.Size(1)), columns(Whole<T>(n)), all(rows * columns) {}
    template <typename Tiling>
    Tiling Of() const
    {
        Tiling t;
        t.bLength = 1;
        t.sLength = rows;
        t.hLength = columns;
        t.originalHLength = n;
        return t;
    }
    uint32_t rows;
    uint32_t n;
    uint32_t columns;
    uint32_t all;
};

template <typename T, bool reuse>
void LayerNormKernel(const Args& args)
{
    const Rows<T> s(args);
    Ub ub;
    const auto x = ub.In<T>(args, 1, s.all);
    const auto gamma = ub.In<T>(args, 2, s.columns);
    const auto beta = ub.In<T>(args, 3, s.columns);
    const auto y = reuse ? x : ub.Take<T>(s.all);
    const auto mean = ub.Take<T>(s.rows);
    const auto variance = ub.Take<T>(s.rows);
    const auto tmp = ub.Tmp(hostcann::LayerNormTmp(s.rows, s.columns, sizeof(T), reuse).min);
    LayerNormTiling tiling = s.template Of<LayerNormTiling>();
    ub.Start();
    LayerNorm<T, reuse>(y, mean, variance, x, gamma, beta, tmp, static_cast<T>(EPSILON), tiling);
    ub.Out(args, 4, y, s.all);
    ub.Out(args, 5, mean, s.rows);
    ub.Out(args, 6, variance, s.rows);
}

template <typename U, typename T, const LayerNormConfig& config>
void RstdKernel(const Args& args)
{
    const Rows<T> s(args);
    Ub ub;
    const auto x = ub.In<T>(args, 1, s.all);
    const auto gamma = ub.In<U>(args, 2, s.columns);
    const auto beta = ub.In<U>(args, 3, s.columns);
    const auto y = ub.Take<T>(s.all);
    const auto mean = ub.Take<float>(s.rows);
    const auto rstd = ub.Take<float>(s.rows);
    const auto tmp = ub.Tmp(hostcann::LayerNormRstdTmp(s.rows, s.columns, sizeof(T)).min);
    ub.Start();
    LayerNorm<U, T, false, config>(y, mean, rstd, x, gamma, beta, EPSILON, tmp, LayerNormPara{s.rows, s.n, s.columns},
                                   LayerNormSeparateTiling());
    ub.Out(args, 4, y, s.all);
    ub.Out(args, 5, mean, s.rows);
    ub.Out(args, 6, rstd, s.rows);
}

// in: x, gamma, beta, mean, variance.
template <typename U, typename T>
void NormalizeKernel(const Args& args)
{
    const Rows<T> s(args);
    Ub ub;
    const auto x = ub.In<T>(args, 1, s.all);
    const auto gamma = ub.In<U>(args, 2, s.columns);
    const auto beta = ub.In<U>(args, 3, s.columns);
    const auto mean = ub.In<float>(args, 4, s.rows);
    const auto variance = ub.In<float>(args, 5, s.rows);
    const auto y = ub.Take<T>(s.all);
    const auto rstd = ub.Take<float>(s.rows);
    const auto tmp = ub.Tmp(hostcann::NormalizeTmp(s.rows, s.columns, sizeof(U)).min);
    ub.Start();
    Normalize<U, T>(y, rstd, mean, variance, x, gamma, beta, tmp, EPSILON, NormalizePara{s.rows, s.n, s.columns});
    ub.Out(args, 6, y, s.all);
    ub.Out(args, 7, rstd, s.rows);
}

template <typename T>
void RmsKernel(const Args& args)
{
    const Rows<T> s(args);
    Ub ub;
    const auto x = ub.In<T>(args, 1, s.all);
    const auto gamma = ub.In<T>(args, 2, s.columns);
    const auto y = ub.Take<T>(s.all);
    const auto tmp = ub.Tmp(hostcann::RmsNormTmp(s.rows, s.columns, sizeof(T)).min);
    ub.Start();
    RmsNorm<T>(y, x, gamma, tmp, static_cast<T>(EPSILON), s.template Of<RmsNormTiling>());
    ub.Out(args, 3, y, s.all);
}

// in: x, gx, gamma, beta; alpha is 1.5.
template <typename T>
void DeepKernel(const Args& args)
{
    const Rows<T> s(args);
    Ub ub;
    const auto x = ub.In<T>(args, 1, s.all);
    const auto gx = ub.In<T>(args, 2, s.all);
    const auto gamma = ub.In<T>(args, 3, s.columns);
    const auto beta = ub.In<T>(args, 4, s.columns);
    const auto y = ub.Take<T>(s.all);
    const auto mean = ub.Take<T>(s.rows);
    const auto rstd = ub.Take<T>(s.rows);
    const auto tmp = ub.Tmp(hostcann::LayerNormTmp(s.rows, s.columns, sizeof(T), false).min);
    DeepNormTiling tiling = s.template Of<DeepNormTiling>();
    ub.Start();
    DeepNorm<T>(y, mean, rstd, x, gx, beta, gamma, tmp, static_cast<T>(1.5), static_cast<T>(EPSILON), tiling);
    ub.Out(args, 5, y, s.all);
    ub.Out(args, 6, mean, s.rows);
    ub.Out(args, 7, rstd, s.rows);
}

// in: dy, x, variance, mean, gamma.
template <typename T, bool reuse>
void GradKernel(const Args& args)
{
    const Rows<T> s(args);
    Ub ub;
    const auto dy = ub.In<T>(args, 1, s.all);
    const auto x = ub.In<T>(args, 2, s.all);
    const auto variance = ub.In<T>(args, 3, s.rows);
    const auto mean = ub.In<T>(args, 4, s.rows);
    const auto gamma = ub.In<T>(args, 5, s.columns);
    const auto pdX = reuse ? x : ub.Take<T>(s.all);
    const auto res = ub.Take<T>(s.all);
    auto tmp = ub.Tmp(hostcann::LayerNormGradTmp(s.rows, s.columns, sizeof(T), reuse).min);
    LayerNormGradTiling tiling = s.template Of<LayerNormGradTiling>();
    ub.Start();
    LayerNormGrad<T, reuse>(pdX, res, dy, x, variance, mean, gamma, tmp, static_cast<T>(EPSILON), tiling,
                            {DataFormat::ND});
    ub.Out(args, 6, pdX, s.all);
    ub.Out(args, 7, res, s.all);
}

// in: resForGamma, dy; `over`: gamma lies over resForGamma.
template <typename T, bool over>
void GradBetaKernel(const Args& args)
{
    const Rows<T> s(args);
    Ub ub;
    const auto res = ub.In<T>(args, 1, s.all);
    const auto dy = ub.In<T>(args, 2, s.all);
    const auto gamma = over ? res : ub.Take<T>(s.columns);
    const auto beta = ub.Take<T>(s.columns);
    const auto tmp = ub.Tmp(hostcann::LayerNormGradBetaTmp(s.rows, s.columns, sizeof(T)).min);
    LayerNormGradBetaTiling tiling = s.template Of<LayerNormGradBetaTiling>();
    ub.Start();
    LayerNormGradBeta<T>(gamma, beta, res, dy, tmp, tiling);
    ub.Out(args, 3, gamma, s.columns);
    ub.Out(args, 4, beta, s.columns);
}

// sizes: batches, features, more bytes of temporary space. in: x, gamma, beta.
template <typename T>
void BatchKernel(const Args& args)
{
    const uint32_t batches = args.Size(0);
    const uint32_t features = args.Size(1);
    Ub ub;
    const auto x = ub.In<T>(args, 1, batches * features);
    const auto gamma = ub.In<T>(args, 2, batches);
    const auto beta = ub.In<T>(args, 3, batches);
    const auto y = ub.Take<T>(batches * features);
    const auto mean = ub.Take<T>(features);
    const auto variance = ub.Take<T>(features);
    const auto tmp = ub.Tmp(hostcann::BatchNormTmp(batches, features, sizeof(T), false).min + args.Size(2));
    BatchNormTiling tiling;
    tiling.originalBLength = batches;
    tiling.meanVarSize = features;
    ub.Start();
    BatchNorm<T>(y, mean, variance, x, gamma, beta, tmp, static_cast<T>(EPSILON), tiling);
    ub.Out(args, 4, y, batches * features);
    ub.Out(args, 5, mean, features);
    ub.Out(args, 6, variance, features);
}

// sizes: n, c, hw, groups. in: x with channels in whole blocks, gamma, beta.
template <typename T, bool reuse>
void GroupKernel(const Args& args)
{
    GroupNormTiling t;
    t.n = args.Size(0);
    t.c = args.Size(1);
    t.hw = args.Size(2);
    t.g = args.Size(3);
    t.d = t.c / t.g;
    t.hwAlignSize = Whole<T>(t.hw);
    const uint32_t all = t.n * t.c * t.hwAlignSize;
    Ub ub;
    const auto x = ub.In<T>(args, 1, all);
    const auto gamma = ub.In<T>(args, 2, t.c);
    const auto beta = ub.In<T>(args, 3, t.c);
    const auto y = reuse ? x : ub.Take<T>(all);
    const auto mean = ub.Take<T>(t.n * t.g);
    const auto variance = ub.Take<T>(t.n * t.g);
    const auto tmp = ub.Tmp(hostcann::GroupNormTmp(t.n, t.c, t.hw, t.g, sizeof(T), reuse).min);
    ub.Start();
    GroupNorm<T, reuse>(y, mean, variance, x, gamma, beta, tmp, static_cast<T>(EPSILON), t);
    ub.Out(args, 4, y, all);
    ub.Out(args, 5, mean, t.n * t.g);
    ub.Out(args, 6, variance, t.n * t.g);
}

constexpr WelfordUpdateConfig IN_PLACE = {true};
// sizes: elements, elements to calculate. in: mean, variance, x; nRec is 0.125.
template <typename T, bool reuse>
void UpdateKernel(const Args& args)
{
    const uint32_t all = args.Size(0);
    Ub ub;
    const auto mean = ub.In<float>(args, 1, all);
    const auto variance = ub.In<float>(args, 2, all);
    const auto x = ub.In<T>(args, 3, all);
    const auto outMean = ub.Take<float>(all);
    const auto outVariance = ub.Take<float>(all);
    const auto tmp = ub.Tmp(hostcann::WelfordUpdateTmp(all, sizeof(T), reuse).min);
    ub.Start();
    WelfordUpdate<T, float, reuse, IN_PLACE>(outMean, outVariance, mean, variance, x, tmp,
                                             WelfordUpdateParam{1, all, args.Size(1), 0.125f});
    ub.Out(args, 4, outMean, all);
    ub.Out(args, 5, outVariance, all);
}

// sizes: elements, length of the head, rnLength, headCount, tailCount, all elements of the row. in: mean, variance,
// counts.
template <bool withCounts>
void FinalizeKernel(const Args& args)
{
    const uint32_t all = args.Size(0);
    const uint32_t head = args.Size(1);
    const WelfordFinalizePara para{args.Size(2),
                                   all,
                                   args.Size(3),
                                   head,
                                   args.Size(4),
                                   all - head,
                                   1.0f / static_cast<float>(all),
                                   1.0f / static_cast<float>(args.Size(5)),
                                   0};
    Ub ub;
    const auto mean = ub.In<float>(args, 1, all);
    const auto variance = ub.In<float>(args, 2, all);
    const auto counts = ub.In<int32_t>(args, 3, all);
    const auto outMean = ub.Take<float>(1);
    const auto outVariance = ub.Take<float>(1);
    const auto tmp = ub.Tmp(hostcann::WelfordFinalizeTmp(all).min);
    ub.Start();
    if (withCounts) {
        WelfordFinalize(outMean, outVariance, mean, variance, counts, tmp, para);
    } else {
        WelfordFinalize(outMean, outVariance, mean, variance, tmp, para);
    }
    ub.Out(args, 4, outMean, 1);
    ub.Out(args, 5, outVariance, 1);
}
} // namespace

#define NORM(name, ...) \
    KERNEL(name) { __VA_ARGS__(args); }
NORM(layernorm_f32, LayerNormKernel<float, false>)
NORM(layernorm_reuse_f32, LayerNormKernel<float, true>)
NORM(layernorm_f16, LayerNormKernel<half, false>)
NORM(rstd_f32, RstdKernel<float, float, LNCFG_NORM>)
NORM(rstd_f16, RstdKernel<half, half, LNCFG_NORM>)
NORM(rstd_mixed, RstdKernel<float, half, LNCFG_NORM>)
NORM(rstd_no_gamma_f32, RstdKernel<float, float, LNCFG_NOGAMMA>)
NORM(rstd_no_beta_f32, RstdKernel<float, float, LNCFG_NOBETA>)
NORM(normalize_f32, NormalizeKernel<float, float>)
NORM(normalize_f16, NormalizeKernel<half, half>)
NORM(rms_f32, RmsKernel<float>)
NORM(rms_f16, RmsKernel<half>)
NORM(deep_f32, DeepKernel<float>)
NORM(deep_f16, DeepKernel<half>)
NORM(grad_f32, GradKernel<float, false>)
NORM(grad_reuse_f32, GradKernel<float, true>)
NORM(grad_f16, GradKernel<half, false>)
NORM(grad_beta_f32, GradBetaKernel<float, false>)
NORM(grad_beta_over_f32, GradBetaKernel<float, true>)
NORM(grad_beta_f16, GradBetaKernel<half, false>)
NORM(batch_f32, BatchKernel<float>)
NORM(batch_f16, BatchKernel<half>)
NORM(group_f32, GroupKernel<float, false>)
NORM(group_reuse_f32, GroupKernel<float, true>)
NORM(group_f16, GroupKernel<half, false>)
NORM(update_f32, UpdateKernel<float, false>)
NORM(update_reuse_f32, UpdateKernel<float, true>)
NORM(update_f16, UpdateKernel<half, false>)
NORM(finalize, FinalizeKernel<false>)
NORM(finalize_counts, FinalizeKernel<true>)
KERNEL(layernorm_zero_tiling)
{
    Ub ub;
    const auto x = ub.In<float>(args, 1, 8);
    LayerNormTiling tiling;
    LayerNorm<float>(x, x, x, x, x, x, 0.0f, tiling);
}
