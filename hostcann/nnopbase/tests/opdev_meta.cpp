// The C functions of acl_meta.h.
#include <string>
#include <vector>

#include "aclnn/aclnn_base.h"
#include "aclnn/hostcann_probe.h"
#include "device.h"
#include "rows.h"

namespace {

struct Shown {
    std::vector<int64_t> values;
    int status;
};

template <typename Getter>
Shown Fetch(Getter getter, const aclTensor* tensor)
{
    int64_t* values = nullptr;
    uint64_t count = 0;
    Shown shown;
    shown.status = getter(tensor, &values, &count);
    if (shown.status == 0) {
        shown.values.assign(values, values + count);
        delete[] values;
    }
    return shown;
}

} // namespace

HC_TEST(CreateTensorQuirks)
{
    const int64_t dims[] = {2, 3};
    const int64_t storage[] = {10};
    const int64_t strides[] = {4, 1};
    int data = 0;
    CHECK(aclCreateTensor(nullptr, 1, ACL_FLOAT, nullptr, 0, ACL_FORMAT_ND, storage, 1, &data) == nullptr);
    CHECK(aclCreateTensor(dims, 2, ACL_FLOAT, nullptr, 0, ACL_FORMAT_ND, nullptr, 1, &data) == nullptr);
    const std::vector<int64_t> many(26, 1);
    CHECK(aclCreateTensor(many.data(), 26, ACL_FLOAT, nullptr, 0, ACL_FORMAT_ND, storage, 1, &data) == nullptr);

    aclTensor* plain = aclCreateTensor(dims, 2, ACL_FLOAT, nullptr, 0, ACL_FORMAT_NCHW, storage, 1, &data);
    CHECK((Fetch(aclGetViewShape, plain).values == std::vector<int64_t>{2, 3}));
    CHECK((Fetch(aclGetViewStrides, plain).values == std::vector<int64_t>{3, 1}));
    CHECK((Fetch(aclGetStorageShape, plain).values == std::vector<int64_t>{10}));
    // The gert tensor carries the storage dims in both shapes; only the wrapper knows the view.
    CHECK_EQ(plain->GetOriginalShape().GetDimNum(), 1U);
    CHECK_EQ(plain->GetTensor()->GetStride().GetDimNum(), 0U);
    CHECK_EQ(plain->GetOriginalFormat(), op::Format::FORMAT_NCHW);
    CHECK_EQ(plain->Size(), 10);
    CHECK_EQ(plain->Numel(), 6);
    CHECK_EQ(aclDestroyTensor(plain), 0);

    aclTensor* strided = aclCreateTensor(dims, 2, ACL_BF16, strides, 2, ACL_FORMAT_ND, storage, 1, &data);
    CHECK((Fetch(aclGetViewStrides, strided).values == std::vector<int64_t>{4, 1}));
    int64_t offset = 0;
    CHECK_EQ(aclGetViewOffset(strided, &offset), 0);
    CHECK_EQ(offset, 2);
    CHECK_EQ(strided->GetData(), static_cast<void*>(reinterpret_cast<char*>(&data) + 4));
    aclDataType type = ACL_FLOAT;
    CHECK_EQ(aclGetDataType(strided, &type), 0);
    CHECK_EQ(type, ACL_BF16);
    aclFormat format = ACL_FORMAT_NCHW;
    CHECK_EQ(aclGetFormat(strided, &format), 0);
    CHECK_EQ(format, ACL_FORMAT_ND);
    aclDestroyTensor(strided);

    aclTensor* scalar = aclCreateTensor(nullptr, 0, ACL_FLOAT, nullptr, 0, ACL_FORMAT_ND, nullptr, 0, nullptr);
    CHECK_EQ(scalar->Numel(), 1);
    CHECK(!scalar->IsEmpty());
    aclDestroyTensor(scalar);
}

