"""`libautofuse.so`: it makes kernels of graphs, in this process. Requests and answers are JSON; hostcann/autofuse/README.md
has them."""

import ctypes
import functools
import json
import os

# The path of the library; `cargo xtask torch` sets it.
LIBRARY = "AUTOFUSE_LIBRARY"

FALL_BACK = "TORCHINDUCTOR_ASCENDC_DEBUG=allfallback leaves the operators to torch_npu"


class Refused(RuntimeError):
    """No kernel is made of the graph."""


@functools.cache
def _loaded(path):
    try:
        library = ctypes.CDLL(path)
    except OSError as error:
        raise Refused(f"autofuse: {path} ({LIBRARY}) cannot be loaded: {error}") from error
    library.autofuse_answer.argtypes = [ctypes.c_char_p]
    # A pointer that is given back: c_char_p would be a copy.
    library.autofuse_answer.restype = ctypes.c_void_p
    library.autofuse_free.argtypes = [ctypes.c_void_p]
    library.autofuse_free.restype = None
    return library


def ask(verb, **values):
    """What the library answers. It holds no lock of Python's meanwhile."""
    path = os.environ.get(LIBRARY)
    if not path:
        raise Refused(f"autofuse: {LIBRARY} names no library; run the script with `cargo xtask torch run`")
    library = _loaded(path)
    answer = library.autofuse_answer(json.dumps({"verb": verb, **values}).encode())
    try:
        text = ctypes.string_at(answer)
    finally:
        library.autofuse_free(answer)
    told = json.loads(text)
    if verb not in told:
        raise Refused(f"autofuse: {told['error']}\n{FALL_BACK}")
    return told[verb]


def codegen(graph):
    """Tiling data, host and device side of a graph's kernel. Its tiles are chosen by the toolkit's timing model."""
    root = os.environ.get("ASCEND_HOME_PATH")
    chips = os.path.join(root, "data/platform_config") if root else None
    made = ask("codegen", graph=graph, soc_dir=chips, soc=os.environ.get("HOSTCANN_SOC"))
    return made["tiling_def"], made["host_impl"], made["device_impl"]
