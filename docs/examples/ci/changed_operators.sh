#!/bin/sh
# Prints the operator directories with a change, one in a line: changed_operators.sh BASE compares HEAD with the commit where it
# left BASE, changed_operators.sh --cached the index with HEAD.
set -eu
case "$1" in
--cached) range=--cached ;;
*) range="$1...HEAD" ;;
esac
git diff --name-only --diff-filter=d "$range" | while read -r file; do
    dir=$(dirname "$file")
    while [ "$dir" != . ]; do
        if [ -d "$dir/op_host" ] && [ -d "$dir/op_kernel" ]; then
            echo "$dir"
            break
        fi
        dir=$(dirname "$dir")
    done
done | sort -u
