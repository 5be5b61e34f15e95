#ifndef HOSTCANN_OPDEV_DATA_TYPE_UTILS_H
#define HOSTCANN_OPDEV_DATA_TYPE_UTILS_H

#include <algorithm>
#include <complex>
#include <initializer_list>
#include <string>
#include <vector>

#include "acl/acl_base.h"
#include "graph/types.h"
#include "opdev/common_types.h"

namespace op {

constexpr uint32_t kDataTypeSizeBitOffset = 1000; // TypeSize of sub-byte types is this plus their bits

inline bool CheckType(const DataType dtype, const std::initializer_list<DataType>& valid_types)
{
    return std::find(valid_types.begin(), valid_types.end(), dtype) != valid_types.end();
}

bool IsBasicType(const DataType dtype);
bool IsNumberType(const DataType dtype);
bool IsRealNumberType(const DataType dtype);
bool IsComplexType(const DataType dtype);
bool IsFloatingType(const DataType dtype);
bool IsIntegralType(const DataType dtype);
bool IsIntegralType(const DataType dtype, const bool include_bool);

// False for complex to real, floating to integral, and anything but bool to bool.
bool CanCast(const DataType from, const DataType to);
// DT_UNDEFINED when the pair has no common type.
DataType PromoteType(DataType type_a, DataType type_b);

// 16 for types without a size of their own.
size_t TypeSize(DataType dataType);
// Bytes of `size` elements. Sub-byte types round up, or down with `ceil` (the name is CANN's).
int64_t CalcShapeBytes(int64_t size, DataType dataType, bool ceil = false);

DataType ToDataType(const std::string& dataTypeStr);
ge::AscendString ToString(const std::initializer_list<DataType>& dataTypes);

constexpr DataType ToOpDataType(aclDataType type)
{
    return type == aclDataType::ACL_DT_UNDEFINED ? DataType::DT_UNDEFINED : static_cast<DataType>(type);
}
// ACL_DT_UNDEFINED for types aclDataType does not have.
aclDataType ToAclDataType(DataType type);

} // namespace op
#endif // HOSTCANN_OPDEV_DATA_TYPE_UTILS_H
