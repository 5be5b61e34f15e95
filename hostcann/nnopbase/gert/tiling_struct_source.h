// The plain structs a kernel reads its tiling data with, from classes that BEGIN_TILING_DATA_DEF made.
#ifndef HOSTCANN_NNOPBASE_GERT_TILING_STRUCT_SOURCE_H
#define HOSTCANN_NNOPBASE_GERT_TILING_STRUCT_SOURCE_H

#include <string>

namespace optiling {
// A header with the structs of the classes registered for the op type, and HostcannTilingDefault for GET_TILING_DATA.
// Empty text: nothing is registered. A class that cannot be written is named in error.
std::string TilingStructSource(const std::string& op_type, std::string& error);
} // namespace optiling

#endif
