#!/usr/bin/env bash
# `npm run store -- ...` on the store of marshal.service, by its user and with its variables. As root:
#   bash /opt/marshal/deploy/systemd/store.sh restore /var/lib/marshal/backups/BACKUP
# Root may have put a backup there: the bot's user has to look in.
[ ! -d /var/lib/marshal/backups ] || chown -R --reference=/var/lib/marshal/ /var/lib/marshal/backups
exec systemd-run --pipe --wait --quiet \
  -p User=marshal -p DynamicUser=yes -p StateDirectory=marshal -p UMask=0077 -p WorkingDirectory=/opt/marshal \
  -p EnvironmentFile=/etc/marshal/marshal.env \
  -E STORE_URL=sqlite:/var/lib/marshal/marshal.sqlite -E HISTORY_URL=sqlite:/var/lib/marshal/history.sqlite \
  /opt/marshal/node_modules/.bin/node deploy/store.ts "$@"
