-- The months whose events move into archived_events, or back. A month is here before its first event moves, and until its last
-- event has moved. Lists leave out the whole month meanwhile, so they never show a part of it.
create table archive_moves (
  -- as in archive_parts
  month text collate "C" primary key,
  -- the span of the month
  starts_at timestamptz(3) not null,
  ends_at timestamptz(3) not null,
  -- the last position of the events that move. The stream goes on to tell of events that came later
  up_to bigint not null
);
