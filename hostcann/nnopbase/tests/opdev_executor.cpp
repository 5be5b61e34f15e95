// Executors and the two phases, through an API written like an operator's.
#include <unistd.h>

#include <algorithm>
#include <atomic>
#include <cstdio>
#include <string>
#include <thread>
#include <vector>

#include "aclnn/hostcann_probe.h"
#include "hostcann/l0_functions.h"
#include "aclnn_kernels/common/op_error_check.h"
#include "device.h"
#include "gtest/gtest.h"
#include "opdev/op_dfx.h"
#include "recorder.h"

using namespace op;

namespace {

// out = self cast to out's type, by way of the usual steps.
aclnnStatus aclnnConvertGetWorkspaceSize(const aclTensor* self, aclTensor* out, uint64_t* workspaceSize,
                                         aclOpExecutor** executor)
{
    L2_DFX_PHASE_1(aclnnConvert, DFX_IN(self), DFX_OUT(out));
    auto uniqueExecutor = CREATE_EXECUTOR();
    CHECK_RET(uniqueExecutor.get() != nullptr, ACLNN_ERR_INNER_CREATE_EXECUTOR);
    OP_CHECK_NULL(self, return ACLNN_ERR_PARAM_NULLPTR);
    OP_CHECK_NULL(out, return ACLNN_ERR_PARAM_NULLPTR);
    OP_CHECK_SHAPE_NOT_EQUAL(self, out, return ACLNN_ERR_PARAM_INVALID);
    if (!self->IsEmpty()) {
        auto contiguous = l0op::Contiguous(self, uniqueExecutor.get());
        CHECK_RET(contiguous != nullptr, ACLNN_ERR_INNER_NULLPTR);
        auto cast = l0op::Cast(contiguous, out->GetDataType(), uniqueExecutor.get());
        CHECK_RET(cast != nullptr, ACLNN_ERR_INNER_NULLPTR);
        auto copied = l0op::ViewCopy(cast, out, uniqueExecutor.get());
        CHECK_RET(copied != nullptr, ACLNN_ERR_INNER_NULLPTR);
    }
    *workspaceSize = uniqueExecutor->GetWorkspaceSize();
    uniqueExecutor.ReleaseTo(executor);
    return ACLNN_SUCCESS;
}

aclnnStatus aclnnConvert(void* workspace, uint64_t workspaceSize, aclOpExecutor* executor, aclrtStream stream)
{
    L2_DFX_PHASE_2(aclnnConvert);
    return CommonOpExecutorRun(workspace, workspaceSize, executor, stream);
}

struct Call {
    int status{0};
    uint64_t workspaceSize{0};
    aclOpExecutor* executor{nullptr};
};

Call Phase1(const aclTensor* self, aclTensor* out)
{
    Call call;
    call.status = aclnnConvertGetWorkspaceSize(self, out, &call.workspaceSize, &call.executor);
    return call;
}

int Convert(const aclTensor* self, aclTensor* out)
{
    const Call call = Phase1(self, out);
    return call.status != 0 ? call.status : test::Run(call.executor, call.workspaceSize);
}

} // namespace

TEST(OpdevExecutor, Phase1StatusCodes)
{
    ResetRecorder();
    const size_t executors = hc_live_executors();
    const auto a = test::MakeTensor({2, 3}, ACL_INT16, nullptr);
    const auto b = test::MakeTensor({2, 2}, ACL_FLOAT, nullptr);
    uint64_t size = 0;
    aclOpExecutor* executor = nullptr;
    EXPECT_EQ(aclnnConvertGetWorkspaceSize(a.get(), b.get(), nullptr, &executor), 161001);
    EXPECT_EQ(aclnnConvertGetWorkspaceSize(a.get(), b.get(), &size, nullptr), 161001);
    (void)test::LastError();
    EXPECT_EQ(Phase1(nullptr, b.get()).status, 161001);
    const std::string message = test::LastError();
    for (const char* part : {"EZ1001", "aclnnConvert", "[self]", "aclTensor"}) {
        EXPECT_TRUE(message.find(part) != std::string::npos);
    }
    EXPECT_EQ(Phase1(a.get(), b.get()).status, 161002);
    EXPECT_TRUE(test::LastError().find("[2, 3]") != std::string::npos);
    EXPECT_TRUE(test::LastError().empty());
    // The name of the API is not left behind on the thread.
    EXPECT_TRUE(aclCreateTensor(nullptr, 1, ACL_FLOAT, nullptr, 0, ACL_FORMAT_ND, nullptr, 0, nullptr) == nullptr);
    EXPECT_TRUE(test::LastError().find("aclnnConvert") == std::string::npos);
    // A view outside its storage fails inside Contiguous, so the API reports an inner error.
    const auto outside = test::MakeTensor({2, 3}, ACL_INT16, nullptr, {1, 9}, 0, {6});
    const auto c = test::MakeTensor({2, 3}, ACL_FLOAT, nullptr);
    EXPECT_EQ(Phase1(outside.get(), c.get()).status, 561103);
    EXPECT_EQ(hc_live_executors(), executors);
}

