"""ONNX models on Ascend operators: the library for ONNX Runtime, and models rewritten to use it.

    import ascend_ort, onnx, onnxruntime
    model = onnx.load("model.onnx")
    for note in ascend_ort.rewrite(model):
        print(note)
    session = onnxruntime.InferenceSession(model.SerializeToString(), ascend_ort.session_options())
"""

import argparse
import os
import sys

import onnx
from onnx import TensorProto, helper

DOMAIN = "ascend"
OPSET = 1
FLOATS = {TensorProto.FLOAT, TensorProto.FLOAT16, TensorProto.BFLOAT16, TensorProto.DOUBLE}
SUPPORTED = {
    TensorProto.FLOAT,
    TensorProto.FLOAT16,
    TensorProto.BFLOAT16,
    TensorProto.INT32,
    TensorProto.INT16,
    TensorProto.INT8,
    TensorProto.UINT8,
}


class InvalidModel(ValueError):
    """The model means nothing, whatever runs it."""


def session_options(options=None):
    """Session options with the operators of the domain; their library is named by ASCEND_ORT_LIBRARY."""
    import onnxruntime

    options = options or onnxruntime.SessionOptions()
    library = os.environ.get("ASCEND_ORT_LIBRARY")
    if not library:
        raise RuntimeError("ASCEND_ORT_LIBRARY names no library; `cargo xtask onnx run` sets it")
    options.register_custom_ops_library(library)
    return options


def rewrite(model):
    """Turns every Mod that ascend::Fmod computes into it, in place; returns a line about each Mod."""
    version = _opset(model.opset_import)
    _check_version(version, _all_nodes(model.graph))
    # Types of values between nodes; shapes are not needed, so that a model without them does.
    inferred = onnx.shape_inference.infer_shapes(model)
    notes = []
    changed = _graph(model.graph, inferred.graph, {}, notes)
    if changed:
        _import_domain(model.opset_import)
    for function in model.functions:
        for node in function.node:
            if _is_mod(node):
                notes.append(f"{_name(node)} of function {function.name}: left alone, functions have no types")
    return notes


def _graph(graph, inferred, outer, notes):
    types = dict(outer)
    for value in (*inferred.input, *inferred.value_info, *inferred.output):
        types[value.name] = value.type.tensor_type.elem_type
    for tensor in graph.initializer:
        types[tensor.name] = tensor.data_type
    changed = False
    for node, shadow in zip(graph.node, inferred.node):
        for attribute, other in zip(node.attribute, shadow.attribute):
            if attribute.type == onnx.AttributeProto.GRAPH:
                changed |= _graph(attribute.g, other.g, types, notes)
        if _is_mod(node):
            changed |= _mod(node, types.get(node.input[0], TensorProto.UNDEFINED), notes)
    return changed


def _mod(node, element, notes):
    """Whether the node was changed."""
    fmod = next((attribute.i for attribute in node.attribute if attribute.name == "fmod"), 0)
    kind = TensorProto.DataType.Name(element).lower()
    if fmod not in (0, 1):
        raise InvalidModel(f"{_name(node)}: fmod={fmod}; the attribute is 0 or 1")
    if fmod == 0 and element in FLOATS:
        raise InvalidModel(f"{_name(node)}: Mod of {kind} with fmod=0; floating-point types need fmod=1 (ONNX, Mod)")
    if fmod == 0:
        notes.append(f"{_name(node)}: left alone, fmod=0 takes the sign of the divisor")
        return False
    if element not in SUPPORTED:
        why = "its type is not known" if element == TensorProto.UNDEFINED else f"{DOMAIN}::Fmod has no {kind}"
        notes.append(f"{_name(node)}: left alone, {why}")
        return False
    node.op_type, node.domain = "Fmod", DOMAIN
    del node.attribute[:]
    notes.append(f"{_name(node)}: {DOMAIN}::Fmod of {kind}")
    return True


def _is_mod(node):
    return node.op_type == "Mod" and node.domain in ("", "ai.onnx")


def _all_nodes(graph):
    for node in graph.node:
        yield node
        for attribute in node.attribute:
            if attribute.type == onnx.AttributeProto.GRAPH:
                yield from _all_nodes(attribute.g)


def _check_version(version, nodes):
    """Mod is there from opset 10 on; what a later one may mean by it is not known here."""
    mod = next((node for node in nodes if _is_mod(node)), None)
    if mod is None:
        return
    if version < 10:
        raise InvalidModel(f"{_name(mod)}: there is no Mod in opset {version}; it came with opset 10")
    try:
        since = onnx.defs.get_schema("Mod", version).since_version
    except onnx.defs.SchemaError:
        since = version
    if since not in (10, 13):
        raise InvalidModel(f"{_name(mod)}: Mod of opset {version} is not known here; convert the model to opset 10 to 18")


def _opset(imports):
    return next((entry.version for entry in imports if entry.domain in ("", "ai.onnx")), 1)


def _import_domain(imports):
    if not any(entry.domain == DOMAIN for entry in imports):
        imports.append(helper.make_opsetid(DOMAIN, OPSET))


def _name(node):
    return f"node {node.name or node.output[0]}"


def main(arguments=None):
    parser = argparse.ArgumentParser(prog="cargo xtask onnx rewrite", description="Use ascend::Fmod in an ONNX model")
    parser.add_argument("model", metavar="MODEL.onnx")
    parser.add_argument("out", metavar="OUT.onnx")
    arguments = parser.parse_args(arguments)
    try:
        model = onnx.load(arguments.model, load_external_data=False)
        notes = rewrite(model)
    except InvalidModel as error:
        sys.exit(f"error: {arguments.model}: {error}")
    except FileNotFoundError:
        sys.exit(f"error: {arguments.model}: no such file")
    except Exception as error:  # protobuf has exceptions of its own in every version
        sys.exit(f"error: {arguments.model} is no ONNX model: {error}")
    for note in notes or ["no Mod in the model"]:
        print(note)
    part = f"{arguments.out}.part"
    onnx.save(model, part)
    os.replace(part, arguments.out)


if __name__ == "__main__":
    main()
