"""What of a function no kernel is made of: it goes back to torch_npu, operator by operator, and the rest is fused.

torch calls `watch` when it is imported (entry point `torch.backends`). torch_npu decides in its Inductor back end `ascendc` for
each node of a graph whether it is lowered or stays an operator; `reason` is asked there, too. Where a graph is refused all the
same, the function is compiled once more with the operators of that graph left out. Each is said once, by the logger `autofuse`;
AUTOFUSE_LOGS=error silences it.
"""

import functools
import importlib.abc
import importlib.machinery
import logging
import os
import pathlib
import sys

BACK_END = "torch_npu._inductor.ascendc"

LOGS = "AUTOFUSE_LOGS"
# Where torch_npu's precompiled headers go, 424 MB each; without it below ~/.cache.
HEADERS = "AUTOFUSE_HEADERS"

# How torch_npu begins when a graph's program does not run.
UNWRITTEN = "Failed to execute graph code:"

LEVELS = ("DEBUG", "INFO", "WARNING", "ERROR", "CRITICAL")

log = logging.getLogger("autofuse")

# Of the function that is compiled now: names of the nodes that were in a graph that was refused, and what was refused this time:
# those nodes by the reason.
_excluded = set()
_refusals = {}


class LeftOut(RuntimeError):
    """Graphs of the function were refused; without their operators it can be compiled."""


def watch():
    """Before torch_npu's back end is imported."""
    level = os.environ.get(LOGS, "").upper()
    if level:
        if level not in LEVELS:
            raise ValueError(f"{LOGS}={level.lower()}: one of {', '.join(LEVELS).lower()} is expected")
        log.setLevel(level)
    sys.meta_path.insert(0, _Finder())


class _Finder(importlib.abc.MetaPathFinder):
    def find_spec(self, name, path, target=None):
        if name != BACK_END:
            return None
        sys.meta_path.remove(self)
        spec = importlib.machinery.PathFinder.find_spec(name, path)
        if spec is not None and spec.loader is not None:
            run = spec.loader.exec_module

            def exec_module(module):
                run(module)
                _join()

            spec.loader.exec_module = exec_module
        return spec


def _join():
    import torch._inductor.compile_fx as compile_fx
    import torch._inductor.graph as graph
    import torch._inductor.scheduler as scheduler
    from torch_npu._inductor.ascendc import npu
    from torch_npu._inductor.ascendc.compiler import _compiler

    headers = os.environ.get(HEADERS)
    if headers:
        _compiler.PCH_CACHE_ROOT = pathlib.Path(headers)
    graph.fallback_node_due_to_unsupported_type = _asked(graph.fallback_node_due_to_unsupported_type)
    # A short constant is read: torch would choose its elements by their places, for which no kernel is made.
    inline = graph.GraphLowering.can_inline_constant
    graph.GraphLowering.can_inline_constant = staticmethod(lambda value: value.device.type != "npu" and inline(value))
    # A tensor in another order is read in that order: torch_npu would turn it in a kernel of its own, through memory.
    npu.NPUKernel._kernel_needs_transpose_split = lambda kernel: False
    _lower_int_reductions()
    npu.NPUScheduling.codegen_nodes = _one_graph(npu.NPUScheduling.codegen_nodes)
    scheduler.Scheduler.codegen = _all_graphs(scheduler.Scheduler.codegen)
    # compile_fx_inner is the default of an argument; this is what it calls.
    compile_fx._compile_fx_inner = _once_more(compile_fx._compile_fx_inner)


def _lower_int_reductions():
    """torch_npu leaves reductions of int32 to operators on this architecture; there are kernels of them."""
    import torch
    from torch_npu._inductor.ascendc.lowering.common import _LoweringGuard

    aten = torch.ops.aten
    for operator in (aten.sum.default, aten.sum.dim_IntList, aten.amax.default, aten.amin.default, aten.max.default, aten.min.default):
        dtypes = _LoweringGuard.dtypes_support(operator)
        _LoweringGuard.support(operator, *((*each, torch.int32) for each in dtypes))


def _asked(decide):
    @functools.wraps(decide)
    def wrapper(node, *arguments, **named):
        if decide(node, *arguments, **named) or node.name in _excluded:
            return True
        why = reason(node)
        if why:
            _say(f"{node.target} is left to torch_npu: {why}")
        return bool(why)

    return wrapper


def _one_graph(codegen):
    @functools.wraps(codegen)
    def wrapper(scheduling, nodes):
        try:
            return codegen(scheduling, nodes)
        except Exception as error:
            refused = _refused(error)
            operators = {operator for node in nodes for operator in _operators(node)}
            if refused is None or not operators:
                raise
            # The others are asked, too: a function is compiled once more for all of them.
            _refusals.setdefault(refused, set()).update(operators)
            return None

    return wrapper


