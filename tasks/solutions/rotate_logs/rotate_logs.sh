#!/bin/sh
# Rotates log files by copying and emptying them, so that programs which have them open can go on.
set -u

usage() {
    echo 'usage: rotate_logs.sh [-n COUNT] [-s BYTES] [-z] [--] FILE...'
    echo '  -n COUNT  copies to keep, 1 to 999 (default 5)'
    echo '  -s BYTES  leave files alone that are smaller (default 1)'
    echo '  -z        compress the copy'
}

wrong_use() {
    printf 'rotate_logs: %s\n' "$1" >&2
    usage >&2
    exit 2
}

complain() {
    printf 'rotate_logs: %s: %s\n' "$name" "$1" >&2
    status=1
}

# number VALUE MAXIMUM: prints a whole number from 1 to MAXIMUM without zeros in front; fails for anything else.
number() {
    digits=$1
    case $digits in
    '' | *[!0123456789]*) return 1 ;;
    esac
    while :; do
        case $digits in
        0?*) digits=${digits#0} ;;
        *) break ;;
        esac
    done
    [ "${#digits}" -le "${#2}" ] && [ "$digits" -ge 1 ] && [ "$digits" -le "$2" ] || return 1
    printf '%s\n' "$digits"
}

# Whether a directory has one of the names that this rotation needs.
is_blocked() {
    at=1
    while [ "$at" -le "$count" ]; do
        for suffix in '' .gz; do
            if [ -d "$file.$at$suffix" ]; then
                complain "$name.$at$suffix is a directory"
                return 0
            fi
        done
        at=$((at + 1))
    done
    return 1
}

shift_copies() {
    rm -f "$file.$count" "$file.$count.gz" || return 1
    at=$((count - 1))
    while [ "$at" -ge 1 ]; do
        for suffix in '' .gz; do
            if [ -e "$file.$at$suffix" ] || [ -L "$file.$at$suffix" ]; then
                mv -f "$file.$at$suffix" "$file.$((at + 1))$suffix" || return 1
            fi
        done
        at=$((at - 1))
    done
}

compress_copy() {
    gzip -c <"$file.1" >"$file.1.gz" && touch -r "$file.1" "$file.1.gz" || return 1
    # The permissions go along too: copied with the file, then filled anew.
    cp -p "$file.1" "$file.1.gz.new" && cat "$file.1.gz" >"$file.1.gz.new" || return 1
    touch -r "$file.1" "$file.1.gz.new" && mv -f "$file.1.gz.new" "$file.1.gz" && rm -f "$file.1"
}

rotate() {
    is_blocked && return
    if ! shift_copies; then
        complain 'the older copies could not be renamed'
    elif ! cp -p "$file" "$file.1"; then
        complain 'could not be copied'
        rm -f "$file.1"
    elif [ "$zip" = yes ] && ! compress_copy; then
        complain 'could not be compressed'
    elif ! : >"$file"; then
        complain 'could not be emptied'
    else
        printf 'rotated %s\n' "$name"
    fi
}

count=5
bytes=1
zip=no
status=0
while getopts :n:s:zh option; do
    case $option in
    n) count=$(number "$OPTARG" 999) || wrong_use '-n takes a whole number from 1 to 999' ;;
    s) bytes=$(number "$OPTARG" 999999999999) || wrong_use '-s takes a whole number from 1' ;;
    z) zip=yes ;;
    h)
        usage
        exit 0
        ;;
    :) wrong_use "-$OPTARG needs a value" ;;
    *) wrong_use "there is no option -$OPTARG" ;;
    esac
done
shift $((OPTIND - 1))
[ "$#" -ge 1 ] || wrong_use 'no FILE'

for name in "$@"; do
    case $name in
    -*) file=./$name ;;
    *) file=$name ;;
    esac
    if [ -L "$file" ]; then
        complain 'not a regular file'
    elif [ ! -e "$file" ]; then
        complain 'no such file'
    elif [ ! -f "$file" ]; then
        complain 'not a regular file'
    elif ! size=$(wc -c <"$file"); then
        complain 'cannot be read'
    elif [ "$((size))" -ge "$bytes" ]; then
        rotate
    fi
done
exit "$status"
