"""What happens to the op info library: JSON for the package, and a call of opc for every column of every operator."""
import hashlib
import json
import os
import subprocess
import sys

ENTRY = '''"""Entry of {op}: what the kernel compiler calls."""
import os

from tbe.common.buildcfg import get_current_build_config
from tbe.common.platform import get_soc_spec
from tbe.common.utils import para_check
from tbe.tikcpp import OpInfo, compile_op, get_code_channel
from impl.util.platform_adapter import tbe_register

TYPES = {types}


def options_of(names, tensors):
    options = []
    for name, tensor in zip(names, tensors):
        number, kernel = TYPES[tensor["dtype"]]
        name = name.upper()
        options += ["-DDTYPE_" + name + "=" + kernel, "-DORIG_DTYPE_" + name + "=" + number,
                    "-DFORMAT_" + name + "=FORMAT_" + tensor["format"]]
    return options


@tbe_register.register_operator("{op}")
@para_check.check_op_params({checks}, para_check.KERNEL_NAME)
def {function}({parameters}, kernel_name="{function}", impl_mode=""):
    if get_current_build_config("enable_op_prebuild"):
        return
    options = ["-x", "cce"] + options_of({inputs}, [{input_values}]) + options_of({outputs}, [{output_values}])
    options.append("-DSOC_" + get_soc_spec("SHORT_SOC_VERSION").upper())
    source = os.environ["BUILD_KERNEL_SRC"]
    channel = get_code_channel(source, kernel_name, "{op}", options)
    info = OpInfo(kernel_name=kernel_name, op_type="{op}", inputs=[{input_values}], outputs=[{output_values}],
                  attrs=[], impl_mode=impl_mode, output_shape_depend_on_compute=[])
    compile_op(source, "{function}", info, options, channel, "{{}}")
'''
TYPES = {"float32": ("DT_FLOAT", "float"), "float16": ("DT_FLOAT16", "half"), "int32": ("DT_INT32", "int32_t"),
         "int16": ("DT_INT16", "int16_t")}
SOC_VERSIONS = {"ascend910b": "Ascend910B1", "ascend910_93": "Ascend910_9391"}
ATTRIBUTES = {"float": ("float", 0.0), "int": ("int", 0), "bool": ("bool", False), "listInt": ("list_int", [])}


def read(path):
    ops = {}
    with open(path, encoding="utf-8") as file:
        for line in file.read().splitlines():
            if line.startswith("["):
                op = ops.setdefault(line.strip("[]"), {})
            else:
                key, value = line.split("=", 1)
                group, name = key.split(".", 1)
                op.setdefault(group, {})[name] = value
    return ops


def write(path, value):
    os.makedirs(os.path.dirname(path), exist_ok=True)
    with open(path, "w", encoding="utf-8") as file:
        json.dump(value, file, indent=4)


def tensors(op, kind):
    found = []
    while kind + str(len(found)) in op:
        found.append(op[kind + str(len(found))])
    return found


def described(kind, column):
    return [{"name": tensor["name"], "index": index, "dtype": tensor["dtype"].split(",")[column],
             "format": tensor["format"].split(",")[column], "paramType": tensor["paramType"], "shape": [-2],
             "format_match_mode": "FormatAgnostic"} for index, tensor in enumerate(kind)]


def entry(path, name, op):
    names = {kind: [tensor["name"] for tensor in tensors(op, kind)] for kind in ("input", "output")}
    attributes = op.get("attr", {}).get("list", "").split(",")
    with open(path, "w", encoding="utf-8") as file:
        file.write(ENTRY.format(
            op=name, function=op["opInterface"]["value"], types=TYPES, inputs=names["input"], outputs=names["output"],
            input_values=", ".join(names["input"]), output_values=", ".join(names["output"]),
            checks=", ".join(["para_check.REQUIRED_INPUT"] * len(names["input"])),
            parameters=", ".join(names["input"] + names["output"] + [name for name in attributes if name])))


def columns(name, op):
    attributes = [attribute for attribute in op.get("attr", {}).get("list", "").split(",") if attribute]
    for column in range(len(tensors(op, "output")[0]["dtype"].split(","))):
        node = {"bin_filename": "", "inputs": described(tensors(op, "input"), column),
                "outputs": described(tensors(op, "output"), column)}
        if attributes:
            kinds = [ATTRIBUTES[op["attr_" + attribute]["type"]] for attribute in attributes]
            node["attrs"] = [{"name": attribute, "dtype": kind, "value": value}
                             for attribute, (kind, value) in zip(attributes, kinds)]
        text = json.dumps({"op_type": name, "op_list": [node]})
        node["bin_filename"] = name + "_" + hashlib.md5(text.encode()).hexdigest()
        yield node


def compile_op(name, op, unit, sources, package, out):
    file = op["opFile"]["value"]
    work = os.path.join(out, "..", "entries", unit)
    os.makedirs(work, exist_ok=True)
    entry_file = os.path.join(work, name + ".py")
    entry(entry_file, name, op)
    environment = dict(os.environ, HI_PYTHON=sys.executable, ASCEND_CUSTOM_OPP_PATH=package,
                       BUILD_KERNEL_SRC=os.path.join(sources, file + ".cpp"))
    entries = []
    for node in columns(name, op):
        param = os.path.join(work, node["bin_filename"] + "_param.json")
        write(param, {"op_type": name, "op_list": [node]})
        output = os.path.join(out, unit, file)
        subprocess.run(["opc", entry_file, "--main_func=" + op["opInterface"]["value"], "--input_param=" + param,
                        "--soc_version=" + SOC_VERSIONS[unit], "--output=" + output,
                        "--impl_mode=high_performance,optional", "--simplified_key_mode=0", "--op_mode=dynamic"],
                       check=True, env=environment)
        description = os.path.join(output, node["bin_filename"] + ".json")
        with open(description, encoding="utf-8") as made:
            support = json.load(made)["supportInfo"]
        entries.append({**support, "binInfo": {"jsonFilePath": os.path.join(unit, file, os.path.basename(description))}})
    write(os.path.join(out, "config", unit, file + ".json"), {"binList": entries})


def main():
    command, library, *rest = sys.argv[1:]
    if command == "info":
        write(rest[0], read(library))
        return
    unit, sources, tiling, out = rest
    with open(library, encoding="utf-8") as file:
        ops = json.load(file)
    # Where the kernel compiler finds the tiling data.
    package = os.path.join(os.path.abspath(out), "..", "host")
    link = os.path.join(package, "op_impl/ai_core/tbe/op_tiling/liboptiling.so")
    os.makedirs(os.path.dirname(link), exist_ok=True)
    if not os.path.lexists(link):
        os.symlink(tiling, link)
    for name, op in ops.items():
        compile_op(name, op, unit, sources, package, os.path.abspath(out))


if __name__ == "__main__":
    main()
