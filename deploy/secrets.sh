#!/usr/bin/env bash
# The secrets in .env, in deploy/k8s/secret.yaml, or with systemd in /etc/marshal/marshal.env. What has a value there keeps it.
#   bash deploy/secrets.sh make cluster       makes those of compose.cluster.yaml that are missing; `kubernetes`: those of deploy/k8s
#   bash deploy/secrets.sh anew cluster       the same where the SECRET_KEY of before is lost for good: nothing there opens any more
#   bash deploy/secrets.sh find compose       reads a lost file back from what runs; also `cluster`, `systemd`, `kubernetes`
set -euo pipefail
umask 077
cd "$(dirname "$0")/.."
kube=(kubectl -n marshal)

stop() {
  echo "$*" >&2
  exit 1
}

# The file, from its example where there is none.
open_file() {
  [ -e "$file" ] || cp "$1" "$file"
  chmod 600 "$file"
  # What is appended gets a line of its own.
  sed -i '$a\' "$file"
}

has_env() { grep -q "^$1=." .env; }

# The value of a name in secret.yaml, empty where it wants filling in.
of_yaml() { sed -n "s/^  $1: *\"\{0,1\}\([^\"]*\)\"\{0,1\} *$/\1/p" "$file" | grep -v FILL-IN | head -n 1 || true; }

# Another SECRET_KEY opens nothing of what another one has sealed, so none is made beside that.
make_cluster() {
  file=.env
  local project=${COMPOSE_PROJECT_NAME-} volumes
  if [ "$1" = make ] && ! { [ -e .env ] && has_env SECRET_KEY; }; then
    volumes=$(docker volume ls -q)
    if grep -qx "${project:-marshal-cluster}_valkey" <<<"$volumes"; then
      stop ".env has no SECRET_KEY, and the volume ${project:-marshal-cluster}_valkey is sealed with one. Nothing was changed: start nothing, and see \"A lost .env\" in docs/hosting.md"
    fi
    if [ -e data/secret.key ] || grep -qx "${project:-marshal}_data" <<<"$volumes"; then
      stop "a Marshal of one process has its data here. Nothing was changed: see \"From one process to several\" in docs/hosting.md"
    fi
  fi
  open_file .env.example
  # For the line that puts the token in.
  grep -q '^DISCORD_TOKEN=' .env || echo 'DISCORD_TOKEN=' >>.env
  has_env SECRET_KEY || echo "SECRET_KEY=$(openssl rand -base64 32)" >>.env
  has_env POSTGRES_PASSWORD || echo "POSTGRES_PASSWORD=$(openssl rand -hex 24)" >>.env
  has_env GRAFANA_PASSWORD || echo "GRAFANA_PASSWORD=$(openssl rand -hex 12)" >>.env
  grep -q '^POSTGRES_PASSWORD=[A-Za-z0-9._~-]*$' .env ||
    stop "POSTGRES_PASSWORD in .env is a part of an address: take one of letters and digits only"
}

make_kubernetes() {
  file=deploy/k8s/secret.yaml
  local found password
  if [ "$1" = make ] && [ -z "$([ ! -e $file ] || of_yaml SECRET_KEY)" ]; then
    found=$("${kube[@]}" get secret/marshal pvc/data-valkey-0 --ignore-not-found -o name)
    [ -z "$found" ] ||
      stop "secret.yaml has no SECRET_KEY, and the cluster has data that is sealed with one. Nothing was changed: apply nothing, and see \"A lost .env\" in docs/hosting.md"
  fi
  open_file deploy/k8s/secret.example.yaml
  if [ -z "$(of_yaml SECRET_KEY)" ]; then
    sed -i "/^  SECRET_KEY: /d; s|^stringData:|&\n  SECRET_KEY: \"$(openssl rand -base64 32)\"|" $file
  fi
  password=$(of_yaml POSTGRES_PASSWORD)
  sed -i "/^  \(POSTGRES_PASSWORD\|HISTORY_URL\): /s|FILL-IN|${password:-$(openssl rand -hex 24)}|" $file
}

# What the containers of a project have, stopped ones too: of the one of this name that was started from this folder, since another
# bot of this machine may have the name; of any where you name it.
in_containers() {
  local ids ours=(--filter "label=com.docker.compose.project=${COMPOSE_PROJECT_NAME:-$1}")
  [ -n "${COMPOSE_PROJECT_NAME-}" ] || ours+=(--filter "label=com.docker.compose.project.working_dir=$PWD/deploy")
  ids=$(docker ps -aq "${ours[@]}")
  [ -n "$ids" ] ||
    stop "there is no container of ${COMPOSE_PROJECT_NAME:-$1} that was started from this folder. docker ps -a shows what there is: NAME in NAME-marshal-1. Put COMPOSE_PROJECT_NAME=NAME before this line if it is this bot's"
  # shellcheck disable=SC2086
  docker inspect -f '{{range .Config.Env}}{{println .}}{{end}}' $ids |
    sed 's/^GF_SECURITY_ADMIN_PASSWORD=/GRAFANA_PASSWORD=/' |
    # Those are the compose files' own.
    grep -Ev '^(STORE_URL=(sqlite:data/marshal\.sqlite|redis://valkey:6379)|HISTORY_URL=(sqlite:data/history\.sqlite|postgres://marshal:[^@]*@postgres/marshal)|OPS_ADDRESS=.*)$'
}

