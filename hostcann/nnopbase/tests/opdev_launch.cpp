// ADD_TO_LAUNCHER_LIST_AICORE, INFER_SHAPE and the contexts their functions see.
#include <atomic>
#include <cstring>
#include <vector>

#include "aclnn_kernels/contiguous.h"
#include "device.h"
#include "exe_graph/runtime/infer_shape_context.h"
#include "exe_graph/runtime/tiling_context.h"
#include "exe_graph/runtime/tiling_parse_context.h"
#include "rows.h"
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

HC_TEST(LaunchRunsTilingAtOnce)
{
    ResetRecorder();
    int data = 0;
    auto unique = CREATE_EXECUTOR();
    const auto x = test::MakeTensor({4, 5}, ACL_FLOAT, &data);
    aclTensor* y = unique->AllocTensor(op::Shape({4, 5}), op::DataType::DT_BF16);
    CHECK_EQ(l0op::Probe(x.get(), nullptr, y, 2.5F, 6, unique.get()), 0);
    CHECK_EQ(Recorded().kernels.size(), 1U);
    const KernelNode& node = Recorded().kernels[0];
    const ProbeTiling tiling = TilingOf(node);
    CHECK_EQ(node.tilingData.size(), sizeof(ProbeTiling));
    CHECK_EQ(tiling.inputs, 1U); // the absent optional input has no instance
    CHECK_EQ(tiling.elements, 20);
    CHECK_EQ(tiling.stride, -1);
    CHECK_EQ(tiling.factor, 2.5F);
    CHECK_EQ(tiling.mode, 6);
    CHECK_EQ(tiling.forgotten, 0xA5A5A5A5U); // a field that tiling does not set is never zero by luck
    CHECK_EQ(node.launch.tiling_key, 7U);
    CHECK_EQ(node.launch.block_dim, 3U);
    CHECK_EQ(node.workspaces.size(), 1U);
    CHECK_EQ(node.workspaces[0], 1024U);
    CHECK_EQ(node.inputs.size(), 2U);
    CHECK_EQ(node.inputs[0].present, 1);
    CHECK_EQ(node.inputs[0].bytes, 80U);
    CHECK_EQ(node.inputs[1].present, 0);
    CHECK_EQ(node.outputs[0].bytes, 40U);
    CHECK_EQ(Recorded().foundInputs[0].dtype, 0);
    CHECK_EQ(Recorded().foundInputs[1].present, 0);
    CHECK_EQ(Recorded().foundOutputs[0].dtype, 27);
}

// opbase src/nnopbase/composite_op/aclnn_engine/kernel_arg.cpp passes over attributes that the definition does not
// name.
HC_TEST(AttributesBeyondTheDefinition)
{
    ResetRecorder();
    int data = 0;
    auto unique = CREATE_EXECUTOR();
    const auto x = test::MakeTensor({4}, ACL_FLOAT, &data);
    aclTensor* y = unique->AllocTensor(op::Shape({4}), op::DataType::DT_FLOAT);
    aclOpExecutor* executor = unique.get();
    using l0op::HostcannProbeOpTypeId;
    CHECK_EQ(ADD_TO_LAUNCHER_LIST_AICORE(HostcannProbe, OP_INPUT(x.get(), nullptr), OP_OUTPUT(y),
                                         OP_ATTR(2.5F, 6, true, std::string("more"))),
             0);
    CHECK_EQ(TilingOf(Recorded().kernels[0]).factor, 2.5F);
    CHECK_EQ(TilingOf(Recorded().kernels[0]).mode, 6);
}

HC_TEST(TilingParseRunsOnce)
{
    ResetRecorder();
    int data = 0;
    auto unique = CREATE_EXECUTOR();
    const auto x = test::MakeTensor({4}, ACL_FLOAT, &data);
    for (int i = 0; i < 3; ++i) {
        aclTensor* y = unique->AllocTensor(op::Shape({4}), op::DataType::DT_FLOAT);
        CHECK_EQ(l0op::Probe(x.get(), x.get(), y, 1.0F, 0, unique.get()), 0);
        CHECK_EQ(TilingOf(Recorded().kernels.back()).forgotten, 0xA5A5A5A5U);
    }
    CHECK_EQ(g_parses.load(), 1);
}

