"""The library of three texts, called without torch: what it exports, what limits do, what it says to impossible sizes."""

import ctypes
import json
import os
import stat
import subprocess
import sys
import tempfile
import unittest
import unittest.mock
from concurrent.futures import ThreadPoolExecutor

import autofuse.compile_adapter as adapter
from autofuse import library
from autofuse.pyautofuse import Autofuser, AutofuserOptions, Refused, ascir

ROWS, COLUMNS = 6, 40


class ResLimit(ctypes.Structure):
    _fields_ = [(name, ctypes.c_uint32) for name in ("valid_num", "aiv_num", "aic_num", "ub_size")] + [
        ("resv", ctypes.c_uint32 * 10)]


def graph(node_type="Mul", name="autofused_library"):
    """Two operands, the second repeated along the first of two axes, with symbols for both sizes."""
    hint = ascir.HintGraph("graph_hint")
    sizes = [hint.create_size("ks0"), hint.create_size("ks1")]
    axes = [hint.create_axis("a0", sizes[0]), hint.create_axis("a1", sizes[1])]
    hint.sched.axis = axes

    def seen(node, size, strides):
        node.y.axis, node.y.size, node.y.strides = axes, size, strides
        return node

    def load(index, size, strides):
        data = ascir.ops.Data(f"graph_hint/data{index}", hint)
        data.attr.ir_attr.index = index
        data.y.dtype = ascir.dtypes.float32
        node = ascir.ops.Load(f"graph_hint/load{index}", hint)
        node.attr.ir_attr.offset = 0
        node.x = data.y
        return seen(node, size, strides)

    whole = (sizes, [sizes[1], 1])
    x = load(0, *whole)
    y = ascir.ops.Broadcast("graph_hint/broadcast", hint)
    y.x = load(1, [1, sizes[1]], [0, 1]).y
    seen(y, *whole)
    node = ascir.ops.__getattr__(node_type)("graph_hint/node", hint)
    node.x1, node.x2 = x.y, y.y
    seen(node, *whole)
    store = ascir.ops.Store("graph_hint/store", hint)
    store.x = node.y
    store.attr.ir_attr.offset = 0
    seen(store, *whole)
    output = ascir.ops.Output("graph_hint/output", hint)
    output.attr.ir_attr.index = 0
    output.x = store.y
    output.y.dtype = ascir.dtypes.float32
    hint.infer_dtypes()
    fused = ascir.FusedGraph(name)
    backend = ascir.ops.AscBackend("graph", hint, fused)
    inputs = []
    for index in (0, 1):
        data = ascir.ops.Data(f"input{index}", fused)
        data.attr.ir_attr.index = index
        inputs.append(data)
    backend.x = inputs
    end = ascir.ops.Output("output0", fused)
    end.attr.ir_attr.index = 0
    end.x = [backend.y[0]]
    return fused


def codegen(fused):
    fuser = Autofuser(AutofuserOptions(graph_type=1))
    return fuser.codegen(fuser.schedule(fused))


