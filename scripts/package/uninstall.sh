#!/bin/sh
# Removes the package this script was installed with and its entry in config.ini.
vendor=@VENDOR_DIR@
unset CDPATH
here=$(cd -- "$(dirname -- "$0")" && pwd) || exit 1
final=$(dirname -- "$here")
vendors=$(dirname -- "$final")
gone=$vendors/.$vendor.gone

log() {
    echo "[ops_custom] [$(date '+%Y-%m-%d %H:%M:%S')] $1"
}

fail() {
    log "[ERROR] $1"
    exit 1
}

if [ "$(basename -- "$final")" != "$vendor" ] || [ ! -f "$final/version.info" ]; then
    log "[INFO] $vendor is not installed here; run vendors/$vendor/scripts/uninstall.sh"
    exit 1
fi

# As install.sh does: one writer of config.ini.
exec 9<"$vendors"
if ! flock 9 2>/dev/null; then
    log "[WARNING] $vendors cannot be locked (no flock, or a file system without locks): never install twice at once"
fi

config=$vendors/config.ini
# An --install-path installation has no config.ini.
if [ -f "$config" ]; then
    priority=
    for name in $(sed -n 's/^load_priority=//p' "$config" | tr ',' ' '); do
        [ "$name" = "$vendor" ] || priority=${priority:+$priority,}$name
    done
    if [ -n "$priority" ]; then
        { cp -p "$config" "$config.new" && echo "load_priority=$priority" >"$config.new" &&
            mv -T "$config.new" "$config"; } || fail "cannot write $config"
    else
        rm -f "$config" || fail "cannot remove $config"
    fi
fi
# In one step, so that nobody finds half a package.
cd / && rm -rf "$gone" && mv -T "$final" "$gone" && rm -rf "$gone" || fail "cannot remove $final"
log "[INFO] uninstalled $vendor"
echo SUCCESS