HC_TEST(NullArguments)
{
    const auto tensor = test::MakeTensor({1}, ACL_FLOAT, nullptr);
    int64_t* values = nullptr;
    uint64_t count = 0;
    int64_t offset = 0;
    void* address = nullptr;
    CHECK_EQ(aclGetViewShape(nullptr, &values, &count), 161001);
    CHECK_EQ(aclGetViewShape(tensor.get(), nullptr, &count), 161001);
    CHECK_EQ(aclGetViewStrides(tensor.get(), &values, nullptr), 161001);
    CHECK_EQ(aclGetStorageShape(nullptr, &values, &count), 161001);
    CHECK_EQ(aclGetViewOffset(nullptr, &offset), 161001);
    CHECK_EQ(aclGetFormat(tensor.get(), nullptr), 161001);
    CHECK_EQ(aclGetDataType(nullptr, nullptr), 161001);
    CHECK_EQ(aclSetRawTensorAddr(nullptr, nullptr), 161001);
    CHECK_EQ(aclGetRawTensorAddr(tensor.get(), nullptr), 161001);
    CHECK_EQ(aclGetRawTensorAddr(tensor.get(), &address), 0);
    CHECK_EQ(aclInitTensor(nullptr, nullptr, 0, ACL_FLOAT, nullptr, 0, ACL_FORMAT_ND, nullptr, 0, nullptr), 161001);
    CHECK_EQ(aclGetIntArraySize(nullptr, &count), 161001);
    CHECK_EQ(aclDestroyTensor(nullptr), 0);
    CHECK_EQ(aclDestroyScalar(nullptr), 0);
    CHECK_EQ(aclDestroyTensorList(nullptr), 0);
    CHECK_EQ(aclDestroyScalarList(nullptr), 0);
    CHECK_EQ(aclDestroyIntArray(nullptr), 0);
    CHECK_EQ(aclSetAclOpExecutorRepeatable(nullptr), 561103);
    (void)test::LastError();
    CHECK_EQ(aclDestroyAclOpExecutor(nullptr), 561103);
    CHECK(test::LastError().find("EZ1011") != std::string::npos);
    CHECK_EQ(aclSetTensorAddr(nullptr, 0, tensor.get(), nullptr), 561103);
    CHECK_EQ(AclSetInputTensorAddr(nullptr, 0, nullptr, nullptr), 561103);
    CHECK_EQ(aclnnInit(nullptr), 0);
    CHECK_EQ(aclnnFinalize(), 0);
}

HC_TEST(ArraysCopyListsOwn)
{
    const size_t before = hc_live_tensors();
    int64_t ints[] = {4, 5};
    aclIntArray* array = aclCreateIntArray(ints, 2);
    ints[0] = 9;
    uint64_t size = 0;
    CHECK_EQ(aclGetIntArraySize(array, &size), 0);
    CHECK_EQ(size, 2U);
    CHECK_EQ((*array)[0], 4);
    CHECK_EQ(std::string(ToString(array).GetString()), "[4, 5]");
    CHECK_EQ(aclDestroyIntArray(array), 0);
    const bool flags[] = {true, false};
    aclBoolArray* bools = aclCreateBoolArray(flags, 2);
    CHECK(bools->GetData()[0] && !bools->GetData()[1]);
    aclDestroyBoolArray(bools);

    const aclTensor* tensors[] = {test::MakeTensor({2}, ACL_FLOAT, nullptr).release(),
                                  test::MakeTensor({3}, ACL_FLOAT, nullptr).release()};
    CHECK_EQ(hc_live_tensors(), before + 2);
    aclTensorList* list = aclCreateTensorList(tensors, 2);
    CHECK_EQ(aclGetTensorListSize(list, &size), 0);
    CHECK_EQ(size, 2U);
    CHECK_EQ((*list)[1]->Numel(), 3);
    CHECK_EQ(aclDestroyTensorList(list), 0);
    CHECK_EQ(hc_live_tensors(), before);
}

HC_TEST(InitTensorReplacesEverything)
{
    const auto tensor = test::MakeTensor({2}, ACL_FLOAT, nullptr);
    const int64_t dims[] = {3, 2};
    const int64_t strides[] = {1, 3};
    int data = 0;
    CHECK_EQ(aclInitTensor(tensor.get(), dims, 2, ACL_INT16, strides, 1, ACL_FORMAT_ND, dims, 2, &data), 0);
    CHECK_EQ(tensor->GetDataType(), op::DataType::DT_INT16);
    CHECK_EQ(tensor->GetViewStrides()[1], 3);
    CHECK_EQ(tensor->GetViewOffset(), 1);
    CHECK_EQ(tensor->GetStorageAddr(), static_cast<void*>(&data));
}

HC_TEST(DescriptionsOfObjects)
{
    CHECK_EQ(std::string(ToString(static_cast<const aclTensor*>(nullptr)).GetString()), "nullptr");
    const auto tensor = test::MakeTensor({2, 3}, ACL_FLOAT, nullptr, {1, 2}, 0, {6});
    const std::string text = ToString(tensor.get()).GetString();
    for (const char* part : {"[2, 3]", "[1, 2]", "[6]", "DT_FLOAT"}) {
        CHECK(text.find(part) != std::string::npos);
    }
}
