"""aclnn calls of the installed package by ctypes, on the memory and the stream of torch tensors: what a program without torch
would call."""

import ctypes
import os

import torch

DTYPES = {
    torch.float32: 0,
    torch.float16: 1,
    torch.int8: 2,
    torch.int32: 3,
    torch.uint8: 4,
    torch.int16: 6,
    torch.bfloat16: 27,
}
ND = 2


def _package():
    opp = os.environ["ASCEND_OPP_PATH"]
    custom = os.environ.get("ASCEND_CUSTOM_OPP_PATH", "").split(":")
    with open(os.path.join(opp, "vendors/config.ini")) as config:
        names = config.read().split("load_priority=")[1].split()[0].split(",")
    vendors = [entry for entry in custom if entry] + [os.path.join(opp, "vendors", name) for name in names]
    for vendor in vendors:
        library = os.path.join(vendor, "op_api/lib/libcust_opapi.so")
        if os.path.isfile(library):
            loaded = ctypes.CDLL(library)
            if hasattr(loaded, "aclnnFmodTensor"):
                return loaded
    raise RuntimeError("no installed package has aclnnFmodTensor")


_ACL = ctypes.CDLL("libascendcl.so")
_NN = ctypes.CDLL("libnnopbase.so")
_OPS = _package()
_NN.aclCreateTensor.restype = ctypes.c_void_p
_NN.aclCreateScalar.restype = ctypes.c_void_p


def _tensor(tensor):
    longs = ctypes.c_int64 * max(tensor.dim(), 1)
    shape, strides = longs(*tensor.shape), longs(*tensor.stride())
    elements = tensor.untyped_storage().nbytes() // tensor.element_size()
    storage = (ctypes.c_int64 * 1)(elements)
    return ctypes.c_void_p(
        _NN.aclCreateTensor(
            shape,
            ctypes.c_uint64(tensor.dim()),
            ctypes.c_int(DTYPES[tensor.dtype]),
            strides,
            ctypes.c_int64(tensor.storage_offset()),
            ctypes.c_int(ND),
            storage,
            ctypes.c_uint64(1),
            ctypes.c_void_p(tensor.untyped_storage().data_ptr()),
        )
    )


def _scalar(value):
    """As torch_npu passes Python's numbers: double or int64."""
    kind, code = (ctypes.c_double, 11) if isinstance(value, float) else (ctypes.c_int64, 9)
    own = kind(value)
    return ctypes.c_void_p(_NN.aclCreateScalar(ctypes.byref(own), ctypes.c_int(code)))


def call(name, *operands):
    """Both phases of an interface; numbers become aclScalars."""
    made = [_tensor(x) if isinstance(x, torch.Tensor) else _scalar(x) for x in operands]
    size, executor = ctypes.c_uint64(0), ctypes.c_void_p()
    status = getattr(_OPS, name + "GetWorkspaceSize")(*made, ctypes.byref(size), ctypes.byref(executor))
    if status != 0:
        raise RuntimeError(f"{name}GetWorkspaceSize returned {status}")
    workspace = torch.empty(max(size.value, 1), dtype=torch.uint8, device="npu")
    torch.npu.synchronize()
    stream = ctypes.c_void_p(torch.npu.current_stream().npu_stream)
    status = getattr(_OPS, name)(ctypes.c_void_p(workspace.data_ptr()), size, executor, stream)
    if status == 0:
        status = _ACL.aclrtSynchronizeStream(stream)
    for operand, own in zip(operands, made):
        (_NN.aclDestroyTensor if isinstance(operand, torch.Tensor) else _NN.aclDestroyScalar)(own)
    if status != 0:
        raise RuntimeError(f"{name} returned {status}")
