"""A model whose every operator is rounded once or not at all, for the tests of fused operators: `models.py OUT.onnx`."""

import sys

import numpy as np
import onnx
from onnx import TensorProto, helper, numpy_helper


def exact():
    """z = max(|x + b| * k, -y), its largest of each row, and where it is above b, between Transposes, which stay."""
    nodes = [
        helper.make_node("Transpose", ["t"], ["x"], name="turn", perm=[1, 0]),
        helper.make_node("Add", ["x", "b"], ["sum"], name="add"),
        helper.make_node("Abs", ["sum"], ["size"], name="abs"),
        helper.make_node("Mul", ["size", "k"], ["scaled"], name="mul"),
        helper.make_node("Neg", ["y"], ["less"], name="neg"),
        helper.make_node("Max", ["scaled", "less"], ["most"], name="max"),
        helper.make_node("ReduceMax", ["most"], ["largest"], name="largest", axes=[1], keepdims=0),
        helper.make_node("Greater", ["most", "b"], ["above"], name="above"),
        helper.make_node("Transpose", ["most"], ["z"], name="back", perm=[1, 0]),
        helper.make_node("Transpose", ["above"], ["where"], name="where", perm=[1, 0]),
    ]
    constants = {"b": np.linspace(-3, 3, 24).astype(np.float32), "k": np.float32(0.75)}
    tensors = [numpy_helper.from_array(np.asarray(value), name) for name, value in constants.items()]

    def value(name, *dims, kind=TensorProto.FLOAT):
        return helper.make_tensor_value_info(name, kind, dims)

    inputs = [value("t", 24, "n"), value("y", "n", 24)]
    outputs = [value("z", 24, "n"), value("largest", "n"), value("where", 24, "n", kind=TensorProto.BOOL)]
    graph = helper.make_graph(nodes, "exact", inputs, outputs, tensors, value_info=[value("x", "n", 24)])
    return helper.make_model(graph, opset_imports=[helper.make_opsetid("", 17)], ir_version=8)


if __name__ == "__main__":
    onnx.save(exact(), sys.argv[1])
