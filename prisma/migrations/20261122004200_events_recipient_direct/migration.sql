-- Payments without a policy by who was paid, as events_payer_direct finds them by who paid.
create index concurrently events_recipient_direct on events (recipient, occurred_at, slot, event_index, id)
  where payment_policy = '11111111111111111111111111111111' and recipient is not null;
