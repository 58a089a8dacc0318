#!/bin/sh
# Programs that speak to systemd, which this desktop does not have.
echo "${0##*/}: this desktop has no systemd: services, units and the settings it keeps cannot be reached" >&2
exit 1
