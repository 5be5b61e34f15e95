"""fmod: argument checks, then dynamic graph, PIR program or the older static program."""

import numbers

import paddle
from paddle import _C_ops
from paddle.base.layer_helper import LayerHelper
from paddle.framework import in_dynamic_mode, in_dynamic_or_pir_mode

from . import library

library.register()

#: Data types of the operator's own kernels. The package hands float64 and int64 to an AI CPU kernel, where there is one.
DTYPES = ("float32", "float16", "bfloat16", "int32", "int16", "int8", "uint8", "float64", "int64")

#: `None`: what the package was built with.
PRECISIONS = {None: -1, "tbe": 0, "exact": 1}

_NAME = "ascend_fmod.fmod"
_RANGES = {"int8": (-(2**7), 2**7), "uint8": (0, 2**8), "int16": (-(2**15), 2**15), "int32": (-(2**31), 2**31)}
_RANGES["int64"] = (-(2**63), 2**63)


def _kind(value):
    return f"{type(value).__module__}.{type(value).__qualname__}".removeprefix("builtins.")


def _is_tensor(value):
    return isinstance(value, (paddle.Tensor, paddle.base.framework.Variable, paddle.pir.Value))


def _dtype(tensor):
    """`float32` for paddle.float32, in every kind of graph."""
    text = str(tensor.dtype)
    if text.startswith("VarType."):
        return {"FP32": "float32", "FP16": "float16", "BF16": "bfloat16", "FP64": "float64"}.get(
            text[8:], text[8:].lower()
        )
    return text.rpartition(".")[2]


def _check_tensor(value, name):
    if not _is_tensor(value):
        raise TypeError(f"{_NAME}: {name} must be a paddle.Tensor, got {_kind(value)}; paddle.to_tensor makes one")
    if _dtype(value) not in DTYPES:
        raise TypeError(f"{_NAME}: {name} has data type {_dtype(value)}, expected one of {', '.join(DTYPES)}")


def _as_tensor(number, x):
    """A Python number as a tensor without dimensions, of x's type and where x is."""
    dtype = _dtype(x)
    if dtype in _RANGES:
        low, high = _RANGES[dtype]
        if not isinstance(number, numbers.Integral) or not low <= number < high:
            raise ValueError(f"{_NAME}: y is {number!r}, which x's data type {dtype} cannot hold")
    filled = paddle.full([], number, dtype=dtype)
    return filled.to(x.place) if in_dynamic_mode() and filled.place != x.place else filled


def _check_shapes(x, y):
    a, b = list(x.shape), list(y.shape)
    for m, n in zip(reversed(a), reversed(b)):
        # What is not known yet is checked when the program runs.
        if m != n and 1 not in (m, n) and -1 not in (m, n):
            raise ValueError(
                f"{_NAME}: shapes of x {a} and y {b} do not broadcast: expected equal dimensions or 1, got {m} and {n}"
            )


def _check_places(x, y):
    if x.size != 0 and y.size != 0 and x.place != y.place:
        raise ValueError(
            f"{_NAME}: x is on {x.place}, but y is on {y.place}; move one of them, for example with y.to(x.place)"
        )


def fmod(x, y, precision=None, name=None):
    r"""
    Element-wise remainder of truncated division, with broadcasting:

    .. math::
        out = x - trunc(x / y) \cdot y

    The result has the sign of ``x``: ``fmod(-5.3, 2)`` is ``-1.3``, while ``paddle.mod(-5.3, 2)`` is ``0.7``.

    * ``y == 0``: NaN for floating types, 0 for integers.
    * ``x`` infinite or one of them NaN: NaN.
    * ``y`` infinite: ``x`` with ``precision="exact"``, NaN with ``"tbe"``.

    The gradient is ``dx = dout`` and ``dy = -dout * trunc(x / y)``, summed over the axes along which an input was
    repeated; it is that of the pieces between the jumps. Second derivatives are refused.

    Args:
        x (Tensor): The dividend: float32, float16, bfloat16, int32, int16, int8 or uint8, at most 8 dimensions; float64
            and int64 where the package has the AI CPU kernel for them. In host memory or on an ``npu`` device.
        y (Tensor|int|float): The divisor, of the same data type and on the same device; or a number.
        precision (str|None, optional): ``"tbe"``: the formula above, each step rounded to float32. ``"exact"``: what C's
            ``fmodf`` gives, bit for bit. None: what the package was built with (``"tbe"`` by default). Integers are
            always exact. Default: None.
        name (str|None, optional): For the operation in older static programs. Default: None.

    Returns:
        Tensor, with the broadcast shape of ``x`` and ``y``, their data type, and their place.

    Examples:
        .. code-block:: python

            >>> import paddle
            >>> from ascend_fmod import fmod
            >>> x = paddle.to_tensor([5.5, -5.5, 5.5, -5.5])
            >>> y = paddle.to_tensor([2.0, 2.0, -2.0, -2.0])
            >>> fmod(x, y).tolist()
            [1.5, -1.5, 1.5, -1.5]
            >>> paddle.mod(x, y).tolist()
            [1.5, 0.5, -0.5, -1.5]
    """
    _check_tensor(x, "x")
    if precision not in PRECISIONS:
        raise ValueError(f"{_NAME}: precision is {precision!r}, expected None, 'tbe' or 'exact'")
    if isinstance(y, numbers.Real) and not isinstance(y, bool):
        y = _as_tensor(y, x)
    _check_tensor(y, "y")
    if _dtype(x) != _dtype(y):
        raise TypeError(
            f"{_NAME}: x and y must have the same data type, got {_dtype(x)} and {_dtype(y)}; cast one of them"
        )
    _check_shapes(x, y)
    mode = PRECISIONS[precision]
    if in_dynamic_mode():
        _check_places(x, y)
        return _C_ops._run_custom_op(library.OPERATOR, x, y, mode)[0]
    if in_dynamic_or_pir_mode():
        # Programs of Paddle 3 cannot differentiate a custom operator with an input that has no dimensions.
        wide = [paddle.reshape(one, [1]) if len(one.shape) == 0 else one for one in (x, y)]
        out = _C_ops._run_custom_op(library.OPERATOR, *wide, mode)[0]
        return paddle.reshape(out, []) if len(x.shape) == len(y.shape) == 0 else out
    helper = LayerHelper(library.OPERATOR, name=name)
    out = helper.create_variable_for_type_inference(dtype=x.dtype)
    helper.append_op(
        type=library.OPERATOR, inputs={"X": x, "Y": y}, outputs={"Out": out}, attrs={"precision_mode": mode}
    )
    return out
