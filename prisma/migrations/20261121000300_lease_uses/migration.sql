-- Which deployments have ever used leases in Redis: a Redis without them has then lost its data, and is not
-- merely new.
create table lease_uses (
  environment text primary key,
  first_used_at timestamptz(3) not null default clock_timestamp()
);