class Library(unittest.TestCase):
    @classmethod
    def setUpClass(cls):
        cls.temp = tempfile.TemporaryDirectory()
        cls.texts = codegen(graph())
        cls.path = os.path.join(cls.temp.name, "kernel.so")
        adapter.jit_compile(*cls.texts, [f"--output_file={cls.path}", "--graph_name=autofused_library",
                                         "--soc_version=Ascend910B3", "--compile_options=-D_GLIBCXX_USE_CXX11_ABI=1"])
        cls.library = ctypes.CDLL(cls.path)
        cls.acl = ctypes.CDLL("libascendcl.so")
        cls.acl.aclInit(None)
        assert cls.acl.aclrtSetDevice(0) == 0

    @classmethod
    def tearDownClass(cls):
        cls.temp.cleanup()

    def tiling(self, ks0, ks1, **limits):
        data, workspace, blocks = (ctypes.c_int64 * 64)(), ctypes.c_uint64(77), ctypes.c_uint32(77)
        limit = ctypes.byref(ResLimit(valid_num=1, **limits)) if limits else None
        self.library.AutofuseTiling.restype = ctypes.c_int64
        status = self.library.AutofuseTiling(ctypes.c_int64(ks0), ctypes.c_int64(ks1), data, ctypes.byref(workspace),
                                             ctypes.byref(blocks), limit)
        return status, data, workspace.value, blocks.value

    def told(self, ks0, ks1, **limits):
        """Status and stderr, of another process: what C writes is no text of Python's."""
        code = ("import test_library as t; t.Library.setUpClass = None; import ctypes, sys\n"
                f"class L(t.Library): pass\nL.library = ctypes.CDLL({self.path!r})\n"
                f"sys.exit(L('test_symbols').tiling({ks0}, {ks1}, **{limits!r})[0])")
        done = subprocess.run([sys.executable, "-c", code], capture_output=True, text=True, check=False,
                              cwd=os.path.dirname(os.path.abspath(__file__)))
        return done.returncode, done.stderr.strip()

    def test_symbols(self):
        mode = os.stat(self.path).st_mode
        self.assertEqual(mode & (stat.S_IWGRP | stat.S_IWOTH), 0, "torch_npu loads no library that others may write to")
        for name in ("AutofuseTiling", "AutofuseLaunch"):
            self.assertTrue(hasattr(self.library, name), name)

    def test_limits(self):
        status, _, workspace, blocks = self.tiling(4096, 4096)
        self.assertEqual((status, workspace), (0, 0))
        self.assertGreater(blocks, 7)
        self.assertEqual(self.tiling(4096, 4096, aiv_num=7)[3], 7)
        self.assertEqual(self.tiling(4096, 4096, aiv_num=0, aic_num=3)[3], blocks, "no limit for vector cores")
        wide, narrow = self.tiling(4096, 4096)[1], self.tiling(4096, 4096, ub_size=16384)[1]
        # Units of a tile, rows or elements, and what a row has.
        elements = [tiling[2] * max(tiling[6], 1) for tiling in (narrow, wide)]
        self.assertLess(elements[0], elements[1], "elements of a tile")
        self.assertEqual(self.tiling(0, 40)[0], 0, "nothing to do is no error")

    def test_impossible_sizes(self):
        for sizes, limits in [((-1, 40), {}), ((1 << 40, 1 << 40), {}), ((1 << 62, 4), {}), ((6, 40), {"ub_size": 64})]:
            status, text = self.told(*sizes, **limits)
            self.assertEqual(status, 1)
            self.assertTrue(text.startswith(f"AutofuseTiling: no tiling for ks0 = {sizes[0]}, ks1 = {sizes[1]},"), text)

    def launch(self, stream, tiling, blocks, pointers):
        self.library.AutofuseLaunch.restype = ctypes.c_int64
        arguments = [ctypes.c_void_p(pointer) for pointer in pointers]
        return self.library.AutofuseLaunch(ctypes.c_uint32(blocks), stream, *arguments, None, tiling)

    def test_launch(self):
        """On a stream, behind what is queued there; too few blocks are refused."""
        acl, count = self.acl, ROWS * COLUMNS
        x = [float(at % 17) - 8 for at in range(count)]
        y = [float(at % 5) for at in range(COLUMNS)]
        memory = []
        for values in (x, y, [0.0] * count):
            pointer = ctypes.c_void_p()
            self.assertEqual(acl.aclrtMalloc(ctypes.byref(pointer), ctypes.c_size_t(4 * len(values)), 0), 0)
            memory.append(pointer.value)
            host = (ctypes.c_float * len(values))(*values)
            acl.aclrtMemcpy(pointer, ctypes.c_size_t(4 * len(values)), host, ctypes.c_size_t(4 * len(values)), 1)
        stream = ctypes.c_void_p()
        self.assertEqual(acl.aclrtCreateStream(ctypes.byref(stream)), 0)
        status, tiling, _, blocks = self.tiling(ROWS, COLUMNS)
        self.assertEqual(status, 0)
        self.assertGreater(blocks, 1)
        self.assertEqual(self.launch(stream, tiling, blocks - 1, memory), 1)
        self.assertEqual(self.launch(stream, tiling, blocks, memory), 0)
        # x * y, then (x * y) * y in the same memory: the second launch reads what the first has written.
        self.assertEqual(self.launch(stream, tiling, blocks, [memory[2], memory[1], memory[2]]), 0)
        self.assertEqual(acl.aclrtSynchronizeStream(stream), 0)
        result = (ctypes.c_float * count)()
        acl.aclrtMemcpy(result, ctypes.c_size_t(4 * count), ctypes.c_void_p(memory[2]), ctypes.c_size_t(4 * count), 2)
        self.assertEqual(list(result), [x[at] * y[at % COLUMNS] ** 2 for at in range(count)])

    def test_parts(self):
        """Objects of both sides, linked: as workers of torch_npu do it."""
        where = os.path.join(self.temp.name, "parts")
        argv = [f"--output_path={where}", f"--output_file={where}/kernel.so", "--graph_name=g"]
        host = adapter.build_tiling_obj(self.texts[0], self.texts[1], argv)
        device = adapter.build_kernel_obj(self.texts[0], self.texts[2], argv)
        self.assertEqual((host["stage"], device["stage"]), ("host_obj", "device_obj"))
        objects = [f"--tiling_obj_paths={';'.join(host['tiling_obj_paths'])}", f"--kernel_obj_path={device['kernel_obj_path']}"]
        library = ctypes.CDLL(adapter.build_kernel_so(self.texts[0], argv + objects))
        self.assertTrue(hasattr(library, "AutofuseTiling") and hasattr(library, "AutofuseLaunch"))


