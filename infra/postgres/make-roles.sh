#!/bin/sh
# Makes the roles of a database. One owns it and migrates, and has no other right: it is no superuser, makes no roles and no
# databases, and reads no files of the server. Each service has a role of its own, whose rights each migration gives anew
# (packages/store/src/core/database/roles.ts). The image of Postgres runs this once. For a server of yours, as its superuser:
#   PGHOST=db.example.com POSTGRES_USER=postgres POSTGRES_DB=payment_tracking POSTGRES_PASSWORD_OF_OWNER=… \
#   POSTGRES_INGEST_PASSWORD=… POSTGRES_API_PASSWORD=… POSTGRES_REALTIME_PASSWORD=… POSTGRES_WEBHOOK_WORKER_PASSWORD=… \
#   POSTGRES_OPS_PASSWORD=… infra/postgres/make-roles.sh
# POSTGRES_OWNER names the owner, and what the other names begin with.
set -eu
owner=${POSTGRES_OWNER:-payments}

# Statements of one line each, with :'password'.
run() {
  psql --set ON_ERROR_STOP=1 --set password="$1" --username "${POSTGRES_USER:-postgres}" --dbname "$POSTGRES_DB"
}

# Behind PgBouncer in transaction mode a process cannot set its session, so Postgres does it for each role. The first setting ends the
# transaction of a paused process, which could hold the writer lock for ever. The others decide how values are written as text
# (packages/store/src/core/database/session-settings.ts).
make_role() {
  run "$2" <<SQL
create role $1 login nosuperuser nocreatedb nocreaterole noreplication nobypassrls password :'password';
alter role $1 set idle_in_transaction_session_timeout = '10s';
alter role $1 set DateStyle = 'ISO, MDY';
alter role $1 set IntervalStyle = 'postgres';
alter role $1 set TimeZone = 'UTC';
alter role $1 set extra_float_digits = 1;
alter role $1 set bytea_output = 'hex';
alter role $1 set standard_conforming_strings = on;
alter role $1 set array_nulls = on;
alter role $1 set transform_null_equals = off;
alter role $1 set default_transaction_isolation = 'read committed';
SQL
}

make_role "$owner" "$POSTGRES_PASSWORD_OF_OWNER"
make_role "${owner}_ingest" "$POSTGRES_INGEST_PASSWORD"
make_role "${owner}_api" "$POSTGRES_API_PASSWORD"
make_role "${owner}_realtime" "$POSTGRES_REALTIME_PASSWORD"
make_role "${owner}_webhook_worker" "$POSTGRES_WEBHOOK_WORKER_PASSWORD"
make_role "${owner}_ops" "$POSTGRES_OPS_PASSWORD"
# The timeout is `statementTimeoutMs` of the api (services/api/src/tunables.ts), which stops waiting by itself as well. The worker only
# asks by key: a plan that was made while a table was empty must not scan it when it is large.
run '' <<SQL
alter role ${owner}_api set statement_timeout = '2s';
alter role ${owner}_webhook_worker set enable_seqscan = off;
alter database $POSTGRES_DB owner to $owner;
alter schema public owner to $owner;
revoke connect, temporary on database $POSTGRES_DB from public;
SQL
