-- Which life of a policy a payment belongs to, by the place of the transaction too, and for both families of policies.
create index concurrently events_policy_places on events (payment_policy, slot, transaction_index, event_index, id)
  where name in ('PaymentPolicyCreated', 'ComposablePolicyCreated');
