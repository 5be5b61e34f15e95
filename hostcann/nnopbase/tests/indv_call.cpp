// The Nnopbase functions that generated interfaces call: what they plan, and what they refuse.
#include <cstring>

#include "gtest/gtest.h"
#include "device.h"
#include "exe_graph/runtime/tiling_context.h"
#include "hostcann/individual_op.h"
#include "recorder.h"
#include "register/op_impl_registry.h"

namespace {
struct SeenTiling {
    int64_t instances; // of input 1
    int64_t rank, elements;
    int64_t hostValue;
    int64_t mode;
    float factor;
    int64_t dims;
};

uint32_t TileSeen(gert::TilingContext* context)
{
    auto* tiling = context->GetTilingData<SeenTiling>();
    const auto* instances = context->GetIrInputInstanceInfo(1);
    tiling->instances = instances == nullptr ? -1 : static_cast<int64_t>(instances->GetInstanceNum());
    const gert::Shape& shape = context->GetInputShape(0)->GetStorageShape();
    tiling->rank = static_cast<int64_t>(shape.GetDimNum());
    tiling->elements = shape.GetShapeSize();
    const gert::Tensor* host = context->GetRequiredInputTensor(2);
    tiling->hostValue = host != nullptr && host->GetDataType() == ge::DT_INT64 ? host->GetData<int64_t>()[1] : -1;
    tiling->mode = *context->GetAttrs()->GetInt(0);
    tiling->factor = *context->GetAttrs()->GetFloat(1);
    tiling->dims = context->GetAttrs()->GetListInt(2)->GetData()[1];
    if (context->GetCompileInfo() != nullptr) {
        return ge::GRAPH_FAILED; // there is no TilingParse
    }
    context->SetBlockDim(1);
    context->GetWorkspaceSizes(1)[0] = 0;
    return ge::GRAPH_SUCCESS;
}

TensorDesc g_inputs[] = {{ge::DT_FLOAT, ge::FORMAT_ND}, {ge::DT_FLOAT, ge::FORMAT_ND}, {ge::DT_INT64, ge::FORMAT_ND}};
TensorDesc g_outputs[] = {{ge::DT_FLOAT, ge::FORMAT_ND}};
SupportInfo g_columns[] = {{g_inputs, 3, g_outputs, 1}};
OpSocSupportInfo g_socs[] = {{g_columns, 1}, {g_columns, 1}};
OpSupportList g_list = {g_socs, 2};
const char* const kSocs[] = {"ascend910b", "ascend910_93"};

struct Call {
    const aclTensor* x;
    aclTensorList* list;
    const aclTensor* out;
    bool ref{false};
    bool contiguous{false};
    uint32_t socs{2};
};

aclnnStatus Launch(const Call& call, uint64_t* workspaceSize, aclOpExecutor** executor)
{
    void* space = nullptr;
    (void)NnopbaseCreateExecutorSpace(&space);
    char inputs[] = {1, 2, 1};
    char outputs[] = {1};
    char attrs[] = {0, 0, 0};
    void* handle = NnopbaseGetExecutor(space, "HostcannSeen", inputs, 3, outputs, 1, attrs, 3);
    *executor = static_cast<aclOpExecutor*>(handle);
    if (call.ref) {
        EXPECT_EQ(NnopbaseSetRef(handle, 0, 0), 0);
    }
    EXPECT_EQ(NnopbaseAddInput(handle, call.x, 0), 0);
    EXPECT_EQ(NnopbaseAddParamName(handle, 0, "x", true), 0);
    EXPECT_EQ(NnopbaseAddDynamicInput(handle, call.list, 1), 0);
    const int64_t values[] = {5, 6};
    aclIntArray* array = aclCreateIntArray(values, 2);
    EXPECT_EQ(NnopbaseAddIntArrayInput(handle, array, 2), 0);
    int64_t mode = 3;
    float factor = 0.5F;
    int64_t dims[] = {7, 8};
    EXPECT_EQ(NnopbaseAddAttrWithDtype(handle, &mode, sizeof(mode), 0, kNnopbaseInt), 0);
    EXPECT_EQ(NnopbaseAddAttrWithDtype(handle, &factor, sizeof(factor), 1, kNnopbaseFloat), 0);
    EXPECT_EQ(NnopbaseAddArrayAttrWithDtype(handle, dims, 2, sizeof(int64_t), 2, kNnopbaseInt), 0);
    EXPECT_EQ(NnopbaseAddOutput(handle, call.out, 0), 0);
    EXPECT_EQ(NnopbaseAddParamName(handle, 0, "out", false), 0);
    EXPECT_EQ(NnopbaseAddSocNameList(handle, &g_list, kSocs, call.socs), 0);
    if (call.contiguous) {
        const aclTensorList* given = nullptr;
        EXPECT_EQ(NnopbaseGetUnContiguousTensors(handle, &given), 0);
        EXPECT_TRUE(given == nullptr);
    }
    const aclnnStatus status = NnopbaseRunForWorkspace(handle, workspaceSize);
    aclDestroyIntArray(array);
    return status;
}

SeenTiling Seen()
{
    SeenTiling tiling = {};
    if (!Recorded().kernels.empty()) {
        std::memcpy(&tiling, Recorded().kernels.back().tilingData.data(), sizeof(tiling));
    }
    return tiling;
}

struct List {
    std::vector<test::TensorPtr> tensors;
    aclTensorList* list;
    explicit List(void* data, std::vector<std::vector<int64_t>> shapes)
    {
        std::vector<const aclTensor*> raw;
        for (const auto& shape : shapes) {
            raw.push_back(test::MakeTensor(shape, ACL_FLOAT, data).release());
        }
        list = aclCreateTensorList(raw.data(), raw.size());
    }
    ~List() { aclDestroyTensorList(list); }
};
} // namespace

