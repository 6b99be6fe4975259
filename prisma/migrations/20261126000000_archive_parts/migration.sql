-- Files of archived events. A part is one file: some events of a month, one a line. Its first `moved` lines are rows of
-- archived_events, the others of live_events; each transaction that moves rows also moves this number.
create table archive_parts (
  -- of the events' time on the chain, in UTC: `2026-03`
  month text collate "C" not null,
  part integer not null,
  -- the name of the file below EVENTS_ARCHIVE
  file text collate "C" not null,
  -- of the bytes of the file, in hex
  sha256 text collate "C" not null,
  bytes bigint not null,
  count integer not null,
  first_position bigint not null,
  last_position bigint not null,
  moved integer not null default 0,
  -- whether rows move into archived_events, or back
  wanted text not null default 'archived' check (wanted in ('archived', 'live')),
  written_at timestamptz(3) not null default clock_timestamp(),
  restored_at timestamptz(3),
  primary key (month, part)
);
-- findArchivedAfter, readArchivedUpTo.
create index archive_parts_last_position on archive_parts (last_position);
