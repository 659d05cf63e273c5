#!/usr/bin/env bash
# Whether the bot in this container answers; with a word such as readyz, what it answers at that path. Only the shell: a Node every
# half minute would cost more than a small bot does.
[ "${OPS_ADDRESS-127.0.0.1:9464}" = "" ] && exit 0
port=${OPS_ADDRESS:-127.0.0.1:9464}
exec 3<>"/dev/tcp/127.0.0.1/${port##*:}" || exit 1
printf 'GET /%s HTTP/1.0\r\nHost: localhost\r\n\r\n' "${1:-healthz}" >&3
IFS= read -r -t 2 line <&3 || exit 1
if [ $# -gt 0 ]; then
  while IFS= read -r -t 2 head <&3 && [ "$head" != $'\r' ]; do :; done
  cat <&3
fi
[[ $line == *" 200 "* ]]
