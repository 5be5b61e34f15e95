#!/bin/bash
# Builds build_out/custom_opp_<system>.run.
set -e
cd "$(dirname "$(realpath "$0")")"
rm -rf build_out
cmake -S . -B build_out --preset=default
cmake --build build_out --target binary -j"$(nproc)"
cmake --build build_out --target package -j"$(nproc)"
