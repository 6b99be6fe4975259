-- Headers that a webhook's requests carry, which payments it gets, in which order, and what happens after an outage.
alter table webhooks
  add column headers json,
  add column filters json,
  add column ordered boolean not null default false,
  add column ordered_within_seconds integer not null default 3600,
  add column recover boolean not null default false,
  add column failure_told_at timestamptz(3);
-- Whether the delivery waits for earlier deliveries of its webhook.
alter table deliveries add column ordered boolean not null default false;
