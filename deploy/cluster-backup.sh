#!/usr/bin/env bash
# Backups of the Valkey and the PostgreSQL of compose.cluster.yaml, made while Marshal runs, and put back:
#   bash deploy/cluster-backup.sh compose backup                   into backups-of-cluster/TIME; the newest 14 stay
#   bash deploy/cluster-backup.sh compose restore FOLDER           stops Marshal if it runs, and leaves it stopped
# `kubernetes` in the place of `compose`: those of deploy/k8s. SECRET_KEY is not in a backup: keep .env or secret.yaml as well.
set -euo pipefail
umask 077
# cron knows /usr/bin and /bin only.
PATH=$PATH:/usr/local/bin:/snap/bin
cd "$(dirname "$0")/.."
folder=backups-of-cluster
compose=(docker compose --env-file .env -f deploy/compose.cluster.yaml)
kube=(kubectl -n marshal)

# Runs a command where Valkey or PostgreSQL is.
inside() {
  local service=$1
  shift
  case $where in
    compose) "${compose[@]}" exec -T "$service" "$@" ;;
    kubernetes) "${kube[@]}" exec -i "$service-0" -- "$@" ;;
  esac
}

stop_marshal() {
  case $where in
    compose)
      "${compose[@]}" up -d --wait valkey postgres
      "${compose[@]}" stop marshal standby
      ;;
    kubernetes)
      "${kube[@]}" rollout status statefulset/valkey
      "${kube[@]}" rollout status statefulset/postgres
      # A new cluster has no Marshal yet. One that does not answer ends this here.
      local found
      found=$("${kube[@]}" get deployment marshal --ignore-not-found -o name)
      [ -z "$found" ] || "${kube[@]}" scale deployment/marshal --replicas=0
      while found=$("${kube[@]}" get pods -l app=marshal -o name) || exit 1; [ -n "$found" ]; do sleep 2; done
      ;;
  esac
}

restart_valkey() {
  case $where in
    compose) "${compose[@]}" restart valkey ;;
    kubernetes)
      "${kube[@]}" delete pod valkey-0
      "${kube[@]}" rollout status statefulset/valkey
      ;;
  esac
}

# A backup has its name once it can be read.
make() {
  local made=$folder/$(date -u +%Y-%m-%dT%H-%M-%SZ)
  mkdir -p $folder
  # Another one of this second has the name.
  while [ -e "$made" ]; do
    sleep 1
    made=$folder/$(date -u +%Y-%m-%dT%H-%M-%SZ)
  done
  mkdir "$made.new"
  trap 'rm -rf "$folder"/*.new' EXIT
  # In a pipe its copy would have a mark behind its end.
  inside valkey sh -c 'valkey-cli --rdb backup.rdb >&2 && valkey-check-rdb backup.rdb >&2 && cat backup.rdb; code=$?; rm -f backup.rdb; exit $code' \
    </dev/null >"$made.new/valkey.rdb" 2>"$made.new/said" || { cat "$made.new/said" >&2; return 1; }
  rm "$made.new/said"
  inside postgres pg_dump -U marshal -Fc marshal </dev/null >"$made.new/postgres.dump"
  inside postgres pg_restore --list <"$made.new/postgres.dump" >/dev/null
  mv "$made.new" "$made"
  echo "backup: $made holds valkey.rdb, postgres.dump. SECRET_KEY is not in it: keep that yourself"
}

# What is put back is read before anything is changed.
restore() {
  local from=$1 part
  for part in valkey.rdb postgres.dump; do
    [ -s "$from/$part" ] || { echo "there is no $from/$part. Name a backup: a folder that holds it" >&2; exit 1; }
  done
  stop_marshal
  inside postgres sh -c 'dropdb -U marshal --if-exists restored && createdb -U marshal restored && pg_restore -U marshal --exit-on-error -d restored' <"$from/postgres.dump"
  inside valkey sh -c 'cat > restored.rdb && valkey-check-rdb restored.rdb >/dev/null' <"$from/valkey.rdb"
  bash deploy/cluster-backup.sh "$where" make || echo "what is there cannot be read, and is replaced" >&2
  inside postgres sh -c 'dropdb -U marshal --force --if-exists marshal && psql -q -U marshal -d postgres -c "ALTER DATABASE restored RENAME TO marshal"' </dev/null
  # Valkey takes a file of this name as its own where that folder is not there.
  inside valkey sh -c 'mv restored.rdb appendonly.aof && rm -rf appendonlydir' </dev/null
  restart_valkey
  echo "restore: $from is in place. Marshal is stopped: start the version that it is of"
}

# To whoever alertmanager.yml names; elsewhere the exit code has to do.
tell() {
  [ "$where" = compose ] || return 0
  inside alertmanager amtool --alertmanager.url=http://127.0.0.1:9093 alert add MarshalBackupFailed severity=ticket \
    --annotation=summary="The backup of Marshal failed" --annotation=action="Run it by hand: it says why." </dev/null || true
}

where=${1-} task=${2-}
case "$where $task $#" in
  "compose backup 2" | "kubernetes backup 2")
    bash deploy/cluster-backup.sh "$where" make || { tell; echo "no backup was made" >&2; exit 1; }
    ls -d $folder/????-??-??T??-??-??Z | head -n -14 | xargs -r rm -r --
    ;;
  "compose make 2" | "kubernetes make 2") make ;;
  "compose restore 3" | "kubernetes restore 3") restore "$3" ;;
  *)
    sed -n '2,5s/^# \{0,1\}//p' "deploy/cluster-backup.sh"
    exit 2
    ;;
esac
