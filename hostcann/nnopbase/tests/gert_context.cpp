// Contexts made by the public builders, as tiling and infershape functions see them.
#include "base/context_builder/op_infer_datatype_context_builder.h"
#include "base/context_builder/op_infer_shape_context_builder.h"
#include "base/context_builder/op_tiling_context_builder.h"
#include "base/context_builder/op_tiling_parse_context_builder.h"
#include "gtest/gtest.h"
#include "op_common/op_host/infershape_broadcast_util.h"
#include "op_common/op_host/infershape_elewise_util.h"
#include "op_common/op_host/infershape_reduce_util.h"
#include "op_common/op_host/tiling_base_util.h"
#include "op_common/op_host/util/bfloat16.h"
#include "op_common/op_host/util/const_util.h"
#include "op_common/op_host/util/fp16.h"
#include "op_common/op_host/util/shape_util.h"
#include "platform/platform_infos_def.h"
#include "register/tilingdata_base.h"

namespace {
const gert::StorageFormat kNd(ge::FORMAT_ND, ge::FORMAT_ND, {});

gert::Tensor Fp32(const std::initializer_list<int64_t>& dims) { return {{dims, dims}, kNd, ge::DT_FLOAT}; }

struct Node {
    int compile_info = 42;
    fe::PlatFormInfos platform;
    gert::Tensor x1 = Fp32({2, 3});
    gert::TensorV2 y{{{2, 3}, {12}}, kNd, gert::kOnDeviceHbm, ge::DT_FLOAT, nullptr, nullptr, {6, 2}, 1};
    std::unique_ptr<uint8_t[]> workspace = gert::ContinuousVector::Create<size_t>(4);

    // x1 required, x2 optional and absent, y.
    gert::ContextHolder<gert::TilingContext> Build(size_t tiling_data_size)
    {
        gert::OpTilingContextBuilder builder;
        (void)builder.OpType("Fmod").OpName("fmod_1").IONum(2, 1).IOInstanceNum({1, 0}, {1});
        (void)builder.AppendAttr(1.5F).AppendAttr(int64_t{-7}).AppendAttr(true).AppendAttr(ge::AscendString("mode"));
        (void)builder.AppendAttr(std::vector<int64_t>{4, 5}).AppendAttr(std::vector<float>{0.5F});
        (void)builder.AppendAttr(std::vector<std::vector<int64_t>>{{1}, {}, {2, 3, 4}});
        (void)builder.CompileInfo(&compile_info).PlatformInfo(&platform).Deterministic(1).DeterministicLevel(2);
        (void)builder.TilingDataSize(tiling_data_size);
        (void)builder.Workspace(reinterpret_cast<gert::ContinuousVector*>(workspace.get()));
        (void)builder.InputTensors({&x1}).OutputTensors({&y});
        return builder.Build();
    }
};

struct Data {
    int64_t a;
    int64_t b;
};
} // namespace

TEST(GertContext, tiling_context_reads)
{
    Node node;
    auto holder = node.Build(64);
    gert::TilingContext* context = holder.GetContext();
    EXPECT_TRUE(context != nullptr);
    EXPECT_EQ(std::string(context->GetNodeType()), std::string("Fmod"));
    EXPECT_EQ(std::string(context->GetNodeName()), std::string("fmod_1"));
    EXPECT_EQ(context->GetComputeNodeInputNum(), 1U);
    EXPECT_EQ(context->GetComputeNodeOutputNum(), 1U);
    EXPECT_TRUE(context->GetInputShape(0)->GetStorageShape() == (gert::Shape{2, 3}));
    EXPECT_TRUE(context->GetInputShape(1) == nullptr);
    EXPECT_TRUE(context->GetInputTensor(1) == nullptr);
    EXPECT_TRUE(context->GetInputDesc(1) == nullptr);
    EXPECT_TRUE(context->GetOptionalInputShape(1) == nullptr);
    EXPECT_TRUE(context->GetOptionalInputTensor(1) == nullptr);
    EXPECT_TRUE(context->GetOptionalInputDesc(1) == nullptr);
    EXPECT_EQ(context->GetRequiredInputTensor(0), &node.x1);
    EXPECT_EQ(context->GetInputDesc(0)->GetDataType(), ge::DT_FLOAT);
    EXPECT_EQ(context->GetOutputDesc(0)->GetStorageFormat(), ge::FORMAT_ND);
    EXPECT_TRUE(context->GetOutputShape(0)->GetStorageShape() == (gert::Shape{12}));
    EXPECT_TRUE(context->GetOutputShape(1) == nullptr);
    EXPECT_EQ(*context->GetCompileInfo<int>(), 42);
    EXPECT_EQ(context->GetPlatformInfo(), &node.platform);
    EXPECT_EQ(context->GetDeterministic(), 1);
    EXPECT_EQ(context->GetDeterministicLevel(), 2);
    EXPECT_EQ(context->GetIrInputInstanceInfo(1)->GetInstanceNum(), 0U);
    EXPECT_TRUE(context->GetIrInputInstanceInfo(2) == nullptr);
}

