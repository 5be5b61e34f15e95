// ADD_TO_LAUNCHER_LIST_AICORE, INFER_SHAPE and the contexts their functions see.
#include <atomic>
#include <cstring>
#include <vector>

#include "hostcann/l0_functions.h"
#include "device.h"
#include "exe_graph/runtime/infer_shape_context.h"
#include "exe_graph/runtime/tiling_context.h"
#include "exe_graph/runtime/tiling_parse_context.h"
#include "gtest/gtest.h"
#include "opdev/aicpu/aicpu_task.h"
#include "opdev/op_dfx.h"
#include "opdev/platform.h"
#include "recorder.h"
#include "register/op_impl_registry.h"

namespace {

struct ProbeTiling {
    uint32_t inputs;
    uint32_t forgotten;
    int64_t elements;
    int64_t stride;
    int64_t mode;
    float factor;
};

struct ProbeCompileInfo {
    uint32_t cores{0};
};

std::atomic<int> g_parses{0};
std::atomic<bool> g_failTiling{false};
std::atomic<bool> g_needAtomic{false};
std::atomic<uint32_t> g_blockDim{3};
enum class Forget { kNothing, kWorkspace, kKey };
std::atomic<Forget> g_forget{Forget::kNothing};

uint32_t ParseProbe(gert::TilingParseContext* context)
{
    ++g_parses;
    auto* info = context->GetCompiledInfo<ProbeCompileInfo>();
    if (info == nullptr || context->GetPlatformInfo() == nullptr) {
        return ge::GRAPH_FAILED;
    }
    info->cores = op::GetCurrentPlatformInfo().GetVectorCoreNum();
    return ge::GRAPH_SUCCESS;
}

uint32_t TileProbe(gert::TilingContext* context)
{
    const auto* info = context->GetCompileInfo<ProbeCompileInfo>();
    if (g_failTiling || info == nullptr || info->cores == 0) {
        return ge::GRAPH_FAILED;
    }
    auto* tiling = context->GetTilingData<ProbeTiling>();
    if (tiling == nullptr) {
        return ge::GRAPH_FAILED;
    }
    tiling->inputs = static_cast<uint32_t>(context->GetComputeNodeInputNum());
    tiling->elements = context->GetInputShape(0)->GetStorageShape().GetShapeSize();
    const gert::Stride* stride = context->GetInputStride(0);
    tiling->stride = stride != nullptr && stride->GetDimNum() > 0 ? stride->GetStride(0) : -1;
    const gert::RuntimeAttrs* attrs = context->GetAttrs();
    tiling->factor = attrs->GetFloat(0) != nullptr ? *attrs->GetFloat(0) : -1.0F;
    tiling->mode = attrs->GetInt(1) != nullptr ? *attrs->GetInt(1) : -1;
    if (g_needAtomic) {
        (void)context->SetNeedAtomic(true);
    }
    context->SetTilingKey(g_forget == Forget::kKey ? tiling->forgotten : 7);
    context->SetBlockDim(g_blockDim);
    size_t* workspaces = context->GetWorkspaceSizes(1);
    if (g_forget != Forget::kWorkspace) {
        workspaces[0] = 1024;
    }
    return ge::GRAPH_SUCCESS;
}

ge::graphStatus InferProbe(gert::InferShapeContext* context)
{
    const gert::Shape* in = context->GetInputShape(0);
    gert::Shape* out = context->GetOutputShape(0);
    if (in == nullptr || out == nullptr || in->GetDimNum() == 0) {
        return ge::GRAPH_FAILED;
    }
    *out = *in;
    out->AppendDim(2);
    return ge::GRAPH_SUCCESS;
}

} // namespace

IMPL_OP_OPTILING(HostcannProbe).Tiling(TileProbe).TilingParse<ProbeCompileInfo>(ParseProbe);
IMPL_OP_INFERSHAPE(HostcannProbe).InferShape(InferProbe);

