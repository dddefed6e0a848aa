#!/bin/sh
# Installs bin/git-agent and its man page below PREFIX (default ~/.local).
set -eu
prefix=${PREFIX:-$HOME/.local}
mkdir -p "$prefix/bin" "$prefix/share/man/man1"
rm -f "$prefix/bin/git-agent" # a session may be running it
cp bin/git-agent "$prefix/bin/git-agent"
cp man/git-agent.1 "$prefix/share/man/man1/git-agent.1"
echo "installed $prefix/bin/git-agent and its man page"
case ":$PATH:" in
*":$prefix/bin:"*) ;;
*) printf 'git does not find it yet; put it on your PATH, here and in your shell profile:\n  export PATH="%s/bin:$PATH"\n' "$prefix" ;;
esac
