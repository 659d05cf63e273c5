#!/usr/bin/env bash
# Whether the bot in this container answers. Only the shell: a Node every half minute would cost more than a small bot does.
[ "${OPS_ADDRESS-127.0.0.1:9464}" = "" ] && exit 0
port=${OPS_ADDRESS:-127.0.0.1:9464}
exec 3<>"/dev/tcp/127.0.0.1/${port##*:}" || exit 1
printf 'GET /healthz HTTP/1.0\r\nHost: localhost\r\n\r\n' >&3
IFS= read -r -t 2 line <&3 && [[ $line == *" 200 "* ]]
