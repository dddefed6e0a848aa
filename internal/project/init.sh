#!/bin/sh
# Installs what this project needs. It may be run again at any time and says
# nothing when there is nothing to do. It looks for lockfiles and manifests
# itself, so it need not change when dependencies do.
set -eu
cd "$(dirname "$0")"
root=$PWD

# stamp FILE...: one line that changes when one of the files does.
stamp() {
	for f in "$@"; do
		if [ -f "$f" ]; then cksum "$f"; fi
	done | cksum
}

# fresh DIR FILE...: true when DIR was filled from just these files.
fresh() {
	dir=$1
	shift
	[ -f "$dir/.stamp" ] && [ "$(cat "$dir/.stamp")" = "$(stamp "$@")" ]
}

# done_with DIR FILE...: remember that, and keep DIR out of git.
done_with() {
	dir=$1
	shift
	mkdir -p "$dir"
	if [ ! -f "$dir/.gitignore" ]; then echo '*' >"$dir/.gitignore"; fi
	stamp "$@" >"$dir/.stamp"
}

npm_install() {
	fresh node_modules package.json package-lock.json npm-shrinkwrap.json yarn.lock pnpm-lock.yaml && return 0
	if [ -f package-lock.json ] || [ -f npm-shrinkwrap.json ]; then
		npm ci --no-audit --no-fund --loglevel=error
	elif [ -f pnpm-lock.yaml ]; then
		pnpm install --frozen-lockfile --silent
	elif [ -f yarn.lock ]; then
		yarn install --frozen-lockfile --silent
	elif [ "$PWD" != "$root" ] && grep -q '"workspaces"' "$root/package.json" 2>/dev/null; then
		return 0 # installed with the root
	elif grep -Eq '"(d|devD|optionalD|peerD)ependencies"[[:space:]]*:' package.json; then
		npm install --no-audit --no-fund --loglevel=error
	else
		return 0
	fi
	done_with node_modules package.json package-lock.json npm-shrinkwrap.json yarn.lock pnpm-lock.yaml
}

go_install() {
	if grep -q '^require' go.mod; then go mod download; fi
}

python_install() {
	set -- requirements.txt requirements-dev.txt pyproject.toml setup.py
	fresh .venv "$@" && return 0
	if [ ! -x .venv/bin/python ]; then python3 -m venv .venv; fi
	for f in requirements.txt requirements-dev.txt; do
		if [ -f "$f" ]; then .venv/bin/python -m pip install --quiet --disable-pip-version-check -r "$f"; fi
	done
	if [ -f setup.py ] || { [ -f pyproject.toml ] && grep -Eq '^\[(build-system|project)\]' pyproject.toml; }; then
		.venv/bin/python -m pip install --quiet --disable-pip-version-check -e .
	fi
	done_with .venv "$@"
}

cargo_install() {
	if [ -f Cargo.lock ]; then cargo fetch --quiet --locked; else cargo fetch --quiet; fi
}

for dir in @DIRS@; do
	[ -d "$dir" ] || continue
	(
		cd "$dir"
		if [ -f package.json ]; then npm_install; fi
		if [ -f go.mod ]; then go_install; fi
		if [ -f requirements.txt ] || [ -f requirements-dev.txt ] || [ -f pyproject.toml ] || [ -f setup.py ]; then
			python_install
		fi
		if [ -f Cargo.toml ]; then cargo_install; fi
	)
done
