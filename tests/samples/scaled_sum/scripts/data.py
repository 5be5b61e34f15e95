import sys

import numpy as np

TOTAL = 1024

if sys.argv[1] == "make":
    numbers = np.arange(TOTAL, dtype=np.float32)
    numbers.tofile("x.bin")
    (numbers * np.float32(0.25) - np.float32(7)).astype(np.float32).tofile("y.bin")
else:
    x, y = (np.fromfile(name, dtype=np.float32) for name in ("x.bin", "y.bin"))
    half = np.float32(0.5)
    if not np.array_equal(np.fromfile("output.bin", dtype=np.float32), half * (half * (x + y) + y)):
        sys.exit("the results differ")
    print("the same bits")
