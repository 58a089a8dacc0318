#!/bin/sh
# pkill and killall: who wants to end Chrome or GNOME's terminal means the programs that were started under these names.
name=${0##*/}
left=$#
while [ "$left" -gt 0 ]; do
  word=$1
  shift
  left=$((left - 1))
  case $name:$word in
    pkill:chrome | pkill:google-chrome) word='chrom(e|ium)' ;;
    killall:chrome | killall:google-chrome) word=chromium ;;
    *:gnome-terminal | *:gnome-terminal-server | *:gnome-terminal-) word=xfce4-terminal ;;
  esac
  set -- "$@" "$word"
done
[ -x "/usr/bin/$name" ] || {
  echo "$name: not installed on this desktop (Debian packages procps, psmisc)" >&2
  exit 127
}
exec "/usr/bin/$name" "$@"