TEST(OpdevExecutor, Phase2StatusCodes)
{
    const size_t executors = hc_live_executors();
    const aclrtStream stream = test::Stream();
    test::Buffer<int16_t> in({1, -2, 3});
    test::Buffer<float> out({0, 0, 0});
    const auto self = test::MakeTensor({3}, ACL_INT16, in.Get());
    const auto result = test::MakeTensor({3}, ACL_FLOAT, out.Get());
    EXPECT_EQ(aclnnConvert(nullptr, 0, nullptr, stream), 161001);

    Call call = Phase1(self.get(), result.get());
    EXPECT_EQ(call.status, 0);
    EXPECT_EQ(call.workspaceSize, 0U); // the result is written in place
    EXPECT_EQ(std::string(hc_executor_text(call.executor)), "cast int16 to float32, 3 elements");
    EXPECT_EQ(hc_live_executors(), executors + 1);
    EXPECT_EQ(aclnnConvert(nullptr, 64, call.executor, stream), 161001);
    EXPECT_EQ(hc_live_executors(), executors); // destroyed with the error

    call = Phase1(self.get(), result.get());
    EXPECT_EQ(aclnnConvert(nullptr, 0, call.executor, stream), 0);
    (void)test::LastError();
    EXPECT_EQ(aclnnConvert(nullptr, 0, call.executor, stream), 561103); // a second run
    EXPECT_TRUE(test::LastError().find("aclSetAclOpExecutorRepeatable") != std::string::npos);
    EXPECT_EQ(aclDestroyAclOpExecutor(call.executor), 561103);
    EXPECT_EQ(aclrtSynchronizeStream(stream), 0);
    EXPECT_TRUE((out.Values() == std::vector<float>{1, -2, 3}));
    EXPECT_EQ(hc_live_executors(), executors);
}

TEST(OpdevExecutor, WorkspaceTooSmall)
{
    test::Buffer<int16_t> in({1, 2, 3, 4, 5, 6});
    test::Buffer<float> out({0, 0, 0, 0, 0, 0});
    const auto self = test::MakeTensor({2, 3}, ACL_INT16, in.Get(), {1, 2}, 0, {6});
    const auto result = test::MakeTensor({2, 3}, ACL_FLOAT, out.Get());
    const Call call = Phase1(self.get(), result.get());
    EXPECT_EQ(call.workspaceSize, 512U); // the contiguous copy of 12 bytes: (12 + 32) up to 512
    test::DeviceMemory memory(512);
    (void)test::LastError();
    EXPECT_EQ(aclnnConvert(memory.Get(), 100, call.executor, test::Stream()), 161002);
    EXPECT_TRUE(test::LastError().find("512") != std::string::npos);
    const Call again = Phase1(self.get(), result.get());
    EXPECT_EQ(std::string(hc_executor_text(again.executor)), "copy 6 x 2 bytes\ncast int16 to float32, 6 elements");
    EXPECT_EQ(test::Run(again.executor, 4096), 0); // more than needed is fine
    EXPECT_TRUE((out.Values() == std::vector<float>{1, 3, 5, 2, 4, 6}));
}

TEST(OpdevExecutor, TensorsDestroyedBetweenThePhases)
{
    test::Buffer<int16_t> in({1});
    test::Buffer<float> out({0});
    auto self = test::MakeTensor({1}, ACL_INT16, in.Get());
    const auto result = test::MakeTensor({1}, ACL_FLOAT, out.Get());
    Call call = Phase1(self.get(), result.get());
    self.reset();
    EXPECT_EQ(test::Run(call.executor, call.workspaceSize), 561103);
    EXPECT_TRUE(test::LastError().find("destroyed") != std::string::npos);

    // Between phase 2 and the synchronisation it is allowed.
    self = test::MakeTensor({1}, ACL_INT16, in.Get());
    call = Phase1(self.get(), result.get());
    EXPECT_EQ(aclnnConvert(nullptr, 0, call.executor, test::Stream()), 0);
    self.reset();
    EXPECT_EQ(aclrtSynchronizeStream(test::Stream()), 0);
    EXPECT_EQ(out.Values()[0], 1.0F);
}

