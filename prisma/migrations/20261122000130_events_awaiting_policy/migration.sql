-- Payments of composable policies that nobody has told us of yet: few, and gone when the policy comes.
create index concurrently events_awaiting_policy on events (payment_policy) where awaits_policy;
