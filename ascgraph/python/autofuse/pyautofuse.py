"""Stand-in for the module `autofuse.pyautofuse`: HintGraph, FusedGraph, ascir.ops.<Type>, and nothing behind them.

A program that builds graphs runs unchanged; `record.py` takes what it built and writes the JSON that
`cargo xtask ascgraph` reads. Types, shapes and rules are not looked at here: that is the work of the reader.
"""

import types


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
            ir_attr=types.SimpleNamespace()), "y": Tensor(self)}
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
    def __getattr__(self, name):
        return name


ascir = types.SimpleNamespace(
    HintGraph=HintGraph, FusedGraph=FusedGraph, SizeExpr=SizeExpr, ops=_Ops(), dtypes=_Dtypes())


class Recorded(BaseException):
    """A program asked for a kernel: what it built is complete. No `except Exception` of it is meant."""

    def __init__(self, fused):
        super().__init__(fused.name)
        self.fused = fused


class AutofuserOptions:
    def __init__(self, **options):
        self.options = options


class Autofuser:
    def __init__(self, options=None):
        self.options = options

    def schedule(self, fused):
        raise Recorded(fused)

    def codegen(self, scheduled):
        raise NotImplementedError("the recorder makes no kernels; it ends at schedule")
