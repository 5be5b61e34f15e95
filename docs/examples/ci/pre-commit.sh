#!/bin/sh
# Contribution rules of the operators with staged changes. As a git hook, or as the entry of a hook of pre-commit; arguments go
# to `hostcann pr`.
set -eu
status=0
for op in $(sh "$(dirname "$0")/changed_operators.sh" --cached); do
    hostcann pr --check --op-dir "$op" "$@" || status=$?
done
exit "$status"
