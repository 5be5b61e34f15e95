"""Reads a CSV of ops-test-kit's aclnn mode as the kit does and says which rows it would not run as they are meant.

usage: st_rules.py CSV HEADERS GOLDEN
"""

import ast
import csv
import glob
import os
import re
import sys

COLUMNS = {
    "testcase_name", "api_name", "tensor_view_shapes", "tensor_dtypes", "scalar_dtypes", "attributes",
    "tensor_view_strides", "tensor_view_offsets", "tensor_storage_shapes", "input_data_ranges",
}
DTYPES = {"float32", "float16", "bfloat16", "int8", "int16", "int32", "int64", "uint8", "bool", "float64"}
FIRST_PHASE = re.compile(r"\b(aclnn\w+)GetWorkspaceSize\(([^)]*)\)\s*;")


def parameters(headers):
    """Of every interface (kind, name): a tensor, a scalar, or a plain value. They end before workspaceSize."""
    found = {}
    for path in glob.glob(os.path.join(headers, "aclnn_*.h")):
        with open(path, encoding="utf-8") as text:
            for api, words in FIRST_PHASE.findall(text.read()):
                listed = []
                for one in words.split(","):
                    kind, name = one.replace("const", "").replace("*", " ").split()
                    if name in ("workspaceSize", "executor"):
                        break
                    listed.append((kind, name))
                found[api] = listed
    return found


def goldens(path):
    """Interfaces for which the plugin names a function that it defines."""
    with open(path, encoding="utf-8") as text:
        tree = ast.parse(text.read())
    functions = {node.name for node in tree.body if isinstance(node, ast.FunctionDef)}
    for node in tree.body:
        if isinstance(node, ast.Assign) and node.targets[0].id == "__golden__":
            return {api for api, name in ast.literal_eval(node.value)["aclnn"].items() if name in functions}
    return set()


def literal(text, default):
    """The kit knows nan and inf beside Python's literals; None stands for nan here."""
    text = re.sub(r"\binf\b", "1e999", re.sub(r"\bnan\b", "None", text))
    return ast.literal_eval(text) if text.strip() else default


def spread(values, count):
    return values * count if len(values) == 1 else values


def broadcast(shapes):
    rank = max(map(len, shapes))
    dims = []
    for place in zip(*((1,) * (rank - len(shape)) + shape for shape in shapes)):
        wide = {dim for dim in place if dim != 1}
        if len(wide) > 1:
            return None
        dims.append(wide.pop() if wide else 1)
    return tuple(dims)


def ends_inside(shape, strides, offset, storage):
    room = 1
    for dim in storage:
        room *= dim
    return 0 in shape or offset + sum((dim - 1) * stride for dim, stride in zip(shape, strides)) < room


def wrong(row, known, with_golden):
    api = row["api_name"]
    if api not in known:
        return "no header declares the interface"
    if api not in with_golden:
        return "the plugin has no golden"
    shapes = literal(row["tensor_view_shapes"], ())
    tensors = [name for kind, name in known[api] if kind == "aclTensor"]
    dtypes = spread(literal(row["tensor_dtypes"], ()), len(shapes))
    scalars = literal(row["scalar_dtypes"], ())
    attributes = literal(row["attributes"], {})
    if len(shapes) != len(tensors) or len(dtypes) != len(tensors):
        return f"{len(shapes)} shapes and {len(dtypes)} types for {len(tensors)} tensors"
    if not set(dtypes) | set(scalars) <= DTYPES:
        return "a type that the kit does not know"
    if len(scalars) != sum(kind == "aclScalar" for kind, _ in known[api]):
        return "not a type for each scalar"
    others = [name for kind, name in known[api] if kind != "aclTensor"]
    if sorted(attributes) != sorted(others):
        return f"attributes {sorted(attributes)} for the parameters {others}"
    # In place, the last tensor of the list is an input, too.
    inputs = len(tensors) if any(name.endswith("Ref") for name in tensors) else len(tensors) - 1
    ranges = spread(literal(row["input_data_ranges"], ((-2, 2),)), inputs)
    if len(ranges) != inputs or any(None not in (low, high) and low > high for low, high in ranges):
        return "not a range for each input"
    result = shapes[0] if inputs == len(tensors) else shapes[-1]
    if broadcast(shapes[:inputs]) != result:
        return "the shapes of the inputs do not give the output's"
    for views in ("tensor_view_strides", "tensor_view_offsets", "tensor_storage_shapes"):
        if len(literal(row[views], shapes)) != len(shapes):
            return f"{views} is not about every tensor"
    strides = literal(row["tensor_view_strides"], None)
    if strides:
        offsets = literal(row["tensor_view_offsets"], (0,) * len(shapes))
        storages = literal(row["tensor_storage_shapes"], shapes)
        if not all(map(ends_inside, shapes, strides, offsets, storages)):
            return "a view ends beyond its storage"
    return None


def main():
    table, headers, golden = sys.argv[1:]
    known, with_golden = parameters(headers), goldens(golden)
    with open(table, encoding="utf-8", newline="") as text:
        reader = csv.DictReader(text)
        if not {"testcase_name", "api_name", "tensor_view_shapes", "tensor_dtypes"} <= set(reader.fieldnames):
            sys.exit("a column that the kit needs is missing")
        if set(reader.fieldnames) - COLUMNS:
            sys.exit(f"columns that the kit ignores: {sorted(set(reader.fieldnames) - COLUMNS)}")
        rows = list(reader)
    names = [row["testcase_name"] for row in rows]
    bad = [f"{name}: a second one of the name" for name in sorted({name for name in names if names.count(name) > 1})]
    bad += [f"{row['testcase_name']}: {why}" for row in rows if (why := wrong(row, known, with_golden))]
    print(f"{len(rows)} cases, {len({row['api_name'] for row in rows})} of {len(known)} interfaces")
    sys.exit("\n".join(bad) if bad else 0)


if __name__ == "__main__":
    main()
