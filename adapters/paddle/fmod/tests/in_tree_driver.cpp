// Calls the templates for Paddle's tree, which are compiled against the wheel's headers: InferMeta and the kernels.
#include <algorithm>
#include <cstdint>
#include <cstring>
#include <memory>
#include <string>
#include <vector>

#include "paddle/phi/backends/cpu/cpu_context.h"
#include "paddle/phi/core/kernel_factory.h"
#include "paddle/phi/core/platform/device_context.h"

#include "paddle/phi/infermeta/fmod_infermeta.h"
#include "paddle/phi/kernels/fmod_grad_kernel.h"
#include "paddle/phi/kernels/fmod_kernel.h"

namespace {

struct Array {
    const float* data;
    const int64_t* dims;
    int64_t rank;
};

phi::DenseTensor Meta(const Array& array)
{
    const std::vector<int64_t> dims(array.dims, array.dims + array.rank);
    return phi::DenseTensor(std::shared_ptr<phi::Allocation>(),
                            phi::DenseTensorMeta(phi::DataType::FLOAT32, common::make_ddim(dims)));
}

const phi::CPUContext& Context()
{
    return *static_cast<const phi::CPUContext*>(phi::DeviceContextPool::Instance().Get(phi::CPUPlace()));
}

phi::DenseTensor Filled(const Array& array)
{
    phi::DenseTensor tensor = Meta(array);
    float* data = Context().Alloc<float>(&tensor);
    std::copy_n(array.data, tensor.numel(), data);
    return tensor;
}

template <typename Work>
int64_t Guarded(char* error, size_t room, Work work)
{
    try {
        return work();
    } catch (const std::exception& exception) {
        std::strncpy(error, exception.what(), room - 1);
        return -1;
    }
}

} // namespace

// The rank of the result and its dimensions; -1 and what the exception says.
extern "C" int64_t InferMeta(Array x, Array y, int mode, int runtime, int64_t* dims, char* error, size_t room)
{
    return Guarded(error, room, [&]() -> int64_t {
        const phi::DenseTensor tensor_x = Meta(x);
        const phi::DenseTensor tensor_y = Meta(y);
        phi::DenseTensor result;
        phi::MetaTensor out(&result);
        phi::FmodInferMeta(phi::MetaTensor(tensor_x), phi::MetaTensor(tensor_y), mode, &out,
                           phi::MetaConfig(runtime != 0, false));
        for (int i = 0; i < result.dims().size(); ++i) {
            dims[i] = result.dims()[i];
        }
        return result.dtype() == phi::DataType::FLOAT32 ? result.dims().size() : -2;
    });
}

extern "C" int64_t Forward(Array x, Array y, Array shape, float* out, char* error, size_t room)
{
    return Guarded(error, room, [&]() -> int64_t {
        phi::DenseTensor result = Meta(shape);
        phi::FmodKernel<float>(Context(), Filled(x), Filled(y), -1, &result);
        std::copy_n(result.data<float>(), result.numel(), out);
        return result.numel();
    });
}

extern "C" int64_t Backward(Array x, Array y, Array grad, float* dx, float* dy, char* error, size_t room)
{
    return Guarded(error, room, [&]() -> int64_t {
        phi::DenseTensor x_grad = Meta(x);
        phi::DenseTensor y_grad = Meta(y);
        phi::FmodGradKernel<float>(Context(), Filled(x), Filled(y), Filled(grad), &x_grad, &y_grad);
        std::copy_n(x_grad.data<float>(), x_grad.numel(), dx);
        std::copy_n(y_grad.data<float>(), y_grad.numel(), dy);
        return 0;
    });
}

// The data types for which a kernel is registered on the host.
extern "C" int64_t Registered(const char* kernel, char* names, size_t room)
{
    std::string text;
    for (const auto& [key, unused] : phi::KernelFactory::Instance().kernels()[kernel]) {
        text += key.backend() == phi::Backend::CPU ? phi::DataTypeToString(key.dtype()) + " " : "";
    }
    std::strncpy(names, text.c_str(), room - 1);
    return static_cast<int64_t>(text.size());
}
