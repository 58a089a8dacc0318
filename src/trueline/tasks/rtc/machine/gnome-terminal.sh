#!/bin/bash
# xfce4-terminal as a process of its own for each window, under the name that gnome-terminal's processes have.
given=()
while [ "$#" -gt 0 ]; do
  case $1 in
    -- | -x | --execute) shift; given+=(--execute "$@"); break ;;
    --full-screen) given+=(--fullscreen) ;;
    --wait | -q | --quiet | --profile=* | --role=* | --name=* | --class=*) ;;
    -t) shift; given+=(--title "${1-}") ;;
    *) given+=("$1") ;;
  esac
  shift
done
(exec -a /usr/libexec/gnome-terminal.real setsid --fork bash -c \
  'exec -a /usr/libexec/gnome-terminal.real /usr/bin/xfce4-terminal --disable-server "$@"' x "${given[@]}") \
  </dev/null >/dev/null 2>&1 &
