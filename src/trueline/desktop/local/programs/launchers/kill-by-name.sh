#!/bin/sh
# pkill and killall: who wants to end Chrome means the Chromium that was started under its name, not the one that shows
# the windows of Visual Studio Code; who wants to end that means those windows and what stands behind them; who wants to
# end GNOME's terminal means the terminal that was started under its name.
name=${0##*/}
left=$#
browser='/chromium .*--user-data-dir=[^ ]*/google-chrome( |$)'
editor='[-]-user-data-dir=[^ ]*/Chromium( |$)|/vs_code_server\.mjs '
line=
while [ "$left" -gt 0 ]; do
  word=$1
  shift
  left=$((left - 1))
  case $name:$word in
    *:chrome | *:google-chrome) word=$browser line=yes ;;
    *:code) word=$editor line=yes ;;
    *:gnome-terminal | *:gnome-terminal-server | *:gnome-terminal-) word=xfce4-terminal ;;
    # These belong to a search by name, which the search by command line takes the place of.
    *:-x | *:--exact | *:-e | *:--exact-name) ;;
  esac
  set -- "$@" "$word"
done
[ -x "/usr/bin/$name" ] || {
  echo "$name: not installed on this desktop (Debian packages procps, psmisc)" >&2
  exit 127
}
[ -z "$line" ] || exec /usr/bin/pkill -f "$@"
exec "/usr/bin/$name" "$@"
