#!/bin/sh
# The demo with the network unplugged: in a network namespace that has loopback
# alone, as root and as an ordinary user where this is started by root, else as
# whoever starts it. It ends with 1 where the demo fails, and with 0 and a
# sentence where this machine does not allow to unplug it.
set -eu

here=$(CDPATH='' cd -- "$(dirname -- "$0")/.." && pwd)

skip() {
	echo "demo-unplugged: not shown here: $*"
	exit 0
}

# inside is what runs in the namespace.
if [ "${1:-}" = inside ]; then
	ip link set lo up
	if grep -v -e '|' -e '^ *lo:' /proc/net/dev; then
		echo "demo-unplugged: there is more than loopback" >&2
		exit 1
	fi
	if [ "$2" != nobody ]; then
		echo "demo-unplugged: as $(id -un 2>/dev/null || id -u), with loopback alone"
		exec "$here/demo/demo.sh"
	fi
	# What an ordinary user may read: the checkout may lie in a closed folder.
	place=$(mktemp -d "${TMPDIR:-/tmp}/git-agent-unplugged.XXXXXX")
	trap 'rm -rf "$place"' EXIT
	mkdir "$place/tmp"
	cp -R "$here/bin" "$here/demo" "$place"
	chmod -R a+rX "$place"
	chmod 1777 "$place/tmp"
	echo "demo-unplugged: as nobody, with loopback alone"
	cd "$place"
	TMPDIR=$place/tmp HOME=/nonexistent setpriv --reuid=65534 --regid=65534 --clear-groups "$place/demo/demo.sh"
	exit
fi

for program in unshare ip; do
	command -v "$program" >/dev/null || skip "there is no program $program"
done
flags=-n
[ "$(id -u)" = 0 ] || flags=-rn
unshare "$flags" ip link set lo up 2>/dev/null || skip "namespaces are forbidden"
unshare "$flags" sh "$0" inside self
if [ "$(id -u)" != 0 ]; then
	exit 0
fi
command -v setpriv >/dev/null || skip "there is no program setpriv to become an ordinary user"
unshare -n sh "$0" inside nobody
