#!/bin/sh
# Installs bin/git-agent and its man page below PREFIX (default ~/.local).
set -eu
prefix=${PREFIX:-$HOME/.local}
mkdir -p "$prefix/bin" "$prefix/share/man/man1"
cp bin/git-agent "$prefix/bin/git-agent"
cp man/git-agent.1 "$prefix/share/man/man1/git-agent.1"
echo "installed $prefix/bin/git-agent and its man page"
case ":$PATH:" in
*":$prefix/bin:"*) ;;
*) echo "put $prefix/bin on your PATH, so that git finds it" ;;
esac
