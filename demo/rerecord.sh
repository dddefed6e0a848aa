#!/bin/sh
# Makes demo/recording.jsonl again from demo/replies.json, as is needed when the
# tools answer in other words: the demo runs once, with a recorder between it and
# a server that gives the written replies in their order.
set -eu

here=$(CDPATH='' cd -- "$(dirname -- "$0")/.." && pwd)
work=$(mktemp -d "${TMPDIR:-/tmp}/git-agent-rerecord.XXXXXX")
hand=
recorder=

clean_up() {
	status=$?
	trap - EXIT
	for pid in $recorder $hand; do
		kill "$pid" 2>/dev/null || true
		wait "$pid" 2>/dev/null || true
	done
	rm -rf "$work"
	exit "$status"
}
trap clean_up EXIT
trap 'exit 130' INT
trap 'exit 143' TERM HUP

cd "$here"
make -s build setup
go build -o "$work/byhand" ./demo/byhand
mkfifo "$work/hand" "$work/said"

"$work/byhand" demo/replies.json >"$work/hand" 2>"$work/asked" &
hand=$!
exec 3<"$work/hand"
read -r said <&3
upstream=${said##* }

bin/git-agent model record "$work/recording.jsonl" --upstream "http://$upstream" --label "replies written by hand" >"$work/said" &
recorder=$!
exec 4<"$work/said"
read -r said <&4

DEMO_SERVER=${said##*OLLAMA_HOST=} sh demo/demo.sh || {
	cat "$work/asked" >&2
	echo "rerecord: the demo failed; what the model was asked is above" >&2
	exit 1
}
kill -INT "$recorder"
wait "$recorder" || true
recorder=
mv "$work/recording.jsonl" demo/recording.jsonl
echo "rerecord: demo/recording.jsonl is made; play it back with: make demo"
