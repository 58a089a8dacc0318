#!/bin/sh
# The crontab of the desktop's user: kept in the home folder, nothing runs it.
file=$HOME/.config/crontab
usage() {
  echo "usage: crontab [-u user] file | crontab [-u user] [-i] {-e | -l | -r}" >&2
  exit 1
}
need() {
  [ -f "$file" ] || {
    echo "no crontab for user" >&2
    exit 1
  }
}
install() {
  # A line is empty, a remark, a setting, or five fields (or one word with @) and a command.
  awk '/^[ \t]*($|#)/ || /^[ \t]*[A-Za-z_][A-Za-z0-9_]*[ \t]*=/ { next }
    /^[ \t]*@[a-z]+[ \t]+[^ \t]/ { next }
    NF > 5 && ($1 $2 $3 $4 $5) ~ /^[-0-9*\/,A-Za-z~]+$/ { next }
    { printf "\"%s\":%d: bad line\nerrors in crontab file, can'\''t install.\n", FILENAME, FNR; exit 1 }' "$1" >&2 ||
    exit 1
  mkdir -p "${file%/*}" && cat "$1" >"$file"
}
action=
while [ $# -gt 0 ]; do
  case $1 in
    -u)
      [ "${2-}" = user ] || {
        echo "must be privileged to use -u" >&2
        exit 1
      }
      shift
      ;;
    -l | -r | -e) action=$1 ;;
    -i) ;;
    -) break ;;
    -*) usage ;;
    *) break ;;
  esac
  shift
done
case $action in
  -l)
    need
    exec cat "$file"
    ;;
  -r)
    need
    exec rm "$file"
    ;;
esac
draft=$(mktemp) || exit 1
trap 'rm -f "$draft"' EXIT
if [ "$action" = -e ]; then
  [ -f "$file" ] && cat "$file" >"$draft"
  before=$(cksum <"$draft")
  for editor in "${VISUAL-}" "${EDITOR-}" nano editor vi; do
    [ -n "$editor" ] && command -v "${editor%% *}" >/dev/null && break
    editor=
  done
  [ -n "$editor" ] || {
    echo "crontab: no editor; set EDITOR" >&2
    exit 1
  }
  # An editor may be given with its flags.
  $editor "$draft" || exit 1
  if [ "$before" = "$(cksum <"$draft")" ]; then
    echo "No modification made" >&2
    exit 0
  fi
  echo "crontab: installing new crontab" >&2
elif [ "${1--}" = - ]; then
  cat >"$draft"
else
  cat -- "$1" >"$draft" || exit 1
fi
install "$draft"
