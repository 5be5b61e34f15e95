#!/bin/sh
# Installs packages/vendors/@VENDOR_DIR@. The new tree is completed next to its final place and exchanged with the old one:
# whatever happens on the way, the old version or the new one is there.
vendor=@VENDOR_DIR@
unset CDPATH
here=$(cd -- "$(dirname -- "$0")" && pwd) || exit 1
source_dir=$here/packages/vendors/$vendor

log() {
    echo "[ops_custom] [$(date '+%Y-%m-%d %H:%M:%S')] $1"
}

fail() {
    log "[ERROR] $1"
    exit 1
}

install_path=
for_all=
force=
for argument in "$@"; do
    case $argument in
        --install-path=*)
            install_path=${argument#--install-path=}
            case $install_path in
                /*) ;;
                *) fail "use absolute path for --install-path argument" ;;
            esac
            ;;
        --install-for-all) for_all=y ;;
        --force) force=y ;;
    esac
done

# Whatever the user's umask: the group may read, everyone with --install-for-all.
if [ -n "$for_all" ]; then
    umask 022
    modes=u=rwX,go=rX
else
    umask 027
    modes=u=rwX,g=rX,o=
fi

# An installed package, which is what set_env.bash puts into ASCEND_CUSTOM_OPP_PATH, and not a place for packages.
is_package() {
    case ${1%/*} in
        */vendors) [ -f "$1/version.info" ] ;;
        *) return 1 ;;
    esac
}

# Installs beside a package: with config.ini where that names it, else like the --install-path it came from.
beside() {
    base=${1%/vendors/*}
    base=${base:-/}
    case ,$(sed -n 's/^load_priority=//p' "$base/vendors/config.ini" 2>/dev/null), in
        *,${1##*/},*) ;;
        *) install_path=$base ;;
    esac
}

from_custom_opp_path() {
    rest=$ASCEND_CUSTOM_OPP_PATH:
    while [ -n "$rest" ]; do
        entry=${rest%%:*}
        entry=${entry%/}
        rest=${rest#*:}
        if [ "${entry##*/}" = "$vendor" ] && is_package "$entry"; then
            beside "$entry"
            return
        fi
    done
    case $ASCEND_CUSTOM_OPP_PATH in
        *:*) fail "env ASCEND_CUSTOM_OPP_PATH holds several paths ($ASCEND_CUSTOM_OPP_PATH); unset it or use --install-path" ;;
    esac
    if is_package "${ASCEND_CUSTOM_OPP_PATH%/}"; then
        beside "${ASCEND_CUSTOM_OPP_PATH%/}"
    else
        base=$ASCEND_CUSTOM_OPP_PATH
    fi
}

if [ -n "$install_path" ]; then
    base=$install_path
    if [ ! -d "$install_path" ]; then
        mkdir -p "$install_path" || fail "cannot create $install_path"
    fi
elif [ -n "${ASCEND_CUSTOM_OPP_PATH:-}" ]; then
    from_custom_opp_path
else
    base=${ASCEND_OPP_PATH:-}
    [ -n "$base" ] || fail "env ASCEND_OPP_PATH no exist"