TEST(GertContext, tiling_context_views)
{
    Node node;
    auto holder = node.Build(64);
    gert::TilingContext* context = holder.GetContext();
    EXPECT_FALSE(context->InputIsView(0));
    EXPECT_TRUE(context->GetInputStride(0) == nullptr);
    EXPECT_EQ(context->GetInputOffset(0), -1);
    EXPECT_TRUE(context->OutputIsView(0));
    EXPECT_EQ(context->GetOutputStride(0)->GetStride(0), 6);
    EXPECT_EQ(context->GetOutputOffset(0), 1);
    EXPECT_FALSE(context->RequiredInputIsView(0));
    EXPECT_FALSE(context->OptionalInputIsView(1));
}

TEST(GertContext, tiling_context_attributes)
{
    Node node;
    auto holder = node.Build(64);
    const gert::RuntimeAttrs* attrs = holder.GetContext()->GetAttrs();
    EXPECT_EQ(attrs->GetAttrNum(), 7U);
    EXPECT_EQ(*attrs->GetFloat(0), 1.5F);
    EXPECT_EQ(*attrs->GetInt(1), -7);
    EXPECT_EQ(*attrs->GetAttrPointer<int64_t>(1), -7);
    EXPECT_EQ(*attrs->GetBool(2), true);
    EXPECT_EQ(std::string(attrs->GetStr(3)), std::string("mode"));
    EXPECT_EQ(attrs->GetListInt(4)->GetSize(), 2U);
    EXPECT_EQ(attrs->GetListInt(4)->GetData()[1], 5);
    EXPECT_EQ(attrs->GetListFloat(5)->GetData()[0], 0.5F);
    const gert::ContinuousVectorVector* rows = attrs->GetListListInt(6);
    EXPECT_EQ(rows->GetSize(), 3U);
    EXPECT_EQ(rows->Get(1)->GetSize(), 0U);
    EXPECT_EQ(static_cast<const int64_t*>(rows->Get(2)->GetData())[2], 4);
    EXPECT_TRUE(attrs->GetInt(7) == nullptr);
}

TEST(GertContext, tiling_context_writes)
{
    Node node;
    auto holder = node.Build(64);
    gert::TilingContext* context = holder.GetContext();
    EXPECT_EQ(context->SetTilingKey(0xFFFFFFFFFFULL), ge::GRAPH_SUCCESS);
    EXPECT_EQ(context->GetTilingKey(), 0xFFFFFFFFFFULL);
    EXPECT_EQ(context->SetBlockDim(40), ge::GRAPH_SUCCESS);
    EXPECT_EQ(context->GetSimdNumBlocks(), 40U);
    (void)context->SetScheduleMode(1);
    EXPECT_EQ(context->GetScheduleMode(), 1U);
    (void)context->SetLocalMemorySize(1024);
    EXPECT_EQ(context->GetDynUBufSize(), 1024U);
    (void)context->SetNeedAtomic(true);
    EXPECT_TRUE(context->NeedAtomic());
    EXPECT_EQ(context->SetSimtBlockDim({1}), ge::GRAPH_FAILED);

    size_t* sizes = context->GetWorkspaceSizes(2);
    EXPECT_TRUE(sizes != nullptr);
    EXPECT_EQ(context->GetWorkspaceNum(), 2U);
    EXPECT_TRUE(context->GetWorkspaceSizes(5) == nullptr);
}