HC_TEST(CheckModeRunsTilingOverTwoFills)
{
    ResetRecorder();
    Recorded().checking = 1;
    int data = 0;
    auto unique = CREATE_EXECUTOR();
    const auto x = test::MakeTensor({4}, ACL_FLOAT, &data);
    aclTensor* y = unique->AllocTensor(op::Shape({4}), op::DataType::DT_FLOAT);
    const auto probe = [&] { return l0op::Probe(x.get(), nullptr, y, 1.0F, 0, unique.get()); };
    CHECK_EQ(probe(), 0);
    const KernelNode& node = Recorded().kernels[0];
    CHECK_EQ(node.otherData.size(), sizeof(ProbeTiling));
    ProbeTiling other = {};
    std::memcpy(&other, node.otherData.data(), sizeof(other));
    CHECK_EQ(TilingOf(node).forgotten, 0xA5A5A5A5U);
    CHECK_EQ(other.forgotten, 0x5A5A5A5AU);
    CHECK_EQ(other.elements, 4);
    CHECK_EQ(other.factor, 1.0F);

    (void)test::LastError();
    g_forget = Forget::kWorkspace;
    CHECK_EQ(probe(), 561002);
    CHECK(test::LastError().find("did not set the size of workspace 0") != std::string::npos);
    g_forget = Forget::kKey;
    CHECK_EQ(probe(), 561002);
    CHECK(test::LastError().find("the tiling key is 2779096485 in one run") != std::string::npos);
    g_forget = Forget::kNothing;
    CHECK_EQ(Recorded().kernels.size(), 1U);
    Recorded().checking = 0;
    CHECK_EQ(probe(), 0);
    CHECK(Recorded().kernels[1].otherData.empty());
}

// §4.5 of the reference: what tiling sees of a user's tensor that was not made contiguous first.
HC_TEST(TilingSeesStorageOfRawTensors)
{
    ResetRecorder();
    int data = 0;
    auto unique = CREATE_EXECUTOR();
    const auto x = test::MakeTensor({2, 3}, ACL_FLOAT, &data, {3, 1}, 4, {100});
    aclTensor* y = unique->AllocTensor(op::Shape({2, 3}), op::DataType::DT_FLOAT);
    CHECK_EQ(l0op::Probe(x.get(), nullptr, y, 1.0F, 0, unique.get()), 0);
    CHECK_EQ(TilingOf(Recorded().kernels[0]).elements, 100);
    CHECK_EQ(Recorded().kernels[0].inputs[0].byte_offset, 16U);
    CHECK_EQ(Recorded().kernels[0].inputs[0].bytes, 384U);
    CHECK_EQ(l0op::Probe(l0op::Contiguous(x.get(), unique.get()), nullptr, y, 1.0F, 0, unique.get()), 0);
    CHECK_EQ(TilingOf(Recorded().kernels[1]).elements, 6);
    CHECK_EQ(Recorded().kernels[1].inputs[0].byte_offset, 16U);
    CHECK_EQ(Recorded().kernels[1].inputs[0].bytes, 24U);
}

HC_TEST(TilingSeesStridesOfViews)
{
    ResetRecorder();
    int data = 0;
    auto unique = CREATE_EXECUTOR();
    const auto x = test::MakeTensor({2, 3}, ACL_FLOAT, &data, {9, 1}, 4, {20});
    const aclTensor* view = unique->CreateView(x.get(), x->GetViewShape(), x->GetStorageShape(), x->GetViewStrides(),
                                               x->GetViewOffset());
    aclTensor* y = unique->AllocTensor(op::Shape({2, 3}), op::DataType::DT_FLOAT);
    CHECK_EQ(l0op::Probe(view, nullptr, y, 1.0F, 0, unique.get()), 0);
    const KernelNode& node = Recorded().kernels[0];
    CHECK_EQ(TilingOf(node).stride, 9);
    CHECK_EQ(TilingOf(node).elements, 16);
    CHECK_EQ(node.inputs[0].byte_offset, 16U);
    CHECK_EQ(node.inputs[0].bytes, 64U);
}

