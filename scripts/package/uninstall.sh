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
drop_entry() {
    [ -f "$config" ] || return 0
    priority=
    for name in $(sed -n 's/^load_priority=//p' "$config" | tr ',' ' '); do
        [ "$name" = "$vendor" ] || priority=${priority:+$priority,}$name
    done
    if [ -z "$priority" ]; then
        rm -f "$config"
        return
    fi
    cp -p "$config" "$config.new" && echo "load_priority=$priority" >"$config.new" && mv -T "$config.new" "$config" && return
    rm -f "$config.new"
    return 1
}
# In one step, so that nobody finds half a package.
drop_package() {
    cd / && rm -rf "$gone" && mv -T "$final" "$gone" && rm -rf "$gone"
}

if drop_entry 2>/dev/null; then
    drop_package || fail "cannot remove $final"
else
    # On a full disk the package makes the room that a new config.ini takes.
    drop_package || fail "cannot remove $final"
    drop_entry || fail "cannot write $config"
fi
log "[INFO] uninstalled $vendor"
echo SUCCESS
