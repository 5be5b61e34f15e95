# Source this file: `. <toolkit>/set_env.sh`. bash and zsh know where it lies; other POSIX shells need
# ASCEND_HOME_PATH set to the toolkit before sourcing.
if [ -n "${BASH_SOURCE:-}" ]; then
    # shellcheck disable=SC3028,SC3054
    _hostcann_file=${BASH_SOURCE[0]}
elif [ -n "${ZSH_VERSION:-}" ]; then
    eval '_hostcann_file=${(%):-%x}'
else
    _hostcann_file=
fi
if [ -n "$_hostcann_file" ]; then
    _hostcann_root=$(CDPATH='' cd -- "$(dirname -- "$_hostcann_file")" >/dev/null && pwd)
else
    _hostcann_root=${ASCEND_HOME_PATH:-}
fi
if [ -f "$_hostcann_root/hostcann.toml" ] || [ -f "$_hostcann_root/lib64/libascendcl.so" ]; then
    export ASCEND_HOME_PATH="$_hostcann_root"
    export ASCEND_TOOLKIT_HOME="$_hostcann_root"
    export ASCEND_OPP_PATH="$_hostcann_root/opp"
    # An empty element of these lists would mean the current directory.
    case "${LD_LIBRARY_PATH:-}:" in
        "$_hostcann_root/lib64:"*) ;;
        *) export LD_LIBRARY_PATH="$_hostcann_root/lib64${LD_LIBRARY_PATH:+:$LD_LIBRARY_PATH}" ;;
    esac
    # find_package(ASC), find_package(tikicpulib)
    _hostcann_modules="$_hostcann_root/lib64/cmake:$_hostcann_root/tools/tikicpulib/lib/cmake"
    case "${CMAKE_PREFIX_PATH:-}:" in
        "$_hostcann_modules:"*) ;;
        *) export CMAKE_PREFIX_PATH="$_hostcann_modules${CMAKE_PREFIX_PATH:+:$CMAKE_PREFIX_PATH}" ;;
    esac
    case "${PATH:-}:" in
        "$_hostcann_root/bin:$_hostcann_root/tools/opbuild:"*) ;;
        *) export PATH="$_hostcann_root/bin:$_hostcann_root/tools/opbuild${PATH:+:$PATH}" ;;
    esac
else
    echo "set_env.sh: no toolkit at \"$_hostcann_root\"; in a shell other than bash or zsh, set ASCEND_HOME_PATH to the" \
        "toolkit directory before sourcing this file" >&2
fi
unset _hostcann_file _hostcann_root _hostcann_modules
