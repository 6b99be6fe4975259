#!/bin/sh
# As the public image: gives up root, makes the database of POSTGRES_* in an empty folder, runs the command.
set -e
export PGDATA=/var/lib/postgresql/18/docker
if [ "$(id -u)" = 0 ]; then
  mkdir -p "$PGDATA"
  chown -R postgres:postgres /var/lib/postgresql
  exec setpriv --reuid=postgres --regid=postgres --clear-groups "$0" "$@"
fi
if [ ! -s "$PGDATA/PG_VERSION" ]; then
  password=$(mktemp)
  printf '%s\n' "$POSTGRES_PASSWORD" > "$password"
  initdb --pgdata="$PGDATA" --username="$POSTGRES_USER" --pwfile="$password" --auth=scram-sha-256 \
    --no-sync --locale=C --encoding=UTF8 > /dev/null
  rm "$password"
  echo "host all all all scram-sha-256" >> "$PGDATA/pg_hba.conf"
  echo "listen_addresses = '*'" >> "$PGDATA/postgresql.conf"
  echo "create database $POSTGRES_DB" | postgres --single -D "$PGDATA" postgres > /dev/null
  for script in /docker-entrypoint-initdb.d/*.sh; do
    [ ! -e "$script" ] || sh "$script"
  done
fi
exec "$@"
