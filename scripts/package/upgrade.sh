#!/bin/sh
# Renews the package in an existing opp tree; takes no options.
vendor=@VENDOR_DIR@
unset CDPATH
here=$(cd -- "$(dirname -- "$0")" && pwd) || exit 1
if [ ! -d "${ASCEND_OPP_PATH:-}/vendors/$vendor" ]; then
    echo "[ops_custom] [$(date '+%Y-%m-%d %H:%M:%S')] [ERROR] $vendor is not installed below ASCEND_OPP_PATH=${ASCEND_OPP_PATH:-}"
    exit 1
fi
unset ASCEND_CUSTOM_OPP_PATH
exec sh "$here/install.sh"
