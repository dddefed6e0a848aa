#!/bin/sh
# Installs what the tests and the demo need beyond Go, git and make: a Chromium,
# and on Debian pytest, without which its tests are left out.
# Uses the system's package manager where it may; otherwise says what to do.
set -eu

have_browser() {
	for name in chromium chromium-browser google-chrome google-chrome-stable; do
		command -v "$name" >/dev/null 2>&1 && return 0
	done
	[ -x "/Applications/Google Chrome.app/Contents/MacOS/Google Chrome" ]
}

have_pytest() {
	! command -v apt-get >/dev/null 2>&1 || /usr/bin/python3 -c 'import pytest' 2>/dev/null
}

have_browser && have_pytest && exit 0

as_root=
if [ "$(id -u)" != 0 ]; then
	if command -v sudo >/dev/null 2>&1 && sudo -n true 2>/dev/null; then
		as_root="sudo -n"
	else
		as_root=no
	fi
fi

if [ "$as_root" != no ]; then
	if command -v apt-get >/dev/null 2>&1; then
		wanted=
		have_browser || wanted=chromium
		have_pytest || wanted="$wanted python3-pytest"
		echo "installing $wanted with apt-get …"
		$as_root apt-get update -qq
		DEBIAN_FRONTEND=noninteractive $as_root apt-get install -y -qq $wanted >/dev/null || echo "not everything could be installed" >&2
	elif have_browser; then
		:
	elif command -v dnf >/dev/null 2>&1; then
		$as_root dnf install -y -q chromium
	elif command -v pacman >/dev/null 2>&1; then
		$as_root pacman -S --noconfirm chromium
	elif command -v brew >/dev/null 2>&1; then
		brew install --cask chromium
	fi
fi

have_pytest || echo "pytest is missing for /usr/bin/python3; its tests are left out (apt-get install python3-pytest)" >&2
have_browser || {
	echo "no Chromium was found and none could be installed; install one with your package manager" >&2
	exit 1
}
