-- One row while the archive cannot go on. No row while it goes on.
create table archive_problem (
  id integer primary key default 1,
  -- one line that names the cause and the cure
  problem text not null,
  -- when this problem was first seen
  since timestamptz(3) not null default clock_timestamp(),
  -- when ingest saw it last
  seen_at timestamptz(3) not null default clock_timestamp()
);