namespace l0op {

OP_TYPE_REGISTER(HostcannProbe);
OP_TYPE_REGISTER(HostcannUnknown);

static aclnnStatus Probe(const aclTensor* x1, const aclTensor* x2, aclTensor* y, float factor, int mode,
                         aclOpExecutor* executor)
{
    L0_DFX(Probe, x1, x2, y, factor, mode);
    return ADD_TO_LAUNCHER_LIST_AICORE(HostcannProbe, OP_INPUT(x1, x2), OP_OUTPUT(y), OP_ATTR(factor, mode));
}

} // namespace l0op

namespace {

ProbeTiling TilingOf(const KernelNode& node)
{
    ProbeTiling tiling = {};
    std::memcpy(&tiling, node.tilingData.data(), std::min(sizeof(tiling), node.tilingData.size()));
    return tiling;
}

} // namespace

TEST(OpdevLaunch, LaunchRunsTilingAtOnce)
{
    ResetRecorder();
    int data = 0;
    auto unique = CREATE_EXECUTOR();
    const auto x = test::MakeTensor({4, 5}, ACL_FLOAT, &data);
    aclTensor* y = unique->AllocTensor(op::Shape({4, 5}), op::DataType::DT_BF16);
    EXPECT_EQ(l0op::Probe(x.get(), nullptr, y, 2.5F, 6, unique.get()), 0);
    EXPECT_EQ(Recorded().kernels.size(), 1U);
    const KernelNode& node = Recorded().kernels[0];
    const ProbeTiling tiling = TilingOf(node);
    EXPECT_EQ(node.tilingData.size(), sizeof(ProbeTiling));
    EXPECT_EQ(tiling.inputs, 1U); // the absent optional input has no instance
    EXPECT_EQ(tiling.elements, 20);
    EXPECT_EQ(tiling.stride, -1);
    EXPECT_EQ(tiling.factor, 2.5F);
    EXPECT_EQ(tiling.mode, 6);
    EXPECT_EQ(tiling.forgotten, 0xA5A5A5A5U); // a field that tiling does not set is never zero by luck
    EXPECT_EQ(node.launch.tiling_key, 7U);
    EXPECT_EQ(node.launch.block_dim, 3U);
    EXPECT_EQ(node.workspaces.size(), 1U);
    EXPECT_EQ(node.workspaces[0], 1024U);
    EXPECT_EQ(node.inputs.size(), 2U);
    EXPECT_EQ(node.inputs[0].present, 1);
    EXPECT_EQ(node.inputs[0].bytes, 80U);
    EXPECT_EQ(node.inputs[1].present, 0);
    EXPECT_EQ(node.outputs[0].bytes, 40U);
    EXPECT_EQ(Recorded().foundInputs[0].dtype, 0);
    EXPECT_EQ(Recorded().foundInputs[1].present, 0);
    EXPECT_EQ(Recorded().foundOutputs[0].dtype, 27);
}

// opbase src/nnopbase/composite_op/aclnn_engine/kernel_arg.cpp passes over attributes that the definition does not
// name.
TEST(OpdevLaunch, AttributesBeyondTheDefinition)
{
    ResetRecorder();
    int data = 0;
    auto unique = CREATE_EXECUTOR();
    const auto x = test::MakeTensor({4}, ACL_FLOAT, &data);
    aclTensor* y = unique->AllocTensor(op::Shape({4}), op::DataType::DT_FLOAT);
    aclOpExecutor* executor = unique.get();
    using l0op::HostcannProbeOpTypeId;
    EXPECT_EQ(ADD_TO_LAUNCHER_LIST_AICORE(HostcannProbe, OP_INPUT(x.get(), nullptr), OP_OUTPUT(y),
                                          OP_ATTR(2.5F, 6, true, std::string("more"))),
              0);
    EXPECT_EQ(TilingOf(Recorded().kernels[0]).factor, 2.5F);
    EXPECT_EQ(TilingOf(Recorded().kernels[0]).mode, 6);
}

