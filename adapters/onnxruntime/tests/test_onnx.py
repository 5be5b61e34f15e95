"""The library in a real ONNX Runtime, against ONNX Runtime's own Mod, and the rewriter. Run by `cargo xtask onnx test`."""

import os
import pathlib
import subprocess
import sys
import tempfile
import threading
import unittest

import ml_dtypes
import numpy as np
import onnx
import onnxruntime as ort
from onnx import TensorProto, helper, numpy_helper

import ascend_ort

TYPES = {
    TensorProto.FLOAT: np.float32,
    TensorProto.FLOAT16: np.float16,
    TensorProto.BFLOAT16: ml_dtypes.bfloat16,
    TensorProto.INT32: np.int32,
    TensorProto.INT16: np.int16,
    TensorProto.INT8: np.int8,
    TensorProto.UINT8: np.uint8,
}


def model(nodes, element, opset=18, imports=(("ascend", 1),), extra=()):
    values = [helper.make_tensor_value_info(name, element, None) for name in ("x", "y")]
    result = [helper.make_tensor_value_info("z", element, None)]
    graph = helper.make_graph(nodes, "g", values, result, initializer=list(extra))
    opsets = [helper.make_opsetid("", opset), *(helper.make_opsetid(*entry) for entry in imports)]
    return helper.make_model(graph, opset_imports=opsets, ir_version=8)


def mod(fmod=None, name="m"):
    return helper.make_node("Mod", ["x", "y"], ["z"], name=name, **({} if fmod is None else {"fmod": fmod}))


def ours(element):
    node = helper.make_node("Fmod", ["x", "y"], ["z"], domain="ascend")
    return model([node], element)


def session(of, options=None):
    return ort.InferenceSession(of.SerializeToString(), options, providers=["CPUExecutionProvider"])


def run(of, x, y, options=None):
    """bfloat16 is no type of ONNX Runtime's Python, but of its values."""
    it = session(of, options)
    if x.dtype != ml_dtypes.bfloat16:
        return it.run(None, {"x": x, "y": y})[0]
    binding = it.io_binding()
    of_type = TensorProto.BFLOAT16
    for name, value in (("x", x), ("y", y)):
        raw = ort.OrtValue.ortvalue_from_numpy_with_onnx_type(value.view(np.uint16), of_type)
        binding.bind_ortvalue_input(name, raw)
    shape = np.broadcast_shapes(x.shape, y.shape)
    out = np.empty(shape, np.uint16)
    binding.bind_ortvalue_output("z", ort.OrtValue.ortvalue_from_numpy_with_onnx_type(out, of_type))
    it.run_with_iobinding(binding)
    return out.view(ml_dtypes.bfloat16)


def operands(dtype, x_shape, y_shape, seed=0):
    """Whole numbers that every type has, so that each formula of the remainder is exact."""
    rng = np.random.default_rng(seed)
    low = 0 if dtype == np.uint8 else -100
    x = rng.integers(low, 100, x_shape).astype(dtype)
    y = rng.integers(1, 30, y_shape)
    if dtype != np.uint8:
        y = y * rng.choice([-1, 1], y_shape)
    return x, np.asarray(y).astype(dtype)


SHAPES = [((64,), (64,)), ((4, 5), (5,)), ((5,), (4, 5)), ((3, 1, 7), (2, 1)), ((2, 3), ()), ((), ()), ((0, 4), (4,))]


