#!/bin/sh
# Builds the real Ollama server where it is not there yet and runs the tests
# of the model client against it.
set -eu
cd "$(dirname "$0")/../.."
cache=${XDG_CACHE_HOME:-$HOME/.cache}/git-agent/ollama-v0.17.4
GIT_AGENT_OLLAMA=${GIT_AGENT_OLLAMA:-$cache/ollama}
if [ ! -x "$GIT_AGENT_OLLAMA" ]; then
	sh scripts/ollama/build.sh "$cache"
fi
export GIT_AGENT_OLLAMA
go test -count=1 -timeout 10m -tags ollama ./internal/model/...