TEST(GertContext, tiling_data_is_dirty_and_bounded)
{
    Node node;
    auto holder = node.Build(sizeof(Data));
    gert::TilingContext* context = holder.GetContext();
    const auto* raw = static_cast<const uint8_t*>(context->GetRawTilingData()->GetData());
    EXPECT_EQ(raw[0], 0xA5);
    EXPECT_EQ(raw[sizeof(Data) - 1U], 0xA5);
    EXPECT_TRUE(context->GetTilingData<Data>() != nullptr);
    EXPECT_EQ(context->GetRawTilingData()->GetDataSize(), sizeof(Data));
    struct Bigger {
        Data data[2];
    };
    EXPECT_TRUE(context->GetTilingData<Bigger>() == nullptr);
    EXPECT_EQ(context->GetRawTilingData()->GetDataSize(), sizeof(Data));
}

TEST(GertContext, builders_refuse_incomplete_nodes)
{
    Node node;
    gert::OpTilingContextBuilder no_type;
    (void)no_type.OpName("n").IONum(1, 1).CompileInfo(&node.compile_info).PlatformInfo(&node.platform);
    (void)no_type.InputTensors({&node.x1}).OutputTensors({&node.y});
    EXPECT_TRUE(no_type.Build().GetContext() == nullptr);

    gert::OpTilingContextBuilder no_platform;
    (void)no_platform.OpType("T").OpName("n").IONum(1, 1).CompileInfo(&node.compile_info);
    (void)no_platform.InputTensors({&node.x1}).OutputTensors({&node.y});
    EXPECT_TRUE(no_platform.Build().GetContext() == nullptr);

    gert::OpTilingContextBuilder missing_tensor;
    (void)missing_tensor.OpType("T").OpName("n").IONum(2, 1).CompileInfo(&node.compile_info);
    (void)missing_tensor.PlatformInfo(&node.platform).InputTensors({&node.x1}).OutputTensors({&node.y});
    EXPECT_TRUE(missing_tensor.Build().GetContext() == nullptr);
}

TEST(GertContext, tiling_parse_context)
{
    Node node;
    gert::OpTilingParseContextBuilder builder;
    (void)builder.OpType("T").OpName("n").IONum(1, 1).CompiledJson("{}").CompiledInfo(&node.compile_info);
    auto holder = builder.PlatformInfo(&node.platform).Build();
    EXPECT_EQ(holder.GetContext()->GetCompiledInfo<int>(), &node.compile_info);
    EXPECT_EQ(holder.GetContext()->GetPlatformInfo(), &node.platform);
    EXPECT_EQ(std::string(holder.GetContext()->GetCompiledJson()), std::string("{}"));
}

TEST(GertContext, infer_datatype_context)
{
    gert::OpInferDataTypeContextBuilder builder;
    (void)builder.OpType("T").OpName("n").IONum(2, 1).IOInstanceNum({1, 0}, {1});
    (void)builder.InputTensorDesc(0, ge::DT_BF16, ge::FORMAT_ND, ge::FORMAT_ND);
    (void)builder.OutputTensorDesc(0, ge::FORMAT_ND, ge::FORMAT_ND);
    auto holder = builder.Build();
    gert::InferDataTypeContext* context = holder.GetContext();
    EXPECT_EQ(context->GetInputDataType(0), ge::DT_BF16);
    EXPECT_EQ(context->GetInputDataType(1), ge::DT_UNDEFINED);
    EXPECT_EQ(context->GetOptionalInputDataType(1), ge::DT_UNDEFINED);
    EXPECT_EQ(context->GetOutputDataType(0), ge::DT_UNDEFINED);
    EXPECT_EQ(context->SetOutputDataType(0, ge::DT_FLOAT), ge::GRAPH_SUCCESS);
    EXPECT_EQ(context->GetOutputDataType(0), ge::DT_FLOAT);
    EXPECT_EQ(context->SetOutputDataType(1, ge::DT_FLOAT), ge::GRAPH_FAILED);
}

namespace {
gert::ContextHolder<gert::InferShapeContext> ShapeContext(gert::Tensor& a, gert::Tensor& b)
{
    gert::OpInferShapeContextBuilder builder;
    (void)builder.OpType("T").OpName("n").IONum(2, 1).InputTensors({&a, &b});
    return builder.OutputTensorDesc(0, ge::DT_FLOAT, ge::FORMAT_ND, ge::FORMAT_ND).Build();
}
constexpr int64_t kError = -99;

int64_t BroadcastOf(int64_t a, int64_t b)
{
    const gert::Shape left{a};
    const gert::Shape right{b};
    gert::Shape out;
    return Ops::Base::BroadcastShape(&left, &right, &out) ? out.GetDim(0) : kError;
}
} // namespace

