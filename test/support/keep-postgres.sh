# Keeps one PostgreSQL for the process that holds the other end of its input. A line there is an order, `start` or `stop`,
# and the same line is the answer once it is carried out; where that failed, nothing comes any more. When the input ends,
# the server ends and its folder goes. It also ends with a process that is killed: nothing is left of a broken run.
programs=$1
folder=$2 # empty, and nobody else's
user=$3
initial=$4 # what initdb has made for another server, or nothing
options=$5

# Who was killed reads no answers either, and the folder is still to be removed then.
trap '' PIPE
cd "$folder" || exit 1

# It refuses to run as root, and then belongs to the user that its package made.
as=
if [ "$(id -u)" = 0 ]; then
  chown postgres "$folder"
  as='runuser -u postgres --'
fi

prepare() {
  if [ -z "$initial" ]; then
    initial=initial
    $as "$programs/initdb" -D initial -A trust -N -U "$user" >/dev/null || return 1
  fi
  # Copied while no server has run on it, so that others can be made of it too.
  cp -a "$initial" data
}

carry_out() {
  case $1 in
    start) $as "$programs/pg_ctl" -D data -o "$options" -l log -w start >/dev/null || { cat log >&2; return 1; } ;;
    # At once, without writing what it still holds in memory.
    stop) $as "$programs/pg_ctl" -D data -m immediate -w stop >/dev/null ;;
  esac
}

if prepare; then
  while read -r order; do
    carry_out "$order" || break
    # Who was killed meanwhile reads no answer.
    echo "$order" 2>/dev/null
  done
  # It may have been told to stop before.
  [ ! -e data/postmaster.pid ] || carry_out stop
fi
cd / && rm -rf "$folder"
