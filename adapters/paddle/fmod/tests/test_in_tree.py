"""The templates for Paddle's own tree, as far as that goes without the tree: compiled against the wheel's headers, run."""

import ctypes
import hashlib
import os
import shutil
import subprocess
import sysconfig
import tempfile
import unittest
from concurrent.futures import ThreadPoolExecutor
from pathlib import Path

import numpy as np

import paddle

HERE = Path(__file__).resolve().parent
TREE = HERE.parent / "in_tree"
EIGEN = os.environ.get("XTASK_EIGEN")
SOURCES = [
    HERE / "in_tree_driver.cpp",
    TREE / "paddle/phi/kernels/cpu/fmod_kernel.cc",
    TREE / "paddle/phi/kernels/cpu/fmod_grad_kernel.cc",
]

# The wheel lacks headers that its own headers include: oneDNN's, and glog's, of which only the names are needed here. Its
# config.h says that kernels are not Paddle's own; in Paddle's tree they are.
LACKING = {
    "before.h": "#include <paddle/phi/config.h>\n#undef PADDLE_WITH_DNNL\n#undef PADDLE_WITH_CUSTOM_KERNEL\n",
    "glog/logging.h": """#pragma once
#include <ostream>
struct NoLog {
    template <typename T> NoLog& operator<<(const T&) { return *this; }
    NoLog& operator<<(std::ostream& (*)(std::ostream&)) { return *this; }
};
#define LOG(level) NoLog()
#define VLOG(level) NoLog()
#define VLOG_IS_ON(level) false
#define LOG_FIRST_N(level, n) NoLog()
#define LOG_IF(level, condition) NoLog()
""",
}


class Array(ctypes.Structure):
    _fields_ = [("data", ctypes.c_void_p), ("dims", ctypes.POINTER(ctypes.c_int64)), ("rank", ctypes.c_int64)]


def array(values=None, shape=None):
    dims = list(values.shape if shape is None else shape)
    made = Array(values.ctypes.data if values is not None else None, (ctypes.c_int64 * len(dims))(*dims), len(dims))
    made.values = values
    return made


def compiled():
    """Half a minute; kept until a source or Paddle changes."""
    package = Path(paddle.__file__).parent
    texts = [path.read_bytes() for path in sorted([*SOURCES, *TREE.rglob("*.h")])]
    key = hashlib.sha256(b"\0".join([*texts, repr(LACKING).encode(), paddle.__version__.encode()])).hexdigest()[:16]
    work = Path(os.environ.get("XTASK_PADDLE_WORK") or tempfile.gettempdir()) / "in_tree"
    library = work / f"{key}.so"
    if library.is_file():
        return library
    shutil.rmtree(work, ignore_errors=True)
    for name, text in LACKING.items():
        (work / name).parent.mkdir(parents=True, exist_ok=True)
        (work / name).write_text(text)
    include = [work, TREE, package / "include", package / "include/third_party", sysconfig.get_paths()["include"], EIGEN]
    flags = ["-std=c++17", "-O1", "-fPIC", "-w", "-include", str(work / "before.h")]
    flags += [flag for path in include for flag in ("-isystem" if path == EIGEN else "-I", str(path))]
    cxx = os.environ.get("CXX") or "g++"

    def compile_one(source):
        subprocess.run([cxx, *flags, "-c", str(source), "-o", str(work / f"{source.stem}.o")], check=True)

    with ThreadPoolExecutor(2) as pool:
        list(pool.map(compile_one, SOURCES))
    objects = [str(work / f"{source.stem}.o") for source in SOURCES]
    libraries = ["-L", str(package / "base"), "-l:libpaddle.so", "-L", str(package / "libs"), "-lphi", "-lphi_core", "-lcommon"]
    subprocess.run([cxx, "-shared", *objects, *libraries, "-o", f"{library}.part"], check=True)
    os.rename(f"{library}.part", library)
    return library


