#!/bin/sh
# Upgrades a running deployment of docker-compose.yml without a stop:
#   infra/docker/upgrade.sh --env-file production.env [-p devnet]
# Builds the images, migrates the database, then replaces one container after the other. A migration that fails changes
# nothing: the running release goes on. `docker compose up` would stop everything before it migrates.
# BUILD=off takes the images of VERSION as they are. DOCKER and COMPOSE name the programs.
set -eu
cd "$(dirname "$0")/../.."
DOCKER=${DOCKER:-docker}
COMPOSE=${COMPOSE:-$DOCKER compose}

# The indexer is replaced when it runs, and has its image in any case.
set -- --profile chain "$@"

say() { printf '%s\n' "$*"; }

# The service is the first argument, the options of compose are the rest.
replace() {
  service=$1
  shift
  old=$($COMPOSE "$@" ps --quiet "$service")
  [ -n "$old" ] || { say "$service does not run: nothing to replace"; return; }
  count=$(printf '%s\n' "$old" | wc -l)
  for container in $old; do
    say "$service: starting a new container beside the old ones …"
    $COMPOSE "$@" up --detach --no-build --no-deps --no-recreate --scale "$service=$((count + 1))" --wait "$service"
    say "$service: stopping an old one …"
    $DOCKER stop "$container" > /dev/null
    $DOCKER rm "$container" > /dev/null
  done
}

if [ "${BUILD:-on}" != off ]; then
  say 'building the images …'
  $COMPOSE "$@" build
fi
say 'migrating the database …'
# Not `run --rm`: through podman's API that says 0 for every migration, also for one that failed.
job="migrate-$$"
migrated=yes
$COMPOSE "$@" run --no-deps --name "$job" migrate || migrated=no
$DOCKER rm "$job" > /dev/null
if [ "$migrated" = no ]; then
  say 'The migration failed. No container was replaced: the running release goes on. docs/upgrades.md says what to do.' >&2
  exit 1
fi
# Services that write first: a new reader may count on what a new writer stores. The console after the api that its pages
# ask.
for service in ingest webhook-worker realtime api console indexer; do
  replace "$service" "$@"
done
# The dashboard has a port of this machine, which two containers cannot share.
if [ -n "$($COMPOSE "$@" ps --quiet ops)" ]; then
  say 'ops: replacing the container …'
  $COMPOSE "$@" up --detach --no-build --no-deps --wait ops
fi
say 'done'
