"""Calls the entry of an operator that a project's own script has written and writes down, as JSON, what it hands to
compile_op: the source, the function, the options. The packages that such entries import are made up here."""
import importlib.util
import inspect
import json
import sys
import types

entry_file, function, param_file, soc, answer_file = sys.argv[1:]
family = soc[:-1] if soc.startswith("Ascend910B") else soc[:-2] if soc.startswith("Ascend910_93") else soc
asked = {}


def anything(*_, **__):
    return None


def decorator(*_, **__):
    return lambda wrapped: wrapped


class Names:
    """REQUIRED_INPUT and the like: only passed back."""

    def __getattr__(self, name):
        return name


class Logger:
    print_compile_log = staticmethod(anything)


def compile_op(source, name, info, options, channel=None, settings="{}", *_, **__):
    asked.update(source=source, function=name, options=list(options),
                 computed=list(getattr(info, "output_shape_depend_on_compute", None) or []))


def module(name, **content):
    made = types.ModuleType(name)
    made.__path__ = []
    made.__dict__.update(content)
    sys.modules[name] = made
    parent, _, last = name.rpartition(".")
    if parent:
        # A function of the parent has the right to its name: compile_op is both.
        sys.modules[parent].__dict__.setdefault(last, made)
    return made


def packages(root, compiler):
    checks = Names()
    checks.check_op_params = decorator
    register = types.SimpleNamespace(register_operator=decorator, register_param_generalization=decorator)
    specs = {"SOC_VERSION": soc, "SHORT_SOC_VERSION": family}
    module(root)
    module(root + ".common", register=register)
    module(root + ".common.platform", get_soc_spec=lambda key: specs.get(key, ""))
    module(root + ".common.utils", para_check=checks)
    module(root + ".common.buildcfg", get_default_build_config=anything, get_current_build_config=anything)
    module(compiler, compile_op=compile_op, OpInfo=types.SimpleNamespace, get_code_channel=anything,
           check_op_cap=anything, generalize_op_params=anything,
           replay_op=lambda *_, **__: (False, "kernels are not replayed"))
    module(compiler + ".compile_op", compile_op=compile_op, CommonUtility=Logger, AscendCLogLevel=Names())
    return register


register = packages("tbe", "tbe.tikcpp")
packages("asc_op_compile_base", "asc_op_compile_base.asc_op_compiler")
module("impl")
module("impl.util")
module("impl.util.platform_adapter", tbe_register=register)

with open(param_file, encoding="utf-8") as file:
    node = json.load(file)["op_list"][0]
spec = importlib.util.spec_from_file_location("entry", entry_file)
entry = importlib.util.module_from_spec(spec)
spec.loader.exec_module(entry)
call = getattr(entry, function)
values = node["inputs"] + node["outputs"] + [attr["value"] for attr in node.get("attrs", [])]
named = {"kernel_name": node["bin_filename"], "impl_mode": "high_performance"}
known = inspect.signature(call).parameters
# As the check of parameters does, which older entries read.
for name, value in zip(known, node["inputs"] + node["outputs"]):
    for tensor in value if isinstance(value, list) else [value]:
        if tensor is not None:
            tensor["param_name"] = name
call(*values, **{name: value for name, value in named.items() if name in known})
if not asked:
    sys.exit(function + " of " + entry_file + " returned without a call of compile_op")
with open(answer_file, "w", encoding="utf-8") as file:
    json.dump(asked, file)
