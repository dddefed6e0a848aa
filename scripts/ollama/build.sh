#!/bin/sh
# Builds the real Ollama server that the integration tests talk to, and prints
# the path of the binary:
#
#   scripts/ollama/build.sh [DIR]
#
# DIR defaults to ${XDG_CACHE_HOME:-$HOME/.cache}/git-agent/ollama-VERSION; a
# binary that is already there is used again. It needs Go and a C++ compiler.
# The headers that Ollama's module zip leaves out come from Debian
# (nlohmann-json3-dev, libstb-dev: installed with apt-get when they are missing
# and this user may) and from a Go module that ships miniaudio.h.
set -eu

version=v0.17.4
miniaudio=github.com/gen2brain/malgo@v0.11.24
dir=${1:-${XDG_CACHE_HOME:-$HOME/.cache}/git-agent/ollama-$version}
bin=$dir/ollama

say() { printf '%s\n' "$*" >&2; }

if [ -x "$bin" ]; then
	printf '%s\n' "$bin"
	exit 0
fi

for tool in go g++; do
	command -v "$tool" >/dev/null 2>&1 || { say "build.sh: $tool is missing"; exit 1; }
done

has_header() { printf '#include <%s>\n' "$1" | g++ -E -x c++ - >/dev/null 2>&1; }

missing=
has_header nlohmann/json.hpp || missing="$missing nlohmann-json3-dev"
has_header stb/stb_image.h || missing="$missing libstb-dev"
if [ -n "$missing" ]; then
	as_root=
	[ "$(id -u)" = 0 ] || as_root="sudo -n"
	say "build.sh: installing$missing"
	# shellcheck disable=SC2086 # both are lists of words
	if ! { $as_root apt-get update -qq && $as_root apt-get install -y -qq --no-install-recommends $missing; } >&2; then
		say "build.sh: could not install$missing; install them and run this again"
		exit 1
	fi
fi

mkdir -p "$dir"
work=$(mktemp -d "$dir/build.XXXXXX")
trap 'rm -rf "$work"' EXIT
trap 'exit 130' INT TERM

cd "$work" # outside of any module, so that no go.mod is consulted
header=$(go mod download -json "$miniaudio" | sed -n 's/^[[:space:]]*"Dir": "\(.*\)",\{0,1\}$/\1/p')/miniaudio.h
[ -f "$header" ] || { say "build.sh: $miniaudio has no miniaudio.h"; exit 1; }
mkdir -p "$work/include/miniaudio" "$work/bin"
cp "$header" "$work/include/miniaudio/miniaudio.h"
chmod u+w "$work/include/miniaudio/miniaudio.h"

# -O2 is Go's own default, which setting the variables would lose.
flags="-O2 -I$work/include"
say "build.sh: building Ollama $version (this takes some minutes)"
CGO_ENABLED=1 CGO_CFLAGS="$flags" CGO_CXXFLAGS="$flags" CGO_CPPFLAGS="-I$work/include" \
	GOFLAGS=-mod=mod GOBIN="$work/bin" GOWORK=off nice go install "github.com/ollama/ollama@$version"

# The rename comes last: a binary under its final name is always a whole one.
mv "$work/bin/ollama" "$bin"
printf '%s\n' "$bin"