TEST(GertContext, broadcast_of_one_dim)
{
    const int64_t dims[] = {-1, 0, 1, 5};
    const int64_t table[4][4] = {{-1, 0, -1, 5}, {0, 0, 0, kError}, {-1, 0, 1, 5}, {5, kError, 5, 5}};
    for (size_t a = 0; a < 4; ++a) {
        for (size_t b = 0; b < 4; ++b) {
            EXPECT_EQ(BroadcastOf(dims[a], dims[b]), table[a][b]);
        }
    }
    EXPECT_EQ(BroadcastOf(5, 6), kError);
}

TEST(GertContext, broadcast_of_shapes)
{
    gert::Tensor a = Fp32({4, 1, 3});
    gert::Tensor b = Fp32({5, 1});
    auto holder = ShapeContext(a, b);
    EXPECT_EQ(Ops::Base::InferShape4Broadcast(holder.GetContext()), ge::GRAPH_SUCCESS);
    EXPECT_TRUE(*holder.GetContext()->GetOutputShape(0) == (gert::Shape{4, 5, 3}));
    auto swapped = ShapeContext(b, a);
    EXPECT_EQ(Ops::Base::InferShape4Broadcast(swapped.GetContext(), 2), ge::GRAPH_SUCCESS);
    EXPECT_TRUE(*swapped.GetContext()->GetOutputShape(0) == (gert::Shape{4, 5, 3}));

    gert::Tensor unknown = Fp32({-2});
    auto of_unknown = ShapeContext(a, unknown);
    EXPECT_EQ(Ops::Base::InferShape4Broadcast(of_unknown.GetContext()), ge::GRAPH_SUCCESS);
    EXPECT_TRUE(Ops::Base::IsUnknownRank(*of_unknown.GetContext()->GetOutputShape(0)));

    gert::Tensor wrong = Fp32({2, 2});
    auto failing = ShapeContext(a, wrong);
    EXPECT_EQ(Ops::Base::InferShape4Broadcast(failing.GetContext()), ge::GRAPH_FAILED);
    auto elewise = ShapeContext(a, b);
    EXPECT_EQ(Ops::Base::InferShape4Elewise(elewise.GetContext()), ge::GRAPH_SUCCESS);
    EXPECT_TRUE(*elewise.GetContext()->GetOutputShape(0) == (gert::Shape{4, 1, 3}));
}

namespace {
// The shape after a reduction of x over host axes.
template <typename T>
gert::Shape ReducedShape(gert::Tensor& x, std::vector<T> axes, ge::DataType dtype, bool keep, ge::graphStatus wanted)
{
    const int64_t count = static_cast<int64_t>(axes.size());
    gert::Tensor list({{count}, {count}}, kNd, gert::kOnHost, dtype, axes.data());
    gert::OpInferShapeContextBuilder builder;
    (void)builder.OpType("Reduce").OpName("reduce").IONum(2, 1).IOInstanceNum({1, 1}, {1}).AppendAttr(keep);
    (void)builder.InputTensors({&x, &list});
    auto holder = builder.Build();
    EXPECT_EQ(Ops::Base::InferShape4Reduce(holder.GetContext()), wanted);
    return *holder.GetContext()->GetOutputShape(0);
}
} // namespace

// opbase op_host/infershape_reduce_util.h
TEST(GertContext, reduce_of_shapes)
{
    gert::Tensor x = Fp32({4, 5, 3});
    EXPECT_TRUE(ReducedShape<int64_t>(x, {1}, ge::DT_INT64, true, ge::GRAPH_SUCCESS) == (gert::Shape{4, 1, 3}));
    EXPECT_TRUE(ReducedShape<int32_t>(x, {-1, 0}, ge::DT_INT32, false, ge::GRAPH_SUCCESS) == gert::Shape{5});
    EXPECT_TRUE(ReducedShape<int32_t>(x, {}, ge::DT_INT32, false, ge::GRAPH_SUCCESS) == (gert::Shape{4, 5, 3}));
    (void)ReducedShape<int64_t>(x, {3}, ge::DT_INT64, true, ge::GRAPH_FAILED);
    (void)ReducedShape<int16_t>(x, {0}, ge::DT_INT16, true, ge::GRAPH_FAILED);
    gert::Tensor unknown = Fp32({-2});
    EXPECT_TRUE(Ops::Base::IsUnknownRank(ReducedShape<int64_t>(unknown, {0}, ge::DT_INT64, false, ge::GRAPH_SUCCESS)));
}

