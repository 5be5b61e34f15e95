"""Runs the cases of `cargo xtask optest`: makes operands, asks the golden functions, calls the aclnn interface.

usage: runner.py JOB EVENTS FIRST
Reads the job (JSON) and runs its cases from number FIRST on; appends one JSON object per line to EVENTS. Ends at the first
failure of the device, after which the process is not to be trusted.
"""

import ctypes
import importlib.util
import json
import os
import sys
import traceback
import zlib

with open(sys.argv[1], encoding="utf-8") as text:
    JOB = json.load(text)
EVENTS = open(sys.argv[2], "a", encoding="utf-8")
sys.path[:0] = JOB["python_path"]

import ml_dtypes  # noqa: E402
import numpy as np  # noqa: E402

HOST_TO_DEVICE, DEVICE_TO_HOST = 1, 2
# What an output holds before the call: an element that is not written must not look like a result.
FILL = 0xA5
FORMAT_ND = 2
MALLOC_HUGE_FIRST = 0


class Failure(Exception):
    def __init__(self, stage, message):
        super().__init__(message)
        self.stage = stage


class DeviceFailure(Failure):
    pass


def tell(**event):
    EVENTS.write(json.dumps(event) + "\n")
    EVENTS.flush()


def dtype(name):
    return np.dtype(ml_dtypes.bfloat16) if name == "bfloat16" else np.dtype(name)


def first_line(error):
    """What an exception of somebody else's function says, and where."""
    frame = traceback.extract_tb(error.__traceback__)[-1]
    return f"{type(error).__name__}: {error} ({os.path.basename(frame.filename)}:{frame.lineno})"


class Acl:
    """The functions of the toolkit that a case needs."""

    def __init__(self):
        def load(name):
            return ctypes.CDLL(name, mode=ctypes.RTLD_GLOBAL)

        self.acl, self.nn = load("libascendcl.so"), load("libnnopbase.so")
        self.op = load(JOB["library"])
        self.acl.aclGetRecentErrMsg.restype = ctypes.c_char_p
        for name in ("aclCreateTensor", "aclCreateScalar", "aclCreateIntArray", "aclCreateFloatArray", "aclCreateBoolArray"):
            getattr(self.nn, name).restype = ctypes.c_void_p
        self.call("aclInit", self.acl.aclInit, None)
        self.call("aclrtSetDevice", self.acl.aclrtSetDevice, 0)
        self.stream = ctypes.c_void_p()
        self.call("aclrtCreateStream", self.acl.aclrtCreateStream, ctypes.byref(self.stream))

    def call(self, name, function, *arguments):
        status = function(*arguments)
        if status != 0:
            said = self.acl.aclGetRecentErrMsg()
            said = said.decode("utf-8", "replace").strip() if said else ""
            raise DeviceFailure(name, f"{name} returned {status}" + (f": {said}" if said else ""))

    def malloc(self, size):
        at = ctypes.c_void_p()
        if size:
            self.call("aclrtMalloc", self.acl.aclrtMalloc, ctypes.byref(at), ctypes.c_size_t(size), MALLOC_HUGE_FIRST)
        return at

    def copy(self, to, source, size, kind):
        if size:
            size = ctypes.c_size_t(size)
            self.call("aclrtMemcpy", self.acl.aclrtMemcpy, to, size, source, size, kind)

    def free(self, at):
        if at:
            self.call("aclrtFree", self.acl.aclrtFree, at)


