-- Why the archive did not go on when ingest tried last; no row while it goes on.
create table archive_problem (
  id integer primary key default 1,
  -- one line, with the cure
  problem text not null,
  -- since when it is this one
  since timestamptz(3) not null default clock_timestamp(),
  seen_at timestamptz(3) not null default clock_timestamp()
);
