// Status codes of graph level functions (metadef graph/error_codes.h).
#ifndef HOSTCANN_GRAPH_ERROR_CODES_H
#define HOSTCANN_GRAPH_ERROR_CODES_H

#include <cstddef>
#include <cstdint>

#ifndef GE_FUNC_VISIBILITY
#define GE_FUNC_VISIBILITY __attribute__((visibility("default")))
#endif
#ifndef GE_FUNC_HOST_VISIBILITY
#define GE_FUNC_HOST_VISIBILITY __attribute__((visibility("default")))
#endif
#ifndef GE_FUNC_DEV_VISIBILITY
#define GE_FUNC_DEV_VISIBILITY __attribute__((visibility("default")))
#endif
#ifndef ATTRIBUTED_DEPRECATED
#define ATTRIBUTED_DEPRECATED(replacement) __attribute__((deprecated("Please use " #replacement " instead.")))
#define ATTRIBUTED_NOT_SUPPORT() __attribute__((deprecated("The method will not be supported in the future.")))
#endif

// torch_npu has copies of ge/ge_api_error_codes.h and graph/ge_error_codes.h, which may come first: the same codes,
// once.
#ifndef INC_EXTERNAL_GE_GE_API_ERROR_CODES_H_
namespace ge {
using Status = uint32_t;
constexpr Status SUCCESS = 0;
constexpr Status FAILED = 0xFFFFFFFF;
} // namespace ge
#endif

#ifndef INC_EXTERNAL_GRAPH_GE_ERROR_CODES_H_
#define INC_EXTERNAL_GRAPH_GE_ERROR_CODES_H_
namespace ge {
using graphStatus = uint32_t;

constexpr graphStatus GRAPH_SUCCESS = 0;
constexpr graphStatus GRAPH_FAILED = 0xFFFFFFFF;
constexpr graphStatus GRAPH_NOT_CHANGED = 1343242304;
constexpr graphStatus GRAPH_PARAM_INVALID = 50331649;
constexpr graphStatus GRAPH_NODE_WITHOUT_CONST_INPUT = 50331648;
constexpr graphStatus GRAPH_NODE_NEED_REPASS = 50331647;
constexpr graphStatus GRAPH_INVALID_IR_DEF = 50331646;
constexpr graphStatus OP_WITHOUT_IR_DATATYPE_INFER_RULE = 50331645;
constexpr graphStatus GRAPH_PARAM_OUT_OF_RANGE = 50331644;
constexpr graphStatus GRAPH_MEM_OPERATE_FAILED = 50331539;
constexpr graphStatus GRAPH_NULL_PTR = 50331538;
constexpr graphStatus GRAPH_MEMCPY_FAILED = 50331537;
constexpr graphStatus GRAPH_MEMSET_FAILED = 50331536;
constexpr graphStatus GRAPH_MATH_CAL_FAILED = 50331429;
constexpr graphStatus GRAPH_ADD_OVERFLOW = 50331428;
constexpr graphStatus GRAPH_MUL_OVERFLOW = 50331427;
constexpr graphStatus GRAPH_RoundUp_Overflow = 50331426;
} // namespace ge
#endif

#endif
