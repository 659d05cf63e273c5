#!/usr/bin/env bash
# Backups of the Valkey and the PostgreSQL of compose.cluster.yaml, made while Marshal runs, and put back:
#   bash deploy/cluster-backup.sh compose backup                   into backups-of-cluster/TIME; the newest 14 and the largest stay
#   bash deploy/cluster-backup.sh compose restore FOLDER           stops Marshal if it runs, once FOLDER was read, and leaves it stopped
#   bash deploy/cluster-backup.sh compose empty                    the same with an empty Valkey, after a backup; the history stays
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

# The parts of a backup: of a Redis or PostgreSQL of your own, somewhere else, it has none.
find_parts() {
  local found=/postgres/valkey
  [ "$where" = compose ] || found=$("${kube[@]}" get statefulset -o name)
  parts=()
  [[ $found != */postgres* ]] || parts+=(postgres.dump)
  [[ $found != */valkey* ]] || parts+=(valkey.rdb)
  [ ${#parts[@]} -gt 0 ] || { echo "there is neither a Valkey nor a PostgreSQL" >&2; exit 1; }
}

start_databases() {
  local part
  case $where in
    compose) "${compose[@]}" up -d --wait valkey postgres ;;
    kubernetes) for part in "${parts[@]}"; do "${kube[@]}" rollout status "statefulset/${part%.*}"; done ;;
  esac
}

# Both would read their backup under the same names, and each put back a part.
lock() {
  mkdir -p $folder
  mkdir "$folder/restoring" 2>/dev/null ||
    { echo "another restore is under way, or was killed: remove $folder/restoring then" >&2; exit 1; }
  trap 'rmdir "$folder/restoring"' EXIT
}

stop_marshal() {
  trap 'rmdir "$folder/restoring"; echo "Marshal was stopped: start it when you are done" >&2' EXIT
  case $where in
    compose) "${compose[@]}" stop marshal standby ;;
    kubernetes)
      local found
      # A new cluster has no Marshal yet. One that does not answer ends this here.
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

make_valkey() {
  # In a pipe its copy would have a mark behind its end.
  inside valkey sh -c 'copy=backup-$$.rdb; valkey-cli --rdb $copy >&2 && valkey-check-rdb $copy >&2 && cat $copy; code=$?; rm -f $copy; exit $code' \
    </dev/null >"$1/valkey.rdb" 2>"$1/said" || { cat "$1/said" >&2; return 1; }
  rm "$1/said"
}

make_postgres() {
  inside postgres pg_dump -U marshal -Fc marshal </dev/null >"$1/postgres.dump"
  inside postgres pg_restore --list <"$1/postgres.dump" >/dev/null
}

# A backup has its name once it can be read.
make() {
  local made=$folder/$(date -u +%Y-%m-%dT%H-%M-%SZ)
  mkdir -p $folder
  # Another one of this second has the name.
  while [ -e "$made" ] || [ -e "$made.new" ]; do
    sleep 1
    made=$folder/$(date -u +%Y-%m-%dT%H-%M-%SZ)
  done
  mkdir "$made.new"
  # Its own, and what was left by a kill: another may be making one now, for a restore that goes on without it.
  making=$made.new
  trap 'rm -rf "$making"; find "$folder" -mindepth 1 -maxdepth 1 -name "*.new" -mmin +1440 -exec rm -rf {} +' EXIT
  local part said
  for part in "${parts[@]}"; do
    "make_${part%.*}" "$made.new"
  done
  mv "$made.new" "$made"
  said=${parts[*]}
  echo "backup: $made holds ${said// /, }. SECRET_KEY is not in it: keep that yourself"
}

