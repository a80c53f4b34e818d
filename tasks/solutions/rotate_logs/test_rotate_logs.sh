#!/bin/sh
# Tests of rotate_logs.sh: exit code 0 if all pass.
set -u

script=$(cd "$(dirname "$0")" && pwd)/rotate_logs.sh
place=$(mktemp -d) || exit 1
trap 'rm -rf "$place"' EXIT
failures=0

# expect WHAT FOUND EXPECTED
expect() {
    if [ "$2" != "$3" ]; then
        printf 'FAILED %s: found "%s", expected "%s"\n' "$1" "$2" "$3"
        failures=$((failures + 1))
    fi
}

fresh() {
    cd "$place" && rm -rf work && mkdir work && cd work || exit 1
}

rotate() {
    out=$(sh "$script" "$@" 2>"$place/err")
    code=$?
    err=$(cat "$place/err")
}

fresh
for number in 1 2 3; do
    echo "$number" >app.log
    rotate -n 2 app.log
done
expect 'output' "$code $out $err" '0 rotated app.log '
expect 'copies' "$(cat app.log.1 app.log.2 | tr '\n' ' ')" '3 2 '
expect 'files' "$(ls | tr '\n' ' ')" 'app.log app.log.1 app.log.2 '
expect 'emptied' "$(wc -c <app.log | tr -d ' ')" 0

fresh
echo one >app.log
exec 3>>app.log
rotate app.log
echo two >&3
exec 3>&-
expect 'an open file' "$(cat app.log.1 app.log | tr '\n' ' ')" 'one two '

fresh
echo old >app.log.2
echo packed | gzip -c >app.log.1.gz
echo new >app.log
chmod 640 app.log
rotate -z app.log
expect 'a gap moves' "$(cat app.log.3)" old
expect 'a compressed copy moves' "$(gzip -dc <app.log.2.gz)" packed
expect 'compressed' "$(gzip -dc <app.log.1.gz)" new
expect 'permissions' "$(ls -l app.log.1.gz | cut -c 1-10)" '-rw-r-----'
expect 'no plain copy' "$(ls app.log.1 2>/dev/null)" ''

fresh
: >empty
printf 12345 >five
rotate empty
expect 'an empty file' "$code $out $(ls | tr '\n' ' ')" '0  empty five '
rotate -s 6 five
expect 'a small file' "$code $out $(ls | tr '\n' ' ')" '0  empty five '
rotate -s 05 five
expect 'a file of that size' "$code $out" '0 rotated five'

fresh
echo x >good
ln -s good link
mkdir folder
rotate missing link folder good
expect 'exit code and output' "$code $out" '1 rotated good'
expect 'complaints' "$err" 'rotate_logs: missing: no such file
rotate_logs: link: not a regular file
rotate_logs: folder: not a regular file'

fresh
echo x >app.log
mkdir app.log.1
rotate -n 1 app.log
expect 'a directory in the way' "$code $out $(cat app.log)" '1  x'

fresh
echo x >'a *b'
echo y >-n
rotate -- 'a *b' -n
expect 'odd names' "$code $(cat 'a *b.1' ./-n.1 | tr '\n' ' ')" '0 x y '

fresh
echo x >app.log
for option in '-n0' '-n1000' '-nx' '-n' '-s0' '-s-1' '-x'; do
    rotate "$option" app.log
    expect "$option" "$code $out $(ls)" '2  app.log'
done
rotate
expect 'no file' "$code $out" '2 '
rotate -h
expect '-h' "$code $err" '0 '

[ "$failures" -eq 0 ]