def _operators(node):
    """What of the function a node of the scheduler computes, and is not left out yet. A view is none: it costs nothing."""
    import torch

    for part in node.get_nodes():
        for origin in part.node.get_origins() if part.node is not None else ():
            if isinstance(origin.target, torch._ops.OpOverload) and not origin.target.is_view and origin.name not in _excluded:
                yield origin


def _all_graphs(codegen):
    @functools.wraps(codegen)
    def wrapper(*arguments, **named):
        result = codegen(*arguments, **named)
        if _refusals:
            raise LeftOut("; ".join(_refusals))
        return result

    return wrapper


def _once_more(compile_graph):
    """Each turn leaves out more operators than the one before."""
    from torch_npu._inductor.ascendc.config import debug_options

    @functools.wraps(compile_graph)
    def wrapper(*arguments, **named):
        outer = set(_excluded)
        try:
            while True:
                _refusals.clear()
                try:
                    return compile_graph(*arguments, **named)
                except Exception as error:
                    if not _refusals:
                        refused = _refused(error)
                        if "allfallback" in debug_options or refused is None and _excluded == outer:
                            raise
                        # Where operators were left out it may be because of them.
                        _say(f"nothing of a graph is fused: {refused or next(iter(str(error).splitlines()), type(error).__name__)}")
                        break
                    for why, operators in _refusals.items():
                        names = ", ".join(sorted({str(operator.target) for operator in operators}))
                        _say(f"{names} of one graph {'is' if len(operators) == 1 else 'are'} left to torch_npu: {why}")
                        _excluded.update(operator.name for operator in operators)
        finally:
            _refusals.clear()
            _excluded.clear()
            _excluded.update(outer)
        debug_options.add("allfallback")
        try:
            return compile_graph(*arguments, **named)
        finally:
            debug_options.discard("allfallback")

    return wrapper


def _refused(error):
    """What our own refusal says first, which Inductor wraps; or what a graph is written with that this module does not have."""
    from .library import FALL_BACK

    seen = []
    while error is not None and error not in seen:
        seen.append(error)
        error = error.__cause__ or error.__context__
    for error in reversed(seen):
        said, found, _ = str(error).partition(FALL_BACK)
        if found:
            lines = said.rpartition("autofuse: ")[2].strip().splitlines()
            return next((line for line in lines if "error AG" in line), lines[0]).strip()
        if str(error).startswith(UNWRITTEN) and error.__cause__ is not None:
            return f"no graph: {type(error.__cause__).__name__}: {error.__cause__}"
    return None


@functools.cache
def _say(text):
    log.warning(text)


def _value(node):
    return node.meta.get("val") if hasattr(node, "meta") else node


def _tensors(node):
    import torch

    values = [_value(argument) for argument in node.all_input_nodes]
    return [value for value in values if isinstance(value, torch.Tensor)]


def reason(node):
    """Why no kernel computes this node; None where one does."""
    import torch

    if not isinstance(node.target, torch._ops.OpOverload):
        return None
    name = node.target.overloadpacket.__name__
    for packets, why in _REASONS:
        if name in packets:
            told = why(node)
            if told:
                return told
    return None


def _pow(node):
    """Inductor makes products of small whole exponents, exp2 of powers of 2, and kernels powers of floats."""
    if node.args[0] == 2:
        return "there is no AscIR type for powers of 2"
    exponent = node.args[1] if len(node.args) > 1 else None
    # An infinite one is a float, too, and no integer.
    if isinstance(exponent, (int, float)) and (exponent == 0.5 or float(exponent).is_integer() and -32 < exponent < 32):
        return None
    if all(tensor.is_floating_point() for tensor in _tensors(node)):
        return None
    return "there is no AscIR type for powers of integers that are no products"


def _joined(node):
    """Joined rows are stored, as they are or after what is computed element by element."""
    parts = [_value(part) for part in node.args[0]]
    axis = node.args[1] if len(node.args) > 1 else 0
    if axis % parts[0].dim() != parts[0].dim() - 1:
        return f"it joins along the axis {axis}, only rows are joined"
    if any(part.shape[-1] == 1 for part in parts):
        return "it joins a single column"
    if not _ends_in_elements(node):
        return "it is computed with, and not element by element"
    return None


def _ends_in_elements(node):
    import torch

    open_nodes = list(node.users)
    seen = set()
    while open_nodes:
        user = open_nodes.pop()
        if user.op == "output" or user in seen:
            continue
        if torch.Tag.pointwise not in getattr(user.target, "tags", ()):
            return False
        seen.add(user)
        open_nodes.extend(user.users)
    return True


def _int_quotient(node):
    import torch

    if all(tensor.is_floating_point() for tensor in _tensors(node)):
        return None
    rounded = node.kwargs.get("rounding_mode") is not None or node.target.overloadpacket is torch.ops.aten.floor_divide
    return "there is no quotient of integers" if rounded else None


_REASONS = [
    (("pow",), _pow),
    (("cat",), _joined),
    (("floor_divide", "div"), _int_quotient),
]
