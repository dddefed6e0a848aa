#!/bin/sh
# The main job in a temporary repository: init, three steps, a false claim that is
# caught, a weakened test that the hook refuses.
#
#   demo.sh          plays demo/recording.jsonl back; ends with 1 where anything is
#                    not as it should be
#   demo.sh MODEL    uses that model of a running Ollama (OLLAMA_HOST), which may
#                    fail to build the features; the rest has to hold all the same
#
# DEMO_SERVER=HOST:PORT is a server to use in place of the recording
# (demo/rerecord.sh).
set -eu

here=$(CDPATH='' cd -- "$(dirname -- "$0")/.." && pwd)
model=${1:-}
work=$(mktemp -d "${TMPDIR:-/tmp}/git-agent-demo.XXXXXX")
server=

clean_up() {
	status=$?
	trap - EXIT
	if [ -n "$server" ]; then
		kill "$server" 2>/dev/null || true
		wait "$server" 2>/dev/null || true
	fi
	rm -rf "$work"
	exit "$status"
}
trap clean_up EXIT
trap 'exit 130' INT
trap 'exit 143' TERM HUP

fail() {
	echo "demo: $*" >&2
	exit 1
}

# run shows a command and runs it.
run() {
	printf '\n$'
	for word; do
		case $word in
		*' '*) printf ' "%s"' "$word" ;;
		*) printf ' %s' "$word" ;;
		esac
	done
	echo
	"$@"
}

# Nothing of the user's own settings plays a part.
for name in $(env | sed -n 's/^\(GIT_[A-Z0-9_]*\)=.*/\1/p'); do
	unset "$name"
done
unset XDG_CONFIG_HOME XDG_STATE_HOME XDG_CACHE_HOME XDG_DATA_HOME
PATH=$here/bin:$PATH
HOME=$work/home
GIT_CONFIG_NOSYSTEM=1
GIT_PAGER=cat
export PATH HOME GIT_CONFIG_NOSYSTEM GIT_PAGER
mkdir "$HOME" "$work/score-board"
git config --global user.name "A Person"
git config --global user.email person@example.org
git config --global init.defaultBranch main

# Who answers.
if [ -n "$model" ]; then
	echo "demo: $model answers, at ${OLLAMA_HOST:-127.0.0.1:11434}"
	git config --global agent.model "$model"
elif [ -n "${DEMO_SERVER:-}" ]; then
	echo "demo: $DEMO_SERVER answers"
	OLLAMA_HOST=$DEMO_SERVER
else
	mkfifo "$work/said"
	git-agent model replay "$here/demo/recording.jsonl" >"$work/said" &
	server=$!
	exec 3<"$work/said"
	read -r said <&3 || fail "the recording cannot be played back"
	OLLAMA_HOST=${said##*OLLAMA_HOST=}
	label=${said#*\(}
	echo "demo: ${label%%)*}, played back"
fi
export OLLAMA_HOST=${OLLAMA_HOST:-127.0.0.1:11434}

cd "$work/score-board"
git init -q

# Where the system cannot contain commands, step asks a person before it runs a
# model's. Those of the recording are known, so the demo may answer.
if [ -z "$model" ] && git-agent doctor 2>/dev/null | grep -q '^- sandbox'; then
	echo "demo: this system refuses name spaces; commands are contained as well as it allows"
	git config --global agent.sandbox processes
fi

run git agent init "a score board for game night, in the browser" --count 3 --yes
for n in 1 2 3; do
	code=0
	run git agent step || code=$?
	[ -n "$model" ] || [ "$code" = 0 ] || fail "step $n ended with exit code $code"
done
if [ -z "$model" ]; then
	[ "$(grep -c '"passes": true' features.json)" = 3 ] || fail "not all three features pass"
	git log -p -1 --format= -- .agent/status/F002.md | grep -q '| rejected |' || fail "the false claim in the second step was not caught"
fi
[ -z "$(git status --porcelain)" ] || fail "the checkout is not clean: $(git status --porcelain)"

# A person, or any tool, tries to make an existing test easier: that of the first
# step, or with a model whatever test there is.
test_file=tests/scores.test.mjs
[ -z "$model" ] || test_file=$(git ls-files | grep -E '(^|/)tests?/|[._]test\.' | head -n 1)
if [ -n "$test_file" ]; then
	before=$(git rev-parse HEAD)
	sed 's/assert\.[a-zA-Z]*(.*);/assert.ok(true);/' "$test_file" >"$work/easier"
	[ -z "$model" ] || echo "// this passes whatever happens" >>"$work/easier"
	cat "$work/easier" >"$test_file"
	run git diff -U0
	code=0
	run git commit -am "Make the test easier" 2>"$work/refused" || code=$?
	cat "$work/refused" >&2
	[ "$code" != 0 ] || fail "the commit that weakens $test_file was not refused"
	[ "$(git rev-parse HEAD)" = "$before" ] || fail "the branch moved although the commit was refused"
	grep -q "refused: tests" "$work/refused" || fail "the commit was refused, but not for its change of $test_file"
	git checkout -q HEAD -- "$test_file"
fi

run git agent status
code=0
run git agent check || code=$?
[ "$code" = 0 ] || fail "the history does not keep the rules: exit code $code"
run git log --oneline

echo
if [ -n "$model" ]; then
	echo "demo: $(grep -c '"passes": true' features.json || true) of $(grep -c '"passes":' features.json) features built and proved with $model; every commit keeps the rules"
else
	echo "demo: three features built, each proved on a real page and committed; one false claim caught; one weakened test refused; every commit keeps the rules"
fi
