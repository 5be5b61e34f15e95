// The functions of torch: a kernel of this project, and an aclnn function of an installed package.
#include <Python.h>

#include <ATen/ATen.h>
#include <torch/library.h>

#include "aclnn_call.h"
#include "platform/platform_ascendc.h"
#include "scaled.h"
#include "torch_npu/csrc/core/npu/NPUStream.h"
#include "torch_npu/csrc/framework/OpCommand.h"

namespace {

at::Tensor ScaledMeta(const at::Tensor& x, double, double) { return at::empty_like(x, at::MemoryFormat::Contiguous); }

at::Tensor Scaled(const at::Tensor& x, double scale, double shift)
{
    const bool is_float = x.scalar_type() == at::kFloat;
    TORCH_CHECK(is_float || x.scalar_type() == at::kInt, "scaled: expected float32 or int32, got ", x.scalar_type());
    const at::Tensor from = x.contiguous();
    at::Tensor to = ScaledMeta(x, scale, shift);
    auto* const platform = platform_ascendc::PlatformAscendCManager::GetInstance();
    const uint32_t blocks = platform->GetCoreNumAiv();
    void* const stream = c10_npu::getCurrentNPUStream().stream(false);
    // In the queue of torch_npu, after the calls before it.
    at_npu::native::OpCommand::RunOpApi("Scaled", [=]() -> int {
        LaunchScaled(is_float ? Element::FLOAT : Element::INT32, blocks, stream, from.data_ptr(), to.data_ptr(),
                     static_cast<uint32_t>(from.numel()), static_cast<float>(scale), static_cast<float>(shift));
        return 0;
    });
    return to;
}

at::Tensor Remainder(const at::Tensor& x, const at::Tensor& y)
{
    at::Tensor out = at::empty(at::infer_size(x.sizes(), y.sizes()), x.options());
    CallAclnn("aclnnFmodTensor", x, y, out);
    return out;
}

} // namespace

TORCH_LIBRARY(torch_extension, library)
{
    library.def("scaled(Tensor x, float scale, float shift) -> Tensor");
    library.def("remainder(Tensor x, Tensor y) -> Tensor");
}

TORCH_LIBRARY_IMPL(torch_extension, PrivateUse1, library)
{
    library.impl("scaled", Scaled);
    library.impl("remainder", Remainder);
}

TORCH_LIBRARY_IMPL(torch_extension, Meta, library) { library.impl("scaled", ScaledMeta); }

// The import registers the functions; the module itself is empty.
PyMODINIT_FUNC PyInit__C()
{
    static PyModuleDef definition = {PyModuleDef_HEAD_INIT, "_C", nullptr, -1, nullptr};
    return PyModule_Create(&definition);
}