@unittest.skipUnless(EIGEN, "XTASK_EIGEN does not name Eigen's headers, which Paddle's include")
class Templates(unittest.TestCase):
    @classmethod
    def setUpClass(cls):
        cls.library = ctypes.CDLL(str(compiled()))
        for name in ("InferMeta", "Forward", "Backward", "Registered"):
            getattr(cls.library, name).restype = ctypes.c_int64

    def call(self, name, *arguments):
        error = ctypes.create_string_buffer(4000)
        status = getattr(self.library, name)(*arguments, error, ctypes.c_size_t(len(error)))
        return status, error.value.decode()

    def infer(self, x, y, mode=-1, runtime=False):
        dims = (ctypes.c_int64 * 16)()
        rank, error = self.call("InferMeta", array(shape=x), array(shape=y), mode, int(runtime), dims)
        return list(dims[:rank]) if rank >= 0 else error

    def test_shapes_when_the_program_is_built(self):
        cases = {
            ((2, 3), (3,)): [2, 3],
            ((4, 1), (1, 6)): [4, 6],
            ((-1, 5), (5,)): [-1, 5],
            ((-1, 5), (4, 5)): [4, 5],
            ((-1, 5), (-1, 1)): [-1, 5],
            ((1, 5), (-1, 5)): [-1, 5],
            ((), (3, -1)): [3, -1],
            ((), ()): [],
            ((0, 3), (3,)): [0, 3],
        }
        for (x, y), expected in cases.items():
            self.assertEqual(self.infer(x, y), expected, (x, y))
        self.assertIn("expected equal dimensions or 1, got 3 and 4", self.infer((2, 3), (4,)))
        self.assertIn("precision_mode must be -1, 0 (tbe) or 1 (exact), got 2", self.infer((2,), (2,), 2))

    def test_shapes_when_it_runs(self):
        self.assertEqual(self.infer((4, 1), (1, 6), runtime=True), [4, 6])
        self.assertIn("dimension 0 is not known, but the program runs", self.infer((-1, 5), (5,), runtime=True))

    def test_same_rule_as_outside_of_the_tree(self):
        """Every pair of dimensions from a small set: as the operator that is built here infers them."""
        from ascend_fmod import fmod

        paddle.enable_static()
        self.addCleanup(paddle.disable_static)
        for x in (-1, 0, 1, 2, 5):
            for y in (-1, 0, 1, 2, 5):
                with paddle.static.program_guard(paddle.static.Program()):
                    a, b = paddle.static.data("a", [x, 3], "float32"), paddle.static.data("b", [y, 3], "float32")
                    try:
                        outside = list(fmod(a, b).shape)
                    except ValueError:
                        outside = "refused"
                inside = self.infer((x, 3), (y, 3))
                self.assertEqual("refused" if isinstance(inside, str) else inside, outside, (x, y))

    def test_kernels_of_the_host(self):
        rng = np.random.default_rng(9)
        shapes = [((4, 5), (4, 5)), ((4, 3, 5), (5,)), ((4, 3, 5), (3, 1)), ((3, 1), (2, 1, 6)), ((5,), (2, 5))]
        for shape_x, shape_y in shapes:
            x = rng.uniform(-20, 20, shape_x).astype("float32")
            y = rng.uniform(0.5, 3, shape_y).astype("float32")
            expected = np.fmod(x, y)
            out = np.empty_like(expected)
            status, error = self.call("Forward", array(x), array(y), array(expected), out.ctypes.data_as(ctypes.c_void_p))
            self.assertEqual((status, error), (expected.size, ""))
            np.testing.assert_array_equal(out, expected)

            grad = rng.standard_normal(expected.shape).astype("float32")
            dx, dy = np.empty_like(x), np.empty_like(y)
            pointers = [one.ctypes.data_as(ctypes.c_void_p) for one in (dx, dy)]
            self.assertEqual(self.call("Backward", array(x), array(y), array(grad), *pointers), (0, ""))
            np.testing.assert_allclose(dx, self.sum_to(grad, x), rtol=1e-5, atol=1e-5)
            np.testing.assert_allclose(dy, self.sum_to(-grad * np.trunc(x / y), y), rtol=1e-5, atol=1e-4)

    @staticmethod
    def sum_to(values, model):
        values = values.sum(tuple(range(values.ndim - model.ndim)))
        repeated = tuple(i for i, n in enumerate(model.shape) if n == 1 and values.shape[i] != 1)
        return values.sum(repeated, keepdims=True)

    def test_registration(self):
        floats = {"float32", "float64", "float16", "bfloat16"}
        wanted = {"fmod": floats | {"int32", "int64", "int16", "int8", "uint8"}, "fmod_grad": floats}
        for kernel, dtypes in wanted.items():
            _, names = self.call("Registered", kernel.encode())
            self.assertEqual(set(names.split()), dtypes, kernel)
