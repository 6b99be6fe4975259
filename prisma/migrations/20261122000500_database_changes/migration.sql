-- What tells a database from itself after it lost commits (a promoted standby, a restored backup): see
-- docs/runbook-postgres.md.
alter table stream_head
  -- system identifier, database and timeline of the server that ingest verified last; null until it has
  add column incarnation text,
  -- counts the epochs
  add column generation integer not null default 0,
  -- the last position that the epoch before has in common with this one; null in the first epoch
  add column branch_position bigint,
  -- the stream is to be read again from this sequence; null when nothing is missing
  add column reingest_from bigint;
