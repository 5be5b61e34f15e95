"""Cases of a table, each in a process of its own: what hangs or crashes is a row, and the others run all the same.

The process is forked from one that has imported torch and has not used the device. A row says what came of the case, how many
kernels were made of its graphs, and which operators were left to torch_npu.
"""

import collections
import json
import os
import select
import signal
import time
import traceback
import unittest

import torch
import torch._inductor.graph
import torch._inductor.ir
import torch_npu  # noqa: F401

# Seconds for one case.
LIMIT = int(os.environ.get("AUTOFUSE_CASE_SECONDS", "300"))
# Where the table goes, besides stdout.
TABLE = "AUTOFUSE_TABLE"

RIGHT, WRONG, FAILED = "right", "wrong", "failed"


class Different(AssertionError):
    """Results are not those that are expected."""


class Elsewhere(RuntimeError):
    """What failed is nothing that was compiled."""


class Counts:
    """What Inductor made of the graphs of this process."""

    def __init__(self):
        from autofuse import pyautofuse

        self.kernels, self.operators = [], []
        codegen, load = pyautofuse.Autofuser.codegen, torch._inductor.graph.GraphLowering.compile_to_module

        def counted(fuser, scheduled):
            texts = codegen(fuser, scheduled)
            self.kernels.append(scheduled.name)
            return texts

        def loaded(graph, *arguments, **named):
            before = len(self.kernels)
            try:
                module = load(graph, *arguments, **named)
            except BaseException:
                # A graph that is refused is compiled once more without kernels.
                del self.kernels[before:]
                raise
            self.operators += [name for name in map(_name, graph.operations) if name]
            return module

        pyautofuse.Autofuser.codegen = counted
        torch._inductor.graph.GraphLowering.compile_to_module = loaded


def _name(node):
    """Of an operator that is called; None for kernels, and for one of several results of a call."""
    if not isinstance(node, torch._inductor.ir.ExternKernel):
        return None
    operator = node.op_overload or node.python_kernel_name
    return operator and str(operator).removeprefix("torch.ops.").removeprefix("aten.").removesuffix(".default")


def reason(error):
    """One line of an exception: ours, where torch_npu says it on a later one."""
    lines = [line.strip() for line in str(error).splitlines() if line.strip()] or [""]
    own = [line for line in lines if any(word in line for word in ("aclnn", "aclop", "autofuse: ", "error AG", "[ERROR]"))]
    said = (own or lines)[0]
    return f"{type(error).__name__}: {said}"[:240]


def _child(case, end):
    told = {"kernels": 0, "operators": []}
    try:
        counts = Counts()
        try:
            case()
            told["outcome"], told["why"] = RIGHT, ""
        except unittest.SkipTest as error:
            told["outcome"], told["why"] = FAILED, f"not for this device: {error}"
        except Different as error:
            told["outcome"], told["why"] = WRONG, " ".join(str(error).split())[:400]
        except BaseException as error:
            told["outcome"], told["why"] = FAILED, reason(error)
            traceback.print_exc()
        told["kernels"], told["operators"] = len(counts.kernels), counts.operators
    finally:
        os.write(end, json.dumps(told).encode())
        os._exit(0)


def run(case):
    """The row of one case."""
    begin = time.monotonic()
    out, end = os.pipe()
    child = os.fork()
    if child == 0:
        os.setpgid(0, 0)
        os.close(out)
        _child(case, end)
    os.close(end)
    text, late = b"", False
    while True:
        ready, _, _ = select.select([out], [], [], max(0, begin + LIMIT - time.monotonic()))
        if not ready:
            late = True
            break
        part = os.read(out, 65536)
        if not part:
            break
        text += part
    # Compilers that it has started are of its group.
    try:
        os.killpg(child, signal.SIGKILL)
    except ProcessLookupError:
        pass
    os.close(out)
    _, status, used = os.wait4(child, 0)
    row = {"outcome": FAILED, "kernels": 0, "operators": []}
    if late:
        row["why"] = f"it took more than {LIMIT} s"
    elif text:
        row = json.loads(text)
    else:
        row["why"] = f"the process ended early (status {os.waitstatus_to_exitcode(status)})"
    return {**row, "seconds": round(used.ru_utime + used.ru_stime, 1)}


class Table:
    """Rows by name; printed at the end, and in its file after each row."""

    def __init__(self, title):
        self.title, self.rows = title, {}

    def check(self, test, name, case):
        """A wrong result fails the test; what fails otherwise is a test that is skipped, with the reason."""
        row = self.rows[name] = run(case)
        self.write()
        if row["outcome"] == WRONG:
            test.fail(row["why"])
        if row["outcome"] == FAILED:
            test.skipTest(row["why"])

    def text(self):
        rows = self.rows.values()

        def of(outcome):
            return [row for row in rows if row["outcome"] == outcome]

        right = of(RIGHT)
        lines = [self.title, "", "| case | | kernels | left to operators | processor, s |", "|---|---|---|---|---|"]
        for name, row in self.rows.items():
            said = row["outcome"] if row["outcome"] == RIGHT else f"{row['outcome']}: {row['why']}".replace("|", "\\|")
            left = ", ".join(sorted(set(row["operators"])))
            lines.append(f"| {name} | {said} | {row['kernels']} | {left} | {row['seconds']} |")
        left = collections.Counter(operator for row in right for operator in set(row["operators"]))
        lines += [
            "",
            f"right {len(right)}: {sum(row['kernels'] > 0 and not row['operators'] for row in right)} all in kernels, "
            f"{sum(row['kernels'] > 0 and bool(row['operators']) for row in right)} kernels and operators, "
            f"{sum(row['kernels'] == 0 for row in right)} operators only; "
            f"{sum(row['kernels'] for row in right)} kernels",
            "left to operators in those, by cases: " + (", ".join(f"{name} {n}" for name, n in left.most_common()) or "none"),
            f"failed for another reason {len(of(FAILED))}",
            f"wrong {len(of(WRONG))}",
        ]
        return "\n".join(lines)

    def write(self):
        path = os.environ.get(TABLE)
        if path:
            with open(path, "w", encoding="utf-8") as file:
                file.write(self.text() + "\n")
