#!/bin/sh
# The image of Postgres runs this once, in an empty database. The services' role owns their database and has no other right: it
# is no superuser, makes no roles and no databases, and reads no files of the server.
set -eu
psql --set ON_ERROR_STOP=1 --set password="$SERVICES_PASSWORD" --username "$POSTGRES_USER" --dbname "$POSTGRES_DB" <<'SQL'
create role payments login nosuperuser nocreatedb nocreaterole noreplication nobypassrls password :'password';
alter database payment_tracking owner to payments;
alter schema public owner to payments;
revoke connect, temporary on database payment_tracking from public;
SQL
