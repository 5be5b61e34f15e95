"""Headers of the toolkit beside those that torch_npu brings: a program may see either first."""

import importlib.util
import os
import subprocess
import unittest

HEADERS = ["acl/acl.h", "acl/acl_rt.h", "graph/types.h"]
# Of the toolkit alone; each includes headers that torch_npu has, too.
DEFINITIONS = ["register/op_def_registry.h", "exe_graph/runtime/tiling_context.h", "tiling/platform/platform_ascendc.h"]


def includes():
    """The toolkit's directory, and torch_npu's: one that has acl/ and graph/."""
    toolkit = os.path.join(os.environ["ASCEND_HOME_PATH"], "include")
    package = os.path.dirname(importlib.util.find_spec("torch_npu").origin)
    theirs = [top for top, _, _ in os.walk(package) if all(os.path.isfile(os.path.join(top, name)) for name in HEADERS)]
    return toolkit, theirs[0]


class EitherOrder(unittest.TestCase):
    def compile(self, first, second):
        """Quoted paths, so that neither directory hides the other; what headers include comes from the first."""
        lines = [f'#include "{os.path.join(place, name)}"' for place in (first, second) for name in HEADERS]
        use = "aclrtStream stream = nullptr; aclDataType type = ACL_FLOAT; ge::DataType same = ge::DT_FLOAT;"
        return self.check([*lines, use, "int main() { return aclrtSynchronizeStream(stream) + type + same; }"], first, second)

    def check(self, lines, first, second):
        line = [os.environ.get("CXX", "g++"), "-std=c++17", "-fsyntax-only", "-xc++", "-", "-I", first, "-I", second]
        return subprocess.run(line, input="\n".join(lines), text=True, capture_output=True)

    def test_either_order(self):
        toolkit, theirs = includes()
        for first, second in ((toolkit, theirs), (theirs, toolkit)):
            with self.subTest(first=first):
                compiled = self.compile(first, second)
                self.assertEqual(compiled.returncode, 0, compiled.stderr[:3000])

    def test_definitions_of_operators(self):
        toolkit, theirs = includes()
        for first, second in ((toolkit, theirs), (theirs, toolkit)):
            for name in DEFINITIONS:
                with self.subTest(first=first, name=name):
                    lines = [f'#include "{header}"' for header in ("graph/ge_error_codes.h", name, "graph/operator.h")]
                    compiled = self.check(lines, first, second)
                    self.assertEqual(compiled.returncode, 0, compiled.stderr[:3000])


if __name__ == "__main__":
    unittest.main()
