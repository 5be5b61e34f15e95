#include "recorder.h"

#include <dlfcn.h>

#include <cstdio>
#include <cstdlib>
#include <cstring>

namespace {

// The function of the same name in libascendcl.
template <typename F>
F Real(const char* name)
{
    void* symbol = dlsym(RTLD_NEXT, name);
    if (symbol == nullptr) {
        std::fprintf(stderr, "%s is not in libascendcl.so\n", name);
        std::abort();
    }
    return reinterpret_cast<F>(symbol);
}

#define REAL(name) (Real<decltype(&name)>(#name))

int g_kernel; // its address is the one kernel binary there is

} // namespace

Recorder& Recorded()
{
    thread_local Recorder recorder;
    return recorder;
}

void ResetRecorder() { Recorded() = Recorder(); }

extern "C" {

hc_status hc_find_kernel(const char* op_type, const hc_tensor_type* inputs, size_t input_num,
                         const hc_tensor_type* outputs, size_t output_num, const hc_kernel_binary** found)
{
    Recorder& recorder = Recorded();
    recorder.foundInputs.assign(inputs, inputs + input_num);
    recorder.foundOutputs.assign(outputs, outputs + output_num);
    if (recorder.findStatus != 0) {
        hc_report_error("EZ1009", (std::string(op_type) + " is not installed").c_str());
        return recorder.findStatus;
    }
    *found = reinterpret_cast<const hc_kernel_binary*>(&g_kernel);
    return 0;
}

int32_t hc_checking(void) { return Recorded().checking; }

const char* hc_op_vendor_dir(const char*) { return nullptr; }

hc_status hc_plan_relate(hc_plan* plan, const hc_tensor* out, const void* middle)
{
    const hc_status status = REAL(hc_plan_relate)(plan, out, middle);
    Recorded().redirects = hc_plan_redirect_count(plan);
    return status;
}

hc_status hc_plan_add_kernel(hc_plan*, const hc_kernel_binary* binary, const hc_launch* launch,
                             const hc_operand* inputs, size_t input_num, const hc_operand* outputs, size_t output_num)
{
    if (binary != reinterpret_cast<const hc_kernel_binary*>(&g_kernel)) {
        return 561000;
    }
    KernelNode node;
    node.launch = *launch;
    const auto* data = static_cast<const uint8_t*>(launch->tiling_data);
    node.tilingData.assign(data, data + launch->tiling_size);
    if (launch->tiling_other != nullptr) {
        const auto* other = static_cast<const uint8_t*>(launch->tiling_other);
        node.otherData.assign(other, other + launch->tiling_size);
    }
    node.workspaces.assign(launch->workspaces, launch->workspaces + launch->workspace_num);
    node.inputs.assign(inputs, inputs + input_num);
    node.outputs.assign(outputs, outputs + output_num);
    Recorded().kernels.push_back(node);
    return 0;
}

hc_status hc_plan_add_copy(hc_plan* plan, const hc_strided* dst, const hc_strided* src, const int64_t* dims,
                           uint64_t rank, uint64_t element_size)
{
    ++Recorded().copies;
    return REAL(hc_plan_add_copy)(plan, dst, src, dims, rank, element_size);
}

hc_status hc_plan_add_cast(hc_plan* plan, const hc_operand* dst, int32_t dst_dtype, const hc_operand* src,
                           int32_t src_dtype, uint64_t count)
{
    ++Recorded().casts;
    return REAL(hc_plan_add_cast)(plan, dst, dst_dtype, src, src_dtype, count);
}

hc_status hc_plan_run(hc_plan* plan, void* workspace, uint64_t workspace_size, void* stream)
{
    ++Recorded().runs;
    return REAL(hc_plan_run)(plan, workspace, workspace_size, stream);
}

} // extern "C"
