"""For python/paddle/tensor/math.py: the API, with the branches for dynamic graphs and PIR, and for older programs.

These lists export both functions, of paddle and of Tensor, two names in each:
python/paddle/tensor/__init__.py: the import from .math, tensor_method_func
python/paddle/__init__.py: the import from .tensor.math, __all__
"""

import paddle
from paddle import _C_ops
from paddle.base.data_feeder import check_variable_and_dtype
from paddle.base.layer_helper import LayerHelper
from paddle.framework import in_dynamic_or_pir_mode
from paddle.utils.inplace_utils import inplace_apis_in_dygraph_only


def fmod(x, y, name=None):
    r"""
    Element-wise remainder of truncated division: ``x - trunc(x / y) * y``, with the sign of ``x``. ``paddle.mod`` has the
    sign of ``y``.

    Args:
        x (Tensor): The dividend: bfloat16, float16, float32, float64, uint8, int8, int16, int32 or int64.
        y (Tensor): The divisor, of the same data type; broadcast against ``x``.
        name (str|None, optional): Name for the operation. Default: None.

    Returns:
        Tensor, with the broadcast shape of ``x`` and ``y`` and their data type.

    Examples:
        .. code-block:: python

            >>> import paddle
            >>> x = paddle.to_tensor([5.5, -5.5])
            >>> y = paddle.to_tensor([2.0, 2.0])
            >>> paddle.fmod(x, y).tolist()
            [1.5, -1.5]
    """
    if in_dynamic_or_pir_mode():
        return _C_ops.fmod(x, y, -1)
    dtypes = ["uint16", "float16", "float32", "float64", "uint8", "int8", "int16", "int32", "int64"]
    check_variable_and_dtype(x, "x", dtypes, "fmod")
    check_variable_and_dtype(y, "y", dtypes, "fmod")
    helper = LayerHelper("fmod", **locals())
    out = helper.create_variable_for_type_inference(dtype=x.dtype)
    helper.append_op(type="fmod", inputs={"X": x, "Y": y}, outputs={"Out": out}, attrs={"precision_mode": -1})
    return out


@inplace_apis_in_dygraph_only
def fmod_(x, y, name=None):
    """
    ``fmod`` with the result in ``x``, whose shape ``y`` is broadcast to. Please refer to :ref:`api_paddle_fmod`.
    """
    shape = paddle.broadcast_shape(x.shape, y.shape)
    if shape != x.shape:
        raise ValueError(f"fmod_: the result has shape {shape}, x has {x.shape}: expected a y that broadcasts to x")
    return _C_ops.fmod_(x, y, -1)