HC_TEST(LaunchFailures)
{
    ResetRecorder();
    int data = 0;
    auto unique = CREATE_EXECUTOR();
    const auto x = test::MakeTensor({4}, ACL_FLOAT, &data);
    aclTensor* y = unique->AllocTensor(op::Shape({4}), op::DataType::DT_FLOAT);
    Recorded().findStatus = 561003;
    (void)test::LastError();
    CHECK_EQ(l0op::Probe(x.get(), nullptr, y, 1.0F, 0, unique.get()), 561003);
    CHECK(test::LastError().find("EZ1009") != std::string::npos);
    Recorded().findStatus = 0;
    g_failTiling = true;
    CHECK_EQ(l0op::Probe(x.get(), nullptr, y, 1.0F, 0, unique.get()), 561002);
    g_failTiling = false;
    CHECK(test::LastError().find("EZ1008") != std::string::npos);
    g_blockDim = 0;
    CHECK_EQ(l0op::Probe(x.get(), nullptr, y, 1.0F, 0, unique.get()), 561002);
    g_blockDim = 3;
    CHECK(Recorded().kernels.empty());

    aclOpExecutor* executor = unique.get();
    using l0op::HostcannProbeOpTypeId;
    using l0op::HostcannUnknownOpTypeId;
    CHECK_EQ(ADD_TO_LAUNCHER_LIST_AICORE(HostcannUnknown, OP_INPUT(x.get()), OP_OUTPUT(y)), 561002);
    CHECK_EQ(ADD_TO_LAUNCHER_LIST_AICORE(HostcannProbe, OP_INPUT(x.get()), OP_OUTPUT(y), OP_ATTR(1.0)), 561000);
    const aclTensor* tensors[] = {y};
    aclTensorList* list = unique->AllocTensorList(tensors, 1);
    CHECK_EQ(ADD_TO_LAUNCHER_LIST_AICORE(HostcannProbe, OP_INPUT(list, 1), OP_OUTPUT(y)), 561000);
    CHECK(test::LastError().find("input 1: expected an aclTensor or an aclTensorList") != std::string::npos);
    static op::internal::AicpuTaskSpace space("HostcannProbe");
    CHECK_EQ(ADD_TO_LAUNCHER_LIST_AICPU(HostcannProbe, OP_ATTR_NAMES({"a"}), OP_INPUT(x.get()), OP_OUTPUT(y)), 561000);
    CHECK(test::LastError().find("AICPU") != std::string::npos);
}

HC_TEST(InferShapeSetsOutputs)
{
    int data = 0;
    auto unique = CREATE_EXECUTOR();
    const auto x = test::MakeTensor({4, 5}, ACL_FLOAT, &data);
    aclTensor* y = unique->AllocTensor(op::DataType::DT_FLOAT, op::Format::FORMAT_ND, op::Format::FORMAT_ND);
    using l0op::HostcannProbeOpTypeId;
    using l0op::HostcannUnknownOpTypeId;
    CHECK_EQ(INFER_SHAPE(HostcannProbe, OP_INPUT(x.get()), OP_OUTPUT(y), OP_EMPTY_ARG), 0);
    CHECK(y->GetViewShape() == op::Shape({4, 5, 2}) && y->GetStorageShape() == op::Shape({4, 5, 2}));
    CHECK_EQ(y->GetViewStrides()[0], 10);
    const auto scalar = test::MakeTensor({}, ACL_FLOAT, &data);
    (void)test::LastError();
    CHECK_EQ(INFER_SHAPE(HostcannProbe, OP_INPUT(scalar.get()), OP_OUTPUT(y)), 561001);
    CHECK(test::LastError().find("EZ1014") != std::string::npos);
    CHECK_EQ(INFER_SHAPE(HostcannUnknown, OP_INPUT(x.get()), OP_OUTPUT(y)), 561001);
}

HC_TEST(OpTypesAreNumberedOnce)
{
    CHECK_EQ(l0op::HostcannProbeOpTypeId(), op::GenOpTypeId("HostcannProbe"));
    CHECK(l0op::HostcannProbeOpTypeId() != l0op::HostcannUnknownOpTypeId());
    CHECK_EQ(std::string(op::OpTypeDict::ToString(l0op::HostcannProbeOpTypeId()).GetString()), "HostcannProbe");
    CHECK_EQ(op::OpTypeDict::ToOpType("NeverRegistered"), op::INVALID_OP_TYPE_ID);
}

HC_TEST(PlatformOfTheModelledSoc)
{
    const op::PlatformInfo& info = op::GetCurrentPlatformInfo();
    CHECK(info.Valid());
    CHECK_EQ(info.GetBlockSize(), 32);
    const std::string name = info.GetSocLongVersion();
    CHECK_EQ(name, std::string(hc_soc_name()));
    const bool is93 = name.rfind("Ascend910_93", 0) == 0;
    CHECK_EQ(info.GetSocVersion(), is93 ? op::SocVersion::ASCEND910_93 : op::SocVersion::ASCEND910B);
    CHECK_EQ(info.GetCurNpuArch(), NpuArch::DAV_2201);
    CHECK(info.GetVectorCoreNum() > 0);
    CHECK(info.GetPlatformInfos() != nullptr);
    CHECK_EQ(std::string(op::ToString(op::SocVersion::ASCEND910B).GetString()), "Ascend910B");
}
