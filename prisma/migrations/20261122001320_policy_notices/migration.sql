-- Which due dates and ends of policies were told to webhooks: each once, whoever finds them.
create table policy_notices (
  policy text collate "C" not null,
  incarnation text collate "C" not null,
  type text collate "C" not null,
  at bigint not null,
  told_at timestamptz(3) not null default clock_timestamp(),
  primary key (policy, incarnation, type, at)
);
-- What webhooks that are told only of what is final wait for: life-cycle events by the slot of their cause.
create table lifecycle_awaiting_finality (
  webhook_id bigint not null,
  message_id text collate "C" not null,
  event_id uuid not null,
  slot bigint not null,
  type text collate "C" not null,
  body text collate "C" not null,
  primary key (webhook_id, message_id)
);
create index lifecycle_awaiting_finality_slot_idx on lifecycle_awaiting_finality (slot);
create index lifecycle_awaiting_finality_event_id_idx on lifecycle_awaiting_finality (event_id);
