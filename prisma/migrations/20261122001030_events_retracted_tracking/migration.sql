-- A client that comes back is told which of its payments were retracted meanwhile.
create index concurrently events_retracted_tracking on events (tracking_id) where retracted_at is not null;