in_process() {
  local pid
  pid=$(systemctl show -P MainPID marshal)
  [ "$pid" != 0 ] || stop "marshal does not run, so systemd has none of it"
  # Those two are the unit's own.
  tr '\0' '\n' <"/proc/$pid/environ" | grep -Ev '^(STORE_URL|HISTORY_URL)=sqlite:/var/lib/marshal/'
}

in_cluster() {
  local found
  found=$("${kube[@]}" get secret marshal --ignore-not-found \
    -o go-template='{{range $name, $value := .data}}{{printf "%s=%s\n" $name ($value | base64decode)}}{{end}}')
  if [ -n "$found" ]; then
    echo "$found"
  else
    # Its pods may have outlived it.
    { "${kube[@]}" exec deployment/marshal -- env || true; "${kube[@]}" exec postgres-0 -- env || true; } |
      grep -E '^(DISCORD_TOKEN|SECRET_KEY|SECRET_KEY_OLD|HISTORY_URL|POSTGRES_PASSWORD)='
  fi
}

# Of lines NAME=VALUE those that .env.example or compose.cluster.yaml knows and the file has no value for, quoted where they must be.
# An empty HISTORY_URL is one: it keeps the history off.
add_to_env() {
  local new
  new=$(awk -v file="$file" '
    BEGIN {
      while ((getline line < ".env.example") > 0) if (match(line, /^#?[A-Z_]+=/)) { sub(/^#/, "", line); known[substr(line, 1, index(line, "=") - 1)] }
      known["POSTGRES_PASSWORD"]; known["GRAFANA_PASSWORD"]
      while ((getline line < file) > 0) if (match(line, /^[A-Z_]+=./) || line == "HISTORY_URL=") has[substr(line, 1, index(line, "=") - 1)] = 1
    }
    { name = substr($0, 1, index($0, "=") - 1) }
    name in known && (length($0) > length(name) + 1 || name == "HISTORY_URL") && !has[name]++' <<<"$1" |
    sed "/'/!{/=[A-Za-z0-9._~+\/=:@,?&%-]*$/!s/=\(.*\)/='\1'/}")
  [ -z "$new" ] || printf '%s\n' "$new" >>"$file"
  cut -d= -f1 <<<"$new"
}

add_to_yaml() {
  awk '
    function text(name, value) { value = given[name]; gsub(/["\\]/, "\\\\&", value); delete given[name]; return "  " name ": \"" value "\"" }
    NR == FNR { at = index($0, "="); if (at > 1 && at < length($0)) given[substr($0, 1, at - 1)] = substr($0, at + 1); next }
    /^  [A-Za-z_]+:/ {
      name = substr($1, 1, length($1) - 1)
      isEmpty = /FILL-IN/ || ($2 == "\"\"" && name !~ /^(SECRET_KEY_OLD|HISTORY_URL)$/)
      if (name in given) { if (isEmpty) { print name > "/dev/stderr"; $0 = text(name) } else delete given[name] }
    }
    { lines[++count] = $0 }
    END {
      for (i = 1; i <= count; i++) {
        print lines[i]
        if (lines[i] ~ /^stringData:/) for (name in given) { print name > "/dev/stderr"; print text(name) }
      }
    }' <(printf '%s\n' "$1") "$file" 2>&1 >"$file.new" && mv "$file.new" "$file"
}

find_lost() {
  local found added
  file=.env
  case $1 in
    compose) found=$(in_containers marshal) ;;
    cluster) found=$(in_containers marshal-cluster) ;;
    systemd) file=/etc/marshal/marshal.env found=$(in_process) ;;
    kubernetes) file=deploy/k8s/secret.yaml found=$(in_cluster) ;;
  esac || stop "nothing was found, and nothing was written"
  mkdir -p "$(dirname "$file")"
  if [ "$1" = kubernetes ]; then
    open_file deploy/k8s/secret.example.yaml
    added=$(add_to_yaml "$found")
  else
    open_file /dev/null
    added=$(add_to_env "$found")
  fi
  if [ -n "$added" ]; then echo "written to $file:" $added; else echo "$file had all of it already"; fi
}

case "$*" in
  "make cluster" | "anew cluster") make_cluster "$1" ;;
  "make kubernetes" | "anew kubernetes") make_kubernetes "$1" ;;
  "find compose" | "find cluster" | "find systemd" | "find kubernetes") find_lost "$2" ;;
  *)
    sed -n '2,5s/^# \{0,1\}//p' deploy/secrets.sh
    exit 2
    ;;
esac
