#!/bin/sh
# The agent's own tests must pass with its script, and fail with scripts that are wrong.
set -u

fail() {
    printf '%s\n' "$1" >&2
    exit 1
}

[ -f test_rotate_logs.sh ] && [ -f rotate_logs.sh ] || fail 'test_rotate_logs.sh or rotate_logs.sh is missing'
place=$(mktemp -d) || exit 1
trap 'rm -rf "$place"' EXIT
cp test_rotate_logs.sh rotate_logs.sh "$place" || exit 1
cd "$place" || exit 1
sh test_rotate_logs.sh >out 2>&1 </dev/null || fail "its tests fail: $(tail -n 1 out)"

# wrong WHAT: with the script on stdin its tests must fail.
wrong() {
    cat >rotate_logs.sh
    if sh test_rotate_logs.sh >/dev/null 2>&1 </dev/null; then
        fail "its tests pass with a script that $1"
    fi
}

wrong 'does nothing' <<'SCRIPT'
for name in "$@"; do echo "rotated $name"; done
SCRIPT
wrong 'keeps no older copies' <<'SCRIPT'
for name in "$@"; do cp -p "$name" "$name.1" && : >"$name" && echo "rotated $name"; done
SCRIPT
