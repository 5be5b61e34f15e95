"""x - trunc(x / y) * y with y repeated along the first axis, as a builder program. `build::fmod_example` is the same."""

from autofuse.pyautofuse import Autofuser, AutofuserOptions, ascir

F32 = ascir.dtypes.float32
g = ascir.HintGraph("fmod")
s0 = g.create_size("s0")
s1 = g.create_size("s1")
z0 = g.create_axis("z0", s0)
z1 = g.create_axis("z1", s1)
g.sched.axis = [z0, z1]


def view(node, size=(s0, s1), strides=(s1, 1)):
    node.y.axis = [z0, z1]
    node.y.size = list(size)
    node.y.strides = list(strides)
    return node


def op(node_type, name, *operands):
    node = view(getattr(ascir.ops, node_type)(name, g))
    for port, operand in zip(["x"] if len(operands) == 1 else ["x1", "x2"], operands):
        setattr(node, port, operand.y)
    return node


def data(name, index):
    node = ascir.ops.Data(name, g)
    node.attr.ir_attr.index = index
    node.y.dtype = F32
    return node


def load(name, source):
    node = op("Load", name, source)
    node.attr.ir_attr.offset = 0
    return node


x = data("x", 0)
y = data("y", 1)
load_x = load("load_x", x)
load_y = view(load("load_y", y), (1, s1), (0, 1))
brc_y = op("Broadcast", "brc_y", load_y)
div = op("Div", "div", load_x, brc_y)
trunc = op("Trunc", "trunc", div)
mul = op("Mul", "mul", trunc, brc_y)
sub = op("Sub", "sub", load_x, mul)
store = op("Store", "store", sub)
store.attr.ir_attr.offset = 0
out = ascir.ops.Output("out", g)
out.attr.ir_attr.index = 0
out.x = store.y
out.y.dtype = F32
g.infer_dtypes()

fused = ascir.FusedGraph("fmod")
inputs = []
for k in range(2):
    inputs.append(ascir.ops.Data(f"input{k}", fused))
    inputs[k].attr.ir_attr.index = k
backend = ascir.ops.AscBackend("graph", g, fused)
backend.x = inputs
result = ascir.ops.Output("output0", fused)
result.attr.ir_attr.index = 0
result.x = [backend.y[0]]

Autofuser(AutofuserOptions(graph_type=1)).schedule(fused)
