// Stands between libnnopbase and libascendcl: the plan functions are recorded and, kernels excepted, passed on, so that
// copies and casts really run. Kernels need an installed operator, which these tests do without.
#ifndef HOSTCANN_NNOPBASE_TESTS_RECORDER_H
#define HOSTCANN_NNOPBASE_TESTS_RECORDER_H

#include <cstddef>
#include <cstdint>
#include <string>
#include <vector>

#include "hostcann/host_abi.h"

struct KernelNode {
    hc_launch launch;
    std::vector<uint8_t> tilingData;
    std::vector<uint8_t> otherData; // empty outside of check mode
    std::vector<uint64_t> workspaces;
    std::vector<hc_operand> inputs;
    std::vector<hc_operand> outputs;
};

struct Recorder {
    // what the look-ups answer
    hc_status findStatus{0};
    int32_t checking{0};
    // what was asked
    std::vector<hc_tensor_type> foundInputs;
    std::vector<hc_tensor_type> foundOutputs;
    // what was planned
    std::vector<KernelNode> kernels;
    size_t redirects{0};
    int copies{0};
    int casts{0};
    int runs{0};
};

// One recorder per thread; Reset gives a clean one.
Recorder& Recorded();
void ResetRecorder();

#endif // HOSTCANN_NNOPBASE_TESTS_RECORDER_H
