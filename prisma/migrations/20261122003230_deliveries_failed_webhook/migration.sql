-- Finds what failed lately of a webhook with `recover`.
create index concurrently deliveries_failed_webhook on deliveries (webhook_id, finished_at) where state = 'failed';
