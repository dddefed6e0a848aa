#!/bin/sh
# Runs every fuzz test for a short while each (FUZZTIME, default 10s).
set -eu
for pkg in $(go list ./...); do
	for name in $(go test -list '^Fuzz' "$pkg" 2>/dev/null | grep '^Fuzz' || true); do
		echo "$pkg $name"
		go test -run '^$' -fuzz "^$name\$" -fuzztime "${FUZZTIME:-10s}" "$pkg"
	done
done
