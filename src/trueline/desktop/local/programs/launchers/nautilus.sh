#!/bin/sh
# Thunar with the flags of Nautilus.
name=${0##*/}
command -v thunar >/dev/null || {
  echo "$name: not installed on this desktop (Debian package thunar)" >&2
  exit 127
}
left=$#
while [ "$left" -gt 0 ]; do
  word=$1
  shift
  left=$((left - 1))
  case $word in
    -q | --quit) exec thunar --quit ;;
    -w | --new-window | -s | --select | --no-default-window | -n) ;;
    *) set -- "$@" "$word" ;;
  esac
done
exec thunar "$@"