def sums(shapes):
    """One AscBackend for each shape, that adds its rows: so long that cores share them."""
    def made(rows, columns):
        axes = {"axis": ["z0", "z1"]}
        whole, narrow = axes | {"size": [rows, columns], "strides": [columns, 1]}, axes | {"size": [rows, 1], "strides": [1, 0]}
        nodes = [("x", "Data", {"index": 0}, [], {"dtype": "float32"}), ("load", "Load", {"offset": 0}, ["x"], whole),
                 ("sum", "Sum", {}, ["load"], narrow), ("store", "Store", {"offset": 0}, ["sum"], narrow),
                 ("out", "Output", {"index": 0}, ["store"], {"dtype": "float32"})]
        return {"name": f"sum_{rows}", "axis": [{"name": "z0", "size": rows}, {"name": "z1", "size": columns}], "sched": axes,
                "nodes": [{"name": name, "type": kind, "ir_attr": attrs, "y": y,
                           "inputs": [{"name": "x", "from": operand} for operand in inputs]}
                          for name, kind, attrs, inputs, y in nodes]}
    nodes = []
    for at in range(len(shapes)):
        nodes += [{"name": f"in{at}", "type": "Data", "index": at},
                  {"name": f"sum{at}", "type": "AscBackend", "graph": f"sum_{shapes[at][0]}", "inputs": [f"in{at}"]},
                  {"name": f"out{at}", "type": "Output", "index": at, "input": f"sum{at}.y0"}]
    return json.dumps({"ascgraph": 1, "name": "autofused_sums", "graphs": [made(*shape) for shape in shapes], "nodes": nodes})


