// CallAclnn("aclnnX", arguments…): both phases of an aclnn function that is found when it is called, in the library of
// the installed packages or in the toolkit's own. Tensors become aclTensors; phase 2 runs in the queue of torch_npu.
#pragma once
#include <dlfcn.h>

#include <tuple>
#include <vector>

#include <ATen/ATen.h>

#include "aclnn/acl_meta.h"
#include "torch_npu/csrc/core/npu/NPUStream.h"
#include "torch_npu/csrc/framework/OpCommand.h"

namespace aclnn_call {

inline void* Find(const std::string& name)
{
    for (const char* library : {"libcust_opapi.so", "libopapi.so"}) {
        void* const handle = dlopen(library, RTLD_LAZY);
        void* const found = handle == nullptr ? nullptr : dlsym(handle, name.c_str());
        if (found != nullptr) {
            return found;
        }
    }
    TORCH_CHECK(false, name,
                " is neither in libcust_opapi.so nor in libopapi.so: install the package that has it, and "
                "let LD_LIBRARY_PATH name its op_api/lib");
}

inline aclDataType TypeOf(const at::Tensor& tensor)
{
    switch (tensor.scalar_type()) {
        case at::kFloat:
            return ACL_FLOAT;
        case at::kHalf:
            return ACL_FLOAT16;
        case at::kInt:
            return ACL_INT32;
        default:
            TORCH_CHECK(false, "expected a tensor of float32, float16 or int32, got ", tensor.scalar_type());
    }
}

inline aclTensor* Converted(const at::Tensor& tensor)
{
    const int64_t storage = static_cast<int64_t>(tensor.storage().nbytes() / tensor.itemsize());
    return aclCreateTensor(tensor.sizes().data(), tensor.dim(), TypeOf(tensor), tensor.strides().data(),
                           tensor.storage_offset(), ACL_FORMAT_ND, &storage, 1,
                           const_cast<void*>(tensor.storage().data()));
}

template <typename T>
T Converted(T value)
{
    return value;
}

inline void Destroy(aclTensor* tensor) { (void)aclDestroyTensor(tensor); }

template <typename T>
void Destroy(T)
{
}

} // namespace aclnn_call

template <typename... Args>
void CallAclnn(const char* name, const Args&... args)
{
    using Executor = aclOpExecutor*;
    const auto made = std::make_tuple(aclnn_call::Converted(args)...);
    uint64_t size = 0;
    Executor executor = nullptr;
    const int planned = std::apply(
        [&](auto... values) {
            using Phase1 = int (*)(decltype(values)..., uint64_t*, Executor*);
            void* const found = aclnn_call::Find(std::string(name) + "GetWorkspaceSize");
            return reinterpret_cast<Phase1>(found)(values..., &size, &executor);
        },
        made);
    TORCH_CHECK(planned == 0, name, "GetWorkspaceSize returned ", planned);
    using Phase2 = int (*)(void*, uint64_t, Executor, aclrtStream);
    const auto phase2 = reinterpret_cast<Phase2>(aclnn_call::Find(name));
    void* const stream = c10_npu::getCurrentNPUStream().stream(false);
    const at::Tensor workspace = at::empty({static_cast<int64_t>(size)}, at::device(at::kPrivateUse1).dtype(at::kByte));
    // The tensors live until then: their memory may be given away as soon as nobody holds it.
    at_npu::native::OpCommand::RunOpApi(name, [=, kept = std::make_tuple(args...)]() -> int {
        const int done = phase2(workspace.data_ptr(), size, executor, stream);
        std::apply([](auto... values) { (aclnn_call::Destroy(values), ...); }, made);
        return done;
    });
}
