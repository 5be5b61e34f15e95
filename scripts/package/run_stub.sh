#!/bin/sh
{ # One command: a file that is cut in here does not run at all.
# Self-extracting operator package: this header, then a gzipped tar. `--help` lists the options.
label='@LABEL@'
content_sha256=@CONTENT_SHA256@
payload_line=@PAYLOAD_LINE@
payload_bytes=@PAYLOAD_BYTES@
payload_sha256=@PAYLOAD_SHA256@

unset CDPATH
self=$0
name=${0##*/}

payload() {
    tail -n "+$payload_line" <"$self"
}

unpack() {
    payload | gzip -dc | tar "$@"
}

fail() {
    echo "$name: $1" >&2
    exit 1
}

check() {
    bytes=$(payload | wc -c | tr -d ' ')
    [ "$bytes" = "$payload_bytes" ] || fail "damaged: the archive has $bytes bytes, $payload_bytes were packed"
    sum=$(payload | sha256sum | cut -d ' ' -f 1)
    [ "$sum" = "$payload_sha256" ] || fail "damaged: the archive's SHA-256 is $sum, packed was $payload_sha256"
}

quiet=
action=install
noexec=
target=
count=$#
while [ "$count" -gt 0 ]; do
    argument=$1
    shift
    count=$((count - 1))
    case $argument in
        -h | --help) action=help ;;
        -q | --quiet) quiet=--quiet ;;
        --info) action=info ;;
        --list) action=list ;;
        --check) action=check ;;
        --noexec) noexec=y ;;
        --nox11) ;;
        --extract=?*) target=${argument#--extract=} ;;
        --tar)
            [ "$#" -eq "$count" ] && [ "$count" -gt 0 ] || fail "--tar comes alone, with tar's own arguments behind it"
            action=tar
            break
            ;;
        --install-path=* | --install-for-all | --force) set -- "$@" "$argument" ;;
        *)
            check
            echo "$name: unknown option $argument" >&2
            unpack -xOf - help.info >&2
            exit 1
            ;;
    esac
done

check
case $action in
    help)
        unpack -xOf - help.info
        exit
        ;;
    info)
        echo "$label"
        echo "archive: $payload_bytes bytes, SHA-256 $payload_sha256"
        echo "content: SHA-256 $content_sha256"
        exit 0
        ;;
    list)
        unpack -tf -
        exit
        ;;
    tar)
        function=$1
        shift
        unpack "$function" - "$@"
        exit
        ;;
    check)
        echo "$name: the archive is whole"
        exit 0
        ;;
esac

start=$(pwd)
if [ -n "$target" ]; then
    mkdir -p -- "$target" || fail "cannot create $target"
elif [ -n "$noexec" ]; then
    fail "--noexec needs --extract=<dir>"
else
    target=$(mktemp -d "${TMPDIR:-/tmp}/op-package.XXXXXX") ||
        fail "cannot create a temporary directory in ${TMPDIR:-/tmp}: set TMPDIR to one that can be written"
    target=$(cd -- "$target" && pwd) || fail "cannot enter $target"
    trap 'rm -rf "$target"' EXIT
    trap 'exit 129' HUP
    trap 'exit 130' INT
    trap 'exit 143' TERM
fi
unpack -xf - -C "$target" || fail "cannot unpack to $target, for what tar says above"
[ -z "$noexec" ] || exit 0
cd -- "$target" || fail "cannot enter $target"
# Through sh: the file system may be mounted with noexec.
if [ -n "$quiet" ]; then
    sh ./install.sh "--$name" "--$start" --quiet "$@"
else
    sh ./install.sh "--$name" "--$start" "$@"
fi
exit
}
