#!/bin/sh
# The time zone, which is a file; the clock belongs to the machine, and there is no systemd to ask for the rest.
case ${1:-status} in
  status | show)
    zone=$(readlink /etc/localtime)
    zone=${zone#/usr/share/zoneinfo/}
    if [ "$1" = show ]; then
      echo "Timezone=$zone"
      exit
    fi
    cat <<END
               Local time: $(date '+%a %Y-%m-%d %H:%M:%S %Z')
           Universal time: $(date -u '+%a %Y-%m-%d %H:%M:%S UTC')
                 RTC time: n/a
                Time zone: $zone ($(date '+%Z, %z'))
END
    ;;
  list-timezones) exec sed -n 's/^[^#]*\t[^\t]*\t\([^\t]*\).*/\1/p' /usr/share/zoneinfo/tzdata.zi /usr/share/zoneinfo/zone.tab 2>/dev/null ;;
  set-timezone)
    case $2 in
      '' | /* | *..*) valid= ;;
      *) valid=$2 ;;
    esac
    if [ -z "$valid" ] || [ ! -f "/usr/share/zoneinfo/$valid" ]; then
      echo "Failed to set time zone: Invalid or not installed time zone '$2'" >&2
      exit 1
    fi
    if [ "$(id -u)" != 0 ]; then
      exec sudo timedatectl set-timezone "$valid"
    fi
    ln -sfn "/usr/share/zoneinfo/$valid" /etc/localtime && echo "$valid" >/etc/timezone
    ;;
  *)
    echo "timedatectl: this desktop has no systemd: only the time zone can be shown and set" >&2
    exit 1
    ;;
esac
