#!/bin/sh
# Copies the package to --install-path, ASCEND_CUSTOM_OPP_PATH or ASCEND_OPP_PATH.
set -e
target=${ASCEND_CUSTOM_OPP_PATH:-${ASCEND_OPP_PATH:-}}
for word in "$@"; do
    case "$word" in
        --install-path=*) target=${word#*=} ;;
    esac
done
[ -n "$target" ] || { echo "ASCEND_OPP_PATH is not set: source set_env.sh of the toolkit" >&2; exit 1; }
mkdir -p "$target/vendors"
for vendor in packages/vendors/*; do
    name=$(basename "$vendor")
    rm -rf "$target/vendors/$name"
    cp -a "$vendor" "$target/vendors/$name"
    others=$(sed -n 's/^load_priority=//p' "$target/vendors/config.ini" 2>/dev/null | tr , '\n' | grep -vx "$name" | paste -sd, -)
    echo "load_priority=$name${others:+,$others}" > "$target/vendors/config.ini"
done
echo SUCCESS