# What is put back is read before Marshal is stopped or anything is changed.
restore() {
  local from=$1 part
  find_parts
  for part in "${parts[@]}"; do
    [ -s "$from/$part" ] || { echo "there is no $from/$part. Name a backup: a folder that holds it" >&2; exit 1; }
  done
  lock
  start_databases
  for part in "${parts[@]}"; do
    "read_${part%.*}" "$from" || { echo "$from/$part cannot be read. Nothing was changed: take another backup" >&2; exit 1; }
  done
  stop_marshal
  bash deploy/cluster-backup.sh "$where" make || echo "what is there cannot be read, and is replaced" >&2
  for part in "${parts[@]}"; do "replace_${part%.*}"; done
  echo "restore: $from is in place. Start the version that it is of, or a newer one"
}

read_valkey() {
  inside valkey sh -c 'cat > restored.rdb && valkey-check-rdb restored.rdb >/dev/null' <"$1/valkey.rdb"
}

# Cases of after the backup have their numbers in channels and old answers: a new case must not get one of them (as restore.ts).
read_postgres() {
  inside postgres sh -c 'dropdb -U marshal --if-exists restored && createdb -U marshal restored && pg_restore -U marshal --exit-on-error -d restored' <"$1/postgres.dump" &&
    inside postgres psql -q -v ON_ERROR_STOP=1 -U marshal -d restored <<'SQL'
DO $$ BEGIN
  IF to_regclass('counters') IS NOT NULL THEN
    UPDATE counters SET value = value + 1000 + value / 10 WHERE name LIKE 'cases %';
  END IF;
END $$;
SQL
}

replace_valkey() {
  # Valkey takes a file of this name as its own where that folder is not there. What is behind the copy is done to it: Marshal
  # finds the mark that it is one, and knows that what was sent since is missing in it.
  inside valkey sh -c 'printf "*4\r\n\$4\r\nHSET\r\n\$18\r\nmarshal:generation\r\n\$6\r\ncopied\r\n\$1\r\n1\r\n" >>restored.rdb && mv restored.rdb appendonly.aof && rm -rf appendonlydir' </dev/null
  restart_valkey
}

replace_postgres() {
  inside postgres sh -c 'dropdb -U marshal --force --if-exists marshal && psql -q -U marshal -d postgres -c "ALTER DATABASE restored RENAME TO marshal"' </dev/null
}

# For a SECRET_KEY that is lost: nothing of what Valkey has opens any more. Should the secret be found, the backup is.
empty() {
  find_parts
  [[ ${parts[*]} = *valkey* ]] || { echo "Valkey is not one of this cluster: delete its keys that begin with marshal: yourself" >&2; exit 1; }
  lock
  start_databases
  stop_marshal
  bash deploy/cluster-backup.sh "$where" make || { echo "no backup could be made, so nothing was emptied" >&2; exit 1; }
  inside valkey valkey-cli flushall </dev/null
  echo "empty: keep that backup and the old secret.yaml or .env for as long as the secret may be found"
}

# The newest 14, and that of the largest Valkey: one that came back empty pushes out none that holds something.
prune() {
  local largest now
  now=$folder/$(date -u +%Y-%m-%dT%H-%M-%SZ)
  largest=$(stat -c '%s %n' $folder/????-??-??T??-??-??Z/valkey.rdb 2>/dev/null | sort -n | tail -n 1 | cut -d ' ' -f 2) || true
  # Names that lie ahead were given by a clock that was wrong: they are older than the one just made.
  ls -d $folder/????-??-??T??-??-??Z | awk -v now="$now" '$0 > now { print; next } { later[++n] = $0 } END { for (i = 1; i <= n; i++) print later[i] }' |
    head -n -14 | { grep -vxF -- "${largest%/*}" || true; } | xargs -r rm -r --
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
    prune
    ;;
  "compose make 2" | "kubernetes make 2") 
    find_parts
    make
    ;;
  "compose empty 2" | "kubernetes empty 2") empty ;;
  "compose restore 3" | "kubernetes restore 3") restore "$3" ;;
  *)
    sed -n '2,6s/^# \{0,1\}//p' "deploy/cluster-backup.sh"
    exit 2
    ;;
esac
