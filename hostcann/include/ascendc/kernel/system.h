// Identity of a core, workspace, and the calls that exist upstream but are not modelled.
#ifndef HOSTCANN_ASCENDC_KERNEL_SYSTEM_H
#define HOSTCANN_ASCENDC_KERNEL_SYSTEM_H

#include <tuple>
#include <type_traits>
#include <utility>

#include "ascendc/kernel/tensor.h"

namespace AscendC {

__aicore__ inline int64_t GetBlockIdx() { return aic_block_idx(); }
__aicore__ inline int64_t GetBlockNum() { return aic_block_num(); }
__aicore__ inline int64_t GetSubBlockIdx() { return 0; }

// The first 16 MiB of a workspace belong to the system (kernel_utils_constants.h).
constexpr uint64_t RESERVED_WORKSPACE = 16 * 1024 * 1024;

__aicore__ inline GM_ADDR GetUserWorkspace(GM_ADDR workspace)
{
    return workspace == nullptr ? nullptr : workspace + RESERVED_WORKSPACE;
}

template <typename T, typename U>
struct IsSameType {
    static constexpr bool value = std::is_same<T, U>::value;
};

// The device has no standard library; kernels write AscendC::Std for these.
namespace Std {
using std::conditional;
using std::conditional_t;
using std::decay_t;
using std::declval;
using std::enable_if;
using std::enable_if_t;
using std::false_type;
using std::forward;
using std::get;
using std::integral_constant;
using std::is_base_of;
using std::is_convertible;
using std::is_same;
using std::is_same_v;
using std::make_tuple;
using std::move;
using std::remove_const;
using std::remove_const_t;
using std::remove_cv;
using std::remove_cv_t;
using std::remove_reference;
using std::remove_reference_t;
using std::true_type;
using std::tuple;
using std::tuple_element;
using std::tuple_size;
} // namespace Std

// --- exist upstream, fault here ---
template <typename T>
__aicore__ inline void InitGlobalMemory(GlobalTensor<T>&, const uint64_t, const T)
{
    aic_unsupported("InitGlobalMemory");
}
template <typename T>
__aicore__ inline void InitOutput(GlobalTensor<T>, uint32_t, T = 0)
{
    aic_unsupported("InitOutput");
}
__aicore__ inline int64_t GetSystemCycle()
{
    aic_unsupported("GetSystemCycle");
    return 0;
}

} // namespace AscendC

// Upstream reaches these from both scopes.
using AscendC::GetUserWorkspace;

#endif // HOSTCANN_ASCENDC_KERNEL_SYSTEM_H