TEST(GertContext, half_of_the_host)
{
    using Ops::Base::fp16_t;
    EXPECT_EQ(fp16_t(1.5F).val, 0x3E00);
    EXPECT_EQ(fp16_t(uint16_t{0x3E00}).toFloat(), 1.5F); // bits
    fp16_t assigned;
    assigned = uint16_t{3}; // a number
    EXPECT_EQ(assigned.val, 0x4200);
    EXPECT_EQ((fp16_t(1.5F) + fp16_t(2)).val, 0x4300);
    EXPECT_EQ((fp16_t(60000.0F) * fp16_t(2)).IsInf(), 1);
    EXPECT_EQ(fp16_t(-1e9).IsInf(), -1);
    EXPECT_EQ(fp16_t(2.5F).toInt32(), 2); // to even
    EXPECT_EQ(fp16_t(-3.0F).toUInt8(), 0);
    EXPECT_EQ(fp16_t(300.0F).toInt8(), 127);
    EXPECT_TRUE(fp16_t(1) < fp16_t(2) && fp16_t(0.0F) == fp16_t(-0.0F));
    EXPECT_EQ(static_cast<float>(Ops::Base::bfloat16(3.14159F)), 3.140625F);
}

TEST(GertContext, const_inputs_and_scalars)
{
    int32_t values[2] = {7, 9};
    gert::Tensor a({{2}, {2}}, kNd, gert::kOnHost, ge::DT_INT32, values);
    gert::Tensor b = Fp32({2});
    auto holder = ShapeContext(a, b);
    int64_t first = 0;
    EXPECT_TRUE(Ops::Base::GetConstInt(holder.GetContext(), 0, first));
    EXPECT_EQ(first, 7);
    gert::Shape shape;
    EXPECT_TRUE(Ops::Base::GetConstIntToShape(holder.GetContext(), 0, shape));
    EXPECT_TRUE(shape == (gert::Shape{7, 9}));
    EXPECT_TRUE(Ops::Base::GetValueToShape<int32_t>(&a, shape) && shape == (gert::Shape{7, 9}));
    EXPECT_TRUE(!Ops::Base::GetValueToShape<float>(&b, shape) && shape == (gert::Shape{7, 9}));
    EXPECT_TRUE(!Ops::Base::GetConstInt(holder.GetContext(), 1, first));
    EXPECT_TRUE(Ops::Base::EnsureNotScalar(gert::Shape()) == gert::Shape{1});
}

namespace {
using namespace optiling;
BEGIN_TILING_DATA_DEF(InnerData)
TILING_DATA_FIELD_DEF(int32_t, small)
END_TILING_DATA_DEF
BEGIN_TILING_DATA_DEF(OuterData)
TILING_DATA_FIELD_DEF(uint8_t, flag)
TILING_DATA_FIELD_DEF(int64_t, wide)
TILING_DATA_FIELD_DEF_ARR(int16_t, 3, list)
TILING_DATA_FIELD_DEF_STRUCT(InnerData, inner)
END_TILING_DATA_DEF
REGISTER_TILING_DATA_CLASS(GertTestOuter, OuterData)
} // namespace

TEST(GertContext, tiling_data_macro_layout)
{
    OuterData data;
    EXPECT_EQ(data.GetDataSize(), 32U);
    data.set_flag(1);
    data.set_wide(-2);
    int16_t list[3] = {3, 4, 5};
    data.set_list(list);
    data.inner.set_small(6);
    EXPECT_EQ(data.get_wide(), -2);
    EXPECT_EQ(data.get_list()[2], 5);
    uint8_t buffer[32];
    data.SaveToBuffer(buffer, sizeof(buffer));
    EXPECT_EQ(buffer[0], 1);
    EXPECT_EQ(buffer[8], 0xFE);
    EXPECT_EQ(buffer[16], 3);
    EXPECT_EQ(buffer[24], 6);
    EXPECT_EQ(buffer[28], 0);
    EXPECT_EQ(CTilingDataClassFactory::GetInstance().CreateTilingDataInstance("GertTestOuter")->GetDataSize(), 32U);
}
