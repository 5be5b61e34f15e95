// Tiling sources for several chips name reductions of chips with register vectors: they compile, and fail on this one.
#include "gtest/gtest.h"
#include "op_common/atvoss/broadcast/broadcast_tiling.h"
#include "op_common/atvoss/reduce/reduce_tiling.h"

namespace {
using namespace Ops::Base;

ASCENDC_TPL_ARGS_DECL(Sum, REDUCE_TPL_KEY_DECL(), ASCENDC_TPL_UINT_DECL(mode, 4, ASCENDC_TPL_UI_RANGE, 1, 0, 4));
ASCENDC_TPL_SEL(ASCENDC_TPL_ARGS_SEL(REDUCE_TPL_KEY_SEL_EMPTY(),
                                     ASCENDC_TPL_UINT_SEL(mode, ASCENDC_TPL_UI_RANGE, 1, 0, 4)));

template <typename T>
struct SumDag {
    using Sum = Bind<Vec::ReduceSumOp<float>, Bind<Vec::Cast<float, T, 0>, Bind<Vec::CopyIn<T>, Placeholder::In0<T>>>>;
    using Outputs = Elems<Bind<Vec::CopyOut<T>, Placeholder::Out0<T>, Bind<Vec::Cast<T, float, 1>, Sum>>>;
    using OpDag = DAGSch<Outputs, void, MemOptCfg<MemLevel::LEVEL_2>>;
};

TEST(GertReduce, TilingIsForOtherChips)
{
    gert::TilingContext* context = nullptr;
    ReduceOpInputParam input;
    ReduceTilingKey key;
    ReduceOpTilingData data{};
    const ReduceOpCompileInfo info;
    EXPECT_EQ(Tiling4ReduceOp<SumDag<Ops::Base::half>::OpDag>(context, input, key, &info, &data), ge::GRAPH_FAILED);
    EXPECT_EQ(ReduceOpTmpl::GetInputDtype(context, 0, input.inputDtype), ge::GRAPH_FAILED);
    EXPECT_EQ(ReduceOpTmpl::GetInputParam(context, input, 0, 1, 0), ge::GRAPH_FAILED);
    EXPECT_EQ(input.inputDtype, ge::DT_UNDEFINED);
}

TEST(GertReduce, KeysBeginWithThreeBytes)
{
    ReduceTilingKey key;
    uint64_t result = 0;
    GEN_REDUCE_TILING_KEY(result, key, 3U);
    EXPECT_EQ(result, uint64_t{3} << 24);
}
} // namespace