class Library(unittest.TestCase):
    @classmethod
    def setUpClass(cls):
        cls.options = ascend_ort.session_options()

    def test_every_type_and_broadcast_as_c_has_it(self):
        for element, dtype in TYPES.items():
            for x_shape, y_shape in SHAPES:
                with self.subTest(dtype=np.dtype(dtype).name, x=x_shape, y=y_shape):
                    x, y = operands(dtype, x_shape, y_shape)
                    got = run(ours(element), x, y, self.options)
                    want = np.fmod(x.astype(np.float64), y.astype(np.float64))
                    self.assertEqual(got.shape, want.shape)
                    np.testing.assert_array_equal(got.astype(np.float64), want)

    def test_equals_onnx_runtimes_own_mod(self):
        for element in (TensorProto.FLOAT, TensorProto.FLOAT16, TensorProto.INT32, TensorProto.UINT8):
            x, y = operands(TYPES[element], (33, 7), (7,), seed=element)
            theirs = run(model([mod(fmod=1)], element), x, y)
            np.testing.assert_array_equal(run(ours(element), x, y, self.options), theirs)

    def test_the_sign_is_the_dividends(self):
        x, y = np.array([5.3, -5.3, 5.3, -5.3], np.float32), np.array([2, 2, -2, -2], np.float32)
        got = run(ours(TensorProto.FLOAT), x, y, self.options)
        self.assertEqual(np.sign(got).tolist(), [1, -1, 1, -1])

    def test_errors_come_back_with_our_text(self):
        x, y = np.ones((4, 5), np.float32), np.ones(3, np.float32)
        with self.assertRaisesRegex(Exception, r"ascend::Fmod: shapes \[4, 5\] and \[3\] do not broadcast"):
            run(ours(TensorProto.FLOAT), x, y, self.options)
        nine = np.ones((1,) * 9, np.float32)
        with self.assertRaisesRegex(Exception, "aclnnFmodTensorGetWorkspaceSize returned 161002: .*9"):
            run(ours(TensorProto.FLOAT), nine, nine, self.options)
        # And the process goes on.
        self.assertEqual(run(ours(TensorProto.FLOAT), x, np.ones((), np.float32), self.options).shape, (4, 5))

    def test_types_that_the_operator_does_not_have(self):
        for element in (TensorProto.DOUBLE, TensorProto.INT64, TensorProto.BOOL):
            with self.assertRaises(Exception):
                session(ours(element), self.options)

    def test_many_threads_on_one_session(self):
        it = session(ours(TensorProto.FLOAT), self.options)
        wrong = []

        def work(seed):
            for i in range(20):
                x, y = operands(np.float32, (50, 3), (3,), seed * 100 + i)
                if not np.array_equal(it.run(None, {"x": x, "y": y})[0], np.fmod(x, y)):
                    wrong.append((seed, i))

        threads = [threading.Thread(target=work, args=(seed,)) for seed in range(4)]
        for thread in threads:
            thread.start()
        for thread in threads:
            thread.join()
        self.assertEqual(wrong, [])

    def test_without_a_package(self):
        code = "import ascend_ort\ntry:\n ascend_ort.session_options()\nexcept Exception as e: print(e)"
        with tempfile.TemporaryDirectory() as empty:
            env = dict(os.environ, ASCEND_OPP_PATH=empty, ASCEND_CUSTOM_OPP_PATH="")
            said = subprocess.run([sys.executable, "-c", code], env=env, capture_output=True, text=True).stdout
        self.assertIn("ascend: no package of an operator was found", said)


class Fused(unittest.TestCase):
    """Models of `onnx fuse` beside themselves."""

    @classmethod
    def setUpClass(cls):
        cls.models = pathlib.Path(os.environ["ASCEND_ORT_FUSED"])
        cls.options = ascend_ort.session_options()

    def both(self, name, **inputs):
        theirs = session(onnx.load(self.models / f"{name}.onnx")).run(None, inputs)
        ours = session(onnx.load(self.models / f"{name}.fused.onnx"), self.options).run(None, inputs)
        self.assertEqual([out.shape for out in ours], [out.shape for out in theirs])
        return ours, theirs

    def test_operators_are_where_their_nodes_were(self):
        nodes = onnx.load(self.models / "exact.fused.onnx").graph.node
        self.assertEqual(sorted(node.op_type for node in nodes), ["Fused", "Fused", "Transpose", "Transpose", "Transpose"])
        nodes = onnx.load(self.models / "classifier.fused.onnx").graph.node
        self.assertEqual([node.op_type for node in nodes], ["MatMul", "Fused", "MatMul", "Fused"])

    def test_bits_are_those_of_onnx_runtime(self):
        rng = np.random.default_rng(1)
        for n in (1, 7, 100, 1000, 0):
            t, y = (rng.standard_normal(shape).astype(np.float32) for shape in ((24, n), (n, 24)))
            ours, theirs = self.both("exact", t=t, y=y)
            for got, want in zip(ours, theirs):
                self.assertEqual((got.dtype, got.tobytes()), (want.dtype, want.tobytes()))

    def test_exponentials_differ_in_the_last_places_at_most(self):
        x = np.random.default_rng(2).standard_normal((1000, 16)).astype(np.float32)
        (got,), (want,) = self.both("classifier", x=x)
        np.testing.assert_array_max_ulp(got, want, 8)

    def test_a_shape_that_does_not_fit_says_so(self):
        node = helper.make_node(
            "Fused", ["x", "y"], ["z"], domain="ascend", interface="aclnnNone", input_dims="n,2;n", output_dims="n"
        )
        x, y = np.ones((4, 2), np.float32), np.ones(3, np.float32)
        with self.assertRaisesRegex(Exception, r"ascend::Fused: aclnnNone: input 1: shape \[3\], expected \[n = 4\]"):
            run(model([node], TensorProto.FLOAT), x, y, self.options)
        with self.assertRaisesRegex(Exception, "ascend::Fused: no installed package has aclnnNone: looked in "):
            run(model([node], TensorProto.FLOAT), x, y[:1].repeat(4), self.options)