IMPL_OP_OPTILING(HostcannSeen).Tiling(TileSeen);

TEST(IndvCall, GeneratedCallShowsTilingWhatWasGiven)
{
    ResetRecorder();
    int data = 0;
    const List list(&data, {{2}, {3, 4}, {5}});
    // The storage is larger than the view and has another rank; its format is one that ND stands for.
    const auto x = test::MakeTensor({2, 3}, ACL_FLOAT, &data, {3, 1}, 4, {100});
    const auto out = test::MakeTensor({2, 3}, ACL_FLOAT, &data);
    uint64_t size = 1;
    aclOpExecutor* executor = nullptr;
    EXPECT_EQ(Launch({x.get(), list.list, out.get()}, &size, &executor), 0);
    EXPECT_EQ(size, 0U);
    const SeenTiling seen = Seen();
    EXPECT_EQ(seen.instances, 3);
    EXPECT_EQ(seen.rank, 2);
    EXPECT_EQ(seen.elements, 6);
    EXPECT_EQ(seen.hostValue, 6);
    EXPECT_EQ(seen.mode, 3);
    EXPECT_EQ(seen.factor, 0.5F);
    EXPECT_EQ(seen.dims, 8);
    const KernelNode& node = Recorded().kernels.at(0);
    EXPECT_EQ(node.inputs.size(), 3U);
    EXPECT_EQ(node.inputs[0].byte_offset, 16U);
    EXPECT_EQ(node.inputs[0].bytes, 24U);
    EXPECT_EQ(node.inputs[1].bytes, (1U + 2U + 3U + 2U + 3U) * 8U);
    EXPECT_EQ(Recorded().foundInputs[1].dtype, 0);
    EXPECT_EQ(aclDestroyAclOpExecutor(executor), 0);
}

TEST(IndvCall, GeneratedCallChecksTypes)
{
    ResetRecorder();
    int data = 0;
    const List list(&data, {{2}});
    const auto x = test::MakeTensor({2}, ACL_FLOAT16, &data);
    const auto out = test::MakeTensor({2}, ACL_FLOAT, &data);
    uint64_t size = 0;
    aclOpExecutor* executor = nullptr;
    (void)test::LastError();
    EXPECT_EQ(Launch({x.get(), list.list, out.get()}, &size, &executor), 161002);
    EXPECT_TRUE(test::LastError().find("got x DT_FLOAT16 ND") != std::string::npos);
    EXPECT_TRUE(Recorded().kernels.empty());
    const auto good = test::MakeTensor({2}, ACL_FLOAT, &data);
    Call call{good.get(), list.list, out.get()};
    call.socs = 0;
    EXPECT_EQ(Launch(call, &size, &executor), 561003);
    EXPECT_TRUE(test::LastError().find("no AddConfig for the SoC") != std::string::npos);
}