class Call:
    """One call of an interface: what it holds is given back in the end."""

    def __init__(self, acl, case, inputs):
        self.acl, self.case, self.inputs = acl, case, inputs
        self.undo = []
        self.outputs = {}

    def tensor(self, array, number):
        memory = self.acl.malloc(array.nbytes)
        self.undo.append(lambda: self.acl.free(memory))
        self.acl.copy(memory, array.ctypes.data_as(ctypes.c_void_p), array.nbytes, HOST_TO_DEVICE)
        dims = (ctypes.c_int64 * max(array.ndim, 1))(*array.shape)
        steps = [1] * array.ndim
        for axis in range(array.ndim - 2, -1, -1):
            steps[axis] = steps[axis + 1] * array.shape[axis + 1]
        strides = (ctypes.c_int64 * max(array.ndim, 1))(*steps)
        rank = ctypes.c_uint64(array.ndim)
        made = self.acl.nn.aclCreateTensor(
            dims, rank, number, strides, ctypes.c_int64(0), FORMAT_ND, dims, rank, memory
        )
        return memory, self.keep("aclCreateTensor", made, self.acl.nn.aclDestroyTensor)

    def keep(self, name, made, destroy):
        if not made:
            raise DeviceFailure(name, f"{name} returned null")
        self.undo.append(lambda: destroy(ctypes.c_void_p(made)))
        return ctypes.c_void_p(made)

    def scalar(self, value, number):
        bytes_ = ctypes.create_string_buffer(value.tobytes())
        return self.keep("aclCreateScalar", self.acl.nn.aclCreateScalar(bytes_, number), self.acl.nn.aclDestroyScalar)

    def attribute(self, attr, kind):
        value = attr["value"]
        if kind == "aclScalar":
            name, number = {bool: ("bool", 12), int: ("int64", 9)}.get(type(value), ("float32", 0))
            return self.scalar(np.asarray(value, dtype=name), number)
        arrays = {
            "aclIntArray": ("aclCreateIntArray", ctypes.c_int64, self.acl.nn.aclDestroyIntArray),
            "aclFloatArray": ("aclCreateFloatArray", ctypes.c_float, self.acl.nn.aclDestroyFloatArray),
            "aclBoolArray": ("aclCreateBoolArray", ctypes.c_bool, self.acl.nn.aclDestroyBoolArray),
        }
        if kind in arrays:
            name, element, destroy = arrays[kind]
            values = (element * max(len(value), 1))(*value)
            made = getattr(self.acl.nn, name)(values, ctypes.c_uint64(len(value)))
            return self.keep(name, made, destroy)
        if kind == "char*":
            return ctypes.c_char_p(value.encode())
        types = {"int": ctypes.c_int, "float": ctypes.c_float, "double": ctypes.c_double, "bool": ctypes.c_bool}
        return (types.get(kind) or getattr(ctypes, "c_" + kind.removesuffix("_t")))(value)

    def output(self, index, array):
        desc = self.case["outputs"][index]
        memory, tensor = self.tensor(array, desc["number"])
        self.outputs[index] = (memory, array)
        return tensor

    def argument(self, spec):
        kind = spec["as"]
        if kind == "null":
            return ctypes.c_void_p()
        if kind == "attr":
            return self.attribute(self.case["attrs"][spec["index"]], spec["kind"])
        if kind == "output":
            desc = self.case["outputs"][spec["index"]]
            empty = np.empty(desc["shape"], dtype=dtype(desc["dtype"]))
            empty.reshape(-1).view(np.uint8)[:] = FILL
            return self.output(spec["index"], empty)
        if kind == "inplace":
            return self.output(spec["output"], self.inputs[spec["input"]].copy())
        array, number = self.inputs[spec["index"]], self.case["inputs"][spec["index"]]["number"]
        return self.scalar(array, number) if kind == "scalar" else self.tensor(array, number)[1]

    def run(self):
        name = self.case["interface"]
        try:
            prepare, launch = (getattr(self.acl.op, name + suffix) for suffix in ("GetWorkspaceSize", ""))
        except AttributeError as error:
            raise Failure("interface", f"the package's library does not have {name}") from error
        arguments = [self.argument(spec) for spec in self.case["arguments"]]
        size, executor = ctypes.c_uint64(0), ctypes.c_void_p()
        self.acl.call(name + "GetWorkspaceSize", prepare, *arguments, ctypes.byref(size), ctypes.byref(executor))
        workspace = self.acl.malloc(size.value)
        self.undo.append(lambda: self.acl.free(workspace))
        self.acl.call(name, launch, workspace, size, executor, self.acl.stream)
        self.acl.call("aclrtSynchronizeStream", self.acl.acl.aclrtSynchronizeStream, self.acl.stream)
        for memory, array in self.outputs.values():
            self.acl.copy(array.ctypes.data_as(ctypes.c_void_p), memory, array.nbytes, DEVICE_TO_HOST)
        return [self.outputs[index][1] for index in range(len(self.case["outputs"]))]

    def close(self):
        while self.undo:
            self.undo.pop()()


def operand(case, index):
    desc = case["inputs"][index]
    kind, shape = dtype(desc["dtype"]), desc["shape"]
    if desc["file"]:
        array = np.fromfile(desc["file"], dtype=kind)
        if array.size != int(np.prod(shape)):
            raise Failure("input", f"{desc['file']} has {array.size} elements, the shape {shape} has {int(np.prod(shape))}")
        return array.reshape(shape)
    low, high = desc["range"]
    random = np.random.default_rng([JOB["seed"], zlib.crc32(case["name"].encode()), index])
    if kind == np.bool_:
        return np.asarray(random.integers(0, 2, shape), dtype=kind)
    if kind.kind in "iu":
        return np.asarray(random.integers(int(np.ceil(low)), int(np.floor(high)), shape, dtype=kind, endpoint=True))
    values = random.uniform(low, high, shape)
    if kind.kind == "c":
        values = values + 1j * random.uniform(low, high, shape)
    return np.asarray(values).astype(kind)


