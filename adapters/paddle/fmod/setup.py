"""Builds the operator for the Paddle of this Python, over the operator package of a toolkit.

    ASCEND_HOME_PATH=/path/to/toolkit pip install --no-build-isolation --no-deps adapters/paddle/fmod

ASCEND_HOME_PATH names the toolkit, ASCEND_OP_PACKAGE the installed package where that is not
$ASCEND_OPP_PATH/vendors/custom_math.
"""

import os
import sys
from pathlib import Path

from paddle.utils.cpp_extension import CppExtension, setup

HERE = Path(__file__).resolve().parent
SHARED = HERE.parent / "include"


def directory(path, must_have, what, cure):
    if not (path / must_have).is_file():
        sys.exit(f"{path} has no {must_have}: {what}; {cure}")
    return path


def toolkit():
    home = os.environ.get("ASCEND_HOME_PATH")
    if not home:
        sys.exit("ASCEND_HOME_PATH is not set: run the toolkit's set_env.sh, or `cargo xtask paddle test`")
    return directory(Path(home), "include/acl/acl.h", "it is no toolkit", "correct ASCEND_HOME_PATH")


def package(home):
    opp = Path(os.environ.get("ASCEND_OPP_PATH") or home / "opp")
    given = os.environ.get("ASCEND_OP_PACKAGE")
    path = Path(given) if given else opp / "vendors/custom_math"
    cure = "`cargo xtask install` installs it; ASCEND_OP_PACKAGE names another place"
    return directory(path, "op_api/include/aclnn_fmod_tensor_v2.h", "the operator's package is not there", cure)


home = toolkit()
op_api = package(home) / "op_api"
lib64 = home / "lib64"

setup(
    name="ascend_fmod_op",
    version="1.0.0",
    description="fmod for Paddle through aclnn",
    packages=["ascend_fmod"],
    package_dir={"": "python"},
    ext_modules=CppExtension(
        sources=[str(HERE / "csrc/ascend_fmod.cpp"), str(SHARED / "acl_call.cpp")],
        include_dirs=[str(path) for path in (SHARED, op_api / "include", home / "include", home / "include/aclnnop")],
        library_dirs=[str(op_api / "lib"), str(lib64)],
        libraries=["cust_opapi", "ascendcl", "nnopbase"],
        # Without PADDLE_WITH_CUSTOM_DEVICE a tensor has no stream().
        extra_compile_args=["-O2", "-DPADDLE_WITH_CUSTOM_DEVICE"],
        extra_link_args=[f"-Wl,-rpath,{op_api / 'lib'}:{lib64}"],
    ),
)
