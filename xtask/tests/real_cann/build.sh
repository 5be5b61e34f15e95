#!/bin/bash
# Stands for build.sh of ops-math: records its command line, takes and refuses what that one takes and refuses, and leaves what
# it leaves. Facts from ops-math, scripts/build_options.sh, build_cmake.sh and build_example.sh.
set -e -o pipefail
cd "$(dirname "$0")"
source scripts/build.conf.sh
echo "$*" >>calls
echo "${CXXFLAGS:-}" >flags

refuse() {
    echo "[ERROR] $1"
    exit 1
}

takes() { # an option; `--name=value` needs `name=` in the list, `--name` the bare name
    local name=${1#--}
    [[ $name == *=* ]] && name=${name%%=*}=
    local known
    for known in "${SUPPORTED_LONG_OPTS[@]}"; do
        [[ $known == "$name" ]] && return
    done
    return 1
}

main() {
    local ops= soc=ascend910b vendor=custom type=Release pkg= ut= experimental= kinds= only= run=1 example= mode= cust=
    while [ $# -gt 0 ]; do
        case $1 in
            -u) ut=1 ;;
            -j[0-9]*) ;;
            --*)
                takes "$1" || refuse "Invalid param $1"
                case ${1#--} in
                    ops=*) ops=${1#*=} ;;
                    soc=*) soc=${1#*=} ;;
                    vendor_name=*) vendor=${1#*=} ;;
                    build-type=*) type=${1#*=} ;;
                    example_name=*) only=${1#*=} ;;
                    pkg) pkg=1 ;;
                    experimental) experimental=1 ;;
                    noexec) run= ;;
                    ophost | opapi | opkernel | opkernel_aicpu) kinds="$kinds ${1#--}" ;;
                    run_example) # three words, then at once the vendor
                        example=$2 mode=$3
                        shift 2
                        if [[ ${2:-} == cust ]]; then
                            cust=1
                            shift
                        fi
                        ;;
                esac
                ;;
            *) refuse "unparsed param: $1" ;;
        esac
        shift
    done
    [[ $type == Release || $type == Debug ]] || refuse "--build-type only support Release/Debug Mode"
    [[ -n $pkg && -n $ut ]] && refuse "--pkg cannot be used with -u"
    [[ -n $pkg && -n $kinds ]] && refuse "--pkg cannot be used with --ophost, --opapi, --opgraph"
    # A list is no name of a SoC; upstream builds the longest one that it begins with.
    [[ ${soc,,} == ascend910b* || ${soc,,} == ascend910_93* ]] || refuse "soc only support : ascend910b ascend910_93"
    [[ $soc == *,* ]] && soc=${soc%%,*}
    [[ -n $experimental ]] || refuse "the operator is below experimental/"
    local op
    for op in ${ops//,/ } $example; do
        [ -d experimental/math/$op ] || refuse "$op: no such operator"
    done
    if [ -n "$pkg" ]; then package "$vendor"; fi
    if [ -n "$ut" ]; then unit_tests; fi
    if [ -n "$example" ]; then run_example; fi
}

package() {
    mkdir -p build_out
    # It installs as upstream's does: below --install-path, ASCEND_CUSTOM_OPP_PATH or ASCEND_OPP_PATH.
    cat >"build_out/cann-ops-math-$1_linux-ARCH.run" <<RUN
#!/bin/sh
base=\${ASCEND_CUSTOM_OPP_PATH:-\$ASCEND_OPP_PATH}
for argument; do case \$argument in --install-path=*) base=\${argument#*=} ;; esac; done
mkdir -p "\$base/vendors/$1_math/op_api/include" "\$base/vendors/$1_math/op_api/lib"
echo "made by build.sh" >"\$base/vendors/$1_math/version.info"
echo SUCCESS
RUN
}

unit_tests() {
    echo "[==========] Running 4 tests from 1 test suite."
    echo "[  PASSED  ] 4 tests."
    echo "[  PASSED  ] 3 tests."
    if [ -e ut_fails ]; then
        echo "[  FAILED  ] 2 tests, listed below:"
        exit 1
    fi
}

run_example() {
    [ "$mode" = eager ] || refuse "only eager examples are tried here"
    local vendors=${ASCEND_HOME_PATH}/opp/vendors/${vendor}_math path file name
    [ -n "$cust" ] || refuse "the package is a custom one"
    IFS=: read -ra paths <<<"${ASCEND_CUSTOM_OPP_PATH:-$vendors}"
    for path in "${paths[@]}"; do
        [ -d "$path/op_api/include" ] || refuse "$path/op_api/include: No such file or directory"
    done
    echo "$paths" >packages
    for file in experimental/math/$example/examples/test_aclnn_*.cpp; do
        name=${file##*/test_aclnn_}
        name=${name%.cpp}
        if [[ -n $only && $name != "$only" ]]; then
            echo "Skip $file (--example_name=$only specified)"
        elif [ -n "$run" ]; then
            echo "run test_aclnn_$example, execute samples success"
        else
            echo "Skip running test_aclnn_$example (--noexec specified, binary is ready for cannsim)"
        fi
    done
}

main "$@" 2>&1 | while IFS= read -r line; do echo "[2026-11-22 12:00:00] $line"; done
