"""The tables of ../tables: a case that hangs or crashes is a row, and which tests of PyTorch's are taken."""

import os
import signal
import sys
import time
import unittest
import unittest.mock

sys.path.insert(0, os.path.join(os.path.dirname(os.path.dirname(os.path.abspath(__file__))), "tables"))

import forked  # noqa: E402
from chosen import chosen  # noqa: E402

SUITE = """
class CommonTemplate:
    def test_sum(self):
        self.common(lambda a: (a.sum(-1), torch.tanh(a)), (torch.randn(4, 4),))

    def test_product(self):
        self.common(lambda a: torch.mm(a, a).sum(), (torch.randn(4, 4),))

    def test_layer(self):
        self.common(torch.nn.Conv2d(1, 1, 1), (torch.randn(1, 1, 4, 4),))

    def test_code(self):
        self.common(lambda a: a + 1, (torch.randn(4, 4),))
        FileCheck().run("")

    def test_own(self):
        self.assertEqual(1, 1)

    @parametrize("n", (1, 2))
    def test_several(self, n):
        self.common(lambda a: a + n, (torch.randn(4, 4),))
"""


class Rows(unittest.TestCase):
    def outcome(self, case):
        row = forked.run(case)
        return row["outcome"], row["why"]

    def test_outcomes(self):
        def raises(error):
            raise error

        self.assertEqual(self.outcome(lambda: None), ("right", ""))
        self.assertEqual(self.outcome(lambda: raises(forked.Different("2 is not 1"))), ("wrong", "2 is not 1"))
        self.assertEqual(self.outcome(lambda: raises(RuntimeError("x\nautofuse: y\nz"))), ("failed", "RuntimeError: autofuse: y"))
        self.assertEqual(self.outcome(lambda: raises(SystemExit(0))), ("failed", "SystemExit: 0"))

    def test_a_crash(self):
        said = self.outcome(lambda: os.kill(os.getpid(), signal.SIGSEGV))
        self.assertEqual(said, ("failed", "the process ended early (status -11)"))

    def test_a_hang(self):
        with unittest.mock.patch.object(forked, "LIMIT", 1):
            begin = time.monotonic()
            self.assertEqual(self.outcome(lambda: time.sleep(600)), ("failed", "it took more than 1 s"))
            self.assertLess(time.monotonic() - begin, 300)


class Chosen(unittest.TestCase):
    def test_the_rule(self):
        taken, left = chosen(SUITE)
        self.assertEqual(taken, ["test_sum"])
        self.assertEqual(left, {
            "test_product": "other operators: mm", "test_layer": "other operators: Conv2d", "test_code": "of one back end: FileCheck",
            "test_own": "it compares by itself", "test_several": "several tests by one name"})

    def test_a_file_without_the_class(self):
        with self.assertRaisesRegex(ValueError, "no class CommonTemplate"):
            chosen("class Other: pass")


if __name__ == "__main__":
    unittest.main()
