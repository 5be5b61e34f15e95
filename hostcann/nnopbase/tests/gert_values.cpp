// Value classes: sizes, and the quirks operators meet on a real toolkit.
#include <limits>

#include "base/err_msg.h"
#include "check.h"
#include "exe_graph/runtime/continuous_vector.h"
#include "exe_graph/runtime/tensor.h"
#include "exe_graph/runtime/tiling_context.h"
#include "graph/utils/type_utils.h"
#include "op_common/op_host/util/math_util.h"
#include "securec.h"

namespace {
constexpr int64_t kMin = std::numeric_limits<int64_t>::min();
}

HC_TEST(sizes_are_those_of_the_real_toolkit)
{
    CHECK_EQ(sizeof(gert::Shape), 248U);
    CHECK_EQ(sizeof(gert::Stride), 248U);
    CHECK_EQ(sizeof(gert::StorageShape), 536U);
    CHECK_EQ(sizeof(gert::StorageFormat), 96U);
    CHECK_EQ(sizeof(gert::CompileTimeTensorDesc), 144U);
    CHECK_EQ(sizeof(gert::Tensor), 752U);
    CHECK_EQ(sizeof(gert::TensorV2), 1048U);
    CHECK_EQ(sizeof(gert::ContinuousVector), 64U);
    CHECK_EQ(sizeof(gert::TilingData), 64U);
    CHECK_EQ(sizeof(gert::ComputeNodeInfo), 88U);
    CHECK_EQ(sizeof(KernelRunContext), 48U);
    CHECK_EQ(sizeof(gert::Dim3), 12U);
}

HC_TEST(set_dim_raises_the_count_only_to_the_index)
{
    gert::Shape shape;
    shape.SetDim(0, 7);
    CHECK_EQ(shape.GetDimNum(), 0U);
    CHECK_EQ(shape.GetDim(0), 7);
    shape.SetDim(2, 5);
    CHECK_EQ(shape.GetDimNum(), 2U);
    shape.SetDimNum(3);
    CHECK_EQ(shape.GetShapeSize(), 0);
    shape.SetDim(1, 2);
    CHECK_EQ(shape.GetShapeSize(), 70);
    shape.SetDim(gert::Shape::kMaxDimNum, 1);
    CHECK_EQ(shape.GetDimNum(), 3U);
}

HC_TEST(shape_bounds_and_sizes)
{
    const gert::Shape shape{2, 3};
    CHECK_EQ(shape.GetDim(1), 3);
    CHECK_EQ(shape.GetDim(2), 0);
    CHECK_EQ(shape.GetDim(25), kMin);
    CHECK_EQ(gert::Shape().GetShapeSize(), 1);
    CHECK(gert::Shape().IsScalar());
    CHECK_EQ((gert::Shape{1LL << 62, 2}).GetShapeSize(), kMin);
    CHECK_EQ((gert::Shape{1LL << 62, 2, 0}).GetShapeSize(), kMin);
    gert::Shape full;
    for (int64_t i = 0; i < 30; ++i) {
        (void)full.AppendDim(i);
    }
    CHECK_EQ(full.GetDimNum(), 25U);
    CHECK((gert::Shape{1, 2}) != (gert::Shape{1, 2, 1}));
    gert::Shape scalar{4};
    scalar.SetScalar();
    CHECK(scalar == gert::Shape());
}

HC_TEST(stride_follows_the_shape_rules)
{
    gert::Stride stride{4, 1};
    CHECK_EQ(stride.GetStride(0), 4);
    CHECK_EQ(stride.GetStride(25), kMin);
    stride.SetStride(3, 9);
    CHECK_EQ(stride.GetDimNum(), 3U);
    (void)stride.AppendStride(2);
    CHECK_EQ(stride.GetDimNum(), 4U);
    CHECK_EQ(stride[3], 2);
}

HC_TEST(tensor_data_sits_where_its_placement_says)
{
    float values[6] = {1, 2, 3, 4, 5, 6};
    gert::Tensor tensor({{2, 3}, {2, 3}}, {ge::FORMAT_ND, ge::FORMAT_ND, {}}, gert::kOnHost, ge::DT_FLOAT, values);
    CHECK_EQ(tensor.GetSize(), 24U);
    CHECK_EQ(tensor.GetShapeSize(), 6);
    CHECK_EQ(tensor.GetData<float>()[5], 6.0F);
    CHECK_EQ(tensor.GetVersion(), gert::kTensorV1);

    size_t total = 0;
    const auto buffer = gert::Tensor::CreateFollowing(4, ge::DT_INT32, total);
    CHECK_EQ(total, sizeof(gert::Tensor) + 16U);
    auto* following = reinterpret_cast<gert::Tensor*>(buffer.get());
    CHECK_EQ(static_cast<void*>(following->GetData<int32_t>()),
             static_cast<void*>(buffer.get() + sizeof(gert::Tensor)));

    const auto buffer2 = gert::TensorV2::CreateFollowing(4, ge::DT_INT32, total);
    CHECK_EQ(total, sizeof(gert::TensorV2) + 16U);
    gert::Tensor* base = reinterpret_cast<gert::TensorV2*>(buffer2.get());
    CHECK_EQ(base->GetAddr(), static_cast<void*>(buffer2.get() + sizeof(gert::TensorV2)));
}

