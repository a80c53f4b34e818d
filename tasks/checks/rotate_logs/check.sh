#!/bin/sh
# What the task asks for, tried from outside. The first thing that is wrong ends it.
set -u

script=$(pwd)/rotate_logs.sh
place=$(mktemp -d) || exit 1
trap 'rm -rf "$place"' EXIT
shell=sh

# expect WHAT FOUND EXPECTED
expect() {
    if [ "$2" != "$3" ]; then
        printf '%s (%s): found "%s", expected "%s"\n' "$1" "$shell" "$2" "$3" | tr '\n' '|' >&2
        exit 1
    fi
}

fresh() {
    cd "$place" && rm -rf work && mkdir work && cd work || exit 1
}

rotate() {
    out=$($shell "$script" "$@" 2>"$place/err" </dev/null)
    code=$?
    err=$(cat "$place/err")
}

content() {
    cat "$@" 2>&1 | tr '\n' ' '
}

names() {
    ls | tr '\n' ' '
}

mode() {
    ls -ld "$1" | cut -c 1-10
}

inode() {
    ls -di "$1" | awk '{ print $1 }'
}

turns() {
    fresh
    for number in 1 2 3 4 5 6 7; do
        echo "$number" >app.log
        rotate app.log
        expect 'output' "$code $out $err" '0 rotated app.log '
    done
    expect 'copies by default' "$(names)" 'app.log app.log.1 app.log.2 app.log.3 app.log.4 app.log.5 '
    expect 'their contents' "$(content app.log.1 app.log.2 app.log.3 app.log.4 app.log.5)" '7 6 5 4 3 '
    echo 8 >app.log
    rotate -n 2 app.log
    expect 'numbers above COUNT' "$(content app.log.1 app.log.2 app.log.3 app.log.4 app.log.5)" '8 7 5 4 3 '
    fresh
    echo 1 >a
    echo 2 >b
    echo keep >a.10
    echo ten >a.9
    rotate -n 12 a b
    expect 'two files' "$code $out" '0 rotated a
rotated b'
    expect 'two digits' "$(content a.1 b.1 a.10 a.11)" '1 2 ten keep '
    expect 'gaps' "$(names)" 'a a.1 a.10 a.11 b b.1 '
    rotate a b
    expect 'emptied files' "$code $out $(names)" '0  a a.1 a.10 a.11 b b.1 '
}

same_file() {
    fresh
    echo one >app.log
    chmod 640 app.log
    touch -t 202601021530 app.log
    before=$(inode app.log)
    exec 3>>app.log
    rotate app.log
    echo two >&3
    exec 3>&-
    expect 'inode' "$(inode app.log)" "$before"
    expect 'a program that has it open' "$(content app.log.1 app.log)" 'one two '
    expect 'permissions' "$(mode app.log) $(mode app.log.1)" '-rw-r----- -rw-r-----'
    touch -t 202601021530 stamp
    expect 'time of the copy' "$(find . -name app.log.1 -newer stamp; find . -name stamp -newer app.log.1)" ''
}

zipped() {
    fresh
    echo plain >app.log.1
    echo packed | gzip -c >app.log.2.gz
    echo last | gzip -c >app.log.3.gz
    echo new >app.log
    rotate -z -n 3 app.log
    expect 'output with -z' "$code $out $err" '0 rotated app.log '
    expect 'files with -z' "$(names)" 'app.log app.log.1.gz app.log.2 app.log.3.gz '
    expect 'contents with -z' "$(gzip -dc <app.log.1.gz) $(cat app.log.2) $(gzip -dc <app.log.3.gz)" 'new plain packed'
    echo newer >app.log
    rotate -n3 app.log
    expect 'files without -z again' "$(names)" 'app.log app.log.1 app.log.2.gz app.log.3 '
}

sizes() {
    fresh
    : >empty
    printf 12345 >five
    rotate empty
    expect 'an empty file' "$code $out $err $(names)" '0   empty five '
    rotate -s 6 five
    expect '-s above the size' "$code $out $err $(names)" '0   empty five '
    rotate -s 999999999999 five
    expect 'the largest -s' "$code $out $err $(names)" '0   empty five '
    rotate -s 5 five
    expect '-s of the size' "$code $out" '0 rotated five'
}

skipped() {
    fresh
    echo x >good
    echo y >target
    ln -s target link
    ln -s nowhere dangling
    mkdir folder
    rotate missing link folder good
    expect 'exit code and output' "$code $out" '1 rotated good'
    expect 'complaints' "$err" 'rotate_logs: missing: no such file
rotate_logs: link: not a regular file
rotate_logs: folder: not a regular file'
    expect 'what a link leads to' "$(content target)" 'y '
    rotate dangling
    expect 'a dangling link' "$code $out" '1 '
    fresh
    echo x >app.log
    mkdir app.log.1
    rotate -n 1 app.log
    expect 'a directory in the way' "$code $out $(content app.log)" '1  x '
    fresh
    echo x >app.log
    echo old >app.log.1
    mkdir app.log.3
    rotate -n 3 app.log
    expect 'a directory in the way of the last' "$code $out $(content app.log)" '1  x '
    [ -n "$err" ] || expect 'a message about a directory' '' 'some'
    fresh
    echo x >app.log
    mkdir app.log.1.gz
    rotate -z -n 1 app.log
    expect 'a directory in the way of -z' "$code $out $(content app.log)" '1  x '
}

odd_names() {
    fresh
    newline='a
b'
    for name in 'with space' 'star*' "quote'\"" "$newline" 'back\slash' 'dollar$HOME'; do
        echo x >"$name"
        rotate "$name"
        expect "the name $name" "$code $out $err" "0 rotated $name "
        expect "the copy of $name" "$(content "$name.1")" 'x '
    done
    echo y >-z
    rotate -- -z
    expect 'a name that begins with -' "$code $out $(content ./-z.1)" '0 rotated -z y '
}

wrong_use() {
    fresh
    echo x >app.log
    for options in '-n 0' '-n 1000' '-n x' '-n 1x' '-n -1' '-n 1.5' '-s 0' '-s x' '-s 1000000000000' '-x' '-n5 -s'; do
        # shellcheck disable=SC2086 # an option and its value
        rotate $options app.log
        case $options in *-s) rotate $options ;; esac
        expect "$options" "$code $out $(names)" '2  app.log '
        [ -n "$err" ] || expect "a message about $options" '' 'some'
    done
    rotate -n '' app.log
    expect 'an empty COUNT' "$code $(names)" '2 app.log '
    rotate
    expect 'no FILE' "$code $out" '2 '
    rotate -h
    expect '-h' "$code $err" '0 '
    [ -n "$out" ] || expect 'the usage' '' 'some'
    rotate -n 08 app.log
    expect 'COUNT with a zero in front' "$code $out" '0 rotated app.log'
}

[ -f "$script" ] || expect 'rotate_logs.sh' 'no file' 'a file'
for shell in sh dash 'busybox sh' 'bash --posix' ksh; do
    command -v ${shell%% *} >/dev/null 2>&1 || continue
    for part in turns same_file zipped sizes skipped odd_names wrong_use; do
        $part
    done
done
