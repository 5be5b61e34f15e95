"""`autofuse.pyautofuse` as torch_npu imports it: HintGraph, FusedGraph, ascir.ops.<Type>, Autofuser.

What a program builds is kept as it is said. Types, shapes and rules are not looked at here: that is the work of the library,
which gets the graph as JSON and answers with the three texts of `codegen`.
"""

import os
import re
import tempfile
import types

from . import library
from .library import FALL_BACK, Refused


class SizeExpr:
    """A size over symbols, kept as text."""

    def __init__(self, text):
        self.text = str(text)

    def _with(self, other, sign, swap=False):
        left, right = (other, self) if swap else (self, other)
        return SizeExpr(f"({left}) {sign} ({right})")

    def __add__(self, other):
        return self._with(other, "+")

    def __radd__(self, other):
        return self._with(other, "+", True)

    def __sub__(self, other):
        return self._with(other, "-")

    def __rsub__(self, other):
        return self._with(other, "-", True)

    def __mul__(self, other):
        return self._with(other, "*")

    def __rmul__(self, other):
        return self._with(other, "*", True)

    def __floordiv__(self, other):
        return self._with(other, "//")

    def __truediv__(self, other):
        return self._with(other, "/")

    def __mod__(self, other):
        return self._with(other, "%")

    def __pow__(self, other):
        if not isinstance(other, int) or other < 1:
            return NotImplemented
        return self if other == 1 else self * self ** (other - 1)

    def __str__(self):
        return self.text


class Axis:
    def __init__(self, name, size):
        self.name = name
        self.size = size


class Tensor:
    """The result of a node."""

    def __init__(self, node):
        self.node = node
        self.dtype = None
        self.axis = []
        self.size = []
        self.strides = []


class HintGraph:
    def __init__(self, name):
        self.name = name
        self.sizes = []
        self.axes = []
        self.sched = types.SimpleNamespace(axis=[])
        self.nodes = []

    def create_size(self, name):
        self.sizes.append(name)
        return SizeExpr(name)

    def create_axis(self, name, size):
        axis = Axis(name, size)
        self.axes.append(axis)
        return axis

    def infer_dtypes(self):
        """The reader does it: a type that no one wrote is null in the file."""


class FusedGraph:
    def __init__(self, name):
        self.name = name
        self.nodes = []


class _Results:
    """`backend.y[k]`."""

    def __init__(self, node):
        self.node = node

    def __getitem__(self, at):
        return (self.node, at)


class Node:
    def __init__(self, node_type, name, graph):
        values = {"node_type": node_type, "name": name, "inputs": {}, "attr": types.SimpleNamespace(
            ir_attr=types.SimpleNamespace(), sched=types.SimpleNamespace()), "y": Tensor(self)}
        self.__dict__.update(values)
        graph.nodes.append(self)

    def __setattr__(self, name, value):
        # Whatever else is assigned is an operand: x, x1, x2, …
        self.inputs[name] = value


class AscBackend(Node):
    def __init__(self, name, graph, fused):
        super().__init__("AscBackend", name, fused)
        self.__dict__["graph"] = graph
        self.__dict__["y"] = _Results(self)


class _Ops:
    AscBackend = AscBackend

    def __getattr__(self, node_type):
        return lambda name, graph: Node(node_type, name, graph)


class _Dtypes:
    """Data types are their names; `bf16` is torch_npu's word."""

    bf16 = "bfloat16"

    def __getattr__(self, name):
        return name


class _Utils:
    @staticmethod
    def debug_str(fused):
        """The graph as `cargo xtask ascgraph dump` shows it."""
        return library.ask("dump", graph=_json(fused))


ascir = types.SimpleNamespace(
    HintGraph=HintGraph, FusedGraph=FusedGraph, SizeExpr=SizeExpr, ops=_Ops(), dtypes=_Dtypes(), utils=_Utils())

# Where graphs go that are asked for, one file each.
RECORD = "AUTOFUSE_RECORD"


def _json(fused):
    from .graph_json import dump

    try:
        return dump(fused)
    except NotImplementedError as error:
        raise Refused(f"autofuse: {error}\n{FALL_BACK}") from error


def _record(fused, directory):
    path = os.path.join(directory, re.sub(r"[^A-Za-z0-9_]", "_", fused.name) + ".json")
    text = _json(fused)
    # Two processes may compile the same graph: the file is whole or not there.
    with tempfile.NamedTemporaryFile("w", encoding="utf-8", dir=directory, suffix=".part", delete=False) as file:
        file.write(text)
    os.replace(file.name, path)


class AutofuserOptions:
    def __init__(self, **options):
        self.options = options


class Autofuser:
    """`schedule`, then `codegen`: tiling data, host and device side as texts for `compile_adapter`."""

    def __init__(self, options=None):
        self.options = options

    def schedule(self, fused):
        """The same graph: what is planned is planned by codegen. With AUTOFUSE_RECORD the graph is written there."""
        directory = os.environ.get(RECORD)
        if directory:
            os.makedirs(directory, exist_ok=True)
            _record(fused, os.path.abspath(directory))
        return fused

    def codegen(self, scheduled):
        return library.codegen(_json(scheduled))

    def autofuse_backend(self, fused):
        return self.codegen(self.schedule(fused))


class Schedule:
    """Upstream's name for the first half of an Autofuser."""

    def __init__(self, options=None):
        self.schedule = Autofuser(options).schedule


class CodeGen:
    """Upstream's name for the second half."""

    def __init__(self, options=None):
        self.codegen = Autofuser(options).codegen
