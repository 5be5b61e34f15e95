// Names of the templates that describe elementwise kernels of chips with register vectors (opbase, atvoss). Tiling
// sources for several chips name them in code that no launch on DAV_2201 reaches: here they are types without content.
#ifndef HOSTCANN_OP_COMMON_ATVOSS_UTIL_DAG_H
#define HOSTCANN_OP_COMMON_ATVOSS_UTIL_DAG_H

#include <cstdint>

#if !defined(__CCE_AICORE__)
// On the host a kernel's 16-bit types are names only.
struct half;
struct bfloat16_t;
namespace Ops {
namespace Base {
using ::bfloat16_t;
using ::half;
} // namespace Base
} // namespace Ops
#endif

namespace Ops {
namespace Base {
enum class MemLevel { LEVEL_0, LEVEL_1, LEVEL_2 };
template <MemLevel>
struct MemOptCfg;
template <typename Function, typename... Arguments>
struct Bind;
template <typename... Nodes>
struct Elems;
template <typename Outputs, typename Order = void, typename Memory = void>
struct DAGSch;
template <typename T>
struct Constant;
} // namespace Base
} // namespace Ops

#define MAKE_CONST(type, value) Ops::Base::Constant<type>

#endif
