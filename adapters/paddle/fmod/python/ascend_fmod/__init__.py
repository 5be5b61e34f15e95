"""The remainder of truncated division for Paddle, computed by the installed operator package through aclnn.

``fmod`` has the sign of the dividend, as C's ``fmod`` and ``numpy.fmod``. ``paddle.mod`` (``paddle.remainder``) is
another function: its result has the sign of the divisor.
"""

from .api import DTYPES, PRECISIONS, fmod

__all__ = ["DTYPES", "PRECISIONS", "fmod"]
