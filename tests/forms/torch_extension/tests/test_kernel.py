"""The kernel without torch: compiled alone, launched by ctypes on memory of the toolkit."""

import array
import ctypes
import os
import subprocess
import tempfile
import unittest

PROJECT = os.path.dirname(os.path.dirname(os.path.abspath(__file__)))
CANN = os.environ["ASCEND_HOME_PATH"]
TO_DEVICE, TO_HOST = 1, 2
# hostcann watches every launch; a device does not know the variable.
os.environ.setdefault("HOSTCANN_CHECK", "1")


def check(status):
    if status != 0:
        raise RuntimeError(f"acl returned {status}")


class Kernel(unittest.TestCase):
    @classmethod
    def setUpClass(cls):
        cls.dir = tempfile.TemporaryDirectory()
        library = os.path.join(cls.dir.name, "libscaled.so")
        source = os.path.join(PROJECT, "csrc/scaled.asc")
        line = [os.path.join(CANN, "bin/bisheng"), "-O2", "-fPIC", "-shared", "-x", "asc", source, "-o", library]
        subprocess.run(line, check=True)
        cls.acl = ctypes.CDLL(os.path.join(CANN, "lib64/libascendcl.so"))
        cls.launch = ctypes.CDLL(library).LaunchScaled
        cls.launch.restype = None
        cls.stream = ctypes.c_void_p()
        check(cls.acl.aclInit(None))
        check(cls.acl.aclrtSetDevice(0))
        check(cls.acl.aclrtCreateStream(ctypes.byref(cls.stream)))

    @classmethod
    def tearDownClass(cls):
        check(cls.acl.aclrtDestroyStream(cls.stream))
        check(cls.acl.aclrtResetDevice(0))
        check(cls.acl.aclFinalize())
        cls.dir.cleanup()

    def copy(self, to, origin, size, kind):
        size = ctypes.c_size_t(size)
        check(self.acl.aclrtMemcpy(ctypes.c_void_p(to), size, ctypes.c_void_p(origin), size, ctypes.c_int(kind)))

    def scaled(self, element, values, scale, shift):
        size = len(values) * values.itemsize
        x, y = ctypes.c_void_p(), ctypes.c_void_p()
        for memory in (x, y):
            check(self.acl.aclrtMalloc(ctypes.byref(memory), ctypes.c_size_t(size), ctypes.c_int(0)))
        self.copy(x.value, values.buffer_info()[0], size, TO_DEVICE)
        blocks, count = ctypes.c_uint32(4), ctypes.c_uint32(len(values))
        self.launch(element, blocks, self.stream, x, y, count, ctypes.c_float(scale), ctypes.c_float(shift))
        check(self.acl.aclrtSynchronizeStream(self.stream))
        result = array.array(values.typecode, bytes(size))
        self.copy(result.buffer_info()[0], y.value, size, TO_HOST)
        for memory in (x, y):
            check(self.acl.aclrtFree(memory))
        return result

    def compare(self, got, want):
        wrong = [(at, one, other) for at, (one, other) in enumerate(zip(got, want)) if one != other]
        self.assertEqual((len(got), wrong[:3]), (len(want), []))

    def test_float(self):
        for count in (1, 2048, 10007):
            values = array.array("f", (0.5 * i for i in range(count)))
            self.compare(self.scaled(0, values, 4.0, -7.0), [2.0 * i - 7.0 for i in range(count)])

    def test_int32(self):
        values = array.array("i", range(-3000, 3001))
        self.compare(self.scaled(1, values, 3.0, 5.0), [3 * i + 5 for i in range(-3000, 3001)])


if __name__ == "__main__":
    unittest.main()
