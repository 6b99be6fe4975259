-- Finds the first open delivery of a webhook with ordered delivery. Deliveries of other webhooks are not in it.
create index concurrently deliveries_ordered on deliveries (webhook_id, id)
  where ordered and state in ('pending', 'waiting');