TEST(OpdevLaunch, TilingAsksForInitValues)
{
    ResetRecorder();
    int data = 0;
    auto unique = CREATE_EXECUTOR();
    const auto x = test::MakeTensor({4}, ACL_FLOAT, &data);
    aclTensor* y = unique->AllocTensor(op::Shape({4}), op::DataType::DT_FLOAT);
    for (const bool atomic : {false, true}) {
        g_needAtomic = atomic;
        EXPECT_EQ(l0op::Probe(x.get(), x.get(), y, 1.0F, 0, unique.get()), 0);
        EXPECT_EQ(Recorded().kernels.back().launch.need_atomic, atomic ? 1 : 0);
    }
    g_needAtomic = false;
}

TEST(OpdevLaunch, TilingParseRunsOnce)
{
    ResetRecorder();
    int data = 0;
    auto unique = CREATE_EXECUTOR();
    const auto x = test::MakeTensor({4}, ACL_FLOAT, &data);
    for (int i = 0; i < 3; ++i) {
        aclTensor* y = unique->AllocTensor(op::Shape({4}), op::DataType::DT_FLOAT);
        EXPECT_EQ(l0op::Probe(x.get(), x.get(), y, 1.0F, 0, unique.get()), 0);
        EXPECT_EQ(TilingOf(Recorded().kernels.back()).forgotten, 0xA5A5A5A5U);
    }
    EXPECT_EQ(g_parses.load(), 1);
}

TEST(OpdevLaunch, CheckModeRunsTilingOverTwoFills)
{
    ResetRecorder();
    Recorded().checking = 1;
    int data = 0;
    auto unique = CREATE_EXECUTOR();
    const auto x = test::MakeTensor({4}, ACL_FLOAT, &data);
    aclTensor* y = unique->AllocTensor(op::Shape({4}), op::DataType::DT_FLOAT);
    const auto probe = [&] { return l0op::Probe(x.get(), nullptr, y, 1.0F, 0, unique.get()); };
    EXPECT_EQ(probe(), 0);
    const KernelNode& node = Recorded().kernels[0];
    EXPECT_EQ(node.otherData.size(), sizeof(ProbeTiling));
    ProbeTiling other = {};
    std::memcpy(&other, node.otherData.data(), sizeof(other));
    EXPECT_EQ(TilingOf(node).forgotten, 0xA5A5A5A5U);
    EXPECT_EQ(other.forgotten, 0x5A5A5A5AU);
    EXPECT_EQ(other.elements, 4);
    EXPECT_EQ(other.factor, 1.0F);

    (void)test::LastError();
    g_forget = Forget::kWorkspace;
    EXPECT_EQ(probe(), 561002);
    EXPECT_TRUE(test::LastError().find("did not set the size of workspace 0") != std::string::npos);
    g_forget = Forget::kKey;
    EXPECT_EQ(probe(), 561002);
    EXPECT_TRUE(test::LastError().find("the tiling key is 2779096485 in one run") != std::string::npos);
    g_forget = Forget::kNothing;
    EXPECT_EQ(Recorded().kernels.size(), 1U);
    Recorded().checking = 0;
    EXPECT_EQ(probe(), 0);
    EXPECT_TRUE(Recorded().kernels[1].otherData.empty());
}

