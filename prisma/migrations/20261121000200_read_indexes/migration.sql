-- Lists by slot bounds alone end early: newest first by slot, whatever part of the chain they ask for. Events of
-- one slot are few and sorted when read.
create index events_slot on events (slot);

-- Nearly all events are payments, so a list of payments walks its filter's own index and drops hardly a row.
-- Everything else would be a needle in that haystack; these find it, and cost ingest next to nothing.
create index events_gateway_rare on events (gateway, name, occurred_at, slot, event_index, id)
  where gateway is not null and name <> 'PaymentRecord';
create index events_policy_rare on events (payment_policy, name, occurred_at, slot, event_index, id)
  where payment_policy is not null and name <> 'PaymentRecord';
create index events_tracking_rare on events (tracking_id, name, occurred_at, slot, event_index, id)
  where tracking_id is not null and name <> 'PaymentRecord';
create index events_recipient_rare on events (recipient, name, occurred_at, slot, event_index, id)
  where recipient is not null and name <> 'PaymentRecord';
create index events_user_payment_rare on events (user_payment, name, occurred_at, slot, event_index, id)
  where user_payment is not null and name <> 'PaymentRecord';
create index events_authority_rare on events (authority, name, occurred_at, slot, event_index, id)
  where authority is not null and name <> 'PaymentRecord';

-- Lists of living policies in their order, for each of their lookups. What a payment changes is in none of
-- them, so that policies are updated in place.
drop index policies_tracking_id_idx;
drop index policies_user_payment_idx;
drop index policies_gateway_created_at_address_idx;
drop index policies_recipient_created_at_address_idx;
create index policies_tracking_live on policies (tracking_id, created_at, address) where live;
create index policies_user_payment_idx on policies (user_payment, created_at, address);
create index policies_gateway_live on policies (gateway, created_at, address) where live;
create index policies_recipient_live on policies (recipient, created_at, address) where live;
