-- Payments without a policy by who paid: proof-of-payment tokens are asked for by wallet. Those with a policy are found by it.
create index concurrently events_payer_direct on events (payer, occurred_at, slot, event_index, id)
  where payment_policy = '11111111111111111111111111111111' and payer is not null;
