#include "opdev/data_type_utils.h"

#include <cstdio>

#include "graph/utils/type_utils.h"
#include "hostcann/host_abi.h"
#include "opdev/op_log.h"

namespace op {
namespace {

constexpr int kFirstUnlistedType = static_cast<int>(DataType::DT_MAX);

bool IsSmallFloat(DataType dtype) { return dtype >= DataType::DT_HIFLOAT8 && dtype <= DataType::DT_FLOAT4_E1M2; }

bool IsQuantized(DataType dtype) { return dtype >= DataType::DT_QINT8 && dtype <= DataType::DT_QUINT16; }

bool IsPlainReal(DataType dtype) { return IsFloatingType(dtype) || IsIntegralType(dtype); }

} // namespace

bool IsComplexType(const DataType dtype)
{
    return dtype == DataType::DT_COMPLEX32 || dtype == DataType::DT_COMPLEX64 || dtype == DataType::DT_COMPLEX128;
}

bool IsFloatingType(const DataType dtype)
{
    return dtype == DataType::DT_DOUBLE || dtype == DataType::DT_FLOAT || dtype == DataType::DT_BF16 ||
           dtype == DataType::DT_FLOAT16 || IsSmallFloat(dtype);
}

bool IsIntegralType(const DataType dtype)
{
    switch (dtype) {
        case DataType::DT_INT8:
        case DataType::DT_INT16:
        case DataType::DT_INT32:
        case DataType::DT_INT64:
        case DataType::DT_UINT8:
        case DataType::DT_UINT16:
        case DataType::DT_UINT32:
        case DataType::DT_UINT64:
            return true;
        default:
            return false;
    }
}

bool IsIntegralType(const DataType dtype, const bool include_bool)
{
    return IsIntegralType(dtype) || (include_bool && dtype == DataType::DT_BOOL);
}

bool IsBasicType(const DataType dtype)
{
    return (IsPlainReal(dtype) && !IsSmallFloat(dtype)) || dtype == DataType::DT_COMPLEX64 ||
           dtype == DataType::DT_COMPLEX128 || IsQuantized(dtype);
}

bool IsNumberType(const DataType dtype)
{
    return IsPlainReal(dtype) || dtype == DataType::DT_COMPLEX64 || dtype == DataType::DT_COMPLEX128 ||
           dtype == DataType::DT_QINT8 || dtype == DataType::DT_QUINT8 || dtype == DataType::DT_QINT32;
}

bool IsRealNumberType(const DataType dtype) { return IsPlainReal(dtype); }

bool CanCast(const DataType from, const DataType to)
{
    return hc_can_cast(static_cast<int32_t>(from), static_cast<int32_t>(to)) != 0;
}

DataType PromoteType(DataType type_a, DataType type_b)
{
    const int a = static_cast<int>(type_a);
    const int b = static_cast<int>(type_b);
    if (a < 0 || b < 0 || a >= kFirstUnlistedType || b >= kFirstUnlistedType) {
        return DataType::DT_UNDEFINED;
    }
    return static_cast<DataType>(hc_promote_type(a, b));
}

size_t TypeSize(DataType dataType)
{
    constexpr size_t kWithoutSize = sizeof(std::complex<double>);
    const int code = static_cast<int>(dataType);
    const int64_t size = code < 0 || code >= kFirstUnlistedType ? -1 : ge::GetSizeByDataType(dataType);
    return size > 0 ? static_cast<size_t>(size) : kWithoutSize;
}

int64_t CalcShapeBytes(int64_t size, DataType dataType, bool ceil)
{
    const size_t typeSize = TypeSize(dataType);
    const bool subByte = typeSize > kDataTypeSizeBitOffset;
    int64_t product = 0;
    const int64_t unit = static_cast<int64_t>(subByte ? typeSize - kDataTypeSizeBitOffset : typeSize);
    if (__builtin_mul_overflow(unit, size, &product)) {
        OP_LOGW("%lld elements of %s exceed 64 bits of bytes", static_cast<long long>(size),
                ToString(dataType).GetString());
    }
    if (!subByte) {
        return product;
    }
    return (ceil ? product : product + 7) / 8;
}

DataType ToDataType(const std::string& dataTypeStr) { return ge::TypeUtils::SerialStringToDataType(dataTypeStr); }

ge::AscendString ToString(DataType dataType)
{
    return ge::AscendString(ge::TypeUtils::DataTypeToSerialString(dataType).c_str());
}

ge::AscendString ToString(const std::initializer_list<DataType>& dataTypes)
{
    std::string text = "[";
    for (const DataType type : dataTypes) {
        text += (text.size() > 1 ? "," : "") + std::string(ToString(type).GetString());
    }
    return ge::AscendString((text + "]").c_str());
}

aclDataType ToAclDataType(DataType type)
{
    switch (type) {
        case DataType::DT_STRING:
        case DataType::DT_BOOL:
        case DataType::DT_INT4:
        case DataType::DT_UINT1:
            return static_cast<aclDataType>(type);
        default:
            return IsPlainReal(type) || IsComplexType(type) ? static_cast<aclDataType>(type) :
                                                              aclDataType::ACL_DT_UNDEFINED;
    }
}

} // namespace op

ge::AscendString ToString(aclDataType dataType) { return op::ToString(op::ToOpDataType(dataType)); }
