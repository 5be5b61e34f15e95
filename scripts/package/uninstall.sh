#!/bin/sh
# Removes the package this script was installed with and its entry in config.ini.
vendor=@VENDOR_DIR@
here=$(cd "$(dirname "$0")" && pwd) || exit 1
final=$(dirname "$here")
vendors=$(dirname "$final")

log() {
    echo "[ops_custom] [$(date '+%Y-%m-%d %H:%M:%S')] $1"
}

if [ "$(basename "$final")" != "$vendor" ] || [ ! -f "$final/version.info" ]; then
    log "[INFO] $vendor is not installed here; run vendors/$vendor/scripts/uninstall.sh"
    exit 1
fi

config=$vendors/config.ini
# An --install-path installation has no config.ini.
if [ -f "$config" ]; then
    priority=
    for name in $(sed -n 's/^load_priority=//p' "$config" | tr ',' ' '); do
        [ "$name" = "$vendor" ] || priority=${priority:+$priority,}$name
    done
    if [ -n "$priority" ]; then
        echo "load_priority=$priority" >"$config.new.$$" && mv "$config.new.$$" "$config" || exit 1
    else
        rm -f "$config" || exit 1
    fi
fi
cd / && rm -rf "$final" || exit 1
log "[INFO] uninstalled $vendor"
echo SUCCESS