TEST(OpdevExecutor, EmptyTensorsNeedNothing)
{
    const auto self = test::MakeTensor({0, 3}, ACL_INT16, nullptr);
    const auto result = test::MakeTensor({0, 3}, ACL_FLOAT, nullptr);
    const Call call = Phase1(self.get(), result.get());
    EXPECT_EQ(call.status, 0);
    EXPECT_EQ(call.workspaceSize, 0U);
    EXPECT_EQ(test::Run(call.executor, 0), 0);
}

TEST(OpdevExecutor, StorageLargerThanTheViewAndOffset)
{
    test::Buffer<int16_t> in({9, 9, 1, 2, 3, 9});
    test::Buffer<float> out({-1, -1, -1, -1, -1});
    const auto self = test::MakeTensor({3}, ACL_INT16, in.Get(), {1}, 2, {6});
    const auto result = test::MakeTensor({3}, ACL_FLOAT, out.Get(), {1}, 1, {5});
    EXPECT_EQ(Convert(self.get(), result.get()), 0);
    EXPECT_TRUE((out.Values() == std::vector<float>{-1, 1, 2, 3, -1}));
}

TEST(OpdevExecutor, RepeatableExecutors)
{
    const size_t executors = hc_live_executors();
    test::Buffer<int16_t> firstIn({1, 2});
    test::Buffer<int16_t> secondIn({3, 4});
    test::Buffer<float> firstOut({0, 0});
    test::Buffer<float> secondOut({0, 0});
    const auto self = test::MakeTensor({2}, ACL_INT16, firstIn.Get());
    const auto result = test::MakeTensor({2}, ACL_FLOAT, firstOut.Get());
    const Call call = Phase1(self.get(), result.get());
    EXPECT_EQ(aclSetAclOpExecutorRepeatable(call.executor), 0);
    EXPECT_EQ(test::Run(call.executor, 0), 0);
    EXPECT_TRUE((firstOut.Values() == std::vector<float>{1, 2}));
    EXPECT_EQ(aclSetInputTensorAddr(call.executor, 0, self.get(), secondIn.Get()), 0);
    EXPECT_EQ(AclSetOutputTensorAddr(call.executor, 0, result.get(), secondOut.Get()), 0);
    EXPECT_EQ(test::Run(call.executor, 0), 0);
    EXPECT_TRUE((firstOut.Values() == std::vector<float>{1, 2}));
    EXPECT_TRUE((secondOut.Values() == std::vector<float>{3, 4}));
    EXPECT_EQ(hc_live_executors(), executors + 1);
    EXPECT_EQ(aclDestroyAclOpExecutor(call.executor), 0);
    EXPECT_EQ(hc_live_executors(), executors);

    // A copy of a tensor onto itself cannot be repeated.
    const auto same = test::MakeTensor({2}, ACL_INT16, firstIn.Get());
    const Call copy = Phase1(self.get(), same.get());
    EXPECT_EQ(copy.status, 0);
    const auto alias = test::MakeTensor({2}, ACL_INT16, secondIn.Get());
    const Call self2 = Phase1(self.get(), alias.get()); // self now points to secondIn
    EXPECT_EQ(aclSetAclOpExecutorRepeatable(self2.executor), 561000);
    EXPECT_EQ(test::Run(self2.executor, 0), 0);
    EXPECT_EQ(test::Run(copy.executor, copy.workspaceSize), 0);
}

TEST(OpdevExecutor, DynamicTensorAddresses)
{
    test::Buffer<float> memory({1});
    const aclTensor* tensors[] = {test::MakeTensor({1}, ACL_FLOAT, nullptr).release()};
    aclTensorList* list = aclCreateTensorList(tensors, 1);
    auto unique = CREATE_EXECUTOR();
    EXPECT_EQ(aclSetDynamicInputTensorAddr(unique.get(), 0, 1, list, memory.Get()), 161002);
    EXPECT_EQ(aclSetDynamicInputTensorAddr(unique.get(), 0, 0, list, memory.Get()), 0);
    EXPECT_EQ((*list)[0]->GetStorageAddr(), memory.Get());
    EXPECT_EQ(aclSetDynamicTensorAddr(nullptr, 0, 0, list, memory.Get()), 561103);
    EXPECT_EQ(AclSetDynamicOutputTensorAddr(unique.get(), 0, 0, nullptr, memory.Get()), 561103);
    aclDestroyTensorList(list);
    aclOpExecutor* executor = nullptr;
    unique.ReleaseTo(&executor);
    EXPECT_EQ(aclDestroyAclOpExecutor(executor), 0);
}

