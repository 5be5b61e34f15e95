"""Packs a staged tree as a wheel: wheel.py TREE WHEEL.

TREE holds the packages and one <name>-<version>.dist-info, whose RECORD this writes. The same tree gives the same bytes.
"""

import base64
import hashlib
import os
import pathlib
import sys
import zipfile

# The oldest time that a zip file can name.
TIME = (1980, 1, 1, 0, 0, 0)


def main(tree, wheel):
    info = next(tree.glob("*.dist-info"))
    record = info / "RECORD"
    files = sorted(path for path in tree.rglob("*") if path.is_file() and path != record)
    lines = []
    with zipfile.ZipFile(wheel, "w", zipfile.ZIP_DEFLATED) as archive:
        for path in files:
            data = path.read_bytes()
            name = path.relative_to(tree).as_posix()
            digest = base64.urlsafe_b64encode(hashlib.sha256(data).digest()).rstrip(b"=").decode()
            lines.append(f"{name},sha256={digest},{len(data)}\n")
            add(archive, name, data, os.access(path, os.X_OK))
        name = record.relative_to(tree).as_posix()
        add(archive, name, "".join([*lines, f"{name},,\n"]).encode(), False)


def add(archive, name, data, executable):
    entry = zipfile.ZipInfo(name, TIME)
    entry.compress_type = zipfile.ZIP_DEFLATED
    entry.external_attr = (0o100755 if executable else 0o100644) << 16
    archive.writestr(entry, data)


if __name__ == "__main__":
    main(pathlib.Path(sys.argv[1]), pathlib.Path(sys.argv[2]))