fi
case $base in
    /*) ;;
    *) fail "$base is not an absolute path: correct ASCEND_CUSTOM_OPP_PATH or ASCEND_OPP_PATH, or use --install-path" ;;
esac
if [ -n "$install_path" ]; then
    # It goes into a list that is separated by colons, in a script that is read line by line.
    case $base in
        *:* | *'
'*) fail "$base: a colon or a line break in --install-path cannot be used in set_env.bash" ;;
    esac
fi
[ -d "$base" ] || fail "$base no exist"
[ -d "$source_dir" ] || fail "the package has no packages/vendors/$vendor"

vendors=${base%/}/vendors
final=$vendors/$vendor
new=$vendors/.$vendor.new
old=$vendors/.$vendor.old
config=$vendors/config.ini

# The kernel releases the lock when this process ends, however it ends.
lock() {
    [ -r "$vendors" ] || fail "$vendors cannot be read: its mode allows no installation"
    exec 9<"$vendors"
    if command -v flock >/dev/null 2>&1; then
        flock -n 9 2>/dev/null && return
        if [ $? -eq 1 ]; then
            log "[INFO] waiting for another installation into $vendors"
            flock 9 && return
        fi
    fi
    log "[WARNING] $vendors cannot be locked (no flock, or a file system without locks): never install twice at once"
}

there() {
    [ -e "$1" ] || [ -L "$1" ]
}

# Brings back what a killed run has put aside, then removes what such runs left; other versions of this script used process
# numbers in names.
recover() {
    for left in "$old" "$old".*; do
        if [ -d "$left" ] && ! there "$final"; then
            mv -T "$left" "$final" || fail "cannot bring $left back to $final"
        fi
    done
    rm -rf "$new" "$new".* "$old" "$old".* "$vendors/.$vendor.gone" "$config.new" "$config.new".* ||
        fail "cannot remove what an interrupted installation left in $vendors"
}

# Two directories change places in one step; fails where there is no python3 or the file system cannot do it.
exchange() {
    command -v python3 >/dev/null 2>&1 && python3 -I -c '
import ctypes, os, sys
AT_FDCWD, RENAME_EXCHANGE = -100, 2
paths = [os.fsencode(path) for path in sys.argv[1:]]
sys.exit(ctypes.CDLL(None).renameat2(AT_FDCWD, paths[0], AT_FDCWD, paths[1], RENAME_EXCHANGE) != 0)
' "$1" "$2" 2>/dev/null
}

put_in_place() {
    if ! there "$final"; then
        mv -T "$new" "$final" || fail "cannot put $final in place"
    elif ! exchange "$new" "$final"; then
        # A run that is killed between these two is completed by the next one.
        mv -T "$final" "$old" || fail "cannot replace $final"
        mv -T "$new" "$final" || fail "cannot put $final in place"
    fi
}

# Loads every library the way the toolkit will; without a toolkit only the machine type can be compared. Where they will
# stay: the directory for temporary files may forbid to load programs.
validate() {
    # Operators with AI CPU kernels only have no tiling library.
    [ -n "$(find "$new" -name libcust_opmaster_rt2.0.so -o -name 'lib*_aicpu_kernels.so')" ] || return 1
    if [ -n "${ASCEND_HOME_PATH:-}" ] && command -v python3 >/dev/null 2>&1; then
        find "$new" -name 'lib*.so' -type f |
            LD_LIBRARY_PATH=$new/op_api/lib:$ASCEND_HOME_PATH/lib64${LD_LIBRARY_PATH:+:$LD_LIBRARY_PATH} \
                python3 -I -c '
import ctypes, os, sys
for path in sys.stdin.read().split("\n"):
    if path:
        try:
            ctypes.CDLL(path, os.RTLD_NOW)
        except OSError as error:
            sys.exit(str(error))
'
        return
    fi
    want=$(od -An -tx1 -j18 -N2 /proc/self/exe 2>/dev/null)
    find "$new" -name 'lib*.so' -type f | while IFS= read -r lib; do
        if [ "$(od -An -tx1 -j18 -N2 "$lib")" != "$want" ]; then
            echo "$lib: not for this machine"
            exit 1
        fi
    done
}

quoted() {
    printf '%s\n' "$1" | sed "s/'/'\\\\''/g; s/^/'/; s/\$/'/"
}

mkdir -p "$vendors" || fail "cannot create $vendors"
[ -z "$for_all" ] || chmod o=g "$vendors" || fail "cannot change the mode of $vendors"
lock
if there "$final" && [ ! -d "$final" ]; then
    fail "$final is not a directory: move it away"
fi
recover

cleanup() {
    rm -rf "$new" "$config.new"
    if [ -d "$old" ]; then
        there "$final" || mv -T "$old" "$final"
        rm -rf "$old"
    fi
}
trap cleanup EXIT
trap 'exit 129' HUP
trap 'exit 130' INT
trap 'exit 143' TERM

mkdir "$new" || fail "cannot create $new"
for part in framework op_proto op_impl op_api; do
    if [ -e "$source_dir/$part" ]; then
        log "[INFO] upgrade $part"
        cp -R "$source_dir/$part" "$new/" || fail "cannot copy $part (is the disk full?)"
    fi
done

log "[INFO] upgrade uninstall script"
mkdir "$new/scripts" && cp "$here/uninstall.sh" "$new/scripts/" || fail "cannot copy uninstall.sh"
log "[INFO] upgrade version.info"
cp "$source_dir/version.info" "$new/" || fail "cannot copy version.info"

if [ -n "$install_path" ]; then
    quoted=$(quoted "$final")
    mkdir "$new/bin" && cat >"$new/bin/set_env.bash" <<END || fail "cannot write set_env.bash"
#!/bin/bash
export ASCEND_CUSTOM_OPP_PATH=$quoted"\${ASCEND_CUSTOM_OPP_PATH:+:\${ASCEND_CUSTOM_OPP_PATH}}"
export LD_LIBRARY_PATH=$quoted/op_api/lib/"\${LD_LIBRARY_PATH:+:\${LD_LIBRARY_PATH}}"
END
fi
chmod -R "$modes" "$new" && chmod u=rx "$new/scripts/uninstall.sh" || fail "cannot change modes below $new"

if [ -n "$force" ]; then
    log "[WARNING] --force: shared library validation is skipped"
else
    log "[INFO] upgrade: validate shared libraries"
    validate || fail "Shared library validation failed. To skip this validation use --force."
fi

if [ -z "$install_path" ]; then
    # The new vendor first, the others in their old order.
    priority=$vendor
    if [ -f "$config" ]; then
        for name in $(sed -n 's/^load_priority=//p' "$config" | tr ',' ' '); do
            [ "$name" = "$vendor" ] || priority=$priority,$name
        done
        # With the mode that others may rely on.
        cp -p "$config" "$config.new" || fail "cannot write $config.new"
    fi
    echo "load_priority=$priority" >"$config.new" || fail "cannot write $config.new"
    [ -z "$for_all" ] || chmod o=g "$config.new" || fail "cannot change the mode of $config.new"
fi

put_in_place

if [ -n "$install_path" ]; then
    log "[INFO] to use it: source $(quoted "$final/bin/set_env.bash")"
else
    mv -T "$config.new" "$config" || fail "cannot write $config"
    log "[INFO] to link against it: export LD_LIBRARY_PATH=$(quoted "$final/op_api/lib/"):\$LD_LIBRARY_PATH"
fi
echo SUCCESS