TEST(OpdevExecutor, ScalarsBecomeHostTensors)
{
    auto unique = CREATE_EXECUTOR();
    float value = 2.5F;
    aclScalar* scalar = aclCreateScalar(&value, ACL_FLOAT);
    const aclTensor* tensor = unique->ConvertToTensor(scalar, DataType::DT_INT16);
    EXPECT_EQ(tensor->GetViewShape().GetDimNum(), 0U);
    EXPECT_EQ(tensor->GetPlacement(), TensorPlacement::kOnHost);
    EXPECT_EQ(tensor->GetStorageFormat(), Format::FORMAT_ND);
    EXPECT_EQ(*static_cast<int16_t*>(tensor->GetData()), 2);
    EXPECT_EQ(*tensor->GetTensor()->GetData<int16_t>(), 2); // tiling sees the value
    EXPECT_TRUE(unique->ConvertToTensor(scalar, DataType::DT_STRING) == nullptr);
    EXPECT_TRUE(unique->ConvertToTensor(static_cast<const aclScalar*>(nullptr), DataType::DT_FLOAT) == nullptr);
    const int64_t list[] = {3, 4, 5};
    const aclTensor* array = unique->ConvertToTensor(unique->AllocIntArray(list, 3), DataType::DT_INT32);
    EXPECT_EQ(array->GetViewShape().GetDim(0), 3);
    EXPECT_EQ(static_cast<int32_t*>(array->GetData())[2], 5);
    EXPECT_EQ(unique->AllocScalar(op::fp16_t(1.5F))->GetDataType(), DataType::DT_FLOAT);
    EXPECT_EQ(unique->AllocScalar(op::bfloat16(1.5F))->ToFloat(), 1.5F);
    // A host tensor that is copied to the device arrives there.
    test::Buffer<int32_t> out({0, 0, 0});
    const auto result = test::MakeTensor({3}, ACL_INT32, out.Get());
    EXPECT_TRUE(l0op::ViewCopy(array, result.get(), unique.get()) != nullptr);
    const uint64_t size = unique->GetWorkspaceSize();
    aclOpExecutor* executor = nullptr;
    unique.ReleaseTo(&executor);
    EXPECT_EQ(test::Run(executor, size), 0);
    EXPECT_TRUE((out.Values() == std::vector<int32_t>{3, 4, 5}));
    aclDestroyScalar(scalar);
}

TEST(OpdevExecutor, ViewsOfTensors)
{
    int data[10] = {};
    auto unique = CREATE_EXECUTOR();
    const auto tensor = test::MakeTensor({2, 3}, ACL_FLOAT, data, {1, 2}, 4, {10});
    const aclTensor* flat = unique->CreateView(tensor.get(), op::Shape({10}), 0);
    EXPECT_EQ(flat->GetStorage(), tensor->GetStorage());
    EXPECT_EQ(flat->GetOriginalShape().GetDim(0), 10);
    EXPECT_EQ(flat->GetTensor()->GetStride().GetDimNum(), 0U);

    const aclTensor* strided = unique->CreateView(tensor.get(), tensor->GetViewShape(), tensor->GetStorageShape(),
                                                  tensor->GetViewStrides(), tensor->GetViewOffset());
    EXPECT_EQ(strided->GetStorageShape().GetDimNum(), 1U);
    EXPECT_EQ(strided->GetStorageShape().GetDim(0), 6);
    EXPECT_EQ(strided->GetOriginalShape().GetDim(1), 3);
    EXPECT_EQ(strided->GetTensor()->GetStride().GetStride(1), 2);
    EXPECT_EQ(strided->GetTensor()->GetOffset(), 0); // the address has it already
    EXPECT_EQ(strided->GetData(), static_cast<void*>(reinterpret_cast<char*>(data) + 16));
    EXPECT_TRUE(unique->CreateView(tensor.get(), tensor->GetViewShape(), op::Shape({3}), tensor->GetViewStrides(), 4) ==
                nullptr);
    EXPECT_TRUE(unique->CreateView(nullptr, op::Shape({1}), 0) == nullptr);
}

