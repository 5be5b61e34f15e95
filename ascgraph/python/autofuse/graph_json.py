"""What a program has built, as the JSON that `libautofuse.so` and `cargo xtask ascgraph` read."""

import json

from .pyautofuse import AscBackend, SizeExpr

VERSION = 1


def _size(value):
    return value.text if isinstance(value, SizeExpr) else int(value)


def _attr(value):
    """A number or a text: whatever else a node has is for the reader to refuse by the node's name."""
    if isinstance(value, SizeExpr):
        return value.text
    if isinstance(value, int):
        return int(value)
    return value if isinstance(value, str) else repr(value)


def _tensor(result):
    """One end of an edge."""
    return {
        "dtype": result.dtype,
        "axis": [axis.name for axis in result.axis],
        "size": [_size(value) for value in result.size],
        "strides": [_size(value) for value in result.strides],
    }


def _short(graph, name):
    """Node names carry their graph's in front."""
    return name.removeprefix(graph.name + "/")


def _node(graph, node):
    attrs = {name: _attr(value) for name, value in vars(node.attr.ir_attr).items()}
    inputs = []
    for name, value in node.inputs.items():
        for one in value if isinstance(value, (list, tuple)) else [value]:
            inputs.append({"name": name, "from": _short(graph, one.node.name), "tensor": _tensor(one)})
    return {"name": _short(graph, node.name), "type": node.node_type, "ir_attr": attrs, "inputs": inputs,
            "y": _tensor(node.y)}


def _fused(node):
    if isinstance(node, AscBackend):
        names = [_result(one) for one in node.inputs.get("x", [])]
        return {"name": node.name, "type": "AscBackend", "graph": node.graph.name, "inputs": names}
    if node.node_type not in ("Data", "Output"):
        raise NotImplementedError(f"{node.name} ({node.node_type}) is not supported here: a fused graph has Data, "
                                  "AscBackend and Output")
    value = {"name": node.name, "type": node.node_type, "index": node.attr.ir_attr.index}
    if node.node_type == "Output":
        (value["input"],) = [_result(one) for one in node.inputs["x"]]
    return value


def _result(value):
    """`graph.y0` for a result of an AscBackend, the name for a Data."""
    return f"{value[0].name}.y{value[1]}" if isinstance(value, tuple) else value.name


def dump(fused):
    """One line for each node."""
    lines = [f'{{"ascgraph": {VERSION},', f' "name": {json.dumps(fused.name)},', ' "graphs": [']
    graphs = [node.graph for node in fused.nodes if isinstance(node, AscBackend)]
    for at, graph in enumerate(graphs):
        axes = [{"name": axis.name, "size": _size(axis.size)} for axis in graph.axes]
        sched = {"axis": [axis.name for axis in graph.sched.axis]}
        lines += [f'  {{"name": {json.dumps(graph.name)}, "type": "HintGraph",',
                  f'   "size_vars": {json.dumps(graph.sizes)},', f'   "axis": {json.dumps(axes)},',
                  f'   "sched": {json.dumps(sched)},', '   "nodes": [']
        lines += ["    " + text for text in _joined([_node(graph, node) for node in graph.nodes])]
        lines.append("   ]}" + ("," if at + 1 < len(graphs) else ""))
    lines += [" ],", ' "nodes": [']
    lines += ["  " + text for text in _joined([_fused(node) for node in fused.nodes])]
    return "\n".join(lines + [" ]}", ""])


def _joined(values):
    texts = [json.dumps(value) for value in values]
    return [text + "," for text in texts[:-1]] + texts[-1:]
