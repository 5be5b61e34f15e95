// The plain structs a kernel reads its tiling data with, from classes that BEGIN_TILING_DATA_DEF made.
#ifndef HOSTCANN_NNOPBASE_GERT_TILING_STRUCT_SOURCE_H
#define HOSTCANN_NNOPBASE_GERT_TILING_STRUCT_SOURCE_H

#include <string>
#include <vector>

namespace optiling {
// The names that classes are registered under for single tiling keys of the op type: <OpType>_<key>.
std::vector<std::string> TilingDataNamesOfKeys(const std::string& op_type);

// A header with the structs of the classes registered for the op type and for its keys, and HostcannTilingDefault for
// GET_TILING_DATA. Empty text: nothing is registered for the op type. A class that cannot be written is named in error;
// one of a key is left out, it may be another chip's.
std::string TilingStructSource(const std::string& op_type, std::string& error);
} // namespace optiling

#endif
