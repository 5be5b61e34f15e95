#include "opdev/format_utils.h"

#include "graph/utils/type_utils.h"

namespace op {

bool IsPrivateFormat(Format format)
{
    switch (format) {
        case Format::FORMAT_NC1HWC0:
        case Format::FORMAT_FRACTAL_Z:
        case Format::FORMAT_NDC1HWC0:
        case Format::FORMAT_FRACTAL_Z_3D:
        case Format::FORMAT_FRACTAL_NZ:
        case Format::FORMAT_NC1HWC0_C04:
        case Format::FORMAT_FRACTAL_NZ_C0_16:
        case Format::FORMAT_FRACTAL_NZ_C0_32:
        case Format::FORMAT_FRACTAL_NZ_C0_2:
        case Format::FORMAT_FRACTAL_NZ_C0_4:
        case Format::FORMAT_FRACTAL_NZ_C0_8:
            return true;
        default:
            return false;
    }
}

Format ToFormat(const std::string& formatStr) { return ge::TypeUtils::SerialStringToFormat(formatStr); }

ge::AscendString ToString(Format format)
{
    return ge::AscendString(ge::TypeUtils::FormatToSerialString(format).c_str());
}

aclFormat ToAclFormat(Format format)
{
    switch (format) {
        case Format::FORMAT_NCHW:
        case Format::FORMAT_NHWC:
        case Format::FORMAT_ND:
        case Format::FORMAT_HWCN:
        case Format::FORMAT_NDHWC:
        case Format::FORMAT_NCDHW:
        case Format::FORMAT_NC:
        case Format::FORMAT_NCL:
            return static_cast<aclFormat>(format);
        default:
            return IsPrivateFormat(format) ? static_cast<aclFormat>(format) : aclFormat::ACL_FORMAT_UNDEFINED;
    }
}

} // namespace op
