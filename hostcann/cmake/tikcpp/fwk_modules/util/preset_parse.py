"""The cache variables of a CMakePresets.json as options of cmake, for a CMake that knows no presets."""
import json
import os
import sys


def main(path):
    with open(path, encoding="utf-8") as file:
        presets = json.load(file)
    source = os.path.dirname(os.path.abspath(path))
    options = []
    for preset in presets.get("configurePresets", []):
        for name, value in preset.get("cacheVariables", {}).items():
            value = value["value"] if isinstance(value, dict) else value
            options.append("-D" + name + "=" + str(value).replace("${sourceDir}", source))
    print(" ".join(options))


if __name__ == "__main__":
    main(sys.argv[1])