// §4.5 of the reference: what tiling sees of a user's tensor that was not made contiguous first.
TEST(OpdevLaunch, TilingSeesStorageOfRawTensors)
{
    ResetRecorder();
    int data = 0;
    auto unique = CREATE_EXECUTOR();
    const auto x = test::MakeTensor({2, 3}, ACL_FLOAT, &data, {3, 1}, 4, {100});
    aclTensor* y = unique->AllocTensor(op::Shape({2, 3}), op::DataType::DT_FLOAT);
    EXPECT_EQ(l0op::Probe(x.get(), nullptr, y, 1.0F, 0, unique.get()), 0);
    EXPECT_EQ(TilingOf(Recorded().kernels[0]).elements, 100);
    EXPECT_EQ(Recorded().kernels[0].inputs[0].byte_offset, 16U);
    EXPECT_EQ(Recorded().kernels[0].inputs[0].bytes, 384U);
    EXPECT_EQ(l0op::Probe(l0op::Contiguous(x.get(), unique.get()), nullptr, y, 1.0F, 0, unique.get()), 0);
    EXPECT_EQ(TilingOf(Recorded().kernels[1]).elements, 6);
    EXPECT_EQ(Recorded().kernels[1].inputs[0].byte_offset, 16U);
    EXPECT_EQ(Recorded().kernels[1].inputs[0].bytes, 24U);
}

TEST(OpdevLaunch, TilingSeesStridesOfViews)
{
    ResetRecorder();
    int data = 0;
    auto unique = CREATE_EXECUTOR();
    const auto x = test::MakeTensor({2, 3}, ACL_FLOAT, &data, {9, 1}, 4, {20});
    const aclTensor* view = unique->CreateView(x.get(), x->GetViewShape(), x->GetStorageShape(), x->GetViewStrides(),
                                               x->GetViewOffset());
    aclTensor* y = unique->AllocTensor(op::Shape({2, 3}), op::DataType::DT_FLOAT);
    EXPECT_EQ(l0op::Probe(view, nullptr, y, 1.0F, 0, unique.get()), 0);
    const KernelNode& node = Recorded().kernels[0];
    EXPECT_EQ(TilingOf(node).stride, 9);
    EXPECT_EQ(TilingOf(node).elements, 16);
    EXPECT_EQ(node.inputs[0].byte_offset, 16U);
    EXPECT_EQ(node.inputs[0].bytes, 64U);
}

TEST(OpdevLaunch, LaunchFailures)
{
    ResetRecorder();
    int data = 0;
    auto unique = CREATE_EXECUTOR();
    const auto x = test::MakeTensor({4}, ACL_FLOAT, &data);
    aclTensor* y = unique->AllocTensor(op::Shape({4}), op::DataType::DT_FLOAT);
    Recorded().findStatus = 561003;
    (void)test::LastError();
    EXPECT_EQ(l0op::Probe(x.get(), nullptr, y, 1.0F, 0, unique.get()), 561003);
    EXPECT_TRUE(test::LastError().find("EZ1009") != std::string::npos);
    Recorded().findStatus = 0;
    g_failTiling = true;
    EXPECT_EQ(l0op::Probe(x.get(), nullptr, y, 1.0F, 0, unique.get()), 561002);
    g_failTiling = false;
    EXPECT_TRUE(test::LastError().find("EZ1008") != std::string::npos);
    g_blockDim = 0;
    EXPECT_EQ(l0op::Probe(x.get(), nullptr, y, 1.0F, 0, unique.get()), 561002);
    g_blockDim = 3;
    EXPECT_TRUE(Recorded().kernels.empty());

    aclOpExecutor* executor = unique.get();
    using l0op::HostcannProbeOpTypeId;
    using l0op::HostcannUnknownOpTypeId;
    EXPECT_EQ(ADD_TO_LAUNCHER_LIST_AICORE(HostcannUnknown, OP_INPUT(x.get()), OP_OUTPUT(y)), 561002);
    EXPECT_EQ(ADD_TO_LAUNCHER_LIST_AICORE(HostcannProbe, OP_INPUT(x.get()), OP_OUTPUT(y), OP_ATTR(1.0)), 561000);
    const aclTensor* tensors[] = {y};
    aclTensorList* list = unique->AllocTensorList(tensors, 1);
    EXPECT_EQ(ADD_TO_LAUNCHER_LIST_AICORE(HostcannProbe, OP_INPUT(list, 1), OP_OUTPUT(y)), 561000);
    EXPECT_TRUE(test::LastError().find("input 1: expected an aclTensor or an aclTensorList") != std::string::npos);
    static op::internal::AicpuTaskSpace space("HostcannProbe");
    EXPECT_EQ(ADD_TO_LAUNCHER_LIST_AICPU(HostcannProbe, OP_ATTR_NAMES({"a"}), OP_INPUT(x.get()), OP_OUTPUT(y)), 561000);
    EXPECT_TRUE(test::LastError().find("no package has the AI CPU kernel HostcannProbe") != std::string::npos);
}