HC_TEST(tensor_v2_has_strides_and_offset)
{
    gert::TensorV2 tensor({{2, 3}, {100}}, {ge::FORMAT_ND, ge::FORMAT_ND, {}}, gert::kOnDeviceHbm, ge::DT_BF16, nullptr,
                          nullptr, {1, 2}, 5);
    CHECK_EQ(tensor.GetVersion(), gert::kTensorV2);
    CHECK_EQ(tensor.GetStride().GetStride(1), 2);
    CHECK_EQ(tensor.GetOffset(), 5);
    CHECK_EQ(tensor.GetSize(), 200U);
    CHECK_EQ(tensor.GetOriginShape().GetShapeSize(), 6);
}

HC_TEST(tensor_data_frees_through_its_manager_once)
{
    static int freed = 0;
    freed = 0;
    const auto manager = [](gert::TensorAddress addr, gert::TensorOperateType operate, void** out) {
        if (operate == gert::kGetTensorAddress) {
            *out = addr;
        }
        freed += operate == gert::kFreeTensor ? 1 : 0;
        return ge::GRAPH_SUCCESS;
    };
    int value = 0;
    {
        gert::TensorData first(&value, manager, 4U, gert::kOnHost);
        gert::TensorData second(std::move(first));
        CHECK_EQ(first.GetAddr(), nullptr);
        CHECK_EQ(second.GetAddr(), static_cast<void*>(&value));
    }
    CHECK_EQ(freed, 1);
}

HC_TEST(continuous_vector_refuses_more_than_its_capacity)
{
    const auto buffer = gert::ContinuousVector::Create<int64_t>(3);
    auto* list = reinterpret_cast<gert::TypedContinuousVector<int64_t>*>(buffer.get());
    CHECK_EQ(list->SetSize(3), ge::GRAPH_SUCCESS);
    CHECK_EQ(list->SetSize(4), ge::GRAPH_PARAM_OUT_OF_RANGE);
    CHECK_EQ(list->GetSize(), 3U);
    CHECK_EQ(list->GetCapacity(), 3U);
}

HC_TEST(tiling_data_appends_up_to_its_capacity)
{
    const auto buffer = gert::TilingData::CreateCap(12);
    auto* data = reinterpret_cast<gert::TilingData*>(buffer.get());
    CHECK_EQ(data->Append(int64_t{1}), ge::GRAPH_SUCCESS);
    CHECK_EQ(data->Append(int64_t{2}), ge::GRAPH_FAILED);
    CHECK_EQ(data->GetDataSize(), 8U);
    CHECK(data->Expand(4) != nullptr);
    CHECK(data->Expand(1) == nullptr);
}

HC_TEST(data_types_and_formats)
{
    CHECK_EQ(static_cast<int>(ge::DT_BF16), 27);
    CHECK_EQ(static_cast<int>(ge::DT_MAX), 43);
    CHECK_EQ(static_cast<int>(ge::FORMAT_FRACTAL_NZ), 29);
    CHECK_EQ(static_cast<int>(ge::FORMAT_NCL), 47);
    CHECK_EQ(static_cast<int>(ge::FORMAT_C1HWC0), 49);
    CHECK_EQ(static_cast<int>(ge::FORMAT_FRACTAL_NZ_C0_8), 54);
    CHECK_EQ(ge::GetSizeByDataType(ge::DT_BF16), 2);
    CHECK_EQ(ge::GetSizeByDataType(ge::DT_INT4), 1004);
    CHECK_EQ(ge::GetSizeByDataType(ge::DT_UNDEFINED), -1);
    CHECK_EQ(ge::GetSizeByDataType(static_cast<ge::DataType>(5)), -1);
    CHECK_EQ(ge::GetSizeInBytes(3, ge::DT_INT4), 2);
    CHECK_EQ(ge::GetSizeInBytes(-1, ge::DT_FLOAT), -1);
    CHECK_EQ(ge::GetSizeInBytes(1LL << 62, ge::DT_FLOAT), -1);
    CHECK_EQ(ge::TypeUtils::DataTypeToSerialString(ge::DT_FLOAT), std::string("DT_FLOAT"));
    CHECK_EQ(ge::TypeUtils::DataTypeToSerialString(ge::DT_BF16), std::string("DT_BFLOAT16"));
    CHECK_EQ(ge::TypeUtils::SerialStringToDataType("DT_INT16"), ge::DT_INT16);
    CHECK_EQ(ge::TypeUtils::SerialStringToDataType("int16"), ge::DT_UNDEFINED);
    CHECK_EQ(ge::TypeUtils::FormatToSerialString(ge::FORMAT_ND), std::string("ND"));
    CHECK_EQ(ge::TypeUtils::SerialStringToFormat("NHWC"), ge::FORMAT_NHWC);
    uint32_t length = 0;
    CHECK(ge::TypeUtils::GetDataTypeLength(ge::DT_INT64, length));
    CHECK_EQ(length, 8U);
    CHECK(!ge::TypeUtils::GetDataTypeLength(ge::DT_UNDEFINED, length));
    CHECK_EQ(ge::GRAPH_PARAM_INVALID, 50331649U);
}

