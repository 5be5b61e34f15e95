"""An extension of torch whose kernels the toolkit's compiler builds."""

import os
import subprocess

from setuptools import setup
from torch.utils.cpp_extension import BuildExtension
from torch_npu.utils.cpp_extension import NpuExtension

CANN = os.environ["ASCEND_HOME_PATH"]
KERNELS = ["csrc/scaled.asc"]


class BuildKernels(BuildExtension):
    """Compiles the kernels first; their objects go into the extension."""

    def build_extension(self, ext):
        compiler = os.path.join(CANN, "bin/bisheng")
        for source in KERNELS:
            built = os.path.join(self.build_temp, os.path.basename(source) + ".o")
            os.makedirs(self.build_temp, exist_ok=True)
            line = [compiler, "--npu-arch=dav-2201", "-O2", "-fPIC", "-c", "-x", "asc", source, "-o", built]
            subprocess.run(line, check=True)
            ext.extra_objects.append(built)
        super().build_extension(ext)


setup(
    name="torch_extension",
    version="1.0",
    packages=["torch_extension"],
    ext_modules=[
        NpuExtension(
            name="torch_extension._C",
            sources=["csrc/ops.cpp"],
            depends=["csrc/aclnn_call.h", "csrc/scaled.h", *KERNELS],
            include_dirs=[os.path.join(CANN, "include")],
            library_dirs=[os.path.join(CANN, "lib64")],
            libraries=["ascendcl", "nnopbase", "platform", "tiling_api", "register", "runtime"],
            extra_compile_args=["-O1"],
        )
    ],
    cmdclass={"build_ext": BuildKernels.with_options(use_ninja=False)},
)
