#ifndef HOSTCANN_OPDEV_FORMAT_UTILS_H
#define HOSTCANN_OPDEV_FORMAT_UTILS_H

#include <algorithm>
#include <string>
#include <vector>

#include "acl/acl_base.h"
#include "opdev/common_types.h"

namespace op {

// Formats whose storage is not laid out like the view: NC1HWC0, FRACTAL_*, ...
bool IsPrivateFormat(Format format);
Format ToFormat(const std::string& formatStr);
ge::AscendString ToString(Format format);

// A format packs: bits 0-7 the primary format, 8-23 the sub format, 24-27 log2(C0) + 1.
inline int32_t GetPrimaryFormat(int32_t format) { return static_cast<int32_t>(static_cast<uint32_t>(format) & 0xFFU); }
inline Format GetPrimaryFormat(Format format) { return static_cast<Format>(static_cast<uint32_t>(format) & 0xFFU); }
inline int32_t GetSubFormat(int32_t format)
{
    return static_cast<int32_t>((static_cast<uint32_t>(format) >> 8U) & 0xFFFFU);
}
inline int32_t GetSubFormat(Format format) { return GetSubFormat(static_cast<int32_t>(format)); }
inline bool HasSubFormat(int32_t format) { return GetSubFormat(format) > 0; }
inline bool HasC0Format(int32_t format) { return ((static_cast<uint32_t>(format) >> 24U) & 0xFU) > 0; }
inline int64_t GetC0Format(int32_t format)
{
    return int64_t{1} << (((static_cast<uint32_t>(format) >> 24U) & 0xFU) - 1U);
}
inline Format GetFormatFromSub(int32_t primaryFormat, int32_t subFormat)
{
    return static_cast<Format>((static_cast<uint32_t>(primaryFormat) & 0xFFU) |
                               ((static_cast<uint32_t>(subFormat) & 0xFFFFU) << 8U));
}

inline Format ToOpFormat(aclFormat format)
{
    return format == aclFormat::ACL_FORMAT_UNDEFINED ? Format::FORMAT_MAX : static_cast<Format>(format);
}
// ACL_FORMAT_UNDEFINED for formats aclFormat does not have.
aclFormat ToAclFormat(Format format);

} // namespace op
#endif // HOSTCANN_OPDEV_FORMAT_UTILS_H