def function(spec):
    """A function of a file that the case names; files are loaded once."""
    path, name = spec
    if path not in function.modules:
        directory = os.path.dirname(path)
        if directory not in sys.path:
            sys.path.append(directory)
        loader = importlib.util.spec_from_file_location(f"golden_{len(function.modules)}", path)
        module = importlib.util.module_from_spec(loader)
        loader.loader.exec_module(module)
        function.modules[path] = module
    return getattr(function.modules[path], name)


function.modules = {}


def ask(stage, spec, arguments):
    try:
        with np.errstate(all="ignore"):
            answer = function(spec)(*arguments)
    except Exception as error:  # whatever somebody's function raises is a result of the case
        raise Failure(stage, f"{spec[1]}: {first_line(error)}") from error
    return list(answer) if isinstance(answer, (list, tuple)) else [answer]


def goldens(case, inputs):
    if not case["golden"]:
        return [np.fromfile(output["golden_file"], dtype=dtype(output["dtype"])) for output in case["outputs"]]
    copies = [array.copy() for array in inputs]
    answer = ask("golden", case["golden"], copies + [attr["value"] for attr in case["attrs"]])
    if len(answer) != len(case["outputs"]):
        raise Failure("golden", f"{case['golden'][1]} returned {len(answer)} arrays, the case has {len(case['outputs'])} outputs")
    return [np.ascontiguousarray(array) for array in answer]


def shapes(case, inputs):
    for output in case["outputs"]:
        if output["shape_function"]:
            answer = ask("shape_depend", output["shape_function"], [array.copy() for array in inputs])
            output["shape"] = [int(extent) for extent in answer[0]]


def errors(case, inputs, result, golden):
    """How far results are from goldens, counted by the size of the first two operands' quotient, or of the only operand."""
    if golden.dtype != result.dtype or golden.size != result.size or result.dtype.kind in "cb" or not inputs:
        return None
    edges, names = JOB["edges"], [desc["name"] for desc in case["inputs"]]
    with np.errstate(all="ignore"):
        wide = [np.abs(array.astype(np.float64)) for array in inputs[:2]]
        try:
            size = np.broadcast_to(wide[0] / wide[1] if len(wide) == 2 else wide[0], result.shape).reshape(-1)
        except ValueError:
            return None
        number = np.isfinite(size)
        place = np.searchsorted(edges, np.frexp(np.where(number, size, 0))[1] - 1, side="right")
        place = np.where(number, place, len(edges) + 1)
        result, golden = result.reshape(-1), golden.reshape(-1)
        same = result == golden
        if result.dtype.kind not in "iu":
            same |= np.isnan(result) & np.isnan(golden)
        degree = np.zeros(result.size, dtype=np.int64)
        odd = np.flatnonzero(~same)
        r, g = result[odd].astype(np.float64), golden[odd].astype(np.float64)
        unit = 1.0
        if result.dtype.kind not in "iu":
            info = ml_dtypes.finfo(result.dtype)
            unit = np.ldexp(1.0, np.maximum(np.frexp(g)[1] - 1, int(info.minexp)) - int(info.nmant))
        far = np.abs(r - g) / unit
        degree[odd] = np.select([~np.isfinite(far), far <= 1, far <= 32], [4, 1, 2], 3)
    counts = np.bincount(place * 5 + degree, minlength=5 * (len(edges) + 2)).reshape(-1, 5)
    by = f"|{names[0]} / {names[1]}|" if len(wide) == 2 else f"|{names[0]}|"
    return {"by": by, "bins": counts.tolist()}


def store(case, name, array):
    path = os.path.join(case["dir"], name + ".bin")
    array.tofile(path)
    return path


def run(acl, case):
    os.makedirs(case["dir"], exist_ok=True)
    inputs = [operand(case, index) for index in range(len(case["inputs"]))]
    shapes(case, inputs)
    expected = goldens(case, inputs)
    call = Call(acl, case, inputs)
    results = call.run()
    call.close()
    if JOB["keep"]:
        for desc, array in zip(case["inputs"], inputs):
            store(case, "input_" + desc["name"], array)
    compared = []
    for desc, result, golden in zip(case["outputs"], results, expected):
        compared.append({
            "result": store(case, "output_" + desc["name"], result),
            "golden": store(case, "golden_" + desc["name"], golden),
            "golden_dtype": golden.dtype.name,
            "golden_shape": list(golden.shape),
            "shape": list(result.shape),
            "errors": errors(case, inputs, result, golden),
        })
    return compared


def main():
    acl = Acl()
    for index in range(int(sys.argv[3]), len(JOB["cases"])):
        case = JOB["cases"][index]
        tell(event="start", case=index)
        try:
            tell(event="done", case=index, outputs=run(acl, case))
        except Failure as failure:
            tell(event="failed", case=index, stage=failure.stage, message=str(failure))
            if isinstance(failure, DeviceFailure):
                os._exit(0)
        except MemoryError:
            tell(event="failed", case=index, stage="input", message="not enough memory for the operands")
    tell(event="end")


if __name__ == "__main__":
    main()