TEST(OpdevLaunch, InferShapeSetsOutputs)
{
    int data = 0;
    auto unique = CREATE_EXECUTOR();
    const auto x = test::MakeTensor({4, 5}, ACL_FLOAT, &data);
    aclTensor* y = unique->AllocTensor(op::DataType::DT_FLOAT, op::Format::FORMAT_ND, op::Format::FORMAT_ND);
    using l0op::HostcannProbeOpTypeId;
    using l0op::HostcannUnknownOpTypeId;
    EXPECT_EQ(INFER_SHAPE(HostcannProbe, OP_INPUT(x.get()), OP_OUTPUT(y), OP_EMPTY_ARG), 0);
    EXPECT_TRUE(y->GetViewShape() == op::Shape({4, 5, 2}) && y->GetStorageShape() == op::Shape({4, 5, 2}));
    EXPECT_EQ(y->GetViewStrides()[0], 10);
    // A kernel would read four bytes of a double; no shape does.
    EXPECT_EQ(INFER_SHAPE(HostcannProbe, OP_INPUT(x.get()), OP_OUTPUT(y), OP_ATTR(0.5)), 0);
    const auto scalar = test::MakeTensor({}, ACL_FLOAT, &data);
    (void)test::LastError();
    EXPECT_EQ(INFER_SHAPE(HostcannProbe, OP_INPUT(scalar.get()), OP_OUTPUT(y)), 561001);
    EXPECT_TRUE(test::LastError().find("EZ1014") != std::string::npos);
    EXPECT_EQ(INFER_SHAPE(HostcannUnknown, OP_INPUT(x.get()), OP_OUTPUT(y)), 561001);
}

TEST(OpdevLaunch, OpTypesAreNumberedOnce)
{
    EXPECT_EQ(l0op::HostcannProbeOpTypeId(), op::GenOpTypeId("HostcannProbe"));
    EXPECT_TRUE(l0op::HostcannProbeOpTypeId() != l0op::HostcannUnknownOpTypeId());
    EXPECT_EQ(std::string(op::OpTypeDict::ToString(l0op::HostcannProbeOpTypeId()).GetString()), "HostcannProbe");
    EXPECT_EQ(op::OpTypeDict::ToOpType("NeverRegistered"), op::INVALID_OP_TYPE_ID);
}

TEST(OpdevLaunch, PlatformOfTheModelledSoc)
{
    const op::PlatformInfo& info = op::GetCurrentPlatformInfo();
    EXPECT_TRUE(info.Valid());
    EXPECT_EQ(info.GetBlockSize(), 32);
    const std::string name = info.GetSocLongVersion();
    EXPECT_EQ(name, std::string(hc_soc_name()));
    const bool is93 = name.rfind("Ascend910_93", 0) == 0;
    EXPECT_EQ(info.GetSocVersion(), is93 ? op::SocVersion::ASCEND910_93 : op::SocVersion::ASCEND910B);
    EXPECT_EQ(info.GetCurNpuArch(), NpuArch::DAV_2201);
    EXPECT_TRUE(info.GetVectorCoreNum() > 0);
    EXPECT_TRUE(info.GetPlatformInfos() != nullptr);
    EXPECT_EQ(std::string(op::ToString(op::SocVersion::ASCEND910B).GetString()), "Ascend910B");
}
