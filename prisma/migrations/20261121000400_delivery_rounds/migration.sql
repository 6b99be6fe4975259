-- What the worker needs beyond the outbox itself: rounds of tries (a redelivery opens a new one), holds that
-- spend no try, what the sweeper announced again, and when a row became undelivered.
alter table deliveries
  add column tries_allowed smallint not null default 4,
  add column opened_at timestamptz(3) not null default clock_timestamp(),
  add column held_since timestamptz(3),
  add column held_reason text,
  add column swept_at timestamptz(3);
alter table webhooks add column deactivated_at timestamptz(3);

-- The age of the oldest undelivered one, held or not.
create index deliveries_open on deliveries (opened_at) where state in ('pending', 'waiting');
-- A webhook's deliveries, newest first; its open ones, when it is deactivated.
create index deliveries_webhook_newest on deliveries (webhook_id, id);
-- Ops lists what failed; retention removes what ended long ago.
create index deliveries_failed on deliveries (id) where state = 'failed';
create index deliveries_finished on deliveries (finished_at) where finished_at is not null;
