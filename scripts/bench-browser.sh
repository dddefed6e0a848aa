#!/bin/sh
# Measures the page driver beside playwright-core and the Playwright MCP server:
# same browser, same scenario, same isolation, in one run. Needs node and npm, a
# Chromium (CHROMIUM=/path, or one that is found), and the network once; what is
# installed goes into a temporary folder and with it.
#   ROUNDS=7 WARM=6 scripts/bench-browser.sh
# MODULES=/folder takes a folder that has node_modules already.
set -eu
here=$(cd "$(dirname "$0")" && pwd)
work=$(mktemp -d)
trap 'rm -rf "$work"' EXIT INT TERM
modules=${MODULES:-}
if [ -z "$modules" ]; then
	modules=$work
	(cd "$work" && npm init -y >/dev/null && npm install --no-audit --no-fund --ignore-scripts --loglevel=error playwright-core@1 @playwright/mcp@0 >/dev/null)
fi
(cd "$here/.." && go build -o "$work/benchbrowser" ./scripts/benchbrowser)
node --version | sed 's/^/node /'
node -p '"playwright-core "+require(process.argv[1]+"/node_modules/playwright-core/package.json").version' "$modules"
"$work/benchbrowser" -modules "$modules" -scripts "$here/benchbrowser" -browser "${CHROMIUM:-}" -rounds "${ROUNDS:-7}" -warm "${WARM:-6}"
