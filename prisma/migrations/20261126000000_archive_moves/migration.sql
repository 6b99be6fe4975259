-- One row for each month whose events are moving into archived_events, or back. The row is written before the first event moves,
-- and removed after the last event has moved. While the row is there, lists show no event of the month.
create table archive_moves (
  -- for example 2026-03, as in the table archive_parts
  month text collate "C" primary key,
  -- the first moment of the month, and the first moment after it
  starts_at timestamptz(3) not null,
  ends_at timestamptz(3) not null,
  -- the highest position among the events that move. An event with a higher position came later, and stays in the stream
  up_to bigint not null
);
