"""Writes the models beside it: Mod of two inputs, by opset and attribute. Run in target/onnx after `cargo xtask onnx setup`."""

import pathlib

from onnx import TensorProto, checker, helper, save

HERE = pathlib.Path(__file__).parent

for opset in (10, 13, 18):
    for name, attributes in (("one", {"fmod": 1}), ("zero", {"fmod": 0}), ("absent", {})):
        node = helper.make_node("Mod", ["x", "y"], ["z"], name="mod", **attributes)
        element = TensorProto.FLOAT if name == "one" else TensorProto.INT32
        values = [helper.make_tensor_value_info(value, element, ["n"]) for value in "xyz"]
        graph = helper.make_graph([node], "g", values[:2], values[2:])
        model = helper.make_model(graph, opset_imports=[helper.make_opsetid("", opset)], ir_version=5, producer_name="make")
        checker.check_model(model)
        save(model, HERE / f"mod_{opset}_{name}.onnx")