TEST(OpdevExecutor, LeakCounters)
{
    const size_t executors = hc_live_executors();
    const size_t tensors = hc_live_tensors();
    {
        auto unique = CREATE_EXECUTOR();
        unique->AllocTensor(op::Shape({4}), DataType::DT_FLOAT);
        EXPECT_EQ(hc_live_executors(), executors + 1);
        EXPECT_EQ(hc_live_tensors(), tensors + 1);
    }
    EXPECT_EQ(hc_live_executors(), executors);
    EXPECT_EQ(hc_live_tensors(), tensors);
}

TEST(OpdevExecutor, ConcurrentCalls)
{
    const size_t executors = hc_live_executors();
    std::atomic<int> wrong{0};
    std::vector<std::thread> threads;
    for (int16_t t = 0; t < 4; ++t) {
        threads.emplace_back([t, &wrong] {
            for (int16_t round = 0; round < 25; ++round) {
                const int16_t value = static_cast<int16_t>(100 * t + round);
                test::Buffer<int16_t> in({value, 7, static_cast<int16_t>(-value), 7});
                test::Buffer<float> out({0, 0});
                const auto self = test::MakeTensor({2}, ACL_INT16, in.Get(), {2}, 0, {4});
                const auto result = test::MakeTensor({2}, ACL_FLOAT, out.Get());
                const bool right = Convert(self.get(), result.get()) == 0 &&
                                   out.Values() == std::vector<float>{float(value), float(-value)};
                wrong += right ? 0 : 1;
            }
        });
    }
    for (std::thread& thread : threads) {
        thread.join();
    }
    EXPECT_EQ(wrong.load(), 0);
    EXPECT_EQ(hc_live_executors(), executors);
}

// Phase 1 on one thread and phase 2 on another, as torch_npu does.
TEST(OpdevExecutor, PhasesOnDifferentThreads)
{
    test::Buffer<int16_t> in({5});
    test::Buffer<float> out({0});
    const auto self = test::MakeTensor({1}, ACL_INT16, in.Get());
    const auto result = test::MakeTensor({1}, ACL_FLOAT, out.Get());
    const Call call = Phase1(self.get(), result.get());
    int status = -1;
    std::thread([&] { status = test::Run(call.executor, call.workspaceSize); }).join();
    EXPECT_EQ(status, 0);
    EXPECT_EQ(out.Values()[0], 5.0F);
}

namespace {

// What a call writes to the standard error.
template <typename Call>
std::string Printed(const Call& call)
{
    std::FILE* const file = std::tmpfile();
    const int before = dup(STDERR_FILENO);
    dup2(fileno(file), STDERR_FILENO);
    call();
    dup2(before, STDERR_FILENO);
    close(before);
    std::string text(static_cast<size_t>(lseek(fileno(file), 0, SEEK_END)), ' ');
    std::rewind(file);
    text.resize(std::fread(text.data(), 1, text.size(), file));
    std::fclose(file);
    return text;
}

} // namespace

// One line for a refusal: its reason. An executor that is forgotten has no other.
TEST(OpdevExecutor, ARefusalIsOneLine)
{
    test::Buffer<int16_t> in({5});
    test::Buffer<float> out({0, 0});
    const auto self = test::MakeTensor({1}, ACL_INT16, in.Get());
    const auto result = test::MakeTensor({2}, ACL_FLOAT, out.Get());
    const auto lines = [](const std::string& text) { return std::count(text.begin(), text.end(), '\n'); };
    const std::string refused = Printed([&] {
        uint64_t size = 0;
        aclOpExecutor* executor = nullptr;
        EXPECT_EQ(aclnnConvertGetWorkspaceSize(self.get(), result.get(), &size, &executor), ACLNN_ERR_PARAM_INVALID);
    });
    EXPECT_EQ(lines(refused), 1) << refused;
    EXPECT_EQ(refused.find("ReleaseTo"), std::string::npos) << refused;
    const std::string dropped = Printed([] { const auto forgotten = CREATE_EXECUTOR(); });
    EXPECT_EQ(lines(dropped), 1) << dropped;
    EXPECT_NE(dropped.find("returns without ReleaseTo(executor)"), std::string::npos) << dropped;
}