TEST(IndvCall, GeneratedCallMakesInputsContiguousWhenTold)
{
    ResetRecorder();
    int data = 0;
    const List list(&data, {{2}});
    const auto x = test::MakeTensor({2, 3}, ACL_FLOAT, &data, {1, 2}, 0, {6});
    const auto out = test::MakeTensor({2, 3}, ACL_FLOAT, &data);
    uint64_t size = 0;
    aclOpExecutor* executor = nullptr;
    (void)test::LastError();
    EXPECT_EQ(Launch({x.get(), list.list, out.get()}, &size, &executor), 561000);
    EXPECT_TRUE(test::LastError().find("AutoContiguous") != std::string::npos);
    Call call{x.get(), list.list, out.get()};
    call.contiguous = true;
    EXPECT_EQ(Launch(call, &size, &executor), 0);
    EXPECT_EQ(Recorded().copies, 1);
    EXPECT_EQ(size, 512U);
    EXPECT_EQ(aclDestroyAclOpExecutor(executor), 0);
    // Outputs are not: the kernel would write the wrong places.
    const auto plain = test::MakeTensor({2, 3}, ACL_FLOAT, &data);
    Call wrong{plain.get(), list.list, x.get()};
    wrong.contiguous = true;
    EXPECT_EQ(Launch(wrong, &size, &executor), 561000);
    EXPECT_TRUE(test::LastError().find("out: expected a contiguous tensor") != std::string::npos);
    // A tensor that is input and output comes in and goes back.
    ResetRecorder();
    Call ref{x.get(), list.list, x.get()};
    ref.ref = true;
    ref.contiguous = true;
    EXPECT_EQ(Launch(ref, &size, &executor), 0);
    EXPECT_EQ(Recorded().copies, 2);
    EXPECT_EQ(Recorded().kernels.at(0).inputs[0].storage, Recorded().kernels.at(0).outputs[0].storage);
    EXPECT_EQ(aclDestroyAclOpExecutor(executor), 0);
}

TEST(IndvCall, GeneratedCallWithoutElementsPlansNothing)
{
    ResetRecorder();
    int data = 0;
    const List list(&data, {{2}});
    const auto x = test::MakeTensor({0, 3}, ACL_FLOAT, &data);
    uint64_t size = 1;
    aclOpExecutor* executor = nullptr;
    EXPECT_EQ(Launch({x.get(), list.list, x.get()}, &size, &executor), 0);
    EXPECT_EQ(size, 0U);
    EXPECT_TRUE(Recorded().kernels.empty());
    EXPECT_EQ(aclDestroyAclOpExecutor(executor), 0);
}

// Its page wants aclSetAclOpExecutorRepeatable before it. opbase (indv_executor.cpp) clears the executor a second time
// and returns 0.
TEST(IndvCall, DestroyingAnExecutorThatHasRunIsNoError)
{
    ResetRecorder();
    int data = 0;
    const List list(&data, {{2}});
    const auto x = test::MakeTensor({0, 3}, ACL_FLOAT, &data);
    uint64_t size = 1;
    aclOpExecutor* executor = nullptr;
    EXPECT_EQ(Launch({x.get(), list.list, x.get()}, &size, &executor), 0);
    EXPECT_EQ(NnopbaseRunWithWorkspace(executor, nullptr, nullptr, 0), 0);
    EXPECT_EQ(NnopbaseRunWithWorkspace(executor, nullptr, nullptr, 0), 561103);
    (void)test::LastError();
    EXPECT_EQ(aclDestroyAclOpExecutor(executor), 0);
    EXPECT_EQ(aclDestroyAclOpExecutor(executor), 0);
    EXPECT_EQ(test::LastError(), "");
    // Another one's at that address is destroyed.
    aclOpExecutor* next = nullptr;
    EXPECT_EQ(Launch({x.get(), list.list, x.get()}, &size, &next), 0);
    EXPECT_EQ(aclDestroyAclOpExecutor(next), 0);
    EXPECT_EQ(aclDestroyAclOpExecutor(next), 561103);
}
