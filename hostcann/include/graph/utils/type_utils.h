#ifndef HOSTCANN_GRAPH_UTILS_TYPE_UTILS_H
#define HOSTCANN_GRAPH_UTILS_TYPE_UTILS_H

#include <string>

#include "graph/ascend_string.h"
#include "graph/types.h"

namespace ge {
// Names as the graph engine writes them: "DT_FLOAT", "NCHW".
class TypeUtils {
public:
    static std::string DataTypeToSerialString(const DataType data_type); // "UNDEFINED" for an unknown code
    static DataType SerialStringToDataType(const std::string& str);      // DT_UNDEFINED for an unknown name
    static std::string FormatToSerialString(const Format format);        // "RESERVED" for an unknown code
    static Format SerialStringToFormat(const std::string& str);          // FORMAT_RESERVED for an unknown name
    static Format DataFormatToFormat(const std::string& str);
    // false when the type has no size in whole bytes.
    static bool GetDataTypeLength(const ge::DataType data_type, uint32_t& length);

    static AscendString DataTypeToAscendString(const DataType& data_type);
    static DataType AscendStringToDataType(const AscendString& str);
    static AscendString FormatToAscendString(const Format& format);
    static Format AscendStringToFormat(const AscendString& str);
    static Format DataFormatToFormat(const AscendString& str);
};
} // namespace ge

#endif
