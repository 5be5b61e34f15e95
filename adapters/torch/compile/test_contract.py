"""What the installed torch_npu calls: the words that `ascgraph codegen --form autofuse` was made for. Another torch_npu that says
something else is to be noticed here, and not in a kernel that is called with other arguments."""

import importlib.util
import os
import re
import unittest


def source(path):
    """A file of torch_npu as text: nothing of it is imported."""
    root = os.path.dirname(importlib.util.find_spec("torch_npu").origin)
    with open(os.path.join(root, "_inductor/ascendc", path), encoding="utf-8") as file:
        return " ".join(file.read().split())


class Contract(unittest.TestCase):
    def holds(self, path, parts):
        text = source(path)
        for part in parts:
            self.assertIn(part, text, f"{path} of torch_npu no longer has this; see ascgraph/src/codegen/autofuse.rs")

    def test_signatures(self):
        self.holds("codegen/_asc_codegen.py", [
            'tiling_args = [v.name for v in symbol_args] tiling_signature = [v.signature for v in symbol_args] '
            'tiling_signature.append(f"{tiling_dtype} *tiling_data") tiling_signature.append(f"uint64_t *workspace_size") '
            'tiling_signature.append(f"uint32_t *block_dim") tiling_signature.append(f"void *resource_limit")',
            'launch_signature = ["uint32_t block_dim", "void *stream"] '
            'launch_signature.extend([v.signature for v in itertools.chain(inputs, outputs, workspaces)]) '
            'launch_signature.append(f"{tiling_dtype} *tiling_data")',
            "typedef int64_t (*TilingFuncType)", "typedef int64_t (*LaunchFuncType)",
            'dlsym(handle, "AutofuseTiling")', 'dlsym(handle, "AutofuseLaunch")',
            "struct ResLimit {{ uint32_t valid_num = 0; uint32_t aiv_num = 0; uint32_t aic_num = 0; uint32_t ub_size = 0; "
            "uint32_t resv[10] = {{}}; }};",
        ])

    def test_module(self):
        self.holds("codegen/_asc_codegen.py", [
            "from autofuse.pyautofuse import ascir", "from autofuse.pyautofuse import Autofuser, AutofuserOptions"])
        self.holds("common/asc_graph.py", [
            "fuser = Autofuser(AutofuserOptions(graph_type=1))",
            "tiling_def, host_impl, device_impl = fuser.codegen(scheduled_{var_name})",
            "fused_graph.writeline(f\"{graph.name} = ascir.ops.AscBackend('{graph.name}', {graph.name}_hint, {var_name})\")"])
        names = set(re.findall(r"from autofuse\.compile_adapter import (\w+)", source("compiler/_compiler.py")))
        import autofuse.compile_adapter as adapter

        self.assertEqual(names, {name for name in names if hasattr(adapter, name)})
        self.assertEqual(names, {"jit_compile", "host_compile", "kernel_compile", "build_tiling_obj", "build_kernel_obj",
                                 "build_kernel_so"})

    def test_what_left_out_takes_the_place_of(self):
        self.holds("npu.py", [
            "if enable_load_transpose and self._kernel_needs_transpose_split():",
            "def codegen_nodes(self, nodes: List[BaseSchedulerNode]):",
            # Without an offset: what was made dense, from its first element.
            "load = ir.load(slot_data, offset=None, loop=loader.road[-1].dst)"])
        # The data types of operands and results of an operator that is lowered.
        self.holds("lowering/common.py", [
            "return cls._data.get(op)", "cls._data[op] = (support_in_dtypes, support_out_dtypes)"])


if __name__ == "__main__":
    unittest.main()