HC_TEST(ascend_string)
{
    const ge::AscendString text("abc");
    CHECK_EQ(text.GetLength(), 3U);
    CHECK(text == "abc");
    CHECK(text < ge::AscendString("abd"));
    CHECK_EQ(text.Find(ge::AscendString("c")), 2U);
    CHECK_EQ(std::string(ge::AscendString().GetString()), std::string());
    CHECK_EQ(std::hash<ge::AscendString>()(text), std::hash<ge::AscendString>()(ge::AscendString("abc")));
}

HC_TEST(rounding_helpers)
{
    using namespace Ops::Base;
    CHECK_EQ(CeilDiv(7, 2), 4);
    CHECK_EQ(CeilDiv(8, 2), 4);
    CHECK_EQ(CeilDiv(5, 0), 5);
    CHECK_EQ(CeilDiv(0, 3), 0);
    CHECK_EQ(CeilDiv(-7, 2), -3);
    CHECK_EQ(CeilDiv(-7, -2), 4);
    CHECK_EQ(CeilAlign<uint32_t>(33, 32), 64U);
    CHECK_EQ(CeilAlign(5, 0), 0);
    CHECK_EQ(CeilAlign<uint8_t>(255, 16), 255);
    CHECK_EQ(FloorDiv(7, 0), 7);
    CHECK_EQ(FloorDiv(7, 2), 3);
    CHECK_EQ(FloorAlign(70, 32), 64);
    CHECK_EQ(FloorAlign(70, 0), 0);
    CHECK_EQ(LastPow2(0), 1U);
    CHECK_EQ(LastPow2(100), 64U);
}

HC_TEST(bounded_copies)
{
    char text[4] = "";
    CHECK_EQ(strcpy_s(text, sizeof(text), "abc"), EOK);
    CHECK_EQ(strcpy_s(text, sizeof(text), "abcd"), ERANGE);
    CHECK_EQ(std::string(text), std::string("abc"));
    CHECK_EQ(memset_s(text, sizeof(text), 0, 5), ERANGE);
    CHECK_EQ(memcpy_s(text, sizeof(text), nullptr, 1), EINVAL);
    CHECK_EQ(sprintf_s(text, sizeof(text), "%d", 12), 2);
    CHECK_EQ(sprintf_s(text, sizeof(text), "%d", 12345), -1);
    CHECK_EQ(snprintf_s(text, sizeof(text), 2, "%d", 12), 2);
    CHECK_EQ(snprintf_s(text, sizeof(text), 1, "%d", 12), -1);
    const auto print = [&text](size_t count, const char* format, ...) {
        va_list args;
        va_start(args, format);
        const int written = vsnprintf_s(text, sizeof(text), count, format, args);
        va_end(args);
        return written;
    };
    CHECK_EQ(print(3, "%d", 123), 3);
    CHECK_EQ(print(sizeof(text), "%d", 1234), -1);
}

HC_TEST(error_message_macros_take_the_forms_of_the_toolkit)
{
    CHECK_EQ(REPORT_PREDEFINED_ERR_MSG("EZ9999"), 0);
    CHECK_EQ(REPORT_PREDEFINED_ERR_MSG("EZ9999", {"name"}, {"x1"}), 0);
    REPORT_USER_DEFINED_ERR_MSG("EZ9999", "plain");
    REPORT_USER_DEFINED_ERR_MSG("EZ9999", "%d of %s", 1, "many");
    REPORT_INNER_ERR_MSG("EZ9999", "%d", 1);
}
