// What AI CPU kernels return.
#ifndef HOSTCANN_AICPU_STATUS_H
#define HOSTCANN_AICPU_STATUS_H

#include <cstdint>

namespace aicpu {

using KernelStatus = uint32_t;
constexpr uint32_t KERNEL_STATUS_OK = 0;
constexpr uint32_t KERNEL_STATUS_PARAM_INVALID = 1;
constexpr uint32_t KERNEL_STATUS_INNER_ERROR = 2;
constexpr uint32_t KERNEL_STATUS_TIMEOUT = 3;
constexpr uint32_t KERNEL_STATUS_PROTOBUF_ERROR = 4;
constexpr uint32_t KERNEL_STATUS_SHARDER_ERROR = 5;
constexpr uint32_t KERNEL_STATUS_END_OF_SEQUENCE = 201;

} // namespace aicpu

#endif // HOSTCANN_AICPU_STATUS_H
