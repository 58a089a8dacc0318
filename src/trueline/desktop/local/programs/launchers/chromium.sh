#!/bin/sh
# Chromium under the names of both browsers. Its own sandbox needs nested user namespaces, which are refused here, so it
# runs without; the desktop around it is the sandbox. What the caller adds comes last and wins.
name=${0##*/}
program=/usr/lib/chromium/chromium
if [ -x "$program" ]; then
  export CHROME_WRAPPER="$0" CHROME_DESKTOP=chromium.desktop
elif [ -x /usr/bin/chromium ]; then
  program=/usr/bin/chromium
else
  echo "$name: not installed on this desktop (Debian package chromium)" >&2
  exit 127
fi
# Without anything to show it opens an empty page, not one that has something to fetch.
empty=yes
for word; do
  case $word in --app=* | --app-id=* | --headless* | --*version) empty= ;; -*) ;; *) empty= ;; esac
done
[ -z "$empty" ] || set -- "$@" --new-window about:blank
exec "$program" \
  --user-data-dir="$HOME/.config/google-chrome" \
  --no-sandbox --test-type --no-first-run --no-default-browser-check --password-store=basic \
  --disable-background-networking --disable-component-update --disable-sync --disable-pings \
  --disable-crash-reporter --hide-crash-restore-bubble --disable-search-engine-choice-screen \
  --disable-dev-shm-usage --force-renderer-accessibility "$@"
