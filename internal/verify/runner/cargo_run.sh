#!/bin/sh
# Started by cargo with a test program and its arguments. The program lists its
# tests in one process and runs them in another.
prog=$1
shift
base=$(mktemp "@LOGS@/XXXXXXXXXXXX") || exit 70
{ echo "$prog"; "$prog" --list --format terse </dev/null 2>/dev/null && echo git-agent-listed; } >"$base.list"
if [ @MODE@ = list ]; then exit 0; fi
if ! grep -q '^git-agent-listed$' "$base.list"; then "$prog" "$@" </dev/null; exit $?; fi
"$prog" "$@" --logfile "$base.log" </dev/null
code=$?
echo "@NONCE@ $code" >"$base.end"
exit $code
