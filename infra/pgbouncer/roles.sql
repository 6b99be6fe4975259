-- Behind PgBouncer in transaction mode a process cannot set its session, so Postgres sets it by role. Give each service
-- the role of its name; all of them own what the role `payments` owns.
--   psql --set password="'…'" --file infra/pgbouncer/roles.sql
create role payments_api login password :password in role payments;
create role payments_worker login password :password in role payments;

-- A process that is paused inside a transaction must not hold the writer lock for ever.
alter role payments set idle_in_transaction_session_timeout = '10s';
alter role payments_api set idle_in_transaction_session_timeout = '10s';
alter role payments_worker set idle_in_transaction_session_timeout = '10s';

-- `statementTimeoutMs` of the api (services/api/src/tunables.ts). The api stops waiting by itself as well; this stops Postgres.
alter role payments_api set statement_timeout = '2s';

-- The worker only asks by key. A plan that was made while a table was empty must not scan it when it is large.
alter role payments_worker set enable_seqscan = off;

-- What the text of values depends on (packages/store/src/database/session-settings.ts). Services refuse to start without.
do $$
declare
  name text;
begin
  foreach name in array array['payments', 'payments_api', 'payments_worker'] loop
    execute format('alter role %I set DateStyle = ''ISO, MDY''', name);
    execute format('alter role %I set IntervalStyle = ''postgres''', name);
    execute format('alter role %I set TimeZone = ''UTC''', name);
    execute format('alter role %I set extra_float_digits = 1', name);
    execute format('alter role %I set bytea_output = ''hex''', name);
    execute format('alter role %I set standard_conforming_strings = on', name);
    execute format('alter role %I set array_nulls = on', name);
    execute format('alter role %I set transform_null_equals = off', name);
    execute format('alter role %I set default_transaction_isolation = ''read committed''', name);
  end loop;
end $$;
