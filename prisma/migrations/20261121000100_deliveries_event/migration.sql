-- The sweeper and a payment's trace find deliveries by their event.
create index deliveries_event_id_idx on deliveries (event_id) where event_id is not null;
