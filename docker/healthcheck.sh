#!/bin/bash
# Ends with 0 when the program of this container answers 200: healthcheck.sh [path, /healthz when there is none].
# A shell and not Node: it runs every few seconds in every container.
exec 3<>"/dev/tcp/127.0.0.1/${SVC_PORT:-8080}" || exit 1
printf 'GET %s HTTP/1.1\r\nHost: localhost\r\nConnection: close\r\n\r\n' "${1:-/healthz}" >&3
read -r -t 4 _ status _ <&3
[ "$status" = 200 ]
