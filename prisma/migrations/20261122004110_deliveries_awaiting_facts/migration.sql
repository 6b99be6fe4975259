-- Messages for webhooks whose filters cannot decide yet: the recipient or the token is not known.
create table deliveries_awaiting_facts (
  webhook_id bigint not null,
  message_id text collate "C" not null,
  event_id uuid not null,
  payment_policy text collate "C" not null,
  -- what happened to the policy; null for payments
  lifecycle json,
  primary key (webhook_id, message_id)
);
create index deliveries_awaiting_facts_payment_policy_idx on deliveries_awaiting_facts (payment_policy);
create index deliveries_awaiting_facts_event_id_idx on deliveries_awaiting_facts (event_id);