class SharedRows(unittest.TestCase):
    """Cores that share a row wait for each other: `AutofuseLaunch` starts as many as the tiling has, whatever it is given."""

    def launch(self, shapes, more):
        with tempfile.TemporaryDirectory() as temp:
            path = os.path.join(temp, "kernel.so")
            texts = library.codegen(sums(shapes))
            adapter.jit_compile(*texts, [f"--output_file={path}", "--graph_name=autofused_sums", "--soc_version=Ascend910B3"])
            kernel, acl = ctypes.CDLL(path), ctypes.CDLL("libascendcl.so")
            acl.aclInit(None)
            self.assertEqual(acl.aclrtSetDevice(0), 0)

            def memory(count):
                pointer = ctypes.c_void_p()
                self.assertEqual(acl.aclrtMalloc(ctypes.byref(pointer), ctypes.c_size_t(count), 0), 0)
                return pointer

            tensors = [memory(4 * rows * columns) for rows, columns in shapes] + [memory(4 * rows) for rows, _ in shapes]
            for (rows, columns), to in zip(shapes, tensors):
                count = rows * columns
                host = (ctypes.c_float * count)(*[float(at // columns + 1) for at in range(count)])
                acl.aclrtMemcpy(to, ctypes.c_size_t(4 * count), host, ctypes.c_size_t(4 * count), 1)
            stream = ctypes.c_void_p()
            self.assertEqual(acl.aclrtCreateStream(ctypes.byref(stream)), 0)
            data, workspace, blocks = (ctypes.c_int64 * 256)(), ctypes.c_uint64(), ctypes.c_uint32()
            status = kernel.AutofuseTiling(data, ctypes.byref(workspace), ctypes.byref(blocks), None)
            self.assertEqual(status, 0)
            self.assertGreater(workspace.value, 0, "no row is shared")
            shared = memory(workspace.value)
            status = kernel.AutofuseLaunch(ctypes.c_uint32(blocks.value + more), stream, *tensors, shared, data)
            self.assertEqual((status, acl.aclrtSynchronizeStream(stream)), (0, 0))
            results = []
            for (rows, columns), at in zip(shapes, tensors[len(shapes):]):
                host = (ctypes.c_float * rows)()
                acl.aclrtMemcpy(host, ctypes.c_size_t(4 * rows), at, ctypes.c_size_t(4 * rows), 2)
                results.append(list(host))
                self.assertEqual(results[-1], [float(columns * (row + 1)) for row in range(rows)])
            return texts

    def test_more_blocks_than_the_tiling_has(self):
        self.launch([(1, 100_000)], 7)

    def test_launches_that_share_the_workspace(self):
        """One after the other, each with its own meaning of the same bytes."""
        texts = self.launch([(2, 50_000), (1, 100_000)], 0)
        self.assertIn("+ tiling_data->shared", texts[2])
        self.assertIn("AutofusePart1TilingData", texts[0])


class Refusals(unittest.TestCase):
    def test_types_without_a_kernel(self):
        with self.assertRaises(Refused) as raised:
            codegen(graph("Erf"))
        told = str(raised.exception)
        self.assertIn("Erf", told)
        self.assertIn("TORCHINDUCTOR_ASCENDC_DEBUG=allfallback", told)

    def test_what_the_compiler_says(self):
        with tempfile.TemporaryDirectory() as temp, self.assertRaises(RuntimeError) as raised:
            adapter.jit_compile("struct AutofuseTilingData {};", "", "undeclared();", [f"--output_file={temp}/k.so"])
        self.assertIn("undeclared", str(raised.exception))

    def test_a_library_that_is_not_there(self):
        for value in ("", "/nowhere/libautofuse.so"):
            with unittest.mock.patch.dict(os.environ, AUTOFUSE_LIBRARY=value):
                with self.assertRaisesRegex(Refused, "AUTOFUSE_LIBRARY"):
                    codegen(graph())

    def test_a_chip_that_the_model_has_not(self):
        with unittest.mock.patch.dict(os.environ, HOSTCANN_SOC="Ascend310"):
            with self.assertRaisesRegex(Refused, "no SoC Ascend310"):
                codegen(graph())


class InProcess(unittest.TestCase):
    def test_no_program_is_started(self):
        with unittest.mock.patch("subprocess.Popen", side_effect=AssertionError("a process")):
            texts = codegen(graph())
        self.assertIn("AutofuseTiling", texts[1])

    def test_threads_get_the_same_texts(self):
        with ThreadPoolExecutor(4) as pool:
            made = set(pool.map(lambda _: codegen(graph()), range(16)))
        self.assertEqual(made, {codegen(graph())})


class Records(unittest.TestCase):
    def test_graphs_are_written_where_they_are_wanted(self):
        with tempfile.TemporaryDirectory() as temp:
            os.environ["AUTOFUSE_RECORD"] = os.path.join(temp, "made")
            try:
                Autofuser().schedule(graph())
            finally:
                del os.environ["AUTOFUSE_RECORD"]
            self.assertEqual(os.listdir(os.path.join(temp, "made")), ["autofused_library.json"])
            file = os.path.join(temp, "made/autofused_library.json")
            with open(file, encoding="utf-8") as opened:
                self.assertEqual(library.codegen(opened.read()), codegen(graph()))
        self.assertIn("Mul(x1=load0, x2=broadcast)", ascir.utils.debug_str(graph()))


if __name__ == "__main__":
    unittest.main()
