"""The project tests/forms/torch_extension: its setup.py builds it, then its own tests run."""

import os
import pathlib
import shutil
import subprocess
import sys
import unittest

REPOSITORY = pathlib.Path(__file__).resolve().parents[2]
PROJECT = REPOSITORY / "tests/forms/torch_extension"
CANN = pathlib.Path(os.environ["ASCEND_HOME_PATH"])


def built():
    """A copy of the project with its extension; the next run takes it again while nothing changes that it was made of."""
    copy = REPOSITORY / "target/xtask/torch_extension"
    toolkit = [CANN / "bin/bisheng", CANN / "lib64/libascendcl.so", CANN / "lib64/libnnopbase.so"]
    files = [file for file in sorted(PROJECT.rglob("*")) if file.is_file()] + toolkit
    state = "\n".join([sys.executable] + [f"{file} {file.stat().st_mtime_ns}" for file in files])
    stamp = copy / "state.txt"
    if not stamp.is_file() or stamp.read_text() != state:
        shutil.rmtree(copy, ignore_errors=True)
        shutil.copytree(PROJECT, copy)
        run(copy, "setup.py", "build_ext", "--inplace")
        stamp.write_text(state)
    return copy


def run(directory, *arguments):
    line = [sys.executable, *arguments]
    done = subprocess.run(line, cwd=directory, stdout=subprocess.PIPE, stderr=subprocess.STDOUT, text=True)
    if done.returncode != 0:
        raise AssertionError(f"{' '.join(line)} returned {done.returncode}:\n{done.stdout}")
    return done.stdout


class Extension(unittest.TestCase):
    def test_project(self):
        said = run(built(), "-m", "unittest", "discover", "-s", "tests")
        self.assertRegex(said, r"Ran 8 tests.*\n\nOK\n")


if __name__ == "__main__":
    unittest.main()
