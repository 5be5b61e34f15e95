"""Which tests of PyTorch's test/inductor/test_torchinductor.py are about element-wise operators and reductions.

A test of `CommonTemplate` is taken if it calls `self.common`, names nothing of one back end, and every operator in its text is, by
torch's own tags, element-wise or a reduction, or is one of those below, which move, cast or make tensors or are made of the others.
"""

import ast

import torch

CLASS = "CommonTemplate"

# Views, copies, casts, sizes.
MOVES = """view view_as reshape t transpose permute unsqueeze squeeze expand flatten slice select narrow chunk split unbind size stride dim
    numel to clone contiguous detach alias lift_fresh movedim unflatten as_strided is_floating_point item _to_copy device Size Tensor
    Scalar""".split()
MAKES = """rand randn randint randperm zeros ones full empty arange tensor as_tensor linspace zeros_like ones_like full_like rand_like
    randn_like empty_like new_ones new_zeros new_empty fill fill_ manual_seed requires_grad_""".split()
MADE_OF_OTHERS = """softmax log_softmax logsumexp layer_norm mean std std_mean var var_mean gelu silu relu relu6 leaky_relu elu hardtanh
    hardswish hardsigmoid mish softplus sigmoid tanh logsigmoid glu mse_loss l1_loss smooth_l1_loss floor_divide true_divide square""".split()
# Of one back end, or about the code that it writes.
OTHERS = {"GPU_TYPE", "prims", "fft", "torchvision", "triton", "cuda", "xpu", "mps", "run_and_get_code", "run_and_get_cpp_code", "run_and_get_triton_code", "FileCheck",
          "metrics", "cpp", "halide", "assertGeneratedKernelCountEqual"}


def _tagged():
    packets = (getattr(torch.ops.aten, name) for name in dir(torch.ops.aten))
    for packet in packets:
        if isinstance(packet, torch._ops.OpOverloadPacket):
            tags = {tag for overload in packet.overloads() for tag in getattr(packet, overload).tags}
            if tags & {torch.Tag.pointwise, torch.Tag.reduction}:
                yield packet.__name__


def _is_operator(name):
    return isinstance(getattr(torch.nn, name, None), type) or callable(getattr(torch.nn.functional, name, None)) or (
        isinstance(getattr(torch.ops.aten, name, None), torch._ops.OpOverloadPacket))


def chosen(text):
    """Names of tests; and of those that are not taken, why."""
    classes = [node for node in ast.parse(text).body if isinstance(node, ast.ClassDef) and node.name == CLASS]
    if not classes:
        raise ValueError(f"there is no class {CLASS}")
    allowed = {*MOVES, *MAKES, *MADE_OF_OTHERS, *_tagged()}
    taken, left = [], {}
    for test in classes[0].body:
        if not isinstance(test, ast.FunctionDef) or not test.name.startswith("test_"):
            continue
        words = {node.attr for node in ast.walk(test) if isinstance(node, ast.Attribute)}
        names = {node.id for node in ast.walk(test) if isinstance(node, ast.Name)}
        foreign = sorted(name for name in words if _is_operator(name) and name not in allowed)
        if "parametrize" in names:
            left[test.name] = "several tests by one name"
        elif "common" not in words:
            left[test.name] = "it compares by itself"
        elif (words | names) & OTHERS:
            left[test.name] = "of one back end: " + ", ".join(sorted((words | names) & OTHERS))
        elif foreign:
            left[test.name] = "other operators: " + ", ".join(foreign)
        else:
            taken.append(test.name)
    return taken, left
