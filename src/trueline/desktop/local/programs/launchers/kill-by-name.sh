#!/bin/sh
# pkill and killall: who wants to end Chrome means the Chromium that was started under its name.
name=${0##*/}
left=$#
while [ "$left" -gt 0 ]; do
  word=$1
  shift
  left=$((left - 1))
  case $name:$word in
    pkill:chrome | pkill:google-chrome) word='chrom(e|ium)' ;;
    killall:chrome | killall:google-chrome) word=chromium ;;
  esac
  set -- "$@" "$word"
done
[ -x "/usr/bin/$name" ] || {
  echo "$name: not installed on this desktop (Debian packages procps, psmisc)" >&2
  exit 127
}
exec "/usr/bin/$name" "$@"
