-- Nearly all events are payments: a list of them walks events_newest and drops hardly a row. The rest are found here.
create index concurrently events_name_rare on events (name, occurred_at, slot, event_index, id)
  where name <> 'PaymentRecord';
