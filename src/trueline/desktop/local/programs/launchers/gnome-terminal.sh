#!/bin/sh
# xfce4-terminal with the flags of gnome-terminal. Like that one it returns as soon as its window is there.
name=${0##*/}
command -v xfce4-terminal >/dev/null || {
  echo "$name: not installed on this desktop (Debian package xfce4-terminal)" >&2
  exit 127
}
wait=
left=$#
while [ "$left" -gt 0 ]; do
  word=$1
  shift
  left=$((left - 1))
  case $word in
    -t | --title | --profile | --role | --name | --class)
      value=${1-}
      if [ "$left" -gt 0 ]; then
        shift
        left=$((left - 1))
      fi
      case $word in -t | --title) set -- "$@" --title "$value" ;; esac
      ;;
    --full-screen) set -- "$@" --fullscreen ;;
    --wait) wait=yes ;;
    -q | --quiet | --profile=* | --role=* | --name=* | --class=*) ;;
    -- | -x | --execute)
      # All that follows is the command and stays as it is.
      [ "$left" -gt 0 ] && set -- "$@" --execute
      while [ "$left" -gt 0 ]; do
        set -- "$@" "$1"
        shift
        left=$((left - 1))
      done
      ;;
    *) set -- "$@" "$word" ;;
  esac
done
windows() { xdotool search --onlyvisible --class '^xfce4-terminal$' 2>/dev/null | wc -l; }
[ -z "$wait" ] || exec xfce4-terminal "$@"
before=$(windows)
setsid xfce4-terminal "$@" </dev/null >/dev/null 2>&1 &
tries=100
while [ "$tries" -gt 0 ] && kill -0 $! 2>/dev/null && [ "$(windows)" -le "$before" ]; do
  tries=$((tries - 1))
  sleep 0.05
done
