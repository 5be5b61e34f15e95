#!/bin/sh
# Installs packages/vendors/@VENDOR_DIR@. The new tree is completed next to its final place and swapped in by renames:
# a failure on the way leaves the previous installation as it was.
vendor=@VENDOR_DIR@
here=$(cd "$(dirname "$0")" && pwd) || exit 1
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

if [ -n "$install_path" ]; then
    base=${install_path%/}
    if [ ! -d "$install_path" ]; then
        mkdir -p "$install_path" && chmod 750 "$install_path" || fail "cannot create $install_path"
    fi
elif [ -n "${ASCEND_CUSTOM_OPP_PATH:-}" ]; then
    base=$ASCEND_CUSTOM_OPP_PATH
    case $base in
        *:*) fail "env ASCEND_CUSTOM_OPP_PATH holds several paths ($base); unset it or use --install-path" ;;
    esac
else
    base=${ASCEND_OPP_PATH:-}
    [ -n "$base" ] || fail "env ASCEND_OPP_PATH no exist"
fi
[ -d "$base" ] || fail "$base no exist"
[ -d "$source_dir" ] || fail "the package has no packages/vendors/$vendor"

vendors=$base/vendors
final=$vendors/$vendor
new=$vendors/.$vendor.new.$$
old=$vendors/.$vendor.old.$$

cleanup() {
    rm -rf "$new"
    if [ -d "$old" ]; then
        # Interrupted between the two renames: the previous installation comes back.
        [ -e "$final" ] || mv "$old" "$final"
        rm -rf "$old"
    fi
}
trap cleanup EXIT
trap 'exit 129' HUP
trap 'exit 130' INT
trap 'exit 143' TERM

# Loads every library the way the toolkit will; without a toolkit only the machine type can be compared.
validate() {
    # Operators with AI CPU kernels only have no tiling library.
    [ -n "$(find "$source_dir" -name libcust_opmaster_rt2.0.so -o -name 'lib*_aicpu_kernels.so')" ] || return 1
    if [ -n "${ASCEND_HOME_PATH:-}" ] && command -v python3 >/dev/null 2>&1; then
        find "$source_dir" -name 'lib*.so' -type f >"$here/libs.txt" || return 1
        LD_LIBRARY_PATH=$source_dir/op_api/lib:$ASCEND_HOME_PATH/lib64${LD_LIBRARY_PATH:+:$LD_LIBRARY_PATH} \
            python3 -c '
import ctypes, os, sys
for path in open(sys.argv[1]).read().split("\n"):
    if path:
        try:
            ctypes.CDLL(path, os.RTLD_NOW)
        except OSError as error:
            sys.exit(str(error))
' "$here/libs.txt"
        return
    fi
    want=$(od -An -tx1 -j18 -N2 /proc/self/exe 2>/dev/null)
    for lib in $(find "$source_dir" -name 'lib*.so' -type f); do
        [ "$(od -An -tx1 -j18 -N2 "$lib")" = "$want" ] || return 1
    done
}

if [ -n "$force" ]; then
    log "[WARNING] --force: shared library validation is skipped"
else
    log "[INFO] upgrade: validate shared libraries"
    validate || fail "Shared library validation failed. To skip this validation use --force."
fi

mkdir -p "$vendors" || fail "cannot create $vendors"
mkdir "$new" || fail "cannot create $new"
for part in framework op_proto op_impl op_api; do
    if [ -e "$source_dir/$part" ]; then
        log "[INFO] upgrade $part"
        cp -R "$source_dir/$part" "$new/" || fail "cannot copy $part (is the disk full?)"
    fi
done

log "[INFO] upgrade uninstall script"
mkdir "$new/scripts" && cp "$here/uninstall.sh" "$new/scripts/" && chmod 550 "$new/scripts/uninstall.sh" ||
    fail "cannot copy uninstall.sh"
log "[INFO] upgrade version.info"
cp "$source_dir/version.info" "$new/" || fail "cannot copy version.info"

if [ -n "$install_path" ]; then
    mkdir "$new/bin" && cat >"$new/bin/set_env.bash" <<EOF || fail "cannot write set_env.bash"
#!/bin/bash
export ASCEND_CUSTOM_OPP_PATH=$final\${ASCEND_CUSTOM_OPP_PATH:+:\${ASCEND_CUSTOM_OPP_PATH}}
export LD_LIBRARY_PATH=$final/op_api/lib/\${LD_LIBRARY_PATH:+:\${LD_LIBRARY_PATH}}
EOF
fi
if [ -n "$for_all" ]; then
    chmod -R o=g "$new" || fail "cannot change modes below $new"
fi

if [ -e "$final" ]; then
    mv "$final" "$old" || fail "cannot replace $final"
fi
mv "$new" "$final" || fail "cannot put $final in place"

if [ -n "$install_path" ]; then
    log "[INFO] to use it: source $final/bin/set_env.bash"
else
    # The new vendor first, the others in their old order.
    config=$vendors/config.ini
    priority=$vendor
    if [ -f "$config" ]; then
        for name in $(sed -n 's/^load_priority=//p' "$config" | tr ',' ' '); do
            [ "$name" = "$vendor" ] || priority=$priority,$name
        done
    fi
    if [ "$(cat "$config" 2>/dev/null)" != "load_priority=$priority" ]; then
        echo "load_priority=$priority" >"$config.new.$$" && mv "$config.new.$$" "$config" || fail "cannot write $config"
    fi
    log "[INFO] to link against it: export LD_LIBRARY_PATH=$final/op_api/lib/:\$LD_LIBRARY_PATH"
fi
echo SUCCESS
