-- Finds messages caused by time, which have no event, by their tracking ID.
create index concurrently deliveries_of_time on deliveries (substring(body from '"trackingId":("(?:[^"\\]|\\.)*")'))
  where event_id is null and type like 'subscription.%';
