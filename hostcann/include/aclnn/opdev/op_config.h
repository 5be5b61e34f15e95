#ifndef HOSTCANN_OPDEV_OP_CONFIG_H
#define HOSTCANN_OPDEV_OP_CONFIG_H

#include <cstdint>

namespace op {

// What phase 1 saw of the calling thread's environment.
struct OpConfigInfo {
    uint32_t aicNum_{0};
    uint32_t aivNum_{0};
    bool isDeterministicOn_{false};
    bool isOpDumpEnable_{false};
    uint8_t deterministicLevel_{0};
};

} // namespace op
#endif // HOSTCANN_OPDEV_OP_CONFIG_H
