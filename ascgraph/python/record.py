"""record.py PROGRAM... -o DIR: what builder programs build, as JSON for `cargo xtask ascgraph`.

A program is Python text that builds an autofuse FusedGraph and calls Autofuser.schedule, as torch_npu writes it with
TORCH_COMPILE_DEBUG=1 (asc_graph.py).
"""

import argparse
import json
import os
import sys

from autofuse.pyautofuse import AscBackend, Recorded, SizeExpr

VERSION = 1


def size(value):
    return value.text if isinstance(value, SizeExpr) else int(value)


def tensor(result):
    """One end of an edge."""
    return {
        "dtype": result.dtype,
        "axis": [axis.name for axis in result.axis],
        "size": [size(value) for value in result.size],
        "strides": [size(value) for value in result.strides],
    }


def short(graph, name):
    """Node names carry their graph's in front."""
    return name.removeprefix(graph.name + "/")


def node_json(graph, node):
    attrs = {name: size(value) if isinstance(value, SizeExpr) else value
             for name, value in vars(node.attr.ir_attr).items()}
    inputs = []
    for name, value in node.inputs.items():
        for one in value if isinstance(value, (list, tuple)) else [value]:
            inputs.append({"name": name, "from": short(graph, one.node.name), "tensor": tensor(one)})
    return {"name": short(graph, node.name), "type": node.node_type, "ir_attr": attrs, "inputs": inputs,
            "y": tensor(node.y)}


def fused_json(node):
    if isinstance(node, AscBackend):
        names = [result_name(one) for one in node.inputs.get("x", [])]
        return {"name": node.name, "type": "AscBackend", "graph": node.graph.name, "inputs": names}
    value = {"name": node.name, "type": node.node_type, "index": node.attr.ir_attr.index}
    if node.node_type == "Output":
        (value["input"],) = [result_name(one) for one in node.inputs["x"]]
    return value


def result_name(value):
    """`graph.y0` for a result of an AscBackend, the name for a Data."""
    return f"{value[0].name}.y{value[1]}" if isinstance(value, tuple) else value.name


def dump(fused):
    """One line for each node."""
    lines = [f'{{"ascgraph": {VERSION},', f' "name": {json.dumps(fused.name)},', ' "graphs": [']
    graphs = [node.graph for node in fused.nodes if isinstance(node, AscBackend)]
    for at, graph in enumerate(graphs):
        axes = [{"name": axis.name, "size": size(axis.size)} for axis in graph.axes]
        sched = {"axis": [axis.name for axis in graph.sched.axis]}
        lines += [f'  {{"name": {json.dumps(graph.name)}, "type": "HintGraph",',
                  f'   "size_vars": {json.dumps(graph.sizes)},', f'   "axis": {json.dumps(axes)},',
                  f'   "sched": {json.dumps(sched)},', '   "nodes": [']
        lines += ["    " + text for text in joined([node_json(graph, node) for node in graph.nodes])]
        lines.append("   ]}" + ("," if at + 1 < len(graphs) else ""))
    lines += [" ],", ' "nodes": [']
    lines += ["  " + text for text in joined([fused_json(node) for node in fused.nodes])]
    return "\n".join(lines + [" ]}", ""])


def joined(values):
    texts = [json.dumps(value) for value in values]
    return [text + "," for text in texts[:-1]] + texts[-1:]


def record(path):
    with open(path, encoding="utf-8") as file:
        text = file.read()
    try:
        exec(compile(text, path, "exec"), {"__name__": "__main__"})
    except Recorded as recorded:
        return dump(recorded.fused)
    raise SystemExit(f"{path}: it ended without a call of Autofuser.schedule")


def main():
    parser = argparse.ArgumentParser(description=__doc__.split("\n", 1)[0])
    parser.add_argument("programs", nargs="+", metavar="PROGRAM")
    parser.add_argument("-o", "--out", required=True, metavar="DIR")
    options = parser.parse_args()
    for path in options.programs:
        name = os.path.splitext(os.path.basename(path))[0] + ".json"
        text = record(path)
        with open(os.path.join(options.out, name), "w", encoding="utf-8") as file:
            file.write(text)


if __name__ == "__main__":
    sys.exit(main())
