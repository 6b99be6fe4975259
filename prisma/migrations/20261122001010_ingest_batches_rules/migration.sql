-- Whether an earlier release has written since is asked every few seconds.
create index concurrently ingest_batches_rules on ingest_batches (rules, last_position);
