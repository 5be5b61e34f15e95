"""`autofuse.compile_adapter` as torch_npu imports it: the three texts of `Autofuser.codegen` become a library.

The compiler is the toolkit's own `bisheng`: kernels are Ascend C, launched by `<<<>>>`. Arguments are `--name=value`, as
torch_npu writes them; `output_file` is the library, `output_path` the directory of objects.
"""

import hashlib
import os
import subprocess
import tempfile

TILING_DATA = "autofuse_tiling_data.h"

# Beside kernels, their tiling asks the platform.
LIBRARIES = ["-ltiling_api", "-lplatform"]


def jit_compile(tiling_def, host_impl, device_impl, argv):
    """All of it: a library with AutofuseTiling and AutofuseLaunch."""
    with tempfile.TemporaryDirectory(prefix="autofuse-") as temp:
        sources = [_host(temp, host_impl), _device(temp, device_impl)]
        _link(temp, tiling_def, sources, argv)


def host_compile(tiling_def, host_impl, argv):
    """A library with AutofuseTiling only."""
    with tempfile.TemporaryDirectory(prefix="autofuse-") as temp:
        _link(temp, tiling_def, [_host(temp, host_impl)], argv)


def kernel_compile(tiling_def, device_impl, argv, *, tiling_repr=None):
    """A library with AutofuseLaunch only."""
    _refuse_tiling(tiling_repr)
    with tempfile.TemporaryDirectory(prefix="autofuse-") as temp:
        _link(temp, tiling_def, [_device(temp, device_impl)], argv)


def build_tiling_obj(tiling_def, host_impl, argv):
    directory = _directory(argv)
    source, made = _host(directory, host_impl), os.path.join(directory, "autofuse_tiling.o")
    _compile(directory, tiling_def, source, made, argv)
    return {"stage": "host_obj", "tiling_obj_paths": [made], "tiling_source_paths": [source]}


def build_kernel_obj(tiling_def, device_impl, argv, *, tiling_repr=None):
    _refuse_tiling(tiling_repr)
    directory = _directory(argv)
    source, made = _device(directory, device_impl), os.path.join(directory, "autofuse_kernel.o")
    _compile(directory, tiling_def, source, made, argv)
    return {"stage": "device_obj", "kernel_obj_path": made, "kernel_source_path": source}


def build_kernel_so(tiling_def, argv, *, tiling_repr=None):
    _refuse_tiling(tiling_repr)
    objects = [*_value(argv, "tiling_obj_paths").split(";"), _value(argv, "kernel_obj_path")]
    with tempfile.TemporaryDirectory(prefix="autofuse-") as temp:
        _link(temp, tiling_def, objects, argv)
    return _value(argv, "output_file")


def _refuse_tiling(tiling_repr):
    if tiling_repr is not None:
        raise NotImplementedError("autofuse: a kernel for one tiling (tiling_repr) is not made; tilings are not tuned here")


def _value(argv, name):
    found = [argument.split("=", 1)[1] for argument in argv if argument.startswith(f"--{name}=")]
    if not found:
        raise ValueError(f"autofuse: --{name}=… is missing in {argv}")
    return found[-1]


def _directory(argv):
    directory = _value(argv, "output_path")
    os.makedirs(directory, exist_ok=True)
    return directory


def _write(directory, name, text):
    path = os.path.join(directory, name)
    with open(path, "w", encoding="utf-8") as file:
        file.write(text)
    return path


def _host(directory, text):
    return _write(directory, "autofuse_tiling.cpp", text)


def _device(directory, text):
    """Faults and predictions name lines of it: it stays in the cache, and torch_npu's directory of objects does not."""
    cache = os.environ.get("TORCHINDUCTOR_CACHE_DIR")
    if not cache:
        return _write(directory, "autofuse_kernel.asc", text)
    kept = os.path.join(os.path.abspath(cache), "kernels")
    os.makedirs(kept, exist_ok=True)
    name = f"{hashlib.sha256(text.encode()).hexdigest()[:16]}.asc"
    part = _write(kept, f"{name}.{os.getpid()}.part", text)
    # Another process may compile the same text.
    path = os.path.join(kept, name)
    os.replace(part, path)
    return path


def _bisheng():
    root = os.environ.get("ASCEND_HOME_PATH")
    if not root:
        raise RuntimeError("autofuse: ASCEND_HOME_PATH names no toolkit; run the script with `cargo xtask torch run`")
    return os.path.join(root, "bin", "bisheng")


def _run(tiling_def, source_dir, arguments, argv):
    """Both texts that become objects include the first; it may be written by two workers at once, with the same bytes."""
    with tempfile.TemporaryDirectory(prefix="autofuse-") as include:
        _write(include, TILING_DATA, tiling_def)
        options = [argument.split("=", 1)[1] for argument in argv if argument.startswith("--compile_options=")]
        line = [_bisheng(), "--npu-arch=dav-2201", "-std=c++17", "-O2", "-fPIC", "-I", include, *options, *arguments]
        # Stand-ins that torch needs are nothing for a compiler.
        environment = {name: value for name, value in os.environ.items() if name != "LD_PRELOAD"}
        done = subprocess.run(line, cwd=source_dir, env=environment, capture_output=True, text=True,
                              stdin=subprocess.DEVNULL, check=False)
    if done.returncode != 0:
        raise RuntimeError(f"autofuse: {' '.join(line)}\n{done.stdout}{done.stderr}")


def _compile(directory, tiling_def, source, made, argv):
    _run(tiling_def, directory, ["-c", source, "-o", made], argv)


def _link(directory, tiling_def, sources, argv):
    library = os.path.abspath(_value(argv, "output_file"))
    # A reader never sees half a library; torch_npu refuses one that others may write to.
    part = f"{library}.{os.getpid()}.part"
    try:
        _run(tiling_def, directory, ["-shared", *sources, "-o", part, *LIBRARIES], argv)
        os.chmod(part, 0o755)
        os.replace(part, library)
    finally:
        if os.path.exists(part):
            os.remove(part)
