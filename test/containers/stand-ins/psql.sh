#!/bin/sh
# Stands in for psql while no server runs: statements of one line each, and `:'password'` alone.
for argument; do
  case $argument in password=*) password=${argument#password=} ;; esac
done
sed "s/:'password'/'$password'/" | postgres --single -D "$PGDATA" "$POSTGRES_DB" > /dev/null