class Rewriter(unittest.TestCase):
    def test_mod_with_fmod_becomes_fmod_in_every_opset(self):
        options = ascend_ort.session_options()
        for opset in range(10, 19):
            for element, dtype in TYPES.items():
                if element == TensorProto.BFLOAT16 and opset < 13:
                    continue  # Mod has the type since opset 13
                m = model([mod(fmod=1)], element, opset, imports=())
                notes = ascend_ort.rewrite(m)
                kind = TensorProto.DataType.Name(element).lower()
                self.assertEqual(notes, [f"node m: ascend::Fmod of {kind}"])
                self.assertEqual([(n.op_type, n.domain, len(n.attribute)) for n in m.graph.node], [("Fmod", "ascend", 0)])
                self.assertEqual([(o.domain, o.version) for o in m.opset_import], [("", opset), ("ascend", 1)])
                if opset in (10, 13, 18) and dtype != ml_dtypes.bfloat16:
                    x, y = operands(dtype, (4, 5), (5,))
                    np.testing.assert_array_equal(run(m, x, y, options), np.fmod(x, y))

    def test_the_floor_remainder_is_left_alone(self):
        for fmod in (0, None):
            m = model([mod(fmod)], TensorProto.INT32, imports=())
            before = m.SerializeToString()
            self.assertEqual(ascend_ort.rewrite(m), ["node m: left alone, fmod=0 takes the sign of the divisor"])
            self.assertEqual(m.SerializeToString(), before)

    def test_invalid_models(self):
        cases = [
            (model([mod(0)], TensorProto.FLOAT), "node m: Mod of float with fmod=0"),
            (model([mod()], TensorProto.FLOAT16), "node m: Mod of float16 with fmod=0"),
            (model([mod(2)], TensorProto.INT32), "node m: fmod=2"),
            (model([mod(1)], TensorProto.INT32, opset=9), "there is no Mod in opset 9"),
        ]
        for m, text in cases:
            before = m.SerializeToString()
            with self.assertRaisesRegex(ascend_ort.InvalidModel, text):
                ascend_ort.rewrite(m)
            self.assertEqual(m.SerializeToString(), before)

    def test_types_that_the_library_does_not_have(self):
        for element in (TensorProto.DOUBLE, TensorProto.INT64, TensorProto.UINT16):
            kind = TensorProto.DataType.Name(element).lower()
            notes = ascend_ort.rewrite(model([mod(1)], element, imports=()))
            self.assertEqual(notes, [f"node m: left alone, ascend::Fmod has no {kind}"])

    def test_types_between_nodes_and_of_initializers(self):
        two = numpy_helper.from_array(np.array([2.5], np.float32), "two")
        nodes = [
            helper.make_node("Abs", ["x"], ["a"]),
            helper.make_node("Mod", ["a", "two"], ["b"], fmod=1),
            helper.make_node("Mod", ["two", "y"], ["z"], fmod=1),
        ]
        m = model(nodes, TensorProto.FLOAT, imports=(), extra=[two])
        self.assertEqual(ascend_ort.rewrite(m), ["node b: ascend::Fmod of float", "node z: ascend::Fmod of float"])

    def test_branches_of_an_if(self):
        def branch(name):
            out = helper.make_tensor_value_info("o", TensorProto.FLOAT, None)
            node = helper.make_node("Mod", ["x", "y"], ["o"], name=name, fmod=1)
            return helper.make_graph([node], name, [], [out])

        condition = numpy_helper.from_array(np.array(True), "c")
        node = helper.make_node("If", ["c"], ["z"], then_branch=branch("t"), else_branch=branch("e"))
        m = model([node], TensorProto.FLOAT, imports=(), extra=[condition])
        notes = ascend_ort.rewrite(m)
        self.assertEqual(sorted(notes), ["node e: ascend::Fmod of float", "node t: ascend::Fmod of float"])
        x, y = operands(np.float32, (4, 5), (5,))
        np.testing.assert_array_equal(run(m, x, y, ascend_ort.session_options()), np.fmod(x, y))

    def test_the_program(self):
        with tempfile.TemporaryDirectory() as temp:
            source, out = pathlib.Path(temp, "a.onnx"), pathlib.Path(temp, "b.onnx")

            def call(*arguments):
                line = [sys.executable, ascend_ort.__file__, *map(str, arguments)]
                return subprocess.run(line, capture_output=True, text=True)

            onnx.save(model([mod(1)], TensorProto.FLOAT), source)
            ran = call(source, out)
            self.assertEqual((ran.returncode, ran.stdout), (0, "node m: ascend::Fmod of float\n"))
            self.assertEqual(onnx.load(out).graph.node[0].domain, "ascend")
            onnx.save(model([mod(0)], TensorProto.FLOAT), source)
            out.unlink()
            ran = call(source, out)
            self.assertEqual(ran.returncode, 1)
            self.assertIn("Mod of float with fmod=0", ran.stderr)
            self.assertEqual(sorted(path.name for path in pathlib.Path(temp).iterdir()), ["a.onnx"])
            self.assertIn("no such file", call(pathlib.Path(temp, "none.onnx"), out).stderr)
            source.write_text("no model")
            self.assertIn("is no ONNX model", call(source, out).stderr)


if __name__ == "__main__":
    unittest.main(verbosity=1)
